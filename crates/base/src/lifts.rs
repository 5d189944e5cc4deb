//! The word of the hands that what an action left down is up again, though no action lifted it.
//!
//! A button that one action presses stays down until another releases it. Whatever else ends that is heard here, or a model would
//! go on with a drag that is over. It keeps the newest reason only, and refuses to know what was held.

use std::sync::{Arc, Mutex, PoisonError};

/// Why it is up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifted {
    /// It was down for as long as anything may be.
    TooLong,
    /// The engine gave no sign of life.
    Silence,
    /// Everything was released: after a failure, or because the run waits for a person.
    Released,
}

/// A shared word. Clones are the same word.
#[derive(Debug, Clone, Default)]
pub struct Lifts(Arc<Mutex<Option<Lifted>>>);

impl Lifts {
    /// Something that was down is up again.
    pub fn hear(&self, why: Lifted) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
    }

    /// What was heard since the last time.
    pub fn take(&self) -> Option<Lifted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lifted_is_told_once() {
        let lifts = Lifts::default();
        assert_eq!(lifts.take(), None);
        lifts.clone().hear(Lifted::Silence);
        lifts.hear(Lifted::TooLong);
        assert_eq!((lifts.take(), lifts.take()), (Some(Lifted::TooLong), None));
    }
}
