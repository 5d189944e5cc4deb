//! The conformance suite on Windows: a session of its own, seen by a Windows program that has nothing of the product.

use handsight_base::port::clock::RealClock;
use handsight_desktop::hands::{HandsConfig, Screen, supervise};
use handsight_desktop::windows::{WindowsConfig, WindowsDesktop};
use handsight_testkit::conformance::remote::{self, RemoteWitness};
use handsight_testkit::conformance::{Rig, Terms};
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const LACKS: &[(&str, &str)] = &[
    ("clicks_on_the_second_display", "Wine on Xvfb has one display"),
    ("resolution", "Xvfb has one resolution"),
    ("pointer_at_its_hot_spot", "Wine gives no program the picture of another one's pointer"),
];

/// Events and pictures go through Wine's server and the X server.
const LATE: Duration = Duration::from_millis(150);

/// Hands and eyes of this session, and the witness beside them.
pub(crate) fn rig_as(name: &'static str) -> Option<Rig> {
    let state = TempDir::new().expect("a folder");
    let mut config = WindowsConfig::eyes(Arc::new(RealClock::new()));
    config.hands = Some(HandsConfig::new(supervisor_of_this_binary(), Screen::Windows, state.path()));
    let desktop = WindowsDesktop::connect(config).expect("the desktop opens");
    let witness = RemoteWitness::start(remote::program());
    // Wine moves the pointer of X along, whose echo reaches the program later and would take the pointer back from the next
    // click; once the program has answered, it has come. On the way of a drag it is seen.
    // Windows does not hold the focus still between a look at it and the next key.
    let terms = Terms {
        lacks: LACKS,
        framed: true,
        round: 1,
        echoes: true,
        astray: Some(1),
        late: LATE,
        ..Terms::of(name)
    };
    Some(Rig { desktop: Box::new(desktop), witness: Box::new(witness), terms, keep: Box::new(state) })
}

fn supervisor_of_this_binary() -> Vec<OsString> {
    let me = std::env::current_exe().expect("the test binary").into_os_string();
    let args = ["--ignored", "--exact", "wine_conformance::supervisor", "--nocapture", "--test-threads", "1"];
    std::iter::once(me).chain(args.map(OsString::from)).collect()
}

#[test]
#[ignore = "a process that other tests start: the input supervisor"]
fn supervisor() {
    #[expect(clippy::exit, reason = "the pipes of the harness are those of the engine")]
    if let code @ (0 | 5) = supervise(&[]) {
        std::process::exit(code);
    }
}

fn rig() -> Option<Rig> {
    rig_as("windows at 96 DPI")
}

handsight_testkit::conformance! { rig;
    // spec: S-28 S-34 WINE
    #[test]
    clicks,
    #[test]
    clicks_in_moved_windows,
    #[test]
    clicks_on_the_second_display,
    // spec: S-101 WINE
    #[test]
    buttons,
    #[test]
    side_buttons,
    #[test]
    clicks_with_modifiers,
    #[test]
    drags,
    // spec: S-30 WINE
    #[test]
    wheel,
    #[test]
    wheel_sideways,
    #[test]
    wheel_in_units,
    #[test]
    chords,
    #[test]
    named_keys,
    #[test]
    repeats,
    #[test]
    holds,
    // spec: S-29 S-35 WINE
    #[test]
    text,
    #[test]
    text_by_units,
    #[test]
    pastes,
    #[test]
    clipboard,
    #[test]
    nothing_unasked,
    #[test]
    focus_loss,
    #[test]
    close_mid_action,
    #[test]
    strays,
    #[test]
    stops,
    #[test]
    a_dead_turn,
    #[test]
    releases,
    #[test]
    resolution,
    // spec: S-08 WINE
    #[test]
    pictures,
    #[test]
    regions,
    // spec: S-07 WINE
    #[test]
    every_display,
    #[test]
    fresh_pictures,
    #[test]
    held_pictures,
    // spec: S-08 WINE
    #[test]
    pointer_at_its_hot_spot,
    #[test]
    pointer_where_it_is,
    #[test]
    finds,
    #[test]
    focuses,
    #[test]
    places,
    #[test]
    refuses_by_name,
}
