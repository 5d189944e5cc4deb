//! The room that pictures and views take over thousands of turns, measured as `du` does.

use crate::common::{Script, begin, finish, meta, options, picture, record};
use handsight_base::flow::format::PictureFormat;
use handsight_base::flow::frame::FrameHash;
use handsight_base::flow::receipt::Outcome;
use handsight_base::flow::settled::Calm;
use handsight_base::flow::verdict::Judgement;
#[cfg(unix)]
use handsight_store::turn_name;
use handsight_store::{Journal, Options, Reader, step_name};
#[cfg(unix)]
use handsight_testkit::need::long;
#[cfg(unix)]
use std::{collections::HashSet, path::Path};

const PICTURE: usize = 20_000;
const SCRIPT: Script = Script { picture: PICTURE, exchange: false, view: true };

/// Bytes of blocks of everything below `dir` but the journal itself; a file of two names counts once.
#[cfg(unix)]
fn du(dir: &Path, seen: &mut HashSet<u64>) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let meta = entry.metadata().unwrap();
        if entry.file_name().to_string_lossy().starts_with("run.") || !seen.insert(meta.ino()) {
            continue;
        }
        bytes += meta.blocks() * 512;
        if meta.is_dir() {
            bytes += du(&entry.path(), seen);
        }
    }
    bytes
}

#[cfg(unix)]
#[test]
fn the_quota_holds_at_every_moment() {
    let turns = if long() { 50_000 } else { 1_500 };
    let dir = tempfile::tempdir().unwrap();
    let quota = if long() { 50 << 20 } else { 4 << 20 };
    let options = Options { quota_bytes: quota, ..crate::common::batched() };
    let options = Options { reserve_bytes: 0, ..options };
    let mut journal = Journal::create(dir.path(), &meta(), &options).unwrap();
    let (mut most, mut full) = (0, 0);
    for turn in 1..=turns {
        let hash = begin(&mut journal, turn, SCRIPT).unwrap();
        let _ = finish(&mut journal, turn, hash, SCRIPT).unwrap();
        assert!(journal.view_text(turn, &turn_name(turn), "{}"));
        if turn % 10 == 0 {
            let used = du(dir.path(), &mut HashSet::new());
            most = most.max(used);
            assert!(used <= quota + PICTURE as u64 + 4096, "turn {turn}: {used} bytes");
            full += u32::from(used > quota * 9 / 10);
        }
        // Reopening must count the same.
        if turn == turns / 2 {
            let _ = journal.flush().unwrap();
            drop(journal);
            journal = Journal::open(dir.path(), &options).unwrap().0;
        }
        if turn == turns / 2 || turn == turns {
            let used = du(dir.path(), &mut HashSet::new());
            let counted = journal.health().used_bytes;
            assert!(counted.abs_diff(used) <= 64 << 10, "counted {counted}, du says {used}");
        }
    }
    eprintln!("{turns} turns at a quota of {quota}: at most {most} bytes");
    assert!(full > 10, "the quota was never reached");
    assert_eq!(journal.health().dropped, 0);
    let deleted = std::fs::read_dir("/proc/self/fd").map(|fds| {
        fds.flatten()
            .filter_map(|fd| std::fs::read_link(fd.path()).ok())
            .filter(|f| f.starts_with(dir.path()) && f.to_string_lossy().ends_with("(deleted)"))
            .count()
    });
    assert_eq!(deleted.unwrap_or(0), 0, "a deleted file is still open");
    // The newest pictures are there, the oldest are gone, and that is no error.
    let _ = journal.flush().unwrap();
    let reader = Reader::open(dir.path()).unwrap();
    assert!(reader.frame(&FrameHash::of(&picture(turns, PICTURE))).is_ok());
    let gone = reader.frame(&FrameHash::of(&picture(1, PICTURE))).unwrap_err();
    assert!(gone.contains("no longer kept"), "{gone}");
    assert!(
        !dir.path().join(step_name(1, PictureFormat::Png)).exists()
            && dir.path().join(step_name(turns, PictureFormat::Png)).exists()
    );
}

/// The picture of a failed turn outlives hundreds of younger ones, over a reopening too.
#[test]
fn evidence_of_failures_is_kept_longest() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { quota_bytes: 2 << 20, ..options() };
    let mut journal = Journal::create(dir.path(), &meta(), &options).unwrap();
    let failed = Outcome::Failed { why: "the window is gone".into(), injected: None };
    for turn in 1..=400 {
        let hash = begin(&mut journal, turn, SCRIPT).unwrap();
        if turn == 3 {
            journal.acted(turn, 0, &failed).unwrap();
            journal.verified(turn, Calm::Settled, &Judgement::Unchecked).unwrap();
            let _ = journal.commit(&record(turn, hash, failed.clone())).unwrap();
            assert!(journal.view_frame(turn, &step_name(turn, PictureFormat::Png), &hash));
        } else {
            let _ = finish(&mut journal, turn, hash, SCRIPT).unwrap();
        }
        if turn == 200 {
            drop(journal);
            journal = Journal::open(dir.path(), &options).unwrap().0;
        }
    }
    let reader = Reader::open(dir.path()).unwrap();
    let kept: Vec<u64> =
        (1..=400).filter(|t| reader.frame(&FrameHash::of(&picture(*t, PICTURE))).is_ok()).collect();
    assert_eq!(kept[0], 3, "{kept:?}");
    assert!(kept[1] > 250 && kept.last() == Some(&400), "{kept:?}");
    assert!(
        dir.path().join(step_name(3, PictureFormat::Png)).exists()
            && !dir.path().join(step_name(4, PictureFormat::Png)).exists()
    );
}
