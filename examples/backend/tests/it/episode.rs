//! The whole engine on a terminal: a scripted model works a shell, the file it made is on the disk, and the journal has every turn.

use handsight_base::flow::frame::FrameHash;
use handsight_base::flow::receipt::Outcome;
use handsight_store::Reader;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, script: &[serde_json::Value], program: &[&str]) -> Output {
    let lines: String = script.iter().map(|line| format!("{line}\n")).collect();
    let file = folder.join("script.jsonl");
    std::fs::write(&file, lines).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_terminal-backend"));
    command.arg("--model").arg(format!("scripted/{}", file.display())).arg("--out").arg(folder.join("run"));
    // A terminal is calm at once; these are waits for windows.
    for setting in ["act.delay_after_action_s=0.1", "act.input_delay_s=0", "settle.check_interval_s=0.05"] {
        command.args(["--set", setting]);
    }
    command.arg("Write a greeting to a file").arg("--").args(program).current_dir(folder);
    command.output().unwrap()
}

#[test]
fn a_command_is_typed_into_a_shell_and_the_journal_has_the_turns() {
    let folder = tempfile::tempdir().unwrap();
    let script = [
        json!({"call": "type", "args": {"text": "echo 'Grüße vom Schirm' > greeting\n", "reason": "write the file"}}),
        json!({"call": "click", "args": {"x": 500, "y": 500, "reason": "try the mouse"}}),
        json!({"call": "type", "args": {"text": "cat greeting\n", "reason": "see whether it is there"}}),
        json!({"call": "done", "args": {"reason": "the file is written"}}),
    ];
    let output = run(folder.path(), &script, &["sh"]);
    let (said, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}\n{log}");
    assert!(said.starts_with("done: the file is written (4 turns"), "{said}");
    // The second channel: what the shell did.
    assert_eq!(std::fs::read_to_string(folder.path().join("greeting")).unwrap(), "Grüße vom Schirm\n");

    let mut reader = Reader::open(&folder.path().join("run")).unwrap();
    assert_eq!(reader.turns(), [1, 2, 3, 4]);
    assert_eq!(reader.end().unwrap().outcome, "done");
    assert_eq!(reader.meta().unwrap().desktop, "terminal:sh");
    let outcomes: Vec<Outcome> =
        (1..=3).map(|turn| reader.actions(turn).unwrap().remove(0).outcome.unwrap()).collect();
    assert!(matches!(&outcomes[0], Outcome::Done { .. }), "{:?}", outcomes[0]);
    // A shell takes no mouse, and the model is told so by name.
    assert!(
        matches!(&outcomes[1], Outcome::Failed { why, .. } if why.contains("does not take the mouse")),
        "{:?}",
        outcomes[1]
    );
    // Each picture that the model saw is there, and what was typed changed it.
    let mut pictures: Vec<FrameHash> = Vec::new();
    for turn in 1..=4 {
        let frame = reader.observed(turn).unwrap().unwrap().picture.unwrap();
        assert!(reader.frame(&frame).unwrap().starts_with(b"\x89PNG"));
        pictures.push(frame);
    }
    assert!(pictures[0] != pictures[1] && pictures[2] != pictures[3], "{pictures:?}");
}

#[test]
fn a_program_that_has_ended_is_a_target_that_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let script = [
        json!({"call": "type", "args": {"text": "exit\n", "reason": "leave the shell"}}),
        json!({"call": "type", "args": {"text": "echo into nothing\n", "reason": "type into what is gone"}}),
        json!({"call": "done", "args": {"reason": "nobody is there"}}),
    ];
    let output = run(folder.path(), &script, &["sh"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut reader = Reader::open(&folder.path().join("run")).unwrap();
    let outcome = reader.actions(2).unwrap().remove(0).outcome;
    assert!(
        matches!(&outcome, Some(Outcome::Failed { why, .. }) if why.contains("is closed")),
        "{outcome:?}"
    );
}

#[test]
fn what_is_wrong_with_the_command_line_is_said() {
    for (arguments, said) in [
        (&["--model"][..], "--model needs a value"),
        (&["task"], "give --model"),
        (&["--model", "scripted/none.jsonl", "task"], "none.jsonl"),
        (&["--model", "scripted/none.jsonl", "two", "words"], "put it in quotes"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_terminal-backend")).args(arguments).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && told.contains(said), "{arguments:?}: {told}");
    }
}
