//! The hands: a process of its own that moves mouse and keyboard, and lets go of everything when the engine dies.
//!
//! A key pressed through XTEST or SendInput stays down after the process that pressed it has died, whatever that process
//! wrote into its signal handlers. So the engine presses nothing itself. It starts this supervisor first, sends it batches over a pipe that
//! nobody inherits, and tells it every 100 ms, while anything is down, that its turn still runs. The supervisor leaves the
//! engine's session, so that a signal to the group does not take both; it alone holds the input connection; and it ends
//! when the engine does.
//!
//! `supervisor.rs` holds every rule about letting go, `client.rs` is the engine's end, `process.rs` the process around it,
//! `injector.rs` what a kind of screen has to offer; `unix.rs` and `windows.rs` know how a process of its own is started and
//! talked to. None of them approves anything: the engine's end takes [`Approved`] batches only, and the stop chord is refused
//! in model input by the gate, not here.
//!
//! [`Approved`]: handsight_base::gate::Approved

mod client;
mod clipboard;
mod ears;
#[cfg(test)]
mod fake;
mod held;
pub(crate) mod injector;
pub(crate) mod keeper;
mod process;
pub(crate) mod protocol;
mod screen;
pub(crate) mod share;
mod supervisor;
#[cfg(unix)]
pub(crate) mod unix;
#[cfg(windows)]
pub(crate) mod windows;
pub(crate) mod wish;

pub use client::Hands;
pub use injector::{Code, Event};
pub use process::supervise;
pub(crate) use protocol::Fault;
pub use protocol::{Ended, LedgerEntry};
pub use screen::Screen;
#[cfg(unix)]
pub(crate) use unix as system;
#[cfg(windows)]
pub(crate) use windows as system;

use handsight_base::key::{Chord, Key, Named};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// How often the engine's turn has to beat its [`Pulse`](handsight_base::port::desktop::Pulse) while anything is down or a
/// batch that pressed something runs.
pub const HEARTBEAT: Duration = Duration::from_millis(100);

/// How the hands of a run are set up.
#[derive(Debug, Clone)]
pub struct HandsConfig {
    /// The program with its hidden subcommand that calls [`supervise`].
    pub command: Vec<OsString>,
    /// What they move.
    pub screen: Screen,
    /// Where the file with the pressed keys lives, shared by all runs of this person on this machine.
    pub state_dir: PathBuf,
    /// What the person presses to stop everything.
    pub stop_chord: Chord,
    /// The longest a key or button stays down without its release.
    pub max_hold: Duration,
    /// Without a beat for so long, everything is released.
    pub silence: Duration,
    /// Whether the person's own keys and mouse take the screen over, where they can be told from ours.
    pub person: bool,
    /// Whether a text ends when the window it was begun in loses the focus, where there is a focus to know. Off, the rest goes to
    /// whatever has it then; for comparisons.
    pub addressed: bool,
    /// Environment variables the process does not get: the keys of providers.
    pub withheld: Vec<String>,
}

impl HandsConfig {
    /// With the defaults: Ctrl+Alt+Pause, 30 s, 250 ms, and whoever else uses the screen is let be.
    pub fn new(command: Vec<OsString>, screen: Screen, state_dir: impl Into<PathBuf>) -> Self {
        Self {
            command,
            screen,
            state_dir: state_dir.into(),
            stop_chord: Chord(vec![
                Key::Named(Named::Control),
                Key::Named(Named::Alt),
                Key::Named(Named::Pause),
            ]),
            max_hold: Duration::from_secs(30),
            silence: Duration::from_millis(250),
            person: false,
            addressed: true,
            withheld: Vec::new(),
        }
    }
}
