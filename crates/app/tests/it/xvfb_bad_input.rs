//! A screen that lacks something, a window that goes out of sight, a folder that cannot be written: what is said, and the code.

use crate::rig::{PATIENCE, Rig, always, click, done, observe, server, session};
use handsight_testkit::chat::Rules;
use handsight_testkit::need::need;
use handsight_testkit::wait::until;
use handsight_testkit::witness::{What, Witness};
use handsight_testkit::xvfb::Xvfb;
use std::path::Path;
use std::process::Stdio;

fn without(extension: &str) -> Option<Rig> {
    let x = Xvfb::with(1280, 720, &["-extension", extension])?;
    let handsight = crate::handsight::Handsight::new().with("DISPLAY", x.display());
    Some(Rig { x, handsight })
}

#[test]
fn without_xtest_a_run_ends_with_5_and_the_remedy_before_anything_is_kept() {
    let Some(rig) = without("XTEST") else { return };
    let service = server([]);
    let said = rig.run(&service, &["x"]);
    said.ended(5).told("XTEST").told("+extension XTEST");
    assert!(rig.runs().is_empty() && service.requests().is_empty());
    // Looking needs no hands.
    let service = server([observe("a look")]);
    rig.run(&service, &["x", "--dry-run"]).ended(0);
}

#[test]
fn without_shared_memory_a_run_works_by_the_slower_way() {
    let Some(rig) = without("MIT-SHM") else { return };
    let mut witness = rig.witness();
    witness.open(310, 530, 20, 20);
    let rules = Rules { picture_size: Some((1536, 864)), ..Rules::default() };
    let service = handsight_testkit::chat::Server::scripted_with(
        rules,
        [click(250.0, 750.0, "left and low"), done("pressed")],
    );
    rig.run(&service, &["x"]).ended(0);
    assert_eq!(witness.presses(), [true, false].map(|down| What::Button { button: 1, down }));
    witness.assert_quiet();
}

#[test]
fn a_window_that_is_minimised_midway_is_brought_back() {
    let Some(rig) = Rig::new() else { return };
    let Some(_openbox) = rig.x.openbox() else { return };
    if !need("xterm", "xterm") || !need("xdotool", "xdotool") {
        return;
    }
    let _target = rig.x.program("xterm", &["-T", "the target", "-e", "cat"]);
    let witness = rig.witness();
    let window = until("the window", PATIENCE, || witness.find("the target"));
    until("the window manager took it", PATIENCE, || {
        (!witness.property(witness.root(), "_NET_CLIENT_LIST").is_empty()).then_some(())
    });
    let display = rig.x.display().to_owned();
    let shown = move |witness: &Witness| witness.find("the target").is_some_and(|w| w.mapped);
    let service = always(move |request| {
        if request.n == 1 {
            let mut minimise = std::process::Command::new("xdotool");
            minimise.args(["search", "--name", "^the target$", "windowminimize", "--sync"]);
            let status = minimise.env("DISPLAY", &display).stderr(Stdio::null()).status().unwrap();
            assert!(status.success());
            let witness = Witness::connect(&display);
            until("it is out of sight", PATIENCE, || (!shown(&witness)).then_some(()));
        }
        if request.n < 3 { observe("again") } else { done("it is back") }
    });
    let args = ["x", "--set", "capture.target=window", "--set", "capture.window=the target"];
    rig.run(&service, &args).ended(0);
    assert!(witness.find("the target").is_some_and(|w| w.mapped), "{window:?}");
    assert_eq!(session(&rig.runs()[0]).len(), 3);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_ends_with_7_and_its_name_before_anything_is_asked() {
    let Some(rig) = Rig::new() else { return };
    let service = server([]);
    // Nobody makes folders here, root neither, and no run can be kept in a device.
    for out in ["/sys/handsight", "/dev/null/run"] {
        let said = rig.run(&service, &["x", "--out", out]);
        said.ended(7).told(out);
        assert!(!Path::new(out).exists());
    }
    let dump = ["x", "--set", "record.dump_folder=/sys/dump"];
    rig.run(&service, &dump).ended(7).told("/sys/dump");
    assert!(service.requests().is_empty());
    // The hands that were started for it are gone again.
    let witness = rig.witness();
    until("no hands", PATIENCE, || witness.selection_owner("_HANDSIGHT_HANDS").is_none().then_some(()));
    witness.assert_quiet();
}
