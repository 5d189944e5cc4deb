//! What the hands did.

use super::action::ActionHash;
use super::decision::Decision;
use crate::port::desktop::Injected;
use serde::{Deserialize, Serialize};

/// The outcome of one action, with the evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// The desktop took every event.
    Done { injected: Option<Injected> },
    /// The gate refused; nothing was sent.
    Refused { why: String },
    /// The desktop could not; what it says, and whether anything was sent before.
    Failed { why: String, injected: Option<Injected> },
    /// An earlier action of the batch failed.
    NotExecuted,
    /// Nothing was sent, because things are no longer as they were when it was decided on: the target is another, a person had the
    /// screen meanwhile, or the run waited for room on the disk.
    Withheld { why: String },
    /// The process died between intent and outcome: it may or may not have happened. Never replayed.
    Ambiguous,
}

impl Outcome {
    /// True if it certainly did not happen.
    pub const fn is_nothing(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::NotExecuted | Self::Withheld { .. })
    }

    /// In a few words, for people.
    pub fn describe(&self) -> String {
        match self {
            Self::Done { .. } => "done".to_owned(),
            Self::Refused { why } => format!("refused: {why}"),
            Self::Failed { why, .. } => format!("failed: {why}"),
            Self::NotExecuted => "not executed".to_owned(),
            Self::Withheld { why } => format!("not done: {why}"),
            Self::Ambiguous => "unknown".to_owned(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Deed {
    pub action: String,
    pub hash: ActionHash,
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The decision and what became of each of its actions.
#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    pub decision: Decision,
    pub deeds: Vec<Deed>,
}
