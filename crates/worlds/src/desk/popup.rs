//! Menus that lie over everything: of menu bars, of the right button, the start menu, the options of a choice.

use super::theme::{Theme, mix};
use super::ui::brush::Brush;
use super::ui::layout::rect;
use super::ui::node::{Align, MenuItem};
use crate::engine::scene::{Layer, Shape, grown};
use crate::engine::text;
use handsight_base::space::{ScreenPx, ScreenRect};
use serde::{Deserialize, Serialize};

const PAD: i32 = 5;
const LINE: i32 = 9;

/// Whom a choice in a menu is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The program of a window.
    Window(u64),
    /// The same, from a menu of its menu bar.
    Bar {
        window: u64,
        bar: usize,
    },
    /// A choice in a window.
    Choice {
        window: u64,
        id: String,
    },
    /// The editing of a text in a window whose program has no menu for it.
    Text {
        window: u64,
        id: String,
    },
    Start,
    Desktop,
    /// The window behind a button of the task bar.
    Task(u64),
}

/// An open menu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Popup {
    pub area: ScreenRect,
    pub items: Vec<MenuItem>,
    pub target: Target,
    /// The item that is pointed at or was reached by keys.
    pub current: Option<usize>,
    /// What it hangs from: a press there closes it and does nothing more.
    pub opener: Option<ScreenRect>,
    row: i32,
    /// The pointer was over it since it opened, or the button was let go of: a release chooses.
    pub armed: bool,
}

impl Popup {
    fn sized(items: Vec<MenuItem>, target: Target, theme: &Theme) -> Self {
        let font = theme.font();
        let icons = i32::from(theme.size) + 16;
        let wide = |item: &MenuItem| {
            let keys = if item.shortcut.is_empty() { 0 } else { text::width(&item.shortcut, font) + 28 };
            icons + text::width(&item.text, font) + keys + 24
        };
        let width = items.iter().map(wide).max().unwrap_or(0).max(130) + 2 * PAD;
        let row = theme.row_height() + 4;
        let height: i32 = items.iter().map(|i| if i.is_line() { LINE } else { row }).sum::<i32>() + 2 * PAD;
        Self {
            area: rect(0, 0, width, height),
            items,
            target,
            current: None,
            opener: None,
            row,
            armed: false,
        }
    }

    /// A menu whose corner is at a place, moved to lie on the display.
    pub fn at(
        at: ScreenPx,
        items: Vec<MenuItem>,
        target: Target,
        display: ScreenRect,
        theme: &Theme,
    ) -> Self {
        let mut popup = Self::sized(items, target, theme);
        popup.move_to(at, display);
        popup
    }

    /// A menu below what it hangs from, or above it.
    pub fn under(
        opener: ScreenRect,
        items: Vec<MenuItem>,
        target: Target,
        display: ScreenRect,
        theme: &Theme,
    ) -> Self {
        let mut popup = Self::sized(items, target, theme);
        let below = opener.bottom() + i64::from(popup.area.size.height) <= display.bottom();
        let y = if below { opener.bottom() as i32 } else { opener.origin.y - popup.area.size.height as i32 };
        popup.move_to(ScreenPx::new(opener.origin.x, y), display);
        popup.opener = Some(opener);
        popup
    }

    /// The options of a choice.
    pub fn options(
        opener: ScreenRect,
        options: &[String],
        selected: usize,
        window: u64,
        id: String,
        display: ScreenRect,
        theme: &Theme,
    ) -> Self {
        let item = |(i, text): (usize, &String)| MenuItem::new(format!("{i}"), text).checked(i == selected);
        let items = options.iter().enumerate().map(item).collect();
        let mut popup = Self::under(opener, items, Target::Choice { window, id }, display, theme);
        popup.area.size.width = popup.area.size.width.max(opener.size.width);
        popup.current = Some(selected);
        popup
    }

    fn move_to(&mut self, at: ScreenPx, display: ScreenRect) {
        let hold = |v: i32, from: i32, to: i64, length: u32| v.min((to - i64::from(length)) as i32).max(from);
        self.area.origin = ScreenPx::new(
            hold(at.x, display.origin.x, display.right(), self.area.size.width),
            hold(at.y, display.origin.y, display.bottom(), self.area.size.height),
        );
    }

    pub fn belongs_to(&self, id: u64) -> bool {
        match &self.target {
            Target::Window(window)
            | Target::Bar { window, .. }
            | Target::Choice { window, .. }
            | Target::Text { window, .. }
            | Target::Task(window) => *window == id,
            Target::Start | Target::Desktop => false,
        }
    }

    /// Where each item lies.
    pub fn rows(&self) -> Vec<ScreenRect> {
        let mut y = self.area.origin.y + PAD;
        let place = |item: &MenuItem| {
            let height = if item.is_line() { LINE } else { self.row };
            y += height;
            rect(self.area.origin.x + PAD, y - height, self.area.size.width as i32 - 2 * PAD, height)
        };
        self.items.iter().map(place).collect()
    }

    pub fn item_at(&self, at: ScreenPx) -> Option<usize> {
        let hit = self.rows().iter().position(|row| row.contains(at))?;
        (!self.items[hit].is_line()).then_some(hit)
    }

    /// The next item that can be chosen, for the arrow keys.
    pub fn step(&mut self, back: bool) {
        let n = self.items.len();
        let start = match (self.current, back) {
            (Some(at), _) => at,
            (None, false) => n.saturating_sub(1),
            (None, true) => 0,
        };
        let can = |at: &usize| !self.items[*at].is_line() && self.items[*at].enabled;
        let next = (1..=n).map(|by| if back { (start + n - by) % n } else { (start + by) % n }).find(can);
        self.current = next.or(self.current);
    }

    pub fn draw(&self, layer: &mut Layer, theme: &Theme) {
        let clip = grown(self.area, 16);
        let shadow = Shape::Shadow { blur: 12, radius: 7, color: theme.shadow };
        layer.clipped(ScreenRect { origin: self.area.origin.offset(0, 3), ..self.area }, clip, shadow);
        let mut brush = Brush { layer, theme, clip };
        brush.round(self.area, 7, theme.control, Some(theme.border));
        let icon_room = i32::from(theme.size) + 16;
        for (i, (item, row)) in self.items.iter().zip(self.rows()).enumerate() {
            if item.is_line() {
                brush.fill(
                    rect(row.origin.x + 6, row.origin.y + LINE / 2, row.size.width as i32 - 12, 1),
                    mix(theme.border, theme.control, 40),
                );
                continue;
            }
            let current = self.current == Some(i) && item.enabled;
            if current {
                brush.round(row, 4, theme.accent, None);
            }
            let ink = match (item.enabled, current) {
                (false, _) => theme.disabled,
                (_, true) => theme.on_accent,
                _ => theme.text,
            };
            let side = i32::from(theme.size) + 4;
            let sign = rect(row.origin.x + 7, row.origin.y + (row.size.height as i32 - side) / 2, side, side);
            if let Some(icon) = item.icon {
                brush.icon(icon, sign);
            } else if item.checked {
                brush.stroke(sign, &[(22, 52), (42, 72), (78, 30)], 20, ink);
            }
            let inner = rect(
                row.origin.x + icon_room,
                row.origin.y,
                row.size.width as i32 - icon_room - 12,
                row.size.height as i32,
            );
            brush.text(&item.text, inner, theme.font(), ink, Align::Start);
            let keys = if current { ink } else { theme.dim };
            brush.text(&item.shortcut, inner, theme.font(), keys, Align::End);
        }
    }
}
