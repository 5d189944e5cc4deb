//! An X client of its own that sees what really happened.
//!
//! It asks the server for the true state (`QueryKeymap`, `QueryPointer`, `GetImage`), keeps every event its window or the
//! root got, with the server's time and the device it came from, and can play the other person at the screen. It knows
//! nothing of the product and takes nobody's word.

mod other;

use crate::wait::{PATIENCE, before};
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xinput::{ConnectionExt as _, Device, EventMask, XIEventMask};
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt, CreateWindowAux, EventMask as CoreMask, ImageFormat, InputFocus, MapState,
    Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;

/// What an event says happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A key by its keycode.
    Key {
        code: u8,
        down: bool,
    },
    /// A button by its number: 1 left, 2 middle, 3 right, 4 and 5 the wheel up and down, 6 and 7 left and right.
    Button {
        button: u8,
        down: bool,
    },
    Motion,
}

/// One event the witness got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub what: What,
    /// The server's clock in milliseconds (`CLOCK_MONOTONIC` of the machine, cut to 32 bits).
    pub time: u32,
    /// The device that sent it: the XTEST keyboard or pointer, or a real one.
    pub source: u16,
    /// Modifiers in force before the event, as core bits (Shift 1, Lock 2, Control 4, Mod1 8 ...).
    pub mods: u32,
    /// On the root, in pixels; (0, 0) for raw events.
    pub root: (i32, i32),
    /// In the window, in pixels; (0, 0) for raw events.
    pub at: (i32, i32),
    /// From the root, whoever got the event, rather than from the witness's own window.
    pub raw: bool,
}

/// Where the pointer is and which buttons are down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    pub x: i32,
    pub y: i32,
    /// Core bits: modifiers below, buttons 1 to 5 from bit 8.
    pub mask: u16,
}

/// A window as the server has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenWindow {
    pub id: Window,
    pub title: String,
    pub x: i32,
    pub y: i32,
    pub width: u32,
    pub height: u32,
    pub mapped: bool,
}

/// The independent client.
#[derive(Debug)]
pub struct Witness {
    conn: RustConnection,
    root: Window,
    window: Option<Window>,
    seen: Vec<Seen>,
}

impl Witness {
    /// Connects to a display such as `:99`.
    ///
    /// # Panics
    /// When nobody answers there.
    #[track_caller]
    pub fn connect(display: &str) -> Self {
        let (conn, screen) = RustConnection::connect(Some(display)).expect("the witness connects");
        let root = conn.setup().roots[screen].root;
        conn.xinput_xi_query_version(2, 2).expect("XI2").reply().expect("XI2");
        Self { conn, root, window: None, seen: Vec::new() }
    }

    /// The server's clock, to be compared with [`Seen::time`].
    pub fn now() -> u32 {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        (now.tv_sec * 1000 + now.tv_nsec / 1_000_000) as u32
    }

    pub const fn root(&self) -> Window {
        self.root
    }

    /// The connection, for questions this type has no word for.
    pub const fn conn(&self) -> &RustConnection {
        &self.conn
    }

    /// Keycodes that are down, whoever pressed them.
    pub fn keys_down(&self) -> Vec<u8> {
        let map = self.conn.query_keymap().expect("asked").reply().expect("the server answers").keys;
        (0..=255u8).filter(|code| map[usize::from(code / 8)] >> (code % 8) & 1 == 1).collect()
    }

    pub fn pointer(&self) -> Pointer {
        let p = self.conn.query_pointer(self.root).expect("asked").reply().expect("the server answers");
        Pointer { x: p.root_x.into(), y: p.root_y.into(), mask: p.mask.into() }
    }

    /// Buttons 1 to 5 that are down.
    pub fn buttons_down(&self) -> Vec<u8> {
        let mask = self.pointer().mask;
        (1..=5u8).filter(|b| mask >> (7 + b) & 1 == 1).collect()
    }

    /// True if no key and no button is down.
    pub fn is_quiet(&self) -> bool {
        self.keys_down().is_empty() && self.buttons_down().is_empty()
    }

    /// # Panics
    /// When any key or button is down.
    #[track_caller]
    pub fn assert_quiet(&self) {
        let (keys, buttons) = (self.keys_down(), self.buttons_down());
        assert!(keys.is_empty() && buttons.is_empty(), "still down: keys {keys:?}, buttons {buttons:?}");
    }

    /// Opens a window without decoration, gives it the focus, and records every key, button and motion it gets.
    pub fn open(&mut self, x: i16, y: i16, width: u16, height: u16) -> Window {
        let window = self.conn.generate_id().expect("an id");
        let aux = CreateWindowAux::new()
            .override_redirect(1)
            .background_pixel(0x0030_6090)
            .event_mask(CoreMask::EXPOSURE);
        let class = WindowClass::INPUT_OUTPUT;
        self.conn.create_window(0, window, self.root, x, y, width, height, 0, class, 0, &aux).expect("sent");
        self.select(
            window,
            XIEventMask::KEY_PRESS
                | XIEventMask::KEY_RELEASE
                | XIEventMask::BUTTON_PRESS
                | XIEventMask::BUTTON_RELEASE
                | XIEventMask::MOTION,
        );
        self.conn.map_window(window).expect("sent");
        self.window = Some(window);
        self.wait_until("the witness's window is shown", PATIENCE, |w| w.is_mapped(window));
        self.focus(window);
        window
    }

    /// Gives the focus to a window and waits until it has it.
    pub fn focus(&mut self, window: Window) {
        self.conn.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME).expect("sent");
        self.wait_until("the window has the focus", PATIENCE, |w| w.focused() == window);
    }

    pub fn focused(&self) -> Window {
        self.conn.get_input_focus().expect("asked").reply().expect("the server answers").focus
    }

    fn is_mapped(&self, window: Window) -> bool {
        let attributes = self.conn.get_window_attributes(window).expect("asked").reply();
        attributes.is_ok_and(|a| a.map_state == MapState::VIEWABLE)
    }

    /// From now on records every event of the display too, whichever window gets it, as raw events.
    pub fn watch_everything(&mut self) {
        self.select(
            self.root,
            XIEventMask::RAW_KEY_PRESS
                | XIEventMask::RAW_KEY_RELEASE
                | XIEventMask::RAW_BUTTON_PRESS
                | XIEventMask::RAW_BUTTON_RELEASE
                | XIEventMask::RAW_MOTION,
        );
    }

    fn select(&self, window: Window, mask: XIEventMask) {
        let masks = [EventMask { deviceid: Device::ALL_MASTER.into(), mask: vec![mask] }];
        self.conn
            .xinput_xi_select_events(window, &masks)
            .expect("sent")
            .check()
            .expect("events are selected");
    }

    /// Everything seen so far, the oldest first.
    pub fn events(&mut self) -> &[Seen] {
        self.sync();
        while let Some(event) = self.conn.poll_for_event().expect("connected") {
            self.seen.extend(seen(&event));
        }
        &self.seen
    }

    /// What happened, without motion, in order.
    pub fn presses(&mut self) -> Vec<What> {
        self.events().iter().map(|e| e.what).filter(|w| *w != What::Motion).collect()
    }

    /// Forgets what was seen so far.
    pub fn forget(&mut self) {
        self.events();
        self.seen.clear();
    }

    /// Returns when the server has worked off everything sent before.
    pub fn sync(&self) {
        self.conn.get_input_focus().expect("asked").reply().expect("the server answers");
    }

    /// Waits until `condition` holds.
    ///
    /// # Panics
    /// When it does not within `deadline`; `what` says what was waited for.
    #[track_caller]
    pub fn wait_until(
        &mut self,
        what: &str,
        deadline: Duration,
        mut condition: impl FnMut(&mut Self) -> bool,
    ) {
        let held = before(deadline, || condition(self).then_some(()));
        assert!(held.is_some(), "{what}: not within {deadline:?}; seen last {:?}", self.seen.last());
    }

    /// The colour of one pixel of the screen as red, green, blue.
    pub fn pixel(&self, x: i16, y: i16) -> [u8; 3] {
        let p = self.pixels(x, y, 1, 1);
        [p[2], p[1], p[0]]
    }

    /// A part of the screen by plain `GetImage`: blue, green, red and an undefined byte for each pixel, rows without gaps.
    pub fn pixels(&self, x: i16, y: i16, width: u16, height: u16) -> Vec<u8> {
        let image = self.conn.get_image(ImageFormat::Z_PIXMAP, self.root, x, y, width, height, u32::MAX);
        image.expect("asked").reply().expect("the area lies on the screen").data
    }

    /// The children of the root, the topmost first.
    pub fn windows(&self) -> Vec<SeenWindow> {
        let tree = self.conn.query_tree(self.root).expect("asked").reply().expect("the server answers");
        tree.children.iter().rev().filter_map(|id| self.window(*id)).collect()
    }

    /// One window, or `None` if it is gone.
    pub fn window(&self, id: Window) -> Option<SeenWindow> {
        let at = self.conn.get_geometry(id).ok()?.reply().ok()?;
        let origin = self.conn.translate_coordinates(id, self.root, 0, 0).ok()?.reply().ok()?;
        Some(SeenWindow {
            id,
            title: self.title(id),
            x: origin.dst_x.into(),
            y: origin.dst_y.into(),
            width: at.width.into(),
            height: at.height.into(),
            mapped: self.is_mapped(id),
        })
    }

    fn title(&self, window: Window) -> String {
        let utf8 = self.property(window, "_NET_WM_NAME");
        let bytes = if utf8.is_empty() { self.property(window, "WM_NAME") } else { utf8 };
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Every window below the root whose title contains `part`, at any depth; decoration is looked through.
    pub fn find(&self, part: &str) -> Option<SeenWindow> {
        self.descendants(self.root)
            .into_iter()
            .filter(|id| self.title(*id).contains(part))
            .find_map(|id| self.window(id))
    }

    fn descendants(&self, window: Window) -> Vec<Window> {
        let Some(tree) = self.conn.query_tree(window).ok().and_then(|c| c.reply().ok()) else {
            return Vec::new();
        };
        tree.children.iter().rev().flat_map(|id| std::iter::once(*id).chain(self.descendants(*id))).collect()
    }

    /// The bytes of a property, empty if there is none.
    pub fn property(&self, window: Window, name: &str) -> Vec<u8> {
        let reply = self.conn.get_property(false, window, self.atom(name), AtomEnum::ANY, 0, 1 << 16);
        reply.expect("asked").reply().map(|p| p.value).unwrap_or_default()
    }

    pub fn atom(&self, name: &str) -> Atom {
        self.conn
            .intern_atom(false, name.as_bytes())
            .expect("asked")
            .reply()
            .expect("the server answers")
            .atom
    }

    /// Who owns a selection, such as `CLIPBOARD`.
    pub fn selection_owner(&self, name: &str) -> Option<Window> {
        let owner = self
            .conn
            .get_selection_owner(self.atom(name))
            .expect("asked")
            .reply()
            .expect("the server answers");
        (owner.owner != x11rb::NONE).then_some(owner.owner)
    }
}

fn seen(event: &Event) -> Option<Seen> {
    let whole = |v: i32| v >> 16;
    let key = |e: &x11rb::protocol::xinput::KeyPressEvent, down| Seen {
        what: What::Key { code: e.detail as u8, down },
        time: e.time,
        source: e.sourceid,
        mods: e.mods.effective,
        root: (whole(e.root_x), whole(e.root_y)),
        at: (whole(e.event_x), whole(e.event_y)),
        raw: false,
    };
    let button = |e: &x11rb::protocol::xinput::ButtonPressEvent, what| Seen {
        what,
        time: e.time,
        source: e.sourceid,
        mods: e.mods.effective,
        root: (whole(e.root_x), whole(e.root_y)),
        at: (whole(e.event_x), whole(e.event_y)),
        raw: false,
    };
    let raw = |what, time, source| Seen { what, time, source, mods: 0, root: (0, 0), at: (0, 0), raw: true };
    Some(match event {
        Event::XinputKeyPress(e) => key(e, true),
        Event::XinputKeyRelease(e) => key(e, false),
        Event::XinputButtonPress(e) => button(e, What::Button { button: e.detail as u8, down: true }),
        Event::XinputButtonRelease(e) => button(e, What::Button { button: e.detail as u8, down: false }),
        Event::XinputMotion(e) => button(e, What::Motion),
        Event::XinputRawKeyPress(e) => {
            raw(What::Key { code: e.detail as u8, down: true }, e.time, e.sourceid)
        }
        Event::XinputRawKeyRelease(e) => {
            raw(What::Key { code: e.detail as u8, down: false }, e.time, e.sourceid)
        }
        Event::XinputRawButtonPress(e) => {
            raw(What::Button { button: e.detail as u8, down: true }, e.time, e.sourceid)
        }
        Event::XinputRawButtonRelease(e) => {
            raw(What::Button { button: e.detail as u8, down: false }, e.time, e.sourceid)
        }
        Event::XinputRawMotion(e) => raw(What::Motion, e.time, e.sourceid),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xvfb::Xvfb;

    #[test]
    fn a_key_left_down_stays_down_and_is_seen() {
        let Some(x) = Xvfb::start() else { return };
        let mut witness = Witness::connect(x.display());
        witness.assert_quiet();
        witness.open(10, 10, 200, 100);
        witness.watch_everything();
        {
            let person = Witness::connect(x.display());
            person.go_to(50, 40);
            person.key(person.keycode(0xffe3), true);
            person.button(1, true);
        }
        // Its client has left; a server that reset would have lifted both.
        let control = witness.keycode(0xffe3);
        assert_eq!((witness.keys_down(), witness.buttons_down()), (vec![control], vec![1]));
        assert!(std::panic::catch_unwind(|| Witness::connect(x.display()).assert_quiet()).is_err());
        let own: Vec<Seen> = witness.events().iter().copied().filter(|e| !e.raw).collect();
        assert_eq!(own[0].what, What::Motion);
        assert_eq!((own[0].root, own[0].at), ((50, 40), (40, 30)));
        assert_eq!(own[1].what, What::Key { code: control, down: true });
        assert_eq!(own[2].what, What::Button { button: 1, down: true });
        assert_eq!(own[2].mods, 4, "Control was down");
        assert_eq!(witness.events().iter().filter(|e| e.raw).count(), 3);
        assert_eq!(witness.pixel(15, 15), [0x30, 0x60, 0x90]);
        witness.key(control, false);
        witness.button(1, false);
        witness.assert_quiet();
    }

    #[test]
    fn a_window_manager_and_its_windows_are_seen() {
        let Some(x) = Xvfb::with(800, 600, &[]) else { return };
        let Some(_openbox) = x.openbox() else { return };
        let mut witness = Witness::connect(x.display());
        if !crate::need::need("zenity", "zenity") {
            return;
        }
        let _dialog = x.program("zenity", &["--info", "--title", "Seen", "--text", "x"]);
        witness.wait_until("the dialog is there", PATIENCE, |w| w.find("Seen").is_some_and(|s| s.mapped));
    }
}
