//! Every request that a wire writes, held against the types that the vendor of its API publishes for its own client (R36).

use super::histories::{case, options_of};
use super::*;
use handsight_model::provider::{MaxTokensField, Thinking, ToolChoice};
use handsight_model::wire::{WIRES, Wire, WireOptions};
use handsight_testkit::vendors::{self, Refused};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngSeed, TestRunner};

fn shot() -> Picture {
    Picture { bytes: png(Size::new(2, 2), [1, 2, 3]), media_type: "image/png", geometry: geometry() }
}

/// The first few of them, each with its body.
fn told(refused: &[Refused], bodies: &[(&str, Vec<u8>)]) -> String {
    let line = |r: &Refused| {
        let (wire, body) = &bodies[r.index];
        format!("{wire}: {}\n    {}", r.why, String::from_utf8_lossy(body))
    };
    refused.iter().take(5).map(line).collect::<Vec<_>>().join("\n")
}

/// Anthropic's types know no sampling any more, and what is sent to Anthropic has none; llama.cpp takes it on the same wire.
pub(crate) fn as_sent<'a>(wire: &Wire, options: WireOptions<'a>) -> WireOptions<'a> {
    WireOptions { fixed_sampling: options.fixed_sampling || wire.name == "messages", ..options }
}

#[test]
fn of_2000_random_histories_no_request_is_of_another_type() {
    let Some(vendors) = vendors::need() else { return };
    let shot = shot();
    let config = Config { failure_persistence: None, rng_seed: RngSeed::Fixed(36), ..Config::default() };
    let mut runner = TestRunner::new(config);
    let mut bodies = Vec::new();
    for _ in 0..2000 {
        let case = case().new_tree(&mut runner).unwrap().current();
        let request = case.request(&shot);
        for wire in WIRES {
            let options = as_sent(wire, options_of(wire, case.seed));
            bodies.push((wire.name, wire.body(&request, &options)));
        }
    }
    let refused = vendors.refused(&bodies);
    println!("{} requests, {} of another type", bodies.len(), refused.len());
    assert!(
        bodies.len() >= 8000 && refused.is_empty(),
        "{} of them:\n{}",
        refused.len(),
        told(&refused, &bodies)
    );
}

fn say(role: Role, parts: Vec<Part>) -> Message {
    Message { role, parts, raw: None }
}

fn call(id: &str) -> Part {
    use handsight_base::port::model::ToolCall;
    let arguments = "{\"x\": 1, \"y\": 2.50, \"deep\": [{\"a\": null}]}".to_owned();
    Part::Call(ToolCall { id: id.into(), name: "click".into(), arguments })
}

fn result(id: &str, text: &str, picture: Option<Picture>, is_error: bool) -> Part {
    Part::Result { call_id: id.into(), text: text.into(), picture, is_error, acknowledged: Vec::new() }
}

/// One request of each kind, by name.
fn kinds() -> Vec<(&'static str, ModelRequest)> {
    let bare = ModelRequest { system: String::new(), tools: Vec::new(), ..small() };
    let text = |text: &str| Part::Text(text.into());
    let asked = say(Role::User, vec![text("Press OK. Añ€😀"), Part::Picture(shot())]);
    let two = say(Role::Assistant, vec![text("I press."), call("call_1"), call("call_2")]);
    let with = |results: Vec<Part>| vec![asked.clone(), two.clone(), say(Role::User, results)];
    let more = |messages: Vec<Message>| ModelRequest { messages, ..small() };
    let no_arguments = ToolSpec {
        name: "wait".into(),
        description: "waits".into(),
        parameters: json!({"type": "object", "properties": {}}),
    };
    let rich = ToolSpec {
        name: "rich".into(),
        description: "all kinds of parameters".into(),
        parameters: json!({"type": "object", "additionalProperties": false, "required": ["a"], "properties": {
            "a": {"type": "string", "enum": ["left", "right"], "description": "which"},
            "b": {"type": ["integer", "null"], "minimum": 0, "maximum": 10},
            "c": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
            "d": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"e": {"type": "boolean"}}}]},
            "f": {"const": "only"},
        }}),
    };
    vec![
        ("text", ModelRequest { messages: vec![say(Role::User, vec![text("Hello")])], ..bare.clone() }),
        ("picture", bare.clone()),
        ("tools", small()),
        ("no limits", ModelRequest { sampling: Sampling::default(), ..small() }),
        ("other tools", ModelRequest { tools: vec![no_arguments, rich], ..small() }),
        ("prose", more(vec![asked.clone(), say(Role::Assistant, vec![text("Hm.")]), asked.clone()])),
        (
            "results",
            more(with(vec![
                result("call_1", "done", None, false),
                result("call_2", "no such key", None, true),
            ])),
        ),
        (
            "results with pictures",
            more(with(vec![
                result("call_1", "done", Some(shot()), false),
                result("call_2", "", Some(shot()), true),
                text("Go on."),
                Part::Picture(shot()),
            ])),
        ),
        (
            "an empty result",
            more(with(vec![result("call_1", "", None, false), result("call_2", "", None, false)])),
        ),
        ("no results", more(with(Vec::new()))),
    ]
}

/// All that a provider may want of a wire.
fn all_options(wire: &Wire) -> Vec<WireOptions<'static>> {
    let mut all = Vec::new();
    for model in ["gemini-2.5-pro", "gemini-3-pro"] {
        for thinking in [None, Some(Thinking::Kept), Some(Thinking::Adaptive), Some(Thinking::Budget(2000))] {
            for tool_choice in [None, Some(ToolChoice::Auto), Some(ToolChoice::Required)] {
                for bits in [0b0000, 0b0111, 0b1010, 0b1101_u8] {
                    let bit = |n: u8| bits & (1 << n) != 0;
                    all.push(as_sent(
                        wire,
                        WireOptions {
                            thinking,
                            tool_choice,
                            stream: bit(0),
                            caching: bit(1),
                            fixed_sampling: bit(2),
                            pictures_in_results: bit(3) && wire.name != "chat",
                            max_tokens_field: if bit(1) {
                                MaxTokensField::MaxTokens
                            } else {
                                MaxTokensField::MaxCompletionTokens
                            },
                            ..WireOptions::new(model)
                        },
                    ));
                }
            }
        }
    }
    all
}

#[test]
fn every_kind_of_request_is_of_its_vendors_type() {
    let Some(vendors) = vendors::need() else { return };
    let kinds = kinds();
    let mut bodies = Vec::new();
    for wire in WIRES {
        for options in all_options(wire) {
            for (_, request) in &kinds {
                bodies.push((wire.name, wire.body(request, &options)));
                // Google's client has no type for what is counted but the request in it.
                let counted = wire.count_body(request, &options).filter(|_| wire.name == "messages");
                bodies.extend(counted.map(|body| ("messages-count", body)));
            }
        }
    }
    let refused = vendors.refused(&bodies);
    println!("{} requests, {} of another type", bodies.len(), refused.len());
    assert!(refused.is_empty(), "{} of them:\n{}", refused.len(), told(&refused, &bodies));
}

/// Keys below which a body may hold any JSON: schemas, arguments and results are the caller's own.
const FREE: [&str; 7] = ["parameters", "input_schema", "input", "args", "response", "default", "example"];

struct Mutant {
    body: Value,
    /// Such as `/messages/1/content: one key more`.
    what: String,
    kind: &'static str,
}

/// The body with one thing wrong, for each thing that can be wrong.
fn mutants(whole: &Value) -> Vec<Mutant> {
    let mut places = Vec::new();
    walk(whole, String::new(), &mut places);
    let mut all = Vec::new();
    for place in places {
        let mut with = |kind: &'static str, mend: &dyn Fn(&mut Value)| {
            let mut body = whole.clone();
            mend(body.pointer_mut(&place).unwrap());
            all.push(Mutant { body, what: format!("{place}: {kind}"), kind });
        };
        match whole.pointer(&place).unwrap() {
            Value::Object(map) => {
                with("one key more", &|v| v["unasked"] = json!(1));
                for key in map.keys() {
                    with("one key less", &|v| drop(v.as_object_mut().unwrap().shift_remove(key)));
                }
            }
            Value::Array(_) => with("no list", &|v| *v = json!(7)),
            _ => with("another type", &|v| *v = json!({"unasked": [1]})),
        }
    }
    all
}

fn walk(value: &Value, place: String, places: &mut Vec<String>) {
    places.push(place.clone());
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                // Google's schemas have a type of their own, whose properties have free names; the input of Responses is a list.
                let typed = (key == "parameters" && value["type"] == "OBJECT") || value.is_array();
                if key != "properties" && (typed || !FREE.contains(&key.as_str())) {
                    walk(value, format!("{place}/{key}"), places);
                }
            }
        }
        Value::Array(list) => {
            for (i, value) in list.iter().enumerate() {
                walk(value, format!("{place}/{i}"), places);
            }
        }
        _ => {}
    }
}

/// The check of the check: with one key more, one value of another type or a needed key less, a request is refused.
#[test]
fn what_is_wrong_with_a_request_is_seen() {
    let Some(vendors) = vendors::need() else { return };
    let (_, request) = kinds().into_iter().find(|(kind, _)| *kind == "results with pictures").unwrap();
    let mut all: Vec<(&str, Mutant)> = Vec::new();
    for wire in WIRES {
        let options = as_sent(
            wire,
            WireOptions {
                tool_choice: Some(ToolChoice::Auto),
                thinking: Some(Thinking::Budget(2000)),
                pictures_in_results: wire.name != "chat",
                ..WireOptions::new("gemini-3-pro")
            },
        );
        let body = serde_json::from_slice(&wire.body(&request, &options)).unwrap();
        all.extend(mutants(&body).into_iter().map(|m| (wire.name, m)));
    }
    let bodies: Vec<(&str, Vec<u8>)> =
        all.iter().map(|(wire, m)| (*wire, m.body.to_string().into_bytes())).collect();
    let refused: Vec<usize> = vendors.refused(&bodies).into_iter().map(|r| r.index).collect();
    let mut missed = Vec::new();
    for wire in WIRES {
        for kind in ["one key more", "no list", "another type", "one key less"] {
            let of_kind: Vec<usize> =
                (0..all.len()).filter(|i| all[*i].0 == wire.name && all[*i].1.kind == kind).collect();
            let seen = of_kind.iter().filter(|i| refused.binary_search(i).is_ok()).count();
            println!("{} {kind}: {seen} of {} refused", wire.name, of_kind.len());
            // Google's types need nothing; of the others the needed keys are told by name below.
            if kind == "one key less" {
                assert!(wire.name == "gemini" || seen > 5, "{}: {seen}", wire.name);
            } else {
                missed.extend(
                    of_kind.iter().filter(|i| refused.binary_search(i).is_err()).map(|i| &all[*i].1.what),
                );
            }
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}
