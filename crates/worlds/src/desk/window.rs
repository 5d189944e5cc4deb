//! A window: its program, its widgets, its place, and where the parts of its frame lie.

use super::apps::{self, App, AppKind};
use super::theme::Theme;
use super::ui::Ui;
use super::ui::layout::rect;
use crate::engine::scene::{between, grown};
use handsight_base::port::desktop::{Window, WindowId, WindowState};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use serde::{Deserialize, Serialize};

/// Around the content of a window.
const BORDER: i32 = 1;
/// How far inside and outside of its edge a window can be taken to resize it.
const EDGE: i32 = 5;
/// Along an edge, so near to its end counts as the corner.
const CORNER: i32 = 16;
pub(crate) const LEAST: Size = Size::new(200, 120);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    #[default]
    Normal,
    Maximised,
}

/// What is plain data of a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    pub id: u64,
    /// Of its program, in [`apps::APPS`].
    pub app: String,
    pub title: String,
    pub outer: ScreenRect,
    /// Where it was before it was maximised.
    pub restore: ScreenRect,
    pub shape: Shape,
    pub minimised: bool,
    pub resizable: bool,
    /// Of a dialog: the window it belongs to, which takes no input until it is closed, and the tag of its answer.
    pub parent: Option<u64>,
    pub tag: String,
}

/// A window with its program.
pub struct Win {
    pub frame: Frame,
    pub ui: Ui,
    pub app: Box<dyn App>,
}

/// Which edges of a window are dragged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Edges {
    pub left: bool,
    pub right: bool,
    pub top: bool,
    pub bottom: bool,
}

/// A part of a window's frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Edge(Edges),
    Title,
    Minimise,
    Maximise,
    Close,
    Client,
}

/// The process of a window; every window is one of its own.
pub const fn pid(id: u64) -> u32 {
    1000 + id as u32
}

impl Frame {
    pub fn kind(&self) -> Option<&'static AppKind> {
        apps::find(&self.app)
    }

    pub fn title_bar(&self, theme: &Theme) -> ScreenRect {
        let inner = grown(self.outer, -self.border());
        rect(inner.origin.x, inner.origin.y, inner.size.width as i32, theme.title_height())
    }

    fn border(&self) -> i32 {
        if self.shape == Shape::Maximised { 0 } else { BORDER }
    }

    pub fn client(&self, theme: &Theme) -> ScreenRect {
        let inner = grown(self.outer, -self.border());
        let top = inner.origin.offset(0, theme.title_height());
        between(top, ScreenPx::new(inner.right() as i32, inner.bottom() as i32))
    }

    /// What a frame adds to the size of its content.
    pub const fn extra(theme: &Theme) -> Size {
        Size::new(2 * BORDER as u32, 2 * BORDER as u32 + theme.title_height() as u32)
    }

    /// The buttons of the title bar from left to right. Dialogs have only the last.
    pub fn captions(&self, theme: &Theme) -> Vec<(Part, ScreenRect)> {
        let bar = self.title_bar(theme);
        let width = theme.title_height() + 8;
        let parts: &[Part] = if self.parent.is_some() || !self.resizable {
            &[Part::Close]
        } else {
            &[Part::Minimise, Part::Maximise, Part::Close]
        };
        let n = parts.len() as i32;
        let place = |i: usize| {
            let x = bar.right() as i32 - (n - i as i32) * width;
            rect(x, bar.origin.y, width, bar.size.height as i32)
        };
        parts.iter().enumerate().map(|(i, part)| (*part, place(i))).collect()
    }

    /// Which part of the window is under a place; `None` outside of it.
    pub fn part_at(&self, at: ScreenPx, theme: &Theme) -> Option<Part> {
        let can_resize = self.resizable && self.shape == Shape::Normal;
        if can_resize && grown(self.outer, EDGE).contains(at) && !grown(self.outer, -EDGE).contains(at) {
            let captions = self.captions(theme);
            // Inside of the frame the buttons win: closing must not need a steady hand.
            if let Some((part, _)) =
                captions.iter().find(|(_, r)| r.contains(at) && grown(self.outer, -2).contains(at))
            {
                return Some(*part);
            }
            return Some(Part::Edge(self.edges(at)));
        }
        if !self.outer.contains(at) {
            return None;
        }
        if let Some((part, _)) = self.captions(theme).iter().find(|(_, r)| r.contains(at)) {
            return Some(*part);
        }
        Some(if self.client(theme).contains(at) { Part::Client } else { Part::Title })
    }

    fn edges(&self, at: ScreenPx) -> Edges {
        let o = self.outer;
        let (right, bottom) = (o.right() as i32, o.bottom() as i32);
        let near = Edges {
            left: at.x < o.origin.x + EDGE,
            right: at.x >= right - EDGE,
            top: at.y < o.origin.y + EDGE,
            bottom: at.y >= bottom - EDGE,
        };
        let (flat, upright) = (near.top || near.bottom, near.left || near.right);
        Edges {
            left: near.left || flat && at.x < o.origin.x + CORNER,
            right: near.right || flat && at.x >= right - CORNER,
            top: near.top || upright && at.y < o.origin.y + CORNER,
            bottom: near.bottom || upright && at.y >= bottom - CORNER,
        }
    }
}

impl Win {
    /// As a window system tells any program.
    pub fn described(&self, active: Option<u64>, theme: &Theme) -> Window {
        let frame = &self.frame;
        Window {
            id: WindowId(frame.id),
            title: frame.title.clone(),
            class: vec![frame.app.clone(), "handsight-desk".to_owned()],
            pid: Some(pid(frame.parent.unwrap_or(frame.id))),
            program: None,
            client: frame.client(theme),
            outer: frame.outer,
            state: if frame.minimised { WindowState::Minimised } else { WindowState::Normal },
            focused: active == Some(frame.id),
        }
    }
}
