//! How a run can end, and what it leaves to say.

use handsight_base::port::desktop::{DesktopError, DesktopFault};
use handsight_base::stop::StopReason;
use handsight_store::StoreError;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// Why a run ended. Each has its word in `run --json` and its exit code in `app`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The model said so; whether it is true is for a checker to say.
    Done,
    TurnLimit,
    TimeLimit,
    CostLimit,
    /// The model could not be reached, or failed too often in a row.
    ModelFailed,
    /// The model's replies could not be used too often in a row.
    Malformed,
    /// The policy refused, or a person did.
    Refused,
    Loop,
    TargetLost,
    DesktopLost,
    /// The journal could not be written: nothing was done that it does not hold.
    Storage,
    Stopped(#[serde(skip)] StopReason),
}

impl Outcome {
    /// The word of the contract.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::TurnLimit => "turn_limit",
            Self::TimeLimit => "time_limit",
            Self::CostLimit => "cost_limit",
            Self::ModelFailed => "model_failed",
            Self::Malformed => "malformed",
            Self::Refused => "refused",
            Self::Loop => "loop",
            Self::TargetLost => "target_lost",
            Self::DesktopLost => "desktop_lost",
            Self::Storage => "storage",
            Self::Stopped(_) => "stopped",
        }
    }
}

/// What a run has to say for itself at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    pub outcome: Outcome,
    /// The model's closing words, or what went wrong.
    pub statement: String,
    /// What a checker found; `None` without one.
    pub verified: Option<bool>,
    /// Turns and actions of this run and of those it resumes.
    pub turns: u64,
    pub actions: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// `None` when a price is unknown.
    pub cost_usd: Option<f64>,
    /// Of this run and of those it resumes, as far as turns were committed or the end was told.
    pub wall_s: f64,
    /// Median of what the engine itself took per turn.
    pub overhead_ms_p50: f64,
}

/// What ends a turn, and with it the run, before it is complete.
#[derive(Debug, thiserror::Error)]
pub enum Interruption {
    #[error(transparent)]
    Desktop(#[from] DesktopError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(
        "no space left at {}{}: free some, then resume the run; nothing was done that the journal does not hold",
        path.display(),
        waited_text(*waited)
    )]
    Full { path: PathBuf, waited: Duration },
    #[error("the journal's thread is gone")]
    JournalGone,
    #[error("stopped")]
    Stopped(StopReason),
    /// The person began a pause before anything was decided: the turn is taken back.
    #[error("paused")]
    Private,
    #[error("the model's service has not answered for {:.0} s; the run can be resumed when it is back", away.as_secs_f64())]
    ModelAway { away: Duration },
    #[error("the time limit has passed")]
    TimeLimit,
    #[error("{0}")]
    CostLimit(String),
    /// What a call costs could not be recorded, so it was not made.
    #[error("{0}")]
    Unrecorded(String),
    #[error("the picture could not be made: {0}")]
    Picture(String),
}

fn waited_text(waited: Duration) -> String {
    if waited.is_zero() { String::new() } else { format!(" for {:.0} s", waited.as_secs_f64()) }
}

impl Interruption {
    /// The outcome it means.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Desktop(e) if e.fault() == DesktopFault::Target => Outcome::TargetLost,
            Self::Desktop(DesktopError::NoSuchWindow { .. }) => Outcome::TargetLost,
            Self::Desktop(_) | Self::Picture(_) => Outcome::DesktopLost,
            Self::Store(_) | Self::Full { .. } | Self::JournalGone | Self::Unrecorded(_) => Outcome::Storage,
            Self::Stopped(reason) => Outcome::Stopped(*reason),
            Self::Private => Outcome::Stopped(StopReason::Person),
            Self::TimeLimit => Outcome::TimeLimit,
            Self::ModelAway { .. } => Outcome::ModelFailed,
            Self::CostLimit(_) => Outcome::CostLimit,
        }
    }
}
