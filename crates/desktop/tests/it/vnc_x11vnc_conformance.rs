//! The conformance suite over VNC: x11vnc, which shows an Xvfb, seen by an X client behind it.

use crate::vnc_conformance::{lacks, rig};
use handsight_testkit::conformance::Rig;
use handsight_testkit::vnc_server::Kind;

const LACKS: &[(&str, &str)] = lacks![
    (
        "chords",
        "x11vnc lifts Shift for function keys, whose own symbol has no Shift in it; see vnc_hands for chords"
    ),
    (
        "clicks_in_moved_windows",
        "two minutes here; TigerVNC holds the same client to it, and `clicks` holds x11vnc to 2000 points"
    ),
    ("wheel_sideways", "x11vnc knows five buttons"),
    ("resolution", "Xvfb has one resolution"),
    ("clipboard", "x11vnc takes no part in it for its first 15 s, and in Latin-1 only then"),
];

fn x11vnc() -> Option<Rig> {
    rig(Kind::X11vnc, "vnc (x11vnc)", LACKS)
}

handsight_testkit::conformance! { x11vnc; all }
