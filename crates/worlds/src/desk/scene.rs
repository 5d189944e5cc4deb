//! What the desk looks like: wallpaper, icons, windows from the bottom to the top, task bar, menus.

use super::theme::{Theme, mix};
use super::ui::brush::Brush;
use super::ui::icons;
use super::ui::layout::rect;
use super::ui::node::Align;
use super::window::{Part, Shape as WindowShape, Win};
use super::{Desk, Grab, popup};
use crate::engine::scene::{Layer, Scene, Shape, grown};
use crate::engine::text;
use handsight_base::space::ScreenRect;
use handsight_pixel::canvas::Color;

/// Keys of layers that are no windows; windows have twice their number and one more.
const WALLPAPER: u64 = 0;
const ICONS: u64 = 2;
const TASKBAR: u64 = 4;
const POPUP: u64 = 6;
const SWITCHER: u64 = 8;
const CARRIED: u64 = 10;

const WHITE: Color = Color::opaque(255, 255, 255);
const CLOSE_RED: Color = Color::opaque(0xC4, 0x2B, 0x1C);

impl Desk {
    pub(super) fn draw_scene(&self) -> Scene {
        let mut layers = vec![self.wallpaper(), self.icons()];
        for window in self.windows.iter().filter(|w| !w.frame.minimised) {
            layers.push(self.window(window));
        }
        layers.push(self.task_bar());
        if let Some(popup) = &self.core.popup {
            let mut layer = Layer::new(POPUP);
            popup.draw(&mut layer, &self.theme);
            layers.push(layer);
        }
        if let Some(at) = self.core.switcher {
            layers.push(self.switcher(at));
        }
        if let Some(Grab::Carry { text, .. }) = &self.core.grab {
            layers.push(self.carried(text));
        }
        Scene { layers }
    }

    fn wallpaper(&self) -> Layer {
        let mut layer = Layer::new(WALLPAPER);
        let [top, bottom] = self.theme.wallpaper;
        for display in &self.core.displays {
            let area = display.area;
            layer.clipped(area, area, Shape::Gradient { top, bottom });
            // Two hills, so that it is no plain gradient.
            let (w, h) = (area.size.width as i32, area.size.height as i32);
            let hill = Color { alpha: 26, ..if self.theme.dark { self.theme.accent } else { WHITE } };
            let far = rect(area.origin.x - w / 5, area.origin.y + h * 11 / 20, w, w);
            let near = rect(area.origin.x + w * 2 / 5, area.origin.y + h * 13 / 20, w, w);
            for hill_area in [far, near] {
                let shape = Shape::Round { radius: u16::MAX, fill: hill, border: None, line: 0 };
                layer.clipped(hill_area, area, shape);
            }
        }
        layer
    }

    fn icons(&self) -> Layer {
        let mut layer = Layer::new(ICONS);
        let theme = &self.theme;
        for index in 0..self.core.shell.icons.len() {
            let area = self.icon_rect(index);
            let (name, icon) = self.icon_face(index);
            let mut brush = Brush { layer: &mut layer, theme, clip: grown(area, 2) };
            if self.core.shell.selected == Some(index) {
                let color =
                    Color { alpha: if self.core.active.is_none() { 110 } else { 60 }, ..theme.accent };
                brush.round(area, 6, color, None);
            }
            let side = 44;
            let place =
                rect(area.origin.x + (area.size.width as i32 - side) / 2, area.origin.y + 6, side, side);
            icons::draw(brush.layer, icon, place, brush.clip, theme.accent);
            // A dark rim keeps white letters legible on any wallpaper.
            let font = theme.font();
            let high = text::row_height(font);
            let width = area.size.width as i32 - 6;
            let rows = text::rows(&name, font, Some(width));
            for (i, row) in rows.into_iter().take(2).enumerate() {
                let line = rect(area.origin.x + 3, area.origin.y + 53 + i as i32 * high, width, high);
                let rim = Color { alpha: 170, ..Color::opaque(0, 0, 0) };
                for (dx, dy) in [(1, 1), (0, 1)] {
                    let under = ScreenRect { origin: line.origin.offset(dx, dy), ..line };
                    brush.text(name[row.clone()].trim(), under, font, rim, Align::Center);
                }
                brush.text(name[row].trim(), line, font, WHITE, Align::Center);
            }
        }
        layer
    }

    fn window(&self, window: &Win) -> Layer {
        let frame = &window.frame;
        let theme = &self.theme;
        let active = self.core.active == Some(frame.id);
        let mut layer = Layer::new(frame.id * 2 + 1);
        let outer = frame.outer;
        let clip = grown(outer, 26);
        let maximised = frame.shape == WindowShape::Maximised;
        let radius = if maximised { 0 } else { 8 };
        if !maximised {
            let (blur, drop) = if active { (18, 6) } else { (10, 3) };
            let below = ScreenRect { origin: outer.origin.offset(0, drop), ..outer };
            layer.clipped(below, clip, Shape::Shadow { blur, radius, color: theme.shadow });
        }
        let bar = frame.title_bar(theme);
        let fill = if active { theme.title } else { theme.title_inactive };
        let edge = if active { mix(theme.accent, theme.border, 30) } else { theme.border };
        let mut brush = Brush { layer: &mut layer, theme, clip };
        brush.round(outer, radius, fill, (!maximised).then_some(edge));
        let client = frame.client(theme);
        // Round above, square below: what a program shows reaches into its corners.
        if !maximised {
            let low = outer.bottom() as i32 - client.origin.y;
            brush.fill(rect(outer.origin.x, client.origin.y, outer.size.width as i32, low), edge);
        }
        brush.fill(client, theme.window);
        brush.fill(rect(client.origin.x, client.origin.y - 1, client.size.width as i32, 1), theme.line);
        let side = i32::from(theme.size) + 3;
        let middle = bar.origin.y + (bar.size.height as i32 - side) / 2;
        let icon = frame.kind().map_or(icons::Icon::App, |k| k.icon);
        brush.icon(icon, rect(bar.origin.x + 9, middle, side, side));
        let captions = frame.captions(theme);
        let until = captions.first().map_or(bar.right() as i32, |(_, r)| r.origin.x);
        let from = bar.origin.x + 9 + side + 8;
        let ink = if active { theme.text } else { theme.dim };
        let title = rect(from, bar.origin.y, until - from - 8, bar.size.height as i32);
        brush.text(&frame.title, title, theme.font(), ink, Align::Start);
        for (part, area) in captions {
            self.caption(&mut brush, frame.id, part, area, maximised, ink);
        }
        let menu = match self.core.popup.as_ref().map(|p| &p.target) {
            Some(popup::Target::Bar { window, bar }) if *window == frame.id => Some(*bar),
            _ => None,
        };
        let menu_or_focus = active && !matches!(&self.core.popup, Some(p) if !p.belongs_to(frame.id));
        let first = layer.commands.len();
        window.ui.draw(&mut layer, theme, menu_or_focus, menu);
        for command in &mut layer.commands[first..] {
            command.clip = command.clip.intersect(&client).unwrap_or(rect(0, 0, 0, 0));
        }
        layer
    }

    fn caption(
        &self,
        brush: &mut Brush<'_>,
        id: u64,
        part: Part,
        area: ScreenRect,
        maximised: bool,
        ink: Color,
    ) {
        let theme = brush.theme;
        let over = area.contains(self.core.pointer)
            && self.core.popup.is_none()
            && self.spot_at(self.core.pointer).is_none()
            && self.window_at(self.core.pointer).is_some_and(|f| f.id == id);
        let held = self.core.grab == Some(Grab::Caption { window: id, part });
        let free = self.core.grab.is_none() || held;
        let mut ink = ink;
        if over && free {
            let fill = match part {
                Part::Close => CLOSE_RED,
                _ if held => theme.pressed,
                _ => theme.hover,
            };
            if part == Part::Close {
                ink = WHITE;
            }
            brush.round(grown(area, -2), 5, fill, None);
        }
        let sign = i32::from(theme.size) - 4;
        let x = area.origin.x + (area.size.width as i32 - sign) / 2;
        let y = area.origin.y + (area.size.height as i32 - sign) / 2;
        let area = rect(x, y, sign, sign);
        match part {
            Part::Minimise => brush.stroke(area, &[(0, 60), (100, 60)], 13, ink),
            Part::Maximise if maximised => {
                brush.stroke(area, &[(0, 25), (75, 25), (75, 100), (0, 100), (0, 25)], 13, ink);
                brush.stroke(area, &[(25, 25), (25, 0), (100, 0), (100, 75), (75, 75)], 13, ink);
            }
            Part::Maximise => brush.stroke(area, &[(0, 0), (100, 0), (100, 100), (0, 100), (0, 0)], 13, ink),
            _ => {
                brush.stroke(area, &[(0, 0), (100, 100)], 13, ink);
                brush.stroke(area, &[(100, 0), (0, 100)], 13, ink);
            }
        }
    }

    fn task_bar(&self) -> Layer {
        let theme = &self.theme;
        let layout = self.shell_layout();
        let mut layer = Layer::new(TASKBAR);
        let mut brush = Brush { layer: &mut layer, theme, clip: layout.bar };
        brush.fill(layout.bar, theme.taskbar);
        let b = layout.bar;
        let line = match (layout.upright, b.origin.y <= layout.work.origin.y) {
            (true, _) => rect(b.right() as i32 - 1, b.origin.y, 1, b.size.height as i32),
            (false, true) => rect(b.origin.x, b.bottom() as i32 - 1, b.size.width as i32, 1),
            (false, false) => rect(b.origin.x, b.origin.y, b.size.width as i32, 1),
        };
        brush.fill(line, theme.line);
        let open = matches!(&self.core.popup, Some(p) if p.target == popup::Target::Start);
        let free = self.core.popup.is_none() && self.core.grab.is_none();
        let over = |area: ScreenRect| free && area.contains(self.core.pointer);
        if open || over(layout.start) {
            brush.round(layout.start, 5, if open { theme.selection } else { theme.hover }, None);
        }
        let side = i32::from(theme.size) + 4;
        let s = layout.start;
        brush.icon(
            icons::Icon::Start,
            rect(s.origin.x + 10, s.origin.y + (s.size.height as i32 - side) / 2, side, side),
        );
        let label =
            rect(s.origin.x + side + 18, s.origin.y, s.size.width as i32 - side - 22, s.size.height as i32);
        brush.text(self.words.get("start"), label, theme.bold(), theme.text, Align::Start);
        for (id, area) in &layout.tasks {
            self.task(&mut brush, *id, *area, over(*area));
        }
        let align = if layout.upright { Align::Center } else { Align::End };
        let clock = rect(
            layout.clock.origin.x,
            layout.clock.origin.y,
            layout.clock.size.width as i32 - 10,
            layout.clock.size.height as i32,
        );
        brush.text(&self.clock_text(), clock, theme.font(), theme.text, align);
        layer
    }

    fn task(&self, brush: &mut Brush<'_>, id: u64, area: ScreenRect, over: bool) {
        let Some(frame) = self.frame(id) else { return };
        let theme = brush.theme;
        let active =
            self.core.active == Some(id) || self.blocker(id).is_some_and(|b| self.core.active == Some(b));
        if active || over {
            let fill = if active { mix(theme.control, theme.accent, 12) } else { theme.hover };
            brush.round(area, 5, fill, None);
        }
        let side = i32::from(theme.size) + 3;
        let (x, high) = (area.origin.x, area.size.height as i32);
        let icon = frame.kind().map_or(icons::Icon::App, |k| k.icon);
        brush.icon(icon, rect(x + 8, area.origin.y + (high - side) / 2, side, side));
        let label = rect(x + side + 15, area.origin.y, area.size.width as i32 - side - 21, high);
        let ink = if frame.minimised { theme.dim } else { theme.text };
        brush.text(&frame.title, label, theme.font(), ink, Align::Start);
        let wide = if active { area.size.width as i32 - 20 } else { 14 };
        let mark = rect(x + (area.size.width as i32 - wide) / 2, area.bottom() as i32 - 3, wide, 3);
        brush.round(mark, 1, if active { theme.accent } else { theme.border }, None);
    }

    fn switcher(&self, current: usize) -> Layer {
        let theme = &self.theme;
        let mut layer = Layer::new(SWITCHER);
        let ids = self.switchable();
        let (row, width) = (theme.control_height() + 4, 360);
        let height = row * ids.len() as i32 + 20;
        let middle = self.primary().center();
        let area = rect(middle.x - width / 2, middle.y - height / 2, width, height);
        let clip = grown(area, 24);
        layer.clipped(area, clip, Shape::Shadow { blur: 18, radius: 10, color: theme.shadow });
        let mut brush = Brush { layer: &mut layer, theme, clip };
        brush.round(area, 10, theme.control, Some(theme.border));
        for (i, id) in ids.iter().enumerate() {
            let Some(frame) = self.frame(*id) else { continue };
            let line = rect(area.origin.x + 10, area.origin.y + 10 + i as i32 * row, width - 20, row);
            if i == current {
                brush.round(grown(line, -1), 5, theme.selection, Some(theme.accent));
            }
            let side = i32::from(theme.size) + 6;
            let icon = frame.kind().map_or(icons::Icon::App, |k| k.icon);
            brush.icon(icon, rect(line.origin.x + 10, line.origin.y + (row - side) / 2, side, side));
            let label =
                rect(line.origin.x + side + 20, line.origin.y, line.size.width as i32 - side - 30, row);
            brush.text(&frame.title, label, theme.font(), theme.text, Align::Start);
        }
        layer
    }

    fn carried(&self, name: &str) -> Layer {
        let theme: &Theme = &self.theme;
        let mut layer = Layer::new(CARRIED);
        let wide = text::width(name, theme.font()) + 24;
        let at = self.core.pointer.offset(14, 10);
        let area = rect(at.x, at.y, wide, theme.row_height() + 4);
        let mut brush = Brush { layer: &mut layer, theme, clip: grown(area, 2) };
        brush.round(area, 5, theme.selection, Some(theme.accent));
        brush.text(name, area, theme.font(), theme.text, Align::Center);
        layer
    }
}
