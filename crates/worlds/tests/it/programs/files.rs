//! The file list under mouse and keyboard.

use crate::rig::Rig;
use handsight_base::space::ScreenPx;
use handsight_worlds::desk::ui::node::Kind;
use handsight_worlds::engine::hold;
use serde_json::json;

/// A file list that shows a folder with three files and two folders.
fn opened(seed: u64) -> Rig {
    let mut rig = Rig::of_seed(seed);
    hold(&rig.world).change_files(|files| {
        for folder in ["/Work", "/Work/Alpha", "/Work/Beta"] {
            files.make_folder(folder).unwrap();
        }
        files.write("/Work/b.txt", "12345").unwrap();
        files.write("/Work/a.log", "123456789").unwrap();
        files.write("/Work/c.csv", "1").unwrap();
    });
    rig.open("files", &["/Work"]);
    rig
}

/// The names in the list from the top.
fn names(rig: &Rig) -> Vec<String> {
    let id = rig.windows().iter().find(|w| w.frame.app == "files").unwrap().frame.id;
    let world = hold(&rig.world);
    let list = world.ui(id).unwrap().placed().iter().find(|p| p.id == "files").unwrap();
    let Kind::List { items, .. } = &list.kind else { panic!("no list") };
    items.iter().map(|item| item.cells[0].clone()).collect()
}

/// The middle of the row of this name.
fn row(rig: &Rig, name: &str) -> ScreenPx {
    let at = names(rig).iter().position(|n| n == name).unwrap_or_else(|| panic!("no {name}"));
    let area = rig.area("files", "files");
    let high = hold(&rig.world).theme().row_height();
    area.origin.offset(60, high + 3 + at as i32 * high + high / 2)
}

fn head(rig: &Rig, part: (i32, i32)) -> ScreenPx {
    let area = rig.area("files", "files");
    area.origin.offset(area.size.width as i32 * part.0 / part.1, 10)
}

fn exists(rig: &Rig, path: &str) -> bool {
    hold(&rig.world).files().exists(path)
}

#[test]
fn a_click_on_a_title_sorts_and_another_turns_it_round() {
    let mut rig = opened(1);
    assert_eq!(names(&rig), ["Alpha", "Beta", "a.log", "b.txt", "c.csv"]);
    let at = row(&rig, "b.txt");
    rig.click(at);
    let size = head(&rig, (6, 10));
    rig.click(size);
    assert_eq!(names(&rig), ["Alpha", "Beta", "c.csv", "b.txt", "a.log"]);
    rig.click(size);
    assert_eq!(names(&rig), ["Beta", "Alpha", "a.log", "b.txt", "c.csv"]);
    let kind = head(&rig, (9, 10));
    rig.click(kind);
    assert_eq!(rig.model("files")["order"], "kind");
    let name = head(&rig, (1, 10));
    rig.click(name);
    rig.click(name);
    assert_eq!(names(&rig), ["Beta", "Alpha", "c.csv", "b.txt", "a.log"]);
    // The selection went with its file all the time.
    assert_eq!(rig.windows()[0].selected["files"], 3);
}

#[test]
fn a_double_click_goes_into_a_folder_and_opens_a_text() {
    let mut rig = opened(2);
    let at = row(&rig, "Beta");
    rig.double_click(at);
    assert_eq!(rig.model("files")["folder"], "/Work/Beta");
    rig.keys("BackSpace");
    assert_eq!(rig.model("files")["folder"], "/Work");
    rig.keys("Return");
    assert_eq!(rig.model("files")["folder"], "/Work/Beta", "going up selects where one came from");
    rig.press("files", &["go /Work"]);
    rig.press("files", &["go /"]);
    assert_eq!(rig.model("files")["folder"], "/");
    rig.press("files", &["up"]);
    assert_eq!(rig.model("files")["folder"], "/", "there is nothing above");
    let mut rig = opened(2);
    let at = row(&rig, "b.txt");
    rig.double_click(at);
    assert_eq!(rig.model("editor")["path"], "/Work/b.txt");
}

#[test]
fn buttons_wait_for_a_selection() {
    let mut rig = opened(3);
    rig.press("files", &["delete", "rename", "open"]);
    assert_eq!(rig.windows().len(), 1, "nothing is selected, so nothing opens");
    let at = row(&rig, "a.log");
    rig.click(at);
    rig.press("files", &["open"]);
    assert!(rig.is_open("editor"));
}

#[test]
fn deleting_asks_first() {
    for (seed, answer, stays) in [(4, "no", true), (5, "yes", false)] {
        let mut rig = opened(seed);
        let at = row(&rig, "b.txt");
        rig.click(at);
        rig.press("files", &["delete"]);
        assert!(exists(&rig, "/Work/b.txt"), "it was only asked");
        rig.press("message", &[answer]);
        assert_eq!(exists(&rig, "/Work/b.txt"), stays);
        assert!(exists(&rig, "/Work/a.log") && exists(&rig, "/Work/c.csv"));
    }
    let mut rig = opened(6);
    let at = row(&rig, "Beta");
    rig.click(at);
    rig.keys("Delete");
    rig.keys("Escape");
    assert!(exists(&rig, "/Work/Beta") && !rig.is_open("message"));
    rig.keys("Delete");
    rig.keys("Return");
    assert!(!exists(&rig, "/Work/Beta"));
}

#[test]
fn renaming_proposes_the_name_and_refuses_one_that_is_taken() {
    let mut rig = opened(7);
    let at = row(&rig, "b.txt");
    rig.right_click(at);
    let item = rig.item("rename");
    rig.click(item);
    // The ending is not selected: typing replaces the rest.
    rig.type_text("plan");
    rig.keys("Return");
    assert_eq!(rig.read("/Work/plan.txt").as_deref(), Some("12345"));
    assert!(!exists(&rig, "/Work/b.txt"));
    rig.keys("F2");
    rig.keys("ctrl+a");
    rig.type_text("a.log");
    rig.keys("Return");
    assert!(rig.is_open("message"), "it says that the name is taken");
    rig.keys("Return");
    assert_eq!(rig.read("/Work/plan.txt").as_deref(), Some("12345"));
    rig.keys("F2");
    rig.keys("ctrl+a");
    rig.type_text("x/y");
    rig.keys("Return");
    assert!(rig.is_open("message") && exists(&rig, "/Work/plan.txt"));
}

#[test]
fn a_new_folder_gets_a_free_name_and_is_selected() {
    let mut rig = opened(8);
    rig.press("files", &["new folder"]);
    rig.keys("Return");
    rig.press("files", &["new folder"]);
    rig.keys("Return");
    let folders = names(&rig).iter().filter(|n| n.contains("older")).count();
    assert_eq!(folders, 2, "{:?}", names(&rig));
    rig.press("files", &["new folder"]);
    rig.type_text("Gamma");
    rig.keys("Return");
    let at = rig.windows()[0].selected["files"];
    assert_eq!(names(&rig)[at], "Gamma");
    rig.press("files", &["new folder"]);
    rig.type_text("Delta");
    rig.keys("Escape");
    assert!(!exists(&rig, "/Work/Delta"), "a cancelled prompt does nothing");
}

#[test]
fn a_row_that_is_dragged_onto_a_folder_moves_into_it() {
    let mut rig = opened(9);
    let (from, to) = (row(&rig, "b.txt"), row(&rig, "Alpha"));
    rig.drag(from, to);
    assert_eq!(rig.read("/Work/Alpha/b.txt").as_deref(), Some("12345"));
    assert!(!exists(&rig, "/Work/b.txt"));
    let (from, to) = (row(&rig, "a.log"), row(&rig, "c.csv"));
    rig.drag(from, to);
    assert!(exists(&rig, "/Work/a.log"), "a file is no folder: nothing moves");
    let (from, to) = (row(&rig, "Beta"), row(&rig, "Alpha"));
    rig.drag(from, to);
    assert!(exists(&rig, "/Work/Alpha/Beta"));
    assert_eq!(names(&rig), ["Alpha", "a.log", "c.csv"]);
}

#[test]
fn a_row_is_dragged_from_one_window_to_another() {
    let mut rig = opened(10);
    let from = row(&rig, "c.csv");
    let first = rig.windows()[0].frame.clone();
    let second = rig.open("files", &["/Work/Alpha"]);
    {
        use handsight_base::port::desktop::WindowId;
        use handsight_base::space::ScreenRect;
        use handsight_worlds::engine::World as _;
        let mut world = hold(&rig.world);
        world.place(WindowId(first.id), ScreenRect::new(100, 60, 500, 400));
        world.place(WindowId(second), ScreenRect::new(640, 60, 500, 400));
    }
    let moved = (first.outer.origin.x - 100, first.outer.origin.y - 60);
    let to = rig.at("files", "files");
    rig.drag(from.offset(-moved.0, -moved.1), to);
    assert!(exists(&rig, "/Work/Alpha/c.csv"), "{}", json!(rig.windows().len()));
}

#[test]
fn a_long_list_scrolls() {
    let mut rig = opened(11);
    hold(&rig.world).change_files(|files| {
        for i in 0..60 {
            files.write(&format!("/Work/n{i:02}.txt"), "x").unwrap();
        }
    });
    let at = rig.at("files", "files");
    rig.scroll(at, -100);
    let area = rig.area("files", "files");
    rig.click(ScreenPx::new(area.center().x, area.bottom() as i32 - 8));
    let selected = rig.windows()[0].selected["files"];
    assert_eq!(names(&rig)[selected], "n59.txt");
}
