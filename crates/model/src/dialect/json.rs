//! Reading a model's JSON without mercy.
//!
//! The usual reader takes the last of two equal keys, and a value that a person reads differently from the program is a way to be
//! fooled. Here two equal keys, deep nesting and the NUL character are errors. Numbers that no `f64` holds (`1e999`) are refused by
//! the parser itself; NaN and infinity cannot be written in JSON.

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Deepest nesting; the deepest tool has three.
const DEPTH: usize = 32;

/// Longest text that is read at all, in bytes.
pub(super) const LONGEST: usize = 64 * 1024;

pub(super) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict { left: DEPTH }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

#[derive(Clone, Copy)]
struct Strict {
    left: usize,
}

impl Strict {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        match self.left.checked_sub(1) {
            Some(left) => Ok(Self { left }),
            None => Err(E::custom(format!("nested deeper than {DEPTH}"))),
        }
    }
}

fn without_nul<E: serde::de::Error>(text: &str) -> Result<(), E> {
    if text.contains('\0') { Err(E::custom("a text holds the NUL character")) } else { Ok(()) }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, v: bool) -> Result<Value, E> {
        Ok(Value::Bool(v))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Value, E> {
        Ok(v.into())
    }

    fn visit_i64<E>(self, v: i64) -> Result<Value, E> {
        Ok(v.into())
    }

    fn visit_f64<E: serde::de::Error>(self, v: f64) -> Result<Value, E> {
        serde_json::Number::from_f64(v).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E: serde::de::Error>(self, v: &str) -> Result<Value, E> {
        without_nul(v)?;
        Ok(Value::String(v.to_owned()))
    }

    fn visit_string<E: serde::de::Error>(self, v: String) -> Result<Value, E> {
        without_nul(&v)?;
        Ok(Value::String(v))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let inside = self.deeper()?;
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(inside)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let inside = self.deeper()?;
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            without_nul(&key)?;
            let value = map.next_value_seed(inside)?;
            if object.contains_key(&key) {
                let key: String = key.chars().take(40).collect();
                return Err(A::Error::custom(format!("the key {key:?} stands twice")));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_two_readers_could_read_differently_is_refused() {
        let nested = |n: usize| format!("{}1{}", "[".repeat(n), "]".repeat(n));
        for (text, why) in [
            (r#"{"x":1,"x":2}"#, "stands twice"),
            (r#"{"a":{"x":1,"\u0078":2}}"#, "stands twice"),
            (r#"{"x":"a\u0000b"}"#, "NUL"),
            ("{\"\\u0000\":1}", "NUL"),
            (r#"{"x":1e999}"#, "out of range"),
            (r#"{"x":-1e999}"#, "out of range"),
            (r#"{"x":"\ud800"}"#, ""),
            (r#"{"x":"\udc00\ud800"}"#, ""),
            (r#"{"x":NaN}"#, ""),
            (r#"{"x":Infinity}"#, ""),
            (r#"{"x":01}"#, ""),
            (r#"{"x":1,}"#, ""),
            (r#"{'x':1}"#, ""),
            (r#"{"x":1} {"y":2}"#, "trailing"),
            (r#"{"x":1"#, ""),
            ("", ""),
            (&nested(33), "nested deeper"),
            (&nested(10_000), "nested deeper"),
        ] {
            let e = parse(text).unwrap_err().to_string();
            assert!(e.contains(why), "{text:.40}: {e}");
        }
        assert!(parse(&nested(32)).is_ok());
    }

    proptest! {
        /// Whatever both readers take, they take as the same.
        #[test]
        fn it_agrees_with_the_usual_reader(text in r#"[\[\]{}":,0-9a-c \\ue.-]{0,40}"#) {
            if let Ok(strict) = parse(&text) {
                prop_assert_eq!(strict, serde_json::from_str::<Value>(&text).unwrap());
            }
        }
    }
}
