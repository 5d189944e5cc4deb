//! One pair of hands per display: whoever owns the selection `_HANDSIGHT_HANDS`.
//!
//! The server gives a selection up when its owner's connection ends, so a killed pair of hands blocks nobody. The owner's
//! window carries the process id of the engine, to be named in the refusal.

use super::{atom, broken, lost};
use crate::hands::protocol::{Engine, Fault};
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, CreateWindowAux, PropMode, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

const SELECTION: &str = "_HANDSIGHT_HANDS";
/// The engine's process id and its mark.
const ENGINE: &str = "_HANDSIGHT_ENGINE";
/// Hands that are leaving take so long at most to give keycodes back.
const LEAVING: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(5);

/// Takes the display's hands for `engine`, or says whose they are. Hands that are leaving, or whose engine has
/// ended, are waited for; those of this very engine, whose connection was given up, are taken over.
pub(crate) fn take(conn: &RustConnection, root: Window, engine: Engine) -> Result<Ownership, Fault> {
    let selection = atom(conn, SELECTION)?;
    let property = atom(conn, ENGINE)?;
    let mut waited = Duration::ZERO;
    let before = loop {
        let Some(owner) = owner(conn, selection)? else { break None };
        let theirs = engine_of(conn, owner, property)?;
        if theirs == Some(engine) {
            break Some(owner);
        }
        if theirs.is_some_and(|theirs| lives(theirs.pid)) || waited >= LEAVING {
            return Err(Fault::InUse { pid: theirs.map_or(0, |theirs| theirs.pid) });
        }
        pause();
        waited += PAUSE;
    };
    let window = conn.generate_id().map_err(|why| Fault::Lost { why: why.to_string() })?;
    let class = WindowClass::INPUT_ONLY;
    conn.create_window(0, window, root, -1, -1, 1, 1, 0, class, 0, &CreateWindowAux::new()).map_err(lost)?;
    conn.change_property32(
        PropMode::REPLACE,
        window,
        property,
        AtomEnum::CARDINAL,
        &[engine.pid, engine.mark],
    )
    .map_err(lost)?;
    conn.set_selection_owner(window, selection, x11rb::CURRENT_TIME).map_err(lost)?;
    match owner(conn, selection)? {
        Some(owner) if owner == window => {}
        // Somebody else was faster.
        Some(owner) => {
            return Err(Fault::InUse {
                pid: engine_of(conn, owner, property)?.map_or(0, |theirs| theirs.pid),
            });
        }
        None => return Err(Fault::Lost { why: "the display's hands could not be taken".to_owned() }),
    }
    // The hands before us let go as soon as they learn of it; a frozen process never does.
    while waited < LEAVING && before.is_some_and(|w| conn.get_geometry(w).is_ok_and(|g| g.reply().is_ok())) {
        pause();
        waited += PAUSE;
    }
    Ok(Ownership { window, selection, property })
}

/// The display's hands are ours.
#[derive(Debug)]
pub(crate) struct Ownership {
    window: Window,
    pub selection: Atom,
    property: Atom,
}

impl Ownership {
    /// Says that the engine is gone and the hands are about to follow.
    pub(crate) fn resign(&self, conn: &RustConnection) -> Result<(), Fault> {
        conn.delete_property(self.window, self.property).map_err(lost)?;
        conn.flush().map_err(lost)
    }
}

fn owner(conn: &RustConnection, selection: Atom) -> Result<Option<Window>, Fault> {
    let owner = conn.get_selection_owner(selection).map_err(lost)?.reply().map_err(broken)?.owner;
    Ok((owner != x11rb::NONE).then_some(owner))
}

/// `None` if the window is gone, or its engine.
fn engine_of(conn: &RustConnection, window: Window, property: Atom) -> Result<Option<Engine>, Fault> {
    let reply = conn.get_property(false, window, property, AtomEnum::CARDINAL, 0, 2).map_err(lost)?.reply();
    let numbers: Vec<u32> = reply.ok().and_then(|p| p.value32().map(Iterator::collect)).unwrap_or_default();
    Ok(<[u32; 2]>::try_from(numbers).ok().map(|[pid, mark]| Engine { pid, mark }))
}

fn lives(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[expect(
    clippy::disallowed_methods,
    reason = "before the hands are there, nothing else can need this process"
)]
fn pause() {
    std::thread::sleep(PAUSE);
}
