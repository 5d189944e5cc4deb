//! How much of the screen changed between two looks.
//!
//! A look is reduced to a small picture of nearest-neighbour pixels, of which every sixteenth is compared. Only those
//! are read from the frame, so a look at a 4K screen costs as much as one at a small screen.

use handsight_base::flow::frame::PixelView;
use handsight_base::space::{FramePx, FrameRect, Size};
use handsight_pixel::scale::nearest_map;

/// Size of the small picture (S-41).
pub const SAMPLE: Size = Size::new(256, 144);
/// Every so many pixels of the small picture, in reading order, one is compared (S-42): 2 304 of 36 864.
pub const STRIDE: usize = 16;

/// The compared points of one look: blue, green, red.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    frame: Size,
    sample: Size,
    points: Vec<[u8; 3]>,
}

impl Sample {
    /// Looks at a frame, reduced to `sample`. A frame without pixels has no points.
    pub fn of(view: PixelView<'_>, sample: Size) -> Self {
        let frame = view.size();
        let points = places(frame, sample).filter_map(|at| view.bgr(at.x as u32, at.y as u32)).collect();
        Self { frame, sample, points }
    }

    /// How many points are compared.
    pub fn points(&self) -> usize {
        self.points.len()
    }

    /// Which part of the points differs from `other` in any channel by anything, 0 to 1.
    ///
    /// A point inside a rectangle of `mask` (in pixels of the frame) counts as unchanged, so that a threshold means the
    /// same number of points with and without a mask. Looks of different shapes are wholly different.
    pub fn changed(&self, other: &Self, mask: &[FrameRect]) -> f64 {
        if self.frame != other.frame || self.sample != other.sample {
            return 1.0;
        }
        if self.points.is_empty() {
            return 0.0;
        }
        let masked = |at: FramePx| mask.iter().any(|rect| rect.contains(at));
        let changed = self
            .points
            .iter()
            .zip(&other.points)
            .zip(places(self.frame, self.sample))
            .filter(|&((a, b), at)| a != b && !masked(at))
            .count();
        changed as f64 / self.points.len() as f64
    }
}

/// Where in the frame the compared points are.
fn places(frame: Size, sample: Size) -> impl Iterator<Item = FramePx> {
    let sample = if frame.is_empty() { Size::default() } else { sample };
    let columns = nearest_map(frame.width, sample.width);
    let rows = nearest_map(frame.height, sample.height);
    (0..sample.area() as usize).step_by(STRIDE).map(move |i| {
        let (row, column) = (i / sample.width as usize, i % sample.width as usize);
        FramePx::new(columns[column] as i32, rows[row] as i32)
    })
}

#[cfg(test)]
mod tests;
