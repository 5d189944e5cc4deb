//! Memory that Windows draws into: a DIB section is the frame, so a picture is never copied.
//!
//! Two films in steady state, a third while a frame is still held; one returns when nobody holds its frame any more. This
//! module refuses to give a film to two frames.

use super::system::why;
use handsight_base::flow::frame::PixelMemory;
use handsight_base::port::desktop::DesktopError;
use handsight_base::space::Size;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};
use windows::Win32::Graphics::Gdi::{
    BI_RGB, BITMAPINFO, BITMAPINFOHEADER, CreateCompatibleDC, CreateDIBSection, DIB_RGB_COLORS, DeleteDC,
    DeleteObject, GdiFlush, HBITMAP, HDC, HGDIOBJ, SelectObject,
};

/// Films kept in steady state: the frame of this turn and the one being captured.
const STEADY: usize = 2;

/// A bitmap whose bytes we see: BGRX, top row first, `4 * width` bytes a row.
pub(super) struct Film {
    bitmap: HBITMAP,
    bits: NonNull<u8>,
    size: Size,
}

// SAFETY: a bitmap belongs to the process, and this value alone owns it and its bytes.
#[expect(unsafe_code, reason = "a bitmap that this value alone owns")]
unsafe impl Send for Film {}
// SAFETY: through a shared reference the bytes are only read; drawing takes `&mut`.
#[expect(unsafe_code, reason = "shared references only read the bytes")]
unsafe impl Sync for Film {}

impl Film {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn new(size: Size) -> Result<Self, DesktopError> {
        let refused =
            |why: String| DesktopError::Capture { why: format!("no memory for {size}: {why}"), code: None };
        let (Ok(width), Ok(height)) = (i32::try_from(size.width), i32::try_from(size.height)) else {
            return Err(refused("it is too large".into()));
        };
        let info = BITMAPINFO {
            bmiHeader: BITMAPINFOHEADER {
                biSize: size_of::<BITMAPINFOHEADER>() as u32,
                biWidth: width,
                // Negative: the first row in memory is the top one.
                biHeight: -height,
                biPlanes: 1,
                biBitCount: 32,
                biCompression: BI_RGB.0,
                ..BITMAPINFOHEADER::default()
            },
            ..BITMAPINFO::default()
        };
        let mut bits: *mut c_void = std::ptr::null_mut();
        // SAFETY: `info` describes 32-bit pixels, which need no palette behind it; `bits` is ours to be written.
        let bitmap =
            unsafe { CreateDIBSection(None, &raw const info, DIB_RGB_COLORS, &raw mut bits, None, 0) }
                .map_err(|e| refused(why(&e)))?;
        let Some(bits) = NonNull::new(bits.cast::<u8>()) else {
            return Err(refused("Windows named no address".into()));
        };
        Ok(Self { bitmap, bits, size })
    }

    const fn len(&self) -> usize {
        self.size.width as usize * self.size.height as usize * 4
    }

    #[expect(unsafe_code, reason = "a view of the bitmap's bytes")]
    fn bytes(&self) -> &[u8] {
        // SAFETY: the section has this many bytes for as long as `self` lives; who draws holds `&mut` and flushes.
        unsafe { std::slice::from_raw_parts(self.bits.as_ptr(), self.len()) }
    }

    /// Rows of `4 * width` bytes, to be written without Windows.
    #[expect(unsafe_code, reason = "a view of the bitmap's bytes")]
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and nobody else sees them meanwhile.
        unsafe { std::slice::from_raw_parts_mut(self.bits.as_ptr(), self.len()) }
    }
}

impl Drop for Film {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn drop(&mut self) {
        // SAFETY: ours, and in no context: a [`Canvas`] takes it out before it lets go.
        let _deleted = unsafe { DeleteObject(HGDIOBJ(self.bitmap.0)) };
    }
}

/// A context of the thread that films are drawn in, one at a time.
pub(super) struct Table {
    dc: HDC,
}

// SAFETY: a memory context may be used by any one thread at a time, and only its owner has this one.
#[expect(unsafe_code, reason = "a context that this value alone owns")]
unsafe impl Send for Table {}

impl Table {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    pub(super) fn new() -> Result<Self, DesktopError> {
        // SAFETY: a new context like the screen's.
        let dc = unsafe { CreateCompatibleDC(None) };
        if dc.is_invalid() {
            let why = "Windows has no drawing context for us".into();
            return Err(DesktopError::Lost { why });
        }
        Ok(Self { dc })
    }

    /// Lets `draw` draw on the film, and waits until it is drawn.
    #[expect(unsafe_code, reason = "calls of the Windows API")]
    pub(super) fn draw<T>(&mut self, film: &mut Film, draw: impl FnOnce(HDC) -> T) -> T {
        // SAFETY: both are ours; the film is taken out again before anyone else sees it.
        let before = unsafe { SelectObject(self.dc, HGDIOBJ(film.bitmap.0)) };
        let drawn = draw(self.dc);
        // SAFETY: what was there before goes back. Windows may batch what a thread draws; the flush ends that.
        unsafe {
            SelectObject(self.dc, before);
            let _flushed = GdiFlush();
        }
        drawn
    }
}

impl Drop for Table {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn drop(&mut self) {
        // SAFETY: ours, and used by nobody now.
        let _deleted = unsafe { DeleteDC(self.dc) };
    }
}

/// Films that wait for their next picture.
#[derive(Default)]
pub(super) struct Pool {
    idle: Mutex<Vec<Film>>,
}

impl Pool {
    /// A film of just this size. What it shows is what it last showed.
    pub(super) fn take(self: &Arc<Self>, size: Size) -> Result<Lease, DesktopError> {
        let found = {
            let mut idle = self.idle();
            idle.iter().position(|f| f.size == size).map(|n| idle.remove(n))
        };
        let film = found.map_or_else(|| Film::new(size), Ok)?;
        Ok(Lease { film: Some(film), pool: Arc::clone(self) })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Film>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A film while somebody draws on it or looks at it.
pub(super) struct Lease {
    /// Until it is dropped.
    film: Option<Film>,
    pool: Arc<Pool>,
}

impl Lease {
    pub(super) fn film(&mut self) -> Option<&mut Film> {
        self.film.as_mut()
    }
}

impl PixelMemory for Lease {
    fn bytes(&self) -> &[u8] {
        self.film.as_ref().map_or(&[], Film::bytes)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut idle = self.pool.idle();
        idle.extend(self.film.take());
        if idle.len() > STEADY {
            // The one that has waited longest: the screen or the window has another size now.
            idle.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_returns_when_its_frame_is_let_go_and_never_before() {
        let pool = Arc::new(Pool::default());
        let size = Size::new(7, 3);
        let first = pool.take(size).unwrap();
        let second = pool.take(size).unwrap();
        let at = |lease: &Lease| lease.bytes().as_ptr() as usize;
        assert_ne!(at(&first), at(&second), "two frames never share a film");
        assert_eq!(first.bytes().len(), 7 * 3 * 4);
        let place = at(&first);
        drop(first);
        assert_eq!(at(&pool.take(size).unwrap()), place, "it is used again");
        let others: Vec<Lease> = (1..9).map(|n| pool.take(Size::new(n, 1)).unwrap()).collect();
        drop(others);
        assert_eq!(pool.idle().len(), STEADY);
    }

    #[test]
    fn what_is_drawn_is_there_when_drawing_is_over() {
        let pool = Arc::new(Pool::default());
        let mut lease = pool.take(Size::new(2, 2)).unwrap();
        let film = lease.film().unwrap();
        film.bytes_mut().fill(9);
        assert!(Table::new().unwrap().draw(film, |dc| !dc.is_invalid()));
        assert_eq!(lease.bytes(), [9; 16]);
        let huge = pool.take(Size::new(u32::MAX, 1));
        assert!(matches!(huge, Err(DesktopError::Capture { .. })));
    }
}
