//! OSWorld's `computer_13`: one action as JSON, `{"action_type": "CLICK", "x": 300, "y": 150}`, in a fence or bare.
//!
//! `WAIT`, `DONE` and `FAIL` are also words of their own. Several fences are actions one after the other. Points are pixels of the
//! screenshot; keys have PyAutoGUI's names, and all others are read too. `KEY_DOWN` and `KEY_UP` hold a key only within a reply.
//!
//! Sources: OSWorld `desktop_env/actions.py` and `mm_agents/agent.py` `parse_actions_from_string` (seen in mrwwk/DeskCraft, 2026-06, and
//! OS-Copilot/OS-Map, 2026-04). `parameters` around the fields is accepted as older prompts had it. The unit of `SCROLL` is PyAutoGUI's:
//! notches, up and right positive.

use super::fields::Fields;
use super::grammar::{Grammar, IN_TEXT, NO_TOOLS};
use super::hands::{self, BUTTONS, NOTCHES};
use super::nous;
use super::point::Points;
use super::reject::{Fits, Misfit, kind_of, short};
use super::steps::Steps;
use super::{DialectEntry, finish, thoughts};
use handsight_base::flow::action::{Action, Button, Spot};
use handsight_base::port::dialect::{BatchRule, DialectInfo, PointSpace};
use handsight_base::port::model::ModelReply;
use handsight_base::space::Rounding;
use serde_json::Value;

pub(super) const ENTRY: DialectEntry = GRAMMAR.entry(|tools, _| GRAMMAR.boxed(tools));

static GRAMMAR: Grammar = Grammar {
    info: DialectInfo {
        name: "osworld",
        about: "OSWorld computer_13: JSON actions, points in pixels of the picture",
        space: Some(PointSpace::Picture),
        rounding: Rounding::FloorOfCount,
        batch: BatchRule::InOrder,
        wires: &[],
        results: IN_TEXT,
        cannot: &[NO_TOOLS, "a key held from one reply to the next", "where the pointer is"],
    },
    points: Points { fractions: true, ..Points::PIXELS },
    pictures: None,
    around: None,
    how: "Write:\n```json\n{\"action_type\": \"CLICK\", \"x\": 10, \"y\": 20}\n```",
    words: |_| words(),
    read,
};

/// An action and its parameters.
const ACTIONS: &[(&str, &str)] = &[
    ("MOVE_TO", "\"x\", \"y\""),
    ("CLICK", "\"button\"?: \"left\", \"right\" or \"middle\", \"x\"?, \"y\"?, \"num_clicks\"?: 1, 2 or 3"),
    ("MOUSE_DOWN", "\"button\"?"),
    ("MOUSE_UP", "\"button\"?"),
    ("RIGHT_CLICK", "\"x\"?, \"y\"?"),
    ("DOUBLE_CLICK", "\"x\"?, \"y\"?"),
    ("DRAG_TO", "\"x\", \"y\": with the left button, from where the pointer is"),
    ("SCROLL", "\"dx\", \"dy\": notches of the wheel, right and up positive"),
    ("TYPING", "\"text\""),
    ("PRESS", "\"key\""),
    ("KEY_DOWN", "\"key\": to be let go in the same reply"),
    ("KEY_UP", "\"key\""),
    ("HOTKEY", "\"keys\": a list such as [\"ctrl\", \"c\"]"),
    ("WAIT", ""),
    ("FAIL", "the task cannot be done"),
    ("DONE", "the task is done"),
];

fn words() -> String {
    let lines: Vec<String> = ACTIONS.iter().map(|(name, about)| format!("- {name} {about}")).collect();
    format!(
        "Answer with an action as JSON in a block like this, after a sentence on what you do and why:\n\
         ```json\n{{\"action_type\": \"CLICK\", \"x\": 300, \"y\": 150}}\n```\n\n\
         x and y are pixels of the screenshot, from the top left corner; ? marks what may be left out. Several blocks are carried out \
         one after the other. The actions:\n{}",
        lines.join("\n")
    )
}

/// `WAIT` lets the screen go on for so long.
const WAIT_SECONDS: f64 = 1.0;

fn read(_: &Grammar, reply: &ModelReply, steps: &mut Steps<'_>) -> Fits<String> {
    let (thought, rest) = thoughts::split(finish::text(reply)?)?;
    let (said, bodies) = bodies(rest)?;
    for body in bodies {
        one(body, steps)?;
    }
    Ok(thoughts::joined([thought.as_str(), said]))
}

/// What is said, and what the fences hold; or the whole reply.
fn bodies(text: &str) -> Fits<(&str, Vec<&str>)> {
    if !text.contains("```") {
        if text.starts_with('{') || matches!(text, "WAIT" | "DONE" | "FAIL") {
            return Ok(("", vec![text]));
        }
        return Err(Misfit::no_call("there is no action in a ```json block; one in a sentence does nothing"));
    }
    let parts: Vec<&str> = text.split("```").collect();
    // Said, fenced, said, fenced, said: an odd number of parts.
    if parts.len().is_multiple_of(2) {
        return Err(Misfit::malformed("a block has no end"));
    }
    let said = parts.first().copied().unwrap_or_default();
    let fenced = parts.iter().skip(1).step_by(2);
    Ok((said, fenced.map(|b| b.strip_prefix("json").unwrap_or(b).trim()).collect()))
}

fn one(body: &str, steps: &mut Steps<'_>) -> Fits<()> {
    let (name, given) = match body {
        "WAIT" | "DONE" | "FAIL" => (body.to_owned(), serde_json::Map::new()),
        _ => {
            let Value::Object(mut action) = nous::object(body)? else {
                return Err(Misfit::wrong_type("an action is no JSON object"));
            };
            let name = match action.shift_remove("action_type") {
                Some(Value::String(name)) => name,
                Some(other) => {
                    return Err(Misfit::wrong_type(format!(
                        "`action_type` is {}, not a text",
                        kind_of(&other)
                    )));
                }
                None => return Err(Misfit::missing("the field `action_type` is missing")),
            };
            match action.shift_remove("parameters") {
                Some(Value::Object(inside)) => action.extend(inside),
                Some(other) => {
                    return Err(Misfit::wrong_type(format!(
                        "`parameters` is {}, not an object",
                        kind_of(&other)
                    )));
                }
                None => {}
            }
            (name, action)
        }
    };
    let mut fields = Fields::new(name.clone(), given);
    take(&name, &mut fields, steps).map_err(|m| m.named(&name))?;
    fields.end()
}

fn take(name: &str, fields: &mut Fields, steps: &mut Steps<'_>) -> Fits<()> {
    match name {
        "MOVE_TO" => {
            let to = place(fields, steps)?.ok_or_else(|| Misfit::missing("`x` and `y` are missing"))?;
            steps.go(to)
        }
        "DRAG_TO" => {
            let to = place(fields, steps)?.ok_or_else(|| Misfit::missing("`x` and `y` are missing"))?;
            steps.drag_to(to, Button::Left)
        }
        "CLICK" => {
            let at = place(fields, steps)?;
            let button = fields.opt_word("button", BUTTONS)?.unwrap_or_default();
            let count = fields.opt_whole("num_clicks", 1, 3)?.unwrap_or(1) as u8;
            steps.click(at, button, count)
        }
        "RIGHT_CLICK" => steps.click(place(fields, steps)?, Button::Right, 1),
        "DOUBLE_CLICK" => steps.click(place(fields, steps)?, Button::Left, 2),
        "MOUSE_DOWN" | "MOUSE_UP" => {
            let button = fields.opt_word("button", BUTTONS)?.unwrap_or_default();
            let down = name == "MOUSE_DOWN";
            steps.act(if down { Action::Down { at: None, button } } else { Action::Up { at: None, button } })
        }
        "SCROLL" => {
            let dx = fields.whole("dx", -NOTCHES, NOTCHES)? as i32;
            let dy = fields.whole("dy", -NOTCHES, NOTCHES)? as i32;
            if (dx, dy) == (0, 0) {
                return Err(Misfit::out_of_range("`dx` and `dy` are both 0"));
            }
            steps.act(hands::notches(None, dx, dy))
        }
        "TYPING" => {
            let text = fields.text("text")?;
            steps.type_text(text)
        }
        "PRESS" => {
            let key = fields.text("key")?;
            steps.keys(&key)
        }
        "KEY_DOWN" => {
            let key = fields.text("key")?;
            steps.hold(&key)
        }
        "KEY_UP" => {
            let key = fields.text("key")?;
            steps.release(&key)
        }
        "HOTKEY" => {
            let keys = fields.texts("keys")?;
            steps.keys_of(keys.iter().map(String::as_str))
        }
        "WAIT" => steps.wait(WAIT_SECONDS),
        "DONE" => steps.done(""),
        "FAIL" => steps.give_up(""),
        _ => {
            let there: Vec<&str> = ACTIONS.iter().map(|(name, _)| *name).collect();
            Err(Misfit::unknown(format!("there is no action `{}`, only {}", short(name), there.join(", "))))
        }
    }
}

/// `x` and `y`, both or none.
fn place(fields: &mut Fields, steps: &Steps<'_>) -> Fits<Option<Spot>> {
    match (fields.opt_number("x")?, fields.opt_number("y")?) {
        (None, None) => Ok(None),
        (Some(x), Some(y)) => steps.spot_of(x, y).map(Some),
        _ => Err(Misfit::missing("a point needs both `x` and `y`")),
    }
}
