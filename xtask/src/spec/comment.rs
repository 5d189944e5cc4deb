//! `// spec: S-09 S-10 UNIT` comments out of the sources.
//!
//! A comment counts only directly above a test: between it and `#[test]` may stand other comments and attributes.
//! Anywhere else it is an error, so a claim cannot outlive its test.

use std::collections::BTreeSet;

use super::{Tier, profile_of};
use crate::workspace::Source;

/// What one comment says: these rows, shown in these tiers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shown {
    /// `crates/pixel/src/scale.rs:120`
    pub(super) place: String,
    pub(super) ids: Vec<String>,
    pub(super) tiers: BTreeSet<Tier>,
}

pub(super) fn parse(source: &Source) -> (Vec<Shown>, Vec<String>) {
    let mut shown = Vec::new();
    let mut errors = Vec::new();
    let lines: Vec<&str> = source.text.lines().map(str::trim).collect();
    for (at, line) in lines.iter().enumerate() {
        let Some(claim) = claim(line) else { continue };
        let place = format!("{}:{}", source.path, at + 1);
        match read(claim) {
            Err(what) => errors.push(format!("{place}: {what}; write `// spec: S-09 S-10 UNIT XVFB`")),
            Ok(_) if !stands_above_a_test(&lines[at + 1..]) => {
                errors.push(format!(
                    "{place}: `// spec:` stands above no test; put it directly above `#[test]`"
                ));
            }
            Ok((ids, tiers)) => shown.push(Shown { place, ids, tiers }),
        }
    }
    (shown, errors)
}

/// What follows `spec:` in a comment line of any kind, so that `/// Spec:` is seen and refused, not overlooked.
fn claim(line: &str) -> Option<&str> {
    let comment = line.strip_prefix("//")?.trim_start_matches(['/', '!']).trim_start();
    let (word, claim) = comment.split_once(':')?;
    word.eq_ignore_ascii_case("spec").then_some(if line.starts_with("// spec:") { claim } else { "" })
}

fn read(claim: &str) -> Result<(Vec<String>, BTreeSet<Tier>), String> {
    let mut ids = Vec::new();
    let mut tiers = BTreeSet::new();
    for word in claim.split_whitespace() {
        if let Some(tier) = Tier::parse(word) {
            tiers.insert(tier);
        } else if profile_of(word).is_none() {
            return Err(format!("`{word}` is neither a row nor a tier"));
        } else if tiers.is_empty() {
            ids.push(word.to_owned());
        } else {
            return Err(format!("row {word} stands after the tiers; rows come first"));
        }
    }
    if ids.is_empty() || tiers.is_empty() {
        return Err("it names no row or no tier".to_owned());
    }
    Ok((ids, tiers))
}

fn stands_above_a_test(below: &[&str]) -> bool {
    for line in below {
        let test = ["#[test]", "#[tokio::test", "proptest! {", "proptest::proptest! {"];
        if test.iter().any(|start| line.starts_with(start)) {
            return true;
        }
        if !line.starts_with("//") && !line.starts_with("#[") {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_text(text: &str) -> (Vec<Shown>, Vec<String>) {
        parse(&Source::new("crates/a/src/lib.rs", text))
    }

    #[test]
    fn a_comment_names_rows_then_tiers() {
        let (shown, errors) = parse_text(
            "    // spec: S-09 MD-10 UNIT XVFB\n    // spec: S-11 UNIT\n    // why\n    #[cfg(unix)]\n    #[test]\n    fn a() {}",
        );
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(shown[0].place, "crates/a/src/lib.rs:1");
        assert_eq!(shown[0].ids, ["S-09", "MD-10"]);
        assert_eq!(shown[0].tiers, BTreeSet::from([Tier::Unit, Tier::Xvfb]));
        assert_eq!(shown[1].ids, ["S-11"]);
    }

    #[test]
    fn async_tests_and_properties_are_tests() {
        for below in ["#[tokio::test(start_paused = true)]", "proptest! {", "proptest::proptest! {"] {
            assert_eq!(parse_text(&format!("// spec: S-09 UNIT\n{below}")).0.len(), 1, "{below}");
        }
    }

    #[test]
    fn a_claim_without_a_test_or_without_sense_is_an_error() {
        for (text, error) in [
            ("// spec: S-09 UNIT\nfn helper() {}", "stands above no test"),
            ("// spec: S-09 UNIT\n\n#[test]", "stands above no test"),
            ("// spec: S-09 UNIT", "stands above no test"),
            ("// spec: S-09 UNIT\n// #[test]\nfn off() {}", "stands above no test"),
            ("// spec: S-09\n#[test]", "no row or no tier"),
            ("// spec: UNIT\n#[test]", "no row or no tier"),
            ("// spec: S-9 UNIT\n#[test]", "`S-9` is neither"),
            ("// spec: S-09 LINUX\n#[test]", "`LINUX` is neither"),
            ("// spec: S-09 UNIT S-10\n#[test]", "rows come first"),
            ("/// spec: S-09 UNIT\n#[test]", "no row or no tier"),
            ("//spec: S-09 UNIT\n#[test]", "no row or no tier"),
            ("// Spec: S-09 UNIT\n#[test]", "no row or no tier"),
        ] {
            let (shown, errors) = parse_text(text);
            assert!(shown.is_empty(), "{text}");
            assert!(errors.len() == 1 && errors[0].contains(error), "{text}: {errors:?}");
        }
    }
}
