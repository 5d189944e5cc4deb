//! The words of `runs`.

use super::{OutArgs, SettingArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// The runs in a folder, the newest last
    List {
        /// Where to look; by default the profile's dump folder
        dir: Option<PathBuf>,
        #[command(flatten)]
        settings: SettingArgs,
        #[arg(long)]
        json: bool,
    },
    /// One run: how it ended, and its turns
    Show {
        run: PathBuf,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Write a run's log and pictures as plain files
    Export {
        run: PathBuf,
        /// A folder that is empty or not there yet
        dir: PathBuf,
    },
    /// Draw the pictures of a run side by side, with what was done in each turn, as one PNG
    Sheet {
        run: PathBuf,
        /// Where to write it; by default sheet.png in the run folder
        file: Option<PathBuf>,
        /// Only every so many turns; by default as many as make no more than 60 pictures
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        every: Option<u64>,
    },
    /// Do what a run did again, without a model
    Replay(ReplayArgs),
    /// Keep a while to yourself: the run takes no picture, asks no model and moves nothing
    ///
    /// When this returns, nothing is looked at any more. What the hands were doing is cut short, and a call to the model given up.
    /// On Linux the signal SIGUSR1 does the same, and SIGUSR2 ends it.
    Pause {
        /// The folder of a run that goes on
        run: PathBuf,
    },
    /// Let a paused run go on
    Unpause { run: PathBuf },
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// A run folder, or its session.jsonl
    pub(crate) run: PathBuf,
    /// Where to do it; by default on the recorded pictures, which touches nothing
    #[arg(long, value_name = "DESKTOP")]
    pub(crate) desktop: Option<String>,
    #[command(flatten)]
    pub(crate) out: OutArgs,
}
