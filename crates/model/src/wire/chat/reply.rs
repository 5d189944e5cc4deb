//! Reading a chat completion.
//!
//! Strict where a guess could act (calls, their names and arguments), lenient where nothing hangs on it (usage, unknown fields).

use handsight_base::port::model::{ModelReply, ToolCall, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    choices: Option<Vec<&'a RawValue>>,
    error: Option<Value>,
    usage: Option<Value>,
    model: Option<Value>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    refusal: Option<String>,
    #[serde(borrow)]
    tool_calls: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    id: Option<String>,
    #[serde(borrow)]
    function: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Function<'a> {
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct TextPart {
    text: Option<String>,
}

pub(super) fn decode(body: &[u8]) -> Result<ModelReply, String> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err("it is empty".into());
    }
    let body: &RawValue =
        serde_json::from_slice(body).map_err(|e| format!("it is no chat completion ({e})"))?;
    let body: Body<'_> = object("the reply", body)?;
    if let Some(error) = body.error.filter(|e| !e.is_null()) {
        return Err(format!("it reports an error: {}", words(&error)));
    }
    let choice = body.choices.and_then(|c| c.into_iter().next()).ok_or("it has no choice")?;
    let choice: Choice<'_> = object("its first choice", choice)?;
    let message: Message<'_> =
        object("its message", choice.message.ok_or("its first choice has no message")?)?;
    let mut text = message.content.map_or(Ok(String::new()), content)?;
    if let (true, Some(refusal)) = (text.is_empty(), message.refusal) {
        text = refusal;
    }
    let calls = message.tool_calls.into_iter().flatten().map(call).collect::<Result<_, _>>()?;
    Ok(ModelReply {
        text,
        calls,
        usage: body.usage.as_ref().map(usage).unwrap_or_default(),
        finish: choice.finish_reason,
        model: body.model.as_ref().and_then(Value::as_str).map(str::to_owned),
        ..ModelReply::default()
    })
}

/// An object and nothing else: serde would read an array as the fields in order.
fn object<'a, T: Deserialize<'a>>(what: &str, raw: &'a RawValue) -> Result<T, String> {
    if !raw.get().starts_with('{') {
        return Err(format!("{what} is no object"));
    }
    serde_json::from_str(raw.get()).map_err(|e| format!("{what} cannot be read ({e})"))
}

fn words(error: &Value) -> String {
    let message = error.get("message").unwrap_or(error);
    message.as_str().map_or_else(|| message.to_string(), str::to_owned)
}

/// A text, or an array of text parts.
fn content(raw: &RawValue) -> Result<String, String> {
    let json = raw.get();
    if json == "null" {
        return Ok(String::new());
    }
    if json.starts_with('"') {
        return serde_json::from_str(json).map_err(|e| format!("its content cannot be read ({e})"));
    }
    let parts: Vec<&RawValue> =
        serde_json::from_str(json).map_err(|_| "its content is neither text nor parts".to_owned())?;
    parts
        .into_iter()
        .map(|p| Ok(object::<TextPart>("a part of its content", p)?.text.unwrap_or_default()))
        .collect()
}

fn call(raw: &RawValue) -> Result<ToolCall, String> {
    let call: Call<'_> = object("a tool call", raw)?;
    let function: Function<'_> =
        object("the function of a tool call", call.function.ok_or("a tool call names no function")?)?;
    let arguments = match function.arguments.map(RawValue::get) {
        None => String::new(),
        // The usual form: a text that holds JSON.
        Some(text) if text.starts_with('"') => {
            serde_json::from_str(text).map_err(|e| format!("the arguments of a call cannot be read ({e})"))?
        }
        Some(bare) => bare.to_owned(),
    };
    Ok(ToolCall { id: call.id.unwrap_or_default(), name: function.name.unwrap_or_default(), arguments })
}

fn usage(value: &Value) -> Usage {
    let count = |path: &str| value.pointer(path).and_then(Value::as_u64);
    Usage {
        input_tokens: count("/prompt_tokens"),
        output_tokens: count("/completion_tokens"),
        cached_tokens: count("/prompt_tokens_details/cached_tokens"),
        ..Usage::default()
    }
}
