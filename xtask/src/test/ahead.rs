//! What compiles in the time in which tests wait, when everything runs on a machine of two cores.
//!
//! The Windows tests and clippy share nothing with the tests' build and are wanted late; they run one after the other at the lowest
//! priority from the beginning. The examples and the program by itself (what `cargo run` compiles: without the tests, some packages
//! have fewer features) build into the tests' folder, where a tier that begins meanwhile would wait for them; they are compiled beside
//! a tier that mostly waits for servers. A person's run has clippy first, in the usual target folder: most of it is compiled there, and its word
//! is wanted soon.

use std::fs;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::cargo::Cargo;
use super::{Count, clippy, examples, wine};
use crate::workspace::Workspace;

const HEAD_START: Duration = Duration::from_secs(5);

pub(super) struct Ahead {
    /// The verdict and the seconds until it was there.
    clippy: JoinHandle<(Result<Count>, f64)>,
    said: PathBuf,
}

impl Ahead {
    pub(super) fn begin(workspace: &Workspace, cargo: &Cargo) -> Self {
        let said = workspace.target_dir().join("clippy.log");
        let _none_of_an_earlier_run = fs::remove_file(&said);
        let begun = Instant::now();
        // A folder of its own: cargo lets one build at a time into a folder.
        let folder = workspace.target_dir().join("clippy").into_os_string();
        let linter = cargo.giving_way(said.clone()).with([("CARGO_TARGET_DIR".into(), folder)]);
        let windows = cargo.giving_way(workspace.target_dir().join("windows.log"));
        let workspace = Workspace { root: workspace.root.clone() };
        let clippy = std::thread::spawn(move || {
            wine::build_ahead(&workspace, &windows);
            let verdict = clippy(&workspace, &linter);
            let seconds = begun.elapsed().as_secs_f64();
            (verdict, seconds)
        });
        Self { clippy, said }
    }

    /// What builds into the tests' folder and is wanted late: to be joined once the tier beside it is over.
    pub(super) fn beside_a_waiting_tier(workspace: &Workspace, cargo: &Cargo) -> JoinHandle<()> {
        let cargo = cargo.giving_way(workspace.target_dir().join("beside.log"));
        let workspace = Workspace { root: workspace.root.clone() };
        std::thread::spawn(move || {
            // The tier asks cargo for its tests first; behind a build it would wait for the folder.
            std::thread::sleep(HEAD_START);
            examples::build_ahead(&workspace, &cargo);
            let _told_when_it_is_run = cargo.run(&["build"]);
        })
    }

    /// Waits for it, and shows what it said.
    pub(super) fn clippy(self) -> (Count, f64) {
        let (count, seconds) = self.clippy.join().unwrap_or((Ok(Count::FAILED), 0.0));
        println!("{}", fs::read_to_string(&self.said).unwrap_or_default());
        let count = count.unwrap_or_else(|error| {
            println!("clippy: {error:#}");
            Count::FAILED
        });
        (count, seconds)
    }
}
