//! `run` on a real X server with a model server of ours: what goes over the wire, what happens on the screen, what is kept.

use crate::handsight::run;
use crate::rig::{PATIENCE, Rig, always, click, done, observe, server, session};
use handsight_testkit::chat::{Reply, Rules, Server};
use handsight_testkit::program::Program;
use handsight_testkit::wait::until;
use handsight_testkit::witness::What;
use rustix::process::Signal;
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

// spec: S-31 S-72 FAKE XVFB
#[test]
fn a_task_is_done_and_kept() {
    let Some(rig) = Rig::new() else { return };
    let server =
        server([click(500.0, 500.0, "press the middle"), observe("look again"), done("all is well")]);
    let mut witness = rig.witness();
    let window = witness.open(600, 300, 200, 200);
    witness.focus(window);
    let said = rig.run(&server, &["press the middle", "--json"]);
    said.ended(0);

    // On the screen: one click in the middle, nothing left down.
    let press = |down| What::Button { button: 1, down };
    assert_eq!(witness.presses(), [press(true), press(false)]);
    assert_eq!((witness.pointer().x, witness.pointer().y), (640, 360));
    witness.assert_quiet();

    // On the wire: the profile's own model, two messages, five tools, the task to the letter.
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    for request in &requests {
        assert_eq!(request.json["model"], "qwen2-vl-7b-instruct");
        assert_eq!(request.json["messages"].as_array().unwrap().len(), 2);
        assert_eq!(request.tools(), ["observe", "click", "type", "scroll", "done"]);
        assert!(request.system().contains("press the middle"));
    }

    // In the result: the statement, then one object with the fields of the contract.
    assert_eq!(said.stdout.lines().next(), Some("all is well"));
    let json = said.json();
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    let contract =
        "run profile desktop model outcome verified turns actions tokens cost_usd wall_s overhead_ms_p50";
    assert_eq!(keys, contract.split(' ').collect::<Vec<_>>());
    assert_eq!((&json["outcome"], &json["profile"]), (&json!("done"), &json!("stateless")));
    assert_eq!((&json["turns"], &json["actions"], &json["verified"]), (&json!(3), &json!(1), &json!(null)));
    assert_eq!(json["desktop"], format!("x11{}", rig.x.display()));
    assert_eq!(json["tokens"]["output"], 3 * 17);

    // On disk: a folder for the owner alone, a line and a picture a turn, the pictures as they were sent.
    let runs = rig.runs();
    assert_eq!(runs.len(), 1);
    assert_eq!(json["run"], format!("dump/{}", runs[0].file_name().unwrap().to_str().unwrap()));
    assert_eq!(std::fs::metadata(&runs[0]).unwrap().permissions().mode() & 0o777, 0o700);
    let log = session(&runs[0]);
    assert_eq!(log.len(), 3);
    assert_eq!((&log[0]["call"]["tool"], &log[2]["reason"]), (&json!("click"), &json!("all is well")));
    for (n, request) in requests.iter().enumerate() {
        let file = std::fs::read(runs[0].join(format!("step{:03}.png", n + 1))).unwrap();
        assert_eq!(request.pictures[0].png, file, "step {}", n + 1);
    }
}

// spec: S-73 FAKE
#[test]
fn another_model_is_named_on_the_command_line() {
    let Some(rig) = Rig::new() else { return };
    for (model, on_the_wire) in [
        ("qwen3-vl-2b-instruct", "qwen3-vl-2b-instruct"),
        ("lmstudio/qwen/qwen3-vl-8b", "qwen/qwen3-vl-8b"),
        ("agent=qwen/qwen3-vl-8b", "qwen/qwen3-vl-8b"),
    ] {
        let server = server([done("so")]);
        let said = rig.run(&server, &["x", "--model", model, "--json"]);
        said.ended(0);
        assert_eq!(server.requests()[0].json["model"], on_the_wire, "{model}");
        assert!(said.json()["model"].as_str().unwrap().ends_with(on_the_wire), "{model}");
    }
}

// spec: S-96 S-98 XVFB
#[test]
fn the_start_is_honest() {
    let Some(rig) = Rig::new() else { return };
    let server = server([done("so")]);
    let said = rig.run(&server, &["x"]);
    said.ended(0)
        .told("whole desktop")
        .told("research prototype")
        .told("own risk")
        .told("isolated virtual machine")
        .told("controlled environments only")
        .told("ctrl+alt+pause")
        .told("unencrypted")
        .told("private");
    // Nothing leaves this machine, so nothing is said of that.
    assert!(!said.stderr.contains("pictures of this screen go to"), "{said:?}");
}

// spec: S-97 FAKE
#[test]
fn no_credentials_are_sent_unless_a_key_is_set() {
    let Some(rig) = Rig::new() else { return };
    let plain = server([done("so")]);
    rig.run(&plain, &["x"]).ended(0);
    assert_eq!(plain.requests()[0].header("authorization"), None);

    let rules = Rules { key: Some("sk-canary-4711".into()), ..Rules::default() };
    let with_key = Server::scripted_with(rules, [done("so")]);
    let mut command = rig.command(&with_key, &["x", "-vv", "--json"]);
    command.env("HANDSIGHT_API_KEY", "sk-canary-4711");
    let said = run(command, PATIENCE);
    said.ended(0);
    assert_eq!(with_key.requests()[0].header("authorization"), Some("Bearer sk-canary-4711"));
    // The key is in nothing that was said or kept.
    assert!(!said.stdout.contains("canary") && !said.stderr.contains("canary"), "{said:?}");
    for run in rig.runs() {
        for file in std::fs::read_dir(run).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_file()) {
            let bytes = std::fs::read(&file).unwrap();
            assert!(!bytes.windows(6).any(|w| w == b"canary"), "{}", file.display());
        }
    }
}

// spec: S-97 FAKE
#[test]
fn where_pictures_go_is_the_first_line_and_plain_http_is_warned_of() {
    let Some(rig) = Rig::new() else { return };
    // A documentation address: nothing answers there, and nothing is looked up.
    let url = "http://192.0.2.1:9/v1";
    let args = [
        "run",
        "x",
        "--base-url",
        url,
        "--set",
        "decide.connect_timeout_s=0.2",
        "--set",
        "decide.max_failures=1",
    ];
    let said = run(rig.handsight.command(&args), PATIENCE);
    let first = said.ended(6).stderr.lines().next().unwrap();
    assert_eq!(first, "pictures of this screen go to 192.0.2.1:9");
    said.told("plain HTTP").told("VPN");
}

#[test]
fn a_dry_run_decides_and_touches_nothing() {
    let Some(rig) = Rig::new() else { return };
    let mut witness = rig.witness();
    witness.watch_everything();
    let server = server([click(500.0, 500.0, "press OK")]);
    let said = rig.run(&server, &["press OK", "--dry-run"]);
    assert!(said.ended(0).stdout.starts_with("click {\"x\":500"), "{said:?}");
    assert!(said.stdout.contains("press OK"));
    assert!(witness.events().is_empty(), "{:?}", witness.events());
    assert_eq!(witness.selection_owner("_HANDSIGHT_HANDS"), None);
}

#[test]
fn limits_end_the_run_with_8_and_a_resume_goes_on() {
    let Some(rig) = Rig::new() else { return };
    let server = always(|request| if request.n < 4 { observe("not yet") } else { done("at last") });
    let said = rig.run(&server, &["wait for it", "--max-turns", "2", "--json"]);
    assert_eq!(said.ended(8).json()["outcome"], "turn_limit");
    let run = said.json()["run"].as_str().unwrap().to_owned();

    let said = rig.run(&server, &["--resume", &run, "--max-turns", "9", "--json"]);
    let json = said.ended(0).json();
    assert_eq!((&json["outcome"], &json["turns"], &json["run"]), (&json!("done"), &json!(4), &json!(run)));
    // The task and the carried reason went on with it.
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    assert!(requests[2].system().contains("wait for it"));

    let said = rig.run(&server, &["x", "--max-time", "0.0001", "--json"]);
    assert_eq!(said.ended(8).json()["outcome"], "time_limit");
    rig.run(&server, &["x", "--max-cost", "0.5"]).ended(2).told("cost");
}

#[test]
fn signals_stop_a_run_that_waits_for_its_model() {
    let Some(rig) = Rig::new() else { return };
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 143)] {
        let server = always(|_| Reply::Nothing(handsight_testkit::chat::End::Stall));
        let mut command = rig.command(&server, &["x"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut program = Program::start(&mut command);
        server.wait_for(1);
        program.signal(signal);
        let status = program.wait(PATIENCE);
        assert_eq!(status.code(), Some(code), "{signal:?}");
        server.wait_for_leave();
        rig.witness().assert_quiet();
    }
    // Each is a run that can be read.
    for run in rig.runs() {
        let said = rig.handsight.run(&["runs", "show", run.to_str().unwrap(), "--json"]);
        assert_eq!(said.ended(0).json()["outcome"], "stopped");
    }
}

// spec: S-82 FAKE XVFB
#[test]
fn a_point_outside_is_moved_to_the_edge_and_noted() {
    let Some(rig) = Rig::new() else { return };
    let server = server([click(1500.0, -3.0, "far out"), done("so")]);
    let mut witness = rig.witness();
    let window = witness.open(1180, 0, 100, 100);
    witness.focus(window);
    rig.run(&server, &["x"]).ended(0);
    assert_eq!((witness.pointer().x, witness.pointer().y), (1279, 0));
    assert_eq!(witness.presses().len(), 2);
    let first = &session(&rig.runs()[0])[0];
    assert_eq!((&first["call"]["args"]["x"], &first["call"]["args"]["y"]), (&json!(1000.0), &json!(0.0)));
    assert!(first["notes"].to_string().contains("1500"), "{first}");
}

#[test]
fn a_killed_run_is_taken_up_again() {
    let Some(rig) = Rig::new() else { return };
    let server = always(|request| match request.n {
        1 => click(500.0, 500.0, "first"),
        2 => Reply::Nothing(handsight_testkit::chat::End::Stall),
        _ => done("after the crash"),
    });
    let mut command = rig.command(&server, &["survive"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut program = Program::start(&mut command);
    server.wait_for(2);
    program.signal(Signal::KILL);
    program.wait(PATIENCE);
    let run = rig.runs().remove(0);
    let list = rig.handsight.run(&["runs", "list"]);
    assert!(list.ended(0).stdout.contains("cut off"), "{list:?}");
    let witness = rig.witness();
    until("the hands went", PATIENCE, || witness.selection_owner("_HANDSIGHT_HANDS").is_none().then_some(()));
    witness.assert_quiet();

    // In a copy, so that the first stays as it was.
    let said = rig.run(&server, &["--resume", run.to_str().unwrap(), "--out", "copy", "--json"]);
    assert_eq!(said.ended(0).json()["run"], "copy");
    assert_eq!(session(&rig.handsight.home().join("copy")).len(), 2);
    assert_eq!(session(&run).len(), 1);
    // And where it was.
    let said = rig.run(&server, &["--resume", run.to_str().unwrap(), "--json"]);
    let json = said.ended(0).json();
    // The turn that was cut off keeps its number and is not done again.
    assert_eq!((&json["outcome"], &json["actions"]), (&json!("done"), &json!(1)));
    assert!(server.requests()[2].system().contains("survive"));
}

#[test]
fn a_second_signal_ends_a_run_that_hangs() {
    let Some(rig) = Rig::new() else { return };
    let server = always(|_| observe("and again"));
    let mut command = rig.command(&server, &["x"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut program = Program::start(&mut command);
    server.wait_for(2);
    // The X server answers nothing any more, so every call of the desktop waits for its deadline.
    rig.x.freeze();
    program.signal(Signal::INT);
    program.signal(Signal::TERM);
    let status = program.wait(PATIENCE);
    rig.x.resume();
    // Which of the two is handled first is the system's choice.
    assert!(matches!(status.code(), Some(130 | 143)), "{status}");
    let mut witness = rig.witness();
    witness.wait_until("nothing is down", PATIENCE, |w| w.is_quiet());
}

#[test]
fn one_engine_a_display_and_one_a_run() {
    let Some(rig) = Rig::new() else { return };
    let server = always(|_| Reply::Nothing(handsight_testkit::chat::End::Stall));
    let mut command = rig.command(&server, &["x", "--out", "mine"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut first = Program::start(&mut command);
    server.wait_for(1);

    let second = rig.run(&server, &["x"]);
    second.ended(5).told(&format!("process {}", first.pid()));
    rig.run(&server, &["x", "--out", "mine"]).ended(2).told("it holds a run");
    rig.run(&server, &["--resume", "mine"]).ended(7).told("still going on");

    first.signal(Signal::TERM);
    first.wait(PATIENCE);
    // The display is free again as soon as the hands have gone.
    let witness = rig.witness();
    until("the hands went", PATIENCE, || witness.selection_owner("_HANDSIGHT_HANDS").is_none().then_some(()));
    let quick = crate::rig::server([done("so")]);
    rig.run(&quick, &["x"]).ended(0);
}

#[test]
fn a_target_that_is_not_there_ends_with_3_before_anything_is_kept() {
    let Some(rig) = Rig::new() else { return };
    let server = server([]);
    let window = ["x", "--set", "capture.target=window", "--set", "capture.window=No Such Window"];
    rig.run(&server, &window).ended(3).told("No Such Window");
    rig.run(&server, &["x", "--display", "7"]).ended(3).told("there is no display \"7\"");
    assert!(rig.runs().is_empty());
}

#[test]
fn a_folder_that_cannot_be_used_ends_with_7() {
    let Some(rig) = Rig::new() else { return };
    let server = server([]);
    std::fs::write(rig.handsight.home().join("file"), "").unwrap();
    rig.run(&server, &["x", "--out", "file/run"]).ended(7).told("file/run");
    rig.run(&server, &["x", "--set", "record.dump_folder=file"]).ended(7).told("file");
    rig.run(&server, &["--resume", "nothing"]).ended(7).told("nothing");
}

#[test]
fn what_runs_left_can_be_listed_shown_and_exported() {
    let Some(rig) = Rig::new() else { return };
    let server = server([observe("one"), done("two")]);
    rig.run(&server, &["look around"]).ended(0);
    let said = rig.handsight.run(&["runs", "list"]);
    assert!(said.ended(0).stdout.contains("look around") && said.stdout.contains("done"), "{said:?}");
    let json = rig.handsight.run(&["runs", "list", "--json"]).json();
    assert_eq!((&json["runs"][0]["outcome"], &json["runs"][0]["turns"]), (&json!("done"), &json!(2)));

    let run = rig.runs().remove(0);
    let run = run.to_str().unwrap();
    let said = rig.handsight.run(&["runs", "show", run]);
    assert!(said.ended(0).stdout.contains("observe {} one") || said.stdout.contains("one"), "{said:?}");
    rig.handsight.run(&["runs", "export", run, "plain"]).ended(0);
    let plain = rig.handsight.home().join("plain");
    for name in ["session.jsonl", "run.json", "step001.png", "step002.png", "turn_000001.json"] {
        assert!(plain.join(name).is_file(), "{name}");
    }
    assert_eq!(
        std::fs::read(plain.join("session.jsonl")).unwrap(),
        std::fs::read(format!("{run}/session.jsonl")).unwrap()
    );
    rig.handsight.run(&["runs", "show", "plain"]).ended(7).told("plain");
}

// spec: S-66 S-105 FAKE XVFB
#[test]
fn a_run_can_be_played_again_with_and_without_its_pictures() {
    let Some(rig) = Rig::new() else { return };
    let mut witness = rig.witness();
    let window = witness.open(600, 300, 200, 200);
    witness.focus(window);
    let server = server([click(500.0, 500.0, "the middle"), observe("and now"), done("so be it")]);
    rig.run(&server, &["press it"]).ended(0);
    let run = rig.runs().remove(0);
    let original = witness.presses();
    witness.forget();

    // On its own pictures: the same requests, the same deeds, nothing moved, no display needed.
    let mut alone = rig.handsight.command(&["runs", "replay", run.to_str().unwrap(), "--json"]);
    alone.env_remove("DISPLAY");
    let said = crate::handsight::run(alone, PATIENCE);
    let json = said.ended(0).json();
    assert_eq!(
        (&json["outcome"], &json["verified"], &json["turns"]),
        (&json!("done"), &json!(true), &json!(3))
    );
    assert_eq!(said.stdout.lines().next(), Some("so be it"));
    assert!(!said.stderr.contains("research prototype"), "nothing can be controlled: {said:?}");
    assert!(witness.presses().is_empty());
    // One loop on both desktops: the same calls and the same deeds in both logs.
    let deeds = |run: &std::path::Path| -> Vec<serde_json::Value> {
        session(run)
            .iter()
            .map(|s| json!([s["call"], s["reason"], s["deeds"][0]["action"], s["deeds"][0]["hash"]]))
            .collect()
    };
    let replayed = rig.handsight.home().join(json["run"].as_str().unwrap());
    assert_eq!(deeds(&replayed), deeds(&run));

    // By `run`, as the first page shows it: the task is that of the recording.
    let (desktop, model) = (format!("replay:{}", run.display()), format!("recorded/{}", run.display()));
    let mut args = vec!["run", "--desktop", &desktop, "--model", &model, "--json"];
    let said = rig.handsight.run(&args);
    said.ended(0).told("this is a replay");
    // Another task is another request, and that is said.
    args.push("press something else");
    rig.handsight.run(&args).ended(0).told("differs from the recording");

    // From the log alone, on the real screen: the same events as before.
    let log = run.join("session.jsonl");
    rig.handsight.run(&["replay", log.to_str().unwrap()]).ended(2).told("where should it be done?");
    let desktop = format!("x11{}", rig.x.display());
    let said = rig.handsight.run(&["replay", log.to_str().unwrap(), "--desktop", &desktop]);
    assert_eq!(said.ended(0).stdout.lines().next(), Some("so be it"));
    assert_eq!(witness.presses(), original);
    witness.assert_quiet();
}
