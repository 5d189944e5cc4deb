//! Tasks for the keyboard. That a key was pressed is checked by what was seen.

use super::notes::{editor_of, open_changed};
use super::reach::{LOST, Reach};
use super::{FILE_NAMES, LINES, Task, Wanted, chord, clutter, one, some};
use crate::desk::Desk;
use crate::desk::words::Words;
use crate::random::Random;
use crate::task::Hand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A text that is open gets saved, or replaced by another and saved.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SaveByKeys {
    path: String,
    before: String,
    after: String,
    /// It is to be typed in place of what is there.
    types: bool,
}

impl SaveByKeys {
    fn draw(random: &mut Random, types: bool) -> Box<dyn Task> {
        let lines = some(random, LINES, 2);
        Box::new(Self {
            path: format!("/Documents/{}.txt", one(random, FILE_NAMES)),
            before: lines[0].to_owned(),
            after: lines[1].to_owned(),
            types,
        })
    }

    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(random, false)
    }

    pub(super) fn plan_replace(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(random, true)
    }
}

impl Task for SaveByKeys {
    fn objective(&self, words: &Words) -> String {
        let title = format!("{} - {}", crate::desk::files::name(&self.path), words.program("editor"));
        if self.types {
            return format!(
                "In the window \"{title}\", select the whole text with Ctrl+A, type \"{}\", and save it with Ctrl+S.",
                self.after
            );
        }
        format!("Save the text of the window \"*{title}\" with Ctrl+S.")
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 1);
        let _written = desk.change_files(|files| files.write(&self.path, self.before.clone()));
        let text = if self.types { &self.before } else { &self.after };
        let _window = open_changed(desk, &self.path, text);
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::file(&self.path, &self.after)
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        let pressed = |key: &str| desk.seen().any(|s| s.what == format!("key {key}"));
        if pressed("s") && (!self.types || pressed("a")) {
            Ok(())
        } else {
            Err("the keys were not used".to_owned())
        }
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let Some(editor) = editor_of(reach.desk, &self.path) else { return LOST };
        let Some(ui) = reach.ui(editor) else { return LOST };
        if reach.desk.core.active != Some(editor) {
            return reach.press(editor, "text");
        }
        if ui.text("text") == self.after {
            return chord("ctrl+s");
        }
        let all = ui.states().get("text").is_some_and(|s| s.edit.selected() == ui.text("text"));
        if all { Hand::Type(self.after.clone()) } else { chord("ctrl+a") }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// A note is written and saved without the mouse.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NoteByKeys {
    text: String,
    name: String,
}

impl NoteByKeys {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Box::new(Self { text: one(random, LINES), name: format!("{}.txt", one(random, FILE_NAMES)) })
    }
}

impl Task for NoteByKeys {
    fn objective(&self, words: &Words) -> String {
        format!(
            "With the keyboard alone, open \"{}\" with Super+R, type \"{}\", and save it as \"{}\" with Ctrl+S.",
            words.program("editor"),
            self.text,
            self.name
        )
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 2);
    }

    fn wanted(&self, desk: &Desk) -> Wanted {
        super::notes::new_file(desk, &self.name, &self.text)
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        let mouse = desk.seen().any(|s| s.what.contains(" press at "));
        if mouse { Err("the mouse was used".to_owned()) } else { Ok(()) }
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let Some(editor) = reach.top("editor").map(|f| f.id) else {
            return match reach.top("run").and_then(|run| reach.ui(run.id)) {
                Some(ui) if ui.text("command").is_empty() => Hand::Type("editor".to_owned()),
                Some(_) => chord("Enter"),
                None => chord("super+r"),
            };
        };
        let text =
            |window: u64, id: &str| reach.ui(window).map(|ui| ui.text(id).to_owned()).unwrap_or_default();
        match reach.dialog(editor, "file dialog") {
            Some(dialog) if text(dialog, "name") == self.name => chord("Enter"),
            Some(_) => Hand::Type(self.name.clone()),
            None if text(editor, "text") == self.text => chord("ctrl+s"),
            None => Hand::Type(self.text.clone()),
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
