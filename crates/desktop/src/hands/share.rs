//! One pair of hands for all connections of a run: they outlive a connection, and a second pair on the same desktop would be
//! refused.

use super::{Hands, HandsConfig};
use handsight_base::port::desktop::DesktopError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) type SharedHands = Arc<Mutex<Hands>>;

/// The hands of a run, if it has any yet.
#[derive(Debug, Default)]
pub(crate) struct KeptHands(Mutex<Option<SharedHands>>);

impl KeptHands {
    /// The hands of this run, started if there are none or if they have ended.
    pub(crate) fn get(&self, config: &HandsConfig) -> Result<SharedHands, DesktopError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Hands end with their own connection to the desktop, after releasing everything.
        if let Some(hands) = kept.as_ref().filter(|hands| !locked(hands).has_ended()) {
            return Ok(Arc::clone(hands));
        }
        let hands = Arc::new(Mutex::new(Hands::spawn(config.clone())?));
        *kept = Some(Arc::clone(&hands));
        Ok(hands)
    }
}

pub(crate) fn locked(hands: &SharedHands) -> MutexGuard<'_, Hands> {
    hands.lock().unwrap_or_else(PoisonError::into_inner)
}
