//! `handsight run` against a model server that nobody here wrote: llama.cpp's own, over each API that it serves.
//!
//! Its model has random weights, so that a reply is nonsense of the form that the server enforces: words, then calls with valid
//! arguments. What is shown is that each request with its picture is taken and each reply understood, not that anything is done well.

use crate::handsight::{Handsight, run};
use crate::rig::{PATIENCE, session};
use handsight_testkit::need::long;
use handsight_testkit::vendors::{self, LlamaServer};
use serde_json::Value;

const TURNS: usize = 20;

/// Requests that the server began to work on, by its own log: what it refuses comes to no task.
fn taken(server: &LlamaServer) -> usize {
    server.log().lines().filter(|line| line.contains("processing task, is_child = 0")).count()
}

/// A run of so many turns with a provider that speaks this wire.
fn turns(server: &LlamaServer, wire: &str, streaming: &str, turns: usize, out: &str) -> Vec<Value> {
    let handsight = Handsight::new();
    let provider = format!(
        "about = \"llama.cpp\"\nwire = \"{wire}\"\ndialect = \"tools\"\ntool_choice = \"required\"\n\
         streaming = \"{streaming}\"\n"
    );
    handsight.config("providers/own.toml", &provider);
    let (url, turns) = (format!("{}/v1", server.url), turns.to_string());
    let args = [
        &["run", "do something", "--desktop", "world:desk,seed=3,size=1280x720", "--model", "own/no-wit"][..],
        &["--base-url", &url, "--max-turns", &turns, "--out", out, "--json"],
        // It would end the run by chance.
        &["--set", "decide.tools=[\"observe\", \"click\", \"type\", \"scroll\"]"],
    ];
    let said = run(handsight.command(&args.concat()), PATIENCE);
    // A limit ended it, and nothing else.
    said.ended(8);
    session(&handsight.home().join(out))
}

#[test]
fn twenty_turns_over_the_apis_of_a_real_server() {
    let Some(vendors) = vendors::need() else { return };
    let server = vendors.llama_server();
    // Its Responses are made of its chat API; and a stream differs in how a reply comes, not in what it is.
    let few = if long() { TURNS } else { 6 };
    for (wire, whole) in [("chat", TURNS), ("messages", TURNS), ("responses", few)] {
        for (streaming, wanted) in [("off", whole), ("on", few)] {
            let name = format!("{wire}-{streaming}");
            let before = taken(&server);
            let lines = turns(&server, wire, streaming, wanted, &name);
            let of = |choice: &str| lines.iter().filter(|line| line["choice"] == choice).count();
            let (done, refused) = (of("act") + of("observe"), of("refused"));
            println!("{name}: {} turns, {done} done, {refused} refused", lines.len());
            assert_eq!((lines.len(), taken(&server) - before), (wanted, wanted), "{name}: {}", server.log());
            // A call of the model that failed would be noted in its turn.
            let failed: Vec<&Value> =
                lines.iter().filter(|l| l["usage"]["output_tokens"].is_null()).collect();
            assert!(failed.is_empty() && done > 0, "{name}: {lines:#?}");
        }
    }
}
