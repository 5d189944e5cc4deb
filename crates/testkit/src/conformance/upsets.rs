//! What must hold when things change under the hands: focus, windows, the screen, the turn itself.

use super::pointer::click_at;
use super::stage::{Stage, exactly, words};
use super::witness::{Deed, Seen, What, Which};
use super::{Finding, ensure, strays};
use crate::wait::before;
use handsight_base::flow::action::{Action, Button, Timing};
use handsight_base::flow::frame::Shown;
use handsight_base::key::Modifiers;
use handsight_base::port::desktop::DesktopError;
use handsight_base::space::{ScreenRect, Size};
use handsight_base::stop::{Stop, StopReason};
use std::time::Duration;

/// Slow enough that something can happen in the middle.
fn slow() -> Timing {
    Timing { type_interval: Duration::from_millis(3), ..Timing::default() }
}

fn nothing() -> Box<dyn FnOnce() + Send> {
    Box::new(|| {})
}

pub(super) fn nothing_unasked(stage: &mut Stage<'_>) -> Finding {
    let window = stage.part(10, 10, 60, 60);
    stage.open(window);
    click_at(stage, window.center())?;
    let can = stage.desktop.info().capabilities;
    for round in 0..10 {
        stage.look()?;
        let displays = stage.displays()?;
        stage.capture(Shown::Display(displays[0].name.clone()), Some(window), round % 2 == 0)?;
        if can.windows {
            stage.desktop.windows().map_err(words)?;
        }
        if can.pointer {
            let (told, is) = (stage.desktop.pointer().map_err(words)?, stage.witness.pointer());
            ensure!(told == Some(is), "the pointer is at {is}, the desktop says {told:?}");
        }
        if can.damage {
            stage.desktop.damage_since(None).map_err(words)?;
        }
        if can.clipboard {
            stage.desktop.clipboard().map_err(words)?;
        }
        stage.desktop.release_all().map_err(words)?;
    }
    stage.act(Action::Wait { millis: 200 })?;
    let pointer = stage.witness.pointer();
    ensure!(pointer == window.center(), "the pointer was left at {}, and is at {pointer}", window.center());
    stage.nothing_more()?;
    Ok("10 rounds of looking".to_owned())
}

pub(super) fn focus_loss(stage: &mut Stage<'_>) -> Finding {
    const ROUNDS: usize = 5;
    let (main, other) = (stage.part(5, 5, 40, 40), stage.part(50, 50, 40, 40));
    let text = "The quick brown fox jumps over the lazy dog, 0123456789 times and again.";
    for round in 0..ROUNDS {
        stage.witness.open(Which::Other, other, 2, false);
        stage.open(main);
        stage.witness.at(20 + round as u32 * 7, Deed::Unfocus, nothing());
        let done = stage.attempt(Action::typed(text), &slow(), &Stop::new())?;
        if let Some(astray) = stage.terms.astray {
            strays::ended(stage, done, text, astray)?;
            stage.witness.close(Which::Other);
            stage.forget();
            continue;
        }
        let done = done.map_err(words)?;
        ensure!(done.complete && done.events == done.of, "the text was not typed whole: {done:?}");
        let (mut first, mut second) = (String::new(), String::new());
        before(stage.terms.patience, || {
            first = stage.witness.text(Which::Main);
            second = stage.witness.text(Which::Other);
            (first.len() + second.len() >= text.len()).then_some(())
        });
        ensure!(format!("{first}{second}") == text, "arrived {first:?}, then {second:?}");
        ensure!(!first.is_empty() && !second.is_empty(), "the focus was not lost in the middle: {first:?}");
        stage.quiet()?;
        let events = stage.witness.events();
        ensure!(!events.iter().any(|e| !matches!(e.what, What::Key { .. })), "{events:?}");
        stage.witness.close(Which::Other);
        stage.forget();
    }
    Ok(format!("{ROUNDS} times {} characters", text.len()))
}

pub(super) fn close_mid_action(stage: &mut Stage<'_>) -> Finding {
    const ROUNDS: usize = 3;
    let window = stage.part(10, 10, 70, 70);
    let corner = |x: u32, y: u32| {
        window.origin.offset((window.size.width * x / 100) as i32, (window.size.height * y / 100) as i32)
    };
    for round in 0..ROUNDS {
        let path = [corner(10, 10), corner(90, 80), corner(20, 90)].map(|at| stage.spot(at));
        let path = path.into_iter().collect::<Result<Vec<_>, _>>()?;
        let modifiers = Modifiers { control: true, ..Modifiers::NONE };
        let drag = Action::Drag { path, button: Button::Left, modifiers };
        let text = "gone with the window ".repeat(5);
        for (action, after) in [(drag, 8), (Action::typed(&text), 30)] {
            let types = matches!(action, Action::Type { .. });
            stage.open(window);
            stage.witness.at(after + round as u32 * 3, Deed::Close, nothing());
            let done = stage.attempt(action, &slow(), &Stop::new())?;
            if let (true, Some(astray)) = (types, stage.terms.astray) {
                strays::ended(stage, done, &text, astray)?;
            } else {
                let done = done.map_err(words)?;
                ensure!(done.complete, "{done:?}: a window is not the desktop");
            }
            stage.quiet()?;
            let came = stage.witness.events();
            ensure!(came.len() >= after as usize, "the window closed early: {came:?}");
            ensure!(
                came.iter().all(|e| e.window == Which::Main),
                "events went to a window that was not there: {came:?}"
            );
        }
        stage.open(window);
        click_at(stage, corner(40 + round as u32, 50))?;
    }
    Ok(format!("{ROUNDS} drags and {ROUNDS} texts"))
}

pub(super) fn stops(stage: &mut Stage<'_>) -> Finding {
    const ROUNDS: u32 = 5;
    let window = stage.part(20, 20, 60, 60);
    stage.open(window);
    click_at(stage, window.center())?;
    let mut latest = 0;
    for round in 0..ROUNDS {
        let stop = Stop::new();
        let after = 40 + round * 37;
        let told = stop.clone();
        stage.witness.at(after, Deed::Tell, Box::new(move || told.set(StopReason::Person)));
        let action = if round == 0 {
            Action::HoldKey { chord: "ctrl+shift+w".parse().map_err(words)?, millis: 20_000 }
        } else {
            Action::typed("all work and no play ".repeat(200))
        };
        // Of a chord only three events come before the stop.
        let after = if round == 0 { 3 } else { after };
        if round == 0 {
            stage.witness.forget();
            let told = stop.clone();
            stage.witness.at(after, Deed::Tell, Box::new(move || told.set(StopReason::Person)));
        }
        let done = stage.attempt(action, &slow(), &stop)?.map_err(words)?;
        ensure!(!done.complete && done.events < done.of, "it was not stopped: {done:?}");
        stage.quiet()?;
        stage.settle();
        let events: Vec<Seen> = stage.witness.events();
        stage.witness.forget();
        let stopped = events.get(after as usize - 1).map(|e| e.at_ms);
        let last = events.last().map(|e| e.at_ms);
        let (Some(stopped), Some(last)) = (stopped, last) else {
            return Err(format!("stopped before event {after}: {events:?}"));
        };
        let late = last.saturating_sub(stopped);
        ensure!(late <= 100, "the last event came {late} ms after the stop");
        latest = latest.max(late);
    }
    let stopped = Stop::new();
    stopped.set(StopReason::Terminate);
    let spot = stage.spot(window.origin)?;
    let click = Action::Click { at: Some(spot), button: Button::Left, count: 1, modifiers: Modifiers::NONE };
    match stage.attempt(click, &Timing::default(), &stopped)? {
        Err(DesktopError::Stopped) => {}
        Ok(done) if !done.complete && done.events == 0 => {}
        other => return Err(format!("a stop that came before the action: {other:?}")),
    }
    Ok(format!("{ROUNDS} stops, the last event at most {latest} ms after"))
}

pub(super) fn a_dead_turn(stage: &mut Stage<'_>) -> Finding {
    ensure!(stage.desktop.pulse().is_some(), "the desktop does not ask whether the turn lives");
    let window = stage.part(10, 10, 80, 80);
    stage.open(window);
    stage.let_the_turn_die();
    let modifiers = Modifiers { control: true, alt: true, shift: true, super_: false };
    let corners = [
        window.origin.offset(10, 10),
        window.origin.offset(window.size.width as i32 - 10, window.size.height as i32 - 10),
    ];
    // Long enough that its heartbeat is missed, whatever the size of the screen.
    let path = (0..8).map(|n| stage.spot(corners[n % 2])).collect::<Result<Vec<_>, _>>()?;
    let drag = Action::Drag { path, button: Button::Left, modifiers };
    match stage.attempt(drag, &Timing::default(), &Stop::new())? {
        Ok(done) if !done.complete && done.events < done.of => {}
        other => return Err(format!("nobody said that the turn lives, and yet: {other:?}")),
    }
    stage.quiet()?;
    let events = stage.seen(8);
    stage.forget();
    let up = events
        .iter()
        .filter(|e| matches!(e.what, What::Key { down: false, .. } | What::Button { down: false, .. }));
    ensure!(up.count() == 4, "not all of 4 came up: {events:?}");
    Ok("3 modifiers and a button came up".to_owned())
}

pub(super) fn releases(stage: &mut Stage<'_>) -> Finding {
    let window = stage.part(10, 10, 80, 80);
    stage.open(window);
    for button in [Button::Left, Button::Right] {
        let at = Some(stage.spot(window.center())?);
        stage.act(Action::Down { at, button })?;
        let down = stage.seen(1);
        ensure!(down.iter().any(|e| e.what == What::Button { button, down: true }), "no press: {down:?}");
        let held = before(stage.terms.patience, || (!stage.witness.held().is_nothing()).then_some(()));
        ensure!(held.is_some(), "{button:?} was pressed and is not down");
        stage.desktop.release_all().map_err(words)?;
        let both = stage.seen(2);
        let released = both.iter().filter(|e| e.what == What::Button { button, down: false }).count();
        ensure!(released == 1, "{button:?} was released {released} times: {both:?}");
        stage.quiet()?;
        stage.witness.forget();
    }
    stage.desktop.release_all().map_err(words)?;
    Ok("2 buttons".to_owned())
}

pub(super) fn resolution(stage: &mut Stage<'_>) -> Finding {
    let before_it = stage.screen.size;
    // A size every server of that size has, else any.
    let large = before_it.width > 800 && before_it.height > 600;
    let smaller = Size::new(before_it.width * 3 / 4 / 8 * 8, before_it.height * 2 / 3 / 8 * 8);
    let smaller = if large { Size::new(800, 600) } else { smaller };
    for size in [smaller, before_it] {
        stage.witness.resize_screen(size);
        let mut now = Err("never asked".to_owned());
        before(stage.terms.patience, || {
            now = stage.displays().and_then(|displays| {
                let name = displays[0].name.clone();
                let frame = stage.capture(Shown::Display(name), None, false)?;
                let units = |n: u32| (f64::from(n) / frame.geometry.scale).round() as u32;
                let captured = Size::new(units(frame.size().width), units(frame.size().height));
                Ok((displays[0].area.size, captured))
            });
            (now == Ok((size, size))).then_some(())
        });
        ensure!(now == Ok((size, size)), "the screen is {size} now; said and captured was {now:?}");
        stage.look()?;
        let (width, height) = (size.width / 3, size.height / 3);
        let corner = stage.screen.origin.offset((size.width - width) as i32, (size.height - height) as i32);
        let window = ScreenRect::new(corner.x, corner.y, width, height);
        stage.open(window);
        super::pictures::shows(stage, window, 1)?;
        let last = window.origin.offset(width as i32 - 1, height as i32 - 1);
        click_at(stage, last)?;
        ensure!(exactly(stage.witness.pointer()) == exactly(last), "{}", stage.witness.pointer());
    }
    Ok(format!("{before_it} to {smaller} and back"))
}
