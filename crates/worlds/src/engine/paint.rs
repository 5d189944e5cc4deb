//! Scenes to pixels: every shape is drawn at the display's own scale, with smooth edges.
//!
//! Drawing is a pure function of the scene and the area, so a part drawn again gives the bytes a whole picture has there.
//! Nothing is drawn outside the area asked for.

use super::scene::{Command, Scene, Shape};
use super::shapes::{Mask, polygon, round, shadow, stroke};
use super::{scene::Font, text};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use handsight_pixel::canvas::Color;

/// BGRX rows without gaps that show `area` at `scale` pixels a unit.
pub struct Target<'a> {
    pub pixels: &'a mut [u8],
    pub size: Size,
    pub origin: ScreenPx,
    pub scale: f64,
}

/// A rectangle of pixels: columns and rows, the second of each left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PixelRect {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) right: i32,
    pub(crate) bottom: i32,
}

impl PixelRect {
    pub(crate) fn cut(self, other: Self) -> Option<Self> {
        let cut = Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        };
        (cut.left < cut.right && cut.top < cut.bottom).then_some(cut)
    }

    pub(crate) fn grown(self, by: i32) -> Self {
        Self { left: self.left - by, top: self.top - by, right: self.right + by, bottom: self.bottom + by }
    }
}

impl Target<'_> {
    /// Draws what `scene` shows within `area`.
    pub fn paint(&mut self, scene: &Scene, area: ScreenRect) {
        let Some(clip) = self.pixel_rect(area).cut(self.whole()) else { return };
        let commands = || scene.layers.iter().flat_map(|layer| &layer.commands);
        // What the last opaque shape hides need not be drawn.
        let hidden = commands().enumerate().filter(|(_, c)| c.hides(&area)).last().map(|(at, _)| at);
        if hidden.is_none() {
            // Between displays lies nothing, and shadows must not pile up there.
            (clip.top..clip.bottom).for_each(|y| self.span(y, clip.left, clip.right, Color::opaque(0, 0, 0)));
        }
        for command in commands().skip(hidden.unwrap_or(0)) {
            let clip = self.pixel_rect(command.clip).cut(clip);
            if let Some(clip) = clip {
                self.draw(command, clip);
            }
        }
    }

    fn whole(&self) -> PixelRect {
        PixelRect { left: 0, top: 0, right: self.size.width as i32, bottom: self.size.height as i32 }
    }

    /// Edges are rounded each for itself, so neighbours share theirs at every scale.
    fn pixel_rect(&self, rect: ScreenRect) -> PixelRect {
        let edge = |v: i64, origin: i32| ((v - i64::from(origin)) as f64 * self.scale).round() as i32;
        PixelRect {
            left: edge(rect.origin.x.into(), self.origin.x),
            top: edge(rect.origin.y.into(), self.origin.y),
            right: edge(rect.right(), self.origin.x),
            bottom: edge(rect.bottom(), self.origin.y),
        }
    }

    fn draw(&mut self, command: &Command, clip: PixelRect) {
        let rect = self.pixel_rect(command.rect);
        let scale = self.scale as f32;
        match &command.shape {
            Shape::Fill(color) => {
                if let Some(part) = rect.cut(clip) {
                    (part.top..part.bottom).for_each(|y| self.span(y, part.left, part.right, *color));
                }
            }
            Shape::Gradient { top, bottom } => self.gradient(rect, clip, *top, *bottom),
            Shape::Round { radius, fill, border, line } => {
                let mask = round(rect, f32::from(*radius) * scale);
                match border {
                    Some(border) => {
                        self.fill_mask(&mask, clip, *border);
                        let line = (f32::from(*line) * scale / 10.0).round().max(1.0);
                        let inner = rect.grown(-(line as i32));
                        let radius = (f32::from(*radius) * scale - line).max(0.0);
                        if inner.left < inner.right && inner.top < inner.bottom {
                            self.fill_mask(&round(inner, radius), clip, *fill);
                        }
                    }
                    None => self.fill_mask(&mask, clip, *fill),
                }
            }
            Shape::Shadow { blur, radius, color } => {
                let (blur, radius) = (f32::from(*blur) * scale, f32::from(*radius) * scale);
                self.fill_mask(&shadow(rect, blur, radius), clip, *color);
            }
            Shape::Text { text, font, color, baseline } => {
                let y = rect.top + (f64::from(*baseline) * self.scale).round() as i32;
                self.text(text, *font, *color, (rect.left, y), clip);
            }
            Shape::Polygon { corners, color } => self.fill_mask(&polygon(rect, corners), clip, *color),
            Shape::Stroke { corners, width, color } => {
                let width = (f32::from(*width) * scale / 10.0).max(1.0);
                self.fill_mask(&stroke(rect, corners, width), clip, *color);
            }
        }
    }

    fn gradient(&mut self, rect: PixelRect, clip: PixelRect, top: Color, bottom: Color) {
        let Some(part) = rect.cut(clip) else { return };
        let height = (rect.bottom - rect.top - 1).max(1);
        for y in part.top..part.bottom {
            let share = ((y - rect.top) * 255 / height).clamp(0, 255) as u8;
            let channel = |a: u8, b: u8| mixed(b, share, a);
            let color = Color::opaque(
                channel(top.red, bottom.red),
                channel(top.green, bottom.green),
                channel(top.blue, bottom.blue),
            );
            self.span(y, part.left, part.right, color);
        }
    }

    fn row(&mut self, y: i32, from: i32, to: i32) -> &mut [[u8; 4]] {
        let start = (y as usize * self.size.width as usize + from as usize) * 4;
        let end = start + (to - from) as usize * 4;
        // Callers stay inside `whole()`; a picture that is too short is left alone.
        self.pixels.get_mut(start..end).unwrap_or_default().as_chunks_mut().0
    }

    fn span(&mut self, y: i32, from: i32, to: i32, color: Color) {
        let row = self.row(y, from, to);
        if color.alpha == 255 {
            row.fill(color.bgra());
        } else if color.alpha > 0 {
            row.iter_mut().for_each(|pixel| over(pixel, color, color.alpha));
        }
    }

    fn fill_mask(&mut self, mask: &Mask, clip: PixelRect, color: Color) {
        let Some(part) = mask.bounds().cut(clip) else { return };
        // Coverage of the edges of a row, kept while rows are alike.
        let (mut covered, mut kept) = (Vec::new(), None);
        for y in part.top..part.bottom {
            let row = mask.row(y);
            let hold = |x: i32| x.clamp(part.left, part.right);
            let (from, to) = (hold(row.from), hold(row.to));
            // Of a narrow shape both edges meet, and there is nothing between them.
            let even = if row.even.0 < row.even.1 { (hold(row.even.0), hold(row.even.1)) } else { (to, to) };
            let edges = (from..even.0.min(to)).chain(even.1.max(from)..to);
            let like = (from, even, to);
            if !row.straight || kept != Some(like) {
                covered.clear();
                covered.extend(edges.clone().map(|x| mask.coverage(x, y)));
                kept = row.straight.then_some(like);
            }
            let line = self.row(y, part.left, part.right);
            for (x, &coverage) in edges.zip(&covered) {
                if coverage > 0 {
                    blend(&mut line[(x - part.left) as usize], color, coverage);
                }
            }
            if even.0 < even.1 {
                let alpha = mixed(color.alpha, row.coverage, 0);
                self.span(y, even.0, even.1, Color { alpha, ..color });
            }
        }
    }

    fn text(&mut self, text: &str, font: Font, color: Color, pen: (i32, i32), clip: PixelRect) {
        let (mut units, scale) = (0, self.scale as f32);
        for c in text.chars() {
            let glyph = text::glyph(c, font, scale);
            let x = pen.0 + (f64::from(units) * self.scale).round() as i32 + glyph.left;
            units += text::advance(c, font);
            if glyph.width == 0 || x >= clip.right || x + glyph.width as i32 <= clip.left {
                continue;
            }
            let from = (clip.left - x).max(0) as usize;
            let to = ((clip.right - x) as usize).min(glyph.width);
            for (y, covered) in (pen.1 + glyph.top..).zip(glyph.coverage.chunks_exact(glyph.width)) {
                if y < clip.top || y >= clip.bottom {
                    continue;
                }
                let row = self.row(y, x + from as i32, x + to as i32);
                for (pixel, &coverage) in row.iter_mut().zip(&covered[from..to]) {
                    if coverage > 0 {
                        blend(pixel, color, strengthened(coverage));
                    }
                }
            }
        }
    }
}

/// Thin stems at small sizes look grey if light is mixed as it is: half way to what a gamma of 2 would give.
const fn strengthened(coverage: u8) -> u8 {
    let dark = 255 - coverage as u32;
    let full = 255 - dark * dark / 255;
    ((full + coverage as u32) / 2) as u8
}

/// One channel of `over` at `alpha` on `under`, rounded to the nearest.
#[inline(always)]
fn mixed(over: u8, alpha: u8, under: u8) -> u8 {
    let (alpha, rest) = (u16::from(alpha), 255 - u16::from(alpha));
    // Of at most 255 * 255, a half never being met: what a division by 255 gives.
    let sum = u16::from(over) * alpha + u16::from(under) * rest + 128;
    ((sum + (sum >> 8)) >> 8) as u8
}

#[inline(always)]
fn over(pixel: &mut [u8; 4], color: Color, alpha: u8) {
    pixel[0] = mixed(color.blue, alpha, pixel[0]);
    pixel[1] = mixed(color.green, alpha, pixel[1]);
    pixel[2] = mixed(color.red, alpha, pixel[2]);
}

#[inline(always)]
fn blend(pixel: &mut [u8; 4], color: Color, coverage: u8) {
    over(pixel, color, mixed(color.alpha, coverage, 0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_is_the_division_it_stands_for() {
        for over in 0..=255_u8 {
            for alpha in 0..=255_u8 {
                for under in [0, 1, 77, 128, 254, 255_u8] {
                    let whole =
                        u32::from(over) * u32::from(alpha) + u32::from(under) * (255 - u32::from(alpha));
                    assert_eq!(u32::from(mixed(over, alpha, under)), (whole + 127) / 255);
                }
            }
        }
    }
}
