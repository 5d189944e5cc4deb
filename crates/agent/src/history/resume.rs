//! The conversation of a run that is gone on with, from its journal.
//!
//! The newest turns come back as they were: the stored replies are read by the wire they came over, so that the provider gets its
//! own words back, and each call gets the outcome that was recorded. An action whose intent is there and whose outcome is not may
//! or may not have happened, and is told as that. What cannot be read so (another wire, a lost page) and all before it comes back
//! as a bounded summary. Nothing that is missing ends a resume; nothing is ever done again.

use super::compact;
use crate::engine::Engine;
use crate::turn::taken;
use handsight_base::flow::format::PictureFormat;
use handsight_base::flow::past::{CallResult, Past, Standing};
use handsight_base::flow::prompt::Picture;
use handsight_base::flow::receipt::Outcome;
use handsight_base::flow::step::StepRecord;
use handsight_base::port::model::{ModelReply, ToolCall};
use handsight_base::space::{FrameGeometry, FrameId, FrameRect, PictureGeometry};
use handsight_store::{Reader, StoreError};
use std::path::Path;
use std::sync::Arc;

/// Turns that come back as they were, at most; the budget may keep fewer.
const TURNS: usize = 64;
/// Turns before them that the summary is made of.
const SUMMED: u64 = 128;

/// Fills the engine's history with what came before `next`; in words what could not be had.
pub(crate) fn recall(engine: &mut Engine, dir: &Path, next: u64) -> Result<Option<String>, StoreError> {
    let mut reader = Reader::open(dir)?;
    let mut kept: Vec<Kept> = Vec::new();
    let mut missing = None;
    // From the newest back, for as long as they can be read; a turn that a death cut off keeps its number.
    let mut oldest = next;
    while oldest > 1 && kept.len() < TURNS {
        match Kept::read(engine, &mut reader, oldest - 1) {
            Ok(turn) => kept.extend(turn),
            Err(what) => {
                let last = oldest - 1;
                missing = Some(format!("the turns up to {last} come back to the model as a summary: {what}"));
                break;
            }
        }
        oldest -= 1;
    }
    let mut older = Vec::new();
    for turn in oldest.saturating_sub(SUMMED).max(1)..oldest {
        older.extend(reader.step(turn)?.map(|step| told_of(&step)));
    }
    if !older.is_empty() {
        engine.history.summary = Some(compact::fragment(compact::digest("", &older)));
    }
    // Where a picture is gone, it was most likely as large as the last.
    let mut place = anywhere();
    for turn in kept.into_iter().rev() {
        if let Some(picture) = &turn.seen {
            place = picture.geometry;
        }
        let taken = taken(engine, &turn.reply, &place);
        let outcomes: Vec<Option<&Outcome>> = turn.outcomes.iter().map(Option::as_ref).collect();
        engine.history.open(String::new(), turn.seen);
        engine.history.taken_as(&turn.reply, taken, None);
        engine.history.close_as(&outcomes);
    }
    engine.history.recalled = oldest..next;
    Ok(missing)
}

/// A turn as the journal has it.
struct Kept {
    reply: ModelReply,
    seen: Option<Picture>,
    /// `None` of an action whose intent is there and nothing more.
    outcomes: Vec<Option<Outcome>>,
}

impl Kept {
    /// `None` if its model was not reached, or the run died before it had answered.
    fn read(engine: &Engine, reader: &mut Reader, turn: u64) -> Result<Option<Self>, String> {
        let words = |e: StoreError| e.to_string();
        let Some(exchange) = reader.exchanges(turn).map_err(words)?.pop() else { return Ok(None) };
        let reply = engine.model.recall(&exchange.exchange);
        let mut reply = reply.ok_or("the reply is none of this model's")?;
        // They were answered then: what was done is what the journal says, and a reply with open questions would be taken for one
        // of which nothing was run.
        reply.checks.clear();
        let outcomes = match reader.step(turn).map_err(words)? {
            Some(step) => step.deeds.into_iter().map(|d| Some(d.outcome)).collect(),
            None => {
                let mut actions = reader.actions(turn).map_err(words)?;
                actions.sort_by_key(|a| a.index);
                actions.into_iter().map(|a| a.outcome).collect()
            }
        };
        let observed = reader.observed(turn).map_err(words)?;
        let seen = observed.and_then(|o| {
            let bytes = reader.frame(&o.picture?).ok()?;
            picture(bytes.into(), o.frame)
        });
        Ok(Some(Self { reply, seen, outcomes }))
    }
}

/// A picture as it lies in the run folder; `None` if it cannot be read any more.
fn picture(bytes: Arc<[u8]>, frame: FrameGeometry) -> Option<Picture> {
    let format = PictureFormat::of(&bytes)?;
    let size = handsight_pixel::picture::decode(&bytes).ok()?.size();
    let geometry = PictureGeometry { frame: frame.frame, pane: frame.whole(), size };
    Some(Picture { bytes, media_type: format.media_type(), geometry })
}

/// Stands in where no picture is left: only which call meant what is asked of it, and that was within the picture then.
fn anywhere() -> PictureGeometry {
    let pane = FrameRect::new(0, 0, 32_768, 32_768);
    PictureGeometry { frame: FrameId(1), pane, size: pane.size }
}

/// A recorded turn in the form that a summary is made of.
fn told_of(step: &StepRecord) -> Past {
    let call = step.call.as_ref().map(|c| ToolCall {
        id: String::new(),
        name: c.tool.clone(),
        arguments: c.args.to_string(),
    });
    let wrong = step.deeds.iter().find_map(|d| match &d.outcome {
        Outcome::Done { .. } => None,
        Outcome::Refused { why } | Outcome::Failed { why, .. } => Some((Standing::Failed, why.clone())),
        Outcome::Withheld { why } => Some((Standing::NotExecuted, why.clone())),
        Outcome::NotExecuted => Some((Standing::NotExecuted, String::new())),
        Outcome::Ambiguous => Some((Standing::Unknown, String::new())),
    });
    let result = |(standing, text)| CallResult { standing, text, ..CallResult::default() };
    Past {
        text: step.reason.clone(),
        calls: call.into_iter().collect(),
        results: wrong.map(result).into_iter().collect(),
        ..Past::default()
    }
}
