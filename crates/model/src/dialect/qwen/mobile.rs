//! `mobile_use`: a finger's gestures and a phone's buttons as a desktop has them.

use super::{spot, terminate, wait};
use crate::dialect::fields::Fields;
use crate::dialect::reject::{Fits, Misfit, short};
use crate::dialect::steps::Steps;
use handsight_base::flow::action::Button;

/// Each action and what the model is told of it.
pub(super) const ACTIONS: &[(&str, &str)] = &[
    ("click", "Taps `coordinate`."),
    ("long_press", "Presses `coordinate` for `time` seconds."),
    ("swipe", "Swipes from `coordinate` to `coordinate2`."),
    ("type", "Types `text` into the active field; a line break presses Enter."),
    ("key", "Presses the key named in `text`."),
    ("system_button", "Presses the `button` Back, Home or Enter."),
    ("open", "Opens the program named in `text`."),
    ("wait", "Waits for `time` seconds."),
    ("terminate", "Ends the task with its `status`."),
    ("answer", "Ends the task with an answer in `text`."),
];

/// A finger's gestures as a desktop has them: a tap is a click, a swipe turns the wheel, the phone's buttons are keys.
pub(super) fn take(action: &str, fields: &mut Fields, steps: &mut Steps<'_>) -> Fits<()> {
    match action {
        "click" => steps.click(Some(spot(fields, "coordinate", steps)?), Button::Left, 1),
        "long_press" => {
            let at = spot(fields, "coordinate", steps)?;
            let seconds = fields.opt_number("time")?;
            steps.long_press(at, seconds)
        }
        "swipe" => {
            let from = spot(fields, "coordinate", steps)?;
            steps.swipe(from, spot(fields, "coordinate2", steps)?)
        }
        "type" => {
            let text = fields.text("text")?;
            steps.type_text(text)
        }
        "key" => {
            let key = fields.text("text")?;
            phone_key(&key, steps)
        }
        "system_button" => {
            match fields.word("button", &[("Back", 0), ("Home", 1), ("Menu", 2), ("Enter", 3)])? {
                0 => steps.back(),
                1 => steps.home(),
                3 => steps.keys("Return"),
                _ => Err(Misfit::out_of_range(
                    "a desktop has no Menu button: use the taskbar or open another program",
                )),
            }
        }
        "open" => {
            let name = fields.text("text")?;
            steps.launch(name)
        }
        "wait" => wait(fields, steps),
        "terminate" => terminate(fields, steps),
        "answer" => {
            let answer = fields.text("text")?;
            steps.done(answer)
        }
        _ => {
            let there = "click, long_press, swipe, type, key, system_button, open, wait, terminate, answer";
            Err(Misfit::unknown(format!("there is no action {:?}, only {there}", short(action))))
        }
    }
}

/// `key` takes adb's names, of which some mean other keys elsewhere.
fn phone_key(name: &str, steps: &mut Steps<'_>) -> Fits<()> {
    let plain = name.trim().to_ascii_lowercase();
    match plain.strip_prefix("keycode_").unwrap_or(&plain) {
        "back" => steps.back(),
        "home" => steps.home(),
        "del" => steps.keys("BackSpace"),
        "forward_del" => steps.keys("Delete"),
        "move_home" => steps.keys("Home"),
        "move_end" => steps.keys("End"),
        other => steps.keys(other.strip_prefix("dpad_").unwrap_or(other)),
    }
}
