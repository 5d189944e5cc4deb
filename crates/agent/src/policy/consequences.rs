//! Actions whose consequences outlast them: each kind is allowed, put to a person, or denied.
//!
//! What cannot be told for want of windows counts as the kind it might be.

use super::chords::{presses, sides_alike};
use super::regions::{rects, way};
use super::windows::{Touched, means, touched};
use crate::profile::{Decree, Policy, WindowMatch};
use crate::target::topmost;
use handsight_base::flow::action::Action;
use handsight_base::gate::{Objection, Proposal, Rule, Scene};
use handsight_base::key::{Chord, Key, Named};
use handsight_base::space::ScreenRect;
use std::collections::BTreeSet;

/// One kind of action and what the person decreed for it.
pub(super) struct Consequence {
    name: &'static str,
    decree: Decree,
    kind: Kind,
}

enum Kind {
    Launch,
    Paste,
    Close(Vec<BTreeSet<Key>>),
    /// The classes of terminals, in lower case.
    Terminal(Vec<String>),
    Guarded {
        windows: Vec<WindowMatch>,
        regions: Vec<ScreenRect>,
    },
}

/// What closes a window or tab, quits, or deletes without a way back.
const CLOSING: &[&str] =
    &["alt+f4", "ctrl+f4", "ctrl+w", "ctrl+q", "super+w", "super+q", "shift+delete", "ctrl+delete"];
const PASTING: [&[Key]; 2] =
    [&[Key::Named(Named::Control), Key::Char('v')], &[Key::Named(Named::Shift), Key::Named(Named::Insert)]];
const SENDING: [&[Key]; 3] = [
    &[Key::Named(Named::Enter)],
    &[Key::Named(Named::Control), Key::Char('m')],
    &[Key::Named(Named::Control), Key::Char('j')],
];

/// One rule a kind, in the order of `[policy.on]`.
pub(super) fn all(policy: &Policy) -> [Consequence; 5] {
    let on = policy.on;
    let closing = CLOSING.iter().filter_map(|c| c.parse::<Chord>().ok());
    let guarded =
        Kind::Guarded { windows: policy.guarded_windows.clone(), regions: rects(&policy.guarded_regions) };
    let terminals = policy.terminals.iter().map(|t| t.to_lowercase()).collect();
    [
        Consequence { name: "on.launch", decree: on.launch, kind: Kind::Launch },
        Consequence { name: "on.paste", decree: on.paste, kind: Kind::Paste },
        Consequence {
            name: "on.close",
            decree: on.close,
            kind: Kind::Close(closing.map(|c| sides_alike(c.0)).collect()),
        },
        Consequence { name: "on.terminal", decree: on.terminal, kind: Kind::Terminal(terminals) },
        Consequence { name: "on.guarded", decree: on.guarded, kind: guarded },
    ]
}

impl Rule for Consequence {
    fn name(&self) -> &'static str {
        self.name
    }

    fn looks_at_windows(&self) -> bool {
        self.decree != Decree::Allow
            && match &self.kind {
                Kind::Launch | Kind::Paste | Kind::Close(_) => false,
                Kind::Terminal(_) => true,
                Kind::Guarded { windows, regions } => !windows.is_empty() || !regions.is_empty(),
            }
    }

    fn check(&self, proposal: Proposal<'_>, scene: &Scene<'_>) -> Result<(), Objection> {
        let Proposal::Action(action) = proposal else { return Ok(()) };
        let Some(what) = (self.decree != Decree::Allow).then(|| self.kind.holds(action, scene)).flatten()
        else {
            return Ok(());
        };
        match self.decree {
            Decree::Allow => Ok(()),
            Decree::Ask => Err(Objection::Ask(what)),
            Decree::Deny => Err(Objection::Refused(format!("{what}, which is denied"))),
        }
    }
}

impl Kind {
    /// What the action would do, if it is of this kind.
    fn holds(&self, action: &Action, scene: &Scene<'_>) -> Option<String> {
        let pressed = presses(Proposal::Action(action), scene);
        let presses_one = |chords: &[&[Key]]| {
            let holds =
                |pressed: &BTreeSet<Key>| chords.iter().any(|c| c.iter().all(|k| pressed.contains(k)));
            matches!(action, Action::Key { .. } | Action::HoldKey { .. } | Action::Type { .. })
                && pressed.iter().any(holds)
        };
        match self {
            Self::Launch => match action {
                Action::Launch { argv } => Some(format!("it starts {argv:?}")),
                _ => None,
            },
            Self::Paste => {
                let pastes = matches!(action, Action::Paste { .. }) || presses_one(&PASTING);
                pastes.then(|| "it pastes".to_owned())
            }
            Self::Close(chords) => {
                let closes = pressed.iter().any(|pressed| chords.iter().any(|c| c.is_subset(pressed)));
                closes.then(|| "it closes, quits or deletes something".to_owned())
            }
            Self::Terminal(classes) => {
                let breaks = |text: &str| text.contains(['\n', '\r']);
                let sends = match action {
                    Action::Type { text, .. } => breaks(text) || presses_one(&SENDING),
                    Action::Paste { .. } => true,
                    Action::Key { .. } | Action::HoldKey { .. } => {
                        presses_one(&SENDING) || presses_one(&PASTING)
                    }
                    Action::Click { .. }
                    | Action::Move { .. }
                    | Action::Down { .. }
                    | Action::Up { .. }
                    | Action::Drag { .. }
                    | Action::Scroll { .. }
                    | Action::Wait { .. }
                    | Action::Launch { .. }
                    | Action::FocusWindow { .. } => false,
                };
                let focused = scene.windows.map(|windows| windows.iter().find(|w| w.focused));
                let terminal = match focused {
                    // Which window it is cannot be told.
                    None | Some(None) => true,
                    Some(Some(w)) => w.class.iter().any(|c| classes.contains(&c.to_lowercase())),
                };
                (sends && terminal).then(|| "it sends a line to a terminal".to_owned())
            }
            Self::Guarded { windows, regions } => guarded(windows, regions, action, scene),
        }
    }
}

fn guarded(
    windows: &[WindowMatch],
    regions: &[ScreenRect],
    action: &Action,
    scene: &Scene<'_>,
) -> Option<String> {
    if windows.is_empty() && regions.is_empty() {
        return None;
    }
    let unknown = || Some("it may reach what is guarded: the windows cannot be told here".to_owned());
    let fits = |w| windows.iter().any(|m| m.fits(w));
    match touched(action, scene) {
        Touched::Nothing => None,
        Touched::Somewhere => unknown(),
        Touched::Points(points) => {
            let all = if matches!(action, Action::Drag { .. }) { way(&points) } else { points };
            if all.iter().any(|at| regions.iter().any(|r| r.contains(*at))) {
                return Some("it touches a guarded part of the screen".to_owned());
            }
            match scene.windows {
                _ if windows.is_empty() => None,
                None => unknown(),
                Some(there) => {
                    let hit = all.iter().any(|at| topmost(there, *at).is_some_and(fits));
                    hit.then(|| "it touches a guarded window".to_owned())
                }
            }
        }
        Touched::Focus | Touched::Query(_) if windows.is_empty() => None,
        Touched::Focus => match scene.windows.map(|w| w.iter().find(|w| w.focused)) {
            None | Some(None) => unknown(),
            Some(Some(w)) => fits(w).then(|| "it goes to a guarded window".to_owned()),
        },
        Touched::Query(query) => match scene.windows {
            None => unknown(),
            Some(there) => {
                let hit = there.iter().any(|w| means(query, w) && fits(w));
                hit.then(|| "it brings a guarded window to the front".to_owned())
            }
        },
    }
}
