//! The Windows hands at work, seen by another program of the session.

use crate::hands_rig::{batch, chord, click, click_with, config, hold, inject, scroll, spot, turn};
use crate::wine_rig::{CLIENT, Rig, Witness};
use handsight_base::NOTCH;
use handsight_base::flow::action::{Action, Axis, Button};
use handsight_base::key::{Key, Modifiers};
use handsight_base::lifts::Lifted;
use handsight_base::port::desktop::DesktopError;
use handsight_base::space::ScreenPx;
use handsight_base::stop::Stop;
use handsight_desktop::hands::{Code, Ended, Event, Hands, HandsConfig};
use handsight_testkit::wait::{PATIENCE, before, until};
use handsight_testkit::witness_protocol::{Ask, Said, What, Which};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use windows::Win32::UI::Input::KeyboardAndMouse::{
    INPUT, INPUT_0, INPUT_KEYBOARD, KEYBDINPUT, KEYEVENTF_KEYUP, SendInput, SwapMouseButton, VIRTUAL_KEY,
    VK_CONTROL, VK_MENU, VK_PAUSE,
};

fn button(button: Button, down: bool) -> What {
    What::Button { button, down }
}

fn key(name: &str, down: bool) -> What {
    What::Key { key: Some(name.parse().unwrap()), down, repeat: false }
}

/// A key of a person's own: not of the hands.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(crate) fn person(key: VIRTUAL_KEY, down: bool) {
    let flags = if down { Default::default() } else { KEYEVENTF_KEYUP };
    let ki = KEYBDINPUT { wVk: key, dwFlags: flags, ..KEYBDINPUT::default() };
    let input = INPUT { r#type: INPUT_KEYBOARD, Anonymous: INPUT_0 { ki } };
    // SAFETY: an array of one.
    assert_eq!(unsafe { SendInput(&[input], size_of::<INPUT>() as i32) }, 1);
}

// spec: S-28 WINE
// spec: S-34 WINE
#[test]
fn a_click_is_a_move_a_press_and_a_release_on_the_asked_pixel() {
    let mut rig = Rig::new();
    let mut at = 0x1234_5678u32;
    for n in 0..60 {
        // Corners first, then anywhere in the window.
        let mut next = |of: u32| {
            at = at.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((at >> 8) % of) as i32
        };
        let (right, bottom) = (CLIENT.size.width as i32 - 1, CLIENT.size.height as i32 - 1);
        let (x, y) = match n {
            0 => (0, 0),
            1 => (right, bottom),
            _ => (next(CLIENT.size.width), next(CLIENT.size.height)),
        };
        let asked = ScreenPx::new(CLIENT.origin.x + x, CLIENT.origin.y + y);
        rig.witness.forget();
        let injected = inject(&mut rig.hands, click(asked.x, asked.y));
        assert_eq!(injected.events, 3);
        let what = rig.witness.presses(2);
        assert_eq!(what, [button(Button::Left, true), button(Button::Left, false)]);
        rig.witness.settle();
        let events = rig.witness.events();
        assert!(events.iter().all(|e| e.screen == asked), "{asked:?}: {events:?}");
        let first = events.first().map(|e| e.what);
        assert_eq!(first, Some(What::Move), "the pointer moves before the button: {events:?}");
    }
}

// spec: S-101 WINE
#[test]
fn every_button_is_pressed_and_released() {
    let mut rig = Rig::new();
    for of in [Button::Left, Button::Middle, Button::Right, Button::Back, Button::Forward] {
        rig.witness.forget();
        inject(&mut rig.hands, click_with(400, 300, of, Modifiers::NONE));
        assert_eq!(rig.witness.presses(2), [button(of, true), button(of, false)]);
    }
    rig.witness.assert_quiet();
}

/// Windows swaps what is injected as it swaps the mouse's own; Wine does not, so what went out is looked at and not what came.
/// Wine also tells a running process the old setting: these hands start with the new one.
#[test]
fn with_swapped_buttons_the_left_click_is_the_mouse_s_right_one() {
    let swap = |on| {
        // SAFETY: a plain number.
        #[expect(unsafe_code, reason = "a call of the Windows API")]
        let _before = unsafe { SwapMouseButton(on) };
    };
    swap(true);
    let mut rig = Rig::new();
    for of in [Button::Left, Button::Right] {
        inject(&mut rig.hands, click_with(400, 300, of, Modifiers::NONE));
    }
    swap(false);
    let sent = rig.hands.ledger(0).unwrap().into_iter().filter_map(|entry| match entry.event {
        Event::Press(Code::Button(button)) => Some(button),
        _ => None,
    });
    assert_eq!(sent.collect::<Vec<_>>(), [2, 1]);
    rig.witness.assert_quiet();
}

// spec: S-30 WINE
#[test]
fn the_wheel_carries_its_units_unchanged() {
    let mut rig = Rig::new();
    inject(&mut rig.hands, click(400, 300));
    let there = rig.witness.pointer();
    for (dx, dy) in
        [(0, 2 * NOTCH), (0, -NOTCH), (0, 37), (0, -7), (3 * NOTCH, 0), (-50, 0), (0, 100 * NOTCH)]
    {
        rig.witness.forget();
        inject(&mut rig.hands, scroll(dx, dy));
        let mut sums = (0, 0);
        before(PATIENCE, || {
            sums = rig.witness.events().iter().fold((0, 0), |(x, y), event| match event.what {
                What::Wheel { axis: Axis::Horizontal, units } => (x + units, y),
                What::Wheel { axis: Axis::Vertical, units } => (x, y + units),
                _ => (x, y),
            });
            (sums == (dx, dy)).then_some(())
        });
        assert_eq!(sums, (dx, dy));
    }
    rig.witness.forget();
    inject(&mut rig.hands, scroll(0, 0));
    assert_eq!(rig.witness.events().len(), 0, "zero sends nothing");
    assert_eq!(rig.witness.pointer(), there, "the wheel turns where the pointer is");
}

#[test]
fn a_chord_goes_down_in_its_order_and_up_in_the_other() {
    let mut rig = Rig::new();
    for keys in ["ctrl+shift+s", "alt+f4", "ctrl+end", "shift+tab", "super+r", "ctrl+kp5"] {
        if keys == "alt+f4" || keys == "super+r" {
            // They would do what they say.
            continue;
        }
        rig.witness.forget();
        inject(&mut rig.hands, chord(keys));
        let names: Vec<&str> = keys.split('+').collect();
        let down = names.iter().map(|name| key(name, true));
        let wanted: Vec<What> = down.chain(names.iter().rev().map(|name| key(name, false))).collect();
        assert_eq!(rig.witness.presses(wanted.len()), wanted, "{keys}");
    }
    rig.witness.assert_quiet();
}

#[test]
fn a_hold_lasts_and_modifiers_stand_around_a_click() {
    let mut rig = Rig::new();
    inject(&mut rig.hands, hold("ctrl+w", 300));
    let events = rig.witness.events();
    let at = |wanted: What| events.iter().find(|e| e.what == wanted).map(|e| e.at_ms);
    let lasted = at(key("w", false)).unwrap() - at(key("w", true)).unwrap();
    assert!((250..900).contains(&lasted), "{lasted} ms");
    rig.witness.forget();
    let modifiers = Modifiers { control: true, ..Modifiers::NONE };
    inject(&mut rig.hands, click_with(400, 300, Button::Left, modifiers));
    let wanted =
        [key("ctrl", true), button(Button::Left, true), button(Button::Left, false), key("ctrl", false)];
    assert_eq!(rig.witness.presses(4), wanted);
}

#[test]
fn a_turn_that_is_silent_loses_its_keys_after_250_ms() {
    let mut rig = Rig::new();
    let began = Instant::now();
    let cut = rig.hands.inject(batch(hold("ctrl+w", 60_000)), &Stop::new()).unwrap();
    let took = began.elapsed();
    assert!(!cut.complete);
    assert_eq!(rig.hands.last_ended(), Some(Ended::Silence));
    assert!((Duration::from_millis(240)..Duration::from_millis(1500)).contains(&took), "{took:?}");
    rig.witness.assert_quiet();
}

#[test]
fn a_press_without_its_release_lasts_as_long_as_is_allowed() {
    let (mut witness, state) = (Witness::open(), TempDir::new().unwrap());
    let max_hold = Duration::from_millis(700);
    let mut hands = Hands::spawn(HandsConfig { max_hold, ..config(state.path()) }).unwrap();
    let _turn = turn(hands.pulse());
    let down = Action::Down { at: Some(spot(400, 300)), button: Button::Left };
    assert!(hands.inject(batch(down), &Stop::new()).unwrap().complete);
    assert_eq!(witness.held().buttons, ["left"]);
    let pressed = Instant::now();
    until("the button is lifted", PATIENCE, || witness.held().is_nothing().then_some(()));
    assert!(pressed.elapsed() > Duration::from_millis(400), "{:?}", pressed.elapsed());
    until("it is told", PATIENCE, || hands.lifts().take().map(|why| assert_eq!(why, Lifted::TooLong)));
}

#[test]
fn the_stop_chord_lifts_everything_and_ends_all_input() {
    let mut rig = Rig::new();
    let stop = rig.hands.chord_stop();
    let pulse = turn(rig.hands.pulse());
    let witness = &mut rig.witness;
    let (hands, cut) = std::thread::scope(|scope| {
        let mut hands = rig.hands;
        let holding = scope.spawn(move || {
            let cut = hands.inject(batch(hold("shift+w", 60_000)), &Stop::new());
            (hands, cut)
        });
        until("keys are down", PATIENCE, || (witness.held().keys.len() == 2).then_some(()));
        // Half of it stops nothing.
        person(VK_MENU, true);
        person(VK_PAUSE, true);
        person(VK_PAUSE, false);
        assert!(before(Duration::from_millis(200), || stop.is_set().then_some(())).is_none());
        person(VK_CONTROL, true);
        person(VK_PAUSE, true);
        let pressed = Instant::now();
        until("the run is told", PATIENCE, || stop.is_set().then_some(()));
        let took = pressed.elapsed();
        assert!(took < Duration::from_millis(250), "{took:?}");
        for key in [VK_PAUSE, VK_CONTROL, VK_MENU] {
            person(key, false);
        }
        holding.join().unwrap()
    });
    rig.hands = hands;
    assert!(!cut.unwrap().complete);
    rig.witness.assert_quiet();
    let refused = rig.hands.inject(batch(click(1, 1)), &Stop::new());
    assert_eq!(refused, Err(DesktopError::Stopped));
    drop(pulse);
}

#[test]
fn a_second_engine_is_told_whose_hands_these_are() {
    let rig = Rig::new();
    let mut second = crate::wine_kill_hands::engine(rig.state.path(), "idle");
    let said = second.first_line();
    let refusal = DesktopError::InUse { pid: std::process::id() };
    assert_eq!(said, refusal.to_string());
    drop(second);
    // Once these are gone, others may come.
    drop(rig);
    let state = TempDir::new().unwrap();
    drop(Hands::spawn(config(state.path())).unwrap());
}

#[test]
fn the_same_engine_may_give_its_hands_up_for_others() {
    let (mut witness, state) = (Witness::open(), TempDir::new().unwrap());
    let mut first = Hands::spawn(config(state.path())).unwrap();
    let down = Action::Down { at: Some(spot(400, 300)), button: Button::Left };
    let _turn = turn(first.pulse());
    first.inject(batch(down), &Stop::new()).unwrap();
    let second = Hands::spawn(config(state.path())).unwrap();
    witness.assert_quiet();
    until("the first have ended", PATIENCE, || first.has_ended().then_some(()));
    assert!(matches!(first.inject(batch(click(1, 1)), &Stop::new()), Err(DesktopError::Lost { .. })));
    drop(second);
}

#[test]
fn the_ledger_lists_what_was_injected() {
    let mut rig = Rig::new();
    inject(&mut rig.hands, click(400, 300));
    let events: Vec<Event> = rig.hands.ledger(0).unwrap().into_iter().map(|e| e.event).collect();
    let left = Code::Button(1);
    assert_eq!(events, [Event::Move(ScreenPx::new(400, 300)), Event::Press(left), Event::Release(left)]);
}

#[test]
fn caps_lock_turns_no_letter_and_stays_as_it_was() {
    let mut rig = Rig::new();
    inject(&mut rig.hands, chord("capslock"));
    rig.witness.forget();
    inject(&mut rig.hands, chord("a"));
    inject(&mut rig.hands, chord("B"));
    inject(&mut rig.hands, crate::hands_rig::text("cD"));
    let text = rig.witness.text("aBcD");
    inject(&mut rig.hands, chord("capslock"));
    assert_eq!(text, "aBcD");
}

#[test]
fn a_closed_window_takes_its_keys_with_it_and_nothing_stays_down() {
    let mut rig = Rig::new();
    rig.witness.forget();
    assert_eq!(
        rig.witness.ask(&Ask::At { events: 1, deed: handsight_testkit::witness_protocol::Deed::Close }),
        Said::Done
    );
    inject(&mut rig.hands, hold("ctrl+w", 200));
    rig.witness.assert_quiet();
    assert_eq!(rig.witness.ask(&Ask::Close { window: Which::Main }), Said::Done);
}

#[test]
fn a_key_the_layout_lacks_is_refused_by_name_in_a_chord() {
    let mut rig = Rig::new();
    let _turn = turn(rig.hands.pulse());
    let refused = rig.hands.inject(batch(chord("ctrl+日")), &Stop::new());
    assert!(matches!(refused, Err(DesktopError::Unsupported { .. })), "{refused:?}");
    rig.witness.assert_quiet();
    assert_eq!("日".parse::<Key>().unwrap(), Key::Char('日'));
}
