//! Whether a body is a request that Gemini's `generateContent` takes.
//!
//! Written from the types of googleapis/python-genai and the public documentation of 2026, and stricter in one thing: turns must
//! alternate.

use super::{Check, signature};
use serde_json::Value;
use std::collections::HashSet;

impl Check<'_> {
    pub(super) fn gemini_request(&mut self, json: &Value, model: &str) {
        let allowed = ["systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings"];
        self.keys("the request", json, &["contents"], &allowed);
        self.must(!model.is_empty(), || "no model is named in the path".into());
        if let Some(system) = json.get("systemInstruction") {
            self.keys("systemInstruction", system, &["parts"], &["role"]);
            let parts = system["parts"].as_array().map_or(&[][..], Vec::as_slice);
            let good =
                !parts.is_empty() && parts.iter().all(|p| p["text"].as_str().is_some_and(|t| !t.is_empty()));
            self.must(good, || "systemInstruction is no text".into());
        }
        if let Some(config) = json.get("generationConfig") {
            let allowed = [
                "temperature",
                "topP",
                "topK",
                "maxOutputTokens",
                "thinkingConfig",
                "seed",
                "responseMimeType",
                "responseJsonSchema",
            ];
            self.keys("generationConfig", config, &[], &allowed);
            if let Some(schema) = config.get("responseJsonSchema") {
                let json = config["responseMimeType"] == "application/json";
                self.must(json, || "a schema without responseMimeType".into());
                self.must(schema["type"] == "object", || "the schema is of no object".into());
            }
            self.number(config, "temperature", |v| (0.0..=2.0).contains(&v));
            self.number(config, "topP", |v| (0.0..=1.0).contains(&v));
            self.number(config, "maxOutputTokens", |v| v >= 1.0 && v.fract() == 0.0);
            if let Some(thinking) = config.get("thinkingConfig") {
                self.keys(
                    "thinkingConfig",
                    thinking,
                    &[],
                    &["thinkingBudget", "includeThoughts", "thinkingLevel"],
                );
            }
        }
        for (i, tool) in json["tools"].as_array().into_iter().flatten().enumerate() {
            if self.gemini_computer(&format!("tools[{i}]"), tool) {
                continue;
            }
            self.keys(&format!("tools[{i}]"), tool, &["functionDeclarations"], &[]);
            self.declarations(&tool["functionDeclarations"]);
        }
        if let Some(config) = json.get("toolConfig") {
            self.keys("toolConfig", config, &["functionCallingConfig"], &[]);
            let calling = &config["functionCallingConfig"];
            self.keys("functionCallingConfig", calling, &["mode"], &["allowedFunctionNames"]);
            let known = ["AUTO", "ANY", "NONE", "VALIDATED"].iter().any(|m| calling["mode"] == *m);
            self.must(known, || format!("the mode {}", calling["mode"]));
        }
        match json["contents"].as_array() {
            Some(contents) if !contents.is_empty() => self.contents(contents, model),
            _ => self.wrong.push("no contents".into()),
        }
        self.gemini_computer_at_the_end(json);
    }

    fn declarations(&mut self, list: &Value) {
        let list = list.as_array().map_or(&[][..], Vec::as_slice);
        self.must(!list.is_empty(), || "no functionDeclarations".into());
        let mut names = HashSet::new();
        for (i, function) in list.iter().enumerate() {
            let at = format!("functionDeclarations[{i}]");
            self.keys(&at, function, &["name", "description"], &["parameters", "response"]);
            let name = function["name"].as_str().unwrap_or_default();
            self.name(&at, name);
            self.must(names.insert(name), || format!("two functions are called {name:?}"));
            if let Some(schema) = function.get("parameters") {
                self.must(schema["type"] == "OBJECT", || format!("{at} takes no object"));
                self.open_schema(&format!("{at}.parameters"), schema);
            }
        }
    }

    fn open_schema(&mut self, at: &str, schema: &Value) {
        let allowed = [
            "type",
            "format",
            "title",
            "description",
            "nullable",
            "enum",
            "maxItems",
            "minItems",
            "properties",
            "required",
            "minProperties",
            "maxProperties",
            "minLength",
            "maxLength",
            "pattern",
            "example",
            "anyOf",
            "propertyOrdering",
            "default",
            "items",
            "minimum",
            "maximum",
        ];
        self.keys(at, schema, &[], &allowed);
        for inner in schema["anyOf"].as_array().into_iter().flatten() {
            self.open_schema(at, inner);
        }
        match schema["type"].as_str() {
            Some("OBJECT") => {
                let properties = schema["properties"].as_object();
                self.must(properties.is_some_and(|p| !p.is_empty()), || {
                    format!("{at}.properties: should be non-empty for OBJECT type")
                });
                for (name, inner) in properties.into_iter().flatten() {
                    self.open_schema(&format!("{at}.{name}"), inner);
                }
                for name in schema["required"].as_array().into_iter().flatten() {
                    let there = name.as_str().is_some_and(|n| schema["properties"].get(n).is_some());
                    self.must(there, || format!("{at}.required: property {name} is not defined"));
                }
            }
            Some("ARRAY") => self.open_schema(&format!("{at}[]"), &schema["items"]),
            Some("STRING" | "NUMBER" | "INTEGER" | "BOOLEAN") => {
                let texts = schema["enum"].as_array().into_iter().flatten().all(Value::is_string);
                let good = schema.get("enum").is_none() || (schema["type"] == "STRING" && texts);
                self.must(good, || format!("{at}.enum: only allowed for STRING type"));
            }
            None if schema.get("anyOf").is_some() => {}
            other => self.wrong.push(format!("{at} has the type {other:?}")),
        }
    }

    fn contents(&mut self, contents: &[Value], model: &str) {
        let signed = !["gemini-1", "gemini-2"].iter().any(|old| model.starts_with(old));
        let mut waiting: Vec<Value> = Vec::new();
        for (i, content) in contents.iter().enumerate() {
            let at = format!("contents[{i}]");
            self.keys(&at, content, &["role", "parts"], &[]);
            let expected = if i % 2 == 0 { "user" } else { "model" };
            self.must(content["role"] == expected, || {
                format!("{at} is of {}, not of {expected}", content["role"])
            });
            let parts = content["parts"].as_array().map_or(&[][..], Vec::as_slice);
            self.must(!parts.is_empty(), || format!("{at} has no parts"));
            for part in parts {
                self.part(&at, part, expected);
            }
            let of = |key: &str| parts.iter().filter_map(|p| p.get(key)).cloned().collect::<Vec<_>>();
            let responses = of("functionResponse");
            let same = responses.len() == waiting.len()
                && responses
                    .iter()
                    .zip(&waiting)
                    .all(|(r, c)| r["name"] == c["name"] && r.get("id") == c.get("id"));
            self.must(expected == "model" || same, || {
                format!("{at}: {} responses to {} calls, or of others", responses.len(), waiting.len())
            });
            waiting = of("functionCall");
            let first = parts.iter().find(|p| p.get("functionCall").is_some());
            if let (true, Some(first)) = (signed, first) {
                let call = &first["functionCall"];
                let own = signature(&format!("{}{}", call["name"], call["args"]));
                let word = first["thoughtSignature"].as_str().unwrap_or_default();
                let good = word == own || word == "skip_thought_signature_validator";
                self.must(good, || format!("{at}: function call is missing a thought_signature"));
            }
        }
        self.must(contents.last().is_some_and(|c| c["role"] == "user"), || {
            "the last turn is not the user's".into()
        });
    }

    fn part(&mut self, at: &str, part: &Value, role: &str) {
        let data = ["text", "inlineData", "functionCall", "functionResponse"];
        let held = data.iter().filter(|k| part.get(**k).is_some()).count();
        self.must(held == 1, || format!("{at}: a part with {held} kinds of data"));
        self.keys(at, part, &[], &[&data[..], &["thought", "thoughtSignature"]].concat());
        if let Some(text) = part.get("text") {
            let says = text.as_str().is_some_and(|t| !t.is_empty()) || part.get("thoughtSignature").is_some();
            self.must(says, || format!("{at}: an empty text"));
        }
        if let Some(blob) = part.get("inlineData") {
            self.blob(at, blob);
        }
        if let Some(call) = part.get("functionCall") {
            self.keys(at, call, &["name"], &["args", "id"]);
            self.name(at, call["name"].as_str().unwrap_or_default());
            self.must(role == "model", || format!("{at}: a call of the user's"));
            self.must(call.get("args").is_none_or(Value::is_object), || format!("{at}: args are no object"));
        }
        if let Some(response) = part.get("functionResponse") {
            self.keys(at, response, &["name", "response"], &["id", "parts"]);
            self.must(role == "user", || format!("{at}: a response of the model's"));
            self.must(response["response"].is_object(), || format!("{at}: a response that is no object"));
            for part in response["parts"].as_array().into_iter().flatten() {
                self.keys(at, part, &["inlineData"], &[]);
                self.blob(at, &part["inlineData"]);
            }
        }
    }

    fn blob(&mut self, at: &str, blob: &Value) {
        self.keys(at, blob, &["mimeType", "data"], &[]);
        let (kind, data) = (blob["mimeType"].as_str(), blob["data"].as_str());
        self.base64_picture(at, kind.unwrap_or_default(), data.unwrap_or_default());
    }
}
