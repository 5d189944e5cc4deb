//! What the person's own keys and mouse mean to a run, where they can be told from its own (X11, Windows).

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Person {
    /// They pause the run; `false` lets it go on among them.
    pub pause: bool,
    pub resume: Resume,
    /// Seconds without their input.
    pub quiet_s: f64,
}

impl Default for Person {
    fn default() -> Self {
        Self { pause: true, resume: Resume::Quiet, quiet_s: 3.0 }
    }
}

/// How a run goes on that the person's own input has paused. Their word does in any case but the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resume {
    /// After `quiet_s` without it.
    Quiet,
    /// By their word: `runs unpause`, or the signal for it.
    Word,
    /// It ends, stopped by the person.
    Never,
}
