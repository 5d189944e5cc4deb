//! The `assist` profile on a real X server: plans arrive as they were written, and a person sees what is being done.

use crate::rig::{PATIENCE, Rig};
use handsight_testkit::apps;
use handsight_testkit::chat::{Reply, Server};
use handsight_testkit::need::need;
use handsight_testkit::picture::Picture;
use handsight_testkit::program::Program;
use handsight_testkit::wait::until;
use handsight_testkit::witness::What;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

const BACKGROUND: [u8; 3] = [40, 60, 80];

fn step(tool: &str, args: Value, why: &str) -> Value {
    json!({"tool": tool, "args": args, "human_readable_justification": why})
}

fn plan(steps: &[Value]) -> Reply {
    Reply::text(&json!({"steps": steps, "done": null}).to_string())
}

fn done() -> Reply {
    Reply::text(&json!({"steps": [], "done": "It is done."}).to_string())
}

/// A screen whose pixels are those of the picture.
fn rig() -> Option<Rig> {
    let rig = Rig::new().filter(|_| need("xsetroot", "x11-xserver-utils"))?;
    apps::paint_root(&rig.x, BACKGROUND);
    Some(rig)
}

const ARGS: [&str; 8] = [
    "do it",
    "--profile",
    "assist",
    "--model",
    "custom/test-model",
    "--set",
    "settle.enabled=false",
    "--json",
];

// spec: D-32 D-33 D-34 D-35 XVFB
#[test]
fn clicks_taps_and_chords_arrive_in_their_order_and_at_their_pace() {
    let Some(rig) = rig() else { return };
    let mut witness = rig.witness();
    let window = witness.open(100, 100, 1000, 500);
    witness.focus(window);
    let thrice = json!({"x": 400, "y": 300, "button": "right", "clicks": 3, "interval_ms": 200});
    let server = Server::scripted([
        plan(&[
            step("mouse", json!({"x": 1279, "y": 719, "action": "move"}), "Point at the corner"),
            step("mouse", thrice, "Click thrice"),
            step("press", json!({"keys": ["ctrl", "s"]}), "Tap"),
            step("hotkey", json!({"keys": ["ctrl", "shift", "esc"]}), "Open the list"),
        ]),
        done(),
    ]);
    let said = rig.run(&server, &ARGS);
    assert_eq!(said.ended(0).json()["outcome"], "done");
    assert_eq!((witness.pointer().x, witness.pointer().y), (400, 300));
    let events = witness.events();
    let presses: Vec<u32> = events
        .iter()
        .filter(|e| matches!(e.what, What::Button { button: 3, down: true }))
        .map(|e| e.time)
        .collect();
    assert_eq!(presses.len(), 3, "{events:?}");
    assert!(presses.windows(2).all(|w| (195..600).contains(&(w[1] - w[0]))), "{presses:?}");
    let keys: Vec<bool> = events
        .iter()
        .filter_map(|e| if let What::Key { down, .. } = e.what { Some(down) } else { None })
        .collect();
    // Each tap is over before the next; a chord is held until its last key.
    assert_eq!(keys, [true, false, true, false, true, true, true, false, false, false], "{events:?}");
    witness.assert_quiet();
}

// spec: D-73 XVFB
#[test]
fn the_wheel_is_turned_and_a_drag_goes_from_place_to_place() {
    let Some(rig) = rig() else { return };
    let mut witness = rig.witness();
    let window = witness.open(100, 100, 1000, 500);
    witness.focus(window);
    let server = Server::scripted([
        plan(&[
            step("scroll", json!({"x": 600, "y": 300, "notches": -2}), "Scroll down"),
            step("scroll", json!({"notches": 1}), "Scroll up"),
            step("drag", json!({"x": 300, "y": 200, "to_x": 420, "to_y": 260}), "Drag"),
        ]),
        done(),
    ]);
    let args = [&ARGS[..], &["--set", "decide.extended_tools=true"]].concat();
    rig.run(&server, &args).ended(0);
    assert_eq!((witness.pointer().x, witness.pointer().y), (420, 260));
    let buttons: Vec<(u8, bool)> = witness
        .events()
        .iter()
        .filter_map(|e| if let What::Button { button, down } = e.what { Some((button, down)) } else { None })
        .collect();
    // Buttons 5 and 4 are the wheel's notches down and up.
    let notches = [(5, true), (5, false), (5, true), (5, false), (4, true), (4, false)];
    assert_eq!(buttons, [&notches[..], &[(1, true), (1, false)]].concat());
    witness.assert_quiet();
}

// spec: D-37 D-38 XVFB
#[test]
fn text_is_typed_and_pasted_into_a_real_field() {
    let Some(rig) = rig().filter(|_| need("zenity", "zenity") && need("xclip", "xclip")) else { return };
    let Some(_manager) = rig.x.openbox() else { return };
    for tool in ["write", "type", "paste"] {
        let mut zenity = rig.x.command("zenity");
        zenity.args(["--entry", "--title", "Entry", "--text", "x"]).stdout(Stdio::piped());
        let mut zenity = Program::start(&mut zenity);
        let witness = rig.witness();
        until("the dialog is there", PATIENCE, || witness.find("Entry").filter(|w| w.mapped).map(|_| ()));
        let server = Server::scripted([
            plan(&[
                step("focus_window", json!({"title": "ENTRY"}), "Go to the dialog"),
                step(tool, json!({"text": "Añ€"}), "Type the text"),
                step("press", json!({"key": "enter"}), "Confirm"),
            ]),
            done(),
        ]);
        rig.run(&server, &ARGS).ended(0);
        let mut line = String::new();
        BufReader::new(zenity.child().stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line.trim_end(), "Añ€", "{tool}");
        zenity.wait(PATIENCE);
    }
}

// spec: D-41 XVFB
#[test]
fn a_window_comes_to_the_front_by_a_part_of_its_title_in_any_case() {
    let Some(rig) = rig().filter(|_| need("xterm", "xterm")) else { return };
    let Some(_manager) = rig.x.openbox() else { return };
    let titles = ["Alpha report", "Beta notes", "Gamma report"];
    let _terminals: Vec<Program> = titles
        .iter()
        .map(|title| {
            let mut xterm = rig.x.command("xterm");
            let terminal = Program::start(xterm.args(["-T", title, "-e", "sleep", "600"]));
            let witness = rig.witness();
            until("the terminal is there", PATIENCE, || witness.find(title).filter(|w| w.mapped).map(|_| ()));
            terminal
        })
        .collect();
    let witness = rig.witness();
    for part in ["beta NO", "alpha"] {
        let focus = step("focus_window", json!({"title": part}), "Go there");
        let server = Server::scripted([plan(&[focus]), done()]);
        rig.run(&server, &ARGS).ended(0);
        let title = titles.iter().find(|t| t.to_lowercase().contains(&part.to_lowercase())).unwrap();
        let wanted = witness.find(title).unwrap().id;
        until("it has the focus", PATIENCE, || (witness.focused() == wanted).then_some(()));
    }
    let nothing = step("focus_window", json!({"title": "no such window"}), "Go there");
    let server = Server::scripted([plan(&[nothing]), done()]);
    rig.run(&server, &ARGS).ended(0);
    let told = server.requests()[1].json["messages"].to_string();
    assert!(told.contains("no such window") && told.contains("not done"), "{told}");
}

// spec: D-52 D-53 D-55 XVFB
#[test]
fn a_panel_follows_the_steps_and_the_model_does_not_see_it() {
    let Some(rig) = rig() else { return };
    let sleeps = ["First step", "Second step"].map(|why| step("sleep", json!({"secs": 1}), why));
    for (flag, shown) in [("--overlay", true), ("--no-overlay", false)] {
        let server = Server::scripted([plan(&sleeps), done()]);
        // Without aids for pointing: what is looked at below is the bare picture.
        let bare = ["grid_px=0", "grid_major_px=0", "magnifier_px=0", "cursor=false", "banner=false"]
            .map(|aid| format!("context.annotate.{aid}"));
        let mut args = [&ARGS[..], &[flag]].concat();
        args.extend(bare.iter().flat_map(|aid| ["--set", aid.as_str()]));
        let witness = rig.witness();
        let mut looks = BTreeSet::new();
        let folder = tempfile::tempdir().unwrap();
        let mut command = rig.command(&server, &args);
        command.stdout(std::fs::File::create(folder.path().join("out")).unwrap()).stderr(Stdio::null());
        let mut engine = Program::start(&mut command);
        let status = until("the run ends", PATIENCE, || {
            looks.insert(witness.pixels(10, 10, 400, 160));
            engine.ended()
        });
        assert_eq!(status.code(), Some(0));
        // Nothing, the first step under way, the second, and both over.
        assert_eq!(looks.len() >= 4, shown, "{} looks with {flag}", looks.len());
        assert_eq!(looks.len() == 1, !shown, "{} looks with {flag}", looks.len());
        for request in server.requests() {
            let picture = Picture::from_png(&request.pictures[0].png);
            for (x, y) in [(12, 12), (20, 24), (60, 40), (200, 60)] {
                assert_eq!(picture.at(x, y), BACKGROUND, "{flag} {x} {y}");
            }
        }
    }
}

// spec: D-68 XVFB
#[test]
fn a_turn_costs_little_of_its_own_on_a_full_screen() {
    let Some(rig) = Rig::sized(1920, 1080).filter(|_| need("xsetroot", "x11-xserver-utils")) else { return };
    apps::paint_root(&rig.x, BACKGROUND);
    let turns = plan(&[step("press", json!({"key": "shift"}), "Tap")]);
    let server = crate::rig::always(move |_| turns.clone());
    let said = rig.run(&server, &[&ARGS[..], &["--max-turns", "100"]].concat());
    let overhead = said.ended(8).json()["overhead_ms_p50"].as_f64().unwrap();
    println!("{overhead} ms of 100 turns");
    assert!(overhead < 200.0, "{overhead} ms");
}
