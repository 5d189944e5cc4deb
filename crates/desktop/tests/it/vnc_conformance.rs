//! The conformance suite over VNC: TigerVNC, seen by an X client behind it.

use crate::vnc_rig::desktop;
use handsight_testkit::conformance::x11::XWitness;
use handsight_testkit::conformance::{Rig, Terms};
use handsight_testkit::need::need;
use handsight_testkit::vnc_server::{Kind, VncServer};
use std::process::Command;
use std::time::Duration;

const NO_WINDOWS: &str = "VNC knows no windows";
const DRAWN: &str =
    "the server draws the pointer into every picture while another connection, that of the hands, moves it";
const ASKS: &str =
    "the server asks for the text when a program wants it, and here one thread is both; see vnc_hands";

const LACKS: &[(&str, &str)] = &[
    ("clicks_on_the_second_display", "a VNC server shows one screen"),
    ("side_buttons", "VNC has no back and forward"),
    ("wheel_in_units", "a notch is the least a wheel of VNC turns by"),
    ("text_by_units", "a character is one key of VNC, whatever its UTF-16 units"),
    (
        "text",
        "letters on TigerVNC's spare keycodes reach this witness in the other case; see vnc_hands for real programs",
    ),
    ("pastes", ASKS),
    ("clipboard", ASKS),
    ("pointer_at_its_hot_spot", DRAWN),
    ("pointer_where_it_is", DRAWN),
    ("finds", NO_WINDOWS),
    ("focuses", NO_WINDOWS),
    ("places", NO_WINDOWS),
];

fn rig() -> Option<Rig> {
    let server = VncServer::start(Kind::Tiger)?;
    if !need("xrandr", "x11-xserver-utils") {
        return None;
    }
    let display = server.x.display().to_owned();
    let witness = XWitness::connect(&display).resizing(move |size| {
        let size = size.to_string();
        let ended = Command::new("xrandr").args(["--display", &display, "--size", &size]).output();
        let ended = ended.expect("xrandr starts");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    });
    let desktop = desktop(&server);
    let late = Duration::from_millis(500);
    let terms = Terms { lacks: LACKS, late, ..Terms::of("vnc") };
    Some(Rig { desktop: Box::new(desktop), witness: Box::new(witness), terms, keep: Box::new(server) })
}

handsight_testkit::conformance! { rig; all }
