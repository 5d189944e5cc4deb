//! The same tasks on the simulated desk through every dialect, and a reply read without a run.
//!
//! An oracle says what to do, an independent writer says it in the dialect, a strict server sends it over the dialect's wire, and the
//! whole engine does it: the task is verified, the deeds are those of the oracle, and each place is the one that was meant, within a
//! step of the numbers it was written in.

use crate::handsight::Handsight;
use handsight_base::flow::action::{Action, Axis, Button, ScrollBy, Spot};
use handsight_base::flow::intent::Intent;
use handsight_base::key::{Key, Modifiers, Named};
use handsight_base::space::{At, FrameId, FramePx, FrameRect, PictureGeometry, ScreenPx, Size};
use handsight_model::DIALECTS;
use handsight_model::dialect::DialectEntry;
use handsight_pixel::png::{self, PngEncoder};
use handsight_pixel::rgb::Rgb24;
use handsight_store::Reader;
use handsight_testkit::chat::{Api, Call, Reply, Rules, Server};
use handsight_testkit::written::writer;
use handsight_worlds::Setup;
use handsight_worlds::engine::{Input, World, hold};
use handsight_worlds::task::Hand;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

const SIZE: Size = Size::new(1280, 720);
const SEED: u64 = 5;

/// What the oracle does on a desk of our own, until it is done.
fn solution(task: &str) -> Vec<Hand> {
    let world = (handsight_worlds::find("desk").unwrap().build)(&Setup::new(SEED, SIZE));
    let mut world = hold(&*world);
    world.begin(task).unwrap();
    let mut hands = Vec::new();
    for second in 1..80 {
        // Slower than a double click.
        world.advance(Duration::from_secs(second));
        let hand = world.oracle();
        let done = hand == Hand::Done;
        move_hands(&mut *world, &hand);
        hands.push(hand);
        if done {
            return hands;
        }
    }
    panic!("the oracle of {task} comes to no end: {hands:#?}")
}

fn move_hands(world: &mut dyn World, hand: &Hand) {
    let press = |world: &mut dyn World, at: ScreenPx, button, times: u32| {
        world.input(Input::Move(at));
        for _ in 0..times {
            for down in [true, false] {
                world.input(Input::Button { button, down });
            }
        }
    };
    match hand {
        Hand::Click(at) => press(world, *at, Button::Left, 1),
        Hand::DoubleClick(at) => press(world, *at, Button::Left, 2),
        Hand::RightClick(at) => press(world, *at, Button::Right, 1),
        Hand::Drag(from, to) => {
            world.input(Input::Move(*from));
            world.input(Input::Button { button: Button::Left, down: true });
            world.input(Input::Move(*to));
            world.input(Input::Button { button: Button::Left, down: false });
        }
        Hand::Type(text) => text.chars().for_each(|c| match c {
            '\n' => tap(world, Key::Named(Named::Enter)),
            '\t' => tap(world, Key::Named(Named::Tab)),
            c => world.input(Input::Char(c)),
        }),
        Hand::Key(chord) => {
            for key in &chord.0 {
                world.input(Input::Key { key: *key, down: true });
            }
            for key in chord.0.iter().rev() {
                world.input(Input::Key { key: *key, down: false });
            }
        }
        Hand::Scroll(units) => world.input(Input::Wheel { axis: Axis::Vertical, units: *units }),
        Hand::Done => {}
    }
}

fn tap(world: &mut dyn World, key: Key) {
    for down in [true, false] {
        world.input(Input::Key { key, down });
    }
}

fn spot(at: ScreenPx) -> Spot {
    At { point: FramePx::new(at.x, at.y), frame: FrameId(1) }
}

fn intent(hand: &Hand) -> Intent {
    let click = |at: &ScreenPx, button, count| {
        Intent::Act(Action::Click { at: Some(spot(*at)), button, count, modifiers: Modifiers::NONE })
    };
    match hand {
        Hand::Click(at) => click(at, Button::Left, 1),
        Hand::DoubleClick(at) => click(at, Button::Left, 2),
        Hand::RightClick(at) => click(at, Button::Right, 1),
        Hand::Drag(from, to) => {
            let path = vec![spot(*from), spot(*to)];
            Intent::Act(Action::Drag { path, button: Button::Left, modifiers: Modifiers::NONE })
        }
        Hand::Type(text) => Intent::Act(Action::typed(text.clone())),
        Hand::Key(chord) => Intent::Act(Action::Key { chord: chord.clone(), repeat: 1 }),
        Hand::Scroll(units) => {
            let by = ScrollBy::Notches { dx: 0, dy: units / 120 };
            Intent::Act(Action::Scroll { at: None, by, modifiers: Modifiers::NONE })
        }
        Hand::Done => Intent::Done { statement: "It is done.".into() },
    }
}

fn geometry(size: Size) -> PictureGeometry {
    PictureGeometry { frame: FrameId(1), pane: FrameRect::new(0, 0, SIZE.width, SIZE.height), size }
}

/// Answers the n-th request with the n-th movement, written on the picture that came with it.
fn server(entry: &'static DialectEntry, api: Api, hands: Vec<Hand>) -> Server {
    let write = writer(entry.info.name).unwrap().write;
    Server::with(Rules { api, ..Rules::default() }, move |request| {
        let (Some(hand), Some(seen)) = (hands.get(request.n - 1), request.pictures.last()) else {
            return Reply::OutOfScript;
        };
        let written = write(&intent(hand), &geometry(Size::new(seen.width, seen.height))).unwrap();
        if written.calls.is_empty() {
            return Reply::text(&written.text);
        }
        let calls = written.calls.iter().enumerate().map(|(n, (name, arguments))| Call {
            id: format!("call_{}_{n}", request.n),
            name: name.clone(),
            arguments: arguments.to_string(),
        });
        Reply::Calls(calls.collect())
    })
}

/// The deeds of a run in their order, without mere moves of the pointer: some grammars need one before a click.
fn deeds(run: &Path) -> Vec<Action> {
    let mut reader = Reader::open(run).unwrap();
    let turns = reader.turns();
    let of = |turn: &u64| reader.actions(*turn).unwrap().into_iter().map(|row| row.action);
    let deeds: Vec<Action> = turns.iter().flat_map(of).collect();
    deeds.into_iter().filter(|a| !matches!(a, Action::Move { .. })).collect()
}

/// One step of the numbers that places are written in, in pixels of the screen: no picture here is smaller than half of it, and a
/// thousandth of it is 1.3.
const STEP: i32 = 2;

/// Whether every movement can be said in the dialect.
fn can(entry: &DialectEntry, hands: &[Hand]) -> bool {
    let writer = writer(entry.info.name).unwrap();
    hands.iter().all(|hand| (writer.write)(&intent(hand), &geometry(SIZE)).is_some())
}

/// Plays a task through every dialect that has words for all of it; the names of those that have not.
fn play(task: &str) -> Vec<&'static str> {
    let hands = solution(task);
    let handsight = Handsight::new();
    let mut silent = Vec::new();
    for entry in DIALECTS {
        let name = entry.info.name;
        // The computers that providers define themselves are played by `crates/agent/tests/it/world_computers.rs`.
        if !entry.info.wires.is_empty() {
            continue;
        }
        if !can(entry, &hands) {
            silent.push(name);
            continue;
        }
        let api = Api::ALL.into_iter().find(|api| entry.speaks(api.wire())).unwrap();
        let provider = format!("p-{}", name.replace('.', "-"));
        let text =
            format!("about = \"a\"\nwire = \"{}\"\ndialect = \"{name}\"\nstreaming = \"off\"\n", api.wire());
        handsight.config(&format!("providers/{provider}.toml"), &text);
        let server = server(entry, api, hands.clone());
        let said = handsight.run(&[
            "run",
            "--set",
            "decide.dialect=",
            "--desktop",
            &format!("world:desk,task={task},seed={SEED},size={SIZE}"),
            "--model",
            &format!("{provider}/test-model"),
            "--base-url",
            &server.base_url(),
            "--out",
            name,
            "--json",
        ]);
        assert_eq!(said.ended(0).json()["verified"], true, "{name}: {}", said.stderr);
        check(name, &hands, &deeds(&handsight.home().join(name)));
    }
    silent
}

/// The same kinds of deeds at the same places.
fn check(name: &str, hands: &[Hand], done: &[Action]) {
    let meant: Vec<Intent> = hands.iter().map(intent).collect();
    let meant: Vec<&Action> =
        meant.iter().filter_map(|i| if let Intent::Act(a) = i { Some(a) } else { None }).collect();
    let kinds: Vec<&str> = done.iter().map(Action::name).collect();
    assert_eq!(kinds, meant.iter().map(|a| a.name()).collect::<Vec<_>>(), "{name}");
    for (done, meant) in done.iter().zip(&meant) {
        for (a, b) in done.spots().iter().zip(meant.spots()) {
            let off = ((a.point.x - b.point.x).abs(), (a.point.y - b.point.y).abs());
            assert!(off.0 <= STEP && off.1 <= STEP, "{name}: {done:?} for {meant:?}");
        }
    }
}

#[test]
fn clicks_and_texts_are_verified_through_every_dialect() {
    // A text with a line break in it takes two turns of these: only one text and one press of Enter each.
    const TWO_TURNS: [&str; 4] = ["autoglm", "holo-1", "holo-1.5", "holo-2"];
    let silent = play("write-note");
    assert!(silent.iter().all(|name| *name == "script" || TWO_TURNS.contains(name)), "{silent:?}");
}

/// Those that have no words for the rest say so; some can, or this would show nothing.
#[test]
fn keys_are_verified_through_the_dialects_that_press_them() {
    let silent = play("copy-by-keys");
    println!("no words: {silent:?}");
    assert!(silent.len() < DIALECTS.len() / 2, "{silent:?}");
}

#[test]
fn double_clicks_are_verified_through_the_dialects_that_know_them() {
    let silent = play("double-click");
    println!("no words: {silent:?}");
    assert!(silent.len() < DIALECTS.len() / 2, "{silent:?}");
}

#[test]
fn right_clicks_are_verified_through_the_dialects_that_know_them() {
    let silent = play("hide-windows");
    println!("no words: {silent:?}");
    assert!(silent.len() < DIALECTS.len() / 2, "{silent:?}");
}

#[test]
fn drags_are_verified_through_the_dialects_that_know_them() {
    let silent = play("left-half");
    println!("no words: {silent:?}");
    // Some drag from where the pointer is, which takes two turns.
    assert!(DIALECTS.len() - silent.len() >= 6, "{silent:?}");
}

#[test]
fn a_dialect_is_not_spoken_over_a_wire_that_does_not_carry_it() {
    let handsight = Handsight::new();
    let Some(bound) = DIALECTS.iter().find(|d| !d.info.wires.is_empty() && !d.speaks("chat")) else { return };
    let set = format!("decide.dialect={}", bound.info.name);
    let desktop = format!("world:desk,seed={SEED}");
    let args =
        ["run", "do it", "--desktop", &desktop, "--model", "custom/m", "--base-url", "http://127.0.0.1:9/v1"];
    let said = handsight.run(&[&args[..], &["--set", &set]].concat());
    said.ended(2);
    for words in [bound.info.name, bound.info.wires[0], "chat"] {
        assert!(said.stderr.contains(words), "{words}: {}", said.stderr);
    }
    let said = handsight.run(&[&args[..], &["--set", "decide.dialect=nosuch"]].concat());
    said.ended(2);
    assert!(said.stderr.contains("nosuch") && said.stderr.contains("actions"), "{}", said.stderr);
}

#[test]
fn a_reply_is_read_without_a_run() {
    let handsight = Handsight::new();
    let listed = handsight.run(&["models", "dialects"]);
    listed.ended(0);
    assert!(DIALECTS.iter().all(|d| listed.stdout.contains(d.info.name)), "{}", listed.stdout);
    let listed = handsight.run(&["models", "dialects", "--json"]).ended(0).json();
    assert_eq!(listed["dialects"].as_array().unwrap().len(), DIALECTS.len());

    let write = |name: &str, text: &str| std::fs::write(handsight.home().join(name), text).unwrap();
    write(
        "good",
        r#"[{"do":"click","at":[500,500],"button":"right"},{"do":"drag","path":[[0,0],[1000,1000]]}]"#,
    );
    let said = handsight.run(&["models", "dialect", "actions", "good", "--screen", "1001x1001"]);
    said.ended(0);
    assert_eq!(said.stdout, "{\"click\":[500,500],\"button\":\"right\"}\n{\"drag\":[[0,0],[1000,1000]]}\n");
    write("bad", "click somewhere");
    let said = handsight.run(&["models", "dialect", "actions", "bad", "--json"]).ended(6).json();
    assert_eq!(said["refused"], "bad_json");
    let call = json!({"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "done", "arguments": "{\"reason\":\"r\"}"}}]});
    write(
        "raw",
        &json!({"choices": [{"index": 0, "message": call, "finish_reason": "tool_calls"}]}).to_string(),
    );
    let said = handsight.run(&["models", "dialect", "tools", "raw"]);
    said.ended(0);
    assert_eq!(said.stdout, "{\"call\":\"done\",\"args\":{\"reason\":\"r\"}}\n");
    handsight.run(&["models", "dialect", "nosuch", "raw"]).ended(2);
    handsight.run(&["models", "dialect", "tools", "no-such-file"]).ended(2);

    // The picture with a mark on it: the control is that only the mark's surroundings differ.
    let mut grey = Rgb24::new(Size::new(200, 100));
    grey.rows_mut().for_each(|row| row.fill(90));
    let grey = PngEncoder::new().encode(&grey).unwrap();
    std::fs::write(handsight.home().join("shot.png"), &grey).unwrap();
    let args = ["models", "dialect", "actions", "one", "--picture", "shot.png", "--out", "marked.png"];
    write("one", r#"[{"do":"click","at":[500,500]}]"#);
    handsight.run(&args).ended(0);
    let marked = png::decode(&std::fs::read(handsight.home().join("marked.png")).unwrap()).unwrap();
    let view = marked.view();
    assert_eq!(view.size(), Size::new(200, 100));
    let red = |x: u32, y: u32| view.row(y)[x as usize * 4 + 2];
    assert_eq!([red(100, 50), red(2, 2), red(197, 97)], [255, 90, 90]);
}
