//! Tasks about what can be set.

use super::messages::Interruption;
use super::reach::{LOST, Reach};
use super::{Task, Wanted, clutter, one};
use crate::desk::Desk;
use crate::desk::apps::Message;
use crate::desk::apps::settings::catalog::{PAGES, Page, Row};
use crate::desk::apps::settings::{pages, worded};
use crate::desk::ui::Event;
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
        Some(Row::Slider { .. }) => value.parse().map_or(LOST, |value| reach.slide(window, key, value)),
        Some(Row::Fact { .. }) | None => LOST,
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Switches {
    page: String,
    /// What is to be turned on.
    on: String,
    off: String,
    /// Comes once the settings are open.
    interruption: Option<Interruption>,
}

impl Switches {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        Box::new(Self::draw(random))
    }

    pub(super) fn plan_interrupted(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let interruption = Some(Interruption::draw(random));
        Box::new(Self { interruption, ..Self::draw(random) })
    }

    fn draw(random: &mut Random) -> Self {
        let of = |page: &Page, wanted: bool| -> Vec<&'static str> {
            let fits = |row: &&Row| matches!(row, Row::Switch { on, .. } if *on == wanted);
            rows(page).filter(fits).map(Row::key).collect()
        };
        // Pages with a choice of both, so that neither is the only one.
        let fit: Vec<&Page> =
            PAGES.iter().filter(|p| of(p, true).len() > 1 && of(p, false).len() > 1).collect();
        let page = random.pick(&fit).copied().unwrap_or(&PAGES[0]);
        let mut pick = |on| random.pick(&of(page, on)).copied().unwrap_or_default().to_owned();
        Self { page: page.key.to_owned(), on: pick(false), off: pick(true), interruption: None }
    }
}

impl Task for Switches {
    fn objective(&self, words: &Words) -> String {
        let page = page(&self.page);
        let switches = format!(
            "In \"{}\" under \"{}\", turn on \"{}\" and turn off \"{}\".",
            words.program("settings"),
            worded(words, page.key, page.names),
            switch_name(words, &self.on),
            switch_name(words, &self.off)
        );
        self.interruption
            .as_ref()
            .map_or_else(|| switches.clone(), |i| format!("{switches} {}", i.objective()))
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 1);
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::setting(&self.on, is(true)).and_setting(&self.off, is(false))
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        self.interruption.as_ref().map_or(Ok(()), |interruption| interruption.check(desk))
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let aside = self.interruption.as_ref().and_then(|i| i.next(reach));
        aside.unwrap_or_else(|| set(reach, &self.page, &[(&self.on, is(true)), (&self.off, is(false))]))
    }

    fn interrupt(&self, desk: &Desk) -> Option<Message> {
        let interruption = self.interruption.as_ref()?;
        desk.windows.iter().find(|w| w.frame.app == "settings")?;
        Some(interruption.message())
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
        let mut other = |key: &str| one(random, &others(desk, key));
        (self.theme, self.accent) = (other("theme"), other("accent"));
        clutter(desk, random, 1);
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::setting("theme", &self.theme).and_setting("accent", &self.accent)
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        set(reach, "display", &[("theme", &self.theme), ("accent", &self.accent)])
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// What is set in settings that are open, without turning a wheel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Shown {
    /// Two switches of the page that is shown.
    Switches,
    /// One switch of another page.
    OtherPage,
    /// One of two or three, each with its own button.
    Theme,
    /// One of a list that opens.
    Accent,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SetShown {
    kind: Shown,
    page: String,
    values: Vec<(String, String)>,
}

impl SetShown {
    fn draw(kind: Shown) -> Box<dyn Task> {
        Box::new(Self { kind, page: "display".to_owned(), values: Vec::new() })
    }

    pub(super) fn plan_switches(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(Shown::Switches)
    }

    pub(super) fn plan_page(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(Shown::OtherPage)
    }

    pub(super) fn plan_theme(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(Shown::Theme)
    }

    pub(super) fn plan_accent(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(Shown::Accent)
    }
}

/// Values of a choice that are not set now.
fn others(desk: &Desk, key: &str) -> Vec<&'static str> {
    let now = desk.settings().get(key);
    options(key).iter().map(|(v, _)| *v).filter(|v| *v != now).collect()
}

/// The switches of a page that are wholly seen in a window of the settings.
fn seen_switches(desk: &Desk, window: u64, page: &Page) -> Vec<&'static Row> {
    let placed = desk.ui(window).map(|ui| ui.placed()).unwrap_or_default();
    let seen = |key: &str| placed.iter().any(|p| p.id == key && p.rect.intersect(&p.clip) == Some(p.rect));
    rows(page).filter(|row| matches!(row, Row::Switch { .. }) && seen(row.key())).collect()
}

impl Task for SetShown {
    fn objective(&self, words: &Words) -> String {
        let page = page(&self.page);
        let change = |(key, value): &(String, String)| match self.kind {
            Shown::Switches | Shown::OtherPage => format!("turn {value} \"{}\"", switch_name(words, key)),
            Shown::Theme | Shown::Accent => {
                let text = options(key).iter().find(|(v, _)| v == value).map_or("", |(_, text)| text);
                format!("choose \"{text}\" for \"{}\"", title(key))
            }
        };
        format!(
            "In \"{}\" under \"{}\", {}.",
            words.program("settings"),
            worded(words, page.key, page.names),
            self.values.iter().map(change).collect::<Vec<_>>().join(" and ")
        )
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 1);
        let switches = |page: &&Page| rows(page).filter(|row| matches!(row, Row::Switch { .. })).count() > 3;
        let mut fit: Vec<&Page> = PAGES.iter().filter(switches).collect();
        random.shuffle(&mut fit);
        let (page, first) = match self.kind {
            Shown::Theme | Shown::Accent => ("display", "display"),
            Shown::Switches => (fit[0].key, fit[0].key),
            Shown::OtherPage => (fit[0].key, fit[1].key),
        };
        page.clone_into(&mut self.page);
        let window = desk.open_program("settings", &[page.to_owned()]).unwrap_or_default();
        match self.kind {
            Shown::Theme => self.values = vec![("theme".to_owned(), one(random, &others(desk, "theme")))],
            Shown::Accent => self.values = vec![("accent".to_owned(), one(random, &others(desk, "accent")))],
            Shown::Switches | Shown::OtherPage => {
                let mut seen = seen_switches(desk, window, fit[0]);
                random.shuffle(&mut seen);
                seen.truncate(if self.kind == Shown::Switches { 2 } else { 1 });
                let turned = |row: &&Row| (row.key().to_owned(), is(row.default() != is(true)).to_owned());
                self.values = seen.iter().map(turned).collect();
            }
        }
        if first != page
            && let Some(at) = pages(desk.words()).iter().position(|p| p.key == first)
            && let Some(index) = desk.index(window)
        {
            desk.windows[index].ui.select("pages", Some(at));
            desk.send(window, &Event::Select("pages".to_owned(), at));
        }
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        self.values.iter().fold(Wanted::default(), |wanted, (key, value)| wanted.and_setting(key, value))
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let values: Vec<(&str, &str)> = self.values.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        set(reach, &self.page, &values)
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
