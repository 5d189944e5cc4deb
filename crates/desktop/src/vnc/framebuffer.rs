//! The server's screen as far as it has told us.
//!
//! A frame shares these pixels without a copy; the first change while a frame is still held copies them once, so a frame never
//! changes under whoever looks at it. What was never sent is known as missing. This module refuses screens that nobody has and
//! rectangles outside.

use super::trouble::Trouble;
use handsight_base::flow::frame::PixelMemory;
use handsight_base::space::{ScreenRect, Size};
use std::sync::Arc;

/// The largest side and the most pixels of a screen: 8K and a bit. More is a broken or a hostile server.
const MAX_SIDE: u32 = 16_384;
const MAX_AREA: u64 = 7_680 * 4_320 + (1 << 20);
/// A server that fills its screen in more pieces than this is not drawing one.
const MAX_PIECES: usize = 16_384;

pub(crate) struct Framebuffer {
    size: Size,
    pixels: Arc<Vec<u8>>,
    /// Disjoint parts that the server has not sent yet.
    missing: Vec<ScreenRect>,
}

/// Where a decoder writes: BGRX rows of one rectangle.
pub(crate) struct Canvas<'a> {
    pub(crate) pixels: &'a mut [u8],
    /// Bytes from one row to the next.
    pub(crate) stride: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Canvas<'_> {
    /// A row, or a part of one, `4 * width` bytes.
    pub(crate) fn row(&mut self, x: usize, y: usize, width: usize) -> &mut [u8] {
        let start = y * self.stride + x * 4;
        &mut self.pixels[start..start + width * 4]
    }

    /// One colour over a part of it.
    pub(crate) fn fill(&mut self, (x, y): (usize, usize), (width, height): (usize, usize), bgrx: [u8; 4]) {
        for row in y..y + height {
            for pixel in self.row(x, row, width).chunks_exact_mut(4) {
                pixel.copy_from_slice(&bgrx);
            }
        }
    }
}

impl Framebuffer {
    pub(crate) fn new(width: u16, height: u16) -> Result<Self, Trouble> {
        let size = Size::new(width.into(), height.into());
        if size.is_empty() || size.width.max(size.height) > MAX_SIDE || size.area() > MAX_AREA {
            return Err(Trouble::unusable(
                format!("has a screen of {size}, which is not one to work on"),
                format!("Set it to at least one pixel and at most {MAX_AREA} pixels, {MAX_SIDE} a side."),
            ));
        }
        // Zeroed memory is not taken from the system before it is written to.
        let pixels = Arc::new(vec![0; size.area() as usize * 4]);
        let missing = vec![ScreenRect::new(0, 0, size.width, size.height)];
        Ok(Self { size, pixels, missing })
    }

    pub(crate) const fn size(&self) -> Size {
        self.size
    }

    pub(crate) const fn whole(&self) -> ScreenRect {
        ScreenRect::new(0, 0, self.size.width, self.size.height)
    }

    /// True once every pixel was sent.
    pub(crate) const fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// The rectangle, if it lies inside.
    pub(crate) fn inside(&self, x: u16, y: u16, width: u16, height: u16) -> Result<ScreenRect, Trouble> {
        let area = ScreenRect::new(x.into(), y.into(), width.into(), height.into());
        if area.right() > i64::from(self.size.width) || area.bottom() > i64::from(self.size.height) {
            return Err(Trouble::broken(format!("a rectangle {area} on a screen of {}", self.size)));
        }
        Ok(area)
    }

    /// Where to write what came for `area`, which lies inside.
    pub(crate) fn canvas(&mut self, area: ScreenRect) -> Canvas<'_> {
        let stride = self.size.width as usize * 4;
        let start = area.origin.y as usize * stride + area.origin.x as usize * 4;
        let pixels = Arc::make_mut(&mut self.pixels);
        let (width, height) = (area.size.width as usize, area.size.height as usize);
        Canvas { pixels: &mut pixels[start..], stride, width, height }
    }

    /// Moves what is at `from` to `area`; both lie inside, and may overlap.
    pub(crate) fn copy(&mut self, area: ScreenRect, from: ScreenRect) {
        let stride = self.size.width as usize * 4;
        let row_bytes = area.size.width as usize * 4;
        let at = |r: &ScreenRect, row: usize| (r.origin.y as usize + row) * stride + r.origin.x as usize * 4;
        let rows = area.size.height as usize;
        let down = area.origin.y > from.origin.y;
        let pixels = Arc::make_mut(&mut self.pixels);
        for i in 0..rows {
            let row = if down { rows - 1 - i } else { i };
            let source = at(&from, row);
            pixels.copy_within(source..source + row_bytes, at(&area, row));
        }
    }

    /// `area` was sent.
    pub(crate) fn came(&mut self, area: ScreenRect) -> Result<(), Trouble> {
        if self.missing.is_empty() {
            return Ok(());
        }
        let mut rest = Vec::with_capacity(self.missing.len());
        for part in &self.missing {
            subtract(part, &area, &mut rest);
        }
        if rest.len() > MAX_PIECES {
            return Err(Trouble::broken("a screen in too many pieces"));
        }
        self.missing = rest;
        Ok(())
    }

    /// One pixel, blue to undefined.
    pub(crate) fn pixel(&self, x: u32, y: u32) -> Option<&[u8]> {
        let start = (y as usize * self.size.width as usize + x as usize) * 4;
        self.pixels.get(start..start + 4)
    }

    /// The pixels of `area` as they are now, without a copy: the rows are a screen's width apart.
    pub(crate) fn share(&self, area: ScreenRect) -> (Arc<dyn PixelMemory>, usize) {
        let stride = self.size.width as usize * 4;
        let from = area.origin.y as usize * stride + area.origin.x as usize * 4;
        (Arc::new(Part { whole: Arc::clone(&self.pixels), from }), stride)
    }

    /// A copy of `area`, to draw on.
    pub(crate) fn copy_of(&self, area: ScreenRect) -> Vec<u8> {
        let stride = self.size.width as usize * 4;
        let row_bytes = area.size.width as usize * 4;
        let mut copy = Vec::with_capacity(row_bytes * area.size.height as usize);
        for row in 0..area.size.height as usize {
            let start = (area.origin.y as usize + row) * stride + area.origin.x as usize * 4;
            copy.extend_from_slice(&self.pixels[start..start + row_bytes]);
        }
        copy
    }
}

/// A part of a screen's pixels.
struct Part {
    whole: Arc<Vec<u8>>,
    from: usize,
}

impl PixelMemory for Part {
    fn bytes(&self) -> &[u8] {
        &self.whole[self.from..]
    }
}

/// What is left of `part` without `taken`: up to four pieces.
fn subtract(part: &ScreenRect, taken: &ScreenRect, rest: &mut Vec<ScreenRect>) {
    let Some(common) = part.intersect(taken) else {
        rest.push(*part);
        return;
    };
    let (left, top) = (part.origin.x, part.origin.y);
    let (right, bottom) = (part.right() as i32, part.bottom() as i32);
    let (inner_right, inner_bottom) = (common.right() as i32, common.bottom() as i32);
    let mut add = |x: i32, y: i32, to_x: i32, to_y: i32| {
        if to_x > x && to_y > y {
            rest.push(ScreenRect::new(x, y, (to_x - x) as u32, (to_y - y) as u32));
        }
    };
    add(left, top, right, common.origin.y);
    add(left, common.origin.y, common.origin.x, inner_bottom);
    add(inner_right, common.origin.y, right, inner_bottom);
    add(left, inner_bottom, right, bottom);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_known_to_the_pixel() {
        let mut screen = Framebuffer::new(100, 80).unwrap();
        let area = |x, y, w, h| ScreenRect::new(x, y, w, h);
        screen.came(area(10, 10, 20, 20)).unwrap();
        let left: u64 = screen.missing.iter().map(|a| a.size.area()).sum();
        assert_eq!(left, 100 * 80 - 400);
        screen.came(area(10, 10, 20, 20)).unwrap();
        screen.came(area(0, 0, 100, 40)).unwrap();
        assert!(!screen.is_complete());
        screen.came(area(0, 40, 50, 40)).unwrap();
        screen.came(area(50, 40, 50, 40)).unwrap();
        assert!(screen.is_complete());
    }

    #[test]
    fn a_frame_does_not_change_under_who_holds_it() {
        let mut screen = Framebuffer::new(4, 4).unwrap();
        let (held, stride) = screen.share(ScreenRect::new(1, 1, 2, 2));
        assert_eq!((held.bytes()[0], stride), (0, 16));
        screen.canvas(screen.whole()).fill((0, 0), (4, 4), [7; 4]);
        assert_eq!(held.bytes()[0], 0);
        assert_eq!(screen.copy_of(ScreenRect::new(1, 1, 2, 2)), [7; 16]);
    }

    #[test]
    fn overlapping_copies_go_either_way() {
        for (from, to) in [((0, 0), (1, 1)), ((1, 1), (0, 0)), ((0, 1), (1, 0)), ((1, 0), (0, 1))] {
            let mut screen = Framebuffer::new(8, 8).unwrap();
            for y in 0..8 {
                for x in 0..8 {
                    let value = (y * 8 + x) as u8;
                    screen.canvas(screen.whole()).fill((x, y), (1, 1), [value; 4]);
                }
            }
            let at = |(x, y): (i32, i32)| ScreenRect::new(x, y, 7, 7);
            let wanted = screen.copy_of(at(from));
            screen.copy(at(to), at(from));
            assert_eq!(screen.copy_of(at(to)), wanted, "{from:?} to {to:?}");
        }
    }

    #[test]
    fn screens_nobody_has_and_rectangles_outside_are_refused() {
        for (width, height) in [(60_000, 60_000), (0, 100), (100, 0), (65_535, 1), (16_384, 16_384)] {
            assert!(Framebuffer::new(width, height).is_err(), "{width}x{height}");
        }
        let screen = Framebuffer::new(7_680, 4_320).unwrap();
        assert!(screen.inside(7_679, 4_319, 1, 1).is_ok());
        assert!(screen.inside(7_679, 0, 2, 1).is_err());
        assert!(screen.inside(65_535, 65_535, 65_535, 65_535).is_err());
    }
}
