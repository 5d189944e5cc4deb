//! A drawing that lies over a frame: an image with alpha that holds only its own bounding box.
//!
//! The HUD, the pointer and annotations are canvases, in pixels of the frame at its native size. Alpha is *straight*:
//! a colour is not multiplied by its alpha. Drawing replaces pixels, so a canvas is not a place to mix layers; layers
//! are mixed when they meet a frame (see [`crate::blend`]).

use handsight_base::space::{FramePx, FrameRect, Size};

/// Blue, green, red, alpha, four bytes a pixel without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canvas {
    area: FrameRect,
    bgra: Vec<u8>,
}

/// A colour, opaque unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color {
    pub red: u8,
    pub green: u8,
    pub blue: u8,
    pub alpha: u8,
}

impl Color {
    pub const fn opaque(red: u8, green: u8, blue: u8) -> Self {
        Self { red, green, blue, alpha: 255 }
    }

    /// From `0x00RRGGBB`, as settings write colours. The highest byte is ignored.
    pub const fn from_rgb(rgb: u32) -> Self {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Self::opaque(red, green, blue)
    }

    pub const fn bgra(self) -> [u8; 4] {
        [self.blue, self.green, self.red, self.alpha]
    }
}

impl Canvas {
    /// All clear.
    pub fn new(area: FrameRect) -> Self {
        Self { area, bgra: vec![0; area.size.area() as usize * 4] }
    }

    /// From `0xAARRGGBB` pixels whose colours are multiplied by their alpha, as X11 gives its pointer, or `None` if
    /// their number is not that of the area.
    pub fn from_premultiplied(area: FrameRect, argb: &[u32]) -> Option<Self> {
        let straight = |argb: u32| {
            let [alpha, rgb @ ..] = argb.to_be_bytes();
            let whole = u32::from(alpha).max(1);
            let [red, green, blue] =
                rgb.map(|channel| ((u32::from(channel) * 255 + whole / 2) / whole).min(255) as u8);
            [blue, green, red, alpha]
        };
        (argb.len() as u64 == area.size.area())
            .then(|| Self { area, bgra: argb.iter().flat_map(|&pixel| straight(pixel)).collect() })
    }

    /// Where on the frame it lies; may reach beyond it.
    pub const fn area(&self) -> FrameRect {
        self.area
    }

    /// The same drawing elsewhere.
    pub fn moved_to(mut self, origin: FramePx) -> Self {
        self.area.origin = origin;
        self
    }

    /// `4 * width` bytes a row, blue, green, red, straight alpha.
    pub fn bgra(&self) -> &[u8] {
        &self.bgra
    }

    pub fn into_bgra(self) -> Vec<u8> {
        self.bgra
    }

    /// The same with colours multiplied by alpha, as window systems want them.
    pub fn premultiplied(&self) -> Vec<u8> {
        let mut bgra = self.bgra.clone();
        for [blue, green, red, alpha] in bgra.as_chunks_mut().0 {
            for channel in [blue, green, red] {
                *channel = mix(*channel, *alpha, 0);
            }
        }
        bgra
    }

    /// Blue, green, red, alpha of one pixel, or `None` outside.
    pub fn pixel(&self, at: FramePx) -> Option<[u8; 4]> {
        let at = self.index(at)?;
        self.bgra[at..].first_chunk().copied()
    }

    /// All pixels, row by row: blue, green, red, alpha.
    pub(crate) fn pixels_mut(&mut self) -> &mut [[u8; 4]] {
        self.bgra.as_chunks_mut().0
    }

    /// Part of one row: the columns from `from` on, `len` of them. All must lie inside.
    pub(crate) fn span_mut(&mut self, from: FramePx, len: usize) -> Option<&mut [u8]> {
        let at = self.index(from)?;
        self.bgra.get_mut(at..at + len * 4)
    }

    fn index(&self, at: FramePx) -> Option<usize> {
        let (x, y) = (at.x.checked_sub(self.area.origin.x)?, at.y.checked_sub(self.area.origin.y)?);
        let inside = self.area.contains(at);
        inside.then(|| (y as usize * self.area.size.width as usize + x as usize) * 4)
    }

    /// Blends onto BGRX pixels of `size` with rows `stride` bytes apart. What lies outside is left out; the fourth
    /// bytes are not touched. Does nothing if `bgrx` is too short for its shape.
    pub fn blend_onto(&self, bgrx: &mut [u8], size: Size, stride: usize) {
        self.blend_shifted(self.area.origin, bgrx, size, stride);
    }

    /// The same, as if the canvas lay at `origin`.
    pub(crate) fn blend_shifted(&self, origin: FramePx, bgrx: &mut [u8], size: Size, stride: usize) {
        let row_bytes = size.width as usize * 4;
        let needed = (size.height as usize).saturating_sub(1) * stride + row_bytes;
        if size.is_empty() || stride < row_bytes || bgrx.len() < needed {
            return;
        }
        let area = FrameRect { origin, size: self.area.size };
        let Some(part) = area.intersect(&FrameRect::new(0, 0, size.width, size.height)) else { return };
        let width = part.size.width as usize * 4;
        for y in part.origin.y..part.bottom() as i32 {
            let (column, row) = ((part.origin.x - origin.x) as usize, (y - origin.y) as usize);
            let from = (row * area.size.width as usize + column) * 4;
            let to = y as usize * stride + part.origin.x as usize * 4;
            let over = self.bgra[from..from + width].as_chunks::<4>().0;
            for (under, over) in bgrx[to..to + width].chunks_exact_mut(4).zip(over) {
                let [blue, green, red, alpha] = *over;
                under[0] = mix(blue, alpha, under[0]);
                under[1] = mix(green, alpha, under[1]);
                under[2] = mix(red, alpha, under[2]);
            }
        }
    }
}

/// One channel of `over` at `alpha` on `under`, rounded to the nearest.
#[inline(always)]
pub(crate) fn mix(over: u8, alpha: u8, under: u8) -> u8 {
    let alpha = u32::from(alpha);
    ((u32::from(over) * alpha + u32::from(under) * (255 - alpha) + 127) / 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_read_as_0x00rrggbb() {
        assert_eq!(Color::from_rgb(0x00FF_8001).bgra(), [0x01, 0x80, 0xFF, 255]);
        assert_eq!(Color::from_rgb(0xAA12_3456), Color::opaque(0x12, 0x34, 0x56));
    }

    #[test]
    fn mixing_is_exact_at_both_ends_and_rounds_between() {
        for value in [0, 1, 77, 254, 255] {
            assert_eq!((mix(value, 255, 13), mix(value, 0, 13), mix(value, 128, value)), (value, 13, value));
        }
        assert_eq!(mix(255, 128, 0), 128);
        assert_eq!(mix(255, 127, 0), 127);
    }

    #[test]
    fn blending_keeps_inside_the_frame_and_its_shape() {
        let mut canvas = Canvas::new(FrameRect::new(-1, 1, 3, 2));
        for (x, alpha) in [(-1, 255), (0, 255), (1, 128)] {
            let color = Color { alpha, ..Color::opaque(200, 100, 50) };
            crate::draw::fill(&mut canvas, FrameRect::new(x, 1, 1, 1), color);
        }
        let mut bgrx = vec![9u8; 2 * 12 - 2];
        canvas.blend_onto(&mut bgrx, Size::new(2, 2), 12);
        assert_eq!(bgrx[..12], [9; 12]);
        assert_eq!(bgrx[12..20], [50, 100, 200, 9, 30, 55, 105, 9]);
        let before = bgrx.clone();
        canvas.blend_onto(&mut bgrx, Size::new(2, 3), 12);
        canvas.blend_onto(&mut bgrx, Size::new(4, 2), 12);
        Canvas::new(FrameRect::new(50, 50, 2, 2)).blend_onto(&mut bgrx, Size::new(2, 2), 12);
        assert_eq!(bgrx, before, "too short a buffer, or nothing to blend");
    }

    #[test]
    fn the_pointer_of_x11_becomes_straight() {
        let area = FrameRect::new(4, 4, 2, 1);
        let canvas = Canvas::from_premultiplied(area, &[0x8040_2000, 0]).expect("two pixels");
        assert_eq!(canvas.pixel(FramePx::new(4, 4)), Some([0, 64, 128, 128]));
        assert_eq!(canvas.pixel(FramePx::new(5, 4)), Some([0; 4]));
        assert_eq!(canvas.premultiplied()[..4], [0, 32, 64, 128]);
        assert_eq!(Canvas::from_premultiplied(area, &[0]), None);
        assert_eq!(canvas.moved_to(FramePx::new(0, 0)).pixel(FramePx::new(0, 0)), Some([0, 64, 128, 128]));
    }
}
