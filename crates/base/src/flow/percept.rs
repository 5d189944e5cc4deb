//! What perception extracted from a frame.

use super::frame::Frame;
use crate::port::perceiver::Blind;
use crate::space::FrameRect;
use serde::{Deserialize, Serialize};

/// One thing seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The perceiver that saw it.
    pub by: String,
    /// What kind of thing: `text`, `button`, `scrollbar`, a detector's class.
    pub kind: String,
    /// Its words or its label.
    pub label: String,
    pub area: FrameRect,
    /// 0 to 1.
    pub confidence: f32,
}

/// A frame and what was seen on it.
#[derive(Debug, Clone)]
pub struct Percept {
    pub frame: Frame,
    pub findings: Vec<Finding>,
    pub blind: Vec<Blind>,
}
