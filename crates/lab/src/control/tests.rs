use super::*;
use handsight_base::flow::intent::Intent;
use handsight_base::flow::prompt::{Prompt, Sampling};
use handsight_base::port::desktop::WindowId;
use handsight_base::port::dialect::Dialect as _;
use handsight_base::space::{FrameId, PictureGeometry, ScreenPx, ScreenRect, Size};
use handsight_worlds::desk::{Desk, DeskSetup};
use handsight_worlds::engine::share;
use std::time::Duration;

fn geometry(scale: f64) -> FrameGeometry {
    let size = Size::new((1280.0 * scale) as u32, (720.0 * scale) as u32);
    FrameGeometry { frame: FrameId(3), size, origin: ScreenPx::new(0, 0), scale }
}

/// What the engine would do after asking.
async fn asked<M: Mind>(control: &Control<M>, frame: FrameGeometry) -> Intent {
    let prompt = Prompt {
        fragments: Vec::new(),
        pictures: Vec::new(),
        tools: Vec::new(),
        sampling: Sampling::default(),
        history: Vec::new(),
        frame,
        captured_at: Duration::ZERO,
    };
    let request = Plain.encode(&prompt);
    let reply = control.ask(&request, &Stop::new()).await.unwrap();
    let picture = PictureGeometry { frame: frame.frame, pane: frame.whole(), size: frame.size };
    let mut decoded = Plain.decode(&reply, &picture).unwrap();
    assert_eq!(decoded.plan.len(), 1);
    decoded.plan.remove(0).intent
}

#[tokio::test]
async fn who_does_nothing_says_so_at_once() {
    let intent = asked(&Control::new("no-op", NoOp), geometry(1.0)).await;
    assert!(matches!(intent, Intent::Done { .. }), "{intent:?}");
}

#[tokio::test]
async fn anything_is_the_same_from_the_same_seed_and_ends() {
    let play = |seed: u64, tools: &'static [&'static str]| async move {
        let control = Control::new("random", Anything::new(seed, "case", tools));
        let mut intents = Vec::new();
        loop {
            let intent = asked(&control, geometry(1.0)).await;
            let done = matches!(intent, Intent::Done { .. });
            intents.push(intent);
            if done {
                return intents;
            }
        }
    };
    let (first, again, other) =
        (play(1, &["click", "type"]), play(1, &["click", "type"]), play(2, &["click", "type"]));
    let (first, again, other) = (first.await, again.await, other.await);
    assert_eq!(first.len(), ACTIONS + 1);
    assert_eq!(first, again);
    assert_ne!(first, other);
    for intent in &first[..ACTIONS] {
        let Intent::Act(action) = intent else { panic!("{intent:?}") };
        assert!(["click", "type"].contains(&action.name()), "only the profile's tools: {action:?}");
        let inside =
            |spot: &At<FramePx>| geometry(1.0).whole().contains(spot.point) && spot.frame == FrameId(3);
        assert!(action.spots().iter().all(inside), "{action:?}");
    }
    let all = play(1, crate::suite::TOOLS).await;
    assert!(
        all.iter().any(|i| matches!(i, Intent::Act(Action::Drag { .. } | Action::Key { .. }))),
        "{all:?}"
    );
}

/// A window at this place, 100 units wide and high.
fn window(id: u64, x: i32, y: i32, focused: bool) -> Window {
    let area = ScreenRect::new(x, y, 100, 100);
    let (title, class, state) = (String::new(), Vec::new(), WindowState::Normal);
    Window {
        id: WindowId(id),
        title,
        class,
        pid: None,
        program: None,
        client: area,
        outer: area,
        state,
        focused,
    }
}

/// A person's window has the focus and covers a part of the case's; later the case's has the focus.
#[tokio::test]
async fn on_a_persons_desktop_anything_is_done_in_the_windows_of_the_case() {
    let play = |windows: fn(usize) -> Vec<(Window, bool)>| async move {
        let mut actions = Vec::new();
        for seed in 1..=16 {
            let mut looks = 0;
            let around = move || {
                looks += 1;
                windows(looks)
            };
            let anything = Anything::new(seed, "case", crate::suite::TOOLS).within(Box::new(around));
            let control = Control::new("random", anything);
            loop {
                match asked(&control, geometry(1.5)).await {
                    Intent::Act(action) => actions.push(action),
                    Intent::Done { .. } => break,
                    other => panic!("{other:?}"),
                }
            }
        }
        actions
    };
    let frame = geometry(1.5);
    let (case, person) = (ScreenRect::new(200, 200, 100, 100), ScreenRect::new(250, 200, 100, 100));
    let actions = play(|looks| {
        let last = looks > 4;
        vec![(window(1, 250, 200, !last), false), (window(2, 200, 200, last), true)]
    })
    .await;
    let touched: Vec<ScreenPx> = actions
        .iter()
        .flat_map(|action| {
            action.spots().iter().map(|at| frame.screen_from_frame(*at).unwrap()).collect::<Vec<_>>()
        })
        .collect();
    assert!(touched.len() > 3, "{actions:?}");
    assert!(touched.iter().all(|at| case.contains(*at) && !person.contains(*at)), "{touched:?}");
    let keys = |actions: &[Action]| actions.iter().filter(|a| matches!(a.name(), "type" | "key")).count();
    assert!(keys(&actions) > 0, "once it has the focus: {actions:?}");
    let unheard = play(|_| vec![(window(1, 0, 0, true), false), (window(2, 200, 200, false), true)]).await;
    assert_eq!(keys(&unheard), 0, "{unheard:?}");
    let alone = play(|_| vec![(window(1, 0, 0, true), false)]).await;
    assert!(alone.iter().all(|action| action.name() == "wait"), "{alone:?}");
}

#[tokio::test]
async fn the_oracle_speaks_in_pixels_of_the_frame() {
    let world = share(Desk::new(&DeskSetup::new(7)));
    let hand = {
        let mut desk = hold(&world);
        desk.begin("compute").unwrap();
        desk.oracle()
    };
    let want = |frame: &FrameGeometry| hand.action(frame).unwrap().unwrap();
    let control = Control::new("oracle", Oracle::new(world));
    for scale in [1.0, 1.5, 2.0] {
        let frame = geometry(scale);
        assert_eq!(asked(&control, frame).await, Intent::Act(want(&frame)), "{scale}");
    }
}

#[tokio::test]
async fn a_request_of_another_dialect_is_no_wish() {
    let control = Control::new("no-op", NoOp);
    let error = control.ask(&ModelRequest::default(), &Stop::new()).await.unwrap_err();
    assert!(matches!(error, ModelError::Malformed { .. }), "{error}");
}
