//! A button that one turn presses and a later one is to release: when it comes up by itself, the model is told before it goes on.

use crate::rig::{Rig, always, session};
use handsight_testkit::chat::{Reply, Request};
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const WORDS: &str =
    "What was held down has been released: nothing is held for longer than 1 s. A drag under way is over";

/// What each request said and which buttons were down when it came, and the notes of each turn.
type Heard = (Vec<(String, Vec<u8>)>, Vec<String>);

/// Presses, moves after so long, and releases.
fn drag(settings: &[&str], thinking: Duration) -> Option<Heard> {
    let rig = Rig::new()?;
    let (witness, requests) = (Mutex::new(rig.witness()), Arc::new(Mutex::new(Vec::new())));
    let heard = Arc::clone(&requests);
    let model = always(move |request: &Request| {
        heard.lock().unwrap().push((request.json.to_string(), witness.lock().unwrap().buttons_down()));
        let say = |action| Reply::text(&json!([action]).to_string());
        match request.n {
            1 => say(json!({"do": "down", "at": [500, 500]})),
            2 => say(json!({"do": "move", "to": [600, 500]})).later(thinking),
            3 => say(json!({"do": "up"})),
            _ => say(json!({"do": "done", "statement": "It is dragged."})),
        }
    });
    let run = ["Drag it", "--set", "decide.dialect=actions", "--set", "act.max_hold_s=1", "--max-turns", "6"];
    rig.run(&model, &[&run[..], settings].concat()).ended(0);
    assert_eq!(model.take_complaints(), Vec::<String>::new());
    let notes = session(&rig.runs()[0]).iter().map(|line| line["notes"].to_string()).collect();
    let requests = requests.lock().unwrap().clone();
    Some((requests, notes))
}

const TALKS: [&str; 2] = ["--set", "context.history=conversation"];

#[test]
fn a_model_whose_button_came_up_by_itself_is_told() {
    for settings in [TALKS.as_slice(), &["--set", "context.told=words"]] {
        let Some((requests, notes)) = drag(settings, Duration::from_millis(1500)) else { return };
        let down: Vec<&[u8]> = requests.iter().map(|(_, down)| down.as_slice()).collect();
        assert_eq!(down[..3], [&[][..], &[1], &[]], "the button is down until it is too long");
        let told: Vec<bool> = requests.iter().map(|(words, _)| words.contains(WORDS)).collect();
        assert_eq!(told[..3], [false, false, true], "{settings:?}: right after it: {notes:?}");
        assert_eq!(notes.iter().filter(|note| note.contains(WORDS)).count(), 1, "and once: {notes:?}");
    }
}

#[test]
fn one_that_releases_it_in_time_is_told_nothing() {
    let Some((requests, notes)) = drag(&TALKS, Duration::ZERO) else { return };
    assert_eq!((requests[1].1.as_slice(), requests[2].1.as_slice()), (&[1][..], &[1][..]), "{notes:?}");
    assert!(requests.iter().all(|(words, _)| !words.contains("has been released")), "{notes:?}");
}
