//! What a journal uses besides its folder: a clock, and a disk that may be told to fail.
//!
//! A real run has the machine's clock and a disk that speaks for itself. A simulated one puts its own in their places, so that
//! what is written, and what goes wrong, follows from a seed (R42). This module refuses to undo anything: what a disk let pass is written.

use handsight_base::port::clock::{Clock, RealClock};
use rusqlite::ffi;
use std::fmt;
use std::io;
use std::sync::Arc;

/// One kind of write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskCall {
    /// Rows of the journal, up to their sync.
    Rows,
    Picture,
    /// A plain name for a picture, or a plain file.
    View,
    /// Lines of `session.jsonl`.
    Lines,
}

/// A disk that is asked before each write and hears when it is done.
pub trait Disk: Send + Sync {
    /// An error stands for what the disk would have answered; nothing is written then.
    fn before(&self, call: DiskCall) -> io::Result<()>;

    /// It is written; rows are synced.
    fn after(&self, call: DiskCall);
}

/// The surroundings of a journal.
#[derive(Clone)]
pub struct Outside {
    /// For the times in rows, and for batches.
    pub clock: Arc<dyn Clock>,
    /// `None`: the machine's own, which is not asked.
    pub disk: Option<Arc<dyn Disk>>,
}

impl Default for Outside {
    fn default() -> Self {
        Self { clock: Arc::new(RealClock::new()), disk: None }
    }
}

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Outside(simulated disk: {})", self.disk.is_some())
    }
}

impl Outside {
    pub(crate) fn before(&self, call: DiskCall) -> io::Result<()> {
        self.disk.as_ref().map_or(Ok(()), |disk| disk.before(call))
    }

    pub(crate) fn after(&self, call: DiskCall) {
        if let Some(disk) = &self.disk {
            disk.after(call);
        }
    }

    /// The same for rows, in SQLite's words, so that everything behind it is what a real error meets.
    pub(crate) fn before_rows(&self) -> rusqlite::Result<()> {
        self.before(DiskCall::Rows).map_err(|error| {
            let full = crate::error::is_full(&error);
            let code = if full { ffi::SQLITE_FULL } else { ffi::SQLITE_IOERR_FSYNC };
            rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some(error.to_string()))
        })
    }
}
