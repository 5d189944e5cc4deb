//! The policy of a run: the rules its gate asks, and the only place a gate is built.
//!
//! No text from a screen, a memory or a tool reaches this module. Rules only refuse.

mod launch;
mod stop_chord;

use handsight_base::gate::Gate;
use handsight_base::key::Chord;

/// The gate of a person in `manual` and `window`, and of whatever else asks for no program by name.
pub fn gate(stop_chord: &Chord) -> Gate {
    gate_of(stop_chord, &["*".to_owned()])
}

/// The gate of a run that may start these programs.
pub fn gate_of(stop_chord: &Chord, launch_allowed: &[String]) -> Gate {
    Gate::new(vec![
        Box::new(stop_chord::StopChord::new(stop_chord.clone())),
        Box::new(launch::Launches::new(launch_allowed)),
    ])
}
