//! What is left for act once the model was asked: something to do, or a typed refusal. Never a guess.

use super::action::Action;
use super::frame::FrameHash;
use crate::port::dialect::RejectionKind;
use crate::port::model::{SafetyCheck, Usage};
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
    /// The steps of a plan, where the model wrote it in steps.
    pub steps: Vec<Worded>,
    pub notes: Vec<String>,
    pub usage: Usage,
    /// Time the model took, all rounds together.
    pub model_time: Duration,
    /// The frame the decision was made on.
    pub frame: FrameGeometry,
    /// The picture the model was sent.
    pub picture: FrameHash,
    /// The provider's questions about this reply and what a person said; `None` where it had none.
    pub confirmation: Option<Confirmation>,
}

/// What a provider wanted a person to agree to, and the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmation {
    pub checks: Vec<SafetyCheck>,
    pub answer: Consent,
}

impl Confirmation {
    /// The checks of a call that a person agreed to: what its result may say is acknowledged, and nothing else may.
    pub fn acknowledged(&self, call_id: &str) -> Vec<SafetyCheck> {
        let agreed = self.answer == Consent::Given;
        self.checks.iter().filter(|check| agreed && check.call_id == call_id).cloned().collect()
    }
}

/// What came of a question to a person. Only one of these lets anything happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Consent {
    Given,
    Refused,
    /// Nobody said anything in time.
    NoAnswer,
    /// There is nobody to ask.
    Nobody,
}

impl Consent {
    /// For the record and the model.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Given => "a person agreed",
            Self::Refused => "a person did not agree",
            Self::NoAnswer => "nobody answered in time",
            Self::Nobody => "there was nobody to ask",
        }
    }
}

/// A step of a plan in the model's own words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Worded {
    /// The tool and its arguments: `mouse {"x":10,"y":20}`.
    pub what: String,
    /// Why, as it would tell a person.
    pub why: String,
    /// How many of the plan's actions it is.
    pub actions: usize,
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
    /// A person was to agree first and did not. Told to the model like an unusable reply.
    #[error("{told}")]
    Person { told: String },
    #[error("{0}")]
    Model(#[from] crate::port::model::ModelError),
}
