//! A file that holds space for the journal. When the disk is full it goes, and the turn can be finished (R25).

use crate::error::Result;
use crate::files;
use std::fs;
use std::path::{Path, PathBuf};

const NAME: &str = "reserve";

#[derive(Debug)]
pub(crate) struct Reserve {
    path: PathBuf,
    bytes: u64,
}

impl Reserve {
    /// Holds `bytes`, if the disk has them.
    pub(crate) fn new(dir: &Path, bytes: u64) -> Self {
        let reserve = Self { path: dir.join(NAME), bytes };
        reserve.refill();
        reserve
    }

    pub(crate) fn is_held(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|meta| meta.len() == self.bytes)
    }

    /// Gives the space back to the disk. False if there was none.
    pub(crate) fn release(&self) -> bool {
        self.is_held() && files::remove(&self.path).is_ok()
    }

    /// Takes the space again, if the disk has it and some to spare.
    pub(crate) fn refill(&self) {
        if self.bytes == 0 || self.is_held() {
            return;
        }
        let spare = files::free_bytes(&self.path);
        if spare.is_ok_and(|spare| spare < 2 * self.bytes) {
            return;
        }
        // Real bytes: a hole would hold nothing.
        if let Err(error) = files::write_whole(&self.path, &vec![0; self.bytes as usize]) {
            tracing::warn!(%error, "no space could be reserved for the journal");
        }
    }

    /// For the clean end of a run: nobody will need it.
    pub(crate) fn remove(&self) -> Result<()> {
        files::remove(&self.path)
    }
}
