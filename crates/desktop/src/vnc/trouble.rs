//! What can go wrong with a VNC server, and who has to act on it.
//!
//! Inside, errors do not know which server they are about; [`Trouble::at`] adds the place when they leave. Text that came
//! from the server is shortened and cleaned before it is shown. No password is ever part of an error.

use super::address::VncAddress;
use crate::hands::Fault;
use handsight_base::port::desktop::DesktopError;
use std::io;
use std::time::Duration;

/// The longest text of a server that is shown.
const SHOWN: usize = 200;

/// Why a server could not be worked with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The server ended the connection.
    Closed,
    /// Nothing came for so long.
    Stalled(Duration),
    /// The network.
    Io(String),
    /// What came is no RFB, or more than anybody may ask us to keep.
    Broken(String),
    /// A person has to do something first.
    Unusable { why: String, remedy: String },
}

impl Trouble {
    pub(crate) fn broken(why: impl Into<String>) -> Self {
        Self::Broken(why.into())
    }

    pub(crate) fn unusable(why: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Unusable { why: why.into(), remedy: remedy.into() }
    }

    fn words(&self, server: &VncAddress) -> String {
        match self {
            Self::Closed => format!("the VNC server {server} closed the connection"),
            Self::Stalled(after) => {
                format!("the VNC server {server} said nothing for {:.1} s", after.as_secs_f64())
            }
            Self::Io(why) => format!("the connection to the VNC server {server} broke: {why}"),
            Self::Broken(why) => {
                format!("the VNC server {server} sent what is no RFB, or not acceptable: {why}")
            }
            Self::Unusable { why, .. } => format!("the VNC server {server} {why}"),
        }
    }

    /// In the words of the desktop.
    pub(crate) fn at(self, server: &VncAddress) -> DesktopError {
        let why = self.words(server);
        match self {
            Self::Unusable { remedy, .. } => DesktopError::Unusable { why, remedy },
            Self::Closed | Self::Stalled(_) | Self::Io(_) | Self::Broken(_) => DesktopError::Lost { why },
        }
    }

    /// In the words of the hands.
    pub(crate) fn fault(self, server: &VncAddress) -> Fault {
        let why = self.words(server);
        match self {
            Self::Unusable { remedy, .. } => Fault::Unusable { why, remedy },
            Self::Closed | Self::Stalled(_) | Self::Io(_) | Self::Broken(_) => Fault::Lost { why },
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(why: io::Error) -> Self {
        match why.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Io(why.to_string()),
        }
    }
}

/// A server's words as they may be shown: short, on one line, without control characters.
pub(crate) fn quoted(text: &[u8]) -> String {
    let clean: String = String::from_utf8_lossy(text)
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(SHOWN)
        .collect();
    clean.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_server_and_are_sorted_by_who_must_act() {
        let server: VncAddress = "vm:1".parse().unwrap();
        let lost = Trouble::Closed.at(&server);
        assert!(matches!(&lost, DesktopError::Lost { why } if why.contains("vm:5901")), "{lost}");
        let told = Trouble::unusable("asks for a password", "Give one").at(&server).to_string();
        assert_eq!(told, "no usable desktop: the VNC server vm:5901 asks for a password. Give one");
        let closed = Trouble::from(io::Error::from(io::ErrorKind::ConnectionReset));
        assert_eq!(closed, Trouble::Closed);
    }

    #[test]
    fn a_servers_words_are_cleaned() {
        assert_eq!(quoted(b" Authentication\r\nfailed\x1b[2J "), "Authentication  failed [2J");
        assert_eq!(quoted(&[b'x'; 5000]).len(), SHOWN);
    }
}
