//! The one composition root: from what was asked for to the parts of an episode.
//!
//! Backends, providers, dialects and the journal meet here and nowhere else; `main` and the commands know their names only. This
//! module decides nothing about a run but which parts it has.

pub(crate) mod desktop;
mod exchanges;
pub(crate) mod model;
pub(crate) mod money;
pub(crate) mod native;
pub(crate) mod perceivers;
mod resume;
pub(crate) mod room;
mod vnc;
pub(crate) mod world;

use self::model::Answering;
use self::world::Judge;
use crate::commands::run::About;
use crate::environment::Environment;
use crate::exit::Failure;
use crate::run_folder::Kind;
use crate::settings::Settings;
use crate::{fonts, log, notice, progress, providers, run_folder, say, secrets};
use anyhow::Context as _;
use handsight_agent::episode::Parts;
use handsight_agent::person::Person;
use handsight_agent::profile::Profile;
use handsight_agent::seat::Seat;
use handsight_agent::tools::ToolSet;
use handsight_base::flow::step::StepRecord;
use handsight_base::port::clock::{Clock, RealClock, VirtualClock};
use handsight_base::port::dialect::Dialect;
use handsight_base::stop::Stop;
use handsight_desktop::floor::Floor;
use handsight_desktop::replay::FirstDifference;
use handsight_model::{Healing, Limiter, Recorded, RetryPolicy, Retrying, Scripted};
use handsight_store::{Durability, Journal, Options, Reader, RunMeta};
use handsight_worlds::engine::desktop::WorldDesktop;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a run is to be made of.
pub(crate) struct Request {
    pub(crate) settings: Settings,
    pub(crate) task: String,
    pub(crate) desktop: desktop::Choice,
    /// `None` for a person.
    pub(crate) model: Option<model::Choice>,
    pub(crate) folder: Folder,
    /// Without hands nothing can be moved: a dry run.
    pub(crate) hands: bool,
    /// Leaves out what a person reads before a run; for many runs in a row.
    pub(crate) quiet: bool,
}

/// Where the journal is.
#[derive(Debug, Clone)]
pub(crate) enum Folder {
    New { out: Option<PathBuf>, kind: Kind },
    Resumed { dir: PathBuf },
}

/// An episode in parts, and what to say of it.
pub(crate) struct Assembled {
    pub(crate) parts: Parts,
    pub(crate) about: About,
    pub(crate) replay: Replay,
    /// Of a world with a task.
    pub(crate) judge: Option<Judge>,
}

/// What a replay has to tell afterwards.
#[derive(Default)]
pub(crate) struct Replay {
    /// The requests.
    recorded: Option<Arc<Recorded>>,
    /// The deeds.
    done: Option<FirstDifference>,
}

impl Replay {
    /// Says where the run left the recording, if it did. True if it did not; `None` if nothing was compared.
    pub(crate) fn report(&self) -> Option<bool> {
        if self.recorded.is_none() && self.done.is_none() {
            return None;
        }
        let asked = self.recorded.as_ref().and_then(|r| r.first_difference()).map(|d| d.to_string());
        let done = self.done.as_ref().and_then(FirstDifference::get).map(|d| d.to_string());
        let left: Vec<String> = asked.into_iter().chain(done).collect();
        if left.is_empty() {
            say::progress("the replay is the recording, request by request and deed by deed");
        }
        left.iter().for_each(|line| say::warning(line));
        Some(left.is_empty())
    }
}

/// Puts everything together: model, seat, journal, in the order in which their failure costs least.
pub(crate) async fn assemble(
    environment: &Environment,
    request: Request,
    stop: Stop,
) -> anyhow::Result<Assembled> {
    let Request { settings, task, desktop, model, folder, hands, quiet } = request;
    let Settings { mut profile, sources } = settings;
    // Whose own commands move the hands is not kept off by typing them.
    profile.person.pause &= model.is_some();
    if let Folder::New { out: Some(out), .. } = &folder {
        run_folder::check(out)?;
    }
    let place = match &folder {
        Folder::New { out, .. } => out.as_deref().unwrap_or(Path::new(&profile.record.dump_folder)),
        Folder::Resumed { dir } => dir,
    };
    room::Room::check(place, &profile)?;
    let desktop = desktop.equipped(&profile, environment)?;
    let real = desktop.is_real();
    let wall = RealClock::new();
    let stopwatch: Arc<dyn Clock> = Arc::new(wall.clone());
    // Of a desktop that is not real: nothing there needs to sleep.
    let unreal = VirtualClock::new(wall.unix_millis());
    let clock: Arc<dyn Clock> = if real { Arc::clone(&stopwatch) } else { Arc::new(unreal.clone()) };

    let withheld = providers::withheld(environment, &profile);
    let name = model.as_ref().map_or_else(|| "manual".to_owned(), model::Choice::name);
    let chosen = match model {
        Some(choice) => choice.make(environment, &profile, &clock, &stopwatch)?,
        None => nobody(&profile, &clock)?,
    };
    // Where pictures go is the first thing a person reads.
    chosen.service.iter().flat_map(notice::service).for_each(|line| say::note(&line));
    if real {
        let floor = native::floor();
        floor.iter().flat_map(Floor::shortfalls).for_each(|line| say::warning(&line));
    }
    money::check(&profile.limits, &name, chosen.answering.price_known())?;
    let ledger = match &chosen.answering {
        Answering::Served { .. } => money::ledger(environment, &profile.limits)?,
        Answering::Here(_) => None,
    };
    if !sources.is_empty() && !quiet {
        say::progress(&format!("settings from {}", sources.join(", ")));
    }
    let tools = tools(&profile)?;
    let perceivers = perceivers::of(&profile, &withheld);
    let dialect = dialect(&chosen, &tools, &profile)?;
    let connecting = seat(environment, &profile, &desktop, hands, withheld, (&clock, &unreal), &stop);
    let Seated { seat, done, judge } = tokio::select! {
        biased;
        reason = stop.stopped() => return Err(Failure::stopped(reason).into()),
        seated = connecting => seated?,
    };

    let options = options(&profile, real);
    let journal = match folder {
        Folder::New { out, kind } => {
            let dump = Path::new(&profile.record.dump_folder);
            let dir = run_folder::create(out.as_deref(), dump, kind, wall.unix_millis())?;
            let meta = meta(&dir, &profile, &task, &desktop, chosen.names.clone(), &wall);
            Journal::create(&dir, &meta, &options)?
        }
        Folder::Resumed { dir } => {
            let (journal, report) = Journal::open(&dir, &options)?;
            resume::tell(&report);
            journal
        }
    };
    let run = journal.dir().to_owned();
    let model = match chosen.answering {
        Answering::Here(model) => model,
        Answering::Served { remote, tariff } => {
            let service = format!("{}@{}", remote.provider().name, remote.endpoint().host());
            let limiter = Limiter::new(&service, ledger.clone(), Arc::clone(&stopwatch));
            let paid = money::paid(remote, tariff, ledger, (&journal, &profile.limits), &stopwatch)?;
            let policy = RetryPolicy::times(profile.decide.retries);
            let healing = Arc::new(Healing::new(paid));
            Arc::new(Retrying::new(healing, policy, Arc::clone(&stopwatch), None).limited(limiter))
        }
    };
    if !quiet {
        let chord = desktop.hears_the_person().then_some(profile.desktop.stop_chord.as_str());
        let pauses = seat.info().capabilities.person;
        let lines = notice::start(real, chord, pauses, &run, profile.record.dump_screenshots);
        lines.iter().for_each(|line| say::progress(line));
    }
    if let desktop::Choice::Replay { run } = &desktop {
        say::progress(&format!(
            "this is a replay: the pictures are those of {}, and nothing is moved",
            run.display()
        ));
    }
    let about = About { run, profile: profile.name.clone(), desktop: desktop.to_string(), model: name };
    let replay = Replay { recorded: chosen.recorded, done };
    let parts = Parts {
        profile: Arc::new(profile),
        task,
        seat,
        model,
        dialect,
        tools,
        perceivers,
        clock,
        stopwatch,
        journal,
        stop,
        person: Person { redactor: secrets::redactor(), ..Person::default() },
        progress: Box::new(progress::Lines::new(log::verbosity())),
        fonts: fonts::source(environment),
    };
    Ok(Assembled { parts, about, replay, judge })
}

/// The task that a recording was made with or a world has set, if there is one.
pub(crate) fn task_of(desktop: &desktop::Choice, model: &model::Choice) -> anyhow::Result<Option<String>> {
    let replayed = match desktop {
        desktop::Choice::Replay { run } => Some(run.as_path()),
        desktop::Choice::X11 { .. } | desktop::Choice::Windows | desktop::Choice::Vnc(_) => None,
        desktop::Choice::World(world) => match world.build()? {
            (_, Some(wanted)) => return Ok(Some(wanted)),
            (_, None) => None,
        },
    };
    let Some(run) = model.recording().or(replayed) else { return Ok(None) };
    let reader = Reader::open(run)?;
    Ok(reader.meta().map(|meta| meta.objective.clone()).filter(|task| !task.is_empty()))
}

/// A log of turns as a script of the same calls; turns without a call are left out.
pub(crate) fn recorded_script(log: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(log)
        .map_err(|e| Failure::usage(format!("{} cannot be read: {e}", log.display()), ""))?;
    let mut steps = Vec::new();
    for (n, line) in text.lines().enumerate() {
        steps.push(serde_json::from_str(line).map_err(|e| {
            let what = format!("{}, line {}: {e}", log.display(), n + 1);
            Failure::usage(what, "A log is the session.jsonl of a run, one turn a line.")
        })?);
    }
    Ok(script(steps))
}

/// The calls of these turns, a line each; turns without a call are left out.
pub(crate) fn script(steps: Vec<StepRecord>) -> String {
    let mut script = String::new();
    for step in steps {
        let Some(call) = step.call else { continue };
        let mut args = call.args;
        if let Some(args) = args.as_object_mut() {
            args.entry("reason").or_insert(step.reason.into());
        }
        script.push_str(&serde_json::json!({ "call": call.tool, "args": args }).to_string());
        script.push('\n');
    }
    script
}

/// A seat, and what there is to ask of its desktop afterwards.
struct Seated {
    seat: Seat,
    done: Option<FirstDifference>,
    judge: Option<Judge>,
}

async fn seat(
    environment: &Environment,
    profile: &Profile,
    desktop: &desktop::Choice,
    hands: bool,
    withheld: Vec<String>,
    (clock, unreal): (&Arc<dyn Clock>, &VirtualClock),
    stop: &Stop,
) -> anyhow::Result<Seated> {
    let only = |seat| Seated { seat, done: None, judge: None };
    match desktop {
        desktop::Choice::X11 { .. } | desktop::Choice::Windows | desktop::Choice::Vnc(_) => {
            let hands = if hands { desktop::hands(environment, profile, desktop)? } else { None };
            let overlay_pulses = profile.hud.reassert_pulses;
            let (clock, method) = (Arc::clone(clock), profile.capture.method);
            let (buses, ui_automation) = (desktop::Buses::of(environment), profile.desktop.ui_automation);
            let kit = desktop::Kit { hands, clock, overlay_pulses, withheld, method, buses, ui_automation };
            Ok(only(desktop::real(desktop, kit, profile, stop).await?))
        }
        desktop::Choice::Replay { run } => {
            let (seat, done) = desktop::replay(run, clock, stop)?;
            Ok(Seated { done: Some(done), ..only(seat) })
        }
        desktop::Choice::World(choice) => {
            let (world, _wanted) = choice.build()?;
            let mut eyes = WorldDesktop::new(Arc::clone(&world), unreal.clone());
            desktop::target_is_there(&mut eyes, &profile.capture)?;
            let seat = Seat::inline(Box::new(eyes), Arc::clone(clock), stop.clone());
            Ok(Seated { judge: Some(Judge::new(world)), ..only(seat) })
        }
    }
}

/// A seat without hands, for who only looks.
pub(crate) async fn eyes(
    environment: &Environment,
    profile: &Profile,
    desktop: desktop::Choice,
    stop: &Stop,
) -> anyhow::Result<Seat> {
    let desktop = desktop.equipped(profile, environment)?;
    let wall = RealClock::new();
    let unreal = VirtualClock::new(wall.unix_millis());
    let clock: Arc<dyn Clock> = if desktop.is_real() { Arc::new(wall) } else { Arc::new(unreal.clone()) };
    let withheld = providers::withheld(environment, profile);
    let seated = seat(environment, profile, &desktop, false, withheld, (&clock, &unreal), stop).await?;
    Ok(seated.seat)
}

pub(crate) fn tools(profile: &Profile) -> anyhow::Result<ToolSet> {
    Ok(ToolSet::of(profile)?)
}

/// How the model of a run writes, if its wire can carry it.
fn dialect(chosen: &model::Chosen, tools: &ToolSet, profile: &Profile) -> anyhow::Result<Box<dyn Dialect>> {
    let name = chosen.dialect.as_str();
    let entry =
        handsight_model::dialect::find(name).ok_or_else(|| no_such_dialect("decide.dialect", name))?;
    if let Answering::Served { remote, .. } = &chosen.answering {
        let (provider, wire) = (&remote.provider().name, remote.provider().wire.name);
        if !entry.speaks(wire) {
            let over = entry.info.wires.join(" or ");
            let what =
                format!("the dialect {name} goes over the wire {over}, but {provider} is asked over {wire}");
            let fitting = handsight_model::DIALECTS.iter().filter(|d| d.speaks(wire)).map(|d| d.info.name);
            let fitting: Vec<&str> = fitting.collect();
            let hint = format!(
                "Give decide.dialect one of {}; or name a provider with the wire {over}.",
                fitting.join(", ")
            );
            return Err(Failure::usage(what, hint).into());
        }
    }
    (entry.build)(&tools.specs(), &writing(profile)).with_context(|| format!("the dialect {name}"))
}

/// What the profile says of how replies are written.
pub(crate) fn writing(profile: &Profile) -> handsight_model::dialect::Options {
    let decide = &profile.decide;
    // No reply has more steps than a run has turns (D-24).
    let most = u64::from(decide.max_steps_per_turn).min(profile.limits.max_turns.unwrap_or(u64::MAX));
    handsight_model::dialect::Options {
        max_steps: usize::try_from(most).unwrap_or(usize::MAX),
        extended: decide.extended_tools,
        tolerant: decide.tolerant_parse,
    }
}

pub(crate) fn no_such_dialect(where_: &str, name: &str) -> Failure {
    let there: Vec<&str> = handsight_model::DIALECTS.iter().map(|d| d.info.name).collect();
    let what = format!("{where_} is {name:?}, which is no dialect; there are: {}", there.join(", "));
    Failure::usage(what, "`handsight models dialects` says what each is for.")
}

/// A model that is never asked.
fn nobody(profile: &Profile, clock: &Arc<dyn Clock>) -> anyhow::Result<model::Chosen> {
    Ok(model::Chosen {
        answering: Answering::Here(Arc::new(Scripted::read("manual", "", Arc::clone(clock))?)),
        dialect: profile.decide.dialect.clone(),
        service: None,
        recorded: None,
        names: BTreeMap::new(),
    })
}

/// Effects on a real desktop are synced before they happen; simulated ones come in batches.
fn options(profile: &Profile, real: bool) -> Options {
    Options {
        durability: if real { Durability::Always } else { Durability::BATCHED },
        quota_bytes: profile.record.quota_mib << 20,
        redactor: secrets::redactor(),
        ..Options::default()
    }
}

fn meta(
    dir: &Path,
    profile: &Profile,
    task: &str,
    desktop: &desktop::Choice,
    models: BTreeMap<String, String>,
    wall: &RealClock,
) -> RunMeta {
    RunMeta {
        run: run_folder::name(dir),
        profile: profile.name.clone(),
        profile_text: profile.to_toml(),
        objective: task.to_owned(),
        desktop: desktop.to_string(),
        models,
        engine: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix_millis: wall.unix_millis(),
        parent: None,
    }
}
