//! Deaths: whatever becomes of the engine or its supervisor, no key and no button stays down.
//!
//! The engine is a process of its own, started from this binary. It is killed at a random moment while it holds
//! Ctrl+Shift+W and a button, or drags; an independent X client then asks the server what is down. 200 deaths, or 2 000
//! with `HANDSIGHT_LONG=1`. The control is an engine without hands: its keys must stay down, or the server and the
//! witness would prove nothing.

use crate::hands_rig::{batch, child, config, hold, inject, spot, turn};
use handsight_base::flow::action::{Action, Button};
use handsight_base::key::Modifiers;
use handsight_base::stop::Stop;
use handsight_desktop::hands::{Code, Hands};
use handsight_testkit::need::long;
use handsight_testkit::program::{Program, signal_pid};
use handsight_testkit::wait::{PATIENCE, before, until};
use handsight_testkit::witness::Witness;
use handsight_testkit::xvfb::Xvfb;
use rustix::process::Signal;
use std::io::{BufRead, Write};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

/// An engine process on the display. `what` it does: `idle`, `hold`, `drag`, `direct` (without hands) or `fork` (like
/// `hold`, with a child of its own that outlives it).
pub(crate) fn engine(x: &Xvfb, what: &str) -> Program {
    let command = child("kill_hands::engine_process");
    let mut process = Command::new(&command[0]);
    process.args(&command[1..]).env_clear().stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut engine = Program::start(&mut process);
    tell(&mut engine, &format!("{}\n{}\n{what}", x.display(), x.home().join("state").display()));
    engine
}

fn tell(engine: &mut Program, line: &str) {
    let stdin = engine.child().stdin.as_mut().expect("a pipe");
    writeln!(stdin, "{line}").expect("the engine listens");
}

#[test]
#[ignore = "a process that other tests start: an engine that is going to die"]
fn engine_process() {
    let mut lines = std::io::stdin().lock().lines().map_while(Result::ok);
    let (Some(display), Some(state), Some(what)) = (lines.next(), lines.next(), lines.next()) else { return };
    if what == "direct" {
        let own = Witness::connect(&display);
        [0xffe3, 0xffe1, 0x77].iter().for_each(|keysym| own.key(own.keycode(*keysym), true));
        own.button(1, true);
        lines.next();
        return;
    }
    drop(lines);
    let hands = Hands::spawn(config(&display, state.as_ref())).expect("the hands start");
    let pulse = hands.pulse();
    let _grandchild = (what == "fork").then(|| Command::new("sleep").arg("5").spawn().expect("sleep"));
    // The desktop's own thread, as in the product.
    let desktop = std::thread::Builder::new().name("desktop".to_owned());
    desktop.spawn(move || work(hands, &what)).expect("a thread");
    // The turn: it beats, and hears how it is to end.
    let (orders, ordered) = sync_channel(1);
    let ears = std::thread::Builder::new().name("ears".to_owned());
    let ears = ears.spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            orders.send(line).expect("the turn listens");
        }
    });
    ears.expect("a thread");
    loop {
        match ordered.recv_timeout(Duration::from_millis(100)).as_deref() {
            Ok("panic") => panic!("on order"),
            Ok("abort") => std::process::abort(),
            Ok("segv") => fault(),
            Ok("deadlock") => {
                let lock = Mutex::new(());
                let _first = lock.lock().expect("free");
                let _second = lock.lock().expect("never");
            }
            Ok(other) => panic!("no such order: {other}"),
            Err(_) => pulse.beat(),
        }
    }
}

/// A write to nowhere: a real fault, because a SIGSEGV from outside only takes Rust's own handler away.
#[expect(unsafe_code, reason = "dying by it is the point")]
fn fault() {
    // SAFETY: none; the page is never mapped and the process ends here.
    unsafe { std::ptr::without_provenance_mut::<u8>(16).write_volatile(1) };
}

fn work(mut hands: Hands, what: &str) {
    let stop = Stop::new();
    match what {
        "hold" | "fork" => {
            let down = Action::Down { at: Some(spot(100, 100)), button: Button::Left };
            hands.inject(batch(down), &stop).expect("the button goes down");
            let _cut = hands.inject(batch(hold("ctrl+shift+w", 200_000)), &stop);
        }
        "drag" => loop {
            let path = vec![spot(100, 100), spot(1100, 600), spot(200, 500), spot(100, 100)];
            let modifiers = Modifiers { control: true, shift: true, ..Modifiers::NONE };
            let drag = Action::Drag { path, button: Button::Left, modifiers };
            if !hands.inject(batch(drag), &stop).is_ok_and(|i| i.complete) {
                break;
            }
        },
        _ => {}
    }
    // The hands stay with the engine to its end.
    std::mem::forget(hands);
}

/// How an engine ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Death {
    By(Signal),
    Order(&'static str),
}

const DEATHS: [Death; 6] = [
    Death::By(Signal::KILL),
    Death::By(Signal::TERM),
    Death::By(Signal::ABORT),
    Death::Order("segv"),
    Death::Order("panic"),
    Death::Order("abort"),
];
const HANGS: [Death; 2] = [Death::By(Signal::STOP), Death::Order("deadlock")];

/// Release times of one kind of end.
struct Times {
    what: &'static str,
    all: Vec<Duration>,
}

impl Times {
    #[expect(clippy::print_stderr, reason = "the figures are what the tier is for")]
    fn report(&mut self) -> (Duration, Duration) {
        self.all.sort();
        let at = |share: f64| self.all[((self.all.len() - 1) as f64 * share).round() as usize];
        let (p50, p99, max) = (at(0.5), at(0.99), at(1.0));
        eprintln!("{}: n={} p50={p50:.1?} p99={p99:.1?} max={max:.1?}", self.what, self.all.len());
        (p99, max)
    }
}

/// One life: starts an engine, waits until it holds everything, ends it as told, and returns how long keys stayed down.
fn one(x: &Xvfb, witness: &Witness, death: Death, what: &str, random: &mut Random, grab: bool) -> Duration {
    let mut engine = engine(x, what);
    let wanted = if what == "drag" { 2 } else { 3 };
    until("the engine holds keys and the button", PATIENCE, || {
        (witness.keys_down().len() == wanted && witness.buttons_down() == [1]).then_some(())
    });
    std::thread::sleep(Duration::from_micros(random.below(20_000)));
    if grab {
        witness.grab_server();
    }
    let mut died = Instant::now();
    match death {
        Death::By(signal) => engine.signal(signal),
        Death::Order(order) => {
            tell(&mut engine, order);
            if order != "deadlock" {
                // It is dead when it is dead: unwinding takes its time.
                engine.wait(PATIENCE);
                died = Instant::now();
            }
        }
    }
    let quiet = before(PATIENCE, || witness.is_quiet().then(|| died.elapsed()));
    if grab {
        witness.ungrab_server();
    }
    let quiet = quiet.unwrap_or_else(|| {
        panic!(
            "after {death:?} in `{what}`: keys {:?}, buttons {:?}",
            witness.keys_down(),
            witness.buttons_down()
        )
    });
    engine.kill();
    until("the hands are gone", PATIENCE, || {
        witness.selection_owner("_HANDSIGHT_HANDS").is_none().then_some(())
    });
    witness.assert_quiet();
    quiet
}

#[test]
fn no_death_of_the_engine_leaves_a_key_down() {
    let Some(x) = Xvfb::start() else { return };
    let witness = Witness::connect(x.display());
    let mut random = Random::new();
    let mut times = Times { what: "deaths", all: Vec::new() };
    for n in 0..if long() { 2000 } else { 200 } {
        let death = DEATHS[n % DEATHS.len()];
        let what = ["hold", "drag"][n / DEATHS.len() % 2];
        times.all.push(one(&x, &witness, death, what, &mut random, false));
    }
    let (p99, max) = times.report();
    assert!(p99 <= Duration::from_millis(50), "p99 {p99:?}");
    assert!(max <= Duration::from_millis(250), "max {max:?}");
}

#[test]
fn no_death_behind_a_server_grab_leaves_a_key_down() {
    let Some(x) = Xvfb::start() else { return };
    let witness = Witness::connect(x.display());
    let mut random = Random::new();
    let mut times = Times { what: "deaths behind a server grab", all: Vec::new() };
    for n in 0..if long() { 300 } else { 30 } {
        times.all.push(one(&x, &witness, DEATHS[n % DEATHS.len()], "hold", &mut random, true));
    }
    let (_, max) = times.report();
    assert!(max <= Duration::from_millis(250), "max {max:?}");
}

#[test]
fn no_hang_of_the_engine_leaves_a_key_down() {
    let Some(x) = Xvfb::start() else { return };
    let witness = Witness::connect(x.display());
    let mut random = Random::new();
    let mut times = Times { what: "hangs, 250 ms of silence included", all: Vec::new() };
    for n in 0..if long() { 200 } else { 20 } {
        let what = ["hold", "drag"][n / HANGS.len() % 2];
        times.all.push(one(&x, &witness, HANGS[n % HANGS.len()], what, &mut random, n % 4 == 0));
    }
    let (_, max) = times.report();
    // Noticed after 250 ms without a beat, and all up 250 ms later at most.
    assert!(max <= Duration::from_millis(500), "max {max:?}");
    assert!(times.all[0] >= Duration::from_millis(100), "it was silence that did it: {:?}", times.all[0]);
}

#[test]
fn control_without_hands_keys_stay_down() {
    let Some(x) = Xvfb::start() else { return };
    let witness = Witness::connect(x.display());
    for death in [Signal::KILL, Signal::TERM, Signal::ABORT] {
        let mut engine = engine(&x, "direct");
        until("the engine holds its keys", PATIENCE, || {
            (witness.keys_down().len() == 3 && witness.buttons_down() == [1]).then_some(())
        });
        engine.signal(death);
        engine.wait(PATIENCE);
        let released = before(Duration::from_secs(1), || witness.is_quiet().then_some(()));
        assert_eq!(
            released, None,
            "a key came up by itself after {death:?}: the kill tier would prove nothing"
        );
        witness.keys_down().iter().for_each(|code| witness.key(*code, false));
        witness.button(1, false);
        witness.assert_quiet();
    }
}

#[test]
fn a_child_of_the_engine_does_not_keep_the_keys_down() {
    let Some(x) = Xvfb::start() else { return };
    let witness = Witness::connect(x.display());
    let quiet = one(&x, &witness, Death::By(Signal::KILL), "fork", &mut Random::new(), false);
    assert!(quiet <= Duration::from_millis(250), "{quiet:?}");
}

#[test]
fn the_stop_chord_works_while_the_engine_hangs() {
    let Some(x) = Xvfb::start() else { return };
    let witness = Witness::connect(x.display());
    let engine = engine(&x, "hold");
    until("the engine holds its keys", PATIENCE, || (witness.keys_down().len() == 3).then_some(()));
    engine.signal(Signal::STOP);
    // Ctrl is down already, and the engine's at that: the person adds what is missing.
    let stop = [0xffe9, 0xff13].map(|keysym| witness.keycode(keysym));
    stop.iter().for_each(|code| witness.key(*code, true));
    let pressed = Instant::now();
    let held: Vec<u8> = stop.to_vec();
    until("all but the person's own keys are up", PATIENCE, || {
        let down = witness.keys_down();
        (down.iter().all(|code| held.contains(code)) && witness.buttons_down().is_empty()).then_some(())
    });
    let took = pressed.elapsed();
    assert!(took < Duration::from_millis(100), "{took:?}: too late to be the chord's doing");
    stop.iter().for_each(|code| witness.key(*code, false));
    witness.assert_quiet();
}

#[test]
fn after_a_death_of_the_supervisor_the_next_one_sweeps_what_the_file_lists() {
    let Some(x) = Xvfb::start() else { return };
    let witness = Witness::connect(x.display());
    let state = x.home().join("state");
    let person = witness.keycode(0x71);
    for round in 0..if long() { 50 } else { 5 } {
        let mut hands = Hands::spawn(config(x.display(), &state)).unwrap();
        let beating = turn(hands.pulse());
        inject(&mut hands, Action::Down { at: Some(spot(50, 50)), button: Button::Left });
        let holding = std::thread::scope(|scope| {
            let holding = scope.spawn(|| hands.inject(batch(hold("ctrl+shift+w", 60_000)), &Stop::new()));
            until("keys are down", PATIENCE, || (witness.keys_down().len() == 3).then_some(()));
            witness.key(person, true);
            signal_pid(supervisor_of(&witness), Signal::KILL);
            holding.join().unwrap()
        });
        assert!(holding.is_err(), "round {round}: the engine is told: {holding:?}");
        drop(beating);
        // Nobody is left who could release them: the control of this test.
        assert_eq!((witness.keys_down().len(), witness.buttons_down()), (4, vec![1]));
        let next = Hands::spawn(config(x.display(), &state)).unwrap();
        assert_eq!((witness.keys_down(), witness.buttons_down()), (vec![person], vec![]));
        let mut swept = next.swept().to_vec();
        swept.sort();
        let mut held = [0xffe3, 0xffe1, 0x77].map(|k| Code::Key(witness.keycode(k).into())).to_vec();
        held.push(Code::Button(1));
        held.sort();
        assert_eq!(swept, held);
        witness.key(person, false);
        drop(next);
    }
}

/// The process behind the display's hands, from the X server's side.
fn supervisor_of(witness: &Witness) -> u32 {
    use x11rb::protocol::res::{ClientIdSpec, ConnectionExt as _};
    let owner = witness.selection_owner("_HANDSIGHT_HANDS").expect("somebody has the hands");
    let spec = ClientIdSpec { client: owner, mask: 2u8.into() };
    let ids = witness.conn().res_query_client_ids(&[spec]).unwrap().reply().unwrap().ids;
    ids[0].value[0]
}

/// SplitMix64; the seed is printed so that a failure can be run again.
struct Random(u64);

impl Random {
    #[expect(clippy::print_stderr, reason = "whoever repeats a failure needs it")]
    fn new() -> Self {
        let seed = std::process::id().into();
        eprintln!("seed {seed}");
        Self(seed)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }
}
