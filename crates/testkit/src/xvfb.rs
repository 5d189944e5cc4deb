//! A virtual X server for one test, and the programs on it.
//!
//! It is started with `-noreset` and one client is kept connected: a server that resets when its last client leaves
//! lifts every key, and a test for stuck keys would pass for nothing. It listens on no TCP port, picks a free number by
//! itself, and is killed by its pid when the guard is dropped.

use crate::need::need;
use crate::program::Program;
use crate::wait::{PATIENCE, before, until};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, socket};
use rustix::process::Signal;
use std::io::{BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask, WindowClass,
};
use x11rb::rust_connection::RustConnection;

/// A running Xvfb.
#[derive(Debug)]
pub struct Xvfb {
    // Programs on the display are dropped by their own guards; the server goes before its home does.
    server: Program,
    display: String,
    keeper: RustConnection,
    home: TempDir,
    /// Keeps the number of a killed server from the next one.
    reserved: Option<OwnedFd>,
}

impl Xvfb {
    /// One screen of 1280x720, 24 bits deep. `None` if Xvfb is not installed (see [`need`]).
    pub fn start() -> Option<Self> {
        Self::with(1280, 720, &[])
    }

    /// One screen of the given size, with further options of Xvfb (`-extension XTEST` switches an extension off).
    ///
    /// # Panics
    /// When the server does not come up.
    pub fn with(width: u32, height: u32, options: &[&str]) -> Option<Self> {
        let screen = format!("{width}x{height}x24");
        Self::serve("Xvfb", "xvfb", &[&["-nolisten", "tcp", "-screen", "0", &screen], options].concat())
    }

    /// Another X server that is started the same way; `None` if its package is not installed.
    pub(crate) fn serve(program: &str, package: &str, options: &[&str]) -> Option<Self> {
        if !need(program, package) {
            return None;
        }
        let home = TempDir::new().expect("a folder for the home");
        let mut server = Program::start(
            bare(program, home.path())
                .args(["-displayfd", "1", "-noreset"])
                .args(options)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null()),
        );
        let stdout = server.child().stdout.take().expect("stdout is a pipe");
        let mut number = String::new();
        BufReader::new(stdout).read_line(&mut number).expect("the server names its display");
        let number: u32 = number.trim().parse().expect("the server came up and named its display number");
        let display = format!(":{number}");
        let (keeper, _) = RustConnection::connect(Some(&display)).expect("a client connects");
        Some(Self { server, display, keeper, home, reserved: None })
    }

    /// `:99`.
    pub fn display(&self) -> &str {
        &self.display
    }

    pub fn pid(&self) -> u32 {
        self.server.pid()
    }

    /// The home of every program on this display; fresh, and removed in the end.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Ends the server at once, as a crash would. Until the guard is dropped no other server gets its number: who still
    /// tries to come back to this display must not end up on that of another test.
    pub fn kill(&mut self) {
        self.server.kill();
        // Bound, but without a listener: connecting is refused.
        let name = format!("/tmp/.X11-unix/X{}", &self.display[1..]);
        let address = SocketAddrUnix::new_abstract_name(name.as_bytes()).expect("a short name");
        let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None).expect("a socket");
        // A server that was faster has it; then there is nothing left to keep.
        self.reserved = bind(&socket, &address).is_ok().then_some(socket);
    }

    /// Makes the server answer nothing until [`Xvfb::resume`].
    pub fn freeze(&self) {
        self.server.signal(Signal::STOP);
    }

    pub fn resume(&self) {
        self.server.signal(Signal::CONT);
    }

    /// A command on this display: cleared environment, own home, UTF-8, silent.
    pub fn command(&self, program: &str) -> Command {
        let mut command = bare(program, self.home());
        command
            .env("DISPLAY", &self.display)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Starts a program on this display.
    pub fn program(&self, program: &str, args: &[&str]) -> Program {
        Program::start(self.command(program).args(args))
    }

    /// Runs a program on this display to its end and returns its standard output.
    ///
    /// # Panics
    /// When it cannot be started or fails.
    #[track_caller]
    pub fn run(&self, program: &str, args: &[&str]) -> String {
        let output = self.command(program).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).output();
        let output = output.unwrap_or_else(|why| panic!("{program} does not start: {why}"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {args:?} failed: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Starts the window manager openbox and waits until it manages. `None` if it is not installed.
    pub fn openbox(&self) -> Option<Program> {
        if !need("openbox", "openbox") {
            return None;
        }
        let openbox = self.program("openbox", &["--sm-disable"]);
        until("openbox took over the display", PATIENCE, || {
            let root = self.keeper.setup().roots[0].root;
            let atom = self.keeper.intern_atom(true, b"_NET_SUPPORTING_WM_CHECK").ok()?.reply().ok()?.atom;
            if atom == x11rb::NONE {
                return None;
            }
            let check =
                self.keeper.get_property(false, root, atom, AtomEnum::WINDOW, 0, 1).ok()?.reply().ok()?;
            (check.value_len == 1).then_some(())
        });
        self.await_openbox();
        Some(openbox)
    }

    /// Openbox loses a window that comes while it is still starting; it is there once it answers a question.
    fn await_openbox(&self) {
        let (conn, root) = (&self.keeper, self.keeper.setup().roots[0].root);
        let atom = |name: &str| Some(conn.intern_atom(false, name.as_bytes()).ok()?.reply().ok()?.atom);
        until("openbox answers", PATIENCE, || {
            let (ask, extents) = (atom("_NET_REQUEST_FRAME_EXTENTS")?, atom("_NET_FRAME_EXTENTS")?);
            let id = conn.generate_id().ok()?;
            let class = WindowClass::INPUT_ONLY;
            conn.create_window(0, id, root, 0, 0, 1, 1, 0, class, 0, &CreateWindowAux::new()).ok()?;
            let to = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
            conn.send_event(false, root, to, ClientMessageEvent::new(32, id, ask, [0; 5])).ok()?;
            let answered = before(Duration::from_millis(500), || {
                let answer =
                    conn.get_property(false, id, extents, AtomEnum::CARDINAL, 0, 4).ok()?.reply().ok()?;
                (answer.value_len == 4).then_some(())
            });
            conn.destroy_window(id).ok()?.check().ok()?;
            answered
        });
    }
}

/// A command that inherits nothing.
fn bare(program: &str, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/games")
        .env("HOME", home)
        .env("XDG_RUNTIME_DIR", home)
        .env("LC_ALL", "C.UTF-8")
        .env("NO_AT_BRIDGE", "1")
        .env("SDL_AUDIODRIVER", "dummy")
        .current_dir(home);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_killed_server_stays_its_own() {
        let Some(mut x) = Xvfb::start() else { return };
        x.kill();
        assert!(RustConnection::connect(Some(x.display())).is_err(), "nobody is there");
        for _ in 0..3 {
            let other = Xvfb::start().expect("it is installed");
            assert_ne!(other.display(), x.display());
        }
    }
}
