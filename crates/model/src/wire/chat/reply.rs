//! Reading a chat completion.
//!
//! Strict where a guess could act (calls, their names and arguments), lenient where nothing hangs on it (usage, unknown fields).

use super::super::{object, whole, words};
use handsight_base::port::model::{ModelReply, RawTurn, Refusal, ToolCall, Usage};
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
    let body: Body<'_> = object("the reply", whole(body, "chat completion")?)?;
    if let Some(error) = body.error.filter(|e| !e.is_null()) {
        return Err(format!("it reports an error: {}", words(&error)));
    }
    let choice = body.choices.and_then(|c| c.into_iter().next()).ok_or("it has no choice")?;
    let choice: Choice<'_> = object("its first choice", choice)?;
    let message = choice.message.ok_or("its first choice has no message")?;
    let raw = serde_json::from_str(message.get()).ok();
    let message: Message<'_> = object("its message", message)?;
    let mut text = message.content.map_or(Ok(String::new()), content)?;
    let refused = message.refusal.filter(|r| !r.is_empty());
    let filtered = choice.finish_reason.as_deref() == Some("content_filter");
    let refusal = (refused.is_some() || filtered).then(|| Refusal {
        reason: if filtered { "content_filter" } else { "refusal" }.to_owned(),
        words: refused.clone().unwrap_or_default(),
    });
    if let (true, Some(refused)) = (text.is_empty(), refused) {
        text = refused;
    }
    let calls = message.tool_calls.into_iter().flatten().map(call).collect::<Result<_, _>>()?;
    Ok(ModelReply {
        text,
        calls,
        usage: body.usage.as_ref().map(usage).unwrap_or_default(),
        finish: choice.finish_reason,
        refusal,
        raw: raw.map(|json| RawTurn { provider: String::new(), wire: super::WIRE.name.to_owned(), json }),
        model: body.model.as_ref().and_then(Value::as_str).map(str::to_owned),
        ..ModelReply::default()
    })
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
        // OpenAI and most; DeepSeek; Moonshot and Together.
        cached_tokens: count("/prompt_tokens_details/cached_tokens")
            .or_else(|| count("/prompt_cache_hit_tokens"))
            .or_else(|| count("/cached_tokens")),
        cache_write_tokens: count("/prompt_tokens_details/cache_write_tokens"),
        ..Usage::default()
    }
}
