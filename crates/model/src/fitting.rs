//! A request that its provider takes, made before anything is sent (R35).
//!
//! A picture of the history that is over a limit gives way to words, older ones first where it is their number or the whole
//! request that is too much; what the model is asked about now is the newest picture, and it is refused by name instead. Bytes are
//! counted as they are sent, after Base64. This module scales nothing: the engine made its pictures to the same limits, so what is
//! left to do here is what a history brings from another model, another profile or a limit on all of it.

use crate::heal::without;
use crate::provider::Limits;
use crate::usage::pictures;
use crate::wire::{Wire, WireOptions, base64_len};
use handsight_base::flow::format::PictureFormat;
use handsight_base::flow::prompt::Picture;
use handsight_base::port::model::{ModelError, ModelRequest};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What stands in place of a picture of the history.
const UNFIT: &str = "[an earlier picture was left out: this service does not take it]";
/// The words in place of a picture, and what a wire writes around it, are no longer than this.
const IN_PLACE: usize = 256;

/// The body of a request within the limits.
pub(crate) fn body(
    wire: &Wire,
    request: &ModelRequest,
    options: &WireOptions<'_>,
    limits: &Limits,
) -> Result<Vec<u8>, ModelError> {
    let request = takable(request, options.provider, limits)?;
    let seen: Vec<&Picture> = pictures(&request).collect();
    let mut left = seen.len().min(count(&seen, limits));
    loop {
        let options = WireOptions { picture_count: (left < seen.len()).then_some(left as u32), ..*options };
        let body = wire.body(&request, &options);
        let Some(limit) = limits.request_bytes.filter(|limit| body.len() as u64 > *limit) else {
            return Ok(body);
        };
        if left <= 1 {
            let (provider, bytes) = (options.provider.to_owned(), body.len() as u64);
            return Err(ModelError::RequestTooLarge { provider, bytes, limit });
        }
        // Of the pictures in it, as many of the oldest as are too much; one at least, so that this ends.
        let mut over = (body.len() as u64 - limit) as usize;
        let mut oldest = seen.iter().skip(seen.len() - left);
        left -= 1;
        while let Some(picture) = oldest.next()
            && left > 1
        {
            let saved = base64_len(picture.bytes.len()).saturating_sub(IN_PLACE);
            if saved >= over {
                break;
            }
            over -= saved;
            left -= 1;
        }
    }
}

/// How many of the pictures may go: the provider's number, or fewer if there is one among them too large for a crowd.
fn count(seen: &[&Picture], limits: &Limits) -> usize {
    let most = limits.picture_count.map_or(usize::MAX, |n| n as usize);
    let Some(crowd) = limits.crowd else { return most };
    let newest = seen.iter().rev().take(most);
    let too_large = newest.clone().any(|p| edge(p) > crowd.edge);
    if too_large { most.min((crowd.from.max(2) - 1) as usize) } else { most }
}

/// Without the pictures of the history that the provider does not take; `Err` if the newest is one of them.
fn takable<'a>(
    request: &'a ModelRequest,
    provider: &str,
    limits: &Limits,
) -> Result<Cow<'a, ModelRequest>, ModelError> {
    let mut unfit = BTreeSet::new();
    let mut newest = None;
    for picture in pictures(request) {
        newest = refusal(picture, provider, limits);
        if newest.is_some() {
            unfit.insert(crate::heal::hash(picture));
        }
    }
    match newest {
        Some(error) => Err(error),
        None if unfit.is_empty() => Ok(Cow::Borrowed(request)),
        None => Ok(without(request, &unfit, UNFIT)),
    }
}

/// Why a provider would refuse a picture.
fn refusal(picture: &Picture, provider: &str, limits: &Limits) -> Option<ModelError> {
    let provider = || provider.to_owned();
    let bytes = base64_len(picture.bytes.len()) as u64;
    if let Some(limit) = limits.picture_bytes.filter(|limit| bytes > *limit) {
        return Some(ModelError::PictureTooLarge { provider: provider(), bytes, limit });
    }
    let size = picture.geometry.size;
    let format = PictureFormat::from_media_type(picture.media_type);
    let takes = |taken: &Vec<PictureFormat>| format.is_some_and(|format| taken.contains(&format));
    let why = if let Some(limit) = limits.picture_edge.filter(|limit| edge(picture) > *limit) {
        format!("it is {size}, and a side may have {limit} pixels")
    } else if let Some(limit) = limits.picture_pixels.filter(|limit| size.area() > *limit) {
        format!("it is {size}, and {limit} pixels are taken")
    } else if let Some(taken) = limits.picture_formats.as_ref().filter(|taken| !takes(taken)) {
        let names: Vec<String> = taken.iter().map(ToString::to_string).collect();
        format!("it is {}, and {} is taken", picture.media_type, names.join(", "))
    } else {
        return None;
    };
    Some(ModelError::PictureUnfit { provider: provider(), why })
}

fn edge(picture: &Picture) -> u32 {
    picture.geometry.size.width.max(picture.geometry.size.height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Crowd;
    use crate::wire::WIRES;
    use handsight_base::port::model::{Message, Part, Role};
    use handsight_base::space::{FrameId, FrameRect, PictureGeometry, Size};

    fn picture(n: u8, bytes: usize, size: (u32, u32), media_type: &'static str) -> Picture {
        let size = Size::new(size.0, size.1);
        let geometry =
            PictureGeometry { frame: FrameId(u64::from(n)), pane: FrameRect::new(0, 0, 9, 9), size };
        Picture { bytes: vec![n; bytes].into(), media_type, geometry }
    }

    /// Seen one after the other, each with a word on it from the model.
    fn history(seen: impl IntoIterator<Item = Picture>) -> ModelRequest {
        let mut messages = Vec::new();
        for picture in seen {
            let word = Message { role: Role::Assistant, parts: vec![Part::Text("seen".into())], raw: None };
            let look = Message { role: Role::User, parts: vec![Part::Picture(picture)], raw: None };
            messages.extend([look, word]);
        }
        messages.pop();
        ModelRequest { messages, ..ModelRequest::default() }
    }

    fn of_bytes(sizes: &[usize]) -> ModelRequest {
        history(sizes.iter().zip(1..).map(|(bytes, n)| picture(n, *bytes, (9, 9), "image/png")))
    }

    /// On every wire: how many pictures went, and the body's length.
    fn sent(request: &ModelRequest, limits: &Limits) -> Result<(usize, usize), ModelError> {
        let mut all = WIRES.iter().map(|wire| {
            let options = WireOptions { provider: "p", ..WireOptions::new("m") };
            let body = body(wire, request, &options, limits)?;
            let text = String::from_utf8(body).unwrap();
            // The base64 of a run of equal bytes, from its beginning.
            let begins = |n: &u8| [',', '"'].map(|before| format!("{before}{}", base64(&[*n; 30])));
            let went = (1..=200).filter(|n| begins(n).iter().any(|b| text.contains(b))).count();
            Ok((went, text.len()))
        });
        let first = all.next().unwrap()?;
        for other in all {
            assert_eq!(other?.0, first.0, "the wires differ");
        }
        Ok(first)
    }

    fn base64(bytes: &[u8]) -> String {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.encode(bytes)
    }

    #[test]
    fn without_limits_everything_goes() {
        assert_eq!(sent(&of_bytes(&[300; 50]), &Limits::default()).unwrap().0, 50);
        assert_eq!(sent(&ModelRequest::default(), &Limits::default()).unwrap().0, 0);
    }

    #[test]
    fn a_picture_of_the_history_over_a_limit_gives_way_and_the_newest_is_refused_by_name() {
        use PictureFormat::{Jpeg, Png};
        let fine = || picture(9, 300, (100, 50), "image/png");
        let limits = |change: fn(&mut Limits)| {
            let mut limits = Limits::default();
            change(&mut limits);
            limits
        };
        for (over, limits, told) in [
            (
                picture(1, 301, (9, 9), "image/png"),
                limits(|l| l.picture_bytes = Some(400)),
                "the picture of 404 bytes is over p's limit of 400",
            ),
            (
                picture(1, 300, (9, 101), "image/png"),
                limits(|l| l.picture_edge = Some(100)),
                "p does not take this picture: it is 9x101, and a side may have 100 pixels",
            ),
            (
                picture(1, 300, (100, 51), "image/png"),
                limits(|l| l.picture_pixels = Some(5000)),
                "p does not take this picture: it is 100x51, and 5000 pixels are taken",
            ),
            (
                picture(1, 300, (9, 9), "image/webp"),
                limits(|l| l.picture_formats = Some(vec![Png, Jpeg])),
                "p does not take this picture: it is image/webp, and PNG, JPEG is taken",
            ),
        ] {
            assert_eq!(sent(&history([over.clone(), fine()]), &limits).unwrap().0, 1, "{told}");
            assert_eq!(sent(&history([fine(), over]), &limits).unwrap_err().to_string(), told);
            // At the limit is within it.
            assert_eq!(
                sent(&history([picture(8, 300, (50, 100), "image/png"), fine()]), &limits).unwrap().0,
                2
            );
        }
    }

    #[test]
    fn many_pictures_go_together_only_if_none_is_too_large_for_a_crowd() {
        let limits = Limits {
            picture_count: Some(100),
            crowd: Some(Crowd { from: 21, edge: 2000 }),
            ..Limits::default()
        };
        let seen = |n: u8, large: u8| {
            history((1..=n).map(|i| picture(i, 300, (if i == large { 2001 } else { 2000 }, 9), "image/png")))
        };
        assert_eq!(sent(&seen(20, 3), &limits).unwrap().0, 20, "twenty may be large");
        assert_eq!(sent(&seen(21, 0), &limits).unwrap().0, 21, "small ones may be many");
        assert_eq!(sent(&seen(21, 21), &limits).unwrap().0, 20);
        assert_eq!(sent(&seen(120, 0), &limits).unwrap().0, 100, "but no more than the provider's count");
        assert_eq!(sent(&seen(120, 3), &limits).unwrap().0, 100, "one that does not go is no matter");
    }

    #[test]
    fn a_request_over_its_bytes_loses_its_oldest_pictures_and_is_never_sent_too_large() {
        let limits = |bytes| Limits { request_bytes: Some(bytes), ..Limits::default() };
        let request = of_bytes(&[3000, 30_000, 3000, 3000, 6000]);
        let (all, whole) = sent(&request, &Limits::default()).unwrap();
        assert_eq!(all, 5);
        assert_eq!(sent(&request, &limits(100_000)).unwrap().0, 5);
        // Four thousand bytes of Base64 are too much, then forty.
        for (limit, most) in [(whole as u64 - 100, 4), (30_000, 3), (14_000, 2)] {
            let (went, length) = sent(&request, &limits(limit)).unwrap();
            assert!(went <= most && went >= 1 && length as u64 <= limit, "{went} of {length} in {limit}");
        }
        let error = sent(&request, &limits(8_000)).unwrap_err();
        assert!(matches!(error, ModelError::RequestTooLarge { limit: 8_000, .. }), "{error}");
        assert!(error.to_string().contains("over p's limit of 8000"), "{error}");
        assert!(!error.is_passing(), "the same request is not sent again");
        // Words alone can be too many.
        let mut words = ModelRequest { system: "word ".repeat(3000), ..ModelRequest::default() };
        assert!(sent(&words, &limits(8_000)).is_err());
        words.system.clear();
        assert!(sent(&words, &limits(8_000)).is_ok());
    }
}
