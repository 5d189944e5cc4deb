//! What a reply means in one line each: for tables of cases and for people.
//!
//! `{"click":[12,34],"button":"right","count":2,"with":"ctrl"}`. Places are pixels of the frame. What goes without saying (the left
//! button, one click, no modifiers, one press, the first call) is left out.

use handsight_base::flow::action::{Action, Button, ScrollBy, Spot, WindowQuery};
use handsight_base::flow::intent::{Intent, Look};
use handsight_base::key::Modifiers;
use handsight_base::port::dialect::Planned;
use serde_json::{Map, Value, json};

/// One intent, and `"of": n` where it came from another call than the first.
pub fn planned(planned: &Planned) -> Value {
    let mut written = intent(&planned.intent);
    if let Value::Object(map) = &mut written
        && planned.call != 0
    {
        map.insert("of".into(), json!(planned.call));
    }
    written
}

pub fn intent(intent: &Intent) -> Value {
    match intent {
        Intent::Act(action) => self::action(action),
        Intent::Look(Look::Screenshot) => json!({"look": "screenshot"}),
        Intent::Look(Look::CursorPosition) => json!({"look": "cursor"}),
        Intent::Look(Look::Zoom { area }) => {
            let size = area.size;
            json!({"look": [area.origin.x, area.origin.y, size.width, size.height]})
        }
        Intent::Call { tool, args } => json!({"call": tool, "args": args}),
        Intent::Ask { question } => json!({"ask": question}),
        Intent::Done { statement } => json!({"done": statement}),
    }
}

fn action(action: &Action) -> Value {
    let mut line = Map::new();
    let mut put = |key: &str, value: Value| {
        line.insert(key.into(), value);
    };
    match action {
        Action::Click { at, button, count, modifiers } => {
            put("click", place(at.as_ref()));
            if *button != Button::Left {
                put("button", json!(button));
            }
            if *count != 1 {
                put("count", json!(count));
            }
            with(&mut put, *modifiers);
        }
        Action::Move { to } => put("move", place(Some(to))),
        Action::Down { at, button } => {
            put("down", place(at.as_ref()));
            put("button", json!(button));
        }
        Action::Up { at, button } => {
            put("up", place(at.as_ref()));
            put("button", json!(button));
        }
        Action::Drag { path, button, modifiers } => {
            put("drag", path.iter().map(|at| place(Some(at))).collect());
            if *button != Button::Left {
                put("button", json!(button));
            }
            with(&mut put, *modifiers);
        }
        Action::Scroll { at, by, modifiers } => {
            let (unit, dx, dy) = match by {
                ScrollBy::Notches { dx, dy } => ("notches", dx, dy),
                ScrollBy::Units { dx, dy } => ("units", dx, dy),
                ScrollBy::Pixels { dx, dy } => ("pixels", dx, dy),
            };
            put("scroll", json!([dx, dy]));
            put("unit", json!(unit));
            if at.is_some() {
                put("at", place(at.as_ref()));
            }
            with(&mut put, *modifiers);
        }
        Action::Type { text, interval_millis } => {
            put("type", json!(text));
            if let Some(millis) = interval_millis {
                put("interval", json!(millis));
            }
        }
        Action::Paste { text } => put("paste", json!(text)),
        Action::Key { chord, repeat } => {
            put("key", json!(chord.to_string()));
            if *repeat != 1 {
                put("repeat", json!(repeat));
            }
        }
        Action::HoldKey { chord, millis } => {
            put("hold", json!(chord.to_string()));
            put("ms", json!(millis));
        }
        Action::Wait { millis } => put("wait", json!(millis)),
        Action::Launch { argv } => put("launch", json!(argv)),
        Action::FocusWindow { query } => put("focus", window(query)),
    }
    Value::Object(line)
}

fn window(query: &WindowQuery) -> Value {
    match query {
        WindowQuery::Title(title) => json!(title),
        WindowQuery::TitlePart(part) => json!(format!("part:{part}")),
        WindowQuery::TitleRegex(regex) => json!(format!("regex:{regex}")),
        WindowQuery::Class(class) => json!(format!("class:{class}")),
        WindowQuery::Pid(pid) => json!(format!("pid:{pid}")),
        WindowQuery::Id(id) => json!(format!("id:{id}")),
        WindowQuery::Active => json!("active"),
    }
}

fn place(at: Option<&Spot>) -> Value {
    at.map_or(Value::Null, |at| json!([at.point.x, at.point.y]))
}

fn with(put: &mut impl FnMut(&str, Value), modifiers: Modifiers) {
    let held: Vec<String> = modifiers.keys().map(|key| key.to_string()).collect();
    if !held.is_empty() {
        put("with", json!(held.join("+")));
    }
}
