//! The desk under the computers that providers defined themselves: the engine before a strict server of each provider, a click, typing,
//! a batch, a batch with a broken call in it, and the end; and a conversation with a batch that fails, a zoom and a last look.

use crate::confirm::Says;
use crate::world_rig::{HD, OnDesk, block_on};
use handsight_agent::ending::{Ending, Outcome};
use handsight_agent::episode::Episode;
use handsight_agent::person::Person;
use handsight_base::flow::action::{Action, Button, Spot};
use handsight_base::flow::decision::Consent;
use handsight_base::flow::intent::{Intent, Look};
use handsight_base::key::Modifiers;
use handsight_base::port::clock::RealClock;
use handsight_base::port::desktop::DesktopError;
use handsight_base::space::{At, FrameId, FramePx, FrameRect, PictureGeometry};
use handsight_model::{Deadlines, Providers, Remote, Setup};
use handsight_testkit::chat::{Api, Call, Reply, Rules, Server};
use handsight_testkit::written::writer;
use serde_json::{Value, json};
use std::sync::Arc;

const COMPUTERS: [(&str, Api); 8] = [
    ("anthropic-computer-20241022", Api::Messages),
    ("anthropic-computer-20250124", Api::Messages),
    ("anthropic-computer-20251124", Api::Messages),
    ("anthropic-toolset-20260801", Api::Messages),
    ("openai-computer-preview", Api::Responses),
    ("openai-computer", Api::Responses),
    ("gemini-computer-2.5", Api::Gemini),
    ("gemini-computer-3.5", Api::Gemini),
];

fn served(server: &Server, api: Api) -> Arc<Remote> {
    let mut providers = Providers::builtin().unwrap();
    let text = format!("about = \"a\"\nwire = \"{}\"\ndialect = \"tools\"\n", api.wire());
    providers.add("own.toml", &text).unwrap();
    let url = server.base_url();
    let setup = Setup {
        provider: providers.get("own").unwrap(),
        model: "test-model",
        base_url: Some(&url),
        key: None,
        deadlines: Deadlines::default(),
        proxy: None,
        clock: Arc::new(RealClock::new()),
    };
    Arc::new(Remote::new(setup).unwrap())
}

fn picture() -> PictureGeometry {
    let pane = FrameRect::new(0, 0, HD.width, HD.height);
    PictureGeometry { frame: FrameId(1), pane, size: HD }
}

/// What a model of the dialect sends for these: a reply of one or several calls.
fn sends(dialect: &str, turn: usize, intents: &[Intent]) -> Reply {
    let write = writer(dialect).unwrap().write;
    let calls = intents.iter().flat_map(|intent| {
        write(intent, &picture()).unwrap_or_else(|| panic!("{dialect} has no words for {intent:?}")).calls
    });
    Reply::Calls(named(turn, calls))
}

fn named(turn: usize, calls: impl IntoIterator<Item = (String, Value)>) -> Vec<Call> {
    let call = |(n, (name, args)): (usize, (String, Value))| Call {
        id: format!("call_{turn}_{n}"),
        name,
        arguments: args.to_string(),
    };
    calls.into_iter().enumerate().map(call).collect()
}

fn click(at: Spot) -> Intent {
    Intent::Act(Action::Click { at: Some(at), button: Button::Left, count: 1, modifiers: Modifiers::NONE })
}

fn key(names: &str) -> Intent {
    Intent::Act(Action::Key { chord: names.parse().unwrap(), repeat: 1 })
}

/// Typing, which the older of Gemini's can only do where it clicks.
fn typing(dialect: &str, turn: usize, text: &str, at: Spot) -> Reply {
    if dialect != "gemini-computer-2.5" {
        return sends(dialect, turn, &[Intent::Act(Action::typed(text))]);
    }
    let share = |v: i32, side: u32| (f64::from(v) + 0.5) / f64::from(side) * 1000.0;
    let (x, y) = (share(at.point.x, HD.width) as u32, share(at.point.y, HD.height) as u32);
    let args = json!({"x": x, "y": y, "text": text, "press_enter": false, "clear_before_typing": false});
    Reply::Calls(named(turn, [("type_text_at".to_owned(), args)]))
}

fn play(desk: &OnDesk, dialect: &str, api: Api, script: Vec<Reply>) -> (Ending, Server) {
    play_with(desk, dialect, api, script, Person::default())
}

fn play_with(desk: &OnDesk, dialect: &str, api: Api, script: Vec<Reply>, person: Person) -> (Ending, Server) {
    let rules = Rules { api, ..Rules::default() };
    let server = Server::scripted_with(rules, script);
    let ending = block_on(async {
        let mut parts = desk.parts(served(&server, api));
        parts.person = person;
        parts.dialect = handsight_model::dialect::build(dialect, &parts.tools.specs()).unwrap().unwrap();
        Episode::new(parts).unwrap().run().await
    });
    (ending, server)
}

/// A desk with an editor open, and the middle of its text.
fn editor(settings: &[&str]) -> (OnDesk, Spot) {
    let desk = OnDesk::native(HD, settings);
    desk.open("editor", &[]);
    let middle = desk.middle("editor", "text");
    (desk, At { point: FramePx::new(middle.x, middle.y), frame: FrameId(1) })
}

#[test]
fn every_computer_edits_a_text_on_the_desk() {
    for (dialect, api) in COMPUTERS {
        let (desk, text) = editor(&[]);
        let script = vec![
            sends(dialect, 1, &[click(text)]),
            typing(dialect, 2, "abcd", text),
            // A batch: three presses in their order.
            sends(dialect, 3, &[key("BackSpace"), key("Home"), key("Delete")]),
            Reply::text("The text is edited."),
        ];
        let (ending, server) = play(&desk, dialect, api, script);
        assert_eq!(server.take_complaints(), [""; 0], "{dialect}");
        assert_eq!(
            (ending.outcome, ending.statement.as_str()),
            (Outcome::Done, "The text is edited."),
            "{dialect}"
        );
        assert_eq!(desk.text(), "bc", "{dialect}");
        assert_eq!(server.requests().len(), 4, "{dialect}");
    }
}

/// The first of two calls is sound and is not run, because the second cannot be read.
#[test]
fn a_batch_with_one_broken_call_runs_nothing() {
    for (dialect, api) in COMPUTERS {
        let (desk, text) = editor(&[]);
        let Reply::Calls(mut batch) = sends(dialect, 2, &[key("x")]) else { panic!("no calls") };
        let broken = Call {
            id: "call_2_9".into(),
            name: batch[0].name.clone(),
            arguments: json!({"actions": [], "action": "warp"}).to_string(),
        };
        batch.push(broken);
        let script = vec![
            sends(dialect, 1, &[click(text)]),
            Reply::Calls(batch),
            sends(dialect, 3, &[key("y")]),
            Reply::text("Done."),
        ];
        let (ending, server) = play(&desk, dialect, api, script);
        assert_eq!(server.take_complaints(), [""; 0], "{dialect}");
        assert_eq!(ending.outcome, Outcome::Done, "{dialect}");
        assert_eq!(desk.text(), "y", "{dialect}");
    }
}

/// Every turn stays in the request, so that the strict servers see how calls are answered: each of them, with the screen in it.
#[test]
fn a_conversation_goes_on_after_a_batch_that_failed() {
    let keeps = ["context.history=conversation", "learn.carry=none", "hud.enabled=false"];
    for (dialect, api) in COMPUTERS {
        let (desk, text) = editor(&keeps);
        desk.refuse([DesktopError::Unsupported { what: "a click here".into(), backend: "fake".into() }]);
        let zooms = ["anthropic-computer-20251124", "anthropic-toolset-20260801"].contains(&dialect);
        let area = FrameRect::new(0, 0, 320, 180);
        let script = vec![
            sends(dialect, 1, &[click(text), key("x")]),
            sends(dialect, 2, &[click(text), key("y")]),
            typing(dialect, 3, "abc", text),
            if zooms {
                sends(dialect, 4, &[Intent::Look(Look::Zoom { area })])
            } else {
                sends(dialect, 4, &[key("End")])
            },
            Reply::text("Done."),
        ];
        let (ending, server) = play(&desk, dialect, api, script);
        assert_eq!(server.take_complaints(), [""; 0], "{dialect}");
        assert_eq!((ending.outcome, server.requests().len()), (Outcome::Done, 5), "{dialect}");
        assert_eq!(desk.text(), "yabc", "{dialect}");
        let body = String::from_utf8(server.requests()[4].body.clone()).unwrap();
        assert!(body.contains("a click here"), "{dialect} is not told of the failure");
        if dialect == "anthropic-toolset-20260801" {
            assert!(body.contains("Not executed: an earlier computer action in this turn failed."));
        }
        let sizes: Vec<u32> = server.requests()[4].pictures.iter().map(|p| p.width).collect();
        let closer = sizes.iter().filter(|w| **w != HD.width).count();
        assert!(sizes.len() >= 5 && closer <= usize::from(zooms), "{dialect}: {sizes:?}");
        assert!(!zooms || sizes.len() == 6, "{dialect} was shown no zoom: {sizes:?}");
    }
}

/// The provider wants a person's word for a key: a yes presses it and goes back with its result, anything else does neither.
#[test]
fn what_a_person_says_goes_back_over_the_wire() {
    let keeps = ["context.history=conversation", "learn.carry=none", "hud.enabled=false"];
    let asks = |api: Api, reply: Reply| {
        let Reply::Calls(mut calls) = reply else { panic!("no calls") };
        let mut args: Value = serde_json::from_str(&calls[0].arguments).unwrap();
        if api == Api::Responses {
            args["pending_safety_checks"] =
                json!([{"id": "cu_sc_1", "code": "malicious_instructions", "message": "It gives orders."}]);
        } else {
            args["safety_decision"] = json!({"decision": "require_confirmation", "explanation": "?"});
        }
        calls[0].arguments = args.to_string();
        Reply::Calls(calls)
    };
    for (dialect, api) in COMPUTERS.into_iter().filter(|(_, api)| *api != Api::Messages) {
        for (answer, typed) in [(Consent::Given, "x"), (Consent::Refused, ""), (Consent::Nobody, "")] {
            let (desk, text) = editor(&keeps);
            let script = vec![
                sends(dialect, 1, &[click(text)]),
                asks(api, sends(dialect, 2, &[key("x")])),
                Reply::text("Done."),
            ];
            let (person, asked) = Says::person(answer);
            let (ending, server) = play_with(&desk, dialect, api, script, person);
            assert_eq!(server.take_complaints(), [""; 0], "{dialect} {answer:?}");
            assert_eq!((ending.outcome, *asked.lock().unwrap()), (Outcome::Done, 1), "{dialect} {answer:?}");
            assert_eq!(desk.text(), typed, "{dialect} {answer:?}");
            let last = &server.requests()[2];
            let body = String::from_utf8(last.body.clone()).unwrap();
            let agreed = ["acknowledged_safety_checks", "safety_acknowledgement"];
            let says = agreed.iter().any(|word| body.contains(word));
            assert_eq!(says, answer == Consent::Given, "{dialect} {answer:?}: {}", last.json);
        }
    }
}
