//! Where a run stands, folded from its rows in order.
//!
//! Only what is needed is parsed: a long journal is opened in a second because most bodies are never looked into.

use crate::record::{
    ActionRow, CommittedBody, DamageBody, Decided, EndedBody, IntentBody, KeptBody, OpenedBody, RunBody,
    RunEnd, RunMeta, Totals, read, says_failed,
};
use crate::report::LostRows;
use crate::row::{Kind, Row, Sum};
use handsight_base::flow::frame::FrameHash;
use handsight_base::flow::receipt::Outcome;
use handsight_base::flow::step::{Stage, StepRecord};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};

/// The fold.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) meta: Option<RunMeta>,
    pub(crate) ended: Option<RunEnd>,
    /// As the newest end said; a run that goes on took at least as long.
    elapsed_s: f64,
    /// SQLite versions that wrote the file.
    pub(crate) sqlites: HashSet<i32>,
    pub(crate) last_seq: u64,
    pub(crate) last_sum: Sum,
    pub(crate) last_turn: u64,
    pub(crate) last_committed: u64,
    /// The turn in which each picture was last used.
    pub(crate) pictures: HashMap<FrameHash, u64>,
    pub(crate) failed_turns: HashSet<u64>,
    /// Rows that are not there and that no `damage` row admits.
    lost: Vec<LostRows>,
    admitted: Vec<LostRows>,
    /// Rows whose sums are right and that do not continue the row before.
    pub(crate) misfits: Vec<u64>,
    /// The newest row that carries totals.
    carrier: Option<Row>,
    /// The newest committed turn.
    committed: Option<Row>,
    /// The newest committed turn with a usable reply, if it is an older one.
    said: Option<Row>,
    /// Rows of turns that are not committed.
    unfinished: Vec<Row>,
    pub(crate) faults: Vec<String>,
}

/// The part of an `observed` row that is read at every opening.
#[derive(Deserialize)]
struct PictureOnly {
    picture: Option<FrameHash>,
}

impl State {
    pub(crate) fn add(&mut self, row: Row) {
        self.link(&row);
        self.last_seq = row.seq;
        self.last_sum = row.sum;
        self.last_turn = self.last_turn.max(row.turn);
        if let Err(fault) = self.take(row) {
            self.faults.push(fault);
        }
    }

    fn link(&mut self, row: &Row) {
        if row.seq != self.last_seq + 1 {
            let (first, last) = (self.last_seq + 1, row.seq.saturating_sub(1));
            self.lost.push(LostRows { first, last, after_turn: self.last_turn });
        } else if row.prev != self.last_sum {
            self.misfits.push(row.seq);
        }
    }

    fn take(&mut self, row: Row) -> Result<(), String> {
        match row.kind {
            Kind::Run => {
                let body: RunBody<'_> = read(&row)?;
                self.sqlites.insert(body.sqlite);
                self.meta = Some(body.meta.into_owned());
            }
            Kind::Opened => {
                self.sqlites.insert(read::<OpenedBody>(&row)?.sqlite);
                self.ended = None;
                self.carrier = Some(row);
            }
            Kind::Damage => self.admitted.extend(read::<DamageBody>(&row)?.lost),
            Kind::Observed => {
                if let Some(picture) = read::<PictureOnly>(&row)?.picture {
                    self.pictures.insert(picture, row.turn);
                }
                self.unfinished.push(row);
            }
            Kind::Kept => {
                let pictures = read::<KeptBody>(&row)?.pictures;
                self.pictures.extend(pictures.into_iter().map(|p| (p, row.turn)));
            }
            Kind::Exchange => {}
            Kind::Decided | Kind::Intent | Kind::Acted | Kind::Verified => self.unfinished.push(row),
            Kind::Committed => {
                if says_failed(&row.body) {
                    self.failed_turns.insert(row.turn);
                }
                self.last_committed = self.last_committed.max(row.turn);
                self.unfinished.retain(|r| r.turn > row.turn);
                self.carrier = None;
                // Few turns fail, so few are looked into.
                let refused =
                    says_failed(&row.body) && record_of(&row).is_ok_and(|record| record.choice == "refused");
                let before = self.committed.replace(row);
                self.said = if refused { self.said.take().or(before) } else { None };
            }
            Kind::Ended => {
                let body: EndedBody<'_> = read(&row)?;
                self.elapsed_s = body.elapsed_s;
                self.ended = Some(body.end.into_owned());
            }
        }
        Ok(())
    }

    /// Rows that are missing and of which no earlier opening has told.
    pub(crate) fn lost(&self) -> Vec<LostRows> {
        let admitted =
            |lost: &LostRows| self.admitted.iter().any(|a| a.first <= lost.first && lost.last <= a.last);
        self.lost.iter().copied().filter(|l| !admitted(l)).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.last_seq == 0
    }

    /// The reason of the newest committed turn whose reply could be used.
    pub(crate) fn last_said(&self) -> Result<Option<String>, String> {
        let record = self.said.as_ref().or(self.committed.as_ref()).map(record_of).transpose()?;
        Ok(record.filter(|record| record.choice != "refused").map(|record| record.reason))
    }

    /// The record of the newest committed turn.
    pub(crate) fn last_record(&self) -> Result<Option<StepRecord>, String> {
        self.committed.as_ref().map(record_of).transpose()
    }

    /// Sums over all rows.
    pub(crate) fn totals(&self) -> Result<Totals, String> {
        let mut totals = match (&self.carrier, &self.committed) {
            (Some(opened), _) => read::<OpenedBody>(opened)?.totals,
            (None, Some(committed)) => read::<CommittedBody<'_>>(committed)?.totals,
            (None, None) => Totals::default(),
        };
        totals.elapsed_s = totals.elapsed_s.max(self.elapsed_s);
        let counted = self.carrier.as_ref().map_or(0, |r| r.seq);
        for row in self.unfinished.iter().filter(|r| r.seq > counted) {
            match row.kind {
                Kind::Decided => totals.add_usage(&read::<Decided>(row)?.usage),
                Kind::Acted => totals.add_outcome(&read::<Outcome>(row)?),
                _ => {}
            }
        }
        Ok(totals)
    }

    /// The actions of turns that were never committed.
    pub(crate) fn unfinished_actions(&self) -> Result<Vec<ActionRow>, String> {
        actions(&self.unfinished)
    }
}

/// The record in a committed row.
pub(crate) fn record_of(row: &Row) -> Result<StepRecord, String> {
    let body: CommittedBody<'_> = read(row)?;
    serde_json::from_str(body.record.get())
        .map_err(|e| format!("the record of turn {} cannot be understood: {e}", row.turn))
}

/// One row per (turn, index) from the rows of the log.
pub(crate) fn actions(rows: &[Row]) -> Result<Vec<ActionRow>, String> {
    let mut found: Vec<ActionRow> = Vec::new();
    for row in rows {
        let of_turn = |a: &&mut ActionRow| a.turn == row.turn;
        let same = |a: &&mut ActionRow| a.turn == row.turn && i64::from(a.index) == row.idx;
        match row.kind {
            Kind::Intent => {
                let body: IntentBody<'_> = read(row)?;
                found.push(ActionRow {
                    turn: row.turn,
                    index: u32::try_from(row.idx).unwrap_or(u32::MAX),
                    stage: Stage::Intent,
                    action: body.action.into_owned(),
                    hash: body.hash.into_owned(),
                    outcome: None,
                });
            }
            Kind::Acted => {
                if let Some(action) = found.iter_mut().find(same) {
                    action.stage = Stage::Acted;
                    action.outcome = Some(read(row)?);
                }
            }
            Kind::Verified => found.iter_mut().filter(of_turn).for_each(|a| a.stage = Stage::Verified),
            Kind::Committed => {
                found.iter_mut().filter(of_turn).for_each(|a| a.stage = Stage::Committed);
                // The record repeats the outcomes, should a row of one be lost.
                if found.iter().any(|a| a.turn == row.turn && a.outcome.is_none()) {
                    let record = record_of(row)?;
                    for action in found.iter_mut().filter(of_turn).filter(|a| a.outcome.is_none()) {
                        let deed = record.deeds.iter().find(|d| d.hash == action.hash);
                        action.outcome = deed.map(|d| d.outcome.clone());
                    }
                }
            }
            Kind::Run
            | Kind::Opened
            | Kind::Damage
            | Kind::Observed
            | Kind::Kept
            | Kind::Exchange
            | Kind::Decided
            | Kind::Ended => {}
        }
    }
    Ok(found)
}
