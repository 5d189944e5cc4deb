//! What a run tells while it goes on, a line of stderr each.
//!
//! Every event has its line; `-q` keeps none, the normal level those a person follows a run by, `-v` all of them.

use crate::assemble::room::bytes;
use crate::cli::Verbosity;
use crate::{say, secrets};
use handsight_agent::progress::{Event, Progress};
use handsight_base::flow::settled::Calm;
use std::time::Duration;

/// Renders events to stderr.
#[derive(Debug)]
pub(crate) struct Lines {
    verbosity: Verbosity,
    turn: u64,
}

impl Lines {
    pub(crate) const fn new(verbosity: Verbosity) -> Self {
        Self { verbosity, turn: 0 }
    }
}

impl Progress for Lines {
    fn event(&mut self, event: &Event) {
        if let Event::TurnStarted { turn } = event {
            self.turn = *turn;
        }
        let (level, line) = render(event);
        if self.verbosity < level {
            return;
        }
        match event {
            Event::Warning(_) | Event::DiskFull { .. } => say::warning(&line),
            _ => say::note(&format!("{:>4}  {line}", self.turn)),
        }
    }
}

/// From which verbosity on an event shows, and its line.
fn render(event: &Event) -> (Verbosity, String) {
    use Verbosity::{Normal, Verbose};
    match event {
        Event::TurnStarted { turn } => (Verbose, format!("turn {turn}")),
        Event::Captured { size, suspicion, took } => match suspicion {
            None => (Verbose, format!("looked at {size} in {}", short(*took))),
            Some(suspicion) => (Normal, format!("looked at {size}; the picture may be wrong: {suspicion:?}")),
        },
        Event::Asked { model, picture, bytes } => {
            (Verbose, format!("asked {model} with a picture of {picture}, {} KiB", bytes / 1024))
        }
        Event::Decided { tool, args, reason, took } => {
            let args = if args == "{}" { String::new() } else { format!(" {args}") };
            (Normal, format!("{tool}{args} ({}) {}", short(*took), cut(reason, 160)))
        }
        Event::Failed { why, failures, limit } => {
            (Normal, format!("failure {failures} of {limit}: {}", cut(why, 400)))
        }
        Event::Acted { action, outcome } => {
            let level = if outcome == "done" { Verbose } else { Normal };
            (level, format!("{action}: {}", cut(outcome, 300)))
        }
        Event::Settled { calm, waited } => match calm {
            Calm::Skipped => (Verbose, "did not wait for calm".to_owned()),
            Calm::Settled => (Verbose, format!("calm after {}", short(*waited))),
            Calm::TimedOut => (Verbose, format!("still moving after {}", short(*waited))),
        },
        Event::Committed { overhead_ms, .. } => (Verbose, format!("kept; {overhead_ms:.1} ms of our own")),
        Event::DiskFull { path, free, needed, wait } => {
            let free = free.map_or_else(String::new, |free| format!(" {} free,", bytes(free)));
            let then = if wait.is_zero() {
                "record.full_wait_s is 0, so the run ends".to_owned()
            } else {
                format!(
                    "free some: the run waits for it {} at most and moves nothing meanwhile",
                    short(*wait)
                )
            };
            let needed = bytes(*needed);
            (Normal, format!("the disk of {} is full:{free} {needed} needed; {then}", path.display()))
        }
        Event::RoomAgain { waited } => {
            (Normal, format!("there is room on the disk again after {}; the run goes on", short(*waited)))
        }
        Event::ModelAway { model, away, wait, most } => {
            let left = short(most.saturating_sub(*away));
            let line = format!(
                "{model} is away: nothing is done for {}, then it is asked again; {left} more at most",
                short(*wait)
            );
            (Normal, line)
        }
        Event::ModelBack { away } => {
            (Normal, format!("the model answers again after {}; the run goes on", short(*away)))
        }
        Event::Paused => (Normal, "paused: nothing is looked at, asked or done".to_owned()),
        Event::TakenOver { quiet } => {
            let goes_on = match quiet {
                Some(quiet) => format!("after {} without it", short(*quiet)),
                None => "by `handsight runs unpause`".to_owned(),
            };
            (Normal, format!("paused by input that is not ours: the screen is yours; it goes on {goes_on}"))
        }
        Event::GoesOn { paused } => (Normal, format!("goes on after a pause of {}", short(*paused))),
        Event::Confirmed { answer, waited } => (Normal, format!("{} ({})", answer.words(), short(*waited))),
        Event::Warning(line) => (Normal, line.clone()),
    }
}

/// A duration as a person reads it.
fn short(d: Duration) -> String {
    match d.as_secs() {
        0 => format!("{} ms", d.as_millis()),
        1..=599 => format!("{:.1} s", d.as_secs_f64()),
        600..=7199 => format!("{} min", d.as_secs() / 60),
        _ => format!("{:.1} h", d.as_secs_f64() / 3600.0),
    }
}

/// One line of at most `chars` characters.
fn cut(text: &str, chars: usize) -> String {
    // Before it is cut, so that no half of a key is left at the end.
    let line = secrets::clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(chars) {
        None => line,
        Some((at, _)) => format!("{}...", &line[..at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_reads_as_one_line() {
        let event = Event::Decided {
            tool: "click".into(),
            args: r#"{"x":500,"y":300}"#.into(),
            reason: "press\nOK".into(),
            took: Duration::from_millis(2140),
        };
        let (level, line) = render(&event);
        assert_eq!(
            (level, line.as_str()),
            (Verbosity::Normal, r#"click {"x":500,"y":300} (2.1 s) press OK"#)
        );
        assert_eq!(cut(&"ä".repeat(10), 4), "ääää...");
    }
}
