//! Tasks about message boxes that nobody asked for, and about the question that a closed window asks.

use super::reach::{LOST, Reach};
use super::windows::hold_in;
use super::{FILE_NAMES, LINES, Task, Wanted, clutter, one, some};
use crate::desk::Desk;
use crate::desk::apps::Message;
use crate::desk::ui::icons::Icon;
use crate::desk::window::Frame;
use crate::desk::words::Words;
use crate::random::Random;
use crate::task::Hand;
use handsight_base::space::ScreenRect;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a message is about, its title, its text and its buttons.
const KINDS: &[(&str, &str, &str, &[&str; 3])] = &[
    ("updates", "System", "Updates are ready to be installed.", &["Later", "Install Now", "Details"]),
    ("the battery", "Power", "The battery is low.", &["Ignore", "Shut Down", "Sleep"]),
    ("a backup", "Backup", "It is time for a backup.", &["Skip", "Begin", "Remind Me"]),
    ("a new device", "Devices", "A new device was found.", &["Not Now", "Set Up", "Block"]),
];

/// A message box and how it is to be answered.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Interruption {
    /// What it is about, in the objective and in its text.
    about: String,
    title: String,
    text: String,
    /// What must be answered.
    answer: String,
    others: Vec<String>,
    /// Place of the right button.
    at: usize,
}

impl Interruption {
    pub(super) fn draw(random: &mut Random) -> Self {
        let kind = random.below(KINDS.len());
        Self::of(kind, random)
    }

    fn of(kind: usize, random: &mut Random) -> Self {
        let (about, title, text, buttons) = KINDS[kind];
        let answer = random.below(buttons.len());
        let others = buttons.iter().enumerate().filter(|(i, _)| *i != answer).map(|(_, b)| (*b).to_owned());
        Self {
            about: about.to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
            answer: buttons[answer].to_owned(),
            others: others.collect(),
            // Never the first button: Enter must not answer it.
            at: 1 + random.below(buttons.len() - 1),
        }
    }

    /// What is to be done if it comes.
    pub(super) fn objective(&self) -> String {
        format!("If a message about {} appears, answer it with \"{}\".", self.about, self.answer)
    }

    pub(super) fn message(&self) -> Message {
        let mut buttons = self.others.clone();
        buttons.insert(self.at.min(buttons.len()), self.answer.clone());
        let message = Message::new(Icon::Info, &self.title, &self.text);
        buttons.iter().fold(message, |message, text| message.button(&format!("answer {text}"), text))
    }

    /// The window that shows it.
    fn window(&self, desk: &Desk) -> Option<u64> {
        let shows = |id: &u64| desk.model(*id)["text"] == *self.text;
        desk.windows.iter().map(|w| w.frame.id).find(shows)
    }

    /// It came, and was answered as told.
    pub(super) fn check(&self, desk: &Desk) -> Result<(), String> {
        let Self { answer, title, others, .. } = self;
        let pressed = desk.seen().filter(|s| s.what.starts_with("message#"));
        let ours = |pressed: &&str| pressed == answer || others.iter().any(|other| other == pressed);
        let pressed = pressed
            .filter_map(|s| s.what.split_once(" press answer "))
            .map(|(_, pressed)| pressed)
            .find(ours);
        match pressed {
            Some(pressed) if pressed == answer => Ok(()),
            Some(pressed) => Err(format!("the message {title:?} was answered with {pressed:?}")),
            None => Err(format!("the message {title:?} was not answered with {answer:?}")),
        }
    }

    /// The next step to answering it; `None` if it is not there.
    pub(super) fn next(&self, reach: &Reach<'_>) -> Option<Hand> {
        self.window(reach.desk).map(|window| reach.press(window, &format!("answer {}", self.answer)))
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AnswerMessages {
    messages: Vec<Interruption>,
}

impl AnswerMessages {
    fn draw(random: &mut Random, n: usize) -> Box<dyn Task> {
        let mut kinds: Vec<usize> = (0..KINDS.len()).collect();
        random.shuffle(&mut kinds);
        Box::new(Self {
            messages: kinds.iter().take(n).map(|kind| Interruption::of(*kind, random)).collect(),
        })
    }

    pub(super) fn plan_one(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(random, 1)
    }

    pub(super) fn plan_three(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(random, 3)
    }
}

impl Task for AnswerMessages {
    fn objective(&self, _: &Words) -> String {
        let answer =
            |m: &Interruption| format!("Answer the message about {} with \"{}\".", m.about, m.answer);
        self.messages.iter().map(answer).collect::<Vec<_>>().join(" ")
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 2);
        let mut order: Vec<&Interruption> = self.messages.iter().collect();
        random.shuffle(&mut order);
        let work = desk.shell_layout().work;
        for message in order {
            desk.announce(message.message());
            let Some(Frame { id, outer, .. }) = desk.windows.last().map(|w| w.frame.clone()) else {
                continue;
            };
            // Anywhere: who does not look does not find it.
            let (dx, dy) = (random.range(-400, 400), random.range(-250, 250));
            let outer = ScreenRect { origin: outer.origin.offset(dx, dy), ..outer };
            desk.put(id, hold_in(outer, work));
        }
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        self.messages.iter().try_for_each(|message| message.check(desk))
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        // The topmost hides the others.
        let top = reach.top("message").map(|f| f.id);
        let message = self.messages.iter().find(|m| m.window(reach.desk) == top);
        message.and_then(|m| m.next(reach)).unwrap_or(LOST)
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// A window with unsaved text is closed, and the question that comes of it is answered.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CloseUnsaved {
    path: String,
    before: String,
    after: String,
    keep: bool,
    window: u64,
    title: String,
}

impl CloseUnsaved {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let lines = some(random, LINES, 2);
        Box::new(Self {
            path: format!("/Documents/{}.txt", one(random, FILE_NAMES)),
            before: lines[0].to_owned(),
            after: lines.join("\n"),
            keep: random.chance(50),
            window: 0,
            title: String::new(),
        })
    }
}

impl Task for CloseUnsaved {
    fn objective(&self, words: &Words) -> String {
        let answer = words.get(if self.keep { "save" } else { "dont save" });
        format!("Close the window \"{}\", and answer its question with \"{answer}\".", self.title)
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 1);
        let _written = desk.change_files(|files| files.write(&self.path, self.before.clone()));
        self.window = super::notes::open_changed(desk, &self.path, &self.after);
        self.title = super::windows::title(desk, self.window);
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        let text = if self.keep { &self.after } else { &self.before };
        Wanted::file(&self.path, text)
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        if desk.index(self.window).is_some() {
            return Err(format!("{:?} is still open", self.title));
        }
        Ok(())
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        match reach.dialog(self.window, "message") {
            Some(dialog) => reach.press(dialog, if self.keep { "save" } else { "drop" }),
            None => reach.close(self.window),
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
