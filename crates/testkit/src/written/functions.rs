//! Grammars of models that write one function with an `action` in it: Qwen's and Fara's.

use super::spoken::{Point, in_picture, nearest};
use super::{Writer, Written};
use handsight_base::flow::action::{Action, Button, ScrollBy, Spot};
use handsight_base::flow::intent::Intent;
use handsight_base::key::Modifiers;
use serde_json::{Value, json};

pub(super) const WRITERS: &[Writer] = &[
    Writer {
        dialect: "qwen2.5-computer",
        write: |i, p| tool_call("computer_use", computer(i, false, &|at| list(in_picture(at, p)))?),
    },
    Writer {
        dialect: "qwen3-computer",
        write: |i, p| tool_call("computer_use", computer(i, false, &|at| list(nearest(at, p, 1000)))?),
    },
    Writer {
        dialect: "qwen3.5-computer",
        write: |i, p| xml_call("computer_use", &computer(i, true, &|at| list(nearest(at, p, 1000)))?),
    },
    Writer {
        dialect: "qwen2.5-mobile",
        write: |i, p| tool_call("mobile_use", mobile(i, &|at| list(in_picture(at, p)))?),
    },
    Writer {
        dialect: "qwen3-mobile",
        write: |i, p| tool_call("mobile_use", mobile(i, &|at| list(nearest(at, p, 1000)))?),
    },
    Writer {
        dialect: "fara",
        write: |i, p| tool_call("computer_use", fara(i, &|at| list(in_picture(at, p)))?),
    },
];

fn list((x, y): Point) -> Value {
    json!([x, y])
}

fn tool_call(name: &str, arguments: Value) -> Option<Written> {
    let call = json!({"name": name, "arguments": arguments});
    Written::text(format!("I do the next step.\n<tool_call>\n{call}\n</tool_call>"))
}

fn xml_call(name: &str, arguments: &Value) -> Option<Written> {
    let given: String = arguments
        .as_object()?
        .iter()
        .map(|(key, value)| match value {
            Value::String(text) => format!("<parameter={key}>\n{text}\n</parameter>\n"),
            value => format!("<parameter={key}>\n{value}\n</parameter>\n"),
        })
        .collect();
    Written::text(format!(
        "Action: the next step.\n<tool_call>\n<function={name}>\n{given}</function>\n</tool_call>"
    ))
}

/// `computer_use`. A scroll is written in pixels, a hundred of them a notch.
fn computer(intent: &Intent, holds: bool, place: &dyn Fn(Spot) -> Value) -> Option<Value> {
    let held = |modifiers: &Modifiers| match *modifiers {
        Modifiers::NONE => Some(None),
        _ if holds => Some(Some(modifiers.keys().map(|k| k.to_string()).collect::<Vec<_>>().join("+"))),
        _ => None,
    };
    let mut call = match intent {
        Intent::Act(action) => match action {
            Action::Click { at, button, count, modifiers } => {
                let verb = match (button, count) {
                    (Button::Left, 1) => "left_click",
                    (Button::Right, 1) => "right_click",
                    (Button::Middle, 1) => "middle_click",
                    (Button::Left, 2) => "double_click",
                    (Button::Left, 3) => "triple_click",
                    _ => return None,
                };
                let held = held(modifiers)?;
                let mut call = json!({"action": verb, "coordinate": place((*at)?)});
                if let Some(held) = held {
                    call["text"] = held.into();
                }
                call
            }
            Action::Move { to } => json!({"action": "mouse_move", "coordinate": place(*to)}),
            Action::Key { chord, repeat: 1 } => {
                let keys: Vec<String> = chord.0.iter().map(ToString::to_string).collect();
                json!({"action": "key", "keys": keys})
            }
            Action::Type { text, .. } => json!({"action": "type", "text": text}),
            Action::Scroll { at, by: ScrollBy::Pixels { dx, dy }, modifiers } if (*dx == 0) != (*dy == 0) => {
                let verb = if *dx == 0 { "scroll" } else { "hscroll" };
                let mut call = json!({"action": verb, "pixels": dx + dy});
                if let Some(at) = at {
                    call["coordinate"] = place(*at);
                }
                if let Some(held) = held(modifiers)? {
                    call["text"] = held.into();
                }
                call
            }
            Action::Wait { millis } => json!({"action": "wait", "time": *millis as f64 / 1000.0}),
            _ => return None,
        },
        Intent::Done { statement } => json!({"action": "answer", "text": statement}),
        Intent::Look(_) | Intent::Call { .. } | Intent::Ask { .. } => return None,
    };
    if let Value::Object(call) = &mut call {
        call.retain(|_, value| !value.is_null());
    }
    Some(call)
}

fn mobile(intent: &Intent, place: &dyn Fn(Spot) -> Value) -> Option<Value> {
    Some(match intent {
        Intent::Act(Action::Click {
            at: Some(at),
            button: Button::Left,
            count: 1,
            modifiers: Modifiers::NONE,
        }) => {
            json!({"action": "click", "coordinate": place(*at)})
        }
        Intent::Act(Action::Type { text, .. }) => json!({"action": "type", "text": text}),
        Intent::Act(Action::Key { chord, repeat: 1 }) => json!({"action": "key", "text": chord.to_string()}),
        Intent::Act(Action::Wait { millis }) => json!({"action": "wait", "time": *millis as f64 / 1000.0}),
        Intent::Done { statement } => json!({"action": "answer", "text": statement}),
        Intent::Act(_) | Intent::Look(_) | Intent::Call { .. } | Intent::Ask { .. } => return None,
    })
}

fn fara(intent: &Intent, place: &dyn Fn(Spot) -> Value) -> Option<Value> {
    Some(match intent {
        Intent::Act(Action::Click {
            at: Some(at),
            button: Button::Left,
            count: 1,
            modifiers: Modifiers::NONE,
        }) => {
            json!({"action": "left_click", "coordinate": place(*at)})
        }
        Intent::Act(Action::Move { to }) => json!({"action": "mouse_move", "coordinate": place(*to)}),
        Intent::Act(Action::Type { text, .. }) => match text.strip_suffix('\n') {
            Some(line) => json!({"action": "type", "text": line, "press_enter": true}),
            None => json!({"action": "type", "text": text, "press_enter": false}),
        },
        Intent::Act(Action::Key { chord, repeat: 1 }) => {
            let keys: Vec<String> = chord.0.iter().map(ToString::to_string).collect();
            json!({"action": "key", "keys": keys})
        }
        Intent::Act(Action::Scroll {
            at: None,
            by: ScrollBy::Pixels { dx: 0, dy },
            modifiers: Modifiers::NONE,
        }) => {
            json!({"action": "scroll", "pixels": dy})
        }
        Intent::Act(Action::Wait { millis }) => json!({"action": "wait", "time": *millis as f64 / 1000.0}),
        Intent::Done { .. } => json!({"action": "terminate", "status": "success"}),
        Intent::Act(_) | Intent::Look(_) | Intent::Call { .. } | Intent::Ask { .. } => return None,
    })
}
