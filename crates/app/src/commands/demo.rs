//! `demo`: the whole engine at work on a simulated desktop, task after task, judged by the world's truth.
//!
//! Nothing is staged: each task is an ordinary run of a profile with an ordinary model, which sees pictures and the objective
//! only. What is printed at the end is what the world says, not what the model said.

use crate::assemble::world::{Judge, WorldChoice};
use crate::assemble::{self, Assembled, Folder, Request, world};
use crate::cli::{DemoArgs, Verbosity};
use crate::commands::run::{About, document};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::run_folder::{self, Kind};
use crate::settings::{self, Flag};
use crate::{contact_sheet, log, say, signals};
use handsight_agent::ending::{Ending, Outcome};
use handsight_agent::episode::Episode;
use handsight_agent::profile::Profile;
use handsight_agent::progress::{Event, Progress};
use handsight_base::port::clock::{Clock as _, RealClock};
use handsight_base::stop::Stop;
use handsight_worlds::task::TaskInfo;
use serde_json::{Value, json};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

/// One task that was played.
struct Played {
    task: TaskInfo,
    ending: Ending,
    /// What the world says, and why.
    why: String,
    folder: PathBuf,
    sheet: bool,
}

impl Played {
    fn verified(&self) -> bool {
        self.ending.verified == Some(true)
    }
}

pub(crate) fn run(environment: &Environment, args: DemoArgs) -> anyhow::Result<Exit> {
    let kind = world::find(&args.world)?;
    let as_json = args.out.json;
    let most = i64::try_from(args.max_turns).unwrap_or(i64::MAX);
    let mut flags = vec![Flag::new("--max-turns", "limits.max_turns", most)];
    // Pictures of the display's own size, unless somebody wants to see how others are read.
    if !args.settings.set.iter().any(|set| set.starts_with("context.")) {
        flags.push(Flag::new("--size", "context.picture_width", i64::from(args.size.width)));
        flags.push(Flag::new("--size", "context.picture_height", i64::from(args.size.height)));
    }
    let profile = settings::resolve(environment, &args.settings, &flags)?.profile;
    let tools: Vec<&str> = profile.decide.tools.iter().map(String::as_str).collect();
    let tasks: Vec<TaskInfo> = if args.task.is_empty() {
        (kind.tasks)().into_iter().filter(|task| task.demo && task.needs_only(&tools)).collect()
    } else {
        args.task.iter().map(|name| world::task(kind, name)).collect::<Result<_, _>>()?
    };
    if tasks.is_empty() {
        let what = format!("the tools of {} can do none of the tasks of {}", profile.name, kind.name);
        return Err(Failure::usage(what, "`handsight worlds` lists the tasks and what they take.").into());
    }
    let clock = RealClock::new();
    let dump = Path::new(&profile.record.dump_folder);
    let root = run_folder::create(args.out.out.as_deref(), dump, Kind::Demo, clock.unix_millis())?;
    let stop = Stop::new();
    signals::listen(stop.clone())?;
    let runtime = crate::runtime()?;

    let whole_world = WorldChoice { seed: args.seed, size: args.size, ..WorldChoice::new(kind) };
    let about = About {
        run: root.clone(),
        profile: profile.name.clone(),
        desktop: whole_world.to_string(),
        model: model(environment, &args, &profile)?.name(),
    };
    let mut played: Vec<Played> = Vec::new();
    for (n, task) in (1..).zip(tasks.iter().copied()) {
        if stop.is_set() {
            break;
        }
        let mut choice = whole_world.clone();
        choice.wants(task);
        let folder = root.join(format!("{n:02}-{}", task.name));
        let request = request(environment, &args, &flags, choice, folder.clone())?;
        let line = Line { place: format!("[{n:>2}/{}] {}", tasks.len(), task.name), turn: 0 };
        let (ending, why) = runtime.block_on(play(environment, request, line, stop.clone()))?;
        let drawn = contact_sheet::write(environment, &folder, &folder.join("sheet.png"), None);
        let sheet = drawn.inspect_err(|e| say::warning(&format!("no sheet of {}: {e:#}", task.name))).is_ok();
        played.push(Played { task, ending, why, folder, sheet });
        told(played.last(), n, tasks.len());
    }
    table(&played, tasks.len(), clock.now().as_secs_f64());
    look(&root, &played);
    let all = played.len() == tasks.len() && played.iter().all(Played::verified);
    if as_json {
        say::json(&whole(&played, all, &about, args.seed, clock.now().as_secs_f64()));
    }
    Ok(match stop.reason() {
        Some(reason) => crate::exit::of_outcome(Outcome::Stopped(reason), None),
        None if all => Exit::Done,
        None => Exit::NotVerified,
    })
}

fn request(
    environment: &Environment,
    args: &DemoArgs,
    flags: &[Flag],
    choice: WorldChoice,
    folder: PathBuf,
) -> anyhow::Result<Request> {
    let settings = settings::resolve(environment, &args.settings, flags)?;
    let model = model(environment, args, &settings.profile)?;
    let desktop = assemble::desktop::Choice::World(choice);
    let task = assemble::task_of(&desktop, &model)?.unwrap_or_default();
    let folder = Folder::New { out: Some(folder), kind: Kind::Run };
    Ok(Request { settings, task, desktop, model: Some(model), folder, hands: true, quiet: true })
}

/// The built-in one, unless another is named.
fn model(
    environment: &Environment,
    args: &DemoArgs,
    profile: &Profile,
) -> anyhow::Result<assemble::model::Choice> {
    if args.model.model.is_empty() && args.model.base_url.is_none() {
        return assemble::model::Choice::offline(environment);
    }
    assemble::model::Choice::read(environment, profile, &args.model)
}

async fn play(
    environment: &Environment,
    request: Request,
    line: Line,
    stop: Stop,
) -> anyhow::Result<(Ending, String)> {
    say::progress(&format!("{}: {}", line.place, request.task));
    let Assembled { mut parts, judge, .. } = assemble::assemble(environment, request, stop).await?;
    if log::verbosity() == Verbosity::Normal {
        parts.progress = Box::new(line);
    }
    let ending = Episode::new(parts)?.judged_by(|| judge.as_ref().and_then(Judge::verified)).await;
    let why = judge.as_ref().and_then(Judge::verdict).map(|(_, why)| why).unwrap_or_default();
    Ok((ending, why))
}

/// One line of the terminal that changes while a task is played; elsewhere it is silent.
struct Line {
    place: String,
    turn: u64,
}

impl Progress for Line {
    fn event(&mut self, event: &Event) {
        match event {
            Event::TurnStarted { turn } => self.turn = *turn,
            Event::Warning(line) => say::warning(line),
            Event::Decided { tool, .. } if std::io::stderr().is_terminal() => {
                say::prompt(&format!("\r\x1b[K{}  turn {}  {tool}", self.place, self.turn));
            }
            _ => {}
        }
    }
}

/// A task is over.
fn told(played: Option<&Played>, n: usize, of: usize) {
    let Some(played) = played else { return };
    if std::io::stderr().is_terminal() && log::verbosity() == Verbosity::Normal {
        say::prompt("\r\x1b[K");
    }
    let Ending { turns, wall_s, outcome, .. } = &played.ending;
    let said = if played.verified() {
        format!("verified after {turns} turns, {wall_s:.2} s")
    } else {
        format!("NOT verified: {} ({} after {turns} turns)", played.why, outcome.name())
    };
    say::progress(&format!("[{n:>2}/{of}] {}: {said}", played.task.name));
}

fn table(played: &[Played], of: usize, wall_s: f64) {
    let longest = played.iter().map(|p| p.task.name.len()).max().unwrap_or(4).max(4);
    say::result(&format!("{:<longest$}  verified  turns  actions  seconds  outcome", "task"));
    for p in played {
        let Ending { turns, actions, wall_s, outcome, .. } = &p.ending;
        let verified = if p.verified() { "yes" } else { "NO" };
        say::result(&format!(
            "{:<longest$}  {verified:<8}  {turns:>5}  {actions:>7}  {wall_s:>7.2}  {}",
            p.task.name,
            outcome.name()
        ));
    }
    let verified = played.iter().filter(|p| p.verified()).count();
    let turns: u64 = played.iter().map(|p| p.ending.turns).sum();
    let playing: f64 = played.iter().map(|p| p.ending.wall_s).sum();
    say::result(&format!(
        "{verified} of {of} tasks verified by the world; {turns} turns at {:.0} a second; {wall_s:.1} s in all",
        turns as f64 / playing.max(1e-9)
    ));
}

/// Where to look.
fn look(root: &Path, played: &[Played]) {
    say::progress(&format!("kept in {}", root.display()));
    let Some(one) =
        played.iter().find(|p| !p.verified()).or_else(|| played.iter().max_by_key(|p| p.ending.turns))
    else {
        return;
    };
    say::progress(&format!("what was done, turn by turn:  handsight runs show {}", one.folder.display()));
    if one.sheet {
        say::progress(&format!("what it looked like:          {}", one.folder.join("sheet.png").display()));
    }
}

/// The object of `demo --json`: that of a run over all tasks, and the tasks.
fn whole(played: &[Played], all: bool, about: &About, seed: u64, wall_s: f64) -> Value {
    let sum = |of: fn(&Ending) -> u64| played.iter().map(|p| of(&p.ending)).sum();
    let first_bad = played.iter().map(|p| p.ending.outcome).find(|o| *o != Outcome::Done);
    let mut overheads: Vec<f64> = played.iter().map(|p| p.ending.overhead_ms_p50).collect();
    overheads.sort_by(f64::total_cmp);
    let ending = Ending {
        outcome: first_bad.unwrap_or(Outcome::Done),
        statement: String::new(),
        verified: Some(all),
        turns: sum(|e| e.turns),
        actions: sum(|e| e.actions),
        input_tokens: sum(|e| e.input_tokens),
        output_tokens: sum(|e| e.output_tokens),
        cost_usd: played.iter().map(|p| p.ending.cost_usd).sum(),
        wall_s,
        overhead_ms_p50: overheads.get(overheads.len() / 2).copied().unwrap_or(0.0),
    };
    let tasks: Vec<Value> = played
        .iter()
        .map(|p| {
            json!({
                "name": p.task.name,
                "seed": seed,
                "verified": p.verified(),
                "turns": p.ending.turns,
                "outcome": p.ending.outcome.name(),
            })
        })
        .collect();
    let mut document = document(&ending, about);
    document["tasks"] = json!(tasks);
    document
}
