//! A disk that fills up under a run, in virtual time: a small tmpfs that the model fills with each of its answers.

use crate::rig::{Answers, Hear, Rig, call};
use handsight_agent::ending::{Ending, Outcome};
use handsight_agent::progress::Event;
use handsight_base::flow::action::Primitive;
use handsight_base::flow::receipt;
use handsight_base::port::clock::Clock;
use handsight_base::stop::StopReason;
use handsight_store::{Durability, Reader};
use handsight_testkit::fake::Call;
use handsight_testkit::small_disk::SmallDisk;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// The turn from which on the disk is kept full.
const FULL_FROM: u64 = 4;

struct Disk {
    small: Arc<SmallDisk>,
    /// There is room again, and nobody takes it.
    free: Arc<AtomicBool>,
}

impl Disk {
    fn new() -> Option<Self> {
        Some(Self { small: Arc::new(SmallDisk::new(8)?), free: Arc::default() })
    }

    fn rig(&self, settings: &[&str]) -> Rig {
        let mut rig = Rig::new(settings);
        rig.folder = TempDir::new_in(self.small.dir()).unwrap();
        rig.durability = Durability::Always;
        rig
    }

    /// Types a serial a turn, never the same; `done` once there is room again after the disk was full.
    fn answers(&self) -> Answers {
        let (small, free) = (Arc::clone(&self.small), Arc::clone(&self.free));
        Box::new(move |n, _| {
            assert!(n < 200, "the disk never fills");
            if free.load(Ordering::SeqCst) {
                return call("done", json!({"reason": "finished"}));
            }
            if n >= FULL_FROM {
                small.fill();
            }
            call("type", json!({"text": serial(n), "reason": ""}))
        })
    }

    fn make_room(&self) {
        self.free.store(true, Ordering::SeqCst);
        self.small.empty();
    }
}

fn serial(n: u64) -> String {
    char::from_u32('a' as u32 + n as u32).unwrap().to_string()
}

/// How often each character was typed, as the desktop saw it.
fn typed(rig: &Rig) -> BTreeMap<String, u32> {
    let mut seen = BTreeMap::new();
    for primitive in rig.desktop.injected() {
        if let Primitive::Char(c) = primitive {
            *seen.entry(c.to_string()).or_default() += 1;
        }
    }
    seen
}

/// Every turn is there, and what the journal says of each serial is what the desktop saw.
fn agrees(rig: &Rig, turns: u64) {
    let mut reader = Reader::open(&rig.out()).unwrap();
    assert!(reader.report().is_sound(), "{:?}", reader.report());
    assert!(reader.turns().into_iter().eq(1..=turns), "{turns}");
    let seen = typed(rig);
    assert!(seen.values().all(|times| *times == 1), "{seen:?}");
    for turn in 1..turns {
        for row in reader.actions(turn).unwrap() {
            let times = seen.get(&serial(turn)).copied().unwrap_or_default();
            match row.outcome {
                Some(receipt::Outcome::Done { .. }) => assert_eq!(times, 1, "turn {turn}"),
                Some(receipt::Outcome::NotExecuted | receipt::Outcome::Withheld { .. }) => {
                    assert_eq!(times, 0, "turn {turn}");
                }
                other => panic!("turn {turn}: {other:?}"),
            }
        }
    }
}

fn told(rig: &Rig, event: impl Fn(&Event) -> bool) -> usize {
    rig.events.lock().unwrap().iter().filter(|e| event(e)).count()
}

fn is_full(event: &Event) -> bool {
    matches!(event, Event::DiskFull { .. })
}

#[test]
fn a_run_waits_for_room_and_goes_on_with_nothing_lost_or_done_twice() {
    let Some(disk) = Disk::new() else { return };
    let mut rig = disk.rig(&[]);
    let before = Arc::new(std::sync::Mutex::new(None));
    rig.hear = Some({
        let (desktop, before) = (rig.desktop.clone(), Arc::clone(&before));
        let disk = Disk { small: Arc::clone(&disk.small), free: Arc::clone(&disk.free) };
        Box::new(move |event| match event {
            Event::DiskFull { path, free, needed, wait } => {
                assert!(path.ends_with("run.db") && free.is_some_and(|f| f < *needed), "{event:?}");
                assert_eq!(*wait, Duration::from_secs(600));
                *before.lock().unwrap() = Some(desktop.calls());
                disk.make_room();
            }
            Event::RoomAgain { waited } => assert!(!waited.is_zero()),
            _ => {}
        })
    });
    let ending = rig.run(disk.answers());
    assert_eq!(ending.outcome, Outcome::Done, "{}", ending.statement);
    assert_eq!((told(&rig, is_full), told(&rig, |e| matches!(e, Event::RoomAgain { .. }))), (1, 1));
    let calls = before.lock().unwrap().take().unwrap();
    assert_eq!(calls.last().unwrap().1, Call::ReleaseAll, "everything is let go before it waits");
    let after = rig.desktop.calls().split_off(calls.len());
    assert!(
        !after.iter().any(|(_, c)| matches!(c, Call::Inject(_))),
        "decided on a screen of before: {after:?}"
    );
    let mut reader = Reader::open(&rig.out()).unwrap();
    let waited = &reader.actions(ending.turns - 1).unwrap()[0];
    let why = "the disk was full".to_owned();
    assert_eq!(
        waited.outcome,
        Some(receipt::Outcome::Withheld { why }),
        "it was the intent that found no room"
    );
    agrees(&rig, ending.turns);
}

/// A run whose disk fills, and `hear` does what it does then.
fn full(disk: &Disk, settings: &[&str], hear: Option<Hear>) -> (Rig, Ending) {
    let mut rig = disk.rig(settings);
    rig.hear = hear;
    let ending = rig.run(disk.answers());
    assert_eq!(told(&rig, is_full), 1, "it is said once: {ending:?}");
    assert_eq!(told(&rig, |e| matches!(e, Event::RoomAgain { .. })), 0);
    (rig, ending)
}

#[test]
fn a_wait_that_is_over_ends_with_storage_and_the_run_goes_on_later() {
    for (setting, least) in [("record.full_wait_s=30", 30), ("record.full_wait_s=0", 0)] {
        let Some(disk) = Disk::new() else { return };
        let (rig, ending) = full(&disk, &[setting], None);
        assert_eq!(ending.outcome, Outcome::Storage, "{}", ending.statement);
        assert!(ending.statement.contains("run.db"), "{}", ending.statement);
        let waited = rig.clock.now().saturating_sub(last_act(&rig));
        let most = Duration::from_secs(least + 4);
        assert!(waited >= Duration::from_secs(least) && waited < most, "{setting}: {waited:?}");

        disk.make_room();
        let seen = typed(&rig);
        let mut on = disk.rig(&[]);
        on.folder = rig.folder;
        let ending = on.run(disk.answers());
        assert_eq!(ending.outcome, Outcome::Done, "{setting}: {}", ending.statement);
        assert_eq!(typed(&on), BTreeMap::new(), "nothing is done again");
        let mut reader = Reader::open(&on.out()).unwrap();
        assert!(reader.report().is_sound());
        for turn in 1..=reader.last_committed() {
            for row in reader.actions(turn).unwrap() {
                assert!(seen.contains_key(&serial(turn)), "turn {turn}: {row:?}");
            }
        }
    }
}

/// When the desktop last got input.
fn last_act(rig: &Rig) -> Duration {
    let calls = rig.desktop.calls();
    calls.iter().rev().find(|(_, c)| matches!(c, Call::Inject(_))).unwrap().0
}

#[test]
fn a_limit_and_a_stop_end_the_wait() {
    let Some(disk) = Disk::new() else { return };
    let (_, ending) = full(&disk, &["limits.max_time_s=300"], None);
    assert_eq!(ending.outcome, Outcome::TimeLimit);
    assert!((300.0..301.0).contains(&ending.wall_s), "{}", ending.wall_s);

    let Some(disk) = Disk::new() else { return };
    let mut rig = disk.rig(&[]);
    let (stop, clock) = (rig.stop.clone(), rig.clock.clone());
    let at = Arc::new(std::sync::Mutex::new(Duration::ZERO));
    rig.hear = Some({
        let at = Arc::clone(&at);
        Box::new(move |event| {
            if is_full(event) {
                *at.lock().unwrap() = clock.now();
                stop.set(StopReason::Interrupt);
            }
        })
    });
    let ending = rig.run(disk.answers());
    assert_eq!(ending.outcome, Outcome::Stopped(StopReason::Interrupt));
    assert_eq!(rig.clock.now(), *at.lock().unwrap(), "no wait is begun");
}
