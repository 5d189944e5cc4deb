//! Clicks, drags and the wheel: each on the asked pixel, in the asked order, and nothing besides.

use super::stage::{Stage, Wanted, exactly, on, place, words};
use super::witness::{What, Which};
use super::{Finding, ensure};
use handsight_base::flow::action::{Action, Axis, Button, ScrollBy, Timing};
use handsight_base::flow::frame::{Frame, Shown};
use handsight_base::key::{Key, Modifiers};
use handsight_base::space::{FramePx, ScreenPx, ScreenRect, Size};

/// How many points each of the click checks clicks on.
const POINTS: usize = 2000;
/// In how many places windows are clicked.
const PLACES: usize = 40;

fn button(button: Button, down: bool) -> What {
    What::Button { button, down }
}

const fn key(key: Key, down: bool) -> What {
    What::Key { key: Some(key), down, repeat: false }
}

fn left(at: handsight_base::flow::action::Spot) -> Action {
    Action::Click { at: Some(at), button: Button::Left, count: 1, modifiers: Modifiers::NONE }
}

/// Clicks on pixels of a frame and compares with where they lie on the screen. Gives the worst distance.
fn click_on(stage: &mut Stage<'_>, frame: &Frame, points: &[FramePx]) -> Result<f64, String> {
    stage.geometry = frame.geometry;
    let mut path = vec![exactly(stage.witness.pointer())];
    let mut wanted = Vec::new();
    for point in points {
        let done = stage.act(left(on(&frame.geometry, *point)))?;
        ensure!(done.of == 3, "a click is three events, not {}", done.of);
        let at = Some(place(&frame.geometry, *point));
        path.extend(at);
        wanted.extend([true, false].map(|down| Wanted { what: button(Button::Left, down), at }));
    }
    stage.expect(&wanted, &path)
}

/// The corners first, then points along the edges, then anywhere.
fn points(stage: &mut Stage<'_>, size: Size, count: usize) -> Vec<FramePx> {
    let (right, bottom) = (size.width as i32 - 1, size.height as i32 - 1);
    let corners = [(0, 0), (right, 0), (0, bottom), (right, bottom)];
    let mut points: Vec<_> = corners.iter().map(|(x, y)| FramePx::new(*x, *y)).collect();
    for n in 0..count.saturating_sub(4) {
        let (x, y) = (stage.between(0, right + 1), stage.between(0, bottom + 1));
        points.push(match n % 20 {
            0 => FramePx::new(x, 0),
            1 => FramePx::new(x, bottom),
            2 => FramePx::new(0, y),
            3 => FramePx::new(right, y),
            _ => FramePx::new(x, y),
        });
    }
    points.truncate(count);
    points
}

fn told(count: usize, worst: f64, scale: f64) -> Finding {
    Ok(format!("{count} points at {:.0} %, 0 off by more than 1, the worst {worst:.2} off", scale * 100.0))
}

pub(super) fn clicks(stage: &mut Stage<'_>) -> Finding {
    stage.open(stage.screen);
    let display = stage.displays()?.swap_remove(0);
    clicks_on_display(stage, &display.name)
}

fn clicks_on_display(stage: &mut Stage<'_>, name: &str) -> Finding {
    let frame = stage.capture(Shown::Display(name.to_owned()), None, false)?;
    let points = points(stage, frame.size(), POINTS / stage.terms.one_in);
    let mut worst: f64 = 0.0;
    for round in points.chunks(stage.terms.round) {
        worst = worst.max(click_on(stage, &frame, round)?);
    }
    told(points.len(), worst, frame.geometry.scale)
}

pub(super) fn clicks_on_the_second_display(stage: &mut Stage<'_>) -> Finding {
    let displays = stage.displays()?;
    let [_, second, ..] = displays.as_slice() else {
        return Err(format!("there is no second display: {displays:?}"));
    };
    stage.open(second.area);
    clicks_on_display(stage, &second.name)
}

pub(super) fn clicks_in_moved_windows(stage: &mut Stage<'_>) -> Finding {
    let sees_windows = stage.desktop.info().capabilities.windows;
    let Size { width, height } = stage.screen.size;
    let start = stage.part(20, 20, 30, 30);
    stage.witness.open(Which::Main, start, 3, stage.terms.framed);
    let (mut worst, mut scale): (f64, f64) = (0.0, 1.0);
    let places = PLACES / stage.terms.one_in;
    for n in 0..places {
        // Even, so that its last pixel is whole at 150 % too, and no narrower than a frame's buttons.
        let size = (stage.between(110, width as i32 / 4) * 2, stage.between(45, height as i32 / 4) * 2);
        // Room for a frame around it, and for a bar of the system's.
        let x = stage.screen.origin.x + stage.between(10, width as i32 - size.0 - 10);
        let y = stage.screen.origin.y + stage.between(50, height as i32 - size.1 - 40);
        let client = ScreenRect::new(x, y, size.0 as u32, size.1 as u32);
        stage.witness.place(Which::Main, client);
        stage.forget();
        let frame = if sees_windows {
            let id = super::windows::main_window(stage)?;
            let now = stage.desktop.window(id).map_err(words)?;
            ensure!(now.client == client, "the window is at {client}, and is said to be at {}", now.client);
            let frame = stage.capture(Shown::Window(id.0), None, false)?;
            let origin = frame.geometry.origin;
            ensure!(origin == client.origin, "the window at {client} was captured at {origin}");
            frame
        } else {
            stage.capture(Shown::AllDisplays, Some(client), false)?
        };
        let points = points(stage, frame.size(), POINTS / PLACES);
        for round in points.chunks(stage.terms.round) {
            let off = click_on(stage, &frame, round);
            worst = worst.max(off.map_err(|why| format!("at place {n}, {client}: {why}"))?);
        }
        scale = frame.geometry.scale;
    }
    told(POINTS / PLACES * places, worst, scale).map(|told| format!("{told}, in {places} places"))
}

/// Clicks with everything about it as asked, at places of the main window.
fn click_as(stage: &mut Stage<'_>, with: Button, count: u8, modifiers: Modifiers) -> Result<(), String> {
    let inside = stage.part(20, 20, 60, 60);
    let at = inside
        .origin
        .offset(stage.between(0, inside.size.width as i32), stage.between(0, inside.size.height as i32));
    let path = [exactly(stage.witness.pointer()), exactly(at)];
    let spot = stage.spot(at)?;
    stage.act(Action::Click { at: Some(spot), button: with, count, modifiers })?;
    let place = Some(exactly(at));
    let mut wanted: Vec<Wanted> =
        modifiers.keys().map(|held| Wanted { what: key(held, true), at: place }).collect();
    for _ in 0..count {
        wanted.extend([true, false].map(|down| Wanted { what: button(with, down), at: place }));
    }
    wanted.extend(modifiers.keys().rev().map(|held| Wanted { what: key(held, false), at: place }));
    stage.expect(&wanted, &path).map(drop).map_err(|why| format!("{with:?} {count} times: {why}"))
}

pub(super) fn buttons(stage: &mut Stage<'_>) -> Finding {
    stage.open(stage.part(10, 10, 80, 80));
    for with in [Button::Left, Button::Middle, Button::Right] {
        for count in 1..=4 {
            click_as(stage, with, count, Modifiers::NONE)?;
        }
    }
    Ok("3 buttons, 1 to 4 clicks".to_owned())
}

pub(super) fn side_buttons(stage: &mut Stage<'_>) -> Finding {
    stage.open(stage.part(10, 10, 80, 80));
    for with in [Button::Back, Button::Forward] {
        click_as(stage, with, 1, Modifiers::NONE)?;
    }
    Ok("2 buttons".to_owned())
}

pub(super) fn clicks_with_modifiers(stage: &mut Stage<'_>) -> Finding {
    stage.open(stage.part(10, 10, 80, 80));
    let all = [
        Modifiers { control: true, ..Modifiers::NONE },
        Modifiers { shift: true, ..Modifiers::NONE },
        Modifiers { control: true, shift: true, ..Modifiers::NONE },
        Modifiers { control: true, alt: true, shift: true, super_: false },
    ];
    for modifiers in all {
        click_as(stage, Button::Left, 1, modifiers)?;
        click_as(stage, Button::Left, 2, modifiers)?;
    }
    Ok(format!("{} sets of modifiers", all.len()))
}

/// Every place along straight legs, a unit apart.
fn along(corners: &[ScreenPx]) -> Vec<(f64, f64)> {
    let mut path = vec![exactly(corners[0])];
    for leg in corners.windows(2) {
        let ((fx, fy), (tx, ty)) = (exactly(leg[0]), exactly(leg[1]));
        let steps = (tx - fx).abs().max((ty - fy).abs()).max(1.0) as u32;
        path.extend((1..=steps).map(|n| {
            let share = f64::from(n) / f64::from(steps);
            (fx + (tx - fx) * share, fy + (ty - fy) * share)
        }));
    }
    path
}

pub(super) fn drags(stage: &mut Stage<'_>) -> Finding {
    const DRAGS: usize = 20;
    let window = stage.part(10, 10, 80, 80);
    stage.open(window);
    let (mut moves, mut legs) = (0, 0);
    for n in 0..DRAGS {
        let mut corners = Vec::new();
        for _ in 0..2 + n % 4 {
            let x = stage.between(5, window.size.width as i32 - 5);
            let y = stage.between(5, window.size.height as i32 - 5);
            corners.push(window.origin.offset(x, y));
        }
        let with = [Button::Left, Button::Middle, Button::Right][n % 3];
        let spots = corners.iter().map(|at| stage.spot(*at)).collect::<Result<Vec<_>, _>>()?;
        stage.act(Action::Drag { path: spots, button: with, modifiers: Modifiers::NONE })?;
        let events = stage.seen(2);
        let pressed = events.iter().position(|e| e.what == button(with, true));
        let released = events.iter().position(|e| e.what == button(with, false));
        let (Some(pressed), Some(released)) = (pressed, released) else {
            return Err(format!("no press or no release in {events:?}"));
        };
        let between = released.saturating_sub(pressed + 1);
        // What programs take for a drag is a motion; a jump from end to end is none.
        let distance = along(&corners).len();
        let step = Timing::default().drag_step as usize;
        ensure!(between * step * 2 >= distance, "a drag over {distance} units came as {between} moves");
        (moves, legs) = (moves + between, legs + corners.len() - 1);
        let path: Vec<_> = std::iter::once(exactly(events[0].screen)).chain(along(&corners)).collect();
        let (first, last) = (exactly(corners[0]), exactly(corners[corners.len() - 1]));
        let wanted = [(true, first), (false, last)]
            .map(|(down, at)| Wanted { what: button(with, down), at: Some(at) });
        stage.expect(&wanted, &path).map_err(|why| format!("along {corners:?}: {why}"))?;
    }
    Ok(format!("{DRAGS} drags of {legs} legs, {moves} moves"))
}

/// Turns the wheel by each of these and sums up what came.
fn turn(stage: &mut Stage<'_>, axis: Axis, all: &[i32]) -> Result<(), String> {
    let window = stage.part(10, 10, 80, 80);
    stage.open(window);
    let at = window.center();
    let to = stage.spot(at)?;
    stage.act(Action::Move { to })?;
    stage.forget();
    for units in all {
        let (dx, dy) = if axis == Axis::Vertical { (0, *units) } else { (*units, 0) };
        let by = ScrollBy::Units { dx, dy };
        stage.act(Action::Scroll { at: None, by, modifiers: Modifiers::NONE })?;
        let mut sum = 0;
        crate::wait::before(stage.terms.patience, || {
            sum = stage.witness.events().iter().map(|e| turned(e.what, axis)).sum::<i32>();
            (sum == *units).then_some(())
        });
        let events = stage.witness.events();
        ensure!(sum == *units, "asked to turn by {units}, it was turned by {sum}: {events:?}");
        let (sign, moved) = (units.signum(), stage.witness.pointer());
        for event in &events {
            let wheel = matches!(event.what, What::Wheel { axis: along, units } if along == axis && units.signum() == sign);
            let rest = event.what == What::Move && event.screen == at;
            ensure!(wheel || rest, "asked to turn by {units} {axis:?}, got {event:?}");
            ensure!(event.screen == at, "turned at {}, not at {at}", event.screen);
        }
        ensure!(moved == at, "turning the wheel moved the pointer from {at} to {moved}");
        stage.witness.forget();
    }
    Ok(())
}

fn turned(what: What, along: Axis) -> i32 {
    match what {
        What::Wheel { axis, units } if axis == along => units,
        What::Wheel { .. } | What::Move | What::Button { .. } | What::Key { .. } => 0,
    }
}

pub(super) fn wheel(stage: &mut Stage<'_>) -> Finding {
    let all = [240, -120, 120, 120 * 15, -120 * 7, 0];
    turn(stage, Axis::Vertical, &all)?;
    Ok(format!("{all:?} units"))
}

pub(super) fn wheel_sideways(stage: &mut Stage<'_>) -> Finding {
    let all = [240, -120, 120 * 5];
    turn(stage, Axis::Horizontal, &all)?;
    Ok(format!("{all:?} units"))
}

pub(super) fn wheel_in_units(stage: &mut Stage<'_>) -> Finding {
    let all = [30, -45, 170, -1];
    turn(stage, Axis::Vertical, &all)?;
    Ok(format!("{all:?} units"))
}

pub(super) fn click_at(stage: &mut Stage<'_>, at: ScreenPx) -> Result<f64, String> {
    let path = [exactly(stage.witness.pointer()), exactly(at)];
    let spot = stage.spot(at)?;
    stage.act(left(spot))?;
    let wanted = [true, false].map(|down| Wanted { what: button(Button::Left, down), at: Some(exactly(at)) });
    stage.expect(&wanted, &path)
}
