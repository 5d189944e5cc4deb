//! Putting streamed content together.
//!
//! Each event is a reply of its own with a piece of the content. Texts in a row are one text as long as they are of one kind and
//! unsigned; a signature belongs to the part it came with. There is no last event: the stream must end by itself after a reason.

use super::super::sse::Event;
use super::super::{Assemble, StreamFault, json_of, status_of, words};
use serde_json::{Map, Value, json};

#[derive(Default)]
pub(super) struct Stream {
    parts: Vec<Value>,
    candidate: Map<String, Value>,
    body: Map<String, Value>,
}

impl Assemble for Stream {
    fn event(&mut self, event: &Event) -> Result<bool, StreamFault> {
        if event.data.is_empty() {
            return Ok(false);
        }
        let mut chunk = json_of(event)?;
        if let Some(error) = chunk.get("error").filter(|e| !e.is_null()) {
            let status = status_of(error).unwrap_or(500);
            return Err(StreamFault::Failed { status, words: words(error) });
        }
        let candidate = chunk.pointer_mut("/candidates/0").map(Value::take);
        if let Some(Value::Object(candidate)) = candidate {
            for (key, mut value) in candidate {
                if key == "content" {
                    if let Some(Value::Array(parts)) = value.get_mut("parts").map(Value::take) {
                        parts.into_iter().for_each(|part| self.part(part));
                    }
                } else {
                    self.candidate.insert(key, value);
                }
            }
        }
        for key in ["promptFeedback", "usageMetadata", "modelVersion", "responseId"] {
            if let Some(value) = chunk.get_mut(key).map(Value::take) {
                self.body.insert(key.to_owned(), value);
            }
        }
        Ok(false)
    }

    fn finish(&mut self) -> Result<Vec<u8>, StreamFault> {
        let blocked = self.body.get("promptFeedback").is_some_and(|f| f.get("blockReason").is_some());
        let mut body = Map::new();
        if self.candidate.contains_key("finishReason") {
            let parts = std::mem::take(&mut self.parts);
            let mut candidate = Map::new();
            candidate.insert("content".to_owned(), json!({"role": "model", "parts": parts}));
            candidate.append(&mut self.candidate);
            body.insert("candidates".to_owned(), json!([candidate]));
        } else if !blocked {
            return Err("the stream ended before the reply did".into());
        }
        body.append(&mut self.body);
        Ok(Value::Object(body).to_string().into_bytes())
    }
}

impl Stream {
    fn part(&mut self, part: Value) {
        if let (Some(last), Some(more)) = (self.parts.last_mut(), plain_text(&part))
            && plain_text(last).is_some()
            && last.get("thought") == part.get("thought")
            && let Some(Value::String(text)) = last.get_mut("text")
        {
            text.push_str(more);
            return;
        }
        self.parts.push(part);
    }
}

/// The text of a part that is nothing else.
fn plain_text(part: &Value) -> Option<&str> {
    let map = part.as_object()?;
    let plain = map.keys().all(|k| k == "text" || k == "thought");
    part.get("text").filter(|_| plain)?.as_str()
}
