//! What the calls of a reply come to, one step after the other.
//!
//! The grammars of models share a handful of habits that no single [`Action`] has: a drag from wherever the pointer is, keys that
//! are pressed in one call and let go in a later one, text that is typed over what was there, a finger that swipes. They are turned
//! into actions here, so that every dialect means the same by them. Nothing may stay held after a reply, nothing follows its end,
//! and what a desktop cannot do is refused in words.

use super::hands::{self, LONGEST_S};
use super::point::Points;
use super::reject::{Fits, Misfit, short};
use handsight_base::flow::action::{Action, Button, ScrollBy, Spot};
use handsight_base::flow::intent::{Intent, Look};
use handsight_base::key::{Chord, Key, Modifiers};
use handsight_base::port::dialect::{Decoded, Planned};
use handsight_base::space::PictureGeometry;
use serde_json::Value;

/// Notes of one reply; more say nothing new.
const MOST_NOTES: usize = 20;
/// Steps of one reply.
const MOST_STEPS: usize = 64;
/// How long a finger rests on what it presses long.
const LONG_PRESS_SECONDS: f64 = 1.0;
/// How far a model scrolls that says only which way: as far as UI-TARS' own operators turn the wheel (`pyautogui.scroll(5)` in
/// `ui_tars/action_parser.py`).
pub(super) const SOME_NOTCHES: i32 = 5;

pub(super) struct Steps<'a> {
    points: Points,
    picture: &'a PictureGeometry,
    /// Which call of the reply is being read.
    call: usize,
    steps: Vec<Planned>,
    notes: Vec<String>,
    /// Where the plan has put the pointer.
    pointer: Option<Spot>,
    held: Vec<Held>,
    ended: bool,
}

/// A key that a call pressed and none has let go yet.
struct Held {
    key: Key,
    /// Something was done while it was down.
    used: bool,
}

impl<'a> Steps<'a> {
    pub(super) fn new(points: Points, picture: &'a PictureGeometry) -> Self {
        Self {
            points,
            picture,
            call: 0,
            steps: Vec::new(),
            notes: Vec::new(),
            pointer: None,
            held: Vec::new(),
            ended: false,
        }
    }

    /// What follows comes from this call of the reply.
    pub(super) fn of_call(&mut self, call: usize) {
        self.call = call;
    }

    pub(super) fn note(&mut self, words: impl Into<String>) {
        if self.notes.len() < MOST_NOTES {
            self.notes.push(words.into());
        }
    }

    /// `[x, y]`.
    pub(super) fn spot(&self, value: &Value) -> Fits<Spot> {
        self.points.of_value(value, self.picture)
    }

    /// The same by its two numbers.
    pub(super) fn spot_of(&self, x: f64, y: f64) -> Fits<Spot> {
        self.points.spot(x, y, self.picture)
    }

    /// Shares of the picture, 0 to 1, whatever the space of the dialect is.
    pub(super) fn share(&self, x: f64, y: f64) -> Fits<Spot> {
        Points { rounding: self.points.rounding, ..Points::NORM1 }.spot(x, y, self.picture)
    }

    /// A point of two numbers, or the middle of a box of four.
    pub(super) fn spot_or_box(&self, numbers: &[f64]) -> Fits<Spot> {
        match *numbers {
            [x, y] => self.points.spot(x, y, self.picture),
            [a, b, c, d] => self.points.middle([a, b, c, d], self.picture),
            _ => Err(Misfit::wrong_type(format!("{} numbers are no point: give two", numbers.len()))),
        }
    }

    fn step(&mut self, intent: Intent) -> Fits<()> {
        if self.ended {
            return Err(Misfit::malformed(
                "a call stands after the one that ends the task: give one of them",
            ));
        }
        if self.steps.len() >= MOST_STEPS {
            return Err(Misfit::out_of_range(format!("there are more than {MOST_STEPS} steps in it")));
        }
        self.steps.push(Planned { call: self.call, intent });
        Ok(())
    }

    pub(super) fn act(&mut self, action: Action) -> Fits<()> {
        let action = if self.held.is_empty() { action } else { self.while_held(action)? };
        if let Some(to) = action.spots().last() {
            self.pointer = Some(*to);
        }
        self.step(Intent::Act(action))
    }

    /// The action as it is while keys are down.
    fn while_held(&mut self, action: Action) -> Fits<Action> {
        if matches!(action, Action::Move { .. }) {
            return Ok(action);
        }
        let names = self.held.iter().map(|h| h.key.to_string()).collect::<Vec<_>>().join("+");
        let clash = |what: &str| {
            Misfit::out_of_range(format!("`{}` cannot be done while {names} is held down", short(what)))
        };
        let mut modifiers = Modifiers::NONE;
        let only_modifiers = self.held.iter().all(|h| modifiers.add(h.key));
        let with = |given: Modifiers| Modifiers {
            control: given.control || modifiers.control,
            alt: given.alt || modifiers.alt,
            shift: given.shift || modifiers.shift,
            super_: given.super_ || modifiers.super_,
        };
        let keys = || self.held.iter().map(|h| h.key);
        let action = match action {
            Action::Click { at, button, count, modifiers } if only_modifiers => {
                Action::Click { at, button, count, modifiers: with(modifiers) }
            }
            Action::Drag { path, button, modifiers } if only_modifiers => {
                Action::Drag { path, button, modifiers: with(modifiers) }
            }
            Action::Scroll { at, by, modifiers } if only_modifiers => {
                Action::Scroll { at, by, modifiers: with(modifiers) }
            }
            Action::Key { chord, repeat } => Action::Key { chord: chord_of(keys().chain(chord.0))?, repeat },
            Action::Wait { millis } => Action::HoldKey { chord: chord_of(keys())?, millis },
            other => return Err(clash(other.name())),
        };
        self.held.iter_mut().for_each(|h| h.used = true);
        Ok(action)
    }

    pub(super) fn click(&mut self, at: Option<Spot>, button: Button, count: u8) -> Fits<()> {
        self.click_with(at, button, count, Modifiers::NONE)
    }

    pub(super) fn click_with(
        &mut self,
        at: Option<Spot>,
        button: Button,
        count: u8,
        modifiers: Modifiers,
    ) -> Fits<()> {
        self.act(Action::Click { at, button, count, modifiers })
    }

    pub(super) fn go(&mut self, to: Spot) -> Fits<()> {
        self.act(Action::Move { to })
    }

    pub(super) fn drag(&mut self, from: Spot, to: Spot, button: Button) -> Fits<()> {
        self.act(Action::Drag { path: vec![from, to], button, modifiers: Modifiers::NONE })
    }

    /// A drag that begins wherever the pointer is.
    pub(super) fn drag_to(&mut self, to: Spot, button: Button) -> Fits<()> {
        if let Some(from) = self.pointer {
            return self.drag(from, to, button);
        }
        self.act(Action::Down { at: None, button })?;
        self.act(Action::Move { to })?;
        self.act(Action::Up { at: Some(to), button })
    }

    pub(super) fn scroll(&mut self, at: Option<Spot>, by: ScrollBy) -> Fits<()> {
        self.act(Action::Scroll { at, by, modifiers: Modifiers::NONE })
    }

    /// So many notches in a direction of [`hands::DIRECTIONS`].
    pub(super) fn turn(&mut self, at: Option<Spot>, (dx, dy): (i32, i32), notches: i32) -> Fits<()> {
        self.act(hands::notches(at, dx * notches, dy * notches))
    }

    /// A finger goes from one place to another and takes what is under it along.
    pub(super) fn swipe(&mut self, from: Spot, to: Spot) -> Fits<()> {
        let (dx, dy) = (from.point.x.saturating_sub(to.point.x), to.point.y.saturating_sub(from.point.y));
        if (dx, dy) == (0, 0) {
            return Err(Misfit::out_of_range("a swipe needs two different places"));
        }
        self.scroll(Some(from), ScrollBy::Pixels { dx, dy })
    }

    /// The button stays down for a while.
    pub(super) fn long_press(&mut self, at: Spot, seconds: Option<f64>) -> Fits<()> {
        self.act(Action::Down { at: Some(at), button: Button::Left })?;
        self.wait(seconds.unwrap_or(LONG_PRESS_SECONDS))?;
        self.act(Action::Up { at: Some(at), button: Button::Left })
    }

    pub(super) fn type_text(&mut self, text: impl Into<String>) -> Fits<()> {
        let text = text.into();
        if text.is_empty() {
            return Err(Misfit::out_of_range("the text to type is empty"));
        }
        self.act(hands::typed(text)?)
    }

    /// What is in the field gives way to the text, which may be empty.
    pub(super) fn replace_text(&mut self, text: String) -> Fits<()> {
        self.keys("ctrl+a")?;
        if text.is_empty() { self.keys("Delete") } else { self.type_text(text) }
    }

    /// One chord, in any spelling.
    pub(super) fn keys(&mut self, chord: &str) -> Fits<()> {
        self.keys_of([chord])
    }

    pub(super) fn keys_of<'k>(&mut self, names: impl IntoIterator<Item = &'k str>) -> Fits<()> {
        self.key(hands::chord_of(names)?, 1)
    }

    /// `repeat` is 1 to 100.
    pub(super) fn key(&mut self, chord: Chord, repeat: u16) -> Fits<()> {
        self.act(Action::Key { chord, repeat })
    }

    /// A key goes down and stays down until a later call of the same reply.
    pub(super) fn hold(&mut self, name: &str) -> Fits<()> {
        let key = one_key(name)?;
        if self.held.iter().any(|h| h.key == key) {
            return Err(Misfit::malformed(format!("{key} is pressed twice and let go nowhere between")));
        }
        self.held.push(Held { key, used: false });
        Ok(())
    }

    /// Pressed and let go with nothing between is pressed once.
    pub(super) fn release(&mut self, name: &str) -> Fits<()> {
        let key = one_key(name)?;
        let Some(at) = self.held.iter().position(|h| h.key == key) else {
            self.note(format!("{key} was let go, but nothing held it"));
            return Ok(());
        };
        let held = self.held.remove(at);
        if held.used { Ok(()) } else { self.key(Chord(vec![key]), 1) }
    }

    pub(super) fn wait(&mut self, seconds: f64) -> Fits<()> {
        self.act(Action::Wait { millis: hands::millis(seconds, LONGEST_S)? })
    }

    pub(super) fn launch(&mut self, program: String) -> Fits<()> {
        if program.trim().is_empty() {
            return Err(Misfit::out_of_range("the name of the program is empty"));
        }
        self.act(Action::Launch { argv: vec![program] })
    }

    /// Opens an address in the browser that has the focus, through its address bar.
    pub(super) fn visit(&mut self, address: &str) -> Fits<()> {
        let address = address.trim();
        if address.is_empty() || address.contains(|c: char| c.is_whitespace() || c.is_control()) {
            let words = format!("{:?} is no address: give one like https://example.org", short(address));
            return Err(Misfit::out_of_range(words));
        }
        let whole = ["https://", "http://", "file://", "about:"].iter().any(|s| address.starts_with(s));
        self.keys("ctrl+l")?;
        self.type_text(format!("{}{address}\n", if whole { "" } else { "https://" }))
    }

    /// Back to the page before, as browsers and file managers have it.
    pub(super) fn back(&mut self) -> Fits<()> {
        self.keys("alt+Left")
    }

    /// The desktop, with all windows out of the way.
    pub(super) fn home(&mut self) -> Fits<()> {
        self.keys("super+d")
    }

    pub(super) fn look(&mut self) -> Fits<()> {
        self.step(Intent::Look(Look::Screenshot))
    }

    pub(super) fn ask(&mut self, question: impl Into<String>) -> Fits<()> {
        self.step(Intent::Ask { question: question.into() })?;
        self.ended = true;
        Ok(())
    }

    pub(super) fn done(&mut self, statement: impl Into<String>) -> Fits<()> {
        if self.ended && matches!(self.steps.last(), Some(Planned { intent: Intent::Done { .. }, .. })) {
            // An answer, and then the word that all is done.
            self.note("the task was ended twice");
            return Ok(());
        }
        self.step(Intent::Done { statement: statement.into() })?;
        self.ended = true;
        Ok(())
    }

    /// The words of a task's end, where the call that ended it has none.
    pub(super) fn done_saying(&mut self, words: &str) {
        match self.steps.last_mut().map(|planned| &mut planned.intent) {
            Some(Intent::Done { statement }) if statement.is_empty() => words.clone_into(statement),
            _ => {}
        }
    }

    /// A task given up is a question for the person, never one that is done.
    pub(super) fn give_up(&mut self, why: &str) -> Fits<()> {
        let why = why.trim();
        let rest = if why.is_empty() { String::new() } else { format!(": {why}") };
        self.ask(format!("The model says that this task cannot be done{rest}"))
    }

    /// The reply understood. At least one thing has to come of it.
    pub(super) fn end(mut self, reason: impl Into<String>) -> Fits<Decoded> {
        while let Some(held) = self.held.pop() {
            if held.used {
                self.note(format!("{} was let go at the end of the reply", held.key));
                continue;
            }
            let words = format!(
                "{} would stay held after the reply: press it, act and let it go in one reply",
                held.key
            );
            return Err(Misfit::malformed(words).of_call(self.call));
        }
        if self.steps.is_empty() {
            return Err(Misfit::no_call("there is no action in it"));
        }
        Ok(Decoded { plan: self.steps, reason: reason.into(), notes: self.notes, ..Decoded::default() })
    }
}

impl Misfit {
    /// The same with the name of the call before it, unless it stands there already.
    #[must_use]
    pub(super) fn named(self, call: &str) -> Self {
        if self.words.starts_with(&format!("{}: ", short(call))) { self } else { self.within(call) }
    }
}

fn one_key(name: &str) -> Fits<Key> {
    let mut chord = hands::chord(name)?.0;
    match (chord.pop(), chord.is_empty()) {
        (Some(key), true) => Ok(key),
        _ => Err(Misfit::out_of_range(format!("{:?} are several keys: press one at a time", short(name)))),
    }
}

fn chord_of(keys: impl Iterator<Item = Key>) -> Fits<Chord> {
    let names: Vec<String> = keys.map(|k| k.to_string()).collect();
    hands::chord_of(names.iter().map(String::as_str))
}

/// A line break written as the two characters `\n` at the end of a text means one.
pub(super) fn submitted(text: String) -> String {
    match text.strip_suffix("\\n") {
        Some(before) if !before.ends_with('\\') => format!("{before}\n"),
        _ => text,
    }
}

#[cfg(test)]
mod tests;
