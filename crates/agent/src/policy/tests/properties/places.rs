//! Where the pointer may be, how often something may be done, and that more strictness never allows more.

use super::*;
use handsight_base::flow::action::{Primitive, Timing};
use handsight_base::gate::{Done, Work};

/// Where the hands send the pointer for an action, with legs of drags in steps of so many units.
fn visited(action: &Action, drag_step: u32, pointer: ScreenPx) -> Vec<ScreenPx> {
    let open = gate_of(|profile| profile.policy.on.guarded = Decree::Allow);
    let approved = open.approve(action.clone(), &Scene::new(&GEOMETRY, 1)).unwrap();
    let timing = Timing { drag_step, ..Timing::default() };
    let Work::Input(batch) = approved.expand(&GEOMETRY, &timing).unwrap() else { return Vec::new() };
    let moves = batch.into_inner().primitives.into_iter();
    let moves: Vec<_> =
        moves.filter_map(|p| if let Primitive::Move(to) = p { Some(to) } else { None }).collect();
    if moves.is_empty() { vec![pointer] } else { moves }
}

/// Long ones, whose way is more than its ends.
fn drag() -> impl Strategy<Value = Action> {
    proptest::collection::vec(spot(), 2..4).prop_map(|path| Action::Drag {
        path,
        button: Button::Left,
        modifiers: Modifiers::NONE,
    })
}

fn without_keys(mut action: Action) -> Action {
    if let Action::Click { modifiers, .. }
    | Action::Drag { modifiers, .. }
    | Action::Scroll { modifiers, .. } = &mut action
    {
        *modifiers = Modifiers::NONE;
    }
    action
}

/// The pixel and the eight around it.
fn around(at: ScreenPx) -> impl Iterator<Item = ScreenPx> {
    (-1..=1).flat_map(move |dx| (-1..=1).map(move |dy| at.offset(dx, dy)))
}

proptest! {
    #![proptest_config(cases())]

    /// An action of the pointer is allowed if each place the hands go to lies in an allowed part and in no denied one, and only then.
    /// Pixels that a slanting drag merely grazes may count as touched.
    #[test]
    fn the_pointer_goes_where_it_may_and_nowhere_else(
        action in prop_oneof![pointed(), drag()].prop_map(without_keys),
        allowed in proptest::collection::vec(area(), 0..4),
        denied in proptest::collection::vec(area(), 0..2),
        (dx, dy) in (0..SIZE.width as i32, 0..SIZE.height as i32),
        drag_step in 1_u32..40,
        nth in any::<proptest::sample::Index>(),
    ) {
        let pointer = GEOMETRY.origin.offset(dx, dy);
        let gate = gate_of(|profile| {
            profile.policy.on.guarded = Decree::Allow;
            profile.policy.regions.clone_from(&allowed);
            profile.policy.regions_denied.clone_from(&denied);
        });
        let among = |areas: &[Area], at: ScreenPx| areas.iter().any(|a| a.rect().unwrap().contains(at));
        let may = |at: ScreenPx| (allowed.is_empty() || among(&allowed, at)) && !among(&denied, at);
        let scene = Scene { pointer: Some(pointer), ..Scene::new(&GEOMETRY, 1) };
        let verdict = verdict(&gate, &action, &scene);
        let places = visited(&action, drag_step, pointer);
        let wrong = places.iter().find(|at| !may(**at));
        if verdict == Verdict::Allowed {
            prop_assert_eq!(wrong, None, "of {:?}", places);
        } else if let Action::Drag { .. } = action {
            let near = visited(&action, 1, pointer).into_iter().flat_map(around).any(|at| !may(at));
            prop_assert!(near, "refused, and nothing near {places:?} is wrong");
        } else {
            prop_assert!(wrong.is_some(), "refused at {places:?}");
        }
        // One pixel that is denied is enough, be it in the middle of a drag.
        let at = *nth.get(&places);
        let but_one = gate_of(|profile| {
            profile.policy.regions_denied = vec![Area([i64::from(at.x), i64::from(at.y), 1, 1])];
        });
        prop_assert_eq!(said(&but_one, &action, &scene), (Verdict::Refused, "regions"), "{} is denied", at);
        // Without a place that is known nothing is allowed that needs one.
        if action.spots().is_empty() && !(allowed.is_empty() && denied.is_empty()) {
            let unknown = Scene { pointer: None, ..scene };
            prop_assert_eq!(said(&gate, &action, &unknown), (Verdict::Refused, "regions"));
        }
    }

    /// Whoever has done less, or may do more, is allowed no less; waiting costs nothing.
    #[test]
    fn budgets_are_monotone(
        action in action(),
        limits in any::<[Option<u8>; 3]>(),
        larger in any::<[Option<u8>; 3]>(),
        done in any::<[u8; 3]>(),
        less in any::<[u8; 3]>(),
    ) {
        let limit = |n: Option<u8>| n.map(|n| u64::from(n % 8));
        let budget = |limits: [Option<u64>; 3]| {
            gate_of(|profile| {
                profile.policy.on.guarded = Decree::Allow;
                [profile.policy.max_actions, profile.policy.max_actions_per_minute, profile.policy.max_launches] =
                    limits;
            })
        };
        let judged = |limits: [Option<u64>; 3], [actions, last_minute, launches]: [u64; 3]| {
            let done = Done { actions, launches, last_minute };
            said(&budget(limits), &action, &Scene { done, ..Scene::new(&GEOMETRY, 1) })
        };
        let limits = limits.map(limit);
        let done = done.map(|n| u64::from(n % 12));
        let fewer = [0, 1, 2].map(|n| done[n].saturating_sub(u64::from(less[n] % 4)));
        let higher = [0, 1, 2].map(|n| limits[n].zip(limit(larger[n])).map(|(a, b)| a + b));
        let is = judged(limits, done);
        prop_assert!(strictness(judged(limits, fewer).0) <= strictness(is.0), "{limits:?}: {done:?}, {fewer:?}");
        prop_assert!(strictness(judged(higher, done).0) <= strictness(is.0), "{done:?}: {limits:?}, {higher:?}");
        let spent = |n: usize| limits[n].is_some_and(|limit| done[n] >= limit);
        let counts = !matches!(action, Action::Wait { .. });
        let launches = matches!(action, Action::Launch { .. });
        if (counts && (spent(0) || spent(1))) || (launches && spent(2)) {
            prop_assert_eq!(is.0, Verdict::Refused, "{:?} of {:?}", done, limits);
        } else {
            prop_assert_ne!(is.1, "budget", "{:?} of {:?}", done, limits);
        }
    }

    /// A stricter decree of one kind never allows more, whatever the others say; and where it says anything, it is done.
    #[test]
    fn a_stricter_decree_allows_no_more(
        action in prop_oneof![action(), grave()],
        on in on(),
        class in select(vec!["xterm", "editor"]),
        guarded in area(),
    ) {
        let windows = [window(class, "a window", everywhere())];
        let scene = Scene { windows: Some(&windows), ..Scene::new(&GEOMETRY, 1) };
        for (kind, name) in ["on.launch", "on.paste", "on.close", "on.terminal", "on.guarded"].into_iter().enumerate() {
            let judged = |others: On, decree: Decree| {
                let mut on = others;
                let all = [&mut on.launch, &mut on.paste, &mut on.close, &mut on.terminal, &mut on.guarded];
                if let Some(one) = all.into_iter().nth(kind) {
                    *one = decree;
                }
                let gate = gate_of(|profile| {
                    profile.policy.on = on;
                    profile.policy.guarded_regions = vec![guarded];
                });
                said(&gate, &action, &scene)
            };
            let [lax, asks, strict] = [Decree::Allow, Decree::Ask, Decree::Deny].map(|decree| judged(on, decree).0);
            let rises = strictness(lax) <= strictness(asks) && strictness(asks) <= strictness(strict);
            prop_assert!(rises, "{name}: {lax:?}, {asks:?}, {strict:?}");
            let allow = Decree::Allow;
            let none = On { launch: allow, paste: allow, close: allow, terminal: allow, guarded: allow };
            let asks = judged(none, Decree::Ask).0 == Verdict::Asked;
            let denies = judged(none, Decree::Deny) == (Verdict::Refused, name);
            prop_assert_eq!(asks, denies, "what {} asks about it also denies", name);
        }
    }
}

/// What has consequences of one kind or another.
fn grave() -> impl Strategy<Value = Action> {
    let key = |chord: &str| Action::Key { chord: chord.parse().unwrap(), repeat: 1 };
    select(vec![
        Action::Paste { text: "x".to_owned() },
        Action::typed("ls\n"),
        key("ctrl+v"),
        key("alt+f4"),
        key("enter"),
        key("shift+delete"),
        Action::Launch { argv: vec!["mousepad".to_owned()] },
    ])
}
