//! A world in a real window: the same tasks through a real X server, real input and a real window manager. The world runs in
//! a process of its own, and says at its end what is so.

use crate::handsight::{Handsight, run};
use crate::rig::PATIENCE;
use handsight_testkit::need::long;
use handsight_testkit::program::Program;
use handsight_testkit::wait::{before, until};
use handsight_testkit::witness::Witness;
use handsight_testkit::xvfb::Xvfb;
use rustix::process::Signal;
use serde_json::Value;
use std::fs::File;
use std::time::Duration;

/// What is left out of a run here: the waits for programs slower than the world. Two clicks must still be no double click.
const QUICK: &[&str] = &["--set", "act.delay_after_action_s=0.45", "--set", "settle.check_interval_s=0.05"];

struct Shown {
    program: Program,
    out: std::path::PathBuf,
    title: &'static str,
}

/// Opens the world and waits until the window manager has it.
fn open(handsight: &Handsight, world: &str, name: &str) -> Shown {
    let out = handsight.home().join(format!("{name}.json"));
    let mut command = handsight.command(&["worlds", "open", world, "--json"]);
    command
        .stdout(File::create(&out).unwrap())
        .stderr(File::create(handsight.home().join("world.err")).unwrap());
    let program = Program::start(&mut command);
    let title = "handsight desk";
    until("the world's window", PATIENCE, || {
        handsight.run(&["window", "status", title]).stdout.contains(title).then_some(())
    });
    Shown { program, out, title }
}

impl Shown {
    /// Ends the world and takes its last word.
    fn judged(mut self) -> Value {
        self.program.signal(Signal::TERM);
        assert_eq!(self.program.wait(PATIENCE).code(), Some(143));
        serde_json::from_str(&std::fs::read_to_string(&self.out).unwrap()).unwrap()
    }
}

#[test]
fn tasks_are_done_in_the_real_window() {
    let Some(x) = Xvfb::with(1400, 900, &[]) else { return };
    let Some(_openbox) = x.openbox() else { return };
    let handsight = Handsight::new().with("DISPLAY", x.display());
    let all = [
        "write-note",
        "compute",
        "answer-questions",
        "switches",
        "order",
        "close-windows",
        "read-to-end",
        "covered-window",
        "copy-text",
        "theme",
    ];
    let (tasks, seeds) = if long() { (&all[..], 1..=3) } else { (&all[..3], 2..=2) };
    let (mut played, mut verified) = (0, 0);
    for task in tasks {
        for seed in seeds.clone() {
            let name = format!("{task}-{seed}");
            let shown = open(&handsight, &format!("desk,task={task},seed={seed},size=1280x720"), &name);
            let wanted = handsight_worlds::find("desk").unwrap();
            let setup = handsight_worlds::Setup::new(seed, handsight_base::space::Size::new(1280, 720));
            let world = (wanted.build)(&setup);
            let wanted = handsight_worlds::engine::hold(&*world).begin(task).unwrap();
            let window = format!("capture.window={}", shown.title);
            let mut args =
                vec!["run", &wanted, "--model", "reflex/offline", "--max-turns", "40", "--out", &name];
            args.extend(["--set", "capture.target=window", "--set", &window]);
            args.extend(QUICK);
            let said = run(handsight.command(&args), PATIENCE);
            let judged = shown.judged();
            assert_eq!(judged["wanted"].as_str(), Some(wanted.as_str()));
            played += 1;
            if judged["verified"] == true {
                verified += 1;
            } else {
                println!("{name}: {} (exit {})", judged["why"], said.code);
            }
        }
    }
    println!("{verified} of {played} verified");
    assert!(f64::from(verified) >= 0.95 * f64::from(played), "{verified} of {played}");
    Witness::connect(x.display()).assert_quiet();
}

#[test]
fn closing_the_window_ends_the_world_with_its_verdict() {
    let Some(x) = Xvfb::start() else { return };
    let Some(_openbox) = x.openbox() else { return };
    let handsight = Handsight::new().with("DISPLAY", x.display());
    let mut shown = open(&handsight, "desk,task=compute,seed=4,size=800x600", "closed");
    // As a person does it: the window manager's own key, and again if the window had not taken the focus yet.
    let ended = until("the world to end", PATIENCE, || {
        let keys = ["search", "--onlyvisible", "--name", shown.title, "windowfocus", "key", "alt+F4"];
        let _gone_already = x.command("xdotool").args(keys).output();
        before(Duration::from_millis(500), || shown.program.ended())
    });
    assert_eq!(ended.code(), Some(1), "the task was not done");
    let told: Value = serde_json::from_str(&std::fs::read_to_string(&shown.out).unwrap()).unwrap();
    assert_eq!(told["verified"], false, "{told}");
}
