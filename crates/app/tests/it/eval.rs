//! `eval` as a person meets it: a suite, a model, the controls beside it, a table, a report, and an exit code that says whether
//! anything was measured.

use crate::handsight::{Handsight, Said, run};
use handsight_testkit::program::Program;
use handsight_testkit::wait::until;
use rustix::process::Signal;
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// A dozen runs on a busy machine and an engine without optimisation.
const PATIENCE: Duration = Duration::from_secs(240);

fn eval(handsight: &Handsight, args: &[&str]) -> Said {
    let mut command = handsight.command(&[&["eval", "--json"], args].concat());
    // Nothing of a screen or a network in reach.
    command.env_remove("DISPLAY").env("http_proxy", "http://127.0.0.1:1");
    run(command, PATIENCE)
}

/// A model that answers with these lines.
fn script(handsight: &Handsight, name: &str, lines: &str) -> String {
    let path = handsight.home().join(name);
    std::fs::write(&path, lines).unwrap();
    format!("scripted/{}", path.display())
}

const DONE: &str = "{\"call\":\"done\",\"args\":{\"reason\":\"all is well\"}}\n";

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_offline_model_is_judged_by_the_world_beside_the_controls() {
    let handsight = Handsight::new();
    let args = [
        "--model",
        "reflex/offline",
        "--tasks",
        "write-note,compute,close-windows",
        "--seeds",
        "2",
        "--jobs",
        "2",
        "--out",
        "e",
    ];
    let said = eval(&handsight, &args);
    let told = said.ended(0).json();
    assert_eq!((told["planned"].as_u64(), told["played"].as_u64()), (Some(24), Some(24)), "{told}");
    assert_eq!((&told["success"]["passed"], &told["success"]["of"]), (&6.into(), &6.into()), "{told}");
    assert_eq!(told["pass_at"]["2"], 1.0);
    assert_eq!(told["controls"]["no-op"], serde_json::json!({ "passed": 0, "of": 6, "void": 0 }));
    assert_eq!(told["controls"]["oracle"], serde_json::json!({ "passed": 6, "of": 6, "void": 0 }));
    assert_eq!(told["controls"]["random"]["passed"], 0, "{told}");
    assert_eq!((&told["broken"], &told["suite"]), (&Value::Array(Vec::new()), &"desk".into()));
    for part in ["level 2", "level 3", "6 of 6", "100.0 %", "0/6", "6/6", "pass@2 100.0 %"] {
        assert!(said.stdout.contains(part), "{part:?} is missing in\n{}", said.stdout);
    }
    let table = said.stdout.lines().filter(|line| !line.starts_with('{'));
    assert!(
        table.clone().count() > 5 && table.clone().all(|line| line.chars().count() <= 100),
        "{}",
        said.stdout
    );

    // Each attempt is an ordinary run with the world's word in its journal, whoever played.
    for (player, verified) in [("model", true), ("oracle", true), ("no-op", false), ("random", false)] {
        let shown =
            handsight.run(&["runs", "show", &format!("e/{player}/compute-2"), "--json"]).ended(0).json();
        assert_eq!(shown["end"]["verified"], verified, "{player}: {shown}");
    }
    let kept = read(&handsight.home().join("e/eval.json"));
    assert_eq!(kept["attempts"].as_array().map(Vec::len), Some(24));
    assert_eq!(kept["success"], told["success"]);
    let page = std::fs::read_to_string(handsight.home().join("e/report.html")).unwrap();
    assert!(page.contains("href=\"./model/compute-2\"") && !page.contains("<img"), "nothing failed");
}

#[test]
fn a_claim_wins_nothing_and_each_failure_is_shown() {
    let handsight = Handsight::new();
    let model = script(&handsight, "done.jsonl", DONE);
    let args = ["--model", &model, "--tasks", "compute,order", "--out", "e"];
    let told = eval(&handsight, &args).ended(0).json();
    assert_eq!((&told["success"]["passed"], &told["success"]["of"]), (&0.into(), &2.into()), "{told}");
    assert_eq!(
        (&told["tasks"][0]["outcome"], &told["tasks"][0]["verdict"]),
        (&"done".into(), &"failed".into())
    );
    let page = std::fs::read_to_string(handsight.home().join("e/report.html")).unwrap();
    assert_eq!(
        page.matches("src=\"data:image/jpeg;base64,").count(),
        4,
        "the last frame and the sheet of both"
    );
    assert!(page.contains("done after 1 turns: all is well"), "what it claimed");
    assert!(
        !page.contains("http:") && !page.contains("https:") && !page.contains("<script"),
        "it stands alone"
    );
    assert!(handsight.home().join("e/model/order-1/sheet.png").is_file());
}

#[test]
fn replies_that_cannot_be_used_are_counted_and_a_model_that_is_not_there_measures_nothing() {
    let handsight = Handsight::new();
    let talks = format!("{{\"text\":\"I would rather talk.\"}}\n{DONE}");
    let model = script(&handsight, "talk.jsonl", &talks);
    let told =
        eval(&handsight, &["--model", &model, "--tasks", "compute,order", "--out", "a"]).ended(0).json();
    assert_eq!((&told["malformed"], &told["success"]["of"]), (&2.into(), &2.into()), "{told}");

    let gone = "{\"error\":{\"status\":500}}\n".repeat(3);
    let model = script(&handsight, "gone.jsonl", &gone);
    let said = eval(&handsight, &["--model", &model, "--tasks", "compute", "--out", "b"]);
    let told = said.ended(6).told("could not be judged").json();
    assert_eq!(
        (&told["void"], &told["success"]["of"], &told["malformed"]),
        (&1.into(), &0.into(), &0.into()),
        "{told}"
    );
    assert!(said.stdout.contains("void: neither passed nor failed:\n  compute"), "{}", said.stdout);
}

#[test]
fn a_suite_whose_oracle_does_not_win_is_broken() {
    let handsight = Handsight::new();
    let suite = "[limits]\nturns = 1\n[[world]]\nworld = \"desk\"\ntasks = [\"compute\"]\n";
    std::fs::write(handsight.home().join("short.toml"), suite).unwrap();
    let said = eval(&handsight, &["--suite", "short.toml", "--model", "reflex/offline", "--out", "e"]);
    let told = said.ended(1).told("the suite short measures nothing in compute").json();
    assert_eq!(told["broken"][0]["player"], "oracle", "{told}");
    assert!(said.stdout.contains("BROKEN"), "{}", said.stdout);
    // Somebody's own setting wins over the suite's limit.
    let args =
        ["--suite", "short.toml", "--model", "reflex/offline", "--set", "limits.max_turns=40", "--out", "f"];
    assert_eq!(eval(&handsight, &args).ended(0).json()["success"]["passed"], 1);
}

#[test]
fn what_there_is_not_is_named() {
    let handsight = Handsight::new();
    let ask = |args: &[&str]| eval(&handsight, &[&["--model", "reflex/offline"], args].concat());
    ask(&["--suite", "desc"]).ended(2).told("there is no suite \"desc\" and no such file").told("`desk`");
    ask(&["--tasks", "fly"]).ended(2).told("no case of desk is of these names").told("write-note");
    ask(&["--tasks", "drag-file"]).ended(2).told("drag-file takes double_click, drag");
    ask(&["--levels", "4"]).ended(2);
    ask(&["--profile", "statless"]).ended(2).told("Did you mean \"stateless\"?");
    std::fs::write(handsight.home().join("bad.toml"), "[[world]]\nworld = \"desk\"\nscal = 2\n").unwrap();
    ask(&["--suite", "bad.toml"])
        .ended(2)
        .told("bad.toml, line 3: unknown key `scal`. Did you mean `scale`?")
        .told("docs/eval.md");
    // Real programs need a real desktop of this machine, and one run at a time.
    ask(&["--resume", "nowhere"]).ended(2).told("the folder of an evaluation");
    ask(&["--suite", "linux-apps"]).ended(5).told("DISPLAY is not set");
    ask(&["--suite", "linux-apps", "--desktop", "world:desk"])
        .ended(2)
        .told("no program can be started on world:desk");
    ask(&["--suite", "linux-apps", "--desktop", "x11:7", "--jobs", "2"])
        .ended(2)
        .told("there is one pointer");
    assert!(!handsight.home().join("dump").exists(), "nothing was begun");
}

#[test]
fn what_was_played_before_a_stop_is_kept_and_gone_on_from() {
    let handsight = Handsight::new();
    let args = [
        "eval",
        "--model",
        "reflex/offline",
        "--tasks",
        "compute,order,close-windows,write-note,run-dialog",
        "--seeds",
        "2",
        "--out",
        "e",
    ];
    let mut program = Program::start(handsight.command(&args).stdout(Stdio::null()).stderr(Stdio::null()));
    let kept = handsight.home().join("e/attempts.jsonl");
    let lines = || std::fs::read_to_string(&kept).unwrap_or_default().lines().count();
    until("some attempts are made", PATIENCE, || (lines() >= 4).then_some(()));
    program.signal(Signal::INT);
    assert_eq!(program.wait(PATIENCE).code(), Some(130));
    let so_far = read(&handsight.home().join("e/eval.json"));
    let (played, planned) = (so_far["played"].as_u64().unwrap(), so_far["planned"].as_u64().unwrap());
    assert!(played >= 3 && played < planned, "{played} of {planned}");
    assert!(std::fs::read_to_string(handsight.home().join("e/report.html")).unwrap().contains("write-note"));

    let first = handsight.home().join("e/no-op/write-note-1/run.db");
    let written = || std::fs::metadata(&first).unwrap().modified().unwrap();
    let before = written();
    let mut again: Vec<&str> = args[1..args.len() - 2].to_vec();
    eval(&handsight, &["--model", "reflex/offline", "--resume", "e"]).ended(2).told("is another evaluation");
    again.extend(["--resume", "e"]);
    let told = eval(&handsight, &again).ended(0).json();
    assert_eq!((told["played"].as_u64(), &told["success"]["of"]), (Some(planned), &10.into()), "{told}");
    assert_eq!(written(), before, "what was played is not played again");
}
