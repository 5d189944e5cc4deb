//! Plans: the steps that a model wrote, told back to it and shown to whoever watches.
//!
//! [`Recent`] lists the newest steps of a run with what became of each; it stands beside the next picture. [`Plan`] is the one that is
//! carried out now, as the panel on the screen shows it. Both repeat the model's own words, shortened; neither decides anything.

use crate::profile::Profile;
use handsight_base::flow::decision::Worded;
use handsight_base::flow::receipt::{Deed, Outcome};
use handsight_base::flow::step::StepRecord;
use std::collections::VecDeque;

/// Characters of a line on the panel, the sign for what is left out included (D-54).
const PANEL: usize = 60;

/// In front of a step on the panel.
const DONE: char = '✓';
const FAILED: char = '✗';
const UNDER_WAY: char = '▶';
const WAITS: char = '·';

/// Characters of a justification in the list of steps.
const LISTED: usize = 200;

/// The newest steps, oldest first, a line each.
pub(crate) struct Recent {
    most: usize,
    lines: VecDeque<String>,
}

impl Recent {
    /// Lists so many at most; 0 lists none.
    pub(crate) const fn new(most: usize) -> Self {
        Self { most, lines: VecDeque::new() }
    }

    pub(crate) const fn is_listed(&self) -> bool {
        self.most > 0
    }

    /// Adds the steps of a turn that is over.
    pub(crate) fn add(&mut self, turn: &StepRecord) {
        let mut deeds = turn.deeds.iter();
        for step in &turn.steps {
            let own: Vec<&Deed> = deeds.by_ref().take(step.actions).collect();
            let why: String = step.why.chars().take(LISTED).collect();
            let line = format!("turn {}: {} - {}: {}", turn.turn, step.what, one_line(&why), became(&own));
            self.lines.push_back(line);
        }
        while self.lines.len() > self.most {
            self.lines.pop_front();
        }
    }

    /// The list under its heading; `None` before the first step.
    pub(crate) fn text(&self) -> Option<String> {
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        (!lines.is_empty()).then(|| format!("Steps so far, the newest last:\n{}", lines.join("\n")))
    }
}

/// A step is what the first of its actions is that was not done.
fn became(deeds: &[&Deed]) -> String {
    let other = deeds.iter().map(|deed| &deed.outcome).find(|o| !matches!(o, Outcome::Done { .. }));
    match other {
        None => "done".to_owned(),
        Some(Outcome::Refused { why } | Outcome::Failed { why, .. } | Outcome::Withheld { why }) => {
            format!("not done: {why}")
        }
        Some(Outcome::NotExecuted | Outcome::Done { .. }) => "not executed".to_owned(),
        Some(Outcome::Ambiguous) => "it may or may not have happened".to_owned(),
    }
}

/// The plan under way.
#[derive(Default)]
pub(crate) struct Plan {
    steps: Vec<Worded>,
    /// Of all steps together.
    actions: usize,
    /// Of its actions, in order: how many are over.
    over: usize,
    /// The step that failed, and with it the plan.
    failed: bool,
}

impl Plan {
    pub(crate) fn of(steps: Vec<Worded>) -> Self {
        let actions = steps.iter().map(|step| step.actions).sum();
        Self { steps, actions, over: 0, failed: false }
    }

    /// Whether the action with this index is the first of a step.
    pub(crate) fn begins_step(&self, action: usize) -> bool {
        let mut first = 0;
        self.steps.iter().any(|step| {
            let here = first == action && step.actions > 0;
            first += step.actions;
            here
        })
    }

    /// An action is over, and whether it was done.
    pub(crate) fn acted(&mut self, done: bool) {
        self.failed |= !done;
        if !self.failed {
            self.over += 1;
        }
    }

    /// What the person sees: the objective, what is being done, the steps with the one under way, and how to stop it.
    pub(crate) fn panel(&self, task: &str, turn: u64, profile: &Profile) -> String {
        let limit = profile.limits.max_turns.map(|most| format!(" of {most}")).unwrap_or_default();
        let mut lines = vec![shortened(task), format!("Turn {turn}{limit}: {}", self.state())];
        let mut first = 0;
        for step in &self.steps {
            let end = first + step.actions;
            let sign = if self.over >= end {
                DONE
            } else if self.over >= first && self.failed {
                FAILED
            } else if self.over >= first {
                UNDER_WAY
            } else {
                WAITS
            };
            lines.push(format!("{sign} {}", shortened(&step.why)));
            first = end;
        }
        lines.push(format!("To stop: {}", profile.desktop.stop_chord));
        lines.join("\n")
    }

    const fn state(&self) -> &'static str {
        if self.failed {
            "a step failed"
        } else if self.over < self.actions {
            "acting"
        } else {
            "looking and thinking"
        }
    }
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A text on one line of the panel. What is recorded keeps all of it.
fn shortened(text: &str) -> String {
    let line = one_line(text);
    if line.chars().count() <= PANEL {
        return line;
    }
    let mut short: String = line.chars().take(PANEL - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: D-54 UNIT
    #[test]
    fn sixty_characters_stay_and_sixty_one_are_fifty_nine_and_a_sign() {
        let text = |n: usize| "ä".repeat(n);
        assert_eq!(shortened(&text(60)), text(60));
        assert_eq!(shortened(&text(61)), text(59) + "…");
        assert_eq!(shortened("Open\nthe menu"), "Open the menu");
    }

    fn plan(actions: &[usize]) -> Plan {
        let step = |(n, actions): (usize, &usize)| Worded {
            what: format!("press {n}"),
            why: format!("Step {n}"),
            actions: *actions,
        };
        Plan::of(actions.iter().enumerate().map(step).collect())
    }

    fn signs(plan: &Plan) -> String {
        let panel = plan.panel("Write a note", 3, &Profile::resolve("assist", &[]).unwrap());
        let lines: Vec<&str> = panel.lines().collect();
        assert_eq!(lines[0], "Write a note");
        assert!(lines[1].starts_with("Turn 3 of 12: "), "{panel}");
        assert_eq!(lines.last(), Some(&"To stop: ctrl+alt+pause"));
        lines[2..lines.len() - 1].iter().map(|line| line.chars().next().unwrap()).collect()
    }

    // spec: D-03 D-53 UNIT
    #[test]
    fn the_panel_says_which_step_is_under_way_and_which_failed() {
        let mut plan = plan(&[1, 3, 2]);
        let begins: Vec<usize> = (0..6).filter(|n| plan.begins_step(*n)).collect();
        assert_eq!(begins, [0, 1, 4]);
        assert_eq!((signs(&plan).as_str(), plan.state()), ("▶··", "acting"));
        for (n, wanted) in ["✓▶·", "✓▶·", "✓▶·", "✓✓▶"].iter().enumerate() {
            plan.acted(true);
            assert_eq!(signs(&plan), *wanted, "{n}");
        }
        plan.acted(false);
        plan.acted(false);
        assert_eq!((signs(&plan).as_str(), plan.state()), ("✓✓✗", "a step failed"));
        assert_eq!(Plan::default().state(), "looking and thinking");
    }
}
