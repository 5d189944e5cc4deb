//! `eval`: a suite of cases, played by the model and by the controls, judged by worlds and checkers.
//!
//! Each attempt is an ordinary run with a folder of its own; `lab` says what is played and what it counts for. This file reads the
//! arguments, keeps what comes, and ends with 0 if all was measured, whatever the score.

mod play;

use crate::assemble::{desktop, model};
use crate::cli::EvalArgs;
use crate::environment::Environment;
use crate::exit::{self, Exit, Failure};
use crate::run_folder::{self, Kind};
use crate::{providers, say, settings, signals};
use anyhow::Context as _;
use handsight_agent::profile::{Profile, nearest};
use handsight_base::port::clock::{Clock as _, RealClock};
use handsight_base::stop::Stop;
use handsight_lab::eval::{Attempt, Broken, Evaluation, Job, LeftOut, Player, Verdict, plan, within_reach};
use handsight_lab::kept::Kept;
use handsight_lab::report::{self, Look};
use handsight_lab::suite::{Case, Glob, SUITES, Start, Suite, TOOLS};
use handsight_lab::{document, table};
use handsight_store::Reader;
use play::{Played, Table};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How wide the pictures of a failure are in the report, in pixels.
const LAST_WIDTH: u32 = 1100;
const SHEET_WIDTH: u32 = 1600;
/// How many broken cases the last line names.
const NAMED: usize = 5;

pub(crate) fn run(environment: &Environment, args: &EvalArgs) -> anyhow::Result<Exit> {
    let suite = suite(&args.suite)?;
    let profile = settings::resolve(environment, &args.settings, &[])?.profile;
    let model = model::Choice::read(environment, &profile, &args.model)?.name();
    let offered = offered(&profile);
    let (cases, left_out) = within_reach(&suite, &offered);
    let chosen = |case: &&&Case| wanted(args, &case.id, case.level);
    let cases: Vec<&Case> = cases.iter().filter(chosen).copied().collect();
    let level = |id: &str| suite.cases.iter().find(|case| case.id == id).map_or(0, |case| case.level);
    let left_out: Vec<LeftOut> =
        left_out.into_iter().filter(|left| wanted(args, &left.case, level(&left.case))).collect();
    if cases.is_empty() {
        return Err(nothing_to_play(&suite, &profile, &left_out).into());
    }
    let desktop = desktop(environment, args, &cases)?;
    let stop = Stop::new();
    let about = json!({
        "suite": suite.name, "profile": profile.name, "model": model, "seeds": args.seeds,
        "desktop": desktop.as_ref().map(ToString::to_string),
    });
    let (root, mut kept, earlier) = folder(args, &profile, &about)?;
    let jobs = plan(&cases, args.seeds);
    let mut done: BTreeMap<String, Attempt> = earlier.into_iter().map(|a| (a.run.clone(), a)).collect();
    // What could not be judged may be now.
    done.retain(|_, attempt| attempt.verdict != Verdict::Void);
    let left: Vec<Job<'_>> = jobs.iter().filter(|job| !done.contains_key(&job.folder)).cloned().collect();
    left.iter().try_for_each(|job| remove(&root.join(&job.folder)))?;

    signals::listen(stop.clone())?;
    let withheld = providers::withheld(environment, &profile);
    let table =
        Table { environment, args, root: &root, desktop: desktop.clone(), withheld, offered: &offered };
    let threads = usize::try_from(args.jobs).unwrap_or(1);
    let (mut told, of) = (done.len(), jobs.len());
    let mut lost = None;
    let play = |job: &Job<'_>| {
        let attempt = match table.play(job, &stop)? {
            Played::Attempt(attempt) => attempt,
            Played::Stopped => return Ok(None),
        };
        if job.player == Player::Model && !attempt.passed() {
            sheet(environment, &root.join(&job.folder));
        }
        Ok(Some(*attempt))
    };
    let (attempts, error) = handsight_lab::eval::run(&left, threads, &stop, play, |attempt| {
        told += 1;
        tell(attempt, told, of);
        if let Err(error) = kept.add(attempt) {
            lost = Some(error);
            stop.set(handsight_base::stop::StopReason::Person);
        }
    });
    done.extend(attempts.into_iter().map(|attempt| (attempt.run.clone(), attempt)));
    let evaluation = Evaluation {
        suite: suite.name.clone(),
        profile: profile.name,
        model,
        desktop: desktop.map_or_else(|| "its own worlds".to_owned(), |choice| choice.to_string()),
        seeds: args.seeds,
        planned: jobs.len(),
        left_out,
        attempts: jobs.iter().filter_map(|job| done.remove(&job.folder)).collect(),
    };
    write(&root, &evaluation)?;
    if let Some(lost) = lost {
        return Err(lost.into());
    }
    if let Some(error) = error {
        say::progress(&format!("what was played is kept; go on with --resume {}", root.display()));
        return Err(error);
    }
    show(args, &root, &evaluation);
    if let Some(reason) = stop.reason() {
        say::progress(&format!("go on with --resume {}", root.display()));
        return Ok(Exit::of_stop(reason));
    }
    Ok(code(&evaluation))
}

/// A shipped suite, or the file of this name.
fn suite(name: &str) -> anyhow::Result<Suite> {
    if let Some(shipped) = Suite::shipped(name) {
        return Ok(shipped?);
    }
    let path = Path::new(name);
    if path.is_file() {
        let text = std::fs::read_to_string(path)
            .map_err(|e| Failure::usage(format!("{name} cannot be read: {e}"), ""))?;
        let stem =
            path.file_stem().map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned());
        return Ok(handsight_lab::suite::read(&stem, name, &text)?);
    }
    let there = || SUITES.iter().map(|(name, _)| *name);
    let list: Vec<&str> = there().collect();
    let meant = nearest(name, there()).map(|n| format!(". Did you mean `{n}`?")).unwrap_or_default();
    let what = format!("there is no suite {name:?} and no such file; there are: {}{meant}", list.join(", "));
    Err(Failure::usage(what, "A suite of your own is a TOML file: docs/eval.md says what is in it.").into())
}

/// What the profile's tools can do, in the words of the suites. A vendor's own dialect has all of it.
fn offered(profile: &Profile) -> Vec<&str> {
    let decide = &profile.decide;
    match decide.dialect.as_str() {
        "" | "tools" => {
            let right = decide.extended_tools && decide.tools.iter().any(|tool| tool == "click");
            let own = decide.tools.iter().map(String::as_str);
            own.chain(right.then_some("right_click")).collect()
        }
        "plan" if !decide.extended_tools => {
            TOOLS.iter().copied().filter(|tool| !matches!(*tool, "scroll" | "drag")).collect()
        }
        _ => TOOLS.to_vec(),
    }
}

fn wanted(args: &EvalArgs, id: &str, level: u8) -> bool {
    let named = args.tasks.is_empty() || args.tasks.iter().any(|glob| Glob::new(glob).fits(id));
    named && (args.levels.is_empty() || args.levels.contains(&level))
}

fn nothing_to_play(suite: &Suite, profile: &Profile, left: &[LeftOut]) -> Failure {
    let names: Vec<&str> = suite.cases.iter().map(|case| case.id.as_str()).collect();
    if left.is_empty() {
        let what = format!("no case of {} is of these names and levels", suite.name);
        return Failure::usage(what, format!("There are: {}", names.join(", ")));
    }
    let lacks: Vec<String> =
        left.iter().map(|left| format!("{} takes {}", left.case, left.lacks.join(", "))).collect();
    let what = format!("the tools of {} can do none of these cases of {}", profile.name, suite.name);
    Failure::usage(what, lacks.join("; "))
}

/// Where real programs are started; `None` if the cases have worlds of their own.
fn desktop(
    environment: &Environment,
    args: &EvalArgs,
    cases: &[&Case],
) -> anyhow::Result<Option<desktop::Choice>> {
    if !cases.iter().any(|case| matches!(case.start, Start::Programs(_))) {
        return Ok(None);
    }
    let choice = desktop::Choice::read(&args.desktop, environment)?;
    if !choice.is_native() {
        let what = format!("no program can be started on {choice} from here");
        return Err(
            Failure::usage(what, "Name a desktop of this machine: --desktop x11:N or windows.").into()
        );
    }
    if args.jobs > 1 {
        let what = "there is one pointer on a real desktop: --jobs is 1 there";
        return Err(Failure::usage(what, "Start one `eval` for each of several X servers.").into());
    }
    Ok(Some(choice))
}

/// The folder of the evaluation, and what an earlier call left in it.
fn folder(
    args: &EvalArgs,
    profile: &Profile,
    about: &Value,
) -> anyhow::Result<(PathBuf, Kept, Vec<Attempt>)> {
    if let Some(root) = &args.resume {
        let (kept, earlier) = Kept::open(root, about)?;
        return Ok((root.clone(), kept, earlier));
    }
    let dump = Path::new(&profile.record.dump_folder);
    let root = run_folder::create(args.out.as_deref(), dump, Kind::Eval, RealClock::new().unix_millis())?;
    let kept = Kept::create(&root, about)?;
    Ok((root, kept, Vec::new()))
}

/// Takes away what an attempt left that was cut short.
fn remove(run: &Path) -> anyhow::Result<()> {
    match std::fs::remove_dir_all(run) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::new(Exit::Storage, format!("{}: {e}", run.display()), "").into())
        }
        _ => Ok(()),
    }
}

/// The pictures of a run side by side, for the report and for who looks into the folder.
fn sheet(environment: &Environment, run: &Path) {
    if run.join(run_folder::DATABASE).is_file()
        && let Err(error) = crate::contact_sheet::write(environment, run, &run.join("sheet.png"), None)
    {
        say::warning(&format!("no sheet of {}: {error:#}", run.display()));
    }
}

/// An attempt is over. Of a control only what should not be.
fn tell(attempt: &Attempt, n: usize, of: usize) {
    let Attempt { case, seed, player, verdict, turns, wall_s, why, .. } = attempt;
    let said = match (player, verdict) {
        (Player::NoOp | Player::Random, Verdict::Failed) | (Player::Oracle, Verdict::Passed) => return,
        (_, Verdict::Passed) => format!("passed after {turns} turns, {wall_s:.2} s"),
        (_, Verdict::Failed) => format!("FAILED after {turns} turns: {why}"),
        (_, Verdict::Void) => format!("void: {why}"),
    };
    say::progress(&format!("[{n:>3}/{of}] {case} seed {seed}, {}: {said}", player.word()));
}

fn write(root: &Path, evaluation: &Evaluation) -> anyhow::Result<()> {
    let look = |attempt: &Attempt| look(&root.join(&attempt.run));
    let page = report::html(evaluation, look);
    let whole = serde_json::to_string_pretty(&document::whole(evaluation))? + "\n";
    let redactor = crate::secrets::redactor();
    for (name, text) in [("report.html", page), ("eval.json", redactor.redact_json(&whole).into_owned())] {
        let path = root.join(name);
        run_folder::write_private(&path, text.as_bytes())
            .map_err(|e| Failure::new(Exit::Storage, format!("{}: {e}", path.display()), ""))
            .context("the report")?;
    }
    Ok(())
}

/// What a run looked like in the end. Whatever is not there is left out: the report is no worse for it.
fn look(run: &Path) -> Look {
    let last = || {
        let mut reader = Reader::open(run).ok()?;
        let turn = *reader.turns().last()?;
        let step = reader.step(turn).ok()??;
        report::picture::small(&reader.frame(&step.picture).ok()?, LAST_WIDTH).ok()
    };
    let sheet = || report::picture::small(&std::fs::read(run.join("sheet.png")).ok()?, SHEET_WIDTH).ok();
    let objective = || Some(Reader::open(run).ok()?.meta()?.objective.clone());
    Look { objective: objective(), last: last(), sheet: sheet() }
}

fn show(args: &EvalArgs, root: &Path, evaluation: &Evaluation) {
    table::lines(evaluation).iter().for_each(|line| say::result(line));
    say::progress(&format!("kept in {}", root.display()));
    say::progress(&format!("the report: {}", root.join("report.html").display()));
    if args.json {
        let mut fields = document::summary(evaluation);
        fields.shift_insert(0, "run".into(), json!(root));
        say::json(&Value::Object(fields));
    }
}

/// 0 if everything was measured; else what stood in the way.
fn code(evaluation: &Evaluation) -> Exit {
    let broken = evaluation.broken();
    if !broken.is_empty() {
        let cases = Broken::by_case(&broken);
        let (first, more) = (cases.iter().take(NAMED), cases.len().saturating_sub(NAMED));
        let mut names: Vec<&str> = first.map(|(broken, _)| broken.case.as_str()).collect();
        names.dedup();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        say::error(&format!("the suite {} measures nothing in {}{more}", evaluation.suite, names.join(", ")));
        return Exit::NotVerified;
    }
    let mut voids = evaluation.of(Player::Model).filter(|attempt| attempt.verdict == Verdict::Void);
    let Some(void) = voids.next() else { return Exit::Done };
    say::error(&format!("{} attempts of the model could not be judged: {}", voids.count() + 1, void.why));
    match void.outcome.as_deref() {
        Some("model_failed") => Exit::Model,
        Some("desktop_lost") => exit::of_outcome(handsight_agent::ending::Outcome::DesktopLost, None),
        Some("storage") => Exit::Storage,
        _ => Exit::NotVerified,
    }
}
