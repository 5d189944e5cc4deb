//! AutoGLM: `<think>..</think><answer>do(action="Tap", element=[x,y])</answer>`, the hands of a phone as a desktop has them.
//!
//! A tap is a click, a swipe turns the wheel, Back is Alt+Left, Home shows the desktop, and `Type` replaces what is in the field, as
//! it does there. Where the tags are left out the call has to begin a line and be the end of the reply; the vendor takes it out of a
//! sentence. `Tap` with a `message` is one that the model itself calls sensitive: the vendor asks the person before it, and so does
//! this, by the question alone: nothing is tapped.
//!
//! Source: zai-org/Open-AutoGLM `phone_agent/{actions/handler,model/client,config/prompts_zh,config/prompts_en}.py` (2026-02).
//! Coordinates are 0 to 999 in its prompt and `int(v / 1000 * size)` in its code.

use super::calls;
use super::fields::Fields;
use super::grammar::{Grammar, IN_TEXT, NO_TOOLS, is_text};
use super::point::{Order, Points};
use super::reject::{Fits, Misfit, kind_of, short};
use super::steps::Steps;
use super::{DialectEntry, finish, thoughts};
use handsight_base::flow::action::{Button, Spot};
use handsight_base::port::dialect::{BatchRule, DialectInfo, PointSpace};
use handsight_base::port::model::ModelReply;
use handsight_base::space::Rounding;
use serde_json::{Map, Value};

pub(super) const ENTRY: DialectEntry = GRAMMAR.entry(|tools, _| GRAMMAR.boxed(tools));

static GRAMMAR: Grammar = Grammar {
    info: DialectInfo {
        name: "autoglm",
        about: "AutoGLM: do(action=...) in <answer>, points from 0 to 999; gestures become mouse and keys",
        space: Some(PointSpace::Norm1000),
        rounding: Rounding::FloorOfCount,
        batch: BatchRule::First,
        wires: &[],
        results: IN_TEXT,
        cannot: &[
            NO_TOOLS,
            "several actions in one reply",
            "other buttons than the left one",
            "keys and chords",
            "adding to a text",
            "where the pointer is",
        ],
    },
    points: Points {
        space: PointSpace::Norm1000,
        order: Order::Xy,
        rounding: Rounding::FloorOfCount,
        top: 1000.0,
        fractions: true,
        resize: None,
    },
    pictures: None,
    around: None,
    how: "Write: <think>why</think><answer>do(action=\"Tap\", element=[x,y])</answer>",
    words: |_| WORDS.to_owned(),
    read,
};

const WORDS: &str = "Answer in exactly this form:\n<think>{think}</think>\n<answer>{action}</answer>\n\n\
{think} is short: what the screen shows and why the action is right. {action} is one line, one of these:\n\
- do(action=\"Launch\", app=\"xxx\") # opens a program\n\
- do(action=\"Tap\", element=[x,y])\n\
- do(action=\"Double Tap\", element=[x,y])\n\
- do(action=\"Long Press\", element=[x,y])\n\
- do(action=\"Swipe\", start=[x1,y1], end=[x2,y2]) # scrolls as a finger would: upwards shows what is below\n\
- do(action=\"Type\", text=\"xxx\") # replaces what is in the field that has the focus\n\
- do(action=\"Back\") # to the page before\n\
- do(action=\"Home\") # shows the desktop\n\
- do(action=\"Wait\", duration=\"x seconds\")\n\
- do(action=\"Take_over\", message=\"xxx\") # asks the person, for instance to log in\n\
- finish(message=\"xxx\") # the task is done\n\n\
The top left corner is (0,0), the bottom right one (999,999). After each action you get a new picture.";

/// Seconds of a `Wait` that names none.
const WAIT_SECONDS: f64 = 1.0;

fn read(_: &Grammar, reply: &ModelReply, steps: &mut Steps<'_>) -> Fits<String> {
    let (thought, rest) = thoughts::split(finish::text(reply)?)?;
    let (said, line) = action(rest)?;
    let (name, given) = call(line)?;
    let mut fields = Fields::new(name.clone(), given);
    if name == "finish" {
        let message = fields.opt_text("message")?.unwrap_or_default();
        steps.done(message)?;
        fields.end()?;
        return Ok(thoughts::joined([thought.as_str(), said]));
    }
    if name != "do" {
        return Err(Misfit::unknown(format!("there is no `{}`, only do(...) and finish(...)", short(&name))));
    }
    let action = fields.text("action")?;
    take(&action, &mut fields, steps).map_err(|m| m.named(&action))?;
    fields.end()?;
    Ok(thoughts::joined([thought.as_str(), said]))
}

/// What is said, and the line of the action.
fn action(text: &str) -> Fits<(&str, &str)> {
    if let Some((said, inside)) = text.split_once("<answer>") {
        let (line, after) =
            inside.split_once("</answer>").ok_or_else(|| Misfit::malformed("</answer> is missing"))?;
        if after.contains("<answer>") {
            return Err(Misfit::malformed("there are several answers: write one"));
        }
        return Ok((said, line.trim()));
    }
    let begins = |line: &str| {
        line.starts_with("do(action=") || line.starts_with("finish(message=") || line == "finish()"
    };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if begins(line.trim()) {
            let (said, rest) = text.split_at(at);
            return Ok((said, rest.trim()));
        }
        at += line.len();
    }
    Err(Misfit::no_call("there is no <answer> in it; a call in a sentence does nothing"))
}

/// The call of a line. A text to type may hold quotes that nothing escapes, as the vendor's reader allows.
fn call(line: &str) -> Fits<(String, Map<String, Value>)> {
    let strict = match calls::one(line) {
        Ok(call) => return Ok((call.name.clone(), call.bind(&[])?)),
        Err(misfit) => misfit,
    };
    for (before, name, fixed, key) in [
        ("do(action=\"Type\", text=", "do", Some("Type"), "text"),
        ("do(action=\"Type_Name\", text=", "do", Some("Type_Name"), "text"),
        ("finish(message=", "finish", None, "message"),
    ] {
        let Some(inside) = line.strip_prefix(before).and_then(|l| l.strip_suffix(')')) else { continue };
        let Some(text) = inside.strip_prefix('"').and_then(|t| t.strip_suffix('"')) else { continue };
        if !is_text(text, '"') {
            continue;
        }
        let mut given = Map::from_iter([(key.to_owned(), Value::String(text.to_owned()))]);
        if let Some(action) = fixed {
            given.insert("action".into(), action.into());
        }
        return Ok((name.to_owned(), given));
    }
    Err(strict)
}

fn take(action: &str, fields: &mut Fields, steps: &mut Steps<'_>) -> Fits<()> {
    match action {
        "Tap" => {
            let at = spot(fields, "element", steps)?;
            match fields.opt_text("message")? {
                Some(message) => {
                    steps.ask(format!("The model wants to tap something that it calls sensitive: {message}"))
                }
                None => steps.click(Some(at), Button::Left, 1),
            }
        }
        "Double Tap" => steps.click(Some(spot(fields, "element", steps)?), Button::Left, 2),
        "Long Press" => {
            let at = spot(fields, "element", steps)?;
            steps.long_press(at, None)
        }
        "Swipe" => {
            let from = spot(fields, "start", steps)?;
            steps.swipe(from, spot(fields, "end", steps)?)
        }
        "Type" | "Type_Name" => {
            let text = fields.text("text")?;
            steps.replace_text(text)
        }
        "Launch" => {
            let app = fields.text("app")?;
            steps.launch(app)
        }
        "Back" => steps.back(),
        "Home" => steps.home(),
        "Wait" => {
            let seconds = match fields.opt("duration") {
                None => WAIT_SECONDS,
                Some(value) => seconds(&value)?,
            };
            steps.wait(seconds)
        }
        "Take_over" => {
            let message = fields.opt_text("message")?.unwrap_or_default();
            steps.ask(if message.is_empty() {
                "The model asks a person to take over.".to_owned()
            } else {
                message
            })
        }
        "Interact" => {
            let message = fields.opt_text("message")?.unwrap_or_default();
            steps.ask(if message.is_empty() {
                "The model sees several ways and asks which one to take.".to_owned()
            } else {
                message
            })
        }
        "Note" => {
            fields.pass_over(&["message"]);
            steps.note("the page was noted: it stays in the conversation");
            steps.look()
        }
        "Call_API" => Err(Misfit::unknown("there is no service to call here: think in <think> and go on")),
        _ => {
            let there = "Launch, Tap, Double Tap, Long Press, Swipe, Type, Back, Home, Wait, Take_over";
            Err(Misfit::unknown(format!("there is no action {:?}, only {there}", short(action))))
        }
    }
}

fn spot(fields: &mut Fields, name: &'static str, steps: &Steps<'_>) -> Fits<Spot> {
    let value = fields.need(name)?;
    steps.spot(&value).map_err(|m| Misfit { words: format!("`{name}`: {}", m.words), ..m })
}

/// `"3 seconds"`, `"3"` or `3`.
fn seconds(value: &Value) -> Fits<f64> {
    let read = match value {
        Value::String(text) => {
            let number = text.trim().trim_end_matches('s').trim_end_matches("second").trim_end();
            number.parse::<f64>().ok().filter(|s| s.is_finite())
        }
        value => value.as_f64(),
    };
    read.ok_or_else(|| match value {
        Value::String(text) => {
            Misfit::wrong_type(format!("`duration` is {:?}: write it like \"3 seconds\"", short(text)))
        }
        other => Misfit::wrong_type(format!("`duration` is {}: write it like \"3 seconds\"", kind_of(other))),
    })
}
