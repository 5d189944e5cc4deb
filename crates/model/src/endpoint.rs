//! The address of a model service and what can be told from it: is it this machine, is it encrypted.
//!
//! Refuses anything but a plain http(s) address: no password inside it, no query, no fragment.

use crate::provider::SetupError;
use reqwest::Url;
use std::fmt;

/// A base address, without the path of a call (`http://localhost:1234/v1`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    base: Url,
}

impl Endpoint {
    /// Takes an address that ends before the path of a call (`/chat/completions`), or with it.
    pub fn parse(text: &str) -> Result<Self, SetupError> {
        let bad = |why: &str| SetupError::BaseUrl { text: without_userinfo(text), why: why.to_owned() };
        let trimmed = text.trim().trim_end_matches('/');
        let call =
            ["/chat/completions", "/messages", "/responses"].iter().find_map(|c| trimmed.strip_suffix(c));
        let trimmed = call.unwrap_or(trimmed).trim_end_matches('/');
        let base = Url::parse(trimmed).map_err(|e| bad(&e.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(bad("it must begin with http:// or https://"));
        }
        if base.host_str().is_none_or(str::is_empty) {
            return Err(bad("it names no host"));
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(bad("it holds a name or password; give a key by the provider's variable instead"));
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err(bad("it must end before any `?` or `#`"));
        }
        Ok(Self { base })
    }

    /// The address of a call, such as `chat/completions`; what follows a `?` is its query.
    pub(crate) fn call(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let (path, query) = path.split_once('?').map_or((path, None), |(p, q)| (p, Some(q)));
        url.set_query(query);
        url.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        url
    }

    /// Host and, if it is not the scheme's own, port.
    pub fn host(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// True if the service is on this machine, so that nothing leaves it.
    pub fn is_loopback(&self) -> bool {
        let host = self.base.host_str().unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost"
            || host.ends_with(".localhost")
            || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    pub fn is_encrypted(&self) -> bool {
        self.base.scheme() == "https"
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base.as_str().trim_end_matches('/'))
    }
}

/// For the message about an address that was refused: whatever stands before an `@` may be a password.
fn without_userinfo(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((before, after)) => {
            let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
            format!("{scheme}://[redacted]@{after}")
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_address_are_taken() {
        for text in [
            "http://localhost:1234/v1",
            "http://localhost:1234/v1/",
            "http://localhost:1234/v1/chat/completions",
            " http://localhost:1234/v1/chat/completions/ ",
        ] {
            let e = Endpoint::parse(text).unwrap();
            assert_eq!(e.call("chat/completions").as_str(), "http://localhost:1234/v1/chat/completions");
            assert_eq!(e.to_string(), "http://localhost:1234/v1");
            assert_eq!(e.host(), "localhost:1234");
        }
        let bare = Endpoint::parse("https://models.example").unwrap();
        assert_eq!(bare.call("models").as_str(), "https://models.example/models");
        assert_eq!(bare.host(), "models.example");
    }

    #[test]
    fn this_machine_is_told_from_others() {
        for (text, loopback) in [
            ("http://localhost:1234/v1", true),
            ("http://127.0.0.1/v1", true),
            ("http://127.9.9.9:1/v1", true),
            ("http://[::1]:8080/v1", true),
            ("http://box.localhost/v1", true),
            ("http://localhost.example/v1", false),
            ("http://10.0.0.2:1234/v1", false),
            ("https://api.openai.com/v1", false),
        ] {
            assert_eq!(Endpoint::parse(text).unwrap().is_loopback(), loopback, "{text}");
        }
    }

    #[test]
    fn what_is_no_plain_address_is_refused_without_repeating_a_password() {
        for text in
            ["", "localhost:1234", "ftp://x/v1", "file:///etc", "http://", "http://x/v1?key=1", "http://x/#a"]
        {
            assert!(Endpoint::parse(text).is_err(), "{text}");
        }
        let told = Endpoint::parse("http://me:hunter2@box/v1").unwrap_err().to_string();
        assert!(!told.contains("hunter2") && told.contains("box"), "{told}");
    }
}
