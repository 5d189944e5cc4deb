//! Answers in the dialect asked: function calls of the offered tools, or a plan of one step.
//!
//! The only place that knows how a call is written. A tool that is not offered is not called.

use crate::mind::{Call, Decision};
use handsight_base::port::model::{ModelReply, ModelRequest, ToolCall, Usage};
use handsight_base::space::{Norm1000, Size};
use serde_json::{Value, json};

/// The decision as a reply, for a picture of this size; what no offered tool can do is given up. `None` if not even that can be said.
pub(crate) fn reply(decision: &Decision, request: &ModelRequest, picture: Size) -> Option<ModelReply> {
    let said = |decision: &Decision| {
        Some(if is_plan(request) {
            (plan(decision, &request.system, picture)?.to_string(), Vec::new())
        } else {
            (String::new(), vec![call(decision, request)?])
        })
    };
    let given_up = || Decision {
        call: Call::Done,
        reason: format!("given up: no tool for this is offered: {}", decision.reason),
    };
    let (text, calls) = said(decision).or_else(|| said(&given_up()))?;
    let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
    Some(ModelReply {
        text,
        calls,
        usage: Usage { cost_usd: Some(0.0), ..Usage::default() },
        finish: Some(finish.to_owned()),
        ..ModelReply::default()
    })
}

fn call(decision: &Decision, request: &ModelRequest) -> Option<ToolCall> {
    let reason = &decision.reason;
    let (name, arguments) = match &decision.call {
        Call::Observe => ("observe", json!({ "reason": reason })),
        Call::Click(at) => ("click", json!({ "x": at.x, "y": at.y, "reason": reason })),
        Call::RightClick(at) => {
            ("click", json!({ "x": at.x, "y": at.y, "button": "right", "reason": reason }))
        }
        Call::DoubleClick(_) | Call::Drag(..) | Call::Keys(_) => return None,
        Call::Type(text) => ("type", json!({ "text": text, "reason": reason })),
        Call::Scroll(dy) => ("scroll", json!({ "dy": dy, "reason": reason })),
        Call::Done => ("done", json!({ "reason": reason })),
    };
    let tool = request.tools.iter().find(|tool| tool.name == name)?;
    if matches!(decision.call, Call::RightClick(_)) {
        tool.parameters.pointer("/properties/button")?;
    }
    Some(ToolCall { id: "call_0".to_owned(), name: name.to_owned(), arguments: arguments.to_string() })
}

/// Whether a plan is asked for: no tool is offered, and the prompt names the keys of a step.
fn is_plan(request: &ModelRequest) -> bool {
    request.tools.is_empty() && request.system.contains("human_readable_justification")
}

/// What the wheel turns, in its units, for one page.
const PAGE: u32 = 360;
const MOST_PAGES: u32 = 12;

fn plan(decision: &Decision, system: &str, picture: Size) -> Option<Value> {
    let offers = |tool: &str| system.contains(&format!("- `{tool}` "));
    let mouse = |at: Norm1000, how: Value| {
        let (x, y) = pixel(at, picture);
        let mut args = json!({ "x": x, "y": y });
        if let (Some(args), Value::Object(how)) = (args.as_object_mut(), how) {
            args.extend(how);
        }
        args
    };
    let (tool, args) = match &decision.call {
        Call::Done => return Some(json!({ "steps": [], "done": decision.reason })),
        // A step is what keeps the note.
        Call::Observe => ("sleep", json!({ "secs": 1 })),
        Call::Click(at) => ("mouse", mouse(*at, json!({}))),
        Call::DoubleClick(at) => ("mouse", mouse(*at, json!({ "clicks": 2 }))),
        Call::RightClick(at) => ("mouse", mouse(*at, json!({ "button": "right" }))),
        Call::Drag(from, to) => {
            let ((x, y), (to_x, to_y)) = (pixel(*from, picture), pixel(*to, picture));
            ("drag", json!({ "x": x, "y": y, "to_x": to_x, "to_y": to_y }))
        }
        Call::Type(text) => ("write", json!({ "text": text })),
        Call::Keys(chord) => ("hotkey", json!({ "keys": chord.split('+').collect::<Vec<_>>() })),
        Call::Scroll(dy) if offers("scroll") => ("scroll", json!({ "notches": dy / 120 })),
        // Where there is no wheel, keys turn the pages.
        Call::Scroll(dy) => {
            let key = if *dy < 0 { "pagedown" } else { "pageup" };
            let pages = (dy.unsigned_abs() / PAGE).clamp(1, MOST_PAGES) as usize;
            ("press", json!({ "keys": vec![key; pages] }))
        }
    };
    offers(tool).then_some(())?;
    let step = json!({ "tool": tool, "args": args, "human_readable_justification": decision.reason });
    Some(json!({ "steps": [step], "done": null }))
}

/// The pixel of a picture that a place is on: 1000 is the last one.
fn pixel(at: Norm1000, picture: Size) -> (u32, u32) {
    let axis = |v: f64, n: u32| (v / 1000.0 * f64::from(n.saturating_sub(1))).round() as u32;
    (axis(at.x, picture.width), axis(at.y, picture.height))
}

/// A chat response with this reply, for the record.
pub(crate) fn response(reply: &ModelReply) -> Value {
    let call = |c: &ToolCall| json!({ "id": c.id, "type": "function", "function": { "name": c.name, "arguments": c.arguments } });
    let calls: Vec<Value> = reply.calls.iter().map(call).collect();
    let message = if calls.is_empty() {
        json!({ "role": "assistant", "content": reply.text })
    } else {
        json!({ "role": "assistant", "content": null, "tool_calls": calls })
    };
    let choice = json!({ "index": 0, "message": message, "finish_reason": reply.finish });
    json!({ "object": "chat.completion", "choices": [choice] })
}
