//! What a turn tells the journal, in order: observed, decided, then intent and outcome of each action, verified, committed.
//!
//! A call out of order is refused: a row only ever moves forward. A call that failed for want of space changed nothing and may
//! be made again.

use super::{Ack, Durability, Journal, json};
use crate::error::{Result, StoreError};
use crate::record::{
    CommittedBody, Decided, EndedBody, IntentBody, Observed, RunEnd, VerifiedBody, is_failure,
};
use crate::row::{Kind, WHOLE};
use handsight_base::flow::action::{Action, ActionHash};
use handsight_base::flow::format::PictureFormat;
use handsight_base::flow::frame::FrameHash;
use handsight_base::flow::receipt::Outcome;
use handsight_base::flow::settled::Calm;
use handsight_base::flow::step::{Stage, StepRecord};
use handsight_base::flow::verdict::Judgement;
use handsight_base::port::model::{Exchange, Usage};
use std::borrow::Cow;

/// The turn under way.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub(super) number: u64,
    /// `None` before anything was recorded.
    stage: Option<Stage>,
    /// Intents so far.
    intents: u32,
    /// The last of them has no outcome yet.
    open: bool,
    picture: Option<FrameHash>,
    /// What the decision said it used; the committed record says it again.
    usage: Usage,
}

impl Turn {
    pub(super) fn new(number: u64) -> Self {
        Self { number, ..Self::default() }
    }

    pub(super) const fn usage(&self) -> Usage {
        self.usage
    }
}

impl Journal {
    fn order(&self, turn: u64, right: bool, what: &str) -> Result<()> {
        self.alive()?;
        if turn == self.turn.number && right {
            return Ok(());
        }
        let Self { turn: now, .. } = self;
        let at = now.stage.map_or("not begun", Stage::name);
        let what = format!(
            "{what} was called, but turn {} is under way ({at}, {} intents)",
            now.number, now.intents
        );
        Err(StoreError::Order { turn, what })
    }

    /// The turn begins. May be called again as long as nothing was decided.
    pub fn observed(&mut self, turn: u64, observed: &Observed) -> Result<()> {
        self.order(turn, self.turn.stage <= Some(Stage::Observed), "observed")?;
        self.append(turn, WHOLE, Kind::Observed, json(turn, observed)?);
        if let Some(picture) = observed.picture {
            self.unnamed.retain(|named| *named != (turn, picture));
        }
        self.turn.stage = Some(Stage::Observed);
        self.turn.picture = observed.picture;
        Ok(())
    }

    /// The model was asked, in one or more requests, and the answer was understood or refused. Pictures in the requests
    /// are taken out of them and kept like frames.
    pub fn decided(&mut self, turn: u64, decided: &Decided, exchanges: &[Exchange]) -> Result<()> {
        self.order(turn, self.turn.stage == Some(Stage::Observed), "decided")?;
        for (round, exchange) in exchanges.iter().enumerate() {
            let exchange = self.without_secrets(exchange);
            let mut packer = std::mem::take(&mut self.packer);
            let body = packer.pack(self.last_seq + 1, &exchange, &mut |bytes| {
                PictureFormat::of(bytes)?;
                if self.turn.picture == Some(FrameHash::of(bytes)) {
                    return self.turn.picture;
                }
                Some(self.keep_frame(turn, bytes))
            });
            self.packer = packer;
            self.append(turn, round as i64, Kind::Exchange, json(turn, &body)?);
        }
        self.append(turn, WHOLE, Kind::Decided, json(turn, decided)?);
        self.turn.usage = decided.usage;
        self.turn.stage = Some(Stage::Decided);
        Ok(())
    }

    fn without_secrets<'a>(&self, exchange: &'a Exchange) -> Cow<'a, Exchange> {
        let redactor = &self.options.redactor;
        match (redactor.redact_json(&exchange.request), redactor.redact_json(&exchange.response)) {
            (Cow::Borrowed(_), Cow::Borrowed(_)) => Cow::Borrowed(exchange),
            (request, response) => Cow::Owned(Exchange {
                request: request.into_owned(),
                response: response.into_owned(),
                ..exchange.clone()
            }),
        }
    }

    /// The action is about to happen. When this returns, the intent is durable (in batches: recorded); until then, and
    /// after an error, no event may be sent.
    pub fn intent(&mut self, turn: u64, index: u32, action: &Action, hash: &ActionHash) -> Result<()> {
        let decided = matches!(self.turn.stage, Some(Stage::Decided | Stage::Intent | Stage::Acted));
        self.order(turn, decided && !self.turn.open && index == self.turn.intents, "intent")?;
        self.name_pictures()?;
        let mark = self.mark();
        let body = IntentBody {
            hash: Cow::Borrowed(hash),
            picture: self.turn.picture,
            action: Cow::Borrowed(action),
        };
        self.append(turn, index.into(), Kind::Intent, json(turn, &body)?);
        if self.options.durability == Durability::Always {
            self.sync().inspect_err(|_| self.take_back(mark))?;
        }
        self.turn.stage = Some(Stage::Intent);
        self.turn.intents += 1;
        self.turn.open = true;
        Ok(())
    }

    /// What became of the action; durable with the next sync.
    pub fn acted(&mut self, turn: u64, index: u32, outcome: &Outcome) -> Result<()> {
        self.order(turn, self.turn.open && index + 1 == self.turn.intents, "acted")?;
        self.append(turn, index.into(), Kind::Acted, json(turn, outcome)?);
        self.totals.add_outcome(outcome);
        self.turn.stage = Some(Stage::Acted);
        self.turn.open = false;
        Ok(())
    }

    /// What a check found after acting.
    pub fn verified(&mut self, turn: u64, calm: Calm, judgement: &Judgement) -> Result<()> {
        let may = self.turn.stage.is_some_and(|s| s < Stage::Verified) && !self.turn.open;
        self.order(turn, may, "verified")?;
        let body = VerifiedBody { calm, judgement: judgement.clone() };
        self.append(turn, WHOLE, Kind::Verified, json(turn, &body)?);
        self.turn.stage = Some(Stage::Verified);
        Ok(())
    }

    /// The turn is over. The acknowledgement follows the sync; in batches it may name an earlier turn.
    pub fn commit(&mut self, record: &StepRecord) -> Result<Ack> {
        let turn = record.turn;
        self.order(turn, self.turn.stage.is_some() && !self.turn.open, "commit")?;
        self.name_pictures()?;
        let mut totals = self.totals;
        totals.turns += 1;
        totals.add_usage(&record.usage);
        let failed = is_failure(record);
        let line = self.clean(json(turn, record)?);
        let raw = serde_json::value::RawValue::from_string(line.clone());
        let raw =
            raw.map_err(|e| StoreError::Order { turn, what: format!("a record cannot be written: {e}") })?;
        let mark = self.mark();
        self.append(
            turn,
            WHOLE,
            Kind::Committed,
            json(turn, &CommittedBody { failed, totals, record: &raw })?,
        );
        let (before, waiting) = (self.committed, self.waiting_turns);
        self.committed = turn;
        self.waiting_turns += 1;
        if self.session.is_some() {
            self.lines.push((turn, line));
        }
        if self.is_batch_due() {
            self.sync().inspect_err(|_| {
                self.take_back(mark);
                self.committed = before;
                self.waiting_turns = waiting;
                if self.session.is_some() {
                    self.lines.pop();
                }
            })?;
        }
        self.totals = totals;
        if failed {
            self.album.book.fail(turn);
        }
        self.turn = Turn::new(turn + 1);
        Ok(Ack { through: self.durable })
    }

    /// The run is over, for the reason given. Durable when it returns.
    pub fn end(&mut self, end: &RunEnd) -> Result<Ack> {
        self.alive()?;
        self.name_pictures()?;
        let mark = self.mark();
        let body = EndedBody { end: Cow::Borrowed(end), elapsed_s: self.totals.elapsed_s };
        self.append(0, WHOLE, Kind::Ended, json(0, &body)?);
        self.sync().inspect_err(|_| self.take_back(mark))?;
        Ok(Ack { through: self.durable })
    }
}
