//! The words of a provider's file.

use handsight_base::flow::format::PictureFormat;
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

/// A provider that takes many pictures in one request only if all of them are small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crowd {
    /// From this many pictures on ...
    pub from: u32,
    /// ... the longer side of each, in pixels.
    pub edge: u32,
}

/// What a provider takes at most.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Of one picture after base64.
    pub picture_bytes: Option<u64>,
    /// The longer side of a picture in pixels; a larger one is scaled before it is encoded.
    pub picture_edge: Option<u32>,
    /// Width by height of a picture.
    pub picture_pixels: Option<u64>,
    /// What a picture may be written as.
    pub picture_formats: Option<Vec<PictureFormat>>,
    /// Most tokens one picture is ever counted as; charged when a reply says nothing of its usage.
    pub picture_tokens: Option<u32>,
    /// Pictures in one request; older ones give way.
    pub picture_count: Option<u32>,
    pub crowd: Option<Crowd>,
    /// The whole body of a request.
    pub request_bytes: Option<u64>,
    /// Tokens of input and output together.
    pub context_tokens: Option<u64>,
}

impl Limits {
    /// These, and what they leave open as in `base`.
    pub(super) fn over(&self, base: &Self) -> Self {
        Self {
            picture_bytes: self.picture_bytes.or(base.picture_bytes),
            picture_edge: self.picture_edge.or(base.picture_edge),
            picture_pixels: self.picture_pixels.or(base.picture_pixels),
            picture_formats: self.picture_formats.clone().or_else(|| base.picture_formats.clone()),
            picture_tokens: self.picture_tokens.or(base.picture_tokens),
            picture_count: self.picture_count.or(base.picture_count),
            crowd: self.crowd.or(base.crowd),
            request_bytes: self.request_bytes.or(base.request_bytes),
            context_tokens: self.context_tokens.or(base.context_tokens),
        }
    }

    /// A limit that nothing can keep.
    pub(super) fn nonsense(&self) -> Option<&'static str> {
        let edges = [self.picture_edge, self.crowd.map(|c| c.edge)];
        let one = |n: Option<u32>| n == Some(0);
        if edges.into_iter().any(one) || self.picture_pixels == Some(0) {
            return Some("a picture of no pixels is no picture");
        }
        let no_format = self.picture_formats.as_ref().is_some_and(Vec::is_empty);
        no_format.then_some("picture_formats names no format; leave it out if it is not known")
    }
}
