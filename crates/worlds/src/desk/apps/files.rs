//! The file list: goes through folders, opens, renames, moves, deletes.
//!
//! A button acts on the row that is seen as selected; nothing is deleted without a question.

use super::{App, Cx, Look, Message};
use crate::desk::files::{FileError, Files, Listed, join, name, parent};
use crate::desk::ui::Event;
use crate::desk::ui::icons::Icon;
use crate::desk::ui::node::{Item, MenuItem, Node, Panel, button, column, label, list, row, space, tool_bar};
use crate::desk::words::Words;
use handsight_base::key::{Key, Modifiers, Named};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const ROWS: &str = "files";

/// What the rows are sorted by; folders come first in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Order {
    #[default]
    Name,
    Size,
    Kind,
}

const COLUMNS: [(Order, &str, u16); 3] =
    [(Order::Name, "name", 5), (Order::Size, "size", 2), (Order::Kind, "kind", 3)];

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct FileList {
    folder: String,
    order: Order,
    /// The last first.
    falling: bool,
    /// What a dialog was opened about.
    about: Option<String>,
}

impl Default for FileList {
    fn default() -> Self {
        Self { folder: "/".to_owned(), order: Order::Name, falling: false, about: None }
    }
}

/// What a file is called by its ending.
fn kind(entry: &Listed, words: &Words) -> String {
    if entry.folder {
        return words.get("folder").to_owned();
    }
    let ending = entry.name.rsplit_once('.').map_or("", |(_, ending)| ending).to_lowercase();
    match ending.as_str() {
        "txt" => "Text".to_owned(),
        "md" => "Notes".to_owned(),
        "csv" => "Table".to_owned(),
        "log" => "Log".to_owned(),
        "ini" | "cfg" | "conf" => "Configuration".to_owned(),
        "" => "File".to_owned(),
        other => format!("{} file", other.to_uppercase()),
    }
}

fn bytes(size: usize) -> String {
    if size < 1000 { format!("{size} B") } else { format!("{:.1} KB", size as f64 / 1000.0) }
}

fn count(n: usize, words: &Words) -> String {
    format!("{n} {}", words.get(if n == 1 { "item" } else { "items" }))
}

impl FileList {
    pub(super) fn new(args: &[String]) -> Self {
        let folder = args.first().filter(|path| path.starts_with('/'));
        Self { folder: folder.cloned().unwrap_or_else(|| "/".to_owned()), ..Self::default() }
    }

    fn listed(&self, files: &Files, words: &Words) -> Vec<Listed> {
        let mut listed = files.list(&self.folder);
        match self.order {
            Order::Name => {}
            Order::Size => listed.sort_by_key(|l| l.size),
            Order::Kind => listed.sort_by_key(|l| kind(l, words)),
        }
        if self.falling {
            listed.reverse();
        }
        listed.sort_by_key(|l| !l.folder);
        listed
    }

    fn chosen(&self, cx: &Cx<'_>) -> Option<Listed> {
        let row = cx.ui.selected(ROWS)?;
        self.listed(cx.files, cx.words).into_iter().nth(row)
    }

    /// Selects what lies at `path`, if it is in this folder.
    fn choose(&self, path: &str, cx: &mut Cx<'_>) {
        let row = self.listed(cx.files, cx.words).iter().position(|l| l.path == path);
        cx.ui.select(ROWS, row);
        cx.ui.set_focus(ROWS);
    }

    fn enter(&mut self, folder: &str, cx: &mut Cx<'_>) {
        folder.clone_into(&mut self.folder);
        cx.ui.select(ROWS, None);
        cx.ui.set_focus(ROWS);
    }

    fn up(&mut self, cx: &mut Cx<'_>) {
        if self.folder != "/" {
            let from = self.folder.clone();
            self.enter(parent(&from), cx);
            self.choose(&from, cx);
        }
    }

    fn open(&mut self, entry: &Listed, cx: &mut Cx<'_>) {
        if entry.folder {
            self.enter(&entry.path, cx);
        } else {
            cx.open("editor", vec![entry.path.clone()]);
        }
    }

    fn sort(&mut self, order: Order, cx: &mut Cx<'_>) {
        let chosen = self.chosen(cx);
        (self.order, self.falling) = (order, self.order == order && !self.falling);
        if let Some(chosen) = chosen {
            self.choose(&chosen.path, cx);
        }
    }

    fn tell(words: &str, why: &FileError, cx: &mut Cx<'_>) {
        cx.tell(Icon::Error, words, &why.to_string());
    }

    /// A name as a person typed it, as a path in this folder.
    fn named(&self, typed: &str) -> Result<String, FileError> {
        if typed.is_empty() || typed.contains('/') {
            return Err(FileError::BadName(typed.to_owned()));
        }
        Ok(join(&self.folder, typed))
    }

    fn rename(&mut self, typed: &str, cx: &mut Cx<'_>) {
        let Some(from) = self.about.take() else { return };
        match self.named(typed).and_then(|to| cx.files.rename(&from, &to).map(|()| to)) {
            Ok(to) => self.choose(&to, cx),
            Err(why) => Self::tell(cx.words.get("rename"), &why, cx),
        }
    }

    fn make_folder(&self, typed: &str, cx: &mut Cx<'_>) {
        match self.named(typed).and_then(|path| cx.files.make_folder(&path).map(|()| path)) {
            Ok(path) => self.choose(&path, cx),
            Err(why) => Self::tell(cx.words.get("new folder"), &why, cx),
        }
    }

    fn delete(&mut self, cx: &mut Cx<'_>) {
        let Some(path) = self.about.take() else { return };
        let row = cx.ui.selected(ROWS).unwrap_or(0);
        if let Err(why) = cx.files.remove(&path) {
            Self::tell(cx.words.get("delete"), &why, cx);
        }
        let left = self.listed(cx.files, cx.words).len();
        cx.ui.select(ROWS, left.checked_sub(1).map(|last| row.min(last)));
    }

    fn ask_delete(&mut self, entry: &Listed, cx: &mut Cx<'_>) {
        let words = cx.words;
        let with = if entry.folder && entry.size > 0 {
            format!(" ({})", count(entry.size, words))
        } else {
            String::new()
        };
        let text = format!("{} \"{}\"{with}?", words.get("ask delete"), entry.name);
        let message = Message::new(Icon::Warning, words.get("delete"), &text)
            .button("yes", words.get("delete"))
            .button("no", words.get("cancel"));
        self.about = Some(entry.path.clone());
        cx.ask("delete", message);
    }

    /// Moves a file or folder that was dropped here.
    fn take(&self, path: &str, row: Option<usize>, cx: &mut Cx<'_>) {
        let listed = self.listed(cx.files, cx.words);
        let onto = row.and_then(|row| listed.get(row)).filter(|l| l.folder).map_or(&self.folder, |l| &l.path);
        if path == onto || parent(path) == onto || !cx.files.exists(path) {
            return;
        }
        let to = join(onto, name(path));
        let stays = cx.ui.selected(ROWS).and_then(|row| listed.get(row)).map(|l| l.path.clone());
        match cx.files.rename(path, &to) {
            Ok(()) if *onto == self.folder => self.choose(&to, cx),
            Ok(()) => self.choose(stays.as_deref().filter(|s| *s != path).unwrap_or(onto), cx),
            Err(why) => Self::tell(cx.words.get("move"), &why, cx),
        }
    }

    fn command(&mut self, id: &str, cx: &mut Cx<'_>) {
        if let Some(folder) = id.strip_prefix("go ") {
            let folder = folder.to_owned();
            self.enter(&folder, cx);
            return;
        }
        let words = cx.words;
        match (id, self.chosen(cx)) {
            ("up", _) => self.up(cx),
            ("new folder", _) => {
                let plain = words.get("new folder");
                let free = |n: usize| if n == 1 { plain.to_owned() } else { format!("{plain} {n}") };
                let proposed = (1..).map(free).find(|name| !cx.files.exists(&join(&self.folder, name)));
                cx.prompt("new folder", plain, words.get("new name"), &proposed.unwrap_or_default());
            }
            ("open", Some(entry)) => self.open(&entry, cx),
            ("rename", Some(entry)) => {
                self.about = Some(entry.path);
                cx.prompt("rename", words.get("rename"), words.get("new name"), &entry.name);
            }
            ("delete", Some(entry)) => self.ask_delete(&entry, cx),
            _ => {}
        }
    }

    /// The folders down to this one, each a button.
    fn crumbs(&self, words: &Words) -> Vec<Node> {
        let mut crumbs = vec![button("go /", words.get("computer")).flat()];
        let mut path = String::new();
        for part in self.folder.split('/').filter(|part| !part.is_empty()) {
            path = format!("{path}/{part}");
            crumbs.push(label("›").dim());
            crumbs.push(button(format!("go {path}"), part).flat());
        }
        crumbs
    }
}

impl App for FileList {
    fn title(&self, look: &Look<'_>) -> String {
        let here = if self.folder == "/" { look.words.get("computer") } else { name(&self.folder) };
        format!("{here} - {}", look.words.program("files"))
    }

    fn view(&self, look: &Look<'_>) -> Node {
        let words = look.words;
        let listed = self.listed(look.files, words);
        let chosen = look.ui.selected(ROWS).and_then(|row| listed.get(row));
        let mut place = vec![button("up", words.get("up")).icon(Icon::Up).flat().enabled(self.folder != "/")];
        place.extend(self.crumbs(words));
        let act = |id: &str| button(id, words.get(id)).enabled(chosen.is_some());
        let mut acts =
            vec![act("open"), act("rename"), act("delete"), button("new folder", words.get("new folder"))];
        if words.lot("files buttons").chance(50) {
            acts.rotate_right(1);
        }
        let item = |l: &Listed| {
            let size = if l.folder { count(l.size, words) } else { bytes(l.size) };
            let icon = if l.folder { Icon::Folder } else { Icon::Document };
            Item::new(&l.name).cell(size).cell(kind(l, words)).icon(icon).drag(&l.path)
        };
        let mark = if self.falling { " ▼" } else { " ▲" };
        let titles = COLUMNS.map(|(order, title, share)| {
            (format!("{}{}", words.get(title), if order == self.order { mark } else { "" }), share)
        });
        let rows = list(ROWS, listed.iter().map(item).collect())
            .columns(titles.iter().map(|(title, share)| (title.as_str(), *share)));
        let mut status = vec![label(count(listed.len(), words)).dim()];
        if let Some(chosen) = chosen {
            status.push(label(format!("1 {}: {}", words.get("selected"), chosen.name)).dim());
        }
        let all: usize = listed.iter().filter(|l| !l.folder).map(|l| l.size).sum();
        status.extend([space().height(1), label(bytes(all)).dim()]);
        let below = words.lot("files place").chance(40);
        let acts = row(acts);
        let content = if below {
            column(vec![rows, acts]).pad(10).tall()
        } else {
            column(vec![acts, rows]).pad(10).tall()
        };
        column(vec![tool_bar(place), content, row(status).gap(16).panel(Panel::Bar).pad(7)]).gap(0)
    }

    fn on(&mut self, event: &Event, cx: &mut Cx<'_>) {
        if !cx.files.is_folder(&self.folder) {
            // It was removed or renamed elsewhere.
            self.enter("/", cx);
        }
        match event {
            Event::Opened => cx.ui.set_focus(ROWS),
            Event::Press(id) => self.command(id, cx),
            Event::Activate(id, row) if id == ROWS => {
                if let Some(entry) = self.listed(cx.files, cx.words).get(*row).cloned() {
                    self.open(&entry, cx);
                }
            }
            Event::Column(id, column) if id == ROWS => {
                if let Some((order, ..)) = COLUMNS.get(*column) {
                    self.sort(*order, cx);
                }
            }
            Event::Menu(id, row) if id == ROWS => {
                let words = cx.words;
                let item = |id: &str, key: &str| MenuItem::new(id, words.get(id)).key(key);
                let mut items = vec![item("new folder", "")];
                if row.is_some() {
                    let more = [
                        item("open", "Enter"),
                        MenuItem::line(),
                        item("rename", "F2"),
                        item("delete", "Del"),
                    ];
                    items.splice(0..0, more.into_iter().chain([MenuItem::line()]));
                }
                cx.menu(items);
            }
            Event::Key(key, Modifiers::NONE) => match key {
                Key::Named(Named::F2) => self.command("rename", cx),
                Key::Named(Named::Delete) => self.command("delete", cx),
                Key::Named(Named::Backspace) => self.up(cx),
                _ => {}
            },
            Event::Drop { what, row, .. } => self.take(what, *row, cx),
            Event::Answer { tag, value } => match (tag.as_str(), value.as_str()) {
                ("rename", typed) => self.rename(typed, cx),
                ("new folder", typed) => self.make_folder(typed, cx),
                ("delete", "yes") => self.delete(cx),
                ("delete", _) => self.about = None,
                _ => {}
            },
            Event::Close => cx.close(),
            _ => {}
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
