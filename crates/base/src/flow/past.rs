//! A turn that has been, as a conversation tells it: what the model saw, what it answered and what came of each of its calls.
//!
//! It is neutral: a dialect writes it down in its own way, and a wire sends the model's turn back as the provider wrote it. It
//! refuses to hold anything that was not sent or received; what was left out for room is `None`.

use super::prompt::Picture;
use crate::port::model::{RawTurn, SafetyCheck, ToolCall};

#[derive(Debug, Clone, Default)]
pub struct Past {
    /// What the engine told the model together with the picture; may be empty.
    pub told: String,
    /// The picture it answered to; `None` where it gave way to newer ones.
    pub seen: Option<Picture>,
    /// The model's words.
    pub text: String,
    /// Its calls as it wrote them.
    pub calls: Vec<ToolCall>,
    /// The turn as its provider wants it back.
    pub raw: Option<RawTurn>,
    /// What came of each call, in their order. A reply without calls (a plan written as text) has at most one.
    pub results: Vec<CallResult>,
}

#[derive(Debug, Clone, Default)]
pub struct CallResult {
    pub standing: Standing,
    /// Words for the model; empty if the next picture says it all.
    pub text: String,
    /// What a zoom shows. The screen after the turn is the next turn's `seen`.
    pub shown: Option<Picture>,
    /// The provider's checks of this call that a person agreed to.
    pub acknowledged: Vec<SafetyCheck>,
}

/// How a call of a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Standing {
    #[default]
    Done,
    /// It was tried and failed, or it was refused before.
    Failed,
    /// Something before it in the same reply failed, so it was not begun.
    NotExecuted,
    /// The run died in the middle: it may or may not have happened.
    Unknown,
}

impl Standing {
    pub const fn is_error(self) -> bool {
        !matches!(self, Self::Done)
    }
}
