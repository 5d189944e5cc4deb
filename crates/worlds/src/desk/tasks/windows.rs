//! Tasks about windows: closed, found, moved, hidden.

use super::reach::{LOST, Reach};
use super::{FILE_NAMES, LINES, Task, Wanted, one, some};
use crate::desk::Desk;
use crate::desk::popup::Target;
use crate::desk::window::Part;
use crate::desk::words::Words;
use crate::engine::World as _;
use crate::random::Random;
use crate::task::Hand;
use handsight_base::key::Chord;
use handsight_base::space::{ScreenPx, ScreenRect};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A window may lie so far from where it should.
const TOLERANCE: i64 = 12;

fn title(desk: &Desk, window: u64) -> String {
    desk.frame(window).map_or_else(String::new, |f| f.title.clone())
}

/// Opens editors with files of their own, one window each.
fn open_texts(desk: &mut Desk, random: &mut Random, n: usize) -> Vec<u64> {
    let names = some(random, FILE_NAMES, n);
    let mut windows = Vec::new();
    for name in names {
        let path = format!("/Documents/{name}.txt");
        let text = one(random, LINES);
        let _written = desk.change_files(|files| files.write(&path, text));
        windows.extend(desk.open_program("editor", &[path]));
    }
    windows
}

/// All of these are open.
fn there(desk: &Desk, windows: &[u64]) -> Result<(), String> {
    let missing = windows.iter().filter(|w| desk.index(**w).is_none()).count();
    if missing == 0 { Ok(()) } else { Err(format!("{missing} windows were closed that should stay open")) }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Close {
    keys: bool,
    close: Vec<u64>,
    keep: Vec<u64>,
    titles: Vec<String>,
}

impl Close {
    fn draw(keys: bool) -> Box<dyn Task> {
        Box::new(Self { keys, close: Vec::new(), keep: Vec::new(), titles: Vec::new() })
    }

    pub(super) fn plan(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(false)
    }

    pub(super) fn plan_keys(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(true)
    }
}

impl Task for Close {
    fn objective(&self, _: &Words) -> String {
        let titles: Vec<String> = self.titles.iter().map(|t| format!("\"{t}\"")).collect();
        let how = if self.keys { " with Alt+F4" } else { "" };
        format!("Close the windows {}{how}, and leave the others open.", titles.join(" and "))
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        let mut windows = open_texts(desk, random, 3);
        for key in some(random, &["calculator", "player", "memo", "reader"], 2) {
            windows.extend(desk.open_program(key, &[]));
        }
        random.shuffle(&mut windows);
        self.keep = windows.split_off(2);
        self.titles = windows.iter().map(|w| title(desk, *w)).collect();
        self.close = windows;
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::default()
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        there(desk, &self.keep)?;
        let open: Vec<String> =
            self.close.iter().filter_map(|w| desk.frame(*w)).map(|f| f.title.clone()).collect();
        if !open.is_empty() {
            return Err(format!("still open: {open:?}"));
        }
        let pressed = desk.seen().filter(|s| s.what == "key f4").count();
        if self.keys && pressed < self.close.len() {
            return Err(format!("Alt+F4 was pressed {pressed} times"));
        }
        Ok(())
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let Some(window) = self.close.iter().copied().find(|w| reach.desk.index(*w).is_some()) else {
            return LOST;
        };
        if !self.keys {
            return reach.close(window);
        }
        if reach.desk.core.active == Some(window) {
            return "alt+f4".parse::<Chord>().map_or(LOST, Hand::Key);
        }
        reach.title(window).map_or_else(|hand| hand, Hand::Click)
    }

    fn save(&self) -> Value {
        json!(self)
    }
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

const BUTTONS: [&str; 3] = ["Approve", "Reject", "Postpone"];

impl Covered {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        let kinds = some(random, &["Order", "Invoice", "Travel", "Holiday", "Repair", "Claim"], 4);
        let titles = kinds.iter().map(|kind| format!("{kind} {}", random.range(1000, 9999))).collect();
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
            let mut args = vec![title.clone(), text.clone()];
            args.extend(BUTTONS.map(str::to_owned));
            self.cards.extend(desk.open_program("card", &args));
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

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::default()
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        there(desk, &self.cards)?;
        let truths = desk.window_truths();
        for (i, (card, title)) in self.cards.iter().zip(&self.titles).enumerate() {
            let model =
                truths.iter().find(|t| t.frame.id == *card).map(|t| &t.model).ok_or("a window is gone")?;
            let (checked, pressed) = (model["checked"] == true, model["pressed"].as_str());
            let wanted = (i == self.at).then_some(self.button.as_str());
            if pressed != wanted || checked != (i == self.at) {
                return Err(format!(
                    "{title:?}: checked {checked}, pressed {pressed:?} in place of {wanted:?}"
                ));
            }
        }
        Ok(())
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let Some(card) = self.cards.get(self.at) else { return LOST };
        let truths = reach.desk.window_truths();
        let checked = truths.iter().any(|t| t.frame.id == *card && t.model["checked"] == true);
        reach.press(*card, if checked { &self.button } else { "checked" })
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// Moves a rectangle so that it lies inside of another, as far as it can.
fn hold_in(inner: ScreenRect, outer: ScreenRect) -> ScreenRect {
    let hold =
        |v: i32, from: i32, length: u32, room: u32| v.clamp(from, from + room.saturating_sub(length) as i32);
    let origin = ScreenPx::new(
        hold(inner.origin.x, outer.origin.x, inner.size.width, outer.size.width),
        hold(inner.origin.y, outer.origin.y, inner.size.height, outer.size.height),
    );
    ScreenRect { origin, ..inner }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HideAll {
    windows: Vec<u64>,
}

impl HideAll {
    pub(super) fn plan(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Box::new(Self { windows: Vec::new() })
    }
}

impl Task for HideAll {
    fn objective(&self, words: &Words) -> String {
        format!("Choose \"{}\" in the menu of the desktop.", words.get("minimise all"))
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        self.windows = open_texts(desk, random, 2);
        self.windows.extend(desk.open_program("memo", &[]));
        // A part of the desktop stays free.
        let work = desk.shell_layout().work;
        for window in self.windows.clone() {
            let Some(outer) = desk.frame(window).map(|f| f.outer) else { continue };
            let free = (work.size.height / 4) as i32;
            let mut room = work;
            room.size.height -= free as u32;
            let mut outer = outer;
            outer.size.height = outer.size.height.min(room.size.height);
            desk.put(window, hold_in(outer, room));
        }
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::default()
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        there(desk, &self.windows)?;
        if desk.windows.iter().any(|w| !w.frame.minimised) {
            return Err("a window is still shown".to_owned());
        }
        let chosen = desk.seen().any(|s| s.what == "choose minimise all");
        if chosen { Ok(()) } else { Err("the windows were hidden in another way".to_owned()) }
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let desk = reach.desk;
        if let Some(popup) = desk.core.popup.as_ref().filter(|p| p.target == Target::Desktop)
            && let Some(at) = popup.items.iter().position(|i| i.id == "minimise all")
        {
            return Hand::Click(popup.rows()[at].center());
        }
        if let Some(aside) = reach.close_menu() {
            return aside;
        }
        let work = desk.shell_layout().work;
        let free = |at: &ScreenPx| desk.window_at(*at).is_none() && desk.icon_at(*at).is_none();
        let grid = (0..400).map(|i| {
            let part = |i: i32, length: u32| length as i32 * (2 * i + 1) / 40;
            work.origin.offset(part(i % 20, work.size.width), part(i / 20, work.size.height))
        });
        grid.rev().find(free).map_or(LOST, Hand::RightClick)
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct LeftHalf {
    window: u64,
    title: String,
}

impl LeftHalf {
    pub(super) fn plan(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Box::new(Self { window: 0, title: String::new() })
    }

    fn goal(desk: &Desk) -> ScreenRect {
        let mut work = desk.shell_layout().work;
        work.size.width /= 2;
        work
    }
}

impl Task for LeftHalf {
    fn objective(&self, _: &Words) -> String {
        format!(
            "Move and size the window \"{}\" so that it fills the left half of the desktop beside the task bar.",
            self.title
        )
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        let windows = open_texts(desk, random, 2);
        self.window = windows.first().copied().unwrap_or_default();
        self.title = title(desk, self.window);
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::default()
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        let outer = desk.frame(self.window).map(|f| f.outer).ok_or("the window was closed")?;
        let goal = Self::goal(desk);
        let off = [
            i64::from(outer.origin.x - goal.origin.x),
            i64::from(outer.origin.y - goal.origin.y),
            outer.right() - goal.right(),
            outer.bottom() - goal.bottom(),
        ];
        let fits = off.iter().all(|by| by.abs() <= TOLERANCE);
        if fits { Ok(()) } else { Err(format!("the window is {outer} and should be {goal}")) }
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let Some(outer) = reach.desk.frame(self.window).map(|f| f.outer) else { return LOST };
        let goal = Self::goal(reach.desk);
        let (dx, dy) = (goal.origin.x - outer.origin.x, goal.origin.y - outer.origin.y);
        if (dx, dy) != (0, 0) {
            return reach
                .title(self.window)
                .map_or_else(|hand| hand, |from| Hand::Drag(from, from.offset(dx, dy)));
        }
        let corner = ScreenPx::new(outer.right() as i32 - 2, outer.bottom() as i32 - 2);
        let (dx, dy) = ((goal.right() - outer.right()) as i32, (goal.bottom() - outer.bottom()) as i32);
        let hit = reach
            .desk
            .window_at(corner)
            .filter(|f| f.id == self.window)
            .and_then(|f| f.part_at(corner, reach.desk.theme()));
        match hit {
            Some(Part::Edge(_)) => Hand::Drag(corner, corner.offset(dx, dy)),
            _ => reach.show(self.window),
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OtherDisplay {
    window: u64,
    keep: u64,
    title: String,
}

impl OtherDisplay {
    pub(super) fn plan(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Box::new(Self { window: 0, keep: 0, title: String::new() })
    }

    fn on_other(desk: &Desk, window: u64) -> bool {
        let outer = desk.frame(window).map(|f| f.outer);
        let other = desk.displays().get(1).map(|d| d.area);
        outer.zip(other).and_then(|(a, b)| a.intersect(&b)).is_some_and(|part| Some(part) == outer)
    }
}

impl Task for OtherDisplay {
    fn objective(&self, _: &Words) -> String {
        format!("Move the window \"{}\" to the other display.", self.title)
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        let mut windows = open_texts(desk, random, 2);
        for window in &windows {
            if let Some(outer) = desk.frame(*window).map(|f| f.outer) {
                desk.put(
                    *window,
                    ScreenRect::new(
                        outer.origin.x,
                        outer.origin.y,
                        outer.size.width.min(480),
                        outer.size.height.min(320),
                    ),
                );
            }
        }
        random.shuffle(&mut windows);
        self.window = windows.first().copied().unwrap_or_default();
        self.keep = windows.last().copied().unwrap_or_default();
        self.title = title(desk, self.window);
    }

    fn wanted(&self, _: &Desk) -> Wanted {
        Wanted::default()
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        there(desk, &[self.window, self.keep])?;
        if Self::on_other(desk, self.keep) {
            return Err("the wrong window was moved".to_owned());
        }
        if Self::on_other(desk, self.window) {
            Ok(())
        } else {
            Err("the window is not wholly on the other display".to_owned())
        }
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let outer = reach.desk.frame(self.window).map(|f| f.outer);
        let Some((outer, other)) = outer.zip(reach.desk.displays().get(1).map(|d| d.area)) else {
            return LOST;
        };
        let (from, to) = (outer.center(), other.center());
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        reach.title(self.window).map_or_else(|hand| hand, |from| Hand::Drag(from, from.offset(dx, dy)))
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
