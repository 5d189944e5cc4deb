//! What a look at the desk costs: unchanged, after a click, after a letter, drawn anew; each with three windows open.
//!
//! `cargo bench -p handsight-worlds`. One world turn of the engine is one of these plus the engine's own work.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has nothing to say")]

use divan::{Bencher, black_box};
use handsight_base::flow::action::Button;
use handsight_base::flow::frame::{Frame, Shown};
use handsight_base::port::clock::VirtualClock;
use handsight_base::port::desktop::{CaptureRequest, Desktop as _, OverlayInCapture};
use handsight_base::space::{FrameId, ScreenPx, Size};
use handsight_worlds::Setup;
use handsight_worlds::desk::{Desk, DeskSetup};
use handsight_worlds::engine::desktop::WorldDesktop;
use handsight_worlds::engine::{Input, Shared, World as _, hold, share};

fn main() {
    divan::main();
}

const SIZES: [(u32, u32); 3] = [(1280, 720), (1920, 1080), (3840, 2160)];

struct Rig {
    world: Shared<Desk>,
    desktop: WorldDesktop,
    /// The engine holds the last frame while it takes the next.
    last: Option<Frame>,
    cursor: bool,
}

fn rig((width, height): (u32, u32), cursor: bool) -> Rig {
    let world = share(Desk::new(&DeskSetup::from(&Setup::new(1, Size::new(width, height)))));
    let desktop = WorldDesktop::new(world.clone(), VirtualClock::new(0));
    let long: String = (0..40).map(|n| format!("line {n} of a text that fills the window\n")).collect();
    hold(&world).change_files(|files| files.write("/Documents/long.txt", long)).unwrap();
    for args in [vec!["/Documents/long.txt".to_owned()], Vec::new(), vec!["/Documents/long.txt".to_owned()]] {
        hold(&world).open_program("editor", &args).unwrap();
    }
    let mut rig = Rig { world, desktop, last: None, cursor };
    rig.look();
    rig
}

impl Rig {
    fn look(&mut self) {
        let request = CaptureRequest {
            frame: FrameId(1),
            shown: Shown::AllDisplays,
            region: None,
            cursor: self.cursor,
            overlay: OverlayInCapture::AsShown,
        };
        self.last = Some(self.desktop.capture(&request).unwrap());
        black_box(&self.last);
    }

    fn click(&self, at: ScreenPx) {
        let mut world = hold(&self.world);
        world.input(Input::Move(at));
        world.input(Input::Button { button: Button::Left, down: true });
        world.input(Input::Button { button: Button::Left, down: false });
    }
}

#[divan::bench(args = SIZES)]
fn unchanged(bencher: Bencher<'_, '_>, size: (u32, u32)) {
    let mut rig = rig(size, false);
    bencher.bench_local(|| rig.look());
}

/// In turn the desktop and the middle of the screen: focus and colours of windows change.
#[divan::bench(args = SIZES)]
fn after_a_click(bencher: Bencher<'_, '_>, size: (u32, u32)) {
    let mut rig = rig(size, true);
    let places = [
        ScreenPx::new(size.0 as i32 - 5, size.1 as i32 / 3),
        ScreenPx::new(size.0 as i32 / 2, size.1 as i32 / 2),
    ];
    let mut turn = 0;
    bencher.bench_local(|| {
        turn += 1;
        rig.click(places[turn % 2]);
        rig.look();
    });
}

#[divan::bench(args = SIZES)]
fn after_a_letter(bencher: Bencher<'_, '_>, size: (u32, u32)) {
    let mut rig = rig(size, false);
    let mut turn = 0;
    bencher.bench_local(|| {
        turn += 1;
        let key = if turn % 60 == 0 { '\u{7f}' } else { 'x' };
        if key == 'x' {
            hold(&rig.world).input(Input::Char('x'));
        } else {
            for (key, down) in [
                ("ctrl", true),
                ("a", true),
                ("a", false),
                ("ctrl", false),
                ("Delete", true),
                ("Delete", false),
            ] {
                hold(&rig.world).input(Input::Key { key: key.parse().unwrap(), down });
            }
        }
        rig.look();
    });
}

#[divan::bench(args = SIZES)]
fn after_a_menu(bencher: Bencher<'_, '_>, size: (u32, u32)) {
    let mut rig = rig(size, false);
    bencher.bench_local(|| {
        for down in [true, false] {
            hold(&rig.world).input(Input::Key { key: "super".parse().unwrap(), down });
        }
        rig.look();
    });
}

#[divan::bench(args = SIZES)]
fn drawn_anew(bencher: Bencher<'_, '_>, size: (u32, u32)) {
    let rig = rig(size, false);
    bencher.bench_local(|| {
        let mut desktop = WorldDesktop::new(rig.world.clone(), VirtualClock::new(0));
        let request = CaptureRequest {
            frame: FrameId(1),
            shown: Shown::AllDisplays,
            region: None,
            cursor: false,
            overlay: OverlayInCapture::AsShown,
        };
        black_box(desktop.capture(&request).unwrap());
    });
}
