//! One task across two programs: a result goes from the calculator through the clipboard into the editor and to a file.
//!
//! The windows lie where the test put them, the notes of the model are as long as a model's are, and the pictures of this run are
//! those a reader is shown.

use crate::real_input_player::{choose, click, done_when, open_menu, step, type_text};
use crate::real_input_programs::save_as;
use crate::real_input_rig::{BRISK, Rig};
use handsight_testkit::apps;
use handsight_testkit::need::need;

// spec: S-28 S-29 S-31 S-35 XVFB
// spec: S-47 S-63 S-65 FAKE
#[test]
fn a_result_travels_from_the_calculator_into_a_saved_note() {
    let Some(mut rig) = Rig::new("desk") else { return };
    if !(need("xdotool", "xdotool") && need("xsetroot", "x11-xserver-utils")) {
        return;
    }
    apps::paint_root(&rig.x, [52, 73, 94]);
    let (Some(_editor), Some(_calculator)) = (apps::mousepad(&rig.x), apps::galculator(&rig.x)) else {
        return;
    };
    rig.put("- Mousepad", (80, 130));
    rig.put("galculator", (860, 200));
    let file = rig.x.home().join("réponse.txt");
    let steps = vec![
        step(|l| {
            let note = "The desktop shows an empty page of Mousepad on the left and galculator on the right.\n\
                        I clicked the display of galculator, so that what I type goes there.\n\
                        Next: type the calculation.";
            l.window("galculator").and_then(|w| click(l.inside(&w, 120, 45), note))
        }),
        // galculator flashes a button for a quarter of a second and takes no second press of it meanwhile, so nobody can type
        // 12*12= in one go.
        step(|l| {
            let note =
                "galculator has the focus. I typed 12*.\nExpected: 12 in its display.\nNext: type 12=.";
            l.active("galculator").and_then(|_| type_text("12*", note))
        }),
        step(|_| {
            let note = "I typed 12= after 12*.\n\
                        Expected: 144 in the display.\n\
                        Next: the menu Edit, Copy Display Value.";
            type_text("12=", note)
        }),
        open_menu(
            "galculator",
            60,
            "The display shows 144. I opened the menu Edit.\nNext: Copy Display Value.",
        ),
        choose("galculator", 1, 4, "Copied 144 to the clipboard.\nNext: click into the page of Mousepad."),
        step(|l| {
            let note = "144 is in the clipboard. I clicked into the empty page.\nNext: write the sentence.";
            l.window("- Mousepad").and_then(|w| click(l.inside(&w, 250, 250), note))
        }),
        step(|l| {
            let note = "The page has the focus. I wrote both lines up to the equals sign.\n\
                        Expected: the cursor stands behind “12 × 12 = ”.\n\
                        Next: the menu Edit, Paste.";
            l.active("- Mousepad").and_then(|_| type_text("Für Zoé: déjà vérifié 😀\n12 × 12 = ", note))
        }),
        step(|l| {
            l.window("*").and_then(|w| click(l.inside(&w, 58, 12), "I opened the menu Edit.\nNext: Paste."))
        }),
        choose("Mousepad", 4, 10, "Pasted 144 behind the equals sign.\nNext: File, Save As."),
        open_menu("*", 20, "The page reads 12 × 12 = 144. I opened the menu File.\nNext: Save As."),
        choose("Mousepad", 6, 10, "The dialog Save As should open now."),
    ];
    let steps =
        steps.into_iter().chain(save_as(&file)).chain([done_when(file.clone(), "The note is saved.")]);
    let task = "Work out 12 × 12 with galculator, paste the result into the note and save it as réponse.txt";
    let played = rig.play("run", BRISK, task, steps.collect());
    played.ended_well(&mut rig);
    assert_eq!(std::fs::read_to_string(file).unwrap(), "Für Zoé: déjà vérifié 😀\n12 × 12 = 144");
    assert_eq!(apps::clipboard(&rig.x), "144");
}
