//! The person's side of a run: whom questions go to, when nothing may be looked at, and what must not be shown.

use crate::confirm::{Confirm, Nobody};
use crate::ending::Interruption;
use crate::engine::Engine;
use crate::progress::Event;
use crate::turn;
use handsight_base::privacy::Privacy;
use handsight_base::redact::Redactor;
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

impl Engine {
    /// Holds still for as long as the person wants it private, and says how long that was: no look, no question to a model, nothing
    /// held down. The overlay tells of it, without a look at what it lies on.
    pub(crate) async fn keep_private(&mut self) -> Result<Duration, Interruption> {
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
            let limit = self.time_left();
            let (stopped, stopwatch) = (self.stop.stopped(), Arc::clone(&self.stopwatch));
            let limit = async {
                match limit {
                    Some(left) => stopwatch.sleep(left).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                reason = stopped => return Err(Interruption::Stopped(reason)),
                _ = change.stopped() => {}
                () = limit => return Err(Interruption::TimeLimit),
            }
        }
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
