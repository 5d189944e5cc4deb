//! An episode: turns until the model is done, a limit is reached, something is lost or the person stops it.
//!
//! Every way out has its typed outcome, and on every way out the journal is closed and the hands let go.

use crate::ending::{Ending, Interruption, Outcome};
use crate::engine::Engine;
use crate::history::resume::recall;
use crate::hud::FontSource;
use crate::person::Person;
use crate::profile::{Carry, Profile};
use crate::progress::{Event, Progress};
use crate::seat::Seat;
use crate::tools::ToolSet;
use crate::turn;
use handsight_base::flow::decision::Decision;
use handsight_base::flow::receipt::{Deed, Outcome as Deemed};
use handsight_base::key::KeyError;
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::DesktopError;
use handsight_base::port::dialect::Dialect;
use handsight_base::port::model::Model;
use handsight_base::port::perceiver::Perceiver;
use handsight_base::stop::Stop;
use handsight_store::{Journal, Reader, Resume, RunEnd, StoreError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Everything an episode needs, put together by `app`.
pub struct Parts {
    pub profile: Arc<Profile>,
    /// The objective in the person's words.
    pub task: String,
    pub seat: Seat,
    pub model: Arc<dyn Model>,
    pub dialect: Box<dyn Dialect>,
    pub tools: ToolSet,
    /// What is read off each frame, in this order.
    pub perceivers: Vec<Box<dyn Perceiver>>,
    /// The desktop's time; simulated ones need not sleep.
    pub clock: Arc<dyn Clock>,
    /// The person's time, for figures, limits and waits for something outside of the desktop. The same as `clock` on a real one.
    pub stopwatch: Arc<dyn Clock>,
    /// A new one, or one that was opened to go on.
    pub journal: Journal,
    pub stop: Stop,
    pub progress: Box<dyn Progress>,
    pub person: Person,
    /// Fonts for characters the built-in one lacks; asked only when one is missing.
    pub fonts: FontSource,
}

/// Why an episode cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum EpisodeError {
    #[error("desktop.stop_chord or policy.chords_denied: {0}")]
    Chord(#[from] KeyError),
    #[error("no thread for the journal: {0}")]
    Thread(#[from] std::io::Error),
}

pub struct Episode {
    engine: Engine,
}

impl Episode {
    pub fn new(parts: Parts) -> Result<Self, EpisodeError> {
        Ok(Self { engine: assemble(parts)? })
    }

    /// Runs to the end. Never fails: how it ended is the result.
    pub async fn run(self) -> Ending {
        self.judged_by(|| None).await
    }

    /// The same; once nothing is done any more, `judge` says whether what was wanted is so (`None` if nobody can tell).
    pub async fn judged_by(mut self, judge: impl FnOnce() -> Option<bool>) -> Ending {
        let (outcome, statement) = match self.turns().await {
            Ok(end) => end,
            Err(interruption) => {
                let cause = self.cause(interruption);
                (cause.outcome(), cause.to_string())
            }
        };
        close(self.engine, outcome, statement, judge).await
    }

    /// Looks, asks and understands, and does nothing.
    pub async fn decide_once(mut self) -> Result<Decision, Interruption> {
        turn::decide_only(&mut self.engine).await
    }

    /// A look that a stop cut short ends the run like the stop itself.
    fn cause(&self, interruption: Interruption) -> Interruption {
        match (interruption, self.engine.stop.reason()) {
            (Interruption::Desktop(DesktopError::Stopped), Some(reason)) => Interruption::Stopped(reason),
            (other, _) => other,
        }
    }

    async fn turns(&mut self) -> Result<(Outcome, String), Interruption> {
        let engine = &mut self.engine;
        loop {
            if let Some(reason) = engine.stop.reason() {
                return Err(Interruption::Stopped(reason));
            }
            let turns = engine.turn.saturating_sub(engine.away.turns);
            if engine.profile.limits.max_turns.is_some_and(|limit| turns >= limit) {
                return Ok((Outcome::TurnLimit, format!("the limit of {turns} turns is reached")));
            }
            if engine.time_left().is_some_and(|left| left.is_zero()) {
                return Err(Interruption::TimeLimit);
            }
            if let Some(limit) = engine.spent() {
                return Ok((Outcome::CostLimit, limit));
            }
            engine.park().await?;
            // The wait may have used up what was left.
            if engine.time_left().is_some_and(|left| left.is_zero()) {
                return Err(Interruption::TimeLimit);
            }
            let lesson = match turn::turn(engine).await {
                Err(Interruption::Private) => {
                    engine.take_back_turn();
                    continue;
                }
                turn => turn?,
            };
            if let Some(limit) = engine.spent() {
                return Ok((Outcome::CostLimit, limit));
            }
            if let Some(statement) = engine.ending.take() {
                return Ok((Outcome::Done, statement));
            }
            let refusals = engine.profile.policy.max_refusals;
            if refusals > 0 && engine.past.refusals >= refusals {
                let why = lesson.step.record.deeds.iter().find_map(|deed| match &deed.outcome {
                    Deemed::Refused { why } => Some(why.as_str()),
                    _ => None,
                });
                let why = why.unwrap_or_default();
                return Ok((
                    Outcome::Refused,
                    format!("refused in {refusals} turns in a row; the last: {why}"),
                ));
            }
            let patience = engine.profile.decide.patience(engine.failing == Outcome::Malformed);
            if engine.failures >= patience {
                let said = lesson.step.record.notes.last().cloned().unwrap_or_default();
                return Ok((
                    engine.failing,
                    format!("{} failures in a row; the last: {said}", engine.failures),
                ));
            }
        }
    }
}

/// Puts an engine together and, on a resume, sets it where the earlier run ended.
pub(crate) fn assemble(parts: Parts) -> Result<Engine, EpisodeError> {
    let (resume, dir) = (parts.journal.resume().clone(), parts.journal.dir().to_owned());
    let mut engine = Engine::new(parts)?;
    let Resume { said, next_turn, ambiguous, totals, last: _ } = resume;
    if engine.history.keeps() && next_turn > 1 {
        // What cannot be had is told; a conversation that begins anew is no reason not to go on.
        let missing = recall(&mut engine, &dir, next_turn).unwrap_or_else(|error| Some(error.to_string()));
        missing.into_iter().for_each(|what| engine.tell(Event::Warning(what)));
    }
    let carry = match engine.profile.learn.carry {
        Carry::Reason => said.unwrap_or_default(),
        Carry::None => String::new(),
    };
    engine.go_on_after(next_turn.saturating_sub(1), carry, totals);
    let launches = match engine.profile.policy.max_launches {
        Some(_) if next_turn > 1 => launches_before(&dir, next_turn).unwrap_or_else(|error| {
            // What cannot be counted is counted as all of it.
            engine.tell(Event::Warning(format!("earlier launches cannot be counted: {error}")));
            u64::MAX
        }),
        Some(_) | None => 0,
    };
    engine.past.go_on_after(engine.totals.actions, launches);
    if engine.recent.is_listed() && next_turn > 1 {
        let listed = list_again(&mut engine, &dir, next_turn);
        listed.err().into_iter().for_each(|error| engine.tell(Event::Warning(error.to_string())));
    }
    for action in ambiguous {
        let line = turn::ambiguous_line(action.action.name());
        engine.tell(Event::Warning(format!("turn {}: {line}", action.turn)));
        match (engine.history.keeps(), engine.history.tells_of(action.turn)) {
            (false, _) => engine.tell_model(&line),
            (true, false) => engine.history.tell(line),
            (true, true) => {}
        }
    }
    Ok(engine)
}

/// The newest steps of the runs before, as far as their turns were recorded.
fn list_again(engine: &mut Engine, dir: &Path, next: u64) -> Result<(), StoreError> {
    let mut reader = Reader::open(dir)?;
    // Each of these turns has a step or more, or was refused.
    let most = u64::from(engine.profile.context.steps);
    for turn in next.saturating_sub(most * 2).max(1)..next {
        if let Some(step) = reader.step(turn)? {
            engine.recent.add(&step);
        }
    }
    Ok(())
}

/// The programs that the runs before started.
fn launches_before(dir: &Path, next: u64) -> Result<u64, StoreError> {
    let mut reader = Reader::open(dir)?;
    let mut launches = 0;
    for turn in 1..next {
        let deeds = reader.step(turn)?.map(|step| step.deeds).unwrap_or_default();
        let started = |deed: &&Deed| deed.action == "launch" && !deed.outcome.is_nothing();
        launches += deeds.iter().filter(started).count() as u64;
    }
    Ok(launches)
}

/// Lets go of everything, closes the journal and says how it ended.
pub(crate) async fn close(
    mut engine: Engine,
    outcome: Outcome,
    statement: String,
    judge: impl FnOnce() -> Option<bool>,
) -> Ending {
    engine.let_go().await;
    let verified = judge();
    if engine.seat.info().capabilities.overlay {
        let _gone_with_the_process =
            engine.seat.act("overlay", Duration::from_secs(1), |d| d.overlay(None)).await;
    }
    let end = RunEnd {
        outcome: outcome.name().to_owned(),
        verified,
        at_unix_millis: engine.clock.unix_millis(),
        note: statement.clone(),
    };
    let may_wait = !matches!(outcome, Outcome::Storage | Outcome::TimeLimit | Outcome::Stopped(_));
    let ended = engine.end(&end, may_wait).await;
    let (mut outcome, mut totals) = (outcome, engine.totals);
    match ended {
        Ok(sums) => totals = sums,
        Err(error) => {
            engine.progress.event(&Event::Warning(error.to_string()));
            if outcome == Outcome::Done {
                outcome = error.outcome();
            }
        }
    }
    engine.overheads.sort_by(f64::total_cmp);
    let ending = Ending {
        outcome,
        statement,
        verified,
        turns: totals.turns,
        actions: totals.actions,
        input_tokens: totals.input_tokens,
        output_tokens: totals.output_tokens,
        cost_usd: totals.known_cost_usd(),
        wall_s: engine.elapsed().as_secs_f64(),
        overhead_ms_p50: engine.overheads.get(engine.overheads.len() / 2).copied().unwrap_or(0.0),
    };
    let Engine { journal, mut progress, .. } = engine;
    if let Err(error) = journal.close().await {
        progress.event(&Event::Warning(error.to_string()));
    }
    ending
}
