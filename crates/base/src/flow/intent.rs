//! What the model wants.

use super::action::Action;
use crate::space::FrameRect;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Move the hands.
    Act(Action),
    Look(Look),
    /// Run one of our tools; its arguments are an object, not checked against its schema yet.
    Call {
        tool: String,
        args: Map<String, Value>,
    },
    /// Ask the person.
    Ask {
        question: String,
    },
    /// The model says the objective is reached.
    Done {
        statement: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    Screenshot,
    Zoom { area: FrameRect },
    CursorPosition,
}
