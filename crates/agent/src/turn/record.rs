//! Record: one step in the journal, durable before anyone is told of it.

use crate::ending::Interruption;
use crate::engine::Engine;
use crate::progress::Event;
use handsight_base::flow::decision::Choice;
use handsight_base::flow::step::{Step, StepRecord};
use handsight_base::flow::verdict::Verdict;

pub(super) async fn record(engine: &mut Engine, verdict: Verdict) -> Result<Step, Interruption> {
    let Verdict { settled, judgement } = verdict;
    let receipt = settled.receipt;
    let decision = receipt.decision;
    let mut notes = std::mem::take(&mut engine.notes);
    notes.extend(decision.notes);
    let mut record = StepRecord {
        turn: engine.turn,
        at_unix_millis: engine.captured_unix_millis,
        frame: decision.frame,
        picture: decision.picture,
        choice: decision.choice.name().to_owned(),
        call: decision.call,
        steps: decision.steps,
        reason: decision.reason,
        notes,
        deeds: receipt.deeds,
        calm: settled.calm,
        judgement,
        usage: decision.usage,
        timings: engine.timings,
    };
    record.timings.whole = engine.millis_since(engine.turn_began);
    let began = engine.stopwatch.now();
    engine.totals = engine.commit(&record).await?;
    // The sync is part of the turn, but cannot be in the record it syncs.
    let committing = engine.millis_since(began);
    record.timings.record = committing;
    record.timings.whole += committing;
    engine.ending = match decision.choice {
        Choice::Done { statement } => Some(statement),
        Choice::Ask { .. } | Choice::Act(_) | Choice::Observe | Choice::Refused(_) => None,
    };
    engine.overheads.push(record.timings.overhead());
    engine.tell(Event::Committed { turn: engine.turn, overhead_ms: record.timings.overhead() });
    Ok(Step { record, committed: true })
}
