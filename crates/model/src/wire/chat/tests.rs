use super::*;
use handsight_base::flow::prompt::{Sampling, ToolSpec};
use handsight_base::port::model::RawTurn;
use handsight_base::space::{FrameId, FrameRect, PictureGeometry, Size};
use serde_json::{Value, json};

fn picture(bytes: &[u8]) -> Picture {
    let size = Size::new(2, 2);
    let geometry = PictureGeometry { frame: FrameId(1), pane: FrameRect::new(0, 0, 2, 2), size };
    Picture { bytes: bytes.into(), media_type: "image/png", geometry }
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: format!("does {name}"),
        parameters: json!({"type": "object", "properties": {}, "required": []}),
    }
}

fn turn() -> ModelRequest {
    ModelRequest {
        system: "You see \"a\" screen\n".into(),
        messages: vec![Message {
            role: Role::User,
            parts: vec![Part::Picture(picture(b"\x89PNG"))],
            raw: None,
        }],
        tools: vec![tool("observe"), tool("click")],
        native: Vec::new(),
        sampling: Sampling { temperature: Some(0.7), top_p: Some(0.9), max_tokens: Some(2000) },
        form: None,
    }
}

fn body(request: &ModelRequest, options: &WireOptions<'_>) -> Value {
    serde_json::from_slice(&encode(request, options)).unwrap()
}

#[test]
fn a_turn_is_written_in_a_fixed_order() {
    let text = String::from_utf8(encode(&turn(), &WireOptions::new("m"))).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"model":"m","messages":[{"role":"system","content":"You see \"a\" screen\n"},"#,
            r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw=="}}]}],"#,
            r#""tools":[{"type":"function","function":{"name":"observe","description":"does observe","#,
            r#""parameters":{"type":"object","properties":{},"required":[]}}},"#,
            r#"{"type":"function","function":{"name":"click","description":"does click","#,
            r#""parameters":{"type":"object","properties":{},"required":[]}}}],"#,
            r#""temperature":0.7,"top_p":0.9,"max_tokens":2000}"#
        )
    );
}

#[test]
fn a_provider_may_want_it_otherwise() {
    let options = WireOptions {
        max_tokens_field: MaxTokensField::MaxCompletionTokens,
        tool_choice: Some(ToolChoice::Required),
        fixed_sampling: true,
        ..WireOptions::new("m")
    };
    let body = body(&turn(), &options);
    assert_eq!(body["max_completion_tokens"], 2000);
    assert_eq!(body["tool_choice"], "required");
    for gone in ["temperature", "top_p", "max_tokens"] {
        assert!(body.get(gone).is_none(), "{gone}");
    }
    let none = ModelRequest { tools: vec![], system: String::new(), ..turn() };
    let body = self::body(&none, &options);
    assert!(body.get("tools").is_none() && body.get("tool_choice").is_none());
    assert_eq!(body["messages"].as_array().unwrap().len(), 1);
}

#[test]
fn a_conversation_keeps_calls_and_results_together() {
    let call = |id: &str| {
        Part::Call(ToolCall { id: id.into(), name: "click".into(), arguments: "{\"x\":1}".into() })
    };
    let result = |id: &str, picture, is_error| Part::Result {
        call_id: id.into(),
        text: "done".into(),
        picture,
        is_error,
        acknowledged: Vec::new(),
    };
    let raw = json!({"role": "assistant", "content": "hm", "refusal": null, "reasoning": "r", "other": 1,
        "tool_calls": []});
    let replayed = json!({"role": "assistant", "content": "hm", "reasoning": "r"});
    let replay = ["reasoning".to_owned()];
    let request = ModelRequest {
        messages: vec![
            Message { role: Role::User, parts: vec![Part::Text("hello".into())], raw: None },
            Message {
                role: Role::Assistant,
                parts: vec![Part::Text("hm".into()), call("a"), call("b")],
                raw: None,
            },
            Message {
                role: Role::User,
                parts: vec![
                    result("a", Some(picture(b"x")), false),
                    result("b", None, true),
                    Part::Text("go on".into()),
                ],
                raw: None,
            },
            Message {
                role: Role::Assistant,
                parts: vec![Part::Text("kept in raw".into())],
                raw: Some(RawTurn { provider: String::new(), wire: "chat".into(), json: raw.clone() }),
            },
            Message { role: Role::Assistant, parts: vec![call("c")], raw: None },
        ],
        ..ModelRequest::default()
    };
    let body = body(&request, &WireOptions { replay: &replay, ..WireOptions::new("m") });
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": "hm", "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "click", "arguments": "{\"x\":1}"}},
                {"id": "b", "type": "function", "function": {"name": "click", "arguments": "{\"x\":1}"}},
            ]},
            {"role": "tool", "tool_call_id": "a", "content": "done"},
            {"role": "tool", "tool_call_id": "b", "content": "error: done"},
            {"role": "user", "content": [
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,eA=="}},
                {"type": "text", "text": "go on"},
            ]},
            replayed,
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "click", "arguments": "{\"x\":1}"}},
            ]},
        ])
    );
}

#[test]
fn a_big_picture_is_written_once_into_a_buffer_that_does_not_grow() {
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|i| (i * 7) as u8).collect();
    let mut request = turn();
    request.messages[0].parts = vec![Part::Picture(picture(&bytes))];
    let capacity = size_of_body(&request);
    let body = encode(&request, &WireOptions::new("m"));
    assert!(body.len() <= capacity && body.capacity() == capacity, "{} {capacity}", body.capacity());
}

fn read(body: &str) -> Result<handsight_base::port::model::ModelReply, String> {
    (WIRE.decode)(body.as_bytes())
}

#[test]
fn a_reply_is_read_with_its_calls_and_usage() {
    let reply = read(
        r#"{"id":"x","object":"chat.completion","model":"qwen","choices":[{"index":0,"finish_reason":"tool_calls",
        "logprobs":null,"message":{"role":"assistant","content":"thinking","tool_calls":[
        {"id":"1","type":"function","function":{"name":"click","arguments":"{\"x\": 1, \"x\": 2}"}},
        {"id":"2","type":"function","function":{"name":"done","arguments":{"reason":  "o"}}},
        {"function":{}}]}}],
        "usage":{"prompt_tokens":1200,"completion_tokens":34,"total_tokens":1234,"prompt_tokens_details":{"cached_tokens":1000}}}"#,
    )
    .unwrap();
    assert_eq!(reply.text, "thinking");
    let calls: Vec<(&str, &str, &str)> =
        reply.calls.iter().map(|c| (c.id.as_str(), c.name.as_str(), c.arguments.as_str())).collect();
    // The model's own text, byte for byte: nothing is parsed and written again on the way.
    let want = [("1", "click", r#"{"x": 1, "x": 2}"#), ("2", "done", r#"{"reason":  "o"}"#), ("", "", "")];
    assert_eq!(calls, want);
    assert_eq!((reply.finish.as_deref(), reply.model.as_deref()), (Some("tool_calls"), Some("qwen")));
    let u = reply.usage;
    assert_eq!((u.input_tokens, u.output_tokens, u.cached_tokens), (Some(1200), Some(34), Some(1000)));
}

#[test]
fn odd_but_harmless_forms_are_taken() {
    let with = |message: &str| {
        read(&format!(r#"{{"choices":[{{"message":{message}}}],"usage":{{"prompt_tokens":"12"}}}}"#))
    };
    assert_eq!(
        with(r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#).unwrap().text,
        "ab"
    );
    assert_eq!(with(r#"{"content":"","refusal":"I will not"}"#).unwrap().text, "I will not");
    let bare = with(r#"{"tool_calls":null}"#).unwrap();
    assert!(bare.text.is_empty() && bare.calls.is_empty() && bare.usage.input_tokens.is_none());
}

#[test]
fn what_is_no_reply_is_said_to_be_none() {
    let deep = format!(r#"{{"error":{}1{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    for (body, why) in [
        ("", "empty"),
        (" \n", "empty"),
        ("<html><body>502</body></html>", "no chat completion"),
        (r#"{"choices":[{"message":{"content":"a"#, "no chat completion"),
        ("[]", "the reply is no object"),
        ("[[{}],null,null,null]", "the reply is no object"),
        ("{}", "no choice"),
        (r#"{"choices":[]}"#, "no choice"),
        (r#"{"choices":[{}]}"#, "no message"),
        (r#"{"choices":{"0":1}}"#, "cannot be read"),
        (r#"{"choices":[["a"]]}"#, "its first choice is no object"),
        (r#"{"choices":[{"message":["a"]}]}"#, "its message is no object"),
        (r#"{"choices":[{"message":{"content":42}}]}"#, "neither text nor parts"),
        (r#"{"choices":[{"message":{"tool_calls":[{}]}}]}"#, "no function"),
        (r#"{"choices":[{"message":{"tool_calls":{"name":"click"}}}]}"#, "cannot be read"),
        (r#"{"choices":[{"message":{"tool_calls":["click"]}}]}"#, "a tool call is no object"),
        (r#"{"choices":[{"message":{"tool_calls":[{"function":["click","{}"]}]}}]}"#, "is no object"),
        (r#"{"choices":[{"message":{"content":"a","content":"b"}}]}"#, "duplicate field"),
        (r#"{"choices":[{"message":{"content":"\ud800"}}]}"#, "cannot be read"),
        (r#"{"error":{"message":"Model not loaded"}}"#, "Model not loaded"),
        (r#"{"error":"oops","choices":[]}"#, "oops"),
        (&deep, "recursion limit"),
    ] {
        let e = read(body).unwrap_err();
        assert!(e.contains(why), "{e}");
    }
    assert!((WIRE.decode)(b"{\"choices\":[{\"message\":{\"content\":\"\xff\"}}]}").is_err());
}
