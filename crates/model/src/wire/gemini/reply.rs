//! Reading what was generated.

use super::super::{object, whole, words};
use super::{DECISION, asks_a_person};
use handsight_base::port::model::{ModelReply, RawTurn, Refusal, SafetyCheck, ToolCall, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(borrow)]
    candidates: Option<Vec<&'a RawValue>>,
    prompt_feedback: Option<Value>,
    usage_metadata: Option<Value>,
    model_version: Option<String>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    finish_reason: Option<String>,
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    parts: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
    #[serde(borrow)]
    function_call: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
}

/// Why a reply ended that ended by a rule.
const RULES: [&str; 10] = [
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "MODEL_ARMOR",
];

pub(super) fn decode(body: &[u8]) -> Result<ModelReply, String> {
    let body: Body<'_> = object("the reply", whole(body, "content")?)?;
    if let Some(error) = body.error.filter(|e| !e.is_null()) {
        return Err(format!("it reports an error: {}", words(&error)));
    }
    let mut reply = ModelReply {
        usage: body.usage_metadata.as_ref().map(usage).unwrap_or_default(),
        model: body.model_version,
        ..ModelReply::default()
    };
    let said = |key: &str| Some(body.prompt_feedback.as_ref()?.get(key)?.as_str()?.to_owned());
    if let Some(reason) = said("blockReason") {
        let words = said("blockReasonMessage").unwrap_or_default();
        reply.finish = Some("content_filter".to_owned());
        reply.refusal = Some(Refusal { reason, words });
        return Ok(reply);
    }
    let candidate = body.candidates.and_then(|c| c.into_iter().next()).ok_or("it has no candidate")?;
    let candidate: Candidate<'_> = object("its first candidate", candidate)?;
    if let Some(content) = candidate.content {
        let json =
            serde_json::from_str(content.get()).map_err(|e| format!("its content cannot be read ({e})"))?;
        reply.raw = Some(RawTurn { provider: String::new(), wire: super::WIRE.name.to_owned(), json });
        let content: Content<'_> = object("its content", content)?;
        for part in content.parts.into_iter().flatten() {
            read(object("a part of its content", part)?, &mut reply)?;
        }
    }
    let reason = candidate.finish_reason.ok_or("it has no reason for its end")?;
    let told = candidate.finish_message.unwrap_or_default();
    reply.finish = Some(match reason.as_str() {
        "STOP" if reply.calls.is_empty() => "stop".to_owned(),
        "STOP" => "tool_calls".to_owned(),
        "MAX_TOKENS" => "length".to_owned(),
        rule if RULES.contains(&rule) => {
            reply.refusal = Some(Refusal { reason: reason.clone(), words: told });
            "content_filter".to_owned()
        }
        _ => {
            // Such as a call that could not be read: what it says of it is all there is.
            if reply.text.is_empty() {
                reply.text = told;
            }
            reply.calls.clear();
            reason
        }
    });
    Ok(reply)
}

fn read(part: Part<'_>, reply: &mut ModelReply) -> Result<(), String> {
    if let (Some(text), false) = (part.text, part.thought) {
        reply.text.push_str(&text);
    }
    let Some(call) = part.function_call else { return Ok(()) };
    let call: Call<'_> = object("a function call", call)?;
    let id = call.id.unwrap_or_default();
    let mut arguments = call.args.map_or("{}", RawValue::get).to_owned();
    if arguments.contains(DECISION)
        && let Ok(Value::Object(mut args)) = serde_json::from_str(&arguments)
        && let Some(decision) = args.shift_remove(DECISION)
    {
        let said = |key: &str| decision.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (code, message) = (said("decision"), said("explanation"));
        if asks_a_person(&code) {
            reply.checks.push(SafetyCheck { call_id: id.clone(), id: String::new(), code, message });
        }
        arguments = Value::Object(args).to_string();
    }
    reply.calls.push(ToolCall { id, name: call.name.unwrap_or_default(), arguments });
    Ok(())
}

fn usage(value: &Value) -> Usage {
    let count = |key: &str| value.get(key).and_then(Value::as_u64);
    let and = |first: Option<u64>, more: &str| first.map(|n| n + count(more).unwrap_or(0));
    // Zeros are left out of the JSON: with the total known, what is missing is none.
    let output = count("candidatesTokenCount").or_else(|| count("totalTokenCount").map(|_| 0));
    Usage {
        input_tokens: and(count("promptTokenCount"), "toolUsePromptTokenCount"),
        output_tokens: and(output, "thoughtsTokenCount"),
        cached_tokens: count("cachedContentTokenCount"),
        ..Usage::default()
    }
}
