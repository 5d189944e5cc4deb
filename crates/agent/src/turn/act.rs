//! Act: the gate, then the hands. The intent is durable before the first event leaves, and nothing is ever sent twice.

use crate::ending::Interruption;
use crate::engine::Engine;
use crate::journal::JournalSeat;
use crate::plan::Plan;
use crate::profile::Shows;
use crate::progress::Event;
use crate::turn::approval::approve;
use crate::turn::{recheck, show_words};
use handsight_base::flow::action::{Action, ActionHash, Batch, Primitive};
use handsight_base::flow::decision::{Choice, Decision};
use handsight_base::flow::receipt::{Deed, Outcome, Receipt};
use handsight_base::gate::{Approved, Work};
use handsight_base::port::desktop::{DesktopError, DesktopFault};
use handsight_base::space::{FrameGeometry, ScreenPx};
use std::time::Duration;

/// What an effect may take beyond the waits it holds.
const SLACK: Duration = Duration::from_secs(10);

pub(super) async fn act(engine: &mut Engine, decision: Decision) -> Result<Receipt, Interruption> {
    let began = engine.stopwatch.now();
    let (actions, pause) = match &decision.choice {
        Choice::Act(actions) => (actions.as_slice(), engine.profile.act.delay_after_action_s),
        // A tool that moves the hands but had nothing to move (an empty text) keeps its pause.
        Choice::Observe if decision.call.as_ref().is_some_and(|c| c.tool != "observe") => {
            (&[][..], engine.profile.act.delay_after_action_s)
        }
        Choice::Observe => (&[][..], engine.profile.act.delay_after_observe_s),
        Choice::Ask { .. } | Choice::Done { .. } | Choice::Refused(_) => (&[][..], 0.0),
    };
    engine.plan = Plan::of(decision.steps.clone());
    let deeds = perform(engine, actions, decision.frame).await?;
    // A turn without an effect has nothing to compare, and settling needs the memory.
    engine.seen = None;
    if deeds.iter().any(|deed| matches!(deed.outcome, Outcome::Refused { .. })) {
        engine.past.refusals += 1;
    } else if !deeds.is_empty() {
        engine.past.refusals = 0;
    }
    engine.timings.act = engine.millis_since(began);
    let paused = engine.stopwatch.now();
    if !deeds.is_empty() {
        engine.pause(Duration::from_secs_f64(engine.profile.act.input_delay_s)).await?;
    }
    engine.pause(Duration::from_secs_f64(pause)).await?;
    engine.timings.pause += engine.millis_since(paused);
    Ok(Receipt { decision, deeds })
}

/// Carries the actions out in order; the first that fails ends the batch, and the rest is told as not executed (R10).
pub(crate) async fn perform(
    engine: &mut Engine,
    actions: &[Action],
    geometry: FrameGeometry,
) -> Result<Vec<Deed>, Interruption> {
    let mut deeds: Vec<Deed> = Vec::new();
    for (index, action) in actions.iter().enumerate() {
        let hash = action.hash(geometry.frame);
        let failed_before = deeds.iter().any(|d| !matches!(d.outcome, Outcome::Done { .. }));
        let outcome = if failed_before {
            Outcome::NotExecuted
        } else {
            if engine.plan.begins_step(index) {
                step_begins(engine, index).await?;
            }
            one(engine, index as u32, action, geometry, &hash).await?
        };
        engine.plan.acted(matches!(outcome, Outcome::Done { .. }));
        match &outcome {
            Outcome::Refused { why } | Outcome::Failed { why, .. } => {
                engine.told.push(format!("[{} was not done: {why}]", action.name()));
            }
            Outcome::Withheld { why } => {
                engine.told.push(format!("[{} was not done: {why}; look again]", action.name()));
            }
            Outcome::Ambiguous => engine.told.push(ambiguous_line(action.name())),
            Outcome::Done { .. } | Outcome::NotExecuted => {}
        }
        engine.tell(Event::Acted { action: action.name().to_owned(), outcome: outcome.describe() });
        deeds.push(Deed { action: action.name().to_owned(), hash, outcome });
    }
    Ok(deeds)
}

/// Shows the person which step begins, and gives what the one before it opened the time to be there.
async fn step_begins(engine: &mut Engine, action: usize) -> Result<(), Interruption> {
    if engine.profile.hud.shows == Shows::Plan {
        show_words(engine).await?;
    }
    if action > 0 {
        let paused = engine.stopwatch.now();
        engine.pause(Duration::from_secs_f64(engine.profile.act.step_delay_s)).await?;
        engine.timings.pause += engine.millis_since(paused);
    }
    Ok(())
}

/// How a profile without a conversation is told of an action whose outcome nobody knows.
pub(crate) fn ambiguous_line(action: &str) -> String {
    format!("[the last {action} may or may not have happened: look before you repeat it]")
}

fn paused() -> Outcome {
    Outcome::Withheld { why: "a person paused the run".to_owned() }
}

async fn one(
    engine: &mut Engine,
    index: u32,
    action: &Action,
    geometry: FrameGeometry,
    hash: &ActionHash,
) -> Result<Outcome, Interruption> {
    let approved = match approve(engine, action, &geometry).await? {
        Ok(approved) => approved,
        Err(why) => return Ok(Outcome::Refused { why }),
    };
    let work = match approved.expand(&geometry, &engine.timing()) {
        Ok(work) => work,
        Err(error) => return Ok(Outcome::Failed { why: error.to_string(), injected: None }),
    };
    if !engine.hold_still().await?.is_zero() {
        return Ok(paused());
    }
    let turn = engine.turn;
    let recorded = engine.mask.action(action);
    let intent = async |journal: &JournalSeat| journal.intent(turn, index, &recorded, hash).await;
    let ((), waited) = engine.with_room(intent).await?;
    if let Some(reason) = engine.stop.reason() {
        // Recorded, so that a resume does not call it ambiguous: it certainly did not happen.
        engine.journal.acted(engine.turn, index, Outcome::NotExecuted).await?;
        return Err(Interruption::Stopped(reason));
    }
    if !waited.is_zero() {
        // Decided on a screen of before, which a person may have used since to make room.
        let outcome = Outcome::Withheld { why: "the disk was full".to_owned() };
        engine.journal.acted(turn, index, outcome.clone()).await?;
        return Ok(outcome);
    }
    match recheck::changed(engine, action).await {
        Ok(None) => {}
        Ok(Some(why)) => {
            let outcome = Outcome::Withheld { why: why.to_owned() };
            engine.journal.acted(turn, index, outcome.clone()).await?;
            return Ok(outcome);
        }
        Err(lost) => {
            // Recorded before the loss of the desktop ends the run: nothing was sent.
            engine.journal.acted(turn, index, Outcome::NotExecuted).await?;
            return Err(lost);
        }
    }
    let answer = send(engine, work).await;
    engine.past.after(action, engine.stopwatch.now());
    let (outcome, end) = match answer {
        // Before the first event, by a person who wants the run to hold still: it goes on afterwards.
        Err(DesktopError::Stopped) if !engine.stop.is_set() => (paused(), None),
        Err(DesktopError::Recorded(outcome)) => (outcome, None),
        answer => judge(answer, engine.is_taken_over()),
    };
    if end.is_none() && !matches!(outcome, Outcome::Done { .. }) {
        // A batch that ended early may have left its press without its release, and the run goes on.
        engine.let_go().await;
    }
    engine.journal.acted(engine.turn, index, outcome.clone()).await?;
    if let Some(reason) = engine.stop.reason() {
        return Err(Interruption::Stopped(reason));
    }
    match end {
        Some(error) => Err(error.into()),
        None => Ok(outcome),
    }
}

/// What an answer of the desktop means for the record, and whether it ends the run.
fn judge(
    answer: Result<Option<handsight_base::port::desktop::Injected>, DesktopError>,
    taken_over: bool,
) -> (Outcome, Option<DesktopError>) {
    match answer {
        Ok(injected) if injected.is_none_or(|i| i.complete) => (Outcome::Done { injected }, None),
        Ok(injected) => (
            Outcome::Failed {
                why: if taken_over {
                    "a person took over before all of it was sent; everything is released, look again".into()
                } else {
                    "ended before all of it was sent; everything is released".into()
                },
                injected,
            },
            None,
        ),
        Err(error) => {
            // A text that lost its window was typed in part.
            let injected = match &error {
                DesktopError::FocusMoved { injected, .. } => Some(*injected),
                _ => None,
            };
            match error.fault() {
                // Whether it arrived is unknown; the next look finds the desktop again or ends the run.
                DesktopFault::Retry => (Outcome::Ambiguous, None),
                DesktopFault::TellModel | DesktopFault::Target => {
                    (Outcome::Failed { why: error.to_string(), injected }, None)
                }
                DesktopFault::Fatal => (Outcome::Failed { why: error.to_string(), injected }, Some(error)),
            }
        }
    }
}

async fn send(
    engine: &mut Engine,
    work: Work,
) -> Result<Option<handsight_base::port::desktop::Injected>, DesktopError> {
    let stop = engine.halt();
    match work {
        Work::Input(batch) => {
            let deadline = duration(&batch) + SLACK;
            let to = last_move(&batch);
            let injected =
                engine.seat.act("inject", deadline, move |desktop| desktop.inject(batch, &stop)).await?;
            if injected.complete {
                engine.pointer = to.or(engine.pointer);
            }
            Ok(Some(injected))
        }
        Work::Paste(paste) => {
            engine.seat.act("paste", SLACK, move |desktop| desktop.paste(paste, &stop)).await.map(Some)
        }
        Work::Launch(launch) => {
            engine.seat.act("launch", SLACK, move |desktop| desktop.launch(launch)).await.map(|_| None)
        }
        Work::Focus(focus) => {
            engine.seat.act("focus", SLACK, move |desktop| desktop.focus(focus)).await.map(|_| None)
        }
    }
}

/// How long a batch may take by itself: its waits, and for a character that needs a borrowed key up to 50 ms.
fn duration(batch: &Approved<Batch>) -> Duration {
    let one = |primitive: &Primitive| match primitive {
        Primitive::Wait(d) => *d,
        Primitive::Char(_) => Duration::from_millis(50),
        Primitive::Move(_) | Primitive::Button { .. } | Primitive::Key { .. } | Primitive::Wheel { .. } => {
            Duration::from_millis(2)
        }
    };
    batch.value().primitives.iter().map(one).sum()
}

/// Where a batch leaves the pointer, if it moves it.
fn last_move(batch: &Approved<Batch>) -> Option<ScreenPx> {
    batch.value().primitives.iter().rev().find_map(|p| match p {
        Primitive::Move(to) => Some(*to),
        Primitive::Wait(_)
        | Primitive::Char(_)
        | Primitive::Button { .. }
        | Primitive::Key { .. }
        | Primitive::Wheel { .. } => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::port::desktop::Injected;

    #[test]
    fn a_text_that_lost_its_window_is_told_with_what_arrived_and_ends_no_run() {
        let injected = Injected { events: 24, of: 80, complete: false, took: Duration::from_millis(3) };
        let moved = DesktopError::FocusMoved { window: "\"A note\"".into(), typed: 12, injected };
        let (outcome, end) = judge(Err(moved), false);
        let Outcome::Failed { why, injected: recorded } = outcome else { panic!("{outcome:?}") };
        assert_eq!((recorded, end), (Some(injected), None));
        assert!(why.contains("A note") && why.contains("after 12 characters"), "{why}");
    }
}
