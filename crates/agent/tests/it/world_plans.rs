//! Plans of the `assist` profile on a desk: what the desk itself saw of each step, in which order and when.

use crate::rig::session;
use crate::world_rig::{HD, OnDesk, block_on, millis, plain, plainly};
use handsight_agent::ending::{Ending, Outcome};
use handsight_agent::episode::Episode;
use handsight_base::port::BoxFuture;
use handsight_base::port::desktop::DesktopError;
use handsight_base::port::model::{Model, ModelError, ModelReply, ModelRequest};
use handsight_base::space::ScreenRect;
use handsight_base::stop::{Stop, StopReason};
use handsight_worlds::Setup;
use handsight_worlds::engine::hold;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

fn desk(settings: &[&str]) -> OnDesk {
    OnDesk::of("assist", &plain(HD), settings)
}

fn step(tool: &str, args: Value) -> Value {
    json!({"tool": tool, "args": args, "human_readable_justification": "Go on"})
}

fn line(steps: &[Value], done: Option<&str>) -> Value {
    json!({"text": json!({"steps": steps, "done": done}).to_string()})
}

/// One plan, and the word that it is done.
fn play(desk: &OnDesk, steps: &[Value]) -> Ending {
    desk.play(&[line(steps, None), line(&[], Some("That was it."))])
}

/// What became of the first plan, action by action.
fn deeds(desk: &OnDesk) -> Vec<Value> {
    let line = &session(&desk.out())[0];
    line["deeds"].as_array().unwrap().iter().map(|deed| deed["outcome"].clone()).collect()
}

/// What the desk saw, without what its programs made of it.
fn input(desk: &OnDesk) -> Vec<String> {
    let of_hands =
        |what: &String| ["key ", "type ", "left ", "right ", "wheel "].iter().any(|w| what.starts_with(w));
    desk.seen().into_iter().filter(of_hands).collect()
}

// spec: D-31 D-69 SIM
#[test]
fn the_sample_turn_opens_the_editor() {
    let desk = desk(&[]);
    let ending = play(
        &desk,
        &[
            step("hotkey", json!({"keys": ["win", "r"]})),
            step("write", json!({"text": "notepad"})),
            step("press", json!({"key": "enter"})),
        ],
    );
    assert_eq!((ending.outcome, ending.turns, ending.actions), (Outcome::Done, 2, 3));
    let apps: Vec<String> = hold(&desk.world).window_truths().iter().map(|w| w.frame.app.clone()).collect();
    assert_eq!(apps, ["editor"], "the dialog is closed and the program open");
    let order = ["key r", "open run", "type n", "key enter", "open editor"].map(|what| desk.saw(what));
    assert!(order.is_sorted(), "{:?}", desk.seen());
    // What a step opens has its time to appear before the keys of the next.
    assert_eq!(millis(order[2] - order[1]), 300);
}

// spec: D-02 D-47 SIM
#[test]
fn a_place_of_the_picture_is_the_place_on_all_displays_joined() {
    // The left one lies at negative coordinates: the picture's first pixel is (-1024, -200) of the desktop.
    let joined = Setup::new(3, HD).with_display(ScreenRect::new(-1024, -200, 1024, 768), 1.0);
    let size = [2304, 920];
    let clicked = |settings: &[&str], at: [i32; 2], size: [u32; 2]| {
        let desk = OnDesk::of("assist", &plainly(&joined), settings);
        let ending = play(&desk, &[step("mouse", json!({"x": at[0], "y": at[1]}))]);
        assert_eq!((ending.outcome, ending.actions), (Outcome::Done, 1));
        let picture = desk.shots()[0].picture();
        assert_eq!([picture.width, picture.height], size);
        input(&desk)
    };
    assert_eq!(clicked(&[], [100, 300], size), ["left press at (-924, 100)"]);
    assert_eq!(clicked(&[], [1100, 700], size), ["left press at (76, 500)"], "the primary display");
    // Half as large: origin and pixel times two, in the middle of the four that a pixel of the picture stands for.
    let half = ["context.picture_width=1152", "context.picture_height=460"];
    assert_eq!(clicked(&half, [50, 150], [1152, 460]), ["left press at (-923, 101)"]);
    let one = clicked(&["capture.display=primary"], [100, 300], [HD.width, HD.height]);
    assert_eq!(one, ["left press at (100, 300)"], "the control: another picture, another place");
}

// spec: D-32 SIM
#[test]
fn the_desk_sees_a_move_a_click_and_nothing_of_a_place_outside() {
    let desk = desk(&[]);
    let ending = play(
        &desk,
        &[
            step("mouse", json!({"x": 700, "y": 80, "action": "move", "clicks": 4, "button": "right"})),
            step("mouse", json!({"x": 600, "y": 90, "clicks": 2, "interval_ms": 200})),
            step("mouse", json!({"x": 1280, "y": 90})),
            step("mouse", json!({"x": 500, "y": 90})),
        ],
    );
    assert_eq!(ending.outcome, Outcome::Done);
    assert_eq!(input(&desk), ["left press at (600, 90)", "left press at (600, 90)"]);
    let moves: Vec<(i32, i32)> = desk
        .tape()
        .into_iter()
        .filter_map(|(_, did)| if let crate::world_rig::Did::Inject(p) = did { Some(p) } else { None })
        .flatten()
        .filter_map(|p| {
            if let handsight_base::flow::action::Primitive::Move(to) = p { Some((to.x, to.y)) } else { None }
        })
        .collect();
    assert_eq!(moves, [(700, 80), (600, 90), (600, 90)], "the pointer did not go outside, nor on from there");
}

// spec: D-37 SIM
#[test]
fn a_text_is_typed_at_its_own_pace_by_the_desks_clock() {
    for (args, gap) in [(json!({"text": "Añ€", "interval_ms": 250}), 250), (json!({"text": "Añ€"}), 0)]
    {
        let desk = desk(&["act.step_delay_s=0"]);
        desk.open("editor", &[]);
        play(&desk, &[step("write", args)]);
        assert_eq!(desk.text(), "Añ€");
        let at = ["type A", "type ñ", "type €"].map(|what| desk.saw(what));
        assert_eq!([millis(at[1] - at[0]), millis(at[2] - at[1])], [gap, gap]);
    }
}

// spec: D-38 SIM
#[test]
fn a_paste_is_ctrl_v_and_the_clipboard_is_as_before() {
    use handsight_worlds::engine::World as _;
    let desk = desk(&[]);
    desk.open("editor", &[]);
    hold(&desk.world).set_clipboard("the person's own".into());
    play(&desk, &[step("paste", json!({"text": "Añ€\nsecond"}))]);
    assert_eq!(desk.text(), "Añ€\nsecond");
    assert_eq!(input(&desk), ["key v"], "with Ctrl, which is no key of its own there");
    assert_eq!(hold(&desk.world).clipboard(), "the person's own");
}

// spec: D-40 SIM
#[test]
fn a_launch_goes_by_the_run_dialog_or_directly() {
    let launch = step("launch", json!({"command": "notepad"}));
    let dialog = desk(&["act.launch_method=run_dialog", "act.run_dialog_wait_s=2"]);
    play(&dialog, std::slice::from_ref(&launch));
    let order = ["key r", "open run", "type n", "type d", "key enter", "open editor"];
    let at = order.map(|what| dialog.saw(what));
    assert!(at.is_sorted(), "{:?}", dialog.seen());
    assert_eq!(millis(at[2] - at[1]), 2000, "the dialog is waited for");
    let direct = desk(&["act.launch_method=spawn"]);
    play(&direct, &[launch]);
    assert_eq!(input(&direct), Vec::<String>::new(), "no key");
    direct.saw("open editor");
}

// spec: D-44 SIM
#[test]
fn steps_are_done_in_their_order_one_after_the_other_until_one_fails() {
    let press = |key: &str| step("press", json!({"key": key}));
    let desk = desk(&[]);
    let steps = [press("a"), step("mouse", json!({"x": 640, "y": 360})), press("b"), press("c")];
    play(&desk, &steps);
    assert_eq!(input(&desk), ["key a", "left press at (640, 360)", "key b", "key c"]);
    let times = ["key a", "left press", "key b", "key c"].map(|what| desk.saw(what));
    assert!(times.windows(2).all(|w| millis(w[1] - w[0]) >= 300), "{times:?}");
    // A window that is not there: what comes after it is not done, and the model is told.
    let desk = self::desk(&[]);
    let gone = step("focus_window", json!({"title": "no such window"}));
    let script = [line(&[press("a"), gone, press("b")], None), line(&[], Some("ok"))];
    assert_eq!(desk.play(&script).outcome, Outcome::Done);
    assert_eq!(input(&desk), ["key a"]);
    assert_eq!(deeds(&desk), ["done", "failed", "not_executed"]);
}

// spec: D-44 D-41 SIM
#[test]
fn a_window_that_vanishes_between_two_steps_ends_the_plan_there() {
    let desk = desk(&[]);
    let window = desk.open("editor", &[]);
    let title = {
        use handsight_worlds::engine::World as _;
        hold(&desk.world).windows().iter().find(|w| w.id.0 == window).unwrap().title.clone()
    };
    // Its own first step closes it.
    let steps = [
        step("focus_window", json!({"title": title.to_uppercase()})),
        step("hotkey", json!({"keys": ["alt", "f4"]})),
        step("focus_window", json!({"title": title})),
        step("write", json!({"text": "into nothing"})),
    ];
    assert_eq!(play(&desk, &steps).outcome, Outcome::Done);
    assert_eq!(deeds(&desk), ["done", "done", "failed", "not_executed"]);
    assert!(!desk.seen().iter().any(|what| what.starts_with("type ")), "{:?}", desk.seen());
}

/// A model that cannot be reached, or one in whose call the person stops the run.
struct Broken(Option<Stop>);

impl Model for Broken {
    fn name(&self) -> &str {
        "test/broken"
    }

    fn ask<'a>(&'a self, _: &'a ModelRequest, _: &'a Stop) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        if let Some(stop) = &self.0 {
            stop.set(StopReason::Chord);
        }
        Box::pin(async {
            let (provider, url) = ("test".to_owned(), "http://127.0.0.1:1/".to_owned());
            Err(ModelError::Network { provider, url, why: "refused".into(), sent: false })
        })
    }
}

// spec: D-63 D-64 SIM
#[test]
fn the_ways_to_end_are_told_apart() {
    let press = || step("press", json!({"key": "tab"}));
    let finished = play(&desk(&[]), &[press()]);
    assert_eq!((finished.outcome, finished.statement.as_str()), (Outcome::Done, "That was it."));
    let endless = desk(&[]).play(&vec![line(&[press()], None); 12]);
    assert_eq!((endless.outcome, endless.turns), (Outcome::TurnLimit, 12));
    let lost = desk(&[]);
    lost.refuse([DesktopError::Input { why: "access is denied".into(), code: Some(5) }]);
    let lost = play(&lost, &[press()]);
    let unreachable = desk(&[]).run(Arc::new(Broken(None)));
    let stopped = {
        let desk = desk(&[]);
        let stop = Stop::new();
        block_on(async {
            let mut parts = desk.parts(Arc::new(Broken(Some(stop.clone()))));
            parts.stop = stop;
            Episode::new(parts).unwrap().run().await
        })
    };
    let all = [finished, endless, unreachable, lost, stopped].map(|ending| ending.outcome);
    assert_eq!(all.map(Outcome::name), ["done", "turn_limit", "model_failed", "desktop_lost", "stopped"]);
    assert_eq!(all.map(Outcome::name).into_iter().collect::<BTreeSet<_>>().len(), 5);
}
