//! The computers that providers defined themselves: Anthropic's, OpenAI's, Gemini's.

use super::{Writer, Written, pixel};
use handsight_base::flow::action::{Action, Button, ScrollBy, Spot};
use handsight_base::flow::intent::{Intent, Look};
use handsight_base::key::Modifiers;
use handsight_base::space::{FrameRect, PictureGeometry};
use serde_json::{Value, json};

pub(super) const WRITERS: &[Writer] = &[
    Writer { dialect: "anthropic-computer-20241022", write: |i, p| computer(i, p, 2024) },
    Writer { dialect: "anthropic-computer-20250124", write: |i, p| computer(i, p, 202501) },
    Writer { dialect: "anthropic-computer-20251124", write: |i, p| computer(i, p, 202511) },
    Writer { dialect: "anthropic-toolset-20260801", write: toolset },
    Writer { dialect: "openai-computer-preview", write: |i, p| openai(i, p, false) },
    Writer { dialect: "openai-computer", write: |i, p| openai(i, p, true) },
    Writer { dialect: "gemini-computer-2.5", write: gemini_browser },
    Writer { dialect: "gemini-computer-3.5", write: gemini_desktop },
];

/// `ctrl+shift`, if anything is held.
fn held(modifiers: Modifiers) -> Option<String> {
    let keys: Vec<String> = modifiers.keys().map(|key| key.to_string()).collect();
    (!keys.is_empty()).then(|| keys.join("+"))
}

fn place(at: Spot, picture: &PictureGeometry) -> Value {
    let (x, y) = pixel(at, picture, picture.size.width, picture.size.height);
    json!([x, y])
}

/// The whole numbers from 0 to 999 that are nearest to the place, as `int(v / 1000 * side)` reads them.
fn of_1000(at: Spot, picture: &PictureGeometry) -> (u32, u32) {
    let axis = |v: i32, origin: i32, n: u32| {
        (f64::from(v - origin) * 1000.0 / f64::from(n)).round().min(999.0) as u32
    };
    let pane = &picture.pane;
    (axis(at.point.x, pane.origin.x, pane.size.width), axis(at.point.y, pane.origin.y, pane.size.height))
}

/// A direction and an amount above zero, of a scroll along one axis.
fn direction(dx: i32, dy: i32) -> Option<(&'static str, i32)> {
    match (dx, dy) {
        (0, 1..) => Some(("up", dy)),
        (0, _) => Some(("down", -dy)),
        (1.., 0) => Some(("right", dx)),
        (_, 0) => Some(("left", -dx)),
        _ => None,
    }
}

/// Words, a tool of ours: the same everywhere.
fn other(intent: &Intent) -> Option<Written> {
    match intent {
        Intent::Done { statement } => Written::text(statement.clone()),
        Intent::Call { tool, args } => Written::call(tool, Value::Object(args.clone())),
        Intent::Act(_) | Intent::Look(_) | Intent::Ask { .. } => None,
    }
}

/// The name of an action and its fields, as the toolset has them.
fn anthropic(intent: &Intent, picture: &PictureGeometry) -> Option<(&'static str, Value)> {
    let mut written = match intent {
        Intent::Act(action) => anthropic_action(action, picture)?,
        Intent::Look(Look::Screenshot) => ("screenshot", json!({})),
        Intent::Look(Look::CursorPosition) => ("cursor_position", json!({})),
        Intent::Look(Look::Zoom { area }) => ("zoom", json!({"region": region(area, picture)})),
        Intent::Call { .. } | Intent::Ask { .. } | Intent::Done { .. } => return None,
    };
    if let Value::Object(fields) = &mut written.1 {
        fields.retain(|_, value| !value.is_null());
    }
    Some(written)
}

fn anthropic_action(action: &Action, picture: &PictureGeometry) -> Option<(&'static str, Value)> {
    let at = |at: &Option<Spot>| at.map(|at| place(at, picture));
    Some(match action {
        Action::Click { at: spot, button, count, modifiers } => {
            let name = match (button, count) {
                (Button::Left, 1) => "left_click",
                (Button::Right, 1) => "right_click",
                (Button::Middle, 1) => "middle_click",
                (Button::Left, 2) => "double_click",
                (Button::Left, 3) => "triple_click",
                _ => return None,
            };
            (name, json!({"coordinate": at(spot), "text": held(*modifiers)}))
        }
        Action::Move { to } => ("mouse_move", json!({"coordinate": place(*to, picture)})),
        Action::Down { at: None, button: Button::Left } => ("left_mouse_down", json!({})),
        Action::Up { at: None, button: Button::Left } => ("left_mouse_up", json!({})),
        Action::Drag { path, button: Button::Left, modifiers } => {
            let [from, to] = path.as_slice() else { return None };
            let (from, to) = (place(*from, picture), place(*to, picture));
            ("left_click_drag", json!({"start_coordinate": from, "coordinate": to, "text": held(*modifiers)}))
        }
        Action::Scroll { at: spot, by: ScrollBy::Notches { dx, dy }, modifiers } => {
            let (way, amount) = direction(*dx, *dy)?;
            let held = held(*modifiers);
            let at = at(spot);
            (
                "scroll",
                json!({"scroll_direction": way, "scroll_amount": amount, "coordinate": at, "text": held}),
            )
        }
        Action::Type { text, .. } => ("type", json!({"text": text})),
        Action::Key { chord, repeat: 1 } => ("key", json!({"text": chord.to_string()})),
        Action::Key { chord, repeat } => ("key", json!({"text": chord.to_string(), "repeat": repeat})),
        Action::HoldKey { chord, millis } => {
            ("hold_key", json!({"text": chord.to_string(), "duration": seconds(*millis)?}))
        }
        Action::Wait { millis } => ("wait", json!({"duration": seconds(*millis)?})),
        Action::Down { .. }
        | Action::Up { .. }
        | Action::Drag { .. }
        | Action::Scroll { .. }
        | Action::Paste { .. }
        | Action::Launch { .. }
        | Action::FocusWindow { .. } => return None,
    })
}

fn seconds(millis: u64) -> Option<u64> {
    millis.is_multiple_of(1000).then_some(millis / 1000)
}

/// The corners of an area of the frame in pixels of the picture, from the inside.
fn region(area: &FrameRect, picture: &PictureGeometry) -> Value {
    let scale = |v: i64, from: u32, to: u32| v as f64 * f64::from(to) / f64::from(from);
    let (pane, size) = (&picture.pane, picture.size);
    let x = |v: i64| scale(v - i64::from(pane.origin.x), pane.size.width, size.width);
    let y = |v: i64| scale(v - i64::from(pane.origin.y), pane.size.height, size.height);
    json!([
        x(area.origin.x.into()).ceil() as u32,
        y(area.origin.y.into()).ceil() as u32,
        x(area.right()).floor() as u32,
        y(area.bottom()).floor() as u32,
    ])
}

fn toolset(intent: &Intent, picture: &PictureGeometry) -> Option<Written> {
    match anthropic(intent, picture) {
        Some((name, fields)) => Written::call(name, fields),
        None => other(intent),
    }
}

/// One tool whose `action` says what is done; the versions know less the older they are.
fn computer(intent: &Intent, picture: &PictureGeometry, version: u32) -> Option<Written> {
    let Some((name, mut fields)) = anthropic(intent, picture) else { return other(intent) };
    let late = ["scroll", "wait", "hold_key", "triple_click", "left_mouse_down", "left_mouse_up", "zoom"];
    if (version == 2024 && late.contains(&name)) || (version < 202_511 && name == "zoom") {
        return None;
    }
    if fields.get("repeat").is_some() || (name == "left_click_drag" && fields.get("text").is_some()) {
        return None;
    }
    let call = |name: &str, mut fields: Value| {
        fields["action"] = name.into();
        ("computer".to_owned(), fields)
    };
    let mut calls = Vec::new();
    // The first version clicks where the pointer is.
    if version == 2024 && name.ends_with("click") {
        if fields.get("text").is_some() {
            return None;
        }
        if let Some(at) = fields.as_object_mut().and_then(|f| f.remove("coordinate")) {
            calls.push(call("mouse_move", json!({"coordinate": at})));
        }
    }
    calls.push(call(name, fields));
    Some(Written { text: String::new(), calls })
}

fn openai(intent: &Intent, picture: &PictureGeometry, batched: bool) -> Option<Written> {
    let action = match intent {
        Intent::Act(action) => openai_action(action, picture)?,
        Intent::Look(Look::Screenshot) => json!({"type": "screenshot"}),
        Intent::Look(_) => return None,
        Intent::Call { .. } | Intent::Ask { .. } | Intent::Done { .. } => return other(intent),
    };
    Written::call("computer", if batched { json!({"actions": [action]}) } else { json!({"action": action}) })
}

fn openai_action(action: &Action, picture: &PictureGeometry) -> Option<Value> {
    let place = |at: Spot| pixel(at, picture, picture.size.width, picture.size.height);
    let with = |mut action: Value, modifiers: Modifiers| {
        let keys: Vec<String> = modifiers.keys().map(|key| key.to_string().to_uppercase()).collect();
        if !keys.is_empty() {
            action["keys"] = json!(keys);
        }
        action
    };
    Some(match action {
        Action::Click { at: Some(at), button, count: 1, modifiers } => {
            let button = match button {
                Button::Left => "left",
                Button::Right => "right",
                Button::Middle => "wheel",
                Button::Back => "back",
                Button::Forward => "forward",
            };
            let (x, y) = place(*at);
            with(json!({"type": "click", "button": button, "x": x, "y": y}), *modifiers)
        }
        Action::Click { at: Some(at), button: Button::Left, count: 2, modifiers } => {
            let (x, y) = place(*at);
            with(json!({"type": "double_click", "x": x, "y": y}), *modifiers)
        }
        Action::Drag { path, button: Button::Left, modifiers } => {
            let point = |at: &Spot| {
                let (x, y) = place(*at);
                json!({"x": x, "y": y})
            };
            with(json!({"type": "drag", "path": path.iter().map(point).collect::<Vec<_>>()}), *modifiers)
        }
        Action::Move { to } => {
            let (x, y) = place(*to);
            json!({"type": "move", "x": x, "y": y})
        }
        Action::Scroll { at: Some(at), by, modifiers } => {
            let (dx, dy) = match by {
                ScrollBy::Pixels { dx, dy } => (*dx, *dy),
                // The guide's loop counts about a hundred pixels a notch.
                ScrollBy::Notches { dx, dy } => (dx * 100, dy * 100),
                ScrollBy::Units { .. } => return None,
            };
            let (x, y) = place(*at);
            with(json!({"type": "scroll", "x": x, "y": y, "scroll_x": dx, "scroll_y": -dy}), *modifiers)
        }
        Action::Type { text, .. } => json!({"type": "type", "text": text}),
        Action::Key { chord, repeat: 1 } => {
            let keys: Vec<String> = chord.0.iter().map(|key| key.to_string()).collect();
            json!({"type": "keypress", "keys": keys})
        }
        Action::Wait { millis: 2000 } => json!({"type": "wait"}),
        Action::Click { .. }
        | Action::Down { .. }
        | Action::Up { .. }
        | Action::Drag { .. }
        | Action::Scroll { .. }
        | Action::Paste { .. }
        | Action::Key { .. }
        | Action::HoldKey { .. }
        | Action::Wait { .. }
        | Action::Launch { .. }
        | Action::FocusWindow { .. } => return None,
    })
}

fn gemini_browser(intent: &Intent, picture: &PictureGeometry) -> Option<Written> {
    let Intent::Act(action) = intent else { return other(intent) };
    let (name, fields) = match action {
        Action::Click { at: Some(at), button: Button::Left, count: 1, modifiers: Modifiers::NONE } => {
            let (x, y) = of_1000(*at, picture);
            ("click_at", json!({"x": x, "y": y}))
        }
        Action::Move { to } => {
            let (x, y) = of_1000(*to, picture);
            ("hover_at", json!({"x": x, "y": y}))
        }
        Action::Drag { path, button: Button::Left, modifiers: Modifiers::NONE } => {
            let [from, to] = path.as_slice() else { return None };
            let ((x, y), (to_x, to_y)) = (of_1000(*from, picture), of_1000(*to, picture));
            ("drag_and_drop", json!({"x": x, "y": y, "destination_x": to_x, "destination_y": to_y}))
        }
        Action::Key { chord, repeat: 1 } => ("key_combination", json!({"keys": chord.to_string()})),
        Action::Wait { millis: 5000 } => ("wait_5_seconds", json!({})),
        _ => return None,
    };
    Written::call(name, fields)
}

fn gemini_desktop(intent: &Intent, picture: &PictureGeometry) -> Option<Written> {
    let action = match intent {
        Intent::Act(action) => action,
        Intent::Look(Look::Screenshot) => return Written::call("take_screenshot", json!({"intent": "look"})),
        Intent::Look(_) | Intent::Call { .. } | Intent::Ask { .. } | Intent::Done { .. } => {
            return other(intent);
        }
    };
    let point = |at: &Spot| {
        let (x, y) = of_1000(*at, picture);
        json!({"x": x, "y": y, "intent": "as asked"})
    };
    let (name, fields) = match action {
        Action::Click { at: Some(at), button, count, modifiers: Modifiers::NONE } => {
            let name = match (button, count) {
                (Button::Left, 1) => "click",
                (Button::Left, 2) => "double_click",
                (Button::Left, 3) => "triple_click",
                (Button::Middle, 1) => "middle_click",
                (Button::Right, 1) => "right_click",
                _ => return None,
            };
            (name, point(at))
        }
        Action::Down { at: Some(at), button: Button::Left } => ("mouse_down", point(at)),
        Action::Up { at: Some(at), button: Button::Left } => ("mouse_up", point(at)),
        Action::Move { to } => ("move", point(to)),
        Action::Drag { path, button: Button::Left, modifiers: Modifiers::NONE } => {
            let [from, to] = path.as_slice() else { return None };
            let ((x, y), (to_x, to_y)) = (of_1000(*from, picture), of_1000(*to, picture));
            ("drag_and_drop", json!({"start_x": x, "start_y": y, "end_x": to_x, "end_y": to_y}))
        }
        Action::Scroll { at: Some(at), by, modifiers: Modifiers::NONE } => {
            let (key, (way, amount)) = match by {
                ScrollBy::Pixels { dx, dy } => ("magnitude_in_pixels", direction(*dx, *dy)?),
                ScrollBy::Notches { dx, dy } => ("magnitude_in_wheel_clicks", direction(*dx, *dy)?),
                ScrollBy::Units { .. } => return None,
            };
            let mut fields = point(at);
            fields["direction"] = way.into();
            fields[key] = amount.into();
            ("scroll", fields)
        }
        Action::Type { text, .. } => ("type", json!({"text": text})),
        Action::Key { chord, repeat: 1 } => match chord.0.as_slice() {
            [only] => ("press_key", json!({"key": only.to_string()})),
            several => {
                let keys: Vec<String> = several.iter().map(|key| key.to_string()).collect();
                ("hotkey", json!({"keys": keys}))
            }
        },
        Action::Wait { millis } => ("wait", json!({"seconds": seconds(*millis)?})),
        Action::Click { .. }
        | Action::Down { .. }
        | Action::Up { .. }
        | Action::Drag { .. }
        | Action::Scroll { .. }
        | Action::Paste { .. }
        | Action::Key { .. }
        | Action::HoldKey { .. }
        | Action::Launch { .. }
        | Action::FocusWindow { .. } => return None,
    };
    Written::call(name, fields)
}
