//! The journal's format. A change here is a change for every run folder ever written: add fields with a default, and
//! keep what is there.

use super::*;
use crate::flow::action::ActionHash;
use crate::flow::receipt::Outcome;
use crate::port::desktop::Injected;
use crate::random::Random;
use crate::space::{FrameId, ScreenPx, Size};
use serde_json::json;
use std::time::Duration;

fn record() -> StepRecord {
    let injected = Injected { events: 3, of: 3, complete: true, took: Duration::from_micros(1_500) };
    let deed = |action: &str, outcome| Deed {
        action: action.into(),
        hash: ActionHash("00112233445566778899aabbccddeeff".into()),
        outcome,
    };
    StepRecord {
        turn: 12,
        at_unix_millis: 1_710_512_622_123,
        frame: FrameGeometry {
            frame: FrameId(12),
            size: Size::new(1920, 1080),
            origin: ScreenPx::new(-1920, 0),
            scale: 1.25,
        },
        picture: FrameHash::of(b""),
        choice: "act".into(),
        call: Some(ToolUse { tool: "click".into(), args: json!({"x": 500, "y": 300.5, "reason": "ok"}) }),
        steps: Vec::new(),
        reason: "Öffne das Menü".into(),
        notes: vec!["x of 1500 was clamped to 1000".into()],
        deeds: vec![
            deed("click", Outcome::Done { injected: Some(injected) }),
            deed("launch", Outcome::Done { injected: None }),
            deed("key", Outcome::Refused { why: "no".into() }),
            deed("type", Outcome::Failed { why: "gone".into(), injected: Some(injected) }),
            deed("wait", Outcome::NotExecuted),
            deed("drag", Outcome::Ambiguous),
        ],
        calm: Calm::TimedOut,
        judgement: Judgement::Unchecked,
        usage: Usage {
            input_tokens: Some(1_900),
            output_tokens: Some(44),
            cost_usd: Some(0.0125),
            ..Usage::default()
        },
        timings: Timings { capture: 1.5, model: 2000.25, whole: 2900.0, ..Timings::default() },
    }
}

// spec: S-66 UNIT
#[test]
fn a_step_is_written_as_ever() {
    let golden = concat!(
        r#"{"turn":12,"at_unix_millis":1710512622123,"#,
        r#""frame":{"frame":12,"size":{"width":1920,"height":1080},"origin":{"x":-1920,"y":0},"scale":1.25},"#,
        r#""picture":"af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262","#,
        r#""choice":"act","call":{"tool":"click","args":{"x":500,"y":300.5,"reason":"ok"}},"#,
        r#""reason":"Öffne das Menü","notes":["x of 1500 was clamped to 1000"],"deeds":["#,
        r#"{"action":"click","hash":"00112233445566778899aabbccddeeff","outcome":"done","injected":{"events":3,"of":3,"complete":true,"took":{"secs":0,"nanos":1500000}}},"#,
        r#"{"action":"launch","hash":"00112233445566778899aabbccddeeff","outcome":"done","injected":null},"#,
        r#"{"action":"key","hash":"00112233445566778899aabbccddeeff","outcome":"refused","why":"no"},"#,
        r#"{"action":"type","hash":"00112233445566778899aabbccddeeff","outcome":"failed","why":"gone","injected":{"events":3,"of":3,"complete":true,"took":{"secs":0,"nanos":1500000}}},"#,
        r#"{"action":"wait","hash":"00112233445566778899aabbccddeeff","outcome":"not_executed"},"#,
        r#"{"action":"drag","hash":"00112233445566778899aabbccddeeff","outcome":"ambiguous"}],"#,
        r#""calm":"timed_out","judgement":"unchecked","#,
        r#""usage":{"input_tokens":1900,"output_tokens":44,"cached_tokens":null,"cost_usd":0.0125},"#,
        r#""timings":{"capture":1.5,"perceive":0.0,"context":0.0,"model":2000.25,"act":0.0,"pause":0.0,"settle":0.0,"record":0.0,"whole":2900.0}}"#
    );
    assert_eq!(serde_json::to_string(&record()).unwrap(), golden);
    assert_eq!(serde_json::from_str::<StepRecord>(golden).unwrap(), record());
}

#[test]
fn every_judgement_and_calm_is_read_back() {
    for (judgement, golden) in [
        (Judgement::Unchecked, r#""unchecked""#),
        (Judgement::Confirmed { by: "window".into() }, r#"{"confirmed":{"by":"window"}}"#),
        (Judgement::Denied { by: "a".into(), why: "b".into() }, r#"{"denied":{"by":"a","why":"b"}}"#),
        (Judgement::Stuck { repeats: 4 }, r#"{"stuck":{"repeats":4}}"#),
    ] {
        assert_eq!(serde_json::to_string(&judgement).unwrap(), golden);
        assert_eq!(serde_json::from_str::<Judgement>(golden).unwrap(), judgement);
    }
    for (calm, golden) in
        [(Calm::Skipped, r#""skipped""#), (Calm::Settled, r#""settled""#), (Calm::TimedOut, r#""timed_out""#)]
    {
        assert_eq!(serde_json::to_string(&calm).unwrap(), golden);
        assert_eq!(serde_json::from_str::<Calm>(golden).unwrap(), calm);
    }
}

/// A record that is read and written again must keep its checksum, so every number must survive.
#[test]
fn numbers_survive_reading_and_writing() {
    let mut random = Random::new(5);
    for _ in 0..3_000 {
        let mut number = || random.unit() * [1.0, 1e-3, 5_000.0, 1e9][random.below(4) as usize];
        let timings = Timings {
            capture: number(),
            model: number(),
            pause: number(),
            whole: number(),
            ..Timings::default()
        };
        let usage = Usage { cost_usd: Some(number()), ..Usage::default() };
        let record = StepRecord { timings, usage, ..record() };
        let text = serde_json::to_string(&record).unwrap();
        let read: StepRecord = serde_json::from_str(&text).unwrap();
        assert_eq!(read, record);
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }
}

#[test]
fn an_older_record_without_the_newer_numbers_is_read() {
    let mut old = serde_json::to_value(record()).unwrap();
    old["usage"] = json!({"input_tokens": 1900});
    old["timings"] = json!({"whole": 5.0, "some_day": 1});
    let read: StepRecord = serde_json::from_value(old).unwrap();
    assert_eq!((read.usage.input_tokens, read.usage.cost_usd), (Some(1_900), None));
    assert_eq!(read.timings, Timings { whole: 5.0, ..Timings::default() });
}

#[test]
fn stages_go_forward_and_keep_their_names() {
    assert!(Stage::ALL.is_sorted());
    for stage in Stage::ALL {
        assert_eq!(Stage::from_name(stage.name()), Some(stage));
        assert_eq!(serde_json::to_string(&stage).unwrap(), format!("{:?}", stage.name()));
    }
    assert_eq!(Stage::from_name("observed"), None);
}

#[test]
fn overhead_is_what_is_left() {
    let timings =
        Timings { model: 2_000.0, pause: 950.0, settle: 200.0, whole: 3_170.0, ..Timings::default() };
    assert!((timings.overhead() - 20.0).abs() < 1e-9);
    assert!(
        Timings { whole: 1.0, model: 2.0, ..Timings::default() }.overhead().abs() < 1e-9,
        "never below zero"
    );
}
