//! `docs/spec/waiting.toml`: which profiles must be complete, and what in them has to wait, with the reason.
//!
//! ```toml
//! enforced = ["stateless"]
//!
//! [tiers]
//! WINE = "waits for the Windows backend"
//! SIM = { reason = "waits for the simulated worlds", stand_in = true }
//!
//! [rows]
//! S-103 = "waits for OCR"
//! S-02 = { tiers = ["UNIT"], reason = "waits for the Windows backend" }
//! ```
//!
//! Unknown keys, rows and tiers are refused: a misspelt entry would excuse nothing and nobody would see it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail, ensure};
use toml::{Table, Value};

use super::{PROFILES, Tier, profile_of};

#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) enforced: BTreeSet<String>,
    pub(super) tiers: BTreeMap<Tier, TierWait>,
    pub(super) rows: BTreeMap<String, RowWait>,
}

/// A whole tier has to wait: no test can be of it yet.
#[derive(Debug)]
pub(super) struct TierWait {
    pub(super) reason: String,
    /// Meanwhile a row that names this tier needs a test of some other tier.
    pub(super) stand_in: bool,
}

#[derive(Debug)]
pub(super) struct RowWait {
    pub(super) reason: String,
    /// The tiers that wait; none means the whole row.
    pub(super) tiers: BTreeSet<Tier>,
}

pub(super) fn parse(text: &str) -> Result<Waiting> {
    let file: Table = text.parse().context("it is not TOML")?;
    let mut waiting = Waiting::default();
    for (key, value) in &file {
        match key.as_str() {
            "enforced" => {
                for profile in words(value).context("enforced")? {
                    let known = PROFILES.iter().any(|(_, known)| *known == profile);
                    ensure!(known, "enforced: `{profile}` is no profile");
                    waiting.enforced.insert(profile);
                }
            }
            "tiers" => {
                for (word, value) in table(value).context("tiers")? {
                    let Some(tier) = Tier::parse(word) else { bail!("tiers: `{word}` is no tier") };
                    waiting.tiers.insert(tier, tier_wait(value).with_context(|| format!("tiers.{word}"))?);
                }
            }
            "rows" => {
                for (id, value) in table(value).context("rows")? {
                    ensure!(profile_of(id).is_some(), "rows: `{id}` is no row id");
                    waiting.rows.insert(id.clone(), row_wait(value).with_context(|| format!("rows.{id}"))?);
                }
            }
            _ => bail!("`{key}` is none of enforced, tiers, rows"),
        }
    }
    Ok(waiting)
}

fn tier_wait(value: &Value) -> Result<TierWait> {
    let (reason, rest) = reason(value)?;
    let stand_in = match rest.iter().next() {
        None => false,
        Some((key, value)) if rest.len() == 1 && key == "stand_in" => {
            value.as_bool().context("stand_in is a bool")?
        }
        Some(_) => bail!("only `reason` and `stand_in` can stand here"),
    };
    Ok(TierWait { reason, stand_in })
}

fn row_wait(value: &Value) -> Result<RowWait> {
    let (reason, rest) = reason(value)?;
    let mut tiers = BTreeSet::new();
    for (key, value) in &rest {
        ensure!(key == "tiers", "only `reason` and `tiers` can stand here");
        for word in words(value)? {
            tiers.insert(Tier::parse(&word).with_context(|| format!("`{word}` is no tier"))?);
        }
    }
    Ok(RowWait { reason, tiers })
}

/// The reason, and what else the entry says.
fn reason(value: &Value) -> Result<(String, Table)> {
    let (reason, rest) = match value {
        Value::String(reason) => (reason.clone(), Table::new()),
        _ => {
            let mut rest = table(value)?.clone();
            let reason = rest.remove("reason").context("an entry needs a `reason`")?;
            (reason.as_str().context("reason is a string")?.to_owned(), rest)
        }
    };
    ensure!(!reason.trim().is_empty(), "the reason is empty");
    Ok((reason, rest))
}

fn table(value: &Value) -> Result<&Table> {
    value.as_table().context("it is not a table")
}

fn words(value: &Value) -> Result<Vec<String>> {
    let list = value.as_array().context("it is not a list")?;
    list.iter().map(|word| word.as_str().map(str::to_owned).context("it is not a list of strings")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_an_entry_are_read() {
        let waiting = parse(
            "enforced = [\"stateless\"]\n[tiers]\nWINE = \"waits\"\nSIM = { reason = \"waits\", stand_in = true }\n\
             [rows]\nS-103 = \"waits for OCR\"\nS-02 = { tiers = [\"UNIT\"], reason = \"waits\" }",
        )
        .unwrap();
        assert!(waiting.enforced.contains("stateless"));
        assert!(!waiting.tiers[&Tier::Wine].stand_in && waiting.tiers[&Tier::Sim].stand_in);
        assert_eq!(waiting.rows["S-103"].reason, "waits for OCR");
        assert_eq!(waiting.rows["S-02"].tiers, BTreeSet::from([Tier::Unit]));
    }

    #[test]
    fn what_it_does_not_know_it_refuses() {
        for text in [
            "enforce = []",
            "enforced = [\"stateles\"]",
            "[tiers]\nWIN = \"x\"",
            "[tiers]\nWINE = \"\"",
            "[tiers]\nWINE = { stand_in = true }",
            "[tiers]\nWINE = { reason = \"x\", standin = true }",
            "[rows]\nS-1 = \"x\"",
            "[rows]\nS-01 = { reason = \"x\", tiers = [\"LINUX\"] }",
            "[rows]\nS-01 = { reason = \"x\", tier = [\"WINE\"] }",
            "[rows]\nS-01 = 3",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
