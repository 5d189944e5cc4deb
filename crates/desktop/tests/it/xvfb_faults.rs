//! What the server refuses, and that nothing is left behind when it does.

use crate::fault_proxy::{Fault, FaultProxy, core};
use crate::rig::{all, alone, bgr, capture, colours, config, eyes, handles};
use handsight_base::port::desktop::{CaptureRequest, Desktop, DesktopError, DesktopFault, Overlay};
use handsight_base::space::ScreenRect;
use handsight_desktop::hands::{HandsConfig, Screen};
use handsight_desktop::x11::X11Desktop;
use handsight_testkit::need::need;
use handsight_testkit::wait::{PATIENCE, until};
use handsight_testkit::witness::Witness;
use handsight_testkit::xvfb::Xvfb;
use std::sync::Arc;
use x11rb::connection::RequestConnection as _;
use x11rb::protocol::res::ConnectionExt as _;
use x11rb::protocol::shm;

const BAD_DRAWABLE: i64 = 9;

fn shm_opcode(witness: &Witness) -> u8 {
    witness.conn().extension_information(shm::X11_EXTENSION_NAME).unwrap().unwrap().major_opcode
}

/// How many resources all clients of the display have, by X-Resource.
pub(crate) fn resources(witness: &Witness) -> u32 {
    witness.sync();
    let clients = witness.conn().res_query_clients().unwrap().reply().unwrap().clients;
    let count = |base: u32| -> u32 {
        let types = witness.conn().res_query_client_resources(base).unwrap().reply();
        types.map_or(0, |r| r.types.iter().map(|t| t.count).sum())
    };
    clients.iter().map(|c| count(c.resource_base)).sum()
}

// spec: S-84 XVFB
#[test]
fn captures_that_the_server_refuses_leave_nothing_open() {
    if !alone("xvfb_faults::captures_that_the_server_refuses_leave_nothing_open") {
        return;
    }
    let Some(x) = Xvfb::with(320, 240, &[]) else { return };
    let witness = Witness::connect(x.display());
    let door = FaultProxy::before(x.display());
    let mut desktop = eyes(door.display());
    let frame = capture(&mut desktop, &all());
    assert!(bgr(&frame) == colours(&witness.pixels(0, 0, 320, 240)));
    drop(frame);
    let before = (handles(), resources(&witness));
    assert_eq!(before.0.1, 1, "one segment, by key: file descriptors do not get through");
    door.break_every(Fault { major: shm_opcode(&witness), minor: Some(4), at: 4 });
    for n in 0..1000 {
        let refused = desktop.capture(&CaptureRequest { cursor: n % 2 == 0, ..all() }).unwrap_err();
        match &refused {
            DesktopError::Capture { why, code } => {
                assert_eq!(*code, Some(BAD_DRAWABLE), "{why}");
                assert!(why.contains("0xdeadbeef"), "{why}");
            }
            other => panic!("{other}"),
        }
        assert_eq!(refused.fault(), DesktopFault::Fatal);
    }
    assert_eq!(door.mend(), 1000, "each capture met the fault");
    assert_eq!((handles(), resources(&witness)), before);
    let frame = capture(&mut desktop, &all());
    assert!(bgr(&frame) == colours(&witness.pixels(0, 0, 320, 240)), "it sees again");
}

#[test]
fn a_server_that_takes_no_segment_is_asked_over_the_socket() {
    if !alone("xvfb_faults::a_server_that_takes_no_segment_is_asked_over_the_socket") {
        return;
    }
    let Some(x) = Xvfb::with(320, 240, &[]) else { return };
    let witness = Witness::connect(x.display());
    let door = FaultProxy::before(x.display());
    let mut desktop = eyes(door.display());
    let before = handles();
    // Attach, by key.
    door.break_every(Fault { major: shm_opcode(&witness), minor: Some(1), at: 8 });
    for _ in 0..100 {
        let frame = capture(&mut desktop, &all());
        assert!(bgr(&frame) == colours(&witness.pixels(0, 0, 320, 240)));
    }
    assert_eq!(door.mend(), 1, "tried once");
    assert_eq!(handles(), before);
    door.break_every(core(73, 4));
    for _ in 0..100 {
        let refused = desktop.capture(&all()).unwrap_err();
        assert!(matches!(refused, DesktopError::Capture { code: Some(BAD_DRAWABLE), .. }), "{refused}");
    }
    assert_eq!(handles(), before);
}

fn square(n: u8) -> Overlay {
    Overlay { area: ScreenRect::new(20, 20, 32, 32), bgra: Arc::from([n, 10, 20, 255].repeat(32 * 32)) }
}

// spec: S-85 XVFB
#[test]
fn an_overlay_that_cannot_be_made_or_filled_is_an_error_and_frees_what_it_had() {
    // What is broken, and whether it is making or filling.
    let faults = [
        ("CreateWindow", core(1, 8)),
        ("CreatePixmap", core(53, 8)),
        ("CreateGC", core(55, 8)),
        ("PutImage", core(72, 4)),
        ("ChangeWindowAttributes", core(2, 4)),
        ("MapWindow", core(8, 4)),
        ("CreateColormap", core(78, 12)),
    ];
    for composited in [false, true] {
        let Some(x) = Xvfb::with(320, 240, &[]) else { return };
        let witness = Witness::connect(x.display());
        let _compositor = if composited {
            if !need("picom", "picom") {
                return;
            }
            let picom = x.program("picom", &["--backend", "xrender", "--config", "/dev/null"]);
            until("the compositor took over", PATIENCE, || witness.selection_owner("_NET_WM_CM_S0"));
            Some(picom)
        } else {
            None
        };
        let door = FaultProxy::before(x.display());
        let mut desktop = eyes(door.display());
        // What one that is gone uncovered stays watched until the next picture.
        desktop.overlay(Some(&square(0))).unwrap();
        desktop.overlay(None).unwrap();
        let before = ours(&witness);
        for (name, fault) in faults {
            if name == "CreateColormap" && !composited {
                continue;
            }
            for n in 0..20 {
                // The first fails while it is made, the others while one that stands is filled.
                if n == 10 {
                    door.mend();
                    desktop.overlay(Some(&square(n))).unwrap();
                }
                if n % 10 == 0 {
                    door.break_every(fault);
                }
                let making = matches!(name, "CreateWindow" | "CreateColormap");
                if making && n == 10 {
                    // Nothing is made any more once it stands.
                    door.mend();
                    break;
                }
                let refused = desktop.overlay(Some(&square(n + 100))).unwrap_err();
                match &refused {
                    DesktopError::Overlay { why, code } => {
                        assert!(code.is_some() && why.contains(name), "{name}: {why}");
                    }
                    other => panic!("{name}: {other}"),
                }
                assert_eq!(refused.fault(), DesktopFault::Fatal);
            }
            let hits = door.mend();
            desktop.overlay(None).unwrap();
            // What was freed last goes through the door in its own time.
            let nothing_stays = format!("{name}, composited {composited}, {hits} broken: nothing stays");
            until(&nothing_stays, PATIENCE, || (ours(&witness) == before).then_some(()));
        }
        // And it can be shown after all.
        desktop.overlay(Some(&square(7))).unwrap();
        assert_eq!(capture(&mut desktop, &all()).view().bgr(30, 30), Some([7, 10, 20]));
    }
}

/// The resources of the newest client but the witness: those behind the door.
fn ours(witness: &Witness) -> u32 {
    use x11rb::protocol::xproto::ConnectionExt as _;
    // A compositor's own resources come and go with windows; ours are those of the client that made the overlay.
    let clients = witness.conn().res_query_clients().unwrap().reply().unwrap().clients;
    let newest = clients.iter().map(|c| c.resource_base).max().unwrap();
    witness.conn().get_input_focus().unwrap().reply().unwrap();
    let types = witness.conn().res_query_client_resources(newest).unwrap().reply().unwrap().types;
    types.iter().map(|t| t.count).sum()
}

// spec: S-86 XVFB
#[test]
fn an_overlay_that_cannot_be_raised_is_no_error() {
    let Some(x) = Xvfb::with(320, 240, &[]) else { return };
    let door = FaultProxy::before(x.display());
    let mut desktop = eyes(door.display());
    // ConfigureWindow with the stack mode alone is a raise.
    door.rewrite(|request| {
        let raise = request[0] == 12 && request[8..10] == 0x40_u16.to_ne_bytes();
        if raise {
            request[4..8].copy_from_slice(&0xdead_beef_u32.to_ne_bytes());
        }
        raise
    });
    for n in 1..=10 {
        desktop.overlay(Some(&square(n))).unwrap();
        assert_eq!(capture(&mut desktop, &all()).view().bgr(30, 30), Some([n, 10, 20]), "the run goes on");
    }
    until("the pulses failed too", PATIENCE, || {
        let frame = desktop.capture(&all());
        frame.is_ok().then_some(())
    });
    assert!(door.mend() >= 10, "each rendering was raised");
    assert_eq!(capture(&mut desktop, &all()).view().bgr(30, 30), Some([10, 10, 20]));
}

#[test]
fn xwayland_is_refused_with_the_remedy() {
    let Some(x) = Xvfb::with(64, 48, &["+extension", "XINERAMA"]) else { return };
    let door = FaultProxy::before(x.display());
    // The question for XWAYLAND is answered as the one for another extension that is there.
    door.rewrite(|request| {
        let asked = request[0] == 98 && request.ends_with(b"XWAYLAND");
        if asked {
            let at = request.len() - 8;
            request[at..].copy_from_slice(b"XINERAMA");
        }
        asked
    });
    match X11Desktop::connect(config(door.display())) {
        Err(DesktopError::Unusable { why, remedy }) => {
            assert!(why.contains("Xwayland") && remedy.contains("X11 session"), "{why}. {remedy}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(door.mend(), 1);
    assert!(X11Desktop::connect(config(door.display())).is_ok(), "the same server without that extension");
}

#[test]
fn without_xtest_there_are_no_hands_but_eyes() {
    let Some(x) = Xvfb::with(64, 48, &["-extension", "XTEST"]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(x.display());
    config.hands =
        Some(HandsConfig::new(vec!["/no/such/program".into()], Screen::x11(x.display()), folder.path()));
    match X11Desktop::connect(config.clone()) {
        Err(DesktopError::Unusable { why, remedy }) => {
            assert!(why.contains("XTEST") && remedy.contains("+extension XTEST"), "{why}. {remedy}");
        }
        other => panic!("{other:?}"),
    }
    config.hands = None;
    let mut desktop = X11Desktop::connect(config).unwrap();
    assert!(!desktop.info().capabilities.input);
    capture(&mut desktop, &all());
}
