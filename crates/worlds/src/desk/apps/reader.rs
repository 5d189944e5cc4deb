//! A long document that must be read to its end before it can be agreed to.

use super::{App, Cx, Look};
use crate::desk::ui::icons::Icon;
use crate::desk::ui::node::{Kind, Node, Panel, button, column, label, line, picture, row, scroll, space};
use crate::desk::ui::{Event, Ui};
use crate::desk::words::Words;
use crate::random::Random;
use handsight_base::key::{Key, Named};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const PAGE: &str = "page";

/// A kind of document: its title and what its sections may say.
struct Kinds {
    key: &'static str,
    titles: &'static [&'static str],
    headings: &'static [&'static str],
    sentences: &'static [&'static str],
}

#[rustfmt::skip]
const KINDS: &[Kinds] = &[
    Kinds { key: "license", titles: &["License Agreement", "Terms of Use", "User Agreement"],
        headings: &["Scope", "Grant of License", "Restrictions", "Ownership", "Updates", "Support", "Data and Privacy", "Warranty", "Liability", "Termination", "Governing Law", "Final Provisions"],
        sentences: &[
            "The software is provided to you under the terms that follow.",
            "You may install one copy on each computer that you own.",
            "You may not rent, lease or lend the software to others.",
            "All rights that are not granted here remain with the publisher.",
            "Updates may replace parts of the software without notice.",
            "Support is given by mail within three working days.",
            "No personal data leaves your computer without your consent.",
            "The software is provided as it is, without warranty of any kind.",
            "The publisher is not liable for damage that follows from its use.",
            "This agreement ends when you delete every copy of the software.",
            "Should a part of this agreement be void, the other parts remain in force.",
            "Changes to this agreement must be made in writing.",
            "You may make one further copy for safekeeping.",
            "Names of products are the property of their owners.",
        ] },
    Kinds { key: "manual", titles: &["Operating Manual", "Service Handbook", "User Guide"],
        headings: &["Before You Begin", "Unpacking", "Safety", "Setting Up", "First Start", "Daily Use", "Cleaning", "Care", "When Something Fails", "Spare Parts", "Disposal", "Technical Data"],
        sentences: &[
            "Put the device on a level and dry surface.",
            "Keep at least ten centimetres free on every side.",
            "Never open the housing while the device is plugged in.",
            "Press the large button until the lamp turns green.",
            "Wait for two minutes before you switch it on again.",
            "Wipe the housing with a soft cloth only.",
            "Empty the water tank after every use.",
            "If the red lamp blinks, check the filter first.",
            "Spare parts can be ordered for ten years.",
            "Keep this manual for later reference.",
            "The device must not be used outdoors.",
            "Do not use chemical cleaners.",
            "Let the motor cool down before you move the device.",
            "Children must not play with the packaging.",
        ] },
    Kinds { key: "policy", titles: &["House Rules", "Library Rules", "Workshop Rules"],
        headings: &["Opening Hours", "Entrance", "Keys and Cards", "Quiet Rooms", "Food and Drink", "Borrowing", "Fees", "Lost Property", "Visitors", "Machines", "Fire Safety", "Leaving"],
        sentences: &[
            "The doors close at eight in the evening.",
            "Every member carries a card that must be shown on request.",
            "Cards may not be given to other people.",
            "Please keep your voice down in all reading rooms.",
            "Food may be eaten in the kitchen only.",
            "Up to six items can be borrowed at a time.",
            "Items that come back late cost twenty cents a day.",
            "What was found is kept at the desk for three months.",
            "Visitors must sign the book at the entrance.",
            "Machines may be used only after an introduction.",
            "In case of fire leave the building by the nearest stairs.",
            "The last person to leave switches off the lights.",
            "Bags go into the lockers beside the stairs.",
            "Windows must be closed before the evening.",
        ] },
];

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Reader {
    kind: String,
    /// What was answered: `accepted` or `declined`.
    answer: Option<String>,
    /// It was scrolled to its end.
    read: bool,
    /// What only this document says, by its name in the text.
    facts: BTreeMap<String, String>,
}

/// Headings with their paragraphs.
type Section = (String, Vec<String>);

fn kind_of(key: &str) -> &'static Kinds {
    KINDS.iter().find(|k| k.key == key).unwrap_or(&KINDS[0])
}

fn sections(kind: &'static Kinds, words: &Words, facts: &BTreeMap<String, String>) -> Vec<Section> {
    let mut lot = words.lot(kind.key);
    let mut headings = kind.headings.to_vec();
    lot.shuffle(&mut headings);
    headings.truncate(lot.below(4) + 9);
    let mut sections: Vec<Section> = Vec::new();
    for (i, heading) in headings.into_iter().enumerate() {
        let paragraphs = (0..lot.below(2) + 1).map(|_| paragraph(kind, &mut lot)).collect();
        sections.push((format!("{}. {heading}", i + 1), paragraphs));
    }
    // Never in the first section: finding a fact takes scrolling.
    for (name, value) in facts {
        let at = lot.below(sections.len() - 1) + 1;
        sections[at].1.push(format!("{name}: {value}."));
    }
    sections
}

fn paragraph(kind: &Kinds, lot: &mut Random) -> String {
    let mut sentences = kind.sentences.to_vec();
    lot.shuffle(&mut sentences);
    sentences.truncate(lot.below(3) + 3);
    sentences.join(" ")
}

fn made_up(words: &Words, kind: &str) -> BTreeMap<String, String> {
    let mut lot = words.lot(&format!("{kind} facts"));
    let number = format!("{}-{}", lot.range(100, 999), lot.range(1000, 9999));
    let edition = format!("{}.{}", lot.range(1, 9), lot.range(0, 9));
    [("Document number", number), ("Edition", edition)].map(|(k, v)| (k.to_owned(), v)).into()
}

/// True once the end of the document is in sight.
fn at_end(ui: &Ui) -> bool {
    let page = ui.placed().iter().find(|p| p.id == PAGE && matches!(p.kind, Kind::Scroll { .. }));
    let scrolled = ui.states().get(PAGE).map_or(0, |s| s.scroll);
    page.is_some_and(|p| scrolled + p.rect.size.height as i32 >= p.content)
}

impl Reader {
    /// `args[0]` may name the kind: `license`, `manual`, `policy`.
    pub(super) fn new(args: &[String]) -> Self {
        Self { kind: args.first().cloned().unwrap_or_default(), ..Self::default() }
    }

    fn title_of(&self, words: &Words) -> &'static str {
        words.lot("document title").pick(kind_of(&self.kind).titles).copied().unwrap_or("")
    }

    fn answer(&mut self, answer: &str, cx: &mut Cx<'_>) {
        cx.settings.set(&format!("agreement {}", self.kind), answer);
        self.answer = Some(answer.to_owned());
    }

    fn end(&self, look: &Look<'_>) -> Node {
        let words = look.words;
        let open = self.answer.is_none();
        let mut buttons = vec![
            button("agree", words.get("agree")).enabled(open),
            button("decline", words.get("decline")).enabled(open),
        ];
        if words.lot("agree right").chance(50) {
            buttons.reverse();
        }
        let (icon, text) = match self.answer.as_deref() {
            Some("accepted") => (Icon::Info, words.get("agreed")),
            Some(_) => (Icon::Warning, words.get("declined")),
            None => (Icon::Document, words.get("end")),
        };
        let said = row(vec![picture(icon, 20), label(text).bold()]);
        column(vec![line(), said, row([buttons, vec![space().height(1)]].concat())]).gap(12)
    }
}

impl App for Reader {
    fn title(&self, look: &Look<'_>) -> String {
        format!("{} - {}", self.title_of(look.words), look.words.program("reader"))
    }

    fn view(&self, look: &Look<'_>) -> Node {
        let words = look.words;
        let mut rows = vec![label(self.title_of(words)).bold().larger(8).wrap()];
        for (heading, paragraphs) in sections(kind_of(&self.kind), words, &self.facts) {
            rows.push(label(heading).bold().larger(2).wrap());
            rows.extend(paragraphs.into_iter().map(|text| label(text).wrap()));
        }
        rows.push(self.end(look));
        let status = match self.answer.as_deref() {
            Some("accepted") => words.get("agreed"),
            Some(_) => words.get("declined"),
            None if self.read || at_end(look.ui) => words.get("end"),
            None => words.get("read on"),
        };
        let page = column(vec![scroll(PAGE, column(rows).pad(22).gap(12))]).panel(Panel::Paper).pad(1).tall();
        column(vec![
            column(vec![page]).pad(10).tall(),
            row(vec![label(status).dim()]).panel(Panel::Bar).pad(7),
        ])
        .gap(0)
    }

    fn on(&mut self, event: &Event, cx: &mut Cx<'_>) {
        self.read |= at_end(cx.ui);
        match event {
            Event::Opened => {
                if !KINDS.iter().any(|k| k.key == self.kind) {
                    let kinds: Vec<&str> = KINDS.iter().map(|k| k.key).collect();
                    self.kind =
                        cx.words.lot("document").pick(&kinds).copied().unwrap_or("license").to_owned();
                }
                self.facts = made_up(cx.words, &self.kind);
            }
            // A key does not press what nobody has seen.
            Event::Press(id) if self.answer.is_none() && cx.ui.locate(id).is_some() => match id.as_str() {
                "agree" => self.answer("accepted", cx),
                "decline" => self.answer("declined", cx),
                _ => {}
            },
            Event::Key(Key::Named(Named::Escape), _) | Event::Close => cx.close(),
            _ => {}
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
