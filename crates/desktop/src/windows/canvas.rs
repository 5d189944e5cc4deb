//! A picture in memory that Windows draws from and into: what an overlay is filled with, and what is read off the screen.
//!
//! Everything it takes from Windows it gives back when dropped, also half made. This module refuses every pixel format but
//! the one of the frame path: four bytes, blue first, the topmost row first.

use handsight_base::space::{ScreenRect, Size};
use windows::Win32::Graphics::Gdi::{
    BI_RGB, BITMAPINFO, BITMAPINFOHEADER, BitBlt, CAPTUREBLT, CreateCompatibleDC, CreateDIBSection,
    DIB_RGB_COLORS, DeleteDC, DeleteObject, GdiFlush, GetDC, HBITMAP, HDC, HGDIOBJ, ReleaseDC, SRCCOPY,
    SelectObject,
};
use windows::core::{Error, Result};

/// A bitmap and the context it lies in. It stays on the thread that made it.
pub(super) struct Canvas {
    memory: MemoryDc,
    bitmap: Bitmap,
    /// What lay in the context before: a bitmap cannot be deleted while a context holds it.
    before: HGDIOBJ,
}

impl Canvas {
    /// Clear, of `size`, which is not empty.
    pub(super) fn new(size: Size) -> Result<Self> {
        let memory = MemoryDc::new()?;
        let bitmap = Bitmap::new(size)?;
        let before = select(memory.0, bitmap.handle.into());
        if before.is_invalid() {
            return Err(Error::from_thread());
        }
        Ok(Self { memory, bitmap, before })
    }

    pub(super) fn dc(&self) -> HDC {
        self.memory.0
    }

    /// Blue, green, red and a fourth byte of each pixel, row by row.
    pub(super) fn bytes(&self) -> &[u8] {
        self.bitmap.bytes()
    }

    /// To be filled.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        self.bitmap.bytes_mut()
    }

    /// Reads `area` of the screen, which has the size of this picture, layered windows included. The fourth byte means nothing.
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    pub(super) fn read_screen(&mut self, area: ScreenRect) -> Result<()> {
        let screen = ScreenDc::get()?;
        let (x, y) = (area.origin.x, area.origin.y);
        let (width, height) = (area.size.width as i32, area.size.height as i32);
        let how = SRCCOPY | CAPTUREBLT;
        // SAFETY: both contexts live, and what lies outside of them is clipped.
        unsafe { BitBlt(self.memory.0, 0, 0, width, height, Some(screen.0), x, y, how) }?;
        // SAFETY: takes nothing; what GDI still has in mind is in the bitmap after it.
        let _done = unsafe { GdiFlush() };
        Ok(())
    }
}

impl Drop for Canvas {
    fn drop(&mut self) {
        select(self.memory.0, self.before);
    }
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn select(dc: HDC, object: HGDIOBJ) -> HGDIOBJ {
    // SAFETY: the context is one of ours, and an object that is none is refused.
    unsafe { SelectObject(dc, object) }
}

struct MemoryDc(HDC);

impl MemoryDc {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn new() -> Result<Self> {
        // SAFETY: takes no handle of ours.
        let dc = unsafe { CreateCompatibleDC(None) };
        if dc.is_invalid() { Err(Error::from_thread()) } else { Ok(Self(dc)) }
    }
}

impl Drop for MemoryDc {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn drop(&mut self) {
        // SAFETY: ours, and deleted once.
        let _deleted = unsafe { DeleteDC(self.0) };
    }
}

/// The context of the whole virtual screen.
struct ScreenDc(HDC);

impl ScreenDc {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn get() -> Result<Self> {
        // SAFETY: no window means the screen.
        let dc = unsafe { GetDC(None) };
        if dc.is_invalid() { Err(Error::from_thread()) } else { Ok(Self(dc)) }
    }
}

impl Drop for ScreenDc {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn drop(&mut self) {
        // SAFETY: got for no window, given back once, on the same thread.
        unsafe { ReleaseDC(None, self.0) };
    }
}

struct Bitmap {
    handle: HBITMAP,
    /// Memory that the bitmap owns.
    bits: *mut u8,
    length: usize,
}

impl Bitmap {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn new(size: Size) -> Result<Self> {
        let header = BITMAPINFOHEADER {
            biSize: size_of::<BITMAPINFOHEADER>() as u32,
            biWidth: size.width as i32,
            // Negative: the topmost row comes first.
            biHeight: -(size.height as i32),
            biPlanes: 1,
            biBitCount: 32,
            biCompression: BI_RGB.0,
            ..BITMAPINFOHEADER::default()
        };
        let info = BITMAPINFO { bmiHeader: header, ..BITMAPINFO::default() };
        let mut bits = std::ptr::null_mut();
        // SAFETY: the description and the pointer are ours and live through the call.
        let handle =
            unsafe { CreateDIBSection(None, &raw const info, DIB_RGB_COLORS, &raw mut bits, None, 0) }?;
        Ok(Self { handle, bits: bits.cast(), length: size.area() as usize * 4 })
    }

    #[expect(unsafe_code, reason = "the pixels lie in memory of the bitmap")]
    fn bytes(&self) -> &[u8] {
        // SAFETY: a bitmap of 32 bits has rows without gaps, so it owns this many bytes for as long as it lives; it is zeroed
        // when made, and GDI writes only in calls that take the picture mutably.
        unsafe { std::slice::from_raw_parts(self.bits, self.length) }
    }

    #[expect(unsafe_code, reason = "the pixels lie in memory of the bitmap")]
    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.bits, self.length) }
    }
}

impl Drop for Bitmap {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn drop(&mut self) {
        // SAFETY: ours, out of its context by now, and deleted once.
        let _deleted = unsafe { DeleteObject(self.handle.into()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_clear_and_keeps_what_is_written() {
        let mut canvas = Canvas::new(Size::new(3, 2)).unwrap();
        assert_eq!(canvas.bytes(), [0; 24]);
        canvas.bytes_mut()[20..].copy_from_slice(&[1, 2, 3, 4]);
        assert_eq!(canvas.bytes()[20..], [1, 2, 3, 4]);
    }

    #[test]
    fn a_picture_that_no_memory_holds_is_refused() {
        assert!(Canvas::new(Size::new(60_000, 60_000)).is_err());
    }
}
