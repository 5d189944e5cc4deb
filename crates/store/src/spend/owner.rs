//! Which process an open call belongs to, and whether that one lives.
//!
//! A process holds a file locked for as long as it lives; the kernel lets go of it with the process, however that ends. Nothing
//! here goes by a process number, which may belong to another by then.

use crate::files;
use rusqlite::{Connection, Transaction};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const FOLDER: &str = "spend.open";

pub(super) struct Owner {
    pub(super) id: i64,
    folder: PathBuf,
    lock: String,
    _file: File,
}

pub(super) enum NotOurs {
    File(PathBuf, io::Error),
    Row(rusqlite::Error),
}

impl Owner {
    /// The lock is held before anybody can read of it.
    pub(super) fn new(dir: &Path, db: &Connection) -> Result<Self, NotOurs> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let folder = dir.join(FOLDER);
        files::make_dir(&folder)
            .map_err(|e| NotOurs::File(folder.clone(), io::Error::other(e.to_string())))?;
        loop {
            let lock = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let path = folder.join(&lock);
            let made = files::private().create(false).create_new(true).open(&path);
            let file = match made {
                // Of an earlier process with this number: it is swept with its calls.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(NotOurs::File(path, e)),
                Ok(file) => file,
            };
            file.lock().map_err(|e| NotOurs::File(path, e))?;
            db.execute("INSERT INTO owner (lock) VALUES (?1)", [&lock]).map_err(NotOurs::Row)?;
            return Ok(Self { id: db.last_insert_rowid(), folder, lock, _file: file });
        }
    }

    fn lives(&self, lock: &str) -> bool {
        match File::open(self.folder.join(lock)) {
            // Shared, so that two who ask at once do not take each other for the owner.
            Ok(file) => !matches!(file.try_lock_shared(), Ok(())),
            Err(e) => e.kind() != io::ErrorKind::NotFound,
        }
    }
}

/// Charges the open calls of dead processes at their most; how many there were.
pub(super) fn sweep(t: &Transaction<'_>, me: &Owner) -> rusqlite::Result<usize> {
    let others: Vec<(i64, String)> = {
        let mut query = t.prepare_cached("SELECT id, lock FROM owner WHERE id <> ?1")?;
        let rows = query.query_map([me.id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let mut charged = 0;
    for (id, lock) in others.into_iter().filter(|(_, lock)| !me.lives(lock)) {
        charged += t.execute(
            "UPDATE call SET state = 'assumed', owner = NULL WHERE owner = ?1 AND state = 'open'",
            [id],
        )?;
        t.execute("DELETE FROM owner WHERE id = ?1", [id])?;
        // Nobody looks for it any more.
        let _left = fs::remove_file(me.folder.join(lock));
    }
    Ok(charged)
}

/// Takes the owner away. Calls it leaves open stay charged at their most.
pub(super) fn leave(t: &Transaction<'_>, me: &Owner) -> rusqlite::Result<()> {
    t.execute(
        "UPDATE call SET state = 'assumed', owner = NULL WHERE owner = ?1 AND state = 'open'",
        [me.id],
    )?;
    t.execute("DELETE FROM owner WHERE id = ?1", [me.id])?;
    let _left = fs::remove_file(me.folder.join(&me.lock));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_lives_as_long_as_its_lock_is_held() {
        let dir = tempfile::tempdir().unwrap();
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch("CREATE TABLE owner (id INTEGER PRIMARY KEY, lock TEXT)").unwrap();
        let [a, b] = [(); 2].map(|()| Owner::new(dir.path(), &db).unwrap_or_else(|_| panic!("an owner")));
        let lock = b.lock.clone();
        assert!(a.lives(&lock) && a.lives(&a.lock));
        drop(b);
        assert!(!a.lives(&lock), "its file is still there");
        assert!(!a.lives("never-there"));
    }
}
