//! What can go wrong with a run folder, typed by who must act.
//!
//! Every text names the file, what was being done and what helps. Nothing here is a guess about the disk: after a failed
//! sync the store is [`StoreError::Failed`] for good, because the kernel may have dropped the pages (R26).

use std::io;
use std::path::{Path, PathBuf};

/// Who can do something about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// The caller may call again once there is space; nothing was made durable and nothing is lost.
    FreeSpace,
    /// The run must end: the disk can no longer be trusted. Opening the folder again reads what is on the disk.
    StopRun,
    /// The person named the wrong folder, or another program has it.
    Person,
    /// The engine called in the wrong order.
    Engine,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{} holds no run (no run.db): name a run folder, see `handsight runs list`", dir.display())]
    NoRun { dir: PathBuf },
    #[error("{} already holds a run: resume it with --resume, or choose another --out", dir.display())]
    RunExists { dir: PathBuf },
    #[error("{} is in use by the engine with pid {}: stop it first, or choose another --out", dir.display(), pid_text(*pid))]
    InUse { dir: PathBuf, pid: Option<u32> },
    #[error("{} is not a handsight journal: {why}. It was left as it is", path.display())]
    Foreign { path: PathBuf, why: String },
    #[error("{} was written by a newer handsight (schema {found}, this one knows {known}): use that one", path.display())]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[error("nothing in {} can be read any more ({why}); the originals are in {}", path.display(), set_aside.display())]
    Unreadable { path: PathBuf, why: String, set_aside: PathBuf },
    #[error("this binary carries SQLite {found}, which may lose data; at least 3.51.3 is needed: rebuild it")]
    SqliteTooOld { found: &'static str },
    #[error("no space left at {} while {doing}: free some", path.display())]
    DiskFull { path: PathBuf, doing: &'static str },
    #[error("{doing} {} failed: {source}{}", path.display(), hint(source))]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("the journal {} failed while {doing}: {why}. Nothing more is recorded; check the disk, then resume the run", path.display())]
    Failed { path: PathBuf, doing: &'static str, why: String },
    #[error(
        "the record of what models cost, {}, failed while {doing}: {why}. If it is damaged, move it away: a new one is begun, and what was spent is forgotten", path.display()
    )]
    Ledger { path: PathBuf, doing: &'static str, why: String },
    #[error("{} cannot be read further: {why}", path.display())]
    Unread { path: PathBuf, why: String },
    #[error("turn {turn}: {what}")]
    Order { turn: u64, what: String },
}

fn pid_text(pid: Option<u32>) -> String {
    pid.map_or_else(|| "(unknown)".to_owned(), |p| p.to_string())
}

/// True if another folder would do.
fn is_a_bad_place(error: &io::Error) -> bool {
    use io::ErrorKind;
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::NotADirectory
            // What Windows says where a file stands in for a folder.
            | ErrorKind::AlreadyExists
            | ErrorKind::NotFound
    )
}

fn hint(error: &io::Error) -> &'static str {
    if is_a_bad_place(error) { "; choose a folder that can be written, with --out" } else { "" }
}

impl StoreError {
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::DiskFull { .. } => Remedy::FreeSpace,
            Self::Io { source, .. } if is_a_bad_place(source) => Remedy::Person,
            Self::Failed { .. } | Self::Io { .. } => Remedy::StopRun,
            Self::Unread { .. }
            | Self::Ledger { .. }
            | Self::NoRun { .. }
            | Self::RunExists { .. }
            | Self::InUse { .. }
            | Self::Foreign { .. }
            | Self::Newer { .. }
            | Self::Unreadable { .. } => Remedy::Person,
            Self::SqliteTooOld { .. } | Self::Order { .. } => Remedy::Engine,
        }
    }

    /// A failed file operation; a full disk is told apart, because it may pass.
    pub(crate) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        if is_full(&source) { Self::DiskFull { path, doing } } else { Self::Io { doing, path, source } }
    }

    /// A failed SQLite call.
    pub(crate) fn sqlite(doing: &'static str, path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ffi;
        let path = path.to_owned();
        let full = error.sqlite_error().is_some_and(|e| {
            e.code == rusqlite::ErrorCode::DiskFull || e.extended_code == ffi::SQLITE_IOERR_SHMSIZE
        });
        if full {
            Self::DiskFull { path, doing }
        } else {
            Self::Failed { path, doing, why: error.to_string() }
        }
    }
}

/// True for a full disk or a used-up quota of the file system.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

pub(crate) type Result<T> = std::result::Result<T, StoreError>;
