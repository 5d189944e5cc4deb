//! The text on the screen: what the model said last, where it and a person can read it.
//!
//! To change it, change one of three places: a value of [`HudStyle`]; the look of letters in
//! [`crate::text::draw_outlined`]; the layout in [`layout`]. Nothing is drawn outside the margins, and an empty text
//! draws nothing.

use crate::canvas::{Canvas, Color};
use crate::font::FontStack;
use crate::text::{Row, TextStyle, draw_outlined, wrap};
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
    /// Whether each paragraph begins with its number.
    pub numbered: bool,
    /// A panel of this colour behind the text, `max_width` wide however short the text is; `None` leaves what is behind to be seen.
    pub panel_color: Option<u32>,
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
            numbered: true,
            panel_color: None,
        }
    }
}

/// In front of continuation rows.
const INDENT: &str = "    ";
/// Around the text on a panel, before it is enlarged.
const PADDING: u32 = 10;
/// The height at which `scale = 0` means no enlargement.
const NORMAL_HEIGHT: f64 = 1080.0;

/// A style in pixels of one screen.
struct Measures {
    em: f32,
    above: u32,
    pitch: u32,
    spacing: u32,
    outline: u32,
    margin: u32,
    /// Around the text on a panel.
    padding: u32,
    /// For a row and its outline.
    width: u32,
    most_rows: usize,
}

impl Measures {
    fn of(style: &HudStyle, screen: Size, fonts: &FontStack) -> Self {
        let by_height = || (f64::from(screen.height) / NORMAL_HEIGHT).max(1.0);
        let scale = if style.scale > 0.0 { style.scale } else { by_height() };
        let scaled = |length: u32| (f64::from(length) * scale).round() as u32;
        let size = (f64::from(style.font_size.unsigned_abs().max(1)) * scale) as f32;
        let em = if style.font_size < 0 {
            size
        } else {
            let (above, below) = fonts.row(1000.0);
            size * 1000.0 / (above + below).max(1) as f32
        };
        let (above, below) = fonts.row(em);
        let spacing = scaled(style.line_spacing);
        let [outline, margin] = [style.outline_px, style.margin].map(scaled);
        let padding = style.panel_color.map_or(0, |_| scaled(PADDING));
        let pitch = above.saturating_add(below).saturating_add(spacing).max(1);
        let [free_width, free_height] = [screen.width, screen.height]
            .map(|length| length.saturating_sub((margin + padding).saturating_mul(2)));
        let rows_height = free_height.saturating_sub(outline.saturating_mul(2)).saturating_add(spacing);
        Self {
            em,
            above,
            pitch,
            spacing,
            outline,
            margin,
            padding,
            width: free_width.min(scaled(style.max_width)),
            most_rows: (rows_height / pitch) as usize,
        }
    }
}

/// The rows of a text, numbered and wrapped, as they would be drawn on a screen of this size. Where they do not all fit,
/// the last ones are left out.
pub fn layout(text: &str, screen: Size, style: &HudStyle, fonts: &mut FontStack) -> Vec<String> {
    let measures = Measures::of(style, screen, fonts);
    rows(text, style, &measures, fonts)
}

fn rows(text: &str, style: &HudStyle, measures: &Measures, fonts: &mut FontStack) -> Vec<String> {
    let line_breaks = ['\n', '\r', '\u{B}', '\u{C}', '\u{85}', '\u{2028}', '\u{2029}'];
    let paragraphs: Vec<&str> = text.split(line_breaks).map(str::trim).filter(|p| !p.is_empty()).collect();
    let most = style.max_lines as usize;
    let kept = match style.keep {
        Keep::First => &paragraphs[..paragraphs.len().min(most)],
        Keep::Last => &paragraphs[paragraphs.len().saturating_sub(most)..],
    };
    let width = measures.width.saturating_sub(2 * measures.outline);
    let mut rows = Vec::new();
    for (number, paragraph) in (1..).zip(kept) {
        let room = measures.most_rows - rows.len();
        let number = if style.numbered { format!("{number:02}| ") } else { String::new() };
        rows.extend(wrap(paragraph, [&number, INDENT], (width, room), measures.em, fonts));
    }
    rows
}

/// Draws a text for a screen of this size, placed at the top left; `None` if there is nothing to draw.
pub fn draw(text: &str, screen: Size, style: &HudStyle, fonts: &mut FontStack) -> Option<Canvas> {
    let measures = Measures::of(style, screen, fonts);
    let rows = rows(text, style, &measures, fonts);
    let widest = rows.iter().map(|row| fonts.width(row, measures.em)).max()?;
    let around = 2 * (measures.outline + measures.padding);
    let width = match style.panel_color {
        Some(_) => measures.width.saturating_add(2 * measures.padding),
        None => widest.saturating_add(around).min(measures.width),
    };
    let size =
        Size::new(width, (rows.len() as u32 * measures.pitch).saturating_sub(measures.spacing) + around);
    let origin = FramePx::new(measures.margin as i32, measures.margin as i32);
    let inset = measures.outline + measures.padding;
    let first = origin.offset(inset as i32, (inset + measures.above) as i32);
    let placed: Vec<Row<'_>> = (0..)
        .zip(&rows)
        .map(|(n, text)| Row { text, pen: first.offset(0, n * measures.pitch as i32) })
        .collect();
    let look = TextStyle {
        em: measures.em,
        color: Color::from_rgb(style.text_color),
        outline: Color::from_rgb(style.outline_color),
        outline_px: measures.outline,
    };
    let mut canvas = Canvas::new(FrameRect { origin, size });
    if let Some(color) = style.panel_color {
        canvas.pixels_mut().fill(Color::from_rgb(color).bgra());
    }
    draw_outlined(&mut canvas, &placed, &look, fonts);
    (!size.is_empty()).then_some(canvas)
}

#[cfg(test)]
mod tests;
