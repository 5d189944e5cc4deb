//! Keeping secrets out of what is written: by their value in every form they may take, and by the shapes keys are known by.
//!
//! Whoever writes text for people or for a disk passes it through a [`Redactor`] last. A value is found raw, percent-encoded, as
//! JSON or hex, and inside base64 at any of its three alignments. A value of fewer than eight characters counts only where no
//! letter or digit touches it, else a key of two letters would blacken half of every log. Pictures are left alone: a key on a
//! screen is no text, and base64 of a picture may hold any few letters.
//!
//! This module refuses to be clever about what a secret is: who knows one says so.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What stands in place of a secret.
pub const MARK: &str = "[key]";

/// From this length on a value is found wherever it stands.
const LONG: usize = 8;

/// Finds what must not be written.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Longest first, so that no form is left half found.
    long: Vec<String>,
    /// Forms of short values, which count only by themselves.
    short: Vec<String>,
    patterns: bool,
}

impl Redactor {
    /// Nothing is a secret. For tests that show what would be written without.
    pub const fn off() -> Self {
        Self { long: Vec::new(), short: Vec::new(), patterns: false }
    }

    /// Knows these values, and the shapes of keys in general. White space around a value is no part of it; an empty one is none.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        Self { patterns: true, ..Self::of(values, LONG) }
    }

    /// Knows this one value, however short, wherever it stands, and nothing else: for text from whoever was sent it.
    pub fn of_value(value: &str) -> Self {
        Self::of([value], 1)
    }

    /// The same without the short values: for text that must still be read by a program.
    pub fn long_only(&self) -> Self {
        Self { short: Vec::new(), ..self.clone() }
    }

    fn of<'a>(values: impl IntoIterator<Item = &'a str>, long_from: usize) -> Self {
        let (mut long, mut short) = (BTreeSet::new(), BTreeSet::new());
        for value in values.into_iter().map(str::trim).filter(|v| !v.is_empty()) {
            let (inside, alone) = forms(value);
            for form in inside {
                if form.chars().count() >= long_from {
                    long.insert(form)
                } else {
                    short.insert(form)
                };
            }
            short.extend(alone);
        }
        let by_length = |set: BTreeSet<String>| {
            let mut list: Vec<String> = set.into_iter().collect();
            list.sort_by_key(|form| std::cmp::Reverse(form.len()));
            list
        };
        Self { long: by_length(long), short: by_length(short), patterns: false }
    }

    /// The text without what is secret in it.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut hits = Vec::new();
        for part in outside_pictures(text) {
            self.find(text, part, &mut hits);
        }
        replaced(text, hits)
    }

    /// A JSON text without what is secret in its strings; its names and its structure stay, whatever a short value looks like.
    pub fn redact_json<'a>(&self, json: &'a str) -> Cow<'a, str> {
        if matches!(self.redact(json), Cow::Borrowed(_)) {
            return Cow::Borrowed(json);
        }
        match serde_json::from_str::<Value>(json) {
            Ok(mut value) => {
                self.walk(&mut value);
                // Escapes may hide a form from a look at single strings, or make one.
                let text = value.to_string();
                Cow::Owned(self.long_only().redact(&text).into_owned())
            }
            Err(_) => self.redact(json),
        }
    }

    fn walk(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(clean) = self.redact(text) {
                    *text = clean;
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|v| self.walk(v)),
            Value::Object(map) => map.values_mut().for_each(|v| self.walk(v)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Where secrets are in a part of a text.
    fn find(&self, text: &str, (from, to): (usize, usize), hits: &mut Vec<(usize, usize)>) {
        let Some(part) = text.get(from..to) else { return };
        for form in &self.long {
            hits.extend(part.match_indices(form.as_str()).map(|(at, f)| (from + at, from + at + f.len())));
        }
        for form in &self.short {
            let alone = |at: usize, end: usize| {
                let before = text.get(..at).and_then(|t| t.chars().next_back());
                let after = text.get(end..).and_then(|t| t.chars().next());
                ![before, after].into_iter().flatten().any(|c| c.is_alphanumeric())
            };
            let all = part.match_indices(form.as_str()).map(|(at, f)| (from + at, from + at + f.len()));
            hits.extend(all.filter(|(at, end)| alone(*at, *end)));
        }
        if self.patterns {
            shapes(text, (from, to), hits);
        }
    }
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Redactor")
    }
}

/// How a value may be written: found anywhere if long enough, and found only by themselves.
fn forms(value: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let percent = |keep: &str, upper: bool| {
        value.bytes().fold(String::new(), |mut out, b| {
            if b.is_ascii_alphanumeric() || keep.as_bytes().contains(&b) {
                out.push(char::from(b));
            } else if upper {
                out.push_str(&format!("%{b:02X}"));
            } else {
                out.push_str(&format!("%{b:02x}"));
            }
            out
        })
    };
    let mut inside = BTreeSet::from([value.to_owned(), percent("-_.~ ", true).replace(' ', "+")]);
    for keep in ["-_.~", "-_.~/", "-_.!~*'()", "-_.!~*'()/:@&=+$,;"] {
        inside.extend([percent(keep, true), percent(keep, false)]);
    }
    let json = Value::from(value).to_string();
    inside.insert(json[1..json.len() - 1].to_owned());
    inside.insert(json[1..json.len() - 1].replace('/', "\\/"));
    inside.insert(value.escape_debug().to_string());
    let hex: String = value.bytes().map(|b| format!("{b:02x}")).collect();
    inside.extend([hex.to_uppercase(), hex]);
    for skipped in 0..3_usize {
        let bytes = [&[0_u8; 2][..skipped], value.as_bytes()].concat();
        // The characters that depend on the value alone, whatever stands before and after it.
        let (first, last) = ((skipped * 8).div_ceil(6), bytes.len() * 8 / 6);
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            let whole = engine.encode(&bytes);
            inside.extend(whole.get(first..last).filter(|s| s.len() >= LONG).map(str::to_owned));
        }
    }
    let alone = [STANDARD.encode(value), STANDARD_NO_PAD.encode(value), URL_SAFE.encode(value)];
    (inside, alone.into())
}

/// The stretches of a text that are no base64 of a picture.
fn outside_pictures(text: &str) -> Vec<(usize, usize)> {
    const BEGINNINGS: [&str; 3] = ["iVBORw0KGgo", "/9j/", "UklGR"];
    /// No picture is shorter.
    const SHORTEST: usize = 512;
    let (mut parts, mut from, mut look) = (Vec::new(), 0, 0);
    if text.len() < SHORTEST {
        return vec![(0, text.len())];
    }
    while let Some(rest) = text.get(look..) {
        let Some(at) = BEGINNINGS.iter().filter_map(|b| rest.find(b)).min() else { break };
        let start = look + at;
        let run = text.as_bytes().get(start..).unwrap_or_default();
        let length = run.iter().take_while(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b)).count();
        look = start + length.max(1);
        if length >= SHORTEST {
            parts.push((from, start));
            from = look;
        }
    }
    parts.push((from, text.len()));
    parts
}

/// How keys of known makers begin, the fewest characters that follow, and whether the beginning stays.
const SHAPES: &[(&str, usize, bool)] = &[
    ("sk-", 20, false),
    ("AIza", 30, false),
    ("xai-", 20, false),
    ("gsk_", 20, false),
    ("hf_", 20, false),
    ("ghp_", 20, false),
    ("github_pat_", 20, false),
    ("AKIA", 16, false),
    ("Bearer ", 8, true),
    ("bearer ", 20, true),
    ("x-api-key: ", 8, true),
    ("api_key=", 8, true),
];

/// What looks like a key though nobody named it.
fn shapes(text: &str, (from, to): (usize, usize), hits: &mut Vec<(usize, usize)>) {
    let Some(part) = text.get(from..to) else { return };
    for (begin, least, stays) in SHAPES {
        for (at, _) in part.match_indices(begin) {
            let after = at + begin.len();
            let bytes = part.as_bytes();
            let touched = at > 0 && bytes.get(at - 1).is_some_and(|b| b.is_ascii_alphanumeric());
            let rest = bytes.get(after..).unwrap_or_default();
            let of_key = |b: &&u8| b.is_ascii_alphanumeric() || b"-_.~+/=".contains(b);
            let length = rest.iter().take_while(of_key).count();
            let run = rest.get(..length).unwrap_or_default();
            // Words with hyphens are no keys: those hold digits too.
            if !touched && length >= *least && run.iter().any(u8::is_ascii_digit) {
                let start = if *stays { after } else { at };
                hits.push((from + start, from + after + length));
            }
        }
    }
}

/// The text with each stretch replaced by the mark; those that touch are one.
fn replaced(text: &str, mut hits: Vec<(usize, usize)>) -> Cow<'_, str> {
    if hits.is_empty() {
        return Cow::Borrowed(text);
    }
    hits.sort_unstable();
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (from, to) in hits {
        if from >= done {
            out.push_str(text.get(done..from).unwrap_or_default());
            out.push_str(MARK);
        }
        done = done.max(to);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

#[cfg(test)]
mod tests;
