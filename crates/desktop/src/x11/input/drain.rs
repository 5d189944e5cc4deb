//! Waiting until the focused program has worked off the keys it was sent.
//!
//! A program looks a key up when it takes the event from its queue, not when the key was pressed. Giving a borrowed keycode
//! another symbol before that changes what was typed. So the program is asked with `_NET_WM_PING`, whose answer it sends
//! after everything before. One that does not know the question (xterm) is watched: a process with unread events runs,
//! waits for a processor, or waits for the server, which has answered by the time it answers us; one that has slept on
//! between several looks has read them. One on another machine gets a fixed time.

use crate::hands::protocol::Fault;
use std::path::Path;
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::errors::ReplyError;
use x11rb::protocol::res::{ClientIdMask, ClientIdSpec, ConnectionExt as _};
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt, EventMask, Window,
};
use x11rb::rust_connection::RustConnection;

/// Given to programs that neither answer pings nor can be watched.
const BLIND: Duration = Duration::from_millis(300);
/// For the server to hand its events to a program that is watched.
const HANDOVER: Duration = Duration::from_millis(20);
/// Between two looks at it.
const LOOK: Duration = Duration::from_millis(10);
/// It has to sleep on for so many of them in a row.
const LOOKS: u32 = 3;
/// A program that never rests so long (a game without pings) counts as having read everything.
const RESTLESS: Duration = Duration::from_secs(2);
/// After this a program counts as hanging; what it makes of its keys is its own affair.
const PATIENCE: Duration = Duration::from_secs(3);
/// A toplevel window is never nested deeper.
const DEPTH: usize = 16;

#[derive(Debug)]
pub(crate) struct Drain {
    protocols: Atom,
    ping: Atom,
    root: Window,
    serial: u32,
    waiting: Option<Waiting>,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    until: Duration,
    how: How,
}

#[derive(Debug, Clone, Copy)]
enum How {
    Pinged { answered: bool },
    Watched { pid: u32, sleep: Option<Sleep>, rested: u32 },
    Blind,
}

impl Drain {
    pub(crate) fn new(conn: &RustConnection, root: Window) -> Result<Self, Fault> {
        let protocols = super::atom(conn, "WM_PROTOCOLS")?;
        let ping = super::atom(conn, "_NET_WM_PING")?;
        Ok(Self { protocols, ping, root, serial: 0, waiting: None })
    }

    /// A key was sent: whatever was asked before it tells nothing.
    pub(crate) fn restart(&mut self) {
        self.waiting = None;
    }

    /// `None` once everything up to `last_key` was worked off, else the time to ask again.
    pub(crate) fn wait(
        &mut self,
        conn: &RustConnection,
        last_key: Duration,
        now: Duration,
    ) -> Result<Option<Duration>, Fault> {
        let mut waiting = match self.waiting {
            Some(waiting) => waiting,
            None => self.ask(conn, last_key, now)?,
        };
        let done = match &mut waiting.how {
            How::Pinged { answered } => *answered,
            How::Watched { pid, sleep, rested } => {
                let (before, now_asleep) = (*sleep, asleep(*pid));
                // Earlier looks may come before the events do.
                let counts = now >= last_key + HANDOVER && now_asleep.is_some() && now_asleep == before;
                *rested = if counts { *rested + 1 } else { 0 };
                *sleep = now_asleep;
                *rested >= LOOKS
            }
            How::Blind => false,
        };
        if done || now >= waiting.until {
            if let How::Pinged { .. } = waiting.how {
                self.listen(conn, EventMask::NO_EVENT)?;
            }
            self.waiting = None;
            return Ok(None);
        }
        self.waiting = Some(waiting);
        Ok(Some(match waiting.how {
            How::Watched { .. } => now + LOOK,
            How::Pinged { .. } | How::Blind => waiting.until,
        }))
    }

    /// Begins to wait for the focused program.
    fn ask(&mut self, conn: &RustConnection, last_key: Duration, now: Duration) -> Result<Waiting, Fault> {
        let focus = conn.get_input_focus().map_err(super::lost)?.reply().map_err(super::broken)?.focus;
        // None, or wherever the pointer is.
        if focus <= 1 || focus == self.root {
            return Ok(Waiting { until: last_key + BLIND, how: How::Blind });
        }
        if let Some(window) = self.answers(conn, focus)? {
            self.listen(conn, EventMask::SUBSTRUCTURE_NOTIFY)?;
            self.serial = self.serial.wrapping_add(1);
            let data = [self.ping, self.serial, window, 0, 0];
            let ping = ClientMessageEvent::new(32, window, self.protocols, data);
            conn.send_event(false, window, EventMask::NO_EVENT, ping).map_err(super::lost)?;
            conn.flush().map_err(super::lost)?;
            return Ok(Waiting { until: now + PATIENCE, how: How::Pinged { answered: false } });
        }
        Ok(match process(conn, focus)? {
            Some(pid) if exists(pid) => {
                Waiting { until: now + RESTLESS, how: How::Watched { pid, sleep: None, rested: 0 } }
            }
            _ => Waiting { until: last_key + BLIND, how: How::Blind },
        })
    }

    /// Takes note of an answer.
    pub(crate) fn heard(&mut self, message: &ClientMessageEvent) {
        let data = message.data.as_data32();
        let ours = message.type_ == self.protocols && data[0] == self.ping && data[1] == self.serial;
        if let Some(Waiting { how: How::Pinged { answered }, .. }) = &mut self.waiting {
            *answered |= ours && message.window == self.root;
        }
    }

    /// The answers go to the root window.
    fn listen(&self, conn: &RustConnection, mask: EventMask) -> Result<(), Fault> {
        let aux = ChangeWindowAttributesAux::new().event_mask(mask);
        conn.change_window_attributes(self.root, &aux).map(drop).map_err(super::lost)
    }

    /// The window of the focused program that answers pings: the focus or one around it.
    fn answers(&self, conn: &RustConnection, focus: Window) -> Result<Option<Window>, Fault> {
        let mut window = focus;
        for _ in 0..DEPTH {
            // A window may be gone by now; then nobody is left to answer.
            let protocols = conn.get_property(false, window, self.protocols, AtomEnum::ATOM, 0, 64);
            let Ok(protocols) = protocols.map_err(super::lost)?.reply() else { return Ok(None) };
            if protocols.value32().is_some_and(|mut atoms| atoms.any(|a| a == self.ping)) {
                return Ok(Some(window));
            }
            let Ok(tree) = conn.query_tree(window).map_err(super::lost)?.reply() else { return Ok(None) };
            if tree.parent == self.root || tree.parent == x11rb::NONE {
                return Ok(None);
            }
            window = tree.parent;
        }
        Ok(None)
    }
}

/// The process on this machine that owns a window, as the server knows it.
fn process(conn: &RustConnection, window: Window) -> Result<Option<u32>, Fault> {
    let spec = ClientIdSpec { client: window, mask: ClientIdMask::LOCAL_CLIENT_PID };
    // Without the extension there is nobody to watch.
    let Ok(asked) = conn.res_query_client_ids(&[spec]) else { return Ok(None) };
    match asked.reply() {
        Ok(reply) => Ok(reply.ids.first().and_then(|id| id.value.first().copied())),
        Err(ReplyError::X11Error(_)) => Ok(None),
        Err(lost @ ReplyError::ConnectionError(_)) => Err(super::broken(lost)),
    }
}

/// A sleep of all threads of a process: how often they had gone to sleep or been interrupted by then. Two equal ones are
/// the same sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sleep {
    switches: u64,
}

fn exists(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}

/// `None` if any thread runs, wants to, or is stopped, or nothing can be told.
fn asleep(pid: u32) -> Option<Sleep> {
    let mut switches = 0;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        let Ok(status) = std::fs::read_to_string(thread.ok()?.path().join("status")) else { continue };
        for line in status.lines() {
            match line.split_once(":\t") {
                Some(("State", state)) if !state.starts_with(['S', 'Z']) => return None,
                Some(("voluntary_ctxt_switches" | "nonvoluntary_ctxt_switches", count)) => {
                    switches += count.parse::<u64>().ok()?;
                }
                _ => {}
            }
        }
    }
    Some(Sleep { switches })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    #[test]
    fn a_process_sleeps_the_same_sleep_until_it_has_run() {
        assert_eq!(asleep(std::process::id()), None, "it runs this test");
        let mut cat = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let settled = |cat: u32| {
            (0..2000).find_map(|_| {
                handsight_testkit::wait::before(LOOK, || None::<()>);
                asleep(cat)
            })
        };
        let first = settled(cat.id()).unwrap();
        assert_eq!(asleep(cat.id()), Some(first));
        cat.stdin.as_mut().unwrap().write_all(b"x").unwrap();
        cat.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        assert_ne!(settled(cat.id()), Some(first), "it has read something in between");
        assert!(exists(cat.id()));
        cat.kill().unwrap();
        cat.wait().unwrap();
        assert_eq!((asleep(cat.id()), exists(cat.id())), (None, false));
    }
}
