//! Windows as a person handles them.

use crate::rig::Rig;
use handsight_base::flow::action::{Button, Primitive};
use handsight_base::key::Modifiers;
use handsight_base::space::{ScreenPx, ScreenRect};
use handsight_worlds::desk::window::{Part, Shape};
use handsight_worlds::engine::{CursorShape, World, hold};

fn outer(rig: &Rig, id: u64) -> ScreenRect {
    rig.windows().iter().find(|w| w.frame.id == id).unwrap().frame.outer
}

fn part(rig: &Rig, id: u64, wanted: Part) -> ScreenPx {
    let world = hold(&rig.world);
    let truths = world.window_truths();
    let frame = &truths.iter().find(|w| w.frame.id == id).unwrap().frame;
    frame.captions(world.theme()).into_iter().find(|(part, _)| *part == wanted).unwrap().1.center()
}

/// In the title bar, clear of icon and buttons.
fn title(rig: &Rig, id: u64) -> ScreenPx {
    outer(rig, id).origin.offset(80, 14)
}

fn place(rig: &Rig, id: u64, x: i32, y: i32, width: u32, height: u32) {
    use handsight_base::port::desktop::WindowId;
    assert!(hold(&rig.world).place(WindowId(id), ScreenRect::new(x, y, width, height)));
}

fn two() -> (Rig, u64, u64) {
    let mut rig = Rig::plain();
    let (a, b) = (rig.open("editor", &[]), rig.open("editor", &[]));
    place(&rig, a, 200, 40, 500, 400);
    place(&rig, b, 400, 160, 500, 400);
    rig.wait(1);
    (rig, a, b)
}

#[test]
fn a_press_raises_and_focuses_what_it_hits() {
    let (mut rig, a, b) = two();
    assert_eq!(rig.top().frame.id, b);
    // Both cover it: the upper one is hit.
    rig.click(ScreenPx::new(500, 300));
    assert_eq!((rig.top().frame.id, rig.top().focused), (b, true));
    rig.click(ScreenPx::new(300, 300));
    assert_eq!((rig.top().frame.id, rig.top().focused), (a, true));
    rig.type_text("for a");
    assert_eq!(rig.top().texts["text"], "for a");
    rig.click(ScreenPx::new(1100, 100));
    assert!(rig.windows().iter().all(|w| !w.focused), "a press on the desktop takes the focus away");
    rig.type_text("lost");
    assert_eq!(rig.top().texts["text"], "for a");
}

#[test]
fn a_title_bar_moves_its_window_and_only_left_does() {
    let (mut rig, a, _) = two();
    let from = title(&rig, a);
    rig.drag(from, from.offset(150, 90));
    assert_eq!(outer(&rig, a), ScreenRect::new(350, 130, 500, 400));
    let from = title(&rig, a);
    rig.point(from);
    rig.raw(&[
        Primitive::Button { button: Button::Right, down: true },
        // Not over the menu that opened.
        Primitive::Move(from.offset(-60, 50)),
        Primitive::Button { button: Button::Right, down: false },
    ]);
    assert_eq!(outer(&rig, a), ScreenRect::new(350, 130, 500, 400));
    rig.keys("Escape");
    // Above the display its title bar could not be taken again.
    let from = title(&rig, a);
    rig.drag(from, ScreenPx::new(from.x, 0));
    assert_eq!(outer(&rig, a).origin.y, 0);
}

#[test]
fn every_edge_and_corner_resizes() {
    let rows = [
        ((200, 240), (-30, 0), ScreenRect::new(170, 40, 530, 400), CursorShape::ResizeHorizontal),
        ((699, 240), (40, 0), ScreenRect::new(200, 40, 540, 400), CursorShape::ResizeHorizontal),
        ((450, 40), (0, -20), ScreenRect::new(200, 20, 500, 420), CursorShape::ResizeVertical),
        ((450, 439), (0, 33), ScreenRect::new(200, 40, 500, 433), CursorShape::ResizeVertical),
        ((200, 40), (10, 15), ScreenRect::new(210, 55, 490, 385), CursorShape::ResizeFalling),
        ((699, 439), (-50, -60), ScreenRect::new(200, 40, 450, 340), CursorShape::ResizeFalling),
        ((699, 41), (20, 10), ScreenRect::new(200, 50, 520, 390), CursorShape::ResizeRising),
        ((201, 439), (-20, 10), ScreenRect::new(180, 40, 520, 410), CursorShape::ResizeRising),
    ];
    for (from, by, wanted, cursor) in rows {
        let (mut rig, a, _) = two();
        hold(&rig.world).focus(handsight_base::port::desktop::WindowId(a));
        let from = ScreenPx::new(from.0, from.1);
        rig.point(from);
        assert_eq!(hold(&rig.world).cursor(), cursor, "at {from}");
        rig.drag(from, from.offset(by.0, by.1));
        assert_eq!(outer(&rig, a), wanted, "from {from} by {by:?}");
    }
    let (mut rig, a, _) = two();
    hold(&rig.world).focus(handsight_base::port::desktop::WindowId(a));
    rig.drag(ScreenPx::new(200, 40), ScreenPx::new(900, 700));
    let least = outer(&rig, a);
    assert_eq!((least.size.width, least.size.height), (200, 120), "no window becomes smaller");
    assert_eq!((least.right(), least.bottom()), (700, 440), "and its other corner stays");
}

#[test]
fn the_three_buttons_act_when_they_are_let_go_of() {
    let (mut rig, a, b) = two();
    let at = part(&rig, b, Part::Maximise);
    rig.click(at);
    assert_eq!(rig.top().frame.shape, Shape::Maximised);
    let full = outer(&rig, b);
    assert_eq!((full.origin, full.size.width), (ScreenPx::new(0, 0), 1280));
    assert!(full.size.height < 720, "the task bar stays");
    let at = part(&rig, b, Part::Maximise);
    rig.click(at);
    assert_eq!(outer(&rig, b), ScreenRect::new(400, 160, 500, 400));
    // Pressed, but let go of elsewhere: nothing.
    let close = part(&rig, b, Part::Close);
    rig.drag(close, close.offset(-200, 100));
    assert_eq!((rig.windows().len(), outer(&rig, b).origin), (2, ScreenPx::new(400, 160)));
    let at = part(&rig, b, Part::Minimise);
    rig.click(at);
    let minimised = rig.windows().into_iter().find(|w| w.frame.id == b).unwrap();
    assert!(minimised.frame.minimised && !minimised.focused);
    assert!(
        rig.windows().iter().find(|w| w.frame.id == a).unwrap().focused,
        "the next window gets the focus"
    );
    let at = part(&rig, a, Part::Close);
    rig.click(at);
    assert_eq!(rig.windows().len(), 1);
}

#[test]
fn a_double_click_on_the_title_maximises_and_a_pull_takes_it_off() {
    let (mut rig, _, b) = two();
    let at = title(&rig, b);
    rig.double_click(at);
    assert_eq!(rig.top().frame.shape, Shape::Maximised);
    rig.drag(ScreenPx::new(640, 10), ScreenPx::new(640, 200));
    let off = rig.top().frame;
    assert_eq!((off.shape, off.outer.size.width), (Shape::Normal, 500));
    assert!(off.outer.contains(ScreenPx::new(640, 200)), "it comes off under the pointer");
}

#[test]
fn two_presses_are_a_double_click_only_if_quick_and_near() {
    for (gap, by, doubled) in [(0, 0, true), (399, 3, true), (401, 0, false), (100, 9, false)] {
        let (mut rig, _, b) = two();
        let at = title(&rig, b);
        rig.click(at);
        rig.wait(gap);
        // Without the pause that the helper makes.
        rig.click_with(at.offset(by, 0), Button::Left, 1, Modifiers::NONE);
        assert_eq!(rig.top().frame.shape == Shape::Maximised, doubled, "after {gap} ms, {by} units away");
    }
}

#[test]
fn alt_tab_goes_by_last_use_and_ends_with_alt() {
    let mut rig = Rig::plain();
    let ids: Vec<u64> = (0..3).map(|_| rig.open("editor", &[])).collect();
    rig.keys("alt+Tab");
    assert_eq!(rig.top().frame.id, ids[1]);
    rig.keys("alt+Tab");
    assert_eq!(rig.top().frame.id, ids[2], "back to where one was");
    let key = |name: &str, down| Primitive::Key { key: name.parse().unwrap(), down };
    rig.raw(&[key("alt", true), key("tab", true), key("tab", false), key("tab", true), key("tab", false)]);
    assert_eq!(rig.top().frame.id, ids[2], "nothing is raised while Alt is down");
    rig.raw(&[key("alt", false)]);
    assert_eq!(rig.top().frame.id, ids[0]);
}

#[test]
fn a_dialog_holds_its_window_and_comes_with_it() {
    let (mut rig, a, b) = two();
    rig.type_text("x");
    rig.keys("alt+F4");
    assert_eq!(rig.top().frame.app, "message");
    // A press on the window below goes to the dialog.
    rig.click(ScreenPx::new(420, 540));
    assert_eq!(rig.top().frame.app, "message");
    assert!(rig.top().focused);
    rig.type_text("y");
    let below = rig.windows().into_iter().find(|w| w.frame.id == b).unwrap();
    assert_eq!(below.texts["text"], "x");
    rig.click(ScreenPx::new(250, 300));
    assert_eq!(rig.top().frame.id, a, "other windows are free");
    rig.keys("alt+Tab");
    assert_eq!(rig.top().frame.app, "message", "and the dialog is on top of its own");
    rig.keys("Escape");
    assert_eq!((rig.windows().len(), rig.top().frame.id), (2, b));
}
