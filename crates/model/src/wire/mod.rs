//! Wires: the JSON of an HTTP API, one file each.
//!
//! A wire is pure functions. It writes a neutral request as the bytes of a body, the same bytes for the same request, reads the
//! bytes of a reply, and puts the events of a stream together into the body that would have come without one, so that both are
//! read by the same function. It knows no network, no key and no price, and never repairs what it reads; what is *sent* goes
//! through [`repair`] first, since a history that lost a result would be refused for ever.

pub mod chat;
pub mod gemini;
mod json;
pub mod messages;
pub mod repair;
pub mod responses;
pub mod sse;

use crate::provider::{CallIds, MaxTokensField, Thinking, ToolChoice};
use handsight_base::port::model::{ModelReply, ModelRequest};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use sse::Event;

/// The wires there are. One line each.
pub static WIRES: &[Wire] = &[chat::WIRE, messages::WIRE, responses::WIRE, gemini::WIRE];

#[derive(Debug, Clone, Copy)]
pub struct Wire {
    pub name: &'static str,
    pub about: &'static str,
    /// Where a request goes, below the base address: of a model, streamed or not.
    pub path: fn(&str, bool) -> String,
    /// Where the list of models is.
    pub models_path: &'static str,
    /// The names in that list; `None` if it is no such list.
    pub models: fn(&Value) -> Option<Vec<String>>,
    /// Headers of every call.
    pub headers: &'static [(&'static str, &'static str)],
    /// The body of a request that [`repair`] has seen; use [`Wire::body`].
    pub encode: fn(&ModelRequest, &WireOptions<'_>) -> Vec<u8>,
    /// A reply without its exchange and cost, or what is wrong with it. The calls' arguments stay the model's own text.
    pub decode: fn(&[u8]) -> Result<ModelReply, String>,
    /// How the service counts a request that is not asked yet; `None` where no service of this wire does so free of charge.
    pub count: Option<Count>,
    /// Puts a stream together.
    pub assemble: fn() -> Box<dyn Assemble>,
    /// Whether a turn's own JSON can be sent back beside results for these calls, each with its id.
    pub raw_fits: fn(&Value, &[&str]) -> bool,
    /// Whether a result may hold a picture, unless a provider says otherwise.
    pub pictures_in_results: bool,
}

/// A call that counts the tokens of a request.
#[derive(Debug, Clone, Copy)]
pub struct Count {
    /// Where it goes, below the base address: for a model.
    pub path: fn(&str) -> String,
    encode: fn(&ModelRequest, &WireOptions<'_>) -> Vec<u8>,
    /// The tokens that its answer names.
    pub tokens: fn(&Value) -> Option<u64>,
}

impl Wire {
    /// The body of a request, whatever state its history is in (R36).
    pub fn body(&self, request: &ModelRequest, options: &WireOptions<'_>) -> Vec<u8> {
        (self.encode)(&repair::repair(self, request, options), options)
    }

    /// The body of the call that counts the same request, where the service has such a call.
    pub fn count_body(&self, request: &ModelRequest, options: &WireOptions<'_>) -> Option<Vec<u8>> {
        let count = self.count?;
        Some((count.encode)(&repair::repair(self, request, options), options))
    }
}

/// Puts the events of a streamed reply together.
pub trait Assemble: Send {
    /// Takes the next event. `Ok(true)` when the reply is whole: nothing after it is read.
    fn event(&mut self, event: &Event) -> Result<bool, StreamFault>;

    /// The body that would have come without a stream. Fails unless the reply came to its own end.
    fn finish(&mut self) -> Result<Vec<u8>, StreamFault>;
}

/// Why a stream gave no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamFault {
    Malformed(String),
    /// The service gave up in the middle, as if it had answered with this status.
    Failed {
        status: u16,
        words: String,
    },
}

impl From<String> for StreamFault {
    fn from(why: String) -> Self {
        Self::Malformed(why)
    }
}

impl From<&str> for StreamFault {
    fn from(why: &str) -> Self {
        Self::Malformed(why.to_owned())
    }
}

/// What a provider wants of the same wire.
#[derive(Debug, Clone, Copy)]
pub struct WireOptions<'a> {
    /// Whose turns are sent back as they came.
    pub provider: &'a str,
    pub model: &'a str,
    pub stream: bool,
    pub max_tokens_field: MaxTokensField,
    pub tool_choice: Option<ToolChoice>,
    /// Leave temperature and top_p out.
    pub fixed_sampling: bool,
    pub thinking: Option<Thinking>,
    /// Whether marks for the provider's cache are set, where a wire has such.
    pub caching: bool,
    /// Whether a result may hold a picture; if not, it follows the results.
    pub pictures_in_results: bool,
    /// Most pictures of a request; older ones give way.
    pub picture_count: Option<u32>,
    /// Keys of a turn's own JSON that go back beside the usual ones.
    pub replay: &'a [String],
    pub call_ids: CallIds,
    /// Whether the provider can hold a reply to a form.
    pub forms: bool,
}

impl<'a> WireOptions<'a> {
    pub fn new(model: &'a str) -> Self {
        Self {
            provider: "",
            model,
            stream: false,
            max_tokens_field: MaxTokensField::default(),
            tool_choice: None,
            fixed_sampling: false,
            thinking: None,
            caching: true,
            pictures_in_results: false,
            picture_count: None,
            replay: &[],
            call_ids: CallIds::default(),
            forms: false,
        }
    }
}

/// The tools that this wire's services defined.
fn native<'a>(request: &'a ModelRequest, wire: &str) -> Vec<&'a Value> {
    request.native.iter().filter(|tool| tool.wire == wire).map(|tool| &tool.json).collect()
}

/// Length of `bytes` bytes in base64, padding included.
pub(crate) const fn base64_len(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

/// Enough for the whole body, so that a picture is not moved by a growing buffer.
pub(crate) fn size_of_body(request: &ModelRequest) -> usize {
    use handsight_base::port::model::Part;
    let parts = request.messages.iter().flat_map(|m| &m.parts);
    let of_parts: usize = parts
        .map(|p| match p {
            Part::Text(text) => text.len() + 64,
            Part::Picture(picture) => base64_len(picture.bytes.len()) + 128,
            Part::Call(call) => call.arguments.len() + 256,
            Part::Result { text, picture, .. } => {
                text.len() + 256 + picture.as_ref().map_or(0, |p| base64_len(p.bytes.len()) + 128)
            }
        })
        .sum();
    let of_tools: usize = request.tools.iter().map(|t| t.description.len() + 512).sum();
    // A quarter more text for what has to be escaped.
    request.system.len() * 5 / 4 + of_parts + of_parts / 64 + of_tools + 4096
}

/// A result's text on a wire that has no field for a failure: it is said.
fn said(text: &str, is_error: bool) -> String {
    if is_error && !text.to_ascii_lowercase().starts_with("error") {
        format!("error: {text}")
    } else {
        text.to_owned()
    }
}

/// An object and nothing else: serde would read an array as the fields in order.
fn object<'a, T: Deserialize<'a>>(what: &str, raw: &'a RawValue) -> Result<T, String> {
    if !raw.get().starts_with('{') {
        return Err(format!("{what} is no object"));
    }
    serde_json::from_str(raw.get()).map_err(|e| format!("{what} cannot be read ({e})"))
}

/// The whole body as one JSON value, or what it is instead.
fn whole<'a>(body: &'a [u8], what: &str) -> Result<&'a RawValue, String> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err("it is empty".into());
    }
    serde_json::from_slice(body).map_err(|e| format!("it is no {what} ({e})"))
}

/// The words of an error in any of the forms services use.
fn words(error: &Value) -> String {
    let message = error.get("message").unwrap_or(error);
    message.as_str().map_or_else(|| message.to_string(), str::to_owned)
}

/// The data of an event as JSON.
fn json_of(event: &Event) -> Result<Value, StreamFault> {
    serde_json::from_str(&event.data).map_err(|e| format!("an event of the stream is no JSON ({e})").into())
}

/// A status that an error names by number, if it is one of an error.
fn status_of(error: &Value) -> Option<u16> {
    let code = error.get("code").or_else(|| error.get("status"))?;
    let code = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
    u16::try_from(code).ok().filter(|c| (400..600).contains(c))
}

/// The ids in the `data` of a list of models, as most services have it.
fn data_ids(list: &Value) -> Option<Vec<String>> {
    let rows = list.get("data")?.as_array()?;
    Some(rows.iter().filter_map(|row| row.get("id")?.as_str()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests;
