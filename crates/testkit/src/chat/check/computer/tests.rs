use super::super::{Api, body};
use super::headers;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// The smallest PNG this kit can make: one red pixel.
fn png() -> String {
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 1, 1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().and_then(|mut w| w.write_image_data(&[255, 0, 0])).unwrap();
    STANDARD.encode(png)
}

fn image() -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png()}})
}

fn toolset() -> Value {
    let call = |id: &str, name: &str| json!({"type": "tool_use", "id": id, "name": name, "toolset_name": "computer", "input": {}});
    let result = |id: &str, content: Value| json!({"type": "tool_result", "tool_use_id": id, "toolset_name": "computer", "content": content});
    let mut failed = result("b", json!([{"type": "text", "text": "the display is locked"}]));
    failed["is_error"] = true.into();
    let mut halted = result("c", json!(super::HALTED));
    halted["is_error"] = true.into();
    json!({
        "model": "m", "max_tokens": 100,
        "tools": [{"type": "computer_toolset_20260801", "configs": {"zoom": {"enabled": false}}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "t"}, image()]},
            {"role": "assistant", "content": [call("a", "left_click"), call("b", "type"), call("c", "screenshot")]},
            {"role": "user", "content": [result("a", json!([{"type": "text", "text": "OK"}, image()])), failed, halted]},
        ],
    })
}

fn older() -> Value {
    let call = json!({"type": "tool_use", "id": "a", "name": "computer", "input": {"action": "screenshot"}});
    json!({
        "model": "m", "max_tokens": 100,
        "tools": [{"type": "computer_20251124", "name": "computer", "display_width_px": 1, "display_height_px": 1,
            "enable_zoom": true}],
        "messages": [
            {"role": "user", "content": "t"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [image()]}]},
        ],
    })
}

fn responses(preview: bool) -> Value {
    let tool = if preview {
        json!({"type": "computer_use_preview", "display_width": 1, "display_height": 1, "environment": "linux"})
    } else {
        json!({"type": "computer"})
    };
    let mut call = json!({"type": "computer_call", "id": "cu_1", "call_id": "c", "status": "completed",
        "pending_safety_checks": [{"id": "s", "code": "x", "message": "y"}]});
    let mut output =
        json!({"type": "computer_screenshot", "image_url": format!("data:image/png;base64,{}", png())});
    let mut request = json!({"model": "m", "store": false, "tools": [tool]});
    if preview {
        call["action"] = json!({"type": "screenshot"});
        request["truncation"] = "auto".into();
    } else {
        call["actions"] = json!([{"type": "screenshot"}]);
        output["detail"] = "original".into();
    }
    request["input"] = json!([
        {"role": "user", "content": [{"type": "input_text", "text": "t"}]},
        call,
        {"type": "computer_call_output", "call_id": "c", "output": output, "acknowledged_safety_checks": [{"id": "s"}]},
    ]);
    request
}

fn gemini() -> Value {
    let args = json!({"x": 1, "y": 1, "safety_decision": {"decision": "require_confirmation"}});
    json!({
        "tools": [
            {"computerUse": {"environment": "ENVIRONMENT_DESKTOP", "excludedPredefinedFunctions": ["key_down"]}},
            {"functionDeclarations": [{"name": "done", "description": "d"}]},
        ],
        "contents": [
            {"role": "user", "parts": [{"text": "t"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "click", "args": args}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "click",
                "response": {"url": "about:blank", "safety_acknowledgement": "true"},
                "parts": [{"inlineData": {"mimeType": "image/png", "data": png()}}]}}]},
        ],
    })
}

fn complaints(api: Api, json: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    body(api, "gemini-2.5", json.to_string().as_bytes(), None, &mut wrong);
    wrong
}

/// Puts a value at a place; `null` takes away what is there.
fn put(json: &mut Value, place: &str, value: Value) {
    let (parent, key) = place.rsplit_once('/').unwrap();
    match json.pointer_mut(parent).unwrap_or_else(|| panic!("no {place}")) {
        Value::Array(list) if key == "-" => list.push(value),
        Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
        Value::Object(map) if value.is_null() => drop(map.remove(key)),
        map => map[key] = value,
    }
}

/// Without this every test that leans on the server would pass for any request.
#[test]
#[rustfmt::skip]
fn each_fault_is_found() {
    let cases: Vec<(Api, Value, &str, Value, &str)> = vec![
        (Api::Messages, toolset(), "/tools/0/name", json!("computer"), "name: Extra inputs are not permitted"),
        (Api::Messages, toolset(), "/tools/0/display_width_px", json!(1), "display_width_px: Extra inputs"),
        (Api::Messages, toolset(), "/tools/0/enable_zoom", json!(true), "enable_zoom: Extra inputs"),
        (Api::Messages, toolset(), "/tools/0/strict", json!(true), "unknown key"),
        (Api::Messages, toolset(), "/tools/0/allowed_callers", json!(["code_execution_20260120"]), "allowed_callers"),
        (Api::Messages, toolset(), "/tools/0/configs/swipe", json!({}), "no member"),
        (Api::Messages, toolset(), "/tools/0/configs/key", json!({"strict": true}), "unknown key"),
        (Api::Messages, toolset(), "/tools/-", json!({"type": "computer_toolset_20260801"}), "several of the name"),
        (Api::Messages, toolset(), "/messages/2/content/0/toolset_name", Value::Null, "toolset_name None"),
        (Api::Messages, toolset(), "/messages/2/content/0/toolset_name", json!("browser"), "toolset_name"),
        (Api::Messages, toolset(), "/messages/1/content/0/toolset_name", Value::Null, "toolset_name"),
        (Api::Messages, toolset(), "/messages/2/content/2/content", json!("Skipped."), "after an action of the same turn"),
        (Api::Messages, toolset(), "/messages/2/content/2/is_error", Value::Null, "after an action of the same turn"),
        (Api::Messages, toolset(), "/messages/2/content/0/is_error", json!(true), "all content must be type"),
        (Api::Messages, older(), "/tools/0/name", json!("pc"), "should be 'computer'"),
        (Api::Messages, older(), "/tools/0/display_height_px", Value::Null, "has no \"display_height_px\""),
        (Api::Messages, older(), "/tools/0/display_width_px", json!(0), "a display of"),
        (Api::Messages, older(), "/tools/0/display_width_px", json!(1024), "no picture is 1024x1"),
        (Api::Messages, older(), "/tools/0/type", json!("computer_20250124"), "unknown key \"enable_zoom\""),
        (Api::Messages, older(), "/tools/0/type", json!("computer_20990101"), "has no \"input_schema\""),
        (Api::Responses, responses(false), "/tools/0/display_width", json!(1), "unknown key"),
        (Api::Responses, responses(false), "/input/2/output/detail", json!("low"), "of the detail"),
        (Api::Responses, responses(false), "/input/1/action", json!({"type": "wait"}), "action or actions"),
        (Api::Responses, responses(false), "/input/1/actions", Value::Null, "action or actions"),
        (Api::Responses, responses(false), "/input/2/acknowledged_safety_checks", Value::Null, "not acknowledged"),
        (Api::Responses, responses(false), "/tools/-", json!({"type": "computer"}), "several computers"),
        (Api::Responses, responses(true), "/truncation", Value::Null, "truncation: auto"),
        (Api::Responses, responses(true), "/tools/0/environment", json!("plan9"), "the environment"),
        (Api::Responses, responses(true), "/tools/0/display_height", Value::Null, "has no \"display_height\""),
        (Api::Responses, responses(true), "/tools/0/display_height", json!(2), "no picture is 1x2"),
        (Api::Responses, responses(true), "/input/2/output/detail", json!("original"), "of the detail"),
        (Api::Gemini, gemini(), "/tools/0/computerUse/environment", json!("DESKTOP"), "the environment"),
        (Api::Gemini, gemini(), "/tools/0/computerUse/environment", Value::Null, "has no \"environment\""),
        (Api::Gemini, gemini(), "/tools/0/computerUse/excludedPredefinedFunctions/0", json!("fly"), "not predefined"),
        (Api::Gemini, gemini(), "/tools/1/functionDeclarations/0/name", json!("click"), "is predefined"),
        (Api::Gemini, gemini(), "/contents/2/parts/0/functionResponse/response/url", Value::Null, "has no url"),
        (Api::Gemini, gemini(), "/contents/2/parts/0/functionResponse/parts", Value::Null, "has no picture"),
        (Api::Gemini, gemini(), "/contents/2/parts/0/functionResponse/response/safety_acknowledgement", Value::Null, "acknowledges nothing"),
    ];
    for (api, good, place, value, what) in cases {
        assert_eq!(complaints(api, &good), [""; 0], "the sound request");
        let mut broken = good;
        put(&mut broken, place, value);
        let found = complaints(api, &broken);
        assert!(found.iter().any(|w| w.contains(what)), "{place}: {what:?} is not in {found:?}");
    }
}

#[test]
fn an_older_tool_needs_its_header_and_the_toolset_none() {
    let found = |request: &Value, betas: &[&str]| {
        let headers: Vec<(String, String)> =
            betas.iter().map(|b| ("anthropic-beta".to_owned(), (*b).to_owned())).collect();
        let mut wrong = Vec::new();
        self::headers(request, &headers, &mut wrong);
        wrong.len()
    };
    assert_eq!(found(&older(), &[]), 1);
    assert_eq!(found(&older(), &["computer-use-2025-01-24"]), 1);
    assert_eq!(found(&older(), &["a", "computer-use-2025-11-24,b"]), 0);
    assert_eq!(found(&toolset(), &[]), 0);
    assert_eq!(found(&toolset(), &["fine-grained-tool-streaming-2025-05-14"]), 1);
}
