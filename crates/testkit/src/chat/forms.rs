//! A reply in the form of each API, whole or as the events of a stream.
//!
//! Where a real service sends what only it can read (thinking with its signature, encrypted reasoning, a thought's signature),
//! so does this one: a request that brings it back changed, or not at all, is refused.

use super::Api;
use super::check::computer::is_member;
use super::check::signature;
use super::reply::{Call, Computer, Tells};
use serde_json::{Value, json};

const THOUGHT: &str = "The button is in the middle, so I click there.";

/// A whole reply.
pub(super) fn whole(tells: &Tells, text: Option<&str>, calls: &[Call]) -> Value {
    match tells.api {
        Api::Chat => completion(tells, text, calls),
        Api::Messages => message(tells, text, calls),
        Api::Responses => response(tells, text, calls),
        Api::Gemini => generated(tells, text, calls),
    }
}

fn completion(tells: &Tells, text: Option<&str>, calls: &[Call]) -> Value {
    let mut message = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        let calls = calls.iter().map(|c| {
            json!({"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}})
        });
        message["tool_calls"] = calls.collect();
    }
    let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
    let mut whole = json!({
        "id": format!("chatcmpl-{}", tells.n),
        "object": "chat.completion",
        "created": 1_700_000_000 + tells.n,
        "model": tells.model,
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish}],
        "system_fingerprint": tells.model,
    });
    if let Some((input, output)) = tells.usage {
        whole["usage"] =
            json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output});
        if tells.cached > 0 {
            whole["usage"]["prompt_tokens_details"] = json!({"cached_tokens": tells.cached});
        }
    }
    whole
}

/// Arguments as the object that an API wants; what is none is what a model of such an API could not send.
fn object(call: &Call) -> Value {
    serde_json::from_str(&call.arguments).ok().filter(Value::is_object).unwrap_or_else(|| json!({}))
}

fn message(tells: &Tells, text: Option<&str>, calls: &[Call]) -> Value {
    let mut content = Vec::new();
    if tells.thinks {
        content.push(json!({"type": "thinking", "thinking": THOUGHT, "signature": signature(THOUGHT)}));
        content.push(json!({"type": "redacted_thinking", "data": signature("redacted")}));
    }
    content.extend(text.map(|text| json!({"type": "text", "text": text})));
    let call = |c: &Call| {
        let mut block = json!({"type": "tool_use", "id": c.id, "name": c.name, "input": object(c)});
        if tells.computer == Computer::Toolset && is_member(&c.name) {
            block["toolset_name"] = "computer".into();
        }
        block
    };
    content.extend(calls.iter().map(call));
    let (input, output) = tells.usage.unwrap_or_default();
    json!({
        "id": format!("msg_{}", tells.n),
        "type": "message",
        "role": "assistant",
        "model": tells.model,
        "content": content,
        "stop_reason": if calls.is_empty() { "end_turn" } else { "tool_use" },
        "stop_sequence": null,
        "usage": {
            "input_tokens": input - tells.cached,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": tells.cached,
            "output_tokens": output,
        },
    })
}

fn response(tells: &Tells, text: Option<&str>, calls: &[Call]) -> Value {
    let mut output = Vec::new();
    if tells.thinks {
        let id = format!("rs_{}", tells.n);
        let encrypted = signature(&id);
        output.push(json!({"id": id, "type": "reasoning", "summary": [], "encrypted_content": encrypted}));
    }
    output.extend(text.map(|text| {
        json!({
            "id": format!("msg_{}", tells.n),
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}],
        })
    }));
    let call = |(i, c): (usize, &Call)| {
        if let (Computer::Item { batched }, "computer") = (tells.computer, c.name.as_str()) {
            return computer_call(tells.n, i, c, batched);
        }
        json!({
            "id": format!("fc_{}_{i}", tells.n),
            "type": "function_call",
            "status": "completed",
            "arguments": c.arguments,
            "call_id": c.id,
            "name": c.name,
        })
    };
    output.extend(calls.iter().enumerate().map(call));
    let mut whole = json!({
        "id": format!("resp_{}", tells.n),
        "object": "response",
        "created_at": 1_700_000_000 + tells.n,
        "status": "completed",
        "error": null,
        "incomplete_details": null,
        "model": tells.model,
        "output": output,
        "store": false,
        "usage": null,
    });
    if let Some((input, output)) = tells.usage {
        whole["usage"] = json!({
            "input_tokens": input,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input + output,
        });
    }
    whole
}

/// A call of the computer: `action` or `actions` as the arguments have them, and the questions for a person.
fn computer_call(n: usize, i: usize, call: &Call, batched: bool) -> Value {
    let given = object(call);
    let checks = given.get("pending_safety_checks").cloned().unwrap_or_else(|| json!([]));
    let mut item = json!({
        "id": format!("cu_{n}_{i}"),
        "type": "computer_call",
        "status": "completed",
        "call_id": call.id,
        "pending_safety_checks": checks,
    });
    let key = if batched { "actions" } else { "action" };
    item[key] = given.get(key).cloned().unwrap_or(given);
    item
}

fn generated(tells: &Tells, text: Option<&str>, calls: &[Call]) -> Value {
    let mut parts: Vec<Value> = text.map(|text| json!({"text": text})).into_iter().collect();
    for (i, c) in calls.iter().enumerate() {
        let (name, args) = (Value::from(c.name.as_str()), object(c));
        let signed = signature(&format!("{name}{args}"));
        let mut part = json!({"functionCall": {"name": name, "args": args, "id": c.id}});
        if i == 0 {
            part["thoughtSignature"] = signed.into();
        }
        parts.push(part);
    }
    let mut whole = json!({
        "candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}],
        "modelVersion": tells.model,
        "responseId": format!("r{}", tells.n),
    });
    if let Some((input, output)) = tells.usage {
        whole["usageMetadata"] = json!({
            "promptTokenCount": input,
            "candidatesTokenCount": output,
            "totalTokenCount": input + output,
        });
    }
    whole
}

/// The same reply as the text of a stream.
pub(super) fn streamed(api: Api, whole: &Value) -> Vec<u8> {
    let mut out = String::new();
    match api {
        Api::Chat => chunks(whole, &mut out),
        Api::Messages => message_events(whole, &mut out),
        Api::Responses => response_events(whole, &mut out),
        Api::Gemini => generated_events(whole, &mut out),
    }
    out.into_bytes()
}

fn event(out: &mut String, data: &Value) {
    if let Some(kind) = data["type"].as_str() {
        out.push_str(&format!("event: {kind}\n"));
    }
    out.push_str(&format!("data: {data}\n\n"));
}

/// A text in pieces of a few characters.
fn pieces(text: &str) -> Vec<String> {
    let all: Vec<char> = text.chars().collect();
    all.chunks(7).map(|c| c.iter().collect()).collect()
}

fn chunks(whole: &Value, out: &mut String) {
    let chunk = |out: &mut String, delta: Value, finish: &Value| {
        let mut chunk = json!({"id": whole["id"], "object": "chat.completion.chunk", "created": whole["created"],
            "model": whole["model"], "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
        chunk["usage"] = Value::Null;
        event(out, &chunk);
    };
    let (choice, none) = (&whole["choices"][0], Value::Null);
    let message = &choice["message"];
    chunk(out, json!({"role": "assistant", "content": message["content"].as_str().map(|_| "")}), &none);
    for piece in pieces(message["content"].as_str().unwrap_or_default()) {
        chunk(out, json!({"content": piece}), &none);
    }
    out.push_str(": still here\n\n");
    for (i, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
        let function = &call["function"];
        let first = json!({"index": i, "id": call["id"], "type": "function",
            "function": {"name": function["name"], "arguments": ""}});
        chunk(out, json!({"tool_calls": [first]}), &none);
        for piece in pieces(function["arguments"].as_str().unwrap_or_default()) {
            chunk(out, json!({"tool_calls": [{"index": i, "function": {"arguments": piece}}]}), &none);
        }
    }
    chunk(out, json!({}), &choice["finish_reason"]);
    event(out, &json!({"id": whole["id"], "model": whole["model"], "choices": [], "usage": whole["usage"]}));
    out.push_str("data: [DONE]\n\n");
}

fn message_events(whole: &Value, out: &mut String) {
    let mut start = whole.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    start["usage"]["output_tokens"] = 1.into();
    event(out, &json!({"type": "message_start", "message": start}));
    for (i, block) in whole["content"].as_array().into_iter().flatten().enumerate() {
        let mut begun = block.clone();
        let mut deltas = Vec::new();
        match block["type"].as_str().unwrap_or_default() {
            "text" => {
                begun["text"] = "".into();
                let text = block["text"].as_str().unwrap_or_default();
                deltas.extend(pieces(text).into_iter().map(|p| json!({"type": "text_delta", "text": p})));
            }
            "thinking" => {
                (begun["thinking"], begun["signature"]) = ("".into(), "".into());
                let text = block["thinking"].as_str().unwrap_or_default();
                deltas.extend(
                    pieces(text).into_iter().map(|p| json!({"type": "thinking_delta", "thinking": p})),
                );
                deltas.push(json!({"type": "signature_delta", "signature": block["signature"]}));
            }
            "tool_use" => {
                begun["input"] = json!({});
                let text = block["input"].to_string();
                let delta = |p| json!({"type": "input_json_delta", "partial_json": p});
                // The input of a toolset's call comes in one piece.
                let whole = block.get("toolset_name").is_some();
                let parts = if whole { vec![text] } else { pieces(&text) };
                deltas.extend(parts.into_iter().map(delta));
            }
            _ => {}
        }
        event(out, &json!({"type": "content_block_start", "index": i, "content_block": begun}));
        event(out, &json!({"type": "ping"}));
        for delta in deltas {
            event(out, &json!({"type": "content_block_delta", "index": i, "delta": delta}));
        }
        event(out, &json!({"type": "content_block_stop", "index": i}));
    }
    let delta = json!({"stop_reason": whole["stop_reason"], "stop_sequence": null});
    let usage = json!({"output_tokens": whole["usage"]["output_tokens"]});
    event(out, &json!({"type": "message_delta", "delta": delta, "usage": usage}));
    event(out, &json!({"type": "message_stop"}));
}

fn response_events(whole: &Value, out: &mut String) {
    let mut created = whole.clone();
    created["output"] = json!([]);
    created["status"] = "in_progress".into();
    event(out, &json!({"type": "response.created", "response": created}));
    for (i, item) in whole["output"].as_array().into_iter().flatten().enumerate() {
        event(
            out,
            &json!({"type": "response.output_item.added", "output_index": i, "item": {"id": item["id"]}}),
        );
        for piece in pieces(item["arguments"].as_str().unwrap_or_default()) {
            let kind = "response.function_call_arguments.delta";
            event(out, &json!({"type": kind, "item_id": item["id"], "output_index": i, "delta": piece}));
        }
        event(out, &json!({"type": "response.output_item.done", "output_index": i, "item": item}));
    }
    event(out, &json!({"type": "response.completed", "response": whole}));
}

fn generated_events(whole: &Value, out: &mut String) {
    let candidate = &whole["candidates"][0];
    let parts = candidate["content"]["parts"].as_array().map_or(&[][..], Vec::as_slice);
    let chunk = |out: &mut String, part: Value| {
        let content = json!({"parts": [part], "role": "model"});
        let candidate = json!({"content": content, "index": 0});
        event(
            out,
            &json!({"candidates": [candidate], "modelVersion": whole["modelVersion"],
            "responseId": whole["responseId"]}),
        );
    };
    for part in parts {
        match part["text"].as_str() {
            Some(text) => pieces(text).into_iter().for_each(|p| chunk(out, json!({"text": p}))),
            None => chunk(out, part.clone()),
        }
    }
    let mut last = whole.clone();
    last["candidates"][0]["content"]["parts"] = json!([]);
    event(out, &last);
}
