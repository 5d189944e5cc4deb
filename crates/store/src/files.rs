//! Files and folders of a run: owner-only modes, atomic replacement, durable names.
//!
//! This module refuses to change the mode of a folder it did not make: `--out` may name any folder of the person.

use crate::error::{Result, StoreError};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Makes a folder, and those above it, readable by the owner only (S-98). An existing one is left as it is.
pub(crate) fn make_dir(path: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|e| StoreError::io("making the folder", path, e))
}

/// What the owner of this process may still write on the disk that holds `path`, or would hold it once it is made.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let path = std::path::absolute(path)?;
    fs4::available_space(path.ancestors().find(|p| p.exists()).unwrap_or(&path))
}

/// Options to make a file readable by the owner only.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes names made, renamed or removed in `dir` survive a power cut. Windows keeps them itself.
pub(crate) fn sync_dir(dir: &Path) -> Result<()> {
    if cfg!(unix) {
        let synced = File::open(dir).and_then(|d| d.sync_all());
        synced.map_err(|e| StoreError::io("syncing the folder", dir, e))?;
    }
    Ok(())
}

/// Writes beside the target and renames over it, so that a reader sees the old file or the new one and never a part.
/// Not synced: for files whose loss is bearable.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temp = temp_name(path);
    let written = private()
        .truncate(true)
        .open(&temp)
        .and_then(|mut f| f.write_all(bytes))
        .and_then(|()| fs::rename(&temp, path));
    if written.is_err() {
        // A half-written file would count against the quota; that it cannot be removed changes nothing.
        let _ = fs::remove_file(&temp);
    }
    written
}

/// The name a file has until it is whole; swept at the next opening.
fn temp_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(TEMP_SUFFIX);
    path.with_file_name(name)
}

pub(crate) const TEMP_SUFFIX: &str = ".part";

/// A second name for the same bytes; a copy where the file system has no hard links.
pub(crate) fn link(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        // FAT answers "not permitted".
        Err(e)
            if matches!(
                e.kind(),
                io::ErrorKind::Unsupported | io::ErrorKind::CrossesDevices | io::ErrorKind::PermissionDenied
            ) =>
        {
            fs::copy(from, to).map(|_| ())
        }
        other => other,
    }
}

/// Removes a file that may not be there.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(StoreError::io("removing", path, e)),
        _ => Ok(()),
    }
}

/// What a file of `len` bytes takes on a disk with blocks of 4 KiB.
pub(crate) const fn on_disk(len: u64) -> u64 {
    len.div_ceil(4096) * 4096
}
