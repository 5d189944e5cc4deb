//! What widgets look like.

use super::brush::Brush;
use super::layout::{FIELD_PAD, display_font, label_font, rect};
use super::node::{Align, Item, Kind, Menu, Panel, Role};
use super::{Placed, State, Ui, icons, textbox};
use crate::desk::theme::{Theme, mix};
use crate::engine::scene::{Layer, Shape, grown};
use crate::engine::text;
use handsight_base::space::{ScreenPx, ScreenRect};
use handsight_pixel::canvas::Color;

/// Where the titles of a menu bar are.
pub fn menu_titles(menus: &[Menu], bar: ScreenRect, theme: &Theme) -> Vec<ScreenRect> {
    let mut x = bar.origin.x + 4;
    let place = |menu: &Menu| {
        let width = text::width(&menu.title, theme.font()) + 20;
        x += width;
        rect(x - width, bar.origin.y + 2, width, bar.size.height as i32 - 4)
    };
    menus.iter().map(place).collect()
}

/// The part of a list in which its rows are.
pub fn list_rows(placed: &Placed, theme: &Theme) -> ScreenRect {
    let titled = matches!(&placed.kind, Kind::List { columns, .. } if !columns.is_empty());
    let top = if titled { theme.row_height() + 2 } else { 0 };
    let ScreenRect { origin, size } = placed.rect;
    rect(origin.x, origin.y + 1 + top, size.width as i32, size.height as i32 - 2 - top)
}

/// The row of a list under a place.
pub fn row_at(placed: &Placed, scroll: i32, at: ScreenPx, theme: &Theme) -> Option<usize> {
    let Kind::List { items, .. } = &placed.kind else { return None };
    let rows = list_rows(placed, theme);
    let row = (at.y - rows.origin.y + scroll) / theme.row_height();
    (rows.contains(at) && (row as usize) < items.len()).then_some(row as usize)
}

/// The column of a list whose title is under a place.
pub fn column_at(placed: &Placed, at: ScreenPx, theme: &Theme) -> Option<usize> {
    let Kind::List { columns, .. } = &placed.kind else { return None };
    let top = list_rows(placed, theme).origin.y;
    if columns.is_empty() || !placed.rect.contains(at) || at.y >= top {
        return None;
    }
    let shares: Vec<u16> = columns.iter().map(|c| c.share).collect();
    let head = rect(
        placed.rect.origin.x,
        placed.rect.origin.y,
        placed.rect.size.width as i32,
        top - placed.rect.origin.y,
    );
    cells(head, &shares, theme).iter().position(|cell| i64::from(at.x) < cell.right() + 6)
}

/// The line along which a slider's handle moves.
pub fn slider_track(placed: &Placed) -> ScreenRect {
    let ScreenRect { origin, size } = placed.rect;
    rect(origin.x + 9, origin.y + size.height as i32 / 2 - 2, size.width as i32 - 18, 4)
}

impl Ui {
    /// Draws the widgets. `active`: the window has the focus; `menu`: the menu of the bar that is open.
    pub fn draw(&self, layer: &mut Layer, theme: &Theme, active: bool, menu: Option<usize>) {
        for placed in &self.placed {
            let Some(clip) = grown(placed.rect, 4).intersect(&placed.clip) else { continue };
            let mut brush = Brush { layer, theme, clip };
            let look = Look {
                focused: active && self.focus.as_deref() == Some(placed.id.as_str()) && placed.takes_focus(),
                hovered: placed.enabled && self.is_hovered(placed),
                pressed: placed.enabled && self.is_pressed(&placed.id),
            };
            self.widget(&mut brush, placed, look, menu);
            if let Some(bar) = self.bar(placed, theme) {
                let mut brush = Brush { layer: brush.layer, theme, clip: placed.clip };
                brush.fill(bar.track, theme.bar);
                let thumb = rect(
                    bar.thumb.origin.x + 3,
                    bar.thumb.origin.y + 2,
                    bar.thumb.size.width as i32 - 6,
                    bar.thumb.size.height as i32 - 4,
                );
                let over =
                    self.pointer().is_some_and(|at| bar.track.contains(at) && placed.clip.contains(at));
                brush.round(thumb, 4, if over { theme.dim } else { mix(theme.dim, theme.bar, 35) }, None);
            }
        }
    }

    fn widget(&self, brush: &mut Brush<'_>, placed: &Placed, look: Look, menu: Option<usize>) {
        let theme = brush.theme;
        let area = placed.rect;
        let ink = if placed.enabled { theme.text } else { theme.disabled };
        let none = State::default();
        let state = self.states.get(&placed.id).unwrap_or(&none);
        match &placed.kind {
            Kind::Label { text: content, style } => {
                let font = label_font(*style, theme);
                let color = if style.dim { theme.dim } else { ink };
                let rows = text::rows(content, font, style.wrap.then_some(area.size.width as i32));
                let high = text::row_height(font);
                for (i, row) in rows.into_iter().enumerate() {
                    let line =
                        rect(area.origin.x, area.origin.y + i as i32 * high, area.size.width as i32, high);
                    brush.text(content[row].trim_end(), line, font, color, style.align);
                }
            }
            Kind::Button { text, icon, role } => {
                button(brush, area, text, *icon, *role, placed.enabled, look)
            }
            Kind::Field { hint } => {
                paper(brush, area, placed.enabled, look);
                if state.edit.text.is_empty() && !hint.is_empty() {
                    let inner = textbox::inner(placed, theme);
                    brush.text(hint, inner, theme.font(), theme.disabled, Align::Start);
                }
                letters(brush, placed, state, ink, look);
            }
            Kind::Area { .. } => {
                paper(brush, area, placed.enabled, look);
                letters(brush, placed, state, ink, look);
            }
            Kind::Check { text, on } => mark(brush, area, text, *on, false, ink, look),
            Kind::Radio { text, on } => mark(brush, area, text, *on, true, ink, look),
            Kind::List { items, columns } => {
                paper(brush, area, placed.enabled, look);
                let shares: Vec<u16> = columns.iter().map(|c| c.share).collect();
                // The border is two units wide where the focus is.
                let inner = grown(area, -2);
                if !columns.is_empty() {
                    let wide = inner.size.width as i32;
                    let head = rect(inner.origin.x, inner.origin.y, wide, theme.row_height());
                    brush.fill(head, theme.bar);
                    for (column, cell) in columns.iter().zip(cells(head, &shares, theme)) {
                        brush.text(&column.title, cell, theme.font(), theme.dim, Align::Start);
                    }
                }
                self.rows(brush, placed, items, &shares, state, ink, look);
            }
            Kind::Choice { options, selected } => {
                let fill = control_fill(theme, placed.enabled, look);
                brush.round(area, 5, fill, Some(if look.focused { theme.accent } else { theme.border }));
                let inner = rect(
                    area.origin.x + FIELD_PAD,
                    area.origin.y,
                    area.size.width as i32 - FIELD_PAD - 26,
                    area.size.height as i32,
                );
                brush.text(
                    options.get(*selected).map_or("", String::as_str),
                    inner,
                    theme.font(),
                    ink,
                    Align::Start,
                );
                let arrow =
                    rect(area.right() as i32 - 21, area.origin.y + area.size.height as i32 / 2 - 3, 11, 6);
                brush.stroke(arrow, &[(0, 0), (50, 100), (100, 0)], 18, ink);
            }
            Kind::Slider { value, from, to } => {
                let track = slider_track(placed);
                let along = track.size.width as i32 * (value - from) / (to - from).max(1);
                brush.round(track, 2, theme.border, None);
                brush.round(rect(track.origin.x, track.origin.y, along, 4), 2, theme.accent, None);
                let knob = rect(track.origin.x + along - 8, track.origin.y - 6, 16, 16);
                brush.round(
                    knob,
                    8,
                    if look.focused { theme.accent } else { theme.control },
                    Some(theme.accent),
                );
            }
            Kind::Display { text } => {
                brush.round(area, 5, theme.paper, Some(theme.border));
                let inner = grown(area, -1);
                let inner = rect(
                    inner.origin.x + 10,
                    inner.origin.y,
                    inner.size.width as i32 - 20,
                    inner.size.height as i32,
                );
                brush.text(text, inner, display_font(theme), theme.text, Align::End);
            }
            Kind::Progress { percent } => {
                brush.round(area, 5, theme.border, None);
                let done = area.size.width as i32 * i32::from(*percent).min(100) / 100;
                brush.round(
                    rect(area.origin.x, area.origin.y, done, area.size.height as i32),
                    5,
                    theme.accent,
                    None,
                );
            }
            Kind::Picture { icon, .. } => brush.icon(*icon, area),
            Kind::MenuBar { menus } => {
                brush.fill(area, theme.bar);
                for (i, (entry, title)) in menus.iter().zip(menu_titles(menus, area, theme)).enumerate() {
                    let over = self.pointer().is_some_and(|at| title.contains(at)) && look.hovered;
                    if menu == Some(i) || over {
                        brush.round(
                            title,
                            4,
                            if menu == Some(i) { theme.selection } else { theme.hover },
                            None,
                        );
                    }
                    brush.text(&entry.title, title, theme.font(), ink, Align::Center);
                }
            }
            Kind::Line => brush.fill(area, theme.line),
            Kind::Stack { panel, title, .. } => panel_of(brush, area, *panel, title),
            Kind::Scroll { .. } | Kind::Grid { .. } | Kind::Space => {}
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one list")]
    fn rows(
        &self,
        brush: &mut Brush<'_>,
        placed: &Placed,
        items: &[Item],
        shares: &[u16],
        state: &State,
        ink: Color,
        look: Look,
    ) {
        let theme = brush.theme;
        let view = list_rows(placed, theme);
        let view =
            rect(view.origin.x + 1, view.origin.y, view.size.width as i32 - 2, view.size.height as i32);
        let Some(clip) = view.intersect(&placed.clip) else { return };
        let mut brush = Brush { layer: brush.layer, theme, clip };
        let high = theme.row_height();
        let hovered =
            self.pointer().filter(|_| look.hovered).and_then(|at| row_at(placed, state.scroll, at, theme));
        let first = (state.scroll / high).max(0) as usize;
        let bar = if self.bar(placed, theme).is_some() { theme.bar_width() } else { 0 };
        for (i, item) in
            items.iter().enumerate().skip(first).take(view.size.height as usize / high as usize + 2)
        {
            let top = view.origin.y + i as i32 * high - state.scroll;
            let row = rect(view.origin.x, top, view.size.width as i32 - bar, high);
            let selected = state.selected == Some(i);
            if selected {
                let color = if look.focused { theme.accent } else { theme.selection };
                brush.round(grown(row, -1), 3, color, None);
            } else if hovered == Some(i) {
                brush.round(grown(row, -1), 3, theme.hover, None);
            }
            let color = if selected && look.focused { theme.on_accent } else { ink };
            for (n, (content, mut cell)) in item.cells.iter().zip(cells(row, shares, theme)).enumerate() {
                if let (0, Some(icon)) = (n, item.icon) {
                    let side = i32::from(theme.size) + 3;
                    brush.icon(icon, rect(cell.origin.x, top + (high - side) / 2, side, side));
                    cell = rect(cell.origin.x + side + 7, top, cell.size.width as i32 - side - 7, high);
                }
                brush.text(content, cell, theme.font(), color, Align::Start);
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Look {
    focused: bool,
    hovered: bool,
    pressed: bool,
}

/// The cells of a row, without the space between them.
fn cells(row: ScreenRect, shares: &[u16], theme: &Theme) -> Vec<ScreenRect> {
    let one = [1];
    let shares = if shares.is_empty() { &one } else { shares };
    let sum: i32 = shares.iter().map(|s| i32::from(*s)).sum();
    let (mut counted, width) = (0, row.size.width as i32);
    let _ = theme;
    let cell = |share: &u16| {
        let from = width * counted / sum.max(1);
        counted += i32::from(*share);
        let to = width * counted / sum.max(1);
        rect(row.origin.x + from + 8, row.origin.y, to - from - 14, row.size.height as i32)
    };
    shares.iter().map(cell).collect()
}

const fn control_fill(theme: &Theme, enabled: bool, look: Look) -> Color {
    if !enabled {
        theme.window
    } else if look.pressed {
        theme.pressed
    } else if look.hovered {
        theme.hover
    } else {
        theme.control
    }
}

fn button(
    brush: &mut Brush<'_>,
    area: ScreenRect,
    content: &str,
    icon: Option<icons::Icon>,
    role: Role,
    enabled: bool,
    look: Look,
) {
    let theme = brush.theme;
    let fill = control_fill(theme, enabled, look);
    let mut ink = if enabled { theme.text } else { theme.disabled };
    match role {
        Role::Primary if enabled => {
            let fill = match (look.pressed, look.hovered) {
                (true, _) => mix(theme.accent, theme.text, 25),
                (_, true) => mix(theme.accent, theme.on_accent, 12),
                _ => theme.accent,
            };
            ink = theme.on_accent;
            brush.round(area, 5, fill, Some(mix(theme.accent, theme.text, 20)));
        }
        Role::Flat if !look.hovered && !look.pressed => {}
        Role::Flat => brush.round(area, 4, fill, None),
        Role::Normal | Role::Primary | Role::Cancel => {
            let border = if enabled { theme.border } else { theme.line };
            brush.round(area, 5, fill, Some(border));
        }
    }
    if look.focused {
        let ring = if role == Role::Primary { theme.on_accent } else { theme.accent };
        let inner = grown(area, -3);
        let fill = if role == Role::Primary { theme.accent } else { fill };
        brush.round(inner, 3, fill, Some(ring));
    }
    let side = i32::from(theme.size) + 3;
    let wide = text::width(content, theme.font())
        + icon.map_or(0, |_| side + if content.is_empty() { 0 } else { 6 });
    let left = area.origin.x + ((area.size.width as i32 - wide) / 2).max(4);
    let mut x = left;
    if let Some(icon) = icon {
        brush.icon(icon, rect(left, area.origin.y + (area.size.height as i32 - side) / 2, side, side));
        x += side + 6;
    }
    let inner = rect(x, area.origin.y, area.right() as i32 - x - 3, area.size.height as i32);
    brush.text(content, inner, theme.font(), ink, Align::Start);
}

fn paper(brush: &mut Brush<'_>, area: ScreenRect, enabled: bool, look: Look) {
    let theme = brush.theme;
    let fill = if enabled { theme.paper } else { theme.window };
    if look.focused {
        let shape = Shape::Round { radius: 4, fill, border: Some(theme.accent), line: 20 };
        brush.layer.clipped(area, brush.clip, shape);
    } else {
        brush.round(area, 4, fill, Some(if look.hovered { theme.dim } else { theme.border }));
    }
}

fn letters(brush: &mut Brush<'_>, placed: &Placed, state: &State, ink: Color, look: Look) {
    let theme = brush.theme;
    let inner = textbox::inner(placed, theme);
    let Some(clip) =
        rect(inner.origin.x - 2, inner.origin.y, inner.size.width as i32 + 4, inner.size.height as i32)
            .intersect(&placed.clip)
    else {
        return;
    };
    let mut brush = Brush { layer: brush.layer, theme, clip };
    let (font, content) = (theme.font(), state.edit.text.as_str());
    let selection = state.edit.selection();
    let high = text::row_height(font);
    for (i, row) in textbox::rows(placed, content, theme).into_iter().enumerate() {
        let at = textbox::row_origin(placed, state, i, theme);
        if at.y + high < clip.origin.y || i64::from(at.y) > clip.bottom() {
            continue;
        }
        let chosen = selection.start.max(row.start)..selection.end.min(row.end);
        if chosen.start < chosen.end || (selection.start <= row.end && selection.end > row.end) {
            let from = text::width(&content[row.start..chosen.start.clamp(row.start, row.end)], font);
            let to = text::width(&content[row.start..chosen.end.clamp(row.start, row.end)], font);
            // A selected line break shows as a little more.
            let more = if selection.end > row.end { 5 } else { 0 };
            let color = if look.focused { theme.selection } else { theme.line };
            brush.fill(rect(at.x + from, at.y, to - from + more, high), color);
        }
        brush.row(&content[row], at, font, ink);
    }
    if look.focused {
        let (row, x) = textbox::caret(placed, state, theme);
        let at = textbox::row_origin(placed, state, row, theme);
        brush.fill(rect(at.x + x, at.y, 2, high), theme.accent);
    }
}

fn mark(
    brush: &mut Brush<'_>,
    area: ScreenRect,
    content: &str,
    on: bool,
    is_round: bool,
    ink: Color,
    look: Look,
) {
    let theme = brush.theme;
    let side = i32::from(theme.size) + 4;
    let area_box = rect(area.origin.x, area.origin.y + (area.size.height as i32 - side) / 2, side, side);
    let radius = if is_round { side as u16 / 2 } else { 4 };
    let enabled = ink == theme.text;
    let (fill, border) = match (on, enabled) {
        (true, true) => (theme.accent, theme.accent),
        (_, false) => (theme.window, theme.disabled),
        (false, true) => (
            if look.pressed { theme.pressed } else { theme.paper },
            if look.hovered { theme.accent } else { theme.dim },
        ),
    };
    let shape = Shape::Round { radius, fill, border: Some(border), line: 15 };
    brush.layer.clipped(area_box, brush.clip, shape);
    let sign = if enabled { theme.on_accent } else { theme.disabled };
    if on && is_round {
        brush.round(grown(area_box, -(side / 3)), radius, sign, None);
    } else if on {
        brush.stroke(area_box, &[(24, 52), (43, 71), (77, 31)], 20, sign);
    }
    let inner = rect(
        area.origin.x + side + 8,
        area.origin.y,
        area.size.width as i32 - side - 8,
        area.size.height as i32,
    );
    brush.text(content, inner, theme.font(), ink, Align::Start);
    if look.focused {
        let wide = text::width(content, theme.font()) + side + 12;
        let ring = rect(area.origin.x - 3, area.origin.y + 1, wide + 3, area.size.height as i32 - 2);
        let low = rect(ring.origin.x + side + 9, ring.bottom() as i32 - 3, wide - side - 9, 2);
        brush.fill(low, theme.accent);
    }
}

fn panel_of(brush: &mut Brush<'_>, area: ScreenRect, panel: Panel, title: &str) {
    let theme = brush.theme;
    match panel {
        Panel::None => {}
        Panel::Bar => brush.fill(area, theme.bar),
        Panel::Paper => brush.round(area, 4, theme.paper, Some(theme.border)),
        Panel::Group => {
            let top = if title.is_empty() { 0 } else { i32::from(theme.size) + 4 };
            let framed = rect(
                area.origin.x,
                area.origin.y + top / 2,
                area.size.width as i32,
                area.size.height as i32 - top / 2,
            );
            brush.round(framed, 6, theme.window, Some(theme.line));
            if !title.is_empty() {
                let wide = text::width(title, theme.bold());
                brush.fill(rect(area.origin.x + 10, area.origin.y, wide + 8, top), theme.window);
                let line = rect(area.origin.x + 14, area.origin.y, wide + 4, top);
                brush.text(title, line, theme.bold(), theme.text, Align::Start);
            }
        }
    }
}
