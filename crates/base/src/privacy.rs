//! The word by which a person keeps a while to themselves: nothing is looked at, asked or moved until they give it up.
//!
//! Anybody may begin it from any thread (a signal, a key, a file); who works with a screen asks it before every look. Unlike a
//! stop it can be taken back. It refuses to know how long it should last.
//!
//! The word that gives it up also ends a hold: a pause that whoever works made on their own account, for a person to see and end.

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
    /// Whoever works holds still on their own account, until this is set or they go on.
    hold: Option<Stop>,
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

    /// Ends it, and a hold with it.
    pub fn end(&self) {
        self.turn(false);
        let hold = self.state().hold.take();
        hold.iter().for_each(|hold| hold.set(StopReason::Person));
    }

    /// Begins it, or ends it and a hold.
    pub fn toggle(&self) {
        if self.is_on() || self.is_held() { self.end() } else { self.begin() }
    }

    /// Said by whoever works: they hold still on their own account, until [`Privacy::go_on`] or until the word that this
    /// returns is set, by [`Privacy::end`].
    pub fn hold(&self) -> Stop {
        self.state().hold.get_or_insert_default().clone()
    }

    /// Said by whoever works: the hold is over.
    pub fn go_on(&self) {
        self.state().hold = None;
    }

    pub fn is_held(&self) -> bool {
        self.state().hold.is_some()
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

    #[test]
    fn the_word_that_ends_it_ends_a_hold_too() {
        let privacy = Privacy::new();
        privacy.end();
        let word = privacy.hold();
        assert!(privacy.is_held() && !privacy.is_on() && !word.is_set(), "an earlier word is none");
        privacy.toggle();
        assert!(word.is_set() && !privacy.is_held() && !privacy.is_on());
        let word = privacy.hold();
        privacy.go_on();
        privacy.end();
        assert!(!privacy.is_held() && !word.is_set(), "it went on by itself");
    }
}
