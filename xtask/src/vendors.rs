//! `cargo xtask vendors`: the packages of the models' vendors, in a Python of their own below the target folder.
//!
//! `crates/testkit/vendors/requirements.txt` says which, with their versions. What is installed is remembered as a copy of that
//! file, so that a second call does nothing and a changed list is installed anew from nothing. Nothing outside the target folder
//! is written; pip's own cache aside.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::workspace::Workspace;

const LIST: &str = "crates/testkit/vendors/requirements.txt";

/// Where tests look for `bin/python`.
fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target_dir().join("vendors")
}

/// Whether exactly what the list says is there.
pub(crate) fn is_installed(workspace: &Workspace) -> Result<bool> {
    let there = fs::read_to_string(folder(workspace).join("installed.txt")).unwrap_or_default();
    Ok(there == workspace.read(LIST)?)
}

pub(crate) fn install(workspace: &Workspace) -> Result<bool> {
    let folder = folder(workspace);
    if is_installed(workspace)? {
        println!("vendors: all there");
        return Ok(true);
    }
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv", "--clear"]).arg(&folder);
    if !venv.status().is_ok_and(|status| status.success()) {
        bail!("no Python for packages of its own: apt-get install python3-venv");
    }
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args([
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
        "--no-deps",
        "--only-binary",
        ":all:",
    ]);
    pip.arg("--requirement").arg(workspace.root.join(LIST));
    if !pip.status().context("pip cannot be run")?.success() {
        bail!("pip could not install {LIST}");
    }
    fs::write(folder.join("installed.txt"), workspace.read(LIST)?).context("target/ cannot be written")?;
    println!("vendors: installed in {}", folder.display());
    Ok(true)
}
