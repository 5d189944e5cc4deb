//! Captures on Windows against what windows of the test's own painted.

use crate::wine_test_window::{
    Look, TestWindow, all, bgr, capture, config, eyes, pattern, pixel, point_at, region, window,
};
use handsight_base::flow::frame::Shown;
use handsight_base::port::desktop::{CaptureRequest, Desktop, DesktopError, DesktopFault, WindowId};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use handsight_desktop::windows::{Method, WindowsConfig, WindowsDesktop};
use handsight_testkit::wait::{PATIENCE, until};
use std::time::Instant;

fn client(x: i32, y: i32, width: u32, height: u32) -> ScreenRect {
    ScreenRect::new(x, y, width, height)
}

// spec: S-08 WINE
#[test]
fn a_capture_is_what_a_window_painted_pixel_by_pixel() {
    let mut desktop = eyes();
    let displays = desktop.displays().unwrap();
    let screen = displays[0].area;
    assert!(displays[0].primary && screen.origin == ScreenPx::new(0, 0), "{displays:?}");
    let at = client(101, 57, 641, 403);
    let shown = TestWindow::open(Look { topmost: true, ..Look::new("Painted", at) });
    let frame = capture(&mut desktop, &window(shown.id()));
    assert_eq!((frame.size(), frame.geometry.origin), (at.size, at.origin));
    assert!(bgr(&frame) == pattern(1, 0, 0, 641, 403), "the window differs");
    let whole = capture(&mut desktop, &all());
    assert_eq!((whole.size(), whole.geometry.origin), (screen.size, screen.origin));
    assert_eq!(whole.view().data().len() as u64, screen.size.area() * 4, "the raw 32-bit buffer");
    // Any part, at odd places and sizes.
    for (x, y, width, height) in [(0, 0, 1, 1), (640, 402, 1, 1), (7, 13, 333, 77), (1, 0, 639, 403)] {
        let part = client(at.origin.x + x as i32, at.origin.y + y as i32, width, height);
        let seen = capture(&mut desktop, &region(part));
        assert_eq!(seen.geometry.origin, part.origin);
        assert!(bgr(&seen) == pattern(1, x, y, width, height), "{part} differs");
    }
    // One display is the same as all, where there is one.
    let display = CaptureRequest { shown: Shown::Display(displays[0].name.clone()), ..all() };
    assert_eq!(capture(&mut desktop, &display).size(), screen.size);
    // What hangs over is cut, what lies outside is refused.
    let right = screen.size.width as i32;
    let cut = capture(&mut desktop, &region(client(right - 20, -5, 100, 10)));
    assert_eq!((cut.size(), cut.geometry.origin), (Size::new(20, 5), ScreenPx::new(right - 20, 0)));
    let outside = desktop.capture(&region(client(right, 0, 10, 10))).unwrap_err();
    assert!(matches!(&outside, DesktopError::Capture { why, .. } if why.contains("outside")), "{outside}");
}

#[test]
fn a_held_frame_stays_what_it_was_and_geometry_is_asked_afresh() {
    let mut desktop = eyes();
    let mut shown = Vec::new();
    let mut held = Vec::new();
    for n in 0..5u32 {
        let at = client(40 + n as i32 * 90, 300, 80, 60);
        shown.push(TestWindow::open(Look { seed: n, topmost: true, ..Look::new("Held", at) }));
        held.push((n, capture(&mut desktop, &region(at))));
    }
    drop(shown);
    let over =
        TestWindow::open(Look { seed: 77, topmost: true, ..Look::new("Over", client(40, 300, 440, 60)) });
    for (n, frame) in &held {
        assert!(bgr(frame) == pattern(*n, 0, 0, 80, 60), "frame {n} changed");
    }
    drop(over);
}

// spec: S-08 WINE
#[test]
fn the_pointer_is_blended_in_at_its_hot_spot() {
    let mut desktop = eyes();
    let screen = desktop.displays().unwrap()[0].area;
    let shown = TestWindow::open(Look { sprite: true, topmost: true, ..Look::new("Sprite", screen) });
    let with = CaptureRequest { cursor: true, ..window(shown.id()) };
    let (right, bottom) = (screen.size.width as i32 - 1, screen.size.height as i32 - 1);
    for (x, y) in [(300, 200), (0, 0), (right, bottom), (1, bottom), (333, 77)] {
        point_at(x, y);
        until("the pointer is there", PATIENCE, || {
            (desktop.pointer().ok()?? == ScreenPx::new(x, y)).then_some(())
        });
        // The window is told of the pointer before it gives it its shape.
        let frame = until("the sprite is seen", PATIENCE, || {
            let frame = capture(&mut desktop, &with);
            (frame.view().bgr(x as u32, y as u32) == Some([255; 3])).then_some(frame)
        });
        assert!(frame.cursor);
        let plain = capture(&mut desktop, &window(shown.id()));
        assert!(!plain.cursor);
        assert!(
            bgr(&plain) == pattern(1, 0, 0, screen.size.width, screen.size.height),
            "no pointer in this one"
        );
        // Red around the white hot spot (2, 5), cut at the edges, and nothing else changed.
        for row in 0..screen.size.height {
            let same = frame.view().row(row) == plain.view().row(row);
            let (top, last) = (y - 5, y + 2);
            assert_eq!(!same, (top..=last).contains(&(row as i32)), "row {row} with the pointer at {x}, {y}");
        }
        for (column, row) in (0..8).flat_map(|c| (0..8).map(move |r| (x - 2 + c, y - 5 + r))) {
            let inside = (0..=right).contains(&column) && (0..=bottom).contains(&row);
            let want = if (column, row) == (x, y) { [255; 3] } else { [0, 0, 255] };
            if inside {
                assert_eq!(frame.view().bgr(column as u32, row as u32), Some(want), "{column}, {row}");
            }
        }
    }
    // Outside of what is shown there is no pointer to blend.
    point_at(right, bottom);
    let corner = CaptureRequest { cursor: true, ..region(client(0, 0, 50, 50)) };
    assert!(!capture(&mut desktop, &corner).cursor);
}

#[test]
fn what_cannot_be_captured_is_told_in_states_of_the_screen() {
    let mut desktop = eyes();
    let mut shown = TestWindow::plain("Soon gone", client(200, 200, 100, 100));
    let id = shown.id();
    shown.close();
    let gone = desktop.capture(&window(id)).unwrap_err();
    assert!(matches!(gone, DesktopError::TargetGone { .. }), "{gone}");
    let none = desktop.capture(&window(WindowId(u64::MAX))).unwrap_err();
    assert_eq!(none.fault(), DesktopFault::Target, "{none}");
    // A window manager of the X server below would bring an active one back to the screen.
    let half = Look { active: false, topmost: true, ..Look::new("Half out", client(-50, 100, 100, 100)) };
    let elsewhere = TestWindow::open(half);
    let half = capture(&mut desktop, &window(elsewhere.id()));
    assert_eq!((half.size(), half.geometry.origin), (Size::new(50, 100), ScreenPx::new(0, 100)));
    assert!(bgr(&half) == pattern(1, 50, 0, 50, 100), "the part that is on the screen");
    let other = CaptureRequest { shown: Shown::Display("no such".into()), ..all() };
    let refused = desktop.capture(&other).unwrap_err().to_string();
    let name = desktop.displays().unwrap()[0].name.clone();
    assert!(refused.contains("no such") && refused.contains(&name), "{refused}");
}

/// A capture is one copy by Windows. Reading the same pixels one by one with `GetPixel` shows that it is the same screen.
#[test]
fn a_capture_agrees_with_the_system_at_single_places() {
    let mut desktop = eyes();
    let _shown = TestWindow::open(Look { framed: true, ..Look::new("Framed", client(150, 120, 300, 200)) });
    // The frame is painted by the window manager of the X server below, in its own time.
    until("both see the same", PATIENCE, || {
        let frame = capture(&mut desktop, &all());
        let places = [(150, 120), (200, 110), (449, 319), (151, 121), (5, 5), (300, 200)];
        let same = |(x, y)| frame.view().bgr(x as u32, y as u32) == Some(pixel(x, y));
        places.into_iter().all(same).then_some(())
    });
}

/// Wine has no desktop duplication; on a Windows that has it the capture would be compared here.
#[test]
fn duplication_is_refused_by_name_where_there_is_none_and_never_replaced_in_silence() {
    let wish = WindowsConfig { method: Method::Dxgi, ..config() };
    match WindowsDesktop::connect(wish) {
        Err(error) => {
            assert!(matches!(error, DesktopError::Unusable { .. }), "{error}");
            let text = error.to_string();
            assert!(text.contains("duplicat") && text.contains("capture.method"), "{text}");
        }
        Ok(mut desktop) => {
            let shown = TestWindow::plain("Duplicated", client(60, 60, 200, 100));
            until("the picture is the window's", PATIENCE, || {
                (bgr(&desktop.capture(&window(shown.id())).ok()?) == pattern(1, 0, 0, 200, 100)).then_some(())
            });
            assert!(desktop.info().capabilities.damage);
        }
    }
    let mut plain = eyes();
    assert!(!plain.info().capabilities.damage, "BitBlt tells nothing of what changed");
    assert!(
        matches!(plain.damage_since(None), Err(DesktopError::Unsupported { what, .. }) if what == "damage")
    );
}

/// The quickest and the middle one.
fn least_and_median(mut millis: Vec<f64>) -> (f64, f64) {
    millis.sort_unstable_by(f64::total_cmp);
    (millis[0], millis[millis.len() / 2])
}

/// The budget is that of X11: 1.3 times the system's part, measured by `bench`; here, beside other work, a capture must not
/// cost another copy of the picture. The quickest of each are compared: other work cannot make those quicker.
// spec: S-87 WINE
#[test]
fn a_capture_costs_little_more_than_the_systems_part() {
    let mut desktop = eyes();
    let screen = desktop.displays().unwrap()[0].area;
    let request = CaptureRequest { cursor: true, ..all() };
    let (mut whole, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        let began = Instant::now();
        drop(capture(&mut desktop, &request));
        whole.push(began.elapsed().as_secs_f64() * 1e3);
        let began = Instant::now();
        desktop.bare_grab().unwrap();
        bare.push(began.elapsed().as_secs_f64() * 1e3);
    }
    let ((whole, median), (bare, bare_median)) = (least_and_median(whole), least_and_median(bare));
    let least = whole / bare;
    eprintln!(
        "{}: capture {median:.2} ms, bare BitBlt {bare_median:.2} ms, ratio {:.2}; of the least {whole:.2} / {bare:.2} = {least:.2}",
        screen.size,
        median / bare_median
    );
    // Each question costs a trip to another process under Wine, which waits its turn on a busy machine.
    assert!(median < 50.0, "{median} ms");
    assert!(least < 2.0, "{least}");
}
