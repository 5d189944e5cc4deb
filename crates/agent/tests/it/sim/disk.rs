//! A disk that fills up, breaks or dies with the machine, at writes that a seed names; and files that change while nobody looks.
//!
//! It has lots of its own, because the journal writes on a thread of its own beside the model.

use super::state::Habits;
use handsight_store::{Disk as DiskPort, DiskCall};
use handsight_testkit::simulated::die;
use handsight_worlds::random::Random;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

struct State {
    dice: Random,
    full: u32,
    io: u32,
    pictures: u32,
    /// Nothing goes wrong before this.
    armed: bool,
    rows: u32,
    /// So many more writes of rows find no room.
    full_for: u32,
    dies: Option<(u32, bool)>,
    died: bool,
    /// It has failed for good; nothing may be promised any more.
    broken: bool,
    /// Something went wrong in this leg.
    troubled: bool,
    drawn: BTreeMap<&'static str, u64>,
}

pub(crate) struct Disk(Mutex<State>);

/// As long as it takes to be given up.
const FOR_EVER: u32 = 100_000;

impl Disk {
    pub(crate) fn new(seed: u64, habits: &Habits) -> Self {
        Self(Mutex::new(State {
            dice: Random::of(seed, "disk"),
            full: habits.full,
            io: habits.io,
            pictures: habits.pictures,
            armed: false,
            rows: 0,
            full_for: 0,
            dies: None,
            died: false,
            broken: false,
            troubled: false,
            drawn: BTreeMap::new(),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A leg begins, on a disk that is in order again. With `dies`, the engine dies at that write of rows.
    pub(crate) fn arm(&self, dies: Option<(u32, bool)>) {
        let mut state = self.state();
        (state.armed, state.rows, state.full_for, state.dies) = (true, 0, 0, dies);
        (state.died, state.broken, state.troubled) = (false, false, false);
    }

    pub(crate) fn disarm(&self) {
        let mut state = self.state();
        (state.armed, state.full_for) = (false, 0);
    }

    /// The engine died at a write; whoever runs beside it finds out here.
    pub(crate) fn died(&self) -> bool {
        self.state().died
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.state().broken
    }

    /// Rows met an error in this leg, so that it may end for want of storage.
    pub(crate) fn is_troubled(&self) -> bool {
        self.state().troubled
    }

    pub(crate) fn drawn(&self) -> BTreeMap<&'static str, u64> {
        self.state().drawn.clone()
    }
}

impl State {
    fn happens(&mut self, kind: &'static str) {
        *self.drawn.entry(kind).or_default() += 1;
    }

    fn die_if(&mut self, after: bool) -> bool {
        let dies = self.dies == Some((self.rows, after));
        if dies {
            self.died = true;
            self.happens(if after { "death after a write" } else { "death within a write" });
        }
        dies
    }
}

fn full() -> io::Error {
    io::ErrorKind::StorageFull.into()
}

fn broken() -> io::Error {
    io::Error::other("simulated input/output error")
}

impl DiskPort for Disk {
    fn before(&self, call: DiskCall) -> io::Result<()> {
        let mut state = self.state();
        if !state.armed {
            return Ok(());
        }
        match call {
            DiskCall::Rows => {
                state.rows += 1;
                if state.die_if(false) {
                    drop(state);
                    die();
                }
                let io = state.io;
                if state.broken || state.dice.chance(io) {
                    (state.broken, state.troubled) = (true, true);
                    state.happens("EIO");
                    return Err(broken());
                }
                let full = state.full;
                if state.full_for == 0 && state.dice.chance(full) {
                    state.troubled = true;
                    state.happens("ENOSPC");
                    state.full_for = match state.dice.below(6) {
                        0 | 1 => state.dice.range(1, 4) as u32,
                        2..=4 => state.dice.range(5, 60) as u32,
                        _ => FOR_EVER,
                    };
                }
            }
            DiskCall::Picture | DiskCall::View | DiskCall::Lines => {
                let often = state.pictures;
                if state.dice.chance(often) {
                    state.happens("a picture, view or line that cannot be written");
                    return Err(if state.dice.chance(50) { full() } else { broken() });
                }
                return Ok(());
            }
        }
        if state.full_for > 0 {
            state.full_for -= 1;
            return Err(full());
        }
        Ok(())
    }

    fn after(&self, call: DiskCall) {
        let mut state = self.state();
        if state.armed && call == DiskCall::Rows && state.die_if(true) {
            drop(state);
            die();
        }
    }
}

/// All files below a folder, in order.
pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// What can happen to a run folder between two runs without its journal being hurt; what was done.
pub(crate) fn tamper(dir: &Path, dice: &mut Random, after_death: bool) -> Vec<&'static str> {
    let mut done = Vec::new();
    for picture in files(&dir.join("frames")) {
        match dice.below(4) {
            0 if std::fs::remove_file(&picture).is_ok() => done.push("a picture is deleted"),
            1 => {
                let mut bytes = std::fs::read(&picture).unwrap_or_default();
                let at = dice.below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << dice.below(8);
                    // The name may be shared with a view: a new file, as a bad block would not be.
                    let _gone = std::fs::remove_file(&picture);
                    std::fs::write(&picture, bytes).unwrap();
                    done.push("a picture is flipped");
                }
            }
            _ => {}
        }
    }
    let append = |name: &str, bytes: &[u8]| {
        let path = dir.join(name);
        // Its first sector is written whole or not at all.
        if let Some(mut held) = std::fs::read(&path).ok().filter(|held| !held.is_empty()) {
            held.extend_from_slice(bytes);
            std::fs::write(&path, held).unwrap();
            return true;
        }
        false
    };
    if dice.chance(40) && append("session.jsonl", b"{\"turn\":99,\"at_unix") {
        done.push("a torn line");
    }
    if after_death && dice.chance(60) {
        let length = dice.range(1, 9_000) as usize;
        let torn: Vec<u8> = (0..length).map(|_| dice.below(256) as u8).collect();
        if append("run.db-wal", &torn) {
            done.push("a torn write at the end of the log");
        }
    }
    if dice.chance(30) {
        std::fs::write(dir.join("step099.png.part"), b"half a picture").unwrap();
        done.push("a file that was never finished");
    }
    done
}
