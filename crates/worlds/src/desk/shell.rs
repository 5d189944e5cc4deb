//! The desktop around the windows: task bar, start menu, icons, clock.

use super::apps::{APPS, AppKind};
use super::popup::{Popup, Target};
use super::ui::Event;
use super::ui::icons::Icon;
use super::ui::layout::rect;
use super::ui::mouse::Pressed;
use super::ui::node::MenuItem;
use super::window::Shape;
use super::{Desk, apps, files};
use crate::engine::text;
use crate::random::Random;
use handsight_base::flow::action::Button;
use handsight_base::space::{ScreenPx, ScreenRect};
use serde::{Deserialize, Serialize};

/// Something on the desktop that is opened by a double click.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DesktopIcon {
    pub what: Opens,
    /// Its top-left corner, from that of the work area.
    pub at: (i32, i32),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opens {
    /// A program by its key.
    Program(String),
    /// A file or folder by its path.
    Path(String),
}

/// What is kept of the desktop around the windows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shell {
    pub icons: Vec<DesktopIcon>,
    pub selected: Option<usize>,
    /// Keys of the programs in the order of the start menu.
    pub menu: Vec<String>,
    /// Draws the places of new windows.
    pub random: Random,
}

/// A part of the task bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    Bar,
    Start,
    Task(u64),
    Clock,
}

/// Where the parts of the desktop are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellLayout {
    pub bar: ScreenRect,
    pub start: ScreenRect,
    pub tasks: Vec<(u64, ScreenRect)>,
    pub clock: ScreenRect,
    /// What is left for windows.
    pub work: ScreenRect,
    /// The bar stands upright at the left.
    pub upright: bool,
}

const LONGEST_TASK: i32 = 190;

impl Desk {
    /// Where task bar, start button, window buttons and clock are.
    pub fn shell_layout(&self) -> ShellLayout {
        let (area, theme) = (self.primary(), &self.theme);
        let (x, y) = (area.origin.x, area.origin.y);
        let (w, h) = (area.size.width as i32, area.size.height as i32);
        let thick = i32::from(theme.size) * 2 + 16;
        let shown: Vec<u64> = self.task_windows();
        let start_wide = text::width(self.words.get("start"), theme.bold()) + i32::from(theme.size) + 34;
        let clock_wide = text::width("00:00 AM", theme.font()) + 20;
        let place = self.core.settings.get("taskbar");
        if place == "left" {
            let wide = (start_wide + 12).max(130);
            let room = (h - 2 * thick - 16).max(0);
            let step = (thick - 4).min(room / shown.len().max(1) as i32);
            let tasks = shown.iter().enumerate();
            let tasks =
                tasks.map(|(i, id)| (*id, rect(x + 5, y + thick + 8 + i as i32 * step, wide - 10, step - 4)));
            return ShellLayout {
                bar: rect(x, y, wide, h),
                start: rect(x + 5, y + 5, wide - 10, thick - 10),
                tasks: tasks.collect(),
                clock: rect(x + 5, y + h - thick, wide - 10, thick),
                work: rect(x + wide, y, w - wide, h),
                upright: true,
            };
        }
        let top = if place == "top" { y } else { y + h - thick };
        let room = (w - start_wide - clock_wide - 24).max(0);
        let step = (room / shown.len().max(1) as i32).min(LONGEST_TASK);
        let from = x + start_wide + 14;
        let tasks = shown
            .iter()
            .enumerate()
            .map(|(i, id)| (*id, rect(from + i as i32 * step, top + 5, step - 5, thick - 10)));
        ShellLayout {
            bar: rect(x, top, w, thick),
            start: rect(x + 5, top + 5, start_wide, thick - 10),
            tasks: tasks.collect(),
            clock: rect(x + w - clock_wide, top, clock_wide, thick),
            work: rect(x, if place == "top" { y + thick } else { y }, w, h - thick),
            upright: false,
        }
    }

    /// The windows that have a button in the task bar, in the order in which they were opened.
    fn task_windows(&self) -> Vec<u64> {
        let mut ids: Vec<u64> =
            self.windows.iter().filter(|w| w.frame.parent.is_none()).map(|w| w.frame.id).collect();
        ids.sort_unstable();
        ids
    }

    /// What of the task bar is under a place. The bar lies over all windows.
    pub(super) fn spot_at(&self, at: ScreenPx) -> Option<Spot> {
        let layout = self.shell_layout();
        if !layout.bar.contains(at) {
            return None;
        }
        let task = layout.tasks.iter().find(|(_, area)| area.contains(at)).map(|(id, _)| Spot::Task(*id));
        let corner = layout.start.union(&ScreenRect { origin: layout.bar.origin, ..layout.start });
        Some(if layout.start.contains(at) || corner.contains(at) {
            Spot::Start
        } else if layout.clock.contains(at) {
            Spot::Clock
        } else {
            task.unwrap_or(Spot::Bar)
        })
    }

    pub(super) fn press_shell(&mut self, spot: Spot, press: Pressed) {
        match (spot, press.button) {
            (Spot::Start, Button::Left) => self.toggle_start(),
            (Spot::Task(id), Button::Left) => {
                if self.core.active == Some(id)
                    || self.core.active == self.blocker(id) && self.core.active.is_some()
                {
                    self.minimise(id);
                } else {
                    self.activate(id);
                }
            }
            (Spot::Task(id), Button::Middle) => self.ask_to_close(id),
            (Spot::Task(id), Button::Right) => {
                let items = self.window_items(id);
                self.core.popup =
                    Some(Popup::at(press.at, items, Target::Task(id), self.primary(), &self.theme));
            }
            _ => {}
        }
    }

    /// What can be done with a window from its title bar or the task bar.
    pub(super) fn window_items(&self, id: u64) -> Vec<MenuItem> {
        let words = &self.words;
        let Some(frame) = self.frame(id) else { return Vec::new() };
        let plain = frame.shape == Shape::Normal && !frame.minimised;
        vec![
            MenuItem::new("restore", words.get("restore")).enabled(!plain),
            MenuItem::new("minimise", words.get("minimise")).enabled(!frame.minimised && frame.resizable),
            MenuItem::new("maximise", words.get("maximise")).enabled(plain && frame.resizable),
            MenuItem::line(),
            MenuItem::new("close", words.get("close")).key("Alt+F4"),
        ]
    }

    pub(super) fn toggle_start(&mut self) {
        if self.core.popup.take().is_some_and(|p| p.target == Target::Start) {
            return;
        }
        let words = &self.words;
        let program = |key: &String| {
            apps::find(key).map(|kind| MenuItem::new(kind.key, words.program(kind.key)).icon(kind.icon))
        };
        let mut items: Vec<MenuItem> = self.core.shell.menu.iter().filter_map(program).collect();
        items.push(MenuItem::line());
        items.push(MenuItem::new("run", format!("{}…", words.get("run"))).icon(Icon::Run));
        let layout = self.shell_layout();
        let display = if layout.upright { layout.work } else { self.primary() };
        self.core.popup = Some(Popup::under(layout.start, items, Target::Start, display, &self.theme));
    }

    pub(super) fn show_desktop(&mut self) {
        for window in &mut self.windows {
            window.frame.minimised = true;
        }
        self.core.active = None;
    }

    /// An item of the open menu is chosen.
    pub(super) fn choose(&mut self, item: usize) {
        let Some(popup) = self.core.popup.take() else { return };
        let Some(item) = popup.items.get(item).filter(|i| !i.is_line()).cloned() else { return };
        if !item.enabled {
            self.core.popup = Some(popup);
            return;
        }
        self.note(format!("choose {}", item.id));
        match popup.target {
            Target::Window(window) | Target::Bar { window, .. } => self.send(window, &Event::Press(item.id)),
            Target::Choice { window, id } => {
                self.send(window, &Event::Select(id, item.id.parse().unwrap_or(0)));
            }
            Target::Text { window, id } => self.edit_text(window, &id, &item.id),
            Target::Start => {
                if let Some(kind) = apps::find(&item.id) {
                    self.open(kind, &[]);
                }
            }
            Target::Desktop => match item.id.as_str() {
                "minimise all" => self.show_desktop(),
                "open" => {
                    if let Some(index) = self.core.shell.selected {
                        self.open_icon(index);
                    }
                }
                key => {
                    if let Some(kind) = apps::find(key) {
                        self.open(kind, &[]);
                    }
                }
            },
            Target::Task(window) => match item.id.as_str() {
                "restore" => {
                    let was_minimised = self.frame(window).is_some_and(|f| f.minimised);
                    self.activate(window);
                    if !was_minimised {
                        self.toggle_maximised(window);
                    }
                }
                "minimise" => self.minimise(window),
                "maximise" => {
                    self.activate(window);
                    self.toggle_maximised(window);
                }
                _ => self.ask_to_close(window),
            },
        }
    }

    pub(super) fn open_desktop_menu(&mut self, icon: Option<usize>) {
        let words = &self.words;
        let items = if icon.is_some() {
            vec![MenuItem::new("open", words.get("open"))]
        } else {
            let program = |kind: &AppKind| MenuItem::new(kind.key, words.program(kind.key)).icon(kind.icon);
            let mut items = vec![MenuItem::new("minimise all", words.get("minimise all")), MenuItem::line()];
            items.extend(APPS.iter().filter(|k| k.listed).map(program));
            items
        };
        let at = self.core.pointer;
        self.core.popup = Some(Popup::at(at, items, Target::Desktop, self.display_at(at), &self.theme));
    }

    pub(super) fn icon_size(&self) -> (i32, i32) {
        (104, 56 + i32::from(self.theme.size) * 5 / 2)
    }

    /// Where an icon with its name lies.
    pub fn icon_rect(&self, index: usize) -> ScreenRect {
        let work = self.shell_layout().work;
        let (w, h) = self.icon_size();
        let at = self.core.shell.icons.get(index).map_or((0, 0), |i| i.at);
        let hold = |v: i32, room: u32, length: i32| v.clamp(0, (room as i32 - length).max(0));
        let (x, y) = (hold(at.0, work.size.width, w), hold(at.1, work.size.height, h));
        rect(work.origin.x + x, work.origin.y + y, w, h)
    }

    pub(super) fn icon_at(&self, at: ScreenPx) -> Option<usize> {
        (0..self.core.shell.icons.len()).rev().find(|i| self.icon_rect(*i).contains(at))
    }

    pub(super) fn move_icon(&mut self, index: usize, to: ScreenPx) {
        let work = self.shell_layout().work;
        if let Some(icon) = self.core.shell.icons.get_mut(index) {
            icon.at = (to.x - work.origin.x, to.y - work.origin.y);
        }
    }

    pub(super) fn open_icon(&mut self, index: usize) {
        match self.core.shell.icons.get(index).map(|i| i.what.clone()) {
            Some(Opens::Program(key)) => {
                if let Some(kind) = apps::find(&key) {
                    self.open(kind, &[]);
                }
            }
            Some(Opens::Path(path)) => self.run(&path),
            None => {}
        }
    }

    /// The name and picture of an icon.
    pub(super) fn icon_face(&self, index: usize) -> (String, Icon) {
        match self.core.shell.icons.get(index).map(|i| &i.what) {
            Some(Opens::Program(key)) => {
                (self.words.program(key).to_owned(), apps::find(key).map_or(Icon::App, |k| k.icon))
            }
            Some(Opens::Path(path)) => {
                let folder = self.core.files.is_folder(path);
                (files::name(path).to_owned(), if folder { Icon::Folder } else { Icon::Document })
            }
            None => (String::new(), Icon::App),
        }
    }

    /// What the clock in the task bar says.
    pub fn clock_text(&self) -> String {
        let minutes = (self.core.unix_millis_at_start + self.core.now.as_millis() as i64).div_euclid(60_000);
        let (hour, minute) = (minutes.div_euclid(60).rem_euclid(24), minutes.rem_euclid(60));
        if self.core.settings.get("clock") == "12" {
            let half = if hour < 12 { "AM" } else { "PM" };
            return format!("{}:{minute:02} {half}", (hour + 11) % 12 + 1);
        }
        format!("{hour:02}:{minute:02}")
    }
}
