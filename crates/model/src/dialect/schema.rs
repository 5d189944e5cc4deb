//! Checking arguments against the part of JSON Schema that tools use.
//!
//! A schema with any other keyword is refused when the dialect is built, not skipped when a call arrives. `minimum`, `maximum` and
//! `additionalProperties` tell the model what is meant and are not enforced: a number outside is the tool's to clamp or refuse
//! (the profiles differ), and a field too many is dropped with a note, so that no tool ever sees it.

use super::reject::{Misfit, kind_of, short};
use serde_json::{Map, Number, Value};

/// A tool's schema that the checker cannot hold a call to. For whoever wrote the tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the schema of tool {tool} at {place}: {what}")]
pub struct SchemaError {
    pub tool: String,
    pub place: String,
    pub what: String,
}

/// A schema, read once.
#[derive(Debug, Clone)]
pub(super) struct Schema {
    shape: Shape,
    /// Empty if any value of the shape will do.
    one_of: Vec<Value>,
}

#[derive(Debug, Clone)]
enum Shape {
    String,
    Number,
    Integer,
    Boolean,
    Array { items: Box<Schema>, min: usize, max: usize },
    Object(Object),
}

#[derive(Debug, Clone)]
pub(super) struct Object {
    fields: Vec<Field>,
}

#[derive(Debug, Clone)]
struct Field {
    name: String,
    required: bool,
    schema: Schema,
}

/// Above this a float no longer tells whole numbers apart.
const EXACT: f64 = 9_007_199_254_740_992.0;

const SHAPES: &str = "object, array, string, number, integer or boolean";

impl Object {
    /// Reads the schema of a tool's arguments.
    pub(super) fn compile(tool: &str, schema: &Value) -> Result<Self, SchemaError> {
        let at =
            |place: &str, what: String| SchemaError { tool: tool.to_owned(), place: place.to_owned(), what };
        let compiled = Schema::compile(schema, "parameters", &at)?;
        match compiled.shape {
            Shape::Object(object) if compiled.one_of.is_empty() => Ok(object),
            _ => Err(at("parameters", "arguments must be an object".into())),
        }
    }

    /// The arguments with exactly the fields that the schema knows; what was dropped goes to `notes`.
    pub(super) fn check(
        &self,
        args: Map<String, Value>,
        place: &str,
        notes: &mut Vec<String>,
    ) -> Result<Map<String, Value>, Misfit> {
        let mut given = args;
        let mut fitting = Map::new();
        for field in &self.fields {
            let place = if place.is_empty() { field.name.clone() } else { format!("{place}.{}", field.name) };
            match given.remove(&field.name) {
                Some(value) => {
                    fitting.insert(field.name.clone(), field.schema.check(value, &place, notes)?);
                }
                None if field.required => {
                    let words = format!("the field `{place}` is missing");
                    return Err(Misfit::missing(words));
                }
                None => {}
            }
        }
        for name in given.keys() {
            notes.push(format!("the field `{}` is none of this tool and was dropped", short(name)));
        }
        Ok(fitting)
    }

    /// `x: number, button?: "left"|"right"`.
    pub(super) fn signature(&self) -> String {
        let of =
            |f: &Field| format!("{}{}: {}", f.name, if f.required { "" } else { "?" }, f.schema.signature());
        self.fields.iter().map(of).collect::<Vec<_>>().join(", ")
    }
}

impl Schema {
    fn compile(
        value: &Value,
        place: &str,
        at: &dyn Fn(&str, String) -> SchemaError,
    ) -> Result<Self, SchemaError> {
        let map = value.as_object().ok_or_else(|| at(place, "it is no object".into()))?;
        let text = map.get("type").and_then(Value::as_str);
        let count = |key: &str, otherwise| match map.get(key) {
            None => Ok(otherwise),
            Some(v) => {
                v.as_u64().map(|n| n as usize).ok_or_else(|| at(place, format!("`{key}` is no count")))
            }
        };
        let shape = match text {
            Some("string") => Shape::String,
            Some("number") => Shape::Number,
            Some("integer") => Shape::Integer,
            Some("boolean") => Shape::Boolean,
            Some("array") => {
                let items = map.get("items").ok_or_else(|| at(place, "an array needs `items`".into()))?;
                Shape::Array {
                    items: Box::new(Self::compile(items, &format!("{place}.items"), at)?),
                    min: count("minItems", 0)?,
                    max: count("maxItems", usize::MAX)?,
                }
            }
            Some("object") => Shape::Object(Self::compile_object(map, place, at)?),
            _ => return Err(at(place, format!("`type` must be {SHAPES}"))),
        };
        let own: &[&str] = match shape {
            Shape::Array { .. } => &["items", "minItems", "maxItems"],
            Shape::Object(_) => &["properties", "required", "additionalProperties"],
            Shape::Number | Shape::Integer => &["minimum", "maximum"],
            Shape::String | Shape::Boolean => &[],
        };
        for key in map.keys() {
            if !["type", "title", "description", "default", "enum"].contains(&key.as_str())
                && !own.contains(&key.as_str())
            {
                return Err(at(place, format!("`{key}` is not known for this type")));
            }
        }
        let one_of = match map.get("enum") {
            None => Vec::new(),
            Some(Value::Array(list)) if !list.is_empty() => list.clone(),
            Some(_) => return Err(at(place, "`enum` must be a list with something in it".into())),
        };
        Ok(Self { shape, one_of })
    }

    fn compile_object(
        map: &Map<String, Value>,
        place: &str,
        at: &dyn Fn(&str, String) -> SchemaError,
    ) -> Result<Object, SchemaError> {
        let properties = match map.get("properties") {
            Some(Value::Object(p)) => p,
            _ => return Err(at(place, "an object needs `properties`".into())),
        };
        let required: Vec<&str> = match map.get("required") {
            None => Vec::new(),
            Some(list) => list
                .as_array()
                .and_then(|l| l.iter().map(Value::as_str).collect())
                .ok_or_else(|| at(place, "`required` must be a list of names".into()))?,
        };
        if let Some(stranger) = required.iter().find(|r| !properties.contains_key(**r)) {
            return Err(at(place, format!("`{stranger}` is required but is no property")));
        }
        let mut fields = Vec::with_capacity(properties.len());
        for (name, schema) in properties {
            fields.push(Field {
                name: name.clone(),
                required: required.contains(&name.as_str()),
                schema: Self::compile(schema, &format!("{place}.{name}"), at)?,
            });
        }
        Ok(Object { fields })
    }

    fn check(&self, value: Value, place: &str, notes: &mut Vec<String>) -> Result<Value, Misfit> {
        let value = match (&self.shape, value) {
            (Shape::String, v @ Value::String(_))
            | (Shape::Boolean, v @ Value::Bool(_))
            | (Shape::Number, v @ Value::Number(_)) => v,
            (Shape::Integer, Value::Number(n)) => {
                let words = || format!("`{place}` is no whole number");
                Value::Number(whole(n).ok_or_else(|| Misfit::wrong_type(words()))?)
            }
            (Shape::Array { items, min, max }, Value::Array(list)) => {
                if list.len() < *min || list.len() > *max {
                    let words = format!("`{place}` has {} items", list.len());
                    return Err(Misfit::out_of_range(words));
                }
                let item = |(i, v)| items.check(v, &format!("{place}[{i}]"), notes);
                Value::Array(list.into_iter().enumerate().map(item).collect::<Result<_, _>>()?)
            }
            (Shape::Object(object), Value::Object(map)) => Value::Object(object.check(map, place, notes)?),
            (_, v) => {
                let words = format!("`{place}` is {}, not {}", kind_of(&v), self.signature());
                return Err(Misfit::wrong_type(words));
            }
        };
        if !self.one_of.is_empty() && !self.one_of.contains(&value) {
            let words = format!("`{place}` is none of {}", self.signature());
            return Err(Misfit::out_of_range(words));
        }
        Ok(value)
    }

    fn signature(&self) -> String {
        if !self.one_of.is_empty() {
            return self.one_of.iter().map(Value::to_string).collect::<Vec<_>>().join("|");
        }
        match &self.shape {
            Shape::String => "string".into(),
            Shape::Number => "number".into(),
            Shape::Integer => "whole number".into(),
            Shape::Boolean => "true|false".into(),
            Shape::Array { items, .. } => format!("[{}, ...]", items.signature()),
            Shape::Object(object) => format!("{{{}}}", object.signature()),
        }
    }
}

/// `3.0` is the whole number 3; `3.5` is none.
fn whole(n: Number) -> Option<Number> {
    if n.is_i64() || n.is_u64() {
        return Some(n);
    }
    let f = n.as_f64()?;
    (f.fract() == 0.0 && f.abs() <= EXACT).then(|| Number::from(f as i64))
}

#[cfg(test)]
mod tests;
