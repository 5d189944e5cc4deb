//! Sentences of tasks and the steps they are read as.

use super::*;
use crate::mind::words::{COPY, DELETE, EDIT, NEW_FOLDER, PASTE, RENAME, SELECT_ALL};

fn s(text: &str) -> String {
    text.to_owned()
}

#[test]
fn tasks_become_steps() {
    let cases: &[(&str, Vec<Step>)] = &[
        (
            r#"Open "Notepad", type "Call, Tom. Now", and save it as "a.txt"."#,
            vec![Step::Program(s("Notepad")), Step::Type(s("Call, Tom. Now")), Step::SaveAs(s("a.txt"))],
        ),
        (
            r#"Open the file "a.txt" in the folder "Documents", add the line "x" at its end, and save it."#,
            vec![Step::Path { path: s("/Documents/a.txt"), entry: None }, Step::AddLine(s("x")), Step::Save],
        ),
        (
            r#"Open "/Documents/a.txt" with "Execute"."#,
            vec![Step::Path { path: s("/Documents/a.txt"), entry: Some(s("Execute")) }],
        ),
        (
            r#"Delete the file "a.txt" in the folder "D"."#,
            vec![
                Step::Path { path: s("/D"), entry: None },
                Step::Row(s("a.txt")),
                Step::PressAny(DELETE),
                Step::Confirm(DELETE),
            ],
        ),
        (
            r#"Rename the file "a" in the folder "D" to "b"."#,
            vec![
                Step::Path { path: s("/D"), entry: None },
                Step::Row(s("a")),
                Step::PressAny(RENAME),
                Step::Prompt(s("b")),
            ],
        ),
        (
            r#"In "P" under "G", turn on "S" and turn off "T"."#,
            vec![
                Step::Program(s("P")),
                Step::Page(s("G")),
                Step::Turn { name: s("S"), on: true },
                Step::Turn { name: s("T"), on: false },
                Step::Apply,
            ],
        ),
        (
            r#"Open "F", fill in "L" with "V" and "M" with "W", choose "A" for "B" and "C" for "D", turn on "X" and "Y", and press "S"."#,
            vec![
                Step::Program(s("F")),
                Step::Fill { name: s("L"), value: s("V") },
                Step::Fill { name: s("M"), value: s("W") },
                Step::Choose { value: s("A"), name: s("B") },
                Step::Choose { value: s("C"), name: s("D") },
                Step::Turn { name: s("X"), on: true },
                Step::Turn { name: s("Y"), on: true },
                Step::Press(s("S")),
            ],
        ),
        (r#"Compute 12 × 34 with "Sums"."#, vec![Step::Program(s("Sums")), Step::Compute(s("12*34"))]),
        (
            r#"Answer the question about "a" with "B", the question about "c" with "D", and the question about "e" with "F"."#,
            vec![Step::Answer(vec![(s("a"), s("B")), (s("c"), s("D")), (s("e"), s("F"))])],
        ),
        (
            r#"Close the windows "A - B" and "C", and leave the others open."#,
            vec![
                Step::Close { title: s("A - B"), answer: None },
                Step::Close { title: s("C"), answer: None },
            ],
        ),
        (
            r#"Answer the question about "a" with "B". Close the windows "*c - W" and "d", and answer their questions with "E"."#,
            vec![
                Step::Answer(vec![(s("a"), s("B"))]),
                Step::Close { title: s("*c - W"), answer: Some(s("E")) },
                Step::Close { title: s("d"), answer: Some(s("E")) },
            ],
        ),
        (
            r#"Copy the text of the window "A" into the window "B", and save it."#,
            vec![
                Step::Front(s("A")),
                Step::Menu(EDIT, SELECT_ALL),
                Step::Menu(EDIT, COPY),
                Step::Front(s("B")),
                Step::Menu(EDIT, PASTE),
                Step::Save,
            ],
        ),
        (
            r#"Scroll the document to its end and press "I Agree"."#,
            vec![Step::ToEnd, Step::Press(s("I Agree"))],
        ),
        (
            r#"Open "E", type the "Door code" that "Memo" shows, and save it as "f.txt"."#,
            vec![
                Step::Program(s("E")),
                Step::TypeShown { label: s("Door code"), window: s("Memo") },
                Step::SaveAs(s("f.txt")),
            ],
        ),
        (
            r#"Bring the window "Order 1" to the front, turn on "Seen" and press "Reject"."#,
            vec![
                Step::Front(s("Order 1")),
                Step::Turn { name: s("Seen"), on: true },
                Step::Press(s("Reject")),
            ],
        ),
        (
            r#"In the window "Order 1", turn on "Seen" and press "Reject". In the window "Order 2", turn on "Seen" and press "Approve"."#,
            vec![
                Step::Front(s("Order 1")),
                Step::Turn { name: s("Seen"), on: true },
                Step::Press(s("Reject")),
                Step::Front(s("Order 2")),
                Step::Turn { name: s("Seen"), on: true },
                Step::Press(s("Approve")),
            ],
        ),
        (
            r#"In the window "a - W", choose "Mark All" in the menu "Edit"."#,
            vec![Step::Front(s("a - W")), Step::Item { menu: s("Edit"), item: s("Mark All") }],
        ),
        (
            r#"In "P", select "Paper Boats" and press "Play"."#,
            vec![Step::Program(s("P")), Step::Row(s("Paper Boats")), Step::Press(s("Play"))],
        ),
        (
            r#"Answer the message about a backup with "Skip". Answer the message about updates with "Later"."#,
            vec![Step::Messages(vec![(s("a backup"), s("Skip")), (s("updates"), s("Later"))])],
        ),
        (
            r#"Close the window "*a - W", and answer its question with "Save"."#,
            vec![Step::Close { title: s("*a - W"), answer: Some(s("Save")) }],
        ),
        (
            r#"Save the text as "a.txt", and answer the question about it with "Yes"."#,
            vec![Step::SaveAs(s("a.txt"))],
        ),
        (r#"Type "x" and save it."#, vec![Step::Type(s("x")), Step::Save]),
        (r#"Maximise the window "a - W"."#, vec![Step::Sized { title: s("a - W"), whole: true }]),
        (
            r#"Compute 12 × 34 with "Sums". Open "E", type the result, and save it as "a.txt"."#,
            vec![
                Step::Program(s("Sums")),
                Step::Compute(s("12*34")),
                Step::Program(s("E")),
                Step::Type(s("408")),
                Step::SaveAs(s("a.txt")),
            ],
        ),
        (
            r#"Make the folder "Taxes" in the folder "D"."#,
            vec![
                Step::Path { path: s("/D"), entry: None },
                Step::PressAny(NEW_FOLDER),
                Step::Prompt(s("Taxes")),
            ],
        ),
        ("Be good.", vec![]),
    ];
    become_steps(cases);
}

#[test]
fn a_way_that_is_prescribed_is_part_of_the_step() {
    let keys = |chord: &str| Step::Keys(s(chord));
    become_steps(&[
        (
            r#"Save the text of the window "*a - W" with Ctrl+S."#,
            vec![Step::Front(s("a - W")), keys("ctrl+s")],
        ),
        (
            r#"In the window "a - W", select the whole text with Ctrl+A, type "x", and save it with Ctrl+S."#,
            vec![Step::Front(s("a - W")), keys("ctrl+a"), Step::TypeThere(s("x")), keys("ctrl+s")],
        ),
        (
            r#"With the keyboard alone, open "E" with Super+R, type "x", and save it as "a.txt" with Ctrl+S."#,
            vec![
                keys("super+r"),
                Step::Command(s("E")),
                Step::TypeThere(s("x")),
                keys("ctrl+s"),
                Step::NameThere(s("a.txt")),
            ],
        ),
        (
            r#"Bring the window "a - W" to the front with Alt+Tab."#,
            vec![Step::FrontByKeys { title: s("a - W"), chord: s("alt+tab") }],
        ),
        (
            r#"Close the windows "A" and "B" with Alt+F4, and leave the others open."#,
            vec![
                Step::CloseByKeys { title: s("A"), chord: s("alt+f4") },
                Step::CloseByKeys { title: s("B"), chord: s("alt+f4") },
            ],
        ),
        (
            r#"Copy the text of the window "A" into the window "B" with Ctrl+A, Ctrl+C and Ctrl+V, and save it."#,
            vec![
                Step::Front(s("A")),
                keys("ctrl+a"),
                keys("ctrl+c"),
                Step::Front(s("B")),
                keys("ctrl+v"),
                Step::Save,
            ],
        ),
        (
            r#"Choose "Hide All" in the menu of the desktop."#,
            vec![Step::MenuOf { file: None, item: s("Hide All") }],
        ),
        (
            r#"Choose "Rename" in the menu of the file "a.txt", and give it the name "b.txt"."#,
            vec![Step::MenuOf { file: Some(s("a.txt")), item: s("Rename") }, Step::Prompt(s("b.txt"))],
        ),
        (r#"Open "P" by a double click on its icon."#, vec![Step::Icon(s("P"))]),
        (
            r#"Open the file "a" in the folder "D" by a double click."#,
            vec![Step::Path { path: s("/D"), entry: None }, Step::Twice(s("a"))],
        ),
        (
            r#"Move the file "a" in the folder "D" into the folder "E"."#,
            vec![Step::Path { path: s("/D"), entry: None }, Step::Carry { name: s("a"), to: s("E") }],
        ),
        (
            r#"Drag the file "a" from the window "W" into the window "X"."#,
            vec![Step::CarryOver { name: s("a"), from: s("W"), to: s("X") }],
        ),
        (
            r#"In "P", drag "Volume" to about 30."#,
            vec![Step::Program(s("P")), Step::Slide { name: s("Volume"), to: 30 }],
        ),
        (
            r#"Move the windows "W" and "X" to the other display."#,
            vec![Step::OtherDisplay(s("W")), Step::OtherDisplay(s("X"))],
        ),
    ]);
}

#[track_caller]
fn become_steps(cases: &[(&str, Vec<Step>)]) {
    for (text, steps) in cases {
        assert_eq!(read(text).steps, *steps, "{text}");
    }
}

#[test]
fn a_message_that_may_come_is_a_rule_and_no_step() {
    let task = read(r#"Open "E". If a message about a new device appears, answer it with "Not Now"."#);
    assert_eq!(task.steps.len(), 1);
    assert_eq!(task.message, Some((s("a new device"), s("Not Now"))));
}
