//! The pointer as a VNC server tells of it: its shape, its place, and blending it into a picture at its hot spot.
//!
//! A server that sends an empty shape draws the pointer into the screen itself (TigerVNC does so for a viewer that does not move it),
//! or shows none; then there is nothing to blend. This module refuses shapes larger than any pointer.

use super::trouble::Trouble;
use super::wire::Wire;
use handsight_base::space::{ScreenPx, ScreenRect, Size};

/// The largest side of a pointer.
const MAX_SIDE: u16 = 512;

/// What is known of the pointer.
#[derive(Default)]
pub(crate) struct Cursor {
    shape: Option<Shape>,
    /// Where it is, by the server's or our own account.
    pub(crate) at: Option<ScreenPx>,
}

struct Shape {
    size: Size,
    hot: (u16, u16),
    /// Premultiplied blue, green, red, alpha.
    bgra: Vec<u8>,
}

impl Cursor {
    /// A shape in the screen's pixel format with a mask of one bit a pixel.
    pub(crate) fn read_masked(
        &mut self,
        wire: &mut Wire,
        hot: (u16, u16),
        size: (u16, u16),
    ) -> Result<(), Trouble> {
        let mut bgra = self.room(size)?;
        wire.read_exact(&mut bgra)?;
        let bytes_a_row = usize::from(size.0).div_ceil(8);
        let mut mask = vec![0; bytes_a_row * usize::from(size.1)];
        wire.read_exact(&mut mask)?;
        for (i, pixel) in bgra.chunks_exact_mut(4).enumerate() {
            let (x, y) = (i % usize::from(size.0), i / usize::from(size.0));
            if mask[y * bytes_a_row + x / 8] >> (7 - x % 8) & 1 == 1 {
                pixel[3] = 255;
            } else {
                pixel.fill(0);
            }
        }
        self.keep(hot, size, bgra);
        Ok(())
    }

    /// A shape in red, green, blue, alpha; the colours are multiplied by alpha.
    pub(crate) fn read_alpha(
        &mut self,
        wire: &mut Wire,
        hot: (u16, u16),
        size: (u16, u16),
    ) -> Result<(), Trouble> {
        let encoding = wire.i32()?;
        if encoding != 0 {
            return Err(Trouble::broken(format!(
                "a pointer in encoding {encoding}, which was not asked for"
            )));
        }
        let mut bgra = self.room(size)?;
        wire.read_exact(&mut bgra)?;
        bgra.chunks_exact_mut(4).for_each(|pixel| pixel.swap(0, 2));
        self.keep(hot, size, bgra);
        Ok(())
    }

    fn room(&self, (width, height): (u16, u16)) -> Result<Vec<u8>, Trouble> {
        if width > MAX_SIDE || height > MAX_SIDE {
            return Err(Trouble::broken(format!("a pointer of {width}x{height}")));
        }
        Ok(vec![0; usize::from(width) * usize::from(height) * 4])
    }

    fn keep(&mut self, hot: (u16, u16), (width, height): (u16, u16), bgra: Vec<u8>) {
        let size = Size::new(width.into(), height.into());
        self.shape = (!size.is_empty()).then_some(Shape { size, hot, bgra });
    }

    /// The part of the screen that the pointer covers, if it is ours to draw.
    pub(crate) fn area(&self) -> Option<ScreenRect> {
        let (shape, at) = (self.shape.as_ref()?, self.at?);
        let (left, top) = (at.x - i32::from(shape.hot.0), at.y - i32::from(shape.hot.1));
        Some(ScreenRect::new(left, top, shape.size.width, shape.size.height))
    }

    /// Blends the pointer into BGRX rows of `4 * area.width` bytes that show `area`. False if no part of it lies there.
    pub(crate) fn blend(&self, picture: &mut [u8], area: ScreenRect) -> bool {
        let (Some(shape), Some(place)) = (&self.shape, self.area()) else { return false };
        let Some(seen) = place.intersect(&area) else { return false };
        let stride = area.size.width as usize * 4;
        let width = seen.size.width as usize * 4;
        for row in 0..seen.size.height as i32 {
            let y = seen.origin.y + row;
            let from = ((y - place.origin.y) as usize * shape.size.width as usize
                + (seen.origin.x - place.origin.x) as usize)
                * 4;
            let to = (y - area.origin.y) as usize * stride + (seen.origin.x - area.origin.x) as usize * 4;
            let source = shape.bgra[from..from + width].chunks_exact(4);
            for (above, below) in source.zip(picture[to..to + width].chunks_exact_mut(4)) {
                over(above, below);
            }
        }
        true
    }
}

fn over(above: &[u8], below: &mut [u8]) {
    let rest = 255 - u32::from(above[3]);
    for (under, colour) in below[..3].iter_mut().zip(above) {
        let mixed = u32::from(*colour) + (u32::from(*under) * rest + 127) / 255;
        *under = mixed.min(255) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hot_spot_lies_on_the_pointer_and_edges_cut() {
        let mut cursor = Cursor::default();
        let area = ScreenRect::new(100, 100, 4, 4);
        let mut picture = vec![9; 64];
        assert!(!cursor.blend(&mut picture, area), "neither shape nor place is known");
        let opaque = [0x30, 0x20, 0x10, 255];
        let clear = [0; 4];
        cursor.keep((1, 1), (2, 2), [clear, clear, clear, opaque].concat());
        cursor.at = Some(ScreenPx::new(102, 101));
        assert!(cursor.blend(&mut picture, area));
        let at = (4 + 2) * 4;
        assert_eq!(picture[at..at + 4], [0x30, 0x20, 0x10, 9]);
        assert_eq!(picture.iter().filter(|b| **b != 9).count(), 3, "nothing else changed");
        for (x, y) in [(100, 100), (104, 104), (100, 104), (104, 100)] {
            cursor.at = Some(ScreenPx::new(x, y));
            cursor.blend(&mut picture, area);
        }
        cursor.keep((0, 0), (0, 0), Vec::new());
        assert!(!cursor.blend(&mut picture, area), "the server draws it");
    }
}
