//! What is written on the screen (OCR): lines of text and their words, by an engine that is installed beside handsight.
//!
//! ```text
//! segment --lines--> cache? --no--> legible, 3 times larger --one page a line--> engine --words--> back to the frame
//! ```
//!
//! Only lines whose pixels were not read before go to the engine, many in one process; it reads black on white whatever the
//! screen's colours are. An engine that is missing, crashes, hangs or answers with something else is an [`OcrError`] with its
//! remedy; what was read before it stays. This module refuses to trust what it reads: the words are the screen's, not the
//! person's.

mod cache;
mod reader;
mod tesseract;
mod tsv;
#[cfg(windows)]
mod windows;
mod words;

use handsight_base::flow::frame::Frame;
use handsight_base::flow::percept::Finding;
use handsight_base::port::BoxFuture;
use handsight_base::port::perceiver::{Blind, Perceiver};
use handsight_base::space::FrameRect;
use handsight_base::stop::Stop;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

pub use reader::Reader;
pub use tesseract::About;

/// Its word in profiles and in the journal.
pub const NAME: &str = "ocr";

/// What reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The `tesseract` program.
    Tesseract,
    /// Windows' own OCR, in the languages that are installed there.
    Windows,
}

impl Engine {
    /// Every engine, in the order in which they are preferred where both are there.
    pub const ALL: [Self; 2] = [Self::Tesseract, Self::Windows];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Tesseract => "tesseract",
            Self::Windows => "windows",
        }
    }
}

/// How text is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// `None` takes the first that is there.
    pub engine: Option<Engine>,
    /// As the engine calls it: `eng`, `eng+deu` for tesseract; a tag such as `en-US`, or `eng`, for Windows.
    pub language: String,
    /// How many times larger a line is read than it is, 1 to 8.
    pub scale: u32,
    /// Parts of the frame; empty is all of it.
    pub regions: Vec<FrameRect>,
    /// At most so many processes of the engine at once, each with one thread.
    pub processes: usize,
    /// For one reading of a frame. What was read by then is the answer.
    pub limit: Duration,
    /// Words of which the engine is less sure are left out, 0 to 1.
    pub least_confidence: f32,
    /// The `tesseract` program: a name that is looked for, or a path.
    pub program: PathBuf,
    /// Variables of the environment that the program does not get.
    pub withheld: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            engine: None,
            language: "eng".into(),
            scale: 3,
            regions: Vec::new(),
            processes: 2,
            limit: Duration::from_secs(20),
            least_confidence: 0.0,
            program: "tesseract".into(),
            withheld: Vec::new(),
        }
    }
}

/// A word and where its letters are.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    pub text: String,
    pub area: FrameRect,
    /// 0 to 1, by the engine.
    pub confidence: f32,
}

/// A line of text; it has at least one word.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub area: FrameRect,
    /// From the left.
    pub words: Vec<Word>,
}

impl Line {
    /// Its words with a space between each two.
    pub fn text(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        words.join(" ")
    }

    /// That of the least sure word.
    pub fn confidence(&self) -> f32 {
        self.words.iter().map(|word| word.confidence).fold(1.0, f32::min)
    }
}

/// What was read off a frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// In reading order.
    pub lines: Vec<Line>,
    /// Lines of the screen that the engine was asked for, and those known from before.
    pub asked: usize,
    pub cached: usize,
    /// Lines that there was no time for.
    pub unread: usize,
}

/// Why nothing was read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OcrError {
    #[error("{engine} is not installed: {remedy}")]
    Missing { engine: &'static str, remedy: String },
    #[error("{engine} does not know the language {language:?}: {remedy}")]
    Language { engine: &'static str, language: String, remedy: String },
    #[error("{engine} failed: {why}")]
    Failed { engine: &'static str, why: String },
    #[error("{engine} answered with something else than words: {why}")]
    Malformed { engine: &'static str, why: String },
    #[error("{engine} read nothing within {seconds} s")]
    Deadline { engine: &'static str, seconds: f64 },
    #[error("stopped")]
    Stopped,
}

impl OcrError {
    /// Whether asking again in a moment may end otherwise.
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::Missing { .. } | Self::Language { .. } => false,
            Self::Failed { .. } | Self::Malformed { .. } | Self::Deadline { .. } | Self::Stopped => true,
        }
    }
}

/// A part of a picture as people write it: `X,Y,WxH` in its pixels. `None` if it is not, or is empty.
pub fn region(text: &str) -> Option<FrameRect> {
    let (x, rest) = text.split_once(',')?;
    let (y, size) = rest.split_once(',')?;
    let (width, height) = size.split_once('x')?;
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<u32>().ok())?;
    let at = |text: &str| i32::try_from(digits(text.trim())?).ok();
    let area = FrameRect::new(at(x)?, at(y)?, digits(width.trim())?, digits(height.trim())?);
    (!area.is_empty()).then_some(area)
}

/// What is missing, and the line that installs it.
fn missing(engine: Engine) -> OcrError {
    let remedy = match engine {
        Engine::Tesseract if cfg!(windows) => {
            "install Tesseract (UB Mannheim's installer) and add its folder to PATH"
        }
        Engine::Tesseract => "apt-get install tesseract-ocr tesseract-ocr-eng",
        Engine::Windows if cfg!(windows) => {
            "add the language in Settings, Time & language, with its optional feature for text recognition"
        }
        Engine::Windows => "it is part of Windows; take tesseract here",
    };
    OcrError::Missing { engine: engine.name(), remedy: remedy.into() }
}

/// Failures in a row after which a run asks no more: each of them may have cost the whole time limit.
const PATIENCE: u32 = 3;

/// The perceiver: a finding for each line, of kind `line`.
#[derive(Debug)]
pub struct Ocr {
    reader: Reader,
    trouble: Mutex<Trouble>,
}

#[derive(Debug, Default)]
struct Trouble {
    failures: u32,
    /// Why nothing is asked any more.
    given_up: Option<String>,
}

impl Ocr {
    pub fn new(settings: Settings) -> Self {
        Self { reader: Reader::new(settings), trouble: Mutex::default() }
    }

    fn trouble(&self) -> std::sync::MutexGuard<'_, Trouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is said of an error, and whether it is the last.
    fn blind(&self, error: &OcrError) -> Blind {
        let mut trouble = self.trouble();
        trouble.failures += u32::from(*error != OcrError::Stopped);
        let why = error.to_string();
        if !error.may_pass() {
            trouble.given_up = Some(why.clone());
        } else if trouble.failures >= PATIENCE {
            trouble.given_up = Some(format!("{why}; not asked again after {PATIENCE} failures"));
        }
        blind(trouble.given_up.clone().unwrap_or(why))
    }
}

fn blind(why: String) -> Blind {
    Blind { perceiver: NAME.into(), why }
}

impl Perceiver for Ocr {
    fn name(&self) -> &'static str {
        NAME
    }

    fn perceive<'a>(
        &'a self,
        frame: &'a Frame,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<Vec<Finding>, Blind>> {
        Box::pin(async move {
            let given_up = self.trouble().given_up.clone();
            if let Some(why) = given_up {
                return Err(blind(why));
            }
            let reading = match self.reader.read(&frame.pixels, stop).await {
                Ok(reading) => reading,
                Err(error) => return Err(self.blind(&error)),
            };
            self.trouble().failures = 0;
            let finding = |line: Line| Finding {
                by: NAME.into(),
                kind: "line".into(),
                label: line.text(),
                confidence: line.confidence(),
                area: line.area,
            };
            Ok(reading.lines.into_iter().map(finding).collect())
        })
    }
}

#[cfg(test)]
mod tests;
