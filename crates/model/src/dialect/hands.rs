//! Parts of actions that every dialect reads the same way: keys, held modifiers, texts to type, times, wheels.

use super::reject::{Fits, Misfit};
use handsight_base::flow::action::{Action, Button, ScrollBy, Spot};
use handsight_base::flow::intent::Intent;
use handsight_base::key::{Chord, Key, Modifiers};

/// Longest wait or hold that a dialect may ask for, in seconds, unless its vendor says less.
pub(super) const LONGEST_S: f64 = 300.0;
/// Most notches of one scroll: beyond that it is a slip of the pen.
pub(super) const NOTCHES: i64 = 100;
/// Most pixels of one scroll.
pub(super) const PIXELS: i64 = 20_000;

/// Keys pressed together, by any of their names: `ctrl+s`, `ctrl s`, `Return`.
pub(super) fn chord(text: &str) -> Fits<Chord> {
    text.parse().map_err(|e: handsight_base::key::KeyError| Misfit::out_of_range(e.to_string()))
}

/// Keys pressed together, each by a name of its own.
pub(super) fn chord_of<'a>(names: impl IntoIterator<Item = &'a str>) -> Fits<Chord> {
    Chord::from_names(names).map_err(|e| Misfit::out_of_range(e.to_string()))
}

/// Modifiers held around something: `ctrl+shift`. Any other key is refused.
pub(super) fn modifiers(text: &str) -> Fits<Modifiers> {
    held(&chord(text)?)
}

/// The same of a list of names; an empty list holds nothing.
pub(super) fn modifiers_of<'a>(names: impl IntoIterator<Item = &'a str>) -> Fits<Modifiers> {
    let names: Vec<&str> = names.into_iter().collect();
    if names.is_empty() { Ok(Modifiers::NONE) } else { held(&chord_of(names)?) }
}

fn held(chord: &Chord) -> Fits<Modifiers> {
    let mut modifiers = Modifiers::NONE;
    for key in &chord.0 {
        if !modifiers.add(*key) {
            return Err(Misfit::out_of_range(format!(
                "{key} is no modifier: hold ctrl, alt, shift or super"
            )));
        }
    }
    Ok(modifiers)
}

/// A text to type. Of the control characters only line breaks and tabs are keys.
pub(super) fn typed(text: String) -> Fits<Action> {
    typable(&text)?;
    Ok(Action::typed(text))
}

/// Whether every character of a text is one that keys can type.
pub(super) fn typable(text: &str) -> Fits<()> {
    match text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        Some(c) => {
            Err(Misfit::out_of_range(format!("the text holds the control character U+{:04X}", u32::from(c))))
        }
        None => Ok(()),
    }
}

/// Seconds as milliseconds, from 0 to `most`.
pub(super) fn millis(seconds: f64, most: f64) -> Fits<u64> {
    if (0.0..=most).contains(&seconds) {
        return Ok((seconds * 1e3).round() as u64);
    }
    Err(Misfit::out_of_range(format!("{seconds} seconds: it goes from 0 to {most}")))
}

pub(super) const fn click(at: Option<Spot>, button: Button, count: u8) -> Action {
    Action::Click { at, button, count, modifiers: Modifiers::NONE }
}

pub(super) fn drag(from: Spot, to: Spot) -> Action {
    Action::Drag { path: vec![from, to], button: Button::Left, modifiers: Modifiers::NONE }
}

pub(super) const fn key(chord: Chord) -> Action {
    Action::Key { chord, repeat: 1 }
}

/// One key by name, for grammars with a verb of their own for it.
pub(super) fn named(key: handsight_base::key::Named) -> Action {
    self::key(Chord(vec![Key::Named(key)]))
}

pub(super) const fn notches(at: Option<Spot>, dx: i32, dy: i32) -> Action {
    Action::Scroll { at, by: ScrollBy::Notches { dx, dy }, modifiers: Modifiers::NONE }
}

/// `up`, `down`, `left`, `right`, with the sign that [`ScrollBy`] gives them: x, y.
pub(super) const DIRECTIONS: &[(&str, (i32, i32))] =
    &[("up", (0, 1)), ("down", (0, -1)), ("left", (-1, 0)), ("right", (1, 0))];

pub(super) const BUTTONS: &[(&str, Button)] =
    &[("left", Button::Left), ("right", Button::Right), ("middle", Button::Middle)];

pub(super) const fn act(action: Action) -> Intent {
    Intent::Act(action)
}
