//! Pictures of every program for people, small and large, light and dark.

use crate::look::{different_colours, dump};
use crate::rig::Rig;
use handsight_base::space::Size;
use handsight_worlds::Setup;
use handsight_worlds::desk::DeskSetup;

/// A program with something in it, and a second look after something was done.
fn show(rig: &mut Rig, program: &str) -> Vec<&'static str> {
    rig.open(program, &[]);
    match program {
        "calculator" => {
            rig.type_text("12*3=7.5/0.25=100-1");
            vec!["computed"]
        }
        "files" => {
            let list = rig.area("files", "files");
            rig.click(list.origin.offset(40, 50));
            rig.right_click(list.origin.offset(40, 50));
            vec!["menu"]
        }
        "form" => {
            rig.type_text("Ada Lovelace");
            rig.keys("Return");
            vec!["wrong"]
        }
        _ => vec!["open"],
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
            for state in show(&mut rig, program) {
                let frame = rig.frame();
                let name = format!("{program}-{state}-{}-{theme}-{seed}", size.width);
                dump(&frame, &name);
                assert!(different_colours(&frame) > 40, "{name} looks empty");
            }
        }
    }
}
