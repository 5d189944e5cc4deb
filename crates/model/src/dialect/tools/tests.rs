use super::*;
use RejectionKind::{BadJson, MissingField, NoCall, OutOfRange, UnknownTool, WrongType};
use handsight_base::flow::prompt::{Fragment, Picture, Provenance, Sampling, Slot};
use handsight_base::port::model::{Part, Role};
use handsight_base::space::{FrameGeometry, FrameId, FrameRect, ScreenPx, Size};
use serde_json::json;
use std::time::Duration;

fn spec(name: &str, properties: Value, required: Value) -> ToolSpec {
    let parameters = json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    ToolSpec { name: name.into(), description: String::new(), parameters }
}

/// The five tools of `stateless` as its spec lists them.
fn five() -> Vec<ToolSpec> {
    let number = json!({"type": "number"});
    let string = json!({"type": "string", "description": "why"});
    vec![
        spec("observe", json!({"reason": string}), json!(["reason"])),
        spec("click", json!({"x": number, "y": number, "reason": string}), json!(["x", "y", "reason"])),
        spec("type", json!({"text": string, "reason": string}), json!(["text", "reason"])),
        spec("scroll", json!({"dy": number, "reason": string}), json!(["dy", "reason"])),
        spec("done", json!({"reason": string}), json!(["reason"])),
    ]
}

fn geometry() -> PictureGeometry {
    PictureGeometry { frame: FrameId(1), pane: FrameRect::new(0, 0, 1920, 1080), size: Size::new(1536, 864) }
}

fn decode(reply: &ModelReply) -> Result<Decoded, Rejection> {
    ToolsDialect::new(&five()).unwrap().decode(reply, &geometry())
}

fn reply(calls: &[(&str, &str)]) -> ModelReply {
    let call = |(i, (name, args)): (usize, &(&str, &str))| ToolCall {
        id: format!("call_{i}"),
        name: (*name).into(),
        arguments: (*args).into(),
    };
    ModelReply { calls: calls.iter().enumerate().map(call).collect(), ..ModelReply::default() }
}

// spec: S-24 UNIT
#[test]
fn a_good_call_becomes_an_intent_with_its_arguments() {
    for (tool, args) in [
        ("observe", json!({"reason": "look"})),
        ("click", json!({"x": 0, "y": 1000, "reason": "ok"})),
        ("click", json!({"x": 1500, "y": -3.5, "reason": "outside is the tool's matter"})),
        ("type", json!({"text": "Añ€😀\n", "reason": ""})),
        ("scroll", json!({"dy": -240, "reason": "down"})),
        ("done", json!({"reason": "finished"})),
    ] {
        let decoded = decode(&reply(&[(tool, &args.to_string())])).unwrap();
        let Value::Object(args) = args else { panic!() };
        assert_eq!(decoded, Decoded::one(Intent::Call { tool: tool.into(), args }));
    }
}

// spec: S-24 S-25 S-99 UNIT
#[test]
fn a_bad_call_is_refused_with_its_kind_and_the_tools_signature() {
    let long = format!(r#"{{"text":"{}","reason":"r"}}"#, "a".repeat(LONGEST));
    for (tool, args, kind) in [
        ("exec", r#"{"cmd":"ls","reason":"r"}"#, UnknownTool),
        ("", "{}", UnknownTool),
        ("Click", r#"{"x":1,"y":1,"reason":"r"}"#, UnknownTool),
        ("click", "", BadJson),
        ("click", "x=1", BadJson),
        ("click", r#"{"x":1,"y":1,"reason":"r""#, BadJson),
        ("click", r#"{"x":1,"x":2,"y":1,"reason":"r"}"#, BadJson),
        ("click", r#"{"x":1e999,"y":1,"reason":"r"}"#, BadJson),
        ("click", r#"{"x":NaN,"y":1,"reason":"r"}"#, BadJson),
        ("type", r#"{"text":"a\u0000b","reason":"r"}"#, BadJson),
        ("type", &long, OutOfRange),
        ("click", "null", WrongType),
        ("click", "[1,2]", WrongType),
        ("click", r#""{\"x\":1,\"y\":1,\"reason\":\"r\"}""#, WrongType),
        ("click", r#"{"x":1,"reason":"r"}"#, MissingField),
        ("click", r#"{"x":1,"y":1}"#, MissingField),
        ("observe", "{}", MissingField),
        ("click", r#"{"x":"1","y":1,"reason":"r"}"#, WrongType),
        ("click", r#"{"x":null,"y":1,"reason":"r"}"#, WrongType),
        ("click", r#"{"x":[1,2],"y":1,"reason":"r"}"#, WrongType),
        ("type", r#"{"text":5,"reason":"r"}"#, WrongType),
    ] {
        let rejection = decode(&reply(&[(tool, args)])).unwrap_err();
        assert_eq!(rejection.kind, kind, "{tool} {args:.60}: {rejection}");
        assert!(rejection.told().chars().count() <= Rejection::MAX_TOLD);
        let signature = if kind == UnknownTool { "observe(reason: string)" } else { tool };
        assert!(rejection.told().contains(signature), "{rejection}");
    }
    let told = decode(&reply(&[("click", r#"{"x":1,"reason":"r"}"#)])).unwrap_err();
    assert_eq!(
        told.told(),
        "The call of click was not run: the field `y` is missing. \
         Call exactly one tool: click(x: number, y: number, reason: string)"
    );
}

// spec: S-25 UNIT
#[test]
fn prose_never_acts() {
    for text in [
        "",
        "I will click the OK button.",
        r#"{"name":"click","arguments":{"x":1,"y":1,"reason":"r"}}"#,
        "<tool_call>\n{\"name\":\"click\",\"arguments\":{\"x\":1,\"y\":1,\"reason\":\"r\"}}\n</tool_call>",
        "click(x=1, y=1)",
        "I cannot help with that.",
    ] {
        let rejection = decode(&ModelReply { text: text.into(), ..ModelReply::default() }).unwrap_err();
        assert_eq!(rejection.kind, NoCall);
        assert!(rejection.told().contains("scroll(dy: number, reason: string)"), "{rejection}");
    }
}

// spec: S-24 UNIT
#[test]
fn the_first_call_counts_and_the_rest_are_noted() {
    let observe = ("observe", r#"{"reason":"a"}"#);
    let decoded =
        decode(&reply(&[observe, ("click", r#"{"x":1,"y":1,"reason":"b"}"#), ("exec", "{")])).unwrap();
    assert_eq!(decoded.plan.len(), 1);
    assert_eq!(
        decoded.notes,
        ["a further call of \"click\" was not run", "a further call of \"exec\" was not run"]
    );
    // A later call was meant for the screen after the first.
    assert_eq!(decode(&reply(&[("exec", "{}"), observe])).unwrap_err().kind, UnknownTool);
    let many = vec![observe; 10_000];
    assert!(decode(&reply(&many)).unwrap().notes.len() <= 20);
}

#[test]
fn two_calls_with_one_id_do_nothing() {
    let mut twice = reply(&[("observe", r#"{"reason":"a"}"#), ("observe", r#"{"reason":"b"}"#)]);
    twice.calls[1].id = twice.calls[0].id.clone();
    assert_eq!(decode(&twice).unwrap_err().kind, BadJson);
    // Some servers give no ids at all; one call counts anyway.
    for call in &mut twice.calls {
        call.id = String::new();
    }
    assert!(decode(&twice).is_ok());
}

#[test]
fn a_reply_that_was_cut_off_does_nothing() {
    for finish in ["length", "content_filter"] {
        let mut cut = reply(&[("type", r#"{"text":"half of it","reason":"r"}"#)]);
        cut.finish = Some(finish.into());
        assert_eq!(decode(&cut).unwrap_err().kind, BadJson);
        cut.finish = Some("tool_calls".into());
        assert!(decode(&cut).is_ok());
    }
}

#[test]
fn a_field_too_many_reaches_nobody() {
    let decoded = decode(&reply(&[("observe", r#"{"reason":"a","cmd":"rm -rf"}"#)])).unwrap();
    let Intent::Call { args, .. } = &decoded.plan[0].intent else { panic!() };
    assert_eq!(Value::Object(args.clone()), json!({"reason": "a"}));
    assert_eq!(decoded.notes.len(), 1);
}

#[test]
fn the_longest_complaint_keeps_the_signature_and_the_limit() {
    let name: String = "\u{7}é".repeat(5_000);
    let told = decode(&reply(&[(&name, "{}")])).unwrap_err();
    assert!(told.told().chars().count() <= Rejection::MAX_TOLD && told.told().contains("observe("), "{told}");
    assert!(!told.told().contains('\u{7}'));
}

// spec: S-14 UNIT
#[test]
fn a_prompt_becomes_one_system_and_one_user_message() {
    let picture = Picture { bytes: b"png"[..].into(), media_type: "image/png", geometry: geometry() };
    let frame = FrameGeometry {
        frame: FrameId(1),
        size: Size::new(1920, 1080),
        origin: ScreenPx::new(0, 0),
        scale: 1.0,
    };
    let prompt = Prompt {
        fragments: vec![
            Fragment::new("role", Slot::System, Provenance::User, "You control a computer.", 100),
            Fragment::new("task", Slot::System, Provenance::User, "Write a letter.", 100),
            Fragment::new("screen", Slot::System, Provenance::Screen, "from the screen", 100),
        ],
        pictures: vec![picture],
        tools: five(),
        sampling: Sampling { temperature: Some(0.7), ..Sampling::default() },
        history: Vec::new(),
        frame,
        captured_at: Duration::ZERO,
    };
    let request = ToolsDialect::new(&five()).unwrap().encode(&prompt);
    assert_eq!(request.system, "You control a computer.\n\nWrite a letter.");
    assert_eq!(request.messages.len(), 1);
    assert_eq!(request.messages[0].role, Role::User);
    let [Part::Text(text), Part::Picture(_)] = request.messages[0].parts.as_slice() else {
        panic!("{:?}", request.messages[0].parts)
    };
    assert_eq!(text, "from the screen");
    assert_eq!(request.tools, five());
    assert_eq!(request.sampling.temperature, Some(0.7));
}
