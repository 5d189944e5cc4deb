//! What the tests over VNC share: servers, desktops at them, and pictures to compare.

use crate::hands_rig::child;
use crate::rig::{all, bgr, colours};
use handsight_base::flow::frame::Frame;
use handsight_base::port::clock::RealClock;
use handsight_base::port::desktop::{CaptureRequest, Desktop as _};
use handsight_desktop::hands::{Hands, HandsConfig, Screen};
use handsight_desktop::vnc::{Target, VncConfig, VncConnector, VncDesktop};
use handsight_testkit::vnc_server::{PASSWORD, VncServer};
use handsight_testkit::wait::{PATIENCE, before};
use handsight_testkit::witness::Witness;
use std::path::Path;
use std::sync::Arc;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateGCAux, CreateWindowAux, ImageFormat, WindowClass};
use x11rb::wrapper::ConnectionExt as _;

/// The server, with the right password.
pub(crate) fn target(server: &VncServer) -> Target {
    target_at(&server.address())
}

pub(crate) fn target_at(address: &str) -> Target {
    let mut target = Target::new(address.parse().expect("an address"));
    target.password = Some(PASSWORD.to_owned());
    target
}

pub(crate) fn eyes_only(target: Target) -> VncConfig {
    VncConfig { target, hands: None, clock: Arc::new(RealClock::new()) }
}

pub(crate) fn hands_config(target: Target, state: &Path) -> HandsConfig {
    HandsConfig::new(child("hands_rig::supervisor"), Screen::Vnc(Box::new(target)), state)
}

/// Eyes and hands, with their state in the server's home.
pub(crate) fn with_hands(server: &VncServer) -> VncConfig {
    let target = target(server);
    let hands = hands_config(target.clone(), &server.x.home().join("state"));
    VncConfig { hands: Some(hands), ..eyes_only(target) }
}

#[track_caller]
pub(crate) fn desktop(server: &VncServer) -> VncDesktop {
    VncConnector::new(with_hands(server)).connect().expect("the desktop connects")
}

#[track_caller]
pub(crate) fn hands(server: &VncServer) -> Hands {
    Hands::spawn(hands_config(target(server), &server.x.home().join("state"))).expect("the hands start")
}

#[track_caller]
pub(crate) fn picture(desktop: &mut VncDesktop, request: &CaptureRequest) -> Frame {
    desktop.capture(request).expect("a picture")
}

/// Waits until what the desktop sees is what the X server has, pixel by pixel; the pointer is out of the way.
#[track_caller]
pub(crate) fn assert_sees_the_truth(desktop: &mut VncDesktop, witness: &Witness, what: &str) {
    let mut last = String::new();
    let equal = before(PATIENCE, || {
        let frame = picture(desktop, &all());
        let size = frame.size();
        let truth = colours(&witness.pixels(0, 0, size.width as u16, size.height as u16));
        let seen = bgr(&frame);
        let wrong = seen.chunks(3).zip(truth.chunks(3)).enumerate().filter(|(_, (a, b))| a != b);
        let wrong: Vec<usize> = wrong.map(|(i, _)| i).collect();
        last = format!(
            "{} of {} pixels are wrong, the first at {:?}",
            wrong.len(),
            seen.len() / 3,
            wrong.first().map(|i| (i % size.width as usize, i / size.width as usize))
        );
        (wrong.is_empty() && seen.len() == truth.len()).then_some(())
    });
    assert!(equal.is_some(), "{what}: {last}");
}

/// A window full of what encodings find easy and hard: flat parts, two colours, few colours, a ramp, noise. Different for each
/// `seed`.
pub(crate) fn paint(witness: &Witness, (x, y): (i16, i16), (width, height): (u16, u16), seed: u32) -> u32 {
    let conn = witness.conn();
    let window = conn.generate_id().unwrap();
    let aux = CreateWindowAux::new().override_redirect(1);
    let class = WindowClass::INPUT_OUTPUT;
    conn.create_window(0, window, witness.root(), x, y, width, height, 0, class, 0, &aux).unwrap();
    conn.map_window(window).unwrap();
    repaint(witness, window, (width, height), seed);
    window
}

pub(crate) fn repaint(witness: &Witness, window: u32, (width, height): (u16, u16), seed: u32) {
    let conn = witness.conn();
    let gc = conn.generate_id().unwrap();
    conn.create_gc(gc, window, &CreateGCAux::new()).unwrap();
    let mut noise = seed.wrapping_mul(0x9e37_79b9) | 1;
    for row in 0..height {
        let mut line = Vec::with_capacity(usize::from(width) * 4);
        for column in 0..width {
            noise ^= noise << 13;
            noise ^= noise >> 17;
            noise ^= noise << 5;
            let (c, r) = (u32::from(column), u32::from(row));
            let pixel = match (r / 48 + c / 96 + seed) % 6 {
                0 => 0x0020_4060 + seed,
                1 => {
                    if noise & 7 == 0 {
                        0x00ff_ffff
                    } else {
                        0
                    }
                }
                2 => [0x00ff_0000, 0x0000_ff00, 0x0000_00ff, 0x0012_3456, 0x00fe_dcba][(noise % 5) as usize],
                3 => (c & 255) << 16 | (r & 255) << 8 | ((c + r) & 255),
                4 => noise & 0x00ff_ffff,
                _ => 0x0010_0000 * (noise % 11) + 0x33,
            };
            line.extend(pixel.to_le_bytes());
        }
        conn.put_image(ImageFormat::Z_PIXMAP, window, gc, width, 1, 0, row as i16, 0, 24, &line).unwrap();
    }
    conn.sync().unwrap();
}
