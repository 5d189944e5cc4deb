//! An approval is for one action on one frame: its hash says which, to the last field.

use super::*;
use handsight_base::flow::decision::Consent;
use std::collections::HashSet;

/// The action with one thing about it that is another, for each thing there is. A field that is new does not compile until it
/// stands here.
fn changed(action: &Action) -> Vec<Action> {
    match action.clone() {
        Action::Click { at, button, count, modifiers } => {
            let with = |at, button, count, modifiers| Action::Click { at, button, count, modifiers };
            let mut all: Vec<_> = spots(at).map(|at| with(at, button, count, modifiers)).collect();
            all.push(with(at, next(button), count, modifiers));
            all.push(with(at, button, count + 1, modifiers));
            all.extend(flipped(modifiers).map(|modifiers| with(at, button, count, modifiers)));
            all
        }
        Action::Move { to } => spots(Some(to)).flatten().map(|to| Action::Move { to }).collect(),
        Action::Down { at, button } => {
            let mut all: Vec<_> = spots(at).map(|at| Action::Down { at, button }).collect();
            all.extend([Action::Down { at, button: next(button) }, Action::Up { at, button }]);
            all
        }
        Action::Up { at, button } => {
            let mut all: Vec<_> = spots(at).map(|at| Action::Up { at, button }).collect();
            all.extend([Action::Up { at, button: next(button) }, Action::Down { at, button }]);
            all
        }
        Action::Drag { path, button, modifiers } => {
            let with = |path, button, modifiers| Action::Drag { path, button, modifiers };
            let mut all = Vec::new();
            for (n, at) in path.iter().enumerate() {
                for at in spots(Some(*at)).flatten() {
                    let mut path = path.clone();
                    path[n] = at;
                    all.push(with(path, button, modifiers));
                }
            }
            let more = path.iter().chain(path.last()).copied().collect();
            all.push(with(more, button, modifiers));
            all.push(with(path.clone(), next(button), modifiers));
            all.extend(flipped(modifiers).map(|modifiers| with(path.clone(), button, modifiers)));
            all
        }
        Action::Scroll { at, by, modifiers } => {
            let with = |at, by, modifiers| Action::Scroll { at, by, modifiers };
            let mut all: Vec<_> = spots(at).map(|at| with(at, by, modifiers)).collect();
            let (ScrollBy::Notches { dx, dy } | ScrollBy::Units { dx, dy } | ScrollBy::Pixels { dx, dy }) =
                by;
            let others = [(dx, dy), (dx + 1, dy), (dx, dy + 1)].into_iter().flat_map(|(dx, dy)| {
                [ScrollBy::Notches { dx, dy }, ScrollBy::Units { dx, dy }, ScrollBy::Pixels { dx, dy }]
            });
            all.extend(others.filter(|other| *other != by).map(|by| with(at, by, modifiers)));
            all.extend(flipped(modifiers).map(|modifiers| with(at, by, modifiers)));
            all
        }
        Action::Type { text, interval_millis } => {
            let slower = Some(interval_millis.map_or(0, |millis| millis + 1));
            let mut all: Vec<_> =
                texts(&text).into_iter().map(|text| Action::Type { text, interval_millis }).collect();
            all.push(Action::Type { text: text.clone(), interval_millis: slower });
            all.push(Action::Paste { text });
            all
        }
        Action::Paste { text } => {
            let all = texts(&text).into_iter().map(|text| Action::Paste { text });
            all.chain([Action::typed(&text)]).collect()
        }
        Action::Key { chord, repeat } => {
            let mut all: Vec<_> = chords(&chord).map(|chord| Action::Key { chord, repeat }).collect();
            all.push(Action::Key { chord: chord.clone(), repeat: repeat + 1 });
            all.push(Action::HoldKey { chord, millis: u64::from(repeat) });
            all
        }
        Action::HoldKey { chord, millis } => {
            let mut all: Vec<_> = chords(&chord).map(|chord| Action::HoldKey { chord, millis }).collect();
            all.push(Action::HoldKey { chord, millis: millis + 1 });
            all
        }
        Action::Wait { millis } => vec![Action::Wait { millis: millis + 1 }],
        Action::Launch { argv } => {
            let words = (0..argv.len()).flat_map(|n| {
                let argv = argv.clone();
                texts(&argv[n]).into_iter().map(move |word| {
                    let mut argv = argv.clone();
                    argv[n] = word;
                    argv
                })
            });
            // The same letters as other words, too.
            let others =
                words.chain([argv.iter().cloned().chain([String::new()]).collect(), vec![argv.concat(); 2]]);
            others.map(|argv| Action::Launch { argv }).collect()
        }
        Action::FocusWindow { query } => {
            let others = match &query {
                WindowQuery::Title(t)
                | WindowQuery::TitlePart(t)
                | WindowQuery::TitleRegex(t)
                | WindowQuery::Class(t) => {
                    let of = |t: String| {
                        [
                            WindowQuery::Title(t.clone()),
                            WindowQuery::TitlePart(t.clone()),
                            WindowQuery::TitleRegex(t.clone()),
                            WindowQuery::Class(t),
                        ]
                    };
                    of(t.clone()).into_iter().chain(texts(t).into_iter().flat_map(of)).collect()
                }
                WindowQuery::Pid(n) => {
                    vec![WindowQuery::Pid(n.wrapping_add(1)), WindowQuery::Id(u64::from(*n))]
                }
                WindowQuery::Id(n) => vec![WindowQuery::Id(n.wrapping_add(1)), WindowQuery::Active],
                WindowQuery::Active => vec![WindowQuery::Id(0), WindowQuery::Title(String::new())],
            };
            others
                .into_iter()
                .filter(|other| *other != query)
                .map(|query| Action::FocusWindow { query })
                .collect()
        }
    }
}

/// Another column, another row, another frame, and with a place or without.
fn spots(at: Option<Spot>) -> impl Iterator<Item = Option<Spot>> {
    let is = at.unwrap_or(At { point: FramePx::new(0, 0), frame: GEOMETRY.frame });
    let FramePx { x, y } = is.point;
    let moved = [FramePx::new(x + 1, y), FramePx::new(x, y + 1)].map(|point| Some(At { point, ..is }));
    let later = Some(At { frame: FrameId(is.frame.0 + 1), ..is });
    moved.into_iter().chain([later, if at.is_some() { None } else { Some(is) }])
}

const fn next(button: Button) -> Button {
    match button {
        Button::Left => Button::Middle,
        Button::Middle => Button::Right,
        Button::Right => Button::Back,
        Button::Back => Button::Forward,
        Button::Forward => Button::Left,
    }
}

fn flipped(modifiers: Modifiers) -> impl Iterator<Item = Modifiers> {
    let Modifiers { control, alt, shift, super_ } = modifiers;
    [
        Modifiers { control: !control, ..modifiers },
        Modifiers { alt: !alt, ..modifiers },
        Modifiers { shift: !shift, ..modifiers },
        Modifiers { super_: !super_, ..modifiers },
    ]
    .into_iter()
}

fn texts(text: &str) -> [String; 2] {
    [format!("{text} "), format!("\u{200b}{text}")]
}

fn chords(chord: &Chord) -> impl Iterator<Item = Chord> {
    let more = chord.0.iter().copied().chain([Key::Named(Named::F9)]).collect();
    let turned = chord.0.iter().rev().copied().collect();
    [more, turned]
        .map(Chord)
        .into_iter()
        .filter(|other: &Chord| other != chord)
        .collect::<Vec<_>>()
        .into_iter()
}

proptest! {
    #![proptest_config(cases())]

    /// The hash that an approval is bound to is another for another action or frame, and for nothing else.
    #[test]
    fn a_hash_is_of_one_action_on_one_frame(action in action(), frame in 2_u64..9) {
        let hash = action.hash(GEOMETRY.frame);
        let written = serde_json::to_string_pretty(&action).unwrap();
        let read: Action = serde_json::from_str(&written).unwrap();
        prop_assert_eq!(&read.hash(GEOMETRY.frame), &hash, "written and read it is the same");
        prop_assert_eq!(&action.clone().hash(GEOMETRY.frame), &hash);
        prop_assert_ne!(&action.hash(FrameId(frame)), &hash, "on another frame it is another");
        let others = changed(&action);
        let hashes: HashSet<String> = others.iter().map(|other| other.hash(GEOMETRY.frame).0).collect();
        prop_assert!(!hashes.contains(&hash.0), "one of {others:?} is told as {action:?}");
        prop_assert_eq!(hashes.len(), others.len(), "two of {:?} are told as one", others);
    }

    /// What a person agreed to opens that action on that frame, and nothing else.
    #[test]
    fn an_answer_opens_what_was_asked_and_nothing_else(action in action(), frame in 2_u64..9) {
        let asks = gate_of(|profile| {
            let ask = Decree::Ask;
            profile.policy.on = On { launch: ask, paste: ask, close: ask, terminal: ask, guarded: ask };
            let ScreenRect { origin, size } = everywhere();
            let area = [origin.x, origin.y].map(i64::from);
            profile.policy.guarded_regions =
                vec![Area([area[0], area[1], i64::from(size.width), i64::from(size.height)])];
            profile.policy.guarded_windows = vec![WindowMatch { class: Some("xterm".into()), ..WindowMatch::default() }];
        });
        let windows = [window("xterm", "a window", everywhere())];
        let pointer = Some(everywhere().center());
        let scene = Scene { windows: Some(&windows), pointer, ..Scene::new(&GEOMETRY, 1) };
        let agreed = || match asks.approve(action.clone(), &scene) {
            Err(Refusal::Ask(asked)) => Some(asked.answered(Consent::Given)),
            Ok(_) | Err(_) => None,
        };
        if let Some(answer) = agreed() {
            let opened = asks.approve_answered(action.clone(), &scene, answer).unwrap();
            prop_assert_eq!(opened.hash(), &action.hash(GEOMETRY.frame));
            for other in changed(&action) {
                let opened = asks.approve_answered(other.clone(), &scene, agreed().unwrap());
                prop_assert!(opened.is_err(), "agreed to was {action:?}, opened {other:?}");
            }
            let later = FrameGeometry { frame: FrameId(frame), ..GEOMETRY };
            let later = Scene { geometry: &later, ..scene };
            prop_assert!(asks.approve_answered(action.clone(), &later, agreed().unwrap()).is_err(), "another frame");
        }
    }
}
