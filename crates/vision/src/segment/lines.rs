//! Pieces of ink to lines and shapes.

use super::ink::Piece;
use super::{HIGHEST_LINE, LOWEST_LINE, Segments, reading_order, same_row, whole};
use handsight_base::space::{FrameRect, Size};

/// Pieces whose gap is at most this part of their height stand in one line: a space is about a third of it, the gap
/// between two columns of a table more than one.
const GAP_OF_HEIGHT: f64 = 0.8;
/// And at least this, in pixels: a line of small letters may be no higher than its x.
const LEAST_GAP: i64 = 6;

/// A line this high may be as short as a letter; higher ones are as long as two, or icons.
const HIGHEST_SQUARE: u32 = 24;
/// Underscores, hyphens and dots are at most this high, in pixels.
const LOW: u32 = 4;

pub(super) fn of(pieces: Vec<Piece>, size: Size) -> Segments {
    let mut segments = Segments::default();
    let (small, large): (Vec<_>, Vec<_>) =
        pieces.into_iter().partition(|piece| piece.area.size.height <= 2 * HIGHEST_LINE);
    segments.shapes.extend(large.iter().map(|piece| piece.area));
    // Lines that touch somewhere are joined to one first, and the whole of them shows where one ends. What stood beside them
    // and was not as high joins the lines then.
    let parts = joined(small).iter().flat_map(split).collect();
    for Piece { area, .. } in joined(parts) {
        let Size { width, height } = area.size;
        if height < LOWEST_LINE && width < 3 * LOWEST_LINE {
            continue;
        }
        let as_letters = 2 * width >= height && (height <= HIGHEST_SQUARE || 2 * width >= 3 * height);
        let is_line = (LOWEST_LINE..=HIGHEST_LINE).contains(&height) && as_letters;
        if is_line { segments.lines.push(area) } else { segments.shapes.push(area) }
    }
    // Ink lies left of or above an edge; the pixel on its other side belongs to what stands out too.
    for area in segments.lines.iter_mut().chain(&mut segments.shapes) {
        let grown = FrameRect::new(area.origin.x, area.origin.y, area.size.width + 1, area.size.height + 1);
        *area = grown.intersect(&whole(size)).unwrap_or(*area);
    }
    reading_order(&mut segments.lines, |area| *area);
    reading_order(&mut segments.shapes, |area| *area);
    segments
}

/// Cuts where there is next to no ink between two rows of letters.
fn split(piece: &Piece) -> Vec<Piece> {
    let FrameRect { origin, size } = piece.area;
    let (rows, least) = (&piece.rows, LOWEST_LINE as usize + 2);
    let cut = |from: usize, to: usize| -> Option<usize> {
        let most = rows.get(from..to)?.iter().max().copied().unwrap_or_default();
        let middle = (from + least)..to.checked_sub(least)?;
        let (at, ink) = middle.filter_map(|at| Some((at, *rows.get(at)?))).min_by_key(|&(_, ink)| ink)?;
        let (upper, lower) = (at - from, to - at);
        (ink * 8 <= most && 5 * upper.min(lower) >= 2 * upper.max(lower)).then_some(at)
    };
    let (mut todo, mut parts) = (vec![(0, rows.len())], Vec::new());
    while let Some((from, to)) = todo.pop() {
        // A line of text is longer than high; what is not is no paragraph.
        match cut(from, to).filter(|_| size.width as usize >= 2 * (to - from)) {
            Some(at) => todo.extend([(from, at), (at, to)]),
            None => parts.push(Piece {
                area: FrameRect::new(origin.x, origin.y + from as i32, size.width, (to - from) as u32),
                rows: rows.get(from..to).unwrap_or_default().to_vec(),
            }),
        }
    }
    parts
}

/// Joins what stands side by side until nothing does.
fn joined(mut parts: Vec<Piece>) -> Vec<Piece> {
    loop {
        let before = parts.len();
        parts = joined_once(parts);
        if parts.len() == before {
            return parts;
        }
    }
}

fn joined_once(mut parts: Vec<Piece>) -> Vec<Piece> {
    parts.sort_by_key(|p| (p.area.origin.x, p.area.origin.y, p.area.size.width, p.area.size.height));
    let mut open: Vec<Piece> = Vec::new();
    let mut done: Vec<Piece> = Vec::new();
    for part in parts {
        let x = i64::from(part.area.origin.x);
        // What ends too far to the left can join nothing that comes.
        let far = |line: &mut Piece| x - line.area.right() > i64::from(HIGHEST_LINE);
        done.extend(open.extract_if(.., far));
        match open.iter_mut().find(|line| beside(&line.area, &part.area)) {
            Some(line) => line.take(part),
            None => open.push(part),
        }
    }
    done.extend(open);
    done
}

impl Piece {
    fn take(&mut self, other: Self) {
        let area = self.area.union(&other.area);
        let mut rows = vec![0; area.size.height as usize];
        for piece in [&*self, &other] {
            let first = (piece.area.origin.y - area.origin.y) as usize;
            rows.iter_mut().skip(first).zip(&piece.rows).for_each(|(to, from)| *to += from);
        }
        *self = Self { area, rows };
    }
}

/// Whether `right`, which begins no further left, goes on with the line of `left`.
fn beside(left: &FrameRect, right: &FrameRect) -> bool {
    let (a, b) = (left.size.height, right.size.height);
    let most = a.max(b);
    let gap = i64::from(right.origin.x) - left.right();
    // Dots, dashes and quotes are low; whatever else is, is as high as the letters beside it.
    let alike = 5 * a.min(b) >= 2 * most || a.min(b) <= LOWEST_LINE + 3;
    let small = most <= HIGHEST_LINE;
    small && alike && near_row(left, right) && gap <= reach(most)
}

/// On one height, or so low that it may stand just above or below the letters: an underscore, a hyphen.
fn near_row(a: &FrameRect, b: &FrameRect) -> bool {
    let apart = i64::from(a.origin.y.max(b.origin.y)) - a.bottom().min(b.bottom());
    same_row(*a, *b) || (a.size.height.min(b.size.height) <= LOW && apart <= i64::from(LOW))
}

fn reach(height: u32) -> i64 {
    ((f64::from(height) * GAP_OF_HEIGHT) as i64).max(LEAST_GAP)
}
