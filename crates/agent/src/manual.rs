//! Manual control: a person types what a model would call, and it goes through the same input, settle, HUD and capture code.
//!
//! It tells faults of a model from faults of the input, and shows what a setting does before a run. No model is needed.

use crate::ending::{Ending, Interruption, Outcome};
use crate::engine::Engine;
use crate::episode::{EpisodeError, Parts, assemble, close};
use crate::tools::Meaning;
use crate::turn;
use handsight_base::flow::decision::ToolUse;
use handsight_base::flow::format::PictureFormat;
use handsight_base::flow::frame::FrameHash;
use handsight_base::flow::prompt::Picture;
use handsight_base::flow::settled::Calm;
use handsight_base::flow::step::StepRecord;
use handsight_base::flow::verdict::Judgement;
use handsight_base::port::model::Usage;
use handsight_store::{Decided, Observed, test_name};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// What `help` prints.
pub const COMMANDS: &str =
    "observe [reason]\nclick <x> <y> [reason]\ntype <text>\nscroll <dy> [reason]\ndone [reason]\nquit";

/// A manual session. Its pictures are numbered from 000.
pub struct Manual {
    engine: Engine,
    picture: Option<(Picture, FrameHash)>,
    next: u64,
}

/// What became of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Done; what happened, for the person.
    Did(String),
    /// Not understood or refused; nothing was done and no number used.
    No(String),
    /// `done`: what was to be tried is tried; the reason, for the person.
    Done(String),
    /// `quit`: left at once, without another picture.
    Quit,
}

impl Manual {
    /// Takes the first picture.
    pub async fn new(parts: Parts) -> Result<Self, ManualError> {
        let mut manual = Self { engine: assemble(parts)?, picture: None, next: 0 };
        manual.look().await?;
        Ok(manual)
    }

    /// Runs one line.
    pub async fn command(&mut self, line: &str) -> Result<Answer, Interruption> {
        let (name, args) = match parse(line) {
            Parsed::Nothing => return Ok(Answer::No(String::new())),
            Parsed::Quit => return Ok(Answer::Quit),
            Parsed::Bad(why) => return Ok(Answer::No(format!("{why}\n{COMMANDS}"))),
            Parsed::Call(name, args) => (name, args),
        };
        let Some((picture, hash)) = self.picture.clone() else {
            return Ok(Answer::No("there is no picture yet".into()));
        };
        let understood = match self.engine.tools.call(name, &args, &picture.geometry, &self.engine.marks) {
            Ok(understood) => understood,
            Err(rejection) => return Ok(Answer::No(format!("{rejection}\n{COMMANDS}"))),
        };
        let engine = &mut self.engine;
        engine.begin_turn();
        let Some(geometry) = engine.geometry else {
            return Ok(Answer::No("there is no picture yet".into()));
        };
        let (actions, after) = match understood.meaning {
            Meaning::Act(actions) => (actions, engine.profile.act.delay_after_action_s),
            Meaning::Observe => (Vec::new(), engine.profile.act.delay_after_observe_s),
            Meaning::Done => (Vec::new(), 0.0),
        };
        let end = name == "done";
        let decided = Decided {
            choice: if end { "done" } else { "act" }.into(),
            reason: understood.reason.clone(),
            call: Some(ToolUse { tool: name.into(), args: understood.args.clone() }),
            usage: Usage::default(),
            confirmation: None,
        };
        engine.journal.decided(engine.turn, decided, Vec::new()).await?;
        let deeds = turn::perform(engine, &actions, geometry).await?;
        if !deeds.is_empty() {
            engine.pause(Duration::from_secs_f64(engine.profile.act.input_delay_s)).await?;
        }
        engine.pause(Duration::from_secs_f64(after)).await?;
        let (calm, _) = if end { (Calm::Skipped, 0) } else { turn::settle_down(engine).await? };
        engine.carry.clone_from(&understood.reason);
        let told = std::mem::take(&mut engine.told).join("\n");
        let record = StepRecord {
            turn: engine.turn,
            at_unix_millis: engine.captured_unix_millis,
            frame: geometry,
            picture: hash,
            choice: if end { "done" } else { "act" }.into(),
            call: Some(ToolUse { tool: name.into(), args: understood.args }),
            steps: Vec::new(),
            reason: understood.reason,
            notes: understood.notes,
            deeds,
            calm,
            judgement: Judgement::Unchecked,
            usage: Usage::default(),
            timings: engine.timings,
        };
        let (notes, reason) = (record.notes.join("; "), record.reason.clone());
        engine.commit(&record).await?;
        self.look().await?;
        if end {
            return Ok(Answer::Done(reason));
        }
        let said = [format!("{name}: {calm:?}").to_lowercase(), notes, told];
        Ok(Answer::Did(said.into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join("; ")))
    }

    /// Closes the session; `statement` is the reason of `done`, or what went wrong.
    pub async fn finish(self, outcome: Outcome, statement: String) -> Ending {
        close(self.engine, outcome, statement, || None).await
    }

    /// Draws the reason, takes the picture and keeps it under the next number.
    async fn look(&mut self) -> Result<(), Interruption> {
        let frame = turn::capture(&mut self.engine).await?;
        let engine = &mut self.engine;
        engine.geometry = Some(frame.geometry);
        let picture = turn::picture(engine, &frame)?;
        let hash = FrameHash::of(&picture.bytes);
        let format = PictureFormat::of(&picture.bytes).unwrap_or(PictureFormat::Png);
        let view = engine.profile.record.dump_screenshots.then(|| test_name(self.next, format));
        let observed = Observed {
            picture: Some(hash),
            at_unix_millis: engine.captured_unix_millis,
            frame: frame.geometry,
        };
        // Kept for the turn that the next command begins.
        engine.journal.observe(engine.turn + 1, observed, picture.bytes.clone(), view).await?;
        self.next += 1;
        self.picture = Some((picture, hash));
        Ok(())
    }
}

/// Why a manual session cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum ManualError {
    #[error(transparent)]
    Episode(#[from] EpisodeError),
    #[error(transparent)]
    Interrupted(#[from] Interruption),
}

enum Parsed {
    Nothing,
    Quit,
    Call(&'static str, Map<String, Value>),
    Bad(String),
}

/// `click 500 300 why` and so on. `type` takes the rest of the line and has no reason (S-75).
fn parse(line: &str) -> Parsed {
    let line = line.trim_end_matches(['\r', '\n']);
    let (word, rest) = line.trim_start().split_once(' ').unwrap_or((line.trim(), ""));
    let call = |name, args: Value| match args {
        Value::Object(map) => Parsed::Call(name, map),
        _ => Parsed::Nothing,
    };
    match word {
        "" => Parsed::Nothing,
        "quit" | "exit" => Parsed::Quit,
        "observe" => call("observe", json!({ "reason": rest.trim() })),
        "done" => call("done", json!({ "reason": rest.trim() })),
        "type" => call("type", json!({ "text": rest, "reason": "" })),
        "click" => match numbers::<2>(rest) {
            Some(([x, y], reason)) => call("click", json!({ "x": x, "y": y, "reason": reason })),
            None => Parsed::Bad("`click` needs two numbers from 0 to 1000".into()),
        },
        "scroll" => match numbers::<1>(rest) {
            Some(([dy], reason)) => call("scroll", json!({ "dy": dy, "reason": reason })),
            None => Parsed::Bad("`scroll` needs a number, 120 a tick".into()),
        },
        other => Parsed::Bad(format!("there is no command {other:?}")),
    }
}

/// `N` numbers at the start and the trimmed rest.
fn numbers<const N: usize>(text: &str) -> Option<([f64; N], &str)> {
    let mut found = [0.0; N];
    let mut rest = text.trim_start();
    for slot in &mut found {
        let end = rest.find(' ').unwrap_or(rest.len());
        *slot = rest[..end].parse().ok().filter(|n: &f64| n.is_finite())?;
        rest = rest[end..].trim_start();
    }
    Some((found, rest.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> String {
        match parse(line) {
            Parsed::Nothing => "nothing".into(),
            Parsed::Quit => "quit".into(),
            Parsed::Bad(why) => why,
            Parsed::Call(name, args) => format!("{name} {}", Value::Object(args)),
        }
    }

    // spec: S-75 UNIT
    #[test]
    fn the_six_commands() {
        for (line, meaning) in [
            ("click 500 300 press OK", r#"click {"x":500.0,"y":300.0,"reason":"press OK"}"#),
            ("click 500 300", r#"click {"x":500.0,"y":300.0,"reason":""}"#),
            ("type Hello World", r#"type {"text":"Hello World","reason":""}"#),
            ("type  two spaces ", r#"type {"text":" two spaces ","reason":""}"#),
            ("scroll -240 down", r#"scroll {"dy":-240.0,"reason":"down"}"#),
            ("observe", r#"observe {"reason":""}"#),
            ("done it works\n", r#"done {"reason":"it works"}"#),
            ("quit", "quit"),
            ("", "nothing"),
            ("click 500", "`click` needs two numbers from 0 to 1000"),
            ("click a b", "`click` needs two numbers from 0 to 1000"),
            ("click NaN 3", "`click` needs two numbers from 0 to 1000"),
            ("scroll", "`scroll` needs a number, 120 a tick"),
            ("dance", "there is no command \"dance\""),
        ] {
            assert_eq!(said(line), meaning, "{line:?}");
        }
    }
}
