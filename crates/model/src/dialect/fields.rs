//! The fields of a call, checked as they are taken.
//!
//! Nothing is coerced: a number in quotes is not a number, and a missing field is not zero. `null` counts as left out where a field
//! may be left out, and as an error where not. A field that nobody asked for is refused, since a misspelled `button` would
//! otherwise be a click with another one; a dialect names those it passes over.

use super::reject::{Fits, Misfit, kind_of, listed, short};
use serde_json::{Map, Value};

/// Above this a float no longer tells whole numbers apart.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) struct Fields {
    /// The call's name, for complaints.
    what: String,
    given: Map<String, Value>,
    /// Names that were asked for.
    known: Vec<&'static str>,
}

impl Fields {
    pub(super) fn new(what: impl Into<String>, given: Map<String, Value>) -> Self {
        Self { what: what.into(), given, known: Vec::new() }
    }

    /// An object and nothing else.
    pub(super) fn of_value(what: impl Into<String>, value: Value) -> Fits<Self> {
        let what = what.into();
        match value {
            Value::Object(given) => Ok(Self::new(what, given)),
            other => {
                Err(Misfit::wrong_type(format!("`{}` gets {}, not an object", short(&what), kind_of(&other))))
            }
        }
    }

    /// A complaint about this call.
    pub(super) fn fault(&self, misfit: Misfit) -> Misfit {
        misfit.within(&self.what)
    }

    /// Whether it is there and not null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.given.get(name).is_some_and(|v| !v.is_null())
    }

    /// A field that may be left out.
    pub(super) fn opt(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.given.remove(name).filter(|v| !v.is_null())
    }

    /// A field that has to be there. An explicit null is one that is not.
    pub(super) fn need(&mut self, name: &'static str) -> Fits<Value> {
        self.known.push(name);
        match self.given.remove(name) {
            None => Err(self.fault(Misfit::missing(format!("the field `{name}` is missing")))),
            Some(Value::Null) => Err(self.fault(Misfit::wrong_type(format!("`{name}` is null")))),
            Some(value) => Ok(value),
        }
    }

    /// The one field of several names that is there; two of them at once are refused.
    pub(super) fn any(&mut self, names: &[&'static str]) -> Fits<Option<Value>> {
        let mut found = None;
        for name in names {
            if let Some(value) = self.opt(name) {
                if found.is_some() {
                    let words =
                        format!("{} are names of the same field: give one", listed(names.iter().copied()));
                    return Err(self.fault(Misfit::malformed(words)));
                }
                found = Some(value);
            }
        }
        Ok(found)
    }

    fn mistyped(&self, name: &str, wanted: &str, given: &Value) -> Misfit {
        self.fault(Misfit::wrong_type(format!("`{name}` is {}, not {wanted}", kind_of(given))))
    }

    fn read_text(&self, name: &str, value: Value) -> Fits<String> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(self.mistyped(name, "a text", &other)),
        }
    }

    fn read_number(&self, name: &str, value: &Value) -> Fits<f64> {
        let number = value.as_f64().filter(|n| n.is_finite());
        number.ok_or_else(|| self.mistyped(name, "a number", value))
    }

    fn read_whole(&self, name: &str, value: &Value, from: i64, to: i64) -> Fits<i64> {
        let number = self.read_number(name, value)?;
        if number.fract() != 0.0 || number.abs() > EXACT {
            return Err(self.fault(Misfit::wrong_type(format!("`{name}` is no whole number"))));
        }
        let whole = number as i64;
        if !(from..=to).contains(&whole) {
            let words = format!("`{name}` is {whole}: it goes from {from} to {to}");
            return Err(self.fault(Misfit::out_of_range(words)));
        }
        Ok(whole)
    }

    pub(super) fn text(&mut self, name: &'static str) -> Fits<String> {
        let value = self.need(name)?;
        self.read_text(name, value)
    }

    pub(super) fn opt_text(&mut self, name: &'static str) -> Fits<Option<String>> {
        self.opt(name).map(|value| self.read_text(name, value)).transpose()
    }

    pub(super) fn number(&mut self, name: &'static str) -> Fits<f64> {
        let value = self.need(name)?;
        self.read_number(name, &value)
    }

    pub(super) fn opt_number(&mut self, name: &'static str) -> Fits<Option<f64>> {
        self.opt(name).map(|value| self.read_number(name, &value)).transpose()
    }

    /// A whole number within bounds, both included. `3.0` is the whole number 3.
    pub(super) fn whole(&mut self, name: &'static str, from: i64, to: i64) -> Fits<i64> {
        let value = self.need(name)?;
        self.read_whole(name, &value, from, to)
    }

    pub(super) fn opt_whole(&mut self, name: &'static str, from: i64, to: i64) -> Fits<Option<i64>> {
        self.opt(name).map(|value| self.read_whole(name, &value, from, to)).transpose()
    }

    pub(super) fn opt_flag(&mut self, name: &'static str) -> Fits<Option<bool>> {
        match self.opt(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(self.mistyped(name, "true or false", &other)),
        }
    }

    /// A list of texts.
    pub(super) fn texts(&mut self, name: &'static str) -> Fits<Vec<String>> {
        match self.need(name)? {
            Value::Array(list) => list.into_iter().map(|item| self.read_text(name, item)).collect(),
            other => Err(self.mistyped(name, "a list of texts", &other)),
        }
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(&mut self, name: &'static str, words: &[(&str, T)]) -> Fits<T> {
        let text = self.text(name)?;
        self.meaning(name, &text, words)
    }

    /// One of a few words, or `None` if it is left out.
    pub(super) fn opt_word<T: Copy>(&mut self, name: &'static str, words: &[(&str, T)]) -> Fits<Option<T>> {
        let Some(text) = self.opt_text(name)? else { return Ok(None) };
        self.meaning(name, &text, words).map(Some)
    }

    fn meaning<T: Copy>(&self, name: &str, text: &str, words: &[(&str, T)]) -> Fits<T> {
        words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning).ok_or_else(|| {
            let there = listed(words.iter().map(|(word, _)| *word));
            self.fault(Misfit::out_of_range(format!("`{name}` is {:?}: it may be {there}", short(text))))
        })
    }

    /// Fields that mean nothing here and harm nobody.
    pub(super) fn pass_over(&mut self, names: &[&'static str]) {
        for name in names {
            self.given.remove(*name);
        }
    }

    /// Refuses what nobody asked for.
    pub(super) fn end(self) -> Fits<()> {
        match self.given.keys().next() {
            None => Ok(()),
            Some(stranger) => {
                let known = listed(self.known.iter().copied());
                let words = format!("it has no field `{}`, only {known}", short(stranger));
                Err(self.fault(Misfit::wrong_type(words)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::reject::COMPLAINT;
    use super::*;
    use handsight_base::port::dialect::RejectionKind::{self, BadJson, MissingField, OutOfRange, WrongType};
    use serde_json::json;

    fn fields(value: Value) -> Fields {
        Fields::of_value("click", value).unwrap()
    }

    #[test]
    fn fields_are_taken_as_what_they_are() {
        let mut f = fields(json!({"x": 3.0, "s": "a", "n": null, "k": ["a", "b"], "w": "left", "b": true}));
        assert!(f.has("x") && !f.has("n") && !f.has("absent"));
        assert_eq!(f.whole("x", 0, 3), Ok(3));
        assert_eq!(f.text("s").as_deref(), Ok("a"));
        assert_eq!(f.opt_text("n"), Ok(None));
        assert_eq!(f.opt_number("absent"), Ok(None));
        assert_eq!(f.texts("k").unwrap(), ["a", "b"]);
        assert_eq!(f.word("w", &[("right", 1), ("left", 2)]), Ok(2));
        assert_eq!(f.opt_flag("b"), Ok(Some(true)));
        assert_eq!(f.end(), Ok(()));
    }

    type Take = fn(&mut Fields) -> Fits<()>;

    #[test]
    fn nothing_is_coerced() {
        let cases: [(Value, Take, RejectionKind); 9] = [
            (json!({}), |f| f.number("x").map(drop), MissingField),
            (json!({"x": null}), |f| f.number("x").map(drop), WrongType),
            (json!({"x": "1"}), |f| f.number("x").map(drop), WrongType),
            (json!({"x": true}), |f| f.number("x").map(drop), WrongType),
            (json!({"x": 1.5}), |f| f.whole("x", 0, 9).map(drop), WrongType),
            (json!({"x": 10}), |f| f.whole("x", 0, 9).map(drop), OutOfRange),
            (json!({"x": "up"}), |f| f.word("x", &[("down", ())]), OutOfRange),
            (json!({"x": [1]}), |f| f.texts("x").map(drop), WrongType),
            (json!({"a": 1, "b": 2}), |f| f.any(&["a", "b"]).map(drop), BadJson),
        ];
        for (given, take, kind) in cases {
            let misfit = take(&mut fields(given.clone())).unwrap_err();
            assert_eq!(misfit.kind, kind, "{given}");
            assert!(
                misfit.words.starts_with("click: ") && misfit.words.len() < COMPLAINT,
                "{}",
                misfit.words
            );
        }
        let mut f = fields(json!({"x": 1, "buton": "right", "note": ""}));
        f.pass_over(&["note"]);
        f.number("x").unwrap();
        assert_eq!(f.end().unwrap_err().words, "click: it has no field `buton`, only `x`");
    }
}
