//! Rows, comments and waits joined: what is shown, what waits, what is missing.
//!
//! Holes are violations only in enforced profiles. A wait that is no longer true is a violation everywhere, so the
//! list of what waits cannot rot.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::comment::Shown;
use super::table::Row;
use super::waiting::Waiting;
use super::{Detail, Tier};

pub(crate) struct Coverage {
    rows: Vec<(Row, State)>,
    waiting: Waiting,
    violations: Vec<String>,
}

#[derive(Debug, PartialEq)]
enum State {
    /// A test in each tier that does not wait.
    Shown,
    /// No test, with a reason.
    Waits(String),
    /// No test at all.
    Bare,
    /// Tests, but none of these tiers.
    Lacks(BTreeSet<Tier>),
}

impl Coverage {
    /// `violations` are those already found while reading.
    pub(super) fn new(
        rows: Vec<Row>,
        shown: &[Shown],
        waiting: Waiting,
        mut violations: Vec<String>,
    ) -> Self {
        let mut tests: BTreeMap<&str, BTreeSet<Tier>> = BTreeMap::new();
        for claim in shown {
            for id in &claim.ids {
                if rows.iter().any(|row| row.id == *id) {
                    tests.entry(id).or_default().extend(&claim.tiers);
                } else {
                    violations.push(format!("{}: docs/spec has no row {id}", claim.place));
                }
            }
        }
        violations.extend(stale(&rows, &tests, &waiting));
        let none = BTreeSet::new();
        let rows = rows
            .into_iter()
            .map(|row| {
                let state = state(&row, tests.get(row.id.as_str()).unwrap_or(&none), &waiting);
                (row, state)
            })
            .collect();
        Self { rows, waiting, violations }
    }

    /// What must be mended: broken claims and waits, and holes in enforced profiles.
    pub(crate) fn violations(&self) -> Vec<String> {
        let mut violations = self.violations.clone();
        for (row, state) in &self.rows {
            if !self.waiting.enforced.contains(row.profile) {
                continue;
            }
            match state {
                State::Bare => violations.push(format!("{}: row {} has no test", row.profile, row.id)),
                State::Lacks(tiers) => {
                    violations.push(format!(
                        "{}: row {} has no test in {}",
                        row.profile,
                        row.id,
                        words(tiers)
                    ));
                }
                State::Shown | State::Waits(_) => {}
            }
        }
        violations
    }

    /// The lists, then one line per profile.
    pub(crate) fn report(&self, detail: Detail) -> String {
        let mut out = String::new();
        let mut profiles: Vec<&str> = self.rows.iter().map(|(row, _)| row.profile).collect();
        profiles.dedup();
        // What is being worked on comes last, where a reader of a long listing looks.
        let (mut untouched, mut begun_last) = (String::new(), String::new());
        for profile in profiles {
            let rows: Vec<&(Row, State)> =
                self.rows.iter().filter(|(row, _)| row.profile == profile).collect();
            let begun = rows.iter().any(|(_, state)| matches!(state, State::Shown | State::Lacks(_)));
            let enforced = self.waiting.enforced.contains(profile);
            if begun || enforced || detail == Detail::All {
                lists(&mut out, profile, &rows);
            }
            let count = |of: fn(&State) -> bool| rows.iter().filter(|(_, state)| of(state)).count();
            let summary = if begun || enforced { &mut begun_last } else { &mut untouched };
            let _ = writeln!(
                summary,
                "{profile:<10}{:4} rows: {} shown, {} wait, {} lack a tier, {} without a test{}",
                rows.len(),
                count(|state| *state == State::Shown),
                count(|state| matches!(state, State::Waits(_))),
                count(|state| matches!(state, State::Lacks(_))),
                count(|state| *state == State::Bare),
                if enforced { " (enforced)" } else { "" },
            );
        }
        for (tier, wait) in &self.waiting.tiers {
            let _ = writeln!(out, "tier {tier} {}", wait.reason);
        }
        out + &untouched + &begun_last
    }
}

fn state(row: &Row, tests: &BTreeSet<Tier>, waiting: &Waiting) -> State {
    let wait = waiting.rows.get(&row.id);
    if let Some(wait) = wait
        && wait.tiers.is_empty()
    {
        return State::Waits(wait.reason.clone());
    }
    let row_waits = |tier: &Tier| wait.is_some_and(|wait| wait.tiers.contains(tier));
    let waits = |tier: &Tier| row_waits(tier) || waiting.tiers.contains_key(tier);
    if tests.is_empty() {
        let stands_in =
            |tier: &Tier| !row_waits(tier) && waiting.tiers.get(tier).is_some_and(|wait| wait.stand_in);
        let all_wait = !row.tiers.is_empty() && row.tiers.iter().all(|tier| waits(tier) && !stands_in(tier));
        return match row.tiers.first() {
            Some(first) if all_wait => {
                let reason =
                    wait.map_or_else(|| waiting.tiers[first].reason.clone(), |wait| wait.reason.clone());
                State::Waits(reason)
            }
            _ => State::Bare,
        };
    }
    let lacks: BTreeSet<Tier> =
        row.tiers.iter().filter(|tier| !tests.contains(tier) && !waits(tier)).copied().collect();
    if lacks.is_empty() { State::Shown } else { State::Lacks(lacks) }
}

/// Waits that are not true any more, or never were.
fn stale(rows: &[Row], tests: &BTreeMap<&str, BTreeSet<Tier>>, waiting: &Waiting) -> Vec<String> {
    let mut violations = Vec::new();
    let mut complain = |what: String| violations.push(format!("docs/spec/waiting.toml: {what}"));
    for tier in waiting.tiers.keys() {
        if let Some((id, _)) = tests.iter().find(|(_, tiers)| tiers.contains(tier)) {
            complain(format!(
                "tier {tier} waits, but a test shows {id} in it; take the tier out and list the rows that still wait"
            ));
        }
    }
    for (id, wait) in &waiting.rows {
        let Some(row) = rows.iter().find(|row| row.id == *id) else {
            complain(format!("there is no row {id}"));
            continue;
        };
        let has = tests.get(id.as_str());
        if wait.tiers.is_empty() && has.is_some() {
            complain(format!("row {id} waits, but a test shows it; take it out or name the tiers that wait"));
        }
        for tier in &wait.tiers {
            if has.is_some_and(|tiers| tiers.contains(tier)) {
                complain(format!("row {id} waits in {tier}, but a test shows it there; take {tier} out"));
            } else if !row.tiers.contains(tier) {
                complain(format!("row {id} waits in {tier}, which its Test column does not name"));
            } else if waiting.tiers.get(tier).is_some_and(|tier| !tier.stand_in) {
                complain(format!(
                    "row {id} waits in {tier}, which waits as a whole; take {tier} out of the row"
                ));
            }
        }
    }
    violations
}

fn lists(out: &mut String, profile: &str, rows: &[&(Row, State)]) {
    let bare: Vec<&str> =
        rows.iter().filter(|(_, state)| *state == State::Bare).map(|(row, _)| row.id.as_str()).collect();
    if !bare.is_empty() {
        let _ = writeln!(out, "{profile}: without a test: {}", bare.join(" "));
    }
    for (row, state) in rows {
        if let State::Lacks(tiers) = state {
            let _ = writeln!(out, "{profile}: {} has no test in {}", row.id, words(tiers));
        }
    }
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (row, state) in rows {
        if let State::Waits(reason) = state {
            reasons.entry(reason).or_default().push(&row.id);
        }
    }
    for (reason, ids) in reasons {
        let _ = writeln!(out, "{profile}: {reason}: {}", ids.join(" "));
    }
}

fn words(tiers: &BTreeSet<Tier>) -> String {
    tiers.iter().map(Tier::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::waiting;
    use super::*;

    fn row(id: &str, tiers: &[Tier]) -> Row {
        Row {
            id: id.to_owned(),
            profile: super::super::profile_of(id).unwrap(),
            tiers: tiers.iter().copied().collect(),
        }
    }

    fn test(id: &str, tiers: &[Tier]) -> Shown {
        let tiers = tiers.iter().copied().collect();
        Shown { place: "crates/a/src/lib.rs:1".to_owned(), ids: vec![id.to_owned()], tiers }
    }

    fn violations(rows: &[Row], tests: &[Shown], waiting: &str) -> Vec<String> {
        Coverage::new(rows.to_vec(), tests, waiting::parse(waiting).unwrap(), Vec::new()).violations()
    }

    const ENFORCED: &str = "enforced = [\"stateless\"]\n";

    #[test]
    fn an_enforced_profile_needs_a_test_in_every_tier() {
        let rows = [row("S-01", &[Tier::Unit, Tier::Xvfb]), row("S-02", &[]), row("M-01", &[Tier::Unit])];
        let whole = [test("S-01", &[Tier::Unit]), test("S-01", &[Tier::Xvfb]), test("S-02", &[Tier::Fake])];
        assert_eq!(violations(&rows, &whole, ENFORCED), Vec::<String>::new());
        // Negative controls: one tier short, one row short.
        assert_eq!(violations(&rows, &whole[..1], ENFORCED).len(), 2);
        assert_eq!(violations(&rows, &whole[..2], ENFORCED), ["stateless: row S-02 has no test"]);
        assert_eq!(violations(&rows, &whole[1..], ENFORCED), ["stateless: row S-01 has no test in UNIT"]);
        assert_eq!(violations(&rows, &[], "enforced = []"), Vec::<String>::new());
    }

    #[test]
    fn a_waiting_tier_excuses_only_itself() {
        let rows = [row("S-01", &[Tier::Xvfb, Tier::Wine]), row("S-03", &[Tier::Wine])];
        let waiting = format!("{ENFORCED}[tiers]\nWINE = \"waits\"");
        assert_eq!(violations(&rows, &[test("S-01", &[Tier::Xvfb])], &waiting), Vec::<String>::new());
        assert_eq!(violations(&rows, &[], &waiting), ["stateless: row S-01 has no test"]);
    }

    #[test]
    fn a_tier_with_a_stand_in_still_needs_some_test() {
        let rows = [row("S-04", &[Tier::Sim])];
        let waiting = format!("{ENFORCED}[tiers]\nSIM = {{ reason = \"waits\", stand_in = true }}");
        assert_eq!(violations(&rows, &[], &waiting), ["stateless: row S-04 has no test"]);
        assert_eq!(violations(&rows, &[test("S-04", &[Tier::Unit])], &waiting), Vec::<String>::new());
        let listed = format!("{waiting}\n[rows]\nS-04 = {{ tiers = [\"SIM\"], reason = \"waits\" }}");
        assert_eq!(violations(&rows, &[], &listed), Vec::<String>::new());
    }

    #[test]
    fn a_waiting_row_or_tier_is_excused() {
        let rows = [row("S-103", &[Tier::Sim]), row("S-02", &[Tier::Unit, Tier::Fake])];
        let waiting = format!(
            "{ENFORCED}[rows]\nS-103 = \"waits for OCR\"\nS-02 = {{ tiers = [\"UNIT\"], reason = \"waits\" }}"
        );
        assert_eq!(violations(&rows, &[test("S-02", &[Tier::Fake])], &waiting), Vec::<String>::new());
    }

    #[test]
    fn the_list_of_what_waits_cannot_rot() {
        let rows = [row("S-01", &[Tier::Unit, Tier::Wine])];
        let wine = [test("S-01", &[Tier::Wine])];
        for (waiting, error) in [
            ("[tiers]\nWINE = \"w\"", "tier WINE waits, but a test shows S-01"),
            ("[rows]\nS-01 = \"w\"", "row S-01 waits, but a test shows it"),
            (
                "[rows]\nS-01 = { tiers = [\"WINE\"], reason = \"w\" }",
                "waits in WINE, but a test shows it there",
            ),
            ("[rows]\nS-01 = { tiers = [\"FAKE\"], reason = \"w\" }", "its Test column does not name"),
            ("[rows]\nS-99 = \"w\"", "there is no row S-99"),
        ] {
            let found = violations(&rows, &wine, waiting);
            assert!(found.len() == 1 && found[0].contains(error), "{error}: {found:?}");
        }
        let twice = "[tiers]\nWINE = \"w\"\n[rows]\nS-01 = { tiers = [\"WINE\"], reason = \"w\" }";
        assert!(violations(&rows, &[], twice)[0].contains("waits as a whole"));
    }

    #[test]
    fn a_claim_for_a_row_that_is_not_there_is_an_error() {
        assert_eq!(
            violations(&[row("S-01", &[])], &[test("S-77", &[Tier::Unit])], ""),
            ["crates/a/src/lib.rs:1: docs/spec has no row S-77"]
        );
    }
}
