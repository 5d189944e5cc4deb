//! What the eyes see over VNC is what the X server has: each encoding, changes, copies, resizes, the pointer.

use crate::rig::{all, bgr, colours, region};
use crate::vnc_rig::{assert_sees_the_truth, eyes_only, paint, picture, repaint, target};
use handsight_base::port::desktop::{CaptureRequest, Desktop as _, DesktopError};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use handsight_desktop::vnc::{Encoding, VncDesktop};
use handsight_testkit::need::need;
use handsight_testkit::vnc_server::{Kind, VncServer};
use handsight_testkit::wait::{PATIENCE, until};
use handsight_testkit::witness::Witness;
use x11rb::protocol::xproto::{ConfigureWindowAux, ConnectionExt as _};

/// A server with a witness behind it; the pointer is in a corner and has no shape there.
fn rig(kind: Kind) -> Option<(VncServer, Witness)> {
    let server = VncServer::start(kind).filter(|_| need("xsetroot", "x11-xserver-utils"))?;
    let blank = server.x.home().join("blank.xbm");
    let bits = "#define b_width 8\n#define b_height 1\n#define b_x_hot 0\n#define b_y_hot 0\n\
                static unsigned char b_bits[] = {\n0x00};\n";
    std::fs::write(&blank, bits).unwrap();
    let blank = blank.to_str().unwrap();
    // A pointer without a shape: TigerVNC draws it into the screen for who does not move it.
    server.x.run("xsetroot", &["-solid", "#305070", "-cursor", blank, blank]);
    let witness = Witness::connect(server.x.display());
    Some((server, witness))
}

fn encodings() -> Vec<Vec<Encoding>> {
    use Encoding::{CopyRect, Hextile, Raw, Tight, Zrle};
    vec![vec![Raw], vec![Hextile], vec![Zrle], vec![Tight], vec![CopyRect, Tight, Zrle, Hextile, Raw]]
}

fn every_encoding_shows_the_truth(kind: Kind) {
    let Some((server, witness)) = rig(kind) else { return };
    let size = (900, 500);
    let window = paint(&witness, (150, 100), size, 1);
    for (n, encodings) in encodings().into_iter().enumerate() {
        let what = format!("{kind:?} {encodings:?}");
        let mut target = target(&server);
        target.encodings = Some(encodings);
        let mut desktop = VncDesktop::connect(eyes_only(target)).expect("it connects");
        assert_sees_the_truth(&mut desktop, &witness, &what);
        for change in 0..3 {
            repaint(&witness, window, size, 10 * n as u32 + change + 2);
            assert_sees_the_truth(&mut desktop, &witness, &format!("{what}, change {change}"));
            // What moves is what CopyRect is for.
            let to = ConfigureWindowAux::new().x(100 + 40 * change as i32).y(60 + 30 * change as i32);
            witness.conn().configure_window(window, &to).unwrap();
            witness.sync();
            assert_sees_the_truth(&mut desktop, &witness, &format!("{what}, moved {change}"));
        }
    }
}

#[test]
fn tigervnc_shows_the_truth_in_every_encoding() {
    every_encoding_shows_the_truth(Kind::Tiger);
}

#[test]
fn x11vnc_shows_the_truth_in_every_encoding() {
    every_encoding_shows_the_truth(Kind::X11vnc);
}

#[test]
fn a_region_is_cut_out_and_what_is_outside_is_refused() {
    let Some((server, witness)) = rig(Kind::Tiger) else { return };
    paint(&witness, (0, 0), (640, 400), 3);
    let mut desktop = VncDesktop::connect(eyes_only(target(&server))).unwrap();
    assert_sees_the_truth(&mut desktop, &witness, "all");
    let part = picture(&mut desktop, &region(123, 77, 301, 55));
    assert_eq!(bgr(&part), colours(&witness.pixels(123, 77, 301, 55)));
    assert_eq!(part.geometry.origin, ScreenPx::new(123, 77));
    let cut = picture(&mut desktop, &region(1200, 700, 500, 500));
    assert_eq!(cut.size(), Size::new(80, 20));
    let outside = desktop.capture(&region(1280, 0, 10, 10)).unwrap_err();
    assert!(matches!(outside, DesktopError::Capture { .. }), "{outside}");
    let window = CaptureRequest { shown: handsight_base::flow::frame::Shown::Window(1), ..all() };
    assert!(matches!(desktop.capture(&window), Err(DesktopError::Unsupported { .. })));
    assert!(matches!(desktop.windows(), Err(DesktopError::Unsupported { what, .. }) if what == "windows"));
}

#[test]
fn a_frame_stays_what_it_was_and_an_idle_screen_costs_no_copy() {
    let Some((server, witness)) = rig(Kind::Tiger) else { return };
    let window = paint(&witness, (0, 0), (640, 400), 3);
    let mut desktop = VncDesktop::connect(eyes_only(target(&server))).unwrap();
    assert_sees_the_truth(&mut desktop, &witness, "before");
    let (first, second) = (picture(&mut desktop, &all()), picture(&mut desktop, &all()));
    assert_eq!(
        first.view().data().as_ptr(),
        second.view().data().as_ptr(),
        "nothing changed, nothing is copied"
    );
    let before = bgr(&first);
    repaint(&witness, window, (640, 400), 4);
    assert_sees_the_truth(&mut desktop, &witness, "after");
    assert!(bgr(&first) == before, "a frame that is held does not change");
}

#[test]
fn updates_are_the_damage() {
    for kind in Kind::ALL {
        let Some((server, witness)) = rig(kind) else { return };
        let window = paint(&witness, (200, 150), (64, 32), 5);
        let mut desktop = VncDesktop::connect(eyes_only(target(&server))).unwrap();
        assert_sees_the_truth(&mut desktop, &witness, "before");
        until("the server rests", PATIENCE, || {
            let mark = desktop.damage_since(None).unwrap().mark;
            let quiet = (0..5).all(|_| desktop.damage_since(Some(mark)).unwrap().areas == Some(vec![]));
            quiet.then_some(())
        });
        let mark = desktop.damage_since(None).unwrap().mark;
        repaint(&witness, window, (64, 32), 6);
        let changed = until("the change is told", PATIENCE, || {
            let areas = desktop.damage_since(Some(mark)).unwrap().areas.expect("the mark is known");
            let around = areas.iter().fold(ScreenRect::new(0, 0, 0, 0), |a, b| a.union(b));
            (!areas.is_empty()).then_some(around)
        });
        // x11vnc tells tiles of 32 pixels.
        let most = ScreenRect::new(128, 96, 64 + 136, 32 + 108);
        assert!(most.union(&changed) == most, "{kind:?}: {changed}");
        let window = ScreenRect::new(200, 150, 64, 32);
        assert!(changed.intersect(&window).is_some(), "{kind:?}: {changed}");
    }
}

#[test]
fn a_resized_screen_is_followed() {
    let Some((server, witness)) = rig(Kind::Tiger) else { return };
    if !need("xrandr", "x11-xserver-utils") {
        return;
    }
    let mut desktop = VncDesktop::connect(eyes_only(target(&server))).unwrap();
    paint(&witness, (10, 10), (500, 300), 7);
    assert_sees_the_truth(&mut desktop, &witness, "before");
    for (width, height) in [(1024, 768), (1920, 1080), (800, 600), (1280, 720)] {
        server.x.run("xrandr", &["-s", &format!("{width}x{height}")]);
        until("the new size is seen", PATIENCE, || {
            let size = picture(&mut desktop, &all()).size();
            (size == Size::new(width, height)).then_some(())
        });
        assert_sees_the_truth(&mut desktop, &witness, "after a resize");
        let displays = desktop.displays().unwrap();
        assert_eq!((displays.len(), displays[0].area), (1, ScreenRect::new(0, 0, width, height)));
    }
}

#[test]
fn the_pointer_is_in_the_picture() {
    for kind in Kind::ALL {
        let Some((server, witness)) = rig(kind) else { return };
        server.x.run("xsetroot", &["-cursor_name", "left_ptr"]);
        let mut desktop = VncDesktop::connect(eyes_only(target(&server))).unwrap();
        witness.go_to(400, 300);
        let request = CaptureRequest { cursor: true, ..region(390, 290, 40, 40) };
        until("the pointer is seen where it is", PATIENCE, || {
            let frame = picture(&mut desktop, &request);
            let drawn = bgr(&frame).chunks(3).filter(|c| *c != [0x70, 0x50, 0x30]).count();
            (drawn > 20).then_some(())
        });
        // TigerVNC draws it, and does not say where somebody else has moved it.
        if kind == Kind::X11vnc {
            assert_eq!(desktop.pointer().unwrap(), Some(ScreenPx::new(400, 300)));
        }
    }
}
