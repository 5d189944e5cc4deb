//! What keys do on the desktop: its own chords first, then menus, then the window that has the focus.

use super::popup::Target;
use super::ui::keys::Stroke;
use super::ui::{Event, Outcome};
use super::window::Shape;
use super::{Desk, REPEAT_AFTER, apps};
use handsight_base::key::{Key, Modifiers, Named};

impl Desk {
    pub(super) fn key_down(&mut self, key: Key) {
        if self.core.keys.contains(&key) {
            return;
        }
        self.core.keys.push(key);
        let modifier = key.is_modifier();
        let is_super = matches!(key, Key::Named(Named::Super | Named::SuperRight));
        self.core.lone_super = is_super && self.core.keys.len() == 1;
        if modifier {
            return;
        }
        self.core.repeat = Some((key, self.core.now + REPEAT_AFTER));
        self.note(format!("key {key}"));
        self.key_pressed(key);
    }

    pub(super) fn key_up(&mut self, key: Key) {
        self.core.keys.retain(|k| *k != key);
        if self.core.repeat.is_some_and(|(repeated, _)| repeated == key) {
            self.core.repeat = None;
        }
        match key {
            Key::Named(Named::Alt | Named::AltRight) => self.end_switching(),
            Key::Named(Named::Super | Named::SuperRight) if std::mem::take(&mut self.core.lone_super) => {
                self.toggle_start();
            }
            _ => {}
        }
    }

    /// A character typed by itself: what the layout needs for it is not held by anybody.
    pub(super) fn typed(&mut self, c: char) {
        self.core.lone_super = false;
        self.note(format!("type {c}"));
        let modifiers = Modifiers { shift: false, ..self.modifiers() };
        let key = if c == ' ' { Key::Named(Named::Space) } else { Key::Char(c) };
        self.stroke(Stroke { key, modifiers });
    }

    /// A key acts, by going down or by staying down.
    pub(super) fn key_pressed(&mut self, key: Key) {
        let modifiers = self.modifiers();
        self.stroke(Stroke { key: shifted(key, modifiers), modifiers });
    }

    fn stroke(&mut self, stroke: Stroke) {
        if self.desktop_chord(stroke) {
            return;
        }
        if self.core.popup.is_some() {
            self.key_in_popup(stroke);
            return;
        }
        let Some(id) = self.core.active else {
            self.key_on_desktop(stroke);
            return;
        };
        let (Some(at), theme) = (self.index(id), self.theme) else { return };
        if self.open_menu_by_key(id, stroke) {
            return;
        }
        let outcomes = self.windows[at].ui.key(stroke, &mut self.core.clipboard, &theme);
        self.outcomes(id, outcomes);
    }

    fn desktop_chord(&mut self, stroke: Stroke) -> bool {
        let active = self.core.active;
        let is = |chord: &str| stroke.is(chord);
        if is("alt+Tab") || is("alt+shift+Tab") {
            self.switch(stroke.modifiers.shift);
        } else if is("alt+F4") {
            if let Some(id) = active {
                self.close_popup();
                self.send(id, &Event::Close);
            }
        } else if is("ctrl+Escape") {
            self.toggle_start();
        } else if is("super+r") {
            self.close_popup();
            if let Some(kind) = apps::find("run") {
                self.open(kind, &[]);
            }
        } else if is("super+d") || is("super+m") {
            self.close_popup();
            self.show_desktop();
        } else if is("super+e") {
            if let Some(kind) = apps::find("files") {
                self.open(kind, &[]);
            }
        } else if is("super+Up") {
            if let Some(id) = active.filter(|id| self.frame(*id).is_some_and(|f| f.shape == Shape::Normal)) {
                self.toggle_maximised(id);
            }
        } else if is("super+Down") {
            match active.and_then(|id| self.frame(id)).map(|f| (f.id, f.shape, f.parent)) {
                Some((id, Shape::Maximised, _)) => self.toggle_maximised(id),
                Some((id, Shape::Normal, None)) => self.minimise(id),
                // A dialog cannot go without its window.
                Some((_, Shape::Normal, Some(_))) | None => {}
            }
        } else {
            // Any other chord with Super is the system's, and does nothing here.
            return stroke.modifiers.super_;
        }
        true
    }

    /// Alt+Tab: from the top window on, in the order in which they were used.
    fn switch(&mut self, back: bool) {
        self.close_popup();
        let n = self.switchable().len();
        if n == 0 {
            return;
        }
        let from = self.core.switcher.unwrap_or(0);
        let first = usize::from(self.core.active.is_some() || self.core.switcher.is_some());
        self.core.switcher = Some(if back { (from + n - 1) % n } else { (from + first) % n });
    }

    /// The windows Alt+Tab goes through, the last used first.
    pub(super) fn switchable(&self) -> Vec<u64> {
        self.windows.iter().rev().filter(|w| w.frame.parent.is_none()).map(|w| w.frame.id).collect()
    }

    fn end_switching(&mut self) {
        if let Some(at) = self.core.switcher.take()
            && let Some(id) = self.switchable().get(at).copied()
        {
            self.activate(id);
        }
    }

    pub(super) fn close_popup(&mut self) {
        self.core.popup = None;
    }

    fn key_in_popup(&mut self, stroke: Stroke) {
        let Some(popup) = &mut self.core.popup else { return };
        match stroke.key {
            Key::Named(Named::Escape | Named::Alt | Named::F10) => self.core.popup = None,
            Key::Named(Named::Down | Named::Tab) => popup.step(false),
            Key::Named(Named::Up) => popup.step(true),
            Key::Named(Named::Enter | Named::KeypadEnter | Named::Space) => {
                if let Some(current) = popup.current {
                    self.choose(current);
                }
            }
            Key::Named(Named::Left) => self.neighbour_menu(true),
            Key::Named(Named::Right) => self.neighbour_menu(false),
            Key::Char(c) => {
                let begins = |text: &str| text.to_lowercase().starts_with(c.to_ascii_lowercase());
                let hits: Vec<usize> = (0..popup.items.len())
                    .filter(|i| popup.items[*i].enabled && begins(&popup.items[*i].text))
                    .collect();
                match hits.as_slice() {
                    [] => {}
                    [only] => self.choose(*only),
                    [first, ..] => {
                        let next = popup.current.and_then(|now| hits.iter().find(|hit| **hit > now));
                        popup.current = Some(*next.unwrap_or(first));
                    }
                }
            }
            Key::Named(_) => {}
        }
    }

    fn neighbour_menu(&mut self, back: bool) {
        let Some(Target::Bar { window, bar }) = self.core.popup.as_ref().map(|p| p.target.clone()) else {
            return;
        };
        let Some(at) = self.index(window) else { return };
        let n = self.windows[at].ui.menus(&self.theme).len();
        self.open_bar_menu(window, if back { (bar + n - 1) % n } else { (bar + 1) % n });
    }

    /// Opens a menu of a menu bar by keys, with its first item reached.
    fn open_bar_menu(&mut self, window: u64, bar: usize) {
        let Some(at) = self.index(window) else { return };
        let theme = self.theme;
        let opened =
            self.windows[at].ui.menus(&theme).get(bar).map(|(menu, under)| (menu.items.clone(), *under));
        if let Some((items, under)) = opened {
            self.outcomes(window, vec![Outcome::OpenMenu { bar, under, items }]);
            if let Some(popup) = &mut self.core.popup {
                popup.step(false);
            }
        }
    }

    /// F10 and Alt with the first letter of a menu.
    fn open_menu_by_key(&mut self, id: u64, stroke: Stroke) -> bool {
        let Some(at) = self.index(id) else { return false };
        let menus = self.windows[at].ui.menus(&self.theme);
        let alt = Modifiers { alt: true, ..Modifiers::NONE };
        let bar = match stroke.key {
            Key::Named(Named::F10) if stroke.modifiers == Modifiers::NONE && !menus.is_empty() => Some(0),
            Key::Char(c) if stroke.modifiers == alt => menus
                .iter()
                .position(|(menu, _)| menu.title.to_lowercase().starts_with(c.to_ascii_lowercase())),
            _ => None,
        };
        if let Some(bar) = bar {
            self.open_bar_menu(id, bar);
        }
        bar.is_some()
    }

    fn key_on_desktop(&mut self, stroke: Stroke) {
        let n = self.core.shell.icons.len();
        if n == 0 {
            return;
        }
        let selected = self.core.shell.selected;
        match stroke.key {
            Key::Named(Named::Enter | Named::KeypadEnter) => {
                if let Some(index) = selected {
                    self.open_icon(index);
                }
            }
            Key::Named(Named::Down | Named::Right | Named::Tab) => {
                self.core.shell.selected = Some(selected.map_or(0, |i| (i + 1) % n));
            }
            Key::Named(Named::Up | Named::Left) => {
                self.core.shell.selected = Some(selected.map_or(n - 1, |i| (i + n - 1) % n));
            }
            Key::Named(Named::Escape) => self.core.shell.selected = None,
            _ => {}
        }
    }
}

/// What a key types while Shift is held, on a keyboard of the United States.
fn shifted(key: Key, modifiers: Modifiers) -> Key {
    const PLAIN: &str = "`1234567890-=[]\\;',./";
    const SHIFTED: &str = "~!@#$%^&*()_+{}|:\"<>?";
    match key {
        Key::Char(c) if modifiers.shift && !modifiers.control && !modifiers.alt && !modifiers.super_ => {
            let symbol = PLAIN.chars().zip(SHIFTED.chars()).find(|(plain, _)| *plain == c);
            Key::Char(symbol.map_or_else(|| c.to_uppercase().next().unwrap_or(c), |(_, shifted)| shifted))
        }
        Key::Char(' ') => Key::Named(Named::Space),
        key => key,
    }
}
