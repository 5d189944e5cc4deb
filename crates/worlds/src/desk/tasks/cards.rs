//! Tasks about requests that wait for a decision: cards with a box to turn on and buttons that count once it is on.

use super::reach::{LOST, Reach};
use super::windows::{hold_in, there};
use super::{LINES, Task, one, some};
use crate::desk::Desk;
use crate::desk::words::Words;
use crate::random::Random;
use crate::task::Hand;
use handsight_base::space::ScreenRect;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const BUTTONS: [&str; 3] = ["Approve", "Reject", "Postpone"];

/// What a card is to be like: turned on and this button pressed, or left alone.
fn decided(desk: &Desk, window: u64, title: &str, wanted: Option<&str>) -> Result<(), String> {
    let model = desk.model(window);
    let (checked, pressed) = (model["checked"] == true, model["pressed"].as_str());
    if pressed == wanted && checked == wanted.is_some() {
        return Ok(());
    }
    Err(format!("{title:?}: checked {checked}, pressed {pressed:?} in place of {wanted:?}"))
}

/// The next step to that.
fn decide(reach: &Reach<'_>, window: u64, button: &str) -> Hand {
    let checked = reach.desk.model(window)["checked"] == true;
    reach.press(window, if checked { button } else { "checked" })
}

fn titles(random: &mut Random, n: usize) -> Vec<String> {
    let kinds = some(random, &["Order", "Invoice", "Travel", "Holiday", "Repair", "Claim"], n);
    kinds.iter().map(|kind| format!("{kind} {}", random.range(1000, 9999))).collect()
}

fn open_card(desk: &mut Desk, title: &str, text: &str) -> u64 {
    let mut args = vec![title.to_owned(), text.to_owned()];
    args.extend(BUTTONS.map(str::to_owned));
    desk.open_program("card", &args).unwrap_or_default()
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Covered {
    cards: Vec<u64>,
    /// The one that is meant, of `cards`.
    at: usize,
    button: String,
    titles: Vec<String>,
    texts: Vec<String>,
}

impl Covered {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let titles = titles(random, 4);
        let texts = some(random, LINES, 4).into_iter().map(str::to_owned).collect();
        Box::new(Self {
            cards: Vec::new(),
            at: random.below(3),
            button: one(random, &BUTTONS),
            titles,
            texts,
        })
    }
}

impl Task for Covered {
    fn objective(&self, words: &Words) -> String {
        format!(
            "Bring the window \"{}\" to the front, turn on \"{}\" and press \"{}\".",
            self.titles[self.at],
            words.get("checked"),
            self.button
        )
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        for (title, text) in self.titles.iter().zip(&self.texts) {
            self.cards.push(open_card(desk, title, text));
        }
        // Some of the others lie over it: the last one quite.
        let Some(under) = self.cards.get(self.at).and_then(|c| desk.frame(*c)).map(|f| f.outer) else {
            return;
        };
        let last = self.cards.len() - 1;
        for (i, card) in self.cards.clone().into_iter().enumerate().filter(|(i, _)| *i != self.at) {
            let Some(size) = desk.frame(card).map(|f| f.outer.size) else { continue };
            let shift = if i == last { (0, 0) } else { (random.range(-120, 120), random.range(-80, 80)) };
            let origin = under.origin.offset(shift.0, shift.1);
            let size = if i == last { under.size } else { size };
            desk.put(card, hold_in(ScreenRect { origin, size }, desk.shell_layout().work));
        }
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        there(desk, &self.cards)?;
        for (i, (card, title)) in self.cards.iter().zip(&self.titles).enumerate() {
            decided(desk, *card, title, (i == self.at).then_some(self.button.as_str()))?;
        }
        Ok(())
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        self.cards.get(self.at).map_or(LOST, |card| decide(reach, *card, &self.button))
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// Cards to be decided as told; one that is not told about is left alone.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Decide {
    cards: Vec<Card>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Card {
    window: u64,
    title: String,
    text: String,
    button: Option<String>,
}

impl Decide {
    fn draw(random: &mut Random, n: usize, told: usize) -> Box<dyn Task> {
        let (titles, texts) = (titles(random, n), some(random, LINES, n));
        let card = |(i, (title, text)): (usize, (String, &str))| Card {
            window: 0,
            title,
            text: text.to_owned(),
            button: (i < told).then(|| one(random, &BUTTONS)),
        };
        Box::new(Self { cards: titles.into_iter().zip(texts).enumerate().map(card).collect() })
    }

    pub(super) fn plan_one(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(random, 2, 1)
    }

    pub(super) fn plan_three(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(random, 4, 3)
    }
}

impl Task for Decide {
    fn objective(&self, words: &Words) -> String {
        let checked = words.get("checked");
        let told = |card: &Card| {
            let button = card.button.as_ref()?;
            Some(format!("In the window \"{}\", turn on \"{checked}\" and press \"{button}\".", card.title))
        };
        self.cards.iter().filter_map(told).collect::<Vec<_>>().join(" ")
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        let mut order: Vec<usize> = (0..self.cards.len()).collect();
        random.shuffle(&mut order);
        for at in order {
            let Card { title, text, .. } = &self.cards[at];
            self.cards[at].window = open_card(desk, title, text);
        }
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        there(desk, &self.cards.iter().map(|c| c.window).collect::<Vec<_>>())?;
        self.cards.iter().try_for_each(|c| decided(desk, c.window, &c.title, c.button.as_deref()))
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let open = |card: &&Card| reach.desk.model(card.window)["pressed"].is_null();
        let next = self.cards.iter().filter(open).find_map(|card| Some((card.window, card.button.as_ref()?)));
        next.map_or(LOST, |(window, button)| decide(reach, window, button))
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
