//! No desktop, or not the one that was meant: what is said, what is left behind, and the code.

use crate::handsight::Handsight;

#[test]
fn no_display_ends_with_5_and_the_remedy() {
    let handsight = Handsight::new();
    handsight.run(&["run", "x"]).ended(5).told("DISPLAY is not set").told("Xvfb :99");
    handsight.run(&["manual"]).ended(5).told("DISPLAY is not set");
    handsight.run(&["window", "status"]).ended(5).told("DISPLAY is not set");
    assert!(!handsight.home().join("dump").exists(), "a run that never began leaves nothing");
}

#[test]
fn a_wrong_display_is_named() {
    let handsight = Handsight::new().with("DISPLAY", ":4711");
    let said = handsight.run(&["run", "x"]);
    said.ended(5).told(":4711");
    handsight.run(&["window", "status", "--desktop", "x11:4712"]).ended(5).told(":4712");
    assert!(!handsight.home().join("dump").exists());
}

#[test]
fn a_wayland_session_is_refused_with_the_remedy() {
    let handsight = Handsight::new().with("WAYLAND_DISPLAY", "wayland-0");
    handsight.run(&["run", "x"]).ended(5).told("Wayland").told("Xorg");
}

#[test]
fn a_desktop_that_is_no_desktop_is_usage_and_one_to_come_is_5() {
    let handsight = Handsight::new();
    handsight.run(&["run", "x", "--desktop", "moon"]).ended(2).told("there is no desktop \"moon\"");
    handsight
        .run(&["run", "x", "--desktop", "vnc:no-such-host.invalid"])
        .ended(5)
        .told("VNC server no-such-host.invalid:5900");
}

#[test]
fn a_run_needs_a_task() {
    let handsight = Handsight::new().with("DISPLAY", ":4711");
    handsight.run(&["run"]).ended(2).told("what should be done?");
    handsight.run(&["run", "  "]).ended(2).told("the task is empty");
}
