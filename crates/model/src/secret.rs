//! A key, and how it is kept out of every text that leaves this crate.
//!
//! Redaction is by known value, not by pattern: a short key of a home-made server is found as well as a long one. The value has
//! no `Display` and its `Debug` shows nothing.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use std::borrow::Cow;
use std::fmt;

const MARK: &str = "[key]";

#[derive(Clone)]
pub struct Secret {
    value: String,
    /// The key as it may appear: bare, percent-encoded, inside base64 at any of its three alignments.
    forms: Vec<String>,
}

impl Secret {
    /// `None` if nothing is left without the white space around it, as of a variable set to "".
    pub fn new(value: &str) -> Option<Self> {
        let value = value.trim();
        if value.is_empty() {
            return None;
        }
        let mut forms = vec![value.to_owned()];
        let percent: String = value.bytes().fold(String::new(), |mut out, b| {
            if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) {
                out.push(char::from(b));
            } else {
                out.push_str(&format!("%{b:02X}"));
            }
            out
        });
        forms.push(percent);
        for skipped in 0..3_usize {
            for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
                let mut bytes = vec![0; skipped];
                bytes.extend_from_slice(value.as_bytes());
                let whole = engine.encode(&bytes);
                // The characters that depend on the key alone, whatever stands before and after it.
                let first = (skipped * 8).div_ceil(6);
                let last = bytes.len() * 8 / 6;
                if let Some(inner) = whole.get(first..last).filter(|s| s.len() >= 8) {
                    forms.push(inner.to_owned());
                }
            }
        }
        forms.sort_by_key(|f| std::cmp::Reverse(f.len()));
        forms.dedup();
        Some(Self { value: value.to_owned(), forms })
    }

    /// For the header, and for nothing else.
    pub(crate) fn reveal(&self) -> &str {
        &self.value
    }

    /// The text without the key in any of its forms.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = Cow::Borrowed(text);
        for form in &self.forms {
            if out.contains(form.as_str()) {
                out = Cow::Owned(out.replace(form.as_str(), MARK));
            }
        }
        out
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
    use base64::engine::general_purpose::STANDARD;

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
