//! One turn: nine verbs, nine products.
//!
//! Each verb takes the product of the one before it, so their order is the compiler's business. What happens inside a verb is
//! chosen by the profile; its file has the verb's name.

mod act;
mod approval;
mod capture;
mod context;
mod decide;
mod learn;
mod perceive;
mod picture;
mod recheck;
mod record;
mod settle;
mod verify;

use crate::ending::Interruption;
use crate::engine::Engine;
use handsight_base::flow::decision::Decision;
use handsight_base::flow::lesson::Lesson;

pub(crate) use act::{ambiguous_line, perform};
pub(crate) use capture::{capture, show_words};
pub(crate) use decide::taken;
pub(crate) use perceive::Perceivers;
pub(crate) use picture::picture;
pub(crate) use recheck::Seen;
pub(crate) use settle::settle_down;

/// Runs one turn to its end, or says what interrupted it. An interrupted turn stays in the journal as far as it came.
pub(crate) async fn turn(engine: &mut Engine) -> Result<Lesson, Interruption> {
    engine.begin_turn();
    let frame = capture::capture(engine).await?;
    recheck::remember(engine, &frame).await?;
    let percept = perceive::perceive(engine, frame).await;
    let prompt = context::context(engine, percept).await?;
    let decision = decide::decide(engine, prompt).await?;
    let receipt = act::act(engine, decision).await?;
    let settled = settle::settle(engine, receipt).await?;
    let verdict = verify::verify(engine, settled);
    let step = record::record(engine, verdict).await?;
    Ok(learn::learn(engine, step))
}

/// The first four verbs: what the model would do, without doing it.
pub(crate) async fn decide_only(engine: &mut Engine) -> Result<Decision, Interruption> {
    engine.begin_turn();
    let frame = capture::capture(engine).await?;
    let percept = perceive::perceive(engine, frame).await;
    let prompt = context::context(engine, percept).await?;
    decide::decide(engine, prompt).await
}
