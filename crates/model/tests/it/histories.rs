//! Random histories, pruned and cut at random: every wire's request is one that its service takes (R36).

use super::*;
use handsight_base::port::model::{RawTurn, ToolCall};
use handsight_model::provider::{CallIds, Thinking};
use handsight_model::wire::{WIRES, Wire, WireOptions};
use handsight_testkit::chat::{Api, complaints, signature};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// Turns of a history, before anything happens to it.
#[derive(Debug, Clone)]
struct Step {
    said: String,
    calls: Vec<(String, String, String)>,
    /// Which of the wires wrote it, if one did, and whether for the provider that is asked now.
    by: Option<(usize, bool)>,
    /// Of each call: whether its result is there, has a picture, is an error.
    results: Vec<(bool, bool, bool)>,
    also: String,
}

fn step() -> impl Strategy<Value = Step> {
    let text =
        prop_oneof![Just(String::new()), Just(" \n".into()), "[a-zä\"\\\\ ]{1,12}".prop_map(String::from)];
    let id = prop_oneof![
        Just(String::new()),
        "call_[a-z0-9]{4}",
        "functions\\.click:[0-9]",
        "[a-zA-Z0-9]{9}",
        Just("same".to_owned()),
        "x{60,80}"
    ];
    let name = prop_oneof![Just("click".to_owned()), "[a-z. é]{0,70}", Just("1st".to_owned())];
    let arguments = prop_oneof![
        Just("{\"x\": 1, \"y\": 2.50}".to_owned()),
        Just(String::new()),
        Just("{\"x\": ".to_owned()),
        Just("[1]".to_owned()),
        Just("{}".to_owned())
    ];
    let calls = prop::collection::vec((id, name, arguments), 0..4);
    let results = prop::collection::vec(any::<(bool, bool, bool)>(), 4);
    (text.clone(), calls, prop::option::of((0..4_usize, any::<bool>())), results, text)
        .prop_map(|(said, calls, by, results, also)| Step { said, calls, by, results, also })
}

/// A turn's own JSON as each service would have written it.
fn raw(wire: usize, provider: &str, step: &Step) -> RawTurn {
    let args =
        |text: &str| serde_json::from_str::<Value>(text).ok().filter(Value::is_object).unwrap_or(json!({}));
    let calls = step.calls.iter();
    let json = match wire {
        0 => {
            let calls: Vec<Value> = calls
                .map(|(id, name, args)| {
                    json!({"id": id, "type": "function", "function": {"name": name, "arguments": args}})
                })
                .collect();
            json!({"role": "assistant", "content": step.said, "refusal": null, "annotations": [],
                "reasoning_content": "hm", "tool_calls": calls})
        }
        1 => {
            let mut content = vec![
                json!({"type": "thinking", "thinking": "hm", "signature": signature("hm")}),
                json!({"type": "text", "text": step.said}),
            ];
            content.extend(
                calls.map(
                    |(id, name, a)| json!({"type": "tool_use", "id": id, "name": name, "input": args(a)}),
                ),
            );
            Value::Array(content)
        }
        2 => {
            let mut items = vec![
                json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": signature("rs_1"), "status": null}),
                json!({"type": "reasoning", "id": "rs_2", "summary": []}),
            ];
            if !step.said.is_empty() {
                items.push(json!({"type": "message", "id": "m", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": step.said, "annotations": []}]}));
            }
            items.extend(calls.map(|(id, name, a)| {
                json!({"type": "function_call", "id": "fc", "status": "completed", "call_id": id, "name": name, "arguments": a})
            }));
            Value::Array(items)
        }
        _ => {
            let mut parts = Vec::new();
            if !step.said.is_empty() {
                parts.push(json!({"text": step.said}));
            }
            for (i, (id, name, a)) in calls.enumerate() {
                let (name, args) = (json!(name), args(a));
                let signed = signature(&format!("{name}{args}"));
                let mut part = json!({"functionCall": {"name": name, "args": args}});
                if !id.is_empty() {
                    part["functionCall"]["id"] = json!(id);
                }
                if i == 0 {
                    part["thoughtSignature"] = signed.into();
                }
                parts.push(part);
            }
            json!({"role": "model", "parts": parts})
        }
    };
    RawTurn { provider: provider.into(), wire: WIRES[wire].name.into(), json }
}

fn history(steps: &[Step], picture: &Picture) -> Vec<Message> {
    let mut messages =
        vec![Message { role: Role::User, parts: vec![Part::Picture(picture.clone())], raw: None }];
    for step in steps {
        let text = Part::Text(step.said.clone());
        let call = |(id, name, arguments): &(String, String, String)| {
            Part::Call(ToolCall { id: id.clone(), name: name.clone(), arguments: arguments.clone() })
        };
        let parts = std::iter::once(text).chain(step.calls.iter().map(call)).collect();
        let by = step.by.map(|(wire, own)| raw(wire, if own { "asked" } else { "other" }, step));
        messages.push(Message { role: Role::Assistant, parts, raw: by });
        let mut parts: Vec<Part> = Vec::new();
        for ((id, _, _), (there, shot, is_error)) in step.calls.iter().zip(&step.results) {
            if *there {
                parts.push(Part::Result {
                    call_id: id.clone(),
                    text: if *shot { String::new() } else { "done".into() },
                    picture: shot.then(|| picture.clone()),
                    is_error: *is_error,
                    acknowledged: Vec::new(),
                });
            }
        }
        parts.push(Part::Text(step.also.clone()));
        messages.push(Message { role: Role::User, parts, raw: None });
    }
    messages
}

/// A history and what happens to it.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    steps: Vec<Step>,
    /// Messages that a pruning takes.
    pruned: Vec<usize>,
    /// Where a crash cuts.
    crash: usize,
    /// Of the options.
    pub(crate) seed: usize,
}

pub(crate) fn case() -> impl Strategy<Value = Case> {
    let steps = prop::collection::vec(step(), 0..6);
    let pruned = prop::collection::vec(0..12_usize, 0..4);
    (steps, pruned, 0..14_usize, 0..1000_usize).prop_map(|(steps, pruned, crash, seed)| Case {
        steps,
        pruned,
        crash,
        seed,
    })
}

impl Case {
    pub(crate) fn request(&self, picture: &Picture) -> ModelRequest {
        let mut messages = history(&self.steps, picture);
        let mut index = 0;
        messages.retain(|_| {
            index += 1;
            !self.pruned.contains(&(index - 1))
        });
        messages.truncate(self.crash.max(1));
        ModelRequest { messages, ..small() }
    }
}

fn api(wire: &Wire) -> Api {
    Api::ALL.into_iter().find(|a| a.wire() == wire.name).unwrap()
}

/// All that a run may ask of any wire.
fn options<'a>(seed: usize, replay: &'a [String]) -> WireOptions<'a> {
    let thinking = [None, Some(Thinking::Kept), Some(Thinking::Adaptive), Some(Thinking::Budget(2000))];
    WireOptions {
        provider: "asked",
        thinking: thinking[seed % 4],
        pictures_in_results: !seed.is_multiple_of(3),
        picture_count: seed.is_multiple_of(5).then_some(2),
        caching: seed.is_multiple_of(2),
        stream: seed.is_multiple_of(7),
        replay,
        ..WireOptions::new(["gemini-2.5-pro", "gemini-3-pro"][seed % 2])
    }
}

/// All that a run may ask of this wire.
pub(crate) fn options_of(wire: &Wire, seed: usize) -> WireOptions<'static> {
    let mut options = options(seed, &[]);
    if wire.name == "messages" {
        options.call_ids = CallIds::Plain;
    }
    if wire.name == "chat" {
        // What these servers take in a result is text.
        options.pictures_in_results = false;
    }
    options
}

fn check(wire: &Wire, request: &ModelRequest, seed: usize) -> Vec<String> {
    let options = options_of(wire, seed);
    complaints(api(wire), options.model, &wire.body(request, &options))
}

#[test]
fn of_2000_random_histories_no_request_is_invalid() {
    let shot =
        Picture { bytes: png(Size::new(2, 2), [1, 2, 3]), media_type: "image/png", geometry: geometry() };
    let mut runner = TestRunner::new(Config { cases: 2000, failure_persistence: None, ..Config::default() });
    let broken = std::cell::Cell::new(0);
    let asked = std::cell::Cell::new(0);
    let outcome = runner.run(&case(), |case| {
        let (request, seed) = (case.request(&shot), case.seed);
        for wire in WIRES {
            let wrong = check(wire, &request, seed);
            prop_assert!(wrong.is_empty(), "{}: {wrong:?}", wire.name);
            asked.set(asked.get() + 1);
            // The control: without the repair many of them are invalid.
            let bare = (wire.encode)(&request, &options(seed, &[]));
            let model = options(seed, &[]).model;
            broken.set(broken.get() + usize::from(!complaints(api(wire), model, &bare).is_empty()));
        }
        Ok(())
    });
    outcome.unwrap();
    println!("{} requests, {} of them invalid without the repair", asked.get(), broken.get());
    assert!(asked.get() >= 8000 && broken.get() > 4000, "{} of {}", broken.get(), asked.get());
}

/// A history that is whole is sent as it is, turn by turn, so that what a provider has in its cache is met again.
#[test]
fn a_longer_history_begins_with_the_shorter_one() {
    let shot =
        Picture { bytes: png(Size::new(2, 2), [1, 2, 3]), media_type: "image/png", geometry: geometry() };
    let call = |n: usize| ("call_".to_owned() + &n.to_string(), "click".to_owned(), "{\"x\":1}".to_owned());
    let step = |n: usize| Step {
        said: format!("turn {n}"),
        calls: vec![call(n)],
        by: None,
        results: vec![(true, true, false); 4],
        also: String::new(),
    };
    for wire in WIRES {
        let body = |turns: usize| {
            let steps: Vec<Step> = (0..turns).map(step).collect();
            let request = ModelRequest { messages: history(&steps, &shot), tools: vec![], ..small() };
            let options = WireOptions { caching: false, ..WireOptions::new("m") };
            let body: Value = serde_json::from_slice(&wire.body(&request, &options)).unwrap();
            let key = match wire.name {
                "responses" => "input",
                "gemini" => "contents",
                _ => "messages",
            };
            body[key].as_array().unwrap().clone()
        };
        let (short, long) = (body(3), body(4));
        assert!(long.len() > short.len());
        assert_eq!(&long[..short.len()], &short[..], "{}", wire.name);
    }
}
