//! How a desk begins, is saved and loaded, and what is true of it.

use super::apps::{self, APPS};
use super::files::{Entry, Files};
use super::shell::{DesktopIcon, Opens, Shell};
use super::tasks::{SavedStage, Stage};
use super::theme::{ACCENTS, Theme};
use super::ui::{Event, Ui};
use super::window::{Frame, Win};
use super::words::{Settings, Words};
use super::{Core, Desk};
use crate::Setup;
use crate::engine::LoadError;
use crate::random::Random;
use handsight_base::port::desktop::Display;
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// Things seen that are remembered.
const MOST_SEEN: usize = 2_000;
/// Worlds begin on the morning of 2024-03-01, some hours later by seed.
const BEGINNING_MILLIS: i64 = 1_709_280_000_000;

/// What a desk is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct DeskSetup {
    pub seed: u64,
    pub displays: Vec<Display>,
    /// Settings that do not follow the seed, for pictures and tests: `("theme", "dark")`.
    pub settings: Vec<(String, String)>,
}

impl DeskSetup {
    /// One display of 1280x720.
    pub fn new(seed: u64) -> Self {
        Self::from(&Setup::new(seed, Size::new(1280, 720)))
    }

    #[must_use]
    pub fn with(mut self, setting: &str, value: &str) -> Self {
        self.settings.push((setting.to_owned(), value.to_owned()));
        self
    }
}

impl From<&Setup> for DeskSetup {
    fn from(setup: &Setup) -> Self {
        Self { seed: setup.seed, displays: setup.displays.clone(), settings: Vec::new() }
    }
}

/// Something that happened, for checkers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub at: Duration,
    /// `left press at (3, 4)`, `key ctrl`, `open editor`, `editor#2 press save`.
    pub what: String,
}

/// What is true of a window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WindowTruth {
    pub frame: Frame,
    pub focused: bool,
    /// As its program saves it.
    pub model: Value,
    /// What its fields and areas hold, by name.
    pub texts: BTreeMap<String, String>,
    /// The selected row of its lists, by name.
    pub selected: BTreeMap<String, usize>,
}

#[derive(Serialize, Deserialize)]
struct Saved {
    core: Core,
    windows: Vec<SavedWindow>,
    #[serde(default)]
    stage: Option<SavedStage>,
}

#[derive(Serialize, Deserialize)]
struct SavedWindow {
    frame: Frame,
    ui: Ui,
    app: Value,
}

pub(super) fn theme_of(settings: &Settings) -> Theme {
    let size = settings.number("font").unwrap_or(14).clamp(11, 22) as u16;
    Theme::new(settings.get("theme") == "dark", settings.get("accent"), size)
}

fn words_of(seed: u64) -> Words {
    Words::new(seed, APPS.iter().map(|kind| (kind.key, kind.names)))
}

fn settings_of(setup: &DeskSetup) -> Settings {
    let mut random = Random::of(setup.seed, "settings");
    let mut settings = Settings::default();
    let mut draw = |name: &str, from: &[&str]| {
        if let Some(value) = random.pick(from) {
            settings.set(name, *value);
        }
    };
    draw("theme", &["light", "light", "dark"]);
    draw("accent", &ACCENTS.map_names());
    draw("font", &["13", "14", "15", "16"]);
    draw("taskbar", &["bottom", "bottom", "top", "left"]);
    draw("clock", &["24", "12"]);
    for (name, value) in &setup.settings {
        settings.set(name, value.clone());
    }
    settings
}

trait Names {
    fn map_names(&self) -> Vec<&'static str>;
}

impl Names for [(&'static str, u32)] {
    fn map_names(&self) -> Vec<&'static str> {
        self.iter().map(|(name, _)| *name).collect()
    }
}

fn files_of(seed: u64) -> Files {
    let mut files = Files::default();
    let mut random = Random::of(seed, "files");
    for folder in ["/Documents", "/Pictures", "/Documents/Letters"] {
        let _made = files.make_folder(folder);
    }
    let mut notes = [
        ("todo.txt", "Water the plants\nCall the bank\nBuy bread and milk\n"),
        ("recipe.txt", "Pancakes\n\n2 eggs\n250 ml milk\n150 g flour\na pinch of salt\n"),
        ("travel.txt", "Train at 07:42 from platform 5.\nHotel near the old harbour.\n"),
        ("ideas.txt", "A lamp that follows the sun.\nA chair made of cork.\n"),
        ("shopping.txt", "apples\ncoffee\npaper\ntea\n"),
    ];
    random.shuffle(&mut notes);
    for (name, text) in &notes[..3] {
        let _written = files.write(&format!("/Documents/{name}"), *text);
    }
    let _written =
        files.write("/Documents/Letters/landlord.txt", "Dear Mrs Hale,\n\nthe heating is cold again.\n");
    files
}

fn shell_of(setup: &DeskSetup, files: &Files) -> Shell {
    let mut random = Random::of(setup.seed, "shell");
    let mut menu: Vec<String> = APPS.iter().filter(|k| k.listed).map(|k| k.key.to_owned()).collect();
    random.shuffle(&mut menu);
    let mut icons: Vec<Opens> = menu.iter().cloned().map(Opens::Program).collect();
    let text = files.all().iter().find(|(_, e)| matches!(e, Entry::Text(_))).map(|(path, _)| path.clone());
    icons.extend(text.map(Opens::Path));
    random.shuffle(&mut icons);
    let rows = (setup.displays.first().map_or(720, |d| d.area.size.height) as i32 - 80) / 110;
    let (left, top) = (random.range(8, 40), random.range(8, 30));
    let icons = icons.into_iter().zip(0..);
    let place = |(what, i): (Opens, i32)| DesktopIcon {
        what,
        at: (left + i / rows.max(1) * 104, top + i % rows.max(1) * 108),
    };
    Shell {
        icons: icons.map(place).collect(),
        selected: None,
        menu,
        random: Random::of(setup.seed, "windows"),
    }
}

impl Desk {
    pub fn new(setup: &DeskSetup) -> Self {
        let settings = settings_of(setup);
        let files = files_of(setup.seed);
        let shell = shell_of(setup, &files);
        let primary = setup.displays.first().map_or(ScreenRect::new(0, 0, 1, 1), |d| d.area);
        let mut random = Random::of(setup.seed, "time");
        let core = Core {
            seed: setup.seed,
            displays: setup.displays.clone(),
            now: Duration::ZERO,
            unix_millis_at_start: BEGINNING_MILLIS + i64::from(random.range(0, 600)) * 60_000,
            settings,
            files,
            clipboard: String::new(),
            next_window: 1,
            pointer: primary.center(),
            active: None,
            buttons: Vec::new(),
            keys: Vec::new(),
            last_click: None,
            grab: None,
            popup: None,
            switcher: None,
            lone_super: false,
            repeat: None,
            shell,
            seen: VecDeque::new(),
        };
        Self {
            theme: theme_of(&core.settings),
            words: words_of(setup.seed),
            core,
            windows: Vec::new(),
            revision: 1,
            stage: None,
        }
    }

    pub fn files(&self) -> &Files {
        &self.core.files
    }

    pub fn settings(&self) -> &Settings {
        &self.core.settings
    }

    pub const fn words(&self) -> &Words {
        &self.words
    }

    /// Changes the files from outside, as a task's set-up does.
    pub fn change_files<T>(&mut self, change: impl FnOnce(&mut Files) -> T) -> T {
        let result = change(&mut self.core.files);
        self.revision += 1;
        self.refresh_all();
        result
    }

    /// Changes the settings from outside.
    pub fn change_settings(&mut self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.core.settings);
        self.revision += 1;
        self.refresh_all();
    }

    /// What happened so far, the newest last; the oldest of very many are forgotten.
    pub fn seen(&self) -> impl DoubleEndedIterator<Item = &Seen> {
        self.core.seen.iter()
    }

    /// Keys and buttons that are down.
    pub fn held(&self) -> (&[handsight_base::key::Key], &[handsight_base::flow::action::Button]) {
        (&self.core.keys, &self.core.buttons)
    }

    /// What is true of every window, the topmost first.
    pub fn window_truths(&self) -> Vec<WindowTruth> {
        let truth = |w: &Win| {
            let states = w.ui.states();
            let texts = w.ui.placed().iter().filter(|p| p.is_text());
            WindowTruth {
                frame: w.frame.clone(),
                focused: self.core.active == Some(w.frame.id),
                model: w.app.save(),
                texts: texts.map(|p| (p.id.clone(), w.ui.text(&p.id).to_owned())).collect(),
                selected: states.iter().filter_map(|(id, s)| Some((id.clone(), s.selected?))).collect(),
            }
        };
        self.windows.iter().rev().map(truth).collect()
    }

    /// What the program of a window saves; null if it is closed.
    pub(super) fn model(&self, window: u64) -> Value {
        self.index(window).map(|at| self.windows[at].app.save()).unwrap_or_default()
    }

    /// Where a widget of the topmost window of a program can be seen.
    pub fn locate(&self, app: &str, id: &str) -> Option<ScreenRect> {
        let window = self.windows.iter().rev().find(|w| w.frame.app == app && !w.frame.minimised)?;
        window.ui.locate(id)
    }

    /// The widgets of a window in their places.
    pub fn ui(&self, window: u64) -> Option<&Ui> {
        self.index(window).map(|at| &self.windows[at].ui)
    }

    /// The open menu: its items with the place of each.
    pub fn menu(&self) -> Vec<(&super::ui::node::MenuItem, ScreenRect)> {
        self.core.popup.iter().flat_map(|p| p.items.iter().zip(p.rows())).collect()
    }

    /// The icons of the desktop with their places.
    pub fn desktop_icons(&self) -> Vec<(&DesktopIcon, ScreenRect)> {
        self.core.shell.icons.iter().enumerate().map(|(i, icon)| (icon, self.icon_rect(i))).collect()
    }

    pub const fn theme(&self) -> &Theme {
        &self.theme
    }

    pub(super) fn note(&mut self, what: String) {
        if self.core.seen.len() >= MOST_SEEN {
            self.core.seen.pop_front();
        }
        self.core.seen.push_back(Seen { at: self.core.now, what });
    }

    pub(super) fn note_event(&mut self, at: usize, event: &Event) {
        let frame = &self.windows[at].frame;
        let what = match event {
            Event::Press(id) => format!("press {id}"),
            Event::Toggle(id, on) => format!("toggle {id} {on}"),
            Event::Submit(id) => format!("submit {id}"),
            Event::Select(id, row) => format!("select {id} {row}"),
            Event::Activate(id, row) => format!("activate {id} {row}"),
            Event::Column(id, column) => format!("column {id} {column}"),
            Event::Drop { on, what, .. } => format!("drop {what} on {on}"),
            Event::Answer { tag, value } => format!("answer {tag} {value}"),
            Event::Close => "close asked".to_owned(),
            Event::Opened | Event::Change(_) | Event::Slide(..) | Event::Menu(..) | Event::Key(..) => return,
        };
        self.note(format!("{}#{} {what}", frame.app, frame.id));
    }

    pub(super) fn whole_truth(&self) -> Value {
        let files: BTreeMap<&String, Value> = self
            .core
            .files
            .all()
            .iter()
            .map(|(path, entry)| {
                (path, if let Entry::Text(text) = entry { Value::from(text.as_str()) } else { Value::Null })
            })
            .collect();
        let (keys, buttons) = self.held();
        serde_json::json!({
            "seed": self.core.seed,
            "files": files,
            "settings": self.core.settings.all(),
            "clipboard": self.core.clipboard,
            "windows": self.window_truths(),
            "menu": self.core.popup.as_ref().map(|p| &p.target),
            "keys_down": keys,
            "buttons_down": buttons,
            "pointer": self.core.pointer,
        })
    }

    pub(super) fn save_state(&self) -> Vec<u8> {
        let windows = self.windows.iter().map(|w| SavedWindow {
            frame: w.frame.clone(),
            ui: w.ui.clone(),
            app: w.app.save(),
        });
        let saved = Saved {
            core: self.core.clone(),
            windows: windows.collect(),
            stage: self.stage.as_ref().map(Stage::save),
        };
        // Plain data with text keys cannot fail to be written.
        serde_json::to_vec(&saved).unwrap_or_default()
    }

    pub(super) fn load_state(&mut self, state: &[u8]) -> Result<(), LoadError> {
        let unreadable =
            |why: serde_json::Error| LoadError::Unreadable { world: "desk", why: why.to_string() };
        let saved: Saved = serde_json::from_slice(state).map_err(unreadable)?;
        let mut windows = Vec::new();
        for SavedWindow { frame, ui, app } in saved.windows {
            let kind = apps::find(&frame.app)
                .ok_or_else(|| LoadError::UnknownApp { world: "desk", app: frame.app.clone() })?;
            windows.push(Win { frame, ui, app: (kind.load)(app).map_err(unreadable)? });
        }
        let stage = saved.stage.map(Stage::load).transpose();
        self.stage = stage.map_err(|why| LoadError::Unreadable { world: "desk", why })?;
        self.words = words_of(saved.core.seed);
        self.core = saved.core;
        self.windows = windows;
        self.revision += 1;
        self.refresh_all();
        Ok(())
    }

    /// The place the pointer is at; for set-ups that want it elsewhere.
    pub const fn set_pointer(&mut self, at: ScreenPx) {
        self.core.pointer = at;
    }
}
