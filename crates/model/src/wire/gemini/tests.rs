use super::super::tests::{heard, picture};
use super::*;
use handsight_base::flow::prompt::ToolSpec;
use handsight_base::port::model::ModelReply;
use serde_json::json;

fn read(body: &Value) -> Result<ModelReply, String> {
    (WIRE.decode)(body.to_string().as_bytes())
}

/// The shape of the guide to function calling (https://ai.google.dev/gemini-api/docs/function-calling) and of the computer use
/// guide's `safety_decision`, the values ours.
fn called(decision: &str) -> ModelReply {
    read(&json!({
        "candidates": [{"content": {"role": "model", "parts": [
            {"text": "Thinking of it", "thought": true},
            {"text": "I click."},
            {"functionCall": {"name": "click", "args": {"x": 10, "y": 20,
                "safety_decision": {"decision": decision, "explanation": "A purchase."}}},
             "thoughtSignature": "c2ln"},
        ]}, "finishReason": "STOP", "index": 0, "safetyRatings": []}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 7, "thoughtsTokenCount": 30,
            "cachedContentTokenCount": 60, "totalTokenCount": 137},
        "modelVersion": "gemini-test",
    }))
    .unwrap()
}

#[test]
fn a_call_may_ask_for_a_person() {
    let reply = called("require_confirmation");
    assert_eq!(reply.text, "I click.");
    assert_eq!(reply.calls[0].arguments, r#"{"x":10,"y":20}"#, "the question is no argument");
    assert_eq!(
        (reply.checks[0].code.as_str(), reply.checks[0].message.as_str()),
        ("require_confirmation", "A purchase.")
    );
    let u = reply.usage;
    assert_eq!((u.input_tokens, u.output_tokens, u.cached_tokens), (Some(100), Some(37), Some(60)));
    assert!(called("regular").checks.is_empty());
    assert_eq!(called("something_new").checks.len(), 1, "what is not known asks");
}

fn answered(agreed: bool, in_results: bool) -> Value {
    let reply = called("require_confirmation");
    let result = Part::Result {
        call_id: String::new(),
        text: "done".into(),
        picture: Some(picture(b"x")),
        is_error: false,
        acknowledged: if agreed { reply.checks.clone() } else { Vec::new() },
    };
    let parts = reply.calls.iter().cloned().map(Part::Call).collect();
    let messages = vec![
        heard(vec![Part::Text("click it".into())]),
        Message { role: Role::Assistant, parts, raw: reply.raw },
        heard(vec![result]),
    ];
    let request = ModelRequest { messages, ..ModelRequest::default() };
    let options = WireOptions { pictures_in_results: in_results, ..WireOptions::new("gemini-3-pro") };
    serde_json::from_slice(&WIRE.body(&request, &options)).unwrap()
}

#[test]
fn a_decision_is_acknowledged_by_a_person_or_not_at_all() {
    let sent = answered(true, true);
    let call = &sent["contents"][1]["parts"];
    assert_eq!(call[2]["thoughtSignature"], "c2ln");
    let response = &sent["contents"][2]["parts"][0]["functionResponse"];
    assert_eq!(response["response"], json!({"result": "done", "safety_acknowledgement": "true"}));
    assert_eq!(response["parts"][0]["inlineData"]["mimeType"], "image/png");
    assert!(response.get("id").is_none(), "a call without an id is answered by its place");
    let sent = answered(false, false);
    assert!(!sent.to_string().contains("safety"), "{sent}");
    assert_eq!(sent["contents"][1]["parts"][0]["thoughtSignature"], NO_SIGNATURE);
    assert_eq!(sent["contents"][2]["parts"][1]["inlineData"]["data"], "eA==");
}

#[test]
fn what_is_blocked_is_refused_with_its_reason() {
    let blocked =
        read(&json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {}})).unwrap();
    assert_eq!(blocked.refusal.unwrap().reason, "PROHIBITED_CONTENT");
    for reason in ["SAFETY", "RECITATION", "SPII", "BLOCKLIST"] {
        let reply = read(&json!({"candidates": [{"finishReason": reason, "finishMessage": "no",
            "content": {"parts": [{"functionCall": {"name": "click", "args": {}}}]}}]}))
        .unwrap();
        assert_eq!(reply.finish.as_deref(), Some("content_filter"));
        assert_eq!(reply.refusal.unwrap().reason, reason);
    }
    let broken = read(
        &json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "cannot parse",
        "content": {"parts": [{"functionCall": {"name": "click", "args": {}}}]}}]}),
    )
    .unwrap();
    assert!(broken.calls.is_empty() && broken.text == "cannot parse");
    assert!(read(&json!({"candidates": [{"content": {"parts": [{"text": "no end"}]}}]})).is_err());
}

#[test]
fn a_schema_is_cut_to_what_is_taken() {
    let schema = json!({
        "$schema": "x", "type": "object", "additionalProperties": false, "required": ["a"],
        "properties": {
            "a": {"type": ["string", "null"], "const": "one", "format": "uri", "examples": ["x"]},
            "b": {"type": "integer", "enum": [1, 2], "format": "int32", "minimum": 0},
            "c": {"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}},
            "d": {"oneOf": [{"type": "string"}, {"type": "boolean"}]},
        },
    });
    assert_eq!(
        schema::subset(&schema).unwrap(),
        json!({
            "type": "OBJECT", "required": ["a"],
            "properties": {
                "a": {"type": "STRING", "enum": ["one"], "nullable": true},
                "b": {"type": "INTEGER", "format": "int32", "minimum": 0},
                "c": {"type": "ARRAY", "items": {"type": "NUMBER"}},
                "d": {"anyOf": [{"type": "STRING"}, {"type": "BOOLEAN"}]},
            },
        })
    );
    let tool = ToolSpec {
        name: "observe".into(),
        description: "looks".into(),
        parameters: json!({"type": "object", "properties": {}}),
    };
    let request = ModelRequest {
        messages: vec![heard(vec![Part::Text("a".into())])],
        tools: vec![tool],
        ..ModelRequest::default()
    };
    let sent: Value = serde_json::from_slice(&WIRE.body(&request, &WireOptions::new("m"))).unwrap();
    assert!(sent["tools"][0]["functionDeclarations"][0].get("parameters").is_none());
    assert_eq!((WIRE.path)("models/gemini-2.5-pro", false), "models/gemini-2.5-pro:generateContent");
}
