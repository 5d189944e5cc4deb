//! What the witness painted is what is captured: its colours, its place, and nothing older.

use super::stage::{Stage, words};
use super::witness::{Which, pattern};
use super::{Finding, ensure};
use crate::wait::before;
use crate::witness_protocol::{CURSOR_HOT, CURSOR_SIDE};
use handsight_base::flow::action::Action;
use handsight_base::flow::frame::{Frame, Shown};
use handsight_base::port::desktop::DesktopError;
use handsight_base::space::{ScreenPx, ScreenRect};

/// A pointer reaches at most this far from the pixel it points with, also where everything is drawn at 200 %.
const POINTER_REACH: i32 = 64;

/// Blue, green, red of each pixel, row by row.
type Colours = Vec<[u8; 3]>;

/// Every pixel of `area` as the frame has it; `None` where the frame ends before it.
fn cut(frame: &Frame, area: ScreenRect) -> Option<Colours> {
    let (view, origin, scale) = (frame.view(), frame.geometry.origin, frame.geometry.scale);
    let pixel = |unit: i64| u32::try_from(((unit as f64 + 0.5) * scale).floor() as i64).ok();
    let mut colours = Vec::with_capacity(area.size.area() as usize);
    for y in i64::from(area.origin.y)..area.bottom() {
        let row = pixel(y - i64::from(origin.y))?;
        for x in i64::from(area.origin.x)..area.right() {
            colours.push(view.bgr(pixel(x - i64::from(origin.x))?, row)?);
        }
    }
    Some(colours)
}

/// The frame shows this area and nothing besides. Its last pixels may be halves of a unit.
fn covers(frame: &Frame, area: ScreenRect) -> Result<(), String> {
    let geometry = &frame.geometry;
    let shown = geometry.screen_rect(geometry.whole());
    let slack = u32::from(geometry.scale.fract() != 0.0);
    let more = |shown: u32, wanted: u32| shown >= wanted && shown - wanted <= slack;
    let whole = more(shown.size.width, area.size.width) && more(shown.size.height, area.size.height);
    ensure!(shown.origin == area.origin && whole, "{area} was captured as {shown}");
    Ok(())
}

/// The pattern in a window's client area, from `part`'s corner on.
fn painted(window: ScreenRect, part: ScreenRect, seed: u32) -> Colours {
    let (left, top) = ((part.origin.x - window.origin.x) as u32, (part.origin.y - window.origin.y) as u32);
    let rows = top..top + part.size.height;
    rows.flat_map(|y| (left..left + part.size.width).map(move |x| pattern(seed, x, y))).collect()
}

/// How two pictures of one area differ, or nothing.
fn differ(area: ScreenRect, seen: &[[u8; 3]], wanted: &[[u8; 3]]) -> Result<(), String> {
    let wrong = seen.iter().zip(wanted).filter(|(a, b)| a != b).count();
    let Some(first) = seen.iter().zip(wanted).position(|(a, b)| a != b) else { return Ok(()) };
    let width = area.size.width as usize;
    let at = area.origin.offset((first % width) as i32, (first / width) as i32);
    let (is, was) = (seen[first], wanted[first]);
    Err(format!(
        "{wrong} of {} pixels of {area} differ, first {at}: captured {is:?}, painted {was:?}",
        seen.len()
    ))
}

/// Asks for pictures until one has the pattern in its place, for as long as an older one is allowed.
fn until_shown(
    stage: &mut Stage<'_>,
    window: ScreenRect,
    seed: u32,
    mut take: impl FnMut(&mut Stage<'_>) -> Result<Frame, String>,
) -> Result<Frame, String> {
    let wanted = painted(window, window, seed);
    let mut last = Err("nothing was captured".to_owned());
    before(stage.terms.late, || {
        last = take(stage).and_then(|frame| {
            let seen = cut(&frame, window).ok_or_else(|| format!("{window} is not in the frame"))?;
            differ(window, &seen, &wanted).map(|()| frame)
        });
        last.is_ok().then_some(())
    });
    last
}

/// The pattern is in a picture of everything, in its place.
pub(super) fn shows(stage: &mut Stage<'_>, window: ScreenRect, seed: u32) -> Result<Frame, String> {
    until_shown(stage, window, seed, |stage| stage.look())
}

/// Places of a window that no rounding lets through by chance.
fn odd_places(stage: &Stage<'_>) -> [ScreenRect; 4] {
    let (at, size) = (stage.screen.origin, stage.screen.size);
    let (right, bottom) = (size.width as i32 - 97, size.height as i32 - 61);
    [
        ScreenRect::new(at.x, at.y, 131, 73),
        ScreenRect::new(at.x + 37, at.y + 53, 160, 121),
        ScreenRect::new(at.x + right, at.y + bottom, 97, 61),
        ScreenRect::new(at.x + right / 2, at.y + bottom / 2, 33, 35),
    ]
}

pub(super) fn pictures(stage: &mut Stage<'_>) -> Finding {
    let mut pixels = 0;
    for (n, window) in odd_places(stage).into_iter().enumerate() {
        let seed = 10 + n as u32;
        stage.witness.open(Which::Main, window, seed, false);
        shows(stage, window, seed)?;
        if stage.desktop.info().capabilities.windows {
            let id = super::windows::main_window(stage)?;
            let frame =
                until_shown(stage, window, seed, |stage| stage.capture(Shown::Window(id.0), None, false))?;
            covers(&frame, window).map_err(|why| format!("a window: {why}"))?;
        }
        pixels += window.size.area();
    }
    stage.forget();
    Ok(format!("{pixels} pixels in 4 places, each its own colour"))
}

pub(super) fn regions(stage: &mut Stage<'_>) -> Finding {
    let window = odd_places(stage)[1];
    stage.witness.open(Which::Main, window, 4, false);
    shows(stage, window, 4)?;
    let at = window.origin;
    let parts = [(0, 0, 1, 1), (159, 120, 1, 1), (7, 13, 101, 57), (1, 0, 159, 121), (0, 0, 160, 121)];
    for (x, y, width, height) in parts {
        let part = ScreenRect::new(at.x + x, at.y + y, width, height);
        let frame = stage.capture(Shown::AllDisplays, Some(part), false)?;
        covers(&frame, part)?;
        let seen = cut(&frame, part).ok_or_else(|| format!("{part} is not in its frame"))?;
        differ(part, &seen, &painted(window, part, 4))?;
    }
    let all = stage.geometry.screen_rect(stage.geometry.whole());
    let corner = ScreenPx::new(all.right() as i32 - 20, all.origin.y - 5);
    let over = ScreenRect::new(corner.x, corner.y, 100, 10);
    let cut = stage.capture(Shown::AllDisplays, Some(over), false)?;
    let wanted = ScreenRect::new(corner.x, all.origin.y, 20, 5);
    covers(&cut, wanted).map_err(|why| format!("{over} hangs over {all}: {why}"))?;
    let outside = ScreenRect::new(all.right() as i32 + 10, all.origin.y, 10, 10);
    let request = stage.request(Shown::AllDisplays, Some(outside), false);
    let refused = stage.desktop.capture(&request);
    ensure!(matches!(refused, Err(DesktopError::Capture { .. })), "outside of the screen: {refused:?}");
    stage.forget();
    Ok(format!("{} parts, one over the edge, one outside", parts.len()))
}

pub(super) fn every_display(stage: &mut Stage<'_>) -> Finding {
    let displays = stage.displays()?;
    for (n, display) in displays.iter().enumerate() {
        let area = display.area;
        let window = ScreenRect::new(area.origin.x + 11, area.origin.y + 23, 120, 77);
        let seed = 50 + n as u32;
        stage.witness.open(Which::Main, window, seed, false);
        shows(stage, window, seed)?;
        let name = display.name.clone();
        let one = |stage: &mut Stage<'_>| stage.capture(Shown::Display(name.clone()), None, false);
        let frame = until_shown(stage, window, seed, one)?;
        covers(&frame, area).map_err(|why| format!("display {:?}: {why}", display.name))?;
        let scale = frame.geometry.scale;
        ensure!((scale - display.scale).abs() < 1e-9, "its scale is {}, captured was {scale}", display.scale);
    }
    let all = displays.iter().map(|d| d.area).fold(displays[0].area, |all, area| all.union(&area));
    covers(&stage.look()?, all).map_err(|why| format!("all displays: {why}"))?;
    let request = stage.request(Shown::Display("nowhere at all".to_owned()), None, false);
    let refused = stage.desktop.capture(&request);
    let named = matches!(&refused, Err(DesktopError::NoSuchDisplay { name, .. }) if name == "nowhere at all");
    ensure!(named, "a display that is not there: {refused:?}");
    stage.forget();
    Ok(format!("{} displays", displays.len()))
}

pub(super) fn fresh_pictures(stage: &mut Stage<'_>) -> Finding {
    const TIMES: u32 = 50;
    let window = odd_places(stage)[1];
    stage.open(window);
    for seed in 100..100 + TIMES {
        stage.witness.paint(Which::Main, seed);
        shows(stage, window, seed)?;
    }
    stage.forget();
    Ok(format!("{TIMES} pictures one after the other"))
}

pub(super) fn held_pictures(stage: &mut Stage<'_>) -> Finding {
    const HELD: u32 = 6;
    let window = odd_places(stage)[1];
    stage.open(window);
    let mut held = Vec::new();
    for seed in 200..200 + HELD {
        stage.witness.paint(Which::Main, seed);
        held.push((seed, shows(stage, window, seed)?));
    }
    for (seed, frame) in &held {
        let seen = cut(frame, window).ok_or("the frame has shrunk")?;
        differ(window, &seen, &painted(window, window, *seed))
            .map_err(|why| format!("a held frame: {why}"))?;
    }
    stage.forget();
    Ok(format!("{HELD} frames held at once"))
}

/// The window, and places in it: anywhere, and where the pointer's picture hangs over the edge of the screen.
fn pointer_places(stage: &mut Stage<'_>) -> (ScreenRect, Vec<ScreenPx>) {
    let (at, size) = (stage.screen.origin, stage.screen.size);
    let window = ScreenRect::new(at.x, at.y, size.width.min(200), size.height.min(150));
    // The corner is not the first: where a system takes the pointer to be already, it is not moved to.
    let mut places = vec![at.offset(100, 90), at, at.offset(1, 3), at.offset(100, 0), at.offset(0, 90)];
    places.extend((0..6).map(|_| at.offset(stage.between(40, 150), stage.between(40, 100))));
    (window, places)
}

/// Moves there and takes the picture without and with the pointer.
fn with_and_without(
    stage: &mut Stage<'_>,
    window: ScreenRect,
    at: ScreenPx,
) -> Result<(Colours, Colours), String> {
    let to = stage.spot(at)?;
    stage.act(Action::Move { to })?;
    before(stage.terms.patience, || (stage.witness.pointer() == at).then_some(()));
    let mut both = Vec::new();
    // A program gives the pointer its shape when it hears of it.
    before(stage.terms.patience, || {
        both = [false, true]
            .into_iter()
            .filter_map(|cursor| {
                let frame = stage.capture(Shown::AllDisplays, None, cursor).ok()?;
                (frame.cursor == cursor).then(|| cut(&frame, window))?
            })
            .collect();
        (both.len() == 2 && both[0] != both[1]).then_some(())
    });
    match (both.pop(), both.pop()) {
        (Some(with), Some(without)) => Ok((without, with)),
        _ => Err(format!("with the pointer at {at}, a frame does not say rightly whether it is in it")),
    }
}

pub(super) fn pointer_at_its_hot_spot(stage: &mut Stage<'_>) -> Finding {
    let (window, places) = pointer_places(stage);
    stage.open(window);
    stage.witness.cursor();
    for at in &places {
        let (without, with) = with_and_without(stage, window, *at)?;
        differ(window, &without, &painted(window, window, 1))?;
        let square = at.offset(-CURSOR_HOT.x, -CURSOR_HOT.y);
        let square = ScreenRect::new(square.x, square.y, CURSOR_SIDE, CURSOR_SIDE);
        let mut wanted = without;
        for (n, colour) in wanted.iter_mut().enumerate() {
            let width = window.size.width as usize;
            let here = window.origin.offset((n % width) as i32, (n / width) as i32);
            if here == *at {
                *colour = [255, 255, 255];
            } else if square.contains(here) {
                *colour = [0, 0, 255];
            }
        }
        differ(window, &with, &wanted).map_err(|why| format!("with the pointer at {at}: {why}"))?;
    }
    stage.forget();
    Ok(format!("{} places, pixel by pixel", places.len()))
}

pub(super) fn pointer_where_it_is(stage: &mut Stage<'_>) -> Finding {
    let (window, places) = pointer_places(stage);
    stage.open(window);
    for at in &places {
        let (without, with) = with_and_without(stage, window, *at)?;
        differ(window, &without, &painted(window, window, 1))?;
        let width = window.size.width as usize;
        let changed = (0..with.len())
            .filter(|n| with[*n] != without[*n])
            .map(|n| window.origin.offset((n % width) as i32, (n / width) as i32));
        let reach = ScreenRect::new(
            at.x - POINTER_REACH,
            at.y - POINTER_REACH,
            2 * POINTER_REACH as u32,
            2 * POINTER_REACH as u32,
        );
        let changed: Vec<ScreenPx> = changed.collect();
        ensure!(!changed.is_empty(), "the pointer at {at} is not in the picture");
        let far = changed.iter().find(|p| !reach.contains(**p));
        ensure!(far.is_none(), "the pointer is at {at}, and the picture changed at {far:?}");
        // Its hot spot lies on it or at its edge, whatever it looks like.
        let near = changed.iter().any(|p| (p.x - at.x).abs() <= 3 && (p.y - at.y).abs() <= 3);
        ensure!(near, "the pointer at {at} was drawn elsewhere, first at {}", changed[0]);
    }
    stage.forget();
    let can = stage.desktop.info().capabilities.pointer;
    if can {
        let told = stage.desktop.pointer().map_err(words)?;
        ensure!(told == places.last().copied(), "the pointer is at {:?}, said is {told:?}", places.last());
    }
    Ok(format!("{} places", places.len()))
}
