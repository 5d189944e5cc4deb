//! How an oracle gets at things: from what it wants to the next movement of the hands that brings it nearer.
//!
//! Everything is asked of the desk as it is now, so an oracle keeps no state and goes on from wherever it is put. It moves as
//! a person would: it clicks only what is seen, and brings to the front and scrolls to what is not. It refuses to know
//! tasks.

use crate::desk::popup::Target;
use crate::desk::theme::Theme;
use crate::desk::ui::layout::rect;
use crate::desk::ui::node::Kind;
use crate::desk::ui::{Placed, Ui, draw, textbox};
use crate::desk::window::{Frame, Part};
use crate::desk::{Desk, ui};
use crate::engine::World as _;
use crate::engine::scene::grown;
use crate::task::Hand;
use handsight_base::space::{ScreenPx, ScreenRect};

/// Rows a notch of the wheel scrolls, as the widgets have it.
const ROWS_A_NOTCH: i32 = 3;
/// Of a wide thing the places that are tried, along each axis.
const TRIED: i32 = 12;

/// Nothing that can be reached: an oracle that says so is wrong, and its law test shows where.
pub(super) const LOST: Hand = Hand::Scroll(0);

pub(super) struct Reach<'a> {
    pub desk: &'a Desk,
}

/// Places in a rectangle: its middle, then a grid.
fn places(area: ScreenRect) -> impl Iterator<Item = ScreenPx> {
    let (w, h) = (area.size.width as i32, area.size.height as i32);
    let part = |i: i32, length: i32| length * (2 * i + 1) / (2 * TRIED);
    let grid = (0..TRIED * TRIED).map(move |i| area.origin.offset(part(i % TRIED, w), part(i / TRIED, h)));
    std::iter::once(area.center()).chain(grid)
}

/// The part of a scrolling widget in which its content is seen.
fn view(area: &Placed, theme: &Theme) -> ScreenRect {
    let (width, height) = (area.rect.size.width as i32, area.rect.size.height as i32);
    rect(area.rect.origin.x, area.rect.origin.y, width - theme.bar_width(), height)
}

impl<'a> Reach<'a> {
    pub(super) fn ui(&self, window: u64) -> Option<&'a Ui> {
        self.desk.ui(window)
    }

    /// The topmost window of a program.
    pub(super) fn top(&self, app: &str) -> Option<&'a Frame> {
        self.desk.windows.iter().rev().map(|w| &w.frame).find(|f| f.app == app)
    }

    /// The topmost dialog of a kind that belongs to a window.
    pub(super) fn dialog(&self, of: u64, app: &str) -> Option<u64> {
        let mut dialogs = self.desk.windows.iter().rev().map(|w| &w.frame);
        dialogs.find(|f| f.app == app && f.parent == Some(of)).map(|f| f.id)
    }

    fn placed(&self, window: u64, id: &str) -> Option<&'a Placed> {
        self.ui(window)?.placed().iter().find(|p| p.id == id)
    }

    /// True if a click at this place goes to this part of this window.
    fn hits(&self, window: u64, at: ScreenPx, part: Part) -> bool {
        let desk = self.desk;
        desk.displays().iter().any(|d| d.area.contains(at))
            && desk.spot_at(at).is_none()
            && desk.window_at(at).is_some_and(|f| f.id == window && f.part_at(at, desk.theme()) == Some(part))
    }

    /// A place in `area` where a click goes to what is inside of this window.
    fn open_to(&self, window: u64, area: ScreenRect) -> Option<ScreenPx> {
        places(area).find(|at| self.hits(window, *at, Part::Client))
    }

    /// Clicks a place of a window, or brings the window to the front first.
    fn click_in(&self, window: u64, area: ScreenRect) -> Hand {
        if let Some(aside) = self.close_menu() {
            return aside;
        }
        self.open_to(window, area).map_or_else(|| self.show(window), Hand::Click)
    }

    /// Closes an open menu without choosing from it.
    pub(super) fn close_menu(&self) -> Option<Hand> {
        let popup = self.desk.core.popup.as_ref()?;
        let at = popup.opener.map(|o| o.center()).filter(|at| !popup.area.contains(*at));
        // The clock reacts to nothing.
        Some(Hand::Click(at.unwrap_or_else(|| self.desk.shell_layout().clock.center())))
    }

    /// Brings a window to the front by its button in the task bar.
    pub(super) fn show(&self, window: u64) -> Hand {
        let root = self.desk.frame(window).and_then(|f| f.parent).unwrap_or(window);
        let layout = self.desk.shell_layout();
        let task = layout.tasks.iter().find(|(id, _)| *id == root);
        task.map_or(LOST, |(_, area)| Hand::Click(area.center()))
    }

    /// Clicks a button, a check box, an option: whatever has this name in a window.
    pub(super) fn press(&self, window: u64, id: &str) -> Hand {
        let Some(placed) = self.placed(window, id) else { return LOST };
        if let Some(hand) = self.scroll_to(window, placed) {
            return hand;
        }
        let Some(seen) = placed.rect.intersect(&placed.clip) else { return LOST };
        self.click_in(window, grown(seen, -2))
    }

    /// Scrolls the area that a widget lies in until all of it is seen. `None` if it is, or lies in none.
    fn scroll_to(&self, window: u64, widget: &Placed) -> Option<Hand> {
        let (ui, theme) = (self.ui(window)?, self.desk.theme());
        let holds = |p: &&Placed| {
            // What lies in an area is cut to what it shows.
            matches!(p.kind, Kind::Scroll { .. }) && p.clip.intersect(&view(p, theme)) == Some(widget.clip)
        };
        let area = ui.placed().iter().find(holds)?;
        let (to, shown) = (widget.rect, area.rect);
        let high = to.origin.y < shown.origin.y;
        if !high && to.bottom() <= shown.bottom() || ui.scroll_range(area, theme).is_none_or(|most| most <= 0)
        {
            return None;
        }
        Some(self.scroll(window, area, to.center().y - shown.center().y, theme.row_height()))
    }

    /// Turns the wheel so that the content of a widget moves up by about so much. The pointer goes there first.
    pub(super) fn scroll(&self, window: u64, area: &Placed, by: i32, row: i32) -> Hand {
        if let Some(aside) = self.close_menu() {
            return aside;
        }
        let at = self.desk.pointer();
        let here = area.rect.contains(at) && area.clip.contains(at) && self.hits(window, at, Part::Client);
        if !here {
            // A place where a click does nothing: beside the widgets, or on words.
            let ui = self.ui(window);
            let idle = |at: &ScreenPx| {
                self.hits(window, *at, Part::Client)
                    && ui.and_then(|ui| Some(&ui.placed()[ui.at(*at)?])).is_some_and(|p| p.id == area.id)
            };
            return places(view(area, self.desk.theme()))
                .find(idle)
                .map_or_else(|| self.show(window), Hand::Click);
        }
        let notches = by / (row * ROWS_A_NOTCH);
        let notches = if notches == 0 { by.signum() } else { notches.clamp(-20, 20) };
        Hand::Scroll(-notches * 120)
    }

    /// Clicks a row of a list.
    pub(super) fn row(&self, window: u64, list: &str, row: usize) -> Hand {
        self.row_place(window, list, row).map_or_else(|hand| hand, Hand::Click)
    }

    /// Where a row of a list can be clicked; else what to do first.
    pub(super) fn row_place(&self, window: u64, list: &str, row: usize) -> Result<ScreenPx, Hand> {
        if let Some(aside) = self.close_menu() {
            return Err(aside);
        }
        let (placed, ui) = self.placed(window, list).zip(self.ui(window)).ok_or(LOST)?;
        let theme = self.desk.theme();
        let rows = draw::list_rows(placed, theme);
        let scroll = ui.states().get(list).map_or(0, |s| s.scroll);
        let height = theme.row_height();
        let top = rows.origin.y + row as i32 * height - scroll;
        if top < rows.origin.y || i64::from(top + height) > rows.bottom() {
            return Err(self.scroll(window, placed, top + height / 2 - rows.center().y, height));
        }
        // Its left half: the right end may be a scroll bar.
        let half = rect(rows.origin.x + 4, top + 2, rows.size.width as i32 / 2, height - 4);
        self.open_to(window, half).ok_or_else(|| self.show(window))
    }

    /// The next step to choosing an item from a menu of a window's menu bar.
    pub(super) fn menu(&self, window: u64, item: &str) -> Hand {
        if let Some(popup) = self.desk.core.popup.as_ref().filter(|p| p.belongs_to(window))
            && let Some(at) = popup.items.iter().position(|i| i.id == item && i.enabled)
        {
            return Hand::Click(popup.rows()[at].center());
        }
        let titles = self.ui(window).map(|ui| ui.menus(self.desk.theme())).unwrap_or_default();
        let title = titles.iter().find(|(menu, _)| menu.items.iter().any(|i| i.id == item));
        title.map_or(LOST, |(_, area)| self.click_in(window, *area))
    }

    /// Chooses option number `option` of a choice.
    pub(super) fn choose(&self, window: u64, id: &str, option: usize) -> Hand {
        if let Some(popup) = &self.desk.core.popup
            && popup.target == (Target::Choice { window, id: id.to_owned() })
        {
            return popup.rows().get(option).map_or(LOST, |row| Hand::Click(row.center()));
        }
        self.press(window, id)
    }

    /// The next step to choosing from the start menu: a program's key, or `run`.
    pub(super) fn start(&self, item: &str) -> Hand {
        if let Some(popup) = self.desk.core.popup.as_ref().filter(|p| p.target == Target::Start) {
            let at = popup.items.iter().position(|i| i.id == item);
            return at.map_or(LOST, |at| Hand::Click(popup.rows()[at].center()));
        }
        Hand::Click(self.desk.shell_layout().start.center())
    }

    /// The next step to a field or area holding this text; `None` if it does.
    pub(super) fn fill(&self, window: u64, id: &str, wanted: &str) -> Option<Hand> {
        let (ui, placed) = (self.ui(window)?, self.placed(window, id)?);
        let text = ui.text(id);
        if text == wanted {
            return None;
        }
        let selection = ui.states().get(id).map_or(0..0, |s| s.edit.selection());
        let focused =
            ui.focus() == Some(id) && self.desk.core.active == Some(window) && self.desk.core.popup.is_none();
        if focused {
            let (head, tail) = (&text[..selection.start], &text[selection.end..]);
            let middle = wanted.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail));
            if let Some(middle) = middle {
                return Some(Hand::Type(middle.to_owned()));
            }
        }
        if let Some(hand) = self.scroll_to(window, placed) {
            return Some(hand);
        }
        if wanted.starts_with(text) {
            return Some(self.caret_to_end(window, placed, text));
        }
        // Tab selects what a field holds.
        Some(if focused { Hand::Type("\t".to_owned()) } else { self.press(window, id) })
    }

    /// Clicks behind the last letter.
    fn caret_to_end(&self, window: u64, placed: &Placed, text: &str) -> Hand {
        let theme = self.desk.theme();
        let inner = textbox::inner(placed, theme);
        let Some(ui) = self.ui(window) else { return LOST };
        if !matches!(placed.kind, Kind::Area { .. }) {
            let end = rect(inner.right() as i32 - 6, inner.origin.y, 6, inner.size.height as i32);
            return self.click_in(window, if text.is_empty() { inner } else { end });
        }
        let state = ui::State {
            edit: ui::edit::Edit::of(text),
            ..ui.states().get(&placed.id).cloned().unwrap_or_default()
        };
        let last = textbox::rows(placed, text, theme).len() - 1;
        let top = textbox::row_origin(placed, &state, last, theme).y;
        if i64::from(top + textbox::row_height(theme)) > placed.rect.bottom() {
            return self.scroll(window, placed, top - placed.rect.center().y, textbox::row_height(theme));
        }
        let below = rect(
            inner.origin.x,
            top.max(inner.origin.y) + 2,
            inner.size.width as i32,
            textbox::row_height(theme) - 4,
        );
        let end = rect(below.right() as i32 - 8, below.origin.y, 8, below.size.height as i32);
        self.click_in(window, end)
    }

    /// Where a window can be taken by its title bar.
    pub(super) fn title(&self, window: u64) -> Result<ScreenPx, Hand> {
        if let Some(aside) = self.close_menu() {
            return Err(aside);
        }
        let frame = self.desk.frame(window).ok_or(LOST)?;
        let bar = grown(frame.title_bar(self.desk.theme()), -6);
        places(bar).find(|at| self.hits(window, *at, Part::Title)).ok_or_else(|| self.show(window))
    }

    /// Clicks the close button of a window's title bar.
    pub(super) fn close(&self, window: u64) -> Hand {
        self.caption(window, Part::Close)
    }

    /// Clicks a button of a window's title bar.
    pub(super) fn caption(&self, window: u64, wanted: Part) -> Hand {
        if let Some(aside) = self.close_menu() {
            return aside;
        }
        let captions = self.desk.frame(window).map(|f| f.captions(self.desk.theme())).unwrap_or_default();
        let Some((_, area)) = captions.into_iter().find(|(part, _)| *part == wanted) else {
            return LOST;
        };
        // Not at the rim of what is seen of it: a place may be said in thousandths of a screen only.
        let around = |at: &ScreenPx| [(-2, -2), (2, -2), (-2, 2), (2, 2)].map(|(dx, dy)| at.offset(dx, dy));
        let place =
            places(grown(area, -4)).find(|at| around(at).iter().all(|at| self.hits(window, *at, wanted)));
        place.map_or_else(|| self.show(window), Hand::Click)
    }

    /// Drags the handle of a slider to a value.
    pub(super) fn slide(&self, window: u64, id: &str, wanted: i32) -> Hand {
        if let Some(aside) = self.close_menu() {
            return aside;
        }
        let Some(placed) = self.placed(window, id) else { return LOST };
        if let Some(hand) = self.scroll_to(window, placed) {
            return hand;
        }
        let Kind::Slider { value, from, to } = placed.kind else { return LOST };
        let track = draw::slider_track(placed);
        let place = |value: i32| {
            let along = track.size.width as i32 * (value - from) / (to - from).max(1);
            ScreenPx::new(track.origin.x + along, track.center().y)
        };
        let handle = place(value);
        if self.hits(window, handle, Part::Client) {
            Hand::Drag(handle, place(wanted))
        } else {
            self.show(window)
        }
    }

    /// The next step to choosing an item of the menu that a right click at a place opens.
    pub(super) fn context(&self, target: &Target, item: &str, at: Result<ScreenPx, Hand>) -> Hand {
        if let Some(popup) = self.desk.core.popup.as_ref().filter(|p| p.target == *target)
            && let Some(row) = popup.items.iter().position(|i| i.id == item && i.enabled)
        {
            return Hand::Click(popup.rows()[row].center());
        }
        self.close_menu().unwrap_or_else(|| at.map_or_else(|hand| hand, Hand::RightClick))
    }
}
