//! Spelling: the glyphs of one style that, placed pen by pen on a baseline, explain a row of ink best.
//!
//! The cheapest path from pen to pen is searched; a step is a glyph, and its cost the ink it does not explain. Where no
//! glyph goes on, one piece of ink is passed over: a wide one (an icon) ends a text, a narrow one becomes U+FFFD in it.

use super::glyphs::{Glyph, Style};

/// What could not be read.
pub(crate) const UNKNOWN: char = '\u{FFFD}';
/// Of a glyph's ink: the most that may stay unexplained, besides a little.
const LIMIT: f32 = 0.34;
const LITTLE: u32 = 40;
/// What it costs to suppose a letter that cannot be seen.
const LOST: u32 = 60;

/// What it costs to begin a word anew: more than a letter or two that cannot be seen.
const BEGUN: u32 = 170;
/// Units without ink before a word.
const GAP: u16 = 5;
/// How far right of its pen a letter begins at most, in units.
const BEFORE: u16 = 3;
/// Pieces that are passed over before a row is given up.
const PATIENCE: usize = 3;

/// A text and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spelled {
    pub(crate) text: String,
    /// Columns of the screen, from the first pen to the last.
    pub(crate) from: i32,
    pub(crate) to: i32,
    /// Of its ink: how much is explained, 0 to 1.
    pub(crate) confidence: f32,
    /// Its ink.
    pub(crate) mass: u32,
}

/// A style as it looks where some rows are missing: the glyphs' columns, top to bottom.
pub(crate) struct Frame {
    rows: usize,
    glyphs: Vec<Columns>,
    /// Glyphs of one width at one distance from the pen: the ink that may be theirs is the same.
    groups: Vec<Group>,
}

struct Group {
    left: i32,
    width: i32,
    /// Numbers of glyphs, and the bounds of `Columns` over all of them.
    glyphs: Vec<usize>,
    least: u32,
    most: u32,
}

struct Columns {
    ink: Vec<u8>,
    masses: Vec<u16>,
    /// The most that may stay unexplained, and what ink between its edges is possible then.
    limit: u32,
    least: u32,
    most: u32,
    /// All of its ink, and how much of it may stay unexplained where nothing was scaled.
    mass: u32,
    tight: u32,
}

/// Where nothing was scaled, letters are as they were drawn: so much of their ink, besides a little, is rounding.
const ROUNDING: f32 = 0.05;
/// A row of which this much is explained by letters as they were drawn needs no second look.
const PLAIN: f32 = 0.95;

impl Frame {
    /// `present`: the rows that are there, counted from the baseline.
    pub(crate) fn of(style: &Style, present: &[i32]) -> Self {
        let columns = |glyph: &Glyph| {
            let place = |x: i32| present.iter().map(move |&y| glyph.within(x, y - glyph.top));
            let ink: Vec<u8> = (0..glyph.width).flat_map(place).collect();
            let masses: Vec<u16> = ink.chunks_exact(present.len().max(1)).map(sum).collect();
            let mass: u32 = masses.iter().map(|m| u32::from(*m)).sum();
            let limit = (mass as f32 * LIMIT) as u32 + LITTLE;
            let tight = (mass as f32 * ROUNDING) as u32 + LITTLE / 2;
            Columns { ink, masses, limit, least: mass.saturating_sub(limit), most: mass + limit, mass, tight }
        };
        let glyphs: Vec<Columns> = style.glyphs.iter().map(columns).collect();
        let mut groups: Vec<Group> = Vec::new();
        for (number, (glyph, columns)) in style.glyphs.iter().zip(&glyphs).enumerate() {
            let Columns { least, most, .. } = *columns;
            match groups.iter_mut().find(|g| (g.left, g.width) == (glyph.left, glyph.width)) {
                Some(group) => {
                    group.glyphs.push(number);
                    (group.least, group.most) = (group.least.min(least), group.most.max(most));
                }
                None => {
                    let (left, width) = (glyph.left, glyph.width);
                    groups.push(Group { left, width, glyphs: vec![number], least, most });
                }
            }
        }
        Self { rows: present.len(), glyphs, groups }
    }
}

fn sum(column: &[u8]) -> u16 {
    column.iter().map(|&c| u16::from(c)).sum()
}

fn apart(a: &[u8], b: &[u8]) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(*b))).sum()
}

/// A column that scaling dropped.
const ABSENT: u32 = u32::MAX;

/// Coverage of a row of text in the rows of a frame, by columns of the screen.
pub(crate) struct Field {
    rows: usize,
    ink: Vec<u8>,
    /// Columns of the screen before those with ink, so that every glyph that touches it lies inside.
    first: i32,
    start: i32,
    end: i32,
    /// For each column of the screen from `first` on: which column of `ink` it is, its mass, the sum before it.
    places: Vec<u32>,
    masses: Vec<u16>,
    sums: Vec<u32>,
    /// No column is missing.
    whole: bool,
    /// [`GAP`] and [`BEFORE`] in pixels.
    gap: i32,
    before: i32,
}

impl Field {
    /// `columns`: the numbers on the screen of the columns that will be put.
    pub(crate) fn new(rows: usize, columns: &[i32], style: &Style) -> Self {
        let margin = 3 * style.em as i32;
        let (start, end) = (columns.first().copied().unwrap_or(0), columns.last().map_or(0, |last| last + 1));
        let first = start - margin;
        let width = (end - start + 2 * margin) as usize;
        let mut places = vec![ABSENT; width];
        for (place, column) in (0..).zip(columns) {
            places[(column - first) as usize] = place;
        }
        let ink = vec![0; columns.len() * rows];
        Self {
            rows,
            ink,
            first,
            start,
            end,
            places,
            masses: vec![0; width],
            sums: Vec::new(),
            whole: columns.len() as i32 == end - start,
            gap: i32::from(style.unit.px(GAP)),
            before: i32::from(style.unit.px(BEFORE)),
        }
    }

    /// Ink of column number `at`, from row `row` down.
    pub(crate) fn put(&mut self, at: usize, row: usize, ink: &[u8]) {
        self.ink[at * self.rows + row..][..ink.len()].copy_from_slice(ink);
    }

    /// After the last `put`.
    pub(crate) fn seal(&mut self) {
        let mut all = 0;
        self.sums.push(0);
        for (&place, mass) in self.places.iter().zip(&mut self.masses) {
            if place != ABSENT {
                *mass = sum(&self.ink[place as usize * self.rows..][..self.rows]);
            }
            all += u32::from(*mass);
            self.sums.push(all);
        }
    }

    fn index(&self, x: i32) -> usize {
        (x - self.first).clamp(0, self.masses.len() as i32) as usize
    }

    fn mass(&self, x: i32) -> u16 {
        self.masses[self.index(x)]
    }

    fn is_there(&self, x: i32) -> bool {
        self.places.get(self.index(x)).is_some_and(|&place| place != ABSENT)
    }

    /// Ink of the columns `from..to`.
    fn between(&self, from: i32, to: i32) -> u32 {
        self.sums[self.index(to.max(from))] - self.sums[self.index(from)]
    }

    /// Where ink begins after a gap.
    fn words(&self) -> Vec<i32> {
        let mut words = Vec::new();
        let mut last = self.start;
        for x in self.start..self.end {
            if self.mass(x) > 0 {
                if x - last > self.gap {
                    words.push(x);
                }
                last = x;
            }
        }
        words
    }

    /// The next pen if a thin letter stands at this one and its only columns were dropped by scaling.
    fn lost(&self, pen: i32, clear: i32, style: &Style) -> Option<i32> {
        let stem = style.glyphs.iter().find(|g| g.c == 'l')?;
        let to = pen + stem.advance;
        let mut inked = pen + stem.left..pen + stem.left + stem.width;
        let inside = inked.end < self.end;
        (inside && inked.all(|x| !self.is_there(x)) && self.between(clear, to) == 0).then_some(to)
    }

    /// What a glyph at `pen` leaves unexplained, or `None` if that is too much. Ink before `clear` belongs to others.
    fn cost(&self, pen: i32, clear: i32, glyph: &Glyph, columns: &Columns, tight: bool) -> Option<u32> {
        let (left, right) = (pen + glyph.left, pen + glyph.left + glyph.width);
        let limit = if tight { columns.tight } else { columns.limit };
        let around = self.between(clear.max(pen).min(left), left) + self.between(right, pen + glyph.advance);
        if around > limit {
            return None;
        }
        let span = self.index(left)..self.index(right);
        if span.len() != columns.masses.len() {
            return None;
        }
        let (mut least, mut mass) = (around, 0);
        let places = &self.places[span.clone()];
        for ((&place, &ideal), &seen) in places.iter().zip(&columns.masses).zip(&self.masses[span]) {
            if place != ABSENT {
                least += u32::from(ideal.abs_diff(seen));
                mass += u32::from(ideal);
            }
            if least > limit {
                return None;
            }
        }
        if mass == 0 {
            return None;
        }
        let mut cost = around;
        for (&place, ideal) in places.iter().zip(columns.ink.chunks_exact(self.rows)) {
            if place != ABSENT {
                cost += apart(ideal, &self.ink[place as usize * self.rows..][..self.rows]);
                if cost > limit {
                    return None;
                }
            }
        }
        (cost as f32 <= mass as f32 * LIMIT + LITTLE as f32).then_some(cost)
    }

    /// The ink where the glyphs of a group would stand at `pen`; `None` outside. Sums of columns differ by no more than their
    /// pixels do, and are cheap.
    fn ink_of(&self, pen: i32, group: &Group) -> Option<u32> {
        let at = usize::try_from(pen + group.left - self.first).ok()?;
        let sums = self.sums.get(at..=at + group.width as usize)?;
        Some(sums.last()? - sums.first()?)
    }
}

#[derive(Clone, Copy)]
struct Node {
    cost: u32,
    from: i32,
    step: Step,
    /// Ink before this column is explained: a letter may hang over the next pen.
    clear: i32,
}

#[derive(Clone, Copy, PartialEq)]
enum Step {
    Begin,
    Letter(char),
    /// A piece of ink that no letter explains, so many columns wide.
    Over(i32),
}

/// The texts of a row, from the left.
///
/// Without `thorough`, only letters as they were drawn are looked for where nothing was scaled.
pub(crate) fn spell(field: &Field, frame: &Frame, style: &Style, thorough: bool) -> Vec<Spelled> {
    if frame.rows == 0 || field.end <= field.start {
        return Vec::new();
    }
    if field.whole {
        // Most rows are letters as they were drawn, and few glyphs come into question for those.
        let texts = Path::cheapest(field, frame, style, true).texts(style);
        let explained: f32 = texts.iter().map(|text| text.mass as f32 * text.confidence).sum();
        if !thorough || explained >= PLAIN * field.between(field.start, field.end) as f32 {
            return texts;
        }
    }
    Path::cheapest(field, frame, style, false).texts(style)
}

/// The pens reached so far, by column.
struct Path<'f> {
    field: &'f Field,
    nodes: Vec<Option<Node>>,
    end: Option<i32>,
}

impl<'f> Path<'f> {
    fn cheapest(field: &'f Field, frame: &Frame, style: &Style, tight: bool) -> Self {
        let mut path = Self { field, nodes: vec![None; field.masses.len() + 1], end: None };
        let widest = style.glyphs.iter().map(|g| g.left).max().unwrap_or(0);
        for pen in field.start - widest..=field.start + 1 {
            path.reach(pen, Node { cost: 0, from: pen, step: Step::Begin, clear: pen });
        }
        let mut furthest = field.start + 1;
        let mut passed = 0;
        let mut words = field.words().into_iter().peekable();
        let mut pen = field.first;
        while ((pen - field.first) as usize) < path.nodes.len() {
            while let Some(word) = words.next_if(|word| pen >= word - field.before) {
                furthest = furthest.max(path.begin_word(word));
            }
            let Some(node) = path.node(pen) else {
                pen += 1;
                if pen > furthest && path.end.is_none() {
                    // No glyph went on from any pen.
                    passed += 1;
                    if passed > PATIENCE && path.is_hopeless(furthest) {
                        break;
                    }
                    match path.pass_over(furthest) {
                        Some((first, last)) => (pen, furthest) = (first, last),
                        None => break,
                    }
                }
                continue;
            };
            let clear = node.clear.max(pen);
            if field.between(clear, field.end) == 0 {
                let best = path.end.and_then(|end| path.node(end)).map_or(u32::MAX, |n| n.cost);
                if node.cost < best {
                    path.end = Some(pen);
                }
                pen += 1;
                continue;
            }
            let mut go = |path: &mut Self, to: i32, cost: u32, c: char, clear: i32| {
                path.reach(to, Node { cost: node.cost + cost, from: pen, step: Step::Letter(c), clear });
                furthest = furthest.max(to);
            };
            let spaced = pen + style.space;
            if field.between(clear, spaced - 1) == 0 {
                // The tail of a j reaches below the space before it.
                go(&mut path, spaced, field.between(clear.max(spaced - 1), spaced), ' ', spaced);
                let further = spaced + 1;
                if style.space_more && field.between(clear, further) == 0 {
                    go(&mut path, further, 0, ' ', further);
                }
            }
            if let Some(to) = field.lost(pen, clear, style) {
                go(&mut path, to, LOST, UNKNOWN, to);
            }
            for group in &frame.groups {
                let Some(ink) = field.ink_of(pen, group) else { continue };
                let may_be = |least: u32, most: u32| ink <= most && (ink >= least || !field.whole);
                if !may_be(group.least, group.most) {
                    continue;
                }
                for &number in &group.glyphs {
                    let (glyph, columns) = (&style.glyphs[number], &frame.glyphs[number]);
                    if !may_be(columns.least, columns.most)
                        || tight && ink.abs_diff(columns.mass) > columns.tight
                    {
                        continue;
                    }
                    if let Some(cost) = field.cost(pen, clear, glyph, columns, tight) {
                        let right = pen + glyph.left + glyph.width;
                        go(&mut path, pen + glyph.advance, cost, glyph.c, right);
                        if glyph.more {
                            go(&mut path, pen + glyph.advance + 1, cost, glyph.c, right);
                        }
                    }
                }
            }
            pen += 1;
        }
        path
    }

    fn node(&self, pen: i32) -> Option<Node> {
        *self.nodes.get(usize::try_from(pen - self.field.first).ok()?)?
    }

    fn reach(&mut self, pen: i32, node: Node) {
        let at = usize::try_from(pen - self.field.first).ok();
        let Some(slot) = at.and_then(|at| self.nodes.get_mut(at)) else { return };
        if slot.is_none_or(|known| node.cost < known.cost) {
            *slot = Some(node);
        }
    }

    /// A word may begin whatever was made of the ink before it: an icon or a corner is not to swallow its first letters.
    fn begin_word(&mut self, word: i32) -> i32 {
        let field = self.field;
        let reached = (field.first..=word).filter_map(|pen| Some((pen, self.node(pen)?)));
        let left = |node: &Node| node.cost + field.between(node.clear, word);
        let Some((from, node)) = reached.min_by_key(|(_, node)| left(node)) else { return word };
        let skipped = if field.between(node.clear, word) == 0 { field.end } else { word - from };
        let begun = Node { cost: left(&node) + BEGUN, from, step: Step::Over(skipped), clear: word };
        for pen in (word - field.before).max(from + 1)..=word {
            self.reach(pen, begun);
        }
        word
    }

    /// Whether hardly anything up to here could be read.
    fn is_hopeless(&self, furthest: i32) -> bool {
        let reached = (self.field.first..=furthest).rev().find_map(|pen| self.node(pen));
        let ink = self.field.between(self.field.start, furthest);
        reached.is_none_or(|node| node.cost * 10 > ink * 7)
    }

    /// From the furthest pen past one unread piece to the pens before the next; the first and last of them.
    fn pass_over(&mut self, furthest: i32) -> Option<(i32, i32)> {
        let field = self.field;
        let from = (field.first..=furthest).rev().find(|&pen| self.node(pen).is_some())?;
        let node = self.node(from)?;
        let ink = (from.max(field.start)..field.end).find(|&x| field.mass(x) > 0)?;
        // A gap is a column that is there and has no ink.
        let gap = (ink..field.end).find(|&x| field.is_there(x) && field.mass(x) == 0).unwrap_or(field.end);
        let next = (gap..field.end).find(|&x| field.mass(x) > 0).unwrap_or(field.end);
        let cost = node.cost + field.between(ink, gap);
        // Where the pen stood before the next piece is not known: any that a glyph may have.
        let first = (next - field.before).max(from + 1);
        for pen in first..=next {
            self.reach(pen, Node { cost, from, step: Step::Over(gap - ink), clear: pen });
        }
        Some((first, next.max(first)))
    }

    /// What the path spells, cut where it passes over something wide.
    fn texts(&self, style: &Style) -> Vec<Spelled> {
        let Some(end) = self.end else { return Vec::new() };
        let mut steps: Vec<(i32, Node)> = Vec::new();
        let mut pen = end;
        while let Some(node) = self.node(pen).filter(|node| node.step != Step::Begin) {
            steps.push((pen, node));
            pen = node.from;
        }
        steps.reverse();
        let wide = style.em as i32 * 9 / 10;
        let is_space = |node: &Node| node.step == Step::Letter(' ');
        let mut texts = Vec::new();
        let mut begin = 0;
        for (at, (_, node)) in steps.iter().enumerate() {
            // Words two blanks apart stand side by side and do not belong together.
            let apart = at > 0 && is_space(node) && is_space(&steps[at - 1].1);
            if apart || matches!(node.step, Step::Over(width) if width >= wide) {
                texts.extend(self.text(&steps[begin..at]));
                begin = at + 1;
            }
        }
        texts.extend(self.text(&steps[begin..]));
        texts
    }

    fn text(&self, mut steps: &[(i32, Node)]) -> Option<Spelled> {
        let outside =
            |(_, node): &(i32, Node)| matches!(node.step, Step::Over(_) | Step::Letter(' ' | UNKNOWN));
        while steps.first().is_some_and(outside) {
            steps = &steps[1..];
        }
        while steps.last().is_some_and(outside) {
            steps = &steps[..steps.len() - 1];
        }
        let (first, last) = (steps.first()?.1, steps.last()?);
        let before = self.node(first.from).map_or(0, |node| node.cost);
        let letter = |(_, node): &(i32, Node)| match node.step {
            Step::Letter(c) => c,
            Step::Over(_) | Step::Begin => UNKNOWN,
        };
        let (from, to) = (first.from, last.0.max(last.1.clear));
        let mass = self.field.between(from, to).max(1);
        let confidence = (1.0 - (last.1.cost - before) as f32 / mass as f32).max(0.0);
        Some(Spelled { text: steps.iter().map(letter).collect(), from, to, confidence, mass })
    }
}
