//! The dialect port: how a model writes its intents.
//!
//! A dialect encodes the prompt and decodes the reply. It declares its coordinate space, axis order, rounding and batch
//! rule, and lists what it cannot express. It refuses to guess: a call narrated in prose, a broken argument or a point
//! outside the picture is a [`Rejection`] with words for the model, never an action.

use super::model::{ModelReply, ModelRequest};
use crate::flow::intent::Intent;
use crate::flow::prompt::Prompt;
use crate::space::{PictureGeometry, Rounding};
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

    fn encode(&self, prompt: &Prompt) -> ModelRequest;

    /// What the model wants, or why its reply cannot be used.
    fn decode(&self, reply: &ModelReply, picture: &PictureGeometry) -> Result<Decoded, Rejection>;
}

/// A reply understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// At least one.
    pub intents: Vec<Intent>,
    /// Things worth a line in the journal: further calls that were dropped, odd forms that were accepted.
    pub notes: Vec<String>,
}

/// Why a reply cannot be used, said to the model in at most 800 characters (R9).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{told}")]
pub struct Rejection {
    pub kind: RejectionKind,
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

impl Rejection {
    /// Longest text given back to a model, in characters.
    pub const MAX_TOLD: usize = 800;

    pub fn new(kind: RejectionKind, told: impl Into<String>) -> Self {
        let mut told: String = told.into();
        if let Some((cut, _)) = told.char_indices().nth(Self::MAX_TOLD) {
            told.truncate(cut);
        }
        Self { kind, told }
    }

    pub fn told(&self) -> &str {
        &self.told
    }
}
