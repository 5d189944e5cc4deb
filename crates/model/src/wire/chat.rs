//! Chat completions, as OpenAI defines them and LM Studio, Ollama, llama.cpp and vLLM speak them (no streaming yet).
//!
//! Facts that are not obvious: a `tool` message takes only text, so a picture that belongs to a result follows in a `user`
//! message; arguments are a text that holds JSON, though some servers send the object itself; an error may come with status 200.
//! What stands in `content` is never searched for calls.

mod reply;

use super::json::Json;
use super::{Wire, WireOptions, base64_len};
use crate::provider::{MaxTokensField, ToolChoice};
use handsight_base::flow::prompt::Picture;
use handsight_base::port::model::{Message, ModelRequest, Part, Role, ToolCall};

pub const WIRE: Wire = Wire {
    name: "chat",
    about: "chat completions (OpenAI, LM Studio, Ollama, llama.cpp, vLLM)",
    path: "chat/completions",
    models_path: "models",
    encode,
    decode: reply::decode,
};

pub fn encode(request: &ModelRequest, options: &WireOptions<'_>) -> Vec<u8> {
    let mut json = Json::with_capacity(size_of_body(request));
    json.object(|j| {
        j.key("model").value(options.model);
        j.key("messages").array(|j| {
            if !request.system.is_empty() {
                text_message(j, "system", &request.system);
            }
            for m in &request.messages {
                message(j, m);
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
    });
    json.finish()
}

fn text_message(j: &mut Json, role: &str, text: &str) {
    j.object(|j| {
        j.key("role").value(role);
        j.key("content").value(text);
    });
}

fn message(j: &mut Json, m: &Message) {
    match (m.role, &m.raw) {
        (_, Some(raw)) => j.value(&raw.json),
        (Role::User, None) => user(j, &m.parts),
        (Role::Assistant, None) => assistant(j, &m.parts),
    }
}

fn user(j: &mut Json, parts: &[Part]) {
    let mut content: Vec<Content<'_>> = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Part::Result { call_id, text, picture, is_error, acknowledged: _ } => {
                j.object(|j| {
                    j.key("role").value("tool");
                    j.key("tool_call_id").value(call_id);
                    // This wire has no field for it, so it is said.
                    let said = *is_error && !text.to_ascii_lowercase().starts_with("error");
                    if said {
                        j.key("content").value(&format!("error: {text}"));
                    } else {
                        j.key("content").value(text);
                    }
                });
                content.extend(picture.as_ref().map(Content::Picture));
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

/// Enough for the whole body, so that a picture is not moved by a growing buffer.
fn size_of_body(request: &ModelRequest) -> usize {
    let parts = request.messages.iter().flat_map(|m| &m.parts);
    let of_parts: usize = parts
        .map(|p| match p {
            Part::Text(text) => text.len(),
            Part::Picture(picture) => base64_len(picture.bytes.len()),
            Part::Call(call) => call.arguments.len(),
            Part::Result { text, picture, .. } => {
                text.len() + picture.as_ref().map_or(0, |p| base64_len(p.bytes.len()))
            }
        })
        .sum();
    let of_tools: usize = request.tools.iter().map(|t| t.description.len() + 512).sum();
    // A quarter more text for what has to be escaped.
    request.system.len() * 5 / 4 + of_parts + of_parts / 64 + of_tools + 4096
}

#[cfg(test)]
mod tests;
