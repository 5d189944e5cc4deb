//! A model that plays the recorded calls of a run: `--model recorded/RUN`.
//!
//! Each request is compared with the recorded one, a picture by the hash of its bytes. A difference does not end the replay, it
//! is reported: the first one says where a changed program left the old path. Nothing is asked over a network.

use crate::provider::{MaxTokensField, Thinking, ToolChoice};
use crate::wire::{Wire, WireOptions, chat, gemini, messages, responses};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handsight_base::flow::format::{PictureFormat, PictureLimits};
use handsight_base::port::BoxFuture;
use handsight_base::port::model::{Exchange, Model, ModelError, ModelReply, ModelRequest};
use handsight_base::stop::Stop;
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Where recorded exchanges come from.
pub trait Recording: Send + Sync {
    /// The exchange of call `n`, from 0; `None` after the last.
    fn exchange(&self, n: usize) -> Option<Exchange>;
}

impl Recording for Vec<Exchange> {
    fn exchange(&self, n: usize) -> Option<Exchange> {
        self.get(n).cloned()
    }
}

/// Where a request was not the recorded one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The call, from 1.
    pub call: usize,
    /// Where in the request, such as `messages[1].content[0].image_url.url`.
    pub place: String,
    /// What stands there, shortened; a picture by its hash.
    pub recorded: String,
    pub now: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { call, place, recorded, now } = self;
        write!(f, "call {call} differs from the recording at {place}: recorded {recorded}, now {now}")
    }
}

/// Before the hash of a JPEG that stands without a data URL.
const BARE_JPEG: &str = "jpeg:";

pub struct Recorded {
    name: String,
    recording: Box<dyn Recording>,
    played: AtomicUsize,
    difference: Mutex<Option<Difference>>,
}

impl Recorded {
    /// `run` is for the model's name.
    pub fn new(run: &str, recording: Box<dyn Recording>) -> Self {
        Self {
            name: format!("recorded/{run}"),
            recording,
            played: AtomicUsize::new(0),
            difference: Mutex::new(None),
        }
    }

    /// Calls played so far.
    pub fn played(&self) -> usize {
        self.played.load(Ordering::Acquire)
    }

    /// Where the first request that was not the recorded one differs.
    pub fn first_difference(&self) -> Option<Difference> {
        self.difference.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn play(&self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        let n = self.played();
        let Some(exchange) = self.recording.exchange(n) else {
            return Err(ModelError::RecordingEnds { played: n });
        };
        self.played.store(n + 1, Ordering::Release);
        let recorded: Value = serde_json::from_str(&exchange.request).unwrap_or_default();
        let wire = wire_of(&recorded);
        // Of a call that went over no wire there is nothing to compare.
        if exchange.request != Exchange::OWN_PIXELS {
            let now = wire.body(request, &options_of(&recorded));
            let now: Value = serde_json::from_slice(&now).unwrap_or_default();
            if let Some((place, recorded, now)) = first_difference(&recorded, &now) {
                let mut first = self.difference.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(Difference { call: n + 1, place, recorded, now });
            }
        }
        let provider = || self.name.clone();
        if !(200..300).contains(&exchange.status) {
            let (status, body) = (exchange.status, exchange.response);
            return Err(ModelError::Http { provider: provider(), status, body, retry_after: None });
        }
        let mut reply = (wire.decode)(exchange.response.as_bytes()).map_err(|why| {
            let start = exchange.response.chars().take(200).collect();
            ModelError::Malformed { provider: provider(), why, start }
        })?;
        reply.exchange = exchange;
        Ok(reply)
    }
}

impl Model for Recorded {
    fn name(&self) -> &str {
        &self.name
    }

    /// What the recorded call that comes next tells of its picture, so that the same one is made again.
    fn picture_limits(&self) -> PictureLimits {
        let Some(recorded) = self.recording.exchange(self.played()) else { return PictureLimits::default() };
        let formats = format_of(&recorded.request).map(|format| vec![format]);
        let own_pixels = recorded.request == Exchange::OWN_PIXELS;
        PictureLimits { formats, own_pixels, ..PictureLimits::default() }
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move { if stop.is_set() { Err(ModelError::Stopped) } else { self.play(request) } })
    }
}

/// What the newest picture of a request was written as.
fn format_of(request: &str) -> Option<PictureFormat> {
    PictureFormat::ALL
        .into_iter()
        .filter_map(|format| Some((request.rfind(format.media_type())?, format)))
        .max()
        .map(|(_, format)| format)
}

/// By which wire a request went, told from its shape: each has a word that no other has.
fn wire_of(recorded: &Value) -> Wire {
    let has = |key: &str| recorded.get(key).is_some();
    let blocks = || {
        let mut tools = recorded.get("tools").and_then(Value::as_array).into_iter().flatten();
        recorded.get("system").is_some_and(Value::is_array) || tools.any(|t| t.get("input_schema").is_some())
    };
    if has("contents") {
        gemini::WIRE
    } else if has("input") {
        responses::WIRE
    } else if blocks() {
        messages::WIRE
    } else {
        chat::WIRE
    }
}

/// How the provider of the recording wanted its requests, so that the same request comes out the same.
fn options_of(recorded: &Value) -> WireOptions<'_> {
    let has = |key: &str| recorded.get(key).is_some();
    let text = |key: &str| recorded.get(key).and_then(Value::as_str);
    let choice = |path: &str| recorded.pointer(path).and_then(Value::as_str);
    let budget = ["/thinking/budget_tokens", "/generationConfig/thinkingConfig/thinkingBudget"]
        .iter()
        .find_map(|path| recorded.pointer(path)?.as_u64());
    let thinking = match budget.and_then(|b| u32::try_from(b).ok()) {
        Some(budget) => Some(Thinking::Budget(budget)),
        None if choice("/thinking/type") == Some("adaptive") => Some(Thinking::Adaptive),
        None => has("include").then_some(Thinking::Kept),
    };
    let sampled = |path: &str| recorded.pointer(path).is_some();
    WireOptions {
        max_tokens_field: if has("max_completion_tokens") {
            MaxTokensField::MaxCompletionTokens
        } else {
            MaxTokensField::MaxTokens
        },
        tool_choice: match text("tool_choice").or_else(|| choice("/tool_choice/type")) {
            Some("auto") => Some(ToolChoice::Auto),
            Some("required" | "any") => Some(ToolChoice::Required),
            _ => None,
        },
        fixed_sampling: ![
            "/temperature",
            "/top_p",
            "/generationConfig/temperature",
            "/generationConfig/topP",
        ]
        .into_iter()
        .any(sampled),
        stream: has("stream"),
        forms: [
            "/response_format",
            "/output_config/format",
            "/text/format",
            "/generationConfig/responseJsonSchema",
        ]
        .into_iter()
        .any(sampled),
        thinking,
        caching: [recorded.get("system"), recorded.get("tools")].into_iter().flatten().any(is_marked),
        pictures_in_results: wire_of(recorded).pictures_in_results,
        ..WireOptions::new(text("model").unwrap_or_default())
    }
}

/// Whether a list ends in a mark for the provider's cache.
fn is_marked(list: &Value) -> bool {
    list.as_array().and_then(|l| l.last()).is_some_and(|last| last.get("cache_control").is_some())
}

/// The place and both sides of the first difference between two requests.
fn first_difference(recorded: &Value, now: &Value) -> Option<(String, String, String)> {
    match (recorded, now) {
        (Value::Object(a), Value::Object(b)) => {
            let inside = |(key, a): (&String, &Value)| {
                b.get(key).map_or_else(
                    || Some((key.clone(), shown(a), "nothing".into())),
                    |b| first_difference(a, b).map(|(place, a, b)| (join(key, &place), a, b)),
                )
            };
            a.iter().find_map(inside).or_else(|| {
                let (key, b) = b.iter().find(|(key, _)| !a.contains_key(*key))?;
                Some((key.clone(), "nothing".into(), shown(b)))
            })
        }
        (Value::Array(a), Value::Array(b)) => {
            let item = |list: &[Value], i: usize| list.get(i).map_or("nothing".into(), shown);
            (0..a.len().max(b.len())).find_map(|i| match (a.get(i), b.get(i)) {
                (Some(a), Some(b)) => {
                    first_difference(a, b).map(|(place, a, b)| (join(&format!("[{i}]"), &place), a, b))
                }
                _ => Some((format!("[{i}]"), item(a, i), item(b, i))),
            })
        }
        (Value::String(a), Value::String(b)) => {
            let (a, b) = (by_hash(a), by_hash(b));
            // What is written as JPEG again is a little another picture: that it is one must do.
            (a != b && !(is_jpeg(&a) && is_jpeg(&b))).then(|| differing_texts(&a, &b))
        }
        (a, b) => (a != b).then(|| (String::new(), shown(a), shown(b))),
    }
}

fn join(outer: &str, inner: &str) -> String {
    match inner.chars().next() {
        None => outer.to_owned(),
        Some('[') => format!("{outer}{inner}"),
        Some(_) => format!("{outer}.{inner}"),
    }
}

/// Both texts from a little before they part.
fn differing_texts(a: &str, b: &str) -> (String, String, String) {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let from = |text: &str| {
        let piece: String = text.chars().skip(same.saturating_sub(20)).take(60).collect();
        format!("{piece:?}")
    };
    let place = if same == 0 { String::new() } else { format!("[character {same}]") };
    (place, from(a), from(b))
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(s) => format!("{:?}", by_hash(s)),
        other => other.to_string(),
    };
    if text.chars().count() <= 80 { text } else { text.chars().take(77).chain("...".chars()).collect() }
}

/// A data URL of a picture as `data:image/png;base64,frame:HASH`, the form in which a journal refers to one that it keeps
/// elsewhere or no longer; any other text as it is.
fn by_hash(text: &str) -> String {
    let parts = text.strip_prefix("data:image/").and_then(|rest| rest.split_once(";base64,"));
    let Some((kind, base64)) = parts else { return bare_by_hash(text).unwrap_or_else(|| text.to_owned()) };
    match STANDARD.decode(base64) {
        Ok(bytes) => format!("data:image/{kind};base64,frame:{}", blake3::hash(&bytes)),
        // A reference already, or broken.
        Err(_) => text.to_owned(),
    }
}

/// Of what [`by_hash`] gave.
fn is_jpeg(text: &str) -> bool {
    text.starts_with("data:image/jpeg;base64,") || text.starts_with(BARE_JPEG)
}

/// The same of a picture that stands without a data URL, as two of the wires have it.
fn bare_by_hash(text: &str) -> Option<String> {
    let bytes = (text.len() >= 64).then(|| STANDARD.decode(text).ok())??;
    let is_picture = [b"\x89PNG".as_slice(), b"\xff\xd8\xff", b"RIFF"].iter().any(|m| bytes.starts_with(m));
    let mark = if bytes.starts_with(b"\xff\xd8\xff") { BARE_JPEG } else { "frame:" };
    is_picture.then(|| format!("{mark}{}", blake3::hash(&bytes)))
}

/// A request with every picture replaced by its hash, the form in which a recording may be kept.
pub fn pictures_by_hash(request: &str) -> String {
    fn walk(value: &mut Value) {
        match value {
            Value::String(s) => *s = by_hash(s),
            Value::Array(list) => list.iter_mut().for_each(walk),
            Value::Object(map) => map.values_mut().for_each(walk),
            _ => {}
        }
    }
    match serde_json::from_str::<Value>(request) {
        Ok(mut value) => {
            walk(&mut value);
            value.to_string()
        }
        Err(_) => request.to_owned(),
    }
}

#[cfg(test)]
mod tests;
