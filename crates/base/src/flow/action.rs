//! What the hands can do, and the primitives an action is made of.
//!
//! This module refuses to hold anything that does not move the hands: looking, asking and tool calls are intents
//! ([`super::intent`]). A new movement is one variant here; exhaustive matches show every place that must know it.

mod words;

use crate::key::{Chord, Key, Modifiers};
use crate::space::{At, FrameId, FramePx, ScreenPx};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A place on the picture the model saw.
pub type Spot = At<FramePx>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    #[default]
    Left,
    Middle,
    Right,
    Back,
    Forward,
}

/// How far a scroll goes. Positive is up and right.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScrollBy {
    /// Clicks of the wheel.
    Notches { dx: i32, dy: i32 },
    /// 120ths of a notch, the wheel step of Windows (S-30).
    Units { dx: i32, dy: i32 },
    /// Pixels, turned into notches by [`Timing::pixels_per_notch`].
    Pixels { dx: i32, dy: i32 },
}

/// One movement of the hands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Action {
    /// `count` (1 to 4) clicks, at the present pointer position if no place is given.
    Click {
        at: Option<Spot>,
        button: Button,
        count: u8,
        modifiers: Modifiers,
    },
    Move {
        to: Spot,
    },
    Down {
        at: Option<Spot>,
        button: Button,
    },
    Up {
        at: Option<Spot>,
        button: Button,
    },
    /// Button down at the first place, along the path, up at the last. Two places at least.
    Drag {
        path: Vec<Spot>,
        button: Button,
        modifiers: Modifiers,
    },
    /// Turns the wheel, at the present pointer position if no place is given.
    Scroll {
        at: Option<Spot>,
        by: ScrollBy,
        modifiers: Modifiers,
    },
    /// Types text where the focus is; a line break (`\n`, `\r\n`, `\r`) presses Enter once, a tab Tab. Any
    /// other control character is refused.
    Type {
        text: String,
        /// Between two characters, instead of [`Timing::type_interval`]; kept exactly.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        interval_millis: Option<u64>,
    },
    /// Types by way of the clipboard, whose contents are given back.
    Paste {
        text: String,
    },
    Key {
        chord: Chord,
        repeat: u16,
    },
    HoldKey {
        chord: Chord,
        millis: u64,
    },
    Wait {
        millis: u64,
    },
    /// Starts a program without a shell: the command and its arguments.
    Launch {
        argv: Vec<String>,
    },
    FocusWindow {
        query: WindowQuery,
    },
}

/// Which window is meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowQuery {
    /// The whole title, to the letter.
    Title(String),
    /// A part of the title, in any case.
    TitlePart(String),
    /// A regular expression over the title.
    TitleRegex(String),
    /// The window class (the class or instance name of `WM_CLASS` on X11).
    Class(String),
    Pid(u32),
    /// The backend's own number for a window.
    Id(u64),
    /// Whatever has the focus.
    Active,
}

impl Action {
    /// Text at the pace of the profile.
    pub fn typed(text: impl Into<String>) -> Self {
        Self::Type { text: text.into(), interval_millis: None }
    }

    /// Every place the action names, in the order the hands visit them.
    pub fn spots(&self) -> &[Spot] {
        match self {
            Self::Click { at, .. }
            | Self::Down { at, .. }
            | Self::Up { at, .. }
            | Self::Scroll { at, .. } => at.as_slice(),
            Self::Move { to } => std::slice::from_ref(to),
            Self::Drag { path, .. } => path,
            Self::Type { .. }
            | Self::Paste { .. }
            | Self::Key { .. }
            | Self::HoldKey { .. }
            | Self::Wait { .. }
            | Self::Launch { .. }
            | Self::FocusWindow { .. } => &[],
        }
    }

    /// The word for it in logs and tables.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Click { .. } => "click",
            Self::Move { .. } => "move",
            Self::Down { .. } => "down",
            Self::Up { .. } => "up",
            Self::Drag { .. } => "drag",
            Self::Scroll { .. } => "scroll",
            Self::Type { .. } => "type",
            Self::Paste { .. } => "paste",
            Self::Key { .. } => "key",
            Self::HoldKey { .. } => "hold_key",
            Self::Wait { .. } => "wait",
            Self::Launch { .. } => "launch",
            Self::FocusWindow { .. } => "focus_window",
        }
    }

    /// BLAKE3 over the action and the frame it was decided on: what an approval is bound to and a journal names.
    pub fn hash(&self, frame: FrameId) -> ActionHash {
        ActionHash::over(frame, |hasher| {
            hasher.update(&json(self));
        })
    }
}

/// Serialising a value of our own to memory cannot fail; an empty text would only make a hash coarser.
pub(crate) fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

/// 128 bits in hexadecimal over an action and its frame. Journals keep it, so what it is made of must not change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ActionHash(pub String);

impl ActionHash {
    pub(crate) fn over(frame: FrameId, what: impl FnOnce(&mut blake3::Hasher)) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&frame.0.to_le_bytes());
        what(&mut hasher);
        Self(hasher.finalize().to_hex().as_str()[..32].to_owned())
    }
}

/// What a batch is made of. Hands resolve `Char` and `Key` to codes and run the waits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Primitive {
    Move(ScreenPx),
    Button {
        button: Button,
        down: bool,
    },
    Key {
        key: Key,
        down: bool,
    },
    /// Types one character: pressed and released, with what the layout needs around it.
    Char(char),
    /// Turns a wheel by 120ths of a notch. Positive is up (vertical) or right (horizontal).
    Wheel {
        axis: Axis,
        units: i32,
    },
    Wait(Duration),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    Vertical,
    Horizontal,
}

/// Primitives that belong together: all events of one action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    pub primitives: Vec<Primitive>,
}

/// How an action is spread over time. All zero means as fast as the desktop takes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Between a press and its release. Games poll their input and lose a press of 0 ms; 100 is safe there.
    pub hold: Duration,
    /// Between the clicks of a double or triple click.
    pub click_interval: Duration,
    /// Between two characters of a text without a pace of its own, and between two presses of a repeated chord.
    pub type_interval: Duration,
    /// Between two points of a drag.
    pub drag_interval: Duration,
    /// Longest step of a drag in screen units; longer legs get points in between, so that programs see a motion.
    pub drag_step: u32,
    /// OpenAI's helper counts about 100 pixels a notch.
    pub pixels_per_notch: u32,
    /// Each of these waits is lengthened by up to this share of it (0 none, 1 and above at most doubled), drawn from
    /// `jitter_seed`. What an action itself names (a wait, a pace of typing) is kept exactly.
    pub jitter: f64,
    pub jitter_seed: u64,
    /// A launch presses Super+R, waits this long for the dialog, types the command and presses Enter; `None` leaves launching to
    /// the desktop.
    pub run_dialog: Option<Duration>,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            hold: Duration::ZERO,
            click_interval: Duration::ZERO,
            type_interval: Duration::ZERO,
            drag_interval: Duration::from_millis(8),
            drag_step: 24,
            pixels_per_notch: 100,
            jitter: 0.0,
            jitter_seed: 0,
            run_dialog: None,
        }
    }
}

#[cfg(test)]
mod tests;
