//! Text on Windows: every character arrives as itself, seen by another program of the session.

use crate::hands_rig::{inject, text};
use crate::wine_rig::Rig;
use handsight_testkit::wait::{PATIENCE, before};
use handsight_testkit::witness_protocol::What;

/// How many random strings are typed.
const STRINGS: usize = 500;

// spec: S-29 WINE
#[test]
fn text_arrives_where_the_focus_is() {
    let mut rig = Rig::new();
    for wanted in ["Añ€😀", "two\nlines\tand a tab", "ß漢字🇪🇺👩‍💻"] {
        rig.witness.forget();
        inject(&mut rig.hands, text(wanted));
        assert_eq!(rig.witness.text(wanted), wanted);
    }
    rig.witness.assert_quiet();
}

// spec: S-35 WINE
#[test]
fn a_surrogate_pair_is_two_pairs_of_down_and_up() {
    let mut rig = Rig::new();
    rig.witness.forget();
    inject(&mut rig.hands, text("😀"));
    assert_eq!(rig.witness.text("😀"), "😀");
    let units = rig.witness.presses(4).into_iter().map(|what| match what {
        What::Key { key: None, down, .. } => down,
        other => panic!("{other:?}"),
    });
    assert_eq!(units.collect::<Vec<_>>(), [true, false, true, false]);
}

#[test]
fn random_strings_from_all_planes_arrive_equal() {
    let mut rig = Rig::new();
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    for n in 0..STRINGS {
        let length = 1 + random(40);
        let mut wanted = String::new();
        while (wanted.chars().count() as u64) < length {
            // Every plane is as likely as any other; half of the characters are what people write most.
            let c = match random(4) {
                0 => 0x20 + random(0x5f),
                1 => random(0x3000),
                _ => random(17) * 0x1_0000 + random(0x1_0000),
            };
            wanted.extend(char::from_u32(c as u32).filter(|c| !c.is_control()));
        }
        rig.witness.forget();
        inject(&mut rig.hands, text(&wanted));
        let got = rig.witness.text(&wanted);
        assert_eq!(got, wanted, "string {n}");
    }
    rig.witness.assert_quiet();
}

#[test]
fn a_long_text_arrives_whole_and_in_order() {
    let mut rig = Rig::new();
    let wanted: String = (0..3000u32).map(|n| char::from(b'a' + (n * 7 % 26) as u8)).collect();
    rig.witness.forget();
    inject(&mut rig.hands, text(&wanted));
    let mut got = String::new();
    before(PATIENCE, || {
        got = rig.witness.text(&wanted);
        (got == wanted).then_some(())
    });
    assert_eq!(got, wanted);
}
