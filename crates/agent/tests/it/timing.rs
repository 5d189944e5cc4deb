//! Pauses and settling, to the millisecond of virtual time.

use crate::rig::{Rig, call, until};
use handsight_base::flow::frame::Pixels;
use handsight_base::space::Size;
use handsight_testkit::fake::Call;
use serde_json::{Value, json};
use std::time::Duration;

const SIZE: Size = Size::new(320, 180);

/// The milliseconds between the model's first answer and its second request, without settling.
fn pause_after(tool: &'static str, args: Value) -> u128 {
    let mut rig = Rig::new(&["settle.enabled=false"]);
    rig.run(until(2, move |_| call(tool, args.clone())));
    let asked = rig.asked();
    (asked[1].at - asked[0].at).as_millis()
}

// spec: S-27 S-37 S-38 S-39 S-40 UNIT
#[test]
fn each_tool_has_its_pause() {
    assert_eq!(pause_after("observe", json!({"reason": ""})), 1500);
    assert_eq!(
        pause_after("click", json!({"x": 1, "y": 1, "reason": ""})),
        950,
        "0.10 after the batch, then 0.85"
    );
    assert_eq!(pause_after("type", json!({"text": "a", "reason": ""})), 950);
    assert_eq!(pause_after("scroll", json!({"dy": 120, "reason": ""})), 950);
    let mut rig = Rig::new(&["settle.enabled=false"]);
    rig.run(until(1, |_| unreachable!()));
    assert_eq!(rig.desktop.calls().last().unwrap().0, Duration::ZERO, "`done` has no pause");
    let probes =
        rig.desktop.calls().iter().filter(|(_, c)| matches!(c, Call::Capture { frame: 0, .. })).count();
    assert_eq!(probes, 0, "settling is off");
}

/// The times of the probes of the first turn, in milliseconds from its end of pause.
fn probes(frames: impl IntoIterator<Item = Pixels>) -> Vec<u128> {
    let mut rig = Rig::new(&[]);
    rig.desktop.show_next([Pixels::solid(SIZE, [1, 1, 1])]);
    rig.desktop.show_next(frames);
    rig.run(until(2, |_| call("observe", json!({"reason": ""}))));
    let calls = rig.desktop.calls();
    let begin = Duration::from_millis(1500);
    let probes = calls.iter().filter(|(_, c)| matches!(c, Call::Capture { frame: 0, cursor: false }));
    probes.map(|(at, _)| (*at - begin).as_millis()).collect()
}

// spec: S-41 S-44 S-46 UNIT
#[test]
fn a_resting_screen_settles_after_two_intervals() {
    assert_eq!(probes([]), [0, 100, 200], "three looks without the pointer, 0.10 s apart");
}

// spec: S-44 UNIT
#[test]
fn an_animation_that_stops_settles_two_comparisons_later() {
    let moving = (0..6).map(|n| Pixels::solid(SIZE, [n, 0, 0]));
    assert_eq!(probes(moving).last(), Some(&700), "looks 0 to 5 differ; 6 and 7 do not");
}

// spec: S-45 UNIT
#[test]
fn an_endless_animation_ends_at_the_limit_and_the_loop_goes_on() {
    let moving = (0..60).map(|n| Pixels::solid(SIZE, [n, 0, 0]));
    let last = *probes(moving).last().unwrap();
    assert!((2500..=2700).contains(&last), "{last} ms");
}
