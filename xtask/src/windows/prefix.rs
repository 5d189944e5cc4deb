//! Wine prefixes: one template, made once, and copies of it that take half a second.
//!
//! The files of Windows in a copy are hard links; its registry and its users' folders are its own. Nothing in a prefix
//! points at the person's home.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use super::{GCC, copy, quiet};
use crate::workspace::Workspace;

/// No Mono, no HTML engine, no menu entries: wineboot would ask for the first two and write the third.
pub(super) const OVERRIDES: &str = "mscoree=;mshtml=;winemenubuilder.exe=d";
const DESKTOP_KEY: &str = "[Control Panel\\\\Desktop]";

/// A fresh prefix for this version of Wine at 96 DPI, made if there is none yet.
pub(super) fn template(workspace: &Workspace) -> Result<PathBuf> {
    let version = Command::new("wine").arg("--version").env("WINEDEBUG", "-all").output();
    let version = version.context("wine cannot be run")?.stdout;
    let version = String::from_utf8_lossy(&version).trim().replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let dir = workspace.target_dir().join("wine");
    let ready = dir.join(format!("template-{version}"));
    if !ready.is_dir() {
        // Under another name until it is whole: a run that was stopped leaves no half template.
        let growing = dir.join(format!("growing-{}", std::process::id()));
        make(&growing).and_then(|()| Ok(fs::rename(&growing, &ready)?)).inspect_err(|_| {
            let _best_effort = fs::remove_dir_all(&growing);
        })?;
    }
    // The DLL may be newer than the template.
    build_dll(workspace, &ready.join("drive_c/windows/system32"))?;
    Ok(ready)
}

fn make(prefix: &Path) -> Result<()> {
    fs::create_dir_all(prefix)?;
    let wine = |program: &str, arg: &str| {
        let mut command = Command::new(program);
        command
            .arg(arg)
            .env("WINEPREFIX", prefix)
            .env("WINEDEBUG", "-all")
            .env("WINEDLLOVERRIDES", OVERRIDES);
        command.env_remove("DISPLAY").env_remove("WINEARCH").stdin(Stdio::null());
        // Not piped: what wineboot leaves running would hold the pipe open.
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        match status.with_context(|| format!("{program} cannot be run"))? {
            status if status.success() => Ok(()),
            status => bail!("{program} {arg}: {status}"),
        }
    };
    wine("wineboot", "--init")?;
    wine("wineserver", "-w")?;
    for user in fs::read_dir(prefix.join("drive_c/users"))? {
        for folder in fs::read_dir(user?.path())? {
            let folder = folder?.path();
            if folder.is_symlink() {
                fs::remove_file(&folder)?;
                fs::create_dir(&folder)?;
            }
        }
    }
    Ok(())
}

/// Copies the template to `to`, which must not exist.
pub(super) fn clone(template: &Path, to: &Path, dpi: u32) -> Result<()> {
    fs::create_dir_all(to.join("drive_c"))?;
    for entry in fs::read_dir(template)? {
        let path = entry?.path();
        if !path.ends_with("drive_c") {
            copy("-a", &path, to)?;
        }
    }
    for entry in fs::read_dir(template.join("drive_c"))? {
        let path = entry?.path();
        copy(if path.ends_with("users") { "-a" } else { "-al" }, &path, &to.join("drive_c"))?;
    }
    let file = to.join("user.reg");
    let registry = fs::read_to_string(&file)?;
    fs::write(&file, with_dpi(&registry, dpi)).context("the registry cannot be written")
}

/// `user.reg` with another scale.
fn with_dpi(registry: &str, dpi: u32) -> String {
    let setting = format!("\"LogPixels\"=dword:{dpi:08x}");
    let mut text = String::with_capacity(registry.len() + setting.len());
    for line in registry.lines().filter(|line| !line.starts_with("\"LogPixels\"=")) {
        text.push_str(line);
        text.push('\n');
        if line.starts_with(DESKTOP_KEY) {
            text.push_str(&setting);
            text.push('\n');
        }
    }
    if !text.contains(&setting) {
        text.push_str(&format!("\n{DESKTOP_KEY}\n{setting}\n"));
    }
    text
}

/// Builds the DLL that Wine lacks and Rust's std needs into `folder`.
pub(super) fn build_dll(workspace: &Workspace, folder: &Path) -> Result<()> {
    let source = workspace.root.join("crates/testkit/wine/bcryptprimitives.c");
    let dll = folder.join("bcryptprimitives.dll");
    let newer = |a: &Path, b: &Path| {
        Some(fs::metadata(a).ok()?.modified().ok()? > fs::metadata(b).ok()?.modified().ok()?)
    };
    if newer(&dll, &source) == Some(true) {
        return Ok(());
    }
    quiet(Command::new(GCC).args(["-shared", "-O2", "-s", "-o"]).arg(&dll).arg(&source).arg("-ladvapi32"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_set_once_where_windows_looks_for_it() {
        let bare = "WINE REGISTRY Version 2\n\n[Control Panel\\\\Desktop] 1700000000\n#time=1\n\"A\"=\"1\"\n";
        let set = with_dpi(bare, 144);
        assert!(
            set.contains("[Control Panel\\\\Desktop] 1700000000\n\"LogPixels\"=dword:00000090\n"),
            "{set}"
        );
        let back = with_dpi(&set, 96);
        assert!(back.contains("=dword:00000060") && back.matches("LogPixels").count() == 1, "{back}");
        assert!(with_dpi("", 96).contains("[Control Panel\\\\Desktop]\n\"LogPixels\""));
    }
}
