//! What a test and a witness in another process say to each other.
//!
//! The test starts the witness and writes one [`Ask`] a line as JSON to its standard input; the witness answers each, in
//! order, with one line: a [`Said`]. Besides answers only [`Said::Told`] may come, at any time. At the end of its input the
//! witness closes its windows and ends. It writes nothing else to standard output.
//!
//! All places are physical pixels of the screen, so a witness on Windows must be DPI aware. A witness reports what the
//! system delivered, in order, and refuses to guess: what it cannot do it answers with [`Said::Failed`].

use handsight_base::flow::action::{Axis, Button};
use handsight_base::key::Key;
use handsight_base::space::{ScreenPx, ScreenRect, WindowPx};
use serde::{Deserialize, Serialize};

/// To be raised with every change that an older witness would misread.
pub const VERSION: u32 = 2;

/// The class of the witness's windows where the system has window classes.
pub const CLASS: &str = "HandsightWitness";

/// The pointer's picture after [`Ask::Cursor`]: a red square of this many pixels a side, a white pixel at its hot spot.
pub const CURSOR_SIDE: u32 = 8;
/// The hot spot, from the square's top-left corner.
pub const CURSOR_HOT: WindowPx = WindowPx::new(2, 5);

/// One of the windows a witness may have open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// What the test works on.
    Main,
    /// Takes the focus away, and gets what goes astray.
    Other,
}

impl Which {
    /// The window's title, to the letter.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Main => "Conformance: the window",
            Self::Other => "Conformance: the other",
        }
    }
}

/// What a test asks of a witness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Ask {
    /// Answered with [`Said::Ready`].
    Hello,
    /// Opens the window with its client area exactly there, painted with [`pattern`], in front of all others and with the
    /// focus. Answered with [`Said::Done`] when it is shown, painted and focused. `framed` asks for the system's own
    /// decoration around the client area; else there is none. A window that is open already is closed first.
    Open { window: Which, client: ScreenRect, seed: u32, framed: bool },
    /// Moves and resizes the client area; done when it is there and painted.
    Place { window: Which, client: ScreenRect },
    /// Paints the client area anew; done when it is on the screen.
    Paint { window: Which, seed: u32 },
    /// Destroys the window; done when it is gone. One that is not open is gone already.
    Close { window: Which },
    /// Gives the focus to the window; done when it has it.
    Focus { window: Which },
    /// Answered with [`Said::Events`]: everything since the last `Forget`.
    Events,
    /// Drops all events and all text so far, and a pending [`Ask::At`].
    Forget,
    /// What the window got as text since the last `Forget`, answered with [`Said::Text`]. Enter is `\n`, Tab is `\t`. A
    /// half of a surrogate pair that came alone is U+FFFD. `Ctrl+V` inserts the clipboard's text.
    Text { window: Which },
    /// What is down now, whoever pressed it, answered with [`Said::Held`].
    Held,
    /// Answered with [`Said::Place`].
    Pointer,
    /// Answered with [`Said::Millis`], on the clock of [`Seen::at_ms`].
    Now,
    /// As soon as the window has got this many events from now on, the witness does the deed by itself, in the very place
    /// where it got the event. Moves count too.
    At { events: u32, deed: Deed },
    /// From now on the pointer looks like a red square over the witness's windows (see [`CURSOR_SIDE`]).
    Cursor,
    /// Text on the clipboard, answered with [`Said::Text`].
    Clipboard,
    /// Puts text on the clipboard and keeps it there.
    SetClipboard { text: String },
}

/// What a witness does by itself when enough events have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    /// Says [`Said::Told`] at once.
    Tell,
    /// Destroys the main window.
    Close,
    /// Gives the focus to the other window, which is open.
    Unfocus,
    /// Destroys the main window, and gives the focus to the other, which is open.
    Yield,
}

/// What a witness says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "said", rename_all = "snake_case")]
pub enum Said {
    Ready {
        version: u32,
        pid: u32,
    },
    Done,
    Events {
        events: Vec<Seen>,
    },
    Text {
        text: String,
    },
    Held {
        held: Held,
    },
    Place {
        at: ScreenPx,
    },
    Millis {
        millis: u64,
    },
    /// A deed was done; `millis` is when the event came that was waited for.
    Told {
        millis: u64,
    },
    Failed {
        why: String,
    },
}

/// One event a window of the witness got.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    pub window: Which,
    pub what: What,
    /// The pointer on the screen when the event was made.
    pub screen: ScreenPx,
    /// The same from the top-left of the window's client area, as the system reported it to the window.
    pub client: WindowPx,
    /// A steady clock of the witness's own.
    pub at_ms: u64,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    Move,
    Button {
        button: Button,
        down: bool,
    },
    /// 120ths of a notch; positive is up and right, as in [`Axis`]'s primitives.
    Wheel {
        axis: Axis,
        units: i32,
    },
    /// A key of the keyboard. `key` is what the key is called on its first level (`s`, never `S`; the left and the right Shift
    /// differ); `None` for input that is text and no key (`VK_PACKET`), one press and release for each UTF-16 unit.
    /// `repeat` marks the presses that the system itself adds while a key is held.
    Key {
        key: Option<Key>,
        down: bool,
        repeat: bool,
    },
}

/// What is down, by names for messages. Both empty: everything is up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Held {
    pub keys: Vec<String>,
    pub buttons: Vec<String>,
}

impl Held {
    pub const fn is_nothing(&self) -> bool {
        self.keys.is_empty() && self.buttons.is_empty()
    }
}

/// The colour of one pixel of a painted client area as blue, green, red. Neighbours differ, and so do seeds.
pub const fn pattern(seed: u32, column: u32, row: u32) -> [u8; 3] {
    let mut v = column
        .wrapping_mul(0x9E37_79B1)
        .wrapping_add(row.wrapping_mul(0x85EB_CA77))
        .wrapping_add(seed.wrapping_mul(0xC2B2_AE3D));
    v ^= v >> 15;
    v = v.wrapping_mul(0x2C1B_3C6D);
    v ^= v >> 12;
    [v as u8, (v >> 8) as u8, (v >> 16) as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_comes_back_as_it_went() {
        let client = ScreenRect::new(-3, 4, 50, 60);
        for ask in [
            Ask::Hello,
            Ask::Open { window: Which::Main, client, seed: 7, framed: true },
            Ask::At { events: 3, deed: Deed::Unfocus },
            Ask::SetClipboard { text: "ü\n😀".into() },
        ] {
            let line = serde_json::to_string(&ask).unwrap();
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(serde_json::from_str::<Ask>(&line).unwrap(), ask);
        }
        let seen = |what| Seen {
            window: Which::Other,
            what,
            screen: ScreenPx::new(-5, 6),
            client: WindowPx::new(1, 2),
            at_ms: 99,
        };
        let key = Some("ctrl".parse().unwrap());
        let events = vec![
            seen(What::Move),
            seen(What::Wheel { axis: Axis::Vertical, units: -120 }),
            seen(What::Key { key, down: true, repeat: false }),
            seen(What::Key { key: None, down: false, repeat: false }),
        ];
        let said = Said::Events { events };
        let line = serde_json::to_string(&said).unwrap();
        assert_eq!(serde_json::from_str::<Said>(&line).unwrap(), said);
    }

    #[test]
    fn a_pattern_shows_any_shift() {
        for (x, y) in [(0, 0), (17, 3), (1279, 719)] {
            for (dx, dy, seed) in [(1, 0, 5), (0, 1, 5), (2, 0, 5), (0, 0, 6)] {
                assert_ne!(pattern(5, x, y), pattern(seed, x + dx, y + dy), "{x} {y} by {dx} {dy}, {seed}");
            }
        }
    }
}
