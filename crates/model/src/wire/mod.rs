//! Wires: the JSON of an HTTP API, one file each.
//!
//! A wire is two pure functions. It writes a neutral request as the bytes of a body, the same bytes for the same request, and
//! reads the bytes of a reply. It knows no network, no key and no price, and never repairs what it reads.

pub mod chat;
mod json;

use crate::provider::{MaxTokensField, ToolChoice};
use handsight_base::port::model::{ModelReply, ModelRequest};

/// The wires there are. One line each.
pub static WIRES: &[Wire] = &[chat::WIRE];

#[derive(Debug, Clone, Copy)]
pub struct Wire {
    pub name: &'static str,
    pub about: &'static str,
    /// Where a request goes, below the base address.
    pub path: &'static str,
    /// Where the list of models is.
    pub models_path: &'static str,
    /// The body of a request.
    pub encode: fn(&ModelRequest, &WireOptions<'_>) -> Vec<u8>,
    /// A reply without its exchange and cost, or what is wrong with it. The calls' arguments stay the model's own text.
    pub decode: fn(&[u8]) -> Result<ModelReply, String>,
}

/// What a provider wants of the same wire.
#[derive(Debug, Clone, Copy)]
pub struct WireOptions<'a> {
    pub model: &'a str,
    pub max_tokens_field: MaxTokensField,
    pub tool_choice: Option<ToolChoice>,
    /// Leave temperature and top_p out.
    pub fixed_sampling: bool,
}

impl<'a> WireOptions<'a> {
    pub fn new(model: &'a str) -> Self {
        Self { model, max_tokens_field: MaxTokensField::default(), tool_choice: None, fixed_sampling: false }
    }
}

/// Length of `bytes` bytes in base64, padding included.
pub(crate) const fn base64_len(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}
