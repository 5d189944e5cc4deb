//! What the supervisor needs of an operating system to move the hands.
//!
//! One implementation per system (`x11/input.rs`, `windows/input.rs`, `vnc/input.rs`) and a fake. An injector resolves keys
//! to codes and sends single events; it keeps no account of what is down and takes no decision: that is the supervisor's.

use super::protocol::{Fault, Hello};
use super::system::Source;
use handsight_base::flow::action::{Axis, Button};
use handsight_base::key::Key;
use handsight_base::space::ScreenPx;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Something that can be down, by the system's own number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// A keycode (X11), virtual key (Windows, plus 256 for an extended one) or keysym (VNC).
    Key(u32),
    Button(u8),
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(code) => write!(f, "key {code}"),
            Self::Button(button) => write!(f, "button {button}"),
        }
    }
}

/// One event as the system takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    Move(ScreenPx),
    Press(Code),
    Release(Code),
    /// One click of a wheel: up or right if `positive`.
    Notch {
        axis: Axis,
        positive: bool,
    },
    /// The wheel turned by so many 120ths of a notch, where the system takes them ([`Injector::takes_units`]).
    Wheel {
        axis: Axis,
        units: i32,
    },
    /// A character as such, down and up in one, where the system takes characters ([`Resolved::Character`]).
    Character(char),
}

/// The key to press, and what has to be down around it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Stroke {
    /// Modifier codes in the order they go down.
    pub around: Vec<u32>,
    pub key: u32,
}

/// What a key comes to at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Resolved {
    Now(Stroke),
    /// The system takes the character itself: [`Event::Character`]. For text only.
    #[cfg_attr(all(target_os = "linux", not(test)), expect(dead_code, reason = "only Windows types so"))]
    Character,
    /// Programs have to catch up first; ask again at this time or after the next event.
    NotBefore(Duration),
}

/// Why a key is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Part of a chord: modifiers that are held are meant, and stay.
    Chord,
    /// Exactly this character must arrive, whatever is held.
    Text,
}

/// Where keys would go now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Focus {
    /// There is no such thing here, or nobody tells.
    #[default]
    Untold,
    /// The system has not answered in time.
    Silent,
    /// To this window, by the system's own number, or to [`NOBODY`].
    On(u64),
}

/// Not the number of any window.
pub(crate) const NOBODY: u64 = 0;

/// What came in by [`Attached::pump`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    pub anything: bool,
    /// The stop chord.
    pub chord: bool,
    /// Input that is not ours. Never, where none is watched for.
    pub person: bool,
}

/// An injector as the process serves it: a connection of its own that things come in on.
pub(crate) trait Attached: Injector + Sized {
    /// Connects to the screen and takes its hands for the engine; [`Fault::InUse`] if another engine has them.
    fn attach(hello: &Hello) -> Result<Self, Fault>;

    /// Takes in what has come. Never waits. [`Fault::Superseded`] if the same engine has started other hands.
    fn pump(&mut self) -> Result<Heard, Fault>;

    /// The engine is gone: whoever wants the screen may wait for it.
    fn resign(&mut self) -> Result<(), Fault>;

    /// What to wait on: ready when there is something to [`Attached::pump`].
    fn sources(&self) -> Vec<Source<'_>>;
}

/// Times are of the supervisor's clock.
pub(crate) trait Injector {
    /// True if the wheel turns by [`Event::Wheel`], in 120ths of a notch, and not by whole notches.
    fn takes_units(&self) -> bool {
        false
    }

    /// Called before the first key of a batch is resolved.
    fn begin(&mut self) -> Result<(), Fault>;

    /// Called when a batch is over, whichever way; gives back what [`Injector::begin`] took (CapsLock).
    fn end(&mut self) -> Result<(), Fault>;

    /// The codes for a key. `upcoming` are the characters that follow, so that a borrowed keycode is not taken from one
    /// that is needed next.
    fn resolve(
        &mut self,
        key: Key,
        purpose: Purpose,
        upcoming: &[char],
        now: Duration,
    ) -> Result<Resolved, Fault>;

    /// The code of a button, as the person has arranged them.
    fn button(&mut self, button: Button) -> Result<Code, Fault>;

    /// Says where the focus is and, if it says so, holds it there until [`Injector::unpin_focus`], or comes as close to that as the
    /// system lets it. A focus anywhere within `meant` is told as `meant`.
    fn pin_focus(&mut self, meant: Option<u64>) -> Result<Focus, Fault> {
        let _ = meant;
        Ok(Focus::Untold)
    }

    /// Returns when what was sent since [`Injector::pin_focus`] is with the window, and lets the focus move again. Harmless if
    /// nothing is held.
    fn unpin_focus(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    /// What a person would call the window, for messages; asked while the focus is held there.
    fn name_of(&mut self, window: u64) -> Result<String, Fault> {
        Ok(format!("window {window:#x}"))
    }

    /// Hands one event to the system; it may be buffered until [`Injector::sync`].
    fn send(&mut self, event: Event, now: Duration) -> Result<(), Fault>;

    /// Returns when the system has taken everything sent before, or says what it refused.
    fn sync(&mut self) -> Result<(), Fault>;

    /// Of these codes, those that are down in truth.
    fn down(&mut self, codes: &[Code]) -> Result<Vec<Code>, Fault>;

    /// True if a key or button is down that is none of `own`, and the person is watched for.
    fn others_hold(&mut self, own: &[Code]) -> Result<bool, Fault> {
        let _ = own;
        Ok(false)
    }

    /// Gives borrowed keycodes back that nobody needs any more; says when to ask again.
    fn tidy(&mut self, now: Duration, leaving: bool) -> Result<Option<Duration>, Fault>;
}
