//! How long a service is to be left alone, known to everybody here who asks it (R33).
//!
//! A service that refuses for a while (429, 503, 529) says so for all: its pause is in the ledger, where other processes read it.
//! Any other failure that may pass is this process' own affair. Pauses grow twofold with the failures in a row; the first few with
//! full jitter, later ones never under half, so that calls a minute are bounded however long it lasts. What a service asks for is
//! kept up to an hour: then it is asked again, whatever it said.
//!
//! The ledger is on a disk: it is asked and told on a thread that may block, never on the one that drives the run.

use handsight_base::port::clock::Clock;
use handsight_base::port::model::ModelError;
use handsight_store::StoreError;
use handsight_store::spend::Ledger;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest first pause, and the longest of all.
const BASE: Duration = Duration::from_secs(1);
const CAP: Duration = Duration::from_secs(600);
/// The longest a service is left alone at its own word.
const LONGEST_ASKED: Duration = Duration::from_secs(3600);

pub struct Limiter {
    service: String,
    ledger: Option<Arc<Ledger>>,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// In a row.
    failures: u32,
    /// Until when the service itself wants none, and until when another call makes no sense; by the clock.
    refused_until: Duration,
    away_until: Duration,
    /// What the ledger last said of what other processes were told.
    others_until: Duration,
}

impl Limiter {
    /// `service` names the same service in every process: its provider and host. Without a ledger only this process knows.
    pub fn new(service: &str, ledger: Option<Arc<Ledger>>, clock: Arc<dyn Clock>) -> Self {
        Self { service: service.to_owned(), ledger, clock, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long the service wants no calls at all; from whichever process it said so to.
    pub(crate) async fn refused(&self) -> Duration {
        let (others, _) = self.shared().await;
        let own = self.state().refused_until.saturating_sub(self.clock.now());
        own.max(others)
    }

    /// How long it is best left alone, as far as this process knows since it last asked or failed.
    pub(crate) fn pause(&self) -> Duration {
        let state = self.state();
        let until = state.refused_until.max(state.away_until).max(state.others_until);
        until.saturating_sub(self.clock.now())
    }

    async fn shared(&self) -> (Duration, u32) {
        let unix_millis = self.clock.unix_millis();
        let known = self.in_ledger(move |ledger, service| ledger.service(service, unix_millis)).await;
        let (pause, failures) = match known {
            // Never longer than any process sets it: a clock may have been wrong when it was written.
            Some(Ok(known)) => (known.pause.min(LONGEST_ASKED + BASE), known.failures),
            Some(Err(error)) => {
                tracing::debug!("the pauses of other processes are not known: {error}");
                (Duration::ZERO, 0)
            }
            None => (Duration::ZERO, 0),
        };
        self.state().others_until = self.clock.now().saturating_add(pause);
        (pause, failures)
    }

    /// `None` without a ledger. What is begun is done, even if nobody waits for it any more.
    async fn in_ledger<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Ledger, &str) -> Result<R, StoreError> + Send + 'static,
    ) -> Option<Result<R, StoreError>> {
        let (ledger, service) = (Arc::clone(self.ledger.as_ref()?), self.service.clone());
        let path = ledger.path().to_owned();
        let done = tokio::task::spawn_blocking(move || work(&ledger, &service)).await;
        let gone =
            |e: tokio::task::JoinError| StoreError::Ledger { path, doing: "asking", why: e.to_string() };
        Some(done.map_err(gone).flatten())
    }

    /// A call failed in a way that may pass; `chance` is from 0 to 1.
    pub(crate) async fn failed(&self, error: &ModelError, chance: f64) {
        let (refused, asked) = match error {
            ModelError::Http { status, retry_after, .. } => (matches!(status, 429 | 503 | 529), *retry_after),
            _ => (false, None),
        };
        let (_, others) = self.shared().await;
        let pause = {
            let mut state = self.state();
            state.failures = state.failures.max(others).saturating_add(1);
            let pause = pause(state.failures, asked, chance);
            let until = self.clock.now().saturating_add(pause);
            state.away_until = state.away_until.max(until);
            if refused {
                state.refused_until = state.refused_until.max(until);
            }
            pause
        };
        if !refused {
            return;
        }
        let unix_millis = self.clock.unix_millis();
        let told =
            self.in_ledger(move |ledger, service| ledger.service_failed(service, pause, unix_millis)).await;
        if let Some(Err(error)) = told {
            tracing::debug!("other processes do not hear of a pause: {error}");
        }
    }

    pub(crate) async fn answered(&self) {
        *self.state() = State::default();
        if let Some(Err(error)) = self.in_ledger(|ledger, service| ledger.service_answered(service)).await {
            tracing::debug!("other processes do not hear that a service is back: {error}");
        }
    }
}

/// How long to leave a service alone after so many failures in a row.
fn pause(failures: u32, asked: Option<Duration>, chance: f64) -> Duration {
    let doubled = BASE.saturating_mul(2_u32.saturating_pow(failures)).min(CAP);
    let grown = if failures <= 2 { doubled.mul_f64(chance) } else { doubled.mul_f64(0.5 + chance / 2.0) };
    match asked {
        None => grown,
        // A little more than asked, or all who were sent away come back together. One that asks for nothing and refuses again
        // and again is not believed.
        Some(asked) if failures <= 2 => asked.min(LONGEST_ASKED) + BASE.mul_f64(chance),
        Some(asked) => grown.max(asked.min(LONGEST_ASKED) + BASE.mul_f64(chance)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_bound_and_absurd_wishes_are_cut() {
        for failures in 1..200 {
            for chance in [0.0, 0.5, 1.0] {
                let own = pause(failures, None, chance);
                assert!(
                    own <= CAP && (failures <= 2 || own >= Duration::from_secs(4)),
                    "{failures}: {own:?}"
                );
            }
            let asked = |asked: Duration| pause(failures, Some(asked), 1.0);
            assert_eq!(asked(Duration::MAX), LONGEST_ASKED + BASE);
            assert!(asked(Duration::from_secs(7)) >= Duration::from_secs(8));
            assert!(failures <= 2 || asked(Duration::ZERO) >= Duration::from_secs(8), "{failures}");
        }
        assert_eq!(pause(1, Some(Duration::from_secs(7)), 0.5), Duration::from_secs_f64(7.5));
        assert_eq!(pause(u32::MAX, None, 1.0), CAP);
    }
}
