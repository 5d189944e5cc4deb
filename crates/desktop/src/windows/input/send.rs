//! Events on their way into one `SendInput`.
//!
//! They are kept until somebody waits for their effect, and go out together. Places are rounded so that the pointer comes to
//! stand on the very pixel, wherever the virtual screen begins.

use super::keys::{EXTENDED, virtual_key};
use super::person::OURS;
use super::{BACK, FORWARD, LEFT, MIDDLE, RIGHT};
use crate::hands::protocol::Fault;
use handsight_base::flow::action::Axis;
use handsight_base::space::{ScreenPx, ScreenRect};
use std::time::Duration;
use windows::Win32::Foundation::{ERROR_ACCESS_DENIED, GetLastError, SetLastError, WIN32_ERROR};
use windows::Win32::UI::Input::KeyboardAndMouse::{
    INPUT, INPUT_0, INPUT_KEYBOARD, INPUT_MOUSE, KEYBD_EVENT_FLAGS, KEYBDINPUT, KEYEVENTF_EXTENDEDKEY,
    KEYEVENTF_KEYUP, KEYEVENTF_UNICODE, MOUSE_EVENT_FLAGS, MOUSEEVENTF_ABSOLUTE, MOUSEEVENTF_HWHEEL,
    MOUSEEVENTF_LEFTDOWN, MOUSEEVENTF_LEFTUP, MOUSEEVENTF_MIDDLEDOWN, MOUSEEVENTF_MIDDLEUP, MOUSEEVENTF_MOVE,
    MOUSEEVENTF_RIGHTDOWN, MOUSEEVENTF_RIGHTUP, MOUSEEVENTF_VIRTUALDESK, MOUSEEVENTF_WHEEL,
    MOUSEEVENTF_XDOWN, MOUSEEVENTF_XUP, MOUSEINPUT, SendInput, VIRTUAL_KEY,
};
use windows::Win32::UI::WindowsAndMessaging::{
    GetSystemMetrics, SM_CXVIRTUALSCREEN, SM_CYVIRTUALSCREEN, SM_XVIRTUALSCREEN, SM_YVIRTUALSCREEN, XBUTTON1,
    XBUTTON2,
};

/// How long after a move the pointer is taken to be where it went. The echo under Wine is quick, but the machine may stop for a while
/// between a move and its button: 360 ms were seen.
const FRESH: Duration = Duration::from_secs(1);

/// Goes to a place of the virtual screen.
const TO: MOUSE_EVENT_FLAGS =
    MOUSE_EVENT_FLAGS(MOUSEEVENTF_MOVE.0 | MOUSEEVENTF_ABSOLUTE.0 | MOUSEEVENTF_VIRTUALDESK.0);

#[derive(Default)]
pub(super) struct Queue {
    events: Vec<INPUT>,
    /// Where the last move went to, and when.
    at: Option<((i32, i32), Duration)>,
}

impl Queue {
    pub(super) fn move_to(&mut self, to: ScreenPx, now: Duration) -> Result<(), Fault> {
        let screen = virtual_screen();
        let size = screen.size;
        if size.width == 0 || size.height == 0 {
            return Err(Fault::Refused { why: "there is no screen to point at".to_owned(), code: None });
        }
        let (dx, dy) =
            (fraction(to.x - screen.origin.x, size.width), fraction(to.y - screen.origin.y, size.height));
        self.at = Some(((dx, dy), now));
        self.mouse(dx, dy, 0, TO);
        Ok(())
    }

    /// Soon after a move the button says its place as well: it is pressed and let go there, even if something moves the pointer in
    /// between, as Wine does when it hears its own moves again from the X server. Later on it is where a person may have put it.
    pub(super) fn button(&mut self, button: u8, down: bool, now: Duration) {
        let (flags, data) = match (button, down) {
            (LEFT, true) => (MOUSEEVENTF_LEFTDOWN, 0),
            (LEFT, false) => (MOUSEEVENTF_LEFTUP, 0),
            (RIGHT, true) => (MOUSEEVENTF_RIGHTDOWN, 0),
            (RIGHT, false) => (MOUSEEVENTF_RIGHTUP, 0),
            (MIDDLE, true) => (MOUSEEVENTF_MIDDLEDOWN, 0),
            (MIDDLE, false) => (MOUSEEVENTF_MIDDLEUP, 0),
            (BACK, true) => (MOUSEEVENTF_XDOWN, XBUTTON1),
            (BACK, false) => (MOUSEEVENTF_XUP, XBUTTON1),
            (FORWARD, true) => (MOUSEEVENTF_XDOWN, XBUTTON2),
            (FORWARD, false) => (MOUSEEVENTF_XUP, XBUTTON2),
            // Out of a file that is not ours.
            (_, _) => return,
        };
        let fresh = self.at.filter(|(_, moved)| now.saturating_sub(*moved) <= FRESH);
        match fresh {
            Some(((dx, dy), _)) => self.mouse(dx, dy, u32::from(data), flags | TO),
            None => self.mouse(0, 0, u32::from(data), flags),
        }
    }

    /// Turns the wheel by 120ths of a notch, as they are. One message carries 16 bits.
    pub(super) fn wheel(&mut self, axis: Axis, units: i32) {
        /// Whole notches.
        const MOST: i32 = 32_760;
        let flags = match axis {
            Axis::Vertical => MOUSEEVENTF_WHEEL,
            Axis::Horizontal => MOUSEEVENTF_HWHEEL,
        };
        let mut left = units;
        while left != 0 {
            let piece = left.clamp(-MOST, MOST);
            self.mouse(0, 0, piece as u32, flags);
            left -= piece;
        }
    }

    pub(super) fn key(&mut self, code: u32, scan: u16, down: bool) {
        let mut flags = KEYBD_EVENT_FLAGS(0);
        if code & EXTENDED != 0 {
            flags |= KEYEVENTF_EXTENDEDKEY;
        }
        if !down {
            flags |= KEYEVENTF_KEYUP;
        }
        self.keyboard(virtual_key(code), scan, flags);
    }

    /// One down and one up per UTF-16 unit (S-35).
    pub(super) fn character(&mut self, character: char) {
        for unit in character.encode_utf16(&mut [0; 2]) {
            self.keyboard(VIRTUAL_KEY(0), *unit, KEYEVENTF_UNICODE);
            self.keyboard(VIRTUAL_KEY(0), *unit, KEYEVENTF_UNICODE | KEYEVENTF_KEYUP);
        }
    }

    /// Hands everything to Windows in one call, and says what it did not take.
    #[expect(unsafe_code, reason = "calls of the Windows API")]
    pub(super) fn flush(&mut self) -> Result<(), Fault> {
        let events = std::mem::take(&mut self.events);
        if events.is_empty() {
            return Ok(());
        }
        // SAFETY: the array says how long it is and how large its members are.
        let (taken, error) = unsafe {
            SetLastError(WIN32_ERROR(0));
            (SendInput(&events, size_of::<INPUT>() as i32) as usize, GetLastError())
        };
        if taken == events.len() { Ok(()) } else { Err(refused(taken, events.len(), error)) }
    }

    fn mouse(&mut self, dx: i32, dy: i32, data: u32, flags: MOUSE_EVENT_FLAGS) {
        let mi = MOUSEINPUT { dx, dy, mouseData: data, dwFlags: flags, time: 0, dwExtraInfo: OURS };
        self.events.push(INPUT { r#type: INPUT_MOUSE, Anonymous: INPUT_0 { mi } });
    }

    fn keyboard(&mut self, key: VIRTUAL_KEY, scan: u16, flags: KEYBD_EVENT_FLAGS) {
        let ki = KEYBDINPUT { wVk: key, wScan: scan, dwFlags: flags, time: 0, dwExtraInfo: OURS };
        self.events.push(INPUT { r#type: INPUT_KEYBOARD, Anonymous: INPUT_0 { ki } });
    }
}

/// What `SendInput` did not take, in words (S-83).
fn refused(taken: usize, of: usize, error: WIN32_ERROR) -> Fault {
    let reason = match error {
        // Windows says nothing when another program's input is in the way.
        WIN32_ERROR(0) | ERROR_ACCESS_DENIED => {
            "another program blocks input, or the screen is locked or shows a question of Windows itself"
        }
        _ => "Windows refused",
    };
    let why = format!("SendInput took {taken} of {of} events: {reason}");
    Fault::Refused { why, code: Some(error.0.into()) }
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
fn virtual_screen() -> ScreenRect {
    // SAFETY: plain numbers.
    let metric = |index| unsafe { GetSystemMetrics(index) };
    ScreenRect::new(
        metric(SM_XVIRTUALSCREEN),
        metric(SM_YVIRTUALSCREEN),
        metric(SM_CXVIRTUALSCREEN).unsigned_abs(),
        metric(SM_CYVIRTUALSCREEN).unsigned_abs(),
    )
}

/// A pixel as a share of 65536. Windows turns it back by rounding down; a quarter of a pixel is added, so that rounding to
/// the nearest finds the same one. Places beyond the edge stay beyond it, where Windows stops the pointer at the edge.
fn fraction(pixel: i32, pixels: u32) -> i32 {
    let shares = (i64::from(pixel) * 4 + 1) * 65_536;
    let fraction = shares.div_euclid(i64::from(pixels) * 4);
    fraction.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pixel_of_every_width_comes_back() {
        for pixels in [1u32, 2, 100, 1279, 1280, 1366, 1920, 2560, 3840, 5120, 7680, 11_520, 16_384] {
            for pixel in 0..pixels as i32 {
                let share = i64::from(fraction(pixel, pixels));
                assert!((0..65_536).contains(&share));
                let (down, nearest) =
                    (share * i64::from(pixels) / 65_536, (share * i64::from(pixels) + 32_768) / 65_536);
                assert_eq!((down, nearest), (pixel.into(), pixel.into()), "of {pixels}");
            }
        }
    }

    #[test]
    fn a_large_turn_of_the_wheel_keeps_its_sum() {
        for units in [0, 1, -37, 120, 240, 32_760, 100_001, -100_001] {
            let mut queue = Queue::default();
            queue.wheel(Axis::Vertical, units);
            let sum: i32 = queue.events.iter().map(data).sum();
            assert_eq!(sum, units);
            assert!(queue.events.iter().all(|e| i16::try_from(data(e)).is_ok()));
        }
    }

    #[expect(unsafe_code, reason = "a union")]
    fn data(event: &INPUT) -> i32 {
        // SAFETY: `wheel` makes mouse events only.
        unsafe { event.Anonymous.mi.mouseData as i32 }
    }

    #[test]
    fn a_button_says_its_place_only_soon_after_the_move_that_goes_there() {
        let at = Duration::from_millis;
        let mut queue = Queue::default();
        queue.button(LEFT, true, at(0));
        queue.move_to(ScreenPx::new(3, 4), at(10)).unwrap();
        queue.button(LEFT, false, at(10));
        // What was sent meanwhile changes nothing.
        let sent = queue.events.split_off(0);
        queue.button(LEFT, true, at(1010));
        queue.button(LEFT, false, at(1011));
        // SAFETY: these are mouse events.
        #[expect(unsafe_code, reason = "a union")]
        let events: Vec<_> = sent.iter().chain(&queue.events).map(|e| unsafe { e.Anonymous.mi }).collect();
        let place = |e: &MOUSEINPUT| (e.dx, e.dy);
        assert_eq!((events[0].dwFlags, place(&events[0])), (MOUSEEVENTF_LEFTDOWN, (0, 0)));
        assert_eq!((events[1].dwFlags, events[2].dwFlags), (TO, TO | MOUSEEVENTF_LEFTUP));
        assert_eq!(place(&events[1]), place(&events[2]));
        assert_eq!((events[3].dwFlags, place(&events[3])), (TO | MOUSEEVENTF_LEFTDOWN, place(&events[1])));
        assert_eq!((events[4].dwFlags, place(&events[4])), (MOUSEEVENTF_LEFTUP, (0, 0)));
    }

    // spec: S-35 UNIT
    #[test]
    fn a_surrogate_pair_is_two_pairs_of_down_and_up() {
        let mut queue = Queue::default();
        queue.character('😀');
        // SAFETY: `character` makes keyboard events only.
        #[expect(unsafe_code, reason = "a union")]
        let events: Vec<_> =
            queue.events.iter().map(|e| unsafe { (e.Anonymous.ki.wScan, e.Anonymous.ki.dwFlags) }).collect();
        let (down, up) = (KEYEVENTF_UNICODE, KEYEVENTF_UNICODE | KEYEVENTF_KEYUP);
        assert_eq!(events, [(0xd83d, down), (0xd83d, up), (0xde00, down), (0xde00, up)]);
    }

    // spec: S-83 UNIT
    #[test]
    fn a_refusal_carries_the_code_of_the_system() {
        let Fault::Refused { why, code } = refused(1, 3, ERROR_ACCESS_DENIED) else { panic!() };
        assert_eq!(code, Some(5));
        assert!(why.contains("1 of 3"), "{why}");
    }
}
