//! Surfaces to panes, and small squares and rounds to marks: what a pointer can press that is not text.

use super::flat::{Extent, Flat, Kind};
use super::glyphs::Unit;
use super::raster::Raster;
use super::rows::distance;
use super::scene::{Line, Mark, Pane};
use handsight_base::space::FrameRect;

/// Sides of check boxes and radio buttons, in units.
const MARK: std::ops::RangeInclusive<u16> = 10..=30;
/// Square of the least distance between a sign and the ground.
const STANDS_OUT: i32 = 3 * 36 * 36;
/// Widest border.
const BORDER: u32 = 3;

/// Surfaces that are rectangles, in reading order.
pub(crate) fn panes(raster: &Raster, flat: &Flat, area: &dyn Fn(&Extent) -> FrameRect) -> Vec<Pane> {
    let mut panes: Vec<Pane> = Vec::new();
    for part in flat.parts.iter().filter(|part| part.kind == Kind::Surface && part.extent.width() >= 12) {
        for extent in bands(raster, &part.extent, part.color) {
            panes.push(Pane {
                area: area(&extent),
                fill: part.color,
                border: border(raster, &extent, part.color),
            });
        }
    }
    panes.sort_by_key(|pane| (pane.area.origin.y, pane.area.origin.x));
    panes
}

/// The rectangles of a surface: all of it if its edges are its own, else where it reaches from its left to its right edge.
/// A scroll bar that joins a bar below it makes no pane of both.
fn bands(raster: &Raster, extent: &Extent, color: u32) -> Vec<Extent> {
    let Extent { x0, y0, x1, y1 } = *extent;
    let (xm, ym) = ((x0 + x1) / 2, (y0 + y1) / 2);
    let own = |x: u16, y: u16| raster.at(usize::from(x), usize::from(y)) == color;
    // Middles and quarters: text and rounded corners do not reach them.
    let sides =
        [(x0, ym), (x1 - 1, ym), (xm, y0), (xm, y1 - 1), ((x0 + xm) / 2, y0), ((xm + x1) / 2, y1 - 1)];
    if sides.iter().filter(|&&(x, y)| own(x, y)).count() >= 5 {
        return vec![*extent];
    }
    let mut bands: Vec<Extent> = Vec::new();
    for y in y0..y1 {
        // What stands on it may cover one end, but not all quarters.
        let quarters = [(x0 + xm) / 2, xm, (xm + x1) / 2];
        let across = own(x0, y) && own(x1 - 1, y) && quarters.iter().any(|&x| own(x, y));
        if !across {
            continue;
        }
        match bands.last_mut().filter(|band| band.y1 + 4 >= y) {
            Some(band) => band.y1 = y + 1,
            None => bands.push(Extent { x0, y0: y, x1, y1: y + 1 }),
        }
    }
    bands.retain(|band| band.height() >= 10);
    bands
}

/// Colour and width of the line around an extent: the same on three sides at least.
fn border(raster: &Raster, extent: &Extent, fill: u32) -> Option<(u32, u32)> {
    let [x0, y0, x1, y1] = [extent.x0, extent.y0, extent.x1, extent.y1].map(i64::from);
    let (xm, ym) = ((x0 + x1) / 2, (y0 + y1) / 2);
    let at = |x: i64, y: i64| {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        (x < raster.width() && y < raster.height()).then(|| raster.at(x, y))
    };
    let outward = |n: i64| [at(x0 - 1 - n, ym), at(x1 + n, ym), at(xm, y0 - 1 - n), at(xm, y1 + n)];
    let agreed = |seen: [Option<u32>; 4], color: u32| seen.iter().filter(|s| **s == Some(color)).count() >= 3;
    let first = outward(0);
    let color = first.into_iter().flatten().find(|&color| agreed(first, color)).filter(|&c| c != fill)?;
    let width = (1..=BORDER).find(|&n| !agreed(outward(i64::from(n)), color))?;
    Some((color, width))
}

/// A small square or round.
pub(crate) struct Square {
    pub(crate) area: FrameRect,
    extent: Extent,
}

/// The outermost small squares and rounds.
pub(crate) fn squares(flat: &Flat, unit: Unit, area: &dyn Fn(&Extent) -> FrameRect) -> Vec<Square> {
    let sides = unit.px(*MARK.start())..=unit.px(*MARK.end());
    let square = |e: &Extent| {
        sides.contains(&e.width()) && sides.contains(&e.height()) && e.width().abs_diff(e.height()) <= 1
    };
    let parts = flat.parts.iter().filter(|part| part.area > 24 && square(&part.extent));
    let found: Vec<Extent> = parts.map(|part| part.extent).collect();
    let outermost = |extent: &&Extent| !found.iter().any(|other| other != *extent && other.holds(extent));
    let mut squares: Vec<Extent> = found.iter().filter(outermost).copied().collect();
    squares.dedup();
    squares.into_iter().map(|extent| Square { area: area(&extent), extent }).collect()
}

/// Squares with what is written right of them: check boxes and radio buttons. One is on if something inside stands out
/// from what the words stand on.
pub(crate) fn marks(raster: &Raster, squares: Vec<Square>, lines: &[Line]) -> Vec<Mark> {
    let mark = |square: Square| {
        let label = lines.iter().position(|line| is_right_of(&line.area, &square.area))?;
        let ground = lines[label].ground;
        let inside = |from: u16, to: u16| {
            let rim = (to - from) * 28 / 100;
            usize::from(from + rim)..usize::from(to - rim)
        };
        let Extent { x0, y0, x1, y1 } = square.extent;
        let (columns, rows) = (inside(x0, x1), inside(y0, y1));
        let all = columns.len() * rows.len();
        let stands_out = |pixel: &&u32| distance(**pixel, ground) >= STANDS_OUT;
        let marked = rows.flat_map(|y| &raster.row(y)[columns.clone()]).filter(stands_out).count();
        Some(Mark { area: square.area, on: marked * 10 >= all, label })
    };
    squares.into_iter().filter_map(mark).collect()
}

/// Whether `line` begins right beside `mark`, at its height.
fn is_right_of(line: &FrameRect, mark: &FrameRect) -> bool {
    let gap = i64::from(line.origin.x) - mark.right();
    let middle = mark.center().y;
    let side = i64::from(mark.size.width);
    gap >= 0
        && gap <= side
        && i64::from(middle) > i64::from(line.origin.y) - 3
        && i64::from(middle) < line.bottom() + 3
}
