//! A key, and how it is kept out of every text that leaves this crate.
//!
//! Redaction is by known value: a short key of a home-made server is found as well as a long one. The value has no `Display` and
//! its `Debug` shows nothing.

use handsight_base::redact::Redactor;
use std::borrow::Cow;
use std::fmt;

#[derive(Clone)]
pub struct Secret {
    value: String,
    redactor: Redactor,
}

impl Secret {
    /// `None` if nothing is left without the white space around it, as of a variable set to "".
    pub fn new(value: &str) -> Option<Self> {
        let value = value.trim();
        (!value.is_empty()).then(|| Self { value: value.to_owned(), redactor: Redactor::of_value(value) })
    }

    /// For the header, and for nothing else.
    pub(crate) fn reveal(&self) -> &str {
        &self.value
    }

    /// The text without the key in any of its forms.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.redactor.redact(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use handsight_base::redact::MARK;

    #[test]
    fn every_form_of_the_key_goes() {
        for key in ["sk-proj-abc/def+123==", "k1", "pass word"] {
            let secret = Secret::new(&format!(" {key}\n")).unwrap();
            assert_eq!(secret.reveal(), key);
            for before in ["", "u", "us", "use", "user:"] {
                let inner = format!("{before}{key}: tail");
                let text = format!("a {inner} b {} c", STANDARD.encode(&inner));
                let clean = secret.redact(&text);
                assert!(!clean.contains(key), "{clean}");
                if key.len() >= 10 {
                    let decoded = clean.rsplit(' ').nth(1).unwrap().to_owned();
                    assert!(decoded.contains(MARK), "{decoded}");
                }
            }
        }
        let secret = Secret::new("a/b c").unwrap();
        assert_eq!(secret.redact("x=a%2Fb%20c"), "x=[key]");
        assert_eq!(format!("{secret:?}"), "Secret");
    }

    #[test]
    fn nothing_is_no_key() {
        assert!(Secret::new("").is_none());
        assert!(Secret::new(" \n").is_none());
    }

    #[test]
    fn other_text_stays_as_it_is() {
        let secret = Secret::new("sk-0123456789").unwrap();
        assert!(matches!(secret.redact("nothing to see, sk-012345678"), Cow::Borrowed(_)));
    }
}
