//! The displays of a VNC server: the screens of its extended desktop size, or the one framebuffer.
//!
//! A screen unit is a pixel of the framebuffer, its corner is (0, 0), and the scale is 1. This module refuses to believe in
//! screens outside of the framebuffer.

use super::trouble::Trouble;
use super::wire::Wire;
use handsight_base::port::desktop::{DesktopError, Display};
use handsight_base::space::ScreenRect;

/// The screens of an extended desktop size, in the server's order.
pub(crate) fn read(wire: &mut Wire) -> Result<Vec<ScreenRect>, Trouble> {
    let [count, ..] = wire.array::<4>()?;
    let mut screens = Vec::with_capacity(count.into());
    for _ in 0..count {
        let _id = wire.u32()?;
        let [x, y, width, height] = [wire.u16()?, wire.u16()?, wire.u16()?, wire.u16()?];
        let _flags = wire.u32()?;
        screens.push(ScreenRect::new(x.into(), y.into(), width.into(), height.into()));
    }
    Ok(screens)
}

/// Every display, the primary first. One that covers everything is called `screen`, several `screen1`, `screen2` and so on.
pub(crate) fn displays(screens: &[ScreenRect], whole: ScreenRect) -> Vec<Display> {
    let mut areas: Vec<ScreenRect> = screens.iter().filter_map(|s| s.intersect(&whole)).collect();
    if areas.is_empty() {
        areas.push(whole);
    }
    let one = areas.len() == 1;
    let display = |(n, area): (usize, &ScreenRect)| Display {
        name: if one { "screen".to_owned() } else { format!("screen{}", n + 1) },
        area: *area,
        primary: n == 0,
        scale: 1.0,
    };
    areas.iter().enumerate().map(display).collect()
}

/// The area of the display called `name`.
pub(crate) fn named(displays: &[Display], name: &str) -> Result<ScreenRect, DesktopError> {
    displays.iter().find(|d| d.name == name).map(|d| d.area).ok_or_else(|| DesktopError::NoSuchDisplay {
        name: name.to_owned(),
        there: displays.iter().map(|d| d.name.clone()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displays_lie_inside_and_one_is_primary() {
        let whole = ScreenRect::new(0, 0, 1000, 500);
        let names = |screens: &[ScreenRect]| -> Vec<(String, bool)> {
            displays(screens, whole).into_iter().map(|d| (d.name, d.primary)).collect()
        };
        assert_eq!(names(&[]), [("screen".to_owned(), true)]);
        assert_eq!(names(&[ScreenRect::new(2000, 0, 10, 10)]), [("screen".to_owned(), true)]);
        let two = [ScreenRect::new(0, 0, 500, 500), ScreenRect::new(500, 0, 600, 500)];
        assert_eq!(names(&two), [("screen1".to_owned(), true), ("screen2".to_owned(), false)]);
        assert_eq!(displays(&two, whole)[1].area, ScreenRect::new(500, 0, 500, 500));
        assert!(matches!(named(&displays(&two, whole), "DP-1"), Err(DesktopError::NoSuchDisplay { .. })));
    }
}
