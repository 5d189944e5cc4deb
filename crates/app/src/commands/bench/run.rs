//! Whole runs with a scripted model: turns inside this process, and the binary from its start to its end.

use super::Bench;
use super::figure::Figure;
use super::screen::Screen;
use crate::assemble::desktop::Kit;
use crate::assemble::{self, Folder, Request, model, native};
use crate::exit::{Exit, Failure};
use crate::run_folder::Kind;
use anyhow::{Context as _, bail};
use handsight_agent::ending::Outcome;
use handsight_agent::episode::Episode;
use handsight_agent::progress::{Event, Progress};
use handsight_base::port::clock::Clock as _;
use handsight_base::port::desktop::Desktop as _;
use handsight_base::space::ScreenPx;
use handsight_store::{Durability, Journal, Options};
use serde_json::json;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a started run may take to show what is waited for.
const PATIENCE: Duration = Duration::from_secs(120);
/// Between two looks at a started run.
const LOOK: Duration = Duration::from_millis(1);

/// Hears what each turn took of its own.
#[derive(Clone, Default)]
struct Overheads(Arc<Mutex<Vec<f64>>>);

impl Progress for Overheads {
    fn event(&mut self, event: &Event) {
        if let Event::Committed { overhead_ms, .. } = event {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(*overhead_ms);
        }
    }
}

/// Turns of a real episode on the screen, without model, waits and syncs: once with nothing on the screen, once with the HUD,
/// for which a turn waits until the programs below have painted what the last text covered (50 ms at most).
pub(super) fn turn(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    Ok(vec![
        Figure::new("turn without model and waits", turns(bench, false)?).at_most(25.0),
        Figure::new("turn, HUD on the screen", turns(bench, true)?).at_most(25.0),
    ])
}

/// What each turn took of its own, in milliseconds.
fn turns(bench: &Bench<'_>, hud: bool) -> anyhow::Result<Vec<f64>> {
    let script = script(bench, place(bench)?, bench.runs, 0);
    let name = if hud { "turns-hud" } else { "turns" };
    let mut settings = bench.settings.clone();
    settings.profile.hud.enabled = hud;
    let request = Request {
        settings,
        task: "be measured".into(),
        desktop: bench.desktop.clone(),
        model: Some(model::Choice::scripted(bench.environment, Path::new("bench"), script)?),
        folder: Folder::New { out: Some(bench.folder.path().join(name)), kind: Kind::Run },
        hands: true,
        quiet: false,
    };
    let heard = Overheads::default();
    let ending = bench.runtime.block_on(async {
        let mut parts = assemble::assemble(bench.environment, request, bench.stop.clone()).await?.parts;
        let meta = parts.journal.meta().cloned().context("the run has no description")?;
        let never = Durability::Batched { turns: u32::MAX, millis: u64::from(u32::MAX) };
        let options = Options { durability: never, ..Options::default() };
        let unsynced = bench.folder.path().join(format!("{name}-unsynced"));
        parts.journal = Journal::create(&unsynced, &meta, &options)?;
        parts.progress = Box::new(heard.clone());
        anyhow::Ok(Episode::new(parts)?.run().await)
    })?;
    if ending.outcome != Outcome::Done {
        bail!("the measured turns ended in {}: {}", ending.outcome.name(), ending.statement);
    }
    let mut overheads = std::mem::take(&mut *heard.0.lock().unwrap_or_else(PoisonError::into_inner));
    // The last turn only says `done`.
    overheads.truncate(bench.runs);
    Ok(overheads)
}

/// From the start of the binary to the first thing it does to the screen, seen by an eye of another connection.
pub(super) fn start(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    // Elsewhere nobody can say where the pointer is.
    if !bench.desktop.is_native() {
        return Ok(Vec::new());
    }
    let mut eye = native::connect(&bench.desktop, Kit::eyes(Arc::new(bench.clock.clone())))?;
    let at = place(bench)?;
    let mut pointer = || -> anyhow::Result<ScreenPx> {
        eye.pointer()?.context("this desktop does not tell where the pointer is")
    };
    let mut samples = Vec::new();
    for n in 0..bench.runs.min(10) {
        let before = pointer()?;
        // Elsewhere than the pointer is, so that it is seen to move.
        let aside = if (before.x - at.x).abs() > 4 { 0 } else { 10 };
        let target = ScreenPx::new((at.x + aside).min(bench.screen.width as i32 - 1 - aside), at.y);
        let mut run = Started::run(bench, &format!("start{n}"), &script(bench, target, 1, 0))?;
        let took = bench.time(|| run.until(bench, || Ok(pointer()? != before)))?;
        samples.push(took + run.spawning);
        run.ends(bench)?;
    }
    Ok(vec![Figure::new("start to first action", samples).at_most(150.0)])
}

/// The peak of the memory of a run of its own, as the kernel kept it.
pub(super) fn memory(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    // The last reply comes late, so that the peak is read while the process is still there.
    let mut run = Started::run(bench, "memory", &script(bench, place(bench)?, bench.runs, 500))?;
    let (mut engine, mut hands) = (0.0_f64, 0.0_f64);
    let pid = run.child.id();
    let mut looked = bench.clock.now();
    run.until(bench, || {
        if bench.clock.now().saturating_sub(looked) >= Duration::from_millis(50) {
            looked = bench.clock.now();
            engine = engine.max(peak_mib(pid).unwrap_or(0.0));
            let of_hands = children(pid).into_iter().filter_map(peak_mib).fold(0.0, f64::max);
            hands = hands.max(of_hands);
        }
        Ok(false)
    })?;
    run.ends(bench)?;
    let large = bench.screen.area() > 1920 * 1080;
    Ok(vec![
        Figure::new("peak memory of the engine", [engine]).unit("MiB").at_most(if large {
            130.0
        } else {
            64.0
        }),
        Figure::new("peak memory of the hands", [hands]).unit("MiB"),
    ])
}

pub(super) fn binary(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    let bytes = fs::metadata(&bench.program).context("the size of this program")?.len();
    Ok(vec![Figure::new("binary", [bytes as f64 / 1e6]).unit("MB").at_most(40.0)])
}

/// Where the pointer is.
fn place(bench: &Bench<'_>) -> anyhow::Result<ScreenPx> {
    Ok(Screen::open(bench)?.place())
}

/// Clicks beside `at`, one a turn, each with a reason of its own; then `done`, after a while.
fn script(bench: &Bench<'_>, at: ScreenPx, clicks: usize, last_ms: u64) -> String {
    let norm =
        |v: i32, length: u32| (f64::from(v) * 1000.0 / f64::from(length.max(2) - 1)).clamp(0.0, 1000.0);
    let y = norm(at.y, bench.screen.height);
    let mut lines = String::new();
    for n in 0..clicks {
        let x = norm(at.x + (n % 2) as i32 * 2, bench.screen.width);
        let reason =
            format!("click {n} of {clicks}: the button is there, and pressing it should open the dialog");
        let call = json!({ "call": "click", "args": { "x": x, "y": y, "reason": reason } });
        lines.push_str(&format!("{call}\n"));
    }
    let done = json!({ "call": "done", "args": { "reason": "measured" }, "delay_ms": last_ms });
    lines.push_str(&format!("{done}\n"));
    lines
}

/// A run of this program as a process of its own; ended with us, if it did not end by itself.
struct Started {
    child: Child,
    log: PathBuf,
    /// Milliseconds that starting took of ours.
    spawning: f64,
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

impl Started {
    fn run(bench: &Bench<'_>, name: &str, script: &str) -> anyhow::Result<Self> {
        let folder = bench.folder.path();
        let (file, log) = (folder.join(format!("{name}.jsonl")), folder.join(format!("{name}.log")));
        fs::write(&file, script).context("the script of a measured run")?;
        let mut command = Command::new(&bench.program);
        command.args(["run", "be measured", "--quiet", "--desktop", &bench.desktop.to_string()]);
        command.arg("--model").arg(format!("scripted/{}", file.display()));
        command.arg("--out").arg(folder.join(name));
        for set in &bench.set {
            command.args(["--set", set]);
        }
        let stderr = File::create(&log).context("the log of a measured run")?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
        let began = bench.clock.now();
        let child = command.spawn().context("this program could not be started again")?;
        let spawning = bench.millis_since(began);
        Ok(Self { child, log, spawning })
    }

    /// Looks again and again until it is so, or until the run has ended.
    fn until(
        &mut self,
        bench: &Bench<'_>,
        mut so: impl FnMut() -> anyhow::Result<bool>,
    ) -> anyhow::Result<()> {
        let began = bench.clock.now();
        while !so()? && self.child.try_wait()?.is_none() {
            bench.check_stop()?;
            if bench.clock.now().saturating_sub(began) > PATIENCE {
                bail!("a measured run did not come to its end within {PATIENCE:?}");
            }
            bench.runtime.block_on(bench.clock.sleep(LOOK));
        }
        Ok(())
    }

    /// Waits for its end, which must be a good one.
    fn ends(mut self, bench: &Bench<'_>) -> anyhow::Result<()> {
        self.until(bench, || Ok(false))?;
        let status = self.child.wait()?;
        if status.success() {
            return Ok(());
        }
        let said = fs::read_to_string(&self.log).unwrap_or_default();
        Err(Failure::new(Exit::DesktopLost, format!("a measured run ended with {status}"), said.trim())
            .into())
    }
}

/// The peak of a process's resident memory, or `None` if it is gone.
fn peak_mib(pid: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024.0)
}

/// The processes that a process started, from whichever thread.
fn children(pid: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = threads.flatten().filter_map(|t| fs::read_to_string(t.path().join("children")).ok());
    lists.flat_map(|l| l.split_whitespace().filter_map(|p| p.parse().ok()).collect::<Vec<_>>()).collect()
}
