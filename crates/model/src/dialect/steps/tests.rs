use super::*;
use crate::dialect::compact;
use handsight_base::space::{FrameId, FrameRect, Size};
use serde_json::json;

const PICTURE: PictureGeometry = PictureGeometry {
    frame: FrameId(1),
    pane: FrameRect::new(0, 0, 1000, 1000),
    size: Size::new(1000, 1000),
};

type Take = fn(&mut Steps<'_>) -> Fits<()>;

fn planned(take: Take) -> Result<Value, String> {
    let mut steps = Steps::new(Points::PIXELS, &PICTURE);
    let decoded = take(&mut steps).and_then(|()| steps.end("")).map_err(|m| m.words)?;
    Ok(decoded.plan.iter().map(compact::planned).collect())
}

#[test]
#[rustfmt::skip]
fn keys_are_held_within_a_reply_only() {
    let meant: [(&str, Take, Value); 7] = [
        ("a chord", |s| { s.hold("ctrl")?; s.hold("c")?; s.release("c")?; s.release("ctrl") }, json!([{"key": "ctrl+c"}])),
        ("a tap", |s| { s.hold("shift")?; s.release("shift") }, json!([{"key": "shift"}])),
        ("around keys", |s| { s.hold("alt")?; s.keys("Tab")?; s.release("alt") }, json!([{"key": "alt+tab"}])),
        ("around a wait", |s| { s.hold("w")?; s.wait(2.0)?; s.release("w") }, json!([{"hold": "w", "ms": 2000}])),
        ("let go at the end", |s| { s.hold("ctrl")?; s.turn(None, (0, 1), 3) }, json!([{"scroll": [0, 3], "unit": "notches", "with": "ctrl"}])),
        ("let go by nobody", |s| { s.release("ctrl")?; s.wait(1.0) }, json!([{"wait": 1000}])),
        ("around a click", |s| { s.hold("ctrl")?; s.hold("shift")?; let p = s.spot_of(1.0, 2.0)?; s.go(p)?; s.click(Some(p), Button::Left, 1) }, json!([{"move": [1, 2]}, {"click": [1, 2], "with": "ctrl+shift"}])),
    ];
    for (what, take, means) in meant {
        assert_eq!(planned(take), Ok(means), "{what}");
    }
    let refused: [(Take, &str); 7] = [
        (|s| s.hold("ctrl"), "would stay held"),
        (|s| { s.wait(1.0)?; s.hold("enter") }, "would stay held"),
        (|s| { s.hold("ctrl")?; s.hold("ctrl") }, "twice"),
        (|s| { s.hold("ctrl")?; s.type_text("a") }, "while ctrl is held"),
        (|s| { s.hold("w")?; s.click(None, Button::Left, 1) }, "while w is held"),
        (|s| s.hold("ctrl c"), "one at a time"),
        (|s| s.hold("frob"), "no key"),
    ];
    for (take, words) in refused {
        let refused = planned(take).unwrap_err();
        assert!(refused.contains(words), "{refused}");
    }
}

#[test]
fn a_drag_begins_where_the_plan_left_the_pointer() {
    let known = planned(|s| {
        let (from, to) = (s.spot_of(1.0, 2.0)?, s.spot_of(300.0, 400.0)?);
        s.click(Some(from), Button::Left, 1)?;
        s.drag_to(to, Button::Left)
    });
    assert_eq!(known, Ok(json!([{"click": [1, 2]}, {"drag": [[1, 2], [300, 400]]}])));
    let unknown = planned(|s| s.drag_to(s.spot_of(300.0, 400.0)?, Button::Right));
    let down = json!({"down": null, "button": "right"});
    let up = json!({"up": [300, 400], "button": "right"});
    assert_eq!(unknown, Ok(json!([down, {"move": [300, 400]}, up])));
}

#[test]
#[rustfmt::skip]
fn the_end_is_the_end() {
    assert_eq!(planned(|s| { s.done("a")?; s.done("b") }), Ok(json!([{"done": "a"}])));
    let given_up = "The model says that this task cannot be done: no disk";
    assert_eq!(planned(|s| s.give_up(" no disk ")), Ok(json!([{"ask": given_up}])));
    let refused: [Take; 12] = [
        |s| { s.done("a")?; s.wait(1.0) },
        |s| { s.ask("a")?; s.done("b") },
        |s| { s.give_up("")?; s.look() },
        |_| Ok(()),
        |s| (0..=MOST_STEPS).try_for_each(|_| s.wait(0.0)),
        |s| s.wait(f64::NAN),
        |s| s.wait(-0.1),
        |s| s.visit("two words"),
        |s| s.visit("a.org\u{0}"),
        |s| s.launch("  ".into()),
        |s| s.type_text(""),
        |s| s.keys(""),
    ];
    for (n, take) in refused.into_iter().enumerate() {
        assert!(planned(take).is_err(), "{n}");
    }
}

#[test]
fn a_line_break_in_two_characters_is_one_at_the_end_only() {
    for (given, meant) in
        [(r"a\n", "a\n"), (r"a\nb", r"a\nb"), (r"a\\n", r"a\\n"), ("a\n", "a\n"), (r"\n", "\n"), ("", "")]
    {
        assert_eq!(submitted(given.to_owned()), meant, "{given}");
    }
}
