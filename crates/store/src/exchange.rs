//! Requests and replies of a model as the journal keeps them: whole, and small.
//!
//! Two things would make a journal large: the picture, which is in `frames/` already, and the prompt and tools, which are the
//! same in every request. A picture's base64 gives way to `frame:<hash>`; a request that begins and ends like an earlier one
//! keeps only what is between. Both are undone on reading, to the byte. This module knows no wire: it looks for base64, not for
//! field names.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use handsight_base::flow::frame::FrameHash;
use handsight_base::port::model::Exchange;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The body of an `exchange` row.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Body {
    request: Text,
    /// Where in the request, once it is whole, a reference stands for a picture.
    pictures: Vec<PictureAt>,
    status: u16,
    response: String,
    took: Duration,
    retries: u32,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Text {
    Whole(String),
    /// The first `head` and the last `tail` bytes are those of the request in row `like`.
    Like {
        like: u64,
        head: usize,
        middle: String,
        tail: usize,
    },
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct PictureAt {
    at: usize,
    hash: FrameHash,
}

/// No shorter run of base64 is looked at.
const SHORTEST: usize = 512;
const REFERENCE: &str = "frame:";
const REFERENCE_LEN: usize = REFERENCE.len() + 64;

/// Packs exchanges; holds the last request that was kept whole.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    whole: Option<(u64, String)>,
}

impl Packer {
    /// The body for `exchange` in row `seq`. `keep` stores a picture and says its name, or `None` if it is no picture.
    pub(crate) fn pack(
        &mut self,
        seq: u64,
        exchange: &Exchange,
        keep: &mut dyn FnMut(&[u8]) -> Option<FrameHash>,
    ) -> Body {
        let (request, pictures) = take_pictures(&exchange.request, keep);
        Body {
            request: self.shorten(seq, request),
            pictures,
            status: exchange.status,
            response: exchange.response.clone(),
            took: exchange.took,
            retries: exchange.retries,
        }
    }

    fn shorten(&mut self, seq: u64, request: String) -> Text {
        if let Some((like, whole)) = &self.whole {
            let (head, tail) = common(whole, &request);
            if (head + tail) * 2 > request.len() {
                let middle = request[head..request.len() - tail].to_owned();
                return Text::Like { like: *like, head, middle, tail };
            }
        }
        self.whole = Some((seq, request.clone()));
        Text::Whole(request)
    }
}

/// How many bytes two texts have in common at their beginnings and ends, on character borders and without overlap.
fn common(a: &str, b: &str) -> (usize, usize) {
    let mut head = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    while !(a.is_char_boundary(head) && b.is_char_boundary(head)) {
        head -= 1;
    }
    let (a, b) = (&a[head..], &b[head..]);
    let mut tail = a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count();
    while !(a.is_char_boundary(a.len() - tail) && b.is_char_boundary(b.len() - tail)) {
        tail -= 1;
    }
    (head, tail)
}

/// Replaces each run of base64 that decodes to a picture by a reference.
fn take_pictures(
    request: &str,
    keep: &mut dyn FnMut(&[u8]) -> Option<FrameHash>,
) -> (String, Vec<PictureAt>) {
    let mut text = String::with_capacity(request.len().min(64 << 10));
    let mut pictures = Vec::new();
    let mut copied = 0;
    for (from, to) in base64_runs(request.as_bytes()) {
        let run = &request[from..to];
        let Ok(bytes) = BASE64_STANDARD.decode(run) else { continue };
        // Undone by encoding again, so only what comes back the same may go.
        if BASE64_STANDARD.encode(&bytes) != run {
            continue;
        }
        let Some(hash) = keep(&bytes) else { continue };
        text.push_str(&request[copied..from]);
        pictures.push(PictureAt { at: text.len(), hash });
        text.push_str(REFERENCE);
        text.push_str(&hash.to_hex());
        copied = to;
    }
    text.push_str(&request[copied..]);
    (text, pictures)
}

/// Where runs of at least [`SHORTEST`] base64 characters begin and end.
fn base64_runs(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut from = 0;
    // In a long run, a look at every `SHORTEST`th byte is enough to find it; the rest is found from there.
    while from + SHORTEST <= bytes.len() {
        let last = from + SHORTEST - 1;
        match bytes[from..=last].iter().rposition(|b| !is_base64(*b)) {
            Some(stop) => from += stop + 1,
            None => {
                let to = bytes[last..].iter().position(|b| !is_base64(*b)).map_or(bytes.len(), |n| last + n);
                let to = to + bytes[to..].iter().take(2).take_while(|b| **b == b'=').count();
                runs.push((from, to));
                from = to;
            }
        }
    }
    runs
}

const fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'+' || b == b'/'
}

impl Body {
    /// The row whose request this one is like.
    pub(crate) fn like(&self) -> Option<u64> {
        match &self.request {
            Text::Whole(_) => None,
            Text::Like { like, .. } => Some(*like),
        }
    }

    /// The request without pictures; `like` is the body of the row [`Self::like`] names.
    fn text(&self, like: Option<&Self>) -> Result<String, String> {
        match &self.request {
            Text::Whole(whole) => Ok(whole.clone()),
            Text::Like { like: seq, head, middle, tail } => {
                let lost = || format!("the request was kept as a difference to row {seq}, which is lost");
                let Some(Self { request: Text::Whole(whole), .. }) = like else { return Err(lost()) };
                let start = whole.get(..*head).ok_or_else(lost)?;
                let end = whole.len().checked_sub(*tail).and_then(|at| whole.get(at..)).ok_or_else(lost)?;
                Ok(format!("{start}{middle}{end}"))
            }
        }
    }

    /// The exchange as it was, and what could not be restored.
    pub(crate) fn unpack(
        self,
        like: Option<&Self>,
        picture: &mut dyn FnMut(&FrameHash) -> Result<Vec<u8>, String>,
    ) -> (Exchange, Vec<String>) {
        let mut missing = Vec::new();
        let text = self.text(like).unwrap_or_else(|why| {
            missing.push(why);
            String::new()
        });
        let mut request = String::with_capacity(text.len());
        let mut copied = 0;
        for PictureAt { at, hash } in &self.pictures {
            let reference = *at..at + REFERENCE_LEN;
            let restored = match text.get(reference.clone()) {
                Some(_) => picture(hash),
                None => continue,
            };
            match restored {
                Ok(bytes) => {
                    request.push_str(&text[copied..*at]);
                    BASE64_STANDARD.encode_string(bytes, &mut request);
                    copied = reference.end;
                }
                Err(why) => missing.push(why),
            }
        }
        request.push_str(&text[copied..]);
        let Self { status, response, took, retries, .. } = self;
        (Exchange { request, status, response, took, retries }, missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::flow::format::PictureFormat;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn png(n: u8, len: usize) -> Vec<u8> {
        let mut bytes = vec![0x89, b'P', b'N', b'G'];
        bytes.extend((0..len).map(|i| (i as u8).wrapping_mul(31) ^ n));
        bytes
    }

    fn request(n: usize, picture: &[u8]) -> String {
        let system = "You see a screen. ".repeat(100);
        let data = BASE64_STANDARD.encode(picture);
        format!(
            "{{\"system\":\"{system}\",\"user\":\"r\u{e9}ason {n}\",\"url\":\"data:image/png;base64,{data}\",\"t\":0.7}}"
        )
    }

    /// Packs and unpacks; the sizes of the bodies and what came back.
    fn round(requests: &[String]) -> (Vec<usize>, Vec<String>) {
        let mut packer = Packer::default();
        let mut frames = HashMap::new();
        let mut bodies = HashMap::new();
        for (i, request) in requests.iter().enumerate() {
            let exchange = Exchange { request: request.clone(), status: 200, ..Exchange::default() };
            let body = packer.pack(i as u64, &exchange, &mut |bytes| {
                PictureFormat::of(bytes)?;
                let hash = FrameHash::of(bytes);
                frames.insert(hash, bytes.to_vec());
                Some(hash)
            });
            bodies.insert(i as u64, serde_json::to_string(&body).unwrap());
        }
        let read = |seq| serde_json::from_str::<Body>(&bodies[&seq]).unwrap();
        let back = (0..requests.len() as u64).map(|seq| {
            let body = read(seq);
            let like = body.like().map(read);
            let (exchange, missing) = body.unpack(like.as_ref(), &mut |hash| Ok(frames[hash].clone()));
            assert_eq!(missing, Vec::<String>::new());
            exchange.request
        });
        ((0..requests.len() as u64).map(|seq| bodies[&seq].len()).collect(), back.collect())
    }

    #[test]
    fn a_run_of_requests_is_small_and_comes_back_to_the_byte() {
        let requests: Vec<String> = (0..5).map(|n| request(n, &png(n as u8, 200_000))).collect();
        let (sizes, back) = round(&requests);
        assert!(back == requests, "a request came back changed");
        assert!(sizes[0] < 3_000 && sizes[1..].iter().all(|s| *s < 500), "{sizes:?}");
    }

    #[test]
    fn base64_of_anything_else_stays() {
        let noise = BASE64_STANDARD.encode([7; 3_000]);
        let not_canonical = format!("{}R==", &BASE64_STANDARD.encode(png(1, 3_002))[..4_005]);
        for text in [noise, not_canonical, "a".repeat(5_000), "frame:0123".repeat(99)] {
            let (_, back) = round(std::slice::from_ref(&text));
            assert!(back[0] == text, "changed");
        }
    }

    #[test]
    fn a_lost_picture_and_a_lost_row_are_named() {
        let mut packer = Packer::default();
        let keep = &mut |bytes: &[u8]| Some(FrameHash::of(bytes));
        let make = |n| Exchange {
            request: request(n, &png(1, 2_000)),
            response: "ok".into(),
            ..Exchange::default()
        };
        packer.pack(1, &make(1), keep);
        let body = packer.pack(2, &make(2), keep);
        let (exchange, missing) = body.unpack(None, &mut |_| Err("gone".into()));
        assert_eq!(missing, ["the request was kept as a difference to row 1, which is lost"]);
        assert_eq!((exchange.request.as_str(), exchange.response.as_str()), ("", "ok"));
        let body = Packer::default().pack(1, &make(1), keep);
        let (exchange, missing) = body.unpack(None, &mut |_| Err("gone".into()));
        assert_eq!(missing, ["gone"]);
        assert!(exchange.request.contains(&format!("frame:{}", FrameHash::of(&png(1, 2_000)).to_hex())));
    }

    proptest! {
        #[test]
        fn any_texts_come_back(texts in proptest::collection::vec("[a-c\u{e9}\u{20ac}]{0,40}", 1..6)) {
            let (_, back) = round(&texts);
            prop_assert_eq!(back, texts);
        }
    }
}
