//! The overlay on a real screen: seen by an outside program, felt by nobody, above its rivals.

use crate::rig::{all, alone, bgr, capture, colours, eyes, handles};
use crate::xvfb_faults::resources;
use handsight_base::port::desktop::{CaptureRequest, Desktop, Overlay, OverlayInCapture};
use handsight_base::space::{ScreenRect, Size};
use handsight_desktop::x11::X11Desktop;
use handsight_testkit::need::need;
use handsight_testkit::program::Program;
use handsight_testkit::wait::{PATIENCE, before, until};
use handsight_testkit::witness::{What, Witness};
use handsight_testkit::xvfb::Xvfb;
use std::sync::Arc;
use std::time::Duration;
use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ConfigureWindowAux, ConnectionExt as _, StackMode};

const INK: [u8; 3] = [0x20, 0xc0, 0xff];

/// A checkerboard of opaque ink and clear cells, eight pixels each; the top-left cell is opaque.
fn checkered(x: i32, y: i32, width: u32, height: u32) -> Overlay {
    painted(x, y, width, height, INK)
}

fn painted(x: i32, y: i32, width: u32, height: u32, ink: [u8; 3]) -> Overlay {
    let pixel = |i: u32| if opaque(i % width, i / width) { [ink[0], ink[1], ink[2], 255] } else { [0; 4] };
    let bgra: Vec<u8> = (0..width * height).flat_map(pixel).collect();
    Overlay { area: ScreenRect::new(x, y, width, height), bgra: Arc::from(bgra) }
}

const fn opaque(column: u32, row: u32) -> bool {
    (column / 8 + row / 8).is_multiple_of(2)
}

/// The screen as an outside program sees it: blue, green, red, row by row.
pub(crate) fn screenshot(witness: &Witness, size: Size) -> Vec<u8> {
    colours(&witness.pixels(0, 0, size.width as u16, size.height as u16))
}

/// What the screen must be: `bare` with the overlay's opaque pixels on it.
pub(crate) fn over(bare: &[u8], size: Size, overlay: &Overlay) -> Vec<u8> {
    let mut out = bare.to_vec();
    let area = overlay.area;
    for (i, pixel) in overlay.bgra.chunks_exact(4).enumerate() {
        let (x, y) = (
            area.origin.x + (i as u32 % area.size.width) as i32,
            area.origin.y + (i as u32 / area.size.width) as i32,
        );
        let inside = x >= 0 && y >= 0 && (x as u32) < size.width && (y as u32) < size.height;
        if pixel[3] == 255 && inside {
            let at = (y as usize * size.width as usize + x as usize) * 3;
            out[at..at + 3].copy_from_slice(&pixel[..3]);
        }
    }
    out
}

/// Without a compositor, or with one of those that are installed.
pub(crate) fn compositors(x: &Xvfb, which: &str) -> Option<Program> {
    let program = match which {
        "picom" if need("picom", "picom") => {
            x.program("picom", &["--backend", "xrender", "--config", "/dev/null", "--shadow"])
        }
        "xcompmgr" if need("xcompmgr", "xcompmgr") => x.program("xcompmgr", &["-c"]),
        _ => return None,
    };
    let witness = Witness::connect(x.display());
    until("the compositor took over", PATIENCE, || witness.selection_owner("_NET_WM_CM_S0"));
    Some(program)
}

pub(crate) const SIZE: Size = Size::new(640, 480);

/// One test for each way a screen can be composed.
fn each_way(test: impl Fn(&Xvfb, &str)) {
    for which in ["none", "picom", "xcompmgr"] {
        let Some(x) = Xvfb::with(SIZE.width, SIZE.height, &[]) else { return };
        let compositor = (which != "none").then(|| compositors(&x, which));
        if compositor.as_ref().is_some_and(Option::is_none) {
            continue;
        }
        test(&x, which);
    }
}

/// A window with a colour of its own under everything, drawn.
fn ground(witness: &mut Witness) -> u32 {
    let id = witness.open(0, 0, SIZE.width as u16, SIZE.height as u16);
    witness.wait_until("the window is drawn", PATIENCE, |w| w.pixel(320, 240) == [0x30, 0x60, 0x90]);
    id
}

/// The bare screen, once we see it as others do: a compositor's first picture may come a moment after the window's own.
pub(crate) fn at_rest(witness: &Witness, desktop: &mut X11Desktop) -> Vec<u8> {
    until("the screen rests and is seen as it is", PATIENCE, || {
        let bare = screenshot(witness, SIZE);
        (bgr(&capture(desktop, &all())) == bare).then_some(bare)
    })
}

// spec: S-13 S-61 XVFB
#[test]
fn a_person_and_the_model_see_the_same() {
    each_way(|x, which| {
        let mut witness = Witness::connect(x.display());
        ground(&mut witness);
        let mut desktop = eyes(x.display());
        let bare = at_rest(&witness, &mut desktop);
        // New place, new size, new ink, partly off the screen; the picture is right at once, whoever composes it.
        for overlay in [
            checkered(10, 10, 200, 100),
            painted(10, 10, 200, 100, [0, 0, 255]),
            checkered(300, 200, 96, 64),
            checkered(-20, 440, 700, 80),
        ] {
            desktop.overlay(Some(&overlay)).unwrap();
            let frame = capture(&mut desktop, &all());
            let wanted = over(&bare, SIZE, &overlay);
            assert!(bgr(&frame) == wanted, "{which}: the model does not see {overlay:?} as it is");
            assert!(
                screenshot(&witness, SIZE) == wanted,
                "{which}: a person does not see {overlay:?} as it is"
            );
        }
        desktop.overlay(None).unwrap();
        assert!(bgr(&capture(&mut desktop, &all())) == bare, "{which}: something stays");
        // A picture without anything opaque is no picture (S-16).
        let clear = Overlay { area: ScreenRect::new(0, 0, 50, 50), bgra: Arc::from(vec![0; 50 * 50 * 4]) };
        desktop.overlay(Some(&clear)).unwrap();
        assert!(bgr(&capture(&mut desktop, &all())) == bare, "{which}: a clear overlay is seen");
    });
}

#[test]
fn a_hidden_overlay_is_in_no_picture_and_comes_back() {
    each_way(|x, which| {
        let mut witness = Witness::connect(x.display());
        ground(&mut witness);
        let mut desktop = eyes(x.display());
        let bare = at_rest(&witness, &mut desktop);
        let overlay = checkered(10, 10, 300, 200);
        desktop.overlay(Some(&overlay)).unwrap();
        for _ in 0..3 {
            let hidden = CaptureRequest { overlay: OverlayInCapture::Hidden, ..all() };
            assert!(bgr(&capture(&mut desktop, &hidden)) == bare, "{which}: the overlay is in the picture");
            let shown = bgr(&capture(&mut desktop, &all()));
            assert!(shown == over(&bare, SIZE, &overlay), "{which}: the overlay did not come back");
        }
    });
}

// spec: S-58 XVFB
#[test]
fn a_click_under_the_overlay_reaches_the_window_and_the_focus_stays() {
    each_way(|x, which| {
        let mut witness = Witness::connect(x.display());
        let id = ground(&mut witness);
        let mut desktop = eyes(x.display());
        let overlay = checkered(100, 100, 200, 100);
        desktop.overlay(Some(&overlay)).unwrap();
        let frame = capture(&mut desktop, &all());
        assert_eq!(frame.view().bgr(101, 101), Some(INK), "{which}");
        witness.forget();
        // On an opaque cell and on a clear one.
        for (px, py) in [(102, 102), (110, 102)] {
            witness.go_to(px, py);
            witness.button(1, true);
            witness.button(1, false);
        }
        let click = [What::Button { button: 1, down: true }, What::Button { button: 1, down: false }];
        witness.wait_until("both clicks arrived", PATIENCE, |w| w.presses().len() >= 4);
        assert_eq!(witness.presses(), [click, click].concat(), "{which}: who got the click?");
        assert_eq!(witness.focused(), id, "{which}: the focus moved");
        // Negative control: without the empty input shape the click would not have arrived.
        let ours = overlay_window(&witness);
        restore_input(&witness, ours);
        witness.forget();
        witness.go_to(102, 102);
        witness.button(1, true);
        witness.button(1, false);
        witness.sync();
        assert_eq!(witness.presses(), [], "{which}: the control clicks through too");
    });
}

fn overlay_window(witness: &Witness) -> u32 {
    until("the overlay's window", PATIENCE, || witness.windows().into_iter().find(|w| w.title == "handsight"))
        .id
}

fn restore_input(witness: &Witness, window: u32) {
    use x11rb::protocol::shape::{ConnectionExt as _, SK, SO};
    witness.conn().shape_mask(SO::SET, SK::INPUT, window, 0, 0, x11rb::NONE).unwrap();
    witness.sync();
}

// spec: S-58 XVFB
#[test]
fn the_overlay_stands_in_no_list_of_windows() {
    let Some(x) = Xvfb::with(SIZE.width, SIZE.height, &[]) else { return };
    let Some(_openbox) = x.openbox() else { return };
    let mut desktop = eyes(x.display());
    desktop.overlay(Some(&checkered(0, 0, 100, 100))).unwrap();
    let witness = Witness::connect(x.display());
    let id = overlay_window(&witness);
    witness.sync();
    assert_eq!(desktop.windows().unwrap(), []);
    // Taskbars and switchers read these.
    assert!(witness.property(witness.root(), "_NET_CLIENT_LIST").is_empty());
    assert_ne!(witness.focused(), id);
    let attributes = witness.conn().get_window_attributes(id).unwrap().reply().unwrap();
    assert!(attributes.override_redirect, "no frame either");
}

// spec: S-59 XVFB
#[test]
fn a_rival_that_is_always_on_top_ends_below() {
    each_way(|x, which| {
        let mut witness = Witness::connect(x.display());
        ground(&mut witness);
        let rival = witness.open(50, 50, 100, 100);
        let white = ChangeWindowAttributesAux::new().background_pixel(0xff_ffff);
        witness.conn().change_window_attributes(rival, &white).unwrap();
        witness.conn().clear_area(false, rival, 0, 0, 0, 0).unwrap();
        let raise = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
        let mut desktop = eyes(x.display());
        for n in 0..3u8 {
            let ink = [n, 10, 200];
            desktop.overlay(Some(&painted(48, 48, 64, 64, ink))).unwrap();
            // Between the first pulse and the second.
            witness.conn().configure_window(rival, &raise).unwrap();
            witness.sync();
            let seen = [ink[2], ink[1], ink[0]];
            witness.wait_until("the overlay is above its rival", PATIENCE, |w| w.pixel(50, 50) == seen);
            witness.wait_until("the rival is seen through the clear cells", PATIENCE, |w| {
                w.pixel(60, 50) == [255; 3]
            });
        }
        // Control: with one pulse the rival stays above.
        let mut config = crate::rig::config(x.display());
        config.overlay_pulses = 1;
        let mut single = X11Desktop::connect(config).unwrap();
        desktop.overlay(None).unwrap();
        single.overlay(Some(&checkered(48, 48, 64, 64))).unwrap();
        witness.conn().configure_window(rival, &raise).unwrap();
        witness.sync();
        witness.wait_until("the rival is above a single pulse", PATIENCE, |w| w.pixel(50, 50) == [255; 3]);
        // A second pulse would have come by then, and would have put it below for good.
        let _time_passes = before(Duration::from_millis(250), || None::<()>);
        witness.wait_until(&format!("{which}: the rival is still above"), PATIENCE, |w| {
            w.pixel(50, 50) == [255; 3]
        });
    });
}

#[test]
fn our_own_damage_is_left_out() {
    let Some(x) = Xvfb::with(SIZE.width, SIZE.height, &[]) else { return };
    let mut witness = Witness::connect(x.display());
    ground(&mut witness);
    let mut desktop = eyes(x.display());
    let first = desktop.damage_since(None).unwrap();
    assert_eq!(first.areas, Some(vec![]));
    let none = desktop.damage_since(Some(first.mark)).unwrap();
    assert_eq!(none.areas, Some(vec![]), "nothing happened");
    // Ours, shown, changed, moved, hidden, taken away: nothing changed.
    for overlay in [
        Some(checkered(10, 10, 100, 100)),
        Some(painted(10, 10, 100, 100, [1, 2, 3])),
        Some(checkered(300, 300, 90, 90)),
        None,
    ] {
        desktop.overlay(overlay.as_ref()).unwrap();
        let hidden = CaptureRequest { overlay: OverlayInCapture::Hidden, ..all() };
        capture(&mut desktop, &hidden);
    }
    assert_eq!(desktop.damage_since(Some(first.mark)).unwrap().areas, Some(vec![]), "our own");
    // Somebody else's, beside ours and at the same time.
    desktop.overlay(Some(&checkered(10, 10, 100, 100))).unwrap();
    let mark = desktop.damage_since(None).unwrap().mark;
    witness.open(400, 100, 50, 40);
    witness.wait_until("the window is drawn", PATIENCE, |w| w.pixel(420, 120) == [0x30, 0x60, 0x90]);
    desktop.overlay(Some(&checkered(10, 10, 100, 90))).unwrap();
    let damage = desktop.damage_since(Some(mark)).unwrap();
    let areas = damage.areas.unwrap();
    let whole = areas.iter().fold(ScreenRect::new(0, 0, 0, 0), |all, a| all.union(a));
    assert_eq!(whole, ScreenRect::new(400, 100, 50, 40), "{areas:?}");
    assert_eq!(desktop.damage_since(Some(damage.mark)).unwrap().areas, Some(vec![]));
    // A mark of another connection may mean anything.
    let mut other = eyes(x.display());
    other.damage_since(None).unwrap();
    assert_eq!(other.damage_since(Some(mark)).unwrap().areas, None);
}

#[test]
fn a_thousand_overlays_leave_nothing_behind() {
    if !alone("xvfb_overlay::a_thousand_overlays_leave_nothing_behind") {
        return;
    }
    let Some(x) = Xvfb::with(SIZE.width, SIZE.height, &[]) else { return };
    let witness = Witness::connect(x.display());
    let mut desktop = eyes(x.display());
    let mut show = |n: i32| {
        desktop.overlay(Some(&checkered(n % 300, n % 200, 64, 64))).unwrap();
        if n % 7 == 0 {
            desktop.overlay(None).unwrap();
        }
    };
    (0..20).for_each(&mut show);
    let before = (handles(), resources(&witness));
    (0..1000).for_each(&mut show);
    desktop.overlay(None).unwrap();
    desktop.overlay(Some(&checkered(1, 1, 64, 64))).unwrap();
    assert_eq!((handles(), resources(&witness)), before);
}
