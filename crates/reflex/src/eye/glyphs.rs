//! What letters look like: every character the reader knows, in every size and weight it tries, and where to find those
//! of a given shape.
//!
//! All of it is made of the embedded font once and never changes: it is a constant, not a memory. The reader knows
//! Latin letters and the signs that interfaces use; it refuses other scripts.

use handsight_pixel::font::FontStack;
use std::sync::OnceLock;

const SIGNS: &str = "…—–×÷−←→↑↓✓✔✕✖▲▼▾▸◂•·°€£§“”‘’«»‹›⌫äöüÄÖÜßéèêëàáâåæçñíîïóôøúûÉÀÅØ¿¡√±";
/// Sizes of letters, in units of a screen with one pixel a unit.
const SIZES: std::ops::RangeInclusive<u32> = 10..=28;
/// The same of sharper screens, where a note or two of a heading are all that is larger.
const SHARP_SIZES: std::ops::RangeInclusive<u32> = 11..=20;
/// Ink fainter than this, as shown, counts as none: low contrast rounds it away.
pub(crate) const FAINT: u8 = 20;
/// Longest side of a glyph that is looked up by its shape.
const MOST: usize = 48;

/// Pixels a unit of the screens that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    One,
    OneAndHalf,
    Two,
}

impl Unit {
    pub(crate) const ALL: [Self; 3] = [Self::One, Self::OneAndHalf, Self::Two];

    /// How many half pixels it is.
    pub(crate) const fn halves(self) -> u32 {
        match self {
            Self::One => 2,
            Self::OneAndHalf => 3,
            Self::Two => 4,
        }
    }

    /// A length of units in pixels, rounded down.
    pub(crate) const fn px(self, units: u16) -> u16 {
        units * self.halves() as u16 / 2
    }
}

/// One character of a style. Pixels as in `handsight_pixel::font::Glyph`, without empty edges.
#[derive(Debug)]
pub(crate) struct Glyph {
    pub(crate) c: char,
    pub(crate) advance: i32,
    /// The next pen may be one pixel further: half a pixel is missing of the advance.
    pub(crate) more: bool,
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) width: i32,
    pub(crate) height: i32,
    /// Row by row.
    pub(crate) ink: Vec<u8>,
}

/// One size and weight.
#[derive(Debug)]
pub(crate) struct Style {
    /// In pixels.
    pub(crate) em: u32,
    pub(crate) unit: Unit,
    pub(crate) bold: bool,
    /// Rows that any of its glyphs needs above and below the baseline.
    pub(crate) above: i32,
    pub(crate) below: i32,
    pub(crate) space: i32,
    /// As of a glyph.
    pub(crate) space_more: bool,
    pub(crate) glyphs: Vec<Glyph>,
}

/// All styles, and the glyphs of each shape as (style, glyph).
pub(crate) struct Book {
    pub(crate) styles: Vec<Style>,
    shapes: Vec<Vec<(u16, u16)>>,
}

impl Book {
    /// That of a screen with so many pixels a unit; made when it is first asked for.
    pub(crate) fn get(unit: Unit) -> &'static Self {
        static BOOKS: [OnceLock<Book>; 3] = [const { OnceLock::new() }; 3];
        BOOKS[unit as usize].get_or_init(|| Self::make(unit))
    }

    /// What can be read, ASCII first.
    pub(crate) fn characters() -> impl Iterator<Item = char> {
        (' '..='~').chain(SIGNS.chars())
    }

    fn make(unit: Unit) -> Self {
        let mut styles = Vec::new();
        let sizes = if unit == Unit::One { SIZES } else { SHARP_SIZES };
        for bold in [false, true] {
            let mut fonts = FontStack::builtin(if bold { 700 } else { 400 });
            styles.extend(sizes.clone().map(|size| Style::of(size, unit, bold, &mut fonts)));
        }
        let mut shapes = vec![Vec::new(); MOST * MOST];
        for (s, style) in (0..).zip(&styles) {
            for (g, glyph) in (0..).zip(&style.glyphs) {
                if let Some(shape) = shape(glyph.width, glyph.height) {
                    shapes[shape].push((s, g));
                }
            }
        }
        Self { styles, shapes }
    }

    /// Glyphs of exactly this many columns and rows, as (style, glyph).
    pub(crate) fn shaped(&self, width: i32, height: i32) -> &[(u16, u16)] {
        shape(width, height).map_or(&[], |shape| self.shapes[shape].as_slice())
    }

    pub(crate) fn glyph(&self, (style, glyph): (u16, u16)) -> &Glyph {
        &self.styles[usize::from(style)].glyphs[usize::from(glyph)]
    }
}

/// Screens show half a pixel of light with more than half the value; programs differ in how much they allow for that, and
/// half way suits all of them.
pub(crate) const fn shown(coverage: u8) -> u8 {
    let dark = 255 - coverage as u32;
    visible(((255 - dark * dark / 255 + coverage as u32) / 2) as u8)
}

/// Ink, unless it is too faint to count.
pub(crate) const fn visible(ink: u8) -> u8 {
    if ink < FAINT { 0 } else { ink }
}

fn shape(width: i32, height: i32) -> Option<usize> {
    let inside = |length: i32| usize::try_from(length).ok().filter(|&l| l > 0 && l < MOST);
    Some(inside(width)? * MOST + inside(height)?)
}

impl Style {
    /// Letters are as far apart as they are on a screen with one pixel a unit.
    fn of(size: u32, unit: Unit, bold: bool, fonts: &mut FontStack) -> Self {
        let em = (size * unit.halves()) as f32 / 2.0;
        let mut advance = |c: char| {
            let halves = fonts.glyph(c, size as f32).advance * unit.halves();
            (halves as i32 / 2, halves % 2 == 1)
        };
        let advances: Vec<(i32, bool)> = Book::characters().map(&mut advance).collect();
        let (space, space_more) = advance(' ');
        let glyphs: Vec<Glyph> = Book::characters()
            .zip(advances)
            .filter_map(|(c, advance)| Glyph::trimmed(c, advance, &fonts.glyph(c, em)))
            .collect();
        let above = glyphs.iter().map(|g| -g.top).max().unwrap_or(0);
        let below = glyphs.iter().map(|g| g.top + g.height).max().unwrap_or(0);
        Self { em: em.round() as u32, unit, bold, above, below, space, space_more, glyphs }
    }
}

impl Glyph {
    /// `None` if it has no ink.
    fn trimmed(c: char, (advance, more): (i32, bool), glyph: &handsight_pixel::font::Glyph) -> Option<Self> {
        if glyph.width == 0 {
            return None;
        }
        let rows: Vec<&[u8]> = glyph.coverage.chunks_exact(glyph.width).collect();
        let inked = |covered: &u8| shown(*covered) >= FAINT;
        let (first, last) = (
            rows.iter().position(|row| row.iter().any(inked))?,
            rows.iter().rposition(|row| row.iter().any(inked))?,
        );
        let column = |x: usize| rows.iter().any(|row| inked(&row[x]));
        let (left, right) = ((0..glyph.width).find(|&x| column(x))?, (0..glyph.width).rfind(|&x| column(x))?);
        Some(Self {
            c,
            advance,
            more,
            left: glyph.left + left as i32,
            top: glyph.top + first as i32,
            width: (right - left + 1) as i32,
            height: (last - first + 1) as i32,
            ink: rows[first..=last].iter().flat_map(|row| &row[left..=right]).map(|&c| shown(c)).collect(),
        })
    }

    /// Coverage at a place counted from its own corner; 0 outside.
    pub(crate) fn within(&self, x: i32, y: i32) -> u8 {
        let inside = x >= 0 && y >= 0 && x < self.width && y < self.height;
        if inside { self.ink[(y * self.width + x) as usize] } else { 0 }
    }
}
