//! Which tier an integration test belongs to, told by the name of a module it lies in.
//!
//! `tests/it/kill.rs`, `tests/it/kill/storm.rs` and `tests/it/kill_hands.rs` are all of the group `kill`. The rule
//! exists twice, as code for libtest and as a filter for nextest; [`Group::filter`] is derived so both agree.

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Group {
    WineScaled,
    WineKill,
    Wine,
    Vnc,
    Vendors,
    RealInput,
    Kill,
    Power,
    Fault,
    Malformed,
    Sim,
    Bench,
    Xvfb,
}

/// The first group that fits wins: a death test that needs X is a death test, one that needs Windows is not.
const BY_PRECEDENCE: [(Group, &str); 13] = [
    (Group::WineScaled, "wine_scaled"),
    (Group::WineKill, "wine_kill"),
    (Group::Wine, "wine"),
    (Group::Vnc, "vnc"),
    (Group::Vendors, "vendors"),
    (Group::RealInput, "real_input"),
    (Group::Kill, "kill"),
    (Group::Power, "power"),
    (Group::Fault, "fault"),
    (Group::Malformed, "malformed"),
    (Group::Sim, "sim"),
    (Group::Bench, "bench"),
    (Group::Xvfb, "xvfb"),
];

impl Group {
    /// The group of an integration test (`kill::storm::no_key_stays_down`); none for an ordinary one.
    pub(super) fn of(test: &str) -> Option<Self> {
        let modules: Vec<&str> = test.split("::").collect();
        let (_, modules) = modules.split_last()?;
        let fits = |word: &str| {
            modules.iter().any(|module| {
                module.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
            })
        };
        BY_PRECEDENCE.iter().find(|(_, word)| fits(word)).map(|(group, _)| *group)
    }

    /// The nextest filter that selects a group, or all tests of none.
    pub(super) fn filter(group: Option<Self>) -> String {
        let fits = |word: &str| format!("test(/(^|::){word}(_[a-z0-9_]*)?::/)");
        let before = BY_PRECEDENCE.iter().take_while(|(other, _)| Some(*other) != group);
        let others = before.map(|(_, word)| fits(word)).collect::<Vec<_>>().join(" | ");
        match BY_PRECEDENCE.iter().find(|(other, _)| Some(*other) == group) {
            None => format!("not (kind(test) & ({others}))"),
            Some((_, word)) if others.is_empty() => format!("kind(test) & {}", fits(word)),
            Some((_, word)) => format!("kind(test) & {} & not ({others})", fits(word)),
        }
    }

    /// Tests that press keys, measure time or kill processes get the machine for themselves.
    pub(super) fn is_serial(self) -> bool {
        !matches!(self, Self::Vendors | Self::Fault | Self::Malformed | Self::Sim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_tells_the_group() {
        for (test, group) in [
            ("kill::no_key_stays_down", Some(Group::Kill)),
            ("kill::storm::no_key_stays_down", Some(Group::Kill)),
            ("kill_hands::all_up", Some(Group::Kill)),
            ("deep::xvfb::capture", Some(Group::Xvfb)),
            ("sim::every_seed", Some(Group::Sim)),
            ("simulated::x", None),
            ("real_input::xvfb::mousepad", Some(Group::RealInput)),
            ("xvfb::kill::grab", Some(Group::Kill)),
            ("wine_kill::no_key_stays_down", Some(Group::WineKill)),
            ("wine_kill_hands::all_up", Some(Group::WineKill)),
            ("wine_hands::clicks", Some(Group::Wine)),
            ("wine_scaled_hands::clicks", Some(Group::WineScaled)),
            ("vnc_input::clicks", Some(Group::Vnc)),
            ("vendors_replies::all", Some(Group::Vendors)),
            ("journal::kill", None),
            ("killer::x", None),
            ("default::x", None),
            ("powerful::x", None),
            ("plain", None),
        ] {
            assert_eq!(Group::of(test), group, "{test}");
        }
    }

    #[test]
    fn filters_exclude_the_groups_that_win_over_them() {
        assert_eq!(
            Group::filter(Some(Group::WineScaled)),
            "kind(test) & test(/(^|::)wine_scaled(_[a-z0-9_]*)?::/)"
        );
        let kill = Group::filter(Some(Group::Kill));
        assert!(
            kill.starts_with("kind(test) & test(/(^|::)kill") && kill.contains("| test(/(^|::)real_input")
        );
        let rest = Group::filter(None);
        assert!(
            rest.starts_with("not (kind(test) & (")
                && BY_PRECEDENCE.iter().all(|(_, word)| rest.contains(word))
        );
    }
}
