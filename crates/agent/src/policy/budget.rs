//! Budgets: how many actions a run may take, in all and by the minute, and how many programs it may start.

use crate::profile::Policy;
use handsight_base::flow::action::Action;
use handsight_base::gate::{Objection, Proposal, Rule, Scene};

pub(super) struct Budget {
    actions: Option<u64>,
    a_minute: Option<u64>,
    launches: Option<u64>,
}

impl Budget {
    pub(super) const fn of(policy: &Policy) -> Self {
        Self {
            actions: policy.max_actions,
            a_minute: policy.max_actions_per_minute,
            launches: policy.max_launches,
        }
    }
}

impl Rule for Budget {
    fn name(&self) -> &'static str {
        "budget"
    }

    fn check(&self, proposal: Proposal<'_>, scene: &Scene<'_>) -> Result<(), Objection> {
        let Proposal::Action(action) = proposal else { return Ok(()) };
        let spent = |limit: Option<u64>, used: u64| limit.filter(|limit| used >= *limit);
        // A wait moves nothing.
        if !matches!(action, Action::Wait { .. }) {
            if let Some(limit) = spent(self.actions, scene.done.actions) {
                return Err(format!("the run may take {limit} actions, and has").into());
            }
            if let Some(limit) = spent(self.a_minute, scene.done.last_minute) {
                return Err(format!("{limit} actions a minute are allowed; wait before the next").into());
            }
        }
        if let (Action::Launch { .. }, Some(limit)) = (action, spent(self.launches, scene.done.launches)) {
            return Err(format!("the run may start {limit} programs, and has").into());
        }
        Ok(())
    }
}
