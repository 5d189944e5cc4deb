//! Holo: one JSON object, a step of a web agent or just where to click.
//!
//! Versions as tables: Holo1 answers `{"note", "thought", "action": {"action": "click_element", ...}}` and Holo1.5 also
//! `{"action": "click_absolute", "x", "y"}`, both in pixels of the picture that their processor makes; Holo2 answers `{"x", "y"}` from
//! 0 to 1000. Each reads all three, and `Click(x, y)` as the whole reply, in its own space. What steps do to pages is done through
//! the browser that has the focus: `goto` by its address bar, `go_back` by Alt+Left, `refresh` by F5. `write_element_abs` clicks,
//! types and presses Enter, as it says there.
//!
//! Sources: hcompai/hai-cookbook `utils/{navigation,localization,image}.py`, `holo1/vllm/README.md`, `holo1_5/holo_1_5_quickstart.ipynb`,
//! `holo2/holo_2_localization_{hosted_api,huggingface}.ipynb` (2026-01). The action space that Holo2 and Holo3 use on desktops is
//! inside their vendor's closed runtime.

use super::calls;
use super::fields::Fields;
use super::grammar::{Grammar, IN_TEXT, NO_TOOLS};
use super::hands::DIRECTIONS;
use super::nous;
use super::point::{Order, Points};
use super::reject::{Fits, Misfit, short};
use super::resize::Resize;
use super::steps::{SOME_NOTCHES, Steps};
use super::{DialectEntry, finish, thoughts};
use handsight_base::flow::action::{Button, Spot};
use handsight_base::port::dialect::{BatchRule, DialectInfo, PointSpace};
use handsight_base::port::model::ModelReply;
use handsight_base::space::Rounding;
use serde_json::{Map, Value};

pub(super) const V1: DialectEntry = FIRST.entry(|tools, _| FIRST.boxed(tools));
pub(super) const V1_5: DialectEntry = ONE_AND_A_HALF.entry(|tools, _| ONE_AND_A_HALF.boxed(tools));
pub(super) const V2: DialectEntry = SECOND.entry(|tools, _| SECOND.boxed(tools));

/// `smart_resize` of the cookbook; the pixels that its server is told (`max_pixels` 1003520).
const SMART_1: Resize = Resize::Smart { factor: 28, min_pixels: 3136, max_pixels: 1_003_520 };
/// The processor of Qwen2.5-VL.
const SMART_1_5: Resize = Resize::Smart { factor: 28, min_pixels: 3136, max_pixels: 12_845_056 };
/// `min_pixels=64 * 32 * 32, max_pixels=16384 * 32 * 32` of the cookbook.
const SMART_2: Resize = Resize::Smart { factor: 32, min_pixels: 65_536, max_pixels: 16_777_216 };

const PIXELS: Points = Points {
    space: PointSpace::Picture,
    order: Order::Xy,
    rounding: Rounding::FloorOfCount,
    top: 1000.0,
    fractions: false,
    resize: Some(SMART_1),
};

const INFO: DialectInfo = DialectInfo {
    name: "holo-1",
    about: "Holo1: a JSON step, points in pixels of the picture",
    space: Some(PointSpace::Picture),
    rounding: Rounding::FloorOfCount,
    batch: BatchRule::First,
    wires: &[],
    results: IN_TEXT,
    cannot: &[
        NO_TOOLS,
        "several actions in one reply",
        "other buttons than the left one",
        "double clicks",
        "drags",
        "keys and chords",
        "where the pointer is",
    ],
};

const HOW: &str = "Write: {\"note\": \"\", \"thought\": \"why\", \"action\": {\"action\": \"click_element\", \"element\": \"what it is\", \"x\": 10, \"y\": 20}}";

static FIRST: Grammar = Grammar {
    info: INFO,
    points: PIXELS,
    pictures: Some(SMART_1),
    around: None,
    how: HOW,
    words: |_| words("the number of pixels from the left edge and from the top edge"),
    read,
};

static ONE_AND_A_HALF: Grammar = Grammar {
    info: DialectInfo { name: "holo-1.5", about: "Holo1.5: JSON, points in pixels of the picture", ..INFO },
    points: Points { resize: Some(SMART_1_5), ..PIXELS },
    pictures: Some(SMART_1_5),
    around: None,
    how: HOW,
    words: |_| words("the number of pixels from the left edge and from the top edge"),
    read,
};

static SECOND: Grammar = Grammar {
    info: DialectInfo {
        name: "holo-2",
        about: "Holo2: JSON, points from 0 to 1000",
        space: Some(PointSpace::Norm1000),
        ..INFO
    },
    points: Points { space: PointSpace::Norm1000, resize: None, ..PIXELS },
    pictures: Some(SMART_2),
    around: None,
    how: HOW,
    words: |_| words("from 0 to 1000, from the left edge and from the top edge"),
    read,
};

fn words(space: &str) -> String {
    format!(
        "Answer with one JSON object and nothing else:\n\
         {{\"note\": what you have to remember of the screen, \"thought\": why, in a few lines, \"action\": {{...}}}}\n\n\
         x and y are whole numbers: {space}. The action is one of:\n\
         - {{\"action\": \"click_element\", \"element\": what it is, \"x\": x, \"y\": y}}\n\
         - {{\"action\": \"write_element_abs\", \"content\": text, \"element\": what it is, \"x\": x, \"y\": y}}: clicks, types and presses Enter\n\
         - {{\"action\": \"scroll\", \"direction\": \"down\", \"up\", \"left\" or \"right\"}}\n\
         - {{\"action\": \"go_back\"}}, {{\"action\": \"refresh\"}}, {{\"action\": \"goto\", \"url\": address}}: of the browser\n\
         - {{\"action\": \"wait\", \"seconds\": 0 to 10}}\n\
         - {{\"action\": \"answer\", \"content\": the answer}}: ends the task"
    )
}

fn read(_: &Grammar, reply: &ModelReply, steps: &mut Steps<'_>) -> Fits<String> {
    let (thought, rest) = thoughts::split(finish::text(reply)?)?;
    let rest = unfenced(rest);
    if rest.starts_with("Click") {
        let call = calls::one(rest)?;
        let mut fields = Fields::new(call.name.clone(), call.bind(&["x", "y"])?);
        let at = spot(&mut fields, steps)?;
        fields.end()?;
        steps.click(Some(at), Button::Left, 1)?;
        return Ok(thought);
    }
    if !rest.starts_with('{') {
        return Err(Misfit::no_call("it is no JSON object; a call in a sentence does nothing"));
    }
    let Value::Object(mut object) = nous::object(rest)? else {
        return Err(Misfit::wrong_type("it is no JSON object"));
    };
    let mut reason = vec![thought];
    for key in ["thought", "note"] {
        if let Some(Value::String(words)) = object.shift_remove(key) {
            reason.push(words);
        }
    }
    let action = match object.shift_remove("action") {
        // A whole step, beside which nothing else stands.
        Some(Value::Object(action)) => {
            if let Some(stranger) = object.keys().next() {
                return Err(Misfit::malformed(format!(
                    "beside `note`, `thought` and `action` stands `{}`",
                    short(stranger)
                )));
            }
            action
        }
        Some(name) => {
            object.insert("action".into(), name);
            object
        }
        None if object.contains_key("x") => {
            object.insert("action".into(), "click_absolute".into());
            object
        }
        None => return Err(Misfit::missing("the field `action` is missing")),
    };
    take(action, steps)?;
    Ok(thoughts::joined(reason.iter().map(String::as_str)))
}

fn unfenced(text: &str) -> &str {
    let inside = text.strip_prefix("```json").or(text.strip_prefix("```"));
    inside.and_then(|t| t.strip_suffix("```")).map_or(text, str::trim)
}

fn take(mut action: Map<String, Value>, steps: &mut Steps<'_>) -> Fits<()> {
    let Some(Value::String(name)) = action.shift_remove("action") else {
        return Err(Misfit::wrong_type("`action` is not a text"));
    };
    let mut fields = Fields::new(name.clone(), action);
    fields.pass_over(&["element"]);
    verb(&name, &mut fields, steps).map_err(|m| m.named(&name))?;
    fields.end()
}

fn verb(name: &str, fields: &mut Fields, steps: &mut Steps<'_>) -> Fits<()> {
    match name {
        "click_element" | "click_absolute" | "click" => {
            let at = spot(fields, steps)?;
            steps.click(Some(at), Button::Left, 1)
        }
        "write_element_abs" => {
            let at = spot(fields, steps)?;
            let text = fields.text("content")?;
            steps.click(Some(at), Button::Left, 1)?;
            steps.type_text(if text.ends_with('\n') { text } else { text + "\n" })
        }
        "scroll" => {
            let way = fields.word("direction", DIRECTIONS)?;
            steps.turn(None, way, SOME_NOTCHES)
        }
        "go_back" => steps.back(),
        "refresh" => steps.keys("F5"),
        "goto" => {
            let url = fields.text("url")?;
            steps.visit(&url)
        }
        "wait" => {
            let seconds = fields.opt_whole("seconds", 0, 10)?.unwrap_or(2);
            steps.wait(seconds as f64)
        }
        "answer" => {
            let content = fields.text("content")?;
            steps.done(content)
        }
        "restart" => {
            Err(Misfit::out_of_range("a task cannot be begun again here: go on from what the screen shows"))
        }
        _ => {
            let there = "click_element, write_element_abs, scroll, go_back, refresh, goto, wait, answer";
            Err(Misfit::unknown(format!("there is no action {:?}, only {there}", short(name))))
        }
    }
}

fn spot(fields: &mut Fields, steps: &Steps<'_>) -> Fits<Spot> {
    let (x, y) = (fields.number("x")?, fields.number("y")?);
    steps.spot_of(x, y)
}
