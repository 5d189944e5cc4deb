//! Pixels that are pixels: the process says that it knows about scaling, so that Windows scales nothing behind its back.
//!
//! Capture, window rectangles and input then share one space, the physical pixels of the virtual screen, whatever scale a
//! person has chosen for a display (S-03). The scale itself is measured when it is asked for, because a window can be dragged to
//! another display. This module refuses to guess a scale: what Windows does not tell is 96 dpi, which is 1.

use std::sync::OnceLock;
use windows::Win32::Foundation::HWND;
use windows::Win32::Graphics::Gdi::{GetDC, GetDeviceCaps, HMONITOR, LOGPIXELSX, ReleaseDC};
use windows::Win32::UI::HiDpi::{
    DPI_AWARENESS_CONTEXT, DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE,
    DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2, DPI_AWARENESS_CONTEXT_SYSTEM_AWARE, GetDpiForMonitor,
    GetDpiForSystem, GetDpiForWindow, MDT_EFFECTIVE_DPI, SetProcessDpiAwarenessContext,
};
use windows::Win32::UI::WindowsAndMessaging::{IsProcessDPIAware, SetProcessDPIAware};

/// 100 %.
pub(super) const UNSCALED: u32 = 96;

/// How much the process knows about scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awareness {
    PerMonitorV2,
    PerMonitor,
    /// One scale for all displays: on a display with another one Windows scales what it shows us.
    System,
    /// Windows lies to us about every coordinate on a scaled display.
    None,
}

impl Awareness {
    /// For people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PerMonitorV2 => "per monitor (v2)",
            Self::PerMonitor => "per monitor",
            Self::System => "system",
            Self::None => "none",
        }
    }
}

/// Declares the process aware of scaling, as far as this Windows lets it, and tells how far. To be called before the first
/// window or question about the screen; once said, it cannot be changed, and later calls tell the same.
#[expect(unsafe_code, reason = "calls of the Windows API")]
pub fn declare_dpi_awareness() -> Awareness {
    static DECLARED: OnceLock<Awareness> = OnceLock::new();
    *DECLARED.get_or_init(|| {
        let chain: [(DPI_AWARENESS_CONTEXT, Awareness); 3] = [
            (DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2, Awareness::PerMonitorV2),
            (DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE, Awareness::PerMonitor),
            (DPI_AWARENESS_CONTEXT_SYSTEM_AWARE, Awareness::System),
        ];
        for (context, awareness) in chain {
            // SAFETY: the contexts are constants.
            if unsafe { SetProcessDpiAwarenessContext(context) }.is_ok() {
                return awareness;
            }
        }
        // SAFETY: takes nothing.
        if unsafe { SetProcessDPIAware() }.as_bool() || unsafe { IsProcessDPIAware() }.as_bool() {
            return Awareness::System;
        }
        tracing::warn!("this process cannot be made aware of scaling: on a scaled display clicks go astray");
        Awareness::None
    })
}

/// Dots per inch of a display; 96 is 100 %.
#[expect(unsafe_code, reason = "calls of the Windows API")]
pub(crate) fn of_display(monitor: HMONITOR) -> u32 {
    let (mut across, mut down) = (0, 0);
    // SAFETY: the two numbers are ours, and a handle that is none is refused.
    let told = unsafe { GetDpiForMonitor(monitor, MDT_EFFECTIVE_DPI, &raw mut across, &raw mut down) };
    if told.is_ok() && across > 0 { across } else { of_system() }
}

/// Dots per inch that a window is drawn with; 96 is 100 %.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(crate) fn of_window(window: HWND) -> u32 {
    // SAFETY: a handle that is none gives 0.
    let dpi = unsafe { GetDpiForWindow(window) };
    if dpi > 0 { dpi } else { of_system() }
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
fn of_system() -> u32 {
    // SAFETY: takes nothing.
    let dpi = unsafe { GetDpiForSystem() };
    if dpi > 0 {
        return dpi;
    }
    // SAFETY: the screen's own context, given back before its value is used.
    let dpi = unsafe {
        let screen = GetDC(None);
        let dpi = GetDeviceCaps(Some(screen), LOGPIXELSX);
        ReleaseDC(None, screen);
        dpi
    };
    u32::try_from(dpi).ok().filter(|d| *d > 0).unwrap_or(UNSCALED)
}

/// 1.5 for 144.
pub(crate) fn scale(dpi: u32) -> f64 {
    f64::from(dpi) / f64::from(UNSCALED)
}
