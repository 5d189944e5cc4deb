//! The dialect port: how a model writes its intents.
//!
//! A dialect encodes the prompt and decodes the reply. It declares its coordinate space, axis order, rounding and batch
//! rule, and lists what it cannot express. It refuses to guess: a call narrated in prose, a broken argument or a point
//! outside the picture is a [`Rejection`] with words for the model, never an action.

use super::model::{ModelReply, ModelRequest};
use crate::flow::decision::Worded;
use crate::flow::intent::Intent;
use crate::flow::prompt::Prompt;
use crate::space::{PictureGeometry, Rounding, Size};
use serde::{Deserialize, Serialize};

/// In which space a model gives points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointSpace {
    Norm1000,
    Norm1,
    /// Pixels of the sent picture.
    Picture,
}

/// What a dialect says of itself; help, docs and tests iterate over these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DialectInfo {
    pub name: &'static str,
    pub about: &'static str,
    /// `None` if the tools themselves say it.
    pub space: Option<PointSpace>,
    pub rounding: Rounding,
    pub batch: BatchRule,
    /// The wires it can be spoken over; empty: any. A dialect with a tool of the provider's own has one.
    pub wires: &'static [&'static str],
    /// How the results of a turn go back.
    pub results: &'static str,
    /// What it cannot express.
    pub cannot: &'static [&'static str],
}

/// What several calls in one reply mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchRule {
    /// The first runs, the others are noted (`stateless` S-24).
    First,
    /// They run in order and stop at the first failure.
    InOrder,
}

pub trait Dialect: Send + Sync {
    fn info(&self) -> DialectInfo;

    /// How the model is told to write, for the system prompt; `None` if the offered tools say it all.
    fn words(&self) -> Option<String> {
        None
    }

    /// The size that a picture of such a screen must have, at most about `within`; `None` if any will do.
    fn picture_size(&self, _screen: Size, _within: Size) -> Option<Size> {
        None
    }

    fn encode(&self, prompt: &Prompt) -> ModelRequest;

    /// What the model wants, or why its reply cannot be used.
    fn decode(&self, reply: &ModelReply, picture: &PictureGeometry) -> Result<Decoded, Rejection>;
}

/// A reply understood.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decoded {
    /// In the order they are to be run. At least one, unless the reply says that there is nothing to do or the first step is
    /// broken.
    pub plan: Vec<Planned>,
    /// What the model says it does and why, where its grammar has a place for it; else empty.
    pub reason: String,
    /// Things worth a line in the journal: further calls that were dropped, odd forms that were accepted.
    pub notes: Vec<String>,
    /// The steps that the plan is made of in the model's own words, where its grammar has them, in order.
    pub steps: Vec<Worded>,
    /// The step after them, which cannot be used: it and what follows it are told as not run, and those before it are run.
    pub broken: Option<Rejection>,
}

/// An intent and the call that it came from. One call may mean several.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// Which call of the reply, from 0: its result is told to that call. 0 too where a reply is one text.
    pub call: usize,
    pub intent: Intent,
}

impl Decoded {
    /// A reply of one call that means one thing.
    pub fn one(intent: Intent) -> Self {
        Self { plan: vec![Planned { call: 0, intent }], ..Self::default() }
    }
}

/// Why a reply cannot be used, said to the model in at most 800 characters (R9).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{told}")]
pub struct Rejection {
    pub kind: RejectionKind,
    /// Which call of the reply is meant, from 0. Nothing of the reply is run, whichever it is.
    pub call: usize,
    /// A word for it that lasts, for whoever counts complaints; that of the kind where the dialect has no finer one.
    pub code: &'static str,
    told: String,
}

/// The kinds of unusable reply (S-25).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RejectionKind {
    /// No call at all: empty, prose, a refusal.
    NoCall,
    UnknownTool,
    BadJson,
    MissingField,
    WrongType,
    OutOfRange,
}

impl RejectionKind {
    pub const fn code(self) -> &'static str {
        match self {
            Self::NoCall => "no_call",
            Self::UnknownTool => "unknown_tool",
            Self::BadJson => "bad_json",
            Self::MissingField => "missing_field",
            Self::WrongType => "wrong_type",
            Self::OutOfRange => "out_of_range",
        }
    }
}

impl Rejection {
    /// Longest text given back to a model, in characters.
    pub const MAX_TOLD: usize = 800;

    pub fn new(kind: RejectionKind, told: impl Into<String>) -> Self {
        let mut told: String = told.into();
        if let Some((cut, _)) = told.char_indices().nth(Self::MAX_TOLD) {
            told.truncate(cut);
        }
        Self { kind, call: 0, code: kind.code(), told }
    }

    /// The same with a finer word for it; an empty one changes nothing.
    #[must_use]
    pub fn coded(self, code: &'static str) -> Self {
        let code = if code.is_empty() { self.code } else { code };
        Self { code, ..self }
    }

    /// The same about another call of the reply.
    #[must_use]
    pub fn of_call(self, call: usize) -> Self {
        Self { call, ..self }
    }

    pub fn told(&self) -> &str {
        &self.told
    }
}
