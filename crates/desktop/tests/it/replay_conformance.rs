//! The conformance suite for replays. A check is run on the suite's own desktop, which conforms, and kept as a run; then the same
//! check is run over the replay of that run, with what the witness saw told again.
//!
//! A replay moves nothing, so what a window got says nothing about it. It conforms if what is asked of it is compared with what was
//! recorded, deed by deed, and if each look and each deed comes to what it came to then: the same pixels in the same place, the same
//! counts, the same refusals. What a run does not keep is lacking by name.

use crate::replay_rig::{What, Wrong, record};
use handsight_testkit::conformance::{Terms, assert_complete, check};

const UNTOLD: &str = "a run keeps how much of a text was sent, not which window lost the focus";

const LACKS: &[(&str, &str)] = &[
    (
        "clicks_in_moved_windows",
        "of the windows a run keeps the one it looked at, where it was in the picture before",
    ),
    ("clicks_on_the_second_display", "a run looks at one screen"),
    ("clipboard", "a run keeps nobody's clipboard"),
    ("a_dead_turn", "nothing is pressed that could stay down"),
    ("resolution", "the screen has the size of the picture that was seen last; nobody can give it another"),
    ("every_display", "a run keeps no names of displays, so that there is none to refuse"),
    ("finds", "of the windows a run keeps the one it looked at"),
    ("focuses", "of the windows a run keeps the one it looked at"),
    ("focus_loss", UNTOLD),
    ("close_mid_action", UNTOLD),
    ("strays", UNTOLD),
    ("places", "a run does not keep that a window was placed"),
];

const TERMS: Terms = Terms { lacks: LACKS, ..Terms::of("replay") };
/// For the controls, which need no thousands of clicks.
const FEWER: Terms = Terms { one_in: 40, ..TERMS };

/// One test for each check that a replay passes.
macro_rules! plays {
    ($($check:ident)*) => {
        const PLAYS: &[&str] = &[$(stringify!($check)),*];
        $(
            #[test]
            fn $check() {
                plays(stringify!($check));
            }
        )*
    };
}

plays! {
    clicks
    buttons
    side_buttons
    clicks_with_modifiers
    drags
    wheel
    wheel_sideways
    wheel_in_units
    chords
    named_keys
    repeats
    holds
    text
    text_by_units
    pastes
    nothing_unasked
    stops
    releases
    pictures
    regions
    fresh_pictures
    held_pictures
    pointer_at_its_hot_spot
    pointer_where_it_is
    refuses_by_name
}

#[expect(clippy::print_stderr, reason = "figures are what a person wants from a conformance run")]
#[track_caller]
fn plays(name: &str) {
    let recording =
        record(name, TERMS, None).unwrap_or_else(|why| panic!("the recorded desktop in {name}: {why}"));
    match recording.play(name) {
        Ok(figures) => {
            let (looks, deeds) = (recording.count(What::Look), recording.count(What::Deed));
            eprintln!("CONFORMS replay {name}: {figures}; {looks} looks and {deeds} deeds as they were");
        }
        Err(why) => panic!("a replay does not conform in `{name}` ({}): {why}", check(name).shows),
    }
}

/// Every check is in one of the two lists, and what is lacking is: a check that a replay has come to pass moves up.
#[test]
fn what_is_lacking_is_named_and_no_more() {
    let lacking: Vec<&str> = LACKS.iter().map(|(name, _)| *name).collect();
    assert_complete(&[PLAYS, &lacking].concat());
    assert_eq!((PLAYS.len(), LACKS.len()), (25, 12));
    for (name, why) in LACKS {
        eprintln!("LACKS replay {name}: {why}");
        let played = record(name, FEWER, None).and_then(|recording| recording.play(name));
        assert!(played.is_err(), "{name} is played, and said to be lacking: {played:?}");
    }
}

/// The controls: one pixel, one deed or one result that is not as it was is seen in every check that has such a thing.
#[test]
fn a_recording_with_one_thing_altered_does_not_pass() {
    let (mut pictures, mut deeds) = (0, 0);
    for name in PLAYS {
        let honest = record(name, FEWER, None).unwrap();
        let why = altered(name, Wrong::Picture(honest.count(What::Look) / 2));
        assert!(!why.contains("played otherwise"), "{name}: a picture is no deed: {why}");
        pictures += 1;
        if let Some(nth) = honest.count(What::Deed).checked_sub(1).map(|last| last / 2) {
            let why = altered(name, Wrong::Deed(nth));
            assert!(why.contains("played otherwise: turn"), "{name}: {why}");
            altered(name, Wrong::Result(nth));
            deeds += 1;
        }
    }
    assert_eq!((pictures, deeds), (25, 21));
}

#[track_caller]
fn altered(name: &str, wrong: Wrong) -> String {
    let recording = record(name, FEWER, Some(wrong)).unwrap();
    match recording.play(name) {
        Ok(figures) => panic!("`{name}` passes with {wrong:?}: {figures}"),
        Err(why) => why,
    }
}

/// Another control: what was recorded of one check does not pass for another, deed for deed.
#[test]
fn a_replay_that_is_fed_other_deeds_says_where_it_differs() {
    for (recorded, played) in [
        ("buttons", "side_buttons"),
        ("wheel", "wheel_sideways"),
        ("chords", "named_keys"),
        ("drags", "buttons"),
        ("pastes", "text"),
    ] {
        let recording = record(recorded, FEWER, None).unwrap();
        let why = recording.play(played).expect_err("other deeds");
        assert!(why.contains("played otherwise: turn 1: recorded was "), "{played} over {recorded}: {why}");
    }
}
