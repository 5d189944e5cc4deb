//! The tier `wine`: Windows test programs of the crates that stand on the OS, then the tests on this side that start
//! `handsight.exe`.
//!
//! Modules `wine_scaled_*` run at 144 DPI, everything else at 96. These wait for programs more than they work, so that two lines
//! of them run side by side, each with a display and prefixes of its own, and [`Aside`] a third that needs neither. Without Wine,
//! mingw or a std for Windows it is skipped as one, or failed when `CI=true`.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};

use super::cargo::Cargo;
use super::{Count, Group};
use crate::windows::{self, NEEDS, Rig, Std};
use crate::workspace::Workspace;

/// Those whose Windows half differs from their Linux half.
const PACKAGES: &[&str] =
    &["handsight-base", "handsight-store", "handsight-desktop", "handsight-testkit", "handsight-app"];

/// Another tier's tests, which wait for servers and leave the machine to others meanwhile.
pub(super) struct Aside {
    group: Group,
    cargo: Cargo,
    said: PathBuf,
    /// What came of them and the seconds they took, once they ran.
    pub(super) ran: Option<(Result<Count>, f64)>,
}

impl Aside {
    pub(super) fn new(workspace: &Workspace, cargo: &Cargo, group: Group, profile: &'static str) -> Self {
        let said = workspace.target_dir().join(format!("{profile}.log"));
        let _none_of_an_earlier_run = fs::remove_file(&said);
        Self { group, cargo: cargo.beside(said.clone(), profile), said, ran: None }
    }

    pub(super) fn run(&mut self) {
        let start = Instant::now();
        let count = self.cargo.tests(Some(self.group));
        self.ran = Some((count, start.elapsed().as_secs_f64()));
    }

    /// What they printed.
    pub(super) fn said(&self) -> String {
        fs::read_to_string(&self.said).unwrap_or_default()
    }
}

/// Compiles the tests of Windows ahead of their tier, if it can come to them; what is wrong with them is said there.
pub(super) fn build_ahead(workspace: &Workspace, cargo: &Cargo) {
    if let (true, Some(std)) = (NEEDS.iter().all(|(program, _)| windows::has(program)), Std::find()) {
        let _said_by_the_tier = cargo.for_windows(workspace, std, PACKAGES).build();
    }
}

/// With `aside` beside its own tests, if it comes to these.
pub(super) fn run(workspace: &Workspace, linux: &mut Cargo, aside: Option<&mut Aside>) -> Result<Count> {
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
    let mut build = linux.for_windows(workspace, std, PACKAGES);
    if build.build()? != Count::PASSED {
        bail!("not run: the Windows tests do not compile");
    }
    let exe = windows::exe(workspace, "dev");
    lap("cross-build");
    let (rig, other) = (Rig::start(workspace, "96")?, Rig::start(workspace, "144")?);
    let mut at_96 = build.with(rig.env(96)?);
    let said = workspace.target_dir().join("wine/beside.log");
    let _none_of_an_earlier_run = fs::remove_file(&said);
    let mut at_144 = build.with(other.env(144)?).beside(said.clone(), "beside");
    let exe = [
        ("HANDSIGHT_WINDOWS_EXE".into(), exe.into_os_string()),
        ("HANDSIGHT_WINE_PREFIX".into(), rig.template().as_os_str().to_owned()),
    ];
    let mut linux = linux.with(exe).beside(said.clone(), "beside");
    lap("displays and prefixes");
    let mut count = at_96.tests(None)?;
    lap("ordinary tests as Windows programs");
    // On Linux' side a test chooses its scale itself.
    let beside = move || -> Result<Count> {
        let mut count = at_144.tests(Some(Group::WineScaled))?;
        count += linux.tests(Some(Group::Wine))?;
        count += linux.tests(Some(Group::WineScaled))?;
        Ok(count)
    };
    let (here, there) = std::thread::scope(|scope| {
        let beside = scope.spawn(beside);
        if let Some(aside) = aside {
            scope.spawn(|| aside.run());
        }
        (at_96.tests(Some(Group::Wine)), beside.join())
    });
    println!("{}", fs::read_to_string(&said).unwrap_or_default());
    count += here?;
    count += there.map_err(|_| anyhow!("the line beside panicked"))??;
    lap("96 DPI, and beside it 144 DPI and handsight.exe from outside");
    Ok(count)
}
