//! Chat completions, as OpenAI defines them and LM Studio, Ollama, llama.cpp, vLLM and most hosted services speak them.
//!
//! Facts that are not obvious: a `tool` message takes only text, so a picture that belongs to a result follows in a `user`
//! message (some services take it in the result: the provider says so); arguments are a text that holds JSON, though some
//! servers send the object itself; an error may come with status 200. A turn goes back as it came, but only the keys that every
//! service takes and those the provider names: one refuses `reasoning_content`, another wants it. What stands in `content` is
//! never searched for calls.

mod reply;
mod stream;

use super::json::Json;
use super::{Wire, WireOptions, data_ids, said, size_of_body};
use crate::provider::{MaxTokensField, ToolChoice};
use handsight_base::flow::prompt::Picture;
use handsight_base::port::model::{Message, ModelRequest, Part, Role, ToolCall};
use serde_json::Value;

pub const WIRE: Wire = Wire {
    name: "chat",
    about: "chat completions (OpenAI, LM Studio, Ollama, llama.cpp, vLLM)",
    path: |_, _| "chat/completions".to_owned(),
    models_path: "models",
    models: data_ids,
    headers: &[],
    encode,
    decode: reply::decode,
    count: None,
    assemble: || Box::new(stream::Stream::default()),
    raw_fits,
    pictures_in_results: false,
};

/// Whether the message has these calls, in the form that goes back: ids, and arguments as text.
fn raw_fits(raw: &Value, calls: &[&str]) -> bool {
    let own = raw.get("tool_calls").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let same = |(own, id): (&Value, &&str)| {
        own.get("id").and_then(Value::as_str) == Some(id)
            && own.pointer("/function/arguments").is_some_and(Value::is_string)
            && own.get("type").is_none_or(|t| t == "function")
    };
    let content = raw.get("content").unwrap_or(&Value::Null);
    let says = !own.is_empty() || content.is_string() || content.is_array();
    raw.get("role").is_none_or(|r| r == "assistant")
        && says
        && own.len() == calls.len()
        && own.iter().zip(calls).all(same)
}

pub fn encode(request: &ModelRequest, options: &WireOptions<'_>) -> Vec<u8> {
    let mut json = Json::with_capacity(size_of_body(request));
    json.object(|j| {
        j.key("model").value(options.model);
        j.key("messages").array(|j| {
            if !request.system.is_empty() {
                text_message(j, "system", &request.system);
            }
            for m in &request.messages {
                message(j, m, options);
            }
        });
        if !request.tools.is_empty() {
            j.key("tools").array(|j| {
                for tool in &request.tools {
                    j.object(|j| {
                        j.key("type").value("function");
                        j.key("function").object(|j| {
                            j.key("name").value(&tool.name);
                            j.key("description").value(&tool.description);
                            j.key("parameters").value(&tool.parameters);
                        });
                    });
                }
            });
            if let Some(choice) = options.tool_choice {
                j.key("tool_choice").value(match choice {
                    ToolChoice::Auto => "auto",
                    ToolChoice::Required => "required",
                });
            }
        }
        let sampling = &request.sampling;
        if !options.fixed_sampling {
            if let Some(t) = sampling.temperature {
                j.key("temperature").value(&t);
            }
            if let Some(p) = sampling.top_p {
                j.key("top_p").value(&p);
            }
        }
        if let Some(max) = sampling.max_tokens {
            let field = match options.max_tokens_field {
                MaxTokensField::MaxTokens => "max_tokens",
                MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
            };
            j.key(field).value(&max);
        }
        if let Some(form) = request.form.as_ref().filter(|_| options.forms) {
            j.key("response_format").object(|j| {
                j.key("type").value("json_schema");
                j.key("json_schema").object(|j| {
                    j.key("name").value(form.name);
                    j.key("schema").value(&form.schema);
                });
            });
        }
        if options.stream {
            j.key("stream").value(&true);
            // Without it the last event tells no usage.
            j.key("stream_options").object(|j| j.key("include_usage").value(&true));
        }
    });
    json.finish()
}

fn text_message(j: &mut Json, role: &str, text: &str) {
    j.object(|j| {
        j.key("role").value(role);
        j.key("content").value(text);
    });
}

fn message(j: &mut Json, m: &Message, options: &WireOptions<'_>) {
    match (m.role, &m.raw) {
        (Role::User, _) => user(j, &m.parts, options),
        (Role::Assistant, Some(raw)) => as_it_came(j, &raw.json, options.replay),
        (Role::Assistant, None) => assistant(j, &m.parts),
    }
}

/// A turn's own JSON with the keys that may go back.
fn as_it_came(j: &mut Json, raw: &Value, replay: &[String]) {
    j.object(|j| {
        j.key("role").value("assistant");
        j.key("content").value(raw.get("content").unwrap_or(&Value::Null));
        for (key, value) in raw.as_object().into_iter().flatten() {
            let calls = key == "tool_calls" && value.as_array().is_some_and(|c| !c.is_empty());
            if calls || (replay.contains(key) && !value.is_null()) {
                j.key(key).value(value);
            }
        }
    });
}

fn user(j: &mut Json, parts: &[Part], options: &WireOptions<'_>) {
    let mut content: Vec<Content<'_>> = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Part::Result { call_id, text, picture, is_error, acknowledged: _ } => {
                j.object(|j| {
                    j.key("role").value("tool");
                    j.key("tool_call_id").value(call_id);
                    let text = said(text, *is_error);
                    match picture {
                        Some(picture) if options.pictures_in_results => j.key("content").array(|j| {
                            if !text.is_empty() {
                                Content::Text(&text).write(j);
                            }
                            Content::Picture(picture).write(j);
                        }),
                        _ => j.key("content").value(&text),
                    }
                });
                content
                    .extend(picture.as_ref().filter(|_| !options.pictures_in_results).map(Content::Picture));
            }
            Part::Text(text) => content.push(Content::Text(text)),
            Part::Picture(picture) => content.push(Content::Picture(picture)),
            // A person calls no tool.
            Part::Call(_) => {}
        }
    }
    match content.as_slice() {
        [] => {}
        [Content::Text(text)] => text_message(j, "user", text),
        several => j.object(|j| {
            j.key("role").value("user");
            j.key("content").array(|j| {
                for c in several {
                    c.write(j);
                }
            });
        }),
    }
}

enum Content<'a> {
    Text(&'a str),
    Picture(&'a Picture),
}

impl Content<'_> {
    fn write(&self, j: &mut Json) {
        j.object(|j| match self {
            Content::Text(text) => {
                j.key("type").value("text");
                j.key("text").value(text);
            }
            Content::Picture(picture) => {
                j.key("type").value("image_url");
                j.key("image_url").object(|j| j.key("url").picture(picture));
            }
        });
    }
}

fn assistant(j: &mut Json, parts: &[Part]) {
    let text: Vec<&str> =
        parts.iter().filter_map(|p| if let Part::Text(t) = p { Some(t.as_str()) } else { None }).collect();
    let calls: Vec<&ToolCall> =
        parts.iter().filter_map(|p| if let Part::Call(c) = p { Some(c) } else { None }).collect();
    j.object(|j| {
        j.key("role").value("assistant");
        let text = text.join("\n\n");
        j.key("content").value(&(!text.is_empty() || calls.is_empty()).then_some(text));
        if !calls.is_empty() {
            j.key("tool_calls").array(|j| {
                for c in calls {
                    j.object(|j| {
                        j.key("id").value(&c.id);
                        j.key("type").value("function");
                        j.key("function").object(|j| {
                            j.key("name").value(&c.name);
                            j.key("arguments").value(&c.arguments);
                        });
                    });
                }
            });
        }
    });
}

#[cfg(test)]
mod tests;
