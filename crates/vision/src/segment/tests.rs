use super::*;
use handsight_pixel::font::FontStack;

/// A grey picture to draw on.
struct Paper {
    size: Size,
    bgrx: Vec<u8>,
}

impl Paper {
    fn new(width: u32, height: u32, ground: u8) -> Self {
        let size = Size::new(width, height);
        Self { size, bgrx: vec![ground; size.area() as usize * 4] }
    }

    fn set(&mut self, x: i32, y: i32, value: u8) {
        let at = (y as usize * self.size.width as usize + x as usize) * 4;
        self.bgrx[at..at + 3].fill(value);
    }

    fn fill(&mut self, area: FrameRect, value: u8) {
        for y in area.origin.y..area.bottom() as i32 {
            (area.origin.x..area.right() as i32).for_each(|x| self.set(x, y, value));
        }
    }

    /// A border of one pixel whose corners are cut off by `corner`.
    fn outline(&mut self, area: FrameRect, corner: i32, value: u8) {
        let (left, top) = (area.origin.x, area.origin.y);
        let (right, bottom) = (area.right() as i32 - 1, area.bottom() as i32 - 1);
        for x in left + corner..=right - corner {
            self.set(x, top, value);
            self.set(x, bottom, value);
        }
        for y in top + corner..=bottom - corner {
            self.set(left, y, value);
            self.set(right, y, value);
        }
        for step in 1..corner {
            for (x, y) in [(left + step, top + corner - step), (right - step, top + corner - step)] {
                self.set(x, y, value);
                self.set(x, bottom - (y - top), value);
            }
        }
    }

    /// Where its ink is.
    fn text(&mut self, x: i32, y: i32, text: &str, em: f32, value: u8) -> FrameRect {
        let mut fonts = FontStack::builtin(400);
        let (mut pen, mut area) = (x, FrameRect::new(0, 0, 0, 0));
        for c in text.chars() {
            let glyph = fonts.glyph(c, em);
            for (row, coverage) in (y + glyph.top..).zip(glyph.coverage.chunks_exact(glyph.width.max(1))) {
                for (column, _) in (pen + glyph.left..).zip(coverage).filter(|(_, amount)| **amount > 100) {
                    self.set(column, row, value);
                    area = area.union(&FrameRect::new(column, row, 1, 1));
                }
            }
            pen += glyph.advance as i32;
        }
        area
    }

    fn segments(&self) -> Segments {
        let view = PixelView::new(&self.bgrx, self.size, self.size.width as usize * 4).unwrap();
        segment(view)
    }
}

/// The same but for `by` pixels on each side.
fn near(a: &FrameRect, b: &FrameRect, by: i64) -> bool {
    let close = |a: i64, b: i64| (a - b).abs() <= by;
    close(a.origin.x.into(), b.origin.x.into())
        && close(a.origin.y.into(), b.origin.y.into())
        && close(a.right(), b.right())
        && close(a.bottom(), b.bottom())
}

#[test]
fn lines_are_found_where_they_were_written_dark_or_light() {
    for (ground, ink) in [(255, 0), (30, 220), (240, 170)] {
        let mut paper = Paper::new(500, 200, ground);
        let written = [
            paper.text(20, 30, "Save the file, then close.", 12.0, ink),
            paper.text(300, 30, "Modified", 12.0, ink),
            paper.text(20, 60, "snake_case - and \"quotes\"", 10.0, ink),
            paper.text(20, 120, "A heading", 32.0, ink),
            paper.text(20, 160, "ok", 10.0, ink),
        ];
        let found = paper.segments();
        assert_eq!(found.lines.len(), written.len(), "{found:?}");
        for (found, written) in found.lines.iter().zip(&written) {
            assert!(near(found, written, 1), "{found} for {written}");
        }
        assert_eq!((found.boxes.len(), found.shapes.len()), (0, 0), "{found:?}");
    }
}

#[test]
fn nothing_stands_out_from_one_colour_or_a_gentle_gradient() {
    let mut paper = Paper::new(300, 200, 90);
    assert_eq!(paper.segments(), Segments::default());
    (0..300).for_each(|x| paper.fill(FrameRect::new(x, 0, 1, 200), (x / 2) as u8));
    assert_eq!(paper.segments(), Segments::default());
    // The control: one letter on it is seen.
    paper.text(100, 100, "H", 14.0, 250);
    assert_ne!(paper.segments(), Segments::default());
    assert_eq!(Paper::new(1, 200, 9).segments(), Segments::default());
}

#[test]
fn a_button_is_a_box_and_what_it_says_a_line_without_its_border() {
    for corner in [0, 3, 5] {
        let mut paper = Paper::new(400, 100, 235);
        let (wide, narrow) = (FrameRect::new(20, 20, 120, 26), FrameRect::new(160, 20, 34, 26));
        paper.outline(wide, corner, 120);
        paper.outline(narrow, corner, 120);
        let words = [paper.text(32, 37, "Cancel all", 12.0, 0), paper.text(168, 37, "OK", 12.0, 0)];
        let found = paper.segments();
        assert_eq!(found.boxes.len(), 2, "corner {corner}: {found:?}");
        assert!(
            near(&found.boxes[0], &wide, 2) && near(&found.boxes[1], &narrow, 2),
            "corner {corner}: {found:?}"
        );
        assert_eq!(found.lines.len(), 2, "corner {corner}: {found:?}");
        for (line, words) in found.lines.iter().zip(&words) {
            assert!(near(line, words, 1), "corner {corner}: {line} for {words}");
        }
    }
}

#[test]
fn a_coloured_button_without_a_border_is_a_box_too() {
    let mut paper = Paper::new(300, 100, 240);
    let area = FrameRect::new(30, 30, 90, 28);
    paper.fill(area, 60);
    let words = paper.text(45, 48, "Apply", 12.0, 255);
    let found = paper.segments();
    assert_eq!(found.boxes.len(), 1);
    assert!(near(&found.boxes[0], &area, 1), "{found:?}");
    assert!(near(&found.lines[0], &words, 1), "{found:?}");
}

#[test]
fn rules_are_nothing_icons_are_shapes_and_tight_lines_stay_apart() {
    let mut paper = Paper::new(400, 300, 255);
    paper.fill(FrameRect::new(0, 20, 400, 1), 0);
    paper.fill(FrameRect::new(200, 30, 1, 200), 0);
    assert_eq!(paper.segments(), Segments::default());
    // A black disc.
    for (x, y) in (0..40).flat_map(|x| (0..40).map(move |y| (x, y))) {
        if (x - 20) * (x - 20) + (y - 20) * (y - 20) < 400 {
            paper.set(x + 300, y + 200, 0);
        }
    }
    // As tight as the font itself sets lines.
    for i in 0..4 {
        paper.text(10, 60 + i * 14, "fgjy lifted gjy dfb hgp", 12.0, 0);
    }
    let found = paper.segments();
    assert_eq!(found.lines.len(), 4, "{found:?}");
    let tops: Vec<i32> = found.lines.iter().map(|a| a.origin.y).collect();
    assert!(tops.windows(2).all(|w| (12..=16).contains(&(w[1] - w[0]))), "{tops:?}");
    assert!(found.shapes.iter().any(|a| near(a, &FrameRect::new(301, 201, 39, 39), 2)), "{found:?}");
}

#[test]
fn areas_come_as_they_are_read() {
    let rects = [(200, 11), (10, 40), (10, 10), (300, 9), (150, 44)];
    let mut areas: Vec<FrameRect> = rects.iter().map(|&(x, y)| FrameRect::new(x, y, 50, 12)).collect();
    reading_order(&mut areas, |a| *a);
    let order: Vec<(i32, i32)> = areas.iter().map(|a| (a.origin.x, a.origin.y)).collect();
    assert_eq!(order, [(10, 10), (200, 11), (300, 9), (10, 40), (150, 44)]);
}
