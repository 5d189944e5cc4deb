//! Measuring and rasterising text with the built-in sans-serif and whatever fonts the caller adds.
//!
//! DejaVu Sans is embedded whole. A character it lacks is looked for in the added fonts in their order, and drawn as a box if
//! none has it. There is no shaping: labels need none, and every glyph stands where its advance puts it.

use ab_glyph::{Font, FontRef, FontVec, GlyphId, Point, PxScale, ScaleFont};
use std::collections::HashMap;
use std::rc::Rc;

static REGULAR: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");
static BOLD: &[u8] = include_bytes!("../fonts/DejaVuSans-Bold.ttf");

/// Weights from here on are drawn with the bold face.
const BOLD_FROM: u32 = 600;

#[expect(clippy::large_enum_variant, reason = "a handful of faces live as long as the run")]
enum Face {
    Builtin(FontRef<'static>),
    Added(FontVec),
}

impl Face {
    fn glyph(&self, c: char) -> Option<GlyphId> {
        let id = match self {
            Self::Builtin(f) => f.glyph_id(c),
            Self::Added(f) => f.glyph_id(c),
        };
        (id.0 != 0).then_some(id)
    }

    /// The scale at which the em square is `em` pixels high.
    fn scale(&self, em: f32) -> PxScale {
        let (height, units) = match self {
            Self::Builtin(f) => (f.height_unscaled(), f.units_per_em()),
            Self::Added(f) => (f.height_unscaled(), f.units_per_em()),
        };
        PxScale::from(em * height / units.filter(|u| *u > 0.0).unwrap_or(height))
    }

    fn advance(&self, id: GlyphId, em: f32) -> f32 {
        match self {
            Self::Builtin(f) => f.as_scaled(self.scale(em)).h_advance(id),
            Self::Added(f) => f.as_scaled(self.scale(em)).h_advance(id),
        }
    }

    fn raster(&self, id: GlyphId, em: f32, shift: f32) -> Option<Raster> {
        let glyph = id.with_scale_and_position(self.scale(em), Point { x: shift, y: 0.0 });
        let outlined = match self {
            Self::Builtin(f) => f.outline_glyph(glyph),
            Self::Added(f) => f.outline_glyph(glyph),
        }?;
        let bounds = outlined.px_bounds();
        let (width, height) = (bounds.width() as usize, bounds.height() as usize);
        let mut coverage = vec![0u8; width * height];
        outlined.draw(|x, y, c| {
            if let Some(p) = coverage.get_mut(y as usize * width + x as usize) {
                *p = (c.clamp(0.0, 1.0) * 255.0).round() as u8;
            }
        });
        Some(Raster { left: bounds.min.x as i32, top: bounds.min.y as i32, width, coverage })
    }
}

/// How much of each pixel a glyph covers, 0 to 255, placed relative to its origin on the baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raster {
    pub left: i32,
    pub top: i32,
    pub width: usize,
    pub coverage: Vec<u8>,
}

/// Positions between two pixels a glyph is rasterised at, so that letters keep their distances.
const SUBPIXELS: f32 = 4.0;
/// A HUD uses a few hundred glyphs; Chinese text more.
const MOST_CACHED: usize = 4096;

/// Fonts in the order they are asked.
pub struct FontStack {
    faces: Vec<Face>,
    glyphs: HashMap<(char, u32, u8), Rc<Option<Raster>>>,
}

/// A font file that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the font file cannot be read: it is neither TrueType nor OpenType, or is damaged")]
pub struct BadFont;

impl FontStack {
    /// The embedded sans-serif in the weight nearest to `weight` (400 is regular, 700 bold).
    pub fn builtin(weight: u32) -> Self {
        let bytes = if weight >= BOLD_FROM { BOLD } else { REGULAR };
        // A file of our own that a test reads; without it everything would be boxes.
        let faces = FontRef::try_from_slice(bytes).map(Face::Builtin).into_iter().collect();
        Self { faces, glyphs: HashMap::new() }
    }

    /// Adds a font behind the others; of a collection its first face.
    pub fn add(&mut self, bytes: Vec<u8>) -> Result<(), BadFont> {
        self.faces.push(Face::Added(FontVec::try_from_vec_and_index(bytes, 0).map_err(|_| BadFont)?));
        self.glyphs.clear();
        Ok(())
    }

    /// Puts a font before the others, as the preferred one.
    pub fn prefer(&mut self, bytes: Vec<u8>) -> Result<(), BadFont> {
        self.faces.insert(0, Face::Added(FontVec::try_from_vec_and_index(bytes, 0).map_err(|_| BadFont)?));
        self.glyphs.clear();
        Ok(())
    }

    /// True if no character of the text would be a box.
    pub fn covers(&self, text: &str) -> bool {
        text.chars().all(|c| is_silent(c) || c.is_whitespace() || self.find(c).is_some())
    }

    fn find(&self, c: char) -> Option<(&Face, GlyphId)> {
        self.faces.iter().find_map(|face| Some((face, face.glyph(c)?)))
    }

    /// How far a character moves the pen, in pixels, at an em of `em` pixels.
    pub fn advance(&self, c: char, em: f32) -> f32 {
        if is_silent(c) {
            return 0.0;
        }
        self.find(c).map_or(em * BOX_WIDTH, |(face, id)| face.advance(id, em))
    }

    /// Width of a text in pixels.
    pub fn width(&self, text: &str, em: f32) -> f32 {
        text.chars().map(|c| self.advance(c, em)).sum()
    }

    /// Pixels above and below the baseline that a row needs, of the first font.
    pub fn row(&self, em: f32) -> (u32, u32) {
        let (ascent, descent) = match self.faces.first() {
            Some(Face::Builtin(f)) => vertical(f, em),
            Some(Face::Added(f)) => vertical(f, em),
            None => (em * 0.8, em * 0.2),
        };
        (ascent.ceil() as u32, descent.ceil() as u32)
    }

    /// A character at a horizontal pen position whose fraction counts; `None` if it has no ink. The raster's `left` counts from
    /// the whole pixel of the pen.
    pub fn raster(&mut self, c: char, em: f32, pen: f32) -> Rc<Option<Raster>> {
        let shift = ((pen.fract() * SUBPIXELS).floor() as u8).min(SUBPIXELS as u8 - 1);
        let key = (c, em.to_bits(), shift);
        if let Some(known) = self.glyphs.get(&key) {
            return Rc::clone(known);
        }
        let raster = match self.find(c) {
            _ if is_silent(c) || c.is_whitespace() => None,
            Some((face, id)) => face.raster(id, em, f32::from(shift) / SUBPIXELS),
            None => Some(missing(em)),
        };
        if self.glyphs.len() >= MOST_CACHED {
            self.glyphs.clear();
        }
        let raster = Rc::new(raster);
        self.glyphs.insert(key, Rc::clone(&raster));
        raster
    }
}

fn vertical(font: &impl Font, em: f32) -> (f32, f32) {
    let units = font.units_per_em().filter(|u| *u > 0.0).unwrap_or(1.0);
    (font.ascent_unscaled() * em / units, -font.descent_unscaled() * em / units)
}

/// Characters that only change their neighbours and have no place of their own.
fn is_silent(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0100}'..='\u{E01EF}')
        || c.is_control()
}

/// Of the em.
const BOX_WIDTH: f32 = 0.65;

/// The box for a character that no font has.
fn missing(em: f32) -> Raster {
    let width = ((em * (BOX_WIDTH - 0.1)).round() as usize).max(3);
    let height = ((em * 0.75).round() as usize).max(3);
    let mut coverage = vec![0; width * height];
    for row in 0..height {
        for column in 0..width {
            if row == 0 || column == 0 || row == height - 1 || column == width - 1 {
                coverage[row * width + column] = 255;
            }
        }
    }
    Raster { left: (em * 0.05).round() as i32, top: -(height as i32), width, coverage }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_faces_are_there_and_differ() {
        let (regular, bold) = (FontStack::builtin(400), FontStack::builtin(700));
        assert!(regular.covers("Añ€ßЖλ→✓") && bold.covers("Añ€"));
        assert!(bold.width("word", 18.0) > regular.width("word", 18.0));
    }

    // spec: S-54 UNIT
    #[test]
    fn a_size_is_the_height_of_the_em() {
        let mut fonts = FontStack::builtin(400);
        // DejaVu Sans: capitals are 1493 of 2048 units high, the em is 2048.
        let raster = fonts.raster('H', 180.0, 0.0);
        let raster = raster.as_ref().as_ref().unwrap();
        let height = raster.coverage.len() / raster.width;
        assert!((i64::from(1493 * 180 / 2048) - height as i64).abs() <= 1, "{height}");
    }

    #[test]
    fn what_no_font_has_is_a_box_and_an_added_font_is_asked() {
        let mut fonts = FontStack::builtin(400);
        assert!(!fonts.covers("漢"));
        let boxed = fonts.raster('漢', 18.0, 0.0);
        assert_eq!(boxed.as_ref().as_ref().map(|r| r.coverage[0]), Some(255), "a corner of the box");
        assert_eq!(fonts.add(b"no font".to_vec()), Err(BadFont));
        assert!(fonts.raster('\u{200D}', 18.0, 0.0).is_none());
        assert_eq!(fonts.advance('\u{FE0F}', 18.0), 0.0);
    }
}
