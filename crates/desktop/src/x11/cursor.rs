//! The pointer: where it is, what it looks like, and blending it into a picture at its hot spot.
//!
//! XFixes tells the shape; without it a picture has no pointer and says so. This module refuses to draw outside the
//! picture it is given.

use super::connection::{Conn, Link, XResult};
use handsight_base::space::{ScreenPx, ScreenRect};
use x11rb::cookie::Cookie;
use x11rb::protocol::xfixes::{ConnectionExt as _, GetCursorImageReply};
use x11rb::protocol::xproto::ConnectionExt as _;

/// The pointer's place on the screen.
pub(crate) fn pointer(link: &Link) -> XResult<Option<ScreenPx>> {
    let pointer = link.conn.query_pointer(link.root)?.reply()?;
    // On another screen of the server it is nowhere in our pictures.
    Ok(pointer.same_screen.then(|| ScreenPx::new(pointer.root_x.into(), pointer.root_y.into())))
}

/// Asks for the pointer's picture; to be sent right after a capture, so that both show one moment.
pub(crate) fn ask(link: &Link) -> XResult<Option<Cookie<'_, Conn, GetCursorImageReply>>> {
    if !link.has.xfixes {
        return Ok(None);
    }
    Ok(Some(link.conn.xfixes_get_cursor_image()?))
}

/// Blends the pointer into BGRX rows of `4 * area.width` bytes that show `area`. False if no part of it lies there.
pub(crate) fn blend(picture: &mut [u8], area: ScreenRect, cursor: &GetCursorImageReply) -> bool {
    let left = i32::from(cursor.x) - i32::from(cursor.xhot);
    let top = i32::from(cursor.y) - i32::from(cursor.yhot);
    let shape = ScreenRect::new(left, top, cursor.width.into(), cursor.height.into());
    let Some(seen) = shape.intersect(&area) else {
        return false;
    };
    let stride = area.size.width as usize * 4;
    for row in 0..seen.size.height {
        let y = seen.origin.y + row as i32;
        let from = (y - top) as usize * usize::from(cursor.width) + (seen.origin.x - left) as usize;
        let to = (y - area.origin.y) as usize * stride + (seen.origin.x - area.origin.x) as usize * 4;
        let width = seen.size.width as usize;
        let (Some(source), Some(target)) =
            (cursor.cursor_image.get(from..from + width), picture.get_mut(to..to + width * 4))
        else {
            return false;
        };
        for (argb, pixel) in source.iter().zip(target.chunks_exact_mut(4)) {
            over(*argb, pixel);
        }
    }
    true
}

/// One pixel of premultiplied ARGB over one of BGRX.
fn over(argb: u32, pixel: &mut [u8]) {
    let [blue, green, red, alpha] = argb.to_le_bytes();
    let rest = 255 - u32::from(alpha);
    for (below, above) in pixel.iter_mut().zip([blue, green, red]) {
        let mixed = u32::from(above) + (u32::from(*below) * rest + 127) / 255;
        *below = mixed.min(255) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(x: i16, y: i16, hot: u16, image: Vec<u32>) -> GetCursorImageReply {
        GetCursorImageReply {
            sequence: 0,
            length: 0,
            x,
            y,
            width: 2,
            height: 2,
            xhot: hot,
            yhot: hot,
            cursor_serial: 1,
            cursor_image: image,
        }
    }

    const OPAQUE: u32 = 0xff10_2030;

    #[test]
    fn the_hot_spot_lies_on_the_pointer() {
        let area = ScreenRect::new(100, 100, 4, 4);
        let mut picture = vec![9; 4 * 16];
        assert!(blend(&mut picture, area, &cursor(102, 101, 1, vec![0, 0, 0, OPAQUE])));
        // Hot spot (1, 1) of the shape is its last pixel: column 2, row 1 of the picture.
        let at = (4 + 2) * 4;
        assert_eq!(picture[at..at + 4], [0x30, 0x20, 0x10, 9]);
        assert_eq!(picture.iter().filter(|b| **b != 9).count(), 3, "nothing else changed");
    }

    #[test]
    fn what_hangs_over_the_edge_is_cut() {
        let area = ScreenRect::new(0, 0, 2, 2);
        for (x, y, first) in [(-1, -1, 0), (1, -1, 1), (-1, 1, 2), (1, 1, 3)] {
            let mut picture = vec![9; 16];
            assert!(blend(&mut picture, area, &cursor(x, y, 0, vec![OPAQUE; 4])));
            let changed: Vec<usize> = (0..4).filter(|p| picture[p * 4] != 9).collect();
            assert_eq!(changed, [first], "pointer at {x}, {y}");
        }
        let mut picture = vec![9; 16];
        assert!(!blend(&mut picture, area, &cursor(2, 0, 0, vec![OPAQUE; 4])));
        assert!(!blend(&mut picture, area, &cursor(-2, -2, 0, vec![OPAQUE; 4])));
        assert_eq!(picture, vec![9; 16]);
    }

    #[test]
    fn half_transparent_is_half_of_each() {
        let mut pixel = [200, 100, 0, 7];
        over(0x8040_4040, &mut pixel);
        // 64 of the shape and 127/255 of what is below.
        assert_eq!(pixel, [64 + 100, 64 + 50, 64, 7]);
        let mut full = [255, 255, 255, 0];
        over(0x80ff_ffff, &mut full);
        assert_eq!(full, [255, 255, 255, 0], "an odd server's overflow is held");
    }
}
