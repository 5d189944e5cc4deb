//! Marks: what can be pointed at on a frame, numbered, so that a model may name a number in place of a point.
//!
//! [`merge`] makes one list of what the UI tree, the letters and the shapes of a frame tell; [`numbers`] gives the same thing the
//! same number as long as it is there. Marks are bound to their frame: a number of an older picture is refused in words that the
//! model can use, and never taken for what has that place now.

mod merge;
mod numbers;

use handsight_base::flow::action::Spot;
use handsight_base::flow::frame::Frame;
use handsight_base::flow::percept::Finding;
use handsight_base::flow::ui::{UiNode, UiRole, UiTree};
use handsight_base::port::dialect::{Rejection, RejectionKind};
use handsight_base::space::{At, FrameGeometry, FrameId, FrameRect, PictureGeometry, PicturePx, Rect};
use handsight_vision::segment;
pub use merge::{Merged, merge};
pub use numbers::Numbers;

/// The perceivers that marks are made of, as `perceive.marks.sources` names them. The first ones win.
pub const SOURCES: [&str; 3] = [TREE, SEGMENTS, OCR];
/// What programs say of themselves.
pub const TREE: &str = "tree";
/// Shapes that look like something to press.
pub const SEGMENTS: &str = "segments";
/// Lines of letters.
pub const OCR: &str = "ocr";

/// Sides of an icon: less is a speck, more a picture.
const ICON_PX: std::ops::RangeInclusive<u32> = 8..=72;
/// Before a kind, of what does nothing for now.
const DISABLED: &str = "disabled ";

/// One thing that can be pointed at.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    pub number: u32,
    pub what: Finding,
}

/// The marks of one frame, in reading order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Marks {
    /// `None` where nothing is marked.
    frame: Option<FrameId>,
    marks: Vec<Mark>,
    /// Things that were left without a number, because there are too many.
    left_out: usize,
    /// Things that were not even looked for; some of them may be hidden.
    untold: usize,
    /// The largest number that was ever given.
    highest: u32,
}

impl Marks {
    /// Merges what was seen on `frame` and numbers it, at most `most` things.
    pub fn of(frame: &FrameGeometry, findings: &[Finding], most: usize, numbers: &mut Numbers) -> Self {
        let Merged { things, left_out } = merge(findings, frame.whole(), most);
        let marks = numbers.give(things);
        Self { frame: Some(frame.frame), marks, left_out, untold: 0, highest: numbers.highest() }
    }

    /// With so many things besides that nobody looked for.
    #[must_use]
    pub fn besides(mut self, untold: usize) -> Self {
        self.untold = untold;
        self
    }

    pub fn iter(&self) -> impl Iterator<Item = &Mark> {
        self.marks.iter()
    }

    pub const fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// The middle of what a number stands for, on the picture that the model was sent.
    pub fn spot(&self, number: u32, picture: &PictureGeometry) -> Result<Spot, Rejection> {
        let refused = |words: String| Err(Rejection::new(RejectionKind::OutOfRange, words));
        match self.frame {
            None => return refused("nothing on this picture has a number: give `x` and `y`".into()),
            Some(frame) if frame != picture.frame => {
                return refused(format!(
                    "mark {number} is of another picture: look at the newest one and use its numbers"
                ));
            }
            Some(_) => {}
        }
        if let Some(mark) = self.marks.iter().find(|mark| mark.number == number) {
            return Ok(At { point: mark.what.area.center(), frame: picture.frame });
        }
        if number <= self.highest && number > 0 {
            return refused(format!(
                "mark {number} was on an earlier picture and is not on this one: use a number of the newest picture"
            ));
        }
        refused(format!("there is no mark {number}; {}", self.there()))
    }

    /// `there are: 1-7, 9`.
    fn there(&self) -> String {
        let mut numbers: Vec<u32> = self.marks.iter().map(|mark| mark.number).collect();
        numbers.sort_unstable();
        let mut spans: Vec<(u32, u32)> = Vec::new();
        for number in numbers {
            match spans.last_mut() {
                Some((_, last)) if *last + 1 == number => *last = number,
                _ => spans.push((number, number)),
            }
        }
        if spans.is_empty() {
            return "nothing on this picture has a number".into();
        }
        let span = |(from, to): &(u32, u32)| {
            if from == to { from.to_string() } else { format!("{from}-{to}") }
        };
        format!("there are: {}", spans.iter().map(span).collect::<Vec<_>>().join(", "))
    }

    /// The list for the model, a line a mark; `place` adds where it is, for dialects that give points only. `None` without marks.
    pub fn list(&self, place: impl Fn(Spot) -> Option<String>) -> Option<String> {
        let frame = self.frame.filter(|_| !self.marks.is_empty())?;
        let mut text = String::from("What has a number on the picture:");
        for Mark { number, what } in &self.marks {
            let Finding { kind, label, area, .. } = what;
            let label = if label.is_empty() { String::new() } else { format!(" {label:?}") };
            let place = place(At { point: area.center(), frame }).unwrap_or_default();
            text.push_str(&format!("\n{number} {kind}{label}{place}"));
        }
        if let Some(more) = self.more() {
            text.push_str(&format!("\n({more})"));
        }
        Some(text)
    }

    /// `9 more have no number`; `None` if everything has one.
    pub fn more(&self) -> Option<String> {
        match (self.left_out, self.untold) {
            (0, 0) => None,
            (more, 0) => Some(format!("{more} more have no number")),
            (more, untold) => Some(format!("up to {} more have no number", more + untold)),
        }
    }

    /// As they are drawn on a picture of their frame, with their numbers or as boxes alone.
    pub fn drawn(&self, picture: &PictureGeometry, numbered: bool) -> Vec<handsight_pixel::annotate::Mark> {
        let palette = handsight_pixel::annotate::PALETTE;
        let draw = |(n, mark): (usize, &Mark)| {
            let area: Rect<PicturePx> = picture.picture_rect(mark.what.area)?;
            let color = palette.get(n % palette.len()).copied()?;
            Some(handsight_pixel::annotate::Mark { area, color, number: numbered.then_some(mark.number) })
        };
        let of_this = self.frame == Some(picture.frame);
        self.marks.iter().filter(|_| of_this).enumerate().filter_map(draw).collect()
    }
}

/// Shapes that look like something to press: outlined boxes, and what stands alone and is as small as an icon.
pub fn shapes(frame: &Frame) -> Vec<Finding> {
    let segments = segment::segment(frame.view());
    let find = |kind: &str, area, confidence| Finding {
        by: SEGMENTS.into(),
        kind: kind.into(),
        label: String::new(),
        area,
        confidence,
    };
    let is_icon =
        |area: &&FrameRect| ICON_PX.contains(&area.size.width) && ICON_PX.contains(&area.size.height);
    let icons = segments.shapes.iter().filter(is_icon).map(|area| find(UiRole::Icon.word(), *area, 0.3));
    segments.boxes.iter().map(|area| find("box", *area, 0.5)).chain(icons).collect()
}

/// What a UI tree tells of a frame, as findings: where each thing is to be seen, in the frame's pixels.
pub fn findings(tree: &UiTree, frame: &FrameGeometry) -> Vec<Finding> {
    let find = |node: &UiNode| {
        let area: FrameRect = frame.frame_rect(node.area)?;
        let off = if node.enabled || !node.role.is_pressed() { "" } else { DISABLED };
        let kind = format!("{off}{}", node.role.word());
        Some(Finding { by: TREE.into(), kind, label: node.label.clone(), area, confidence: 1.0 })
    };
    tree.nodes.iter().filter_map(find).collect()
}

#[cfg(test)]
mod tests;
