//! Answers in the dialect asked: function calls of the offered tools.
//!
//! The only place that knows how a call is written. A tool that is not offered is not called.

use crate::mind::{Call, Decision};
use handsight_base::port::model::{ModelReply, ModelRequest, ToolCall, Usage};
use serde_json::{Value, json};

/// The decision as a reply. `None` if no offered tool can express it.
pub(crate) fn reply(decision: &Decision, request: &ModelRequest) -> Option<ModelReply> {
    let reason = &decision.reason;
    let (name, arguments) = match &decision.call {
        Call::Observe => ("observe", json!({ "reason": reason })),
        Call::Click(at) => ("click", json!({ "x": at.x, "y": at.y, "reason": reason })),
        Call::Type(text) => ("type", json!({ "text": text, "reason": reason })),
        Call::Scroll(dy) => ("scroll", json!({ "dy": dy, "reason": reason })),
        Call::Done => ("done", json!({ "reason": reason })),
    };
    request.tools.iter().find(|tool| tool.name == name)?;
    let call = ToolCall { id: "call_0".to_owned(), name: name.to_owned(), arguments: arguments.to_string() };
    Some(ModelReply {
        calls: vec![call],
        usage: Usage { cost_usd: Some(0.0), ..Usage::default() },
        finish: Some("tool_calls".to_owned()),
        ..ModelReply::default()
    })
}

/// A chat response with this reply, for the record.
pub(crate) fn response(reply: &ModelReply) -> Value {
    let call = |c: &ToolCall| json!({ "id": c.id, "type": "function", "function": { "name": c.name, "arguments": c.arguments } });
    let calls: Vec<Value> = reply.calls.iter().map(call).collect();
    let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
    let choice = json!({ "index": 0, "message": message, "finish_reason": reply.finish });
    json!({ "object": "chat.completion", "choices": [choice] })
}
