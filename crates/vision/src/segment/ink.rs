//! Ink and its pieces: one pass over the rows.

use handsight_base::flow::frame::PixelView;
use handsight_base::space::FrameRect;

/// How much two neighbours differ where there is an edge, in the channel that differs most: grey letters on grey do by more,
/// gradients by less.
const EDGE: u8 = 24;
/// Edges that go straight on for longer are no letters', in pixels: borders and rules.
const LONGEST_ACROSS: usize = 40;
const LONGEST_DOWN: usize = 48;
/// Ink this near in a row touches: the gaps inside of a letter and most of those between two.
const GAP: usize = 2;

/// Ink that touches.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) area: FrameRect,
    /// How many pixels of each of its rows are ink.
    pub(super) rows: Vec<u32>,
}

/// One row's ink without a gap.
#[derive(Debug, Clone, Copy)]
struct Run {
    from: usize,
    /// One behind the last.
    to: usize,
    row: u32,
    ink: u32,
    label: usize,
}

/// The pieces of ink.
pub(super) fn pieces(edges: &Edges) -> Vec<Piece> {
    let mut labels = Labels::default();
    let mut runs: Vec<Run> = Vec::new();
    let mut above = 0..0;
    for (row, ink) in (0..).zip(edges.ink.chunks_exact(edges.width)) {
        let begin = runs.len();
        runs_of(ink, row, &mut runs);
        let mut upper = above.start;
        for i in begin..runs.len() {
            let run = runs[i];
            let mut label = None;
            // Runs above that end before this one begins touch none of the later ones either.
            while upper < above.end && runs[upper].to < run.from {
                upper += 1;
            }
            let mut at = upper;
            while at < above.end && runs[at].from <= run.to {
                let other = runs[at].label;
                label = Some(labels.join(label.unwrap_or(other), other));
                at += 1;
            }
            runs[i].label = label.unwrap_or_else(|| labels.add());
        }
        above = begin..runs.len();
    }
    gathered(&runs, &mut labels)
}

/// Pieces from the runs that are labelled alike.
fn gathered(runs: &[Run], labels: &mut Labels) -> Vec<Piece> {
    let mut places: Vec<Option<usize>> = vec![None; labels.parents.len()];
    let mut pieces: Vec<Piece> = Vec::new();
    for run in runs {
        let root = labels.root(run.label);
        let area = FrameRect::new(run.from as i32, run.row as i32, (run.to - run.from) as u32, 1);
        let place = *places[root].get_or_insert_with(|| {
            pieces.push(Piece { area, rows: Vec::new() });
            pieces.len() - 1
        });
        let piece = &mut pieces[place];
        piece.area = piece.area.union(&area);
        // Runs come row by row, so the first one was the topmost.
        let row = (run.row as i32 - piece.area.origin.y) as usize;
        piece.rows.resize(piece.rows.len().max(row + 1), 0);
        piece.rows[row] += run.ink;
    }
    pieces
}

/// The runs of one row, gaps closed.
fn runs_of(ink: &[u8], row: u32, runs: &mut Vec<Run>) {
    let mut current: Option<Run> = None;
    for (x, _) in ink.iter().enumerate().filter(|(_, mark)| **mark != 0) {
        match &mut current {
            Some(run) if x <= run.to + GAP => {
                run.to = x + 1;
                run.ink += 1;
            }
            _ => {
                runs.extend(current.take());
                current = Some(Run { from: x, to: x + 1, row, ink: 1, label: 0 });
            }
        }
    }
    runs.extend(current);
}

/// Which labels mean the same piece.
#[derive(Debug, Default)]
struct Labels {
    parents: Vec<usize>,
}

impl Labels {
    fn add(&mut self) -> usize {
        self.parents.push(self.parents.len());
        self.parents.len() - 1
    }

    fn root(&mut self, mut label: usize) -> usize {
        while self.parents[label] != label {
            self.parents[label] = self.parents[self.parents[label]];
            label = self.parents[label];
        }
        label
    }

    fn join(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.root(a), self.root(b));
        // The older stays, so that no order of joining changes anything.
        let (kept, given) = (a.min(b), a.max(b));
        self.parents[given] = kept;
        kept
    }
}

/// Bits of a pixel's ink: an edge that runs across lies below it, one that runs down lies to its right.
pub(super) const ACROSS: u8 = 1;
pub(super) const DOWN: u8 = 2;

/// Where there are edges: a byte a pixel, rows of `width`.
pub(super) struct Edges {
    pub(super) width: usize,
    pub(super) ink: Vec<u8>,
}

impl Edges {
    pub(super) fn of(view: PixelView<'_>) -> Self {
        let (width, height) = (view.size().width as usize, view.size().height);
        let mut ink = vec![0u8; width * height as usize];
        for (y, marks) in (0..height).zip(ink.chunks_exact_mut(width)) {
            let row = view.row(y).as_chunks::<4>().0;
            mark(marks, row, &row[1..], DOWN);
            if y + 1 < height {
                mark(marks, row, view.row(y + 1).as_chunks::<4>().0, ACROSS);
            }
        }
        Self { width, ink }
    }

    /// Takes out what goes straight on for longer than letters do.
    pub(super) fn drop_long(&mut self) {
        let mut down = vec![0usize; self.width];
        let rows = self.ink.len() / self.width;
        for y in 0..rows {
            let start = y * self.width;
            let row = &mut self.ink[start..start + self.width];
            for run in row.chunk_by_mut(|a, b| a & ACROSS == b & ACROSS) {
                if run.len() > LONGEST_ACROSS {
                    run.iter_mut().for_each(|mark| *mark &= !ACROSS);
                }
            }
            for (x, length) in down.iter_mut().enumerate() {
                if self.ink[start + x] & DOWN != 0 {
                    *length += 1;
                } else {
                    self.drop_down(start + x, std::mem::take(length));
                }
            }
        }
        for (x, length) in down.into_iter().enumerate() {
            self.drop_down(rows * self.width + x, length);
        }
    }

    /// Takes the edge to the right out of the `length` pixels above `end`, if they are too many.
    fn drop_down(&mut self, end: usize, length: usize) {
        if length > LONGEST_DOWN {
            (1..=length).for_each(|step| self.ink[end - step * self.width] &= !DOWN);
        }
    }
}

/// Marks the pixels that differ from the `other` by an edge. Neighbours that are missing do not differ.
fn mark(marks: &mut [u8], row: &[[u8; 4]], other: &[[u8; 4]], bit: u8) {
    for ((mark, a), b) in marks.iter_mut().zip(row).zip(other) {
        let most = a[0].abs_diff(b[0]).max(a[1].abs_diff(b[1])).max(a[2].abs_diff(b[2]));
        *mark |= if most >= EDGE { bit } else { 0 };
    }
}
