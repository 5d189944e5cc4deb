//! How many events a primitive comes to.

use handsight_base::NOTCH;
use handsight_base::flow::action::{Axis, Primitive};

/// Clicks of a wheel for 120ths of a notch: rounded, at least one for anything but zero (S-30).
pub(crate) fn notches(units: i32) -> u32 {
    let notch = NOTCH.unsigned_abs();
    let rounded = (units.unsigned_abs() + notch / 2) / notch;
    if units == 0 { 0 } else { rounded.max(1) }
}

/// How many events a primitive asks for: presses, releases, moves and notches. What a layout needs around a character
/// is not counted, and a wheel that turns by less than a notch counts as the notches that come closest.
pub(crate) fn events_of(primitive: &Primitive) -> u32 {
    match primitive {
        Primitive::Move(_) | Primitive::Button { .. } | Primitive::Key { .. } => 1,
        Primitive::Char(_) => 2,
        Primitive::Wheel { axis: Axis::Vertical | Axis::Horizontal, units } => notches(*units),
        Primitive::Wait(_) => 0,
    }
}
