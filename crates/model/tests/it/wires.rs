//! All four wires against a strict server of each API: the same conversation, whole and streamed (R34, R36).

use super::*;
use handsight_base::port::model::ToolCall;
use handsight_base::stop::StopReason;
use handsight_testkit::chat::{Api, Call, End, Reply, Rules};
use std::sync::Mutex;
use tokio::task::JoinSet;

/// A provider of our own that speaks an API.
fn provider(api: Api, stream: bool) -> (Providers, String) {
    let header = match api {
        Api::Chat | Api::Responses => "authorization",
        Api::Messages => "x-api-key",
        Api::Gemini => "x-goog-api-key",
    };
    let streaming = if stream { "on" } else { "off" };
    let text = format!(
        "about = \"a\"\nwire = \"{}\"\ndialect = \"tools\"\nkey_variable = \"K\"\nkey_optional = true\nkey_header = \"{header}\"\n\
         streaming = \"{streaming}\"\ncaching = true\n[[model]]\nnames = [\"thinker\"]\nthinking = 2048\n",
        api.wire()
    );
    let of_newer = "[[model]]\nnames = [\"gemini-3\"]\npictures_in_results = true\n";
    let text = text + if api == Api::Gemini { of_newer } else { "" };
    let mut providers = Providers::builtin().unwrap();
    let name = format!("own-{}", api.wire());
    providers.add(&format!("{name}.toml"), &text).unwrap();
    (providers, name)
}

pub(super) fn speaker(server: &Server, api: Api, stream: bool, model: &str, deadlines: Deadlines) -> Remote {
    let (providers, name) = provider(api, stream);
    Remote::new(Setup {
        provider: providers.get(&name).unwrap(),
        model,
        base_url: Some(&server.base_url()),
        key: Some("key-0123456789"),
        deadlines,
        proxy: None,
        clock: Arc::new(RealClock::new()),
    })
    .unwrap()
}

pub(super) fn rules(api: Api) -> Rules {
    Rules { api, key: Some("key-0123456789".into()), ..Rules::default() }
}

fn two_calls() -> Reply {
    let call = |id: &str, x: u32| Call {
        id: id.into(),
        name: "click".into(),
        arguments: json!({"x": x, "y": 2.5, "reason": "Ä \"quoted\" reason\n"}).to_string(),
    };
    Reply::Calls(vec![call("call_one", 1), call("call_two", 2)])
}

/// The turn that a reply becomes, and its results: the first with a picture.
fn answered(request: &mut ModelRequest, reply: &ModelReply) {
    let calls = reply.calls.iter().cloned().map(Part::Call);
    let text = (!reply.text.is_empty()).then(|| Part::Text(reply.text.clone()));
    let parts = text.into_iter().chain(calls).collect();
    request.messages.push(Message { role: Role::Assistant, parts, raw: reply.raw.clone() });
    let shot =
        Picture { bytes: png(Size::new(4, 4), [9, 9, 9]), media_type: "image/png", geometry: geometry() };
    let result = |(i, call): (usize, &ToolCall)| Part::Result {
        call_id: call.id.clone(),
        text: "done".into(),
        picture: (i == 0).then(|| shot.clone()),
        is_error: i == 1,
        acknowledged: Vec::new(),
    };
    let mut parts: Vec<Part> = reply.calls.iter().enumerate().map(result).collect();
    parts.push(Part::Text("Go on.".into()));
    request.messages.push(Message { role: Role::User, parts, raw: None });
}

/// What must be the same whichever way a reply came.
fn gist(reply: &ModelReply) -> Value {
    let calls: Vec<Value> = reply
        .calls
        .iter()
        .map(|c| json!([c.id, c.name, serde_json::from_str::<Value>(&c.arguments).unwrap()]))
        .collect();
    json!([
        reply.text,
        calls,
        reply.finish,
        reply.model,
        reply.usage,
        reply.refusal,
        reply.checks,
        reply.raw.as_ref().map(|r| json!([r.provider, r.wire, r.json])),
    ])
}

#[tokio::test]
async fn a_conversation_is_taken_by_every_api_whole_and_streamed() {
    for api in Api::ALL {
        for model in ["test-model", "thinker", "gemini-2.5-flash", "gemini-3"] {
            let mut replies = Vec::new();
            for stream in [false, true] {
                let script = [two_calls(), Reply::text("I see äöü."), two_calls()];
                let server = Server::scripted_with(rules(api), script);
                let remote = speaker(&server, api, stream, model, Deadlines::default());
                let mut request = small();
                for _ in 0..3 {
                    let reply =
                        ask(&remote, &request).await.unwrap_or_else(|e| panic!("{api:?} {model}: {e}"));
                    answered(&mut request, &reply);
                    assert_eq!(reply.raw.as_ref().unwrap().provider, remote.provider().name);
                    assert!(reply.usage.input_tokens.is_some() && reply.usage.output_tokens.is_some());
                    replies.push(reply);
                }
                assert_eq!(server.take_complaints(), [""; 0], "{api:?} {model} {stream}");
                let last = &server.requests()[2];
                assert_eq!(last.pictures.len(), 2, "the turn's own and that of the result");
                assert_eq!(
                    server.connections(),
                    1,
                    "{api:?}: a stream read to its end leaves the connection usable"
                );
            }
            let (whole, streamed) = replies.split_at(3);
            for (whole, streamed) in whole.iter().zip(streamed) {
                let (mut a, mut b) = (gist(whole), gist(streamed));
                // The servers tell the input's length, and the streamed request is longer.
                a[4]["input_tokens"] = Value::Null;
                b[4]["input_tokens"] = Value::Null;
                assert_eq!(a, b, "{api:?} {model}");
            }
            let sent = json!({"x": 2, "y": 2.5, "reason": "Ä \"quoted\" reason\n"});
            assert_eq!(serde_json::from_str::<Value>(&replies[3].calls[1].arguments).unwrap(), sent);
            assert_eq!(replies[0].finish.as_deref(), Some("tool_calls"));
            assert_eq!(replies[1].finish.as_deref(), Some("stop"));
        }
    }
}

/// What one provider thought means nothing to another: the same history goes from each to each (R36).
#[tokio::test]
async fn a_history_moves_from_every_provider_to_every_other() {
    for from in Api::ALL {
        let server = Server::scripted_with(rules(from), [two_calls()]);
        let mut request = small();
        let first =
            ask(&speaker(&server, from, false, "thinker", Deadlines::default()), &request).await.unwrap();
        answered(&mut request, &first);
        for to in Api::ALL {
            let server = Server::scripted_with(rules(to), [two_calls()]);
            let model = if to == Api::Gemini { "gemini-3" } else { "thinker" };
            ask(&speaker(&server, to, false, model, Deadlines::default()), &request).await.unwrap();
            let sent = String::from_utf8_lossy(&server.requests()[0].body).into_owned();
            let thought = sent.contains("thinking\":\"The button") || sent.contains("encrypted_content\":");
            let keeps = from == to && matches!(to, Api::Messages | Api::Responses);
            assert_eq!(thought, keeps, "{from:?} to {to:?}");
        }
    }
}

#[tokio::test]
async fn a_stream_cut_at_any_byte_gives_no_reply() {
    for api in Api::ALL {
        let whole = Reply::call("click", json!({"x": 1, "y": 2, "reason": "r"}));
        let length = whole.http_len_of(api, "test-model", true);
        // With a real reply's head of its own; the last bytes are those after the event that ends it.
        let places: Vec<usize> = (0..length).collect();
        let ends = [End::Close, End::Reset];
        let cuts = places.iter().map(|at| whole.clone().cut(*at, ends[at % 2]));
        let server = Server::scripted_with(rules(api), cuts);
        let remote = speaker(&server, api, true, "test-model", total(Duration::from_secs(20)));
        let request = small();
        let mut whole_ones = 0;
        for at in &places {
            if let Ok(reply) = ask(&remote, &request).await {
                assert_eq!(reply.calls.len(), 1);
                assert!(*at + 2 >= length, "{api:?}: a reply from {at} of {length} bytes");
                whole_ones += 1;
            }
        }
        assert!(places.len() > 300 && whole_ones == 0, "{api:?}: {whole_ones}");
    }
}

#[tokio::test]
async fn a_stream_has_deadlines_for_its_parts() {
    let short = Some(Duration::from_millis(300));
    for api in Api::ALL {
        let text = Reply::text("a longer text, in several pieces");
        let head_alone = Reply::Status {
            code: 200,
            headers: vec![("content-type".into(), "text/event-stream".into())],
            body: vec![b':'; 50],
        };
        let head = head_alone.http_len("") - 50;
        let server = Server::scripted_with(
            rules(api),
            [
                Reply::Nothing(End::Stall),
                head_alone.clone().cut(head, End::Stall),
                text.clone().cut(300, End::Stall),
                text.clone().drip(Duration::from_millis(20)),
            ],
        );
        let deadlines =
            |first_byte, next_byte, total| Deadlines { first_byte, next_byte, total, ..Deadlines::default() };
        let long = Duration::from_secs(30);
        for (deadlines, phase) in [
            (deadlines(short, None, long), "first byte"),
            // The head is there, and of the body nothing.
            (deadlines(short, None, long), "first byte"),
            (deadlines(None, short, long), "next byte"),
            (deadlines(None, short, Duration::from_secs(1)), "whole reply"),
        ] {
            let error =
                ask(&speaker(&server, api, true, "test-model", deadlines), &small()).await.unwrap_err();
            let good = matches!(&error, ModelError::Deadline { phase: p, .. } if *p == phase);
            assert!(good, "{api:?} {phase}: {error:?}");
        }
    }
}

/// p99 <= 100 ms and at most 250 between the stop and the end of the call, for streams that are under way and for calls that
/// wait.
#[tokio::test]
async fn a_stop_ends_a_call_in_flight_at_once() {
    const ROUNDS: usize = 25;
    let mut took: Vec<Duration> = Vec::new();
    for api in Api::ALL {
        for stream in [false, true] {
            let held: Arc<Mutex<Option<Stop>>> = Arc::default();
            let server = {
                let held = Arc::clone(&held);
                Server::with(rules(api), move |r| {
                    // One half is stopped before a byte came, the other in the middle of its reply.
                    if r.n % 2 == 0 {
                        held.lock().unwrap().as_ref().unwrap().set(StopReason::Chord);
                        Reply::Nothing(End::Stall)
                    } else {
                        Reply::text("slow").drip(Duration::from_millis(5))
                    }
                })
            };
            let remote = Arc::new(speaker(&server, api, stream, "test-model", Deadlines::default()));
            for n in 1..=ROUNDS {
                let stop = Stop::new();
                *held.lock().unwrap() = Some(stop.clone());
                let mut calls = JoinSet::new();
                let (model, asked) = (Arc::clone(&remote), stop.clone());
                calls.spawn(async move { model.ask(&small(), &asked).await });
                let clock = RealClock::new();
                let now = || handsight_base::port::clock::Clock::now(&clock);
                let mut since = now();
                if n % 2 == 1 {
                    tokio::time::sleep(Duration::from_millis(60)).await;
                    since = now();
                    stop.set(StopReason::Chord);
                }
                let ended = calls.join_next().await.unwrap().unwrap();
                if n % 2 == 1 {
                    assert_eq!(ended.unwrap_err(), ModelError::Stopped);
                    took.push(now() - since);
                } else {
                    assert!(ended.is_err());
                }
            }
        }
    }
    took.sort_unstable();
    let p99 = took[took.len() * 99 / 100];
    println!(
        "stops: n {} p50 {:?} p99 {p99:?} max {:?}",
        took.len(),
        took[took.len() / 2],
        took[took.len() - 1]
    );
    assert!(p99 <= Duration::from_millis(100), "{took:?}");
    assert!(took[took.len() - 1] <= Duration::from_millis(250), "{took:?}");
}

#[tokio::test]
async fn an_error_inside_a_stream_has_the_status_it_would_have_had() {
    let stream = |text: &str| Reply::Status {
        code: 200,
        headers: vec![("content-type".into(), "text/event-stream; charset=utf-8".into())],
        body: text.as_bytes().to_vec(),
    };
    for (api, text, status) in [
        (
            Api::Messages,
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
            529,
        ),
        (
            Api::Responses,
            "data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"rate_limit_exceeded\",\"message\":\"slow\"}}}\n\n",
            429,
        ),
        (Api::Chat, "data: {\"error\":{\"code\":502,\"message\":\"upstream\"}}\n\n", 502),
        (
            Api::Gemini,
            "data: {\"error\":{\"code\":503,\"message\":\"busy\",\"status\":\"UNAVAILABLE\"}}\r\n\r\n",
            503,
        ),
    ] {
        let server = Server::scripted_with(rules(api), [stream(text)]);
        let error = ask(&speaker(&server, api, true, "m", Deadlines::default()), &small()).await.unwrap_err();
        assert!(error.is_passing(), "{api:?}");
        assert!(matches!(error, ModelError::Http { status: s, .. } if s == status), "{api:?}: {error:?}");
    }
}

#[tokio::test]
async fn a_server_that_streams_not_and_one_that_never_ends_are_borne() {
    for api in Api::ALL {
        let plain = match api {
            Api::Chat => json!({"choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]}),
            Api::Messages => {
                json!({"type": "message", "content": [{"type": "text", "text": "whole"}], "stop_reason": "end_turn"})
            }
            Api::Responses => {
                json!({"status": "completed", "output": [{"type": "message", "role": "assistant",
                "content": [{"type": "output_text", "text": "whole"}]}]})
            }
            Api::Gemini => {
                json!({"candidates": [{"content": {"parts": [{"text": "whole"}]}, "finishReason": "STOP"}]})
            }
        };
        let endless = Reply::Status {
            code: 200,
            headers: vec![("content-type".into(), "text/event-stream".into())],
            body: ": x\n\n".repeat(2 * 1024 * 1024).into_bytes(),
        };
        let server = Server::scripted_with(rules(api), [Reply::Json(plain), endless]);
        let remote = speaker(&server, api, true, "m", Deadlines::default());
        assert_eq!(ask(&remote, &small()).await.unwrap().text, "whole");
        let error = ask(&remote, &small()).await.unwrap_err();
        assert!(matches!(error, ModelError::TooLong { .. }), "{api:?}: {error:?}");
    }
}

/// The check of the check: what a server must refuse, it refuses.
#[test]
fn the_strict_servers_see_what_is_wrong() {
    use handsight_testkit::chat::complaints;
    for (api, model, body, what) in [
        (
            Api::Messages,
            "",
            json!({"model": "m", "max_tokens": 1, "messages": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "n", "input": {}}]},
            {"role": "user", "content": "b"}]}),
            "0 results of",
        ),
        (
            Api::Messages,
            "",
            json!({"model": "m", "messages": [{"role": "user", "content": "a"}]}),
            "max_tokens",
        ),
        (
            Api::Messages,
            "",
            json!({"model": "m", "max_tokens": 9, "prompt": 1, "messages": [{"role": "user", "content": "a"}]}),
            "unknown key",
        ),
        (
            Api::Messages,
            "",
            json!({"model": "m", "max_tokens": 9, "messages": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "forged"}, {"type": "text", "text": "x"}]},
            {"role": "user", "content": "b"}]}),
            "invalid `signature`",
        ),
        (
            Api::Responses,
            "",
            json!({"model": "m", "store": false, "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "a"}]},
            {"type": "function_call_output", "call_id": "a", "output": "x"}]}),
            "no tool call found",
        ),
        (
            Api::Responses,
            "",
            json!({"model": "m", "input": [{"role": "user", "content": [{"type": "input_text", "text": "a"}]}]}),
            "store",
        ),
        (
            Api::Gemini,
            "gemini-3",
            json!({"contents": [
            {"role": "user", "parts": [{"text": "a"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "n", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "n", "response": {}}}]}]}),
            "thought_signature",
        ),
        (
            Api::Gemini,
            "gemini-2",
            json!({"contents": [{"role": "user", "parts": [{"text": "a"}]}],
            "tools": [{"functionDeclarations": [{"name": "n", "description": "d", "parameters":
                {"type": "OBJECT", "properties": {"a": {"type": "STRING", "$ref": "x"}}}}]}]}),
            "unknown key",
        ),
    ] {
        let found = complaints(api, model, body.to_string().as_bytes());
        assert!(found.iter().any(|f| f.contains(what)), "{api:?} {what}: {found:?}");
    }
}
