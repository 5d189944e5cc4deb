//! `run` and `replay` on a simulated desktop: what is done, what is kept, and that it can be done again.

use crate::handsight::{Handsight, Said};
use crate::one_run;
use crate::rig::session;
use handsight_base::flow::action::{Axis, Button};
use handsight_base::key::{Key, Named};
use handsight_base::space::{ScreenPx, Size};
use handsight_worlds::Setup;
use handsight_worlds::engine::{Input, World, hold};
use handsight_worlds::task::Hand;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

// spec: S-01 FAKE SIM
#[test]
fn one_script_gives_one_log_from_a_file_and_over_the_wire() {
    let log = one_run::simulated();
    let choices: Vec<&Value> = log.iter().map(|line| &line[0][1]).collect();
    let expected = ["act", "act", "act", "observe", "observe", "act", "refused", "act", "done"];
    assert_eq!(choices, expected.map(Value::from).iter().collect::<Vec<_>>(), "{log:#?}");
    let deeds: Vec<&Value> =
        log.iter().filter(|line| line[1] != json!([])).map(|line| &line[1][0][0]).collect();
    assert_eq!(
        deeds,
        ["click", "type", "scroll", "click", "click"].map(Value::from).iter().collect::<Vec<_>>()
    );

    let handsight = Handsight::new();
    let model = format!("scripted/{}", one_run::FILE);
    let desktop = "world:desk,seed=3,size=1280x720";
    let played = |out: &str, desktop: &str| {
        let args = ["run", "do it all", "--desktop", desktop, "--model", &model, "--out", out];
        handsight.run(&args).ended(0);
        one_run::log(&handsight.home().join(out))
    };
    assert_eq!(played("file", desktop), log);
    assert_eq!(played("dark", "world:desk,seed=4,size=1280x720"), log, "whatever the desk looks like");
    // The control: on another size the same words are other places.
    assert_ne!(played("large", "world:desk,seed=3,size=1920x1080"), log);
}

const TASK: &str = "write-note";
const SIZE: Size = Size::new(1280, 720);

fn desktop(seed: u64) -> String {
    format!("world:desk,task={TASK},seed={seed},size={SIZE}")
}

/// The calls that solve the task, from an oracle on a desk of our own.
fn solution(seed: u64) -> Vec<Value> {
    let world = (handsight_worlds::find("desk").unwrap().build)(&Setup::new(seed, SIZE));
    let mut world = hold(&*world);
    world.begin(TASK).unwrap();
    let mut script = Vec::new();
    for second in 1..60 {
        // Slower than a double click.
        world.advance(Duration::from_secs(second));
        match world.oracle() {
            Hand::Click(at) => {
                let axis = |v: i32, size: u32| f64::from(v) / f64::from(size - 1) * 1000.0;
                let (x, y) = (axis(at.x, SIZE.width), axis(at.y, SIZE.height));
                script.push(
                    json!({"call": "click", "args": {"x": x, "y": y, "reason": "The oracle says so."}}),
                );
                click(&mut *world, at);
            }
            Hand::Type(text) => {
                script.push(json!({"call": "type", "args": {"text": text, "reason": ""}}));
                text.chars().for_each(|c| strike(&mut *world, c));
            }
            Hand::Scroll(dy) => {
                script.push(json!({"call": "scroll", "args": {"dy": dy, "reason": "On."}}));
                world.input(Input::Wheel { axis: Axis::Vertical, units: dy });
            }
            Hand::Done => {
                script.push(json!({"call": "done", "args": {"reason": "It is written."}}));
                return script;
            }
            other => panic!("{TASK} takes no {other:?}"),
        }
    }
    panic!("the oracle comes to no end: {script:#?}")
}

fn click(world: &mut dyn World, at: ScreenPx) {
    world.input(Input::Move(at));
    for down in [true, false] {
        world.input(Input::Button { button: Button::Left, down });
    }
}

fn strike(world: &mut dyn World, c: char) {
    let key = match c {
        '\n' => Key::Named(Named::Enter),
        '\t' => Key::Named(Named::Tab),
        c => return world.input(Input::Char(c)),
    };
    for down in [true, false] {
        world.input(Input::Key { key, down });
    }
}

/// The saved pictures of a run, in order.
fn pictures(run: &Path) -> Vec<Vec<u8>> {
    (1..).map_while(|n| std::fs::read(run.join(format!("step{n:03}.png"))).ok()).collect()
}

fn deeds(run: &Path) -> Vec<Value> {
    session(run)
        .iter()
        .map(|line| json!([line["call"], line["reason"], line["deeds"], line["calm"]]))
        .collect()
}

// spec: S-66 S-105 SIM
#[test]
fn a_log_played_again_on_the_same_desk_leaves_it_as_the_run_did() {
    let handsight = Handsight::new();
    let lines: String = solution(3).iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(handsight.home().join("script"), lines).unwrap();
    let run = |args: &[&str]| -> Said { handsight.run(args) };
    let home = |name: &str| handsight.home().join(name);
    let same = desktop(3);
    // The task is the world's own, and its checker finds it done.
    let said = run(&["run", "--desktop", &same, "--model", "scripted/script", "--out", "first", "--json"]);
    assert_eq!(said.ended(0).json()["verified"], true);

    let first = (deeds(&home("first")), pictures(&home("first")));
    assert!(first.1.len() > 3, "{} turns", first.1.len());
    for (out, what) in [("by-run", "first"), ("by-log", "first/session.jsonl")] {
        let said = run(&["runs", "replay", what, "--desktop", &same, "--out", out, "--json"]);
        assert_eq!(said.ended(0).json()["outcome"], "done");
        assert!(!said.stderr.contains("what was wanted is not so"), "{said:?}");
        assert_eq!(deeds(&home(out)), first.0, "{out}");
        assert!(pictures(&home(out)) == first.1, "{out}: the desk does not look as it did");
    }

    // The controls: on a desk of another seed the same log does not do it, and the desk looks otherwise.
    let said = run(&["runs", "replay", "first/session.jsonl", "--desktop", &desktop(4), "--out", "other"]);
    assert!(said.stderr.contains("what was wanted is not so"), "{said:?}");
    assert!(pictures(&home("other")) != first.1);
}

#[test]
fn the_offline_model_sees_the_screens_own_pixels_and_its_run_plays_again() {
    let handsight = Handsight::new();
    let sharp = Size::new(2560, 1440);
    for (profile, task, size) in [("assist", "open-icon", SIZE), ("stateless", "sharp-order", sharp)] {
        let [run, again] = ["run", "again"].map(|kind| format!("{profile}-{kind}"));
        let play = |desktop: &str, model: &str, out: &str| {
            let who = ["--profile", profile, "--desktop", desktop, "--model", model];
            handsight.run(&[&["run", "--json", "--max-turns", "40", "--out", out], &who[..]].concat())
        };
        let desktop = format!("world:desk,task={task},seed=1");
        assert_eq!(play(&desktop, "reflex/offline", &run).ended(0).json()["verified"], true, "{profile}");
        let first = handsight_pixel::png::decode(&pictures(&handsight.home().join(&run))[0]).unwrap();
        assert_eq!(first.size(), size, "{profile}");

        let said = play(&format!("replay:{run}"), &format!("recorded/{run}"), &again);
        assert!(said.ended(0).stderr.contains("request by request and deed by deed"), "{}", said.stderr);
        let turns = |run: &str| -> Vec<Value> {
            let lines = session(&handsight.home().join(run));
            lines
                .iter()
                .map(|l| json!([l["reason"], l["picture"], l["notes"], l["deeds"][0]["hash"]]))
                .collect()
        };
        assert_eq!(turns(&run), turns(&again), "{profile}");
        assert!(turns(&run)[0][2].to_string().contains("the model reads single pixels"), "{profile}");
    }
}
