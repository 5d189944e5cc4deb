//! Which virtual key a key is.
//!
//! A virtual key names a key whatever the layout; its scan code, which games read, goes along with every event. This module
//! refuses to know characters: which key types them is the layout's business (`layout.rs`).

use handsight_base::key::Named;
use windows::Win32::UI::Input::KeyboardAndMouse::{
    VIRTUAL_KEY, VK_ADD, VK_APPS, VK_BACK, VK_BROWSER_BACK, VK_BROWSER_FORWARD, VK_CAPITAL, VK_DECIMAL,
    VK_DELETE, VK_DIVIDE, VK_DOWN, VK_END, VK_ESCAPE, VK_F1, VK_HOME, VK_INSERT, VK_LCONTROL, VK_LEFT,
    VK_LMENU, VK_LSHIFT, VK_LWIN, VK_MEDIA_NEXT_TRACK, VK_MEDIA_PLAY_PAUSE, VK_MEDIA_PREV_TRACK, VK_MULTIPLY,
    VK_NEXT, VK_NUMLOCK, VK_NUMPAD0, VK_PAUSE, VK_PRIOR, VK_RCONTROL, VK_RETURN, VK_RIGHT, VK_RMENU,
    VK_RSHIFT, VK_RWIN, VK_SCROLL, VK_SNAPSHOT, VK_SPACE, VK_SUBTRACT, VK_TAB, VK_UP, VK_VOLUME_DOWN,
    VK_VOLUME_MUTE, VK_VOLUME_UP,
};

/// Set in a code whose scan code has the prefix E0.
pub(super) const EXTENDED: u32 = 0x100;

pub(super) const SHIFT: u32 = VK_LSHIFT.0 as u32;
pub(super) const CONTROL: u32 = VK_LCONTROL.0 as u32;
pub(super) const ALT: u32 = VK_LMENU.0 as u32;
pub(super) const ENTER: u32 = VK_RETURN.0 as u32;
pub(super) const TAB: u32 = VK_TAB.0 as u32;

/// The virtual key of a code.
pub(super) const fn virtual_key(code: u32) -> VIRTUAL_KEY {
    VIRTUAL_KEY((code & 0xff) as u16)
}

/// The code of a key.
pub(super) const fn code(key: Named) -> u32 {
    let (key, extended) = virtual_key_of(key);
    key as u32 | if extended { EXTENDED } else { 0 }
}

/// The virtual key, and whether it is an extended one.
const fn virtual_key_of(key: Named) -> (u16, bool) {
    match key {
        Named::Enter => (VK_RETURN.0, false),
        Named::Tab => (VK_TAB.0, false),
        Named::Escape => (VK_ESCAPE.0, false),
        Named::Backspace => (VK_BACK.0, false),
        Named::Delete => (VK_DELETE.0, true),
        Named::Insert => (VK_INSERT.0, true),
        Named::Space => (VK_SPACE.0, false),
        Named::Home => (VK_HOME.0, true),
        Named::End => (VK_END.0, true),
        Named::PageUp => (VK_PRIOR.0, true),
        Named::PageDown => (VK_NEXT.0, true),
        Named::Left => (VK_LEFT.0, true),
        Named::Right => (VK_RIGHT.0, true),
        Named::Up => (VK_UP.0, true),
        Named::Down => (VK_DOWN.0, true),
        Named::CapsLock => (VK_CAPITAL.0, false),
        Named::NumLock => (VK_NUMLOCK.0, true),
        Named::ScrollLock => (VK_SCROLL.0, false),
        Named::PrintScreen => (VK_SNAPSHOT.0, true),
        Named::Pause => (VK_PAUSE.0, false),
        Named::Menu => (VK_APPS.0, true),
        Named::Control => (VK_LCONTROL.0, false),
        Named::ControlRight => (VK_RCONTROL.0, true),
        Named::Shift => (VK_LSHIFT.0, false),
        Named::ShiftRight => (VK_RSHIFT.0, false),
        Named::Alt => (VK_LMENU.0, false),
        Named::AltRight => (VK_RMENU.0, true),
        Named::Super => (VK_LWIN.0, true),
        Named::SuperRight => (VK_RWIN.0, true),
        Named::F1 => (VK_F1.0, false),
        Named::F2 => (VK_F1.0 + 1, false),
        Named::F3 => (VK_F1.0 + 2, false),
        Named::F4 => (VK_F1.0 + 3, false),
        Named::F5 => (VK_F1.0 + 4, false),
        Named::F6 => (VK_F1.0 + 5, false),
        Named::F7 => (VK_F1.0 + 6, false),
        Named::F8 => (VK_F1.0 + 7, false),
        Named::F9 => (VK_F1.0 + 8, false),
        Named::F10 => (VK_F1.0 + 9, false),
        Named::F11 => (VK_F1.0 + 10, false),
        Named::F12 => (VK_F1.0 + 11, false),
        Named::F13 => (VK_F1.0 + 12, false),
        Named::F14 => (VK_F1.0 + 13, false),
        Named::F15 => (VK_F1.0 + 14, false),
        Named::F16 => (VK_F1.0 + 15, false),
        Named::F17 => (VK_F1.0 + 16, false),
        Named::F18 => (VK_F1.0 + 17, false),
        Named::F19 => (VK_F1.0 + 18, false),
        Named::F20 => (VK_F1.0 + 19, false),
        Named::F21 => (VK_F1.0 + 20, false),
        Named::F22 => (VK_F1.0 + 21, false),
        Named::F23 => (VK_F1.0 + 22, false),
        Named::F24 => (VK_F1.0 + 23, false),
        Named::Keypad0 => (VK_NUMPAD0.0, false),
        Named::Keypad1 => (VK_NUMPAD0.0 + 1, false),
        Named::Keypad2 => (VK_NUMPAD0.0 + 2, false),
        Named::Keypad3 => (VK_NUMPAD0.0 + 3, false),
        Named::Keypad4 => (VK_NUMPAD0.0 + 4, false),
        Named::Keypad5 => (VK_NUMPAD0.0 + 5, false),
        Named::Keypad6 => (VK_NUMPAD0.0 + 6, false),
        Named::Keypad7 => (VK_NUMPAD0.0 + 7, false),
        Named::Keypad8 => (VK_NUMPAD0.0 + 8, false),
        Named::Keypad9 => (VK_NUMPAD0.0 + 9, false),
        Named::KeypadAdd => (VK_ADD.0, false),
        Named::KeypadSubtract => (VK_SUBTRACT.0, false),
        Named::KeypadMultiply => (VK_MULTIPLY.0, false),
        Named::KeypadDivide => (VK_DIVIDE.0, true),
        Named::KeypadDecimal => (VK_DECIMAL.0, false),
        Named::KeypadEnter => (VK_RETURN.0, true),
        Named::VolumeUp => (VK_VOLUME_UP.0, true),
        Named::VolumeDown => (VK_VOLUME_DOWN.0, true),
        Named::VolumeMute => (VK_VOLUME_MUTE.0, true),
        Named::MediaPlayPause => (VK_MEDIA_PLAY_PAUSE.0, true),
        Named::MediaNext => (VK_MEDIA_NEXT_TRACK.0, true),
        Named::MediaPrevious => (VK_MEDIA_PREV_TRACK.0, true),
        Named::BrowserBack => (VK_BROWSER_BACK.0, true),
        Named::BrowserForward => (VK_BROWSER_FORWARD.0, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::key::{Key, NAMED_KEYS};
    use std::collections::HashMap;

    // spec: D-45 UNIT
    #[test]
    fn the_names_of_keys_have_the_virtual_keys_of_windows() {
        let named = |name: &str| match name.parse::<Key>().unwrap() {
            Key::Named(named) => code(named) & 0xff,
            Key::Char(c) => panic!("{name} is the character {c}, which the layout knows"),
        };
        for n in 1..=24 {
            assert_eq!(named(&format!("f{n}")), 0x70 + n - 1);
        }
        for (name, code) in [
            ("enter", 0x0d),
            ("esc", 0x1b),
            ("tab", 0x09),
            ("space", 0x20),
            ("backspace", 0x08),
            ("delete", 0x2e),
            ("insert", 0x2d),
            ("home", 0x24),
            ("end", 0x23),
            ("pageup", 0x21),
            ("pagedown", 0x22),
            ("left", 0x25),
            ("up", 0x26),
            ("right", 0x27),
            ("down", 0x28),
            ("ctrl", 0xa2),
            ("shift", 0xa0),
            ("alt", 0xa4),
            ("win", 0x5b),
        ] {
            assert_eq!(named(name), code, "{name}");
        }
    }

    #[test]
    fn every_key_has_a_code_of_its_own() {
        let mut seen = HashMap::new();
        for (key, _) in NAMED_KEYS {
            assert_eq!(seen.insert(code(*key), *key), None, "{key:?}");
        }
        assert_eq!(code(Named::F24), 0x87);
        assert_eq!(code(Named::Keypad9), 0x69);
        assert_eq!(code(Named::KeypadEnter), ENTER | EXTENDED);
    }
}
