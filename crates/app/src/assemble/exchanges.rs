//! The recorded calls of a run, read as they are played.
//!
//! A run may hold thousands of pictures, so no more than one turn's calls are in memory.

use handsight_base::port::model::Exchange;
use handsight_model::recorded::Recording;
use handsight_store::{Reader, StoreError};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

pub(super) struct Exchanges {
    place: Mutex<Place>,
}

struct Place {
    reader: Reader,
    /// Turns still to be read.
    turns: std::vec::IntoIter<u64>,
    /// The calls of the turn that is played, and how many came before them.
    current: Vec<Exchange>,
    before: usize,
}

impl Exchanges {
    pub(super) fn open(run: &Path) -> Result<Self, StoreError> {
        let reader = Reader::open(run)?;
        let turns = reader.turns().into_iter();
        Ok(Self { place: Mutex::new(Place { reader, turns, current: Vec::new(), before: 0 }) })
    }
}

impl Recording for Exchanges {
    /// Calls come in their order; one that was left behind is gone.
    fn exchange(&self, n: usize) -> Option<Exchange> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        while n >= place.before + place.current.len() {
            let turn = place.turns.next()?;
            place.before += place.current.len();
            place.current = match place.reader.exchanges(turn) {
                Ok(recorded) => recorded.into_iter().map(|r| r.exchange).collect(),
                Err(error) => {
                    tracing::error!("turn {turn} of the recording: {error}");
                    return None;
                }
            };
        }
        place.current.get(n.checked_sub(place.before)?).cloned()
    }
}
