//! Which part of the screen a picture is to show: the same arithmetic for every backend, also those written elsewhere.
//!
//! What lies outside of what is shown is refused in words; nothing is moved inside.

use crate::port::desktop::{DesktopError, Display};
use crate::space::ScreenRect;

/// The area of the display called `name`.
pub fn named(displays: &[Display], name: &str) -> Result<ScreenRect, DesktopError> {
    displays.iter().find(|d| d.name == name).map(|d| d.area).ok_or_else(|| DesktopError::NoSuchDisplay {
        name: name.to_owned(),
        there: displays.iter().map(|d| d.name.clone()).collect(),
    })
}

/// The smallest rectangle around all displays.
pub fn all(displays: &[Display]) -> ScreenRect {
    displays.iter().map(|d| d.area).fold(ScreenRect::new(0, 0, 0, 0), |all, area| all.union(&area))
}

/// The part of what is shown that is asked for and that the screen has.
pub fn cut(
    (shown, screen): (ScreenRect, ScreenRect),
    region: Option<ScreenRect>,
) -> Result<ScreenRect, DesktopError> {
    let outside = |what: ScreenRect| DesktopError::Capture {
        why: format!("{what} lies outside of what is shown, {shown} on a screen of {}", screen.size),
        code: None,
    };
    let seen = shown.intersect(&screen).ok_or_else(|| outside(shown))?;
    region.map_or(Ok(seen), |region| region.intersect(&seen).ok_or_else(|| outside(region)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_cut_to_what_is_shown_and_to_the_screen() {
        let screen = ScreenRect::new(-1920, 0, 3840, 1080);
        let left = ScreenRect::new(-1920, 0, 1920, 1080);
        assert_eq!(cut((left, screen), None), Ok(left));
        let over = ScreenRect::new(-10, -10, 20, 20);
        assert_eq!(cut((left, screen), Some(over)), Ok(ScreenRect::new(-10, 0, 10, 10)));
        let hanging = ScreenRect::new(1900, 1000, 200, 200);
        assert_eq!(cut((hanging, screen), None), Ok(ScreenRect::new(1900, 1000, 20, 80)));
        let elsewhere = cut((left, screen), Some(ScreenRect::new(5, 5, 5, 5)));
        assert!(elsewhere.is_err_and(|e| e.to_string().contains("outside")));
    }

    #[test]
    fn all_displays_are_one_rectangle_with_its_corner_wherever_it_is() {
        let display = |name: &str, area| Display { name: name.into(), area, primary: false, scale: 1.0 };
        let displays = [
            display("A", ScreenRect::new(0, 0, 1280, 720)),
            display("B", ScreenRect::new(-1920, -360, 1920, 1080)),
        ];
        assert_eq!(all(&displays), ScreenRect::new(-1920, -360, 3200, 1080));
        assert_eq!(named(&displays, "B"), Ok(displays[1].area));
        let Err(DesktopError::NoSuchDisplay { there, .. }) = named(&displays, "C") else {
            panic!("there is no C");
        };
        assert_eq!(there, ["A", "B"]);
    }
}
