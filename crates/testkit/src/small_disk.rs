//! A disk that really fills up: a small tmpfs of the test's own.

#![expect(clippy::print_stderr, reason = "a skipped test must say so where the person looks")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A mounted tmpfs; unmounted when dropped.
#[derive(Debug)]
pub struct SmallDisk {
    dir: PathBuf,
    filler: PathBuf,
    _above: tempfile::TempDir,
}

impl SmallDisk {
    /// `None`, with a line that says so, where mounting is not allowed.
    pub fn new(megabytes: u32) -> Option<Self> {
        let above = tempfile::tempdir().expect("a folder to mount in");
        let dir = above.path().join("small");
        std::fs::create_dir(&dir).expect("a folder to mount on");
        let size = format!("size={megabytes}m");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "none"]).arg(&dir).output();
        if mounted.is_ok_and(|m| m.status.success()) {
            return Some(Self { filler: dir.join("filler"), dir, _above: above });
        }
        let thread = std::thread::current();
        eprintln!("SKIPPED {}: needs root to mount a tmpfs", thread.name().unwrap_or("a test"));
        None
    }

    /// Where it is mounted.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Takes all the space that is left, to the last block.
    pub fn fill(&self) {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(&self.filler);
        let mut file = file.expect("a file to fill the disk with");
        while file.write_all(&[1; 4096]).is_ok() {}
    }

    /// Gives back all that was taken.
    pub fn empty(&self) {
        std::fs::remove_file(&self.filler).expect("the disk was filled");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a program that is about to end may still hold a file.
        let _gone_with_the_machine = Command::new("umount").arg("-l").arg(&self.dir).status();
    }
}
