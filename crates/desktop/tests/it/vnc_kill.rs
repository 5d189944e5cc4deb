//! Deaths over VNC: whatever becomes of the engine, its supervisor or their connection, no key and no button stays down.
//!
//! x11vnc keeps the keys of a viewer that has gone, so what lifts them are our hands; the control shows that it does. An
//! independent X client behind the server is asked what is down.

use crate::hands_rig::{batch, child, hold, inject, spot, turn};
use crate::vnc_rig::{hands_config, target, target_at};
use handsight_base::flow::action::{Action, Button};
use handsight_base::stop::Stop;
use handsight_desktop::hands::Hands;
use handsight_testkit::need::long;
use handsight_testkit::program::{Program, signal_pid};
use handsight_testkit::vnc_server::{Kind, PASSWORD, VncServer};
use handsight_testkit::wait::{PATIENCE, before, until};
use handsight_testkit::witness::Witness;
use rustix::process::Signal;
use std::io::{BufRead as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// An engine process that holds Ctrl+Shift+W and a button at the server.
fn engine(server: &VncServer) -> Program {
    let command = child("vnc_kill::engine_process");
    let mut process = Command::new(&command[0]);
    process.args(&command[1..]).env_clear().stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut engine = Program::start(&mut process);
    let stdin = engine.child().stdin.as_mut().unwrap();
    writeln!(stdin, "{}\n{}", server.address(), server.x.home().join("state").display()).unwrap();
    engine
}

#[test]
#[ignore = "a process that other tests start: an engine at a VNC server that is going to die"]
fn engine_process() {
    let mut lines = std::io::stdin().lock().lines().map_while(Result::ok);
    let (Some(address), Some(state)) = (lines.next(), lines.next()) else { return };
    let mut hands = Hands::spawn(hands_config(target_at(&address), state.as_ref())).unwrap();
    let pulse = hands.pulse();
    let desktop = std::thread::Builder::new().name("desktop".to_owned()).spawn(move || {
        let down = Action::Down { at: Some(spot(100, 100)), button: Button::Left };
        hands.inject(batch(down), &Stop::new()).unwrap();
        let _cut = hands.inject(batch(hold("ctrl+shift+w", 200_000)), &Stop::new());
        std::mem::forget(hands);
    });
    desktop.unwrap();
    loop {
        std::thread::sleep(Duration::from_millis(50));
        pulse.beat();
    }
}

fn await_held(witness: &Witness) {
    until("the engine holds keys and the button", PATIENCE, || {
        (witness.keys_down().len() == 3 && witness.buttons_down() == [1]).then_some(())
    });
}

#[track_caller]
fn await_quiet(witness: &Witness, what: &str) -> Duration {
    let died = Instant::now();
    let quiet = before(PATIENCE, || witness.is_quiet().then(|| died.elapsed()));
    quiet.unwrap_or_else(|| {
        panic!("{what}: keys {:?}, buttons {:?}", witness.keys_down(), witness.buttons_down())
    })
}

#[test]
fn no_death_of_the_engine_leaves_a_key_down() {
    for kind in Kind::ALL {
        let Some(server) = VncServer::start(kind) else { return };
        let witness = Witness::connect(server.x.display());
        let mut times = Vec::new();
        for n in 0..if long() { 500 } else { 50 } {
            let signal = [Signal::KILL, Signal::TERM, Signal::ABORT, Signal::STOP][n % 4];
            let mut engine = engine(&server);
            await_held(&witness);
            engine.signal(signal);
            let took = await_quiet(&witness, &format!("{kind:?} {signal:?}"));
            if signal != Signal::STOP {
                times.push(took);
            }
            engine.kill();
            until("the hands are gone", PATIENCE, || free(&server).then_some(()));
            witness.assert_quiet();
        }
        times.sort();
        let (p50, max) = (times[times.len() / 2], times[times.len() - 1]);
        eprintln!("deaths at {kind:?}: n={} p50={p50:.1?} max={max:.1?}", times.len());
        assert!(max < Duration::from_secs(2), "{max:?}");
    }
}

/// True if nobody has the hands of the server.
fn free(server: &VncServer) -> bool {
    let state = server.x.home().join("state");
    let Ok(files) = std::fs::read_dir(state) else { return true };
    let locks = files.flatten().map(|f| f.path()).filter(|p| {
        p.extension().is_none() && p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("lock-"))
    });
    locks.into_iter().all(|p| std::fs::File::open(p).is_ok_and(|f| f.try_lock().is_ok()))
}

/// The process that is connected to the server and holds `lock`: the supervisor, found by its parent.
fn supervisor_of(engine: u32) -> u32 {
    let children = format!("/proc/{engine}/task");
    until("the engine has a supervisor", PATIENCE, || {
        std::fs::read_dir(&children).ok()?.flatten().find_map(|task| {
            let list = std::fs::read_to_string(task.path().join("children")).ok()?;
            list.split_whitespace().next()?.parse().ok()
        })
    })
}

#[test]
fn after_a_death_of_the_supervisor_the_next_one_sweeps_what_the_file_lists() {
    let Some(server) = VncServer::start(Kind::X11vnc) else { return };
    let witness = Witness::connect(server.x.display());
    for _ in 0..3 {
        let mut engine = engine(&server);
        await_held(&witness);
        signal_pid(supervisor_of(engine.pid()), Signal::KILL);
        // The control: the server keeps the keys of a viewer that has gone.
        let lifted = before(Duration::from_secs(1), || (witness.keys_down().len() < 3).then_some(()));
        assert_eq!(lifted, None, "keys come up by themselves: this tier would prove nothing");
        engine.kill();
        let config = hands_config(target(&server), &server.x.home().join("state"));
        let next = Hands::spawn(config).unwrap();
        assert_eq!(next.swept().len(), 4, "{:?}", next.swept());
        await_quiet(&witness, "after the sweep");
        drop(next);
        until("the hands are gone", PATIENCE, || free(&server).then_some(()));
    }
}

#[test]
fn keys_are_lifted_over_a_new_connection_when_the_old_one_broke() {
    let Some(server) = VncServer::start(Kind::X11vnc) else { return };
    let witness = Witness::connect(server.x.display());
    let proxy = Proxy::start(server.port());
    let mut target = target_at(&proxy.address);
    target.password = Some(PASSWORD.to_owned());
    let mut hands = Hands::spawn(hands_config(target, &server.x.home().join("state"))).unwrap();
    let beating = turn(hands.pulse());
    inject(&mut hands, Action::Down { at: Some(spot(50, 50)), button: Button::Left });
    std::thread::scope(|scope| {
        let holding = scope.spawn(|| hands.inject(batch(hold("ctrl+shift+w", 60_000)), &Stop::new()));
        await_held(&witness);
        proxy.cut();
        await_quiet(&witness, "after the cut");
        assert!(holding.join().unwrap().is_err(), "the engine is told");
    });
    drop(beating);
}

/// Passes bytes on, until it cuts every connection it has; new ones are passed on again.
struct Proxy {
    address: String,
    streams: std::sync::Arc<std::sync::Mutex<Vec<std::net::TcpStream>>>,
}

impl Proxy {
    fn start(port: u16) -> Self {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let streams = std::sync::Arc::<std::sync::Mutex<Vec<std::net::TcpStream>>>::default();
        let kept = std::sync::Arc::clone(&streams);
        let accept = move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = std::net::TcpStream::connect(("127.0.0.1", port)) else { return };
                let both = [&near, &far].map(|s| s.try_clone().unwrap());
                kept.lock().unwrap().extend(both);
                for (mut from, mut to) in [(near.try_clone().unwrap(), far.try_clone().unwrap()), (far, near)]
                {
                    let pass = move || {
                        let _ended = std::io::copy(&mut from, &mut to);
                        let _gone = to.shutdown(std::net::Shutdown::Both);
                    };
                    std::thread::Builder::new().name("proxy".to_owned()).spawn(pass).unwrap();
                }
            }
        };
        std::thread::Builder::new().name("proxy".to_owned()).spawn(accept).unwrap();
        Self { address, streams }
    }

    fn cut(&self) {
        for stream in self.streams.lock().unwrap().drain(..) {
            let _gone = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}
