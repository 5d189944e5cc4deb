//! Waiting until the focused program has worked off the keys it was sent.
//!
//! A program looks a key up when it takes the event from its queue, not when the key was pressed. Giving a borrowed keycode
//! another symbol before that changes what was typed. So the program is asked with `_NET_WM_PING`, whose answer it sends
//! after everything before; a program that does not know the question gets a fixed time.

use crate::hands::protocol::Fault;
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt, EventMask, Window,
};
use x11rb::rust_connection::RustConnection;

/// Given to programs that do not answer pings. Xterm works off 19 keys in a few milliseconds; a busy machine may not
/// let it run for a while.
const BLIND: Duration = Duration::from_millis(200);
/// A program that answers pings, but not within this, hangs.
const PATIENCE: Duration = Duration::from_secs(1);
/// A toplevel window is never nested deeper.
const DEPTH: usize = 16;

#[derive(Debug)]
pub(crate) struct Drain {
    protocols: Atom,
    ping: Atom,
    root: Window,
    serial: u32,
    asked: Option<Asked>,
}

#[derive(Debug, Clone, Copy)]
struct Asked {
    until: Duration,
    answered: bool,
}

impl Drain {
    pub(crate) fn new(conn: &RustConnection, root: Window) -> Result<Self, Fault> {
        let protocols = super::atom(conn, "WM_PROTOCOLS")?;
        let ping = super::atom(conn, "_NET_WM_PING")?;
        Ok(Self { protocols, ping, root, serial: 0, asked: None })
    }

    /// A key was sent: whatever was asked before it tells nothing.
    pub(crate) fn restart(&mut self) {
        self.asked = None;
    }

    /// `None` once everything up to `last_key` was worked off, else the time to ask again.
    pub(crate) fn wait(
        &mut self,
        conn: &RustConnection,
        last_key: Duration,
        now: Duration,
    ) -> Result<Option<Duration>, Fault> {
        if let Some(asked) = self.asked {
            if !asked.answered && now < asked.until {
                return Ok(Some(asked.until));
            }
            self.asked = None;
            self.listen(conn, EventMask::NO_EVENT)?;
            return Ok(None);
        }
        if now >= last_key + PATIENCE {
            return Ok(None);
        }
        match self.focused(conn)? {
            Some(window) => {
                self.listen(conn, EventMask::SUBSTRUCTURE_NOTIFY)?;
                self.serial = self.serial.wrapping_add(1);
                let data = [self.ping, self.serial, window, 0, 0];
                let ping = ClientMessageEvent::new(32, window, self.protocols, data);
                conn.send_event(false, window, EventMask::NO_EVENT, ping).map_err(super::lost)?;
                conn.flush().map_err(super::lost)?;
                let until = now + PATIENCE;
                self.asked = Some(Asked { until, answered: false });
                Ok(Some(until))
            }
            None => Ok(Some(last_key + BLIND).filter(|until| now < *until)),
        }
    }

    /// Takes note of an answer.
    pub(crate) fn heard(&mut self, message: &ClientMessageEvent) {
        let data = message.data.as_data32();
        let ours = message.type_ == self.protocols && data[0] == self.ping && data[1] == self.serial;
        if let Some(asked) = self.asked.as_mut().filter(|_| ours && message.window == self.root) {
            asked.answered = true;
        }
    }

    /// The answers go to the root window.
    fn listen(&self, conn: &RustConnection, mask: EventMask) -> Result<(), Fault> {
        let aux = ChangeWindowAttributesAux::new().event_mask(mask);
        conn.change_window_attributes(self.root, &aux).map(drop).map_err(super::lost)
    }

    /// The focused program's window, if it answers pings.
    fn focused(&self, conn: &RustConnection) -> Result<Option<Window>, Fault> {
        let mut window = conn.get_input_focus().map_err(super::lost)?.reply().map_err(super::broken)?.focus;
        for _ in 0..DEPTH {
            // None, or wherever the pointer is.
            if window <= 1 || window == self.root {
                return Ok(None);
            }
            // A window may be gone by now; then nobody is left to answer.
            let protocols = conn.get_property(false, window, self.protocols, AtomEnum::ATOM, 0, 64);
            let Ok(protocols) = protocols.map_err(super::lost)?.reply() else { return Ok(None) };
            if protocols.value32().is_some_and(|mut atoms| atoms.any(|a| a == self.ping)) {
                return Ok(Some(window));
            }
            let Ok(tree) = conn.query_tree(window).map_err(super::lost)?.reply() else { return Ok(None) };
            window = tree.parent;
        }
        Ok(None)
    }
}
