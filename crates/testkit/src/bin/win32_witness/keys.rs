//! Which key a message is about, and which keys are down.

use handsight_base::key::{Key, Named};
use handsight_testkit::witness_protocol::Held;
use windows::Win32::UI::Input::KeyboardAndMouse::*;

/// Keys without a character, by virtual key.
const NAMED: &[(VIRTUAL_KEY, Named)] = &[
    (VK_RETURN, Named::Enter),
    (VK_TAB, Named::Tab),
    (VK_ESCAPE, Named::Escape),
    (VK_BACK, Named::Backspace),
    (VK_DELETE, Named::Delete),
    (VK_INSERT, Named::Insert),
    (VK_SPACE, Named::Space),
    (VK_HOME, Named::Home),
    (VK_END, Named::End),
    (VK_PRIOR, Named::PageUp),
    (VK_NEXT, Named::PageDown),
    (VK_LEFT, Named::Left),
    (VK_RIGHT, Named::Right),
    (VK_UP, Named::Up),
    (VK_DOWN, Named::Down),
    (VK_CAPITAL, Named::CapsLock),
    (VK_NUMLOCK, Named::NumLock),
    (VK_SCROLL, Named::ScrollLock),
    (VK_SNAPSHOT, Named::PrintScreen),
    (VK_PAUSE, Named::Pause),
    (VK_CANCEL, Named::Pause),
    (VK_APPS, Named::Menu),
    (VK_LCONTROL, Named::Control),
    (VK_RCONTROL, Named::ControlRight),
    (VK_LSHIFT, Named::Shift),
    (VK_RSHIFT, Named::ShiftRight),
    (VK_LMENU, Named::Alt),
    (VK_RMENU, Named::AltRight),
    (VK_LWIN, Named::Super),
    (VK_RWIN, Named::SuperRight),
    (VK_F1, Named::F1),
    (VK_F2, Named::F2),
    (VK_F3, Named::F3),
    (VK_F4, Named::F4),
    (VK_F5, Named::F5),
    (VK_F6, Named::F6),
    (VK_F7, Named::F7),
    (VK_F8, Named::F8),
    (VK_F9, Named::F9),
    (VK_F10, Named::F10),
    (VK_F11, Named::F11),
    (VK_F12, Named::F12),
    (VK_F13, Named::F13),
    (VK_F14, Named::F14),
    (VK_F15, Named::F15),
    (VK_F16, Named::F16),
    (VK_F17, Named::F17),
    (VK_F18, Named::F18),
    (VK_F19, Named::F19),
    (VK_F20, Named::F20),
    (VK_F21, Named::F21),
    (VK_F22, Named::F22),
    (VK_F23, Named::F23),
    (VK_F24, Named::F24),
    (VK_NUMPAD0, Named::Keypad0),
    (VK_NUMPAD1, Named::Keypad1),
    (VK_NUMPAD2, Named::Keypad2),
    (VK_NUMPAD3, Named::Keypad3),
    (VK_NUMPAD4, Named::Keypad4),
    (VK_NUMPAD5, Named::Keypad5),
    (VK_NUMPAD6, Named::Keypad6),
    (VK_NUMPAD7, Named::Keypad7),
    (VK_NUMPAD8, Named::Keypad8),
    (VK_NUMPAD9, Named::Keypad9),
    (VK_ADD, Named::KeypadAdd),
    (VK_SUBTRACT, Named::KeypadSubtract),
    (VK_MULTIPLY, Named::KeypadMultiply),
    (VK_DIVIDE, Named::KeypadDivide),
    (VK_DECIMAL, Named::KeypadDecimal),
    (VK_VOLUME_UP, Named::VolumeUp),
    (VK_VOLUME_DOWN, Named::VolumeDown),
    (VK_VOLUME_MUTE, Named::VolumeMute),
    (VK_MEDIA_PLAY_PAUSE, Named::MediaPlayPause),
    (VK_MEDIA_NEXT_TRACK, Named::MediaNext),
    (VK_MEDIA_PREV_TRACK, Named::MediaPrevious),
    (VK_BROWSER_BACK, Named::BrowserBack),
    (VK_BROWSER_FORWARD, Named::BrowserForward),
];

const BUTTONS: [(VIRTUAL_KEY, &str); 5] = [
    (VK_LBUTTON, "left"),
    (VK_RBUTTON, "right"),
    (VK_MBUTTON, "middle"),
    (VK_XBUTTON1, "back"),
    (VK_XBUTTON2, "forward"),
];

/// The modifiers that messages name without their side: general, left, right.
const SIDES: [[VIRTUAL_KEY; 3]; 3] =
    [[VK_SHIFT, VK_LSHIFT, VK_RSHIFT], [VK_CONTROL, VK_LCONTROL, VK_RCONTROL], [VK_MENU, VK_LMENU, VK_RMENU]];

/// Knows the sides of modifiers: a message says which key it is only by what is down since.
#[derive(Debug, Default)]
pub(crate) struct Sides {
    down: [[bool; 2]; 3],
}

impl Sides {
    /// The key of a `WM_KEYDOWN`, `WM_KEYUP` or their like for Alt; `None` for text that is no key.
    pub(crate) fn key(&mut self, vk: u16, extended: bool, down: bool) -> Option<Key> {
        let mut vk = VIRTUAL_KEY(vk);
        if vk == VK_PACKET {
            return None;
        }
        if vk == VK_RETURN && extended {
            return Some(Key::Named(Named::KeypadEnter));
        }
        if let Some(at) = SIDES.iter().position(|sides| sides[0] == vk) {
            let sides = &SIDES[at];
            let changed = [1, 2].into_iter().find(|side| {
                let is_down = is_down_in_queue(sides[*side]);
                is_down == down && self.down[at][side - 1] != down
            });
            // Repeats change nothing: the one that is down; the left one is what nobody knows better.
            let held = [1, 2].into_iter().find(|side| self.down[at][side - 1]);
            let side = changed.or(held).unwrap_or(if extended { 2 } else { 1 });
            self.down[at][side - 1] = down;
            vk = sides[side];
        }
        Some(name(vk))
    }
}

/// The state at the message that is handled now.
#[expect(unsafe_code, reason = "Win32")]
pub(crate) fn is_down_in_queue(vk: VIRTUAL_KEY) -> bool {
    // SAFETY: takes a number, reads the thread's own state.
    unsafe { GetKeyState(i32::from(vk.0)) < 0 }
}

/// What the key is called on its first level.
#[expect(unsafe_code, reason = "Win32")]
fn name(vk: VIRTUAL_KEY) -> Key {
    if let Some((_, named)) = NAMED.iter().find(|(named, _)| *named == vk) {
        return Key::Named(*named);
    }
    // SAFETY: takes two numbers.
    let character = unsafe { MapVirtualKeyW(u32::from(vk.0), MAPVK_VK_TO_CHAR) } & 0xFFFF;
    match char::from_u32(character).filter(|c| !c.is_control()) {
        Some(c) => Key::Char(c.to_lowercase().next().unwrap_or(c)),
        // No name and no character: still an event, and no test asks for this one.
        None => Key::Char(char::REPLACEMENT_CHARACTER),
    }
}

/// What is down now in the whole session, whoever pressed it.
#[expect(unsafe_code, reason = "Win32")]
pub(crate) fn held() -> Held {
    // SAFETY: takes a number.
    let down = |vk: VIRTUAL_KEY| unsafe { GetAsyncKeyState(i32::from(vk.0)) } < 0;
    let mut held = Held::default();
    for (button, name) in BUTTONS {
        if down(button) {
            held.buttons.push(name.to_owned());
        }
    }
    for code in 7..255 {
        let vk = VIRTUAL_KEY(code);
        let general = SIDES.iter().find(|sides| sides[0] == vk);
        // A side is down with it, and is the better name.
        if !down(vk) || general.is_some_and(|sides| down(sides[1]) || down(sides[2])) {
            continue;
        }
        held.keys.push(match name(vk) {
            Key::Char(char::REPLACEMENT_CHARACTER) => format!("vk {code}"),
            key => key.to_string(),
        });
    }
    held
}
