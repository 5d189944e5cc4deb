//! `spend.db`: what models have cost, one file for all runs of a person.
//!
//! Money is reserved before a call and settled after it, in one file that parallel and later processes share (R31). While a
//! call is open it counts as the most it can cost; one whose process died stays charged at that, so neither a crash nor a
//! restart gives money back. Sums are of whole billionths of a dollar, so no order of additions changes them.
//!
//! This module refuses to guess a price, to forget an open call, and to grant what would pass a limit even if every open call
//! came to its most.

mod owner;
mod service;
mod sums;

pub use service::Service;
pub use sums::{Grouping, Sum};

use crate::error::{Result, StoreError};
use crate::{files, migrate};
use owner::Owner;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use rusqlite_migration::{M, Migrations};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const FILE: &str = "spend.db";

/// Each entry brings the schema one version on; none is ever changed.
const STEPS: [&str; 1] = ["PRAGMA application_id = 0x68737370; -- hssp
     CREATE TABLE owner (
         id   INTEGER PRIMARY KEY AUTOINCREMENT,
         lock TEXT NOT NULL       -- a file that this process holds locked for as long as it lives
     );
     CREATE TABLE call (
         id      INTEGER PRIMARY KEY,
         at      INTEGER NOT NULL, -- milliseconds since 1970
         day     INTEGER,          -- days since 1970, UTC; none for what was spent elsewhere
         account TEXT NOT NULL,    -- a run with those that resume it
         model   TEXT NOT NULL,    -- provider/name
         state   TEXT NOT NULL,    -- open, told, assumed, free, carried
         owner   INTEGER,          -- of an open call
         nanos   INTEGER NOT NULL, -- billionths of a US dollar; of an open call the most it can cost
         priced  INTEGER NOT NULL, -- 0 where no price is known
         input   INTEGER NOT NULL, -- tokens
         output  INTEGER NOT NULL,
         cached  INTEGER NOT NULL
     );
     CREATE INDEX call_of_account ON call(account, state, nanos);
     CREATE INDEX call_of_day ON call(day, state, nanos);
     CREATE INDEX call_open ON call(owner) WHERE state = 'open';
     CREATE TABLE service (
         name     TEXT PRIMARY KEY,
         since    INTEGER NOT NULL, -- milliseconds since 1970
         until    INTEGER NOT NULL,
         failures INTEGER NOT NULL  -- in a row
     ) WITHOUT ROWID"];

/// Money in billionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Nanos(i64);

impl Nanos {
    /// A million dollars: what no call costs, and a thousand of them still add up.
    const MOST: i64 = 1_000_000_000_000_000;

    /// Rounded up, so that many small calls are not free. What is no amount is the most there is.
    pub fn from_usd(usd: f64) -> Self {
        if usd.is_nan() || usd < 0.0 {
            return Self(Self::MOST);
        }
        // Binary fractions of a price per million tokens end a hair above the true amount; that is no billionth more.
        Self(((usd * 1e9 - 1e-6).ceil().max(0.0) as i64).min(Self::MOST))
    }

    pub fn usd(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl std::iter::Sum for Nanos {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        Self(all.fold(0, |sum, n| sum.saturating_add(n.0)))
    }
}

/// Tokens of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    pub input: u64,
    pub output: u64,
    /// Of the input, read from the provider's cache.
    pub cached: u64,
}

impl Tokens {
    /// As columns. No call has a billion tokens, and sums of such claims must still be numbers.
    fn columns(self) -> [i64; 3] {
        [self.input, self.output, self.cached].map(|n| n.min(1_000_000_000) as i64)
    }
}

/// What a call may come to.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// Whose limit it counts against: the same for a run, its children and those that resume it.
    pub account: &'a str,
    /// `provider/name`.
    pub model: &'a str,
    /// `None` if no price is known.
    pub most: Option<Nanos>,
    pub most_tokens: Tokens,
}

/// The limits a call must keep. `None` is without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Caps {
    pub run: Option<Nanos>,
    pub day: Option<Nanos>,
}

/// Which limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    Run,
    Day,
}

/// The answer to a claim.
#[derive(Debug, PartialEq, Eq)]
pub enum Reserved {
    Granted(CallId),
    /// Calls that are open now hold what it needs; some of it comes back when they are settled.
    Busy,
    /// Even with every open call at nothing it would pass the limit. `spent` counts settled calls.
    Over {
        cap: Cap,
        limit: Nanos,
        spent: Nanos,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallId(i64);

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// The provider said what was used, or as much of it as counts.
    Told { cost: Nanos, tokens: Tokens },
    /// It may have been charged and nobody said how much: it stays at its most.
    Assumed,
    /// It was never sent, or refused.
    Free,
}

/// The record of spending.
pub struct Ledger {
    path: PathBuf,
    db: Mutex<Connection>,
    owner: Owner,
}

impl Ledger {
    /// Opens or makes the record in a folder, which is made if it is missing. Calls of processes that died are charged at their
    /// most; how many says the number.
    pub fn open(dir: &Path) -> Result<(Self, usize)> {
        files::make_dir(dir)?;
        migrate::assert_sqlite()?;
        let path = dir.join(FILE);
        // One process at a time makes the file; it is the owner's alone from its first byte on.
        let gate = dir.join("spend.lock");
        let gate_failed = |e| StoreError::io("locking", &gate, e);
        let alone = files::private().truncate(false).open(&gate).map_err(gate_failed)?;
        alone.lock().map_err(gate_failed)?;
        files::private().truncate(false).open(&path).map_err(|e| StoreError::io("opening", &path, e))?;
        let fail = |e: &rusqlite::Error| failed(&path, "opening", e);
        let mut db = Connection::open(&path).map_err(|e| fail(&e))?;
        prepare(&db).map_err(|e| fail(&e))?;
        step(&mut db, &path)?;
        drop(alone);
        let owner = Owner::new(dir, &db).map_err(|e| owner_failed(&path, e))?;
        let ledger = Self { path, db: Mutex::new(db), owner };
        let dead =
            ledger.write("charging what a dead process left open", |t| owner::sweep(t, &ledger.owner))?;
        Ok((ledger, dead))
    }

    /// The file itself, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets money aside for a call that is about to be made. Durable when it returns: a crash after it is charged.
    pub fn reserve(&self, claim: &Claim<'_>, caps: Caps, unix_millis: i64) -> Result<Reserved> {
        let answer = self.write("reserving", |t| reserve(t, claim, caps, unix_millis, self.owner.id))?;
        if answer != Reserved::Busy {
            return Ok(answer);
        }
        // Whoever holds the money may be dead; then it is spent.
        let dead = self.write("charging what a dead process left open", |t| owner::sweep(t, &self.owner))?;
        if dead == 0 {
            return Ok(Reserved::Busy);
        }
        self.write("reserving", |t| reserve(t, claim, caps, unix_millis, self.owner.id))
    }

    /// Says what became of a call. One that is never settled stays at its most.
    pub fn settle(&self, call: CallId, settled: Settled) -> Result<()> {
        self.write("settling", |t| {
            match settled {
                Settled::Told { cost, tokens } => {
                    let [input, output, cached] = tokens.columns();
                    t.execute(
                        "UPDATE call SET state = 'told', owner = NULL, nanos = ?2 * priced, input = ?3, output = ?4,
                             cached = ?5
                         WHERE id = ?1 AND state = 'open'",
                        params![call.0, cost.0, input, output, cached],
                    )
                }
                Settled::Assumed => t.execute(
                    "UPDATE call SET state = 'assumed', owner = NULL WHERE id = ?1 AND state = 'open'",
                    [call.0],
                ),
                Settled::Free => t.execute(
                    "UPDATE call SET state = 'free', owner = NULL, nanos = 0, input = 0, output = 0, cached = 0
                     WHERE id = ?1 AND state = 'open'",
                    [call.0],
                ),
            }
        })
        .map(|_rows| ())
    }

    /// What an account has spent, open calls at their most.
    pub fn spent(&self, account: &str) -> Result<Nanos> {
        self.read(|db| sum(db, "account", &account, true))
    }

    /// Sees to it that an account has at least this much: a run that was made on another machine, or whose record was moved
    /// away, goes on with what it has spent. Counts against no day.
    pub fn carry(&self, account: &str, model: &str, at_least: Nanos, unix_millis: i64) -> Result<()> {
        self.write("carrying over", |t| {
            let missing = at_least.0 - sum(t, "account", &account, true)?.0;
            if missing > 0 {
                t.execute(
                    "INSERT INTO call (at, account, model, state, nanos, priced, input, output, cached)
                     VALUES (?1, ?2, ?3, 'carried', ?4, 1, 0, 0, 0)",
                    params![unix_millis, account, model, missing],
                )?;
            }
            Ok(())
        })
    }

    fn db(&self) -> MutexGuard<'_, Connection> {
        self.db.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One transaction that no other process' falls into.
    fn write<R>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<R>,
    ) -> Result<R> {
        let mut db = self.db();
        let run = || {
            let t = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = work(&t)?;
            t.commit()?;
            Ok(result)
        };
        run().map_err(|e| failed(&self.path, doing, &e))
    }

    fn read<R>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<R>) -> Result<R> {
        work(&self.db()).map_err(|e| failed(&self.path, "reading", &e))
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        // What is left of it is swept by the next one.
        let _left = self.write("leaving", |t| owner::leave(t, &self.owner));
    }
}

/// The day of a time, counted from 1970 in UTC.
pub const fn day(unix_millis: i64) -> i64 {
    unix_millis.div_euclid(86_400_000)
}

fn reserve(
    t: &Transaction<'_>,
    claim: &Claim<'_>,
    caps: Caps,
    unix_millis: i64,
    owner: i64,
) -> rusqlite::Result<Reserved> {
    let day = day(unix_millis);
    let most = claim.most.unwrap_or_default();
    let mut busy = false;
    let limits = [
        (Cap::Run, caps.run, "account", &claim.account as &dyn rusqlite::ToSql),
        (Cap::Day, caps.day, "day", &day as &dyn rusqlite::ToSql),
    ];
    for (cap, limit, column, value) in limits {
        let Some(limit) = limit else { continue };
        let spent = sum(t, column, value, false)?;
        if spent.0 + most.0 > limit.0 {
            return Ok(Reserved::Over { cap, limit, spent });
        }
        busy |= sum(t, column, value, true)?.0 + most.0 > limit.0;
    }
    if busy {
        return Ok(Reserved::Busy);
    }
    let [input, output, cached] = claim.most_tokens.columns();
    t.execute(
        "INSERT INTO call (at, day, account, model, state, owner, nanos, priced, input, output, cached)
         VALUES (?1, ?2, ?3, ?4, 'open', ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            unix_millis,
            day,
            claim.account,
            claim.model,
            owner,
            most.0,
            claim.most.is_some(),
            input,
            output,
            cached
        ],
    )?;
    Ok(Reserved::Granted(CallId(t.last_insert_rowid())))
}

/// What the calls with this value came to; `column` is one of ours.
fn sum(
    db: &Connection,
    column: &str,
    value: &dyn rusqlite::ToSql,
    with_open: bool,
) -> rusqlite::Result<Nanos> {
    let open = if with_open { "" } else { "AND state <> 'open'" };
    let sql = format!("SELECT coalesce(sum(nanos), 0) FROM call WHERE {column} = ?1 {open}");
    let sum: Option<i64> = db.prepare_cached(&sql)?.query_row([value], |row| row.get(0)).optional()?;
    Ok(Nanos(sum.unwrap_or_default()))
}

fn prepare(db: &Connection) -> rusqlite::Result<()> {
    // Several processes may open a new file at once, and each commit of theirs waits for the disk.
    db.busy_timeout(Duration::from_secs(30))?;
    db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA mmap_size = 0;")
}

fn step(db: &mut Connection, path: &Path) -> Result<()> {
    let version: i64 =
        db.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(|e| failed(path, "opening", &e))?;
    if version > STEPS.len() as i64 {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found: u32::try_from(version).unwrap_or(u32::MAX),
            known: STEPS.len() as u32,
        });
    }
    let steps = Migrations::new(STEPS.iter().map(|sql| M::up(sql)).collect());
    steps.to_latest(db).map_err(|e| StoreError::Ledger {
        path: path.to_owned(),
        doing: "opening",
        why: e.to_string(),
    })
}

fn failed(path: &Path, doing: &'static str, error: &rusqlite::Error) -> StoreError {
    match StoreError::sqlite(doing, path, error) {
        full @ StoreError::DiskFull { .. } => full,
        _ => StoreError::Ledger { path: path.to_owned(), doing, why: error.to_string() },
    }
}

fn owner_failed(path: &Path, error: owner::NotOurs) -> StoreError {
    match error {
        owner::NotOurs::File(path, source) => StoreError::io("locking", &path, source),
        owner::NotOurs::Row(error) => failed(path, "opening", &error),
    }
}

#[cfg(test)]
mod tests;
