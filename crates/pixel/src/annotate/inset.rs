//! The enlarged view: what is around the pointer, each pixel a square, framed and in the corner farthest from it.

use super::brush::{self, Patch};
use super::label::Label;
use super::{Magnifier, NOT_OF_THE_SCREEN, Place};
use crate::canvas::{Canvas, Color};
use crate::font::FontStack;
use crate::rgb::Rgb24;
use handsight_base::space::Size;

/// Two lines of these, so that the frame stands out from dark and from light content.
const FRAME: [Color; 2] = [Color::opaque(0, 0, 0), NOT_OF_THE_SCREEN];
/// Both lines.
pub(super) const FRAME_PX: u32 = 3;

const CAPTION: Label =
    Label { em: 12.0, ink: Color::opaque(0, 0, 0), ground: Color::opaque(255, 200, 0), margin: (4, 2) };

/// Where the view lies and what it shows.
pub(super) struct Inset {
    /// With its frame and its caption.
    area: Patch,
    /// What is enlarged.
    source: Patch,
    times: u32,
    caption: Option<Canvas>,
}

impl Inset {
    /// `None` if there is nothing to enlarge or no room for it.
    pub(super) fn plan(
        picture: Size,
        (column, row): Place,
        magnifier: Magnifier,
        fonts: &mut FontStack,
    ) -> Option<Self> {
        let Magnifier { side_px, times } = magnifier;
        if side_px == 0 || times == 0 {
            return None;
        }
        // At most half of the longer side: so the view never lies over the pointer, whose half is the other one.
        let (half_width, half_height) = (picture.width / 2, picture.height / 2);
        let (most_wide, most_high) = if picture.width >= picture.height {
            (half_width, picture.height)
        } else {
            (picture.width, half_height)
        };
        let caption_high = CAPTION.draw("0y", fonts).area().size.height;
        let fits = |room: u32, around: u32| room.saturating_sub(around) / times;
        let wide = side_px.min(picture.width).min(fits(most_wide, 2 * FRAME_PX));
        let high = side_px.min(picture.height).min(fits(most_high, 2 * FRAME_PX + caption_high));
        if wide == 0 || high == 0 {
            return None;
        }
        let from = |at: u32, length: u32, most: u32| at.saturating_sub(length / 2).min(most - length);
        let source = Patch::at(
            (from(column, wide, picture.width), from(row, high, picture.height)),
            Size::new(wide, high),
        );
        let inner = wide * times;
        // As people write ranges: both ends are shown.
        let Patch { left, top, right, bottom } = source;
        let words = format!("{times}x: x {left}-{}, y {top}-{}", right - 1, bottom - 1);
        let caption = Some(CAPTION.draw(&words, fonts)).filter(|caption| caption.area().size.width <= inner);
        let captioned = caption.as_ref().map_or(0, |caption| caption.area().size.height);
        let size = Size::new(inner + 2 * FRAME_PX, captioned + high * times + 2 * FRAME_PX);
        let corner = (
            if column < half_width { picture.width - size.width } else { 0 },
            if row < half_height { picture.height - size.height } else { 0 },
        );
        Some(Self { area: Patch::at(corner, size), source, times, caption })
    }

    pub(super) const fn area(&self) -> Patch {
        self.area
    }

    /// Keeps what is to be enlarged in `pixels`, before anything is drawn over it.
    pub(super) fn take(&self, picture: &Rgb24, pixels: &mut Vec<[u8; 3]>) {
        let Patch { left, top, right, bottom } = self.source;
        pixels.clear();
        for row in top..bottom {
            let (pixel, _) = picture.row(row).as_chunks();
            pixels.extend_from_slice(&pixel[left as usize..right as usize]);
        }
    }

    /// Draws the frame, the caption and the pixels that were taken.
    pub(super) fn draw(&self, picture: &mut Rgb24, pixels: &[[u8; 3]]) {
        let [line, ground] = FRAME;
        brush::border(picture, self.area, 1, line);
        brush::border(picture, self.area.inner(1), FRAME_PX - 1, ground);
        let inner = self.area.inner(FRAME_PX);
        let mut first = inner.top;
        if let Some(caption) = &self.caption {
            let Size { height, .. } = caption.area().size;
            first += height;
            brush::fill(picture, Patch { bottom: first, ..inner }, ground);
            brush::lay(picture, caption, (inner.left, inner.top));
        }
        let (times, wide) = (self.times as usize, self.source.width() as usize);
        for (n, source) in (0..).zip(pixels.chunks_exact(wide.max(1))) {
            let top = first + n * self.times;
            for row in top..top + self.times {
                let enlarged = brush::span(picture, row, inner.left, inner.right);
                for (square, &pixel) in enlarged.chunks_exact_mut(times).zip(source) {
                    square.fill(pixel);
                }
            }
        }
    }
}
