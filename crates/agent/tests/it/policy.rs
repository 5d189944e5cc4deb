//! The policy in a run: what is refused is told and ends a run in the end, what a person is asked about is done once after a yes, and budgets
//! hold over a resume.

use crate::confirm::Says;
use crate::rig::{Answers, Rig};
use handsight_agent::confirm::{Confirm, Question};
use handsight_agent::ending::Outcome;
use handsight_agent::person::Person;
use handsight_base::flow::action::Primitive;
use handsight_base::flow::decision::Consent;
use handsight_base::port::BoxFuture;
use handsight_base::port::desktop::DesktopError;
use handsight_base::port::model::ModelReply;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A model that answers with lists of actions, the last of which is `done`.
fn says(replies: Vec<Value>) -> Answers {
    let mut replies = replies.into_iter();
    Box::new(move |_, _| {
        let done = json!([{"do": "done", "statement": "finished"}]);
        Ok(ModelReply { text: replies.next().unwrap_or(done).to_string(), ..ModelReply::default() })
    })
}

fn rig(settings: &[&str]) -> Rig {
    let quick =
        ["settle.enabled=false", "decide.tools=[]", "context.picture_width=64", "context.picture_height=36"];
    let mut rig = Rig::new(&[&quick[..], settings].concat());
    rig.dialect_name = "actions";
    rig
}

fn key(keys: &str) -> Value {
    json!({"do": "key", "keys": keys})
}

/// The characters and named keys that went down, in their order.
fn pressed(rig: &Rig) -> String {
    let keys = rig.desktop.injected().into_iter().filter_map(|p| match p {
        Primitive::Key { key, down: true } => Some(format!("<{key}>")),
        Primitive::Char(c) => Some(c.to_string()),
        _ => None,
    });
    keys.collect()
}

fn told(rig: &Rig) -> String {
    let lines = crate::rig::session(&rig.out());
    lines.iter().map(|line| line["deeds"].to_string()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_refusal_is_told_and_five_turns_of_them_end_the_run() {
    let mut rig = rig(&[]);
    let ending = rig.run(says(vec![json!([key("ctrl+alt+delete"), key("a")]); 9]));
    assert_eq!((ending.outcome, ending.turns, ending.actions), (Outcome::Refused, 5, 0));
    assert!(ending.statement.contains("refused in 5 turns in a row"), "{}", ending.statement);
    assert!(ending.statement.contains("ctrl+alt+delete is not to be pressed"), "{}", ending.statement);
    assert_eq!(pressed(&rig), "");
    assert_ne!(rig.asked()[0].picture, rig.asked()[1].picture, "the next picture says it");
    // The control: a turn in between that is not refused, or no limit.
    let refused = || json!([key("super+l")]);
    let between = (0..18).map(|i| if i % 2 == 0 { refused() } else { json!([key("a")]) }).collect();
    let mut rig = self::rig(&["limits.max_turns=18"]);
    assert_eq!(rig.run(says(between)).outcome, Outcome::TurnLimit);
    let mut rig = self::rig(&["limits.max_turns=18", "policy.max_refusals=0"]);
    assert_eq!(rig.run(says(vec![refused(); 18])).outcome, Outcome::TurnLimit);
}

/// spec R16: denied combinations are refused also when spread over several actions, replies and turns.
#[test]
fn a_chord_is_refused_however_it_is_spread() {
    let parts = [key("ctrl"), key("alt"), key("delete")];
    let [ctrl, alt, delete] = parts.clone();
    for replies in [
        vec![json!(parts)],
        vec![json!([ctrl.clone()]), json!([alt.clone()]), json!([delete.clone()])],
        vec![json!([ctrl.clone(), {"do": "wait", "seconds": 1}, alt.clone()]), json!([delete.clone()])],
        vec![json!([ctrl.clone(), {"do": "click", "at": [5, 5]}, alt.clone(), delete.clone()])],
        vec![json!([{"do": "hold", "keys": "ctrl+alt", "seconds": 1}, delete.clone()])],
    ] {
        let mut rig = rig(&[]);
        rig.run(says(replies.clone()));
        assert!(!pressed(&rig).contains("delete"), "{replies:?}: {}", pressed(&rig));
        assert!(told(&rig).contains("one key after the other"), "{replies:?}");
    }
    // The control: the same keys with another between them.
    let mut rig = rig(&[]);
    rig.run(says(vec![json!([ctrl, alt, key("a"), delete])]));
    assert_eq!(pressed(&rig), "<ctrl><alt><a><delete>");
}

#[test]
fn a_launch_that_is_allowed_goes_through_the_run_dialog_that_is_denied() {
    let settings = ["act.launch_method=run_dialog", "policy.launch=[\"mousepad\"]"];
    let launch = |program: &str| json!([{"do": "launch", "command": [program]}]);
    let mut rig = rig(&settings);
    rig.run(says(vec![launch("mousepad"), launch("xterm"), json!([key("super+r")])]));
    assert_eq!(pressed(&rig), "<super><r>mousepad<enter>");
    assert!(told(&rig).contains("opens a way to start any program"), "{}", told(&rig));
}

/// A person who says yes, and what each question was.
struct Yes(Arc<Mutex<Vec<Question>>>);

impl Confirm for Yes {
    fn put<'a>(&'a mut self, question: &'a Question) -> BoxFuture<'a, Consent> {
        self.0.lock().unwrap().push(question.clone());
        Box::pin(std::future::ready(Consent::Given))
    }
}

/// spec R13: consequential classes need approval; it is for one action, defaults to no, and is never acknowledged by anything else.
#[test]
fn a_person_is_asked_about_each_action_by_itself() {
    let asked: Arc<Mutex<Vec<Question>>> = Arc::default();
    let mut rig = rig(&["policy.on.close=ask"]);
    rig.person = Person { confirm: Box::new(Yes(Arc::clone(&asked))), ..Person::default() };
    let close = || key("ctrl+w");
    let ending = rig.run(says(vec![json!([close(), key("a"), close()]), json!([close()])]));
    assert_eq!((ending.outcome, ending.actions), (Outcome::Done, 4));
    assert_eq!(pressed(&rig), "<ctrl><w><a><ctrl><w><ctrl><w>");
    let questions = asked.lock().unwrap();
    assert_eq!(questions.len(), 3, "the same action is asked about again");
    assert_eq!(questions[0].rules, [("on.close", "it closes, quits or deletes something".to_owned())]);
    assert_eq!(questions[0].would, ["key ctrl+w"]);
    let line = &crate::rig::session(&rig.out())[0];
    assert!(line["notes"].to_string().contains("a person agreed"), "{line}");
    // Every other answer, and nobody at all.
    for answer in [Consent::Refused, Consent::NoAnswer, Consent::Nobody] {
        let mut rig = self::rig(&["policy.on.close=ask"]);
        (rig.person, _) = Says::person(answer);
        let ending = rig.run(says(vec![json!([close(), key("a")]); 9]));
        assert_eq!((ending.outcome, ending.actions), (Outcome::Refused, 0), "{answer:?}");
        assert_eq!(pressed(&rig), "");
        assert!(told(&rig).contains(answer.words()), "{answer:?}: {}", told(&rig));
    }
    let mut rig = self::rig(&["policy.on.close=ask", "decide.confirm_s=0"]);
    (rig.person, _) = Says::person(Consent::Given);
    assert_eq!(rig.run(says(vec![json!([close()]); 9])).outcome, Outcome::Refused, "nobody is asked");
}

#[test]
fn budgets_hold_over_a_resume_and_a_minute_passes() {
    let mut rig = rig(&["policy.max_actions=3"]);
    rig.run(says(vec![json!([key("a"), key("b")])]));
    assert_eq!(rig.run(says(vec![json!([key("c"), key("d")])])).actions, 3);
    assert_eq!(pressed(&rig), "<c>", "this desktop saw the second run alone");
    assert!(told(&rig).contains("the run may take 3 actions, and has"), "{}", told(&rig));

    let mut rig = self::rig(&["policy.max_launches=1"]);
    let launch = || json!([{"do": "launch", "command": ["mousepad"]}]);
    rig.run(says(vec![launch()]));
    assert!(pressed(&rig).contains("mousepad"), "the control: {}", pressed(&rig));
    rig.run(says(vec![launch()]));
    assert_eq!(pressed(&rig), "");

    // A model that thinks for a minute may go on, one that does not may not.
    for (think, done) in [(61, "<a><b><d>"), (20, "<a><b>")] {
        let mut rig = self::rig(&["policy.max_actions_per_minute=2"]);
        rig.think = Duration::from_secs(think);
        rig.run(says(vec![json!([key("a"), key("b"), key("c")]), json!([key("d")])]));
        assert_eq!(pressed(&rig), done);
    }
}

/// spec R10: a batch of five that fails at each index: what came before was done, the rest is told as not executed.
#[test]
fn a_batch_stops_at_its_first_failure_wherever_that_is() {
    let letters = ["a", "b", "c", "d", "e"];
    for bad in 0..=5 {
        let mut rig = rig(&[]);
        let batch: Vec<Value> =
            letters.iter().enumerate().map(|(i, l)| key(if i == bad { "super+l" } else { l })).collect();
        rig.run(says(vec![json!(batch)]));
        let done: Vec<String> = letters[..bad.min(5)].iter().map(|l| format!("<{l}>")).collect();
        assert_eq!(pressed(&rig), done.concat(), "at {bad}");
        let downs = |p: &Primitive| matches!(p, Primitive::Key { .. });
        assert_eq!(
            rig.desktop.injected().iter().filter(|p| downs(p)).count(),
            2 * bad.min(5),
            "events at {bad}"
        );
        let deeds = &crate::rig::session(&rig.out())[0]["deeds"];
        let outcomes: Vec<&str> =
            deeds.as_array().unwrap().iter().map(|d| d["outcome"].as_str().unwrap()).collect();
        let expected: Vec<&str> = (0..5)
            .map(|i| match i.cmp(&bad) {
                std::cmp::Ordering::Less => "done",
                std::cmp::Ordering::Equal => "refused",
                std::cmp::Ordering::Greater => "not_executed",
            })
            .collect();
        assert_eq!(outcomes, expected, "at {bad}");
    }
    // The same where the desktop fails.
    for bad in 0..5 {
        let mut rig = rig(&[]);
        let batch: Vec<Value> = letters.iter().map(|l| key(l)).collect();
        let fault = DesktopError::Unsupported { what: "this".into(), backend: "fake".into() };
        rig.desktop.fail_injection_after(bad, fault);
        rig.run(says(vec![json!(batch)]));
        assert_eq!(pressed(&rig).len(), 3 * bad, "at {bad}: {}", pressed(&rig));
        assert!(told(&rig).matches("not_executed").count() == 4 - bad, "at {bad}: {}", told(&rig));
    }
}
