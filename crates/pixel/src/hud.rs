//! The text on the screen: one layout routine, one drawing routine.
//!
//! A text is split into numbered paragraphs, wrapped at words, and drawn with an outline that keeps it legible on anything. The
//! letters are smooth against their own outline, so every drawn pixel is opaque and all else is clear. Nothing is drawn
//! outside the margins, and an empty text draws nothing.

use crate::canvas::{Canvas, Color, mix};
use crate::font::FontStack;
use handsight_base::space::{FramePx, FrameRect, Size};

/// Which paragraphs stay when there are too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    First,
    Last,
}

/// Lengths in native pixels, colours as 0x00RRGGBB.
#[derive(Debug, Clone, PartialEq)]
pub struct HudStyle {
    /// Of a row, number and outline included.
    pub max_width: u32,
    /// Negative: height of the em; positive: height of a row.
    pub font_size: i32,
    /// Between two rows.
    pub line_spacing: u32,
    pub text_color: u32,
    pub outline_color: u32,
    pub outline_px: u32,
    /// From the edges of the screen.
    pub margin: u32,
    /// Paragraphs, not wrapped rows.
    pub max_lines: u32,
    pub keep: Keep,
    /// Enlarges all lengths; 0 chooses by the height of the screen.
    pub scale: f64,
}

impl Default for HudStyle {
    fn default() -> Self {
        Self {
            max_width: 700,
            font_size: -18,
            line_spacing: 2,
            text_color: 0x00FF_FFFF,
            outline_color: 0,
            outline_px: 1,
            margin: 10,
            max_lines: 8,
            keep: Keep::First,
            scale: 1.0,
        }
    }
}

/// In front of continuation rows.
const INDENT: &str = "    ";
/// The height at which `scale = 0` means no enlargement.
const NORMAL_HEIGHT: f64 = 1080.0;
/// Ink from here on gets an outline, of 255.
const SOLID: u8 = 90;
/// Ink from here on is drawn, of 255.
const FAINT: u8 = 24;

/// A style in pixels of one screen.
struct Measures {
    em: f32,
    above: u32,
    below: u32,
    spacing: u32,
    outline: u32,
    margin: u32,
    /// For the ink of a row, without the outline.
    width: f32,
    most_rows: u32,
}

impl Measures {
    fn of(style: &HudStyle, screen: Size, fonts: &FontStack) -> Self {
        let scale =
            if style.scale > 0.0 { style.scale } else { (f64::from(screen.height) / NORMAL_HEIGHT).max(1.0) };
        let scaled = |v: u32| (f64::from(v) * scale).round() as u32;
        let size = (f64::from(style.font_size.unsigned_abs().max(1)) * scale) as f32;
        let em = if style.font_size < 0 {
            size
        } else {
            let (above, below) = fonts.row(1000.0);
            size * 1000.0 / (above + below).max(1) as f32
        };
        let (above, below) = fonts.row(em);
        let (spacing, outline, margin) =
            (scaled(style.line_spacing), scaled(style.outline_px), scaled(style.margin));
        let room = screen.width.saturating_sub(2 * margin).min(scaled(style.max_width));
        let height = screen.height.saturating_sub(2 * margin + 2 * outline) + spacing;
        Self {
            em,
            above,
            below,
            spacing,
            outline,
            margin,
            width: room.saturating_sub(2 * outline) as f32,
            most_rows: height / (above + below + spacing).max(1),
        }
    }

    const fn pitch(&self) -> u32 {
        self.above + self.below + self.spacing
    }
}

/// The rows of a text, numbered and wrapped, as they would be drawn on a screen of this size.
pub fn layout(text: &str, screen: Size, style: &HudStyle, fonts: &FontStack) -> Vec<String> {
    let measures = Measures::of(style, screen, fonts);
    let paragraphs: Vec<&str> = text.lines().map(str::trim).filter(|p| !p.is_empty()).collect();
    let most = style.max_lines as usize;
    let kept = match style.keep {
        Keep::First => &paragraphs[..paragraphs.len().min(most)],
        Keep::Last => &paragraphs[paragraphs.len().saturating_sub(most)..],
    };
    let mut rows = Vec::new();
    for (n, paragraph) in kept.iter().enumerate() {
        wrap(&format!("{:02}| ", n + 1), paragraph, &measures, fonts, &mut rows);
    }
    rows.truncate(measures.most_rows as usize);
    rows
}

/// Breaks at spaces, between characters of scripts without spaces, and inside a word only if it is longer than a row.
fn wrap(number: &str, paragraph: &str, measures: &Measures, fonts: &FontStack, rows: &mut Vec<String>) {
    let em = measures.em;
    let mut row = number.to_owned();
    let mut bare = true;
    let mut width = fonts.width(&row, em);
    let indent_width = fonts.width(INDENT, em);
    for (space, piece) in pieces(paragraph) {
        let gap = if space && !bare { " " } else { "" };
        let needed = fonts.width(gap, em) + fonts.width(piece, em);
        if width + needed <= measures.width {
            row.push_str(gap);
            row.push_str(piece);
            width += needed;
            bare = false;
            continue;
        }
        if !bare {
            rows.push(std::mem::replace(&mut row, INDENT.to_owned()));
            width = indent_width;
        }
        // A piece longer than a row is cut where the row ends; at least one character goes into each.
        let mut empty = true;
        for c in piece.chars() {
            let advance = fonts.advance(c, em);
            if width + advance > measures.width && !empty {
                rows.push(std::mem::replace(&mut row, INDENT.to_owned()));
                width = indent_width;
            }
            row.push(c);
            width += advance;
            empty = false;
        }
        bare = false;
    }
    rows.push(row);
}

/// The pieces between which a row may break, and whether a space stood before each.
fn pieces(paragraph: &str) -> impl Iterator<Item = (bool, &str)> {
    paragraph.split_whitespace().flat_map(|word| {
        let mut starts = vec![0];
        let mut before: Option<char> = None;
        for (at, c) in word.char_indices() {
            let breaks = before.is_some_and(|b| is_spaceless(b) || is_spaceless(c)) && !is_closing(c);
            if at > 0 && breaks {
                starts.push(at);
            }
            before = Some(c);
        }
        let ends: Vec<usize> = starts.iter().skip(1).copied().chain([word.len()]).collect();
        starts.into_iter().zip(ends).map(move |(from, to)| (from == 0, &word[from..to]))
    })
}

/// Scripts that are written without spaces.
const fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FF60}' | '\u{20000}'..='\u{3FFFF}')
}

/// Punctuation that does not begin a row.
const fn is_closing(c: char) -> bool {
    matches!(
        c,
        '、' | '。'
            | '，'
            | '．'
            | '！'
            | '？'
            | '：'
            | '；'
            | '」'
            | '』'
            | '）'
            | '】'
            | '》'
            | '〉'
            | '”'
            | '’'
    )
}

/// Draws a text for a screen of this size, placed at the top left; `None` if there is nothing to draw.
pub fn draw(text: &str, screen: Size, style: &HudStyle, fonts: &mut FontStack) -> Option<Canvas> {
    let rows = layout(text, screen, style, fonts);
    let measures = Measures::of(style, screen, fonts);
    let widest = rows.iter().map(|row| fonts.width(row, measures.em)).fold(0.0, f32::max);
    let outline = measures.outline;
    let height = (rows.len() as u32 * measures.pitch()).saturating_sub(measures.spacing) + 2 * outline;
    let room = screen.width.saturating_sub(2 * measures.margin);
    let width = (widest.ceil() as u32 + 2 * outline).min(room);
    if rows.is_empty() || width == 0 {
        return None;
    }
    let mut ink = Ink::new(Size::new(width, height));
    for (n, row) in rows.iter().enumerate() {
        let baseline = (outline + n as u32 * measures.pitch() + measures.above) as i32;
        draw_row(row, baseline, &measures, fonts, &mut ink);
    }
    let origin = FramePx::new(measures.margin as i32, measures.margin as i32);
    let [text, ring] = [style.text_color, style.outline_color].map(Color::from_rgb);
    Some(ink.outlined(origin, outline as i32, text, ring))
}

fn draw_row(row: &str, baseline: i32, measures: &Measures, fonts: &mut FontStack, ink: &mut Ink) {
    let mut pen = measures.outline as f32;
    for c in row.chars() {
        let raster = fonts.raster(c, measures.em, pen);
        if let Some(raster) = raster.as_ref() {
            for (n, coverage) in raster.coverage.iter().enumerate() {
                let column = pen as i32 + raster.left + (n % raster.width) as i32;
                ink.add(column, baseline + raster.top + (n / raster.width) as i32, *coverage);
            }
        }
        pen += fonts.advance(c, measures.em);
    }
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

    fn add(&mut self, column: i32, row: i32, coverage: u8) {
        if column >= 0 && row >= 0 && column < self.size.width as i32 && row < self.size.height as i32 {
            let at = row as usize * self.size.width as usize + column as usize;
            self.coverage[at] = self.coverage[at].max(coverage);
        }
    }

    /// The outline at every offset first, then the letters over it, smooth against the outline.
    fn outlined(&self, origin: FramePx, outline: i32, text: Color, ring: Color) -> Canvas {
        let mut canvas = Canvas::new(FrameRect { origin, size: self.size });
        let width = self.size.width as usize;
        let mut put = |column: i32, row: i32, color: Color| {
            if let Some(pixel) = canvas.span_mut(origin.offset(column, row), 1) {
                pixel.copy_from_slice(&color.bgra());
            }
        };
        let inked = || self.coverage.iter().enumerate().filter(|(_, c)| **c > 0);
        let place = |at: usize| ((at % width) as i32, (at / width) as i32);
        for (at, _) in inked().filter(|(_, c)| **c >= SOLID && outline > 0) {
            let (column, row) = place(at);
            for dy in -outline..=outline {
                for dx in -outline..=outline {
                    put(column + dx, row + dy, ring);
                }
            }
        }
        for (at, coverage) in inked().filter(|(_, c)| **c >= FAINT) {
            let (column, row) = place(at);
            let smooth = Color::opaque(
                mix(text.red, *coverage, ring.red),
                mix(text.green, *coverage, ring.green),
                mix(text.blue, *coverage, ring.blue),
            );
            match outline {
                // Without an outline there is nothing to be smooth against.
                0 if *coverage < 128 => {}
                0 => put(column, row, text),
                _ => put(column, row, smooth),
            }
        }
        canvas
    }
}

#[cfg(test)]
mod tests;
