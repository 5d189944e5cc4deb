//! The policy of a run: the rules its gate asks, and the only place a gate is built.
//!
//! It is made once, at the start, of a profile: of what files, the environment and flags say. Rules cannot be changed afterwards, and
//! there is no function from a text to a rule but the reading of those: nothing that stands on a screen, in a title, on a clipboard, in a
//! memory or in a tool's answer gets here. Rules only object; `docs/policy.md` says what each holds.

mod budget;
pub mod case;
mod chords;
mod consequences;
mod hosts;
mod launch;
mod past;
mod programs;
mod regions;
mod stop_chord;
mod windows;

use crate::profile::Profile;
use handsight_base::gate::{Gate, Rule};
use handsight_base::key::KeyError;

pub(crate) use hosts::is_host;
pub(crate) use past::Past;

/// One rule, for help and documents.
#[derive(Debug, Clone, Copy)]
pub struct RuleInfo {
    pub name: &'static str,
    /// What it holds, in one line.
    pub about: &'static str,
    /// The settings that change it.
    pub settings: &'static [&'static str],
}

/// Every rule, in the order they are asked. Help, documents and tests iterate over this.
pub const RULES: &[RuleInfo] = &[
    RuleInfo {
        name: "stop-chord",
        about: "the person's stop chord is pressed by nobody else",
        settings: &["desktop.stop_chord"],
    },
    RuleInfo {
        name: "chords",
        about: "denied chords are not pressed, at once or one key after the other",
        settings: &["policy.chords_denied", "policy.launch"],
    },
    RuleInfo {
        name: "launch",
        about: "only named programs are started, and none that runs what its arguments say",
        settings: &["policy.launch"],
    },
    RuleInfo {
        name: "hosts",
        about: "a started program gets addresses of named hosts only",
        settings: &["policy.hosts"],
    },
    RuleInfo {
        name: "windows",
        about: "input goes to named windows only, and to none that is denied",
        settings: &["policy.windows", "policy.windows_denied"],
    },
    RuleInfo {
        name: "regions",
        about: "the pointer stays in named parts of the screen, and out of denied ones",
        settings: &["policy.regions", "policy.regions_denied"],
    },
    RuleInfo {
        name: "budget",
        about: "so many actions and launches, and no more",
        settings: &["policy.max_actions", "policy.max_actions_per_minute", "policy.max_launches"],
    },
    RuleInfo {
        name: "on.launch",
        about: "starting a program: allow, ask or deny",
        settings: &["policy.on.launch"],
    },
    RuleInfo { name: "on.paste", about: "pasting: allow, ask or deny", settings: &["policy.on.paste"] },
    RuleInfo {
        name: "on.close",
        about: "chords that close, quit or delete for good: allow, ask or deny",
        settings: &["policy.on.close"],
    },
    RuleInfo {
        name: "on.terminal",
        about: "sending a line to a terminal: allow, ask or deny",
        settings: &["policy.on.terminal", "policy.terminals"],
    },
    RuleInfo {
        name: "on.guarded",
        about: "input to guarded windows and regions: allow, ask or deny",
        settings: &["policy.on.guarded", "policy.guarded_windows", "policy.guarded_regions"],
    },
];

/// The gate of a run, or of a command that works by hand: the person's policy either way.
pub fn gate(profile: &Profile) -> Result<Gate, KeyError> {
    let policy = &profile.policy;
    let mut rules: Vec<Box<dyn Rule>> = vec![
        Box::new(stop_chord::StopChord::new(profile.desktop.stop_chord.parse()?)),
        Box::new(chords::Chords::of(policy)?),
        Box::new(launch::Launches::of(policy)),
        Box::new(hosts::Hosts::of(policy)),
        Box::new(windows::Windows::of(policy)),
        Box::new(regions::Regions::of(policy)),
        Box::new(budget::Budget::of(policy)),
    ];
    for rule in consequences::all(policy) {
        rules.push(Box::new(rule));
    }
    Ok(Gate::new(rules))
}

#[cfg(test)]
mod tests;
