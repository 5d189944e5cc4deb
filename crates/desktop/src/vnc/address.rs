//! Where a VNC server is: `HOST[:PORT]`, as people and other viewers write it.
//!
//! A number below 100 is a display, `5900 + N`; an IPv6 address stands in brackets when a port follows. This module refuses
//! user names and passwords in an address: it is shown in logs and kept in journals.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The port of display 0.
const FIRST_PORT: u16 = 5900;
/// Numbers below are displays, from here on they are ports.
const FIRST_PORT_AS_IS: u16 = 100;

/// A VNC server's host and TCP port.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VncAddress {
    /// A name, an IPv4 or an IPv6 address without brackets.
    pub host: String,
    pub port: u16,
}

/// Not a server's address; says what one looks like.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no address of a VNC server: {why}; write HOST, HOST:PORT, HOST:DISPLAY or [IPV6]:PORT")]
pub struct AddressError {
    text: String,
    why: &'static str,
}

impl VncAddress {
    /// True if the server is on this machine, by its address alone.
    pub fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }
}

impl FromStr for VncAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let wrong = |why| AddressError { text: text.to_owned(), why };
        if text.contains('@') {
            // Whoever writes one there writes a password next.
            return Err(AddressError { text: "...@...".to_owned(), why: "a user does not belong into it" });
        }
        let (host, number) = if let Some(rest) = text.strip_prefix('[') {
            let (host, rest) = rest.split_once(']').ok_or_else(|| wrong("a bracket is not closed"))?;
            host.parse::<std::net::Ipv6Addr>().map_err(|_| wrong("no IPv6 address is in the brackets"))?;
            match rest.strip_prefix(':') {
                Some(number) => (host, Some(number)),
                None if rest.is_empty() => (host, None),
                None => return Err(wrong("something follows the bracket")),
            }
        } else if text.parse::<std::net::Ipv6Addr>().is_ok() {
            (text, None)
        } else {
            match text.rsplit_once(':') {
                // HOST::PORT is how some viewers write a port.
                Some((host, number)) => (host.strip_suffix(':').unwrap_or(host), Some(number)),
                None => (text, None),
            }
        };
        if host.is_empty() || (host.contains(':') && host.parse::<std::net::Ipv6Addr>().is_err()) {
            return Err(wrong("the host is missing or has a colon in it"));
        }
        if host.chars().any(|c| c.is_whitespace() || c.is_control() || c == '/') {
            return Err(wrong("no host is called so"));
        }
        let port = match number {
            None => FIRST_PORT,
            Some(number) => match number.parse::<u16>() {
                Ok(display) if display < FIRST_PORT_AS_IS => FIRST_PORT + display,
                Ok(port) => port,
                Err(_) => return Err(wrong("the port is no number up to 65535")),
            },
        };
        Ok(Self { host: host.to_owned(), port })
    }
}

impl fmt::Display for VncAddress {
    /// With the port, so that it reads back as the same.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_as_other_viewers_read_it() {
        for (text, told) in [
            ("vm", "vm:5900"),
            ("vm:0", "vm:5900"),
            ("vm:1", "vm:5901"),
            ("vm:99", "vm:5999"),
            ("vm:100", "vm:100"),
            ("vm:5991", "vm:5991"),
            ("vm::5991", "vm:5991"),
            ("127.0.0.1:5901", "127.0.0.1:5901"),
            ("::1", "[::1]:5900"),
            ("[::1]", "[::1]:5900"),
            ("[::1]:2", "[::1]:5902"),
            ("[fe80::1]:5907", "[fe80::1]:5907"),
        ] {
            let address: VncAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), told, "{text}");
            assert_eq!(told.parse::<VncAddress>().unwrap(), address);
        }
        assert!("localhost".parse::<VncAddress>().unwrap().is_loopback());
        assert!("[::1]:1".parse::<VncAddress>().unwrap().is_loopback());
        assert!(!"10.0.0.1".parse::<VncAddress>().unwrap().is_loopback());
    }

    #[test]
    fn what_is_no_address_is_refused_with_the_forms() {
        for text in ["", ":1", "vm:", "vm:x", "vm:65536", "[::1", "[vm]:1", "[::1]1", "a b", "http://vm/"] {
            let error = text.parse::<VncAddress>().unwrap_err().to_string();
            assert!(error.contains("HOST:PORT"), "{text}: {error}");
        }
        let error = "user:hunter2@vm".parse::<VncAddress>().unwrap_err().to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }
}
