//! Where there is something on the screen: lines of text, and other things that stand alone, such as icons.
//!
//! Ink is where a pixel differs from the one to its right or below; long straight edges (borders, rules, the sides of
//! windows) are not ink. Ink that touches is a piece; pieces side by side on one height are a line. It says nothing of what a
//! line says, and a line may turn out to be none: whoever reads it finds no words there.
//!
//! ```text
//! PixelView --edges--> ink --touching--> pieces --side by side--> Segments { lines, shapes }
//! ```
//!
//! All areas are in pixels of the view, within a pixel of the ink, in reading order (rows from the top, each from the left), and
//! the same for the same pixels. The cost is one pass over the pixels. This module refuses to read, to tell a button from
//! a field, and to find text on a photograph, where everything is ink.

use handsight_base::flow::frame::PixelView;
use handsight_base::space::{FrameRect, Size};

mod boxes;
mod ink;
mod lines;

/// What stands out from its ground.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Segments {
    /// What is as high as letters are and as long as it is high or longer: mostly text, some icons in a row. Never
    /// higher than [`HIGHEST_LINE`].
    pub lines: Vec<FrameRect>,
    /// Outlines from 18x16 pixels to a height of 80: buttons, fields, cells. What they hold is in the other lists.
    pub boxes: Vec<FrameRect>,
    /// What else stands alone: icons, marks, drawings. A picture is one shape.
    pub shapes: Vec<FrameRect>,
}

/// Letters of text are at least this high, in pixels.
pub const LOWEST_LINE: u32 = 5;
/// Lines that are higher are shapes.
pub const HIGHEST_LINE: u32 = 72;

/// Finds what stands out in a view.
pub fn segment(view: PixelView<'_>) -> Segments {
    if view.size().width < 2 || view.size().height < 2 {
        return Segments::default();
    }
    let mut edges = ink::Edges::of(view);
    let boxes = boxes::take(&mut edges);
    edges.drop_long();
    let mut segments = lines::of(ink::pieces(&edges), view.size());
    segments.boxes = boxes;
    reading_order(&mut segments.boxes, |area| *area);
    segments
}

/// Sorts areas as they are read: rows from the top, each from the left. What overlaps by half of the lower one's height
/// is one row.
pub fn reading_order<T>(things: &mut Vec<T>, area: impl Fn(&T) -> FrameRect) {
    things.sort_by_key(|t| {
        let a = area(t);
        (a.origin.y, a.origin.x, a.size.width)
    });
    let mut rest = std::mem::take(things);
    while !rest.is_empty() {
        // The row of the topmost that is left.
        let first = rest.first().map(&area).unwrap_or(FrameRect::new(0, 0, 0, 0));
        let (mut row, later): (Vec<T>, Vec<T>) = rest.into_iter().partition(|t| same_row(first, area(t)));
        row.sort_by_key(|t| (area(t).origin.x, area(t).origin.y));
        things.append(&mut row);
        rest = later;
    }
}

/// True if two areas overlap by at least half of the lower one's height.
fn same_row(a: FrameRect, b: FrameRect) -> bool {
    let shared = a.bottom().min(b.bottom()) - i64::from(a.origin.y.max(b.origin.y));
    2 * shared >= i64::from(a.size.height.min(b.size.height)) && shared > 0
}

const fn whole(size: Size) -> FrameRect {
    FrameRect::new(0, 0, size.width, size.height)
}

#[cfg(test)]
mod tests;
