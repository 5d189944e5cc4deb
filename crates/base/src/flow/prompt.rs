//! What the model gets to see: bounded fragments, pictures and tools.
//!
//! Every fragment has a name, a provenance and a cap, so that nothing can flood a request and nobody has to guess where a
//! sentence came from. This module refuses unmarked text: there is no way to add a string without its provenance.

use super::past::Past;
use crate::space::{FrameGeometry, PictureGeometry};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Where a text came from (R14). Only `User` text may stand in the instruction slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// The person, the profile, the operator.
    User,
    Screen,
    Tool,
    Memory,
    /// The model's own earlier words.
    OwnWords,
}

/// Where a fragment stands in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    System,
    User,
}

/// A bounded piece of text. It can be written out but not read back: [`Fragment::new`] is the only way to one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fragment {
    name: &'static str,
    slot: Slot,
    provenance: Provenance,
    text: String,
}

/// The end of a text that was cut.
const CUT: &str = " [cut]";

impl Fragment {
    /// Cuts `text` to `cap_tokens` (four bytes a token, on a character border) and says so at its end, within the cap.
    /// Text that is not the user's is moved out of the system slot.
    pub fn new(
        name: &'static str,
        slot: Slot,
        provenance: Provenance,
        text: impl Into<String>,
        cap_tokens: u32,
    ) -> Self {
        let mut text: String = text.into();
        let cap = cap_tokens as usize * 4;
        if text.len() > cap {
            let said = if cap >= CUT.len() { CUT } else { "" };
            text.truncate(text.floor_char_boundary(cap - said.len()));
            text.push_str(said);
        }
        let slot = if provenance == Provenance::User { slot } else { Slot::User };
        Self { name, slot, provenance, text }
    }

    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub const fn slot(&self) -> Slot {
        self.slot
    }

    pub const fn provenance(&self) -> Provenance {
        self.provenance
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

/// An encoded picture as the model gets it.
#[derive(Clone)]
pub struct Picture {
    pub bytes: Arc<[u8]>,
    /// Of a [`PictureFormat`](super::format::PictureFormat): `image/png`, `image/webp`, `image/jpeg`.
    pub media_type: &'static str,
    /// How its pixels map to the frame.
    pub geometry: PictureGeometry,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture({}, {}, {} bytes)", self.geometry.size, self.media_type, self.bytes.len())
    }
}

/// A tool as it is offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON schema of the arguments, an object.
    pub parameters: Value,
}

/// A tool that a provider defined itself, such as its computer: an entry of the request's list of tools as that wire has it.
#[derive(Debug, Clone, PartialEq)]
pub struct NativeTool {
    /// The only wire that knows it; others leave it out.
    pub wire: &'static str,
    pub json: Value,
    /// Headers that switch it on.
    pub headers: &'static [(&'static str, &'static str)],
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sampling {
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub max_tokens: Option<u32>,
}

/// Everything of one request, before a dialect writes it down.
#[derive(Debug, Clone)]
pub struct Prompt {
    pub fragments: Vec<Fragment>,
    pub pictures: Vec<Picture>,
    pub tools: Vec<ToolSpec>,
    pub sampling: Sampling,
    /// The conversation so far, oldest first; empty in profiles that keep none.
    pub history: Vec<Past>,
    /// Of the frame the model judges by.
    pub frame: FrameGeometry,
    /// When that frame was captured.
    pub captured_at: Duration,
}

impl Prompt {
    /// The fragments of a slot, joined by empty lines, in their order.
    pub fn text_of(&self, slot: Slot) -> String {
        let texts: Vec<&str> = self.fragments.iter().filter(|f| f.slot == slot).map(Fragment::text).collect();
        texts.join("\n\n")
    }
}

#[cfg(test)]
mod tests;
