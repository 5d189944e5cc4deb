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

/// Where a profile puts the task beside the picture.
const OBJECTIVE: &str = "Objective: ";

/// The words beside the picture.
fn beside(request: &ModelRequest) -> String {
    let parts = request.messages.last().into_iter().flat_map(|message| &message.parts);
    let words = parts.filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None });
    words.collect::<Vec<_>>().join("\n")
}

fn objective(beside: &str) -> Option<&str> {
    let rest = beside.strip_prefix(OBJECTIVE)?;
    rest.split("\n\nTurn ").next().map(str::trim).filter(|task| !task.is_empty())
}

/// What was written with the newest step of the list: `turn 3: mouse {...} - NOTE: done`.
fn last_note(beside: &str) -> Option<&str> {
    let line = beside.lines().rfind(|line| line.starts_with("turn ") && line.contains("} - "))?;
    let (_, rest) = line.rsplit_once("} - ")?;
    let became = [": done", ": not done", ": not executed", ": it may"];
    let end = became.iter().filter_map(|words| rest.rfind(words)).max()?;
    rest.get(..end)
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
        let beside = beside(request);
        let task = task(&request.system)
            .or_else(|| objective(&beside))
            .ok_or_else(|| malformed(format!("there is no section {TASK:?} and no {OBJECTIVE:?}")))?;
        let picture = picture(request).ok_or_else(|| malformed("the request has no picture".to_owned()))?;
        let mut scene = eye::look(&picture.bytes).map_err(|e| malformed(e.to_string()))?;
        // Where nothing lasts on the picture, what was written with the last step is listed beside it.
        scene.hud = scene.hud.or_else(|| last_note(&beside).map(str::to_owned));
        let decision = mind::decide(task, &scene);
        let mut reply = answer::reply(&decision, request, picture.geometry.size)
            .ok_or_else(|| malformed(format!("no offered tool can do this: {:?}", decision.call)))?;
        reply.model = Some(NAME.to_owned());
        reply.exchange = Exchange {
            request: Exchange::OWN_PIXELS.to_owned(),
            status: 200,
            response: answer::response(&reply).to_string(),
            ..Exchange::default()
        };
        Ok(reply)
    }
}

impl Model for Reflex {
    fn name(&self) -> &str {
        NAME
    }

    /// It reads pixels, so they must be those of the screen, and no line across them.
    fn picture_limits(&self) -> PictureLimits {
        let formats = PictureFormat::ALL.into_iter().filter(|format| format.is_lossless()).collect();
        PictureLimits { formats: Some(formats), own_pixels: true, ..PictureLimits::default() }
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
        let beside = "Objective: Open \"A\".\n\nTurn 3 of 12.\n\nSteps so far, the newest last:\n\
            turn 1: mouse {\"x\":1} - 0/2 menu: done\nturn 2: write {\"text\":\"a} - b\"} - 1/2 typed [x: y]; on: not done: gone";
        assert_eq!(
            (objective(beside), last_note(beside)),
            (Some("Open \"A\"."), Some("1/2 typed [x: y]; on"))
        );
        assert_eq!((objective("no"), last_note("Objective: x")), (None, None));
        assert_eq!((task("no task"), task("# Your task\n\n# Tools")), (None, None));
    }
}
