//! `bench`: what the engine costs on this machine and this screen, part by part, beside the least it could cost and beside
//! other programs.
//!
//! It measures what the product runs, through the product's own parts, and judges each part by the budget it was built to. A
//! time is the machine's as much as ours, so what can be compared is measured in turns with what it is compared to. It refuses
//! to work on anything but a real screen.

mod figure;
mod journal;
mod ocr;
mod peers;
mod run;
mod screen;
mod tree;

use crate::assemble::desktop::Choice;
use crate::cli::{BenchArgs, SettingArgs};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::settings::{self, Settings};
use crate::{say, signals};
use anyhow::Context as _;
use figure::Figure;
use handsight_base::port::clock::{Clock as _, RealClock};
use handsight_base::space::Size;
use handsight_base::stop::Stop;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::runtime::Runtime;

/// A part that can be measured by itself.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    measure: fn(&Bench<'_>) -> anyhow::Result<Vec<Figure>>,
}

/// Every part, in the order of the frame path. Help and tests iterate over this.
pub(crate) const PARTS: &[Part] = &[
    Part { name: "capture", measure: screen::capture },
    Part { name: "scale", measure: screen::scale },
    Part { name: "png", measure: screen::png },
    Part { name: "formats", measure: screen::formats },
    Part { name: "annotate", measure: screen::annotate },
    Part { name: "hud", measure: screen::hud },
    Part { name: "tree", measure: tree::walk },
    Part { name: "ocr", measure: ocr::ocr },
    Part { name: "input", measure: screen::input },
    Part { name: "path", measure: screen::path },
    Part { name: "journal", measure: journal::sync },
    Part { name: "turn", measure: run::turn },
    Part { name: "start", measure: run::start },
    Part { name: "memory", measure: run::memory },
    Part { name: "binary", measure: run::binary },
];

/// Waits and settling are the profile's, not the engine's.
const NO_WAITS: [&str; 4] = [
    "act.input_delay_s=0.0",
    "act.delay_after_action_s=0.0",
    "act.delay_after_observe_s=0.0",
    "settle.enabled=false",
];

/// What every part works with.
struct Bench<'a> {
    environment: &'a Environment,
    /// Without waits.
    settings: Settings,
    /// The same as arguments, for a process of its own.
    set: Vec<String>,
    /// Seconds that the profile waits after an action.
    delay: f64,
    /// A real one.
    desktop: Choice,
    screen: Size,
    runs: usize,
    program: PathBuf,
    folder: Folder,
    clock: RealClock,
    runtime: Runtime,
    stop: Stop,
}

pub(crate) fn run(environment: &Environment, args: &BenchArgs) -> anyhow::Result<Exit> {
    let desktop = Choice::read(&args.desktop, environment)?;
    if !desktop.is_real() {
        let hint = "Name one: --desktop x11:N, windows or vnc:HOST.";
        return Err(Failure::usage("only a real screen can be measured", hint).into());
    }
    let stop = Stop::new();
    signals::listen(stop.clone())?;
    let set: Vec<String> = NO_WAITS.map(String::from).into();
    let shipped = SettingArgs { profile: "stateless".into(), set: Vec::new() };
    let delay = settings::resolve(environment, &shipped, &[])?.profile.act.input_delay_s;
    let settings = settings::resolve(environment, &SettingArgs { set: set.clone(), ..shipped }, &[])?;
    let desktop = desktop.equipped(&settings.profile, environment)?;
    let program = std::env::current_exe().context("where this program lies")?;
    let mut bench = Bench {
        environment,
        settings,
        set,
        delay,
        desktop,
        screen: Size::new(0, 0),
        runs: args.runs,
        program,
        folder: Folder::new()?,
        clock: RealClock::new(),
        runtime: crate::runtime()?,
        stop,
    };
    let mut screen = screen::Screen::open(&bench)?;
    bench.screen = screen.frame()?.size();
    say::note(&format!(
        "measuring {} on {}; clicks fall where the pointer is, at {}. Ctrl-C stops.",
        bench.screen,
        bench.desktop,
        screen.place()
    ));
    drop(screen);
    bench.measure(args)
}

impl Bench<'_> {
    fn measure(&self, args: &BenchArgs) -> anyhow::Result<Exit> {
        let chosen = |name: &str| args.only.is_empty() || args.only.iter().any(|o| o == name);
        if !args.json {
            say::result(&Figure::heading());
        }
        let mut parts = serde_json::Map::new();
        let mut keep = |name: &str, figures: &[Figure]| {
            if !args.json {
                figures.iter().for_each(|f| say::result(&f.line()));
            }
            parts.insert(name.to_owned(), figures.iter().map(Figure::document).collect());
        };
        for part in PARTS.iter().filter(|p| chosen(p.name)) {
            self.check_stop()?;
            let figures = (part.measure)(self).with_context(|| format!("measuring `{}`", part.name))?;
            keep(part.name, &figures);
        }
        let mut missing = Vec::new();
        if args.peers {
            let figures = peers::compare(self, &mut missing).context("measuring the peers")?;
            keep("peers", &figures);
            missing.iter().for_each(|line| say::warning(line));
        }
        let load = load();
        if args.json {
            say::json(&json!({
                "desktop": self.desktop.to_string(),
                "screen": { "width": self.screen.width, "height": self.screen.height },
                "runs": self.runs,
                "load": load,
                "parts": Value::Object(parts),
                "missing_peers": missing,
            }));
        } else if let Some(load) = load {
            say::result(&format!("{} runs; {load:.1} processes wanted a processor on average", self.runs));
        }
        Ok(Exit::Done)
    }

    fn check_stop(&self) -> anyhow::Result<()> {
        self.stop.reason().map_or(Ok(()), |reason| Err(Failure::stopped(reason).into()))
    }

    fn millis_since(&self, began: Duration) -> f64 {
        self.clock.now().saturating_sub(began).as_secs_f64() * 1e3
    }

    /// Milliseconds that `f` takes.
    fn time<E>(&self, f: impl FnOnce() -> Result<(), E>) -> anyhow::Result<f64>
    where
        anyhow::Error: From<E>,
    {
        self.check_stop()?;
        let began = self.clock.now();
        f()?;
        Ok(self.millis_since(began))
    }

    /// The same for as many runs as were asked for, after one that does not count.
    fn samples<E>(&self, mut f: impl FnMut() -> Result<(), E>) -> anyhow::Result<Vec<f64>>
    where
        anyhow::Error: From<E>,
    {
        f()?;
        (0..self.runs).map(|_| self.time(&mut f)).collect()
    }
}

/// How many processes wanted to run, over the last minute.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// A folder in the current one, which is where runs are kept; gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new() -> anyhow::Result<Self> {
        let here = std::env::current_dir().context("the current folder")?;
        let path = here.join(format!(".handsight-bench-{}", std::process::id()));
        std::fs::create_dir(&path).map_err(|e| {
            let what = format!("{} cannot be made: {e}", path.display());
            Failure::new(Exit::Storage, what, "Start the measurement in a folder that can be written to.")
        })?;
        Ok(Self(path))
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _left_behind = std::fs::remove_dir_all(&self.0);
    }
}
