//! Hextile: tiles of 16x16, each raw or a background with rectangles on it.

use super::super::framebuffer::Canvas;
use super::super::trouble::Trouble;
use super::super::wire::Wire;
use super::too_much;

const TILE: usize = 16;
const RAW: u8 = 1;
const BACKGROUND: u8 = 2;
const FOREGROUND: u8 = 4;
const SUBRECTS: u8 = 8;
const COLOURED: u8 = 16;

pub(super) fn read(wire: &mut Wire, canvas: &mut Canvas<'_>) -> Result<(), Trouble> {
    let (mut background, mut foreground) = ([0; 4], [0; 4]);
    for y in (0..canvas.height).step_by(TILE) {
        for x in (0..canvas.width).step_by(TILE) {
            let (width, height) = (TILE.min(canvas.width - x), TILE.min(canvas.height - y));
            let flags = wire.u8()?;
            if flags & RAW != 0 {
                (y..y + height).try_for_each(|row| wire.read_exact(canvas.row(x, row, width)))?;
                continue;
            }
            if flags & BACKGROUND != 0 {
                background = wire.array()?;
            }
            canvas.fill((x, y), (width, height), background);
            if flags & FOREGROUND != 0 {
                foreground = wire.array()?;
            }
            if flags & SUBRECTS == 0 {
                continue;
            }
            for _ in 0..wire.u8()? {
                let colour = if flags & COLOURED != 0 { wire.array()? } else { foreground };
                let [place, extent] = wire.array::<2>()?.map(usize::from);
                let (left, top) = (place >> 4, place & 15);
                let (wide, high) = ((extent >> 4) + 1, (extent & 15) + 1);
                if left + wide > width || top + high > height {
                    return Err(too_much("a part of a tile"));
                }
                canvas.fill((x + left, y + top), (wide, high), colour);
            }
        }
    }
    Ok(())
}
