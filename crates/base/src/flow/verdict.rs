//! What a check found after acting.

use super::settled::Settled;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// Nobody checks in this profile: the next picture is the check (S-47).
    Unchecked,
    Confirmed {
        by: String,
    },
    Denied {
        by: String,
        why: String,
    },
    /// The same thing again without effect; see the profile's loop rule.
    Stuck {
        repeats: u32,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    pub settled: Settled,
    pub judgement: Judgement,
}
