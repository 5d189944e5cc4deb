//! Cutting the power, without a plug.
//!
//! A child's system calls are logged with all bytes. At every promise, and at random calls between, the disk is rebuilt as a
//! power cut may leave it: what was synced, and of the rest any subset of 512-byte pieces and any beginning of the
//! changes of names. Each such image is opened like a run after the cut, and every promise made until then is held against it.
//!
//! The same with SQLite syncing less must lose turns; if it did not, this tier would show nothing.

mod disk;

use crate::child::{Orders, check_promises, traced};
use crate::common::Seeded;
use disk::{Call, Disk, parse};
use handsight_testkit::need::{long, need};
use std::collections::BTreeMap;
use std::path::Path;

const CALLS: &str = "trace=openat,close,write,pwrite64,lseek,fdatasync,fsync,ftruncate,unlink,rename,linkat";

/// What came of all images of a run.
#[derive(Debug, Default)]
struct Tally {
    images: u32,
    /// Images that broke a promise or could not be read.
    red: u32,
    reasons: BTreeMap<String, u32>,
    /// Promises made while a part of the journal was not synced.
    early: u32,
}

fn cut_the_power(synchronous: &str, turns: u64, variants: u64, seed: u64) -> Tally {
    let root = tempfile::tempdir().unwrap();
    let orders = Orders { synchronous: synchronous.into(), ..Orders::new(root.path(), turns) };
    let log = root.path().join("log");
    assert!(traced(&orders, &["-xx", "-s", "70000", "-e", CALLS], &log).success(), "the child failed");
    assert_eq!(orders.last_word().as_deref(), Some("END well"));

    let mut disk = Disk::new(&orders.dir, &orders.promises);
    let mut tally = Tally::default();
    let mut seeded = Seeded(seed);
    let (mut acts, mut acks) = (Vec::new(), Vec::new());
    let text = std::fs::read_to_string(&log).unwrap();
    for line in text.lines() {
        let Some(call) = parse(line) else { continue };
        // The image before the call: everything until then is as the child left it.
        let busy = matches!(
            call,
            Call::Write { .. } | Call::Sync { .. } | Call::Truncate { .. } | Call::Rename { .. }
        );
        if busy && disk.is_ours(&call) && !acks.is_empty() && seeded.below(10) < 3 {
            (0..variants).for_each(|_| check(&disk, &mut seeded, &acts, &acks, &mut tally));
        }
        let Some(promise) = disk.apply(call) else { continue };
        let promised = promise.trim_ascii_end();
        if let Some(turn) = promised.strip_prefix("ACT ") {
            acts.push(turn.parse().unwrap());
        } else if let Some(turn) = promised.strip_prefix("ACK ") {
            acks.push(turn.parse().unwrap());
        } else {
            continue;
        }
        tally.early += u32::from(disk.has_unsynced("run.db-wal"));
        (0..variants + 1).for_each(|_| check(&disk, &mut seeded, &acts, &acks, &mut tally));
    }
    assert_eq!(acks.len() as u64, turns, "every turn was seen in the log");
    tally
}

fn check(disk: &Disk, seeded: &mut Seeded, acts: &[u64], acks: &[u64], tally: &mut Tally) {
    let image = crate::common::memory_folder();
    let dir = image.path().join("run");
    disk.image(&dir, seeded);
    tally.images += 1;
    if let Err(reason) = check_promises(&dir, acts, acks) {
        tally.red += 1;
        let short = reason.split(['{', '[', '/']).next().unwrap_or_default().to_owned();
        if tally.red <= 10 {
            eprintln!("image {}: {reason}", tally.images);
        }
        *tally.reasons.entry(short).or_default() += 1;
    }
}

#[test]
fn an_acknowledged_turn_survives_the_power() {
    if !need("strace", "strace") {
        return;
    }
    let (turns, variants) = if long() { (400, 30) } else { (44, 8) };
    let seed = 20_261_120;
    let tally = cut_the_power("full", turns, variants, seed);
    eprintln!("power cut, FULL, seed {seed}: {tally:?}");
    assert!(tally.images >= 2_000, "{tally:?}");
    assert_eq!((tally.red, tally.early), (0, 0), "{tally:?}");
}

/// The controls: the same tier must be red for a journal that syncs less.
#[test]
fn syncing_less_loses_turns() {
    if !need("strace", "strace") {
        return;
    }
    for synchronous in ["normal", "off"] {
        let tally = cut_the_power(synchronous, 15, 2, 7);
        eprintln!("power cut, {synchronous}: {tally:?}");
        assert!(tally.red > tally.images / 10, "{synchronous}: {tally:?}");
        assert!(tally.early > 0, "{synchronous}: every promise came after a sync: {tally:?}");
    }
}

/// A replacement of a damaged journal is cut off at every call; the rows are there each time.
#[test]
fn a_rebuilding_survives_the_power() {
    if !need("strace", "strace") {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("run");
    crate::common::run(&dir, 12, &crate::common::options(), crate::common::FULL).close().unwrap();
    damage_one_row(&dir.join("run.db"));
    let orders = Orders { open: true, ..Orders::new(root.path(), 1) };
    let mut disk = Disk::new(&dir, &orders.promises);
    disk.take_in(&dir);
    let log = root.path().join("log");
    assert!(traced(&orders, &["-xx", "-s", "70000", "-e", CALLS], &log).success(), "the child failed");
    let mut seeded = Seeded(3);
    let (mut images, mut acked) = (0, false);
    for line in std::fs::read_to_string(&log).unwrap().lines() {
        let Some(call) = parse(line) else { continue };
        if disk.is_ours(&call) && !acked {
            for _ in 0..4 {
                let image = crate::common::memory_folder();
                let dir = image.path().join("run");
                disk.image(&dir, &mut seeded);
                images += 1;
                let (journal, report) =
                    handsight_store::Journal::open(&dir, &crate::common::options()).unwrap();
                drop(journal);
                let turns = handsight_store::Reader::open(&dir).unwrap().turns();
                assert!(turns.len() >= 11, "image {images}: {turns:?}, {report:?}");
            }
        }
        acked |= disk.apply(call).is_some_and(|p| p.starts_with("ACK"));
    }
    assert!(acked && images > 100, "{images} images");
}

/// Changes a byte in the middle of some row's text.
fn damage_one_row(db: &Path) {
    let mut bytes = std::fs::read(db).unwrap();
    let needle = b"the editor is open, so line 5";
    let at = bytes.windows(needle.len()).position(|w| w == needle).unwrap();
    bytes[at] ^= 1;
    std::fs::write(db, bytes).unwrap();
}
