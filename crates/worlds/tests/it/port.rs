//! The desktop port over a world: pictures, places, refusals, stops.

use crate::rig::Rig;
use handsight_base::flow::action::{Action, Batch, Button, WindowQuery};
use handsight_base::flow::frame::Shown;
use handsight_base::gate::{Approved, Focus, Gate, Place, Scene, SetClipboard, Work};
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{
    CaptureRequest, ClipboardContents, Desktop, DesktopError, OverlayInCapture, Placement, WindowId,
    WindowState,
};
use handsight_base::space::{FrameGeometry, FrameId, ScreenPx, ScreenRect, Size};
use handsight_base::stop::StopReason;
use handsight_worlds::Setup;
use handsight_worlds::desk::DeskSetup;
use handsight_worlds::engine::{World, hold};
use std::time::Duration;

fn approve<T: handsight_base::gate::Effect>(effect: T) -> Approved<T> {
    let geometry =
        FrameGeometry { frame: FrameId(1), size: Size::new(1, 1), origin: ScreenPx::new(0, 0), scale: 1.0 };
    Gate::new(Vec::new()).approve(effect, &Scene::new(&geometry, 1)).unwrap()
}

fn batch(rig: &mut Rig, action: Action) -> Approved<Batch> {
    let geometry = FrameGeometry {
        frame: FrameId(1),
        size: Size::new(1280, 720),
        origin: ScreenPx::new(0, 0),
        scale: 1.0,
    };
    match rig.approve(action).expand(&geometry, &Default::default()).unwrap() {
        Work::Input(batch) => batch,
        other => panic!("{other:?}"),
    }
}

fn launch(rig: &mut Rig, program: &str) -> Result<u32, DesktopError> {
    let geometry = FrameGeometry {
        frame: FrameId(1),
        size: Size::new(1280, 720),
        origin: ScreenPx::new(0, 0),
        scale: 1.0,
    };
    let action = Action::Launch { argv: vec![program.to_owned()] };
    match rig.approve(action).expand(&geometry, &Default::default()).unwrap() {
        Work::Launch(launch) => rig.desktop.launch(launch),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_unchanged_screen_is_the_same_memory_and_a_changed_one_is_not() {
    let mut rig = Rig::plain();
    rig.open("editor", &[]);
    let (a, b) = (rig.frame(), rig.frame());
    assert_eq!(a.view().data().as_ptr(), b.view().data().as_ptr());
    let kept = a.view().data().to_vec();
    rig.type_text("x");
    let c = rig.frame();
    assert_ne!(a.view().data().as_ptr(), c.view().data().as_ptr());
    assert_eq!(a.view().data(), kept, "a frame that is held never changes");
    assert_ne!(c.view().data(), kept);
    drop((a, b, c));
    // With nobody looking the buffers go round.
    let known: Vec<_> = (0..6)
        .map(|_| {
            rig.type_text("y");
            rig.frame().view().data().as_ptr()
        })
        .collect();
    assert!(known.iter().collect::<std::collections::HashSet<_>>().len() <= 2, "{known:?}");
}

#[test]
fn the_pointer_is_blended_in_without_spoiling_the_picture() {
    let mut rig = Rig::plain();
    rig.point(ScreenPx::new(640, 360));
    let all = Shown::AllDisplays;
    let (bare, with) = (rig.capture(all.clone(), false), rig.capture(all.clone(), true));
    assert!(!bare.cursor && with.cursor);
    let differ = |a: &handsight_base::flow::frame::Frame, b: &handsight_base::flow::frame::Frame| {
        let (a, b) = (a.view(), b.view());
        let all = (0..720).flat_map(|y| (0..1280).map(move |x| (x, y)));
        all.filter(|(x, y)| a.bgr(*x, *y) != b.bgr(*x, *y)).collect::<Vec<_>>()
    };
    let changed = differ(&bare, &with);
    assert!(changed.len() > 50, "{}", changed.len());
    assert!(changed.iter().all(|(x, y)| (636..670).contains(x) && (356..390).contains(y)), "{changed:?}");
    assert!(changed.contains(&(640, 360)), "its tip is at the hot spot");
    rig.point(ScreenPx::new(100, 500));
    assert!(differ(&bare, &rig.capture(all.clone(), false)).is_empty());
    let moved = rig.capture(all, true);
    assert!(differ(&bare, &moved).iter().all(|(x, y)| (96..130).contains(x) && (496..530).contains(y)));
}

#[test]
fn a_window_is_shown_as_a_crop_at_its_place() {
    let mut rig = Rig::plain();
    let id = rig.open("editor", &["/Documents/Letters/landlord.txt"]);
    let window = rig.desktop.window(WindowId(id)).unwrap();
    let frame = rig.capture(Shown::Window(id), false);
    assert_eq!((frame.geometry.origin, frame.size()), (window.client.origin, window.client.size));
    let whole = rig.frame();
    let (x, y) = (window.client.origin.x as u32, window.client.origin.y as u32);
    for (dx, dy) in [(0, 0), (40, 30), (window.client.size.width - 1, window.client.size.height - 1)] {
        assert_eq!(frame.view().bgr(dx, dy), whole.view().bgr(x + dx, y + dy));
    }
    let region = ScreenRect::new(window.client.origin.x + 10, window.client.origin.y + 5, 50, 40);
    let request = CaptureRequest {
        frame: FrameId(2),
        shown: Shown::Window(id),
        region: Some(region),
        cursor: false,
        overlay: OverlayInCapture::AsShown,
    };
    let part = rig.desktop.capture(&request).unwrap();
    assert_eq!((part.geometry.origin, part.size()), (region.origin, region.size));
    assert_eq!(part.view().bgr(0, 0), frame.view().bgr(10, 5));
}

#[test]
fn what_is_gone_hidden_or_unknown_is_said_by_name() {
    let mut rig = Rig::plain();
    let id = rig.open("editor", &[]);
    let shoot = |rig: &mut Rig, shown| {
        rig.desktop.capture(&CaptureRequest {
            frame: FrameId(1),
            shown,
            region: None,
            cursor: false,
            overlay: OverlayInCapture::AsShown,
        })
    };
    rig.keys("super+Down");
    assert!(matches!(shoot(&mut rig, Shown::Window(id)), Err(DesktopError::TargetHidden { .. })));
    assert_eq!(rig.desktop.window(WindowId(id)).unwrap().state, WindowState::Minimised);
    let back = rig.desktop.focus(approve(Focus(WindowQuery::Id(id)))).unwrap();
    assert!(back.focused && back.state == WindowState::Normal);
    rig.keys("alt+F4");
    assert!(matches!(shoot(&mut rig, Shown::Window(id)), Err(DesktopError::TargetGone { .. })));
    assert!(matches!(rig.desktop.window(WindowId(id)), Err(DesktopError::TargetGone { .. })));
    assert!(matches!(
        shoot(&mut rig, Shown::Display("none".into())),
        Err(DesktopError::NoSuchDisplay { .. })
    ));
    let missing = rig.desktop.find(&WindowQuery::Title("no".into()));
    assert!(matches!(missing, Err(DesktopError::NoSuchWindow { .. })));
    let overlay = rig.desktop.overlay(None);
    assert!(matches!(overlay, Err(DesktopError::Unsupported { what, .. }) if what == "overlay"));
}

#[test]
fn windows_are_found_placed_and_started() {
    let mut rig = Rig::plain();
    let pid = launch(&mut rig, "notepad").unwrap();
    let editor = rig.top().frame;
    for query in [
        WindowQuery::Title(editor.title.clone()),
        WindowQuery::TitlePart(editor.title.to_uppercase()),
        WindowQuery::TitleRegex(format!("^{}$", editor.title)),
        WindowQuery::Class("editor".into()),
        WindowQuery::Pid(pid),
        WindowQuery::Id(editor.id),
        WindowQuery::Active,
    ] {
        assert_eq!(rig.desktop.find(&query).unwrap()[0].id.0, editor.id, "{}", query.describe());
    }
    let client = ScreenRect::new(100, 100, 600, 300);
    let place = Place { window: WindowId(editor.id), to: Placement::Client(client) };
    assert_eq!(rig.desktop.place(approve(place)).unwrap().client, client);
    let outer = ScreenRect::new(50, 60, 400, 300);
    let place = Place { window: WindowId(editor.id), to: Placement::Outer(outer) };
    assert_eq!(rig.desktop.place(approve(place)).unwrap().outer, outer);
    let refused = launch(&mut rig, "rm");
    assert!(matches!(refused, Err(DesktopError::Launch { .. })), "{refused:?}");
}

#[test]
fn the_clipboard_is_the_world_s() {
    let mut rig = Rig::plain();
    assert!(rig.desktop.clipboard().unwrap().formats.is_empty());
    let text = ClipboardContents { formats: vec![("UTF8_STRING".into(), "ü".into())] };
    rig.desktop.set_clipboard(approve(SetClipboard(text))).unwrap();
    assert_eq!(hold(&rig.world).clipboard(), "ü");
    assert!(rig.desktop.clipboard().unwrap().formats.iter().all(|(_, bytes)| bytes == "ü".as_bytes()));
    let picture = ClipboardContents { formats: vec![("image/png".into(), vec![1])] };
    assert!(matches!(
        rig.desktop.set_clipboard(approve(SetClipboard(picture))),
        Err(DesktopError::Clipboard { .. })
    ));
}

#[test]
fn a_stop_ends_a_wait_and_lets_go_of_everything() {
    let mut rig = Rig::plain();
    rig.open("editor", &[]);
    let down = batch(&mut rig, Action::HoldKey { chord: "ctrl+x".parse().unwrap(), millis: 60_000 });
    let stop = rig.stop.clone();
    stop.set(StopReason::Interrupt);
    let before = rig.clock.now();
    let injected = rig.desktop.inject(down, &stop).unwrap();
    assert!(!injected.complete && injected.events < injected.of, "{injected:?}");
    assert!(rig.clock.now() - before < Duration::from_secs(2));
    assert_eq!(hold(&rig.world).held(), (&[][..], &[][..]));
}

#[test]
fn what_is_left_down_is_part_of_the_truth_until_it_is_released() {
    let mut rig = Rig::plain();
    let at = None;
    rig.act(Action::Down { at, button: Button::Left });
    let shift = "shift".parse().unwrap();
    rig.raw(&[handsight_base::flow::action::Primitive::Key { key: shift, down: true }]);
    assert_eq!(hold(&rig.world).held(), (&[shift][..], &[Button::Left][..]));
    assert_eq!(hold(&rig.world).truth()["buttons_down"][0], "left");
    rig.desktop.release_all().unwrap();
    assert_eq!(hold(&rig.world).held(), (&[][..], &[][..]));
}

#[test]
fn time_passes_by_waits_and_declared_thought_only() {
    let mut rig = Rig::plain();
    let before = rig.clock.now();
    let _seen = rig.frame();
    let _seen = rig.frame();
    assert_eq!(rig.clock.now(), before);
    rig.wait(250);
    let think = hold(&rig.world).think_time();
    assert!(!think.is_zero());
    assert_eq!(rig.clock.now() - before, think + Duration::from_millis(250));
    rig.wait(250);
    assert_eq!(rig.clock.now() - before, think + Duration::from_millis(500), "one thought a picture");
}

#[test]
fn damage_says_where_and_only_where() {
    let mut rig = Rig::plain();
    rig.open("editor", &[]);
    let mark = rig.desktop.damage_since(None).unwrap().mark;
    assert_eq!(rig.desktop.damage_since(Some(mark)).unwrap().areas, Some(Vec::new()));
    rig.point(ScreenPx::new(1200, 300));
    rig.point(ScreenPx::new(1210, 310));
    assert_eq!(
        rig.desktop.damage_since(Some(mark)).unwrap().areas,
        Some(Vec::new()),
        "the pointer is no damage"
    );
    let before = rig.frame();
    let mark = rig.desktop.damage_since(None).unwrap().mark;
    rig.type_text("x");
    let areas = rig.desktop.damage_since(Some(mark)).unwrap().areas.unwrap();
    let after = rig.frame();
    let inside = |x: u32, y: u32| areas.iter().any(|a| a.contains(ScreenPx::new(x as i32, y as i32)));
    let mut changed = 0;
    for y in 0..720 {
        for x in 0..1280 {
            if before.view().bgr(x, y) != after.view().bgr(x, y) {
                assert!(inside(x, y), "({x}, {y}) changed unsaid");
                changed += 1;
            }
        }
    }
    let said: u64 = areas.iter().map(|a| a.size.area()).sum();
    assert!(changed > 0 && said < 1280 * 720 / 4, "{said} pixels for {changed}");
}

#[test]
fn two_displays_with_negative_origins_and_scales_are_one_screen() {
    let setup = Setup::new(4, Size::new(800, 600))
        .scaled(1.0)
        .with_display(ScreenRect::new(-640, -100, 640, 480), 2.0);
    let mut rig = Rig::new(&DeskSetup::from(&setup).with("taskbar", "bottom"));
    let displays = rig.desktop.displays().unwrap();
    assert_eq!(
        (displays.len(), displays[0].primary, displays[1].area.origin),
        (2, true, ScreenPx::new(-640, -100))
    );
    let left = rig.capture(Shown::Display("world-1".into()), false);
    assert_eq!((left.size(), left.geometry.scale), (Size::new(1280, 960), 2.0));
    let all = rig.capture(Shown::AllDisplays, false);
    assert_eq!((all.geometry.origin, all.geometry.scale), (ScreenPx::new(-640, -100), 2.0));
    assert_eq!(all.size(), Size::new(1440 * 2, 700 * 2));
    assert_eq!(all.view().bgr(0, 1399), Some([0, 0, 0]), "nothing is where no display is");
    // A window carried over lies there and takes input there.
    let id = rig.open("editor", &[]);
    hold(&rig.world).place(WindowId(id), ScreenRect::new(-600, -60, 500, 400));
    let text = rig.area("editor", "text");
    assert!(text.origin.x < 0);
    rig.click(text.center());
    rig.type_text("over there");
    assert_eq!(rig.top().texts["text"], "over there");
    let shown = rig.capture(Shown::Window(id), false);
    assert_eq!(shown.geometry.scale, 2.0);
    assert_eq!(shown.geometry.origin, rig.desktop.window(WindowId(id)).unwrap().client.origin);
    // The pointer stays on the displays.
    rig.raw(&[handsight_base::flow::action::Primitive::Move(ScreenPx::new(-300, 590))]);
    let at = hold(&rig.world).pointer();
    assert!(displays.iter().any(|d| d.area.contains(at)), "{at}");
}
