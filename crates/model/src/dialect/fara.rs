//! Fara: Qwen2.5-VL's `computer_use` for one browser, with actions for pages.
//!
//! Its pages are reached here through the address bar of the browser that has the focus: `visit_url` and `web_search` press Ctrl+L,
//! type and press Enter, `history_back` is Alt+Left. A text that is typed at a place is typed after a click on it, and Enter is
//! pressed after it unless `press_enter` says no, as the vendor does.
//!
//! Source: microsoft/fara `src/fara/{_prompts,fara_agent}.py` (2025-12). Names that its agent takes beside those it offers (`click`,
//! `hover`, `keypress`, `input_text`, `sleep`, `stop`) are read too. `scroll` goes a page whatever the number says there, by the number of pixels here.

use super::DialectEntry;
use super::fields::Fields;
use super::grammar::{Grammar, IN_TEXT, NO_TOOLS};
use super::hands::PIXELS;
use super::point::{Order, Points};
use super::qwen::{self, opt_spot, spot};
use super::reject::{Fits, Misfit, short};
use super::resize::Resize;
use super::steps::Steps;
use handsight_base::flow::action::{Button, ScrollBy};
use handsight_base::port::dialect::{BatchRule, DialectInfo, PointSpace};
use handsight_base::port::model::ModelReply;
use handsight_base::space::Rounding;
use serde_json::json;
use std::fmt::Write as _;

pub(super) const ENTRY: DialectEntry = GRAMMAR.entry(|tools, _| GRAMMAR.boxed(tools));

/// `MLM_PROCESSOR_IM_CFG` of its agent.
const SMART: Resize = Resize::Smart { factor: 28, min_pixels: 3136, max_pixels: 12_845_056 };

static GRAMMAR: Grammar = Grammar {
    info: DialectInfo {
        name: "fara",
        about: "Fara: computer_use in a browser, points in pixels of the picture",
        space: Some(PointSpace::Picture),
        rounding: Rounding::FloorOfCount,
        batch: BatchRule::InOrder,
        wires: &[],
        results: IN_TEXT,
        cannot: &[
            NO_TOOLS,
            "other buttons than the left one",
            "double clicks",
            "drags",
            "where the pointer is",
        ],
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
    how: "Write:\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [x, y]}}\n</tool_call>",
    words: |_| words(),
    read,
};

fn read(_: &Grammar, reply: &ModelReply, steps: &mut Steps<'_>) -> Fits<String> {
    // What it answers stands before the call that ends the task.
    qwen::blocks(reply, steps, &["computer_use"], take)
}

fn take(action: &str, fields: &mut Fields, steps: &mut Steps<'_>) -> Fits<()> {
    match action {
        "left_click" | "click" => steps.click(Some(spot(fields, "coordinate", steps)?), Button::Left, 1),
        "mouse_move" | "hover" => steps.go(spot(fields, "coordinate", steps)?),
        "key" | "keypress" => {
            let keys = qwen::keys(fields)?;
            steps.keys_of(keys.iter().map(String::as_str))
        }
        "type" | "input_text" => {
            let at = opt_spot(fields, "coordinate", steps)?;
            let text = fields.any(&["text", "text_value"])?;
            let enter = fields.opt_flag("press_enter")?.unwrap_or(true);
            let replaces = fields.opt_flag("delete_existing_text")?.unwrap_or(false);
            if at.is_some() {
                steps.click(at, Button::Left, 1)?;
            }
            let text = match text {
                Some(serde_json::Value::String(text)) => text,
                Some(_) => return Err(Misfit::wrong_type("`text` is not a text")),
                None => return Err(Misfit::missing("the field `text` is missing")),
            };
            let text = if enter && !text.ends_with('\n') { text + "\n" } else { text };
            if replaces { steps.replace_text(text) } else { steps.type_text(text) }
        }
        "scroll" => {
            let amount = fields.whole("pixels", -PIXELS, PIXELS)? as i32;
            if amount == 0 {
                return Err(Misfit::out_of_range("`pixels` is 0: positive is up, negative is down"));
            }
            let at = opt_spot(fields, "coordinate", steps)?;
            steps.scroll(at, ScrollBy::Pixels { dx: 0, dy: amount })
        }
        "visit_url" => {
            let url = fields.text("url")?;
            // The vendor searches for what is no address.
            if url.trim().contains(' ') { search(&url, steps) } else { steps.visit(&url) }
        }
        "web_search" => {
            let query = fields.text("query")?;
            search(&query, steps)
        }
        "history_back" => steps.back(),
        "pause_and_memorize_fact" => {
            let fact = fields.text("fact")?;
            steps.note(format!("a fact to remember: {fact}"));
            steps.look()
        }
        "wait" | "sleep" => {
            let seconds = fields.any(&["time", "duration"])?.map_or(Some(3.0), |v| v.as_f64());
            steps.wait(seconds.ok_or_else(|| Misfit::wrong_type("`time` is not a number"))?)
        }
        "terminate" | "stop" => {
            if fields.has("status") {
                qwen::terminate(fields, steps)
            } else {
                steps.done("")
            }
        }
        _ => {
            let there = "key, type, mouse_move, left_click, scroll, visit_url, web_search, history_back, \
                         pause_and_memorize_fact, wait, terminate";
            Err(Misfit::unknown(format!("there is no action {:?}, only {there}", short(action))))
        }
    }
}

/// By the address of the search engine that the vendor uses.
fn search(query: &str, steps: &mut Steps<'_>) -> Fits<()> {
    if query.trim().is_empty() {
        return Err(Misfit::out_of_range("the words to search for are empty"));
    }
    let mut address = String::from("https://www.bing.com/search?q=");
    for byte in query.trim().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                address.push(char::from(byte))
            }
            b' ' => address.push('+'),
            other => {
                let _ = write!(address, "%{other:02X}");
            }
        }
    }
    address.push_str("&FORM=QBLH");
    steps.visit(&address)
}

const ACTIONS: &[(&str, &str)] = &[
    ("key", "Presses the keys of `keys` together, such as [\"Control\", \"a\"] or [\"PageDown\"]."),
    (
        "type",
        "Clicks `coordinate`, if given, and types `text`. Enter follows unless `press_enter` is false; `delete_existing_text` replaces what is there.",
    ),
    ("mouse_move", "Moves the pointer to `coordinate`."),
    ("left_click", "Clicks `coordinate`."),
    ("scroll", "Scrolls by `pixels`, positive up."),
    ("visit_url", "Opens `url`."),
    ("web_search", "Searches the web for `query`."),
    ("history_back", "Goes back to the page before."),
    ("pause_and_memorize_fact", "Keeps `fact` for later."),
    ("wait", "Waits for `time` seconds."),
    ("terminate", "Ends the task with its `status`; the answer goes into the words before the call."),
];

fn words() -> String {
    let properties = json!({
        "keys": {"type": "array", "items": {"type": "string"}},
        "text": {"type": "string"},
        "press_enter": {"type": "boolean"},
        "delete_existing_text": {"type": "boolean"},
        "coordinate": {"type": "array", "description": "[x, y] in pixels of the picture, from the top left corner."},
        "pixels": {"type": "number"},
        "url": {"type": "string"},
        "query": {"type": "string"},
        "fact": {"type": "string"},
        "time": {"type": "number"},
        "status": {"type": "string", "enum": ["success", "failure"]},
    });
    let about = "Use a mouse and a keyboard to work with a browser.\n* Aim at the middle of what you click.\n\
                 * Before anything binding (buying, booking, sending, personal data), end the task instead and say what is left.";
    let format = "<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>";
    qwen::tool_words("computer_use", about, ACTIONS, properties, format)
}
