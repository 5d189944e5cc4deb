//! `cargo xtask spec`: which rows of `docs/spec/*.md` a test shows, and in which tiers.
//!
//! A row says in its Test column how it is to be shown; a test says `// spec: S-30 XVFB` above its `#[test]`. This
//! joins the two with `docs/spec/waiting.toml`, the list of what has to wait and why. It trusts the tier a comment
//! names: that a FAKE test is no XVFB test is for the reader of the test to see.

mod comment;
mod coverage;
mod table;
mod waiting;

use std::fmt;

use anyhow::{Context as _, Result};

use crate::workspace::Workspace;
use coverage::Coverage;

const FOLDER: &str = "docs/spec";

/// Where a test plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Tier {
    Unit,
    Fake,
    Sim,
    Xvfb,
    Wine,
    Vnc,
    Replay,
}

impl Tier {
    const ALL: [(Self, &'static str); 7] = [
        (Self::Unit, "UNIT"),
        (Self::Fake, "FAKE"),
        (Self::Sim, "SIM"),
        (Self::Xvfb, "XVFB"),
        (Self::Wine, "WINE"),
        (Self::Vnc, "VNC"),
        (Self::Replay, "REPLAY"),
    ];

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, name)| *name == word).map(|(tier, _)| *tier)
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(tier, _)| tier == self).map_or("?", |(_, name)| name);
        f.write_str(name)
    }
}

/// Row prefix and profile (also the file's name).
const PROFILES: [(&str, &str); 6] = [
    ("S", "stateless"),
    ("D", "assist"),
    ("C", "curator"),
    ("M", "musume"),
    ("MD", "musume"),
    ("A", "arena"),
];

/// The profile of a row id (`S-30`), if it is one.
fn profile_of(id: &str) -> Option<&'static str> {
    let (prefix, number) = id.split_once('-')?;
    let digits = (2..=3).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    PROFILES.iter().find(|(known, _)| digits && *known == prefix).map(|(_, profile)| *profile)
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Detail {
    /// Lists of the profiles that have tests.
    Short,
    /// Lists of all profiles.
    All,
}

/// Prints the coverage and gives what must be mended: wrong comments, stale waits, holes in enforced profiles.
pub(crate) fn run(workspace: &Workspace, detail: Detail) -> Result<Vec<String>> {
    let coverage = load(workspace)?;
    print!("{}", coverage.report(detail));
    Ok(coverage.violations())
}

pub(crate) fn load(workspace: &Workspace) -> Result<Coverage> {
    let mut violations = Vec::new();
    let mut rows = Vec::new();
    let mut profiles: Vec<&str> = PROFILES.iter().map(|(_, profile)| *profile).collect();
    profiles.dedup();
    for profile in profiles {
        let path = format!("{FOLDER}/{profile}.md");
        let (found, errors) = table::parse(&path, profile, &workspace.read(&path)?);
        rows.extend(found);
        violations.extend(errors);
    }
    let mut shown = Vec::new();
    for source in workspace.sources(&["crates"])? {
        let (found, errors) = comment::parse(&source);
        shown.extend(found);
        violations.extend(errors);
    }
    let path = format!("{FOLDER}/waiting.toml");
    let waiting = waiting::parse(&workspace.read(&path)?).with_context(|| path)?;
    Ok(Coverage::new(rows, &shown, waiting, violations))
}
