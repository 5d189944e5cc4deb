//! Drawing by theme: fills, round boxes, icons and rows of text, cut to a part of the screen.

use super::icons;
use super::layout::rect;
use super::node::Align;
use crate::desk::theme::Theme;
use crate::engine::scene::{Font, Layer, Shape};
use crate::engine::text;
use handsight_base::space::{ScreenPx, ScreenRect};
use handsight_pixel::canvas::Color;

/// Draws into a layer with one theme.
pub struct Brush<'a> {
    pub layer: &'a mut Layer,
    pub theme: &'a Theme,
    pub clip: ScreenRect,
}

impl Brush<'_> {
    pub fn fill(&mut self, area: ScreenRect, color: Color) {
        self.layer.clipped(area, self.clip, Shape::Fill(color));
    }

    pub fn round(&mut self, area: ScreenRect, radius: u16, fill: Color, border: Option<Color>) {
        self.layer.clipped(area, self.clip, Shape::Round { radius, fill, border, line: 10 });
    }

    pub fn stroke(&mut self, area: ScreenRect, corners: &[(i16, i16)], width: u16, color: Color) {
        self.layer.clipped(area, self.clip, Shape::Stroke { corners: corners.to_vec(), width, color });
    }

    pub fn icon(&mut self, icon: icons::Icon, area: ScreenRect) {
        icons::draw(self.layer, icon, area, self.clip, self.theme.accent);
    }

    /// One row of text in the middle of the height of `area`, cut to its width.
    pub fn text(&mut self, content: &str, area: ScreenRect, font: Font, color: Color, align: Align) {
        let fitted = text::fitted(content, font, area.size.width as i32);
        let left = area.size.width as i32 - text::width(&fitted, font);
        let shift = match align {
            Align::Start => 0,
            Align::Center => left / 2,
            Align::End => left,
        };
        let middle = (area.size.height as i32 - text::row_height(font)) / 2;
        self.row(&fitted, area.origin.offset(shift, middle), font, color);
    }

    /// A row of text with its top-left corner at `at`.
    pub fn row(&mut self, content: &str, at: ScreenPx, font: Font, color: Color) {
        if content.is_empty() {
            return;
        }
        let area = rect(at.x, at.y, text::width(content, font), text::row_height(font));
        let shape = Shape::Text { text: content.to_owned(), font, color, baseline: text::baseline(font) };
        self.layer.clipped(area, self.clip, shape);
    }
}
