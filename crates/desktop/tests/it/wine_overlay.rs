//! The overlay on a Windows screen: seen by an outsider, felt by nobody, above its rivals.

use crate::wine_panes::{Pane, click, foreground, pixel, screenshot, window_at, windows_of};
use crate::wine_test_window::{bgr, capture, config, eyes, region};
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::{CaptureRequest, Desktop, Overlay, OverlayInCapture};
use handsight_base::space::{ScreenRect, Size};
use handsight_desktop::windows::{WindowsConfig, WindowsDesktop, declare_dpi_awareness};
use handsight_testkit::wait::{PATIENCE, before, until};
use std::sync::Arc;
use std::time::Duration;
use windows::Win32::UI::WindowsAndMessaging::{
    HWND_TOPMOST, WS_CAPTION, WS_EX_APPWINDOW, WS_EX_LAYERED, WS_EX_NOACTIVATE, WS_EX_TOOLWINDOW,
    WS_EX_TOPMOST, WS_EX_TRANSPARENT, WS_POPUP, WS_THICKFRAME,
};

pub(crate) const CLASS: &str = "handsight overlay";
const INK: [u8; 3] = [0x20, 0xc0, 0xff];
const GROUND: [u8; 3] = [0x90, 0x60, 0x30];
const ROOM: ScreenRect = ScreenRect::new(0, 0, 640, 480);

/// A checkerboard of opaque and clear cells, eight pixels each; the top-left cell is opaque. Like the letters of a HUD a cell
/// has two colours: the ink, and black at its left edge.
pub(crate) fn checkered(x: i32, y: i32, width: u32, height: u32) -> Overlay {
    painted(x, y, width, height, INK)
}

pub(crate) fn painted(x: i32, y: i32, width: u32, height: u32, ink: [u8; 3]) -> Overlay {
    let opaque = |column: u32, row: u32| (column / 8 + row / 8).is_multiple_of(2);
    let [b, g, r] = ink;
    let pixel = |i: u32| match (opaque(i % width, i / width), i % width % 8) {
        (false, _) => [0; 4],
        (true, 0) => [0, 0, 0, 255],
        (true, _) => [b, g, r, 255],
    };
    let bgra: Vec<u8> = (0..width * height).flat_map(pixel).collect();
    Overlay { area: ScreenRect::new(x, y, width, height), bgra: Arc::from(bgra) }
}

/// What the screen must be: `bare` with the overlay's opaque pixels on it.
fn over(bare: &[u8], size: Size, overlay: &Overlay) -> Vec<u8> {
    let mut out = bare.to_vec();
    let area = overlay.area;
    for (i, pixel) in overlay.bgra.chunks_exact(4).enumerate() {
        let x = area.origin.x + (i as u32 % area.size.width) as i32;
        let y = area.origin.y + (i as u32 / area.size.width) as i32;
        let inside = x >= 0 && y >= 0 && (x as u32) < size.width && (y as u32) < size.height;
        if pixel[3] == 255 && inside {
            let at = (y as usize * size.width as usize + x as usize) * 3;
            out[at..at + 3].copy_from_slice(&pixel[..3]);
        }
    }
    out
}

fn taken(desktop: &mut WindowsDesktop, overlay: OverlayInCapture) -> Vec<u8> {
    bgr(&capture(desktop, &CaptureRequest { overlay, ..region(ROOM) }))
}

/// The room in one colour, with the pointer elsewhere.
fn ground() -> Pane {
    // Before the first window.
    declare_dpi_awareness();
    let pane = Pane::open(ROOM, GROUND);
    let bare = GROUND.repeat(ROOM.size.area() as usize);
    until("the room is bare", PATIENCE, || (screenshot(ROOM) == bare).then_some(()));
    pane
}

// spec: S-58 WINE
#[test]
fn the_window_is_an_overlay_and_nothing_else() {
    let ground = ground();
    ground.focus();
    let mut desktop = eyes();
    assert!(windows_of(CLASS).is_empty(), "nothing is shown yet");
    desktop.overlay(Some(&checkered(30, 40, 200, 100))).unwrap();
    let found = windows_of(CLASS);
    assert_eq!(found.len(), 1, "{found:?}");
    let it = found[0];
    assert!(it.shown && it.area == ScreenRect::new(30, 40, 200, 100), "{it:?}");
    let extended = WS_EX_LAYERED | WS_EX_TOPMOST | WS_EX_TRANSPARENT | WS_EX_NOACTIVATE | WS_EX_TOOLWINDOW;
    assert_eq!(it.extended & extended.0, extended.0, "{:#x}", it.extended);
    assert_eq!(it.extended & WS_EX_APPWINDOW.0, 0, "it is in no taskbar");
    assert_eq!(it.style & (WS_POPUP | WS_CAPTION | WS_THICKFRAME).0, WS_POPUP.0, "no frame: {:#x}", it.style);
    assert_eq!(foreground(), ground.handle(), "it was made active");
    // The same window takes the next picture, and goes with the last.
    desktop.overlay(Some(&checkered(0, 0, 50, 60))).unwrap();
    let next = windows_of(CLASS);
    assert!(next.len() == 1 && next[0].window == it.window, "{next:?}");
    assert_eq!(next[0].area, ScreenRect::new(0, 0, 50, 60));
    desktop.overlay(None).unwrap();
    assert!(windows_of(CLASS).is_empty());
    // Dropping the desktop takes it away too.
    desktop.overlay(Some(&checkered(0, 0, 50, 60))).unwrap();
    drop(desktop);
    assert!(windows_of(CLASS).is_empty());
}

// spec: S-13 S-57 S-61 WINE
#[test]
fn a_person_and_the_model_see_the_same() {
    everybody_sees_the_same();
}

/// At any scale: an overlay is placed in pixels of the screen.
pub(crate) fn everybody_sees_the_same() {
    let _ground = ground();
    let mut desktop = eyes();
    let bare = screenshot(ROOM);
    assert!(taken(&mut desktop, OverlayInCapture::AsShown) == bare);
    // New place, new size, new ink, partly off the screen.
    for overlay in [
        checkered(10, 10, 200, 100),
        painted(10, 10, 200, 100, [0, 0, 255]),
        checkered(300, 200, 96, 64),
        checkered(-20, 440, 700, 80),
        checkered(-300, -300, 620, 460),
    ] {
        desktop.overlay(Some(&overlay)).unwrap();
        let wanted = over(&bare, ROOM.size, &overlay);
        assert!(
            taken(&mut desktop, OverlayInCapture::AsShown) == wanted,
            "the model does not see {overlay:?} as it is"
        );
        assert!(screenshot(ROOM) == wanted, "a person does not see {overlay:?} as it is");
    }
    desktop.overlay(None).unwrap();
    assert!(taken(&mut desktop, OverlayInCapture::AsShown) == bare, "something stays");
    // A picture without anything opaque is no picture (S-16).
    let clear = Overlay { area: ScreenRect::new(0, 0, 50, 50), bgra: Arc::from(vec![0; 50 * 50 * 4]) };
    desktop.overlay(Some(&clear)).unwrap();
    assert!(taken(&mut desktop, OverlayInCapture::AsShown) == bare, "a clear overlay is seen");
}

#[test]
fn a_hidden_overlay_is_in_no_picture_and_comes_back() {
    let _ground = ground();
    let mut desktop = eyes();
    let bare = screenshot(ROOM);
    let overlay = checkered(10, 10, 300, 200);
    desktop.overlay(Some(&overlay)).unwrap();
    for n in 0..10 {
        assert!(taken(&mut desktop, OverlayInCapture::Hidden) == bare, "picture {n}: the overlay is in it");
        let shown = taken(&mut desktop, OverlayInCapture::AsShown);
        assert!(shown == over(&bare, ROOM.size, &overlay), "picture {n}: the overlay did not come back");
    }
}

// spec: S-58 WINE
#[test]
fn a_click_under_the_overlay_reaches_the_window_and_the_focus_stays() {
    let ground = ground();
    ground.focus();
    let mut desktop = eyes();
    desktop.overlay(Some(&checkered(100, 100, 200, 100))).unwrap();
    until("the overlay is seen", PATIENCE, || (pixel(101, 101) == INK).then_some(()));
    // On an opaque cell and on a clear one.
    for (x, y) in [(102, 102), (110, 102)] {
        assert_eq!(window_at(x, y), ground.handle());
        ground.forget();
        click(x, y);
        until("the click arrived", PATIENCE, || (ground.clicks().len() >= 2).then_some(()));
        assert_eq!(ground.clicks(), [(true, x, y), (false, x, y)]);
        assert_eq!(foreground(), ground.handle(), "the focus moved");
    }
    // Negative control: without the style that lets clicks through, the overlay is what lies there, and gets them.
    let overlay = windows_of(CLASS)[0];
    opaque_to_clicks::make(overlay.window, overlay.extended);
    assert_eq!(window_at(102, 102), overlay.window, "the control");
    ground.forget();
    click(102, 102);
    assert!(before(Duration::from_millis(300), || ground.clicks().first().copied()).is_none(), "the control");
}

mod opaque_to_clicks {
    #![expect(unsafe_code, reason = "a call of the Windows API")]

    use windows::Win32::Foundation::HWND;
    use windows::Win32::UI::WindowsAndMessaging::{GWL_EXSTYLE, SetWindowLongPtrW, WS_EX_TRANSPARENT};

    pub(super) fn make(window: HWND, extended: u32) {
        let style = extended & !WS_EX_TRANSPARENT.0;
        // SAFETY: a window of this process.
        unsafe { SetWindowLongPtrW(window, GWL_EXSTYLE, style as isize) };
    }
}

// spec: S-59 WINE
#[test]
fn a_rival_that_is_always_on_top_ends_below() {
    let _ground = ground();
    const WHITE: [u8; 3] = [255; 3];
    let rival = Pane::topmost(ScreenRect::new(50, 50, 100, 100), WHITE);
    let mut desktop = eyes();
    for n in 0..3_u8 {
        let ink = [n, 10, 200];
        until("the overlay is above its rival", PATIENCE, || {
            desktop.overlay(Some(&painted(48, 48, 64, 64, ink))).unwrap();
            // Between the first pulse and the second; on a busy machine not at the first try.
            rival.raise(HWND_TOPMOST);
            before(Duration::from_millis(300), || (pixel(50, 50) == ink).then_some(()))
        });
        until("the rival is seen through the clear cells", PATIENCE, || {
            (pixel(60, 50) == WHITE).then_some(())
        });
    }
    // Control: with one pulse the rival stays above.
    desktop.overlay(None).unwrap();
    let mut single = WindowsDesktop::connect(WindowsConfig { overlay_pulses: 1, ..config() }).unwrap();
    single.overlay(Some(&checkered(48, 48, 64, 64))).unwrap();
    until("the overlay is above its rival", PATIENCE, || (pixel(50, 50) == INK).then_some(()));
    rival.raise(HWND_TOPMOST);
    until("the rival is above a single pulse", PATIENCE, || (pixel(50, 50) == WHITE).then_some(()));
    // A second pulse would have come by then.
    let came = before(Duration::from_millis(300), || (pixel(50, 50) != WHITE).then_some(()));
    assert_eq!(came, None, "who raised it?");
}

/// What an overlay costs beside a capture without one; `--show-output` tells. The quickest are compared: other programs cannot
/// make those quicker, and a wait that runs into its bound is in all of them.
#[test]
fn an_overlay_costs_little() {
    let _ground = ground();
    let clock = RealClock::new();
    let mut desktop = eyes();
    for (width, height, rounds) in [(700, 120, 20), (1280, 720, 4), (1920, 1080, 4)] {
        let pictures = [painted(0, 0, width, height, INK), painted(0, 0, width, height, [9, 8, 7])];
        let mut spent: [Vec<Duration>; 5] = Default::default();
        for n in 0..rounds {
            let mut time = |step: usize, work: &mut dyn FnMut()| {
                let began = clock.now();
                work();
                spent[step].push(clock.now() - began);
            };
            time(0, &mut || drop(taken(&mut desktop, OverlayInCapture::AsShown)));
            time(1, &mut || desktop.overlay(Some(&pictures[n % 2])).unwrap());
            time(2, &mut || drop(taken(&mut desktop, OverlayInCapture::AsShown)));
            time(3, &mut || drop(taken(&mut desktop, OverlayInCapture::Hidden)));
            time(4, &mut || desktop.overlay(None).unwrap());
        }
        let told = spent.each_mut().map(|all| {
            all.sort_unstable();
            format!("{:.1?} ({:.1?})", all[0], all[all.len() / 2])
        });
        let [bare, update, shown, hidden, away] = told;
        println!(
            "{width}x{height}, least (median): bare capture {bare}, overlay {update}, captured with it {shown}, \
             without it {hidden}, taken away {away}"
        );
        let [bare, update, shown, hidden, _] = spent.map(|all| all[0]);
        if width == 700 {
            let little = Duration::from_millis(100);
            assert!(update < little && shown < bare + little && hidden < bare + little);
        }
    }
}
