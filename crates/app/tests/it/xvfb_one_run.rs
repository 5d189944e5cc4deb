//! The run that every kind of desktop is given (S-01), on a real X server.

use crate::one_run::{self, SIZE};
use crate::rig::Rig;
use handsight_testkit::apps;
use handsight_testkit::need::need;
use handsight_testkit::witness::What;

// spec: S-01 FAKE XVFB
#[test]
fn a_real_screen_gives_the_log_of_a_simulated_one() {
    let Some(rig) = Rig::sized(SIZE.0, SIZE.1).filter(|_| need("xsetroot", "x11-xserver-utils")) else {
        return;
    };
    // A screen of one colour would be noted as suspect.
    apps::paint_root(&rig.x, [40, 60, 80]);
    let mut witness = rig.witness();
    let window = witness.open(100, 100, 1000, 500);
    witness.focus(window);
    let server = one_run::server();
    rig.run(&server, &["do it all", "--out", "one"]).ended(0);
    assert_eq!(one_run::log(&rig.handsight.home().join("one")), one_run::simulated());

    // It was real: the window got the click, the wheel and the keys.
    let presses = witness.presses();
    let clicks = presses.iter().filter(|w| matches!(w, What::Button { button: 1, down: true })).count();
    let ticks = presses.iter().filter(|w| matches!(w, What::Button { button: 5, down: true })).count();
    // The click at the edge is outside of the window.
    assert_eq!((clicks, ticks), (2, 2), "{presses:?}");
    let strokes = presses.iter().filter(|w| matches!(w, What::Key { down: true, .. })).count();
    assert!(strokes >= "Hello Wörld €\n".chars().count(), "{presses:?}");
    witness.assert_quiet();
}

// spec: D-01 FAKE XVFB
#[test]
fn plans_on_a_real_screen_give_the_log_of_a_simulated_one() {
    let Some(rig) = Rig::sized(SIZE.0, SIZE.1).filter(|_| need("xsetroot", "x11-xserver-utils")) else {
        return;
    };
    apps::paint_root(&rig.x, [40, 60, 80]);
    let mut witness = rig.witness();
    let window = witness.open(100, 100, 1000, 500);
    witness.focus(window);
    let server = one_run::plans();
    rig.run(&server, &[&one_run::PLANS[..], &["--out", "one"]].concat()).ended(0);
    assert_eq!(one_run::log(&rig.handsight.home().join("one")), one_run::plans_simulated());
    let presses = witness.presses();
    let count = |button| presses.iter().filter(|w| **w == What::Button { button, down: true }).count();
    assert_eq!((count(1), count(3)), (1, 2), "{presses:?}");
    witness.assert_quiet();
}
