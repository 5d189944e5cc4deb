//! Displays as Windows counts them, the primary first, asked afresh every time.
//!
//! The primary display begins at (0, 0); one to the left of it or above has negative coordinates. A screen unit is a physical
//! pixel, so a frame has as many pixels as the display has; how large a person sees things is [`super::dpi`]'s. This module
//! refuses to remember: a display that is gone is gone.

use super::system;
use handsight_base::port::desktop::{DesktopError, Display};
use handsight_base::space::ScreenRect;
use windows::Win32::Foundation::{LPARAM, RECT};
use windows::Win32::Graphics::Gdi::{
    EnumDisplayMonitors, GetMonitorInfoW, HDC, HMONITOR, MONITORINFO, MONITORINFOEXW,
};
use windows::Win32::UI::WindowsAndMessaging::MONITORINFOF_PRIMARY;
use windows::core::BOOL;

/// A display and what Windows knows it by.
pub(crate) struct Monitor {
    pub handle: HMONITOR,
    pub display: Display,
}

/// Every display, the primary first.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(crate) fn monitors() -> Vec<Monitor> {
    let mut monitors: Vec<Monitor> = Vec::new();
    // SAFETY: `collect` is given the list, which lives until the call has returned.
    let _all =
        unsafe { EnumDisplayMonitors(None, None, Some(collect), LPARAM((&raw mut monitors) as isize)) };
    monitors.retain(|m| !m.display.area.is_empty());
    // Stable, so that the rest keep the order of the system.
    monitors.sort_by_key(|m| !m.display.primary);
    monitors
}

/// Every display; [`DesktopError::Unusable`] if there is none.
pub(crate) fn displays() -> Result<Vec<Display>, DesktopError> {
    let displays: Vec<Display> = monitors().into_iter().map(|m| m.display).collect();
    if displays.is_empty() {
        return Err(DesktopError::Unusable {
            why: "this session has no display".into(),
            remedy: "Log in at the screen or over a remote desktop, and run handsight there; a service has no screen."
                .into(),
        });
    }
    Ok(displays)
}

#[expect(unsafe_code, reason = "a callback of the Windows API")]
unsafe extern "system" fn collect(monitor: HMONITOR, _: HDC, _: *mut RECT, list: LPARAM) -> BOOL {
    // SAFETY: `monitors` gave its own list, and is not using it meanwhile.
    let monitors = unsafe { &mut *(list.0 as *mut Vec<Monitor>) };
    monitors.extend(describe(monitor));
    true.into()
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn describe(handle: HMONITOR) -> Option<Monitor> {
    let mut info = MONITORINFOEXW::default();
    info.monitorInfo.cbSize = size_of::<MONITORINFOEXW>() as u32;
    // SAFETY: `info` says that it is the longer form, and begins with the shorter.
    let told = unsafe { GetMonitorInfoW(handle, (&raw mut info).cast::<MONITORINFO>()) };
    told.as_bool().then(|| Monitor {
        handle,
        display: Display {
            // `\\.\DISPLAY1`: people write the part that differs.
            name: system::text(&info.szDevice).trim_start_matches(r"\\.\").to_owned(),
            area: rect(&info.monitorInfo.rcMonitor),
            primary: info.monitorInfo.dwFlags & MONITORINFOF_PRIMARY != 0,
            scale: 1.0,
        },
    })
}

/// A rectangle as Windows has it; one turned inside out is empty.
pub(crate) fn rect(r: &RECT) -> ScreenRect {
    let long = |from: i32, to: i32| u32::try_from(i64::from(to) - i64::from(from)).unwrap_or(0);
    ScreenRect::new(r.left, r.top, long(r.left, r.right), long(r.top, r.bottom))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_keep_their_place_and_are_never_inside_out() {
        let of = |left, top, right, bottom| rect(&RECT { left, top, right, bottom });
        assert_eq!(of(-1920, -40, 0, 1040), ScreenRect::new(-1920, -40, 1920, 1080));
        assert!(of(5, 5, 4, 9).is_empty());
        assert_eq!(of(i32::MIN, 0, i32::MAX, 1).size.width, u32::MAX);
    }
}
