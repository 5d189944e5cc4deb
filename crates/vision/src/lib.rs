//! What can be read from pixels alone.
//!
//! Everything here is a pure function or a state machine over pictures that others took at times that others chose, but for
//! [`text`], which asks the engine that a profile names. The crate refuses to capture and to ask a model.

pub mod change;
pub mod recheck;
pub mod segment;
pub mod settle;
pub mod suspicion;
pub mod text;

/// Something that reads a frame before the model sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerceiverEntry {
    /// Its word in `perceive.perceivers`.
    pub name: &'static str,
    pub about: &'static str,
}

/// Every perceiver there is. Help, docs and tests iterate over this.
pub const PERCEIVERS: &[PerceiverEntry] =
    &[PerceiverEntry { name: text::NAME, about: "lines of text, read by tesseract or by Windows' own OCR" }];
