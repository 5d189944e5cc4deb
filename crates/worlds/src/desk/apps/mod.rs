//! The programs of the desk. A program is one file here and one line in [`APPS`].
//!
//! A program is a value that implements [`App`]. It holds its own state (serde), says what it shows ([`App::view`], built anew
//! whenever something happened) and reacts to [`Event`]s ([`App::on`]). What a person types, selects and scrolls is kept
//! for it in `cx.ui` (`look.ui` in a view) under the names of its widgets. Everything else it needs it reaches through [`Cx`]:
//! files, settings, clipboard, words, other windows, dialogs. It never sees the pointer, other programs, or time but `now`.
//!
//! A button, a menu item and a shortcut of the same name are one [`Event::Press`]. Shortcuts written in a menu
//! (`MenuItem::new("save", "Save").key("Ctrl+S")`) work by themselves, and so do the editing keys in fields, Tab, Enter
//! for the primary button and Escape for the cancel button. A whole program:
//!
//! ```
//! use handsight_worlds::desk::apps::{App, Cx, Look};
//! use handsight_worlds::desk::ui::{Event, node::*};
//!
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Counter { count: u32 }
//!
//! impl App for Counter {
//!     fn title(&self, look: &Look<'_>) -> String { look.words.program("counter").to_owned() }
//!     fn view(&self, look: &Look<'_>) -> Node {
//!         column(vec![label(self.count.to_string()), button("more", "One more").primary()]).pad(12)
//!     }
//!     fn on(&mut self, event: &Event, cx: &mut Cx<'_>) {
//!         match event {
//!             Event::Press(id) if id == "more" => self.count += 1,
//!             Event::Close => cx.close(),
//!             _ => {}
//!         }
//!     }
//!     fn save(&self) -> serde_json::Value { serde_json::json!(self) }
//! }
//! ```
//!
//! Its line in [`APPS`] names it (several names: each seed takes one), gives its icon, its size and the words by which the
//! run dialog starts it, and how it is opened (with arguments: `args[0]` may be a file) and loaded.
//! Label texts come from `look.words.get("save")`, with a line in `words.rs`, so that they vary by seed.

mod calculator;
mod card;
mod editor;
mod file_dialog;
mod files;
pub(super) mod form;
mod memo;
mod message;
mod player;
mod prompt;
mod reader;
mod run;
pub mod settings;

pub use message::Message;

use super::files::Files;
use super::ui::icons::Icon;
use super::ui::node::{MenuItem, Node};
use super::ui::{Event, Ui};
use super::words::{Settings, Words};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::time::Duration;

/// A program in a window.
pub trait App: Send {
    /// In the title bar and the task bar.
    fn title(&self, look: &Look<'_>) -> String;

    fn view(&self, look: &Look<'_>) -> Node;

    /// Something happened. [`Event::Close`] must be answered with `cx.close()`, now or after a question.
    fn on(&mut self, event: &Event, cx: &mut Cx<'_>);

    /// The whole state, as [`AppKind::load`] takes it and as checkers see it.
    fn save(&self) -> Value;
}

/// What a view may look at.
pub struct Look<'a> {
    pub words: &'a Words,
    pub files: &'a Files,
    pub settings: &'a Settings,
    pub ui: &'a Ui,
    /// Since the world began.
    pub now: Duration,
}

/// What a program may use while it reacts.
pub struct Cx<'a> {
    pub words: &'a Words,
    pub files: &'a mut Files,
    pub settings: &'a mut Settings,
    pub clipboard: &'a mut String,
    /// The texts, selections and the focus of this window.
    pub ui: &'a mut Ui,
    pub now: Duration,
    pub(crate) requests: Vec<Request>,
}

/// What only the desktop can do; done after the program has reacted.
pub(crate) enum Request {
    Close,
    /// Of a dialog: closes it and tells the window it belongs to.
    Answer(String),
    Open {
        key: String,
        args: Vec<String>,
    },
    Run {
        command: String,
    },
    Dialog {
        key: &'static str,
        tag: String,
        app: Box<dyn App>,
        size: Option<(i32, i32)>,
    },
    Menu(Vec<MenuItem>),
}

impl Cx<'_> {
    /// Closes this window, with its dialogs.
    pub fn close(&mut self) {
        self.requests.push(Request::Close);
    }

    /// Opens a window of the program with this key of [`APPS`].
    pub fn open(&mut self, key: &str, args: Vec<String>) {
        self.requests.push(Request::Open { key: key.to_owned(), args });
    }

    /// Opens a file or program as the run dialog does; says so in a message box if there is none.
    pub fn run(&mut self, command: &str) {
        self.requests.push(Request::Run { command: command.to_owned() });
    }

    /// A message box over this window. Its answer comes as [`Event::Answer`] with `tag` and the name of the button; of a closed
    /// one, of the last button.
    pub fn ask(&mut self, tag: &str, message: Message) {
        let app = Box::new(message);
        self.requests.push(Request::Dialog { key: "message", tag: tag.to_owned(), app, size: None });
    }

    /// A message box with one button.
    pub fn tell(&mut self, icon: Icon, title: &str, text: &str) {
        let ok = self.words.get("ok");
        self.ask("", Message::new(icon, title, text).button("ok", ok));
    }

    /// Asks under which path to save. The answer is the path; a name that exists is asked about. Nothing comes of a cancel.
    pub fn save_as(&mut self, tag: &str, folder: &str, name: &str) {
        let app = Box::new(file_dialog::FileDialog::save(folder, name));
        self.requests.push(Request::Dialog {
            key: "file dialog",
            tag: tag.to_owned(),
            app,
            size: Some((460, 380)),
        });
    }

    /// Asks for a file that is there. The answer is its path; nothing comes of a cancel.
    pub fn open_file(&mut self, tag: &str, folder: &str) {
        let app = Box::new(file_dialog::FileDialog::open(folder));
        self.requests.push(Request::Dialog {
            key: "file dialog",
            tag: tag.to_owned(),
            app,
            size: Some((460, 380)),
        });
    }

    /// Of a dialog: gives its answer and closes.
    pub fn answer(&mut self, value: &str) {
        self.requests.push(Request::Answer(value.to_owned()));
    }

    /// A menu at the pointer; what is chosen comes as [`Event::Press`].
    pub fn menu(&mut self, items: Vec<MenuItem>) {
        self.requests.push(Request::Menu(items));
    }
}

/// One program: a line of [`APPS`].
pub struct AppKind {
    /// In truth, saved states and `cx.open`.
    pub key: &'static str,
    /// What it may be called.
    pub names: &'static [&'static str],
    pub icon: Icon,
    /// What the run dialog and `launch` start it by, besides its name.
    pub commands: &'static [&'static str],
    /// Size of its content in screen units at letters of 14; `(0, 0)` is as large as it wants to be.
    pub size: (i32, i32),
    /// In the start menu and on the desktop. Dialogs are not.
    pub listed: bool,
    pub resizable: bool,
    pub open: fn(args: &[String]) -> Box<dyn App>,
    pub load: fn(Value) -> Result<Box<dyn App>, serde_json::Error>,
}

/// Every program; the start menu, the run dialog and the tests go through it.
#[rustfmt::skip]
pub const APPS: &[AppKind] = &[
    AppKind { key: "editor", names: &["Text Editor", "Notepad", "Writer"], icon: Icon::Editor, commands: &["notepad", "editor", "edit"], size: (560, 400), listed: true, resizable: true, open: |args| Box::new(editor::Editor::new(args)), load: load::<editor::Editor> },
    AppKind { key: "calculator", names: &["Calculator", "Desk Calculator", "Sums"], icon: Icon::Calculator, commands: &["calc", "calculator"], size: (0, 0), listed: true, resizable: true, open: |_| Box::new(calculator::Calculator::default()), load: load::<calculator::Calculator> },
    AppKind { key: "files", names: &["File Manager", "Explorer", "Files"], icon: Icon::Folder, commands: &["explorer", "files"], size: (520, 360), listed: true, resizable: true, open: |args| Box::new(files::FileList::new(args)), load: load::<files::FileList> },
    AppKind { key: "settings", names: &["Settings", "Control Panel", "Preferences"], icon: Icon::Settings, commands: &["control", "settings"], size: (600, 400), listed: true, resizable: true, open: |args| Box::new(settings::SettingsApp::new(args)), load: load::<settings::SettingsApp> },
    AppKind { key: "form", names: &["Order Form", "Web Shop", "Orders"], icon: Icon::Form, commands: &["order", "form"], size: (490, 450), listed: true, resizable: true, open: |_| Box::new(form::Form::default()), load: load::<form::Form> },
    AppKind { key: "reader", names: &["Document Reader", "Reader", "Document Viewer"], icon: Icon::Book, commands: &["reader", "view"], size: (520, 400), listed: true, resizable: true, open: |args| Box::new(reader::Reader::new(args)), load: load::<reader::Reader> },
    AppKind { key: "memo", names: &["Memo", "Sticky Note", "Reminder"], icon: Icon::Note, commands: &["memo", "note"], size: (270, 190), listed: true, resizable: true, open: |args| Box::new(memo::Memo::new(args)), load: load::<memo::Memo> },
    AppKind { key: "player", names: &["Music Player", "Jukebox", "Media Player"], icon: Icon::Music, commands: &["player", "music"], size: (480, 400), listed: true, resizable: true, open: |_| Box::new(player::Player::default()), load: load::<player::Player> },
    AppKind { key: "card", names: &["Request"], icon: Icon::Note, commands: &[], size: (400, 220), listed: false, resizable: true, open: |args| Box::new(card::Card::new(args)), load: load::<card::Card> },
    AppKind { key: "prompt", names: &["Prompt"], icon: Icon::Question, commands: &[], size: (0, 0), listed: false, resizable: false, open: |_| Box::new(prompt::Prompt::default()), load: load::<prompt::Prompt> },
    AppKind { key: "message", names: &["Message"], icon: Icon::Info, commands: &[], size: (0, 0), listed: false, resizable: false, open: |_| Box::new(Message::default()), load: load::<Message> },
    AppKind { key: "file dialog", names: &["Files"], icon: Icon::Open, commands: &[], size: (460, 380), listed: false, resizable: true, open: |_| Box::new(file_dialog::FileDialog::open("/")), load: load::<file_dialog::FileDialog> },
    AppKind { key: "run", names: &["Run"], icon: Icon::Run, commands: &[], size: (380, 0), listed: false, resizable: false, open: |_| Box::new(run::Run {}), load: load::<run::Run> },
];

/// The program of this key.
pub fn find(key: &str) -> Option<&'static AppKind> {
    APPS.iter().find(|kind| kind.key == key)
}

/// Reads the state that [`App::save`] wrote.
pub fn load<A: App + DeserializeOwned + 'static>(state: Value) -> Result<Box<dyn App>, serde_json::Error> {
    Ok(Box::new(serde_json::from_value::<A>(state)?))
}
