//! Reading a message.

use super::super::{object, whole, words};
use handsight_base::port::model::{ModelReply, RawTurn, Refusal, ToolCall, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(borrow)]
    content: Option<Vec<&'a RawValue>>,
    stop_reason: Option<String>,
    stop_details: Option<Value>,
    usage: Option<Value>,
    model: Option<String>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

pub(super) fn decode(body: &[u8]) -> Result<ModelReply, String> {
    let body: Body<'_> = object("the reply", whole(body, "message")?)?;
    if let Some(error) = body.error.filter(|e| !e.is_null()) {
        return Err(format!("it reports an error: {}", words(&error)));
    }
    if body.kind.is_some_and(|kind| kind != "message") {
        return Err("it is no message".into());
    }
    let content = body.content.ok_or("it has no content")?;
    let (mut text, mut calls, mut raw) = (String::new(), Vec::new(), Vec::new());
    for block in content {
        raw.push(serde_json::from_str(block.get()).map_err(|e| format!("a block cannot be read ({e})"))?);
        let block: Block<'_> = object("a block of its content", block)?;
        match block.kind.as_str() {
            "text" => text.push_str(&block.text.unwrap_or_default()),
            "tool_use" => calls.push(ToolCall {
                id: block.id.unwrap_or_default(),
                name: block.name.unwrap_or_default(),
                arguments: block.input.map(|i| i.get().to_owned()).unwrap_or_default(),
            }),
            // Thinking and whatever else only the provider can read.
            _ => {}
        }
    }
    let refusal = (body.stop_reason.as_deref() == Some("refusal")).then(|| {
        let said = |key: &str| body.stop_details.as_ref()?.get(key)?.as_str().map(str::to_owned);
        Refusal {
            reason: said("category").unwrap_or_else(|| "refusal".to_owned()),
            words: said("explanation").unwrap_or_default(),
        }
    });
    Ok(ModelReply {
        text,
        calls,
        usage: body.usage.as_ref().map(usage).unwrap_or_default(),
        finish: body.stop_reason.map(finish),
        refusal,
        raw: Some(RawTurn {
            provider: String::new(),
            wire: super::WIRE.name.to_owned(),
            json: Value::Array(raw),
        }),
        model: body.model,
        ..ModelReply::default()
    })
}

fn finish(reason: String) -> String {
    match reason.as_str() {
        "end_turn" | "stop_sequence" => "stop".to_owned(),
        "tool_use" => "tool_calls".to_owned(),
        "max_tokens" | "model_context_window_exceeded" => "length".to_owned(),
        "refusal" => "content_filter".to_owned(),
        _ => reason,
    }
}

fn usage(value: &Value) -> Usage {
    let count = |key: &str| value.get(key).and_then(Value::as_u64);
    let (read, written) = (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
    Usage {
        input_tokens: count("input_tokens").map(|fresh| fresh + read.unwrap_or(0) + written.unwrap_or(0)),
        output_tokens: count("output_tokens"),
        cached_tokens: read,
        cache_write_tokens: written,
        ..Usage::default()
    }
}
