//! What an application shows, said as a tree of widgets.
//!
//! A program builds its tree anew whenever something happened ([`App::view`]); what a person typed, selected and scrolled is
//! kept by name in [`Ui`], so the tree holds no state. Names (`id`) must be unique within a window; what nobody presses
//! needs none.
//!
//! [`App::view`]: crate::desk::apps::App::view
//! [`Ui`]: super::Ui

use super::icons::Icon;
use serde::{Deserialize, Serialize};

/// How long a widget is in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Len {
    /// As its content needs.
    #[default]
    Fit,
    /// Screen units.
    Fixed(i32),
    /// A share of what the others leave.
    Grow(u16),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Align {
    #[default]
    Start,
    Center,
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    #[default]
    Normal,
    /// Enter presses it; drawn in the accent colour.
    Primary,
    /// Escape presses it.
    Cancel,
    /// Without a border until the pointer is over it; for tool bars.
    Flat,
}

/// What lies behind a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Panel {
    #[default]
    None,
    /// A tool bar or status bar.
    Bar,
    /// A group with a border.
    Group,
    /// The colour of fields and lists.
    Paper,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LabelStyle {
    pub bold: bool,
    pub dim: bool,
    pub wrap: bool,
    pub align: Align,
    /// Added to the size of the font.
    pub larger: i16,
}

/// A row of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Item {
    pub icon: Option<Icon>,
    /// One text a column.
    pub cells: Vec<String>,
    /// What is dropped elsewhere if the row is dragged; `None` if it cannot be.
    pub drag: Option<String>,
}

impl Item {
    pub fn new(text: impl Into<String>) -> Self {
        Self { cells: vec![text.into()], ..Self::default() }
    }

    pub const fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    pub fn cell(mut self, text: impl Into<String>) -> Self {
        self.cells.push(text.into());
        self
    }

    pub fn drag(mut self, what: impl Into<String>) -> Self {
        self.drag = Some(what.into());
        self
    }
}

/// A column of a list: its title and its part of the width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub title: String,
    pub share: u16,
}

/// One line of a menu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MenuItem {
    /// What [`Event::Press`](super::Event::Press) names; empty for a separating line.
    pub id: String,
    pub text: String,
    /// A chord that does the same, as it is written: `Ctrl+S`.
    pub shortcut: String,
    pub enabled: bool,
    pub checked: bool,
    pub icon: Option<Icon>,
}

impl MenuItem {
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            text: text.into(),
            shortcut: String::new(),
            enabled: true,
            checked: false,
            icon: None,
        }
    }

    pub fn line() -> Self {
        Self::new("", "")
    }

    pub fn is_line(&self) -> bool {
        self.id.is_empty()
    }

    pub fn key(mut self, shortcut: &str) -> Self {
        shortcut.clone_into(&mut self.shortcut);
        self
    }

    pub const fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    pub const fn checked(mut self, checked: bool) -> Self {
        self.checked = checked;
        self
    }

    pub const fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }
}

/// A menu of a menu bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Menu {
    pub title: String,
    pub items: Vec<MenuItem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Label {
        text: String,
        style: LabelStyle,
    },
    Button {
        text: String,
        icon: Option<Icon>,
        role: Role,
    },
    /// One line of text.
    Field {
        hint: String,
    },
    /// Many lines of text.
    Area {
        read_only: bool,
    },
    Check {
        text: String,
        on: bool,
    },
    Radio {
        text: String,
        on: bool,
    },
    List {
        items: Vec<Item>,
        columns: Vec<Column>,
    },
    /// One of several, in a list that opens.
    Choice {
        options: Vec<String>,
        selected: usize,
    },
    /// A whole number between two others.
    Slider {
        value: i32,
        from: i32,
        to: i32,
    },
    /// Large text on the right, as calculators have it.
    Display {
        text: String,
    },
    Progress {
        percent: u8,
    },
    Picture {
        icon: Icon,
        size: i32,
    },
    MenuBar {
        menus: Vec<Menu>,
    },
    Line,
    Space,
    Stack {
        down: bool,
        gap: i32,
        pad: i32,
        align: Align,
        panel: Panel,
        title: String,
        children: Vec<Node>,
    },
    Grid {
        columns: usize,
        gap: i32,
        children: Vec<Node>,
    },
    Scroll {
        child: Box<Node>,
    },
}

/// One widget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub id: String,
    pub kind: Kind,
    pub width: Len,
    pub height: Len,
    pub enabled: bool,
}

impl Node {
    pub fn new(id: impl Into<String>, kind: Kind) -> Self {
        Self { id: id.into(), kind, width: Len::Fit, height: Len::Fit, enabled: true }
    }

    pub const fn width(mut self, units: i32) -> Self {
        self.width = Len::Fixed(units);
        self
    }

    pub const fn height(mut self, units: i32) -> Self {
        self.height = Len::Fixed(units);
        self
    }

    /// Takes what the others leave, in both directions.
    pub const fn grow(self) -> Self {
        self.wide().tall()
    }

    pub const fn wide(mut self) -> Self {
        self.width = Len::Grow(1);
        self
    }

    pub const fn tall(mut self) -> Self {
        self.height = Len::Grow(1);
        self
    }

    pub const fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    fn role(mut self, new: Role) -> Self {
        if let Kind::Button { role, .. } = &mut self.kind {
            *role = new;
        }
        self
    }

    pub fn primary(self) -> Self {
        self.role(Role::Primary)
    }

    pub fn cancel(self) -> Self {
        self.role(Role::Cancel)
    }

    pub fn flat(self) -> Self {
        self.role(Role::Flat)
    }

    pub fn icon(mut self, new: Icon) -> Self {
        if let Kind::Button { icon, .. } = &mut self.kind {
            *icon = Some(new);
        }
        self
    }

    fn style(mut self, change: impl FnOnce(&mut LabelStyle)) -> Self {
        if let Kind::Label { style, .. } = &mut self.kind {
            change(style);
        }
        self
    }

    pub fn bold(self) -> Self {
        self.style(|s| s.bold = true)
    }

    pub fn dim(self) -> Self {
        self.style(|s| s.dim = true)
    }

    /// Broken into rows of the width it is given.
    pub fn wrap(self) -> Self {
        self.style(|s| s.wrap = true)
    }

    pub fn larger(self, by: i16) -> Self {
        self.style(|s| s.larger = by)
    }

    /// Of a label its text, of a container its children across its direction.
    pub fn align(mut self, new: Align) -> Self {
        match &mut self.kind {
            Kind::Label { style, .. } => style.align = new,
            Kind::Stack { align, .. } => *align = new,
            _ => {}
        }
        self
    }

    pub fn pad(mut self, units: i32) -> Self {
        if let Kind::Stack { pad, .. } = &mut self.kind {
            *pad = units;
        }
        self
    }

    pub fn gap(mut self, units: i32) -> Self {
        if let Kind::Stack { gap, .. } | Kind::Grid { gap, .. } = &mut self.kind {
            *gap = units;
        }
        self
    }

    pub fn panel(mut self, new: Panel) -> Self {
        if let Kind::Stack { panel, .. } = &mut self.kind {
            *panel = new;
        }
        self
    }

    /// Of a list: titled columns. The shares divide the width.
    pub fn columns<'a>(mut self, new: impl IntoIterator<Item = (&'a str, u16)>) -> Self {
        if let Kind::List { columns, .. } = &mut self.kind {
            *columns =
                new.into_iter().map(|(title, share)| Column { title: title.to_owned(), share }).collect();
        }
        self
    }

    pub fn read_only(mut self) -> Self {
        if let Kind::Area { read_only } = &mut self.kind {
            *read_only = true;
        }
        self
    }
}

pub fn label(text: impl Into<String>) -> Node {
    Node::new("", Kind::Label { text: text.into(), style: LabelStyle::default() })
}

pub fn button(id: impl Into<String>, text: impl Into<String>) -> Node {
    Node::new(id, Kind::Button { text: text.into(), icon: None, role: Role::Normal })
}

pub fn field(id: impl Into<String>) -> Node {
    Node::new(id, Kind::Field { hint: String::new() })
}

/// A field that shows `hint` while it is empty.
pub fn field_with_hint(id: impl Into<String>, hint: impl Into<String>) -> Node {
    Node::new(id, Kind::Field { hint: hint.into() })
}

pub fn area(id: impl Into<String>) -> Node {
    Node::new(id, Kind::Area { read_only: false }).grow()
}

pub fn check(id: impl Into<String>, text: impl Into<String>, on: bool) -> Node {
    Node::new(id, Kind::Check { text: text.into(), on })
}

pub fn radio(id: impl Into<String>, text: impl Into<String>, on: bool) -> Node {
    Node::new(id, Kind::Radio { text: text.into(), on })
}

pub fn list(id: impl Into<String>, items: Vec<Item>) -> Node {
    Node::new(id, Kind::List { items, columns: Vec::new() }).grow()
}

pub fn choice(id: impl Into<String>, options: Vec<String>, selected: usize) -> Node {
    Node::new(id, Kind::Choice { options, selected })
}

pub fn slider(id: impl Into<String>, value: i32, from: i32, to: i32) -> Node {
    Node::new(id, Kind::Slider { value, from, to })
}

pub fn display(id: impl Into<String>, text: impl Into<String>) -> Node {
    Node::new(id, Kind::Display { text: text.into() }).wide()
}

pub fn progress(percent: u8) -> Node {
    Node::new("", Kind::Progress { percent }).wide()
}

pub fn picture(icon: Icon, size: i32) -> Node {
    Node::new("", Kind::Picture { icon, size })
}

pub fn menu(title: impl Into<String>, items: Vec<MenuItem>) -> Menu {
    Menu { title: title.into(), items }
}

pub fn menu_bar(menus: Vec<Menu>) -> Node {
    Node::new("menu bar", Kind::MenuBar { menus }).wide()
}

/// A line between two parts.
pub fn line() -> Node {
    Node::new("", Kind::Line)
}

/// Takes what is left.
pub fn space() -> Node {
    Node::new("", Kind::Space).grow()
}

fn stack(down: bool, children: Vec<Node>) -> Node {
    let align = if down { Align::Start } else { Align::Center };
    let kind =
        Kind::Stack { down, gap: 8, pad: 0, align, panel: Panel::None, title: String::new(), children };
    Node::new("", kind)
}

/// Widgets below each other.
pub fn column(children: Vec<Node>) -> Node {
    stack(true, children).wide()
}

/// Widgets beside each other, in the middle of the row's height.
pub fn row(children: Vec<Node>) -> Node {
    stack(false, children).wide()
}

/// Widgets beside each other on a bar of the width of the window.
pub fn tool_bar(children: Vec<Node>) -> Node {
    row(children).panel(Panel::Bar).gap(4).pad(5)
}

/// Widgets below each other in a border with a title.
pub fn group(heading: impl Into<String>, children: Vec<Node>) -> Node {
    let mut node = column(children).panel(Panel::Group).pad(12);
    if let Kind::Stack { title, .. } = &mut node.kind {
        *title = heading.into();
    }
    node
}

/// Cells of equal size, row by row.
pub fn grid(columns: usize, children: Vec<Node>) -> Node {
    Node::new("", Kind::Grid { columns: columns.max(1), gap: 6, children }).grow()
}

/// Something higher than its place, with a scroll bar.
pub fn scroll(id: impl Into<String>, child: Node) -> Node {
    Node::new(id, Kind::Scroll { child: Box::new(child) }).grow()
}
