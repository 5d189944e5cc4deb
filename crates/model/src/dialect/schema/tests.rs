use super::*;
use handsight_base::port::dialect::RejectionKind::{self, MissingField, OutOfRange, WrongType};
use serde_json::json;

fn object(properties: Value, required: Value) -> Object {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    Object::compile("t", &schema).unwrap()
}

fn check(object: &Object, args: Value) -> Result<(Value, Vec<String>), (RejectionKind, String)> {
    let Value::Object(args) = args else { panic!("{args}") };
    let mut notes = Vec::new();
    match object.check(args, "", &mut notes) {
        Ok(fitting) => Ok((Value::Object(fitting), notes)),
        Err(m) => Err((m.kind, m.words)),
    }
}

#[test]
fn each_type_takes_its_own_and_nothing_else() {
    let values = [json!("a"), json!(1.5), json!(3), json!(true), json!([1]), json!({"k": 1}), json!(null)];
    for (schema, takes) in [
        (json!({"type": "string"}), vec![0]),
        (json!({"type": "number"}), vec![1, 2]),
        (json!({"type": "integer"}), vec![2]),
        (json!({"type": "boolean"}), vec![3]),
        (json!({"type": "array", "items": {"type": "integer"}}), vec![4]),
        (json!({"type": "object", "properties": {"k": {"type": "integer"}}}), vec![5]),
    ] {
        let object = object(json!({"v": schema}), json!(["v"]));
        for (i, value) in values.iter().enumerate() {
            let checked = check(&object, json!({"v": value}));
            if takes.contains(&i) {
                assert_eq!(checked.unwrap().0, json!({"v": value}), "{schema}");
            } else {
                let (kind, words) = checked.unwrap_err();
                assert_eq!(kind, WrongType, "{schema} {value}");
                assert!(words.contains("`v`"), "{words}");
            }
        }
    }
}

#[test]
fn whole_numbers_may_be_written_with_a_point() {
    let object = object(json!({"n": {"type": "integer"}}), json!(["n"]));
    assert_eq!(check(&object, json!({"n": 3.0})).unwrap().0, json!({"n": 3}));
    assert_eq!(check(&object, json!({"n": -3.0})).unwrap().0, json!({"n": -3}));
    for bad in [json!(3.5), json!(1e300), json!("3")] {
        assert_eq!(check(&object, json!({"n": bad})).unwrap_err().0, WrongType);
    }
}

#[test]
fn a_missing_field_is_named_with_its_place() {
    let object = object(
        json!({"at": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}},
               "note": {"type": "string"}}),
        json!(["at"]),
    );
    assert_eq!(check(&object, json!({})).unwrap_err(), (MissingField, "the field `at` is missing".into()));
    let (kind, words) = check(&object, json!({"at": [{"x": 1}, {"y": 1}]})).unwrap_err();
    assert_eq!((kind, words.as_str()), (MissingField, "the field `at[1].x` is missing"));
    let (kind, words) = check(&object, json!({"at": [{"x": 1}, {"x": "1"}]})).unwrap_err();
    assert_eq!((kind, words.as_str()), (WrongType, "`at[1].x` is a text, not number"));
}

#[test]
fn a_field_too_many_is_dropped_and_noted() {
    let object = object(json!({"x": {"type": "number"}}), json!(["x"]));
    let (fitting, notes) = check(&object, json!({"x": 1, "exec": "rm"})).unwrap();
    assert_eq!(fitting, json!({"x": 1}));
    assert_eq!(notes, ["the field `exec` is none of this tool and was dropped"]);
}

#[test]
fn a_choice_and_a_count_have_bounds() {
    let object = object(
        json!({"button": {"type": "string", "enum": ["left", "right"]},
               "path": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 3}}),
        json!([]),
    );
    assert!(check(&object, json!({"button": "left", "path": [1, 2]})).is_ok());
    assert_eq!(check(&object, json!({"button": "Left"})).unwrap_err().0, OutOfRange);
    assert_eq!(check(&object, json!({"path": [1]})).unwrap_err().0, OutOfRange);
    assert_eq!(check(&object, json!({"path": [1, 2, 3, 4]})).unwrap_err().0, OutOfRange);
    assert_eq!(object.signature(), r#"button?: "left"|"right", path?: [number, ...]"#);
}

#[test]
fn a_range_is_the_tools_matter() {
    let object = object(json!({"x": {"type": "number", "minimum": 0, "maximum": 1000}}), json!(["x"]));
    assert_eq!(check(&object, json!({"x": 1500})).unwrap().0, json!({"x": 1500}));
}

#[test]
fn a_schema_that_cannot_be_held_is_refused_when_it_is_built() {
    let of = |v: Value| json!({"type": "object", "properties": {"v": v}, "required": ["v"]});
    for (schema, place, what) in [
        (json!(1), "parameters", "no object"),
        (json!({"type": "string"}), "parameters", "must be an object"),
        (json!({"type": "object"}), "parameters", "`properties`"),
        (json!({"type": "object", "properties": {}, "required": ["x"]}), "parameters", "is no property"),
        (of(json!({})), "parameters.v", "`type` must be"),
        (of(json!({"type": ["string", "null"]})), "parameters.v", "`type` must be"),
        (of(json!({"type": "string", "pattern": "a"})), "parameters.v", "`pattern` is not known"),
        (of(json!({"type": "string", "minimum": 1})), "parameters.v", "`minimum` is not known"),
        (of(json!({"type": "array"})), "parameters.v", "needs `items`"),
        (of(json!({"type": "array", "items": {"type": "text"}})), "parameters.v.items", "`type` must be"),
        (
            of(json!({"type": "array", "items": {"type": "string"}, "minItems": -1})),
            "parameters.v",
            "no count",
        ),
        (of(json!({"type": "string", "enum": []})), "parameters.v", "`enum`"),
    ] {
        let e = Object::compile("t", &schema).unwrap_err();
        assert_eq!(e.place, place, "{e}");
        assert!(e.what.contains(what), "{e}");
    }
}
