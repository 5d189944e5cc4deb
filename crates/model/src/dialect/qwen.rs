//! Qwen's `computer_use` and `mobile_use`: one function with an `action` in it, in `<tool_call>` elements or as a function call.
//!
//! Versions as tables: Qwen2.5-VL counts pixels of the picture that its processor makes, Qwen3-VL and later 0 to 1000 on a screen
//! declared to be 1000x1000; Qwen3.5 holds modifiers named in `text` around clicks and writes its calls as XML.
//!
//! Sources: QwenLM/Qwen3-VL `cookbooks/utils/agent_function_call.py` and `cookbooks/mobile_agent.ipynb` (2026-01; the notebook's
//! `mobile_use` has `answer`, and no `key` and no `open`: both are read here); Qwen's agents for OSWorld,
//! `mm_agents/{qwen3vl,qwen35vl}_agent.py` (seen in mrwwk/DeskCraft, 2026-06); trycua/cua `cua_agent/loops/{generic_vlm,qwen35}.py`
//! (2026-08). The sources differ in what 1000 means: `v / 1000 * size` in the grounding notebook and in cua, `v / 999 * size` in the
//! mobile notebook and in OSWorld; at the far edge of 1920 pixels that is two pixels apart. The first is taken here.
//!
//! `scroll` names pixels, and its runners hand the number to `pyautogui.scroll`, which counts notches. A number as small as a count
//! of notches is taken for one: five pixels are nothing that anybody scrolls by.

mod mobile;

use super::fields::Fields;
use super::grammar::{Grammar, NO_TOOLS, TOOL_RESPONSE};
use super::hands::{self, PIXELS};
use super::nous::{self, Block};
use super::point::{Order, Points};
use super::reject::{Fits, Misfit, kind_of, listed, short};
use super::resize::Resize;
use super::steps::Steps;
use super::{DialectEntry, finish, thoughts};
use handsight_base::flow::action::{Action, Button, ScrollBy, Spot};
use handsight_base::key::Modifiers;
use handsight_base::port::dialect::{BatchRule, DialectInfo, PointSpace};
use handsight_base::port::model::ModelReply;
use handsight_base::space::Rounding;
use serde_json::{Value, json};

pub(super) const COMPUTER_2_5: DialectEntry = COMPUTER_25.entry(|tools, _| COMPUTER_25.boxed(tools));
pub(super) const COMPUTER_3: DialectEntry = COMPUTER_30.entry(|tools, _| COMPUTER_30.boxed(tools));
pub(super) const COMPUTER_3_5: DialectEntry = COMPUTER_35.entry(|tools, _| COMPUTER_35.boxed(tools));
pub(super) const MOBILE_2_5: DialectEntry = MOBILE_25.entry(|tools, _| MOBILE_25.boxed(tools));
pub(super) const MOBILE_3: DialectEntry = MOBILE_30.entry(|tools, _| MOBILE_30.boxed(tools));

/// `min_pixels` and `max_pixels` of the processors.
const SMART_28: Resize = Resize::Smart { factor: 28, min_pixels: 3136, max_pixels: 12_845_056 };
const SMART_32: Resize = Resize::Smart { factor: 32, min_pixels: 3136, max_pixels: 12_845_056 };

const THOUSAND: Points = Points {
    space: PointSpace::Norm1000,
    order: Order::Xy,
    rounding: Rounding::FloorOfCount,
    top: 1000.0,
    fractions: true,
    resize: None,
};
const PICTURE: Points = Points { space: PointSpace::Picture, resize: Some(SMART_28), ..THOUSAND };

const INFO: DialectInfo = DialectInfo {
    name: "qwen3-computer",
    about: "Qwen3-VL computer_use: <tool_call>, points from 0 to 1000",
    space: Some(PointSpace::Norm1000),
    rounding: Rounding::FloorOfCount,
    batch: BatchRule::InOrder,
    wires: &[],
    results: "a <tool_response> of the next turn, the picture in it",
    cannot: &[NO_TOOLS, "a button pressed and let go apart", "a key held down", "where the pointer is"],
};

const MOBILE: DialectInfo = DialectInfo {
    name: "qwen3-mobile",
    about: "Qwen3-VL mobile_use: <tool_call>, points from 0 to 1000; gestures become mouse and keys",
    cannot: &[NO_TOOLS, "other buttons than the left one", "chords", "where the pointer is"],
    ..INFO
};

const HOW: &str = "Write:\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [x, y]}}\n</tool_call>";
const HOW_MOBILE: &str = "Write:\n<tool_call>\n{\"name\": \"mobile_use\", \"arguments\": {\"action\": \"click\", \"coordinate\": [x, y]}}\n</tool_call>";

static COMPUTER_25: Grammar = Grammar {
    info: DialectInfo {
        name: "qwen2.5-computer",
        about: "Qwen2.5-VL computer_use: <tool_call>, points in pixels of the picture",
        space: Some(PointSpace::Picture),
        ..INFO
    },
    points: PICTURE,
    pictures: Some(SMART_28),
    around: TOOL_RESPONSE,
    how: HOW,
    words: |g| words(g, Version::Plain),
    read: |_, reply, steps| read(reply, steps, Version::Plain),
};

static COMPUTER_30: Grammar = Grammar {
    info: INFO,
    points: THOUSAND,
    pictures: Some(SMART_32),
    around: TOOL_RESPONSE,
    how: HOW,
    words: |g| words(g, Version::Plain),
    read: |_, reply, steps| read(reply, steps, Version::Plain),
};

static COMPUTER_35: Grammar = Grammar {
    info: DialectInfo {
        name: "qwen3.5-computer",
        about: "Qwen3.5 computer_use: <tool_call> with XML in it, modifiers around clicks, points from 0 to 1000",
        ..INFO
    },
    points: THOUSAND,
    pictures: Some(SMART_32),
    around: TOOL_RESPONSE,
    how: "Write:\n<tool_call>\n<function=computer_use>\n<parameter=action>\nleft_click\n</parameter>\n<parameter=coordinate>\n[x, y]\n</parameter>\n</function>\n</tool_call>",
    words: |g| words(g, Version::Modifiers),
    read: |_, reply, steps| read(reply, steps, Version::Modifiers),
};

static MOBILE_25: Grammar = Grammar {
    info: DialectInfo {
        name: "qwen2.5-mobile",
        about: "Qwen2.5-VL mobile_use: <tool_call>, points in pixels of the picture; gestures become mouse and keys",
        space: Some(PointSpace::Picture),
        ..MOBILE
    },
    points: PICTURE,
    pictures: Some(SMART_28),
    around: TOOL_RESPONSE,
    how: HOW_MOBILE,
    words: |g| words(g, Version::Mobile),
    read: |_, reply, steps| read(reply, steps, Version::Mobile),
};

static MOBILE_30: Grammar = Grammar {
    info: MOBILE,
    points: THOUSAND,
    pictures: Some(SMART_32),
    around: TOOL_RESPONSE,
    how: HOW_MOBILE,
    words: |g| words(g, Version::Mobile),
    read: |_, reply, steps| read(reply, steps, Version::Mobile),
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    Plain,
    /// Qwen3.5: `text` beside a click or a scroll names modifiers to hold.
    Modifiers,
    Mobile,
}

/// Parameters that are lists and numbers, for calls whose values are all texts.
pub(super) const LISTS: &[&str] = &["coordinate", "coordinate2", "keys"];
pub(super) const NUMBERS: &[&str] = &["pixels", "time", "duration"];

/// A number of pixels up to this is one of notches.
const FEW: f64 = 20.0;

fn read(reply: &ModelReply, steps: &mut Steps<'_>, version: Version) -> Fits<String> {
    // cua calls the function `computer`.
    let names: &[&str] =
        if version == Version::Mobile { &["mobile_use"] } else { &["computer_use", "computer"] };
    blocks(reply, steps, names, |action, fields, steps| match version {
        Version::Mobile => mobile::take(action, fields, steps),
        Version::Plain | Version::Modifiers => computer(action, fields, steps, version),
    })
}

/// Every call of a reply that has one function with an `action` in it; the model's words as its reason.
pub(super) fn blocks(
    reply: &ModelReply,
    steps: &mut Steps<'_>,
    names: &[&str],
    mut take: impl FnMut(&str, &mut Fields, &mut Steps<'_>) -> Fits<()>,
) -> Fits<String> {
    let native = !reply.calls.is_empty();
    let (reason, blocks) = if native {
        finish::usable(reply)?;
        let said = thoughts::split(&reply.text);
        let reason =
            said.map(|(thought, rest)| thoughts::joined([thought.as_str(), rest])).unwrap_or_default();
        (reason, nous::native(&reply.calls)?)
    } else {
        let said = nous::read(finish::text(reply)?)?;
        said.notes.into_iter().for_each(|note| steps.note(note));
        (said.reason, said.blocks)
    };
    for (n, block) in blocks.into_iter().enumerate() {
        // A reply in text is one call to whoever tells its result.
        let call = if native { n } else { 0 };
        steps.of_call(call);
        one(block, steps, names, &mut take).map_err(|m| m.of_call(call))?;
    }
    Ok(reason)
}

fn one(
    mut block: Block,
    steps: &mut Steps<'_>,
    names: &[&str],
    take: &mut impl FnMut(&str, &mut Fields, &mut Steps<'_>) -> Fits<()>,
) -> Fits<()> {
    if !names.contains(&block.name.as_str()) {
        let words =
            format!("there is no function `{}`, only {}", short(&block.name), listed(names.iter().copied()));
        return Err(Misfit::unknown(words));
    }
    nous::typed(&mut block, LISTS, NUMBERS);
    let Block { mut arguments, untyped, .. } = block;
    // Seen of small models: the action under the name of its type (cua `qwen35.py`).
    if untyped
        && !arguments.contains_key("action")
        && let Some(action) = arguments.shift_remove("type")
    {
        arguments.insert("action".into(), action);
    }
    // Some fill in every field of the schema.
    arguments.retain(|_, value| !is_nothing(value));
    let action = match arguments.shift_remove("action") {
        Some(Value::String(action)) => action.trim().to_owned(),
        Some(other) => {
            return Err(Misfit::wrong_type(format!("`action` is {}, not a text", kind_of(&other))));
        }
        None => return Err(Misfit::missing("the field `action` is missing")),
    };
    let mut fields = Fields::new(action.clone(), arguments);
    take(&action, &mut fields, steps).map_err(|m| m.named(&action))?;
    fields.end()
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

pub(super) fn spot(fields: &mut Fields, name: &'static str, steps: &Steps<'_>) -> Fits<Spot> {
    let value = fields.need(name)?;
    steps.spot(&value).map_err(|m| Misfit { words: format!("`{name}`: {}", m.words), ..m })
}

pub(super) fn opt_spot(fields: &mut Fields, name: &'static str, steps: &Steps<'_>) -> Fits<Option<Spot>> {
    if fields.has(name) { spot(fields, name, steps).map(Some) } else { Ok(None) }
}

fn computer(action: &str, fields: &mut Fields, steps: &mut Steps<'_>, version: Version) -> Fits<()> {
    let (button, count) = match action {
        "left_click" => (Button::Left, 1),
        "right_click" => (Button::Right, 1),
        "middle_click" => (Button::Middle, 1),
        "double_click" => (Button::Left, 2),
        "triple_click" => (Button::Left, 3),
        _ => return other(action, fields, steps, version),
    };
    let at = opt_spot(fields, "coordinate", steps)?;
    let held = held(fields, version)?;
    steps.click_with(at, button, count, held)
}

/// Modifiers in `text`, where the version has them.
fn held(fields: &mut Fields, version: Version) -> Fits<Modifiers> {
    if version != Version::Modifiers {
        return Ok(Modifiers::NONE);
    }
    match fields.opt_text("text")? {
        Some(text) if !text.trim().is_empty() => hands::modifiers(&text),
        _ => Ok(Modifiers::NONE),
    }
}

fn other(action: &str, fields: &mut Fields, steps: &mut Steps<'_>, version: Version) -> Fits<()> {
    match action {
        "mouse_move" => steps.go(spot(fields, "coordinate", steps)?),
        "left_click_drag" => {
            fields.pass_over(&["duration"]);
            steps.drag_to(spot(fields, "coordinate", steps)?, Button::Left)
        }
        "key" => {
            let keys = keys(fields)?;
            steps.keys_of(keys.iter().map(String::as_str))
        }
        "type" => {
            let text = fields.text("text")?;
            steps.type_text(text)
        }
        "scroll" | "hscroll" => {
            let at = opt_spot(fields, "coordinate", steps)?;
            let modifiers = held(fields, version)?;
            let by = scrolled(fields, action == "hscroll", steps)?;
            steps.act(Action::Scroll { at, by, modifiers })
        }
        "wait" => wait(fields, steps),
        "terminate" => terminate(fields, steps),
        "answer" => {
            let answer = fields.text("text")?;
            steps.done(answer)
        }
        _ => {
            let there = "key, type, mouse_move, left_click, left_click_drag, right_click, middle_click, double_click, \
                         triple_click, scroll, hscroll, wait, terminate, answer";
            Err(Misfit::unknown(format!("there is no action {:?}, only {there}", short(action))))
        }
    }
}

/// A list of names, or one text with all of them.
pub(super) fn keys(fields: &mut Fields) -> Fits<Vec<String>> {
    match fields.opt("keys") {
        Some(Value::String(one)) => Ok(vec![one]),
        Some(Value::Array(list)) => list
            .into_iter()
            .map(|key| match key {
                Value::String(key) => Ok(key),
                other => Err(Misfit::wrong_type(format!("`keys` holds {}", kind_of(&other)))),
            })
            .collect(),
        Some(other) => Err(Misfit::wrong_type(format!("`keys` is {}, not a list", kind_of(&other)))),
        None => Err(Misfit::missing("the field `keys` is missing")),
    }
}

/// Positive is up, and right.
fn scrolled(fields: &mut Fields, across: bool, steps: &mut Steps<'_>) -> Fits<ScrollBy> {
    let amount = fields.number("pixels")?;
    if amount.abs() > PIXELS as f64 || amount == 0.0 {
        return Err(Misfit::out_of_range(format!(
            "`pixels` is {amount}: it goes from 1 to {PIXELS}, up or down"
        )));
    }
    let whole = if amount > 0.0 { amount.ceil() } else { amount.floor() } as i32;
    let (dx, dy) = if across { (whole, 0) } else { (0, whole) };
    if amount.abs() <= FEW {
        steps.note(format!("a scroll by {whole} was taken for notches of the wheel"));
        return Ok(ScrollBy::Notches { dx, dy });
    }
    Ok(ScrollBy::Pixels { dx, dy })
}

pub(super) fn wait(fields: &mut Fields, steps: &mut Steps<'_>) -> Fits<()> {
    let seconds = fields.number("time")?;
    steps.wait(seconds)
}

/// Success is done; failure is a question.
pub(super) fn terminate(fields: &mut Fields, steps: &mut Steps<'_>) -> Fits<()> {
    let succeeded = fields.word("status", &[("success", true), ("failure", false)])?;
    let said = fields.opt_text("text")?.unwrap_or_default();
    if succeeded { steps.done(said) } else { steps.give_up(&said) }
}

/// Each action and what the model is told of it.
const COMPUTER_ACTIONS: &[(&str, &str)] = &[
    ("key", "Presses the keys of `keys` together and lets them go."),
    ("type", "Types `text`; a line break presses Enter."),
    ("mouse_move", "Moves the pointer to `coordinate`."),
    ("left_click", "Clicks with the left button at `coordinate`."),
    ("left_click_drag", "Drags with the left button from where the pointer is to `coordinate`."),
    ("right_click", "Clicks with the right button."),
    ("middle_click", "Clicks with the middle button."),
    ("double_click", "Clicks twice with the left button."),
    ("triple_click", "Clicks three times with the left button."),
    ("scroll", "Scrolls by `pixels`; about 100 are one notch of the wheel. Positive is up."),
    ("hscroll", "Scrolls sideways by `pixels`. Positive is right."),
    ("wait", "Waits for `time` seconds."),
    ("terminate", "Ends the task with its `status`."),
    ("answer", "Ends the task with an answer in `text`."),
];

fn words(grammar: &Grammar, version: Version) -> String {
    let space = match grammar.points.space {
        PointSpace::Picture => "Coordinates are pixels of the picture you are given.",
        PointSpace::Norm1000 | PointSpace::Norm1 => "The screen's resolution is 1000x1000.",
    };
    let point = json!({"type": "array", "description": "[x, y] from the top left corner."});
    let mut properties = json!({
        "coordinate": point,
        "text": {"type": "string"},
        "time": {"type": "number", "description": "Seconds."},
        "status": {"type": "string", "enum": ["success", "failure"]},
    });
    let (name, about, actions) = match version {
        Version::Mobile => {
            properties["coordinate2"] = point;
            properties["button"] = json!({"type": "string", "enum": ["Back", "Home", "Enter"]});
            ("mobile_use", "Work the screen by touch.", mobile::ACTIONS)
        }
        Version::Plain | Version::Modifiers => {
            properties["keys"] = json!({"type": "array", "items": {"type": "string"}});
            properties["pixels"] = json!({"type": "number"});
            ("computer_use", "Use a mouse and a keyboard to work with this computer.", COMPUTER_ACTIONS)
        }
    };
    if version == Version::Modifiers {
        properties["text"]["description"] =
            "For `type` and `answer`. With a click or a scroll: modifiers to hold, such as \"ctrl\" or \"ctrl+shift\".".into();
    }
    let format = if version == Version::Modifiers {
        "<tool_call>\n<function=function_name>\n<parameter=parameter_name>\nvalue\n</parameter>\n</function>\n</tool_call>"
    } else {
        "<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>"
    };
    tool_words(
        name,
        &format!("{about}\n* {space}\n* Aim at the middle of what you click."),
        actions,
        properties,
        format,
    )
}

/// The tools section as the chat template has it, around one function with an `action` in it.
pub(super) fn tool_words(
    name: &str,
    about: &str,
    actions: &[(&str, &str)],
    properties: Value,
    format: &str,
) -> String {
    let described: Vec<String> =
        actions.iter().map(|(action, about)| format!("* `{action}`: {about}")).collect();
    let names: Vec<&str> = actions.iter().map(|(action, _)| *action).collect();
    let mut all = json!({"action": {"description": described.join("\n"), "enum": names, "type": "string"}});
    if let (Value::Object(all), Value::Object(more)) = (&mut all, properties) {
        all.extend(more);
    }
    let function = json!({"type": "function", "function": {
        "name": name,
        "description": about,
        "parameters": {"properties": all, "required": ["action"], "type": "object"},
    }});
    format!(
        "# Tools\n\nThe function you may call, as a signature within <tools></tools>:\n<tools>\n{function}\n</tools>\n\n\
         Say in a sentence what you do and why, then write each call so, and nothing after it:\n{format}"
    )
}
