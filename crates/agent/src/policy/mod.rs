//! The policy of a run: the rules its gate asks, and the only place a gate is built.
//!
//! No text from a screen, a memory or a tool reaches this module. Rules only refuse.

mod stop_chord;

use handsight_base::gate::Gate;
use handsight_base::key::Chord;

/// The gate of a run: of the model, and of a person in `manual` and `window` alike.
pub fn gate(stop_chord: &Chord) -> Gate {
    Gate::new(vec![Box::new(stop_chord::StopChord::new(stop_chord.clone()))])
}
