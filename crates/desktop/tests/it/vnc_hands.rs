//! What the hands do over VNC, seen by an X client behind the server: clicks, keys, text, drags, the wheel, the clipboard.

use crate::hands_rig::{batch, chord, click, click_with, hold, inject, scroll, spot, text, turn};
use crate::rig::{approved, work};
use crate::vnc_rig::{desktop, hands, hands_config, target};
use handsight_base::flow::action::{Action, Button};
use handsight_base::gate::{SetClipboard, Work};
use handsight_base::key::Modifiers;
use handsight_base::port::desktop::{ClipboardContents, Desktop as _, DesktopError};
use handsight_base::space::ScreenPx;
use handsight_base::stop::Stop;
use handsight_desktop::hands::Hands;
use handsight_desktop::vnc::VncDesktop;
use handsight_testkit::apps;
use handsight_testkit::need::need;
use handsight_testkit::program::Program;
use handsight_testkit::vnc_server::{Kind, VncServer};
use handsight_testkit::wait::{PATIENCE, until};
use handsight_testkit::witness::{What, Witness};
use std::io::Write as _;
use std::process::Stdio;

/// A server, and a witness whose window has the focus and covers the screen.
fn rig(kind: Kind) -> Option<(VncServer, Witness)> {
    let server = VncServer::start(kind)?;
    let mut witness = Witness::connect(server.x.display());
    witness.open(0, 0, 1280, 720);
    Some((server, witness))
}

fn pressed(witness: &mut Witness) -> Vec<(What, (i32, i32))> {
    let buttons = |e: &&handsight_testkit::witness::Seen| matches!(e.what, What::Button { .. }) && !e.raw;
    witness.events().iter().filter(buttons).map(|e| (e.what, e.root)).collect()
}

// spec: S-26 S-27 VNC
#[test]
fn clicks_land_on_the_asked_pixel() {
    for kind in Kind::ALL {
        let Some((server, mut witness)) = rig(kind) else { return };
        let mut hands = hands(&server);
        let mut random = 7_u32;
        for n in 0..200 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (x, y) = ((random >> 8) as i32 % 1280, (random >> 20) as i32 % 720);
            let (x, y) = if n == 1 {
                (0, 0)
            } else if n == 2 {
                (1279, 719)
            } else {
                (x, y)
            };
            witness.forget();
            inject(&mut hands, click(x, y));
            witness.wait_until("the click is seen", PATIENCE, |w| pressed(w).len() >= 2);
            let button = |down| (What::Button { button: 1, down }, (x, y));
            assert_eq!(pressed(&mut witness), [button(true), button(false)], "{kind:?} click {n}");
        }
        witness.assert_quiet();
    }
}

#[test]
fn buttons_modifiers_drags_and_the_wheel_arrive() {
    for kind in Kind::ALL {
        let Some((server, mut witness)) = rig(kind) else { return };
        let mut hands = hands(&server);
        for (button, number) in [(Button::Middle, 2), (Button::Right, 3)] {
            witness.forget();
            inject(&mut hands, click_with(300, 200, button, Modifiers { control: true, ..Modifiers::NONE }));
            witness.wait_until("the click is seen", PATIENCE, |w| pressed(w).len() >= 2);
            let wanted = [true, false].map(|down| (What::Button { button: number, down }, (300, 200)));
            assert_eq!(pressed(&mut witness), wanted, "{kind:?}");
            let events = witness.events();
            assert!(
                events.iter().any(|e| matches!(e.what, What::Button { .. }) && e.mods & 4 != 0),
                "Ctrl was held"
            );
        }
        witness.forget();
        let path = vec![spot(100, 100), spot(700, 400), spot(640, 300)];
        inject(&mut hands, Action::Drag { path, button: Button::Left, modifiers: Modifiers::NONE });
        witness.wait_until("the drag ends", PATIENCE, |w| pressed(w).len() >= 2);
        let ends = [(true, (100, 100)), (false, (640, 300))];
        let ends = ends.map(|(down, at)| (What::Button { button: 1, down }, at));
        assert_eq!(pressed(&mut witness), ends, "{kind:?}");
        let motions = witness.events().iter().filter(|e| e.what == What::Motion && !e.raw).count();
        assert!(motions > 10, "{kind:?}: {motions} motions");
        let mut turns =
            vec![(0, 240, vec![4, 4]), (0, -120, vec![5]), (0, 180, vec![4, 4]), (0, -1, vec![5])];
        if kind == Kind::Tiger {
            // x11vnc knows five buttons.
            turns.extend([(-120, 0, vec![6]), (180, 0, vec![7, 7])]);
        }
        for (dx, dy, wanted) in turns {
            witness.forget();
            inject(&mut hands, scroll(dx, dy));
            let notch = |b: &u8| [true, false].map(|down| (What::Button { button: *b, down }, (640, 300)));
            let wanted: Vec<_> = wanted.iter().flat_map(notch).collect();
            witness.wait_until("the wheel turns", PATIENCE, |w| pressed(w).len() >= wanted.len());
            assert_eq!(pressed(&mut witness), wanted, "{kind:?}");
        }
        witness.assert_quiet();
    }
}

// spec: D-45 VNC
#[test]
fn chords_and_holds_press_what_they_say_and_let_go() {
    for kind in Kind::ALL {
        let Some((server, mut witness)) = rig(kind) else { return };
        let mut hands = hands(&server);
        inject(&mut hands, click(10, 10));
        witness.wait_until("the click is seen", PATIENCE, |w| pressed(w).len() >= 2);
        for (keys, symbols) in [
            ("ctrl+s", vec![0xffe3, 0x73]),
            ("ctrl+shift+t", vec![0xffe3, 0xffe1, 0x74]),
            ("alt+F4", vec![0xffe9, 0xffc1]),
            ("Page_Down", vec![0xff56]),
            ("super", vec![0xffeb]),
            ("win+7", vec![0xffeb, 0x37]),
            ("esc", vec![0xff1b]),
            ("tab", vec![0xff09]),
            ("Return", vec![0xff0d]),
        ] {
            witness.forget();
            inject(&mut hands, chord(keys));
            let codes: Vec<u8> = symbols.iter().map(|s| witness.keycode(*s)).collect();
            let wanted: Vec<What> = codes
                .iter()
                .map(|code| What::Key { code: *code, down: true })
                .chain(codes.iter().rev().map(|code| What::Key { code: *code, down: false }))
                .collect();
            witness.wait_until(keys, PATIENCE, |w| w.presses().len() >= wanted.len());
            assert_eq!(witness.presses(), wanted, "{kind:?} {keys}");
        }
        let beating = turn(hands.pulse());
        std::thread::scope(|scope| {
            let held = scope.spawn(|| hands.inject(batch(hold("ctrl+w", 1500)), &Stop::new()));
            until("both are down", PATIENCE, || (witness.keys_down().len() == 2).then_some(()));
            assert!(held.join().unwrap().unwrap().complete);
        });
        drop(beating);
        until("both are up", PATIENCE, || witness.is_quiet().then_some(()));
    }
}

/// Text with what is on a US keyboard, what is beside it, and other scripts.
const MIXED: &str =
    "Hello, World! 0123 ~`@#$%^&*()_+-=[]{}|\\;:'\"<>/? Zwölf Boxkämpfer, ça va? ÅÉÑß €uro ΩЖ";

fn entry(server: &VncServer, witness: &mut Witness) -> Option<Program> {
    if !need("zenity", "zenity") {
        return None;
    }
    let mut command = server.x.command("zenity");
    let dialog =
        Program::start(command.args(["--entry", "--title", "Ask", "--text", "x"]).stdout(Stdio::piped()));
    let window = until("the dialog is shown", PATIENCE, || witness.find("Ask").filter(|w| w.mapped));
    witness.focus(window.id);
    Some(dialog)
}

fn answer(mut dialog: Program, hands: &mut Hands) -> String {
    inject(hands, chord("enter"));
    let mut said = String::new();
    std::io::Read::read_to_string(&mut dialog.child().stdout.take().unwrap(), &mut said).unwrap();
    said.trim_end_matches('\n').to_owned()
}

// spec: S-29 S-35 VNC
#[test]
fn text_arrives_in_an_entry() {
    for kind in Kind::ALL {
        let Some(server) = VncServer::start(kind) else { return };
        let mut witness = Witness::connect(server.x.display());
        let Some(dialog) = entry(&server, &mut witness) else { return };
        let mut hands = hands(&server);
        inject(&mut hands, text(MIXED));
        assert_eq!(answer(dialog, &mut hands), MIXED, "{kind:?}");
        witness.assert_quiet();
    }
}

// spec: S-29 VNC
#[test]
fn what_would_be_lost_is_refused_and_nothing_of_it_typed() {
    // Both servers have fewer than 20 keys to spare; the 24 Greek letters would end in the middle.
    let greek: String = ('α'..='ω').collect();
    for kind in Kind::ALL {
        let Some(server) = VncServer::start(kind) else { return };
        let mut witness = Witness::connect(server.x.display());
        let Some(dialog) = entry(&server, &mut witness) else { return };
        let mut hands = hands(&server);
        {
            let _turn = turn(hands.pulse());
            let refused = hands.inject(batch(text(&greek)), &Stop::new()).unwrap_err();
            assert!(matches!(refused, DesktopError::Unsupported { .. }), "{kind:?}: {refused}");
        }
        inject(&mut hands, text("αβγ"));
        assert_eq!(answer(dialog, &mut hands), "αβγ", "{kind:?}");
        witness.assert_quiet();
    }
}

#[test]
fn capitals_leave_caps_lock_as_it_is() {
    const LOCK: u16 = 2;
    for kind in Kind::ALL {
        let Some((server, witness)) = rig(kind) else { return };
        inject(&mut hands(&server), text("HELLO World É Ω!"));
        witness.assert_quiet();
        assert_eq!(witness.pointer().mask & LOCK, 0, "{kind:?}");
    }
}

// spec: D-38 VNC
#[test]
fn text_is_pasted_and_the_clipboard_given_back() {
    for kind in Kind::ALL {
        let Some(server) = VncServer::start(kind).filter(|_| need("xclip", "xclip")) else { return };
        // A server tells of what is copied, not of what was: before the connection nobody here knows it.
        let mut desktop = desktop(&server);
        let mut copy = server.x.command("xclip");
        let mut copy = Program::start(copy.args(["-selection", "clipboard", "-quiet"]).stdin(Stdio::piped()));
        copy.child().stdin.take().unwrap().write_all(b"kept").unwrap();
        assert_eq!(apps::clipboard(&server.x), "kept");
        let mut witness = Witness::connect(server.x.display());
        let Some(dialog) = entry(&server, &mut witness) else { return };
        let text = "Zürich été";
        let _turn = turn(desktop.pulse().unwrap());
        let Work::Paste(paste) = work(Action::Paste { text: text.to_owned() }) else { panic!("a paste") };
        desktop.paste(paste, &Stop::new()).unwrap();
        let Work::Input(enter) = work(chord("enter")) else { panic!("input") };
        desktop.inject(enter, &Stop::new()).unwrap();
        let mut dialog = dialog;
        let mut said = String::new();
        std::io::Read::read_to_string(&mut dialog.child().stdout.take().unwrap(), &mut said).unwrap();
        assert_eq!(said.trim_end(), text, "{kind:?}");
        until("the clipboard is as before", PATIENCE, || {
            (apps::clipboard(&server.x) == "kept").then_some(())
        });
    }
}

#[test]
fn the_clipboard_travels_both_ways() {
    // x11vnc takes no part in it for its first 15 s, and then in Latin-1 only.
    {
        let Some(server) = VncServer::start(Kind::Tiger).filter(|_| need("xclip", "xclip")) else { return };
        let mut desktop = desktop(&server);
        let mut copy = server.x.command("xclip");
        let mut copy = Program::start(copy.args(["-selection", "clipboard", "-quiet"]).stdin(Stdio::piped()));
        let said = "théâtre";
        copy.child().stdin.take().unwrap().write_all(said.as_bytes()).unwrap();
        until("the desktop has it", PATIENCE, || {
            let contents: ClipboardContents = desktop.clipboard().unwrap();
            contents.formats.iter().any(|(_, bytes)| bytes == said.as_bytes()).then_some(())
        });
        let put = |text: &str| {
            SetClipboard(ClipboardContents {
                formats: vec![("text/plain;charset=utf-8".to_owned(), text.as_bytes().to_vec())],
            })
        };
        desktop.set_clipboard(approved(put("café"))).unwrap();
        // The server keeps it: nobody listens here meanwhile.
        until("a program has it", PATIENCE, || (apps::clipboard(&server.x) == "café").then_some(()));
        let picture = SetClipboard(ClipboardContents { formats: vec![("image/png".to_owned(), vec![1])] });
        assert!(matches!(desktop.set_clipboard(approved(picture)), Err(DesktopError::Clipboard { .. })));
    }
}

#[test]
fn the_pointer_is_known_from_what_was_sent() {
    let Some((server, _witness)) = rig(Kind::Tiger) else { return };
    let mut desktop: VncDesktop = desktop(&server);
    let Work::Input(input) = work(click(321, 123)) else { panic!("input") };
    let _turn = turn(desktop.pulse().unwrap());
    desktop.inject(input, &Stop::new()).unwrap();
    assert_eq!(desktop.pointer().unwrap(), Some(ScreenPx::new(321, 123)));
    let info = desktop.info();
    assert!(info.capabilities.input && !info.capabilities.overlay && !info.capabilities.windows, "{info:?}");
}

#[test]
fn the_second_engine_is_told_who_was_first_and_may_come_after() {
    let Some((server, _witness)) = rig(Kind::Tiger) else { return };
    let first = hands(&server);
    let config = hands_config(target(&server), &server.x.home().join("state"));
    let refused = Hands::spawn(config.clone()).unwrap_err();
    // The same process asks, so it is its own: others are refused with the pid (a unit test of the lock).
    assert!(matches!(refused, DesktopError::Lost { .. }), "{refused}");
    drop(first);
    Hands::spawn(config).unwrap();
}

#[test]
fn buttons_that_vnc_does_not_carry_are_refused_by_name() {
    let Some((server, _witness)) = rig(Kind::Tiger) else { return };
    let mut hands = hands(&server);
    let _turn = turn(hands.pulse());
    for button in [Button::Back, Button::Forward] {
        let refused =
            hands.inject(batch(click_with(5, 5, button, Modifiers::NONE)), &Stop::new()).unwrap_err();
        assert!(matches!(refused, DesktopError::Unsupported { .. }), "{refused}");
    }
}
