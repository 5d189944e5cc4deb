//! What goes over the wire in a run on a real screen: two messages, one picture, one call, and nothing that came before.

use crate::real_input_player::{Step, click, done, observe, step};
use crate::real_input_rig::{BRISK, Rig};
use handsight_testkit::apps;
use handsight_testkit::need::need;
use serde_json::Value;
use std::time::Duration;

fn looks(n: usize) -> Vec<Step> {
    let mut steps: Vec<Step> = (0..n).map(|_| step(|_| observe("I look."))).collect();
    steps.push(step(|_| done("I have seen it.")));
    steps
}

// spec: S-12 S-14 S-18 S-22 S-47 FAKE
#[test]
fn ten_turns_are_ten_requests_of_two_messages() {
    let Some(mut rig) = Rig::new("ten-turns") else { return };
    let task = "Find “the door” & don't open it";
    let played = rig.play("run", BRISK, task, looks(9));
    let result = played.ended_well(&mut rig);
    assert_eq!((&result["turns"], played.requests.len()), (&Value::from(10), 10));
    let system = played.requests[0].system();
    assert!(system.contains(task), "the task is changed or missing:\n{system}");
    // The next picture is the check, and the prompt says so.
    assert!(system.contains("Compare it with what you see"), "{system}");
    for request in &played.requests {
        let n = request.n;
        let messages = request.json["messages"].as_array().unwrap();
        let roles: Vec<&str> = messages.iter().map(|m| m["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["system", "user"], "request {n}");
        assert_eq!(request.system(), system, "request {n}");
        let parts = messages[1]["content"].as_array().unwrap();
        let pictures: Vec<&str> = parts.iter().filter_map(|p| p["image_url"]["url"].as_str()).collect();
        assert_eq!(pictures.len(), 1, "request {n}");
        assert!(pictures[0].starts_with("data:image/png;base64,"), "request {n}");
        assert_eq!(request.tools(), ["observe", "click", "type", "scroll", "done"], "request {n}");
        let picture = played.picture(n - 1);
        assert_eq!((picture.width, picture.height), (1536, 864), "request {n}");
    }
}

/// `prefix` and a time `YYYYMMDD_HHMMSS`.
fn is_stamped(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|stamp| {
        stamp.len() == 15
            && stamp.chars().enumerate().all(|(n, c)| if n == 8 { c == '_' } else { c.is_ascii_digit() })
    })
}

// spec: S-31 S-63 S-65 S-72 S-73 FAKE XVFB
#[test]
fn without_options_the_default_model_is_asked_and_the_run_lies_in_the_dump_folder() {
    let Some(rig) = Rig::new("defaults") else { return };
    for (model, options) in
        [("qwen2-vl-7b-instruct", &[][..]), ("qwen3-vl-2b-instruct", &["--model", "qwen3-vl-2b-instruct"])]
    {
        let args = [&["run", "--profile", "stateless", "Look around", "--json"], options, BRISK].concat();
        let played = rig.ask(Duration::ZERO, rig.whole(), &args, looks(2));
        assert_eq!(played.said.ended(0).json()["outcome"], "done");
        assert_eq!(played.requests[0].json["model"], model);
        let dump = rig.x.home().join("dump");
        let runs: Vec<_> = std::fs::read_dir(&dump).unwrap().map(|e| e.unwrap()).collect();
        assert_eq!(runs.len(), 1, "{runs:?}");
        assert!(is_stamped(runs[0].file_name().to_str().unwrap(), "run_"), "{runs:?}");
        for n in 0..3 {
            let saved = std::fs::read(runs[0].path().join(format!("step{:03}.png", n + 1))).unwrap();
            assert!(saved == played.png(n), "step {} is not what the model got", n + 1);
        }
        let pictures = std::fs::read_dir(runs[0].path()).unwrap();
        let names = pictures.map(|e| e.unwrap().file_name().into_string().unwrap());
        assert_eq!(names.filter(|n| n.ends_with(".png")).count(), 3);
        std::fs::remove_dir_all(&dump).unwrap();
    }
}

// spec: S-92 S-93 FAKE XVFB
#[test]
fn a_whole_turn_takes_3_to_8_seconds_with_a_model_of_2_to_5() {
    let Some(mut rig) = Rig::new("whole-turn").filter(|_| need("xsetroot", "x11-xserver-utils")) else {
        return;
    };
    apps::paint_root(&rig.x, [40, 60, 80]);
    let clicks = || {
        let middle = |reason| step(move |l| click(l.of_root(640, 360), reason));
        vec![middle("I click."), middle("Once more."), step(|_| done("End."))]
    };
    for seconds in [2, 5] {
        let think = Duration::from_secs(seconds);
        let out = rig.folder.join(format!("run-{seconds}"));
        let args = ["run", "--profile", "stateless", "--json", "--out", out.to_str().unwrap(), "Click"];
        let played = rig.ask(think, rig.whole(), &args, clicks()).kept_in(out);
        played.ended_well(&mut rig);
        // The first request to the second is a whole turn, by the model server's clock.
        for pair in played.requests.windows(2) {
            let turn = (pair[1].at - pair[0].at).as_secs_f64();
            assert!((3.0..8.0).contains(&turn), "a turn with a model of {seconds} s took {turn:.2} s");
        }
    }
}
