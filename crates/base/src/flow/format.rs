//! What a picture is written as, and what a service takes of one.
//!
//! PNG, lossless WebP and JPEG: the one place that has their media types, endings and first bytes. This module refuses animation,
//! and lossy WebP, which nobody here writes.

use crate::space::Size;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PictureFormat {
    /// Lossless; every service takes it.
    Png,
    /// Lossless.
    Webp,
    /// Loses fine detail; every service takes it.
    Jpeg,
}

impl PictureFormat {
    /// All of them, the commonest first.
    pub const ALL: [Self; 3] = [Self::Png, Self::Webp, Self::Jpeg];

    /// Told by the first bytes of a file; `None` if it is none of these.
    pub const fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => Some(Self::Png),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            [0xFF, 0xD8, 0xFF, ..] => Some(Self::Jpeg),
            _ => None,
        }
    }

    /// As HTTP names it.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Webp => "image/webp",
            Self::Jpeg => "image/jpeg",
        }
    }

    /// The reverse of [`Self::media_type`].
    pub fn from_media_type(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.media_type() == name)
    }

    /// Of a file's name, without the dot.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Webp => "webp",
            Self::Jpeg => "jpg",
        }
    }

    /// The word for it in settings and providers' files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Webp => "webp",
            Self::Jpeg => "jpeg",
        }
    }

    /// Whether every pixel comes back as it was.
    pub const fn is_lossless(self) -> bool {
        !matches!(self, Self::Jpeg)
    }
}

impl fmt::Display for PictureFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Png => "PNG",
            Self::Webp => "WebP",
            Self::Jpeg => "JPEG",
        })
    }
}

/// What a service takes of one picture; `None` where nobody said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PictureLimits {
    /// Most bytes as it is sent, which is Base64.
    pub bytes: Option<u64>,
    /// The longer side, in pixels.
    pub edge: Option<u32>,
    /// Width by height.
    pub pixels: Option<u64>,
    /// What it may be written as, the preferred one first.
    pub formats: Option<Vec<PictureFormat>>,
    /// It reads single pixels: the picture has to be the screen's own ones, as many as there are, without the aids for pointing that
    /// a profile has drawn.
    pub own_pixels: bool,
}

impl PictureLimits {
    /// Whether it takes a format. Where nobody said, it takes what all services take.
    pub fn takes(&self, format: PictureFormat) -> bool {
        match &self.formats {
            Some(formats) => formats.contains(&format),
            None => matches!(format, PictureFormat::Png | PictureFormat::Jpeg),
        }
    }

    /// A size in the shape of `size` that it takes; `size` itself if that is one.
    pub fn fit(&self, size: Size) -> Size {
        let longer = size.width.max(size.height).max(1);
        let edge = self.edge.map_or(longer, |edge| edge.min(longer));
        // Rounded down, so that neither limit is passed by half a pixel.
        let by_edge = |side: u32| (u64::from(side) * u64::from(edge) / u64::from(longer)).max(1) as u32;
        let size = if edge < longer { Size::new(by_edge(size.width), by_edge(size.height)) } else { size };
        let share = self.pixels.map_or(1.0, |pixels| (pixels as f64 / size.area().max(1) as f64).sqrt());
        let by_pixels = |side: u32| ((f64::from(side) * share) as u32).max(1);
        if share < 1.0 { Size::new(by_pixels(size.width), by_pixels(size.height)) } else { size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_told_by_its_first_bytes_and_by_its_name() {
        let files: [(&[u8], Option<PictureFormat>); 6] = [
            (b"\x89PNG\r\n\x1a\n", Some(PictureFormat::Png)),
            (b"RIFF\x10\0\0\0WEBPVP8L", Some(PictureFormat::Webp)),
            (b"\xff\xd8\xff\xe0", Some(PictureFormat::Jpeg)),
            (b"RIFF\x10\0\0\0WAVE", None),
            (b"GIF89a", None),
            (b"", None),
        ];
        for (bytes, format) in files {
            assert_eq!(PictureFormat::of(bytes), format, "{bytes:?}");
        }
        for format in PictureFormat::ALL {
            assert_eq!(PictureFormat::from_media_type(format.media_type()), Some(format));
            assert_eq!(serde_json::to_value(format).unwrap(), format.name());
        }
        assert_eq!(PictureFormat::from_media_type("image/gif"), None);
    }

    #[test]
    fn a_size_over_a_limit_shrinks_in_its_shape_and_any_other_stays() {
        let limits = |edge, pixels| PictureLimits { edge, pixels, ..PictureLimits::default() };
        for (limits, size, fitting) in [
            (limits(None, None), (99_999, 7), (99_999, 7)),
            (limits(Some(2000), None), (2000, 2000), (2000, 2000)),
            (limits(Some(2000), None), (2001, 1000), (2000, 999)),
            (limits(Some(2000), None), (1080, 4000), (540, 2000)),
            (limits(None, Some(1_000_000)), (1000, 1000), (1000, 1000)),
            (limits(None, Some(1_000_000)), (2000, 1000), (1414, 707)),
            (limits(Some(1000), Some(1_000_000)), (2000, 1000), (1000, 500)),
            (limits(Some(1), None), (3000, 2), (1, 1)),
        ] {
            let fitted = limits.fit(Size::new(size.0, size.1));
            assert_eq!((fitted.width, fitted.height), fitting, "{size:?} within {limits:?}");
        }
    }

    #[test]
    fn where_nobody_said_the_formats_that_all_services_take_are_taken() {
        let unsaid = PictureLimits::default();
        assert_eq!(PictureFormat::ALL.map(|f| unsaid.takes(f)), [true, false, true]);
        let said = PictureLimits { formats: Some(vec![PictureFormat::Webp]), ..PictureLimits::default() };
        assert_eq!(PictureFormat::ALL.map(|f| said.takes(f)), [false, true, false]);
    }
}
