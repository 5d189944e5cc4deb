//! What the desk's programs tell assistive technology: the widgets that are to be seen, by their roles and names.
//!
//! It is what a screen reader would get of such programs, no more: no file's content, no password, nothing of a task. What lies
//! below another window is left out, as a backend for a real screen leaves it out.

use super::Desk;
use super::ui::draw;
use super::ui::node::Kind;
use super::ui::{Placed, Ui};
use super::window::{Part, Win};
use handsight_base::flow::ui::{UiNode, UiRole, label, uncovered};
use handsight_base::space::ScreenRect;

/// Collects nodes, each cut to what is to be seen of it.
struct Spoken {
    nodes: Vec<UiNode>,
    covers: Vec<ScreenRect>,
}

impl Spoken {
    fn say(&mut self, role: UiRole, words: &str, area: ScreenRect, enabled: bool) {
        if let Some(area) = uncovered(area, &self.covers) {
            self.nodes.push(UiNode { role, label: label(words), area, enabled });
        }
    }
}

impl Desk {
    pub(super) fn spoken(&self) -> Vec<UiNode> {
        let shown: Vec<&Win> = self.windows.iter().filter(|w| !w.frame.minimised).collect();
        let bar = self.shell_layout();
        let popup = self.core.popup.as_ref().map(|popup| popup.area);
        let above: Vec<ScreenRect> = std::iter::once(bar.bar).chain(popup).collect();
        let over = |from: usize| {
            let windows = shown.iter().skip(from).map(|w| w.frame.outer);
            windows.chain(above.iter().copied()).collect::<Vec<_>>()
        };
        let mut spoken = Spoken { nodes: Vec::new(), covers: Vec::new() };
        if let Some(popup) = &self.core.popup {
            for (item, row) in popup.items.iter().zip(popup.rows()).filter(|(item, _)| !item.is_line()) {
                spoken.say(UiRole::MenuItem, &item.text, row, item.enabled);
            }
        }
        spoken.covers = popup.into_iter().collect();
        spoken.say(UiRole::Button, self.words.get("start"), bar.start, true);
        for (id, area) in bar.tasks {
            let title = self.frame(id).map_or("", |frame| frame.title.as_str());
            spoken.say(UiRole::Button, title, area, true);
        }
        for (at, window) in shown.iter().enumerate().rev() {
            spoken.covers = over(at + 1);
            self.window_spoken(window, &mut spoken);
        }
        spoken.covers = over(0);
        for index in 0..self.core.shell.icons.len() {
            let (name, _) = self.icon_face(index);
            spoken.say(UiRole::Icon, &name, self.icon_rect(index), true);
        }
        spoken.nodes
    }

    fn window_spoken(&self, window: &Win, spoken: &mut Spoken) {
        // Below a dialog of its own a window takes nothing.
        let free = self.blocker(window.frame.id).is_none();
        for (part, area) in window.frame.captions(&self.theme) {
            let word = match part {
                Part::Minimise => "minimise",
                Part::Maximise => "maximise",
                Part::Close => "close",
                Part::Edge(_) | Part::Title | Part::Client => continue,
            };
            spoken.say(UiRole::Button, self.words.get(word), area, free);
        }
        let ui = &window.ui;
        let mut name = String::new();
        for placed in ui.placed() {
            if let Kind::Label { text, .. } = &placed.kind {
                name.clone_from(text);
            }
            self.widget_spoken(ui, placed, (&name, free), spoken);
        }
        for (menu, area) in ui.menus(&self.theme) {
            spoken.say(UiRole::Menu, &menu.title, area, free);
        }
    }

    /// `before` is the label that stands before the widget, which names a field; as programs do it.
    fn widget_spoken(&self, ui: &Ui, placed: &Placed, (before, free): (&str, bool), spoken: &mut Spoken) {
        let Some(area) = placed.rect.intersect(&placed.clip) else { return };
        let (role, words) = match &placed.kind {
            Kind::Button { text, .. } => (UiRole::Button, text.as_str()),
            Kind::Field { hint } => (UiRole::Field, if hint.is_empty() { before } else { hint.as_str() }),
            Kind::Area { read_only: false } => (UiRole::Field, before),
            Kind::Check { text, .. } => (UiRole::CheckBox, text.as_str()),
            Kind::Radio { text, .. } => (UiRole::Radio, text.as_str()),
            Kind::Choice { options, selected } => {
                (UiRole::Choice, options.get(*selected).map_or(before, String::as_str))
            }
            Kind::Slider { .. } => (UiRole::Slider, before),
            Kind::Label { text, .. } => (UiRole::Text, text.as_str()),
            Kind::List { items, .. } => {
                let scroll = ui.states().get(&placed.id).map_or(0, |state| state.scroll);
                let rows = draw::list_rows(placed, &self.theme);
                for (n, item) in items.iter().enumerate() {
                    let top = rows.origin.y + n as i32 * self.theme.row_height() - scroll;
                    let row =
                        ScreenRect::new(rows.origin.x, top, rows.size.width, self.theme.row_height() as u32);
                    let seen = row.intersect(&rows).and_then(|row| row.intersect(&placed.clip));
                    if let Some(seen) = seen.filter(|seen| !seen.is_empty()) {
                        let words = item.cells.first().map_or("", String::as_str);
                        spoken.say(UiRole::ListItem, words, seen, placed.enabled && free);
                    }
                }
                return;
            }
            Kind::Area { read_only: true }
            | Kind::Display { .. }
            | Kind::Progress { .. }
            | Kind::Picture { .. }
            | Kind::MenuBar { .. }
            | Kind::Line
            | Kind::Space
            | Kind::Stack { .. }
            | Kind::Grid { .. }
            | Kind::Scroll { .. } => return,
        };
        if !area.is_empty() {
            spoken.say(role, words, area, placed.enabled && free);
        }
    }
}
