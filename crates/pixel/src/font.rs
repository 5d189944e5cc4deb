//! Fonts and their glyphs as pixels.
//!
//! DejaVu Sans is embedded whole. A character it lacks is looked for in the fonts the caller adds, in their order, and is
//! a box if none has it. Glyphs stand on whole pixels and start on one, which keeps their stems crisp without hinting,
//! and each is rasterised once.
//!
//! This module refuses shaping, kerning and right-to-left runs: it writes labels, not prose.

use ab_glyph::{Font, FontRef, FontVec, GlyphId, PxScale, Rect, point};
use std::collections::HashMap;
use std::sync::Arc;

static REGULAR: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");
static BOLD: &[u8] = include_bytes!("../fonts/DejaVuSans-Bold.ttf");

/// Weights from here on are drawn with the bold face.
const BOLD_FROM: u32 = 600;
/// A HUD uses a few hundred glyphs; Chinese text more.
const MOST_CACHED: usize = 4096;
/// Width of the box for a character that no font has, of the em.
const BOX_WIDTH: f32 = 0.65;

/// A font file that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the font file cannot be read: it is neither TrueType nor OpenType, or is damaged")]
pub struct BadFont;

/// One character in one size.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Glyph {
    /// How far it moves the pen, in whole pixels.
    pub advance: u32,
    /// Of the first column, right of the pen.
    pub left: i32,
    /// Of the first row, below the baseline; so mostly negative.
    pub top: i32,
    /// Columns; 0 if it has no ink.
    pub width: usize,
    /// How much of each pixel it covers, 0 to 255, row by row.
    pub coverage: Vec<u8>,
}

/// Fonts in the order they are asked, and the glyphs that were made of them.
pub struct FontStack {
    faces: Vec<Box<dyn Face>>,
    glyphs: HashMap<(char, u32), Arc<Glyph>>,
}

impl std::fmt::Debug for FontStack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FontStack({} fonts, {} glyphs)", self.faces.len(), self.glyphs.len())
    }
}

impl FontStack {
    /// The embedded sans-serif in the weight nearest to `weight` (400 is regular, 700 bold).
    pub fn builtin(weight: u32) -> Self {
        let bytes = if weight >= BOLD_FROM { BOLD } else { REGULAR };
        // A file of our own that a test reads; without it everything would be boxes.
        let face = FontRef::try_from_slice(bytes).map(|font| Box::new(font) as Box<dyn Face>);
        Self { faces: face.into_iter().collect(), glyphs: HashMap::new() }
    }

    /// Adds a font behind the others; of a collection its first face.
    pub fn add(&mut self, bytes: Vec<u8>) -> Result<(), BadFont> {
        self.insert(self.faces.len(), bytes, 0)
    }

    /// Puts a font before the others, as the preferred one; of a collection its first face.
    pub fn prefer(&mut self, bytes: Vec<u8>) -> Result<(), BadFont> {
        self.insert(0, bytes, 0)
    }

    /// Puts face number `index` of a font file before the fonts from place `at` on.
    pub fn insert(&mut self, at: usize, bytes: Vec<u8>, index: u32) -> Result<(), BadFont> {
        let face = FontVec::try_from_vec_and_index(bytes, index).map_err(|_| BadFont)?;
        self.faces.insert(at.min(self.faces.len()), Box::new(face));
        self.glyphs.clear();
        Ok(())
    }

    /// True if no character of the text would be a box.
    pub fn covers(&self, text: &str) -> bool {
        self.lacks(text).next().is_none()
    }

    /// The characters of a text that would be boxes.
    pub fn lacks<'a>(&'a self, text: &'a str) -> impl Iterator<Item = char> + 'a {
        text.chars().filter(|&c| !is_blank(c) && self.find(c).is_none())
    }

    fn find(&self, c: char) -> Option<(&dyn Face, GlyphId)> {
        self.faces.iter().find_map(|face| Some((face.as_ref(), face.id(c)?)))
    }

    /// A character at an em of `em` pixels.
    pub fn glyph(&mut self, c: char, em: f32) -> Arc<Glyph> {
        let key = (c, em.to_bits());
        if let Some(glyph) = self.glyphs.get(&key) {
            return Arc::clone(glyph);
        }
        let glyph = Arc::new(match self.find(c) {
            _ if is_silent(c) => Glyph::default(),
            Some((face, id)) => face.glyph(id, em),
            None if c.is_whitespace() => Glyph { advance: (em / 4.0).round() as u32, ..Glyph::default() },
            None => missing(em),
        });
        if self.glyphs.len() >= MOST_CACHED {
            self.glyphs.clear();
        }
        self.glyphs.insert(key, Arc::clone(&glyph));
        glyph
    }

    /// Width of a text in pixels.
    pub fn width(&mut self, text: &str, em: f32) -> u32 {
        text.chars().map(|c| self.glyph(c, em).advance).sum()
    }

    /// Pixels above and below the baseline that a row needs, by the first font.
    pub fn row(&self, em: f32) -> (u32, u32) {
        let (ascent, descent) = self.faces.first().map_or((0.8, 0.2), |face| face.extents());
        ((ascent * em).ceil() as u32, (descent * em).ceil() as u32)
    }
}

/// What is needed of a font, whatever holds its bytes.
trait Face: Send + Sync {
    /// `None` if the font lacks the character.
    fn id(&self, c: char) -> Option<GlyphId>;
    /// Above and below the baseline, as parts of the em.
    fn extents(&self) -> (f32, f32);
    fn glyph(&self, id: GlyphId, em: f32) -> Glyph;
}

impl<F: Font + Send + Sync> Face for F {
    fn id(&self, c: char) -> Option<GlyphId> {
        Some(self.glyph_id(c)).filter(|id| id.0 != 0)
    }

    fn extents(&self) -> (f32, f32) {
        let units = units(self);
        (self.ascent_unscaled() / units, -self.descent_unscaled() / units)
    }

    fn glyph(&self, id: GlyphId, em: f32) -> Glyph {
        let per_unit = em / units(self);
        let advance = (self.h_advance_unscaled(id) * per_unit).round().max(0.0) as u32;
        let Some(outline) = self.outline(id) else {
            return Glyph { advance, ..Glyph::default() };
        };
        // Moved by less than half a pixel, so that the leftmost stem starts where a pixel does.
        let left = outline.bounds.min.x * per_unit;
        let scale = PxScale::from(self.height_unscaled() * per_unit);
        let at = id.with_scale_and_position(scale, point(left.round() - left, 0.0));
        let Some(outlined) = self.outline_glyph(at) else {
            return Glyph { advance, ..Glyph::default() };
        };
        let Rect { min, .. } = outlined.px_bounds();
        let size = outlined.px_bounds();
        let width = size.width() as usize;
        let mut coverage = vec![0; width * size.height() as usize];
        outlined.draw(|x, y, covered| {
            if let Some(pixel) = coverage.get_mut(y as usize * width + x as usize) {
                *pixel = (covered.clamp(0.0, 1.0) * 255.0).round() as u8;
            }
        });
        Glyph { advance, left: min.x as i32, top: min.y as i32, width, coverage }
    }
}

fn units(font: &impl Font) -> f32 {
    font.units_per_em().filter(|&units| units > 0.0).unwrap_or_else(|| font.height_unscaled().max(1.0))
}

/// Characters that only change their neighbours and have no place of their own.
fn is_silent(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E01EF}')
        || c.is_control()
}

/// Characters that need no font.
fn is_blank(c: char) -> bool {
    is_silent(c) || c.is_whitespace()
}

/// The box for a character that no font has.
fn missing(em: f32) -> Glyph {
    let width = ((em * (BOX_WIDTH - 0.1)).round() as usize).max(3);
    let height = ((em * 0.75).round() as usize).max(3);
    let edge = |at: usize, end: usize| at == 0 || at == end - 1;
    let coverage = (0..width * height)
        .map(|i| if edge(i % width, width) || edge(i / width, height) { 255 } else { 0 })
        .collect();
    let (advance, left) = ((em * BOX_WIDTH).round() as u32, (em * 0.05).round() as i32);
    Glyph { advance, left, top: -(height as i32), width, coverage }
}

#[cfg(test)]
mod tests;
