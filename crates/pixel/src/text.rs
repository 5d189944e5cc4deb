//! Breaking text into rows, and drawing rows with an outline that keeps them legible on anything.
//!
//! This is the one place where text becomes pixels: the HUD and labels of annotations all come through here. Letters are
//! smooth against their own outline, so every drawn pixel is opaque and all else is clear, and a target without a
//! compositor shows the same as one with it.

use crate::canvas::{Canvas, Color, mix};
use crate::font::{FontStack, Glyph};
use handsight_base::space::{FramePx, Size};

/// Coverage below this is not drawn, of 255: it would only make the outline uneven.
const INK: u8 = 48;
/// The same without an outline, where there is nothing to be smooth against.
const BARE_INK: u8 = 128;

/// How text looks. Lengths in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextStyle {
    /// Height of the em.
    pub em: f32,
    pub color: Color,
    pub outline: Color,
    /// How far the outline reaches beyond the letters, in all eight directions; 0 draws none.
    pub outline_px: u32,
}

/// One row of text: where its pen starts, on the baseline.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    pub text: &'a str,
    pub pen: FramePx,
}

/// Draws rows of text: the outline of all of them first, then the letters. What lies outside the canvas is left out.
pub fn draw_outlined(canvas: &mut Canvas, rows: &[Row<'_>], style: &TextStyle, fonts: &mut FontStack) {
    let mut ink = Ink::new(canvas.area().size);
    let origin = canvas.area().origin;
    for row in rows {
        let (mut x, y) = (i64::from(row.pen.x) - i64::from(origin.x), row.pen.y.saturating_sub(origin.y));
        for c in row.text.chars() {
            let glyph = fonts.glyph(c, style.em);
            ink.add(&glyph, x, i64::from(y));
            x += i64::from(glyph.advance);
        }
    }
    let bare = style.outline_px == 0;
    let least = if bare { BARE_INK } else { INK };
    let blend = |coverage: u8| {
        let amount = if bare { 255 } else { strengthened(coverage) };
        let channel = |over, under| mix(over, amount, under);
        Color::opaque(
            channel(style.color.red, style.outline.red),
            channel(style.color.green, style.outline.green),
            channel(style.color.blue, style.outline.blue),
        )
        .bgra()
    };
    let blended: Vec<[u8; 4]> = (0..=255).map(blend).collect();
    let reached = ink.grown(least, style.outline_px as usize);
    for ((pixel, &coverage), reached) in canvas.pixels_mut().iter_mut().zip(&ink.coverage).zip(reached) {
        if coverage >= least {
            *pixel = blended[usize::from(coverage)];
        } else if reached {
            *pixel = style.outline.bgra();
        }
    }
}

/// Coverage is light and the screen shows it with a gamma: half a pixel of light needs more than half the value. Exact
/// at both ends.
fn strengthened(coverage: u8) -> u8 {
    let dark = 255 - u32::from(coverage);
    (255 - dark * dark / 255) as u8
}

/// How much of each pixel is covered by letters.
struct Ink {
    size: Size,
    coverage: Vec<u8>,
}

impl Ink {
    fn new(size: Size) -> Self {
        Self { size, coverage: vec![0; size.area() as usize] }
    }

    /// Adds a glyph whose pen is at `x, y`, counted from the first pixel.
    fn add(&mut self, glyph: &Glyph, x: i64, y: i64) {
        if glyph.width == 0 {
            return;
        }
        let (left, top) = (x + i64::from(glyph.left), y + i64::from(glyph.top));
        let width = self.size.width as usize;
        let from = left.clamp(0, width as i64) as usize;
        let to = (left + glyph.width as i64).clamp(0, width as i64) as usize;
        let skipped = (from as i64 - left) as usize;
        if from >= to {
            return;
        }
        for (row, covered) in (top..).zip(glyph.coverage.chunks_exact(glyph.width)) {
            if row < 0 || row >= i64::from(self.size.height) {
                continue;
            }
            let ink = &mut self.coverage[row as usize * width..][from..to];
            for (ink, &covered) in ink.iter_mut().zip(&covered[skipped..]) {
                *ink = (*ink).max(covered);
            }
        }
    }

    /// Which pixels are within `by` columns and `by` rows of one that is covered by `least` or more.
    fn grown(&self, least: u8, by: usize) -> impl Iterator<Item = bool> + use<> {
        let width = (self.size.width as usize).max(1);
        let solid: Vec<u8> = self.coverage.iter().map(|&c| u8::from(c >= least)).collect();
        let mut wide = solid.clone();
        for (to, from) in wide.chunks_exact_mut(width).zip(solid.chunks_exact(width)) {
            for step in 1..=by.min(width) {
                join(&mut to[step..], from);
                join(to, &from[step..]);
            }
        }
        let mut grown = wide.clone();
        for step in 1..=by {
            let rows = (step * width).min(wide.len());
            join(&mut grown[rows..], &wide);
            join(&mut grown, &wide[rows..]);
        }
        grown.into_iter().map(|mark| mark > 0)
    }
}

/// Adds the marks of `from`, as far as both go.
fn join(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to |= from;
    }
}

/// Breaks a paragraph into rows of at most `width` pixels: at spaces, between characters of scripts that have none, and
/// inside a word only if it is longer than a row. The first row begins with `first`, each other one with `next`.
/// Spaces between words become one. Stops after `most` rows.
pub fn wrap(
    paragraph: &str,
    [first, next]: [&str; 2],
    (width, most): (u32, usize),
    em: f32,
    fonts: &mut FontStack,
) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    let (mut row, mut used) = (first.to_owned(), fonts.width(first, em));
    let indent = fonts.width(next, em);
    let mut bare = true;
    for (space, piece) in pieces(paragraph) {
        let gap = if space && !bare { " " } else { "" };
        let (gap_width, piece_width) = (fonts.width(gap, em), fonts.width(piece, em));
        if used + gap_width + piece_width <= width {
            row.push_str(gap);
            row.push_str(piece);
            used += gap_width + piece_width;
            bare = false;
            continue;
        }
        if !bare {
            rows.push(std::mem::replace(&mut row, next.to_owned()));
            used = indent;
        }
        // At least one character a row, else there would be no end of rows.
        let mut empty = true;
        for c in piece.chars() {
            let advance = fonts.glyph(c, em).advance;
            if used + advance > width && !empty {
                rows.push(std::mem::replace(&mut row, next.to_owned()));
                used = indent;
                empty = advance > 0;
            }
            row.push(c);
            used += advance;
            empty &= advance == 0;
        }
        bare = false;
        if rows.len() >= most {
            rows.truncate(most);
            return rows;
        }
    }
    rows.push(row);
    rows.truncate(most);
    rows
}

/// The pieces between which a row may break, and whether a space stood before each.
fn pieces(paragraph: &str) -> impl Iterator<Item = (bool, &str)> {
    paragraph.split_whitespace().flat_map(|word| {
        let mut starts = vec![0];
        let mut before: Option<char> = None;
        for (at, c) in word.char_indices() {
            if before.is_some_and(|before| may_break(before, c)) {
                starts.push(at);
            }
            before = Some(c);
        }
        let ends: Vec<usize> = starts.iter().skip(1).copied().chain([word.len()]).collect();
        starts.into_iter().zip(ends).map(move |(from, to)| (from == 0, &word[from..to]))
    })
}

/// Whether a row may end with `a` and the next begin with `b`, no space being between them.
fn may_break(a: char, b: char) -> bool {
    /// Punctuation and marks that do not begin a row.
    const NOT_FIRST: &str =
        "、。，．！？：；」』）】》〉〕｝］”’…‥・ーゝゞ々ぁぃぅぇぉっゃゅょァィゥェォッャュョ%％℃";
    /// Punctuation that does not end a row.
    const NOT_LAST: &str = "「『（【《〈〔｛［“‘";
    (is_spaceless(a) || is_spaceless(b)) && !NOT_FIRST.contains(b) && !NOT_LAST.contains(a)
}

/// Scripts that are written without spaces, and Hangul, which breaks anywhere too.
const fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{FF00}'..='\u{FF60}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests;
