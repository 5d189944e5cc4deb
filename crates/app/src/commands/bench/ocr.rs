//! What reading the text of the screen costs: all of it, again, and with one line changed.

use super::Bench;
use super::figure::Figure;
use super::screen::Screen;
use anyhow::Context as _;
use handsight_base::flow::frame::Pixels;
use handsight_base::port::clock::Clock as _;
use handsight_base::space::FrameRect;
use handsight_vision::segment::segment;
use handsight_vision::text::{OcrError, Reader, Settings};
use std::sync::Arc;
use std::time::Duration;

/// So often at most: a whole screen takes seconds.
const MOST_RUNS: usize = 10;

/// Nothing where no engine is installed: what is missing is said by `doctor`.
pub(super) fn ocr(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    let pixels = Screen::open(bench)?.frame()?.pixels;
    let settings = Settings { limit: Duration::from_secs(120), ..Settings::default() };
    let runs = bench.runs.min(MOST_RUNS);
    let (mut find, mut cold, mut known, mut changed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut lines, mut words) = (0, 0);
    for n in 0..runs {
        find.push(bench.time(|| {
            std::hint::black_box(segment(pixels.view()));
            anyhow::Ok(())
        })?);
        let reader = Reader::new(settings.clone());
        let read = |pixels: &Pixels| bench.runtime.block_on(reader.read(pixels, &bench.stop));
        let began = bench.clock.now();
        let reading = match read(&pixels) {
            Err(OcrError::Missing { .. }) => return Ok(Vec::new()),
            reading => reading.context("reading the screen")?,
        };
        cold.push(bench.millis_since(began));
        (lines, words) = (reading.lines.len(), reading.lines.iter().map(|line| line.words.len()).sum());
        known.push(bench.time(|| read(&pixels).map(drop))?);
        let Some(line) = reading.lines.get(n % reading.lines.len().max(1)) else { continue };
        let other = changed_in(&pixels, line.area).context("a screen with one line changed")?;
        changed.push(bench.time(|| read(&other).map(drop))?);
    }
    let mut figures = vec![
        Figure::new("where text is", find),
        Figure::new("its text, all of it", cold),
        Figure::new("the same again", known),
    ];
    if !changed.is_empty() {
        figures.push(Figure::new("the same, one line changed", changed));
        figures.push(Figure::new("lines with text", [lines as f64]).unit(""));
        figures.push(Figure::new("words", [words as f64]).unit(""));
    }
    Ok(figures)
}

/// The same screen with every second row of an area in another colour: a line that nobody has read.
fn changed_in(pixels: &Pixels, area: FrameRect) -> Option<Pixels> {
    let (view, size) = (pixels.view(), pixels.size());
    let mut bytes = view.data().to_vec();
    for y in (area.origin.y..area.bottom() as i32).step_by(2) {
        let at = y as usize * view.stride() + area.origin.x as usize * 4;
        bytes.get_mut(at..at + area.size.width as usize * 4)?.iter_mut().for_each(|value| *value ^= 8);
    }
    Pixels::new(Arc::new(bytes), size, view.stride())
}
