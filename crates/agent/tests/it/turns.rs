//! What a turn sends, keeps and carries over.

use crate::rig::{Png, Rig, call, network_error, reply, session, until};
use handsight_agent::ending::Outcome;
use handsight_base::flow::action::{Button, Primitive};
use handsight_base::port::model::ToolCall;
use handsight_base::space::ScreenPx;
use handsight_testkit::fake::Call;
use serde_json::json;

// spec: S-14 S-18 S-22 S-47 S-72 UNIT
#[test]
fn every_request_is_one_system_text_one_picture_and_the_five_tools() {
    let mut rig = Rig::new(&[]);
    let ending = rig.run(until(10, |n| call("observe", json!({"reason": format!("look {n}")}))));
    assert_eq!((ending.outcome, ending.turns), (Outcome::Done, 10));
    let asked = rig.asked();
    assert_eq!(asked.len(), 10, "one model call a turn");
    for request in &asked {
        assert_eq!(request.messages, 1, "one user message beside the system text");
        assert_eq!(request.system, asked[0].system);
        assert_eq!(request.tools, ["observe", "click", "type", "scroll", "done"]);
    }
    let system = &asked[0].system;
    for part in
        ["Press the button", "computer-control agent", "0 to 1000", "01| ", "`scroll(dy, reason)`", "Compare"]
    {
        assert!(system.contains(part), "the system text lacks {part:?}");
    }
    assert!(!system.contains("{{"));
}

// spec: S-15 S-16 S-48 UNIT
#[test]
fn the_newest_reason_is_all_that_lasts_and_the_first_picture_is_bare() {
    let mut rig = Rig::new(&["settle.enabled=false"]);
    let reasons = ["first words", "second words", "second words"];
    rig.run(until(4, move |n| call("observe", json!({"reason": reasons[n as usize - 1]}))));
    let pictures: Vec<Png> = rig.asked().into_iter().map(|a| a.picture).collect();
    assert_ne!(pictures[0], pictures[1], "the first reason is on the second picture");
    assert_ne!(pictures[1], pictures[2], "and is gone on the third");
    assert_eq!(
        pictures[2], pictures[3],
        "the same words on the same screen are the same picture, byte for byte"
    );
    let mut without = Rig::new(&["settle.enabled=false", "hud.enabled=false"]);
    without.run(until(1, |_| network_error()));
    assert_eq!(without.asked()[0].picture, pictures[0], "no HUD pixel on the first turn");
    assert_ne!(without.asked()[0].picture, pictures[1]);
}

// spec: S-17 UNIT
#[test]
fn what_came_before_does_not_change_a_request() {
    let mut long = Rig::new(&[]);
    long.run(until(6, |n| call("observe", json!({"reason": if n == 4 { "same" } else { "other" }}))));
    let mut fresh = Rig::new(&[]);
    fresh.run(until(3, |_| call("observe", json!({"reason": "same"}))));
    let (mut old, mut new) = (long.asked()[4].clone(), fresh.asked()[1].clone());
    (old.at, new.at) = Default::default();
    assert_eq!(old, new);
}

// spec: S-28 S-33 S-34 S-82 UNIT
#[test]
fn a_click_is_move_press_release_on_the_native_screen() {
    let mut rig = Rig::new(&[]);
    rig.run(until(3, |n| {
        let x = if n == 1 { 1500.0 } else { 500.0 };
        call("click", json!({"x": x, "y": 0, "reason": "r"}))
    }));
    let button = |down| Primitive::Button { button: Button::Left, down };
    let at = |x, y| Primitive::Move(ScreenPx::new(x, y));
    let expected = [at(319, 0), button(true), button(false), at(160, 0), button(true), button(false)];
    assert_eq!(
        rig.desktop.injected(),
        expected,
        "round(0.5 * 319) = 160; outside is clamped to the right edge"
    );
    let first = &session(&rig.out())[0];
    assert_eq!(first["call"]["args"]["x"], 1000.0, "the record holds the value that was used");
    assert!(first["notes"].to_string().contains("outside 0 to 1000"), "{first}");
}

// spec: S-36 S-30 UNIT
#[test]
fn a_scroll_moves_no_pointer() {
    let mut rig = Rig::new(&[]);
    rig.run(until(3, |n| call("scroll", json!({"dy": if n == 1 { 240 } else { 0 }, "reason": "r"}))));
    assert!(matches!(rig.desktop.injected()[..], [Primitive::Wheel { units: 240, .. }]));
}

// spec: S-24 UNIT
#[test]
fn of_several_calls_the_first_runs_and_the_rest_is_noted() {
    let mut rig = Rig::new(&[]);
    rig.run(until(2, |_| {
        let one = |id: &str, name: &str, args: serde_json::Value| ToolCall {
            id: id.into(),
            name: name.into(),
            arguments: args.to_string(),
        };
        Ok(reply(vec![
            one("a", "scroll", json!({"dy": 120, "reason": "first"})),
            one("b", "click", json!({"x": 1, "y": 1, "reason": "second"})),
        ]))
    }));
    assert_eq!(rig.desktop.injected().len(), 1);
    assert!(session(&rig.out())[0]["notes"].to_string().contains("click"), "{}", session(&rig.out())[0]);
}

// spec: S-60 UNIT
#[test]
fn the_hud_changes_after_settling_and_before_the_next_capture() {
    let mut rig = Rig::new(&[]);
    rig.desktop.set_overlay(true, true);
    let before = rig.run(until(3, |n| call("scroll", json!({"dy": 120, "reason": format!("turn {n}")}))));
    assert_eq!(before.outcome, Outcome::Done);
    let order: Vec<&str> = rig
        .desktop
        .calls()
        .iter()
        .map(|(_, call)| match call {
            Call::Capture { frame: 0, .. } => "probe",
            Call::Capture { .. } => "capture",
            Call::Inject(_) => "inject",
            Call::Overlay(Some(_)) => "show",
            Call::Overlay(None) => "hide",
            Call::ReleaseAll => "release",
        })
        .collect();
    let mut turns = order.clone();
    turns.dedup();
    let expected = [
        "capture", "inject", "probe", "show", "capture", "inject", "probe", "show", "capture", "release",
        "hide",
    ];
    assert_eq!(turns, expected);
    assert_eq!(order.iter().filter(|c| **c == "show").count(), 2, "once a turn");
}

// spec: S-66 UNIT
#[test]
fn each_turn_is_one_line_of_the_log() {
    let mut rig = Rig::new(&[]);
    rig.run(until(3, |_| call("type", json!({"text": "hi", "reason": "typing"}))));
    let lines = session(&rig.out());
    assert_eq!(lines.len(), 3);
    assert_eq!((&lines[0]["turn"], &lines[2]["choice"]), (&json!(1), &json!("done")));
    assert_eq!(lines[0]["call"], json!({"tool": "type", "args": {"text": "hi", "reason": "typing"}}));
    assert_eq!((&lines[0]["reason"], &lines[0]["calm"]), (&json!("typing"), &json!("settled")));
    assert_eq!(lines[0]["deeds"][0]["outcome"], "done");
    for stage in ["capture", "model", "pause", "settle", "whole"] {
        assert!(lines[0]["timings"][stage].as_f64().is_some(), "{stage}");
    }
}

// spec: S-63 S-65 UNIT
#[test]
fn pictures_are_kept_as_the_model_got_them() {
    let mut rig = Rig::new(&[]);
    rig.run(until(3, |n| call("observe", json!({"reason": format!("n {n}")}))));
    for (n, asked) in rig.asked().iter().enumerate() {
        let kept = std::fs::read(rig.out().join(format!("step{:03}.png", n + 1))).unwrap();
        assert_eq!(Png(kept), asked.picture, "turn {}", n + 1);
    }
    assert!(!rig.out().join("step004.png").exists() && !rig.out().join("step000.png").exists());
}

// spec: S-62 UNIT
#[test]
fn saving_pictures_can_be_switched_off() {
    let mut rig = Rig::new(&["DUMP_SCREENSHOTS=false"]);
    rig.run(until(2, |_| call("observe", json!({"reason": ""}))));
    assert!(!rig.out().join("step001.png").exists());
}
