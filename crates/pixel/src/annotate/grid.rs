//! The grid: lines that let through what lies below them, and the coordinates of the coarse ones.
//!
//! A line is one pixel wide and lies on the very column or row that it is named after, so that a coordinate can be read off it.

use super::Grid;
use super::brush::{self, Patch, tint};
use super::label::Label;
use crate::canvas::Color;
use crate::font::FontStack;
use crate::rgb::Rgb24;
use handsight_base::space::Size;

/// Half transparent, in colours that screens seldom have; the fine ones fainter, since there are four times as many.
const FINE: Color = Color { alpha: 96, ..Color::opaque(50, 160, 255) };
const COARSE: Color = Color { alpha: 128, ..Color::opaque(255, 0, 170) };

const COORDINATE: Label = Label {
    em: 12.0,
    ink: Color::opaque(255, 255, 255),
    ground: Color { alpha: 150, ..Color::opaque(150, 0, 100) },
    margin: (2, 2),
};

impl Grid {
    /// The colour of the line at a column or row, if there is one. The picture's own edge is none.
    const fn line(self, at: u32) -> Option<Color> {
        if self.is_coarse(at) {
            return Some(COARSE);
        }
        if at > 0 && self.fine_px > 0 && at.is_multiple_of(self.fine_px) { Some(FINE) } else { None }
    }

    const fn is_coarse(self, at: u32) -> bool {
        at > 0 && self.coarse_px > 0 && at.is_multiple_of(self.coarse_px)
    }

    /// Where coarse lines are.
    fn coarse(self, length: u32) -> impl Iterator<Item = u32> {
        let step = self.coarse_px;
        (1..).map(move |n| step.saturating_mul(n)).take_while(move |&at| step > 0 && at < length)
    }
}

/// Draws the lines, then the coordinates of columns along the top and those of rows along the left, beside what is `taken`.
pub(super) fn draw(picture: &mut Rgb24, grid: Grid, taken: &[Patch], fonts: &mut FontStack) {
    let size = picture.size();
    lines(picture, grid);
    let in_the_way = |label: Patch, end: fn(&Patch) -> u32| {
        taken.iter().filter(|taken| taken.meets(&label)).map(end).max().unwrap_or(0)
    };
    // Where lines are nearer to each other than their numbers are long, not each can have its number.
    let mut free = 0;
    for column in grid.coarse(size.width) {
        let label = COORDINATE.draw(&column.to_string(), fonts);
        let length = label.area().size;
        let left = centred(column, length.width, size.width);
        let top = in_the_way(Patch::at((left, 0), length), |taken| taken.bottom);
        if left >= free && top + length.height <= size.height {
            brush::lay(picture, &label, (left, top));
            free = left + length.width;
        }
    }
    let mut free = 0;
    for row in grid.coarse(size.height) {
        let label = COORDINATE.draw(&row.to_string(), fonts);
        let length = label.area().size;
        let top = centred(row, length.height, size.height);
        let left = in_the_way(Patch::at((0, top), length), |taken| taken.right);
        if top >= free && left + length.width <= size.width {
            brush::lay(picture, &label, (left, top));
            free = top + length.height;
        }
    }
}

/// Where something begins that has `at` in its middle, or as near to that as it can be.
fn centred(at: u32, length: u32, most: u32) -> u32 {
    at.saturating_sub(length / 2).min(most.saturating_sub(length))
}

/// Each pixel of the grid is tinted once, so that crossings are no darker than lines.
fn lines(picture: &mut Rgb24, grid: Grid) {
    let Size { width, height } = picture.size();
    let columns: Vec<(usize, Color)> =
        (0..width).filter_map(|column| Some((column as usize, grid.line(column)?))).collect();
    for row in 0..height {
        let pixels = brush::span(picture, row, 0, width);
        let Some(across) = grid.line(row) else {
            for &(column, color) in &columns {
                if let Some(pixel) = pixels.get_mut(column) {
                    tint(pixel, color);
                }
            }
            continue;
        };
        for (column, pixel) in (0..).zip(pixels) {
            tint(pixel, if grid.is_coarse(column) { COARSE } else { across });
        }
    }
}
