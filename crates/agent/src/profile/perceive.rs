//! What is read off a frame before the model sees it, and what of it the model is told.
//!
//! Nothing is unless a profile names it in `perceive.perceivers`; the table of a perceiver says how it works.

use super::{Marks, ProfileError};
use handsight_vision::PERCEIVERS;
use handsight_vision::text::{Engine, Settings, region};
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Perceive {
    /// Names of [`PERCEIVERS`], in the order they look.
    pub perceivers: Vec<String>,
    pub ocr: Ocr,
    pub marks: Marks,
}

/// What reads text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reads {
    /// The first that is there: tesseract, then Windows' own.
    Auto,
    Tesseract,
    Windows,
    /// Nothing, even if the perceiver is named.
    Off,
}

/// Text of the screen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ocr {
    pub engine: Reads,
    /// As the engine calls it: `eng`, `eng+deu`, `en-US`.
    pub language: String,
    /// How many times larger a line is read than it is.
    pub scale: u32,
    /// Parts of the frame, each X,Y,WxH in its pixels; none is all of it.
    pub regions: Vec<String>,
    /// Processes of the engine at once, each with one thread.
    pub processes: u32,
    /// Seconds for one frame; what was read by then counts.
    pub limit_s: f64,
    /// Words of which the engine is less sure are left out, 0 to 1.
    pub min_confidence: f64,
    /// Tokens of it that the model is told; 0 tells nothing.
    pub told_tokens: u32,
}

impl Default for Ocr {
    fn default() -> Self {
        Self {
            engine: Reads::Auto,
            language: "eng".into(),
            scale: 3,
            regions: Vec::new(),
            processes: 2,
            limit_s: 20.0,
            min_confidence: 0.0,
            told_tokens: 1500,
        }
    }
}

impl Ocr {
    /// How text is read; `None` if it is not.
    pub fn settings(&self) -> Option<Settings> {
        let engine = match self.engine {
            Reads::Off => return None,
            Reads::Auto => None,
            Reads::Tesseract => Some(Engine::Tesseract),
            Reads::Windows => Some(Engine::Windows),
        };
        Some(Settings {
            engine,
            language: self.language.clone(),
            scale: self.scale,
            regions: self.regions.iter().filter_map(|text| region(text)).collect(),
            processes: self.processes as usize,
            limit: Duration::try_from_secs_f64(self.limit_s).unwrap_or_default(),
            least_confidence: self.min_confidence as f32,
            ..Settings::default()
        })
    }
}

impl Perceive {
    /// Whether the profile names a perceiver.
    pub fn names(&self, name: &str) -> bool {
        self.perceivers.iter().any(|perceiver| perceiver == name)
    }

    pub(super) fn check(&self) -> Result<(), ProfileError> {
        if let Some(name) = self.perceivers.iter().find(|name| !PERCEIVERS.iter().any(|p| p.name == **name)) {
            let there: Vec<&str> = PERCEIVERS.iter().map(|p| p.name).collect();
            let given = format!("{name:?}, and there are: {}", there.join(", "));
            return Err(ProfileError::value("perceive.perceivers", given, "names of perceivers"));
        }
        let ocr = &self.ocr;
        if !(1..=8).contains(&ocr.scale) {
            return Err(ProfileError::value("perceive.ocr.scale", ocr.scale, "1 to 8"));
        }
        if !(1..=64).contains(&ocr.processes) {
            return Err(ProfileError::value("perceive.ocr.processes", ocr.processes, "1 to 64"));
        }
        if !(0.0..=1.0).contains(&ocr.min_confidence) {
            return Err(ProfileError::value("perceive.ocr.min_confidence", ocr.min_confidence, "0 to 1"));
        }
        // It becomes an argument of a program.
        let is_name = |c: char| c.is_ascii_alphanumeric() || "+_-/".contains(c);
        let language = &ocr.language;
        if language.is_empty() || language.starts_with('-') || !language.chars().all(is_name) {
            let wanted = "a language as the engine calls it: eng, eng+deu, en-US";
            return Err(ProfileError::value("perceive.ocr.language", format!("{language:?}"), wanted));
        }
        if let Some(text) = ocr.regions.iter().find(|text| region(text).is_none()) {
            let wanted = "X,Y,WxH in pixels of the frame, such as 0,40,800x600";
            return Err(ProfileError::value("perceive.ocr.regions", format!("{text:?}"), wanted));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(change: impl FnOnce(&mut Perceive)) -> Option<String> {
        let mut perceive = Perceive::default();
        change(&mut perceive);
        perceive.check().err().map(|error| error.to_string())
    }

    #[test]
    fn what_makes_no_sense_is_told_with_its_key() {
        assert_eq!(said(|_| ()), None);
        assert_eq!(said(|p| p.perceivers.push("ocr".into())), None);
        for (key, change) in [
            ("perceive.perceivers", (|p| p.perceivers.push("ocd".into())) as fn(&mut Perceive)),
            ("perceive.ocr.scale", |p| p.ocr.scale = 0),
            ("perceive.ocr.processes", |p| p.ocr.processes = 0),
            ("perceive.ocr.min_confidence", |p| p.ocr.min_confidence = f64::NAN),
            ("perceive.ocr.language", |p| p.ocr.language = "--psm".into()),
            ("perceive.ocr.language", |p| p.ocr.language = "eng; rm".into()),
            ("perceive.ocr.regions", |p| p.ocr.regions.push("1,2,3,4".into())),
        ] {
            let said = said(change).unwrap_or_default();
            assert!(said.contains(&format!("`{key}`")), "{key}: {said}");
        }
    }

    #[test]
    fn the_defaults_are_those_of_the_reader() {
        assert_eq!(Ocr::default().settings(), Some(Settings::default()));
        assert_eq!(Ocr { engine: Reads::Off, ..Ocr::default() }.settings(), None);
    }
}
