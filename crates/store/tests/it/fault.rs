//! Errors of the disk at every call that can give one, and death at every call.
//!
//! strace makes the nth call of a kind fail, or kills the child there. After a failed sync nothing may be promised; after a
//! full disk everything promised is kept and the run can go on; after a death what was promised is there.

use crate::child::{Orders, WARM_UP, check_promises, ended_properly, traced};
use handsight_testkit::need::{long, need};
use std::path::Path;

const TURNS: u64 = 4;

/// What one child did with a fault at its nth call.
struct Outcome {
    /// False if the child made fewer calls, so that nothing happened to it.
    reached: bool,
    orders: Orders,
    log: String,
    _root: tempfile::TempDir,
}

/// Runs a child whose calls of this kind meet `fault`, in strace's words.
fn with_fault(call: &str, fault: &str, open: bool) -> Outcome {
    let root = crate::common::memory_folder();
    let orders = Orders { open, ..Orders::new(root.path(), TURNS) };
    if open {
        drop(crate::common::run(&orders.dir, 3, &crate::common::options(), crate::common::FULL));
    }
    let log = root.path().join("log");
    let (trace, inject) =
        (format!("trace={call},write,openat,close,fsync,rename"), format!("inject={call}:{fault}"));
    traced(&orders, &["-e", &trace, "-e", &inject], &log);
    let log = std::fs::read_to_string(&log).unwrap();
    Outcome { reached: log.contains("(INJECTED)") || log.contains("+++ killed"), orders, log, _root: root }
}

/// Runs `check` for the first, second, ... call until there is none left; how many there were.
fn sweep(call: &str, fault: &str, open: bool, check: impl Fn(&Outcome, &str)) -> u32 {
    let first = if call == "write" { WARM_UP + 1 } else { 1 };
    let mut nth = first;
    loop {
        let outcome = with_fault(call, &format!("{fault}:when={nth}"), open);
        if !outcome.reached {
            assert_eq!(outcome.orders.last_word().as_deref(), Some("END well"), "{call} {nth}");
            return nth - first;
        }
        check(&outcome, &format!("{call} {nth} {fault} open={open}"));
        assert!(nth < 5_000, "{call}: no end");
        nth += 1;
    }
}

/// Opens what the fault left, checks every promise, and goes on.
fn holds(outcome: &Outcome, what: &str) {
    let (acts, acks) = outcome.orders.promised();
    let dir = &outcome.orders.dir;
    if !dir.join("run.db").exists() && !dir.join("replacement.db").exists() {
        assert!(acts.is_empty() && acks.is_empty(), "{what}: promised {acts:?} {acks:?} without a journal");
        return;
    }
    if let Err(why) = check_promises(dir, &acts, &acks) {
        panic!("{what}: {why}");
    }
    go_on(dir, what);
}

fn go_on(dir: &Path, what: &str) {
    let (mut journal, report) = handsight_store::Journal::open(dir, &crate::common::options()).unwrap();
    assert!(report.is_sound(), "{what}: {report:?}");
    let next = journal.next_turn();
    let ack = crate::common::whole_turn(&mut journal, next, crate::common::FULL).unwrap();
    assert_eq!(ack.through(), next, "{what}");
}

/// SQLite syncs the folder right after its log or journal, in the same breath, and takes no notice of an error. The journal
/// syncs the folder itself before anything is promised, so nothing hangs on it.
fn is_sqlites_folder_sync(log: &str) -> bool {
    let calls: Vec<&str> = log.lines().take_while(|l| !l.contains("(INJECTED)")).collect();
    match calls.as_slice() {
        [.., before, last] => {
            before.contains("fsync(") && last.contains("openat(") && last.contains("/run\", O_RDONLY")
        }
        _ => false,
    }
}

#[test]
fn after_a_failed_sync_nothing_is_promised() {
    if !need("strace", "strace") {
        return;
    }
    for open in [false, true] {
        let syncs: u32 = ["fsync", "fdatasync"]
            .into_iter()
            .map(|call| {
                sweep(call, "error=EIO", open, |outcome, what| {
                    if is_sqlites_folder_sync(&outcome.log) {
                        holds(outcome, what);
                        return;
                    }
                    let after = outcome.log.split("(INJECTED)").nth(1).unwrap_or_default();
                    for promise in ["\"ACT", "\"ACK"] {
                        assert!(!after.contains(promise), "{what}: promised after the error:\n{after}");
                    }
                    let word = outcome.orders.last_word().unwrap_or_default();
                    assert!(word.starts_with("END StopRun"), "{what}: ended with {word:?}");
                    holds(outcome, what);
                })
            })
            .sum();
        eprintln!("failed syncs tried (open: {open}): {syncs}");
        assert!(syncs > 2 * TURNS as u32, "{syncs}");
    }
}

#[test]
fn a_full_disk_at_any_call_costs_no_promise() {
    if !need("strace", "strace") {
        return;
    }
    let mut tried = 0;
    for (call, open) in [
        ("pwrite64", false),
        ("pwrite64", true),
        ("write", false),
        ("rename", false),
        ("mkdir", false),
        ("linkat", false),
        ("ftruncate", false),
        ("openat", true),
    ] {
        tried += sweep(call, "error=ENOSPC", open, |outcome, what| {
            // The write that failed may have been the promise itself; then the child has no last word.
            if let Some(word) = outcome.orders.last_word() {
                assert!(ended_properly(&word), "{what}: {word}");
            }
            holds(outcome, what);
        });
    }
    // From some write on, nothing fits any more.
    for nth in (1..).step_by(if long() { 1 } else { 3 }) {
        let lasting = with_fault("pwrite64", &format!("error=ENOSPC:when={nth}+"), true);
        if !lasting.reached {
            break;
        }
        if let Some(word) = lasting.orders.last_word() {
            assert!(word.starts_with("END FreeSpace") || word == "END well", "{nth}: {word}");
        }
        holds(&lasting, &format!("pwrite64 from {nth} on"));
        tried += 1;
    }
    eprintln!("full disks tried: {tried}");
    assert!(tried > 100, "{tried}");
}

#[test]
fn a_death_at_any_call_costs_no_promise() {
    if !need("strace", "strace") {
        return;
    }
    let mut deaths = 0;
    for call in
        ["pwrite64", "fsync", "fdatasync", "write", "rename", "linkat", "ftruncate", "unlink", "mkdir"]
    {
        for open in [false, true] {
            deaths += sweep(call, "signal=KILL", open, holds);
        }
    }
    eprintln!("deaths tried: {deaths}");
    assert!(deaths > 150, "{deaths}");
}
