//! Deaths of the engine in the middle of a conversation: it goes on with what was said, and says what it does not know (R36).
//!
//! The model server is strict: a call without its result, or a result without its call, is a complaint that fails the test. What
//! the terminal was typed is known to whoever looks at the next request, in the order it was typed.

use crate::kill_run::{listening, random, serial, typed};
use crate::rig::{PATIENCE, Rig, always};
use handsight_testkit::chat::{Reply, Request};
use handsight_testkit::need::{long, need};
use handsight_testkit::program::Program;
use handsight_testkit::wait::until;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The serials of the calls in a request, each with what it was told.
fn remembered(request: &Value) -> Vec<(u32, String)> {
    let messages = request["messages"].as_array().unwrap();
    let calls = messages.iter().filter_map(|m| m["tool_calls"].as_array()).flatten();
    let told = |id: &Value| {
        let result = messages.iter().find(|m| m["tool_call_id"] == *id).unwrap();
        result["content"].as_str().unwrap().to_owned()
    };
    let serial = |call: &Value| {
        let arguments = call["function"]["arguments"].as_str().unwrap();
        (*typed(arguments).keys().next().unwrap(), told(&call["id"]))
    };
    calls.map(serial).collect()
}

#[test]
fn a_conversation_survives_the_death_of_the_engine() {
    let deaths = if long() { 200 } else { 20 };
    let Some(rig) = Rig::new() else { return };
    if !need("xterm", "xterm") {
        return;
    }
    let Some(_manager) = rig.x.openbox() else { return };
    let (file, _terminal) = listening(&rig);
    let witness = rig.witness();

    let handed = Arc::new(AtomicU32::new(0));
    // The first request of each life, and what the terminal had when it came.
    let lives: Arc<Mutex<Vec<(Value, String)>>> = Arc::default();
    let asked_before = Arc::new(AtomicU32::new(0));
    let server = {
        let (handed, lives, begins) = (Arc::clone(&handed), Arc::clone(&lives), Arc::clone(&asked_before));
        let file = file.clone();
        always(move |request: &Request| {
            if begins.swap(0, Ordering::SeqCst) == 1 {
                let text = std::fs::read_to_string(&file).unwrap();
                lives.lock().unwrap().push((request.json.clone(), text));
            }
            let serial = serial(handed.fetch_add(1, Ordering::SeqCst) + 1);
            Reply::call("type", json!({ "text": format!("{serial}\n"), "reason": serial }))
        })
    };
    let settings = [
        "context.history=conversation",
        "act.input_delay_s=0",
        "act.delay_after_action_s=0",
        "settle.enabled=false",
        "context.picture_width=160",
        "context.picture_height=90",
        "hud.enabled=false",
    ];
    let mut seed = 0x00C0_4EE5_2611_2026;
    for n in 0..deaths {
        let before = handed.load(Ordering::SeqCst);
        asked_before.store(1, Ordering::SeqCst);
        let mut command = if n == 0 {
            let mut args = vec!["type serials", "-v", "--out", "run"];
            settings.iter().for_each(|s| args.extend_from_slice(&["--set", s]));
            rig.command(&server, &args)
        } else {
            rig.command(&server, &["-v", "--resume", "run"])
        };
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut engine = Program::start(&mut command);
        until("the engine is at work", PATIENCE, || (handed.load(Ordering::SeqCst) > before).then_some(()));
        #[expect(clippy::disallowed_methods, reason = "the moment of death is the test's own choice")]
        std::thread::sleep(Duration::from_micros(random(&mut seed) % 120_000));
        engine.signal(Signal::KILL);
        engine.wait(PATIENCE);
        until("everything is up", Duration::from_secs(1), || witness.is_quiet().then_some(()));
        until("the hands are gone", PATIENCE, || {
            witness.selection_owner("_HANDSIGHT_HANDS").is_none().then_some(())
        });
    }

    let lives = lives.lock().unwrap();
    assert_eq!(lives.len(), deaths);
    let (mut unknown, mut known) = (0, 0);
    for (n, (request, text)) in lives.iter().enumerate().skip(1) {
        let remembered = remembered(request);
        let serials: Vec<u32> = remembered.iter().map(|(serial, _)| *serial).collect();
        assert!(serials.is_sorted(), "life {n}: {serials:?}");
        let oldest = serials.first().copied().unwrap_or(u32::MAX);
        for (serial, _) in typed(text).into_iter().filter(|(serial, _)| *serial >= oldest) {
            assert!(
                serials.contains(&serial),
                "life {n} does not know of {serial}, which was typed: {serials:?}"
            );
        }
        for (serial, told) in &remembered {
            // Pictures that gave way are told of in the same words.
            let done = told.starts_with("done");
            unknown += u32::from(told.contains("may or may not"));
            known += u32::from(done);
            assert!(!done || typed(text).contains_key(serial), "life {n} takes {serial} for done: {told}");
        }
    }
    assert!(known > 10, "{known} calls came back as done");
    println!("{deaths} deaths: {known} calls came back as done, {unknown} as unknown");
}
