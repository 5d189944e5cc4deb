//! A few characters on a ground of their own, legible on anything.

use crate::canvas::{Canvas, Color};
use crate::draw;
use crate::font::FontStack;
use crate::text::{Row, TextStyle, draw_outlined};
use handsight_base::space::{FramePx, FrameRect, Size};

/// How a label looks. Lengths in pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Label {
    pub(super) em: f32,
    pub(super) ink: Color,
    /// Behind the letters, and opaque around each of them.
    pub(super) ground: Color,
    /// Beside the text and above and below it.
    pub(super) margin: (u32, u32),
}

impl Label {
    /// As large as its text and the margin. It lies at the origin, to be laid wherever it belongs.
    pub(super) fn draw(&self, text: &str, fonts: &mut FontStack) -> Canvas {
        // All that is written here is digits and a few letters: no row needs more than the tallest of them.
        let (above, below) = text.chars().fold((0, 0), |(above, below), c| {
            let glyph = fonts.glyph(c, self.em);
            let height = glyph.coverage.len().checked_div(glyph.width).unwrap_or(0) as i32;
            (above.max(-glyph.top), below.max(glyph.top + height))
        });
        let (beside, over) = self.margin;
        let size =
            Size::new(fonts.width(text, self.em) + 2 * beside, (above + below).max(0) as u32 + 2 * over);
        let area = FrameRect { origin: FramePx::new(0, 0), size };
        let mut canvas = Canvas::new(area);
        draw::fill(&mut canvas, area, self.ground);
        let pen = FramePx::new(beside as i32, over as i32 + above);
        let style = TextStyle {
            em: self.em,
            color: self.ink,
            outline: Color { alpha: 255, ..self.ground },
            outline_px: 1,
        };
        draw_outlined(&mut canvas, &[Row { text, pen }], &style, fonts);
        canvas
    }
}
