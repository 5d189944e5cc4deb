//! Whether the screen came to rest after acting.

use super::receipt::Receipt;
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Calm {
    /// Settling is switched off, or nothing was done that could move the screen.
    Skipped,
    Settled,
    /// Still moving when the limit passed. No error.
    TimedOut,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    pub receipt: Receipt,
    pub calm: Calm,
    pub samples: u32,
    pub waited: Duration,
}
