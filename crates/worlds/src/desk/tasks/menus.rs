//! Tasks with menus: of a menu bar, and of the right button.

use super::files::{LIST, add_files, at_folder, editor_shows, row_of};
use super::notes::open_changed;
use super::reach::{LOST, Reach};
use super::{FILE_NAMES, LINES, Task, Wanted, clutter, one, some};
use crate::desk::Desk;
use crate::desk::files::{join, name};
use crate::desk::popup::Target;
use crate::desk::words::Words;
use crate::random::Random;
use crate::task::Hand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// All of a text is selected by the menu bar.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SelectAll {
    path: String,
    text: String,
    window: u64,
    title: String,
}

impl SelectAll {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Box::new(Self {
            path: format!("/Documents/{}.txt", one(random, FILE_NAMES)),
            text: some(random, LINES, 4).join("\n"),
            window: 0,
            title: String::new(),
        })
    }
}

impl Task for SelectAll {
    fn objective(&self, words: &Words) -> String {
        let (item, menu) = (words.get("select all"), words.get("edit"));
        format!("In the window \"{}\", choose \"{item}\" in the menu \"{menu}\".", self.title)
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 2);
        let _written = desk.change_files(|files| files.write(&self.path, self.text.clone()));
        self.window = open_changed(desk, &self.path, &self.text);
        self.title = super::windows::title(desk, self.window);
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        let ui = desk.ui(self.window).ok_or("the window was closed")?;
        let selected = ui.states().get("text").map_or("", |s| s.edit.selected());
        if selected == self.text { Ok(()) } else { Err(format!("{selected:?} is selected")) }
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        reach.menu(self.window, "select all")
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// A file of a list that is open is opened or renamed by the menu of the right button.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FileMenu {
    names: Vec<String>,
    /// Its new name; else it is opened.
    to: Option<String>,
    text: String,
    window: u64,
}

impl FileMenu {
    fn draw(random: &mut Random, renames: bool) -> Box<dyn Task> {
        let names = some(random, FILE_NAMES, 3);
        let to = renames.then(|| format!("{}-{}.txt", names[2], random.range(2, 99)));
        let names = names[..2].iter().map(|name| (*name).to_owned()).collect();
        Box::new(Self { names, to, text: String::new(), window: 0 })
    }

    pub(super) fn plan_open(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(random, false)
    }

    pub(super) fn plan_rename(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(random, true)
    }

    fn path(&self) -> String {
        format!("/Documents/{}.txt", self.names[0])
    }

    const fn item(&self) -> &'static str {
        if self.to.is_some() { "rename" } else { "open" }
    }
}

impl Task for FileMenu {
    fn objective(&self, words: &Words) -> String {
        let path = self.path();
        let item = words.get(self.item());
        let chosen = format!("Choose \"{item}\" in the menu of the file \"{}\"", name(&path));
        match &self.to {
            Some(to) => format!("{chosen}, and give it the name \"{to}\"."),
            None => format!("{chosen}."),
        }
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 1);
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let _paths = add_files(desk, random, "/Documents", &names);
        self.text = desk.files().read(&self.path()).unwrap_or_default().to_owned();
        self.window = desk.open_program("files", &["/Documents".to_owned()]).unwrap_or_default();
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        let Some(to) = &self.to else { return Wanted::default() };
        Wanted::file(join("/Documents", to), &self.text).and_file(self.path(), None)
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        if self.to.is_none() {
            editor_shows(desk, &self.path())?;
        }
        let chosen = format!("choose {}", self.item());
        if desk.seen().any(|s| s.what == chosen) { Ok(()) } else { Err("the menu was not used".to_owned()) }
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        if let (Some(dialog), Some(to)) = (reach.dialog(self.window, "prompt"), &self.to) {
            return reach.fill(dialog, "text", to).unwrap_or_else(|| reach.press(dialog, "ok"));
        }
        let window = match at_folder(reach, "/Documents", false) {
            Ok(window) => window,
            Err(hand) => return hand,
        };
        let row = row_of(reach, window, name(&self.path()));
        let place = row.ok_or(LOST).and_then(|row| reach.row_place(window, LIST, row));
        reach.context(&Target::Window(window), self.item(), place)
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
