//! A disk that really fills up: a small tmpfs.

use crate::common::{FULL, Script, action, begin, finish, meta, options, picture, record, whole_turn};
use handsight_base::flow::receipt::Outcome;
use handsight_store::{Journal, Options, Reader, Remedy, StoreError};
use handsight_testkit::small_disk::SmallDisk;

/// Screenshots go first, then the reserve, then the turn waits and nothing is done; with space the run goes on.
#[test]
fn a_full_disk_costs_pictures_then_the_reserve_then_the_turn_waits() {
    let Some(small) = SmallDisk::new(8) else { return };
    let dir = small.dir().join("run");
    let options = Options { reserve_bytes: 256 << 10, checkpoint_bytes: u64::MAX / 32, ..options() };
    let script = Script { picture: 40_000, ..FULL };
    let mut journal = Journal::create(&dir, &meta(), &options).unwrap();
    for turn in 1..=20 {
        let _ = whole_turn(&mut journal, turn, script).unwrap();
    }
    assert!(journal.health().reserve_held);

    // The disk is full: the journal eats pictures, oldest first, while there are any to drop.
    small.fill();
    let mut turn = 21;
    while journal.health().reserve_held {
        let _ = whole_turn(&mut journal, turn, Script { picture: 0, view: false, exchange: true }).unwrap();
        turn += 1;
        small.fill();
        assert!(turn < 2_000, "the reserve is never touched");
    }
    let left = std::fs::read_dir(&dir)
        .unwrap()
        .filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().starts_with("step"));
    assert!(left.count() <= 1, "pictures are left and the reserve is gone");

    // With the reserve gone too, a call is refused by name, and again as long as the disk is full.
    let (refused, waiting) = loop {
        small.fill();
        let bare = Script { picture: 0, view: false, exchange: true };
        match begin(&mut journal, turn, bare) {
            Err(error) => break (turn, (None, error)),
            Ok(hash) => match finish(&mut journal, turn, hash, bare) {
                Err(error) => break (turn, (Some(hash), error)),
                Ok(_) => turn += 1,
            },
        }
        assert!(turn < 4_000, "the disk never fills");
    };
    let (begun, error) = waiting;
    assert!(matches!(error, StoreError::DiskFull { .. }) && error.to_string().contains("run.db"), "{error}");
    assert_eq!(error.remedy(), Remedy::FreeSpace);
    let health = journal.health();
    assert!(health.needed_bytes >= 8_192 && health.free_bytes.is_some_and(|f| f < 4_096), "{health:?}");
    let done = Outcome::Done { injected: None };
    let again = |journal: &mut Journal| match begun {
        None => journal.intent(refused, 0, &action(refused).0, &action(refused).1),
        Some(hash) => journal.commit(&record(refused, hash, done.clone())).map(|_| ()),
    };
    assert_eq!(again(&mut journal).unwrap_err().remedy(), Remedy::FreeSpace);
    let mut reader = Reader::open(&dir).unwrap();
    assert!(reader.turns().iter().copied().eq(1..refused), "{:?}", reader.turns());
    assert_eq!(
        reader.actions(refused).unwrap().len(),
        usize::from(begun.is_some()),
        "an intent without an error is there"
    );

    // Space returns: the very same call is made again.
    small.empty();
    journal.idle().unwrap();
    again(&mut journal).unwrap();
    assert_eq!(journal.health().needed_bytes, 0);
    if begun.is_none() {
        let hash = journal.keep_frame(refused, &picture(refused, 1_000));
        assert_eq!(finish(&mut journal, refused, hash, FULL).unwrap().through(), refused);
    }
    assert!(journal.health().reserve_held, "the reserve is taken again");
    journal.close().unwrap();
    let mut reader = Reader::open(&dir).unwrap();
    assert!(reader.report().is_sound(), "{:?}", reader.report());
    assert_eq!(reader.turns().len() as u64, refused);
    assert_eq!(reader.exchanges(refused).unwrap().len(), 1);
    let lines = std::fs::read_to_string(dir.join("session.jsonl")).unwrap().lines().count() as u64;
    assert_eq!(lines, refused, "lines that found no room are made up for");
}

#[test]
fn no_run_is_begun_on_a_full_disk_and_the_message_says_why() {
    let Some(small) = SmallDisk::new(4) else { return };
    let dir = small.dir().join("run");
    small.fill();
    let error = Journal::create(&dir, &meta(), &options()).unwrap_err();
    eprintln!("{error}");
    assert!(error.to_string().contains("full") || error.to_string().contains("space"), "{error}");
    small.empty();
    Journal::create(&dir, &meta(), &options()).unwrap().close().unwrap();
}
