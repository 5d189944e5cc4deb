//! One attempt: the case's stage, an ordinary run on it by the model or a control, and the checker's word.

use crate::assemble::world::Judge;
use crate::assemble::{self, Assembled, Folder, Request, desktop, model};
use crate::cli::EvalArgs;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::run_folder::Kind;
use crate::settings::{self, Flag};
use crate::{log, say};
use handsight_agent::ending::{Ending, Outcome};
use handsight_agent::episode::{Episode, Parts};
use handsight_agent::progress::{Event, Progress};
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::stop::Stop;
use handsight_lab::check::Held;
use handsight_lab::control::script::{Script, SharedEyes, SharedStage};
use handsight_lab::control::{Anything, Around, Control, Mind, NoOp, Oracle, Plain};
use handsight_lab::eval::{Attempt, Checked, Job, Player, malformed};
use handsight_lab::stage::{Ground, Stage, StageError};
use handsight_lab::suite::{Case, ProgramsStart, Start, WorldStart};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long what the hands did last may be on its way to where the checker looks.
const LANDS: Duration = Duration::from_secs(2);

/// What all attempts of an evaluation have in common.
pub(super) struct Table<'a> {
    pub(super) environment: &'a Environment,
    pub(super) args: &'a EvalArgs,
    /// The folder of the evaluation.
    pub(super) root: &'a Path,
    /// Where real programs are started.
    pub(super) desktop: Option<desktop::Choice>,
    /// Variables that programs do not get.
    pub(super) withheld: Vec<String>,
    /// What the profile can do.
    pub(super) offered: &'a [&'a str],
}

/// What came of a job.
pub(super) enum Played {
    Attempt(Box<Attempt>),
    /// The person stopped it: it counts for nothing.
    Stopped,
}

impl Table<'_> {
    /// Plays one. An error is about the evaluation as a whole: no desktop, no key, no disk.
    pub(super) fn play(&self, job: &Job<'_>, stop: &Stop) -> anyhow::Result<Played> {
        let folder = self.root.join(&job.folder);
        let runtime = crate::runtime()?;
        let (ending, checked) = match &job.case.start {
            Start::World(start) => runtime.block_on(self.on_world(job, start, folder.clone(), stop))?,
            Start::Programs(start) => {
                match runtime.block_on(self.on_desktop(job, start, folder.clone(), stop))? {
                    Some(played) => played,
                    None if stop.is_set() => return Ok(Played::Stopped),
                    None => return Err(Failure::new(Exit::DesktopLost, "the desktop is gone", "").into()),
                }
            }
        };
        let Some(ending) = ending else {
            let why = checked.err().unwrap_or_default();
            return Ok(Played::Attempt(Box::new(Attempt::void(job, why))));
        };
        if matches!(ending.outcome, Outcome::Stopped(_)) {
            return Ok(Played::Stopped);
        }
        let unusable = malformed(&folder).unwrap_or_else(|error| {
            say::warning(&format!("the replies of {} cannot be counted: {error}", folder.display()));
            0
        });
        Ok(Played::Attempt(Box::new(Attempt::of(job, &ending, checked, unusable))))
    }

    async fn on_world(
        &self,
        job: &Job<'_>,
        start: &WorldStart,
        folder: PathBuf,
        stop: &Stop,
    ) -> anyhow::Result<(Option<Ending>, Checked)> {
        let desktop = desktop::Choice::read(&start.desktop(job.seed), self.environment)?;
        let display = (start.displays > 1).then(|| start.display());
        let request = self.request(job, desktop, None, display, folder)?;
        let Assembled { mut parts, judge, .. } =
            assemble::assemble(self.environment, request, stop.clone()).await?;
        match (job.player, judge.as_ref().map(Judge::world)) {
            (Player::Oracle, Some(world)) => put(&mut parts, job.player, Oracle::new(world)),
            _ => self.control(&mut parts, job, None),
        }
        let ending = Episode::new(parts)?.judged_by(|| judge.as_ref().and_then(Judge::verified)).await;
        let checked = judge.and_then(|judge| judge.verdict());
        Ok((Some(ending), checked.ok_or_else(|| "the world has no task".to_owned())))
    }

    /// `None` if there was a stop while the stage was set.
    async fn on_desktop(
        &self,
        job: &Job<'_>,
        start: &ProgramsStart,
        folder: PathBuf,
        stop: &Stop,
    ) -> anyhow::Result<Option<(Option<Ending>, Checked)>> {
        let Some(desktop) = &self.desktop else { return Ok(None) };
        let clock: Arc<dyn Clock> = Arc::new(RealClock::new());
        let kit = desktop::Kit::eyes(Arc::clone(&clock));
        let mut eyes = desktop::connector(desktop, kit)?()?;
        let stage = match Stage::set(start, self.ground(job, desktop)?, &mut *eyes, &*clock, stop).await {
            Ok(stage) => stage,
            Err(StageError::Stopped) => return Ok(None),
            Err(error) => return Ok(Some((None, Err(error.to_string())))),
        };
        let objective = stage.objective(start);
        let stage: SharedStage = Arc::new(Mutex::new(Some(stage)));
        let eyes: SharedEyes = Arc::new(Mutex::new(eyes));
        let request = self.request(job, desktop.clone(), Some(objective), None, folder)?;
        let assembled = assemble::assemble(self.environment, request, stop.clone()).await;
        let Assembled { mut parts, .. } = assembled?;
        if job.player == Player::Oracle {
            let script =
                Script::new(start.clone(), Arc::clone(&stage), Arc::clone(&eyes), Arc::clone(&clock));
            put(&mut parts, job.player, script);
        } else {
            self.control(&mut parts, job, Some(around(&stage, &eyes)));
        }
        let mut checked: Checked = Err("nobody looked".into());
        let ending = Episode::new(parts)?
            .judged_by(|| {
                // Who did nothing has nothing on its way.
                let lands = if job.player == Player::NoOp { Duration::ZERO } else { LANDS };
                checked = judged(start, &stage, &eyes, lands);
                checked.as_ref().ok().map(|(is, _)| *is)
            })
            .await;
        let staged = stage.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(staged), Ok(eyes)) = (staged, Arc::try_unwrap(eyes)) {
            let mut eyes = eyes.into_inner().unwrap_or_else(PoisonError::into_inner);
            staged.clear(&mut *eyes, &*clock).await;
        }
        Ok(Some((Some(ending), checked)))
    }

    /// Where the programs of an attempt live: beside the runs, away from the person's own.
    fn ground(&self, job: &Job<'_>, desktop: &desktop::Choice) -> anyhow::Result<Ground> {
        let root = std::path::absolute(self.root)?;
        let place = root.join("stage").join(format!("{}-{}-{}", job.case.id, job.seed, job.player.word()));
        let variables = match desktop {
            desktop::Choice::X11 { display } => vec![("DISPLAY".to_owned(), display.clone())],
            _ => Vec::new(),
        };
        Ok(Ground { place, variables, withheld: self.withheld.clone() })
    }

    fn request(
        &self,
        job: &Job<'_>,
        desktop: desktop::Choice,
        objective: Option<String>,
        display: Option<&str>,
        folder: PathBuf,
    ) -> anyhow::Result<Request> {
        let settings =
            settings::resolve(self.environment, &self.args.settings, &self.flags(job.case, display))?;
        let model = match job.player {
            Player::Model => model::Choice::read(self.environment, &settings.profile, &self.args.model)?,
            // Put in its place once there is a world to know.
            control => {
                let name = PathBuf::from(format!("control-{}", control.word()));
                model::Choice::scripted(self.environment, &name, String::new())?
            }
        };
        let task = match objective {
            Some(objective) => objective,
            None => assemble::task_of(&desktop, &model)?.unwrap_or_default(),
        };
        let folder = Folder::New { out: Some(folder), kind: Kind::Run };
        Ok(Request { settings, task, desktop, model: Some(model), folder, hands: true, quiet: true })
    }

    /// The case's limits and display, unless the person set others.
    fn flags(&self, case: &Case, display: Option<&str>) -> Vec<Flag> {
        let turns = i64::try_from(case.limits.turns).unwrap_or(i64::MAX);
        let mut flags = vec![
            Flag::new("limits.turns of the case", "limits.max_turns", turns),
            Flag::new("limits.seconds of the case", "limits.max_time_s", case.limits.seconds),
        ];
        flags.extend(display.map(|display| Flag::new("displays of the case", "capture.display", display)));
        let own = |key: &str| self.args.settings.set.iter().any(|set| set.starts_with(&format!("{key}=")));
        flags.retain(|flag| !own(flag.key));
        flags
    }

    /// Puts a control in the model's place, if it is a control's turn. `around`: on a desktop that is not its own.
    fn control(&self, parts: &mut Parts, job: &Job<'_>, around: Option<Around>) {
        parts.progress = Box::new(Quiet);
        match job.player {
            Player::NoOp => put(parts, job.player, NoOp),
            Player::Random => {
                let anything = Anything::new(job.seed, &job.case.id, self.offered);
                let anything = match around {
                    Some(around) => anything.within(around),
                    None => anything,
                };
                put(parts, job.player, anything);
            }
            Player::Oracle | Player::Model => {}
        }
    }
}

/// Makes a control the model of a run.
fn put<M: Mind + 'static>(parts: &mut Parts, player: Player, mind: M) {
    parts.model = Arc::new(Control::new(player.word(), mind));
    parts.dialect = Box::new(Plain);
    parts.progress = Box::new(Quiet);
}

/// The windows that a control may touch, as they are whenever it asks.
fn around(stage: &SharedStage, eyes: &SharedEyes) -> Around {
    let (stage, eyes) = (Arc::clone(stage), Arc::clone(eyes));
    Box::new(move || {
        let stage = stage.lock().unwrap_or_else(PoisonError::into_inner);
        let mut eyes = eyes.lock().unwrap_or_else(PoisonError::into_inner);
        stage.as_ref().map_or_else(Vec::new, |stage| stage.around(&mut **eyes))
    })
}

fn judged(start: &ProgramsStart, stage: &SharedStage, eyes: &SharedEyes, lands: Duration) -> Checked {
    let mut stage = stage.lock().unwrap_or_else(PoisonError::into_inner);
    let mut eyes = eyes.lock().unwrap_or_else(PoisonError::into_inner);
    let stage = stage.as_mut().ok_or_else(|| "the programs are gone".to_owned())?;
    match stage.judge(start, &mut **eyes, lands) {
        Ok(Held::Yes) => Ok((true, "all is as wanted".to_owned())),
        Ok(Held::No(why)) => Ok((false, why)),
        Err(unchecked) => Err(unchecked.to_string()),
    }
}

/// Says warnings only: many runs go on at a time.
struct Quiet;

impl Progress for Quiet {
    fn event(&mut self, event: &Event) {
        if let Event::Warning(line) = event
            && log::verbosity() > crate::cli::Verbosity::Normal
        {
            say::warning(line);
        }
    }
}
