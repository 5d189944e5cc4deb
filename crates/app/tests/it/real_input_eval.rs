//! The suite of real Linux programs on a real X server: its solutions win every case, as an oracle's and as plans that a strict model
//! server sends to `assist`; who does nothing or anything wins none. Whether a case was done is read from files, the clipboard and
//! what programs printed, by the checkers under test; so each has a control that must fail. Six of the thirteen cases are played;
//! `HANDSIGHT_LONG=1` plays all.

use crate::handsight::{Said, run};
use crate::real_input_player::{clients, ids};
use crate::real_input_rig::{BRISK, Rig};
use crate::solutions::{self, Seen, Solver};
use handsight_testkit::need::{long, need};
use handsight_testkit::witness::Witness;
use serde_json::Value;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(420);

/// Plays cases by the controls and a model that claims at once to be done.
fn eval(rig: &Rig, suite: &str, tasks: &str, out: &str) -> Said {
    let script = rig.x.home().join("done.jsonl");
    std::fs::write(&script, "{\"call\":\"done\",\"args\":{\"reason\":\"all is well\"}}\n").unwrap();
    let model = format!("scripted/{}", script.display());
    let out = rig.folder.join(out);
    let args = [
        "eval",
        "--json",
        "--suite",
        suite,
        "--tasks",
        tasks,
        "--model",
        &model,
        "--desktop",
        "x11",
        "--out",
        out.to_str().unwrap(),
    ];
    run(rig.handsight(&[&args, BRISK].concat()), PATIENCE)
}

/// Every solution wins, whoever plays it, nothing else does, and nothing is left behind.
fn held(name: &str, tasks: &str, programs: &[(&str, &str)], of: usize) {
    let Some(rig) = Rig::new(name) else { return };
    if !programs.iter().all(|(program, package)| need(program, package)) {
        return;
    }
    let out = rig.folder.join("eval");
    let witness = Witness::connect(rig.x.display());
    let find = move |title: &str| {
        let shown = |w: &handsight_testkit::witness::SeenWindow| w.mapped && w.title.contains(title);
        let window = clients(&witness).into_iter().rev().find(shown)?;
        let client = [window.x, window.y, window.width as i32, window.height as i32];
        Some(Seen { client, focused: ids(&witness, "_NET_ACTIVE_WINDOW") == [window.id] })
    };
    let stage = out.clone();
    let home = move |id: &str| solutions::stage(&stage, id).display().to_string();
    let solver = Solver::new("linux-apps", home, Box::new(find));
    let command = |args: &[&str]| rig.handsight(&[args, &["--desktop", "x11"]].concat());
    let said = solutions::eval(command, "linux-apps", tasks, out.to_str().unwrap(), solver);
    solutions::assert_proven(&said, of);
    // The programs are gone, and with them what they put on the clipboard.
    let left: Vec<String> = clients(&rig.witness).into_iter().map(|window| window.title).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(std::fs::read_dir(out.join("stage")).unwrap().next().is_none(), "homes are left");
}

#[test]
fn solutions_win_in_the_terminal_and_doing_nothing_does_not() {
    let tasks = if long() { "terminal-*" } else { "terminal-clipboard,terminal-rename-file" };
    held("eval-terminal", tasks, &[("xterm", "xterm"), ("xclip", "xclip")], if long() { 4 } else { 2 });
}

#[test]
fn solutions_win_in_dialogs_and_doing_nothing_does_not() {
    let tasks = if long() { "dialog-*" } else { "dialog-tick,dialog-form" };
    held("eval-dialog", tasks, &[("zenity", "zenity")], if long() { 5 } else { 2 });
}

#[test]
fn solutions_win_in_editor_and_calculator_and_doing_nothing_does_not() {
    let programs = [
        ("dbus-run-session", "dbus"),
        ("mousepad", "mousepad"),
        ("galculator", "galculator"),
        ("xterm", "xterm"),
    ];
    let tasks = if long() { "editor-*,calculator-*,copy-*" } else { "editor-save-as,copy-*" };
    held("eval-editor", tasks, &programs, if long() { 4 } else { 2 });
}

/// A solution that is wrong, a checker that cannot be run, a case that is won from the start and a program that does not come.
#[test]
fn a_broken_case_is_named_and_never_counted() {
    let Some(rig) = Rig::new("eval-broken") else { return };
    if !need("zenity", "zenity") {
        return;
    }
    let program =
        r#"program = [{ name = "ask", window = "Name", run = ["zenity", "--entry", "--title", "Name"] }]"#;
    let case = |id: &str, program: &str, check: &str| {
        format!(
            "[[case]]\nid = \"{id}\"\nlevel = 1\nobjective = \"Answer with \\\"Ada\\\".\"\nlimits = {{ turns = 5 }}\n\
             {program}\ncheck = [{check}]\nsolution = [{{ type = \"Bob\\n\", window = \"Name\" }}]\n"
        )
    };
    let suite = [
        case("wrong", program, r#"{ program = "ask", ended = 0, equals = "Ada" }"#),
        case("unasked", program, r#"{ run = ["no-such-program"], ended = 0 }"#),
        case("won", program, r#"{ file = "never.txt", exists = false }"#),
        case(
            "absent",
            &program.replace("zenity", "true"),
            r#"{ program = "ask", ended = 0, equals = "Ada" }"#,
        ),
    ];
    let path = rig.x.home().join("broken.toml");
    std::fs::write(&path, suite.join("\n")).unwrap();
    let told = |case: &str| -> Value {
        let said = eval(&rig, path.to_str().unwrap(), case, case);
        said.ended(1).told("measures nothing").json()
    };
    let wrong = told("wrong");
    assert_eq!(wrong["broken"][0]["player"], "oracle", "{wrong}");
    let why = wrong["broken"][0]["why"].as_str().unwrap();
    assert!(why.contains("is \"Bob\", not \"Ada\""), "{why}");
    let unasked = told("unasked");
    assert_eq!((&unasked["void"], &unasked["success"]["of"]), (&1.into(), &0.into()), "{unasked}");
    assert!(unasked["broken"][0]["why"].as_str().unwrap().starts_with("it cannot be judged"), "{unasked}");
    let won = told("won");
    assert_eq!(
        (&won["broken"][0]["player"], &won["controls"]["no-op"]["passed"]),
        (&"no-op".into(), &1.into()),
        "{won}"
    );
    let absent = told("absent");
    assert_eq!(absent["controls"]["no-op"]["void"], 1, "{absent}");
    assert!(absent["broken"][0]["why"].as_str().unwrap().contains("showed no window \"Name\""), "{absent}");
}
