//! Deaths of the whole engine at any moment of a turn, with a resume after each (R1, R2, R4).
//!
//! The model server hands out serials, each once. A terminal that knows nothing of us writes down what it is typed, and the engine says of each turn
//! when it is kept. Afterwards both are held against the journal: what was said to be kept is there; a serial the terminal saw was
//! intended, durably, before; and none was typed twice.

use crate::rig::{PATIENCE, Rig, always};
use handsight_base::flow::action::Action;
use handsight_base::flow::receipt::Outcome;
use handsight_store::Reader;
use handsight_testkit::chat::Reply;
use handsight_testkit::need::{long, need};
use handsight_testkit::program::Program;
use handsight_testkit::wait::until;
use rustix::process::Signal;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

pub(crate) fn serial(n: u32) -> String {
    format!("s{n:05}")
}

/// How often each serial stands in what the terminal was typed. Pieces of serials that a death cut off do not count.
pub(crate) fn typed(text: &str) -> BTreeMap<u32, u32> {
    let mut seen = BTreeMap::new();
    for (at, _) in text.match_indices('s') {
        let digits = text.get(at + 1..at + 6).filter(|d| d.bytes().all(|b| b.is_ascii_digit()));
        if let Some(n) = digits.and_then(|d| d.parse().ok()) {
            *seen.entry(n).or_default() += 1;
        }
    }
    seen
}

/// The serials of the turns that a life of the engine said it had kept.
pub(crate) fn kept(said: &str) -> Vec<u32> {
    let mut typing = BTreeMap::new();
    let mut kept = Vec::new();
    for line in said.lines() {
        let Some((turn, rest)) = line.trim_start().split_once("  ") else { continue };
        if rest.starts_with("type ") {
            typing.extend(typed(rest).keys().map(|serial| (turn.to_owned(), *serial)));
        } else if rest.starts_with("kept;") {
            kept.extend(typing.get(turn));
        }
    }
    kept
}

/// SplitMix64: the moments of death of a run can be had again.
pub(crate) fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A terminal with the focus that writes down what it is typed, and the file it writes to.
pub(crate) fn listening(rig: &Rig) -> (PathBuf, Program) {
    let file = rig.handsight.home().join("typed");
    let listen = format!("stty -icanon -echo; touch ready; exec cat > '{}'", file.display());
    let mut xterm = rig.x.command("xterm");
    xterm.args(["-geometry", "80x24+200+200", "-e", "sh", "-c", &listen]).current_dir(rig.handsight.home());
    let terminal = Program::start(&mut xterm);
    let witness = rig.witness();
    until("the terminal listens", PATIENCE, || rig.handsight.home().join("ready").exists().then_some(()));
    until("the terminal has the focus", PATIENCE, || {
        witness.find("sh").or_else(|| witness.find("xterm")).map(|_| ()).filter(|()| witness.focused() > 1)
    });
    (file, terminal)
}

#[test]
fn whatever_kills_the_engine_no_turn_is_lost_and_nothing_is_typed_twice() {
    let deaths: u32 = if long() { 2_000 } else { 200 };
    let Some(rig) = Rig::new() else { return };
    if !need("xterm", "xterm") {
        return;
    }
    let Some(_manager) = rig.x.openbox() else { return };
    let (file, _terminal) = listening(&rig);
    let witness = rig.witness();

    let handed = Arc::new(AtomicU32::new(0));
    let server = {
        let handed = Arc::clone(&handed);
        always(move |_| {
            let serial = serial(handed.fetch_add(1, Ordering::SeqCst) + 1);
            Reply::call("type", json!({ "text": format!("{serial}\n"), "reason": serial }))
        })
    };
    let settings = [
        "act.input_delay_s=0",
        "act.delay_after_action_s=0",
        "settle.enabled=false",
        "context.picture_width=160",
        "context.picture_height=90",
        "hud.enabled=false",
    ];
    let mut seed = 0x00DE_ADBE_EF20_2611;
    for n in 0..deaths {
        let before = handed.load(Ordering::SeqCst);
        let mut command = if n == 0 {
            let mut args = vec!["type serials", "-v", "--out", "run"];
            settings.iter().for_each(|s| args.extend_from_slice(&["--set", s]));
            rig.command(&server, &args)
        } else {
            rig.command(&server, &["-v", "--resume", "run"])
        };
        let said = std::fs::File::create(rig.handsight.home().join(format!("said{n}"))).unwrap();
        command.stdout(Stdio::null()).stderr(said);
        let mut engine = Program::start(&mut command);
        until("the engine is at work", PATIENCE, || (handed.load(Ordering::SeqCst) > before).then_some(()));
        // Up to some turns later, at any microsecond.
        #[expect(clippy::disallowed_methods, reason = "the moment of death is the test's own choice")]
        std::thread::sleep(Duration::from_micros(random(&mut seed) % 120_000));
        // Rust takes a SEGV that somebody sends for its own and goes on; the hands' own tier has real ones.
        let signal = if random(&mut seed).is_multiple_of(3) { Signal::ABORT } else { Signal::KILL };
        engine.signal(signal);
        engine.wait(PATIENCE);
        until("everything is up", Duration::from_secs(1), || witness.is_quiet().then_some(()));
        until("the hands are gone", PATIENCE, || {
            witness.selection_owner("_HANDSIGHT_HANDS").is_none().then_some(())
        });
    }

    let seen = typed(&std::fs::read_to_string(&file).unwrap());
    let mut reader = Reader::open(&rig.handsight.home().join("run")).unwrap();
    assert!(reader.report().is_sound(), "{:?}", reader.report());
    let committed = reader.last_committed();
    // A turn that a death cut off keeps its number, and its one intent if it came so far; any other number is a whole turn.
    let whole = reader.turns();
    for turn in (1..=committed).filter(|t| !whole.contains(t)) {
        let cut = reader.actions(turn).unwrap();
        assert!(cut.len() <= 1, "turn {turn}: {cut:?}");
    }
    let mut intended: BTreeMap<u32, Option<Outcome>> = BTreeMap::new();
    // Each of the last lives may have left a turn that it never committed.
    for turn in 1..=committed + u64::from(deaths) {
        for row in reader.actions(turn).unwrap() {
            let Action::Type { text, .. } = &row.action else { panic!("{:?}", row.action) };
            let n = text.trim_start_matches('s').trim_end().parse().unwrap();
            assert_eq!(intended.insert(n, row.outcome), None, "serial {n} was intended twice");
        }
    }
    for (n, times) in &seen {
        assert_eq!(*times, 1, "serial {n} was typed {times} times");
        assert!(intended.contains_key(n), "serial {n} was typed without an intent in the journal");
    }
    let mut unknown = 0;
    for (n, outcome) in &intended {
        match outcome {
            Some(Outcome::Done { .. }) => {
                assert!(seen.contains_key(n), "serial {n} is done and was not typed")
            }
            Some(Outcome::NotExecuted | Outcome::Withheld { .. }) => {
                assert!(!seen.contains_key(n), "serial {n} was typed");
            }
            _ => unknown += 1,
        }
    }
    let mut acks = 0;
    for n in 0..deaths {
        let said = std::fs::read_to_string(rig.handsight.home().join(format!("said{n}"))).unwrap();
        for serial in kept(&said) {
            acks += 1;
            let outcome = intended.get(&serial);
            assert!(matches!(outcome, Some(Some(Outcome::Done { .. }))), "kept serial {serial}: {outcome:?}");
        }
    }
    println!(
        "{deaths} deaths: {} serials handed out, {acks} acknowledged turns, 0 lost; {} typed, 0 twice; {unknown} of unknown outcome",
        handed.load(Ordering::SeqCst),
        seen.len(),
    );
    assert!(acks > deaths / 2, "the engine got to work: {acks} acknowledged turns");
}
