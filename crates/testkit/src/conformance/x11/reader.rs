//! The thread of the witness: reads events in their order and acts on them at once.

use super::Atoms;
use super::symbols::Symbols;
use crate::conformance::witness::{Deed, Seen, What, Which};
use handsight_base::flow::action::{Axis, Button};
use handsight_base::key::Key;
use handsight_base::space::{ScreenPx, WindowPx};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xinput::{ButtonPressEvent, KeyEventFlags, KeyPressEvent};
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, InputFocus, PropMode,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Window,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// A mark that ends the thread.
pub(super) const END: u32 = u32::MAX;
const CONTROL: u32 = 4;
const ALT: u32 = 8;

/// What is done after so many more events.
pub(super) struct Due {
    pub(super) events: u32,
    pub(super) deed: Deed,
    pub(super) told: Box<dyn FnOnce() + Send>,
}

/// What the thread has read, and what it is to do.
#[derive(Default)]
pub(super) struct Read {
    pub(super) windows: [Option<Window>; 2],
    pub(super) seeds: [u32; 2],
    pub(super) events: Vec<Seen>,
    pub(super) texts: [String; 2],
    pub(super) due: Option<Due>,
    /// What is given to who asks for the selection.
    pub(super) clipboard: String,
    /// The answer to a question for the selection.
    pub(super) pasted: Option<String>,
    mark: u32,
    ended: bool,
}

/// The same for both threads.
#[derive(Default)]
pub(super) struct Shared {
    read: Mutex<Read>,
    marked: Condvar,
    asked: Mutex<u32>,
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, Read> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn next_mark(&self) -> u32 {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        *asked += 1;
        *asked
    }

    /// Waits until the thread has met the mark; false if it has ended.
    pub(super) fn await_mark(&self, mark: u32) -> bool {
        let waiting = self.marked.wait_while(self.lock(), |read| read.mark < mark && !read.ended);
        let read = waiting.unwrap_or_else(PoisonError::into_inner);
        read.mark >= mark
    }
}

pub(super) struct Reader {
    conn: Arc<RustConnection>,
    root: Window,
    atoms: Atoms,
    helper: Window,
    shared: Arc<Shared>,
    symbols: Symbols,
}

impl Reader {
    pub(super) fn new(
        conn: Arc<RustConnection>,
        root: Window,
        atoms: Atoms,
        helper: Window,
        shared: Arc<Shared>,
    ) -> Self {
        let symbols = Symbols::read(&conn);
        Self { conn, root, atoms, helper, shared, symbols }
    }

    pub(super) fn run(mut self) {
        while let Ok(event) = self.conn.wait_for_event() {
            let ends = matches!(&event, Event::ClientMessage(m) if m.window == self.helper && m.data.as_data32()[0] == END);
            if ends || self.handle(event).is_none() {
                break;
            }
        }
        self.shared.lock().ended = true;
        self.shared.marked.notify_all();
    }

    /// `None` when the connection is gone.
    fn handle(&mut self, event: Event) -> Option<()> {
        match event {
            Event::MappingNotify(_) => self.symbols = Symbols::read(&self.conn),
            Event::ClientMessage(message) => self.message(&message)?,
            Event::XinputKeyPress(e) => self.key(&e, true)?,
            Event::XinputKeyRelease(e) => self.key(&e, false)?,
            Event::XinputButtonPress(e) => self.button(&e, true),
            Event::XinputButtonRelease(e) => self.button(&e, false),
            Event::XinputMotion(e) => {
                self.seen(e.event, What::Move, place((e.root_x, e.root_y), (e.event_x, e.event_y)), e.time)
            }
            Event::SelectionNotify(e) => self.pasted(&e)?,
            Event::SelectionRequest(e) => self.asked(&e)?,
            _ => {}
        }
        Some(())
    }

    fn message(&self, message: &ClientMessageEvent) -> Option<()> {
        let data = message.data.as_data32();
        if message.window == self.helper && message.type_ == self.atoms.MARK {
            self.shared.lock().mark = data[0];
            self.shared.marked.notify_all();
        } else if message.type_ == self.atoms.WM_PROTOCOLS && data[0] == self.atoms._NET_WM_PING {
            let answer = ClientMessageEvent { window: self.root, ..*message };
            let to = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
            self.conn.send_event(false, self.root, to, answer).ok()?;
            self.conn.flush().ok()?;
        }
        Some(())
    }

    fn which(&self, window: Window) -> Option<Which> {
        let windows = self.shared.lock().windows;
        [Which::Main, Which::Other].into_iter().find(|which| windows[*which as usize] == Some(window))
    }

    /// Notes an event and does what is due after it.
    fn seen(&self, window: Window, what: What, (screen, client): (ScreenPx, WindowPx), time: u32) {
        let Some(which) = self.which(window) else { return };
        let mut read = self.shared.lock();
        read.events.push(Seen { window: which, what, screen, client, at_ms: time.into() });
        let Some(mut due) = read.due.take() else { return };
        due.events = due.events.saturating_sub(1);
        if due.events > 0 {
            read.due = Some(due);
            return;
        }
        let windows = read.windows;
        drop(read);
        match (due.deed, windows) {
            (Deed::Close, [Some(main), _]) => drop(self.conn.destroy_window(main)),
            (Deed::Yield, [Some(main), Some(other)]) => {
                drop(self.conn.destroy_window(main));
                drop(self.conn.set_input_focus(InputFocus::PARENT, other, x11rb::CURRENT_TIME));
            }
            (Deed::Unfocus, [_, Some(other)]) => {
                drop(self.conn.set_input_focus(InputFocus::PARENT, other, x11rb::CURRENT_TIME));
            }
            (Deed::Tell | Deed::Close | Deed::Unfocus | Deed::Yield, _) => {}
        }
        // A lost connection ends the loop at its next event.
        drop(self.conn.flush());
        (due.told)();
    }

    fn key(&self, e: &KeyPressEvent, down: bool) -> Option<()> {
        let code = e.detail as u8;
        let repeat = e.flags & KeyEventFlags::KEY_REPEAT == KeyEventFlags::KEY_REPEAT;
        let key = self.symbols.key(code);
        let which = self.which(e.event);
        self.seen(
            e.event,
            What::Key { key, down, repeat },
            place((e.root_x, e.root_y), (e.event_x, e.event_y)),
            e.time,
        );
        let (Some(which), true) = (which, down) else { return Some(()) };
        let modifiers = e.mods.effective;
        if modifiers & (CONTROL | ALT) == 0 {
            self.shared.lock().texts[which as usize].extend(self.symbols.character(code, modifiers));
        } else if modifiers & CONTROL != 0 && key == Some(Key::Char('v')) {
            let Atoms { CLIPBOARD, UTF8_STRING, PASTED, .. } = self.atoms;
            self.conn.convert_selection(e.event, CLIPBOARD, UTF8_STRING, PASTED, e.time).ok()?;
            self.conn.flush().ok()?;
        }
        Some(())
    }

    fn button(&self, e: &ButtonPressEvent, down: bool) {
        let what = match e.detail {
            1 => What::Button { button: Button::Left, down },
            2 => What::Button { button: Button::Middle, down },
            3 => What::Button { button: Button::Right, down },
            8 => What::Button { button: Button::Back, down },
            9 => What::Button { button: Button::Forward, down },
            // A notch is a press and a release.
            4..=7 if !down => return,
            4 => What::Wheel { axis: Axis::Vertical, units: 120 },
            5 => What::Wheel { axis: Axis::Vertical, units: -120 },
            6 => What::Wheel { axis: Axis::Horizontal, units: -120 },
            7 => What::Wheel { axis: Axis::Horizontal, units: 120 },
            // Nothing a check could ask for: seen as a key without a name.
            _ => What::Key { key: None, down, repeat: false },
        };
        self.seen(e.event, what, place((e.root_x, e.root_y), (e.event_x, e.event_y)), e.time);
    }

    /// The selection's text has come for a window, or nobody has any.
    fn pasted(&self, e: &SelectionNotifyEvent) -> Option<()> {
        let mut text = String::new();
        if e.property != x11rb::NONE {
            let asked =
                self.conn.get_property(true, e.requestor, e.property, AtomEnum::ANY, 0, 1 << 20).ok()?;
            text = asked.reply().map(|p| String::from_utf8_lossy(&p.value).into_owned()).unwrap_or_default();
        }
        match self.which(e.requestor) {
            Some(which) => self.shared.lock().texts[which as usize].push_str(&text),
            None => self.shared.lock().pasted = Some(text),
        }
        Some(())
    }

    /// Somebody wants the witness's own selection.
    fn asked(&self, e: &SelectionRequestEvent) -> Option<()> {
        let Atoms { TARGETS, UTF8_STRING, PLAIN, .. } = self.atoms;
        let property = if e.property == x11rb::NONE { e.target } else { e.property };
        let given: Option<Atom> = if e.target == TARGETS {
            let all = [TARGETS, UTF8_STRING, PLAIN];
            let kind = AtomEnum::ATOM;
            self.conn.change_property32(PropMode::REPLACE, e.requestor, property, kind, &all).ok()?;
            Some(property)
        } else if [UTF8_STRING, PLAIN].contains(&e.target) {
            let text = self.shared.lock().clipboard.clone();
            let bytes = text.as_bytes();
            self.conn.change_property8(PropMode::REPLACE, e.requestor, property, e.target, bytes).ok()?;
            Some(property)
        } else {
            None
        };
        let answer = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: e.time,
            requestor: e.requestor,
            selection: e.selection,
            target: e.target,
            property: given.unwrap_or(x11rb::NONE),
        };
        self.conn.send_event(false, e.requestor, EventMask::NO_EVENT, answer).ok()?;
        self.conn.flush().ok()
    }
}

/// Fixed-point numbers of the protocol, on the root and in the window, as whole pixels.
fn place(root: (i32, i32), window: (i32, i32)) -> (ScreenPx, WindowPx) {
    (ScreenPx::new(root.0 >> 16, root.1 >> 16), WindowPx::new(window.0 >> 16, window.1 >> 16))
}
