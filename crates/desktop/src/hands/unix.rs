//! The hands' process on Unix: how it is started, how it leaves its engine, and the lines between the two.
//!
//! Two socket pairs, closed on exec: commands and replies over one, pulses over the other, so that a beat never waits
//! behind a batch. The child gets its ends as standard input and output, because those are the two that a new process
//! gets by number; it prints nothing.

use super::protocol::Frames;
use handsight_base::port::desktop::Pulse;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Something to wait on until it can be read.
pub(crate) type Source<'a> = BorrowedFd<'a>;

/// What the child has to be told about its lines: nothing, it has them from its birth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Address;

/// The engine's ends.
#[derive(Debug)]
pub(super) struct Link {
    commands: UnixStream,
    pulse: PulseLine,
    child: Child,
}

impl Link {
    /// Starts the supervisor, at the root of the file system and silent: it may outlive the engine, and whoever waits for
    /// the engine's last output must not wait for it too.
    pub(super) fn start(command: &[OsString], withheld: &[String]) -> io::Result<Self> {
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
        Ok(Self { commands, pulse: PulseLine { line: pulse }, child })
    }

    pub(super) const fn address(&self) -> Address {
        Address
    }

    pub(super) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        (&self.commands).write_all(bytes)
    }

    /// What the child says; ends with it.
    pub(super) fn replies(&mut self) -> io::Result<impl Read + Send + 'static> {
        self.commands.try_clone()
    }

    pub(super) fn pulse(&self) -> io::Result<PulseLine> {
        Ok(PulseLine { line: self.pulse.line.try_clone()? })
    }

    /// Says that nothing more will come, which is the end of the engine as far as the child is concerned.
    pub(super) fn close(&mut self) {
        let _closed = self.commands.shutdown(Shutdown::Write);
    }

    /// Waits for the child's end.
    pub(super) fn reap(&mut self) {
        let _reaped = self.child.wait();
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }
}

/// The beat of the engine's turn.
#[derive(Debug)]
pub(super) struct PulseLine {
    line: UnixStream,
}

impl Pulse for PulseLine {
    fn beat(&self) {
        // A full line has beats in it already; a broken one is noticed by the next batch.
        let _beat = (&self.line).write(&[1]);
    }
}

/// Makes the folder for the owner's eyes only, because the files in it tell which keys were pressed; returns its absolute
/// path, because the supervisor works elsewhere.
pub(super) fn private_folder(folder: &Path) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    std::path::absolute(folder)
}

/// The child's ends.
pub(super) struct Line {
    commands: UnixStream,
    pulses: UnixStream,
}

impl Line {
    /// Standard input and output as the two lines, under numbers that no later `exec` inherits.
    pub(super) fn inherited() -> Option<Self> {
        let socket = |fd: io::Result<OwnedFd>| {
            let stream = UnixStream::from(fd.ok()?);
            stream.local_addr().is_ok().then_some(stream)
        };
        Some(Self {
            commands: socket(io::stdin().as_fd().try_clone_to_owned())?,
            pulses: socket(io::stdout().as_fd().try_clone_to_owned())?,
        })
    }

    /// Waits for bytes for so long at most. False if the engine is gone.
    pub(super) fn read_within(&mut self, patience: Duration, frames: &mut Frames) -> io::Result<bool> {
        self.commands.set_read_timeout(Some(patience))?;
        let mut bytes = [0; 4096];
        let n = self.commands.read(&mut bytes)?;
        frames.push(&bytes[..n]);
        Ok(n > 0)
    }

    /// From here on, nothing waits on a line.
    pub(super) fn open(&mut self, _address: &Address) -> io::Result<()> {
        self.commands.set_nonblocking(true)?;
        self.pulses.set_nonblocking(true)
    }

    /// Takes in everything that has come. False if the engine is gone.
    pub(super) fn read(&mut self, frames: &mut Frames) -> bool {
        let mut bytes = [0; 4096];
        loop {
            match self.commands.read(&mut bytes) {
                Ok(0) => return false,
                Ok(n) => frames.push(&bytes[..n]),
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => return true,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
    }

    /// Writes as much as there is room for; the rest stays.
    pub(super) fn write(&mut self, out: &mut Vec<u8>) {
        while !out.is_empty() {
            match self.commands.write(out) {
                Ok(n) => drop(out.drain(..n)),
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => return,
                // Nobody reads any more; reading notices that.
                Err(_) => out.clear(),
            }
        }
    }

    /// Takes all beats off the line; true if there was any.
    pub(super) fn beats(&self) -> bool {
        let mut any = false;
        let mut bytes = [0; 64];
        while let Ok(1..) = (&self.pulses).read(&mut bytes) {
            any = true;
        }
        any
    }

    /// Waits until there is something to read on a line (or, if `write`, room for replies) or at one of the sources, or
    /// the time is over.
    pub(super) fn wait(&self, sources: &[Source<'_>], write: bool, timeout: Option<Duration>) {
        let commands = if write { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let mut polled =
            vec![PollFd::new(&self.commands, commands), PollFd::new(&self.pulses, PollFlags::IN)];
        polled.extend(sources.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)));
        rest(&mut polled, timeout);
    }

    /// Leaves the engine alone.
    pub(super) fn close(&mut self) {
        let _gone_already = self.commands.shutdown(Shutdown::Both);
    }
}

/// Waits until one of the sources can be read, or the time is over.
pub(crate) fn wait(sources: &[Source<'_>], timeout: Option<Duration>) {
    let mut polled: Vec<PollFd<'_>> =
        sources.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    rest(&mut polled, timeout);
}

fn rest(polled: &mut [PollFd<'_>], timeout: Option<Duration>) {
    let timeout = timeout.and_then(|t| Timespec::try_from(t).ok());
    // An interrupted wait is a short one.
    let _ready = poll(polled, timeout.as_ref());
}

/// One end of a pair that wake each other.
#[derive(Debug)]
pub(crate) struct Bell {
    line: UnixStream,
}

impl Bell {
    pub(crate) fn pair() -> io::Result<(Self, Self)> {
        let (one, other) = UnixStream::pair()?;
        for end in [&one, &other] {
            end.set_nonblocking(true)?;
        }
        Ok((Self { line: one }, Self { line: other }))
    }

    /// Wakes the other end; so does dropping this one.
    pub(crate) fn ring(&self) {
        let _rung_already = (&self.line).write(&[1]);
    }

    /// Takes all rings off the line.
    pub(crate) fn hush(&self) {
        let mut rung = [0; 16];
        while let Ok(1..) = (&self.line).read(&mut rung) {}
    }

    pub(crate) fn source(&self) -> Source<'_> {
        self.line.as_fd()
    }
}

/// The signals that ask for an end.
const ENDS: [libc::c_int; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];

/// Out of the engine's session, and deaf to signals that ask for an end: the end of the pipe is the only one.
pub(super) fn detach() {
    // Fails only for a group leader, which already is out of the engine's group.
    let _leader = rustix::process::setsid();
    listen(libc::SIG_IGN);
}

/// A person may end the process again.
pub(super) fn attend() {
    listen(libc::SIG_DFL);
}

fn listen(disposition: libc::sighandler_t) {
    for signal in ENDS {
        #[expect(
            unsafe_code,
            reason = "no safe call changes what a signal means; none of these runs code of ours"
        )]
        // SAFETY: SIG_IGN and SIG_DFL install no handler, and no other thread changes signal dispositions.
        unsafe {
            libc::signal(signal, disposition);
        }
    }
}
