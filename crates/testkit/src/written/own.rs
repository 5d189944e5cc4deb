//! The dialects of our own: `tools`, `plan`, `actions`. `script` has no words for anything yet.

use super::{Writer, Written, pixel, to_last};
use handsight_base::flow::action::{Action, Button, ScrollBy, Spot, WindowQuery};
use handsight_base::flow::intent::{Intent, Look};
use handsight_base::key::Modifiers;
use handsight_base::space::PictureGeometry;
use serde_json::{Map, Value, json};

pub(super) const WRITERS: &[Writer] = &[
    Writer { dialect: "tools", write: tools },
    Writer { dialect: "plan", write: plan },
    Writer { dialect: "actions", write: actions },
    Writer { dialect: "script", write: |_, _| None },
];

const fn button(button: Button) -> Option<&'static str> {
    match button {
        Button::Left => Some("left"),
        Button::Middle => Some("middle"),
        Button::Right => Some("right"),
        Button::Back | Button::Forward => None,
    }
}

/// The five tools of `stateless`.
fn tools(intent: &Intent, picture: &PictureGeometry) -> Option<Written> {
    match intent {
        Intent::Act(Action::Click {
            at: Some(at),
            button: Button::Left,
            count: 1,
            modifiers: Modifiers::NONE,
        }) => {
            let (x, y) = to_last(*at, picture, 1000.0);
            Written::call("click", json!({"x": x, "y": y, "reason": "as asked"}))
        }
        Intent::Act(Action::Type { text, .. }) => {
            Written::call("type", json!({"text": text, "reason": "as asked"}))
        }
        Intent::Act(Action::Scroll { at: None, by, modifiers: Modifiers::NONE }) => {
            let dy = match by {
                ScrollBy::Units { dx: 0, dy } => *dy,
                ScrollBy::Notches { dx: 0, dy } => dy * 120,
                ScrollBy::Units { .. } | ScrollBy::Notches { .. } | ScrollBy::Pixels { .. } => return None,
            };
            Written::call("scroll", json!({"dy": dy, "reason": "as asked"}))
        }
        Intent::Done { statement } => Written::call("done", json!({"reason": statement})),
        Intent::Call { tool, args } => Written::call(tool, Value::Object(args.clone())),
        Intent::Act(_) | Intent::Look(_) | Intent::Ask { .. } => None,
    }
}

/// The contract of `assist`: one step.
fn plan(intent: &Intent, picture: &PictureGeometry) -> Option<Written> {
    let (tool, args) = match intent {
        Intent::Act(action) => step(action, picture)?,
        Intent::Done { statement } => {
            return Written::text(json!({"steps": [], "done": statement}).to_string());
        }
        Intent::Look(_) | Intent::Call { .. } | Intent::Ask { .. } => return None,
    };
    let step = json!({"tool": tool, "args": args, "human_readable_justification": "As asked"});
    Written::text(json!({"steps": [step], "done": null}).to_string())
}

fn step(action: &Action, picture: &PictureGeometry) -> Option<(&'static str, Value)> {
    let place = |at: Spot| pixel(at, picture, picture.size.width, picture.size.height);
    Some(match action {
        Action::Click { at: Some(at), button: b, count, modifiers: Modifiers::NONE } => {
            let (x, y) = place(*at);
            ("mouse", json!({"x": x, "y": y, "button": button(*b)?, "clicks": count}))
        }
        Action::Move { to } => {
            let (x, y) = place(*to);
            ("mouse", json!({"x": x, "y": y, "action": "move"}))
        }
        Action::Type { text, interval_millis: None } => ("write", json!({"text": text})),
        Action::Type { text, interval_millis: Some(ms) } => {
            ("write", json!({"text": text, "interval_ms": ms}))
        }
        Action::Paste { text } => ("paste", json!({"text": text})),
        Action::Key { chord, repeat: 1 } => match chord.0.as_slice() {
            [only] => ("press", json!({"key": only.to_string()})),
            keys => ("hotkey", json!({"keys": keys.iter().map(ToString::to_string).collect::<Vec<_>>()})),
        },
        Action::Wait { millis } if millis % 1000 == 0 && *millis <= 5000 => {
            ("sleep", json!({"secs": millis / 1000}))
        }
        Action::Launch { argv } if argv.iter().all(|word| !word.contains('"')) => {
            let quoted: Vec<String> = argv.iter().map(|word| format!("\"{word}\"")).collect();
            ("launch", json!({"command": quoted.join(" ")}))
        }
        Action::FocusWindow { query: WindowQuery::TitlePart(title) } => {
            ("focus_window", json!({"title": title}))
        }
        _ => return None,
    })
}

/// A list of one.
fn actions(intent: &Intent, picture: &PictureGeometry) -> Option<Written> {
    let item = match intent {
        Intent::Act(action) => item(action, picture)?,
        Intent::Look(Look::Screenshot) => json!({"do": "look"}),
        Intent::Look(Look::CursorPosition) => json!({"do": "cursor"}),
        Intent::Look(Look::Zoom { .. }) => return None,
        Intent::Call { tool, args } => json!({"do": "tool", "name": tool, "args": args}),
        Intent::Ask { question } => json!({"do": "ask", "question": question}),
        Intent::Done { statement } => json!({"do": "done", "statement": statement}),
    };
    Written::text(json!([item]).to_string())
}

fn item(action: &Action, picture: &PictureGeometry) -> Option<Value> {
    let place = |at: &Spot| {
        let (x, y) = to_last(*at, picture, 1000.0);
        json!([x, y])
    };
    let mut item = Map::new();
    let mut put = |key: &str, value: Value| item.insert(key.to_owned(), value);
    let held = |modifiers: &Modifiers| modifiers.keys().map(|k| k.to_string()).collect::<Vec<_>>().join("+");
    match action {
        Action::Click { at, button: b, count, modifiers } => {
            put("do", json!("click"));
            at.as_ref().map(|at| put("at", place(at)));
            put("button", json!(button(*b)?));
            put("count", json!(count));
            if *modifiers != Modifiers::NONE {
                put("with", json!(held(modifiers)));
            }
        }
        Action::Move { to } => {
            put("do", json!("move"));
            put("to", place(to));
        }
        Action::Down { at, button: b } | Action::Up { at, button: b } => {
            put("do", json!(action.name()));
            at.as_ref().map(|at| put("at", place(at)));
            put("button", json!(button(*b)?));
        }
        Action::Drag { path, button: b, modifiers } => {
            put("do", json!("drag"));
            put("path", path.iter().map(place).collect());
            put("button", json!(button(*b)?));
            if *modifiers != Modifiers::NONE {
                put("with", json!(held(modifiers)));
            }
        }
        Action::Scroll { at, by: ScrollBy::Notches { dx, dy }, modifiers: Modifiers::NONE } => {
            let (direction, notches) = match (dx, dy) {
                (0, dy) if *dy > 0 => ("up", *dy),
                (0, dy) => ("down", -dy),
                (dx, 0) if *dx > 0 => ("right", *dx),
                (dx, 0) => ("left", -dx),
                _ => return None,
            };
            put("do", json!("scroll"));
            put("direction", json!(direction));
            put("notches", json!(notches));
            at.as_ref().map(|at| put("at", place(at)));
        }
        Action::Type { text, .. } | Action::Paste { text } => {
            put("do", json!(action.name()));
            put("text", json!(text));
        }
        Action::Key { chord, repeat } => {
            put("do", json!("key"));
            put("keys", json!(chord.to_string()));
            put("repeat", json!(repeat));
        }
        Action::HoldKey { chord, millis } => {
            put("do", json!("hold"));
            put("keys", json!(chord.to_string()));
            put("seconds", json!(*millis as f64 / 1e3));
        }
        Action::Wait { millis } => {
            put("do", json!("wait"));
            put("seconds", json!(*millis as f64 / 1e3));
        }
        Action::Launch { argv } => {
            put("do", json!("launch"));
            put("command", json!(argv));
        }
        Action::FocusWindow { query: WindowQuery::TitlePart(title) } => {
            put("do", json!("focus"));
            put("title", json!(title));
        }
        Action::Scroll { .. } | Action::FocusWindow { .. } => return None,
    }
    Some(Value::Object(item))
}
