//! Outlines of buttons, fields and panes: two straight edges across, one above the other, and two down that join their ends.
//!
//! Corners may be round. What is found is taken out of the ink, so that a button's side is not read as a letter.

use super::ink::{ACROSS, DOWN, Edges};
use handsight_base::space::FrameRect;

/// An edge across is at least this long, in pixels; longer than any stroke of a small letter.
const SHORTEST_ACROSS: usize = 18;
/// The same of an edge down.
const SHORTEST_DOWN: usize = 8;
/// How far a round corner takes the ends of two edges apart.
const CORNER: usize = 8;
/// Boxes this low are letters in some scripts.
const LOWEST: usize = 16;
/// Higher ones need no search: their sides are longer than those of letters.
const HIGHEST: usize = 80;

/// An edge without a gap: which row or column, from where to one behind its end.
#[derive(Debug, Clone, Copy)]
struct Straight {
    at: usize,
    from: usize,
    to: usize,
}

/// Finds boxes and takes their edges out of the ink.
pub(super) fn take(edges: &mut Edges) -> Vec<FrameRect> {
    let across = across(edges);
    let down = down(edges);
    let mut boxes: Vec<FrameRect> = Vec::new();
    for (i, top) in across.iter().enumerate() {
        // By rows, so the bottoms come after their top.
        let below = across[i + 1..].iter().take_while(|b| b.at <= top.at + HIGHEST);
        let alike = |b: &&Straight| {
            b.at >= top.at + LOWEST && top.from.abs_diff(b.from) <= 2 && top.to.abs_diff(b.to) <= 2
        };
        let found = below.filter(alike).find_map(|bottom| {
            let (left, right) = sides(&down, top, bottom)?;
            Some((bottom, left, right))
        });
        let Some((bottom, left, right)) = found else { continue };
        clear_across(edges, top);
        clear_across(edges, bottom);
        left.iter().chain(&right).for_each(|edge| clear_down(edges, edge));
        let columns = (left.first().map_or(top.from, |e| e.at), right.last().map_or(top.to, |e| e.at));
        clear_corners(edges, columns, (top.at, bottom.at));
        // Ink lies left of or above an edge: the box itself begins behind its first two and ends on its last.
        let (width, height) = (columns.1.saturating_sub(columns.0), bottom.at - top.at);
        let area = FrameRect::new(columns.0 as i32 + 1, top.at as i32 + 1, width as u32, height as u32);
        // A border has an edge on either side.
        if !boxes.iter().any(|outer| is_border_of(outer, &area)) {
            boxes.push(area);
        }
    }
    boxes
}

/// Whether two areas are the two sides of one border.
fn is_border_of(outer: &FrameRect, inner: &FrameRect) -> bool {
    let near = |a: i64, b: i64| (a - b).abs() <= 3;
    near(outer.origin.x.into(), inner.origin.x.into())
        && near(outer.origin.y.into(), inner.origin.y.into())
        && near(outer.right(), inner.right())
        && near(outer.bottom(), inner.bottom())
}

/// The edges down on the left and on the right that join two edges across: each side has at least one, a border two.
fn sides(
    down: &[Vec<Straight>],
    top: &Straight,
    bottom: &Straight,
) -> Option<(Vec<Straight>, Vec<Straight>)> {
    let spanning = |x: usize, outside: usize| {
        // As far as a round corner moves the side out, it shortens it too.
        let short = outside + 2;
        let spans = move |s: &&Straight| {
            s.from <= top.at + short
                && s.to + short >= bottom.at
                && s.from + 2 >= top.at
                && s.to <= bottom.at + 2
        };
        down.get(x).and_then(|column| column.iter().find(spans)).copied()
    };
    let left: Vec<Straight> = (top.from.saturating_sub(CORNER)..=top.from + 1)
        .filter_map(|x| spanning(x, top.from.saturating_sub(x)))
        .collect();
    let right: Vec<Straight> = (top.to.saturating_sub(2)..=top.to + CORNER)
        .filter_map(|x| spanning(x, (x + 1).saturating_sub(top.to)))
        .collect();
    (!left.is_empty() && !right.is_empty()).then_some((left, right))
}

fn across(edges: &Edges) -> Vec<Straight> {
    let mut found = Vec::new();
    for (at, row) in edges.ink.chunks_exact(edges.width).enumerate() {
        let mut from = 0;
        for run in row.chunk_by(|a, b| a & ACROSS == b & ACROSS) {
            let to = from + run.len();
            if run.len() >= SHORTEST_ACROSS && run.iter().all(|mark| mark & ACROSS != 0) {
                found.push(Straight { at, from, to });
            }
            from = to;
        }
    }
    found
}

/// By column.
fn down(edges: &Edges) -> Vec<Vec<Straight>> {
    let mut found = vec![Vec::new(); edges.width];
    let mut begun = vec![None; edges.width];
    let rows = edges.ink.len() / edges.width;
    for (y, row) in edges.ink.chunks_exact(edges.width).enumerate() {
        for (x, mark) in row.iter().enumerate() {
            if mark & DOWN != 0 && y + 1 < rows {
                begun[x].get_or_insert(y);
            } else if let Some(from) = begun[x].take()
                && y - from >= SHORTEST_DOWN
            {
                found[x].push(Straight { at: x, from, to: y });
            }
        }
    }
    found
}

fn clear_across(edges: &mut Edges, edge: &Straight) {
    let start = edge.at * edges.width;
    edges.ink[start + edge.from..start + edge.to].iter_mut().for_each(|mark| *mark &= !ACROSS);
}

fn clear_down(edges: &mut Edges, edge: &Straight) {
    for y in edge.from..edge.to {
        edges.ink[y * edges.width + edge.at] &= !DOWN;
    }
}

/// Takes the rounding of the corners out: ink that is not further inside than a corner goes.
fn clear_corners(edges: &mut Edges, (left, right): (usize, usize), (top, bottom): (usize, usize)) {
    let rows = edges.ink.len() / edges.width;
    let most = CORNER.min((bottom - top) / 4).min((right.saturating_sub(left)) / 4);
    let (left, right) = (left.saturating_sub(1), (right + 2).min(edges.width));
    let (top, bottom) = (top.saturating_sub(1), (bottom + 2).min(rows));
    for row in (top..top + most).chain(bottom.saturating_sub(most)..bottom) {
        let marks = &mut edges.ink[row * edges.width..][..edges.width];
        marks[left..(left + most).min(right)].fill(0);
        marks[right.saturating_sub(most)..right].fill(0);
    }
}
