//! Task bar, start menu, run dialog, icons.

use crate::rig::Rig;
use handsight_base::space::ScreenPx;
use handsight_worlds::desk::apps::{APPS, Message};
use handsight_worlds::desk::ui::icons::Icon;
use handsight_worlds::desk::{Desk, DeskSetup};
use handsight_worlds::engine::{World, hold};
use std::time::Duration;

#[test]
fn the_start_menu_opens_by_button_and_keys_and_starts_programs() {
    let mut rig = Rig::plain();
    let start = hold(&rig.world).shell_layout().start.center();
    for (how, open) in
        [("button", true), ("button", false), ("ctrl+Escape", true), ("super", false), ("super", true)]
    {
        if how == "button" {
            rig.click(start)
        } else {
            rig.keys(how)
        }
        assert_eq!(!hold(&rig.world).menu().is_empty(), open, "after {how}");
    }
    let at = rig.item("editor");
    rig.click(at);
    assert_eq!((rig.top().frame.app.as_str(), rig.windows().len()), ("editor", 1));
    assert!(hold(&rig.world).menu().is_empty());
    rig.keys("super");
    rig.click(ScreenPx::new(1200, 30));
    assert!(hold(&rig.world).menu().is_empty(), "a press elsewhere closes it");
}

#[test]
fn super_with_another_key_is_no_super_alone() {
    let mut rig = Rig::plain();
    rig.keys("super+r");
    assert_eq!(rig.top().frame.app, "run");
    assert!(hold(&rig.world).menu().is_empty());
}

#[test]
fn the_run_dialog_starts_programs_and_opens_files_or_says_that_there_is_none() {
    let path = "/Documents/Letters/landlord.txt";
    for (typed, app, says) in [
        ("notepad", "editor", ""),
        ("EDITOR", "editor", ""),
        (path, "editor", "heating"),
        ("notepad /Documents/Letters/landlord.txt", "editor", "heating"),
        ("nonsense", "message", ""),
    ] {
        let mut rig = Rig::plain();
        rig.keys("super+r");
        rig.type_text(typed);
        rig.keys("Return");
        let top = rig.top();
        assert_eq!((top.frame.app.as_str(), rig.windows().len()), (app, 1), "{typed}");
        assert!(says.is_empty() || top.texts["text"].contains(says), "{typed}: {:?}", top.texts);
    }
    let mut rig = Rig::plain();
    rig.keys("super+r");
    rig.keys("Return");
    assert_eq!(rig.top().frame.app, "run", "with nothing typed there is nothing to start");
    rig.keys("Escape");
    assert!(rig.windows().is_empty());
}

#[test]
fn a_task_button_raises_minimises_and_brings_back() {
    let mut rig = Rig::plain();
    let (a, b) = (rig.open("editor", &[]), rig.open("editor", &[]));
    let button = |rig: &Rig, id| {
        let layout = hold(&rig.world).shell_layout();
        layout.tasks.iter().find(|(task, _)| *task == id).unwrap().1.center()
    };
    let at = button(&rig, a);
    rig.click(at);
    assert_eq!(rig.top().frame.id, a);
    rig.click(at);
    assert!(rig.windows().iter().any(|w| w.frame.id == a && w.frame.minimised));
    assert!(rig.windows().iter().any(|w| w.frame.id == b && w.focused));
    rig.click(at);
    assert!(rig.top().frame.id == a && rig.top().focused);
    rig.right_click(at);
    let close = rig.item("close");
    rig.click(close);
    assert_eq!(rig.windows().len(), 1);
}

#[test]
fn icons_are_selected_opened_and_moved() {
    let mut rig = Rig::plain();
    let area = |rig: &Rig, i: usize| hold(&rig.world).desktop_icons()[i].1;
    let first = area(&rig, 0).center();
    rig.click(first);
    assert!(rig.windows().is_empty(), "one click only selects");
    rig.drag(first, first.offset(300, 120));
    assert_eq!(area(&rig, 0).center(), first.offset(300, 120));
    assert!(rig.windows().is_empty(), "a drag opens nothing");
    let there = area(&rig, 0).center();
    rig.double_click(there);
    assert_eq!(rig.windows().len(), 1);
    rig.keys("alt+F4");
    rig.click(ScreenPx::new(1270, 10));
    rig.keys("Down");
    rig.keys("Return");
    assert_eq!(rig.windows().len(), 1, "by keys too");
}

#[test]
fn an_unsolicited_message_box_takes_the_focus_and_goes_when_answered() {
    let mut rig = Rig::plain();
    rig.open("editor", &[]);
    hold(&rig.world).announce(Message::new(Icon::Info, "News", "The printer is ready.").button("ok", "OK"));
    assert_eq!((rig.top().frame.title.as_str(), rig.top().focused), ("News", true));
    // It belongs to nobody, so the editor is free.
    rig.keys("alt+Tab");
    rig.type_text("a");
    assert_eq!(rig.top().texts["text"], "a");
    rig.keys("alt+Tab");
    let ok = rig.at("message", "ok");
    rig.click(ok);
    assert_eq!(rig.windows().len(), 1);
}

#[test]
fn the_clock_follows_virtual_time() {
    let mut desk = Desk::new(&DeskSetup::new(1).with("clock", "24"));
    let before = desk.clock_text();
    let revision = desk.revision();
    desk.advance(Duration::from_millis(10));
    assert_eq!(desk.revision(), revision, "nothing to see before the minute is over");
    desk.advance(Duration::from_secs(60));
    assert_ne!(desk.clock_text(), before);
    assert!(desk.revision() > revision);
    desk.advance(Duration::from_secs(24 * 3_600));
    assert_eq!(desk.clock_text(), before);
}

#[test]
fn every_listed_program_opens_and_closes_in_every_place_of_the_bar() {
    for place in ["bottom", "top", "left"] {
        for kind in APPS.iter().filter(|k| k.listed) {
            let mut rig = Rig::new(&DeskSetup::new(2).with("taskbar", place));
            rig.open(kind.key, &[]);
            let work = hold(&rig.world).shell_layout().work;
            let top = rig.top().frame;
            assert_eq!(
                work.intersect(&top.outer),
                Some(top.outer),
                "{} hangs out with the bar {place}",
                kind.key
            );
            assert!(!top.title.is_empty(), "{}", kind.key);
            rig.keys("alt+F4");
            assert!(rig.windows().is_empty(), "{} does not close", kind.key);
        }
    }
}
