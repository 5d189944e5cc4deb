//! Lux: `<|think_start|> why <|think_end|>` and `<|action_start|> click(300, 150) & type(hello) <|action_end|>`.
//!
//! Arguments have no quotes: `type` takes everything between its brackets as it stands there. Actions are parted by `&` where a call
//! ends before it and one begins after it, so that a text may hold brackets and `&`; the vendor's reader counts brackets and falls
//! over an odd one. It skips an action that it does not know; here nothing is run then.
//!
//! Sources: agiopen-org/oagi-python `src/oagi/utils/{output_parser,prompt_builder}.py`, `converters/pyautogui_action_converter.py`,
//! `types/models/action.py` (2026-02): 0 to 1000, one `scroll` is two notches of the wheel.

use super::calls;
use super::grammar::{Grammar, IN_TEXT, NO_TOOLS};
use super::hands;
use super::point::{Order, Points};
use super::reject::{Fits, Misfit, short};
use super::steps::Steps;
use super::{DialectEntry, finish, thoughts};
use handsight_base::flow::action::Button;
use handsight_base::port::dialect::{BatchRule, DialectInfo, PointSpace};
use handsight_base::port::model::ModelReply;
use handsight_base::space::Rounding;

pub(super) const ENTRY: DialectEntry = GRAMMAR.entry(|tools, _| GRAMMAR.boxed(tools));

static GRAMMAR: Grammar = Grammar {
    info: DialectInfo {
        name: "lux",
        about: "Lux: calls without quotes between tokens, points from 0 to 1000",
        space: Some(PointSpace::Norm1000),
        rounding: Rounding::FloorOfCount,
        batch: BatchRule::InOrder,
        wires: &[],
        results: IN_TEXT,
        cannot: &[
            NO_TOOLS,
            "a middle click",
            "moving the pointer only",
            "scrolling sideways",
            "a key held down",
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
    how: "Write: <|think_start|> why <|think_end|>\n<|action_start|> click(500, 300) <|action_end|>",
    words: |_| WORDS.to_owned(),
    read,
};

const WORDS: &str = "At every step, look at the screenshot and answer in this form:\n\n\
<|think_start|> what you mean to do and why, in short <|think_end|>\n\
<|action_start|> one of the actions below, or several with & between them <|action_end|>\n\n\
x and y are whole numbers from 0 to 1000, from the top left corner.\n\
1. click(x, y)\n\
2. left_double(x, y)\n\
3. left_triple(x, y)\n\
4. right_single(x, y)\n\
5. drag(x1, y1, x2, y2)\n\
6. hotkey(key, c) # presses the key, such as ctrl+c, c times\n\
7. type(text) # types the text as it stands there\n\
8. scroll(x, y, direction, c) # up or down, c times\n\
9. wait()\n\
10. finish() # the task is done\n\
11. fail() # it cannot be done\n\n\
Begin with <|think_start|> and write nothing else.";

const THINK: (&str, &str) = ("<|think_start|>", "<|think_end|>");
const ACTION: (&str, &str) = ("<|action_start|>", "<|action_end|>");
const VERBS: &[&str] = &[
    "click",
    "left_double",
    "left_triple",
    "right_single",
    "drag",
    "hotkey",
    "type",
    "scroll",
    "wait",
    "finish",
    "fail",
    "call_user",
];
/// Of the wheel, for each time that a scroll counts (`DEFAULT_CONVERTER_SCROLL_AMOUNT`).
const NOTCHES_A_TIME: i32 = 2;
const WAIT_SECONDS: f64 = 1.0;

fn read(_: &Grammar, reply: &ModelReply, steps: &mut Steps<'_>) -> Fits<String> {
    let text = finish::text(reply)?;
    // The action comes after the thought: what stands within it is a thought.
    let (reason, rest) = match text.split_once(THINK.0) {
        Some((_, thought)) => thought
            .rsplit_once(THINK.1)
            .ok_or_else(|| Misfit::no_call("its thought has no end, so nothing follows it"))?,
        None => ("", text),
    };
    let (before, inside) = rest.split_once(ACTION.0).ok_or_else(|| {
        Misfit::no_call(format!("there is no {} in it; a call in a sentence does nothing", ACTION.0))
    })?;
    let (inside, after) =
        inside.split_once(ACTION.1).ok_or_else(|| Misfit::malformed(format!("{} is missing", ACTION.1)))?;
    if after.contains(ACTION.0) {
        return Err(Misfit::malformed("there are several action sections: write one, and stop after it"));
    }
    for action in parted(inside) {
        let (name, given) = calls::bare(action)?;
        let name = name.to_ascii_lowercase();
        take(&name, given, steps).map_err(|m| m.named(&name))?;
    }
    Ok(thoughts::joined([reason, before]))
}

/// The actions of a section: an `&` parts them where a call ends before it and a known one begins after it.
fn parted(section: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, _) in section.match_indices('&') {
        let (before, after) =
            (section.get(from..at).unwrap_or_default(), section.get(at + 1..).unwrap_or_default());
        let name = after.trim_start().split('(').next().unwrap_or_default();
        let begins = after.contains('(') && VERBS.contains(&name.trim_end().to_ascii_lowercase().as_str());
        if begins && before.trim_end().ends_with(')') {
            parts.push(before.trim());
            from = at + 1;
        }
    }
    parts.push(section.get(from..).unwrap_or_default().trim());
    parts
}

fn take(name: &str, given: &str, steps: &mut Steps<'_>) -> Fits<()> {
    match name {
        "click" | "left_double" | "left_triple" | "right_single" => {
            let [x, y] = numbers(given)?;
            let at = steps.spot_of(x, y)?;
            let (button, count) = match name {
                "right_single" => (Button::Right, 1),
                "left_double" => (Button::Left, 2),
                "left_triple" => (Button::Left, 3),
                _ => (Button::Left, 1),
            };
            steps.click(Some(at), button, count)
        }
        "drag" => {
            let [x1, y1, x2, y2] = numbers(given)?;
            let (from, to) = (steps.spot_of(x1, y1)?, steps.spot_of(x2, y2)?);
            steps.drag(from, to, Button::Left)
        }
        "hotkey" => {
            // A comma at the end is the key itself.
            let (keys, times) = match given.rsplit_once(',') {
                Some((keys, times)) if !times.trim().is_empty() && !keys.trim().is_empty() => {
                    (keys, times_of(times, 100)?)
                }
                _ => (given, 1),
            };
            let keys = keys.trim();
            if keys.contains(char::is_whitespace) {
                return Err(Misfit::wrong_type(format!(
                    "{:?} has a blank in it: write keys like ctrl+c",
                    short(keys)
                )));
            }
            steps.key(hands::chord(keys)?, times)
        }
        "type" => steps.type_text(given),
        "scroll" => {
            let parts: Vec<&str> = given.split(',').map(str::trim).collect();
            let (x, y, direction, times) = match parts.as_slice() {
                [x, y, direction] => (x, y, direction, 1),
                [x, y, direction, times] => (x, y, direction, times_of(times, 50)?),
                _ => return Err(Misfit::wrong_type("it takes x, y, a direction and how often")),
            };
            let at = steps.spot_of(number(x)?, number(y)?)?;
            let way = hands::DIRECTIONS.iter().find(|(word, _)| word.eq_ignore_ascii_case(direction));
            let (_, way) = way.ok_or_else(|| {
                Misfit::out_of_range(format!("the direction is {:?}: it may be up or down", short(direction)))
            })?;
            steps.turn(Some(at), *way, i32::from(times) * NOTCHES_A_TIME)
        }
        "wait" | "finish" | "fail" | "call_user" => {
            if !given.trim().is_empty() {
                return Err(Misfit::wrong_type("it takes nothing between its brackets"));
            }
            match name {
                "wait" => steps.wait(WAIT_SECONDS),
                "finish" => steps.done(""),
                "fail" => steps.give_up(""),
                _ => steps.ask("The model asks for help with this task."),
            }
        }
        _ => Err(Misfit::unknown(format!("there is no action `{}`, only {}", short(name), VERBS.join(", ")))),
    }
}

fn number(text: &str) -> Fits<f64> {
    let plain = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let number = text.parse::<f64>().ok().filter(|n| plain && n.is_finite());
    number.ok_or_else(|| Misfit::wrong_type(format!("{:?} stands where a number belongs", short(text))))
}

fn numbers<const N: usize>(given: &str) -> Fits<[f64; N]> {
    let mut numbers = [0.0; N];
    let parts: Vec<&str> = given.split(',').map(str::trim).collect();
    if parts.len() != N {
        return Err(Misfit::wrong_type(format!("it takes {N} numbers")));
    }
    for (slot, part) in numbers.iter_mut().zip(parts) {
        *slot = number(part)?;
    }
    Ok(numbers)
}

fn times_of(text: &str, most: u16) -> Fits<u16> {
    let times = text.trim().parse::<u16>().ok().filter(|n| (1..=most).contains(n));
    times.ok_or_else(|| {
        Misfit::out_of_range(format!("{:?} is how often: a whole number from 1 to {most}", short(text)))
    })
}
