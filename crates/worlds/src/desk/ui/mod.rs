//! The widgets of the desk: what each looks like, what mouse and keyboard do to it.
//!
//! A program says what it shows ([`node`]); [`layout`] places it; [`mouse`] and [`keys`] turn input into [`Event`]s; [`draw`]
//! makes shapes of it. What a person did to a widget (typed text, selection, scrolling) lives in [`Ui`], by the widget's name.
//! Nothing here knows windows, programs or files.

pub mod brush;
pub mod draw;
pub mod edit;
pub mod icons;
pub mod keys;
pub mod layout;
pub mod mouse;
pub mod node;
pub mod textbox;

use crate::desk::theme::Theme;
use edit::Edit;
use handsight_base::key::{Key, Modifiers};
use handsight_base::space::{ScreenPx, ScreenRect};
use node::{Kind, Menu, MenuItem, Node};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a person did, told to the program. Widgets go by their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The window was opened.
    Opened,
    /// A button was pressed, a menu item chosen, or its shortcut typed.
    Press(String),
    /// A check box or radio button was clicked and should now be as said.
    Toggle(String, bool),
    /// The text of a field or area changed; read it with `ui.text`.
    Change(String),
    /// Enter in a field of a window without a primary button.
    Submit(String),
    /// A row of a list, or an option of a choice.
    Select(String, usize),
    /// A row was double-clicked, or Enter pressed on it.
    Activate(String, usize),
    /// The title of a list's column was clicked.
    Column(String, usize),
    /// A slider was moved to a value.
    Slide(String, i32),
    /// The right button or the menu key, on a row of a list if there is one; answer with `cx.menu(items)`.
    Menu(String, Option<usize>),
    /// A key that no widget wanted.
    Key(Key, Modifiers),
    /// Something was dropped on a widget, on a row of a list if there is one.
    Drop { on: String, row: Option<usize>, what: String },
    /// A dialog that was opened with `tag` has an answer: the name of the button, or a path.
    Answer { tag: String, value: String },
    /// The person wants the window closed: call `cx.close()`, or ask first.
    Close,
}

/// What comes of an input besides events: things only the desktop can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Event(Event),
    /// Open a menu of the menu bar under this rectangle.
    OpenMenu {
        bar: usize,
        under: ScreenRect,
        items: Vec<MenuItem>,
    },
    /// Open the options of a choice under this rectangle.
    OpenChoice {
        id: String,
        under: ScreenRect,
        options: Vec<String>,
        selected: usize,
    },
    /// A row is dragged away.
    Drag {
        what: String,
        text: String,
    },
}

/// What is kept of a widget.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    pub edit: Edit,
    /// How far the content is moved up; of a field, to the left.
    pub scroll: i32,
    /// The selected row of a list.
    pub selected: Option<usize>,
}

/// A widget in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    pub id: String,
    pub kind: Kind,
    pub rect: ScreenRect,
    pub clip: ScreenRect,
    pub enabled: bool,
    /// Height of what a scroll area holds.
    pub content: i32,
}

/// What the left button holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Capture {
    /// A button; `inside` while the pointer is over it.
    Button {
        id: String,
        inside: bool,
    },
    /// Selecting text; by whole words after a double click.
    Text {
        id: String,
        origin: (usize, usize),
        words: bool,
    },
    /// The thumb of a scroll bar, held so far below its top.
    Thumb {
        id: String,
        grab: i32,
    },
    Slider {
        id: String,
    },
    /// A row that will be dragged once the pointer has moved.
    Row {
        id: String,
        row: usize,
        at: ScreenPx,
    },
}

/// The widgets of one window, with what a person did to them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Ui {
    states: BTreeMap<String, State>,
    focus: Option<String>,
    capture: Option<Capture>,
    hover: Option<ScreenPx>,
    #[serde(skip)]
    placed: Vec<Placed>,
}

impl Ui {
    /// Places the tree anew. The focus stays, or goes to the first widget that takes it.
    pub fn show(&mut self, tree: &Node, area: ScreenRect, theme: &Theme) {
        self.placed = layout::place(tree, area, theme, &self.states);
        for placed in &self.placed {
            if let Kind::List { items, .. } = &placed.kind {
                let state = self.states.entry(placed.id.clone()).or_default();
                state.selected = state.selected.filter(|&row| row < items.len());
            }
        }
        for at in 0..self.placed.len() {
            self.hold_scroll(at, theme);
        }
        let there = |id: &String| self.placed.iter().any(|p| &p.id == id && p.takes_focus());
        if !self.focus.as_ref().is_some_and(there) {
            let texts =
                |p: &&Placed| matches!(p.kind, Kind::Field { .. } | Kind::Area { .. }) && p.takes_focus();
            let first =
                self.placed.iter().find(texts).or_else(|| self.placed.iter().find(|p| p.takes_focus()));
            self.focus = first.map(|p| p.id.clone());
        }
    }

    /// Every widget in its place, in the order of drawing.
    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    /// Where a widget can be seen; `None` if it is not there or scrolled away.
    pub fn locate(&self, id: &str) -> Option<ScreenRect> {
        self.placed.iter().find(|p| p.id == id).and_then(|p| p.rect.intersect(&p.clip))
    }

    pub fn states(&self) -> &BTreeMap<String, State> {
        &self.states
    }

    pub(crate) fn state(&mut self, id: &str) -> &mut State {
        self.states.entry(id.to_owned()).or_default()
    }

    /// What a field or area holds.
    pub fn text(&self, id: &str) -> &str {
        self.states.get(id).map_or("", |s| &s.edit.text)
    }

    /// Puts a text into a field or area, with the caret at its end (of an area, at its start) and nothing to take back.
    pub fn set_text(&mut self, id: &str, text: impl Into<String>) {
        let multi = self.placed.iter().any(|p| p.id == id && matches!(p.kind, Kind::Area { .. }));
        let state = self.state(id);
        state.edit = Edit::of(text);
        state.scroll = 0;
        if multi {
            state.edit.place(0, false);
        }
    }

    /// Selects all of a field, so that typing replaces it.
    pub fn select_all(&mut self, id: &str) {
        self.state(id).edit.select_all();
    }

    /// Editing of a text, for menu items such as undo and select all.
    pub fn edit(&mut self, id: &str) -> &mut Edit {
        &mut self.state(id).edit
    }

    pub fn selected(&self, id: &str) -> Option<usize> {
        self.states.get(id).and_then(|s| s.selected)
    }

    pub fn select(&mut self, id: &str, row: Option<usize>) {
        let state = self.state(id);
        state.selected = row;
        if row.is_none() {
            state.scroll = 0;
        }
    }

    pub fn focus(&self) -> Option<&str> {
        self.focus.as_deref()
    }

    pub fn set_focus(&mut self, id: impl Into<String>) {
        self.focus = Some(id.into());
    }

    /// The menus of the menu bar, if there is one, with the rectangle of each title.
    pub fn menus(&self, theme: &Theme) -> Vec<(&Menu, ScreenRect)> {
        let bar = self.placed.iter().find_map(|p| match &p.kind {
            Kind::MenuBar { menus } => Some((menus, p.rect)),
            _ => None,
        });
        bar.map_or_else(Vec::new, |(menus, rect)| {
            menus.iter().zip(draw::menu_titles(menus, rect, theme)).collect()
        })
    }

    /// The widget under a place, the topmost; containers and labels are no widgets here.
    pub(crate) fn at(&self, at: ScreenPx) -> Option<usize> {
        self.placed.iter().rposition(|p| p.is_live() && p.rect.contains(at) && p.clip.contains(at))
    }

    /// The innermost thing under a place that has content to scroll.
    fn scrollable_at(&self, at: ScreenPx, theme: &Theme) -> Option<usize> {
        self.placed.iter().rposition(|p| {
            p.rect.contains(at)
                && p.clip.contains(at)
                && self.scroll_range(p, theme).is_some_and(|most| most > 0)
        })
    }

    /// How far the content of a scrolling widget can be moved.
    pub(crate) fn scroll_range(&self, placed: &Placed, theme: &Theme) -> Option<i32> {
        let (content, view) = match &placed.kind {
            Kind::Scroll { .. } => (placed.content, placed.rect.size.height as i32),
            Kind::List { items, .. } => {
                (items.len() as i32 * theme.row_height(), draw::list_rows(placed, theme).size.height as i32)
            }
            Kind::Area { .. } => {
                let rows = textbox::rows(placed, self.text(&placed.id), theme).len() as i32;
                (rows * textbox::row_height(theme), textbox::inner(placed, theme).size.height as i32)
            }
            _ => return None,
        };
        Some((content - view).max(0))
    }

    fn hold_scroll(&mut self, at: usize, theme: &Theme) {
        let placed = &self.placed[at];
        if let Some(most) = self.scroll_range(placed, theme)
            && let Some(state) = self.states.get_mut(&placed.id)
        {
            state.scroll = state.scroll.clamp(0, most);
        }
    }

    fn index(&self, id: &str) -> Option<usize> {
        self.placed.iter().position(|p| p.id == id)
    }
}

impl Placed {
    /// True for what reacts to the pointer.
    pub fn is_live(&self) -> bool {
        match &self.kind {
            Kind::Label { .. }
            | Kind::Display { .. }
            | Kind::Progress { .. }
            | Kind::Picture { .. }
            | Kind::Line
            | Kind::Space
            | Kind::Stack { .. }
            | Kind::Grid { .. } => false,
            Kind::Button { .. }
            | Kind::Field { .. }
            | Kind::Area { .. }
            | Kind::Check { .. }
            | Kind::Radio { .. }
            | Kind::List { .. }
            | Kind::Choice { .. }
            | Kind::Slider { .. }
            | Kind::MenuBar { .. }
            | Kind::Scroll { .. } => true,
        }
    }

    /// True for what Tab reaches.
    pub fn takes_focus(&self) -> bool {
        let flat = matches!(self.kind, Kind::Button { role: node::Role::Flat, .. });
        let passive = matches!(self.kind, Kind::MenuBar { .. } | Kind::Scroll { .. });
        self.enabled && self.is_live() && !flat && !passive
    }

    /// True for what holds text that is edited.
    pub const fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Field { .. } | Kind::Area { .. })
    }
}
