//! Which VNC server, and what it takes to get in.
//!
//! It travels to the hands' process over their pipe, never on a command line. It refuses to show the password to whoever
//! prints it.

use super::address::VncAddress;
use super::decode::Encoding;
use super::security::TlsMode;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A VNC server with everything a connection to it needs.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    pub address: VncAddress,
    /// For VeNCrypt's `X509Plain` and `Plain` only.
    pub user: Option<String>,
    pub password: Option<String>,
    pub tls: TlsMode,
    /// A PEM file with the authority or the certificate itself, or `sha256:` and the certificate's fingerprint.
    pub ca: Option<String>,
    /// The encodings to ask for, the best first; `None` chooses by how far away the server is.
    pub encodings: Option<Vec<Encoding>>,
}

impl Target {
    /// Without a password, encrypted if the server wants it so.
    pub const fn new(address: VncAddress) -> Self {
        Self { address, user: None, password: None, tls: TlsMode::Auto, ca: None, encodings: None }
    }

    /// What to ask for: on this machine nothing is faster than no compression.
    pub(crate) fn encodings(&self) -> Vec<Encoding> {
        use Encoding::{CopyRect, Hextile, Raw, Tight, Zrle};
        match &self.encodings {
            Some(encodings) => encodings.clone(),
            None if self.address.is_loopback() => vec![CopyRect, Raw],
            None => vec![CopyRect, Tight, Zrle, Hextile, Raw],
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let password = if self.password.is_some() { "a password" } else { "no password" };
        write!(f, "Target({}, {password}, tls {:?}, ca {:?})", self.address, self.tls, self.ca)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_survives_the_pipe_and_is_never_printed() {
        let mut target = Target::new("vm:1".parse().unwrap());
        target.password = Some("hunter2".to_owned());
        assert!(!format!("{target:?}").contains("hunter2"));
        let sent = serde_json::to_string(&target).unwrap();
        assert_eq!(serde_json::from_str::<Target>(&sent).unwrap(), target);
    }
}
