//! One turn as the journal keeps it.

use super::decision::{ToolUse, Worded};
use super::frame::FrameHash;
use super::receipt::Deed;
use super::settled::Calm;
use super::verdict::Judgement;
use crate::port::model::Usage;
use crate::space::FrameGeometry;
use serde::{Deserialize, Serialize};

/// Where an action of a turn stands. A row only ever moves forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Stage {
    /// A frame was captured.
    Observed,
    /// The model was asked and answered.
    Decided,
    /// About to act; durable before the first event leaves.
    Intent,
    /// The hands say what happened.
    Acted,
    Verified,
    /// Durable, and told to whoever waits for it.
    Committed,
}

impl Stage {
    pub const ALL: [Self; 6] =
        [Self::Observed, Self::Decided, Self::Intent, Self::Acted, Self::Verified, Self::Committed];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Observed => "OBSERVED",
            Self::Decided => "DECIDED",
            Self::Intent => "INTENT",
            Self::Acted => "ACTED",
            Self::Verified => "VERIFIED",
            Self::Committed => "COMMITTED",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }
}

/// What a turn leaves behind: one line of `session.jsonl`, enough to run it again without a model (S-66, S-105).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// From 1.
    pub turn: u64,
    /// Milliseconds since 1970, when the frame was captured.
    pub at_unix_millis: i64,
    pub frame: FrameGeometry,
    /// The picture the model was sent, by the hash of its bytes.
    pub picture: FrameHash,
    /// `act`, `observe`, `ask`, `done`, `refused`.
    pub choice: String,
    pub call: Option<ToolUse>,
    /// The steps of a plan, where the model wrote it in steps; their deeds stand in `deeds`, in the same order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Worded>,
    pub reason: String,
    /// Values that were clamped, calls that were dropped, failures of the model.
    pub notes: Vec<String>,
    pub deeds: Vec<Deed>,
    pub calm: Calm,
    pub judgement: Judgement,
    pub usage: Usage,
    pub timings: Timings,
}

/// Milliseconds each stage took.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Timings {
    pub capture: f64,
    pub perceive: f64,
    pub context: f64,
    pub model: f64,
    pub act: f64,
    /// Of it, whether the target was still what the model saw. Written only where that was looked at: records of before are written
    /// again as they were.
    #[serde(skip_serializing_if = "is_zero")]
    pub recheck: f64,
    /// Waits the profile asked for around acting.
    pub pause: f64,
    pub settle: f64,
    pub record: f64,
    pub whole: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(millis: &f64) -> bool {
    *millis == 0.0
}

impl Timings {
    /// What the engine itself took: everything but the model, the profile's pauses and settling.
    pub fn overhead(&self) -> f64 {
        (self.whole - self.model - self.pause - self.settle).max(0.0)
    }
}

/// A turn that is in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub record: StepRecord,
    /// True once the acknowledgement was synced.
    pub committed: bool,
}

#[cfg(test)]
mod tests;
