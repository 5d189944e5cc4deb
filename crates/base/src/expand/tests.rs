//! Every action as its primitives.

use super::*;
use crate::flow::action::WindowQuery;
use crate::random::Random;
use crate::space::{At, FrameId, FramePx, Size};
use std::collections::HashMap;

/// A frame of 400x300 whose top-left is at (-100, 50) on the screen.
fn geometry() -> FrameGeometry {
    FrameGeometry {
        frame: FrameId(3),
        size: Size::new(400, 300),
        origin: ScreenPx::new(-100, 50),
        scale: 1.0,
    }
}

fn spot(x: i32, y: i32) -> Spot {
    At { point: FramePx::new(x, y), frame: FrameId(3) }
}

fn still() -> Timing {
    Timing { drag_interval: Duration::ZERO, ..Timing::default() }
}

/// A chord by its name, so that tables read as a person would write them.
fn chord(text: &str) -> Chord {
    text.parse().unwrap()
}

fn with(text: &str) -> Modifiers {
    let mut modifiers = Modifiers::NONE;
    chord(text).0.into_iter().for_each(|key| assert!(modifiers.add(key), "{key}"));
    modifiers
}

/// Primitives as one word each: `-100,50` `left↓` `ctrl↑` `'a'` `v120` `h-30` `8ms`.
fn told(batch: &Batch) -> String {
    let words = batch.primitives.iter().map(|p| match p {
        Primitive::Move(at) => format!("{},{}", at.x, at.y),
        Primitive::Button { button, down } => format!("{button:?}{}", arrow(*down)).to_lowercase(),
        Primitive::Key { key, down } => format!("{key}{}", arrow(*down)),
        Primitive::Char(c) => format!("{c:?}"),
        Primitive::Wheel { axis: Axis::Vertical, units } => format!("v{units}"),
        Primitive::Wheel { axis: Axis::Horizontal, units } => format!("h{units}"),
        Primitive::Wait(d) => format!("{d:?}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

const fn arrow(down: bool) -> char {
    if down { '↓' } else { '↑' }
}

fn expanded(action: &Action, timing: &Timing) -> String {
    match expand(action, &geometry(), timing) {
        Ok(batch) => told(&batch),
        Err(error) => format!("refused: {error}"),
    }
}

fn click(at: Option<Spot>, button: Button, count: u8, modifiers: Modifiers) -> Action {
    Action::Click { at, button, count, modifiers }
}

// spec: S-28 S-34 UNIT
#[test]
fn a_click_is_a_move_a_press_and_a_release() {
    let action = click(Some(spot(10, 20)), Button::Left, 1, Modifiers::NONE);
    let batch = expand(&action, &geometry(), &still()).unwrap();
    assert_eq!(
        batch.primitives,
        [
            Primitive::Move(ScreenPx::new(-90, 70)),
            Primitive::Button { button: Button::Left, down: true },
            Primitive::Button { button: Button::Left, down: false },
        ]
    );
}

// spec: S-101 S-102 UNIT
#[test]
fn clicks_hold_their_modifiers_around_them() {
    let timing =
        Timing { hold: Duration::from_millis(100), click_interval: Duration::from_millis(50), ..still() };
    for (action, words) in [
        (click(None, Button::Right, 1, Modifiers::NONE), "right↓ 100ms right↑"),
        (click(None, Button::Middle, 1, Modifiers::NONE), "middle↓ 100ms middle↑"),
        (click(None, Button::Back, 1, Modifiers::NONE), "back↓ 100ms back↑"),
        (
            click(Some(spot(0, 0)), Button::Left, 2, with("shift+ctrl+alt")),
            "-100,50 ctrl↓ alt↓ shift↓ left↓ 100ms left↑ 50ms left↓ 100ms left↑ shift↑ alt↑ ctrl↑",
        ),
        (click(None, Button::Left, 0, Modifiers::NONE), "refused: 0 clicks; 1 to 4 are possible"),
        (click(None, Button::Left, 5, Modifiers::NONE), "refused: 5 clicks; 1 to 4 are possible"),
    ] {
        assert_eq!(expanded(&action, &timing), words);
    }
    let four = expanded(&click(None, Button::Left, 4, Modifiers::NONE), &still());
    assert_eq!(four, ["left↓ left↑"; 4].join(" "));
}

#[test]
fn moves_and_halves_of_a_press() {
    let (at, button) = (Some(spot(399, 299)), Button::Left);
    for (action, words) in [
        (Action::Move { to: spot(1, 2) }, "-99,52"),
        (Action::Down { at, button }, "299,349 left↓"),
        (Action::Up { at: None, button: Button::Forward }, "forward↑"),
        (Action::Up { at, button }, "299,349 left↑"),
    ] {
        assert_eq!(expanded(&action, &still()), words);
    }
}

// spec: S-30 S-36 UNIT
#[test]
fn a_scroll_turns_the_wheel_where_the_pointer_is() {
    let scroll = |by| Action::Scroll { at: None, by, modifiers: Modifiers::NONE };
    for (by, words) in [
        // The wheel step is 120: two ticks up, one tick down. A part of a step goes through unchanged.
        (ScrollBy::Units { dx: 0, dy: 240 }, "v240"),
        (ScrollBy::Units { dx: 0, dy: -120 }, "v-120"),
        (ScrollBy::Units { dx: 7, dy: 1 }, "v1 h7"),
        (ScrollBy::Units { dx: 0, dy: 0 }, ""),
        (ScrollBy::Notches { dx: -1, dy: 2 }, "v240 h-120"),
        (ScrollBy::Notches { dx: i32::MIN, dy: i32::MAX }, "v2147483647 h-2147483648"),
        (ScrollBy::Pixels { dx: 0, dy: 100 }, "v120"),
        (ScrollBy::Pixels { dx: -250, dy: 0 }, "h-300"),
        (ScrollBy::Pixels { dx: -1, dy: 1 }, "v2 h-2"),
        (ScrollBy::Pixels { dx: i32::MIN, dy: i32::MAX }, "v2147483647 h-2147483647"),
    ] {
        assert_eq!(expanded(&scroll(by), &still()), words, "{by:?}");
    }
}

#[test]
fn a_small_scroll_in_pixels_is_no_nothing() {
    let timing = Timing { pixels_per_notch: 1_000, ..still() };
    let one = Action::Scroll { at: None, by: ScrollBy::Pixels { dx: 0, dy: -1 }, modifiers: Modifiers::NONE };
    assert_eq!(expanded(&one, &timing), "v-1");
    // A nonsense setting is no division by zero.
    assert_eq!(expanded(&one, &Timing { pixels_per_notch: 0, ..still() }), "v-120");
}

#[test]
fn a_scroll_with_a_place_and_modifiers() {
    let (at, modifiers) = (Some(spot(5, 5)), with("ctrl+win"));
    let scroll = |dy| Action::Scroll { at, by: ScrollBy::Notches { dx: 0, dy }, modifiers };
    assert_eq!(expanded(&scroll(1), &still()), "-95,55 ctrl↓ super↓ v120 super↑ ctrl↑");
    // Nothing to turn: a lone press of Super would open a menu.
    assert_eq!(expanded(&scroll(0), &still()), "-95,55");
}

// spec: S-29 S-35 UNIT
#[test]
fn text_becomes_characters_and_line_breaks_keys() {
    for (text, words) in [
        // One primitive a character: the emoji is one here and two UTF-16 units on Windows.
        ("Añ€😀", "'A' 'ñ' '€' '😀'"),
        ("a\nb", "'a' enter↓ enter↑ 'b'"),
        ("a\r\nb", "'a' enter↓ enter↑ 'b'"),
        ("a\rb", "'a' enter↓ enter↑ 'b'"),
        ("\r\n\r\n", "enter↓ enter↑ enter↓ enter↑"),
        ("\n\r", "enter↓ enter↑ enter↓ enter↑"),
        ("\r\r\n", "enter↓ enter↑ enter↓ enter↑"),
        ("a\tb", "'a' tab↓ tab↑ 'b'"),
        ("", ""),
        (" ", "' '"),
        ("a\0b", "refused: the text holds the control character '\\0', which no key types; leave it out"),
        ("\u{8}", "refused: the text holds the control character '\\u{8}', which no key types; leave it out"),
        (
            "\u{85}",
            "refused: the text holds the control character '\\u{85}', which no key types; leave it out",
        ),
    ] {
        assert_eq!(expanded(&Action::typed(text), &still()), words, "{text:?}");
    }
}

// spec: D-03 UNIT
#[test]
fn typing_waits_between_characters_and_not_at_the_ends() {
    let timing =
        Timing { hold: Duration::from_millis(3), type_interval: Duration::from_millis(20), ..still() };
    assert_eq!(expanded(&Action::typed("a\r\nb"), &timing), "'a' 20ms enter↓ 3ms enter↑ 20ms 'b'");
    assert_eq!(expanded(&Action::typed("a"), &timing), "'a'");
}

// spec: D-37 UNIT
#[test]
fn a_text_may_have_a_pace_of_its_own_that_is_kept_exactly_and_is_bounded() {
    let timing = Timing { type_interval: Duration::from_millis(20), jitter: 1.0, ..still() };
    let paced = |text: &str, ms| Action::Type { text: text.into(), interval_millis: Some(ms) };
    assert_eq!(expanded(&paced("Añ€", 40), &timing), "'A' 40ms 'ñ' 40ms '€'");
    assert_eq!(expanded(&paced("ab", 0), &timing), "'a' 'b'");
    assert_eq!(expanded(&paced("a", u64::MAX), &timing), "'a'");
    assert_eq!(expanded(&paced("ab", 300_000), &timing), "'a' 300s 'b'");
    for (text, ms) in [("ab", 300_001), ("abcd", 100_001), ("abc", u64::MAX)] {
        let refused = expanded(&paced(text, ms), &timing);
        assert!(refused.contains("milliseconds to type a text; 0 to 300000 are possible"), "{refused}");
    }
}

#[test]
fn chords_are_released_in_the_opposite_order() {
    let timing =
        Timing { hold: Duration::from_millis(10), type_interval: Duration::from_millis(20), ..still() };
    let key = |text, repeat| Action::Key { chord: chord(text), repeat };
    for (action, words) in [
        (key("ctrl+shift+s", 1), "ctrl↓ shift↓ s↓ 10ms s↑ shift↑ ctrl↑"),
        (key("Return", 2), "enter↓ 10ms enter↑ 20ms enter↓ 10ms enter↑"),
        (key("Return", 0), "refused: 0 key presses; 1 to 100 are possible"),
        (key("Return", 101), "refused: 101 key presses; 1 to 100 are possible"),
        (Action::Key { chord: Chord(vec![]), repeat: 1 }, "refused: 0 keys in a chord; 1 to 10 are possible"),
        (
            Action::Key { chord: Chord(vec![Key::Char('a'); 11]), repeat: 1 },
            "refused: 11 keys in a chord; 1 to 10 are possible",
        ),
    ] {
        assert_eq!(expanded(&action, &timing), words);
    }
    assert_eq!(expanded(&key("a", 100), &still()), ["a↓ a↑"; 100].join(" "));
}

#[test]
fn what_an_action_names_is_kept_to_the_millisecond() {
    let jittery = Timing { hold: Duration::from_millis(10), jitter: 1.0, jitter_seed: 9, ..still() };
    let hold = |millis| Action::HoldKey { chord: chord("shift+w"), millis };
    for (action, words) in [
        (hold(2_500), "shift↓ w↓ 2.5s w↑ shift↑"),
        (hold(0), "shift↓ w↓ w↑ shift↑"),
        (hold(300_000), "shift↓ w↓ 300s w↑ shift↑"),
        (hold(300_001), "refused: 300001 milliseconds to wait; 0 to 300000 are possible"),
        (Action::Wait { millis: 1_500 }, "1.5s"),
        (Action::Wait { millis: 0 }, ""),
        (
            Action::Wait { millis: u64::MAX },
            "refused: 18446744073709551615 milliseconds to wait; 0 to 300000 are possible",
        ),
    ] {
        assert_eq!(expanded(&action, &jittery), words);
    }
}

#[test]
fn a_drag_goes_through_every_place_and_ends_on_the_last() {
    let drag = |path: &[(i32, i32)], modifiers| Action::Drag {
        path: path.iter().map(|(x, y)| spot(*x, *y)).collect(),
        button: Button::Left,
        modifiers,
    };
    let timing = Timing {
        hold: Duration::from_millis(5),
        drag_interval: Duration::from_millis(8),
        drag_step: 20,
        ..Timing::default()
    };
    for (action, words) in [
        (
            drag(&[(0, 0), (50, 0), (50, 10)], Modifiers::NONE),
            "-100,50 left↓ 5ms -83,50 8ms -67,50 8ms -50,50 8ms -50,60 8ms 5ms left↑",
        ),
        (drag(&[(3, 3), (3, 3)], with("alt")), "-97,53 alt↓ left↓ 5ms -97,53 8ms 5ms left↑ alt↑"),
        (drag(&[(3, 3)], Modifiers::NONE), "refused: a drag needs two places at least, 1 were given"),
        (drag(&[], Modifiers::NONE), "refused: a drag needs two places at least, 0 were given"),
    ] {
        assert_eq!(expanded(&action, &timing), words);
    }
    let mut random = Random::new(1);
    for _ in 0..2_000 {
        let mut place = || (random.below(400) as i32, random.below(300) as i32);
        let path = [place(), place(), place()];
        let step = random.range(0, 60) as u32;
        let batch =
            expand(&drag(&path, Modifiers::NONE), &geometry(), &Timing { drag_step: step, ..still() });
        let moves: Vec<ScreenPx> = batch
            .unwrap()
            .primitives
            .iter()
            .filter_map(|p| if let Primitive::Move(at) = p { Some(*at) } else { None })
            .collect();
        let corners = path.map(|(x, y)| ScreenPx::new(x - 100, y + 50));
        assert_eq!((moves[0], *moves.last().unwrap()), (corners[0], corners[2]));
        assert!(moves.contains(&corners[1]), "{corners:?} by {moves:?}");
        for pair in moves.windows(2) {
            let (dx, dy) = (f64::from(pair[1].x - pair[0].x), f64::from(pair[1].y - pair[0].y));
            // Rounding to pixels may lengthen a step by a diagonal.
            assert!(dx.hypot(dy) <= f64::from(step.max(1)) + 1.5, "{pair:?} for a step of {step}");
        }
    }
}

#[test]
fn jitter_only_lengthens_and_is_the_seeds_own() {
    let timing =
        |jitter, jitter_seed| Timing { hold: Duration::from_millis(100), jitter, jitter_seed, ..still() };
    let action = click(None, Button::Left, 3, Modifiers::NONE);
    let waits = |timing: &Timing| -> Vec<Duration> {
        let batch = expand(&action, &geometry(), timing).unwrap();
        batch
            .primitives
            .iter()
            .filter_map(|p| if let Primitive::Wait(d) = p { Some(*d) } else { None })
            .collect()
    };
    let some = waits(&timing(0.25, 42));
    assert_eq!(some, waits(&timing(0.25, 42)), "the same seed");
    assert_ne!(some, waits(&timing(0.25, 43)), "another seed");
    assert!(some[0] != some[1] && some[1] != some[2], "{some:?}");
    for seed in 0..500 {
        for (jitter, longest) in [(0.25, 125), (1.0, 200), (1e300, 200), (f64::INFINITY, 200)] {
            let range = Duration::from_millis(100)..=Duration::from_millis(longest);
            assert!(waits(&timing(jitter, seed)).iter().all(|d| range.contains(d)), "{jitter} {seed}");
        }
    }
    for none in [0.0, -1.0, f64::NAN] {
        assert_eq!(waits(&timing(none, 42)), [Duration::from_millis(100); 3], "{none}");
    }
}

#[test]
fn what_the_desktop_does_itself_is_no_input() {
    for (action, name) in [
        (Action::Paste { text: "a".into() }, "paste"),
        (Action::Launch { argv: vec!["xterm".into()] }, "launch"),
        (Action::FocusWindow { query: WindowQuery::Active }, "focus_window"),
    ] {
        assert_eq!(
            expand(&action, &geometry(), &still()),
            Err(ExpandError::NotInput { action: name }),
            "{action:?}"
        );
        assert_eq!(action.name(), name);
    }
}

#[test]
fn a_place_off_the_picture_or_of_another_moves_nothing() {
    let stale = At { point: FramePx::new(1, 1), frame: FrameId(2) };
    for bad in [spot(400, 0), spot(0, 300), spot(-1, 0), stale] {
        let (at, button, modifiers) = (Some(bad), Button::Left, Modifiers::NONE);
        for action in [
            click(at, button, 1, modifiers),
            Action::Move { to: bad },
            Action::Down { at, button },
            Action::Up { at, button },
            Action::Scroll { at, by: ScrollBy::Notches { dx: 0, dy: 1 }, modifiers },
            Action::Drag { path: vec![bad, spot(1, 1)], button, modifiers },
            Action::Drag { path: vec![spot(1, 1), spot(2, 2), bad], button, modifiers },
        ] {
            assert!(action.spots().contains(&bad), "{action:?} hides a place from the gate");
            let refused = expand(&action, &geometry(), &still());
            assert!(matches!(refused, Err(ExpandError::Space(_))), "{action:?} became {refused:?}");
        }
    }
}

fn random_action(r: &mut Random) -> Action {
    let place = |r: &mut Random| spot(r.range(0, 399) as i32, r.range(0, 299) as i32);
    let at = r.chance(70).then(|| place(r));
    let button = r.pick(&[Button::Left, Button::Middle, Button::Right, Button::Back, Button::Forward]);
    let mut held = || r.chance(30);
    let modifiers = Modifiers { control: held(), alt: held(), shift: held(), super_: held() };
    let (dx, dy) = (r.range(-500, 500) as i32, r.range(-3, 3) as i32);
    let millis = r.below(2_000);
    let chord =
        chord(r.pick(&["a", "ctrl+c", "ctrl+shift+alt+Delete", "super", "F5", "shift+Tab", "ctrl++"]));
    match r.below(10) {
        0 => click(at, button, r.range(1, 4) as u8, modifiers),
        1 => Action::Move { to: place(r) },
        2 => Action::Down { at, button },
        3 => Action::Up { at, button },
        4 => Action::Drag { path: (0..r.range(2, 6)).map(|_| place(r)).collect(), button, modifiers },
        5 => {
            let kinds =
                [ScrollBy::Units { dx, dy }, ScrollBy::Notches { dx, dy }, ScrollBy::Pixels { dx, dy }];
            Action::Scroll { at, by: r.pick(&kinds), modifiers }
        }
        6 => Action::Type {
            text: (0..r.below(20)).map(|_| r.pick(&['a', 'Ü', '\n', '\r', '\t', '😀', ' '])).collect(),
            interval_millis: r.pick(&[None, Some(0), Some(40)]),
        },
        7 => Action::Key { chord, repeat: r.range(1, 100) as u16 },
        8 => Action::HoldKey { chord, millis },
        _ => Action::Wait { millis },
    }
}

/// Whatever a batch presses it releases, in the opposite order, and nothing is pressed twice or released unpressed.
#[test]
fn every_batch_leaves_nothing_down() {
    #[derive(Debug, PartialEq, Eq, Hash, Clone, Copy)]
    enum Held {
        Key(Key),
        Button(Button),
    }
    let mut random = Random::new(2);
    let mut seen = HashMap::new();
    for case in 0..20_000 {
        let action = random_action(&mut random);
        let mut wait = || Duration::from_millis(random.below(3) * 7);
        let timing = Timing {
            hold: wait(),
            click_interval: wait(),
            type_interval: wait(),
            drag_interval: wait(),
            drag_step: 15,
            jitter: random.unit(),
            jitter_seed: random.next(),
            ..Timing::default()
        };
        let batch = expand(&action, &geometry(), &timing).unwrap();
        assert_eq!(expand(&action, &geometry(), &timing).as_ref(), Ok(&batch), "a pure function");
        let mut down: Vec<Held> = Vec::new();
        for primitive in &batch.primitives {
            let (what, pressed) = match *primitive {
                Primitive::Key { key, down } => (Held::Key(key), down),
                Primitive::Button { button, down } => (Held::Button(button), down),
                Primitive::Move(at) => {
                    let on_it = geometry().frame_from_screen(at);
                    assert!(on_it.is_ok(), "case {case}: {action:?} went to {at}");
                    continue;
                }
                Primitive::Wheel { units, .. } => {
                    assert_ne!(units, 0, "case {case}: {action:?}");
                    continue;
                }
                Primitive::Wait(d) => {
                    assert!(!d.is_zero(), "case {case}: {action:?}");
                    continue;
                }
                Primitive::Char(_) => continue,
            };
            if pressed {
                assert!(!down.contains(&what), "case {case}: {what:?} pressed twice by {action:?}");
                down.push(what);
            } else if !matches!(action, Action::Up { .. }) {
                assert_eq!(down.pop(), Some(what), "case {case}: {action:?} became {}", told(&batch));
            }
        }
        let left_down = usize::from(matches!(action, Action::Down { .. }));
        assert_eq!(down.len(), left_down, "case {case}: {action:?} became {}", told(&batch));
        *seen.entry(action.name()).or_insert(0) += 1;
    }
    assert!(seen.len() == 10 && seen.values().all(|n| *n > 1_000), "not every action was tried: {seen:?}");
}
