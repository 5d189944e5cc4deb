//! Looks at a journal before SQLite does, and returns every row that can be read.
//!
//! Reads only. What is sound is left where it is and read row by row; as soon as one byte is not as it must be, the rows are
//! gathered by [`crate::salvage`] and the caller gets them with a list of what was wrong. Two things are refused: a file that
//! is no journal, and one that a newer engine wrote.

use crate::error::{Result, StoreError};
use crate::migrate::{APPLICATION_ID, SCHEMA, Schema, SchemaRow, schemas};
use crate::page::{self, Fault, PAGE, Page, Value};
use crate::pages::{DB, Pages, WAL};
use crate::rebuild::REPLACEMENT;
use crate::report::{Damage, LostRows};
use crate::row::{Kind, Row};
use crate::salvage::salvage;
use crate::state::State;
use crate::walk::{Place, Walk, parse_row};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

/// The table of rows begins here in every version.
const LOG_ROOT: u32 = 2;

/// Where the rows are.
pub(crate) enum Rows {
    /// In the files, which are sound.
    Placed { pages: Box<Pages>, places: Vec<Placed> },
    /// Gathered from damaged files.
    Held(BTreeMap<u64, Row>),
}

/// A sound row, without its body.
pub(crate) struct Placed {
    pub(crate) seq: u64,
    pub(crate) turn: u64,
    pub(crate) kind: Kind,
    pub(crate) place: Place,
}

pub(crate) struct Examined {
    pub(crate) rows: Rows,
    pub(crate) state: State,
    pub(crate) damage: Vec<Damage>,
    pub(crate) lost: Vec<LostRows>,
    pub(crate) unfinished_bytes: u64,
    /// All damage is in the last transaction of the log.
    pub(crate) torn_end: bool,
    pub(crate) schema: u32,
}

/// Whether the places of rows are wanted: a reader reads them later, a writer lets SQLite do that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Places,
    Nothing,
}

/// Examines `run.db` and its log in `dir`.
pub(crate) fn examine(dir: &Path, keep: Keep) -> Result<Examined> {
    // A replacement that was cut off before its last step is the journal, and the log is that of the old file.
    let replaced = dir.join(REPLACEMENT).exists();
    let path = dir.join(if replaced { REPLACEMENT } else { DB });
    let db = match File::open(&path) {
        Ok(db) => db,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return Err(StoreError::NoRun { dir: dir.to_owned() });
        }
        Err(e) => return Err(StoreError::io("opening", &path, e)),
    };
    let log_path = dir.join(WAL);
    let log = match std::fs::read(&log_path) {
        _ if replaced => Vec::new(),
        Ok(log) => log,
        Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(e) => return Err(StoreError::io("reading", &log_path, e)),
    };
    let mut pages = Pages::new(dir, db, log).map_err(|e| StoreError::io("reading", &path, e))?;
    let known = schemas()?;

    let mut damage = pages.log_damage();
    let first = first_page(&mut pages);
    let schema = match &first {
        Ok(first) => first.version(known, &path)?,
        Err(_) => None,
    };
    let unfinished_bytes = (pages.scan.unfinished * crate::wal::FRAME + pages.scan.dead_bytes) as u64;

    let mut state = State::default();
    let mut places = Vec::new();
    match (&first, schema) {
        (Ok(first), Some(version)) if damage.is_empty() => {
            let mut walk = Walk::new(&mut pages);
            walk.table(1, &mut |rowid, payload, _| first.check_row(rowid, payload));
            walk.table(LOG_ROOT, &mut |rowid, payload, place| {
                let row = parse_row(rowid, payload)?;
                if keep == Keep::Places {
                    places.push(Placed { seq: row.seq, turn: row.turn, kind: row.kind, place });
                }
                state.add(row);
                Ok(())
            });
            damage.extend(walk.finish());
            let faults = first.faults(&pages, version, &known[version as usize - 1], &state);
            damage.extend(faults.into_iter().map(|what| pages.damage(1, what)));
        }
        (Ok(_), Some(_)) => {}
        (Ok(_), None) => damage.push(pages.damage(1, "its schema is damaged")),
        (Err(why), _) => damage.push(pages.damage(1, why)),
    }
    damage.extend(state_damage(&state));
    let schema = schema.unwrap_or(SCHEMA);
    let torn_end = !pages.scan.bad_within && damage.len() == pages.scan.bad.len();
    if damage.is_empty() && !state.is_empty() {
        return Ok(Examined {
            rows: Rows::Placed { pages: Box::new(pages), places },
            state,
            damage,
            lost: Vec::new(),
            unfinished_bytes,
            torn_end: false,
            schema,
        });
    }
    let held = salvage(&mut pages).rows;
    if held.is_empty() {
        refuse_foreign(&mut pages, &first, &path)?;
    }
    let mut state = State::default();
    held.values().for_each(|row| state.add(row.clone()));
    let lost = state.lost();
    Ok(Examined { rows: Rows::Held(held), lost, state, damage, unfinished_bytes, torn_end, schema })
}

/// What the rows tell of damage that no page shows.
fn state_damage(state: &State) -> Vec<Damage> {
    let lost = state.lost().into_iter().map(|lost| Damage::new(DB, None, lost.to_string()));
    let misfits = state.misfits.iter().map(|seq| {
        Damage::new(
            DB,
            None,
            format!("row {seq} does not continue row {}; one of them is not of this run", seq - 1),
        )
    });
    let faults = state.faults.iter().map(|fault| Damage::new(DB, None, fault.clone()));
    lost.chain(misfits).chain(faults).collect()
}

/// Without a single row there is no telling whether it was ever ours, unless the first page says so. An empty file, and the
/// beginning of an SQLite file, may be all that is left of a journal.
fn refuse_foreign(pages: &mut Pages, first: &std::result::Result<First, Fault>, path: &Path) -> Result<()> {
    let start = pages.start();
    let why = match first {
        Ok(first) if first.application() == APPLICATION_ID => return Ok(()),
        Ok(_) => "it is another program's SQLite file",
        Err(_) if start.iter().zip(MAGIC).all(|(a, b)| a == b) => return Ok(()),
        Err(_) => "it is no SQLite file, and no row of a journal is in it",
    };
    Err(StoreError::Foreign { path: path.to_owned(), why: why.to_owned() })
}

const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The first page: the header of the file and the schema.
struct First {
    header: [u8; 100],
    schema: Vec<SchemaRow>,
}

fn first_page(pages: &mut Pages) -> std::result::Result<First, Fault> {
    let mut page: Page = [0; PAGE];
    pages.read(1, &mut page)?;
    let mut header = [0; 100];
    header.copy_from_slice(&page[..100]);
    if header[..16] != MAGIC[..] {
        return Err("it does not begin as an SQLite file does");
    }
    let mut schema = Vec::new();
    // What the rows of a damaged schema mean is found out by comparison; the walk names what is wrong with the page.
    if let Ok(head) = page::Head::read(&page, 1) {
        for index in 0..head.cells {
            let row = page::LeafCell::read(&page, head.pointer(&page, index))
                .and_then(|cell| schema_row(cell.rowid, cell.local));
            schema.extend(row.ok());
        }
    }
    Ok(First { header, schema })
}

fn schema_row(rowid: u64, payload: &[u8]) -> std::result::Result<SchemaRow, Fault> {
    let [Value::Text(kind), Value::Text(name), Value::Text(table), Value::Int(root), Value::Text(sql)] =
        page::record::<5>(payload)?
    else {
        return Err("its columns have the wrong types");
    };
    let own = str::to_owned;
    Ok(SchemaRow { rowid, kind: own(kind), name: own(name), table: own(table), root, sql: own(sql) })
}

impl First {
    fn word(&self, at: usize) -> u32 {
        page::be32(&self.header, at)
    }

    fn application(&self) -> u32 {
        self.word(68)
    }

    /// The version of the schema as the schema itself shows it; `None` if it is damaged.
    fn version(&self, known: &[Schema], path: &Path) -> Result<Option<u32>> {
        if let Some(index) = known.iter().position(|s| s.rows == self.schema) {
            return Ok(Some(index as u32 + 1));
        }
        let found = self.word(60);
        // A later version keeps the log; a flipped bit in the number is told from it by the schema's own cookie.
        let newer = found > SCHEMA && self.word(40) > known.last().map_or(0, |s| s.cookie);
        if newer && self.application() == APPLICATION_ID {
            return Err(StoreError::Newer { path: path.to_owned(), found, known: SCHEMA });
        }
        Ok(None)
    }

    /// Checks one row of the schema table; that the table is whole is known from [`First::version`].
    fn check_row(&self, rowid: u64, payload: &[u8]) -> std::result::Result<(), Fault> {
        let row = schema_row(rowid, payload)?;
        if self.schema.contains(&row) { Ok(()) } else { Err("it is no row of the schema") }
    }

    /// What of the file's header is not as this journal's must be.
    fn faults(&self, pages: &Pages, version: u32, schema: &Schema, state: &State) -> Vec<String> {
        let mut faults = Vec::new();
        let mut expect = |at: usize, what: &str, right: bool| {
            if !right {
                faults.push(format!("byte {at} of the header: {what}"));
            }
        };
        // page size, both format versions, reserved bytes, payload fractions
        expect(16, "the fixed part is damaged", self.header[16..24] == [0x10, 0, 2, 2, 0, 64, 32, 32]);
        expect(24, "the change counter is damaged", self.word(24) == self.word(92));
        expect(28, "the number of pages is damaged", self.word(28) == pages.count());
        expect(32, "the free list is damaged", self.header[32..40] == [0; 8]);
        expect(40, "the schema cookie is damaged", self.word(40) == schema.cookie);
        expect(44, "the schema format is damaged", self.word(44) == 4);
        expect(48, "the cache size is damaged", self.header[48..56] == [0; 8]);
        expect(56, "the text encoding is damaged", self.word(56) == 1);
        expect(60, "the schema version is damaged", self.word(60) == version);
        expect(64, "the vacuum mode is damaged", self.word(64) == 0);
        expect(68, "the application id is damaged", self.application() == APPLICATION_ID);
        expect(72, "a reserved byte is damaged", self.header[72..92] == [0; 20]);
        let writer = i32::try_from(self.word(96)).unwrap_or(-1);
        expect(96, "the SQLite version is damaged", state.sqlites.contains(&writer));
        let len = u64::from(pages.count()) * PAGE as u64;
        expect(0, "the file is not as long as it says", !pages.file_is_all() || pages.db_len() == len);
        faults
    }
}

#[cfg(test)]
mod tests;
