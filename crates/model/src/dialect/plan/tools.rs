//! The tools of a plan: what each takes, as the model is told and as a schema says it, and what it means. One entry each.

use super::POINTS;
use crate::dialect::fields::Fields;
use crate::dialect::hands::{self, BUTTONS};
use crate::dialect::reject::{Fits, Misfit};
use handsight_base::flow::action::{Action, Button, ScrollBy, Spot, WindowQuery};
use handsight_base::key::Modifiers;
use handsight_base::space::PictureGeometry;
use serde_json::{Value, json};

/// What a step means: reads the arguments, notes what was clamped or hinted at.
pub(super) type Read = fn(&mut Fields, &PictureGeometry, &mut Vec<String>) -> Fits<Vec<Action>>;

pub(super) struct PlanTool {
    pub(super) name: &'static str,
    /// What it takes, for the model.
    pub(super) args: &'static str,
    /// The same as the properties of a JSON schema, with the names of those that are needed.
    pub(super) schema: fn() -> (Value, &'static [&'static str]),
    /// Offered only where a profile asks for more than the nine names that every version has (D-73).
    pub(super) extended: bool,
    pub(super) read: Read,
}

/// The longest text that goes by way of the clipboard (D-70).
const PASTE_CHARS: usize = 4096;

/// Names are never taken away again (D-42).
pub(super) static TOOLS: &[PlanTool] = &[
    PlanTool {
        name: "mouse",
        args: "{\"x\", \"y\": whole pixels of the picture; \"button\"?: \"left\"|\"right\"|\"middle\"; \"clicks\"?: 1 to 4; \"interval_ms\"?: 10 to 1000; \"action\"?: \"move\" to move only}",
        schema: || {
            let properties = json!({
                "x": {"type": "integer"}, "y": {"type": "integer"},
                "button": {"type": "string", "enum": ["left", "right", "middle"]},
                "clicks": {"type": "integer"}, "interval_ms": {"type": "integer"},
                "action": {"type": "string", "enum": ["move"]},
            });
            (properties, &["x", "y"])
        },
        extended: false,
        read: mouse,
    },
    PlanTool {
        name: "press",
        args: "{\"key\": one key} or {\"keys\": [keys tapped one after the other]}",
        schema: || {
            let keys = json!({"type": "array", "items": {"type": "string"}});
            (json!({"key": {"type": "string"}, "keys": keys}), &[])
        },
        extended: false,
        read: |args, _, notes| press(args, notes),
    },
    PlanTool {
        name: "hotkey",
        args: "{\"keys\": [keys held together]}",
        schema: || (json!({"keys": {"type": "array", "items": {"type": "string"}}}), &["keys"]),
        extended: false,
        read: |args, _, _| {
            let names = args.texts("keys")?;
            let chord = hands::chord_of(names.iter().map(String::as_str)).map_err(|m| args.fault(m))?;
            Ok(vec![hands::key(chord)])
        },
    },
    PlanTool {
        name: "write",
        args: "{\"text\"; \"interval_ms\"?: between two characters}",
        schema: typing,
        extended: false,
        read: write,
    },
    PlanTool { name: "type", args: "the same as `write`", schema: typing, extended: false, read: write },
    PlanTool {
        name: "paste",
        args: "{\"text\"}: by way of the clipboard, 4096 characters at most",
        schema: || (json!({"text": {"type": "string"}}), &["text"]),
        extended: false,
        read: |args, _, _| {
            let text = args.text("text")?;
            let long = text.chars().count();
            if long > PASTE_CHARS {
                let words = format!("`text` is {long} characters long, {PASTE_CHARS} at most are pasted");
                return Err(args.fault(Misfit::out_of_range(words)));
            }
            Ok(vec![Action::Paste { text }])
        },
    },
    PlanTool {
        name: "sleep",
        args: "{\"secs\": 0 to 5}",
        schema: || (json!({"secs": {"type": "integer"}}), &["secs"]),
        extended: false,
        read: |args, _, notes| {
            let secs = args.whole("secs", i64::MIN, i64::MAX)?;
            let used = clamp("secs", secs, 0, 5, notes);
            Ok(vec![Action::Wait { millis: used as u64 * 1000 }])
        },
    },
    PlanTool {
        name: "launch",
        args: "{\"command\"}",
        schema: || (json!({"command": {"type": "string"}}), &["command"]),
        extended: false,
        read: |args, _, _| {
            let argv = words_of(&args.text("command")?).map_err(|m| args.fault(m))?;
            Ok(vec![Action::Launch { argv }])
        },
    },
    PlanTool {
        name: "focus_window",
        args: "{\"title\": part of a title, in any case}",
        schema: || (json!({"title": {"type": "string"}}), &["title"]),
        extended: false,
        read: |args, _, _| {
            let title = args.text("title")?;
            if title.trim().is_empty() {
                return Err(args.fault(Misfit::missing("`title` is empty")));
            }
            Ok(vec![Action::FocusWindow { query: WindowQuery::TitlePart(title) }])
        },
    },
    PlanTool {
        name: "scroll",
        args: "{\"notches\": -100 to 100, up is positive; \"x\"?, \"y\"?: where, if not where the pointer is}",
        schema: || {
            let properties =
                json!({"x": {"type": "integer"}, "y": {"type": "integer"}, "notches": {"type": "integer"}});
            (properties, &["notches"])
        },
        extended: true,
        read: |args, picture, _| {
            let placed = args.has("x") || args.has("y");
            let at = if placed { Some(place(args, ["x", "y"], picture)?) } else { None };
            let by = ScrollBy::Notches { dx: 0, dy: args.whole("notches", -100, 100)? as i32 };
            Ok(vec![Action::Scroll { at, by, modifiers: Modifiers::NONE }])
        },
    },
    PlanTool {
        name: "drag",
        args: "{\"x\", \"y\": from; \"to_x\", \"to_y\": to; with the left button}",
        schema: || {
            let whole = json!({"type": "integer"});
            (json!({"x": whole, "y": whole, "to_x": whole, "to_y": whole}), &["x", "y", "to_x", "to_y"])
        },
        extended: true,
        read: |args, picture, _| {
            let (from, to) = (place(args, ["x", "y"], picture)?, place(args, ["to_x", "to_y"], picture)?);
            Ok(vec![hands::drag(from, to)])
        },
    },
];

fn typing() -> (Value, &'static [&'static str]) {
    (json!({"text": {"type": "string"}, "interval_ms": {"type": "integer"}}), &["text"])
}

fn place(args: &mut Fields, [x, y]: [&'static str; 2], picture: &PictureGeometry) -> Fits<Spot> {
    POINTS.spot(args.number(x)?, args.number(y)?, picture).map_err(|m| args.fault(m))
}

fn write(args: &mut Fields, _: &PictureGeometry, _: &mut Vec<String>) -> Fits<Vec<Action>> {
    let text = args.text("text")?;
    let interval = args.opt_whole("interval_ms", 0, i64::MAX)?;
    hands::typable(&text).map_err(|m| args.fault(m))?;
    // 0 is what goes without saying: the pace of the profile.
    let interval_millis = interval.filter(|ms| *ms > 0).map(|ms| ms as u64);
    Ok(vec![Action::Type { text, interval_millis }])
}

fn mouse(args: &mut Fields, picture: &PictureGeometry, notes: &mut Vec<String>) -> Fits<Vec<Action>> {
    let at = place(args, ["x", "y"], picture)?;
    let button = args.opt_word("button", BUTTONS)?.unwrap_or(Button::Left);
    let clicks = args.opt_whole("clicks", 1, 4)?.unwrap_or(1);
    let interval = args.opt_whole("interval_ms", i64::MIN, i64::MAX)?;
    let interval = interval.map(|ms| clamp("interval_ms", ms, 10, 1000, notes));
    if args.opt_word("action", &[("move", ())])?.is_some() {
        return Ok(vec![Action::Move { to: at }]);
    }
    let Some(interval) = interval.filter(|_| clicks > 1) else {
        let (at, count) = (Some(at), clicks as u8);
        return Ok(vec![Action::Click { at, button, count, modifiers: Modifiers::NONE }]);
    };
    // At a pace of their own (D-33).
    let mut actions = Vec::new();
    for n in 0..clicks {
        if n > 0 {
            actions.push(Action::Wait { millis: interval as u64 });
        }
        actions.push(hands::click(Some(at), button, 1));
    }
    Ok(actions)
}

fn press(args: &mut Fields, notes: &mut Vec<String>) -> Fits<Vec<Action>> {
    let names = match (args.has("key"), args.has("keys")) {
        (true, false) => vec![args.text("key")?],
        (false, true) => args.texts("keys")?,
        (true, true) => return Err(args.fault(Misfit::malformed("give `key` or `keys`, not both"))),
        (false, false) => return Err(args.fault(Misfit::missing("`key` is missing"))),
    };
    if names.is_empty() || names.len() > 64 {
        return Err(args.fault(Misfit::out_of_range("`keys` holds 1 to 64 keys")));
    }
    let mut actions = Vec::new();
    for name in names {
        let key: handsight_base::key::Key = name
            .parse()
            .map_err(|e: handsight_base::key::KeyError| args.fault(Misfit::out_of_range(e.to_string())))?;
        if key.is_modifier() && actions.is_empty() {
            notes.push(format!("`press` taps {key} alone; `hotkey` holds it"));
        }
        actions.push(hands::key(handsight_base::key::Chord(vec![key])));
    }
    Ok(actions)
}

fn clamp(name: &str, given: i64, from: i64, to: i64, notes: &mut Vec<String>) -> i64 {
    let used = given.clamp(from, to);
    if used != given {
        notes.push(format!("`{name}` {given} is outside {from} to {to}: used {used}"));
    }
    used
}

/// A command line as its words: blanks separate them, double quotes keep them together. No shell reads it.
fn words_of(command: &str) -> Fits<Vec<String>> {
    let mut words = Vec::new();
    let (mut word, mut quoted, mut begun) = (String::new(), false, false);
    for c in command.chars() {
        match c {
            '"' => (quoted, begun) = (!quoted, true),
            c if c.is_whitespace() && !quoted => {
                if begun {
                    words.push(std::mem::take(&mut word));
                    begun = false;
                }
            }
            c if c.is_control() => return Err(Misfit::out_of_range("the command holds a control character")),
            c => {
                word.push(c);
                begun = true;
            }
        }
    }
    if quoted {
        return Err(Misfit::malformed("a quote of the command has no end"));
    }
    if begun {
        words.push(word);
    }
    if words.first().is_none_or(String::is_empty) {
        return Err(Misfit::missing("the command is empty"));
    }
    Ok(words)
}
