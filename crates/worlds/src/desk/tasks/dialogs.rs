//! Tasks in the dialogs that ask for a file or a name.

use super::files::{at_folder, selected_then};
use super::notes::{new_file, open_changed, save_as};
use super::reach::{LOST, Reach};
use super::{FILE_NAMES, LINES, Task, Wanted, clutter, one, some};
use crate::desk::Desk;
use crate::desk::files::{join, name};
use crate::desk::ui::Event;
use crate::desk::words::Words;
use crate::random::Random;
use crate::task::Hand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const DOCUMENTS: &str = "/Documents";

/// A file is picked in the dialog that is open.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PickFile {
    paths: Vec<String>,
    window: u64,
}

impl PickFile {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let paths =
            some(random, FILE_NAMES, 2).into_iter().map(|name| join(DOCUMENTS, &format!("{name}.txt")));
        Box::new(Self { paths: paths.collect(), window: 0 })
    }
}

impl Task for PickFile {
    fn objective(&self, words: &Words) -> String {
        format!("Select \"{}\" and press \"{}\".", name(&self.paths[0]), words.get("open"))
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 1);
        for path in &self.paths {
            let text = one(random, LINES);
            let _written = desk.change_files(|files| files.write(path, text));
        }
        self.window = desk.open_program("editor", &[]).unwrap_or_default();
        desk.send(self.window, &Event::Press("open".to_owned()));
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        let open = &desk.model(self.window)["path"];
        if *open == *self.paths[0] { Ok(()) } else { Err(format!("the editor holds {open}")) }
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let Some(dialog) = reach.dialog(self.window, "file dialog") else {
            return reach.menu(self.window, "open");
        };
        let row = super::files::row_of(reach, dialog, name(&self.paths[0]));
        row.map_or(LOST, |row| selected_then(reach, dialog, row, "ok"))
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// A new text gets a name: in the dialog that is open, or over a file of that name.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NameText {
    text: String,
    name: String,
    window: u64,
    /// There is a file of that name, which is to go.
    replaces: bool,
}

impl NameText {
    fn draw(random: &mut Random, replaces: bool) -> Box<dyn Task> {
        let name = format!("{}-{}.txt", one(random, FILE_NAMES), random.range(2, 99));
        Box::new(Self { text: one(random, LINES), name, window: 0, replaces })
    }

    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(random, false)
    }

    pub(super) fn plan_replace(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(random, true)
    }
}

impl Task for NameText {
    fn objective(&self, words: &Words) -> String {
        let save = format!("Save the text as \"{}\"", self.name);
        if self.replaces {
            return format!("{save}, and answer the question about it with \"{}\".", words.get("yes"));
        }
        format!("{save}.")
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 1);
        if self.replaces {
            let text = one(random, &["old", "not needed any more", "a first try"]);
            let _written = desk.change_files(|files| files.write(&join(DOCUMENTS, &self.name), text));
        }
        self.window = open_changed(desk, "", &self.text);
        if !self.replaces {
            desk.send(self.window, &Event::Press("save as".to_owned()));
        }
    }

    fn wanted(&self, desk: &Desk) -> Wanted {
        if self.replaces {
            return Wanted::file(join(DOCUMENTS, &self.name), &self.text);
        }
        new_file(desk, &self.name, &self.text)
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let question = reach.dialog(self.window, "file dialog").and_then(|d| reach.dialog(d, "message"));
        question
            .map_or_else(|| save_as(reach, self.window, &self.name), |question| reach.press(question, "yes"))
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NewFolder {
    name: String,
}

impl NewFolder {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let names =
            ["Taxes", "Holiday", "Recipes", "Archive", "Photos 2023", "Contracts", "Music", "Old plans"];
        Box::new(Self { name: one(random, &names) })
    }
}

impl Task for NewFolder {
    fn objective(&self, _: &Words) -> String {
        format!("Make the folder \"{}\" in the folder \"Documents\".", self.name)
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 1);
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::default().and_folder(join(DOCUMENTS, &self.name))
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        match reach.top("files").and_then(|f| reach.dialog(f.id, "prompt")) {
            Some(dialog) => {
                reach.fill(dialog, "text", &self.name).unwrap_or_else(|| reach.press(dialog, "ok"))
            }
            None => at_folder(reach, DOCUMENTS, false)
                .map_or_else(|hand| hand, |window| reach.press(window, "new folder")),
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
