//! Where the letters of a field or area are, and which letter a place means.

use super::edit::row_of;
use super::layout::{FIELD_PAD, rect};
use super::node::Kind;
use super::{Placed, State};
use crate::desk::theme::Theme;
use crate::engine::text;
use handsight_base::space::{ScreenPx, ScreenRect};
use std::ops::Range;

/// Height of a row of an area.
pub fn row_height(theme: &Theme) -> i32 {
    text::row_height(theme.font()) + 2
}

/// The part of a text widget in which its letters are seen.
pub fn inner(placed: &Placed, theme: &Theme) -> ScreenRect {
    let ScreenRect { origin, size } = placed.rect;
    let (width, height) = (size.width as i32, size.height as i32);
    match placed.kind {
        Kind::Area { .. } => rect(origin.x + 6, origin.y + 4, width - 12 - theme.bar_width(), height - 8),
        _ => rect(origin.x + FIELD_PAD, origin.y + 2, width - 2 * FIELD_PAD, height - 4),
    }
}

/// The rows of its text as it is broken here.
pub fn rows(placed: &Placed, content: &str, theme: &Theme) -> Vec<Range<usize>> {
    match placed.kind {
        Kind::Area { .. } => {
            let width = inner(placed, theme).size.width as i32;
            text::rows(content, theme.font(), Some(width))
        }
        // A field is one row, whatever was pasted.
        _ => std::iter::once(0..content.len()).collect(),
    }
}

/// The top-left corner of a row on the screen.
pub fn row_origin(placed: &Placed, state: &State, row: usize, theme: &Theme) -> ScreenPx {
    let inner = inner(placed, theme);
    match placed.kind {
        Kind::Area { .. } => inner.origin.offset(0, row as i32 * row_height(theme) - state.scroll),
        _ => {
            let middle = (inner.size.height as i32 - text::row_height(theme.font())) / 2;
            inner.origin.offset(-state.scroll, middle)
        }
    }
}

/// The position between letters that is nearest to a place.
pub fn position(placed: &Placed, state: &State, at: ScreenPx, theme: &Theme) -> usize {
    let content = state.edit.text.as_str();
    let rows = rows(placed, content, theme);
    let top = row_origin(placed, state, 0, theme);
    let row = match placed.kind {
        Kind::Area { .. } => {
            (at.y - top.y).div_euclid(row_height(theme)).clamp(0, rows.len() as i32 - 1) as usize
        }
        _ => 0,
    };
    nearest(content, rows[row].clone(), at.x - top.x, theme)
}

/// The position in a row that is nearest to `x` units from its start.
pub fn nearest(content: &str, row: Range<usize>, x: i32, theme: &Theme) -> usize {
    let mut used = 0;
    for (at, c) in content[row.clone()].char_indices() {
        let wide = text::advance(c, theme.font());
        if x < used + (wide + 1) / 2 {
            return row.start + at;
        }
        used += wide;
    }
    row.end
}

/// Where the caret stands: its row, and units from the row's start.
pub fn caret(placed: &Placed, state: &State, theme: &Theme) -> (usize, i32) {
    let rows = rows(placed, &state.edit.text, theme);
    let row = row_of(&rows, state.edit.caret);
    let start = rows[row].start;
    let until = state.edit.caret.clamp(start, state.edit.text.len());
    (row, text::width(&state.edit.text[start..until], theme.font()))
}

/// Scrolls so that the caret is seen.
pub fn reveal(placed: &Placed, state: &mut State, theme: &Theme) {
    let (row, x) = caret(placed, state, theme);
    let inner = inner(placed, theme);
    if matches!(placed.kind, Kind::Area { .. }) {
        let (top, high) = (row as i32 * row_height(theme), inner.size.height as i32);
        state.scroll = state.scroll.clamp((top + row_height(theme) - high).max(0), top.max(0));
    } else {
        let wide = inner.size.width as i32 - 2;
        let all = text::width(&state.edit.text, theme.font());
        state.scroll = state.scroll.clamp((x - wide).max(0), x).min((all - wide).max(0));
    }
}
