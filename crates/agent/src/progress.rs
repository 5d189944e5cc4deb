//! What a run tells while it goes on: one closed list of events, for a terminal, a page or nobody.
//!
//! Events are facts for people. They hold no pictures and no credentials, and nothing waits for whoever listens.

use handsight_base::flow::decision::Consent;
use handsight_base::flow::frame::Suspicion;
use handsight_base::flow::settled::Calm;
use handsight_base::space::Size;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    TurnStarted {
        turn: u64,
    },
    Captured {
        size: Size,
        suspicion: Option<Suspicion>,
        took: Duration,
    },
    Asked {
        model: String,
        picture: Size,
        bytes: usize,
    },
    /// The model answered with something usable.
    Decided {
        tool: String,
        args: String,
        reason: String,
        took: Duration,
    },
    /// The model failed or its reply cannot be used; `failures` in a row so far, of `limit`.
    Failed {
        why: String,
        failures: u32,
        limit: u32,
    },
    Acted {
        action: String,
        outcome: String,
    },
    Settled {
        calm: Calm,
        waited: Duration,
    },
    /// The turn is durable: it will be there after any crash.
    Committed {
        turn: u64,
        overhead_ms: f64,
    },
    /// The disk of the journal is full: nothing moves until there is room, for `wait` at most. Sizes in bytes; `needed` is
    /// the least that lets the run go on.
    DiskFull {
        path: PathBuf,
        free: Option<u64>,
        needed: u64,
        wait: Duration,
    },
    /// There is room again, and the run goes on.
    RoomAgain {
        waited: Duration,
    },
    /// The model's service wants to be left alone, or does not answer: nothing moves for `wait`, then it is looked and asked
    /// again, until it has been `away` for `most`.
    ModelAway {
        model: String,
        away: Duration,
        wait: Duration,
        most: Duration,
    },
    /// It answers again.
    ModelBack {
        away: Duration,
    },
    /// A person began a pause: nothing is looked at, asked or moved until it ends.
    Paused,
    /// A person uses the screen themselves: nothing is looked at, asked or moved until they have been quiet for so long, or until
    /// their word.
    TakenOver {
        quiet: Option<Duration>,
    },
    /// The pause is over.
    GoesOn {
        paused: Duration,
    },
    /// A provider's question about its reply was put to a person.
    Confirmed {
        answer: Consent,
        waited: Duration,
    },
    /// Something a person should know that ends nothing.
    Warning(String),
}

/// Whoever wants to hear of a run.
pub trait Progress: Send {
    fn event(&mut self, event: &Event);
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn event(&mut self, _: &Event) {}
}
