//! What callers put into the journal and get out of it.

use crate::row::Row;
use handsight_base::flow::action::{Action, ActionHash};
use handsight_base::flow::decision::{Confirmation, ToolUse};
use handsight_base::flow::frame::FrameHash;
use handsight_base::flow::receipt::Outcome;
use handsight_base::flow::settled::Calm;
use handsight_base::flow::step::{Stage, StepRecord};
use handsight_base::flow::verdict::Judgement;
use handsight_base::port::model::{Exchange, Usage};
use handsight_base::space::FrameGeometry;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What run this is: the first row of its journal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunMeta {
    /// `run_20240315_143022`.
    pub run: String,
    pub profile: String,
    /// The profile with everything that overrides it, as TOML.
    pub profile_text: String,
    pub objective: String,
    /// As `--desktop` took it: `x11:0`.
    pub desktop: String,
    /// Role to `provider/name`.
    pub models: BTreeMap<String, String>,
    /// Version of the engine.
    pub engine: String,
    pub started_unix_millis: i64,
    /// The run this one goes on from, if it goes on elsewhere.
    pub parent: Option<String>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// `done`, `turn_limit`, `stopped`, ...
    pub outcome: String,
    /// What a checker found; `None` if there is none.
    pub verified: Option<bool>,
    pub at_unix_millis: i64,
    /// In words, for a person.
    pub note: String,
}

/// Sums over a run, interrupted turns included.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Committed turns.
    pub turns: u64,
    /// Actions that were done, or may have been.
    pub actions: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// US dollars of the turns whose cost is known.
    pub cost_usd: f64,
    /// Turns that asked a model and whose cost is not known.
    pub unpriced: u64,
    /// Seconds the run took by its own clock, up to its newest committed turn or its end. What an interrupted turn took
    /// beyond that is not known.
    pub elapsed_s: f64,
}

impl Totals {
    /// `None` if the cost of any turn is unknown.
    pub fn known_cost_usd(&self) -> Option<f64> {
        (self.unpriced == 0).then_some(self.cost_usd)
    }

    pub(crate) fn add_usage(&mut self, usage: &Usage) {
        self.input_tokens += usage.input_tokens.unwrap_or(0);
        self.output_tokens += usage.output_tokens.unwrap_or(0);
        match usage.cost_usd {
            Some(cost) => self.cost_usd += cost,
            None if *usage != Usage::default() => self.unpriced += 1,
            None => {}
        }
    }

    pub(crate) fn add_outcome(&mut self, outcome: &Outcome) {
        let sent = match outcome {
            Outcome::Done { .. } | Outcome::Ambiguous => true,
            Outcome::Failed { injected, .. } => injected.is_some(),
            Outcome::Refused { .. } | Outcome::NotExecuted | Outcome::Withheld { .. } => false,
        };
        self.actions += u64::from(sent);
    }
}

/// A turn begins: a frame was captured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// The picture the model will get, once [`crate::Journal::keep_frame`] has it.
    pub picture: Option<FrameHash>,
    /// When it was captured.
    pub at_unix_millis: i64,
    pub frame: FrameGeometry,
}

/// What the model decided; the exchanges stand in rows of their own.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Decided {
    /// `act`, `observe`, `ask`, `done`, `refused`.
    pub choice: String,
    pub reason: String,
    pub call: Option<ToolUse>,
    pub usage: Usage,
    /// What a person was asked about it, and the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
}

/// An exchange as it was kept.
#[derive(Debug, Clone)]
pub struct RecordedExchange {
    pub turn: u64,
    /// Which request of the turn, from 0.
    pub round: u32,
    /// The request holds its pictures again. If a picture is gone, its place holds `frame:<hash>`.
    pub exchange: Exchange,
    /// Pictures that are gone from `frames/`, and what else could not be restored, in words.
    pub missing: Vec<String>,
}

/// One action of a turn: a row of the journal's state machine.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionRow {
    pub turn: u64,
    pub index: u32,
    /// `Intent` to `Committed`.
    pub stage: Stage,
    pub action: Action,
    pub hash: ActionHash,
    /// `None` while nobody knows.
    pub outcome: Option<Outcome>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct RunBody<'a> {
    pub(crate) meta: Cow<'a, RunMeta>,
    pub(crate) schema: u32,
    pub(crate) sqlite: i32,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct OpenedBody {
    pub(crate) engine: String,
    pub(crate) at_unix_millis: i64,
    pub(crate) schema: u32,
    pub(crate) sqlite: i32,
    /// With what an interrupted turn used.
    pub(crate) totals: Totals,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct EndedBody<'a> {
    #[serde(flatten)]
    pub(crate) end: Cow<'a, RunEnd>,
    #[serde(default)]
    pub(crate) elapsed_s: f64,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct DamageBody {
    pub(crate) lost: Vec<crate::report::LostRows>,
    /// Relative to the run folder.
    pub(crate) set_aside: String,
    pub(crate) found: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct KeptBody {
    pub(crate) pictures: Vec<FrameHash>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct IntentBody<'a> {
    pub(crate) hash: Cow<'a, ActionHash>,
    /// The picture it was decided on.
    pub(crate) picture: Option<FrameHash>,
    pub(crate) action: Cow<'a, Action>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct VerifiedBody {
    pub(crate) calm: Calm,
    pub(crate) judgement: Judgement,
}

/// The record's text stands in it unchanged: it is the line of `session.jsonl`.
#[derive(Serialize, Deserialize)]
pub(crate) struct CommittedBody<'a> {
    /// First, so that it is seen without parsing: [`says_failed`].
    pub(crate) failed: bool,
    pub(crate) totals: Totals,
    #[serde(borrow)]
    pub(crate) record: &'a serde_json::value::RawValue,
}

/// True for the body of a committed turn that failed in some way, whose pictures are kept longest.
pub(crate) fn says_failed(committed: &str) -> bool {
    committed.starts_with("{\"failed\":true")
}

/// Whether a turn's pictures are evidence of a failure.
pub(crate) fn is_failure(record: &StepRecord) -> bool {
    let judged = match &record.judgement {
        Judgement::Denied { .. } | Judgement::Stuck { .. } => true,
        Judgement::Unchecked | Judgement::Confirmed { .. } => false,
    };
    judged
        || record.choice == "refused"
        || record.deeds.iter().any(|d| !matches!(d.outcome, Outcome::Done { .. }))
}

/// Reads a body; the error is in words, with the row.
pub(crate) fn read<'a, T: Deserialize<'a>>(row: &'a Row) -> Result<T, String> {
    serde_json::from_str(&row.body)
        .map_err(|e| format!("row {} ({}) cannot be understood: {e}", row.seq, row.kind.name()))
}
