//! What the `assist` profile holds whatever its model sends: the contract, the limits, the policy, and what is written of a run.

use crate::assist_rig::{DESK, assist, done, go, key, plan, server, told};
use crate::handsight::Handsight;
use crate::rig::session;
use handsight_testkit::chat::{Reply, Rules, Server};
use serde_json::{Value, json};
use std::path::Path;

/// Every file below a folder in which a text stands.
fn found(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(self::found(&path, text));
        } else if std::fs::read(&path).unwrap().windows(text.len()).any(|w| w == text.as_bytes()) {
            found.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    found
}

// spec: D-59 D-72 FAKE
#[test]
fn the_key_of_the_settings_goes_before_the_environments_and_is_shown_nowhere() {
    const OURS: &str = "settings-canary-4d1f";
    const THEIRS: &str = "environment-canary-77aa";
    let provider = "about = \"a\"\nwire = \"chat\"\ndialect = \"tools\"\nstreaming = \"off\"\nkey_variable = \"OWN_KEY\"\n";
    let home = |settings: &str, environment: &str| {
        let handsight = Handsight::new().with("OWN_KEY", environment);
        handsight.config("providers/keyed.toml", provider);
        handsight.config("assist.toml", settings);
        handsight
    };
    let run = |handsight: &Handsight, key: &str, more: &[&str]| {
        let rules = Rules { key: Some(key.into()), ..Rules::default() };
        // The service throws it back, and the model says it.
        let says = format!("Logged in with {OURS} and {THEIRS}.");
        let typed = go("write", json!({"text": says}));
        let plan = json!({"steps": [typed], "done": null}).to_string();
        let server = Server::scripted_with(rules, [Reply::text(&plan), done(&says)]);
        let url = server.base_url();
        let args = ["run", "x", "--profile", "assist", "--desktop", DESK, "--base-url", &url, "--out", "run"];
        let said = handsight.run(&[&args[..], more].concat());
        assert!(
            server.requests().iter().all(|r| r.header("authorization") == Some(&format!("Bearer {key}")))
        );
        said
    };
    let of_settings =
        format!("[decide]\nprovider = \"keyed\"\nmodel = \"test-model\"\napi_key = \"{OURS}\"\n");
    let empty = of_settings.replace(OURS, "");
    let model = ["--model", "keyed/test-model", "-vv"];
    for (settings, key) in [(&of_settings, OURS), (&empty, THEIRS)] {
        let handsight = home(settings, THEIRS);
        let said = run(&handsight, key, &model);
        said.ended(0);
        let dumped = handsight.run(&["config", "dump", "assist"]);
        dumped.ended(0);
        let broken =
            handsight.run(&["run", "x", "--profile", "assist", "--set", &format!("decide.api_keys={OURS}")]);
        broken.ended(2);
        for text in [&said, &dumped].map(|said| format!("{}{}", said.stdout, said.stderr)) {
            assert!(!text.contains(key), "{text}");
        }
        assert_eq!(found(&handsight.home().join("run"), key), Vec::<String>::new());
        // The control: what nobody called a key of this run is found there by the same search.
        let other = if key == OURS { "Logged in with" } else { OURS };
        assert!(found(&handsight.home().join("run"), other).contains(&"run.db".to_owned()));
    }
    // It is the key of the profile's provider, and no other service gets it.
    let handsight = home(&of_settings.replace("\"keyed\"", "\"openai\""), THEIRS);
    run(&handsight, THEIRS, &model).ended(0);
    // A key that stands in a file that cannot be read is not repeated in the complaint.
    let handsight = home(&format!("[decide]\napi_key = {OURS}\n"), THEIRS);
    let said = handsight.run(&["config", "dump", "assist"]);
    said.ended(2);
    assert!(!said.stderr.contains(OURS), "{}", said.stderr);
}

// spec: D-72 FAKE
#[test]
fn a_pasted_text_can_be_left_out_of_the_record() {
    const SECRET: &str = "hunter2 \"quoted\" Añ€";
    for masked in [true, false] {
        let handsight = Handsight::new();
        let why = format!("Paste {SECRET}");
        let paste = json!({"tool": "paste", "args": {"text": SECRET}, "human_readable_justification": why});
        let malformed = json!({"steps": [paste], "done": null, "thought": "x"}).to_string();
        let good = plan(&[paste, key("tab")]);
        let server = server(vec![Reply::text(&malformed), good, plan(&[key("tab")]), done("ok")]);
        let setting = format!("record.mask_pasted={masked}");
        assist(&handsight, &server, &["--set", &setting]).ended(0);
        let run = handsight.home().join("run");
        // What the model wrote is there in plain where nothing is masked, in the journal and in the view.
        let hits = found(&run, "hunter2");
        if masked {
            assert_eq!(hits, Vec::<String>::new());
        } else {
            assert!(
                hits.contains(&"run.db".to_owned()) && hits.contains(&"session.jsonl".to_owned()),
                "{hits:?}"
            );
        }
        let line = &session(&run)[0];
        let what = line["steps"][0]["what"].as_str().unwrap();
        assert_eq!(what == "paste [key]", masked, "{what}");
        assert_eq!(line["deeds"].as_array().unwrap().len(), 2, "it was done all the same: {line}");
    }
}

// spec: D-70 D-48 FAKE
#[test]
fn limits_hold_whatever_the_model_sends() {
    let handsight = Handsight::new();
    let mouse = |more: Value| {
        let mut args = json!({"x": 600, "y": 300});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        go("mouse", args)
    };
    let forty: Vec<Value> = (0..40).map(|_| key("tab")).collect();
    let server = server(vec![
        plan(&forty),
        plan(&[mouse(json!({"clicks": 5})), key("tab")]),
        plan(&[mouse(json!({"clicks": 0})), key("tab")]),
        plan(&[
            mouse(json!({"clicks": 2, "interval_ms": 1})),
            mouse(json!({"clicks": 2, "interval_ms": 60_000})),
        ]),
        plan(&[go("sleep", json!({"secs": 9}))]),
        plan(&[mouse(json!({"x": -1})), key("tab")]),
        plan(&[mouse(json!({"y": 720})), key("tab")]),
        plan(&[mouse(json!({"x": 10.5})), key("tab")]),
        plan(&[go("paste", json!({"text": "x".repeat(4097)})), key("tab")]),
        plan(&[go("write", json!({"text": "ab", "interval_ms": 400_000})), key("tab")]),
        plan(&[go("write", json!({"text": "lorem ipsum ".repeat(5000)}))]),
        plan(&[go("write", json!({"text": "x".repeat(100_000)}))]),
        plan(&[go("press", json!({"keys": vec!["tab"; 65]})), key("tab")]),
        plan(&[key("tab")]),
    ]);
    let said = assist(&handsight, &server, &["--json"]);
    assert_eq!(said.ended(8).json()["turns"], 12);
    let requests = server.requests();
    let told: Vec<String> = requests.iter().map(|request| told(request)).collect();
    assert_eq!(requests.len(), 13, "no turn more, and one reply was asked for again: {told:#?}");
    for (turn, words) in [
        (1, "36 steps too many were dropped: 4 are run at most"),
        (2, "`clicks` is 5: it goes from 1 to 4"),
        (3, "`clicks` is 0: it goes from 1 to 4"),
        (4, "`interval_ms` 1 is outside 10 to 1000: used 10"),
        (4, "`interval_ms` 60000 is outside 10 to 1000: used 1000"),
        (5, "`secs` 9 is outside 0 to 5: used 5"),
        (6, "step 1 was not run, nor what came after it"),
        (7, "0 to 719"),
        (8, "step 1 was not run, nor what came after it"),
        (9, "`text` is 4097 characters long, 4096 at most are pasted"),
        (10, "milliseconds to type a text; 0 to 300000 are possible"),
        (12, "bytes long, at most 65536 are read"),
    ] {
        assert!(told[turn].contains(words), "turn {turn}: {words:?} is not in {}", told[turn]);
    }
    let deeds = |line: &Value| -> Vec<String> {
        let deeds = line["deeds"].as_array().unwrap();
        deeds.iter().map(|d| d["outcome"]["outcome"].as_str().unwrap_or("?").to_owned()).collect()
    };
    let lines = session(&handsight.home().join("run"));
    let counts: Vec<usize> = lines.iter().map(|line| deeds(line).len()).collect();
    // Clicks at an interval are clicks and waits.
    assert_eq!(counts, [4, 0, 0, 6, 1, 0, 0, 0, 0, 2, 1, 0], "{lines:?}");
}

// spec: D-71 FAKE
#[test]
fn what_the_policy_denies_is_reported_and_not_run() {
    let handsight = Handsight::new();
    let launch = || go("launch", json!({"command": "notepad"}));
    let chord = go("hotkey", json!({"keys": ["ctrl", "alt", "pause"]}));
    let server = server(vec![plan(&[launch(), key("tab")]), plan(&[chord, key("tab")]), done("ok")]);
    let said = assist(&handsight, &server, &["--set", "policy.launch=[\"mousepad\"]", "--json"]);
    assert_eq!(said.ended(0).json()["actions"], 0, "{}", said.stdout);
    let requests = server.requests();
    let (second, third) = (told(&requests[1]), told(&requests[2]));
    assert!(
        second.contains("\"notepad\" is not among the programs that may be started (mousepad)"),
        "{second}"
    );
    assert!(second.contains("press {\"key\":\"tab\"} - Go on: not executed"), "{second}");
    assert!(third.contains("hotkey") && third.contains("not done"), "{third}");
    assert!(requests[0].pictures[0].png == requests[1].pictures[0].png, "nothing opened on the desk");
    // The control: what may be started is, and the desk looks otherwise.
    let handsight = Handsight::new();
    let server = self::server(vec![plan(&[launch()]), done("ok")]);
    let said = assist(&handsight, &server, &["--set", "policy.launch=[\"notepad\"]", "--json"]);
    assert_eq!(said.ended(0).json()["actions"], 1);
    let requests = server.requests();
    assert!(requests[0].pictures[0].png != requests[1].pictures[0].png);
}

// spec: D-24 FAKE
#[test]
fn no_reply_has_more_steps_than_the_run_has_turns() {
    let handsight = Handsight::new();
    let fifteen: Vec<Value> = (0..15).map(|_| key("tab")).collect();
    let server = server(vec![plan(&fifteen), done("ok")]);
    let said = assist(&handsight, &server, &["--set", "decide.max_steps_per_turn=64", "--json"]);
    assert_eq!(said.ended(0).json()["actions"], 12);
    let second = told(&server.requests()[1]);
    assert!(second.contains("3 steps too many were dropped: 12 are run at most"), "{second}");
}

// spec: D-18 D-19 D-20 D-21 D-22 D-28 D-30 FAKE
#[test]
fn every_kind_of_broken_plan_is_refused_through_the_whole_loop() {
    let good = json!({"tool": "press", "args": {"key": "tab"}, "human_readable_justification": "Go on"});
    let with = |key: &str, value: Option<Value>| {
        let mut step = good.clone();
        match value {
            Some(value) => step[key] = value,
            None => drop(step.as_object_mut().unwrap().remove(key)),
        }
        json!({"steps": [step], "done": null}).to_string()
    };
    let whole = json!({"steps": [good], "done": null}).to_string();
    for (text, code) in [
        (format!("Here is my plan: {whole}"), "not_json"),
        (format!("{whole}\nI hope this helps."), "not_json"),
        (format!("```json\n{whole}\n```"), "not_json"),
        (whole.replace("\"done\"", "/* end */ \"done\""), "not_json"),
        (whole[..whole.len() - 9].to_owned(), "not_json"),
        (json!({"steps": [good], "done": null, "thought": "x"}).to_string(), "extra_key"),
        (json!({"steps": [good]}).to_string(), "missing_key"),
        (json!({"done": "x"}).to_string(), "missing_key"),
        (json!({"steps": [good], "done": 7}).to_string(), "bad_type"),
        (json!({"steps": good, "done": null}).to_string(), "bad_type"),
        (with("tool", None), "missing_key"),
        (with("args", None), "missing_key"),
        (with("human_readable_justification", None), "missing_key"),
        (with("tool", Some(json!(""))), "empty_tool"),
        (with("tool", Some(json!(7))), "bad_type"),
        (with("args", Some(json!("tab"))), "bad_type"),
        (with("human_readable_justification", Some(json!(""))), "bad_type"),
        (with("why", Some(json!("x"))), "extra_key"),
    ] {
        let handsight = Handsight::new();
        let server = server(vec![Reply::text(&text), done("ok")]);
        let said = assist(&handsight, &server, &["--json"]);
        let json = said.ended(0).json();
        assert_eq!((&json["turns"], &json["actions"]), (&json!(1), &json!(0)), "{text}");
        let told = told(&server.requests()[1]);
        assert!(told.contains(&format!("Your last reply was not used ({code})")), "{text}: {told}");
    }
    let handsight = Handsight::new();
    let server = server(vec![Reply::text(&whole), done("ok")]);
    assert_eq!(assist(&handsight, &server, &["--json"]).ended(0).json()["actions"], 1, "the control");
}
