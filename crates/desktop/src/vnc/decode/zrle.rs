//! ZRLE: tiles of 64x64 in one zlib stream, each raw, of one colour, by palette, or by runs.

use super::super::framebuffer::Canvas;
use super::super::trouble::Trouble;
use super::super::wire::Wire;
use super::inflate::{Inflate, Inflated};
use super::too_much;

const TILE: usize = 64;

pub(super) fn read(stream: &mut Inflate, wire: &mut Wire, canvas: &mut Canvas<'_>) -> Result<(), Trouble> {
    let length = wire.u32()? as usize;
    let mut data = stream.begin(wire, length);
    for y in (0..canvas.height).step_by(TILE) {
        for x in (0..canvas.width).step_by(TILE) {
            let size = (TILE.min(canvas.width - x), TILE.min(canvas.height - y));
            tile(&mut data, canvas, (x, y), size)?;
        }
    }
    data.finish()
}

/// A colour in three bytes: blue, green, red.
fn colour(data: &mut Inflated<'_>) -> Result<[u8; 4], Trouble> {
    let [b, g, r] = data.array()?;
    Ok([b, g, r, 0])
}

fn tile(
    data: &mut Inflated<'_>,
    canvas: &mut Canvas<'_>,
    (x, y): (usize, usize),
    (width, height): (usize, usize),
) -> Result<(), Trouble> {
    let kind = data.u8()?;
    let mut palette = [[0_u8; 4]; 128];
    let colours = usize::from(kind & 127);
    match kind {
        0 => {
            let mut row = [0; TILE * 3];
            for at in y..y + height {
                let row = &mut row[..width * 3];
                data.read(row)?;
                for (pixel, bgr) in canvas.row(x, at, width).chunks_exact_mut(4).zip(row.chunks_exact(3)) {
                    pixel[..3].copy_from_slice(bgr);
                }
            }
            Ok(())
        }
        1 => {
            let one = colour(data)?;
            canvas.fill((x, y), (width, height), one);
            Ok(())
        }
        2..=16 => {
            for entry in &mut palette[..colours] {
                *entry = colour(data)?;
            }
            let bits = match colours {
                2 => 1,
                3..=4 => 2,
                _ => 4,
            };
            for at in y..y + height {
                let (mut byte, mut left) = (0_u8, 0);
                for pixel in canvas.row(x, at, width).chunks_exact_mut(4) {
                    if left == 0 {
                        (byte, left) = (data.u8()?, 8);
                    }
                    left -= bits;
                    let index = usize::from(byte >> left) & ((1 << bits) - 1);
                    if index >= colours {
                        return Err(too_much("a colour"));
                    }
                    pixel.copy_from_slice(&palette[index]);
                }
            }
            Ok(())
        }
        128 => runs(data, canvas, (x, y), (width, height), |data| Ok((colour(data)?, true))),
        130..=255 => {
            for entry in &mut palette[..colours] {
                *entry = colour(data)?;
            }
            runs(data, canvas, (x, y), (width, height), |data| {
                let index = data.u8()?;
                let one =
                    palette[..colours].get(usize::from(index & 127)).ok_or_else(|| too_much("a colour"))?;
                Ok((*one, index & 128 != 0))
            })
        }
        17..=127 | 129 => Err(Trouble::broken(format!("a ZRLE tile of kind {kind}"))),
    }
}

/// Fills a tile with runs; `next` says the colour, and whether a length follows.
fn runs(
    data: &mut Inflated<'_>,
    canvas: &mut Canvas<'_>,
    (x, y): (usize, usize),
    (width, height): (usize, usize),
    mut next: impl FnMut(&mut Inflated<'_>) -> Result<([u8; 4], bool), Trouble>,
) -> Result<(), Trouble> {
    let (mut column, mut row) = (0, 0);
    while row < height {
        let (one, has_length) = next(data)?;
        let mut length = 1;
        if has_length {
            loop {
                let more = usize::from(data.u8()?);
                length += more;
                if length > width * height {
                    return Err(too_much("a run"));
                }
                if more < 255 {
                    break;
                }
            }
        }
        while length > 0 {
            if row == height {
                return Err(too_much("a run"));
            }
            let here = length.min(width - column);
            canvas.fill((x + column, y + row), (here, 1), one);
            length -= here;
            column += here;
            if column == width {
                (column, row) = (0, row + 1);
            }
        }
    }
    Ok(())
}
