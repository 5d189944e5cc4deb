use super::*;
use handsight_base::port::dialect::RejectionKind;
use serde_json::json;

fn said(text: &str) -> Vec<(String, Value)> {
    let blocks = read(text).unwrap_or_else(|m| panic!("{text}: {}", m.words)).blocks;
    blocks.into_iter().map(|b| (b.name, Value::Object(b.arguments))).collect()
}

#[test]
fn blocks_are_read_with_and_without_their_ends() {
    let one = ("f".to_owned(), json!({"a": 1}));
    for text in [
        "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>",
        "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}",
        "I do.<tool_call>{'name': 'f', 'arguments': {'a': 1,},}</tool_call> done",
        "<think>no <tool_call></think><tool_call>{\"name\": \"f\", \"arguments\": \"{\\\"a\\\": 1}\"}</tool_call>",
    ] {
        assert_eq!(said(text), std::slice::from_ref(&one), "{text}");
    }
    let two = "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call>";
    assert_eq!(said(two), [one.clone(), one]);
    let text = json!({"name": "f", "arguments": {"t": "</think> and <tool_call> in a text"}});
    assert!(read(&format!("<tool_call>{text}</tool_call>")).is_err(), "what looks like an element is one");
}

#[test]
fn a_function_keeps_the_lines_of_its_values() {
    let text = "<tool_call>\n<function=f>\n<parameter=a>\n one\n\ntwo \n</parameter>\n<parameter=b>3</parameter>\n</function>\n</tool_call>";
    assert_eq!(said(text), [("f".to_owned(), json!({"a": " one\n\ntwo ", "b": "3"}))]);
    let mut block = read(text).unwrap().blocks.remove(0);
    typed(&mut block, &["a"], &["b"]);
    assert_eq!(
        Value::Object(block.arguments),
        json!({"a": " one\n\ntwo ", "b": 3}),
        "no list, so it stays a text"
    );
}

#[test]
fn what_is_broken_is_refused_with_its_place() {
    let good = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
    for (bad, kind) in [
        ("<tool_call></tool_call>", RejectionKind::BadJson),
        ("<tool_call>[]</tool_call>", RejectionKind::WrongType),
        ("<tool_call>{\"name\": \"f\"}</tool_call>", RejectionKind::MissingField),
        ("<tool_call>{\"arguments\": {}}</tool_call>", RejectionKind::MissingField),
        ("<tool_call>{\"name\": 1, \"arguments\": {}}</tool_call>", RejectionKind::WrongType),
        ("<tool_call>{\"name\": \"f\", \"arguments\": [1]}</tool_call>", RejectionKind::WrongType),
        ("<tool_call>{\"name\": \"f\", \"arguments\": {}, \"id\": 1}</tool_call>", RejectionKind::BadJson),
        ("<tool_call>{\"name\": \"f\", \"arguments\": {}}}</tool_call>", RejectionKind::BadJson),
        ("<tool_call><function=f><parameter=a>1</function></tool_call>", RejectionKind::BadJson),
        ("<tool_call><function=f g></function></tool_call>", RejectionKind::BadJson),
    ] {
        let misfit = read(&format!("{good}\n{bad}")).unwrap_err();
        assert_eq!((misfit.kind, misfit.call), (kind, 1), "{bad}: {}", misfit.words);
    }
    for none in ["", "prose", "{\"name\": \"f\", \"arguments\": {}}", "<think><tool_call></think>"] {
        assert_eq!(read(none).unwrap_err().kind, RejectionKind::NoCall, "{none}");
    }
    assert!(read(&good.repeat(MOST + 1)).is_err());
}
