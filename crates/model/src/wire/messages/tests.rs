use super::super::tests::{heard, picture};
use super::*;
use handsight_base::flow::prompt::{Sampling, ToolSpec};
use handsight_base::port::model::{ModelReply, RawTurn, ToolCall};
use serde_json::json;

fn body(request: &ModelRequest, options: &WireOptions<'_>) -> Value {
    serde_json::from_slice(&WIRE.body(request, options)).unwrap()
}

fn turn() -> ModelRequest {
    ModelRequest {
        system: "You see a screen".into(),
        messages: vec![heard(vec![Part::Picture(picture(b"\x89PNG"))])],
        tools: vec![ToolSpec {
            name: "observe".into(),
            description: "looks".into(),
            parameters: json!({"type": "object", "properties": {}}),
        }],
        native: Vec::new(),
        sampling: Sampling { temperature: Some(1.5), top_p: Some(0.9), max_tokens: Some(2000) },
        form: None,
    }
}

#[test]
fn a_turn_is_written_in_a_fixed_order() {
    let options = WireOptions { tool_choice: Some(ToolChoice::Required), ..WireOptions::new("m") };
    let text = String::from_utf8(WIRE.body(&turn(), &options)).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"model":"m","max_tokens":2000,"#,
            r#""system":[{"type":"text","text":"You see a screen","cache_control":{"type":"ephemeral"}}],"#,
            r#""messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","#,
            r#""media_type":"image/png","data":"iVBORw=="}}]}],"#,
            r#""tools":[{"name":"observe","description":"looks","input_schema":{"type":"object","properties":{}},"#,
            r#""cache_control":{"type":"ephemeral"}}],"tool_choice":{"type":"any"},"temperature":1.0}"#
        )
    );
}

/// The shape of the documentation's example of extended thinking with tools
/// (https://platform.claude.com/docs/en/build-with-claude/extended-thinking), the values ours.
fn thought() -> ModelReply {
    let body = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test",
        "content": [
            {"type": "thinking", "thinking": "A button.", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "cmVk"},
            {"type": "text", "text": ""},
            {"type": "text", "text": "I click it."},
            {"type": "tool_use", "id": "toolu_1", "name": "click", "input": {"x": 1.50, "y": 2}},
        ],
        "stop_reason": "tool_use", "stop_sequence": null,
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 3000,
            "cache_creation": {"ephemeral_5m_input_tokens": 3000}, "output_tokens": 40, "service_tier": "standard"},
    });
    (WIRE.decode)(body.to_string().as_bytes()).unwrap()
}

#[test]
fn a_reply_is_read_with_all_that_its_input_cost() {
    let reply = thought();
    assert_eq!(reply.text, "I click it.");
    assert_eq!(reply.calls[0].arguments, r#"{"x":1.5,"y":2}"#);
    assert_eq!(reply.finish.as_deref(), Some("tool_calls"));
    let u = reply.usage;
    assert_eq!((u.input_tokens, u.output_tokens), (Some(3210), Some(40)));
    assert_eq!((u.cached_tokens, u.cache_write_tokens), (Some(200), Some(3000)));
}

fn result(id: &str) -> Part {
    Part::Result {
        call_id: id.into(),
        text: String::new(),
        picture: Some(picture(b"x")),
        is_error: true,
        acknowledged: Vec::new(),
    }
}

fn conversation(raw: Option<RawTurn>) -> ModelRequest {
    let call =
        ToolCall { id: "toolu_1".into(), name: "click".into(), arguments: r#"{"x":1.5,"y":2}"#.into() };
    let parts = vec![Part::Text("I click it.".into()), Part::Call(call)];
    let mut request = turn();
    request.messages.push(Message { role: Role::Assistant, parts, raw });
    request.messages.push(heard(vec![Part::Text("And now?".into()), result("toolu_1")]));
    request
}

#[test]
fn thinking_goes_back_as_it_came_and_only_where_it_came_from() {
    let raw = thought().raw;
    let options = WireOptions {
        pictures_in_results: true,
        thinking: Some(Thinking::Budget(100)),
        ..WireOptions::new("m")
    };
    let sent = body(&conversation(raw.clone()), &options);
    let content = sent["messages"][1]["content"].as_array().unwrap();
    assert_eq!(content[0], json!({"type": "thinking", "thinking": "A button.", "signature": "c2ln"}));
    assert_eq!(content[1], json!({"type": "redacted_thinking", "data": "cmVk"}));
    assert_eq!(content.len(), 4, "an empty text is refused on its way back");
    assert_eq!(sent["thinking"], json!({"type": "enabled", "budget_tokens": 1024}));
    assert_eq!(sent["max_tokens"], 3024, "thinking takes nothing from the words");
    assert!(sent.get("temperature").is_none());
    let other = WireOptions { provider: "another", ..options };
    let sent = body(&conversation(raw), &other);
    assert_eq!(sent["messages"][1]["content"][0]["type"], "text");
    assert!(sent.get("thinking").is_none(), "a call without its thinking cannot be answered with a budget");
}

#[test]
fn results_come_first_and_four_blocks_are_marked() {
    let options = WireOptions { pictures_in_results: true, ..WireOptions::new("m") };
    let sent = body(&conversation(None), &options);
    let marked = sent.to_string().matches("cache_control").count();
    assert_eq!(marked, 4);
    let last = sent["messages"][2]["content"].as_array().unwrap();
    assert_eq!(last[0]["type"], "tool_result");
    assert_eq!((&last[0]["is_error"], last[0].get("content")), (&json!(true), None));
    assert_eq!(last[1]["type"], "image", "an error holds words only, so its picture follows");
    assert_eq!(last[2]["cache_control"]["type"], "ephemeral");
    let bare = body(&conversation(None), &WireOptions { caching: false, ..WireOptions::new("m") });
    assert!(!bare.to_string().contains("cache_control"));
    let kinds: Vec<&Value> =
        bare["messages"][2]["content"].as_array().unwrap().iter().map(|b| &b["type"]).collect();
    assert_eq!(kinds, ["tool_result", "image", "text"], "a picture that may not stand inside follows");
}

/// Shape: anthropic-sdk-python, `RefusalStopDetails`.
#[test]
fn a_refusal_is_one() {
    let body = json!({"type": "message", "role": "assistant", "content": [], "stop_reason": "refusal",
        "stop_details": {"type": "refusal", "category": "cyber", "explanation": "Not this."}, "usage": {}});
    let reply = (WIRE.decode)(body.to_string().as_bytes()).unwrap();
    let refusal = reply.refusal.unwrap();
    assert_eq!((refusal.reason.as_str(), refusal.words.as_str()), ("cyber", "Not this."));
    assert_eq!(reply.finish.as_deref(), Some("content_filter"));
}
