//! Mouse, wheel, chords and refusals, as an independent X client and the server see them.

use crate::fault_proxy::{Fault, FaultProxy};
use crate::hands_rig::{batch, chord, click, click_with, config, hands, hold, inject, scroll, spot, turn};
use handsight_base::flow::action::{Action, Button};
use handsight_base::key::Modifiers;
use handsight_base::lifts::Lifted;
use handsight_base::port::desktop::DesktopError;
use handsight_base::stop::{Stop, StopReason};
use handsight_desktop::hands::{Code, Ended, Event, Hands};
use handsight_testkit::program::signal_pid;
use handsight_testkit::wait::{PATIENCE, before, until};
use handsight_testkit::witness::{Seen, What, Witness};
use handsight_testkit::xvfb::Xvfb;
use rustix::process::Signal;
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::ConnectionExt as _;

const SHIFT: u32 = 1;
const CONTROL: u32 = 4;
const ALT: u32 = 8;

/// A screen, a witness with a window over all of it, and hands.
fn rig() -> Option<(Xvfb, Witness, Hands)> {
    let x = Xvfb::start()?;
    let mut witness = Witness::connect(x.display());
    witness.open(0, 0, 1280, 720);
    let hands = hands(&x);
    witness.forget();
    Some((x, witness, hands))
}

fn button(button: u8, down: bool) -> What {
    What::Button { button, down }
}

// spec: S-28 S-34 XVFB
#[test]
fn a_click_is_a_move_a_press_and_a_release_in_that_order() {
    let Some((_x, mut witness, mut hands)) = rig() else { return };
    let injected = inject(&mut hands, click(417, 233));
    assert_eq!((injected.events, injected.of), (3, 3));
    let seen = witness.events().to_vec();
    let what: Vec<What> = seen.iter().map(|e| e.what).collect();
    assert_eq!(what, [What::Motion, button(1, true), button(1, false)]);
    assert!(seen.iter().all(|e| e.at == (417, 233)), "{seen:?}");
    witness.assert_quiet();
}

// spec: S-101 XVFB
#[test]
fn every_button_arrives_as_itself() {
    let Some((_x, mut witness, mut hands)) = rig() else { return };
    for (name, number) in
        [(Button::Left, 1), (Button::Middle, 2), (Button::Right, 3), (Button::Back, 8), (Button::Forward, 9)]
    {
        inject(&mut hands, click_with(5, 5, name, Modifiers::NONE));
        assert_eq!(witness.presses(), [button(number, true), button(number, false)], "{name:?}");
        witness.forget();
    }
}

#[test]
fn a_left_handed_mouse_still_clicks_left() {
    let Some((_x, mut witness, mut hands)) = rig() else { return };
    inject(&mut hands, click(5, 5));
    witness.forget();
    let mut map = witness.conn().get_pointer_mapping().unwrap().reply().unwrap().map;
    map.swap(0, 2);
    witness.conn().set_pointer_mapping(&map).unwrap().reply().unwrap();
    inject(&mut hands, click(5, 5));
    assert_eq!(witness.presses(), [button(1, true), button(1, false)]);
    witness.assert_quiet();
}

// spec: S-102 XVFB
#[test]
fn modifiers_are_held_around_a_click_and_up_after_it() {
    let Some((_x, mut witness, mut hands)) = rig() else { return };
    let modifiers = Modifiers { control: true, alt: true, shift: true, super_: false };
    inject(&mut hands, click_with(9, 9, Button::Right, modifiers));
    let pressed: Vec<Seen> = witness.events().iter().copied().filter(|e| e.what == button(3, true)).collect();
    assert_eq!(pressed.len(), 1);
    assert_eq!(pressed[0].mods, SHIFT | CONTROL | ALT);
    witness.assert_quiet();
}

// spec: S-102 XVFB
#[test]
fn modifiers_are_up_after_an_error() {
    let Some((_x, witness, mut hands)) = rig() else { return };
    let modifiers = Modifiers { control: true, alt: true, shift: true, super_: true };
    let drag = Action::Drag { path: vec![spot(10, 10), spot(1200, 700)], button: Button::Left, modifiers };
    // The turn dies: nobody beats.
    let injected = hands.inject(batch(drag), &Stop::new()).unwrap();
    assert!(!injected.complete && injected.events < injected.of, "{injected:?}");
    assert_eq!(hands.last_ended(), Some(Ended::Silence));
    witness.assert_quiet();
}

// spec: S-30 S-36 XVFB
#[test]
fn the_wheel_turns_in_whole_notches_where_the_pointer_is() {
    let Some((_x, mut witness, mut hands)) = rig() else { return };
    inject(&mut hands, Action::Move { to: spot(300, 200) });
    witness.forget();
    for (dx, dy, number, notches) in [
        (0, 240, 4, 2),
        (0, -120, 5, 1),
        (0, 1, 4, 1),
        (0, -179, 5, 1),
        (0, -180, 5, 2),
        (0, 0, 4, 0),
        (240, 0, 7, 2),
        (-120, 0, 6, 1),
        (0, 120 * 150, 4, 150),
    ] {
        inject(&mut hands, scroll(dx, dy));
        let expected = [button(number, true), button(number, false)].repeat(notches);
        assert_eq!(witness.presses(), expected, "{dx} {dy}");
        assert!(witness.events().iter().all(|e| e.what != What::Motion), "the pointer moved");
        witness.forget();
    }
    let pointer = witness.pointer();
    assert_eq!((pointer.x, pointer.y), (300, 200));
    witness.assert_quiet();
}

#[test]
fn a_drag_moves_with_the_button_down() {
    let Some((_x, mut witness, mut hands)) = rig() else { return };
    let path = vec![spot(100, 100), spot(300, 100), spot(300, 260)];
    inject(&mut hands, Action::Drag { path, button: Button::Left, modifiers: Modifiers::NONE });
    let seen = witness.events().to_vec();
    let press = seen.iter().position(|e| e.what == button(1, true)).unwrap();
    let release = seen.iter().position(|e| e.what == button(1, false)).unwrap();
    assert_eq!(seen[press].at, (100, 100));
    assert_eq!(seen[release].at, (300, 260));
    let between = &seen[press + 1..release];
    assert!(between.len() >= 14, "a motion of {} points", between.len());
    assert!(between.iter().any(|e| e.at == (300, 100)), "round the corner");
    witness.assert_quiet();
}

#[test]
fn a_chord_goes_down_in_order_and_up_in_the_other() {
    let Some((_x, mut witness, mut hands)) = rig() else { return };
    let code = |keysym| witness.keycode(keysym);
    let (control, shift, s) = (code(0xffe3), code(0xffe1), code(0x73));
    inject(&mut hands, chord("ctrl+shift+s"));
    let key = |code, down| What::Key { code, down };
    let keys = [control, shift, s];
    let down = keys.iter().map(|c| key(*c, true));
    let up = keys.iter().rev().map(|c| key(*c, false));
    assert_eq!(witness.presses(), down.chain(up).collect::<Vec<_>>());
    witness.assert_quiet();
}

#[test]
fn a_held_key_is_down_for_its_time() {
    let Some((_x, mut witness, mut hands)) = rig() else { return };
    inject(&mut hands, hold("w", 400));
    let seen = witness.events().to_vec();
    let (first, last) = (seen.first().unwrap(), seen.last().unwrap());
    assert!(matches!((first.what, last.what), (What::Key { down: true, .. }, What::Key { down: false, .. })));
    let held = last.time - first.time;
    assert!((395..600).contains(&held), "{held} ms");
}

// spec: S-91 XVFB
#[test]
fn input_takes_little_more_than_its_delay() {
    let Some((_x, _witness, mut hands)) = rig() else { return };
    let delay = Duration::from_millis(100);
    let mut bare = Vec::new();
    let mut whole = Vec::new();
    for n in 0..20 {
        let began = Instant::now();
        inject(&mut hands, click(10 + n, 10));
        bare.push(began.elapsed());
        inject(&mut hands, Action::Wait { millis: 100 });
        whole.push(began.elapsed());
    }
    bare.sort();
    whole.sort();
    eprintln!("click p50 {:?}, with its delay {:?}", bare[10], whole[10]);
    assert!(whole[10] >= delay && whole[10] < delay + Duration::from_millis(50), "{:?}", whole[10]);
}

fn press_stop_chord(witness: &Witness) {
    let chord = [0xffe3, 0xffe9, 0xff13].map(|keysym| witness.keycode(keysym));
    chord.iter().for_each(|code| witness.key(*code, true));
    chord.iter().rev().for_each(|code| witness.key(*code, false));
}

#[test]
fn the_stop_chord_stops_a_batch_and_everything_after_it() {
    let Some((x, witness, mut hands)) = rig() else { return };
    // A program that grabs the keyboard does not hide the chord.
    let grabber = Witness::connect(x.display());
    let grab = grabber.conn().grab_keyboard(false, grabber.root(), 0u32, 1u8.into(), 1u8.into());
    grab.unwrap().reply().unwrap();
    let chord = hands.chord_stop();
    let _turn = turn(hands.pulse());
    let injected = std::thread::scope(|scope| {
        let holding = scope.spawn(|| hands.inject(batch(hold("ctrl+w", 20_000)), &Stop::new()).unwrap());
        until("Ctrl and W are down", PATIENCE, || (witness.keys_down().len() == 2).then_some(()));
        press_stop_chord(&witness);
        holding.join().unwrap()
    });
    assert_eq!((injected.events, injected.complete), (2, false));
    // The word for the engine travels beside the answer to the batch.
    let reason = until("the engine hears of it", PATIENCE, || chord.reason());
    assert_eq!(reason, StopReason::Chord);
    witness.assert_quiet();
    assert_eq!(hands.inject(batch(click(1, 1)), &Stop::new()), Err(DesktopError::Stopped));
    assert_eq!((witness.pointer().x, witness.pointer().y), (640, 360), "the pointer did not move");
}

#[test]
fn half_a_stop_chord_stops_nothing() {
    let Some((_x, witness, mut hands)) = rig() else { return };
    for keysym in [0xffe3, 0xff13, 0xffe9] {
        let code = witness.keycode(keysym);
        witness.key(code, true);
        inject(&mut hands, click(2, 2));
        witness.key(code, false);
    }
    assert!(!hands.chord_stop().is_set());
}

#[test]
fn a_button_left_down_is_lifted_after_its_longest_time() {
    let Some(x) = Xvfb::start() else { return };
    let witness = Witness::connect(x.display());
    let max_hold = Duration::from_millis(600);
    let config = config(x.display(), &x.home().join("state"));
    let mut hands = Hands::spawn(handsight_desktop::hands::HandsConfig { max_hold, ..config }).unwrap();
    let _turn = turn(hands.pulse());
    let began = Instant::now();
    hands.inject(batch(Action::Down { at: None, button: Button::Left }), &Stop::new()).unwrap();
    assert_eq!(witness.buttons_down(), [1]);
    until("the button is up", PATIENCE, || witness.is_quiet().then_some(()));
    assert!(began.elapsed() >= max_hold, "{:?}", began.elapsed());
    until("it is told", PATIENCE, || hands.lifts().take().map(|why| assert_eq!(why, Lifted::TooLong)));
    // A late release is no error, and a new press works.
    inject(&mut hands, Action::Up { at: None, button: Button::Left });
    inject(&mut hands, click(3, 3));
    witness.assert_quiet();
    assert_eq!(hands.lifts().take(), None, "once, and nothing of what actions release");
}

#[test]
fn release_all_lifts_what_earlier_batches_left_down() {
    let Some((_x, witness, mut hands)) = rig() else { return };
    let _turn = turn(hands.pulse());
    inject(&mut hands, Action::Down { at: Some(spot(7, 8)), button: Button::Middle });
    assert_eq!(witness.buttons_down(), [2]);
    hands.release_all().unwrap();
    witness.assert_quiet();
    assert_eq!(hands.lifts().take(), Some(Lifted::Released));
    hands.release_all().unwrap();
    assert_eq!(hands.lifts().take(), None, "nothing was down");
}

#[test]
fn a_second_engine_is_refused_with_the_pid_of_the_first() {
    let Some(x) = Xvfb::start() else { return };
    let witness = Witness::connect(x.display());
    let mut engine = crate::kill_hands::engine(&x, "idle");
    until("the first engine has its hands", PATIENCE, || witness.selection_owner("_HANDSIGHT_HANDS"));
    let second = Hands::spawn(config(x.display(), &x.home().join("state")));
    assert_eq!(second.err(), Some(DesktopError::InUse { pid: engine.pid() }));
    engine.kill();
    let mut hands = Hands::spawn(config(x.display(), &x.home().join("state"))).unwrap();
    inject(&mut hands, click(1, 1));
}

#[test]
fn an_engine_that_connects_again_takes_over_from_itself() {
    let Some((x, witness, mut first)) = rig() else { return };
    let _turn = turn(first.pulse());
    first.inject(batch(Action::Down { at: None, button: Button::Left }), &Stop::new()).unwrap();
    let mut second = hands(&x);
    witness.assert_quiet();
    assert!(matches!(first.inject(batch(click(1, 1)), &Stop::new()), Err(DesktopError::Lost { .. })));
    assert!(first.has_ended());
    inject(&mut second, click(1, 1));
}

#[test]
fn dropped_hands_let_go_and_are_gone() {
    let Some((_x, witness, mut hands)) = rig() else { return };
    let _turn = turn(hands.pulse());
    inject(&mut hands, Action::Down { at: None, button: Button::Left });
    let pid = hands.pid();
    drop(hands);
    witness.assert_quiet();
    assert_eq!(witness.selection_owner("_HANDSIGHT_HANDS"), None);
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "it was waited for");
}

#[test]
fn no_server_and_no_xtest_are_named_with_their_remedy() {
    let Some(x) = Xvfb::with(640, 480, &["-extension", "XTEST"]) else { return };
    let spawn = |display: &str| Hands::spawn(config(display, &x.home().join("state"))).err();
    let Some(DesktopError::Unusable { why, remedy }) = spawn(x.display()) else {
        panic!("no XTEST, no hands")
    };
    assert!(why.contains("XTEST") && remedy.contains("-extension XTEST"), "{why}. {remedy}");
    let Some(DesktopError::Unusable { why, .. }) = spawn(":9871") else { panic!("no server, no hands") };
    assert!(why.contains(":9871"), "{why}");
    let mut config = config(x.display(), &x.home().join("state"));
    config.command = vec!["/no/such/program".into()];
    let Some(DesktopError::Unusable { why, .. }) = Hands::spawn(config).err() else { panic!("no program") };
    assert!(why.contains("/no/such/program"), "{why}");
}

#[test]
fn a_server_that_dies_is_lost() {
    let Some((mut x, _witness, mut hands)) = rig() else { return };
    x.kill();
    let error = hands.inject(batch(click(1, 1)), &Stop::new()).unwrap_err();
    assert!(matches!(error, DesktopError::Lost { .. }), "{error}");
    assert!(before(PATIENCE, || hands.has_ended().then_some(())).is_some());
}

#[test]
fn a_server_that_hangs_is_given_up_and_everything_is_up_when_it_returns() {
    let Some((x, witness, mut hands)) = rig() else { return };
    let turn = turn(hands.pulse());
    inject(&mut hands, Action::Down { at: None, button: Button::Left });
    x.freeze();
    let error = hands.inject(batch(click(1, 1)), &Stop::new()).unwrap_err();
    assert!(matches!(error, DesktopError::Deadline { call: "inject", .. }), "{error}");
    x.resume();
    until("the button is up", PATIENCE, || witness.is_quiet().then_some(()));
    inject(&mut hands, click(1, 1));
    drop(turn);
}

#[test]
fn the_ledger_lists_what_was_injected() {
    let Some((_x, witness, mut hands)) = rig() else { return };
    inject(&mut hands, click(1, 1));
    inject(&mut hands, chord("A"));
    let (shift, a) = (witness.keycode(0xffe1).into(), witness.keycode(0x61).into());
    let events: Vec<Event> = hands.ledger(1).unwrap().iter().map(|e| e.event).collect();
    let (left, shift, a) = (Code::Button(1), Code::Key(shift), Code::Key(a));
    assert_eq!(
        events,
        [
            Event::Press(left),
            Event::Release(left),
            Event::Press(shift),
            Event::Press(a),
            Event::Release(a),
            Event::Release(shift)
        ]
    );
}

#[test]
fn signals_to_the_supervisor_do_not_end_it_before_its_engine() {
    let Some((_x, witness, mut hands)) = rig() else { return };
    let _turn = turn(hands.pulse());
    inject(&mut hands, Action::Down { at: None, button: Button::Left });
    for signal in [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM] {
        signal_pid(hands.pid(), signal);
    }
    inject(&mut hands, Action::Up { at: None, button: Button::Left });
    inject(&mut hands, click(1, 1));
    witness.assert_quiet();
}

// spec: S-83 XVFB
#[test]
fn a_refused_event_is_an_error_with_the_servers_code_and_releases_everything() {
    let Some(x) = Xvfb::start() else { return };
    let witness = Witness::connect(x.display());
    let door = FaultProxy::before(x.display());
    let mut hands = Hands::spawn(config(door.display(), &x.home().join("state"))).unwrap();
    let _turn = turn(hands.pulse());
    inject(&mut hands, Action::Down { at: Some(spot(30, 30)), button: Button::Left });
    let xtest = witness.conn().query_extension(b"XTEST").unwrap().reply().unwrap().major_opcode;
    // The root window of a motion; keys and buttons name none, so releases go through.
    door.break_every(Fault { major: xtest, minor: Some(2), at: 12 });
    let modifiers = Modifiers { control: true, ..Modifiers::NONE };
    let drag = Action::Drag { path: vec![spot(30, 30), spot(400, 300)], button: Button::Left, modifiers };
    let error = hands.inject(batch(drag), &Stop::new()).unwrap_err();
    let DesktopError::Input { why, code } = &error else { panic!("{error}") };
    assert_eq!(*code, Some(3), "BadWindow: {why}");
    assert!(why.contains("FakeInput"), "{why}");
    witness.assert_quiet();
    door.mend();
    inject(&mut hands, click(50, 60));
    assert_eq!((witness.pointer().x, witness.pointer().y), (50, 60));
}
