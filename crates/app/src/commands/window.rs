//! `window status|focus`: what windows there are, and bringing one to the front with the person's policy.

use crate::assemble::desktop::{Choice, Kit, connector, hands};
use crate::cli::WindowArgs;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::within::within;
use crate::{say, settings};
use handsight_agent::policy;
use handsight_agent::target::parse_window_query;
use handsight_base::flow::action::WindowQuery;
use handsight_base::gate::{Focus, Scene};
use handsight_base::port::clock::RealClock;
use handsight_base::port::desktop::{DesktopError, Window, WindowState};
use handsight_base::space::{FrameGeometry, FrameId, ScreenPx, Size};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const DEADLINE: Duration = Duration::from_secs(8);

/// Lists the windows that match, or all.
pub(crate) fn status(environment: &Environment, args: &WindowArgs) -> anyhow::Result<Exit> {
    let (choice, query) = read(environment, args)?;
    let windows = within(DEADLINE, "windows", move || {
        let mut desktop = connector(&choice, Kit::eyes(Arc::new(RealClock::new())))?()?;
        match query {
            None => desktop.windows(),
            Some(query) => desktop.find(&query),
        }
    })?;
    if args.json {
        say::json(&json!({ "windows": windows.iter().map(document).collect::<Vec<_>>() }));
    } else {
        windows.iter().for_each(|w| say::result(&line(w)));
    }
    Ok(Exit::Done)
}

/// Restores the topmost window that matches and gives it the focus.
pub(crate) fn focus(environment: &Environment, args: &WindowArgs) -> anyhow::Result<Exit> {
    let settings = settings::resolve(environment, &args.settings, &[])?;
    let (choice, query) = read(environment, args)?;
    let query = query.ok_or_else(|| {
        Failure::usage(
            "which window?",
            "Name it: `handsight window focus TITLE`; `handsight window status` lists them.",
        )
    })?;
    let nothing = || Failure::usage(format!("nothing can be pressed on {choice}"), "");
    let hands = hands(environment, &settings.profile, &choice)?.ok_or_else(nothing)?;
    let gate = policy::gate(&settings.profile)?;
    let window = within(DEADLINE, "focus", move || {
        let kit = Kit { hands: Some(hands), ..Kit::eyes(Arc::new(RealClock::new())) };
        let mut desktop = connector(&choice, kit)?()?;
        // No picture was looked at: there is no point on the screen that this could be about.
        let geometry = FrameGeometry {
            frame: FrameId::PROBE,
            size: Size::new(0, 0),
            origin: ScreenPx::new(0, 0),
            scale: 1.0,
        };
        let approved = gate
            .approve(Focus(query), &Scene { windows: Some(&desktop.windows()?), ..Scene::new(&geometry, 0) })
            .map_err(|refusal| DesktopError::Unusable { why: refusal.to_string(), remedy: String::new() })?;
        desktop.focus(approved)
    })?;
    if args.json {
        say::json(&json!({ "window": document(&window) }));
    } else {
        say::result(&line(&window));
    }
    Ok(Exit::Done)
}

/// The desktop to ask, and which window is meant.
fn read(environment: &Environment, args: &WindowArgs) -> anyhow::Result<(Choice, Option<WindowQuery>)> {
    let choice = match Choice::read(&args.desktop.desktop, environment)? {
        choice @ (Choice::X11 { .. } | Choice::Windows) => choice,
        choice @ (Choice::Vnc(_) | Choice::Replay { .. } | Choice::World(_)) => {
            let what = format!("{choice} has no windows to look for");
            return Err(Failure::usage(what, "Name a real desktop: --desktop auto, x11:N or windows.").into());
        }
    };
    let query = args.window.as_deref().map(parse_window_query).transpose();
    let query = query
        .map_err(|why| Failure::usage(why, "Write TITLE, part:TEXT, regex:RE, class:NAME, pid:N or id:N."))?;
    Ok((choice, query))
}

fn line(w: &Window) -> String {
    let state = match (w.state, w.focused) {
        (_, true) => "focused",
        (WindowState::Normal, false) => "",
        (WindowState::Minimised, false) => "minimised",
        (WindowState::Hidden, false) => "hidden",
    };
    let class = w.class.first().map_or("", String::as_str);
    format!("id:{:#x}  {:<9} {:<22} {class:<18} {}", w.id.0, state, w.client.to_string(), w.title)
}

fn document(w: &Window) -> Value {
    json!({
        "id": w.id,
        "title": w.title,
        "class": w.class,
        "pid": w.pid,
        "client": w.client,
        "outer": w.outer,
        "state": w.state,
        "focused": w.focused,
    })
}
