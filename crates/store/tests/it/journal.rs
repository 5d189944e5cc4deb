//! The journal as the engine uses it: order, resuming, reading back, views, modes.

use crate::common::{
    BARE, FULL, action, begin, exchange, finish, geometry, meta, options, picture, record, run, whole_turn,
};
use handsight_base::flow::frame::FrameHash;
use handsight_base::flow::receipt::Outcome;
use handsight_base::flow::step::{Stage, StepRecord};
use handsight_store::{Decided, Durability, Journal, Observed, Options, Reader, Remedy, RunEnd, StoreError};
#[cfg(unix)]
use handsight_testkit::need::need;
use std::path::Path;

fn lines(dir: &Path) -> Vec<StepRecord> {
    let text = std::fs::read_to_string(dir.join("session.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_is_written_is_read_back_live_and_afterwards() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = run(dir.path(), 5, &options(), FULL);
    let mut live = Reader::open(dir.path()).unwrap();
    assert!(live.is_live());
    assert_eq!(live.turns(), [1, 2, 3, 4, 5]);
    let _ = whole_turn(&mut journal, 6, FULL).unwrap();
    assert!(live.refresh().unwrap());
    assert!(!live.refresh().unwrap());
    assert_eq!(live.last_committed(), 6);
    let end = RunEnd { outcome: "done".into(), verified: None, at_unix_millis: 1, note: String::new() };
    assert_eq!(journal.end(&end).unwrap().through(), 6);
    journal.close().unwrap();

    let before = listing(dir.path());
    let mut still = Reader::open(dir.path()).unwrap();
    assert!(!still.is_live() && still.report().is_sound(), "{:?}", still.report());
    assert_eq!(still.meta(), Some(&meta()));
    assert_eq!(still.end(), Some(&end));
    for reader in [&mut live, &mut still] {
        for turn in 1..=6 {
            let hash = FrameHash::of(&picture(turn, FULL.picture));
            let done = Outcome::Done { injected: None };
            assert_eq!(reader.step(turn).unwrap(), Some(record(turn, hash, done.clone())));
            let exchanges = reader.exchanges(turn).unwrap();
            assert_eq!(exchanges.len(), 1);
            assert_eq!(exchanges[0].missing, Vec::<String>::new());
            let sent = exchange(turn, &picture(turn, FULL.picture));
            assert_eq!(exchanges[0].exchange.request, sent.request);
            assert_eq!(exchanges[0].exchange.response, sent.response);
            let actions = reader.actions(turn).unwrap();
            assert_eq!(actions.len(), 1);
            assert_eq!((actions[0].stage, &actions[0].outcome), (Stage::Committed, &Some(done)));
            assert_eq!((&actions[0].action, &actions[0].hash), (&action(turn).0, &action(turn).1));
            assert_eq!(reader.frame(&hash).unwrap(), picture(turn, FULL.picture));
        }
        assert_eq!(reader.step(7).unwrap(), None);
        assert_eq!(reader.totals().unwrap().actions, 6);
    }
    assert_eq!(lines(dir.path()).len(), 6);
    assert_eq!(listing(dir.path()), before, "a reader changes nothing");
}

#[test]
fn the_time_a_run_took_outlives_its_end_and_its_death() {
    let dir = tempfile::tempdir().unwrap();
    let seconds = |n| std::time::Duration::from_secs(n);
    let mut journal = Journal::create(dir.path(), &meta(), &options()).unwrap();
    journal.elapsed(seconds(7));
    let _ = whole_turn(&mut journal, 1, BARE).unwrap();
    journal.elapsed(seconds(9));
    begin(&mut journal, 2, BARE).unwrap();
    // Dropped: the process died within a turn.
    drop(journal);
    for (before, at_end) in [(7.0, 20), (20.0, 21)] {
        let (mut journal, _) = Journal::open(dir.path(), &options()).unwrap();
        assert_eq!(journal.resume().totals.elapsed_s, before);
        journal.elapsed(seconds(at_end));
        let end =
            RunEnd { outcome: "stopped".into(), verified: None, at_unix_millis: 1, note: String::new() };
        let _ = journal.end(&end).unwrap();
        assert_eq!(Reader::open(dir.path()).unwrap().end(), Some(&end));
    }
    // Nothing but openings since the end.
    for _ in 0..2 {
        let (journal, _) = Journal::open(dir.path(), &options()).unwrap();
        assert_eq!(journal.resume().totals.elapsed_s, 21.0);
    }
}

/// Names, sizes and times of all files.
fn listing(dir: &Path) -> Vec<String> {
    let mut all: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap())
        .map(|e| {
            format!(
                "{:?} {} {:?}",
                e.file_name(),
                e.metadata().unwrap().len(),
                e.metadata().unwrap().modified()
            )
        })
        .collect();
    all.sort();
    all
}

#[test]
fn the_database_holds_no_picture_twice_and_stays_small() {
    let dir = tempfile::tempdir().unwrap();
    let script = crate::common::Script { picture: 100_000, ..FULL };
    run(dir.path(), 50, &options(), script).close().unwrap();
    let bytes = std::fs::metadata(dir.path().join("run.db")).unwrap().len();
    assert!(bytes < 50 * 4_000, "{bytes} bytes for 50 turns");
    assert!(!dir.path().join("run.db-wal").exists(), "a closed run is one file");
}

#[test]
fn a_run_goes_on_where_it_was_cut_off_and_nothing_is_replayed() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = run(dir.path(), 3, &options(), FULL);
    begin(&mut journal, 4, FULL).unwrap();
    let totals = journal.totals();
    let used = (totals.turns, totals.actions, totals.input_tokens);
    assert_eq!(used, (3, 3, 4_400), "with what the turn under way used");
    drop(journal);

    for opening in 0..2 {
        let (journal, report) = Journal::open(dir.path(), &options()).unwrap();
        assert!(report.is_sound(), "{report:?}");
        let resume = journal.resume();
        assert_eq!(resume.last.as_ref().map(|r| r.turn), Some(3));
        assert_eq!(resume.next_turn, 5);
        // The model is told until a turn is committed, but the loss is only reported once.
        assert_eq!(resume.ambiguous.len(), 1);
        assert_eq!((resume.ambiguous[0].turn, &resume.ambiguous[0].action), (4, &action(4).0));
        assert_eq!(report.ambiguous.len(), usize::from(opening == 0));
        // The interrupted turn's tokens and its action, which may have happened, count towards the limits.
        assert_eq!((resume.totals.turns, resume.totals.actions, resume.totals.input_tokens), (3, 4, 4_400));
        drop(journal);
    }

    let (mut journal, _) = Journal::open(dir.path(), &options()).unwrap();
    let _ = whole_turn(&mut journal, 5, FULL).unwrap();
    assert_eq!(journal.totals().turns, 4);
    drop(journal);
    let (journal, report) = Journal::open(dir.path(), &options()).unwrap();
    assert!(journal.resume().ambiguous.is_empty() && report.ambiguous.is_empty());
    assert_eq!(journal.totals().input_tokens, 5_500);
    drop(journal);

    let mut reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.turns(), [1, 2, 3, 5]);
    let four = reader.actions(4).unwrap();
    assert_eq!((four[0].stage, &four[0].outcome), (Stage::Acted, &Some(Outcome::Ambiguous)));
    assert_eq!(lines(dir.path()).iter().map(|r| r.turn).collect::<Vec<_>>(), [1, 2, 3, 5]);
}

#[test]
fn a_row_only_moves_forward() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(dir.path(), &meta(), &options()).unwrap();
    let observed = Observed { picture: None, at_unix_millis: 0, frame: geometry(1) };
    let (act, hash) = action(1);
    let done = Outcome::Done { injected: None };
    let order = |result: Result<(), StoreError>| {
        let error = result.unwrap_err();
        assert_eq!(error.remedy(), Remedy::Engine, "{error}");
    };
    order(journal.observed(2, &observed));
    order(journal.decided(1, &Decided::default(), &[]));
    order(journal.commit(&record(1, FrameHash([0; 32]), done.clone())).map(|_| ()));
    journal.observed(1, &observed).unwrap();
    order(journal.intent(1, 0, &act, &hash));
    journal.decided(1, &Decided::default(), &[]).unwrap();
    order(journal.observed(1, &observed));
    order(journal.acted(1, 0, &done));
    order(journal.intent(1, 1, &act, &hash));
    journal.intent(1, 0, &act, &hash).unwrap();
    order(journal.intent(1, 1, &act, &hash));
    order(journal.commit(&record(1, FrameHash([0; 32]), done.clone())).map(|_| ()));
    journal.acted(1, 0, &done).unwrap();
    order(journal.acted(1, 0, &done));
    journal.intent(1, 1, &act, &hash).unwrap();
    journal.acted(1, 1, &done).unwrap();
    assert_eq!(journal.commit(&record(1, FrameHash([0; 32]), done)).unwrap().through(), 1);
    order(journal.decided(1, &Decided::default(), &[]));
    assert_eq!(journal.next_turn(), 2);
}

#[test]
fn batches_acknowledge_what_is_durable_and_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { durability: Durability::Batched { turns: 10, millis: 600_000 }, ..options() };
    let mut journal = Journal::create(dir.path(), &meta(), &options).unwrap();
    let acks: Vec<u64> = (1..=25).map(|t| whole_turn(&mut journal, t, BARE).unwrap().through()).collect();
    let expected: Vec<u64> = (1..=25).map(|t| t / 10 * 10).collect();
    assert_eq!(acks, expected);
    assert_eq!(lines(dir.path()).len(), 20, "a line follows the acknowledgement");
    assert_eq!(journal.flush().unwrap().through(), 25);
    assert_eq!(lines(dir.path()).len(), 25);
    drop(journal);
    assert_eq!(Reader::open(dir.path()).unwrap().turns().len(), 25);
}

#[test]
fn a_batch_is_not_kept_waiting() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { durability: Durability::Batched { turns: 1_000_000, millis: 30 }, ..options() };
    let mut journal = Journal::create(dir.path(), &meta(), &options).unwrap();
    let ack = whole_turn(&mut journal, 1, BARE).unwrap();
    let mut through = ack.through();
    let mut calls = 0_u64;
    while through == 0 {
        calls += 1;
        journal.idle().unwrap();
        through = if lines_or_none(dir.path()) { 1 } else { 0 };
    }
    assert!(calls > 0);
}

fn lines_or_none(dir: &Path) -> bool {
    std::fs::metadata(dir.join("session.jsonl")).is_ok_and(|m| m.len() > 0)
}

// spec: S-98 UNIT
#[cfg(unix)]
#[test]
fn folders_and_files_are_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let above = tempfile::tempdir().unwrap();
    let dir = above.path().join("dump").join("run_20240315_143022");
    let journal = run(&dir, 3, &Options::default(), FULL);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&above.path().join("dump")), mode(&dir)), (0o700, 0o700));
    let mut seen = 0;
    let mut folders = vec![dir.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            seen += 1;
            let expected = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode(&path), expected, "{}", path.display());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    assert!(seen > 10 && dir.join("run.db-wal").exists() && dir.join("step001.png").exists());
    drop(journal);

    // A folder that the person made keeps its mode.
    let own = above.path().join("own");
    std::fs::create_dir(&own).unwrap();
    std::fs::set_permissions(&own, PermissionsExt::from_mode(0o755)).unwrap();
    run(&own, 1, &options(), FULL);
    assert_eq!((mode(&own), mode(&own.join("run.db")), mode(&own.join("frames"))), (0o755, 0o600, 0o700));
}

#[test]
fn a_run_is_begun_once_and_a_folder_without_one_is_no_run() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(Journal::open(dir.path(), &options()), Err(StoreError::NoRun { .. })));
    assert!(matches!(Reader::open(dir.path()), Err(StoreError::NoRun { .. })));
    assert!(!dir.path().join("run.lock").exists(), "looking leaves nothing behind");
    run(dir.path(), 1, &options(), BARE).close().unwrap();
    assert!(matches!(Journal::create(dir.path(), &meta(), &options()), Err(StoreError::RunExists { .. })));
}

#[test]
fn a_turn_without_an_action_and_one_that_failed_are_turns_too() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(dir.path(), &meta(), &options()).unwrap();
    let observed = |turn| Observed { picture: None, at_unix_millis: 0, frame: geometry(turn) };
    let mut plain = record(1, FrameHash([0; 32]), Outcome::NotExecuted);
    plain.deeds.clear();
    journal.observed(1, &observed(1)).unwrap();
    assert_eq!(journal.commit(&plain).unwrap().through(), 1);
    journal.observed(2, &observed(2)).unwrap();
    journal.decided(2, &Decided::default(), &[]).unwrap();
    assert_eq!(
        journal.commit(&StepRecord { turn: 2, choice: "refused".into(), ..plain }).unwrap().through(),
        2
    );
    assert_eq!(journal.totals().actions, 0);
}

#[test]
fn views_stay_in_the_folder_and_off_the_journals_own_files() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = run(dir.path(), 1, &options(), FULL);
    for name in ["../x.txt", "a/b.txt", "run.db", "run.lock", "reserve", "session.jsonl", "..", "", ".x"] {
        assert!(!journal.view_text(1, name, "x"), "{name}");
    }
    assert!(journal.view_text(1, "turn_000001.json", "{}"));
    assert_eq!(std::fs::read_to_string(dir.path().join("turn_000001.json")).unwrap(), "{}");
}

#[test]
fn the_view_of_rows_agrees_with_the_engine() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = run(dir.path(), 3, &options(), FULL);
    begin(&mut journal, 4, FULL).unwrap();
    drop(journal);
    let db = rusqlite::Connection::open(dir.path().join("run.db")).unwrap();
    let mut query = db.prepare("SELECT turn, idx, state, outcome FROM action ORDER BY turn, idx").unwrap();
    let rows: Vec<(u64, i64, String, Option<String>)> = query
        .query_map([], |r| Ok((r.get::<_, i64>(0)? as u64, r.get(1)?, r.get(2)?, r.get(3)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    drop(query);
    drop(db);
    let mut reader = Reader::open(dir.path()).unwrap();
    let mut ours = Vec::new();
    for turn in 1..=4 {
        for action in reader.actions(turn).unwrap() {
            let outcome = action
                .outcome
                .map(|o| serde_json::to_value(o).unwrap()["outcome"].as_str().unwrap().to_owned());
            ours.push((turn, i64::from(action.index), action.stage.name().to_owned(), outcome));
        }
    }
    assert_eq!(rows, ours);
    assert_eq!(ours[3].2, "INTENT");
}

#[test]
fn a_torn_turn_can_be_finished_after_an_opening() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = run(dir.path(), 2, &options(), FULL);
    let hash = begin(&mut journal, 3, FULL).unwrap();
    assert_eq!(finish(&mut journal, 3, hash, FULL).unwrap().through(), 3);
    journal.close().unwrap();
    let (journal, report) = Journal::open(dir.path(), &options()).unwrap();
    assert!(report.is_sound() && report.beyond.is_empty(), "{report:?}");
    assert_eq!(journal.next_turn(), 4);
}

/// POSIX drops a process's locks on a file when any descriptor of it is closed. A reader that is dropped beside the journal
/// must not cost SQLite its lock: another program would then clear the log away under the engine.
#[cfg(unix)]
#[test]
fn a_reader_dropped_beside_the_journal_takes_no_lock_with_it() {
    if !need("python3", "python3") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), 2, &options(), FULL).close().unwrap();
    let still = Reader::open(dir.path()).unwrap();
    assert!(!still.is_live());
    let (mut journal, _) = Journal::open(dir.path(), &options()).unwrap();
    let _ = whole_turn(&mut journal, 3, FULL).unwrap();
    drop(still);
    // A tool of another process opens, reads and closes the file.
    let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('select * from log').fetchall(); c.close()";
    let tool =
        std::process::Command::new("python3").args(["-c", script]).arg(dir.path().join("run.db")).status();
    assert!(tool.unwrap().success());
    assert!(dir.path().join("run.db-wal").exists(), "the log is gone under the engine");
    assert_eq!(whole_turn(&mut journal, 4, FULL).unwrap().through(), 4);
    drop(journal);
    assert_eq!(Reader::open(dir.path()).unwrap().turns(), [1, 2, 3, 4]);
}

#[test]
fn a_reader_follows_a_run_that_is_taken_up_under_it() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), 30, &options(), FULL).close().unwrap();
    let mut reader = Reader::open(dir.path()).unwrap();
    let (mut journal, _) = Journal::open(dir.path(), &options()).unwrap();
    for turn in 31..=60 {
        let _ = whole_turn(&mut journal, turn, FULL).unwrap();
    }
    journal.close().unwrap();
    for turn in 1..=30 {
        assert_eq!(reader.step(turn).unwrap().unwrap().turn, turn);
    }
}

#[test]
fn a_place_that_cannot_be_written_is_the_persons_to_change() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("file"), "x").unwrap();
    let error = Journal::create(&dir.path().join("file/run"), &meta(), &options()).unwrap_err();
    assert_eq!(error.remedy(), Remedy::Person, "{error}");
    assert!(error.to_string().contains("file/run") && error.to_string().contains("--out"), "{error}");
}
