//! `cargo xtask windows` builds `handsight.exe` on Linux; `cargo xtask wine COMMAND` runs a command that finds a Wine
//! prefix, a display and a runner for Windows programs.
//!
//! Windows programs are built for `x86_64-pc-windows-gnu` with mingw's linker into a target folder of their own. What
//! is done here is set in the child's environment only: a person's cargo settings and prefix stay as they are.

mod prefix;
mod rig;
mod std_source;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::workspace::Workspace;
pub(crate) use rig::Rig;
pub(crate) use std_source::Std;

pub(crate) const TRIPLE: &str = "x86_64-pc-windows-gnu";
const GCC: &str = "x86_64-w64-mingw32-gcc";
/// What the Wine tier cannot be without, and the Debian package of each.
pub(crate) const NEEDS: [(&str, &str); 4] =
    [("wine", "wine wine64"), (GCC, "gcc-mingw-w64-x86-64"), ("Xvfb", "xvfb"), ("openbox", "openbox")];

/// Where Windows programs are built, apart from those of Linux.
pub(crate) fn target_dir(workspace: &Workspace) -> PathBuf {
    workspace.target_dir().join("windows")
}

/// Arguments that make cargo build for Windows.
pub(crate) fn target_args(workspace: &Workspace) -> Vec<OsString> {
    let dir = target_dir(workspace).into_os_string();
    vec!["--target".into(), TRIPLE.into(), "--target-dir".into(), dir]
}

/// `cargo xtask windows [--std | --profile NAME]`.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<bool> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let profile = match args.as_slice() {
        ["--std"] => {
            println!("windows std: {}", Std::find_or_add()?.name());
            return Ok(true);
        }
        [] => "dev",
        ["--profile", profile] => profile,
        _ => bail!("cargo xtask windows [--std | --profile NAME]"),
    };
    let exe = build(workspace, &Std::find_or_add()?, profile)?;
    // Beside the exe it also starts in a prefix that nobody prepared.
    prefix::build_dll(workspace, exe.parent().context("a folder")?)?;
    println!("{}", exe.display());
    Ok(true)
}

/// Builds `handsight.exe` and the tests' `win32-witness.exe`; the path of the first.
pub(crate) fn build(workspace: &Workspace, std: &Std, profile: &str) -> Result<PathBuf> {
    let mut cargo = std.cargo();
    cargo.current_dir(&workspace.root).args(["build", "--bins", "--profile", profile]);
    // The witness lies beside it, where tests look for it.
    cargo.args(["--package", "handsight-app", "--package", "handsight-testkit"]);
    cargo.args(target_args(workspace));
    if !cargo.status().context("cargo cannot be run")?.success() {
        bail!("the Windows programs do not build");
    }
    Ok(exe(workspace, profile))
}

/// Where cargo puts `handsight.exe` of a profile.
pub(crate) fn exe(workspace: &Workspace, profile: &str) -> PathBuf {
    let folder = if profile == "dev" { "debug" } else { profile };
    target_dir(workspace).join(TRIPLE).join(folder).join("handsight.exe")
}

/// `cargo xtask wine [--scaled] COMMAND...`: the command's own verdict.
pub(crate) fn wine(workspace: &Workspace, args: &[String]) -> Result<bool> {
    let scaled = args.first().is_some_and(|arg| arg == "--scaled");
    let Some((program, rest)) = args[usize::from(scaled)..].split_first() else {
        bail!("cargo xtask wine [--scaled] COMMAND...");
    };
    let rig = Rig::start(workspace, "command")?;
    let mut command = Command::new(program);
    command.args(rest).envs(rig.env(if scaled { 144 } else { 96 })?);
    if let Some(std) = Std::find() {
        command.envs(std.env());
    }
    command.env("HANDSIGHT_WINDOWS_EXE", exe(workspace, "dev"));
    command.env("HANDSIGHT_WINE_PREFIX", rig.template());
    Ok(command.status().with_context(|| format!("{program} cannot be run"))?.success())
}

/// Whether a program lies in the `PATH`.
pub(crate) fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// Runs a tool to its end, silent unless it fails.
fn quiet(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{name} cannot be run"))?;
    if !output.status.success() {
        bail!("{name}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

pub(crate) fn copy(flags: &str, from: &Path, to: &Path) -> Result<()> {
    quiet(Command::new("cp").arg(flags).arg("--").arg(from).arg(to))
}
