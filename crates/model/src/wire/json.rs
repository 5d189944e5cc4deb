//! Writing JSON into one buffer.
//!
//! A picture of a megabyte would be copied three times on its way through a tree of values; here its base64 is written once,
//! straight into the body. The order of keys is the order of the calls, so equal requests give equal bytes.

use super::base64_len;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handsight_base::flow::prompt::Picture;
use serde::Serialize;

pub(super) struct Json {
    out: Vec<u8>,
    /// True right after `{`, `[` or a key: no comma is due.
    fresh: bool,
}

impl Json {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { out: Vec::with_capacity(bytes), fresh: true }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.out
    }

    fn comma(&mut self) {
        if !self.fresh {
            self.out.push(b',');
        }
        self.fresh = false;
    }

    fn nest(&mut self, open: u8, close: u8, fill: impl FnOnce(&mut Self)) {
        self.comma();
        self.out.push(open);
        self.fresh = true;
        fill(self);
        self.out.push(close);
        self.fresh = false;
    }

    pub(super) fn object(&mut self, fill: impl FnOnce(&mut Self)) {
        self.nest(b'{', b'}', fill);
    }

    pub(super) fn array(&mut self, fill: impl FnOnce(&mut Self)) {
        self.nest(b'[', b']', fill);
    }

    /// A key; exactly one value must follow.
    pub(super) fn key(&mut self, key: &str) -> &mut Self {
        self.value(key);
        self.out.push(b':');
        self.fresh = true;
        self
    }

    /// Texts, numbers and trees. What JSON cannot hold becomes `null`.
    pub(super) fn value<T: Serialize + ?Sized>(&mut self, value: &T) {
        self.comma();
        let before = self.out.len();
        if serde_json::to_writer(&mut self.out, value).is_err() {
            self.out.truncate(before);
            self.out.extend_from_slice(b"null");
        }
    }

    /// A picture as a data URL.
    pub(super) fn picture(&mut self, picture: &Picture) {
        self.comma();
        self.out.extend_from_slice(b"\"data:");
        self.out.extend_from_slice(picture.media_type.as_bytes());
        self.out.extend_from_slice(b";base64,");
        self.encoded(picture);
        self.out.push(b'"');
    }

    /// A picture as bare base64.
    pub(super) fn base64(&mut self, picture: &Picture) {
        self.comma();
        self.out.push(b'"');
        self.encoded(picture);
        self.out.push(b'"');
    }

    fn encoded(&mut self, picture: &Picture) {
        let at = self.out.len();
        self.out.resize(at + base64_len(picture.bytes.len()), 0);
        let free = self.out.get_mut(at..).unwrap_or_default();
        let written = STANDARD.encode_slice(&picture.bytes, free).unwrap_or(0);
        self.out.truncate(at + written);
    }
}
