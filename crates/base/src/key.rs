//! Keys and chords, and every name a model or a person may call them by.
//!
//! One table maps the vocabularies of xdotool, OpenAI, pyautogui, Playwright, UI-TARS and macOS to one set of keys.
//! This module refuses to know keycodes: which code types a key is the backend's business and changes while we run.
//!
//! Case: alone, `A` is the capital letter, typed with whatever the layout needs for it. In a chord of several keys a
//! letter names a key, so it is lower-cased: models write `Control+A` and mean select-all, not Ctrl+Shift+A (which is
//! what xdotool would press). Shift is held only where it is said, and `ctrl+shift+T` is the same chord as
//! `ctrl+shift+t`, so that a policy cannot be passed by spelling.

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
    Control: "ctrl" "control" "ctl" "controll" "ctrll" "ctrlleft" "controlleft" "leftctrl" "leftcontrol" "lctrl" "lcontrol";
    ControlRight: "ctrlright" "ctrlr" "controlr" "controlright" "rightctrl" "rightcontrol" "rctrl";
    Shift: "shift" "shiftl" "shiftleft" "leftshift" "lshift";
    ShiftRight: "shiftright" "shiftr" "rightshift" "rshift";
    Alt: "alt" "altl" "altleft" "leftalt" "lalt" "option" "opt" "optionleft";
    AltRight: "altright" "altr" "rightalt" "ralt" "optionright" "altgr" "isolevel3shift" "modeswitch" "altgraph";
    Super: "super" "superl" "superleft" "meta" "metal" "metaleft" "win" "winleft" "windows" "cmd" "cmdl" "cmdleft" "command" "lwin" "oskey" "os";
    SuperRight: "superright" "superr" "metaright" "metar" "winright" "rwin" "cmdr" "cmdright";
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
    ("braceleft", '{'),
    ("braceright", '}'),
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
    #[error("the chord names {key:?} twice; name each key once, and press a chord again to repeat it")]
    Twice { key: String },
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
        // Separators fall out between letters only: "page-down" is one key, "alt-" is no way to write Alt.
        let separates = |c: char| matches!(c, '_' | '-' | ' ');
        if name.len() > LONGEST_NAME || name.starts_with(separates) || name.ends_with(separates) {
            return Err(KeyError::unknown(name));
        }
        // "alt left" and "ctrl-l" are chords, though "altleft" and "Control_L" are keys.
        if let Some((first, rest)) = name.split_once([' ', '-'])
            && first.parse().is_ok_and(Self::is_modifier)
            && rest.parse::<Self>().is_ok()
        {
            return Err(KeyError::unknown(name));
        }
        let plain: String = name.chars().filter(|c| !separates(*c)).flat_map(char::to_lowercase).collect();
        if let Some((key, _)) = NAMED_KEYS.iter().find(|(_, names)| names.contains(&plain.as_str())) {
            return Ok(Self::Named(*key));
        }
        if let Some((_, c)) = SPELLED.iter().find(|(spelled, _)| *spelled == plain) {
            return Ok(Self::Char(*c));
        }
        // Playwright's codes: KeyA, Digit7.
        let coded = plain.strip_prefix("key").filter(|c| c.chars().all(|c| c.is_ascii_lowercase()));
        let coded = coded.or(plain.strip_prefix("digit").filter(|c| c.chars().all(|c| c.is_ascii_digit())));
        match coded.map(str::as_bytes) {
            Some([c]) => Ok(Self::Char(char::from(*c))),
            _ => Err(KeyError::unknown(name)),
        }
    }
}

/// In bytes, with separators: more than any name in the tables needs.
const LONGEST_NAME: usize = 40;
/// In bytes: room for ten names with blanks around them.
const LONGEST_CHORD: usize = 512;

impl KeyError {
    fn unknown(name: &str) -> Self {
        Self::Unknown { name: name.chars().take(40).collect() }
    }
}

/// Keys pressed one after the other and released in the opposite order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Chord(pub Vec<Key>);

/// Nobody has more fingers.
pub const MAX_CHORD: usize = 10;

impl Chord {
    /// From a list of names, as OpenAI (`["CTRL", "C"]`), Qwen and `assist` write chords.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, KeyError> {
        let mut keys = Vec::new();
        for name in names {
            read_chord(name, &mut keys)?;
        }
        Self::of(keys)
    }

    fn of(mut keys: Vec<Key>) -> Result<Self, KeyError> {
        if keys.len() > MAX_CHORD {
            return Err(KeyError::TooLong { count: keys.len() });
        }
        if keys.len() > 1 {
            keys.iter_mut().for_each(Key::name_the_key);
        }
        for (i, key) in keys.iter().enumerate() {
            if keys[..i].contains(key) {
                return Err(KeyError::Twice { key: key.to_string() });
            }
        }
        if keys.is_empty() { Err(KeyError::Empty) } else { Ok(Self(keys)) }
    }
}

impl Key {
    /// True for keys that change what other keys do while held.
    pub const fn is_modifier(self) -> bool {
        matches!(self, Self::Named(named) if named.is_modifier())
    }

    /// In a chord a letter means its key (see the module's words on case). The few capitals that are
    /// not one small letter stay as they are.
    fn name_the_key(&mut self) {
        if let Self::Char(c) = self {
            let mut small = c.to_lowercase();
            if let (Some(only), None) = (small.next(), small.next()) {
                *c = only;
            }
        }
    }
}

impl FromStr for Chord {
    type Err = KeyError;

    /// `ctrl+shift+s`, `Control+A`, `ctrl c`, `ctrl-c`, and a lone `+` which is a key.
    fn from_str(text: &str) -> Result<Self, KeyError> {
        Self::from_names([text])
    }
}

/// Appends the keys that `text` names, in its order.
fn read_chord(text: &str, keys: &mut Vec<Key>) -> Result<(), KeyError> {
    // A single character is a key, be it a space or a separator.
    let text = if text.chars().nth(1).is_none() { text } else { text.trim() };
    // Bounds the depth of what follows too: the text is a model's.
    if text.len() > LONGEST_CHORD {
        return Err(KeyError::unknown(text));
    }
    if keys.len() > MAX_CHORD {
        return Err(KeyError::TooLong { count: keys.len() });
    }
    // A name that stands as a whole wins over its parts: "Page Down" is one key, "ctrl c" is two.
    let unknown = match text.parse() {
        Ok(key) => {
            keys.push(key);
            return Ok(());
        }
        Err(unknown) => unknown,
    };
    // "ctrl++", "ctrl + +" and "ctrl +" are Ctrl with the plus key; "ctrl+" is half a chord.
    if let Some(body) = text.strip_suffix('+').filter(|body| body.ends_with(['+', ' '])) {
        let body = body.trim_end();
        read_chord(body.strip_suffix('+').unwrap_or(body), keys)?;
        keys.push(Key::Char('+'));
        return Ok(());
    }
    if text.contains('+') {
        return text.split('+').try_for_each(|part| read_chord(part.trim(), keys));
    }
    if text.contains(char::is_whitespace) {
        return text.split_whitespace().try_for_each(|part| read_chord(part, keys));
    }
    // "ctrl-c", "alt-F4": a dash separates only after a modifier.
    match text.split_once('-').map(|(first, rest)| (first.parse::<Key>(), rest)) {
        Some((Ok(first), rest)) if first.is_modifier() && !rest.is_empty() => {
            keys.push(first);
            read_chord(rest, keys)
        }
        _ => Err(unknown),
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, key) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("+")?;
            }
            match key {
                // A plus before another key would read as a separator.
                Key::Char('+') if i + 1 < self.0.len() => f.write_str("plus")?,
                Key::Char(_) | Key::Named(_) => write!(f, "{key}")?,
            }
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
mod tests;
