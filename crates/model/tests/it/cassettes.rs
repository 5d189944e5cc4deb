//! Recorded traffic is kept and played again.
//!
//! `cassettes/llamacpp.jsonl` is real: llama.cpp's own server (the engine under LM Studio and Ollama) with a made-up model that
//! says one fixed call in Qwen's notation. It proves the wire, not the wit.

use super::*;
use handsight_base::port::model::Model;
use handsight_model::cassette::{Cassette, Taping};
use handsight_model::{Recorded, Scripted};
use handsight_testkit::chat::Reply;
use std::path::Path;

/// The requests of the real recording, in their order.
fn recorded_requests() -> Vec<ModelRequest> {
    use handsight_base::port::model::ToolCall;
    let say = |role, parts| Message { role, parts, raw: None };
    let turn = ModelRequest {
        system: "You control a computer.".into(),
        messages: vec![say(Role::User, vec![Part::Text("Press OK. Añ€😀".into())])],
        tools: five_tools(),
        native: Vec::new(),
        sampling: Sampling { temperature: Some(0.7), top_p: Some(0.9), max_tokens: Some(200) },
        form: None,
    };
    let mut without_tools = turn.clone();
    without_tools.tools = vec![];
    let mut cut_off = turn.clone();
    cut_off.sampling.max_tokens = Some(1);
    let mut second_turn = turn.clone();
    let call =
        ToolCall { id: "call_1".into(), name: "observe".into(), arguments: r#"{"reason":"look"}"#.into() };
    second_turn.messages.push(say(Role::Assistant, vec![Part::Call(call)]));
    let result = Part::Result {
        call_id: "call_1".into(),
        text: "nothing new".into(),
        picture: None,
        is_error: false,
        acknowledged: Vec::new(),
    };
    second_turn.messages.push(say(Role::User, vec![result]));
    vec![turn, without_tools, cut_off, second_turn]
}

fn recording() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cassettes/llamacpp.jsonl")
}

/// Records anew: `HANDSIGHT_RECORD=http://127.0.0.1:PORT/v1 cargo test -p handsight-model -- --ignored record_a_real_server`.
#[tokio::test]
#[ignore = "records anew, from a running llama.cpp server"]
#[expect(clippy::disallowed_methods, reason = "the one test that is pointed at a server from outside")]
async fn record_a_real_server() {
    let url = std::env::var("HANDSIGHT_RECORD").unwrap();
    let mut providers = Providers::builtin().unwrap();
    let text = "about = \"llama.cpp\"\nwire = \"chat\"\ndialect = \"tools\"\n";
    providers.add("llamacpp.toml", text).unwrap();
    let model = Remote::new(Setup {
        provider: providers.get("llamacpp").unwrap(),
        model: "tiny",
        base_url: Some(&url),
        key: None,
        deadlines: Deadlines::default(),
        proxy: None,
        clock: Arc::new(RealClock::new()),
    })
    .unwrap();
    println!("{:?}", model.list_models(&Stop::new()).await.unwrap());
    let refused = ask(&model, &small()).await.unwrap_err();
    println!("a picture for a model without eyes: {refused}");
    let taping = Taping::new(Arc::new(model));
    for request in recorded_requests() {
        let reply = taping.ask(&request, &Stop::new()).await.unwrap();
        println!("{:?} {:?} {:?}", reply.finish, reply.calls, reply.usage);
    }
    std::fs::write(recording(), taping.cassette().write()).unwrap();
}

#[tokio::test]
async fn what_a_real_server_sent_is_understood() {
    let text = std::fs::read_to_string(recording()).unwrap();
    let played = Recorded::new("llamacpp", Box::new(Cassette::read(&text).unwrap()));
    let mut became = Vec::new();
    let mut replies = Vec::new();
    for request in recorded_requests() {
        let reply = played.ask(&request, &Stop::new()).await.unwrap();
        replies.push(reply.clone());
        became.push(outcome(Ok(reply)));
    }
    assert_eq!(played.first_difference(), None, "what is sent now is what that server took");
    // Cut at its limit, the call came all the same, with half its arguments.
    let (good, no_call, cut) =
        (|| Ok("click".to_owned()), Err("NoCall".to_owned()), Err("BadJson".to_owned()));
    assert_eq!(became, [good(), no_call, cut, good()]);
    assert_eq!(replies[0].calls[0].arguments, r#"{"x": 500, "y": 300.5, "reason": "press OK Añ€😀"}"#);
    assert_eq!(replies[2].calls[0].arguments, r#"{"x": 500, "y": 300.5, "reason": "press OK"#);
    assert!(!replies[0].calls[0].id.is_empty());
    // Without tools the same words come as prose, which is what a call told as prose really looks like.
    assert!(replies[1].text.starts_with("<tool_call>"), "{}", replies[1].text);
    let ends: Vec<Option<&str>> = replies.iter().map(|r| r.finish.as_deref()).collect();
    assert_eq!(ends, [Some("tool_calls"), Some("stop"), Some("length"), Some("tool_calls")]);
    assert!(replies.iter().all(|r| r.usage.input_tokens > Some(0) && r.usage.cached_tokens.is_some()));
}

#[tokio::test]
async fn what_was_taped_plays_again_without_a_server() {
    let asked: Vec<ModelRequest> = (0..3).map(|i| turn(png(Size::new(4, 4), [i; 3]))).collect();
    let taped = {
        let server = Server::scripted([
            Reply::call("observe", json!({"reason": "look"})),
            Reply::text("hm"),
            Reply::call("done", json!({"reason": "so"})),
        ]);
        let taping = Taping::new(Arc::new(remote(&server)));
        for request in &asked {
            taping.ask(request, &Stop::new()).await.unwrap();
        }
        taping.cassette().write()
    };
    assert!(taped.contains("base64,frame:") && !taped.contains("iVBOR"), "a cassette shows nobody's screen");
    let played = Recorded::new("tape", Box::new(Cassette::read(&taped).unwrap()));
    let mut tools = Vec::new();
    for request in &asked {
        tools.push(outcome(played.ask(request, &Stop::new()).await));
    }
    assert_eq!(tools, [Ok("observe".to_owned()), Err("NoCall".to_owned()), Ok("done".to_owned())]);
    assert_eq!(played.first_difference(), None);
    assert!(Cassette::read("{\"request\": 1}").unwrap_err().contains("line 1"));
}

#[tokio::test]
async fn a_scripted_run_can_be_played_from_its_exchanges() {
    let script =
        "{\"call\": \"click\", \"args\": {\"x\": 1, \"y\": 2, \"reason\": \"r\"}}\n{\"text\": \"no\"}";
    let scripted = Scripted::read("s", script, Arc::new(RealClock::new())).unwrap();
    let request = small();
    let mut kept = Vec::new();
    for _ in 0..2 {
        kept.push(scripted.ask(&request, &Stop::new()).await.unwrap().exchange);
    }
    let played = Recorded::new("r", Box::new(kept));
    assert_eq!(outcome(played.ask(&request, &Stop::new()).await), Ok("click".into()));
    assert_eq!(outcome(played.ask(&request, &Stop::new()).await), Err("NoCall".into()));
    assert_eq!(played.first_difference(), None);
}
