//! Calls in, meanings out.

use super::*;
use handsight_base::flow::action::{Button, ScrollBy};
use handsight_base::key::Modifiers;
use handsight_base::space::{At, FrameId, FramePx, Rect, Size};

const PICTURE: PictureGeometry = PictureGeometry {
    frame: FrameId(7),
    pane: Rect { origin: FramePx::new(0, 0), size: Size::new(1920, 1080) },
    size: Size::new(1536, 864),
};

fn names() -> Vec<String> {
    ["observe", "click", "type", "scroll", "done"].map(String::from).to_vec()
}

fn set(extended: bool) -> ToolSet {
    ToolSet::new(&names(), ToolOptions { extended, out_of_range: OutOfRange::Clamp, marks: false }).unwrap()
}

fn call(set: &ToolSet, name: &str, args: Value) -> Result<Understood, Rejection> {
    set.call(name, args.as_object().unwrap(), &PICTURE, &Marks::default())
}

fn click_at(x: i32, y: i32, button: Button, modifiers: Modifiers) -> Meaning {
    let at = Some(At { point: FramePx::new(x, y), frame: FrameId(7) });
    Meaning::Act(vec![Action::Click { at, button, count: 1, modifiers }])
}

#[test]
fn the_plain_five_and_their_schemas() {
    let specs = set(false).specs();
    let offered: Vec<&str> = specs.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(offered, ["observe", "click", "type", "scroll", "done"]);
    let fields = |n: usize| -> Vec<&String> {
        specs[n].parameters["properties"].as_object().unwrap().keys().collect()
    };
    assert_eq!(fields(0), ["reason"]);
    assert_eq!(fields(1), ["x", "y", "reason"]);
    assert_eq!(fields(2), ["text", "reason"]);
    assert_eq!(fields(3), ["dy", "reason"]);
    assert_eq!(fields(4), ["reason"]);
    assert_eq!(specs[1].parameters["required"], json!(["x", "y", "reason"]));
    assert_eq!(specs[1].parameters["properties"]["x"]["type"], "number");
}

#[test]
fn calls_mean_actions() {
    let five = set(false);
    let understood = call(&five, "click", json!({"x": 0, "y": 1000, "reason": "r"})).unwrap();
    assert_eq!(understood.meaning, click_at(0, 1079, Button::Left, Modifiers::NONE));
    assert_eq!(understood.reason, "r");
    let understood = call(&five, "scroll", json!({"dy": -240, "reason": ""})).unwrap();
    let by = ScrollBy::Units { dx: 0, dy: -240 };
    assert_eq!(
        understood.meaning,
        Meaning::Act(vec![Action::Scroll { at: None, by, modifiers: Modifiers::NONE }])
    );
    let understood = call(&five, "type", json!({"text": "Añ€😀", "reason": ""})).unwrap();
    assert_eq!(understood.meaning, Meaning::Act(vec![Action::typed("Añ€😀")]));
    for (name, args, meaning) in [
        ("scroll", json!({"dy": 0, "reason": ""}), Meaning::Act(vec![])),
        ("observe", json!({"reason": ""}), Meaning::Observe),
        ("done", json!({"reason": ""}), Meaning::Done),
    ] {
        assert_eq!(call(&five, name, args).unwrap().meaning, meaning, "{name}");
    }
}

// spec: S-82 UNIT
#[test]
fn a_point_outside_is_clamped_noted_and_used() {
    let understood = call(&set(false), "click", json!({"x": 1500, "y": -3, "reason": ""})).unwrap();
    assert_eq!(
        understood.meaning,
        click_at(1919, 0, Button::Left, Modifiers::NONE),
        "the right edge, the top"
    );
    assert_eq!(understood.args, json!({"x": 1000.0, "y": 0.0, "reason": ""}));
    assert_eq!(understood.notes, ["(1500, -3) is outside 0 to 1000: used (1000, 0)"]);
    let strict = ToolSet::new(
        &names(),
        ToolOptions { extended: false, out_of_range: OutOfRange::Refuse, marks: false },
    )
    .unwrap();
    let refused = call(&strict, "click", json!({"x": 1500, "y": 0, "reason": ""})).unwrap_err();
    assert_eq!(refused.kind, RejectionKind::OutOfRange);
}

#[test]
fn what_is_missing_mistyped_or_unknown_is_refused() {
    use RejectionKind::{MissingField, OutOfRange, UnknownTool, WrongType};
    for (name, args, kind) in [
        ("exec", json!({"reason": ""}), UnknownTool),
        ("Click", json!({"x": 1, "y": 1, "reason": ""}), UnknownTool),
        ("click", json!({"x": 1, "reason": ""}), MissingField),
        ("click", json!({"x": 1, "y": 1}), MissingField),
        ("click", json!({"x": "1", "y": 1, "reason": ""}), WrongType),
        ("click", json!({"x": null, "y": 1, "reason": ""}), WrongType),
        ("click", json!({"x": [1, 1], "y": 1, "reason": ""}), WrongType),
        ("click", json!({"x": 1, "y": 1, "reason": 5}), WrongType),
        ("type", json!({"text": 5, "reason": ""}), WrongType),
        ("type", json!({"text": "a\u{0}b", "reason": ""}), OutOfRange),
        ("type", json!({"text": "x".repeat(20_001), "reason": ""}), OutOfRange),
        ("scroll", json!({"dy": 1e300, "reason": ""}), OutOfRange),
        ("scroll", json!({"dy": {}, "reason": ""}), WrongType),
    ] {
        let refused = call(&set(false), name, args.clone()).expect_err(&format!("{name} {args}"));
        assert_eq!(refused.kind, kind, "{name} {args}: {refused}");
        assert!(refused.told().chars().count() <= Rejection::MAX_TOLD);
    }
}

// spec: S-101 S-102 UNIT
#[test]
fn extended_clicks_take_buttons_and_modifiers() {
    let args = json!({"x": 500, "y": 500, "button": "right", "modifiers": ["ctrl", "shift"], "reason": ""});
    let modifiers = Modifiers { control: true, shift: true, ..Modifiers::NONE };
    let understood = call(&set(true), "click", args.clone()).unwrap();
    assert_eq!(understood.meaning, click_at(960, 540, Button::Right, modifiers));
    let plain = call(&set(false), "click", args).unwrap();
    assert_eq!(plain.meaning, click_at(960, 540, Button::Left, Modifiers::NONE), "not offered, not obeyed");
    assert_eq!(plain.notes, ["`click` has no argument button, modifiers: ignored"]);
    assert!(call(&set(true), "click", json!({"x": 1, "y": 1, "button": "both", "reason": ""})).is_err());
}

// spec: S-32 UNIT
#[test]
fn a_tool_is_one_registry_entry() {
    struct Ring;
    impl Tool for Ring {
        fn name(&self) -> &'static str {
            "ring"
        }
        fn about(&self) -> &'static str {
            "Ring the bell."
        }
        fn arguments(&self, _: ToolOptions) -> Vec<Argument> {
            vec![Argument::required("times", json!({"type": "number"}))]
        }
        fn call(&self, args: &mut Args<'_>, _: &ToolScene<'_>) -> Result<Meaning, Rejection> {
            let chord = "ctrl+g".parse().unwrap();
            Ok(Meaning::Act(vec![Action::Key { chord, repeat: args.number("times")? as u16 }]))
        }
    }
    let set = set(false).with(&Ring);
    assert_eq!(set.specs()[5].name, "ring");
    assert!(set.prompt().ends_with("- `ring(times, reason)`: Ring the bell."), "{}", set.prompt());
    let understood = call(&set, "ring", json!({"times": 3, "reason": "r"})).unwrap();
    assert!(
        matches!(&understood.meaning, Meaning::Act(a) if matches!(a[..], [Action::Key { repeat: 3, .. }]))
    );
}
