//! JSON schema as far as Gemini takes it: the keys of its `Schema` type, nothing else.

use serde_json::{Map, Value, json};

/// Keys that mean the same on both sides.
const SAME: [&str; 15] = [
    "title",
    "description",
    "default",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minProperties",
    "maxProperties",
    "pattern",
    "example",
    "nullable",
    "propertyOrdering",
];

/// The schema of a function's parameters; `None` if it takes none.
pub(super) fn subset(schema: &Value) -> Option<Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.is_some_and(|p| !p.is_empty()).then(|| convert(schema))
}

fn convert(schema: &Value) -> Value {
    let mut to = Map::new();
    let mut nullable = false;
    let kind = match schema.get("type") {
        // `["string", "null"]`: the other word of the same.
        Some(Value::Array(kinds)) => {
            nullable = kinds.iter().any(|k| k == "null");
            kinds.iter().find(|k| *k != "null")
        }
        kind => kind,
    };
    let kind = kind.and_then(Value::as_str).unwrap_or_default();
    if !kind.is_empty() {
        to.insert("type".to_owned(), kind.to_ascii_uppercase().into());
    }
    for (key, value) in schema.as_object().into_iter().flatten() {
        match key.as_str() {
            key if SAME.contains(&key) => drop(to.insert(key.to_owned(), value.clone())),
            "format" if known_format(kind, value) => drop(to.insert(key.clone(), value.clone())),
            // Only texts may be listed.
            "enum" if is_texts(value) => drop(to.insert(key.clone(), value.clone())),
            "const" if value.is_string() => drop(to.insert("enum".to_owned(), json!([value]))),
            "items" => drop(to.insert(key.clone(), convert(value))),
            "anyOf" | "oneOf" => {
                let any = value.as_array().into_iter().flatten().map(convert).collect();
                to.insert("anyOf".to_owned(), any);
            }
            "properties" => {
                let all = value.as_object().into_iter().flatten();
                let all: Map<String, Value> = all.map(|(k, v)| (k.clone(), convert(v))).collect();
                if !all.is_empty() {
                    to.insert(key.clone(), Value::Object(all));
                }
            }
            "required" if value.as_array().is_some_and(|r| !r.is_empty()) => {
                to.insert(key.clone(), value.clone());
            }
            _ => {}
        }
    }
    if nullable {
        to.insert("nullable".to_owned(), true.into());
    }
    Value::Object(to)
}

fn is_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(Value::is_string))
}

fn known_format(kind: &str, format: &Value) -> bool {
    let known: &[&str] = match kind {
        "string" => &["enum", "date-time"],
        "number" => &["float", "double"],
        "integer" => &["int32", "int64"],
        _ => &[],
    };
    format.as_str().is_some_and(|f| known.contains(&f))
}
