//! Does a model service do what a run needs (S-77)? For `doctor`: findings as data, no opinion on how to print them.
//!
//! It asks for the list of models, then sends one small picture and one tool. If that is refused, each is sent alone, so that the
//! finding names which of the two the service lacks.

use crate::http::Deadlines;
use crate::remote::Remote;
use handsight_base::flow::prompt::{Picture, Sampling, ToolSpec};
use handsight_base::port::model::{Message, Model, ModelError, ModelReply, ModelRequest, Part, Role};
use handsight_base::space::{FrameId, FrameRect, PictureGeometry, Size};
use handsight_base::stop::Stop;
use serde_json::json;
use std::time::Duration;

/// A deadline below this is called short: a vision model on a modest machine needs longer for its first picture.
pub const SHORT_DEADLINE: Duration = Duration::from_secs(30);

/// 64x64 pixels, a red square on white.
const PICTURE: &[u8] = include_bytes!("probe.png");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// The service answers and lists models.
    Answers,
    /// The model is in its list.
    HasModel,
    /// `image_url` is taken.
    TakesPictures,
    /// `tools` are taken and called.
    CallsTools,
    /// The deadline is long enough.
    Deadline,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Good,
    /// It may work, but look at it.
    Doubtful,
    Bad,
    /// Could not be tried, since something before it failed.
    Untried,
}

/// One finding: what was looked at, what it is like and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub check: Check,
    pub state: State,
    pub words: String,
    /// Empty if nothing has to be done.
    pub remedy: String,
}

/// Looks at the service; one finding for each [`Check`], in their order. Sends at most four requests.
pub async fn probe(model: &Remote, deadlines: Deadlines, stop: &Stop) -> Result<Vec<Finding>, ModelError> {
    let mut found = Vec::new();
    let hint = model.provider().hint.clone();
    let mut find = |check, state, words: String, remedy: &str| {
        found.push(Finding { check, state, words, remedy: remedy.to_owned() });
    };
    let name = model.name().split_once('/').map_or("", |(_, name)| name).to_owned();
    let at = model.endpoint().to_string();
    let mut reachable = true;
    match model.list_models(stop).await {
        Ok(list) => {
            find(Check::Answers, State::Good, format!("{at} answers and lists {} models", list.len()), "");
            if list.contains(&name) {
                find(Check::HasModel, State::Good, format!("it has {name}"), "");
            } else {
                let there = list.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(", ");
                let words = format!("it does not list {name}; it lists: {there}");
                find(
                    Check::HasModel,
                    State::Doubtful,
                    words,
                    "load the model, or name one of those with --model",
                );
            }
        }
        Err(ModelError::Stopped) => return Err(ModelError::Stopped),
        Err(e) => {
            // A server without a list may still serve: only silence ends the probe.
            reachable = matches!(
                e,
                ModelError::Http { .. } | ModelError::Malformed { .. } | ModelError::TooLong { .. }
            );
            let state = if reachable { State::Doubtful } else { State::Bad };
            find(Check::Answers, state, e.to_string(), &hint);
            find(Check::HasModel, State::Untried, "no list of models".into(), "");
        }
    }
    let (pictures, tools) = if reachable { abilities(model, stop).await? } else { (None, None) };
    let untried = || (State::Untried, "the service does not answer".to_owned());
    let (state, words) = pictures.unwrap_or_else(untried);
    let remedy = if state == State::Bad { "choose a model with vision" } else { "" };
    find(Check::TakesPictures, state, words, remedy);
    let (state, words) = tools.unwrap_or_else(untried);
    let remedy = match state {
        State::Bad | State::Doubtful => "choose a model with function calling (tool use)",
        State::Good | State::Untried => "",
    };
    find(Check::CallsTools, state, words, remedy);
    let total = deadlines.total;
    if total < SHORT_DEADLINE {
        let words = format!("calls are given up after {total:?}, which is short for a vision model");
        find(
            Check::Deadline,
            State::Doubtful,
            words,
            "set decide.request_timeout_s (REQUEST_TIMEOUT_S) to 120",
        );
    } else {
        find(Check::Deadline, State::Good, format!("calls are given up after {total:?}"), "");
    }
    Ok(found)
}

type Ability = Option<(State, String)>;

/// Whether pictures are taken and tools called.
async fn abilities(model: &Remote, stop: &Stop) -> Result<(Ability, Ability), ModelError> {
    let good = |what: &str| Some((State::Good, what.to_owned()));
    let both = try_with(model, true, true, stop).await?;
    if let Ok(reply) = &both {
        return Ok((good("it takes pictures"), Some(called(reply))));
    }
    let pictures = match try_with(model, true, false, stop).await? {
        Ok(_) => good("it takes pictures"),
        Err(e) => Some((State::Bad, format!("it refuses a picture: {e}"))),
    };
    let tools = match try_with(model, false, true, stop).await? {
        Ok(reply) => Some(called(&reply)),
        Err(e) => Some((State::Bad, format!("it refuses tools: {e}"))),
    };
    // Each alone is taken: what fails is the two together.
    let alone = [&pictures, &tools].iter().all(|a| a.as_ref().is_some_and(|(s, _)| *s != State::Bad));
    match (alone, both) {
        (true, Err(e)) => {
            Ok((pictures, Some((State::Bad, format!("it refuses tools beside a picture: {e}")))))
        }
        _ => Ok((pictures, tools)),
    }
}

fn called(reply: &ModelReply) -> (State, String) {
    match reply.calls.first() {
        Some(call) if call.name == TOOL => (State::Good, "it calls tools".into()),
        Some(call) => (State::Doubtful, format!("it called {:?}, which was not offered", call.name)),
        None => (State::Doubtful, "it took the tool but answered in words instead of calling it".into()),
    }
}

const TOOL: &str = "report_colour";

/// The outer error ends the probe (a stop); the inner one is a finding.
async fn try_with(
    model: &Remote,
    picture: bool,
    tool: bool,
    stop: &Stop,
) -> Result<Result<ModelReply, ModelError>, ModelError> {
    let mut parts = vec![Part::Text(format!("Which colour is the square? Call {TOOL}."))];
    if picture {
        let size = Size::new(64, 64);
        let geometry = PictureGeometry { frame: FrameId(1), pane: FrameRect::new(0, 0, 64, 64), size };
        parts.push(Part::Picture(Picture { bytes: PICTURE.into(), media_type: "image/png", geometry }));
    }
    let request = ModelRequest {
        system: "You test a connection.".into(),
        messages: vec![Message { role: Role::User, parts, raw: None }],
        tools: if tool {
            vec![ToolSpec {
                name: TOOL.into(),
                description: "Reports the colour of the square.".into(),
                parameters: json!({"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}),
            }]
        } else {
            vec![]
        },
        native: Vec::new(),
        sampling: Sampling { max_tokens: Some(200), ..Sampling::default() },
        form: None,
    };
    match model.ask(&request, stop).await {
        Err(ModelError::Stopped) => Err(ModelError::Stopped),
        other => Ok(other),
    }
}
