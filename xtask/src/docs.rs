//! `cargo xtask docs`: writes what is generated from the program's own lists, so that no page repeats them by hand.
//!
//! The program generates (`handsight generate man|completions|reference DIR`, a hidden subcommand); this only says where to. A test
//! of the program holds these pages against it. Completions are large and for packages, which make them themselves.

use std::process::Command;

use anyhow::{Context as _, Result};

use crate::workspace::Workspace;

/// True when everything was written.
pub(crate) fn run(workspace: &Workspace) -> Result<bool> {
    let mut all = true;
    for (what, dir) in [("man", "docs/generated/man"), ("reference", "docs/generated")] {
        std::fs::create_dir_all(workspace.root.join(dir)).with_context(|| format!("{dir} cannot be made"))?;
        let status = Command::new("cargo")
            .current_dir(&workspace.root)
            .args(["run", "--quiet", "--package", "handsight-app", "--", "generate", what, dir])
            .status()
            .context("cargo cannot be run")?;
        if status.success() {
            println!("{dir}: written");
        } else {
            println!("{dir}: `handsight generate {what}` failed");
            all = false;
        }
    }
    Ok(all)
}
