//! GLM-4.5V on a computer: an explanation, one call like `left_click(start_box='[x,y]', element_info='')`, and a memory.
//!
//! The call stands between `<|begin_of_box|>` and `<|end_of_box|>`; where a server leaves these tokens out, it has to be a line of
//! its own, the last one before `Memory:`. The vendor takes the first thing that looks like a call then, in a sentence too. Numbers
//! go from 0 to 999. The memory stays in the conversation as a part of the reply.
//!
//! Sources: zai-org/GLM-V `examples/gui-agent/glm-45v/gui_agent_45v.py` (2025-08); trycua/cua `cua_agent/loops/glm45v.py` (2026-08).

use super::calls;
use super::fields::Fields;
use super::grammar::{Grammar, IN_TEXT, NO_TOOLS};
use super::hands::{DIRECTIONS, NOTCHES};
use super::point::{Order, Points};
use super::reject::{Fits, Misfit, kind_of, short};
use super::steps::Steps;
use super::{DialectEntry, finish, json, thoughts};
use handsight_base::flow::action::{Button, Spot};
use handsight_base::port::dialect::{BatchRule, DialectInfo, PointSpace};
use handsight_base::port::model::ModelReply;
use handsight_base::space::Rounding;
use serde_json::Value;

pub(super) const ENTRY: DialectEntry = GRAMMAR.entry(|tools, _| GRAMMAR.boxed(tools));

/// `WAIT()` lasts so long.
const WAIT_SECONDS: f64 = 5.0;
/// `step` of a scroll that names none.
const STEP: i64 = 5;

const BEGIN: &str = "<|begin_of_box|>";
const END: &str = "<|end_of_box|>";

static GRAMMAR: Grammar = Grammar {
    info: DialectInfo {
        name: "glm-4.5v",
        about: "GLM-4.5V: a call in a box, points from 0 to 999",
        space: Some(PointSpace::Norm1000),
        rounding: Rounding::FloorOfCount,
        batch: BatchRule::First,
        wires: &[],
        results: IN_TEXT,
        cannot: &[
            NO_TOOLS,
            "several actions in one reply",
            "a triple click",
            "scrolling sideways",
            "a key held down",
            "where the pointer is",
        ],
    },
    points: Points {
        space: PointSpace::Norm1000,
        order: Order::Xy,
        rounding: Rounding::FloorOfCount,
        top: 999.0,
        fractions: false,
        resize: None,
    },
    pictures: None,
    around: None,
    how: "Write what you do and why, then: <|begin_of_box|>left_click(start_box='[x,y]', element_info='what it is')<|end_of_box|>",
    words: |_| WORDS.to_owned(),
    read,
};

const WORDS: &str = "# Action Space\n\
All coordinates are thousandths of the screen, 0 to 999, x first, from the top left corner. `element_info` names the element in words.\n\
- left_click(start_box='[x,y]', element_info='')\n\
- right_click(start_box='[x,y]', element_info='')\n\
- middle_click(start_box='[x,y]', element_info='')\n\
- left_double_click(start_box='[x,y]', element_info='')\n\
- hover(start_box='[x,y]', element_info='')\n\
- left_drag(start_box='[x1,y1]', end_box='[x2,y2]', element_info='')\n\
- key(keys='') # one key or several with + between them, such as ctrl+c\n\
- type(content='') # into what has the focus\n\
- scroll(start_box='[x,y]', direction='', step=5, element_info='') # down or up, in steps of the wheel\n\
- WAIT() # five seconds\n\
- DONE() # the task is done\n\
- FAIL() # it cannot be done\n\n\
# Output Format\n\
Say what you do and why, then one action, then what you have to remember as a list of objects (an empty list for nothing):\n\
<|begin_of_box|>action(param='...')<|end_of_box|>\n\
Memory:\n[{\"key\": \"value\"}]";

fn read(_: &Grammar, reply: &ModelReply, steps: &mut Steps<'_>) -> Fits<String> {
    let (thought, rest) = thoughts::split(finish::text(reply)?)?;
    let (said, call) = action(rest)?;
    let call = calls::one(call)?;
    let name = call.name.clone();
    let mut fields = Fields::new(name.clone(), call.bind(&[])?);
    fields.pass_over(&["element_info"]);
    take(&name, &mut fields, steps).map_err(|m| m.named(&name))?;
    fields.end()?;
    Ok(thoughts::joined([thought.as_str(), said]))
}

/// What is said, and the call.
fn action(text: &str) -> Fits<(&str, &str)> {
    if let Some((said, rest)) = text.split_once(BEGIN) {
        let (call, after) =
            rest.split_once(END).ok_or_else(|| Misfit::malformed(format!("{END} is missing")))?;
        if after.contains(BEGIN) || call.contains(BEGIN) {
            return Err(Misfit::malformed("there are several actions in boxes: write one"));
        }
        return Ok((said, call));
    }
    let before = text.split("Memory:").next().unwrap_or_default().trim_end();
    let (said, line) = before.rsplit_once('\n').unwrap_or(("", before));
    let line = line.trim();
    let line = line.strip_prefix("Action:").map_or(line, str::trim);
    if calls::one(line).is_ok() {
        return Ok((said, line));
    }
    Err(Misfit::no_call(format!(
        "there is no action between {BEGIN} and {END}; a call in a sentence does nothing"
    )))
}

fn take(name: &str, fields: &mut Fields, steps: &mut Steps<'_>) -> Fits<()> {
    match name {
        "left_click" => steps.click(Some(spot(fields, "start_box", steps)?), Button::Left, 1),
        "right_click" => steps.click(Some(spot(fields, "start_box", steps)?), Button::Right, 1),
        "middle_click" => steps.click(Some(spot(fields, "start_box", steps)?), Button::Middle, 1),
        "left_double_click" => steps.click(Some(spot(fields, "start_box", steps)?), Button::Left, 2),
        "hover" => steps.go(spot(fields, "start_box", steps)?),
        "left_drag" => {
            let from = spot(fields, "start_box", steps)?;
            steps.drag(from, spot(fields, "end_box", steps)?, Button::Left)
        }
        "key" => {
            let keys = fields.text("keys")?;
            steps.keys(&keys)
        }
        "type" => {
            let text = fields.text("content")?;
            steps.type_text(text)
        }
        "scroll" => {
            let at = spot(fields, "start_box", steps)?;
            let way = fields.word("direction", DIRECTIONS)?;
            let notches = fields.opt_whole("step", 1, NOTCHES)?.unwrap_or(STEP) as i32;
            steps.turn(Some(at), way, notches)
        }
        "WAIT" => steps.wait(WAIT_SECONDS),
        "DONE" => steps.done(""),
        "FAIL" => steps.give_up(""),
        _ => {
            let there = "left_click, right_click, middle_click, left_double_click, hover, left_drag, key, type, scroll, WAIT, DONE, FAIL";
            Err(Misfit::unknown(format!("there is no action `{}`, only {there}", short(name))))
        }
    }
}

/// `'[x,y]'`, `'[x1,y1,x2,y2]'` (the middle of it), or a list.
fn spot(fields: &mut Fields, name: &'static str, steps: &Steps<'_>) -> Fits<Spot> {
    let value = match fields.need(name)? {
        Value::String(text) => json::parse(text.trim()).map_err(|_| {
            Misfit::wrong_type(format!("`{name}` is {:?}: write two numbers, like '[500,300]'", short(&text)))
        })?,
        value => value,
    };
    let Value::Array(list) = &value else {
        return Err(Misfit::wrong_type(format!("`{name}` is {}, not a list of numbers", kind_of(&value))));
    };
    let numbers: Option<Vec<f64>> = list.iter().map(Value::as_f64).collect();
    let numbers = numbers
        .ok_or_else(|| Misfit::wrong_type(format!("`{name}` is a list of other things than numbers")))?;
    steps.spot_or_box(&numbers).map_err(|m| Misfit { words: format!("`{name}`: {}", m.words), ..m })
}
