//! The journal of a run, written: opening, syncing, disk trouble, closing. The turn's own calls are in [`turn`].
//!
//! All disk work of a [`Journal`] happens on the thread that calls it. An acknowledgement exists only after the sync that
//! carries its rows; an intent is durable before the call returns. After a sync that failed nothing is retried and nothing
//! more is acknowledged: the kernel may have dropped the pages and would call the next sync a success.

mod open;
mod turn;

use crate::album::{Album, is_view};
use crate::error::{Result, StoreError};
use crate::exchange::Packer;
use crate::files;
use crate::held::Written;
use crate::lock::RunLock;
use crate::migrate::{self, Synchronous};
use crate::outside::{DiskCall, Outside};
use crate::pages::{DB, WAL};
use crate::rebuild;
use crate::record::{KeptBody, RunMeta, Totals};
use crate::report::Ambiguous;
use crate::reserve::Reserve;
use crate::row::{Kind, Row, Sum, WHOLE};
use crate::session::{Session, is_session};
use handsight_base::flow::format::PictureFormat;
use handsight_base::flow::frame::FrameHash;
use handsight_base::flow::step::StepRecord;
use handsight_base::redact::Redactor;
use rusqlite::Connection;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// When rows are synced. It follows the desktop: effects on a real one are `Always`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Every intent before it is acted on, every turn before it is acknowledged.
    Always,
    /// For simulated desktops: once so many turns or milliseconds have come together, whichever is first.
    Batched { turns: u32, millis: u64 },
}

impl Durability {
    pub const BATCHED: Self = Self::Batched { turns: 256, millis: 250 };
}

#[derive(Debug, Clone)]
pub struct Options {
    pub durability: Durability,
    /// Room for pictures and views; the journal itself is not limited.
    pub quota_bytes: u64,
    /// Held back for the journal for when the disk is full.
    pub reserve_bytes: u64,
    /// The log is moved into the file once it is this large and the engine has time, and at 16 times that in any case.
    pub checkpoint_bytes: u64,
    /// Whether committed turns go to `session.jsonl` too.
    pub session_log: bool,
    /// The clock and the disk; others than the machine's in simulations.
    pub outside: Outside,
    /// What is kept out of everything that is written but pictures.
    pub redactor: Arc<Redactor>,
    /// Not for use: the controls of the power-cut tests must lose turns.
    #[doc(hidden)]
    pub synchronous: Synchronous,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::Always,
            quota_bytes: 4 << 30,
            reserve_bytes: 1 << 20,
            checkpoint_bytes: 1 << 20,
            session_log: true,
            outside: Outside::default(),
            redactor: Arc::new(Redactor::off()),
            synchronous: Synchronous::Full,
        }
    }
}

/// Everything up to and with this turn is durable. Only a journal makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "whoever waits for the turn is told once it is durable"]
pub struct Ack {
    through: u64,
}

impl Ack {
    /// In batches this may be less than the turn that was just committed.
    pub const fn through(self) -> u64 {
        self.through
    }
}

/// Where a run goes on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Resume {
    /// The newest committed turn.
    pub last: Option<StepRecord>,
    /// The reason of the newest one whose reply could be used, which is what some profiles carry over.
    pub said: Option<String>,
    pub next_turn: u64,
    /// Actions after that turn whose outcome nobody knows. They are not replayed; the model is told.
    pub ambiguous: Vec<Ambiguous>,
    pub totals: Totals,
}

/// How the store fares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// Pictures and views that could not be kept.
    pub dropped: u64,
    pub last_trouble: Option<String>,
    /// Room taken by pictures and views.
    pub used_bytes: u64,
    pub quota_bytes: u64,
    /// Whether the space for a full disk is held.
    pub reserve_held: bool,
    /// Free on the disk, where it can be told.
    pub free_bytes: Option<u64>,
    /// What the rows that found no room need of it; 0 while there is room.
    pub needed_bytes: u64,
    /// Why nothing more is recorded, if so.
    pub failed: Option<String>,
}

/// What a full disk takes from the pictures at once.
const ROOM_BYTES: u64 = 1 << 20;

/// The writer of a run's journal.
pub struct Journal {
    dir: PathBuf,
    path: PathBuf,
    db: Connection,
    options: Options,
    meta: Option<RunMeta>,
    resume: Resume,
    /// Rows that are not in the file yet.
    pending: Vec<Row>,
    last_seq: u64,
    last_sum: Sum,
    turn: turn::Turn,
    /// The newest committed turn, durable or not.
    committed: u64,
    durable: u64,
    totals: Totals,
    album: Album,
    /// Pictures kept that no row names yet, and their turn.
    unnamed: Vec<(u64, FrameHash)>,
    session: Option<Session>,
    /// Lines of `session.jsonl` that are not written yet.
    lines: Vec<(u64, String)>,
    /// Lines found no room; the journal has them, and they are made up for when there is time.
    session_behind: bool,
    packer: Packer,
    reserve: Reserve,
    /// When the oldest pending row came, for batches.
    waiting_since: Option<Duration>,
    waiting_turns: u32,
    shrink_from: u64,
    /// What the rows of a write that found no room need.
    needed: u64,
    failed: Option<(&'static str, String)>,
    /// These last, so that the folder is let go when all else is closed.
    _written: Written,
    _lock: RunLock,
}

/// Where the chain of rows was before a call, to go back there if the call failed.
#[derive(Clone, Copy)]
struct Mark {
    pending: usize,
    seq: u64,
    sum: Sum,
}

impl Journal {
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What run this is. `None` if that row was damaged.
    pub fn meta(&self) -> Option<&RunMeta> {
        self.meta.as_ref()
    }

    /// Where the run goes on, as it was at the opening.
    pub fn resume(&self) -> &Resume {
        &self.resume
    }

    /// Sums over the whole run, earlier openings and what the turn under way has used included.
    pub fn totals(&self) -> Totals {
        let mut totals = self.totals;
        totals.add_usage(&self.turn.usage());
        totals
    }

    /// How long the run has taken so far, earlier openings included, for limits that go on after a resume. The next turn
    /// that is committed carries it, or the end.
    pub fn elapsed(&mut self, so_far: Duration) {
        self.totals.elapsed_s = so_far.as_secs_f64();
    }

    /// The turn that is under way or comes next.
    pub fn next_turn(&self) -> u64 {
        self.turn.number
    }

    pub fn health(&self) -> Health {
        Health {
            dropped: self.album.dropped,
            last_trouble: self.album.last_trouble.clone(),
            used_bytes: self.album.book.used(),
            quota_bytes: self.options.quota_bytes,
            reserve_held: self.reserve.is_held(),
            free_bytes: files::free_bytes(&self.dir).ok(),
            needed_bytes: self.needed,
            failed: self.failed.as_ref().map(|(doing, why)| format!("while {doing}: {why}")),
        }
    }

    /// Keeps a picture for `turn` under the hash of its bytes, which is returned whether it could be kept or not:
    /// a picture that is lost never ends a run, and [`Journal::health`] counts it.
    pub fn keep_frame(&mut self, turn: u64, bytes: &[u8]) -> FrameHash {
        let hash = FrameHash::of(bytes);
        let ending = PictureFormat::of(bytes).unwrap_or(PictureFormat::Png).ending();
        if self.failed.is_none() && self.album.keep(turn, &hash, bytes, ending) {
            let known = |(t, h): &(u64, FrameHash)| *t == turn && *h == hash;
            if !self.unnamed.iter().any(known) {
                self.unnamed.push((turn, hash));
            }
        }
        hash
    }

    /// Gives a kept picture a plain name in the run folder, such as [`crate::step_name`]. False if it could not.
    pub fn view_frame(&mut self, turn: u64, name: &str, hash: &FrameHash) -> bool {
        self.failed.is_none() && is_plain(name) && self.album.view(turn, name, hash)
    }

    /// Writes a plain text file into the run folder, such as [`crate::turn_name`]. False if it could not.
    pub fn view_text(&mut self, turn: u64, name: &str, text: &str) -> bool {
        self.failed.is_none() && is_plain(name) && self.album.view_text(turn, name, text)
    }

    /// To be called while the engine waits for something else: syncs a batch that is due, moves a large log into the
    /// file, holds space back again.
    pub fn idle(&mut self) -> Result<()> {
        self.alive()?;
        if self.is_batch_due() {
            self.sync()?;
        }
        self.make_up_session()?;
        self.reserve.refill();
        self.shrink_log(self.options.checkpoint_bytes)
    }

    /// Makes everything durable that is not yet.
    pub fn flush(&mut self) -> Result<Ack> {
        self.alive()?;
        self.sync()?;
        Ok(Ack { through: self.durable })
    }

    /// Makes everything durable and leaves the folder as one file and its pictures.
    pub fn close(mut self) -> Result<()> {
        self.alive()?;
        self.sync()?;
        self.make_up_session()?;
        if self.checkpoint()? {
            // Everything is in the file and synced, so SQLite may remove its log and index if nobody reads them.
            let on_close = rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
            let set = self.db.set_db_config(on_close, false);
            set.map_err(|e| StoreError::sqlite("closing", &self.path, &e))?;
        }
        self.reserve.remove()
    }

    fn alive(&self) -> Result<()> {
        match &self.failed {
            None => Ok(()),
            Some((doing, why)) => {
                Err(StoreError::Failed { path: self.path.clone(), doing, why: why.clone() })
            }
        }
    }

    /// Puts a row into the chain; it is in the file after the next sync.
    fn append(&mut self, turn: u64, idx: i64, kind: Kind, body: String) {
        // Exchanges are clean before they are packed: afterwards their lengths count.
        let body = if kind == Kind::Exchange { body } else { self.clean(body) };
        let row = Row::new(self.last_seq + 1, turn, idx, kind, self.last_sum, body);
        self.last_seq = row.seq;
        self.last_sum = row.sum;
        self.pending.push(row);
        self.waiting_since.get_or_insert_with(|| self.options.outside.clock.now());
    }

    /// A JSON text without secrets.
    fn clean(&self, json: String) -> String {
        match self.options.redactor.redact_json(&json) {
            Cow::Borrowed(_) => json,
            Cow::Owned(clean) => clean,
        }
    }

    fn mark(&self) -> Mark {
        Mark { pending: self.pending.len(), seq: self.last_seq, sum: self.last_sum }
    }

    /// Takes back the rows since `mark`. Only after a write that failed, so they are still pending.
    fn take_back(&mut self, mark: Mark) {
        self.pending.truncate(mark.pending);
        self.last_seq = mark.seq;
        self.last_sum = mark.sum;
    }

    /// Adds a row for pictures that no other row names, so that each file under `frames/` is accounted for.
    fn name_pictures(&mut self) -> Result<()> {
        let mut by_turn: BTreeMap<u64, Vec<FrameHash>> = BTreeMap::new();
        for (turn, hash) in self.unnamed.drain(..) {
            by_turn.entry(turn).or_default().push(hash);
        }
        for (turn, pictures) in by_turn {
            let body = json(turn, &KeptBody { pictures })?;
            self.append(turn, WHOLE, Kind::Kept, body);
        }
        Ok(())
    }

    fn is_batch_due(&self) -> bool {
        let now = self.options.outside.clock.now();
        let waited = self.waiting_since.map_or(Duration::ZERO, |since| now.saturating_sub(since));
        match self.options.durability {
            Durability::Always => true,
            Durability::Batched { turns, millis } => {
                self.waiting_turns >= turns || waited >= Duration::from_millis(millis)
            }
        }
    }

    /// Writes the pending rows in one transaction and syncs it.
    fn sync(&mut self) -> Result<()> {
        if !self.pending.is_empty() {
            self.write_or_relieve()?;
            self.pending.clear();
        }
        self.waiting_since = None;
        self.waiting_turns = 0;
        self.durable = self.committed;
        self.append_lines();
        self.shrink_log(self.options.checkpoint_bytes.saturating_mul(16))
    }

    /// A full disk first costs old pictures, then the reserve, then the turn waits.
    fn write_or_relieve(&mut self) -> Result<()> {
        loop {
            let Err(error) = self.write() else {
                self.needed = 0;
                return Ok(());
            };
            match error {
                StoreError::DiskFull { .. } if self.album.make_room(ROOM_BYTES) || self.reserve.release() => {
                    tracing::warn!(%error, "pictures or the reserve made room for the journal");
                }
                StoreError::DiskFull { .. } => {
                    self.needed = self.pending.iter().map(Row::log_bytes).sum();
                    return Err(error);
                }
                other => return Err(self.fail(other)),
            }
        }
    }

    fn write(&self) -> Result<()> {
        let run = || {
            self.db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            self.pending.iter().try_for_each(|row| rebuild::insert(&self.db, row))?;
            self.options.outside.before_rows()?;
            self.db.prepare_cached("COMMIT")?.execute([])
        };
        run().map(|_| self.options.outside.after(DiskCall::Rows)).map_err(|error| {
            if !self.db.is_autocommit() {
                // The first error is the one that counts; if this fails too, the next BEGIN says so.
                let _ = self.db.execute_batch("ROLLBACK");
            }
            StoreError::sqlite("writing a turn", &self.path, &error)
        })
    }

    /// From here on nothing is recorded or acknowledged.
    fn fail(&mut self, error: StoreError) -> StoreError {
        if let StoreError::Failed { doing, why, .. } = &error {
            tracing::error!(%error, "the journal failed");
            self.failed = Some((*doing, why.clone()));
        }
        error
    }

    fn log_bytes(&self) -> u64 {
        std::fs::metadata(self.dir.join(WAL)).map_or(0, |meta| meta.len())
    }

    /// If something stood in the way the last time, the log must have grown by as much again.
    fn shrink_log(&mut self, from: u64) -> Result<()> {
        let log = self.log_bytes();
        if log >= from.max(self.shrink_from) {
            let all = self.checkpoint()?;
            self.shrink_from = if all { 0 } else { log.saturating_add(self.options.checkpoint_bytes) };
        }
        Ok(())
    }

    /// Moves the log into the file. True if nothing of it is left; a reader or a full disk may leave some.
    fn checkpoint(&mut self) -> Result<bool> {
        match migrate::checkpoint(&self.db, &self.path) {
            Ok(all) => Ok(all),
            Err(error @ StoreError::DiskFull { .. }) => {
                tracing::warn!(%error, "the log stays as it is");
                Ok(false)
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    /// Writes the lines whose turns are durable.
    fn append_lines(&mut self) {
        let Some(session) = &mut self.session else { return };
        let ready = self.lines.partition_point(|(turn, _)| *turn <= self.durable);
        if ready > 0 {
            self.session_behind =
                self.session_behind || !session.append(&self.lines[..ready], &mut self.album);
            self.lines.drain(..ready);
        }
    }

    /// Appends to `session.jsonl` what it lacks.
    fn make_up_session(&mut self) -> Result<()> {
        let sql = "SELECT turn, body -> '$.record' FROM log WHERE kind = 'committed' AND turn > ?1 ORDER BY seq LIMIT 500";
        self.append_lines();
        while let Some(session) =
            self.session.as_mut().filter(|s| self.session_behind && s.last_turn < self.durable)
        {
            let lines: rusqlite::Result<Vec<(u64, String)>> =
                self.db.prepare_cached(sql).and_then(|mut query| {
                    let line = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)? as u64, row.get(1)?));
                    query.query_map([session.last_turn as i64], line)?.collect()
                });
            let lines = lines.map_err(|e| StoreError::sqlite("reading", &self.path, &e))?;
            if lines.is_empty() || !session.append(&lines, &mut self.album) {
                return Ok(());
            }
        }
        self.session_behind = false;
        Ok(())
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal")
            .field("dir", &self.dir)
            .field("next_turn", &self.turn.number)
            .finish_non_exhaustive()
    }
}

/// A name without a folder that is not the journal's own.
fn is_plain(name: &str) -> bool {
    let plain = Path::new(name).file_name().is_some_and(|n| n == name) && is_view(name) && !is_session(name);
    if !plain {
        tracing::warn!(name, "no view can have this name");
    }
    plain
}

fn json<T: Serialize>(turn: u64, value: &T) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|e| StoreError::Order { turn, what: format!("a record cannot be written: {e}") })
}

/// Opens the checked file with SQLite.
fn open_database(dir: &Path, options: &Options) -> Result<(PathBuf, Connection)> {
    let path = dir.join(DB);
    let db = migrate::open(&path, options.synchronous)?;
    // SQLite syncs the name of its log too, but takes no notice if that fails.
    files::sync_dir(dir)?;
    Ok((path, db))
}
