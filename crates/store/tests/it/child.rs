//! A child that writes a journal and says what it was promised, and strace around it.
//!
//! The child is this test binary again, running [`child`] alone. It writes `ACT n` once the intent of turn n may be acted on
//! and `ACK n` once turn n is acknowledged, each with one write, to a file of its own: what is in that file was promised.

#![expect(clippy::disallowed_methods, reason = "the child gets its orders through the environment")]

use crate::common::{FULL, action, begin, finish, meta, options, record};
use handsight_base::flow::frame::FrameHash;
use handsight_base::flow::receipt::Outcome;
use handsight_store::{Journal, Options, Reader, Remedy, StoreError, Synchronous};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

const ORDERS: &str = "HANDSIGHT_STORE_CHILD";
/// Writes the child makes before its work, so that a fault at the nth write of a thread hits no line of the test runner.
pub(crate) const WARM_UP: u32 = 4;

/// What the child shall do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Orders {
    pub(crate) dir: PathBuf,
    pub(crate) promises: PathBuf,
    pub(crate) turns: u64,
    /// `full`, `normal`, `off`.
    pub(crate) synchronous: String,
    /// Take up a run that is there, instead of beginning one.
    pub(crate) open: bool,
    pub(crate) reserve_bytes: u64,
}

impl Orders {
    /// Orders for a folder `run` below `root`.
    pub(crate) fn new(root: &Path, turns: u64) -> Self {
        Self {
            dir: root.join("run"),
            promises: root.join("promises"),
            turns,
            synchronous: "full".into(),
            open: false,
            reserve_bytes: 8192,
        }
    }

    /// Turns that may be acted on, and turns acknowledged.
    pub(crate) fn promised(&self) -> (Vec<u64>, Vec<u64>) {
        let text = std::fs::read_to_string(&self.promises).unwrap_or_default();
        let of = |word| text.lines().filter_map(|l| l.strip_prefix(word)?.parse().ok()).collect();
        (of("ACT "), of("ACK "))
    }

    /// The line in which the child said how it ended, if it did.
    pub(crate) fn last_word(&self) -> Option<String> {
        let text = std::fs::read_to_string(&self.promises).unwrap_or_default();
        text.lines().last().filter(|l| l.starts_with("END")).map(str::to_owned)
    }
}

#[test]
#[ignore = "a process that other tests start: one that may be killed"]
fn child() {
    let Ok(orders) = std::env::var(ORDERS) else { return };
    let orders: Orders = serde_json::from_str(&orders).unwrap();
    let mut promises = OpenOptions::new().append(true).create(true).open(&orders.promises).unwrap();
    let mut null = File::create("/dev/null").unwrap();
    (0..WARM_UP).for_each(|_| null.write_all(b"x").unwrap());
    let last = match work(&orders, &mut promises) {
        Ok(()) => "END well".to_owned(),
        Err(error) => format!("END {:?}: {error}", error.remedy()),
    };
    promises.write_all(format!("{last}\n").as_bytes()).unwrap();
}

fn work(orders: &Orders, promises: &mut File) -> Result<(), StoreError> {
    let options = Options {
        synchronous: match orders.synchronous.as_str() {
            "normal" => Synchronous::Normal,
            "off" => Synchronous::Off,
            _ => Synchronous::Full,
        },
        // Small enough that the log is moved into the file many times.
        checkpoint_bytes: 96 << 10,
        reserve_bytes: orders.reserve_bytes,
        ..options()
    };
    let mut journal = match orders.open {
        true => Journal::open(&orders.dir, &options)?.0,
        false => Journal::create(&orders.dir, &meta(), &options)?,
    };
    let mut promise = |line: String| promises.write_all(line.as_bytes()).unwrap();
    let first = journal.next_turn();
    for turn in first..first + orders.turns {
        let done = begin(&mut journal, turn, FULL).and_then(|hash| {
            promise(format!("ACT {turn}\n"));
            let ack = finish(&mut journal, turn, hash, FULL)?;
            promise(format!("ACK {}\n", ack.through()));
            if turn % 3 == 0 { journal.idle() } else { Ok(()) }
        });
        if let Err(error) = done {
            if error.remedy() == Remedy::StopRun {
                stays_failed(&mut journal);
            }
            return Err(error);
        }
    }
    journal.close()
}

/// A failed store never works again, whatever is asked of it.
fn stays_failed(journal: &mut Journal) {
    let turn = journal.next_turn();
    let (act, hash) = action(turn);
    let record = record(turn, FrameHash([0; 32]), Outcome::Ambiguous);
    let failed = [
        journal.flush().map(|_| ()),
        journal.idle(),
        journal.intent(turn, 0, &act, &hash),
        journal.acted(turn, 0, &Outcome::Ambiguous),
        journal.commit(&record).map(|_| ()),
    ];
    assert!(failed.iter().all(|f| matches!(f, Err(StoreError::Failed { .. }))), "{failed:?}");
}

/// Runs the child under strace with these arguments.
pub(crate) fn traced(orders: &Orders, strace: &[&str], log: &Path) -> ExitStatus {
    let mut command = Command::new("strace");
    command.arg("-f").arg("-o").arg(log).args(strace).arg("--").arg(std::env::current_exe().unwrap());
    command
        .args(["--exact", "child::child", "--ignored", "--test-threads=2"])
        .env(ORDERS, serde_json::to_string(orders).unwrap())
        .env("RUST_BACKTRACE", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
}

/// Opens the folder as an engine after the fault would, and checks every promise. What is wrong, in words.
pub(crate) fn check_promises(dir: &Path, acts: &[u64], acks: &[u64]) -> Result<(), String> {
    let (journal, report) = Journal::open(dir, &options()).map_err(|e| format!("cannot be opened: {e}"))?;
    drop(journal);
    // Rows of a transaction that was cut off in its sync may be gone. Whether a promise was among them is checked below.
    if !(report.is_sound() || report.torn_end) || report.beyond.iter().any(|b| b.proves_loss) {
        return Err(format!("damaged: {report:?}"));
    }
    let mut reader = Reader::open(dir).map_err(|e| format!("cannot be read: {e}"))?;
    if !reader.report().is_sound() {
        return Err(format!("unsound after an opening: {:?}", reader.report()));
    }
    let turns = reader.turns();
    if let Some(lost) = acks.iter().find(|t| !turns.contains(t)) {
        return Err(format!("turn {lost} was acknowledged and is lost; there are {turns:?}"));
    }
    for turn in acts {
        let actions = reader.actions(*turn).map_err(|e| e.to_string())?;
        if actions.len() != 1 || actions[0].outcome.is_none() {
            return Err(format!("turn {turn} was acted on and says {actions:?}"));
        }
    }
    Ok(())
}

/// A typed error that ends a run, and not a wrong call.
pub(crate) fn ended_properly(last_word: &str) -> bool {
    [Remedy::FreeSpace, Remedy::StopRun].iter().any(|r| last_word.starts_with(&format!("END {r:?}")))
        || last_word == "END well"
}
