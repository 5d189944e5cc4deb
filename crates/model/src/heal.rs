//! A history that a service refuses for one of its pictures heals itself (R35).
//!
//! A picture that is over a limit nobody knew of is refused again with every request that still holds it: the run would be dead.
//! Here the picture goes, a line of text takes its place, and the request is made once more; it stays out of all later requests.
//! The newest picture is what the model is asked about, so it goes only if the service names it. Never twice for one request, and
//! the same request is never sent again.

use crate::usage::pictures;
use handsight_base::flow::format::PictureLimits;
use handsight_base::flow::prompt::{Picture, Sampling};
use handsight_base::port::BoxFuture;
use handsight_base::port::model::{
    Exchange, Model, ModelError, ModelReply, ModelRequest, Part, Room, Weight,
};
use handsight_base::stop::Stop;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What stands in place of a picture.
const GONE: &str = "[a picture was taken out here: the service refused it]";

pub(crate) type Hash = [u8; 32];

/// A model whose history loses what its service refuses.
pub struct Healing {
    inner: Arc<dyn Model>,
    refused: Mutex<BTreeSet<Hash>>,
}

impl Healing {
    pub fn new(inner: Arc<dyn Model>) -> Self {
        Self { inner, refused: Mutex::default() }
    }

    /// The request without what was refused before.
    fn healed<'a>(&self, request: &'a ModelRequest) -> Cow<'a, ModelRequest> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.is_empty() { Cow::Borrowed(request) } else { without(request, &refused, GONE) }
    }
}

impl Model for Healing {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn picture_limits(&self) -> PictureLimits {
        self.inner.picture_limits()
    }

    fn room(&self, sampling: &Sampling) -> Room {
        self.inner.room(sampling)
    }

    fn weigh(&self, request: &ModelRequest) -> Weight {
        self.inner.weigh(request)
    }

    fn count<'a>(&'a self, request: &'a ModelRequest, stop: &'a Stop) -> BoxFuture<'a, Option<u64>> {
        self.inner.count(request, stop)
    }

    fn recall(&self, exchange: &Exchange) -> Option<ModelReply> {
        self.inner.recall(exchange)
    }

    fn pause(&self) -> Option<Duration> {
        self.inner.pause()
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            let first = self.healed(request);
            let error = match self.inner.ask(&first, stop).await {
                Err(error) => error,
                reply => return reply,
            };
            let Some(hash) = offending(&first, &error) else { return Err(error) };
            tracing::warn!("a picture of the history is left out from now on: {error}");
            self.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(hash);
            self.inner.ask(&self.healed(request), stop).await
        })
    }
}

pub(crate) fn hash(picture: &Picture) -> Hash {
    *blake3::hash(&picture.bytes).as_bytes()
}

/// The request without these pictures, with words in place of each.
pub(crate) fn without<'a>(
    request: &'a ModelRequest,
    refused: &BTreeSet<Hash>,
    words: &str,
) -> Cow<'a, ModelRequest> {
    if !pictures(request).any(|p| refused.contains(&hash(p))) {
        return Cow::Borrowed(request);
    }
    let mut request = request.clone();
    for part in request.messages.iter_mut().flat_map(|m| &mut m.parts) {
        match part {
            Part::Picture(picture) if refused.contains(&hash(picture)) => {
                *part = Part::Text(words.to_owned())
            }
            Part::Result { text, picture, .. }
                if picture.as_ref().is_some_and(|p| refused.contains(&hash(p))) =>
            {
                *picture = None;
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(words);
            }
            Part::Picture(_) | Part::Text(_) | Part::Call(_) | Part::Result { .. } => {}
        }
    }
    Cow::Owned(request)
}

/// The picture that a refusal is about, as far as its words tell.
fn offending(request: &ModelRequest, error: &ModelError) -> Option<Hash> {
    let ModelError::Http { status, body, .. } = error else { return None };
    let words = body.to_lowercase();
    let speaks_of = |list: &[&str]| list.iter().any(|w| words.contains(w));
    let about = match status {
        413 => true,
        400 | 422 => speaks_of(&["image", "picture", "base64", "media_type", "pixels"]),
        _ => false,
    };
    if !about {
        return None;
    }
    if let Some(named) = named(request, &words) {
        return Some(hash(named));
    }
    let all: Vec<&Picture> = pictures(request).collect();
    let (_newest, history) = all.split_last()?;
    let large = *status == 413 || speaks_of(&["exceed", "large", "size", "limit", "maximum", "dimension"]);
    let picture = if large { history.iter().max_by_key(|p| p.bytes.len()) } else { history.first() };
    picture.map(|p| hash(p))
}

/// The picture at `messages.3.content.1...` or `messages[3].content[1]`, as services name places; the only one of the message if
/// the part is not told.
fn named<'a>(request: &'a ModelRequest, words: &str) -> Option<&'a Picture> {
    let number = |after: &str| -> Option<usize> {
        let (_, rest) = words.split_once(after)?;
        let digits: String =
            rest.trim_start_matches(['.', '[']).chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    let message = request.messages.get(number("messages")?)?;
    let of = |part: &'a Part| match part {
        Part::Picture(picture) | Part::Result { picture: Some(picture), .. } => Some(picture),
        Part::Text(_) | Part::Call(_) | Part::Result { picture: None, .. } => None,
    };
    let exact = number("content").and_then(|n| message.parts.get(n)).and_then(of);
    exact.or_else(|| {
        let mut all = message.parts.iter().filter_map(of);
        all.next().filter(|_| all.next().is_none())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::port::model::{Message, Role};
    use handsight_base::space::{FrameId, FrameRect, PictureGeometry, Size};
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn picture(bytes: usize) -> Picture {
        let geometry =
            PictureGeometry { frame: FrameId(1), pane: FrameRect::new(0, 0, 9, 9), size: Size::new(9, 9) };
        Picture { bytes: vec![bytes as u8; bytes].into(), media_type: "image/png", geometry }
    }

    /// A message for each picture, oldest first.
    fn history(sizes: &[usize]) -> ModelRequest {
        let message = |size: &usize| {
            let parts = vec![Part::Text("seen".into()), Part::Picture(picture(*size))];
            Message { role: Role::User, parts, raw: None }
        };
        ModelRequest { messages: sizes.iter().map(message).collect(), ..ModelRequest::default() }
    }

    fn sizes(request: &ModelRequest) -> Vec<usize> {
        pictures(request).map(|p| p.bytes.len()).collect()
    }

    fn refusal(status: u16, body: &str) -> ModelError {
        ModelError::Http { provider: "p".into(), status, body: body.into(), retry_after: None }
    }

    #[test]
    fn the_picture_a_refusal_is_about_is_found() {
        for (status, body, gone) in [
            (413, "Request Entity Too Large", Some(50)),
            (400, "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum", Some(10)),
            (400, "Invalid image at messages[3].content[1]", Some(40)),
            (400, "messages.2: at least one of the image dimensions exceed max allowed size", Some(30)),
            (400, "image exceeds the maximum size", Some(50)),
            (400, "could not process image", Some(10)),
            (422, "unsupported media_type", Some(10)),
            (400, "temperature must be at most 1", None),
            (401, "no image for you", None),
            (500, "image server down", None),
        ] {
            let found = offending(&history(&[10, 50, 30, 40]), &refusal(status, body));
            assert_eq!(found, gone.map(|size| hash(&picture(size))), "{body}");
        }
        // The newest is what the model is asked about.
        assert_eq!(offending(&history(&[10]), &refusal(413, "")), None);
        assert_eq!(offending(&history(&[10, 90]), &refusal(413, "")), Some(hash(&picture(10))));
    }

    /// A service that takes no picture above a limit, and keeps what it was asked.
    struct Strict {
        most: AtomicUsize,
        asked: Mutex<Vec<Vec<usize>>>,
    }

    impl Model for Strict {
        fn name(&self) -> &str {
            "p/strict"
        }

        fn ask<'a>(
            &'a self,
            request: &'a ModelRequest,
            _: &'a Stop,
        ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
            let asked = sizes(request);
            let most = self.most.load(Ordering::Relaxed);
            let refused = asked.iter().position(|size| *size > most);
            self.asked.lock().unwrap().push(asked);
            Box::pin(std::future::ready(match refused {
                None => Ok(ModelReply::default()),
                Some(n) => Err(refusal(400, &format!("messages.{n}.content.1: image exceeds {most} bytes"))),
            }))
        }
    }

    #[test]
    fn a_session_outlives_limits_that_are_tightened_in_its_middle() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let strict = Arc::new(Strict { most: AtomicUsize::new(200), asked: Mutex::default() });
        let model = Healing::new(Arc::clone(&strict) as _);
        let (mut seen, mut failed) = (Vec::new(), 0);
        for turn in 0..500_usize {
            if turn == 250 {
                strict.most.store(100, Ordering::Relaxed);
            }
            // A history of twelve pictures; from the change on, new ones keep the new limit.
            let size = if turn % 7 == 0 && turn < 250 { 101 + turn % 90 } else { 1 + turn % 100 };
            seen.push(size);
            let recent = &seen[seen.len().saturating_sub(12)..];
            let before = strict.asked.lock().unwrap().len();
            failed += usize::from(runtime.block_on(model.ask(&history(recent), &Stop::new())).is_err());
            let asked = strict.asked.lock().unwrap();
            assert!(asked.len() - before <= 2, "at most one more try");
            if let [first, again] = &asked[before..] {
                assert_ne!(first, again, "never the same again");
                assert_eq!(again.len() + 1, first.len());
            }
        }
        // Two of the last twelve pictures were over the new limit: one goes at once, the other a turn later.
        assert!(failed <= 2, "{failed} failed turns");
        assert_eq!(sizes(&model.healed(&history(&seen[488..]))), seen[488..], "what is taken is left alone");
    }
}
