//! Whether a body is a request that a strict service takes: chat completions here, the other APIs in files of their own.
//!
//! Written from the API's documentation, not from the product: unknown keys, roles out of order, calls without results, pictures
//! that do not decode and schemas that make no sense are all wrong here.

pub(super) mod computer;
pub(super) mod count;
mod gemini;
mod messages;
mod responses;

use super::Api;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// A picture as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The file; a PNG unless a profile or a provider asked for something else.
    pub png: Vec<u8>,
    /// What it was said to be, which it is.
    pub media_type: String,
    pub width: u32,
    pub height: u32,
}

struct Check<'a> {
    wrong: &'a mut Vec<String>,
    pictures: Vec<Sent>,
    size: Option<(u32, u32)>,
}

/// What these servers sign their thinking with: only what comes back with it came back as it was.
pub fn signature(of: &str) -> String {
    STANDARD.encode(format!("signed:{of}"))
}

/// What is wrong with a body, for whoever has no server to send it to.
pub fn complaints(api: Api, model: &str, body: &[u8]) -> Vec<String> {
    let mut wrong = Vec::new();
    self::body(api, model, body, None, &mut wrong);
    wrong
}

/// Reads a body; what is wrong with it goes to `wrong`. `model` is the one of the path, for an API that has it there.
pub(super) fn body(
    api: Api,
    model: &str,
    body: &[u8],
    size: Option<(u32, u32)>,
    wrong: &mut Vec<String>,
) -> (Value, Vec<Sent>) {
    let json: Value = match serde_json::from_slice(body) {
        Ok(json) => json,
        Err(e) => {
            wrong.push(format!("the body is no JSON: {e}"));
            return (Value::Null, Vec::new());
        }
    };
    if let Some(key) = key_twice(body) {
        wrong.push(format!("the key {key} stands twice"));
    }
    let mut check = Check { wrong, pictures: Vec::new(), size };
    match api {
        Api::Chat => check.request(&json),
        Api::Messages => check.messages_request(&json),
        Api::Responses => check.responses_request(&json),
        Api::Gemini => check.gemini_request(&json, model),
    }
    let pictures = check.pictures;
    (json, pictures)
}

impl Check<'_> {
    fn must(&mut self, good: bool, what: impl FnOnce() -> String) {
        if !good {
            self.wrong.push(what());
        }
    }

    /// Only these keys, and of them all that are needed.
    fn keys(&mut self, at: &str, value: &Value, needed: &[&str], allowed: &[&str]) {
        let Some(map) = value.as_object() else {
            self.wrong.push(format!("{at} is no object"));
            return;
        };
        for key in map.keys() {
            let known = needed.contains(&key.as_str()) || allowed.contains(&key.as_str());
            self.must(known, || format!("{at} has an unknown key {key:?}"));
        }
        for key in needed {
            self.must(map.contains_key(*key), || format!("{at} has no {key:?}"));
        }
    }

    /// A schema that a reply is held to.
    fn form(&mut self, at: &str, form: &Value, needed: &[&str], allowed: &[&str]) {
        self.keys(at, form, needed, allowed);
        if let Some(name) = form.get("name") {
            self.name(at, name.as_str().unwrap_or_default());
        }
        self.must(form["schema"]["type"] == "object", || format!("{at}: the schema is of no object"));
    }

    fn number(&mut self, value: &Value, key: &str, good: impl Fn(f64) -> bool) {
        if let Some(v) = value.get(key) {
            self.must(v.as_f64().is_some_and(&good), || format!("{key} is {v}"));
        }
    }

    fn request(&mut self, json: &Value) {
        let allowed = [
            "tools",
            "tool_choice",
            "temperature",
            "top_p",
            "max_tokens",
            "max_completion_tokens",
            "parallel_tool_calls",
            "stream",
            "stream_options",
            "seed",
            "stop",
            "response_format",
        ];
        self.keys("the request", json, &["model", "messages"], &allowed);
        self.must(json["model"].as_str().is_some_and(|m| !m.is_empty()), || "no model is named".into());
        self.number(json, "temperature", |v| (0.0..=2.0).contains(&v));
        self.number(json, "top_p", |v| v > 0.0 && v <= 1.0);
        for key in ["max_tokens", "max_completion_tokens"] {
            self.number(json, key, |v| v >= 1.0 && v.fract() == 0.0);
        }
        let both = json.get("max_tokens").is_some() && json.get("max_completion_tokens").is_some();
        self.must(!both, || "both fields for the most tokens".into());
        self.must(json.get("stream").is_none_or(Value::is_boolean), || "stream is no boolean".into());
        if let Some(options) = json.get("stream_options") {
            self.keys("stream_options", options, &["include_usage"], &[]);
            self.must(json["stream"] == true, || "stream_options without a stream".into());
        }
        if let Some(format) = json.get("response_format") {
            self.keys("response_format", format, &["type", "json_schema"], &[]);
            self.must(format["type"] == "json_schema", || format!("response_format is {format}"));
            self.form("json_schema", &format["json_schema"], &["name", "schema"], &["strict", "description"]);
        }
        if let Some(tools) = json.get("tools") {
            self.tools(tools);
        }
        if let Some(choice) = json.get("tool_choice") {
            let known = ["auto", "required", "none"].iter().any(|k| choice == k);
            self.must(known && json.get("tools").is_some(), || format!("tool_choice is {choice}"));
        }
        match json["messages"].as_array() {
            Some(messages) if !messages.is_empty() => self.messages(messages),
            _ => self.wrong.push("no messages".into()),
        }
    }

    fn tools(&mut self, tools: &Value) {
        let list = tools.as_array().map_or(&[][..], Vec::as_slice);
        self.must(!list.is_empty(), || "tools is no list with something in it".into());
        let mut names = Vec::new();
        for (i, tool) in list.iter().enumerate() {
            let at = format!("tools[{i}]");
            self.keys(&at, tool, &["type", "function"], &[]);
            self.must(tool["type"] == "function", || format!("{at} is no function"));
            let function = &tool["function"];
            self.keys(&at, function, &["name", "description", "parameters"], &["strict"]);
            let name = function["name"].as_str().unwrap_or_default();
            self.name(&at, name);
            self.must(!names.contains(&name), || format!("two tools are called {name:?}"));
            names.push(name);
            self.must(function["description"].as_str().is_some(), || format!("{at} has no description"));
            self.must(function["parameters"]["type"] == "object", || format!("{at} takes no object"));
            self.schema(&format!("{at}.parameters"), &function["parameters"]);
        }
    }

    /// Letters, digits, `_` and `-`, up to 64.
    fn name(&mut self, at: &str, name: &str) {
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        self.must(plain && (1..=64).contains(&name.len()), || format!("{at} is called {name:?}"));
    }

    fn schema(&mut self, at: &str, schema: &Value) {
        let kind = schema["type"].as_str().unwrap_or_default();
        match kind {
            "object" => {
                let Some(properties) = schema["properties"].as_object() else {
                    self.wrong.push(format!("{at} has no properties"));
                    return;
                };
                for (name, inner) in properties {
                    self.schema(&format!("{at}.{name}"), inner);
                }
                let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
                for name in required {
                    let there = name.as_str().is_some_and(|n| properties.contains_key(n));
                    self.must(there, || format!("{at} requires {name}, which it has not"));
                }
            }
            "array" => self.schema(&format!("{at}[]"), &schema["items"]),
            "string" | "number" | "integer" | "boolean" => {}
            _ => self.wrong.push(format!("{at} has the type {}", schema["type"])),
        }
    }

    fn messages(&mut self, messages: &[Value]) {
        // Ids of calls that still wait for their result.
        let mut waiting: Vec<String> = Vec::new();
        let mut heard = false;
        for (i, message) in messages.iter().enumerate() {
            let at = format!("messages[{i}]");
            let role = message["role"].as_str().unwrap_or_default();
            self.must(role == "tool" || waiting.is_empty(), || {
                format!("{at} comes before the results of {}", waiting.join(", "))
            });
            match role {
                "system" => {
                    self.keys(&at, message, &["role", "content"], &[]);
                    self.must(i == 0, || format!("{at}: a system message must be the first"));
                    let text = message["content"].as_str();
                    self.must(text.is_some_and(|t| !t.is_empty()), || format!("{at} says nothing"));
                }
                "user" => {
                    heard = true;
                    self.keys(&at, message, &["role", "content"], &[]);
                    self.content(&at, &message["content"]);
                }
                "assistant" => self.assistant(&at, message, &mut waiting),
                "tool" => {
                    self.keys(&at, message, &["role", "tool_call_id", "content"], &[]);
                    self.must(message["content"].is_string(), || format!("{at}: a result is text"));
                    let id = message["tool_call_id"].as_str().unwrap_or_default();
                    match waiting.iter().position(|w| w == id) {
                        Some(found) => drop(waiting.remove(found)),
                        None => self.wrong.push(format!("{at} answers {id:?}, which nobody called")),
                    }
                }
                other => self.wrong.push(format!("{at} has the role {other:?}")),
            }
        }
        self.must(waiting.is_empty(), || format!("calls without results: {}", waiting.join(", ")));
        self.must(heard, || "no user message".into());
    }

    fn assistant(&mut self, at: &str, message: &Value, waiting: &mut Vec<String>) {
        self.keys(at, message, &["role"], &["content", "tool_calls", "refusal"]);
        let text = message["content"].is_string();
        let calls = message["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
        self.must(text || message["content"].is_null(), || format!("{at}: content is no text"));
        self.must(text || !calls.is_empty(), || format!("{at} says nothing"));
        self.must(message.get("tool_calls").is_none() || !calls.is_empty(), || {
            format!("{at}: no calls in tool_calls")
        });
        for call in calls {
            self.keys(at, call, &["id", "type", "function"], &[]);
            self.keys(at, &call["function"], &["name", "arguments"], &[]);
            self.must(call["type"] == "function", || format!("{at}: a call of no function"));
            self.must(call["function"]["arguments"].is_string(), || format!("{at}: arguments are text"));
            let id = call["id"].as_str().unwrap_or_default();
            self.must(!id.is_empty() && !waiting.iter().any(|w| w == id), || format!("{at}: the id {id:?}"));
            waiting.push(id.to_owned());
        }
    }

    fn content(&mut self, at: &str, content: &Value) {
        if let Some(text) = content.as_str() {
            self.must(!text.is_empty(), || format!("{at} says nothing"));
            return;
        }
        let parts = content.as_array().map_or(&[][..], Vec::as_slice);
        self.must(!parts.is_empty(), || format!("{at} has no content"));
        for part in parts {
            match part["type"].as_str() {
                Some("text") => {
                    self.keys(at, part, &["type", "text"], &[]);
                    let text = part["text"].as_str();
                    self.must(text.is_some_and(|t| !t.is_empty()), || format!("{at}: an empty text"));
                }
                Some("image_url") => {
                    self.keys(at, part, &["type", "image_url"], &[]);
                    self.keys(at, &part["image_url"], &["url"], &["detail"]);
                    self.url_picture(at, part["image_url"]["url"].as_str().unwrap_or_default());
                }
                other => self.wrong.push(format!("{at}: a part of type {other:?}")),
            }
        }
    }
}

impl Check<'_> {
    fn url_picture(&mut self, at: &str, url: &str) {
        match url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
            Some((media_type, base64)) => self.base64_picture(at, media_type, base64),
            None => self.wrong.push(format!("{at}: a picture that is no data URL: {url:.40}")),
        }
    }

    fn base64_picture(&mut self, at: &str, media_type: &str, base64: &str) {
        match picture(media_type, base64) {
            Ok(sent) => {
                let size = (sent.width, sent.height);
                let fits = self.size.is_none_or(|s| s == size);
                self.must(fits, || format!("{at}: a picture of {}x{}", size.0, size.1));
                self.pictures.push(sent);
            }
            Err(why) => self.wrong.push(format!("{at}: {why}")),
        }
    }
}

/// Decodes base64 down to the last pixel, by the decoder of what the picture is said to be.
fn picture(media_type: &str, base64: &str) -> Result<Sent, String> {
    let png = STANDARD.decode(base64).map_err(|e| format!("a picture whose base64 is broken: {e}"))?;
    let (width, height) = match media_type {
        "image/png" => decode_png(&png),
        "image/webp" => decode_webp(&png),
        "image/jpeg" => decode_jpeg(&png),
        other => return Err(format!("a picture of type {other:?}")),
    }
    .map_err(|why| format!("a picture that does not decode as {media_type}: {why}"))?;
    Ok(Sent { png, media_type: media_type.to_owned(), width, height })
}

fn decode_png(bytes: &[u8]) -> Result<(u32, u32), String> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().map_err(|e| e.to_string())?;
    let mut pixels = vec![0; reader.output_buffer_size().ok_or("it is beyond measure")?];
    let info = reader.next_frame(&mut pixels).map_err(|e| e.to_string())?;
    reader.finish().map_err(|e| e.to_string())?;
    Ok((info.width, info.height))
}

fn decode_webp(bytes: &[u8]) -> Result<(u32, u32), String> {
    let mut decoder = image_webp::WebPDecoder::new(std::io::Cursor::new(bytes)).map_err(|e| e.to_string())?;
    if decoder.is_animated() {
        return Err("it is animated".into());
    }
    let mut pixels = vec![0; decoder.output_buffer_size().ok_or("it is beyond measure")?];
    decoder.read_image(&mut pixels).map_err(|e| e.to_string())?;
    Ok(decoder.dimensions())
}

fn decode_jpeg(bytes: &[u8]) -> Result<(u32, u32), String> {
    let options = zune_core::options::DecoderOptions::default().set_strict_mode(true);
    let cursor = zune_core::bytestream::ZCursor::new(bytes);
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(cursor, options);
    decoder.decode().map_err(|e| e.to_string())?;
    let (width, height) = decoder.dimensions().ok_or("it has no size")?;
    Ok((width as u32, height as u32))
}

/// The first key that stands twice in one object of valid JSON. The usual readers keep the last and say nothing.
fn key_twice(json: &[u8]) -> Option<String> {
    // For each open bracket: the keys so far, or nothing for a list.
    let mut open: Vec<Option<Vec<&[u8]>>> = Vec::new();
    let mut at = 0;
    while at < json.len() {
        match json[at] {
            b'{' => open.push(Some(Vec::new())),
            b'[' => open.push(None),
            b'}' | b']' => drop(open.pop()),
            b'"' => {
                let begin = at + 1;
                at = begin;
                while json[at] != b'"' {
                    at += if json[at] == b'\\' { 2 } else { 1 };
                }
                let text = &json[begin..at];
                let after = json[at + 1..].iter().find(|b| !b.is_ascii_whitespace());
                if let (Some(b':'), Some(Some(keys))) = (after, open.last_mut()) {
                    if keys.contains(&text) {
                        return Some(String::from_utf8_lossy(text).into_owned());
                    }
                    keys.push(text);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests;
