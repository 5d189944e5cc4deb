//! Whether a frame looks like no picture at all (R12): black or one colour wherever one looks.

use handsight_base::flow::frame::{PixelView, Suspicion};

/// Columns and rows of the grid that is looked at.
const GRID: u32 = 64;

/// `None` as soon as two points differ. A frame without pixels is black.
pub fn of(view: PixelView<'_>) -> Option<Suspicion> {
    let size = view.size();
    let at = |n: u32, length: u32| (u64::from(2 * n + 1) * u64::from(length) / u64::from(2 * GRID)) as u32;
    let first = view.bgr(at(0, size.width), at(0, size.height)).unwrap_or_default();
    for row in 0..GRID {
        for column in 0..GRID {
            if view.bgr(at(column, size.width), at(row, size.height)).is_some_and(|p| p != first) {
                return None;
            }
        }
    }
    Some(if first == [0; 3] { Suspicion::Black } else { Suspicion::OneColour })
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::flow::frame::Pixels;
    use handsight_base::space::Size;
    use std::sync::Arc;

    #[test]
    fn black_and_one_colour_are_suspect_and_a_picture_is_not() {
        let size = Size::new(640, 480);
        assert_eq!(of(Pixels::solid(size, [0; 3]).view()), Some(Suspicion::Black));
        assert_eq!(of(Pixels::solid(size, [0, 40, 0]).view()), Some(Suspicion::OneColour));
        let mut bytes = [0u8; 4].repeat(size.area() as usize);
        // A small window somewhere on a black desktop.
        for row in 200..220 {
            for column in 300..320 {
                bytes[(row * 640 + column) * 4] = 255;
            }
        }
        assert_eq!(of(Pixels::new(Arc::new(bytes), size, 640 * 4).unwrap().view()), None);
    }
}
