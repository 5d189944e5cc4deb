//! Rectangles and lines on a [`Canvas`]. What lies outside the canvas is left out. Pixels are replaced, not mixed.

use crate::canvas::{Canvas, Color};
use handsight_base::space::{FramePx, FrameRect};

/// Fills a rectangle.
pub fn fill(canvas: &mut Canvas, rect: FrameRect, color: Color) {
    let Some(part) = rect.intersect(&canvas.area()) else { return };
    for y in part.origin.y..part.bottom() as i32 {
        if let Some(row) = canvas.span_mut(FramePx::new(part.origin.x, y), part.size.width as usize) {
            row.as_chunks_mut().0.fill(color.bgra());
        }
    }
}

/// Draws the border of a rectangle, `width` pixels wide, inside it.
pub fn frame(canvas: &mut Canvas, rect: FrameRect, width: u32, color: Color) {
    let (x, y) = (rect.origin.x, rect.origin.y);
    let (w, h) = (rect.size.width, rect.size.height);
    if width.saturating_mul(2) >= w.min(h) {
        fill(canvas, rect, color);
        return;
    }
    let far = (width as i32, (w - width) as i32, (h - width) as i32);
    let inner = h - 2 * width;
    for part in [
        FrameRect::new(x, y, w, width),
        FrameRect { origin: rect.origin.offset(0, far.2), ..FrameRect::new(x, y, w, width) },
        FrameRect { origin: rect.origin.offset(0, far.0), ..FrameRect::new(x, y, width, inner) },
        FrameRect { origin: rect.origin.offset(far.1, far.0), ..FrameRect::new(x, y, width, inner) },
    ] {
        fill(canvas, part, color);
    }
}

/// Draws a straight line with a square pen of `width` pixels, both ends included.
pub fn line(canvas: &mut Canvas, from: FramePx, to: FramePx, width: u32, color: Color) {
    let wide = |v: i32| i64::from(v);
    let (dx, dy) = (wide(to.x) - wide(from.x), wide(to.y) - wide(from.y));
    let length = dx.abs().max(dy.abs());
    let area = canvas.area();
    let pen = i64::from(width);
    // Only the steps whose major coordinate can touch the canvas.
    let (start, delta, low, high) = if dx.abs() >= dy.abs() {
        (wide(from.x), dx, wide(area.origin.x), area.right())
    } else {
        (wide(from.y), dy, wide(area.origin.y), area.bottom())
    };
    let (near, far) = if delta >= 0 {
        (low - pen - start, high + pen - start)
    } else {
        (start - high - pen, start - low + pen)
    };
    for step in near.max(0)..=far.min(length) {
        let along = |from: i32, delta: i64| {
            // Twice a 32-bit distance times another needs more than 64 bits.
            let (delta, step, length) = (i128::from(delta), i128::from(step), i128::from(length.max(1)));
            let moved = (2 * delta * step + length).div_euclid(2 * length) as i64;
            (wide(from) + moved - pen / 2) as i32
        };
        fill(canvas, FrameRect::new(along(from.x, dx), along(from.y, dy), width, width), color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Color = Color::opaque(255, 0, 0);

    fn drawn(canvas: &Canvas) -> Vec<String> {
        let width = canvas.area().size.width as usize;
        let row = |row: &[[u8; 4]]| row.iter().map(|p| if p[3] == 0 { '.' } else { '#' }).collect();
        canvas.bgra().as_chunks().0.chunks(width).map(row).collect()
    }

    #[test]
    fn rectangles_are_clipped_and_frames_lie_inside() {
        let mut canvas = Canvas::new(FrameRect::new(10, 10, 6, 5));
        fill(&mut canvas, FrameRect::new(-100, 14, 1000, 1000), RED);
        assert_eq!(drawn(&canvas), ["......", "......", "......", "......", "######"]);
        assert_eq!(canvas.pixel(FramePx::new(10, 14)), Some([0, 0, 255, 255]));
        let mut canvas = Canvas::new(FrameRect::new(0, 0, 6, 5));
        frame(&mut canvas, FrameRect::new(1, 0, 5, 5), 1, RED);
        assert_eq!(drawn(&canvas), [".#####", ".#...#", ".#...#", ".#...#", ".#####"]);
        frame(&mut canvas, FrameRect::new(1, 0, 5, 5), 3, RED);
        assert_eq!(drawn(&canvas), [".#####"; 5]);
    }

    #[test]
    fn lines_include_both_ends_and_survive_absurd_ones() {
        let line_from = |a: (i32, i32), b: (i32, i32), width| {
            let mut canvas = Canvas::new(FrameRect::new(0, 0, 5, 4));
            line(&mut canvas, FramePx::new(a.0, a.1), FramePx::new(b.0, b.1), width, RED);
            drawn(&canvas)
        };
        assert_eq!(line_from((0, 0), (3, 3), 1), ["#....", ".#...", "..#..", "...#."]);
        assert_eq!(line_from((4, 0), (0, 2), 1), line_from((0, 2), (4, 0), 1));
        assert_eq!(line_from((2, 1), (2, 1), 1), [".....", "..#..", ".....", "....."]);
        assert_eq!(line_from((2, -9), (2, 9), 2), [".##.."; 4]);
        assert_eq!(line_from((i32::MIN, 2), (i32::MAX, 2), 1), [".....", ".....", "#####", "....."]);
        assert_eq!(line_from((i32::MAX, 9), (i32::MIN, 9), 1), ["....."; 4]);
    }
}
