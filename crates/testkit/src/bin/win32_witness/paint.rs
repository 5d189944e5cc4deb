//! What the windows show: the pattern that tells any shift, and the red pointer.

#![expect(unsafe_code, reason = "Win32")]

use handsight_base::space::ScreenRect;
use handsight_testkit::witness_protocol::{CURSOR_HOT, CURSOR_SIDE, pattern};
use windows::Win32::Foundation::HWND;
use windows::Win32::Graphics::Gdi::{
    BI_RGB, BITMAPINFO, BITMAPINFOHEADER, BeginPaint, CLR_INVALID, CreateBitmap, DIB_RGB_COLORS,
    DeleteObject, EndPaint, GetDC, GetPixel, HBITMAP, HDC, PAINTSTRUCT, ReleaseDC, SetDIBitsToDevice,
};
use windows::Win32::UI::WindowsAndMessaging::{CreateIconIndirect, HCURSOR, ICONINFO};

/// Rows of 32-bit pixels, top row first.
pub(crate) fn picture(seed: u32, width: u32, height: u32) -> Vec<u8> {
    let mut pixels = Vec::with_capacity(width as usize * height as usize * 4);
    for row in 0..height {
        for column in 0..width {
            let [b, g, r] = pattern(seed, column, row);
            pixels.extend([b, g, r, 255]);
        }
    }
    pixels
}

/// Answers `WM_PAINT` of a window whose client area has this size.
pub(crate) fn paint(window: HWND, pixels: &[u8], width: u32, height: u32) {
    let mut paint = PAINTSTRUCT::default();
    // SAFETY: a window of this thread that was asked to paint; the pixels are as many as the header says.
    unsafe {
        let dc = BeginPaint(window, &raw mut paint);
        put(dc, pixels, width, height);
        let _always_true = EndPaint(window, &raw const paint);
    }
}

unsafe fn put(dc: HDC, pixels: &[u8], width: u32, height: u32) {
    assert_eq!(pixels.len(), width as usize * height as usize * 4, "whole rows");
    let info = BITMAPINFO {
        bmiHeader: BITMAPINFOHEADER {
            biSize: size_of::<BITMAPINFOHEADER>() as u32,
            biWidth: width as i32,
            // Negative: the top row first.
            biHeight: -(height as i32),
            biPlanes: 1,
            biBitCount: 32,
            biCompression: BI_RGB.0,
            ..Default::default()
        },
        ..Default::default()
    };
    // SAFETY: the caller's device context; `pixels` holds what `info` says, as asserted.
    unsafe {
        SetDIBitsToDevice(
            dc,
            0,
            0,
            width,
            height,
            0,
            0,
            0,
            height,
            pixels.as_ptr().cast(),
            &raw const info,
            DIB_RGB_COLORS,
        );
    }
}

/// True when the screen shows the pattern at the corners and in the middle, as far as they are on the screen.
pub(crate) fn is_shown(client: ScreenRect, seed: u32) -> bool {
    let (right, bottom) = (client.size.width.saturating_sub(1), client.size.height.saturating_sub(1));
    // SAFETY: the screen's device context, given back below.
    let screen = unsafe { GetDC(None) };
    let shown = [(0, 0), (right, 0), (0, bottom), (right, bottom), (right / 2, bottom / 2)].into_iter().all(
        |(column, row)| {
            // SAFETY: as above; outside of the screen there is no colour, which is said.
            let colour =
                unsafe { GetPixel(screen, client.origin.x + column as i32, client.origin.y + row as i32) }.0;
            let [b, g, r] = pattern(seed, column, row);
            colour == CLR_INVALID || colour == u32::from_le_bytes([r, g, b, 0])
        },
    );
    // SAFETY: it was got above.
    unsafe { ReleaseDC(None, screen) };
    shown
}

/// A red square with a white pixel at its hot spot.
pub(crate) fn red_pointer() -> Result<HCURSOR, String> {
    let side = CURSOR_SIDE as usize;
    let mut colours = [0, 0, 255, 255].repeat(side * side);
    let hot = (CURSOR_HOT.y as usize * side + CURSOR_HOT.x as usize) * 4;
    colours[hot..hot + 4].fill(255);
    // A row of a mask is a whole number of words; no bit set: all of it is drawn.
    let mask = vec![0_u8; side * 2];
    let bitmap = |bits: u32, data: &[u8]| -> HBITMAP {
        // SAFETY: `data` is as large as a bitmap of this size and depth.
        unsafe { CreateBitmap(side as i32, side as i32, 1, bits, Some(data.as_ptr().cast())) }
    };
    let (colour, mask) = (bitmap(32, &colours), bitmap(1, &mask));
    let info = ICONINFO {
        fIcon: false.into(),
        xHotspot: CURSOR_HOT.x as u32,
        yHotspot: CURSOR_HOT.y as u32,
        hbmMask: mask,
        hbmColor: colour,
    };
    // SAFETY: two bitmaps of ours, which the system copies; they are deleted after.
    unsafe {
        let made = CreateIconIndirect(&raw const info);
        let _deleted = DeleteObject(mask.into());
        let _deleted = DeleteObject(colour.into());
        made.map(|icon| HCURSOR(icon.0)).map_err(|e| e.to_string())
    }
}
