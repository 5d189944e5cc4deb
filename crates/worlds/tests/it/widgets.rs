//! Widgets under mouse and keyboard, in the editor and its dialogs.

use crate::rig::Rig;
use handsight_base::flow::action::{Action, Button};
use handsight_base::key::Modifiers;
use handsight_worlds::desk::ui::edit::Edit;
use handsight_worlds::engine::{World, hold};
use std::time::Duration;

fn editor(text: &str) -> Rig {
    let mut rig = Rig::plain();
    rig.open("editor", &[]);
    rig.type_text(text);
    rig
}

fn edit(rig: &Rig) -> Edit {
    let id = rig.top().frame.id;
    let world = hold(&rig.world);
    world.ui(id).unwrap().states()["text"].edit.clone()
}

/// Text before, keys, text after with `[selection]` and the caret as `|`.
#[test]
fn keys_edit_as_everywhere() {
    let rows: &[(&str, &[&str], &str)] = &[
        ("abc", &["Left", "x"], "abx|c"),
        ("abc", &["Home", "Delete"], "|bc"),
        ("abc", &["BackSpace", "BackSpace"], "a|"),
        ("one two", &["ctrl+Left"], "one |two"),
        ("one two", &["ctrl+BackSpace"], "one |"),
        ("one two", &["Home", "ctrl+Right"], "one |two"),
        ("abc", &["shift+Left", "shift+Left"], "a[|bc]"),
        ("abc", &["shift+Home", "x"], "x|"),
        ("abc", &["ctrl+a", "ctrl+c", "Right", "ctrl+v"], "abcabc|"),
        ("abc", &["shift+Left", "ctrl+x", "Home", "ctrl+v"], "c|ab"),
        ("a\nbcd", &["Up", "y"], "ay|\nbcd"),
        ("abcd\ne", &["Up", "End", "Down"], "abcd\ne|"),
        ("ab\ncd", &["ctrl+Home", "shift+Down"], "[ab\n|]cd"),
        ("ab", &["ctrl+z"], "|"),
        ("ab", &["ctrl+z", "ctrl+y"], "ab|"),
        ("ab", &["ctrl+a", "Left"], "|ab"),
        ("ab", &["ctrl+a", "Delete", "ctrl+z"], "ab|"),
        ("äß€", &["Left", "BackSpace"], "ä|€"),
        ("", &["shift+a", "b", "shift+1"], "Ab!|"),
    ];
    for (before, keys, after) in rows {
        let mut rig = editor(before);
        keys.iter().for_each(|key| rig.keys(key));
        let edit = edit(&rig);
        let mut shown = edit.text.clone();
        let selection = edit.selection();
        if selection.is_empty() {
            shown.insert(edit.caret, '|');
        } else {
            shown.insert_str(selection.end, if edit.caret == selection.end { "|]" } else { "]" });
            shown.insert_str(selection.start, if edit.caret == selection.start { "[|" } else { "[" });
        }
        assert_eq!(shown, *after, "{before:?} {keys:?}");
    }
}

#[test]
fn the_mouse_selects_letters_words_lines_and_ranges() {
    let mut rig = editor("first words\nsecond line");
    let origin = rig.area("editor", "text").origin;
    // In the middle of "words": 14 units a row, about 8 a letter.
    let on_words = origin.offset(6 + 60, 4 + 9);
    rig.double_click(on_words);
    assert_eq!(edit(&rig).selected(), "words");
    rig.wait(500);
    rig.click_with(on_words, Button::Left, 3, Modifiers::NONE);
    assert_eq!(edit(&rig).selected(), "first words");
    rig.click(on_words);
    assert_eq!(edit(&rig).selected(), "");
    rig.wait(500);
    let shift = Modifiers { shift: true, ..Modifiers::NONE };
    rig.click_with(origin.offset(6, 4 + 9), Button::Left, 1, shift);
    assert!("first words".starts_with(edit(&rig).selected()) && edit(&rig).selected().len() > 4);
    rig.drag(origin.offset(6, 4 + 9), origin.offset(400, 4 + 19 + 9));
    assert_eq!(edit(&rig).selected(), "first words\nsecond line");
    rig.type_text("x");
    assert_eq!(edit(&rig).text, "x");
}

#[test]
fn the_right_button_offers_editing_in_any_field() {
    let mut rig = editor("copied");
    rig.keys("ctrl+a");
    rig.keys("ctrl+c");
    rig.keys("super+r");
    let field = rig.at("run", "command");
    rig.right_click(field);
    let paste = rig.item("paste");
    rig.click(paste);
    assert_eq!(rig.top().texts["command"], "copied");
}

#[test]
fn tab_walks_the_widgets_and_space_presses() {
    let mut rig = Rig::plain();
    rig.keys("super+r");
    rig.type_text("notepad");
    let focus = |rig: &Rig| {
        let id = rig.top().frame.id;
        hold(&rig.world).ui(id).unwrap().focus().map(str::to_owned)
    };
    let mut seen = Vec::new();
    for _ in 0..3 {
        rig.keys("Tab");
        seen.extend(focus(&rig));
    }
    assert_eq!(seen, ["ok", "cancel", "command"]);
    rig.keys("shift+Tab");
    assert_eq!(focus(&rig).as_deref(), Some("cancel"));
    rig.keys("space");
    assert!(rig.windows().is_empty(), "the cancel button was pressed");
}

#[test]
fn a_disabled_button_does_nothing() {
    let mut rig = Rig::plain();
    rig.keys("super+r");
    let ok = rig.at("run", "ok");
    rig.click(ok);
    assert_eq!(rig.top().frame.app, "run");
}

#[test]
fn a_button_acts_only_if_let_go_of_over_it() {
    let mut rig = Rig::plain();
    rig.keys("super+r");
    let cancel = rig.at("run", "cancel");
    rig.drag(cancel, cancel.offset(-200, -60));
    assert_eq!(rig.windows().len(), 1);
    rig.drag(cancel.offset(-200, -60), cancel);
    assert_eq!(rig.windows().len(), 1, "nor if it was pressed elsewhere");
    rig.click(cancel);
    assert!(rig.windows().is_empty());
}

#[test]
fn long_texts_scroll_by_wheel_thumb_and_caret() {
    let text: String = (1..=60).map(|n| format!("line {n}\n")).collect();
    let mut rig = editor(&text);
    let scroll = |rig: &Rig| {
        let id = rig.top().frame.id;
        hold(&rig.world).ui(id).unwrap().states()["text"].scroll
    };
    let end = scroll(&rig);
    assert!(end > 0, "the caret is kept in sight");
    let area = rig.area("editor", "text");
    rig.scroll(area.center(), 2);
    let after = scroll(&rig);
    assert!(after < end && after > 0, "{after} of {end}");
    rig.scroll(area.center(), 100);
    assert_eq!(scroll(&rig), 0);
    let thumb = area.origin.offset(area.size.width as i32 - 8, 10);
    rig.drag(thumb, thumb.offset(0, area.size.height as i32));
    assert_eq!(scroll(&rig), end);
    rig.click(thumb);
    assert!(scroll(&rig) < end, "a press beside the thumb goes a page");
    rig.keys("ctrl+Home");
    assert_eq!(scroll(&rig), 0);
}

#[test]
fn menus_open_by_press_and_by_drag_and_switch_by_hovering() {
    let mut rig = editor("abc");
    let bar = rig.area("editor", "menu bar");
    let id = rig.top().frame.id;
    let titles: Vec<_> = {
        let world = hold(&rig.world);
        world.ui(id).unwrap().menus(world.theme()).iter().map(|(_, area)| area.center()).collect()
    };
    assert!(bar.contains(titles[0]));
    rig.click(titles[0]);
    let _save = rig.item("save");
    rig.point(titles[1]);
    let all = rig.item("select all");
    rig.click(all);
    assert_eq!(edit(&rig).selected(), "abc");
    rig.click(titles[0]);
    rig.click(titles[0]);
    assert!(hold(&rig.world).menu().is_empty(), "a second press closes");
    // Pressed on the title, let go of over an item.
    rig.click(titles[1]);
    let cut = rig.item("cut");
    rig.keys("Escape");
    rig.drag(titles[1], cut);
    assert_eq!((edit(&rig).text.as_str(), hold(&rig.world).clipboard().as_str()), ("", "abc"));
    // By keys: Alt and its letter, down to the item, Enter.
    rig.keys("alt+e");
    rig.keys("Up");
    rig.keys("Return");
    assert!(hold(&rig.world).menu().is_empty());
}

#[test]
fn a_key_that_stays_down_repeats() {
    let mut rig = editor("");
    rig.hold_key("x", Duration::from_millis(400));
    assert_eq!(edit(&rig).text, "x");
    rig.hold_key("y", Duration::from_millis(700));
    let repeated = edit(&rig).text.matches('y').count();
    assert!((6..=9).contains(&repeated), "{repeated} in 700 ms");
}

#[test]
fn paste_enters_text_and_gives_the_clipboard_back() {
    let mut rig = editor("a");
    hold(&rig.world).set_clipboard("mine".into());
    rig.act(Action::Paste { text: "pasted\nrows".into() });
    assert_eq!(edit(&rig).text, "apasted\nrows");
    assert_eq!(hold(&rig.world).clipboard(), "mine");
}

/// At the end of its way a scroll area shows the end of what it holds.
#[test]
fn everything_in_a_scroll_area_can_be_reached() {
    use handsight_worlds::desk::DeskSetup;
    use handsight_worlds::desk::apps::APPS;
    use handsight_worlds::desk::ui::node::Kind;
    for seed in 0..12 {
        for kind in APPS.iter().filter(|k| k.listed) {
            let mut rig = Rig::new(&DeskSetup::new(seed));
            let id = rig.open(kind.key, &[]);
            let areas = |rig: &Rig| {
                let world = hold(&rig.world);
                let placed = world.ui(id).unwrap().placed().to_vec();
                placed.into_iter().filter(|p| matches!(p.kind, Kind::Scroll { .. })).collect::<Vec<_>>()
            };
            for area in areas(&rig) {
                rig.scroll(area.rect.center(), -200);
                let world = hold(&rig.world);
                let ui = world.ui(id).unwrap();
                let within = ui.placed().iter().filter(|p| {
                    p.is_live() && p.id != area.id && p.clip.intersect(&area.rect) == Some(p.clip)
                });
                for placed in within {
                    let low = placed.rect.bottom() - area.rect.bottom();
                    assert!(low <= 0, "seed {seed}: {} of {} hangs {low} below", placed.id, kind.key);
                }
            }
        }
    }
}
