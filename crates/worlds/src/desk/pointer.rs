//! What the mouse does on the desktop: windows are raised, moved and resized, menus chosen from, icons opened.

use super::popup::{Popup, Target};
use super::ui::mouse::Pressed;
use super::ui::node::Kind;
use super::ui::{Event, Outcome};
use super::window::{Edges, LEAST, Part, Shape};
use super::{Click, DOUBLE_CLICK, DOUBLE_CLICK_REACH, Desk, Grab};
use crate::engine::CursorShape;
use handsight_base::flow::action::Button;
use handsight_base::space::{ScreenPx, ScreenRect};

/// A maximised window comes off once it is pulled this far.
const PULL_OFF: i32 = 8;

impl Desk {
    pub(super) fn pointer_moved(&mut self, to: ScreenPx) {
        let display = self.display_at(to);
        // The pointer cannot leave the displays.
        let hold = |v: i32, from: i32, past: i64| v.clamp(from, (past - 1) as i32);
        let to = ScreenPx::new(
            hold(to.x, display.origin.x, display.right()),
            hold(to.y, display.origin.y, display.bottom()),
        );
        self.core.pointer = to;
        if let Some(popup) = &mut self.core.popup {
            let item = popup.item_at(to);
            if item.is_some() {
                popup.current = item;
                popup.armed = true;
            }
            self.switch_bar_menu(to);
        }
        match self.core.grab.clone() {
            None => self.hover(to),
            Some(Grab::Widgets { window }) => {
                if let Some(at) = self.index(window) {
                    let outcomes = self.windows[at].ui.moved(to, &self.theme);
                    self.outcomes(window, outcomes);
                }
            }
            Some(Grab::Move { window, offset, from }) => self.drag_window(window, offset, from, to),
            Some(Grab::Resize { window, edges, began, from }) => {
                let outer = resized(began, edges, to.x - from.x, to.y - from.y);
                self.put(window, outer);
            }
            Some(Grab::Icon { index, offset, from, moved }) => {
                let moved = moved || (to.x - from.x).abs().max((to.y - from.y).abs()) > DOUBLE_CLICK_REACH;
                if moved {
                    self.move_icon(index, to.offset(-offset.0, -offset.1));
                }
                self.core.grab = Some(Grab::Icon { index, offset, from, moved });
            }
            Some(Grab::Caption { .. } | Grab::Carry { .. }) => {}
        }
    }

    /// Hovering over another title of the same menu bar opens that menu.
    fn switch_bar_menu(&mut self, at: ScreenPx) {
        let Some(Target::Bar { window, bar }) = self.core.popup.as_ref().map(|p| p.target.clone()) else {
            return;
        };
        let Some(index) = self.index(window) else { return };
        let theme = self.theme;
        let menus = self.windows[index].ui.menus(&theme);
        let other = menus.iter().enumerate().find(|(i, (_, title))| *i != bar && title.contains(at));
        if let Some((bar, (menu, under))) = other {
            let (items, under) = (menu.items.clone(), *under);
            self.outcomes(window, vec![Outcome::OpenMenu { bar, under, items }]);
        }
    }

    fn hover(&mut self, at: ScreenPx) {
        let popup = self.core.popup.is_some();
        let over = self.window_at(at).map(|f| f.id).filter(|id| !popup && self.blocker(*id).is_none());
        let theme = self.theme;
        for window in &mut self.windows {
            if Some(window.frame.id) == over {
                window.ui.moved(at, &theme);
            } else {
                window.ui.left();
            }
        }
    }

    fn drag_window(&mut self, id: u64, offset: (i32, i32), from: ScreenPx, to: ScreenPx) {
        let Some(frame) = self.frame(id) else { return };
        let mut outer = frame.outer;
        let mut offset = offset;
        if frame.shape == Shape::Maximised {
            if (to.x - from.x).abs().max((to.y - from.y).abs()) < PULL_OFF {
                return;
            }
            // It comes off under the pointer, at the same part of its width.
            let share = f64::from(offset.0) / f64::from(outer.size.width.max(1));
            outer.size = frame.restore.size;
            offset.0 = (f64::from(outer.size.width) * share) as i32;
            self.core.grab = Some(Grab::Move { window: id, offset, from });
        }
        outer.origin = to.offset(-offset.0, -offset.1);
        // The title bar stays where it can be taken again.
        let work = self.work_area(to);
        outer.origin.y = outer
            .origin
            .y
            .clamp(work.origin.y, (work.bottom() as i32 - self.theme.title_height()).max(work.origin.y));
        self.put(id, outer);
    }

    fn count_click(&mut self, button: Button) -> u8 {
        let (at, now) = (self.core.pointer, self.core.now);
        let again = |last: &Click| {
            last.button == button
                && now.saturating_sub(last.time) <= DOUBLE_CLICK
                && (at.x - last.at.x).abs() <= DOUBLE_CLICK_REACH
                && (at.y - last.at.y).abs() <= DOUBLE_CLICK_REACH
        };
        let count = self
            .core
            .last_click
            .filter(again)
            .map_or(1, |last| if last.count >= 3 { 1 } else { last.count + 1 });
        self.core.last_click = Some(Click { at, button, time: now, count });
        count
    }

    pub(super) fn button_pressed(&mut self, button: Button) {
        self.core.lone_super = false;
        if self.core.buttons.contains(&button) {
            return;
        }
        self.core.buttons.push(button);
        let clicks = self.count_click(button);
        self.note(format!("{} press at {}", button.word(), self.core.pointer));
        let at = self.core.pointer;
        if let Some(popup) = &mut self.core.popup {
            if popup.area.contains(at) {
                popup.armed = true;
                return;
            }
            let opener = popup.opener.is_some_and(|o| o.contains(at));
            self.core.popup = None;
            if opener {
                return;
            }
        }
        let press = Pressed { at, button, clicks, modifiers: self.modifiers() };
        match self.spot_at(at) {
            Some(spot) => self.press_shell(spot, press),
            None => match self.window_at(at).map(|f| f.id) {
                Some(id) => self.press_window(id, press),
                None => self.press_desktop(press),
            },
        }
    }

    fn press_window(&mut self, id: u64, press: Pressed) {
        let theme = self.theme;
        let part = self.frame(id).and_then(|f| f.part_at(press.at, &theme));
        if let Some(dialog) = self.blocker(id) {
            self.activate(dialog);
            return;
        }
        self.activate(id);
        let Some((part, outer)) = part.zip(self.frame(id).map(|f| f.outer)) else { return };
        let left = press.button == Button::Left;
        match part {
            Part::Client => {
                if left {
                    self.core.grab = Some(Grab::Widgets { window: id });
                }
                let Some(at) = self.index(id) else { return };
                let outcomes = self.windows[at].ui.pressed(press, &theme);
                self.outcomes(id, outcomes);
            }
            Part::Title if left && press.clicks == 2 => self.toggle_maximised(id),
            Part::Title if left => {
                let offset = (press.at.x - outer.origin.x, press.at.y - outer.origin.y);
                self.core.grab = Some(Grab::Move { window: id, offset, from: press.at });
            }
            Part::Title if press.button == Button::Right => {
                let items = self.window_items(id);
                let display = self.display_at(press.at);
                self.core.popup = Some(Popup::at(press.at, items, Target::Task(id), display, &theme));
            }
            Part::Edge(edges) if left => {
                self.core.grab = Some(Grab::Resize { window: id, edges, began: outer, from: press.at });
            }
            Part::Minimise | Part::Maximise | Part::Close if left => {
                self.core.grab = Some(Grab::Caption { window: id, part });
            }
            Part::Title | Part::Edge(_) | Part::Minimise | Part::Maximise | Part::Close => {}
        }
    }

    fn press_desktop(&mut self, press: Pressed) {
        self.core.active = None;
        let icon = self.icon_at(press.at);
        self.core.shell.selected = icon;
        match (press.button, icon) {
            (Button::Left, Some(index)) if press.clicks == 2 => self.open_icon(index),
            (Button::Left, Some(index)) => {
                let origin = self.icon_rect(index).origin;
                let offset = (press.at.x - origin.x, press.at.y - origin.y);
                self.core.grab = Some(Grab::Icon { index, offset, from: press.at, moved: false });
            }
            (Button::Right, icon) => self.open_desktop_menu(icon),
            _ => {}
        }
    }

    pub(super) fn button_released(&mut self, button: Button) {
        let held = self.core.buttons.len();
        self.core.buttons.retain(|b| *b != button);
        if held == self.core.buttons.len() {
            return;
        }
        let at = self.core.pointer;
        if let Some(popup) = &mut self.core.popup
            && matches!(button, Button::Left | Button::Right)
        {
            match popup.item_at(at) {
                Some(item) if popup.armed => self.choose(item),
                _ => popup.armed = true,
            }
            if button == Button::Left {
                self.drop_grab();
            }
            return;
        }
        if button != Button::Left {
            return;
        }
        match self.core.grab.take() {
            Some(Grab::Widgets { window }) => {
                if let Some(index) = self.index(window) {
                    let outcomes = self.windows[index].ui.released(at);
                    self.outcomes(window, outcomes);
                }
            }
            Some(Grab::Caption { window, part }) => {
                let theme = self.theme;
                if self.frame(window).and_then(|f| f.part_at(at, &theme)) == Some(part) {
                    match part {
                        Part::Minimise => self.minimise(window),
                        Part::Maximise => self.toggle_maximised(window),
                        _ => self.ask_to_close(window),
                    }
                }
            }
            Some(Grab::Carry { what, .. }) => self.drop_at(at, what),
            Some(Grab::Move { .. } | Grab::Resize { .. } | Grab::Icon { .. }) | None => {}
        }
        self.hover(at);
    }

    /// The left button is let go of without effect.
    pub(super) fn drop_grab(&mut self) {
        self.core.grab = None;
        for window in &mut self.windows {
            window.ui.cancel();
        }
    }

    fn drop_at(&mut self, at: ScreenPx, what: String) {
        let Some(id) = self.window_at(at).map(|f| f.id).filter(|id| self.blocker(*id).is_none()) else {
            return;
        };
        let Some(index) = self.index(id) else { return };
        let ui = &self.windows[index].ui;
        let on = ui.at(at).map(|i| ui.placed()[i].clone());
        let row = on.as_ref().and_then(|placed| {
            let scroll = ui.states().get(&placed.id).map_or(0, |s| s.scroll);
            super::ui::draw::row_at(placed, scroll, at, &self.theme)
        });
        self.activate(id);
        self.send(id, &Event::Drop { on: on.map(|p| p.id).unwrap_or_default(), row, what });
    }

    pub(super) fn wheel(&mut self, units: i32) {
        let at = self.core.pointer;
        if self.core.popup.is_some() || self.spot_at(at).is_some() {
            return;
        }
        self.note(format!("wheel {units} at {at}"));
        let Some(id) = self.window_at(at).map(|f| f.id).filter(|id| self.blocker(*id).is_none()) else {
            return;
        };
        let theme = self.theme;
        if let Some(index) = self.index(id)
            && self.windows[index].ui.wheel(at, units, &theme)
        {
            self.refresh(index);
        }
    }

    /// What the pointer looks like where it is.
    pub(super) fn cursor_shape(&self) -> CursorShape {
        let at = self.core.pointer;
        match &self.core.grab {
            Some(Grab::Resize { edges, .. }) => return edge_cursor(*edges),
            Some(Grab::Carry { .. }) => return CursorShape::Hand,
            Some(Grab::Move { .. } | Grab::Caption { .. } | Grab::Icon { .. }) => return CursorShape::Arrow,
            Some(Grab::Widgets { .. }) | None => {}
        }
        if self.core.popup.as_ref().is_some_and(|p| p.area.contains(at)) || self.spot_at(at).is_some() {
            return CursorShape::Arrow;
        }
        let Some(frame) = self.window_at(at).filter(|f| self.blocker(f.id).is_none()) else {
            return CursorShape::Arrow;
        };
        match frame.part_at(at, &self.theme) {
            Some(Part::Edge(edges)) => edge_cursor(edges),
            Some(Part::Client) => {
                let ui = self.index(frame.id).map(|i| &self.windows[i].ui);
                let text = ui.and_then(|ui| {
                    let placed = &ui.placed()[ui.at(at)?];
                    let bar = ui.bar(placed, &self.theme).is_some_and(|bar| bar.track.contains(at));
                    (placed.enabled && !bar)
                        .then_some(matches!(placed.kind, Kind::Field { .. } | Kind::Area { .. }))
                });
                if text == Some(true) { CursorShape::Beam } else { CursorShape::Arrow }
            }
            _ => CursorShape::Arrow,
        }
    }
}

const fn edge_cursor(edges: Edges) -> CursorShape {
    match edges {
        Edges { left: true, top: true, .. } | Edges { right: true, bottom: true, .. } => {
            CursorShape::ResizeFalling
        }
        Edges { right: true, top: true, .. } | Edges { left: true, bottom: true, .. } => {
            CursorShape::ResizeRising
        }
        Edges { left: true, .. } | Edges { right: true, .. } => CursorShape::ResizeHorizontal,
        _ => CursorShape::ResizeVertical,
    }
}

/// A rectangle whose edges are pulled; never smaller than a window may be.
fn resized(began: ScreenRect, edges: Edges, dx: i32, dy: i32) -> ScreenRect {
    let axis = |from: i32, length: u32, least: u32, low: bool, high: bool, by: i32| {
        let (length, least) = (length as i32, least as i32);
        if low {
            let new = (length - by).max(least);
            (from + length - new, new as u32)
        } else if high {
            (from, (length + by).max(least) as u32)
        } else {
            (from, length as u32)
        }
    };
    let (x, width) = axis(began.origin.x, began.size.width, LEAST.width, edges.left, edges.right, dx);
    let (y, height) = axis(began.origin.y, began.size.height, LEAST.height, edges.top, edges.bottom, dy);
    ScreenRect::new(x, y, width, height)
}
