//! The word of the hands that a person uses the screen themselves: from then on it is theirs, until whoever works with it has
//! waited them out.
//!
//! Reports are counted. The hands number them, the engine says up to which one it has waited, and input is taken only while the
//! two agree; so a touch that comes just when the engine goes on is never lost between them. It refuses to know what a person did:
//! no key and no place is kept.

use crate::stop::{Stop, StopReason};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A shared word. Clones are the same word.
#[derive(Debug, Clone, Default)]
pub struct Presence {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    heard: u64,
    waited_out: u64,
    /// Set by the next report.
    change: Stop,
}

impl Presence {
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Report number `report` of the hands, from 1: a person's input. An older one than the latest changes nothing.
    pub fn hear(&self, report: u64) {
        let change = {
            let mut state = self.state();
            if report <= state.heard {
                return;
            }
            state.heard = report;
            std::mem::take(&mut state.change)
        };
        change.set(StopReason::Person);
    }

    /// True while the screen is the person's.
    pub fn is_on(&self) -> bool {
        let state = self.state();
        state.heard > state.waited_out
    }

    /// The latest report, and a word that is set by the next one.
    pub fn latest(&self) -> (u64, Stop) {
        let state = self.state();
        (state.heard, state.change.clone())
    }

    /// The person was waited out up to and with this report; one that came since keeps the screen theirs.
    pub fn wait_out(&self, report: u64) {
        let mut state = self.state();
        state.waited_out = state.waited_out.max(report);
    }

    /// Up to which report the person was waited out; what the hands are told with each piece of input.
    pub fn waited_out(&self) -> u64 {
        self.state().waited_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touch_while_the_engine_goes_on_keeps_the_screen_the_persons() {
        let presence = Presence::new();
        assert!(!presence.is_on());
        let (none, change) = presence.latest();
        presence.clone().hear(1);
        assert!(none == 0 && change.is_set() && presence.is_on());
        let (first, change) = presence.latest();
        presence.hear(2);
        presence.wait_out(first);
        assert!(change.is_set() && presence.is_on(), "the second came in between");
        presence.wait_out(presence.latest().0);
        assert_eq!((presence.is_on(), presence.waited_out()), (false, 2));
        let (_, change) = presence.latest();
        presence.hear(2);
        presence.hear(1);
        assert!(!change.is_set() && !presence.is_on(), "old reports are no news");
    }
}
