//! The supervisor's process: it leaves the engine's session, ignores what would end it before its work is done, and waits
//! for whatever comes first of commands, pulses, the X server and the next deadline.

use super::held::Held;
use super::injector::Injector;
use super::protocol::{Command, Ended, Fault, Frames, Hello, Reply, frame};
use super::supervisor::{Limits, Supervisor};
use crate::x11::clipboard::keeper::{Keeper, Wish};
use crate::x11::input::X11Input;
use handsight_base::port::clock::{Clock, RealClock};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::any::Any;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

/// For the engine's first words.
const HELLO: Duration = Duration::from_secs(10);
/// For giving keycodes back after the engine's end.
const LEAVE: Duration = Duration::from_secs(2);

/// Runs the supervisor until its engine ends; for the hidden subcommand that [`HandsConfig::command`] names. Standard
/// input and output have to be the pipes that [`Hands::spawn`] made; `argv` is not read.
///
/// Returns the exit code: 0, 2 if no engine started it, 5 if there is no usable display.
///
/// [`HandsConfig::command`]: super::HandsConfig::command
/// [`Hands::spawn`]: super::Hands::spawn
pub fn supervise(_argv: &[OsString]) -> i32 {
    let Some((commands, pulses)) = inherited() else { return 2 };
    detach();
    let mut pipe = Pipe { stream: commands, frames: Frames::default(), out: Vec::new() };
    let Ok(hello) = pipe.hello() else { return 2 };
    if pipe.stream.set_nonblocking(true).is_err() || pulses.set_nonblocking(true).is_err() {
        return 2;
    }
    let clock = RealClock::new();
    let mut clipboard = Clipboard { display: hello.display.clone(), keeper: None };
    let ended = start(&hello).and_then(|mut hands| {
        let served =
            catch_unwind(AssertUnwindSafe(|| serve(&mut hands, &mut clipboard, &mut pipe, &pulses, &clock)));
        // A bug here must not leave keys down either.
        let served = served.unwrap_or_else(|panic| Err(Fault::Lost { why: panicked(panic.as_ref()) }));
        if served.is_err() {
            let let_go = hands.let_go(Ended::Asked, clock.now());
            drop(hands);
            if let Err(Fault::Lost { .. }) = let_go {
                rescue(&hello);
            }
        }
        served
    });
    let code = match ended {
        Ok(()) => 0,
        Err(fault) => {
            pipe.say(&[Reply::Failed { chunk: None, fault }]);
            5
        }
    };
    clipboard.leave(&mut pipe);
    code
}

/// The keeper of the clipboard, once there is something for it to do.
struct Clipboard {
    display: String,
    keeper: Option<Keeper>,
}

impl Clipboard {
    /// Passes a wish on; the answer follows, or is here if there is no keeper to be had.
    fn wish(&mut self, ticket: u64, wish: Wish) -> Option<Reply> {
        let keeper = match self.keeper.take() {
            Some(keeper) => Ok(keeper),
            None => Keeper::start(&self.display),
        };
        let granted = match keeper {
            Ok(keeper) => self.keeper.insert(keeper).wish(ticket, wish),
            Err(why) => Some(Err(why.to_string())),
        };
        granted.map(|granted| Reply::Clipboard { ticket, granted })
    }

    /// The answers that have come in.
    fn granted(&self) -> Vec<Reply> {
        let answers = self.keeper.iter().flat_map(|keeper| std::iter::from_fn(|| keeper.granted()));
        answers.map(|(ticket, granted)| Reply::Clipboard { ticket, granted }).collect()
    }

    /// Stays, input closed, as long as there is something to keep. The engine is not made to wait, and a person may end it.
    fn leave(self, pipe: &mut Pipe) {
        let Some(keeper) = self.keeper else { return };
        pipe.say(&[Reply::Stays]);
        let _gone_already = pipe.stream.shutdown(std::net::Shutdown::Both);
        for signal in ENDS {
            #[expect(
                unsafe_code,
                reason = "no safe call gives a signal its meaning back; SIG_DFL runs no code of ours"
            )]
            // SAFETY: SIG_DFL installs no handler, and no other thread changes signal dispositions.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
        keeper.leave();
    }
}

fn panicked(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    format!("the input supervisor panicked: {}", text.unwrap_or("without words"))
}

/// Standard input and output as the two pipes, under numbers that no later `exec` inherits.
fn inherited() -> Option<(UnixStream, UnixStream)> {
    let socket = |fd: io::Result<std::os::fd::OwnedFd>| {
        let stream = UnixStream::from(fd.ok()?);
        stream.local_addr().is_ok().then_some(stream)
    };
    Some((
        socket(io::stdin().as_fd().try_clone_to_owned())?,
        socket(io::stdout().as_fd().try_clone_to_owned())?,
    ))
}

/// The signals that ask for an end.
const ENDS: [libc::c_int; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];

/// Out of the engine's session, and deaf to signals that ask for an end: the end of the pipe is the only one.
fn detach() {
    // Fails only for a group leader, which already is out of the engine's group.
    let _leader = rustix::process::setsid();
    for signal in ENDS {
        #[expect(unsafe_code, reason = "no safe call ignores a signal; SIG_IGN runs no code of ours")]
        // SAFETY: SIG_IGN installs no handler, and no other thread changes signal dispositions.
        unsafe {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
}

/// Where the state of the hands on a display is kept.
fn state_file(hello: &Hello, what: &str) -> PathBuf {
    // ":0" and ":0.0" are the same server.
    let (host, number) = hello.display.rsplit_once(':').unwrap_or(("", &hello.display));
    let number = number.split('.').next().unwrap_or(number);
    let plain = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
    };
    hello.state_dir.join(format!("{what}-{}_{}", plain(host), plain(number)))
}

fn start(hello: &Hello) -> Result<Supervisor<X11Input>, Fault> {
    let input = X11Input::connect(hello, &state_file(hello, "borrowed"))?;
    let pressed = state_file(hello, "pressed");
    let (held, left) = Held::open(&pressed).map_err(|why| Fault::Unusable {
        why: format!("the file of pressed keys {} cannot be used: {why}", pressed.display()),
        remedy: "Make the state folder writable".to_owned(),
    })?;
    Supervisor::new(input, held, &left, Limits { silence: hello.silence, max_hold: hello.max_hold })
}

/// The connection broke, but the server may live: what it still has down is released over a new one. The display's hands
/// are free, because the broken connection was dropped.
fn rescue(hello: &Hello) {
    let _swept = start(hello);
}

fn serve(
    hands: &mut Supervisor<X11Input>,
    clipboard: &mut Clipboard,
    pipe: &mut Pipe,
    pulses: &UnixStream,
    clock: &RealClock,
) -> Result<(), Fault> {
    loop {
        let next = hands.step(clock.now())?;
        pipe.say(&hands.replies());
        pipe.say(&clipboard.granted());
        let heard = hands.input.pump()?;
        if heard.chord {
            hands.chord(clock.now())?;
        }
        if heard.anything {
            continue;
        }
        let bell = clipboard.keeper.as_ref().and_then(Keeper::bell).unwrap_or(pulses);
        wait(
            &[pipe, pulses, &hands.input, bell],
            !pipe.out.is_empty(),
            next.map(|t| t.saturating_sub(clock.now())),
        );
        if beats(pulses) {
            hands.beat(clock.now());
        }
        let (commands, open) = pipe.read();
        if !open {
            // What came in with the end is not begun.
            hands.let_go(Ended::Asked, clock.now())?;
            return leave(hands, clock);
        }
        for command in commands {
            match command {
                Command::Clipboard { ticket, wish } => {
                    pipe.say(clipboard.wish(ticket, wish).as_slice());
                }
                input => hands.command(input, clock.now())?,
            }
        }
    }
}

/// Everything is up and the engine is gone; what is left is to give borrowed keycodes back once programs have read them.
fn leave(hands: &mut Supervisor<X11Input>, clock: &RealClock) -> Result<(), Fault> {
    hands.input.resign()?;
    let until = clock.now() + LEAVE;
    while let Some(due) = hands.input.tidy(clock.now(), true)? {
        let now = clock.now();
        if now >= until {
            break;
        }
        if !hands.input.pump()?.anything {
            wait(&[&hands.input], false, Some(due.min(until).saturating_sub(now)));
        }
    }
    Ok(())
}

/// Waits until one of `fds` has something to read (or, if `write`, the first can be written) or the time is over.
fn wait(fds: &[&dyn AsFd], write: bool, timeout: Option<Duration>) {
    let mut polled: Vec<PollFd<'_>> =
        fds.iter().map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)).collect();
    if let (true, Some(first)) = (write, fds.first()) {
        polled[0] = PollFd::from_borrowed_fd(first.as_fd(), PollFlags::IN | PollFlags::OUT);
    }
    let timeout = timeout.and_then(|t| Timespec::try_from(t).ok());
    // An interrupted wait is a short one.
    let _ready = poll(&mut polled, timeout.as_ref());
}

/// Takes all beats off the line; true if there was any.
fn beats(mut pulses: &UnixStream) -> bool {
    let mut any = false;
    let mut bytes = [0; 64];
    while let Ok(1..) = pulses.read(&mut bytes) {
        any = true;
    }
    any
}

/// The command pipe.
struct Pipe {
    stream: UnixStream,
    frames: Frames,
    /// Not written yet: an engine that hangs must not make its hands wait.
    out: Vec<u8>,
}

impl AsFd for Pipe {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

impl Pipe {
    /// The first message, for which the process has nothing better to do than wait.
    fn hello(&mut self) -> io::Result<Hello> {
        self.stream.set_read_timeout(Some(HELLO))?;
        let mut bytes = [0; 4096];
        loop {
            let n = self.stream.read(&mut bytes)?;
            if n == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.frames.push(&bytes[..n]);
            if let Some(hello) = self.frames.next()? {
                return Ok(hello);
            }
        }
    }

    /// Everything that has come in, and whether the engine is still there.
    fn read(&mut self) -> (Vec<Command>, bool) {
        let mut bytes = [0; 4096];
        let open = loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => break false,
                Ok(n) => self.frames.push(&bytes[..n]),
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => break true,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break false,
            }
        };
        let mut commands = Vec::new();
        loop {
            match self.frames.next() {
                Ok(Some(command)) => commands.push(command),
                Ok(None) => return (commands, open),
                // Not our engine's words.
                Err(_) => return (Vec::new(), false),
            }
        }
    }

    /// Sends replies, or keeps them until there is room.
    fn say(&mut self, replies: &[Reply]) {
        for reply in replies {
            self.out.extend(frame(reply).unwrap_or_default());
        }
        while !self.out.is_empty() {
            match self.stream.write(&self.out) {
                Ok(n) => drop(self.out.drain(..n)),
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => return,
                // Nobody reads any more; reading notices that.
                Err(_) => self.out.clear(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hands::protocol::Engine;
    use handsight_base::key::Chord;

    #[test]
    fn a_display_has_one_state_file_whatever_it_is_called() {
        let file = |display: &str| {
            let hello = Hello {
                display: display.to_owned(),
                state_dir: PathBuf::from("/state"),
                stop_chord: Chord(Vec::new()),
                max_hold: Duration::ZERO,
                silence: Duration::ZERO,
                engine: Engine { pid: 1, mark: 2 },
            };
            state_file(&hello, "pressed").display().to_string()
        };
        assert_eq!(file(":0"), "/state/pressed-_0");
        assert_eq!(file(":0.0"), file(":0"));
        assert_eq!(file("far.away:10.1"), "/state/pressed-far_away_10");
        assert_eq!(file(":0/../../etc"), "/state/pressed-_0_");
    }
}
