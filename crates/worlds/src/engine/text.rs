//! The letters of worlds: their widths in screen units, and their glyphs at any scale.
//!
//! Widths are measured at scale 1 whatever a display's scale is, so a layout does not depend on the display it is shown on.
//! Glyphs come from the embedded fonts only: a world must look the same on every machine.

use super::scene::Font;
use handsight_pixel::font::{FontStack, Glyph};
use std::cell::RefCell;
use std::sync::Arc;

struct Fonts {
    regular: FontStack,
    bold: FontStack,
    /// Advances of ASCII by font: a layout asks for thousands, of a handful of fonts.
    ascii: Vec<(Font, [i32; 128])>,
}

thread_local! {
    static FONTS: RefCell<Fonts> =
        RefCell::new(Fonts { regular: FontStack::builtin(400), bold: FontStack::builtin(700), ascii: Vec::new() });
}

impl Fonts {
    fn stack(&mut self, bold: bool) -> &mut FontStack {
        if bold { &mut self.bold } else { &mut self.regular }
    }

    fn measured(&mut self, c: char, font: Font) -> i32 {
        self.stack(font.bold).glyph(c, f32::from(font.size)).advance as i32
    }

    fn advance(&mut self, c: char, font: Font) -> i32 {
        if !c.is_ascii() {
            return self.measured(c, font);
        }
        let at = match self.ascii.iter().position(|(known, _)| *known == font) {
            Some(at) => at,
            None => {
                let mut table = [0; 128];
                for (code, advance) in (0_u8..).zip(&mut table) {
                    *advance = match char::from(code) {
                        '\t' => TAB * self.measured(' ', font),
                        c => self.measured(c, font),
                    };
                }
                self.ascii.push((font, table));
                self.ascii.len() - 1
            }
        };
        self.ascii[at].1[c as usize]
    }
}

/// Blanks a tab is as wide as, wherever it stands.
const TAB: i32 = 4;

/// How far one character moves the pen.
pub fn advance(c: char, font: Font) -> i32 {
    FONTS.with_borrow_mut(|fonts| fonts.advance(c, font))
}

/// Width of a text.
pub fn width(text: &str, font: Font) -> i32 {
    FONTS.with_borrow_mut(|fonts| text.chars().map(|c| fonts.advance(c, font)).sum())
}

/// Height of a row of text.
pub fn row_height(font: Font) -> i32 {
    (i32::from(font.size) * 5 + 2) / 4 + 1
}

/// How far below the top of a row its baseline lies.
pub fn baseline(font: Font) -> i32 {
    (i32::from(font.size) * 19 + 10) / 20 + 1
}

/// The text as it fits into `width` units, with an ellipsis if it had to be cut.
pub fn fitted(text: &str, font: Font, width: i32) -> String {
    if self::width(text, font) <= width {
        return text.to_owned();
    }
    let room = width - advance('…', font);
    let mut used = 0;
    let kept: String = text
        .chars()
        .take_while(|c| {
            used += advance(*c, font);
            used <= room
        })
        .collect();
    format!("{}…", kept.trim_end())
}

/// Rows of a text that is broken at spaces, or within a word that is wider than a row: byte ranges without the line breaks.
/// `width` of `None` breaks at line breaks only.
pub fn rows(text: &str, font: Font, width: Option<i32>) -> Vec<std::ops::Range<usize>> {
    let mut rows = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let end = start + line.len();
        match width {
            Some(width) => break_line(text, start..end, font, width, &mut rows),
            None => rows.push(start..end),
        }
        start = end + 1;
    }
    rows
}

fn break_line(
    text: &str,
    line: std::ops::Range<usize>,
    font: Font,
    width: i32,
    rows: &mut Vec<std::ops::Range<usize>>,
) {
    let (mut start, mut used, mut space) = (line.start, 0, None);
    for (at, c) in text[line.clone()].char_indices().map(|(at, c)| (at + line.start, c)) {
        let wide = advance(c, font);
        // Spaces may hang over the end of a row.
        if used + wide > width && at > start && c != ' ' {
            let cut: usize = space.filter(|&s| s > start).unwrap_or(at);
            rows.push(start..cut);
            start = cut;
            used = self::width(&text[cut..at], font);
            space = None;
        }
        used += wide;
        if c == ' ' {
            space = Some(at + 1);
        }
    }
    rows.push(start..line.end);
}

/// A glyph at `scale` pixels a unit.
pub(crate) fn glyph(c: char, font: Font, scale: f32) -> Arc<Glyph> {
    FONTS.with_borrow_mut(|fonts| fonts.stack(font.bold).glyph(c, f32::from(font.size) * scale))
}
