//! The hands' process on Windows: how it is started, how it leaves its engine, and the lines between the two.
//!
//! The child inherits one handle, the reading end of its command pipe, as standard input; the list of what it inherits is
//! given to Windows by name, so neither the engine's own output nor a handle that leaked into the engine goes with it. The
//! pipe for its replies and the event that is the pulse are put into the child after its birth, and their numbers travel in
//! the first frame. Nothing of the engine's ends can be inherited, so no program it launches later keeps the pipe open.
//!
//! A pipe cannot be waited for together with other things, so a thread reads it and another writes. The pulse is an event,
//! because setting one never blocks.

mod event;
mod start;

use super::protocol::Frames;
use handsight_base::port::desktop::Pulse;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::windows::io::{AsHandle, BorrowedHandle};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use windows::Win32::Media::timeBeginPeriod;
use windows::Win32::System::Threading::SetProcessShutdownParameters;

pub(crate) use event::{Event, wait};

/// Something to wait on until it is signalled.
pub(crate) type Source<'a> = BorrowedHandle<'a>;

/// The numbers of the child's handles that it did not inherit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Address {
    replies: u64,
    pulse: u64,
}

/// The engine's ends.
#[derive(Debug)]
pub(super) struct Link {
    commands: Option<File>,
    replies: Option<File>,
    pulse: Event,
    address: Address,
    child: start::Child,
}

impl Link {
    /// Starts the supervisor, silent and without a window, outside the engine's job if that lets it go.
    pub(super) fn start(command: &[OsString], withheld: &[String]) -> io::Result<Self> {
        let (their_commands, commands) = start::pipe()?;
        let child = start::child(command, withheld, their_commands)?;
        if !child.is_free {
            tracing::warn!(
                "the job object this program runs in keeps its children: when it is closed, nobody releases held keys"
            );
        }
        let (replies, their_replies) = start::pipe()?;
        let pulse = Event::new()?;
        let address = Address {
            replies: child.give(their_replies)?,
            pulse: child.give(pulse.as_handle().try_clone_to_owned()?)?,
        };
        Ok(Self { commands: Some(commands.into()), replies: Some(replies.into()), pulse, address, child })
    }

    pub(super) const fn address(&self) -> Address {
        self.address
    }

    pub(super) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let mut commands = self.commands.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        commands.write_all(bytes)
    }

    /// What the child says; ends with it.
    pub(super) fn replies(&mut self) -> io::Result<impl Read + Send + 'static> {
        self.replies.take().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }

    pub(super) fn pulse(&self) -> io::Result<PulseLine> {
        Ok(PulseLine { event: self.pulse.try_clone()? })
    }

    /// Says that nothing more will come, which is the end of the engine as far as the child is concerned.
    pub(super) fn close(&mut self) {
        self.commands = None;
    }

    /// Waits for the child's end.
    pub(super) fn reap(&mut self) {
        wait(&[self.child.process.as_handle()], None);
    }

    pub(super) const fn pid(&self) -> u32 {
        self.child.pid
    }
}

/// The beat of the engine's turn.
#[derive(Debug)]
pub(super) struct PulseLine {
    event: Event,
}

impl Pulse for PulseLine {
    fn beat(&self) {
        self.event.set();
    }
}

/// Makes the folder and returns its absolute path, because the supervisor works elsewhere. It is the owner's own: whatever
/// lies in a person's profile is.
pub(super) fn private_folder(folder: &Path) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    std::path::absolute(folder)
}

/// What has come over the command pipe.
#[derive(Debug, Default)]
struct Inbox {
    bytes: Vec<u8>,
    ended: bool,
}

/// What is to go over the reply pipe.
#[derive(Debug, Default)]
struct Outbox {
    bytes: Vec<u8>,
    /// Nothing more will come.
    ended: bool,
    /// The thread has written everything and gone.
    gone: bool,
}

/// The child's ends.
pub(super) struct Line {
    inbox: Arc<(Mutex<Inbox>, Event)>,
    outbox: Arc<(Mutex<Outbox>, Condvar)>,
    pulse: Option<Event>,
}

impl Line {
    /// Standard input as the command pipe. `None` if it is no pipe.
    pub(super) fn inherited() -> Option<Self> {
        let mut commands = start::standard_input()?;
        let inbox = Arc::new((Mutex::new(Inbox::default()), Event::new().ok()?));
        let shared = Arc::clone(&inbox);
        let reader = std::thread::Builder::new().name("commands".to_owned()).spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                // The end of the pipe is the end of the engine, and so is every error.
                let n = commands.read(&mut bytes).unwrap_or(0);
                let mut inbox = locked(&shared.0);
                inbox.bytes.extend_from_slice(&bytes[..n]);
                inbox.ended = n == 0;
                shared.1.set();
                if n == 0 {
                    return;
                }
            }
        });
        reader.ok()?;
        Some(Self { inbox, outbox: Arc::default(), pulse: None })
    }

    /// Waits for bytes for so long at most. False if the engine is gone.
    pub(super) fn read_within(&mut self, patience: Duration, frames: &mut Frames) -> io::Result<bool> {
        if !wait(&[self.inbox.1.source()], Some(patience)) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(self.read(frames))
    }

    /// Takes up the lines that the engine has put here.
    pub(super) fn open(&mut self, address: &Address) -> io::Result<()> {
        let mut replies = File::from(start::given(address.replies)?);
        self.pulse = Some(Event::from(start::given(address.pulse)?));
        let shared = Arc::clone(&self.outbox);
        std::thread::Builder::new().name("replies".to_owned()).spawn(move || {
            loop {
                let mut outbox = locked(&shared.0);
                while outbox.bytes.is_empty() && !outbox.ended {
                    outbox = shared.1.wait(outbox).unwrap_or_else(PoisonError::into_inner);
                }
                let bytes = std::mem::take(&mut outbox.bytes);
                if bytes.is_empty() {
                    // The pipe ends before those who wait for this are told.
                    drop(replies);
                    outbox.gone = true;
                    shared.1.notify_all();
                    return;
                }
                drop(outbox);
                // Nobody reads any more; reading notices that.
                let _written = replies.write_all(&bytes);
            }
        })?;
        Ok(())
    }

    /// Takes in everything that has come. False if the engine is gone.
    pub(super) fn read(&mut self, frames: &mut Frames) -> bool {
        let mut inbox = locked(&self.inbox.0);
        frames.push(&std::mem::take(&mut inbox.bytes));
        if !inbox.ended {
            self.inbox.1.reset();
        }
        !inbox.ended
    }

    /// Hands everything to the thread that writes.
    pub(super) fn write(&mut self, out: &mut Vec<u8>) {
        if !out.is_empty() {
            locked(&self.outbox.0).bytes.append(out);
            self.outbox.1.notify_all();
        }
    }

    /// True if there was a beat since the last time.
    pub(super) fn beats(&self) -> bool {
        self.pulse.as_ref().is_some_and(Event::take)
    }

    /// Waits until something came in on a line or one of the sources is signalled, or the time is over.
    pub(super) fn wait(&self, sources: &[Source<'_>], _write: bool, timeout: Option<Duration>) {
        let lines = [Some(self.inbox.1.source()), self.pulse.as_ref().map(Event::source)];
        let all: Vec<Source<'_>> = lines.into_iter().flatten().chain(sources.iter().copied()).collect();
        wait(&all, timeout);
    }

    /// Says the last words and leaves the engine alone, which may hang and not listen.
    pub(super) fn close(&mut self) {
        let mut outbox = locked(&self.outbox.0);
        outbox.ended = true;
        self.outbox.1.notify_all();
        if self.pulse.is_some() {
            let spoken = self.outbox.1.wait_timeout_while(outbox, LAST_WORDS, |outbox| !outbox.gone);
            drop(spoken);
        }
    }
}

/// For a reader to take the last words.
const LAST_WORDS: Duration = Duration::from_secs(1);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One end of a pair that wake each other.
#[derive(Debug)]
pub(crate) struct Bell {
    mine: Arc<Event>,
    theirs: Arc<Event>,
}

impl Bell {
    pub(crate) fn pair() -> io::Result<(Self, Self)> {
        let (one, other) = (Arc::new(Event::new()?), Arc::new(Event::new()?));
        Ok((Self { mine: Arc::clone(&one), theirs: Arc::clone(&other) }, Self { mine: other, theirs: one }))
    }

    /// Wakes the other end; so does dropping this one.
    pub(crate) fn ring(&self) {
        self.theirs.set();
    }

    pub(crate) fn hush(&self) {
        self.mine.reset();
    }

    pub(crate) fn source(&self) -> Source<'_> {
        self.mine.source()
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        self.ring();
    }
}

/// The process is in a group of its own and has no console, so no Ctrl-C, no closed window and no Ctrl-Break reaches it. When
/// the person logs off, Windows ends it after its engine.
#[expect(unsafe_code, reason = "calls of the Windows API")]
pub(super) fn detach() {
    /// Programs are ended from 0x280 downwards.
    const AFTER_OTHERS: u32 = 0x27f;
    // SAFETY: plain numbers. Either may be refused, which costs the order at a log-off or some milliseconds of a wait.
    unsafe {
        let _refused = SetProcessShutdownParameters(AFTER_OTHERS, 0);
        // Else a wait lasts up to 16 ms longer than asked.
        let _refused = timeBeginPeriod(1);
    }
}

/// Nothing to undo: whoever may end the process can.
pub(super) fn attend() {}
