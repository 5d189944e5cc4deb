//! Tasks about windows: closed, moved, sized, hidden, brought to the front.

use super::reach::{LOST, Reach};
use super::{FILE_NAMES, LINES, Task, chord, clutter, one, some};
use crate::desk::Desk;
use crate::desk::window::{Part, Shape};
use crate::desk::words::Words;
use crate::engine::World as _;
use crate::random::Random;
use crate::task::Hand;
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A window may lie so far from where it should.
const TOLERANCE: i64 = 12;

pub(super) fn title(desk: &Desk, window: u64) -> String {
    desk.frame(window).map_or_else(String::new, |f| f.title.clone())
}

/// Opens editors with files of their own, one window each.
pub(super) fn open_texts(desk: &mut Desk, random: &mut Random, n: usize) -> Vec<u64> {
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
pub(super) fn there(desk: &Desk, windows: &[u64]) -> Result<(), String> {
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
            return chord("alt+f4");
        }
        reach.title(window).map_or_else(|hand| hand, Hand::Click)
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// What is done with one window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Deed {
    Front,
    FrontByKeys,
    Close,
    Minimise,
    Maximise,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OneWindow {
    deed: Deed,
    window: u64,
    keep: Vec<u64>,
    title: String,
}

impl OneWindow {
    fn draw(deed: Deed) -> Box<dyn Task> {
        Box::new(Self { deed, window: 0, keep: Vec::new(), title: String::new() })
    }

    pub(super) fn plan_front(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(Deed::Front)
    }

    pub(super) fn plan_front_by_keys(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(Deed::FrontByKeys)
    }

    pub(super) fn plan_close(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(Deed::Close)
    }

    pub(super) fn plan_minimise(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(Deed::Minimise)
    }

    pub(super) fn plan_maximise(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(Deed::Maximise)
    }

    const fn in_front(&self) -> bool {
        matches!(self.deed, Deed::Front | Deed::FrontByKeys)
    }
}

impl Task for OneWindow {
    fn objective(&self, _: &Words) -> String {
        let title = &self.title;
        match self.deed {
            Deed::Front => format!("Bring the window \"{title}\" to the front."),
            Deed::FrontByKeys => format!("Bring the window \"{title}\" to the front with Alt+Tab."),
            Deed::Close => format!("Close the window \"{title}\", and leave the others open."),
            Deed::Minimise => format!("Minimise the window \"{title}\"."),
            Deed::Maximise => format!("Maximise the window \"{title}\"."),
        }
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        if self.deed == Deed::Front {
            clutter(desk, random, 2);
        }
        let mut windows = open_texts(desk, random, 3);
        // What is in front already cannot be brought there; by keys it is the one used last.
        let at = match self.deed {
            Deed::Front => random.below(2),
            Deed::FrontByKeys => 1,
            _ => random.below(3),
        };
        self.window = windows.remove(at);
        self.keep = windows;
        self.title = title(desk, self.window);
        // Quite covered, so that the task bar is the way.
        let over = desk.frame(self.window).map(|f| f.outer);
        for other in self.keep.clone().into_iter().filter(|_| self.deed == Deed::Front) {
            over.map(|outer| desk.put(other, outer));
        }
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        there(desk, &self.keep)?;
        let plain = |id: &u64| desk.frame(*id).is_some_and(|f| !f.minimised && f.shape == Shape::Normal);
        if !self.keep.iter().all(plain) {
            return Err("something was done with other windows".to_owned());
        }
        let frame = desk.frame(self.window);
        let so = match self.deed {
            Deed::Front => desk.core.active == Some(self.window),
            Deed::FrontByKeys => {
                desk.core.active == Some(self.window)
                    && desk.core.switcher.is_none()
                    && desk.seen().any(|s| s.what == "key tab")
                    && !desk.seen().any(|s| s.what.contains(" press at "))
            }
            Deed::Close => frame.is_none(),
            Deed::Minimise => frame.is_some_and(|f| f.minimised),
            Deed::Maximise => frame.is_some_and(|f| f.shape == Shape::Maximised && !f.minimised),
        };
        let moved = self.in_front() && !plain(&self.window);
        if so && !moved { Ok(()) } else { Err(format!("{:?} is as it was, or in another way", self.title)) }
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        match self.deed {
            Deed::Front => reach.title(self.window).map_or_else(|hand| hand, Hand::Click),
            Deed::FrontByKeys => chord("alt+Tab"),
            Deed::Close => reach.close(self.window),
            Deed::Minimise => reach.caption(self.window, Part::Minimise),
            Deed::Maximise => reach.caption(self.window, Part::Maximise),
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// Moves a rectangle so that it lies inside of another, as far as it can.
pub(super) fn hold_in(inner: ScreenRect, outer: ScreenRect) -> ScreenRect {
    let hold =
        |v: i32, from: i32, length: u32, room: u32| v.clamp(from, from + room.saturating_sub(length) as i32);
    let origin = ScreenPx::new(
        hold(inner.origin.x, outer.origin.x, inner.size.width, outer.size.width),
        hold(inner.origin.y, outer.origin.y, inner.size.height, outer.size.height),
    );
    ScreenRect { origin, ..inner }
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
    windows: Vec<u64>,
    keep: u64,
    titles: Vec<String>,
}

impl OtherDisplay {
    fn draw(n: usize) -> Box<dyn Task> {
        Box::new(Self { windows: vec![0; n], keep: 0, titles: Vec::new() })
    }

    pub(super) fn plan(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(1)
    }

    pub(super) fn plan_two(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(2)
    }

    fn on_other(desk: &Desk, window: u64) -> bool {
        let outer = desk.frame(window).map(|f| f.outer);
        let other = desk.displays().get(1).map(|d| d.area);
        outer.zip(other).and_then(|(a, b)| a.intersect(&b)).is_some_and(|part| Some(part) == outer)
    }
}

impl Task for OtherDisplay {
    fn objective(&self, _: &Words) -> String {
        let titles: Vec<String> = self.titles.iter().map(|t| format!("\"{t}\"")).collect();
        let windows = if titles.len() > 1 { "windows" } else { "window" };
        format!("Move the {windows} {} to the other display.", titles.join(" and "))
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        let n = self.windows.len();
        let mut windows = open_texts(desk, random, n + 1);
        for window in &windows {
            if let Some(outer) = desk.frame(*window).map(|f| f.outer) {
                let size = Size::new(outer.size.width.min(480), outer.size.height.min(320));
                desk.put(*window, ScreenRect { size, ..outer });
            }
        }
        random.shuffle(&mut windows);
        self.keep = windows.pop().unwrap_or_default();
        self.titles = windows.iter().map(|window| title(desk, *window)).collect();
        self.windows = windows;
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        there(desk, &self.windows)?;
        there(desk, &[self.keep])?;
        if Self::on_other(desk, self.keep) {
            return Err("the wrong window was moved".to_owned());
        }
        let missing =
            self.windows.iter().zip(&self.titles).find(|(window, _)| !Self::on_other(desk, **window));
        missing.map_or(Ok(()), |(_, title)| Err(format!("{title:?} is not wholly on the other display")))
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let window = self.windows.iter().find(|window| !Self::on_other(reach.desk, **window));
        let frame = window.and_then(|window| reach.desk.frame(*window));
        let Some((frame, other)) = frame.zip(reach.desk.displays().get(1).map(|d| d.area)) else {
            return LOST;
        };
        let (from, to) = (frame.outer.center(), other.center());
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        reach.title(frame.id).map_or_else(|hand| hand, |from| Hand::Drag(from, from.offset(dx, dy)))
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
