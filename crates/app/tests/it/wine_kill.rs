//! Deaths of `handsight.exe` at any moment of a turn, with a resume after each (R1, R2, R4).
//!
//! An independent Win32 program has the focus: it says which keys and buttons are down in the whole session, and keeps the
//! text it got. The model server hands out serials, each once, and every other turn is a click that is held for a while.

use crate::kill_run::{kept, random, serial, typed};
use crate::rig::{PATIENCE, always};
use crate::wine_rig::WineRig;
use handsight_base::flow::action::Action;
use handsight_base::flow::receipt::Outcome;
use handsight_base::space::ScreenRect;
use handsight_store::Reader;
use handsight_testkit::chat::{Reply, Server};
use handsight_testkit::conformance::Witness as _;
use handsight_testkit::conformance::remote::RemoteWitness;
use handsight_testkit::need::long;
use handsight_testkit::program::{Program, signal_pid};
use handsight_testkit::wait::{before, until};
use handsight_testkit::wine::DPI;
use handsight_testkit::witness_protocol::Which;
use rustix::process::Signal;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// As long as a click is held, in milliseconds: the moment of death falls into it often.
const HOLD: u64 = 120;
/// From the death of the engine until everything is up, on a machine that does something else besides.
const RELEASE: Duration = Duration::from_secs(2);

const SETTINGS: [&str; 6] = [
    "act.input_delay_s=0",
    "act.delay_after_action_s=0",
    "settle.enabled=false",
    "context.picture_width=160",
    "context.picture_height=90",
    "hud.enabled=false",
];

fn witness(rig: &WineRig) -> RemoteWitness {
    let mut witness = rig.wine.win32();
    witness.open(Which::Main, ScreenRect::new(200, 150, 600, 400), 1, false);
    witness.forget();
    witness
}

/// Starts a life of the engine; its standard error goes to `said`.
fn life(rig: &WineRig, server: &Server, said: &Path, resume: bool) -> Program {
    let url = server.base_url();
    let hold = format!("act.hold_ms={HOLD}");
    let mut args = vec!["run", "--base-url", &url, "-v"];
    if resume {
        args.extend(["--resume", "C:\\run"]);
    } else {
        args.extend(["type serials", "--desktop", "windows", "--out", "C:\\run", "--set", &hold]);
        SETTINGS.iter().for_each(|setting| args.extend(["--set", setting]));
    }
    let mut command = rig.wine.handsight(&args);
    command.stdout(Stdio::null()).stderr(File::create(said).unwrap());
    Program::start(&mut command)
}

/// Serials to type; every other reply is a click into the window.
fn serials(handed: &Arc<AtomicU32>) -> Server {
    let (handed, calls) = (Arc::clone(handed), AtomicU32::new(0));
    always(move |_| {
        if calls.fetch_add(1, Ordering::SeqCst) % 2 == 1 {
            return Reply::call("click", json!({ "x": 400, "y": 500, "reason": "a click" }));
        }
        let serial = serial(handed.fetch_add(1, Ordering::SeqCst) + 1);
        Reply::call("type", json!({ "text": format!("{serial}\n"), "reason": serial }))
    })
}

#[test]
fn whatever_kills_the_engine_under_wine_nothing_stays_down_and_no_turn_is_lost() {
    let deaths = if long() { 1_000 } else { 100 };
    let Some(rig) = WineRig::new(DPI) else { return };
    let mut witness = witness(&rig);
    let handed = Arc::new(AtomicU32::new(0));
    let server = serials(&handed);
    let logs = rig.wine.prefix().join("said");
    std::fs::create_dir(&logs).unwrap();
    let mut seed = 0x00DE_ADBE_EF20_2612;
    let (mut died, mut lives, mut holding) = (0, 0, 0);
    while died < deaths {
        let at = handed.load(Ordering::SeqCst);
        let log = logs.join(lives.to_string());
        let mut engine = life(&rig, &server, &log, lives > 0);
        lives += 1;
        let at_work = until("the engine is at work, or sees the hands of its last life", PATIENCE, || {
            let works = handed.load(Ordering::SeqCst) > at;
            works.then_some(true).or_else(|| engine.ended().map(|_| false))
        });
        if !at_work {
            let why = std::fs::read_to_string(&log).unwrap();
            assert!(lives > 1 && lives < 4 * deaths, "the engine does not start: {why}");
            continue;
        }
        // Up to some turns later, at any microsecond.
        #[expect(clippy::disallowed_methods, reason = "the moment of death is the test's own choice")]
        std::thread::sleep(Duration::from_micros(random(&mut seed) % 500_000));
        holding += u32::from(!witness.held().is_nothing());
        engine.signal(Signal::KILL);
        engine.wait(PATIENCE);
        died += 1;
        let up = before(RELEASE, || witness.held().is_nothing().then_some(()));
        assert_eq!(up, Some(()), "after death {died}: {:?}", witness.held());
    }

    let seen = typed(&witness.text(Which::Main));
    let mut reader = Reader::open(&rig.wine.drive_c().join("run")).unwrap();
    assert!(reader.report().is_sound(), "{:?}", reader.report());
    let mut intended: BTreeMap<u32, Option<Outcome>> = BTreeMap::new();
    // Each of the last lives may have left a turn that it never committed.
    for turn in 1..=reader.last_committed() + u64::from(lives) {
        for row in reader.actions(turn).unwrap() {
            let Action::Type { text, .. } = &row.action else { continue };
            let n = text.trim_start_matches('s').trim_end().parse().unwrap();
            assert_eq!(intended.insert(n, row.outcome), None, "serial {n} was intended twice");
        }
    }
    for (n, times) in &seen {
        assert_eq!(*times, 1, "serial {n} was typed {times} times");
        assert!(intended.contains_key(n), "serial {n} was typed without an intent in the journal");
    }
    for (n, outcome) in &intended {
        if matches!(outcome, Some(Outcome::Done { .. })) {
            assert!(seen.contains_key(n), "serial {n} is done and was not typed");
        }
    }
    let mut acks = 0;
    for n in 0..lives {
        for serial in kept(&std::fs::read_to_string(logs.join(n.to_string())).unwrap()) {
            acks += 1;
            let outcome = intended.get(&serial);
            assert!(matches!(outcome, Some(Some(Outcome::Done { .. }))), "kept serial {serial}: {outcome:?}");
        }
    }
    println!(
        "{died} deaths in {lives} lives, {holding} while something was down: 0 stayed down; {acks} acknowledged turns, 0 lost; {} serials typed, 0 twice",
        seen.len()
    );
    assert!(holding > deaths / 20, "something was down at {holding} deaths only");
    assert!(acks > 0, "no turn was acknowledged");
}

/// The pids on this side of the programs in the prefix whose command line holds `word`.
fn pids(prefix: &Path, word: &str) -> Vec<u32> {
    let of =
        |pid: &str, file: &str| std::fs::read(Path::new("/proc").join(pid).join(file)).unwrap_or_default();
    let holds = |bytes: &[u8], word: &str| bytes.windows(word.len()).any(|part| part == word.as_bytes());
    let home = format!("WINEPREFIX={}", prefix.display());
    let all =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let ours = all.filter(|pid| holds(&of(pid, "cmdline"), word) && holds(&of(pid, "environ"), &home));
    ours.filter_map(|pid| pid.parse().ok()).collect()
}

/// The check above can fail: without hands that outlive the engine a button stays down.
#[test]
fn without_the_hands_a_button_stays_down() {
    let Some(rig) = WineRig::new(DPI) else { return };
    let mut witness = witness(&rig);
    let server = serials(&Arc::new(AtomicU32::new(0)));
    let log = rig.wine.prefix().join("said");
    let mut engine = life(&rig, &server, &log, false);
    until("a button is down", PATIENCE, || (!witness.held().buttons.is_empty()).then_some(()));
    let hands = pids(rig.wine.prefix(), "__hands");
    assert!(!hands.is_empty(), "{}", std::fs::read_to_string(&log).unwrap());
    hands.iter().for_each(|pid| signal_pid(*pid, Signal::KILL));
    engine.signal(Signal::KILL);
    engine.wait(PATIENCE);
    until("the hands are gone", PATIENCE, || pids(rig.wine.prefix(), "__hands").is_empty().then_some(()));
    let up = before(RELEASE, || witness.held().is_nothing().then_some(()));
    assert_eq!(up, None, "nobody was left to release it");
}
