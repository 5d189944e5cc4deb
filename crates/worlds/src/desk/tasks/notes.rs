//! Tasks about texts: written, continued, copied, and asked about.

use super::messages::Interruption;
use super::reach::{LOST, Reach};
use super::{FILE_NAMES, LINES, Task, Wanted, chord, clutter, one, some};
use crate::desk::Desk;
use crate::desk::apps::Message;
use crate::desk::files::{self, join};
use crate::desk::ui::Event;
use crate::desk::words::Words;
use crate::random::Random;
use crate::task::Hand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const DOCUMENTS: &str = "/Documents";

/// The editor window that holds this file.
pub(super) fn editor_of(desk: &Desk, path: &str) -> Option<u64> {
    let truths = desk.window_truths();
    truths.iter().find(|t| t.frame.app == "editor" && t.model["path"] == *path).map(|t| t.frame.id)
}

/// Names as objectives have them.
fn quoted(words: &[String]) -> String {
    words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(" and ")
}

/// Opens a file and puts another text into the window, which is not saved. The window.
pub(super) fn open_changed(desk: &mut Desk, path: &str, text: &str) -> u64 {
    let args: Vec<String> = if path.is_empty() { Vec::new() } else { vec![path.to_owned()] };
    let opened = desk.open_program("editor", &args);
    let Some((window, at)) = opened.and_then(|w| Some((w, desk.index(w)?))) else { return 0 };
    desk.windows[at].ui.set_text("text", text);
    desk.send(window, &Event::Change("text".to_owned()));
    window
}

/// Saves the text of a window under a name: by the menu and the dialog.
pub(super) fn save_as(reach: &Reach<'_>, window: u64, name: &str) -> Hand {
    match reach.dialog(window, "file dialog") {
        Some(dialog) => reach.fill(dialog, "name", name).unwrap_or_else(|| reach.press(dialog, "ok")),
        None => reach.menu(window, "save as"),
    }
}

/// A new file with this name, wherever it was put.
pub(super) fn new_file(desk: &Desk, name: &str, text: &str) -> Wanted {
    let path = desk.files().all().keys().find(|path| files::name(path) == name);
    Wanted::file(path.cloned().unwrap_or_else(|| join(DOCUMENTS, name)), text)
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WriteNote {
    text: String,
    name: String,
    interruption: Option<Interruption>,
}

impl WriteNote {
    fn draw(random: &mut Random) -> Self {
        let name = format!("{}.txt", one(random, FILE_NAMES));
        Self { text: one(random, LINES), name, interruption: None }
    }

    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Box::new(Self::draw(random))
    }

    pub(super) fn plan_interrupted(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let interruption = Some(Interruption::draw(random));
        Box::new(Self { interruption, ..Self::draw(random) })
    }
}

impl Task for WriteNote {
    fn objective(&self, words: &Words) -> String {
        let Self { text, name, .. } = self;
        let note =
            format!("Open \"{}\", type \"{text}\", and save it as \"{name}\".", words.program("editor"));
        self.interruption.as_ref().map_or_else(|| note.clone(), |i| format!("{note} {}", i.objective()))
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 2);
    }

    fn wanted(&self, desk: &Desk) -> Wanted {
        new_file(desk, &self.name, &self.text)
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        self.interruption.as_ref().map_or(Ok(()), |interruption| interruption.check(desk))
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        if let Some(hand) = self.interruption.as_ref().and_then(|i| i.next(reach)) {
            return hand;
        }
        let Some(editor) = reach.top("editor") else { return reach.start("editor") };
        if reach.dialog(editor.id, "file dialog").is_none()
            && let Some(hand) = reach.fill(editor.id, "text", &self.text)
        {
            return hand;
        }
        save_as(reach, editor.id, &self.name)
    }

    fn interrupt(&self, desk: &Desk) -> Option<Message> {
        let interruption = self.interruption.as_ref()?;
        desk.windows.iter().find(|w| w.frame.app == "file dialog")?;
        Some(interruption.message())
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// A line is typed into an empty file that is open, and saved.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WriteLine {
    path: String,
    line: String,
}

impl WriteLine {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Box::new(Self {
            path: format!("{DOCUMENTS}/{}.txt", one(random, FILE_NAMES)),
            line: one(random, LINES),
        })
    }
}

impl Task for WriteLine {
    fn objective(&self, _: &Words) -> String {
        format!("Type \"{}\" and save it.", self.line)
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 2);
        let _written = desk.change_files(|files| files.write(&self.path, ""));
        let _window = desk.open_program("editor", std::slice::from_ref(&self.path));
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::file(&self.path, &self.line)
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        match editor_of(reach.desk, &self.path) {
            Some(editor) => {
                reach.fill(editor, "text", &self.line).unwrap_or_else(|| reach.menu(editor, "save"))
            }
            None => LOST,
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AppendLine {
    path: String,
    before: String,
    line: String,
}

impl AppendLine {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let name = one(random, FILE_NAMES);
        let lines = some(random, LINES, 4);
        let before = lines[1..].iter().map(|l| format!("{l}\n")).collect();
        Box::new(Self { path: format!("{DOCUMENTS}/{name}.txt"), before, line: lines[0].to_owned() })
    }

    fn after(&self) -> String {
        format!("{}{}", self.before, self.line)
    }
}

impl Task for AppendLine {
    fn objective(&self, _: &Words) -> String {
        let name = files::name(&self.path);
        format!(
            "Open the file \"{name}\" in the folder \"Documents\", add the line \"{}\" at its end, and save it.",
            self.line
        )
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        let _written = desk.change_files(|files| files.write(&self.path, self.before.clone()));
        clutter(desk, random, 1);
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::file(&self.path, self.after())
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        match editor_of(reach.desk, &self.path) {
            Some(editor) => {
                reach.fill(editor, "text", &self.after()).unwrap_or_else(|| reach.menu(editor, "save"))
            }
            None => super::files::open(reach, &self.path),
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CopyText {
    from: String,
    to: String,
    text: String,
    keys: bool,
}

impl CopyText {
    fn draw(random: &mut Random, keys: bool) -> Box<dyn Task> {
        let names = some(random, FILE_NAMES, 2);
        let path = |name: &str| format!("{DOCUMENTS}/{name}.txt");
        let text = some(random, LINES, 3).join("\n");
        Box::new(Self { from: path(names[0]), to: path(names[1]), text, keys })
    }

    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(random, false)
    }

    pub(super) fn plan_keys(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(random, true)
    }
}

impl Task for CopyText {
    fn objective(&self, words: &Words) -> String {
        let title = |path: &str| format!("{} - {}", files::name(path), words.program("editor"));
        let (from, to) = (title(&self.from), title(&self.to));
        let how = if self.keys { " with Ctrl+A, Ctrl+C and Ctrl+V" } else { "" };
        format!("Copy the text of the window \"{from}\" into the window \"{to}\"{how}, and save it.")
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        desk.change_files(|files| {
            let _written = files.write(&self.from, self.text.clone());
            let _written = files.write(&self.to, "");
        });
        let mut paths = [self.from.clone(), self.to.clone()];
        random.shuffle(&mut paths);
        for path in paths {
            let _window = desk.open_program("editor", &[path]);
        }
        clutter(desk, random, 1);
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::file(&self.to, &self.text)
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        // It may have been typed; with the keys it must have been copied.
        if self.keys && desk.core.clipboard != self.text {
            return Err("the text was not copied".to_owned());
        }
        Ok(())
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let windows = editor_of(reach.desk, &self.from).zip(editor_of(reach.desk, &self.to));
        let Some((from, to)) = windows else { return LOST };
        let active = reach.desk.core.active;
        let copied = reach.desk.core.clipboard == self.text;
        let ui = |window: u64| reach.ui(window);
        let all =
            ui(from).and_then(|ui| ui.states().get("text")).is_some_and(|s| s.edit.selected() == self.text);
        let pasted = ui(to).is_some_and(|ui| ui.text("text") == self.text);
        let window = if copied { to } else { from };
        if self.keys {
            return match (active == Some(window), copied, all, pasted) {
                (false, ..) => reach.press(window, "text"),
                (_, false, false, _) => chord("ctrl+a"),
                (_, false, true, _) => chord("ctrl+c"),
                (_, true, _, false) => chord("ctrl+v"),
                (_, true, _, true) => chord("ctrl+s"),
            };
        }
        let item = match (copied, all, pasted) {
            (false, false, _) => "select all",
            (false, true, _) => "copy",
            (true, _, false) => "paste",
            (true, _, true) => "save",
        };
        reach.menu(window, item)
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    questions: Vec<Question>,
}

/// An editor window that asks whether to save.
#[derive(Debug, Serialize, Deserialize)]
struct Question {
    path: String,
    before: String,
    after: String,
    keep: bool,
    window: u64,
    title: String,
}

impl Answer {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let (names, lines) = (some(random, FILE_NAMES, 3), some(random, LINES, 6));
        // The first asks already, the others once they are closed; those are answered otherwise.
        let first_is_kept = random.chance(50);
        let question = |(i, name): (usize, &&str)| Question {
            path: format!("{DOCUMENTS}/{name}.txt"),
            before: lines[i].to_owned(),
            after: format!("{}\n{}", lines[i], lines[i + 3]),
            keep: (i == 0) == first_is_kept,
            window: 0,
            title: String::new(),
        };
        Box::new(Self { questions: names.iter().enumerate().map(question).collect() })
    }
}

impl Task for Answer {
    fn objective(&self, words: &Words) -> String {
        let answer = |q: &Question| words.get(if q.keep { "save" } else { "dont save" });
        let [first, others @ ..] = self.questions.as_slice() else { return String::new() };
        let titles: Vec<String> = others.iter().map(|q| q.title.clone()).collect();
        format!(
            "Answer the question about \"{}\" with \"{}\". Close the windows {}, and answer their questions with \"{}\".",
            files::name(&first.path),
            answer(first),
            quoted(&titles),
            others.first().map_or("", answer),
        )
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        for question in &mut self.questions {
            let _written = desk.change_files(|files| files.write(&question.path, question.before.clone()));
        }
        let mut order: Vec<usize> = (0..self.questions.len()).collect();
        random.shuffle(&mut order);
        for at in order {
            let question = &mut self.questions[at];
            question.window = open_changed(desk, &question.path, &question.after);
            question.title = desk.frame(question.window).map_or_else(String::new, |f| f.title.clone());
        }
        if let Some(first) = self.questions.first() {
            desk.send(first.window, &Event::Close);
        }
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        let kept = self.questions.iter().filter(|q| q.keep);
        kept.fold(Wanted::default(), |wanted, q| wanted.and_file(&q.path, Some(q.after.clone())))
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        let open: Vec<String> = self
            .questions
            .iter()
            .filter(|q| desk.index(q.window).is_some())
            .map(|q| files::name(&q.path).to_owned())
            .collect();
        if open.is_empty() { Ok(()) } else { Err(format!("not answered: {}", quoted(&open))) }
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let open = self.questions.iter().find(|q| reach.desk.index(q.window).is_some());
        let Some(question) = open else { return LOST };
        match reach.dialog(question.window, "message") {
            Some(dialog) => reach.press(dialog, if question.keep { "save" } else { "drop" }),
            // It does not ask yet, or no longer.
            None => reach.close(question.window),
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
