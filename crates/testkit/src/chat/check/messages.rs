//! Whether a body is a request that Anthropic's Messages API takes.
//!
//! Written from the types of anthropic-sdk-python and the public documentation of 2026, and stricter in one thing: turns must
//! alternate, where the service joins them.

use super::{Check, signature};
use serde_json::Value;
use std::collections::HashSet;

/// Above this many pictures each must be small.
const MANY: usize = 20;

impl Check<'_> {
    pub(super) fn messages_request(&mut self, json: &Value) {
        let allowed = [
            "system",
            "tools",
            "tool_choice",
            "temperature",
            "top_p",
            "top_k",
            "thinking",
            "stream",
            "stop_sequences",
            "metadata",
            "output_config",
            "service_tier",
        ];
        self.keys("the request", json, &["model", "max_tokens", "messages"], &allowed);
        self.must(json["model"].as_str().is_some_and(|m| !m.is_empty()), || "no model is named".into());
        let max = json["max_tokens"].as_u64().unwrap_or(0);
        self.must(max >= 1, || format!("max_tokens is {}", json["max_tokens"]));
        self.number(json, "temperature", |v| (0.0..=1.0).contains(&v));
        self.number(json, "top_p", |v| v > 0.0 && v <= 1.0);
        let both = json.get("temperature").is_some() && json.get("top_p").is_some();
        self.must(!both, || "temperature and top_p at once".into());
        self.must(json.get("stream").is_none_or(Value::is_boolean), || "stream is no boolean".into());
        let budgeted = self.thinking(json, max);
        if let Some(config) = json.get("output_config") {
            self.keys("output_config", config, &["format"], &["effort"]);
            let format = &config["format"];
            self.must(format["type"] == "json_schema", || format!("output_config.format is {format}"));
            self.form("output_config.format", format, &["schema"], &["type"]);
        }
        if let Some(system) = json.get("system") {
            self.blocks("system", system, &["text"]);
        }
        if let Some(tools) = json.get("tools") {
            self.message_tools(tools);
        }
        if let Some(choice) = json.get("tool_choice") {
            self.keys("tool_choice", choice, &["type"], &["disable_parallel_tool_use", "name"]);
            let kind = choice["type"].as_str().unwrap_or_default();
            self.must(["auto", "any", "none"].contains(&kind), || format!("tool_choice is {choice}"));
            self.must(!(budgeted && kind == "any"), || "thinking with a forced tool".into());
            self.must(json.get("tools").is_some(), || "tool_choice without tools".into());
        }
        let marks = count_marks(json);
        self.must(marks <= 4, || format!("{marks} blocks with cache_control, at most 4"));
        match json["messages"].as_array() {
            Some(messages) if !messages.is_empty() => self.turns(messages, budgeted),
            _ => self.wrong.push("no messages".into()),
        }
        self.anthropic_computer_at_the_end(json);
        let (count, edge) =
            (self.pictures.len(), self.pictures.iter().map(|p| p.width.max(p.height)).max().unwrap_or(0));
        self.must(count <= 100, || format!("{count} pictures"));
        self.must(edge <= if count > MANY { 2000 } else { 8000 }, || format!("a picture of {edge} pixels"));
    }

    /// True if there is a budget.
    fn thinking(&mut self, json: &Value, max: u64) -> bool {
        let Some(thinking) = json.get("thinking") else { return false };
        match thinking["type"].as_str() {
            Some("enabled") => {
                self.keys("thinking", thinking, &["type", "budget_tokens"], &["display"]);
                let budget = thinking["budget_tokens"].as_u64().unwrap_or(0);
                self.must(budget >= 1024 && budget < max, || format!("a budget of {budget} of {max}"));
                let sampled = json.get("temperature").is_some() || json.get("top_p").is_some();
                self.must(!sampled, || "sampling beside a budget for thinking".into());
                true
            }
            Some("adaptive") => {
                self.keys("thinking", thinking, &["type"], &["display"]);
                false
            }
            Some("disabled") => false,
            other => {
                self.wrong.push(format!("thinking is {other:?}"));
                false
            }
        }
    }

    fn message_tools(&mut self, tools: &Value) {
        let list = tools.as_array().map_or(&[][..], Vec::as_slice);
        self.must(!list.is_empty(), || "tools is no list with something in it".into());
        let mut names = HashSet::new();
        for (i, tool) in list.iter().enumerate() {
            let at = format!("tools[{i}]");
            if self.anthropic_computer(&at, tool) {
                self.mark(&at, tool);
                continue;
            }
            self.keys(
                &at,
                tool,
                &["name", "input_schema"],
                &["description", "cache_control", "type", "strict"],
            );
            let name = tool["name"].as_str().unwrap_or_default();
            self.name(&at, name);
            self.must(names.insert(name), || format!("two tools are called {name:?}"));
            self.must(tool["input_schema"]["type"] == "object", || format!("{at} takes no object"));
            self.schema(&format!("{at}.input_schema"), &tool["input_schema"]);
            self.mark(&at, tool);
        }
    }

    fn mark(&mut self, at: &str, block: &Value) {
        if let Some(mark) = block.get("cache_control") {
            self.keys(at, mark, &["type"], &["ttl"]);
            self.must(mark["type"] == "ephemeral", || format!("{at}: cache_control is {mark}"));
        }
    }

    fn turns(&mut self, messages: &[Value], budgeted: bool) {
        let mut ids = HashSet::new();
        // Calls of the turn before, which this one must answer.
        let mut waiting: Vec<String> = Vec::new();
        for (i, message) in messages.iter().enumerate() {
            let at = format!("messages[{i}]");
            self.keys(&at, message, &["role", "content"], &[]);
            let role = message["role"].as_str().unwrap_or_default();
            let expected = if i % 2 == 0 { "user" } else { "assistant" };
            self.must(role == expected, || format!("{at} is of {role:?}, not of {expected}"));
            if role == "assistant" {
                self.blocks(&at, &message["content"], &["text", "tool_use", "thinking", "redacted_thinking"]);
                waiting = self.calls(&at, &message["content"], &mut ids);
            } else {
                self.blocks(&at, &message["content"], &["text", "image", "tool_result"]);
                self.results(&at, &message["content"], &std::mem::take(&mut waiting));
                let before = i.checked_sub(1).and_then(|before| messages.get(before));
                self.toolset_results(&at, &before.unwrap_or(&Value::Null)["content"], &message["content"]);
            }
        }
        let ends = messages.last().is_some_and(|m| m["role"] == "user");
        self.must(ends, || "the last turn is not the user's".into());
        let last = messages.iter().rfind(|m| m["role"] == "assistant");
        if let (true, Some(last)) = (budgeted, last) {
            let blocks = last["content"].as_array().map_or(&[][..], Vec::as_slice);
            let calls = blocks.iter().any(|b| b["type"] == "tool_use");
            let thinks =
                blocks.first().is_some_and(|b| b["type"] == "thinking" || b["type"] == "redacted_thinking");
            self.must(!calls || thinks, || "expected `thinking`, found `tool_use`".into());
        }
    }

    fn calls(&mut self, at: &str, content: &Value, ids: &mut HashSet<String>) -> Vec<String> {
        let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
        let ends = blocks.last().is_none_or(|b| b["type"] != "thinking" && b["type"] != "redacted_thinking");
        self.must(ends, || format!("{at} ends in thinking"));
        let mut calls = Vec::new();
        for call in blocks.iter().filter(|b| b["type"] == "tool_use") {
            let id = call["id"].as_str().unwrap_or_default();
            self.name(&format!("{at}: an id"), id);
            self.must(ids.insert(id.to_owned()), || format!("{at}: the id {id:?} was there before"));
            self.name(at, call["name"].as_str().unwrap_or_default());
            self.must(call["input"].is_object(), || format!("{at}: an input that is no object"));
            calls.push(id.to_owned());
        }
        calls
    }

    fn results(&mut self, at: &str, content: &Value, waiting: &[String]) {
        let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
        let of: Vec<&str> = blocks.iter().filter_map(|b| b["tool_use_id"].as_str()).collect();
        for id in waiting {
            let answers = of.iter().filter(|o| *o == id).count();
            self.must(answers == 1, || format!("{at}: {answers} results of {id:?}"));
        }
        for id in &of {
            self.must(waiting.iter().any(|w| w == id), || {
                format!("{at} answers {id:?}, which nobody called")
            });
        }
        let first = blocks.iter().take(of.len()).all(|b| b["type"] == "tool_result");
        self.must(first, || format!("{at}: results must come first"));
    }

    fn blocks(&mut self, at: &str, content: &Value, kinds: &[&str]) {
        if let Some(text) = content.as_str() {
            self.must(!text.trim().is_empty(), || format!("{at} says nothing"));
            return;
        }
        let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
        self.must(!blocks.is_empty(), || format!("{at} has no content"));
        for block in blocks {
            let kind = block["type"].as_str().unwrap_or_default();
            self.must(kinds.contains(&kind), || format!("{at}: a block of type {kind:?}"));
            match kind {
                "text" => {
                    self.keys(at, block, &["type", "text"], &["cache_control", "citations"]);
                    let text = block["text"].as_str().unwrap_or_default();
                    self.must(!text.trim().is_empty(), || format!("{at}: an empty text"));
                }
                "image" => {
                    self.keys(at, block, &["type", "source"], &["cache_control"]);
                    let source = &block["source"];
                    self.keys(at, source, &["type", "media_type", "data"], &[]);
                    self.must(source["type"] == "base64", || format!("{at}: a source {}", source["type"]));
                    let data = source["data"].as_str().unwrap_or_default();
                    self.must(data.len() <= 5_242_880, || format!("{at}: a picture of {} bytes", data.len()));
                    self.base64_picture(at, source["media_type"].as_str().unwrap_or_default(), data);
                }
                "tool_use" => {
                    let allowed = ["cache_control", "caller", "toolset_name"];
                    self.keys(at, block, &["type", "id", "name", "input"], &allowed);
                }
                "tool_result" => {
                    let allowed = ["content", "is_error", "cache_control", "toolset_name"];
                    self.keys(at, block, &["type", "tool_use_id"], &allowed);
                    if let Some(content) = block.get("content") {
                        self.blocks(at, content, &["text", "image"]);
                        let images = content.as_array().into_iter().flatten().any(|b| b["type"] == "image");
                        self.must(!images || block["is_error"] != true, || {
                            format!("{at}: all content must be type \"text\" if \"is_error\" is true")
                        });
                    }
                }
                "thinking" => {
                    self.keys(at, block, &["type", "thinking", "signature"], &[]);
                    let good =
                        block["signature"] == signature(block["thinking"].as_str().unwrap_or_default());
                    self.must(good, || format!("{at}: invalid `signature` in `thinking` block"));
                }
                "redacted_thinking" => {
                    self.keys(at, block, &["type", "data"], &[]);
                    let good = block["data"] == signature("redacted");
                    self.must(good, || format!("{at}: redacted thinking that is not ours"));
                }
                _ => {}
            }
            self.mark(at, block);
        }
    }
}

fn count_marks(value: &Value) -> usize {
    match value {
        Value::Object(map) => {
            usize::from(map.contains_key("cache_control")) + map.values().map(count_marks).sum::<usize>()
        }
        Value::Array(list) => list.iter().map(count_marks).sum(),
        _ => 0,
    }
}
