//! Where a window is and whether it can be seen: what a capture needs to know of it.
//!
//! Everything is asked of Windows itself, nothing of the program the window belongs to, which may hang. This module refuses to
//! remember: a window may be elsewhere a moment later.

use super::displays::rect;
use super::system;
use handsight_base::port::desktop::{DesktopError, WindowState};
use handsight_base::space::ScreenRect;
use std::ffi::c_void;
use windows::Win32::Foundation::{HWND, POINT, RECT};
use windows::Win32::Graphics::Dwm::{
    DWMWA_CLOAKED, DWMWA_EXTENDED_FRAME_BOUNDS, DWMWINDOWATTRIBUTE, DwmGetWindowAttribute,
};
use windows::Win32::Graphics::Gdi::MapWindowPoints;
use windows::Win32::UI::WindowsAndMessaging::{
    GetClientRect, GetWindowRect, InternalGetWindowText, IsIconic, IsWindow, IsWindowVisible,
};

/// Where Windows puts the corner of a window that is minimised.
const PARKED: (i32, i32) = (-32_000, -32_000);

/// The answers.
#[derive(Debug)]
pub(super) struct Whereabouts {
    pub handle: HWND,
    /// Client area on the screen.
    pub client: ScreenRect,
    /// What a person sees of the window, decoration included.
    pub outer: ScreenRect,
    /// What Windows calls the window's rectangle: wider than what is seen, by borders to resize it with.
    pub whole: ScreenRect,
    pub state: WindowState,
}

impl Whereabouts {
    pub(super) fn title(&self) -> String {
        title(self.handle)
    }
}

/// The handle that a backend's number stands for.
pub(super) fn handle(id: u64) -> HWND {
    // Handles are 32 bits wide, extended by their sign.
    HWND(id as u32 as i32 as isize as *mut c_void)
}

/// A backend's number for a window.
pub(super) fn id(handle: HWND) -> u64 {
    u64::from(handle.0 as usize as u32)
}

/// Where the window of this number is; [`DesktopError::TargetGone`] if it is closed.
pub(super) fn of_id(id: u64) -> Result<Whereabouts, DesktopError> {
    let gone = || DesktopError::TargetGone { window: format!("{id:#x}") };
    // No number of a window is larger.
    u32::try_from(id).map_err(|_| gone())?;
    of(handle(id)).ok_or_else(gone)
}

/// `None` if the window is closed, or closes while it is asked about.
#[expect(unsafe_code, reason = "calls of the Windows API")]
pub(super) fn of(handle: HWND) -> Option<Whereabouts> {
    let (mut inner, mut whole) = (RECT::default(), RECT::default());
    // SAFETY: a handle that is none is refused by each; the rectangles are ours.
    unsafe {
        if !IsWindow(Some(handle)).as_bool() {
            return None;
        }
        GetWindowRect(handle, &raw mut whole).ok()?;
        GetClientRect(handle, &raw mut inner).ok()?;
    }
    let mut corners = [POINT { x: inner.left, y: inner.top }, POINT { x: inner.right, y: inner.bottom }];
    // SAFETY: two points are taken for a rectangle, which comes out the right way round for a mirrored window too.
    unsafe { MapWindowPoints(Some(handle), None, &mut corners) };
    let [first, second] = corners;
    let client = rect(&RECT { left: first.x, top: first.y, right: second.x, bottom: second.y });
    let outer = attribute::<RECT>(handle, DWMWA_EXTENDED_FRAME_BOUNDS).unwrap_or(whole);
    // SAFETY: as above.
    let (iconic, visible) = unsafe { (IsIconic(handle).as_bool(), IsWindowVisible(handle).as_bool()) };
    // Its rectangles were asked for before it was restored: they are still those of a minimised window.
    let parked = (whole.left, whole.top) == PARKED;
    let state = if (iconic || parked) && visible {
        WindowState::Minimised
    } else if !visible || is_cloaked(handle) {
        WindowState::Hidden
    } else {
        WindowState::Normal
    };
    // Closed while it was asked: what was asked last says nothing.
    // SAFETY: as above.
    if !unsafe { IsWindow(Some(handle)) }.as_bool() {
        return None;
    }
    Some(Whereabouts { handle, client, outer: rect(&outer), whole: rect(&whole), state })
}

/// True for a window that is shown to nobody though it calls itself visible: of another virtual desktop, or an app that sleeps.
pub(super) fn is_cloaked(handle: HWND) -> bool {
    attribute::<u32>(handle, DWMWA_CLOAKED).is_some_and(|why| why != 0)
}

/// The title, without asking the program for it.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(super) fn title(handle: HWND) -> String {
    let mut title = [0u16; 1024];
    // SAFETY: the buffer says how long it is; a handle that is none has no title.
    let length = unsafe { InternalGetWindowText(handle, &mut title) };
    system::text(&title[..usize::try_from(length).unwrap_or(0).min(title.len())])
}

/// What the compositor knows of a window; `None` if there is no compositor.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn attribute<T: Default>(handle: HWND, what: DWMWINDOWATTRIBUTE) -> Option<T> {
    let mut value = T::default();
    // SAFETY: each attribute is asked for with the type it has, plain numbers.
    let told = unsafe {
        DwmGetWindowAttribute(handle, what, (&raw mut value).cast::<c_void>(), size_of::<T>() as u32)
    };
    told.is_ok().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_for_its_handle_and_no_other() {
        for number in [0x1, 0x10_0a2c, 0xffff_fffe] {
            assert_eq!(id(handle(number)), number);
        }
        for nothing in [0, 0xdead_beef, 1 << 32] {
            assert!(matches!(of_id(nothing), Err(DesktopError::TargetGone { .. })), "{nothing:#x}");
        }
    }
}
