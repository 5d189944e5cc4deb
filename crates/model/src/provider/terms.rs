//! The words of a provider's file.

use serde::Deserialize;

/// How the key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyHeader {
    /// `Authorization: Bearer KEY`.
    #[default]
    Authorization,
    ApiKey,
    XApiKey,
    XGoogApiKey,
}

impl KeyHeader {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Authorization => "authorization",
            Self::ApiKey => "api-key",
            Self::XApiKey => "x-api-key",
            Self::XGoogApiKey => "x-goog-api-key",
        }
    }
}

/// Whether replies come as a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Streaming {
    On,
    /// It could, but is not asked to.
    #[default]
    Off,
    Unsupported,
}

/// What ids of calls a provider takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallIds {
    /// Up to 64 visible characters.
    #[default]
    Any,
    /// Up to 64 letters, digits, `_` and `-`.
    Plain,
    /// Nine letters and digits.
    Nine,
}

/// How a model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(from = "ThinkingWord")]
pub enum Thinking {
    /// By itself; what it sends of it goes back.
    Kept,
    /// It is told to, and decides how long.
    Adaptive,
    /// At most this many tokens.
    Budget(u32),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "\"kept\", \"adaptive\" or a number of tokens")]
enum ThinkingWord {
    Word(ThinkingName),
    Budget(u32),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ThinkingName {
    Kept,
    Adaptive,
}

impl From<ThinkingWord> for Thinking {
    fn from(word: ThinkingWord) -> Self {
        match word {
            ThinkingWord::Word(ThinkingName::Kept) => Self::Kept,
            ThinkingWord::Word(ThinkingName::Adaptive) => Self::Adaptive,
            ThinkingWord::Budget(tokens) => Self::Budget(tokens),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    #[default]
    MaxTokens,
    MaxCompletionTokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    Auto,
    Required,
}

/// What a provider takes at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Of one picture after base64.
    pub picture_bytes: Option<u64>,
    /// The longer side of a picture in pixels; asked once, before a run, since a run's pictures have one size.
    pub picture_edge: Option<u32>,
    /// Most tokens one picture is ever counted as; charged when a reply says nothing of its usage.
    pub picture_tokens: Option<u32>,
    /// Pictures in one request; older ones give way.
    pub picture_count: Option<u32>,
    /// The whole body of a request.
    pub request_bytes: Option<u64>,
    /// Tokens of input and output together.
    pub context_tokens: Option<u64>,
}
