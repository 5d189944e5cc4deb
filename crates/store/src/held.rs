//! Keeps a descriptor of `run.db` open while the same process writes that journal.
//!
//! POSIX drops all locks a process holds on a file when it closes any descriptor of it. A reader that is dropped beside a
//! journal of the same process would take SQLite's locks with it, and another program that opens and closes the file could
//! then remove the log under the engine. Such descriptors are parked here until the journal is closed.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The folders this process writes, and the descriptors parked for each.
static WRITTEN: Mutex<Option<HashMap<PathBuf, Vec<File>>>> = Mutex::new(None);

fn written() -> MutexGuard<'static, Option<HashMap<PathBuf, Vec<File>>>> {
    WRITTEN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn key(dir: &Path) -> PathBuf {
    dir.canonicalize().unwrap_or_else(|_| dir.to_owned())
}

/// A folder that is written; drop it after the database is closed.
#[derive(Debug)]
pub(crate) struct Written(PathBuf);

impl Written {
    /// To be called before the database is opened.
    pub(crate) fn new(dir: &Path) -> Self {
        let dir = key(dir);
        written().get_or_insert_default().entry(dir.clone()).or_default();
        Self(dir)
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        let parked = written().get_or_insert_default().remove(&self.0);
        // Closed outside the lock.
        drop(parked);
    }
}

/// Closes a descriptor of the folder's journal, now or when it is harmless.
pub(crate) fn let_go(dir: &Path, file: File) {
    match written().get_or_insert_default().get_mut(&key(dir)) {
        Some(parked) => parked.push(file),
        None => drop(file),
    }
}
