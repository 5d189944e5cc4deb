//! Reading a row of ink: in which style it is written, and what.
//!
//! Pieces of ink that are shaped like a known glyph vote for a size, a weight and a baseline; the best of these are spelled
//! out ([`super::spell`]) and the one that explains most of the ink wins. Everything goes by the numbers that rows and
//! columns have on the screen, so what scaling dropped is not compared. This module refuses to correct what it reads: no
//! dictionary, no guess from context.

use super::flat::Flat;
use super::glyphs::{Book, Glyph, visible};
use super::raster::Raster;
use super::rows::{InkRow, difference};
use super::spell::{Field, Frame, Spelled, spell};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Pieces that are asked for their style.
const VOTERS: usize = 8;
/// The most that a piece may differ from a glyph, of their ink.
const ALIKE: f32 = 0.25;
/// A reading this good is not improved upon.
const GOOD: f32 = 0.93;
/// One that is worse may be of letters in another colour, with a rim.
const FAIR: f32 = 0.8;
const POOR: f32 = 0.5;

/// A row that was read.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub(crate) texts: Vec<Spelled>,
    /// 0 to 1: how much of the ink is explained.
    pub(crate) confidence: f32,
    /// Place in [`Book::styles`].
    pub(crate) style: usize,
    /// Row of the screen.
    pub(crate) baseline: i32,
    pub(crate) ink: u32,
}

/// Reads the rows of one picture, and remembers which styles it uses while it does.
pub(crate) struct Reader<'a> {
    raster: &'a Raster,
    /// Pixels of lines and surfaces are no ink, whatever their colour.
    inked: &'a [bool],
    pub(crate) book: &'static Book,
    frames: HashMap<(usize, u64), Arc<Frame>>,
    recent: Vec<usize>,
}

/// How much of each pixel of a row is covered by one ink, column by column.
struct Cover {
    columns: Range<usize>,
    rows: Range<usize>,
    ink: Vec<u8>,
    mass: u32,
}

impl Cover {
    fn column(&self, x: usize) -> &[u8] {
        let height = self.rows.len();
        &self.ink[(x - self.columns.start) * height..][..height]
    }

    /// Columns between empty ones.
    fn pieces(&self) -> Vec<Range<usize>> {
        let mut pieces: Vec<Range<usize>> = Vec::new();
        for x in self.columns.clone().filter(|&x| self.column(x).iter().any(|&c| c > 0)) {
            match pieces.last_mut().filter(|piece| piece.end == x) {
                Some(piece) => piece.end = x + 1,
                None => pieces.push(x..x + 1),
            }
        }
        pieces
    }

    /// The rows in which some of these columns have ink.
    fn rows_of(&self, columns: &Range<usize>) -> Range<usize> {
        let inked = |y: usize| columns.clone().any(|x| self.column(x)[y] > 0);
        let first = (0..self.rows.len()).find(|&y| inked(y)).unwrap_or(0);
        let last = (first..self.rows.len()).rfind(|&y| inked(y)).unwrap_or(first);
        self.rows.start + first..self.rows.start + last + 1
    }
}

/// The frames of all styles, where no row is missing.
static WHOLE: [OnceLock<Vec<OnceLock<Arc<Frame>>>>; 3] = [const { OnceLock::new() }; 3];

impl<'a> Reader<'a> {
    pub(crate) fn new(raster: &'a Raster, flat: &'a Flat) -> Self {
        Self {
            raster,
            inked: &flat.inked,
            book: Book::get(raster.unit),
            frames: HashMap::new(),
            recent: Vec::new(),
        }
    }

    /// The best reading, or `None` if nothing of the row looks like a letter.
    pub(crate) fn read(&mut self, row: &InkRow) -> Option<Reading> {
        let cover = self.cover(row, row.ink);
        let votes = self.votes(&cover);
        let mut best = self.best_of(&cover, &votes, row.ink, true);
        if let Some(other) = row.other.filter(|_| best.as_ref().is_none_or(|b| b.confidence < FAIR)) {
            let cover = self.cover(row, other);
            let votes = self.votes(&cover);
            let rimmed = self.best_of(&cover, &votes, other, true);
            let better = |r: &Reading| best.as_ref().is_none_or(|b| b.confidence < r.confidence);
            if rimmed.as_ref().is_some_and(better) {
                best = rimmed;
            }
        }
        if best.is_none() && votes.is_empty() {
            // No piece looks like a letter: most such rows are drawings, and are not worth much.
            best = self.best_of(&cover, &self.by_recent(&cover), row.ink, false);
        }
        let best = best?;
        self.recent.retain(|s| *s != best.style);
        self.recent.insert(0, best.style);
        Some(best)
    }

    /// The best reading in one of some styles, each on its baseline.
    fn best_of(
        &mut self,
        cover: &Cover,
        candidates: &[(usize, i32)],
        ink: u32,
        thorough: bool,
    ) -> Option<Reading> {
        let mut best: Option<Reading> = None;
        for &(style, baseline) in candidates {
            let reading = self.spelled(cover, style, baseline, ink, thorough);
            if best.as_ref().is_none_or(|b| reading.confidence > b.confidence) {
                best = Some(reading);
            }
            if best.as_ref().is_some_and(|b| b.confidence >= GOOD) {
                break;
            }
        }
        best.filter(|b| b.texts.iter().any(|text| text.confidence > POOR))
    }

    /// Styles used lately, on the baselines that a row without any plain letter may have.
    fn by_recent(&self, cover: &Cover) -> Vec<(usize, i32)> {
        let bottom = self.raster.rows[cover.rows.end - 1] + 1;
        let height = bottom - self.raster.rows[cover.rows.start];
        let fits = |style: &&usize| {
            let style = &self.book.styles[**style];
            height <= style.above + style.below && height * 5 >= style.em as i32 * 2
        };
        let styles = self.recent.iter().filter(fits).take(2);
        // The lowest ink stands on the baseline, or is the tail of a p.
        let under = |&style: &usize| {
            let tail = (self.book.styles[style].em as i32 + 2) / 4;
            [0, -tail, 1, 1 - tail, -1].map(|by| (style, bottom + by))
        };
        styles.flat_map(under).collect()
    }

    /// Styles and baselines, the likeliest first.
    fn votes(&self, cover: &Cover) -> Vec<(usize, i32)> {
        // Stems and dots look alike in many styles: they vote only where there is nothing better.
        let pieces = cover.pieces();
        let wide = |piece: &&Range<usize>| piece.len() > 2;
        let voters = pieces.iter().filter(wide).chain(pieces.iter().filter(|p| !wide(p)));
        let mut votes: Vec<((usize, i32), f32)> = Vec::new();
        for piece in voters.take(VOTERS) {
            let mut mine: Vec<((usize, i32), f32)> = Vec::new();
            self.shaped_like(cover, piece, &mut |style, baseline, score| match mine
                .iter_mut()
                .find(|(key, _)| *key == (style, baseline))
            {
                Some((_, best)) => *best = best.max(score),
                None => mine.push(((style, baseline), score)),
            });
            for (key, score) in mine {
                match votes.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, sum)) => *sum += score,
                    None => votes.push((key, score)),
                }
            }
        }
        votes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        votes.into_iter().take(2).map(|(key, _)| key).collect()
    }

    /// Glyphs that look like one piece: style, baseline, how much.
    fn shaped_like(&self, cover: &Cover, piece: &Range<usize>, found: &mut dyn FnMut(usize, i32, f32)) {
        let lines = cover.rows_of(piece);
        let (columns, rows) = (&self.raster.columns, &self.raster.rows);
        let (x0, y0) = (columns[piece.start], rows[lines.start]);
        let (width, height) = (columns[piece.end - 1] - x0 + 1, rows[lines.end - 1] - y0 + 1);
        let from = lines.start - cover.rows.start;
        let mass: u32 = piece
            .clone()
            .flat_map(|x| &cover.column(x)[from..from + lines.len()])
            .map(|c| u32::from(*c))
            .sum();
        // Columns and rows that are missing beside it may have held ink.
        let missing = |numbers: &[i32], span: &Range<usize>| {
            let before = span.start == 0 || numbers[span.start] - numbers[span.start - 1] > 1;
            let after = span.end == numbers.len() || numbers[span.end] - numbers[span.end - 1] > 1;
            (i32::from(before), i32::from(after))
        };
        let ((left, right), (above, below)) = (missing(columns, piece), missing(rows, &lines));
        let share = |glyph: &Glyph, dx: i32, dy: i32| {
            let (mut cost, most) = (0, (mass as f32 * ALIKE * 1.2) as u32 + 1);
            for x in piece.clone() {
                let column = &cover.column(x)[from..];
                for (y, &seen) in lines.clone().zip(column) {
                    let ideal = glyph.within(columns[x] - x0 + dx, rows[y] - y0 + dy);
                    cost += u32::from(ideal.abs_diff(seen));
                }
                if cost > most {
                    return None;
                }
            }
            Some(cost as f32 / mass.max(1) as f32)
        };
        for w in width..=width + left + right {
            for h in height..=height + above + below {
                for &at in self.book.shaped(w, h) {
                    let glyph = self.book.glyph(at);
                    for dx in 0..=(w - width).min(left) {
                        for dy in 0..=(h - height).min(above) {
                            if let Some(share) = share(glyph, dx, dy).filter(|s| *s < ALIKE) {
                                let baseline = y0 - dy - glyph.top;
                                found(usize::from(at.0), baseline, (ALIKE - share) * (mass as f32).sqrt());
                            }
                        }
                    }
                }
            }
        }
    }

    fn cover(&self, row: &InkRow, ink: u32) -> Cover {
        let [x0, x1, y0, y1] = [row.extent.x0, row.extent.x1, row.extent.y0, row.extent.y1].map(usize::from);
        let height = y1 - y0;
        let mut cover = Cover { columns: x0..x1, rows: y0..y1, ink: vec![0; (x1 - x0) * height], mass: 0 };
        for (at, &ground) in row.ground.iter().enumerate() {
            let [r, g, b] = difference(ink, ground);
            let full = (r * r + g * g + b * b).max(1);
            // Fixed point: the quotient of every pixel by one number.
            let scale = ((255u64 << 24) / full as u64) as i64;
            let inked = &self.inked[(y0 + at) * self.raster.width()..][x0..x1];
            let pixels = self.raster.row(y0 + at)[x0..x1].iter().zip(inked).enumerate();
            for (column, (&pixel, &inked)) in pixels {
                if pixel == ground || !inked {
                    continue;
                }
                let [pr, pg, pb] = difference(pixel, ground);
                let along = i64::from(pr * r + pg * g + pb * b);
                let covered = visible(((along * scale) >> 24).clamp(0, 255) as u8);
                cover.ink[column * height + at] = covered;
                cover.mass += u32::from(covered);
            }
        }
        cover
    }

    fn frame(&mut self, style: usize, present: &[i32]) -> Arc<Frame> {
        let above = self.book.styles[style].above;
        let mask = present.iter().fold(0u64, |mask, y| mask | 1 << (y + above));
        let book = self.book;
        let make = || Arc::new(Frame::of(&book.styles[style], present));
        let all = (book.styles[style].above + book.styles[style].below) as usize;
        if present.len() == all {
            // No row is missing: one frame for ever.
            let whole = WHOLE[self.raster.unit as usize]
                .get_or_init(|| book.styles.iter().map(|_| OnceLock::new()).collect());
            return Arc::clone(whole[style].get_or_init(make));
        }
        Arc::clone(self.frames.entry((style, mask)).or_insert_with(make))
    }

    /// The cheapest text of a row in one style on one baseline.
    fn spelled(&mut self, cover: &Cover, number: usize, baseline: i32, ink: u32, thorough: bool) -> Reading {
        let style = &self.book.styles[number];
        let rows = self.raster.rows_within(baseline - style.above, baseline + style.below);
        let present: Vec<i32> = self.raster.rows[rows.clone()].iter().map(|y| y - baseline).collect();
        let frame = self.frame(number, &present);
        let columns = &self.raster.columns[cover.columns.clone()];
        let mut field = Field::new(rows.len(), columns, style);
        let shared = rows.start.max(cover.rows.start)..rows.end.min(cover.rows.end);
        if !shared.is_empty() {
            let (from, to) = (shared.start - cover.rows.start, shared.start - rows.start);
            for (at, x) in cover.columns.clone().enumerate() {
                field.put(at, to, &cover.column(x)[from..][..shared.len()]);
            }
        }
        field.seal();
        let texts = spell(&field, &frame, style, thorough);
        // What no text explains, and ink above and below the frame, counts against the whole.
        let explained: f32 = texts.iter().map(|text| text.mass as f32 * text.confidence).sum();
        let confidence = explained / cover.mass.max(1) as f32;
        Reading { texts, confidence, style: number, baseline, ink }
    }
}
