//! Putting a streamed response together.
//!
//! The last event brings the whole response, so its pieces need no joining. Some servers leave `output` empty in it: then the
//! items that were done are its output. Without that last event there is no reply.

use super::super::sse::Event;
use super::super::{Assemble, StreamFault, json_of, status_of, words};
use serde_json::Value;

#[derive(Default)]
pub(super) struct Stream {
    items: Vec<(u64, Value)>,
    response: Option<Value>,
}

impl Assemble for Stream {
    fn event(&mut self, event: &Event) -> Result<bool, StreamFault> {
        if event.data.trim() == "[DONE]" || event.data.is_empty() {
            return Ok(false);
        }
        let mut event = json_of(event)?;
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "response.output_item.done" => {
                // llama.cpp gives none: then they come in their order.
                let index =
                    event.get("output_index").and_then(Value::as_u64).unwrap_or(self.items.len() as u64);
                let item = event.get_mut("item").map(Value::take).ok_or("an item of the stream is empty")?;
                self.items.push((index, item));
            }
            "response.completed" | "response.incomplete" => {
                let response = event.get_mut("response").map(Value::take).filter(Value::is_object);
                self.response = Some(response.ok_or("the stream ended without a response")?);
                return Ok(true);
            }
            "response.failed" => {
                return Err(failed(event.pointer("/response/error").unwrap_or(&Value::Null)));
            }
            "error" => return Err(failed(event.get("error").unwrap_or(&event))),
            _ => {}
        }
        Ok(false)
    }

    fn finish(&mut self) -> Result<Vec<u8>, StreamFault> {
        let mut response = self.response.take().ok_or("the stream ended before the reply did")?;
        let output = response.get("output").and_then(Value::as_array);
        if output.is_none_or(Vec::is_empty) {
            self.items.sort_by_key(|(index, _)| *index);
            let items = std::mem::take(&mut self.items).into_iter().map(|(_, item)| item);
            if let Value::Object(response) = &mut response {
                response.insert("output".to_owned(), items.collect());
            }
        }
        Ok(response.to_string().into_bytes())
    }
}

fn failed(error: &Value) -> StreamFault {
    let status = status_of(error).unwrap_or_else(|| {
        match error.get("code").and_then(Value::as_str).unwrap_or_default() {
            "rate_limit_exceeded" => 429,
            "server_error" | "vector_store_timeout" => 500,
            // What is wrong with a prompt or a picture stays wrong.
            code if code.contains("image") || code.contains("invalid") => 400,
            _ => 500,
        }
    });
    StreamFault::Failed { status, words: words(error) }
}
