//! What a run looks at: a display, all of them, or one window, found afresh every turn because windows move.

use crate::ending::Interruption;
use crate::engine::Engine;
use crate::profile::Target;
use handsight_base::flow::action::WindowQuery;
use handsight_base::flow::frame::Shown;
use handsight_base::gate::Focus;
use handsight_base::port::desktop::{DesktopError, Display, Window, WindowId, WindowState};
use handsight_base::space::{FrameGeometry, FrameId, ScreenPx, ScreenRect};
use std::time::Duration;

/// A window query as people write it: a title, or `class:`, `regex:`, `part:`, `pid:`, `id:` before what it says.
pub fn parse_window_query(text: &str) -> Result<WindowQuery, String> {
    let number = |n: &str| n.parse().map_err(|_| format!("{n:?} is no number; write pid:1234"));
    Ok(match text.split_once(':') {
        Some(("class", rest)) => WindowQuery::Class(rest.to_owned()),
        Some(("regex", rest)) => WindowQuery::TitleRegex(rest.to_owned()),
        Some(("part", rest)) => WindowQuery::TitlePart(rest.to_owned()),
        Some(("title", rest)) => WindowQuery::Title(rest.to_owned()),
        Some(("pid", rest)) => WindowQuery::Pid(number(rest)?),
        Some(("id", rest)) => {
            let hex = rest.strip_prefix("0x").and_then(|h| u64::from_str_radix(h, 16).ok());
            WindowQuery::Id(
                hex.or_else(|| rest.parse().ok()).ok_or_else(|| format!("{rest:?} is no window number"))?,
            )
        }
        _ if text.is_empty() => WindowQuery::Active,
        _ => WindowQuery::Title(text.to_owned()),
    })
}

/// What to capture this turn. A window is brought back if it is minimised, and waited for if it is gone.
pub(crate) async fn locate(engine: &mut Engine) -> Result<Shown, Interruption> {
    match engine.profile.capture.target {
        Target::Display => display(engine).await,
        Target::Window => Ok(Shown::Window(window(engine).await?.id.0)),
    }
}

/// Where on the screen that is.
pub(crate) async fn area(engine: &mut Engine, shown: &Shown) -> Result<ScreenRect, Interruption> {
    let shown = shown.clone();
    Ok(engine
        .seat
        .look("geometry", move |desktop| match &shown {
            Shown::Display(name) => {
                let displays = desktop.displays()?;
                displays
                    .iter()
                    .find(|d| &d.name == name)
                    .map(|d| d.area)
                    .ok_or_else(|| no_such(name, &displays))
            }
            Shown::AllDisplays => {
                let displays = desktop.displays()?;
                let mut areas = displays.iter().map(|d| d.area);
                let first = areas.next().ok_or_else(|| no_such("all", &[]))?;
                Ok(areas.fold(first, |all, a| all.union(&a)))
            }
            Shown::Window(id) => Ok(desktop.window(WindowId(*id))?.client),
        })
        .await?)
}

async fn display(engine: &mut Engine) -> Result<Shown, Interruption> {
    let wanted = engine.profile.capture.display.clone();
    if wanted == "all" {
        return Ok(Shown::AllDisplays);
    }
    let displays = engine.seat.look("displays", |desktop| desktop.displays()).await?;
    Ok(one_of(&displays, &wanted)?)
}

/// The display that `capture.display` means: `primary`, a name, or a number from 0.
pub(crate) fn one_of(displays: &[Display], wanted: &str) -> Result<Shown, DesktopError> {
    let found = match wanted {
        "primary" => displays.iter().find(|d| d.primary).or_else(|| displays.first()),
        number_or_name => displays
            .iter()
            .find(|d| d.name == number_or_name)
            .or_else(|| number_or_name.parse::<usize>().ok().and_then(|n| displays.get(n))),
    };
    let found = found.ok_or_else(|| no_such(wanted, displays))?;
    Ok(Shown::Display(found.name.clone()))
}

/// The topmost window at a place.
pub(crate) fn topmost(windows: &[Window], at: ScreenPx) -> Option<&Window> {
    windows.iter().find(|w| w.state == WindowState::Normal && w.outer.contains(at))
}

fn no_such(name: &str, displays: &[Display]) -> DesktopError {
    let there = displays.iter().enumerate().map(|(n, d)| format!("{n} ({})", d.name)).collect();
    DesktopError::NoSuchDisplay { name: name.to_owned(), there }
}

async fn window(engine: &mut Engine) -> Result<Window, Interruption> {
    let query = parse_window_query(&engine.profile.capture.window)
        .map_err(|why| DesktopError::Unusable { why, remedy: "Correct capture.window.".into() })?;
    let began = engine.clock.now();
    let limit = Duration::from_secs_f64(engine.profile.desktop.target_wait_s);
    loop {
        // A window found once stays the target: another of the same title is not it.
        let known = engine.target_window;
        let wanted = query.clone();
        let found = engine
            .seat
            .look("window", move |desktop| match known {
                Some(id) => desktop.window(id),
                None => {
                    let all = desktop.find(&wanted)?;
                    all.into_iter().next().ok_or_else(|| DesktopError::NoSuchWindow {
                        query: wanted.describe(),
                        candidates: Vec::new(),
                    })
                }
            })
            .await;
        let waited = engine.clock.now().saturating_sub(began);
        match found {
            Ok(window) => {
                engine.target_window = Some(window.id);
                let hidden = window.state != WindowState::Normal;
                if hidden || (engine.profile.capture.focus && !window.focused) {
                    restore(engine, window.id).await?;
                }
                if !hidden {
                    return Ok(window);
                }
                if waited >= limit {
                    let window = format!("{:?}", window.title);
                    return Err(DesktopError::TargetHidden { window, waited }.into());
                }
            }
            // At the very start an absent target is an error of the command line, not a loss.
            Err(e @ DesktopError::NoSuchWindow { .. }) if known.is_none() => return Err(e.into()),
            Err(e @ DesktopError::TargetGone { .. }) if waited >= limit => return Err(e.into()),
            Err(DesktopError::TargetGone { .. }) => {}
            Err(e) => return Err(e.into()),
        }
        engine.pause(Duration::from_millis(200)).await?;
    }
}

/// The window that has the focus, where the desktop can tell.
pub(crate) async fn focused(engine: &mut Engine) -> Option<WindowId> {
    if !engine.seat.info().capabilities.windows {
        return None;
    }
    let windows = engine.seat.look("windows", |desktop| desktop.windows()).await.ok()?;
    windows.iter().find(|w| w.focused).map(|w| w.id)
}

/// Gives a window the focus again.
pub(crate) async fn restore(engine: &mut Engine, id: WindowId) -> Result<(), Interruption> {
    // Not an effect of the model: the scene is the last frame, or an empty one before the first.
    let geometry = engine.geometry.unwrap_or(FrameGeometry {
        frame: FrameId::PROBE,
        size: handsight_base::space::Size::new(0, 0),
        origin: handsight_base::space::ScreenPx::new(0, 0),
        scale: 1.0,
    });
    let scene = handsight_base::gate::Scene::new(&geometry, engine.turn);
    match engine.gate.approve(Focus(WindowQuery::Id(id.0)), &scene) {
        Err(refusal) => engine.notes.push(refusal.to_string()),
        Ok(approved) => {
            let focused = engine
                .seat
                .act("focus", Duration::from_secs(3), move |desktop| desktop.focus(approved))
                .await;
            if let Err(error) = focused {
                engine.notes.push(format!("the window could not be brought back: {error}"));
            }
        }
    }
    Ok(())
}
