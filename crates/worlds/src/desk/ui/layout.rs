//! Where each widget lies: a pure function of the tree, the place and the theme.

use super::node::{Align, Kind, LabelStyle, Len, Node, Panel, Role};
use super::{Placed, State};
use crate::desk::theme::Theme;
use crate::engine::scene::Font;
use crate::engine::text;
use handsight_base::space::{ScreenRect, Size};
use std::collections::BTreeMap;

/// Around the text of a button, at its sides.
pub(crate) const BUTTON_PAD: i32 = 16;
/// Between a border and the text of a field.
pub(crate) const FIELD_PAD: i32 = 8;
const LEAST_BUTTON: i32 = 84;
const FIELD_WIDTH: i32 = 180;
/// Room for the title of a group above its content, besides its padding.
const fn title_room(panel: Panel, title: &str, theme: &Theme) -> i32 {
    if matches!(panel, Panel::Group) && !title.is_empty() { theme.size as i32 + 6 } else { 0 }
}

pub(crate) const fn label_font(style: LabelStyle, theme: &Theme) -> Font {
    let size = theme.size as i16 + style.larger;
    Font { size: if size < 8 { 8 } else { size as u16 }, bold: style.bold }
}

pub(crate) const fn display_font(theme: &Theme) -> Font {
    Font::regular(theme.size + 10)
}

/// The size a widget wants if it may be `width` wide.
pub fn wanted(node: &Node, width: i32, theme: &Theme) -> (i32, i32) {
    // Text that is broken to rows is as high as its own width makes it.
    let width = if let Len::Fixed(units) = node.width { units } else { width };
    let (w, h) = content(node, width, theme);
    let fixed = |len, content| if let Len::Fixed(units) = len { units } else { content };
    (fixed(node.width, w), fixed(node.height, h))
}

fn content(node: &Node, width: i32, theme: &Theme) -> (i32, i32) {
    let (font, control) = (theme.font(), theme.control_height());
    let square = i32::from(theme.size) + 4;
    match &node.kind {
        Kind::Label { text, style } => {
            let font = label_font(*style, theme);
            let rows = text::rows(text, font, style.wrap.then_some(width));
            let wide = rows.iter().map(|r| text::width(&text[r.clone()], font)).max().unwrap_or(0);
            (wide, rows.len() as i32 * text::row_height(font))
        }
        Kind::Button { text, icon, role } => {
            let icon = if icon.is_some() { square + if text.is_empty() { 0 } else { 6 } } else { 0 };
            let text = text::width(text, font);
            match role {
                Role::Flat => (text + icon + 16, control - 2),
                Role::Normal | Role::Primary | Role::Cancel if text == 0 => (icon + 14, control),
                Role::Normal | Role::Primary | Role::Cancel => {
                    ((text + icon + 2 * BUTTON_PAD).max(LEAST_BUTTON), control)
                }
            }
        }
        Kind::Field { .. } => (FIELD_WIDTH, control),
        Kind::Choice { options, .. } => {
            let wide = options.iter().map(|o| text::width(o, font)).max().unwrap_or(0);
            (wide + 2 * FIELD_PAD + 26, control)
        }
        Kind::Area { .. } => (240, 120),
        Kind::Check { text, .. } | Kind::Radio { text, .. } => {
            (square + 8 + text::width(text, font), control - 2)
        }
        Kind::List { .. } => (220, theme.row_height() * 6),
        Kind::Slider { .. } => (FIELD_WIDTH, control),
        Kind::Display { .. } => (FIELD_WIDTH, text::row_height(display_font(theme)) + 14),
        Kind::Progress { .. } => (FIELD_WIDTH, 10),
        Kind::Picture { size, .. } => (*size, *size),
        Kind::MenuBar { .. } => (width, theme.row_height() + 4),
        Kind::Line => (1, 1),
        Kind::Space => (0, 0),
        Kind::Stack { down, gap, pad, panel, title, children, .. } => {
            let inner = width - 2 * pad;
            let gaps = gap * (children.len() as i32 - 1).max(0);
            let sizes = sizes(children, *down, inner, theme);
            let (mut along, mut across) = (gaps, 0);
            for (w, h) in sizes {
                let (a, c) = if *down { (h, w) } else { (w, h) };
                along += a;
                across = across.max(c);
            }
            let (w, h) = if *down { (across, along) } else { (along, across) };
            (w + 2 * pad, h + 2 * pad + title_room(*panel, title, theme))
        }
        Kind::Grid { columns, gap, children } => {
            let cell = children.iter().map(|c| wanted(c, width / *columns as i32, theme));
            let (w, h) = cell.fold((0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
            let (columns, rows) = (*columns as i32, children.len().div_ceil(*columns) as i32);
            (w * columns + gap * (columns - 1), h * rows + gap * (rows - 1).max(0))
        }
        Kind::Scroll { child } => {
            let (w, h) = wanted(child, width - theme.bar_width(), theme);
            (w + theme.bar_width(), h)
        }
    }
}

fn sizes(children: &[Node], down: bool, width: i32, theme: &Theme) -> Vec<(i32, i32)> {
    if down {
        return children.iter().map(|c| wanted(c, width, theme)).collect();
    }
    // Text that is broken to rows needs to know what the others in its row leave.
    let wraps = |c: &Node| matches!(c.width, Len::Grow(_));
    let fixed: i32 = children.iter().filter(|c| !wraps(c)).map(|c| wanted(c, width, theme).0).sum();
    let gaps = 8 * (children.len() as i32 - 1).max(0);
    let left = (width - fixed - gaps).max(40);
    children.iter().map(|c| wanted(c, if wraps(c) { left } else { width }, theme)).collect()
}

/// Places a tree in `area`, in the order in which it is drawn.
pub fn place(node: &Node, area: ScreenRect, theme: &Theme, states: &BTreeMap<String, State>) -> Vec<Placed> {
    let mut out = Out { theme, states, placed: Vec::new() };
    out.put(node, area, area, true);
    out.placed
}

struct Out<'a> {
    theme: &'a Theme,
    states: &'a BTreeMap<String, State>,
    placed: Vec<Placed>,
}

/// A rectangle of a possibly negative length, which is empty then.
pub(crate) fn rect(x: i32, y: i32, width: i32, height: i32) -> ScreenRect {
    ScreenRect::new(x, y, width.max(0) as u32, height.max(0) as u32)
}

impl Out<'_> {
    fn put(&mut self, node: &Node, area: ScreenRect, clip: ScreenRect, enabled: bool) {
        let enabled = enabled && node.enabled;
        let ScreenRect { origin, size: Size { width, height } } = area;
        let (width, height) = (width as i32, height as i32);
        // A container's children follow as widgets of their own.
        let kind = match &node.kind {
            Kind::Stack { panel: Panel::None, .. } | Kind::Grid { .. } | Kind::Space => None,
            Kind::Stack { down, gap, pad, align, panel, title, .. } => Some(Kind::Stack {
                down: *down,
                gap: *gap,
                pad: *pad,
                align: *align,
                panel: *panel,
                title: title.clone(),
                children: Vec::new(),
            }),
            Kind::Scroll { .. } => Some(Kind::Scroll { child: Box::new(Node::new("", Kind::Space)) }),
            kind => Some(kind.clone()),
        };
        let content = match &node.kind {
            Kind::Scroll { child } => wanted(child, width - self.theme.bar_width(), self.theme).1,
            _ => 0,
        };
        if let Some(kind) = kind {
            self.placed.push(Placed { id: node.id.clone(), kind, rect: area, clip, enabled, content });
        }
        match &node.kind {
            Kind::Stack { down, gap, pad, align, panel, title, children } => {
                let top = title_room(*panel, title, self.theme);
                let inner =
                    rect(origin.x + pad, origin.y + pad + top, width - 2 * pad, height - 2 * pad - top);
                self.stack(children, inner, *down, *gap, *align, clip, enabled);
            }
            Kind::Grid { columns, gap, children } => {
                let rows = children.len().div_ceil(*columns) as i32;
                let edge = |i: i32, n: i32, length: i32| (length + gap) * i / n;
                for (i, child) in children.iter().enumerate() {
                    let (column, row) = ((i % columns) as i32, (i / columns) as i32);
                    let (n, x) = (*columns as i32, edge(column, *columns as i32, width));
                    let y = edge(row, rows, height);
                    let w = edge(column + 1, n, width) - x - gap;
                    let h = edge(row + 1, rows, height) - y - gap;
                    self.put(child, rect(origin.x + x, origin.y + y, w, h), clip, enabled);
                }
            }
            Kind::Scroll { child } => {
                let view = rect(origin.x, origin.y, width - self.theme.bar_width(), height);
                let most = (content - height).max(0);
                let offset = self.states.get(&node.id).map_or(0, |s| s.scroll.clamp(0, most));
                let inner =
                    rect(origin.x, origin.y - offset, width - self.theme.bar_width(), content.max(height));
                let clip = clip.intersect(&view).unwrap_or(rect(0, 0, 0, 0));
                self.put(child, inner, clip, enabled);
            }
            _ => {}
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one variant")]
    fn stack(
        &mut self,
        children: &[Node],
        inner: ScreenRect,
        down: bool,
        gap: i32,
        align: Align,
        clip: ScreenRect,
        enabled: bool,
    ) {
        let (width, height) = (inner.size.width as i32, inner.size.height as i32);
        let sizes = sizes(children, down, width, self.theme);
        let share = |node: &Node| match if down { node.height } else { node.width } {
            Len::Grow(share) => i32::from(share),
            Len::Fit | Len::Fixed(_) => 0,
        };
        let shares: i32 = children.iter().map(share).sum();
        let along = |(w, h): (i32, i32)| if down { h } else { w };
        let used: i32 =
            children.iter().zip(&sizes).filter(|(c, _)| share(c) == 0).map(|(_, s)| along(*s)).sum();
        let room = if down { height } else { width };
        let left = (room - used - gap * (children.len() as i32 - 1).max(0)).max(0);
        let (mut at, mut given, mut counted) = (0, 0, 0);
        for (child, size) in children.iter().zip(sizes) {
            let length = match share(child) {
                0 => along(size),
                share => {
                    counted += share;
                    let until = left * counted / shares.max(1);
                    let length = until - given;
                    given = until;
                    length
                }
            };
            let cross_room = if down { width } else { height };
            let cross = match if down { child.width } else { child.height } {
                Len::Grow(_) => cross_room,
                Len::Fixed(units) => units,
                Len::Fit if stretches(child, down) => cross_room,
                Len::Fit => (if down { size.0 } else { size.1 }).min(cross_room),
            };
            let shift = match align {
                Align::Start => 0,
                Align::Center => (cross_room - cross) / 2,
                Align::End => cross_room - cross,
            };
            let (x, y, w, h) = if down { (shift, at, cross, length) } else { (at, shift, length, cross) };
            self.put(child, rect(inner.origin.x + x, inner.origin.y + y, w, h), clip, enabled);
            at += length + gap;
        }
    }
}

/// Widgets that take the whole length across a container without being told.
fn stretches(node: &Node, down: bool) -> bool {
    match &node.kind {
        Kind::Line => true,
        Kind::Label { style, .. } => down && (style.wrap || style.align != Align::Start),
        Kind::Field { .. } => down,
        _ => false,
    }
}
