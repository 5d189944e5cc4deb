//! Tasks about numbers and things to read.

use super::notes::{new_file, save_as};
use super::reach::{LOST, Reach};
use super::{FILE_NAMES, Task, Wanted, clutter, one, some};
use crate::desk::Desk;
use crate::desk::ui::node::Kind;
use crate::desk::words::Words;
use crate::random::Random;
use crate::task::Hand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Compute {
    first: u32,
    second: u32,
    operation: Operation,
    /// Of one digit each, with the calculator in front: the sum can be typed.
    digits: bool,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Operation {
    Add,
    Subtract,
    Multiply,
}

impl Compute {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let operations = [Operation::Multiply, Operation::Multiply, Operation::Add, Operation::Subtract];
        let operation = *random.pick(&operations).unwrap_or(&Operation::Multiply);
        let (a, b) = (random.range(120, 989) as u32, random.range(12, 98) as u32);
        Box::new(Self { first: a, second: b, operation, digits: false })
    }

    pub(super) fn plan_digits(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let operations = [Operation::Multiply, Operation::Add, Operation::Subtract];
        let operation = *random.pick(&operations).unwrap_or(&Operation::Multiply);
        let second = random.range(2, 8) as u32;
        Box::new(Self { first: random.range(second as i32 + 1, 9) as u32, second, operation, digits: true })
    }

    const fn sign(&self) -> char {
        match self.operation {
            Operation::Add => '+',
            Operation::Subtract => '−',
            Operation::Multiply => '×',
        }
    }

    const fn key(&self) -> &'static str {
        match self.operation {
            Operation::Add => "add",
            Operation::Subtract => "subtract",
            Operation::Multiply => "multiply",
        }
    }

    const fn result(&self) -> u32 {
        match self.operation {
            Operation::Add => self.first + self.second,
            Operation::Subtract => self.first - self.second,
            Operation::Multiply => self.first * self.second,
        }
    }
}

impl Task for Compute {
    fn objective(&self, words: &Words) -> String {
        format!(
            "Compute {} {} {} with \"{}\".",
            self.first,
            self.sign(),
            self.second,
            words.program("calculator")
        )
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        for _ in 0..random.below(3) {
            let key = one(random, &["player", "memo", "files"]);
            let _window = desk.open_program(&key, &[]);
        }
        if self.digits {
            let _window = desk.open_program("calculator", &[]);
        }
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        let truths = desk.window_truths();
        let calculator =
            truths.iter().find(|t| t.frame.app == "calculator").ok_or("the calculator is not open")?;
        let (a, b, sign) = (self.first, self.second, self.sign());
        let mut ways = vec![format!("{a} {sign} {b}")];
        if !matches!(self.operation, Operation::Subtract) {
            ways.push(format!("{b} {sign} {a}"));
        }
        let last = calculator.model["history"].as_array().and_then(|h| h.last()).cloned().unwrap_or_default();
        let result = self.result().to_string();
        let computed = ways.iter().any(|way| last["expression"] == **way) && last["result"] == *result;
        if !computed {
            return Err(format!("the calculator computed {last} last"));
        }
        let shown = &calculator.model["shown"];
        if *shown == *result { Ok(()) } else { Err(format!("the calculator shows {shown}")) }
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let Some(calculator) = reach.top("calculator").map(|f| f.id) else {
            return reach.start("calculator");
        };
        let truths = reach.desk.window_truths();
        let Some(model) = truths.iter().find(|t| t.frame.id == calculator).map(|t| &t.model) else {
            return LOST;
        };
        if self.digits && reach.desk.core.active == Some(calculator) && model["waiting"].is_null() {
            let sign = if matches!(self.operation, Operation::Subtract) { '-' } else { self.sign() };
            return Hand::Type(format!("{}{sign}{}=", self.first, self.second));
        }
        let (shown, fresh) = (model["shown"].as_str().unwrap_or_default(), model["fresh"] == true);
        let (first, second) = (self.first.to_string(), self.second.to_string());
        // The next key of a number of which some digits are there.
        let digit = |number: &str| {
            let typed = if fresh || shown == "0" { "" } else { shown };
            number.strip_prefix(typed).map(|rest| rest.chars().next().map(String::from))
        };
        let waiting = &model["waiting"];
        let right_wait = waiting[0] == *first && waiting[1] == *self.key();
        let key = match (waiting.is_null(), digit(&first), digit(&second)) {
            (true, Some(Some(next)), _) => next,
            (true, Some(None), _) => self.key().to_owned(),
            (false, _, Some(Some(next))) if right_wait => next,
            (false, _, Some(None)) if right_wait => "equals".to_owned(),
            _ => "clear".to_owned(),
        };
        reach.press(calculator, &key)
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ReadToEnd {
    kind: String,
    agree: bool,
    window: u64,
    title: String,
}

impl ReadToEnd {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let kind = one(random, &["license", "manual", "policy"]);
        Box::new(Self { kind, agree: random.chance(50), window: 0, title: String::new() })
    }

    const fn button(&self) -> &'static str {
        if self.agree { "agree" } else { "decline" }
    }
}

impl Task for ReadToEnd {
    fn objective(&self, words: &Words) -> String {
        let button = words.get(self.button());
        format!(
            "Scroll the document to its end, press \"{button}\", and close the window \"{}\".",
            self.title
        )
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 1);
        self.window = desk.open_program("reader", std::slice::from_ref(&self.kind)).unwrap_or_default();
        self.title = desk.frame(self.window).map_or_else(String::new, |f| f.title.clone());
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        let answer = if self.agree { "accepted" } else { "declined" };
        Wanted::setting(&format!("agreement {}", self.kind), answer)
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        if desk.index(self.window).is_none() {
            Ok(())
        } else {
            Err(format!("{:?} is still open", self.title))
        }
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let placed = reach.ui(self.window).map(|ui| ui.placed()).unwrap_or_default();
        if !reach.desk.settings().get(&format!("agreement {}", self.kind)).is_empty() {
            return reach.close(self.window);
        }
        let find = |id: &str| placed.iter().find(|p| p.id == id);
        match (
            find(self.button()),
            placed.iter().find(|p| p.id == "page" && matches!(p.kind, Kind::Scroll { .. })),
        ) {
            (Some(button), _) if button.enabled => reach.press(self.window, self.button()),
            (_, Some(page)) => reach.scroll(self.window, page, page.content, reach.desk.theme().row_height()),
            _ => LOST,
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct MemoCode {
    label: String,
    code: String,
    others: Vec<String>,
    name: String,
}

impl MemoCode {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let labels = some(random, &["Locker code", "Door code", "Alarm code", "Gate code", "Safe code"], 3);
        let mut codes = vec![random.range(1000, 9999)];
        while codes.len() < 3 {
            let code = random.range(1000, 9999);
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
        let others = labels.iter().zip(&codes).skip(1).map(|(label, code)| format!("{label}: {code}"));
        Box::new(Self {
            label: labels[0].to_owned(),
            code: codes[0].to_string(),
            others: others.collect(),
            name: format!("{}.txt", one(random, FILE_NAMES)),
        })
    }
}

impl Task for MemoCode {
    fn objective(&self, words: &Words) -> String {
        let (editor, memo) = (words.program("editor"), words.program("memo"));
        let Self { label, name, .. } = self;
        format!("Open \"{editor}\", type the \"{label}\" that \"{memo}\" shows, and save it as \"{name}\".")
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        let mut lines = self.others.clone();
        lines.push(format!("{}: {}", self.label, self.code));
        random.shuffle(&mut lines);
        lines.insert(0, one(random, &["Don't forget", "For Monday", "Note to self", "Important"]));
        let _window = desk.open_program("memo", &lines);
    }

    fn wanted(&self, desk: &Desk) -> Wanted {
        new_file(desk, &self.name, &self.code)
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let Some(editor) = reach.top("editor").map(|f| f.id) else { return reach.start("editor") };
        if reach.dialog(editor, "file dialog").is_none()
            && let Some(hand) = reach.fill(editor, "text", &self.code)
        {
            return hand;
        }
        save_as(reach, editor, &self.name)
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// A document is read to its end, and nothing else is done with it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ScrollToEnd {
    kind: String,
    window: u64,
    title: String,
}

impl ScrollToEnd {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Box::new(Self {
            kind: one(random, &["license", "manual", "policy"]),
            window: 0,
            title: String::new(),
        })
    }
}

impl Task for ScrollToEnd {
    fn objective(&self, _: &Words) -> String {
        format!("In the window \"{}\", scroll the document to its end.", self.title)
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 1);
        self.window = desk.open_program("reader", std::slice::from_ref(&self.kind)).unwrap_or_default();
        self.title = super::windows::title(desk, self.window);
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        let (scrolled, most) = scrolled(desk, self.window).ok_or("the document was closed")?;
        if scrolled >= most { Ok(()) } else { Err(format!("scrolled by {scrolled} of {most}")) }
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let placed = reach.ui(self.window).map(|ui| ui.placed()).unwrap_or_default();
        let page = placed.iter().find(|p| p.id == "page" && matches!(p.kind, Kind::Scroll { .. }));
        page.map_or(LOST, |page| {
            reach.scroll(self.window, page, page.content, reach.desk.theme().row_height())
        })
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// How far a document is scrolled, and how far it can be.
fn scrolled(desk: &Desk, window: u64) -> Option<(i32, i32)> {
    let ui = desk.ui(window)?;
    let page = ui.placed().iter().find(|p| p.id == "page" && matches!(p.kind, Kind::Scroll { .. }))?;
    Some((ui.states().get("page").map_or(0, |s| s.scroll), ui.scroll_range(page, desk.theme())?))
}

/// What the calculator computes is written into a file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SumNote {
    sum: Compute,
    name: String,
}

impl SumNote {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let (first, second) = (random.range(120, 989) as u32, random.range(12, 98) as u32);
        let sum = Compute { first, second, operation: Operation::Multiply, digits: false };
        Box::new(Self { sum, name: format!("{}.txt", one(random, FILE_NAMES)) })
    }
}

impl Task for SumNote {
    fn objective(&self, words: &Words) -> String {
        format!(
            "{} Open \"{}\", type the result, and save it as \"{}\".",
            self.sum.objective(words),
            words.program("editor"),
            self.name
        )
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 1);
    }

    fn wanted(&self, desk: &Desk) -> Wanted {
        new_file(desk, &self.name, &self.sum.result().to_string())
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        self.sum.check(desk)
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        if self.sum.check(reach.desk).is_err() {
            return self.sum.next(reach);
        }
        let Some(editor) = reach.top("editor").map(|f| f.id) else { return reach.start("editor") };
        if reach.dialog(editor, "file dialog").is_none()
            && let Some(hand) = reach.fill(editor, "text", &self.sum.result().to_string())
        {
            return hand;
        }
        save_as(reach, editor, &self.name)
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
