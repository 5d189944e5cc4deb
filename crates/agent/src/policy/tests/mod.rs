//! The rules by a table of what models may try, and by properties.

mod properties;

use super::case::{Case, Verdict};
use super::*;
use crate::profile::{Aliases, set_layer};
use std::collections::HashMap;

/// One action a line, with the settings it is judged by and what the policy has to say.
const BYPASSES: &str = include_str!("../../../tests/data/bypasses.jsonl");

fn stateless(set: &[&str]) -> Profile {
    let aliases = Aliases::of("stateless", &[]).unwrap();
    let layers: Vec<_> = set.iter().map(|s| set_layer(&aliases, s).unwrap()).collect();
    Profile::resolve("stateless", &layers).unwrap()
}

/// spec R16: 200 ways round a list at the least, none of which works, and what people do, which all does.
#[test]
fn every_row_of_the_table_gets_its_verdict() {
    let profile = stateless(&[]);
    let mut settled: HashMap<Vec<String>, Profile> = HashMap::new();
    let (mut wrong, mut refused, mut benign) = (Vec::new(), 0, 0);
    for (n, line) in BYPASSES.lines().enumerate() {
        let case = Case::read(line).unwrap_or_else(|e| panic!("line {}: {e}: {line}", n + 1));
        let set = settled.entry(case.set.clone());
        let set =
            set.or_insert_with(|| case.settled(&profile).unwrap_or_else(|e| panic!("line {}: {e}", n + 1)));
        let explained = case.explain_as_set(set).unwrap_or_else(|e| panic!("line {}: {e}: {line}", n + 1));
        let expected = case.expect.unwrap();
        match expected {
            Verdict::Refused => refused += 1,
            Verdict::Allowed => benign += 1,
            Verdict::Asked => {}
        }
        if explained.verdict != expected {
            wrong.push(format!("line {}: {line}\n    {explained:?}", n + 1));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused >= 200, "{refused}");
    assert!(benign >= 80, "{benign}");
}

/// The page for people has each rule with its settings, and the list has the rules of a gate.
#[test]
fn every_rule_of_a_gate_is_in_the_list_and_on_the_page() {
    let page = include_str!("../../../../../docs/policy.md");
    for rule in RULES {
        let settings = rule.settings.iter().map(|s| format!("`{s}`")).collect::<Vec<_>>().join(", ");
        let row = format!("| `{}` | {} | {settings} |", rule.name, rule.about);
        assert!(page.contains(&row), "docs/policy.md has no row {row}");
    }
    let gate = gate(&stateless(&[])).unwrap();
    let listed: Vec<&str> = RULES.iter().map(|r| r.name).collect();
    assert_eq!(gate.rules().collect::<Vec<_>>(), listed);
    let aliases = Aliases::of("stateless", &[]).unwrap();
    for setting in RULES.iter().flat_map(|r| r.settings) {
        // A key that there is not is told as one.
        set_layer(&aliases, &format!("{setting}=x")).unwrap_or_else(|e| panic!("{e}"));
    }
}
