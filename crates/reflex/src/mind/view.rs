//! A scene as a person sees it: windows with titles, the task bar, labels, fields.
//!
//! Only what all windowed desktops share is assumed: a window has a title bar with a sign in its right corner, the task
//! bar lies along an edge of the screen, the window with the focus has the strongest title. Nothing is known of any
//! program.

use super::words::{SAME, alike, alike_cut, is, is_or_begins};
use crate::eye::{Line, Mark, Pane, Scene};
use handsight_base::space::{FramePx, FrameRect};

/// Square of the least distance between the letters and the ground of a title that has the focus.
const STRONG: i32 = 3 * 145 * 145;
/// The same of a button that can be pressed.
const ENABLED: i32 = 3 * 100 * 100;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Window {
    pub(crate) title: String,
    /// Of the title's letters.
    pub(crate) label: FrameRect,
    pub(crate) bar: FrameRect,
    /// With its title bar.
    pub(crate) area: FrameRect,
    pub(crate) close: FramePx,
    pub(crate) active: bool,
}

pub(crate) struct View<'a> {
    pub(crate) scene: &'a Scene,
    /// In reading order.
    pub(crate) windows: Vec<Window>,
    pub(crate) taskbar: Option<FrameRect>,
}

fn contrast(line: &Line) -> i32 {
    let ([_, r, g, b], [_, x, y, z]) = (line.ink.to_be_bytes(), line.ground.to_be_bytes());
    let far = |a: u8, b: u8| i32::from(a.abs_diff(b)).pow(2);
    far(r, x) + far(g, y) + far(b, z)
}

pub(crate) fn within(outer: &FrameRect, inner: &FrameRect) -> bool {
    outer.contains(inner.center())
}

impl<'a> View<'a> {
    pub(crate) fn new(scene: &'a Scene) -> Self {
        let mut view = Self { scene, windows: Vec::new(), taskbar: None };
        view.taskbar = scene.panes.iter().find(|pane| view.is_taskbar(pane)).map(|pane| pane.area);
        let free = |pane: &&Pane| !view.taskbar.is_some_and(|bar| within(&bar, &pane.area));
        view.windows = scene.panes.iter().filter(free).filter_map(|pane| view.window(pane)).collect();
        view
    }

    /// How wide a display is: as wide as the screen, or half of one that is too wide for one display.
    fn display_width(&self) -> u32 {
        let screen = self.scene.screen;
        if screen.width > screen.height * 3 { screen.width / 2 } else { screen.width }
    }

    fn is_taskbar(&self, pane: &Pane) -> bool {
        let (area, screen, display) = (pane.area, self.scene.screen, self.display_width());
        let (wide, high) = (display * 95 / 100, screen.height * 95 / 100);
        let across = (wide..=display).contains(&area.size.width)
            && (30..=screen.height / 8).contains(&area.size.height);
        let edge = area.origin.y <= 1 || area.bottom() >= i64::from(screen.height) - 1;
        let upright = area.size.height >= high && (60..=display / 4).contains(&area.size.width);
        let left = [0, screen.width - display].iter().any(|x| (area.origin.x - *x as i32).abs() <= 1);
        (across && edge) || (upright && left)
    }

    /// The display with the task bar.
    pub(crate) fn desktop(&self) -> FrameRect {
        let (screen, display) = (self.scene.screen, self.display_width());
        let at_right = self.taskbar.is_some_and(|bar| bar.center().x >= display as i32);
        FrameRect::new(if at_right { display as i32 } else { 0 }, 0, display, screen.height)
    }

    /// The window whose title bar a pane is.
    fn window(&self, pane: &Pane) -> Option<Window> {
        let top = pane.area;
        if !(22..=64).contains(&top.size.height) || top.size.width < 140 {
            return None;
        }
        // The sign that closes it, in its right corner.
        let corner = |area: &FrameRect| {
            let center = area.center();
            let (left, down) = (top.right() - i64::from(center.x), center.y - top.origin.y);
            let (w, h) = (area.size.width, area.size.height);
            let small = (7..=22).contains(&w) && (7..=22).contains(&h) && w.abs_diff(h) <= 3;
            small && (9..=36).contains(&left) && (9..=26).contains(&down)
        };
        let lines = || self.scene.lines.iter();
        let signs = self.scene.signs.iter().chain(lines().map(|line| &line.area));
        let close = signs.copied().filter(corner).max_by_key(|area| area.origin.x)?.center();
        let beside = |line: &&Line| {
            within(&top, &line.area) && (line.area.center().y - close.y).abs() <= 7 && !corner(&line.area)
        };
        // An icon before it may look like a letter.
        let title = lines().filter(beside).max_by_key(|line| line.area.size.width)?;
        if title.area.origin.x - top.origin.x >= 60 {
            return None;
        }
        let bar =
            FrameRect::new(top.origin.x, top.origin.y, top.size.width, (close.y - top.origin.y) as u32 * 2);
        let text = title.text.trim_start_matches(['*', ' ']).to_owned();
        Some(Window {
            title: if title.text.starts_with('*') { format!("*{text}") } else { text },
            label: title.area,
            bar,
            area: self.below(&bar),
            close,
            active: contrast(title) >= STRONG,
        })
    }

    /// A title bar and the panes below each other that share its left or right edge. Wide panes between them, like the fields
    /// of a form, part a window and do not end it.
    fn below(&self, bar: &FrameRect) -> FrameRect {
        let left = |pane: &FrameRect| i64::from(pane.origin.x) - i64::from(bar.origin.x);
        let right = |pane: &FrameRect| bar.right() - pane.right();
        let inside =
            |pane: &FrameRect| left(pane) >= -4 && right(pane) >= -4 && pane.size.width * 3 >= bar.size.width;
        let mut panes: Vec<FrameRect> = self.scene.panes.iter().map(|p| p.area).filter(inside).collect();
        panes.sort_by_key(|pane| pane.origin.y);
        let (mut bottom, mut reached) = (bar.bottom(), bar.bottom());
        for pane in panes.iter().filter(|pane| pane.origin.y > bar.origin.y) {
            if i64::from(pane.origin.y) - reached <= 12 {
                reached = reached.max(pane.bottom());
                if left(pane) <= 4 || right(pane) <= 4 {
                    bottom = bottom.max(pane.bottom());
                }
            }
        }
        let height = (bottom - i64::from(bar.origin.y)) as u32;
        FrameRect::new(bar.origin.x, bar.origin.y, bar.size.width, height)
    }

    /// The window with the focus. Dialogs lie over what they belong to, so the smallest of several.
    pub(crate) fn active(&self) -> Option<&Window> {
        self.windows.iter().filter(|w| w.active).min_by_key(|w| w.area.size.area())
    }

    pub(crate) fn is_active(&self, title: &str) -> bool {
        self.active().is_some_and(|w| titled(w, title))
    }

    pub(crate) fn lines_in(&self, area: FrameRect) -> impl Iterator<Item = &'a Line> {
        self.scene.lines.iter().filter(move |line| within(&area, &line.area))
    }

    /// The line in an area that is most like a text.
    pub(crate) fn find_in(&self, area: FrameRect, text: &str) -> Option<&'a Line> {
        let hits = self.lines_in(area).filter(|line| is(&line.text, text));
        hits.max_by(|a, b| alike(&a.text, text).total_cmp(&alike(&b.text, text)))
    }

    /// The client area of the window with the focus.
    pub(crate) fn client(&self) -> Option<FrameRect> {
        self.active().map(client)
    }

    /// An item of an open menu: no title, no name on the wallpaper, nothing on the task bar, and in a pane with other lines
    /// below each other that is not a whole window.
    pub(crate) fn menu_item(&self, text: &str) -> Option<&'a Line> {
        let free = |line: &&Line| {
            !line.rimmed
                && !self.taskbar.is_some_and(|bar| within(&bar, &line.area))
                && !self.windows.iter().any(|w| within(&w.bar, &line.area))
                && self.menu_around(&line.area).is_some()
        };
        let hits = self.scene.lines.iter().filter(|line| is(&line.text, text)).filter(free);
        hits.max_by(|a, b| alike(&a.text, text).total_cmp(&alike(&b.text, text)))
    }

    pub(crate) fn any_menu_item(&self, texts: &[&str]) -> Option<&'a Line> {
        texts.iter().find_map(|text| self.menu_item(text))
    }

    /// The menu a line stands in. What has a line for itself is a button.
    fn menu_around(&self, line: &FrameRect) -> Option<FrameRect> {
        let least = line.size.height * 2;
        let around = self.scene.panes.iter().filter(|pane| {
            pane.area.intersect(line) == Some(*line)
                && pane.area.size.height > least
                && self.lines_in(pane.area).nth(1).is_some()
        });
        let pane = around.min_by_key(|pane| pane.area.size.area())?.area;
        let whole = |w: &Window| {
            (w.area.origin.x - pane.origin.x).abs() <= 12 && w.area.size.width.abs_diff(pane.size.width) <= 24
        };
        let narrow = pane.size.width * 3 < self.scene.screen.width * 2;
        (narrow && !self.windows.iter().any(whole)).then_some(pane)
    }

    /// What is written in an open menu.
    pub(crate) fn is_enabled(line: &Line) -> bool {
        contrast(line) >= ENABLED
    }

    pub(crate) fn mark(&self, name: &str) -> Option<&'a Mark> {
        let area = self.client()?;
        let labelled = self.scene.marks.iter().filter(|mark| within(&area, &mark.area));
        labelled.filter(|mark| self.label(mark).is_some_and(|line| is_or_begins(&line.text, name))).max_by(
            |a, b| {
                let like = |mark: &Mark| self.label(mark).map_or(0.0, |line| alike(&line.text, name));
                like(a).total_cmp(&like(b))
            },
        )
    }

    pub(crate) fn label(&self, mark: &Mark) -> Option<&'a Line> {
        self.scene.lines.get(mark.label)
    }

    /// The box that belongs to a label: right of it at its height, else right below it.
    pub(crate) fn box_of(&self, label: &FrameRect) -> Option<FrameRect> {
        let client = self.client()?;
        let boxes = || {
            self.scene.panes.iter().map(|p| p.area).filter(|area| {
                (18..=64).contains(&area.size.height) && area.size.width >= 40 && within(&client, area)
            })
        };
        let height = label.center().y;
        let beside = boxes().filter(|b| {
            b.origin.x as i64 >= label.right() && b.origin.y < height && b.bottom() > i64::from(height)
        });
        if let Some(beside) = beside.min_by_key(|b| b.origin.x) {
            return Some(beside);
        }
        let below = boxes().filter(|b| {
            let gap = i64::from(b.origin.y) - label.bottom();
            (-2..=16).contains(&gap) && (b.origin.x - label.origin.x).abs() <= 24
        });
        below.min_by_key(|b| b.origin.y)
    }

    /// The line of a slider at the height of a label, right of it: thin parts of a pane or two, with a knob between them.
    pub(crate) fn track_of(&self, label: &FrameRect) -> Option<FrameRect> {
        let client = self.client()?;
        let panes = self.scene.panes.iter().map(|pane| pane.area);
        let thin = panes.filter(|area| {
            area.size.height <= 12
                && area.size.width >= 12
                && i64::from(area.origin.x) >= label.right()
                && (area.center().y - label.center().y).abs() <= label.size.height as i32
                && within(&client, area)
        });
        thin.reduce(|a, b| a.union(&b))
    }

    /// What stands in an area, its lines joined by a blank.
    pub(crate) fn text_in(&self, area: FrameRect) -> String {
        let mut lines: Vec<&Line> = self.lines_in(area).collect();
        lines.sort_by_key(|line| (line.area.center().y / 8, line.area.origin.x));
        lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn caret_in(&self, area: FrameRect) -> Option<FrameRect> {
        self.scene.carets.iter().copied().find(|caret| within(&area, caret))
    }

    /// The button of a window on the task bar: the one most like its title, which may be cut there.
    pub(crate) fn task_button(&self, title: &str) -> Option<&'a Line> {
        let bar = self.taskbar?;
        let title = title.trim_start_matches('*');
        let like = |line: &Line| alike_cut(line.text.trim_start_matches(['*', ' ']), title);
        let hits = self.lines_in(bar).map(|line| (like(line), line)).filter(|(like, _)| *like >= SAME);
        hits.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, line)| line)
    }

    /// A visible window by its title.
    pub(crate) fn titled(&self, title: &str) -> Option<&Window> {
        let like = |w: &&Window| alike(w.title.trim_start_matches('*'), title.trim_start_matches('*'));
        let hits = self.windows.iter().filter(|w| titled(w, title));
        hits.max_by(|a, b| like(a).total_cmp(&like(b)))
    }
}

fn titled(window: &Window, title: &str) -> bool {
    is(window.title.trim_start_matches('*'), title.trim_start_matches('*'))
}

pub(crate) fn client(window: &Window) -> FrameRect {
    let top = window.bar.bottom() as i32;
    let height = (window.area.bottom() - window.bar.bottom()).max(0) as u32;
    FrameRect::new(window.area.origin.x, top, window.area.size.width, height)
}
