//! What a replay did differently from its recording: the first thing only, because everything after it follows from it.

use handsight_base::flow::action::ActionHash;
use handsight_base::flow::receipt::Outcome;
use handsight_store::ActionRow;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// One recorded deed.
#[derive(Debug, Clone)]
pub(super) struct Expected {
    pub name: &'static str,
    pub hash: ActionHash,
    pub outcome: Option<Outcome>,
}

impl From<ActionRow> for Expected {
    fn from(row: ActionRow) -> Self {
        Self { name: row.action.name(), hash: row.hash, outcome: row.outcome }
    }
}

/// Where a replay left its recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The recorded turn.
    pub turn: u64,
    /// What was recorded: the action and its hash. `None` if nothing more was done in that turn.
    pub recorded: Option<String>,
    /// What came; `None` if nothing did.
    pub came: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_nothing = |what: &Option<String>| what.clone().unwrap_or_else(|| "nothing".into());
        let (recorded, came) = (or_nothing(&self.recorded), or_nothing(&self.came));
        write!(f, "turn {}: recorded was {recorded}, but {came} came", self.turn)
    }
}

/// Remembers the first difference; clones are the same memory.
#[derive(Debug, Clone, Default)]
pub struct FirstDifference {
    first: Arc<OnceLock<Difference>>,
}

impl FirstDifference {
    /// The first difference so far.
    pub fn get(&self) -> Option<Difference> {
        self.first.get().cloned()
    }

    pub(super) fn note(&self, turn: u64, recorded: Option<Expected>, came: Option<String>) {
        let recorded = recorded.map(|e| format!("{} {}", e.name, e.hash.0));
        let _later = self.first.set(Difference { turn, recorded, came });
    }
}
