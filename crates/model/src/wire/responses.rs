//! OpenAI Responses.
//!
//! Facts that are not obvious (from the types of openai-python and the public documentation, read in 2026): nothing is stored at
//! the provider (`store: false`), so reasoning goes back encrypted, as the item it came in; an item of reasoning without
//! `encrypted_content` cannot be found again and is left out. A call is paired by `call_id`, not by `id`. A `computer_call` is
//! answered by a screenshot and by nothing else, and its `pending_safety_checks` only after a person agreed: until then the turn
//! goes back in neutral form, and no check is ever acknowledged here by itself. The older computer wants `truncation: "auto"`; with
//! the newer one pictures go in the detail `original`. Neither is forced: a reply without a call is how its model says that it is
//! done.

mod reply;
mod stream;

use super::json::Json;
use super::{Wire, WireOptions, data_ids, native, said, size_of_body};
use crate::provider::ToolChoice;
use handsight_base::flow::prompt::Picture;
use handsight_base::port::model::{Message, ModelRequest, Part, Role, SafetyCheck};
use serde_json::Value;
use std::borrow::Cow;

pub const WIRE: Wire = Wire {
    name: "responses",
    about: "OpenAI Responses",
    path: |_, _| "responses".to_owned(),
    models_path: "models",
    models: data_ids,
    headers: &[],
    encode,
    decode: reply::decode,
    count: None,
    assemble: || Box::new(stream::Stream::default()),
    raw_fits,
    pictures_in_results: true,
};

/// The tool that a `computer_call` is a call of.
const COMPUTER: &str = "computer";
/// Its older form.
const PREVIEW: &str = "computer_use_preview";

/// How closely pictures are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    Auto,
    Original,
}

fn kind(item: &Value) -> &str {
    item.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn is_call(item: &Value) -> bool {
    matches!(kind(item), "function_call" | "computer_call")
}

/// Whether the items have these calls.
fn raw_fits(raw: &Value, calls: &[&str]) -> bool {
    let items = raw.as_array().map_or(&[][..], Vec::as_slice);
    let own: Vec<&Value> = items.iter().filter(|i| is_call(i)).collect();
    let whole = |i: &Value| i.get("status").is_none_or(|s| s.is_null() || s == "completed");
    let same = |(own, id): (&&Value, &&str)| own.get("call_id").and_then(Value::as_str) == Some(id);
    let says = items.iter().any(|i| kind(i) == "message" || is_call(i));
    says && own.len() == calls.len()
        && own.iter().zip(calls).all(same)
        && items.iter().all(|i| kind(i) == "reasoning" || whole(i))
}

pub fn encode(request: &ModelRequest, options: &WireOptions<'_>) -> Vec<u8> {
    let mut json = Json::with_capacity(size_of_body(request));
    let native = native(request, WIRE.name);
    let offers = |kind: &str| native.iter().any(|tool| self::kind(tool) == kind);
    let detail = if offers(COMPUTER) { Detail::Original } else { Detail::Auto };
    json.object(|j| {
        j.key("model").value(options.model);
        if !request.system.is_empty() {
            j.key("instructions").value(&request.system);
        }
        j.key("input").array(|j| input(j, &request.messages, detail, options));
        if !request.tools.is_empty() || !native.is_empty() {
            j.key("tools").array(|j| {
                native.iter().for_each(|tool| j.value(*tool));
                for tool in &request.tools {
                    j.object(|j| {
                        j.key("type").value("function");
                        j.key("name").value(&tool.name);
                        j.key("description").value(&tool.description);
                        j.key("parameters").value(&tool.parameters);
                        // The strict form wants schemas that name every property as required.
                        j.key("strict").value(&false);
                    });
                }
            });
            if let Some(choice) = options.tool_choice.filter(|_| native.is_empty()) {
                j.key("tool_choice").value(match choice {
                    ToolChoice::Auto => "auto",
                    ToolChoice::Required => "required",
                });
            }
        }
        if !options.fixed_sampling {
            if let Some(t) = request.sampling.temperature {
                j.key("temperature").value(&t);
            }
            if let Some(p) = request.sampling.top_p {
                j.key("top_p").value(&p);
            }
        }
        if let Some(max) = request.sampling.max_tokens {
            // Less is refused.
            j.key("max_output_tokens").value(&max.max(16));
        }
        if offers(PREVIEW) {
            j.key("truncation").value("auto");
        }
        if let Some(form) = request.form.as_ref().filter(|_| options.forms) {
            j.key("text").object(|j| {
                j.key("format").object(|j| {
                    j.key("type").value("json_schema");
                    j.key("name").value(form.name);
                    j.key("schema").value(&form.schema);
                    // As with tools.
                    j.key("strict").value(&false);
                });
            });
        }
        j.key("store").value(&false);
        if options.thinking.is_some() {
            j.key("include").array(|j| j.value("reasoning.encrypted_content"));
        }
        if options.stream {
            j.key("stream").value(&true);
        }
    });
    json.finish()
}

fn input(j: &mut Json, messages: &[Message], detail: Detail, options: &WireOptions<'_>) {
    // Calls of the last turn of the model that only a screenshot answers.
    let mut computer: Vec<&str> = Vec::new();
    for (i, m) in messages.iter().enumerate() {
        match m.role {
            Role::User => user(j, &m.parts, &computer, detail, options),
            Role::Assistant => {
                let answers = messages.get(i + 1).map_or(&[][..], |next| next.parts.as_slice());
                let raw = m.raw.as_ref().and_then(|raw| raw.json.as_array());
                match raw.filter(|items| items.iter().all(|item| is_answered(item, answers))) {
                    Some(items) => {
                        let of_computer = items.iter().filter(|i| kind(i) == "computer_call");
                        computer = of_computer.filter_map(call_id).collect();
                        items.iter().for_each(|item| as_it_came(j, item));
                    }
                    None => {
                        computer.clear();
                        assistant(j, &m.parts);
                    }
                }
            }
        }
    }
}

fn call_id(item: &Value) -> Option<&str> {
    item.get("call_id")?.as_str()
}

/// Whether a call of the computer has what alone answers it: a picture, and a person's word for each of its checks.
fn is_answered(item: &Value, answers: &[Part]) -> bool {
    if kind(item) != "computer_call" {
        return true;
    }
    let checks = item.get("pending_safety_checks").and_then(Value::as_array);
    let mut wanted = checks.into_iter().flatten().filter_map(|c| c.get("id")?.as_str());
    answers.iter().any(|p| match p {
        Part::Result { call_id: id, picture, acknowledged, .. } => {
            call_id(item) == Some(id)
                && picture.is_some()
                && wanted.all(|want| acknowledged.iter().any(|a| a.id == want))
        }
        Part::Text(_) | Part::Picture(_) | Part::Call(_) => false,
    })
}

/// An item of the model's, without what may only come.
fn as_it_came(j: &mut Json, item: &Value) {
    let lost = kind(item) == "reasoning" && item.get("encrypted_content").and_then(Value::as_str).is_none();
    if lost {
        return;
    }
    j.object(|j| {
        // A `null` is refused on the way back where it was sent on the way here.
        for (key, value) in item.as_object().into_iter().flatten().filter(|(_, v)| !v.is_null()) {
            j.key(key).value(value);
        }
    });
}

fn user(j: &mut Json, parts: &[Part], computer: &[&str], detail: Detail, options: &WireOptions<'_>) {
    let mut content: Vec<Content<'_>> = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Part::Result { call_id, text, picture: Some(picture), is_error, acknowledged }
                if computer.contains(&call_id.as_str()) =>
            {
                screenshot(j, call_id, picture, detail, acknowledged);
                if !text.trim().is_empty() {
                    content.push(Content::Text(said(text, *is_error).into()));
                }
            }
            Part::Result { call_id, text, picture, is_error, acknowledged: _ } => {
                j.object(|j| {
                    j.key("type").value("function_call_output");
                    j.key("call_id").value(call_id);
                    let text = said(text, *is_error);
                    match picture {
                        Some(picture) if options.pictures_in_results => j.key("output").array(|j| {
                            if !text.is_empty() {
                                Content::Text(text.as_str().into()).write(j, detail);
                            }
                            Content::Picture(picture).write(j, detail);
                        }),
                        _ => j.key("output").value(&text),
                    }
                });
                content
                    .extend(picture.as_ref().filter(|_| !options.pictures_in_results).map(Content::Picture));
            }
            Part::Text(text) => content.push(Content::Text(text.into())),
            Part::Picture(picture) => content.push(Content::Picture(picture)),
            Part::Call(_) => {}
        }
    }
    if !content.is_empty() {
        j.object(|j| {
            j.key("role").value("user");
            j.key("content").array(|j| content.iter().for_each(|c| c.write(j, detail)));
        });
    }
}

enum Content<'a> {
    Text(Cow<'a, str>),
    Picture(&'a Picture),
}

impl Content<'_> {
    fn write(&self, j: &mut Json, detail: Detail) {
        j.object(|j| match self {
            Content::Text(text) => {
                j.key("type").value("input_text");
                j.key("text").value(text);
            }
            Content::Picture(picture) => {
                j.key("type").value("input_image");
                j.key("image_url").picture(picture);
                j.key("detail").value(if detail == Detail::Original { "original" } else { "auto" });
            }
        });
    }
}

fn screenshot(j: &mut Json, call_id: &str, picture: &Picture, detail: Detail, acknowledged: &[SafetyCheck]) {
    j.object(|j| {
        j.key("type").value("computer_call_output");
        j.key("call_id").value(call_id);
        j.key("output").object(|j| {
            j.key("type").value("computer_screenshot");
            j.key("image_url").picture(picture);
            if detail == Detail::Original {
                j.key("detail").value("original");
            }
        });
        if !acknowledged.is_empty() {
            j.key("acknowledged_safety_checks").array(|j| {
                for check in acknowledged {
                    j.object(|j| {
                        j.key("id").value(&check.id);
                        j.key("code").value(&check.code);
                        j.key("message").value(&check.message);
                    });
                }
            });
        }
    });
}

fn assistant(j: &mut Json, parts: &[Part]) {
    for part in parts {
        match part {
            Part::Text(text) => j.object(|j| {
                j.key("role").value("assistant");
                j.key("content").value(text);
            }),
            Part::Call(call) => j.object(|j| {
                j.key("type").value("function_call");
                j.key("call_id").value(&call.id);
                j.key("name").value(&call.name);
                j.key("arguments").value(&call.arguments);
            }),
            Part::Picture(_) | Part::Result { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests;
