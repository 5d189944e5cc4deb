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
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Of the screen, as far as the picture tells.
    pub screen: Size,
    /// Its pixels for one unit of what is drawn on it: 1, and more on a sharp screen.
    pub unit: f64,
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

impl Default for Scene {
    fn default() -> Self {
        Self {
            screen: Size::new(0, 0),
            unit: 1.0,
            hud: None,
            lines: Vec::new(),
            panes: Vec::new(),
            marks: Vec::new(),
            signs: Vec::new(),
            carets: Vec::new(),
        }
    }
}

impl Scene {
    /// The same in units, so that what is drawn as large as elsewhere is as large as elsewhere.
    #[must_use]
    pub fn in_units(&self) -> Self {
        let area = |area: &FrameRect| {
            let round = |v: f64| (v / self.unit).round();
            let (left, top) = (round(f64::from(area.origin.x)), round(f64::from(area.origin.y)));
            let (right, bottom) = (round(area.right() as f64), round(area.bottom() as f64));
            FrameRect::new(left as i32, top as i32, (right - left) as u32, (bottom - top) as u32)
        };
        let length = |v: u32| (f64::from(v) / self.unit).round() as u32;
        Self {
            screen: Size::new(length(self.screen.width), length(self.screen.height)),
            unit: 1.0,
            hud: self.hud.clone(),
            lines: self
                .lines
                .iter()
                .map(|line| Line { area: area(&line.area), em: length(line.em), ..line.clone() })
                .collect(),
            panes: self.panes.iter().map(|pane| Pane { area: area(&pane.area), ..pane.clone() }).collect(),
            marks: self.marks.iter().map(|mark| Mark { area: area(&mark.area), ..mark.clone() }).collect(),
            signs: self.signs.iter().map(area).collect(),
            carets: self.carets.iter().map(area).collect(),
        }
    }
}
