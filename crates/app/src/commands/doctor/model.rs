//! The model service: does it answer, has it the model, does it take pictures and tools (S-77).

use super::finding::{Area, Finding, Findings};
use handsight_base::stop::Stop;
use handsight_model::probe::{Check, State, probe};
use handsight_model::{Deadlines, Remote};

pub(super) async fn check(
    remote: anyhow::Result<Option<Remote>>,
    deadlines: Deadlines,
    stop: &Stop,
) -> Vec<Finding> {
    let mut findings = Findings::of(Area::Model);
    let remote = match remote {
        Ok(Some(remote)) => remote,
        Ok(None) => {
            findings.ok("answers", "a recording or a script: nothing is asked");
            return findings.list;
        }
        Err(error) => {
            findings.fail(
                "setup",
                format!("{error:#}"),
                "`handsight models` lists the providers and their keys.",
            );
            return findings.list;
        }
    };
    match probe(&remote, deadlines, stop).await {
        // The deadline is a setting; it stands with the settings.
        Ok(found) => {
            findings.list.extend(found.into_iter().filter(|f| f.check != Check::Deadline).map(of_probe))
        }
        Err(error) => findings.fail("answers", error.to_string(), ""),
    }
    if !remote.endpoint().is_loopback() && !remote.endpoint().is_encrypted() {
        findings.warn(
            "encrypted",
            format!("{} is asked over plain HTTP", remote.endpoint().host()),
            "Use this machine, https, or a VPN tunnel.",
        );
    }
    findings.list
}

fn of_probe(found: handsight_model::probe::Finding) -> Finding {
    let mut one = Findings::of(Area::Model);
    let check = match found.check {
        Check::Answers => "answers",
        Check::HasModel => "has_model",
        Check::TakesPictures => "image_url",
        Check::CallsTools => "tools",
        Check::Deadline => "deadline",
    };
    match found.state {
        State::Good => one.ok(check, found.words),
        State::Doubtful | State::Untried => one.warn(check, found.words, found.remedy),
        State::Bad => one.fail(check, found.words, found.remedy),
    }
    one.list.remove(0)
}
