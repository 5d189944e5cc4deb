//! The HUD is the only memory there is: it must be read on anything, and must not pass for a program's text.

use crate::draw::Screen;
use handsight_base::space::Size;
use handsight_reflex::eye;

const PICTURE: Size = Size::new(1536, 864);
const NOTE: &str = "2/5 done; typed \"Hello, world! 12*34\" into the editor and expect to see it; next: press Save, \
                    then give the name notes_2024.txt (in the folder Documents)";

/// A screen with text and lines where the HUD will be.
fn busy(native: Size, dark: bool) -> Screen {
    let (ground, ink, bar) =
        if dark { (0x0025_262b, 0x00ec_edf0, 0x0033_353c) } else { (0x00ff_ffff, 0x001a_1c21, 0x00e9_ebf0) };
    let mut screen = Screen::new(native, ground);
    screen.fill(0, 0, native.width as i32, 30, bar);
    for row in 0..20 {
        screen.text(
            "Untitled text with words that go on and on below the HUD",
            3 + row,
            24 + row * 23,
            14,
            false,
            ink,
        );
    }
    screen
}

#[test]
fn the_note_is_read_on_any_ground_at_any_size() {
    for native in [Size::new(1280, 720), Size::new(1536, 864), Size::new(1366, 768), Size::new(800, 600)] {
        for dark in [false, true] {
            let mut screen = busy(native, dark);
            screen.hud(NOTE);
            let scene = eye::look(&screen.png(PICTURE)).unwrap();
            assert_eq!(scene.hud.as_deref(), Some(NOTE), "{native} dark {dark}");
            assert_eq!(scene.screen, native);
        }
    }
}

#[test]
fn paragraphs_are_lines() {
    let mut screen = busy(Size::new(1280, 720), false);
    screen.hud("first\n second, \nthird");
    let scene = eye::look(&screen.png(PICTURE)).unwrap();
    assert_eq!(scene.hud.as_deref(), Some("first\nsecond,\nthird"));
}

#[test]
fn the_note_is_read_from_a_reduced_picture() {
    let mut screen = busy(Size::new(1920, 1080), false);
    screen.hud("3/7 done; typed the text; next: press Save");
    let scene = eye::look(&screen.png(PICTURE)).unwrap();
    assert_eq!(scene.hud.as_deref(), Some("3/7 done; typed the text; next: press Save"));
}

#[test]
fn no_note_is_no_note() {
    for dark in [false, true] {
        let scene = eye::look(&busy(Size::new(1280, 720), dark).png(PICTURE)).unwrap();
        assert_eq!(scene.hud, None);
        assert!(scene.lines.iter().any(|line| line.text.starts_with("Untitled text with words")));
    }
}

#[test]
fn what_the_hud_covers_is_not_taken_for_text() {
    let mut screen = Screen::new(Size::new(1280, 720), 0x0033_6699);
    screen.text("Below", 100, 300, 14, false, 0x00ff_ffff);
    screen.hud(NOTE);
    let scene = eye::look(&screen.png(PICTURE)).unwrap();
    let texts: Vec<&str> = scene.lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(texts, ["Below"]);
}
