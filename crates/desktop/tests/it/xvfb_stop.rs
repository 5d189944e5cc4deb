//! Stop means stop: from the word or the chord to the last event the server took, 200 times at random moments of typing, drags and
//! holds (1000 with `HANDSIGHT_LONG=1`). The control is a word that nobody is told of.

use crate::hands_rig::{batch, batch_with, click, config, hold, spot, text, turn};
use handsight_base::flow::action::{Action, Button, Timing};
use handsight_base::gate::Approved;
use handsight_base::key::Modifiers;
use handsight_base::port::desktop::DesktopError;
use handsight_base::stop::{Stop, StopReason};
use handsight_desktop::hands::Hands;
use handsight_testkit::need::long;
use handsight_testkit::wait::{PATIENCE, until};
use handsight_testkit::witness::Witness;
use handsight_testkit::xvfb::Xvfb;
use std::time::Duration;

/// R5, in milliseconds.
const P99: u32 = 100;
const MAX: u32 = 250;

fn work(n: u32) -> Approved<handsight_base::flow::action::Batch> {
    let slow = Timing { type_interval: Duration::from_millis(3), ..Timing::default() };
    match n % 3 {
        0 => batch_with(text(&"all work and no play ".repeat(500)), &slow),
        1 => {
            let path = (0..40).map(|n| spot(100 + 900 * (n % 2), 100 + n * 9)).collect();
            batch(Action::Drag { path, button: Button::Left, modifiers: Modifiers::NONE })
        }
        _ => batch(hold("ctrl+shift+w", 60_000)),
    }
}

/// Begins a work, says the word at a moment of it, and returns how many milliseconds later the last event came.
fn stopped_after(hands: &mut Hands, witness: &mut Witness, n: u32, word: impl FnOnce(&Stop)) -> u32 {
    let stop = Stop::new();
    witness.forget();
    let (injected, at) = std::thread::scope(|scope| {
        let working = scope.spawn(|| hands.inject(work(n), &stop).unwrap());
        until("the work has begun", PATIENCE, || (!witness.events().is_empty()).then_some(()));
        std::thread::sleep(Duration::from_micros(u64::from(n.wrapping_mul(2_654_435_761) >> 17)));
        let at = Witness::now();
        word(&stop);
        (working.join().unwrap(), at)
    });
    assert!(!injected.complete && injected.events > 0 && injected.events < injected.of, "{injected:?}");
    witness.assert_quiet();
    witness.events().iter().map(|e| e.time).max().unwrap().saturating_sub(at)
}

fn start(x: &Xvfb) -> Hands {
    Hands::spawn(config(x.display(), &x.home().join("state"))).unwrap()
}

#[test]
fn of_200_stops_none_lets_an_event_through_after_250_ms_nor_two_after_100() {
    let Some(x) = Xvfb::start() else { return };
    let mut witness = Witness::connect(x.display());
    witness.open(0, 0, 1280, 720);
    witness.watch_everything();
    let chord = [0xffe3, 0xffe9, 0xff13].map(|keysym| witness.keycode(keysym));
    let stops = if long() { 1000 } else { 200 };
    let mut times = Vec::new();
    let (mut hands, person) = (start(&x), Witness::connect(x.display()));
    for n in 0..stops {
        let turn = turn(hands.pulse());
        let by_chord = n % 20 == 19;
        times.push(stopped_after(&mut hands, &mut witness, n, |stop| {
            if by_chord {
                chord.iter().for_each(|code| person.key(*code, true));
                chord.iter().for_each(|code| person.key(*code, false));
            } else {
                stop.set(StopReason::Person);
            }
        }));
        drop(turn);
        if by_chord {
            assert_eq!(hands.inject(batch(click(1, 1)), &Stop::new()), Err(DesktopError::Stopped));
            drop(hands);
            hands = start(&x);
        }
    }
    times.sort_unstable();
    let of = |share: usize| times[(times.len() - 1) * share / 100];
    println!("{stops} stops: last event p50 {} ms, p99 {} ms, max {} ms", of(50), of(99), of(100));
    assert!(of(99) <= P99 && of(100) <= MAX, "{times:?}");
    // A stop that was there before lets nothing out.
    let stopped = Stop::new();
    stopped.set(StopReason::Terminate);
    witness.forget();
    assert_eq!(hands.inject(batch(click(1, 1)), &stopped), Err(DesktopError::Stopped));
    assert_eq!(witness.events(), []);
}

#[test]
fn work_that_is_not_told_of_the_stop_goes_on_past_every_limit() {
    let Some(x) = Xvfb::start() else { return };
    let mut witness = Witness::connect(x.display());
    witness.open(0, 0, 1280, 720);
    witness.watch_everything();
    let mut hands = start(&x);
    let _turn = turn(hands.pulse());
    let late = stopped_after(&mut hands, &mut witness, 0, |stop| {
        std::thread::sleep(Duration::from_millis(u64::from(MAX) + 50));
        stop.set(StopReason::Person);
    });
    assert!(late > MAX, "the control: the last event came {late} ms after the word that was kept back");
}
