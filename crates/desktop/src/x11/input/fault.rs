//! What the X server refuses, in the words of the hands.

use crate::hands::protocol::Fault;
use x11rb::errors::{ConnectionError, ReplyError};
use x11rb::protocol::xproto::{Atom, ConnectionExt as _};
use x11rb::rust_connection::RustConnection;
use x11rb::x11_utils::X11Error;

pub(super) fn atom(conn: &RustConnection, name: &str) -> Result<Atom, Fault> {
    Ok(conn.intern_atom(false, name.as_bytes()).map_err(lost)?.reply().map_err(broken)?.atom)
}

pub(super) fn lost(why: ConnectionError) -> Fault {
    Fault::Lost { why: format!("the X server does not answer the hands any more ({why})") }
}

pub(super) fn broken(why: ReplyError) -> Fault {
    match why {
        ReplyError::ConnectionError(why) => lost(why),
        ReplyError::X11Error(e) => {
            let request = e.request_name.unwrap_or("a request");
            Fault::Refused {
                why: format!("the X server answered {:?} to {request}", e.error_kind),
                code: Some(e.error_code.into()),
            }
        }
    }
}

/// What the server says of an event it did not take.
pub(super) fn refusal(e: &X11Error) -> Option<Fault> {
    (e.extension_name.as_deref() == Some("XTEST")).then(|| {
        let request = e.request_name.unwrap_or("a request");
        let why = format!("the X server answered {:?} to XTEST {request}", e.error_kind);
        Fault::Refused { why, code: Some(e.error_code.into()) }
    })
}

pub(super) fn no_key(symbol: u32) -> Fault {
    Fault::NoKey { key: format!("keysym {symbol:#x}") }
}

pub(super) fn unwritten(why: &std::io::Error) -> Fault {
    Fault::Refused {
        why: format!(
            "the file that lists borrowed keycodes cannot be written ({why}); make room in the state folder"
        ),
        code: why.raw_os_error().map(i64::from),
    }
}
