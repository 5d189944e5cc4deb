//! Reading a row of text: which letters, placed pen by pen, explain its ink.
//!
//! The style is found first: pieces of ink that are shaped like a known glyph vote for its size, weight and baseline. Then
//! the cheapest path from pen to pen is searched, where each step is a glyph, its cost the coverage it does not
//! explain. Both look at rows and columns by their numbers on the screen, so what scaling dropped is not compared. A piece
//! that no glyph explains becomes U+FFFD.

use super::flat::Extent;
use super::glyphs::{Book, Glyph, Style, visible};
use super::raster::Raster;
use super::rows::{InkRow, difference};
use std::collections::HashMap;
use std::rc::Rc;

/// What could not be read.
pub(crate) const UNKNOWN: char = '\u{FFFD}';
/// Of a glyph's mass: the most that may stay unexplained.
const LIMIT: f32 = 0.34;
/// What it costs to suppose a letter that cannot be seen.
const LOST: u32 = 60;
/// Pieces that are asked for their style.
const VOTERS: usize = 10;
/// A reading this good is not improved upon.
const GOOD: f32 = 0.93;

/// A row that was read.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub(crate) text: String,
    /// 0 to 1: how much of the ink is explained.
    pub(crate) confidence: f32,
    /// Place in [`Book::styles`].
    pub(crate) style: usize,
    /// Row of the screen.
    pub(crate) baseline: i32,
    /// Where each character's pen was, columns of the screen.
    pub(crate) pens: Vec<i32>,
}

/// Reads the rows of one picture, and remembers which styles it uses while it does.
pub(crate) struct Reader<'a> {
    raster: &'a Raster,
    book: &'static Book,
    frames: HashMap<(usize, u64), Rc<Frame>>,
    recent: Vec<usize>,
}

/// A style as it looks where some rows are missing: the glyphs' columns, top to bottom.
struct Frame {
    rows: usize,
    glyphs: Vec<Columns>,
}

struct Columns {
    ink: Vec<u8>,
    masses: Vec<u16>,
    mass: u32,
}

/// Coverage of a row of text, column by column.
struct Field {
    rows: usize,
    ink: Vec<u8>,
    masses: Vec<u16>,
    /// Column of the screen that `places` begins with.
    first: i32,
    /// For each column of the screen, which column here it is.
    places: Vec<Option<u32>>,
    end: i32,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(raster: &'a Raster) -> Self {
        Self { raster, book: Book::get(), frames: HashMap::new(), recent: Vec::new() }
    }

    /// The best reading, or `None` if nothing of the row looks like a letter.
    pub(crate) fn read(&mut self, row: &InkRow) -> Option<Reading> {
        let mut candidates = self.votes(row);
        candidates.truncate(3);
        let mut best: Option<Reading> = None;
        if candidates.is_empty() {
            candidates = self.by_recent(row);
        }
        for (style, baseline) in candidates {
            let reading = self.spell(row, style, baseline);
            if best.as_ref().is_none_or(|b| reading.confidence > b.confidence) {
                best = Some(reading);
            }
            if best.as_ref().is_some_and(|b| b.confidence >= GOOD) {
                break;
            }
        }
        let best = best.filter(|b| b.confidence > 0.5 && !b.text.is_empty())?;
        self.recent.retain(|s| *s != best.style);
        self.recent.insert(0, best.style);
        Some(best)
    }

    /// Styles used lately on the baselines a row without any plain letter may have.
    fn by_recent(&self, row: &InkRow) -> Vec<(usize, i32)> {
        let bottom = self.raster.rows[usize::from(row.extent.y1) - 1] + 1;
        let styles = self.recent.iter().take(4);
        styles
            .flat_map(|&style| {
                let em = self.book.styles[style].em as i32;
                (bottom - em / 4 - 1..=bottom + em * 2 / 3).map(move |baseline| (style, baseline))
            })
            .collect()
    }

    /// Styles and baselines, the likeliest first.
    fn votes(&self, row: &InkRow) -> Vec<(usize, i32)> {
        let mut votes: Vec<((usize, i32), f32)> = Vec::new();
        // Stems and dots look alike in many styles: they vote only where there is nothing better.
        let wide = |piece: &&Extent| piece.width() > 2 && piece.height() > 4;
        let voters = row.pieces.iter().filter(wide).chain(row.pieces.iter().filter(|p| !wide(p)));
        for piece in voters.take(VOTERS) {
            let mut mine: Vec<((usize, i32), f32)> = Vec::new();
            self.shaped_like(row, piece, &mut |style, baseline, score| match mine
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
        votes.into_iter().map(|(key, _)| key).collect()
    }

    /// Glyphs that look like one piece: style, baseline, how much.
    fn shaped_like(&self, row: &InkRow, piece: &Extent, found: &mut dyn FnMut(usize, i32, f32)) {
        let [x0, x1, y0, y1] = [piece.x0, piece.x1, piece.y0, piece.y1].map(usize::from);
        let (columns, rows) = (&self.raster.columns, &self.raster.rows);
        // One more pixel on each side, which must be clear.
        let (cx0, cx1) = (x0.saturating_sub(1), (x1 + 1).min(columns.len()));
        let (cy0, cy1) = (y0.max(usize::from(row.extent.y0)), y1.min(usize::from(row.extent.y1)));
        let ink: Vec<u8> = (cy0..cy1).flat_map(|y| self.coverage(row, y, cx0, cx1)).collect();
        let (width, height) = (columns[x1 - 1] - columns[x0] + 1, rows[y1 - 1] - rows[y0] + 1);
        let missing = |numbers: &[i32], from: usize, to: usize| {
            let before = from == 0 || numbers[from] - numbers[from - 1] > 1;
            let after = to == numbers.len() || numbers[to] - numbers[to - 1] > 1;
            (i32::from(before), i32::from(after))
        };
        let ((left, right), (above, below)) = (missing(columns, x0, x1), missing(rows, y0, y1));
        for w in width..=width + left + right {
            for h in height..=height + above + below {
                for &at in self.book.shaped(w, h) {
                    let glyph = self.book.glyph(at);
                    for dx in 0..=(w - width).min(left) {
                        for dy in 0..=(h - height).min(above) {
                            let pen = columns[x0] - dx - glyph.left;
                            let baseline = rows[y0] - dy - glyph.top;
                            let (mut cost, mut mass) = (0u32, 1u32);
                            for (y, line) in (cy0..cy1).zip(ink.chunks_exact(cx1 - cx0)) {
                                for (x, &seen) in (cx0..cx1).zip(line) {
                                    let ideal = glyph.at(columns[x] - pen, rows[y] - baseline);
                                    cost += u32::from(ideal.abs_diff(seen));
                                    mass += u32::from(ideal.max(seen));
                                }
                            }
                            let share = cost as f32 / mass as f32;
                            if share < 0.25 {
                                found(usize::from(at.0), baseline, (0.25 - share) * (mass as f32).sqrt());
                            }
                        }
                    }
                }
            }
        }
    }

    /// Coverage of the columns `x0..x1` in one row of the raster.
    fn coverage(&self, row: &InkRow, y: usize, x0: usize, x1: usize) -> impl Iterator<Item = u8> + use<'a> {
        let from = usize::from(row.extent.y0);
        let ground = row.ground[(y.max(from) - from).min(row.ground.len() - 1)];
        let [r, g, b] = difference(row.ink, ground);
        let full = (r * r + g * g + b * b).max(1);
        // Fixed point: the quotient of every pixel by one number.
        let scale = ((255u64 << 24) / full as u64) as i64;
        self.raster.row(y)[x0..x1].iter().map(move |&pixel| {
            if pixel == ground {
                return 0;
            }
            let [pr, pg, pb] = difference(pixel, ground);
            let along = i64::from(pr * r + pg * g + pb * b);
            visible(((along * scale) >> 24).clamp(0, 255) as u8)
        })
    }

    fn frame(&mut self, style: usize, present: &[i32]) -> Rc<Frame> {
        let above = self.book.styles[style].above;
        let mask = present.iter().fold(0u64, |mask, y| mask | 1 << (y + above));
        let book = self.book;
        let make = || Rc::new(Frame::of(&book.styles[style], present));
        Rc::clone(self.frames.entry((style, mask)).or_insert_with(make))
    }

    /// The cheapest text of a row in one style on one baseline.
    fn spell(&mut self, row: &InkRow, number: usize, baseline: i32) -> Reading {
        let style = &self.book.styles[number];
        let rows = self.raster.rows_within(baseline - style.above, baseline + style.below);
        let present: Vec<i32> = self.raster.rows[rows.clone()].iter().map(|y| y - baseline).collect();
        let frame = self.frame(number, &present);
        let field = self.field(row, rows, style);
        let path = Path::cheapest(&field, &frame, style);
        let mut reading = path.reading();
        reading.style = number;
        reading.baseline = baseline;
        // Ink above and below the frame belongs to no letter.
        let inside = field.total();
        let whole = self.mass(row).max(inside).max(1);
        let unexplained = reading.confidence + (whole - inside) as f32;
        reading.confidence = (1.0 - unexplained / whole as f32).max(0.0);
        reading
    }

    fn mass(&self, row: &InkRow) -> u32 {
        let [x0, x1, y0, y1] = [row.extent.x0, row.extent.x1, row.extent.y0, row.extent.y1].map(usize::from);
        (y0..y1).flat_map(|y| self.coverage(row, y, x0, x1)).map(u32::from).sum()
    }

    fn field(&self, row: &InkRow, rows: std::ops::Range<usize>, style: &Style) -> Field {
        let (x0, x1) = (usize::from(row.extent.x0), usize::from(row.extent.x1));
        let (top, bottom) = (usize::from(row.extent.y0), usize::from(row.extent.y1));
        let (width, height) = (x1 - x0, rows.len());
        let mut ink = vec![0; width * height];
        for (at, y) in rows.enumerate().filter(|(_, y)| (top..bottom).contains(y)) {
            for (column, covered) in self.coverage(row, y, x0, x1).enumerate() {
                ink[column * height + at] = covered;
            }
        }
        let masses = ink.chunks_exact(height.max(1)).map(sum).collect();
        let columns = &self.raster.columns[x0..x1];
        let (first, last) = (columns[0], columns[width - 1]);
        let margin = style.em as i32;
        let mut places = vec![None; (last - first + 1 + 2 * margin) as usize];
        for (place, column) in (0..).zip(columns) {
            places[(column - first + margin) as usize] = Some(place);
        }
        Field { rows: height, ink, masses, first: first - margin, places, end: last + 1 }
    }
}

fn sum(column: &[u8]) -> u16 {
    column.iter().map(|&c| u16::from(c)).sum()
}

fn apart(a: &[u8], b: &[u8]) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(*b))).sum()
}

impl Frame {
    fn of(style: &Style, present: &[i32]) -> Self {
        let columns = |glyph: &Glyph| {
            let place = |x: i32| present.iter().map(move |&y| glyph.at(x, y));
            let ink: Vec<u8> = (glyph.left..glyph.left + glyph.width).flat_map(place).collect();
            let masses: Vec<u16> = ink.chunks_exact(present.len().max(1)).map(sum).collect();
            Columns { mass: masses.iter().map(|m| u32::from(*m)).sum(), ink, masses }
        };
        Self { rows: present.len(), glyphs: style.glyphs.iter().map(columns).collect() }
    }
}

impl Field {
    fn place(&self, x: i32) -> Option<usize> {
        let at = usize::try_from(x - self.first).ok()?;
        Some(self.places.get(at).copied().flatten()? as usize)
    }

    fn mass(&self, x: i32) -> u32 {
        self.place(x).map_or(0, |at| u32::from(self.masses[at]))
    }

    fn total(&self) -> u32 {
        self.masses.iter().map(|m| u32::from(*m)).sum()
    }

    /// Ink of the columns `from..to`.
    fn between(&self, from: i32, to: i32) -> u32 {
        (from..to).map(|x| self.mass(x)).sum()
    }

    /// The next pen if a thin letter stands at this one and its only column was dropped by scaling.
    fn lost(&self, pen: i32, clear: i32, style: &Style) -> Option<i32> {
        let stem = style.glyphs.iter().find(|g| g.c == 'l')?;
        let to = pen + stem.advance;
        let inked = pen + stem.left..pen + stem.left + stem.width;
        (inked.end < self.end
            && inked.clone().all(|x| self.place(x).is_none())
            && self.between(clear, to) == 0)
            .then_some(to)
    }

    /// What a glyph at `pen` leaves unexplained, or `None` if that is too much. Ink before `clear` belongs to others.
    fn cost(&self, pen: i32, clear: i32, glyph: &Glyph, columns: &Columns) -> Option<u32> {
        let (left, right) = (pen + glyph.left, pen + glyph.left + glyph.width);
        let limit = (columns.mass as f32 * LIMIT) as u32 + 40;
        // The difference of the masses is never more than that of the pixels, and cheap.
        let (mut least, mut mass) = (0, 0);
        for (x, ideal) in (left..right).zip(&columns.masses) {
            if let Some(at) = self.place(x) {
                least += u32::from(ideal.abs_diff(self.masses[at]));
                mass += u32::from(*ideal);
                if least > limit {
                    return None;
                }
            }
        }
        let around = self.between(clear.max(pen).min(left), left) + self.between(right, pen + glyph.advance);
        if mass == 0 || around + least > limit {
            return None;
        }
        let mut cost = around;
        for (x, ideal) in (left..right).zip(columns.ink.chunks_exact(self.rows)) {
            if let Some(at) = self.place(x) {
                cost += apart(ideal, &self.ink[at * self.rows..][..self.rows]);
            }
        }
        (cost as f32 <= mass as f32 * LIMIT + 40.0).then_some(cost)
    }
}

#[derive(Clone, Copy)]
struct Node {
    cost: u32,
    from: i32,
    c: Option<char>,
    /// Ink before this column is explained: a letter may hang over the next pen.
    clear: i32,
}

/// The pens reached so far, by column.
struct Path<'f> {
    field: &'f Field,
    base: i32,
    nodes: Vec<Option<Node>>,
    end: i32,
}

impl<'f> Path<'f> {
    fn cheapest(field: &'f Field, frame: &Frame, style: &Style) -> Self {
        let start = field.first + style.em as i32;
        let base = field.first;
        let reach = (field.end - base) as usize + 3 * style.em as usize;
        let mut path = Self { field, base, nodes: vec![None; reach], end: base };
        let widest = style.glyphs.iter().map(|g| g.left).max().unwrap_or(0);
        for pen in start - widest..=start + 1 {
            path.reach(pen, Node { cost: 0, from: pen, c: None, clear: pen });
        }
        if frame.rows == 0 {
            return path;
        }
        let mut pen = base;
        let mut furthest = start;
        while pen < base + reach as i32 {
            let Some(node) = path.node(pen) else {
                pen += 1;
                if pen > furthest.max(start + 1) && !path.finished() {
                    // No glyph went on from any pen: pass over one piece.
                    match path.skip(furthest) {
                        Some((first, last)) => (pen, furthest) = (first, last),
                        None => break,
                    }
                }
                continue;
            };
            let clear = node.clear.max(pen);
            if field.between(clear, field.end) == 0 {
                let best = path.node(path.end).map_or(u32::MAX, |n| n.cost);
                if !path.finished() || node.cost < best {
                    path.end = pen;
                }
                pen += 1;
                continue;
            }
            let to = pen + style.space;
            if field.between(clear, to - 1) == 0 {
                // The tail of a j reaches below the space before it.
                let cost = node.cost + field.between(clear.max(to - 1), to);
                path.reach(to, Node { cost, from: pen, c: Some(' '), clear: to });
                furthest = furthest.max(to);
            }
            if let Some(to) = field.lost(pen, clear, style) {
                path.reach(to, Node { cost: node.cost + LOST, from: pen, c: Some(UNKNOWN), clear: to });
                furthest = furthest.max(to);
            }
            for (glyph, columns) in style.glyphs.iter().zip(&frame.glyphs) {
                if let Some(cost) = field.cost(pen, clear, glyph, columns) {
                    let (to, clear) = (pen + glyph.advance, pen + glyph.left + glyph.width);
                    path.reach(to, Node { cost: node.cost + cost, from: pen, c: Some(glyph.c), clear });
                    furthest = furthest.max(to);
                }
            }
            pen += 1;
        }
        path
    }

    fn finished(&self) -> bool {
        self.end > self.base
    }

    fn node(&self, pen: i32) -> Option<Node> {
        *self.nodes.get(usize::try_from(pen - self.base).ok()?)?
    }

    fn reach(&mut self, pen: i32, node: Node) {
        let Some(slot) = usize::try_from(pen - self.base).ok().and_then(|at| self.nodes.get_mut(at)) else {
            return;
        };
        if slot.is_none_or(|known| node.cost < known.cost) {
            *slot = Some(node);
        }
    }

    /// From the furthest pen past one unread piece to the pens before the next; the first and last of them.
    fn skip(&mut self, furthest: i32) -> Option<(i32, i32)> {
        let from = (self.base..=furthest).rev().find(|&pen| self.node(pen).is_some())?;
        let node = self.node(from)?;
        let end = self.field.end;
        let ink = (from..end).find(|&x| self.field.mass(x) > 0)?;
        // A gap is a column that is there and has no ink.
        let gap =
            (ink..end).find(|&x| self.field.place(x).is_some() && self.field.mass(x) == 0).unwrap_or(end);
        let next = (gap..end).find(|&x| self.field.mass(x) > 0).unwrap_or(end);
        let cost = node.cost + self.field.between(ink, gap);
        // Where the pen stood before the next piece is not known: any that a glyph may have.
        let first = (next - 3).max(from + 1);
        for pen in first..=next {
            self.reach(pen, Node { cost, from, c: Some(UNKNOWN), clear: pen });
        }
        Some((first, next))
    }

    /// The text; `confidence` holds the cost until the caller knows the whole.
    fn reading(&self) -> Reading {
        let mut reading =
            Reading { text: String::new(), confidence: 0.0, style: 0, baseline: 0, pens: Vec::new() };
        let Some(last) = self.node(self.end).filter(|_| self.finished()) else {
            reading.confidence = self.field.total() as f32;
            return reading;
        };
        reading.confidence = last.cost as f32;
        let mut letters = Vec::new();
        let mut node = last;
        while let Some(c) = node.c {
            letters.push((c, node.from));
            let Some(before) = self.node(node.from) else { break };
            node = before;
        }
        while letters.first().is_some_and(|(c, _)| *c == ' ') {
            letters.remove(0);
        }
        while letters.last().is_some_and(|(c, _)| *c == ' ') {
            letters.pop();
        }
        letters.reverse();
        for (c, pen) in letters {
            reading.text.push(c);
            reading.pens.push(pen);
        }
        reading
    }
}
