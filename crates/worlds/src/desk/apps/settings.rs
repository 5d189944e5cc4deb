//! The settings: pages of switches, choices and sliders. On some seeds a change counts at once, on others after "Apply".
//!
//! What can be set is listed in [`catalog`]; what is set lies in the settings of the desk.

pub mod catalog;

use super::{App, Cx, Look, Message};
use crate::desk::ui::Event;
use crate::desk::ui::icons::Icon;
use crate::desk::ui::node::{
    Item, Node, Panel, button, check, choice, column, group, label, list, radio, row, scroll, slider, space,
};
use crate::desk::words::{Settings, Words};
use catalog::{PAGES, Page, Row};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SettingsApp {
    /// Key of the page that is shown; empty for the first.
    page: String,
    /// Changes that wait to be applied.
    waiting: BTreeMap<String, String>,
    /// What the page about this computer says.
    facts: BTreeMap<String, String>,
}

/// The pages in the order of this desk.
pub(in crate::desk) fn pages(words: &Words) -> Vec<&'static Page> {
    let mut pages: Vec<&Page> = PAGES.iter().collect();
    if let Some((_, first)) = pages.split_last_mut() {
        words.lot("settings pages").shuffle(first);
    }
    pages
}

pub(in crate::desk) fn worded(words: &Words, key: &str, names: &'static [&'static str]) -> &'static str {
    words.lot(key).pick(names).copied().unwrap_or("")
}

/// True if changes wait for a button on this desk.
fn applies(words: &Words) -> bool {
    words.lot("settings apply").chance(50)
}

/// Made-up facts about this computer.
fn facts(words: &Words) -> BTreeMap<String, String> {
    let mut lot = words.lot("computer facts");
    let mut letters = |n: usize| -> String {
        const SIGNS: &[u8] = b"ACDEFHJKLMNPRTUVWXY34679";
        (0..n).map(|_| SIGNS[lot.below(SIGNS.len())] as char).collect()
    };
    let serial = format!("{}-{}-{}", letters(4), letters(4), letters(4));
    let build = letters(6);
    let mut one = |of: &[&str]| (*lot.pick(of).unwrap_or(&"")).to_owned();
    let device = format!(
        "{}-{}",
        one(&["OFFICE", "STUDIO", "LAB", "DESK", "FRONT"]),
        one(&["01", "02", "07", "12", "23"])
    );
    let model = one(&["Aurora 14", "Tern S2", "Linden Pro", "Basalt Mini"]);
    let (memory, disk) = (one(&["8 GB", "16 GB", "32 GB"]), one(&["256 GB", "512 GB", "1 TB"]));
    let system = one(&["Desk 4.1", "Desk 4.2", "Desk 5.0"]);
    [("serial", serial), ("build", build), ("device", device), ("model", model)]
        .into_iter()
        .chain([("memory", memory), ("disk", disk), ("system", system)])
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

impl SettingsApp {
    pub(super) fn new(args: &[String]) -> Self {
        Self { page: args.first().cloned().unwrap_or_default(), ..Self::default() }
    }

    fn page(&self, words: &Words) -> &'static Page {
        let pages = pages(words);
        pages.iter().find(|p| p.key == self.page).copied().unwrap_or(pages[0])
    }

    /// What a row shows: what waits, what is set, or its default.
    fn value(&self, row: &Row, settings: &Settings) -> String {
        let set = settings.get(row.key());
        match self.waiting.get(row.key()) {
            Some(value) => value.clone(),
            None if set.is_empty() => row.default(),
            None => set.to_owned(),
        }
    }

    fn set(&mut self, key: &str, value: &str, cx: &mut Cx<'_>) {
        let Some(row) = catalog::row(key) else { return };
        if !applies(cx.words) {
            cx.settings.set(key, value);
            return;
        }
        self.waiting.remove(key);
        if self.value(row, cx.settings) != value {
            self.waiting.insert(key.to_owned(), value.to_owned());
        }
    }

    fn apply(&mut self, cx: &mut Cx<'_>) {
        for (key, value) in std::mem::take(&mut self.waiting) {
            cx.settings.set(&key, value);
        }
    }

    fn row(&self, row_of: &Row, look: &Look<'_>) -> Node {
        let value = self.value(row_of, look.settings);
        match row_of {
            Row::Switch { key, names, .. } => check(*key, worded(look.words, key, names), value == "on"),
            Row::OneOf { key, title, options } => {
                let one = |(v, text): &(&str, &str)| radio(format!("{key}={v}"), *text, *v == value);
                let one: Vec<Node> = options.iter().map(one).collect();
                let options = if one.len() > 2 { column(one).gap(0) } else { row(one).gap(18) };
                column(vec![label(*title), options]).gap(2)
            }
            Row::Choice { key, title, options } => {
                let selected = options.iter().position(|(v, _)| *v == value).unwrap_or(0);
                let texts = options.iter().map(|(_, text)| (*text).to_owned()).collect();
                row(vec![label(*title).wide(), choice(*key, texts, selected)])
            }
            Row::Slider { key, title, from, to, default } => {
                let value = value.parse().unwrap_or(*default);
                let number = label(value.to_string()).width(32);
                row(vec![label(*title).wide(), slider(*key, value, *from, *to), number])
            }
            Row::Fact { key, title } => {
                let value = self.facts.get(*key).map_or("", String::as_str);
                row(vec![label(*title).dim().width(130), label(value).wide()])
            }
        }
    }

    fn bottom(&self, words: &Words) -> Node {
        let bar = if applies(words) {
            let text = match self.waiting.len() {
                0 => words.get("applied").to_owned(),
                n => format!("{n} {}", words.get("not applied")),
            };
            vec![
                label(text).dim().wide(),
                button("apply", words.get("apply")).primary().enabled(!self.waiting.is_empty()),
                button("close", words.get("close")).cancel(),
            ]
        } else {
            let text = label(words.get("at once")).dim().wide();
            vec![text, button("close", words.get("close")).cancel()]
        };
        row(bar).panel(Panel::Bar).pad(10)
    }

    fn leave(&self, cx: &mut Cx<'_>) {
        if self.waiting.is_empty() {
            cx.close();
            return;
        }
        let words = cx.words;
        let message = Message::new(Icon::Question, words.program("settings"), words.get("ask apply"))
            .button("apply", words.get("apply"))
            .button("drop", words.get("dont apply"))
            .button("cancel", words.get("cancel"));
        cx.ask("leave", message);
    }
}

impl App for SettingsApp {
    fn title(&self, look: &Look<'_>) -> String {
        look.words.program("settings").to_owned()
    }

    fn view(&self, look: &Look<'_>) -> Node {
        let words = look.words;
        let shown = self.page(words);
        let name = |page: &Page| worded(words, page.key, page.names);
        let pages = list("pages", pages(words).into_iter().map(|p| Item::new(name(p))).collect()).width(170);
        let mut content = vec![label(name(shown)).bold().larger(5)];
        for part in shown.groups {
            let mut rows: Vec<Node> = part.rows.iter().map(|r| self.row(r, look)).collect();
            if shown.key == "about" && part.title == "This computer" {
                rows.push(row(vec![button("copy serial", "Copy Serial Number"), space().height(1)]));
            }
            content.push(group(part.title, rows).gap(6));
        }
        let page = scroll(format!("page {}", shown.key), column(content).pad(14).gap(14));
        let both = row(vec![column(vec![pages.tall()]).pad(8).width(186).tall(), page]).gap(0).tall();
        column(vec![both, self.bottom(words)]).gap(0)
    }

    fn on(&mut self, event: &Event, cx: &mut Cx<'_>) {
        match event {
            Event::Opened => {
                self.facts = facts(cx.words);
                let shown = self.page(cx.words).key;
                cx.ui.select("pages", pages(cx.words).iter().position(|p| p.key == shown));
                cx.ui.set_focus("pages");
            }
            Event::Select(id, at) if id == "pages" => {
                if let Some(page) = pages(cx.words).get(*at) {
                    page.key.clone_into(&mut self.page);
                }
            }
            Event::Select(id, at) => {
                if let Some(Row::Choice { options, .. }) = catalog::row(id)
                    && let Some((value, _)) = options.get(*at)
                {
                    self.set(id, value, cx);
                }
            }
            Event::Toggle(id, on) => match id.split_once('=') {
                Some((key, value)) => self.set(key, value, cx),
                None => self.set(id, if *on { "on" } else { "off" }, cx),
            },
            Event::Slide(id, value) => self.set(id, &value.to_string(), cx),
            Event::Press(id) => match id.as_str() {
                "apply" => self.apply(cx),
                "close" => self.leave(cx),
                "copy serial" => self.facts.get("serial").map_or("", String::as_str).clone_into(cx.clipboard),
                _ => {}
            },
            Event::Answer { tag, value } if tag == "leave" => match value.as_str() {
                "apply" => {
                    self.apply(cx);
                    cx.close();
                }
                "drop" => cx.close(),
                _ => {}
            },
            Event::Close => self.leave(cx),
            _ => {}
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
