//! `manual`: a person types what a model would call (S-74 to S-76).

use crate::assemble::{self, Assembled, Folder, Request};
use crate::cli::ManualArgs;
use crate::commands::run::{document, summary};
use crate::environment::Environment;
use crate::exit::{self, Exit};
use crate::run_folder::Kind;
use crate::{say, settings, signals};
use anyhow::Context as _;
use handsight_agent::ending::Outcome;
use handsight_agent::manual::{Answer, COMMANDS, Manual};
use handsight_base::stop::{Stop, StopReason};
use std::io::{BufRead as _, IsTerminal as _};
use tokio::sync::mpsc::{Receiver, channel};

pub(crate) fn run(environment: &Environment, args: ManualArgs) -> anyhow::Result<Exit> {
    let settings = settings::resolve(environment, &args.settings, &args.desktop.flags())?;
    let desktop = assemble::desktop::Choice::read(&args.desktop.desktop, environment)?;
    let request = Request {
        settings,
        task: String::new(),
        desktop,
        model: None,
        folder: Folder::New { out: args.out.out, kind: Kind::Test },
        hands: true,
        quiet: false,
    };
    let stop = Stop::new();
    signals::listen(stop.clone())?;
    let lines = read_lines().context("standard input")?;
    crate::runtime()?.block_on(async {
        let assembled = assemble::assemble(environment, request, stop.clone()).await?;
        session(assembled, lines, &stop, args.out.json).await
    })
}

async fn session(
    assembled: Assembled,
    mut lines: Receiver<String>,
    stop: &Stop,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let Assembled { parts, about, .. } = assembled;
    say::progress(&format!("Coordinates run from 0 to 1000. Commands:\n{COMMANDS}"));
    let mut manual = Manual::new(parts).await?;
    let prompt = std::io::stdin().is_terminal();
    let (outcome, statement) = loop {
        if prompt {
            say::prompt("> ");
        }
        let line = tokio::select! {
            biased;
            reason = stop.stopped() => break (Outcome::Stopped(reason), String::new()),
            line = lines.recv() => line,
        };
        // The end of the input leaves like `quit`.
        let answer = match line {
            Some(line) => manual.command(&line).await,
            None => Ok(Answer::Quit),
        };
        match answer {
            Ok(Answer::Did(what)) => say::result(&what),
            Ok(Answer::No(why)) => say::note(&why),
            Ok(Answer::Done(reason)) => break (Outcome::Done, reason),
            Ok(Answer::Quit) => break (Outcome::Stopped(StopReason::Person), String::new()),
            Err(interruption) => {
                let outcome = interruption.outcome();
                let ending = manual.finish(outcome, interruption.to_string()).await;
                summary(&ending, &about.run.display().to_string());
                return Err(interruption.into());
            }
        }
    };
    let ending = manual.finish(outcome, statement).await;
    if !ending.statement.is_empty() {
        say::result(&ending.statement);
    }
    summary(&ending, &about.run.display().to_string());
    if as_json {
        say::json(&document(&ending, &about));
    }
    Ok(exit::of_outcome(ending.outcome, None))
}

/// Lines of stdin, read on a thread of their own: a read cannot be interrupted, but it can be left behind.
pub(crate) fn read_lines() -> std::io::Result<Receiver<String>> {
    let (send, lines) = channel(16);
    std::thread::Builder::new().name("stdin".into()).spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if send.blocking_send(line).is_err() {
                return;
            }
        }
    })?;
    Ok(lines)
}
