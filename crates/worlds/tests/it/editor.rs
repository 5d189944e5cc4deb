//! The text editor, through menus, keys and dialogs.

use crate::rig::Rig;
use handsight_worlds::engine::hold;

const LETTER: &str = "/Documents/Letters/landlord.txt";

#[test]
fn what_is_typed_is_saved_under_the_name_that_was_given() {
    let mut rig = Rig::plain();
    rig.open("editor", &[]);
    rig.type_text("one\ntwo");
    assert!(rig.top().frame.title.starts_with('*'), "{}", rig.top().frame.title);
    rig.keys("ctrl+s");
    assert_eq!(rig.top().frame.app, "file dialog");
    rig.type_text("new.txt");
    let save = rig.at("file dialog", "ok");
    rig.click(save);
    assert_eq!(rig.read("/Documents/new.txt").as_deref(), Some("one\ntwo"));
    assert!(rig.top().frame.title.starts_with("new.txt"), "{}", rig.top().frame.title);
    rig.type_text("!");
    rig.keys("ctrl+s");
    assert_eq!(rig.read("/Documents/new.txt").as_deref(), Some("one\ntwo!"), "now without a question");
    assert_eq!(rig.windows().len(), 1);
}

#[test]
fn save_as_by_menu_asks_before_it_overwrites() {
    let mut rig = Rig::plain();
    rig.open("editor", &[LETTER]);
    rig.keys("ctrl+a");
    rig.type_text("new");
    for (answer, saved) in [("no", false), ("yes", true)] {
        rig.keys("F10");
        let item = rig.item("save as");
        rig.click(item);
        rig.type_text("landlord.txt");
        rig.keys("Return");
        assert_eq!(rig.top().frame.app, "message");
        let button = rig.at("message", answer);
        rig.click(button);
        assert_eq!(rig.read(LETTER).as_deref() == Some("new"), saved, "{answer}");
        if !saved {
            rig.keys("Escape");
        }
    }
    assert_eq!(rig.windows().len(), 1);
}

#[test]
fn closing_an_unsaved_text_asks_and_does_what_is_answered() {
    for (answer, open, text) in [("cancel", true, None), ("drop", false, None), ("save", false, Some("Xold"))]
    {
        let mut rig = Rig::plain();
        hold(&rig.world).change_files(|files| files.write("/Documents/a.txt", "old")).unwrap();
        rig.open("editor", &["/Documents/a.txt"]);
        rig.type_text("X");
        rig.keys("alt+F4");
        let button = rig.at("message", answer);
        rig.click(button);
        assert_eq!(!rig.windows().is_empty(), open, "{answer}");
        assert_eq!(rig.read("/Documents/a.txt").as_deref(), Some(text.unwrap_or("old")), "{answer}");
    }
    let mut rig = Rig::plain();
    rig.open("editor", &[LETTER]);
    rig.keys("alt+F4");
    assert!(rig.windows().is_empty(), "nothing changed, nothing asked");
}

#[test]
fn saving_a_nameless_text_on_the_way_out_asks_for_a_name_and_then_closes() {
    let mut rig = Rig::plain();
    rig.open("editor", &[]);
    rig.type_text("t");
    rig.keys("alt+F4");
    let save = rig.at("message", "save");
    rig.click(save);
    rig.type_text("late.txt\n");
    assert_eq!(rig.read("/Documents/late.txt").as_deref(), Some("t"));
    assert!(rig.windows().is_empty());
}

#[test]
fn the_open_dialog_walks_folders() {
    let mut rig = Rig::plain();
    rig.open("editor", &[]);
    rig.keys("ctrl+o");
    let list = rig.area("file dialog", "files");
    // Folders come first: the row under the heading is Letters.
    let row = list.origin.offset(60, 27 + 14);
    rig.double_click(row);
    assert_eq!(rig.top().model["folder"], "/Documents/Letters");
    rig.double_click(row);
    assert_eq!(rig.top().model["path"], LETTER);
    assert!(rig.top().texts["text"].contains("heating"));
    rig.keys("ctrl+o");
    rig.type_text("not there\n");
    assert_eq!(rig.top().frame.app, "message");
    rig.keys("Return");
    assert_eq!(rig.top().frame.app, "file dialog", "one can try again");
}

#[test]
fn undo_takes_the_mark_away_again() {
    let mut rig = Rig::plain();
    rig.open("editor", &[LETTER]);
    rig.type_text("abc");
    rig.keys("ctrl+z");
    assert!(!rig.top().frame.title.starts_with('*') || !rig.top().texts["text"].starts_with("abc"));
    rig.keys("ctrl+y");
    assert!(rig.top().texts["text"].starts_with("abc"));
}
