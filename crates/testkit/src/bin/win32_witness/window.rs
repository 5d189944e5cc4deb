//! The windows: opened, placed, painted, focused; and what their window procedure notes.

#![expect(unsafe_code, reason = "Win32")]

use crate::keys::is_down_in_queue;
use crate::paint::{is_shown, paint, picture};
use crate::seen::{self, Shown, note, of, shown};
use crate::{clipboard, server};
use handsight_base::flow::action::{Axis, Button};
use handsight_base::space::{ScreenPx, ScreenRect, WindowPx};
use handsight_testkit::witness_protocol::{CLASS, What, Which};
use std::rc::Rc;
use windows::Win32::Foundation::{HINSTANCE, HWND, LPARAM, LRESULT, POINT, RECT, WPARAM};
use windows::Win32::Graphics::Gdi::{ClientToScreen, InvalidateRect, ScreenToClient, UpdateWindow};
use windows::Win32::System::LibraryLoader::GetModuleHandleW;
use windows::Win32::UI::Input::KeyboardAndMouse::{
    GetFocus, ReleaseCapture, SetCapture, SetFocus, TME_LEAVE, TRACKMOUSEEVENT, TrackMouseEvent, VK_CONTROL,
    VK_LBUTTON, VK_MBUTTON, VK_RBUTTON, VK_V, VK_XBUTTON1, VK_XBUTTON2,
};
use windows::Win32::UI::WindowsAndMessaging::*;
use windows::core::{HSTRING, w};

const WM_MOUSELEAVE: u32 = 0x02A3;

fn module() -> HINSTANCE {
    // SAFETY: asks for our own module.
    unsafe { GetModuleHandleW(None) }.map(Into::into).unwrap_or_default()
}

/// To be called once, before the first window.
pub(crate) fn register() -> Result<(), String> {
    let class = HSTRING::from(CLASS);
    let class = WNDCLASSEXW {
        cbSize: size_of::<WNDCLASSEXW>() as u32,
        lpfnWndProc: Some(procedure),
        hInstance: module(),
        // SAFETY: a cursor of the system.
        hCursor: unsafe { LoadCursorW(None, IDC_ARROW) }.map_err(|e| e.to_string())?,
        lpszClassName: windows::core::PCWSTR(class.as_ptr()),
        ..Default::default()
    };
    // SAFETY: all that the class points at outlives the call.
    if unsafe { RegisterClassExW(&raw const class) } == 0 {
        return Err("the window class cannot be registered".into());
    }
    Ok(())
}

/// Where the client area is.
fn client(window: HWND) -> ScreenRect {
    let (mut size, mut origin) = (RECT::default(), POINT::default());
    // SAFETY: a window of ours.
    unsafe {
        let _gone = GetClientRect(window, &raw mut size);
        let _gone = ClientToScreen(window, &raw mut origin);
    }
    ScreenRect::new(origin.x, origin.y, size.right.max(0) as u32, size.bottom.max(0) as u32)
}

pub(crate) fn open(which: Which, at: ScreenRect, seed: u32, framed: bool) -> Result<(), String> {
    close(which)?;
    let style = if framed { WS_OVERLAPPEDWINDOW } else { WS_POPUP };
    let mut outer = RECT {
        left: at.origin.x,
        top: at.origin.y,
        right: at.origin.x + at.size.width as i32,
        bottom: at.origin.y + at.size.height as i32,
    };
    // SAFETY: our own class and strings; the rectangle is ours.
    let handle = unsafe {
        let _mended_by_placing = AdjustWindowRectEx(&raw mut outer, style, false, WS_EX_APPWINDOW);
        let (title, class) = (HSTRING::from(which.title()), HSTRING::from(CLASS));
        let (width, height) = (outer.right - outer.left, outer.bottom - outer.top);
        CreateWindowExW(
            WS_EX_APPWINDOW,
            &class,
            &title,
            style,
            outer.left,
            outer.top,
            width,
            height,
            None,
            None,
            Some(module()),
            None,
        )
        .map_err(|e| format!("the window cannot be made: {e}"))?
    };
    let picture = Rc::new((at.size.width, at.size.height, picture(seed, at.size.width, at.size.height)));
    seen::with(|state| state.shown.push(Shown { which, handle, seed, picture }));
    // SAFETY: a window of ours.
    unsafe {
        let _was_hidden = ShowWindow(handle, SW_SHOW);
        let _may_be_refused = BringWindowToTop(handle);
    }
    place(which, at)?;
    focus(which)?;
    // Raising it may have drawn it anew.
    await_shown(which, at)
}

/// Moves until the client area is there: a decoration's size is known only once it is around the window.
pub(crate) fn place(which: Which, at: ScreenRect) -> Result<(), String> {
    let handle = open_one(which)?.handle;
    let mut tries = 0;
    server::pump_until("the window has its place", || {
        let is = client(handle);
        if is == at {
            return true;
        }
        // Now and then: the window manager takes its time for each.
        if tries % 20 == 0 {
            let mut outer = RECT::default();
            // SAFETY: a window of ours.
            unsafe {
                let _gone = GetWindowRect(handle, &raw mut outer);
                let (x, y) = (outer.left + at.origin.x - is.origin.x, outer.top + at.origin.y - is.origin.y);
                let width = outer.right - outer.left + at.size.width as i32 - is.size.width as i32;
                let height = outer.bottom - outer.top + at.size.height as i32 - is.size.height as i32;
                let _gone = SetWindowPos(handle, None, x, y, width, height, SWP_NOZORDER | SWP_NOACTIVATE);
            }
        }
        tries += 1;
        false
    })
    .map_err(|why| format!("{why}: it is at {:?}, not {at:?}", client(handle)))?;
    await_shown(which, at)
}

fn await_shown(which: Which, at: ScreenRect) -> Result<(), String> {
    let one = open_one(which)?;
    // SAFETY: a window of ours.
    unsafe {
        let _asked = InvalidateRect(Some(one.handle), None, false);
        let _asked = UpdateWindow(one.handle);
    }
    server::pump_until("the screen shows the window", || is_shown(at, one.seed))
}

pub(crate) fn repaint(which: Which, seed: u32) -> Result<(), String> {
    let handle = open_one(which)?.handle;
    let at = client(handle);
    let picture = Rc::new((at.size.width, at.size.height, picture(seed, at.size.width, at.size.height)));
    seen::with(|state| {
        for one in state.shown.iter_mut().filter(|one| one.which == which) {
            (one.seed, one.picture) = (seed, Rc::clone(&picture));
        }
    });
    await_shown(which, at)
}

pub(crate) fn close(which: Which) -> Result<(), String> {
    match shown(which) {
        // SAFETY: a window of ours; WM_DESTROY takes it from the list.
        Some(one) => unsafe { DestroyWindow(one.handle) }.map_err(|e| e.to_string()),
        None => Ok(()),
    }
}

pub(crate) fn focus(which: Which) -> Result<(), String> {
    let handle = open_one(which)?.handle;
    let mut tries = 0;
    server::pump_until("the window has the focus", || {
        // SAFETY: a window of ours; both only ask.
        let has = unsafe { GetForegroundWindow() == handle && GetFocus() == handle };
        if !has && tries % 20 == 0 {
            take_focus(handle);
        }
        tries += 1;
        has
    })
}

/// Asks for the focus once.
pub(crate) fn take_focus(handle: HWND) {
    // SAFETY: a window of ours.
    unsafe {
        let _may_be_refused = SetForegroundWindow(handle);
        let _may_be_refused = SetFocus(Some(handle));
    }
}

fn open_one(which: Which) -> Result<Shown, String> {
    shown(which).ok_or_else(|| format!("{which:?} is not open"))
}

/// The pointer at the message that is handled now, or anywhere else: now.
pub(crate) fn pointer() -> ScreenPx {
    let mut at = POINT::default();
    // SAFETY: fills the point.
    let _locked_screen = unsafe { GetCursorPos(&raw mut at) };
    ScreenPx::new(at.x, at.y)
}

/// The two signed halves of a message's place.
const fn halves(value: u32) -> (i32, i32) {
    (value as u16 as i16 as i32, (value >> 16) as u16 as i16 as i32)
}

extern "system" fn procedure(window: HWND, message: u32, wparam: WPARAM, lparam: LPARAM) -> LRESULT {
    let handled = of(window).and_then(|one| handle(&one, message, wparam, lparam));
    // SAFETY: passes on what Windows gave.
    handled.map_or_else(|| unsafe { DefWindowProcW(window, message, wparam, lparam) }, LRESULT)
}

/// What the procedure answers; none if Windows shall.
fn handle(one: &Shown, message: u32, wparam: WPARAM, lparam: LPARAM) -> Option<isize> {
    let high = (wparam.0 >> 16) as u16;
    let down = matches!(message, WM_KEYDOWN | WM_SYSKEYDOWN);
    match message {
        WM_PAINT => {
            repicture(one);
            let picture = of(one.handle)?.picture;
            paint(one.handle, &picture.2, picture.0, picture.1);
            Some(0)
        }
        WM_ERASEBKGND => Some(1),
        // It closes when it is asked on its standard input, not when a chord strays to the window manager.
        WM_CLOSE => Some(0),
        WM_DESTROY => {
            seen::with(|state| state.shown.retain(|other| other.handle != one.handle));
            Some(0)
        }
        WM_SETCURSOR => {
            let cursor = seen::with(|state| state.cursor)?;
            // SAFETY: a cursor of ours that is never destroyed.
            unsafe { SetCursor(Some(cursor)) };
            Some(1)
        }
        WM_MOUSELEAVE => {
            seen::with(|state| state.pointer = None);
            Some(0)
        }
        WM_MOUSEMOVE => {
            mouse(one, What::Move, lparam);
            let mut leave = TRACKMOUSEEVENT {
                cbSize: size_of::<TRACKMOUSEEVENT>() as u32,
                dwFlags: TME_LEAVE,
                hwndTrack: one.handle,
                dwHoverTime: 0,
            };
            // SAFETY: a window of ours.
            let _not_told = unsafe { TrackMouseEvent(&raw mut leave) };
            Some(0)
        }
        WM_LBUTTONDOWN => Some(button(one, Button::Left, true, lparam)),
        WM_LBUTTONUP => Some(button(one, Button::Left, false, lparam)),
        WM_MBUTTONDOWN => Some(button(one, Button::Middle, true, lparam)),
        WM_MBUTTONUP => Some(button(one, Button::Middle, false, lparam)),
        WM_RBUTTONDOWN => Some(button(one, Button::Right, true, lparam)),
        WM_RBUTTONUP => Some(button(one, Button::Right, false, lparam)),
        WM_XBUTTONDOWN | WM_XBUTTONUP => {
            let which = if high == XBUTTON1 { Button::Back } else { Button::Forward };
            button(one, which, message == WM_XBUTTONDOWN, lparam);
            Some(1)
        }
        WM_MOUSEWHEEL | WM_MOUSEHWHEEL => {
            let axis = if message == WM_MOUSEWHEEL { Axis::Vertical } else { Axis::Horizontal };
            // Not its own place: Wine gives that of a sideways wheel in the window's coordinates.
            let (x, y) = message_place();
            report(one, What::Wheel { axis, units: i32::from(high as i16) }, ScreenPx::new(x, y), None);
            Some(0)
        }
        WM_KEYDOWN | WM_KEYUP | WM_SYSKEYDOWN | WM_SYSKEYUP => {
            let (vk, bits) = (wparam.0 as u16, lparam.0 as u32);
            let extended = bits & (1 << 24) != 0;
            let key = key_of(vk, extended, down);
            if down && vk == VK_V.0 && is_down_in_queue(VK_CONTROL) {
                let pasted = clipboard::text().unwrap_or_default();
                seen::insert(one.which, &pasted);
            }
            // Text is no key that could be held, whatever Wine says was down before.
            let repeat = down && key.is_some() && bits & (1 << 30) != 0;
            let (x, y) = message_place();
            report(one, What::Key { key, down, repeat }, ScreenPx::new(x, y), None);
            // Not passed on: Alt and F10 would open the window's menu, Alt+F4 would close it.
            Some(0)
        }
        WM_CHAR => {
            seen::note_unit(one.which, wparam.0 as u16);
            Some(0)
        }
        WM_SYSCHAR => Some(0),
        _ => None,
    }
}

/// The sides of modifiers need Windows, which must not be asked while the state is borrowed.
fn key_of(vk: u16, extended: bool, down: bool) -> Option<handsight_base::key::Key> {
    let mut sides = seen::with(|state| std::mem::take(&mut state.sides));
    let key = sides.key(vk, extended, down);
    seen::with(|state| state.sides = sides);
    key
}

fn message_place() -> (i32, i32) {
    // SAFETY: reads the thread's last message.
    halves(unsafe { GetMessagePos() })
}

fn mouse(one: &Shown, what: What, lparam: LPARAM) {
    let (x, y) = message_place();
    let (column, row) = halves(lparam.0 as u32);
    report(one, what, ScreenPx::new(x, y), Some(WindowPx::new(column, row)));
}

fn button(one: &Shown, button: Button, down: bool, lparam: LPARAM) -> isize {
    let any =
        [VK_LBUTTON, VK_MBUTTON, VK_RBUTTON, VK_XBUTTON1, VK_XBUTTON2].into_iter().any(is_down_in_queue);
    // A drag is followed beyond the window's edge until its end.
    // SAFETY: a window of ours.
    unsafe {
        if down {
            SetCapture(one.handle);
        } else if !any {
            let _had_none = ReleaseCapture();
        }
    }
    mouse(one, What::Button { button, down }, lparam);
    0
}

fn report(one: &Shown, what: What, screen: ScreenPx, client: Option<WindowPx>) {
    let client = client.unwrap_or_else(|| {
        let mut at = POINT { x: screen.x, y: screen.y };
        // SAFETY: a window of ours.
        let _gone = unsafe { ScreenToClient(one.handle, &raw mut at) };
        WindowPx::new(at.x, at.y)
    });
    if let Some(deed) = note(one.which, what, screen, client) {
        server::perform(deed);
    }
}

/// Makes the picture anew if the client area has another size.
fn repicture(one: &Shown) {
    let at = client(one.handle);
    if (one.picture.0, one.picture.1) != (at.size.width, at.size.height) {
        let made = Rc::new((at.size.width, at.size.height, picture(one.seed, at.size.width, at.size.height)));
        seen::with(|state| {
            for other in state.shown.iter_mut().filter(|other| other.handle == one.handle) {
                other.picture = Rc::clone(&made);
            }
        });
    }
}

/// A hidden window of the system's own class, to own the clipboard.
pub(crate) fn owner() -> Result<HWND, String> {
    // SAFETY: a class of the system.
    unsafe {
        CreateWindowExW(
            WINDOW_EX_STYLE(0),
            w!("STATIC"),
            w!(""),
            WINDOW_STYLE(0),
            0,
            0,
            0,
            0,
            Some(HWND_MESSAGE),
            None,
            Some(module()),
            None,
        )
    }
    .map_err(|e| e.to_string())
}
