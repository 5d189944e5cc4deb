//! Whether a body is a request that OpenAI's Responses API takes.
//!
//! Written from the types of openai-python and the public documentation of 2026, and stricter in one thing: `store` must be
//! false, since nothing of a screen is to be kept at the provider.

use super::{Check, signature};
use serde_json::Value;
use std::collections::HashSet;

impl Check<'_> {
    pub(super) fn responses_request(&mut self, json: &Value) {
        let allowed = [
            "instructions",
            "tools",
            "tool_choice",
            "temperature",
            "top_p",
            "max_output_tokens",
            "include",
            "stream",
            "parallel_tool_calls",
            "reasoning",
            "truncation",
            "text",
            "prompt_cache_key",
            "service_tier",
        ];
        self.keys("the request", json, &["model", "input", "store"], &allowed);
        self.must(json["model"].as_str().is_some_and(|m| !m.is_empty()), || "no model is named".into());
        self.must(json["store"] == false, || format!("store is {}", json["store"]));
        self.number(json, "temperature", |v| (0.0..=2.0).contains(&v));
        self.number(json, "top_p", |v| v > 0.0 && v <= 1.0);
        self.number(json, "max_output_tokens", |v| v >= 16.0 && v.fract() == 0.0);
        self.must(json.get("stream").is_none_or(Value::is_boolean), || "stream is no boolean".into());
        if let Some(text) = json.get("text") {
            self.keys("text", text, &["format"], &["verbosity"]);
            let format = &text["format"];
            self.must(format["type"] == "json_schema", || format!("text.format is {format}"));
            let allowed = ["type", "strict", "description"];
            self.form("text.format", format, &["name", "schema"], &allowed);
        }
        for include in json["include"].as_array().into_iter().flatten() {
            let known = include == "reasoning.encrypted_content";
            self.must(known, || format!("include has {include}"));
        }
        if let Some(instructions) = json.get("instructions") {
            self.must(instructions.is_string(), || "instructions are no text".into());
        }
        if let Some(tools) = json.get("tools") {
            self.flat_tools(tools);
        }
        if let Some(choice) = json.get("tool_choice") {
            let known = ["auto", "required", "none"].iter().any(|k| choice == k);
            self.must(known && json.get("tools").is_some(), || format!("tool_choice is {choice}"));
        }
        match json["input"].as_array() {
            Some(items) if !items.is_empty() => self.items(items),
            _ => self.wrong.push("no input".into()),
        }
        self.openai_computer_at_the_end(json);
    }

    fn flat_tools(&mut self, tools: &Value) {
        let list = tools.as_array().map_or(&[][..], Vec::as_slice);
        self.must(!list.is_empty(), || "tools is no list with something in it".into());
        let mut names = HashSet::new();
        for (i, tool) in list.iter().enumerate() {
            let at = format!("tools[{i}]");
            if self.openai_computer(&at, tool) {
                continue;
            }
            self.keys(&at, tool, &["type", "name", "parameters", "strict"], &["description"]);
            self.must(tool["type"] == "function", || format!("{at} is no function"));
            let name = tool["name"].as_str().unwrap_or_default();
            self.name(&at, name);
            self.must(names.insert(name), || format!("two tools are called {name:?}"));
            self.must(tool["parameters"]["type"] == "object", || format!("{at} takes no object"));
            self.schema(&format!("{at}.parameters"), &tool["parameters"]);
        }
    }

    fn items(&mut self, items: &[Value]) {
        let mut ids = HashSet::new();
        // Calls that wait for their output.
        let mut waiting: Vec<&Value> = Vec::new();
        let mut heard = false;
        for (i, item) in items.iter().enumerate() {
            let at = format!("input[{i}]");
            let null = item.as_object().into_iter().flatten().find(|(_, v)| v.is_null());
            self.must(null.is_none(), || format!("{at}: {null:?}"));
            let kind = item["type"].as_str().unwrap_or("message");
            let output = matches!(kind, "function_call_output" | "computer_call_output");
            let of_model = matches!(kind, "function_call" | "computer_call" | "reasoning")
                || item["role"] == "assistant";
            self.must(output || of_model || waiting.is_empty(), || format!("{at}: no tool output found"));
            match kind {
                "message" => {
                    heard |= item["role"] == "user";
                    self.item_message(&at, item);
                }
                "reasoning" => {
                    let allowed = ["content", "status"];
                    self.keys(&at, item, &["type", "id", "summary", "encrypted_content"], &allowed);
                    let good =
                        item["encrypted_content"] == signature(item["id"].as_str().unwrap_or_default());
                    self.must(good, || format!("{at}: encrypted content that is not ours"));
                    let next = items.get(i + 1);
                    let followed = next.is_some_and(|n| {
                        n["role"] == "assistant"
                            || ["function_call", "computer_call", "reasoning"].iter().any(|k| n["type"] == *k)
                    });
                    self.must(followed, || {
                        format!("{at}: reasoning was provided without its required following item")
                    });
                }
                "function_call" => {
                    self.keys(&at, item, &["type", "call_id", "name", "arguments"], &["id", "status"]);
                    self.name(&at, item["name"].as_str().unwrap_or_default());
                    let args = item["arguments"].as_str().map(serde_json::from_str::<Value>);
                    let good = args.is_some_and(|a| a.is_ok_and(|a| a.is_object()));
                    self.must(good, || format!("{at}: arguments are the text of an object"));
                    self.call_id(&at, item, &mut ids);
                    waiting.push(item);
                }
                "computer_call" => {
                    let needed = ["type", "id", "call_id", "status", "pending_safety_checks"];
                    self.keys(&at, item, &needed, &["action", "actions"]);
                    self.call_id(&at, item, &mut ids);
                    waiting.push(item);
                }
                "function_call_output" => {
                    self.keys(&at, item, &["type", "call_id", "output"], &["id", "status"]);
                    if !item["output"].is_string() {
                        self.item_content(&at, &item["output"]);
                    }
                    self.answers(&at, item, "function_call", &mut waiting);
                }
                "computer_call_output" => {
                    let allowed = ["acknowledged_safety_checks", "id", "status"];
                    self.keys(&at, item, &["type", "call_id", "output"], &allowed);
                    self.keys(&at, &item["output"], &["type", "image_url"], &["detail"]);
                    self.must(item["output"]["type"] == "computer_screenshot", || {
                        format!("{at}: no screenshot")
                    });
                    self.url_picture(&at, item["output"]["image_url"].as_str().unwrap_or_default());
                    let call = self.answers(&at, item, "computer_call", &mut waiting);
                    let pending = call.and_then(|c| c["pending_safety_checks"].as_array());
                    for check in pending.into_iter().flatten() {
                        let mut known = item["acknowledged_safety_checks"].as_array().into_iter().flatten();
                        let good = known.any(|a| a["id"] == check["id"]);
                        self.must(good, || format!("{at}: the check {} is not acknowledged", check["id"]));
                    }
                }
                other => self.wrong.push(format!("{at} has the type {other:?}")),
            }
        }
        self.must(waiting.is_empty(), || "no tool output found for a call at the end".into());
        self.must(heard, || "no user message".into());
    }

    fn call_id(&mut self, at: &str, item: &Value, ids: &mut HashSet<String>) {
        let id = item["call_id"].as_str().unwrap_or_default();
        self.must((1..=64).contains(&id.len()), || format!("{at}: the call_id {id:?}"));
        self.must(ids.insert(id.to_owned()), || format!("{at}: the call_id {id:?} was there before"));
    }

    fn answers<'v>(
        &mut self,
        at: &str,
        item: &Value,
        kind: &str,
        waiting: &mut Vec<&'v Value>,
    ) -> Option<&'v Value> {
        let found = waiting.iter().position(|w| w["call_id"] == item["call_id"] && w["type"] == kind);
        if found.is_none() {
            self.wrong.push(format!("{at}: no tool call found for {}", item["call_id"]));
        }
        found.map(|found| waiting.remove(found))
    }

    fn item_message(&mut self, at: &str, item: &Value) {
        match item["role"].as_str() {
            Some("user") => {
                self.keys(at, item, &["role", "content"], &["type"]);
                self.item_content(at, &item["content"]);
            }
            Some("assistant") if item["content"].is_string() => {
                self.keys(at, item, &["role", "content"], &["type"]);
            }
            Some("assistant") => {
                self.keys(at, item, &["type", "id", "role", "status", "content"], &["phase"]);
                let parts = item["content"].as_array().map_or(&[][..], Vec::as_slice);
                self.must(!parts.is_empty(), || format!("{at} says nothing"));
                for part in parts {
                    match part["type"].as_str() {
                        Some("output_text") => {
                            self.keys(at, part, &["type", "text", "annotations"], &["logprobs"]);
                        }
                        Some("refusal") => self.keys(at, part, &["type", "refusal"], &[]),
                        other => self.wrong.push(format!("{at}: a part of type {other:?}")),
                    }
                }
            }
            other => self.wrong.push(format!("{at} has the role {other:?}")),
        }
    }

    fn item_content(&mut self, at: &str, content: &Value) {
        let parts = content.as_array().map_or(&[][..], Vec::as_slice);
        self.must(!parts.is_empty(), || format!("{at} has no content"));
        for part in parts {
            match part["type"].as_str() {
                Some("input_text") => {
                    self.keys(at, part, &["type", "text"], &[]);
                    self.must(part["text"].as_str().is_some_and(|t| !t.is_empty()), || {
                        format!("{at}: an empty text")
                    });
                }
                Some("input_image") => {
                    self.keys(at, part, &["type", "image_url", "detail"], &[]);
                    let known = ["auto", "low", "high", "original"].iter().any(|d| part["detail"] == *d);
                    self.must(known, || format!("{at}: detail {}", part["detail"]));
                    self.url_picture(at, part["image_url"].as_str().unwrap_or_default());
                }
                other => self.wrong.push(format!("{at}: a part of type {other:?}")),
            }
        }
    }
}
