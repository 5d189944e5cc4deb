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
        let what =
            [&line["turn"], &line["choice"], &line["call"], &line["reason"], &line["notes"], &line["calm"]];
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
