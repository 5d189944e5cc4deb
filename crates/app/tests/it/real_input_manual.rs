//! `manual`: a person's commands go the way of a model's, with no model anywhere.

use crate::handsight::{Said, run};
use crate::real_input_player::clients;
use crate::real_input_rig::{Rig, screen};
use handsight_testkit::apps::Question;
use handsight_testkit::picture::{Patch, Picture};
use handsight_testkit::wait::PATIENCE;
use handsight_testkit::witness::SeenWindow;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Runs the binary with a script for its standard input.
fn scripted(rig: &Rig, args: &[&str], script: &str) -> Said {
    let file = rig.x.home().join("script");
    std::fs::write(&file, script).unwrap();
    let mut command = rig.handsight(args);
    command.stdin(File::open(file).unwrap());
    run(command, 6 * PATIENCE)
}

/// The one run in the dump folder, by its name `test_YYYYMMDD_HHMMSS`, and its pictures in order.
fn dumped(rig: &Rig) -> (PathBuf, Vec<String>) {
    let dump = rig.x.home().join("dump");
    let runs: Vec<PathBuf> = std::fs::read_dir(dump).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    let name = runs[0].file_name().unwrap().to_str().unwrap();
    let shape: String = name.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(shape, "test_00000000_000000", "{name}");
    let files = std::fs::read_dir(&runs[0]).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut pictures: Vec<String> = files.filter(|f| f.ends_with(".png")).collect();
    pictures.sort();
    (runs[0].clone(), pictures)
}

fn picture(folder: &Path, name: &str) -> Picture {
    Picture::from_png(&std::fs::read(folder.join(name)).unwrap())
}

/// The dialog, once it is painted and has the focus.
fn dialog(rig: &mut Rig) -> SeenWindow {
    let mut found = None;
    rig.witness.wait_until("the dialog is painted", PATIENCE, |w| {
        found = clients(w).into_iter().find(|c| c.mapped && c.title == "Question");
        let Some(seen) = &found else { return false };
        let place = Patch::new(seen.x as u32, seen.y as u32, seen.width, seen.height);
        let picture = screen(w, place);
        // The question, the field and the buttons.
        picture.lines_of_text(picture.whole()).len() >= 3
    });
    found.unwrap()
}

// spec: S-64 S-74 S-75 S-76 XVFB
#[test]
fn a_script_answers_a_dialog_without_a_model_and_leaves_a_picture_per_command() {
    let Some(mut rig) = Rig::new("manual") else { return };
    let Some(mut question) = Question::ask(&rig.x, "Question", "Who is there?") else { return };
    let window = dialog(&mut rig);
    let at = |dx: i32, dy: i32| {
        let thousandth = |v: i32, size: i32| f64::from(v) / f64::from(size - 1) * 1000.0;
        let (x, y) = (window.x + dx, window.y + dy);
        format!("{:.1} {:.1}", thousandth(x, 1280), thousandth(y, 720))
    };
    let (width, height) = (window.width as i32, window.height as i32);
    let (field, ok) = (at(40, height - 66), at(width - 51, height - 25));
    let script = format!(
        "observe First I look.\nclick {field} Into the field.\ntype Hello Wörld\ndance\nclick 500\n\
         scroll -240 Nothing scrolls here.\nclick {ok} OK.\ndone The dialog is gone.\nobserve never\n"
    );
    let said = scripted(&rig, &["manual"], &script);
    said.ended(0);
    assert_eq!(question.answer(), "Hello Wörld\n");
    rig.witness.wait_until("every key and button is up", PATIENCE, |w| w.is_quiet());
    // What is no command prints the list.
    let all = said.stdout.clone() + &said.stderr;
    assert!(all.contains("dance") && all.contains("click <x> <y> [reason]"), "{all}");

    // 000 and one for each of the six commands that were done; the two that were not used no number.
    let (folder, pictures) = dumped(&rig);
    let names: Vec<String> = (0..=6).map(|n| format!("test{n:03}.png")).collect();
    assert_eq!(pictures, names);
    let hud = Patch::new(8, 8, 900, 60);
    let texts: Vec<usize> = names.iter().map(|n| picture(&folder, n).lines_of_text(hud).len()).collect();
    // Nothing on the first, and `type` has no reason to show.
    assert_eq!(texts, [0, 1, 1, 0, 1, 1, 1]);
    // The picture after `type` shows what was typed, the one after OK no dialog any more.
    let shown = |n: usize| {
        let scale = |v: i32, screen: i32, picture: i32| (v * picture / screen) as u32;
        let (x, y) = (scale(window.x, 1280, 1536), scale(window.y, 720, 864));
        // Its upper half: the pointer ends in the lower one.
        let (w, h) = (scale(width, 1280, 1536), scale(height / 2, 720, 864));
        picture(&folder, &names[n]).part(Patch::new(x, y, w, h))
    };
    assert!(shown(2).difference(&shown(3)).is_some(), "what was typed is not in the picture");
    assert!(shown(0).colours().len() > 2 && shown(5).colours().len() == 1, "the dialog is still there");
}
