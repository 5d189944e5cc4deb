//! Replies of a scripted model that speaks in tool calls.

use serde_json::{Value, json};

pub(crate) fn click(x: f64, y: f64, reason: &str) -> Value {
    json!({"call": "click", "args": {"x": x, "y": y, "reason": reason}})
}

pub(crate) fn type_text(text: &str, reason: &str) -> Value {
    json!({"call": "type", "args": {"text": text, "reason": reason}})
}

pub(crate) fn scroll(dy: i32, reason: &str) -> Value {
    json!({"call": "scroll", "args": {"dy": dy, "reason": reason}})
}

pub(crate) fn observe(reason: &str) -> Value {
    json!({"call": "observe", "args": {"reason": reason}})
}

pub(crate) fn done() -> Value {
    json!({"call": "done", "args": {"reason": "finished"}})
}
