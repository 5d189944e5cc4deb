//! What the mouse does to widgets.

use super::layout::rect;
use super::node::Kind;
use super::{Capture, Event, Outcome, Placed, Ui, draw, textbox};
use crate::desk::theme::Theme;
use handsight_base::flow::action::Button;
use handsight_base::key::Modifiers;
use handsight_base::space::{ScreenPx, ScreenRect};

/// Further than this with the button down is a drag.
const DRAG_FROM: i32 = 5;
/// Rows a notch of the wheel scrolls.
const ROWS_A_NOTCH: i32 = 3;

/// A press of a mouse button.
#[derive(Debug, Clone, Copy)]
pub struct Pressed {
    pub at: ScreenPx,
    pub button: Button,
    /// 1 for a click, 2 for the second of a double click, and so on.
    pub clicks: u8,
    pub modifiers: Modifiers,
}

/// The scroll bar of a widget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    pub track: ScreenRect,
    pub thumb: ScreenRect,
    most: i32,
}

impl Ui {
    /// The scroll bar of a widget, if its content does not fit.
    pub fn bar(&self, placed: &Placed, theme: &Theme) -> Option<Bar> {
        let most = self.scroll_range(placed, theme).filter(|&most| most > 0)?;
        let area = match placed.kind {
            Kind::List { .. } => draw::list_rows(placed, theme),
            _ => placed.rect,
        };
        let (width, edge) = (theme.bar_width(), i32::from(!matches!(placed.kind, Kind::Scroll { .. })));
        let right = placed.rect.right() as i32 - edge;
        let height = area.size.height as i32 - 2 * edge;
        let track = rect(right - width, area.origin.y + edge, width, height);
        let content = most + area.size.height as i32;
        let length = (height * area.size.height as i32 / content.max(1)).clamp(24.min(height), height);
        let scroll = self.states.get(&placed.id).map_or(0, |s| s.scroll.clamp(0, most));
        let top = track.origin.y + (height - length) * scroll / most;
        Some(Bar { track, thumb: rect(right - width, top, width, length), most })
    }

    /// The pointer moved, perhaps with the left button held.
    pub fn moved(&mut self, at: ScreenPx, theme: &Theme) -> Vec<Outcome> {
        self.hover = Some(at);
        match self.capture.clone() {
            None => Vec::new(),
            Some(Capture::Button { id, .. }) => {
                let inside = self.index(&id).is_some_and(|i| self.placed[i].rect.contains(at));
                self.capture = Some(Capture::Button { id, inside });
                Vec::new()
            }
            Some(Capture::Text { id, origin, words }) => {
                self.drag_text(&id, origin, words, at, theme);
                Vec::new()
            }
            Some(Capture::Thumb { id, grab }) => {
                self.drag_thumb(&id, at.y - grab, theme);
                Vec::new()
            }
            Some(Capture::Slider { id }) => self.slide(&id, at),
            Some(Capture::Row { id, row, at: from }) => {
                if (at.x - from.x).abs().max((at.y - from.y).abs()) < DRAG_FROM {
                    return Vec::new();
                }
                let item = self.index(&id).and_then(|i| match &self.placed[i].kind {
                    Kind::List { items, .. } => items.get(row),
                    _ => None,
                });
                let dragged = item.and_then(|item| Some((item.drag.clone()?, item.cells.first()?.clone())));
                let Some((what, text)) = dragged else { return Vec::new() };
                self.capture = None;
                vec![Outcome::Drag { what, text }]
            }
        }
    }

    /// The pointer is elsewhere.
    pub const fn left(&mut self) {
        self.hover = None;
    }

    /// A button went down.
    pub fn pressed(&mut self, press: Pressed, theme: &Theme) -> Vec<Outcome> {
        let at = press.at;
        self.hover = Some(at);
        if press.button == Button::Left && self.press_bar(at, theme) {
            return Vec::new();
        }
        let Some(index) = self.at(at) else { return Vec::new() };
        let placed = self.placed[index].clone();
        if !placed.enabled {
            return Vec::new();
        }
        if placed.takes_focus() {
            self.focus = Some(placed.id.clone());
        }
        match press.button {
            Button::Left => self.pressed_left(&placed, press, theme),
            Button::Right => {
                let row = draw::row_at(&placed, self.scroll_of(&placed.id), at, theme);
                if matches!(placed.kind, Kind::List { .. }) {
                    self.state(&placed.id).selected = row;
                }
                if placed.is_text() {
                    let position = textbox::position(&placed, self.state(&placed.id), at, theme);
                    let edit = &mut self.state(&placed.id).edit;
                    if !edit.selection().contains(&position) {
                        edit.place(position, false);
                    }
                }
                vec![Outcome::Event(Event::Menu(placed.id, row))]
            }
            Button::Middle | Button::Back | Button::Forward => Vec::new(),
        }
    }

    fn scroll_of(&self, id: &str) -> i32 {
        self.states.get(id).map_or(0, |s| s.scroll)
    }

    fn pressed_left(&mut self, placed: &Placed, press: Pressed, theme: &Theme) -> Vec<Outcome> {
        let (id, at) = (placed.id.clone(), press.at);
        match &placed.kind {
            Kind::Button { .. } | Kind::Check { .. } | Kind::Radio { .. } => {
                self.capture = Some(Capture::Button { id, inside: true });
                Vec::new()
            }
            Kind::Field { .. } | Kind::Area { .. } => {
                self.press_text(placed, press, theme);
                Vec::new()
            }
            Kind::List { items, .. } => {
                if let Some(column) = draw::column_at(placed, at, theme) {
                    return vec![Outcome::Event(Event::Column(id, column))];
                }
                let Some(row) = draw::row_at(placed, self.scroll_of(&id), at, theme) else {
                    self.state(&id).selected = None;
                    return Vec::new();
                };
                self.state(&id).selected = Some(row);
                let mut outcomes = vec![Outcome::Event(Event::Select(id.clone(), row))];
                if press.clicks == 2 {
                    outcomes.push(Outcome::Event(Event::Activate(id, row)));
                } else if items.get(row).is_some_and(|item| item.drag.is_some()) {
                    self.capture = Some(Capture::Row { id, row, at });
                }
                outcomes
            }
            Kind::Choice { options, selected } => {
                let (under, options) = (placed.rect, options.clone());
                vec![Outcome::OpenChoice { id, under, options, selected: *selected }]
            }
            Kind::Slider { .. } => {
                self.capture = Some(Capture::Slider { id: id.clone() });
                self.slide(&id, at)
            }
            Kind::MenuBar { menus } => {
                let titles = draw::menu_titles(menus, placed.rect, theme);
                let bar = titles.iter().position(|title| title.contains(at));
                let open = |bar: usize| Outcome::OpenMenu {
                    bar,
                    under: titles[bar],
                    items: menus[bar].items.clone(),
                };
                bar.map(open).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The left button went up.
    pub fn released(&mut self, at: ScreenPx) -> Vec<Outcome> {
        self.hover = Some(at);
        let Some(Capture::Button { id, .. }) = self.capture.take() else { return Vec::new() };
        let Some(placed) = self.index(&id).map(|i| &self.placed[i]) else { return Vec::new() };
        if !placed.enabled || !placed.rect.contains(at) || !placed.clip.contains(at) {
            return Vec::new();
        }
        self.push(&id)
    }

    /// A button, check box or radio button is pressed by whatever means.
    pub(super) fn push(&mut self, id: &str) -> Vec<Outcome> {
        let Some(placed) = self.index(id).map(|i| &self.placed[i]) else { return Vec::new() };
        let event = match &placed.kind {
            Kind::Check { on, .. } => Event::Toggle(id.to_owned(), !on),
            Kind::Radio { .. } => Event::Toggle(id.to_owned(), true),
            _ => Event::Press(id.to_owned()),
        };
        vec![Outcome::Event(event)]
    }

    /// The buttons are let go of without effect.
    pub fn cancel(&mut self) {
        self.capture = None;
    }

    /// True while the left button holds something of this window.
    pub const fn is_held(&self) -> bool {
        self.capture.is_some()
    }

    /// Where the pointer is held down on, for drawing.
    pub(super) fn is_pressed(&self, id: &str) -> bool {
        matches!(&self.capture, Some(Capture::Button { id: held, inside: true }) if held == id)
    }

    pub(super) fn is_hovered(&self, placed: &Placed) -> bool {
        let free = match &self.capture {
            None => true,
            Some(Capture::Button { id, .. }) => *id == placed.id,
            Some(_) => false,
        };
        free && self.hover.is_some_and(|at| placed.rect.contains(at) && placed.clip.contains(at))
    }

    pub(super) const fn pointer(&self) -> Option<ScreenPx> {
        self.hover
    }

    /// The wheel turned by 120ths of a notch, positive up. True if something scrolled.
    pub fn wheel(&mut self, at: ScreenPx, units: i32, theme: &Theme) -> bool {
        let Some(index) = self.scrollable_at(at, theme) else { return false };
        let placed = self.placed[index].clone();
        let row = if matches!(placed.kind, Kind::Area { .. }) {
            textbox::row_height(theme)
        } else {
            theme.row_height()
        };
        let by = -units * row * ROWS_A_NOTCH / 120;
        let most = self.scroll_range(&placed, theme).unwrap_or(0);
        let state = self.state(&placed.id);
        let before = state.scroll;
        state.scroll = before.saturating_add(by).clamp(0, most);
        state.scroll != before
    }

    fn press_text(&mut self, placed: &Placed, press: Pressed, theme: &Theme) {
        let state = self.state(&placed.id);
        let at = textbox::position(placed, state, press.at, theme);
        let edit = &mut state.edit;
        let origin = match press.clicks {
            2 => {
                edit.select(edit.word_at(at));
                edit.selection()
            }
            3.. => {
                edit.select(edit.line_at(at));
                edit.selection()
            }
            _ => {
                edit.place(at, press.modifiers.shift);
                edit.anchor..edit.anchor
            }
        };
        let words = press.clicks == 2;
        self.capture =
            Some(Capture::Text { id: placed.id.clone(), origin: (origin.start, origin.end), words });
    }

    fn drag_text(&mut self, id: &str, origin: (usize, usize), words: bool, at: ScreenPx, theme: &Theme) {
        let Some(index) = self.index(id) else { return };
        let placed = self.placed[index].clone();
        let state = self.state(id);
        let to = textbox::position(&placed, state, at, theme);
        let word = if words { state.edit.word_at(to) } else { to..to };
        if to < origin.0 {
            state.edit.select(origin.1..word.start);
        } else {
            state.edit.select(origin.0..word.end.max(origin.1));
        }
        textbox::reveal(&placed, state, theme);
    }

    fn press_bar(&mut self, at: ScreenPx, theme: &Theme) -> bool {
        let with_bar = |p: &Placed| {
            let bar = self.bar(p, theme).filter(|bar| bar.track.contains(at) && p.clip.contains(at))?;
            Some((p.id.clone(), p.rect.size.height as i32, bar))
        };
        let Some((id, page, bar)) = self.placed.iter().rev().find_map(with_bar) else { return false };
        if bar.thumb.contains(at) {
            self.capture = Some(Capture::Thumb { id, grab: at.y - bar.thumb.origin.y });
        } else {
            let by = if at.y < bar.thumb.origin.y { -page } else { page };
            let state = self.state(&id);
            state.scroll = (state.scroll + by * 9 / 10).clamp(0, bar.most);
        }
        true
    }

    fn drag_thumb(&mut self, id: &str, top: i32, theme: &Theme) {
        let Some(bar) = self.index(id).and_then(|i| self.bar(&self.placed[i], theme)) else { return };
        let room = (bar.track.size.height - bar.thumb.size.height) as i32;
        let along = (top - bar.track.origin.y).clamp(0, room);
        self.state(id).scroll = if room == 0 { 0 } else { (along * bar.most + room / 2) / room };
    }

    fn slide(&mut self, id: &str, at: ScreenPx) -> Vec<Outcome> {
        let Some(placed) = self.index(id).map(|i| &self.placed[i]) else { return Vec::new() };
        let Kind::Slider { value, from, to } = placed.kind else { return Vec::new() };
        let track = draw::slider_track(placed);
        let room = (track.size.width as i32).max(1);
        let along = (at.x - track.origin.x).clamp(0, room);
        let new = from + (along * (to - from) + room / 2) / room;
        if new == value { Vec::new() } else { vec![Outcome::Event(Event::Slide(id.to_owned(), new))] }
    }
}
