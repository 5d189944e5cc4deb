//! `handsight.exe` works programs of Wine to an end that shows outside of it: bytes in a file, a folder, the registry, a
//! field of a game.

use crate::one_run;
use crate::real_input_player::{Step, click, clients, done, done_when, step, type_text};
use crate::real_input_rig::screen;
use crate::wine_rig::{BRISK, WineRig, find, menu, titled};
use handsight_base::flow::action::{Axis, Button};
use handsight_base::space::ScreenRect;
use handsight_testkit::conformance::Witness as _;
use handsight_testkit::picture::Patch;
use handsight_testkit::wine::DPI;
use handsight_testkit::witness_protocol::{What, Which};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

/// Notepad saves in its one-byte code page.
const NOTE: &str = "Zwölf Boxkämpfer jagen Viktor\nüber den Deich, ça va? Ñandú ½ × 4";

/// All tasks of the demo, without optimisation.
const DEMO: Duration = Duration::from_secs(300);

/// Writes the note in notepad and saves it by the menu and the dialog.
fn note(rig: &WineRig) {
    let _notepad = rig.wine.program("notepad", &[]);
    rig.wine.await_window("- Notepad");
    note_in_the_open(rig);
}

fn note_in_the_open(rig: &WineRig) {
    let wine = || Arc::clone(&rig.wine);
    let file = rig.wine.drive_c().join("notes.txt");
    let (w0, w1, w2, w3, w4) = (wine(), wine(), wine(), wine(), wine());
    let (bar_x, bar_y) = (rig.scaled(16), -rig.scaled(10));
    let steps = vec![
        step(move |l| {
            titled(&w0, "- Notepad").and_then(|w| click(w.part(l, 0.5, 0.5), "I click into the empty page."))
        }),
        step(move |_| {
            titled(&w1, "- Notepad").filter(|w| w.foreground)?;
            type_text(NOTE, "I wrote the two lines. Next: File, Save as.")
        }),
        step(move |l| {
            let window = titled(&w2, "- Notepad")?;
            click(window.at(l, bar_x, bar_y), "Both lines are on the page. I opened the menu File.")
        }),
        step(move |l| {
            menu(&w3).and_then(|m| click(m.part(l, 0.3, 0.385), "The menu is open; I chose Save as."))
        }),
        step(move |_| {
            find(&w4, |w| w.title.starts_with("Save") && w.foreground)?;
            type_text("C:\\notes.txt\n", "The dialog is open. I typed the whole path and pressed Enter.")
        }),
        done_when(file.clone(), "Both lines are saved in notes.txt."),
    ];
    rig.play("Write the two lines and save them as C:\\notes.txt", steps).ended_well(rig);
    let bytes: Vec<u8> =
        NOTE.replace('\n', "\r\n").chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    assert_eq!(std::fs::read(file).unwrap(), bytes);
}

#[test]
fn a_note_is_written_in_notepad_and_saved() {
    let Some(rig) = WineRig::new(DPI) else { return };
    note(&rig);
}

#[test]
fn a_note_is_written_and_saved_at_150_percent() {
    let Some(rig) = WineRig::new(144) else { return };
    note(&rig);
}

#[test]
fn a_note_is_written_in_a_window_that_was_moved() {
    let Some(mut rig) = WineRig::new(DPI) else { return };
    let _notepad = rig.wine.program("notepad", &[]);
    let was = rig.wine.await_window("- Notepad");
    let id = handsight_testkit::wait::until("the X window", handsight_testkit::wait::PATIENCE, || {
        clients(&rig.x).into_iter().find(|w| w.mapped && w.title.contains("- Notepad")).map(|w| w.id)
    });
    crate::real_input_rig::put(&rig.wine.x, &rig.x, id, (517, 163));
    let moved = handsight_testkit::wait::before(handsight_testkit::wait::PATIENCE, || {
        (rig.wine.await_window("- Notepad")["client"] != was["client"]).then_some(())
    });
    assert_eq!(moved, Some(()), "Windows knows that it was moved");
    note_in_the_open(&rig);
    rig.x.wait_until("no key is down for X", handsight_testkit::wait::PATIENCE, |w| w.is_quiet());
}

#[test]
fn a_note_is_written_in_a_virtual_desktop() {
    let Some(rig) = WineRig::in_a_virtual_desktop(1024, 640) else { return };
    note(&rig);
}

/// By the dialog Run, which takes a program's name and no more: the console window of Wine 8 takes no text that comes as
/// Unicode packets, only keys.
#[test]
fn a_folder_is_made_by_cmd() {
    let Some(rig) = WineRig::new(DPI) else { return };
    let _dialog = rig.wine.program("rundll32", &["shell32.dll,#61"]);
    rig.wine.await_window("Run");
    let wine = Arc::clone(&rig.wine);
    let made = rig.wine.drive_c().join("made/2026 juin");
    let by_then = made.clone();
    std::fs::write(rig.wine.drive_c().join("make.bat"), "mkdir \"C:\\made\\2026 juin\"\r\n").unwrap();
    let steps: Vec<Step> = vec![
        step(move |_| {
            find(&wine, |w| w.title == "Run" && w.foreground)?;
            type_text("C:\\make.bat\n", "I typed the name of the script that makes the folder.")
        }),
        step(move |_| if by_then.is_dir() { done("The folder is there.") } else { None }),
    ];
    rig.play("Make the folder C:\\made\\2026 juin", steps).ended_well(&rig);
    assert!(made.is_dir());
}

/// Clicks on a branch of the registry's tree and leaves by the menu; the editor then notes where it was.
fn registry(dpi: u32) {
    let Some(rig) = WineRig::new(dpi) else { return };
    let _regedit = rig.wine.program("regedit", &[]);
    rig.wine.await_window("Registry Editor");
    let wine = || Arc::clone(&rig.wine);
    let (w0, w1, w2, w3) = (wine(), wine(), wine(), wine());
    // Rows of 16 pixels at either scale: they are as high as their icons.
    let (x, y) = (rig.scaled(110), 12 + 3 * 16);
    let (bar_x, bar_y) = (rig.scaled(30), -rig.scaled(10));
    let steps = vec![
        step(move |l| {
            titled(&w0, "Registry Editor").and_then(|w| click(w.at(l, x, y), "I clicked HKEY_LOCAL_MACHINE."))
        }),
        step(move |l| {
            titled(&w1, "Registry Editor")
                .and_then(|w| click(w.at(l, bar_x, bar_y), "I opened the menu Registry."))
        }),
        step(move |l| menu(&w2).and_then(|m| click(m.part(l, 0.3, 0.87), "I chose Exit."))),
        step(
            move |_| {
                if titled(&w3, "Registry Editor").is_none() { done("The editor is closed.") } else { None }
            },
        ),
    ];
    rig.play("Go to HKEY_LOCAL_MACHINE and leave", steps).ended_well(&rig);
    let key = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Applets\Regedit";
    let mut query = rig.wine.command("reg");
    let said = query.args(["query", key, "/v", "LastKey"]).stdout(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("HKEY_LOCAL_MACHINE"), "{said}");
}

#[test]
fn the_registry_is_gone_through_by_clicks() {
    registry(DPI);
}

#[test]
fn the_registry_is_gone_through_by_clicks_at_150_percent() {
    registry(144);
}

#[test]
fn a_field_of_winemine_opens() {
    let Some(rig) = WineRig::new(DPI) else { return };
    let _mines = rig.wine.program("winemine", &[]);
    let (w0, w1) = (Arc::clone(&rig.wine), Arc::clone(&rig.wine));
    let [x, y, ..] = {
        rig.wine.await_window("WineMine");
        titled(&rig.wine, "WineMine").unwrap().client
    };
    // Nine fields of 16 pixels a side; this is the middle one.
    let (dx, dy) = (5 + 4 * 16 + 8, 182 - 5 - 4 * 16 - 8);
    let field = Patch::new((x + dx - 7) as u32, (y + dy - 7) as u32, 14, 14);
    handsight_testkit::wait::until("the field is drawn", handsight_testkit::wait::PATIENCE, || {
        (screen(&rig.x, field).colours().len() > 1).then_some(())
    });
    let before = screen(&rig.x, field);
    let steps = vec![
        step(move |l| {
            titled(&w0, "WineMine").and_then(|w| click(w.at(l, dx, dy), "I open the field in the middle."))
        }),
        step(move |_| titled(&w1, "WineMine").and_then(|_| done("The field is open."))),
    ];
    rig.play("Open a field", steps).ended_well(&rig);
    assert_ne!(screen(&rig.x, field), before, "the field looks as before");
}

// spec: S-01 WINE
#[test]
fn a_windows_desktop_gives_the_log_of_a_simulated_one() {
    let Some(rig) = WineRig::new(DPI) else { return };
    handsight_testkit::apps::paint_root(&rig.wine.x, [40, 60, 80]);
    let mut witness = rig.wine.win32();
    let client = ScreenRect::new(100, 100, 1000, 500);
    witness.open(Which::Main, client, 1, false);
    witness.forget();
    let server = one_run::server();
    let url = server.base_url();
    let args = ["run", "do it all", "--desktop", "windows", "--base-url", &url, "--out", "C:\\one"];
    let said = crate::handsight::run(rig.wine.handsight(&[&args[..], &BRISK].concat()), crate::rig::PATIENCE);
    said.ended(0);
    assert_eq!(one_run::log(&rig.wine.drive_c().join("one")), one_run::simulated());

    // It was real: the window got the click, the wheel and the keys.
    let events = witness.events();
    let count = |fits: fn(&What) -> bool| events.iter().filter(|seen| fits(&seen.what)).count();
    let clicks = count(|w| matches!(w, What::Button { button: Button::Left, down: true }));
    let units: i32 = events
        .iter()
        .map(|seen| match seen.what {
            What::Wheel { axis: Axis::Vertical, units } => units,
            _ => 0,
        })
        .sum();
    // The click at the edge is outside of the window.
    assert_eq!((clicks, units), (2, -240), "{events:?}");
    let text = witness.text(Which::Main);
    assert!(text.contains("Hello Wörld €\n"), "{text:?}");
    assert!(witness.held().is_nothing());
}

// spec: D-01 FAKE WINE
#[test]
fn plans_under_wine_give_the_log_of_a_simulated_desktop() {
    let Some(rig) = WineRig::new(DPI) else { return };
    handsight_testkit::apps::paint_root(&rig.wine.x, [40, 60, 80]);
    let mut witness = rig.wine.win32();
    witness.open(Which::Main, ScreenRect::new(100, 100, 1000, 500), 1, false);
    witness.forget();
    let server = one_run::plans();
    let url = server.base_url();
    let args = ["run", "--desktop", "windows", "--base-url", &url, "--out", "C:\\one"];
    let args = [&args[..], &one_run::PLANS, &BRISK].concat();
    crate::handsight::run(rig.wine.handsight(&args), crate::rig::PATIENCE).ended(0);
    assert_eq!(one_run::log(&rig.wine.drive_c().join("one")), one_run::plans_simulated());
    let events = witness.events();
    let downs = |wanted| {
        let is = |seen: &&handsight_testkit::witness_protocol::Seen| matches!(seen.what, What::Button { button, down: true } if button == wanted);
        events.iter().filter(is).count()
    };
    assert_eq!((downs(Button::Left), downs(Button::Right)), (1, 2), "{events:?}");
    assert!(witness.held().is_nothing());
}

#[test]
fn the_demo_passes_in_the_windows_program() {
    let Some(rig) = WineRig::new(DPI) else { return };
    let said = crate::handsight::run(rig.wine.handsight(&["demo", "--json", "--out", "C:\\demo"]), DEMO);
    let told = said.ended(0).json();
    let tasks = told["tasks"].as_array().unwrap();
    assert_eq!((tasks.len(), &told["verified"]), (16, &serde_json::Value::Bool(true)), "{told}");
    assert!(tasks.iter().all(|task| task["verified"] == true), "{told}");
    // Its runs are where Windows programs keep theirs.
    let runs = std::fs::read_dir(rig.wine.drive_c().join("demo")).unwrap();
    assert!(runs.count() >= 16);
}
