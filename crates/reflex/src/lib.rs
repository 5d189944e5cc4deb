//! The offline model: it reads the picture it is sent and answers in the dialect it was asked in.
//!
//! It gets what any vision-language model gets, the system prompt with the task, one picture and the tools, and nothing
//! else: no world, no desktop, no file, no earlier turn. The same request gives the same bytes. What it wants to remember
//! it writes into the `reason` of its call and reads off the next picture. It refuses to guess on a picture it cannot
//! read.
//!
//! | | |
//! |---|---|
//! | [`eye`] | a picture as lines of text, panes, marks and the note of the HUD |
//! | [`mind`] | a task and a scene to the one next call |
//! | `answer` | that call in the dialect asked |

mod answer;
pub mod eye;
pub mod mind;

use handsight_base::flow::format::{PictureFormat, PictureLimits};
use handsight_base::flow::prompt::Picture;
use handsight_base::port::BoxFuture;
use handsight_base::port::model::{Exchange, Model, ModelError, ModelReply, ModelRequest, Part};
use handsight_base::stop::Stop;

/// The name of the only one there is.
pub const NAME: &str = "reflex/offline";

/// The model. It holds nothing: every instance answers alike.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reflex;

/// Where the system prompt of a profile puts the task.
const TASK: &str = "# Your task";

/// The task of a system prompt: what stands under its heading, up to the next.
pub fn task(system: &str) -> Option<&str> {
    let begin = system.find(TASK)? + TASK.len();
    let rest = &system[begin..];
    let end = rest.find("\n# ").unwrap_or(rest.len());
    Some(rest[..end].trim()).filter(|task| !task.is_empty())
}

fn picture(request: &ModelRequest) -> Option<&Picture> {
    let parts = request.messages.iter().rev().flat_map(|message| message.parts.iter().rev());
    parts.into_iter().find_map(|part| match part {
        Part::Picture(picture) => Some(picture),
        Part::Result { picture, .. } => picture.as_ref(),
        Part::Text(_) | Part::Call(_) => None,
    })
}

impl Reflex {
    pub const fn new() -> Self {
        Self
    }

    /// Answers a request; takes a few milliseconds and waits for nothing.
    pub fn answer(request: &ModelRequest) -> Result<ModelReply, ModelError> {
        let malformed =
            |why: String| ModelError::Malformed { provider: NAME.to_owned(), why, start: String::new() };
        let task = task(&request.system)
            .ok_or_else(|| malformed(format!("the system prompt has no section {TASK:?}")))?;
        let picture = picture(request).ok_or_else(|| malformed("the request has no picture".to_owned()))?;
        let scene = eye::look(&picture.bytes).map_err(|e| malformed(e.to_string()))?;
        let decision = mind::decide(task, &scene);
        let mut reply = answer::reply(&decision, request)
            .ok_or_else(|| malformed(format!("no offered tool can do this: {:?}", decision.call)))?;
        reply.model = Some(NAME.to_owned());
        // The request is the engine's own; its record holds the picture and the prompt already.
        reply.exchange =
            Exchange { status: 200, response: answer::response(&reply).to_string(), ..Exchange::default() };
        Ok(reply)
    }
}

impl Model for Reflex {
    fn name(&self) -> &str {
        NAME
    }

    /// It reads pixels, so they must be those of the screen.
    fn picture_limits(&self) -> PictureLimits {
        let formats = PictureFormat::ALL.into_iter().filter(|format| format.is_lossless()).collect();
        PictureLimits { formats: Some(formats), ..PictureLimits::default() }
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            if stop.is_set() {
                return Err(ModelError::Stopped);
            }
            Self::answer(request)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_task_is_what_stands_under_its_heading() {
        assert_eq!(task("Hello.\n\n# Your task\n\nOpen \"A\".\n\n# Coordinates\n\nx"), Some("Open \"A\"."));
        assert_eq!(task("# Your task\nb"), Some("b"));
        assert_eq!((task("no task"), task("# Your task\n\n# Tools")), (None, None));
    }
}
