//! What the boxes and numbers on a picture are made of.

use super::ProfileError;
use crate::marks::{OCR, SOURCES, TREE};
use handsight_base::flow::ui::UiRequest;
use handsight_base::space::ScreenRect;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the boxes and numbers of `context.annotate` are made of; nothing is looked for unless one of them is drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Marks {
    /// `tree` is what programs say of themselves, `ocr` what the perceiver of that name reads, `segments` are shapes.
    pub sources: Vec<String>,
    /// Things that get a number on one picture.
    pub max: u32,
    /// Of the list that stands beside the picture.
    pub cap_tokens: u32,
    /// How long programs may take to say what they show; a turn goes on without those that take longer.
    pub tree_ms: u64,
}

impl Default for Marks {
    fn default() -> Self {
        // Shapes are for screens on which no program speaks: they are many, and without a name.
        Self { sources: [TREE, OCR].map(String::from).to_vec(), max: 150, cap_tokens: 2_000, tree_ms: 400 }
    }
}

impl Marks {
    pub(super) fn check(&self) -> Result<(), ProfileError> {
        if let Some(other) = self.sources.iter().find(|source| !SOURCES.contains(&source.as_str())) {
            return Err(ProfileError::value("perceive.marks.sources", other, "of tree, segments and ocr"));
        }
        if !(1..=999).contains(&self.max) {
            return Err(ProfileError::value("perceive.marks.max", self.max, "1 to 999"));
        }
        if !(1..=1_500).contains(&self.tree_ms) {
            return Err(ProfileError::value(
                "perceive.marks.tree_ms",
                self.tree_ms,
                "1 to 1500 milliseconds",
            ));
        }
        Ok(())
    }

    /// What programs are asked for.
    pub fn of_programs(&self, area: ScreenRect) -> UiRequest {
        UiRequest {
            within: Duration::from_millis(self.tree_ms),
            // Toolkits wrap a thing into another of its size, so that two of them may get one number.
            told: self.max as usize * 2,
            ..UiRequest::of(area)
        }
    }

    /// Whether it is looked for with this.
    pub(crate) fn has(&self, source: &str) -> bool {
        self.sources.iter().any(|named| named == source)
    }
}
