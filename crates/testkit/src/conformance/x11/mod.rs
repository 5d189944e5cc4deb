//! The witness on an X display: a client of its own whose thread reads every event the moment it comes.
//!
//! It does what an ordinary program does: it follows changes of the keyboard's mapping in the order of the events, answers
//! pings, takes text by Ctrl+V and gives its selection to who asks. It knows nothing of the product.

mod paint;
mod reader;
mod symbols;

use super::witness::{Deed, Held, Seen, Which, Witness};
use crate::wait::{PATIENCE, until};
use crate::witness_protocol::CLASS;
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use reader::{Due, Reader, Shared};
use std::sync::Arc;
use std::thread::JoinHandle;
use x11rb::connection::Connection;
use x11rb::properties::WmSizeHints;
use x11rb::protocol::xinput::{ConnectionExt as _, Device, EventMask as XiEventMask, XIEventMask};
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _,
    CreateWindowAux, EventMask, Gravity, InputFocus, MapState, PropMode, StackMode, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

x11rb::atom_manager! {
    /// The names this client uses.
    pub(in crate::conformance::x11) Atoms: AtomsCookie {
        WM_PROTOCOLS, WM_DELETE_WINDOW, WM_TAKE_FOCUS, _NET_WM_PING, _NET_WM_NAME, _NET_ACTIVE_WINDOW, _NET_SUPPORTING_WM_CHECK,
        _NET_FRAME_EXTENTS, _MOTIF_WM_HINTS, UTF8_STRING, TARGETS, CLIPBOARD,
        PLAIN: b"text/plain;charset=utf-8",
        PASTED: b"_CONFORMANCE_PASTED",
        MARK: b"_CONFORMANCE_MARK",
    }
}

/// Gives a screen another size.
pub type Resize = Box<dyn FnMut(Size)>;

/// A client on one display.
pub struct XWitness {
    conn: Arc<RustConnection>,
    root: Window,
    atoms: Atoms,
    /// Never shown: owns the selection and gets the marks.
    helper: Window,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// Asks for the true state of keys and pointer on a connection of its own.
    state: crate::witness::Witness,
    resize: Option<Resize>,
}

impl XWitness {
    /// Connects to a display such as `:99`.
    ///
    /// # Panics
    /// When nobody answers there.
    #[track_caller]
    pub fn connect(display: &str) -> Self {
        let (conn, screen) = RustConnection::connect(Some(display)).expect("the witness connects");
        let root = conn.setup().roots[screen].root;
        conn.xinput_xi_query_version(2, 2).expect("sent").reply().expect("XI2");
        let atoms = Atoms::new(&conn).expect("sent").reply().expect("atoms");
        let helper = conn.generate_id().expect("an id");
        let only = WindowClass::INPUT_ONLY;
        conn.create_window(0, helper, root, -10, -10, 1, 1, 0, only, 0, &CreateWindowAux::new())
            .expect("sent");
        let (conn, shared) = (Arc::new(conn), Arc::new(Shared::default()));
        let reader = Reader::new(Arc::clone(&conn), root, atoms, helper, Arc::clone(&shared));
        let thread = std::thread::Builder::new().name("witness".to_owned()).spawn(move || reader.run());
        let state = crate::witness::Witness::connect(display);
        Self { conn, root, atoms, helper, shared, thread: thread.ok(), state, resize: None }
    }

    /// With a way to change the size of the screen.
    #[must_use]
    pub fn resizing(mut self, resize: impl FnMut(Size) + 'static) -> Self {
        self.resize = Some(Box::new(resize));
        self
    }

    /// Returns once the thread has read everything that came before.
    fn sync(&self) {
        self.conn.sync().expect("the server answers");
        let mark = self.shared.next_mark();
        let message = ClientMessageEvent::new(32, self.helper, self.atoms.MARK, [mark, 0, 0, 0, 0]);
        // To the client that made the window, behind every event before it.
        self.conn.send_event(false, self.helper, EventMask::NO_EVENT, message).expect("sent");
        self.conn.flush().expect("connected");
        assert!(self.shared.await_mark(mark), "the witness's thread has ended");
    }

    fn window(&self, which: Which) -> Window {
        self.shared.lock().windows[which as usize].expect("the window is open")
    }

    fn managed(&self) -> bool {
        let check = self.conn.get_property(
            false,
            self.root,
            self.atoms._NET_SUPPORTING_WM_CHECK,
            AtomEnum::WINDOW,
            0,
            1,
        );
        check.expect("sent").reply().is_ok_and(|reply| reply.value_len == 1)
    }

    /// Where the window's client area is, if it is shown.
    fn area(&self, window: Window) -> Option<ScreenRect> {
        let attributes = self.conn.get_window_attributes(window).ok()?.reply().ok()?;
        let size = self.conn.get_geometry(window).ok()?.reply().ok()?;
        let at = self.conn.translate_coordinates(window, self.root, 0, 0).ok()?.reply().ok()?;
        (attributes.map_state == MapState::VIEWABLE)
            .then(|| ScreenRect::new(at.dst_x.into(), at.dst_y.into(), size.width.into(), size.height.into()))
    }

    fn await_area(&self, window: Window, area: ScreenRect) {
        until(&format!("the window lies at {area}"), PATIENCE, || (self.area(window)? == area).then_some(()));
    }

    fn set_hints(&self, window: Window, area: ScreenRect) {
        use x11rb::properties::WmSizeHintsSpecification::UserSpecified;
        let hints = WmSizeHints {
            position: Some((UserSpecified, area.origin.x, area.origin.y)),
            size: Some((UserSpecified, area.size.width as i32, area.size.height as i32)),
            // A place is that of the client area, whatever a manager puts around it.
            win_gravity: Some(Gravity::STATIC),
            ..WmSizeHints::new()
        };
        hints.set_normal_hints(&*self.conn, window).expect("sent");
    }

    fn activate(&self, window: Window) {
        if self.managed() {
            let data = [2, x11rb::CURRENT_TIME, 0, 0, 0];
            let ask = ClientMessageEvent::new(32, window, self.atoms._NET_ACTIVE_WINDOW, data);
            let to = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
            self.conn.send_event(false, self.root, to, ask).expect("sent");
        } else {
            let up = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
            self.conn.configure_window(window, &up).expect("sent");
            self.conn.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME).expect("sent");
        }
        until("the window has the focus", PATIENCE, || {
            (self.conn.get_input_focus().ok()?.reply().ok()?.focus == window).then_some(())
        });
    }

    fn set_text(&self, window: Window, property: u32, kind: u32, text: &str) {
        self.conn.change_property8(PropMode::REPLACE, window, property, kind, text.as_bytes()).expect("sent");
    }
}

impl Witness for XWitness {
    fn open(&mut self, which: Which, client: ScreenRect, seed: u32, framed: bool) {
        self.close(which);
        let (conn, window) = (&self.conn, self.conn.generate_id().expect("an id"));
        let ScreenRect { origin, size } = client;
        let (x, y) = (origin.x as i16, origin.y as i16);
        let (width, height) = (size.width as u16, size.height as u16);
        let aux = CreateWindowAux::new().event_mask(EventMask::STRUCTURE_NOTIFY);
        let class = WindowClass::INPUT_OUTPUT;
        conn.create_window(0, window, self.root, x, y, width, height, 0, class, 0, &aux).expect("sent");
        self.set_text(window, self.atoms._NET_WM_NAME, self.atoms.UTF8_STRING, which.title());
        self.set_text(window, AtomEnum::WM_NAME.into(), AtomEnum::STRING.into(), which.title());
        let class = format!("{}\0{CLASS}\0", ["window", "other"][which as usize]);
        self.set_text(window, AtomEnum::WM_CLASS.into(), AtomEnum::STRING.into(), &class);
        let protocols = [self.atoms._NET_WM_PING, self.atoms.WM_DELETE_WINDOW];
        let kind = AtomEnum::ATOM;
        conn.change_property32(PropMode::REPLACE, window, self.atoms.WM_PROTOCOLS, kind, &protocols)
            .expect("sent");
        if !framed {
            // Flags: decorations are meant; none.
            let none = [2, 0, 0, 0, 0];
            let motif = self.atoms._MOTIF_WM_HINTS;
            conn.change_property32(PropMode::REPLACE, window, motif, motif, &none).expect("sent");
        }
        self.set_hints(window, client);
        let mask = XIEventMask::KEY_PRESS
            | XIEventMask::KEY_RELEASE
            | XIEventMask::BUTTON_PRESS
            | XIEventMask::BUTTON_RELEASE
            | XIEventMask::MOTION;
        let masks = [XiEventMask { deviceid: Device::ALL_MASTER.into(), mask: vec![mask] }];
        conn.xinput_xi_select_events(window, &masks).expect("sent").check().expect("events are selected");
        paint::pattern(conn, window, size, seed);
        {
            let mut seen = self.shared.lock();
            seen.windows[which as usize] = Some(window);
            seen.seeds[which as usize] = seed;
        }
        conn.map_window(window).expect("sent");
        until("the window is shown", PATIENCE, || self.area(window));
        if self.area(window) != Some(client) {
            self.place(which, client);
        }
        self.activate(window);
        self.sync();
    }

    fn place(&mut self, which: Which, client: ScreenRect) {
        let window = self.window(which);
        let seed = self.shared.lock().seeds[which as usize];
        self.set_hints(window, client);
        paint::pattern(&self.conn, window, client.size, seed);
        let ScreenRect { origin, size } = client;
        let to = ConfigureWindowAux::new().x(origin.x).y(origin.y).width(size.width).height(size.height);
        self.conn.configure_window(window, &to).expect("sent");
        self.await_area(window, client);
        self.conn.clear_area(false, window, 0, 0, 0, 0).expect("sent");
        self.sync();
    }

    fn paint(&mut self, which: Which, seed: u32) {
        let window = self.window(which);
        self.shared.lock().seeds[which as usize] = seed;
        let area = self.area(window).expect("the window is shown");
        paint::pattern(&self.conn, window, area.size, seed);
        self.conn.clear_area(false, window, 0, 0, 0, 0).expect("sent");
        self.sync();
    }

    fn close(&mut self, which: Which) {
        let window = self.shared.lock().windows[which as usize].take();
        if let Some(window) = window {
            // It may have closed itself.
            let _gone_already = self.conn.destroy_window(window).expect("sent").check();
            until("the window is gone", PATIENCE, || self.area(window).is_none().then_some(()));
        }
        self.sync();
    }

    fn focus(&mut self, which: Which) {
        self.activate(self.window(which));
        self.sync();
    }

    fn events(&mut self) -> Vec<Seen> {
        self.sync();
        self.shared.lock().events.clone()
    }

    fn forget(&mut self) {
        self.sync();
        let mut seen = self.shared.lock();
        seen.events.clear();
        seen.texts.iter_mut().for_each(String::clear);
        seen.due = None;
    }

    fn text(&mut self, which: Which) -> String {
        self.sync();
        self.shared.lock().texts[which as usize].clone()
    }

    fn held(&mut self) -> Held {
        Held {
            keys: self.state.keys_down().iter().map(|code| format!("keycode {code}")).collect(),
            buttons: self.state.buttons_down().iter().map(|n| format!("button {n}")).collect(),
        }
    }

    fn pointer(&mut self) -> ScreenPx {
        let at = self.state.pointer();
        ScreenPx::new(at.x, at.y)
    }

    fn at(&mut self, events: u32, deed: Deed, told: Box<dyn FnOnce() + Send>) {
        self.sync();
        self.shared.lock().due = Some(Due { events, deed, told });
    }

    fn cursor(&mut self) {
        let cursor = paint::cursor(&self.conn, self.root);
        let windows = self.shared.lock().windows;
        for window in windows.into_iter().flatten() {
            let aux = ChangeWindowAttributesAux::new().cursor(cursor);
            self.conn.change_window_attributes(window, &aux).expect("sent");
        }
        self.sync();
    }

    fn clipboard(&mut self) -> String {
        self.shared.lock().pasted = None;
        self.conn
            .convert_selection(
                self.helper,
                self.atoms.CLIPBOARD,
                self.atoms.UTF8_STRING,
                self.atoms.PASTED,
                x11rb::CURRENT_TIME,
            )
            .expect("sent");
        self.conn.flush().expect("connected");
        until("the selection is given or refused", PATIENCE, || self.shared.lock().pasted.take())
    }

    fn set_clipboard(&mut self, text: &str) {
        self.shared.lock().clipboard = text.to_owned();
        self.conn.set_selection_owner(self.helper, self.atoms.CLIPBOARD, x11rb::CURRENT_TIME).expect("sent");
        self.sync();
    }

    fn resize_screen(&mut self, to: Size) {
        let resize = self.resize.as_mut().expect("a witness that can");
        resize(to);
        until(&format!("the screen is {to}"), PATIENCE, || {
            let now = self.conn.get_geometry(self.root).ok()?.reply().ok()?;
            (Size::new(now.width.into(), now.height.into()) == to).then_some(())
        });
    }
}

impl Drop for XWitness {
    fn drop(&mut self) {
        let end = ClientMessageEvent::new(32, self.helper, self.atoms.MARK, [reader::END, 0, 0, 0, 0]);
        let sent = self.conn.send_event(false, self.helper, EventMask::NO_EVENT, end).is_ok();
        if let (true, true, Some(thread)) = (sent, self.conn.flush().is_ok(), self.thread.take()) {
            // It ends by itself, also with the connection.
            drop(thread.join());
        }
    }
}
