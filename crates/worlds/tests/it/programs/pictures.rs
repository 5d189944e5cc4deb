//! Pictures of every program for people, small and large, light and dark.

use crate::look::{different_colours, dump};
use crate::rig::Rig;
use handsight_base::space::Size;
use handsight_worlds::Setup;
use handsight_worlds::desk::DeskSetup;

/// Does something in a program that was opened, and says what it then shows.
fn work_in(rig: &mut Rig, program: &str, step: usize) -> Option<&'static str> {
    match (program, step) {
        ("calculator", 0) => {
            rig.type_text("12*3=7.5/0.25=100-1");
            Some("computed")
        }
        ("files", 0) => {
            let row = rig.area("files", "files").origin.offset(40, 50);
            rig.click(row);
            rig.right_click(row);
            Some("menu")
        }
        ("files", 1) => {
            rig.keys("Escape");
            rig.keys("F2");
            Some("rename")
        }
        ("form", 0) => {
            rig.type_text("Ada Lovelace");
            rig.keys("Return");
            Some("wrong")
        }
        ("reader", 1) => {
            let page = rig.at("reader", "page");
            rig.scroll(page, -100);
            Some("end")
        }
        ("settings", 1) => {
            let list = rig.area("settings", "pages");
            rig.click(list.origin.offset(40, 40));
            Some("second")
        }
        ("settings", 2) => {
            rig.keys("End");
            Some("about")
        }
        ("player", 0) => {
            rig.keys("Down");
            rig.keys("Return");
            Some("playing")
        }
        (_, 0) => Some("open"),
        _ => None,
    }
}

#[test]
fn every_program_is_drawn_small_and_large_light_and_dark() {
    for (seed, size) in [
        (1, Size::new(800, 600)),
        (2, Size::new(1280, 720)),
        (3, Size::new(1280, 720)),
        (4, Size::new(800, 600)),
    ] {
        for program in ["calculator", "files", "settings", "form", "reader", "memo", "player"] {
            let theme = if seed % 2 == 1 { "light" } else { "dark" };
            let mut rig = Rig::new(&DeskSetup::from(&Setup::new(seed, size)).with("theme", theme));
            rig.open(program, &[]);
            for step in 0.. {
                let Some(state) = work_in(&mut rig, program, step) else { break };
                let frame = rig.frame();
                let name = format!("{program}-{state}-{}-{theme}-{seed}", size.width);
                dump(&frame, &name);
                assert!(different_colours(&frame) > 40, "{name} looks empty");
            }
        }
    }
}
