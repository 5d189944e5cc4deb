//! Pauses, settling and order on a desk, in the desk's own time.

use crate::rig::session;
use crate::world_rig::{
    Did, HD, OnDesk, difference, done, millis, observe, picture, plain, scroll, type_text,
};
use handsight_agent::ending::Outcome;
use handsight_base::flow::action::Primitive;
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{CaptureRequest, WindowId};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use handsight_worlds::desk::Desk;
use handsight_worlds::engine::{World, hold};
use serde_json::{Value, json};
use std::time::Duration;

/// What the desk lets a model think between a picture and its first input.
const THINK: Duration = Duration::from_secs(1);

// spec: S-27 S-39 SIM
#[test]
fn observe_sends_nothing_and_waits() {
    let desk = OnDesk::hd(&[]);
    desk.open("editor", &[]);
    let (truth, seen) = (desk.truth(), desk.seen());
    desk.play(&[observe("again"), done()]);
    assert_eq!((desk.truth(), desk.seen()), (truth, seen), "nothing happened on the desk");
    assert!(desk.times("inject").is_empty());
    let shots = desk.shots();
    let waited = shots[1].asked.at - shots[0].asked.at;
    assert_eq!(millis(waited), 1500 + 200, "1.5 s, then two intervals of settling");
    assert_eq!(millis(desk.times("probe")[0]), 1500);
    assert_eq!(desk.times("probe").len(), 3, "`done` has no settle");
    assert_eq!(desk.times("capture").len(), 2);
    let log = session(&desk.out());
    assert_eq!((&log[0]["calm"], &log[1]["calm"]), (&json!("settled"), &json!("skipped")));
    assert_eq!(desk.clock.now(), shots[1].asked.at, "`done` has no pause");
}

/// The milliseconds from the world's first sight of an input to the engine's first look after it.
fn pause(call: &Value, sight: &str, settings: &[&str]) -> u64 {
    let desk = OnDesk::hd(settings);
    desk.open("editor", &[]);
    let call = if call.is_null() { desk.click(desk.middle("editor", "text"), "") } else { call.clone() };
    desk.play(&[call, done()]);
    millis(desk.times("probe")[0] - desk.saw(sight))
}

// spec: S-37 S-38 SIM
#[test]
fn a_pause_follows_each_batch_and_a_longer_one_each_action() {
    for (call, sight) in
        [(Value::Null, "left press"), (type_text("a", ""), "type a"), (scroll(-120, ""), "wheel -120")]
    {
        assert_eq!(pause(&call, sight, &[]), 950, "0.10 after the batch, then 0.85: {sight}");
        assert_eq!(pause(&call, sight, &["DELAY_AFTER_ACTION_S=0"]), 100, "the batch's own: {sight}");
        assert_eq!(pause(&call, sight, &["INPUT_DELAY_S=0"]), 850, "the action's own: {sight}");
    }
}

// spec: S-30 S-36 SIM
#[test]
fn the_wheel_turns_where_the_pointer_is() {
    let desk = OnDesk::hd(&[]);
    desk.open("settings", &[]);
    let at = ScreenPx::new(411, 277);
    hold(&desk.world).set_pointer(at);
    desk.play(&[scroll(240, ""), scroll(-120, ""), scroll(0, ""), done()]);
    assert!(desk.shots().iter().all(|shot| shot.pointer == at), "the pointer did not move");
    let wheel: Vec<String> = desk.seen().into_iter().filter(|s| s.starts_with("wheel")).collect();
    assert_eq!(wheel, ["wheel 240 at (411, 277)", "wheel -120 at (411, 277)"], "and nothing for 0");
    for (_, did) in desk.tape() {
        if let Did::Inject(primitives) = did {
            assert!(primitives.iter().all(|p| matches!(p, Primitive::Wheel { .. })), "{primitives:?}");
        }
    }
}

// spec: S-29 S-35 SIM
#[test]
fn text_is_typed_character_by_character_with_enter_and_tab() {
    let desk = OnDesk::hd(&[]);
    desk.open("editor", &[]);
    let before = desk.seen().len();
    desk.play(&[type_text("Añ€😀\n\tz", ""), done()]);
    assert_eq!(desk.text(), "Añ€😀\n\tz");
    let seen = desk.seen();
    assert_eq!(seen[before..], ["type A", "type ñ", "type €", "type 😀", "key enter", "key tab", "type z"]);
    assert!(hold(&desk.world).held().0.is_empty());
}

// spec: S-40 SIM
#[test]
fn settling_can_be_switched_off() {
    let script = |desk: &OnDesk| {
        desk.open("editor", &[]);
        [observe("a"), type_text("b", "b"), scroll(120, "c"), done()]
    };
    let on = OnDesk::hd(&[]);
    on.play(&script(&on));
    let off = OnDesk::hd(&["SETTLE_ENABLED=false"]);
    off.play(&script(&off));
    let looks = |desk: &OnDesk| (desk.times("capture").len(), desk.times("probe").len());
    assert_eq!(looks(&on), (4, 9), "three samples after each of three tool calls");
    assert_eq!(looks(&off), (4, 0), "one capture a turn and no other");
    assert!(session(&off.out()).iter().all(|line| line["calm"] == "skipped"));
    let spent = |desk: &OnDesk| millis(desk.shots()[3].asked.at);
    assert_eq!(spent(&on) - spent(&off), 3 * 200);
}

/// The milliseconds of the first turn's samples, from its first one; meanwhile something goes on.
fn samples(
    settings: &[&str],
    change: impl FnMut(Duration, &mut Desk) + Send + 'static,
) -> (Vec<u64>, OnDesk) {
    let desk = OnDesk::hd(settings);
    desk.open("editor", &[]);
    let mut change = change;
    desk.meanwhile(move |_, now, desk| change(now, desk));
    let ending = desk.play(&[observe("a"), observe("b"), done()]);
    assert_eq!((ending.outcome, ending.turns), (Outcome::Done, 3), "the loop goes on");
    let second = desk.times("capture")[1];
    let probes: Vec<Duration> = desk.times("probe").into_iter().filter(|at| *at <= second).collect();
    let first = probes[0];
    (probes.into_iter().map(|at| millis(at - first)).collect(), desk)
}

/// Moves the only window to and fro, a step each 50 ms, until `stop`.
fn animation(stop: Duration) -> impl FnMut(Duration, &mut Desk) + Send + 'static {
    move |now, desk| {
        let step = (now.min(stop).as_millis() / 50) as i32;
        let id = desk.windows()[0].id;
        assert!(desk.place(id, ScreenRect::new(100 + step % 8 * 60, 100, 560, 400)));
    }
}

// spec: S-41 SIM
#[test]
fn a_pointer_that_moves_alone_does_not_keep_the_screen_from_settling() {
    let moving = |now: Duration, desk: &mut Desk| {
        let step = (now.as_millis() / 50) as i32;
        desk.set_pointer(ScreenPx::new(40 + step * 13 % 1200, 40 + step * 7 % 640));
    };
    let (times, desk) = samples(&[], moving);
    assert_eq!(times, [0, 100, 200], "two comparisons, as on a resting screen");
    let mut pointers = Vec::new();
    for (_, did) in desk.tape() {
        let Did::Look(request, frame) = did else { continue };
        if request.frame == CaptureRequest::PROBE {
            assert!(!request.cursor && !frame.cursor && request.region.is_none());
            assert_eq!(frame.size(), HD, "a sample is a full-screen capture");
            pointers.push(picture(&frame));
        }
    }
    assert!(pointers.windows(2).all(|pair| pair[0] == pair[1]), "no sample shows the pointer");
    let shots = desk.shots();
    assert_ne!(shots[0].pointer, shots[1].pointer, "it did move");
    // The control: what moves and is not the pointer does keep it.
    let (times, _) = samples(&[], animation(Duration::MAX));
    assert!(times.len() > 20, "{times:?}");
}

// spec: S-44 SIM
#[test]
fn an_animation_that_stops_settles_two_comparisons_later() {
    // The first sample is at 1.5 s. What moved last before 2.1 s is seen at 2.1 s to have moved.
    let (times, desk) = samples(&[], animation(Duration::from_millis(2100)));
    assert_eq!(times, [0, 100, 200, 300, 400, 500, 600, 700, 800], "it stops at 600; 700 and 800 are stable");
    assert_eq!(session(&desk.out())[0]["calm"], "settled");
    let (times, _) = samples(&["SETTLE_REQUIRED_STABLE=4"], animation(Duration::from_millis(2100)));
    assert_eq!(times.last(), Some(&1000));
}

// spec: S-45 SIM
#[test]
fn an_endless_animation_times_out_and_the_loop_goes_on() {
    let (times, desk) = samples(&[], animation(Duration::MAX));
    let last = *times.last().unwrap();
    assert!((2500..=2700).contains(&last), "{last} ms");
    let log = session(&desk.out());
    assert_eq!(
        (&log[0]["calm"], &log[1]["calm"], &log[2]["choice"]),
        (&json!("timed_out"), &json!("timed_out"), &json!("done"))
    );
    assert!(log[0]["notes"].as_array().unwrap().is_empty(), "that is no error");
    let (times, _) = samples(&["SETTLE_MAX_S=0.7"], animation(Duration::MAX));
    assert!((700..=900).contains(times.last().unwrap()), "{times:?}");
}

// spec: S-46 SIM
#[test]
fn samples_come_at_a_fixed_interval() {
    for (setting, interval) in [("SETTLE_CHECK_INTERVAL_S=0.10", 100), ("SETTLE_CHECK_INTERVAL_S=0.25", 250)]
    {
        let (times, _) = samples(&[setting], animation(Duration::MAX));
        assert!(times.len() >= 11, "{times:?}");
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] == interval), "{times:?}");
    }
}

// spec: S-13 S-60 SIM
#[test]
fn the_hud_changes_after_settling_and_before_the_next_capture() {
    let script = |desk: &OnDesk| {
        desk.open("editor", &[]);
        [type_text("a", "first words"), observe("second words"), done()]
    };
    // Blended into the picture where a desktop has no overlay of its own.
    let blended = OnDesk::native(HD, &[]);
    blended.play(&script(&blended));
    assert_eq!(
        blended.order(),
        [
            "capture", "inject", "probe", "probe", "probe", "capture", "probe", "probe", "probe", "capture",
            "release"
        ]
    );
    // Shown by the desktop where it has one: the same order, and the same pictures to the byte.
    let shown = OnDesk::native(HD, &[]).with_overlay();
    shown.play(&script(&shown));
    assert_eq!(
        shown.order(),
        [
            "capture", "inject", "probe", "probe", "probe", "show", "capture", "probe", "probe", "probe",
            "show", "capture", "release", "hide"
        ]
    );
    // While the screen settles it shows the reason of the turn before, and the new one from the capture on.
    let hud = |n: usize| {
        let (bare, covered) = (blended.looks()[n].clone(), shown.looks()[n].clone());
        difference(&picture(&covered), &bare)
    };
    let first = hud(4).expect("the first words are on the second capture");
    assert_eq!([0, 1, 2, 3].map(hud), [None; 4], "and on nothing before");
    assert_eq!([5, 6, 7].map(hud), [Some(first); 3]);
    assert_ne!(hud(8), Some(first), "the second words are on the third");
    let (blended, shown) = (blended.shots(), shown.shots());
    for (n, (a, b)) in blended.iter().zip(&shown).enumerate() {
        assert!(a.asked.picture == b.asked.picture, "picture {} differs", n + 1);
        assert_eq!(a.asked.at, b.asked.at);
        assert_eq!(difference(&a.picture(), &a.screen).is_some(), n > 0);
    }
    assert!(blended[1].asked.picture != blended[2].asked.picture, "it changes once a turn");
}

// spec: S-93 SIM
#[test]
fn a_whole_turn_takes_3_to_8_seconds_with_a_model_of_2_to_5() {
    for (seconds, whole) in [(2, 3150), (5, 6150)] {
        let desk = OnDesk::new(&plain(Size::new(1920, 1080)), &[]);
        desk.open("editor", &[]);
        let slow = |mut line: Value| {
            line["delay_ms"] = json!(seconds * 1000);
            line
        };
        let text = desk.middle("editor", "text");
        desk.play(&[
            slow(desk.click(text, "a")),
            slow(type_text("b", "c")),
            slow(scroll(-120, "d")),
            slow(done()),
        ]);
        let shots = desk.shots();
        for (n, pair) in shots.windows(2).enumerate() {
            let turn = pair[1].asked.at - pair[0].asked.at;
            // The desk has its own second of thought before each first input; it is no part of the figure.
            assert_eq!(millis(turn - THINK), whole, "turn {} with a model of {seconds} s", n + 1);
            assert!((3000..8000).contains(&millis(turn)), "{turn:?}");
        }
        let timings = &session(&desk.out())[0]["timings"];
        assert_eq!(timings["model"], json!(seconds as f64 * 1000.0));
        assert_eq!((&timings["pause"], &timings["settle"]), (&json!(950.0), &json!(200.0)));
    }
}

#[test]
fn the_animation_moves_what_the_engine_sees() {
    let desk = OnDesk::hd(&[]);
    let id = desk.open("editor", &[]);
    animation(Duration::MAX)(Duration::from_millis(150), &mut hold(&desk.world));
    let window = hold(&desk.world).windows().into_iter().find(|w| w.id == WindowId(id)).unwrap();
    assert_eq!(window.outer.origin, ScreenPx::new(280, 100));
}
