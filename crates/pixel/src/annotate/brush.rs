//! Colours and canvases mixed into a finished picture. What lies outside of it is left out.

use super::Place;
use crate::canvas::{Canvas, Color, mix};
use crate::rgb::Rgb24;
use handsight_base::space::{PicturePx, Rect, Size};

/// A rectangle of whole pixels of the picture, half open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) left: u32,
    pub(super) top: u32,
    pub(super) right: u32,
    pub(super) bottom: u32,
}

impl Patch {
    pub(super) const fn whole(size: Size) -> Self {
        Self::at((0, 0), size)
    }

    pub(super) const fn at((left, top): Place, size: Size) -> Self {
        let (right, bottom) = (left.saturating_add(size.width), top.saturating_add(size.height));
        Self { left, top, right, bottom }
    }

    /// The pixels of a rectangle, as far as the picture has them.
    pub(super) fn inside(area: &Rect<PicturePx>, picture: Size) -> Option<Self> {
        // Numbers that are not finite become 0 or the last one.
        let axis = |from: f64, length: u32, most: u32| {
            ((from as u32).min(most), ((from + f64::from(length)) as u32).min(most))
        };
        let (left, right) = axis(area.origin.x, area.size.width, picture.width);
        let (top, bottom) = axis(area.origin.y, area.size.height, picture.height);
        (left < right && top < bottom).then_some(Self { left, top, right, bottom })
    }

    pub(super) const fn width(&self) -> u32 {
        self.right.saturating_sub(self.left)
    }

    pub(super) const fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// The same without `by` pixels on each side.
    pub(super) const fn inner(&self, by: u32) -> Self {
        Self {
            left: self.left + by,
            top: self.top + by,
            right: self.right.saturating_sub(by),
            bottom: self.bottom.saturating_sub(by),
        }
    }
}

/// Mixes a colour into one pixel.
#[inline(always)]
pub(super) fn tint([red, green, blue]: &mut [u8; 3], color: Color) {
    *red = mix(color.red, color.alpha, *red);
    *green = mix(color.green, color.alpha, *green);
    *blue = mix(color.blue, color.alpha, *blue);
}

/// The part of one row from one column to another, as far as the picture has it.
pub(super) fn span(picture: &mut Rgb24, row: u32, left: u32, right: u32) -> &mut [[u8; 3]] {
    let Size { width, height } = picture.size();
    if row >= height {
        return &mut [];
    }
    let (from, to) = (left.min(width) as usize, right.min(width) as usize);
    picture.row_mut(row).as_chunks_mut().0.get_mut(from..to).unwrap_or_default()
}

/// Mixes a colour into a rectangle.
pub(super) fn fill(picture: &mut Rgb24, patch: Patch, color: Color) {
    for row in patch.top..patch.bottom.min(picture.size().height) {
        for pixel in span(picture, row, patch.left, patch.right) {
            tint(pixel, color);
        }
    }
}

/// Draws the border of a rectangle, `width` pixels wide, inside it.
pub(super) fn border(picture: &mut Rgb24, patch: Patch, width: u32, color: Color) {
    let Patch { left, right, .. } = patch;
    let inner = patch.inner(width);
    if inner.left >= inner.right || inner.top >= inner.bottom {
        fill(picture, patch, color);
        return;
    }
    fill(picture, Patch { bottom: inner.top, ..patch }, color);
    fill(picture, Patch { top: inner.bottom, ..patch }, color);
    fill(picture, Patch { left, right: inner.left, ..inner }, color);
    fill(picture, Patch { left: inner.right, right, ..inner }, color);
}

/// Blends a canvas onto the picture with its top-left corner at a place, wherever it lies itself.
pub(super) fn lay(picture: &mut Rgb24, canvas: &Canvas, (left, top): Place) {
    let Size { width, .. } = canvas.area().size;
    let rows = canvas.bgra().as_chunks::<4>().0.chunks_exact(width.max(1) as usize);
    for (row, over) in (top..).zip(rows) {
        for (under, &[blue, green, red, alpha]) in
            span(picture, row, left, left.saturating_add(width)).iter_mut().zip(over)
        {
            tint(under, Color { red, green, blue, alpha });
        }
    }
}
