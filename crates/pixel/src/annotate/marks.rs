//! Boxes and their numbers.

use super::Mark;
use super::brush::{self, Patch};
use super::label::Label;
use crate::canvas::Color;
use crate::font::FontStack;
use crate::rgb::Rgb24;
use handsight_base::space::Size;

/// Of a box's border.
pub(super) const BORDER_PX: u32 = 2;
/// Grounds from this brightness on, of 255, carry black numbers.
const LIGHT: u32 = 140;

/// Draws all boxes, then all numbers, each at a corner of its box where no other number is and nothing else is `taken`.
pub(super) fn draw(picture: &mut Rgb24, marks: &[Mark], mut taken: Vec<Patch>, fonts: &mut FontStack) {
    let size = picture.size();
    let placed = || marks.iter().filter_map(|mark| Some((mark, Patch::inside(&mark.area, size)?)));
    for (mark, area) in placed() {
        brush::border(picture, area, BORDER_PX, mark.color);
    }
    for (mark, area) in placed() {
        let Some(number) = mark.number else { continue };
        let label = label(mark.color).draw(&number.to_string(), fonts);
        let at = corner(area, label.area().size, size, &taken);
        brush::lay(picture, &label, (at.left, at.top));
        taken.push(at);
    }
}

const fn label(ground: Color) -> Label {
    let Color { red, green, blue, .. } = ground;
    // What each channel adds to how bright a colour is, in hundredths.
    let bright = (30 * red as u32 + 59 * green as u32 + 11 * blue as u32) / 100;
    let ink = if bright >= LIGHT { Color::opaque(0, 0, 0) } else { Color::opaque(255, 255, 255) };
    Label { em: 13.0, ink, ground: Color { alpha: 255, ..ground }, margin: (3, 2) }
}

/// Outside of a box if there is room, so that what it holds stays to be seen; else within its top-left corner.
fn corner(area: Patch, label: Size, picture: Size, taken: &[Patch]) -> Patch {
    let right = area.right.saturating_sub(label.width).max(area.left);
    let above = area.top.checked_sub(label.height);
    let below = Some(area.bottom);
    let places = [(area.left, above), (right, above), (area.left, below), (right, below)];
    let free = |at: &Patch| {
        at.right <= picture.width && at.bottom <= picture.height && !taken.iter().any(|taken| taken.meets(at))
    };
    let mut outside = places.iter().filter_map(|&(left, top)| Some(Patch::at((left, top?), label)));
    outside.find(free).unwrap_or_else(|| Patch::at((area.left, area.top), label))
}
