//! Blobs to rows of text: what stands on one surface, side by side, at one height and in one colour.
//!
//! A row is only a guess that it is text; the reader decides. What is too large for a letter is left out.

use super::flat::{Blob, Extent, Flat, NOWHERE};
use super::glyphs::Unit;
use super::raster::Raster;

/// Tallest ink that may be a letter, and widest run of letters that touch.
const TALLEST: u16 = 44;
const WIDEST: u16 = 400;
/// From this height on ink stands for itself.
const LARGE: u16 = 25;

/// Columns between a text and the icon of the next.
const APART: u16 = 7;
/// Least square of the distance between ink and ground: fainter is shade, not writing.
const LEGIBLE: i32 = 1_200;

/// Ink of one row of text, perhaps.
#[derive(Debug, Clone)]
pub(crate) struct InkRow {
    pub(crate) extent: Extent,
    /// Pieces that overlap in no column, from the left.
    pub(crate) pieces: Vec<Extent>,
    /// The colour of the surface in each raster row of `extent`.
    pub(crate) ground: Vec<u32>,
    /// The colour farthest from it.
    pub(crate) ink: u32,
    /// The farthest on its other side: letters with a rim have both.
    pub(crate) other: Option<u32>,
}

pub(crate) fn rows(raster: &Raster, flat: &Flat) -> Vec<InkRow> {
    let fits = |b: &&Blob| {
        b.extent.height() <= raster.unit.px(TALLEST) && b.extent.width() <= raster.unit.px(WIDEST)
    };
    let mut blobs: Vec<Blob> = flat.blobs.iter().filter(fits).cloned().collect();
    blobs.sort_by_key(|b| (b.on, b.extent.x0, b.extent.y0));
    let mut done: Vec<(u32, Vec<Extent>)> = Vec::new();
    for same in blobs.chunk_by(|a, b| a.on == b.on) {
        done.extend(side_by_side(same, raster.unit).into_iter().map(|pieces| (same[0].on, pieces)));
    }
    let mut rows: Vec<InkRow> =
        done.into_iter().flat_map(|(on, pieces)| by_color(raster, flat, on, pieces)).collect();
    rows.retain(|row| distance(row.ink, row.ground[row.ground.len() / 2]) >= LEGIBLE);
    rows.sort_by_key(|row| (row.extent.y0, row.extent.x0));
    rows
}

struct Open {
    extent: Extent,
    pieces: Vec<Extent>,
}

/// Blobs of one surface, sorted by their left edge, to rows of pieces.
fn side_by_side(blobs: &[Blob], unit: Unit) -> Vec<Vec<Extent>> {
    let mut open: Vec<Open> = Vec::new();
    let mut closed: Vec<Vec<Extent>> = Vec::new();
    for blob in blobs {
        let extent = blob.extent;
        // An icon beside two lines of text must not join them.
        if extent.height() >= unit.px(LARGE) && extent.width() >= unit.px(LARGE / 2) {
            closed.push(vec![extent]);
            continue;
        }
        let mut at = 0;
        while at < open.len() {
            if gap_closes(&open[at].extent, extent.x0, unit) {
                closed.push(open.swap_remove(at).pieces);
            } else {
                at += 1;
            }
        }
        let best = open
            .iter_mut()
            .filter(|row| beside(&row.extent, &extent, unit))
            .max_by_key(|row| row.extent.y1.min(extent.y1).saturating_sub(row.extent.y0.max(extent.y0)));
        match best {
            Some(row) => {
                row.extent.join(&extent);
                match row.pieces.last_mut().filter(|last| overlap(last, &extent)) {
                    Some(last) => last.join(&extent),
                    None => row.pieces.push(extent),
                }
            }
            None => open.push(Open { extent, pieces: vec![extent] }),
        }
    }
    closed.extend(open.into_iter().map(|row| row.pieces));
    closed
}

/// Whether what begins at `x` is too far from the row to belong to it.
fn gap_closes(row: &Extent, x: u16, unit: Unit) -> bool {
    x.saturating_sub(row.x1) > row.height().max(unit.px(8)) + unit.px(4)
}

fn overlap(a: &Extent, b: &Extent) -> bool {
    let shared = a.x1.min(b.x1).saturating_sub(b.x0.max(a.x0));
    shared * 2 >= a.width().min(b.width()).max(1)
}

/// Whether a blob may continue a row: their heights overlap by more than half, or one is a dot or a dash near the other.
fn beside(row: &Extent, blob: &Extent, unit: Unit) -> bool {
    let shared = i32::from(row.y1.min(blob.y1)) - i32::from(row.y0.max(blob.y0));
    let least = i32::from(row.height().min(blob.height()));
    let joined = i32::from(row.y1.max(blob.y1) - row.y0.min(blob.y0));
    if joined > i32::from(unit.px(TALLEST)) {
        return false;
    }
    if shared * 2 > least {
        return true;
    }
    // The dot of an i above its stem, quotes beside a comma, a row that began with a full stop.
    let apart = (-shared).max(0);
    let tall = i32::from(row.height().max(blob.height()));
    let small = least * 2 <= tall || tall <= i32::from(unit.px(6));
    let high = tall.max(i32::from(unit.px(12)));
    small && apart * 3 <= high && joined <= high * 2
}

/// Splits a row where the colour of its ink changes, and finds colours.
fn by_color(raster: &Raster, flat: &Flat, on: u32, pieces: Vec<Extent>) -> Vec<InkRow> {
    let Some(whole) = pieces.iter().copied().reduce(|mut a, b| {
        a.join(&b);
        a
    }) else {
        return Vec::new();
    };
    // What stands between texts and is no letter stands for itself.
    let icon = pieces.windows(2).enumerate().position(|(at, pair)| {
        let free = at == 0 || pair[0].x0.saturating_sub(pieces[at - 1].x1) >= raster.unit.px(APART);
        free && is_icon(&pair[0], &pair[1], raster.unit)
    });
    if let Some(at) = icon {
        let parts = [&pieces[..at], &pieces[at..=at], &pieces[at + 1..]];
        return parts.into_iter().flat_map(|part| by_color(raster, flat, on, part.to_vec())).collect();
    }
    let ground = ground(raster, flat, on, &whole);
    let inks: Vec<u32> = pieces.iter().map(|piece| farthest(raster, piece, &whole, &ground, None)).collect();
    let mut rows: Vec<InkRow> = Vec::new();
    for (piece, ink) in pieces.into_iter().zip(inks) {
        let under = ground[ground.len() / 2];
        match rows.last_mut().filter(|row| one_color(row.ink, ink, under, piece.width() <= 2)) {
            Some(row) => {
                row.extent.join(&piece);
                row.pieces.push(piece);
                if distance(ink, under) > distance(row.ink, under) {
                    row.ink = ink;
                }
            }
            None => {
                rows.push(InkRow { extent: piece, pieces: vec![piece], ground: Vec::new(), ink, other: None })
            }
        }
    }
    for row in &mut rows {
        let from = usize::from(row.extent.y0 - whole.y0);
        row.ground = ground[from..from + usize::from(row.extent.height())].to_vec();
        let other = farthest(raster, &row.extent, &row.extent, &row.ground, Some(row.ink));
        row.other = (other != row.ground[0]).then_some(other);
    }
    rows
}

/// Whether a piece is as wide as high, larger than a letter, and well before the next.
fn is_icon(piece: &Extent, next: &Extent, unit: Unit) -> bool {
    let (width, height) = (piece.width(), piece.height());
    let squarish = width * 10 >= height * 7 && height * 10 >= width * 7;
    squarish
        && width >= unit.px(12)
        && height >= unit.px(12)
        && height >= next.height()
        && next.x0.saturating_sub(piece.x1) >= unit.px(4)
}

/// The surface's colour in each row: what stands left of the ink, or right of it.
fn ground(raster: &Raster, flat: &Flat, on: u32, extent: &Extent) -> Vec<u32> {
    let beside = [usize::from(extent.x0).checked_sub(1), Some(usize::from(extent.x1))];
    let columns: Vec<usize> = beside.into_iter().flatten().filter(|&x| x < raster.width()).collect();
    let mut last = match flat.parts.get(on as usize) {
        Some(part) => part.color,
        None => columns.first().map_or(0, |&x| raster.at(x, usize::from(extent.y0))),
    };
    let ground = (usize::from(extent.y0)..usize::from(extent.y1)).map(|y| {
        let here = columns.iter().find(|&&x| on == NOWHERE || flat.part_at(x, y) == on);
        last = here.map_or(last, |&x| raster.at(x, y));
        last
    });
    ground.collect()
}

/// The colour farthest from the ground; with `opposite`, of those on the other side of it.
fn farthest(raster: &Raster, piece: &Extent, whole: &Extent, ground: &[u32], opposite: Option<u32>) -> u32 {
    let mut best = (0, ground[0]);
    for y in piece.y0..piece.y1 {
        let under = ground[usize::from(y - whole.y0)];
        for &pixel in &raster.row(usize::from(y))[usize::from(piece.x0)..usize::from(piece.x1)] {
            let far = distance(pixel, under);
            if far > best.0 && opposite.is_none_or(|ink| are_opposite(pixel, ink, under)) {
                best = (far, pixel);
            }
        }
    }
    best.1
}

/// Whether the ground lies between two colours.
fn are_opposite(a: u32, b: u32, ground: u32) -> bool {
    let (a, b) = (difference(a, ground), difference(b, ground));
    a.iter().zip(b).map(|(a, b)| a * b).sum::<i32>() < -2_000
}

/// Red, green and blue of `a` less those of `b`.
pub(crate) fn difference(a: u32, b: u32) -> [i32; 3] {
    let ([_, ar, ag, ab], [_, br, bg, bb]) = (a.to_be_bytes(), b.to_be_bytes());
    [i32::from(ar) - i32::from(br), i32::from(ag) - i32::from(bg), i32::from(ab) - i32::from(bb)]
}

/// Square of how far apart two colours are.
pub(crate) fn distance(a: u32, b: u32) -> i32 {
    difference(a, b).into_iter().map(|d| d * d).sum()
}

/// Whether two inks may be one colour on this ground, the fainter only thinner. Of a `thin` piece scaling may have left
/// no more than a faint edge.
fn one_color(a: u32, b: u32, under: u32, thin: bool) -> bool {
    let (a, b) = (difference(a, under), difference(b, under));
    let dot = |p: [i32; 3], q: [i32; 3]| -> f64 { p.iter().zip(q).map(|(p, q)| f64::from(p * q)).sum() };
    let (aa, bb, ab) = (dot(a, a), dot(b, b), dot(a, b));
    // Letters and their rim lie on both sides of the ground; sometimes the one is farther, sometimes the other.
    if ab < -2_000.0 {
        return true;
    }
    // The angle between them, and the fainter not a ghost of the stronger.
    ab > 0.0 && ab * ab >= 0.9 * aa * bb && (thin || aa.min(bb) * 9.0 >= aa.max(bb))
}
