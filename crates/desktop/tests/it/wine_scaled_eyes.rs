//! Scaling: at 144 dots per inch a pixel is still a pixel, for eyes and for hands. The runner gives these tests such a screen.

use crate::wine_test_window::{Look, TestWindow, all, approved, bgr, capture, config, eyes, pattern, window};
use handsight_base::flow::action::{Action, Button, Timing};
use handsight_base::gate::Work;
use handsight_base::key::Modifiers;
use handsight_base::port::desktop::{Desktop, Placement};
use handsight_base::space::{
    FrameGeometry, Norm1000, PictureGeometry, Rounding, ScreenPx, ScreenRect, Size, WindowPx,
};
use handsight_base::stop::Stop;
use handsight_desktop::hands::{HandsConfig, Screen, supervise};
use handsight_desktop::windows::{Awareness, Health, WindowsConfig, WindowsDesktop, declare_dpi_awareness};
use handsight_testkit::wait::{PATIENCE, until};
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
#[ignore = "a process that other tests start: the input supervisor"]
fn supervisor() {
    // A process of its own has pixels of its own.
    declare_dpi_awareness();
    match supervise(&[]) {
        // Run by hand: there is no engine.
        2 => {}
        #[expect(clippy::exit, reason = "the pipes of the harness are those of the engine")]
        code => std::process::exit(code),
    }
}

#[test]
fn scale_is_measured_and_pictures_have_every_pixel() {
    let health = Health::here();
    assert_ne!(health.awareness, Awareness::None, "some way to declare it works everywhere");
    assert_eq!(health.scales, [1.5]);
    let mut desktop = eyes();
    let display = desktop.displays().unwrap().remove(0);
    assert_eq!(display.scale, 1.0, "a frame has as many pixels as the screen");
    let at = ScreenRect::new(101, 57, 641, 403);
    let shown = TestWindow::open(Look { topmost: true, framed: true, ..Look::new("Scaled", at) });
    assert_eq!(desktop.scale_of(shown.id()), Ok(1.5));
    let found = desktop.window(shown.id()).unwrap();
    assert_eq!(found.client, shown.client());
    assert_eq!(found.client.size, at.size, "no size was changed behind our back");
    let frame = capture(&mut desktop, &window(shown.id()));
    assert!(bgr(&frame) == pattern(1, 0, 0, 641, 403), "the picture differs");
    assert_eq!(capture(&mut desktop, &all()).size(), display.area.size);
    let to = ScreenRect::new(33, 99, 500, 300);
    let place = handsight_base::gate::Place { window: shown.id(), to: Placement::Client(to) };
    assert_eq!(desktop.place(approved(place)).unwrap().client, to);
    assert_eq!(shown.client(), to);
}

// spec: S-03 WINE
#[test]
fn a_click_at_500_500_lands_on_the_centre_pixel() {
    let folder = tempfile::tempdir().unwrap();
    let me = std::env::current_exe().unwrap().into_os_string();
    let words =
        ["--ignored", "--exact", "wine_scaled_eyes::supervisor", "--nocapture", "--test-threads", "1"];
    let command = std::iter::once(me).chain(words.map(OsString::from)).collect();
    let hands = Some(HandsConfig::new(command, Screen::Windows, folder.path()));
    let mut desktop = WindowsDesktop::connect(WindowsConfig { hands, ..config() }).unwrap();
    // The turn lives: the hands hear it while they work.
    let (pulse, over) = (desktop.pulse().expect("hands have one"), Arc::new(AtomicBool::new(false)));
    let ended = Arc::clone(&over);
    let turn = std::thread::spawn(move || {
        while !ended.load(Ordering::Acquire) {
            pulse.beat();
            std::thread::park_timeout(handsight_desktop::hands::HEARTBEAT);
        }
    });
    let Size { width, height } = desktop.displays().unwrap()[0].area.size;
    let shown =
        TestWindow::open(Look { topmost: true, ..Look::new("Centre", ScreenRect::new(0, 0, width, height)) });
    let frame = capture(&mut desktop, &all());
    let seen =
        PictureGeometry { frame: frame.id(), pane: frame.geometry.whole(), size: Size::new(1536, 864) };
    for (x, y, pixel) in [
        (500.0, 500.0, WindowPx::new((width / 2) as i32, (height / 2) as i32)),
        (0.0, 0.0, WindowPx::new(0, 0)),
        (1000.0, 1000.0, WindowPx::new(width as i32 - 1, height as i32 - 1)),
    ] {
        let at = seen.frame_from_norm1000(Norm1000::new(x, y), Rounding::RoundToLast).unwrap();
        let click =
            Action::Click { at: Some(at), button: Button::Left, count: 1, modifiers: Modifiers::default() };
        let before = shown.clicks().len();
        let Work::Input(batch) = on(&frame.geometry, click) else { panic!("a click is input") };
        assert!(desktop.inject(batch, &Stop::new()).unwrap().complete);
        let clicks =
            until("the click arrives", PATIENCE, || Some(shown.clicks()).filter(|c| c.len() > before));
        assert_eq!(clicks.last(), Some(&pixel), "{x}, {y}");
        assert_eq!(desktop.pointer(), Ok(Some(ScreenPx::new(pixel.x, pixel.y))));
    }
    over.store(true, Ordering::Release);
    turn.join().unwrap();
}

fn on(geometry: &FrameGeometry, action: Action) -> Work {
    let gate = handsight_base::gate::Gate::new(Vec::new());
    let scene = handsight_base::gate::Scene::new(geometry, 1);
    let approved = gate.approve(action, &scene).expect("there is no rule to refuse");
    approved.expand(geometry, &Timing::default()).expect("it can be expanded")
}
