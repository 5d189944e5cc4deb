//! Tasks about what can be set.

use super::reach::{LOST, Reach};
use super::{Task, Wanted, clutter};
use crate::desk::Desk;
use crate::desk::apps::settings::catalog::{PAGES, Page, Row};
use crate::desk::apps::settings::{pages, worded};
use crate::desk::words::Words;
use crate::random::Random;
use crate::task::Hand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const fn is(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

fn page(key: &str) -> &'static Page {
    PAGES.iter().find(|p| p.key == key).unwrap_or(&PAGES[0])
}

fn rows(page: &Page) -> impl Iterator<Item = &'static Row> {
    page.groups.iter().flat_map(|g| g.rows.iter())
}

fn switch_name(words: &Words, key: &str) -> &'static str {
    let row = PAGES.iter().flat_map(rows).find(|row| row.key() == key);
    match row {
        Some(Row::Switch { key, names, .. }) => worded(words, key, names),
        _ => "",
    }
}

/// What the program of settings shows for a name: what waits there, or what is set.
fn shown(desk: &Desk, window: u64, key: &str) -> String {
    let truths = desk.window_truths();
    let waiting = truths
        .iter()
        .find(|t| t.frame.id == window)
        .and_then(|t| t.model["waiting"][key].as_str().map(str::to_owned));
    let set = desk.settings().get(key);
    let row = PAGES.iter().flat_map(rows).find(|row| row.key() == key);
    waiting.unwrap_or_else(|| {
        if set.is_empty() { row.map(Row::default).unwrap_or_default() } else { set.to_owned() }
    })
}

/// The next step to these values on one page, applied.
fn set(reach: &Reach<'_>, on: &str, values: &[(&str, &str)]) -> Hand {
    let Some(window) = reach.top("settings").map(|f| f.id) else { return reach.start("settings") };
    let missing = values.iter().find(|(key, value)| shown(reach.desk, window, key) != *value);
    let Some((key, value)) = missing else { return reach.press(window, "apply") };
    let words = reach.desk.words();
    let truths = reach.desk.window_truths();
    let here = truths
        .iter()
        .find(|t| t.frame.id == window)
        .and_then(|t| t.model["page"].as_str())
        .unwrap_or_default();
    let order = pages(words);
    let here = if here.is_empty() { order[0].key } else { here };
    if here != on {
        let at = order.iter().position(|p| p.key == on);
        return at.map_or(LOST, |at| reach.row(window, "pages", at));
    }
    match rows(page(on)).find(|row| row.key() == *key) {
        Some(Row::Switch { .. }) => reach.press(window, key),
        Some(Row::OneOf { .. }) => reach.press(window, &format!("{key}={value}")),
        Some(Row::Choice { options, .. }) => {
            let at = options.iter().position(|(v, _)| v == value);
            at.map_or(LOST, |at| reach.choose(window, key, at))
        }
        Some(Row::Slider { .. } | Row::Fact { .. }) | None => LOST,
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Switches {
    page: String,
    /// What is to be turned on.
    on: String,
    off: String,
}

impl Switches {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let of = |page: &Page, wanted: bool| -> Vec<&'static str> {
            let fits = |row: &&Row| matches!(row, Row::Switch { on, .. } if *on == wanted);
            rows(page).filter(fits).map(Row::key).collect()
        };
        // Pages with a choice of both, so that neither is the only one.
        let fit: Vec<&Page> =
            PAGES.iter().filter(|p| of(p, true).len() > 1 && of(p, false).len() > 1).collect();
        let page = random.pick(&fit).copied().unwrap_or(&PAGES[0]);
        let mut pick = |on| random.pick(&of(page, on)).copied().unwrap_or_default().to_owned();
        Box::new(Self { page: page.key.to_owned(), on: pick(false), off: pick(true) })
    }
}

impl Task for Switches {
    fn objective(&self, words: &Words) -> String {
        let page = page(&self.page);
        format!(
            "In \"{}\" under \"{}\", turn on \"{}\" and turn off \"{}\".",
            words.program("settings"),
            worded(words, page.key, page.names),
            switch_name(words, &self.on),
            switch_name(words, &self.off)
        )
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 1);
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::setting(&self.on, is(true)).and_setting(&self.off, is(false))
    }

    fn check(&self, _: &Desk) -> Result<(), String> {
        Ok(())
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        set(reach, &self.page, &[(&self.on, is(true)), (&self.off, is(false))])
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Theme {
    theme: String,
    accent: String,
}

impl Theme {
    pub(super) fn plan(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Box::new(Self { theme: String::new(), accent: String::new() })
    }
}

fn options(key: &str) -> &'static [(&'static str, &'static str)] {
    match PAGES.iter().flat_map(rows).find(|row| row.key() == key) {
        Some(Row::OneOf { options, .. } | Row::Choice { options, .. }) => options,
        _ => &[],
    }
}

fn title(key: &str) -> &'static str {
    match PAGES.iter().flat_map(rows).find(|row| row.key() == key) {
        Some(Row::OneOf { title, .. } | Row::Choice { title, .. }) => title,
        _ => "",
    }
}

impl Task for Theme {
    fn objective(&self, words: &Words) -> String {
        let page = page("display");
        let text = |key: &str, value: &str| {
            options(key).iter().find(|(v, _)| *v == value).map_or("", |(_, text)| text)
        };
        format!(
            "In \"{}\" under \"{}\", choose \"{}\" for \"{}\" and \"{}\" for \"{}\".",
            words.program("settings"),
            worded(words, page.key, page.names),
            text("theme", &self.theme),
            title("theme"),
            text("accent", &self.accent),
            title("accent"),
        )
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        let mut other = |key: &str| {
            let now = desk.settings().get(key);
            let others: Vec<&str> = options(key).iter().map(|(v, _)| *v).filter(|v| *v != now).collect();
            random.pick(&others).copied().unwrap_or_default().to_owned()
        };
        (self.theme, self.accent) = (other("theme"), other("accent"));
        clutter(desk, random, 1);
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::setting("theme", &self.theme).and_setting("accent", &self.accent)
    }

    fn check(&self, _: &Desk) -> Result<(), String> {
        Ok(())
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        set(reach, "display", &[("theme", &self.theme), ("accent", &self.accent)])
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
