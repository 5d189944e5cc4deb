//! What a process that a run starts knows of the run's secrets: nothing (R38).

use crate::rig::{PATIENCE, Rig, always, observe};
use handsight_testkit::program::Program;
use handsight_testkit::wait;
use rustix::process::Signal;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

const KEY: &str = "canary-child-4be1";

/// The processes that this one started.
fn children(parent: u32) -> Vec<u32> {
    let of = |pid: u32| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        status.lines().find_map(|l| l.strip_prefix("PPid:")?.trim().parse::<u32>().ok())
    };
    let all = fs::read_dir("/proc").unwrap().filter_map(|e| e.unwrap().file_name().to_str()?.parse().ok());
    all.filter(|pid| of(*pid) == Some(parent)).collect()
}

fn environment(pid: u32) -> String {
    String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/environ")).unwrap()).into_owned()
}

#[test]
fn the_hands_are_started_without_any_key() {
    let Some(mut rig) = Rig::new() else { return };
    // One that a shipped provider wants, one of the person's own, and that of a VNC server; another model is asked.
    let own = "about = \"a\"\nkey_variable = \"MINE\"\nwire = \"chat\"\ndialect = \"tools\"\n";
    rig.handsight.config("providers/own.toml", own);
    for name in ["OPENAI_API_KEY", "MINE", "HANDSIGHT_VNC_PASSWORD"] {
        rig.handsight = rig.handsight.with(name, KEY);
    }
    rig.handsight = rig.handsight.with("KEPT", "harmless");
    let server = always(|_| observe("look").later(Duration::from_millis(50)));
    let mut command = rig.command(&server, &["x"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut program = Program::start(&mut command);
    server.wait_for(1);
    let hands =
        wait::until("the hands are there", wait::PATIENCE, || children(program.pid()).first().copied());
    let (theirs, engines) = (environment(hands), environment(program.pid()));
    assert_eq!(engines.matches(KEY).count(), 3, "the control");
    assert!(theirs.contains("KEPT=harmless") && !theirs.contains(KEY), "{theirs}");
    program.signal(Signal::INT);
    assert_eq!(program.wait(PATIENCE).code(), Some(130));
}
