//! How actions and primitives are written down. Journals and action hashes rest on these texts.

use super::*;
use crate::key::Named;

fn spot(x: i32, y: i32) -> Spot {
    At { point: FramePx::new(x, y), frame: FrameId(3) }
}

/// Writes `value`, compares it with what journals hold, and reads it back.
fn written<T>(value: &T, golden: &str)
where
    T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    assert_eq!(serde_json::to_string(value).unwrap(), golden);
    assert_eq!(&serde_json::from_str::<T>(golden).unwrap(), value);
}

#[test]
fn every_action_is_written_as_ever_and_read_back() {
    let (button, modifiers) = (Button::Middle, Modifiers { control: true, ..Modifiers::NONE });
    let held = r#"{"control":true,"alt":false,"shift":false,"super":false}"#;
    let place = r#"{"point":{"x":-1,"y":2},"frame":3}"#;
    let (at, chord) = (spot(-1, 2), Chord(vec![Key::Named(Named::Control), Key::Char('é')]));
    for (action, golden) in [
        (
            Action::Click { at: Some(at), button, count: 2, modifiers },
            format!(r#"{{"do":"click","at":{place},"button":"middle","count":2,"modifiers":{held}}}"#),
        ),
        (Action::Move { to: at }, format!(r#"{{"do":"move","to":{place}}}"#)),
        (Action::Down { at: None, button }, r#"{"do":"down","at":null,"button":"middle"}"#.into()),
        (Action::Up { at: Some(at), button }, format!(r#"{{"do":"up","at":{place},"button":"middle"}}"#)),
        (
            Action::Drag { path: vec![at, at], button, modifiers },
            format!(r#"{{"do":"drag","path":[{place},{place}],"button":"middle","modifiers":{held}}}"#),
        ),
        (
            Action::Scroll { at: None, by: ScrollBy::Units { dx: 0, dy: -240 }, modifiers },
            format!(
                r#"{{"do":"scroll","at":null,"by":{{"units":{{"dx":0,"dy":-240}}}},"modifiers":{held}}}"#
            ),
        ),
        (Action::typed("A\"\n€😀"), r#"{"do":"type","text":"A\"\n€😀"}"#.into()),
        (
            Action::Type { text: "a".into(), interval_millis: Some(40) },
            r#"{"do":"type","text":"a","interval_millis":40}"#.into(),
        ),
        (Action::Paste { text: String::new() }, r#"{"do":"paste","text":""}"#.into()),
        (
            Action::Key { chord: chord.clone(), repeat: 3 },
            r#"{"do":"key","chord":[{"named":"control"},{"char":"é"}],"repeat":3}"#.into(),
        ),
        (
            Action::HoldKey { chord, millis: 250 },
            r#"{"do":"hold_key","chord":[{"named":"control"},{"char":"é"}],"millis":250}"#.into(),
        ),
        (Action::Wait { millis: u64::MAX }, r#"{"do":"wait","millis":18446744073709551615}"#.into()),
        (
            Action::Launch { argv: vec!["xterm".into(), "-e".into()] },
            r#"{"do":"launch","argv":["xterm","-e"]}"#.into(),
        ),
        (
            Action::FocusWindow { query: WindowQuery::TitlePart("pad".into()) },
            r#"{"do":"focus_window","query":{"title_part":"pad"}}"#.into(),
        ),
        (
            Action::FocusWindow { query: WindowQuery::Active },
            r#"{"do":"focus_window","query":"active"}"#.into(),
        ),
    ] {
        written(&action, &golden);
        assert!(
            golden.contains(&format!(r#""do":"{}""#, action.name())),
            "{golden} is not {}",
            action.name()
        );
    }
}

#[test]
fn every_primitive_is_written_as_ever_and_read_back() {
    let key = Key::Named(Named::PageDown);
    let wait = Duration::new(1, 500);
    written(
        &Batch {
            primitives: vec![
                Primitive::Move(ScreenPx::new(-5, 6)),
                Primitive::Button { button: Button::Left, down: true },
                Primitive::Key { key, down: false },
                Primitive::Char('😀'),
                Primitive::Wheel { axis: Axis::Horizontal, units: -7 },
                Primitive::Wait(wait),
            ],
        },
        concat!(
            r#"{"primitives":[{"move":{"x":-5,"y":6}},{"button":{"button":"left","down":true}},"#,
            r#"{"key":{"key":{"named":"page_down"},"down":false}},{"char":"😀"},"#,
            r#"{"wheel":{"axis":"horizontal","units":-7}},{"wait":{"secs":1,"nanos":500}}]}"#
        ),
    );
}

#[test]
fn what_is_no_action_is_not_read() {
    for bad in [
        r#"{"do":"click","at":null,"button":"left","count":256,"modifiers":{}}"#,
        r#"{"do":"move","to":{"point":{"x":1.5,"y":2},"frame":3}}"#,
        r#"{"do":"move","to":{"point":{"x":null,"y":2},"frame":3}}"#,
        r#"{"do":"move","to":{"point":{"x":1,"y":2}}}"#,
        r#"{"do":"wait","millis":-1}"#,
        r#"{"do":"type","text":"\ud800"}"#,
        r#"{"do":"fly"}"#,
        r#"{"text":"a"}"#,
    ] {
        assert!(serde_json::from_str::<Action>(bad).is_err(), "{bad}");
    }
}
