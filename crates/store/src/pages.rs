//! The pages of a journal as SQLite would see them: those of the file, replaced by the newest ones of the log.
//!
//! Reads in pieces of 256 KiB, because a journal of many turns must not be held in memory. This module refuses to interpret.

use crate::held;
use crate::page::{PAGE, Page};
use crate::report::Damage;
use crate::wal::{self, Scan};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

pub(crate) const DB: &str = "run.db";
pub(crate) const WAL: &str = "run.db-wal";
pub(crate) const SHM: &str = "run.db-shm";

const PIECE: usize = 64 * PAGE;

pub(crate) struct Pages {
    dir: PathBuf,
    /// `None` only while dropped.
    db: Option<File>,
    db_len: u64,
    log: Vec<u8>,
    pub(crate) scan: Scan,
    piece: Vec<u8>,
    piece_at: u64,
}

impl Pages {
    pub(crate) fn new(dir: &Path, db: File, log: Vec<u8>) -> io::Result<Self> {
        let db_len = db.metadata()?.len();
        let scan = wal::scan(&log);
        Ok(Self { dir: dir.to_owned(), db: Some(db), db_len, log, scan, piece: Vec::new(), piece_at: 0 })
    }

    fn seek(&mut self, to: u64) -> io::Result<&File> {
        let Some(db) = &mut self.db else { return Err(io::ErrorKind::NotFound.into()) };
        db.seek(SeekFrom::Start(to))?;
        Ok(db)
    }

    /// Pages of the database: what the newest transaction of the log says, else the length of the file.
    pub(crate) fn count(&self) -> u32 {
        self.scan.pages.unwrap_or_else(|| u32::try_from(self.db_len / PAGE as u64).unwrap_or(u32::MAX))
    }

    /// True if the file itself says how large the database is, because the log adds nothing.
    pub(crate) fn file_is_all(&self) -> bool {
        self.scan.pages.is_none()
    }

    /// The first bytes of the file, 16 at most.
    pub(crate) fn start(&mut self) -> Vec<u8> {
        let mut start = Vec::new();
        // What cannot be read is not there.
        let _ = self.seek(0).and_then(|db| db.take(16).read_to_end(&mut start));
        start
    }

    pub(crate) const fn db_len(&self) -> u64 {
        self.db_len
    }

    /// Copies page `number` (from 1) into `page`.
    pub(crate) fn read(&mut self, number: u32, page: &mut Page) -> Result<(), &'static str> {
        if let Some(frame) = self.scan.newest.get(&number) {
            let from = wal::page_offset(*frame);
            page.copy_from_slice(&self.log[from..from + PAGE]);
            return Ok(());
        }
        self.read_file(number, page)
    }

    /// The file's own image of a page, which the log may have replaced.
    pub(crate) fn read_file(&mut self, number: u32, page: &mut Page) -> Result<(), &'static str> {
        let Some(before) = number.checked_sub(1) else { return Err("there is no page 0") };
        let at = u64::from(before) * PAGE as u64;
        if at + PAGE as u64 > self.db_len {
            return Err("the file ends before this page");
        }
        let held = self.piece_at..self.piece_at + self.piece.len() as u64;
        if !(held.contains(&at) && held.end >= at + PAGE as u64) {
            self.piece_at = at / PIECE as u64 * PIECE as u64;
            self.piece.clear();
            let mut piece = std::mem::take(&mut self.piece);
            let read = self.seek(self.piece_at).and_then(|db| db.take(PIECE as u64).read_to_end(&mut piece));
            self.piece = piece;
            if read.is_err() || self.piece_at + (self.piece.len() as u64) < at + PAGE as u64 {
                return self.read_alone(at, page);
            }
        }
        let from = (at - self.piece_at) as usize;
        page.copy_from_slice(&self.piece[from..from + PAGE]);
        Ok(())
    }

    /// One page by itself, so that a bad sector costs one page and not a piece.
    fn read_alone(&mut self, at: u64, page: &mut Page) -> Result<(), &'static str> {
        self.piece.clear();
        let read = self.seek(at).and_then(|mut db| db.read_exact(page));
        read.map_err(|_| "the disk does not give this page back")
    }

    /// Every page of the log, sound or not, newest first: frame, page number, page. For salvage.
    pub(crate) fn log_images(&self) -> impl Iterator<Item = (usize, u32, &[u8])> {
        wal::frames(&self.log).rev()
    }

    /// The name and offset of what a page was read from.
    pub(crate) fn damage(&self, number: u32, what: impl std::fmt::Display) -> Damage {
        let what = format!("page {number}: {what}");
        match self.scan.newest.get(&number) {
            Some(frame) => Damage::new(WAL, wal::page_offset(*frame) as u64, what),
            None => Damage::new(DB, u64::from(number.saturating_sub(1)) * PAGE as u64, what),
        }
    }

    /// What the scan of the log found, as damage.
    pub(crate) fn log_damage(&self) -> Vec<Damage> {
        let mut damage: Vec<Damage> =
            self.scan.bad_header.iter().map(|why| Damage::new(WAL, 0, *why)).collect();
        let offset = |index: usize| (wal::HEADER + index * wal::FRAME) as u64;
        let tail = if self.scan.bad.is_empty() { "" } else { "; SQLite would drop it and all that follows" };
        damage.extend(self.scan.bad.iter().map(|bad| {
            Damage::new(WAL, offset(bad.index), format!("frame {}: {}{tail}", bad.index, bad.why))
        }));
        damage
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if let Some(db) = self.db.take() {
            held::let_go(&self.dir, db);
        }
    }
}
