//! The person wins: what another X client does in mid-work ends the hands' work, lifts what they pressed and nothing else, and
//! keeps them off. Their own events never do.
//!
//! Xvfb has no mouse and no keyboard, so the person comes by XTEST like the hands themselves, which is the hard case: only the
//! account of what was sent tells the two apart. Times are the server's own, as an independent client heard them.

use crate::hands_rig::{batch, child, chord, click, config, hold, scroll, spot, text, turn};
use handsight_base::flow::action::{Action, Button};
use handsight_base::key::Modifiers;
use handsight_base::port::desktop::DesktopError;
use handsight_base::stop::{Stop, StopReason};
use handsight_desktop::hands::{Ended, Hands, HandsConfig};
use handsight_testkit::need::long;
use handsight_testkit::program::{Program, signal_pid};
use handsight_testkit::wait::{PATIENCE, before, until};
use handsight_testkit::witness::{What, Witness};
use handsight_testkit::xvfb::Xvfb;
use rustix::process::Signal;
use std::io::{BufRead, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

/// R6: from the person's event to the last of ours.
const MOST: u32 = 200;
/// Keys that no batch here presses.
const MENU: u32 = 0xff67;
const SHIFT: u32 = 0xffe1;

/// A screen, the person, and hands that watch for them if `watch`.
fn rig(watch: bool) -> Option<(Xvfb, Witness, Hands)> {
    let x = Xvfb::start()?;
    let mut person = Witness::connect(x.display());
    person.open(0, 0, 1280, 720);
    let config = config(x.display(), &x.home().join("state"));
    let hands = Hands::spawn(HandsConfig { person: watch, ..config }).unwrap();
    person.watch_everything();
    person.forget();
    Some((x, person, hands))
}

fn drag() -> Action {
    let path = vec![spot(100, 100), spot(1100, 600), spot(100, 600), spot(1100, 100)];
    Action::Drag { path, button: Button::Left, modifiers: Modifiers { control: true, ..Modifiers::NONE } }
}

/// Long enough to be interrupted.
fn typing() -> Action {
    Action::Type { text: "The quick brown fox, 10 times; ".repeat(40), interval_millis: Some(7) }
}

/// What the person does, by turns.
#[derive(Debug, Clone, Copy)]
enum Touch {
    Key,
    Click,
    Move,
    Wheel,
}

const TOUCHES: [Touch; 4] = [Touch::Key, Touch::Click, Touch::Move, Touch::Wheel];

impl Touch {
    fn by(self, person: &Witness) {
        let both = |f: &dyn Fn(bool)| [true, false].into_iter().for_each(f);
        match self {
            Self::Key => both(&|down| person.key(person.keycode(MENU), down)),
            Self::Click => both(&|down| person.button(3, down)),
            Self::Move => person.go_to(3, 5),
            Self::Wheel => both(&|down| person.button(5, down)),
        }
    }
}

/// A number that looks like chance and is the same each time.
fn draw(n: u32, below: u64) -> u64 {
    let mixed = (u64::from(n) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) % below
}

#[test]
fn none_of_ten_thousand_own_events_is_taken_for_the_persons() {
    let Some((_x, person, mut hands)) = rig(true) else { return };
    let presence = hands.presence().unwrap();
    let _turn = turn(hands.pulse());
    let words = "Plain words, CAPITALS and signs: {[]}|\\~ ".repeat(8);
    let foreign = "naïve café, Ωμέγα, чай, 日本, 😀 ".repeat(2);
    let all = [
        click(30, 40),
        // To where the pointer is: nothing moves.
        Action::Move { to: spot(30, 40) },
        Action::Move { to: spot(30, 40) },
        Action::Click { at: None, button: Button::Right, count: 3, modifiers: Modifiers::NONE },
        text(&words),
        scroll(0, -120 * 40),
        scroll(120 * 9, 0),
        chord("ctrl+shift+s"),
        chord("capslock"),
        text("after CapsLock"),
        chord("capslock"),
        // These two take their time.
        text(&foreign),
        drag(),
    ];
    let (mut events, mut number) = (0, 0);
    while events < 10_000 {
        let quick = all.len() - if number < 2 * all.len() { 0 } else { 2 };
        let action = all[number % quick].clone();
        let injected = hands.inject(batch(action.clone()), &Stop::new());
        let injected = injected.unwrap_or_else(|e| panic!("{e} after {events} events, in {action:?}"));
        assert!(injected.complete, "{injected:?} after {events} events, in {action:?}");
        events += injected.events;
        number += 1;
    }
    // Held so long that the server repeats the key.
    assert!(hands.inject(batch(hold("w", 1500)), &Stop::new()).unwrap().complete);
    // What programs do with the pointer is not the person's.
    use x11rb::protocol::xproto::ConnectionExt as _;
    person.conn().warp_pointer(x11rb::NONE, person.root(), 0, 0, 0, 0, 77, 77).unwrap();
    person.sync();
    assert!(hands.inject(batch(click(5, 6)), &Stop::new()).unwrap().complete);
    assert!(!presence.is_on());
    println!("{events} own events, no false alarm");
}

#[test]
fn at_any_moment_of_any_work_the_person_has_the_screen_within_200_ms() {
    let Some((_x, mut person, mut hands)) = rig(true) else { return };
    let presence = hands.presence().unwrap();
    let _turn = turn(hands.pulse());
    let works = [drag(), typing(), hold("ctrl+shift+w", 20_000), scroll(0, -120 * 10_000)];
    let rounds = if long() { 200 } else { 50 };
    let mut times = Vec::new();
    for round in 0..rounds {
        let (touch, work) = (TOUCHES[round as usize % 4], works[round as usize / 4 % 4].clone());
        let (ended, at) = std::thread::scope(|scope| {
            let working = scope.spawn(|| hands.inject(batch(work.clone()), &Stop::new()));
            until("the work has begun", PATIENCE, || (!person.events().is_empty()).then_some(()));
            std::thread::sleep(Duration::from_millis(draw(round, 60)));
            let at = Witness::now();
            touch.by(&person);
            (working.join().unwrap().unwrap(), at)
        });
        assert!(!ended.complete, "{touch:?} in {work:?}");
        assert_eq!(hands.last_ended(), Some(Ended::Person));
        assert!(presence.is_on());
        person.assert_quiet();
        // Both sides' events, so at worst it is too long.
        let last = person.events().iter().map(|e| e.time).max().unwrap();
        times.push(last.saturating_sub(at));
        person.forget();
        // The engine may try what it likes.
        assert_eq!(hands.inject(batch(click(1, 1)), &Stop::new()), Err(DesktopError::Stopped));
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(person.events(), [], "nothing until the person is waited out");
        presence.wait_out(presence.latest().0);
        until("the hands work again", PATIENCE, || {
            let done = hands.inject(batch(Action::Move { to: spot(640, 360) }), &Stop::new());
            // A report of the same touch may still have been on its way.
            presence.wait_out(presence.latest().0);
            done.is_ok_and(|i| i.complete).then_some(())
        });
        person.forget();
    }
    times.sort_unstable();
    let (p50, max) = (times[times.len() / 2], times[times.len() - 1]);
    println!(
        "{rounds} takeovers: from the person's event to the last event of all: p50 {p50} ms, max {max} ms"
    );
    assert!(max <= MOST, "{times:?}");
}

#[test]
fn without_the_watch_the_work_goes_on_among_the_persons_events() {
    let Some((_x, mut person, mut hands)) = rig(false) else { return };
    let _turn = turn(hands.pulse());
    assert!(hands.presence().is_none());
    let done = std::thread::scope(|scope| {
        let working = scope.spawn(|| hands.inject(batch(drag()), &Stop::new()).unwrap());
        until("the drag has begun", PATIENCE, || (!person.events().is_empty()).then_some(()));
        TOUCHES.iter().for_each(|touch| touch.by(&person));
        working.join().unwrap()
    });
    assert!(done.complete, "the control: {done:?}");
}

#[test]
fn what_the_person_holds_is_waited_for_and_never_lifted() {
    let Some((_x, mut person, mut hands)) = rig(true) else { return };
    let presence = hands.presence().unwrap();
    let _turn = turn(hands.pulse());
    let shift = person.keycode(SHIFT);
    // Held since before the hands looked: no touch, but not to be mixed with either.
    person.key(shift, true);
    until("the touch is told", PATIENCE, || presence.is_on().then_some(()));
    presence.wait_out(presence.latest().0);
    person.forget();
    let typed = std::thread::scope(|scope| {
        let working = scope.spawn(|| hands.inject(batch(text("ab")), &Stop::new()).unwrap());
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(person.events(), [], "their Shift and our letters");
        person.key(shift, false);
        working.join().unwrap()
    });
    assert!(typed.complete);
    let mods: Vec<u32> = person.events().iter().filter(|e| !e.raw).map(|e| e.mods).collect();
    assert_eq!(mods[1..], [0, 0, 0, 0], "plain letters, after the release of Shift: {mods:?}");

    // One who holds on has the screen, and keeps what they hold.
    person.key(shift, true);
    until("the touch is told", PATIENCE, || presence.is_on().then_some(()));
    presence.wait_out(presence.latest().0);
    assert_eq!(hands.inject(batch(text("c")), &Stop::new()), Err(DesktopError::Stopped));
    assert!(presence.is_on());
    hands.release_all().unwrap();
    assert_eq!(person.keys_down(), [shift]);
}

#[test]
fn the_stop_chord_is_the_last_word_whoever_has_the_screen() {
    let Some((_x, person, mut hands)) = rig(true) else { return };
    let _turn = turn(hands.pulse());
    let chord = hands.chord_stop();
    let ended = std::thread::scope(|scope| {
        let working = scope.spawn(|| hands.inject(batch(hold("w", 20_000)), &Stop::new()).unwrap());
        until("W is down", PATIENCE, || (!person.keys_down().is_empty()).then_some(()));
        let keys = [0xffe3, 0xffe9, 0xff13].map(|keysym| person.keycode(keysym));
        keys.iter().for_each(|code| person.key(*code, true));
        keys.iter().for_each(|code| person.key(*code, false));
        working.join().unwrap()
    });
    assert!(!ended.complete);
    assert_eq!(until("the engine hears of it", PATIENCE, || chord.reason()), StopReason::Chord);
    assert_eq!(hands.inject(batch(click(1, 1)), &Stop::new()), Err(DesktopError::Stopped));
}

#[test]
#[ignore = "a process that other tests start: an engine at work"]
fn engine_process() {
    let mut lines = std::io::stdin().lock().lines().map_while(Result::ok);
    let (Some(display), Some(state)) = (lines.next(), lines.next()) else { return };
    let config = config(&display, state.as_ref());
    let mut hands = Hands::spawn(HandsConfig { person: true, ..config }).unwrap();
    let _turn = turn(hands.pulse());
    loop {
        // It hears of the person and does not care.
        let _any = hands.inject(batch(hold("ctrl+shift+w", 1_000)), &Stop::new());
    }
}

#[test]
fn an_engine_that_hangs_or_does_not_listen_is_kept_off_by_its_hands_alone() {
    let Some(x) = Xvfb::start() else { return };
    let mut person = Witness::connect(x.display());
    person.open(0, 0, 1280, 720);
    for hangs in [true, false] {
        let command = child("xvfb_person::engine_process");
        let mut process = Command::new(&command[0]);
        process.args(&command[1..]).env_clear().stdin(Stdio::piped());
        process.stdout(Stdio::null()).stderr(Stdio::null());
        let mut engine = Program::start(&mut process);
        let state = x.home().join("state");
        let stdin = engine.child().stdin.as_mut().unwrap();
        writeln!(stdin, "{}\n{}", x.display(), state.display()).unwrap();
        until("three keys are down", PATIENCE, || (person.keys_down().len() == 3).then_some(()));
        if hangs {
            signal_pid(engine.pid(), Signal::STOP);
        }
        person.forget();
        let at = Witness::now();
        Touch::Move.by(&person);
        let up = before(Duration::from_millis(MOST.into()), || person.is_quiet().then_some(()));
        assert!(up.is_some(), "{:?} are down", person.keys_down());
        person.sync();
        let keys = person.presses();
        assert!(keys.iter().all(|what| matches!(what, What::Key { down: false, .. })), "{keys:?}");
        let took = person.events().iter().map(|e| e.time).max().unwrap().saturating_sub(at);
        println!("hangs: {hangs}; up {took} ms after the person's event");
        // Less than the silence after which the hands of a hanging engine let go anyway.
        assert!(took <= MOST, "{took} ms");
        signal_pid(engine.pid(), Signal::CONT);
        person.forget();
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(person.events(), [], "nobody waited the person out");
        engine.kill();
    }
}
