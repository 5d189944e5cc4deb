//! What a run works on goes away: the server dies, another client grabs it, the window closes.

use crate::rig::{PATIENCE, Rig, always, click, done, observe, session};
use handsight_testkit::need::need;
use handsight_testkit::wait::{before, until};
use handsight_testkit::witness::Witness;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[test]
fn a_server_that_dies_ends_the_run_with_5_and_a_journal_that_can_be_read() {
    let Some(mut rig) = Rig::new() else { return };
    let server = always(|_| observe("and again"));
    let mut command = rig.command(&server, &["x", "--json", "--set", "desktop.lost_s=1"]);
    let output = rig.handsight.home().join("stdout");
    command.stdout(std::fs::File::create(&output).unwrap()).stderr(std::process::Stdio::null());
    let mut program = handsight_testkit::program::Program::start(&mut command);
    server.wait_for(3);
    rig.x.kill();
    assert_eq!(program.wait(PATIENCE).code(), Some(5));
    let text = std::fs::read_to_string(&output).unwrap();
    let json: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(json["outcome"], "desktop_lost", "{text}");

    let run = rig.runs().remove(0);
    let said = rig.handsight.run(&["runs", "show", run.to_str().unwrap(), "--json"]);
    let shown = said.ended(0).json();
    assert_eq!((&shown["outcome"], &shown["sound"]), (&json!("desktop_lost"), &json!(true)));
    // Every turn that was answered before is there.
    assert!(session(&run).len() >= 2);
}

/// Holds the X server from the `n`th request on, for so long.
fn grabbed(
    display: &str,
    after: usize,
    for_: Duration,
) -> (Arc<AtomicBool>, handsight_testkit::chat::Server) {
    let display = display.to_owned();
    let free = Arc::new(AtomicBool::new(false));
    let freed = Arc::clone(&free);
    let server = always(move |request| {
        if request.n == after {
            let (display, freed) = (display.clone(), Arc::clone(&freed));
            let (held, holding) = std::sync::mpsc::sync_channel(1);
            let hold = move || {
                let other = Witness::connect(&display);
                other.grab_server();
                held.send(()).unwrap();
                let _until_then = before(for_, || freed.load(Ordering::Acquire).then_some(()));
                other.ungrab_server();
                other.sync();
            };
            std::thread::Builder::new().name("grab".into()).spawn(hold).unwrap();
            holding.recv().unwrap();
        }
        if request.n > after { done("it went on") } else { click(500.0, 500.0, "press") }
    });
    (free, server)
}

#[test]
fn a_short_grab_is_waited_out() {
    let Some(rig) = Rig::new() else { return };
    let (_free, server) = grabbed(rig.x.display(), 2, Duration::from_secs(3));
    let said = rig.run(&server, &["x", "--json"]);
    let json = said.ended(0).json();
    assert_eq!(json["outcome"], "done");
    assert!(json["wall_s"].as_f64().unwrap() >= 3.0, "{json}");
    rig.witness().assert_quiet();
}

#[test]
fn a_grab_that_does_not_end_ends_the_run_with_5() {
    let Some(rig) = Rig::new() else { return };
    let (free, server) = grabbed(rig.x.display(), 2, Duration::from_secs(100));
    let said = rig.run(&server, &["x", "--json", "--set", "desktop.lost_s=2"]);
    free.store(true, Ordering::Release);
    assert_eq!(said.ended(5).json()["outcome"], "desktop_lost");
    let witness = rig.witness();
    until("nothing is down", PATIENCE, || witness.is_quiet().then_some(()));
}

#[test]
fn a_window_that_closes_ends_the_run_with_4() {
    let Some(rig) = Rig::new() else { return };
    let Some(_openbox) = rig.x.openbox() else { return };
    if !need("xterm", "xterm") {
        return;
    }
    let mut target = rig.x.program("xterm", &["-T", "the target", "-e", "cat"]);
    let _decoy = rig.x.program("xterm", &["-T", "another one", "-e", "cat"]);
    let witness = rig.witness();
    until("both windows", PATIENCE, || Some((witness.find("the target")?, witness.find("another one")?)));
    let managed = || witness.property(witness.root(), "_NET_CLIENT_LIST").len() == 2 * 4;
    until("the window manager took them", PATIENCE, || managed().then_some(()));
    let server = always(|_| observe("and again"));
    let window = ["--set", "capture.target=window", "--set", "capture.window=the target"];
    let args = [&["x", "--json", "--set", "desktop.target_wait_s=0.5"][..], &window].concat();
    let mut command = rig.command(&server, &args);
    let output = rig.handsight.home().join("stderr");
    command.stdout(std::process::Stdio::null()).stderr(std::fs::File::create(&output).unwrap());
    let mut program = handsight_testkit::program::Program::start(&mut command);
    server.wait_for(2);
    target.kill();
    assert_eq!(program.wait(PATIENCE).code(), Some(4), "{}", std::fs::read_to_string(&output).unwrap());
    witness.assert_quiet();
}
