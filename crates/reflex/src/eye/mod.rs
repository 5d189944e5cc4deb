//! Pixels to a scene: lines of text, boxes, marks, and the text of the HUD.

mod flat;
mod glyphs;
mod hud;
mod raster;
mod read;
mod rows;
mod scene;
mod spell;
mod widgets;

pub use raster::Unreadable;
pub use scene::{Line, Mark, Pane, Scene};

use flat::{Extent, Flat, Kind};
use glyphs::{Book, Unit};
use handsight_base::space::FrameRect;
use hud::Hud;
use raster::{Raster, Sheet};
use read::{Reader, Reading};
use rows::InkRow;
use spell::Spelled;

/// Rows that are read to see whether a guess about the screen's size is right.
const SAMPLE: usize = 12;
/// Mean confidence of a right guess.
const RIGHT: f32 = 0.85;
/// The same where the letters have their own size.
const SURE: f32 = 0.93;
/// Screens from this height on may have more than one pixel a unit.
const SHARP: u32 = 900;

/// Looks at a picture.
pub fn look(png: &[u8]) -> Result<Scene, Unreadable> {
    let sheet = Sheet::decode(png)?;
    let guesses = sheet.guesses();
    // A note is legible at one size only, and looked for at one place: that is soon tried.
    let noted = guesses.iter().find_map(|&guess| {
        let raster = sheet.raster(guess);
        hud::read(&raster).map(|hud| Seen::of(raster, Some(hud)))
    });
    if let Some(seen) = noted {
        return Ok(seen.sharpened().scene());
    }
    let mut best: Option<(f32, Seen)> = None;
    for guess in guesses {
        let seen = Seen::of(sheet.raster(guess), None);
        let score = seen.score();
        if best.as_ref().is_none_or(|(known, _)| score > *known) {
            best = Some((score, seen));
        }
        if score >= RIGHT {
            break;
        }
    }
    Ok(best.map(|(_, seen)| seen.sharpened().scene()).unwrap_or_default())
}

/// A picture under one guess of the screen's size.
struct Seen {
    raster: Raster,
    hud: Option<Hud>,
    flat: Flat,
    rows: Vec<InkRow>,
}

impl Seen {
    fn of(mut raster: Raster, hud: Option<Hud>) -> Self {
        if let Some(hud) = &hud {
            hud.erase(&mut raster);
        }
        let flat = Flat::of(&raster);
        let rows = rows::rows(&raster, &flat);
        Self { raster, hud, flat, rows }
    }

    /// The same with as many pixels a unit as its writing is read with best.
    fn sharpened(self) -> Self {
        if self.raster.native.height < SHARP {
            return self;
        }
        let mut best = (self.score(), self);
        for unit in Unit::ALL.into_iter().filter(|unit| *unit != Unit::One) {
            if best.0 >= SURE {
                break;
            }
            let seen = Self::of(Raster { unit, ..best.1.raster.clone() }, None);
            let seen = Self { hud: best.1.hud.clone(), ..seen };
            let score = seen.score();
            if score > best.0 {
                best = (score, seen);
            }
        }
        best.1
    }

    /// How well its longest rows can be read, 0 to 1.
    fn score(&self) -> f32 {
        let mut longest: Vec<&InkRow> = self.rows.iter().filter(|row| row.pieces.len() > 2).collect();
        longest.sort_by_key(|row| std::cmp::Reverse(row.pieces.len()));
        longest.truncate(SAMPLE);
        let mut reader = Reader::new(&self.raster, &self.flat);
        let mut scores: Vec<f32> =
            longest.iter().map(|row| reader.read(row).map_or(0.0, |reading| reading.confidence)).collect();
        // Half of what looks like text may be something else; where there is nothing, every guess is as good.
        scores.sort_by(|a, b| b.total_cmp(a));
        scores.truncate(scores.len().div_ceil(2));
        if scores.is_empty() { 1.0 } else { scores.iter().sum::<f32>() / scores.len() as f32 }
    }

    fn scene(self) -> Scene {
        let mut reader = Reader::new(&self.raster, &self.flat);
        let mut readings: Vec<Option<Reading>> = self.rows.iter().map(|row| reader.read(row)).collect();
        // Letters that all touch are read once the styles of the others are known.
        for (row, reading) in self.rows.iter().zip(&mut readings).filter(|(_, reading)| reading.is_none()) {
            *reading = reader.read(row);
        }
        let mut lines: Vec<Line> = Vec::new();
        let mut signs: Vec<FrameRect> = Vec::new();
        for (row, reading) in self.rows.iter().zip(&readings) {
            let reading = reading.as_ref().filter(|reading| reading.texts.iter().any(is_text));
            let Some(reading) = reading else {
                signs.push(self.area(&row.extent));
                continue;
            };
            lines.extend(
                reading.texts.iter().filter(|text| is_text(text)).map(|text| self.line(row, reading, text)),
            );
        }
        let area = |extent: &Extent| self.area(extent);
        let squares = widgets::squares(&self.flat, self.raster.unit, &area);
        // The sign in a check box is no text.
        lines.retain(|line| {
            !squares.iter().any(|square| square.area.intersect(&line.area) == Some(line.area))
        });
        let bars = self.flat.parts.iter().filter(|part| part.kind == Kind::Caret);
        Scene {
            screen: self.raster.native,
            unit: f64::from(self.raster.unit.halves()) / 2.0,
            hud: self.hud.as_ref().map(|hud| hud.text.clone()),
            panes: widgets::panes(&self.raster, &self.flat, &area),
            marks: widgets::marks(&self.raster, squares, &lines),
            signs,
            carets: bars.map(|bar| area(&bar.extent)).collect(),
            lines,
        }
    }

    fn line(&self, row: &InkRow, reading: &Reading, text: &Spelled) -> Line {
        let style = &Book::get(self.raster.unit).styles[reading.style];
        let whole = self.area(&row.extent);
        let (above, below) = (style.em as i32 * 3 / 4, style.em / 4);
        let high = FrameRect::new(
            text.from,
            reading.baseline - above,
            (text.to - text.from) as u32,
            above as u32 + below,
        );
        Line {
            area: high.intersect(&whole).unwrap_or(whole),
            text: text.text.clone(),
            confidence: text.confidence,
            em: style.em,
            bold: style.bold,
            ink: reading.ink,
            ground: row.ground[row.ground.len() / 2],
            rimmed: reading.ink != row.ink,
        }
    }

    fn area(&self, extent: &Extent) -> FrameRect {
        let (columns, rows) = (&self.raster.columns, &self.raster.rows);
        let span = |numbers: &[i32], from: u16, to: u16| {
            let first = numbers[usize::from(from)];
            (first, (numbers[usize::from(to) - 1] + 1 - first) as u32)
        };
        let ((x, width), (y, height)) =
            (span(columns, extent.x0, extent.x1), span(rows, extent.y0, extent.y1));
        FrameRect::new(x, y, width, height)
    }
}

/// Whether it is text, and not a line or corner that happens to resemble some sign.
fn is_text(spelled: &Spelled) -> bool {
    let least = if spelled.text.chars().any(char::is_alphanumeric) { 0.55 } else { 0.86 };
    spelled.confidence >= least
}
