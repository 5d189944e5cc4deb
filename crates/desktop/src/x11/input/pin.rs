//! The focus, held still while a character is sent.
//!
//! To ask where the focus is and to send a key are two requests, and between two requests the focus may move. So both are made
//! while the server listens to nobody else, over a connection of their own: only the client that grabbed the server may speak
//! until it lets go. The hands' other connection is impervious to grabs and could; but now and then, one time in a thousand, the
//! server then answers neither.
//!
//! Another program may hold the server as well, for as long as it likes. The hands must hear a stop and let go of keys meanwhile,
//! so an answer is waited for only so long, and what was asked is taken back.

use super::fault::{broken, lost, refusal};
use crate::hands::injector::{Code, Event, Focus, NOBODY};
use crate::hands::protocol::Fault;
use crate::hands::system;
use handsight_base::port::clock::{Clock, RealClock};
use std::cell::RefCell;
use std::os::fd::AsFd;
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::errors::ReplyError;
use x11rb::protocol::Event as XEvent;
use x11rb::protocol::xproto::{
    self, Atom, AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, Window,
    WindowClass,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// For an answer; the server gives it in a tenth of a millisecond.
const ANSWER: Duration = Duration::from_millis(10);
/// A window is never nested deeper.
const DEPTH: usize = 32;
/// `GetInputFocus` for "where the pointer is".
const POINTER_ROOT: Window = 1;

pub(super) struct Pin {
    conn: RustConnection,
    root: Window,
    /// Never shown: gets the marks that follow an answer.
    helper: Window,
    mark: u32,
    /// The window that had the focus last, and all it lies in.
    line: Vec<Window>,
    /// The server listens to nobody else.
    held: bool,
    title: Atom,
    clock: RealClock,
    refused: RefCell<Option<Fault>>,
}

impl Pin {
    /// On the screen whose root this is.
    pub(super) fn connect(display: &str, root: Window) -> Result<Self, Fault> {
        let (conn, _) = RustConnection::connect(Some(display)).map_err(|why| Fault::Lost {
            why: format!("the X server takes no second connection of the hands ({why})"),
        })?;
        let helper = conn.generate_id().map_err(|why| Fault::Lost { why: why.to_string() })?;
        let (class, aux) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
        conn.create_window(0, helper, root, -1, -1, 1, 1, 0, class, 0, &aux).map_err(lost)?;
        // Asked now, so that nothing is asked the first time while the server is held.
        conn.xtest_get_version(2, 2).map_err(lost)?.reply().map_err(broken)?;
        let title = super::atom(&conn, "_NET_WM_NAME")?;
        let clock = RealClock::new();
        Ok(Self {
            conn,
            root,
            helper,
            mark: 0,
            line: Vec::new(),
            held: false,
            title,
            clock,
            refused: RefCell::default(),
        })
    }

    /// Says where the focus is; unless the server does not, it is held there until [`Pin::release`]. A focus within `meant` is
    /// told as `meant`.
    pub(super) fn hold(&mut self, meant: Option<u64>) -> Result<Focus, Fault> {
        self.mark = self.mark.wrapping_add(1);
        self.conn.grab_server().map_err(lost)?;
        let focus = self.conn.get_input_focus().map_err(lost)?;
        let pointer = self.conn.query_pointer(self.root).map_err(lost)?;
        if !self.is_answered()? {
            // Undone as soon as it is done, whenever that is.
            self.conn.ungrab_server().map_err(lost)?;
            self.conn.flush().map_err(lost)?;
            return Ok(Focus::Silent);
        }
        let answers = (focus.reply().map_err(broken), pointer.reply().map_err(broken));
        self.held = true;
        let (focus, pointer) = (answers.0?.focus, answers.1?.child);
        let focus = match focus {
            x11rb::NONE => return Ok(Focus::On(NOBODY)),
            POINTER_ROOT if pointer == x11rb::NONE => self.root,
            POINTER_ROOT => pointer,
            window => window,
        };
        self.follow(focus)?;
        let is_meant = |window: &&Window| meant == Some(u64::from(**window));
        let told = self.line.iter().find(is_meant).or(self.line.last());
        Ok(Focus::On(told.map_or(NOBODY, |window| u64::from(*window))))
    }

    /// True while only this connection may speak to the server.
    pub(super) const fn holds(&self) -> bool {
        self.held
    }

    /// Lets the server listen to others again and returns when it does: what was sent is with the window by then.
    pub(super) fn release(&mut self) -> Result<(), Fault> {
        if !std::mem::take(&mut self.held) {
            return Ok(());
        }
        self.conn.ungrab_server().map_err(lost)?;
        self.conn.get_input_focus().map_err(lost)?.reply().map_err(broken)?;
        self.pump()?;
        self.refused.take().map_or(Ok(()), Err)
    }

    /// Sends a key while the server is held. Text is nothing else here.
    pub(super) fn send(&self, event: Event) -> Result<(), Fault> {
        let (kind, code) = match event {
            Event::Press(Code::Key(code)) => (xproto::KEY_PRESS_EVENT, code),
            Event::Release(Code::Key(code)) => (xproto::KEY_RELEASE_EVENT, code),
            Event::Move(_)
            | Event::Press(Code::Button(_))
            | Event::Release(Code::Button(_))
            | Event::Notch { .. }
            | Event::Wheel { .. }
            | Event::Character(_) => return Ok(()),
        };
        let sent = self.conn.xtest_fake_input(kind, code as u8, x11rb::CURRENT_TIME, self.root, 0, 0, 0);
        sent.map(drop).map_err(lost)
    }

    /// The title of the window that the focus lies in, in quotes, or its number.
    pub(super) fn name_of(&self, window: u64) -> Result<String, Fault> {
        let asked = |window: &Window, property: Atom| {
            self.conn.get_property(false, *window, property, AtomEnum::ANY, 0, 64).map_err(lost)
        };
        for window in &self.line {
            for property in [self.title, AtomEnum::WM_NAME.into()] {
                match asked(window, property)?.reply() {
                    Ok(title) if !title.value.is_empty() => {
                        return Ok(format!("{:?}", String::from_utf8_lossy(&title.value)));
                    }
                    // Without one a number has to do.
                    Ok(_) | Err(ReplyError::X11Error(_)) => {}
                    Err(why @ ReplyError::ConnectionError(_)) => return Err(broken(why)),
                }
            }
        }
        Ok(format!("{window:#x}"))
    }

    /// Takes in what came by itself: every client hears of new layouts.
    pub(super) fn pump(&self) -> Result<(), Fault> {
        while let Some(event) = self.conn.poll_for_event().map_err(lost)? {
            self.heard(&event);
        }
        Ok(())
    }

    fn heard(&self, event: &XEvent) {
        if let XEvent::Error(e) = event {
            let before = self.refused.take();
            self.refused.replace(refusal(e).or(before));
        }
    }

    /// Waits for what was asked before. A mark of our own comes behind the answers, because only events can be waited for with
    /// an end.
    fn is_answered(&self) -> Result<bool, Fault> {
        let mark = ClientMessageEvent::new(32, self.helper, AtomEnum::INTEGER, [self.mark, 0, 0, 0, 0]);
        self.conn.send_event(false, self.helper, EventMask::NO_EVENT, mark).map_err(lost)?;
        self.conn.flush().map_err(lost)?;
        let until = self.clock.now() + ANSWER;
        loop {
            while let Some(event) = self.conn.poll_for_event().map_err(lost)? {
                match &event {
                    XEvent::ClientMessage(m) if m.data.as_data32()[0] == self.mark => return Ok(true),
                    other => self.heard(other),
                }
            }
            let now = self.clock.now();
            if now >= until {
                return Ok(false);
            }
            system::wait(&[self.conn.stream().as_fd()], Some(until - now));
        }
    }

    /// Learns what the focus lies in. A program moves its focus about within its window.
    fn follow(&mut self, focus: Window) -> Result<(), Fault> {
        if self.line.first() == Some(&focus) {
            return Ok(());
        }
        self.line = vec![focus];
        let mut window = focus;
        while window != self.root && self.line.len() < DEPTH {
            let parent = self.conn.query_tree(window).map_err(lost)?.reply().map_err(broken)?.parent;
            if parent == self.root || parent == x11rb::NONE {
                break;
            }
            self.line.push(parent);
            window = parent;
        }
        Ok(())
    }
}
