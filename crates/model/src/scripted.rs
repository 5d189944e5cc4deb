//! A model that plays a script: `--model scripted/FILE`, and every test that needs a model but no network.
//!
//! A script is JSON lines, one reply each; empty lines and lines that begin with `#` are skipped.
//!
//! ```text
//! {"call": "click", "args": {"x": 500, "y": 300, "reason": "press OK"}}
//! {"calls": [{"name": "type", "arguments": "{\"text\": \"broken"}]}
//! {"text": "I would rather talk.", "delay_ms": 250}
//! {"error": {"status": 500, "body": "overloaded"}}
//! {"call": "done", "args": {"reason": "finished"}, "usage": {"input_tokens": 900, "output_tokens": 40}}
//! ```
//!
//! A reply goes through the chat wire like a real one, so the journal of a scripted run can be played again. It looks at nothing
//! it is asked; after its last line it refuses to answer.

use crate::wire::{WireOptions, chat};
use handsight_base::port::BoxFuture;
use handsight_base::port::clock::Clock;
use handsight_base::port::model::{Exchange, Model, ModelError, ModelReply, ModelRequest};
use handsight_base::stop::Stop;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub struct Scripted {
    name: String,
    lines: Vec<Line>,
    asked: AtomicUsize,
    clock: Arc<dyn Clock>,
}

/// A line of a script that cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line}: {what}")]
pub struct ScriptError {
    pub file: String,
    pub line: usize,
    pub what: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// The tool of the only call.
    call: Option<String>,
    /// Its arguments.
    args: Option<Box<RawValue>>,
    /// Calls with their arguments as text, however broken.
    calls: Option<Vec<ScriptedCall>>,
    text: Option<String>,
    error: Option<ScriptedError>,
    #[serde(default)]
    delay_ms: u64,
    usage: Option<ScriptedUsage>,
    finish: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
    id: Option<String>,
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedError {
    status: u16,
    #[serde(default)]
    body: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedUsage {
    input_tokens: u64,
    output_tokens: u64,
    #[serde(default)]
    cached_tokens: u64,
}

impl Scripted {
    /// Reads a script; `file` is its name, for messages and the model's name. `clock` waits the delays.
    pub fn read(file: &str, text: &str, clock: Arc<dyn Clock>) -> Result<Self, ScriptError> {
        let mut lines = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let at = |what| ScriptError { file: file.to_owned(), line: i + 1, what };
            let read: Line = serde_json::from_str(line).map_err(|e| at(e.to_string()))?;
            read.check().map_err(|what| at(what.to_owned()))?;
            lines.push(read);
        }
        Ok(Self { name: format!("scripted/{file}"), lines, asked: AtomicUsize::new(0), clock })
    }

    /// How often it was asked so far.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Acquire)
    }

    fn reply(&self, n: usize, line: &Line, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        if let Some(error) = &line.error {
            let (provider, body) = (self.name.clone(), error.body.clone());
            return Err(ModelError::Http { provider, status: error.status, body, retry_after: None });
        }
        let response = line.response(n).to_string();
        let malformed =
            |why| ModelError::Malformed { provider: self.name.clone(), why, start: String::new() };
        let mut reply = (chat::WIRE.decode)(response.as_bytes()).map_err(malformed)?;
        let body = (chat::WIRE.encode)(request, &WireOptions::new(&self.name));
        reply.exchange = Exchange {
            request: String::from_utf8(body).unwrap_or_default(),
            status: 200,
            response,
            took: Duration::from_millis(line.delay_ms),
            retries: 0,
        };
        Ok(reply)
    }
}

impl Line {
    fn check(&self) -> Result<(), &'static str> {
        let says = [self.call.is_some(), self.calls.is_some(), self.error.is_some()];
        match says.iter().filter(|s| **s).count() {
            0 if self.text.is_none() => Err("a reply is a call, calls, text or an error"),
            0 | 1 if self.args.is_some() && self.call.is_none() => Err("`args` belong to a `call`"),
            0 | 1 => Ok(()),
            _ => Err("a reply is one of call, calls and error"),
        }
    }

    fn response(&self, n: usize) -> Value {
        let calls: Vec<Value> = match (&self.call, &self.calls) {
            (Some(name), _) => {
                let arguments = self.args.as_ref().map_or("{}", |a| a.get());
                vec![json!({"id": format!("call_{n}"), "type": "function", "function": {"name": name, "arguments": arguments}})]
            }
            (None, Some(calls)) => calls
                .iter()
                .enumerate()
                .map(|(i, c)| {
                    let id = c.id.clone().unwrap_or_else(|| format!("call_{n}_{i}"));
                    json!({"id": id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}})
                })
                .collect(),
            (None, None) => Vec::new(),
        };
        let finish = self.finish.as_deref().unwrap_or(if calls.is_empty() { "stop" } else { "tool_calls" });
        let mut message = json!({"role": "assistant", "content": self.text});
        if let (false, Some(fields)) = (calls.is_empty(), message.as_object_mut()) {
            fields.insert("tool_calls".into(), Value::Array(calls));
        }
        let mut response = json!({
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        });
        if let (Some(u), Some(fields)) = (&self.usage, response.as_object_mut()) {
            let usage = json!({
                "prompt_tokens": u.input_tokens,
                "completion_tokens": u.output_tokens,
                "prompt_tokens_details": {"cached_tokens": u.cached_tokens},
            });
            fields.insert("usage".into(), usage);
        }
        response
    }
}

impl Model for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn recall(&self, exchange: &Exchange) -> Option<ModelReply> {
        (chat::WIRE.decode)(exchange.response.as_bytes()).ok()
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            let n = self.asked.fetch_add(1, Ordering::AcqRel);
            let line = self.lines.get(n).ok_or(ModelError::RecordingEnds { played: self.lines.len() })?;
            tokio::select! {
                biased;
                _ = stop.stopped() => Err(ModelError::Stopped),
                () = self.clock.sleep(Duration::from_millis(line.delay_ms)) => self.reply(n, line, request),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::port::clock::VirtualClock;
    use handsight_base::stop::StopReason;

    fn script(text: &str) -> Result<(Scripted, VirtualClock), ScriptError> {
        let clock = VirtualClock::new(0);
        Ok((Scripted::read("s.jsonl", text, Arc::new(clock.clone()))?, clock))
    }

    #[tokio::test]
    async fn a_script_is_played_line_by_line_and_then_ends() {
        let (model, clock) = script(concat!(
            "# a comment\n\n",
            r#"{"call": "click", "args": {"x": 1, "x": 2}, "text": "so", "usage": {"input_tokens": 9, "output_tokens": 4}}"#,
            "\n",
            r#"{"calls": [{"id": "a", "name": "type", "arguments": "{"}], "finish": "length"}"#,
            "\n",
            r#"{"text": "no", "delay_ms": 250}"#,
            "\n",
            r#"{"error": {"status": 503, "body": "busy"}}"#,
        ))
        .unwrap();
        let (request, stop) = (ModelRequest { system: "s".into(), ..ModelRequest::default() }, Stop::new());
        let click = model.ask(&request, &stop).await.unwrap();
        assert_eq!(
            (click.calls[0].name.as_str(), click.calls[0].arguments.as_str()),
            ("click", r#"{"x": 1, "x": 2}"#)
        );
        assert_eq!((click.text.as_str(), click.usage.input_tokens), ("so", Some(9)));
        assert!(click.exchange.request.contains(r#"{"role":"system","content":"s"}"#));
        let broken = model.ask(&request, &stop).await.unwrap();
        assert_eq!((broken.calls[0].arguments.as_str(), broken.finish.as_deref()), ("{", Some("length")));
        assert_eq!(clock.now(), Duration::ZERO);
        let text = model.ask(&request, &stop).await.unwrap();
        assert!(text.calls.is_empty() && text.text == "no");
        assert_eq!(clock.now(), Duration::from_millis(250));
        assert!(matches!(model.ask(&request, &stop).await, Err(ModelError::Http { status: 503, .. })));
        for _ in 0..2 {
            let end = model.ask(&request, &stop).await.unwrap_err();
            assert_eq!(end, ModelError::RecordingEnds { played: 4 });
        }
        assert_eq!(model.asked(), 6);
    }

    #[tokio::test]
    async fn a_stop_comes_before_the_reply() {
        let (model, _) = script(r#"{"text": "late", "delay_ms": 60000}"#).unwrap();
        let stop = Stop::new();
        stop.set(StopReason::Chord);
        assert_eq!(model.ask(&ModelRequest::default(), &stop).await.unwrap_err(), ModelError::Stopped);
    }

    #[test]
    fn a_bad_line_is_named() {
        for (text, line, what) in [
            ("{}", 1, "a reply is a call"),
            ("\n# c\n{\"call\": \"a\", \"calls\": []}", 3, "one of call"),
            ("{\"text\": \"a\"}\n{\"args\": {}, \"text\": \"a\"}", 2, "belong to a `call`"),
            ("{\"txt\": \"a\"}", 1, "unknown field `txt`"),
            ("{\"text\": ", 1, "EOF"),
        ] {
            let Err(e) = script(text) else { panic!("taken: {text}") };
            assert_eq!((e.file.as_str(), e.line), ("s.jsonl", line));
            assert!(e.what.contains(what), "{e}");
        }
    }
}
