//! The schema of `run.db`, its versions, and opening SQLite the one way a journal is opened.
//!
//! A new version always changes the text of the schema, so that a version number alone never decides. This module refuses to
//! open a file that [`crate::check`] has not looked at.

use crate::error::{Result, StoreError};
use rusqlite::Connection;
use rusqlite::types::FromSql;
use rusqlite_migration::{M, Migrations};
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

/// Each entry brings the schema one version on; none is ever changed.
const STEPS: [&str; 2] = [
    "PRAGMA application_id = 0x68736a6e; -- hsjn
     CREATE TABLE log (
         seq  INTEGER PRIMARY KEY, -- from 1, without gaps
         turn INTEGER NOT NULL,    -- from 1; 0 is the run itself
         idx  INTEGER NOT NULL,    -- action or round; -1 is the whole turn
         kind TEXT NOT NULL,
         prev BLOB NOT NULL,       -- the sum of the row before
         sum  BLOB NOT NULL,       -- BLAKE3 over prev and this row
         body TEXT NOT NULL        -- JSON
     )",
    // For a person with any SQLite tool; the engine reads the log.
    "CREATE VIEW action AS
     WITH stage(kind, name, rank) AS (VALUES
         ('observed', 'OBSERVED', 1), ('decided', 'DECIDED', 2), ('intent', 'INTENT', 3),
         ('acted', 'ACTED', 4), ('verified', 'VERIFIED', 5), ('committed', 'COMMITTED', 6)),
     reached(turn, rank) AS (
         SELECT turn, max(rank) FROM log JOIN stage USING (kind) WHERE idx < 0 GROUP BY turn),
     act(turn, idx, rank, body, outcome) AS (
         SELECT turn, idx, max(rank), max(iif(kind = 'intent', body, NULL)), max(iif(kind = 'acted', body, NULL))
         FROM log JOIN stage USING (kind) WHERE kind IN ('intent', 'acted') GROUP BY turn, idx)
     SELECT act.turn, act.idx, stage.name AS state, body ->> '$.hash' AS hash, body -> '$.action' AS action,
         outcome ->> '$.outcome' AS outcome
     FROM act LEFT JOIN reached USING (turn)
     JOIN stage ON stage.rank = max(act.rank, iif(reached.rank > 4, reached.rank, 0))",
];

/// The newest schema this engine knows.
pub(crate) const SCHEMA: u32 = STEPS.len() as u32;
pub(crate) const APPLICATION_ID: u32 = 0x6873_6a6e;
/// Before this, a checkpoint could reset the log under a reader and lose what was in it (R27).
const OLDEST_SQLITE: i32 = 3_051_003;

fn migrations() -> &'static Migrations<'static> {
    static ALL: OnceLock<Migrations<'static>> = OnceLock::new();
    ALL.get_or_init(|| Migrations::new(STEPS.iter().map(|sql| M::up(sql)).collect()))
}

/// A row of `sqlite_schema`: its rowid and columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemaRow {
    pub(crate) rowid: u64,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) table: String,
    pub(crate) root: i64,
    pub(crate) sql: String,
}

/// What a sound file of some version has on its first page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Schema {
    pub(crate) rows: Vec<SchemaRow>,
    pub(crate) cookie: u32,
}

/// The schema of every version, oldest (1) first, as this SQLite makes them.
pub(crate) fn schemas() -> Result<&'static [Schema]> {
    static ALL: OnceLock<Vec<Schema>> = OnceLock::new();
    if let Some(all) = ALL.get() {
        return Ok(all);
    }
    let memory = Path::new(":memory:");
    let fail = |e: &rusqlite::Error| StoreError::sqlite("making the schema", memory, e);
    let mut all = Vec::new();
    for version in 1..=STEPS.len() {
        let mut db = Connection::open_in_memory().map_err(|e| fail(&e))?;
        step_to(&mut db, version, memory)?;
        all.push(read_schema(&db).map_err(|e| fail(&e))?);
    }
    Ok(ALL.get_or_init(|| all))
}

fn read_schema(db: &Connection) -> rusqlite::Result<Schema> {
    let mut query =
        db.prepare("SELECT rowid, type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY rowid")?;
    let rows = query.query_map([], |row| {
        Ok(SchemaRow {
            rowid: row.get::<_, i64>(0)? as u64,
            kind: row.get(1)?,
            name: row.get(2)?,
            table: row.get(3)?,
            root: row.get(4)?,
            sql: row.get(5)?,
        })
    })?;
    let rows = rows.collect::<rusqlite::Result<_>>()?;
    Ok(Schema { rows, cookie: db.query_row("PRAGMA schema_version", [], |row| row.get(0))? })
}

fn step_to(db: &mut Connection, version: usize, path: &Path) -> Result<()> {
    migrations().to_version(db, version).map_err(|e| match e {
        rusqlite_migration::Error::RusqliteError { err, .. } => StoreError::sqlite("migrating", path, &err),
        other => StoreError::Failed { path: path.to_owned(), doing: "migrating", why: other.to_string() },
    })
}

/// How carefully SQLite syncs. Anything but `Full` loses acknowledged turns in a power cut; the controls of the
/// power-cut tests show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Synchronous {
    #[default]
    Full,
    Normal,
    Off,
}

/// Refuses a binary whose SQLite may lose data.
pub(crate) fn assert_sqlite() -> Result<()> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        return Err(StoreError::SqliteTooOld { found: rusqlite::version() });
    }
    Ok(())
}

/// Opens (or makes) a journal for writing and brings it to the newest schema.
pub(crate) fn open(path: &Path, synchronous: Synchronous) -> Result<Connection> {
    open_at(path, synchronous, STEPS.len())
}

/// The same, to an older schema as an older engine left it; for the fixtures of the tests.
pub(crate) fn open_at(path: &Path, synchronous: Synchronous, version: usize) -> Result<Connection> {
    let fail = |e: &rusqlite::Error| StoreError::sqlite("opening", path, e);
    let mut db = Connection::open(path).map_err(|e| fail(&e))?;
    if !prepare(&db, synchronous).map_err(|e| fail(&e))? {
        let why = "it could not be given a write-ahead log; is the disk full or failing?".to_owned();
        return Err(StoreError::Failed { path: path.to_owned(), doing: "opening", why });
    }
    step_to(&mut db, version, path)?;
    Ok(db)
}

/// False if the file could not be given a log.
fn prepare(db: &Connection, synchronous: Synchronous) -> rusqlite::Result<bool> {
    use rusqlite::config::DbConfig;
    db.busy_timeout(Duration::from_secs(10))?;
    // Closing must not move pages: after a failed sync nobody knows what the log holds.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let level = match synchronous {
        Synchronous::Full => "FULL",
        Synchronous::Normal => "NORMAL",
        Synchronous::Off => "OFF",
    };
    // secure_delete keeps unused bytes zero, which the check at the next opening relies on. Checkpoints are made when the
    // engine waits for a model anyway. Without spilling, one transaction is one group of frames.
    db.execute_batch(&format!(
        "PRAGMA page_size = 4096;
         PRAGMA secure_delete = ON;
         PRAGMA synchronous = {level};
         PRAGMA wal_autocheckpoint = 0;
         PRAGMA mmap_size = 0;
         PRAGMA cache_size = -1024;
         PRAGMA cache_spill = OFF;"
    ))?;
    // SQLite answers "wal" first and syncs afterwards; only the end of the statement says whether that worked.
    let mode: Option<String> = run_to_end(db, "PRAGMA journal_mode = WAL")?;
    Ok(mode.as_deref() == Some("wal"))
}

/// Runs a statement to its end, not only to its first row; the first column of its last row.
fn run_to_end<T: FromSql>(db: &Connection, sql: &str) -> rusqlite::Result<Option<T>> {
    let mut statement = db.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        last = Some(row.get(0)?);
    }
    Ok(last)
}

/// Opens a journal that an engine has open, for reading only.
pub(crate) fn open_live(path: &Path) -> Result<Connection> {
    use rusqlite::OpenFlags;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let db = Connection::open_with_flags(path, flags)?;
        db.busy_timeout(Duration::from_secs(10))?;
        db.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        Ok(db)
    };
    open().map_err(|e| StoreError::sqlite("opening", path, &e))
}

/// Moves all of the log into the file and empties the log. False if a reader stands in the way; then the log only grows.
pub(crate) fn checkpoint(db: &Connection, path: &Path) -> Result<bool> {
    let run = || {
        // Readers are short. One that stays is no reason to wait longer: the log only grows.
        db.busy_timeout(Duration::from_millis(100))?;
        let busy: Option<i64> = run_to_end(db, "PRAGMA wal_checkpoint(TRUNCATE)")?;
        db.busy_timeout(Duration::from_secs(10))?;
        Ok(busy == Some(0))
    };
    run().map_err(|e| StoreError::sqlite("moving the log into the file", path, &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_sqlite_is_new_enough() {
        assert!(rusqlite::version_number() >= OLDEST_SQLITE, "{}", rusqlite::version());
        assert_sqlite().unwrap();
    }

    #[test]
    fn the_steps_are_valid_and_each_changes_the_schema() {
        migrations().validate().unwrap();
        let all = schemas().unwrap();
        assert_eq!(all.len(), SCHEMA as usize);
        assert!(all.windows(2).all(|w| w[0] != w[1]));
    }
}
