//! The conformance suite over VNC: x11vnc, which shows an Xvfb, seen by an X client behind it.

use crate::vnc_conformance::{lacks, rig};
use handsight_testkit::conformance::{Rig, Terms};
use handsight_testkit::need::long;
use handsight_testkit::vnc_server::Kind;

const LACKS: &[(&str, &str)] = lacks![
    ("wheel_sideways", "x11vnc knows five buttons"),
    ("resolution", "Xvfb has one resolution"),
    ("clipboard", "x11vnc takes no part in it for its first 15 s, and in Latin-1 only then"),
];

/// It looks at its screen in its own time, so that all of it takes five minutes: the long tier's.
fn x11vnc() -> Option<Rig> {
    // It naps on a screen where little happens, which costs seconds with each start.
    let options: &[&str] =
        if long() { &[] } else { &["-forever", "-shared", "-nonap", "-wait", "5", "-defer", "5"] };
    let rig = rig(Kind::X11vnc, options, "vnc (x11vnc)", LACKS)?;
    let one_in = if long() { 1 } else { 10 };
    Some(Rig { terms: Terms { one_in, refuses: &["shift+f5"], ..rig.terms }, ..rig })
}

handsight_testkit::conformance! { x11vnc; all }
