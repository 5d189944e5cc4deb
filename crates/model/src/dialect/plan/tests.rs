use super::*;
use crate::dialect::compact;
use handsight_base::space::{FrameId, FrameRect, Size};

const PICTURE: PictureGeometry =
    PictureGeometry { frame: FrameId(1), pane: FrameRect::new(0, 0, 1280, 720), size: Size::new(1280, 720) };

fn dialect(options: Options) -> PlanDialect {
    PlanDialect { options, tools: tools::TOOLS }
}

fn decoded(text: &str) -> Result<Decoded, Rejection> {
    decoded_by(&dialect(Options::default()), text)
}

fn decoded_by(dialect: &PlanDialect, text: &str) -> Result<Decoded, Rejection> {
    dialect.decode(&ModelReply { text: text.to_owned(), ..ModelReply::default() }, &PICTURE)
}

fn step(tool: &str, args: Value) -> Value {
    value!({"tool": tool, "args": args, "human_readable_justification": "Go on"})
}

fn plan(steps: &[Value]) -> String {
    value!({"steps": steps, "done": null}).to_string()
}

fn meant(decoded: &Decoded) -> Value {
    decoded.plan.iter().map(compact::planned).collect()
}

/// Refused with this code, and nothing of it is run.
#[track_caller]
fn refused(text: &str, code: &str) {
    let rejection = decoded(text).expect_err(text);
    assert_eq!(rejection.code, code, "{text}: {rejection}");
    assert!(rejection.told().contains(&format!("({code})")), "the model is told the code: {rejection}");
    assert!(rejection.told().contains(HOW), "and the right form: {rejection}");
}

const DONE: &str = r#"{"steps":[],"done":"It is done."}"#;

// spec: D-18 D-28 D-30 UNIT
// spec: D-03 UNIT
#[test]
fn one_object_and_nothing_else() {
    for text in [
        format!("Sure! {DONE}"),
        format!("{DONE} Done."),
        format!("{DONE}{DONE}"),
        format!("[{DONE}]"),
        format!("```json\n{DONE}\n```"),
        format!("```\n{DONE}\n```"),
        format!("// the plan\n{DONE}"),
        r#"{"steps":[] /* none */,"done":"x"}"#.to_owned(),
        r#"{"steps":[],"done":"x",}"#.to_owned(),
        r#"{'steps':[],'done':'x'}"#.to_owned(),
        r#"{"steps":[],"done":"x""#.to_owned(),
        "null".to_owned(),
    ] {
        refused(&text, "not_json");
    }
    // The control: white space around it is no text.
    for text in [DONE.to_owned(), format!("\n  {DONE}\n")] {
        assert_eq!(meant(&decoded(&text).unwrap()), value!([{"done": "It is done."}]), "{text}");
    }
    // One fence is passed over where a profile says so, and noted; a second is not.
    let tolerant = dialect(Options { tolerant: true, ..Options::default() });
    let fenced = format!("```json\n{DONE}\n```");
    assert!(decoded_by(&tolerant, &fenced).unwrap().notes[0].contains("fence"));
    assert!(decoded_by(&tolerant, &format!("```\n{fenced}\n```")).is_err());
    assert!(decoded_by(&tolerant, &format!("Here: {fenced}")).is_err());
}

// spec: D-19 D-30 UNIT
#[test]
fn a_plan_has_exactly_two_keys() {
    refused(r#"{"steps":[],"done":"x","thought":"y"}"#, "extra_key");
    refused(r#"{"steps":[]}"#, "missing_key");
    refused(r#"{"done":"x"}"#, "missing_key");
    refused("{}", "missing_key");
    refused(r#"{"steps":[],"done":"x","done":null}"#, "not_json");
    let told = decoded(r#"{"steps":[],"done":"x","thought":"y"}"#).unwrap_err().to_string();
    assert!(told.contains("`thought`"), "the place is named: {told}");
}

// spec: D-20 D-21 D-30 UNIT
#[test]
fn a_step_has_exactly_three_keys_of_their_types() {
    let good = step("press", value!({"key": "a"}));
    let with = |key: &str, value: Option<Value>| {
        let mut step = good.clone();
        let map = step.as_object_mut().unwrap();
        match value {
            Some(value) => map.insert(key.to_owned(), value),
            None => map.shift_remove(key),
        };
        // The step before it is in order: a broken contract spoils all.
        plan(&[good.clone(), step])
    };
    assert_eq!(meant(&decoded(&plan(std::slice::from_ref(&good))).unwrap()), value!([{"key": "a"}]));
    for key in ["tool", "args", "human_readable_justification"] {
        refused(&with(key, None), "missing_key");
        refused(&with(key, Some(Value::Null)), "bad_type");
        refused(&with(key, Some(value!(7))), "bad_type");
        refused(&with(key, Some(value!([]))), "bad_type");
        let told = decoded(&with(key, None)).unwrap_err().to_string();
        assert!(told.contains("step 2") && told.contains(&format!("`{key}`")), "{told}");
    }
    refused(&with("thought", Some(value!("hm"))), "extra_key");
    refused(&with("tool", Some(value!(""))), "empty_tool");
    refused(&with("args", Some(value!("enter"))), "bad_type");
    refused(&with("human_readable_justification", Some(value!(""))), "bad_type");
    refused(&with("human_readable_justification", Some(value!(" "))), "bad_type");
    for steps in [value!({}), value!("x"), value!([good, 7]), value!([[]]), Value::Null] {
        refused(&value!({"steps": steps, "done": null}).to_string(), "bad_type");
    }
    // No arguments are an object too: it is the tool that misses one, and the contract is kept.
    let empty = decoded(&with("args", Some(value!({})))).unwrap();
    assert_eq!(meant(&empty), value!([{"key": "a"}]));
    assert!(empty.broken.unwrap().told().contains("`key` is missing"));
}

// spec: D-22 D-25 D-26 UNIT
#[test]
fn done_is_null_or_a_text() {
    let with = |done: Value| value!({"steps": [], "done": done}).to_string();
    assert_eq!(meant(&decoded(&with(value!("Saved."))).unwrap()), value!([{"done": "Saved."}]));
    for none in [Value::Null, value!(""), value!(" \n")] {
        let wasted = decoded(&with(none)).unwrap();
        assert!(wasted.plan.is_empty() && wasted.notes[0].contains("came to nothing"), "{wasted:?}");
    }
    for other in [value!(true), value!(1), value!(["x"]), value!({})] {
        refused(&with(other), "bad_type");
    }
}

// spec: D-23 D-24 UNIT
#[test]
fn steps_beyond_the_limit_are_dropped_and_told() {
    let steps: Vec<Value> = (0..15).map(|_| step("press", value!({"key": "tab"}))).collect();
    for (given, max_steps, kept) in [(15, 12, 12), (15, 4, 4), (6, 4, 4), (4, 4, 4), (0, 4, 0)] {
        let dialect = dialect(Options { max_steps, ..Options::default() });
        let decoded = decoded_by(&dialect, &plan(&steps[..given])).unwrap();
        assert_eq!((decoded.plan.len(), decoded.steps.len()), (kept, kept));
        let told = format!("{} steps too many were dropped: {max_steps} are run at most", given - kept);
        assert_eq!(decoded.notes.contains(&told), given > max_steps, "{:?}", decoded.notes);
    }
}

// spec: D-36 UNIT
#[test]
fn write_and_type_are_one_tool() {
    for args in [value!({"text": "Añ€"}), value!({"text": "ab", "interval_ms": 40})] {
        let of = |tool| decoded(&plan(&[step(tool, args.clone())])).unwrap().plan;
        assert_eq!(of("write"), of("type"));
        assert_eq!(of("write").len(), 1);
    }
    let broken = |tool| decoded(&plan(&[step(tool, value!({"txt": "a"}))])).unwrap().broken.unwrap().kind;
    assert_eq!(broken("write"), broken("type"));
}

// spec: D-42 UNIT
#[test]
fn names_of_tools_stay() {
    let names = |extended| -> Vec<&str> {
        let dialect = dialect(Options { extended, ..Options::default() });
        dialect.offered().map(|tool| tool.name).collect()
    };
    let nine = ["mouse", "press", "hotkey", "write", "type", "paste", "sleep", "launch", "focus_window"];
    assert_eq!(names(false), nine);
    assert_eq!(names(true)[..9], nine);
    assert!(names(true).iter().all(|name| *name == name.to_lowercase()));
    let shouted = decoded(&plan(&[step("Press", value!({"key": "a"}))])).unwrap();
    assert!(shouted.broken.unwrap().told().contains("there is no tool \"Press\""));
}

// spec: D-43 UNIT
#[test]
fn one_entry_adds_a_tool_to_the_words_the_schema_and_the_reader() {
    static TOYS: &[PlanTool] = &[PlanTool {
        name: "ring",
        args: "{\"times\": 1 to 3}: rings the bell",
        schema: || (value!({"times": {"type": "integer"}}), &["times"]),
        extended: false,
        read: |args, _, _| Ok(vec![Action::Wait { millis: args.whole("times", 1, 3)? as u64 }]),
    }];
    let toy = PlanDialect { options: Options::default(), tools: TOYS };
    assert!(toy.words().unwrap().contains("- `ring` {\"times\": 1 to 3}: rings the bell"));
    let schema = schema(toy.offered());
    let of_toy = &schema["properties"]["steps"]["items"]["anyOf"][0]["properties"];
    assert_eq!(of_toy["tool"]["enum"], value!(["ring"]));
    assert_eq!(of_toy["args"]["required"], value!(["times"]));
    let rung = decoded_by(&toy, &plan(&[step("ring", value!({"times": 2}))])).unwrap();
    assert_eq!(meant(&rung), value!([{"wait": 2}]));
    let too_often = decoded_by(&toy, &plan(&[step("ring", value!({"times": 4}))])).unwrap();
    assert!(too_often.plan.is_empty() && too_often.broken.is_some());
    // Nothing else knows of it, and it knows of nothing else.
    assert!(decoded(&plan(&[step("ring", value!({"times": 2}))])).unwrap().broken.is_some());
    assert!(decoded_by(&toy, &plan(&[step("press", value!({"key": "a"}))])).unwrap().broken.is_some());
}

// spec: D-31 UNIT
#[test]
fn the_stated_sample_turn_is_accepted() {
    let text = r#"{"steps":[
        {"tool":"hotkey","args":{"keys":["win","r"]},"human_readable_justification":"Open Run"},
        {"tool":"write","args":{"text":"notepad"},"human_readable_justification":"Type app name"},
        {"tool":"press","args":{"key":"enter"},"human_readable_justification":"Launch"}],"done":null}"#;
    let sample = decoded(text).unwrap();
    assert_eq!(meant(&sample), value!([{"key": "super+r"}, {"type": "notepad"}, {"key": "enter"}]));
    assert_eq!(sample.reason, "Open Run; Type app name; Launch");
    assert_eq!((sample.notes.len(), sample.broken), (0, None));
}
