//! One table of replies per dialect, `cases/<dialect>.jsonl`: what each means, or how it is refused.
//!
//! A line is a case, `//` begins a comment. `name`, `kind` (good, odd, hostile) and `source` say what it is; `picture` and `screen`
//! are sizes (1280x720; the screen is as large as the picture if it is not said); the reply is `reply` (text), `calls` (`name`, `args`
//! as an object or as the text that was written, `id`), both, or `body` of a `wire` as it came; `want` are intents in compact form
//! ([`handsight_model::dialect::compact`]); `refuse` is the kind and words that the model must be told, `broken` the same
//! of a step after those of `want`. `notes` and `reason` hold parts
//! of what is expected there.

use super::*;
use handsight_base::port::dialect::{Decoded, Dialect, Rejection, RejectionKind};
use handsight_base::port::model::ToolCall;
use handsight_model::DIALECTS;
use handsight_model::dialect::compact;
use handsight_model::wire::WIRES;
use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) kind: Kind,
    source: String,
    #[serde(default = "usual")]
    picture: [u32; 2],
    screen: Option<[u32; 2]>,
    pub(super) reply: Option<String>,
    #[serde(default)]
    pub(super) calls: Vec<Written>,
    wire: Option<String>,
    body: Option<Value>,
    finish: Option<String>,
    pub(super) want: Option<Vec<Value>>,
    refuse: Option<Vec<String>>,
    /// Kind and words of what follows `want` and is not run.
    broken: Option<Vec<String>>,
    /// Of the call that is complained about.
    of: Option<usize>,
    reason: Option<String>,
    #[serde(default)]
    notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// As the vendor writes it.
    Good,
    /// Seen in the field, and meant.
    Odd,
    /// Must not act, or not otherwise than said.
    Hostile,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    pub(super) name: String,
    /// A text stands for itself: broken JSON can be written so.
    #[serde(default)]
    args: Value,
    id: Option<String>,
}

const fn usual() -> [u32; 2] {
    [1280, 720]
}

impl Case {
    pub(super) fn geometry(&self) -> PictureGeometry {
        let [width, height] = self.picture;
        let [w, h] = self.screen.unwrap_or(self.picture);
        PictureGeometry {
            frame: FrameId(1),
            pane: FrameRect::new(0, 0, w, h),
            size: Size::new(width, height),
        }
    }

    pub(super) fn model_reply(&self) -> ModelReply {
        let mut reply = match (&self.wire, &self.body) {
            (Some(wire), Some(body)) => {
                let wire = WIRES.iter().find(|w| w.name == wire).unwrap();
                (wire.decode)(body.to_string().as_bytes()).unwrap_or_else(|e| panic!("{}: {e}", self.name))
            }
            (None, None) => ModelReply::default(),
            _ => panic!("{}: `wire` and `body` go together", self.name),
        };
        if let Some(text) = &self.reply {
            reply.text.clone_from(text);
        }
        for (n, call) in self.calls.iter().enumerate() {
            let arguments = match &call.args {
                Value::Null => "{}".to_owned(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let id = call.id.clone().unwrap_or_else(|| format!("call_{n}"));
            reply.calls.push(ToolCall { id, name: call.name.clone(), arguments });
        }
        if self.finish.is_some() {
            reply.finish.clone_from(&self.finish);
        }
        reply
    }

    /// What is wrong with how it was read; `None` if nothing is.
    fn judge(&self, read: Result<Decoded, Rejection>) -> Option<String> {
        match (read, &self.want, &self.refuse) {
            (Ok(decoded), Some(want), None) => {
                let got: Vec<Value> = decoded.plan.iter().map(compact::planned).collect();
                if !same(&got, want) {
                    return Some(format!("means {}, not {}", json!(got), json!(want)));
                }
                if let Some(what) = wrong(decoded.broken.as_ref(), self.broken.as_deref()) {
                    return Some(what);
                }
                if self.reason.as_ref().is_some_and(|reason| !decoded.reason.contains(reason)) {
                    return Some(format!("its reason is {:?}", decoded.reason));
                }
                let missing = self.notes.iter().find(|n| !decoded.notes.iter().any(|note| note.contains(*n)));
                missing.map(|note| format!("no note says {note:?}, only {:?}", decoded.notes))
            }
            (Err(rejection), None, Some(refuse)) => {
                let kind: RejectionKind = serde_json::from_value(json!(refuse[0])).unwrap();
                let told = rejection.told();
                if told.chars().count() > Rejection::MAX_TOLD || told.is_empty() {
                    return Some(format!("the model is told {} characters", told.chars().count()));
                }
                if rejection.kind != kind || self.of.is_some_and(|of| of != rejection.call) {
                    return Some(format!(
                        "is refused as {:?} of call {}: {told}",
                        rejection.kind, rejection.call
                    ));
                }
                refuse[1..].iter().find(|w| !told.contains(*w)).map(|w| format!("{w:?} is not told: {told}"))
            }
            (Ok(decoded), None, Some(_)) => Some(format!("was read as {:?}", decoded.plan)),
            (Err(rejection), Some(_), None) => Some(format!("was refused: {rejection}")),
            (_, Some(_), Some(_)) | (_, None, None) => Some("says not one of `want` and `refuse`".to_owned()),
        }
    }
}

/// What is wrong with what was told of the step after a plan.
fn wrong(told: Option<&Rejection>, wanted: Option<&[String]>) -> Option<String> {
    let (told, wanted) = match (told, wanted) {
        (None, None) => return None,
        (Some(told), Some(wanted)) => (told, wanted),
        (told, wanted) => return Some(format!("after the plan {told:?} is told, not {wanted:?}")),
    };
    let kind: RejectionKind = serde_json::from_value(json!(wanted[0])).unwrap();
    let missing = wanted[1..].iter().find(|words| !told.told().contains(*words));
    (kind != told.kind || missing.is_some()).then(|| format!("after the plan {told:?} is told"))
}

/// Equal as JSON, 1 and 1.0 being one number.
fn same(got: &[Value], want: &[Value]) -> bool {
    fn equal(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
            }
            (Value::Object(a), Value::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| equal(v, w)))
            }
            (a, b) => a == b,
        }
    }
    got.len() == want.len() && got.iter().zip(want).all(|(a, b)| equal(a, b))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

/// The table of a dialect.
pub(super) fn table(dialect: &str) -> Vec<Case> {
    let path = folder().join(format!("{dialect}.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with("//"));
    let read = |(n, line): (usize, &str)| {
        serde_json::from_str(line).unwrap_or_else(|e| panic!("{}:{}: {e}", path.display(), n + 1))
    };
    lines.map(read).collect()
}

pub(super) fn built(dialect: &str) -> Box<dyn Dialect> {
    handsight_model::dialect::build(dialect, &five_tools()).unwrap().unwrap()
}

#[test]
fn every_reply_means_what_its_table_says() {
    let mut wrong = Vec::new();
    let mut cases = 0;
    for entry in DIALECTS {
        let name = entry.info.name;
        let dialect = built(name);
        let table = table(name);
        for case in &table {
            if let Some(what) = case.judge(dialect.decode(&case.model_reply(), &case.geometry())) {
                wrong.push(format!("{name}: {}: {what}", case.name));
            }
        }
        println!("{:>4} {name}", table.len());
        cases += table.len();
    }
    assert!(wrong.is_empty(), "{} of {cases}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Over all dialects.
const CASES: usize = 600;

#[test]
fn every_dialect_has_a_table_worth_the_name() {
    let mut cases = 0;
    for entry in DIALECTS {
        let name = entry.info.name;
        let table = table(name);
        let hostile = table.iter().filter(|c| c.kind == Kind::Hostile).count();
        assert!(
            table.len() >= 12 && hostile >= 4,
            "{name}: {} cases, {hostile} of them hostile",
            table.len()
        );
        let mut names: Vec<&str> = table.iter().map(|c| c.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), table.len(), "{name}: a name stands twice");
        assert!(table.iter().all(|c| c.source.len() > 3), "{name}: a case without a source");
        cases += table.len();
    }
    assert!(cases >= CASES, "{cases}");
    let tables = std::fs::read_dir(folder()).unwrap().count();
    assert_eq!(tables, DIALECTS.len(), "a table without a dialect");
}

/// The controls: a wrong meaning, a wrong kind and missing words are seen.
#[test]
fn a_table_that_is_wrong_is_seen() {
    let dialect = built("actions");
    let judge = |change: &dyn Fn(&mut Case)| {
        let mut case: Case = serde_json::from_value(json!({
            "name": "n", "kind": "good", "source": "here",
            "reply": r#"[{"do":"wait","seconds":1}]"#, "want": [{"wait": 1000}],
        }))
        .unwrap();
        change(&mut case);
        case.judge(dialect.decode(&case.model_reply(), &case.geometry()))
    };
    assert_eq!(judge(&|_| {}), None);
    assert!(judge(&|c| c.want = Some(vec![json!({"wait": 1001})])).is_some());
    assert!(judge(&|c| c.want = Some(vec![])).is_some());
    assert!(judge(&|c| c.want = None).is_some());
    assert!(judge(&|c| c.notes = vec!["fence".into()]).is_some());
    let refused = |kind: &str, words: &str| {
        judge(&|c| {
            c.reply = Some("prose".into());
            (c.want, c.refuse) = (None, Some(vec![kind.into(), words.into()]));
        })
    };
    assert_eq!(refused("bad_json", "`[`"), None);
    assert!(refused("no_call", "`[`").is_some());
    assert!(refused("bad_json", "purple").is_some());
}
