//! The conformance suite over VNC: TigerVNC, seen by an X client behind it. [`rig`] serves x11vnc too.

use crate::vnc_rig::desktop;
use handsight_testkit::conformance::x11::XWitness;
use handsight_testkit::conformance::{Alphabet, Rig, Terms};
use handsight_testkit::need::need;
use handsight_testkit::vnc_server::{Kind, VncServer};
use std::process::Command;
use std::time::Duration;

/// What no server can do, and what one cannot besides.
macro_rules! lacks {
    ($($more:expr),* $(,)?) => {
        &[
            ("clicks_on_the_second_display", "a VNC server shows one screen"),
            ("side_buttons", "VNC has no back and forward"),
            ("wheel_in_units", "a notch is the least a wheel of VNC turns by"),
            ("text_by_units", "a character is one key of VNC, whatever its UTF-16 units"),
            ("pointer_at_its_hot_spot", $crate::vnc_conformance::DRAWN),
            ("pointer_where_it_is", $crate::vnc_conformance::DRAWN),
            ("finds", "VNC knows no windows"),
            ("focuses", "VNC knows no windows"),
            ("places", "VNC knows no windows"),
            $($more),*
        ]
    };
}
pub(crate) use lacks;

pub(crate) const DRAWN: &str =
    "the server draws the pointer into every picture while another connection, that of the hands, moves it";

/// A server with one screen and a witness behind it; without options, as everywhere.
pub(crate) fn rig(
    kind: Kind,
    options: &[&str],
    name: &'static str,
    lacks: &'static [(&'static str, &'static str)],
) -> Option<Rig> {
    let server = match options {
        [] => VncServer::start(kind)?,
        options => VncServer::with(kind, 1280, 720, options)?,
    };
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
    let terms = Terms { lacks, late, alphabet: Alphabet::Spare, ..Terms::of(name) };
    Some(Rig { desktop: Box::new(desktop), witness: Box::new(witness), terms, keep: Box::new(server) })
}

const LACKS: &[(&str, &str)] = lacks![];

fn tiger() -> Option<Rig> {
    rig(Kind::Tiger, &[], "vnc (TigerVNC)", LACKS)
}

handsight_testkit::conformance! { tiger; all }
