//! A program in a terminal of its own: the pseudo-terminal, the process behind it, and the screen that its output makes.
//!
//! One thread reads what the program writes, so the screen is the newest whenever somebody looks. This module does not know what a key
//! means or what a cell looks like, and it never blocks for longer than [`WRITE_LIMIT`]: a program that reads nothing is an error.

use crate::answers::Answers;
use crate::hands::Hands;
use crate::paint::Look;
use handsight_base::space::Size;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::io;
use std::num::NonZeroU16;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// How long a program may leave its input unread.
const WRITE_LIMIT: Duration = Duration::from_secs(1);
/// How often the reader looks whether anybody still wants the screen.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Rows that have left the screen and can be looked at again with the wheel.
const SCROLLBACK: usize = 1000;
/// The most that a program may ask for, in cells: its screen is a picture in memory.
const MOST: u16 = 1000;

/// Columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cells {
    pub columns: NonZeroU16,
    pub rows: NonZeroU16,
}

impl Cells {
    /// From 1 to 1000 each; what is beyond is brought there.
    pub fn new(columns: u16, rows: u16) -> Self {
        let within = |n: u16| NonZeroU16::new(n.min(MOST)).unwrap_or(NonZeroU16::MIN);
        Self { columns: within(columns), rows: within(rows) }
    }
}

/// A terminal with a program in it. The program ends with this value.
pub struct Terminal(pub(crate) Arc<Inner>);

/// What the terminal and its desktops share.
pub(crate) struct Inner {
    /// For messages: the program's name.
    pub(crate) program: String,
    pub(crate) look: Look,
    pub(crate) screen: Mutex<Screen>,
    /// What is down, and where the pointer is. It outlives a desktop that the engine has given up.
    pub(crate) hands: Mutex<Hands>,
    master: OwnedFd,
    /// Held for a whole sequence, so that an answer never comes in the middle of a key.
    writing: Mutex<()>,
    child: Mutex<Child>,
}

/// What the program's output has made.
pub(crate) struct Screen {
    pub(crate) parser: vt100::Parser<Answers>,
    /// How often something came. Two looks with the same number see the same.
    pub(crate) changes: u64,
    /// The program has closed its side.
    pub(crate) ended: bool,
}

impl Screen {
    pub(crate) fn cells(&self) -> Cells {
        let (rows, columns) = self.parser.screen().size();
        Cells { columns, rows }
    }
}

pub(crate) fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Terminal {
    /// Starts a program in a terminal of so many cells. `TERM` and friends are set; everything else of the command stays.
    pub fn start(mut command: Command, look: Look, cells: Cells) -> io::Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        rustix::io::ioctl_fionbio(&master, true)?;
        tcsetwinsize(&master, winsize(&look, cells))?;
        let side =
            || ioctl_tiocgptpeer(&master, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC);
        command.stdin(side()?).stdout(side()?).stderr(side()?);
        command.env("TERM", "xterm-256color").env("COLORTERM", "truecolor");
        command.env_remove("COLUMNS").env_remove("LINES");
        in_a_session_of_its_own(&mut command, side()?);
        let program = command.get_program().to_string_lossy().into_owned();
        let child = command.spawn()?;
        // The command holds the program's side of the terminal, whose end would never be seen.
        drop(command);
        let answers = Answers::new(look.cell);
        let parser = vt100::Parser::new_with_callbacks(cells.rows, cells.columns, SCROLLBACK, answers);
        let inner = Arc::new(Inner {
            program,
            look,
            screen: Mutex::new(Screen { parser, changes: 0, ended: false }),
            hands: Mutex::default(),
            master,
            writing: Mutex::default(),
            child: Mutex::new(child),
        });
        let reader = Arc::downgrade(&inner);
        std::thread::Builder::new().name("terminal".into()).spawn(move || read(&reader))?;
        Ok(Self(inner))
    }

    /// Gives the screen another size, as a person does who drags the edge of a terminal's window.
    pub fn resize(&self, cells: Cells) -> io::Result<()> {
        hold(&self.0.screen).parser.set_size(cells.rows, cells.columns);
        self.0.resized(cells)
    }

    /// The text on the screen, row by row.
    pub fn text(&self) -> String {
        hold(&self.0.screen).parser.screen().contents()
    }
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Terminal({})", self.0.program)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let mut child = hold(&self.0.child);
        if let Ok(None) = child.try_wait() {
            // As a terminal does whose window is closed; a program that does not listen is ended.
            let _gone_already = kill_process_group(Pid::from_child(&child), Signal::HUP);
            let _gone_already = child.kill();
            let _its_exit_status = child.wait();
        }
    }
}

/// Makes the program the first of a session with this terminal.
#[expect(unsafe_code, reason = "what runs between fork and exec has to be marked so")]
fn in_a_session_of_its_own(command: &mut Command, side: OwnedFd) {
    let begin = move || {
        rustix::process::setsid()?;
        rustix::process::ioctl_tiocsctty(&side)?;
        Ok(())
    };
    // SAFETY: two system calls, which allocate nothing and take no lock.
    unsafe { command.pre_exec(begin) };
}

fn winsize(look: &Look, cells: Cells) -> Winsize {
    let Size { width, height } = look.size(cells);
    let short = |n: u32| u16::try_from(n).unwrap_or(u16::MAX);
    Winsize {
        ws_row: cells.rows.get(),
        ws_col: cells.columns.get(),
        ws_xpixel: short(width),
        ws_ypixel: short(height),
    }
}

/// Reads until the program has closed its side or nobody has the terminal any more.
fn read(terminal: &Weak<Inner>) {
    let mut buffer = vec![0; 64 * 1024];
    while let Some(terminal) = terminal.upgrade() {
        match terminal.ready(PollFlags::IN, LOOK_AGAIN) {
            Ok(true) => {}
            Ok(false) => continue,
            Err(_) => return terminal.ended(),
        }
        match rustix::io::read(&terminal.master, buffer.as_mut_slice()) {
            Ok(count @ 1..) => terminal.take(buffer.get(..count).unwrap_or_default()),
            Err(Errno::AGAIN | Errno::INTR) => {}
            // A terminal whose other side is closed reads as an error of the device.
            Ok(_) | Err(_) => return terminal.ended(),
        }
    }
}

impl Inner {
    fn take(&self, output: &[u8]) {
        let (answers, resized) = {
            let mut screen = hold(&self.screen);
            let before = screen.cells();
            screen.parser.process(output);
            screen.changes += 1;
            let now = screen.cells();
            (screen.parser.callbacks_mut().take(), (now != before).then_some(now))
        };
        if let Some(cells) = resized {
            let _the_program_is_gone = self.resized(cells);
        }
        if !answers.is_empty() {
            // A program that asks and does not read has itself to blame.
            let _unread = self.write(&answers);
        }
    }

    fn ended(&self) {
        hold(&self.screen).ended = true;
    }

    fn resized(&self, cells: Cells) -> io::Result<()> {
        hold(&self.screen).changes += 1;
        hold(&self.hands).keep_within(self.look.size(cells));
        Ok(tcsetwinsize(&self.master, winsize(&self.look, cells))?)
    }

    /// Sends bytes to the program, all of them or with an error.
    pub(crate) fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        let _whole = hold(&self.writing);
        while !bytes.is_empty() {
            match rustix::io::write(&self.master, bytes) {
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) if self.ready(PollFlags::OUT, WRITE_LIMIT)? => {}
                Err(Errno::AGAIN) => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not read its input"));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn ready(&self, what: PollFlags, within: Duration) -> io::Result<bool> {
        let limit = Timespec::try_from(within).map_err(io::Error::other)?;
        match poll(&mut [PollFd::new(&self.master, what)], Some(&limit)) {
            Ok(count) => Ok(count > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
