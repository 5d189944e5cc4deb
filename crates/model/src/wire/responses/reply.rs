//! Reading a response.

use super::super::{object, whole, words};
use super::COMPUTER;
use handsight_base::port::model::{ModelReply, RawTurn, Refusal, SafetyCheck, ToolCall, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Body<'a> {
    status: Option<String>,
    error: Option<Value>,
    incomplete_details: Option<Value>,
    #[serde(borrow)]
    output: Option<Vec<&'a RawValue>>,
    usage: Option<Value>,
    model: Option<String>,
}

#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    call_id: Option<String>,
    name: Option<String>,
    arguments: Option<String>,
    #[serde(borrow)]
    action: Option<&'a RawValue>,
    #[serde(borrow)]
    actions: Option<&'a RawValue>,
    pending_safety_checks: Option<Vec<Check>>,
}

#[derive(Deserialize)]
struct Check {
    id: String,
    code: Option<String>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct TextPart {
    text: Option<String>,
    refusal: Option<String>,
}

pub(super) fn decode(body: &[u8]) -> Result<ModelReply, String> {
    let body: Body<'_> = object("the reply", whole(body, "response")?)?;
    if let Some(error) = body.error.filter(|e| !e.is_null()) {
        return Err(format!("it reports an error: {}", words(&error)));
    }
    let why = body.incomplete_details.as_ref().and_then(|d| d.get("reason")).and_then(Value::as_str);
    let cut = match body.status.as_deref() {
        None | Some("completed") => None,
        Some("incomplete") => Some(why.unwrap_or("incomplete")),
        Some(status) => return Err(format!("it is {status}, not completed")),
    };
    let (mut reply, mut raw) = (ModelReply::default(), Vec::new());
    for item in body.output.ok_or("it has no output")? {
        raw.push(serde_json::from_str(item.get()).map_err(|e| format!("an item cannot be read ({e})"))?);
        read(item, &mut reply)?;
    }
    reply.finish = Some(match cut {
        Some("max_output_tokens") => "length".to_owned(),
        Some(other) => other.to_owned(),
        None if reply.calls.is_empty() => "stop".to_owned(),
        None => "tool_calls".to_owned(),
    });
    if cut == Some("content_filter") {
        reply.refusal = Some(Refusal { reason: "content_filter".to_owned(), words: String::new() });
    }
    reply.usage = body.usage.as_ref().map(usage).unwrap_or_default();
    reply.model = body.model;
    let json = Value::Array(raw);
    reply.raw = Some(RawTurn { provider: String::new(), wire: super::WIRE.name.to_owned(), json });
    Ok(reply)
}

fn read(item: &RawValue, reply: &mut ModelReply) -> Result<(), String> {
    const WHAT: &str = "an item of its output";
    let Kind { kind } = object(WHAT, item)?;
    if !matches!(kind.as_str(), "message" | "function_call" | "computer_call") {
        // Reasoning and whatever else only the provider can read: its fields may be of any type.
        return Ok(());
    }
    let item: Item<'_> = object(WHAT, item)?;
    match kind.as_str() {
        "message" => {
            let content = item.content.ok_or("a message has no content")?;
            let parts: Vec<&RawValue> = serde_json::from_str(content.get())
                .map_err(|_| "the content of a message is no list".to_owned())?;
            for part in parts {
                let part: TextPart = object("a part of a message", part)?;
                reply.text.push_str(&part.text.unwrap_or_default());
                if let Some(refused) = part.refusal {
                    reply.text.push_str(&refused);
                    reply.refusal = Some(Refusal { reason: "refusal".to_owned(), words: refused });
                }
            }
        }
        "function_call" => reply.calls.push(ToolCall {
            id: item.call_id.unwrap_or_default(),
            name: item.name.unwrap_or_default(),
            arguments: item.arguments.unwrap_or_default(),
        }),
        "computer_call" => {
            let id = item.call_id.unwrap_or_default();
            for check in item.pending_safety_checks.into_iter().flatten() {
                reply.checks.push(SafetyCheck {
                    call_id: id.clone(),
                    id: check.id,
                    code: check.code.unwrap_or_default(),
                    message: check.message.unwrap_or_default(),
                });
            }
            let arguments = match (item.actions, item.action) {
                (Some(actions), _) => format!("{{\"actions\":{}}}", actions.get()),
                (None, Some(action)) => format!("{{\"action\":{}}}", action.get()),
                (None, None) => return Err("a call of the computer has no action".into()),
            };
            reply.calls.push(ToolCall { id, name: COMPUTER.to_owned(), arguments });
        }
        _ => {}
    }
    Ok(())
}

fn usage(value: &Value) -> Usage {
    let count = |path: &str| value.pointer(path).and_then(Value::as_u64);
    Usage {
        input_tokens: count("/input_tokens"),
        output_tokens: count("/output_tokens"),
        cached_tokens: count("/input_tokens_details/cached_tokens"),
        cache_write_tokens: count("/input_tokens_details/cache_write_tokens"),
        ..Usage::default()
    }
}
