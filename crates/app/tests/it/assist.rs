//! The `assist` profile as a person runs it: the whole program on the simulated desk, asked over the wire by a strict server.

use crate::assist_rig::{DESK, assist, assist_command, done, key, plan, server, step, told};
use crate::handsight::Handsight;
use crate::rig::{PATIENCE, session};
use handsight_testkit::chat::{End, Reply};
use handsight_testkit::program::Program;
use serde_json::{Value, json};
use std::process::Stdio;

// spec: D-01 D-04 D-05 D-13 D-14 D-16 D-17 D-25 D-50 D-55 D-61 D-67 FAKE SIM
#[test]
fn an_objective_is_worked_by_plans_and_its_summary_is_the_result() {
    let handsight = Handsight::new();
    // The button of the start menu lies in the corner of the desk.
    let open = step("mouse", json!({"x": 20, "y": 700}), "Open the start menu");
    let server = server(vec![plan(&[open, key("down")]), done("The start menu is open.")]);
    let said = assist(&handsight, &server, &["--json"]);
    let json = said.ended(0).json();
    assert_eq!((&json["outcome"], &json["turns"], &json["actions"]), (&json!("done"), &json!(2), &json!(2)));
    assert_eq!(json["profile"], "assist");
    let requests = server.requests();
    assert_eq!(requests.len(), 2, "one call a turn");
    for request in &requests {
        let [picture] = request.pictures.as_slice() else { panic!("one picture, not more") };
        assert_eq!((picture.width, picture.height, picture.media_type.as_str()), (1280, 720, "image/png"));
        for words in [
            "Return minimal valid JSON",
            "Reuse the coordinates",
            "Keep each justification short and imperative: \"Open Run dialog\", \"Type filename\"",
            "Prefer two steps, `write` and then `press` with `key` = `enter`",
            "Set `done` early",
            "Replies in Markdown fences",
            "Tool names of your own making",
            "Plans that guess far ahead",
            "Long `sleep` calls",
            "Wordiness, and large pasted text",
        ] {
            assert!(request.system().contains(words), "{words:?} is not in {}", request.system());
        }
    }
    assert!(requests[0].pictures[0].png != requests[1].pictures[0].png, "it looked again");
    assert_eq!(told(&requests[0]), "Objective: Open the start menu\n\nTurn 1 of 12.");
    let second = told(&requests[1]);
    assert!(second.contains(r#"turn 1: mouse {"x":20,"y":700} - Open the start menu: done"#), "{second}");
    let line = &session(&handsight.home().join("run"))[0];
    assert_eq!(line["steps"][0]["why"], "Open the start menu", "{line}");
    // Without --json the summary is what is printed.
    let handsight = Handsight::new();
    let server = self::server(vec![done("It was open already.")]);
    let said = assist(&handsight, &server, &[]);
    assert!(said.ended(0).stdout.contains("It was open already."), "{}", said.stdout);
}

// spec: D-31 D-69 FAKE SIM
#[test]
fn opening_notepad_takes_one_plan_and_one_word_that_it_is_open() {
    let handsight = Handsight::new();
    let sample = plan(&[
        step("hotkey", json!({"keys": ["win", "r"]}), "Open Run"),
        step("write", json!({"text": "notepad"}), "Type app name"),
        step("press", json!({"key": "enter"}), "Launch"),
    ]);
    let server = server(vec![sample, done("Notepad is open.")]);
    let said = assist(&handsight, &server, &["--json"]);
    let json = said.ended(0).json();
    assert_eq!((&json["turns"], &json["actions"]), (&json!(2), &json!(3)));
    let requests = server.requests();
    assert!(requests[0].pictures[0].png != requests[1].pictures[0].png, "a window opened");
    assert!(told(&requests[1]).contains(r#"turn 1: press {"key":"enter"} - Launch: done"#));
}

// spec: D-15 D-23 D-27 D-44 D-48 FAKE
#[test]
fn what_was_dropped_refused_or_failed_is_told_in_the_next_turn() {
    let handsight = Handsight::new();
    let six: Vec<Value> = (1..=6).map(|n| key(&format!("f{n}"))).collect();
    let outside = step("mouse", json!({"x": 1280, "y": 0}), "Click");
    let server = server(vec![
        plan(&six),
        plan(&[key("tab"), step("teleport", json!({}), "Away"), key("tab")]),
        plan(&[outside, key("tab")]),
        done("ok"),
    ]);
    assist(&handsight, &server, &[]).ended(0);
    let requests = server.requests();
    let [second, third, fourth] = [1, 2, 3].map(|n| told(&requests[n]));
    assert!(second.contains("2 steps too many were dropped: 4 are run at most"), "{second}");
    assert!(third.contains("step 2 was not run") && third.contains("teleport"), "{third}");
    assert!(!third.contains("dropped"), "told once");
    assert!(fourth.contains("step 1 was not run") && fourth.contains("0 to 1279"), "{fourth}");
    let lines = session(&handsight.home().join("run"));
    let deeds: Vec<usize> = lines.iter().map(|l| l["deeds"].as_array().unwrap().len()).collect();
    assert_eq!(deeds, [4, 1, 0, 0]);
}

// spec: D-29 D-57 D-66 FAKE
#[test]
fn a_broken_reply_and_a_busy_service_take_no_turn() {
    let handsight = Handsight::new();
    let fenced = Reply::text("```json\n{\"steps\": [], \"done\": \"x\"}\n```");
    let busy =
        Reply::Status { code: 503, headers: vec![], body: b"{\"error\":{\"message\":\"busy\"}}".to_vec() };
    let server = server(vec![fenced, busy, done("ok")]);
    let said = assist(&handsight, &server, &["--json"]);
    assert_eq!(said.ended(0).json()["turns"], 1);
    let budgets: Vec<Value> = server.requests().iter().map(|r| r.json["max_tokens"].clone()).collect();
    assert_eq!(budgets, [json!(1024), json!(512), json!(512)]);
    let notes = session(&handsight.home().join("run"))[0]["notes"].to_string();
    assert!(notes.contains("malformed (not_json)"), "{notes}");
}

// spec: D-26 D-58 D-63 D-64 FAKE SIM
#[test]
fn each_way_to_end_has_its_own_exit_status() {
    let of = |replies: Vec<Reply>, more: &[&str]| {
        let handsight = Handsight::new();
        let server = server(replies);
        let said = assist(&handsight, &server, &[&["--json"], more].concat());
        let _ = server.take_complaints();
        // A run that could not begin has no result.
        let turns =
            if said.stdout.is_empty() { 0 } else { said.json()["turns"].as_u64().unwrap_or_default() };
        (said.code, turns)
    };
    assert_eq!(of(vec![done("ok")], &[]), (0, 1));
    // Plans without an end, and plans that do nothing.
    assert_eq!(of(vec![plan(&[key("tab")])], &[]), (8, 12));
    assert_eq!(of(vec![plan(&[])], &["--max-steps", "3"]), (8, 3));
    assert_eq!(of(vec![Reply::text("I click OK.")], &["--max-steps", "2"]), (8, 2));
    let refused = Reply::Status { code: 401, headers: vec![], body: b"{}".to_vec() };
    assert_eq!(of(vec![refused], &[]).0, 6);
    // No desktop, and a person who stops it while the model thinks.
    assert_eq!(of(vec![done("ok")], &["--desktop", "x11"]).0, 5);
    let handsight = Handsight::new();
    let server = server(vec![Reply::Nothing(End::Stall)]);
    let mut command = assist_command(&handsight, &server, &[]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let engine = Program::start(&mut command);
    server.wait_for(1);
    engine.signal(rustix::process::Signal::INT);
    let status = { engine }.wait(PATIENCE);
    assert_eq!(status.code(), Some(130));
}

// spec: D-75 FAKE
#[test]
fn a_service_that_can_be_held_to_the_contract_gets_it_as_a_schema() {
    let handsight = Handsight::new();
    let third = Reply::text(&json!({"steps": [], "done": "x", "more": 1}).to_string());
    let server = server(vec![third, done("ok")]);
    assist(&handsight, &server, &[]).ended(0);
    let requests = server.requests();
    assert_eq!(requests.len(), 2, "and is checked all the same");
    let form = &requests[0].json["response_format"]["json_schema"];
    let schema = &form["schema"];
    assert_eq!((&form["name"], &schema["required"]), (&json!("plan"), &json!(["steps", "done"])));
    let tools: Vec<&Value> = schema["properties"]["steps"]["items"]["anyOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| &step["properties"]["tool"]["enum"][0])
        .collect();
    let names = ["mouse", "press", "hotkey", "write", "type", "paste", "sleep", "launch", "focus_window"];
    assert_eq!(tools, names.map(Value::from).iter().collect::<Vec<_>>());
}

// spec: D-73 FAKE
#[test]
fn scroll_and_drag_are_offered_only_when_asked_for() {
    for extended in [false, true] {
        let handsight = Handsight::new();
        let scroll = step("scroll", json!({"x": 600, "y": 300, "notches": -2}), "Scroll down");
        let drag = step("drag", json!({"x": 600, "y": 300, "to_x": 620, "to_y": 310}), "Drag");
        let server = server(vec![plan(&[scroll, drag]), done("ok")]);
        let setting = format!("decide.extended_tools={extended}");
        let said = assist(&handsight, &server, &["--set", &setting, "--json"]);
        assert_eq!(said.ended(0).json()["actions"], if extended { 2 } else { 0 });
        let system = server.requests()[0].system().to_owned();
        assert_eq!((system.contains("`scroll`"), system.contains("`drag`")), (extended, extended));
        let schema = server.requests()[0].json["response_format"].to_string();
        assert_eq!(schema.contains("\"drag\""), extended);
    }
}

// spec: D-65 SIM
#[test]
fn a_missing_key_is_told_before_anything_is_looked_at() {
    let handsight = Handsight::new();
    let said =
        handsight.run(&["run", "Open Notepad", "--profile", "assist", "--desktop", DESK, "--out", "run"]);
    assert_eq!(said.code, 2, "{}", said.stderr);
    assert!(said.stderr.contains("OPENAI_API_KEY"), "{}", said.stderr);
    assert!(!handsight.home().join("run").exists(), "nothing was begun");
}

// spec: D-60 D-62 FAKE
#[test]
fn its_settings_are_shown_and_may_be_set_for_one_run() {
    let handsight = Handsight::new();
    let shown = handsight.run(&["config", "dump", "assist"]);
    let shown = shown.ended(0).stdout.clone();
    for line in [
        "max_steps_per_turn = 4",
        "max_turns = 12",
        "reasks = 2",
        "reask_tokens = [",
        "tolerant_parse = false",
        "launch_method = \"auto\"",
        "display = \"all\"",
        "provider = \"openai\"",
        "shows = \"plan\"",
        "model = \"gpt-5.1\"",
        "api_url = \"https://api.openai.com/v1/chat/completions\"",
        "max_tokens = 1024",
        "temperature = 0.0",
        "[settle]\nenabled = true",
        "[hud]\nenabled = true",
    ] {
        assert!(shown.contains(line), "{line} is not in {shown}");
    }
    // For one run, and the last of two flags that exclude each other counts.
    for (flags, overlay) in [
        (&["--overlay"][..], true),
        (&["--no-overlay"], false),
        (&["--overlay", "--no-overlay"], false),
        (&["--no-overlay", "--overlay"], true),
    ] {
        let handsight = Handsight::new();
        let server = server(vec![done("ok")]);
        assist(&handsight, &server, &[flags, &["--max-steps", "5"]].concat()).ended(0);
        assert!(self::told(&server.requests()[0]).contains("Turn 1 of 5."));
        let reader = handsight_store::Reader::open(&handsight.home().join("run")).unwrap();
        let kept: toml::Table = reader.meta().unwrap().profile_text.parse().unwrap();
        assert_eq!(kept["hud"]["enabled"].as_bool(), Some(overlay), "{flags:?}");
        assert_eq!(kept["limits"]["max_turns"].as_integer(), Some(5));
    }
}

// spec: D-57 D-74 FAKE
#[test]
fn malformed_replies_and_tools_of_a_models_own_making_are_counted_and_bundled() {
    let handsight = Handsight::new();
    let fenced = || Reply::text("```json\n{\"steps\": [], \"done\": \"x\"}\n```");
    let third = Reply::text(&json!({"steps": [], "done": null, "thought": "a long one"}).to_string());
    let teleport = plan(&[step("teleport", json!({}), "Away")]);
    let server = server(vec![fenced(), fenced(), third, teleport, done("ok")]);
    assist(&handsight, &server, &[]).ended(0);
    let said = handsight.run(&["report", "parse", "run", "--out", "bundle.json", "--json"]);
    let json = said.ended(0).json();
    let model = "own/test-model";
    assert_eq!(json["malformed"][model], json!({"extra_key": 1, "not_json": 2}), "{json}");
    assert_eq!(json["unknown_tools"][model], json!({"teleport": 1}), "{json}");
    let bundle = std::fs::read_to_string(handsight.home().join("bundle.json")).unwrap();
    let bundle: Value = serde_json::from_str(&bundle).unwrap();
    let replies = bundle["replies"].as_array().unwrap();
    assert_eq!(replies.len(), 2, "two turns had something: {bundle:#}");
    assert!(replies[0]["replies"].to_string().contains("a long one"), "kept whole: {bundle:#}");
    let text = handsight.run(&["report", "parse", "run"]);
    assert!(text.ended(0).stdout.contains("     2  not_json"), "{}", text.stdout);
}

// spec: D-56 REPLAY
#[test]
fn a_recorded_run_gives_the_same_steps_again() {
    let handsight = Handsight::new();
    let open = step("mouse", json!({"x": 20, "y": 700}), "Open the start menu");
    let outside = step("mouse", json!({"x": 1280, "y": 0}), "Click");
    let server = server(vec![plan(&[open, key("down")]), plan(&[key("up"), outside]), done("ok")]);
    assist(&handsight, &server, &[]).ended(0);
    let again = [
        "run",
        "--profile",
        "assist",
        "--desktop",
        "replay:run",
        "--model",
        "recorded/run",
        "--out",
        "again",
    ];
    let said = handsight.run(&again);
    assert!(said.ended(0).stderr.contains("request by request and deed by deed"), "{}", said.stderr);
    let steps = |run: &str| -> Vec<Value> {
        let lines = session(&handsight.home().join(run));
        lines.iter().map(|l| json!([l["steps"], l["notes"], l["choice"], l["deeds"][0]["hash"]])).collect()
    };
    assert_eq!(steps("run"), steps("again"));
    assert_eq!(steps("run")[0][0][0]["what"], "mouse {\"x\":20,\"y\":700}");
}

// spec: D-49 D-39 SIM
#[test]
fn the_next_picture_is_of_a_resting_screen_and_a_sleep_passes_in_the_worlds_time() {
    let handsight = Handsight::new();
    let steps = [step("sleep", json!({"secs": 5}), "Wait"), step("sleep", json!({"secs": 9}), "Wait")];
    let server = server(vec![plan(&steps), done("ok")]);
    let said = assist(&handsight, &server, &["--json"]);
    assert!(said.ended(0).json()["wall_s"].as_f64().unwrap() < 5.0, "nothing sleeps here: {}", said.stdout);
    let lines = session(&handsight.home().join("run"));
    assert_eq!(lines[0]["calm"], "settled", "{}", lines[0]);
    let passed = lines[1]["at_unix_millis"].as_i64().unwrap() - lines[0]["at_unix_millis"].as_i64().unwrap();
    assert!((10_000..13_500).contains(&passed), "{passed} ms of the desk's time");
}
