//! `demo` and `worlds` as a person meets them: one command, no display, no key, no network; and the world has the last word.

use crate::handsight::{Handsight, Said, run};
use handsight_pixel::png;
use serde_json::Value;
use std::time::Duration;

/// All tasks on a busy machine and an engine without optimisation.
const PATIENCE: Duration = Duration::from_secs(300);

fn demo(handsight: &Handsight, args: &[&str]) -> Said {
    let mut command = handsight.command(&[&["demo", "--json"], args].concat());
    // Nothing of a screen or a network in reach.
    command
        .env_remove("DISPLAY")
        .env("http_proxy", "http://127.0.0.1:1")
        .env("https_proxy", "http://127.0.0.1:1");
    run(command, PATIENCE)
}

#[test]
fn every_task_is_played_and_verified() {
    let handsight = Handsight::new();
    let said = demo(&handsight, &["--out", "shown"]);
    let told = said.ended(0).json();
    let tasks = told["tasks"].as_array().unwrap();
    assert!((14..=18).contains(&tasks.len()), "{} tasks: some of each kind, not all", tasks.len());
    for task in tasks {
        assert_eq!(task["verified"], true, "{task}");
        assert_eq!((task["seed"].as_u64(), task["outcome"].as_str()), (Some(1), Some("done")), "{task}");
        assert!(task["turns"].as_u64().unwrap() >= 2, "{task}");
    }
    let keys: Vec<&String> = told.as_object().unwrap().keys().collect();
    let contract = [
        "run",
        "profile",
        "desktop",
        "model",
        "outcome",
        "verified",
        "turns",
        "actions",
        "tokens",
        "cost_usd",
        "wall_s",
        "overhead_ms_p50",
        "tasks",
    ];
    assert_eq!(keys, contract);
    assert_eq!(
        (&told["verified"], &told["outcome"], &told["model"]),
        (&true.into(), &"done".into(), &"reflex/offline".into())
    );
    assert_eq!(told["desktop"], "world:desk,seed=1,size=1280x720", "that of all tasks");
    let sum: u64 = tasks.iter().map(|t| t["turns"].as_u64().unwrap()).sum();
    assert_eq!(told["turns"].as_u64(), Some(sum));

    // The table, the folder, and what it says to look at.
    assert!(said.stdout.contains("verified  turns"), "{}", said.stdout);
    assert!(said.stderr.contains("handsight runs show shown/"), "{}", said.stderr);
    let first = handsight.home().join("shown").join(format!("01-{}", tasks[0]["name"].as_str().unwrap()));
    let sheet = png::decode(&std::fs::read(first.join("sheet.png")).unwrap()).unwrap();
    assert!(sheet.size().width > 700, "{}", sheet.size());
    let shown = handsight.run(&["runs", "show", &first.display().to_string(), "--json"]);
    let shown = shown.ended(0).json();
    assert_eq!(shown["end"]["verified"], true, "the journal knows it");
    assert_eq!(shown["steps"].as_array().unwrap().len() as u64, tasks[0]["turns"].as_u64().unwrap());
}

#[test]
fn the_same_seed_is_the_same_demo() {
    let handsight = Handsight::new();
    let played = |out: &str, seed: &str| {
        let said = demo(&handsight, &["--task", "write-note", "--seed", seed, "--out", out]);
        let run = handsight.home().join(out).join("01-write-note");
        let log = std::fs::read_to_string(run.join("session.jsonl")).unwrap();
        let calls: Vec<Value> =
            log.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["call"].clone()).collect();
        (said.ended(0).json()["turns"].clone(), calls)
    };
    let first = played("a", "5");
    assert_eq!(played("b", "5"), first);
    assert_ne!(played("c", "6").1, first.1, "another seed is another desk");
}

#[test]
fn the_world_is_not_taken_in_by_done() {
    let handsight = Handsight::new();
    let script = handsight.home().join("idle.jsonl");
    std::fs::write(&script, "{\"call\":\"done\",\"args\":{\"reason\":\"all is well\"}}\n").unwrap();
    let model = format!("scripted/{}", script.display());
    let said = demo(&handsight, &["--task", "compute", "--task", "close-windows", "--model", &model]);
    let told = said.ended(1).told("NOT verified").json();
    assert_eq!((&told["verified"], &told["outcome"]), (&false.into(), &"done".into()));
    assert!(told["tasks"].as_array().unwrap().iter().all(|t| t["verified"] == false), "{told}");

    // The same as an ordinary run.
    let desktop = "world:desk,task=compute,seed=2";
    let said = handsight.run(&["run", "--desktop", desktop, "--model", &model, "--json"]);
    let told = said.ended(1).told("what was wanted is not so").json();
    assert_eq!(told["verified"], false);
    // Without a task there is nothing to judge.
    let said = handsight.run(&["run", "sit", "--desktop", "world:desk,seed=2", "--model", &model, "--json"]);
    assert_eq!(said.ended(0).json()["verified"], Value::Null);
}

#[test]
fn what_there_is_not_is_named() {
    let handsight = Handsight::new();
    handsight.run(&["demo", "--world", "moon"]).ended(2).told("there is no world \"moon\"; there are: desk");
    handsight.run(&["demo", "--task", "fly"]).ended(2).told("has no task \"fly\"; it has: start-program");
    handsight.run(&["demo", "--size", "12x12"]).ended(2).told("no size from 640x400");
    handsight.run(&["run", "--desktop", "world:desk,colour=red"]).ended(2).told("the keys are task, seed");
    handsight.run(&["run", "--desktop", "world:"]).ended(2).told("`world` needs a name");
    handsight
        .run(&["run", "x", "--desktop", "world:desk", "--model", "reflex/large"])
        .ended(2)
        .told("reflex/offline");
    handsight.run(&["worlds", "open", "desk"]).ended(5).told("DISPLAY is not set");
    let said = handsight.run(&["worlds", "--json"]);
    assert_eq!(said.code, 2, "json belongs to the list");
    let told = handsight.run(&["worlds", "list", "--json"]).ended(0).json();
    let tasks = told["worlds"][0]["tasks"].as_array().unwrap();
    assert!(
        tasks.iter().any(|t| t["name"] == "order" && t["tools"].as_array().unwrap().len() == 3),
        "{told}"
    );
    // A world ends with its run.
    let script = handsight.home().join("look.jsonl");
    std::fs::write(&script, "{\"call\":\"observe\",\"args\":{\"reason\":\"look\"}}\n").unwrap();
    let model = format!("scripted/{}", script.display());
    let args =
        ["run", "sit", "--desktop", "world:desk", "--model", &model, "--out", "sat", "--max-turns", "1"];
    handsight.run(&args).ended(8);
    handsight.run(&["run", "--resume", "sat"]).ended(2).told("the same seed is the same world");
}
