//! The whole program on the simulated desk with the `assist` profile, and a strict server that answers with plans.

use crate::handsight::{Handsight, Said};
use crate::rig::PATIENCE;
use handsight_testkit::chat::{Reply, Request, Rules, Server};
use serde_json::{Value, json};
use std::process::Command;
use std::sync::Mutex;

pub(crate) const DESK: &str = "world:desk,seed=3,size=1280x720";

pub(crate) fn step(tool: &str, args: Value, why: &str) -> Value {
    json!({"tool": tool, "args": args, "human_readable_justification": why})
}

/// A step of which nothing is to be seen but what it does.
pub(crate) fn go(tool: &str, args: Value) -> Value {
    step(tool, args, "Go on")
}

pub(crate) fn plan(steps: &[Value]) -> Reply {
    Reply::text(&json!({"steps": steps, "done": null}).to_string())
}

pub(crate) fn done(summary: &str) -> Reply {
    Reply::text(&json!({"steps": [], "done": summary}).to_string())
}

pub(crate) fn key(name: &str) -> Value {
    step("press", json!({"key": name}), "Go on")
}

/// A server that plays these replies, the last of them for ever.
pub(crate) fn server(replies: Vec<Reply>) -> Server {
    let last = replies.last().cloned().unwrap();
    let left = Mutex::new(replies.into_iter());
    Server::with(Rules::default(), move |_| left.lock().unwrap().next().unwrap_or_else(|| last.clone()))
}

/// Runs an objective on the desk, with a provider that can hold replies to a schema.
pub(crate) fn assist(handsight: &Handsight, server: &Server, more: &[&str]) -> Said {
    crate::handsight::run(assist_command(handsight, server, more), PATIENCE)
}

pub(crate) fn assist_command(handsight: &Handsight, server: &Server, more: &[&str]) -> Command {
    let provider = "about = \"a\"\nwire = \"chat\"\ndialect = \"tools\"\nstreaming = \"off\"\nforms = true\n";
    handsight.config("providers/own.toml", provider);
    let url = server.base_url();
    let desktop = if more.contains(&"--desktop") { &[][..] } else { &["--desktop", DESK] };
    let args = [
        &["run", "Open the start menu", "--profile", "assist", "--model", "own/test-model"][..],
        &["--base-url", &url, "--out", "run"],
        desktop,
        more,
    ];
    handsight.command(&args.concat())
}

pub(crate) fn told(request: &Request) -> String {
    let content = &request.messages("user").last().unwrap()["content"];
    let parts = content.as_array().unwrap().iter();
    parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}
