//! Pictures as files: written as PNG, lossless WebP or JPEG, and read back whichever of them they are.
//!
//! PNG is this crate's own encoder; the others are `image-webp`, which loses nothing, and `jpeg-encoder`, which is told to keep the
//! colour of every pixel: at half the colour resolution, as photographs are kept, coloured letters on a coloured ground run. Equal
//! pictures give equal bytes in every format.
//!
//! This module refuses animation and lossy WebP when writing, and blends no transparency when reading.

use crate::png::{self, PngEncoder, PngError};
use crate::rgb::Rgb24;
use handsight_base::flow::format::PictureFormat;
use handsight_base::flow::frame::Pixels;
use handsight_base::space::Size;
use image_webp::{ColorType as WebpColor, WebPDecoder, WebPEncoder};
use jpeg_encoder::{ColorType as JpegColor, SamplingFactor};
use std::io::Cursor;
use std::sync::Arc;
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

/// The longest side that WebP has a number for.
const WEBP_EDGE: u32 = 16_383;
/// The same of JPEG.
const JPEG_EDGE: u32 = 65_535;
/// Largest picture that is read, in pixels: 16384x16384.
const LARGEST_READ: u64 = 1 << 28;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    #[error(transparent)]
    Png(#[from] PngError),
    #[error("a picture of {size} cannot be written as {format}: {why}")]
    Unwritable { size: Size, format: PictureFormat, why: String },
    #[error("the picture is none of PNG, WebP and JPEG")]
    Unknown,
    #[error("not a {format} that can be read: {why}")]
    Unreadable { format: PictureFormat, why: String },
}

/// How a picture is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    pub format: PictureFormat,
    /// Of a JPEG, from 1 to 100; what lies outside is moved to the nearer end. The other formats lose nothing.
    pub quality: u8,
}

/// Writes picture files. Keeps its working memory from picture to picture, and nothing else.
#[derive(Debug, Default)]
pub struct PictureEncoder {
    png: PngEncoder,
    packed: Vec<u8>,
}

impl PictureEncoder {
    pub fn new() -> Self {
        Self::default()
    }

    /// The picture as a file.
    pub fn encode(&mut self, picture: &Rgb24, written: Written) -> Result<Vec<u8>, PictureError> {
        let Written { format, quality } = written;
        let (size, bytes) = (picture.size(), picture.bytes());
        let failed = |why: String| PictureError::Unwritable { size, format, why };
        let edge = match format {
            PictureFormat::Png => return Ok(self.png.encode(picture)?),
            PictureFormat::Webp => WEBP_EDGE,
            PictureFormat::Jpeg => JPEG_EDGE,
        };
        if size.is_empty() {
            return Err(failed("it has no pixels".into()));
        }
        if size.width.max(size.height) > edge {
            return Err(failed(format!("a side may have {edge} pixels")));
        }
        picture.pack_into(&mut self.packed);
        let mut out = Vec::with_capacity(bytes / 8);
        if format == PictureFormat::Webp {
            WebPEncoder::new(&mut out)
                .encode(&self.packed, size.width, size.height, WebpColor::Rgb8)
                .map_err(|e| failed(e.to_string()))?;
        } else {
            let mut encoder = jpeg_encoder::Encoder::new(&mut out, quality.clamp(1, 100));
            encoder.set_sampling_factor(SamplingFactor::R_4_4_4);
            // Both fit: the edge was checked.
            let (width, height) = (size.width as u16, size.height as u16);
            encoder.encode(&self.packed, width, height, JpegColor::Rgb).map_err(|e| failed(e.to_string()))?;
        }
        Ok(out)
    }
}

/// The pixels of a PNG, WebP or JPEG file as BGRX with 255 in every fourth byte. Transparency is dropped, not blended.
pub fn decode(bytes: &[u8]) -> Result<Pixels, PictureError> {
    match PictureFormat::of(bytes).ok_or(PictureError::Unknown)? {
        PictureFormat::Png => Ok(png::decode(bytes)?),
        PictureFormat::Webp => webp(bytes),
        PictureFormat::Jpeg => jpeg(bytes),
    }
}

fn webp(bytes: &[u8]) -> Result<Pixels, PictureError> {
    let failed = |why: String| PictureError::Unreadable { format: PictureFormat::Webp, why };
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(|e| failed(e.to_string()))?;
    let (width, height) = decoder.dimensions();
    let size = Size::new(width, height);
    let length = decoder.output_buffer_size().filter(|_| size.area() <= LARGEST_READ);
    let mut raw = vec![0; length.ok_or_else(|| failed(format!("{size} is too large")))?];
    decoder.read_image(&mut raw).map_err(|e| failed(e.to_string()))?;
    let channels = if decoder.has_alpha() { 4 } else { 3 };
    bgrx(size, &raw, channels).ok_or_else(|| failed(format!("the pixels of {size} are not all there")))
}

fn jpeg(bytes: &[u8]) -> Result<Pixels, PictureError> {
    let failed = |why: String| PictureError::Unreadable { format: PictureFormat::Jpeg, why };
    let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|e| failed(e.to_string()))?;
    let (width, height) = decoder.dimensions().ok_or_else(|| failed("it has no size".into()))?;
    let size = Size::new(width as u32, height as u32);
    if size.area() > LARGEST_READ {
        return Err(failed(format!("{size} is too large")));
    }
    let raw = decoder.decode().map_err(|e| failed(e.to_string()))?;
    bgrx(size, &raw, 3).ok_or_else(|| failed(format!("the pixels of {size} are not all there")))
}

/// Red, green, blue and whatever follows, as BGRX.
fn bgrx(size: Size, raw: &[u8], channels: usize) -> Option<Pixels> {
    let mut bgrx = vec![255; size.area() as usize * 4];
    for (to, from) in bgrx.chunks_exact_mut(4).zip(raw.chunks_exact(channels)) {
        to[..3].copy_from_slice(&[from[2], from[1], from[0]]);
    }
    let whole = raw.len() == size.area() as usize * channels;
    Pixels::new(Arc::new(bgrx), size, size.width as usize * 4).filter(|_| whole)
}

#[cfg(test)]
mod tests;
