//! Text that is being edited: a caret, a selection, and what keys do to them. It knows letters, not pixels, except that
//! moving up and down needs the rows the text is broken into.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Steps that can be taken back.
const MOST_UNDO: usize = 100;

/// A text with its caret; positions are bytes, always between two characters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Edit {
    pub text: String,
    pub caret: usize,
    /// Where the selection began; equal to the caret if nothing is selected.
    pub anchor: usize,
    /// Letters typed after each other are one step.
    typing: bool,
    undo: Vec<(String, usize)>,
    redo: Vec<(String, usize)>,
}

/// Where a movement of the caret goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Go {
    Left,
    Right,
    WordLeft,
    WordRight,
    Start,
    End,
}

impl Edit {
    pub fn of(text: impl Into<String>) -> Self {
        let text = text.into();
        let caret = text.len();
        Self { text, caret, anchor: caret, ..Self::default() }
    }

    pub fn selection(&self) -> Range<usize> {
        self.caret.min(self.anchor)..self.caret.max(self.anchor)
    }

    pub fn selected(&self) -> &str {
        self.text.get(self.selection()).unwrap_or_default()
    }

    pub const fn select_all(&mut self) {
        self.anchor = 0;
        self.caret = self.text.len();
    }

    /// Puts the caret at `to`; `keep` leaves the selection's other end where it is.
    pub const fn place(&mut self, to: usize, keep: bool) {
        self.caret = to;
        if !keep {
            self.anchor = to;
        }
        self.typing = false;
    }

    pub fn go(&mut self, go: Go, keep: bool) {
        let selection = self.selection();
        let to = match go {
            Go::Left if !keep && !selection.is_empty() => selection.start,
            Go::Right if !keep && !selection.is_empty() => selection.end,
            Go::Left => self.before(self.caret),
            Go::Right => self.after(self.caret),
            Go::WordLeft => self.word_before(self.caret),
            Go::WordRight => self.word_after(self.caret),
            Go::Start => 0,
            Go::End => self.text.len(),
        };
        self.place(to, keep);
    }

    /// The word around a position, as a double click selects it.
    pub fn word_at(&self, at: usize) -> Range<usize> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let Some(first) = self.text[at..].chars().next().or_else(|| self.text[..at].chars().next_back())
        else {
            return at..at;
        };
        let alike =
            |c: char| c != '\n' && is_word(c) == is_word(first) && c.is_whitespace() == first.is_whitespace();
        let start =
            at - self.text[..at].chars().rev().take_while(|c| alike(*c)).map(char::len_utf8).sum::<usize>();
        let end = at + self.text[at..].chars().take_while(|c| alike(*c)).map(char::len_utf8).sum::<usize>();
        start..end
    }

    /// The line around a position, without its line break.
    pub fn line_at(&self, at: usize) -> Range<usize> {
        let start = self.text[..at].rfind('\n').map_or(0, |i| i + 1);
        let end = self.text[at..].find('\n').map_or(self.text.len(), |i| at + i);
        start..end
    }

    pub const fn select(&mut self, range: Range<usize>) {
        self.anchor = range.start;
        self.caret = range.end;
        self.typing = false;
    }

    fn before(&self, at: usize) -> usize {
        self.text[..at].chars().next_back().map_or(0, |c| at - c.len_utf8())
    }

    fn after(&self, at: usize) -> usize {
        self.text[at..].chars().next().map_or(at, |c| at + c.len_utf8())
    }

    fn word_before(&self, at: usize) -> usize {
        let spaces = self.text[..at].trim_end();
        let word = spaces.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
        if word.len() == spaces.len() { self.before(spaces.len()) } else { word.len() }
    }

    fn word_after(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let word = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        let word = if word.len() == rest.len() { &self.text[self.after(at)..] } else { word };
        self.text.len() - word.trim_start_matches(' ').len()
    }

    fn remember(&mut self, typing: bool) {
        if !(typing && self.typing) {
            self.undo.push((self.text.clone(), self.caret));
            if self.undo.len() > MOST_UNDO {
                self.undo.remove(0);
            }
        }
        self.redo.clear();
        self.typing = typing;
    }

    /// Puts `with` in place of the selection.
    pub fn insert(&mut self, with: &str) {
        let typing = with.chars().count() == 1 && self.selection().is_empty();
        self.remember(typing);
        let selection = self.selection();
        let caret = selection.start + with.len();
        self.text.replace_range(selection, with);
        (self.caret, self.anchor) = (caret, caret);
    }

    /// Removes the selection, or what lies between the caret and where `go` leads.
    pub fn delete(&mut self, go: Go) -> bool {
        if self.selection().is_empty() {
            self.go(go, true);
        }
        if self.selection().is_empty() {
            return false;
        }
        let typing = self.typing;
        self.insert("");
        self.typing = typing;
        true
    }

    /// Takes the last step back.
    pub fn undo(&mut self) -> bool {
        let Some((text, caret)) = self.undo.pop() else { return false };
        self.redo.push((std::mem::replace(&mut self.text, text), self.caret));
        self.place(caret.min(self.text.len()), false);
        true
    }

    pub fn redo(&mut self) -> bool {
        let Some((text, caret)) = self.redo.pop() else { return false };
        self.undo.push((std::mem::replace(&mut self.text, text), self.caret));
        self.place(caret.min(self.text.len()), false);
        true
    }
}

/// Which of `rows` a position lies in. At the end of one that is broken inside a line it belongs to the next.
pub fn row_of(rows: &[Range<usize>], at: usize) -> usize {
    rows.iter().rposition(|row| row.start <= at).unwrap_or(0)
}
