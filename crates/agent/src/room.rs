//! Room on the disk: a run whose journal finds none waits for some and makes the very same call again (R25).
//!
//! While it waits it gives no input and holds nothing down; a stop and the time limit still end it. This module never gives a
//! call up for another: either the journal took it, or the run ends.

use crate::ending::Interruption;
use crate::engine::Engine;
use crate::journal::JournalSeat;
use crate::progress::Event;
use handsight_base::flow::step::StepRecord;
use handsight_store::{RunEnd, StoreError, Totals};
use std::path::PathBuf;
use std::time::Duration;

/// How often the call is made again.
const AGAIN: Duration = Duration::from_millis(250);

impl Engine {
    /// Makes a call that must be durable, again and again while there is no room; how long that took comes with its answer.
    pub(crate) async fn with_room<R>(
        &mut self,
        call: impl AsyncFn(&JournalSeat) -> Result<R, Interruption>,
    ) -> Result<(R, Duration), Interruption> {
        let path = match full(call(&self.journal).await) {
            Ok(path) => path,
            Err(answer) => return answer.map(|r| (r, Duration::ZERO)),
        };
        let began = self.stopwatch.now();
        self.let_go().await;
        let (free, needed) = self.journal.room().await?;
        let most = Duration::from_secs_f64(self.profile.record.full_wait_s);
        self.tell(Event::DiskFull { path: path.clone(), free, needed, wait: most });
        loop {
            let waited = self.stopwatch.now().saturating_sub(began);
            if waited >= most {
                return Err(Interruption::Full { path, waited });
            }
            let left = self.time_left().unwrap_or(Duration::MAX);
            if left.is_zero() {
                return Err(Interruption::TimeLimit);
            }
            self.pause(AGAIN.min(most - waited).min(left)).await?;
            if let Err(answer) = full(call(&self.journal).await) {
                let waited = self.stopwatch.now().saturating_sub(began);
                if answer.is_ok() {
                    self.tell(Event::RoomAgain { waited });
                }
                return answer.map(|r| (r, waited));
            }
        }
    }

    /// Closes the turn in the journal, with the sums over the run.
    pub(crate) async fn commit(&mut self, record: &StepRecord) -> Result<Totals, Interruption> {
        self.journal.verified(record.turn, record.calm, record.judgement.clone()).await?;
        let elapsed = self.elapsed();
        Ok(self.with_room(async |journal| journal.commit(record, elapsed).await).await?.0)
    }

    /// Closes the run. Only one that ended by itself waits for room: else a person or a limit wants it to be over.
    pub(crate) async fn end(&mut self, end: &RunEnd, may_wait: bool) -> Result<Totals, Interruption> {
        let elapsed = self.elapsed();
        if may_wait {
            return Ok(self.with_room(async |journal| journal.end(end, elapsed).await).await?.0);
        }
        self.journal.end(end, elapsed).await
    }

    /// Nothing stays pressed. The hands see to it by themselves if they cannot be asked.
    pub(crate) async fn let_go(&mut self) {
        let released =
            self.seat.act("release", Duration::from_secs(1), |desktop| desktop.release_all()).await;
        if let Err(error) = released {
            self.tell(Event::Warning(format!("the hands did not answer when they were to let go: {error}")));
        }
    }
}

/// The file that found no room, or the answer that is not about room.
fn full<R>(answer: Result<R, Interruption>) -> Result<PathBuf, Result<R, Interruption>> {
    match answer {
        Err(Interruption::Store(StoreError::DiskFull { path, .. })) => Ok(path),
        answer => Err(answer),
    }
}
