//! The word by which a person keeps a while to themselves: nothing is looked at, asked or moved until they give it up.
//!
//! Anybody may begin it from any thread (a signal, a key, a file); who works with a screen asks it before every look. Unlike a
//! stop it can be taken back. It refuses to know how long it should last.

use crate::stop::{Stop, StopReason};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A shared word. Clones are the same word.
#[derive(Debug, Clone, Default)]
pub struct Privacy {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    is_on: bool,
    /// Set when it begins or ends next.
    change: Stop,
    /// Set once whoever works holds still.
    kept: Stop,
}

impl Privacy {
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn begin(&self) {
        self.turn(true);
    }

    pub fn end(&self) {
        self.turn(false);
    }

    /// Begins it, or ends it.
    pub fn toggle(&self) {
        let is_on = self.is_on();
        self.turn(!is_on);
    }

    fn turn(&self, on: bool) {
        let change = {
            let mut state = self.state();
            if state.is_on == on {
                return;
            }
            state.is_on = on;
            state.kept = Stop::new();
            std::mem::take(&mut state.change)
        };
        change.set(StopReason::Person);
    }

    pub fn is_on(&self) -> bool {
        self.state().is_on
    }

    /// A word that is set when this one changes next; now it is on if `.0` is.
    pub fn change(&self) -> (bool, Stop) {
        let state = self.state();
        (state.is_on, state.change.clone())
    }

    /// Said by whoever works: from now until the end nothing is looked at.
    pub fn keep(&self) {
        let state = self.state();
        if state.is_on {
            state.kept.set(StopReason::Person);
        }
    }

    /// True once nothing is looked at any more.
    pub fn is_kept(&self) -> bool {
        let state = self.state();
        state.is_on && state.kept.is_set()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_begins_is_kept_and_ends() {
        let privacy = Privacy::new();
        let (on, begun) = privacy.change();
        assert!(!on && !begun.is_set() && !privacy.is_kept());
        privacy.keep();
        assert!(!privacy.is_kept(), "there is nothing to keep");
        privacy.clone().begin();
        privacy.begin();
        assert!(begun.is_set() && privacy.is_on() && !privacy.is_kept());
        let (on, ended) = privacy.change();
        privacy.keep();
        assert!(on && privacy.is_kept() && !ended.is_set());
        privacy.end();
        assert!(ended.is_set() && !privacy.is_on() && !privacy.is_kept());
        privacy.toggle();
        assert!(privacy.is_on() && !privacy.is_kept(), "each time is kept anew");
    }
}
