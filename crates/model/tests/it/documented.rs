//! Replies in the forms that services document, refusals and streams among them, through a real connection.
//!
//! `documented/*.txt` holds a file for each wire: cases that begin with `=== NAME`, with where the form is described, the status
//! and headers it comes with, and what it has to become. The forms are the services', the words in them are not.

use super::wires::{rules, speaker};
use super::*;
use handsight_testkit::chat::{Api, Reply};
use std::path::Path;

#[derive(Debug, Default)]
struct Case {
    name: String,
    source: String,
    status: u16,
    headers: Vec<(String, String)>,
    stream: bool,
    want: Value,
    body: String,
}

fn cases(wire: &str) -> Vec<Case> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documented").join(format!("{wire}.txt"));
    let text = std::fs::read_to_string(file).unwrap();
    text.split("\n=== ").skip(1).map(case).collect()
}

fn case(text: &str) -> Case {
    let (head, body) = text.split_once("\n---\n").unwrap();
    let mut lines = head.lines();
    let name = lines.next().unwrap().to_owned();
    let mut case = Case { name, status: 200, body: format!("{}\n\n", body.trim_end()), ..Case::default() };
    for line in lines {
        match line.split_once(": ").unwrap() {
            ("source", source) => case.source = source.into(),
            ("status", status) => case.status = status.parse().unwrap(),
            ("header", header) => {
                let (name, value) = header.split_once(": ").unwrap();
                case.headers.push((name.into(), value.into()));
            }
            ("stream", "yes") => case.stream = true,
            ("want", want) => case.want = serde_json::from_str(want).unwrap(),
            _ => panic!("{line}"),
        }
    }
    case
}

/// What a call came to, in the words of the files. What a case does not name is what it is where nothing is said.
fn came_to(reply: &Result<ModelReply, ModelError>, want: &Value) -> Value {
    match reply {
        Ok(reply) => {
            let arguments = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            let mut said = json!({ "finish": reply.finish });
            if !reply.text.is_empty() {
                said["text"] = reply.text.clone().into();
            }
            if !reply.calls.is_empty() {
                said["calls"] =
                    reply.calls.iter().map(|c| json!([c.name, arguments(&c.arguments)])).collect();
            }
            if let Some(refusal) = &reply.refusal {
                said["refused"] = refusal.reason.clone().into();
            }
            if !reply.checks.is_empty() {
                said["checks"] = reply.checks.iter().map(|c| c.code.clone()).collect();
            }
            if want.get("usage").is_some() {
                let usage = &reply.usage;
                said["usage"] = json!([usage.input_tokens, usage.output_tokens, usage.cached_tokens]);
            }
            said
        }
        Err(error) => {
            let ModelError::Http { status, body, retry_after, .. } = error else {
                return json!(format!("{error:?}"));
            };
            let says = want["says"].as_str().unwrap_or_default();
            let mut said = json!({"status": status, "passing": error.is_passing(), "says": body});
            if !says.is_empty() && body.contains(says) {
                said["says"] = says.into();
            }
            if let Some(after) = retry_after {
                said["retry_after_ms"] = u64::try_from(after.as_millis()).unwrap().into();
            }
            said
        }
    }
}

#[tokio::test]
async fn every_documented_form_becomes_what_it_says() {
    let mut count = 0;
    for api in Api::ALL {
        for case in cases(api.wire()) {
            assert!(!case.source.is_empty(), "{}", case.name);
            let media_type = if case.stream { "text/event-stream" } else { "application/json" };
            let mut headers = case.headers.clone();
            headers.push(("content-type".into(), media_type.into()));
            let reply = Reply::Status { code: case.status, headers, body: case.body.clone().into_bytes() };
            let server = Server::scripted_with(rules(api), [reply]);
            let model = speaker(&server, api, case.stream, "test-model", Deadlines::default());
            let came = came_to(&ask(&model, &small()).await, &case.want);
            assert_eq!(came, case.want, "{} {}", api.wire(), case.name);
            count += 1;
        }
    }
    println!("{count} documented forms");
    assert!(count > 45, "{count}");
}
