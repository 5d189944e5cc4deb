//! A run of hundreds of turns: it has no end of its own, and its memory has one.

use crate::rig::{PATIENCE, Rig, always, done, observe};
use handsight_testkit::program::Program;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Peak resident memory of a process in KiB.
fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix("kB").unwrap().trim().parse().unwrap()
}

// spec: S-26 FAKE
// spec: S-95 XVFB
#[test]
fn two_hundred_turns_at_1080p_end_with_done_and_in_little_memory() {
    let Some(rig) = Rig::sized(1920, 1080) else { return };
    let (pid, after_100, at_end) =
        (Arc::new(OnceLock::new()), Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let server = {
        let (pid, after_100, at_end) = (Arc::clone(&pid), Arc::clone(&after_100), Arc::clone(&at_end));
        always(move |request| {
            let peak = || peak(*pid.wait());
            match request.n {
                100 => after_100.store(peak(), Ordering::Release),
                201 => at_end.store(peak(), Ordering::Release),
                _ => {}
            }
            if request.n <= 200 { observe(&format!("turn {}", request.n)) } else { done("enough") }
        })
    };
    let args = ["x", "--set", "act.delay_after_observe_s=0", "--set", "settle.enabled=false"];
    let mut command = rig.command(&server, &args);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut program = Program::start(&mut command);
    pid.set(program.pid()).unwrap();
    assert_eq!(program.wait(PATIENCE).code(), Some(0));
    assert_eq!(server.requests().len(), 201);
    let (after_100, at_end) = (after_100.load(Ordering::Acquire), at_end.load(Ordering::Acquire));
    println!("peak resident memory: {after_100} KiB after 100 turns, {at_end} KiB after 200");
    assert!((1..100_000).contains(&after_100), "{after_100} KiB");
    // What grows with the turns would show by now.
    assert!(at_end < after_100 + after_100 / 10, "{after_100} KiB after 100 turns, {at_end} KiB after 200");
}
