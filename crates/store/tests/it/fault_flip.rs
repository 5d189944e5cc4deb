//! A journal of 200 rows with one bit of one byte changed, or cut at one length.
//!
//! A change must be found and named, and every row it did not touch returned. A cut may take the tail, but wherever the folder
//! shows that more existed, that is reported. Nothing panics. The control is SQLite by itself, which loses rows silently.
//!
//! By default every byte of the file, every third of the log, and every length near a border are tried; `HANDSIGHT_LONG=1`
//! tries all of them.

use crate::common::{
    BARE, Script, Seeded, action, batched, begin, copy_folder, finish_at, memory_folder, meta, options,
    whole_turn,
};
use handsight_base::flow::receipt::Outcome;
use handsight_store::{Durability, Journal, Options, Reader, StoreError};
use handsight_testkit::need::long;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

const TURNS: u64 = 12;
/// The turn with a picture and a view of it.
const PICTURED: u64 = 9;
const DB: &str = "run.db";
const WAL: &str = "run.db-wal";

/// 200 rows: the run, and twelve turns of five or six actions, one with an exchange that goes over its page, one with a
/// picture. In batches of three turns, all in the log unless it is closed.
fn journal(dir: &Path) -> Journal {
    let options = Options { durability: Durability::Batched { turns: 3, millis: 600_000 }, ..options() };
    let mut journal = Journal::create(dir, &meta(), &options).unwrap();
    let done = Outcome::Done { injected: None };
    for turn in 1..=TURNS {
        let script = match turn {
            4 => Script { exchange: true, ..BARE },
            PICTURED => Script { picture: 3_000, view: true, exchange: false },
            _ => BARE,
        };
        let hash = begin(&mut journal, turn, script).unwrap();
        for index in 1..if turn <= 3 { 7 } else { 6 } {
            journal.acted(turn, index - 1, &done).unwrap();
            let (action, action_hash) = action(turn);
            journal.intent(turn, index, &action, &action_hash).unwrap();
        }
        let last = if turn <= 3 { 6 } else { 5 };
        let _ = finish_at(&mut journal, turn, last, hash, script).unwrap();
    }
    let _ = journal.flush().unwrap();
    journal
}

/// A closed journal, and one whose rows are all in the log.
fn in_file() -> tempfile::TempDir {
    let dir = memory_folder();
    journal(dir.path()).close().unwrap();
    dir
}

fn in_log() -> tempfile::TempDir {
    let dir = memory_folder();
    drop(journal(dir.path()));
    dir
}

struct Byte {
    file: File,
    at: u64,
    was: u8,
}

impl Byte {
    fn put(&mut self, byte: u8) {
        self.file.seek(SeekFrom::Start(self.at)).unwrap();
        self.file.write_all(&[byte]).unwrap();
    }
}

/// Changes one bit of one byte while `look` looks.
fn flipped<T>(path: &Path, at: usize, was: u8, look: impl FnOnce() -> T) -> T {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    let mut byte = Byte { file, at: at as u64, was };
    byte.put(was ^ 1 << (at % 8));
    let seen = look();
    let was = byte.was;
    byte.put(was);
    seen
}

/// Flips every `step`th byte of `name`; how many flips were found and where the damage was said to be.
fn flip_all(dir: &Path, name: &'static str, step: usize) -> BTreeMap<&'static str, u32> {
    let path = dir.join(name);
    let bytes = std::fs::read(&path).unwrap();
    let mut tally = BTreeMap::new();
    for at in (0..bytes.len()).step_by(step) {
        let mut reader = flipped(&path, at, bytes[at], || Reader::open(dir))
            .unwrap_or_else(|e| panic!("byte {at} of {name}: {e}"));
        let report = reader.report();
        assert!(report.damage.iter().any(|d| d.file == name), "byte {at} of {name}: {report:?}");
        let lost: u64 = report.lost.iter().map(|l| l.last - l.first + 1).sum();
        assert!(lost <= 1, "byte {at} of {name} took {lost} rows: {report:?}");
        let piece = |at: u64| if name == DB { at / 4096 } else { at.saturating_sub(32) / 4120 };
        let near = report.damage.iter().any(|d| d.at.is_some_and(|a| piece(a) == piece(at as u64)));
        *tally.entry(if near { "named to the page" } else { "named elsewhere" }).or_default() += 1;
        *tally.entry(if lost == 0 { "no row lost" } else { "one row lost" }).or_default() += 1;
        let turns = reader.turns().len() as u64;
        assert!(turns >= TURNS - 1, "byte {at} of {name}: {turns} turns");
        if at % 97 == 0 {
            untouched(&mut reader, turns);
        }
    }
    tally
}

/// Every turn but one is as it was written.
fn untouched(reader: &mut Reader, turns: u64) {
    let mut same = 0;
    for turn in 1..=TURNS {
        let step = reader.step(turn).unwrap();
        same += u64::from(
            step.is_some_and(|s| s.turn == turn && s.reason.ends_with(&format!("line {turn} comes next"))),
        );
    }
    assert_eq!(same, turns);
}

#[test]
fn every_flipped_byte_of_the_file_is_found() {
    let dir = in_file();
    let rows = count_rows(&dir.path().join(DB)).unwrap();
    assert_eq!(rows, 200);
    let tally = flip_all(dir.path(), DB, 1);
    eprintln!("file: {tally:?}");
    // A changed pointer shows at the page it pointed to, and at the one it points to now.
    let elsewhere = tally.get("named elsewhere").copied().unwrap_or(0);
    assert!(elsewhere * 200 < tally["named to the page"], "{tally:?}");
}

#[test]
fn every_flipped_byte_of_the_log_is_found() {
    let dir = in_log();
    assert!(std::fs::metadata(dir.path().join(WAL)).unwrap().len() > 70_000);
    let tally = flip_all(dir.path(), WAL, if long() { 1 } else { 3 });
    eprintln!("log: {tally:?}");
    assert_eq!(tally.get("named elsewhere"), None, "{tally:?}");
}

/// The file's pages are all replaced by the log's: nothing reads them, and nothing may depend on them.
#[test]
fn bytes_that_the_log_replaces_do_not_matter() {
    let dir = in_log();
    let path = dir.path().join(DB);
    let bytes = std::fs::read(&path).unwrap();
    for at in (0..bytes.len()).step_by(if long() { 1 } else { 11 }) {
        let reader = flipped(&path, at, bytes[at], || Reader::open(dir.path()).unwrap());
        assert!(reader.report().is_sound() && reader.turns().len() as u64 == TURNS, "byte {at}");
    }
}

/// What an engine does with a damaged run: the original is aside, the rest is there, and the run goes on.
#[test]
fn a_damaged_run_is_set_aside_and_goes_on() {
    for (dir, name) in [(in_file(), DB), (in_log(), WAL)] {
        let bytes = std::fs::read(dir.path().join(name)).unwrap();
        for at in (5..bytes.len()).step_by(if long() { 97 } else { 1_499 }) {
            let copy = memory_folder();
            copy_folder(dir.path(), copy.path());
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            std::fs::write(copy.path().join(name), &damaged).unwrap();

            let (mut journal, report) = Journal::open(copy.path(), &options()).unwrap();
            assert!(report.damage.iter().any(|d| d.file == name), "byte {at}: {report:?}");
            let aside = copy.path().join(report.set_aside.unwrap());
            assert!(
                std::fs::read(aside.join(name)).unwrap() == damaged,
                "byte {at}: the original is not aside"
            );
            let next = journal.next_turn();
            assert!(next > TURNS, "byte {at}: turn {next} comes next");
            let _ = whole_turn(&mut journal, next, BARE).unwrap();
            drop(journal);

            let reader = Reader::open(copy.path()).unwrap();
            assert!(reader.report().is_sound(), "byte {at}: {:?}", reader.report());
            assert!(reader.turns().len() as u64 >= TURNS, "byte {at}");
            let (_, again) = Journal::open(copy.path(), &options()).unwrap();
            assert!(again.is_sound() && again.set_aside.is_none(), "byte {at}: reported twice: {again:?}");
        }
    }
}

/// The control: without our reading first, flips go unnoticed and take acknowledged turns with them.
#[test]
fn sqlite_alone_loses_rows_silently() {
    let dir = in_log();
    let all = count_rows(&dir.path().join(DB)).unwrap();
    let dir = in_log();
    let bytes = std::fs::read(dir.path().join(WAL)).unwrap();
    let (mut silent, mut tried) = (0, 0);
    for at in (40..bytes.len()).step_by(2_003) {
        let copy = memory_folder();
        copy_folder(dir.path(), copy.path());
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        std::fs::write(copy.path().join(WAL), damaged).unwrap();
        tried += 1;
        silent += u32::from(count_rows(&copy.path().join(DB)).is_ok_and(|rows| rows < all));
    }
    eprintln!("SQLite alone: {silent} of {tried} flips of the log lost rows without an error");
    assert!(silent > tried / 2, "{silent} of {tried}");
}

/// What SQLite by itself says.
fn count_rows(db: &Path) -> rusqlite::Result<u64> {
    let db = Connection::open(db)?;
    db.query_row("SELECT count(*) FROM log", [], |row| row.get::<_, i64>(0)).map(|n| n as u64)
}

/// Ranges overwritten, emptied, pages exchanged and ends cut, several at once: nothing panics, what is returned is what was
/// written, and a turn that is missing is never missing without a word.
#[test]
fn worse_damage_is_survived_and_told() {
    let seeds = if long() { 20_000 } else { 500 };
    let mut turns_left = 0;
    for (dir, name) in [(in_file(), DB), (in_log(), WAL)] {
        let whole = std::fs::read(dir.path().join(name)).unwrap();
        for seed in 0..seeds {
            let mut seeded = Seeded(seed);
            let mut bytes = whole.clone();
            for _ in 0..=seeded.below(3) {
                harm(&mut bytes, &mut seeded);
            }
            std::fs::write(dir.path().join(name), &bytes).unwrap();
            let mut reader = match Reader::open(dir.path()) {
                Ok(reader) => reader,
                Err(StoreError::Foreign { .. }) if name == DB && bytes[..16] != whole[..16] => continue,
                Err(error) => panic!("{name}, seed {seed}: {error}"),
            };
            let turns = reader.turns();
            untouched(&mut reader, turns.len() as u64);
            turns_left += turns.len() as u64;
            let report = reader.report();
            let told = !report.damage.is_empty() || report.beyond.iter().any(|b| b.proves_loss);
            assert!(turns.len() as u64 == TURNS || told, "{name}, seed {seed}: {turns:?}, {report:?}");
        }
        std::fs::write(dir.path().join(name), &whole).unwrap();
    }
    assert!(turns_left > seeds * TURNS, "hardly anything survives: {turns_left}");
}

fn harm(bytes: &mut Vec<u8>, seeded: &mut Seeded) {
    let len = bytes.len() as u64;
    if len < 10_000 {
        return;
    }
    let from = seeded.below(len) as usize;
    let to = (from + seeded.below(6_000) as usize).min(bytes.len());
    match seeded.below(5) {
        0 => bytes[from..to].fill(0),
        1 => bytes[from..to].iter_mut().for_each(|b| *b = seeded.next() as u8),
        2 => bytes.truncate(from),
        3 => {
            let (a, b) = (from / 4096 * 4096, seeded.below(len / 4096) as usize * 4096);
            (0..4096).filter(|i| a.max(b) + i < len as usize).for_each(|i| bytes.swap(a + i, b + i));
        }
        _ => drop(bytes.drain(from..to)),
    }
}

fn lengths(len: usize, piece: usize, offset: usize) -> Vec<usize> {
    let near_border = |l: &usize| {
        let into = (l + piece - offset % piece) % piece;
        into < 3 || into > piece - 3 || into.is_multiple_of(512)
    };
    (0..len).filter(|l| long() || near_border(l)).collect()
}

#[test]
fn a_cut_at_any_length_is_reported_wherever_more_is_shown() {
    for (dir, name, piece, offset) in [(in_file(), DB, 4096, 0), (in_log(), WAL, 4120, 32)] {
        let whole = std::fs::read(dir.path().join(name)).unwrap();
        let path = dir.path().join(name);
        let (mut by_damage, mut by_view) = (0, 0);
        for len in lengths(whole.len(), piece, offset) {
            std::fs::write(&path, &whole[..len]).unwrap();
            let reader = Reader::open(dir.path()).unwrap_or_else(|e| panic!("{len} bytes of {name}: {e}"));
            let (turns, report) = (reader.turns(), reader.report());
            assert!(turns.iter().copied().eq(1..=turns.len() as u64), "{len} bytes of {name}: {turns:?}");
            let shown = report.beyond.iter().any(|b| b.proves_loss && b.turn == Some(TURNS));
            let lost = turns.len() as u64 != TURNS;
            // The picture shows it too, and the view of it, once no row of its turn is left.
            let pictured = report.beyond.iter().filter(|b| !b.proves_loss).count();
            assert!(!lost || shown, "{len} bytes of {name} lost turns without a word: {report:?}");
            assert!(turns.len() as u64 + 1 >= PICTURED || pictured == 2, "{len} bytes of {name}: {report:?}");
            by_damage += u32::from(!report.damage.is_empty());
            by_view += u32::from(shown && report.damage.is_empty());
        }
        eprintln!("cuts of {name}: {by_damage} by damage, {by_view} by views alone");
        assert!(if name == DB { by_damage } else { by_view } > 100);
    }
}

#[test]
fn what_is_no_journal_or_a_newer_one_is_left_as_it_is() {
    let dir = memory_folder();
    let refused = |text: &str| {
        let before = std::fs::read(dir.path().join(DB)).unwrap();
        for error in [
            Journal::open(dir.path(), &options()).map(|_| ()).unwrap_err(),
            Reader::open(dir.path()).map(|_| ()).unwrap_err(),
        ] {
            assert!(error.to_string().contains(text), "{error}");
        }
        assert_eq!(std::fs::read(dir.path().join(DB)).unwrap(), before);
    };
    std::fs::write(dir.path().join(DB), "hello").unwrap();
    refused("not a handsight journal");
    std::fs::remove_file(dir.path().join(DB)).unwrap();
    let db = Connection::open(dir.path().join(DB)).unwrap();
    db.execute_batch("CREATE TABLE log(a); INSERT INTO log VALUES (1)").unwrap();
    drop(db);
    refused("another program's SQLite file");

    let newer = in_file();
    let db = Connection::open(newer.path().join(DB)).unwrap();
    db.execute_batch("CREATE TABLE later(a); PRAGMA user_version = 9").unwrap();
    db.pragma_update(None, "wal_checkpoint", "TRUNCATE").ok();
    drop(db);
    let before = std::fs::read(newer.path().join(DB)).unwrap();
    match Journal::open(newer.path(), &options()) {
        Err(StoreError::Newer { found: 9, .. }) => {}
        other => panic!("not refused: {:?}", other.map(|(_, report)| report)),
    }
    assert_eq!(std::fs::read(newer.path().join(DB)).unwrap(), before);
}

#[test]
fn an_emptied_journal_is_unreadable_and_never_begun_anew() {
    let dir = in_file();
    for content in [Vec::new(), b"SQLite format 3\0".to_vec(), vec![0; 8_192]] {
        std::fs::write(dir.path().join(DB), &content).unwrap();
        match Journal::open(dir.path(), &batched()) {
            Err(StoreError::Unreadable { set_aside, .. }) => {
                assert_eq!(std::fs::read(set_aside.join(DB)).unwrap(), content);
            }
            Err(StoreError::Foreign { .. }) if content.len() == 8_192 => {}
            other => panic!("{:?}", other.map(|(_, report)| report)),
        }
        assert!(matches!(
            Journal::create(dir.path(), &meta(), &batched()),
            Err(StoreError::RunExists { .. })
        ));
        assert_eq!(std::fs::read(dir.path().join(DB)).unwrap(), content);
    }
}
