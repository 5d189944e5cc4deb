//! What compiles in the time in which tests wait, when everything runs on a machine of two cores.
//!
//! The Windows tests, clippy and the examples share nothing with the tests' build and are wanted late; they run one after the other at
//! the lowest priority from the beginning. The examples come last: they build into the tests' folder, where a tier that begins
//! meanwhile waits for them. A person's run has clippy first, in the usual target folder: most of it is compiled there, and its word is
//! wanted soon.

use std::fs;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Instant;

use anyhow::Result;

use super::cargo::Cargo;
use super::{Count, clippy, examples, wine};
use crate::workspace::Workspace;

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
        let outside = cargo.giving_way(workspace.target_dir().join("examples.log"));
        let workspace = Workspace { root: workspace.root.clone() };
        let clippy = std::thread::spawn(move || {
            wine::build_ahead(&workspace, &windows);
            let verdict = clippy(&workspace, &linter);
            let seconds = begun.elapsed().as_secs_f64();
            examples::build_ahead(&workspace, &outside);
            (verdict, seconds)
        });
        Self { clippy, said }
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
