//! Contents larger than a request, handed over piece by piece (`INCR`).

use super::super::connection::{Conn, XResult};
use super::{Atoms, Format};
use std::sync::Arc;
use std::time::Duration;
use x11rb::connection::RequestConnection as _;
use x11rb::protocol::xproto::{
    Atom, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, PropMode, Window as XWindow,
};
use x11rb::wrapper::ConnectionExt as _;

/// A requestor that takes no piece for so long has gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// The largest piece: what a server takes without BIG-REQUESTS is a quarter of this, and no server has that.
pub(super) fn chunk(conn: &Conn) -> usize {
    (conn.maximum_request_bytes() / 2).min(256 * 1024)
}

pub(super) struct Transfer {
    to: XWindow,
    property: Atom,
    kind: Atom,
    bytes: Arc<[u8]>,
    sent: usize,
    /// The empty piece that says that it is over was sent.
    over: bool,
    last: Duration,
}

impl Transfer {
    /// Announces the transfer; the first piece goes out when the requestor deletes the announcement.
    pub(super) fn begin(
        conn: &Conn,
        atoms: &Atoms,
        to: XWindow,
        property: Atom,
        kind: Atom,
        format: &Format,
        now: Duration,
    ) -> XResult<Self> {
        let watch = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        conn.change_window_attributes(to, &watch)?;
        let size = [u32::try_from(format.bytes.len()).unwrap_or(u32::MAX)];
        conn.change_property32(PropMode::REPLACE, to, property, atoms.INCR, &size)?;
        let bytes = Arc::clone(&format.bytes);
        Ok(Self { to, property, kind, bytes, sent: 0, over: false, last: now })
    }

    pub(super) fn is(&self, to: XWindow, property: Atom) -> bool {
        self.to == to && self.property == property && !self.over
    }

    /// Sends the next piece; true if that was the empty one at the end.
    pub(super) fn next(&mut self, conn: &Conn, now: Duration) -> XResult<bool> {
        let end = (self.sent + chunk(conn)).min(self.bytes.len());
        let piece = &self.bytes[self.sent..end];
        conn.change_property8(PropMode::REPLACE, self.to, self.property, self.kind, piece)?;
        self.over = piece.is_empty();
        if self.over {
            let unwatch = ChangeWindowAttributesAux::new().event_mask(EventMask::NO_EVENT);
            conn.change_window_attributes(self.to, &unwatch)?;
        }
        self.sent = end;
        self.last = now;
        Ok(self.over)
    }

    pub(super) fn is_wanted(&self, now: Duration) -> bool {
        !self.over && now.saturating_sub(self.last) < PATIENCE
    }
}
