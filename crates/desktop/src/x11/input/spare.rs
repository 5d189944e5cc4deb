//! Keycodes that carry no symbol and are borrowed to type what the layout lacks.
//!
//! There are few (19 on Xvfb), so they rotate, the least recently used first. Which ones are borrowed, and for what, also
//! stands in a file: if the hands are killed, their next life gives them back. This file decides; the server is told by
//! `input.rs`.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Borrowed {
    pub code: u8,
    pub symbol: u32,
    pub last_used: Duration,
}

/// What has to be done before symbols are there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Give these keycodes these symbols; the ones before are no longer needed.
    Map(Vec<(u8, u32)>),
    /// Programs may not have read keys yet that the chosen keycodes typed.
    Drain,
    /// Nothing is free.
    Full,
}

#[derive(Debug)]
pub(crate) struct Spares {
    file: PathBuf,
    borrowed: Vec<Borrowed>,
    /// Everything pressed before this was read by its program.
    drained: Duration,
}

impl Spares {
    /// Returns what an earlier life left borrowed too.
    pub(crate) fn open(file: PathBuf) -> (Self, Vec<(u8, u32)>) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let pair = |line: &str| {
            let (code, symbol) = line.split_once(' ')?;
            Some((code.parse().ok()?, symbol.parse().ok()?))
        };
        let left = text.lines().filter_map(pair).collect();
        (Self { file, borrowed: Vec::new(), drained: Duration::ZERO }, left)
    }

    pub(crate) fn borrowed(&self) -> &[Borrowed] {
        &self.borrowed
    }

    pub(crate) fn codes(&self) -> Vec<u8> {
        self.borrowed.iter().map(|b| b.code).collect()
    }

    /// The keycode that types `symbol` now.
    pub(crate) fn code_of(&self, symbol: u32) -> Option<u8> {
        self.borrowed.iter().find(|b| b.symbol == symbol).map(|b| b.code)
    }

    /// Notes that a key was pressed; true if it is borrowed.
    pub(crate) fn used(&mut self, code: u32, now: Duration) -> bool {
        let borrowed = self.borrowed.iter_mut().find(|b| u32::from(b.code) == code);
        borrowed.map(|b| b.last_used = now).is_some()
    }

    /// When a borrowed key was pressed last.
    pub(crate) fn last_used(&self) -> Option<Duration> {
        self.borrowed.iter().map(|b| b.last_used).max()
    }

    /// Programs have read everything pressed up to `now`.
    pub(crate) fn drained(&mut self, now: Duration) {
        self.drained = now;
    }

    /// True if no program can still have to read a borrowed key.
    pub(crate) fn is_drained(&self) -> bool {
        self.last_used().is_none_or(|last| last < self.drained)
    }

    /// How to get keycodes for `wanted` (in the order of need, without those that are there), out of the `empty` ones.
    /// `kept` symbols are needed soon, `down` keycodes are pressed: neither is taken.
    pub(crate) fn plan(&self, wanted: &[u32], kept: &HashSet<u32>, down: &[u32], empty: &[u8]) -> Plan {
        let mine = self.codes();
        let mut free: Vec<u8> = empty.iter().copied().filter(|c| !mine.contains(c)).collect();
        free.reverse();
        let mut victims: Vec<&Borrowed> = self.borrowed.iter().collect();
        victims.retain(|b| !kept.contains(&b.symbol) && !down.contains(&u32::from(b.code)));
        victims.sort_by_key(|b| std::cmp::Reverse(b.last_used));
        let mut map = Vec::new();
        for symbol in wanted {
            if let Some(code) = free.pop() {
                map.push((code, *symbol));
                continue;
            }
            match victims.pop() {
                Some(victim) if victim.last_used >= self.drained => {
                    // With something new to type already, the drain can wait until that is typed.
                    return if map.is_empty() { Plan::Drain } else { Plan::Map(map) };
                }
                Some(victim) => map.push((victim.code, *symbol)),
                None => break,
            }
        }
        if map.is_empty() { Plan::Full } else { Plan::Map(map) }
    }

    /// Notes the new symbols. The file names them before the server hears of them.
    pub(crate) fn borrow(&mut self, map: &[(u8, u32)]) -> io::Result<()> {
        for (code, symbol) in map {
            self.borrowed.retain(|b| b.code != *code);
            self.borrowed.push(Borrowed { code: *code, symbol: *symbol, last_used: Duration::ZERO });
        }
        self.write()
    }

    /// Keeps only what `still` says is ours: a new layout took the others.
    pub(crate) fn retain(&mut self, still: impl Fn(&Borrowed) -> bool) -> io::Result<()> {
        let before = self.borrowed.len();
        self.borrowed.retain(still);
        if self.borrowed.len() == before { Ok(()) } else { self.write() }
    }

    fn write(&self) -> io::Result<()> {
        let lines: String = self.borrowed.iter().map(|b| format!("{} {}\n", b.code, b.symbol)).collect();
        fs::write(&self.file, lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn spares(folder: &tempfile::TempDir) -> Spares {
        Spares::open(folder.path().join("borrowed")).0
    }

    #[test]
    fn fresh_keycodes_first_then_the_least_recently_used_that_is_drained() {
        let folder = tempfile::tempdir().unwrap();
        let mut spares = spares(&folder);
        let none = HashSet::new();
        let Plan::Map(map) = spares.plan(&[100, 101, 102], &none, &[], &[8, 9]) else {
            panic!("two are free")
        };
        assert_eq!(map, [(8, 100), (9, 101)]);
        spares.borrow(&map).unwrap();
        assert!(spares.used(9, at(10)) && spares.used(8, at(20)) && !spares.used(7, at(21)));
        assert_eq!(spares.plan(&[102], &none, &[], &[8, 9]), Plan::Drain);
        assert!(!spares.is_drained());
        spares.drained(at(21));
        assert!(spares.is_drained());
        assert_eq!(spares.plan(&[102], &none, &[], &[8, 9]), Plan::Map(vec![(9, 102)]));
        assert_eq!(
            spares.plan(&[102], &none, &[9], &[]),
            Plan::Map(vec![(8, 102)]),
            "a key that is down stays"
        );
        let kept = HashSet::from([101]);
        assert_eq!(spares.plan(&[102], &kept, &[], &[]), Plan::Map(vec![(8, 102)]), "one needed soon stays");
        assert_eq!(spares.plan(&[102], &kept, &[8], &[]), Plan::Full);
    }

    #[test]
    fn the_next_life_learns_what_is_borrowed() {
        let folder = tempfile::tempdir().unwrap();
        let mut life = spares(&folder);
        life.borrow(&[(8, 0x0101_f600), (9, 0xe9)]).unwrap();
        assert_eq!((life.code_of(0xe9), life.code_of(0xea)), (Some(9), None));
        life.retain(|b| b.code != 9).unwrap();
        assert_eq!(Spares::open(folder.path().join("borrowed")).1, [(8, 0x0101_f600)]);
    }
}
