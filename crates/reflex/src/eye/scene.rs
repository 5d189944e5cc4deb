//! What the eye makes of a picture. Places are pixels of the screen, whatever the picture was scaled to.

use handsight_base::space::{FrameRect, Size};

/// A line of text, or what looks like one.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Around its ink.
    pub area: FrameRect,
    pub text: String,
    /// 0 to 1: how much of the ink the text explains.
    pub confidence: f32,
    /// Height of the em in pixels.
    pub em: u32,
    pub bold: bool,
    /// 0x00RRGGBB, of the letters and of what they stand on.
    pub ink: u32,
    pub ground: u32,
    /// The letters have a rim of another colour, as names on a wallpaper have.
    pub rimmed: bool,
}

/// A rectangle of one colour: a window, a button, a field, a list, a selected row.
#[derive(Debug, Clone, PartialEq)]
pub struct Pane {
    /// Without its border.
    pub area: FrameRect,
    pub fill: u32,
    /// Colour and width.
    pub border: Option<(u32, u32)>,
}

/// A check box or radio button.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    pub area: FrameRect,
    pub on: bool,
    /// Place in [`Scene::lines`] of the text beside it.
    pub label: usize,
}

/// Everything seen on one picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scene {
    /// Of the screen, as far as the picture tells.
    pub screen: Size,
    /// What the HUD says, a paragraph a line; `None` if there is none.
    pub hud: Option<String>,
    /// Lines of text in reading order.
    pub lines: Vec<Line>,
    pub panes: Vec<Pane>,
    pub marks: Vec<Mark>,
    /// Small ink that is no text: icons, the signs in the corners of windows.
    pub signs: Vec<FrameRect>,
    /// Bars where typed text would go.
    pub carets: Vec<FrameRect>,
}
