//! `window status|focus` on windows of a program that knows nothing of us.

use crate::rig::{PATIENCE, Rig};
use handsight_testkit::need::need;
use handsight_testkit::wait::until;

#[test]
fn windows_are_listed_found_and_brought_to_the_front() {
    let Some(rig) = Rig::new() else { return };
    let Some(_openbox) = rig.x.openbox() else { return };
    if !need("xterm", "xterm") {
        return;
    }
    let witness = rig.witness();
    // The window manager says who is managed and active, not we.
    let managed = || witness.property(witness.root(), "_NET_CLIENT_LIST").len() / 4;
    let active = || {
        let active = witness.property(witness.root(), "_NET_ACTIVE_WINDOW");
        let id = u32::from_ne_bytes(active.get(..4)?.try_into().ok()?);
        witness.window(id).map(|w| w.title)
    };
    // One after the other: a new window may take the focus on its own, late on a busy machine.
    let _first = rig.x.program("xterm", &["-T", "first window", "-e", "cat"]);
    until("the first window is active", PATIENCE, || {
        (managed() == 1).then(active)??.contains("first").then_some(())
    });
    let _second = rig.x.program("xterm", &["-T", "second window", "-e", "cat"]);
    until("the second window", PATIENCE, || (managed() == 2).then_some(()));

    let list = |args: &[&str]| {
        let said = rig.handsight.run(&[&["window", "status", "--json"], args].concat());
        let windows = said.ended(0).json()["windows"].as_array().unwrap().clone();
        windows.iter().map(|w| w["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut all = list(&[]);
    all.sort();
    assert_eq!(all, ["first window", "second window"]);
    assert_eq!(list(&["part:FIRST"]), ["first window"]);
    assert_eq!(list(&["regex:^sec.*w$"]), ["second window"]);
    rig.handsight.run(&["window", "status", "third window"]).ended(3).told("first window");

    for title in ["first window", "second window", "first window"] {
        let said = rig.handsight.run(&["window", "focus", title]);
        assert!(said.ended(0).stdout.contains(title), "{said:?}");
        until(title, PATIENCE, || (active()? == title).then_some(()));
    }
    rig.handsight.run(&["window", "focus"]).ended(2).told("which window?");
    rig.handsight.run(&["window", "focus", "pid:many"]).ended(2).told("pid:1234");
    witness.assert_quiet();
}
