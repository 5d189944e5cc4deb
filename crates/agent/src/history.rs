//! The conversation: what a run keeps of its turns for its model, call by call, and how it gives way when room runs out (R36).
//!
//! A turn is opened with what the model is told and shown, answered, and closed with what became of each of its calls. What was
//! sent stays as it was sent: only [`prune`] changes the past, seldom and much at a time, so that the provider finds the rest of it
//! in its cache. A profile without a conversation keeps nothing here but the looks that the next picture is to serve.
//!
//! It refuses to hold a call without a result, and to say of anything that it was done unless the desktop said so.

pub(crate) mod compact;
pub(crate) mod prune;
pub(crate) mod resume;

use crate::profile;
use compact::{Compact, Digest};
use handsight_base::flow::decision::{Choice, Confirmation, Decision, Refused};
use handsight_base::flow::intent::Look;
use handsight_base::flow::past::{CallResult, Past, Standing};
use handsight_base::flow::prompt::{Fragment, Picture};
use handsight_base::flow::receipt::{Deed, Outcome};
use handsight_base::port::model::ModelReply;
use std::ops::Range;

/// What one step of a reply's plan asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Want {
    /// The next of the turn's actions.
    Act,
    /// Served with the next picture.
    Look(Look),
    /// Nothing to carry out; these words are its result.
    Told(&'static str),
    /// Left for a later turn, for this reason.
    Later(&'static str),
}

/// A step of the plan and the call it belongs to, from 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) call: usize,
    pub(crate) want: Want,
}

/// How a reply was taken.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Taken {
    Plan(Vec<Wanted>),
    /// Nothing of it is run; the call that is meant is told why.
    Refused {
        call: usize,
        told: String,
    },
    /// A person did not agree to it; every call is told so.
    Declined {
        told: String,
    },
}

/// A turn under way.
#[derive(Debug)]
struct Open {
    past: Past,
    taken: Option<Taken>,
    /// What a person agreed to, if one was asked.
    confirmation: Option<Confirmation>,
}

/// A look that the next frame serves, and the call of the newest turn that asked for it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) call: usize,
    pub(crate) look: Look,
}

pub(crate) struct History {
    keeps: bool,
    past: Vec<Past>,
    open: Option<Open>,
    looks: Vec<Asked>,
    /// What the turns that are gone came to.
    summary: Option<Fragment>,
    compact: Box<dyn Compact>,
    /// Turns closed since the summary was last made anew.
    since_compaction: u32,
    /// What the model is told besides, until it has answered.
    aside: Vec<String>,
    /// The turns that came back from a journal.
    recalled: Range<u64>,
}

const OTHER_CALL: &str = "not executed, because another call of the same reply could not be used";
const NOT_IN_PLAN: &str = "not executed: only the first call of a reply is";
/// For a person's privacy, or for room on the disk.
const PAUSED: &str = "not done: the run had to wait before it; look again";
const INTERRUPTED: &str = "not begun: the run was interrupted before it";

impl History {
    pub(crate) fn new(rule: profile::History) -> Self {
        Self {
            keeps: rule == profile::History::Conversation,
            past: Vec::new(),
            open: None,
            looks: Vec::new(),
            summary: None,
            compact: Box::new(Digest),
            since_compaction: compact::SELDOM,
            aside: Vec::new(),
            recalled: 0..0,
        }
    }

    /// Whether turns are kept.
    pub(crate) const fn keeps(&self) -> bool {
        self.keeps
    }

    /// The turns as they are sent, what was left of the oldest ones in front.
    pub(crate) fn turns(&self) -> Vec<Past> {
        let mut turns = self.past.clone();
        if let (Some(summary), Some(first)) = (&self.summary, turns.first_mut()) {
            first.told = joined(summary.text(), &first.told);
        }
        turns
    }

    /// What the turns that are gone came to, as long as no turn is there to carry it.
    pub(crate) fn summary(&self) -> Option<Fragment> {
        self.summary.clone().filter(|_| self.past.is_empty())
    }

    /// Tells the model something beside its next picture.
    pub(crate) fn tell(&mut self, line: String) {
        self.aside.push(line);
    }

    pub(crate) fn asides(&self) -> &[String] {
        &self.aside
    }

    /// Whether this turn came back from a journal, with what became of its calls.
    pub(crate) fn tells_of(&self, turn: u64) -> bool {
        self.recalled.contains(&turn)
    }

    /// The looks that wait for a frame. What no turn keeps is served again until the model has answered to it.
    pub(crate) fn take_looks(&mut self) -> Vec<Asked> {
        if self.keeps { std::mem::take(&mut self.looks) } else { self.looks.clone() }
    }

    /// What a look of the newest turn shows. False if no turn is kept: then it stands beside the next picture.
    pub(crate) fn serve(&mut self, call: usize, text: &str, shown: Option<&Picture>) -> bool {
        let Some(result) = self.past.last_mut().and_then(|p| p.results.get_mut(call)) else { return false };
        if !text.is_empty() {
            result.text = joined(&result.text, text);
        }
        if shown.is_some() {
            result.shown = shown.cloned();
        }
        true
    }

    /// A turn begins: what the model is told and shown.
    pub(crate) fn open(&mut self, told: String, seen: Option<Picture>) {
        let past = Past { told, seen, ..Past::default() };
        self.open = Some(Open { past, taken: None, confirmation: None });
    }

    /// The model answered, this is how it was taken, and what was decided in the end.
    pub(crate) fn answered(&mut self, reply: &ModelReply, taken: Taken, decision: &Decision) {
        let taken = match &decision.choice {
            Choice::Refused(Refused::Person { told }) => Taken::Declined { told: told.clone() },
            Choice::Refused(_)
            | Choice::Act(_)
            | Choice::Observe
            | Choice::Ask { .. }
            | Choice::Done { .. } => taken,
        };
        self.taken_as(reply, taken, decision.confirmation.as_ref());
    }

    fn taken_as(&mut self, reply: &ModelReply, taken: Taken, confirmation: Option<&Confirmation>) {
        let Some(open) = &mut self.open else { return };
        open.taken = Some(taken);
        open.confirmation = confirmation.cloned();
        if self.keeps {
            open.past.text.clone_from(&reply.text);
            open.past.calls.clone_from(&reply.calls);
            open.past.raw.clone_from(&reply.raw);
        }
    }

    /// The turn is over: what became of its actions, in their order.
    pub(crate) fn close(&mut self, deeds: &[Deed]) {
        let outcomes: Vec<Option<&Outcome>> = deeds.iter().map(|d| Some(&d.outcome)).collect();
        self.close_as(&outcomes);
    }

    /// The same; `None` is an action that the run died in.
    fn close_as(&mut self, outcomes: &[Option<&Outcome>]) {
        let Some(Open { mut past, taken: Some(taken), confirmation }) = self.open.take() else { return };
        let (mut results, looks) = results(past.calls.len().max(1), taken, outcomes);
        self.looks = looks;
        self.aside.clear();
        if self.keeps {
            for (call, result) in past.calls.iter().zip(&mut results) {
                result.acknowledged =
                    confirmation.as_ref().map(|c| c.acknowledged(&call.id)).unwrap_or_default();
            }
            past.results = results;
            self.past.push(past);
            self.since_compaction = self.since_compaction.saturating_add(1);
        }
    }
}

/// The result of each call, and the looks that wait.
fn results(calls: usize, taken: Taken, outcomes: &[Option<&Outcome>]) -> (Vec<CallResult>, Vec<Asked>) {
    let mut results: Vec<Option<CallResult>> = vec![None; calls];
    let mut looks = Vec::new();
    let not_run = match taken {
        Taken::Refused { call, told } => {
            if let Some(result) = results.get_mut(call) {
                *result = Some(result_of(Standing::Failed, told));
            }
            OTHER_CALL
        }
        Taken::Declined { told } => {
            results.fill(Some(result_of(Standing::Failed, told)));
            OTHER_CALL
        }
        Taken::Plan(plan) => {
            let mut outcomes = outcomes.iter();
            let mut failed = false;
            for Wanted { call, want } in plan {
                let result = match want {
                    Want::Act => match outcomes.next() {
                        Some(outcome) => of_outcome(*outcome, failed),
                        None => result_of(Standing::NotExecuted, INTERRUPTED),
                    },
                    Want::Look(_) if failed => result_of(Standing::NotExecuted, ""),
                    Want::Look(look) => {
                        looks.push(Asked { call, look });
                        CallResult::default()
                    }
                    Want::Told(words) => result_of(Standing::Done, words),
                    Want::Later(why) => result_of(Standing::NotExecuted, why),
                };
                failed |= result.standing.is_error();
                if let Some(slot) = results.get_mut(call) {
                    *slot = Some(match slot.take() {
                        Some(before) => both(before, result),
                        None => result,
                    });
                }
            }
            NOT_IN_PLAN
        }
    };
    let or_not_run = |r: Option<CallResult>| r.unwrap_or_else(|| result_of(Standing::NotExecuted, not_run));
    (results.into_iter().map(or_not_run).collect(), looks)
}

fn of_outcome(outcome: Option<&Outcome>, failed_before: bool) -> CallResult {
    match outcome {
        Some(Outcome::Done { .. }) => CallResult::default(),
        Some(Outcome::Refused { why } | Outcome::Failed { why, .. }) => {
            result_of(Standing::Failed, format!("not done: {why}"))
        }
        Some(Outcome::NotExecuted) if failed_before => result_of(Standing::NotExecuted, ""),
        Some(Outcome::Withheld { why }) => {
            result_of(Standing::NotExecuted, format!("not done: {why}; look again"))
        }
        // Nothing before it failed: a journal of the time when the reason was not kept.
        Some(Outcome::NotExecuted) => result_of(Standing::NotExecuted, PAUSED),
        Some(Outcome::Ambiguous) | None => result_of(Standing::Unknown, ""),
    }
}

fn result_of(standing: Standing, text: impl Into<String>) -> CallResult {
    CallResult { standing, text: text.into(), ..CallResult::default() }
}

/// A call that means several steps stands as the first of them that was not done.
fn both(first: CallResult, then: CallResult) -> CallResult {
    let worse = if first.standing.is_error() { first.standing } else { then.standing };
    // That what follows a failure is not run is no news.
    let silent = first.standing.is_error() && then.standing == Standing::NotExecuted;
    let text = if silent { first.text } else { joined(&first.text, &then.text) };
    CallResult { standing: worse, text, ..first }
}

fn joined(first: &str, then: &str) -> String {
    let between = if first.is_empty() || then.is_empty() { "" } else { "\n\n" };
    format!("{first}{between}{then}")
}

#[cfg(test)]
mod tests;
