//! Programs to read or look at: the reader, the memo, the player.

use crate::rig::Rig;
use handsight_base::space::Size;
use handsight_worlds::Setup;
use handsight_worlds::desk::DeskSetup;
use handsight_worlds::engine::{World as _, hold};

#[test]
fn a_document_is_agreed_to_at_its_end_only() {
    for kind in ["license", "manual", "policy"] {
        for seed in 0..6 {
            let mut rig = Rig::of_seed(seed);
            rig.open("reader", &[kind]);
            assert_eq!(hold(&rig.world).locate("reader", "agree"), None, "{kind} {seed}: it is out of sight");
            rig.keys("Return");
            rig.keys("space");
            assert_eq!(rig.setting(&format!("agreement {kind}")), "", "unread, a key agrees to nothing");
            let page = rig.at("reader", "page");
            rig.scroll(page, -3);
            assert_eq!(hold(&rig.world).locate("reader", "agree"), None, "{kind} {seed}: it is long");
            rig.scroll(page, -100);
            rig.press("reader", &["agree"]);
            assert_eq!(rig.setting(&format!("agreement {kind}")), "accepted", "{kind} {seed}");
            rig.press("reader", &["decline"]);
            assert_eq!(rig.setting(&format!("agreement {kind}")), "accepted", "it is answered once");
        }
    }
}

#[test]
fn keys_scroll_a_document() {
    let mut rig = Rig::of_seed(3);
    rig.open("reader", &["license"]);
    rig.keys("End");
    rig.press("reader", &["decline"]);
    assert_eq!(rig.setting("agreement license"), "declined");
    rig.keys("Home");
    assert_eq!(hold(&rig.world).locate("reader", "decline"), None);
    rig.keys("Page_Down");
    rig.keys("Escape");
    assert!(!rig.is_open("reader"));
}

#[test]
fn a_document_that_fits_can_be_agreed_to_at_once() {
    let mut rig = Rig::new(&DeskSetup::from(&Setup::new(3, Size::new(3840, 2160))).with("taskbar", "bottom"));
    let id = rig.open("reader", &["policy"]);
    let whole = handsight_base::space::ScreenRect::new(0, 0, 3000, 2000);
    hold(&rig.world).place(handsight_base::port::desktop::WindowId(id), whole);
    rig.point(whole.center());
    rig.press("reader", &["agree"]);
    assert_eq!(rig.setting("agreement policy"), "accepted");
}

#[test]
fn a_memo_shows_what_it_was_given_or_makes_something_up() {
    let mut rig = Rig::of_seed(1);
    rig.open("memo", &["Locker", "Locker code: 4827"]);
    assert_eq!(rig.model("memo")["lines"][1], "Locker code: 4827");
    let made_up = |seed| {
        let mut rig = Rig::of_seed(seed);
        rig.open("memo", &[]);
        rig.model("memo")["lines"].clone()
    };
    assert_eq!(made_up(5), made_up(5));
    assert_ne!(made_up(5), made_up(6));
    assert!(made_up(5).as_array().unwrap().iter().any(|l| l.as_str().unwrap().contains(" code: ")));
}

#[test]
fn the_player_plays_what_is_chosen_and_its_volume_is_that_of_the_settings() {
    let mut rig = Rig::of_seed(2);
    rig.open("player", &[]);
    let list = rig.area("player", "tracks");
    let high = hold(&rig.world).theme().row_height();
    let third = list.origin.offset(60, high + 3 + 2 * high + high / 2);
    rig.double_click(third);
    let track = rig.model("player")["track"].clone();
    assert_eq!(rig.model("player")["playing"], true);
    rig.press("player", &["play"]);
    assert_eq!(rig.model("player")["playing"], false);
    rig.press("player", &["next"]);
    assert_ne!(rig.model("player")["track"], track);
    rig.press("player", &["previous"]);
    assert_eq!(rig.model("player")["track"], track);
    let slider = rig.area("player", "volume");
    rig.click(slider.origin.offset(9, slider.size.height as i32 / 2));
    assert_eq!(rig.setting("volume"), "0");
    rig.keys("End");
    assert_eq!(rig.setting("volume"), "100");
    rig.press("player", &["mute"]);
    rig.click(slider.origin.offset(9, slider.size.height as i32 / 2));
    assert_eq!(
        (rig.setting("mute").as_str(), rig.setting("volume").as_str()),
        ("on", "100"),
        "muted, it rests"
    );
}
