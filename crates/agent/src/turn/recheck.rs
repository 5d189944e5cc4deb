//! Just before the first event of a turn: is it still the screen that the model saw (R7)?
//!
//! A model thinks for seconds. Meanwhile a notification may lie over the button, another window may have taken the focus, or what
//! was to be clicked may have moved. Then nothing is done and the model looks again. Only the first effect of a turn is compared:
//! what the turn itself changed is no surprise to the plan behind it.
//!
//! This module refuses to guess what the model would want now. It does not see what looks and stands as before: a page that
//! swapped what a button does.

use crate::ending::Interruption;
use crate::engine::Engine;
use crate::target;
use handsight_base::flow::action::Action;
use handsight_base::flow::frame::{Frame, PixelView};
use handsight_base::port::desktop::{CaptureRequest, OverlayInCapture, Window};
use handsight_base::space::{At, FramePx, FrameRect, ScreenRect, Size};
use handsight_vision::recheck;
use std::time::Duration;

/// Looks that tell what moves by itself, and the time between them: an animation of ten pictures a second moves in each.
const LOOKS: u32 = 4;
const BETWEEN: Duration = Duration::from_millis(50);

/// What the model saw, for the time it thinks.
pub(crate) struct Seen {
    frame: Frame,
    /// Whatever takes clicks or keys, the topmost first; nothing where the desktop cannot tell.
    windows: Vec<Window>,
    /// Where our own words lay on it.
    hud: Option<FrameRect>,
}

/// Whether targets are looked at again. A simulated screen stands still while a model thinks.
pub(super) fn is_on(engine: &Engine) -> bool {
    engine.profile.act.recheck && !engine.seat.info().simulated
}

/// Keeps what there is to compare with.
pub(super) async fn remember(engine: &mut Engine, frame: &Frame) -> Result<(), Interruption> {
    engine.seen = None;
    if is_on(engine) {
        let windows = windows(engine).await?;
        let hud = engine.hud.shown_area(&frame.geometry);
        engine.seen = Some(Seen { frame: frame.clone(), windows, hud });
    }
    Ok(())
}

/// Why an action must not be sent now, if it is the turn's first effect and its target is another by now.
pub(super) async fn changed(
    engine: &mut Engine,
    action: &Action,
) -> Result<Option<&'static str>, Interruption> {
    if matches!(action, Action::Wait { .. }) {
        return Ok(None);
    }
    let Some(seen) = engine.seen.take() else { return Ok(None) };
    let began = engine.stopwatch.now();
    let why = match action {
        Action::Click { .. }
        | Action::Move { .. }
        | Action::Down { .. }
        | Action::Up { .. }
        | Action::Drag { .. }
        | Action::Scroll { .. } => at_points(engine, &seen, action).await?,
        Action::Type { .. } | Action::Paste { .. } | Action::Key { .. } | Action::HoldKey { .. } => {
            at_focus(engine, &seen).await?
        }
        // Meant for no place on the screen.
        Action::Launch { .. } | Action::FocusWindow { .. } | Action::Wait { .. } => None,
    };
    engine.timings.recheck = engine.millis_since(began);
    Ok(why)
}

async fn windows(engine: &mut Engine) -> Result<Vec<Window>, Interruption> {
    if !engine.seat.info().capabilities.windows {
        return Ok(Vec::new());
    }
    Ok(engine.seat.look("windows", |desktop| desktop.layers()).await?)
}

/// Where the pointer acts: the same window in the same place, and the same picture around.
async fn at_points(
    engine: &mut Engine,
    seen: &Seen,
    action: &Action,
) -> Result<Option<&'static str>, Interruption> {
    let geometry = seen.frame.geometry;
    let spots = action.spots();
    let mut points: Vec<FramePx> =
        spots.first().into_iter().chain(spots.last()).map(|spot| spot.point).collect();
    if spots.is_empty() {
        // Where the pointer is, if that lies on the picture.
        points.extend(engine.pointer.and_then(|at| geometry.frame_from_screen(at).ok()).map(|at| at.point));
    }
    points.dedup();
    let now = windows(engine).await?;
    for point in points {
        let at = At { point, frame: geometry.frame };
        let Ok(on_screen) = geometry.screen_from_frame(at) else { continue };
        let stand = |windows: &[Window]| target::topmost(windows, on_screen).map(|w| (w.id, w.outer));
        if stand(&seen.windows) != stand(&now) {
            return Ok(Some("another window lies there now, or it moved"));
        }
        let Some(around) = recheck::surroundings(point).intersect(&geometry.whole()) else { continue };
        let another = compare(engine, seen, geometry.screen_rect(around), |engine, before, now, area| {
            let still = |here: FramePx| counts(engine, seen, here);
            recheck::difference(before, now, (area, point), still).is_another()
        });
        if another.await? {
            return Ok(Some("what lies there has changed since the picture was taken"));
        }
    }
    Ok(None)
}

/// Where keys go: the same window, and more or less what it showed.
async fn at_focus(engine: &mut Engine, seen: &Seen) -> Result<Option<&'static str>, Interruption> {
    let now = windows(engine).await?;
    let (had, has) = (focused(&seen.windows), focused(&now));
    if had.map(|w| w.id) != has.map(|w| w.id) {
        return Ok(Some("another window has the focus now"));
    }
    let (Some(had), Some(window)) = (had, has) else { return Ok(None) };
    let shown = seen.frame.geometry.screen_rect(seen.frame.geometry.whole());
    // Elsewhere by now its picture cannot be laid over the old one; keys reach it all the same.
    let Some(region) = window.client.intersect(&shown).filter(|_| had.client == window.client) else {
        return Ok(None);
    };
    let another = compare(engine, seen, region, |engine, before, now, area| {
        recheck::is_another_view(before, now, area, |here| counts(engine, seen, here))
    });
    Ok(another.await?.then_some("the window that has the focus shows something else now"))
}

/// A pixel that says something: not of our own words, and not of what moves all the time.
fn counts(engine: &Engine, seen: &Seen, here: FramePx) -> bool {
    !seen.hud.is_some_and(|hud| hud.contains(here)) && !engine.restless.is_at(here)
}

/// Takes a fresh look at a part of what was seen, and has both compared, cut alike.
async fn compare(
    engine: &mut Engine,
    seen: &Seen,
    region: ScreenRect,
    differ: impl Fn(&Engine, PixelView<'_>, PixelView<'_>, FrameRect) -> bool,
) -> Result<bool, Interruption> {
    let geometry = seen.frame.geometry;
    let request = CaptureRequest {
        frame: CaptureRequest::PROBE,
        shown: seen.frame.shown.clone(),
        region: Some(region),
        cursor: seen.frame.cursor,
        overlay: OverlayInCapture::AsShown,
    };
    let now = engine.seat.look("recheck", move |desktop| desktop.capture(&request)).await?;
    let offset = |now: i32, was: i32| ((f64::from(now) - f64::from(was)) * geometry.scale).floor() as i32;
    let origin = FramePx::new(
        offset(now.geometry.origin.x, geometry.origin.x),
        offset(now.geometry.origin.y, geometry.origin.y),
    );
    let Some(area) = (FrameRect { origin, size: now.size() }).intersect(&geometry.whole()) else {
        return Ok(true);
    };
    let inside = FramePx::new(area.origin.x - origin.x, area.origin.y - origin.y);
    let cuts = (cut(seen.frame.view(), area.origin, area.size), cut(now.view(), inside, area.size));
    let (Some(before), Some(now)) = cuts else { return Ok(true) };
    let mut another = differ(engine, before, now, area);
    if another && !engine.restless.knows() {
        learn(engine, seen).await?;
        another = differ(engine, before, now, area);
    }
    if another {
        engine.restless.changed(area);
    }
    Ok(another)
}

/// A first row of looks, where no wait for calm has taken one yet.
async fn learn(engine: &mut Engine, seen: &Seen) -> Result<(), Interruption> {
    for number in 0..LOOKS {
        if number > 0 {
            engine.pause(BETWEEN).await?;
        }
        let request = CaptureRequest {
            frame: CaptureRequest::PROBE,
            shown: seen.frame.shown.clone(),
            region: None,
            cursor: false,
            overlay: OverlayInCapture::AsShown,
        };
        let frame = engine.seat.look("recheck", move |desktop| desktop.capture(&request)).await?;
        if number == 0 { engine.restless.begin_row(frame.view()) } else { engine.restless.look(frame.view()) }
    }
    Ok(())
}

fn cut(view: PixelView<'_>, at: FramePx, size: Size) -> Option<PixelView<'_>> {
    view.crop(u32::try_from(at.x).ok()?, u32::try_from(at.y).ok()?, size)
}

fn focused(windows: &[Window]) -> Option<&Window> {
    windows.iter().find(|w| w.focused)
}
