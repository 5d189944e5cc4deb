//! What a person has to agree to first: a provider's questions about its own reply, before anything of it runs, and what the policy leaves to
//! a person, before that one action.
//!
//! Only the person's own yes lets it act: nobody there, no answer in time and every other word are a no, and then nothing of the
//! reply is run. Nothing that a model, a screen or a provider wrote can stand for the answer. While the question stands nothing is
//! held down, looked at or asked; a stop and the time limit still end the run.

use crate::ending::Interruption;
use crate::engine::Engine;
use crate::progress::Event;
use crate::target;
use handsight_base::flow::action::{Action, Spot};
use handsight_base::flow::decision::{Choice, Confirmation, Consent, Decision, Refused};
use handsight_base::gate::{Answer, Asked};
use handsight_base::port::BoxFuture;
use handsight_base::port::model::SafetyCheck;
use std::time::Duration;

/// What a person is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// `provider/name`: whose reply it is.
    pub model: String,
    /// What the provider says of it.
    pub checks: Vec<SafetyCheck>,
    /// What the person's own policy says of it: the rules that ask, with their reasons.
    pub rules: Vec<(&'static str, String)>,
    /// What would be done, a line each.
    pub would: Vec<String>,
    /// How long an answer is waited for.
    pub patience: Duration,
}

/// Whoever puts questions to a person.
pub trait Confirm: Send {
    /// Puts it and waits. May be given up at any moment; an answer that comes later counts for nothing.
    fn put<'a>(&'a mut self, question: &'a Question) -> BoxFuture<'a, Consent>;
}

/// A run that nobody watches: every answer is no.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Confirm for Nobody {
    fn put<'a>(&'a mut self, _: &'a Question) -> BoxFuture<'a, Consent> {
        Box::pin(std::future::ready(Consent::Nobody))
    }
}

/// The decision if a person agrees to the provider's checks of it, else its refusal.
pub(crate) async fn confirmed(
    engine: &mut Engine,
    checks: Vec<SafetyCheck>,
    decision: Decision,
) -> Result<Decision, Interruption> {
    if checks.is_empty() || matches!(decision.choice, Choice::Refused(_)) {
        return Ok(decision);
    }
    let question = Question {
        model: engine.model.name().to_owned(),
        checks,
        rules: Vec::new(),
        would: would(engine, &decision),
        patience: Duration::from_secs_f64(engine.profile.decide.confirm_s),
    };
    let answer = ask(engine, &question).await?;
    let asked = question.checks.iter().map(|c| [c.code.as_str(), ": ", &c.message].concat());
    let asked = asked.map(|c| c.trim_end_matches([':', ' ']).to_owned()).collect::<Vec<_>>().join("; ");
    let mut decision = decision;
    decision.notes.push(format!("the provider wants a person to agree ({asked}): {}", answer.words()));
    decision.confirmation = Some(Confirmation { checks: question.checks, answer });
    if answer == Consent::Given {
        return Ok(decision);
    }
    let told = format!(
        "Nothing of this was done: its provider wants a person to agree first ({asked}), and {}. Do not try the same again.",
        answer.words()
    );
    engine.told.push(format!("[not done: a person had to agree first, and {}]", answer.words()));
    Ok(Decision { choice: Choice::Refused(Refused::Person { told }), call: None, ..decision })
}

/// The person's answer about one action that the policy asks about.
pub(crate) async fn agreed(
    engine: &mut Engine,
    action: &Action,
    asked: Asked,
) -> Result<Answer, Interruption> {
    let question = Question {
        model: engine.model.name().to_owned(),
        checks: Vec::new(),
        rules: asked.points().to_vec(),
        would: vec![self::action(engine, action)],
        patience: Duration::from_secs_f64(engine.profile.decide.confirm_s),
    };
    let answer = ask(engine, &question).await?;
    engine.notes.push(format!("the policy wants a person to agree ({asked}): {}", answer.words()));
    Ok(asked.answered(answer))
}

/// Puts it, and tells of the answer.
async fn ask(engine: &mut Engine, question: &Question) -> Result<Consent, Interruption> {
    let began = engine.stopwatch.now();
    let answer = put(engine, question).await?;
    let waited = engine.stopwatch.now().saturating_sub(began);
    engine.timings.pause += waited.as_secs_f64() * 1e3;
    engine.tell(Event::Confirmed { answer, waited });
    Ok(answer)
}

async fn put(engine: &mut Engine, question: &Question) -> Result<Consent, Interruption> {
    if question.patience.is_zero() {
        return Ok(Consent::Nobody);
    }
    engine.let_go().await;
    engine
        .show_meanwhile("A person is asked whether the next step may be done. Nothing is done meanwhile.")
        .await;
    // Whoever answers may have to leave the window that the step is meant for.
    let before = target::focused(engine).await;
    let left = engine.time_left().unwrap_or(Duration::MAX);
    let (stopped, wait) = (engine.stop.stopped(), engine.stopwatch.sleep(question.patience.min(left)));
    let answer = tokio::select! {
        biased;
        reason = stopped => return Err(Interruption::Stopped(reason)),
        answer = engine.person.confirm.put(question) => answer,
        () = wait => {
            if left < question.patience {
                return Err(Interruption::TimeLimit);
            }
            Consent::NoAnswer
        }
    };
    if matches!(answer, Consent::Given | Consent::Refused) {
        engine.person_gave_word().await;
    }
    if let (Consent::Given, Some(before)) = (answer, before)
        && target::focused(engine).await != Some(before)
    {
        target::restore(engine, before).await?;
    }
    Ok(answer)
}

/// What would be done, as a person reads it: the call as it was understood, and each thing that the hands would do.
fn would(engine: &Engine, decision: &Decision) -> Vec<String> {
    let actions = match &decision.choice {
        Choice::Act(actions) => actions.as_slice(),
        Choice::Observe | Choice::Ask { .. } | Choice::Done { .. } | Choice::Refused(_) => &[],
    };
    let call = decision.call.iter().map(|call| format!("{} {}", call.tool, call.args));
    let reason = Some(&decision.reason).filter(|r| !r.is_empty()).map(|r| format!("because: {r}"));
    let actions = actions.iter().map(|deed| action(engine, deed));
    let lines: Vec<String> = call.chain(actions).chain(reason).collect();
    if lines.is_empty() { vec![decision.choice.name().to_owned()] } else { lines }
}

/// With places of the screen, which is what the person has before them.
fn action(engine: &Engine, action: &Action) -> String {
    let on_screen = |spot: &Spot| engine.geometry.and_then(|geometry| geometry.screen_from_frame(*spot).ok());
    action.words(|spot| {
        on_screen(spot).map_or_else(|| "a place of the picture".to_owned(), |at| at.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::flow::decision::Confirmation;

    #[test]
    fn only_a_yes_acknowledges_and_only_the_checks_of_that_call() {
        let check = |call: &str, id: &str| SafetyCheck {
            call_id: call.into(),
            id: id.into(),
            code: "c".into(),
            message: String::new(),
        };
        let checks = vec![check("a", "1"), check("b", "2"), check("a", "3")];
        let of = |answer| Confirmation { checks: checks.clone(), answer }.acknowledged("a");
        assert_eq!(of(Consent::Given), [check("a", "1"), check("a", "3")]);
        for no in [Consent::Refused, Consent::NoAnswer, Consent::Nobody] {
            assert!(of(no).is_empty(), "{no:?}");
        }
    }
}
