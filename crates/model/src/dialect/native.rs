//! What the dialects of a provider's own computer have in common.
//!
//! The provider defined the tool, so the model knows its actions without a schema of ours; what it wrote is checked all the same.
//! Several calls of a reply are a batch, run in order up to its first failure. The screen after a turn goes back inside the result
//! of a call, as these services want it. Tools of ours may be offered beside, unless they have a name that is taken.
//!
//! A reply without a call says that the model is done: that is how all of them end their loops. A reply that was cut off or refused,
//! or one call that cannot be read, runs nothing at all.

use super::conversation::{self, Manner};
use super::json::{LONGEST, parse};
use super::reject::{Fits, Misfit, kind_of, short};
use super::schema::SchemaError;
use super::tools::ToolsDialect;
use super::{finish, hands};
use handsight_base::flow::action::Action;
use handsight_base::flow::intent::Intent;
use handsight_base::flow::past::{CallResult, Past, Standing};
use handsight_base::flow::prompt::{NativeTool, Prompt, ToolSpec};
use handsight_base::port::dialect::{Decoded, Dialect, DialectInfo, Planned, Rejection};
use handsight_base::port::model::{Message, ModelReply, ModelRequest, Part, RawTurn, Role, ToolCall};
use handsight_base::space::{PictureGeometry, Size};
use serde_json::{Map, Value};

/// What a vendor's file adds: its actions and how they are written.
pub(super) trait Grammar: Send + Sync {
    fn info(&self) -> DialectInfo;

    /// The tool as it is offered beside a picture of this size.
    fn tool(&self, picture: Size) -> NativeTool;

    /// Whether no other tool may be called that.
    fn takes(&self, name: &str) -> bool;

    /// Whether a call is one of the computer, given the turn it stands in.
    fn owns(&self, call: &ToolCall, _turn: Option<&RawTurn>) -> bool {
        self.takes(&call.name)
    }

    fn read(&self, call: &ToolCall, picture: &PictureGeometry) -> Fits<Meaning>;

    /// The actions there are, for a model that used another.
    fn how(&self) -> String;

    fn picture_size(&self, _screen: Size, _within: Size) -> Option<Size> {
        None
    }

    /// Where the screen after a turn goes.
    fn shows(&self) -> Shows;

    /// What a call is told that was not begun because one before it failed; `None` leaves it to the engine's words.
    fn halted(&self) -> Option<&'static str> {
        None
    }
}

/// What one call means.
#[derive(Debug, Default)]
pub(super) struct Meaning {
    /// At least one.
    pub(super) intents: Vec<Intent>,
    /// Why, where the call has a place for it.
    pub(super) reason: String,
}

impl From<Vec<Intent>> for Meaning {
    fn from(intents: Vec<Intent>) -> Self {
        Self { intents, reason: String::new() }
    }
}

/// In which results the screen after a turn is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shows {
    /// In the last one that is no error; the others say that they are done.
    Last,
    /// In each.
    Each,
}

pub(super) struct Native<G> {
    grammar: G,
    /// Ours, beside the computer.
    tools: ToolsDialect,
}

impl<G: Grammar + 'static> Native<G> {
    pub(super) fn boxed(grammar: G, tools: &[ToolSpec]) -> Result<Box<dyn Dialect>, SchemaError> {
        let tools: Vec<ToolSpec> = tools.iter().filter(|t| !grammar.takes(&t.name)).cloned().collect();
        Ok(Box::new(Self { tools: ToolsDialect::new(&tools)?, grammar }))
    }
}

impl<G: Grammar> Dialect for Native<G> {
    fn info(&self) -> DialectInfo {
        self.grammar.info()
    }

    fn picture_size(&self, screen: Size, within: Size) -> Option<Size> {
        self.grammar.picture_size(screen, within)
    }

    fn encode(&self, prompt: &Prompt) -> ModelRequest {
        let shown = prompt.pictures.first().map_or(prompt.frame.size, |p| p.geometry.size);
        let mut prompt = prompt.clone();
        if let Some(words) = self.grammar.halted() {
            prompt.history.iter_mut().for_each(|past| self.halt(past, words));
        }
        let mut messages = conversation::messages(&prompt, Manner { words, picture_in_result: false });
        self.place(&mut messages);
        prompt.tools.retain(|t| !self.grammar.takes(&t.name));
        let native = vec![self.grammar.tool(shown)];
        ModelRequest { native, ..conversation::request(&prompt, messages) }
    }

    fn decode(&self, reply: &ModelReply, picture: &PictureGeometry) -> Result<Decoded, Rejection> {
        let told = |misfit: Misfit| misfit.told(&self.grammar.how());
        finish::usable(reply).map_err(told)?;
        if reply.calls.is_empty() {
            return ended(reply).map_err(told);
        }
        let mut decoded = Decoded::default();
        for (n, call) in reply.calls.iter().enumerate() {
            let mut plan = |intent| decoded.plan.push(Planned { call: n, intent });
            if !self.grammar.owns(call, reply.raw.as_ref()) {
                plan(self.tools.call(call, &mut decoded.notes).map_err(|r| r.of_call(n))?);
                continue;
            }
            let meaning = self.grammar.read(call, picture).map_err(|m| told(m.of_call(n)))?;
            meaning.intents.into_iter().for_each(plan);
            if decoded.reason.is_empty() {
                decoded.reason = meaning.reason;
            }
        }
        if decoded.reason.is_empty() {
            decoded.reason = reply.text.trim().to_owned();
        }
        decoded.notes.truncate(20);
        Ok(decoded)
    }
}

/// A reply without a call.
fn ended(reply: &ModelReply) -> Fits<Decoded> {
    if !matches!(reply.finish.as_deref(), None | Some("stop")) {
        let why = reply.finish.as_deref().unwrap_or_default();
        return Err(Misfit::no_call(format!("it ended with {:?} and called nothing", short(why))));
    }
    Ok(Decoded::one(Intent::Done { statement: finish::text(reply)?.to_owned() }))
}

impl<G: Grammar> Native<G> {
    fn halt(&self, past: &mut Past, words: &str) {
        let mut failed = false;
        for (call, result) in past.calls.iter().zip(&mut past.results) {
            if failed
                && result.standing == Standing::NotExecuted
                && self.grammar.owns(call, past.raw.as_ref())
            {
                words.clone_into(&mut result.text);
            }
            failed |= result.standing == Standing::Failed;
        }
    }

    /// Moves each picture of the screen into the results it belongs to.
    fn place(&self, messages: &mut [Message]) {
        for n in 1..messages.len() {
            let (before, after) = messages.split_at_mut(n);
            let (Some(asked), Some(answer)) = (before.last(), after.first_mut()) else { continue };
            if (asked.role, answer.role) == (Role::Assistant, Role::User) {
                self.show(asked, &mut answer.parts);
            }
        }
    }

    fn show(&self, asked: &Message, parts: &mut Vec<Part>) {
        let calls =
            asked.parts.iter().filter_map(|p| if let Part::Call(call) = p { Some(call) } else { None });
        let own: Vec<&str> =
            calls.filter(|c| self.grammar.owns(c, asked.raw.as_ref())).map(|c| c.id.as_str()).collect();
        let each = self.grammar.shows() == Shows::Each;
        let empty = |part: &Part| match part {
            Part::Result { call_id, picture: None, is_error, .. } => {
                own.contains(&call_id.as_str()) && (each || !is_error)
            }
            Part::Result { .. } | Part::Text(_) | Part::Picture(_) | Part::Call(_) => false,
        };
        let mut free: Vec<usize> = (0..parts.len()).filter(|n| parts.get(*n).is_some_and(empty)).collect();
        if !each {
            free = free.split_off(free.len().saturating_sub(1));
        }
        let screen = parts.iter().position(|p| matches!(p, Part::Picture(_))).filter(|_| !free.is_empty());
        if let Some(Part::Picture(screen)) = screen.map(|at| parts.remove(at)) {
            for n in free {
                // The screen stood after the results, so their places are the same.
                if let Some(Part::Result { picture, .. }) = parts.get_mut(n) {
                    *picture = Some(screen.clone());
                }
            }
        }
        for part in parts {
            if let Part::Result { call_id, text, picture: None, is_error: false, .. } = part
                && !each
                && own.contains(&call_id.as_str())
                && text.trim().is_empty()
            {
                "OK".clone_into(text);
            }
        }
    }
}

/// A result's words; what is done needs none where the screen says it.
fn words(result: &CallResult) -> String {
    match result.standing {
        Standing::Done => result.text.trim().to_owned(),
        Standing::Failed | Standing::NotExecuted | Standing::Unknown => conversation::said(result),
    }
}

/// The arguments of a call.
pub(super) fn object(call: &ToolCall) -> Fits<Map<String, Value>> {
    let fault = |m: Misfit| m.within(&call.name);
    if call.arguments.len() > LONGEST {
        let words = format!("its input is {} bytes long, at most {LONGEST} are read", call.arguments.len());
        return Err(fault(Misfit::out_of_range(words)));
    }
    match parse(&call.arguments) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => {
            Err(fault(Misfit::wrong_type(format!("its input is {}, not an object", kind_of(&other)))))
        }
        Err(e) => Err(fault(Misfit::malformed(format!("its input is not usable JSON ({e})")))),
    }
}

/// Longer texts are a mistake of the model, and would keep the hands busy for minutes.
const MAX_CHARS: usize = 20_000;

/// Text to be typed: some, and not for ever.
pub(super) fn typed(text: String) -> Fits<Action> {
    let count = text.chars().count();
    if !(1..=MAX_CHARS).contains(&count) {
        let words = format!("the text to type has {count} characters: it goes from 1 to {MAX_CHARS}");
        return Err(Misfit::out_of_range(words));
    }
    hands::typed(text)
}
