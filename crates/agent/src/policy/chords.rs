//! Chords that are not pressed: those the policy denies, and where only some programs may be started, those that open a way to start any.
//!
//! A chord is refused with more keys beside it, on either side of the keyboard, in any case, and spread over several actions
//! ([`super::held`]).

use crate::profile::{Decree, Policy};
use handsight_base::flow::action::Action;
use handsight_base::gate::{Objection, Proposal, Rule, Scene};
use handsight_base::key::{Chord, Key, KeyError, Modifiers, Named};
use std::collections::BTreeSet;

pub(super) struct Chords {
    denied: Vec<(Chord, BTreeSet<Key>)>,
    /// Empty where every program may be started.
    launchers: Vec<(Chord, BTreeSet<Key>)>,
}

/// What opens a dialog, menu or terminal that starts whatever is typed or picked next.
const LAUNCHERS: &[&str] = &[
    "super+r",
    "super+x",
    "super+s",
    "super+q",
    "super+space",
    "super+enter",
    "super+t",
    "super+e",
    "super+i",
    "super+a",
    "super+p",
    "alt+f1",
    "alt+f2",
    "alt+space",
    "ctrl+escape",
    "ctrl+alt+t",
    "ctrl+shift+escape",
];

impl Chords {
    pub(super) fn of(policy: &Policy) -> Result<Self, KeyError> {
        let any = policy.launch.iter().any(|l| l == "*") && policy.on.launch == Decree::Allow;
        let launchers = if any { &[][..] } else { LAUNCHERS };
        Ok(Self {
            denied: read(policy.chords_denied.iter().map(String::as_str))?,
            launchers: read(launchers.iter().copied())?,
        })
    }
}

fn read<'a>(chords: impl Iterator<Item = &'a str>) -> Result<Vec<(Chord, BTreeSet<Key>)>, KeyError> {
    chords.map(|c| c.parse::<Chord>().map(|c| (c.clone(), sides_alike(c.0.iter().copied())))).collect()
}

impl Rule for Chords {
    fn name(&self) -> &'static str {
        "chords"
    }

    fn check(&self, proposal: Proposal<'_>, scene: &Scene<'_>) -> Result<(), Objection> {
        let spread = if scene.held.is_empty() { "" } else { ", in one go or one key after the other" };
        for pressed in presses(proposal, scene) {
            if let Some((chord, _)) = self.denied.iter().find(|(_, keys)| keys.is_subset(&pressed)) {
                return Err(format!("{chord} is not to be pressed{spread}").into());
            }
            if let Some((chord, _)) = self.launchers.iter().find(|(_, keys)| keys.is_subset(&pressed)) {
                let words = format!(
                    "{chord} opens a way to start any program{spread}, and only some may be started; use `launch`"
                );
                return Err(words.into());
            }
            // Super by itself is the start menu; with a digit, a program of the task bar.
            let mut beside = pressed.iter().filter(|key| **key != Key::Named(Named::Super));
            let alone =
                beside.all(|key| matches!(key, Key::Char(c) if c.is_ascii_digit()) || key.is_modifier());
            let keys = matches!(proposal, Proposal::Action(Action::Key { .. } | Action::HoldKey { .. }));
            if keys && !self.launchers.is_empty() && pressed.contains(&Key::Named(Named::Super)) && alone {
                let words =
                    "the Super key opens a menu that starts any program, and only some may be started";
                return Err(words.to_owned().into());
            }
        }
        Ok(())
    }
}

/// Every chord that an action would press, with what is held.
pub(super) fn presses(proposal: Proposal<'_>, scene: &Scene<'_>) -> Vec<BTreeSet<Key>> {
    let Proposal::Action(action) = proposal else { return Vec::new() };
    let with_held = |keys: Vec<Key>| sides_alike(keys.into_iter().chain(scene.held.iter().copied()));
    let with_modifiers = |m: &Modifiers| vec![with_held(m.keys().collect())];
    match action {
        Action::Key { chord, .. } | Action::HoldKey { chord, .. } => vec![with_held(chord.0.clone())],
        Action::Click { modifiers, .. }
        | Action::Drag { modifiers, .. }
        | Action::Scroll { modifiers, .. } => {
            if *modifiers == Modifiers::NONE {
                Vec::new()
            } else {
                with_modifiers(modifiers)
            }
        }
        // Nobody types a text behind Control or Alt; Super alone opens a menu that is typed into.
        Action::Type { text, .. }
            if scene.held.iter().any(|k| !is(*k, Named::Super) && !is(*k, Named::Shift)) =>
        {
            text.chars().map(|c| with_held(vec![typed(c)])).collect()
        }
        Action::Type { .. }
        | Action::Move { .. }
        | Action::Down { .. }
        | Action::Up { .. }
        | Action::Paste { .. }
        | Action::Wait { .. }
        | Action::Launch { .. }
        | Action::FocusWindow { .. } => Vec::new(),
    }
}

fn is(key: Key, named: Named) -> bool {
    key == Key::Named(named)
}

/// The key that types a character.
const fn typed(c: char) -> Key {
    match c {
        '\n' | '\r' => Key::Named(Named::Enter),
        '\t' => Key::Named(Named::Tab),
        ' ' => Key::Named(Named::Space),
        c => Key::Char(c),
    }
}

/// Keys without left and right, without case, and the keypad's as the others: several ways to press one thing.
pub(super) fn sides_alike(keys: impl IntoIterator<Item = Key>) -> BTreeSet<Key> {
    let alike = |key: Key| match key {
        Key::Named(Named::ControlRight) => Key::Named(Named::Control),
        Key::Named(Named::ShiftRight) => Key::Named(Named::Shift),
        Key::Named(Named::AltRight) => Key::Named(Named::Alt),
        Key::Named(Named::SuperRight) => Key::Named(Named::Super),
        Key::Named(Named::KeypadEnter) => Key::Named(Named::Enter),
        Key::Named(Named::KeypadDecimal) => Key::Named(Named::Delete),
        Key::Char(' ') => Key::Named(Named::Space),
        Key::Char('\u{7f}') => Key::Named(Named::Delete),
        Key::Char(c) => Key::Char(c.to_lowercase().next().unwrap_or(c)),
        Key::Named(_) => key,
    };
    keys.into_iter().map(alike).collect()
}
