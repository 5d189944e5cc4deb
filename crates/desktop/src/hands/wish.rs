//! What the engine wants of the clipboard, as it travels to the hands.

use handsight_base::port::desktop::ClipboardContents;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the engine wants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wish {
    /// Puts contents on the clipboard. If `lent`, what was there is kept, to be given back.
    Offer { formats: Vec<(String, Bytes)>, lent: bool },
    /// Waits until a program has taken what was offered, then gives back what was kept.
    GiveBack { patience: Duration },
}

/// Contents on their way through a pipe of JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Bytes {
    Text(String),
    Raw(Vec<u8>),
}

impl Wish {
    pub(crate) fn offer(contents: ClipboardContents, lent: bool) -> Self {
        let formats = contents.formats.into_iter().map(|(name, bytes)| {
            (name, String::from_utf8(bytes).map_or_else(|e| Bytes::Raw(e.into_bytes()), Bytes::Text))
        });
        Self::Offer { formats: formats.collect(), lent }
    }
}

/// The contents of an offer.
pub(crate) fn contents(formats: Vec<(String, Bytes)>) -> ClipboardContents {
    let formats = formats.into_iter().map(|(name, bytes)| match bytes {
        Bytes::Text(text) => (name, text.into_bytes()),
        Bytes::Raw(bytes) => (name, bytes),
    });
    ClipboardContents { formats: formats.collect() }
}

/// What came of a wish, or why it could not be granted.
pub(crate) type Granted = Result<Done, String>;

/// A wish granted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Done {
    /// The clipboard was ours to offer; what was offered was taken by a program.
    pub yes: bool,
    /// Formats a person had on the clipboard that cannot be given back, by name.
    pub lost: Vec<String>,
}

impl From<bool> for Done {
    fn from(yes: bool) -> Self {
        Self { yes, lost: Vec::new() }
    }
}
