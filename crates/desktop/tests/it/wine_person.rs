//! The person wins, on Windows: what another program sends in mid-work ends the hands' work and keeps them off; their own events
//! never do. An independent Win32 program tells what is down and what came.

use crate::hands_rig::{batch, chord, click, config, hold, scroll, spot, text, turn};
use crate::wine_hands::person;
use crate::wine_rig::{Rig, Witness};
use handsight_base::flow::action::{Action, Button};
use handsight_base::key::Modifiers;
use handsight_base::port::desktop::DesktopError;
use handsight_base::presence::Presence;
use handsight_base::stop::Stop;
use handsight_desktop::hands::{Ended, Hands, HandsConfig};
use handsight_testkit::need::long;
use handsight_testkit::wait::{PATIENCE, until};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use windows::Win32::UI::Input::KeyboardAndMouse::{
    INPUT, INPUT_0, INPUT_MOUSE, MOUSE_EVENT_FLAGS, MOUSEEVENTF_MOVE, MOUSEEVENTF_RIGHTDOWN,
    MOUSEEVENTF_RIGHTUP, MOUSEEVENTF_WHEEL, MOUSEINPUT, SendInput, VK_F13, VK_SHIFT,
};

/// R6: from the person's event to the last of ours.
const MOST: Duration = Duration::from_millis(200);

fn rig(watch: bool) -> Rig {
    let (witness, state) = (Witness::open(), TempDir::new().unwrap());
    let hands = Hands::spawn(HandsConfig { person: watch, ..config(state.path()) }).unwrap();
    Rig { hands, witness, state }
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn mouse(flags: MOUSE_EVENT_FLAGS, by: i32, data: i32) {
    let mi = MOUSEINPUT { dx: by, dy: by, mouseData: data as u32, dwFlags: flags, ..MOUSEINPUT::default() };
    let input = INPUT { r#type: INPUT_MOUSE, Anonymous: INPUT_0 { mi } };
    // SAFETY: an array of one.
    assert_eq!(unsafe { SendInput(&[input], size_of::<INPUT>() as i32) }, 1);
}

/// What the person does, by turns.
fn touch(n: usize) {
    match n % 4 {
        0 => [true, false].into_iter().for_each(|down| person(VK_F13, down)),
        1 => [MOUSEEVENTF_RIGHTDOWN, MOUSEEVENTF_RIGHTUP].into_iter().for_each(|flags| mouse(flags, 0, 0)),
        2 => mouse(MOUSEEVENTF_WHEEL, 0, 120),
        // A hand does not move a mouse once.
        _ => (0..8).for_each(|_| {
            mouse(MOUSEEVENTF_MOVE, 17, 0);
            std::thread::sleep(Duration::from_millis(3));
        }),
    }
}

/// The person takes their hands off, and is waited out.
fn leave(witness: &mut Witness, presence: &Presence) {
    // Wine tells their moves again, too; and the last report comes 100 ms after the one before.
    witness.settle();
    std::thread::sleep(Duration::from_millis(150));
    presence.wait_out(presence.latest().0);
    witness.forget();
}

fn drag() -> Action {
    let path = vec![spot(220, 180), spot(850, 500), spot(220, 500), spot(850, 180)];
    Action::Drag { path, button: Button::Left, modifiers: Modifiers { control: true, ..Modifiers::NONE } }
}

#[test]
fn none_of_our_own_events_is_taken_for_the_persons() {
    let mut rig = rig(true);
    let presence = rig.hands.presence().unwrap();
    let _turn = turn(rig.hands.pulse());
    let all = [
        click(300, 300),
        Action::Move { to: spot(300, 300) },
        drag(),
        text("Plain words, CAPITALS, naïve, Ω and 😀. "),
        scroll(0, -1200),
        chord("ctrl+shift+s"),
        hold("w", 60),
        click(700, 450),
    ];
    let mut events = 0;
    for number in 0..if long() { 200 } else { 40 } {
        let action = all[number % all.len()].clone();
        let injected = rig.hands.inject(batch(action.clone()), &Stop::new());
        let injected = injected.unwrap_or_else(|e| panic!("{e} after {events} events, in {action:?}"));
        assert!(injected.complete, "{injected:?} after {events} events, in {action:?}");
        events += injected.events;
    }
    // The echo of the last moves comes late.
    rig.witness.settle();
    assert!(!presence.is_on());
    println!("{events} own events, no false alarm");
}

#[test]
fn in_mid_work_the_person_has_the_screen_within_200_ms() {
    let mut rig = rig(true);
    let presence = rig.hands.presence().unwrap();
    let _turn = turn(rig.hands.pulse());
    let mut times = Vec::new();
    for n in 0..if long() { 48 } else { 16 } {
        let typing = Action::Type { text: "the quick brown fox ".repeat(40), interval_millis: Some(7) };
        let work = [drag(), typing, hold("ctrl+w", 20_000)][n / 4 % 3].clone();
        let witness = &mut rig.witness;
        leave(witness, &presence);
        let (hands, ended, took) = std::thread::scope(|scope| {
            let mut hands = rig.hands;
            let working = scope.spawn(move || {
                let ended = hands.inject(batch(work), &Stop::new());
                (hands, ended, Instant::now())
            });
            until("the work has begun", PATIENCE, || (!witness.events().is_empty()).then_some(()));
            std::thread::sleep(Duration::from_millis(7 * (n as u64 % 9)));
            let at = Instant::now();
            touch(n);
            let (hands, ended, ended_at) = working.join().unwrap();
            (hands, ended.unwrap(), ended_at.saturating_duration_since(at))
        });
        rig.hands = hands;
        assert!(!ended.complete, "{n}: {ended:?}");
        assert_eq!(rig.hands.last_ended(), Some(Ended::Person));
        times.push(took);
        rig.witness.assert_quiet();
        assert!(presence.is_on());
        rig.witness.settle();
        rig.witness.forget();
        for action in [click(400, 300), text("never")] {
            assert_eq!(rig.hands.inject(batch(action), &Stop::new()), Err(DesktopError::Stopped));
        }
        assert_eq!(rig.witness.events(), [], "nothing until the person is waited out");
        leave(&mut rig.witness, &presence);
        assert!(rig.hands.inject(batch(click(400, 300)), &Stop::new()).unwrap().complete);
    }
    times.sort_unstable();
    println!("{} takeovers: p50 {:?}, max {:?}", times.len(), times[times.len() / 2], times.last().unwrap());
    assert!(times.iter().all(|took| *took <= MOST), "{times:?}");
}

#[test]
fn without_the_watch_the_work_goes_on_among_the_persons_events() {
    let mut rig = rig(false);
    let _turn = turn(rig.hands.pulse());
    assert!(rig.hands.presence().is_none());
    let done = std::thread::scope(|scope| {
        let working = scope.spawn(|| rig.hands.inject(batch(drag()), &Stop::new()).unwrap());
        (0..3).for_each(touch);
        working.join().unwrap()
    });
    assert!(done.complete, "the control: {done:?}");
}

#[test]
fn what_the_person_holds_is_waited_for_and_never_lifted() {
    let mut rig = rig(true);
    let presence = rig.hands.presence().unwrap();
    let _turn = turn(rig.hands.pulse());
    person(VK_SHIFT, true);
    until("the touch is told", PATIENCE, || presence.is_on().then_some(()));
    // Wine keeps what it knows of keys for 50 ms.
    leave(&mut rig.witness, &presence);
    assert_eq!(rig.hands.inject(batch(text("c")), &Stop::new()), Err(DesktopError::Stopped));
    assert!(!rig.witness.held().is_nothing(), "their Shift is theirs");
    person(VK_SHIFT, false);
    until("the hands work again", PATIENCE, || {
        presence.wait_out(presence.latest().0);
        rig.hands.inject(batch(text("c")), &Stop::new()).is_ok().then_some(())
    });
    assert_eq!(rig.witness.text("c"), "c");
}
