//! Tasks on the desktop around the windows: its start menu, its icons, its own menu.

use super::Task;
use super::reach::{LOST, Reach};
use super::windows::{hold_in, open_texts, there};
use crate::desk::Desk;
use crate::desk::popup::Target;
use crate::desk::shell::Opens;
use crate::desk::words::Words;
use crate::random::Random;
use crate::task::Hand;
use handsight_base::space::ScreenPx;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A program is started that is not open yet.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StartProgram {
    key: String,
    keep: Vec<u64>,
    /// By a double click on its icon.
    by_icon: bool,
}

impl StartProgram {
    fn draw(by_icon: bool) -> Box<dyn Task> {
        Box::new(Self { key: String::new(), keep: Vec::new(), by_icon })
    }

    pub(super) fn plan(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(false)
    }

    pub(super) fn plan_icon(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(true)
    }

    /// Where an icon can be clicked.
    fn icon(desk: &Desk, key: &str) -> Option<ScreenPx> {
        let program = |what: &Opens| *what == Opens::Program(key.to_owned());
        let at = desk.core.shell.icons.iter().position(|icon| program(&icon.what))?;
        let place = desk.icon_rect(at).center();
        let free = desk.window_at(place).is_none() && desk.spot_at(place).is_none();
        (free && desk.icon_at(place) == Some(at)).then_some(place)
    }
}

impl Task for StartProgram {
    fn objective(&self, words: &Words) -> String {
        let how = if self.by_icon { " by a double click on its icon" } else { "" };
        format!("Open \"{}\"{how}.", words.program(&self.key))
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        let mut programs = desk.core.shell.menu.clone();
        random.shuffle(&mut programs);
        let open: Vec<String> = programs.drain(..random.below(3)).collect();
        self.keep.extend(open.iter().filter_map(|key| desk.open_program(key, &[])));
        // Of icons one that no window covers.
        let fits = |key: &&String| !self.by_icon || Self::icon(desk, key).is_some();
        self.key = programs.iter().find(fits).or(programs.first()).cloned().unwrap_or_default();
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        there(desk, &self.keep)?;
        let active = desk.core.active.and_then(|id| desk.frame(id)).map(|f| f.app.as_str());
        if active != Some(self.key.as_str()) || desk.windows.len() != self.keep.len() + 1 {
            let front = active.unwrap_or("nothing");
            return Err(format!("the window in front is of {front}, of {} windows", desk.windows.len()));
        }
        if self.by_icon && desk.seen().any(|s| s.what.starts_with("choose ")) {
            return Err("a menu was used".to_owned());
        }
        Ok(())
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        if self.by_icon {
            return Self::icon(reach.desk, &self.key).map_or(LOST, Hand::DoubleClick);
        }
        reach.start(&self.key)
    }

    fn save(&self) -> Value {
        json!(self)
    }
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
        let work = desk.shell_layout().work;
        let free = |at: &ScreenPx| desk.window_at(*at).is_none() && desk.icon_at(*at).is_none();
        let grid = (0..400).map(|i| {
            let part = |i: i32, length: u32| length as i32 * (2 * i + 1) / 40;
            work.origin.offset(part(i % 20, work.size.width), part(i / 20, work.size.height))
        });
        reach.context(&Target::Desktop, "minimise all", grid.rev().find(free).ok_or(LOST))
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
