//! The same frame path as other programs walk it, in turns with ours on the same screen.
//!
//! A peer is a process that says `ready`, then walks the path once for every line it gets and says `done`. Starting it and its
//! imports are not counted. A peer that is not installed says what to install, and is left out.

use super::Bench;
use super::figure::Figure;
use super::screen::Screen;
use crate::assemble::desktop::Choice;
use anyhow::{Context as _, anyhow, bail};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

struct Peer {
    name: &'static str,
    ratio: &'static str,
    /// How much slower than ours it has to be; on a photograph the second.
    budget: Option<(f64, f64)>,
    program: &'static str,
    install: &'static str,
    /// Before the place of the click.
    args: &'static [&'static str],
}

const PYTHON: &str = include_str!("../../../../../bench/peers/frame_path.py");
const SHELL: &str = include_str!("../../../../../bench/peers/scrot_path.sh");

const PEERS: &[Peer] = &[
    Peer {
        name: "mss + Pillow + pyautogui",
        ratio: "mss + Pillow / frame path",
        budget: Some((6.0, 20.0)),
        program: "python3",
        install: "apt-get install python3",
        args: &["-c", PYTHON, "6"],
    },
    Peer {
        name: "the same, PNG level 1",
        ratio: "level 1 / frame path",
        budget: None,
        program: "python3",
        install: "apt-get install python3",
        args: &["-c", PYTHON, "1"],
    },
    Peer {
        name: "scrot + convert + xdotool",
        ratio: "scrot + convert / frame path",
        budget: Some((40.0, 40.0)),
        program: "sh",
        install: "apt-get install dash",
        args: &["-c", SHELL, "scrot_path"],
    },
];

/// Longest that one walk may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// From this many bytes a pixel on, a screen is like a photograph.
const PHOTO: f64 = 1.0;

pub(super) fn compare(bench: &Bench<'_>, missing: &mut Vec<String>) -> anyhow::Result<Vec<Figure>> {
    let mut screen = Screen::open(bench)?;
    let size = screen.path(bench)?;
    let photo = size as f64 / f64::from(1536 * 864) >= PHOTO;
    let mut there = Vec::new();
    for peer in PEERS {
        match Running::start(bench, peer, &screen)? {
            Ok(running) => there.push((peer, running, Vec::new())),
            Err(install) => missing.push(format!("{} is not there; {install}", peer.name)),
        }
    }
    let mut ours = Vec::new();
    // Slow ones: a fifth of the samples tells as much.
    for _ in 0..bench.runs.div_ceil(5) {
        ours.push(bench.time(|| screen.path(bench).map(drop))?);
        for (_, running, samples) in &mut there {
            samples.push(bench.time(|| running.walk())?);
        }
    }
    let mut figures = vec![Figure::new("frame path beside peers", ours.iter().copied())];
    for (peer, running, samples) in there {
        running.end();
        let ratio = Figure::ratio(peer.ratio, &samples, &ours);
        let budget = peer.budget.map(|(plain, of_photo)| if photo { of_photo } else { plain });
        figures.push(Figure::new(peer.name, samples));
        figures.push(match budget {
            Some(least) => ratio.at_least(least),
            None => ratio,
        });
    }
    Ok(figures)
}

struct Running {
    name: &'static str,
    child: Child,
    orders: ChildStdin,
    answers: Receiver<String>,
    /// What it says when it cannot.
    log: PathBuf,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

impl Running {
    /// `Err` holds what to install.
    fn start(bench: &Bench<'_>, peer: &Peer, screen: &Screen) -> anyhow::Result<Result<Self, String>> {
        let place = screen.place();
        let mut command = Command::new(peer.program);
        command.args(peer.args).arg(place.x.to_string()).arg(place.y.to_string());
        if let Choice::X11 { display } = &bench.desktop {
            command.env("DISPLAY", display);
        }
        command.current_dir(bench.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let log = bench.folder.path().join(format!("{}.log", peer.name));
        command.stderr(File::create(&log).context("the log of a peer")?);
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Err(peer.install.into()));
            }
            Err(error) => return Err(error).context(peer.name),
        };
        let (send, answers) = sync_channel(4);
        let orders = child.stdin.take().context("its input")?;
        let lines = BufReader::new(child.stdout.take().context("its output")?).lines();
        let mut running = Self { name: peer.name, child, orders, answers, log };
        std::thread::Builder::new().name("peer".into()).spawn(move || {
            for line in lines.map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        })?;
        match running.answer()?.as_str() {
            "ready" => {
                // The first one fills caches, as ours does.
                running.walk()?;
                Ok(Ok(running))
            }
            said => match said.strip_prefix("missing: ") {
                Some(install) => Ok(Err(install.to_owned())),
                None => bail!("{} said {said:?} instead of `ready`", peer.name),
            },
        }
    }

    fn walk(&mut self) -> anyhow::Result<()> {
        self.orders.write_all(b"\n").and_then(|()| self.orders.flush()).context(self.name)?;
        match self.answer()?.as_str() {
            "done" => Ok(()),
            said => bail!("{} said {said:?} instead of `done`", self.name),
        }
    }

    fn answer(&self) -> anyhow::Result<String> {
        self.answers.recv_timeout(PATIENCE).map_err(|error| match error {
            RecvTimeoutError::Timeout => anyhow!("{} gave no answer within {PATIENCE:?}", self.name),
            RecvTimeoutError::Disconnected => {
                let log = std::fs::read_to_string(&self.log).unwrap_or_default();
                anyhow!("{} ended early: {}", self.name, log.lines().last().unwrap_or("it said nothing"))
            }
        })
    }

    /// The end of its input is its end.
    fn end(self) {
        drop(self);
    }
}
