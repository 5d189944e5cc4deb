//! What the keyboard layout of the focused program makes of keys.
//!
//! Each thread has a layout of its own, so it is asked for the window that will get the input. This module changes no
//! layout and presses no CapsLock: where CapsLock would turn the character, Shift turns it back.

use super::keys::{ALT, CONTROL, SHIFT, virtual_key};
use crate::hands::injector::Stroke;
use windows::Win32::UI::Input::KeyboardAndMouse::{
    GetKeyState, GetKeyboardLayout, HKL, MAPVK_VK_TO_VSC, MapVirtualKeyExW, ToUnicodeEx, VK_CAPITAL,
    VK_SHIFT, VkKeyScanExW,
};
use windows::Win32::UI::WindowsAndMessaging::{GetForegroundWindow, GetWindowThreadProcessId};

/// The layout of the thread that has the focus.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout(HKL);

#[expect(unsafe_code, reason = "calls of the Windows API")]
impl Layout {
    pub(super) fn of_focus() -> Self {
        // SAFETY: plain numbers; without a window it is our own thread's layout.
        unsafe {
            let thread = GetWindowThreadProcessId(GetForegroundWindow(), None);
            Self(GetKeyboardLayout(thread))
        }
    }

    /// The scan code of a virtual key, without its prefix.
    pub(super) fn scan(self, code: u32) -> u16 {
        // SAFETY: plain numbers.
        let scan = unsafe { MapVirtualKeyExW(virtual_key(code).0.into(), MAPVK_VK_TO_VSC, Some(self.0)) };
        (scan & 0xff) as u16
    }

    /// The key that types a character and the modifiers it takes, leaving out those that are `down`. `None` if the layout
    /// has no such character, or only as two strokes.
    pub(super) fn stroke(self, character: char, down: &[u32]) -> Option<Stroke> {
        let mut units = [0; 2];
        let [unit] = *character.encode_utf16(&mut units) else { return None };
        // SAFETY: plain numbers.
        let found = unsafe { VkKeyScanExW(unit, self.0) } as u16;
        if found == 0xffff {
            return None;
        }
        let (key, state) = (u32::from(found & 0xff), found >> 8);
        let mut shift = state & 1 != 0;
        // With Ctrl or Alt it is a command, which CapsLock does not turn.
        if down.is_empty() && state & 6 == 0 && caps_lock() && self.typed(key, !shift) == Some(unit) {
            shift = !shift;
        }
        let wanted = [(shift, SHIFT), (state & 2 != 0, CONTROL), (state & 4 != 0, ALT)];
        let around = wanted.into_iter().filter(|(wanted, code)| *wanted && !down.contains(code));
        Some(Stroke { around: around.map(|(_, code)| code).collect(), key })
    }

    /// What a key types with CapsLock on.
    fn typed(self, key: u32, shift: bool) -> Option<u16> {
        let mut state = [0u8; 256];
        state[usize::from(VK_CAPITAL.0)] = 1;
        state[usize::from(VK_SHIFT.0)] = if shift { 0x80 } else { 0 };
        let mut typed = [0; 4];
        /// Leaves a dead key that waits for its letter alone (Windows 10 and later).
        const LEAVE_STATE: u32 = 4;
        // SAFETY: both arrays are as long as they say.
        let n =
            unsafe { ToUnicodeEx(key, self.scan(key).into(), &state, &mut typed, LEAVE_STATE, Some(self.0)) };
        (n == 1).then_some(typed[0])
    }
}

/// CapsLock is on.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn caps_lock() -> bool {
    // SAFETY: a plain number.
    unsafe { GetKeyState(VK_CAPITAL.0.into()) & 1 != 0 }
}
