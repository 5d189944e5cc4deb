//! Plays a task of a world as the product does: the real episode of a shipped profile, pictures encoded, a journal on
//! disk, the world's checker at the end. What the model may see passes through one place, so that controls can put something
//! else there.

use handsight_agent::NoFonts;
use handsight_agent::ending::Outcome;
use handsight_agent::episode::{Episode, Parts};
use handsight_agent::person::Person;
use handsight_agent::profile::{Aliases, Profile, set_layer};
use handsight_agent::progress::{Event, Progress};
use handsight_agent::seat::Seat;
use handsight_agent::tools::ToolSet;
use handsight_base::flow::action::{Batch, Primitive};
use handsight_base::flow::frame::{Frame, Pixels};
use handsight_base::gate::Approved;
use handsight_base::port::clock::{Clock, VirtualClock};
use handsight_base::port::desktop::{CaptureRequest, Desktop, DesktopError, DesktopInfo, Display, Injected};
use handsight_base::port::model::Model;
use handsight_base::space::Size;
use handsight_base::stop::Stop;
use handsight_store::{Durability, Journal, Options, RunMeta};
use handsight_worlds::WORLDS;
use handsight_worlds::engine::desktop::WorldDesktop;
use handsight_worlds::engine::{Input, World, hold};
use handsight_worlds::task::{PLAIN_TOOLS, TaskInfo};
use std::sync::{Arc, Mutex};

/// How a task went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Played {
    pub(crate) verified: bool,
    pub(crate) why: String,
    pub(crate) outcome: Outcome,
    pub(crate) turns: u64,
}

/// What the model sees in place of the world it works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eyes {
    Open,
    /// One grey, whatever happens.
    Grey,
    /// The same task in the world of another seed, which is given the same input.
    OfSeed(u64),
}

pub(crate) const MOST_TURNS: u64 = 60;

/// The tasks that are asked of a profile: what its tools can do.
pub(crate) fn tasks(profile: &str) -> Vec<TaskInfo> {
    let all = (WORLDS[0].tasks)().into_iter();
    let plain = |t: &TaskInfo| t.needs_only(PLAIN_TOOLS) && t.displays < 2;
    // A plan has no drag unless a profile asks for it.
    let planned = |t: &TaskInfo| !t.tools.contains(&"drag");
    all.filter(|task| if profile == "stateless" { plain(task) } else { planned(task) }).collect()
}

/// A task on the desk of a seed.
#[derive(Clone, Copy)]
pub(crate) struct Game<'a> {
    pub(crate) profile: &'a str,
    pub(crate) task: &'a TaskInfo,
    pub(crate) seed: u64,
    pub(crate) size: Size,
}

pub(crate) fn play(game: Game<'_>, eyes: Eyes, model: Arc<dyn Model>) -> Played {
    let Game { profile, task, seed, size } = game;
    let build = |seed| {
        let world = (WORLDS[0].build)(&task.setup(seed, size));
        let objective = hold(&*world).begin(task.name).unwrap();
        (world, objective)
    };
    let (world, objective) = build(seed);
    let clock = VirtualClock::new(1_710_513_022_000);
    let real = WorldDesktop::new(Arc::clone(&world), clock.clone());
    let desktop: Box<dyn Desktop> = match eyes {
        Eyes::Open => Box::new(real),
        Eyes::Grey => {
            Box::new(Elsewhere { world: Arc::clone(&world), real, other: None, clock: clock.clone() })
        }
        Eyes::OfSeed(seed) => {
            let (other, _) = build(seed);
            let eyes = WorldDesktop::new(Arc::clone(&other), clock.clone());
            let other = Some((other, eyes));
            Box::new(Elsewhere { world: Arc::clone(&world), real, other, clock: clock.clone() })
        }
    };
    let ending = run(profile, objective, desktop, &clock, model);
    let verdict = hold(&*world).verdict().unwrap();
    Played { verified: verdict.verified, why: verdict.why, outcome: ending.0, turns: ending.1 }
}

fn run(
    profile: &str,
    task: String,
    desktop: Box<dyn Desktop>,
    clock: &VirtualClock,
    model: Arc<dyn Model>,
) -> (Outcome, u64) {
    let aliases = Aliases::of(profile, &[]).unwrap();
    let set = |text: String| set_layer(&aliases, &text).unwrap();
    let layers =
        [set(format!("limits.max_turns={MOST_TURNS}")), set("record.dump_screenshots=false".to_owned())];
    let profile = Profile::resolve(profile, &layers).unwrap();
    let tools = ToolSet::of(&profile).unwrap();
    let writing = handsight_model::dialect::Options {
        max_steps: profile.decide.max_steps_per_turn as usize,
        extended: profile.decide.extended_tools,
        tolerant: profile.decide.tolerant_parse,
    };
    let dialect = handsight_model::dialect::find(&profile.decide.dialect).unwrap();
    let dialect = (dialect.build)(&tools.specs(), &writing).unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let options = Options { durability: Durability::BATCHED, ..Options::default() };
    let journal = Journal::create(&folder.path().join("run"), &RunMeta::default(), &options).unwrap();
    let clock: Arc<dyn Clock> = Arc::new(clock.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let ending = runtime.block_on(async {
        let stop = Stop::new();
        let parts = Parts {
            perceivers: Vec::new(),
            profile: Arc::new(profile),
            task,
            seat: Seat::inline(desktop, Arc::clone(&clock), stop.clone()),
            model,
            dialect,
            tools,
            stopwatch: Arc::clone(&clock),
            clock,
            journal,
            stop,
            progress: Box::new(Silent),
            person: Person::default(),
            fonts: Box::new(NoFonts),
        };
        Episode::new(parts).unwrap().run().await
    });
    (ending.outcome, ending.turns)
}

struct Silent;

impl Progress for Silent {
    fn event(&mut self, _: &Event) {}
}

/// Hands on one world, eyes on something else.
struct Elsewhere {
    world: Arc<Mutex<dyn World>>,
    real: WorldDesktop,
    other: Option<(Arc<Mutex<dyn World>>, WorldDesktop)>,
    clock: VirtualClock,
}

impl Desktop for Elsewhere {
    fn info(&self) -> DesktopInfo {
        self.real.info()
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        self.real.displays()
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        let frame = self.real.capture(request)?;
        let pixels = match &mut self.other {
            Some((_, eyes)) => eyes.capture(request)?.pixels,
            None => Pixels::solid(frame.size(), [128, 128, 128]),
        };
        Ok(Frame { pixels, ..frame })
    }

    fn inject(&mut self, batch: Approved<Batch>, _: &Stop) -> Result<Injected, DesktopError> {
        let primitives = batch.into_inner().primitives;
        let events = primitives.len() as u32;
        for primitive in primitives {
            if let Primitive::Wait(d) = primitive {
                self.clock.advance(d);
            }
            let Some(input) = Input::of(primitive) else { continue };
            let now = self.clock.now();
            for world in
                [Some(&self.world), self.other.as_ref().map(|(other, _)| other)].into_iter().flatten()
            {
                let mut world = hold(&**world);
                world.advance(now);
                world.input(input);
            }
        }
        Ok(Injected { events, of: events, complete: true, took: std::time::Duration::ZERO })
    }
}
