//! The actions of UI-TARS under all the names that its parsers know (`gui-agent/shared/src/utils/actions.ts`), and their points.

use crate::dialect::fields::Fields;
use crate::dialect::hands::{BUTTONS, DIRECTIONS};
use crate::dialect::reject::{Fits, Misfit, kind_of, short};
use crate::dialect::steps::{SOME_NOTCHES, Steps, submitted};
use handsight_base::flow::action::{Action, Button, Spot};
use serde_json::{Map, Value};

/// `wait()` sleeps so long (`prompt.py`).
const WAIT_SECONDS: f64 = 5.0;

/// The name that an action goes by here, for each that a model may write in any case.
const NAMES: &[(&str, &[&str])] = &[
    ("click", &["click", "left_click", "left_single", "leftclick", "leftsingle"]),
    ("double_click", &["double_click", "left_double", "doubleclick", "leftdouble"]),
    ("right_click", &["right_click", "right_single", "rightclick", "rightsingle"]),
    ("middle_click", &["middle_click", "middle_single", "middleclick", "middlesingle"]),
    ("move", &["move", "move_to", "mouse_move", "moveto", "mousemove", "hover"]),
    ("mouse_down", &["mouse_down", "mousedown"]),
    ("mouse_up", &["mouse_up", "mouseup"]),
    ("drag", &["drag", "select", "left_click_drag", "leftclickdrag"]),
    ("swipe", &["swipe"]),
    ("scroll", &["scroll"]),
    ("type", &["type"]),
    ("hotkey", &["hotkey"]),
    ("press", &["press", "keydown"]),
    ("release", &["release", "keyup"]),
    ("navigate", &["navigate"]),
    ("navigate_back", &["navigate_back", "navigateback"]),
    ("long_press", &["long_press", "longpress"]),
    ("press_home", &["press_home", "home", "presshome"]),
    ("press_back", &["press_back", "back", "pressback"]),
    ("open_app", &["open_app", "open", "openapp"]),
    ("wait", &["wait"]),
    ("finished", &["finished"]),
    ("call_user", &["call_user", "calluser"]),
    ("look", &["screenshot", "snapshot", "take_screenshot", "takescreenshot", "open_computer"]),
];

/// The same for what an action is given.
const INPUTS: &[(&str, &[&str])] = &[
    (
        "start",
        &[
            "start",
            "start_box",
            "startbox",
            "start_point",
            "start_position",
            "start_coordinate",
            "start_coordinates",
        ],
    ),
    ("end", &["end", "end_box", "endbox", "end_point", "end_position", "end_coordinate", "end_coordinates"]),
    ("point", &["point", "position", "coordinate", "coordinates"]),
    ("button", &["button", "mouse_button", "mousebutton"]),
    ("direction", &["direction", "dir", "scroll_direction", "scrolldirection"]),
    ("content", &["content", "text", "input_text", "inputtext", "type"]),
    ("key", &["key", "keyname", "hotkey", "keyboard_key", "keyboardkey", "press"]),
    ("url", &["url", "link", "website"]),
    ("name", &["name", "appname", "app_name", "application"]),
    ("time", &["time", "duration", "wait_time", "waittime", "delay"]),
];

fn unified<'n>(table: &'n [(&'n str, &'n [&'n str])], name: &str) -> Option<&'n str> {
    let name = name.to_ascii_lowercase();
    table.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(unified, _)| *unified)
}

pub(super) fn take(written: &str, given: Map<String, Value>, steps: &mut Steps<'_>) -> Fits<()> {
    let Some(name) = unified(NAMES, written) else {
        let words =
            "click, left_double, right_single, drag, hotkey, type, scroll, wait, finished or call_user";
        return Err(Misfit::unknown(format!("there is no action `{}`: write {words}", short(written))));
    };
    let mut named = Map::new();
    for (key, value) in given {
        let Some(known) = unified(INPUTS, &key) else {
            return Err(Misfit::wrong_type(format!("it has no field `{}`", short(&key))).within(written));
        };
        // The vendor's reader goes past a text that is empty.
        if value.is_null() || (value.as_str() == Some("") && known != "content") {
            return Err(Misfit::missing(format!("`{}` is empty", short(&key))).within(written));
        }
        // An address and a program may be given as plain content.
        let known = match (name, known) {
            ("navigate", "content") => "url",
            ("open_app", "content") => "name",
            (_, known) => known,
        };
        if named.insert(known.to_owned(), value).is_some() {
            return Err(Misfit::malformed(format!("`{}` stands twice", short(&key))).within(written));
        }
    }
    // A start without an end is the point.
    if !named.contains_key("end")
        && !named.contains_key("point")
        && let Some(start) = named.shift_remove("start")
    {
        named.insert("point".into(), start);
    }
    let mut fields = Fields::new(written, named);
    verb(name, &mut fields, steps).map_err(|m| m.named(written))?;
    fields.end()
}

fn verb(name: &str, fields: &mut Fields, steps: &mut Steps<'_>) -> Fits<()> {
    match name {
        "click" => steps.click(Some(need(fields, "point", steps)?), Button::Left, 1),
        "double_click" => steps.click(Some(need(fields, "point", steps)?), Button::Left, 2),
        "right_click" => steps.click(Some(need(fields, "point", steps)?), Button::Right, 1),
        "middle_click" => steps.click(Some(need(fields, "point", steps)?), Button::Middle, 1),
        "move" => steps.go(need(fields, "point", steps)?),
        "mouse_down" | "mouse_up" => {
            let at = point(fields, "point", steps)?;
            let button = fields.opt_word("button", BUTTONS)?.unwrap_or_default();
            steps.act(if name == "mouse_down" {
                Action::Down { at, button }
            } else {
                Action::Up { at, button }
            })
        }
        "drag" => {
            let from = need(fields, "start", steps)?;
            steps.drag(from, need(fields, "end", steps)?, Button::Left)
        }
        "swipe" => {
            let from = need(fields, "start", steps)?;
            steps.swipe(from, need(fields, "end", steps)?)
        }
        "scroll" => {
            let at = point(fields, "point", steps)?;
            let direction = fields.text("direction")?.trim().to_ascii_lowercase();
            let way = DIRECTIONS.iter().find(|(word, _)| *word == direction).map(|(_, way)| *way);
            let way = way.ok_or_else(|| {
                let words =
                    format!("`direction` is {:?}: it may be up, down, left or right", short(&direction));
                Misfit::out_of_range(words)
            })?;
            steps.turn(at, way, SOME_NOTCHES)
        }
        "type" => {
            if let Some(at) = point(fields, "point", steps)? {
                steps.click(Some(at), Button::Left, 1)?;
            }
            let text = submitted(fields.text("content")?);
            steps.type_text(text)
        }
        "hotkey" => {
            let keys = fields.text("key")?;
            steps.keys(&keys)
        }
        "press" => {
            let key = fields.text("key")?;
            steps.hold(&key)
        }
        "release" => {
            let key = fields.text("key")?;
            steps.release(&key)
        }
        "navigate" => {
            let url = fields.text("url")?;
            steps.visit(&url)
        }
        "navigate_back" | "press_back" => steps.back(),
        "press_home" => steps.home(),
        "long_press" => {
            let at = need(fields, "point", steps)?;
            let seconds = seconds(fields)?;
            steps.long_press(at, seconds)
        }
        "open_app" => {
            let name = fields.text("name")?;
            steps.launch(name)
        }
        "wait" => {
            let seconds = seconds(fields)?.unwrap_or(WAIT_SECONDS);
            steps.wait(seconds)
        }
        "finished" => {
            let said = fields.opt_text("content")?.unwrap_or_default();
            steps.done(said)
        }
        "call_user" => {
            let question = fields.opt_text("content")?.filter(|q| !q.trim().is_empty());
            steps.ask(question.unwrap_or_else(|| "The model asks for help with this task.".into()))
        }
        _ => steps.look(),
    }
}

fn need(fields: &mut Fields, name: &'static str, steps: &Steps<'_>) -> Fits<Spot> {
    let value = fields.need(name)?;
    place(&value, steps).map_err(|m| Misfit { words: format!("`{name}`: {}", m.words), ..m })
}

fn point(fields: &mut Fields, name: &'static str, steps: &Steps<'_>) -> Fits<Option<Spot>> {
    if fields.has(name) { need(fields, name, steps).map(Some) } else { Ok(None) }
}

/// `3`, `'3'` or `'3s'`.
fn seconds(fields: &mut Fields) -> Fits<Option<f64>> {
    match fields.opt("time") {
        None => Ok(None),
        Some(Value::String(text)) => {
            let number = text.trim().trim_end_matches('s').trim_end();
            let seconds = number.parse::<f64>().ok().filter(|s| s.is_finite());
            seconds
                .map(Some)
                .ok_or_else(|| Misfit::wrong_type(format!("`time` is {:?}, no number", short(&text))))
        }
        Some(value) => match value.as_f64() {
            Some(seconds) => Ok(Some(seconds)),
            None => Err(Misfit::wrong_type(format!("`time` is {}, not a number", kind_of(&value)))),
        },
    }
}

/// A point in any of its forms: `(x,y)`, `<|box_start|>(x,y)<|box_end|>`, `<point>x y</point>`, `<bbox>x1 y1 x2 y2</bbox>`,
/// `[x1,y1,x2,y2]` (the middle of it), bare `x y`, or a list of numbers.
fn place(value: &Value, steps: &Steps<'_>) -> Fits<Spot> {
    match value {
        Value::String(text) => {
            let numbers = numbers(text).ok_or_else(|| {
                Misfit::wrong_type(format!("{:?} is no point: write two numbers, like (10,20)", short(text)))
            })?;
            steps.spot_or_box(&numbers)
        }
        Value::Array(list) => {
            let numbers: Option<Vec<f64>> = list.iter().map(Value::as_f64).collect();
            steps.spot_or_box(&numbers.ok_or_else(|| Misfit::wrong_type("a list that is not of numbers"))?)
        }
        other => Err(Misfit::wrong_type(format!("{} stands where a point belongs", kind_of(other)))),
    }
}

fn numbers(text: &str) -> Option<Vec<f64>> {
    let mut text = text.trim();
    for (open, close) in [
        ("<|box_start|>", "<|box_end|>"),
        ("<point>", "</point>"),
        ("<bbox>", "</bbox>"),
        ("(", ")"),
        ("[", "]"),
    ] {
        match (text.strip_prefix(open), text.ends_with(close)) {
            (Some(inside), true) => text = inside.strip_suffix(close)?.trim(),
            (None, false) => {}
            // Half a pair.
            _ => return None,
        }
    }
    let apart: Vec<&str> = if text.contains(',') {
        text.split(',').map(str::trim).collect()
    } else {
        text.split_whitespace().collect()
    };
    // Only digits, a point and a sign: `inf` and `1e3` are numbers of other readers.
    let number = |word: &str| {
        let digits = word.strip_prefix('-').unwrap_or(word);
        let plain = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
        if plain { word.parse::<f64>().ok().filter(|n| n.is_finite()) } else { None }
    };
    let numbers: Option<Vec<f64>> = apart.into_iter().map(number).collect();
    numbers.filter(|n| matches!(n.len(), 2 | 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_a_point_are_numbers() {
        for (text, given) in [
            ("(10,20)", &[10.0, 20.0][..]),
            ("( 10 , 20 )", &[10.0, 20.0]),
            ("<|box_start|>(10,20)<|box_end|>", &[10.0, 20.0]),
            ("<point>10 20</point>", &[10.0, 20.0]),
            ("<point>10, 20</point>", &[10.0, 20.0]),
            ("<bbox>10 20 30 40</bbox>", &[10.0, 20.0, 30.0, 40.0]),
            ("[10,20,30,40]", &[10.0, 20.0, 30.0, 40.0]),
            ("[10 20]", &[10.0, 20.0]),
            ("10 20", &[10.0, 20.0]),
            ("0,0", &[0.0, 0.0]),
            ("(-1, 2.5)", &[-1.0, 2.5]),
        ] {
            assert_eq!(numbers(text).as_deref(), Some(given), "{text}");
        }
        for text in [
            "",
            "()",
            "10",
            "(10)",
            "(10,20",
            "10,20)",
            "(10,20,30)",
            "(a,b)",
            "(inf,1)",
            "(nan,1)",
            "(1e3,1)",
            "(0x1,2)",
            "<point>10 20",
            "<point>10 20</bbox>",
            "((10,20)",
            "(10,,20)",
            "(10;20)",
            "(10, 20) or (30, 40)",
        ] {
            assert_eq!(numbers(text), None, "{text}");
        }
    }
}
