//! The dialogs that ask for a file: to open one, or under which name to save.

use super::{App, Cx, Look, Message};
use crate::desk::files::{Files, Listed, join, name, parent};
use crate::desk::ui::Event;
use crate::desk::ui::icons::Icon;
use crate::desk::ui::node::{Item, Node, Panel, button, column, field, label, list, row, space};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FileDialog {
    saving: bool,
    folder: String,
    /// The name that is proposed.
    name: String,
    /// The path that was asked about because it exists.
    asked: Option<String>,
}

impl FileDialog {
    pub(super) fn save(folder: &str, name: &str) -> Self {
        Self { saving: true, folder: folder.to_owned(), name: name.to_owned(), asked: None }
    }

    pub(super) fn open(folder: &str) -> Self {
        Self { saving: false, folder: folder.to_owned(), name: String::new(), asked: None }
    }

    fn listed(&self, files: &Files) -> Vec<Listed> {
        files.list(&self.folder)
    }

    fn enter(&mut self, folder: &str, cx: &mut Cx<'_>) {
        folder.clone_into(&mut self.folder);
        cx.ui.select("files", None);
    }

    fn accept(&mut self, cx: &mut Cx<'_>) {
        let typed = cx.ui.text("name").trim().to_owned();
        if typed.is_empty() {
            return;
        }
        let path = if typed.starts_with('/') { typed.clone() } else { join(&self.folder, &typed) };
        if cx.files.is_folder(&path) {
            self.enter(&path, cx);
            cx.ui.set_text("name", "");
        } else if !cx.files.is_folder(parent(&path)) || (!self.saving && !cx.files.exists(&path)) {
            let text = format!("\"{typed}\" {}", cx.words.get("not found"));
            cx.tell(Icon::Warning, cx.words.get(if self.saving { "save as" } else { "open" }), &text);
        } else if self.saving && cx.files.exists(&path) {
            let text = format!("\"{}\" {}", name(&path), cx.words.get("ask replace"));
            let message = Message::new(Icon::Question, cx.words.get("save as"), &text)
                .button("yes", cx.words.get("yes"))
                .button("no", cx.words.get("no"));
            cx.ask("replace", message);
            self.asked = Some(path);
        } else {
            cx.answer(&path);
        }
    }
}

impl App for FileDialog {
    fn title(&self, look: &Look<'_>) -> String {
        look.words.get(if self.saving { "save as" } else { "open" }).to_owned()
    }

    fn view(&self, look: &Look<'_>) -> Node {
        let words = look.words;
        let items = self.listed(look.files).into_iter().map(|l| {
            let size = if l.folder { String::new() } else { format!("{} B", l.size) };
            Item::new(l.name).cell(size).icon(if l.folder { Icon::Folder } else { Icon::Document })
        });
        let place = row(vec![
            button("up", words.get("up")).icon(Icon::Up).flat().enabled(self.folder != "/"),
            label(&self.folder).wide(),
        ]);
        let files = list("files", items.collect()).columns([(words.get("name"), 3), (words.get("size"), 1)]);
        let name = row(vec![label(words.get("name")), field("name").wide()]);
        let accept = words.get(if self.saving { "save" } else { "open" });
        let typed = !look.ui.text("name").trim().is_empty();
        let buttons = row(vec![
            space(),
            button("ok", accept).primary().enabled(typed),
            button("cancel", words.get("cancel")).cancel(),
        ]);
        let content = column(vec![place, files, name]).pad(12).tall();
        column(vec![content, buttons.panel(Panel::Bar).pad(12)]).gap(0)
    }

    fn on(&mut self, event: &Event, cx: &mut Cx<'_>) {
        match event {
            Event::Opened => {
                cx.ui.set_text("name", self.name.clone());
                cx.ui.select_all("name");
                cx.ui.set_focus("name");
            }
            Event::Select(id, at) if id == "files" => {
                if let Some(file) = self.listed(cx.files).get(*at).filter(|l| !l.folder) {
                    cx.ui.set_text("name", file.name.clone());
                }
            }
            Event::Activate(id, at) if id == "files" => match self.listed(cx.files).get(*at) {
                Some(folder) if folder.folder => {
                    let path = folder.path.clone();
                    self.enter(&path, cx);
                }
                Some(file) => {
                    cx.ui.set_text("name", file.name.clone());
                    self.accept(cx);
                }
                None => {}
            },
            Event::Press(id) => match id.as_str() {
                "ok" => self.accept(cx),
                "up" => {
                    let up = parent(&self.folder).to_owned();
                    self.enter(&up, cx);
                }
                "cancel" => cx.close(),
                _ => {}
            },
            Event::Answer { tag, value } if tag == "replace" && value == "yes" => {
                if let Some(path) = self.asked.take() {
                    cx.answer(&path);
                }
            }
            Event::Close => cx.close(),
            _ => {}
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
