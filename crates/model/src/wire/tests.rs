//! What every wire has in common.

use super::*;
use handsight_base::flow::prompt::Picture;
use handsight_base::port::model::{Message, Part, Role};
use handsight_base::space::{FrameId, FrameRect, PictureGeometry, Size};

pub(super) fn picture(bytes: &[u8]) -> Picture {
    let size = Size::new(2, 2);
    let geometry = PictureGeometry { frame: FrameId(1), pane: FrameRect::new(0, 0, 2, 2), size };
    Picture { bytes: bytes.into(), media_type: "image/png", geometry }
}

pub(super) fn heard(parts: Vec<Part>) -> Message {
    Message { role: Role::User, parts, raw: None }
}

#[test]
fn names_are_unique_and_a_big_picture_is_written_once_into_a_buffer_that_does_not_grow() {
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|i| (i * 7) as u8).collect();
    let request = ModelRequest {
        messages: vec![heard(vec![Part::Picture(picture(&bytes))])],
        ..ModelRequest::default()
    };
    let mut names: Vec<&str> = WIRES.iter().map(|w| w.name).collect();
    names.dedup();
    assert_eq!(names, ["chat", "messages", "responses", "gemini"]);
    for wire in WIRES {
        let body = wire.body(&request, &WireOptions::new("m"));
        assert!(
            body.len() <= size_of_body(&request) && body.capacity() == size_of_body(&request),
            "{}",
            wire.name
        );
    }
}

#[test]
fn what_is_no_reply_is_said_to_be_none() {
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    for wire in WIRES {
        for body in [
            "",
            " \n",
            "<html>502</html>",
            "[]",
            "{}",
            "null",
            "7",
            "\"text\"",
            "{\"error\":{\"message\":\"no\"}}",
            "{\"choices\":[]}",
            "{\"content\":7}",
            "{\"content\":[7]}",
            "{\"content\":[[]]}",
            "{\"output\":[{}]}",
            "{\"output\":{}}",
            "{\"candidates\":[{}]}",
            "{\"candidates\":[[]]}",
            &deep,
            "{\"status\":\"in_progress\",\"output\":[]}",
            "{\"type\":\"error\",\"content\":[]}",
            "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":[]}]},\"finishReason\":\"STOP\"}]}",
            "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"\\ud800\"}]}",
        ] {
            assert!((wire.decode)(body.as_bytes()).is_err(), "{} {body:.60}", wire.name);
        }
    }
}
