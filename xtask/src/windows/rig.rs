//! What Windows test programs run in: one X server with a window manager, and a Wine prefix for each scale.
//!
//! All of it is ours alone and ends with the guard, by pid and by prefix, also when a tier fails.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::{NEEDS, has, prefix};
use crate::workspace::Workspace;

const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Rig {
    template: PathBuf,
    /// Prefixes lie in it, one for each scale; removed in the end.
    dir: PathBuf,
    display: String,
    // Ended in this order.
    openbox: Child,
    xvfb: Child,
}

impl Rig {
    /// `name` tells it from others of this process.
    pub(crate) fn start(workspace: &Workspace, name: &str) -> Result<Self> {
        for (program, package) in NEEDS {
            if !has(program) {
                bail!("missing: {program}   apt-get install {package}");
            }
        }
        let template = prefix::template(workspace)?;
        let dir = workspace.target_dir().join("wine").join(format!("run-{}-{name}", std::process::id()));
        fs::create_dir_all(&dir).with_context(|| format!("{} cannot be made", dir.display()))?;
        // -noreset: a server that resets when its last client leaves lifts every key.
        let mut xvfb = dies_with_us("Xvfb");
        xvfb.args(["-displayfd", "1", "-noreset", "-nolisten", "tcp", "-screen", "0", "1280x720x24"]);
        let mut xvfb = xvfb.stdout(Stdio::piped()).spawn().context("Xvfb cannot be run")?;
        let mut number = String::new();
        let named = xvfb.stdout.take().map(|stdout| BufReader::new(stdout).read_line(&mut number));
        let display = format!(":{}", number.trim());
        let openbox = dies_with_us("openbox").arg("--sm-disable").env("DISPLAY", &display).spawn();
        let openbox = match (named, openbox) {
            (Some(Ok(2..)), Ok(openbox)) => openbox,
            (_, openbox) => {
                let _it_failed = xvfb.kill();
                let _reaped = xvfb.wait();
                return Err(openbox
                    .err()
                    .map_or_else(|| anyhow::anyhow!("Xvfb named no display"), Into::into));
            }
        };
        let rig = Self { template, dir, display, openbox, xvfb };
        rig.await_openbox()?;
        Ok(rig)
    }

    fn await_openbox(&self) -> Result<()> {
        let began = Instant::now();
        loop {
            let asked = Command::new("xprop")
                .args(["-display", &self.display, "-root", "_NET_SUPPORTING_WM_CHECK"])
                .output()
                .context("xprop cannot be run: apt-get install x11-utils")?;
            if String::from_utf8_lossy(&asked.stdout).contains("window id #") {
                return Ok(());
            }
            if began.elapsed() > PATIENCE {
                bail!("openbox did not take over {} within {PATIENCE:?}", self.display);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The prefix that others may copy; no program runs in it.
    pub(crate) fn template(&self) -> &Path {
        &self.template
    }

    /// The environment in which cargo runs Windows programs in the prefix of this scale.
    pub(crate) fn env(&self, dpi: u32) -> Result<Vec<(OsString, OsString)>> {
        let at = self.prefix(dpi);
        if !at.is_dir() {
            prefix::clone(&self.template, &at, dpi)?;
            self.boot(&at)?;
        }
        Ok([
            ("WINEPREFIX", at.as_os_str()),
            ("WINEDEBUG", "-all".as_ref()),
            ("WINEDLLOVERRIDES", prefix::OVERRIDES.as_ref()),
            ("DISPLAY", self.display.as_ref()),
            ("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine".as_ref()),
        ]
        .map(|(name, value)| (name.into(), value.to_owned()))
        .into())
    }

    /// Starts the prefix's services: the first test would otherwise start them, and they would hold its pipes.
    fn boot(&self, prefix: &Path) -> Result<()> {
        // The server stays a minute after its last program, not for ever: a run that was killed leaves nothing.
        self.silent("wineserver", "-p60", prefix)?;
        self.silent("wineboot", "--restart", prefix)
    }

    fn silent(&self, program: &str, arg: &str, prefix: &Path) -> Result<()> {
        let mut command = Command::new(program);
        command.arg(arg).env("WINEPREFIX", prefix).env("DISPLAY", &self.display);
        command.env("WINEDEBUG", "-all").env("WINEDLLOVERRIDES", prefix::OVERRIDES);
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !status.with_context(|| format!("{program} cannot be run"))?.success() {
            bail!("{program} {arg} fails in {}", prefix.display());
        }
        Ok(())
    }

    fn prefix(&self, dpi: u32) -> PathBuf {
        self.dir.join(dpi.to_string())
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        for dpi in [96, 144] {
            let prefix = self.prefix(dpi);
            if prefix.is_dir() {
                let _may_have_ended = self.silent("wineserver", "-k", &prefix);
                let _may_have_ended = self.silent("wineserver", "-w", &prefix);
            }
        }
        for child in [&mut self.openbox, &mut self.xvfb] {
            let _may_have_ended = child.kill();
            let _reaped = child.wait();
        }
        if let Err(error) = fs::remove_dir_all(&self.dir) {
            println!("{} stays behind: {error}", self.dir.display());
        }
    }
}

/// A silent program that is killed when we are.
fn dies_with_us(program: &str) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", program]).env_remove("DISPLAY");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}
