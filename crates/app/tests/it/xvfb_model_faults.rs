//! A model service that is down, refuses, stalls or answers rubbish: what is said, the code, and that nothing is moved.

use crate::rig::{Rig, always, observe, server};
use handsight_testkit::chat::{Call, End, Reply};
use serde_json::json;
use std::net::TcpListener;

/// Runs against a service that always answers alike; it must end with 6, move nothing, and say this.
#[track_caller]
fn fails(rig: &Rig, answer: Reply, more: &[&str], words: &[&str], outcome: &str) {
    let server = always(move |_| answer.clone());
    let mut witness = rig.witness();
    witness.watch_everything();
    let args: Vec<&str> = ["x", "--json"].iter().chain(more).copied().collect();
    let said = rig.run(&server, &args);
    said.ended(6);
    words.iter().for_each(|w| {
        said.told(w);
    });
    assert_eq!(said.json()["outcome"], outcome, "{said:?}");
    // Three failures in a row, each its own turn and its own call (S-81).
    assert_eq!(server.requests().len(), 3);
    assert_eq!(said.json()["turns"], 3);
    assert!(witness.events().is_empty(), "{:?}", witness.events());
}

#[test]
fn a_service_that_is_down_is_named_with_its_address() {
    let Some(rig) = Rig::new() else { return };
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{closed}/v1");
    let said = rig.handsight.run(&["run", "x", "--json", "--base-url", &url]);
    said.ended(6).told(&closed.to_string());
    assert_eq!(said.json()["outcome"], "model_failed");
}

// spec: S-79 S-81 FAKE
#[test]
fn http_errors_say_status_and_body() {
    let Some(rig) = Rig::new() else { return };
    fails(
        &rig,
        Reply::error(401, "Incorrect API key provided"),
        &[],
        &["401", "Incorrect API key"],
        "model_failed",
    );
    let limited = Reply::status(429, ("retry-after", "1"), "slow down");
    fails(&rig, limited, &[], &["429", "slow down"], "model_failed");
    let long = Reply::status(500, ("content-type", "text/plain"), &"z".repeat(10_000));
    let server = always(move |_| long.clone());
    let said = rig.run(&server, &["x"]);
    let longest = said.ended(6).stderr.lines().map(|l| l.matches('z').count()).max();
    assert!(longest.is_some_and(|n| (100..=4096).contains(&n)), "{longest:?}");
}

// spec: S-80 FAKE
#[test]
fn a_stall_and_a_reset_are_named() {
    let Some(rig) = Rig::new() else { return };
    let quick = ["--set", "decide.request_timeout_s=0.5"];
    fails(&rig, Reply::Nothing(End::Stall), &quick, &["within 500ms"], "model_failed");
    fails(&rig, Reply::Nothing(End::Reset), &[], &["could not be reached"], "model_failed");
}

#[test]
fn rubbish_is_no_reply() {
    let Some(rig) = Rig::new() else { return };
    let call = Reply::call("click", json!({ "x": 1, "y": 1, "reason": "r" }));
    let half = call.http_len("test-model") - 40;
    fails(&rig, call.cut(half, End::Close), &[], &["failure 3 of 3"], "model_failed");
    fails(&rig, Reply::Html, &[], &["failure 3 of 3"], "model_failed");
    fails(&rig, Reply::Body(vec![b'['; 100_000]), &[], &["failure 3 of 3"], "model_failed");
    fails(&rig, Reply::Body(vec![b' '; 10 << 20]), &[], &["failure 3 of 3"], "model_failed");
}

// spec: S-25 S-99 FAKE
#[test]
fn a_reply_without_a_usable_call_moves_nothing() {
    let Some(rig) = Rig::new() else { return };
    for (answer, words) in [
        (Reply::text("I would click the button at 500, 300."), "failure 3 of 3"),
        (Reply::call("exec", json!({ "command": "rm -rf /", "reason": "r" })), "exec"),
        (Reply::call("click", json!({ "x": "left", "y": 1, "reason": "r" })), "x"),
        (Reply::call("click", json!({ "x": 1, "y": 1 })), "reason"),
        (Reply::call("click", json!({ "x": null, "y": 1, "reason": "r" })), "x"),
        (broken("{\"x\": 1, \"y\":"), "failure 3 of 3"),
        (broken("{\"x\": NaN, \"y\": 1, \"reason\": \"r\"}"), "failure 3 of 3"),
    ] {
        fails(&rig, answer, &[], &[words], "malformed");
    }
}

/// A click with these words for arguments.
fn broken(arguments: &str) -> Reply {
    Reply::Calls(vec![Call { id: "call_1".into(), name: "click".into(), arguments: arguments.into() }])
}

// spec: S-81 FAKE
#[test]
fn a_usable_reply_resets_the_count_of_failures() {
    let Some(rig) = Rig::new() else { return };
    let prose = || Reply::text("well");
    let server = server([prose(), prose(), observe("ok"), prose(), prose(), prose()]);
    let said = rig.run(&server, &["x", "--json"]);
    assert_eq!(said.ended(6).json()["turns"], 6);
    assert_eq!(server.requests().len(), 6);
}

#[test]
fn no_key_and_no_such_provider_are_usage() {
    let Some(rig) = Rig::new() else { return };
    let run = |args: &[&str]| rig.handsight.run(&[&["run", "x"], args].concat());
    run(&["--model", "openai/gpt-5.4"]).ended(2).told("no key for openai: set OPENAI_API_KEY");
    run(&["--set", "decide.provider=openia"]).ended(2).told("Did you mean `openai`?");
    run(&["--model", "openai/"]).ended(2).told("names no model");
    run(&["--model", "custom/x"]).ended(2).told("--base-url");
    run(&["--base-url", "localhost:1234"]).ended(2).told("localhost:1234");
    run(&["--model", "a", "--model", "b"]).ended(2).told("two models for the role agent");
    run(&["--set", "decide.dialect=klingon"]).ended(2).told("klingon");
    run(&["--set", "decide.tools=[\"fly\"]"]).ended(2).told("fly");
    run(&["--set", "desktop.stop_chord=banana"]).ended(2).told("stop_chord");
    run(&["--model", "recorded/nothing"]).ended(7).told("nothing");
    run(&["--model", "scripted/nothing"]).ended(2).told("nothing");
    assert!(rig.runs().is_empty());
}
