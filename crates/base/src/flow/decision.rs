//! What is left for act once the model was asked: something to do, or a typed refusal. Never a guess.

use super::action::Action;
use super::frame::FrameHash;
use crate::port::dialect::RejectionKind;
use crate::port::model::Usage;
use crate::space::FrameGeometry;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub choice: Choice,
    /// The model's own reason, which some profiles show on the screen.
    pub reason: String,
    /// The tool call as it was understood: name and arguments, for the record.
    pub call: Option<ToolUse>,
    pub notes: Vec<String>,
    pub usage: Usage,
    /// Time the model took, all rounds together.
    pub model_time: Duration,
    /// The frame the decision was made on.
    pub frame: FrameGeometry,
    /// The picture the model was sent.
    pub picture: FrameHash,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    pub tool: String,
    pub args: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// In this order; a batch stops at its first failure. Never empty.
    Act(Vec<Action>),
    /// Do nothing, then look again.
    Observe,
    Ask {
        question: String,
    },
    Done {
        statement: String,
    },
    /// The reply could not be used, or the model could not be reached.
    Refused(Refused),
}

impl Choice {
    /// The word for it in the journal.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Act(_) => "act",
            Self::Observe => "observe",
            Self::Ask { .. } => "ask",
            Self::Done { .. } => "done",
            Self::Refused(_) => "refused",
        }
    }
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refused {
    /// Told to the model by profiles that keep a conversation.
    #[error("the reply cannot be used ({kind:?}): {told}")]
    Reply { kind: RejectionKind, told: String },
    #[error("{0}")]
    Model(#[from] crate::port::model::ModelError),
}
