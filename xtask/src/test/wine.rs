//! The tier `wine`: Windows test programs of the crates that stand on the OS, then the tests on this side that start
//! `handsight.exe`.
//!
//! Modules `wine_scaled_*` run at 144 DPI, everything else at 96. Without Wine, mingw or a std for Windows it is
//! skipped as one, or failed when `CI=true`.

use std::time::Instant;

use anyhow::{Result, bail};

use super::cargo::Cargo;
use super::{Count, Group};
use crate::windows::{self, NEEDS, Rig, Std};
use crate::workspace::Workspace;

/// Those whose Windows half differs from their Linux half.
const PACKAGES: &[&str] =
    &["handsight-base", "handsight-store", "handsight-desktop", "handsight-testkit", "handsight-app"];

pub(super) fn run(workspace: &Workspace, linux: &mut Cargo) -> Result<Count> {
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

    let start = Instant::now();
    let mut seconds = start;
    let mut lap = |what: &str| {
        println!("   {what}: {:.1} s", seconds.elapsed().as_secs_f64());
        seconds = Instant::now();
    };
    let exe = windows::build(workspace, &std, "dev")?;
    let mut build = linux.for_windows(workspace, std, PACKAGES);
    if build.build()? != Count::PASSED {
        bail!("not run: the Windows tests do not compile");
    }
    lap("cross-build");
    let rig = Rig::start(workspace)?;
    let mut at_96 = build.with(rig.env(96)?);
    lap("display and prefix");
    let mut count = at_96.tests(None)?;
    lap("ordinary tests as Windows programs");
    count += at_96.tests(Some(Group::Wine))?;
    lap("96 DPI");
    count += build.with(rig.env(144)?).tests(Some(Group::WineScaled))?;
    lap("144 DPI");
    let exe = [
        ("HANDSIGHT_WINDOWS_EXE".into(), exe.into_os_string()),
        ("HANDSIGHT_WINE_PREFIX".into(), rig.template().as_os_str().to_owned()),
    ];
    let mut linux = linux.with(exe);
    // On this side a test chooses its scale itself.
    count += linux.tests(Some(Group::Wine))?;
    count += linux.tests(Some(Group::WineScaled))?;
    lap("handsight.exe from outside");
    Ok(count)
}
