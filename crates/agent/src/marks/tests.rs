//! Findings in, marks out.

use super::*;
use handsight_base::space::{ScreenPx, ScreenRect, Size};

const FRAME: FrameGeometry =
    FrameGeometry { frame: FrameId(3), size: Size::new(800, 600), origin: ScreenPx::new(0, 0), scale: 1.0 };

fn found(by: &str, kind: &str, label: &str, (x, y, w, h): (i32, i32, u32, u32)) -> Finding {
    let area = FrameRect::new(x, y, w, h);
    Finding { by: by.into(), kind: kind.into(), label: label.into(), area, confidence: 0.9 }
}

fn merged(findings: &[Finding]) -> Vec<(String, String)> {
    let things = merge(findings, FRAME.whole(), 100).things;
    things.into_iter().map(|thing| (thing.kind, thing.label)).collect()
}

fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|(kind, label)| ((*kind).to_owned(), (*label).to_owned())).collect()
}

#[test]
fn each_thing_is_once_and_the_tree_wins() {
    let save = (100, 100, 80, 30);
    let seen = [
        found("segments", "button", "", (101, 101, 78, 28)),
        found("ocr", "text", "Save", (120, 108, 40, 14)),
        found("tree", "button", "Save as", save),
        // A wrapper of the same size, without a name.
        found("tree", "list item", "", (99, 99, 82, 32)),
    ];
    assert_eq!(merged(&seen), pairs(&[("button", "Save as")]));
    assert_eq!(merged(&seen[..2]), pairs(&[("button", "Save")]), "a shape is named by its letters");
    assert_eq!(merged(&seen[1..2]), pairs(&[("text", "Save")]), "and letters alone are something too");
    // What merely holds a button is no button.
    let around = found("segments", "button", "", (50, 50, 300, 200));
    assert_eq!(merged(&[around, seen[2].clone()]), pairs(&[("button", "Save as")]));
}

#[test]
fn words_get_no_number_and_a_field_tells_nothing_of_what_it_holds() {
    let seen = [
        found("tree", "text", "Your name:", (10, 10, 80, 16)),
        found("tree", "field", "", (100, 10, 200, 20)),
        found("tree", "button", "", (320, 10, 60, 20)),
        found("ocr", "text", "Your name:", (11, 11, 78, 14)),
        found("ocr", "text", "hunter2", (105, 13, 60, 14)),
        found("ocr", "text", "OK", (340, 13, 20, 14)),
        found("segments", "box", "", (9, 9, 82, 18)),
        found("ocr", "text", &"a long line of prose that goes on and on and on".repeat(2), (10, 60, 700, 14)),
    ];
    assert_eq!(merged(&seen), pairs(&[("field", ""), ("button", "OK")]));
}

#[test]
fn things_are_read_row_by_row() {
    let button = |label: &str, x: i32, y: i32, h: u32| found("tree", "button", label, (x, y, 50, h));
    let seen = [
        button("d", 10, 100, 20),
        button("c", 200, 8, 24),
        button("b", 100, 12, 16),
        button("a", 10, 10, 20),
    ];
    let tall = found("tree", "field", "page", (100, 95, 300, 400));
    let read = merged(&[&seen[..], &[tall]].concat());
    let labels: Vec<&str> = read.iter().map(|(_, label)| label.as_str()).collect();
    assert_eq!(labels, ["a", "b", "c", "d", "page"]);
}

#[test]
fn too_many_things_lose_what_is_least_sure_and_it_is_told() {
    let mut seen: Vec<Finding> =
        (0..10).map(|n| found("ocr", "text", &format!("w{n}"), (n * 60, 300, 40, 12))).collect();
    seen.push(found("tree", "button", "sure", (0, 500, 40, 20)));
    seen[4].confidence = 0.99;
    let Merged { things, left_out } = merge(&seen, FRAME.whole(), 2);
    let labels: Vec<&str> = things.iter().map(|thing| thing.label.as_str()).collect();
    assert_eq!((labels, left_out), (vec!["w4", "sure"], 9));
    let marks = Marks::of(&FRAME, &seen, 2, &mut Numbers::default());
    assert!(marks.list(|_| None).unwrap().ends_with("(9 more have no number)"));
    assert!(marks.besides(20).list(|_| None).unwrap().ends_with("(up to 29 more have no number)"));
}

#[test]
fn a_thing_that_is_still_there_keeps_its_number_and_no_other_gets_it() {
    let mut numbers = Numbers::default();
    let mut next = |frame: u64, findings: &[Finding]| {
        let geometry = FrameGeometry { frame: FrameId(frame), ..FRAME };
        let marks = Marks::of(&geometry, findings, 100, &mut numbers);
        let told: Vec<(u32, String)> = marks.iter().map(|m| (m.number, m.what.label.clone())).collect();
        (marks, told)
    };
    let of = |told: &[(u32, &str)]| told.iter().map(|(n, l)| (*n, (*l).to_owned())).collect::<Vec<_>>();
    let file = found("tree", "menu", "File", (0, 0, 40, 20));
    let save = found("tree", "disabled button", "Save", (100, 0, 40, 20));
    assert_eq!(next(1, &[file.clone(), save.clone()]).1, of(&[(1, "File"), (2, "Save")]));
    // Something new in front of both; Save moved with its window and can be pressed now.
    let new = found("tree", "button", "New", (0, 0, 10, 5));
    let moved = found("tree", "button", "Save", (400, 300, 40, 20));
    let (_, told) = next(2, &[new, file.clone(), moved.clone()]);
    assert_eq!(told, of(&[(3, "New"), (1, "File"), (2, "Save")]));
    let (marks, told) = next(3, std::slice::from_ref(&file));
    assert_eq!(told, of(&[(1, "File")]));
    // What is gone is refused as such, what never was as that, and what came back has its number again.
    let picture = PictureGeometry { frame: FrameId(3), pane: FRAME.whole(), size: FRAME.size };
    let words = |number| marks.spot(number, &picture).unwrap_err().told().to_owned();
    assert!(words(2).contains("was on an earlier picture"), "{}", words(2));
    assert_eq!(words(9), "there is no mark 9; there are: 1");
    assert_eq!(words(0), "there is no mark 0; there are: 1");
    let stale = PictureGeometry { frame: FrameId(4), ..picture };
    assert!(marks.spot(1, &stale).unwrap_err().told().contains("is of another picture"));
    assert!(marks.drawn(&stale, true).is_empty(), "nor is it drawn on another");
    assert_eq!(next(4, &[file, moved]).1, of(&[(1, "File"), (2, "Save")]));
    let none = Marks::default().spot(1, &picture).unwrap_err();
    assert!(none.told().contains("nothing on this picture has a number"));
}

#[test]
fn all_numbers_are_used_up_before_one_is_given_again() {
    let mut numbers = Numbers::default();
    let row = |round: i32| -> Vec<Finding> {
        let thing =
            |n: i32| found("tree", "button", &format!("{round}-{n}"), ((n % 20) * 40, (n / 20) * 20, 30, 10));
        (0..400).map(thing).collect()
    };
    let mut last = Vec::new();
    for round in 0..4 {
        let marks = Marks::of(&FRAME, &row(round), 999, &mut numbers);
        last = marks.iter().map(|mark| mark.number).collect();
        assert_eq!(last.len(), 400);
        assert!(last.iter().all(|number| (1..=999).contains(number)), "three digits at most");
    }
    let distinct: std::collections::BTreeSet<u32> = last.into_iter().collect();
    assert_eq!(distinct.len(), 400, "never two of a number");
}

#[test]
fn what_a_tree_tells_lies_where_the_frame_shows_it() {
    let node = |role, label: &str, area, enabled| UiNode { role, label: label.into(), area, enabled };
    use handsight_base::flow::ui::UiRole;
    let tree = UiTree {
        nodes: vec![
            node(UiRole::Button, "On", ScreenRect::new(-90, 10, 20, 10), true),
            node(UiRole::Button, "Off", ScreenRect::new(-50, 10, 20, 10), false),
            node(UiRole::Text, "words", ScreenRect::new(-50, 30, 20, 10), false),
            node(UiRole::Button, "elsewhere", ScreenRect::new(5000, 10, 20, 10), true),
        ],
        read: 4,
        ..UiTree::default()
    };
    let frame = FrameGeometry { origin: ScreenPx::new(-100, 0), scale: 2.0, ..FRAME };
    let told: Vec<(String, FrameRect)> =
        findings(&tree, &frame).into_iter().map(|f| (f.kind, f.area)).collect();
    let expected = [
        ("button".to_owned(), FrameRect::new(20, 20, 40, 20)),
        ("disabled button".to_owned(), FrameRect::new(100, 20, 40, 20)),
        ("text".to_owned(), FrameRect::new(100, 60, 40, 20)),
    ];
    assert_eq!(told, expected);
}
