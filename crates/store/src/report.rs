//! What opening a run folder found, in words and numbers.
//!
//! Partial trouble is data: a run with a damaged row is opened, and says so.

use handsight_base::flow::action::{Action, ActionHash};
use std::fmt;
use std::path::PathBuf;

/// One thing that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file's name in the run folder.
    pub file: &'static str,
    /// Where in that file, in bytes, as closely as it is known.
    pub at: Option<u64>,
    pub what: String,
}

impl Damage {
    pub(crate) fn new(file: &'static str, at: impl Into<Option<u64>>, what: impl Into<String>) -> Self {
        Self { file, at: at.into(), what: what.into() }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(at) => write!(f, "{} at byte {at}: {}", self.file, self.what),
            None => write!(f, "{}: {}", self.file, self.what),
        }
    }
}

/// Rows that cannot be read any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LostRows {
    pub first: u64,
    pub last: u64,
    /// The turn of the last readable row before them (0: before the first turn).
    pub after_turn: u64,
}

impl fmt::Display for LostRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last, after_turn } = self;
        write!(f, "rows {first} to {last} (turn {after_turn} or after) are lost")
    }
}

/// A file that shows that more existed than the journal holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beyond {
    /// Relative to the run folder.
    pub file: PathBuf,
    /// The turn it shows, if it names one.
    pub turn: Option<u64>,
    /// True if the file is written only after the acknowledgement, so that an acknowledged turn is gone. Otherwise the
    /// engine may have died before the turn was recorded.
    pub proves_loss: bool,
    pub what: String,
}

impl fmt::Display for Beyond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.file.display(), self.what)
    }
}

/// An action whose outcome nobody knows: its intent was recorded, its outcome was not. It is never replayed.
#[derive(Debug, Clone, PartialEq)]
pub struct Ambiguous {
    pub turn: u64,
    pub index: u32,
    pub action: Action,
    pub hash: ActionHash,
}

/// What an opening found.
#[derive(Debug, Clone, Default)]
pub struct OpenReport {
    /// Empty in a sound run. The untouched rows are readable all the same.
    pub damage: Vec<Damage>,
    pub lost: Vec<LostRows>,
    /// True if all damage is in the last transaction of the log. A power cut during its sync leaves this, and then
    /// nothing of it was acknowledged; a bad disk may leave it too.
    pub torn_end: bool,
    /// Where damaged originals, and views of turns that are gone, are now, relative to the run folder. `None` for a
    /// reader, which moves nothing.
    pub set_aside: Option<PathBuf>,
    /// Bytes at the end of the log that belong to no whole transaction: what a power cut leaves. They were never
    /// acknowledged.
    pub unfinished_bytes: u64,
    pub beyond: Vec<Beyond>,
    /// The schema the file had, if it was brought to the present one.
    pub migrated_from: Option<u32>,
    /// Actions found without an outcome at this opening.
    pub ambiguous: Vec<Ambiguous>,
}

impl OpenReport {
    /// True if nothing was damaged and nothing proves a loss. What a killed engine or a power cut leaves is sound.
    pub fn is_sound(&self) -> bool {
        self.damage.is_empty() && self.lost.is_empty() && !self.beyond.iter().any(|b| b.proves_loss)
    }
}
