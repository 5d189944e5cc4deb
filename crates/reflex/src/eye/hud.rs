//! Reading the HUD: white letters with a black outline at the top left, on anything.
//!
//! Where its first letter stands and how its rows follow is known, so each letter is looked for at one place only: its ink
//! must be there in its shades of grey, and black around it. What the HUD covers is then painted over with what stands
//! left of it, so that it does not pass for part of a program. This module refuses a HUD in another style than the default.

use super::glyphs::Book;
use super::raster::Raster;
use super::spell::UNKNOWN;
use handsight_pixel::font::FontStack;
use handsight_pixel::hud::HudStyle;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Coverage from which the HUD draws a pixel.
const INK: u8 = 48;
/// Of a letter's pixels: the share that may be covered by something else, the pointer for one.
const COVERED: f32 = 0.2;
/// The same of its outline, which neighbours may reach into.
const RING_COVERED: f32 = 0.35;
/// How many letters in a row may be covered before the row counts as ended.
const LONGEST_GAP: i32 = 3;
/// The height up to which the HUD is not enlarged.
const NORMAL_HEIGHT: u32 = 1080;
/// Sizes of letters that are kept.
const MOST_KEPT: usize = 8;

struct Letter {
    c: char,
    advance: i32,
    /// Right of the pen, below the baseline, shade.
    ink: Vec<(i32, i32, u8)>,
    /// Black around the ink, as far as the letter's own columns go.
    ring: Vec<(i32, i32)>,
}

/// The letters of the HUD at one size.
struct Type {
    letters: Vec<Letter>,
    space: i32,
    outline: i32,
    margin: i32,
    above: i32,
    pitch: i32,
}

impl Type {
    fn of(scale: f64) -> Self {
        let style = HudStyle::default();
        let scaled = |length: u32| (f64::from(length) * scale).round() as i32;
        let em = (f64::from(style.font_size.unsigned_abs()) * scale) as f32;
        let mut fonts = FontStack::builtin(400);
        let (above, below) = fonts.row(em);
        let outline = scaled(style.outline_px);
        let letters = Book::characters().filter_map(|c| Letter::of(c, em, outline, &mut fonts)).collect();
        Self {
            letters,
            space: fonts.glyph(' ', em).advance as i32,
            outline,
            margin: scaled(style.margin),
            above: above as i32,
            pitch: (above + below) as i32 + scaled(style.line_spacing),
        }
    }

    fn normal() -> &'static Self {
        static NORMAL: OnceLock<Type> = OnceLock::new();
        NORMAL.get_or_init(|| Self::of(1.0))
    }

    /// That of a screen so high; made once, since screens have few heights and each picture without a note asks for them.
    fn larger(height: u32) -> Arc<Self> {
        static MADE: Mutex<Vec<(u32, Arc<Type>)>> = Mutex::new(Vec::new());
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, there)) = made.iter().find(|(known, _)| *known == height) {
            return Arc::clone(there);
        }
        let new = Arc::new(Self::of(f64::from(height) / f64::from(NORMAL_HEIGHT)));
        if made.len() < MOST_KEPT {
            made.push((height, Arc::clone(&new)));
        }
        new
    }
}

impl Letter {
    fn of(c: char, em: f32, outline: i32, fonts: &mut FontStack) -> Option<Self> {
        let glyph = fonts.glyph(c, em);
        if glyph.width == 0 {
            return None;
        }
        let place =
            |at: usize| (glyph.left + (at % glyph.width) as i32, glyph.top + (at / glyph.width) as i32);
        let inked = glyph.coverage.iter().enumerate().filter(|(_, c)| **c >= INK);
        let ink: Vec<(i32, i32, u8)> =
            inked.map(|(at, &c)| (place(at).0, place(at).1, strengthened(c))).collect();
        let advance = glyph.advance as i32;
        let around =
            |x: i32, y: i32| ink.iter().any(|i| (i.0 - x).abs() <= outline && (i.1 - y).abs() <= outline);
        let solid = |x: i32, y: i32| ink.iter().any(|i| (i.0, i.1) == (x, y));
        let (top, bottom) =
            (glyph.top - outline, glyph.top + (glyph.coverage.len() / glyph.width) as i32 + outline);
        let cell = (top..bottom).flat_map(|y| (0..advance).map(move |x| (x, y)));
        let ring = cell.filter(|&(x, y)| !solid(x, y) && around(x, y)).collect();
        Some(Self { c, advance, ink, ring })
    }
}

/// As the HUD mixes white on black.
const fn strengthened(coverage: u8) -> u8 {
    let dark = 255 - coverage as u32;
    (255 - dark * dark / 255) as u8
}

/// The text of the HUD, its paragraphs as lines, and where it was; `None` if there is none.
pub(crate) fn read(raster: &Raster) -> Option<Hud> {
    let found = Reader::new(raster, Type::normal()).read();
    if found.is_none() && raster.native.height > NORMAL_HEIGHT {
        return Reader::new(raster, &Type::larger(raster.native.height)).read();
    }
    found
}

#[derive(Clone)]
pub(crate) struct Hud {
    pub(crate) text: String,
    /// Pixels of the raster it covers, by row, then column.
    covered: Vec<(u16, u16)>,
}

impl Hud {
    /// Paints over it.
    pub(crate) fn erase(&self, raster: &mut Raster) {
        let width = raster.width();
        for &(y, x) in &self.covered {
            let at = usize::from(y) * width + usize::from(x);
            if x > 0 {
                raster.pixels[at] = raster.pixels[at - 1];
            }
        }
    }
}

struct Reader<'a> {
    raster: &'a Raster,
    letters: &'a Type,
    /// Which column and row of the raster shows one of the screen.
    columns: Vec<Option<u16>>,
    rows: Vec<Option<u16>>,
    covered: Vec<(u16, u16)>,
}

/// Columns of the screen a HUD reaches, with some to spare.
const REACH: i32 = 1600;

fn places(numbers: &[i32]) -> Vec<Option<u16>> {
    let mut places = vec![None; REACH as usize];
    for (place, &number) in (0..).zip(numbers) {
        if let Some(slot) = places.get_mut(number as usize) {
            *slot = Some(place);
        }
    }
    places
}

impl<'a> Reader<'a> {
    fn new(raster: &'a Raster, letters: &'a Type) -> Self {
        let (columns, rows) = (places(&raster.columns), places(&raster.rows));
        Self { raster, letters, columns, rows, covered: Vec::new() }
    }

    fn read(mut self) -> Option<Hud> {
        let kind = self.letters;
        let (left, first) = (kind.margin + kind.outline, kind.margin + kind.outline + kind.above);
        let mut text = String::new();
        for row in 0..64 {
            let baseline = first + row * kind.pitch;
            let Some(read) = self.row(left, baseline).or_else(|| self.row(left + 4 * kind.space, baseline))
            else {
                break;
            };
            match read.split_once("| ").filter(|(n, _)| n.len() == 2 && n.bytes().all(|b| b.is_ascii_digit()))
            {
                Some((_, paragraph)) => {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text.push_str(paragraph);
                }
                None if text.is_empty() => return None,
                None => {
                    text.push(' ');
                    text.push_str(read.trim());
                }
            }
        }
        self.covered.sort_unstable();
        self.covered.dedup();
        (!text.is_empty()).then_some(Hud { text, covered: self.covered })
    }

    /// One row whose first pen is at `pen`, or `None` if no letter stands there.
    fn row(&mut self, mut pen: i32, baseline: i32) -> Option<String> {
        let mut text = String::new();
        loop {
            if let Some(letter) = self.letter(pen, baseline) {
                text.push(letter.c);
                self.cover(letter, pen, baseline);
                pen += letter.advance;
                continue;
            }
            if text.is_empty() {
                return None;
            }
            let spaced = pen + self.letters.space;
            if !text.ends_with(' ') && self.letter(spaced, baseline).is_some() {
                text.push(' ');
                pen = spaced;
                continue;
            }
            // Perhaps something lies over a few letters.
            let gap = pen + 2..pen + LONGEST_GAP * 3 * self.letters.space;
            match gap.into_iter().find(|&at| self.two_letters(at, baseline)) {
                Some(at) => {
                    text.push(UNKNOWN);
                    pen = at;
                }
                None => return Some(text),
            }
        }
    }

    fn two_letters(&self, pen: i32, baseline: i32) -> bool {
        let Some(one) = self.letter(pen, baseline).filter(|l| l.ink.len() > 12) else { return false };
        let next = pen + one.advance;
        [next, next + self.letters.space].into_iter().any(|pen| self.letter(pen, baseline).is_some())
    }

    /// The letter at a pen: most of its ink and outline is there, and more of it than of any other.
    fn letter(&self, pen: i32, baseline: i32) -> Option<&'a Letter> {
        let mut best: Option<(i32, &Letter)> = None;
        'letters: for letter in &self.letters.letters {
            let most = (letter.ink.len() as f32 * COVERED).ceil() as i32;
            let (mut hits, mut misses) = (0, 0);
            for &(x, y, shade) in &letter.ink {
                match self.pixel(pen + x, baseline + y) {
                    Some(pixel) if is_grey(pixel, shade) => hits += 1,
                    Some(_) => misses += 1,
                    None => {}
                }
                if misses > most {
                    continue 'letters;
                }
            }
            let (mut ring_hits, mut ring_misses) = (0, 0);
            for &(x, y) in &letter.ring {
                match self.pixel(pen + x, baseline + y) {
                    Some(0) => ring_hits += 1,
                    Some(_) => ring_misses += 1,
                    None => {}
                }
            }
            let score = 2 * hits + ring_hits - 5 * (misses + ring_misses);
            let ringed = ring_misses as f32 <= (ring_hits + ring_misses) as f32 * RING_COVERED;
            if ringed
                && hits > misses
                && hits > 1
                && ring_hits > 3
                && best.is_none_or(|(known, _)| score > known)
            {
                best = Some((score, letter));
            }
        }
        best.map(|(_, letter)| letter)
    }

    fn pixel(&self, x: i32, y: i32) -> Option<u32> {
        let (x, y) = (self.place(&self.columns, x)?, self.place(&self.rows, y)?);
        Some(self.raster.at(usize::from(x), usize::from(y)))
    }

    fn place(&self, places: &[Option<u16>], number: i32) -> Option<u16> {
        *places.get(usize::try_from(number).ok()?)?
    }

    fn cover(&mut self, letter: &Letter, pen: i32, baseline: i32) {
        let by = self.letters.outline;
        for &(x, y, _) in &letter.ink {
            for dy in -by..=by {
                for dx in -by..=by {
                    let column = self.place(&self.columns, pen + x + dx);
                    let row = self.place(&self.rows, baseline + y + dy);
                    if let (Some(column), Some(row)) = (column, row) {
                        self.covered.push((row, column));
                    }
                }
            }
        }
    }
}

fn is_grey(pixel: u32, shade: u8) -> bool {
    let [_, r, g, b] = pixel.to_be_bytes();
    r == g && g == b && r.abs_diff(shade) <= 6
}
