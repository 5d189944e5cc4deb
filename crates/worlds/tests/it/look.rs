//! Pictures for people: the desk in three sizes and two themes, under the tests' own folder of `target`.

use crate::rig::Rig;
use handsight_base::flow::frame::Frame;
use handsight_base::space::Size;
use handsight_pixel::blend::{Exporter, Scaling};
use handsight_pixel::png::PngEncoder;
use handsight_worlds::Setup;
use handsight_worlds::desk::DeskSetup;
use std::path::Path;

pub(crate) fn dump(frame: &Frame, name: &str) {
    let mut exporter = Exporter::new();
    let picture =
        exporter.export(frame.view(), frame.geometry.whole(), frame.size(), Scaling::Nearest, &[]).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("desk");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{name}.png")), PngEncoder::new().encode(picture).unwrap()).unwrap();
}

pub(crate) fn different_colours(frame: &Frame) -> usize {
    let view = frame.view();
    let mut seen = std::collections::BTreeSet::new();
    for y in (0..view.size().height).step_by(3) {
        for x in (0..view.size().width).step_by(3) {
            seen.insert(view.bgr(x, y).unwrap());
        }
    }
    seen.len()
}

#[test]
fn the_desk_is_drawn_in_three_sizes_and_two_themes() {
    let sizes = [
        (Size::new(800, 600), 1.0),
        (Size::new(1280, 720), 1.0),
        (Size::new(3840, 2160), 1.0),
        (Size::new(1280, 720), 1.5),
    ];
    for (size, scale) in sizes {
        for (seed, theme) in [(3, "light"), (5, "dark")] {
            let setup = DeskSetup::from(&Setup::new(seed, size).scaled(scale)).with("theme", theme);
            let mut rig = Rig::new(&setup);
            let name = format!("{}x{}@{scale}-{theme}", size.width, size.height);
            rig.open("editor", &["/Documents/Letters/landlord.txt"]);
            let editor = rig.open("editor", &[]);
            rig.type_text("Dear diary,\ntoday I wrote a window manager. It has shadows, round corners and a clock, and whoever drags a window by its title moves it.\n");
            let frame = rig.frame();
            dump(&frame, &format!("{name}-1-editor"));
            assert!(different_colours(&frame) > 60, "{name} looks empty");
            rig.keys("ctrl+shift+s");
            dump(&rig.frame(), &format!("{name}-2-save-as"));
            rig.keys("Escape");
            rig.keys("F10");
            dump(&rig.frame(), &format!("{name}-3-menu"));
            rig.keys("Escape");
            rig.keys("alt+F4");
            dump(&rig.frame(), &format!("{name}-4-ask"));
            rig.keys("Escape");
            rig.keys("super+r");
            rig.type_text("calc");
            dump(&rig.frame(), &format!("{name}-5-run"));
            rig.keys("Escape");
            rig.keys("super");
            dump(
                &rig.capture(handsight_base::flow::frame::Shown::AllDisplays, true),
                &format!("{name}-6-start"),
            );
            assert!(rig.windows().iter().any(|w| w.frame.id == editor));
        }
    }
}
