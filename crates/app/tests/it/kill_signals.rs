//! Ctrl-C and SIGTERM at any moment of a run, from its first instruction on: its code, nothing down, a journal that can be read.

use crate::rig::{PATIENCE, Rig, always, click};
use handsight_testkit::need::long;
use handsight_testkit::program::Program;
use handsight_testkit::wait::until;
use rustix::process::Signal;
use serde_json::json;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;
use std::time::Duration;

/// Moments as they come, the same ones every time (Weyl's sequence with the golden ratio), as a share of the longest.
fn moment(n: u32, longest: Duration) -> Duration {
    longest.mul_f64((f64::from(n) * 0.618_033_988_749_895).fract())
}

#[test]
fn a_signal_at_any_moment_ends_the_run_with_its_code_and_nothing_down() {
    let signals = if long() { 300 } else { 40 };
    let Some(rig) = Rig::new() else { return };
    let mut witness = rig.witness();
    let window = witness.open(300, 300, 200, 200);
    witness.focus(window);
    // The button is down for most of the time that a turn takes.
    let server = always(|_| click(250.0, 500.0, "hold"));
    let settings =
        ["act.hold_ms=150", "act.input_delay_s=0", "act.delay_after_action_s=0", "settle.enabled=false"];
    let args = [&["x"][..], &settings.map(|s| ["--set", s]).concat()].concat();
    let (mut early, mut midway, mut down) = (0, 0, 0);
    for n in 0..signals {
        let (signal, code) = if n % 2 == 0 { (Signal::INT, 130) } else { (Signal::TERM, 143) };
        let (asked, kept) = (server.requests().len(), rig.runs().len());
        let mut command = rig.command(&server, &args);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut engine = Program::start(&mut command);
        // One in four falls into the start; the others somewhere into the first turns.
        let longest = if n % 4 == 0 {
            Duration::from_millis(120)
        } else {
            server.wait_for(asked + 1);
            Duration::from_millis(700)
        };
        #[expect(clippy::disallowed_methods, reason = "the moment of the signal is the test's own choice")]
        std::thread::sleep(moment(n, longest));
        down += u32::from(!witness.is_quiet());
        engine.signal(signal);
        let status = engine.wait(PATIENCE);
        if status.signal().is_some() {
            // Before it listens nothing is begun: no hands, no folder, no request.
            assert_eq!((server.requests().len(), rig.runs().len()), (asked, kept), "{n}: {status}");
            early += 1;
        } else {
            assert_eq!(status.code(), Some(code), "{n}: {signal:?}");
        }
        witness.assert_quiet();
        until("the hands are gone", PATIENCE, || {
            witness.selection_owner("_HANDSIGHT_HANDS").is_none().then_some(())
        });
        if let Some(run) = rig.runs().get(kept) {
            let shown = rig.handsight.run(&["runs", "show", run.to_str().unwrap(), "--json"]).ended(0).json();
            assert_eq!(
                (&shown["outcome"], &shown["sound"]),
                (&json!("stopped"), &json!(true)),
                "{n}: {shown}"
            );
            midway += 1;
        }
        witness.forget();
    }
    println!(
        "{signals} signals: {early} before it listened, {midway} with a run begun, {down} with something down"
    );
    assert!(midway > signals / 2 && down > signals / 8, "the signals fell into work: {midway}, {down}");
}
