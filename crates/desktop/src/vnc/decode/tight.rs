//! Tight without JPEG: one colour, a palette, copied or predicted pixels, over four zlib streams.

use super::super::framebuffer::Canvas;
use super::super::trouble::Trouble;
use super::super::wire::Wire;
use super::inflate::{Inflate, Inflated};
use super::too_much;

/// Less than this is not compressed.
const MIN_COMPRESSED: usize = 12;

#[derive(Default)]
pub(super) struct Tight {
    streams: [Inflate; 4],
}

/// How the bytes of a rectangle become pixels.
enum Filter {
    Copy,
    Palette(Box<[[u8; 4]; 256]>, usize),
    Gradient,
}

/// Where the bytes of a rectangle come from.
enum Source<'a> {
    Plain(&'a mut Wire),
    Compressed(Inflated<'a>),
}

impl Source<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<(), Trouble> {
        match self {
            Self::Plain(wire) => wire.read_exact(into),
            Self::Compressed(data) => data.read(into),
        }
    }
}

impl Tight {
    pub(super) fn read(&mut self, wire: &mut Wire, canvas: &mut Canvas<'_>) -> Result<(), Trouble> {
        let control = wire.u8()?;
        for (number, stream) in self.streams.iter_mut().enumerate() {
            if control >> number & 1 == 1 {
                stream.reset();
            }
        }
        match control >> 4 {
            8 => {
                let one = colour(wire.array()?);
                canvas.fill((0, 0), (canvas.width, canvas.height), one);
                return Ok(());
            }
            0..=7 => {}
            9 => return Err(Trouble::broken("a JPEG picture, which was not asked for")),
            other => return Err(Trouble::broken(format!("a Tight rectangle of kind {other}"))),
        }
        let filter = if control & 0x40 == 0 { Filter::Copy } else { filter(wire)? };
        let row_bytes = match &filter {
            Filter::Palette(_, 2) => canvas.width.div_ceil(8),
            Filter::Palette(..) => canvas.width,
            Filter::Copy | Filter::Gradient => canvas.width * 3,
        };
        let mut source = if row_bytes * canvas.height < MIN_COMPRESSED {
            Source::Plain(wire)
        } else {
            let length = compact(wire)?;
            let stream = &mut self.streams[usize::from(control >> 4 & 3)];
            Source::Compressed(stream.begin(wire, length))
        };
        let mut row = vec![0; row_bytes];
        let mut above = vec![0; canvas.width * 3 + 3];
        for y in 0..canvas.height {
            source.read(&mut row)?;
            let pixels = canvas.row(0, y, canvas.width);
            match &filter {
                Filter::Copy => {
                    for (pixel, rgb) in pixels.chunks_exact_mut(4).zip(row.chunks_exact(3)) {
                        pixel.copy_from_slice(&colour([rgb[0], rgb[1], rgb[2]]));
                    }
                }
                Filter::Palette(colours, 2) => {
                    for (x, pixel) in pixels.chunks_exact_mut(4).enumerate() {
                        let bit = row[x / 8] >> (7 - x % 8) & 1;
                        pixel.copy_from_slice(&colours[usize::from(bit)]);
                    }
                }
                Filter::Palette(colours, count) => {
                    for (pixel, index) in pixels.chunks_exact_mut(4).zip(&row) {
                        if usize::from(*index) >= *count {
                            return Err(too_much("a colour"));
                        }
                        pixel.copy_from_slice(&colours[usize::from(*index)]);
                    }
                }
                Filter::Gradient => predict(&mut row, &mut above, pixels),
            }
        }
        match source {
            Source::Plain(_) => Ok(()),
            Source::Compressed(data) => data.finish(),
        }
    }
}

/// Tight writes red first.
const fn colour([r, g, b]: [u8; 3]) -> [u8; 4] {
    [b, g, r, 0]
}

fn filter(wire: &mut Wire) -> Result<Filter, Trouble> {
    match wire.u8()? {
        0 => Ok(Filter::Copy),
        1 => {
            let count = usize::from(wire.u8()?) + 1;
            if count < 2 {
                return Err(Trouble::broken("a palette of one colour"));
            }
            let mut colours = Box::new([[0; 4]; 256]);
            for entry in &mut colours[..count] {
                *entry = colour(wire.array()?);
            }
            Ok(Filter::Palette(colours, count))
        }
        2 => Ok(Filter::Gradient),
        other => Err(Trouble::broken(format!("a Tight filter {other}"))),
    }
}

/// Each byte is the difference to left + above - above left. `above` has one pixel of zeroes before the row.
fn predict(row: &mut [u8], above: &mut [u8], pixels: &mut [u8]) {
    let mut left = [0_u8; 3];
    let mut corner = [0_u8; 3];
    for (x, pixel) in pixels.chunks_exact_mut(4).enumerate() {
        let mut rgb = [0; 3];
        for (channel, value) in rgb.iter_mut().enumerate() {
            let up = above[3 + x * 3 + channel];
            let guess = i32::from(left[channel]) + i32::from(up) - i32::from(corner[channel]);
            *value = row[x * 3 + channel].wrapping_add(guess.clamp(0, 255) as u8);
            corner[channel] = up;
            above[3 + x * 3 + channel] = *value;
        }
        left = rgb;
        pixel.copy_from_slice(&colour(rgb));
    }
}

/// A length in one to three bytes, seven bits each.
fn compact(wire: &mut Wire) -> Result<usize, Trouble> {
    let mut length = 0;
    for (shift, mask) in [(0, 0x7f), (7, 0x7f), (14, 0xff)] {
        let byte = wire.u8()?;
        length |= usize::from(byte & mask) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    Ok(length)
}
