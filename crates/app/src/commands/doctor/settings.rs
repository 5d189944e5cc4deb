//! Settings that work but rarely well (S-77, S-78).

use super::finding::{Area, Finding, Findings};
use crate::settings::Settings;
use handsight_model::probe::SHORT_DEADLINE;

/// Below this programs lose the second of two events, or have not drawn yet.
const SHORT_DELAY_S: f64 = 0.05;

pub(super) fn check(settings: &Settings) -> Vec<Finding> {
    let mut findings = Findings::of(Area::Settings);
    let profile = &settings.profile;
    let from = if settings.sources.is_empty() {
        "as it is shipped".to_owned()
    } else {
        format!("with {}", settings.sources.join(", "))
    };
    findings.ok("profile", format!("{} {} {from}", profile.name, profile.version));
    let deadline = profile.decide.request_timeout_s;
    let short = SHORT_DEADLINE.as_secs_f64();
    findings.expect(
        "request_timeout",
        deadline >= short,
        format!("a model has {deadline} s to answer"),
        format!(
            "Raise decide.request_timeout_s to {short} or more: a picture takes a local model that long."
        ),
    );
    let delay = profile.act.input_delay_s;
    findings.expect(
        "input_delay",
        delay >= SHORT_DELAY_S,
        format!("{delay} s after each input"),
        format!("Raise act.input_delay_s to {SHORT_DELAY_S} or more if programs miss clicks."),
    );
    if profile.hud.enabled {
        let pulses = profile.hud.reassert_pulses;
        findings.expect(
            "overlay_pulses",
            pulses > 0,
            format!("the HUD is raised {pulses} times after each change"),
            "Set hud.reassert_pulses above 0, or another topmost window may cover the HUD.",
        );
    }
    let settle = &profile.settle;
    findings.expect(
        "settle",
        settle.enabled,
        if settle.enabled {
            format!("waits up to {} s for a calm screen", settle.max_s)
        } else {
            "switched off: the next picture may show a screen that still moves".to_owned()
        },
        "Set settle.enabled = true; for slow animations raise settle.max_s instead.",
    );
    findings.ok(
        "coordinates",
        "points run from 0 to 1000 on both axes; `handsight manual` tells a model's faults from the input's",
    );
    findings.list
}

#[cfg(test)]
mod tests {
    use super::super::finding::Status;
    use super::*;
    use crate::environment::Environment;
    use crate::settings::resolve_named;

    fn statuses(set: &[&str]) -> Vec<(&'static str, Status)> {
        let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
        let settings = resolve_named(&Environment::default(), "stateless", &set, &[]).unwrap();
        check(&settings).into_iter().map(|f| (f.check, f.status)).collect()
    }

    #[test]
    fn what_is_shipped_is_well_and_each_fault_is_found() {
        assert!(statuses(&[]).iter().all(|(_, s)| *s == Status::Ok));
        for (set, check) in [
            ("decide.request_timeout_s=5", "request_timeout"),
            ("act.input_delay_s=0", "input_delay"),
            ("hud.reassert_pulses=0", "overlay_pulses"),
            ("settle.enabled=false", "settle"),
        ] {
            let wrong: Vec<_> = statuses(&[set]).into_iter().filter(|(_, s)| *s != Status::Ok).collect();
            assert_eq!(wrong, [(check, Status::Warn)], "{set}");
        }
    }
}
