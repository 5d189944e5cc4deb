//! The rules by properties: what must hold whatever is proposed, 256 proposals each.
//!
//! Each has its twin: the same thing without the trick is allowed, so that nothing passes by refusing everything.

mod approvals;
mod places;
mod words;

use super::*;
use crate::profile::{Area, Decree, On, WindowMatch};
use handsight_base::flow::action::{Action, Button, ScrollBy, Spot, WindowQuery};
use handsight_base::gate::{Gate, Refusal, Scene};
use handsight_base::key::{Chord, Key, Modifiers, Named};
use handsight_base::port::desktop::{Window, WindowId, WindowState};
use handsight_base::space::{At, FrameGeometry, FrameId, FramePx, ScreenPx, ScreenRect, Size};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::sync::LazyLock;

/// Of a profile that is resolved once: that takes some milliseconds.
static PROFILE: LazyLock<Profile> = LazyLock::new(|| stateless(&[]));

/// Small enough that random places meet.
const SIZE: Size = Size { width: 64, height: 48 };
const GEOMETRY: FrameGeometry =
    FrameGeometry { frame: FrameId(1), size: SIZE, origin: ScreenPx { x: -9, y: 7 }, scale: 1.0 };

/// 256 cases whatever the environment says, and no files of failures.
fn cases() -> ProptestConfig {
    ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() }
}

fn gate_of(change: impl FnOnce(&mut Profile)) -> Gate {
    let mut profile = PROFILE.clone();
    change(&mut profile);
    gate(&profile).unwrap()
}

/// What a gate says, with the rule that refuses.
fn said(gate: &Gate, action: &Action, scene: &Scene<'_>) -> (Verdict, &'static str) {
    match gate.approve(action.clone(), scene) {
        Ok(_) => (Verdict::Allowed, ""),
        Err(Refusal::Ask(_)) => (Verdict::Asked, ""),
        Err(Refusal::Rule { rule, .. }) => (Verdict::Refused, rule),
        Err(_) => (Verdict::Refused, "gate"),
    }
}

fn verdict(gate: &Gate, action: &Action, scene: &Scene<'_>) -> Verdict {
    said(gate, action, scene).0
}

const fn strictness(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Allowed => 0,
        Verdict::Asked => 1,
        Verdict::Refused => 2,
    }
}

fn window(class: &str, title: &str, area: ScreenRect) -> Window {
    Window {
        id: WindowId(1),
        title: title.to_owned(),
        class: vec![class.to_owned()],
        pid: None,
        program: None,
        client: area,
        outer: area,
        state: WindowState::Normal,
        focused: true,
    }
}

fn everywhere() -> ScreenRect {
    GEOMETRY.screen_rect(GEOMETRY.whole())
}

fn spot() -> impl Strategy<Value = Spot> {
    let point = (0..SIZE.width as i32, 0..SIZE.height as i32);
    point.prop_map(|(x, y)| At { point: FramePx::new(x, y), frame: GEOMETRY.frame })
}

fn area() -> impl Strategy<Value = Area> {
    (-12_i64..40, 4_i64..40, 1_i64..50, 1_i64..40)
        .prop_map(|(x, y, width, height)| Area([x, y, width, height]))
}

fn button() -> impl Strategy<Value = Button> {
    select(vec![Button::Left, Button::Middle, Button::Right, Button::Back, Button::Forward])
}

fn modifiers() -> impl Strategy<Value = Modifiers> {
    any::<[bool; 4]>().prop_map(|[control, alt, shift, super_]| Modifiers { control, alt, shift, super_ })
}

fn key() -> impl Strategy<Value = Key> {
    let named = [Named::Enter, Named::Delete, Named::F4, Named::Insert, Named::Tab, Named::Left];
    prop_oneof![
        proptest::char::ranges(vec!['a'..='z', '0'..='9'].into()).prop_map(Key::Char),
        select(named.map(Key::Named).to_vec()),
    ]
}

const MODIFIERS: [Named; 4] = [Named::Control, Named::Alt, Named::Shift, Named::Super];

fn chord() -> impl Strategy<Value = Chord> {
    (subsequence(MODIFIERS.to_vec(), 0..=2), key())
        .prop_map(|(held, key)| Chord(held.into_iter().map(Key::Named).chain([key]).collect()))
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ -~]{0,12}", "\\PC{0,6}", "[a-z]{1,5}\n"]
}

fn query() -> impl Strategy<Value = WindowQuery> {
    prop_oneof![
        text().prop_map(WindowQuery::Title),
        text().prop_map(WindowQuery::TitlePart),
        text().prop_map(WindowQuery::TitleRegex),
        text().prop_map(WindowQuery::Class),
        any::<u32>().prop_map(WindowQuery::Pid),
        any::<u64>().prop_map(WindowQuery::Id),
        Just(WindowQuery::Active),
    ]
}

fn scroll() -> impl Strategy<Value = ScrollBy> {
    (0..3, -9..9, -9..9).prop_map(|(unit, dx, dy)| match unit {
        0 => ScrollBy::Notches { dx, dy },
        1 => ScrollBy::Units { dx, dy },
        _ => ScrollBy::Pixels { dx, dy },
    })
}

/// An action of the pointer.
fn pointed() -> impl Strategy<Value = Action> {
    let at = || proptest::option::of(spot());
    prop_oneof![
        (at(), button(), 1_u8..=4, modifiers()).prop_map(|(at, button, count, modifiers)| Action::Click {
            at,
            button,
            count,
            modifiers
        }),
        spot().prop_map(|to| Action::Move { to }),
        (at(), button()).prop_map(|(at, button)| Action::Down { at, button }),
        (at(), button()).prop_map(|(at, button)| Action::Up { at, button }),
        (proptest::collection::vec(spot(), 2..5), button(), modifiers())
            .prop_map(|(path, button, modifiers)| Action::Drag { path, button, modifiers }),
        (at(), scroll(), modifiers()).prop_map(|(at, by, modifiers)| Action::Scroll { at, by, modifiers }),
    ]
}

/// Any action there is.
fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        3 => pointed(),
        4 => prop_oneof![
            (text(), proptest::option::of(0_u64..50))
                .prop_map(|(text, interval_millis)| Action::Type { text, interval_millis }),
            text().prop_map(|text| Action::Paste { text }),
            (chord(), 1_u16..9).prop_map(|(chord, repeat)| Action::Key { chord, repeat }),
            (chord(), 0_u64..900).prop_map(|(chord, millis)| Action::HoldKey { chord, millis }),
            (0_u64..900).prop_map(|millis| Action::Wait { millis }),
            proptest::collection::vec("[a-z]{1,6}", 1..4).prop_map(|argv| Action::Launch { argv }),
            query().prop_map(|query| Action::FocusWindow { query }),
        ],
    ]
}

fn decree() -> impl Strategy<Value = Decree> {
    select(vec![Decree::Allow, Decree::Ask, Decree::Deny])
}

fn on() -> impl Strategy<Value = On> {
    (decree(), decree(), decree(), decree(), decree())
        .prop_map(|(launch, paste, close, terminal, guarded)| On { launch, paste, close, terminal, guarded })
}
