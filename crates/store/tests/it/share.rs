//! Many readers beside one writer, and a second writer that is refused.

use crate::common::{FULL, begin, finish, meta, options, run, whole_turn};
use handsight_store::{Journal, Options, Reader, StoreError};
use handsight_testkit::need::long;
use rusqlite::Connection;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Eight readers look without pause while turns are written and the log is moved into the file again and again.
#[test]
fn readers_never_disturb_the_writer_nor_see_a_gap() {
    let seconds = if long() { 60 } else { 4 };
    let dir = tempfile::tempdir().unwrap();
    let options = Options { checkpoint_bytes: 64 << 10, ..options() };
    let mut journal = Journal::create(dir.path(), &meta(), &options).unwrap();
    let _ = whole_turn(&mut journal, 1, FULL).unwrap();
    let (stop, acked, looks) = (AtomicBool::new(false), AtomicU64::new(1), AtomicU64::new(0));
    let clock = handsight_base::port::clock::RealClock::new();
    let (mut turn, mut shrunk, mut log_before) = (1, 0_u32, 0);
    std::thread::scope(|scope| {
        for n in 0..8 {
            let look = || {
                while !stop.load(Ordering::Relaxed) {
                    let promised = acked.load(Ordering::SeqCst);
                    let mut reader = Reader::open(dir.path()).unwrap();
                    for _ in 0..5 {
                        let turns = reader.turns();
                        assert!(turns.iter().copied().eq(1..=turns.len() as u64), "a gap: {turns:?}");
                        assert!(turns.len() as u64 >= promised, "{} of {promised}", turns.len());
                        let last = turns.len() as u64;
                        assert_eq!(reader.step(last).unwrap().unwrap().turn, last);
                        assert!(reader.exchanges(last).unwrap()[0].missing.is_empty());
                        reader.refresh().unwrap();
                        looks.fetch_add(1, Ordering::Relaxed);
                    }
                }
            };
            std::thread::Builder::new().name(format!("reader {n}")).spawn_scoped(scope, look).unwrap();
        }
        use handsight_base::port::clock::Clock;
        // On a busy machine it takes longer until enough has happened.
        let enough = |turn, shrunk| turn > 20 && shrunk > 2 && looks.load(Ordering::Relaxed) > 100;
        while clock.now() < Duration::from_secs(seconds)
            || (!enough(turn, shrunk) && clock.now() < Duration::from_secs(seconds + 60))
        {
            turn += 1;
            let ack = whole_turn(&mut journal, turn, FULL).unwrap();
            acked.store(ack.through(), Ordering::SeqCst);
            journal.idle().unwrap();
            let log = std::fs::metadata(dir.path().join("run.db-wal")).unwrap().len();
            shrunk += u32::from(log < log_before);
            log_before = log;
        }
        stop.store(true, Ordering::Relaxed);
    });
    let looks = looks.into_inner();
    eprintln!("{turn} turns, {looks} looks, the log was emptied {shrunk} times");
    assert!(turn > 20 && looks > 100 && shrunk > 2);
    journal.close().unwrap();
    let reader = Reader::open(dir.path()).unwrap();
    assert!(reader.report().is_sound() && reader.turns().len() as u64 == turn);
    let db = Connection::open(dir.path().join("run.db")).unwrap();
    let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

/// Somebody who opens the file with another tool and keeps reading must not stop the engine.
#[test]
fn a_long_reader_costs_only_space() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { checkpoint_bytes: 16 << 10, ..options() };
    let mut journal = run(dir.path(), 3, &options, FULL);
    let db = Connection::open(dir.path().join("run.db")).unwrap();
    db.execute_batch("BEGIN; SELECT count(*) FROM log").unwrap();
    for turn in 4..=30 {
        let _ = whole_turn(&mut journal, turn, FULL).unwrap();
        journal.idle().unwrap();
    }
    assert!(std::fs::metadata(dir.path().join("run.db-wal")).unwrap().len() > 16 << 10);
    drop(db);
    for turn in 31..=40 {
        let _ = whole_turn(&mut journal, turn, FULL).unwrap();
    }
    journal.idle().unwrap();
    assert_eq!(std::fs::metadata(dir.path().join("run.db-wal")).unwrap().len(), 0);
    journal.close().unwrap();
}

#[test]
fn a_second_engine_is_refused_with_the_pid_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = run(dir.path(), 2, &options(), FULL);
    let hash = begin(&mut journal, 3, FULL).unwrap();
    for error in [
        Journal::open(dir.path(), &options()).map(|_| ()).unwrap_err(),
        Journal::create(dir.path(), &meta(), &options()).map(|_| ()).unwrap_err(),
    ] {
        match error {
            StoreError::InUse { pid, .. } => assert_eq!(pid, Some(std::process::id())),
            other => panic!("{other}"),
        }
    }
    assert_eq!(finish(&mut journal, 3, hash, FULL).unwrap().through(), 3);
    drop(journal);
    // The lock of an engine that died is gone with it.
    let (_, report) = Journal::open(dir.path(), &options()).unwrap();
    assert!(report.is_sound() && report.ambiguous.is_empty());
}
