//! Crates under `examples/` that are no members of the workspace: what an outsider builds on ours, held to the same tests.
//!
//! They build into the workspace's target folder, so that only what they have for themselves and our own crates (which cargo tells
//! apart by where their workspace lies) is compiled once more. It refuses to change their lock files by hand: what has to be done is said.

use std::fs;

use anyhow::{Context as _, Result};

use super::Count;
use super::cargo::Cargo;
use crate::workspace::Workspace;

/// Most of these tests wait for a program or for time to pass.
const THREADS: &str = "--test-threads=4";

pub(super) fn fmt(workspace: &Workspace, cargo: &Cargo) -> Result<Count> {
    each(workspace, |manifest| cargo.tool("rustfmt", &["fmt", "--manifest-path", manifest, "--check"]))
}

pub(super) fn clippy(workspace: &Workspace, cargo: &Cargo) -> Result<Count> {
    let cargo = in_our_folder(workspace, cargo);
    each(workspace, |manifest| {
        let args = ["clippy", "--manifest-path", manifest, "--all-targets", "--", "-D", "warnings"];
        cargo.tool("clippy", &args)
    })
}

pub(super) fn tests(workspace: &Workspace, cargo: &Cargo) -> Result<Count> {
    let cargo = in_our_folder(workspace, cargo);
    each(workspace, |manifest| {
        let args = ["test", "--manifest-path", manifest, "--no-fail-fast", "--", "--show-output", THREADS];
        cargo.counted(&args)
    })
}

/// Compiles them; whatever is wrong is said when they run.
pub(super) fn build_ahead(workspace: &Workspace, cargo: &Cargo) {
    let cargo = in_our_folder(workspace, cargo);
    let _told_later = each(workspace, |manifest| {
        cargo.run(&["test", "--manifest-path", manifest, "--no-run"]).map(|_| Count::PASSED)
    });
}

fn in_our_folder(workspace: &Workspace, cargo: &Cargo) -> Cargo {
    cargo.with_default("CARGO_TARGET_DIR", workspace.target_dir())
}

fn each(workspace: &Workspace, mut what: impl FnMut(&str) -> Result<Count>) -> Result<Count> {
    let mut count = Count::default();
    for folder in folders(workspace)? {
        count += what(&format!("{folder}/Cargo.toml"))?;
    }
    Ok(count)
}

/// `examples/backend`, for each that has a `Cargo.toml`, sorted.
fn folders(workspace: &Workspace) -> Result<Vec<String>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(workspace.root.join("examples")).context("examples/ cannot be read")? {
        let entry = entry?;
        if entry.path().join("Cargo.toml").is_file() {
            folders.push(format!("examples/{}", entry.file_name().to_string_lossy()));
        }
    }
    folders.sort();
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};
    use toml::{Table, Value};

    fn table(workspace: &Workspace, path: &str) -> Table {
        workspace.read(path).unwrap().parse().unwrap()
    }

    /// Versions by name.
    fn locked(lock: &Table) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for package in lock["package"].as_array().unwrap() {
            let text = |key: &str| package[key].as_str().unwrap();
            versions.entry(text("name")).or_default().insert(text("version"));
        }
        versions
    }

    /// What differs in a version or in a setting is compiled for each of the two.
    #[test]
    fn what_is_compiled_for_the_workspace_serves_the_examples_too() {
        let workspace = Workspace::find().unwrap();
        let (manifest, lock) = (table(&workspace, "Cargo.toml"), table(&workspace, "Cargo.lock"));
        let ours = locked(&lock);
        let members = workspace.crates().unwrap();
        let folders = folders(&workspace).unwrap();
        assert!(folders.contains(&"examples/backend".to_owned()), "{folders:?}");
        for folder in folders {
            let lock = table(&workspace, &format!("{folder}/Cargo.lock"));
            for (name, versions) in locked(&lock) {
                let Some(ours) = ours.get(name) else { continue };
                assert!(
                    versions.is_subset(ours),
                    "{folder}: {name} is {versions:?} there and {ours:?} here; there: cargo update {name} --precise VERSION"
                );
            }
            let own = table(&workspace, &format!("{folder}/Cargo.toml"));
            let dev = |table: &Table| table["profile"]["dev"].as_table().unwrap().clone();
            let (own, ours) = (dev(&own), dev(&manifest));
            assert_eq!(own.get("debug"), ours.get("debug"), "{folder}: [profile.dev]");
            let packages = |table: &Table| table["package"].as_table().unwrap().clone();
            let (own, ours) = (packages(&own), packages(&ours));
            let there = locked(&lock);
            for (name, settings) in &ours {
                let folder_of_ours = name.strip_prefix("handsight-").unwrap_or(name);
                let both = name == "*" || there.contains_key(name.as_str());
                let is_ours = members.iter().any(|m| m == folder_of_ours) && name.starts_with("handsight-");
                assert!(
                    !both || is_ours || own.get(name) == Some(settings),
                    "{folder}: [profile.dev.package.{name}] is {:?} there and {settings} here",
                    own.get(name).map(Value::to_string)
                );
            }
        }
    }
}
