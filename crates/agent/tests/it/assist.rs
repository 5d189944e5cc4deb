//! The `assist` profile on a fake desktop: what its model is told, what becomes of plans, and when a run ends.

use crate::rig::{Answers, Rig};
use handsight_agent::ending::{Ending, Outcome};
use handsight_base::flow::action::{Button, Primitive};
use handsight_base::key::{Key, Named};
use handsight_base::port::desktop::DesktopError;
use handsight_base::port::model::{ModelError, ModelReply, ModelRequest, Part, Usage};
use handsight_base::space::{ScreenPx, Size};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// What the fake screen is.
const SCREEN: Size = Size::new(320, 180);

fn step(tool: &str, args: Value, why: &str) -> Value {
    json!({"tool": tool, "args": args, "human_readable_justification": why})
}

fn plan(steps: &[Value]) -> String {
    json!({"steps": steps, "done": null}).to_string()
}

fn done(summary: &str) -> String {
    json!({"steps": [], "done": summary}).to_string()
}

fn press(key: &str) -> Value {
    step("press", json!({"key": key}), "Go on")
}

fn text(text: &str) -> Result<ModelReply, ModelError> {
    let usage = Usage { input_tokens: Some(1000), output_tokens: Some(50), ..Usage::default() };
    Ok(ModelReply { text: text.to_owned(), usage, ..ModelReply::default() })
}

/// What was asked, and how it ended.
struct Played {
    ending: Ending,
    asked: Vec<ModelRequest>,
}

impl Played {
    /// The words beside the picture of a request, from 0.
    fn told(&self, n: usize) -> String {
        let parts = self.asked[n].messages.iter().flat_map(|m| &m.parts);
        let words = parts.filter_map(|p| if let Part::Text(text) = p { Some(text.as_str()) } else { None });
        words.collect::<Vec<_>>().join("\n")
    }
}

/// Plays these replies, the last of them for ever.
fn play(rig: &mut Rig, replies: &[String]) -> Played {
    let asked: Arc<Mutex<Vec<ModelRequest>>> = Arc::default();
    let (seen, replies) = (Arc::clone(&asked), replies.to_vec());
    let answers: Answers = Box::new(move |n, request| {
        seen.lock().unwrap().push(request.clone());
        text(replies.get(n as usize - 1).or(replies.last()).unwrap())
    });
    let ending = rig.run(answers);
    let asked = std::mem::take(&mut *asked.lock().unwrap());
    Played { ending, asked }
}

fn assist(settings: &[&str]) -> Rig {
    // A picture of the screen's own size.
    let size = ["context.picture_width=320", "context.picture_height=180", "settle.enabled=false"];
    Rig::of("assist", &[&size[..], settings].concat())
}

fn presses(rig: &Rig) -> Vec<Key> {
    let down = |p: &Primitive| if let Primitive::Key { key, down: true } = p { Some(*key) } else { None };
    rig.desktop.injected().iter().filter_map(down).collect()
}

// spec: D-13 D-14 D-16 D-17 D-55 UNIT
// spec: D-03 UNIT
#[test]
fn each_request_holds_the_contract_the_objective_the_turn_and_the_newest_steps() {
    let mut rig = assist(&[]);
    let click = step("mouse", json!({"x": 17, "y": 23}), "Open the menu");
    let played = play(&mut rig, &[plan(&[click, press("enter")]), done("The menu is open.")]);
    assert_eq!(
        (played.ending.outcome, played.ending.statement.as_str()),
        (Outcome::Done, "The menu is open.")
    );
    assert_eq!(played.asked.len(), 2);
    let system = &played.asked[0].system;
    for words in [
        "human_readable_justification",
        "`mouse`",
        "0 to 4 steps",
        "Return minimal valid JSON",
        "Reuse the coordinates",
        "short and imperative: \"Open Run dialog\", \"Type filename\"",
        "Set `done` early",
        "`write` and then `press` with `key` = `enter`",
        "Markdown fences",
        "Tool names of your own making",
        "guess far ahead",
        "Long `sleep` calls",
        "large pasted text",
    ] {
        assert!(system.contains(words), "{words:?} is not in {system}");
    }
    assert!(!system.contains("Press the button"), "the objective stands in the user's part");
    assert_eq!(played.told(0), "Objective: Press the button\n\nTurn 1 of 12.");
    let second = played.told(1);
    assert!(second.starts_with("Objective: Press the button\n\nTurn 2 of 12."), "{second}");
    assert!(second.contains(r#"turn 1: mouse {"x":17,"y":23} - Open the menu: done"#), "{second}");
    assert!(second.contains(r#"turn 1: press {"key":"enter"} - Go on: done"#), "{second}");
    // Requests are made anew: one picture each.
    for request in &played.asked {
        let pictures = request.messages.iter().flat_map(|m| &m.parts);
        assert_eq!(pictures.filter(|p| matches!(p, Part::Picture(_))).count(), 1);
        assert_eq!(request.messages.len(), 1);
    }
}

// spec: D-14 UNIT
#[test]
fn twelve_steps_are_listed_and_the_oldest_go() {
    let mut rig = assist(&["limits.max_turns=20"]);
    let keys = |from: u8| plan(&(from..from + 4).map(|n| press(&format!("f{n}"))).collect::<Vec<_>>());
    let played = play(&mut rig, &[keys(1), keys(5), keys(9), plan(&[press("a")]), done("ok")]);
    let fourth = played.told(3);
    assert_eq!(fourth.matches("turn ").count(), 12, "{fourth}");
    let last = played.told(4);
    assert!(!last.contains(r#""f1""#) && last.contains(r#""f2""#) && last.contains(r#""key":"a""#), "{last}");
}

// spec: D-23 D-15 UNIT
#[test]
fn of_six_steps_four_run_and_two_are_told_as_dropped() {
    let mut rig = assist(&[]);
    let six: Vec<Value> = (1..=6).map(|n| press(&format!("f{n}"))).collect();
    let played = play(&mut rig, &[plan(&six), done("ok")]);
    let f = |n: u8| -> Key { format!("f{n}").parse().unwrap() };
    assert_eq!(presses(&rig), [f(1), f(2), f(3), f(4)]);
    let told = played.told(1);
    assert!(told.contains("2 steps too many were dropped: 4 are run at most"), "{told}");
}

// spec: D-27 D-15 D-44 UNIT
#[test]
fn a_tool_of_its_own_making_runs_nothing_and_ends_the_plan_there() {
    let mut rig = assist(&[]);
    let steps = [press("tab"), step("teleport", json!({}), "Away"), press("enter")];
    let played = play(&mut rig, &[plan(&steps), done("ok")]);
    assert_eq!(presses(&rig), [Key::Named(Named::Tab)]);
    let told = played.told(1);
    assert!(told.contains("step 2 was not run, nor what came after it"), "{told}");
    assert!(told.contains("teleport") && told.contains("`mouse`"), "{told}");
    // It is no failure of the reply: nothing was asked again, and the turn counts.
    assert_eq!((played.asked.len(), played.ending.turns), (2, 2));
    let line = &crate::rig::session(&rig.out())[0];
    assert!(line["notes"].to_string().contains("teleport"), "{line}");
}

// spec: D-32 D-48 UNIT
#[test]
fn a_place_outside_moves_nothing() {
    for (x, y) in
        [(json!(320), json!(5)), (json!(-1), json!(5)), (json!(10.5), json!(5)), (json!(5), json!(180))]
    {
        let mut rig = assist(&[]);
        let out = step("mouse", json!({"x": x, "y": y}), "Click");
        let played = play(&mut rig, &[plan(&[out, press("a")]), done("ok")]);
        assert_eq!(rig.desktop.injected(), [], "{x} {y}");
        assert!(played.told(1).contains("step 1 was not run"), "{}", played.told(1));
    }
    let mut rig = assist(&[]);
    let corner = step("mouse", json!({"x": 319, "y": 179}), "Click");
    play(&mut rig, &[plan(&[corner]), done("ok")]);
    assert!(rig.desktop.injected().contains(&Primitive::Move(ScreenPx::new(319, 179))));
}

// spec: D-33 UNIT
#[test]
fn a_click_is_repeated_at_its_interval_with_its_button() {
    let mut rig = assist(&[]);
    let args = json!({"x": 5, "y": 6, "button": "right", "clicks": 3, "interval_ms": 200});
    play(&mut rig, &[plan(&[step("mouse", args, "Thrice")]), done("ok")]);
    let injected = rig.desktop.injected();
    let downs =
        injected.iter().filter(|p| matches!(p, Primitive::Button { button: Button::Right, down: true }));
    assert_eq!(downs.count(), 3);
    let waits: Vec<u128> = injected
        .iter()
        .filter_map(|p| if let Primitive::Wait(d) = p { Some(d.as_millis()) } else { None })
        .collect();
    assert_eq!(waits, [200, 200]);
}

// spec: D-34 D-35 UNIT
#[test]
fn press_lets_each_key_go_before_the_next_and_hotkey_holds() {
    let mut rig = assist(&[]);
    let tapped = step("press", json!({"keys": ["ctrl", "s"]}), "Save");
    let chord = step("hotkey", json!({"keys": ["ctrl", "shift", "esc"]}), "Open the list");
    let played = play(&mut rig, &[plan(&[tapped, chord]), done("ok")]);
    let keys: Vec<(Key, bool)> = rig
        .desktop
        .injected()
        .iter()
        .filter_map(|p| if let Primitive::Key { key, down } = p { Some((*key, *down)) } else { None })
        .collect();
    let [control, shift, escape] = [Named::Control, Named::Shift, Named::Escape].map(Key::Named);
    let s = Key::Char('s');
    assert_eq!(keys[..4], [(control, true), (control, false), (s, true), (s, false)]);
    assert_eq!(
        keys[4..],
        [(control, true), (shift, true), (escape, true), (escape, false), (shift, false), (control, false)]
    );
    assert!(played.told(1).contains("`hotkey` holds it"), "{}", played.told(1));
}

// spec: D-39 D-70 UNIT
#[test]
fn a_sleep_is_five_seconds_at_most() {
    for (secs, slept) in [(5, 5), (9, 5), (0, 0)] {
        let mut rig = assist(&["act.input_delay_s=0", "act.delay_after_observe_s=0"]);
        let played = play(&mut rig, &[plan(&[step("sleep", json!({"secs": secs}), "Wait")]), done("ok")]);
        let waited: u64 = rig
            .desktop
            .injected()
            .iter()
            .map(|p| if let Primitive::Wait(d) = p { d.as_secs() } else { 0 })
            .sum();
        assert_eq!(waited, slept, "{secs}");
        assert_eq!(played.told(1).contains("outside 0 to 5: used 5"), secs > 5, "{}", played.told(1));
    }
}

// spec: D-29 D-30 UNIT
#[test]
fn a_broken_contract_is_asked_for_again_with_less_room_and_takes_no_turn() {
    let mut rig = assist(&[]);
    let fenced = format!("```json\n{}\n```", done("x"));
    let third = json!({"steps": [], "done": null, "thought": "hm"}).to_string();
    let played = play(&mut rig, &[fenced, third, plan(&[press("a")]), done("ok")]);
    assert_eq!((played.ending.outcome, played.ending.turns), (Outcome::Done, 2));
    let budgets: Vec<Option<u32>> = played.asked.iter().map(|r| r.sampling.max_tokens).collect();
    assert_eq!(budgets, [Some(1024), Some(512), Some(256), Some(1024)]);
    assert!(played.asked.iter().all(|r| r.sampling.temperature == Some(0.0)));
    assert!(played.told(1).contains("was not used (not_json)"), "{}", played.told(1));
    assert!(played.told(2).contains("was not used (extra_key)"), "{}", played.told(2));
    assert!(!played.told(2).contains("not_json"), "one complaint at a time");
    assert!(!played.told(3).contains("not used"), "{}", played.told(3));
    // What they cost counts, and the journal has them all.
    assert_eq!((played.ending.input_tokens, played.ending.output_tokens), (4000, 200));
    let notes = crate::rig::session(&rig.out())[0]["notes"].to_string();
    assert!(notes.contains("malformed (not_json)") && notes.contains("malformed (extra_key)"), "{notes}");
    let mut reader = handsight_store::Reader::open(&rig.out()).unwrap();
    assert_eq!(reader.exchanges(1).unwrap().len(), 3);
}

// spec: D-29 UNIT
#[test]
fn a_reply_that_was_cut_off_keeps_its_room() {
    let mut rig = assist(&[]);
    let asked: Arc<Mutex<Vec<Option<u32>>>> = Arc::default();
    let seen = Arc::clone(&asked);
    let ending = rig.run(Box::new(move |n, request| {
        seen.lock().unwrap().push(request.sampling.max_tokens);
        if n == 1 {
            let cut = ModelReply { finish: Some("length".into()), ..text("{\"steps\": [")? };
            return Ok(cut);
        }
        text(&done("ok"))
    }));
    assert_eq!(ending.outcome, Outcome::Done);
    assert_eq!(*asked.lock().unwrap(), [Some(1024), Some(1024)]);
}

// spec: D-29 D-58 D-64 UNIT
#[test]
fn a_turn_whose_retries_all_fail_counts_as_one_and_twelve_end_the_run() {
    let mut rig = assist(&[]);
    let played = play(&mut rig, &["Sure, I will click OK.".to_owned()]);
    assert_eq!((played.ending.turns, played.asked.len()), (12, 36));
    assert_eq!(played.ending.outcome, Outcome::Malformed);
    assert_eq!(rig.desktop.injected(), []);
    // And plans without an end.
    let mut rig = assist(&[]);
    let played = play(&mut rig, &[plan(&[press("tab")])]);
    assert_eq!((played.ending.turns, played.ending.outcome), (12, Outcome::TurnLimit));
}

// spec: D-26 UNIT
#[test]
fn nothing_to_do_and_not_done_is_a_wasted_turn_and_told() {
    let mut rig = assist(&[]);
    let empty = plan(&[]);
    let played = play(&mut rig, &[empty]);
    assert_eq!((played.ending.turns, played.asked.len()), (12, 12), "nothing is asked again");
    assert_eq!(played.ending.outcome, Outcome::TurnLimit);
    assert!(played.told(1).contains("the turn came to nothing"), "{}", played.told(1));
}

// spec: D-22 D-25 UNIT
#[test]
fn the_end_is_claimed_on_a_fresh_picture() {
    let mut rig = assist(&[]);
    let both = json!({"steps": [press("enter")], "done": "It is done."}).to_string();
    let blank = json!({"steps": [], "done": "  "}).to_string();
    let played = play(&mut rig, &[both, blank, done("It is really done.")]);
    assert_eq!(played.ending.statement, "It is really done.");
    assert_eq!((played.ending.turns, presses(&rig).len()), (3, 1));
    assert!(played.told(1).contains("`done` beside steps was passed over"), "{}", played.told(1));
}

// spec: D-44 D-15 D-46 UNIT
#[test]
fn a_step_that_fails_ends_the_plan_and_is_told() {
    let mut rig = assist(&[]);
    let gone = DesktopError::Unsupported { what: "this".into(), backend: "fake".into() };
    rig.desktop.fail_injections([gone]);
    let played = play(&mut rig, &[plan(&[press("f1"), press("f2")]), done("ok")]);
    assert_eq!(rig.desktop.injected(), []);
    let told = played.told(1);
    assert!(told.contains(r#"press {"key":"f1"} - Go on: not done"#), "{told}");
    assert!(told.contains(r#"press {"key":"f2"} - Go on: not executed"#), "{told}");
}

// spec: D-40 UNIT
#[test]
fn a_launch_goes_the_systems_way_and_only_for_programs_that_may() {
    let launch = |command: &str| plan(&[step("launch", json!({"command": command}), "Start")]);
    let mut rig = assist(&["act.launch_method=run_dialog", "act.run_dialog_wait_s=0.7"]);
    play(&mut rig, &[launch("notepad"), done("ok")]);
    let injected = rig.desktop.injected();
    let typed: String =
        injected.iter().filter_map(|p| if let Primitive::Char(c) = p { Some(*c) } else { None }).collect();
    assert_eq!(typed, "notepad");
    let at = |wanted: Primitive| injected.iter().position(|p| *p == wanted).unwrap();
    let down = |key| Primitive::Key { key, down: true };
    let (win, r, enter) = (Key::Named(Named::Super), Key::Char('r'), Key::Named(Named::Enter));
    let wait = Primitive::Wait(std::time::Duration::from_millis(700));
    let order = [at(down(win)), at(down(r)), at(wait), at(Primitive::Char('n')), at(down(enter))];
    assert!(order.is_sorted(), "{injected:?}");
    // Not allowed: nothing moves, and the model is told.
    let mut rig = assist(&["act.launch_method=run_dialog", "policy.launch=[\"mousepad\"]"]);
    let played = play(&mut rig, &[launch("notepad"), done("ok")]);
    assert_eq!(rig.desktop.injected(), []);
    assert!(played.told(1).contains("not among the programs"), "{}", played.told(1));
}

// spec: D-31 D-69 UNIT
#[test]
fn the_sample_turn_runs_and_opening_notepad_takes_two_turns() {
    let mut rig = assist(&[]);
    let steps = [
        step("hotkey", json!({"keys": ["win", "r"]}), "Open Run"),
        step("write", json!({"text": "notepad"}), "Type app name"),
        step("press", json!({"key": "enter"}), "Launch"),
    ];
    let played = play(&mut rig, &[plan(&steps), done("Notepad is open.")]);
    assert_eq!((played.ending.turns, played.ending.actions), (2, 3));
    assert_eq!(played.ending.outcome, Outcome::Done);
}

// spec: D-51 UNIT
#[test]
fn nothing_is_learned_between_runs() {
    let first = |rig: &mut Rig| {
        let played = play(rig, &[plan(&[press("a")]), done("ok")]);
        (played.asked[0].system.clone(), played.told(0))
    };
    assert_eq!(first(&mut assist(&[])), first(&mut assist(&[])));
}

// spec: D-02 D-47 UNIT
#[test]
fn places_are_pixels_of_the_whole_desktop_with_a_display_left_of_the_first() {
    use handsight_base::port::desktop::Display;
    use handsight_base::space::ScreenRect;
    let display = |name: &str, area, primary| Display { name: name.into(), area, primary, scale: 1.0 };
    for (width, factor) in [(520, 1), (260, 2)] {
        let (w, h) =
            (format!("context.picture_width={width}"), format!("context.picture_height={}", 180 / factor));
        let mut rig = Rig::of("assist", &[w.as_str(), &h, "settle.enabled=false"]);
        rig.desktop.set_displays(vec![
            display("left", ScreenRect::new(-200, 0, 200, 180), false),
            display("first", ScreenRect::new(0, 0, SCREEN.width, SCREEN.height), true),
        ]);
        let click = step("mouse", json!({"x": 10, "y": 20}), "Click");
        play(&mut rig, &[plan(&[click]), done("ok")]);
        let moved = rig
            .desktop
            .injected()
            .into_iter()
            .find_map(|p| if let Primitive::Move(to) = p { Some(to) } else { None });
        // The middle of the pixel: of one twice as large, between two.
        let wanted = if factor == 1 { ScreenPx::new(-190, 20) } else { ScreenPx::new(-179, 41) };
        assert_eq!(moved, Some(wanted), "{width}");
    }
}
