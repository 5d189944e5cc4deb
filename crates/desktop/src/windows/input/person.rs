//! The person's input, told from ours.
//!
//! Raw input carries the number that `SendInput` was given with an event: ours has a mark, and what is without it came from a
//! device or from another program in the person's name (a remote desktop, an on-screen keyboard). Until a mark of ours has come back
//! only devices count, so that a system which keeps marks to itself does not make us our own person. A pointer that a program puts
//! somewhere (`SetCursorPos`) is not reported, and a release begins nothing, since it ends what was begun before.
//!
//! Wine is the exception: its windows hear of our own moves again from the X server, as if a mouse had made them, and of where the
//! pointer has been all along once one opens below it. There a move to where we have been lately is nobody's, nor any before ours.

use crate::windows::system::is_wine;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use windows::Win32::Foundation::POINT;
use windows::Win32::UI::Input::KeyboardAndMouse::GetAsyncKeyState;
use windows::Win32::UI::Input::{RAWINPUT, RIM_TYPEKEYBOARD, RIM_TYPEMOUSE};
use windows::Win32::UI::WindowsAndMessaging::{
    GetCursorPos, RI_KEY_BREAK, RI_MOUSE_BUTTON_1_UP, RI_MOUSE_BUTTON_2_UP, RI_MOUSE_BUTTON_3_UP,
    RI_MOUSE_BUTTON_4_UP, RI_MOUSE_BUTTON_5_UP,
};

/// What our own events carry.
pub(super) const OURS: usize = 0x4853;

/// Moves that an echo may be late for.
const LATELY: usize = 512;

/// What is known of our own input.
#[derive(Debug, Default)]
pub(super) struct Ours {
    /// Where our moves went lately.
    moves: Mutex<VecDeque<(i32, i32)>>,
    /// A mark has come back.
    marked: AtomicBool,
}

impl Ours {
    pub(super) fn went(&self, to: (i32, i32)) {
        let mut moves = self.moves.lock().unwrap_or_else(PoisonError::into_inner);
        moves.truncate(LATELY - 1);
        moves.push_front(to);
    }

    fn were_at(&self, (x, y): (i32, i32)) -> bool {
        let moves = self.moves.lock().unwrap_or_else(PoisonError::into_inner);
        moves.is_empty() || moves.iter().any(|(a, b)| a.abs_diff(x) <= 1 && b.abs_diff(y) <= 1)
    }
}

/// True if the person did this.
#[expect(unsafe_code, reason = "unions")]
pub(super) fn did(input: &RAWINPUT, ours: &Ours) -> bool {
    let by_device = !input.header.hDevice.is_invalid();
    let is_theirs = |mark: u32| {
        if mark as usize == OURS {
            ours.marked.store(true, Ordering::Relaxed);
            return false;
        }
        by_device || ours.marked.load(Ordering::Relaxed)
    };
    if input.header.dwType == RIM_TYPEKEYBOARD.0 {
        // SAFETY: its kind says that it is a keyboard's.
        let key = unsafe { input.data.keyboard };
        return is_theirs(key.ExtraInformation) && u32::from(key.Flags) & RI_KEY_BREAK == 0;
    }
    if input.header.dwType != RIM_TYPEMOUSE.0 {
        return false;
    }
    // SAFETY: its kind says that it is a mouse's.
    let (mouse, buttons) = unsafe {
        let mouse = input.data.mouse;
        (mouse, u32::from(mouse.Anonymous.Anonymous.usButtonFlags))
    };
    if !is_theirs(mouse.ulExtraInformation) {
        return false;
    }
    if buttons & !UPS != 0 {
        return true;
    }
    let moved = (mouse.lLastX, mouse.lLastY) != (0, 0);
    moved && !(is_wine() && pointer().is_some_and(|at| ours.were_at(at)))
}

const UPS: u32 = RI_MOUSE_BUTTON_1_UP
    | RI_MOUSE_BUTTON_2_UP
    | RI_MOUSE_BUTTON_3_UP
    | RI_MOUSE_BUTTON_4_UP
    | RI_MOUSE_BUTTON_5_UP;

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn pointer() -> Option<(i32, i32)> {
    let mut at = POINT::default();
    // SAFETY: the point is ours.
    unsafe { GetCursorPos(&raw mut at) }.ok()?;
    Some((at.x, at.y))
}

/// True if any key or button is down; to be asked while none of ours is.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(super) fn holds() -> bool {
    // SAFETY: a plain number.
    (1..255).any(|key| unsafe { GetAsyncKeyState(key) } < 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use windows::Win32::Foundation::HANDLE;
    use windows::Win32::UI::Input::{RAWKEYBOARD, RAWMOUSE};

    fn key(flags: u32, extra: usize) -> RAWINPUT {
        let mut input = RAWINPUT::default();
        input.header.dwType = RIM_TYPEKEYBOARD.0;
        input.data.keyboard =
            RAWKEYBOARD { Flags: flags as u16, ExtraInformation: extra as u32, ..RAWKEYBOARD::default() };
        input
    }

    fn mouse(buttons: u32, moved: i32, extra: usize) -> RAWINPUT {
        let mut input = RAWINPUT::default();
        input.header.dwType = RIM_TYPEMOUSE.0;
        let mut mouse = RAWMOUSE { lLastX: moved, ulExtraInformation: extra as u32, ..RAWMOUSE::default() };
        mouse.Anonymous.Anonymous.usButtonFlags = buttons as u16;
        input.data.mouse = mouse;
        input
    }

    #[test]
    fn what_has_our_mark_is_ours_and_a_release_begins_nothing() {
        let ours = Ours::default();
        let did = |input| did(&input, &ours);
        assert!(!did(key(0, 0)), "who knows whether marks come back");
        let mut device = key(0, 0);
        device.header.hDevice = HANDLE(std::ptr::without_provenance_mut(7));
        assert!(did(device), "a keyboard");
        assert!(!did(key(0, OURS)));
        assert!(did(key(0, 0)) && did(mouse(1, 0, 0)) && did(mouse(0x400, 0, 7)));
        assert!(!did(key(0, OURS)) && !did(mouse(1, 5, OURS)) && !did(mouse(0x400, 0, OURS)));
        assert!(!did(key(RI_KEY_BREAK, 0)) && !did(mouse(UPS, 0, 0)));
        assert!(!did(mouse(0, 0, 0)), "a mouse that does not move");
        ours.went((-9000, -9000));
        assert!(did(mouse(0, 3, 0)));
    }

    #[test]
    fn an_echo_is_one_of_the_latest_moves_give_or_take_a_pixel() {
        let ours = Ours::default();
        assert!(ours.were_at((8, 8)), "nobody has moved yet");
        (0..2000).for_each(|n| ours.went((n * 10, 5)));
        assert!(ours.were_at((19_990, 5)) && ours.were_at((19_991, 4)) && !ours.were_at((19_995, 5)));
        assert!(!ours.were_at((0, 5)), "long ago");
    }
}
