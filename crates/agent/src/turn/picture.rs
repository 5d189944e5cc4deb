//! The picture that the model gets: of a frame or a part of it, at a size and in a format that its service takes (R35).
//!
//! A limit that is known is kept before anything is sent. What is over the service's edge or number of pixels is scaled before it
//! is encoded; what is over its bytes is written in another format if the profile leaves the format open, and made smaller if it
//! does not or if that is not enough. Every such change is a note of the turn, with both sizes. In the usual case a picture is
//! encoded once.
//!
//! What the profile has drawn on a picture is drawn last, in the pixels of the picture as it is sent. A zoom has none of it: its
//! pixels are not those of the picture that the model points at. A model that reads single pixels gets the screen's own, whatever
//! the profile says of their number and of aids.

use crate::ending::Interruption;
use crate::engine::Engine;
use crate::profile::{Annotate, Context, Fit, PictureFilter, PictureKind};
use handsight_base::flow::format::{PictureFormat, PictureLimits};
use handsight_base::flow::frame::Frame;
use handsight_base::flow::prompt::Picture;
use handsight_base::space::{FrameRect, PictureGeometry, Size};
use handsight_pixel::blend::Scaling;
use handsight_pixel::canvas::Canvas;
use handsight_pixel::picture::Written;
use handsight_pixel::scale::{self, Smooth};

/// The whole frame at the size of the profile, with what the profile has drawn on it.
pub(crate) fn picture(engine: &mut Engine, frame: &Frame) -> Result<Picture, Interruption> {
    if engine.model.picture_limits().own_pixels {
        return own_pixels(engine, frame);
    }
    let settings = &engine.profile.context;
    let within = settings.within(frame.size());
    let annotate = (!engine.seat.info().capabilities.annotated_in_capture).then_some(settings.annotate);
    let fit = match settings.fit {
        Fit::Stretch => scale::Fit::Stretch,
        Fit::KeepAspect => scale::Fit::KeepAspect,
    };
    let wanted = engine.dialect.picture_size(frame.size(), within);
    let size = wanted.unwrap_or_else(|| fit.size(frame.size(), within));
    made(engine, frame, frame.geometry.whole(), size, annotate)
}

/// The whole frame pixel by pixel, for a model that reads them.
fn own_pixels(engine: &mut Engine, frame: &Frame) -> Result<Picture, Interruption> {
    let (settings, size) = (&engine.profile.context, frame.size());
    if settings.within(size) != size || settings.annotate != Annotate::default() {
        engine.notes.push(format!(
            "the picture is the screen's own {size} with nothing drawn on it: the model reads single pixels"
        ));
    }
    made(engine, frame, frame.geometry.whole(), size, None)
}

/// The part `pane` of a frame at `size`, or as near to it as the service takes: with the HUD on it where the desktop shows none.
pub(crate) fn picture_of(
    engine: &mut Engine,
    frame: &Frame,
    pane: FrameRect,
    size: Size,
) -> Result<Picture, Interruption> {
    made(engine, frame, pane, size, None)
}

fn made(
    engine: &mut Engine,
    frame: &Frame,
    pane: FrameRect,
    size: Size,
    annotate: Option<Annotate>,
) -> Result<Picture, Interruption> {
    let limits = engine.model.picture_limits();
    let settings = engine.profile.context.clone();
    let formats = formats(settings.picture_format, &limits);
    let capabilities = engine.seat.info().capabilities;
    let on_screen = capabilities.overlay && capabilities.overlay_in_capture;
    let hud = &engine.profile.hud;
    let layer = if hud.enabled && hud.in_picture && !on_screen {
        let text = engine.hud_text().into_owned();
        engine.hud.layer(&text, frame.size())
    } else {
        None
    };
    let layers: Vec<&Canvas> = layer.as_deref().into_iter().collect();
    let full = limits.fit(size);
    if full != size {
        let taken = [
            limits.edge.map(|edge| format!("{edge} pixels a side")),
            limits.pixels.map(|pixels| format!("{pixels} pixels")),
        ];
        let taken = taken.into_iter().flatten().collect::<Vec<_>>().join(" and ");
        engine
            .notes
            .push(format!("the picture was made {full} instead of {size}: the provider takes {taken}"));
    }
    let pointer = engine.pointer.and_then(|at| frame.geometry.frame_from_screen(at).ok());
    let geometry = |size| PictureGeometry { frame: frame.id(), pane, size };
    let found = &engine.marks;
    let marks = |geometry| match annotate {
        Some(annotate) if annotate.finds_marks() => found.drawn(&geometry, annotate.marks),
        _ => Vec::new(),
    };
    let mut make = |size: Size, format: PictureFormat| -> Result<Made, Interruption> {
        let written = Written { format, quality: settings.picture_quality };
        let picture = engine.exporter.export(frame.view(), pane, size, settings.scaling(), &layers);
        let picture = picture.map_err(|e| Interruption::Picture(e.to_string()))?;
        if let Some(annotate) = annotate {
            let pointer = pointer.and_then(|at| geometry(size).picture_from_frame(at).ok());
            let marks = marks(geometry(size));
            engine.annotator.draw(picture, &annotate.on(pointer, &marks));
        }
        let bytes = engine.encoder.encode(picture, written);
        Ok(Made { size, format, bytes: bytes.map_err(|e| Interruption::Picture(e.to_string()))? })
    };
    let whole = make(full, formats.first)?;
    let fits = |made: &Made| limits.bytes.is_none_or(|limit| made.sent() <= limit);
    let made = if fits(&whole) { None } else { Some(smaller(&whole, &formats.then, &limits, &mut make)?) };
    if let (Some(made), Some(limit)) = (&made, limits.bytes) {
        engine.notes.push(format!(
            "the picture was made {} instead of {}, which is {} bytes where the provider takes {limit}",
            made.beside(&whole),
            whole.beside(made),
            whole.sent()
        ));
    }
    let Made { size, format, bytes } = made.unwrap_or(whole);
    Ok(Picture { bytes: bytes.into(), media_type: format.media_type(), geometry: geometry(size) })
}

/// A picture that was encoded.
struct Made {
    size: Size,
    format: PictureFormat,
    bytes: Vec<u8>,
}

impl Made {
    /// Bytes in Base64, as limits count them.
    const fn sent(&self) -> u64 {
        (self.bytes.len() as u64).div_ceil(3) * 4
    }

    /// What it is, as far as it differs from another one.
    fn beside(&self, other: &Self) -> String {
        match (self.size == other.size, self.format == other.format) {
            (false, true) => self.size.to_string(),
            (true, _) => format!("a {}", self.format),
            (false, false) => format!("a {} of {}", self.format, self.size),
        }
    }
}

/// What a picture is written as, and what it is tried as once it is over the service's bytes.
#[derive(Debug, PartialEq, Eq)]
struct Formats {
    first: PictureFormat,
    then: Vec<PictureFormat>,
}

/// The formats for a choice of the profile. One that it insists on was compared with the provider's before the run began.
fn formats(kind: PictureKind, limits: &PictureLimits) -> Formats {
    if let Some(first) = kind.fixed() {
        return Formats { first, then: Vec::new() };
    }
    // What a model points at should be what was on the screen: lossless first, of which PNG is the fastest here.
    let mut taken = PictureFormat::ALL.into_iter().filter(|format| limits.takes(*format));
    let first = taken.next().unwrap_or(PictureFormat::Png);
    Formats { first, then: taken.collect() }
}

/// The same picture in fewer bytes: in another format, then smaller in the last one that was tried.
fn smaller(
    whole: &Made,
    formats: &[PictureFormat],
    limits: &PictureLimits,
    make: &mut impl FnMut(Size, PictureFormat) -> Result<Made, Interruption>,
) -> Result<Made, Interruption> {
    let limit = limits.bytes.unwrap_or(u64::MAX);
    let (mut bytes, mut format) = (whole.sent(), whole.format);
    for other in formats {
        let made = make(whole.size, *other)?;
        if made.sent() <= limit {
            return Ok(made);
        }
        (bytes, format) = (made.sent(), *other);
    }
    let mut eighths = eighths(bytes, limit);
    loop {
        let scaled = |side: u32| (side * eighths / 8).max(1);
        let made = make(Size::new(scaled(whole.size.width), scaled(whole.size.height)), format)?;
        // Where even the smallest does not fit, the model's refusal says so.
        if made.sent() <= limit || eighths == 1 {
            return Ok(made);
        }
        eighths -= 1;
    }
}

/// How many eighths of its sides a picture may keep, by the rule that bytes go with the area: 1 to 7.
fn eighths(bytes: u64, limit: u64) -> u32 {
    // What is drawn smaller has more detail in each pixel, so a tenth is kept back.
    let share = limit as f64 / bytes.max(1) as f64 * 0.9;
    ((share.sqrt() * 8.0) as u32).clamp(1, 7)
}

impl Context {
    const fn scaling(&self) -> Scaling {
        match self.picture_filter {
            PictureFilter::Nearest => Scaling::Nearest,
            PictureFilter::Lanczos => Scaling::Smooth(Smooth::Lanczos),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_shrink_with_the_root_of_the_bytes_and_by_one_step_at_least() {
        let of = |limit| eighths(1_000_000, limit);
        assert_eq!([of(999_999), of(500_000), of(250_000), of(100_000), of(1)], [7, 5, 3, 2, 1]);
        let made = |bytes| Made { size: Size::new(1, 1), format: PictureFormat::Png, bytes: vec![0; bytes] };
        assert_eq!([made(750).sent(), made(751).sent()], [1000, 1004]);
    }

    #[test]
    fn a_format_that_is_left_open_is_lossless_first_and_only_what_is_taken() {
        use PictureFormat::{Jpeg, Png, Webp};
        let of = |kind, taken: Option<&[PictureFormat]>| {
            let formats = taken.map(<[_]>::to_vec);
            super::formats(kind, &PictureLimits { formats, ..PictureLimits::default() })
        };
        let plan = |first, then: &[PictureFormat]| Formats { first, then: then.to_vec() };
        assert_eq!(of(PictureKind::Auto, None), plan(Png, &[Jpeg]));
        assert_eq!(of(PictureKind::Auto, Some(&[Jpeg, Webp, Png])), plan(Png, &[Webp, Jpeg]));
        assert_eq!(of(PictureKind::Auto, Some(&[Jpeg])), plan(Jpeg, &[]));
        for (kind, format) in [(PictureKind::Png, Png), (PictureKind::Webp, Webp), (PictureKind::Jpeg, Jpeg)]
        {
            assert_eq!(
                of(kind, Some(&[Jpeg, Webp])),
                plan(format, &[]),
                "as the profile says, whatever it weighs"
            );
        }
    }

    /// Encodes to `bytes_of(format)` bytes a pixel, and notes what was asked for.
    fn shrink(
        formats: &[PictureFormat],
        limit: u64,
        bytes_of: impl Fn(PictureFormat) -> usize,
    ) -> (Made, usize) {
        let mut tries = 0;
        let mut make = |size: Size, format| {
            tries += 1;
            Ok(Made { size, format, bytes: vec![0; size.area() as usize * bytes_of(format)] })
        };
        let whole = make(Size::new(800, 400), PictureFormat::Png).unwrap();
        let limits = PictureLimits { bytes: Some(limit), ..PictureLimits::default() };
        let made = smaller(&whole, formats, &limits, &mut make).unwrap();
        (made, tries - 1)
    }

    #[test]
    fn bytes_are_saved_by_another_format_before_pixels_are_lost() {
        use PictureFormat::{Jpeg, Png, Webp};
        let bytes_of = |format| match format {
            Png => 3,
            Webp => 2,
            Jpeg => 1,
        };
        // 320 000 pixels are 1 280 000, 853 336 and 426 668 bytes in Base64.
        let of = |formats: &[PictureFormat], limit| {
            let (made, tries) = shrink(formats, limit, bytes_of);
            (made.format, made.size.width, tries)
        };
        assert_eq!(of(&[Webp, Jpeg], 900_000), (Webp, 800, 1));
        assert_eq!(of(&[Webp, Jpeg], 500_000), (Jpeg, 800, 2));
        assert_eq!(
            of(&[Webp, Jpeg], 300_000),
            (Jpeg, 600, 3),
            "then the pixels, in the format that needs the fewest bytes"
        );
        assert_eq!(of(&[], 900_000), (Png, 600, 1));
        assert_eq!(of(&[], 10), (Png, 100, 1), "the smallest there is; the check before sending refuses it");
    }
}
