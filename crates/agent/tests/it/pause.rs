//! A pause for privacy: from the moment it is kept until its end no picture is taken, no model is asked and nothing moves.
#![expect(clippy::disallowed_methods, reason = "a person acts from outside and in real time")]

use crate::rig::{Rig, call, until};
use handsight_agent::ending::Outcome;
use handsight_agent::person::Person;
use handsight_agent::progress::Event;
use handsight_base::privacy::Privacy;
use handsight_base::stop::StopReason;
use handsight_testkit::fake::{Call, Handle};
use handsight_testkit::wait;
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Waits until the pause is kept, looks for a while whether anything is called, and then does `then`. What was called meanwhile.
fn watch(privacy: &Privacy, desktop: &Handle, then: impl FnOnce() + Send + 'static) -> JoinHandle<usize> {
    let (privacy, desktop) = (privacy.clone(), desktop.clone());
    std::thread::spawn(move || {
        wait::until("the pause is kept", wait::PATIENCE, || privacy.is_kept().then_some(()));
        let before = desktop.calls().len();
        std::thread::sleep(Duration::from_millis(200));
        let during = desktop.calls().len() - before;
        then();
        during
    })
}

fn rig(settings: &[&str]) -> (Rig, Privacy) {
    let mut rig = Rig::new(settings);
    let privacy = Privacy::new();
    rig.person = Person { privacy: privacy.clone(), ..Person::default() };
    (rig, privacy)
}

fn click() -> Result<handsight_base::port::model::ModelReply, handsight_base::port::model::ModelError> {
    call("click", json!({"x": 500, "y": 500, "reason": "press"}))
}

#[test]
fn in_every_part_of_a_turn_it_holds_still_and_goes_on_with_a_new_look() {
    // At which event of the third turn it begins.
    for part in ["TurnStarted", "Captured", "Asked", "Decided", "Acted", "Settled", "Committed"] {
        let (mut rig, privacy) = rig(&[]);
        let watching: Arc<Mutex<Option<JoinHandle<usize>>>> = Arc::default();
        let (hears, desktop) = (Arc::clone(&watching), rig.desktop.clone());
        let (begins, mut turn) = (privacy.clone(), 0);
        rig.hear = Some(Box::new(move |event| {
            if let Event::TurnStarted { turn: t } = event {
                turn = *t;
            }
            let mut watching = hears.lock().unwrap();
            if turn == 3 && watching.is_none() && format!("{event:?}").starts_with(part) {
                begins.begin();
                let ends = begins.clone();
                *watching = Some(watch(&begins, &desktop, move || ends.end()));
            }
        }));
        let ending = rig.run(until(6, |_| click()));
        assert_eq!((ending.outcome, ending.turns), (Outcome::Done, 6), "{part}");
        let during = watching.lock().unwrap().take().unwrap().join().unwrap();
        assert_eq!(during, 0, "{part}: the desktop was called while it was paused");
        assert!(!privacy.is_on());
        let events = rig.events.lock().unwrap();
        let at = events.iter().position(|e| *e == Event::Paused).unwrap();
        assert!(matches!(events[at + 1], Event::GoesOn { .. }), "{part}: {:?}", &events[at..]);
        // What was decided on the screen of before is not done on the one of after.
        let clicks = if matches!(part, "Decided") { 4 } else { 5 };
        assert_eq!(ending.actions, clicks, "{part}");
        assert_eq!(rig.asked().len(), 6, "{part}");
        let turns: Vec<u64> =
            crate::rig::session(&rig.out()).iter().map(|l| l["turn"].as_u64().unwrap()).collect();
        assert_eq!(turns, [1, 2, 3, 4, 5, 6], "{part}");
        let notes: Vec<String> =
            crate::rig::session(&rig.out()).iter().map(|l| l["notes"].to_string()).collect();
        assert_eq!(
            notes.iter().filter(|n| n.contains("a person paused the run")).count(),
            1,
            "{part}: {notes:?}"
        );
        assert!(rig.desktop.calls().iter().any(|(_, c)| *c == Call::ReleaseAll), "{part}");
    }
}

#[test]
fn a_stop_ends_a_paused_run_without_another_look() {
    let (mut rig, privacy) = rig(&[]);
    let stop = rig.stop.clone();
    let desktop = rig.desktop.clone();
    privacy.begin();
    let watching = watch(&privacy, &desktop, move || stop.set(StopReason::Interrupt));
    let ending = rig.run(until(2, |_| click()));
    assert_eq!(ending.outcome, Outcome::Stopped(StopReason::Interrupt));
    assert_eq!(watching.join().unwrap(), 0);
    let looks = rig.desktop.calls().iter().filter(|(_, c)| matches!(c, Call::Capture { .. })).count();
    assert_eq!((looks, rig.asked().len()), (0, 0));
    assert!(privacy.is_on(), "it was never taken back");
}

#[test]
fn the_limit_of_time_ends_a_paused_run() {
    let (mut rig, privacy) = rig(&["limits.max_time_s=30"]);
    privacy.begin();
    let ending = rig.run(until(2, |_| click()));
    assert_eq!((ending.outcome, rig.asked().len()), (Outcome::TimeLimit, 0));
}
