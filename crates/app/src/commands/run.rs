//! `run`: a model works on a desktop until it is done, a limit is reached, or somebody stops it.

use crate::assemble::world::Judge;
use crate::assemble::{self, Assembled, Folder, Request};
use crate::cli::{ManualArgs, RunArgs};
use crate::commands::manual;
use crate::environment::Environment;
use crate::exit::{self, Exit, Failure};
use crate::run_folder::Kind;
use crate::settings::Flag;
use crate::terminal::Terminal;
use crate::{pause, say, settings, signals};
use handsight_agent::ending::Ending;
use handsight_agent::episode::Episode;
use handsight_base::flow::decision::{Choice, Decision};
use handsight_base::privacy::Privacy;
use handsight_base::stop::Stop;
use serde_json::{Map, Value, json};

pub(crate) fn run(environment: &Environment, args: RunArgs) -> anyhow::Result<Exit> {
    if args.test {
        return manual::run(
            environment,
            ManualArgs { settings: args.settings, desktop: args.desktop, out: args.out },
        );
    }
    let (as_json, dry_run) = (args.out.json, args.dry_run);
    let request = request(environment, args)?;
    let stop = Stop::new();
    let privacy = Privacy::new();
    signals::listen_for(stop.clone(), privacy.clone())?;
    crate::runtime()?.block_on(async {
        let mut assembled = assemble::assemble(environment, request, stop).await?;
        if dry_run {
            decide(assembled, as_json).await
        } else {
            assembled.parts.person.confirm = Box::new(Terminal::default());
            let _watching = pause::Watch::start(&assembled.about.run, privacy.clone());
            assembled.parts.person.privacy = privacy;
            turns(assembled, as_json, Verify::Nothing).await
        }
    })
}

/// What the arguments ask for.
fn request(environment: &Environment, args: RunArgs) -> anyhow::Result<Request> {
    let mut flags = limits(&args);
    if let Some(run) = args.resume {
        return Request::resumed(environment, &run, args.out.out, &flags, &args.model);
    }
    flags.extend(args.desktop.flags());
    flags.extend(overlay(&args));
    let settings = settings::resolve(environment, &args.settings, &flags)?;
    let desktop = assemble::desktop::Choice::read(&args.desktop.desktop, environment)?;
    let model = assemble::model::Choice::read(environment, &settings.profile, &args.model)?;
    // A recording has its task with it, and so may a world.
    let task = match args.task.or(args.task_flag) {
        Some(task) => task,
        None => assemble::task_of(&desktop, &model)?.ok_or_else(|| {
            Failure::usage(
                "what should be done?",
                "Say it: handsight run \"open the editor and write a haiku\".",
            )
        })?,
    };
    if task.trim().is_empty() {
        return Err(Failure::usage("the task is empty", "Say in your own words what should be done.").into());
    }
    let folder = Folder::New { out: args.out.out, kind: Kind::Run };
    Ok(Request { settings, task, desktop, model: Some(model), folder, hands: !args.dry_run, quiet: false })
}

fn overlay(args: &RunArgs) -> Option<Flag> {
    let flag = if args.overlay { "--overlay" } else { "--no-overlay" };
    (args.overlay || args.no_overlay).then(|| Flag::new(flag, "hud.enabled", args.overlay))
}

fn limits(args: &RunArgs) -> Vec<Flag> {
    let turns = args
        .max_turns
        .map(|n| Flag::new("--max-turns", "limits.max_turns", i64::try_from(n).unwrap_or(i64::MAX)));
    let time = args.max_time.map(|s| Flag::new("--max-time", "limits.max_time_s", s));
    let cost = args.max_cost.map(|usd| Flag::new("--max-cost", "limits.max_cost_usd", usd));
    [turns, time, cost].into_iter().flatten().collect()
}

/// What a run that is done is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verify {
    Nothing,
    /// It must not have left the recording it was made from.
    Recording,
}

/// Runs to the end and says how it ended.
pub(crate) async fn turns(assembled: Assembled, as_json: bool, verify: Verify) -> anyhow::Result<Exit> {
    let Assembled { parts, about, replay, judge } = assembled;
    let judged = || judge.as_ref().and_then(Judge::verified);
    let mut ending = Episode::new(parts)?.judged_by(judged).await;
    if let Some((false, why)) = judge.as_ref().and_then(Judge::verdict) {
        say::warning(&format!("what was wanted is not so: {why}"));
    }
    let same = replay.report();
    if verify == Verify::Recording {
        ending.verified = same;
    }
    if !ending.statement.is_empty() {
        say::result(&ending.statement);
    }
    summary(&ending, &about.run.display().to_string());
    if as_json {
        say::json(&document(&ending, &about));
    }
    Ok(exit::of_outcome(ending.outcome, ending.verified))
}

/// Who ran where, for the result.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) run: std::path::PathBuf,
    pub(crate) profile: String,
    pub(crate) desktop: String,
    pub(crate) model: String,
}

impl About {
    fn document(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("run".into(), json!(self.run));
        fields.insert("profile".into(), json!(self.profile));
        fields.insert("desktop".into(), json!(self.desktop));
        fields.insert("model".into(), json!(self.model));
        fields
    }
}

/// The object of `run --json`; its fields are a contract.
pub(crate) fn document(ending: &Ending, about: &About) -> Value {
    let mut fields = about.document();
    fields.insert("outcome".into(), json!(ending.outcome.name()));
    fields.insert("verified".into(), json!(ending.verified));
    fields.insert("turns".into(), json!(ending.turns));
    fields.insert("actions".into(), json!(ending.actions));
    fields.insert("tokens".into(), json!({ "input": ending.input_tokens, "output": ending.output_tokens }));
    fields.insert("cost_usd".into(), json!(ending.cost_usd));
    fields.insert("wall_s".into(), json!(rounded(ending.wall_s, 1e3)));
    fields.insert("overhead_ms_p50".into(), json!(rounded(ending.overhead_ms_p50, 1e2)));
    Value::Object(fields)
}

fn rounded(value: f64, by: f64) -> f64 {
    (value * by).round() / by
}

/// One line for the person.
pub(crate) fn summary(ending: &Ending, run: &str) {
    let cost = ending.cost_usd.map_or("cost unknown".to_owned(), |usd| format!("{usd:.4} USD"));
    say::progress(&format!(
        "{}: {} turns, {} actions, {:.1} s, {} + {} tokens, {cost}; kept in {run}",
        ending.outcome.name(),
        ending.turns,
        ending.actions,
        ending.wall_s,
        ending.input_tokens,
        ending.output_tokens,
    ));
}

/// One look, one question, and the answer printed.
async fn decide(assembled: Assembled, as_json: bool) -> anyhow::Result<Exit> {
    let Assembled { parts, about, .. } = assembled;
    let decision = Episode::new(parts)?.decide_once().await?;
    let (choice, exit) = named(&decision.choice);
    if let Choice::Refused(refused) = &decision.choice {
        say::error(&refused.to_string());
    }
    if as_json {
        let mut fields = about.document();
        fields.insert("dry_run".into(), json!(true));
        fields.insert("choice".into(), json!(choice));
        fields.insert("call".into(), json!(decision.call));
        fields.insert("reason".into(), json!(decision.reason));
        say::json(&Value::Object(fields));
    } else if exit == Exit::Done {
        say::result(&line(choice, &decision));
    }
    Ok(exit)
}

fn line(choice: &str, decision: &Decision) -> String {
    match &decision.call {
        Some(call) => format!("{} {}: {}", call.tool, call.args, decision.reason),
        None => format!("{choice}: {}", decision.reason),
    }
}

/// The word for a choice, and what a dry run that ends in it exits with.
const fn named(choice: &Choice) -> (&'static str, Exit) {
    match choice {
        Choice::Act(_) => ("act", Exit::Done),
        Choice::Observe => ("observe", Exit::Done),
        Choice::Ask { .. } => ("ask", Exit::NotVerified),
        Choice::Done { .. } => ("done", Exit::Done),
        Choice::Refused(_) => ("refused", Exit::Model),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_agent::ending::Outcome;

    #[test]
    fn the_json_of_a_run_has_the_fields_of_the_contract_in_their_order() {
        let ending = Ending {
            outcome: Outcome::Done,
            statement: "it works".into(),
            verified: None,
            turns: 3,
            actions: 2,
            input_tokens: 10,
            output_tokens: 5,
            cost_usd: None,
            wall_s: 1.234_56,
            overhead_ms_p50: 12.345_6,
        };
        let about = About {
            run: "dump/run_1".into(),
            profile: "stateless".into(),
            desktop: "x11:0".into(),
            model: "lmstudio/m".into(),
        };
        let want = r#"{"run":"dump/run_1","profile":"stateless","desktop":"x11:0","model":"lmstudio/m","outcome":"done","verified":null,"turns":3,"actions":2,"tokens":{"input":10,"output":5},"cost_usd":null,"wall_s":1.235,"overhead_ms_p50":12.35}"#;
        assert_eq!(document(&ending, &about).to_string(), want);
    }
}
