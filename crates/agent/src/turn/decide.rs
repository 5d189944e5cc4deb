//! Decide: asks the model and turns its answer into something to do, or into a typed refusal. Never into a guess.

mod reask;
mod understand;

use crate::confirm;
use crate::ending::{Interruption, Outcome};
use crate::engine::Engine;
use crate::profile::Told;
use crate::progress::Event;
use handsight_base::flow::decision::{Choice, Decision, Refused};
use handsight_base::flow::format::PictureFormat;
use handsight_base::flow::frame::FrameHash;
use handsight_base::flow::prompt::Prompt;
use handsight_base::port::model::{ModelError, ModelReply, Usage};
use handsight_store::{Decided, Observed, step_name};
use serde_json::json;
use std::time::Duration;
use understand::Reading;

pub(crate) use understand::taken;

pub(super) async fn decide(engine: &mut Engine, prompt: Prompt) -> Result<Decision, Interruption> {
    let Some(picture) = prompt.pictures.first() else {
        return Err(Interruption::Picture("the profile shows the model no picture".into()));
    };
    let (geometry, bytes, frame) = (picture.geometry, picture.bytes.clone(), prompt.frame);
    let hash = FrameHash::of(&bytes);
    // The picture is on disk before the row that names it; the disk works while the model thinks.
    let observed = Observed { picture: Some(hash), at_unix_millis: engine.captured_unix_millis, frame };
    let format = PictureFormat::of(&bytes).unwrap_or(PictureFormat::Png);
    let view = engine.profile.record.dump_screenshots.then(|| step_name(engine.turn, format));
    let stored = engine.journal.observe(engine.turn, observed, bytes.clone(), view);
    engine.tell(Event::Asked {
        model: engine.model.name().to_owned(),
        picture: geometry.size,
        bytes: bytes.len(),
    });
    let began = engine.stopwatch.now();
    let (mut exchanges, mut spoilt) = (Vec::new(), Usage::default());
    let answer = reask::ask(engine, prompt, &geometry, &mut exchanges, &mut spoilt).await?;
    let model_time = engine.stopwatch.now().saturating_sub(began);
    engine.timings.model = model_time.as_secs_f64() * 1e3;
    stored.await?;
    let decision = Decision {
        choice: Choice::Observe,
        reason: String::new(),
        call: None,
        steps: Vec::new(),
        notes: Vec::new(),
        usage: spoilt,
        model_time,
        frame,
        picture: hash,
        confirmation: None,
    };
    if answer.is_ok() {
        engine.came_back();
    }
    let decision = match answer {
        Ok(mut reply) => {
            // Understood first, so that a person can be told what would be done.
            let checks = std::mem::take(&mut reply.checks);
            let reading = understand::read(engine, &reply, &geometry);
            let Reading { mut choice, mut reason, call, mut steps, mut notes, taken } = reading;
            engine.mask.decision(&mut choice, &mut steps, &mut reason, &mut notes);
            let usage = spoilt.and(&reply.usage);
            let decision = Decision { choice, reason, call, steps, notes, usage, ..decision };
            let decision = confirm::confirmed(engine, checks, decision).await?;
            engine.history.answered(&reply, taken, &decision);
            exchanges.push(reply.exchange);
            decision
        }
        Err(error) => Decision { choice: Choice::Refused(Refused::Model(error)), ..decision },
    };
    let decided = Decided {
        choice: decision.choice.name().to_owned(),
        reason: decision.reason.clone(),
        call: decision.call.clone(),
        usage: decision.usage,
        confirmation: decision.confirmation.clone(),
    };
    exchanges.iter_mut().for_each(|exchange| engine.mask.exchange(exchange));
    engine.journal.decided(engine.turn, decided, exchanges).await?;
    announce(engine, &decision);
    Ok(decision)
}

/// One call, ended early by a stop or by the run's time limit.
async fn ask(
    engine: &Engine,
    request: &handsight_base::port::model::ModelRequest,
) -> Result<Result<ModelReply, ModelError>, Interruption> {
    let wanted = engine.person_wants(&[]);
    if wanted.is_set() {
        return Err(Interruption::Private);
    }
    let left = engine.time_left();
    let limit = async {
        match left {
            Some(left) => engine.stopwatch.sleep(left).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        reason = engine.stop.stopped() => Err(Interruption::Stopped(reason)),
        // Given up rather than awaited: what it would say is about a screen of before.
        _ = wanted.stopped() => Err(Interruption::Private),
        answer = engine.model.ask(request, &engine.stop) => match answer {
            Err(ModelError::Stopped) => {
                Err(Interruption::Stopped(engine.stop.stopped().await))
            }
            Err(error @ ModelError::Unrecorded { .. }) => Err(Interruption::Unrecorded(error.to_string())),
            Err(error @ ModelError::CostLimit { .. }) => Err(Interruption::CostLimit(error.to_string())),
            answer => Ok(answer),
        },
        () = limit => Err(Interruption::TimeLimit),
    }
}

fn announce(engine: &mut Engine, decision: &Decision) {
    if engine.profile.context.told == Told::Words {
        // What was dropped or changed, and why nothing was done, is no less news to the model than what failed.
        engine.told.extend(decision.notes.iter().cloned());
        if let Choice::Refused(why @ (Refused::Reply { .. } | Refused::Person { .. })) = &decision.choice {
            engine.told.push(why.to_string());
        }
    }
    if let Choice::Refused(Refused::Model(error)) = &decision.choice
        && engine.goes_away(error)
    {
        engine.notes.push(error.to_string());
        return;
    }
    if let Choice::Refused(why) = &decision.choice {
        engine.failures += 1;
        engine.failing = match why {
            Refused::Reply { .. } => Outcome::Malformed,
            Refused::Person { .. } => Outcome::Refused,
            Refused::Model(_) => Outcome::ModelFailed,
        };
        let (failures, limit) = (engine.failures, engine.profile.decide.max_failures);
        engine.notes.push(why.to_string());
        engine.tell(Event::Failed { why: why.to_string(), failures, limit });
        return;
    }
    engine.failures = 0;
    let (tool, mut args) = match &decision.call {
        Some(call) => (call.tool.clone(), call.args.clone()),
        None => ("act".to_owned(), json!({})),
    };
    // The reason is told beside them.
    if let Some(args) = args.as_object_mut() {
        args.shift_remove("reason");
    }
    let took: Duration = decision.model_time;
    engine.tell(Event::Decided { tool, args: args.to_string(), reason: decision.reason.clone(), took });
}
