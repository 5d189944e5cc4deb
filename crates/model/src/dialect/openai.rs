//! OpenAI's computer: `computer_use_preview` with one action a call, and `computer` with several.
//!
//! Sources: openai-python (2026-08-21) `types/responses/{computer_action,computer_action_list,response_computer_tool_call,
//! computer_tool_param,computer_use_preview_tool_param,response_input_item_param}.py`; the public guide "Computer use" as of
//! September 2026. The preview's request says the picture's size and wants `truncation: "auto"`; the other has no fields at all and
//! its pictures go with the detail `original`.
//!
//! Coordinates are whole pixels of the picture as sent; up to 10.24 million of them are looked at unshrunk. A scroll is in pixels,
//! positive down and right. A `wait` has no length: two seconds, as the guide's loop waits. A drag's points come as `{x, y}` (the
//! types) or `[x, y]` (the guide), the wheel button as `wheel` (the types) or `middle` (the guide), a scroll as `scroll_x` (the
//! types) or `scrollX` (the guide); `keys: null` says none.
//!
//! Every call is answered by a screenshot and by nothing else. Questions of the provider (`pending_safety_checks`) are a person's
//! to answer; until then nothing runs.

use super::DialectEntry;
use super::fields::Fields;
use super::hands::{self, PIXELS, act};
use super::native::{Grammar, Meaning, Native, Shows, object, typed};
use super::point::{Points, numbers};
use super::reject::{Fits, Misfit, kind_of, listed, short};
use handsight_base::flow::action::{Action, Button, ScrollBy, Spot};
use handsight_base::flow::intent::{Intent, Look};
use handsight_base::flow::prompt::NativeTool;
use handsight_base::key::Modifiers;
use handsight_base::port::dialect::{BatchRule, DialectInfo, PointSpace};
use handsight_base::port::model::ToolCall;
use handsight_base::space::{PictureGeometry, Rounding, Size};
use serde_json::{Value, json};

pub(super) const PREVIEW: DialectEntry = DialectEntry {
    info: info("openai-computer-preview", "OpenAI's computer_use_preview: one action a call"),
    points: Some(Points::PIXELS),
    build: |tools, _| Native::boxed(Computer { preview: true }, tools),
};

pub(super) const COMPUTER: DialectEntry = DialectEntry {
    info: info("openai-computer", "OpenAI's computer: several actions a call"),
    points: Some(Points::PIXELS),
    build: |tools, _| Native::boxed(Computer { preview: false }, tools),
};

const fn info(name: &'static str, about: &'static str) -> DialectInfo {
    DialectInfo {
        name,
        about,
        space: Some(PointSpace::Picture),
        rounding: Rounding::FloorOfCount,
        batch: BatchRule::InOrder,
        wires: &["responses"],
        results: "a screenshot for each call; words beside it",
        cannot: &[
            "clicks, scrolls and drags where the pointer is",
            "triple clicks",
            "holding a button or a key",
            "moves with modifiers",
            "waits of another length than two seconds",
            "zooming and asking where the pointer is",
            "pasting, launching and focusing windows",
        ],
    }
}

/// What the wire calls a call of the computer.
const NAME: &str = "computer";

/// How long a `wait` is.
const WAIT_MILLIS: u64 = 2000;

/// Most actions of a call.
const MOST: usize = 50;

/// Most pixels that are looked at unshrunk.
const LARGEST: u64 = 10_240_000;

const TYPES: [&str; 9] =
    ["click", "double_click", "drag", "keypress", "move", "screenshot", "scroll", "type", "wait"];

const BUTTONS: &[(&str, Button)] = &[
    ("left", Button::Left),
    ("right", Button::Right),
    ("wheel", Button::Middle),
    ("middle", Button::Middle),
    ("back", Button::Back),
    ("forward", Button::Forward),
];

struct Computer {
    preview: bool,
}

impl Grammar for Computer {
    fn info(&self) -> DialectInfo {
        if self.preview { PREVIEW.info } else { COMPUTER.info }
    }

    fn tool(&self, picture: Size) -> NativeTool {
        let json = if self.preview {
            json!({
                "type": "computer_use_preview",
                "display_width": picture.width,
                "display_height": picture.height,
                // Of the five it may be. Those of a desktop differ in key names only, and all of them are read whatever is said here,
                // as the desktop may be another machine's.
                "environment": if cfg!(windows) { "windows" } else { "linux" },
            })
        } else {
            json!({"type": "computer"})
        };
        NativeTool { wire: "responses", json, headers: &[] }
    }

    fn takes(&self, name: &str) -> bool {
        name == NAME
    }

    fn read(&self, call: &ToolCall, picture: &PictureGeometry) -> Fits<Meaning> {
        let mut f = Fields::new(NAME, object(call)?);
        let actions = match (f.opt("actions"), f.opt("action")) {
            (Some(Value::Array(actions)), None) => actions,
            (None, Some(action)) => vec![action],
            (Some(other), None) => {
                let words = format!("`actions` is {}, not a list", kind_of(&other));
                return Err(f.fault(Misfit::wrong_type(words)));
            }
            (Some(_), Some(_)) => return Err(f.fault(Misfit::malformed("both `action` and `actions`"))),
            (None, None) => return Err(f.fault(Misfit::missing("the field `actions` is missing"))),
        };
        f.end()?;
        if !(1..=MOST).contains(&actions.len()) {
            let words = format!("computer: {} actions: it goes from 1 to {MOST}", actions.len());
            return Err(Misfit::out_of_range(words));
        }
        let intents: Vec<Intent> =
            actions.into_iter().map(|action| one(action, picture)).collect::<Fits<_>>()?;
        Ok(intents.into())
    }

    fn how(&self) -> String {
        format!("The computer has the actions {}, as its definition says.", listed(TYPES))
    }

    fn picture_size(&self, screen: Size, within: Size) -> Option<Size> {
        let (screen_area, most) = (screen.area(), LARGEST.min(within.area()));
        if screen.is_empty() || screen_area <= LARGEST {
            return None;
        }
        let share = (most as f64 / screen_area as f64).sqrt();
        let side = |n: u32| ((f64::from(n) * share).floor() as u32).max(1);
        Some(Size::new(side(screen.width), side(screen.height)))
    }

    fn shows(&self) -> Shows {
        Shows::Each
    }
}

fn one(action: Value, picture: &PictureGeometry) -> Fits<Intent> {
    let Value::Object(mut given) = action else {
        return Err(Misfit::wrong_type(format!("an action is {}, not an object", kind_of(&action))));
    };
    let kind = match given.shift_remove("type") {
        Some(Value::String(kind)) => kind,
        Some(_) => return Err(Misfit::wrong_type("the `type` of an action is no text")),
        None => return Err(Misfit::missing("an action has no `type`")),
    };
    if !TYPES.contains(&kind.as_str()) {
        return Err(Misfit::unknown(format!("there is no action `{}`", short(&kind))));
    }
    let mut f = Fields::new(kind.as_str(), given);
    let intent = match kind.as_str() {
        "click" => {
            let (at, button) = (spot(&mut f, picture)?, f.opt_word("button", BUTTONS)?.unwrap_or_default());
            act(Action::Click { at: Some(at), button, count: 1, modifiers: held(&mut f)? })
        }
        "double_click" => {
            let (at, button) = (spot(&mut f, picture)?, f.opt_word("button", BUTTONS)?.unwrap_or_default());
            act(Action::Click { at: Some(at), button, count: 2, modifiers: held(&mut f)? })
        }
        "drag" => {
            let path = path(&mut f, picture)?;
            act(Action::Drag { path, button: Button::Left, modifiers: held(&mut f)? })
        }
        "keypress" => {
            let keys = f.texts("keys")?;
            let chord = hands::chord_of(keys.iter().map(String::as_str)).map_err(|m| f.fault(m))?;
            act(hands::key(chord))
        }
        "move" => {
            let to = spot(&mut f, picture)?;
            if held(&mut f)? != Modifiers::NONE {
                return Err(f.fault(Misfit::out_of_range("keys cannot be held during a move alone")));
            }
            act(Action::Move { to })
        }
        "scroll" => {
            let at = spot(&mut f, picture)?;
            let (x, y) =
                (pixels(&mut f, &["scroll_x", "scrollX"])?, pixels(&mut f, &["scroll_y", "scrollY"])?);
            let by = ScrollBy::Pixels { dx: x, dy: -y };
            act(Action::Scroll { at: Some(at), by, modifiers: held(&mut f)? })
        }
        "type" => {
            let text = f.text("text")?;
            act(typed(text).map_err(|m| f.fault(m))?)
        }
        "wait" => act(Action::Wait { millis: WAIT_MILLIS }),
        // The last of them.
        _ => Intent::Look(Look::Screenshot),
    };
    f.end()?;
    Ok(intent)
}

fn spot(f: &mut Fields, picture: &PictureGeometry) -> Fits<Spot> {
    let (x, y) = (f.number("x")?, f.number("y")?);
    Points::PIXELS.spot(x, y, picture).map_err(|m| f.fault(m))
}

fn path(f: &mut Fields, picture: &PictureGeometry) -> Fits<Vec<Spot>> {
    let path = f.need("path")?;
    let point = |value: &Value| {
        let corner = match value {
            Value::Object(point) => json!([point.get("x"), point.get("y")]),
            other => other.clone(),
        };
        Points::PIXELS.of_value(&corner, picture)
    };
    let path = match &path {
        Value::Array(points) if (2..=1000).contains(&points.len()) => points.iter().map(point).collect(),
        Value::Array(points) => {
            let words = format!("a path of {} points: it goes from 2 to 1000", points.len());
            Err(Misfit::out_of_range(words))
        }
        other => Err(Misfit::wrong_type(format!("`path` is {}, not a list of points", kind_of(other)))),
    };
    path.map_err(|m| f.fault(m))
}

/// Modifiers; an empty list and `null` hold none.
fn held(f: &mut Fields) -> Fits<Modifiers> {
    if !f.has("keys") {
        f.opt("keys");
        return Ok(Modifiers::NONE);
    }
    let keys = f.texts("keys")?;
    hands::modifiers_of(keys.iter().map(String::as_str)).map_err(|m| f.fault(m))
}

fn pixels(f: &mut Fields, names: &[&'static str]) -> Fits<i32> {
    let name = names.first().copied().unwrap_or_default();
    let given =
        f.any(names)?.ok_or_else(|| f.fault(Misfit::missing(format!("the field `{name}` is missing"))))?;
    let wrong =
        || f.fault(Misfit::wrong_type(format!("`{name}` is {}, not a whole number", kind_of(&given))));
    let [number] = numbers(&json!([given])).map_err(|_| wrong())?;
    if number.fract() != 0.0 {
        return Err(f.fault(Misfit::wrong_type(format!("`{name}` has a fraction"))));
    }
    if number.abs() > PIXELS as f64 {
        let words = format!("`{name}` is {number}: it goes from -{PIXELS} to {PIXELS}");
        return Err(f.fault(Misfit::out_of_range(words)));
    }
    Ok(number as i32)
}
