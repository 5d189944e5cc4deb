//! A real X server, a model server that speaks the true wire, and the binary between them.

use crate::handsight::{Handsight, Said, run};
use handsight_testkit::chat::{Reply, Request, Rules, Server};
use handsight_testkit::witness::Witness;
use handsight_testkit::xvfb::Xvfb;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// A run takes seconds; on a busy machine, many.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Waits that a test need not sit through. What is tested about them is tested with a virtual clock.
const QUICK: &[&str] = &[
    "--set",
    "act.delay_after_action_s=0.05",
    "--set",
    "act.delay_after_observe_s=0.05",
    "--set",
    "settle.max_s=0.5",
];

pub(crate) struct Rig {
    pub(crate) x: Xvfb,
    pub(crate) handsight: Handsight,
}

impl Rig {
    /// A screen of 1280x720. `None` if Xvfb is missing.
    pub(crate) fn new() -> Option<Self> {
        Self::sized(1280, 720)
    }

    pub(crate) fn sized(width: u32, height: u32) -> Option<Self> {
        let x = Xvfb::with(width, height, &[])?;
        let handsight = Handsight::new().with("DISPLAY", x.display());
        Some(Self { x, handsight })
    }

    /// `handsight run` against a model server.
    pub(crate) fn command(&self, server: &Server, args: &[&str]) -> Command {
        let url = server.base_url();
        let mut all = vec!["run", "--base-url", &url];
        if !args.contains(&"--resume") {
            all.extend_from_slice(QUICK);
        }
        all.extend_from_slice(args);
        self.handsight.command(&all)
    }

    #[track_caller]
    pub(crate) fn run(&self, server: &Server, args: &[&str]) -> Said {
        run(self.command(server, args), PATIENCE)
    }

    pub(crate) fn witness(&self) -> Witness {
        Witness::connect(self.x.display())
    }

    /// The folders of all runs, oldest first.
    pub(crate) fn runs(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.handsight.home().join("dump")) else { return Vec::new() };
        let mut runs: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
        runs.sort();
        runs
    }
}

/// A server that has the profile's model and answers with these replies.
pub(crate) fn server(replies: impl IntoIterator<Item = Reply>) -> Server {
    Server::scripted(replies)
}

/// A server that answers every call alike.
pub(crate) fn always(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Server {
    Server::with(Rules::default(), answer)
}

pub(crate) fn click(x: f64, y: f64, reason: &str) -> Reply {
    Reply::call("click", json!({ "x": x, "y": y, "reason": reason }))
}

pub(crate) fn observe(reason: &str) -> Reply {
    Reply::call("observe", json!({ "reason": reason }))
}

pub(crate) fn done(reason: &str) -> Reply {
    Reply::call("done", json!({ "reason": reason }))
}

/// The lines of a run's `session.jsonl`.
#[track_caller]
pub(crate) fn session(run: &std::path::Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("session.jsonl")).unwrap();
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}
