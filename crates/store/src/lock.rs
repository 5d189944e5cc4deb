//! One engine a run folder (R27).
//!
//! The lock is the kernel's (`flock`, `LockFileEx`), so the lock of a dead engine is gone with it; the pid stands in a file
//! of its own, because a locked file cannot be read on Windows. A reader takes no lock; it only asks whether an engine lives.

use crate::error::{Result, StoreError};
use crate::files;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

const LOCK: &str = "run.lock";
const PID: &str = "run.pid";

/// Held for as long as an engine has the folder.
pub(crate) struct RunLock {
    _file: File,
}

impl RunLock {
    /// [`StoreError::InUse`] with the pid if another engine has the folder.
    pub(crate) fn take(dir: &Path) -> Result<Self> {
        let path = dir.join(LOCK);
        let io = |e| StoreError::io("locking", &path, e);
        let file = files::private().read(true).truncate(false).open(&path).map_err(io)?;
        // A reader that asks whether an engine lives holds the lock for microseconds.
        let mut patience = 10;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if patience > 0 => {
                    patience -= 1;
                    pause();
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreError::InUse { dir: dir.to_owned(), pid: pid(dir) });
                }
                Err(TryLockError::Error(e)) => return Err(io(e)),
            }
        }
        let path = dir.join(PID);
        let written = files::private()
            .truncate(true)
            .open(&path)
            .and_then(|mut f| f.write_all(std::process::id().to_string().as_bytes()));
        // Without the number a second engine is still refused, only less helpfully.
        if let Err(error) = written {
            tracing::warn!(path = %path.display(), %error, "the pid could not be written down");
        }
        Ok(Self { _file: file })
    }

    /// Whether an engine has the folder now. A folder without a lock file has none.
    pub(crate) fn is_held(dir: &Path) -> bool {
        File::open(dir.join(LOCK))
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

fn pid(dir: &Path) -> Option<u32> {
    std::fs::read_to_string(dir.join(PID)).ok()?.trim().parse().ok()
}

#[expect(
    clippy::disallowed_methods,
    reason = "opening a run is no part of a turn, and its clock may be simulated"
)]
fn pause() {
    std::thread::sleep(Duration::from_millis(20));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_engine_is_refused_with_the_pid_and_the_lock_ends_with_its_holder() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!RunLock::is_held(dir.path()));
        let first = RunLock::take(dir.path()).unwrap();
        assert!(RunLock::is_held(dir.path()));
        match RunLock::take(dir.path()) {
            Err(StoreError::InUse { pid: Some(pid), .. }) => assert_eq!(pid, std::process::id()),
            other => panic!("not refused: {:?}", other.map(|_| ())),
        }
        drop(first);
        assert!(!RunLock::is_held(dir.path()));
        RunLock::take(dir.path()).unwrap();
    }
}
