//! Tasks about files: found, opened, renamed, deleted, moved.

use super::notes::editor_of;
use super::reach::{LOST, Reach};
use super::{FILE_NAMES, LINES, Task, Wanted, clutter, one, some};
use crate::desk::Desk;
use crate::desk::files::{join, name, parent};
use crate::desk::ui::node::Kind;
use crate::desk::words::Words;
use crate::random::Random;
use crate::task::Hand;
use handsight_base::space::{ScreenRect, Size};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(super) const LIST: &str = "files";

/// The row of a list that shows this name first.
pub(super) fn row_of(reach: &Reach<'_>, window: u64, wanted: &str) -> Option<usize> {
    let list = reach.ui(window)?.placed().iter().find(|p| p.id == LIST)?;
    match &list.kind {
        Kind::List { items, .. } => items.iter().position(|i| i.cells.first().is_some_and(|c| c == wanted)),
        _ => None,
    }
}

/// The folder that a file list shows.
fn folder_of(reach: &Reach<'_>, window: u64) -> String {
    reach.desk.model(window)["folder"].as_str().unwrap_or_default().to_owned()
}

/// The next step to a file list that shows a folder; its window once it does.
pub(super) fn at_folder(reach: &Reach<'_>, folder: &str, by_double_click: bool) -> Result<u64, Hand> {
    let window = reach.top("files").map(|f| f.id).ok_or_else(|| reach.start("files"))?;
    let here = folder_of(reach, window);
    if here == folder {
        return Ok(window);
    }
    let inner = if here == "/" { "/".to_owned() } else { format!("{here}/") };
    let Some(next) = folder.strip_prefix(&inner).and_then(|rest| rest.split('/').next()) else {
        return Err(reach.press(window, "up"));
    };
    let row = row_of(reach, window, next).ok_or(LOST)?;
    Err(if by_double_click { double(reach, window, row) } else { selected_then(reach, window, row, "open") })
}

fn double(reach: &Reach<'_>, window: u64, row: usize) -> Hand {
    reach.row_place(window, LIST, row).map_or_else(|hand| hand, Hand::DoubleClick)
}

/// Selects a row, then presses a button.
pub(super) fn selected_then(reach: &Reach<'_>, window: u64, row: usize, button: &str) -> Hand {
    if reach.ui(window).and_then(|ui| ui.selected(LIST)) == Some(row) {
        reach.press(window, button)
    } else {
        reach.row(window, LIST, row)
    }
}

/// The next step with a button of the file list on a file.
fn act(reach: &Reach<'_>, path: &str, button: &str) -> Hand {
    match at_folder(reach, parent(path), false) {
        Ok(window) => {
            row_of(reach, window, name(path)).map_or(LOST, |row| selected_then(reach, window, row, button))
        }
        Err(hand) => hand,
    }
}

/// The next step to opening a file from the file list.
pub(super) fn open(reach: &Reach<'_>, path: &str) -> Hand {
    act(reach, path, "open")
}

/// Some files more in a folder. The names.
pub(super) fn add_files(desk: &mut Desk, random: &mut Random, folder: &str, names: &[&str]) -> Vec<String> {
    let add = |name: &&str| {
        let path = join(folder, &format!("{name}.txt"));
        let text = one(random, LINES);
        let _written = desk.change_files(|files| files.write(&path, text));
        path
    };
    names.iter().map(add).collect()
}

fn says(path: &str) -> String {
    format!("the file \"{}\" in the folder \"{}\"", name(path), name(parent(path)))
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Delete {
    names: Vec<String>,
    path: String,
    /// Its list is in front.
    shown: bool,
}

fn many(random: &mut Random) -> (Vec<String>, String) {
    let count = 4 + random.below(5);
    let names = some(random, FILE_NAMES, count);
    let path = format!("/Documents/{}.txt", names[0]);
    (names.into_iter().map(str::to_owned).collect(), path)
}

/// Opens the list of the documents.
fn show_documents(desk: &mut Desk) {
    let _window = desk.open_program("files", &["/Documents".to_owned()]);
}

fn stage_many(names: &[String], desk: &mut Desk, random: &mut Random) {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let _paths = add_files(desk, random, "/Documents", &names);
    clutter(desk, random, 1);
}

impl Delete {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let (names, path) = many(random);
        Box::new(Self { names, path, shown: false })
    }

    pub(super) fn plan_shown(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let (mut names, path) = many(random);
        // So few that all are in sight.
        names.truncate(3);
        Box::new(Self { names, path, shown: true })
    }
}

impl Task for Delete {
    fn objective(&self, _: &Words) -> String {
        format!("Delete {}.", says(&self.path))
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        stage_many(&self.names, desk, random);
        if self.shown {
            show_documents(desk);
        }
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::default().and_file(&self.path, None)
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        match reach.top("files").and_then(|f| reach.dialog(f.id, "message")) {
            Some(dialog) => reach.press(dialog, "yes"),
            None => act(reach, &self.path, "delete"),
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Rename {
    names: Vec<String>,
    path: String,
    to: String,
    text: String,
}

impl Rename {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let (names, path) = many(random);
        let free: Vec<&str> = FILE_NAMES.iter().copied().filter(|n| !names.iter().any(|m| m == n)).collect();
        let to = format!("{}-{}.txt", one(random, &free), random.range(2, 99));
        Box::new(Self { names, path, to, text: String::new() })
    }
}

impl Task for Rename {
    fn objective(&self, _: &Words) -> String {
        format!("Rename {} to \"{}\".", says(&self.path), self.to)
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        stage_many(&self.names, desk, random);
        self.text = desk.files().read(&self.path).unwrap_or_default().to_owned();
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        let to = join(parent(&self.path), &self.to);
        Wanted::default().and_file(&self.path, None).and_file(to, Some(self.text.clone()))
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        match reach.top("files").and_then(|f| reach.dialog(f.id, "prompt")) {
            Some(dialog) => reach.fill(dialog, "text", &self.to).unwrap_or_else(|| reach.press(dialog, "ok")),
            None => act(reach, &self.path, "rename"),
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RunPath {
    path: String,
}

impl RunPath {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let folder = one(random, &["Projects", "Archive", "Office", "School"]);
        Box::new(Self { path: format!("/{folder}/{}.txt", one(random, FILE_NAMES)) })
    }
}

impl Task for RunPath {
    fn objective(&self, words: &Words) -> String {
        format!("Open \"{}\" with \"{}\".", self.path, words.get("run"))
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        let text = one(random, LINES);
        desk.change_files(|files| {
            let _made = files.make_folder(parent(&self.path));
            let _written = files.write(&self.path, text);
        });
        clutter(desk, random, 1);
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        opened(desk, &self.path, |what| what.starts_with("run#") && what.ends_with(" press ok"))
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        match reach.top("run").map(|f| f.id) {
            Some(run) => reach.fill(run, "command", &self.path).unwrap_or_else(|| reach.press(run, "ok")),
            None => reach.start("run"),
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Move {
    path: String,
    text: String,
    folder: String,
    /// Its list is in front.
    shown: bool,
}

impl Move {
    fn draw(random: &mut Random, shown: bool) -> Box<dyn Task> {
        let name = one(random, FILE_NAMES);
        Box::new(Self {
            path: format!("/Documents/{name}.txt"),
            text: one(random, LINES),
            folder: "/Documents/Letters".to_owned(),
            shown,
        })
    }

    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(random, false)
    }

    pub(super) fn plan_shown(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(random, true)
    }
}

impl Task for Move {
    fn objective(&self, _: &Words) -> String {
        format!("Move {} into the folder \"{}\".", says(&self.path), name(&self.folder))
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        let _written = desk.change_files(|files| files.write(&self.path, self.text.clone()));
        clutter(desk, random, 1);
        if self.shown {
            show_documents(desk);
        }
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        let to = join(&self.folder, name(&self.path));
        Wanted::file(to, &self.text).and_file(&self.path, None)
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let window = match at_folder(reach, parent(&self.path), false) {
            Ok(window) => window,
            Err(hand) => return hand,
        };
        let rows = row_of(reach, window, name(&self.path)).zip(row_of(reach, window, name(&self.folder)));
        let Some((file, folder)) = rows else { return LOST };
        match (reach.row_place(window, LIST, file), reach.row_place(window, LIST, folder)) {
            (Ok(from), Ok(to)) => Hand::Drag(from, to),
            (Err(hand), _) | (_, Err(hand)) => hand,
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// A file is dragged from one list into another.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Carry {
    path: String,
    text: String,
    from: u64,
    to: u64,
    titles: [String; 2],
}

impl Carry {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let path = format!("/Documents/{}.txt", one(random, FILE_NAMES));
        Box::new(Self { path, text: one(random, LINES), from: 0, to: 0, titles: Default::default() })
    }
}

impl Task for Carry {
    fn objective(&self, _: &Words) -> String {
        let [from, to] = &self.titles;
        format!("Drag the file \"{}\" from the window \"{from}\" into the window \"{to}\".", name(&self.path))
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        let _written = desk.change_files(|files| files.write(&self.path, self.text.clone()));
        self.from = desk.open_program("files", &["/Documents".to_owned()]).unwrap_or_default();
        self.to = desk.open_program("files", &["/Pictures".to_owned()]).unwrap_or_default();
        self.titles = [self.from, self.to].map(|window| super::windows::title(desk, window));
        // Beside each other, in either order.
        let mut half = desk.shell_layout().work;
        half.size.width /= 2;
        let mut sides = [half.origin, half.origin.offset(half.size.width as i32, 0)];
        random.shuffle(&mut sides);
        for (window, side) in [self.from, self.to].into_iter().zip(sides) {
            let height = desk.frame(window).map_or(half.size.height, |f| f.outer.size.height);
            let size = Size::new(half.size.width, height.min(half.size.height));
            let down = random.range(0, (half.size.height - size.height) as i32);
            desk.put(window, ScreenRect { origin: side.offset(0, down), size });
        }
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::file(join("/Pictures", name(&self.path)), &self.text).and_file(&self.path, None)
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let Some(row) = row_of(reach, self.from, name(&self.path)) else { return LOST };
        // The other list is empty: anywhere in it.
        let to = reach.ui(self.to).and_then(|ui| ui.locate(LIST));
        match reach.row_place(self.from, LIST, row) {
            Ok(from) => to.map_or(LOST, |to| Hand::Drag(from, to.center())),
            Err(hand) => hand,
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OpenFile {
    path: String,
}

impl OpenFile {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Box::new(Self { path: format!("/Documents/{}.txt", one(random, FILE_NAMES)) })
    }
}

impl Task for OpenFile {
    fn objective(&self, _: &Words) -> String {
        format!("Open {} by a double click.", says(&self.path))
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        let text = one(random, LINES);
        let _written = desk.change_files(|files| files.write(&self.path, text));
        clutter(desk, random, 1);
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        opened(desk, &self.path, |what| what.starts_with("files#") && what.contains(" activate "))
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        match at_folder(reach, parent(&self.path), true) {
            Ok(window) => {
                row_of(reach, window, name(&self.path)).map_or(LOST, |row| double(reach, window, row))
            }
            Err(hand) => hand,
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// Whether a file is open in an editor.
pub(super) fn editor_shows(desk: &Desk, path: &str) -> Result<(), String> {
    editor_of(desk, path).map_or_else(|| Err(format!("{path} is not open")), |_| Ok(()))
}

/// Whether a file is open in an editor, and in the way that was wanted, by what was seen.
fn opened(desk: &Desk, path: &str, way: impl Fn(&str) -> bool) -> Result<(), String> {
    editor_shows(desk, path)?;
    let so = desk.seen().any(|s| way(&s.what));
    if so { Ok(()) } else { Err(format!("{path} was opened in another way")) }
}
