//! The settings, applied at once or by a button.

use crate::rig::Rig;
use handsight_worlds::desk::DeskSetup;
use handsight_worlds::desk::apps::settings::catalog::{self, PAGES, Row};
use handsight_worlds::engine::{World as _, hold};

fn opened(seed: u64, page: &str) -> Rig {
    let mut rig = Rig::new(&DeskSetup::new(seed).with("theme", "light").with("taskbar", "bottom"));
    rig.open("settings", &[page]);
    rig
}

/// A seed whose settings wait for "Apply", or do not.
fn seed(applies: bool) -> u64 {
    let waits = |seed: &u64| hold(&opened(*seed, "display").world).locate("settings", "apply").is_some();
    (0..40).find(|seed| waits(seed) == applies).unwrap()
}

#[test]
fn the_theme_really_changes() {
    let mut rig = opened(seed(false), "display");
    rig.press("settings", &["theme=dark"]);
    assert!(hold(&rig.world).theme().dark);
    rig.press("settings", &["theme=light"]);
    assert!(!hold(&rig.world).theme().dark);
}

#[test]
fn a_change_waits_for_the_button_where_there_is_one() {
    let mut rig = opened(seed(true), "display");
    rig.press("settings", &["apply"]);
    rig.press("settings", &["theme=dark"]);
    assert_eq!((rig.setting("theme"), hold(&rig.world).theme().dark), ("light".to_owned(), false));
    rig.press("settings", &["apply"]);
    assert!(hold(&rig.world).theme().dark);
    // Changed to and fro: nothing waits, and closing asks nothing.
    rig.press("settings", &["theme=light", "theme=dark", "close"]);
    assert!(!rig.is_open("settings"));
}

#[test]
fn closing_with_changes_asks_what_becomes_of_them() {
    for (answer, theme, open) in
        [("apply", "dark", false), ("drop", "light", false), ("cancel", "light", true)]
    {
        let mut rig = opened(seed(true), "display");
        rig.press("settings", &["theme=dark", "close"]);
        rig.press("message", &[answer]);
        assert_eq!((rig.setting("theme").as_str(), rig.is_open("settings")), (theme, open), "{answer}");
    }
}

#[test]
fn every_switch_can_be_turned_after_scrolling_to_it() {
    let immediate = seed(false);
    for (page, row) in catalog::rows() {
        let Row::Switch { key, on, .. } = row else { continue };
        let mut rig = opened(immediate, page.key);
        let area = rig.area("settings", &format!("page {}", page.key));
        let mut turns = 0;
        while hold(&rig.world).locate("settings", key).is_none_or(|r| r.size.height <= 20) {
            rig.scroll(area.center(), -1);
            turns += 1;
            assert!(turns < 30, "{key} never comes into sight");
        }
        rig.press("settings", &[key]);
        assert_eq!(rig.setting(key), if *on { "off" } else { "on" }, "{key}");
        rig.press("settings", &[key]);
        assert_eq!(rig.setting(key), if *on { "on" } else { "off" }, "{key}");
    }
}

#[test]
fn pages_are_reached_by_mouse_and_by_arrow_keys() {
    let mut rig = opened(3, "");
    let list = rig.area("settings", "pages");
    let high = hold(&rig.world).theme().row_height();
    let mut seen = Vec::new();
    for at in 0..PAGES.len() as i32 {
        rig.click(list.origin.offset(50, 1 + at * high + high / 2));
        seen.push(rig.model("settings")["page"].as_str().unwrap().to_owned());
    }
    assert_eq!(seen.last().map(String::as_str), Some("about"));
    rig.keys("Up");
    assert_eq!(rig.model("settings")["page"].as_str(), Some(seen[seen.len() - 2].as_str()));
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), PAGES.len());
}

#[test]
fn the_serial_number_is_of_this_desk_and_can_be_copied() {
    let serial = |rig: &Rig| rig.model("settings")["facts"]["serial"].as_str().unwrap().to_owned();
    let mut rig = opened(7, "about");
    rig.press("settings", &["copy serial"]);
    let copied = hold(&rig.world).clipboard();
    assert_eq!(copied, serial(&rig));
    assert_eq!(serial(&rig).len(), 14);
    assert_eq!(serial(&opened(7, "")), serial(&rig));
    assert_ne!(serial(&opened(8, "")), serial(&rig));
}

#[test]
fn keys_of_settings_are_not_used_twice() {
    let mut keys: Vec<&str> = catalog::rows().map(|(_, row)| row.key()).collect();
    let all = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), all);
    assert!(keys.iter().all(|key| !key.contains('=')), "an equals sign stands between key and value");
}
