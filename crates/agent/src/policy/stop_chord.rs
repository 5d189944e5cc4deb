//! The stop chord belongs to the person: no model presses it, whether to end the run or to hide that it was pressed.

use handsight_base::flow::action::Action;
use handsight_base::gate::{Proposal, Rule, Scene};
use handsight_base::key::{Chord, Key, Named};
use std::collections::BTreeSet;

pub(super) struct StopChord {
    chord: Chord,
}

impl StopChord {
    pub(super) const fn new(chord: Chord) -> Self {
        Self { chord }
    }
}

impl Rule for StopChord {
    fn name(&self) -> &'static str {
        "stop-chord"
    }

    fn check(&self, proposal: Proposal<'_>, _: &Scene<'_>) -> Result<(), String> {
        let Proposal::Action(Action::Key { chord, .. } | Action::HoldKey { chord, .. }) = proposal else {
            return Ok(());
        };
        let pressed = sides_alike(chord);
        if sides_alike(&self.chord).is_subset(&pressed) {
            return Err(format!("{} is the person's stop chord; it cannot be pressed for them", self.chord));
        }
        Ok(())
    }
}

/// The keys of a chord without left and right, and without case.
fn sides_alike(chord: &Chord) -> BTreeSet<Key> {
    let alike = |key: &Key| match key {
        Key::Named(Named::ControlRight) => Key::Named(Named::Control),
        Key::Named(Named::ShiftRight) => Key::Named(Named::Shift),
        Key::Named(Named::AltRight) => Key::Named(Named::Alt),
        Key::Named(Named::SuperRight) => Key::Named(Named::Super),
        Key::Char(c) => Key::Char(c.to_lowercase().next().unwrap_or(*c)),
        Key::Named(_) => *key,
    };
    chord.0.iter().map(alike).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::space::{FrameGeometry, FrameId, ScreenPx, Size};

    #[test]
    fn the_stop_chord_is_refused_in_every_form() {
        let gate = super::super::gate(&"ctrl+alt+pause".parse().unwrap());
        let geometry = FrameGeometry {
            frame: FrameId(1),
            size: Size::new(100, 100),
            origin: ScreenPx::new(0, 0),
            scale: 1.0,
        };
        let scene = Scene { geometry: &geometry, turn: 1 };
        let approved = |chord: &str, hold: bool| {
            let chord: Chord = chord.parse().unwrap();
            let action =
                if hold { Action::HoldKey { chord, millis: 5 } } else { Action::Key { chord, repeat: 1 } };
            gate.approve(action, &scene).is_ok()
        };
        for chord in ["ctrl+alt+pause", "alt+Control_R+Break", "shift+ctrl+alt+Pause"] {
            assert!(!approved(chord, false) && !approved(chord, true), "{chord}");
        }
        for chord in ["ctrl+pause", "ctrl+alt+t", "pause"] {
            assert!(approved(chord, false) && approved(chord, true), "{chord}");
        }
    }
}
