//! The person's side of a run: whom questions go to, when nothing may be looked at or done, and what must not be shown.

use crate::confirm::{Confirm, Nobody};
use crate::ending::Interruption;
use crate::engine::Engine;
use crate::profile::Resume;
use crate::progress::Event;
use crate::turn;
use handsight_base::presence::Presence;
use handsight_base::privacy::Privacy;
use handsight_base::redact::Redactor;
use handsight_base::stop::{Stop, StopReason};
use std::sync::Arc;
use std::time::Duration;

pub struct Person {
    pub confirm: Box<dyn Confirm>,
    pub privacy: Privacy,
    /// Keeps secrets off the HUD.
    pub redactor: Arc<Redactor>,
}

impl Default for Person {
    /// Nobody: questions are answered with no, and only what looks like a key is kept off the HUD.
    fn default() -> Self {
        Self { confirm: Box::new(Nobody), privacy: Privacy::new(), redactor: Arc::new(Redactor::new([])) }
    }
}

/// The input by which a person gives the word (its last key, a command's Enter) may be reported so much after the word.
const LATE: Duration = Duration::from_millis(200);

impl Engine {
    /// Holds still while the person wants the run to: for their privacy, or because they use the screen themselves. Says how
    /// long that was.
    pub(crate) async fn hold_still(&mut self) -> Result<Duration, Interruption> {
        let mut held = Duration::ZERO;
        loop {
            let paused = self.keep_private().await?.saturating_add(self.keep_off().await?);
            if paused.is_zero() {
                return Ok(held);
            }
            held = held.saturating_add(paused);
        }
    }

    /// A word that is set with any of these, or when the person wants the run to hold still; at once if they do already.
    pub(crate) fn person_wants(&self, others: &[&Stop]) -> Stop {
        let (private, change) = self.person.privacy.change();
        let touch = self.seat.presence.as_ref().map(|presence| presence.latest().1);
        let words: Vec<&Stop> = others.iter().copied().chain([&change]).chain(&touch).collect();
        let word = Stop::after(&words);
        if private || self.is_taken_over() {
            word.set(StopReason::Person);
        }
        word
    }

    /// True while the screen is the person's.
    pub(crate) fn is_taken_over(&self) -> bool {
        self.seat.presence.as_ref().is_some_and(Presence::is_on)
    }

    /// What the person did on the screen until now was to give their word (an answer, a command), and keeps nobody off.
    pub(crate) async fn person_gave_word(&self) {
        if let Some(presence) = &self.seat.presence {
            self.stopwatch.sleep(LATE).await;
            presence.wait_out(presence.latest().0);
        }
    }

    /// Keeps off the screen while the person uses it, and goes on as the profile says: after some quiet, by their word, or never.
    /// Nothing is looked at, asked or pressed meanwhile.
    async fn keep_off(&mut self) -> Result<Duration, Interruption> {
        let Some(presence) = self.seat.presence.clone().filter(Presence::is_on) else {
            return Ok(Duration::ZERO);
        };
        let quiet = match self.profile.person.resume {
            Resume::Quiet => Some(Duration::from_secs_f64(self.profile.person.quiet_s)),
            Resume::Word => None,
            Resume::Never => {
                self.stop.set(StopReason::Person);
                return Err(Interruption::Stopped(StopReason::Person));
            }
        };
        let began = self.stopwatch.now();
        self.let_go().await;
        let goes_on = match quiet {
            Some(quiet) => {
                format!("It goes on after {:.0} s without their input.", quiet.as_secs_f64().ceil())
            }
            None => "It goes on by `handsight runs unpause`.".to_owned(),
        };
        self.show_meanwhile(&format!("A person uses this screen: nothing is done. {goes_on}")).await;
        self.tell(Event::TakenOver { quiet });
        let waited = self.until_they_leave(&presence, quiet).await;
        self.person.privacy.go_on();
        waited?;
        let paused = self.stopwatch.now().saturating_sub(began);
        self.timings.pause += paused.as_secs_f64() * 1e3;
        self.notes.push(format!("a person used the screen for {:.1} s", paused.as_secs_f64()));
        self.tell(Event::GoesOn { paused });
        Ok(paused.max(Duration::from_nanos(1)))
    }

    async fn until_they_leave(
        &self,
        presence: &Presence,
        quiet: Option<Duration>,
    ) -> Result<(), Interruption> {
        let word = self.person.privacy.hold();
        loop {
            let (report, more) = presence.latest();
            let (private, change) = self.person.privacy.change();
            self.person.privacy.keep();
            // A pause by word lasts until the word.
            let quiet = self.wait(quiet.filter(|_| !private));
            let limit = self.wait(self.time_left());
            tokio::select! {
                biased;
                reason = self.stop.stopped() => return Err(Interruption::Stopped(reason)),
                _ = word.stopped() => {
                    self.person_gave_word().await;
                    return Ok(());
                }
                _ = more.stopped() => {}
                _ = change.stopped() => {}
                () = quiet => {
                    presence.wait_out(report);
                    return Ok(());
                }
                () = limit => return Err(Interruption::TimeLimit),
            }
        }
    }

    /// Waits so long by the person's clock; for ever if no time is said.
    fn wait(&self, time: Option<Duration>) -> impl Future<Output = ()> + use<> {
        let stopwatch = Arc::clone(&self.stopwatch);
        async move {
            match time {
                Some(time) => stopwatch.sleep(time).await,
                None => std::future::pending().await,
            }
        }
    }

    /// Holds still for as long as the person wants it private, and says how long that was: no look, no question to a model, nothing
    /// held down. The overlay tells of it, without a look at what it lies on.
    async fn keep_private(&mut self) -> Result<Duration, Interruption> {
        if !self.person.privacy.is_on() {
            return Ok(Duration::ZERO);
        }
        let began = self.stopwatch.now();
        self.let_go().await;
        self.show_meanwhile("Paused: nothing is looked at, and nothing is done.").await;
        self.tell(Event::Paused);
        loop {
            let (on, change) = self.person.privacy.change();
            if !on {
                break;
            }
            self.person.privacy.keep();
            let limit = self.wait(self.time_left());
            tokio::select! {
                biased;
                reason = self.stop.stopped() => return Err(Interruption::Stopped(reason)),
                _ = change.stopped() => {}
                () = limit => return Err(Interruption::TimeLimit),
            }
        }
        self.person_gave_word().await;
        let paused = self.stopwatch.now().saturating_sub(began);
        self.timings.pause += paused.as_secs_f64() * 1e3;
        self.notes.push(format!("a person paused the run for {:.1} s", paused.as_secs_f64()));
        self.tell(Event::GoesOn { paused });
        // Even a moment counts: what was decided before it was decided on another screen.
        Ok(paused.max(Duration::from_nanos(1)))
    }

    /// Shows a text until the next look shows what belongs there.
    pub(crate) async fn show_meanwhile(&mut self, text: &str) {
        let carried = std::mem::replace(&mut self.carry, text.to_owned());
        let shown = turn::show_words(self).await;
        self.carry = carried;
        if let Err(interruption) = shown {
            self.tell(Event::Warning(format!("the wait is not on the screen: {interruption}")));
        }
    }
}
