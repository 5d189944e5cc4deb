//! The supervisor's process: it leaves the engine's session, ignores what would end it before its work is done, and waits
//! for whatever comes first of commands, pulses, the screen and the next deadline.

use super::held::Held;
use super::injector::Attached;
use super::keeper::Keeper;
use super::protocol::{Command, Ended, Fault, Frames, Hello, Reply, frame};
use super::screen::Screen;
use super::supervisor::{Limits, Supervisor};
use super::system::{self, Line};
use super::wish::Wish;
use handsight_base::port::clock::{Clock, RealClock};
use std::any::Any;
use std::ffi::OsString;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
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
    let Some(line) = Line::inherited() else { return 2 };
    system::detach();
    let mut pipe = Pipe { line, frames: Frames::default(), out: Vec::new() };
    let Ok(hello) = pipe.hello() else { return 2 };
    if pipe.line.open(&hello.line).is_err() {
        return 2;
    }
    let mut clipboard = Clipboard { screen: hello.screen.clone(), keeper: None };
    let ended = match hello.screen {
        #[cfg(target_os = "linux")]
        Screen::X11 { .. } => work::<crate::x11::input::X11Input>(&hello, &mut clipboard, &mut pipe),
        #[cfg(windows)]
        Screen::Windows => work::<crate::windows::input::WindowsInput>(&hello, &mut clipboard, &mut pipe),
        Screen::Vnc(_) => work::<crate::vnc::input::VncInput>(&hello, &mut clipboard, &mut pipe),
        ref other => Err(Fault::Unusable {
            why: format!("the hands of this system cannot hold {other:?}"),
            remedy: "Name another desktop with --desktop".to_owned(),
        }),
    };
    let code = match ended {
        Ok(()) => 0,
        Err(fault) => {
            pipe.say(&[Reply::Failed { chunk: None, fault }]);
            5
        }
    };
    clipboard.leave(&mut pipe);
    pipe.line.close();
    code
}

/// Holds the screen until the engine ends, and lets go of everything whatever happens.
fn work<I: Attached>(hello: &Hello, clipboard: &mut Clipboard, pipe: &mut Pipe) -> Result<(), Fault> {
    let clock = RealClock::new();
    let mut hands = start::<I>(hello)?;
    let served = catch_unwind(AssertUnwindSafe(|| serve(&mut hands, clipboard, pipe, &clock)));
    // A bug here must not leave keys down either.
    let served = served.unwrap_or_else(|panic| Err(Fault::Lost { why: panicked(panic.as_ref()) }));
    if served.is_err() {
        let let_go = hands.let_go(Ended::Asked, clock.now());
        drop(hands);
        if let Err(Fault::Lost { .. }) = let_go {
            // The connection broke, but the screen may live: what it still has down is released over a new one. Its hands
            // are free, because the broken connection was dropped.
            let _swept = start::<I>(hello);
        }
    }
    served
}

/// The keeper of the clipboard, once there is something for it to do.
struct Clipboard {
    screen: Screen,
    keeper: Option<Keeper>,
}

impl Clipboard {
    /// Passes a wish on; the answer follows, or is here if there is no keeper to be had.
    fn wish(&mut self, ticket: u64, wish: Wish) -> Option<Reply> {
        let keeper = match self.keeper.take() {
            Some(keeper) => Ok(keeper),
            None => Keeper::start(&self.screen),
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
        pipe.line.close();
        system::attend();
        keeper.leave();
    }
}

fn panicked(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    format!("the input supervisor panicked: {}", text.unwrap_or("without words"))
}

fn start<I: Attached>(hello: &Hello) -> Result<Supervisor<I>, Fault> {
    let input = I::attach(hello)?;
    let pressed = hello.state_file("pressed");
    let (held, left) = Held::open(&pressed).map_err(|why| Fault::Unusable {
        why: format!("the file of pressed keys {} cannot be used: {why}", pressed.display()),
        remedy: "Make the state folder writable".to_owned(),
    })?;
    Supervisor::new(input, held, &left, Limits { silence: hello.silence, max_hold: hello.max_hold })
}

fn serve<I: Attached>(
    hands: &mut Supervisor<I>,
    clipboard: &mut Clipboard,
    pipe: &mut Pipe,
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
        if heard.person {
            hands.person(clock.now())?;
        }
        if heard.anything {
            continue;
        }
        let mut sources = hands.input.sources();
        sources.extend(clipboard.keeper.as_ref().and_then(Keeper::source));
        pipe.line.wait(&sources, !pipe.out.is_empty(), next.map(|t| t.saturating_sub(clock.now())));
        drop(sources);
        if pipe.line.beats() {
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
fn leave<I: Attached>(hands: &mut Supervisor<I>, clock: &RealClock) -> Result<(), Fault> {
    hands.input.resign()?;
    let until = clock.now() + LEAVE;
    while let Some(due) = hands.input.tidy(clock.now(), true)? {
        let now = clock.now();
        if now >= until {
            break;
        }
        if !hands.input.pump()?.anything {
            system::wait(&hands.input.sources(), Some(due.min(until).saturating_sub(now)));
        }
    }
    Ok(())
}

/// The command pipe.
struct Pipe {
    line: Line,
    frames: Frames,
    /// Not written yet: an engine that hangs must not make its hands wait.
    out: Vec<u8>,
}

impl Pipe {
    /// The first message, for which the process has nothing better to do than wait.
    fn hello(&mut self) -> io::Result<Hello> {
        loop {
            if !self.line.read_within(HELLO, &mut self.frames)? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if let Some(hello) = self.frames.next()? {
                return Ok(hello);
            }
        }
    }

    /// Everything that has come in, and whether the engine is still there.
    fn read(&mut self) -> (Vec<Command>, bool) {
        let open = self.line.read(&mut self.frames);
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
        self.line.write(&mut self.out);
    }
}
