//! The tier `wine`: Windows test programs of the crates that stand on the OS, then the tests on this side that start
//! `handsight.exe`.
//!
//! Modules `wine_scaled_*` run at 144 DPI, everything else at 96. These wait for programs more than they work, so that three lines
//! of them run side by side, each with displays and prefixes of its own; a fourth made them late enough to fail on two cores.
//! Without Wine, mingw or a std for Windows it is skipped as one, or failed when `CI=true`.

use std::fs;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};

use super::cargo::Cargo;
use super::{Count, Group};
use crate::windows::{self, NEEDS, Rig, Std};
use crate::workspace::Workspace;

/// Those whose Windows half differs from their Linux half.
const PACKAGES: &[&str] =
    &["handsight-base", "handsight-store", "handsight-desktop", "handsight-testkit", "handsight-app"];

/// Compiles the tests of Windows ahead of their tier, if it can come to them; what is wrong with them is said there.
pub(super) fn build_ahead(workspace: &Workspace, cargo: &Cargo) {
    if let (true, Some(std)) = (NEEDS.iter().all(|(program, _)| windows::has(program)), Std::find()) {
        let _said_by_the_tier = cargo.for_windows(workspace, std, PACKAGES).build();
    }
}

pub(super) fn run(workspace: &Workspace, linux: &Cargo) -> Result<Count> {
    let lacking = |what: &str, remedy: &str| {
        println!("missing: {what}   {remedy}");
        Ok(if linux.ci { Count::FAILED } else { Count::SKIPPED })
    };
    if let Some((program, package)) = NEEDS.iter().find(|(program, _)| !windows::has(program)) {
        return lacking(program, &format!("apt-get install {package}"));
    }
    let Some(std) = Std::find() else {
        return lacking("a std for Windows", &Std::remedy());
    };

    let mut seconds = Instant::now();
    let mut lap = |what: &str| {
        println!("   {what}: {:.1} s", seconds.elapsed().as_secs_f64());
        seconds = Instant::now();
    };
    let mut build = linux.for_windows(workspace, std, PACKAGES);
    if build.build()? != Count::PASSED {
        bail!("not run: the Windows tests do not compile");
    }
    let exe = windows::exe(workspace, "dev");
    lap("cross-build");
    let (rig, other) = (Rig::start(workspace, "96")?, Rig::start(workspace, "144")?);
    let mut at_96 = build.with(rig.env(96)?);
    let exe = [
        ("HANDSIGHT_WINDOWS_EXE".into(), exe.into_os_string()),
        ("HANDSIGHT_WINE_PREFIX".into(), rig.template().as_os_str().to_owned()),
    ];
    let log = |line: &str| {
        let said = workspace.target_dir().join(format!("wine/{line}.log"));
        let _none_of_an_earlier_run = fs::remove_file(&said);
        said
    };
    let scaled_log = log("beside");
    let mut at_144 = build.with(other.env(144)?).beside(scaled_log.clone(), "beside");
    let mut kill = build.with(other.env(96)?).beside(scaled_log.clone(), "beside");
    let outside_log = log("outside");
    let mut outside = linux.with(exe).beside(outside_log.clone(), "outside");
    lap("displays and prefixes");
    let mut count = at_96.tests(None)?;
    lap("ordinary tests as Windows programs");

    let scaled = move || -> Result<Count> {
        let mut count = at_144.tests(Some(Group::WineScaled))?;
        count += kill.tests(Some(Group::WineKill))?;
        Ok(count)
    };
    // On Linux' side a test chooses its scale itself.
    let outside = move || -> Result<Count> {
        let mut count = Count::default();
        for group in [Group::Wine, Group::WineKill, Group::WineScaled] {
            count += outside.tests(Some(group))?;
        }
        Ok(count)
    };
    let counts = std::thread::scope(|scope| {
        let lines = [
            ("144 DPI, and deaths", scope.spawn(timed(scaled))),
            ("handsight.exe from outside", scope.spawn(timed(outside))),
        ];
        let here = timed(move || at_96.tests(Some(Group::Wine)))();
        let there = lines.map(|(name, line)| (name, line.join()));
        there.into_iter().chain([("96 DPI", Ok(here))]).collect::<Vec<_>>()
    });
    for log in [scaled_log, outside_log] {
        println!("{}", fs::read_to_string(log).unwrap_or_default());
    }
    for (name, line) in counts {
        let (line, seconds) = line.map_err(|_| anyhow!("the line `{name}` panicked"))?;
        println!("   {name}: {seconds:.1} s");
        count += line?;
    }
    Ok(count)
}

/// What it comes to, and the seconds it took.
fn timed(line: impl FnOnce() -> Result<Count>) -> impl FnOnce() -> (Result<Count>, f64) {
    move || {
        let start = Instant::now();
        let count = line();
        (count, start.elapsed().as_secs_f64())
    }
}
