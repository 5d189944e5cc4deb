//! The conformance suite over VNC: x11vnc, which shows an Xvfb, seen by an X client behind it.

use crate::vnc_conformance::{lacks, rig};
use handsight_testkit::conformance::{Rig, Terms};
use handsight_testkit::need::long;
use handsight_testkit::vnc_server::Kind;

const LACKS: &[(&str, &str)] = lacks![
    (
        "chords",
        "x11vnc lifts Shift for function keys, whose own symbol has no Shift in it; see vnc_hands for chords"
    ),
    ("wheel_sideways", "x11vnc knows five buttons"),
    ("resolution", "Xvfb has one resolution"),
    ("clipboard", "x11vnc takes no part in it for its first 15 s, and in Latin-1 only then"),
];

/// It looks at its screen in its own time, so that all of it takes five minutes: the long tier's.
fn x11vnc() -> Option<Rig> {
    let rig = rig(Kind::X11vnc, "vnc (x11vnc)", LACKS)?;
    let one_in = if long() { 1 } else { 10 };
    Some(Rig { terms: Terms { one_in, ..rig.terms }, ..rig })
}

handsight_testkit::conformance! { x11vnc; all }
