//! What a policy has to know of what was done: keys that may still count as pressed, actions and launches for budgets, refusals in a row.
//!
//! No action leaves a key down. Keys latch all the same where the system is set to that (Sticky Keys): a modifier that is pressed alone is
//! held for the next key. So whatever modifiers were pressed alone, in this reply or an earlier one, belong to the next chord.

use super::chords::sides_alike;
use handsight_base::flow::action::Action;
use handsight_base::gate::Done;
use handsight_base::key::Key;
use std::collections::VecDeque;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Default)]
pub(crate) struct Past {
    held: Vec<Key>,
    actions: u64,
    launches: u64,
    /// When the actions of the last minute were.
    times: VecDeque<Duration>,
    /// Turns in a row whose actions were refused.
    pub(crate) refusals: u32,
}

impl Past {
    /// With what the runs did that this one goes on from.
    pub(crate) const fn go_on_after(&mut self, actions: u64, launches: u64) {
        self.actions = actions;
        self.launches = launches;
    }

    pub(crate) fn held(&self) -> &[Key] {
        &self.held
    }

    pub(crate) fn done(&self, now: Duration) -> Done {
        let last_minute = self.times.iter().filter(|at| now.saturating_sub(**at) < MINUTE).count() as u64;
        Done { actions: self.actions, launches: self.launches, last_minute }
    }

    /// An action that was done, or may have been.
    pub(crate) fn after(&mut self, action: &Action, now: Duration) {
        if !matches!(action, Action::Wait { .. }) {
            self.actions += 1;
            self.times.retain(|at| now.saturating_sub(*at) < MINUTE);
            self.times.push_back(now);
        }
        match action {
            Action::Key { chord, .. } | Action::HoldKey { chord, .. } => self.pressed(&chord.0),
            Action::Type { text, .. } if !text.is_empty() => self.held.clear(),
            Action::Launch { .. } => self.launches += 1,
            Action::Click { .. }
            | Action::Move { .. }
            | Action::Down { .. }
            | Action::Up { .. }
            | Action::Drag { .. }
            | Action::Scroll { .. }
            | Action::Type { .. }
            | Action::Paste { .. }
            | Action::Wait { .. }
            | Action::FocusWindow { .. } => {}
        }
    }

    pub(super) fn pressed(&mut self, keys: &[Key]) {
        if !keys.iter().all(|key| key.is_modifier()) {
            self.held.clear();
            return;
        }
        for key in sides_alike(keys.iter().copied()) {
            if !self.held.contains(&key) {
                self.held.push(key);
            }
        }
    }
}
