use super::super::tests::{heard, picture};
use super::*;
use handsight_base::port::model::{ModelReply, ToolCall};
use serde_json::json;

fn body(request: &ModelRequest) -> Value {
    let options = WireOptions { pictures_in_results: true, ..WireOptions::new("m") };
    serde_json::from_slice(&WIRE.body(request, &options)).unwrap()
}

fn read(body: &Value) -> Result<ModelReply, String> {
    (WIRE.decode)(body.to_string().as_bytes())
}

/// The shape of openai-python's `ResponseComputerToolCall` and of the guide to computer use
/// (https://platform.openai.com/docs/guides/tools-computer-use), the values ours.
fn clicked() -> ModelReply {
    read(&json!({
        "id": "resp_1", "object": "response", "status": "completed", "error": null, "model": "computer-test",
        "output": [
            {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "ZW5j"},
            {"id": "rs_2", "type": "reasoning", "summary": []},
            {"id": "cu_1", "type": "computer_call", "call_id": "call_1", "status": "completed",
             "action": {"type": "click", "button": "left", "x": 135, "y": 193},
             "pending_safety_checks": [
                {"id": "cu_sc_1", "code": "malicious_instructions", "message": "The screen may give orders."}]},
        ],
        "usage": {"input_tokens": 150, "input_tokens_details": {"cached_tokens": 20}, "output_tokens": 12,
            "output_tokens_details": {"reasoning_tokens": 8}, "total_tokens": 162},
    }))
    .unwrap()
}

#[test]
fn a_call_of_the_computer_brings_its_questions() {
    let reply = clicked();
    let call = &reply.calls[0];
    assert_eq!((call.id.as_str(), call.name.as_str()), ("call_1", "computer"));
    let action: Value = serde_json::from_str(&call.arguments).unwrap();
    assert_eq!(action["action"]["x"], 135);
    let [check] = reply.checks.as_slice() else { panic!("{:?}", reply.checks) };
    assert_eq!((check.call_id.as_str(), check.code.as_str()), ("call_1", "malicious_instructions"));
    assert_eq!((reply.usage.input_tokens, reply.usage.cached_tokens), (Some(150), Some(20)));
}

fn answered(shot: bool, agreed: bool) -> Value {
    let reply = clicked();
    let result = Part::Result {
        call_id: "call_1".into(),
        text: "done".into(),
        picture: shot.then(|| picture(b"x")),
        is_error: false,
        acknowledged: if agreed { reply.checks.clone() } else { Vec::new() },
    };
    let parts = reply.calls.iter().cloned().map(Part::Call).collect();
    let messages = vec![
        heard(vec![Part::Text("click it".into())]),
        Message { role: Role::Assistant, parts, raw: reply.raw },
        heard(vec![result]),
    ];
    body(&ModelRequest { messages, ..ModelRequest::default() })["input"].clone()
}

#[test]
fn a_check_is_acknowledged_by_a_person_or_not_at_all() {
    let sent = answered(true, true);
    let kinds: Vec<&str> = sent.as_array().unwrap().iter().filter_map(|i| i["type"].as_str()).collect();
    assert_eq!(kinds, ["reasoning", "computer_call", "computer_call_output"]);
    assert_eq!(sent[3]["acknowledged_safety_checks"][0]["id"], "cu_sc_1");
    assert_eq!(sent[3]["output"]["type"], "computer_screenshot");
    for (shot, agreed) in [(true, false), (false, true), (false, false)] {
        let sent = answered(shot, agreed);
        assert!(!sent.to_string().contains("acknowledged_safety_checks"), "{sent}");
        let kinds: Vec<&str> = sent.as_array().unwrap().iter().filter_map(|i| i["type"].as_str()).collect();
        assert_eq!(
            kinds,
            ["function_call", "function_call_output"],
            "the neutral form, which no check holds up"
        );
    }
}

#[test]
fn nothing_is_stored_and_what_ended_early_says_so() {
    let request =
        ModelRequest { messages: vec![heard(vec![Part::Text("a".into())])], ..ModelRequest::default() };
    assert_eq!(body(&request)["store"], false);
    let with = |status: &str, reason: &str| {
        read(&json!({"status": status, "incomplete_details": {"reason": reason}, "output": [
            {"type": "function_call", "call_id": "c", "name": "click", "arguments": "{\"x\":", "status": "incomplete"}]}))
    };
    assert_eq!(with("incomplete", "max_output_tokens").unwrap().finish.as_deref(), Some("length"));
    let filtered = with("incomplete", "content_filter").unwrap();
    assert_eq!(filtered.finish.as_deref(), Some("content_filter"));
    assert!(filtered.refusal.is_some());
    for status in ["failed", "in_progress", "queued", "cancelled"] {
        assert!(with(status, "").is_err(), "{status}");
    }
    let refused = read(&json!({"status": "completed", "output": [{"type": "message", "role": "assistant",
        "content": [{"type": "refusal", "refusal": "I will not."}]}]}))
    .unwrap();
    assert_eq!(refused.refusal.unwrap().words, "I will not.");
}

#[test]
fn a_call_keeps_its_own_text() {
    let call = ToolCall { id: "c".into(), name: "click".into(), arguments: "{\"x\":  1.50}".into() };
    let messages = vec![
        heard(vec![Part::Text("a".into())]),
        Message { role: Role::Assistant, parts: vec![Part::Call(call)], raw: None },
    ];
    let sent = body(&ModelRequest { messages, ..ModelRequest::default() });
    assert_eq!(sent["input"][1]["arguments"], "{\"x\":  1.50}");
    assert_eq!(sent["input"][2]["type"], "function_call_output", "a call that was never answered is");
}
