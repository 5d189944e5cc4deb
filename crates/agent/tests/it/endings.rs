//! Every way a run ends, and what is left in the journal.

use crate::rig::{Rig, call, network_error, reply, session, until};
use handsight_agent::ending::Outcome;
use handsight_agent::progress::Event;
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::DesktopError;
use handsight_base::stop::StopReason;
use handsight_store::Reader;
use handsight_testkit::fake::Call;
use serde_json::json;
use std::time::Duration;

// spec: S-81 UNIT
#[test]
fn three_failures_in_a_row_end_the_run_and_any_usable_reply_resets() {
    let mut rig = Rig::new(&[]);
    let ending = rig.run(Box::new(|n, _| match n {
        3 => call("observe", json!({"reason": "ok"})),
        _ => network_error(),
    }));
    assert_eq!((ending.outcome, ending.turns), (Outcome::ModelFailed, 6), "fail, fail, ok, fail, fail, fail");
    assert!(ending.statement.contains("refused"), "{}", ending.statement);
}

// spec: S-25 S-99 UNIT
#[test]
fn unusable_replies_share_the_count_and_move_nothing() {
    let mut rig = Rig::new(&[]);
    let ending = rig.run(Box::new(|n, _| match n {
        1 => call("exec", json!({"cmd": "rm -rf /", "reason": "r"})),
        2 => network_error(),
        _ => Ok(reply(Vec::new())),
    }));
    assert_eq!((ending.outcome, ending.turns, ending.actions), (Outcome::Malformed, 3, 0));
    assert_eq!(rig.desktop.injected(), []);
    assert!(session(&rig.out()).iter().all(|line| line["choice"] == "refused"));
}

// spec: S-26 S-31 UNIT
#[test]
fn only_done_ends_a_run_without_limits() {
    let mut rig = Rig::new(&["settle.enabled=false"]);
    let ending = rig.run(until(201, |_| call("observe", json!({"reason": "again"}))));
    assert_eq!((ending.outcome, ending.turns), (Outcome::Done, 201));
    assert_eq!(ending.statement, "finished");
    assert_eq!((ending.input_tokens, ending.output_tokens), (201_000, 10_050));
}

#[test]
fn limits_have_their_own_endings() {
    let observe = |_: u64| call("observe", json!({"reason": ""}));
    let ending = Rig::new(&["limits.max_turns=4"]).run(until(99, observe));
    assert_eq!((ending.outcome, ending.turns), (Outcome::TurnLimit, 4));
    let ending = Rig::new(&["limits.max_time_s=10"]).run(until(99, observe));
    assert_eq!(ending.outcome, Outcome::TimeLimit);
    assert!((10.0..13.0).contains(&ending.wall_s), "{}", ending.wall_s);
    let mut rig = Rig::new(&["limits.max_cost_usd=0.5"]);
    let ending = rig.run(until(99, |_| {
        let mut reply = call("observe", json!({"reason": ""}))?;
        reply.usage.cost_usd = Some(0.2);
        Ok(reply)
    }));
    assert_eq!((ending.outcome, ending.turns), (Outcome::CostLimit, 3));
    assert!(ending.cost_usd.is_some_and(|c| (c - 0.6).abs() < 1e-9));
}

#[test]
fn a_cost_limit_counts_on_after_a_resume() {
    let observe = |_: u64| {
        let mut reply = call("observe", json!({"reason": ""}))?;
        reply.usage.cost_usd = Some(0.2);
        Ok(reply)
    };
    let mut rig = Rig::new(&["limits.max_cost_usd=0.5"]);
    assert_eq!(rig.run(until(99, observe)).turns, 3);
    let mut on = Rig::new(&["limits.max_cost_usd=0.5"]);
    on.folder = rig.folder;
    let ending = on.run(until(99, observe));
    assert_eq!((ending.outcome, ending.turns), (Outcome::CostLimit, 3));
    assert_eq!(on.asked(), [], "nothing is left to spend");
}

#[test]
fn a_stop_ends_the_turn_it_falls_into_and_releases_the_hands() {
    let mut rig = Rig::new(&[]);
    let stop = rig.stop.clone();
    let ending = rig.run(Box::new(move |n, _| {
        if n == 3 {
            stop.set(StopReason::Interrupt);
        }
        call("click", json!({"x": 1, "y": 1, "reason": ""}))
    }));
    assert_eq!(ending.outcome, Outcome::Stopped(StopReason::Interrupt));
    assert_eq!(ending.turns, 2, "the third turn was not committed");
    assert_eq!(rig.desktop.injected().len(), 6, "nothing was sent after the stop");
    assert!(rig.desktop.calls().iter().any(|(_, c)| *c == Call::ReleaseAll));
}

#[test]
fn a_stopped_run_goes_on_where_it_ended() {
    let mut rig = Rig::new(&["limits.max_turns=3"]);
    rig.run(until(99, |n| call("observe", json!({"reason": format!("words of turn {n}")}))));
    let before = rig.asked();
    let mut on = Rig::new(&[]);
    on.folder = rig.folder;
    let ending = on.run(until(2, |_| call("observe", json!({"reason": "on"}))));
    assert_eq!((ending.outcome, ending.turns), (Outcome::Done, 5));
    assert_eq!(ending.input_tokens, 5000);
    let turns: Vec<u64> = session(&on.out()).iter().map(|l| l["turn"].as_u64().unwrap()).collect();
    assert_eq!(turns, [1, 2, 3, 4, 5]);
    assert_ne!(on.asked()[0].picture, before[0].picture, "the last reason is on the first picture again");
}

#[test]
fn a_time_limit_counts_on_after_a_resume() {
    let observe = |_: u64| call("observe", json!({"reason": ""}));
    let mut rig = Rig::new(&["limits.max_turns=3"]);
    let first = rig.run(until(99, observe));
    assert!(first.wall_s > 4.0, "three turns take their pauses: {}", first.wall_s);

    // Its clock begins at 0 again; the run's time does not.
    let limit = first.wall_s + 3.0;
    let setting = format!("limits.max_time_s={limit}");
    let mut on = Rig::new(&[&setting]);
    on.folder = rig.folder;
    let second = on.run(until(99, observe));
    assert_eq!(second.outcome, Outcome::TimeLimit);
    assert!((limit..limit + 3.0).contains(&second.wall_s), "{} of {limit}", second.wall_s);
    assert!(on.clock.now() < Duration::from_secs(6), "{:?}", on.clock.now());

    let mut over = Rig::new(&[&setting]);
    over.folder = on.folder;
    let third = over.run(until(99, observe));
    assert_eq!((third.outcome, third.turns), (Outcome::TimeLimit, second.turns));
    assert_eq!(over.asked(), [], "no time is left, so nobody is asked");
}

// spec: S-83 S-84 UNIT
#[test]
fn a_refused_input_and_a_failed_capture_end_the_run_with_the_code() {
    let mut rig = Rig::new(&[]);
    rig.desktop.fail_injections([DesktopError::Input { why: "no permission".into(), code: Some(5) }]);
    let ending = rig.run(until(9, |_| call("scroll", json!({"dy": 120, "reason": ""}))));
    assert_eq!(ending.outcome, Outcome::DesktopLost);
    assert!(ending.statement.contains("no permission (code 5)"), "{}", ending.statement);
    assert!(rig.desktop.calls().iter().any(|(_, c)| *c == Call::ReleaseAll), "everything is released first");
    let mut rig = Rig::new(&[]);
    rig.desktop.fail_captures([DesktopError::Capture { why: "no memory".into(), code: Some(11) }]);
    let ending = rig.run(until(9, |_| call("observe", json!({"reason": ""}))));
    assert_eq!((ending.outcome, ending.turns), (Outcome::DesktopLost, 0));
}

#[test]
fn a_simulated_desktop_that_stays_lost_is_given_up_after_its_time() {
    let lost = || DesktopError::Lost { why: "unplugged".into() };
    let mut rig = Rig::new(&[]);
    rig.desktop.fail_captures(std::iter::repeat_with(lost).take(40));
    let ending = rig.run(until(1, |_| network_error()));
    assert_eq!(ending.outcome, Outcome::Done, "it came back in time: {}", ending.statement);
    let mut rig = Rig::new(&[]);
    rig.desktop.fail_captures(std::iter::repeat_with(lost).take(60));
    let ending = rig.run(until(1, |_| network_error()));
    assert_eq!((ending.outcome, rig.clock.now()), (Outcome::DesktopLost, Duration::from_secs(10)));
}

#[test]
fn a_stop_while_the_desktop_is_lost_is_a_stop() {
    let mut rig = Rig::new(&[]);
    rig.desktop.fail_captures([DesktopError::Lost { why: "unplugged".into() }]);
    let stop = rig.stop.clone();
    rig.hear = Some(Box::new(move |_| stop.set(StopReason::Chord)));
    let ending = rig.run(until(1, |_| network_error()));
    assert_eq!(ending.outcome, Outcome::Stopped(StopReason::Chord), "{}", ending.statement);
}

#[test]
fn nothing_stays_pressed_behind_a_batch_that_ended_early() {
    let mut rig = Rig::new(&["settle.enabled=false"]);
    let after = Duration::from_secs(1);
    rig.desktop.fail_injections([DesktopError::Deadline { call: "inject", after }]);
    rig.run(until(2, |_| call("click", json!({"x": 1, "y": 1, "reason": ""}))));
    let calls = rig.desktop.calls();
    let at = |wanted: &dyn Fn(&Call) -> bool| calls.iter().position(|(_, c)| wanted(c)).unwrap();
    let (let_go, looked) =
        (at(&|c| *c == Call::ReleaseAll), at(&|c| matches!(c, Call::Capture { frame: 2, .. })));
    assert!(let_go < looked, "{calls:?}");
}

#[test]
fn what_a_turn_used_before_it_was_stopped_counts() {
    let mut rig = Rig::new(&[]);
    let stop = rig.stop.clone();
    let mut answers = 0;
    rig.hear = Some(Box::new(move |event| {
        answers += u32::from(matches!(event, Event::Decided { .. }));
        if answers == 2 {
            stop.set(StopReason::Interrupt);
        }
    }));
    let ending = rig.run(Box::new(|_, _| call("click", json!({"x": 1, "y": 1, "reason": ""}))));
    let totals = Reader::open(&rig.out()).unwrap().totals().unwrap();
    assert_eq!((ending.turns, ending.input_tokens), (1, 2000), "asked twice");
    assert_eq!((totals.turns, totals.input_tokens), (1, 2000));
}

#[test]
fn a_resume_after_a_failed_turn_still_has_the_words_of_the_one_before() {
    let mut rig = Rig::new(&["limits.max_turns=3"]);
    rig.run(Box::new(|n, _| match n {
        1 => call("observe", json!({"reason": "words"})),
        _ => network_error(),
    }));
    let shown = rig.asked()[2].picture.clone();
    let mut on = Rig::new(&[]);
    on.folder = rig.folder;
    on.run(until(1, |_| network_error()));
    assert_eq!(on.asked()[0].picture, shown);
}

#[test]
fn an_effect_nobody_saw_the_end_of_is_told_and_never_repeated() {
    let mut rig = Rig::new(&["settle.enabled=false"]);
    let after = Duration::from_secs(1);
    rig.desktop.fail_injections([DesktopError::Deadline { call: "inject", after }]);
    let ending = rig.run(until(3, |_| call("scroll", json!({"dy": 120, "reason": "same words"}))));
    assert_eq!(ending.outcome, Outcome::Done);
    assert_eq!(rig.desktop.injected().len(), 1, "only the second scroll; the first is not sent again");
    assert_eq!(session(&rig.out())[0]["deeds"][0]["outcome"], "ambiguous");
    let asked = rig.asked();
    assert_ne!(asked[1].picture, asked[2].picture, "the line about it stands on the picture after it only");
}

#[test]
fn a_run_that_died_between_intent_and_outcome_says_so_when_it_goes_on() {
    use handsight_base::flow::action::Action;
    use handsight_base::space::FrameId;
    use handsight_store::{Decided, Journal, Observed, Options, RunMeta};
    let mut rig = Rig::new(&[]);
    let frame = handsight_base::space::FrameGeometry {
        frame: FrameId(1),
        size: handsight_base::space::Size::new(320, 180),
        origin: handsight_base::space::ScreenPx::new(0, 0),
        scale: 1.0,
    };
    {
        let meta = RunMeta { run: "run".into(), ..RunMeta::default() };
        let mut journal = Journal::create(&rig.out(), &meta, &Options::default()).unwrap();
        journal.observed(1, &Observed { picture: None, at_unix_millis: 0, frame }).unwrap();
        journal.decided(1, &Decided { choice: "act".into(), ..Decided::default() }, &[]).unwrap();
        let action = Action::typed("once");
        journal.intent(1, 0, &action, &action.hash(FrameId(1))).unwrap();
        // Dropped here: the process died.
    }
    rig.run(until(2, |_| call("observe", json!({"reason": ""}))));
    assert_eq!(rig.desktop.injected(), [], "it is not done again");
    let warned =
        rig.events.lock().unwrap().iter().any(|e| format!("{e:?}").contains("the last type may or may not"));
    assert!(warned);
    let asked = rig.asked();
    assert_ne!(asked[0].picture, asked[1].picture, "the model is told on its first picture");
}
