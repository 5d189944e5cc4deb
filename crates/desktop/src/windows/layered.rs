//! The overlay's window as Windows has it: layered, topmost, clear to clicks, never active, in no taskbar (S-58).
//!
//! It belongs to the thread that made it and is gone when dropped. Not being raised is no error (S-86); everything else that
//! Windows refuses is (S-85). This module refuses to take input of any kind, and to be closed by anybody but us.

use super::canvas::Canvas;
use super::system;
use handsight_base::port::desktop::{DesktopError, Overlay};
use handsight_base::space::ScreenPx;
use std::cell::Cell;
use windows::Win32::Foundation::{
    COLORREF, ERROR_CLASS_ALREADY_EXISTS, HINSTANCE, HWND, LPARAM, LRESULT, POINT, SIZE, WPARAM,
};
use windows::Win32::Graphics::Gdi::{AC_SRC_ALPHA, AC_SRC_OVER, BLENDFUNCTION};
use windows::Win32::System::LibraryLoader::GetModuleHandleW;
use windows::Win32::UI::WindowsAndMessaging::{
    CreateWindowExW, DefWindowProcW, DestroyWindow, HTTRANSPARENT, HWND_TOPMOST, IsWindowVisible,
    MA_NOACTIVATE, RegisterClassExW, SET_WINDOW_POS_FLAGS, SWP_HIDEWINDOW, SWP_NOACTIVATE, SWP_NOMOVE,
    SWP_NOOWNERZORDER, SWP_NOSENDCHANGING, SWP_NOSIZE, SWP_NOZORDER, SWP_SHOWWINDOW,
    SetWindowDisplayAffinity, SetWindowPos, ULW_ALPHA, UpdateLayeredWindow, WDA_EXCLUDEFROMCAPTURE, WDA_NONE,
    WM_CLOSE, WM_DISPLAYCHANGE, WM_DPICHANGED, WM_MOUSEACTIVATE, WM_NCHITTEST, WNDCLASSEXW, WS_EX_LAYERED,
    WS_EX_NOACTIVATE, WS_EX_TOOLWINDOW, WS_EX_TOPMOST, WS_EX_TRANSPARENT, WS_POPUP,
};
use windows::core::{Error, PCWSTR, Result, w};

/// Its window class.
const CLASS: PCWSTR = w!("handsight overlay");
const TITLE: PCWSTR = w!("handsight");

thread_local! {
    /// Windows may have moved it: a display was added, taken away, resized or scaled.
    static DISPLACED: Cell<bool> = const { Cell::new(false) };
}

/// True once after each change of the displays.
pub(super) fn was_displaced() -> bool {
    DISPLACED.take()
}

/// An overlay's window, not shown until it is told to.
pub(super) struct Layered {
    window: HWND,
}

impl Layered {
    /// A window without a picture.
    ///
    /// # Errors
    /// [`DesktopError::Overlay`]
    pub(super) fn create() -> std::result::Result<Self, DesktopError> {
        let window = register().and_then(create);
        Ok(Self { window: window.map_err(|e| failed("its window was not made", &e))? })
    }

    /// The number of the window.
    pub(super) fn id(&self) -> u64 {
        self.window.0 as u64
    }

    /// Gives it the overlay's picture, size and place, in one step. `overlay` is not empty and has as many bytes as pixels.
    ///
    /// # Errors
    /// [`DesktopError::Overlay`]
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    pub(super) fn fill(&self, overlay: &Overlay) -> std::result::Result<(), DesktopError> {
        let filled = || -> Result<()> {
            let size = overlay.area.size;
            let mut canvas = Canvas::new(size)?;
            premultiply(&overlay.bgra, canvas.bytes_mut());
            let place = POINT { x: overlay.area.origin.x, y: overlay.area.origin.y };
            let extent = SIZE { cx: size.width as i32, cy: size.height as i32 };
            let from = POINT::default();
            let blend = BLENDFUNCTION {
                BlendOp: AC_SRC_OVER as u8,
                SourceConstantAlpha: 255,
                AlphaFormat: AC_SRC_ALPHA as u8,
                ..BLENDFUNCTION::default()
            };
            // SAFETY: what is pointed at lives through the call, and Windows keeps a picture of its own.
            unsafe {
                UpdateLayeredWindow(
                    self.window,
                    None,
                    Some(&raw const place),
                    Some(&raw const extent),
                    Some(canvas.dc()),
                    Some(&raw const from),
                    COLORREF(0),
                    Some(&raw const blend),
                    ULW_ALPHA,
                )
            }
        };
        filled().map_err(|e| failed("its picture was not taken", &e))
    }

    /// Shows it above everything else, without making it active.
    pub(super) fn show(&self) -> std::result::Result<(), DesktopError> {
        let order = SWP_SHOWWINDOW | SWP_NOMOVE | SWP_NOSIZE;
        self.position(order, ScreenPx::new(0, 0)).map_err(|e| failed("its window was not shown", &e))
    }

    /// Takes it off the screen; it keeps its picture.
    pub(super) fn hide(&self) -> std::result::Result<(), DesktopError> {
        let order = SWP_HIDEWINDOW | SWP_NOMOVE | SWP_NOSIZE | SWP_NOZORDER;
        self.position(order, ScreenPx::new(0, 0)).map_err(|e| failed("its window was not hidden", &e))
    }

    /// True if it is there and on the screen.
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    pub(super) fn is_shown(&self) -> bool {
        // SAFETY: a window that is gone is not visible.
        unsafe { IsWindowVisible(self.window) }.as_bool()
    }

    /// Raises it above other topmost windows.
    pub(super) fn raise(&self) {
        if let Err(error) = self.position(SWP_NOMOVE | SWP_NOSIZE, ScreenPx::new(0, 0)) {
            tracing::debug!("the overlay was not raised: {error}");
        }
    }

    /// Puts it back where it belongs.
    pub(super) fn put(&self, at: ScreenPx) {
        if let Err(error) = self.position(SWP_NOSIZE, at) {
            tracing::debug!("the overlay was not put back: {error}");
        }
    }

    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn position(&self, order: SET_WINDOW_POS_FLAGS, at: ScreenPx) -> Result<()> {
        let order = order | SWP_NOACTIVATE | SWP_NOOWNERZORDER | SWP_NOSENDCHANGING;
        // SAFETY: our own window, or one that is gone, which is refused.
        unsafe { SetWindowPos(self.window, Some(HWND_TOPMOST), at.x, at.y, 0, 0, order) }
    }

    /// Leaves it out of every capture, or not. False where Windows cannot (before Windows 10 2004).
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    pub(super) fn exclude(&self, out: bool) -> bool {
        let affinity = if out { WDA_EXCLUDEFROMCAPTURE } else { WDA_NONE };
        // SAFETY: our own window.
        let done = unsafe { SetWindowDisplayAffinity(self.window, affinity) };
        done.inspect_err(|e| tracing::debug!("the overlay stays in captures: {e}")).is_ok()
    }
}

impl Drop for Layered {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn drop(&mut self) {
        // SAFETY: ours, on the thread that made it.
        if let Err(error) = unsafe { DestroyWindow(self.window) } {
            tracing::debug!("the overlay's window was gone already: {error}");
        }
    }
}

fn failed(what: &str, error: &Error) -> DesktopError {
    DesktopError::Overlay { why: format!("{what}: {}", error.message()), code: Some(system::code(error)) }
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
fn register() -> Result<HINSTANCE> {
    // SAFETY: no name means our own program.
    let module = unsafe { GetModuleHandleW(None) }?.into();
    let class = WNDCLASSEXW {
        cbSize: size_of::<WNDCLASSEXW>() as u32,
        lpfnWndProc: Some(answer),
        hInstance: module,
        lpszClassName: CLASS,
        ..WNDCLASSEXW::default()
    };
    // SAFETY: the description lives through the call, the procedure and the name for ever.
    if unsafe { RegisterClassExW(&raw const class) } == 0 {
        let error = Error::from_thread();
        // By an earlier overlay of this process.
        if error.code() != ERROR_CLASS_ALREADY_EXISTS.to_hresult() {
            return Err(error);
        }
    }
    Ok(module)
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn create(module: HINSTANCE) -> Result<HWND> {
    let style = WS_EX_LAYERED | WS_EX_TOPMOST | WS_EX_TRANSPARENT | WS_EX_NOACTIVATE | WS_EX_TOOLWINDOW;
    // SAFETY: the class was registered, and names are constants.
    unsafe { CreateWindowExW(style, CLASS, TITLE, WS_POPUP, 0, 0, 1, 1, None, None, Some(module), None) }
}

/// What the window answers.
#[expect(unsafe_code, reason = "Windows calls it")]
extern "system" fn answer(window: HWND, message: u32, w: WPARAM, l: LPARAM) -> LRESULT {
    match message {
        WM_NCHITTEST => return LRESULT(HTTRANSPARENT as isize),
        WM_MOUSEACTIVATE => return LRESULT(MA_NOACTIVATE as isize),
        // What is shown is the run's to take away.
        WM_CLOSE => return LRESULT(0),
        // Its picture is in pixels and stays as it is; only its place may be wrong now.
        WM_DISPLAYCHANGE | WM_DPICHANGED => DISPLACED.set(true),
        _ => {}
    }
    // SAFETY: passed on as it came.
    unsafe { DefWindowProcW(window, message, w, l) }
}

/// Writes each colour times alpha, as layered windows want it. Where alpha is 255 nothing changes.
fn premultiply(bgra: &[u8], out: &mut [u8]) {
    for (from, to) in bgra.chunks_exact(4).zip(out.chunks_exact_mut(4)) {
        let alpha = u32::from(from[3]);
        for (to, colour) in to.iter_mut().zip(&from[..3]) {
            *to = ((u32::from(*colour) * alpha + 127) / 255) as u8;
        }
        to[3] = from[3];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_multiplied_by_alpha() {
        let bgra = [10, 20, 30, 255, 10, 20, 30, 0, 200, 100, 50, 128];
        let mut out = [9; 12];
        premultiply(&bgra, &mut out);
        assert_eq!(out, [10, 20, 30, 255, 0, 0, 0, 0, 100, 50, 25, 128]);
    }
}
