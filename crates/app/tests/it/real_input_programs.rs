//! A model works real programs to an end that the program itself vouches for: bytes in a file, a folder, the clipboard, a
//! line on standard output.

use crate::real_input_player::{
    Step, choose, click, done, done_when, observe, open_menu, scroll, step, type_text,
};
use crate::real_input_rig::{BRISK, Rig};
use handsight_testkit::apps::{self, Question, Terminal};
use handsight_testkit::need::need;
use handsight_testkit::picture::Picture;
use handsight_testkit::witness::What;
use std::path::{Path, PathBuf};

/// Two lines with accents, signs of the first planes and an emoji.
const NOTE: &str = "Añ€ – Zwölf Boxkämpfer jagen Viktor\nüber den Deich, ça va? Да. 😀";

/// In the dialog that `Save As` opens: types the path and presses Save.
pub(crate) fn save_as(file: &Path) -> [Step; 2] {
    let path = file.to_str().unwrap().to_owned();
    let typed = "The dialog Save As is open. I typed the whole path as the name.\nNext: the button Save.";
    [
        step(move |l| l.active("Save As").and_then(|_| type_text(&path, typed))),
        step(|l| {
            let note = "The name is there. I pressed Save.\nExpected: the dialog closes.";
            l.window("Save As").and_then(|w| click(l.inside(&w, -50, -27), note))
        }),
    ]
}

// spec: S-28 S-29 S-31 S-35 XVFB
// spec: S-47 S-63 S-65 FAKE
#[test]
fn a_note_with_accents_and_an_emoji_is_written_in_mousepad_and_saved() {
    let Some(mut rig) = Rig::new("mousepad") else { return };
    let Some(_editor) = apps::mousepad(&rig.x) else { return };
    let file = rig.x.home().join("notes-é.txt");
    let steps = vec![
        step(|l| {
            l.window("- Mousepad").and_then(|w| click(l.inside(&w, 200, 200), "I click into the empty page."))
        }),
        step(|l| {
            l.active("- Mousepad")
                .and_then(|_| type_text(NOTE, "I wrote the two lines. Next: File, Save As."))
        }),
        // A star in the title: the page was changed.
        open_menu("*", 20, "Both lines are on the page. I opened the menu File.\nNext: Save As."),
        choose("Mousepad", 6, 10, "The menu is open; I chose Save As."),
    ];
    let steps = steps.into_iter().chain(save_as(&file));
    let steps = steps.chain([done_when(file.clone(), "Both lines are saved in notes-é.txt.")]).collect();
    let played = rig.play("run", BRISK, "Write the two lines and save them as notes-é.txt", steps);
    played.ended_well(&mut rig);
    assert_eq!(std::fs::read_to_string(file).unwrap(), NOTE);
}

// spec: S-29 S-30 S-36 XVFB
#[test]
fn a_folder_is_made_in_xterm_and_its_wheel_turns() {
    let Some(mut rig) = Rig::new("xterm") else { return };
    let folder = rig.place("work");
    let terminal = Terminal {
        title: "terminal",
        page: [32, 56, 88],
        columns: 90,
        rows: 24,
        at: (180, 140),
        folder: &folder,
    };
    let Some(_terminal) = apps::xterm(&rig.x, &terminal) else { return };
    // The terminal itself reports each turn of the wheel: 64 is up, 65 is down.
    let listen = r"printf '\033[?1000h\033[?1006h'; stty -icanon -echo; touch ready; cat >wheel";
    let (made, ready, wheel) = (folder.join("Übungen/2026 juin"), folder.join("ready"), folder.join("wheel"));
    let (made_by_then, wheel_by_then) = (made.clone(), wheel.clone());
    let turned = move |n: usize| move |log: &PathBuf| reports(log) >= n;
    let steps = vec![
        step(|l| {
            l.window("terminal").and_then(|w| click(l.inside(&w, 300, 200), "I click into the terminal."))
        }),
        step(|l| {
            let command = "mkdir -p 'Übungen/2026 juin' && seq 1 200\n";
            l.active("terminal")
                .and_then(|_| type_text(command, "I typed the command that makes the folder."))
        }),
        step(move |_| {
            if made_by_then.is_dir() {
                type_text(&format!("clear; {listen}\n"), "Now the wheel.")
            } else {
                None
            }
        }),
        step(
            move |_| if ready.is_file() { scroll(240, "I turned the wheel up by two ticks.") } else { None },
        ),
        step(|_| scroll(-120, "I turned it down by one.")),
        step(|_| scroll(0, "Nothing should turn now.")),
        step(|_| scroll(-1, "The smallest turn is one tick.")),
        step(
            move |_| {
                if turned(4)(&wheel_by_then) { done("The folder is there; the wheel turned.") } else { None }
            },
        ),
    ];
    rig.witness.watch_everything();
    let played = rig.play("run", BRISK, "Make the folder Übungen/2026 juin", steps);
    played.ended_well(&mut rig);
    assert!(made.is_dir());
    let codes: Vec<String> = report_codes(&wheel);
    assert_eq!(codes, ["64", "64", "65", "65"]);
    // The X server saw the same notches and one click, and no motion after it: the wheel turns where the pointer is.
    let events = rig.witness.events();
    let clicked = events.iter().rposition(|e| e.what == What::Button { button: 1, down: false }).unwrap();
    assert!(events[clicked..].iter().all(|e| e.what != What::Motion), "{events:?}");
    let notches: Vec<What> = events[clicked..]
        .iter()
        .map(|e| e.what)
        .filter(|w| matches!(w, What::Button { button: 4..=7, .. }))
        .collect();
    let notch = |button| [What::Button { button, down: true }, What::Button { button, down: false }];
    assert_eq!(notches, [notch(4), notch(4), notch(5), notch(5)].concat());
}

/// The button codes of xterm's reports `ESC [ < code ; column ; row M`.
fn report_codes(log: &PathBuf) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.split("\x1b[<").skip(1).filter_map(|r| r.split(';').next().map(str::to_owned)).collect()
}

fn reports(log: &PathBuf) -> usize {
    report_codes(log).len()
}

#[test]
fn scrolled_back_xterm_shows_what_was_and_scrolled_forth_what_is() {
    let Some(mut rig) = Rig::new("xterm-scrollback") else { return };
    let folder = rig.place("work");
    let page = [24, 64, 40];
    let terminal =
        Terminal { title: "terminal", page, columns: 80, rows: 20, at: (300, 150), folder: &folder };
    let Some(_terminal) = apps::xterm(&rig.x, &terminal) else { return };
    let counted = folder.join("counted");
    let steps = vec![
        step(|l| l.window("terminal").and_then(|w| click(l.inside(&w, 300, 200), "Into the terminal."))),
        step(|l| l.active("terminal").and_then(|_| type_text("seq 1 300; touch counted\n", "I count."))),
        step(move |_| if counted.exists() { observe("I look at the end of the list.") } else { None }),
        step(|_| scroll(1200, "I look at the end of the list.")),
        step(|_| scroll(-1200, "I look at the end of the list.")),
        step(|_| done("I saw earlier lines and the end again.")),
    ];
    let played = rig.play("run", BRISK, "Look at the list", steps);
    played.ended_well(&mut rig);
    let n = played.requests.len();
    let inside = played.last_picture().patch(page).unwrap();
    // One tick moves xterm by five lines. The same HUD is on all three.
    let [end, earlier, again] = [n - 3, n - 2, n - 1].map(|i| played.picture(i).part(inside));
    assert_eq!(end.difference(&again), None);
    let lines = |p: &Picture| p.lines_of_text(p.whole()).len();
    assert!(end.difference(&earlier).is_some_and(|d| d.height * 2 > inside.height), "the list did not move");
    assert!(lines(&earlier) >= lines(&end), "{} lines of text, {} before", lines(&earlier), lines(&end));
}

#[test]
fn galculator_multiplies_and_its_menu_copies() {
    let Some(mut rig) = Rig::new("galculator") else { return };
    if !need("xclip", "xclip") {
        return;
    }
    let Some(_calculator) = apps::galculator(&rig.x) else { return };
    // The keypad's lower right corner does not move: five columns of 65, rows of 40 pixels.
    let key = |column: i32, row: i32, reason: &'static str| {
        step(move |l| {
            l.active("galculator").and_then(|w| click(l.inside(&w, 35 + 65 * column, -24 - 40 * row), reason))
        })
    };
    let steps = vec![
        key(0, 1, "I pressed 1."),
        key(1, 1, "I pressed 2; the display shows 12."),
        key(3, 2, "I pressed times."),
        step(|l| {
            l.active("galculator").and_then(|_| type_text("12=", "I typed 12=. The display should show 144."))
        }),
        open_menu("galculator", 60, "144. I opened the menu Edit."),
        choose("galculator", 1, 4, "I chose Copy Display Value."),
        step(|l| if l.menu("galculator").is_none() { done("144 is in the clipboard.") } else { None }),
    ];
    let played = rig.play("run", BRISK, "Work out 12*12 and copy the result", steps);
    played.ended_well(&mut rig);
    assert_eq!(apps::clipboard(&rig.x), "144");
}

#[test]
fn a_question_of_zenity_is_answered() {
    let Some(mut rig) = Rig::new("zenity") else { return };
    let Some(mut question) = Question::ask(&rig.x, "Question", "What is the capital of Curaçao?") else {
        return;
    };
    let steps = vec![
        step(|l| l.active("Question").and_then(|w| click(l.inside(&w, 60, -66), "I click into the field."))),
        step(|_| type_text("Willemstad – Ñandú 😀", "I wrote the answer. Next: OK.")),
        step(|l| l.active("Question").and_then(|w| click(l.inside(&w, -51, -25), "I pressed OK."))),
        step(|l| if l.window("Question").is_none() { done("The dialog took the answer.") } else { None }),
    ];
    let played = rig.play("run", BRISK, "Answer the question", steps);
    played.ended_well(&mut rig);
    assert_eq!(question.answer(), "Willemstad – Ñandú 😀\n");
}
