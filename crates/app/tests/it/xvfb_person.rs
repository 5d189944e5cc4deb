//! The person wins, in a whole run: their hands on the screen stop what it does at any moment, nothing is done on what was decided
//! before, and it goes on with a new look once they are quiet or say so.
#![expect(clippy::disallowed_methods, reason = "a person acts in real time")]

use crate::handsight::run;
use crate::rig::{PATIENCE, Rig, always, session};
use handsight_testkit::chat::Reply;
use handsight_testkit::program::Program;
use handsight_testkit::wait;
use handsight_testkit::witness::Witness;
use rustix::process::Signal;
use serde_json::json;
use std::fs::File;
use std::process::Stdio;
use std::time::Duration;

/// R6: from the person's event to the last of ours, in milliseconds.
const MOST: u32 = 200;
const QUIET: Duration = Duration::from_millis(500);
/// How long the model takes, and then the typing of its text.
const THINKS: Duration = Duration::from_millis(300);

fn typing() -> Reply {
    Reply::call("type", json!({ "text": "some words ".repeat(20), "reason": "go on" })).later(THINKS)
}

struct Played {
    rig: Rig,
    server: handsight_testkit::chat::Server,
    program: Program,
    person: Witness,
}

/// A run that types and thinks by turns.
fn start(settings: &[&str]) -> Option<Played> {
    let rig = Rig::new()?;
    let server = always(|_| typing());
    let mut args =
        vec!["x", "--out", "out", "--set", "act.type_interval_ms=5", "--set", "person.quiet_s=0.5"];
    settings.iter().for_each(|setting| args.extend(["--set", setting]));
    let mut command = rig.command(&server, &args);
    let told = File::create(rig.handsight.home().join("told")).unwrap();
    command.stdout(Stdio::null()).stderr(told);
    let mut person = rig.witness();
    person.open(0, 0, 1280, 720);
    let program = Program::start(&mut command);
    server.wait_for(2);
    person.watch_everything();
    Some(Played { rig, server, program, person })
}

impl Played {
    fn told(&self) -> String {
        std::fs::read_to_string(self.rig.handsight.home().join("told")).unwrap()
    }

    fn ends(mut self) -> Rig {
        self.program.signal(Signal::INT);
        assert_eq!(self.program.wait(PATIENCE).code(), Some(130));
        self.rig
    }
}

#[test]
fn in_a_call_and_in_mid_typing_the_person_takes_over_and_the_run_goes_on_when_they_are_quiet() {
    let Some(mut played) = start(&[]) else { return };
    let mut times = Vec::new();
    let moments = [20, 420, 900, 60];
    for (n, moment) in moments.into_iter().enumerate() {
        let asked = played.server.requests().len();
        played.server.wait_for(asked + 1);
        std::thread::sleep(Duration::from_millis(moment));
        let asked = played.server.requests().len();
        played.person.forget();
        let at = Witness::now();
        match n % 2 {
            0 => played.person.go_to(700 + n as i16, 300),
            _ => [true, false].into_iter().for_each(|down| played.person.button(3, down)),
        }
        std::thread::sleep(Duration::from_millis(400));
        let last = played.person.events().iter().map(|e| e.time).max().unwrap();
        times.push(last.saturating_sub(at));
        played.person.assert_quiet();
        // One that was on its way at the touch may have come.
        assert!(played.server.requests().len() <= asked + 1);
        played.server.wait_for(asked + 1);
        assert!(Witness::now() - at >= QUIET.as_millis() as u32, "it went on too soon");
    }
    let told = played.told();
    let rig = played.ends();
    println!("{} takeovers of a run: the last event after {times:?} ms", times.len());
    assert!(times.iter().all(|took| *took <= MOST), "{times:?}");
    assert_eq!(told.matches("the screen is yours").count(), moments.len(), "{told}");
    assert_eq!(told.matches("goes on after a pause").count(), moments.len(), "{told}");
    let log = session(&rig.handsight.home().join("out"));
    let noted = log.iter().filter(|l| l["notes"].to_string().contains("a person used the screen")).count();
    assert!(noted >= moments.len() - 1, "{noted} of {}", moments.len());
}

#[test]
fn by_their_word_alone_it_goes_on_and_the_folder_says_so_meanwhile() {
    let Some(mut played) = start(&["person.resume=word"]) else { return };
    let hud = |played: &Played| played.person.pixels(10, 10, 700, 60);
    let working = hud(&played);
    played.person.go_to(900, 600);
    let file = played.rig.handsight.home().join("out/pause");
    let says = || std::fs::read_to_string(&file).is_ok_and(|said| said == "person");
    wait::until("the folder says it", wait::PATIENCE, || says().then_some(()));
    assert!(hud(&played) != working, "the screen says nothing of the pause");
    let (asked, before) = (played.server.requests().len(), played.person.events().len());
    std::thread::sleep(QUIET * 2);
    assert_eq!((played.server.requests().len(), played.person.events().len()), (asked, before));
    run(played.rig.handsight.command(&["runs", "unpause", "out"]), PATIENCE).ended(0);
    played.server.wait_for(asked + 2);
    assert!(!file.exists());
    played.ends();
}

#[test]
fn without_it_the_run_types_on_among_the_persons_input() {
    let Some(mut played) = start(&["person.pause=false"]) else { return };
    let asked = played.server.wait_for(3).len();
    std::thread::sleep(THINKS + Duration::from_millis(200));
    played.person.go_to(900, 600);
    played.person.forget();
    std::thread::sleep(Duration::from_millis(300));
    assert!(played.person.events().len() > 20, "the control: it should type on");
    played.server.wait_for(asked + 2);
    assert!(!played.told().contains("the screen is yours"));
    played.ends();
}
