//! Making a journal file from rows: for a new run, and for a damaged one after its originals were set aside.
//!
//! A journal file appears whole or not at all. This module refuses to touch an original: it gets a second name under
//! `quarantine/`, and what replaces it is another file.

use crate::error::{Result, StoreError};
use crate::files::{self, make_dir, sync_dir};
use crate::migrate::{self, Synchronous};
use crate::pages::{DB, SHM, WAL};
use crate::row::Row;
use rusqlite::Connection;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A file in the making; worthless until it is renamed.
const MAKING: &str = "making.db";
/// A whole replacement of a damaged `run.db`. As long as it exists, it is the journal.
pub(crate) const REPLACEMENT: &str = "replacement.db";
pub(crate) const QUARANTINE: &str = "quarantine";

/// Puts one row into the log.
pub(crate) const INSERT: &str =
    "INSERT INTO log (seq, turn, idx, kind, prev, sum, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

pub(crate) fn insert(db: &Connection, row: &Row) -> rusqlite::Result<()> {
    let Row { seq, turn, idx, kind, prev, sum, body } = row;
    db.prepare_cached(INSERT)?
        .execute((*seq as i64, *turn as i64, idx, kind.name(), &prev.0[..], &sum.0[..], body))
        .map(|_| ())
}

/// Makes `name` in `dir` from rows; durable when it returns.
fn make<'r>(dir: &Path, name: &str, rows: impl Iterator<Item = &'r Row>) -> Result<()> {
    sweep(dir)?;
    let path = dir.join(MAKING);
    // SQLite gives its files the mode of the database.
    files::private().truncate(true).open(&path).map_err(|e| StoreError::io("making", &path, e))?;
    let db = migrate::open(&path, Synchronous::Full)?;
    let fill = || {
        db.execute_batch("BEGIN")?;
        rows.into_iter().try_for_each(|row| insert(&db, row))?;
        db.execute_batch("COMMIT")
    };
    fill().map_err(|e| StoreError::sqlite("making", &path, &e))?;
    if !migrate::checkpoint(&db, &path)? {
        let why = "another program reads the file while it is made".to_owned();
        return Err(StoreError::Failed { path, doing: "making", why });
    }
    drop(db);
    for suffix in ["-wal", "-shm"] {
        files::remove(&dir.join(format!("{MAKING}{suffix}")))?;
    }
    // Windows syncs only what was opened for writing.
    File::options()
        .write(true)
        .open(&path)
        .and_then(|f| f.sync_all())
        .map_err(|e| StoreError::io("syncing", &path, e))?;
    let to = dir.join(name);
    std::fs::rename(&path, &to).map_err(|e| StoreError::io("renaming", &to, e))?;
    sync_dir(dir)
}

/// Removes what an unfinished making left.
pub(crate) fn sweep(dir: &Path) -> Result<()> {
    ["", "-wal", "-shm", "-journal"]
        .into_iter()
        .try_for_each(|suffix| files::remove(&dir.join(format!("{MAKING}{suffix}"))))
}

/// Makes the journal of a new run from its first row.
pub(crate) fn create(dir: &Path, first: &Row) -> Result<()> {
    make(dir, DB, std::iter::once(first))
}

/// A new folder under `quarantine/`, relative to `dir`.
pub(crate) fn aside_folder(dir: &Path) -> Result<PathBuf> {
    let quarantine = dir.join(QUARANTINE);
    make_dir(&quarantine)?;
    let free = (1..).map(|n: u32| n.to_string()).find(|n| !quarantine.join(n).exists());
    let to = Path::new(QUARANTINE).join(free.unwrap_or_default());
    make_dir(&dir.join(&to))?;
    Ok(to)
}

/// Gives files of `dir` second names in the folder `aside`, durably. Names that are not there are passed over.
pub(crate) fn set_aside(dir: &Path, aside: &Path, names: &[&Path]) -> Result<()> {
    let folder = dir.join(aside);
    for name in names {
        let from = dir.join(name);
        if from.exists() {
            files::link(&from, &folder.join(name)).map_err(|e| StoreError::io("setting aside", &from, e))?;
        }
    }
    sync_dir(&folder)?;
    sync_dir(&dir.join(QUARANTINE))?;
    sync_dir(dir)
}

/// Replaces a damaged journal, whose originals were set aside, by one of the given rows.
pub(crate) fn replace<'r>(dir: &Path, rows: impl Iterator<Item = &'r Row>) -> Result<()> {
    make(dir, REPLACEMENT, rows)?;
    finish_replacing(dir)
}

/// Carries on a replacement that was cut off. The old log goes first: SQLite would apply it to the new file.
pub(crate) fn finish_replacing(dir: &Path) -> Result<()> {
    let replacement = dir.join(REPLACEMENT);
    if !replacement.exists() {
        return Ok(());
    }
    files::remove(&dir.join(WAL))?;
    files::remove(&dir.join(SHM))?;
    sync_dir(dir)?;
    let db = dir.join(DB);
    std::fs::rename(&replacement, &db).map_err(|e| StoreError::io("renaming", &db, e))?;
    sync_dir(dir)
}
