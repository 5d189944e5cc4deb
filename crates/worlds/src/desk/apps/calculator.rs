//! The calculator: computes as desk calculators do, one operation after the other, and keeps what it computed.
//!
//! A result in its history was computed by it: nothing that is typed or pasted gets there by itself.

use super::{App, Cx, Look};
use crate::desk::ui::Event;
use crate::desk::ui::icons::Icon;
use crate::desk::ui::keys::keypad;
use crate::desk::ui::node::{
    Align, MenuItem, Node, Panel, button, column, display, grid, label, menu, menu_bar, row, scroll, space,
};
use crate::desk::words::Words;
use handsight_base::key::{Key, Named};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Digits that can be typed, and that a result is rounded to.
const MOST_DIGITS: usize = 12;
/// Results that are kept.
const MOST_HISTORY: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operation {
    const fn sign(self) -> char {
        match self {
            Self::Add => '+',
            Self::Subtract => '−',
            Self::Multiply => '×',
            Self::Divide => '÷',
        }
    }

    fn of(id: &str) -> Option<Self> {
        Some(match id {
            "add" => Self::Add,
            "subtract" => Self::Subtract,
            "multiply" => Self::Multiply,
            "divide" => Self::Divide,
            _ => return None,
        })
    }
}

/// What was computed, for the history and for checkers: `12 × 3` and `36`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Computed {
    expression: String,
    result: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Calculator {
    /// What the display shows: a number, or the meaning of an error.
    shown: String,
    /// The next digit begins a new number.
    fresh: bool,
    error: bool,
    /// The number and the operation that wait for a second number.
    waiting: Option<(String, Operation)>,
    /// What a further `=` does again.
    again: Option<(Operation, String)>,
    /// The newest last.
    history: Vec<Computed>,
}

impl Default for Calculator {
    fn default() -> Self {
        Self {
            shown: "0".to_owned(),
            fresh: true,
            error: false,
            waiting: None,
            again: None,
            history: Vec::new(),
        }
    }
}

/// A number as the display writes it; `None` if it has none.
fn written(value: f64) -> Option<String> {
    let size = value.abs();
    if !value.is_finite() || size >= 1e15 {
        return None;
    }
    let whole = if size < 1.0 { 1 } else { size.log10().floor() as usize + 1 };
    let text = format!("{value:.*}", MOST_DIGITS.saturating_sub(whole));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    Some(if text == "-0" { "0".to_owned() } else { text.to_owned() })
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or(0.0)
}

impl Calculator {
    fn digit(&mut self, digit: &str) {
        if self.fresh {
            self.shown = "0".to_owned();
            self.fresh = false;
        }
        if self.shown == "0" {
            digit.clone_into(&mut self.shown);
        } else if self.shown.chars().filter(char::is_ascii_digit).count() < MOST_DIGITS {
            self.shown.push_str(digit);
        }
    }

    fn point(&mut self) {
        if self.fresh {
            self.shown = "0".to_owned();
            self.fresh = false;
        }
        if !self.shown.contains('.') {
            self.shown.push('.');
        }
    }

    fn back(&mut self) {
        if !self.fresh {
            self.shown.pop();
            if self.shown.is_empty() || self.shown == "-" {
                self.shown = "0".to_owned();
            }
        }
    }

    fn sign(&mut self) {
        match self.shown.strip_prefix('-') {
            Some(rest) => self.shown = rest.to_owned(),
            None if number(&self.shown) != 0.0 => self.shown.insert(0, '-'),
            None => {}
        }
    }

    /// Of a sum the percentage of its first number, else hundredths.
    fn percent(&mut self, words: &Words) {
        let of = match &self.waiting {
            Some((first, Operation::Add | Operation::Subtract)) => number(first),
            _ => 1.0,
        };
        self.show(number(&self.shown) * of / 100.0, "too large", words);
    }

    /// False for an error.
    fn show(&mut self, value: f64, why: &str, words: &Words) -> bool {
        let text = written(value);
        self.error = text.is_none();
        self.shown = text.unwrap_or_else(|| words.get(why).to_owned());
        self.fresh = true;
        !self.error
    }

    fn compute(&mut self, first: &str, operation: Operation, second: &str, words: &Words) {
        let (a, b) = (number(first), number(second));
        let value = match operation {
            Operation::Add => a + b,
            Operation::Subtract => a - b,
            Operation::Multiply => a * b,
            Operation::Divide => a / b,
        };
        let why = if operation == Operation::Divide && b == 0.0 { "divide by zero" } else { "too large" };
        if self.show(value, why, words) {
            let expression = format!("{first} {} {second}", operation.sign());
            self.history.push(Computed { expression, result: self.shown.clone() });
            if self.history.len() > MOST_HISTORY {
                self.history.remove(0);
            }
        } else {
            (self.waiting, self.again) = (None, None);
        }
    }

    /// The shown number without a point at its end.
    fn plain(&self) -> String {
        self.shown.strip_suffix('.').unwrap_or(&self.shown).to_owned()
    }

    fn operate(&mut self, operation: Operation, words: &Words) {
        if let Some((first, waiting)) = self.waiting.take().filter(|_| !self.fresh) {
            self.compute(&first, waiting, &self.plain(), words);
        }
        if !self.error {
            self.waiting = Some((self.plain(), operation));
            self.again = None;
            self.fresh = true;
        }
    }

    fn equals(&mut self, words: &Words) {
        let second = self.plain();
        if let Some((first, operation)) = self.waiting.take() {
            self.again = Some((operation, second.clone()));
            self.compute(&first, operation, &second, words);
        } else if let Some((operation, number)) = self.again.clone() {
            self.compute(&second, operation, &number, words);
        }
        self.fresh = true;
    }

    fn clear(&mut self) {
        *self = Self { history: std::mem::take(&mut self.history), ..Self::default() };
    }

    fn press(&mut self, id: &str, cx: &mut Cx<'_>) {
        if self.error && !matches!(id, "about" | "close" | "clear history") {
            self.clear();
        }
        match id {
            "clear" => self.clear(),
            "back" => self.back(),
            "sign" => self.sign(),
            "percent" => self.percent(cx.words),
            "point" => self.point(),
            "equals" => self.equals(cx.words),
            "copy" => *cx.clipboard = self.plain(),
            "paste" => {
                if let Some(text) = cx.clipboard.trim().parse().ok().and_then(written) {
                    (self.shown, self.fresh) = (text, false);
                }
            }
            "clear history" => self.history.clear(),
            "about" => cx.tell(
                Icon::Info,
                cx.words.program("calculator"),
                "Adds, subtracts, multiplies and divides.",
            ),
            "close" => cx.close(),
            _ => {
                if let Some(operation) = Operation::of(id) {
                    self.operate(operation, cx.words);
                } else if let Some(at) = id.strip_prefix("result ").and_then(|at| at.parse::<usize>().ok()) {
                    if let Some(computed) = self.history.get(at) {
                        (self.shown, self.fresh) = (computed.result.clone(), false);
                    }
                } else if id.len() == 1 {
                    self.digit(id);
                }
            }
        }
    }

    fn expression(&self) -> String {
        match (&self.waiting, self.history.last()) {
            (Some((first, operation)), _) => format!("{first} {}", operation.sign()),
            (None, Some(computed)) if self.fresh && computed.result == self.shown => {
                format!("{} =", computed.expression)
            }
            _ => String::new(),
        }
    }

    fn keys(words: &Words, wide: bool) -> Node {
        let mut lot = words.lot("calculator digits");
        let mut digits = [["7", "8", "9"], ["4", "5", "6"], ["1", "2", "3"]];
        if lot.chance(40) {
            digits.reverse();
        }
        let others: [&[&str]; 5] = if wide {
            [&[], &["divide", "clear"], &["multiply", "back"], &["subtract", "sign"], &["add", "percent"]]
        } else {
            [&["clear", "back", "percent", "divide"], &["multiply"], &["subtract"], &["add"], &["sign"]]
        };
        let [first, right @ ..] = others;
        let [a, b, c, last] = right;
        let mut ids: Vec<&str> = first.to_vec();
        for (digits, right) in digits.into_iter().zip([a, b, c]) {
            ids.extend(digits);
            ids.extend(right);
        }
        if wide {
            ids.extend(["0", "point", "equals"]);
            ids.extend(last);
        } else {
            ids.extend(last);
            ids.extend(["0", "point", "equals"]);
        }
        let key = |id: &str| {
            let sign = match id {
                "clear" => "C",
                "back" => "⌫",
                "sign" => "±",
                "percent" => "%",
                "point" => ".",
                "equals" => "=",
                "divide" => "÷",
                "multiply" => "×",
                "subtract" => "−",
                "add" => "+",
                digit => digit,
            };
            let key = button(id, sign).width(58).height(40);
            if id == "equals" { key.primary() } else { key }
        };
        grid(if wide { 5 } else { 4 }, ids.into_iter().map(key).collect())
    }

    fn tape(&self, words: &Words) -> Node {
        let rows: Vec<Node> = if self.history.is_empty() {
            vec![label(words.get("no history")).dim().wrap()]
        } else {
            let text = |c: &Computed| format!("{} = {}", c.expression, c.result);
            let rows = self.history.iter().enumerate().rev();
            rows.map(|(at, computed)| button(format!("result {at}"), text(computed)).flat()).collect()
        };
        scroll("tape", column(rows).pad(6).gap(0))
    }
}

impl App for Calculator {
    fn title(&self, look: &Look<'_>) -> String {
        look.words.program("calculator").to_owned()
    }

    fn view(&self, look: &Look<'_>) -> Node {
        let words = look.words;
        let item = |id: &str| MenuItem::new(id, words.get(id));
        let edit = vec![
            MenuItem::new("copy", words.get("copy result")).key("Ctrl+C"),
            item("paste").key("Ctrl+V"),
            MenuItem::line(),
            item("clear history").enabled(!self.history.is_empty()),
        ];
        let bar = menu_bar(vec![
            menu(words.get("file"), vec![item("close")]),
            menu(words.get("edit"), edit),
            menu(words.get("help"), vec![item("about")]),
        ]);
        let wide = words.lot("calculator shape").chance(50);
        let waiting = label(self.expression()).dim().align(Align::End);
        let screen = column(vec![waiting, display("display", &self.shown)]).gap(4);
        let keys = column(vec![screen, Self::keys(words, wide)]).tall();
        let title = row(vec![
            label(words.get("history")).bold(),
            space().height(1),
            button("copy", words.get("copy")).flat(),
        ]);
        let tape =
            column(vec![title, column(vec![self.tape(words)]).panel(Panel::Paper).pad(2).tall()]).gap(4);
        let body = if wide {
            row(vec![keys, tape.width(190).tall()]).gap(12)
        } else {
            column(vec![keys, tape.height(128)]).gap(10)
        };
        column(vec![bar, body.pad(12).tall()]).gap(0)
    }

    fn on(&mut self, event: &Event, cx: &mut Cx<'_>) {
        match event {
            Event::Press(id) => self.press(id, cx),
            Event::Key(key, modifiers) if !modifiers.control && !modifiers.alt && !modifiers.super_ => {
                let typed = |c: char| match c {
                    '0'..='9' => c.to_string(),
                    '.' | ',' => "point".to_owned(),
                    '+' => "add".to_owned(),
                    '-' | '−' => "subtract".to_owned(),
                    '*' | 'x' | '×' => "multiply".to_owned(),
                    '/' | ':' | '÷' => "divide".to_owned(),
                    '%' => "percent".to_owned(),
                    '=' => "equals".to_owned(),
                    _ => String::new(),
                };
                let id = match key {
                    Key::Char(c) => typed(*c),
                    Key::Named(Named::Backspace) => "back".to_owned(),
                    Key::Named(Named::Escape | Named::Delete) => "clear".to_owned(),
                    Key::Named(Named::F9) => "sign".to_owned(),
                    Key::Named(named) => keypad(*named).map_or_else(String::new, typed),
                };
                if !id.is_empty() {
                    self.press(&id, cx);
                }
            }
            Event::Menu(..) => {
                let copy = MenuItem::new("copy", cx.words.get("copy result"));
                cx.menu(vec![copy, MenuItem::new("paste", cx.words.get("paste"))]);
            }
            Event::Close => cx.close(),
            _ => {}
        }
        // Enter means `=`, whatever was clicked last.
        cx.ui.set_focus("equals");
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
