//! A dialect that is a grammar of its own: what the model was trained to write, read by one function.
//!
//! Its files hold facts of a vendor's public sources and nothing that others need: what all of them do the same way is here. A
//! family of versions is several tables over one reader.

use super::point::Points;
use super::reject::Fits;
use super::resize::Resize;
use super::schema::SchemaError;
use super::steps::Steps;
use super::{DialectEntry, conversation};
use handsight_base::flow::prompt::{Prompt, ToolSpec};
use handsight_base::port::dialect::{Decoded, Dialect, DialectInfo, PointSpace, Rejection};
use handsight_base::port::model::{ModelReply, ModelRequest, Part, Role};
use handsight_base::space::{PictureGeometry, Size};

pub(super) struct Grammar {
    pub(super) info: DialectInfo,
    pub(super) points: Points,
    /// What pictures are made in, so that the model's processor leaves them alone.
    pub(super) pictures: Option<Resize>,
    /// What stands around a turn of the user after the first, where the model was trained to see results so.
    pub(super) around: Option<(&'static str, &'static str)>,
    /// How a reply is written right, after what was wrong with it.
    pub(super) how: &'static str,
    pub(super) words: fn(&Grammar) -> String,
    pub(super) read: Read,
}

/// Reads a reply into steps and gives the model's reason. A complaint leaves nothing of the steps.
type Read = fn(&Grammar, &ModelReply, &mut Steps<'_>) -> Fits<String>;

/// How Qwen's chat template shows the result of a call.
pub(super) const TOOL_RESPONSE: Option<(&str, &str)> = Some(("<tool_response>", "</tool_response>"));

/// In [`DialectInfo::cannot`] of every grammar: the tools it knows are those it was trained on.
pub(super) const NO_TOOLS: &str = "call the profile's own tools";
/// In [`DialectInfo::results`] of every grammar.
pub(super) const IN_TEXT: &str = "words of the next turn, where something is to be said";

impl Grammar {
    pub(super) const fn entry(&'static self, build: super::Build) -> DialectEntry {
        DialectEntry { info: self.info, points: Some(self.points), build }
    }

    pub(super) fn boxed(&'static self, _: &[ToolSpec]) -> Result<Box<dyn Dialect>, SchemaError> {
        Ok(Box::new(Spoken(self)))
    }
}

/// Whether what stands between the first and the last quote of a call can be a text in which nothing escapes that quote: `it's`. A
/// quote before a comma, a bracket or a line break ends a text, and `, x='` begins another argument.
pub(super) fn is_text(inside: &str, quote: char) -> bool {
    let within = inside.match_indices(quote).all(|(at, _)| {
        let next = inside.get(at + quote.len_utf8()..).and_then(|rest| rest.chars().next());
        next.is_none_or(|c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '!' | '?' | ';' | ':'))
    });
    let another = inside.match_indices(',').any(|(at, _)| {
        let after = inside.get(at + 1..).unwrap_or_default().trim_start();
        let name = after.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default();
        let value = after.get(name.len()..).unwrap_or_default().trim_start().strip_prefix('=');
        !name.is_empty() && value.is_some_and(|v| v.trim_start().starts_with(['\'', '"']))
    });
    within && !another
}

struct Spoken(&'static Grammar);

impl Dialect for Spoken {
    fn info(&self) -> DialectInfo {
        self.0.info
    }

    fn words(&self) -> Option<String> {
        Some((self.0.words)(self.0))
    }

    fn picture_size(&self, screen: Size, within: Size) -> Option<Size> {
        self.0.pictures?.picture(screen, within)
    }

    fn encode(&self, prompt: &Prompt) -> ModelRequest {
        let mut messages = conversation::messages(prompt, conversation::Manner::PLAIN);
        if let Some((open, close)) = self.0.around {
            let later = messages.iter_mut().skip(1).filter(|m| m.role == Role::User);
            for message in later.filter(|m| !m.parts.iter().any(|p| matches!(p, Part::Result { .. }))) {
                message.parts.insert(0, Part::Text(open.to_owned()));
                message.parts.push(Part::Text(close.to_owned()));
            }
        }
        let mut request = ModelRequest { tools: Vec::new(), ..conversation::request(prompt, messages) };
        // A model that counts pixels is told how many there are.
        if let (PointSpace::Picture, Some(picture)) = (self.0.points.space, prompt.pictures.first()) {
            let size = self.0.points.resize.and_then(|r| r.of(picture.geometry.size));
            let told = format!("The screen's resolution is {}.", size.unwrap_or(picture.geometry.size));
            request.system = [request.system.as_str(), &told].join("\n\n").trim_start().to_owned();
        }
        request
    }

    fn decode(&self, reply: &ModelReply, picture: &PictureGeometry) -> Result<Decoded, Rejection> {
        let mut steps = Steps::new(self.0.points, picture);
        let read = (self.0.read)(self.0, reply, &mut steps);
        let decoded = read.and_then(|reason| {
            // What is said beside the word that ends a task is what there is to say about it.
            steps.done_saying(&reason);
            steps.end(reason)
        });
        decoded.map_err(|misfit| misfit.told(self.0.how))
    }
}

#[cfg(test)]
mod tests;
