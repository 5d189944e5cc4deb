//! Whether a place on the screen still looks as it did when the model saw it (R7), and which places never rest.
//!
//! A model thinks for seconds, and what it decided on may have gone by then. What moved all the while says nothing and is left
//! out; what moved once says that something came. This module refuses to take looks, and to judge windows: two windows that look
//! alike are told apart by whoever asks the desktop.

use handsight_base::flow::frame::PixelView;
use handsight_base::space::{FramePx, FrameRect, Size};

/// Side of a tile in frame pixels.
const TILE: u32 = 16;
/// Of a tile one row in so many is looked at: what moves is taller, and a look at a whole screen costs a quarter.
const EVERY_ROW: usize = 4;
/// A channel that changed by no more is the same: subpixel text and lossy screens flicker by less.
const TOLERANCE: u8 = 24;
/// Around a point, so far each way, every pixel is compared.
pub const AROUND: i32 = 48;
/// The middle of it, so far each way: what a click hits.
const MIDDLE: i32 = 8;
/// Largest changed part of what counts around the point. A tenth: a caret, a clock's digit or a hover's edge is less, a tooltip,
/// a menu or a window more (D).
const MOST_AROUND: f64 = 0.10;
/// Largest changed part of the middle: a caret of two pixels in 17 is an eighth of it (D).
const MOST_MIDDLE: f64 = 0.25;

/// Which tiles of a screen changed by themselves of late, learned from looks one after the other.
#[derive(Debug, Default)]
pub struct Restless {
    size: Option<Size>,
    /// A sum over the pixels of each tile at the last look.
    sums: Vec<u64>,
    /// One bit a comparison for each tile, the newest lowest: it had changed.
    history: Vec<u8>,
    /// Comparisons so far.
    compared: u32,
}

impl Restless {
    /// Two of the last eight comparisons, one of them of the last three: an animation goes on, what an action did is over.
    const fn moves(history: u8) -> bool {
        history.count_ones() >= 2 && history & 0b111 != 0
    }

    /// One more look at the whole screen, of a row with even intervals and nothing done in between.
    pub fn look(&mut self, view: PixelView<'_>) {
        let sums = tile_sums(view);
        if self.size == Some(view.size()) {
            for ((history, last), now) in self.history.iter_mut().zip(&self.sums).zip(&sums) {
                *history = *history << 1 | u8::from(last != now);
            }
            self.compared = self.compared.saturating_add(1);
        } else {
            self.size = Some(view.size());
            self.history = vec![0; sums.len()];
            self.compared = 0;
        }
        self.sums = sums;
    }

    /// The next look begins a row of its own: what changed before it was done by somebody.
    pub fn begin_row(&mut self, view: PixelView<'_>) {
        if self.size == Some(view.size()) {
            self.sums = tile_sums(view);
        } else {
            self.look(view);
        }
    }

    /// A re-check found this area changed. What does so again and again moves by itself, even if no row of looks caught it.
    pub fn changed(&mut self, area: FrameRect) {
        let Some(size) = self.size else { return };
        let (columns, _) = tiles(size);
        for (tile, history) in (0..).zip(&mut self.history) {
            let corner = FramePx::new((tile % columns * TILE) as i32, (tile / columns * TILE) as i32);
            let lies = FrameRect { origin: corner, size: Size::new(TILE, TILE) };
            *history |= u8::from(lies.intersect(&area).is_some());
        }
    }

    /// True once there were looks enough to know what moves.
    pub const fn knows(&self) -> bool {
        self.compared > 1
    }

    /// True if the screen moves by itself at this pixel.
    pub fn is_at(&self, at: FramePx) -> bool {
        let Some((columns, rows)) = self.size.map(tiles) else { return false };
        let (Ok(column), Ok(row)) = (u32::try_from(at.x), u32::try_from(at.y)) else { return false };
        let (column, row) = (column / TILE, row / TILE);
        let inside = column < columns && row < rows;
        let history = self.history.get((row * columns + column) as usize).filter(|_| inside);
        history.is_some_and(|history| Self::moves(*history))
    }
}

/// Columns and rows of tiles; the last of each may be cut.
const fn tiles(size: Size) -> (u32, u32) {
    (size.width.div_ceil(TILE), size.height.div_ceil(TILE))
}

/// A sum for each tile, in reading order, that another content of the tile hardly shares. The undefined byte does not count.
fn tile_sums(view: PixelView<'_>) -> Vec<u64> {
    let (columns, rows) = tiles(view.size());
    let mut sums = vec![0_u64; columns as usize * rows as usize];
    for row in (0..view.size().height).step_by(EVERY_ROW) {
        let first = (row / TILE * columns) as usize;
        let parts = view.row(row).chunks(TILE as usize * 4);
        for (sum, part) in sums.iter_mut().skip(first).zip(parts) {
            for pixel in part.chunks_exact(4) {
                let &[blue, green, red, _] = pixel else { continue };
                let value = u64::from(u32::from_le_bytes([blue, green, red, 1]));
                *sum = (*sum ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
            }
        }
    }
    sums
}

/// How much of a place has changed, of what counts of it; 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    pub middle: f64,
    pub around: f64,
}

impl Difference {
    /// True if something came, went or moved at the place.
    pub fn is_another(&self) -> bool {
        self.middle > MOST_MIDDLE || self.around > MOST_AROUND
    }
}

/// Largest changed part of a window that still is what keys were meant for (D): a page of text may scroll, another page, an empty one or
/// a locked screen is more.
const MOST_OF_WINDOW: f64 = 0.5;
/// Of a window, one pixel in so many is compared each way.
const EVERY: usize = 8;

/// True if most of an `area` shows something else, as far as `counts` lets it be looked at.
pub fn is_another_view(
    before: PixelView<'_>,
    now: PixelView<'_>,
    area: FrameRect,
    counts: impl Fn(FramePx) -> bool,
) -> bool {
    before.size() != now.size() || share(before, now, area, EVERY, counts).of_one() > MOST_OF_WINDOW
}

/// The part of a frame that is compared around a point.
pub fn surroundings(at: FramePx) -> FrameRect {
    let side = 2 * AROUND as u32 + 1;
    FrameRect { origin: FramePx::new(at.x - AROUND, at.y - AROUND), size: Size::new(side, side) }
}

/// Compares a place as it was with how it is, both cut to the same `area` of the frame. Pixels for which `counts` is false are
/// left out; where none is left, nothing has changed. Pictures of different sizes are wholly different.
pub fn difference(
    before: PixelView<'_>,
    now: PixelView<'_>,
    (area, at): (FrameRect, FramePx),
    counts: impl Fn(FramePx) -> bool,
) -> Difference {
    if before.size() != now.size() {
        return Difference { middle: 1.0, around: 1.0 };
    }
    let around = share(before, now, area, 1, &counts);
    let hit = |here: FramePx| (here.x - at.x).abs() <= MIDDLE && (here.y - at.y).abs() <= MIDDLE;
    let middle = share(before, now, area, 1, |here| hit(here) && counts(here));
    Difference { middle: middle.of_one(), around: around.of_one() }
}

/// What changed of the pixels that count, one in `every` each way. Both pictures have the same size.
fn share(
    before: PixelView<'_>,
    now: PixelView<'_>,
    area: FrameRect,
    every: usize,
    counts: impl Fn(FramePx) -> bool,
) -> Share {
    let mut share = Share::default();
    for row in (0..now.size().height).step_by(every) {
        for column in (0..now.size().width).step_by(every) {
            let here = FramePx::new(area.origin.x + column as i32, area.origin.y + row as i32);
            let (Some(was), Some(is)) = (before.bgr(column, row), now.bgr(column, row)) else { continue };
            if counts(here) {
                share.add(was.iter().zip(is).any(|(was, is)| was.abs_diff(is) > TOLERANCE));
            }
        }
    }
    share
}

#[derive(Default)]
struct Share {
    changed: u32,
    of: u32,
}

impl Share {
    const fn add(&mut self, changed: bool) {
        self.changed += changed as u32;
        self.of += 1;
    }

    fn of_one(&self) -> f64 {
        if self.of == 0 { 0.0 } else { f64::from(self.changed) / f64::from(self.of) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::flow::frame::Pixels;
    use std::sync::Arc;

    const SIZE: Size = Size::new(200, 150);

    /// A grey screen with rectangles of other levels.
    fn screen(painted: &[(FrameRect, u8)]) -> Pixels {
        let mut bytes = [90, 90, 90, 0].repeat(SIZE.area() as usize);
        for (rect, level) in painted {
            for row in rect.origin.y..rect.origin.y + rect.size.height as i32 {
                for column in rect.origin.x..rect.origin.x + rect.size.width as i32 {
                    let at = (row as usize * SIZE.width as usize + column as usize) * 4;
                    bytes[at..at + 3].fill(*level);
                }
            }
        }
        Pixels::new(Arc::new(bytes), SIZE, SIZE.width as usize * 4).expect("four bytes a pixel")
    }

    fn compared(before: &Pixels, now: &Pixels, at: FramePx, restless: &Restless) -> Difference {
        let area = surroundings(at).intersect(&FrameRect::new(0, 0, 200, 150)).unwrap();
        let cut = |p: &Pixels| {
            let view = p.view().crop(area.origin.x as u32, area.origin.y as u32, area.size).unwrap();
            let rows: Vec<u8> = (0..area.size.height).flat_map(|row| view.row(row).to_vec()).collect();
            Pixels::new(Arc::new(rows), area.size, area.size.width as usize * 4).unwrap()
        };
        difference(cut(before).view(), cut(now).view(), (area, at), |here| !restless.is_at(here))
    }

    #[test]
    fn what_comes_goes_or_moves_at_a_place_is_seen_and_a_caret_is_not() {
        let at = FramePx::new(100, 75);
        let button = (FrameRect::new(80, 65, 40, 20), 200);
        let before = screen(&[button]);
        let another = |now: &Pixels| compared(&before, now, at, &Restless::default()).is_another();
        assert!(!another(&before));
        // A caret at the very point, a digit beside it, a flicker by a little everywhere.
        assert!(!another(&screen(&[button, (FrameRect::new(100, 66, 2, 17), 0)])));
        assert!(!another(&screen(&[button, (FrameRect::new(130, 60, 8, 12), 0)])));
        assert!(!another(&screen(&[(FrameRect::new(0, 0, 200, 150), 114), (button.0, 220)])));
        // A dialog over it, the button gone, the button moved by half its height, a tooltip beside it.
        assert!(another(&screen(&[button, (FrameRect::new(60, 40, 100, 80), 240)])));
        assert!(another(&screen(&[])));
        assert!(another(&screen(&[(FrameRect::new(80, 75, 40, 20), 200)])));
        assert!(another(&screen(&[button, (FrameRect::new(110, 80, 60, 25), 255)])));
        // The point is what is hit: a small thing on it is seen.
        assert!(another(&screen(&[button, (FrameRect::new(96, 71, 9, 9), 20)])));
        // What is far away is not.
        assert!(!another(&screen(&[button, (FrameRect::new(0, 0, 40, 150), 20)])));
    }

    #[test]
    fn what_moved_all_the_while_does_not_count_and_what_came_once_does() {
        let at = FramePx::new(100, 75);
        // Whole tiles, so that the edge of the mask is the edge of what moves.
        let moving = |level| screen(&[(FrameRect::new(96, 64, 80, 64), level)]);
        let mut restless = Restless::default();
        for level in [10, 200, 30, 180] {
            restless.look(moving(level).view());
        }
        assert!(restless.is_at(at) && !restless.is_at(FramePx::new(90, 75)));
        assert!(!compared(&moving(10), &moving(250), at, &restless).is_another());
        let beside = screen(&[(FrameRect::new(52, 27, 44, 100), 255)]);
        assert!(
            compared(&moving(10), &beside, at, &restless).is_another(),
            "what does not move still counts"
        );
        // It rests for a while: three comparisons without a change.
        for _ in 0..4 {
            restless.look(moving(50).view());
        }
        assert!(!restless.is_at(at));
        assert!(compared(&moving(50), &moving(250), at, &restless).is_another());
    }

    #[test]
    fn what_an_action_did_is_no_motion() {
        let mut restless = Restless::default();
        for painted in [&[][..], &[(FrameRect::new(0, 0, 160, 160 - 16), 255)]] {
            restless.begin_row(screen(painted).view());
            restless.look(screen(painted).view());
        }
        assert!(!restless.is_at(FramePx::new(8, 8)));
        // A re-check that fails at the same place again and again teaches that it moves by itself.
        let at = FramePx::new(8, 8);
        for strike in 1..=2 {
            restless.changed(FrameRect::new(0, 0, 20, 20));
            restless.begin_row(screen(&[]).view());
            restless.look(screen(&[]).view());
            assert_eq!(restless.is_at(at), strike == 2);
        }
        assert!(!restless.is_at(FramePx::new(60, 60)));
    }

    #[test]
    fn other_sizes_and_places_outside_are_answered() {
        let mut restless = Restless::default();
        assert!(!restless.is_at(FramePx::new(3, 3)));
        restless.look(Pixels::solid(Size::new(33, 17), [1, 2, 3]).view());
        restless.look(screen(&[]).view());
        for (column, row) in [(-1, 5), (5, -1), (4000, 5), (5, 4000)] {
            assert!(!restless.is_at(FramePx::new(column, row)));
        }
        let small = Pixels::solid(Size::new(4, 4), [0; 3]);
        let area = FrameRect::new(0, 0, 4, 4);
        let other = difference(small.view(), screen(&[]).view(), (area, FramePx::new(2, 2)), |_| true);
        assert!(other.is_another());
        let masked = difference(small.view(), small.view(), (area, FramePx::new(2, 2)), |_| false);
        assert_eq!(masked, Difference { middle: 0.0, around: 0.0 });
    }
}
