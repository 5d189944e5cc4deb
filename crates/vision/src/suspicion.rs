//! Whether a captured picture looks like no picture at all (R12).
//!
//! A black frame may be a dark game and one colour may be an empty desktop, so this is a hint for the journal and the
//! model, never an error.

use handsight_base::flow::frame::{PixelView, Suspicion};
use handsight_pixel::scale::nearest_map;

/// Columns and rows of the grid that is looked at first.
const GRID: (u32, u32) = (64, 36);

/// Black or one colour, if every pixel is. Reads a grid, and all pixels only if the grid is all equal, so that a lone
/// dialog between the points of the grid is seen.
pub fn of(view: PixelView<'_>) -> Option<Suspicion> {
    let size = view.size();
    let first = view.bgr(0, 0)?;
    let columns = nearest_map(size.width, GRID.0);
    let grid_is_equal = nearest_map(size.height, GRID.1)
        .iter()
        .all(|&row| columns.iter().all(|&column| view.bgr(column, row) == Some(first)));
    let equal = grid_is_equal && (0..size.height).all(|row| row_is(view.row(row), first));
    match equal {
        false => None,
        true if first == [0, 0, 0] => Some(Suspicion::Black),
        true => Some(Suspicion::OneColour),
    }
}

fn row_is(row: &[u8], bgr: [u8; 3]) -> bool {
    let [b, g, r] = bgr.map(u32::from);
    let colour = b | g << 8 | r << 16;
    // The fourth byte is undefined.
    let differ = |pixel: &[u8; 4]| (u32::from_le_bytes(*pixel) & 0x00FF_FFFF) ^ colour;
    row.as_chunks().0.iter().fold(0, |any, pixel| any | differ(pixel)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::flow::frame::Pixels;
    use handsight_base::space::Size;

    const SIZE: Size = Size::new(320, 200);

    fn with_one_pixel(background: [u8; 3], at: usize, pixel: [u8; 4]) -> Option<Suspicion> {
        let [b, g, r] = background;
        let mut bytes: Vec<u8> = (0..SIZE.area()).flat_map(|i| [b, g, r, i as u8]).collect();
        bytes[at * 4..at * 4 + 4].copy_from_slice(&pixel);
        of(PixelView::new(&bytes, SIZE, SIZE.width as usize * 4).expect("fits"))
    }

    #[test]
    fn black_and_one_colour_are_told_from_pictures() {
        assert_eq!(of(Pixels::solid(SIZE, [0, 0, 0]).view()), Some(Suspicion::Black));
        assert_eq!(of(Pixels::solid(SIZE, [58, 110, 165]).view()), Some(Suspicion::OneColour));
        assert_eq!(with_one_pixel([0; 3], 0, [0, 0, 0, 200]), Some(Suspicion::Black), "fourth byte");
        for at in [0, 1, 777, 31_999, 63_999] {
            assert_eq!(with_one_pixel([0; 3], at, [0, 1, 0, 0]), None, "one pixel at {at}");
            assert_eq!(with_one_pixel([7, 8, 9], at, [7, 8, 10, 0]), None, "one pixel at {at}");
        }
    }

    #[test]
    fn a_frame_without_pixels_is_not_suspected() {
        assert_eq!(of(Pixels::solid(Size::new(0, 0), [0, 0, 0]).view()), None);
    }
}
