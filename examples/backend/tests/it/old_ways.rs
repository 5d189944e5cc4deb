//! Programs that ask for nothing new: the bytes they get, written down by `head`, and what they cannot get, refused by name.

use crate::rig::{input, spot};
use handsight_base::flow::action::{Action, Button, ScrollBy};
use handsight_base::key::Modifiers;
use handsight_base::port::clock::RealClock;
use handsight_base::port::desktop::{Desktop, DesktopError, DesktopFault};
use handsight_base::space::{ScreenPx, Size};
use handsight_base::stop::Stop;
use handsight_testkit::wait::{PATIENCE, until};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use terminal_backend::{Cells, Look, Terminal, TerminalDesktop};

/// A shell script in a terminal of 60 x 12 cells, once it has said `ready`.
fn started(folder: &Path, script: &str) -> (Terminal, TerminalDesktop) {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(folder);
    let look = Look::builtin(16.0).with_cell(Size::new(10, 20));
    let terminal = Terminal::start(command, look, Cells::new(60, 12)).unwrap();
    until("the program is ready", PATIENCE, || terminal.text().contains("ready").then_some(()));
    let desktop = terminal.desktop(Arc::new(RealClock::new()));
    (terminal, desktop)
}

fn act(desktop: &mut TerminalDesktop, action: Action) -> Result<(), DesktopError> {
    let done = desktop.inject(input(action), &Stop::new())?;
    assert!(done.complete, "{done:?}");
    Ok(())
}

fn press(chord: &str) -> Action {
    Action::Key { chord: chord.parse().unwrap(), repeat: 1 }
}

fn click(x: i32, y: i32) -> Action {
    let at = Some(spot(ScreenPx::new(x, y)));
    Action::Click { at, button: Button::Left, count: 1, modifiers: Modifiers::NONE }
}

fn scroll(notches: i32) -> Action {
    Action::Scroll { at: None, by: ScrollBy::Notches { dx: 0, dy: notches }, modifiers: Modifiers::NONE }
}

/// What a program that has sent `modes` reads for these actions, and nothing but that.
fn reads(modes: &str, actions: Vec<Action>, wanted: &str) {
    let folder = tempfile::tempdir().unwrap();
    let count = wanted.len();
    let script =
        format!("stty raw -echo; printf '{modes}'; echo ready; head -c {count} > got; mv got all; sleep 60");
    let (_terminal, mut desktop) = started(folder.path(), &script);
    for action in actions {
        act(&mut desktop, action).unwrap();
    }
    let all = folder.path().join("all");
    let got = until("enough bytes", PATIENCE, || std::fs::read(&all).ok());
    assert_eq!(String::from_utf8_lossy(&got), wanted, "after {modes}");
}

#[test]
fn clicks_are_reported_by_cells_where_pixels_were_not_asked_for() {
    reads(
        r"\033[?1000h\033[?1006h",
        vec![click(25, 45), scroll(-1)],
        "\x1b[<0;3;3M\x1b[<0;3;3m\x1b[<65;3;3M",
    );
    reads(r"\033[?1000h", vec![click(0, 239)], "\x1b[M !,\x1b[M#!,");
}

#[test]
fn keys_are_what_they_always_were() {
    let keys = ["ctrl+c", "up", "alt+x", "shift+tab", "f5", "enter"].map(press).to_vec();
    reads("", keys, "\x03\x1b[A\x1bx\x1b[Z\x1b[15~\r");
    reads(r"\033[?1h", vec![press("up"), press("ctrl+up")], "\x1bOA\x1b[1;5A");
    reads("", vec![Action::typed("Grüße\n日本")], "Grüße\r日本");
}

#[test]
fn a_wheel_nobody_asked_for_is_arrow_keys_or_looks_back() {
    reads(r"\033[?1049h", vec![scroll(-1), scroll(1)], "\x1b[B\x1b[B\x1b[B\x1b[A\x1b[A\x1b[A");

    let folder = tempfile::tempdir().unwrap();
    let (terminal, mut desktop) = started(folder.path(), "seq 1 100; echo ready; cat");
    assert!(!terminal.text().contains("\n80\n"), "{}", terminal.text());
    let newest = desktop.damage_since(None).unwrap().mark;
    act(&mut desktop, scroll(5)).unwrap();
    assert!(terminal.text().contains("\n80\n"), "{}", terminal.text());
    assert!(!desktop.damage_since(Some(newest)).unwrap().areas.unwrap().is_empty(), "the picture is another");
    act(&mut desktop, Action::typed("x")).unwrap();
    until("what is typed is seen", PATIENCE, || terminal.text().contains("ready\nx").then_some(()));
}

#[test]
fn what_cannot_arrive_is_refused_by_name_before_anything_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let (_terminal, mut desktop) =
        started(folder.path(), "stty raw -echo; echo ready; head -c 1 > got; mv got all; sleep 60");
    for (action, name) in [(click(5, 5), "does not take the mouse"), (press("ctrl+shift+s"), "ctrl+shift+s")]
    {
        let refused = act(&mut desktop, action).unwrap_err();
        assert!(
            refused.to_string().contains(name) && refused.fault() == DesktopFault::TellModel,
            "{refused}"
        );
    }
    act(&mut desktop, press("z")).unwrap();
    let got = until("a byte", PATIENCE, || std::fs::read(folder.path().join("all")).ok());
    assert_eq!(got, b"z", "nothing of what was refused came before it");
}

#[test]
fn a_program_may_ask_for_another_size_and_is_told_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        r"printf '\033[8;10;40t\033[5n'; echo ready; read -r answer; stty size > got; mv got all; sleep 60";
    let (_terminal, mut desktop) = started(folder.path(), script);
    // The answer to its question has no end of line.
    act(&mut desktop, press("enter")).unwrap();
    let size = until("its size", PATIENCE, || std::fs::read_to_string(folder.path().join("all")).ok());
    assert_eq!(size, "10 40\n");
    assert_eq!(desktop.displays().unwrap()[0].area.size, Size::new(400, 200));
}

#[test]
fn a_program_that_does_not_read_is_an_error_and_no_hanging_call() {
    let folder = tempfile::tempdir().unwrap();
    let (_terminal, mut desktop) = started(folder.path(), "stty raw -echo; echo ready; sleep 60");
    let endless = act(&mut desktop, Action::typed("all work and no play ".repeat(4000))).unwrap_err();
    assert!(endless.to_string().contains("does not read its input"), "{endless}");
}
