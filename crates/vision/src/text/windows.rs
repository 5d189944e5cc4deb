//! Windows' own OCR (`Windows.Media.Ocr`), in the languages that a person installed there.
//!
//! It says of no word how sure it is, so each counts as certain. Where the system has no such class (Wine, Server Core) or none
//! of its languages fits, it is missing and that is said. The calls block, so they are made off the thread that drives the turn.

use super::tsv::Found;
use super::{About, Engine, OcrError, Settings, missing};
use handsight_base::space::Size;
use handsight_pixel::legible::Gray8;
use windows::Globalization::Language;
use windows::Graphics::Imaging::{BitmapPixelFormat, SoftwareBitmap};
use windows::Media::Ocr::{OcrEngine, OcrWord};
use windows::Storage::Streams::DataWriter;
use windows::core::Error;

const NAME: &str = Engine::Windows.name();

fn failed(why: &Error) -> OcrError {
    OcrError::Failed { engine: NAME, why: why.to_string() }
}

async fn apart<T: Send + 'static>(
    call: impl FnOnce() -> Result<T, OcrError> + Send + 'static,
) -> Result<T, OcrError> {
    let done = tokio::task::spawn_blocking(call).await;
    done.unwrap_or_else(|why| Err(OcrError::Failed { engine: NAME, why: why.to_string() }))
}

/// The languages it knows.
pub(super) async fn about(_: &Settings) -> Result<About, OcrError> {
    apart(|| {
        // The first call tells whether the class is there at all.
        let known = OcrEngine::AvailableRecognizerLanguages().map_err(|_| missing(Engine::Windows))?;
        let languages: Vec<String> =
            known.into_iter().filter_map(|l| Some(l.LanguageTag().ok()?.to_string())).collect();
        if languages.is_empty() {
            return Err(missing(Engine::Windows));
        }
        Ok(About { version: "Windows.Media.Ocr".into(), languages })
    })
    .await
}

/// The words of each page.
pub(super) async fn read(settings: &Settings, pages: &[&Gray8]) -> Result<Vec<Vec<Found>>, OcrError> {
    let wanted = settings.language.clone();
    let pages: Vec<Gray8> = pages.iter().map(|page| (*page).clone()).collect();
    apart(move || {
        let engine = engine(&wanted)?;
        pages.iter().map(|page| words(&engine, page).map_err(|why| failed(&why))).collect()
    })
    .await
}

/// The engine for a language: by its tag, or by the name that tesseract has for it.
fn engine(wanted: &str) -> Result<OcrEngine, OcrError> {
    let known = OcrEngine::AvailableRecognizerLanguages().map_err(|_| missing(Engine::Windows))?;
    let fits = |language: &Language| {
        let tag = language.LanguageTag().map(|tag| tag.to_string()).unwrap_or_default();
        let three = language.AbbreviatedName().map(|name| name.to_string()).unwrap_or_default();
        tag.eq_ignore_ascii_case(wanted) || begins(&three, wanted) || begins(&tag, wanted)
    };
    let tags = |language: &Language| language.LanguageTag().ok().map(|tag| tag.to_string());
    let there: Vec<Language> = known.into_iter().collect();
    let unknown = || OcrError::Language {
        engine: NAME,
        language: wanted.to_owned(),
        remedy: format!(
            "there are: {}; add it in Settings, Time & language",
            there.iter().filter_map(tags).collect::<Vec<_>>().join(", ")
        ),
    };
    let language = there.iter().find(|language| fits(language)).ok_or_else(unknown)?;
    OcrEngine::TryCreateFromLanguage(language).map_err(|_| unknown())
}

/// `eng` is what `en-US` begins with, as far as both go.
fn begins(name: &str, wanted: &str) -> bool {
    let (name, wanted) = (name.to_ascii_lowercase(), wanted.to_ascii_lowercase());
    name.len() >= 2
        && (wanted.starts_with(name.split('-').next().unwrap_or_default()) || name.starts_with(&wanted))
}

fn words(engine: &OcrEngine, page: &Gray8) -> Result<Vec<Found>, Error> {
    let Size { width, height } = page.size();
    let writer = DataWriter::new()?;
    writer.WriteBytes(page.data())?;
    let bytes = writer.DetachBuffer()?;
    let bitmap =
        SoftwareBitmap::CreateCopyFromBuffer(&bytes, BitmapPixelFormat::Gray8, width as i32, height as i32)?;
    let read = engine.RecognizeAsync(&bitmap)?.join()?;
    let mut words = Vec::new();
    for line in read.Lines()? {
        for word in line.Words()? {
            words.push(placed(&word, page.size())?);
        }
    }
    Ok(words)
}

fn placed(word: &OcrWord, page: Size) -> Result<Found, Error> {
    let area = word.BoundingRect()?;
    let axis = |from: f32, length: f32, most: u32| {
        let (begin, end) = (from.floor().max(0.0) as u32, (from + length).ceil().max(0.0) as u32);
        (begin.min(most), end.min(most).saturating_sub(begin.min(most)))
    };
    let (left, width) = axis(area.X, area.Width, page.width);
    let (top, height) = axis(area.Y, area.Height, page.height);
    Ok(Found { left, top, width, height, confidence: 1.0, text: word.Text()?.to_string() })
}
