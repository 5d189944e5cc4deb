//! `handsight ocr`: what it takes.

use clap::{Args, ValueEnum};
use handsight_base::space::FrameRect;
use handsight_vision::text::{Engine, region};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct OcrArgs {
    /// A PNG, WebP or JPEG
    pub(crate) file: PathBuf,
    /// Only this part of it, in its pixels; may be given several times
    #[arg(long, value_name = "X,Y,WxH", value_parser = area)]
    pub(crate) region: Vec<FrameRect>,
    /// Say where each line is too, before what it says
    #[arg(long)]
    pub(crate) lines: bool,
    /// The language, as the engine calls it: eng, eng+deu, en-US
    #[arg(long, value_name = "L", default_value = "eng")]
    pub(crate) language: String,
    /// What reads
    #[arg(long, value_name = "E", default_value = "auto")]
    pub(crate) engine: OcrEngine,
    /// How many times larger a line is read than it is
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=8))]
    pub(crate) scale: u32,
    /// Print one JSON object: lines and their words, each with its place and how sure the engine is
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OcrEngine {
    /// The first that is there: tesseract, then Windows' own
    Auto,
    Tesseract,
    Windows,
}

impl OcrEngine {
    pub(crate) const fn wanted(self) -> Option<Engine> {
        match self {
            Self::Auto => None,
            Self::Tesseract => Some(Engine::Tesseract),
            Self::Windows => Some(Engine::Windows),
        }
    }
}

fn area(text: &str) -> Result<FrameRect, String> {
    region(text).ok_or_else(|| "give X,Y,WxH in pixels of the picture, such as 0,40,800x600".to_owned())
}
