//! What letters look like: every character the reader knows, in every size and weight it tries, and where to find those
//! of a given shape.
//!
//! All of it is made of the embedded font once and never changes: it is a constant, not a memory. The reader knows
//! Latin letters and the signs that interfaces use; it refuses other scripts.

use handsight_pixel::font::FontStack;
use std::sync::OnceLock;

const SIGNS: &str = "…—–×÷−←→↑↓✓✔✕✖▲▼▾▸◂•·°€£§“”‘’«»‹›⌫äöüÄÖÜßéèêëàáâåæçñíîïóôøúûÉÀÅØ¿¡√±";
/// Ems in pixels.
const EMS: std::ops::RangeInclusive<u32> = 10..=28;
/// Ink fainter than this, as shown, counts as none: low contrast rounds it away.
pub(crate) const FAINT: u8 = 20;
/// Longest side of a glyph that is looked up by its shape.
const MOST: usize = 40;

/// One character of a style. Pixels as in `handsight_pixel::font::Glyph`, without empty edges.
#[derive(Debug)]
pub(crate) struct Glyph {
    pub(crate) c: char,
    pub(crate) advance: i32,
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
    pub(crate) em: u32,
    pub(crate) bold: bool,
    /// Rows that any of its glyphs needs above and below the baseline.
    pub(crate) above: i32,
    pub(crate) below: i32,
    pub(crate) space: i32,
    pub(crate) glyphs: Vec<Glyph>,
}

/// All styles, and the glyphs of each shape as (style, glyph).
pub(crate) struct Book {
    pub(crate) styles: Vec<Style>,
    shapes: Vec<Vec<(u16, u16)>>,
}

impl Book {
    pub(crate) fn get() -> &'static Self {
        static BOOK: OnceLock<Book> = OnceLock::new();
        BOOK.get_or_init(Self::make)
    }

    /// What can be read, ASCII first.
    pub(crate) fn characters() -> impl Iterator<Item = char> {
        (' '..='~').chain(SIGNS.chars())
    }

    fn make() -> Self {
        let mut styles = Vec::new();
        for bold in [false, true] {
            let mut fonts = FontStack::builtin(if bold { 700 } else { 400 });
            styles.extend(EMS.map(|em| Style::of(em, bold, &mut fonts)));
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
    fn of(em: u32, bold: bool, fonts: &mut FontStack) -> Self {
        let space = fonts.glyph(' ', em as f32).advance as i32;
        let glyphs: Vec<Glyph> =
            Book::characters().filter_map(|c| Glyph::trimmed(c, &fonts.glyph(c, em as f32))).collect();
        let above = glyphs.iter().map(|g| -g.top).max().unwrap_or(0);
        let below = glyphs.iter().map(|g| g.top + g.height).max().unwrap_or(0);
        Self { em, bold, above, below, space, glyphs }
    }
}

impl Glyph {
    /// `None` if it has no ink.
    fn trimmed(c: char, glyph: &handsight_pixel::font::Glyph) -> Option<Self> {
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
            advance: glyph.advance as i32,
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
