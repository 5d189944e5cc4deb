//! The pointer: where it is, what it looks like, and drawing it on a picture at its hot spot.
//!
//! Windows draws it itself, with everything a pointer may have: alpha, or a mask that inverts what lies below. Where the shape
//! cannot be had, because it belongs to another process, an arrow stands in, since what a model needs is the place. This
//! module refuses to draw a pointer that nobody sees.

use handsight_base::space::{ScreenPx, ScreenRect};
use std::ffi::c_void;
use std::sync::OnceLock;
use windows::Win32::Foundation::POINT;
use windows::Win32::Graphics::Gdi::{DeleteObject, HBITMAP, HDC, HGDIOBJ};
use windows::Win32::UI::WindowsAndMessaging::{
    CURSOR_SHOWING, CURSORINFO, DI_NORMAL, DrawIconEx, GetCursorInfo, GetCursorPos, GetIconInfo,
    GetSystemMetrics, HCURSOR, HICON, ICONINFO, IDC_ARROW, LoadCursorW, SM_CXCURSOR, SM_CYCURSOR,
};

/// The pointer's place on the screen; `None` while another desktop has it.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(super) fn pointer() -> Option<ScreenPx> {
    let mut at = POINT::default();
    // SAFETY: `at` is ours.
    unsafe { GetCursorPos(&raw mut at) }.ok()?;
    Some(ScreenPx::new(at.x, at.y))
}

/// What became of the pointer in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blended {
    /// Its own shape.
    Shape,
    /// An arrow in its place.
    StandIn,
    /// Hidden, elsewhere, or not to be drawn.
    Nothing,
}

/// Draws the pointer on a picture that shows `area`.
pub(super) fn blend(dc: HDC, area: ScreenRect) -> Blended {
    let Some((cursor, at)) = shown() else { return Blended::Nothing };
    if let Some(hot) = hot_spot(cursor) {
        match draw(dc, area, cursor, at, hot) {
            Some(true) => return Blended::Shape,
            Some(false) => return Blended::Nothing,
            None => {}
        }
    }
    let Some((arrow, hot)) = arrow() else { return Blended::Nothing };
    if draw(dc, area, arrow, at, hot) == Some(true) { Blended::StandIn } else { Blended::Nothing }
}

/// The shape that is shown, and where.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn shown() -> Option<(HCURSOR, ScreenPx)> {
    let mut info = CURSORINFO { cbSize: size_of::<CURSORINFO>() as u32, ..CURSORINFO::default() };
    // SAFETY: `info` says how large it is.
    unsafe { GetCursorInfo(&raw mut info) }.ok()?;
    let visible = info.flags.0 & CURSOR_SHOWING.0 != 0 && !info.hCursor.is_invalid();
    visible.then(|| (info.hCursor, ScreenPx::new(info.ptScreenPos.x, info.ptScreenPos.y)))
}

/// Of a shape, from its corner; `None` if it cannot be looked at.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn hot_spot(cursor: HCURSOR) -> Option<(i32, i32)> {
    let mut info = ICONINFO::default();
    // SAFETY: a handle that is none is refused. The two bitmaps are ours to let go.
    unsafe { GetIconInfo(HICON(cursor.0), &raw mut info) }.ok()?;
    for bitmap in [info.hbmMask, info.hbmColor] {
        if bitmap != HBITMAP::default() {
            // SAFETY: made for us by the call above.
            let _deleted = unsafe { DeleteObject(HGDIOBJ(bitmap.0)) };
        }
    }
    Some((info.xHotspot as i32, info.yHotspot as i32))
}

/// The system's arrow and its hot spot; looked for once, since it is shared and never let go.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn arrow() -> Option<(HCURSOR, (i32, i32))> {
    static ARROW: OnceLock<Option<(usize, (i32, i32))>> = OnceLock::new();
    let find = || {
        // SAFETY: a shape of the system, by its number.
        let arrow = unsafe { LoadCursorW(None, IDC_ARROW) }.ok()?;
        Some((arrow.0 as usize, hot_spot(arrow).unwrap_or((0, 0))))
    };
    ARROW.get_or_init(find).map(|(arrow, hot)| (HCURSOR(arrow as *mut c_void), hot))
}

/// Draws a shape with its hot spot `at`. False if no part of it lies in the picture; `None` if Windows cannot draw it.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn draw(dc: HDC, area: ScreenRect, cursor: HCURSOR, at: ScreenPx, hot: (i32, i32)) -> Option<bool> {
    // SAFETY: takes a number.
    let [width, height] = [SM_CXCURSOR, SM_CYCURSOR].map(|m| unsafe { GetSystemMetrics(m) }.max(1) as u32);
    let corner = at.offset(-hot.0, -hot.1);
    if ScreenRect::new(corner.x, corner.y, width, height).intersect(&area).is_none() {
        return Some(false);
    }
    let (x, y) = (corner.x - area.origin.x, corner.y - area.origin.y);
    // SAFETY: a handle that is none is refused. Zero for a size means the shape's own.
    let drawn = unsafe { DrawIconEx(dc, x, y, HICON(cursor.0), 0, 0, 0, None, DI_NORMAL) };
    drawn.is_ok().then_some(true)
}
