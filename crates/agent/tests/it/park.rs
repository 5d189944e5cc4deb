//! A model service that is away for hours: the run waits with empty hands and goes on, or can be resumed (R33).

use crate::rig::{Rig, call, network_error, session, until};
use handsight_agent::ending::Outcome;
use handsight_agent::progress::Event;
use handsight_base::port::clock::Clock;
use handsight_base::port::model::{ModelError, ModelReply};
use handsight_base::stop::StopReason;
use handsight_model::{Limiter, RetryPolicy, Retrying};
use handsight_store::{Reader, spend::Ledger};
use handsight_testkit::fake::Call;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: &str = "decide.park_s=86400";

fn refused(status: u16, retry_after: Option<Duration>) -> Result<ModelReply, ModelError> {
    Err(ModelError::Http { provider: "test".into(), status, body: "later".into(), retry_after })
}

fn click() -> Result<ModelReply, ModelError> {
    call("click", json!({"x": 500, "y": 500, "reason": "press"}))
}

/// A rig whose model is asked as a service on a network is.
fn parking(settings: &[&str], ledger: Option<Arc<Ledger>>) -> Rig {
    let mut rig = Rig::new(&[&[DAY, "settle.enabled=false"], settings].concat());
    limited(&mut rig, ledger);
    rig
}

fn limited(rig: &mut Rig, ledger: Option<Arc<Ledger>>) {
    rig.around = Some(Box::new(move |model, clock| {
        let limiter = Limiter::new("test", ledger, Arc::clone(&clock));
        Arc::new(Retrying::new(model, RetryPolicy::times(0), clock, Some(5)).limited(limiter))
    }));
}

/// The most calls in any minute.
fn busiest_minute(rig: &Rig) -> usize {
    let at: Vec<Duration> = rig.asked().iter().map(|a| a.at).collect();
    let after =
        |from: &Duration| at.iter().filter(|t| *t >= from && **t < *from + Duration::from_secs(60)).count();
    at.iter().map(after).max().unwrap_or(0)
}

/// Twenty-three and a half hours of every kind of failure that may pass, in the middle of a run.
#[test]
fn a_run_outlives_a_day_without_its_model() {
    for kind in 0..5 {
        let mut rig = parking(&["limits.max_turns=3"], None);
        let clock = rig.clock.clone();
        let over = HOUR.mul_f64(23.5);
        let ending = rig.run(Box::new(move |n, _| match n {
            1 => click(),
            n if clock.now() < over => match kind {
                0 => refused(429, None),
                1 => refused(529, Some(Duration::from_secs(u64::MAX))),
                2 => refused(503, Some(HOUR)),
                3 => network_error(),
                _ if n % 3 == 0 => network_error(),
                _ if n % 3 == 1 => refused(500, None),
                _ => refused(429, Some(Duration::ZERO)),
            },
            _ => call("done", json!({"reason": "after all"})),
        }));
        assert_eq!(ending.outcome, Outcome::Done, "{kind}: {}", ending.statement);
        let calls = rig.asked().len();
        // About ten minutes apart, or an hour at the service's own word.
        assert!((23..350).contains(&calls), "{kind}: {calls} calls");
        assert!(busiest_minute(&rig) <= 12, "{kind}: {} calls a minute", busiest_minute(&rig));
        // The journal has every turn, none is lost or counted twice, and nothing was moved meanwhile.
        let turns: Vec<u64> = session(&rig.out()).iter().map(|l| l["turn"].as_u64().unwrap()).collect();
        assert!(turns.iter().copied().eq(1..=calls as u64), "{kind}: {turns:?}");
        assert_eq!(ending.actions, 1, "{kind}");
        let reader = Reader::open(&rig.out()).unwrap();
        assert!(reader.report().is_sound(), "{kind}");
        let calls = rig.desktop.calls();
        let released = calls.iter().filter(|(_, c)| *c == Call::ReleaseAll).count();
        assert!(released >= 20, "{kind}: released {released} times");
        let events = rig.events.lock().unwrap();
        let away = events.iter().filter(|e| matches!(e, Event::ModelAway { .. })).count();
        let back: Vec<&Event> = events.iter().filter(|e| matches!(e, Event::ModelBack { .. })).collect();
        assert!(away >= 20 && back.len() == 1, "{kind}: {away} {back:?}");
        assert!(matches!(back[0], Event::ModelBack { away } if *away > HOUR * 23), "{kind}: {back:?}");
    }
}

#[test]
fn after_a_day_the_run_ends_and_can_be_resumed() {
    let mut rig = parking(&[], None);
    let ending = rig.run(Box::new(|n, _| if n == 1 { click() } else { refused(429, None) }));
    assert_eq!((ending.outcome, ending.actions), (Outcome::ModelFailed, 1));
    assert!(ending.statement.contains("has not answered for 864"), "{}", ending.statement);
    assert!(rig.clock.now() < HOUR * 25);
    let mut on = parking(&[], None);
    on.folder = rig.folder;
    let ending = on.run(until(2, |_| click()));
    assert_eq!((ending.outcome, ending.actions), (Outcome::Done, 2));
}

#[test]
fn a_stop_ends_the_wait_at_once() {
    let mut rig = parking(&[], None);
    let (stop, clock) = (rig.stop.clone(), rig.clock.clone());
    rig.hear = Some(Box::new(move |event| {
        if matches!(event, Event::ModelAway { .. }) {
            stop.set(StopReason::Chord);
        }
    }));
    let ending = rig.run(Box::new(|_, _| refused(429, Some(HOUR))));
    assert_eq!((ending.outcome, rig.asked().len()), (Outcome::Stopped(StopReason::Chord), 1));
    assert!(clock.now() < Duration::from_secs(60), "it did not sit the hour out: {:?}", clock.now());
    assert!(rig.desktop.calls().iter().any(|(_, c)| *c == Call::ReleaseAll));
}

#[test]
fn what_will_not_pass_and_what_was_never_there_is_not_waited_for() {
    for (answer, name) in [
        (refused(401, None), "a key that is refused"),
        (refused(400, None), "a request that is wrong"),
        (refused(403, None), "no permission"),
        (network_error(), "nobody there"),
    ] {
        let mut rig = parking(&[], None);
        let ending = rig.run(Box::new(move |_, _| answer.clone()));
        assert_eq!((ending.outcome, ending.turns), (Outcome::ModelFailed, 3), "{name}");
        assert!(rig.clock.now() < Duration::from_secs(60), "{name}: {:?}", rig.clock.now());
    }
}

#[test]
fn the_limit_of_time_holds_while_it_waits() {
    let mut rig = parking(&["limits.max_time_s=600"], None);
    let ending = rig.run(Box::new(|_, _| refused(429, Some(HOUR))));
    assert_eq!(ending.outcome, Outcome::TimeLimit);
    assert!(rig.clock.now() <= Duration::from_secs(601), "{:?}", rig.clock.now());
}

/// Another process was told to wait: this one does, before it asks even once more than it must.
#[test]
fn a_pause_is_shared_with_runs_that_begin_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = || Arc::new(Ledger::open(dir.path()).unwrap().0);
    let mut rig = parking(&[], Some(ledger()));
    let stop = rig.stop.clone();
    rig.hear = Some(Box::new(move |event| {
        if matches!(event, Event::ModelAway { .. }) {
            stop.set(StopReason::Person);
        }
    }));
    rig.run(Box::new(|_, _| refused(429, Some(HOUR / 2))));
    let mut other = parking(&[], Some(ledger()));
    let ending = other.run(until(1, |_| click()));
    assert_eq!(ending.outcome, Outcome::Done);
    let asked = other.asked();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].at >= HOUR / 2 - Duration::from_secs(60), "asked at {:?}", asked[0].at);
}
