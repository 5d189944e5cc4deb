//! A model service that is away: the run waits for it with empty hands, and looks afresh before it asks again (R33).
//!
//! While it waits nothing is pressed and nothing is asked; a stop and the time limit still end it at once. Each call that failed
//! is a turn of its own in the journal, which counts against no limit of turns. This module refuses to wait for a service that
//! never answered and did not say that it wants time: that one is not there.

use crate::ending::Interruption;
use crate::engine::Engine;
use crate::progress::Event;
use handsight_base::port::model::ModelError;
use std::time::Duration;

/// What is known of the service that answers.
#[derive(Debug, Default)]
pub(crate) struct Away {
    /// It has answered in this run.
    answered: bool,
    /// Since when it does not, by the stopwatch.
    since: Option<Duration>,
    /// Turns that came to nothing for it.
    pub(crate) turns: u64,
}

impl Engine {
    /// True if this failure is a matter of waiting; then it counts as none.
    pub(crate) fn goes_away(&mut self, error: &ModelError) -> bool {
        let said_so = matches!(error, ModelError::Http { .. });
        let waits = self.profile.decide.park_s > 0.0 && self.model.pause().is_some();
        if !waits || !error.is_passing() || !(said_so || self.away.answered) {
            return false;
        }
        self.away.since.get_or_insert(self.stopwatch.now());
        self.away.turns += 1;
        true
    }

    pub(crate) fn came_back(&mut self) {
        self.away.answered = true;
        if let Some(since) = self.away.since.take() {
            let away = self.stopwatch.now().saturating_sub(since);
            self.tell(Event::ModelBack { away });
        }
    }

    /// Waits for as long as the service is best left alone.
    pub(crate) async fn park(&mut self) -> Result<(), Interruption> {
        let (Some(since), Some(pause)) = (self.away.since, self.model.pause()) else { return Ok(()) };
        let most = Duration::from_secs_f64(self.profile.decide.park_s);
        let away = self.stopwatch.now().saturating_sub(since);
        let left = most.saturating_sub(away);
        if left.is_zero() {
            return Err(Interruption::ModelAway { away });
        }
        self.let_go().await;
        let (model, wait) = (self.model.name().to_owned(), pause.min(left));
        self.show_meanwhile(&format!("Waiting for {model}: its service is away. Nothing is done meanwhile."))
            .await;
        self.tell(Event::ModelAway { model, away, wait, most });
        let limit = self.time_left().unwrap_or(Duration::MAX);
        tokio::select! {
            biased;
            reason = self.stop.stopped() => Err(Interruption::Stopped(reason)),
            () = self.stopwatch.sleep(wait.min(limit)) => Ok(()),
        }
    }
}
