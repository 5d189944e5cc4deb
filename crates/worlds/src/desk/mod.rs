//! The `desk` world: a small desktop with overlapping windows, a task bar, a start menu, a run dialog and programs.
//!
//! It behaves like a desktop, not like a script: any click and any key does what a person expects, whether or not a task needs
//! it. What varies by seed: theme, accent, size of letters, place of the task bar, order of menus and icons, names of programs,
//! words on buttons, places of windows. It refuses to know tasks and checkers; those read [`Desk::truth`] and its parts.
//!
//! | file | |
//! |---|---|
//! | [`apps`] | the programs, one file each |
//! | [`ui`] | the widgets |
//! | [`window`] | what a window is and where its parts lie |
//! | `manage` | opening, closing, focus, and what programs ask for |
//! | `pointer`, `keyboard` | input |
//! | [`shell`], [`popup`] | task bar, icons, menus |
//! | `scene` | what it all looks like |
//! | `state` | set-up, save, load, truth |
//! | `spoken` | what programs tell assistive technology |
//! | [`tasks`] | what there is to do, checkers and oracles |

pub mod apps;
pub mod files;
mod keyboard;
mod manage;
mod pointer;
pub mod popup;
mod scene;
pub mod shell;
mod spoken;
mod state;
pub mod tasks;
pub mod theme;
pub mod ui;
pub mod window;
pub mod words;

pub use state::{DeskSetup, Seen, WindowTruth};

use crate::engine::scene::Scene;
use crate::engine::{CursorShape, Input, LoadError, World};
use crate::task::{Hand, TaskError, Verdict};
use files::Files;
use handsight_base::flow::action::{Axis, Button};
use handsight_base::flow::ui::UiNode;
use handsight_base::key::{Key, Modifiers};
use handsight_base::port::desktop::{Display, Window, WindowId};
use handsight_base::space::{ScreenPx, ScreenRect};
use popup::Popup;
use serde::{Deserialize, Serialize};
use shell::Shell;
use std::collections::VecDeque;
use std::time::Duration;
use theme::Theme;
use window::Win;
use words::{Settings, Words};

/// What of the desk is plain data; windows are the rest.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Core {
    seed: u64,
    displays: Vec<Display>,
    now: Duration,
    unix_millis_at_start: i64,
    settings: Settings,
    files: Files,
    clipboard: String,
    next_window: u64,
    pointer: ScreenPx,
    /// The window that has the focus; `None` is the desktop itself.
    active: Option<u64>,
    buttons: Vec<Button>,
    keys: Vec<Key>,
    last_click: Option<Click>,
    grab: Option<Grab>,
    popup: Option<Popup>,
    /// Alt+Tab: which window, counted from the top.
    switcher: Option<usize>,
    /// The Super key went down and nothing else since.
    lone_super: bool,
    repeat: Option<(Key, Duration)>,
    shell: Shell,
    seen: VecDeque<Seen>,
}

/// The last press, for counting double clicks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Click {
    at: ScreenPx,
    button: Button,
    time: Duration,
    count: u8,
}

/// What the left button holds on the desktop itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Grab {
    /// A window by its title bar, so far from its corner; `from` is where it was taken.
    Move {
        window: u64,
        offset: (i32, i32),
        from: ScreenPx,
    },
    Resize {
        window: u64,
        edges: window::Edges,
        began: ScreenRect,
        from: ScreenPx,
    },
    /// A button of a title bar.
    Caption {
        window: u64,
        part: window::Part,
    },
    /// Widgets of a window.
    Widgets {
        window: u64,
    },
    /// A row that is carried to another widget.
    Carry {
        what: String,
        text: String,
        from: u64,
    },
    Icon {
        index: usize,
        offset: (i32, i32),
        from: ScreenPx,
        moved: bool,
    },
}

/// The desk.
pub struct Desk {
    core: Core,
    /// From the bottom to the top.
    windows: Vec<Win>,
    theme: Theme,
    words: Words,
    revision: u64,
    stage: Option<tasks::Stage>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Desk(seed {}, {} windows)", self.core.seed, self.windows.len())
    }
}

/// A second press within this time and distance of the first is a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(400);
/// A model that looks again before its second click must not double-click by being simulated.
const THINK_TIME: Duration = Duration::from_secs(1);
const DOUBLE_CLICK_REACH: i32 = 5;
/// A key that stays down types again after the first time, and then every second.
const REPEAT_AFTER: Duration = Duration::from_millis(500);
const REPEAT_EVERY: Duration = Duration::from_millis(33);

impl Desk {
    /// The modifiers that are held.
    fn modifiers(&self) -> Modifiers {
        let mut modifiers = Modifiers::NONE;
        for key in &self.core.keys {
            modifiers.add(*key);
        }
        modifiers
    }

    fn primary(&self) -> ScreenRect {
        self.core.displays.first().map_or(ScreenRect::new(0, 0, 1, 1), |d| d.area)
    }

    /// The display that holds a place, or the one nearest to it.
    fn display_at(&self, at: ScreenPx) -> ScreenRect {
        let distance = |d: &&Display| {
            let over = |v: i32, from: i32, to: i64| i64::from((from - v).max(0)).max(i64::from(v) - to + 1);
            over(at.x, d.area.origin.x, d.area.right()).max(0)
                + over(at.y, d.area.origin.y, d.area.bottom()).max(0)
        };
        self.core.displays.iter().min_by_key(distance).map_or_else(|| self.primary(), |d| d.area)
    }
}

impl World for Desk {
    fn name(&self) -> &'static str {
        "desk"
    }

    fn seed(&self) -> u64 {
        self.core.seed
    }

    fn displays(&self) -> &[Display] {
        &self.core.displays
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn scene(&self) -> Scene {
        self.draw_scene()
    }

    fn input(&mut self, input: Input) {
        self.revision += 1;
        match input {
            Input::Move(to) => self.pointer_moved(to),
            Input::Button { button, down: true } => self.button_pressed(button),
            Input::Button { button, down: false } => self.button_released(button),
            Input::Key { key, down: true } => self.key_down(key),
            Input::Key { key, down: false } => self.key_up(key),
            Input::Char(c) => self.typed(c),
            Input::Wheel { axis: Axis::Vertical, units } => self.wheel(units),
            // Nothing here is wider than its place.
            Input::Wheel { axis: Axis::Horizontal, .. } => {}
        }
        self.stir();
    }

    fn release_all(&mut self) {
        self.revision += 1;
        // Nobody meant the menu that a pressed Super key opens.
        self.core.lone_super = false;
        for button in std::mem::take(&mut self.core.buttons) {
            // As if it had been let go of outside of everything.
            if button == Button::Left {
                self.drop_grab();
            }
        }
        for key in self.core.keys.clone() {
            self.key_up(key);
        }
    }

    fn advance(&mut self, now: Duration) {
        while let Some((key, due)) = self.core.repeat
            && due <= now
        {
            self.core.now = self.core.now.max(due);
            self.core.repeat = Some((key, due + REPEAT_EVERY));
            self.revision += 1;
            self.key_pressed(key);
        }
        // The clock shows minutes: only then there is something new to see.
        let minute =
            |now: Duration| (self.core.unix_millis_at_start + now.as_millis() as i64).div_euclid(60_000);
        if minute(now) != minute(self.core.now) {
            self.revision += 1;
        }
        self.core.now = self.core.now.max(now);
    }

    fn think_time(&self) -> Duration {
        THINK_TIME
    }

    fn windows(&self) -> Vec<Window> {
        self.windows.iter().rev().map(|w| w.described(self.core.active, &self.theme)).collect()
    }

    fn ui(&self) -> Vec<UiNode> {
        self.spoken()
    }

    fn focus(&mut self, window: WindowId) -> bool {
        self.revision += 1;
        self.close_popup();
        let there = self.index(window.0).is_some();
        self.activate(window.0);
        there
    }

    fn place(&mut self, window: WindowId, outer: ScreenRect) -> bool {
        self.revision += 1;
        self.put(window.0, outer)
    }

    fn launch(&mut self, argv: &[String]) -> Result<u32, String> {
        self.revision += 1;
        let (program, args) = argv.split_first().ok_or_else(|| "no program was named".to_owned())?;
        let id = self.start(program, args).ok_or_else(|| {
            let known: Vec<&str> =
                apps::APPS.iter().filter(|k| k.listed).flat_map(|k| k.commands.first().copied()).collect();
            format!("there is no such program; there are {}", known.join(", "))
        })?;
        Ok(window::pid(id))
    }

    fn clipboard(&self) -> String {
        self.core.clipboard.clone()
    }

    fn set_clipboard(&mut self, text: String) {
        self.core.clipboard = text;
    }

    fn pointer(&self) -> ScreenPx {
        self.core.pointer
    }

    fn cursor(&self) -> CursorShape {
        self.cursor_shape()
    }

    fn save(&self) -> Vec<u8> {
        self.save_state()
    }

    fn load(&mut self, state: &[u8]) -> Result<(), LoadError> {
        self.load_state(state)
    }

    fn begin(&mut self, task: &str) -> Result<String, TaskError> {
        self.begin_task(task)
    }

    fn objective(&self) -> Option<&str> {
        self.staged_objective()
    }

    fn verdict(&self) -> Option<Verdict> {
        self.judge()
    }

    fn oracle(&self) -> Hand {
        self.advise()
    }

    fn truth(&self) -> serde_json::Value {
        self.whole_truth()
    }
}
