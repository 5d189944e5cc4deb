//! Why a reply cannot be used, in words that its writer can act on: what is wrong, where, and how it is written right.
//!
//! A complaint is kept short, so that the right form after it always fits into what a model is told. It never repeats more than a
//! few words of the reply: what a model made up is not for a prompt.

use handsight_base::port::dialect::{Rejection, RejectionKind};
use serde_json::Value;

/// Characters of a complaint: what it leaves of a rejection's 800 is for the right form.
pub(super) const COMPLAINT: usize = 300;

/// What does not fit, with the place in the words, no capital at the beginning and no full stop at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misfit {
    pub(super) kind: RejectionKind,
    pub(super) words: String,
    /// Which call of the reply, from 0.
    pub(super) call: usize,
    /// A word for it that lasts, where the dialect has such.
    pub(super) code: &'static str,
}

pub(super) type Fits<T> = Result<T, Misfit>;

impl Misfit {
    pub(super) fn new(kind: RejectionKind, words: impl Into<String>) -> Self {
        Self { kind, words: words.into(), call: 0, code: "" }
    }

    pub(super) fn malformed(words: impl Into<String>) -> Self {
        Self::new(RejectionKind::BadJson, words)
    }

    pub(super) fn unknown(words: impl Into<String>) -> Self {
        Self::new(RejectionKind::UnknownTool, words)
    }

    pub(super) fn missing(words: impl Into<String>) -> Self {
        Self::new(RejectionKind::MissingField, words)
    }

    pub(super) fn wrong_type(words: impl Into<String>) -> Self {
        Self::new(RejectionKind::WrongType, words)
    }

    pub(super) fn out_of_range(words: impl Into<String>) -> Self {
        Self::new(RejectionKind::OutOfRange, words)
    }

    pub(super) fn no_call(words: impl Into<String>) -> Self {
        Self::new(RejectionKind::NoCall, words)
    }

    /// The same about another call of the reply.
    #[must_use]
    pub(super) fn of_call(self, call: usize) -> Self {
        Self { call, ..self }
    }

    /// The same with the place before it: `click: ...`.
    #[must_use]
    pub(super) fn within(self, place: &str) -> Self {
        Self { words: format!("{}: {}", short(place), self.words), ..self }
    }

    /// The same with a word for programs that count complaints.
    #[must_use]
    pub(super) fn coded(self, code: &'static str) -> Self {
        Self { words: format!("{} ({code})", self.words), code, ..self }
    }

    /// What the model is told: the complaint, that nothing was run, and the right form.
    pub(super) fn told(self, how: &str) -> Rejection {
        let complaint: String = self.words.chars().take(COMPLAINT).collect();
        let told = format!("Nothing of this reply was run: {complaint}. {how}");
        Rejection::new(self.kind, told).of_call(self.call).coded(self.code)
    }
}

/// What a model made up, fit for a message: 40 characters at most, none of them a control.
pub(super) fn short(name: &str) -> String {
    name.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// `a, b or c`, each in backticks.
pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    match names.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
