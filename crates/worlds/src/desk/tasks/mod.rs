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
//! | `type the result` | of the sum before |
//! | `save it`, `save it as "F"`, `Save the text as "F"` | by the program's menu, or its dialog if that is open; the folder that is proposed will do |
//! | `Open the file "F" in the folder "D"` | with the file list or any other way; D lies at the top of the computer |
//! | `Delete the file "F" in the folder "D"` | and confirm if asked; so for `Rename ... to "G"` and `Move ... into the folder "E"` |
//! | `Make the folder "E" in the folder "D"` | with the file list |
//! | `Drag the file "F" from the window "W" into the window "X"` | two file lists |
//! | `Open "/D/F" with "Run"` | choose that entry of the start menu |
//! | `Compute A × B with "P"` | so that the display shows the result; also `+` and `−` |
//! | `In "P", ...`, `In the window "W", ...` | with that program or window, which may be open and may have to come to the front first |
//! | `In "P" under "Q", turn on "S" and turn off "T"` | on the page Q, and applied if there is a button for that |
//! | `choose "V" for "L"` | one of several values of what is labelled L |
//! | `fill in "L" with "V"` | a field by its label |
//! | `drag "L" to about N` | a slider by its label, to within 3 |
//! | `select "R" and press "B"` | a row of a list, then a button |
//! | `press "B"` | a button |
//! | `choose "I" in the menu "M"` | of the menu bar |
//! | `choose "I" in the menu of the desktop`, `of the file "F"` | that of the right button |
//! | `Answer the question about "F" with "B"` | press B in the message box that names F |
//! | `answer their questions with "B"` | of windows that were closed: the message boxes that come of it; so `answer its question` of one, and `the question about it` of what is saved over a file |
//! | `Answer the message about N with "B"` | a message box; N in plain words |
//! | `If a message about N appears, answer it with "B"` | N in plain words; it may come at any time |
//! | `Close the windows "W" and "X"` | by their whole titles; `leave the others open` |
//! | `Bring the window "W" to the front` | it may be covered |
//! | `Minimise the window "W"`, `Maximise the window "W"` | by its title bar or any other way |
//! | `Move the windows "W" and "X" to the other display` | so that all of them is there |
//! | `with Ctrl+S`, `by a double click`, `With the keyboard alone` | the way is checked, too |
//! | `scroll the document to its end` | a wheel over it |
//! | `Copy the text of the window "W" into the window "X"` | all of it |

mod books;
mod cards;
mod dialogs;
mod files;
mod keys;
mod level;
mod menus;
mod messages;
mod notes;
mod orders;
mod player;
mod reach;
mod settings;
mod shell;
mod windows;

use super::apps::Message;
use super::apps::settings::catalog;
use super::files::Entry;
use super::words::Words;
use super::{Desk, Files};
use crate::engine::World as _;
use crate::random::Random;
use crate::task::{Hand, PLAIN_TOOLS, TaskError, TaskInfo, Verdict};
use handsight_base::key::Chord;
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
    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::default()
    }

    /// What else must be so. `Err` says what is not.
    fn check(&self, _: &Desk) -> Result<(), String> {
        Ok(())
    }

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
    files: Vec<(String, Option<Entry>)>,
    settings: Vec<(String, String)>,
}

impl Wanted {
    fn file(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self::default().and_file(path, Some(text.into()))
    }

    fn and_file(mut self, path: impl Into<String>, text: Option<String>) -> Self {
        self.files.push((path.into(), text.map(Entry::Text)));
        self
    }

    fn and_folder(mut self, path: impl Into<String>) -> Self {
        self.files.push((path.into(), Some(Entry::Folder)));
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
    TaskInfo { name, about, tools, level, displays: 1, percent: 100, demo: false }
}

/// Every task of the desk by level; help, docs and tests go through it.
#[rustfmt::skip]
pub const TASKS: &[TaskKind] = &[
    TaskKind { info: info("start-program", 1, CLICK, "start a named program from the start menu"), plan: shell::StartProgram::plan, load: load::<shell::StartProgram> },
    TaskKind { info: info("press-button", 1, CLICK, "turn on a box of a named window and press a button there"), plan: cards::Decide::plan_one, load: load::<cards::Decide> },
    TaskKind { info: info("covered-window", 1, CLICK, "bring a covered window to the front, check a box, press its button").in_demo(), plan: cards::Covered::plan, load: load::<cards::Covered> },
    TaskKind { info: info("front-window", 1, CLICK, "bring a named window to the front"), plan: windows::OneWindow::plan_front, load: load::<windows::OneWindow> },
    TaskKind { info: info("close-window", 1, CLICK, "close one named window of three"), plan: windows::OneWindow::plan_close, load: load::<windows::OneWindow> },
    TaskKind { info: info("minimise-window", 1, CLICK, "minimise a named window"), plan: windows::OneWindow::plan_minimise, load: load::<windows::OneWindow> },
    TaskKind { info: info("maximise-window", 1, CLICK, "maximise a named window"), plan: windows::OneWindow::plan_maximise, load: load::<windows::OneWindow> },
    TaskKind { info: info("answer-message", 1, CLICK, "answer a message box as told"), plan: messages::AnswerMessages::plan_one, load: load::<messages::AnswerMessages> },
    TaskKind { info: info("close-unsaved", 1, CLICK, "close a window with unsaved text, answer what it asks"), plan: messages::CloseUnsaved::plan, load: load::<messages::CloseUnsaved> },
    TaskKind { info: info("delete-shown", 1, CLICK, "delete a file of the list that is open and confirm"), plan: files::Delete::plan_shown, load: load::<files::Delete> },
    TaskKind { info: info("pick-file", 1, CLICK, "pick a file in the dialog that asks for one"), plan: dialogs::PickFile::plan, load: load::<dialogs::PickFile> },
    TaskKind { info: info("name-text", 1, CLICK_TYPE, "give a text its name in the dialog that asks for one"), plan: dialogs::NameText::plan, load: load::<dialogs::NameText> },
    TaskKind { info: info("write-line", 1, CLICK_TYPE, "type a line into the text that is open, save it"), plan: notes::WriteLine::plan, load: load::<notes::WriteLine> },
    TaskKind { info: info("select-all", 1, CLICK, "choose a named item of a named menu"), plan: menus::SelectAll::plan, load: load::<menus::SelectAll> },
    TaskKind { info: info("digit-sum", 1, CLICK_TYPE, "compute a sum of single digits"), plan: books::Compute::plan_digits, load: load::<books::Compute> },
    TaskKind { info: info("switch-shown", 1, CLICK, "turn two switches in the settings that are open"), plan: settings::SetShown::plan_switches, load: load::<settings::SetShown> },
    TaskKind { info: info("other-page", 1, CLICK, "turn to another page of the settings and turn a switch there"), plan: settings::SetShown::plan_page, load: load::<settings::SetShown> },
    TaskKind { info: info("pick-theme", 1, CLICK, "choose the other theme in the settings that are open"), plan: settings::SetShown::plan_theme, load: load::<settings::SetShown> },
    TaskKind { info: info("pick-accent", 1, CLICK, "choose an accent colour from a list that opens"), plan: settings::SetShown::plan_accent, load: load::<settings::SetShown> },
    TaskKind { info: info("play-track", 1, CLICK, "select a track and play it"), plan: player::PlayTrack::plan, load: load::<player::PlayTrack> },
    TaskKind { info: info("form-field", 1, CLICK_TYPE, "fill in one field of a form"), plan: orders::FillPart::plan_field, load: load::<orders::FillPart> },
    TaskKind { info: info("form-choices", 1, CLICK, "choose from a list and of three options in a form"), plan: orders::FillPart::plan_choices, load: load::<orders::FillPart> },
    TaskKind { info: info("scroll-to-end", 1, CLICK_SCROLL, "scroll a document to its end"), plan: books::ScrollToEnd::plan, load: load::<books::ScrollToEnd> },
    TaskKind { info: info("hide-windows", 1, &["click", "right_click"], "hide all windows by the menu of the desktop"), plan: shell::HideAll::plan, load: load::<shell::HideAll> },
    TaskKind { info: info("file-menu", 1, &["click", "right_click"], "open a file by the menu of the right button, on a sharp display").sharp(150), plan: menus::FileMenu::plan_open, load: load::<menus::FileMenu> },
    TaskKind { info: info("open-icon", 1, &["click", "double_click"], "start a program by a double click on its icon"), plan: shell::StartProgram::plan_icon, load: load::<shell::StartProgram> },
    TaskKind { info: info("drop-file", 1, &["click", "drag"], "drag a file into a folder of the same list"), plan: files::Move::plan_shown, load: load::<files::Move> },
    TaskKind { info: info("drag-volume", 1, &["click", "drag"], "drag a slider to a value, on a sharp display").sharp(200), plan: player::Volume::plan, load: load::<player::Volume> },
    TaskKind { info: info("left-half", 1, &["click", "drag"], "move and size a window to the left half of the screen"), plan: windows::LeftHalf::plan, load: load::<windows::LeftHalf> },
    TaskKind { info: info("second-display", 1, &["click", "drag"], "move a window to the other display").on_two(), plan: windows::OtherDisplay::plan, load: load::<windows::OtherDisplay> },
    TaskKind { info: info("save-by-keys", 1, &["click", "key"], "save a text with Ctrl+S"), plan: keys::SaveByKeys::plan, load: load::<keys::SaveByKeys> },
    TaskKind { info: info("replace-by-keys", 1, &["click", "type", "key"], "replace a text with Ctrl+A and Ctrl+S"), plan: keys::SaveByKeys::plan_replace, load: load::<keys::SaveByKeys> },
    TaskKind { info: info("front-by-keys", 1, &["key"], "bring the window used last to the front with Alt+Tab"), plan: windows::OneWindow::plan_front_by_keys, load: load::<windows::OneWindow> },
    TaskKind { info: info("write-note", 2, CLICK_TYPE, "start the editor, write a line, save it under a name").in_demo(), plan: notes::WriteNote::plan, load: load::<notes::WriteNote> },
    TaskKind { info: info("compute", 2, CLICK, "compute with the calculator").in_demo(), plan: books::Compute::plan, load: load::<books::Compute> },
    TaskKind { info: info("read-to-end", 2, CLICK_SCROLL, "scroll a document to its end, answer it there, close it").in_demo(), plan: books::ReadToEnd::plan, load: load::<books::ReadToEnd> },
    TaskKind { info: info("switches", 2, CLICK_SCROLL, "turn one named switch on and another off, deep in the settings").in_demo(), plan: settings::Switches::plan, load: load::<settings::Switches> },
    TaskKind { info: info("theme", 2, CLICK_SCROLL, "choose the other theme and an accent colour").in_demo(), plan: settings::Theme::plan, load: load::<settings::Theme> },
    TaskKind { info: info("delete-file", 2, CLICK_SCROLL, "delete a named file and confirm").in_demo(), plan: files::Delete::plan, load: load::<files::Delete> },
    TaskKind { info: info("rename-file", 2, PLAIN_TOOLS, "give a named file another name").in_demo(), plan: files::Rename::plan, load: load::<files::Rename> },
    TaskKind { info: info("run-dialog", 2, CLICK_TYPE, "open a file by its path with the run dialog").in_demo(), plan: files::RunPath::plan, load: load::<files::RunPath> },
    TaskKind { info: info("memo-code", 2, CLICK_TYPE, "read a code in a memo, write it into a file").in_demo(), plan: books::MemoCode::plan, load: load::<books::MemoCode> },
    TaskKind { info: info("replace-file", 2, CLICK_TYPE, "save a text over a file that is there, confirm"), plan: dialogs::NameText::plan_replace, load: load::<dialogs::NameText> },
    TaskKind { info: info("new-folder", 2, PLAIN_TOOLS, "make a folder with a name"), plan: dialogs::NewFolder::plan, load: load::<dialogs::NewFolder> },
    TaskKind { info: info("find-track", 2, CLICK_SCROLL, "scroll a list to a track and play it"), plan: player::PlayTrack::plan_hidden, load: load::<player::PlayTrack> },
    TaskKind { info: info("sharp-note", 2, CLICK_TYPE, "the same as write-note on a sharp display").sharp(150), plan: notes::WriteNote::plan, load: load::<notes::WriteNote> },
    TaskKind { info: info("drag-file", 2, &["click", "double_click", "drag", "scroll"], "drag a file into a folder"), plan: files::Move::plan, load: load::<files::Move> },
    TaskKind { info: info("double-click", 2, &["click", "double_click", "scroll"], "open a file of the file list by a double click"), plan: files::OpenFile::plan, load: load::<files::OpenFile> },
    TaskKind { info: info("rename-by-menu", 2, &["click", "right_click", "type"], "rename a file by the menu of the right button"), plan: menus::FileMenu::plan_rename, load: load::<menus::FileMenu> },
    TaskKind { info: info("append-line", 3, CLICK_TYPE, "open a named file from the file list, add a line, save").in_demo(), plan: notes::AppendLine::plan, load: load::<notes::AppendLine> },
    TaskKind { info: info("interrupted-note", 3, CLICK_TYPE, "write and save a note; a message box gets in the way").in_demo(), plan: notes::WriteNote::plan_interrupted, load: load::<notes::WriteNote> },
    TaskKind { info: info("copy-text", 3, CLICK_TYPE, "copy a text from one editor window into another, save").in_demo(), plan: notes::CopyText::plan, load: load::<notes::CopyText> },
    TaskKind { info: info("answer-questions", 3, CLICK, "answer the message boxes about three unsaved texts, each as told").in_demo(), plan: notes::Answer::plan, load: load::<notes::Answer> },
    TaskKind { info: info("order", 3, PLAIN_TOOLS, "fill in the order form and submit it").in_demo(), plan: orders::Order::plan, load: load::<orders::Order> },
    TaskKind { info: info("close-windows", 3, CLICK, "close two named windows of five").in_demo(), plan: windows::Close::plan, load: load::<windows::Close> },
    TaskKind { info: info("answer-messages", 3, CLICK, "answer three message boxes, each as told"), plan: messages::AnswerMessages::plan_three, load: load::<messages::AnswerMessages> },
    TaskKind { info: info("decide-three", 3, CLICK, "turn on a box and press a button in each of three windows"), plan: cards::Decide::plan_three, load: load::<cards::Decide> },
    TaskKind { info: info("sum-note", 3, CLICK_TYPE, "compute with the calculator and write the result into a file"), plan: books::SumNote::plan, load: load::<books::SumNote> },
    TaskKind { info: info("interrupted-switches", 3, CLICK_SCROLL, "turn two switches in the settings; a message box gets in the way"), plan: settings::Switches::plan_interrupted, load: load::<settings::Switches> },
    TaskKind { info: info("sharp-order", 3, PLAIN_TOOLS, "the same as order on a sharp display").sharp(200), plan: orders::Order::plan, load: load::<orders::Order> },
    TaskKind { info: info("copy-by-keys", 3, &["click", "key"], "the same as copy-text with Ctrl+A, Ctrl+C, Ctrl+V and Ctrl+S"), plan: notes::CopyText::plan_keys, load: load::<notes::CopyText> },
    TaskKind { info: info("close-by-keys", 3, &["click", "key"], "close two named windows with Alt+F4"), plan: windows::Close::plan_keys, load: load::<windows::Close> },
    TaskKind { info: info("note-by-keys", 3, &["type", "key"], "write and save a note without the mouse"), plan: keys::NoteByKeys::plan, load: load::<keys::NoteByKeys> },
    TaskKind { info: info("carry-file", 3, &["click", "drag"], "drag a file from one window into another"), plan: files::Carry::plan, load: load::<files::Carry> },
    TaskKind { info: info("second-display-two", 3, &["click", "drag"], "move two windows to the other display").on_two(), plan: windows::OtherDisplay::plan_two, load: load::<windows::OtherDisplay> },
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
    wanted: &[(String, Option<Entry>)],
) -> Result<(), String> {
    let mut should = before.clone();
    for (path, entry) in wanted {
        match entry {
            Some(entry) => should.insert(path.clone(), entry.clone()),
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
                return Err(format!("{path} should be {entry} and is {there}"));
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

/// Keys that are pressed together.
fn chord(keys: &str) -> Hand {
    keys.parse::<Chord>().map_or(reach::LOST, Hand::Key)
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
