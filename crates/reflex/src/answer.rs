//! Answers in the dialect asked: function calls of the offered tools, or a plan of one step.
//!
//! The only place that knows how a call is written. A tool that is not offered is not called.

use crate::mind::{Call, Decision};
use handsight_base::port::model::{ModelReply, ModelRequest, ToolCall, Usage};
use handsight_base::space::{Norm1000, Size};
use serde_json::{Value, json};

/// The decision as a reply, for a picture of this size. `None` if no offered tool can express it.
pub(crate) fn reply(decision: &Decision, request: &ModelRequest, picture: Size) -> Option<ModelReply> {
    let (text, calls) = if is_plan(request) {
        (plan(decision, &request.system, picture)?.to_string(), Vec::new())
    } else {
        (String::new(), vec![call(decision, request)?])
    };
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
        Call::Type(text) => ("type", json!({ "text": text, "reason": reason })),
        Call::Scroll(dy) => ("scroll", json!({ "dy": dy, "reason": reason })),
        Call::Done => ("done", json!({ "reason": reason })),
    };
    request.tools.iter().find(|tool| tool.name == name)?;
    Some(ToolCall { id: "call_0".to_owned(), name: name.to_owned(), arguments: arguments.to_string() })
}

/// Whether a plan is asked for: no tool is offered, and the prompt names the keys of a step.
fn is_plan(request: &ModelRequest) -> bool {
    request.tools.is_empty() && request.system.contains("human_readable_justification")
}

fn plan(decision: &Decision, system: &str, picture: Size) -> Option<Value> {
    let (tool, args) = match &decision.call {
        Call::Done => return Some(json!({ "steps": [], "done": decision.reason })),
        // A step is what keeps the note.
        Call::Observe => ("sleep", json!({ "secs": 1 })),
        Call::Click(at) => {
            let (x, y) = pixel(*at, picture);
            ("mouse", json!({ "x": x, "y": y }))
        }
        Call::Type(text) => ("write", json!({ "text": text })),
        Call::Scroll(dy) => ("scroll", json!({ "notches": dy / 120 })),
    };
    system.contains(&format!("`{tool}`")).then_some(())?;
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
