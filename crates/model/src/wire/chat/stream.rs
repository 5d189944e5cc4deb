//! Putting a streamed chat completion together.
//!
//! It is whole when a reason for its end came and `[DONE]` after it. A call's name and id come once, its arguments in pieces that
//! are joined as they are; the index tells which call a piece belongs to (llama.cpp and some others leave it out with one call).

use super::super::sse::Event;
use super::super::{Assemble, StreamFault, json_of, status_of, words};
use serde_json::{Map, Value, json};

#[derive(Default)]
pub(super) struct Stream {
    head: Map<String, Value>,
    message: Map<String, Value>,
    calls: Vec<(u64, Value)>,
    finish: Option<Value>,
    usage: Option<Value>,
    done: bool,
}

impl Assemble for Stream {
    fn event(&mut self, event: &Event) -> Result<bool, StreamFault> {
        if event.data.trim() == "[DONE]" {
            self.done = true;
            return Ok(true);
        }
        if event.data.is_empty() {
            return Ok(false);
        }
        let chunk = json_of(event)?;
        if let Some(error) = chunk.get("error").filter(|e| !e.is_null()) {
            let words = words(error);
            return Err(match status_of(error) {
                Some(status) => StreamFault::Failed { status, words },
                None => format!("it reports an error: {words}").into(),
            });
        }
        for key in ["id", "model"] {
            if let (Some(value), false) = (chunk.get(key), self.head.contains_key(key)) {
                self.head.insert(key.to_owned(), value.clone());
            }
        }
        if let Some(usage) = chunk.get("usage").filter(|u| !u.is_null()) {
            self.usage = Some(usage.clone());
        }
        let Some(choice) = chunk.pointer("/choices/0") else { return Ok(false) };
        for (key, value) in choice.get("delta").and_then(Value::as_object).into_iter().flatten() {
            match key.as_str() {
                "tool_calls" => {
                    let pieces = value.as_array().map_or(&[][..], Vec::as_slice);
                    pieces.iter().try_for_each(|piece| self.call(piece))?;
                }
                _ => add(&mut self.message, key, value),
            }
        }
        if let Some(finish) = choice.get("finish_reason").filter(|f| !f.is_null()) {
            self.finish = Some(finish.clone());
        }
        Ok(false)
    }

    fn finish(&mut self) -> Result<Vec<u8>, StreamFault> {
        let Some(finish) = self.finish.take().filter(|_| self.done) else {
            return Err("the stream ended before the reply did".into());
        };
        let mut message = std::mem::take(&mut self.message);
        message.entry("role").or_insert_with(|| "assistant".into());
        message.entry("content").or_insert(Value::Null);
        if !self.calls.is_empty() {
            let calls = std::mem::take(&mut self.calls).into_iter().map(|(_, call)| call).collect();
            message.insert("tool_calls".to_owned(), calls);
        }
        let mut body = std::mem::take(&mut self.head);
        body.insert("choices".to_owned(), json!([{"index": 0, "message": message, "finish_reason": finish}]));
        if let Some(usage) = self.usage.take() {
            body.insert("usage".to_owned(), usage);
        }
        Ok(Value::Object(body).to_string().into_bytes())
    }
}

impl Stream {
    fn call(&mut self, piece: &Value) -> Result<(), StreamFault> {
        let index = match piece.get("index") {
            Some(index) => index.as_u64().ok_or("a piece of a call has an index that is no number")?,
            // A new id begins a new call.
            None if piece.get("id").is_some_and(Value::is_string) => self.calls.len() as u64,
            None => self.calls.last().map_or(0, |(index, _)| *index),
        };
        let at = self.calls.iter().position(|(i, _)| *i == index);
        let at = at.unwrap_or_else(|| {
            self.calls.push((index, json!({})));
            self.calls.len() - 1
        });
        let Some((_, Value::Object(call))) = self.calls.get_mut(at) else { return Ok(()) };
        for (key, value) in piece.as_object().into_iter().flatten() {
            match (key.as_str(), value) {
                ("index", _) | (_, Value::Null) => {}
                ("function", Value::Object(function)) => {
                    let there = call.entry("function").or_insert_with(|| json!({}));
                    let Value::Object(there) = there else { continue };
                    for (key, value) in function {
                        // Some repeat the name in each piece.
                        if key == "arguments" || !there.contains_key(key) {
                            add(there, key, value);
                        }
                    }
                }
                (key, value) => drop(call.entry(key).or_insert_with(|| value.clone())),
            }
        }
        Ok(())
    }
}

/// Joins texts and lists, keeps the first of anything else.
fn add(to: &mut Map<String, Value>, key: &str, value: &Value) {
    match (to.get_mut(key), value) {
        (Some(_), Value::Null) => {}
        (None | Some(Value::Null), value) => drop(to.insert(key.to_owned(), value.clone())),
        (Some(Value::String(_)), _) if key == "role" => {}
        (Some(Value::String(there)), Value::String(more)) => there.push_str(more),
        (Some(Value::Array(there)), Value::Array(more)) => there.extend(more.iter().cloned()),
        (Some(_), _) => {}
    }
}
