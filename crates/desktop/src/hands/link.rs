//! The pipes between engine and supervisor, and the start of the process at the other end.
//!
//! Two socket pairs, closed on exec: commands and replies over one, pulses over the other, so that a beat never waits
//! behind a batch. The child gets its ends as standard input and output, because those are the two that a new process
//! gets by number; it prints nothing.

use handsight_base::port::desktop::Pulse;
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

/// The engine's ends.
#[derive(Debug)]
pub(super) struct Link {
    pub commands: UnixStream,
    pub pulse: PulseLine,
    pub child: Child,
}

/// Starts the supervisor.
pub(super) fn start(command: &[OsString]) -> io::Result<Link> {
    let (program, args) =
        command.split_first().ok_or_else(|| io::Error::other("no command for the hands"))?;
    let (commands, their_commands) = UnixStream::pair()?;
    let (pulse, their_pulse) = UnixStream::pair()?;
    pulse.set_nonblocking(true)?;
    let child = Command::new(program)
        .args(args)
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
