//! OpenCUA: `## Thought`, `## Action` and `## Code`, whose code is lines of PyAutoGUI, read as text and never run.
//!
//! Numbers are pixels of the picture that the processor of Qwen2.5-VL makes; both between 0 and 1, with a point in one of them, are
//! shares of the picture, as its data set has them and its runner takes them. Of several code blocks its runner takes the last; here
//! they are refused.
//!
//! Sources: xlang-ai/OpenCUA `evaluation/agentnetbench/agent/opencua.py`, `data/data-process/src/schema/action.py` (2025-08); OSWorld's
//! `mm_agents/opencua/{opencua_agent,prompts,utils}.py` (seen in mrwwk/DeskCraft, 2026-06); PyAutoGUI's signatures.

use super::calls::{self, Call};
use super::fields::Fields;
use super::grammar::{Grammar, IN_TEXT, NO_TOOLS};
use super::hands::{self, BUTTONS, NOTCHES};
use super::point::{Order, Points};
use super::reject::{Fits, Misfit, kind_of, short};
use super::resize::Resize;
use super::steps::Steps;
use super::{DialectEntry, finish, thoughts};
use handsight_base::flow::action::{Action, Button, Spot};
use handsight_base::port::dialect::{BatchRule, DialectInfo, PointSpace};
use handsight_base::port::model::ModelReply;
use handsight_base::space::Rounding;
use serde_json::Value;

pub(super) const ENTRY: DialectEntry = GRAMMAR.entry(|tools, _| GRAMMAR.boxed(tools));

const SMART: Resize = Resize::Smart { factor: 28, min_pixels: 3136, max_pixels: 12_845_056 };

/// `computer.wait()` lasts so long by its prompt.
const WAIT_SECONDS: f64 = 20.0;

static GRAMMAR: Grammar = Grammar {
    info: DialectInfo {
        name: "opencua",
        about: "OpenCUA: PyAutoGUI lines, points in pixels of the picture",
        space: Some(PointSpace::Picture),
        rounding: Rounding::FloorOfCount,
        batch: BatchRule::InOrder,
        wires: &[],
        results: IN_TEXT,
        cannot: &[NO_TOOLS, "a key held from one reply to the next", "where the pointer is"],
    },
    points: Points {
        space: PointSpace::Picture,
        order: Order::Xy,
        rounding: Rounding::FloorOfCount,
        top: 1000.0,
        fractions: true,
        resize: Some(SMART),
    },
    pictures: Some(SMART),
    around: None,
    how: "Write:\n## Thought:\nwhy\n## Action:\nwhat\n## Code:\n```python\npyautogui.click(x=10, y=20)\n```",
    words: |_| WORDS.to_owned(),
    read,
};

const WORDS: &str = "For each step, answer in this format:\n## Thought:\n{thought}\n## Action:\n{action}\n## Code:\n{code}\n\n\
The thought looks at what the last step did, says what is done and what is left, and why the next action is right. The action is one \
sentence that names its element without coordinates.\n\
The code is one block, either PyAutoGUI lines or one of the functions below; x and y are pixels of the picture, from the top left corner:\n\
```python\npyautogui.click(x=123, y=456)\n```\n\
PyAutoGUI: click(x, y, clicks=1, button='left'), doubleClick, tripleClick, rightClick, middleClick, moveTo(x, y), dragTo(x, y, \
button='left') after a moveTo, scroll(notches) and hscroll(notches) (positive is up and right), write(message=''), press('enter', \
presses=1), hotkey('ctrl', 'c'), keyDown(key) and keyUp(key) within one block. Nothing else of Python is understood.\n\
Functions:\n\
- {\"name\": \"computer.triple_click\", \"parameters\": {\"x\": number, \"y\": number}}\n\
- {\"name\": \"computer.wait\", \"description\": \"waits 20 seconds\", \"parameters\": {}}\n\
- {\"name\": \"computer.terminate\", \"parameters\": {\"status\": \"success\" or \"failure\", \"answer\": text, may be left out}}\n\
```code\ncomputer.terminate(status=\"success\")\n```";

fn read(_: &Grammar, reply: &ModelReply, steps: &mut Steps<'_>) -> Fits<String> {
    let (thought, rest) = thoughts::split(finish::text(reply)?)?;
    let (said, code) = code(rest)?;
    let lines: Vec<&str> = code.lines().filter(|line| !is_import(line)).collect();
    let calls = calls::all(&lines.join("\n"))?;
    if calls.is_empty() {
        return Err(Misfit::no_call("there is no call in its code"));
    }
    for call in calls {
        let name = call.name.clone();
        take(call, steps).map_err(|m| m.named(&name))?;
    }
    Ok(thoughts::joined([thought.as_str(), &words_of(said)]))
}

fn is_import(line: &str) -> bool {
    matches!(line.trim(), "import pyautogui" | "import time")
}

/// The words before the code, and the code: one fenced block, what follows `## Code:`, or a reply that is nothing else.
fn code(text: &str) -> Fits<(&str, &str)> {
    let mut fences = text.match_indices("```").map(|(at, _)| at);
    if let (Some(open), Some(close)) = (fences.next(), fences.next()) {
        if fences.next().is_some() {
            return Err(Misfit::malformed("there are several blocks of code: write one, and stop after it"));
        }
        let after = text.get(close + 3..).unwrap_or_default();
        if !after.trim().is_empty() {
            return Err(Misfit::malformed("words stand after the code: stop after it"));
        }
        let inside = text.get(open + 3..close).unwrap_or_default();
        let inside =
            ["python", "code", "Python"].iter().find_map(|l| inside.strip_prefix(l)).unwrap_or(inside);
        return Ok((text.get(..open).unwrap_or_default(), inside));
    }
    if text.contains("```") {
        return Err(Misfit::malformed("the block of code has no end"));
    }
    if let Some((said, code)) = text.rsplit_once("## Code:") {
        return Ok((said, code));
    }
    if calls::all(text).is_ok_and(|calls| !calls.is_empty()) {
        return Ok(("", text));
    }
    Err(Misfit::no_call("there is no `## Code:` in it; a call in a sentence does nothing"))
}

/// What is said under the headings.
fn words_of(said: &str) -> String {
    let headings = ["## Observation:", "## Thought:", "## Action:", "## Code:"];
    let lines = said.lines().map(|line| {
        let line = line.trim();
        let line = headings.iter().find_map(|h| line.strip_prefix(h)).unwrap_or(line);
        if line.starts_with("# Step") { "" } else { line }
    });
    thoughts::joined(lines)
}

/// Parameters that say how fast: the hands have their own pace.
const PACE: &[&str] = &["interval", "duration", "tween", "pause", "logScreenshot", "_pause", "mouseDownUp"];

fn take(call: Call, steps: &mut Steps<'_>) -> Fits<()> {
    let name = call.name.clone();
    let order: &[&str] = match name.as_str() {
        "pyautogui.click" => &["x", "y", "clicks", "interval", "button", "duration"],
        "pyautogui.doubleClick" | "pyautogui.tripleClick" => &["x", "y", "interval", "button", "duration"],
        "pyautogui.leftClick" | "pyautogui.rightClick" | "pyautogui.middleClick" => {
            &["x", "y", "interval", "duration"]
        }
        "computer.triple_click" | "computer.tripleClick" => &["x", "y"],
        "pyautogui.moveTo" => &["x", "y", "duration"],
        "pyautogui.dragTo" => &["x", "y", "duration", "tween", "button"],
        "pyautogui.mouseDown" | "pyautogui.mouseUp" => &["x", "y", "button"],
        "pyautogui.scroll" | "pyautogui.vscroll" | "pyautogui.hscroll" => &["clicks", "x", "y"],
        "pyautogui.write" | "pyautogui.typewrite" => &["message", "interval"],
        "pyautogui.press" => &["keys", "presses", "interval"],
        "pyautogui.hotkey" => return hotkey(call, steps),
        "pyautogui.keyDown" | "pyautogui.keyUp" => &["key"],
        "time.sleep" | "pyautogui.sleep" => &["seconds"],
        "computer.wait" => &[],
        "computer.terminate" => &["status", "answer"],
        _ => {
            let there = "pyautogui.click, doubleClick, tripleClick, rightClick, middleClick, moveTo, dragTo, scroll, hscroll, write, \
                         press, hotkey, keyDown, keyUp, computer.triple_click, computer.wait, computer.terminate";
            return Err(Misfit::unknown(format!("there is no `{}`, only {there}", short(&name))));
        }
    };
    let mut fields = Fields::new(name.clone(), call.bind(order)?);
    fields.pass_over(PACE);
    verb(name.rsplit_once('.').map_or(name.as_str(), |(_, verb)| verb), &mut fields, steps)?;
    fields.end()
}

fn verb(verb: &str, fields: &mut Fields, steps: &mut Steps<'_>) -> Fits<()> {
    match verb {
        "click" => {
            let at = place(fields, steps)?;
            let count = fields.opt_whole("clicks", 1, 4)?.unwrap_or(1) as u8;
            let button = button(fields)?;
            steps.click(at, button, count)
        }
        "doubleClick" | "tripleClick" | "triple_click" => {
            let at = place(fields, steps)?;
            let button = button(fields)?;
            steps.click(at, button, if verb == "doubleClick" { 2 } else { 3 })
        }
        "leftClick" => steps.click(place(fields, steps)?, Button::Left, 1),
        "rightClick" => steps.click(place(fields, steps)?, Button::Right, 1),
        "middleClick" => steps.click(place(fields, steps)?, Button::Middle, 1),
        "moveTo" | "dragTo" => {
            let to = place(fields, steps)?.ok_or_else(|| Misfit::missing("`x` and `y` are missing"))?;
            if verb == "moveTo" {
                return steps.go(to);
            }
            let button = button(fields)?;
            steps.drag_to(to, button)
        }
        "mouseDown" | "mouseUp" => {
            let at = place(fields, steps)?;
            let button = button(fields)?;
            steps.act(if verb == "mouseDown" {
                Action::Down { at, button }
            } else {
                Action::Up { at, button }
            })
        }
        "scroll" | "vscroll" | "hscroll" => {
            let at = place(fields, steps)?;
            let value =
                fields.any(&["clicks", "amount"])?.ok_or_else(|| Misfit::missing("`clicks` is missing"))?;
            let notches =
                value.as_f64().filter(|n| n.fract() == 0.0 && n.abs() <= NOTCHES as f64 && *n != 0.0);
            let notches = notches.ok_or_else(|| {
                Misfit::out_of_range(format!(
                    "`clicks` is a whole number of notches, 1 to {NOTCHES}, up or down"
                ))
            })? as i32;
            let (dx, dy) = if verb == "hscroll" { (notches, 0) } else { (0, notches) };
            steps.act(hands::notches(at, dx, dy))
        }
        "write" | "typewrite" => match fields.need("message")? {
            Value::String(text) => steps.type_text(text),
            // A list is of key names.
            Value::Array(keys) => press(&Value::Array(keys), 1, steps),
            other => Err(Misfit::wrong_type(format!("`message` is {}, not a text", kind_of(&other)))),
        },
        "press" => {
            let keys = fields.need("keys")?;
            let presses = fields.opt_whole("presses", 1, 100)?.unwrap_or(1) as u16;
            press(&keys, presses, steps)
        }
        "keyDown" => {
            let key = fields.text("key")?;
            steps.hold(&key)
        }
        "keyUp" => {
            let key = fields.text("key")?;
            steps.release(&key)
        }
        "sleep" => {
            let seconds = fields.number("seconds")?;
            steps.wait(seconds)
        }
        "wait" => steps.wait(WAIT_SECONDS),
        _ => {
            let succeeded = fields.word("status", &[("success", true), ("failure", false)])?;
            let answer = fields.opt_text("answer")?.unwrap_or_default();
            if succeeded { steps.done(answer) } else { steps.give_up(&answer) }
        }
    }
}

fn button(fields: &mut Fields) -> Fits<Button> {
    Ok(fields.opt_word("button", BUTTONS)?.unwrap_or_default())
}

/// `x` and `y`, both or none.
fn place(fields: &mut Fields, steps: &Steps<'_>) -> Fits<Option<Spot>> {
    let (x, y) = (fields.opt("x"), fields.opt("y"));
    let (x, y) = match (x, y) {
        (None, None) => return Ok(None),
        (Some(x), Some(y)) => (x, y),
        _ => return Err(Misfit::missing("a point needs both `x` and `y`")),
    };
    let number = |name: &str, value: &Value| {
        value
            .as_f64()
            .ok_or_else(|| Misfit::wrong_type(format!("`{name}` is {}, not a number", kind_of(value))))
    };
    let (left, top) = (number("x", &x)?, number("y", &y)?);
    let within = |v: f64| (0.0..=1.0).contains(&v);
    if within(left) && within(top) && (x.is_f64() || y.is_f64()) {
        return steps.share(left, top).map(Some);
    }
    steps.spot_of(left, top).map(Some)
}

fn hotkey(call: Call, steps: &mut Steps<'_>) -> Fits<()> {
    let Call { name, positional, mut named } = call;
    named.shift_remove("interval");
    let listed = named.shift_remove("keys");
    Fields::new(name, named).end()?;
    let keys = match (positional.as_slice(), listed) {
        ([], Some(keys)) => keys,
        ([keys @ Value::Array(_)], None) => keys.clone(),
        (keys, None) => Value::Array(keys.to_vec()),
        _ => return Err(Misfit::malformed("the keys are given twice")),
    };
    steps.keys_of(names(&keys)?)
}

/// Each key of a list by itself, all of it so many times.
fn press(keys: &Value, presses: u16, steps: &mut Steps<'_>) -> Fits<()> {
    let keys = names(keys)?;
    if let [one] = keys.as_slice() {
        return steps.key(hands::chord(one)?, presses);
    }
    for _ in 0..presses {
        for key in &keys {
            steps.keys(key)?;
        }
    }
    Ok(())
}

fn names(value: &Value) -> Fits<Vec<&str>> {
    let list = match value {
        Value::Array(list) if !list.is_empty() => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    let name = |key: &'_ Value| match key {
        Value::String(_) => Ok(()),
        other => Err(Misfit::wrong_type(format!("a key is {}, not a name", kind_of(other)))),
    };
    list.iter().try_for_each(name)?;
    Ok(list.iter().filter_map(Value::as_str).collect())
}
