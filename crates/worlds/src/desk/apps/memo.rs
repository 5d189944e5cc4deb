//! A note on the desk: a few lines to read, nothing to press.

use super::{App, Cx, Look};
use crate::desk::ui::Event;
use crate::desk::ui::node::{Node, Panel, column, label, line};
use crate::desk::words::Words;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Memo {
    /// The first is the heading.
    lines: Vec<String>,
}

/// A made-up note. One line holds a code: `Locker code: 4827`.
fn made_up(words: &Words) -> Vec<String> {
    let mut lot = words.lot("memo");
    let mut one = |of: &[&str]| (*lot.pick(of).unwrap_or(&"")).to_owned();
    let heading = one(&["Don't forget", "For Monday", "Note to self", "Important"]);
    let code = one(&["Locker code", "Door code", "Alarm code", "Gate code"]);
    let day = one(&["Tuesday", "Wednesday", "Friday"]);
    let other = one(&["Dentist", "Choir", "Piano lesson", "Meeting"]);
    let buy = one(&["stamps", "light bulbs", "printer paper", "cat food"]);
    let (digits, hour) = (lot.range(1000, 9999), lot.range(9, 17));
    let mut lines =
        vec![format!("{code}: {digits}"), format!("{other}: {day} at {hour}:30"), format!("Buy {buy}")];
    lot.shuffle(&mut lines);
    lines.insert(0, heading);
    lines
}

impl Memo {
    /// One argument a line; without any it makes something up.
    pub(super) fn new(args: &[String]) -> Self {
        Self { lines: args.to_vec() }
    }
}

impl App for Memo {
    fn title(&self, look: &Look<'_>) -> String {
        look.words.program("memo").to_owned()
    }

    fn view(&self, _: &Look<'_>) -> Node {
        let mut rows = Vec::new();
        for (i, text) in self.lines.iter().enumerate() {
            if i == 0 {
                rows.extend([label(text).bold().larger(3).wrap(), line()]);
            } else {
                rows.push(label(text).larger(1).wrap());
            }
        }
        column(vec![column(rows).gap(10).pad(16).panel(Panel::Paper).tall()]).pad(10)
    }

    fn on(&mut self, event: &Event, cx: &mut Cx<'_>) {
        match event {
            Event::Opened if self.lines.is_empty() => self.lines = made_up(cx.words),
            Event::Close => cx.close(),
            _ => {}
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
