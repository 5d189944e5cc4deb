//! A text goes to the window it was begun in: windows that close, hide or are replaced at random moments of a text, 60 of them (1000
//! with `HANDSIGHT_LONG=1`), and a decoy with the focus afterwards, which must not hear a single key. The control is hands that
//! do not look.

use crate::hands_rig::{batch, batch_with, config, text, turn};
use handsight_base::flow::action::Timing;
use handsight_base::port::desktop::{DesktopError, Injected};
use handsight_base::stop::{Stop, StopReason};
use handsight_desktop::hands::{Ended, Hands, HandsConfig};
use handsight_testkit::need::long;
use handsight_testkit::wait::{PATIENCE, until};
use handsight_testkit::witness::{What, Witness};
use handsight_testkit::xvfb::Xvfb;
use std::time::{Duration, Instant};
use x11rb::connection::Connection as _;
use x11rb::protocol::xinput::{ConnectionExt as _, Device, EventMask, XIEventMask};
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, CreateWindowAux, InputFocus, PropMode, Window, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

const TITLE: &str = "A note";

/// A screen, the client of the window that is typed into, and one whose window lies in wait.
struct Rig {
    x: Xvfb,
    target: Witness,
    decoy: Witness,
    trap: Window,
    random: u64,
}

impl Rig {
    fn new() -> Option<Self> {
        let x = Xvfb::start()?;
        let target = Witness::connect(x.display());
        let mut decoy = Witness::connect(x.display());
        let trap = decoy.open(640, 0, 300, 200);
        Some(Self { x, target, decoy, trap, random: 0x5eed })
    }

    fn hands(&self, addressed: bool) -> Hands {
        let config = config(self.x.display(), &self.x.home().join("state"));
        // A turn that the machine holds up is not what these tests are about.
        Hands::spawn(HandsConfig { addressed, silence: Duration::from_secs(10), ..config }).unwrap()
    }

    /// A fresh window of the target's with the focus, and nothing heard yet.
    fn open(&mut self) -> Window {
        let window = self.target.open(0, 0, 300, 200);
        title(&self.target, window);
        self.target.focus(window);
        self.target.forget();
        self.decoy.forget();
        window
    }

    fn below(&mut self, n: u64) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % n
    }
}

fn title(client: &Witness, window: Window) {
    let kind = AtomEnum::STRING;
    client
        .conn()
        .change_property8(PropMode::REPLACE, window, AtomEnum::WM_NAME, kind, TITLE.as_bytes())
        .unwrap();
}

fn keys(client: &mut Witness) -> usize {
    client.presses().iter().filter(|what| matches!(what, What::Key { .. })).count()
}

/// What becomes of the window.
#[derive(Debug, Clone, Copy)]
enum Loss {
    Closes,
    Hides,
    /// It closes, and another of its title is there.
    IsReplaced,
}

const LOSSES: [Loss; 3] = [Loss::Closes, Loss::Hides, Loss::IsReplaced];

/// Begins a text and has its window lost at a moment of it. What the hands say, and how many keys came to target and decoy.
fn lose(rig: &mut Rig, hands: &mut Hands, n: usize) -> (Result<Injected, DesktopError>, usize, usize) {
    let window = rig.open();
    let (loss, slow) = (LOSSES[n % 3], n.is_multiple_of(2));
    let (chars, interval) = if slow { (400, 1) } else { (8000, 0) };
    let timing = Timing { type_interval: Duration::from_millis(interval), ..Timing::default() };
    let words = batch_with(text(&"all work and no play ".repeat(chars / 21)), &timing);
    let (after, later) = (rig.below(60) as usize, rig.below(3000));
    let _turn = turn(hands.pulse());
    let Rig { target, decoy, trap, .. } = rig;
    let done = std::thread::scope(|scope| {
        let typing = scope.spawn(|| hands.inject(words, &Stop::new()));
        until("the text has begun", PATIENCE, || (keys(target) > after).then_some(()));
        std::thread::sleep(Duration::from_micros(later));
        let conn = decoy.conn();
        if let Loss::IsReplaced = loss {
            title(decoy, *trap);
        }
        match loss {
            Loss::Closes | Loss::IsReplaced => drop(conn.destroy_window(window).unwrap()),
            Loss::Hides => drop(conn.unmap_window(window).unwrap()),
        }
        conn.set_input_focus(InputFocus::PARENT, *trap, x11rb::CURRENT_TIME).unwrap();
        conn.flush().unwrap();
        typing.join().unwrap()
    });
    target.sync();
    decoy.sync();
    target.assert_quiet();
    (done, keys(target), keys(decoy))
}

#[test]
fn of_60_windows_lost_in_mid_text_no_key_goes_to_what_has_the_focus_then() {
    let Some(mut rig) = Rig::new() else { return };
    let mut hands = rig.hands(true);
    let windows = if long() { 1000 } else { 60 };
    let (mut arrived, mut longest) = (0, Duration::ZERO);
    for n in 0..windows {
        let began = Instant::now();
        let (done, target, decoy) = lose(&mut rig, &mut hands, n);
        assert_eq!(decoy, 0, "window {n} ({:?}): keys of its text came to another: {done:?}", LOSSES[n % 3]);
        let Err(DesktopError::FocusMoved { window, typed, injected }) = done else {
            panic!("window {n}: {done:?}");
        };
        assert_eq!((window.as_str(), injected.events), ("\"A note\"", typed * 2));
        assert!(!injected.complete && injected.events < injected.of, "{injected:?}");
        assert_eq!(target, injected.events as usize, "window {n}: what is said to have arrived, and did");
        assert_eq!(hands.last_ended(), Some(Ended::FocusMoved));
        arrived += typed;
        longest = longest.max(began.elapsed());
    }
    println!(
        "{windows} windows lost: {arrived} characters arrived, 0 keys astray; the longest took {longest:.0?}"
    );
    // The next text goes where the focus is.
    rig.open();
    let _turn = turn(hands.pulse());
    assert!(hands.inject(batch(text("over")), &Stop::new()).unwrap().complete);
    assert_eq!(keys(&mut rig.target), 8);
}

#[test]
fn hands_that_do_not_look_type_on_into_the_decoy() {
    let Some(mut rig) = Rig::new() else { return };
    let mut hands = rig.hands(false);
    let mut astray = 0;
    for n in 0..6 {
        let (done, _, decoy) = lose(&mut rig, &mut hands, n);
        assert!(done.unwrap().complete, "the control knows of nothing");
        astray += decoy;
    }
    println!("the control: {astray} keys astray of 6 windows");
    assert!(astray > 0, "the decoy hears nothing, whatever is sent to it");
}

#[test]
fn a_text_whose_enter_opens_a_window_goes_on_in_it() {
    let Some(mut rig) = Rig::new() else { return };
    let mut hands = rig.hands(true);
    rig.open();
    let enter = rig.target.keycode(0xff0d);
    let timing = Timing { type_interval: Duration::from_millis(250), ..Timing::default() };
    let _turn = turn(hands.pulse());
    let Rig { target, decoy, trap, .. } = &mut rig;
    let done = std::thread::scope(|scope| {
        let typing = scope.spawn(|| hands.inject(batch_with(text("ab\ncd"), &timing), &Stop::new()));
        let pressed = What::Key { code: enter, down: true };
        until("Enter", PATIENCE, || target.presses().contains(&pressed).then_some(()));
        decoy.focus(*trap);
        typing.join().unwrap()
    });
    assert!(done.as_ref().is_ok_and(|done| done.complete), "{done:?}");
    assert_eq!((keys(target), keys(decoy)), (6, 4));
    decoy.assert_quiet();
}

/// Types slowly while something happens to the focus, and says what became of it.
fn meanwhile(
    rig: &mut Rig,
    hands: &mut Hands,
    happens: impl FnOnce(&mut Rig),
) -> Result<Injected, DesktopError> {
    let timing = Timing { type_interval: Duration::from_millis(2), ..Timing::default() };
    let _turn = turn(hands.pulse());
    std::thread::scope(|scope| {
        let words = batch_with(text(&"x".repeat(200)), &timing);
        let typing = scope.spawn(|| hands.inject(words, &Stop::new()));
        until("the text has begun", PATIENCE, || (keys(&mut rig.target) > 20).then_some(()));
        happens(rig);
        typing.join().unwrap()
    })
}

#[test]
fn a_focus_that_moves_within_its_window_or_comes_back_at_once_loses_nothing() {
    let Some(mut rig) = Rig::new() else { return };
    let mut hands = rig.hands(true);
    let window = rig.open();
    let (conn, field) = (rig.target.conn(), rig.target.conn().generate_id().unwrap());
    let (class, aux) = (WindowClass::INPUT_OUTPUT, CreateWindowAux::new());
    conn.create_window(0, field, window, 10, 10, 50, 20, 0, class, 0, &aux).unwrap();
    let mask = vec![XIEventMask::KEY_PRESS | XIEventMask::KEY_RELEASE];
    let masks = [EventMask { deviceid: Device::ALL_MASTER.into(), mask }];
    conn.xinput_xi_select_events(field, &masks).unwrap().check().unwrap();
    conn.map_window(field).unwrap();
    let within = |rig: &mut Rig| {
        for to in [field, window, field] {
            rig.target.focus(to);
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    assert!(meanwhile(&mut rig, &mut hands, within).unwrap().complete);
    assert_eq!((keys(&mut rig.target), keys(&mut rig.decoy)), (400, 0));

    for away in [x11rb::NONE, rig.trap] {
        rig.target.focus(window);
        rig.target.forget();
        let passing = |rig: &mut Rig| {
            rig.decoy.focus(away);
            std::thread::sleep(Duration::from_millis(30));
            rig.decoy.focus(window);
        };
        assert!(meanwhile(&mut rig, &mut hands, passing).unwrap().complete);
        assert_eq!((keys(&mut rig.target), keys(&mut rig.decoy)), (400, 0));
    }
    rig.target.assert_quiet();
}

#[test]
fn where_the_focus_follows_the_pointer_a_text_keeps_to_the_window_below_it() {
    let Some(mut rig) = Rig::new() else { return };
    let mut hands = rig.hands(true);
    let window = rig.open();
    rig.target.go_to(50, 50);
    let follow = |rig: &Rig| {
        rig.target.conn().set_input_focus(InputFocus::PARENT, 1u32, x11rb::CURRENT_TIME).unwrap();
        rig.target.sync();
    };
    follow(&rig);
    rig.target.forget();
    let lost = |rig: &mut Rig| {
        rig.decoy.conn().destroy_window(window).unwrap();
        rig.decoy.sync();
    };
    let done = meanwhile(&mut rig, &mut hands, lost);
    let Err(DesktopError::FocusMoved { typed, .. }) = done else { panic!("{done:?}") };
    assert_eq!(keys(&mut rig.target), 2 * typed as usize);
    rig.open();
    follow(&rig);
    let leaves = |rig: &mut Rig| rig.decoy.go_to(700, 50);
    let done = meanwhile(&mut rig, &mut hands, leaves);
    assert!(matches!(done, Err(DesktopError::FocusMoved { .. })), "{done:?}");
    assert_eq!(keys(&mut rig.decoy), 0);
}

#[test]
fn a_program_that_holds_the_server_is_waited_for_and_keeps_no_stop_away() {
    let Some(mut rig) = Rig::new() else { return };
    let mut hands = rig.hands(true);
    rig.open();
    let grabs = |rig: &mut Rig| {
        rig.decoy.grab_server();
        std::thread::sleep(Duration::from_millis(600));
        rig.decoy.ungrab_server();
    };
    assert!(meanwhile(&mut rig, &mut hands, grabs).unwrap().complete);
    assert_eq!(keys(&mut rig.target), 400);

    let (stop, told) = (Stop::new(), Stop::new());
    let timing = Timing { type_interval: Duration::from_millis(2), ..Timing::default() };
    let _turn = turn(hands.pulse());
    let took = std::thread::scope(|scope| {
        let words = batch_with(text(&"x".repeat(5000)), &timing);
        let typing = scope.spawn(|| {
            let done = hands.inject(words, &stop);
            told.set(StopReason::Person);
            done
        });
        until("the text has begun", PATIENCE, || (keys(&mut rig.target) > 420).then_some(()));
        rig.decoy.grab_server();
        std::thread::sleep(Duration::from_millis(100));
        stop.set(StopReason::Person);
        let at = Instant::now();
        until("the hands stop while the server is held", PATIENCE, || told.is_set().then_some(()));
        rig.decoy.ungrab_server();
        assert!(!typing.join().unwrap().unwrap().complete);
        at.elapsed()
    });
    println!("stopped {took:.0?} after the word, while the server was held");
    assert!(took <= Duration::from_millis(250), "{took:?}");
    // What was asked while it was held holds nothing afterwards.
    rig.target.forget();
    rig.target.assert_quiet();
}

#[test]
fn programs_that_hold_the_server_again_and_again_never_hang_the_hands() {
    let Some(mut rig) = Rig::new() else { return };
    let mut hands = rig.hands(true);
    rig.open();
    let stop = Stop::new();
    let timing = Timing { type_interval: Duration::from_millis(1), ..Timing::default() };
    let _turn = turn(hands.pulse());
    let grabs = if long() { 3000 } else { 150 };
    let done = std::thread::scope(|scope| {
        let words = batch_with(text(&"x".repeat(100_000)), &timing);
        let typing = scope.spawn(|| hands.inject(words, &stop));
        for _ in 0..grabs {
            let (before, held) = (rig.below(8000), rig.below(25_000));
            std::thread::sleep(Duration::from_micros(before));
            rig.decoy.grab_server();
            std::thread::sleep(Duration::from_micros(held));
            rig.decoy.ungrab_server();
        }
        let came = keys(&mut rig.target);
        until("it types on", PATIENCE, || (keys(&mut rig.target) > came).then_some(()));
        stop.set(StopReason::Person);
        typing.join().unwrap()
    });
    let done = done.unwrap();
    assert_eq!((keys(&mut rig.target), keys(&mut rig.decoy)), (done.events as usize, 0));
    rig.target.assert_quiet();
}

#[test]
fn what_a_look_before_each_character_costs() {
    let Some(mut rig) = Rig::new() else { return };
    let mut took = [Duration::MAX; 2];
    for round in 0..6 {
        let addressed = round % 2 == 1;
        let mut hands = rig.hands(addressed);
        rig.open();
        let _turn = turn(hands.pulse());
        let words = batch(text(&"The quick brown fox jumps over it. ".repeat(60)));
        let began = Instant::now();
        assert!(hands.inject(words, &Stop::new()).unwrap().complete);
        let best = &mut took[usize::from(addressed)];
        *best = (*best).min(began.elapsed() / (60 * 35));
    }
    let [without, with] = took;
    println!("a character takes {with:.1?}, and {without:.1?} without the look");
    // At the slowest it is 500 times what a person types.
    assert!(with < Duration::from_millis(1), "{with:?}");
}
