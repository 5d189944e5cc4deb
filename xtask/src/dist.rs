//! `cargo xtask dist`: a tarball for Linux and a zip for Windows of what is built already, with their SHA-256 sums.
//!
//! It builds nothing: the profile of each is an argument. The same files give the same bytes: sorted names, one time, no
//! owner. `--check` unpacks both elsewhere and starts both, the Windows one under Wine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::windows::{self, Rig};
use crate::workspace::Workspace;

/// The time of every file: 2026-01-01, or `SOURCE_DATE_EPOCH`.
const EPOCH: &str = "1767225600";
/// What goes with the program, from the root.
const PAPERS: [&str; 6] =
    ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "profiles", "examples"];
const MAN: &str = "docs/generated/man";
/// One task of the demo shows the whole engine at work.
const DEMO: [&str; 7] = ["demo", "--world", "desk", "--task", "compute", "--json", "--out"];

struct Args {
    linux: String,
    windows: String,
    check: bool,
}

/// `cargo xtask dist [--linux PROFILE] [--windows PROFILE] [--check]`; both profiles are `dist` if nothing is said.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<bool> {
    let args = read(args)?;
    let dir = workspace.target_dir().join("dist");
    let _may_not_be_there = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).with_context(|| format!("{} cannot be made", dir.display()))?;
    let version = version(workspace)?;
    let folder = if args.linux == "dev" { "debug" } else { &args.linux };
    let linux = workspace.target_dir().join(folder).join("handsight");
    let exe = windows::exe(workspace, &args.windows);
    let linux_name = format!("handsight-{version}-x86_64-linux");
    let windows_name = format!("handsight-{version}-x86_64-windows");

    let tarball = format!("{linux_name}.tar.gz");
    let zip = format!("{windows_name}.zip");
    stage(workspace, &dir.join(&linux_name), &linux, true)?;
    // -n: gzip notes neither name nor time.
    shell(
        &dir,
        "tar --sort=name --owner=0 --group=0 --numeric-owner --format=ustar -cf - -- \"$1\" | gzip -n9 > \"$2\"",
        &[&linux_name, &tarball],
    )?;
    stage(workspace, &dir.join(&windows_name), &exe, false)?;
    // -X: no owners and no other clocks; a zip's times are local, so the place is fixed too.
    shell(
        &dir,
        "find \"$1\" -type f | LC_ALL=C sort | TZ=UTC zip -q -X -6 \"$2\" -@",
        &[&windows_name, &zip],
    )?;
    for name in [&linux_name, &windows_name] {
        fs::remove_dir_all(dir.join(name))?;
    }
    shell(&dir, "sha256sum -- \"$1\" \"$2\" > SHA256SUMS && cat SHA256SUMS", &[&tarball, &zip])?;
    if args.check {
        check(workspace, &dir, (&tarball, &linux_name), (&zip, &windows_name))?;
    }
    Ok(true)
}

fn read(args: &[String]) -> Result<Args> {
    let mut read = Args { linux: "dist".into(), windows: "dist".into(), check: false };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match (arg.as_str(), args.as_slice().first()) {
            ("--check", _) => read.check = true,
            ("--linux", Some(profile)) => (read.linux, _) = (profile.clone(), args.next()),
            ("--windows", Some(profile)) => (read.windows, _) = (profile.clone(), args.next()),
            _ => bail!("cargo xtask dist [--linux PROFILE] [--windows PROFILE] [--check], not {arg:?}"),
        }
    }
    Ok(read)
}

fn version(workspace: &Workspace) -> Result<String> {
    let manifest: toml::Table = workspace.read("Cargo.toml")?.parse().context("Cargo.toml is not TOML")?;
    let package = manifest.get("workspace").and_then(|table| table.get("package"));
    let version = package.and_then(|table| table.get("version")).and_then(toml::Value::as_str);
    version.map(str::to_owned).context("Cargo.toml names no version")
}

/// Puts the program and its papers into `to`, all of one time.
fn stage(workspace: &Workspace, to: &Path, program: &Path, man: bool) -> Result<()> {
    if !program.is_file() {
        bail!(
            "{} is not built: cargo build --profile NAME, cargo xtask windows --profile NAME",
            program.display()
        );
    }
    fs::create_dir_all(to)?;
    let mut from: Vec<PathBuf> = PAPERS.iter().map(|paper| workspace.root.join(paper)).collect();
    from.push(program.to_owned());
    if man {
        from.push(workspace.root.join(MAN));
    }
    for path in from {
        windows::copy("-r", &path, to)?;
    }
    let epoch = std::env::var("SOURCE_DATE_EPOCH").unwrap_or_else(|_| EPOCH.to_owned());
    // The person's umask is not part of a release either.
    shell(to, "chmod -R u=rwX,go=rX . && find . -exec touch -h -d \"@$1\" {} +", &[&epoch])
}

/// Unpacks both with other people's programs, looks that each holds what it should, and starts both.
fn check(workspace: &Workspace, dir: &Path, linux: (&str, &str), windows: (&str, &str)) -> Result<()> {
    let at = dir.join("check");
    fs::create_dir_all(&at)?;
    shell(dir, "sha256sum --quiet -c SHA256SUMS", &[])?;
    shell(&at, "tar -xzf \"../$1\" && unzip -q \"../$2\"", &[linux.0, windows.0])?;
    for name in [linux.1, windows.1] {
        for paper in PAPERS {
            if !at.join(name).join(paper).exists() {
                bail!("{name} lacks {paper}");
            }
        }
    }
    let mut native = Command::new(at.join(linux.1).join("handsight"));
    native.env_clear().env("HOME", &at).current_dir(&at);
    started(native, linux.1, "linux")?;
    let rig = Rig::start(workspace, "dist")?;
    let mut wine = Command::new("wine");
    wine.arg(at.join(windows.1).join("handsight.exe")).envs(rig.env(96)?).current_dir(&at);
    started(wine, windows.1, "windows")?;
    drop(rig);
    fs::remove_dir_all(&at).context("the unpacked copies cannot be removed")
}

/// The program says its version and does one task of the demo.
fn started(program: Command, name: &str, out: &str) -> Result<()> {
    for args in [vec!["--version"], [&DEMO[..], &[out]].concat()] {
        let mut command = Command::new("timeout");
        command
            .args(["--kill-after=5", "120"])
            .arg(program.get_program())
            .args(program.get_args())
            .args(&args);
        // Nothing of the person's: what the program was given, or what Wine needs.
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        for (key, value) in program.get_envs() {
            if let Some(value) = value {
                command.env(key, value);
            }
        }
        if let Some(dir) = program.get_current_dir() {
            command.current_dir(dir);
        }
        let output = command.stdin(Stdio::null()).output().context("timeout cannot be run")?;
        let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let last = said.lines().last().unwrap_or_default();
        let expected = if args.len() == 1 { "handsight " } else { "{" };
        if !output.status.success() || !last.starts_with(expected) {
            bail!("{name} {args:?}: {}: {said}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
        }
        println!("{name}: {}", last.chars().take(120).collect::<String>());
    }
    Ok(())
}

/// Runs a line of the shell in `dir`, with `args` as its `$1`, `$2`...
fn shell(dir: &Path, line: &str, args: &[&str]) -> Result<()> {
    let status = Command::new("bash")
        .args(["-euo", "pipefail", "-c", line, "dist"])
        .args(args)
        .current_dir(dir)
        .status();
    match status.context("bash cannot be run")? {
        status if status.success() => Ok(()),
        status => bail!("{line}: {status}"),
    }
}
