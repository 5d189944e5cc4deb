//! A person who uses the screen themselves: from their first touch nothing is looked at, asked or pressed, until they have been
//! quiet or give the word.
#![expect(clippy::disallowed_methods, reason = "a person acts from outside and in real time")]

use crate::rig::{Rig, call, session, until};
use handsight_agent::ending::Outcome;
use handsight_agent::person::Person;
use handsight_agent::progress::Event;
use handsight_base::port::model::{ModelError, ModelReply};
use handsight_base::privacy::Privacy;
use handsight_base::stop::StopReason;
use handsight_testkit::fake::Call;
use handsight_testkit::wait;
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

fn rig(settings: &[&str]) -> (Rig, Privacy) {
    let mut rig = Rig::new(settings);
    let privacy = Privacy::new();
    rig.person = Person { privacy: privacy.clone(), ..Person::default() };
    (rig, privacy)
}

fn click() -> Result<ModelReply, ModelError> {
    call("click", json!({"x": 500, "y": 500, "reason": "press"}))
}

/// Does `then` when the third turn comes to this event.
fn at(rig: &mut Rig, part: &'static str, mut then: impl FnMut() + Send + 'static) {
    let (mut turn, mut is_done) = (0, false);
    rig.hear = Some(Box::new(move |event| {
        if let Event::TurnStarted { turn: t } = event {
            turn = *t;
        }
        if turn == 3 && !is_done && format!("{event:?}").starts_with(part) {
            is_done = true;
            then();
        }
    }));
}

const PARTS: [&str; 7] = ["TurnStarted", "Captured", "Asked", "Decided", "Acted", "Settled", "Committed"];

fn notes(rig: &Rig) -> usize {
    let notes = session(&rig.out()).iter().map(|l| l["notes"].to_string()).collect::<Vec<_>>();
    notes.iter().filter(|n| n.contains("a person used the screen")).count()
}

#[test]
fn in_every_part_of_a_turn_the_screen_is_theirs_until_their_word() {
    for part in PARTS {
        let (mut rig, privacy) = rig(&["person.resume=word"]);
        let watching: Arc<Mutex<Option<JoinHandle<usize>>>> = Arc::default();
        let (watches, desktop, word) = (Arc::clone(&watching), rig.desktop.clone(), privacy.clone());
        at(&mut rig, part, move || {
            desktop.presence().hear(1);
            let (desktop, word) = (desktop.clone(), word.clone());
            *watches.lock().unwrap() = Some(std::thread::spawn(move || {
                wait::until("the run holds still", wait::PATIENCE, || word.is_held().then_some(()));
                // What shows the pause is called before anything else.
                let before = desktop.calls().len();
                std::thread::sleep(Duration::from_millis(100));
                // They go on: no quiet ends it.
                desktop.presence().hear(2);
                std::thread::sleep(Duration::from_millis(50));
                let during = desktop.calls().len() - before;
                word.end();
                during
            }));
        });
        let ending = rig.run(until(6, |_| click()));
        assert_eq!((ending.outcome, ending.turns), (Outcome::Done, 6), "{part}");
        assert_eq!(watching.lock().unwrap().take().unwrap().join().unwrap(), 0, "{part}: called meanwhile");
        let events = rig.events.lock().unwrap();
        let began = events.iter().position(|e| *e == Event::TakenOver { quiet: None }).unwrap();
        assert!(matches!(events[began + 1], Event::GoesOn { .. }), "{part}: {:?}", &events[began..]);
        // What was decided on the screen of before is not done on the one of after.
        let clicks = if part == "Decided" { 4 } else { 5 };
        assert_eq!((ending.actions, rig.asked().len(), notes(&rig)), (clicks, 6, 1), "{part}");
        assert!(rig.desktop.calls().iter().any(|(_, c)| *c == Call::ReleaseAll), "{part}");
        assert!(!privacy.is_held() && !rig.desktop.presence().is_on());
    }
}

#[test]
fn after_quiet_it_goes_on_by_itself() {
    for part in PARTS {
        let (mut rig, _privacy) = rig(&["person.quiet_s=4"]);
        let presence = rig.desktop.presence();
        at(&mut rig, part, move || presence.hear(1));
        let ending = rig.run(until(4, |_| click()));
        assert_eq!((ending.outcome, notes(&rig)), (Outcome::Done, 1), "{part}");
        let events = rig.events.lock().unwrap();
        let waited = events.iter().find_map(|e| match e {
            Event::GoesOn { paused } => Some(*paused),
            _ => None,
        });
        assert!(waited.unwrap() >= Duration::from_secs(4), "{part}: {waited:?}");
    }
}

#[test]
fn a_person_who_is_never_followed_ends_the_run() {
    let (mut rig, _privacy) = rig(&["person.resume=never"]);
    let presence = rig.desktop.presence();
    at(&mut rig, "Decided", move || presence.hear(1));
    let ending = rig.run(until(6, |_| click()));
    assert_eq!(ending.outcome, Outcome::Stopped(StopReason::Person));
    assert_eq!(ending.actions, 2, "the third was decided and not done");
}

#[test]
fn a_stop_and_the_limit_of_time_end_a_run_that_is_kept_off() {
    let (rig_stopped, privacy) = rig(&["person.resume=word"]);
    rig_stopped.desktop.presence().hear(1);
    let stop = rig_stopped.stop.clone();
    let waits = std::thread::spawn(move || {
        wait::until("the run holds still", wait::PATIENCE, || privacy.is_held().then_some(()));
        stop.set(StopReason::Interrupt);
    });
    let mut stopped = rig_stopped;
    assert_eq!(stopped.run(until(2, |_| click())).outcome, Outcome::Stopped(StopReason::Interrupt));
    waits.join().unwrap();
    let (mut limited, _privacy) = rig(&["person.resume=word", "limits.max_time_s=30"]);
    limited.desktop.presence().hear(1);
    assert_eq!(limited.run(until(2, |_| click())).outcome, Outcome::TimeLimit);
    assert_eq!((stopped.asked().len(), limited.asked().len()), (0, 0));
}
