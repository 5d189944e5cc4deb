//! What is particular to Windows: scaling, the session, and whose programs may be worked on (S-03).

use super::finding::Findings;
use handsight_desktop::windows::{Awareness, Health};

pub(super) fn check(findings: &mut Findings, health: &Health) {
    scaling(findings, health);
    session(findings, health);
    rights(findings, health);
}

fn scaling(findings: &mut Findings, health: &Health) {
    let percents: Vec<String> = health.scales.iter().map(|s| format!("{:.0} %", s * 100.0)).collect();
    let found = format!("aware of it: {}; displays at {}", health.awareness.name(), percents.join(", "));
    let one_scale = health.scales.windows(2).all(|pair| pair[0] == pair[1]);
    let right = match health.awareness {
        Awareness::PerMonitorV2 | Awareness::PerMonitor => true,
        Awareness::System => one_scale,
        Awareness::None => health.scales.iter().all(|s| *s == 1.0),
    };
    findings.expect(
        "scaling",
        right,
        found,
        "Give all displays the same scale (Settings, System, Display), or clicks go astray on the others.",
    );
}

fn session(findings: &mut Findings, health: &Health) {
    match health.hidden {
        Some(why) => findings.fail("session", why, "Unlock it, and leave it unlocked while handsight works."),
        None if health.remote => findings.warn(
            "session",
            "a remote desktop: its screen goes away when its window is minimised or the connection ends",
            "Leave that window open, or work at the machine itself.",
        ),
        None => findings.ok("session", "the desktop is shown"),
    }
}

fn rights(findings: &mut Findings, health: &Health) {
    if health.elevated {
        findings.warn(
            "rights",
            "handsight runs as Administrator, and so does every program that a model starts",
            "Start it without, unless the task needs it.",
        );
    } else if health.out_of_reach.is_empty() {
        findings.ok("rights", "every window takes our input");
    } else {
        let titles: Vec<String> = health.out_of_reach.iter().map(|t| format!("{t:?}")).collect();
        findings.warn(
            "rights",
            format!("windows of programs with more rights take no input from us: {}", titles.join(", ")),
            "Start those programs without Administrator rights.",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::{Area, Status};
    use super::*;

    fn found(change: impl FnOnce(&mut Health)) -> Vec<(&'static str, Status)> {
        let mut health = Health {
            awareness: Awareness::PerMonitorV2,
            scales: vec![1.5, 1.0],
            hidden: None,
            remote: false,
            elevated: false,
            out_of_reach: Vec::new(),
        };
        change(&mut health);
        let mut findings = Findings::of(Area::Desktop);
        check(&mut findings, &health);
        findings.list.into_iter().map(|f| (f.check, f.status)).collect()
    }

    #[test]
    fn each_thing_that_is_wrong_is_told_and_nothing_else() {
        let wrong = |change: fn(&mut Health)| {
            found(change).into_iter().filter(|(_, s)| *s != Status::Ok).collect::<Vec<_>>()
        };
        assert_eq!(wrong(|_| {}), []);
        assert_eq!(wrong(|h| h.awareness = Awareness::System), [("scaling", Status::Warn)]);
        assert_eq!(wrong(|h| h.hidden = Some("locked")), [("session", Status::Fail)]);
        assert_eq!(wrong(|h| h.remote = true), [("session", Status::Warn)]);
        assert_eq!(wrong(|h| h.elevated = true), [("rights", Status::Warn)]);
        assert_eq!(wrong(|h| h.out_of_reach = vec!["Setup".into()]), [("rights", Status::Warn)]);
        assert_eq!(
            found(|h| {
                h.awareness = Awareness::System;
                h.scales = vec![1.5]
            })[0]
                .1,
            Status::Ok
        );
    }
}
