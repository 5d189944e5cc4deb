//! A profile that is not in the program: the example's two files in the config folder, and nothing else.

use crate::handsight::{Handsight, Said};
use handsight_testkit::chat::{Reply, Request, Rules, Server};
use std::fs;
use std::path::{Path, PathBuf};

const DESK: &str = "world:desk,task=covered-window,seed=3,size=1280x720";
/// Two other windows lie over it.
const WINDOW: &str = "capture.window=Holiday 9342";

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sixth-profile/tars")
}

/// As the example's page says: the folder is copied.
fn with_example() -> Handsight {
    let handsight = Handsight::new();
    for name in ["profile.toml", "prompt.md"] {
        let text = fs::read_to_string(example().join(name)).unwrap();
        handsight.config(&format!("profiles/tars/{name}"), &text);
    }
    handsight
}

fn act(thought: &str, action: &str) -> Reply {
    Reply::text(&format!("Thought: {thought}\nAction: {action}"))
}

/// A model that checks the box of the window and presses its button.
fn approving() -> Server {
    let replies = [
        act("I turn \"Checked\" on.", "click(start_box='(26,95)')"),
        act("Now the button \"Approve\".", "click(start_box='(230,198)')"),
        act("It is done.", "finished(content='approved')"),
    ];
    Server::scripted_with(Rules::default(), replies)
}

fn run(handsight: &Handsight, server: &Server, more: &[&str]) -> Said {
    let provider = "about = \"a\"\nwire = \"chat\"\ndialect = \"tools\"\nstreaming = \"off\"\n";
    handsight.config("providers/own.toml", provider);
    let url = server.base_url();
    let args = [
        &["run", "--profile", "tars", "--set", WINDOW, "--desktop", DESK, "--model", "own/test-model"][..],
        &["--base-url", &url, "--out", "run", "--json"],
        more,
    ];
    handsight.run(&args.concat())
}

fn pictures(request: &Request) -> Vec<(u32, u32)> {
    request.pictures.iter().map(|picture| (picture.width, picture.height)).collect()
}

#[test]
fn it_works_in_its_own_window_in_its_models_own_words() {
    let handsight = with_example();
    let server = approving();
    let said = run(&handsight, &server, &[]);
    let json = said.ended(0).json();
    assert_eq!(json["outcome"], "done", "{json}");
    assert_eq!(json["profile"], "tars");
    assert!(said.stdout.starts_with("approved\n"), "{}", said.stdout);
    // Whether the box is on and the button pressed is the world's to say.
    assert_eq!(json["verified"], true, "{json}");

    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests[0].tools().is_empty(), "no tools: it has words for actions");
    assert!(requests[0].system().starts_with("You are a GUI agent."), "{}", requests[0].system());
    assert!(requests[0].system().contains("click(start_box='(x1,y1)')"));
    // One window, in multiples of 28, and a conversation that keeps its pictures.
    let small = pictures(&requests[0]);
    let [(width, height)] = small.as_slice() else { panic!("one picture: {small:?}") };
    assert!(width % 28 == 0 && height % 28 == 0 && *width < 640, "{small:?}");
    assert_eq!([pictures(&requests[1]).len(), pictures(&requests[2]).len()], [2, 3]);
    assert_eq!(requests[2].messages("assistant").len(), 2);
    assert!(server.take_complaints().is_empty());
}

/// The control: what the test above sees is the doing of the profile's window.
#[test]
fn without_its_window_the_same_words_miss() {
    let handsight = with_example();
    let server = approving();
    let said = run(&handsight, &server, &["--set", "capture.target=display"]);
    assert_eq!(said.json()["verified"], false, "{}", said.stdout);
}

#[test]
fn a_slip_in_it_names_the_file_the_line_and_what_was_meant() {
    let handsight = with_example();
    let text = fs::read_to_string(example().join("profile.toml")).unwrap();
    let file = handsight.config("profiles/tars/profile.toml", &text.replace("pictures_kept", "picture_kept"));
    let line = 1 + text.lines().position(|line| line.starts_with("pictures_kept")).unwrap();
    let said =
        handsight.run(&["run", "x", "--profile", "tars", "--desktop", DESK, "--model", "reflex/offline"]);
    let stderr = &said.ended(2).stderr;
    assert!(stderr.contains(&format!("{}, line {line}", file.display())), "{stderr}");
    assert!(stderr.contains("pictures_kept"), "{stderr}");
}

#[test]
fn it_is_listed_and_shown_beside_the_shipped_ones() {
    let handsight = with_example();
    let listed = handsight.run(&["profiles"]);
    assert!(listed.ended(0).stdout.lines().any(|line| line.starts_with("tars ")), "{}", listed.stdout);
    let shown = handsight.run(&["profiles", "show", "tars"]);
    assert!(shown.ended(0).stdout.contains("ui-tars-1.5"), "{}", shown.stdout);
}
