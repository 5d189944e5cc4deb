//! From what an engine found on a page to words on the screen.
//!
//! Engines guess where words end. The pixels know: between two letters of a word there is less room than a space takes, and
//! an underscore is no space at all.

use super::Word;
use super::tsv::Found;
use handsight_base::space::{FrameRect, Size};
use handsight_pixel::legible::Gray8;

/// White around a line on its page, in pixels of the page.
pub(super) const MARGIN: u32 = 10;
/// Paler than this is no ink.
const INK: u8 = 170;
/// Of the em: no space is narrower, however tight small letters are set.
const NARROWEST_SPACE: f32 = 0.1;
/// The same behind a point inside of a name or a number, which stands apart in fonts whose letters are all equally wide.
const BEHIND_A_POINT: f32 = 0.28;
/// The em of a line, by its height: from 0.6 for one without tall letters to 1.1 for one with all of them.
const EM_OF_HEIGHT: f32 = 1.15;

/// A line on a page of its own.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) gray: Gray8,
    /// How many times larger than on the screen.
    pub(super) scale: u32,
    /// Of the line on the screen.
    pub(super) size: Size,
}

impl Page {
    pub(super) fn new(line: &Gray8, size: Size, scale: u32) -> Self {
        let with_margin = Size::new(line.size().width + 2 * MARGIN, line.size().height + 2 * MARGIN);
        let mut gray = Gray8::white(with_margin);
        gray.put(line, MARGIN, MARGIN);
        Self { gray, scale, size }
    }

    /// The words of the line, placed as if it began at 0, 0.
    pub(super) fn words(&self, mut found: Vec<Found>) -> Vec<Word> {
        found.sort_by_key(|word| word.left);
        let mut words: Vec<Found> = Vec::new();
        for next in found {
            match words.last_mut().and_then(|last| Some((self.between(last, &next)?, last))) {
                Some((joint, last)) => join(last, &next, joint),
                None => words.push(next),
            }
        }
        words.into_iter().map(|word| self.placed(word)).collect()
    }

    /// What stands between two words that are one: nothing or an underscore. `None` if they are two.
    fn between(&self, left: &Found, right: &Found) -> Option<&'static str> {
        // An engine's edges are up to a pixel or two of the screen off.
        let slack = 2 * self.scale;
        let from = (left.left + left.width).saturating_sub(slack).max(left.left);
        let to = (right.left + slack).min(right.left + right.width).min(self.gray.size().width);
        let columns: Vec<Column> = (from..to).map(|x| self.column(x)).collect();
        let blank = |run: &&[Column]| run.first() == Some(&Column::Blank);
        let widest = columns.chunk_by(|a, b| a == b).filter(blank).map(<[Column]>::len).max().unwrap_or(0);
        let em = self.size.height as f32 * self.scale as f32 * EM_OF_HEIGHT;
        let space = if is_inner_point(&left.text, &right.text) { BEHIND_A_POINT } else { NARROWEST_SPACE };
        if widest as f32 >= space * em {
            return None;
        }
        let low = columns.iter().filter(|column| **column == Column::Low).count();
        let underscore = low as f32 >= 0.3 * em && !left.text.ends_with('_') && !right.text.starts_with('_');
        Some(if underscore { "_" } else { "" })
    }

    fn column(&self, x: u32) -> Column {
        let Size { width, height } = self.gray.size();
        let column = self.gray.data().iter().skip(x as usize).step_by(width as usize);
        let mut rows = (0..height).zip(column).filter(|(_, value)| **value < INK);
        match rows.next() {
            None => Column::Blank,
            // The lowest third of the line.
            Some((row, _)) if (row - MARGIN.min(row)) * 3 >= (height - 2 * MARGIN) * 2 => Column::Low,
            Some(_) => Column::Letter,
        }
    }

    fn placed(&self, word: Found) -> Word {
        let axis = |from: u32, length: u32, most: u32| {
            let begin = from.saturating_sub(MARGIN) / self.scale;
            let end = (from + length).saturating_sub(MARGIN).div_ceil(self.scale).min(most);
            (begin.min(most.saturating_sub(1)), end.saturating_sub(begin).max(1))
        };
        let (x, width) = axis(word.left, word.width, self.size.width);
        let (y, height) = axis(word.top, word.height, self.size.height);
        let area = FrameRect::new(x as i32, y as i32, width, height);
        Word { text: word.text, area, confidence: word.confidence }
    }
}

/// Whether a point between the two stands inside of a name or a number, and does not end a sentence.
fn is_inner_point(left: &str, right: &str) -> bool {
    let mut end = left.chars().rev();
    match (end.next(), end.next(), right.chars().next()) {
        (Some('.'), Some(before), Some(next)) if next.is_numeric() => before.is_numeric(),
        (Some('.' | '/' | '\\'), _, Some(next)) => next.is_lowercase(),
        _ => false,
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Column {
    Blank,
    /// Ink near the bottom only.
    Low,
    Letter,
}

fn join(left: &mut Found, right: &Found, joint: &str) {
    let right_end = (left.left + left.width).max(right.left + right.width);
    let bottom = (left.top + left.height).max(right.top + right.height);
    left.top = left.top.min(right.top);
    left.width = right_end - left.left;
    left.height = bottom - left.top;
    left.confidence = left.confidence.min(right.confidence);
    left.text.push_str(joint);
    left.text.push_str(&right.text);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of 12 rows whose columns are `#` for a letter, `_` for ink at the bottom, a space for none.
    fn page(columns: &str, scale: u32) -> Page {
        let size = Size::new(columns.len() as u32, 12);
        let bgrx: Vec<u8> = (0..12)
            .flat_map(|y| {
                columns.bytes().map(move |c| (c == b'#' && (3..8).contains(&y)) || (c == b'_' && y == 11))
            })
            .flat_map(|ink| [if ink { 0 } else { 255 }; 4])
            .collect();
        let view = handsight_base::flow::frame::PixelView::new(&bgrx, size, columns.len() * 4).unwrap();
        Page::new(&handsight_pixel::legible::legible(view, scale), size, scale)
    }

    fn found(text: &str, columns: std::ops::Range<u32>, scale: u32) -> Found {
        Found {
            left: MARGIN + columns.start * scale,
            top: MARGIN,
            width: (columns.end - columns.start) * scale,
            height: 12 * scale,
            confidence: 0.9,
            text: text.into(),
        }
    }

    fn texts(page: &Page, found: Vec<Found>) -> Vec<(String, i32, u32)> {
        let words = page.words(found).into_iter();
        words.map(|w| (w.text, w.area.origin.x, w.area.size.width)).collect()
    }

    #[test]
    fn places_are_those_of_the_line_whatever_the_scale() {
        for scale in 1..=8 {
            let page = page("## ## ##     ## ##", scale);
            let words = texts(&page, vec![found("cd", 13..18, scale), found("abc", 0..8, scale)]);
            assert_eq!(words, [("abc".to_owned(), 0, 8), ("cd".to_owned(), 13, 5)]);
        }
    }

    #[test]
    fn what_has_no_room_for_a_space_is_one_word() {
        // One column is too few for a space, three are one.
        let tight = page("### ### ### ###", 3);
        assert_eq!(texts(&tight, vec![found("ab", 0..7, 3), found("cd", 8..15, 3)]).len(), 1);
        let wide = page("### ###   ### ###", 3);
        assert_eq!(texts(&wide, vec![found("ab", 0..7, 3), found("cd", 10..17, 3)]).len(), 2);
        // Behind a point as much room is no space, unless a capital follows.
        let three = [found("a.", 0..7, 3), found("b", 10..17, 3)];
        assert_eq!(texts(&wide, three.to_vec()), [("a.b".to_owned(), 0, 17)]);
        let sentence = vec![found("a.", 0..7, 3), found("B", 10..17, 3)];
        assert_eq!(texts(&wide, sentence).len(), 2);
    }

    #[test]
    fn a_point_inside_is_told_from_one_at_an_end() {
        for (left, right, inner) in [
            ("notes.", "txt", true),
            ("3.", "14", true),
            ("/usr/", "share", true),
            ("all.", "404", false),
            ("done.", "Next", false),
            ("Name:", "value", false),
            (".", "", false),
        ] {
            assert_eq!(is_inner_point(left, right), inner, "{left} {right}");
        }
    }

    #[test]
    fn an_underscore_is_put_back_where_it_is() {
        let page = page("### ###_______### ###", 3);
        let words = |a: &str, b: &str| texts(&page, vec![found(a, 0..7, 3), found(b, 14..21, 3)]);
        assert_eq!(words("ab", "cd"), [("ab_cd".to_owned(), 0, 21)]);
        assert_eq!(words("ab_", "cd")[0].0, "ab_cd");
        assert_eq!(words("ab", "_cd")[0].0, "ab_cd");
    }

    #[test]
    fn a_word_keeps_inside_its_line() {
        let page = page("###", 3);
        let beyond = Found { left: 0, top: 0, width: 29, height: 56, ..found("a", 0..3, 3) };
        assert_eq!(page.words(vec![beyond])[0].area, FrameRect::new(0, 0, 3, 12));
    }
}
