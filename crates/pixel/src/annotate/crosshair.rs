//! The crosshair: four arms that point at one pixel and leave it and its surroundings free.

use super::Place;
use super::brush::{self, Patch};
use crate::canvas::Color;
use crate::rgb::Rgb24;

const CORE: Color = Color::opaque(255, 0, 0);
/// Around the core, so that it is seen on red too.
const RIM: Color = Color::opaque(255, 255, 255);
/// From the pointer's pixel to the first of an arm.
pub(super) const GAP: u32 = 5;
/// And to the first beyond it.
pub(super) const REACH: u32 = 25;

/// Draws the arms along the pointer's column and row: three pixels wide, with a rim of one on both sides.
pub(super) fn draw(picture: &mut Rgb24, (column, row): Place) {
    let near = |v: u32| (v.saturating_sub(REACH - 1), (v + 1).saturating_sub(GAP));
    let far = |v: u32| (v + GAP, v + REACH);
    for (left, right) in [near(column), far(column)] {
        arm(picture, |wide| Patch { left, right, top: row.saturating_sub(wide), bottom: row + wide + 1 });
    }
    for (top, bottom) in [near(row), far(row)] {
        arm(picture, |wide| Patch {
            left: column.saturating_sub(wide),
            right: column + wide + 1,
            top,
            bottom,
        });
    }
}

/// Draws an arm of which the caller says what it covers with so many pixels on each side of its middle.
fn arm(picture: &mut Rgb24, covers: impl Fn(u32) -> Patch) {
    brush::fill(picture, covers(2), RIM);
    brush::fill(picture, covers(1), CORE);
}
