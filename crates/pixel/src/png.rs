//! RGB pictures as PNG files and back: 24-bit colour, and only the header, data and end chunks.
//!
//! Encoding is the costliest part of looking at a screen, so this module has its own compressor (`deflate.rs`) and
//! decides for every band of rows, by a fixed sample of that band, how to write it: plain rows with a search for
//! repeats (flat colours, text, pixel art), or filtered rows with a search for runs (photographs, gradients). Equal
//! pictures give equal bytes, a picture is encoded once, and no content makes it much larger than its pixels.
//!
//! Reading uses the `png` crate. This module refuses palettes, 16-bit colour and animations when writing; reading
//! takes any still PNG and makes BGRX of it.

mod deflate;
mod filter;
mod huffman;

use crate::rgb::Rgb24;
use deflate::{BitWriter, Search, Searcher, write_block};
use filter::Filter;
use handsight_base::flow::frame::Pixels;
use handsight_base::space::Size;
use std::io::Cursor;
use std::sync::Arc;

/// Bytes of a band, about: large enough for a code of its own, small enough to stay in the cache.
const BAND: usize = 1 << 18;
/// Rows in the middle of a band that decide how it is written.
const SAMPLE_ROWS: u32 = 4;
/// Filtering must save this share of the sample's raw size, else it is noise in the estimate.
const CLEAR_GAIN: u64 = 128;
const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A];
/// Largest picture that is read, in bytes of BGRX: 16384x16384.
const LARGEST_READ: u64 = 1 << 30;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PngError {
    #[error("a picture of {0} has no pixels: PNG cannot hold it")]
    Empty(Size),
    #[error("a picture of {0} is too large for PNG")]
    TooLarge(Size),
    #[error("not a PNG that can be read: {0}")]
    Unreadable(String),
}

/// How many bands of the last picture were written in which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BandModes {
    /// Unfiltered, with a search for repeats.
    pub flat: u32,
    /// Filtered, with a search for runs.
    pub smooth: u32,
}

/// Writes PNG files. Keeps its working memory from picture to picture, and nothing else.
#[derive(Debug)]
pub struct PngEncoder {
    searcher: Searcher,
    filtered: Vec<u8>,
    modes: BandModes,
}

impl Default for PngEncoder {
    fn default() -> Self {
        Self::new()
    }
}

impl PngEncoder {
    pub fn new() -> Self {
        Self { searcher: Searcher::new(), filtered: Vec::new(), modes: BandModes::default() }
    }

    /// The picture as a PNG file.
    pub fn encode(&mut self, picture: &Rgb24) -> Result<Vec<u8>, PngError> {
        let size = picture.size();
        if size.is_empty() {
            return Err(PngError::Empty(size));
        }
        // Both lengths are written in 31 bits, and no picture of a screen comes near.
        if size.area() > 1 << 28 || size.width > 1 << 20 {
            return Err(PngError::TooLarge(size));
        }
        let mut out = Vec::with_capacity(picture.bytes() / 2);
        out.extend(SIGNATURE);
        let start = begin_chunk(&mut out, *b"IHDR");
        out.extend(size.width.to_be_bytes());
        out.extend(size.height.to_be_bytes());
        // Eight bits a channel, red green blue, deflate, adaptive filters, not interlaced.
        out.extend([8, 2, 0, 0, 0]);
        end_chunk(&mut out, start);
        let start = begin_chunk(&mut out, *b"IDAT");
        let mut out = self.compress(picture, out);
        end_chunk(&mut out, start);
        let start = begin_chunk(&mut out, *b"IEND");
        end_chunk(&mut out, start);
        Ok(out)
    }

    /// How the bands of the last picture were written.
    pub const fn modes(&self) -> BandModes {
        self.modes
    }

    /// Appends the zlib stream of the picture's rows.
    fn compress(&mut self, picture: &Rgb24, mut out: Vec<u8>) -> Vec<u8> {
        // Deflate with a window of 32 KiB, no dictionary.
        out.extend([0x78, 0x01]);
        self.modes = BandModes::default();
        let mut checksum = simd_adler32::Adler32::new();
        let mut writer = BitWriter::at_end_of(out);
        let height = picture.size().height;
        let rows = (BAND / picture.stride()).max(1) as u32;
        for from in (0..height).step_by(rows as usize) {
            let to = height.min(from + rows);
            let data = match self.choose(picture, from, to) {
                None => {
                    self.modes.flat += 1;
                    let data = picture.filtered_rows(from, to);
                    write_block(&mut self.searcher, data, Search::Repeats, to == height, &mut writer);
                    data
                }
                Some(filter) => {
                    self.modes.smooth += 1;
                    self.filtered.clear();
                    filter.apply(picture, from, to, &mut self.filtered);
                    let data = &self.filtered[..];
                    write_block(&mut self.searcher, data, Search::Runs, to == height, &mut writer);
                    data
                }
            };
            checksum.write(data);
        }
        let mut out = writer.finish();
        out.extend(checksum.finish().to_be_bytes());
        out
    }

    /// How to write the rows `from..to`: `None` for plain with repeats, else the filter to use. Tried on rows from
    /// the middle of the band.
    fn choose(&mut self, picture: &Rgb24, from: u32, to: u32) -> Option<Filter> {
        let sample = SAMPLE_ROWS.min(to - from);
        let first = from + (to - from - sample) / 2;
        let mut best: Option<(u64, Filter)> = None;
        let mut kept = Vec::new();
        for filter in Filter::GUESSING {
            self.filtered.clear();
            filter.apply(picture, first, first + sample, &mut self.filtered);
            let distance = filter::distance(&self.filtered);
            if best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, filter));
                std::mem::swap(&mut kept, &mut self.filtered);
            }
        }
        let smooth = self.searcher.estimate(&kept, Search::Runs);
        let flat = self.searcher.estimate(picture.filtered_rows(first, first + sample), Search::Repeats);
        let raw = kept.len() as u64 * 8;
        best.filter(|_| smooth + raw / CLEAR_GAIN < flat).map(|(_, filter)| filter)
    }
}

/// Leaves room for the length; returns where the chunk begins.
fn begin_chunk(out: &mut Vec<u8>, name: [u8; 4]) -> usize {
    let start = out.len();
    out.extend([0; 4]);
    out.extend(name);
    start
}

fn end_chunk(out: &mut Vec<u8>, start: usize) {
    let length = (out.len() - start - 8) as u32;
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
    let checksum = crc32fast::hash(&out[start + 4..]);
    out.extend(checksum.to_be_bytes());
}

/// The pixels of a PNG file as BGRX with 255 in every fourth byte. Transparency is dropped, not blended.
pub fn decode(bytes: &[u8]) -> Result<Pixels, PngError> {
    let unreadable = |error: png::DecodingError| PngError::Unreadable(error.to_string());
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(unreadable)?;
    let size = Size::new(reader.info().width, reader.info().height);
    if size.area() * 4 > LARGEST_READ {
        return Err(PngError::TooLarge(size));
    }
    let length = reader.output_buffer_size().ok_or(PngError::TooLarge(size))?;
    let mut raw = vec![0; length];
    let info = reader.next_frame(&mut raw).map_err(unreadable)?;
    let raw = &raw[..info.buffer_size()];
    let mut bgrx = vec![255; size.area() as usize * 4];
    let targets = bgrx.chunks_exact_mut(4);
    match info.color_type.samples() {
        channels @ (1 | 2) => {
            for (bgrx, pixel) in targets.zip(raw.chunks_exact(channels)) {
                bgrx[..3].fill(pixel[0]);
            }
        }
        channels => {
            for (bgrx, pixel) in targets.zip(raw.chunks_exact(channels)) {
                bgrx[..3].copy_from_slice(&[pixel[2], pixel[1], pixel[0]]);
            }
        }
    }
    Pixels::new(Arc::new(bgrx), size, size.width as usize * 4)
        .ok_or_else(|| PngError::Unreadable(format!("the pixels of {size} are not all there")))
}

#[cfg(test)]
mod tests;
