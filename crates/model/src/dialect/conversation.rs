//! The conversation as messages, for every dialect that answers in calls or in text.
//!
//! What was said is written the same way every time: a turn that has been gives the bytes it gave when it was the newest, so that
//! a provider finds it in its cache. The shape is `user [told, picture]`, `assistant [words, calls]`,
//! `user [results, told, picture]` and so on to what is asked now. It refuses to mend anything: calls without results, ids that a
//! service does not take and turns that say nothing are the business of [`crate::wire::repair`].

use handsight_base::flow::past::{CallResult, Past, Standing};
use handsight_base::flow::prompt::{Picture, Prompt, Slot};
use handsight_base::port::model::{Message, ModelRequest, Part, Role};

/// How results go back.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    /// The words of a result.
    pub(super) words: fn(&CallResult) -> String,
    /// Where the screen after a turn stands. False: after all results, beside what is told. True: in the result of the turn's last
    /// call that did not fail and shows nothing of its own, as tools that are a provider's own computer have it; beside if there is
    /// none, since a failed result takes words only.
    pub(super) picture_in_result: bool,
}

impl Manner {
    pub(super) const PLAIN: Self = Self { words: said, picture_in_result: false };
}

/// What is asked: the system prompt, the conversation, the tools of the run.
pub(super) fn request(prompt: &Prompt, messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: prompt.text_of(Slot::System),
        messages,
        tools: prompt.tools.clone(),
        native: Vec::new(),
        sampling: prompt.sampling.clone(),
        form: None,
    }
}

/// The whole conversation up to the prompt itself. One message if there was none before. A turn without calls, whose plan was its
/// text, is answered in text.
pub(super) fn messages(prompt: &Prompt, manner: Manner) -> Vec<Message> {
    let mut messages = Vec::with_capacity(prompt.history.len() * 2 + 1);
    let mut before = None;
    for past in &prompt.history {
        messages.push(user(before, &past.told, past.seen.as_slice(), manner));
        messages.push(assistant(past));
        before = Some(past);
    }
    messages.push(user(before, &prompt.text_of(Slot::User), &prompt.pictures, manner));
    messages
}

/// What came of a call, in the words of its result.
pub(super) fn said(result: &CallResult) -> String {
    let otherwise = match result.standing {
        Standing::Done if result.shown.is_some() => "",
        Standing::Done => "done",
        Standing::Failed => "it failed",
        Standing::NotExecuted => "not executed, because something before it failed",
        Standing::Unknown => {
            "the run was interrupted here: it may or may not have happened; look before you repeat it"
        }
    };
    if result.text.trim().is_empty() { otherwise.to_owned() } else { result.text.clone() }
}

const SCREEN_LEFT_OUT: &str = "(The picture of the screen here was left out.)";

/// A turn of the user: the results of the turn before, then what was told, then what was seen.
fn user(before: Option<&Past>, told: &str, seen: &[Picture], manner: Manner) -> Message {
    let mut parts = before.map(|past| results(past, manner)).unwrap_or_default();
    let mut seen = seen;
    if let [picture, rest @ ..] = seen
        && manner.picture_in_result
        && let Some(free) = parts.iter_mut().rev().find_map(room_for_a_picture)
    {
        *free = Some(picture.clone());
        seen = rest;
    }
    if !told.is_empty() {
        parts.push(Part::Text(told.to_owned()));
    }
    parts.extend(seen.iter().cloned().map(Part::Picture));
    if !parts.iter().any(shows) {
        leave_out(&mut parts);
    }
    Message { role: Role::User, parts, raw: None }
}

fn room_for_a_picture(part: &mut Part) -> Option<&mut Option<Picture>> {
    match part {
        Part::Result { picture: picture @ None, is_error: false, .. } => Some(picture),
        Part::Result { .. } | Part::Text(_) | Part::Picture(_) | Part::Call(_) => None,
    }
}

const fn shows(part: &Part) -> bool {
    matches!(part, Part::Picture(_) | Part::Result { picture: Some(_), .. })
}

/// Says that a picture is gone, in a part that is there already where there is one: blocks are what a cache's reach is counted in.
fn leave_out(parts: &mut Vec<Part>) {
    match parts.last_mut() {
        Some(Part::Text(text) | Part::Result { text, .. }) => {
            text.push_str(if text.is_empty() { "" } else { " " });
            text.push_str(SCREEN_LEFT_OUT);
        }
        Some(Part::Picture(_) | Part::Call(_)) | None => parts.push(Part::Text(SCREEN_LEFT_OUT.into())),
    }
}

/// The results of a turn, one for each call. A turn without calls, whose plan was its text, is told in text.
fn results(past: &Past, manner: Manner) -> Vec<Part> {
    if past.calls.is_empty() {
        let shown = past.results.iter().filter_map(|r| r.shown.clone());
        let told =
            past.results.iter().filter(|r| r.standing.is_error() || !r.text.is_empty()).map(manner.words);
        return told.map(Part::Text).chain(shown.map(Part::Picture)).collect();
    }
    let result = |(call, result): (&handsight_base::port::model::ToolCall, &CallResult)| Part::Result {
        call_id: call.id.clone(),
        text: (manner.words)(result),
        picture: result.shown.clone(),
        is_error: result.standing.is_error(),
        acknowledged: result.acknowledged.clone(),
    };
    past.calls.iter().zip(&past.results).map(result).collect()
}

fn assistant(past: &Past) -> Message {
    let words = (!past.text.is_empty()).then(|| Part::Text(past.text.clone()));
    let parts = words.into_iter().chain(past.calls.iter().cloned().map(Part::Call)).collect();
    Message { role: Role::Assistant, parts, raw: past.raw.clone() }
}

#[cfg(test)]
mod tests;
