//! `manual`: a person types what a model would call; no model is there.

use crate::handsight::Said;
use crate::rig::{PATIENCE, Rig};
use handsight_testkit::witness::What;
use std::process::Stdio;

/// Types these lines into a session.
#[track_caller]
fn session(rig: &Rig, args: &[&str], lines: &str) -> Said {
    let file = rig.handsight.home().join("lines");
    std::fs::write(&file, lines).unwrap();
    let quick = ["--set", "act.delay_after_action_s=0.05", "--set", "act.delay_after_observe_s=0.05"];
    let mut command = rig.handsight.command(&[args, &quick].concat());
    command.stdin(Stdio::from(std::fs::File::open(&file).unwrap()));
    crate::handsight::run(command, PATIENCE)
}

// spec: S-64 S-74 S-76 XVFB
#[test]
fn commands_work_without_any_model_and_each_leaves_a_picture() {
    let Some(rig) = Rig::new() else { return };
    let mut witness = rig.witness();
    let window = witness.open(600, 300, 200, 200);
    witness.focus(window);
    let lines = "click 500 500 the middle\nobserve again\njump\nscroll -240 down\ndone enough\n";
    let said = session(&rig, &["run", "--test"], lines);
    said.ended(0).told("there is no command \"jump\"");
    let press = |button, down| What::Button { button, down };
    let wheel = [press(5, true), press(5, false), press(5, true), press(5, false)];
    assert_eq!(witness.presses(), [&[press(1, true), press(1, false)][..], &wheel].concat());
    witness.assert_quiet();
    let runs = rig.runs();
    assert!(runs[0].file_name().unwrap().to_str().unwrap().starts_with("test_"), "{runs:?}");
    // 000 is the first look; the unknown command used no number.
    for n in 0..=4 {
        assert!(runs[0].join(format!("test{n:03}.png")).is_file(), "test{n:03}.png");
    }
    assert!(!runs[0].join("test005.png").exists());

    // What was typed can be done again, on the real screen.
    let original = witness.presses();
    witness.forget();
    let desktop = format!("x11{}", rig.x.display());
    let again = rig.handsight.run(&["runs", "replay", runs[0].to_str().unwrap(), "--desktop", &desktop]);
    assert_eq!(again.ended(0).stdout.lines().next(), Some("enough"));
    assert_eq!(witness.presses(), original);
}

// spec: S-76 XVFB
#[test]
fn quit_leaves_at_once_and_so_does_the_end_of_the_input() {
    let Some(rig) = Rig::new() else { return };
    for lines in ["quit\nclick 500 500 never\n", "", "donut\n"] {
        let said = session(&rig, &["manual", "--json"], lines);
        assert_eq!(said.ended(130).json()["outcome"], "stopped", "{lines:?}");
    }
    for run in rig.runs() {
        assert!(run.join("test000.png").is_file() && !run.join("test001.png").exists(), "{}", run.display());
    }
}

// spec: S-31 S-76 XVFB
#[test]
fn done_is_an_end_in_good_order_whatever_follows_it() {
    let Some(rig) = Rig::new() else { return };
    let said = session(&rig, &["manual", "--json"], "  done the input is fine\nquit\n");
    assert_eq!(said.ended(0).stdout.lines().next(), Some("the input is fine"));
    assert_eq!(said.json()["outcome"], "done");
    // It draws its reason and takes a last picture.
    assert!(rig.runs()[0].join("test001.png").is_file());
}
