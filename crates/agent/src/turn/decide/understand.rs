//! What a reply means: something to do, in order, or a typed refusal of all of it.

use crate::engine::Engine;
use crate::history::{Taken, Want, Wanted};
use crate::tools::{Meaning, Understood};
use handsight_base::flow::action::Action;
use handsight_base::flow::decision::{Choice, Refused, ToolUse, Worded};
use handsight_base::flow::intent::Intent;
use handsight_base::port::dialect::{Planned, Rejection};
use handsight_base::port::model::ModelReply;
use handsight_base::space::PictureGeometry;

/// A reply understood, or why it is not.
pub(super) struct Reading {
    pub(super) choice: Choice,
    pub(super) reason: String,
    pub(super) call: Option<ToolUse>,
    pub(super) steps: Vec<Worded>,
    pub(super) notes: Vec<String>,
    pub(super) taken: Taken,
}

const AFTER_ACTING: &str = "not yet: look at what came of the calls before it, then say it again";
const AFTER_THE_END: &str = "not executed: it came after the end";
const ASKED: &str = "nobody is there to answer; decide yourself";

/// How a reply is taken, call by call.
pub(crate) fn taken(engine: &Engine, reply: &ModelReply, picture: &PictureGeometry) -> Taken {
    read(engine, reply, picture).taken
}

pub(super) fn read(engine: &Engine, reply: &ModelReply, picture: &PictureGeometry) -> Reading {
    let decoded = match engine.dialect.decode(reply, picture) {
        Ok(decoded) => decoded,
        Err(rejection) => return refused(Vec::new(), &rejection),
    };
    let mut plan = Plan { reason: decoded.reason, notes: decoded.notes, ..Plan::default() };
    plan.notes.extend(decoded.broken.map(|broken| broken.told().to_owned()));
    for Planned { call, intent } in decoded.plan {
        if let Err(rejection) = plan.add(engine, call, intent, picture) {
            return refused(plan.notes, &rejection.of_call(call));
        }
    }
    let choice = match plan.end {
        Some(end) => end,
        None if plan.actions.is_empty() => Choice::Observe,
        None => Choice::Act(plan.actions),
    };
    let Plan { reason, call, notes, steps, .. } = plan;
    Reading { choice, reason, call, steps: decoded.steps, notes, taken: Taken::Plan(steps) }
}

fn refused(mut notes: Vec<String>, rejection: &Rejection) -> Reading {
    // The kind stands in the words of the refusal; a finer word is kept for whoever counts.
    if rejection.code != rejection.kind.code() {
        notes.push(format!("malformed ({})", rejection.code));
    }
    let (call, told) = (rejection.call, rejection.told().to_owned());
    Reading {
        choice: Choice::Refused(Refused::Reply { kind: rejection.kind, told: told.clone() }),
        reason: String::new(),
        call: None,
        steps: Vec::new(),
        notes,
        taken: Taken::Refused { call, told },
    }
}

#[derive(Default)]
struct Plan {
    actions: Vec<Action>,
    steps: Vec<Wanted>,
    end: Option<Choice>,
    reason: String,
    call: Option<ToolUse>,
    notes: Vec<String>,
}

impl Plan {
    fn add(
        &mut self,
        engine: &Engine,
        call: usize,
        intent: Intent,
        picture: &PictureGeometry,
    ) -> Result<(), Rejection> {
        match intent {
            Intent::Act(action) => self.act(call, vec![action]),
            Intent::Look(look) => self.step(call, Want::Look(look)),
            Intent::Call { tool, args } => {
                let Understood { meaning, reason, args, notes } =
                    engine.tools.call(&tool, &args, picture, &engine.marks)?;
                self.call = Some(ToolUse { tool, args });
                self.notes.extend(notes);
                self.reason.clone_from(&reason);
                match meaning {
                    Meaning::Act(actions) => self.act(call, actions),
                    Meaning::Observe => self.step(call, Want::Told("")),
                    Meaning::Done => self.end(call, "", Choice::Done { statement: reason.clone() }, reason),
                }
            }
            Intent::Done { statement } => {
                self.end(call, "", Choice::Done { statement: statement.clone() }, statement);
            }
            Intent::Ask { question } => {
                self.end(call, ASKED, Choice::Ask { question: question.clone() }, question);
            }
        }
        Ok(())
    }

    fn step(&mut self, call: usize, want: Want) {
        let want = if self.end.is_some() { Want::Later(AFTER_THE_END) } else { want };
        self.steps.push(Wanted { call, want });
    }

    fn act(&mut self, call: usize, actions: Vec<Action>) {
        if actions.is_empty() {
            // Such as an empty text: there is nothing to it.
            self.step(call, Want::Told(""));
        }
        for action in actions {
            if self.end.is_none() {
                self.actions.push(action);
            }
            self.step(call, Want::Act);
        }
    }

    /// The model's last word stands only on a picture that it has seen.
    fn end(&mut self, call: usize, told: &'static str, end: Choice, reason: String) {
        let unseen = self.steps.iter().any(|s| matches!(s.want, Want::Act | Want::Look(_)));
        if unseen {
            self.step(call, Want::Later(AFTER_ACTING));
            return;
        }
        self.step(call, Want::Told(told));
        if self.end.is_none() {
            (self.end, self.reason) = (Some(end), reason);
        }
    }
}
