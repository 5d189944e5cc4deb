//! The pipes between engine and supervisor, and the start of the process at the other end.
//!
//! Two socket pairs, closed on exec: commands and replies over one, pulses over the other, so that a beat never waits
//! behind a batch. The child gets its ends as standard input and output, because those are the two that a new process
//! gets by number; it prints nothing.

use handsight_base::port::desktop::Pulse;
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The engine's ends.
#[derive(Debug)]
pub(super) struct Link {
    pub commands: UnixStream,
    pub pulse: PulseLine,
    pub child: Child,
}

/// Makes the folder for the owner's eyes only, because the files in it tell which keys were pressed; returns its absolute
/// path, because the supervisor works elsewhere.
pub(super) fn private_folder(folder: &Path) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    std::path::absolute(folder)
}

/// Starts the supervisor, at the root of the file system and silent: it may outlive the engine, and whoever waits for the
/// engine's last output must not wait for it too.
pub(super) fn start(command: &[OsString], withheld: &[String]) -> io::Result<Link> {
    let (program, args) =
        command.split_first().ok_or_else(|| io::Error::other("no command for the hands"))?;
    let (commands, their_commands) = UnixStream::pair()?;
    let (pulse, their_pulse) = UnixStream::pair()?;
    pulse.set_nonblocking(true)?;
    let mut command = Command::new(program);
    for name in withheld {
        command.env_remove(name);
    }
    let child = command
        .args(args)
        .current_dir("/")
        .stderr(Stdio::null())
        .stdin(Stdio::from(OwnedFd::from(their_commands)))
        .stdout(Stdio::from(OwnedFd::from(their_pulse)))
        .spawn()?;
    Ok(Link { commands, pulse: PulseLine { line: pulse }, child })
}

/// The beat of the engine's turn.
#[derive(Debug)]
pub(super) struct PulseLine {
    line: UnixStream,
}

impl PulseLine {
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { line: self.line.try_clone()? })
    }
}

impl Pulse for PulseLine {
    fn beat(&self) {
        // A full line has beats in it already; a broken one is noticed by the next batch.
        let _beat = (&self.line).write(&[1]);
    }
}
