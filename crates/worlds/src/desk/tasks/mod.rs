//! The tasks of the desk: [`TASKS`], one line each, in a file by kind.
//!
//! A task draws its names, numbers and texts from the seed, sets the stage with what a desk has, and judges by the truth: what
//! was to change has changed as said, every other file and setting is as before, nothing unsaved is left, no key is down.
//! It refuses to look at how that came about, so any way that a person would take counts.
//!
//! # How objectives are worded
//!
//! In imperative sentences that end with a full stop, joined by ", " and "and". Whatever is a name on the screen, a text to
//! be typed or a file stands in double quotes exactly as it is shown or must be typed; nothing else does. No place, colour or
//! order on the screen is ever named. The verbs:
//!
//! | wording | means |
//! |---|---|
//! | `Open "P"` | start the program P: it is in the start menu |
//! | `type "T"`, `add the line "T" at its end` | into the text that is open |
//! | `type the "L" that "P" shows` | a value beside the label L in a window of P: `L: 4711` |
//! | `save it`, `save it as "F"` | by the program's menu; the folder that is proposed will do |
//! | `Open the file "F" in the folder "D"` | with the file list or any other way; D lies at the top of the computer |
//! | `Delete the file "F" in the folder "D"` | and confirm if asked; so for `Rename ... to "G"` and `Move ... into the folder "E"` |
//! | `Open "/D/F" with "Run"` | choose that entry of the start menu |
//! | `Compute A × B with "P"` | so that the display shows the result; also `+` and `−` |
//! | `In "P" under "Q", turn on "S" and turn off "T"` | on the page Q, and applied if there is a button for that |
//! | `choose "V" for "L"` | one of several values of what is labelled L |
//! | `fill in "L" with "V"` | a field by its label |
//! | `press "B"` | a button |
//! | `Answer the question about "F" with "B"` | press B in the message box that names F |
//! | `answer their questions with "B"` | of windows that were closed: the message boxes that come of it |
//! | `If a message about N appears, answer it with "B"` | N in plain words; it may come at any time |
//! | `Close the windows "W" and "X"` | by their whole titles; `leave the others open` |
//! | `Bring the window "W" to the front` | it may be covered |
//! | `Scroll the document to its end` | a wheel over it |
//! | `Copy the text of the window "W" into the window "X"` | all of it |

mod books;
mod files;
mod notes;
mod orders;
mod reach;
mod settings;
mod windows;

use super::apps::Message;
use super::apps::settings::catalog;
use super::files::Entry;
use super::words::Words;
use super::{Desk, Files};
use crate::engine::World as _;
use crate::random::Random;
use crate::task::{Hand, PLAIN_TOOLS, TaskError, TaskInfo, Verdict};
use reach::Reach;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Something to do on a desk.
trait Task: Send {
    /// What is wanted, as a person would say it.
    fn objective(&self, words: &Words) -> String;

    /// Puts on the desk what the task takes.
    fn stage(&mut self, desk: &mut Desk, random: &mut Random);

    /// What is to be different afterwards; all other files and settings must be as they were.
    fn wanted(&self, desk: &Desk) -> Wanted;

    /// What else must be so. `Err` says what is not.
    fn check(&self, desk: &Desk) -> Result<(), String>;

    /// The next movement towards it. Asked only while it is not done.
    fn next(&self, reach: &Reach<'_>) -> Hand;

    /// A message box that nobody asked for, once its time has come.
    fn interrupt(&self, _: &Desk) -> Option<Message> {
        None
    }

    /// All of it, as [`TaskKind::load`] takes it.
    fn save(&self) -> Value;
}

/// Files and settings as a task wants them.
#[derive(Debug, Default)]
struct Wanted {
    /// By path; `None` is gone.
    files: Vec<(String, Option<String>)>,
    settings: Vec<(String, String)>,
}

impl Wanted {
    fn file(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self::default().and_file(path, Some(text.into()))
    }

    fn and_file(mut self, path: impl Into<String>, text: Option<String>) -> Self {
        self.files.push((path.into(), text));
        self
    }

    fn setting(name: &str, value: &str) -> Self {
        Self::default().and_setting(name, value)
    }

    fn and_setting(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// One task: a line of [`TASKS`].
pub struct TaskKind {
    pub info: TaskInfo,
    plan: fn(&mut Random, &Words) -> Box<dyn Task>,
    load: fn(Value) -> Result<Box<dyn Task>, serde_json::Error>,
}

const CLICK: &[&str] = &["click"];
const CLICK_TYPE: &[&str] = &["click", "type"];
const CLICK_SCROLL: &[&str] = &["click", "scroll"];

const fn info(
    name: &'static str,
    level: u8,
    tools: &'static [&'static str],
    about: &'static str,
) -> TaskInfo {
    TaskInfo { name, about, tools, level, displays: 1 }
}

/// Every task of the desk; help, docs and tests go through it.
#[rustfmt::skip]
pub const TASKS: &[TaskKind] = &[
    TaskKind { info: info("write-note", 1, CLICK_TYPE, "start the editor, write a line, save it under a name"), plan: notes::WriteNote::plan, load: load::<notes::WriteNote> },
    TaskKind { info: info("append-line", 2, CLICK_TYPE, "open a named file from the file list, add a line, save"), plan: notes::AppendLine::plan, load: load::<notes::AppendLine> },
    TaskKind { info: info("interrupted-note", 3, CLICK_TYPE, "write and save a note; a message box gets in the way"), plan: notes::WriteNote::plan_interrupted, load: load::<notes::WriteNote> },
    TaskKind { info: info("copy-text", 2, CLICK_TYPE, "copy a text from one editor window into another, save"), plan: notes::CopyText::plan, load: load::<notes::CopyText> },
    TaskKind { info: info("answer-questions", 2, CLICK, "answer the message boxes about three unsaved texts, each as told"), plan: notes::Answer::plan, load: load::<notes::Answer> },
    TaskKind { info: info("compute", 1, CLICK, "compute with the calculator"), plan: books::Compute::plan, load: load::<books::Compute> },
    TaskKind { info: info("read-to-end", 1, CLICK_SCROLL, "scroll a document to its end, answer it there, close it"), plan: books::ReadToEnd::plan, load: load::<books::ReadToEnd> },
    TaskKind { info: info("switches", 2, CLICK_SCROLL, "turn one named switch on and another off, deep in the settings"), plan: settings::Switches::plan, load: load::<settings::Switches> },
    TaskKind { info: info("theme", 2, CLICK_SCROLL, "choose the other theme and an accent colour"), plan: settings::Theme::plan, load: load::<settings::Theme> },
    TaskKind { info: info("delete-file", 2, CLICK_SCROLL, "delete a named file and confirm"), plan: files::Delete::plan, load: load::<files::Delete> },
    TaskKind { info: info("rename-file", 2, PLAIN_TOOLS, "give a named file another name"), plan: files::Rename::plan, load: load::<files::Rename> },
    TaskKind { info: info("run-dialog", 1, CLICK_TYPE, "open a file by its path with the run dialog"), plan: files::RunPath::plan, load: load::<files::RunPath> },
    TaskKind { info: info("order", 2, PLAIN_TOOLS, "fill in the order form and submit it"), plan: orders::Order::plan, load: load::<orders::Order> },
    TaskKind { info: info("memo-code", 2, CLICK_TYPE, "read a code in a memo, write it into a file"), plan: books::MemoCode::plan, load: load::<books::MemoCode> },
    TaskKind { info: info("close-windows", 1, CLICK, "close two named windows of five"), plan: windows::Close::plan, load: load::<windows::Close> },
    TaskKind { info: info("covered-window", 2, CLICK, "bring a covered window to the front, check a box, press its button"), plan: windows::Covered::plan, load: load::<windows::Covered> },
    TaskKind { info: info("copy-by-keys", 2, &["click", "key"], "the same as copy-text with Ctrl+A, Ctrl+C, Ctrl+V and Ctrl+S"), plan: notes::CopyText::plan_keys, load: load::<notes::CopyText> },
    TaskKind { info: info("close-by-keys", 1, &["click", "key"], "close two named windows with Alt+F4"), plan: windows::Close::plan_keys, load: load::<windows::Close> },
    TaskKind { info: info("drag-file", 2, &["click", "double_click", "drag", "scroll"], "drag a file into a folder"), plan: files::Move::plan, load: load::<files::Move> },
    TaskKind { info: info("double-click", 1, &["click", "double_click", "scroll"], "open a file of the file list by a double click"), plan: files::OpenFile::plan, load: load::<files::OpenFile> },
    TaskKind { info: info("hide-windows", 1, &["click", "right_click"], "hide all windows by the menu of the desktop"), plan: windows::HideAll::plan, load: load::<windows::HideAll> },
    TaskKind { info: info("left-half", 2, &["click", "drag"], "move and size a window to the left half of the screen"), plan: windows::LeftHalf::plan, load: load::<windows::LeftHalf> },
    TaskKind { info: TaskInfo { displays: 2, ..info("second-display", 2, &["click", "drag"], "move a window to the other display") }, plan: windows::OtherDisplay::plan, load: load::<windows::OtherDisplay> },
];

fn load<T: Task + DeserializeOwned + 'static>(state: Value) -> Result<Box<dyn Task>, serde_json::Error> {
    Ok(Box::new(serde_json::from_value::<T>(state)?))
}

/// The tasks as lists show them.
pub fn infos() -> Vec<TaskInfo> {
    TASKS.iter().map(|kind| kind.info).collect()
}

/// A task that has begun.
pub(super) struct Stage {
    kind: &'static TaskKind,
    task: Box<dyn Task>,
    facts: Facts,
}

/// What is plain data of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Facts {
    name: String,
    objective: String,
    files: BTreeMap<String, Entry>,
    settings: BTreeMap<String, String>,
    interrupted: bool,
}

/// A stage as it is saved.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedStage {
    facts: Facts,
    task: Value,
}

impl Stage {
    pub(super) fn save(&self) -> SavedStage {
        SavedStage { facts: self.facts.clone(), task: self.task.save() }
    }

    /// `Err` says what is wrong with it.
    pub(super) fn load(saved: SavedStage) -> Result<Self, String> {
        let SavedStage { facts, task } = saved;
        let kind = TASKS.iter().find(|k| k.info.name == facts.name);
        let kind = kind.ok_or_else(|| format!("this version has no task {:?}", facts.name))?;
        let task = (kind.load)(task).map_err(|why| why.to_string())?;
        Ok(Self { kind, task, facts })
    }
}

impl Desk {
    pub(super) fn begin_task(&mut self, name: &str) -> Result<String, TaskError> {
        let there = || TASKS.iter().map(|k| k.info.name).collect::<Vec<_>>().join(", ");
        let kind = TASKS.iter().find(|k| k.info.name == name);
        let kind = kind.ok_or_else(|| TaskError::NoSuchTask {
            world: "desk",
            name: name.to_owned(),
            there: there(),
        })?;
        let has = self.displays().len();
        if has < usize::from(kind.info.displays) {
            return Err(TaskError::Displays { name: kind.info.name, needs: kind.info.displays, has });
        }
        let mut random = Random::of(self.seed(), name);
        let mut task = (kind.plan)(&mut random, self.words());
        task.stage(self, &mut random);
        self.revision += 1;
        self.refresh_all();
        let objective = task.objective(self.words());
        let facts = Facts {
            name: name.to_owned(),
            objective: objective.clone(),
            files: self.files().all().clone(),
            settings: self.settings().all().clone(),
            interrupted: false,
        };
        self.stage = Some(Stage { kind, task, facts });
        Ok(objective)
    }

    /// What the task that has begun wants, in its words.
    pub(super) fn staged_objective(&self) -> Option<&str> {
        self.stage.as_ref().map(|s| s.facts.objective.as_str())
    }

    pub(super) fn judge(&self) -> Option<Verdict> {
        let stage = self.stage.as_ref()?;
        let verdict = match self.faults(stage) {
            Ok(()) => Verdict { verified: true, why: format!("{}: all is as wanted", stage.kind.info.name) },
            Err(why) => Verdict { verified: false, why },
        };
        Some(verdict)
    }

    fn faults(&self, stage: &Stage) -> Result<(), String> {
        stage.task.check(self)?;
        let wanted = stage.task.wanted(self);
        compare_files(self.files(), &stage.facts.files, &wanted.files)?;
        compare_settings(self.settings().all(), &stage.facts.settings, &wanted.settings)?;
        if let Some(window) = self.window_truths().iter().find(|w| w.model["dirty"] == true) {
            return Err(format!("the window {:?} holds unsaved text", window.frame.title));
        }
        let (keys, buttons) = self.held();
        if !keys.is_empty() || !buttons.is_empty() {
            return Err(format!("still held down: {keys:?} {buttons:?}"));
        }
        Ok(())
    }

    pub(super) fn advise(&self) -> Hand {
        match (&self.stage, self.judge()) {
            (Some(stage), Some(verdict)) if !verdict.verified => stage.task.next(&Reach { desk: self }),
            _ => Hand::Done,
        }
    }

    /// After each input: what comes of itself.
    pub(super) fn stir(&mut self) {
        let due = self.stage.as_ref().filter(|s| !s.facts.interrupted).and_then(|s| s.task.interrupt(self));
        if let (Some(message), Some(stage)) = (due, &mut self.stage) {
            stage.facts.interrupted = true;
            self.announce(message);
        }
    }
}

/// Texts are the same but for blanks and line breaks at their end.
fn compare_files(
    now: &Files,
    before: &BTreeMap<String, Entry>,
    wanted: &[(String, Option<String>)],
) -> Result<(), String> {
    let mut should = before.clone();
    for (path, text) in wanted {
        match text {
            Some(text) => should.insert(path.clone(), Entry::Text(text.clone())),
            None => should.remove(path),
        };
    }
    let plain = |entry: &Entry| match entry {
        Entry::Text(text) => Entry::Text(text.trim_end().to_owned()),
        Entry::Folder => Entry::Folder,
    };
    for (path, entry) in &should {
        match now.all().get(path) {
            None => return Err(format!("{path} is missing")),
            Some(there) if plain(there) != plain(entry) => {
                return Err(format!("{path} should be {entry:?} and is {there:?}"));
            }
            Some(_) => {}
        }
    }
    now.all()
        .keys()
        .find(|path| !should.contains_key(*path))
        .map_or(Ok(()), |path| Err(format!("{path} should not be there")))
}

fn compare_settings(
    now: &BTreeMap<String, String>,
    before: &BTreeMap<String, String>,
    wanted: &[(String, String)],
) -> Result<(), String> {
    let mut should = before.clone();
    should.extend(wanted.iter().cloned());
    // What nobody has set is as the catalog says.
    let of = |values: &BTreeMap<String, String>, name: &str| {
        values
            .get(name)
            .cloned()
            .unwrap_or_else(|| catalog::row(name).map(|r| r.default()).unwrap_or_default())
    };
    let names = should.keys().chain(now.keys());
    for name in names {
        let (should, is) = (of(&should, name), of(now, name));
        if should != is {
            return Err(format!("the setting {name:?} should be {should:?} and is {is:?}"));
        }
    }
    Ok(())
}

/// One of some words.
fn one(random: &mut Random, of: &[&str]) -> String {
    random.pick(of).copied().unwrap_or_default().to_owned()
}

/// `n` different ones.
fn some<'a>(random: &mut Random, of: &[&'a str], n: usize) -> Vec<&'a str> {
    let mut all = of.to_vec();
    random.shuffle(&mut all);
    all.truncate(n);
    all
}

/// Names of files that no desk has at first.
const FILE_NAMES: &[&str] = &[
    "list", "garden", "budget", "report", "letter", "plan", "guests", "hours", "results", "summary",
    "packing", "menu", "repairs", "contacts", "minutes", "prices",
];

/// Lines to write.
const LINES: &[&str] = &[
    "Buy 3 kg of apples",
    "Call the plumber on Monday",
    "Meeting moved to 14:30",
    "Pay the rent by Friday",
    "Book two seats for 19:45",
    "Return the blue umbrella",
    "Order 12 boxes of paper",
    "Water the tomatoes twice a week",
    "Ask Nora for the keys",
    "Bring 5 chairs and a table",
    "Renew the library card",
    "Send the photos to Peter",
];

/// Opens a few windows that have nothing to do with the task.
fn clutter(desk: &mut Desk, random: &mut Random, most: i32) {
    for _ in 0..random.range(0, most) {
        let key = one(random, &["calculator", "player", "memo", "files"]);
        let _window = desk.open_program(&key, &[]);
    }
}
