//! The stop chord and the person, heard whatever program has the focus.
//!
//! Raw input that goes to a window of ours in the background too: it delays nobody's keys, cannot be taken by another
//! program's hot key or keyboard hook, and is not dropped when this machine is slow, as a hook is that answers late. It counts
//! every key of every keyboard, the hands' own among them: a chord made half by the person and half by what the engine holds
//! stops too, which errs on the safe side. The window has a thread of its own, because its messages must not wait for a batch.

use super::keys::{code, virtual_key};
use super::layout::Layout;
use super::person::{self, Ours};
use crate::hands::protocol::Fault;
use crate::hands::system::{Event, Source};
use crate::windows::system::why;
use handsight_base::key::{Chord, Key, Named};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use windows::Win32::Foundation::{HWND, LPARAM, WPARAM};
use windows::Win32::System::Threading::GetCurrentThreadId;
use windows::Win32::UI::Input::KeyboardAndMouse::{
    GetAsyncKeyState, VK_CANCEL, VK_CONTROL, VK_LCONTROL, VK_LMENU, VK_LSHIFT, VK_LWIN, VK_MENU, VK_PAUSE,
    VK_RCONTROL, VK_RMENU, VK_RSHIFT, VK_RWIN, VK_SHIFT,
};
use windows::Win32::UI::Input::{
    GetRawInputData, HRAWINPUT, RAWINPUT, RAWINPUTDEVICE, RAWINPUTHEADER, RID_INPUT, RIDEV_INPUTSINK,
    RIM_TYPEKEYBOARD, RegisterRawInputDevices,
};
use windows::Win32::UI::WindowsAndMessaging::{
    CreateWindowExW, DestroyWindow, DispatchMessageW, GetMessageW, HWND_MESSAGE, MSG, PostThreadMessageW,
    RI_KEY_BREAK, WINDOW_EX_STYLE, WINDOW_STYLE, WM_INPUT, WM_QUIT,
};
use windows::core::w;

/// Usages of HID's page 1.
const KEYBOARDS: u16 = 6;
const MICE: u16 = 2;

/// Watches for the chord, and for the person if it is given what is known of our own input, until it is dropped.
#[derive(Debug)]
pub(super) struct ChordWatch {
    pressed: Arc<Event>,
    touched: Arc<Event>,
    thread: u32,
}

impl ChordWatch {
    pub(super) fn start(chord: &Chord, ours: Option<Arc<Ours>>) -> Result<Self, Fault> {
        let unusable = |why: String| Fault::Unusable {
            why: format!("the stop chord could not be heard: {why}"),
            remedy: "Log in to a session with a desktop".to_owned(),
        };
        let pressed = Arc::new(Event::new().map_err(|why| unusable(why.to_string()))?);
        let touched = Arc::new(Event::new().map_err(|why| unusable(why.to_string()))?);
        let mut keys = Keys::new(chord);
        let [chord_rung, touch_rung] = [Arc::clone(&pressed), Arc::clone(&touched)];
        let (started, ready) = sync_channel(1);
        let thread = std::thread::Builder::new().name("stop chord".to_owned()).spawn(move || {
            match listen(ours.is_some()) {
                Ok(window) => {
                    let _waits = started.send(Ok(thread_id()));
                    pump(window, |input| {
                        if keyboard(input).is_some_and(|(key, down)| keys.heard(key, down)) {
                            chord_rung.set();
                        }
                        if ours.as_ref().is_some_and(|ours| person::did(input, ours)) {
                            touch_rung.set();
                        }
                    });
                }
                Err(error) => drop(started.send(Err(why(&error)))),
            }
        });
        thread.map_err(|why| unusable(why.to_string()))?;
        let thread = ready.recv().map_err(|why| unusable(why.to_string()))?.map_err(unusable)?;
        Ok(Self { pressed, touched, thread })
    }

    /// True if it was pressed since the last time.
    pub(super) fn take(&self) -> bool {
        self.pressed.take()
    }

    /// True if the person did anything since the last time.
    pub(super) fn take_touch(&self) -> bool {
        self.touched.take()
    }

    pub(super) fn sources(&self) -> [Source<'_>; 2] {
        [self.pressed.source(), self.touched.source()]
    }
}

impl Drop for ChordWatch {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn drop(&mut self) {
        // SAFETY: plain numbers.
        let _gone_already = unsafe { PostThreadMessageW(self.thread, WM_QUIT, WPARAM(0), LPARAM(0)) };
    }
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn thread_id() -> u32 {
    // SAFETY: it only answers.
    unsafe { GetCurrentThreadId() }
}

/// A window that nobody sees, to which every key of every keyboard is reported, and every mouse if wanted.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn listen(mice: bool) -> windows::core::Result<HWND> {
    let (style, ex) = (WINDOW_STYLE(0), WINDOW_EX_STYLE(0));
    // SAFETY: a class of the system's own and no pointers; the array is as long as it says.
    unsafe {
        let parent = Some(HWND_MESSAGE);
        let window =
            CreateWindowExW(ex, w!("STATIC"), w!("handsight"), style, 0, 0, 0, 0, parent, None, None, None)?;
        let all = |usage| RAWINPUTDEVICE {
            usUsagePage: 1,
            usUsage: usage,
            dwFlags: RIDEV_INPUTSINK,
            hwndTarget: window,
        };
        let kinds = [all(KEYBOARDS), all(MICE)];
        let kinds = if mice { &kinds[..] } else { &kinds[..1] };
        RegisterRawInputDevices(kinds, size_of::<RAWINPUTDEVICE>() as u32)?;
        Ok(window)
    }
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
fn pump(window: HWND, mut heard: impl FnMut(&RAWINPUT)) {
    let mut message = MSG::default();
    // SAFETY: the message is ours; the window belongs to this thread.
    unsafe {
        while GetMessageW(&raw mut message, None, 0, 0).0 > 0 {
            if message.message == WM_INPUT
                && let Some(input) = raw(HRAWINPUT(message.lParam.0 as *mut _))
            {
                heard(&input);
            }
            DispatchMessageW(&raw const message);
        }
        let _destroyed = DestroyWindow(window);
    }
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn raw(input: HRAWINPUT) -> Option<RAWINPUT> {
    let mut raw = RAWINPUT::default();
    let mut size = size_of::<RAWINPUT>() as u32;
    let header = size_of::<RAWINPUTHEADER>() as u32;
    // SAFETY: `raw` is as large as `size` says.
    let read =
        unsafe { GetRawInputData(input, RID_INPUT, Some((&raw mut raw).cast()), &raw mut size, header) };
    (read != u32::MAX).then_some(raw)
}

/// The virtual key of a keyboard's event, and whether it went down.
#[expect(unsafe_code, reason = "a union")]
fn keyboard(input: &RAWINPUT) -> Option<(u16, bool)> {
    if input.header.dwType != RIM_TYPEKEYBOARD.0 {
        return None;
    }
    // SAFETY: its kind says that it is a keyboard's.
    let key = unsafe { input.data.keyboard };
    Some((key.VKey, u32::from(key.Flags) & RI_KEY_BREAK == 0))
}

/// Which keys are down, and which make the chord.
#[derive(Debug)]
struct Keys {
    /// For each key of the chord, its virtual key.
    chord: Vec<u16>,
    down: HashSet<u16>,
}

impl Keys {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn new(chord: &Chord) -> Self {
        let chord: Vec<u16> = chord.0.iter().map(|key| either_side(virtual_key_of(*key))).collect();
        // SAFETY: a plain number.
        let is_down = |key: &u16| unsafe { GetAsyncKeyState((*key).into()) } < 0;
        let down = chord.iter().copied().filter(is_down).collect();
        Self { chord, down }
    }

    /// True if this completes the chord.
    fn heard(&mut self, key: u16, down: bool) -> bool {
        let key = either_side(key);
        if !down {
            self.down.remove(&key);
            return false;
        }
        self.down.insert(key);
        self.chord.contains(&key) && self.chord.iter().all(|key| self.down.contains(key))
    }
}

fn virtual_key_of(key: Key) -> u16 {
    let code = match key {
        Key::Named(named) => code(named),
        Key::Char(c) => {
            let stroke = Layout::of_focus().stroke(c.to_ascii_lowercase(), &[code(Named::Control)]);
            stroke.map_or(0, |stroke| stroke.key)
        }
    };
    virtual_key(code).0
}

/// Either side of a modifier is the modifier, and Ctrl+Pause is Break.
fn either_side(key: u16) -> u16 {
    match key {
        key if key == VK_LCONTROL.0 || key == VK_RCONTROL.0 => VK_CONTROL.0,
        key if key == VK_LSHIFT.0 || key == VK_RSHIFT.0 => VK_SHIFT.0,
        key if key == VK_LMENU.0 || key == VK_RMENU.0 => VK_MENU.0,
        key if key == VK_RWIN.0 => VK_LWIN.0,
        key if key == VK_CANCEL.0 => VK_PAUSE.0,
        key => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chord_is_complete_with_its_last_key_whatever_the_order_and_side() {
        let mut keys = Keys::new(&"ctrl+alt+pause".parse().unwrap());
        keys.down.clear();
        assert!(!keys.heard(VK_RMENU.0, true));
        assert!(!keys.heard(VK_CANCEL.0, true));
        assert!(!keys.heard(0x41, true));
        assert!(keys.heard(VK_LCONTROL.0, true));
        assert!(!keys.heard(VK_MENU.0, false));
        assert!(!keys.heard(VK_PAUSE.0, true));
        assert!(keys.heard(VK_LMENU.0, true));
    }
}
