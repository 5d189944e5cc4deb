//! What the journal costs, beside what the disk alone costs in the same minute.
//!
//! The budgets hold for release builds (`cargo test --release`); others are held to a looser figure, so that the test
//! can fail everywhere.

use crate::common::{
    BARE, FULL, action, batched, begin, finish_at, geometry, meta, options, run, usage, whole_turn,
};
use handsight_base::port::clock::{Clock, RealClock};
use handsight_store::{Decided, Journal, Observed, Reader};
use handsight_testkit::need::long;
use std::io::Write;
use std::time::Duration;

const RELEASE: bool = !cfg!(debug_assertions);

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort_unstable();
    all[all.len() / 2]
}

/// How long this thread has waited for a processor that others had.
fn queued() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0))
}

/// What `work` takes on a machine that does nothing else.
fn alone<T>(clock: &RealClock, work: impl FnOnce() -> T) -> (Duration, T) {
    let (began, waited) = (clock.now(), queued());
    let done = work();
    ((clock.now() - began).saturating_sub(queued() - waited), done)
}

/// Journal sync <= 1.5 x a bare 4 KiB append + fdatasync, in turns of one action with a request and a reply.
#[test]
fn a_sync_costs_little_more_than_the_disk() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let clock = RealClock::new();
    let mut bare = std::fs::File::create(dir.path().join("bare")).unwrap();
    let mut journal = Journal::create(&dir.path().join("run"), &meta(), &options()).unwrap();
    let (mut bares, mut intents, mut commits) = (Vec::new(), Vec::new(), Vec::new());
    for turn in 1..=if RELEASE { 600 } else { 200 } {
        let began = clock.now();
        bare.write_all(&[turn as u8; 4096]).unwrap();
        bare.sync_data().unwrap();
        bares.push(clock.now() - began);

        let bytes = crate::common::picture(turn, FULL.picture);
        let hash = journal.keep_frame(turn, &bytes);
        journal
            .observed(turn, &Observed { picture: Some(hash), at_unix_millis: 0, frame: geometry(turn) })
            .unwrap();
        let decided = Decided {
            choice: "act".into(),
            reason: "because".into(),
            call: None,
            usage: usage(),
            confirmation: None,
        };
        journal.decided(turn, &decided, &[crate::common::exchange(turn, &bytes)]).unwrap();
        let (act, act_hash) = action(turn);
        let began = clock.now();
        journal.intent(turn, 0, &act, &act_hash).unwrap();
        intents.push(clock.now() - began);

        let began = clock.now();
        let _ = finish_at(&mut journal, turn, 0, hash, BARE).unwrap();
        commits.push(clock.now() - began);
        journal.idle().unwrap();
    }
    let (bare, intent, commit) = (median(bares), median(intents), median(commits));
    let ratio = |of: Duration| of.as_secs_f64() / bare.as_secs_f64();
    eprintln!(
        "bare {bare:?}; intent {intent:?} ({:.2} x); commit {commit:?} ({:.2} x)",
        ratio(intent),
        ratio(commit)
    );
    // The mean of the two syncs of a turn is the journal's sync; without optimisation the processor's part counts more.
    let mean = (ratio(intent) + ratio(commit)) / 2.0;
    let budget = if RELEASE { 1.5 } else { 4.0 };
    assert!(mean <= budget, "{mean:.2} x a bare sync, the budget is {budget}");
}

/// Resuming 100 000 turns takes at most a second.
#[test]
fn a_long_run_is_resumed_in_a_second() {
    let turns = if RELEASE || long() { 100_000 } else { 5_000 };
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let clock = RealClock::new();
    let (wrote, ()) = alone(&clock, || {
        let mut journal = run(dir.path(), 1, &batched(), FULL);
        for turn in 2..=turns {
            let _ = whole_turn(&mut journal, turn, crate::common::Script { exchange: true, ..BARE }).unwrap();
        }
        let _ = journal.flush().unwrap();
    });
    let size = |name: &str| std::fs::metadata(dir.path().join(name)).unwrap().len();
    let bytes = size("run.db") + size("run.db-wal");
    let (took, opened) = alone(&clock, || Journal::open(dir.path(), &options()).unwrap());
    let (mut journal, report) = opened;
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((journal.next_turn(), journal.totals().turns), (turns + 1, turns));
    begin(&mut journal, turns + 1, BARE).unwrap();
    drop(journal);
    let (read, step) = alone(&clock, || Reader::open(dir.path()).unwrap().step(turns).unwrap().unwrap());
    assert_eq!(step.turn, turns);
    eprintln!(
        "{turns} turns: written in {wrote:?} ({:.0} a second), {} bytes a turn, resumed in {took:?}, read in {read:?}",
        turns as f64 / wrote.as_secs_f64(),
        bytes / turns
    );
    let budget = Duration::from_secs(if RELEASE { 1 } else { 10 });
    assert!(took <= budget, "{took:?}, the budget is {budget:?}");
}
