//! The stop chord belongs to the person: no model presses it, whether to end the run or to hide that it was pressed.

use super::chords::{presses, sides_alike};
use handsight_base::gate::{Objection, Proposal, Rule, Scene};
use handsight_base::key::Chord;

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

    fn check(&self, proposal: Proposal<'_>, scene: &Scene<'_>) -> Result<(), Objection> {
        let stop = sides_alike(self.chord.0.iter().copied());
        if presses(proposal, scene).iter().any(|pressed| stop.is_subset(pressed)) {
            let words = format!("{} is the person's stop chord; it cannot be pressed for them", self.chord);
            return Err(words.into());
        }
        Ok(())
    }
}
