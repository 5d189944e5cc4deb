//! The model port: one request, one reply, whoever serves it and by whatever wire.
//!
//! Requests are neutral; a wire turns them into a vendor's JSON. The raw request and response come back beside the
//! neutral reply, because they are the evidence. Money, retries and deadlines belong to the implementation; a
//! partial reply is never returned as a whole one.

use super::BoxFuture;
use crate::flow::format::PictureLimits;
use crate::flow::prompt::{NativeTool, Picture, Sampling, ToolSpec};
use crate::stop::Stop;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// What a model is asked.
#[derive(Debug, Clone, Default)]
pub struct ModelRequest {
    pub system: String,
    pub messages: Vec<Message>,
    pub tools: Vec<ToolSpec>,
    /// Offered before the others.
    pub native: Vec<NativeTool>,
    pub sampling: Sampling,
    /// What the text of the reply must be, where the provider can hold it to that; the reply is checked all the same.
    pub form: Option<Form>,
}

/// The form of a reply that is one JSON document.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// A word for it: letters, digits and `_`.
    pub name: &'static str,
    /// JSON schema, an object.
    pub schema: Value,
}

#[derive(Debug, Clone)]
pub struct Message {
    pub role: Role,
    pub parts: Vec<Part>,
    /// The provider's own JSON of an assistant turn; replayed instead of `parts` to the provider it came from. `parts` holds
    /// the same in neutral form always: its calls are what results are paired with.
    pub raw: Option<RawTurn>,
}

/// An assistant turn as its provider wrote it, with what only that provider can read: reasoning, signatures, ids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawTurn {
    /// Who wrote it; nobody else gets to see it.
    pub provider: String,
    /// By which wire, as one provider may be asked over several.
    pub wire: String,
    pub json: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
}

#[derive(Debug, Clone)]
pub enum Part {
    Text(String),
    Picture(Picture),
    Call(ToolCall),
    Result {
        call_id: String,
        text: String,
        picture: Option<Picture>,
        is_error: bool,
        /// The provider's checks of this call that a person agreed to; never filled by anything else.
        acknowledged: Vec<SafetyCheck>,
    },
}

/// A question that a provider wants answered by a person before a call is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SafetyCheck {
    pub call_id: String,
    /// The provider's own name of this check; empty if it gives none.
    pub id: String,
    pub code: String,
    pub message: String,
}

/// A provider that would not answer, for a rule of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The provider's word for the rule: `refusal`, `SAFETY`, `content_filter`.
    pub reason: String,
    /// What it says about it; may be empty.
    pub words: String,
}

/// A tool call as the model wrote it: the arguments are its own text, checked by nobody yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    pub arguments: String,
}

/// What a model answered.
#[derive(Debug, Clone, Default)]
pub struct ModelReply {
    pub text: String,
    pub calls: Vec<ToolCall>,
    pub usage: Usage,
    /// Why it ended: `stop`, `tool_calls`, `length`, `content_filter`, or the provider's own word for anything else.
    pub finish: Option<String>,
    /// Nothing of a refused reply may act.
    pub refusal: Option<Refusal>,
    /// Questions for a person; no call of this reply may act before they are answered.
    pub checks: Vec<SafetyCheck>,
    /// The turn as the provider wants it back.
    pub raw: Option<RawTurn>,
    /// Which model the provider says it was.
    pub model: Option<String>,
    pub exchange: Exchange,
}

/// The evidence of a call: what went over the wire, without credentials.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Exchange {
    /// The request body; pictures as sent.
    pub request: String,
    pub status: u16,
    pub response: String,
    pub took: Duration,
    /// Tries before this one that failed.
    pub retries: u32,
}

impl Exchange {
    /// Stands for the request to a model that is part of the program and reads single pixels: nothing went over a wire, and what it
    /// was sent is in the record of the turn.
    pub const OWN_PIXELS: &str = "{\"own_pixels\":true}";
}

/// Tokens and money of one call. `None` where the provider said nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// All input, whether it came from a cache or not.
    pub input_tokens: Option<u64>,
    /// All output, reasoning included.
    pub output_tokens: Option<u64>,
    /// Of the input, read from the provider's cache.
    pub cached_tokens: Option<u64>,
    /// Of the input, written to the provider's cache, where that has a price of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// US dollars; `None` when the price is unknown.
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// Both together. What is known of one only counts as all of it, but for money: a sum of which a part is unknown is unknown.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        if *self == Self::default() {
            return *other;
        }
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0) + b.unwrap_or(0)),
        };
        Self {
            input_tokens: sum(self.input_tokens, other.input_tokens),
            output_tokens: sum(self.output_tokens, other.output_tokens),
            cached_tokens: sum(self.cached_tokens, other.cached_tokens),
            cache_write_tokens: sum(self.cache_write_tokens, other.cache_write_tokens),
            cost_usd: self.cost_usd.zip(other.cost_usd).map(|(a, b)| a + b),
        }
    }
}

/// What one request may come to; `None` where nobody said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Room {
    /// Tokens of input: what is left of the model's context once its answer has the room that it may take.
    pub tokens: Option<u64>,
    /// Bytes of the body.
    pub bytes: Option<u64>,
    /// Pictures, old and new.
    pub pictures: Option<u32>,
}

/// What a request comes to, rather too much than too little.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Weight {
    pub tokens: u64,
    pub bytes: u64,
}

impl Weight {
    /// Pixels of a picture that are one token: fewer than with any service whose rule is published.
    const PIXELS: u64 = 512;

    /// For a model of which nothing is known: a token for two bytes of text.
    pub fn rough(request: &ModelRequest) -> Self {
        let picture = |p: &Picture| Self {
            tokens: p.geometry.size.area().div_ceil(Self::PIXELS),
            bytes: p.bytes.len() as u64 * 4 / 3 + 128,
        };
        let text = |bytes: usize| Self { tokens: bytes as u64 / 2 + 8, bytes: bytes as u64 + 128 };
        let part = |p: &Part| match p {
            Part::Text(words) => text(words.len()),
            Part::Picture(p) => picture(p),
            Part::Call(call) => text(call.id.len() + call.name.len() + call.arguments.len()),
            Part::Result { text: words, picture: shown, .. } => {
                text(words.len()).and(shown.as_ref().map(picture).unwrap_or_default())
            }
        };
        let tool = |t: &ToolSpec| text(t.description.len() + t.parameters.to_string().len());
        let parts = request.messages.iter().flat_map(|m| &m.parts).map(part);
        let around = parts.chain(request.tools.iter().map(tool)).chain([text(request.system.len())]);
        around.fold(Self::default(), Self::and)
    }

    const fn and(self, other: Self) -> Self {
        Self { tokens: self.tokens + other.tokens, bytes: self.bytes + other.bytes }
    }
}

/// Who serves a model.
pub trait Model: Send + Sync {
    /// `provider/name`.
    fn name(&self) -> &str;

    /// What its service takes of the next picture, to be asked before that is made.
    fn picture_limits(&self) -> PictureLimits {
        PictureLimits::default()
    }

    /// What a request with these settings may come to.
    fn room(&self, _sampling: &Sampling) -> Room {
        Room::default()
    }

    /// What a request comes to; asked before it is sent.
    fn weigh(&self, request: &ModelRequest) -> Weight {
        Weight::rough(request)
    }

    /// Tokens of input that the service itself finds in a request, where it says so free of charge; `None` where it does not, or
    /// not soon. Asked only when [`Model::weigh`] says that there is no room left, as that is rather too much.
    fn count<'a>(&'a self, _request: &'a ModelRequest, _stop: &'a Stop) -> BoxFuture<'a, Option<u64>> {
        Box::pin(std::future::ready(None))
    }

    /// Reads the reply of an exchange that was recorded; `None` if it is none of this model's.
    fn recall(&self, _exchange: &Exchange) -> Option<ModelReply> {
        None
    }

    /// How long its service should be left alone, counted from now. Whoever waits this long before looking asks with a fresh
    /// picture; an `ask` before that waits by itself or fails at once.
    fn pause(&self) -> Option<Duration> {
        None
    }

    /// Asks once. Cancelled by dropping the future, or by `stop`.
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>>;
}

/// What can go wrong with a model. The texts never hold a key.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    #[error("{provider} answered {status}: {body}")]
    Http {
        provider: String,
        status: u16,
        /// The first 4096 bytes of the body (S-79).
        body: String,
        retry_after: Option<Duration>,
    },
    #[error("{provider} could not be reached at {url}: {why}")]
    Network {
        provider: String,
        url: String,
        why: String,
        /// False if no connection came to be: then nothing was asked, and nothing is charged.
        sent: bool,
    },
    #[error("{provider} gave no {phase} within {after:?}")]
    Deadline { provider: String, phase: &'static str, after: Duration },
    #[error("{provider} sent something that is no reply: {why}; it began with {start:?}")]
    Malformed { provider: String, why: String, start: String },
    #[error("{provider} sent more than {limit} bytes")]
    TooLong { provider: String, limit: u64 },
    #[error("no key for {provider}: set {variable}")]
    NoKey { provider: String, variable: String },
    #[error("the picture of {bytes} bytes is over {provider}'s limit of {limit}")]
    PictureTooLarge { provider: String, bytes: u64, limit: u64 },
    #[error("{provider} does not take this picture: {why}")]
    PictureUnfit { provider: String, why: String },
    #[error(
        "the request of {bytes} bytes is over {provider}'s limit of {limit}, and no earlier picture is left to leave out"
    )]
    RequestTooLarge { provider: String, bytes: u64, limit: u64 },
    #[error("the request of {tokens} tokens or more is over {provider}'s limit of {limit}")]
    ContextTooLarge { provider: String, tokens: u64, limit: u64 },
    #[error(
        "this call may cost up to {most_usd:.4} USD, and of the limit of {limit_usd} USD for {of} {spent_usd:.4} USD are spent"
    )]
    CostLimit {
        /// What is limited: `this run`, `a day`.
        of: &'static str,
        limit_usd: f64,
        spent_usd: f64,
        most_usd: f64,
    },
    #[error("the call was not made, because what it costs cannot be recorded: {why}")]
    Unrecorded { why: String },
    #[error("the recorded calls end after {played}; the run asked for one more")]
    RecordingEnds { played: usize },
    #[error("stopped")]
    Stopped,
}

impl ModelError {
    /// True if trying again later may help (R33): no answer, 408, 425, 429, 5xx.
    pub const fn is_passing(&self) -> bool {
        match self {
            Self::Http { status, .. } => matches!(*status, 408 | 425 | 429 | 500..=599),
            Self::Network { .. } | Self::Deadline { .. } => true,
            Self::Malformed { .. }
            | Self::TooLong { .. }
            | Self::NoKey { .. }
            | Self::PictureTooLarge { .. }
            | Self::PictureUnfit { .. }
            | Self::RequestTooLarge { .. }
            | Self::ContextTooLarge { .. }
            | Self::CostLimit { .. }
            | Self::Unrecorded { .. }
            | Self::RecordingEnds { .. }
            | Self::Stopped => false,
        }
    }

    /// True if the service may charge for the call although it failed: it was sent, and no refusal came back (R31).
    pub const fn may_be_charged(&self) -> bool {
        match self {
            Self::Network { sent, .. } => *sent,
            Self::Deadline { phase, .. } => !matches!(phase.as_bytes(), b"connection"),
            Self::Malformed { .. } | Self::TooLong { .. } | Self::Stopped => true,
            Self::Http { .. }
            | Self::NoKey { .. }
            | Self::PictureTooLarge { .. }
            | Self::PictureUnfit { .. }
            | Self::RequestTooLarge { .. }
            | Self::ContextTooLarge { .. }
            | Self::CostLimit { .. }
            | Self::Unrecorded { .. }
            | Self::RecordingEnds { .. } => false,
        }
    }
}
