//! Raising the overlay above its rivals, at once and again a little later, beside the caller (S-59).
//!
//! Failing to raise is ignored (S-86): the refusal comes as an event and is dropped.

use super::connection::Conn;
use handsight_base::port::desktop::DesktopError;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConfigureWindowAux, ConnectionExt as _, StackMode, Window as XWindow};

/// Between two raises of one rendering.
const APART: Duration = Duration::from_millis(50);

pub(crate) fn raise(conn: &Conn, window: XWindow) {
    let aux = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
    let sent = conn.configure_window(window, &aux).map(|_| ()).and_then(|()| conn.flush());
    if let Err(error) = sent {
        tracing::debug!("the overlay was not raised: {error}");
    }
}

/// A thread for the later pulses; it ends when this is dropped.
pub(crate) struct Raiser {
    inbox: SyncSender<(XWindow, u32)>,
}

impl Raiser {
    pub(crate) fn start(conn: &Conn) -> Result<Self, DesktopError> {
        let (inbox, windows) = sync_channel(1);
        let conn = Arc::clone(conn);
        std::thread::Builder::new()
            .name("overlay".into())
            .stack_size(64 * 1024)
            .spawn(move || run(&conn, &windows))
            .map_err(|e| DesktopError::Overlay { why: format!("no thread to raise it: {e}"), code: None })?;
        Ok(Self { inbox })
    }

    /// Raises `window` so many times from now on. A later wish replaces an earlier one.
    pub(crate) fn raise_later(&self, window: XWindow, pulses: u32) {
        // A full inbox holds a wish that is still to come.
        let _queued = self.inbox.try_send((window, pulses));
    }
}

fn run(conn: &Conn, windows: &Receiver<(XWindow, u32)>) {
    while let Ok((mut window, mut left)) = windows.recv() {
        while left > 0 {
            match windows.recv_timeout(APART) {
                Ok(newer) => (window, left) = newer,
                Err(RecvTimeoutError::Timeout) => {
                    raise(conn, window);
                    left -= 1;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}
