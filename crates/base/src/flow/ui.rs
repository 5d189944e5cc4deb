//! What programs say of what they show: the tree that assistive technology reads, as a flat list of what is to be seen.
//!
//! Every backend maps its system's roles to the few of [`UiRole`] and keeps only what a person could point at or read now. What
//! lies below another window, outside of the screen or in a part that is scrolled away is no node here, and what a password field
//! holds is never read. Whatever was not read is said in [`UiTree::missed`].

use crate::space::ScreenRect;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What kind of thing a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UiRole {
    Button,
    /// Takes a text.
    Field,
    CheckBox,
    Radio,
    /// Opens a list to choose from.
    Choice,
    /// Opens items.
    Menu,
    MenuItem,
    Tab,
    Link,
    /// A row of a list, a table or a tree.
    ListItem,
    Slider,
    Icon,
    /// Words that nobody presses.
    Text,
}

impl UiRole {
    pub const ALL: [Self; 13] = [
        Self::Button,
        Self::Field,
        Self::CheckBox,
        Self::Radio,
        Self::Choice,
        Self::Menu,
        Self::MenuItem,
        Self::Tab,
        Self::Link,
        Self::ListItem,
        Self::Slider,
        Self::Icon,
        Self::Text,
    ];

    /// The word for it, to people and to models.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Button => "button",
            Self::Field => "field",
            Self::CheckBox => "check box",
            Self::Radio => "radio",
            Self::Choice => "choice",
            Self::Menu => "menu",
            Self::MenuItem => "menu item",
            Self::Tab => "tab",
            Self::Link => "link",
            Self::ListItem => "list item",
            Self::Slider => "slider",
            Self::Icon => "icon",
            Self::Text => "text",
        }
    }

    /// False for what is only read.
    pub const fn is_pressed(self) -> bool {
        !matches!(self, Self::Text)
    }
}

/// One thing that a program shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UiNode {
    pub role: UiRole,
    /// The program's own name for it, on one line; empty if it has none. Of a field its name, never what it holds.
    pub label: String,
    /// The largest rectangle of it that is to be seen: its centre can be pressed.
    pub area: ScreenRect,
    /// False where pressing does nothing for now.
    pub enabled: bool,
}

/// What programs say that they show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UiTree {
    /// Of the topmost window first, parents before their children.
    pub nodes: Vec<UiNode>,
    /// How many nodes of the programs' own trees were looked at.
    pub read: usize,
    /// Things beyond [`UiRequest::told`] whose place nobody asked for: some of them may be hidden.
    pub untold: usize,
    /// Programs that were not read, or not wholly, each with why.
    pub missed: Vec<String>,
}

/// Which part of the trees is wanted, and how much it may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UiRequest {
    /// Only what lies in here, in part at least.
    pub area: ScreenRect,
    /// All programs together; what is not read by then is missed.
    pub within: Duration,
    /// Nodes of all programs together.
    pub nodes: usize,
    /// Things to press that are wanted of one program. Where each place has to be asked for, no more are asked once so many are seen,
    /// and texts only if there are fewer; a backend that is told all places at once may ignore it.
    pub told: usize,
}

impl UiRequest {
    /// What a turn can afford, and everything that is to be seen.
    pub const fn of(area: ScreenRect) -> Self {
        Self { area, within: Duration::from_millis(400), nodes: 20_000, told: usize::MAX }
    }
}

/// The longest label that is kept, in characters.
const LABEL_CHARS: usize = 80;

/// A program's own words as a label: on one line, without control characters, at most 80 characters.
pub fn label(words: &str) -> String {
    let mut label = String::new();
    // What is looked at is bounded too: a name may be a whole document.
    for word in words.get(..words.floor_char_boundary(4096)).unwrap_or_default().split_whitespace() {
        if !label.is_empty() {
            label.push(' ');
        }
        label.extend(word.chars().filter(|c| !c.is_control() && !is_invisible(*c)));
        if label.len() > LABEL_CHARS * 4 {
            break;
        }
    }
    if let Some((cut, _)) = label.char_indices().nth(LABEL_CHARS) {
        let end = label.char_indices().nth(LABEL_CHARS - 1).map_or(cut, |(end, _)| end);
        label.truncate(end);
        label.push('…');
    }
    label
}

/// Marks of direction and joiners, which would turn a list of labels round, and signs of private use (icons of a font).
const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{E000}'..='\u{F8FF}')
}

/// The largest rectangle of `area` that none of `covers` lies over; `None` if nothing of it is to be seen.
pub fn uncovered(area: ScreenRect, covers: &[ScreenRect]) -> Option<ScreenRect> {
    let mut parts = vec![area];
    for cover in covers {
        parts = parts.into_iter().flat_map(|part| without(part, cover)).collect();
        // Many small windows cut a thing into crumbs; the largest ones are all that matters.
        if parts.len() > 64 {
            parts.sort_by_key(|part| std::cmp::Reverse(part.size.area()));
            parts.truncate(64);
        }
    }
    parts.into_iter().filter(|part| !part.is_empty()).max_by_key(|part| part.size.area())
}

/// The largest rectangles of `part` left, right, above and below of `cover`; they may overlap.
fn without(part: ScreenRect, cover: &ScreenRect) -> Vec<ScreenRect> {
    let Some(hole) = part.intersect(cover).filter(|hole| !hole.is_empty()) else { return vec![part] };
    let between = |from: i64, to: i64| u32::try_from(to - from).unwrap_or(0);
    let (left, top) = (i64::from(part.origin.x), i64::from(part.origin.y));
    let (hole_left, hole_top) = (i64::from(hole.origin.x), i64::from(hole.origin.y));
    let (width, height) = (part.size.width, part.size.height);
    let at = |x: i64, y: i64, w: u32, h: u32| ScreenRect::new(x as i32, y as i32, w, h);
    let rest = [
        at(left, top, between(left, hole_left), height),
        at(hole.right(), top, between(hole.right(), part.right()), height),
        at(left, top, width, between(top, hole_top)),
        at(left, hole.bottom(), width, between(hole.bottom(), part.bottom())),
    ];
    rest.into_iter().filter(|rest| !rest.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_covered_thing_is_its_largest_free_rectangle() {
        let area = ScreenRect::new(100, 100, 100, 20);
        assert_eq!(uncovered(area, &[]), Some(area));
        assert_eq!(uncovered(area, &[ScreenRect::new(0, 0, 50, 50)]), Some(area));
        assert_eq!(
            uncovered(area, &[ScreenRect::new(0, 0, 130, 500)]),
            Some(ScreenRect::new(130, 100, 70, 20))
        );
        assert_eq!(
            uncovered(area, &[ScreenRect::new(0, 0, 500, 110)]),
            Some(ScreenRect::new(100, 110, 100, 10))
        );
        let middle = ScreenRect::new(130, 105, 10, 5);
        assert_eq!(uncovered(area, &[middle]), Some(ScreenRect::new(140, 100, 60, 20)));
        assert_eq!(uncovered(area, &[ScreenRect::new(0, 0, 500, 500)]), None);
        let halves = [ScreenRect::new(90, 90, 60, 60), ScreenRect::new(150, 90, 60, 60)];
        assert_eq!(uncovered(area, &halves), None);
        // A centre is always free of every cover, however many there are.
        let crumbs: Vec<ScreenRect> =
            (0..200).map(|n| ScreenRect::new(n * 7, (n * 13) % 600, 5, 5)).collect();
        let left = uncovered(ScreenRect::new(0, 0, 600, 600), &crumbs).unwrap();
        assert!(crumbs.iter().all(|crumb| !crumb.contains(left.center())), "{left}");
    }

    #[test]
    fn a_label_is_one_short_line() {
        assert_eq!(label("  Save\n as\t… "), "Save as …");
        assert_eq!(label("a\u{202E}b\u{7}c\u{E001}"), "abc");
        let long = label(&"é".repeat(10_000));
        assert_eq!((long.chars().count(), long.ends_with('…')), (80, true));
        assert_eq!(label(&"x".repeat(80)), "x".repeat(80));
        let mut words: Vec<&str> = UiRole::ALL.iter().map(|role| role.word()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), UiRole::ALL.len(), "every role has a word of its own");
    }
}
