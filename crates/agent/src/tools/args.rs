//! The arguments of a call, checked as they are taken.
//!
//! Nothing is coerced: a number in quotes is not a number, and a missing field is not zero. What is outside a range is refused, or
//! clamped and noted where the profile says so.

use super::ToolScene;
use crate::profile::OutOfRange;
use handsight_base::flow::action::Spot;
use handsight_base::port::dialect::{Rejection, RejectionKind};
use handsight_base::space::{Norm1000, Rounding};
use serde_json::{Map, Value, json};

pub struct Args<'a> {
    tool: &'static str,
    given: &'a Map<String, Value>,
    used: Map<String, Value>,
    out_of_range: OutOfRange,
    notes: Vec<String>,
}

impl<'a> Args<'a> {
    pub(super) fn new(tool: &'static str, given: &'a Map<String, Value>, out_of_range: OutOfRange) -> Self {
        Self { tool, given, used: Map::new(), out_of_range, notes: Vec::new() }
    }

    /// The arguments as used, and the notes; names that nobody asked for become a note.
    pub(super) fn finish(mut self) -> (Value, Vec<String>) {
        let extra: Vec<&str> =
            self.given.keys().filter(|k| !self.used.contains_key(*k)).map(String::as_str).collect();
        if !extra.is_empty() {
            let names: String = extra.join(", ").chars().take(200).collect();
            self.notes.push(format!("`{}` has no argument {names}: ignored", self.tool));
        }
        // In the order the model gave them, so that a record reads like the call.
        let used = self.given.keys().filter_map(|k| Some((k.clone(), self.used.get(k)?.clone()))).collect();
        (Value::Object(used), self.notes)
    }

    fn reject(&self, kind: RejectionKind, what: impl std::fmt::Display) -> Rejection {
        Rejection::new(kind, format!("`{}`: {what}", self.tool))
    }

    fn take(&mut self, name: &str) -> Option<&'a Value> {
        let value = self.given.get(name)?;
        self.used.insert(name.to_owned(), value.clone());
        Some(value)
    }

    fn need(&mut self, name: &str) -> Result<&'a Value, Rejection> {
        self.take(name)
            .ok_or_else(|| self.reject(RejectionKind::MissingField, format_args!("`{name}` is missing")))
    }

    fn mistyped(&self, name: &str, wanted: &str, given: &Value) -> Rejection {
        let given = match given {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        self.reject(RejectionKind::WrongType, format_args!("`{name}` must be {wanted}, not {given}"))
    }

    /// A required text.
    pub fn text(&mut self, name: &str) -> Result<String, Rejection> {
        match self.need(name)? {
            Value::String(s) => Ok(s.clone()),
            other => Err(self.mistyped(name, "a string", other)),
        }
    }

    /// A required finite number.
    pub fn number(&mut self, name: &str) -> Result<f64, Rejection> {
        let value = self.need(name)?;
        match value.as_f64() {
            Some(n) if n.is_finite() => Ok(n),
            Some(_) => {
                Err(self.reject(RejectionKind::OutOfRange, format_args!("`{name}` is not a finite number")))
            }
            None => Err(self.mistyped(name, "a number", value)),
        }
    }

    /// The required place of the frame: `x` and `y` from 0 to 1000, or the number of a mark where those are offered. Every place that
    /// a tool is given is found here.
    pub fn place(&mut self, scene: &ToolScene<'_>) -> Result<Spot, Rejection> {
        if scene.options.marks
            && let Some(given) = self.take("mark")
        {
            let number = given.as_u64().and_then(|number| u32::try_from(number).ok());
            let number = number.ok_or_else(|| self.mistyped("mark", "the number of a mark", given))?;
            if self.given.contains_key("x") || self.given.contains_key("y") {
                self.note(format!("mark {number} was used, and not the point beside it"));
            }
            return scene
                .marks
                .spot(number, scene.picture)
                .map_err(|told| self.reject(told.kind, told.told()));
        }
        let point = self.point()?;
        let at = scene.picture.frame_from_norm1000(point, Rounding::RoundToLast);
        at.map_err(|e| Rejection::new(RejectionKind::OutOfRange, e.to_string()))
    }

    /// The required point `x`, `y` from 0 to 1000.
    fn point(&mut self) -> Result<Norm1000, Rejection> {
        let point = Norm1000::new(self.number("x")?, self.number("y")?);
        let (inside, moved) = point.clamped().map_err(|e| self.reject(RejectionKind::OutOfRange, e))?;
        if moved && self.out_of_range == OutOfRange::Refuse {
            let what = format_args!("({}, {}) is outside 0 to 1000", point.x, point.y);
            return Err(self.reject(RejectionKind::OutOfRange, what));
        }
        if moved {
            self.notes.push(format!(
                "({}, {}) is outside 0 to 1000: used ({}, {})",
                point.x, point.y, inside.x, inside.y
            ));
            self.used.insert("x".into(), json!(inside.x));
            self.used.insert("y".into(), json!(inside.y));
        }
        Ok(inside)
    }

    /// One of a few words, or `None` if it is left out.
    pub fn word<T: Copy>(&mut self, name: &str, words: &[(&str, T)]) -> Result<Option<T>, Rejection> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let Some(text) = value.as_str() else {
            return Err(self.mistyped(name, "a string", value));
        };
        match words.iter().find(|(word, _)| *word == text) {
            Some((_, meaning)) => Ok(Some(*meaning)),
            None => {
                let there: Vec<&str> = words.iter().map(|(w, _)| *w).collect();
                let given: String = text.chars().take(40).collect();
                let what = format_args!("`{name}` is {given:?}; it may be {}", there.join(", "));
                Err(self.reject(RejectionKind::OutOfRange, what))
            }
        }
    }

    /// Several of a few words; empty if it is left out.
    pub fn words<T: Copy>(&mut self, name: &str, words: &[(&str, T)]) -> Result<Vec<T>, Rejection> {
        let Some(value) = self.take(name) else {
            return Ok(Vec::new());
        };
        let Some(items) = value.as_array() else {
            return Err(self.mistyped(name, "an array of strings", value));
        };
        let one = |item: &Value| {
            let found = item.as_str().and_then(|text| words.iter().find(|(word, _)| *word == text));
            found.map(|(_, meaning)| *meaning).ok_or_else(|| {
                let there: Vec<&str> = words.iter().map(|(w, _)| *w).collect();
                self.reject(RejectionKind::OutOfRange, format_args!("`{name}` may hold {}", there.join(", ")))
            })
        };
        items.iter().map(one).collect()
    }

    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}
