use super::*;
use serde_json::json;

/// The smallest PNG this kit can make: one red pixel.
fn url() -> String {
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 1, 1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().and_then(|mut w| w.write_image_data(&[255, 0, 0])).unwrap();
    format!("data:image/png;base64,{}", STANDARD.encode(png))
}

fn good() -> Value {
    json!({
        "model": "m",
        "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": [{"type": "text", "text": "t"}, {"type": "image_url", "image_url": {"url": url()}}]},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "click", "arguments": "{}"}},
                {"id": "b", "type": "function", "function": {"name": "click", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "b", "content": "ok"},
            {"role": "tool", "tool_call_id": "a", "content": "ok"},
            {"role": "user", "content": "go on"},
        ],
        "tools": [{"type": "function", "function": {"name": "click", "description": "d", "parameters":
            {"type": "object", "properties": {"path": {"type": "array", "items": {"type": "number"}}}, "required": ["path"]}}}],
        "temperature": 0.7, "top_p": 0.9, "max_tokens": 2000,
    })
}

fn complaints(json: &Value, size: Option<(u32, u32)>) -> Vec<String> {
    let mut wrong = Vec::new();
    body(Api::Chat, "", json.to_string().as_bytes(), size, &mut wrong);
    wrong
}

#[test]
fn a_good_request_is_taken_and_its_picture_decoded() {
    let mut wrong = Vec::new();
    let (_, pictures) = body(Api::Chat, "", good().to_string().as_bytes(), Some((1, 1)), &mut wrong);
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!((pictures.len(), pictures[0].width, pictures[0].height), (1, 1, 1));
}

/// Without this every test that leans on the server would pass for any request.
#[test]
fn each_fault_is_found() {
    let faults: [(&str, Value, &str); 36] = [
        ("/model", json!(""), "no model"),
        ("/model", json!(null), "no model"),
        ("/messages", json!([]), "no messages"),
        ("/temperature", json!(2.5), "temperature"),
        ("/temperature", json!("0.7"), "temperature"),
        ("/top_p", json!(0), "top_p"),
        ("/max_tokens", json!(0), "max_tokens"),
        ("/max_tokens", json!(1.5), "max_tokens"),
        ("/max_completion_tokens", json!(5), "both fields"),
        ("/stream", json!("yes"), "stream is no boolean"),
        ("/top_k", json!(1), "unknown key"),
        ("/tool_choice", json!("any"), "tool_choice"),
        ("/tools", json!([]), "tools is no list"),
        ("/tools/0/type", json!("tool"), "no function"),
        ("/tools/0/function/name", json!("a b"), "is called"),
        ("/tools/0/function/description", json!(null), "no description"),
        ("/tools/0/function/parameters/type", json!("string"), "takes no object"),
        ("/tools/0/function/parameters/required", json!(["x"]), "requires"),
        ("/tools/0/function/parameters/properties/path/items", json!({"type": "float"}), "has the type"),
        ("/messages/0/content", json!(""), "says nothing"),
        ("/messages/0/role", json!("developer"), "has the role"),
        ("/messages/0/name", json!("x"), "unknown key"),
        ("/messages/1/content", json!([]), "no content"),
        ("/messages/1/content/0/text", json!(""), "empty text"),
        ("/messages/1/content/0/type", json!("input_text"), "a part of type"),
        ("/messages/1/content/1/image_url/url", json!("http://x/a.png"), "no data URL"),
        (
            "/messages/1/content/1/image_url/url",
            json!("data:image/gif;base64,R0lGODlh"),
            "of type \"image/gif\"",
        ),
        (
            "/messages/1/content/1/image_url/url",
            json!("data:image/webp;base64,iVBORw=="),
            "not decode as image/webp",
        ),
        (
            "/messages/1/content/1/image_url/url",
            json!("data:image/jpeg;base64,iVBORw=="),
            "not decode as image/jpeg",
        ),
        ("/messages/1/content/1/image_url/url", json!("data:image/png;base64,!"), "base64 is broken"),
        ("/messages/1/content/1/image_url/url", json!("data:image/png;base64,iVBORw=="), "does not decode"),
        ("/messages/2/tool_calls/0/id", json!("b"), "the id"),
        ("/messages/2/tool_calls/0/function/arguments", json!({}), "arguments are text"),
        ("/messages/3/tool_call_id", json!("c"), "nobody called"),
        ("/messages/4", json!({"role": "user", "content": "x"}), "before the results of a"),
        ("/messages/5", json!({"role": "system", "content": "x"}), "must be the first"),
    ];
    for (place, value, what) in faults {
        let mut broken = good();
        let (parent, key) = place.rsplit_once('/').unwrap();
        match broken.pointer_mut(parent).unwrap() {
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
            map => map[key] = value,
        }
        let found = complaints(&broken, None);
        assert!(found.iter().any(|w| w.contains(what)), "{place}: {found:?}");
    }
    assert!(complaints(&good(), Some((2, 1)))[0].contains("a picture of 1x1"));
}

#[test]
fn keys_that_stand_twice_are_found_in_any_depth() {
    for (json, twice) in [
        (r#"{"a":1,"a":2}"#, Some("a")),
        (r#"{"b":[{"a":1, "a" :2}]}"#, Some("a")),
        (r#"{"a":{"a":1},"b":["a","a"],"c":"a"}"#, None),
        (r#"[{"a":1},{"a":2}]"#, None),
        (r#"{"\"":1,"\\":2}"#, None),
    ] {
        assert_eq!(key_twice(json.as_bytes()).as_deref(), twice, "{json}");
    }
}
