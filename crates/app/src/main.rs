//! The one binary. What it can do stands in `cli.rs`, how it ends in `exit.rs`, what it is made of in `assemble.rs`.
//!
//! This crate is the only one that prints, reads the environment, or ends the process; everything it learns there it hands on
//! as values. It refuses to hold any of the product's thinking: a command gathers, calls a library, and says what came back.

mod assemble;
mod cli;
mod commands;
mod contact_sheet;
mod environment;
mod exit;
mod fonts;
mod log;
mod notice;
mod pause;
mod progress;
mod providers;
mod run_folder;
mod say;
mod secrets;
mod settings;
mod signals;
mod terminal;
mod within;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Before the first window or question about the screen: from then on a pixel is a pixel (S-03).
    #[cfg(windows)]
    handsight_desktop::windows::declare_dpi_awareness();
    if std::env::args_os().nth(1).is_some_and(|word| word == cli::HANDS) {
        // Before anything else: the hands have rules of their own for panics, signals and what they inherit.
        return commands::hands::run();
    }
    exit::on_panic();
    let environment = environment::Environment::read();
    secrets::learn(&environment);
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::of_usage(&error).into(),
    };
    if let Err(error) = log::start(cli.verbosity(), &environment) {
        return exit::report(&error).into();
    }
    match commands::dispatch(cli.command, &environment) {
        Ok(exit) => exit.into(),
        Err(error) => exit::report(&error).into(),
    }
}

/// One thread drives the turn; what may block has a thread of its own.
fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    use anyhow::Context as _;
    tokio::runtime::Builder::new_current_thread().enable_all().build().context("the runtime cannot start")
}
