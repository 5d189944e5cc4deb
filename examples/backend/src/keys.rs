//! Keys and text as the bytes that a terminal sends.
//!
//! A program chooses how it wants keys. In a terminal's old ways a key is a character or a short sequence, releases and lone
//! modifiers do not exist, and many chords look the same; a chord that would arrive as another is refused by its name. In the kitty
//! keyboard protocol, which a program has to switch on, every press and release arrives as itself.
//!
//! There is no keyboard, so a layout has to be assumed for signs that need Shift: that of the United States.

use handsight_base::key::{Key, Modifiers, Named};

/// Say Escape and the like unambiguously.
const DISAMBIGUATE: u8 = 1;
/// Releases too.
const EVENTS: u8 = 2;
/// The character that Shift makes of a key.
const ALTERNATES: u8 = 4;
/// Keys that make text too.
const ALL_KEYS: u8 = 8;
/// The text that a key makes.
const TEXT: u8 = 16;

/// How the program wants keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct KeyModes {
    /// Flags of the kitty keyboard protocol.
    pub(crate) kitty: u8,
    /// Arrow keys in their other form (DECCKM).
    pub(crate) application_cursor: bool,
}

/// Why there are no bytes for a key: its name with what is held beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoBytes(pub(crate) String);

/// Keys of more than a character: number and last letter of their sequence.
#[rustfmt::skip]
const NAMED: &[(Named, u32, u8)] = &[
    (Named::Escape, 27, b'u'), (Named::Enter, 13, b'u'), (Named::Tab, 9, b'u'), (Named::Backspace, 127, b'u'),
    (Named::Space, 32, b'u'),
    (Named::Up, 1, b'A'), (Named::Down, 1, b'B'), (Named::Right, 1, b'C'), (Named::Left, 1, b'D'),
    (Named::Home, 1, b'H'), (Named::End, 1, b'F'),
    (Named::Insert, 2, b'~'), (Named::Delete, 3, b'~'), (Named::PageUp, 5, b'~'), (Named::PageDown, 6, b'~'),
    (Named::F1, 1, b'P'), (Named::F2, 1, b'Q'), (Named::F3, 13, b'~'), (Named::F4, 1, b'S'),
    (Named::F5, 15, b'~'), (Named::F6, 17, b'~'), (Named::F7, 18, b'~'), (Named::F8, 19, b'~'),
    (Named::F9, 20, b'~'), (Named::F10, 21, b'~'), (Named::F11, 23, b'~'), (Named::F12, 24, b'~'),
];

/// Keys that only the kitty protocol knows.
#[rustfmt::skip]
const KITTY: &[(Named, u32)] = &[
    (Named::CapsLock, 57358), (Named::ScrollLock, 57359), (Named::NumLock, 57360), (Named::PrintScreen, 57361),
    (Named::Pause, 57362), (Named::Menu, 57363),
    (Named::F13, 57376), (Named::F14, 57377), (Named::F15, 57378), (Named::F16, 57379), (Named::F17, 57380), (Named::F18, 57381),
    (Named::F19, 57382), (Named::F20, 57383), (Named::F21, 57384), (Named::F22, 57385), (Named::F23, 57386), (Named::F24, 57387),
    (Named::Keypad0, 57399), (Named::Keypad1, 57400), (Named::Keypad2, 57401), (Named::Keypad3, 57402), (Named::Keypad4, 57403),
    (Named::Keypad5, 57404), (Named::Keypad6, 57405), (Named::Keypad7, 57406), (Named::Keypad8, 57407), (Named::Keypad9, 57408),
    (Named::KeypadDecimal, 57409), (Named::KeypadDivide, 57410), (Named::KeypadMultiply, 57411),
    (Named::KeypadSubtract, 57412), (Named::KeypadAdd, 57413), (Named::KeypadEnter, 57414),
    (Named::MediaPlayPause, 57430), (Named::MediaNext, 57435), (Named::MediaPrevious, 57436),
    (Named::VolumeDown, 57438), (Named::VolumeUp, 57439), (Named::VolumeMute, 57440),
    (Named::Shift, 57441), (Named::Control, 57442), (Named::Alt, 57443), (Named::Super, 57444),
    (Named::ShiftRight, 57447), (Named::ControlRight, 57448), (Named::AltRight, 57449), (Named::SuperRight, 57450),
];

/// What Shift makes of the keys of the layout.
const PLAIN: &str = "`1234567890-=[]\\;',./";
const SHIFTED: &str = "~!@#$%^&*()_+{}|:\"<>?";

/// The key that makes a character, and whether Shift is held for it.
fn key_of(c: char) -> (char, bool) {
    if c.is_ascii_uppercase() {
        return (c.to_ascii_lowercase(), true);
    }
    let at = SHIFTED.chars().position(|s| s == c);
    at.and_then(|n| PLAIN.chars().nth(n)).map_or((c, false), |plain| (plain, true))
}

/// The character that a key makes.
fn made_of(c: char, shift: bool) -> char {
    if !shift {
        return c;
    }
    let at = PLAIN.chars().position(|p| p == c);
    at.and_then(|n| SHIFTED.chars().nth(n)).unwrap_or_else(|| c.to_ascii_uppercase())
}

impl KeyModes {
    fn has(self, flag: u8) -> bool {
        self.kitty & flag != 0
    }

    /// The bytes of a press or a release; `held` are the modifiers that are down when it is over.
    pub(crate) fn key(self, key: Key, down: bool, held: Modifiers) -> Result<Vec<u8>, NoBytes> {
        let (key, held) = match key {
            Key::Char(' ') => (Key::Named(Named::Space), held),
            Key::Char(c) => {
                let (plain, shift) = key_of(c);
                (Key::Char(plain), Modifiers { shift: held.shift || shift, ..held })
            }
            Key::Named(_) => (key, held),
        };
        let commands = held.control || held.alt || held.super_;
        let makes_text = matches!(key, Key::Char(_) | Key::Named(Named::Space)) && !commands;
        let plain = matches!(key, Key::Named(Named::Enter | Named::Tab | Named::Backspace))
            && held == Modifiers::NONE;
        let by_kitty = if makes_text || plain || key.is_modifier() {
            self.has(ALL_KEYS)
        } else {
            self.kitty & (DISAMBIGUATE | EVENTS | ALL_KEYS) != 0
        };
        if by_kitty { self.kitty(key, down, held, makes_text) } else { self.old(key, down, held) }
    }

    /// A character that is typed, whatever key there may be for it.
    pub(crate) fn text(self, c: char) -> Result<Vec<u8>, NoBytes> {
        if self.has(ALL_KEYS) && (' '..='~').contains(&c) {
            let mut both = self.key(Key::Char(c), true, Modifiers::NONE)?;
            both.extend(self.key(Key::Char(c), false, Modifiers::NONE)?);
            return Ok(both);
        }
        if self.has(ALL_KEYS) && self.has(TEXT) {
            return Ok(format!("\x1b[0;;{}u", u32::from(c)).into_bytes());
        }
        Ok(c.to_string().into_bytes())
    }

    fn kitty(self, key: Key, down: bool, held: Modifiers, makes_text: bool) -> Result<Vec<u8>, NoBytes> {
        if !down && !self.has(EVENTS) {
            return Ok(Vec::new());
        }
        let (number, end) = match key {
            Key::Char(c) => (u32::from(c), b'u'),
            Key::Named(named) => number_of(named).ok_or_else(|| no_bytes(key, held))?,
        };
        let bits = u32::from(held.shift)
            + u32::from(held.alt) * 2
            + u32::from(held.control) * 4
            + u32::from(held.super_) * 8;
        let text = match key {
            Key::Char(c) => Some(made_of(c, held.shift)),
            Key::Named(Named::Space) => Some(' '),
            Key::Named(_) => None,
        };
        let text = text.filter(|_| makes_text);
        let mut first = number.to_string();
        if let (true, true, Some(made)) = (self.has(ALTERNATES), held.shift, text) {
            first = format!("{first}:{}", u32::from(made));
        }
        let mut second = (1 + bits).to_string();
        if !down {
            second.push_str(":3");
        }
        let third = text.filter(|_| self.has(TEXT) && down).map(|c| format!(";{}", u32::from(c)));
        let end = char::from(end);
        Ok(match third {
            None if second == "1" && first == "1" => format!("\x1b[{end}"),
            None if second == "1" => format!("\x1b[{first}{end}"),
            third => format!("\x1b[{first};{second}{}{end}", third.unwrap_or_default()),
        }
        .into_bytes())
    }

    fn old(self, key: Key, down: bool, held: Modifiers) -> Result<Vec<u8>, NoBytes> {
        // Releases do not exist, and a modifier shows in the key that comes after it.
        if !down || key.is_modifier() {
            return Ok(Vec::new());
        }
        let refused = || no_bytes(key, held);
        if held.super_ {
            return Err(refused());
        }
        let Modifiers { shift, alt, control, .. } = held;
        let plain = !(shift || alt || control);
        let single = match key {
            Key::Char(c) if control => Some(control_code(c).filter(|_| !shift).ok_or_else(refused)?),
            Key::Char(c) => {
                let escape = if alt { "\x1b" } else { "" };
                return Ok(format!("{escape}{}", made_of(c, shift)).into_bytes());
            }
            Key::Named(Named::Space) if control => Some(0),
            Key::Named(Named::Space) => Some(b' '),
            Key::Named(Named::Enter | Named::KeypadEnter) if !shift && !control => Some(b'\r'),
            Key::Named(Named::Tab) if !shift && !control => Some(b'\t'),
            Key::Named(Named::Tab) if shift && !control && !alt => return Ok(b"\x1b[Z".to_vec()),
            Key::Named(Named::Backspace) if !shift => Some(if control { 8 } else { 127 }),
            Key::Named(Named::Escape) if !shift && !control => Some(27),
            Key::Named(Named::Enter | Named::KeypadEnter | Named::Tab | Named::Backspace | Named::Escape) => {
                return Err(refused());
            }
            Key::Named(_) => None,
        };
        if let Some(byte) = single {
            return Ok(if alt { vec![27, byte] } else { vec![byte] });
        }
        let Key::Named(named) = key else { return Err(refused()) };
        let (number, end) = NAMED
            .iter()
            .find(|(n, ..)| *n == named)
            .map(|(_, number, end)| (*number, *end))
            .ok_or_else(refused)?;
        let bits = 1 + u32::from(shift) + u32::from(alt) * 2 + u32::from(control) * 4;
        let function = matches!(end, b'P' | b'Q' | b'S') || named == Named::F3;
        let end = char::from(if named == Named::F3 { b'R' } else { end });
        Ok(match (plain, end) {
            (true, '~') => format!("\x1b[{number}~"),
            (true, _) if function || self.application_cursor => format!("\x1bO{end}"),
            (true, _) => format!("\x1b[{end}"),
            (false, '~') => format!("\x1b[{number};{bits}~"),
            (false, _) => format!("\x1b[1;{bits}{end}"),
        }
        .into_bytes())
    }
}

fn number_of(named: Named) -> Option<(u32, u8)> {
    let old = NAMED.iter().find(|(n, ..)| *n == named).map(|(_, number, end)| (*number, *end));
    old.or_else(|| KITTY.iter().find(|(n, _)| *n == named).map(|(_, number)| (*number, b'u')))
}

/// What Ctrl makes of a key.
fn control_code(c: char) -> Option<u8> {
    Some(match c {
        'a'..='z' => c as u8 - b'a' + 1,
        '2' | '@' => 0,
        '3' | '[' => 27,
        '4' | '\\' => 28,
        '5' | ']' => 29,
        '6' | '^' => 30,
        '7' | '/' | '_' => 31,
        '8' | '?' => 127,
        _ => return None,
    })
}

fn no_bytes(key: Key, held: Modifiers) -> NoBytes {
    let held: String = held.keys().map(|k| format!("{k}+")).collect();
    NoBytes(format!("{held}{key}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: KeyModes = KeyModes { kitty: 0, application_cursor: false };

    /// The last key of a chord is pressed while the others are held.
    fn press(modes: KeyModes, chord: &str) -> Result<String, NoBytes> {
        let chord: handsight_base::key::Chord = chord.parse().unwrap();
        let (last, before) = chord.0.split_last().unwrap();
        let mut held = Modifiers::NONE;
        before.iter().for_each(|k| assert!(held.add(*k), "{k} is no modifier"));
        modes.key(*last, true, held).map(|b| String::from_utf8(b).unwrap().replace('\x1b', "^"))
    }

    #[test]
    fn the_old_ways() {
        for (chord, bytes) in [
            ("a", "a"),
            ("A", "A"),
            ("!", "!"),
            ("shift+1", "!"),
            ("alt+x", "^x"),
            ("ctrl+c", "\u{3}"),
            ("ctrl+7", "\u{1f}"),
            ("enter", "\r"),
            ("shift+tab", "^[Z"),
            ("backspace", "\u{7f}"),
            ("escape", "^"),
            ("space", " "),
            ("up", "^[A"),
            ("ctrl+home", "^[1;5H"),
            ("delete", "^[3~"),
            ("shift+f5", "^[15;2~"),
            ("f1", "^OP"),
            ("ctrl+f3", "^[1;5R"),
        ] {
            assert_eq!(press(OLD, chord).as_deref(), Ok(bytes), "{chord}");
        }
        let application = KeyModes { application_cursor: true, ..OLD };
        assert_eq!(press(application, "left").as_deref(), Ok("^OD"));
        assert_eq!(OLD.key(Key::Named(Named::Up), false, Modifiers::NONE), Ok(Vec::new()));
        for chord in ["ctrl+shift+s", "ctrl+1", "super+a", "volumeup", "ctrl+enter", "f20"] {
            assert_eq!(
                press(OLD, chord),
                Err(NoBytes(chord.to_owned())),
                "it would arrive as something else"
            );
        }
    }

    #[test]
    fn the_kitty_protocol() {
        let all = KeyModes { kitty: 31, ..OLD };
        for (chord, bytes) in [
            ("a", "^[97;1;97u"),
            ("A", "^[97:65;2;65u"),
            ("ctrl+shift+s", "^[115;6u"),
            ("enter", "^[13u"),
            ("up", "^[A"),
            ("ctrl+home", "^[1;5H"),
            ("shift", "^[57441u"),
            ("volumeup", "^[57439u"),
            ("f3", "^[13~"),
        ] {
            assert_eq!(press(all, chord).as_deref(), Ok(bytes), "{chord}");
        }
        let up = all.key(Key::Named(Named::Delete), false, Modifiers { control: true, ..Modifiers::NONE });
        assert_eq!(up.as_deref(), Ok(b"\x1b[3;5:3~".as_slice()));
        assert_eq!(all.text('é').as_deref(), Ok(b"\x1b[0;;233u".as_slice()));
        let some = KeyModes { kitty: DISAMBIGUATE, ..OLD };
        for (chord, bytes) in [("a", "a"), ("enter", "\r"), ("escape", "^[27u"), ("ctrl+c", "^[99;5u")] {
            assert_eq!(press(some, chord).as_deref(), Ok(bytes), "{chord}");
        }
    }
}
