//! Pictures for people: the desk in several sizes and both themes, under the tests' own folder of `target`.

use crate::rig::Rig;
use handsight_base::flow::frame::{Frame, Shown};
use handsight_base::space::Size;
use handsight_pixel::blend::{Exporter, Scaling};
use handsight_pixel::png::PngEncoder;
use handsight_worlds::Setup;
use handsight_worlds::desk::DeskSetup;
use handsight_worlds::desk::apps::APPS;
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

const SIZES: [(Size, f64); 4] = [
    (Size::new(800, 600), 1.0),
    (Size::new(1280, 720), 1.0),
    (Size::new(1280, 720), 1.5),
    (Size::new(3840, 2160), 1.0),
];

#[test]
fn the_desk_is_drawn_in_every_size_and_both_themes() {
    for (size, scale) in SIZES {
        for (seed, theme) in [(3, "light"), (5, "dark")] {
            let setup = DeskSetup::from(&Setup::new(seed, size).scaled(scale)).with("theme", theme);
            let mut rig = Rig::new(&setup);
            let name = format!("{}x{}@{scale}-{theme}", size.width, size.height);
            rig.open("editor", &["/Documents/Letters/landlord.txt"]);
            rig.open("editor", &[]);
            rig.type_text("Dear diary,\ntoday I wrote a window manager. It has shadows and a clock.\n");
            let frame = rig.frame();
            assert!(different_colours(&frame) > 60, "{name} looks empty");
            dump(&frame, &format!("{name}-editor"));
            rig.keys("F10");
            rig.keys("Down");
            dump(&rig.capture(Shown::AllDisplays, true), &format!("{name}-menu"));
            rig.keys("Escape");
            rig.keys("alt+F4");
            dump(&rig.frame(), &format!("{name}-ask"));
        }
    }
}

#[test]
fn every_program_is_drawn_in_both_themes() {
    for (seed, theme) in [(1, "light"), (2, "dark")] {
        for kind in APPS.iter().filter(|k| k.listed) {
            let mut rig = Rig::new(&DeskSetup::new(seed).with("theme", theme));
            rig.open(kind.key, &[]);
            let frame = rig.frame();
            dump(&frame, &format!("program-{}-{theme}", kind.key.replace(' ', "-")));
            assert!(different_colours(&frame) > 60, "{} looks empty", kind.key);
        }
        let mut rig = Rig::new(&DeskSetup::new(seed).with("theme", theme));
        rig.keys("super");
        rig.keys("Down");
        dump(&rig.frame(), &format!("start-{theme}"));
    }
}
