//! How much of a screen changed between two looks, measured on a thin grid of points.
//!
//! A look keeps only the points it compares: 2304 of them for the 256x144 sample and stride 16 of `stateless` (S-41, S-42), read
//! straight from the frame. A point counts as changed if any channel differs at all. Points under a mask never count as
//! changed; they still count as points.

use handsight_base::flow::frame::PixelView;
use handsight_base::space::{FramePx, FrameRect, Size};

/// Every 16th pixel of the sample, in reading order.
pub const STRIDE: u32 = 16;

/// The points of one look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    frame: Size,
    points: Vec<Option<[u8; 3]>>,
}

impl Look {
    /// Reads the points of a frame that is thought of as reduced to `sample` by nearest neighbour.
    pub fn take(view: PixelView<'_>, sample: Size, mask: &[FrameRect]) -> Self {
        let frame = view.size();
        let middle = |n: u32, of: u32, from: u32| {
            // The source pixel under the middle of sample pixel `n`.
            ((u64::from(2 * n + 1) * u64::from(from)) / (2 * u64::from(of.max(1)))) as u32
        };
        let count = sample.area().div_ceil(u64::from(STRIDE)) as u32;
        let points = (0..count)
            .map(|i| {
                let at = i * STRIDE;
                let column = middle(at % sample.width, sample.width, frame.width);
                let row = middle(at / sample.width, sample.height, frame.height);
                let masked = mask.iter().any(|m| m.contains(FramePx::new(column as i32, row as i32)));
                if masked { None } else { view.bgr(column, row) }
            })
            .collect();
        Self { frame, points }
    }

    /// How many points differ from an earlier look, and of how many. A frame of another size differs everywhere.
    pub fn changed_since(&self, earlier: &Self) -> Change {
        let points = self.points.len() as u32;
        if self.frame != earlier.frame || earlier.points.len() != self.points.len() {
            return Change { changed: points, points };
        }
        let differs =
            |(a, b): &(&Option<[u8; 3]>, &Option<[u8; 3]>)| matches!((a, b), (Some(a), Some(b)) if a != b);
        let changed = self.points.iter().zip(&earlier.points).filter(differs).count() as u32;
        Change { changed, points }
    }
}

/// Changed points of all points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    pub changed: u32,
    pub points: u32,
}

impl Change {
    /// 0 to 1; an empty look did not change.
    pub fn ratio(self) -> f64 {
        if self.points == 0 { 0.0 } else { f64::from(self.changed) / f64::from(self.points) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::flow::frame::Pixels;
    use std::sync::Arc;

    const SAMPLE: Size = Size::new(256, 144);

    /// A grey frame with some pixels of another colour.
    pub(crate) fn frame(size: Size, dots: &[(u32, u32)]) -> Pixels {
        let mut bytes = [90u8, 90, 90, 0].repeat(size.area() as usize);
        for (column, row) in dots {
            bytes[(row * size.width + column) as usize * 4 + 2] = 91;
        }
        Pixels::new(Arc::new(bytes), size, size.width as usize * 4).unwrap()
    }

    // spec: S-41 S-42 UNIT
    #[test]
    fn every_sixteenth_pixel_of_the_sample_is_compared_and_nothing_else() {
        let before = Look::take(frame(SAMPLE, &[]).view(), SAMPLE, &[]);
        assert_eq!(before.points.len(), 2304);
        for (column, row, changed) in
            [(0, 0, 1), (16, 0, 1), (240, 143, 1), (15, 0, 0), (17, 5, 0), (255, 143, 0)]
        {
            let after = Look::take(frame(SAMPLE, &[(column, row)]).view(), SAMPLE, &[]);
            let change = after.changed_since(&before);
            assert_eq!(
                change,
                Change { changed, points: 2304 },
                "one step of one channel at {column}, {row}"
            );
        }
    }

    #[test]
    fn a_large_frame_is_sampled_under_the_middles() {
        let size = Size::new(1920, 1080);
        let before = Look::take(frame(size, &[]).view(), SAMPLE, &[]);
        // 7.5 source pixels a sample pixel: the middle of the first is 3.75.
        let dot = |column, row| {
            Look::take(frame(size, &[(column, row)]).view(), SAMPLE, &[]).changed_since(&before).changed
        };
        assert_eq!((dot(3, 3), dot(2, 3), dot(3, 2)), (1, 0, 0));
    }

    #[test]
    fn a_mask_hides_what_moves_under_it() {
        let mask = [FrameRect::new(0, 0, 64, 64)];
        let before = Look::take(frame(SAMPLE, &[]).view(), SAMPLE, &mask);
        let after = Look::take(frame(SAMPLE, &[(16, 16), (128, 16)]).view(), SAMPLE, &mask);
        assert_eq!(after.changed_since(&before), Change { changed: 1, points: 2304 });
    }

    #[test]
    fn another_size_is_another_screen() {
        let before = Look::take(frame(Size::new(800, 600), &[]).view(), SAMPLE, &[]);
        let after = Look::take(frame(Size::new(640, 480), &[]).view(), SAMPLE, &[]);
        assert_eq!(after.changed_since(&before).ratio(), 1.0);
    }
}
