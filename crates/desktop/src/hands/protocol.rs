//! What engine and supervisor say to each other: length-prefixed JSON over one pipe, and single bytes (a pulse) over
//! another.
//!
//! Both ends are the same binary, so there is no version to negotiate; a frame that does not parse ends the connection.

use super::injector::{Code, Event};
use super::screen::Screen;
use super::system::Address;
use super::wish::{Granted, Wish};
use handsight_base::flow::action::Primitive;
use handsight_base::key::Chord;
use handsight_base::port::desktop::DesktopError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

/// The first frame: who the engine is and how it wants its hands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub screen: Screen,
    pub state_dir: PathBuf,
    pub stop_chord: Chord,
    pub max_hold: Duration,
    /// Silence after which held keys are released.
    pub silence: Duration,
    /// Whether the person's own input is watched for.
    pub person: bool,
    /// Whether a text ends when its window loses the focus.
    pub addressed: bool,
    pub engine: Engine,
    /// Where the child finds the rest of its lines.
    pub line: Address,
}

impl Hello {
    /// Where the state of the hands on this screen is kept.
    pub(crate) fn state_file(&self, what: &str) -> PathBuf {
        self.state_dir.join(format!("{what}-{}", self.screen.file_word()))
    }
}

/// Which engine it is. A process id alone may be the same in two containers that share a display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Engine {
    pub pid: u32,
    /// Drawn once in its life.
    pub mark: u32,
}

impl Engine {
    /// This process.
    pub(crate) fn this() -> Self {
        static MARK: OnceLock<u32> = OnceLock::new();
        let mark = *MARK.get_or_init(|| RandomState::new().hash_one(std::process::id()) as u32);
        Self { pid: std::process::id(), mark }
    }
}

/// From the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Command {
    /// Runs a chunk of a batch; answered by [`Reply::Done`] or [`Reply::Failed`]. All chunks of a batch carry its number, and up
    /// to which report the engine has waited the person out.
    Run { batch: u64, chunk: u64, primitives: Vec<Primitive>, last: bool, waited_out: u64 },
    /// Forgets what is queued and releases everything; answered by [`Reply::Released`].
    Release { ticket: u64 },
    /// Answered by [`Reply::Ledger`]: entries from this number on.
    Ledger { from: u64 },
    /// For the keeper of the clipboard; answered by [`Reply::Clipboard`].
    Clipboard { ticket: u64, wish: Wish },
}

/// From the supervisor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    /// The hands are there. What an earlier life left pressed and was released now.
    Ready {
        swept: Vec<Code>,
    },
    /// A chunk is over, and the system has taken its events. `ended` says what cut it short.
    Done {
        chunk: u64,
        events: u32,
        ended: Option<Ended>,
    },
    /// The focus left the window a text was begun in, which got so many characters; [`Ended::FocusMoved`] follows.
    FocusMoved {
        chunk: u64,
        window: String,
        typed: u32,
    },
    /// A chunk takes longer than its waits, because programs have to catch up with borrowed keycodes, or the focus is elsewhere.
    Waiting {
        chunk: u64,
    },
    /// The system refused; everything is released. Without a chunk, the hands themselves could not go on.
    Failed {
        chunk: Option<u64>,
        fault: Fault,
    },
    Released {
        ticket: u64,
    },
    /// What an action left down was released by no action.
    Lifted {
        codes: Vec<Code>,
        ended: Ended,
    },
    /// The person pressed the stop chord. No input is taken from now on.
    Chord,
    /// The person uses the screen themselves: no input is taken until the engine has waited out this report, and every later one.
    Person {
        report: u64,
    },
    Ledger(Vec<LedgerEntry>),
    Clipboard {
        ticket: u64,
        granted: Granted,
    },
    /// The last word: everything is up and input is closed, but the process stays for what it keeps of the clipboard.
    Stays,
}

/// Why hands let go before the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The engine asked for it.
    Asked,
    /// The engine gave no sign of life while something was down.
    Silence,
    /// The stop chord.
    Chord,
    /// The person uses the screen themselves.
    Person,
    /// A key or button was down longer than is allowed.
    HeldTooLong,
    /// An event was refused; the failure says so.
    Failed,
    /// The window that a text was begun in lost the focus.
    FocusMoved,
}

/// One event the hands injected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// Counted from 0 over the life of the hands.
    pub number: u64,
    /// Since the hands began.
    pub at: Duration,
    pub event: Event,
}

/// What the hands could not do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fault {
    /// The system refused an event.
    Refused { why: String, code: Option<i64> },
    /// The layout has no such key, and none could be borrowed.
    NoKey { key: String },
    /// A key that the far end may not have, and whose loss it would not tell.
    NoSpareKey { key: String },
    /// The system's pointer has no such button.
    NoButton { button: String },
    /// The connection to the system is gone.
    Lost { why: String },
    /// No use trying on this display.
    Unusable { why: String, remedy: String },
    /// Another engine's hands are on this display.
    InUse { pid: u32 },
    /// The same engine has given these hands up and started others.
    Superseded,
}

impl Fault {
    pub(crate) fn into_error(self) -> DesktopError {
        match self {
            Self::Refused { why, code } => DesktopError::Input { why, code },
            Self::NoKey { key } => {
                tracing::warn!(key, "no keycode for this key");
                DesktopError::Unsupported {
                    what: "a key that this keyboard layout does not have and that no free keycode can stand in for".into(),
                    backend: "hands".to_owned(),
                }
            }
            Self::NoSpareKey { key } => {
                tracing::warn!(key, "the server may have no key left for this");
                DesktopError::Unsupported {
                    what: "another character beyond ASCII: the server may have no spare key left for it and would drop it \
                           without a word; paste the text instead".into(),
                    backend: "hands".to_owned(),
                }
            }
            Self::NoButton { button } => {
                tracing::warn!(button, "no such button");
                DesktopError::Unsupported {
                    what: "a mouse button beside left, middle and right".into(),
                    backend: "hands".to_owned(),
                }
            }
            Self::Lost { why } => DesktopError::Lost { why },
            Self::Unusable { why, remedy } => DesktopError::Unusable { why, remedy },
            Self::InUse { pid } => DesktopError::InUse { pid },
            Self::Superseded => DesktopError::Lost { why: "other hands took over this display".to_owned() },
        }
    }
}

/// Longer than any frame of ours; whoever sends more is not us.
pub(super) const MAX_FRAME: usize = 4 << 20;

/// A message with its length before it.
pub(crate) fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)?;
    let length = u32::try_from(bytes.len() - 4).map_err(io::Error::other)?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// Collects bytes until a frame is whole.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    bytes: VecDeque<u8>,
}

impl Frames {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// The next whole message, if there is one.
    pub(crate) fn next<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let bytes = self.bytes.make_contiguous();
        let Some((head, rest)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*head) as usize;
        if length > MAX_FRAME {
            return Err(io::Error::other(format!("a frame of {length} bytes")));
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let message = serde_json::from_slice(body)?;
        self.bytes.drain(..4 + length);
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::flow::action::{Axis, Button};
    use handsight_base::key::{Key, Named};
    use handsight_base::space::ScreenPx;

    #[test]
    fn every_primitive_survives_the_pipe_byte_by_byte() {
        let sent = Command::Run {
            batch: 6,
            chunk: 7,
            primitives: vec![
                Primitive::Move(ScreenPx::new(-3, 70_000)),
                Primitive::Button { button: Button::Back, down: true },
                Primitive::Key { key: Key::Named(Named::F24), down: false },
                Primitive::Key { key: Key::Char('"'), down: true },
                Primitive::Char('😀'),
                Primitive::Char('\0'),
                Primitive::Wheel { axis: Axis::Horizontal, units: i32::MIN },
                Primitive::Wait(Duration::from_nanos(1_000_000_001)),
            ],
            last: true,
            waited_out: 5,
        };
        let bytes = [frame(&sent).unwrap(), frame(&Command::Release { ticket: 1 }).unwrap()].concat();
        let mut frames = Frames::default();
        let mut got = Vec::new();
        for byte in bytes {
            frames.push(&[byte]);
            while let Some(command) = frames.next::<Command>().unwrap() {
                got.push(command);
            }
        }
        assert_eq!(got, [sent, Command::Release { ticket: 1 }]);
    }

    #[test]
    fn noise_on_the_pipe_is_an_error() {
        let mut frames = Frames::default();
        frames.push(b"running 1 test\n");
        assert!(frames.next::<Command>().is_err());
        let mut frames = Frames::default();
        frames.push(&[3, 0, 0, 0, b'{', b'}', b'}']);
        assert!(frames.next::<Command>().is_err());
    }
}
