//! Captures on real servers against an independent `GetImage`.

use crate::rig::{all, alone, bgr, capture, colours, config, eyes, handles, region, window};
use handsight_base::flow::frame::Shown;
use handsight_base::port::desktop::{CaptureRequest, Desktop, DesktopError, DesktopFault};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use handsight_desktop::x11::X11Desktop;
use handsight_testkit::need::need;
use handsight_testkit::wait::{PATIENCE, until};
use handsight_testkit::witness::Witness;
use handsight_testkit::xvfb::Xvfb;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConfigureWindowAux, ConnectionExt, CreateGCAux, ImageFormat, PixmapWrapper,
};
use x11rb::wrapper::ConnectionExt as _;

/// Paints the root with a pattern in which every pixel of a row and every row differs.
fn paint(witness: &Witness, width: u16, height: u16) {
    let conn = witness.conn();
    let pixmap = PixmapWrapper::create_pixmap(conn, 24, witness.root(), width, height).unwrap();
    let gc = conn.generate_id().unwrap();
    conn.create_gc(gc, pixmap.pixmap(), &CreateGCAux::new()).unwrap();
    for y in 0..height {
        let row: Vec<u8> = (0..width)
            .flat_map(|x| {
                let v = u32::from(x).wrapping_mul(2_654_435_761) ^ u32::from(y).wrapping_mul(40_503);
                [v as u8, (v >> 8) as u8, (v >> 16) as u8, 0]
            })
            .collect();
        conn.put_image(ImageFormat::Z_PIXMAP, pixmap.pixmap(), gc, width, 1, 0, y as i16, 0, 24, &row)
            .unwrap();
    }
    let picture = ChangeWindowAttributesAux::new().background_pixmap(pixmap.pixmap());
    conn.change_window_attributes(witness.root(), &picture).unwrap();
    conn.clear_area(false, witness.root(), 0, 0, 0, 0).unwrap();
    conn.free_gc(gc).unwrap();
    conn.sync().unwrap();
}

// spec: S-08 XVFB
#[test]
fn a_capture_is_the_screen_pixel_by_pixel() {
    let Some(x) = Xvfb::with(1920, 1080, &[]) else { return };
    let witness = Witness::connect(x.display());
    paint(&witness, 1920, 1080);
    let mut desktop = eyes(x.display());
    let frame = capture(&mut desktop, &all());
    assert_eq!((frame.size(), frame.geometry.origin), (Size::new(1920, 1080), ScreenPx::new(0, 0)));
    assert_eq!(frame.view().data().len() as u64, 1920 * 1080 * 4, "the raw 32-bit buffer, 8.3 MB");
    assert!(bgr(&frame) == colours(&witness.pixels(0, 0, 1920, 1080)), "the pictures differ");
    // Any part, at odd places and sizes, out of the same segments.
    for (px, py, width, height) in [(0, 0, 1, 1), (1919, 1079, 1, 1), (7, 13, 333, 77), (1, 0, 1919, 1080)] {
        let part = capture(&mut desktop, &region(px, py, width, height));
        assert_eq!(part.geometry.origin, ScreenPx::new(px, py));
        let seen = witness.pixels(px as i16, py as i16, width as u16, height as u16);
        assert!(bgr(&part) == colours(&seen), "{width}x{height} at {px}, {py} differs");
    }
    // What hangs over is cut, what lies outside is refused.
    let cut = capture(&mut desktop, &region(1900, -5, 100, 10));
    assert_eq!((cut.size(), cut.geometry.origin), (Size::new(20, 5), ScreenPx::new(1900, 0)));
    let outside = desktop.capture(&region(1920, 0, 10, 10)).unwrap_err();
    assert!(matches!(&outside, DesktopError::Capture { why, .. } if why.contains("outside")), "{outside}");
}

#[test]
fn without_shared_memory_the_picture_is_the_same() {
    let Some(x) = Xvfb::with(320, 240, &["-extension", "MIT-SHM"]) else { return };
    let witness = Witness::connect(x.display());
    paint(&witness, 320, 240);
    let mut desktop = eyes(x.display());
    let frame = capture(&mut desktop, &CaptureRequest { cursor: true, ..all() });
    assert!(frame.cursor);
    let plain = capture(&mut desktop, &all());
    assert!(bgr(&plain) == colours(&witness.pixels(0, 0, 320, 240)), "the pictures differ");
    assert!(bgr(&plain) != bgr(&frame), "the pointer is in one of them");
}

/// Frames share nothing: a held one does not change when the screen does.
#[test]
fn a_held_frame_stays_what_it_was() {
    if !alone("xvfb_capture::a_held_frame_stays_what_it_was") {
        return;
    }
    let Some(x) = Xvfb::with(640, 480, &[]) else { return };
    let mut witness = Witness::connect(x.display());
    let mut desktop = eyes(x.display());
    let mut held = Vec::new();
    for n in 0..5i16 {
        let id = witness.open(n * 100, 10, 50, 50);
        until("the window is drawn", PATIENCE, || {
            (witness.pixel(n * 100 + 5, 15) == [0x30, 0x60, 0x90]).then_some(id)
        });
        held.push((capture(&mut desktop, &all()), witness.pixels(0, 0, 640, 480)));
    }
    for (n, (frame, seen)) in held.iter().enumerate() {
        assert!(bgr(frame) == colours(seen), "frame {n} changed");
    }
    // In steady state two segments are enough, however many were held.
    drop(held);
    let _frame = capture(&mut desktop, &all());
    let (_, shared) = handles();
    assert_eq!(shared, 2);
}

// spec: S-08 XVFB
#[test]
fn the_pointer_is_blended_in_at_its_hot_spot() {
    let Some(x) = Xvfb::with(640, 480, &[]) else { return };
    let witness = Witness::connect(x.display());
    paint(&witness, 640, 480);
    let conn = witness.conn();
    // A shape of our own: 8x8 red with a white pixel as its hot spot, at (2, 5).
    let (width, height, hot) = (8u16, 8u16, (2u16, 5u16));
    let cursor = sprite(&witness, width, height, hot);
    conn.change_window_attributes(witness.root(), &ChangeWindowAttributesAux::new().cursor(cursor)).unwrap();
    let mut desktop = eyes(x.display());
    let with = CaptureRequest { cursor: true, ..all() };
    for (px, py) in [(100, 100), (0, 0), (639, 479), (1, 478)] {
        witness.go_to(px, py);
        until("the pointer is there", PATIENCE, || {
            (desktop.pointer().unwrap() == Some(ScreenPx::new(px.into(), py.into()))).then_some(())
        });
        let bare = colours(&witness.pixels(0, 0, 640, 480));
        let frame = capture(&mut desktop, &with);
        assert!(frame.cursor);
        let at = ScreenRect::new(
            i32::from(px) - i32::from(hot.0),
            i32::from(py) - i32::from(hot.1),
            width.into(),
            height.into(),
        );
        for row in 0..480u32 {
            for column in 0..640u32 {
                let here = ScreenPx::new(column as i32, row as i32);
                let i = (row as usize * 640 + column as usize) * 3;
                let wanted = match (at.contains(here), here == ScreenPx::new(px.into(), py.into())) {
                    (true, true) => [255, 255, 255],
                    (true, false) => [0, 0, 255],
                    (false, _) => [bare[i], bare[i + 1], bare[i + 2]],
                };
                assert_eq!(frame.view().bgr(column, row), Some(wanted), "at {here}, pointer at {px}, {py}");
            }
        }
        // A settle probe is without it, and so is a part of the screen where it is not.
        assert!(bgr(&capture(&mut desktop, &all())) == bare);
    }
    witness.go_to(600, 400);
    let elsewhere = CaptureRequest { cursor: true, ..region(0, 0, 100, 100) };
    assert!(!capture(&mut desktop, &elsewhere).cursor);
}

/// A cursor of one colour by RENDER, which takes ARGB shapes.
fn sprite(witness: &Witness, width: u16, height: u16, hot: (u16, u16)) -> u32 {
    use x11rb::protocol::render::{ConnectionExt as _, CreatePictureAux, PictType};
    let conn = witness.conn();
    let formats = conn.render_query_pict_formats().unwrap().reply().unwrap().formats;
    let argb = formats
        .iter()
        .find(|f| {
            f.type_ == PictType::DIRECT
                && f.depth == 32
                && f.direct.alpha_mask == 255
                && f.direct.red_shift == 16
        })
        .expect("an ARGB format");
    let pixmap = PixmapWrapper::create_pixmap(conn, 32, witness.root(), width, height).unwrap();
    let gc = conn.generate_id().unwrap();
    conn.create_gc(gc, pixmap.pixmap(), &CreateGCAux::new()).unwrap();
    let data: Vec<u8> = (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .flat_map(|at| if at == hot { [255, 255, 255, 255] } else { [0, 0, 255, 255] })
        .collect();
    conn.put_image(ImageFormat::Z_PIXMAP, pixmap.pixmap(), gc, width, height, 0, 0, 0, 32, &data).unwrap();
    let picture = conn.generate_id().unwrap();
    conn.render_create_picture(picture, pixmap.pixmap(), argb.id, &CreatePictureAux::new()).unwrap();
    let cursor = conn.generate_id().unwrap();
    conn.render_create_cursor(cursor, picture, hot.0, hot.1).unwrap();
    conn.sync().unwrap();
    cursor
}

#[test]
fn a_window_is_captured_where_it_is_now() {
    let Some(x) = Xvfb::with(640, 480, &[]) else { return };
    let mut witness = Witness::connect(x.display());
    paint(&witness, 640, 480);
    let id = witness.open(20, 30, 100, 80);
    let mut desktop = eyes(x.display());
    let seen = |witness: &mut Witness, x: i32, y: i32| {
        witness.wait_until("the window is drawn there", PATIENCE, |w| {
            w.pixel(x as i16, y as i16) == [0x30, 0x60, 0x90]
        });
    };
    seen(&mut witness, 25, 35);
    let frame = capture(&mut desktop, &window(id.into()));
    assert_eq!((frame.geometry.origin, frame.size()), (ScreenPx::new(20, 30), Size::new(100, 80)));
    assert_eq!(frame.shown, Shown::Window(id.into()));
    // Moved and resized between two captures, partly off the screen: what is left of it, and where that is.
    let aux = ConfigureWindowAux::new().x(580).y(-20).width(90).height(70);
    witness.conn().configure_window(id, &aux).unwrap();
    seen(&mut witness, 600, 10);
    let frame = capture(&mut desktop, &window(id.into()));
    assert_eq!((frame.geometry.origin, frame.size()), (ScreenPx::new(580, 0), Size::new(60, 50)));
    assert!(bgr(&frame) == colours(&witness.pixels(580, 0, 60, 50)));
    // What lies over it is seen, as a person sees it.
    let over = witness.open(590, 0, 20, 20);
    witness
        .conn()
        .change_window_attributes(over, &ChangeWindowAttributesAux::new().background_pixel(0xff_ffff))
        .unwrap();
    witness.conn().clear_area(false, over, 0, 0, 0, 0).unwrap();
    witness.wait_until("the other window is drawn", PATIENCE, |w| w.pixel(595, 5) == [255; 3]);
    assert_eq!(capture(&mut desktop, &window(id.into())).view().bgr(15, 5), Some([255; 3]));
    // Hidden, and gone.
    witness.conn().unmap_window(id).unwrap();
    witness.sync();
    let hidden = desktop.capture(&window(id.into())).unwrap_err();
    assert!(matches!(hidden, DesktopError::TargetHidden { .. }), "{hidden}");
    witness.conn().destroy_window(id).unwrap();
    witness.sync();
    let gone = desktop.capture(&window(id.into())).unwrap_err();
    assert!(matches!(gone, DesktopError::TargetGone { .. }), "{gone}");
    assert_eq!((hidden.fault(), gone.fault()), (DesktopFault::Target, DesktopFault::Target));
}

// spec: S-07 S-100 XVFB
#[test]
fn any_display_or_all_of_them() {
    let Some(x) = Xvfb::with(1280, 720, &[]) else { return };
    if !need("xrandr", "x11-xserver-utils") {
        return;
    }
    let witness = Witness::connect(x.display());
    paint(&witness, 1280, 720);
    let mut desktop = eyes(x.display());
    let one = desktop.displays().unwrap();
    assert_eq!(one.len(), 1);
    assert_eq!((one[0].area, one[0].primary), (ScreenRect::new(0, 0, 1280, 720), true));
    x.run("xrandr", &["--setmonitor", "*B", "480/120x720/180+800+0", "screen"]);
    x.run("xrandr", &["--setmonitor", "A", "800/200x600/150+0+100", "none"]);
    let two = desktop.displays().unwrap();
    let listed: Vec<_> = two.iter().map(|d| (d.name.as_str(), d.primary, d.area)).collect();
    let (a, b) = (ScreenRect::new(0, 100, 800, 600), ScreenRect::new(800, 0, 480, 720));
    assert_eq!(listed, [("B", true, b), ("A", false, a)], "the primary first");
    for (name, area) in [("A", a), ("B", b)] {
        let frame = capture(&mut desktop, &CaptureRequest { shown: Shown::Display(name.into()), ..all() });
        assert_eq!((frame.geometry.origin, frame.size()), (area.origin, area.size));
        let seen = witness.pixels(
            area.origin.x as i16,
            area.origin.y as i16,
            area.size.width as u16,
            area.size.height as u16,
        );
        assert!(bgr(&frame) == colours(&seen), "display {name} differs");
    }
    let frame = capture(&mut desktop, &all());
    assert_eq!((frame.geometry.origin, frame.size()), (ScreenPx::new(0, 0), Size::new(1280, 720)));
    x.run("xrandr", &["--delmonitor", "A"]);
    let gone = desktop.capture(&CaptureRequest { shown: Shown::Display("A".into()), ..all() }).unwrap_err();
    assert_eq!(gone.to_string(), "there is no display \"A\"; there are: B");
}

// spec: S-84 XVFB
#[test]
fn a_thousand_failing_captures_leave_nothing_open() {
    if !alone("xvfb_capture::a_thousand_failing_captures_leave_nothing_open") {
        return;
    }
    let Some(x) = Xvfb::with(640, 480, &[]) else { return };
    let witness = Witness::connect(x.display());
    let mut desktop = eyes(x.display());
    let _warm = capture(&mut desktop, &all());
    let before = handles();
    for n in 0..1000u64 {
        let request = match n % 3 {
            0 => window(0x00de_adbe + n),
            1 => CaptureRequest { shown: Shown::Display("nowhere".into()), ..all() },
            _ => region(10_000, 10_000, 5, 5),
        };
        assert!(desktop.capture(&request).is_err());
    }
    assert_eq!(handles(), before);
    // And the desktop still sees.
    let frame = capture(&mut desktop, &all());
    assert!(bgr(&frame) == colours(&witness.pixels(0, 0, 640, 480)));
}

#[test]
fn what_cannot_be_worked_on_is_refused_with_a_remedy() {
    let unusable = |display: Option<&str>| {
        let mut config = config("");
        config.display = display.map(str::to_owned);
        match X11Desktop::connect(config) {
            Err(DesktopError::Unusable { why, remedy }) => {
                assert!(remedy.len() > 10, "{remedy}");
                format!("{why}. {remedy}")
            }
            other => panic!("{display:?}: {other:?}"),
        }
    };
    assert!(unusable(None).contains("DISPLAY is not set"));
    assert!(unusable(Some("")).contains("DISPLAY is not set"));
    assert!(unusable(Some("nonsense")).contains("\"nonsense\" is no X display name"));
    for odd in ["/tmp/.X11-unix/X0", "unix:/tmp/.X11-unix/X0", ":65535", ":-1", "99", ":1/../0"] {
        assert!(unusable(Some(odd)).contains("is no X display name"), "{odd}");
    }
    let nobody = unusable(Some(":4999"));
    assert!(nobody.contains("no X server answers at :4999") && nobody.contains("Xvfb :4999"), "{nobody}");
    let Some(x) = Xvfb::with(64, 48, &[]) else { return };
    assert!(unusable(Some(&format!("{}.7", x.display()))).contains("no such screen"));
    let Some(shallow) = Xvfb::with(64, 48, &["-screen", "0", "64x48x16"]) else { return };
    assert!(unusable(Some(shallow.display())).contains("16 bits of colour"));
}

#[test]
fn a_server_that_dies_is_a_lost_desktop() {
    let Some(mut x) = Xvfb::with(320, 240, &[]) else { return };
    let mut desktop = eyes(x.display());
    let held = capture(&mut desktop, &all());
    x.kill();
    for _ in 0..3 {
        let lost = desktop.capture(&all()).unwrap_err();
        assert!(matches!(lost, DesktopError::Lost { .. }), "{lost}");
        assert_eq!(lost.fault(), DesktopFault::Retry);
    }
    assert!(matches!(desktop.windows(), Err(DesktopError::Lost { .. })));
    drop(desktop);
    assert_eq!(held.view().row(239).len(), 320 * 4, "a frame outlives its desktop");
}
