//! A history that every service takes, made of any history (R36).
//!
//! After a crash, a pruning or a stop a call may stand without its result, a result without its call, two turns of one side in a
//! row. Services refuse such a request, and refuse it again for ever. Here each call gets exactly one result in the turn after
//! it, what belongs to nothing becomes plain text, turns alternate, begin and end with the user, and names, ids and arguments
//! have the form that services want. Of what the person or the screen said nothing is dropped but blank text and, oldest first,
//! pictures over the provider's count.
//!
//! A turn's own JSON stays only if it came from the provider and wire that it goes to, and if it still fits its results.

use super::{Wire, WireOptions};
use crate::provider::CallIds;
use handsight_base::port::model::{Message, ModelRequest, Part, Role, ToolCall};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::HashSet;

const BEGINNING: &str = "(The beginning of this conversation was left out.)";
const GO_ON: &str = "Go on.";
/// The result of a call that has none: whether it was run is not known.
const NO_RESULT: &str = "error: the run was interrupted before this call's result was noted; it may or may not have been run. \
                         Look at the screen before doing it again.";
const LEFT_OUT: &str = "(An earlier picture was left out.)";

/// The same request if nothing is wrong with it, else a repaired one.
pub fn repair<'a>(
    wire: &Wire,
    request: &'a ModelRequest,
    options: &WireOptions<'_>,
) -> Cow<'a, ModelRequest> {
    if let [only] = request.messages.as_slice()
        && is_plain(only)
        && options.picture_count.is_none()
    {
        return Cow::Borrowed(request);
    }
    let mut history = History { wire, options, out: Vec::new(), ids: HashSet::new(), open: Vec::new() };
    // A user's turns in a row are one.
    let mut heard: Vec<Part> = Vec::new();
    for message in &request.messages {
        match message.role {
            Role::User => heard.extend(message.parts.iter().cloned()),
            Role::Assistant => {
                history.user(std::mem::take(&mut heard));
                history.assistant(message);
            }
        }
    }
    history.user(heard);
    history.end();
    let mut messages = history.out;
    prune_pictures(&mut messages, options.picture_count);
    Cow::Owned(ModelRequest {
        system: request.system.clone(),
        messages,
        tools: request.tools.clone(),
        native: request.native.clone(),
        sampling: request.sampling.clone(),
        form: request.form.clone(),
    })
}

fn is_plain(message: &Message) -> bool {
    let plain = |p: &Part| match p {
        Part::Text(text) => !is_blank(text),
        Part::Picture(_) => true,
        Part::Call(_) | Part::Result { .. } => false,
    };
    message.role == Role::User && !message.parts.is_empty() && message.parts.iter().all(plain)
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

struct History<'a> {
    wire: &'a Wire,
    options: &'a WireOptions<'a>,
    out: Vec<Message>,
    /// Of all calls so far.
    ids: HashSet<String>,
    /// Calls of the last turn: their id as it came and as it is sent.
    open: Vec<(String, String)>,
}

impl History<'_> {
    fn push(&mut self, role: Role, parts: Vec<Part>) {
        self.out.push(Message { role, parts, raw: None });
    }

    fn assistant(&mut self, message: &Message) {
        let mut as_written = true;
        let mut open = Vec::new();
        let mut parts = Vec::new();
        for part in &message.parts {
            match part {
                Part::Text(text) if !is_blank(text) => parts.push(part.clone()),
                Part::Call(call) => {
                    let sent = ToolCall {
                        id: self.id(&call.id),
                        name: name(&call.name),
                        arguments: arguments(&call.arguments),
                    };
                    as_written &= sent.name == call.name && sent.arguments == call.arguments;
                    open.push((call.id.clone(), sent.id.clone()));
                    parts.push(Part::Call(sent));
                }
                // A model sends no pictures and no results.
                Part::Text(_) | Part::Picture(_) | Part::Result { .. } => {}
            }
        }
        if parts.is_empty() {
            return;
        }
        match self.out.last().map(|m| m.role) {
            None => self.push(Role::User, vec![Part::Text(BEGINNING.into())]),
            Some(Role::Assistant) => self.user_after_nothing(),
            Some(Role::User) => {}
        }
        let sent: Vec<&str> = open.iter().map(|(_, id)| id.as_str()).collect();
        let fits = |raw: &Value| as_written && (self.wire.raw_fits)(raw, &sent);
        let own = message.raw.as_ref().filter(|raw| {
            raw.provider == self.options.provider && raw.wire == self.wire.name && fits(&raw.json)
        });
        self.out.push(Message { role: Role::Assistant, parts, raw: own.cloned() });
        self.open = open;
    }

    /// A turn of the user between two of the model.
    fn user_after_nothing(&mut self) {
        self.user(Vec::new());
        if self.out.last().is_some_and(|m| m.role == Role::Assistant) {
            self.push(Role::User, vec![Part::Text(GO_ON.into())]);
        }
    }

    fn user(&mut self, heard: Vec<Part>) {
        let open = std::mem::take(&mut self.open);
        let mut results: Vec<Option<Part>> = vec![None; open.len()];
        let mut rest = Vec::new();
        for part in heard {
            match part {
                Part::Result { call_id, text, picture, is_error, acknowledged } => {
                    let mut calls = open.iter().zip(&mut results);
                    let waiting = calls.find(|((id, _), result)| *id == call_id && result.is_none());
                    if let Some(((_, sent), result)) = waiting {
                        let call_id = sent.clone();
                        *result = Some(Part::Result { call_id, text, picture, is_error, acknowledged });
                    } else {
                        if !is_blank(&text) {
                            rest.push(Part::Text(format!(
                                "(Result of a call that is no longer shown) {text}"
                            )));
                        }
                        rest.extend(picture.map(Part::Picture));
                    }
                }
                Part::Text(text) if is_blank(&text) => {}
                // A person calls no tool.
                Part::Call(_) => {}
                part @ (Part::Text(_) | Part::Picture(_)) => rest.push(part),
            }
        }
        let missing = |call_id: &String| Part::Result {
            call_id: call_id.clone(),
            text: NO_RESULT.into(),
            picture: None,
            is_error: true,
            acknowledged: Vec::new(),
        };
        let results = results.into_iter().zip(&open).map(|(r, (_, id))| r.unwrap_or_else(|| missing(id)));
        let parts: Vec<Part> = results.chain(rest).collect();
        if !parts.is_empty() {
            // A turn of the model that said nothing is gone from between two of the user's.
            match self.out.last_mut() {
                Some(last) if last.role == Role::User => last.parts.extend(parts),
                _ => self.push(Role::User, parts),
            }
        }
    }

    fn end(&mut self) {
        if self.out.last().is_none_or(|m| m.role == Role::Assistant) {
            self.push(Role::User, vec![Part::Text(GO_ON.into())]);
        }
    }

    /// The id of a call as it is sent: its own where it can be, and never one that was there before.
    fn id(&mut self, own: &str) -> String {
        let rule = self.options.call_ids;
        let mut id = if fits(rule, own) { own.to_owned() } else { derived(rule, own, 0) };
        for n in 1.. {
            if self.ids.insert(id.clone()) {
                break;
            }
            id = derived(rule, own, n);
        }
        id
    }
}

fn fits(rule: CallIds, id: &str) -> bool {
    let plain = id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    match rule {
        CallIds::Any => (1..=64).contains(&id.len()) && id.chars().all(|c| c.is_ascii_graphic()),
        CallIds::Plain => (1..=64).contains(&id.len()) && plain,
        CallIds::Nine => id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()),
    }
}

/// The same for the same id, so that equal histories give equal bytes and a cache is met.
fn derived(rule: CallIds, own: &str, n: u32) -> String {
    let hash = blake3::hash(format!("{n}:{own}").as_bytes()).to_hex();
    match rule {
        CallIds::Any | CallIds::Plain => format!("call_{}", hash.get(..16).unwrap_or_default()),
        CallIds::Nine => hash.get(..9).unwrap_or_default().to_owned(),
    }
}

/// The name of a tool as every service takes it.
fn name(own: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let name: String = own.chars().take(64).map(plain).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name
    } else {
        format!("t_{name}").chars().take(64).collect()
    }
}

/// Arguments that are an object; anything else is kept as the text it is.
fn arguments(own: &str) -> String {
    if is_blank(own) {
        // How some services write a call without arguments.
        return "{}".into();
    }
    let is_object = own.trim_start().starts_with('{') && serde_json::from_str::<Value>(own).is_ok();
    if is_object { own.to_owned() } else { json!({ "unreadable": own }).to_string() }
}

/// Only the newest pictures stay; the others give way to words.
fn prune_pictures(messages: &mut [Message], most: Option<u32>) {
    let Some(most) = most else { return };
    let mut left = most as usize;
    for part in messages.iter_mut().rev().flat_map(|m| m.parts.iter_mut().rev()) {
        let is_picture =
            matches!(part, Part::Picture(_)) || matches!(part, Part::Result { picture: Some(_), .. });
        if !is_picture {
            continue;
        }
        if left > 0 {
            left -= 1;
            continue;
        }
        match part {
            Part::Picture(_) => *part = Part::Text(LEFT_OUT.into()),
            Part::Result { picture, text, .. } => {
                *picture = None;
                *text = format!("{text} {LEFT_OUT}").trim_start().to_owned();
            }
            Part::Text(_) | Part::Call(_) => {}
        }
    }
}
