//! The text editor: one file, Save and Save As, a mark while something is unsaved, and a question before that is lost.

use super::{App, Cx, Look, Message};
use crate::desk::files::{name, parent};
use crate::desk::ui::Event;
use crate::desk::ui::icons::Icon;
use crate::desk::ui::node::{MenuItem, Node, Panel, area, column, label, menu, menu_bar, row, space};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Where a text without a path is proposed to go.
const HOME: &str = "/Documents";

/// What waits for the unsaved text to be dealt with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Then {
    New,
    Open,
    Close,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Editor {
    path: Option<String>,
    /// The text as it was saved last.
    saved: String,
    dirty: bool,
    then: Option<Then>,
}

impl Editor {
    pub(super) fn new(args: &[String]) -> Self {
        Self { path: args.first().cloned(), saved: String::new(), dirty: false, then: None }
    }

    fn called<'a>(&'a self, untitled: &'a str) -> &'a str {
        self.path.as_deref().map_or(untitled, name)
    }

    fn load(&mut self, path: &str, cx: &mut Cx<'_>) {
        match cx.files.read(path) {
            Some(text) => {
                text.clone_into(&mut self.saved);
                cx.ui.set_text("text", self.saved.clone());
                self.path = Some(path.to_owned());
            }
            None => {
                let text = format!("\"{}\" {}", name(path), cx.words.get("not found"));
                cx.tell(Icon::Warning, cx.words.program("editor"), &text);
                self.path = None;
            }
        }
        self.dirty = false;
        cx.ui.set_focus("text");
    }

    fn write(&mut self, path: &str, cx: &mut Cx<'_>) {
        let text = cx.ui.text("text").to_owned();
        if let Err(why) = cx.files.write(path, text.clone()) {
            self.then = None;
            cx.tell(Icon::Error, cx.words.program("editor"), &why.to_string());
            return;
        }
        self.path = Some(path.to_owned());
        self.saved = text;
        self.dirty = false;
        self.go_on(cx);
    }

    fn save_as(&self, cx: &mut Cx<'_>) {
        let folder = self.path.as_deref().map_or(HOME, parent).to_owned();
        let folder = if cx.files.is_folder(&folder) { folder } else { "/".to_owned() };
        let proposed = self.path.as_deref().map_or("", name);
        cx.save_as("save as", &folder, proposed);
    }

    fn save_now(&mut self, cx: &mut Cx<'_>) {
        match self.path.clone() {
            Some(path) => self.write(&path, cx),
            None => self.save_as(cx),
        }
    }

    /// Does what was asked for, after a question if something would be lost.
    fn leave(&mut self, then: Then, cx: &mut Cx<'_>) {
        self.then = Some(then);
        if !self.dirty {
            self.go_on(cx);
            return;
        }
        let words = cx.words;
        let text = format!("{} \"{}\"?", words.get("ask save"), self.called(words.get("untitled")));
        let message = Message::new(Icon::Question, words.program("editor"), &text)
            .button("save", words.get("save"))
            .button("drop", words.get("dont save"))
            .button("cancel", words.get("cancel"));
        cx.ask("unsaved", message);
    }

    fn go_on(&mut self, cx: &mut Cx<'_>) {
        match self.then.take() {
            Some(Then::New) => {
                (self.path, self.saved, self.dirty) = (None, String::new(), false);
                cx.ui.set_text("text", "");
                cx.ui.set_focus("text");
            }
            Some(Then::Open) => {
                let folder = self.path.as_deref().map_or(HOME, parent).to_owned();
                cx.open_file("open", &folder);
            }
            Some(Then::Close) => cx.close(),
            None => {}
        }
    }

    fn command(&mut self, id: &str, cx: &mut Cx<'_>) {
        match id {
            "new" => self.leave(Then::New, cx),
            "open" => self.leave(Then::Open, cx),
            "save" => {
                self.then = None;
                self.save_now(cx);
            }
            "save as" => {
                self.then = None;
                self.save_as(cx);
            }
            "close" => self.leave(Then::Close, cx),
            "undo" => drop(cx.ui.edit("text").undo()),
            "redo" => drop(cx.ui.edit("text").redo()),
            "cut" | "copy" => {
                let edit = cx.ui.edit("text");
                if !edit.selection().is_empty() {
                    edit.selected().clone_into(cx.clipboard);
                    if id == "cut" {
                        edit.insert("");
                    }
                }
            }
            "paste" => cx.ui.edit("text").insert(cx.clipboard),
            "select all" => cx.ui.edit("text").select_all(),
            "about" => cx.tell(Icon::Info, cx.words.program("editor"), "A plain editor for plain text."),
            _ => {}
        }
        self.dirty = cx.ui.text("text") != self.saved;
    }

    fn edit_items(look: &Look<'_>) -> Vec<MenuItem> {
        let words = look.words;
        let item = |id: &str, key: &str| MenuItem::new(id, words.get(id)).key(key);
        vec![
            item("undo", "Ctrl+Z"),
            item("redo", "Ctrl+Y"),
            MenuItem::line(),
            item("cut", "Ctrl+X"),
            item("copy", "Ctrl+C"),
            item("paste", "Ctrl+V"),
            MenuItem::line(),
            item("select all", "Ctrl+A"),
        ]
    }
}

impl App for Editor {
    fn title(&self, look: &Look<'_>) -> String {
        let mark = if self.dirty { "*" } else { "" };
        let called = self.called(look.words.get("untitled"));
        format!("{mark}{called} - {}", look.words.program("editor"))
    }

    fn view(&self, look: &Look<'_>) -> Node {
        let words = look.words;
        let item = |id: &str, key: &str| MenuItem::new(id, words.get(id)).key(key);
        let dots = |id: &str, key: &str| MenuItem::new(id, format!("{}…", words.get(id))).key(key);
        let file = vec![
            item("new", "Ctrl+N").icon(Icon::New),
            dots("open", "Ctrl+O").icon(Icon::Open),
            item("save", "Ctrl+S").icon(Icon::Save),
            dots("save as", "Ctrl+Shift+S"),
            MenuItem::line(),
            item("close", ""),
        ];
        let bar = menu_bar(vec![
            menu(words.get("file"), file),
            menu(words.get("edit"), Self::edit_items(look)),
            menu(words.get("help"), vec![item("about", "")]),
        ]);
        let text = look.ui.text("text");
        let status = row(vec![
            label(self.path.as_deref().unwrap_or("")).dim(),
            space(),
            label(format!("{} lines, {} characters", text.lines().count().max(1), text.chars().count()))
                .dim(),
        ]);
        column(vec![bar, area("text"), status.panel(Panel::Bar).pad(4)]).gap(0)
    }

    fn on(&mut self, event: &Event, cx: &mut Cx<'_>) {
        match event {
            Event::Opened => {
                if let Some(path) = self.path.clone() {
                    self.load(&path, cx);
                }
            }
            Event::Change(_) => self.dirty = cx.ui.text("text") != self.saved,
            Event::Press(id) => self.command(id, cx),
            Event::Close => self.leave(Then::Close, cx),
            Event::Menu(id, _) if id == "text" => {
                let item = |id: &str| MenuItem::new(id, cx.words.get(id));
                let items =
                    vec![item("cut"), item("copy"), item("paste"), MenuItem::line(), item("select all")];
                cx.menu(items);
            }
            Event::Answer { tag, value } => match (tag.as_str(), value.as_str()) {
                ("save as", path) => self.write(path, cx),
                ("open", path) => self.load(path, cx),
                ("unsaved", "save") => self.save_now(cx),
                ("unsaved", "drop") => {
                    self.dirty = false;
                    self.go_on(cx);
                }
                ("unsaved", _) => self.then = None,
                _ => {}
            },
            Event::Drop { what, .. } => {
                let path = what.clone();
                if !self.dirty {
                    self.load(&path, cx);
                }
            }
            _ => {}
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
