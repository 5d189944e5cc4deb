//! What keys do to widgets.

use super::edit::Go;
use super::node::{Kind, MenuItem, Role};
use super::{Event, Outcome, Placed, Ui, draw, textbox};
use crate::desk::theme::Theme;
use handsight_base::key::{Chord, Key, Modifiers, Named};

/// A key that went down, with what is held beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stroke {
    pub key: Key,
    pub modifiers: Modifiers,
}

impl Stroke {
    /// The letter this types, if it types one.
    fn letter(self) -> Option<char> {
        let Modifiers { control, alt, super_, .. } = self.modifiers;
        match self.key {
            Key::Char(c) if !control && !alt && !super_ => Some(c),
            Key::Named(Named::Space) if !control && !alt && !super_ => Some(' '),
            Key::Named(named) if !control && !alt && !super_ => keypad(named),
            Key::Char(_) | Key::Named(_) => None,
        }
    }

    /// True for the chord as menus write it: `Ctrl+Shift+S`.
    pub fn is(self, shortcut: &str) -> bool {
        let Ok(chord) = shortcut.parse::<Chord>() else { return false };
        let mut modifiers = Modifiers::NONE;
        let Some((last, others)) = chord.0.split_last() else { return false };
        let small = |key: Key| match key {
            Key::Char(c) => Key::Char(c.to_ascii_lowercase()),
            Key::Named(named) => Key::Named(named),
        };
        others.iter().all(|key| modifiers.add(*key))
            && modifiers == self.modifiers
            && small(*last) == small(self.key)
    }
}

/// What a key of the number pad types.
pub(crate) fn keypad(key: Named) -> Option<char> {
    Some(match key {
        Named::Keypad0 => '0',
        Named::Keypad1 => '1',
        Named::Keypad2 => '2',
        Named::Keypad3 => '3',
        Named::Keypad4 => '4',
        Named::Keypad5 => '5',
        Named::Keypad6 => '6',
        Named::Keypad7 => '7',
        Named::Keypad8 => '8',
        Named::Keypad9 => '9',
        Named::KeypadAdd => '+',
        Named::KeypadSubtract => '-',
        Named::KeypadMultiply => '*',
        Named::KeypadDivide => '/',
        Named::KeypadDecimal => '.',
        _ => return None,
    })
}

const fn is_enter(key: Key) -> bool {
    matches!(key, Key::Named(Named::Enter | Named::KeypadEnter))
}

impl Ui {
    /// A key went down in this window. The clipboard is read and written by the usual chords.
    pub fn key(&mut self, stroke: Stroke, clipboard: &mut String, theme: &Theme) -> Vec<Outcome> {
        if let Some(id) = self.shortcut(stroke) {
            return vec![Outcome::Event(Event::Press(id))];
        }
        let focused = self.focus.clone().and_then(|id| self.index(&id)).map(|i| self.placed[i].clone());
        if let Some(placed) = &focused
            && let Some(outcomes) = self.key_in(placed, stroke, clipboard, theme)
        {
            return outcomes;
        }
        match stroke.key {
            Key::Named(Named::Tab) if !stroke.modifiers.control && !stroke.modifiers.alt => {
                self.walk(stroke.modifiers.shift, theme);
                Vec::new()
            }
            key if is_enter(key) && stroke.modifiers == Modifiers::NONE => {
                self.press_role(Role::Primary, stroke)
            }
            Key::Named(Named::Escape) => self.press_role(Role::Cancel, stroke),
            Key::Named(Named::Menu) => {
                let (id, row) =
                    focused.map_or((String::new(), None), |p| (p.id.clone(), self.selected(&p.id)));
                vec![Outcome::Event(Event::Menu(id, row))]
            }
            key if stroke.modifiers == Modifiers::NONE && self.scroll_by_key(key, theme) => Vec::new(),
            key => vec![Outcome::Event(Event::Key(key, stroke.modifiers))],
        }
    }

    /// A key that no widget wanted moves the first thing that has content to scroll. False if nothing moved.
    fn scroll_by_key(&mut self, key: Key, theme: &Theme) -> bool {
        let range = |p: &Placed| {
            let most = self
                .scroll_range(p, theme)
                .filter(|most| *most > 0 && matches!(p.kind, Kind::Scroll { .. }))?;
            Some((p.id.clone(), p.rect.size.height as i32, most))
        };
        let Some((id, high, most)) = self.placed.iter().find_map(range) else { return false };
        let by = match key {
            Key::Named(Named::PageDown) => high * 9 / 10,
            Key::Named(Named::PageUp) => -high * 9 / 10,
            Key::Named(Named::Down) => theme.row_height(),
            Key::Named(Named::Up) => -theme.row_height(),
            Key::Named(Named::Home) => -most,
            Key::Named(Named::End) => most,
            _ => return false,
        };
        let state = self.state(&id);
        let before = state.scroll;
        state.scroll = (before + by).clamp(0, most);
        state.scroll != before
    }

    fn shortcut(&self, stroke: Stroke) -> Option<String> {
        let menus = self.placed.iter().find_map(|p| match &p.kind {
            Kind::MenuBar { menus } => Some(menus),
            _ => None,
        })?;
        let hit = |item: &&MenuItem| !item.shortcut.is_empty() && item.enabled && stroke.is(&item.shortcut);
        menus.iter().flat_map(|menu| &menu.items).find(hit).map(|item| item.id.clone())
    }

    fn press_role(&self, wanted: Role, stroke: Stroke) -> Vec<Outcome> {
        let fits = |p: &&Placed| p.enabled && matches!(&p.kind, Kind::Button { role, .. } if *role == wanted);
        let button = self.placed.iter().find(fits);
        if let Some(button) = button {
            return vec![Outcome::Event(Event::Press(button.id.clone()))];
        }
        let field = self
            .focus
            .clone()
            .filter(|id| self.index(id).is_some_and(|i| matches!(self.placed[i].kind, Kind::Field { .. })));
        match field {
            Some(id) if wanted == Role::Primary => vec![Outcome::Event(Event::Submit(id))],
            _ => vec![Outcome::Event(Event::Key(stroke.key, stroke.modifiers))],
        }
    }

    /// Tab: the next widget that takes the focus.
    fn walk(&mut self, back: bool, theme: &Theme) {
        let stops: Vec<String> =
            self.placed.iter().filter(|p| p.takes_focus()).map(|p| p.id.clone()).collect();
        if stops.is_empty() {
            return;
        }
        let here = self.focus.as_ref().and_then(|id| stops.iter().position(|s| s == id));
        let next = match (here, back) {
            (None, _) => 0,
            (Some(at), false) => (at + 1) % stops.len(),
            (Some(at), true) => (at + stops.len() - 1) % stops.len(),
        };
        let id = stops[next].clone();
        if let Some(index) = self.index(&id) {
            let placed = self.placed[index].clone();
            if matches!(placed.kind, Kind::Field { .. }) {
                self.state(&id).edit.select_all();
            }
            self.scroll_into_view(&placed, theme);
        }
        self.focus = Some(id);
    }

    /// Scrolls the areas around a widget so that it is seen.
    fn scroll_into_view(&mut self, placed: &Placed, theme: &Theme) {
        let around = self.placed.iter().find(|p| {
            matches!(p.kind, Kind::Scroll { .. })
                && p.rect.origin.x <= placed.rect.origin.x
                && p.rect.right() >= placed.rect.right()
                && p.rect.intersect(&placed.clip).is_some()
        });
        let Some(area) = around.cloned() else { return };
        let most = self.scroll_range(&area, theme).unwrap_or(0);
        let (top, bottom) = (placed.rect.origin.y, placed.rect.bottom() as i32);
        let by = (bottom + 8 - area.rect.bottom() as i32).max(0) + (top - 8 - area.rect.origin.y).min(0);
        let state = self.state(&area.id);
        state.scroll = (state.scroll + by).clamp(0, most);
    }

    /// `None` if the widget does not want the key.
    fn key_in(
        &mut self,
        placed: &Placed,
        stroke: Stroke,
        clipboard: &mut String,
        theme: &Theme,
    ) -> Option<Vec<Outcome>> {
        let id = placed.id.as_str();
        match &placed.kind {
            Kind::Field { .. } | Kind::Area { .. } => self.key_in_text(placed, stroke, clipboard, theme),
            Kind::Button { .. } | Kind::Check { .. } => match stroke.key {
                Key::Named(Named::Space) => Some(self.push(id)),
                key if is_enter(key) && matches!(placed.kind, Kind::Button { .. }) => Some(self.push(id)),
                _ => None,
            },
            Kind::Radio { .. } => match stroke.key {
                Key::Named(Named::Space) => Some(self.push(id)),
                Key::Named(Named::Down | Named::Right) => Some(self.next_radio(id, false)),
                Key::Named(Named::Up | Named::Left) => Some(self.next_radio(id, true)),
                _ => None,
            },
            Kind::List { items, .. } => {
                let texts: Vec<&str> =
                    items.iter().map(|i| i.cells.first().map_or("", String::as_str)).collect();
                self.key_in_list(placed, &texts, stroke, theme)
            }
            Kind::Choice { options, selected } => {
                let step = match stroke.key {
                    Key::Named(Named::Down) if stroke.modifiers == Modifiers::NONE => selected + 1,
                    Key::Named(Named::Up) if stroke.modifiers == Modifiers::NONE => {
                        selected.checked_sub(1)?
                    }
                    Key::Named(Named::Space | Named::Enter | Named::F4 | Named::Down) => {
                        let (under, options) = (placed.rect, options.clone());
                        return Some(vec![Outcome::OpenChoice {
                            id: id.to_owned(),
                            under,
                            options,
                            selected: *selected,
                        }]);
                    }
                    _ => return None,
                };
                let step = step.min(options.len().saturating_sub(1));
                Some(vec![Outcome::Event(Event::Select(id.to_owned(), step))])
            }
            Kind::Slider { value, from, to } => {
                let page = ((to - from) / 10).max(1);
                let new = match stroke.key {
                    Key::Named(Named::Left | Named::Down) => value - 1,
                    Key::Named(Named::Right | Named::Up) => value + 1,
                    Key::Named(Named::PageDown) => value - page,
                    Key::Named(Named::PageUp) => value + page,
                    Key::Named(Named::Home) => *from,
                    Key::Named(Named::End) => *to,
                    _ => return None,
                };
                Some(vec![Outcome::Event(Event::Slide(id.to_owned(), new.clamp(*from, *to)))])
            }
            _ => None,
        }
    }

    /// Arrow keys move within a run of radio buttons.
    fn next_radio(&mut self, id: &str, back: bool) -> Vec<Outcome> {
        let radios: Vec<String> = self
            .placed
            .iter()
            .filter(|p| p.enabled && matches!(p.kind, Kind::Radio { .. }))
            .map(|p| p.id.clone())
            .collect();
        let Some(at) = radios.iter().position(|r| r == id) else { return Vec::new() };
        let next = if back { at.checked_sub(1) } else { Some(at + 1).filter(|n| *n < radios.len()) };
        let Some(next) = next else { return Vec::new() };
        self.focus = Some(radios[next].clone());
        self.push(&radios[next])
    }

    fn key_in_list(
        &mut self,
        placed: &Placed,
        texts: &[&str],
        stroke: Stroke,
        theme: &Theme,
    ) -> Option<Vec<Outcome>> {
        let id = placed.id.as_str();
        let last = texts.len().checked_sub(1)?;
        let now = self.selected(id);
        let view = draw::list_rows(placed, theme).size.height as i32;
        let page = (view / theme.row_height()).max(1) as usize;
        let to = match stroke.key {
            Key::Named(Named::Down) => now.map_or(0, |row| row + 1),
            Key::Named(Named::Up) => now.map_or(last, |row| row.saturating_sub(1)),
            Key::Named(Named::Home) => 0,
            Key::Named(Named::End) => last,
            Key::Named(Named::PageDown) => now.unwrap_or(0) + page,
            Key::Named(Named::PageUp) => now.unwrap_or(0).saturating_sub(page),
            key if is_enter(key) => {
                let row = now?;
                return Some(vec![Outcome::Event(Event::Activate(id.to_owned(), row))]);
            }
            // A letter goes to the next row that begins with it.
            _ => {
                let letter = stroke.letter().filter(|c| c.is_alphanumeric())?;
                let from = now.map_or(0, |row| row + 1);
                let begins =
                    |row: &usize| texts[*row].to_lowercase().starts_with(letter.to_ascii_lowercase());
                (from..=last).chain(0..from.min(texts.len())).find(begins)?
            }
        };
        let to = to.min(last);
        let state = self.state(id);
        state.selected = Some(to);
        let top = to as i32 * theme.row_height();
        state.scroll = state.scroll.clamp((top + theme.row_height() - view).max(0), top);
        Some(vec![Outcome::Event(Event::Select(id.to_owned(), to))])
    }

    fn key_in_text(
        &mut self,
        placed: &Placed,
        stroke: Stroke,
        clipboard: &mut String,
        theme: &Theme,
    ) -> Option<Vec<Outcome>> {
        let multi = matches!(placed.kind, Kind::Area { .. });
        let read_only = matches!(placed.kind, Kind::Area { read_only: true });
        let Modifiers { control, alt, shift, super_ } = stroke.modifiers;
        if alt || super_ {
            return None;
        }
        let view = textbox::inner(placed, theme).size.height as i32;
        let page = (view / textbox::row_height(theme) - 1).max(1);
        let state = self.state(&placed.id);
        let before = state.edit.text.clone();
        let edit = &mut state.edit;
        match stroke.key {
            Key::Char(c) if control => match c.to_ascii_lowercase() {
                'a' => edit.select_all(),
                'c' => copy(edit.selected(), clipboard),
                'x' if !read_only => {
                    copy(edit.selected(), clipboard);
                    if !edit.selection().is_empty() {
                        edit.insert("");
                    }
                }
                'v' if !read_only => edit.insert(&one_line(clipboard, multi)),
                'z' if shift => drop(edit.redo()),
                'z' => drop(edit.undo()),
                'y' => drop(edit.redo()),
                _ => return None,
            },
            Key::Named(Named::Insert) if control => copy(edit.selected(), clipboard),
            Key::Named(Named::Insert) if shift && !read_only => edit.insert(&one_line(clipboard, multi)),
            Key::Named(Named::Left) => edit.go(if control { Go::WordLeft } else { Go::Left }, shift),
            Key::Named(Named::Right) => edit.go(if control { Go::WordRight } else { Go::Right }, shift),
            Key::Named(Named::Home) if control || !multi => edit.go(Go::Start, shift),
            Key::Named(Named::End) if control || !multi => edit.go(Go::End, shift),
            Key::Named(Named::Home) => self.row_end(placed, true, shift, theme),
            Key::Named(Named::End) => self.row_end(placed, false, shift, theme),
            Key::Named(Named::Up) if multi => self.vertical(placed, -1, shift, theme),
            Key::Named(Named::Down) if multi => self.vertical(placed, 1, shift, theme),
            Key::Named(Named::PageUp) if multi => self.vertical(placed, -page, shift, theme),
            Key::Named(Named::PageDown) if multi => self.vertical(placed, page, shift, theme),
            Key::Named(Named::Backspace) if !read_only => {
                edit.delete(if control { Go::WordLeft } else { Go::Left });
            }
            Key::Named(Named::Delete) if !read_only => {
                if shift {
                    copy(edit.selected(), clipboard);
                }
                edit.delete(if control { Go::WordRight } else { Go::Right });
            }
            key if is_enter(key) && multi && !read_only => edit.insert("\n"),
            Key::Named(Named::Tab) if multi && !read_only && !control && !shift => edit.insert("\t"),
            _ if read_only => return None,
            _ => {
                let letter = stroke.letter()?;
                edit.insert(letter.encode_utf8(&mut [0; 4]));
            }
        }
        let state = self.state(&placed.id);
        textbox::reveal(placed, state, theme);
        let changed = state.edit.text != before;
        Some(if changed { vec![Outcome::Event(Event::Change(placed.id.clone()))] } else { Vec::new() })
    }

    fn row_end(&mut self, placed: &Placed, start: bool, keep: bool, theme: &Theme) {
        let state = self.state(&placed.id);
        let (row, _) = textbox::caret(placed, state, theme);
        let rows = textbox::rows(placed, &state.edit.text, theme);
        let mut end = rows[row].end;
        // The end of a row that is broken inside a line belongs to the next: stop before its last space.
        if rows.get(row + 1).is_some_and(|next| next.start == end) && end > rows[row].start {
            end = state.edit.text[..end].char_indices().next_back().map_or(end, |(at, _)| at);
        }
        state.edit.place(if start { rows[row].start } else { end }, keep);
    }

    fn vertical(&mut self, placed: &Placed, by: i32, keep: bool, theme: &Theme) {
        let state = self.state(&placed.id);
        let (row, x) = textbox::caret(placed, state, theme);
        let rows = textbox::rows(placed, &state.edit.text, theme);
        let to = row as i32 + by;
        let position = if to < 0 {
            0
        } else if to >= rows.len() as i32 {
            state.edit.text.len()
        } else {
            textbox::nearest(&state.edit.text, rows[to as usize].clone(), x, theme)
        };
        state.edit.place(position, keep);
    }
}

fn copy(selected: &str, clipboard: &mut String) {
    if !selected.is_empty() {
        selected.clone_into(clipboard);
    }
}

fn one_line(text: &str, multi: bool) -> String {
    if multi { text.replace("\r\n", "\n") } else { text.replace(['\r', '\n'], " ") }
}
