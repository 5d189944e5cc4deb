//! Reads a run: while an engine writes it, afterwards, and when it is damaged. Changes no file and takes no lock.
//!
//! A run that an engine has open is read through SQLite, which keeps reader and writer apart. Any other is read by our own
//! code: SQLite would make files beside it, and on a damaged one it would leave rows out without a word.

use crate::album::read_frame;
use crate::beyond;
use crate::check::{self, Examined, Keep, Rows};
use crate::error::{Result, StoreError};
use crate::exchange::Body;
use crate::lock::RunLock;
use crate::migrate;
use crate::pages::DB;
use crate::record::{ActionRow, CommittedBody, Observed, RecordedExchange, RunEnd, RunMeta, Totals, read};
use crate::report::{Damage, OpenReport};
use crate::row::{Kind, Row, Sum, checksum};
use crate::state::{self, State};
use crate::walk::row_at;
use handsight_base::flow::frame::FrameHash;
use handsight_base::flow::step::StepRecord;
use rusqlite::Connection;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The rows there are, without their bodies, in order.
#[derive(Debug, Default)]
struct Index {
    entries: Vec<Entry>,
    /// The first entry of each turn and the one behind its last. Rows of turn 0, the run's own, lie between.
    turns: HashMap<u64, (usize, usize)>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    seq: u64,
    turn: u64,
    kind: Kind,
}

impl Index {
    fn add(&mut self, seq: u64, turn: u64, kind: Kind) {
        let at = self.entries.len();
        self.turns.entry(turn).or_insert((at, at)).1 = at + 1;
        self.entries.push(Entry { seq, turn, kind });
    }

    fn of_turn(&self, turn: u64) -> impl Iterator<Item = &Entry> {
        let (from, to) = self.turns.get(&turn).copied().unwrap_or_default();
        self.entries[from..to].iter().filter(move |e| e.turn == turn)
    }

    fn has(&self, seq: u64) -> bool {
        self.entries.binary_search_by_key(&seq, |e| e.seq).is_ok()
    }
}

enum Source {
    Live(Connection),
    Still(Rows),
}

/// A read-only look at a run folder.
pub struct Reader {
    dir: PathBuf,
    source: Source,
    index: Index,
    /// The last row taken in, sound or not.
    read_to: u64,
    state: State,
    report: OpenReport,
}

impl Reader {
    /// Opens a run folder for reading. Damage is in [`Reader::report`], not an error.
    pub fn open(dir: &Path) -> Result<Self> {
        // An engine may begin or end between the question and the look; then what looked damaged was being written.
        for _ in 0..3 {
            if RunLock::is_held(dir) {
                return Self::open_live(dir);
            }
            let found = check::examine(dir, Keep::Places)?;
            if found.damage.is_empty() || !RunLock::is_held(dir) {
                return Self::open_still(dir, found);
            }
        }
        Self::open_live(dir)
    }

    fn open_still(dir: &Path, found: Examined) -> Result<Self> {
        let Examined { rows, state, damage, lost, unfinished_bytes, torn_end, .. } = found;
        let report = OpenReport {
            damage,
            lost,
            unfinished_bytes,
            torn_end,
            beyond: beyond::look(dir, &state)?,
            ..OpenReport::default()
        };
        let mut index = Index::default();
        match &rows {
            Rows::Placed { places, .. } => places.iter().for_each(|p| index.add(p.seq, p.turn, p.kind)),
            Rows::Held(held) => held.values().for_each(|row| index.add(row.seq, row.turn, row.kind)),
        }
        Ok(Self {
            dir: dir.to_owned(),
            source: Source::Still(rows),
            index,
            read_to: state.last_seq,
            state,
            report,
        })
    }

    fn open_live(dir: &Path) -> Result<Self> {
        let db = migrate::open_live(&dir.join(DB))?;
        let mut reader = Self {
            dir: dir.to_owned(),
            source: Source::Live(db),
            index: Index::default(),
            read_to: 0,
            state: State::default(),
            report: OpenReport::default(),
        };
        reader.refresh()?;
        Ok(reader)
    }

    /// Takes in what was written since; true if there was anything. A run that no engine has open does not change.
    pub fn refresh(&mut self) -> Result<bool> {
        let before = self.read_to;
        while self.read_some()? {}
        Ok(self.read_to > before)
    }

    /// Takes in the next rows, if there are any.
    fn read_some(&mut self) -> Result<bool> {
        let Source::Live(db) = &self.source else { return Ok(false) };
        let rows = live_rows(db, "seq > ?1 ORDER BY seq LIMIT 1000", self.read_to);
        let rows = rows.map_err(|e| StoreError::sqlite("reading", &self.dir.join(DB), &e))?;
        let any = !rows.is_empty();
        for (seq, row) in rows {
            self.read_to = seq;
            match row {
                Ok(row) => {
                    self.index.add(row.seq, row.turn, row.kind);
                    self.state.add(row);
                }
                Err(why) => self.report.damage.push(Damage::new(DB, None, why)),
            }
        }
        self.report.lost = self.state.lost();
        Ok(any)
    }

    /// One row, verified again.
    fn row(&mut self, seq: u64) -> Result<Row> {
        let row = self.row_as_it_lies(seq);
        if row.is_err()
            && matches!(self.source, Source::Still(Rows::Placed { .. }))
            && RunLock::is_held(&self.dir)
        {
            // An engine has taken the run up since, and moves pages.
            self.source = Source::Live(migrate::open_live(&self.dir.join(DB))?);
            return self.row_as_it_lies(seq);
        }
        row
    }

    fn row_as_it_lies(&mut self, seq: u64) -> Result<Row> {
        let path = self.dir.join(DB);
        let fail = |why: String| StoreError::Unread { path: path.clone(), why };
        match &mut self.source {
            Source::Still(Rows::Held(held)) => {
                held.get(&seq).cloned().ok_or_else(|| fail(format!("row {seq} is lost")))
            }
            Source::Still(Rows::Placed { pages, places }) => {
                let place = places.binary_search_by_key(&seq, |p| p.seq).map(|i| places[i].place);
                let place = place.map_err(|_| fail(format!("row {seq} is lost")))?;
                row_at(pages, place).map_err(|why| fail(format!("row {seq}: {why}")))
            }
            Source::Live(db) => {
                let rows =
                    live_rows(db, "seq = ?1", seq).map_err(|e| StoreError::sqlite("reading", &path, &e))?;
                let (_, row) = rows.into_iter().next().ok_or_else(|| fail(format!("row {seq} is lost")))?;
                row.map_err(fail)
            }
        }
    }

    fn rows(&mut self, turn: u64, wanted: impl Fn(Kind) -> bool) -> Result<Vec<Row>> {
        let seqs: Vec<u64> = self.index.of_turn(turn).filter(|e| wanted(e.kind)).map(|e| e.seq).collect();
        seqs.into_iter().map(|seq| self.row(seq)).collect()
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What run this is. `None` if that row is damaged.
    pub fn meta(&self) -> Option<&RunMeta> {
        self.state.meta.as_ref()
    }

    /// How the run ended. `None` while it goes on, and if it was cut off.
    pub fn end(&self) -> Option<&RunEnd> {
        self.state.ended.as_ref()
    }

    /// Damage and losses. Nothing was set aside: a reader moves nothing.
    pub fn report(&self) -> &OpenReport {
        &self.report
    }

    /// True if an engine has the run open.
    pub fn is_live(&self) -> bool {
        matches!(self.source, Source::Live(_))
    }

    pub fn totals(&self) -> Result<Totals> {
        self.understood(self.state.totals())
    }

    /// The newest committed turn; 0 before the first.
    pub fn last_committed(&self) -> u64 {
        self.state.last_committed
    }

    /// The numbers of all committed turns, in order.
    pub fn turns(&self) -> Vec<u64> {
        self.index.entries.iter().filter(|e| e.kind == Kind::Committed).map(|e| e.turn).collect()
    }

    /// The record of a committed turn; `None` if there is none.
    pub fn step(&mut self, turn: u64) -> Result<Option<StepRecord>> {
        let rows = self.rows(turn, |kind| kind == Kind::Committed)?;
        let Some(row) = rows.last() else { return Ok(None) };
        self.understood(state::record_of(row).map(Some))
    }

    /// What `session.jsonl` holds of a committed turn, to the byte; `None` if there is no such turn.
    pub fn session_line(&mut self, turn: u64) -> Result<Option<String>> {
        let rows = self.rows(turn, |kind| kind == Kind::Committed)?;
        let Some(row) = rows.last() else { return Ok(None) };
        let line = read::<CommittedBody<'_>>(row).map(|body| body.record.get().to_owned());
        self.understood(line.map(Some))
    }

    /// What a turn saw, however far it came; `None` if it saw nothing.
    pub fn observed(&mut self, turn: u64) -> Result<Option<Observed>> {
        let rows = self.rows(turn, |kind| kind == Kind::Observed)?;
        let Some(row) = rows.last() else { return Ok(None) };
        self.understood(read(row).map(Some))
    }

    /// The requests and replies of a turn, in order, with their pictures put back.
    pub fn exchanges(&mut self, turn: u64) -> Result<Vec<RecordedExchange>> {
        let rows = self.rows(turn, |kind| kind == Kind::Exchange)?;
        rows.into_iter().map(|row| self.unpack(&row)).collect()
    }

    fn unpack(&mut self, row: &Row) -> Result<RecordedExchange> {
        let body = self.understood(read::<Body>(row))?;
        let like = match body.like() {
            Some(seq) if self.index.has(seq) => {
                let row = self.row(seq)?;
                self.understood(read::<Body>(&row)).map(Some)?
            }
            _ => None,
        };
        let (exchange, missing) = body.unpack(like.as_ref(), &mut |hash| read_frame(&self.dir, hash));
        let round = u32::try_from(row.idx).unwrap_or(0);
        Ok(RecordedExchange { turn: row.turn, round, exchange, missing })
    }

    /// The actions of a turn and how far each got.
    pub fn actions(&mut self, turn: u64) -> Result<Vec<ActionRow>> {
        let rows = self.rows(turn, |_| true)?;
        self.understood(state::actions(&rows))
    }

    /// The bytes of a picture; `Err` says in words why they are not there. That is no error of the journal.
    pub fn frame(&self, hash: &FrameHash) -> std::result::Result<Vec<u8>, String> {
        read_frame(&self.dir, hash)
    }

    fn understood<T>(&self, read: std::result::Result<T, String>) -> Result<T> {
        read.map_err(|why| StoreError::Unread { path: self.dir.join(DB), why })
    }
}

/// Rows by number through SQLite; of those whose sum is wrong, what is to be said.
type LiveRows = Vec<(u64, std::result::Result<Row, String>)>;

fn live_rows(db: &Connection, condition: &str, seq: u64) -> rusqlite::Result<LiveRows> {
    let sql = format!("SELECT seq, turn, idx, kind, prev, sum, body FROM log WHERE {condition}");
    let mut query = db.prepare_cached(&sql)?;
    let rows = query.query_map([seq as i64], |row| {
        let (seq, turn): (i64, i64) = (row.get(0)?, row.get(1)?);
        let (seq, turn, idx) = (seq as u64, turn as u64, row.get(2)?);
        let kind: String = row.get(3)?;
        let (prev, sum, body) = (Sum(row.get(4)?), Sum(row.get(5)?), row.get::<_, String>(6)?);
        let right = checksum(prev, seq, turn, idx, &kind, &body) == sum;
        let row = match Kind::from_name(&kind) {
            Some(kind) if right => Ok(Row { seq, turn, idx, kind, prev, sum, body }),
            _ => Err(format!("row {seq} is damaged")),
        };
        Ok((seq, row))
    })?;
    rows.collect()
}
