//! The solutions that stand in a suite, as the model of the `assist` profile: short plans of strict JSON, in pixels of the picture.
//!
//! Like a careful model it plans only as far as the windows there are, and looks again while the next is not there. Where they are it
//! learns from an independent client; of the product it knows no more than the request.

use crate::handsight::Said;
use handsight_lab::control::script::{Deed, Place};
use handsight_lab::suite::{ProgramsStart, Start, Suite};
use handsight_testkit::chat::{Reply, Request, Rules, Server};
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

/// A whole evaluation: dozens of runs.
const PATIENCE: Duration = Duration::from_secs(540);
/// More steps of a plan are not carried out.
const STEPS: usize = 4;

/// A window as the independent client sees it.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    /// Of the client area, in pixels of the screen: x, y, width, height.
    pub(crate) client: [i32; 4],
    pub(crate) focused: bool,
}

/// The topmost shown window that has this in its title.
pub(crate) type Find = Box<dyn FnMut(&str) -> Option<Seen> + Send>;

/// What one step of a plan can do, and the window it is about.
#[derive(Debug, Clone)]
struct Move {
    window: Option<String>,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    Click(Place),
    Write(String),
    Keys(Vec<String>),
    AwaitGone(String),
    Await,
}

pub(crate) struct Solver {
    cases: Vec<(String, ProgramsStart)>,
    /// The home of a case's programs, as the programs name it.
    home: Box<dyn Fn(&str) -> String + Send>,
    find: Find,
    left: VecDeque<Move>,
    /// Cases that were begun.
    begun: BTreeSet<String>,
}

impl Solver {
    pub(crate) fn new(suite: &str, home: impl Fn(&str) -> String + Send + 'static, find: Find) -> Self {
        let programs = |case: handsight_lab::suite::Case| match case.start {
            Start::Programs(start) => (case.id, start),
            Start::World(_) => panic!("{} is on a world", case.id),
        };
        let cases = Suite::shipped(suite).unwrap().unwrap().cases.into_iter().map(programs).collect();
        Self { cases, home: Box::new(home), find, left: VecDeque::new(), begun: BTreeSet::new() }
    }

    fn answer(&mut self, request: &Request) -> Reply {
        let told = told(request);
        let objective = told.strip_prefix("Objective: ").unwrap_or_else(|| panic!("{told}"));
        if objective.contains("\n\nTurn 1 of ") {
            self.begin(objective);
        }
        let mut steps: Vec<Value> = Vec::new();
        let mut at: Option<Option<String>> = None;
        while let Some(next) = self.left.front().cloned() {
            // A plan is about one window, and a click may open another.
            let same = at.as_ref().is_none_or(|window| *window == next.window);
            let clicks = matches!(next.what, What::Click(_));
            if steps.len() == STEPS || !same || (clicks && !steps.is_empty()) {
                break;
            }
            let Some(step) = self.step(&next, steps.is_empty()) else { break };
            steps.extend(step);
            at = Some(next.window);
            self.left.pop_front();
        }
        let done = (steps.is_empty() && self.left.is_empty()).then_some("What was asked for is done.");
        Reply::text(&json!({ "steps": steps, "done": done }).to_string())
    }

    fn begin(&mut self, objective: &str) {
        let home = &self.home;
        let means = |(id, start): &&(String, ProgramsStart)| {
            objective.starts_with(&start.objective.replace("{home}", &home(id)))
        };
        let (id, start) = self.cases.iter().find(means).unwrap_or_else(|| panic!("{objective}"));
        let home = home(id);
        let moves = start.solution.iter().flat_map(|step| {
            let of = |what| Move { window: step.window.clone(), what };
            match &step.deed {
                Deed::Click(place) => vec![of(What::Click(*place))],
                Deed::Type(text) => spelt(&text.replace("{home}", &home)).into_iter().map(of).collect(),
                Deed::Key(chord) => {
                    vec![of(What::Keys(chord.to_string().split('+').map(str::to_owned).collect()))]
                }
                Deed::Await => vec![of(What::Await)],
                Deed::AwaitGone(title) => vec![of(What::AwaitGone(title.clone()))],
                other => panic!("{id}: nobody says {other:?} as a plan yet"),
            }
        });
        self.left = moves.collect();
        assert!(self.begun.insert(id.clone()), "{id} began twice");
    }

    /// A move as a step, or nothing for one that only waits; `None` if it is not possible yet.
    fn step(&mut self, next: &Move, first: bool) -> Option<Option<Value>> {
        let window = match &next.window {
            Some(title) => Some((self.find)(title)?),
            None => None,
        };
        // The first click or key of a plan gives the window the focus, or shows that it has it.
        let typed = matches!(next.what, What::Write(_) | What::Keys(_));
        if typed && first && window.as_ref().is_some_and(|w| !w.focused) {
            return None;
        }
        let (tool, args, why) = match &next.what {
            What::Click(place) => {
                let [x, y, width, height] = window?.client;
                let from = |start: i32, d: i32, size: i32| if d < 0 { start + size + d } else { start + d };
                let (x, y) = (from(x, place.dx, width), from(y, place.dy, height));
                ("mouse", json!({ "x": x, "y": y }), "Click there")
            }
            What::Write(text) => ("write", json!({ "text": text }), "Type the text"),
            What::Keys(keys) if keys.len() == 1 => ("press", json!({ "key": keys[0] }), "Press the key"),
            What::Keys(keys) => ("hotkey", json!({ "keys": keys }), "Press the keys"),
            What::AwaitGone(title) => return (self.find)(title).is_none().then_some(None),
            What::Await => return Some(None),
        };
        Some(Some(json!({ "tool": tool, "args": args, "human_readable_justification": why })))
    }
}

/// A text as `assist` is told to write it: Enter and Tab are keys.
fn spelt(text: &str) -> Vec<What> {
    let mut moves = Vec::new();
    for part in text.split_inclusive(['\n', '\t']) {
        let words = part.trim_end_matches(['\n', '\t']);
        if !words.is_empty() {
            moves.push(What::Write(words.to_owned()));
        }
        match part.chars().last() {
            Some('\n') => moves.push(What::Keys(vec!["enter".into()])),
            Some('\t') => moves.push(What::Keys(vec!["tab".into()])),
            _ => {}
        }
    }
    moves
}

fn told(request: &Request) -> String {
    let content = &request.messages("user").last().unwrap()["content"];
    let parts = content.as_array().unwrap().iter();
    parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// Waits that nobody need sit through: controls and solver wait for windows.
const BRISK: [&str; 6] = [
    "--set",
    "act.delay_after_action_s=0.1",
    "--set",
    "act.delay_after_observe_s=0.05",
    "--set",
    "settle.max_s=1.5",
];

/// Lets `eval` play these cases with the solver behind a strict server, and says what came of it. `command` makes the product's own.
pub(crate) fn eval(
    command: impl Fn(&[&str]) -> Command,
    suite: &str,
    tasks: &str,
    out: &str,
    solver: Solver,
) -> Said {
    let solver = Mutex::new(solver);
    let server = Server::with(Rules::default(), move |request| solver.lock().unwrap().answer(request));
    let url = server.base_url();
    let args = ["eval", "--json", "--suite", suite, "--tasks", tasks, "--profile", "assist", "--out", out];
    let model = ["--model", "custom/test", "--base-url", &url];
    let said = crate::handsight::run(command(&[&args[..], &model, &BRISK].concat()), PATIENCE);
    // One strict call a turn, each with one picture.
    let requests = server.requests();
    assert!(requests.iter().all(|r| r.pictures.len() == 1), "{} requests", requests.len());
    said
}

/// Everything was played and judged as it must be: the solutions win, as the oracle's and as the model's, and nothing else does.
#[track_caller]
pub(crate) fn assert_proven(said: &Said, of: usize) -> Value {
    let told = said.ended(0).json();
    let all = |passed: usize| json!({ "passed": passed, "of": of, "void": 0 });
    assert_eq!(told["controls"]["oracle"], all(of), "{}", said.stderr);
    assert_eq!(told["controls"]["no-op"], all(0), "{}", said.stderr);
    assert_eq!(told["controls"]["random"], all(0), "{}", said.stderr);
    assert_eq!(
        (&told["success"]["passed"], &told["success"]["of"]),
        (&of.into(), &of.into()),
        "{}",
        said.stderr
    );
    assert_eq!((&told["malformed"], &told["left_out"]), (&0.into(), &json!([])), "{told}");
    told
}

/// A folder of this side as a part of a path.
pub(crate) fn stage(out: &Path, id: &str) -> std::path::PathBuf {
    out.join("stage").join(format!("{id}-1-model")).join("home")
}
