//! Reads a frame: what is new of it goes to the engine, in few processes at once, within the time there is.

use super::cache::{self, Cache};
use super::tsv::Found;
use super::words::Page;
use super::{About, Engine, Line, OcrError, Reading, Settings, Word, missing, tesseract};
use crate::segment::{reading_order, segment};
use handsight_base::flow::frame::{FrameHash, Pixels};
use handsight_base::space::{FramePx, FrameRect, Rect};
use handsight_base::stop::Stop;
use handsight_pixel::legible::{Gray8, legible};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::JoinSet;

/// Lines that one process reads: starting it costs as much as reading ten.
const MOST_PAGES: usize = 96;

/// Reads text, and remembers what it read by its pixels. What it read is not written anywhere.
#[derive(Debug)]
pub struct Reader {
    settings: Arc<Settings>,
    cache: Arc<Mutex<Cache>>,
}

/// A line that is to be read.
struct New {
    area: FrameRect,
    key: FrameHash,
    page: Page,
}

type Read = Result<Vec<(FrameRect, FrameHash, Vec<Word>)>, OcrError>;

impl Reader {
    pub fn new(settings: Settings) -> Self {
        Self { settings: Arc::new(settings), cache: Arc::default() }
    }

    /// What would read, and what it is: its version and languages.
    pub async fn about(&self) -> Result<(Engine, About), OcrError> {
        let mut first = None;
        for engine in engines(&self.settings) {
            match about(engine, &self.settings).await {
                Ok(about) => return Ok((engine, about)),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| missing(Engine::Tesseract)))
    }

    /// The text of a frame, or of the regions of it that the settings name.
    ///
    /// Ends with what was read when the time is over, and with an error if that is nothing although there was something.
    pub async fn read(&self, pixels: &Pixels, stop: &Stop) -> Result<Reading, OcrError> {
        let (found, known) = self.look(pixels).await?;
        let mut reading = Reading { asked: found.len(), cached: known.len(), ..Reading::default() };
        let mut lines = known;
        let asked = found.len();
        let work = self.ask(found, &mut lines);
        let error = tokio::select! {
            biased;
            _ = stop.stopped() => return Err(OcrError::Stopped),
            done = tokio::time::timeout(self.settings.limit, work) => match done {
                Ok(done) => done.err(),
                Err(_) => Some(OcrError::Deadline {
                    engine: self.settings.engine.unwrap_or(Engine::Tesseract).name(),
                    seconds: self.settings.limit.as_secs_f64(),
                }),
            },
        };
        reading.unread = (asked + reading.cached).saturating_sub(lines.len());
        match error {
            Some(OcrError::Deadline { .. }) if reading.unread < asked => {}
            Some(error) => return Err(error),
            None => {}
        }
        let least = self.settings.least_confidence;
        let sure = |(area, words): (FrameRect, Vec<Word>)| {
            let words: Vec<Word> = words.into_iter().filter(|word| word.confidence >= least).collect();
            (!words.is_empty()).then(|| placed(area, words))
        };
        reading.lines = lines.into_iter().filter_map(sure).collect();
        reading_order(&mut reading.lines, |line| line.area);
        Ok(reading)
    }

    /// Lines to read, and those that are known. Finding and enlarging them takes too long for the thread that drives the turn.
    async fn look(&self, pixels: &Pixels) -> Result<(Vec<New>, Vec<(FrameRect, Vec<Word>)>), OcrError> {
        let (pixels, settings, cache) = (pixels.clone(), Arc::clone(&self.settings), Arc::clone(&self.cache));
        let looked = tokio::task::spawn_blocking(move || {
            let whole = Rect { origin: FramePx::new(0, 0), size: pixels.size() };
            let regions = if settings.regions.is_empty() { vec![whole] } else { settings.regions.clone() };
            let (mut new, mut known) = (Vec::new(), Vec::new());
            for area in regions.iter().filter_map(|region| region.intersect(&whole)) {
                for (line, view) in lines(&pixels, area) {
                    let key = cache::key(view);
                    match locked(&cache).get(&key) {
                        Some(words) => known.push((line, words)),
                        None => {
                            let page = Page::new(&legible(view, settings.scale), view.size(), settings.scale);
                            new.push(New { area: line, key, page });
                        }
                    }
                }
            }
            (new, known)
        });
        looked.await.map_err(|why| OcrError::Failed { engine: super::NAME, why: why.to_string() })
    }

    /// Has the engine read lines, each batch in a process of its own, so many at once as are allowed.
    async fn ask(&self, new: Vec<New>, lines: &mut Vec<(FrameRect, Vec<Word>)>) -> Result<(), OcrError> {
        let processes = self.settings.processes.max(1);
        let size = new.len().div_ceil(processes).clamp(1, MOST_PAGES);
        let mut waiting = new.into_iter().peekable();
        let mut running: JoinSet<Read> = JoinSet::new();
        loop {
            while running.len() < processes && waiting.peek().is_some() {
                let batch: Vec<New> = waiting.by_ref().take(size).collect();
                running.spawn(read(Arc::clone(&self.settings), batch));
            }
            let Some(done) = running.join_next().await else { return Ok(()) };
            let done =
                done.map_err(|why| OcrError::Failed { engine: super::NAME, why: why.to_string() })??;
            for (area, key, words) in done {
                locked(&self.cache).put(key, words.clone());
                lines.push((area, words));
            }
        }
    }
}

fn locked(cache: &Mutex<Cache>) -> MutexGuard<'_, Cache> {
    cache.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The lines in a part of the screen, each with its pixels.
fn lines(pixels: &Pixels, area: FrameRect) -> Vec<(FrameRect, handsight_base::flow::frame::PixelView<'_>)> {
    let FrameRect { origin, size } = area;
    let Some(view) = pixels.view().crop(origin.x as u32, origin.y as u32, size) else { return Vec::new() };
    let found = segment(view).lines.into_iter();
    found
        .filter_map(|line| {
            let crop = view.crop(line.origin.x as u32, line.origin.y as u32, line.size)?;
            Some((Rect { origin: line.origin.offset(origin.x, origin.y), size: line.size }, crop))
        })
        .collect()
}

/// A line with its words where they are on the screen.
fn placed(area: FrameRect, words: Vec<Word>) -> Line {
    let at = |word: Word| {
        let origin = word.area.origin.offset(area.origin.x, area.origin.y);
        Word { area: Rect { origin, size: word.area.size }, ..word }
    };
    Line { area, words: words.into_iter().map(at).collect() }
}

async fn read(settings: Arc<Settings>, batch: Vec<New>) -> Read {
    let pages: Vec<&Gray8> = batch.iter().map(|line| &line.page.gray).collect();
    let found = by_first(&settings, &pages).await?;
    let lines = batch.iter().zip(found);
    Ok(lines.map(|(line, found)| (line.area, line.key, line.page.words(found))).collect())
}

/// By the first engine that is there.
async fn by_first(settings: &Settings, pages: &[&Gray8]) -> Result<Vec<Vec<Found>>, OcrError> {
    let mut first = None;
    for engine in engines(settings) {
        let read = match engine {
            Engine::Tesseract => tesseract::read(settings, pages).await,
            Engine::Windows => by_windows(settings, pages).await,
        };
        match read {
            Err(error @ OcrError::Missing { .. }) => first = first.or(Some(error)),
            read => return read,
        }
    }
    Err(first.unwrap_or_else(|| missing(Engine::Tesseract)))
}

fn engines(settings: &Settings) -> Vec<Engine> {
    let there = |engine: &Engine| *engine != Engine::Windows || cfg!(windows);
    settings.engine.map_or_else(|| Engine::ALL.into_iter().filter(there).collect(), |engine| vec![engine])
}

async fn about(engine: Engine, settings: &Settings) -> Result<About, OcrError> {
    match engine {
        Engine::Tesseract => tesseract::about(settings).await,
        #[cfg(windows)]
        Engine::Windows => super::windows::about(settings).await,
        #[cfg(not(windows))]
        Engine::Windows => Err(missing(Engine::Windows)),
    }
}

#[cfg(windows)]
async fn by_windows(settings: &Settings, pages: &[&Gray8]) -> Result<Vec<Vec<Found>>, OcrError> {
    super::windows::read(settings, pages).await
}

#[cfg(not(windows))]
#[expect(clippy::unused_async, reason = "the same shape as where the engine is")]
async fn by_windows(_: &Settings, _: &[&Gray8]) -> Result<Vec<Vec<Found>>, OcrError> {
    Err(missing(Engine::Windows))
}
