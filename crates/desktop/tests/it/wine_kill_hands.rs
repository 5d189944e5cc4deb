//! Deaths on Windows: whatever becomes of the engine or its supervisor, no key and no button stays down.
//!
//! The engine is a process of its own, started from this binary. It is ended at a random moment while it holds Ctrl+Shift+W
//! and a button, or drags; another program of the session then asks Windows what is down. 120 deaths, or 1 000 with
//! `HANDSIGHT_LONG=1`. The control is an engine without hands: its keys must stay down, or the session and the witness would
//! prove nothing.

use crate::hands_rig::{batch, child, config, hold, inject, paste, spot, turn};
use crate::wine_hands::person;
use crate::wine_rig::Witness;
use handsight_base::flow::action::{Action, Button};
use handsight_base::key::Modifiers;
use handsight_base::stop::Stop;
use handsight_desktop::hands::{Code, Hands};
use handsight_testkit::need::long;
use handsight_testkit::wait::{PATIENCE, before, until};
use std::io::{BufRead, BufReader, Read as _, Write};
use std::os::windows::io::AsRawHandle as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use windows::Win32::Foundation::HANDLE;
use windows::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_BREAKAWAY_OK,
    JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectExtendedLimitInformation, SetInformationJobObject, TerminateJobObject,
};
use windows::Win32::System::Threading::{OpenProcess, PROCESS_TERMINATE, TerminateProcess};
use windows::Win32::UI::Input::KeyboardAndMouse::{
    INPUT, INPUT_0, INPUT_MOUSE, MOUSEEVENTF_LEFTDOWN, MOUSEEVENTF_LEFTUP, MOUSEINPUT, SendInput,
    VIRTUAL_KEY, VK_LCONTROL, VK_LSHIFT,
};

const W: VIRTUAL_KEY = VIRTUAL_KEY(b'W' as u16);
const Q: VIRTUAL_KEY = VIRTUAL_KEY(b'Q' as u16);

/// An engine process. `what` it does: `idle`, `hold`, `drag`, `direct` (without hands), `paste`, or `launch` (like `hold`,
/// with a child of its own that outlives it).
pub(crate) fn engine(state: &Path, what: &str) -> Engine {
    let mut engine = Engine::start();
    engine.tell(&format!("{}\n{what}", state.display()));
    engine
}

/// Ended with the test, however that ends.
pub(crate) struct Engine(Child);

impl Engine {
    fn start() -> Self {
        let command = child("wine_kill_hands::engine_process");
        let mut process = Command::new(&command[0]);
        process.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        Self(process.spawn().unwrap())
    }

    fn tell(&mut self, line: &str) {
        writeln!(self.0.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// What it says first.
    pub(crate) fn first_line(&mut self) -> String {
        let mut line = String::new();
        BufReader::new(self.0.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// `TerminateProcess`, and waits until it is dead.
    pub(crate) fn end(&mut self) {
        let _gone_already = self.0.kill();
        self.0.wait().unwrap();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _gone_already = self.0.kill();
        let _reaped = self.0.wait();
    }
}

#[test]
#[ignore = "a process that other tests start: an engine that is going to die"]
fn engine_process() {
    let mut lines = std::io::stdin().lock().lines().map_while(Result::ok);
    let (Some(state), Some(what)) = (lines.next(), lines.next()) else { return };
    if what == "direct" {
        [VK_LCONTROL, VK_LSHIFT, W].iter().for_each(|key| person(*key, true));
        mouse(true);
        lines.next();
        return;
    }
    drop(lines);
    let hands = match Hands::spawn(config(state.as_ref())) {
        Ok(hands) => hands,
        Err(refused) => return eprintln!("{refused}"),
    };
    let pulse = hands.pulse();
    // A program started after the hands, which inherits what there is to inherit.
    let _child = (what == "launch").then(|| {
        Command::new("ping")
            .args(["-n", "30", "127.0.0.1"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
    });
    // The desktop's own thread, as in the product.
    let desktop = std::thread::Builder::new().name("desktop".to_owned());
    desktop.spawn(move || labour(hands, &what)).expect("a thread");
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
            #[expect(clippy::exit, reason = "one of the ways to end with keys down")]
            Ok("exit") => std::process::exit(1),
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

fn labour(mut hands: Hands, what: &str) {
    let stop = Stop::new();
    match what {
        "hold" | "launch" => {
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
        "paste" => {
            let _nobody = hands.paste(paste("not the person's"), &stop);
        }
        _ => {}
    }
    // The hands stay with the engine to its end.
    std::mem::forget(hands);
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn mouse(down: bool) {
    let flags = if down { MOUSEEVENTF_LEFTDOWN } else { MOUSEEVENTF_LEFTUP };
    let mi = MOUSEINPUT { dwFlags: flags, ..MOUSEINPUT::default() };
    let input = INPUT { r#type: INPUT_MOUSE, Anonymous: INPUT_0 { mi } };
    // SAFETY: an array of one.
    assert_eq!(unsafe { SendInput(&[input], size_of::<INPUT>() as i32) }, 1);
}

/// Waits until nobody has the session's hands: the mutex is free.
pub(crate) fn await_no_hands() {
    let state = TempDir::new().unwrap();
    drop(Hands::spawn(config(state.path())).expect("the hands before have gone"));
}

/// How an engine ends: `None` is `TerminateProcess`.
type Death = Option<&'static str>;

/// Most are by the hand of another process: that is what nobody can prepare for. No crash is among them: Wine starts a
/// debugger for each, which waits for a person while the process still lives.
const fn death(n: usize) -> Death {
    match n % 10 {
        3 => Some("exit"),
        7 => Some("panic"),
        _ => None,
    }
}

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
        (p50, max)
    }
}

/// One life: starts an engine, waits until it holds everything, ends it as told, and returns how long keys stayed down.
fn one(witness: &mut Witness, state: &Path, death: Death, what: &str, random: &mut Random) -> Duration {
    let mut engine = engine(state, what);
    let wanted = if what == "drag" { 2 } else { 3 };
    until("the engine holds keys and the button", PATIENCE, || {
        let held = witness.held();
        (held.keys.len() == wanted && held.buttons == ["left"]).then_some(())
    });
    std::thread::sleep(Duration::from_micros(random.below(20_000)));
    let mut died = Instant::now();
    match death {
        None => engine.end(),
        Some(order) => {
            engine.tell(order);
            if order != "deadlock" {
                // It is dead when it is dead: unwinding takes its time.
                engine.0.wait().unwrap();
                died = Instant::now();
            }
        }
    }
    let quiet = before(PATIENCE, || witness.held().is_nothing().then(|| died.elapsed()));
    let quiet = quiet.unwrap_or_else(|| panic!("after {death:?} in `{what}`: {:?}", witness.held()));
    engine.end();
    quiet
}

#[test]
fn no_death_of_the_engine_leaves_a_key_down() {
    let (mut witness, state) = (Witness::start(), TempDir::new().unwrap());
    let (mut random, mut times) = (Random::new(), Times { what: "deaths", all: Vec::new() });
    for n in 0..if long() { 1000 } else { 120 } {
        let what = ["hold", "drag"][n / 2 % 2];
        times.all.push(one(&mut witness, state.path(), death(n), what, &mut random));
    }
    let (p50, max) = times.report();
    // Wine's server and the witness's pipe are in it, so the middle is held to the figure and the rest to five of it.
    assert!(p50 <= Duration::from_millis(50), "p50 {p50:?}");
    assert!(max <= Duration::from_millis(250), "max {max:?}");
    await_no_hands();
    witness.assert_quiet();
}

#[test]
fn no_hang_of_the_engine_leaves_a_key_down() {
    let (mut witness, state) = (Witness::start(), TempDir::new().unwrap());
    let mut times = Times { what: "hangs, 250 ms of silence included", all: Vec::new() };
    for n in 0..if long() { 100 } else { 10 } {
        let what = ["hold", "drag"][n % 2];
        times.all.push(one(&mut witness, state.path(), Some("deadlock"), what, &mut Random::new()));
    }
    let (_, max) = times.report();
    // Noticed after 250 ms without a beat, and all up 250 ms later at most.
    assert!(max <= Duration::from_millis(500), "max {max:?}");
    assert!(times.all[0] >= Duration::from_millis(100), "it was silence that did it: {:?}", times.all[0]);
    await_no_hands();
}

#[test]
fn control_without_hands_keys_stay_down() {
    let (mut witness, state) = (Witness::start(), TempDir::new().unwrap());
    for _ in 0..3 {
        let mut engine = engine(state.path(), "direct");
        until("the engine holds its keys", PATIENCE, || {
            let held = witness.held();
            (held.keys.len() == 3 && held.buttons == ["left"]).then_some(())
        });
        engine.end();
        let released = before(Duration::from_secs(1), || witness.held().is_nothing().then_some(()));
        for key in [VK_LCONTROL, VK_LSHIFT, W] {
            person(key, false);
        }
        mouse(false);
        assert_eq!(released, None, "a key came up by itself: the kill tier would prove nothing");
        witness.assert_quiet();
    }
}

#[test]
fn a_program_the_engine_launched_does_not_keep_the_keys_down() {
    let (mut witness, state) = (Witness::start(), TempDir::new().unwrap());
    let quiet = one(&mut witness, state.path(), None, "launch", &mut Random::new());
    assert!(quiet <= Duration::from_millis(250), "{quiet:?}");
    await_no_hands();
}

/// A job that ends its processes when it is closed, and lets children go.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn job(engine: &Child) -> HANDLE {
    // SAFETY: the structure is as long as is said; the handles are open.
    unsafe {
        let job = CreateJobObjectW(None, None).unwrap();
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags =
            JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_BREAKAWAY_OK;
        let size = size_of_val(&limits) as u32;
        let at = (&raw const limits).cast();
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, at, size).unwrap();
        AssignProcessToJobObject(job, HANDLE(engine.as_raw_handle())).unwrap();
        job
    }
}

#[test]
fn a_job_that_ends_the_engine_does_not_end_its_hands() {
    let (mut witness, state) = (Witness::start(), TempDir::new().unwrap());
    let mut engine = Engine::start();
    let job = job(&engine.0);
    engine.tell(&format!("{}\nhold", state.path().display()));
    until("the engine holds its keys", PATIENCE, || (witness.held().keys.len() == 3).then_some(()));
    // SAFETY: the handle is open.
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    unsafe { TerminateJobObject(job, 1) }.unwrap();
    engine.0.wait().unwrap();
    until("everything is up", PATIENCE, || witness.held().is_nothing().then_some(()));
    await_no_hands();
}

#[test]
fn after_a_death_of_the_supervisor_the_next_one_sweeps_what_the_file_lists() {
    let (mut witness, state) = (Witness::start(), TempDir::new().unwrap());
    for round in 0..if long() { 50 } else { 5 } {
        let mut hands = Hands::spawn(config(state.path())).unwrap();
        let pid = hands.pid();
        let beating = turn(hands.pulse());
        inject(&mut hands, Action::Down { at: Some(spot(50, 50)), button: Button::Left });
        let holding = std::thread::scope(|scope| {
            let holding = scope.spawn(|| hands.inject(batch(hold("ctrl+shift+w", 60_000)), &Stop::new()));
            until("keys are down", PATIENCE, || (witness.held().keys.len() == 3).then_some(()));
            person(Q, true);
            kill(pid);
            holding.join().unwrap()
        });
        assert!(holding.is_err(), "round {round}: the engine is told: {holding:?}");
        drop(beating);
        // Nobody is left who could release them: the control of this test.
        let held = witness.held();
        assert_eq!((held.keys.len(), held.buttons.len()), (4, 1), "{held:?}");
        let next = Hands::spawn(config(state.path())).unwrap();
        let held = witness.held();
        assert_eq!((held.keys, held.buttons), (vec!["q".to_owned()], vec![]));
        let mut swept = next.swept().to_vec();
        swept.sort();
        let key = |key: VIRTUAL_KEY| Code::Key(key.0.into());
        let mut was = vec![key(VK_LCONTROL), key(VK_LSHIFT), key(W), Code::Button(1)];
        was.sort();
        assert_eq!(swept, was);
        person(Q, false);
        drop(next);
    }
    witness.assert_quiet();
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
fn kill(pid: u32) {
    // SAFETY: plain numbers, and the handle that was just opened.
    unsafe {
        let process = OpenProcess(PROCESS_TERMINATE, false, pid).unwrap();
        TerminateProcess(process, 1).unwrap();
    }
}

#[test]
fn whoever_reads_the_engines_output_does_not_wait_for_its_hands() {
    let state = TempDir::new().unwrap();
    let mut engine = engine(state.path(), "hold");
    let mut output = engine.0.stderr.take().unwrap();
    std::thread::scope(|scope| {
        let reading = scope.spawn(move || {
            let mut all = Vec::new();
            output.read_to_end(&mut all).map(|_| all)
        });
        engine.end();
        let ended = before(PATIENCE, || reading.is_finished().then_some(()));
        assert!(ended.is_some(), "a process still holds the pipe");
    });
    await_no_hands();
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
