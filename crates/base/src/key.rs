//! Keys and chords, and every name a model or a person may call them by.
//!
//! One table maps the vocabularies of xdotool, OpenAI, pyautogui, Playwright, UI-TARS and macOS to one set of keys.
//! This module refuses to know keycodes: which code types a key is the backend's business and changes while we run.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A key as a person would name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// The key that types this character, with whatever modifiers the layout needs for it.
    Char(char),
    Named(Named),
}

macro_rules! named_keys {
    ($($variant:ident: $($name:literal)+;)*) => {
        /// A key without a character. The first name in the table is the one we print.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Named { $($variant),* }

        /// Every name of every named key, lower case, without `_`, `-` and spaces.
        pub const NAMED_KEYS: &[(Named, &[&str])] = &[$((Named::$variant, &[$($name),+])),*];
    };
}

named_keys! {
    Enter: "enter" "return" "ret" "cr" "linefeed" "newline";
    Tab: "tab";
    Escape: "escape" "esc";
    Backspace: "backspace" "back" "bksp";
    Delete: "delete" "del";
    Insert: "insert" "ins";
    Space: "space" "spacebar";
    Home: "home";
    End: "end";
    PageUp: "pageup" "pgup" "prior";
    PageDown: "pagedown" "pgdn" "pgdown" "next";
    Left: "left" "arrowleft" "leftarrow";
    Right: "right" "arrowright" "rightarrow";
    Up: "up" "arrowup" "uparrow";
    Down: "down" "arrowdown" "downarrow";
    CapsLock: "capslock" "caps";
    NumLock: "numlock";
    ScrollLock: "scrolllock";
    PrintScreen: "printscreen" "print" "prtsc" "prtscr" "prntscrn" "sysrq";
    Pause: "pause" "break";
    Menu: "menu" "apps" "contextmenu" "application";
    Control: "ctrl" "control" "ctl" "controll" "ctrlleft" "controlleft" "leftctrl" "leftcontrol" "lctrl" "lcontrol";
    ControlRight: "ctrlright" "controlr" "controlright" "rightctrl" "rightcontrol" "rctrl";
    Shift: "shift" "shiftl" "shiftleft" "leftshift" "lshift";
    ShiftRight: "shiftright" "shiftr" "rightshift" "rshift";
    Alt: "alt" "altl" "altleft" "leftalt" "lalt" "option" "opt" "optionleft";
    AltRight: "altright" "altr" "rightalt" "ralt" "optionright" "altgr" "isolevel3shift" "modeswitch" "altgraph";
    Super: "super" "superl" "superleft" "meta" "metal" "metaleft" "win" "winleft" "windows" "cmd" "command" "lwin" "oskey" "os";
    SuperRight: "superright" "superr" "metaright" "metar" "winright" "rwin" "cmdright";
    F1: "f1"; F2: "f2"; F3: "f3"; F4: "f4"; F5: "f5"; F6: "f6"; F7: "f7"; F8: "f8"; F9: "f9"; F10: "f10"; F11: "f11"; F12: "f12";
    F13: "f13"; F14: "f14"; F15: "f15"; F16: "f16"; F17: "f17"; F18: "f18"; F19: "f19"; F20: "f20"; F21: "f21"; F22: "f22"; F23: "f23"; F24: "f24";
    Keypad0: "kp0" "num0" "numpad0"; Keypad1: "kp1" "num1" "numpad1"; Keypad2: "kp2" "num2" "numpad2"; Keypad3: "kp3" "num3" "numpad3"; Keypad4: "kp4" "num4" "numpad4";
    Keypad5: "kp5" "num5" "numpad5"; Keypad6: "kp6" "num6" "numpad6"; Keypad7: "kp7" "num7" "numpad7"; Keypad8: "kp8" "num8" "numpad8"; Keypad9: "kp9" "num9" "numpad9";
    KeypadAdd: "kpadd" "add" "numpadadd"; KeypadSubtract: "kpsubtract" "subtract" "numpadsubtract"; KeypadMultiply: "kpmultiply" "multiply" "numpadmultiply";
    KeypadDivide: "kpdivide" "divide" "numpaddivide"; KeypadDecimal: "kpdecimal" "decimal" "numpaddecimal"; KeypadEnter: "kpenter" "numpadenter";
    VolumeUp: "volumeup" "audioraisevolume" "xf86audioraisevolume"; VolumeDown: "volumedown" "audiolowervolume" "xf86audiolowervolume"; VolumeMute: "volumemute" "mute" "audiomute" "xf86audiomute";
    MediaPlayPause: "playpause" "mediaplaypause" "audioplay" "xf86audioplay"; MediaNext: "nexttrack" "audionext" "medianexttrack"; MediaPrevious: "prevtrack" "audioprev" "mediaprevioustrack";
    BrowserBack: "browserback" "xf86back"; BrowserForward: "browserforward" "xf86forward";
}

/// Characters that dialects spell out.
const SPELLED: &[(&str, char)] = &[
    ("plus", '+'),
    ("minus", '-'),
    ("hyphen", '-'),
    ("equal", '='),
    ("equals", '='),
    ("comma", ','),
    ("period", '.'),
    ("dot", '.'),
    ("slash", '/'),
    ("backslash", '\\'),
    ("semicolon", ';'),
    ("apostrophe", '\''),
    ("quote", '\''),
    ("grave", '`'),
    ("backquote", '`'),
    ("bracketleft", '['),
    ("bracketright", ']'),
    ("underscore", '_'),
    ("asterisk", '*'),
    ("exclam", '!'),
    ("at", '@'),
    ("numbersign", '#'),
    ("dollar", '$'),
    ("percent", '%'),
    ("ampersand", '&'),
    ("parenleft", '('),
    ("parenright", ')'),
    ("colon", ':'),
    ("less", '<'),
    ("greater", '>'),
    ("question", '?'),
    ("bar", '|'),
    ("asciitilde", '~'),
    ("asciicircum", '^'),
    ("quotedbl", '"'),
];

/// No such key, said to the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error(
        "there is no key {name:?}; write keys like \"ctrl+s\", \"Return\", \"Page_Down\" or a single character"
    )]
    Unknown { name: String },
    #[error("an empty key name; write keys like \"ctrl+s\" or \"Return\"")]
    Empty,
    #[error("a chord of {count} keys; {MAX_CHORD} at most")]
    TooLong { count: usize },
}

impl Named {
    /// The name we print: the first in the table.
    pub fn name(self) -> &'static str {
        NAMED_KEYS.iter().find(|(key, _)| *key == self).map_or("?", |(_, names)| names[0])
    }

    /// True for keys that change what other keys do while held.
    pub const fn is_modifier(self) -> bool {
        matches!(
            self,
            Self::Control
                | Self::ControlRight
                | Self::Shift
                | Self::ShiftRight
                | Self::Alt
                | Self::AltRight
                | Self::Super
                | Self::SuperRight
        )
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Char(c) => write!(f, "{c}"),
            Self::Named(n) => f.write_str(n.name()),
        }
    }
}

impl FromStr for Key {
    type Err = KeyError;

    /// One key by any of its names; a single character is itself, with its case kept.
    fn from_str(name: &str) -> Result<Self, KeyError> {
        let mut chars = name.chars();
        match (chars.next(), chars.next()) {
            (None, _) => return Err(KeyError::Empty),
            (Some(' '), None) => return Ok(Self::Named(Named::Space)),
            (Some('\n' | '\r'), None) => return Ok(Self::Named(Named::Enter)),
            (Some('\t'), None) => return Ok(Self::Named(Named::Tab)),
            (Some(c), None) if !c.is_control() => return Ok(Self::Char(c)),
            _ => {}
        }
        let plain: String =
            name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect();
        if let Some((key, _)) = NAMED_KEYS.iter().find(|(_, names)| names.contains(&plain.as_str())) {
            return Ok(Self::Named(*key));
        }
        if let Some((_, c)) = SPELLED.iter().find(|(spelled, _)| *spelled == plain) {
            return Ok(Self::Char(*c));
        }
        Err(KeyError::Unknown { name: name.chars().take(40).collect() })
    }
}

/// Keys pressed one after the other and released in the opposite order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Chord(pub Vec<Key>);

/// Nobody has more fingers.
pub const MAX_CHORD: usize = 10;

impl FromStr for Chord {
    type Err = KeyError;

    /// `ctrl+shift+s`, `Control+A`, `ctrl c`, and a lone `+` which is a key.
    fn from_str(text: &str) -> Result<Self, KeyError> {
        let text = if text.chars().count() == 1 { text } else { text.trim() };
        if text.is_empty() {
            return Err(KeyError::Empty);
        }
        if text.chars().count() == 1 {
            return Ok(Self(vec![text.parse()?]));
        }
        // A name that stands as a whole wins over its parts: "Page Down" is one key, "ctrl c" is two.
        if let Ok(key) = text.parse() {
            return Ok(Self(vec![key]));
        }
        // "ctrl++" is Ctrl with the plus key.
        let (body, plus) = match text.strip_suffix("++") {
            Some(body) => (body, true),
            None => (text, false),
        };
        let parts: Vec<&str> = if body.contains('+') || plus {
            body.split('+').map(str::trim).collect()
        } else {
            body.split_whitespace().collect()
        };
        let mut keys = parts.into_iter().map(str::parse).collect::<Result<Vec<Key>, _>>()?;
        if plus {
            keys.push(Key::Char('+'));
        }
        if keys.len() > MAX_CHORD {
            return Err(KeyError::TooLong { count: keys.len() });
        }
        Ok(Self(keys))
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, key) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("+")?;
            }
            write!(f, "{key}")?;
        }
        Ok(())
    }
}

/// Modifiers held around an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Modifiers {
    pub control: bool,
    pub alt: bool,
    pub shift: bool,
    #[serde(rename = "super")]
    pub super_: bool,
}

impl Modifiers {
    pub const NONE: Self = Self { control: false, alt: false, shift: false, super_: false };

    /// The keys to hold, in the order they go down.
    pub fn keys(self) -> impl DoubleEndedIterator<Item = Key> {
        [
            (self.control, Named::Control),
            (self.alt, Named::Alt),
            (self.shift, Named::Shift),
            (self.super_, Named::Super),
        ]
        .into_iter()
        .filter_map(|(held, key)| held.then_some(Key::Named(key)))
    }

    /// Adds the modifier a key stands for; false if the key is none.
    pub fn add(&mut self, key: Key) -> bool {
        match key {
            Key::Named(Named::Control | Named::ControlRight) => self.control = true,
            Key::Named(Named::Alt | Named::AltRight) => self.alt = true,
            Key::Named(Named::Shift | Named::ShiftRight) => self.shift = true,
            Key::Named(Named::Super | Named::SuperRight) => self.super_ = true,
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chord(text: &str) -> String {
        text.parse::<Chord>().map_or_else(|e| format!("{e}"), |c| c.to_string())
    }

    #[test]
    fn every_vocabulary_means_the_same_keys() {
        for (text, keys) in [
            ("ctrl+s", "ctrl+s"),
            ("Control+S", "ctrl+S"),
            ("ctrl c", "ctrl+c"),
            ("CTRL", "ctrl"),
            ("ARROWLEFT", "left"),
            ("Page_Down", "pagedown"),
            ("Page Down", "pagedown"),
            ("Return", "enter"),
            ("cmd+option+esc", "super+alt+escape"),
            ("winleft", "super"),
            ("KP_Enter", "kpenter"),
            ("+", "+"),
            ("ctrl++", "ctrl++"),
            ("ctrl+plus", "ctrl++"),
            ("é", "é"),
            ("F12", "f12"),
            ("ISO_Level3_Shift", "altright"),
            (" ", "space"),
            ("shift + Tab", "shift+tab"),
            ("alt+-", "alt+-"),
        ] {
            assert_eq!(chord(text), keys, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_key_is_named() {
        for bad in ["", "   ", "ctrl+", "ctrl+nope", "hyperspace", "a+b+c+d+e+f+g+h+i+j+k", "\u{7}"] {
            assert!(bad.parse::<Chord>().is_err(), "{bad:?} was taken for a chord");
        }
        assert!(chord("ctrl+nope").contains("\"nope\""));
    }

    #[test]
    fn no_name_means_two_keys() {
        let mut seen = std::collections::HashMap::new();
        for (key, names) in NAMED_KEYS {
            for name in *names {
                assert_eq!(seen.insert(name, key), None, "{name} stands twice");
                assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()), "{name}");
            }
        }
    }
}
