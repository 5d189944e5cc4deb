//! Anthropic Messages, which llama.cpp and others speak too.
//!
//! Facts that are not obvious (from the types of anthropic-sdk-python and the public documentation, read in 2026):
//! `max_tokens` is required; results stand first in a user's turn; a picture may stand inside a result; the input of a call is an
//! object. With a thinking budget (from 1 024, below `max_tokens`) neither temperature nor a forced tool is taken, and the last
//! turn of the model must begin with its thinking if it calls a tool. Thinking goes back with its signature as it came, redacted
//! thinking too. `input_tokens` leaves out what a cache read or wrote. At most four blocks may carry `cache_control`. The result of a
//! call that names its toolset must name it too; a result that is an error holds text only. A computer is never forced: a reply
//! without a call is how its model says that it is done.
//! Since version 2 the types of its client know neither temperature nor `top_p`; older models and other services take them.

mod reply;
mod stream;

use super::json::Json;
use super::{Count, Wire, WireOptions, data_ids, native, size_of_body};
use crate::provider::{Thinking, ToolChoice};
use handsight_base::flow::prompt::Picture;
use handsight_base::port::model::{Message, ModelRequest, Part, Role};
use serde_json::Value;
use serde_json::value::RawValue;

pub const WIRE: Wire = Wire {
    name: "messages",
    about: "Anthropic Messages",
    path: |_, _| "messages".to_owned(),
    models_path: "models",
    models: data_ids,
    headers: &[("anthropic-version", "2023-06-01")],
    encode,
    decode: reply::decode,
    count: Some(COUNT),
    assemble: || Box::new(stream::Stream::default()),
    raw_fits,
    pictures_in_results: true,
};

/// <https://platform.claude.com/docs/en/build-with-claude/token-counting>, read 2026-11: free, with a limit of calls of its own.
const COUNT: Count = Count {
    path: |_| "messages/count_tokens".to_owned(),
    encode: |request, options| write(request, options, For::Count),
    tokens: |answer| answer.get("input_tokens")?.as_u64(),
};

/// What a body is for: one that is only counted says nothing of the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Answer,
    Count,
}

/// Words of a reply when the run names no limit.
pub(crate) const MAX_TOKENS: u32 = 4096;
/// The smallest budget for thinking.
const LEAST_BUDGET: u32 = 1024;

/// Whether the content has these calls and an end that may go back.
fn raw_fits(raw: &Value, calls: &[&str]) -> bool {
    let blocks = raw.as_array().map_or(&[][..], Vec::as_slice);
    let kind = |b: &Value| b.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let own: Vec<&Value> = blocks.iter().filter(|b| kind(b) == "tool_use").collect();
    let ends_well = blocks.iter().rfind(|b| !is_blank_text(b)).is_some_and(|b| !is_thinking(b));
    let same = |(own, id): (&&Value, &&str)| {
        own.get("id").and_then(Value::as_str) == Some(id) && own.get("input").is_some_and(Value::is_object)
    };
    ends_well && own.len() == calls.len() && own.iter().zip(calls).all(same)
}

fn is_thinking(block: &Value) -> bool {
    matches!(block.get("type").and_then(Value::as_str), Some("thinking" | "redacted_thinking"))
}

/// The service sends such at times, and refuses to take it back.
fn is_blank_text(block: &Value) -> bool {
    block.get("type").is_some_and(|t| t == "text")
        && block.get("text").and_then(Value::as_str).is_none_or(|t| t.trim().is_empty())
}

pub fn encode(request: &ModelRequest, options: &WireOptions<'_>) -> Vec<u8> {
    write(request, options, For::Answer)
}

fn write(request: &ModelRequest, options: &WireOptions<'_>, purpose: For) -> Vec<u8> {
    let answered = purpose == For::Answer;
    let mut json = Json::with_capacity(size_of_body(request));
    let thinking = options.thinking.filter(|t| may_think(*t, request));
    let words = request.sampling.max_tokens.unwrap_or(MAX_TOKENS);
    json.object(|j| {
        j.key("model").value(options.model);
        match thinking {
            Some(Thinking::Budget(budget)) => {
                let budget = budget.max(LEAST_BUDGET);
                if answered {
                    j.key("max_tokens").value(&(words.saturating_add(budget)));
                }
                j.key("thinking").object(|j| {
                    j.key("type").value("enabled");
                    j.key("budget_tokens").value(&budget);
                });
            }
            Some(Thinking::Adaptive) => {
                if answered {
                    j.key("max_tokens").value(&words);
                }
                j.key("thinking").object(|j| j.key("type").value("adaptive"));
            }
            Some(Thinking::Kept) | None if answered => j.key("max_tokens").value(&words),
            Some(Thinking::Kept) | None => {}
        }
        if !request.system.is_empty() {
            j.key("system").array(|j| text(j, &request.system, options.caching));
        }
        j.key("messages").array(|j| messages(j, &request.messages, options));
        let native = native(request, WIRE.name);
        if !request.tools.is_empty() || !native.is_empty() {
            tools(j, request, &native, options);
        }
        let forced = options.tool_choice.filter(|_| native.is_empty() && !request.tools.is_empty());
        if let Some(choice) = forced {
            let thinks = matches!(thinking, Some(Thinking::Budget(_) | Thinking::Adaptive));
            j.key("tool_choice").object(|j| {
                j.key("type").value(match choice {
                    ToolChoice::Required if !thinks => "any",
                    ToolChoice::Required | ToolChoice::Auto => "auto",
                });
            });
        }
        if answered && !options.fixed_sampling && thinking.is_none() {
            // Newer models refuse both at once.
            match (request.sampling.temperature, request.sampling.top_p) {
                (Some(t), _) => j.key("temperature").value(&t.clamp(0.0, 1.0)),
                (None, Some(p)) => j.key("top_p").value(&p),
                (None, None) => {}
            }
        }
        if let Some(form) = request.form.as_ref().filter(|_| options.forms) {
            j.key("output_config").object(|j| {
                j.key("format").object(|j| {
                    j.key("type").value("json_schema");
                    j.key("schema").value(&form.schema);
                });
            });
        }
        if answered && options.stream {
            j.key("stream").value(&true);
        }
    });
    json.finish()
}

/// A budget is refused when a call of the model is answered whose thinking is not there, as after a change of models.
fn may_think(thinking: Thinking, request: &ModelRequest) -> bool {
    if !matches!(thinking, Thinking::Budget(_)) {
        return true;
    }
    let last = request.messages.iter().rfind(|m| m.role == Role::Assistant);
    last.is_none_or(|m| {
        let calls = m.parts.iter().any(|p| matches!(p, Part::Call(_)));
        let first = m.raw.as_ref().and_then(|raw| raw.json.get(0));
        !calls || first.is_some_and(is_thinking)
    })
}

fn tools(j: &mut Json, request: &ModelRequest, native: &[&Value], options: &WireOptions<'_>) {
    // The mark on the instructions holds for the tools before them; there are four, and a long conversation needs the others.
    let marked = options.caching && (request.system.is_empty() || edge(&request.messages).is_none());
    j.key("tools").array(|j| {
        native.iter().for_each(|tool| j.value(*tool));
        let last = request.tools.len().saturating_sub(1);
        for (i, tool) in request.tools.iter().enumerate() {
            j.object(|j| {
                j.key("name").value(&tool.name);
                j.key("description").value(&tool.description);
                j.key("input_schema").value(&tool.parameters);
                mark(j, marked && i == last);
            });
        }
    });
}

/// All up to here is looked for in the cache and kept there.
fn mark(j: &mut Json, wanted: bool) {
    if wanted {
        j.key("cache_control").object(|j| j.key("type").value("ephemeral"));
    }
}

fn text(j: &mut Json, text: &str, marked: bool) {
    j.object(|j| {
        j.key("type").value("text");
        j.key("text").value(text);
        mark(j, marked);
    });
}

/// Blocks that the service looks back over from a mark for what an earlier request wrote at one.
const REACH: usize = 20;

/// The turns of the user that end in a mark. This request writes up to the last, and reads what the one before it wrote. Where old
/// pictures are gone from a conversation, the last turn before those that are left is where the next pruning begins: what stands
/// there is read again after it, from a mark within reach. A single turn is never read again, so nothing is written for it.
fn marks(messages: &[Message]) -> Vec<usize> {
    let from_user = |i: &usize| messages.get(*i).is_some_and(|m| m.role == Role::User);
    let turns: Vec<usize> = (0..messages.len()).filter(from_user).collect();
    let [.., before, last] = turns.as_slice() else { return Vec::new() };
    match edge(messages) {
        Some(edge) => {
            let mut blocks = 0;
            let reach = (0..=edge).rev().take_while(|i| {
                blocks += messages.get(*i).map_or(0, blocks_of);
                blocks < REACH
            });
            let farther = reach.filter(from_user).last().filter(|i| *i < edge);
            farther.into_iter().chain([edge, *last]).collect()
        }
        None => vec![*before, *last],
    }
}

/// The last turn of the user before the first picture, if there is a turn without one before it.
fn edge(messages: &[Message]) -> Option<usize> {
    let shows = |p: &Part| matches!(p, Part::Picture(_) | Part::Result { picture: Some(_), .. });
    let first = messages.iter().position(|m| m.parts.iter().any(shows))?;
    (0..first).rev().find(|i| messages.get(*i).is_some_and(|m| m.role == Role::User))
}

fn blocks_of(message: &Message) -> usize {
    let raw = message.raw.as_ref().and_then(|raw| raw.json.as_array());
    raw.map_or(message.parts.len(), Vec::len)
}

fn messages(j: &mut Json, messages: &[Message], options: &WireOptions<'_>) {
    let marked = if options.caching { marks(messages) } else { Vec::new() };
    let mut before: Option<&Value> = None;
    for (i, m) in messages.iter().enumerate() {
        let asked = before.take();
        before = m.raw.as_ref().map(|raw| &raw.json);
        j.object(|j| match (m.role, &m.raw) {
            (Role::User, _) => {
                j.key("role").value("user");
                j.key("content").array(|j| user(j, &m.parts, asked, options, marked.contains(&i)));
            }
            (Role::Assistant, Some(raw)) => {
                j.key("role").value("assistant");
                j.key("content").array(|j| {
                    let blocks = raw.json.as_array().into_iter().flatten();
                    blocks.filter(|b| !is_blank_text(b)).for_each(|b| as_it_came(j, b));
                });
            }
            (Role::Assistant, None) => {
                j.key("role").value("assistant");
                j.key("content").array(|j| assistant(j, &m.parts));
            }
        });
    }
}

/// A block of the model's. A `null` that came, as of `caller`, is refused on the way back.
fn as_it_came(j: &mut Json, block: &Value) {
    j.object(|j| {
        for (key, value) in block.as_object().into_iter().flatten().filter(|(_, v)| !v.is_null()) {
            j.key(key).value(value);
        }
    });
}

/// The toolset that a call of a turn belongs to, if it names one.
fn toolset_of<'a>(turn: Option<&'a Value>, call_id: &str) -> Option<&'a str> {
    turn?.as_array()?.iter().find(|block| block["id"] == call_id)?.get("toolset_name")?.as_str()
}

fn user(j: &mut Json, parts: &[Part], asked: Option<&Value>, options: &WireOptions<'_>, marked: bool) {
    // A picture that may not stand in its result follows all results.
    let mut blocks: Vec<Block<'_>> = Vec::with_capacity(parts.len());
    let mut later = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => blocks.push(Block::Text(text)),
            Part::Picture(picture) => blocks.push(Block::Picture(picture)),
            Part::Result { call_id, text, picture, is_error, acknowledged: _ } => {
                let allowed = options.pictures_in_results && !is_error;
                let inside = picture.as_ref().filter(|_| allowed);
                later.extend(picture.as_ref().filter(|_| !allowed).map(Block::Picture));
                let toolset = toolset_of(asked, call_id);
                blocks.push(Block::Result { call_id, toolset, text, picture: inside, is_error: *is_error });
            }
            Part::Call(_) => {}
        }
    }
    // Stable: results first, each side in its order.
    blocks.sort_by_key(|b| !matches!(b, Block::Result { .. }));
    let after_results = blocks.iter().take_while(|b| matches!(b, Block::Result { .. })).count();
    blocks.splice(after_results..after_results, later);
    let last = blocks.len().saturating_sub(1);
    for (i, block) in blocks.into_iter().enumerate() {
        block.write(j, marked && i == last);
    }
}

enum Block<'a> {
    Text(&'a str),
    Picture(&'a Picture),
    Result {
        call_id: &'a str,
        toolset: Option<&'a str>,
        text: &'a str,
        picture: Option<&'a Picture>,
        is_error: bool,
    },
}

impl Block<'_> {
    fn write(&self, j: &mut Json, marked: bool) {
        match self {
            Self::Text(words) => text(j, words, marked),
            Self::Picture(picture) => j.object(|j| {
                j.key("type").value("image");
                j.key("source").object(|j| {
                    j.key("type").value("base64");
                    j.key("media_type").value(picture.media_type);
                    j.key("data").base64(picture);
                });
                mark(j, marked);
            }),
            Self::Result { call_id, toolset, text: words, picture, is_error } => j.object(|j| {
                j.key("type").value("tool_result");
                j.key("tool_use_id").value(call_id);
                if let Some(toolset) = toolset {
                    j.key("toolset_name").value(toolset);
                }
                if picture.is_some() || !words.is_empty() {
                    j.key("content").array(|j| {
                        if !words.trim().is_empty() {
                            text(j, words, false);
                        }
                        if let Some(picture) = picture {
                            Self::Picture(picture).write(j, false);
                        }
                    });
                }
                if *is_error {
                    j.key("is_error").value(&true);
                }
                mark(j, marked);
            }),
        }
    }
}

/// The neutral form: another provider's thinking means nothing here and stays away.
fn assistant(j: &mut Json, parts: &[Part]) {
    for part in parts {
        match part {
            Part::Text(words) => text(j, words.trim_end(), false),
            Part::Call(call) => j.object(|j| {
                j.key("type").value("tool_use");
                j.key("id").value(&call.id);
                j.key("name").value(&call.name);
                // Its own text, so that a number stays as it was written.
                match serde_json::from_str::<&RawValue>(&call.arguments) {
                    Ok(input) => j.key("input").value(input),
                    Err(_) => j.key("input").object(|_| {}),
                }
            }),
            Part::Picture(_) | Part::Result { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests;
