//! The same run on every kind of desktop (S-01): one script over the true wire, one log of what was done.
//!
//! The log to compare with is that of the simulated desktop, which needs nothing. A test on a kind of desktop plays
//! [`server`] there with [`SIZE`] and compares [`log`] with [`simulated`].

use crate::handsight::Handsight;
use crate::rig::session;
use handsight_testkit::chat::{Api, Call, Reply, Rules, Server};
use serde_json::{Value, json};
use std::path::Path;

/// The size every desktop has.
pub(crate) const SIZE: (u32, u32) = (1280, 720);
/// The file of the script, and its lines.
pub(crate) const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripts/one_run.jsonl");
const SCRIPT: &str = include_str!("../scripts/one_run.jsonl");

/// A model server that answers with the script and takes the profile's pictures only.
pub(crate) fn server() -> Server {
    server_of(Api::Chat)
}

/// The same of another API.
pub(crate) fn server_of(api: Api) -> Server {
    let rules = Rules { picture_size: Some((1536, 864)), api, ..Rules::default() };
    Server::scripted_with(rules, SCRIPT.lines().filter(|line| line.starts_with('{')).map(reply))
}

fn reply(line: &str) -> Reply {
    let line: Value = serde_json::from_str(line).unwrap();
    if let Some(tool) = line["call"].as_str() {
        return Reply::call(tool, line["args"].clone());
    }
    let call = |(n, call): (usize, &Value)| Call {
        id: format!("call_{n}"),
        name: call["name"].as_str().unwrap().into(),
        arguments: call["arguments"].as_str().unwrap().into(),
    };
    Reply::Calls(line["calls"].as_array().unwrap().iter().enumerate().map(call).collect())
}

/// What was decided and done in each turn of a run, without times and without what a desktop counts in its own way.
pub(crate) fn log(run: &Path) -> Vec<Value> {
    let line = |line: &Value| {
        let deeds = line["deeds"].as_array().unwrap().iter();
        let deeds: Vec<Value> = deeds.map(|d| json!([d["action"], d["hash"], d["outcome"]])).collect();
        let what = [
            &line["turn"],
            &line["choice"],
            &line["call"],
            &line["reason"],
            &line["notes"],
            &line["calm"],
            &line["steps"],
        ];
        json!([what, deeds])
    };
    session(run).iter().map(line).collect()
}

/// The log of the run on the simulated desktop.
pub(crate) fn simulated() -> Vec<Value> {
    let handsight = Handsight::new();
    let server = server();
    let url = server.base_url();
    let desktop = format!("world:desk,seed=3,size={}x{}", SIZE.0, SIZE.1);
    let args = ["run", "do it all", "--desktop", &desktop, "--base-url", &url, "--out", "one"];
    handsight.run(&args).ended(0);
    log(&handsight.home().join("one"))
}

/// The same for `assist`: plans over the wire, with everything in them that is noted or told.
pub(crate) const PLANS: [&str; 5] = ["do it all", "--profile", "assist", "--model", "custom/test-model"];

pub(crate) fn plans() -> Server {
    let step =
        |tool: &str, args: Value| json!({"tool": tool, "args": args, "human_readable_justification": "On"});
    let plan = |steps: &[Value]| Reply::text(&json!({"steps": steps, "done": null}).to_string());
    let done = json!({"steps": [], "done": "That was all."}).to_string();
    let key = |name: &str| step("press", json!({"key": name}));
    let replies = vec![
        plan(&[
            step("mouse", json!({"x": 640, "y": 360})),
            step("write", json!({"text": "Hello Wörld €\n"})),
            step("mouse", json!({"x": 300, "y": 200, "button": "right", "clicks": 2, "interval_ms": 50})),
        ]),
        plan(&[
            key("esc"),
            step("hotkey", json!({"keys": ["shift", "home"]})),
            step("sleep", json!({"secs": 0})),
        ]),
        plan(&[]),
        plan(&[key("end"), step("teleport", json!({})), key("end")]),
        plan(&[step("mouse", json!({"x": SIZE.0, "y": 0})), key("end")]),
        plan(&(0..6).map(|_| key("left")).collect::<Vec<_>>()),
        Reply::text(&format!("```json\n{done}\n```")),
        Reply::text(&done),
    ];
    let rules = Rules { picture_size: Some(SIZE), ..Rules::default() };
    Server::scripted_with(rules, replies)
}

/// The log of the plans on the simulated desktop.
pub(crate) fn plans_simulated() -> Vec<Value> {
    let handsight = Handsight::new();
    let server = plans();
    let url = server.base_url();
    let desktop = format!("world:desk,seed=3,size={}x{}", SIZE.0, SIZE.1);
    let args = [&["run", "--desktop", &desktop, "--base-url", &url, "--out", "one"][..], &PLANS].concat();
    handsight.run(&args).ended(0);
    log(&handsight.home().join("one"))
}
