//! The X symbols of a key, which X servers and VNC servers go by. Of several, the first one that the layout has counts.

use handsight_base::key::Named;
use xkeysym::key;

/// Symbols for a key without a character.
pub(crate) const fn of(named: Named) -> &'static [u32] {
    match named {
        Named::Enter => &[key::Return],
        Named::Tab => &[key::Tab],
        Named::Escape => &[key::Escape],
        Named::Backspace => &[key::BackSpace],
        Named::Delete => &[key::Delete],
        Named::Insert => &[key::Insert],
        Named::Space => &[key::space],
        Named::Home => &[key::Home],
        Named::End => &[key::End],
        Named::PageUp => &[key::Page_Up],
        Named::PageDown => &[key::Page_Down],
        Named::Left => &[key::Left],
        Named::Right => &[key::Right],
        Named::Up => &[key::Up],
        Named::Down => &[key::Down],
        Named::CapsLock => &[key::Caps_Lock],
        Named::NumLock => &[key::Num_Lock],
        Named::ScrollLock => &[key::Scroll_Lock],
        Named::PrintScreen => &[key::Print],
        Named::Pause => &[key::Pause],
        Named::Menu => &[key::Menu],
        Named::Control => &[key::Control_L],
        Named::ControlRight => &[key::Control_R],
        Named::Shift => &[key::Shift_L],
        Named::ShiftRight => &[key::Shift_R],
        Named::Alt => &[key::Alt_L, key::Meta_L],
        // The same key; a layout with a third level has AltGr there.
        Named::AltRight => &[key::Alt_R, key::ISO_Level3_Shift, key::Mode_switch],
        Named::Super => &[key::Super_L],
        Named::SuperRight => &[key::Super_R],
        Named::F1 => &[key::F1],
        Named::F2 => &[key::F2],
        Named::F3 => &[key::F3],
        Named::F4 => &[key::F4],
        Named::F5 => &[key::F5],
        Named::F6 => &[key::F6],
        Named::F7 => &[key::F7],
        Named::F8 => &[key::F8],
        Named::F9 => &[key::F9],
        Named::F10 => &[key::F10],
        Named::F11 => &[key::F11],
        Named::F12 => &[key::F12],
        Named::F13 => &[key::F13],
        Named::F14 => &[key::F14],
        Named::F15 => &[key::F15],
        Named::F16 => &[key::F16],
        Named::F17 => &[key::F17],
        Named::F18 => &[key::F18],
        Named::F19 => &[key::F19],
        Named::F20 => &[key::F20],
        Named::F21 => &[key::F21],
        Named::F22 => &[key::F22],
        Named::F23 => &[key::F23],
        Named::F24 => &[key::F24],
        Named::Keypad0 => &[key::KP_0],
        Named::Keypad1 => &[key::KP_1],
        Named::Keypad2 => &[key::KP_2],
        Named::Keypad3 => &[key::KP_3],
        Named::Keypad4 => &[key::KP_4],
        Named::Keypad5 => &[key::KP_5],
        Named::Keypad6 => &[key::KP_6],
        Named::Keypad7 => &[key::KP_7],
        Named::Keypad8 => &[key::KP_8],
        Named::Keypad9 => &[key::KP_9],
        Named::KeypadAdd => &[key::KP_Add],
        Named::KeypadSubtract => &[key::KP_Subtract],
        Named::KeypadMultiply => &[key::KP_Multiply],
        Named::KeypadDivide => &[key::KP_Divide],
        Named::KeypadDecimal => &[key::KP_Decimal, key::KP_Separator],
        Named::KeypadEnter => &[key::KP_Enter],
        Named::VolumeUp => &[key::XF86_AudioRaiseVolume],
        Named::VolumeDown => &[key::XF86_AudioLowerVolume],
        Named::VolumeMute => &[key::XF86_AudioMute],
        Named::MediaPlayPause => &[key::XF86_AudioPlay],
        Named::MediaNext => &[key::XF86_AudioNext],
        Named::MediaPrevious => &[key::XF86_AudioPrev],
        Named::BrowserBack => &[key::XF86_Back],
        Named::BrowserForward => &[key::XF86_Forward],
    }
}

/// The symbol that types `c` on a borrowed keycode; `None` for characters that no key can have.
pub(crate) fn for_char(c: char) -> Option<u32> {
    let unicode = u32::from(c);
    match unicode {
        0x20..=0x7e | 0xa0..=0xff => Some(unicode),
        0..=0x9f => None,
        // Noncharacters: Xlib has no symbol for them.
        0xfdd0..=0xfdef => None,
        _ if unicode & 0xfffe == 0xfffe => None,
        _ => Some(0x0100_0000 | unicode),
    }
}

/// The key for a control character inside a text.
pub(crate) const fn control(c: char) -> Option<Named> {
    Some(match c {
        '\n' | '\r' => Named::Enter,
        '\t' => Named::Tab,
        '\u{8}' => Named::Backspace,
        '\u{1b}' => Named::Escape,
        '\u{7f}' => Named::Delete,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::key::Key;

    // spec: D-45 UNIT
    #[test]
    fn the_names_of_keys_have_the_symbols_of_x11_and_vnc() {
        let symbol = |name: &str| match name.parse::<Key>().unwrap() {
            Key::Named(named) => of(named)[0],
            Key::Char(c) => for_char(c).unwrap(),
        };
        for c in ('a'..='z').chain('0'..='9') {
            assert_eq!(symbol(&c.to_string()), u32::from(c));
        }
        for n in 1..=24 {
            assert_eq!(symbol(&format!("f{n}")), 0xffbe + n - 1);
        }
        for (name, code) in [
            ("enter", 0xff0d),
            ("esc", 0xff1b),
            ("tab", 0xff09),
            ("space", 0x20),
            ("backspace", 0xff08),
            ("delete", 0xffff),
            ("insert", 0xff63),
            ("home", 0xff50),
            ("left", 0xff51),
            ("up", 0xff52),
            ("right", 0xff53),
            ("down", 0xff54),
            ("pageup", 0xff55),
            ("pagedown", 0xff56),
            ("end", 0xff57),
            ("ctrl", 0xffe3),
            ("shift", 0xffe1),
            ("alt", 0xffe9),
            ("win", 0xffeb),
        ] {
            assert_eq!(symbol(name), code, "{name}");
        }
        assert!("nosuch".parse::<Key>().is_err());
    }
}
