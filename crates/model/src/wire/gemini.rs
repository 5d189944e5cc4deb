//! Gemini's `generateContent`.
//!
//! Facts that are not obvious (from the types of googleapis/python-genai and the public documentation, read in 2026): the model
//! stands in the path; a schema is a subset of OpenAPI's, so unknown keys are refused and an object without properties too; calls
//! have an id only with newer models and are else paired by order; a `thoughtSignature` must come back with its part, and models
//! from 3 on refuse a call of the current turn without one, for which a fixed word is documented for turns of other origin. A
//! prompt can be blocked without any candidate. A call may carry `safety_decision` in its arguments, which a person decides and
//! whose answer is `safety_acknowledgement` in the response: never given here by itself. The response to a function of the computer
//! holds its picture always, and a `url`, which a desktop has none of: [`NO_URL`]. A computer is never forced: a reply without a call
//! is how its model says that it is done.

mod reply;
mod schema;
mod stream;

use super::json::Json;
use super::{Count, Wire, WireOptions, native, size_of_body};
use crate::provider::{Thinking, ToolChoice};
use handsight_base::flow::prompt::Picture;
use handsight_base::port::model::{Message, ModelRequest, Part, Role, SafetyCheck};
use serde_json::Value;
use serde_json::value::RawValue;

pub const WIRE: Wire = Wire {
    name: "gemini",
    about: "Gemini generateContent",
    path: |model, stream| {
        let method = if stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
        format!("{}:{method}", resource(model))
    },
    models_path: "models",
    models: |list| {
        let rows = list.get("models")?.as_array()?;
        let name = |row: &Value| {
            let name = row.get("name")?.as_str()?;
            Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
        };
        Some(rows.iter().filter_map(name).collect())
    },
    headers: &[],
    encode,
    decode: reply::decode,
    count: Some(COUNT),
    assemble: || Box::new(stream::Stream::default()),
    raw_fits,
    pictures_in_results: false,
};

/// <https://ai.google.dev/api/tokens>, read 2026-11: free. It takes the whole request with the model's name in it.
const COUNT: Count = Count {
    path: |model| format!("{}:countTokens", resource(model)),
    encode: |request, options| {
        let whole = encode(request, options);
        let name = Value::String(resource(options.model));
        let mut body = format!("{{\"generateContentRequest\":{{\"model\":{name},").into_bytes();
        // Without the brace that it begins with; no request is an empty object.
        body.extend_from_slice(whole.get(1..).unwrap_or_default());
        body.push(b'}');
        body
    },
    tokens: |answer| answer.get("totalTokens")?.as_u64(),
};

fn resource(model: &str) -> String {
    format!("models/{}", model.strip_prefix("models/").unwrap_or(model))
}

/// The argument by which a call asks for a person.
const DECISION: &str = "safety_decision";
/// Where a desktop is, for a service that wants an address with each picture.
const NO_URL: &str = "about:blank";
/// Stands for the signature of a call that another model made.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

fn parts_of(content: &Value) -> &[Value] {
    content.get("parts").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whether the content has as many calls, and those with an id have these.
fn raw_fits(raw: &Value, calls: &[&str]) -> bool {
    let own: Vec<&Value> = parts_of(raw).iter().filter_map(|p| p.get("functionCall")).collect();
    let same = |(own, id): (&&Value, &&str)| {
        own.get("id").is_none_or(|own| own.as_str().is_some_and(|own| own.is_empty() || own == *id))
    };
    !parts_of(raw).is_empty() && own.len() == calls.len() && own.iter().zip(calls).all(same)
}

pub fn encode(request: &ModelRequest, options: &WireOptions<'_>) -> Vec<u8> {
    let mut json = Json::with_capacity(size_of_body(request));
    json.object(|j| {
        if !request.system.is_empty() {
            j.key("systemInstruction").object(|j| j.key("parts").array(|j| text(j, &request.system)));
        }
        let native = native(request, WIRE.name);
        let own = |name: &str| !native.is_empty() && request.tools.iter().all(|t| t.name != name);
        j.key("contents").array(|j| contents(j, &request.messages, &own, options));
        if !request.tools.is_empty() || !native.is_empty() {
            j.key("tools").array(|j| {
                native.iter().for_each(|tool| j.value(*tool));
                if request.tools.is_empty() {
                    return;
                }
                j.object(|j| {
                    j.key("functionDeclarations").array(|j| {
                        for tool in &request.tools {
                            j.object(|j| {
                                j.key("name").value(&tool.name);
                                j.key("description").value(&tool.description);
                                // A function without parameters has no schema at all.
                                if let Some(schema) = schema::subset(&tool.parameters) {
                                    j.key("parameters").value(&schema);
                                }
                            });
                        }
                    });
                });
            });
            if let Some(choice) = options.tool_choice.filter(|_| native.is_empty()) {
                j.key("toolConfig").object(|j| {
                    j.key("functionCallingConfig").object(|j| {
                        j.key("mode").value(match choice {
                            ToolChoice::Auto => "AUTO",
                            ToolChoice::Required => "ANY",
                        });
                    });
                });
            }
        }
        j.key("generationConfig").object(|j| {
            if !options.fixed_sampling {
                if let Some(t) = request.sampling.temperature {
                    j.key("temperature").value(&t);
                }
                if let Some(p) = request.sampling.top_p {
                    j.key("topP").value(&p);
                }
            }
            let budget =
                if let Some(Thinking::Budget(budget)) = options.thinking { Some(budget) } else { None };
            if let Some(max) = request.sampling.max_tokens {
                // Thinking counts as output.
                j.key("maxOutputTokens").value(&max.saturating_add(budget.unwrap_or(0)));
            }
            if let Some(form) = request.form.as_ref().filter(|_| options.forms) {
                j.key("responseMimeType").value("application/json");
                j.key("responseJsonSchema").value(&form.schema);
            }
            if let Some(budget) = budget {
                j.key("thinkingConfig").object(|j| j.key("thinkingBudget").value(&budget));
            }
        });
    });
    json.finish()
}

fn text(j: &mut Json, text: &str) {
    j.object(|j| j.key("text").value(text));
}

fn picture(j: &mut Json, picture: &Picture) {
    j.object(|j| {
        j.key("inlineData").object(|j| {
            j.key("mimeType").value(picture.media_type);
            j.key("data").base64(picture);
        });
    });
}

/// A call of the last turn of the model: what its response has to say.
struct Called<'a> {
    id: &'a str,
    name: &'a str,
    /// Whether the call was sent with its id.
    with_id: bool,
    /// Whether it is one of the computer.
    own: bool,
}

fn contents(j: &mut Json, messages: &[Message], own: &impl Fn(&str) -> bool, options: &WireOptions<'_>) {
    let mut called: Vec<Called<'_>> = Vec::new();
    for (i, m) in messages.iter().enumerate() {
        match m.role {
            Role::User => user(j, &m.parts, &called, options),
            Role::Assistant => {
                let answers = messages.get(i + 1).map_or(&[][..], |next| next.parts.as_slice());
                let raw = m.raw.as_ref().map(|raw| &raw.json).filter(|raw| is_decided(raw, m, answers));
                called = calls(m, raw, own);
                match raw {
                    Some(raw) => as_it_came(j, raw),
                    None => assistant(j, &m.parts, options),
                }
            }
        }
    }
}

/// Whether a person answered every call that asks for one; if not, the turn goes back without the question.
fn is_decided(raw: &Value, m: &Message, answers: &[Part]) -> bool {
    let asks = |p: &Value| {
        let decision = p.pointer(&format!("/functionCall/args/{DECISION}/decision"));
        decision.and_then(Value::as_str).is_some_and(asks_a_person)
    };
    let asked = parts_of(raw).iter().filter(|p| p.get("functionCall").is_some()).map(asks);
    let calls = m.parts.iter().filter_map(|p| if let Part::Call(call) = p { Some(call) } else { None });
    let agreed = |id: &str| {
        answers.iter().any(|p| match p {
            Part::Result { call_id, acknowledged, .. } => call_id == id && !acknowledged.is_empty(),
            Part::Text(_) | Part::Picture(_) | Part::Call(_) => false,
        })
    };
    asked.zip(calls).all(|(asks, call)| !asks || agreed(&call.id))
}

/// `regular` and `allowed` ask for nobody; what is not known does.
fn asks_a_person(decision: &str) -> bool {
    !matches!(decision, "regular" | "allowed")
}

fn calls<'a>(m: &'a Message, raw: Option<&Value>, own: &impl Fn(&str) -> bool) -> Vec<Called<'a>> {
    let raw = raw.map_or(&[][..], parts_of);
    let mut raw = raw.iter().filter_map(|p| p.get("functionCall"));
    let calls = m.parts.iter().filter_map(|p| if let Part::Call(call) = p { Some(call) } else { None });
    calls
        .map(|call| {
            let id = raw.next().and_then(|c| c.get("id")?.as_str());
            let with_id = id.is_some_and(|id| !id.is_empty());
            Called { id: &call.id, name: &call.name, with_id, own: own(&call.name) }
        })
        .collect()
}

/// A turn of the model's: its parts with their signatures, under the one role it can have.
fn as_it_came(j: &mut Json, raw: &Value) {
    j.object(|j| {
        j.key("role").value("model");
        j.key("parts").value(parts_of(raw));
    });
}

fn user(j: &mut Json, parts: &[Part], called: &[Called<'_>], options: &WireOptions<'_>) {
    // Responses first and together, then what belongs to them, then the rest.
    let mut rest: Vec<&Part> = Vec::new();
    let mut later: Vec<&Picture> = Vec::new();
    j.object(|j| {
        j.key("role").value("user");
        j.key("parts").array(|j| {
            for part in parts {
                let Part::Result { call_id, text, picture, is_error, acknowledged } = part else {
                    rest.push(part);
                    continue;
                };
                let call = called.iter().find(|c| c.id == call_id);
                let allowed = options.pictures_in_results || call.is_some_and(|c| c.own);
                let inside = picture.as_ref().filter(|_| allowed);
                later.extend(picture.as_ref().filter(|_| !allowed));
                if let Some(call) = call {
                    response(j, call, text, inside, *is_error, acknowledged);
                }
            }
            later.into_iter().for_each(|p| picture(j, p));
            for part in rest {
                match part {
                    Part::Text(words) => text(j, words),
                    Part::Picture(shot) => picture(j, shot),
                    Part::Call(_) | Part::Result { .. } => {}
                }
            }
        });
    });
}

fn response(
    j: &mut Json,
    call: &Called<'_>,
    text: &str,
    inside: Option<&Picture>,
    is_error: bool,
    acknowledged: &[SafetyCheck],
) {
    j.object(|j| {
        j.key("functionResponse").object(|j| {
            if call.with_id {
                j.key("id").value(call.id);
            }
            j.key("name").value(call.name);
            j.key("response").object(|j| {
                if call.own {
                    j.key("url").value(NO_URL);
                }
                if is_error || !call.own || !text.is_empty() {
                    j.key(if is_error { "error" } else { "result" }).value(text);
                }
                if !acknowledged.is_empty() {
                    j.key("safety_acknowledgement").value("true");
                }
            });
            if let Some(inside) = inside {
                j.key("parts").array(|j| picture(j, inside));
            }
        });
    });
}

fn assistant(j: &mut Json, parts: &[Part], options: &WireOptions<'_>) {
    let model = options.model.strip_prefix("models/").unwrap_or(options.model);
    let mut unsigned = !["gemini-1", "gemini-2"].iter().any(|old| model.starts_with(old));
    j.object(|j| {
        j.key("role").value("model");
        j.key("parts").array(|j| {
            for part in parts {
                match part {
                    Part::Text(words) => text(j, words),
                    Part::Call(call) => j.object(|j| {
                        j.key("functionCall").object(|j| {
                            j.key("name").value(&call.name);
                            match serde_json::from_str::<&RawValue>(&call.arguments) {
                                Ok(args) => j.key("args").value(args),
                                Err(_) => j.key("args").object(|_| {}),
                            }
                        });
                        // The first call of a turn is the one that is looked at.
                        if std::mem::take(&mut unsigned) {
                            j.key("thoughtSignature").value(NO_SIGNATURE);
                        }
                    }),
                    Part::Picture(_) | Part::Result { .. } => {}
                }
            }
        });
    });
}

#[cfg(test)]
mod tests;
