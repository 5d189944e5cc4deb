//! Our own reading of SQLite's write-ahead log, before SQLite sees it.
//!
//! SQLite stops at the first frame with a bad checksum and forgets what follows without a word: right after a power cut, and
//! a silent loss after a flipped bit. This module tells the two apart and refuses to decide what to do about it.
//!
//! A log is a 32-byte header and frames of a 24-byte header and one page. Each frame's checksum goes on from the one before,
//! and each carries the header's salts, which change whenever the log begins anew.

use crate::page::PAGE;
use std::collections::HashMap;

pub(crate) const HEADER: usize = 32;
pub(crate) const FRAME_HEADER: usize = 24;
pub(crate) const FRAME: usize = FRAME_HEADER + PAGE;

/// What is wrong with one frame that belongs to this log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadFrame {
    /// From 0.
    pub(crate) index: usize,
    pub(crate) why: &'static str,
}

#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Why the header is no header, if the log is not empty and its header is damaged.
    pub(crate) bad_header: Option<&'static str>,
    /// Frames up to the last whole transaction: what SQLite will read.
    pub(crate) committed: usize,
    /// The size of the database after that transaction, in pages.
    pub(crate) pages: Option<u32>,
    /// The newest frame of each page within `committed`.
    pub(crate) newest: HashMap<u32, usize>,
    pub(crate) bad: Vec<BadFrame>,
    /// True if frames of a later transaction follow the bad ones. A transaction begins only after the sync of the one
    /// before, so no power cut leaves this.
    pub(crate) bad_within: bool,
    /// Sound frames after `committed`: a transaction that was cut off before its last frame.
    pub(crate) unfinished: usize,
    /// Bytes at the end that are no frame of this log: of an earlier one, or never written.
    pub(crate) dead_bytes: usize,
}

/// A running pair of sums over pairs of 32-bit words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Running(u32, u32);

impl Running {
    fn over(mut self, bytes: &[u8], big_endian: bool) -> Self {
        let (pairs, _) = bytes.as_chunks::<8>();
        for pair in pairs {
            let [a, b, c, d, e, f, g, h] = *pair;
            let (x, y) = if big_endian {
                (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]))
            } else {
                (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
            };
            self.0 = self.0.wrapping_add(x).wrapping_add(self.1);
            self.1 = self.1.wrapping_add(y).wrapping_add(self.0);
        }
        self
    }

    fn stored(bytes: &[u8]) -> Self {
        Self(be32(bytes, 0), be32(bytes, 4))
    }
}

/// The big-endian word at `at`; 0 beyond the end.
pub(crate) fn be32(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_be_bytes(*b))
}

/// The pages of all whole frames, sound or not: index, page number as it stands there, page.
pub(crate) fn frames(log: &[u8]) -> impl DoubleEndedIterator<Item = (usize, u32, &[u8])> {
    log.get(HEADER..)
        .unwrap_or_default()
        .chunks_exact(FRAME)
        .enumerate()
        .map(|(i, f)| (i, be32(f, 0), &f[FRAME_HEADER..]))
}

/// Where the page of a frame begins in the file.
pub(crate) const fn page_offset(index: usize) -> usize {
    HEADER + index * FRAME + FRAME_HEADER
}

/// Reads a whole log.
pub(crate) fn scan(log: &[u8]) -> Scan {
    let mut found = Scan::default();
    if log.is_empty() {
        return found;
    }
    let Some(header) = log.first_chunk::<HEADER>() else {
        // SQLite writes and syncs the header before the first frame: nothing was in this log.
        found.dead_bytes = log.len();
        return found;
    };
    let magic = be32(header, 0);
    let big_endian = magic & 1 == 1;
    let seed = Running::default().over(&header[..24], big_endian);
    if let Some(why) = header_fault(header, magic, seed) {
        if header.iter().all(|b| *b == 0) && log.len() == HEADER {
            found.dead_bytes = log.len();
        } else {
            found.bad_header = Some(why);
        }
        return found;
    }
    follow(log, header, seed, big_endian, &mut found);
    found.dead_bytes += (log.len() - HEADER) % FRAME;
    found
}

fn header_fault(header: &[u8; HEADER], magic: u32, seed: Running) -> Option<&'static str> {
    if magic & !1 != 0x377f_0682 {
        Some("the log does not begin as one")
    } else if seed != Running::stored(&header[24..]) {
        Some("the checksum of the log's header is wrong")
    } else if be32(header, 4) != 3_007_000 {
        Some("the log has an unknown format")
    } else if be32(header, 8) != PAGE as u32 {
        Some("the log has another page size")
    } else {
        None
    }
}

/// Follows the chain of checksums frame by frame.
fn follow(log: &[u8], header: &[u8; HEADER], seed: Running, big_endian: bool, found: &mut Scan) {
    let salts = &header[16..24];
    let mut running = seed;
    // Behind a bad frame the chain goes on from what that frame says, or from what it should have said.
    let mut other = None;
    let mut broken = false;
    // The frame before is of this log.
    let mut anchored = true;
    // A transaction ended at or behind the first bad frame.
    let mut ended = false;
    // Sound frames since the last whole transaction.
    let mut pending: Vec<(u32, usize)> = Vec::new();
    for (index, frame) in log[HEADER..].chunks_exact(FRAME).enumerate() {
        let sum_from =
            |start: Running| start.over(&frame[..8], big_endian).over(&frame[FRAME_HEADER..], big_endian);
        let stored = Running::stored(&frame[16..]);
        let own_salts = frame[8..16] == *salts;
        let computed = sum_from(running);
        // Frames of an earlier log go on from each other too; only what goes on from a frame of this one counts.
        let chained =
            anchored && (computed == stored || other.is_some_and(|start| sum_from(start) == stored));
        if !broken && own_salts && chained {
            let number = be32(frame, 0);
            let size = be32(frame, 4);
            running = stored;
            pending.push((number, index));
            if size != 0 {
                found.newest.extend(pending.drain(..));
                found.committed = index + 1;
                found.pages = Some(size);
            }
            continue;
        }
        broken = true;
        other = (!chained).then_some(computed);
        running = stored;
        match (own_salts, chained) {
            (true, true) => {}
            (true, false) => {
                found.bad.push(BadFrame { index, why: "its checksum or the frame before is wrong" })
            }
            (false, true) => found.bad.push(BadFrame { index, why: "its salts are damaged" }),
            (false, false) => {
                found.dead_bytes += FRAME;
                anchored = false;
                continue;
            }
        }
        anchored = true;
        found.dead_bytes = 0;
        found.bad_within |= ended;
        ended |= be32(frame, 4) != 0;
    }
    found.unfinished = pending.len();
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    /// A log of `n` transactions as SQLite writes it.
    fn log(n: usize) -> Vec<u8> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.db");
        let db = Connection::open(&path).unwrap();
        db.execute_batch("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(b)").unwrap();
        for i in 0..n {
            db.execute("INSERT INTO t VALUES(?1)", [vec![i as u8; 900]]).unwrap();
        }
        std::fs::read(dir.path().join("a.db-wal")).unwrap()
    }

    #[test]
    fn a_sound_log_is_followed_to_its_end() {
        let log = log(10);
        let found = scan(&log);
        assert!(found.bad.is_empty() && found.bad_header.is_none(), "{found:?}");
        assert_eq!(found.committed, frames(&log).count());
        assert_eq!((found.unfinished, found.dead_bytes), (0, 0));
        let newest = frames(&log).rfind(|(_, page, _)| *page == 2).unwrap().0;
        assert_eq!(found.newest[&2], newest);
    }

    #[test]
    fn a_flip_is_a_bad_frame_wherever_it_is() {
        let sound = log(6);
        for at in (0..sound.len()).step_by(3) {
            let mut log = sound.clone();
            log[at] ^= 0x10;
            let found = scan(&log);
            if at < HEADER {
                assert!(found.bad_header.is_some(), "byte {at}");
            } else {
                let index = (at - HEADER) / FRAME;
                assert_eq!(found.bad.first().map(|b| b.index), Some(index), "byte {at}");
                assert!(found.committed <= index);
            }
        }
    }

    #[test]
    fn a_cut_is_no_damage_but_an_unfinished_end() {
        let sound = log(6);
        for len in (0..sound.len()).step_by(7) {
            let found = scan(&sound[..len]);
            assert!(found.bad.is_empty() && found.bad_header.is_none(), "{len}: {found:?}");
            let whole = len.saturating_sub(HEADER) / FRAME;
            assert_eq!(found.committed + found.unfinished, whole, "{len}");
            let rest = if len < HEADER { len } else { (len - HEADER) % FRAME };
            assert_eq!(found.dead_bytes, rest);
        }
    }

    /// A log that began anew and had 0 to 3 frames synced over an older one.
    #[test]
    fn frames_of_an_earlier_log_are_dead() {
        let (old, new) = (log(12), log(3));
        for frames in 0..4 {
            let over = HEADER + frames * FRAME;
            let log = [&new[..over], &old[over..]].concat();
            let found = scan(&log);
            assert!(found.bad.is_empty(), "{frames}: {found:?}");
            assert_eq!(found.dead_bytes, old.len() - over);
            assert_eq!(found.committed + found.unfinished, frames);
        }
    }
}
