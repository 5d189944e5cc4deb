//! The conformance suite on X11: an Xvfb without a window manager, and one with two displays.

use crate::hands_rig;
use crate::rig::config;
use handsight_desktop::x11::{X11Config, X11Desktop};
use handsight_testkit::conformance::x11::XWitness;
use handsight_testkit::conformance::{Rig, Terms};
use handsight_testkit::need::need;
use handsight_testkit::xvfb::Xvfb;

fn rig() -> Option<Rig> {
    let x = Xvfb::start()?;
    if !need("xrandr", "x11-xserver-utils") {
        return None;
    }
    x.run("xrandr", &["--setmonitor", "*A", "800/200x720/180+0+0", "screen"]);
    x.run("xrandr", &["--setmonitor", "B", "480/120x600/150+800+60", "none"]);
    let hands = hands_rig::config(x.display(), &x.home().join("state"));
    let desktop = X11Desktop::connect(X11Config { hands: Some(hands), ..config(x.display()) });
    let witness = XWitness::connect(x.display());
    let lacks: &[_] = &[
        ("wheel_in_units", "a notch is the least a wheel of X11 turns by"),
        ("text_by_units", "a character is one key of X11, whatever its UTF-16 units"),
        ("resolution", "Xvfb has one resolution"),
    ];
    Some(Rig {
        desktop: Box::new(desktop.expect("the desktop connects")),
        witness: Box::new(witness),
        terms: Terms { lacks, astray: Some(0), ..Terms::of("x11") },
        keep: Box::new(x),
    })
}

handsight_testkit::conformance! { rig;
    // spec: S-28 S-34 XVFB
    #[test]
    clicks,
    #[test]
    clicks_in_moved_windows,
    // spec: S-07 XVFB
    #[test]
    clicks_on_the_second_display,
    // spec: S-101 XVFB
    #[test]
    buttons,
    #[test]
    side_buttons,
    // spec: S-102 XVFB
    #[test]
    clicks_with_modifiers,
    #[test]
    drags,
    // spec: S-30 S-36 XVFB
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
    // spec: S-29 S-35 XVFB
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
    // spec: S-102 XVFB
    #[test]
    a_dead_turn,
    #[test]
    releases,
    #[test]
    resolution,
    // spec: S-08 XVFB
    #[test]
    pictures,
    #[test]
    regions,
    // spec: S-07 S-100 XVFB
    #[test]
    every_display,
    #[test]
    fresh_pictures,
    #[test]
    held_pictures,
    // spec: S-08 XVFB
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
