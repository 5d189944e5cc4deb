//! The window host on a real screen: what it presents is what others see, and what others do is what it tells.

use crate::hands_rig::{chord, click_with, hands, inject, scroll, text};
use crate::rig::colours;
use handsight_base::flow::action::{Axis, Button};
use handsight_base::key::{Key, Modifiers, Named};
use handsight_base::port::clock::RealClock;
use handsight_base::port::desktop::DesktopError;
use handsight_base::space::{Size, WindowPx, WindowRect};
use handsight_desktop::x11::host::{HostConfig, HostError, HostEvent, WindowHost};
use handsight_testkit::need::need;
use handsight_testkit::wait::{PATIENCE, until};
use handsight_testkit::witness::{SeenWindow, Witness};
use handsight_testkit::xvfb::Xvfb;
use std::sync::Arc;
use std::time::Duration;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _, EventMask};

const SIZE: Size = Size::new(320, 200);

fn config(x: &Xvfb, size: Size) -> HostConfig {
    HostConfig {
        display: Some(x.display().to_owned()),
        title: "A wörld".to_owned(),
        class: "handsight-world".to_owned(),
        size,
        clock: Arc::new(RealClock::new()),
    }
}

/// An open window, shown and with the focus.
fn open(x: &Xvfb, witness: &mut Witness, size: Size) -> (WindowHost, SeenWindow) {
    let mut host = WindowHost::open(config(x, size)).unwrap();
    let id = host.window().0 as u32;
    until("the window is managed, which comes after it is placed", PATIENCE, || {
        let managed = witness.property(witness.root(), "_NET_CLIENT_LIST");
        managed.chunks(4).any(|w| w == id.to_ne_bytes()).then_some(())
    });
    let seen = until("the window is shown", PATIENCE, || witness.window(id).filter(|w| w.mapped));
    witness.focus(seen.id);
    listen(&mut host, "the focus came", |e| *e == HostEvent::Focus { gained: true });
    (host, seen)
}

/// Everything that happens up to the first that `last` is meant to be, without motion.
#[track_caller]
fn listen(host: &mut WindowHost, what: &str, last: impl Fn(&HostEvent) -> bool) -> Vec<HostEvent> {
    let mut events = Vec::new();
    let mut at = Duration::ZERO;
    loop {
        let Some(heard) = host.wait(PATIENCE).unwrap() else { panic!("{what}: only {events:?}") };
        assert!(heard.at >= at, "time goes on");
        at = heard.at;
        if !matches!(heard.what, HostEvent::Motion { .. }) {
            events.push(heard.what);
        }
        if last(&heard.what) {
            return events;
        }
    }
}

fn key(key: Key, down: bool) -> HostEvent {
    HostEvent::Key { key, down, repeat: false }
}

fn stroke(c: char) -> [HostEvent; 2] {
    [key(Key::Char(c), true), key(Key::Char(c), false)]
}

/// A picture in which every pixel differs from its neighbours, with rows longer than the window's.
struct Picture {
    bytes: Vec<u8>,
    stride: usize,
    size: Size,
}

impl Picture {
    fn new(size: Size, seed: u32) -> Self {
        let stride = size.width as usize * 4 + 28;
        let byte = |i: usize| ((i as u32 + seed).wrapping_mul(2_654_435_761) >> 24) as u8;
        Self { bytes: (0..stride * size.height as usize).map(byte).collect(), stride, size }
    }

    /// Blue, green, red, row by row.
    fn colours(&self) -> Vec<u8> {
        let row = self.size.width as usize * 4;
        self.bytes.chunks(self.stride).flat_map(|r| colours(&r[..row])).collect()
    }

    /// Takes a part over from another.
    fn take(&mut self, from: &Self, part: WindowRect) {
        for y in part.origin.y..part.origin.y + part.size.height as i32 {
            let at = y as usize * self.stride + part.origin.x as usize * 4;
            let len = part.size.width as usize * 4;
            self.bytes[at..at + len].copy_from_slice(&from.bytes[at..at + len]);
        }
    }
}

fn inside(witness: &Witness, id: u32) -> Vec<u8> {
    let w = witness.window(id).unwrap();
    colours(&witness.pixels(w.x as i16, w.y as i16, w.width as u16, w.height as u16))
}

#[test]
fn what_is_presented_is_what_others_see() {
    for options in [&[][..], &["-extension", "MIT-SHM"]] {
        let Some(x) = Xvfb::with(1280, 720, options) else { return };
        let Some(_openbox) = x.openbox() else { return };
        let mut witness = Witness::connect(x.display());
        // Large enough for several requests where there is no shared memory and no big request.
        let size = Size::new(901, 601);
        let (mut host, seen) = open(&x, &mut witness, size);
        assert_eq!((seen.width, seen.height), (size.width, size.height));
        let whole = WindowRect::new(0, 0, size.width, size.height);
        let mut shown = Picture::new(size, 1);
        host.present(&shown.bytes, shown.stride, &[whole]).unwrap();
        assert!(inside(&witness, seen.id) == shown.colours(), "{options:?}: the picture");

        // Only what is said to have changed is shown, clipped to the window.
        let next = Picture::new(size, 77);
        let parts = [
            WindowRect::new(0, 0, 1, 1),
            WindowRect::new(10, 20, 300, 150),
            WindowRect::new(900, 600, 1, 1),
            WindowRect::new(500, 590, 50, 11),
        ];
        host.present(&next.bytes, next.stride, &parts).unwrap();
        parts.iter().for_each(|part| shown.take(&next, *part));
        assert!(inside(&witness, seen.id) == shown.colours(), "{options:?}: the parts");
        let beyond = WindowRect::new(-20, 580, 60, 900);
        host.present(&next.bytes, next.stride, &[beyond, WindowRect::new(2000, 0, 5, 5)]).unwrap();
        shown.take(&next, WindowRect::new(0, 580, 40, 21));
        assert!(inside(&witness, seen.id) == shown.colours(), "{options:?}: clipped");

        // Covered, uncovered and never asked: the server paints it by itself.
        let rival = witness.open(seen.x as i16 + 5, seen.y as i16 + 5, 200, 200);
        witness.wait_until("it is covered", PATIENCE, |w| inside(w, seen.id) != shown.colours());
        witness.conn().destroy_window(rival).unwrap();
        witness.sync();
        assert!(inside(&witness, seen.id) == shown.colours(), "{options:?}: uncovered");

        let short = host.present(&next.bytes[1..], next.stride, &[whole]);
        assert!(short.is_ok(), "the end of the last row is nobody's");
        let short = host.present(&next.bytes[29..], next.stride, &[whole]).unwrap_err();
        assert!(matches!(short, HostError::Picture { .. }), "{short}");
        assert!(host.present(&next.bytes, size.width as usize * 4 - 1, &[whole]).is_err());
    }
}

#[test]
fn a_window_manager_knows_whose_window_it_is() {
    let Some(x) = Xvfb::start() else { return };
    let Some(_openbox) = x.openbox() else { return };
    let mut witness = Witness::connect(x.display());
    let (mut host, seen) = open(&x, &mut witness, SIZE);
    assert_eq!(seen.title, "A wörld");
    assert_eq!(witness.property(seen.id, "WM_CLASS"), b"handsight-world\0handsight-world\0");
    assert_eq!(witness.property(seen.id, "_NET_WM_PID"), std::process::id().to_ne_bytes());
    let listed = witness.property(witness.root(), "_NET_CLIENT_LIST");
    assert_eq!(listed, seen.id.to_ne_bytes());
    // It cannot be resized: the window manager offers no such thing.
    let allowed = witness.property(seen.id, "_NET_WM_ALLOWED_ACTIONS");
    let resize = witness.atom("_NET_WM_ACTION_RESIZE").to_ne_bytes();
    assert!(!allowed.is_empty() && !allowed.chunks(4).any(|a| a == resize), "{allowed:?}");
    // Whoever asks whether it has read its events gets an answer, on the root.
    let (conn, root) = (witness.conn(), witness.root());
    let mask = ChangeWindowAttributesAux::new().event_mask(EventMask::SUBSTRUCTURE_NOTIFY);
    conn.change_window_attributes(root, &mask).unwrap();
    let data = [witness.atom("_NET_WM_PING"), 4711, seen.id, 0, 0];
    let ping = ClientMessageEvent::new(32, seen.id, witness.atom("WM_PROTOCOLS"), data);
    conn.send_event(false, seen.id, EventMask::NO_EVENT, ping).unwrap();
    witness.sync();
    until("the ping comes back", PATIENCE, || {
        host.wait(Duration::from_millis(2)).unwrap();
        let answer = |e: &Event| match e {
            Event::ClientMessage(e) => e.window == root && e.data.as_data32() == data,
            _ => false,
        };
        let mut came = std::iter::from_fn(|| conn.poll_for_event().unwrap());
        came.any(|e| answer(&e)).then_some(())
    });
    drop(host);
    witness.wait_until("the window is gone", PATIENCE, |w| w.window(seen.id).is_none());
}

#[test]
fn clicks_wheels_and_keys_of_an_outside_program_arrive() {
    let Some(x) = Xvfb::start() else { return };
    let Some(_openbox) = x.openbox() else { return };
    if !need("xdotool", "xdotool") {
        return;
    }
    let mut witness = Witness::connect(x.display());
    let (mut host, seen) = open(&x, &mut witness, SIZE);
    let at = WindowPx::new(123, 45);
    let (left, top) = ((seen.x + at.x).to_string(), (seen.y + at.y).to_string());
    x.run("xdotool", &["mousemove", &left, &top]);
    listen(&mut host, "the pointer came", |e| *e == HostEvent::Motion { at });
    for (number, button) in [
        ("1", Button::Left),
        ("2", Button::Middle),
        ("3", Button::Right),
        ("8", Button::Back),
        ("9", Button::Forward),
    ] {
        x.run("xdotool", &["click", number]);
        let up = HostEvent::Button { button, down: false, at };
        let heard = listen(&mut host, "a click", |e| *e == up);
        assert_eq!(heard, [HostEvent::Button { button, down: true, at }, up]);
    }
    for (number, axis, units) in [
        ("4", Axis::Vertical, 120),
        ("5", Axis::Vertical, -120),
        ("6", Axis::Horizontal, -120),
        ("7", Axis::Horizontal, 120),
    ] {
        x.run("xdotool", &["click", number]);
        let turned = HostEvent::Wheel { axis, units, at };
        assert_eq!(listen(&mut host, "the wheel", |e| matches!(e, HostEvent::Wheel { .. })), [turned]);
    }
    // A drag goes on outside of the window.
    x.run("xdotool", &["mousedown", "1", "mousemove", "1", "2", "mouseup", "1"]);
    let out = WindowPx::new(1 - seen.x, 2 - seen.y);
    let up = HostEvent::Button { button: Button::Left, down: false, at: out };
    listen(&mut host, "the end of the drag", |e| *e == up);
    x.run("xdotool", &["mousemove", &left, &top]);

    x.run("xdotool", &["type", "--delay", "0", "aB! _z"]);
    let heard = listen(&mut host, "the text", |e| *e == key(Key::Char('z'), false));
    let presses: Vec<Key> = heard
        .iter()
        .filter_map(|e| match e {
            HostEvent::Key { key, down: true, repeat: false } => Some(*key),
            _ => None,
        })
        .filter(|k| *k != Key::Named(Named::Shift))
        .collect();
    let c = Key::Char;
    assert_eq!(presses, [c('a'), c('B'), c('!'), Key::Named(Named::Space), c('_'), c('z')]);
    let ups = heard.iter().filter(|e| matches!(e, HostEvent::Key { down: false, .. })).count();
    assert_eq!(ups * 2, heard.len(), "each that went down comes up: {heard:?}");

    x.run("xdotool", &["key", "ctrl+shift+s", "shift+Tab", "KP_Enter", "alt+F9"]);
    let heard = listen(&mut host, "the chords", |e| *e == key(Key::Named(Named::F9), false));
    let down: Vec<Key> = heard
        .iter()
        .filter_map(|e| if let HostEvent::Key { key, down: true, .. } = e { Some(*key) } else { None })
        .collect();
    let n = Key::Named;
    assert_eq!(
        down,
        [
            n(Named::Control),
            n(Named::Shift),
            c('S'),
            n(Named::Shift),
            n(Named::Tab),
            n(Named::KeypadEnter),
            n(Named::Alt),
            n(Named::F9)
        ]
    );
    assert_eq!(host.poll().unwrap(), None, "and nothing else");
    assert_eq!(host.wait(Duration::from_millis(5)).unwrap(), None);
}

// spec: S-29 S-30 S-35 XVFB
#[test]
fn our_hands_type_anything_into_it() {
    let Some(x) = Xvfb::start() else { return };
    let Some(_openbox) = x.openbox() else { return };
    let mut witness = Witness::connect(x.display());
    let mut hands = hands(&x);
    let (mut host, seen) = open(&x, &mut witness, SIZE);
    let at = WindowPx::new(20, 30);
    inject(&mut hands, click_with(seen.x + at.x, seen.y + at.y, Button::Right, Modifiers::NONE));
    inject(&mut hands, scroll(0, -240));
    let heard = listen(&mut host, "a click and a wheel", |e| matches!(e, HostEvent::Wheel { .. }));
    let button = |down| HostEvent::Button { button: Button::Right, down, at };
    let notch = HostEvent::Wheel { axis: Axis::Vertical, units: -120, at };
    assert_eq!(heard, [button(true), button(false), notch]);
    assert_eq!(listen(&mut host, "the second notch", |e| *e == notch), [notch]);

    // More characters than there are spare keycodes, so that some are used again as soon as we have read them.
    let spare = (8..=255).filter(|code| witness.symbols(*code).iter().all(|s| *s == 0)).count() as u32;
    let many: String = (0x4e00..0x4e00 + spare + 20).filter_map(char::from_u32).collect();
    let wanted = format!("Añ€😀 Zażółć Жя 日本 👍🏽 {many}😀.");
    let (sent, received) = std::thread::scope(|scope| {
        let typing = scope.spawn(|| inject(&mut hands, text(&wanted)));
        let last = |e: &HostEvent| *e == key(Key::Char('.'), false);
        let heard = listen(&mut host, "the text", last);
        (typing.join().unwrap(), heard)
    });
    assert!(sent.complete);
    let typed: String = received
        .iter()
        .filter_map(|e| match e {
            HostEvent::Key { key: Key::Char(c), down: true, .. } => Some(*c),
            HostEvent::Key { key: Key::Named(Named::Space), down: true, .. } => Some(' '),
            _ => None,
        })
        .collect();
    assert_eq!(typed, wanted);

    inject(&mut hands, chord("ctrl+a"));
    let heard = listen(&mut host, "a chord", |e| *e == key(Key::Named(Named::Control), false));
    let (down, up) = (key(Key::Named(Named::Control), true), key(Key::Named(Named::Control), false));
    assert_eq!(heard, [&[down][..], &stroke('a'), &[up]].concat());
}

#[test]
fn closing_asks_and_a_lost_focus_lets_every_key_go() {
    let Some(x) = Xvfb::start() else { return };
    let Some(_openbox) = x.openbox() else { return };
    let mut witness = Witness::connect(x.display());
    let (mut host, seen) = open(&x, &mut witness, SIZE);
    let b = witness.keycode(u32::from('b'));
    witness.key(b, true);
    assert_eq!(
        listen(&mut host, "a key", |e| matches!(e, HostEvent::Key { .. })),
        [key(Key::Char('b'), true)]
    );
    // Held, it repeats without coming up in between.
    let again = HostEvent::Key { key: Key::Char('b'), down: true, repeat: true };
    assert_eq!(listen(&mut host, "it repeats", |e| *e == again), [again]);
    witness.open(0, 0, 20, 20);
    let lost = HostEvent::Focus { gained: false };
    let heard = listen(&mut host, "the focus went", |e| *e == lost);
    let news: Vec<_> = heard.into_iter().filter(|e| *e != again).collect();
    assert_eq!(news, [key(Key::Char('b'), false), lost], "b goes up first");
    witness.key(b, false);

    let message = ClientMessageEvent::new(32, seen.id, witness.atom("_NET_CLOSE_WINDOW"), [0, 2, 0, 0, 0]);
    let to = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
    witness.conn().send_event(false, witness.root(), to, message).unwrap();
    witness.sync();
    let heard = listen(&mut host, "the wish to close", |e| *e == HostEvent::CloseRequested);
    assert_eq!(heard.last(), Some(&HostEvent::CloseRequested));
    assert!(witness.window(seen.id).is_some_and(|w| w.mapped), "it stays until the host closes it");
}

#[test]
fn what_cannot_be_opened_is_refused_with_a_remedy() {
    let Some(mut x) = Xvfb::start() else { return };
    for size in [Size::new(0, 10), Size::new(10, 40_000)] {
        let refused = WindowHost::open(config(&x, size)).unwrap_err();
        assert!(matches!(refused, HostError::Desktop(DesktopError::Unusable { .. })), "{refused}");
    }
    let nowhere = WindowHost::open(HostConfig { display: None, ..config(&x, SIZE) }).unwrap_err();
    assert!(matches!(nowhere, HostError::Desktop(DesktopError::Unusable { .. })), "{nowhere}");
    // A server that dies is a lost desktop, for pictures and for events.
    let mut host = WindowHost::open(config(&x, SIZE)).unwrap();
    x.kill();
    let picture = Picture::new(SIZE, 1);
    let whole = WindowRect::new(0, 0, SIZE.width, SIZE.height);
    let lost = |e: HostError| assert!(matches!(e, HostError::Desktop(DesktopError::Lost { .. })), "{e}");
    lost(host.present(&picture.bytes, picture.stride, &[whole]).unwrap_err());
    until("the loss is told", PATIENCE, || host.wait(Duration::from_millis(10)).err().map(lost));
}
