//! Where a screen is of one colour: surfaces, thin lines, and what stands on them.
//!
//! Interfaces are painted in flat colours, so a row of pixels is a few runs. Runs of equal colour that touch make a part;
//! a part that is thick is a *surface*, a long thin one a *line*, and all others are *ink*: letters, marks, icons. Ink that
//! touches makes a *blob*, which knows the surface it stands on. This module refuses to say what anything means.

use super::raster::Raster;

// Lengths in units.
/// A run at least this long, in enough rows, makes a surface.
const THICK: u16 = 10;
/// From here on a thin part is a line.
const LONG: u16 = 24;
/// Runs from this length on may be steps of a gradient.
const SHADE: u16 = 5;
/// Rows that a caret has at least, taller than the stems of letters, and its most columns.
const CARET: (u16, u16) = (16, 3);

/// Columns `x0..x1`, rows `y0..y1` of a raster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) x0: u16,
    pub(crate) y0: u16,
    pub(crate) x1: u16,
    pub(crate) y1: u16,
}

impl Extent {
    pub(crate) const fn width(&self) -> u16 {
        self.x1 - self.x0
    }

    pub(crate) const fn height(&self) -> u16 {
        self.y1 - self.y0
    }

    pub(crate) fn join(&mut self, other: &Self) {
        self.x0 = self.x0.min(other.x0);
        self.y0 = self.y0.min(other.y0);
        self.x1 = self.x1.max(other.x1);
        self.y1 = self.y1.max(other.y1);
    }

    pub(crate) const fn holds(&self, other: &Self) -> bool {
        self.x0 <= other.x0 && self.y0 <= other.y0 && self.x1 >= other.x1 && self.y1 >= other.y1
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Surface,
    Line,
    /// A solid bar as high as a row of text: where typed text would go.
    Caret,
    Ink,
}

/// Touching pixels of one colour.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) color: u32,
    pub(crate) area: u32,
    pub(crate) extent: Extent,
    pub(crate) kind: Kind,
    thick_rows: u16,
    longest: u16,
}

/// No part.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Touching ink.
#[derive(Debug, Clone)]
pub(crate) struct Blob {
    pub(crate) extent: Extent,
    /// Number of the surface it stands on, or [`NOWHERE`].
    pub(crate) on: u32,
    votes: u32,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    x0: u16,
    x1: u16,
    part: u32,
}

#[derive(Debug)]
pub(crate) struct Flat {
    pub(crate) parts: Vec<Part>,
    pub(crate) blobs: Vec<Blob>,
    /// For each pixel of the raster whether it belongs to a blob.
    pub(crate) inked: Vec<bool>,
    runs: Vec<Run>,
    starts: Vec<u32>,
}

impl Flat {
    pub(crate) fn of(raster: &Raster) -> Self {
        let (mut runs, starts) = runs(raster);
        let mut parts = join_runs(raster, &mut runs, &starts);
        for part in &mut parts {
            part.kind = part.kind_of(raster);
        }
        let mut inked = vec![false; raster.pixels.len()];
        let blobs = blobs(&parts, &runs, &starts, &mut inked);
        Self { parts, blobs, inked, runs, starts }
    }

    /// The part at a place of the raster.
    pub(crate) fn part_at(&self, x: usize, y: usize) -> u32 {
        let Some(&[from, to]) = self.starts.get(y..y + 2).and_then(|s| s.first_chunk()) else {
            return NOWHERE;
        };
        let row = &self.runs[from as usize..to as usize];
        let at = row.partition_point(|run| usize::from(run.x1) <= x);
        row.get(at).map_or(NOWHERE, |run| run.part)
    }
}

impl Part {
    fn kind_of(&self, raster: &Raster) -> Kind {
        let (width, height) = (self.extent.width(), self.extent.height());
        let [thick, long, thin] = [THICK, LONG, THICK / 2].map(|units| raster.unit.px(units));
        if self.thick_rows >= thick || (self.longest >= long * 4 && self.thick_rows >= thin) {
            return Kind::Surface;
        }
        let bar = self.longest >= long || (height >= long && u32::from(height) * 3 >= self.area);
        if self.is_caret(raster) {
            return Kind::Caret;
        }
        let ring = raster.unit.px(9);
        if bar || (width >= ring && height >= ring && self.is_ring(raster)) { Kind::Line } else { Kind::Ink }
    }

    fn is_caret(&self, raster: &Raster) -> bool {
        let Extent { x0, y0, x1, y1 } = self.extent;
        let span = |numbers: &[i32], from: u16, to: u16| {
            numbers[usize::from(to) - 1] - numbers[usize::from(from)] + 1
        };
        let (width, height) = (span(&raster.columns, x0, x1), span(&raster.rows, y0, y1));
        let solid = self.area == u32::from(x1 - x0) * u32::from(y1 - y0);
        let reduced = raster.columns.len() < raster.native.width as usize;
        let (least, most) = (i32::from(raster.unit.px(CARET.0)), i32::from(raster.unit.px(CARET.1)));
        // A caret stands on one ground, seen wherever no letter touches it; the side of a box stands between two.
        let beside = usize::from(x0).checked_sub(1).filter(|_| usize::from(x1) < raster.width());
        let mut rows = usize::from(y0)..usize::from(y1);
        let on_one = beside.is_some_and(|x| rows.any(|y| raster.at(x, y) == raster.at(usize::from(x1), y)));
        solid && on_one && height >= least && height <= 4 * least && width <= most && (width > 1 || reduced)
    }

    /// Whether its pixels go all around its own rectangle.
    fn is_ring(&self, raster: &Raster) -> bool {
        let Extent { x0, y0, x1, y1 } = self.extent;
        let [x0, y0, x1, y1] = [x0, y0, x1, y1].map(usize::from);
        let most = |hits: usize, of: usize| hits * 100 >= of * 84;
        let across = |y: usize| raster.row(y)[x0..x1].iter().filter(|&&p| p == self.color).count();
        let down = |x: usize| (y0..y1).filter(|&y| raster.at(x, y) == self.color).count();
        most(across(y0), x1 - x0)
            && most(across(y1 - 1), x1 - x0)
            && most(down(x0), y1 - y0)
            && most(down(x1 - 1), y1 - y0)
    }
}

/// The runs of all rows, and where each row begins.
fn runs(raster: &Raster) -> (Vec<Run>, Vec<u32>) {
    let width = raster.width();
    let mut runs: Vec<Run> = Vec::with_capacity(raster.height() * 48);
    let mut starts = Vec::with_capacity(raster.height() + 1);
    for y in 0..raster.height() {
        let row = raster.row(y);
        let before = starts.last().map_or(0, |&s| s as usize);
        starts.push(runs.len() as u32);
        if y > 0 && row == raster.row(y - 1) {
            runs.extend_from_within(before..);
            continue;
        }
        let mut x0 = 0;
        // By groups, since most pixels equal their neighbour.
        for (group, (left, right)) in row.chunks(16).zip(row[1..].chunks(16)).enumerate() {
            let differ = left.iter().zip(right).fold(0, |all, (a, b)| all | (a ^ b));
            if differ == 0 {
                continue;
            }
            for (at, (a, b)) in left.iter().zip(right).enumerate() {
                if a != b {
                    let x1 = (group * 16 + at + 1) as u16;
                    runs.push(Run { x0, x1, part: NOWHERE });
                    x0 = x1;
                }
            }
        }
        runs.push(Run { x0, x1: width as u16, part: NOWHERE });
    }
    starts.push(runs.len() as u32);
    (runs, starts)
}

/// Whether two colours may be neighbouring steps of a gradient from row to row.
fn shades_of_one(a: u32, b: u32) -> bool {
    a.to_be_bytes().into_iter().zip(b.to_be_bytes()).all(|(a, b)| a.abs_diff(b) <= 1)
}

fn find(parents: &mut [u32], mut at: u32) -> u32 {
    while parents[at as usize] != at {
        let up = parents[parents[at as usize] as usize];
        parents[at as usize] = up;
        at = up;
    }
    at
}

fn unite(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parents, a), find(parents, b));
    // The older one stays, so that numbers follow the reading order.
    parents[a.max(b) as usize] = a.min(b);
}

/// Joins runs of one colour that touch from row to row, and numbers the parts.
fn join_runs(raster: &Raster, runs: &mut [Run], starts: &[u32]) -> Vec<Part> {
    let mut parents: Vec<u32> = (0..runs.len() as u32).collect();
    for y in 1..raster.height() {
        let (mut above, mut here) = (starts[y - 1] as usize, starts[y] as usize);
        let (above_end, end) = (here, starts[y + 1] as usize);
        let (row_above, row) = (raster.row(y - 1), raster.row(y));
        while above < above_end && here < end {
            let (a, b) = (runs[above], runs[here]);
            let colors = (row_above[usize::from(a.x0)], row[usize::from(b.x0)]);
            let long = a.x1 - a.x0 >= SHADE && b.x1 - b.x0 >= SHADE;
            if colors.0 == colors.1 || (long && shades_of_one(colors.0, colors.1)) {
                let root = find(&mut parents, above as u32);
                if parents[here] == here as u32 {
                    parents[here] = root;
                } else {
                    unite(&mut parents, root, here as u32);
                }
            }
            // Runs that end together are passed together.
            above += usize::from(a.x1 <= b.x1);
            here += usize::from(b.x1 <= a.x1);
        }
    }
    let mut parts: Vec<Part> = Vec::new();
    let thick = raster.unit.px(THICK);
    for y in 0..raster.height() {
        for at in starts[y] as usize..starts[y + 1] as usize {
            let run = runs[at];
            let root = find(&mut parents, at as u32) as usize;
            let extent = Extent { x0: run.x0, y0: y as u16, x1: run.x1, y1: y as u16 + 1 };
            if root == at {
                runs[at].part = parts.len() as u32;
                let color = raster.at(usize::from(run.x0), y);
                parts.push(Part { color, area: 0, extent, kind: Kind::Ink, thick_rows: 0, longest: 0 });
            } else {
                runs[at].part = runs[root].part;
            }
            let part = &mut parts[runs[at].part as usize];
            let length = run.x1 - run.x0;
            part.area += u32::from(length);
            part.extent.join(&extent);
            part.longest = part.longest.max(length);
            part.thick_rows = part.thick_rows.saturating_add(u16::from(length >= thick));
        }
    }
    parts
}

/// Neighbouring ink runs of one row.
struct Segment {
    x0: u16,
    x1: u16,
    on: u32,
}

/// Joins ink that touches, corners included.
fn blobs(parts: &[Part], runs: &[Run], starts: &[u32], inked: &mut [bool]) -> Vec<Blob> {
    let width = inked.len() / (starts.len() - 1).max(1);
    let mut segments: Vec<Segment> = Vec::new();
    let mut rows: Vec<(u32, u16)> = Vec::new();
    let mut parents: Vec<u32> = Vec::new();
    let mut above = 0..0;
    for (y, bounds) in starts.windows(2).enumerate() {
        let first = segments.len();
        let mut on = NOWHERE;
        let mut open = false;
        for run in &runs[bounds[0] as usize..bounds[1] as usize] {
            let ink = parts[run.part as usize].kind == Kind::Ink;
            match (ink, open) {
                (true, true) => {
                    if let Some(segment) = segments.last_mut() {
                        segment.x1 = run.x1;
                    }
                }
                (true, false) => segments.push(Segment { x0: run.x0, x1: run.x1, on }),
                (false, _) => {
                    let surface = parts[run.part as usize].kind == Kind::Surface;
                    on = if surface { run.part } else { NOWHERE };
                    if open && let Some(segment) = segments.last_mut().filter(|s| s.on == NOWHERE) {
                        segment.on = on;
                    }
                }
            }
            open = ink;
        }
        let here = first..segments.len();
        for segment in &segments[here.clone()] {
            inked[y * width + usize::from(segment.x0)..y * width + usize::from(segment.x1)].fill(true);
        }
        parents.extend(here.clone().map(|n| n as u32));
        rows.extend(here.clone().map(|_| (NOWHERE, y as u16)));
        let (mut a, mut b) = (above.start, here.start);
        while a < above.end && b < here.end {
            let (up, down) = (&segments[a], &segments[b]);
            if up.x0 <= down.x1 && down.x0 <= up.x1 {
                unite(&mut parents, a as u32, b as u32);
            }
            if up.x1 <= down.x1 {
                a += 1;
            } else {
                b += 1;
            }
        }
        above = here;
    }
    let mut blobs: Vec<Blob> = Vec::new();
    for (at, segment) in segments.iter().enumerate() {
        let root = find(&mut parents, at as u32) as usize;
        let y = rows[at].1;
        let extent = Extent { x0: segment.x0, y0: y, x1: segment.x1, y1: y + 1 };
        if root == at {
            rows[at].0 = blobs.len() as u32;
            blobs.push(Blob { extent, on: segment.on, votes: 0 });
        }
        let blob = &mut blobs[rows[root].0 as usize];
        blob.extent.join(&extent);
        // The surface that most rows name.
        if segment.on == blob.on {
            blob.votes += 1;
        } else if segment.on != NOWHERE {
            if blob.votes == 0 || blob.on == NOWHERE {
                (blob.on, blob.votes) = (segment.on, 1);
            } else {
                blob.votes -= 1;
            }
        }
    }
    blobs
}
