//! The conformance suite of handsight on a terminal: all of it with cells of an ordinary size, and what compares pixels with cells of
//! one by two, so small that the witness can paint every pixel in a colour of its own.

use crate::rig::rig;
use handsight_base::space::Size;
use handsight_testkit::conformance::{Rig, Terms};
use terminal_backend::Look;

/// What takes a pixel of its own to show.
macro_rules! by_pixels {
    ($($check:ident),*) => {
        const BY_PIXELS: &[&str] = &[$(stringify!($check)),*];

        mod cells_of_two_pixels {
            $(
                #[test]
                fn $check() {
                    handsight_testkit::conformance::run(stringify!($check), super::pixels);
                }
            )*
        }
    };
}
by_pixels!(
    resolution,
    pictures,
    regions,
    every_display,
    fresh_pictures,
    held_pictures,
    pointer_where_it_is,
    clicks
);

const LARGE: &str = "in a cell of 10x20 pixels a program cannot choose each; shown with cells of 1x2";

const LACKS: &[(&str, &str)] = &[
    ("clicks_on_the_second_display", "a terminal is one screen"),
    ("wheel_in_units", "a notch is the least that a report of the wheel says"),
    ("text_by_units", "a key or a text is a character, whatever its UTF-16 units"),
    ("pointer_at_its_hot_spot", "the pointer is the terminal's; no program gives it pixels"),
    ("finds", "a terminal has no windows"),
    ("focuses", "a terminal has no windows"),
    ("places", "a terminal has no windows"),
    ("resolution", LARGE),
    ("pictures", LARGE),
    ("regions", LARGE),
    ("every_display", LARGE),
    ("fresh_pictures", LARGE),
    ("held_pictures", LARGE),
    ("pointer_where_it_is", LARGE),
];

pub(crate) fn cells() -> Option<Rig> {
    let look = Look::builtin(16.0).with_cell(Size::new(10, 20));
    Some(rig(look, (640, 400), Terms { lacks: LACKS, ..Terms::of("terminal") }))
}

fn pixels() -> Option<Rig> {
    let look = Look::builtin(2.0).with_cell(Size::new(1, 2));
    Some(rig(look, (640, 400), Terms::of("terminal with cells of 1x2 pixels")))
}

handsight_testkit::conformance! { cells; all }

#[test]
fn what_large_cells_cannot_show_small_ones_do() {
    for (check, _) in LACKS.iter().filter(|(_, why)| *why == LARGE) {
        assert!(BY_PIXELS.contains(check), "{check}");
    }
}
