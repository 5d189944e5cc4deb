//! Putting a streamed message together: it is whole when `message_stop` came and every block had its end.

use super::super::sse::Event;
use super::super::{Assemble, StreamFault, json_of, words};
use serde_json::{Map, Value, json};

#[derive(Default)]
pub(super) struct Stream {
    message: Option<Map<String, Value>>,
    blocks: Vec<Block>,
    done: bool,
}

struct Block {
    json: Map<String, Value>,
    /// The input of a call, as it comes.
    input: String,
    ended: bool,
}

impl Assemble for Stream {
    fn event(&mut self, event: &Event) -> Result<bool, StreamFault> {
        let event = json_of(event)?;
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => {
                let message = event.get("message").and_then(Value::as_object);
                self.message = Some(message.ok_or("the stream begins without a message")?.clone());
            }
            "content_block_start" => {
                let block = event.get("content_block").and_then(Value::as_object);
                let block = block.ok_or("a block of the stream is no object")?.clone();
                if index(&event)? != self.blocks.len() {
                    return Err("the blocks of the stream are out of order".into());
                }
                self.blocks.push(Block { json: block, input: String::new(), ended: false });
            }
            "content_block_delta" => {
                let block = self.block(&event)?;
                block.add(event.get("delta").ok_or("a delta of the stream is empty")?);
            }
            "content_block_stop" => self.block(&event)?.ended = true,
            "message_delta" => {
                let message = self.message.as_mut().ok_or("the stream begins without a message")?;
                for (key, value) in event.get("delta").and_then(Value::as_object).into_iter().flatten() {
                    message.insert(key.clone(), value.clone());
                }
                let usage = message.entry("usage").or_insert_with(|| json!({}));
                let more = event.get("usage").and_then(Value::as_object);
                if let (Value::Object(usage), Some(more)) = (usage, more) {
                    // Counts are of all so far; what it does not repeat stays.
                    let counts = more.iter().filter(|(_, count)| !count.is_null());
                    usage.extend(counts.map(|(key, count)| (key.clone(), count.clone())));
                }
            }
            "message_stop" => {
                self.done = true;
                return Ok(true);
            }
            "error" => {
                let error = event.get("error").unwrap_or(&Value::Null);
                return Err(StreamFault::Failed { status: status(error), words: words(error) });
            }
            // `ping`, and what is not known yet.
            _ => {}
        }
        Ok(false)
    }

    fn finish(&mut self) -> Result<Vec<u8>, StreamFault> {
        let whole = self.done && self.blocks.iter().all(|b| b.ended);
        let Some(mut message) = self.message.take().filter(|_| whole) else {
            return Err("the stream ended before the reply did".into());
        };
        let Some(reason) = message.get("stop_reason").and_then(Value::as_str) else {
            return Err("the stream ended without a reason".into());
        };
        // Then the last input has no end, and the reason says that nothing of the reply may act.
        let cut = matches!(reason, "max_tokens" | "model_context_window_exceeded");
        let content = std::mem::take(&mut self.blocks).into_iter().map(|b| b.whole(cut));
        message.insert("content".to_owned(), content.collect::<Result<Value, _>>()?);
        Ok(Value::Object(message).to_string().into_bytes())
    }
}

impl Stream {
    fn block(&mut self, event: &Value) -> Result<&mut Block, StreamFault> {
        let index = index(event)?;
        self.blocks.get_mut(index).ok_or_else(|| "a delta of the stream belongs to no block".into())
    }
}

fn index(event: &Value) -> Result<usize, StreamFault> {
    let index = event.get("index").and_then(Value::as_u64).ok_or("an event of the stream has no index")?;
    Ok(usize::try_from(index).unwrap_or(usize::MAX))
}

impl Block {
    fn add(&mut self, delta: &Value) {
        for (key, value) in delta.as_object().into_iter().flatten() {
            match (key.as_str(), value.as_str()) {
                ("partial_json", Some(more)) => self.input.push_str(more),
                ("text" | "thinking" | "signature", Some(more)) => {
                    let there = self.json.entry(key.as_str()).or_insert_with(|| "".into());
                    if let Value::String(there) = there {
                        there.push_str(more);
                    }
                }
                _ => {}
            }
        }
    }

    fn whole(mut self, cut: bool) -> Result<Value, StreamFault> {
        if self.input.is_empty() {
            return Ok(Value::Object(self.json));
        }
        match serde_json::from_str::<Value>(&self.input) {
            Ok(input) => drop(self.json.insert("input".to_owned(), input)),
            Err(_) if cut => {}
            Err(e) => return Err(format!("the input of a call in the stream is no JSON ({e})").into()),
        }
        Ok(Value::Object(self.json))
    }
}

/// The status that the same error has when it comes before the stream.
fn status(error: &Value) -> u16 {
    match error.get("type").and_then(Value::as_str).unwrap_or_default() {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => 500,
    }
}
