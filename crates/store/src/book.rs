//! Which pictures and views a run folder holds, how much room they take, and which goes first.
//!
//! A picture and its views are several names of one file: the room is counted once and free when the last name is gone.
//! Names go oldest turn first, those of failed turns last, and never those of the newest turn. This module touches no disk.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Names that never go: `session.jsonl` while it is written to.
pub(crate) const FOREVER: u64 = u64::MAX;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Age {
    failed: bool,
    turn: u64,
    name: PathBuf,
}

#[derive(Debug)]
struct Entry {
    file: u64,
    turn: u64,
    failed: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Book {
    quota: u64,
    used: u64,
    newest_turn: u64,
    failed_turns: HashSet<u64>,
    /// Bytes and number of names of each file.
    files: HashMap<u64, (u64, u32)>,
    names: HashMap<PathBuf, Entry>,
    ages: BTreeSet<Age>,
}

impl Book {
    pub(crate) fn new(quota: u64, failed_turns: HashSet<u64>) -> Self {
        Self { quota, failed_turns, ..Self::default() }
    }

    pub(crate) const fn used(&self) -> u64 {
        self.used
    }

    pub(crate) const fn is_over(&self) -> bool {
        self.used > self.quota
    }

    /// Room that no name stands for, such as a folder.
    pub(crate) fn add_overhead(&mut self, bytes: u64) {
        self.used += bytes;
    }

    pub(crate) fn has(&self, name: &Path) -> bool {
        self.names.contains_key(name)
    }

    /// The file a name stands for.
    pub(crate) fn file(&self, name: &Path) -> Option<u64> {
        self.names.get(name).map(|e| e.file)
    }

    /// Adds a name of `file`, which takes `bytes`; a name there already is replaced.
    pub(crate) fn add(&mut self, name: &Path, file: u64, bytes: u64, turn: u64) {
        self.remove(name);
        let failed = self.failed_turns.contains(&turn);
        let (held, names) = self.files.entry(file).or_insert((0, 0));
        self.used = self.used - *held + bytes;
        *held = bytes;
        *names += 1;
        self.names.insert(name.to_owned(), Entry { file, turn, failed });
        if turn != FOREVER {
            self.newest_turn = self.newest_turn.max(turn);
            self.ages.insert(Age { failed, turn, name: name.to_owned() });
        }
    }

    /// The file grew.
    pub(crate) fn resize(&mut self, name: &Path, bytes: u64) {
        if let Some((held, _)) = self.names.get(name).and_then(|e| self.files.get_mut(&e.file)) {
            self.used = self.used - *held + bytes;
            *held = bytes;
        }
    }

    pub(crate) fn remove(&mut self, name: &Path) {
        let Some(Entry { file, turn, failed }) = self.names.remove(name) else { return };
        self.ages.remove(&Age { failed, turn, name: name.to_owned() });
        if let Some((bytes, names)) = self.files.get_mut(&file) {
            *names -= 1;
            if *names == 0 {
                self.used -= *bytes;
                self.files.remove(&file);
            }
        }
    }

    /// The name was used in this turn too.
    pub(crate) fn touch(&mut self, name: &Path, turn: u64) {
        if let Some(entry) = self.names.get_mut(name) {
            self.ages.remove(&Age { failed: entry.failed, turn: entry.turn, name: name.to_owned() });
            entry.turn = entry.turn.max(turn);
            self.newest_turn = self.newest_turn.max(turn);
            self.ages.insert(Age { failed: entry.failed, turn: entry.turn, name: name.to_owned() });
        }
    }

    /// The turn failed: its names go last.
    pub(crate) fn fail(&mut self, turn: u64) {
        self.failed_turns.insert(turn);
        let from = Age { failed: false, turn, name: PathBuf::new() };
        let to = Age { failed: false, turn: turn.saturating_add(1), name: PathBuf::new() };
        let of_turn: Vec<Age> = self.ages.range(from..to).cloned().collect();
        for age in of_turn {
            if let Some(entry) = self.names.get_mut(&age.name) {
                entry.failed = true;
            }
            self.ages.remove(&age);
            self.ages.insert(Age { failed: true, ..age });
        }
    }

    /// What goes next, if anything may. The caller removes it from the disk and from here.
    pub(crate) fn oldest(&self) -> Option<PathBuf> {
        self.ages.iter().find(|age| age.turn < self.newest_turn).map(|age| age.name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(book: &mut Book) -> Vec<String> {
        std::iter::from_fn(|| {
            let name = book.oldest()?;
            book.remove(&name);
            Some(name.display().to_string())
        })
        .collect()
    }

    #[test]
    fn the_oldest_goes_first_and_failures_last_and_the_newest_stays() {
        let mut book = Book::new(100, HashSet::new());
        for turn in 1..=5 {
            book.add(Path::new(&format!("f{turn}")), turn, 10, turn);
        }
        book.fail(2);
        book.add(Path::new("view2"), 2, 10, 2);
        book.touch(Path::new("f1"), 4);
        assert_eq!(order(&mut book), ["f3", "f1", "f4", "f2", "view2"]);
        assert_eq!(book.used(), 10);
    }

    #[test]
    fn two_names_of_one_file_take_its_room_once() {
        let mut book = Book::new(15, HashSet::new());
        book.add(Path::new("frame"), 1, 10, 1);
        book.add(Path::new("step001.png"), 1, 10, 1);
        book.add(Path::new("log"), 2, 3, FOREVER);
        assert_eq!(book.used(), 13);
        book.resize(Path::new("log"), 7);
        assert!(book.is_over());
        book.remove(Path::new("frame"));
        assert_eq!(book.used(), 17);
        book.remove(Path::new("step001.png"));
        assert_eq!(book.used(), 7);
        assert!(order(&mut book).is_empty());
    }
}
