//! `runs list|show|export|sheet|replay`: what earlier runs left. Reading changes no file of a run; a sheet is one file more.
//! `runs pause|unpause`: the one thing to say to a run that goes on.

use crate::assemble::{self, Folder, Request, recorded_script};
use crate::cli::{ReplayArgs, RunsCommand, SettingArgs};
use crate::commands::run;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::run_folder::{self, Kind};
use crate::{contact_sheet, pause, say, settings, signals};
use handsight_agent::profile::PictureFilter;
use handsight_base::flow::format::PictureFormat;
use handsight_base::flow::step::StepRecord;
use handsight_base::stop::Stop;
use handsight_store::{Reader, step_name, test_name, turn_name};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(crate) fn dispatch(environment: &Environment, command: RunsCommand) -> anyhow::Result<Exit> {
    match command {
        RunsCommand::List { dir, settings, json } => list(environment, dir, &settings, json),
        RunsCommand::Show { run, json } => show(&run, json),
        RunsCommand::Export { run, dir } => export(&run, &dir),
        RunsCommand::Sheet { run, file, every } => {
            let file = file.unwrap_or_else(|| run.join("sheet.png"));
            let pictures = contact_sheet::write(environment, &run, &file, every)?;
            say::result(&format!("{}: {pictures} pictures", file.display()));
            Ok(Exit::Done)
        }
        RunsCommand::Replay(args) => replay(environment, args),
        RunsCommand::Pause { run } => hold(&run),
        RunsCommand::Unpause { run } => go_on(&run),
    }
}

/// Makes a run hold still; when this returns, nothing is looked at any more.
fn hold(run: &Path) -> anyhow::Result<Exit> {
    let reader = Reader::open(run)?;
    if !reader.is_live() {
        let what = format!("{} is not going on", run.display());
        return Err(Failure::usage(what, "Only a run that goes on can be paused.").into());
    }
    drop(reader);
    crate::runtime()?.block_on(pause::begin(run))?;
    say::result("paused: nothing is looked at until `handsight runs unpause`");
    Ok(Exit::Done)
}

fn go_on(run: &Path) -> anyhow::Result<Exit> {
    if !pause::end(run)? {
        say::note(&format!("{} is not paused", run.display()));
    }
    Ok(Exit::Done)
}

fn list(
    environment: &Environment,
    dir: Option<PathBuf>,
    args: &SettingArgs,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let dir = match dir {
        Some(dir) => dir,
        None => settings::resolve(environment, args, &[])?.profile.record.dump_folder.into(),
    };
    let runs = run_folder::list(&dir)?;
    if as_json {
        let rows: Vec<Value> = runs
            .iter()
            .map(|path| match Reader::open(path) {
                Ok(reader) => overview(&reader),
                Err(e) => json!({ "run": path, "error": e.to_string() }),
            })
            .collect();
        say::json(&json!({ "runs": rows }));
        return Ok(Exit::Done);
    }
    if runs.is_empty() {
        say::note(&format!("there is no run in {}", dir.display()));
    }
    for path in runs {
        match Reader::open(&path) {
            Ok(reader) => say::result(&line(&reader)),
            Err(e) => say::result(&format!("{}: {e}", path.display())),
        }
    }
    Ok(Exit::Done)
}

/// How a run stands, in a word.
fn standing(reader: &Reader) -> &str {
    match reader.end() {
        Some(end) => &end.outcome,
        None if reader.is_live() => "running",
        None => "cut off",
    }
}

fn line(reader: &Reader) -> String {
    let meta = reader.meta().cloned().unwrap_or_default();
    let damaged = if reader.report().is_sound() { "" } else { " (damaged)" };
    let task = meta.objective.lines().next().unwrap_or_default();
    format!(
        "{}  {:<12} {:>5} turns  {}  {}{damaged}",
        run_folder::when(meta.started_unix_millis),
        standing(reader),
        reader.last_committed(),
        reader.dir().display(),
        task.chars().take(60).collect::<String>(),
    )
}

fn overview(reader: &Reader) -> Value {
    let totals = reader.totals().unwrap_or_default();
    json!({
        "run": reader.dir(),
        "meta": reader.meta(),
        "outcome": standing(reader),
        "end": reader.end(),
        "turns": reader.last_committed(),
        "actions": totals.actions,
        "tokens": { "input": totals.input_tokens, "output": totals.output_tokens },
        "cost_usd": totals.known_cost_usd(),
        "sound": reader.report().is_sound(),
    })
}

fn show(run: &Path, as_json: bool) -> anyhow::Result<Exit> {
    let mut reader = Reader::open(run)?;
    let mut steps = Vec::new();
    for turn in reader.turns() {
        steps.extend(reader.step(turn)?);
    }
    let report = reader.report();
    let trouble: Vec<String> = report
        .damage
        .iter()
        .map(ToString::to_string)
        .chain(report.lost.iter().map(ToString::to_string))
        .chain(report.beyond.iter().map(ToString::to_string))
        .collect();
    if as_json {
        let mut document = overview(&reader);
        document["damage"] = json!(trouble);
        document["steps"] = json!(steps);
        say::json(&document);
    } else {
        say::result(&line(&reader));
        if let Some(meta) = reader.meta() {
            let models: Vec<&str> = meta.models.values().map(String::as_str).collect();
            say::result(&format!("{} on {} with {}", meta.profile, meta.desktop, models.join(", ")));
            say::result(&meta.objective);
        }
        steps.iter().for_each(|step| say::result(&step_line(step)));
        if let Some(end) = reader.end() {
            say::result(&format!("{}: {}", end.outcome, end.note));
        }
    }
    // A damaged run is shown as far as it goes, and not called whole.
    trouble.iter().for_each(|t| say::error(t));
    Ok(if trouble.is_empty() { Exit::Done } else { Exit::Storage })
}

pub(crate) fn step_line(step: &StepRecord) -> String {
    let call = step.call.as_ref().map_or_else(|| step.choice.clone(), |c| format!("{} {}", c.tool, c.args));
    let notes = if step.notes.is_empty() { String::new() } else { format!(" [{}]", step.notes.join("; ")) };
    let reason = step.reason.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{:>5}  {call}  {reason}{notes}", step.turn)
}

/// Plain files of everything the run shows: what it was for, a line and a picture a turn.
fn export(run: &Path, dir: &Path) -> anyhow::Result<Exit> {
    let mut reader = Reader::open(run)?;
    let dir = run_folder::create(Some(dir), Path::new(""), Kind::Run, 0)?;
    let write = |name: &str, bytes: &[u8]| {
        run_folder::write_private(&dir.join(name), bytes)
            .map_err(|e| Failure::new(Exit::Storage, format!("{}: {e}", dir.join(name).display()), ""))
    };
    let test = reader.meta().is_some_and(|m| m.run.starts_with("test_"));
    let mut log = String::new();
    let mut missing = 0_u64;
    for turn in reader.turns() {
        let (Some(step), Some(text)) = (reader.step(turn)?, reader.session_line(turn)?) else { continue };
        log.push_str(&text);
        log.push('\n');
        write(&turn_name(turn), text.as_bytes())?;
        let name = |format| match test {
            true => test_name(turn.saturating_sub(1), format),
            false => step_name(turn, format),
        };
        match reader.frame(&step.picture) {
            Ok(bytes) => write(&name(PictureFormat::of(&bytes).unwrap_or(PictureFormat::Png)), &bytes)?,
            Err(why) => {
                missing += 1;
                say::warning(&format!("turn {turn}: the picture is not there: {why}"));
            }
        }
    }
    write("session.jsonl", log.as_bytes())?;
    write("run.json", overview(&reader).to_string().as_bytes())?;
    let lost = if missing == 0 { String::new() } else { format!(", {missing} pictures missing") };
    say::result(&format!("{}: {} turns{lost}", dir.display(), reader.turns().len()));
    Ok(Exit::Done)
}

/// Does what a run did again, without a model. On the recorded pictures nothing is touched, and every difference is found.
pub(crate) fn replay(environment: &Environment, args: ReplayArgs) -> anyhow::Result<Exit> {
    let as_json = args.out.json;
    let request = if args.run.is_file() { of_log(environment, args)? } else { of_run(environment, args)? };
    let stop = Stop::new();
    signals::listen(stop.clone())?;
    crate::runtime()?.block_on(async {
        let assembled = assemble::assemble(environment, request, stop).await?;
        run::turns(assembled, as_json, run::Verify::Recording).await
    })
}

/// From a run folder: its settings, its pictures, its calls.
fn of_run(environment: &Environment, args: ReplayArgs) -> anyhow::Result<Request> {
    let mut reader = Reader::open(&args.run)?;
    let meta = reader.meta().cloned().unwrap_or_default();
    let settings = settings::recorded(environment, &meta.profile, &meta.profile_text, &[])?;
    if settings.profile.context.picture_filter != PictureFilter::Nearest {
        say::warning(
            "this run scaled its pictures smoothly, which cannot be undone: the comparison will say that they differ",
        );
    }
    let model = match asked_a_model(&mut reader)? {
        true => assemble::model::Choice::recorded(environment, &args.run)?,
        // By hand: what was typed is what is done again.
        false => {
            let mut steps = Vec::new();
            for turn in reader.turns() {
                steps.extend(reader.step(turn)?);
            }
            assemble::model::Choice::scripted(environment, &args.run, assemble::script(steps))?
        }
    };
    let desktop = args.desktop.unwrap_or_else(|| format!("replay:{}", args.run.display()));
    let desktop = assemble::desktop::Choice::read(&desktop, environment)?;
    let folder = Folder::New { out: args.out.out, kind: Kind::Run };
    Ok(Request {
        settings,
        task: meta.objective,
        desktop,
        model: Some(model),
        folder,
        hands: true,
        quiet: false,
    })
}

fn asked_a_model(reader: &mut Reader) -> anyhow::Result<bool> {
    match reader.turns().first() {
        Some(turn) => Ok(!reader.exchanges(*turn)?.is_empty()),
        None => Ok(true),
    }
}

/// From a log alone: its calls, on a desktop that has to be named, since there are no pictures.
fn of_log(environment: &Environment, args: ReplayArgs) -> anyhow::Result<Request> {
    let desktop = args.desktop.ok_or_else(|| {
        Failure::usage(
            "a log has no pictures: where should it be done?",
            "Name the desktop: --desktop x11:N.",
        )
    })?;
    let settings = settings::resolve_named(environment, "stateless", &[], &[])?;
    let script = recorded_script(&args.run)?;
    let model = assemble::model::Choice::scripted(environment, &args.run, script)?;
    let desktop = assemble::desktop::Choice::read(&desktop, environment)?;
    let task = format!("what {} holds", args.run.display());
    let folder = Folder::New { out: args.out.out, kind: Kind::Run };
    Ok(Request { settings, task, desktop, model: Some(model), folder, hands: true, quiet: false })
}
