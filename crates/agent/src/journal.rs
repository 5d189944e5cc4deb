//! The journal on a thread of its own: the loop never waits for a disk without being able to do something else.
//!
//! Calls run in their order. An error of the store is sticky there: after it nothing is acknowledged any more (R26).

use crate::ending::Interruption;
use crate::worker::Worker;
use handsight_base::flow::action::{Action, ActionHash};
use handsight_base::flow::receipt::Outcome;
use handsight_base::flow::settled::Calm;
use handsight_base::flow::step::StepRecord;
use handsight_base::flow::verdict::Judgement;
use handsight_base::port::model::Exchange;
use handsight_store::{Decided, Journal, Observed, Remedy, RunEnd, StoreError, Totals};
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct JournalSeat {
    worker: Worker<Journal>,
}

impl JournalSeat {
    pub(crate) fn new(journal: Journal) -> std::io::Result<Self> {
        let (worker, _made_at_once) = Worker::spawn("journal", move || Ok::<_, StoreError>(journal))?;
        Ok(Self { worker })
    }

    async fn call<R: Send + 'static>(
        &self,
        f: impl FnOnce(&mut Journal) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, Interruption> {
        // No deadline: a disk that hangs must not let the run go on without its journal.
        Ok(self.worker.call(None, f).await.map_err(|_| Interruption::JournalGone)??)
    }

    /// Puts the picture on disk and begins the turn's rows while the caller goes on; await the result before the next row.
    pub(crate) fn observe(
        &self,
        turn: u64,
        observed: Observed,
        bytes: Arc<[u8]>,
        view: Option<String>,
    ) -> impl Future<Output = Result<(), Interruption>> + use<> {
        let begun = self.worker.begin(move |journal| {
            let hash = journal.keep_frame(turn, &bytes);
            if let Some(name) = view {
                journal.view_frame(turn, &name, &hash);
            }
            journal.observed(turn, &observed)?;
            // The model thinks for longer than this takes.
            match journal.idle() {
                // Told by the next call that must be durable, which waits for room.
                Err(full) if full.remedy() == Remedy::FreeSpace => Ok(()),
                other => other,
            }
        });
        async move {
            match begun {
                Err(_) => Err(Interruption::JournalGone),
                Ok(begun) => Ok(begun.await.map_err(|_| Interruption::JournalGone)??),
            }
        }
    }

    pub(crate) async fn decided(
        &self,
        turn: u64,
        decided: Decided,
        exchanges: Vec<Exchange>,
    ) -> Result<(), Interruption> {
        self.call(move |journal| journal.decided(turn, &decided, &exchanges)).await
    }

    /// Durable when it returns.
    pub(crate) async fn intent(
        &self,
        turn: u64,
        index: u32,
        action: &Action,
        hash: &ActionHash,
    ) -> Result<(), Interruption> {
        let (action, hash) = (action.clone(), hash.clone());
        self.call(move |journal| journal.intent(turn, index, &action, &hash)).await
    }

    pub(crate) async fn acted(&self, turn: u64, index: u32, outcome: Outcome) -> Result<(), Interruption> {
        self.call(move |journal| journal.acted(turn, index, &outcome)).await
    }

    pub(crate) async fn verified(
        &self,
        turn: u64,
        calm: Calm,
        judgement: Judgement,
    ) -> Result<(), Interruption> {
        self.call(move |journal| journal.verified(turn, calm, &judgement)).await
    }

    /// Durable when it returns, with the sums over the run, which has taken `elapsed` so far.
    pub(crate) async fn commit(
        &self,
        record: &StepRecord,
        elapsed: Duration,
    ) -> Result<Totals, Interruption> {
        let record = record.clone();
        self.call(move |journal| {
            journal.elapsed(elapsed);
            let _acknowledged = journal.commit(&record)?;
            Ok(journal.totals())
        })
        .await
    }

    /// Closes the run, and says what it came to.
    pub(crate) async fn end(&self, end: &RunEnd, elapsed: Duration) -> Result<Totals, Interruption> {
        let end = end.clone();
        self.call(move |journal| {
            journal.elapsed(elapsed);
            let totals = journal.totals();
            let _acknowledged = journal.end(&end)?;
            Ok(totals)
        })
        .await
    }

    /// Free on the disk, where it can be told, and what the rows that found no room need.
    pub(crate) async fn room(&self) -> Result<(Option<u64>, u64), Interruption> {
        self.call(|journal| {
            let health = journal.health();
            Ok((health.free_bytes, health.needed_bytes))
        })
        .await
    }

    /// Leaves the folder as one file and its pictures.
    pub(crate) async fn close(self) -> Result<(), Interruption> {
        let closed = self.worker.into_inner(Journal::close).await;
        Ok(closed.map_err(|_| Interruption::JournalGone)??)
    }
}
