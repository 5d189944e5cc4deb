//! A journal that the first engine wrote, kept as a file: it is read as it is, and an engine brings it to the present.

use crate::common::{BARE, copy_folder, options, whole_turn};
use handsight_store::{Journal, Reader};
use rusqlite::Connection;
use std::path::Path;

/// Made once by the ignored test `make_the_fixture` beside the code of the schema.
const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/schema-1");

#[test]
fn a_journal_of_the_first_schema_is_read_and_brought_on() {
    let dir = tempfile::tempdir().unwrap();
    copy_folder(Path::new(FIXTURE), dir.path());
    let before = std::fs::read(dir.path().join("run.db")).unwrap();
    let mut old = Reader::open(dir.path()).unwrap();
    assert!(old.report().is_sound() && old.turns() == [1, 2, 3], "{:?}", old.report());
    assert_eq!(std::fs::read(dir.path().join("run.db")).unwrap(), before, "reading does not migrate");

    let (mut journal, report) = Journal::open(dir.path(), &options()).unwrap();
    assert_eq!(report.migrated_from, Some(1));
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(journal.next_turn(), 4);
    let _ = whole_turn(&mut journal, 4, BARE).unwrap();
    journal.close().unwrap();

    let mut new = Reader::open(dir.path()).unwrap();
    assert!(new.report().is_sound(), "{:?}", new.report());
    for turn in 1..=3 {
        assert_eq!(new.step(turn).unwrap(), old.step(turn).unwrap());
    }
    let (_, report) = Journal::open(dir.path(), &options()).unwrap();
    assert_eq!(report.migrated_from, None);
    let db = Connection::open(dir.path().join("run.db")).unwrap();
    let rows: i64 =
        db.query_row("SELECT count(*) FROM action WHERE state = 'COMMITTED'", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 4, "the view of the second schema is there");
}
