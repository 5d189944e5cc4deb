//! One leg of a simulated run: a journal is opened, the real engine runs over the world, and ends or dies.

use super::check::{self, Before};
use super::disk::tamper;
use super::hands::Hands;
use super::mind::Mind;
use super::scene::{Watched, stir};
use super::state::{Control, Fate, Leg, Shared, Told};
use crate::sim::Report;
use handsight_agent::NoFonts;
use handsight_agent::ending::Ending;
use handsight_agent::episode::{Episode, Parts};
use handsight_agent::person::Person;
use handsight_agent::profile::{Aliases, Profile, set_layer};
use handsight_agent::progress::{Event, Progress};
use handsight_agent::seat::Seat;
use handsight_agent::tools::ToolSet;
use handsight_base::flow::action::{Action, Button};
use handsight_base::flow::intent::Intent;
use handsight_base::flow::prompt::Prompt;
use handsight_base::gate::{Scene, Work};
use handsight_base::key::Modifiers;
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::Desktop as _;
use handsight_base::port::dialect::{Decoded, Dialect, DialectInfo, Rejection};
use handsight_base::port::model::{ModelReply, ModelRequest};
use handsight_base::space::{At, FramePx, PictureGeometry};
use handsight_base::stop::Stop;
use handsight_store::{Durability, Journal, Options, Outside, Reader, RunMeta, StoreError};
use handsight_testkit::simulated::desktop::FaultyDesktop;
use handsight_testkit::simulated::die;
use handsight_testkit::simulated::time::{Driven, drive};
use handsight_testkit::wait;
use handsight_worlds::engine::desktop::WorldDesktop;
use handsight_worlds::engine::share;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Far more than the longest leg takes.
const STEPS: u32 = 200_000;

/// US dollars of a call; a sum of them is exact.
const PRICE: f64 = 1.0 / 64.0;

/// What a leg was told to do.
#[derive(Debug, Clone)]
pub(crate) struct Orders {
    pub(crate) profile: Profile,
    pub(crate) max_turns: u64,
    pub(crate) price: Option<f64>,
}

pub(crate) struct Run {
    pub(crate) shared: Shared,
    pub(crate) world: Arc<Mutex<Watched>>,
    pub(crate) window: bool,
    /// Of all legs together.
    pub(crate) most_usd: Option<f64>,
}

impl Run {
    pub(crate) fn new(seed: u64, control: Control) -> Self {
        let shared = Shared::new(seed, control);
        let world = share(Watched::new(seed, shared.clone()));
        let mut sim = shared.sim();
        let window = sim.dice.chance(35);
        let most_usd = sim.dice.chance(15).then(|| f64::from(sim.dice.range(2, 12)) * PRICE);
        drop(sim);
        Self { shared, world, window, most_usd }
    }

    /// All legs.
    pub(crate) fn to_its_end(&self, dir: &Path) -> Report {
        let legs = 1 + self.shared.sim().dice.below(4) as u32;
        for leg in 0..legs {
            self.shared.sim().leg_no = leg;
            if !self.leg(dir) || !self.shared.sim().wrong.is_empty() {
                break;
            }
        }
        let mut sim = self.shared.sim();
        for (kind, n) in sim.disk.drawn() {
            *sim.drawn.entry(kind).or_default() += n;
        }
        Report {
            wrong: std::mem::take(&mut sim.wrong),
            log: std::mem::take(&mut sim.log),
            drawn: sim.drawn.clone(),
            turns: sim.told.iter().filter(|t| t.committed).count() as u64,
            legs: sim.leg_no + 1,
            sums: check::all(dir),
        }
    }

    fn options(&self) -> Options {
        let mut sim = self.shared.sim();
        let durability = match sim.control {
            Control::EarlyAck => Durability::Batched { turns: 1_000, millis: u64::MAX },
            _ => Durability::Always,
        };
        let small = sim.strikes("a quota for a few pictures", 20);
        let outside = Outside { clock: Arc::new(sim.clock.clone()), disk: Some(Arc::clone(&sim.disk) as _) };
        let quota_bytes = if small { 40 << 10 } else { 64 << 20 };
        Options { durability, quota_bytes, reserve_bytes: 4 << 10, outside, ..Options::default() }
    }

    fn open(&self, dir: &Path, options: &Options) -> Option<Journal> {
        if !dir.join("run.db").exists() {
            return Some(
                Journal::create(dir, &RunMeta { run: "sim".into(), ..RunMeta::default() }, options).unwrap(),
            );
        }
        let mut sim = self.shared.sim();
        if sim.dice.chance(10) {
            sim.disk.arm(None);
        }
        drop(sim);
        let mut tries = 0;
        loop {
            match Journal::open(dir, options) {
                Ok((journal, report)) => {
                    if !report.is_sound() || !report.lost.is_empty() {
                        self.shared.sim().wrong(format!("the journal is not sound: {report:?}"));
                    }
                    return Some(journal);
                }
                Err(StoreError::DiskFull { .. } | StoreError::Failed { .. }) if tries < 3 => {
                    tries += 1;
                    let mut sim = self.shared.sim();
                    sim.happens("an opening that the disk refuses");
                    sim.disk.disarm();
                }
                Err(error) => {
                    self.shared.sim().wrong(format!("the run cannot be resumed: {error}"));
                    return None;
                }
            }
        }
    }

    /// False if nothing can come after it.
    fn leg(&self, dir: &Path) -> bool {
        let before = Before::look(dir);
        self.shared.sim().disk.disarm();
        let options = self.options();
        let Some(journal) = self.open(dir, &options) else { return false };
        check::resumes(&self.shared, &before, journal.resume());
        let fate = {
            let mut sim = self.shared.sim();
            sim.leg = Leg::default();
            sim.stop = Stop::new();
            sim.fate = Fate::draw(&mut sim.dice);
            sim.fate
        };
        let orders = self.orders(&journal);
        let began = {
            let mut sim = self.shared.sim();
            sim.note(format!(
                "a leg begins at turn {}: {fate:?}, window {}",
                journal.next_turn(),
                self.window
            ));
            sim.disk.arm(match fate {
                Fate::DieOnDisk { n, after } => Some((n, after)),
                _ => None,
            });
            sim.clock.clear_events();
            let (shared, now) = (self.shared.clone(), sim.clock.now());
            match fate {
                Fate::StopAtTime(after, reason) => {
                    sim.clock.at(now + after, move || shared.sim().stop("a stop at any time", reason));
                }
                Fate::DieAtTime(after) => sim.clock.at(now + after, move || {
                    shared.sim().happens("death at any time");
                    die()
                }),
                _ => {}
            }
            now
        };
        {
            let mut world = handsight_worlds::engine::hold(&*self.world);
            world.unplug(false);
            world.absence = None;
        }
        let ended = self.drive(journal, &orders);
        let died = matches!(ended, Driven::Died);
        if handsight_worlds::engine::hold(&*self.world).lacks_target() {
            self.shared.sim().explains("target_lost");
        }
        self.after(&ended, began);
        // An engine that died lets its journal go on a thread of its own.
        let reader = wait::before(wait::PATIENCE, || Reader::open(dir).ok().filter(|r| !r.is_live()));
        let Some(reader) = reader else {
            self.shared.sim().wrong("the journal cannot be read");
            return false;
        };
        check::leg(&self.shared, dir, reader, &before, &orders, &ended, began);
        check::quota(&self.shared, dir, options.quota_bytes);
        let mut sim = self.shared.sim();
        let tampering = sim.habits.tampering;
        if sim.dice.chance(tampering) {
            let mut dice = sim.dice.clone();
            sim.dice.next();
            for what in tamper(dir, &mut dice, died) {
                sim.happens(what);
            }
        }
        let pause = sim.dice.range(0, 600) as u64;
        sim.clock.time().advance(Duration::from_secs(pause));
        true
    }

    /// What must be so once nothing runs any more.
    fn after(&self, ended: &Driven<Ending>, began: Duration) {
        let held = handsight_worlds::engine::hold(&*self.world).held();
        match ended {
            Driven::Done(ending) => {
                let mut sim = self.shared.sim();
                let took = sim.clock.now().saturating_sub(began);
                if !held.0.is_empty() || !held.1.is_empty() {
                    sim.wrong(format!("the desk holds {held:?} after the end"));
                }
                sim.note(format!("ended after {took:?}: {ending:?}"));
                if !sim.down.is_empty() {
                    let down = format!("{:?}", sim.down);
                    sim.wrong(format!("{down} is down after the end"));
                }
                sim.down.clear();
            }
            Driven::Died => self.shared.sim().note("died"),
            Driven::Panicked(why) => self.shared.sim().wrong(format!("a panic: {why}")),
            Driven::Hung(why) => self.shared.sim().wrong(format!("it hangs: {why}")),
        }
        handsight_worlds::engine::hold(&*self.world).orphaned();
    }

    fn orders(&self, journal: &Journal) -> Orders {
        let mut sim = self.shared.sim();
        let max_turns = journal.next_turn() - 1 + sim.dice.range(1, 16) as u64;
        let mut settings: Vec<String> = [
            "context.picture_width=160",
            "context.picture_height=100",
            "settle.sample_w=64",
            "settle.sample_h=40",
            "desktop.target_wait_s=6",
        ]
        .map(String::from)
        .to_vec();
        settings.push(format!("limits.max_turns={max_turns}"));
        settings.push(format!("settle.enabled={}", sim.dice.chance(70)));
        settings.push(format!("decide.max_failures={}", [1, 2, 3, 3, 3, 5][sim.dice.below(6)]));
        settings.push(format!("record.full_wait_s={}", [0, 2, 10, 10][sim.dice.below(4)]));
        settings.push(format!("act.hold_ms={}", [0, 0, 40][sim.dice.below(3)]));
        settings.push(format!("act.type_interval_ms={}", [0, 0, 25][sim.dice.below(3)]));
        // A write that ends the engine may run beside the model: nothing else may end the call, or which came first were open.
        let dies_beside = matches!(sim.fate, Fate::DieOnDisk { .. });
        if !dies_beside && sim.dice.chance(25) {
            let limit = journal.totals().elapsed_s + f64::from(sim.dice.range(1, 60));
            settings.push(format!("limits.max_time_s={limit}"));
        }
        if let Some(most) = self.most_usd {
            settings.push(format!("limits.max_cost_usd={most}"));
        }
        if self.window {
            let id = handsight_worlds::engine::hold(&*self.world).target.0;
            settings.push("capture.target=window".into());
            settings.push(format!("capture.window=id:{id}"));
            settings.push(format!("capture.focus={}", sim.dice.chance(50)));
        }
        if sim.control == Control::Forgets && sim.leg_no > 0 {
            settings.push("learn.carry=none".into());
        }
        let price = sim.dice.chance(80).then_some(PRICE);
        sim.note(format!("{settings:?}"));
        let aliases = Aliases::of("stateless", &[]).unwrap();
        let layers: Vec<_> = settings.iter().map(|s| set_layer(&aliases, s).unwrap()).collect();
        Orders { profile: Profile::resolve("stateless", &layers).unwrap(), max_turns, price }
    }

    fn drive(&self, journal: Journal, orders: &Orders) -> Driven<Ending> {
        let profile = orders.profile.clone();
        let tools = ToolSet::of(&profile).unwrap();
        let mut dialect = handsight_model::dialect::build("tools", &tools.specs()).unwrap().unwrap();
        let (clock, mut stop, control) = {
            let sim = self.shared.sim();
            (sim.clock.clone(), sim.stop.clone(), sim.control)
        };
        if control == Control::ActsOnGarbage {
            dialect = Box::new(Guessing(dialect));
        }
        if control == Control::Deaf {
            stop = Stop::new();
        }
        let mut desktop = self.desktop();
        if control == Control::Replays {
            self.replay(&journal, &mut desktop);
        }
        let stopwatch: Arc<dyn Clock> = Arc::new(clock.clone());
        drive(&clock, STEPS, async move {
            let parts = Parts {
                perceivers: Vec::new(),
                profile: Arc::new(profile),
                task: "Do as you are told".into(),
                seat: Seat::inline(Box::new(desktop), Arc::clone(&stopwatch), stop.clone()),
                model: Arc::new(Mind {
                    shared: self.shared.clone(),
                    world: Arc::clone(&self.world),
                    price: orders.price,
                }),
                dialect,
                tools,
                clock: Arc::clone(&stopwatch),
                stopwatch,
                journal,
                stop,
                progress: Box::new(Ear { shared: self.shared.clone(), world: Arc::clone(&self.world) }),
                person: Person::default(),
                fonts: Box::new(NoFonts),
            };
            Episode::new(parts).unwrap().run().await
        })
    }

    fn desktop(&self) -> FaultyDesktop<WorldDesktop, Hands> {
        let time = self.shared.sim().clock.time();
        let world = WorldDesktop::new(Arc::clone(&self.world) as _, time);
        let hands =
            Hands { shared: self.shared.clone(), world: Arc::clone(&self.world), window: self.window };
        FaultyDesktop::new(world, hands)
    }

    /// What an engine that replays would do.
    fn replay(&self, journal: &Journal, desktop: &mut FaultyDesktop<WorldDesktop, Hands>) {
        let Some(geometry) = self.shared.sim().geometry else { return };
        let gate = handsight_agent::policy::gate(&Profile::resolve("stateless", &[]).unwrap()).unwrap();
        for ambiguous in &journal.resume().ambiguous {
            let scene = Scene::new(&geometry, ambiguous.turn);
            let Ok(approved) = gate.approve(ambiguous.action.clone(), &scene) else { continue };
            if let Ok(Work::Input(batch)) = approved.expand(&geometry, &Default::default()) {
                let _ = desktop.inject(batch, &Stop::new());
            }
        }
    }
}

/// Hears what the engine tells, and lets happen what is due then.
struct Ear {
    shared: Shared,
    world: Arc<Mutex<Watched>>,
}

impl Progress for Ear {
    fn event(&mut self, event: &Event) {
        let mut sim = self.shared.sim();
        // While the model is asked, the journal's thread is at work: what it comes to is found out after that.
        if !matches!(event, Event::Asked { .. }) && sim.disk.died() {
            drop(sim);
            die();
        }
        sim.leg.events += 1;
        let leg = sim.leg_no;
        match event {
            Event::TurnStarted { turn } => {
                sim.told.push(Told { leg, turn: *turn, captured: false, committed: false });
            }
            Event::Captured { .. } => {
                if let Some(told) = sim.told.last_mut() {
                    told.captured = true;
                }
            }
            Event::Committed { turn, .. } => {
                if sim.disk.is_broken() {
                    sim.wrong(format!("turn {turn} is acknowledged though the disk failed"));
                }
                match sim.told.last_mut().filter(|t| t.turn == *turn && !t.committed) {
                    Some(told) => told.committed = true,
                    None => sim.wrong(format!("turn {turn} is acknowledged out of order")),
                }
            }
            Event::Warning(text) => sim.leg.warnings.push(text.clone()),
            _ => {}
        }
        // How much is free is the machine's business.
        let told = match event {
            Event::DiskFull { needed, .. } => format!("DiskFull {needed}"),
            event => format!("{event:?}"),
        };
        sim.note(told);
        let n = sim.leg.events;
        match sim.fate {
            Fate::StopAtEvent(at, reason) if at == n => sim.stop("a stop at an event", reason),
            Fate::DieAtEvent(at) if at == n => {
                sim.happens("death at an event");
                drop(sim);
                die();
            }
            _ => {}
        }
        drop(sim);
        if matches!(event, Event::TurnStarted { .. }) {
            jump(&self.shared);
            stir(&self.shared, &self.world);
        }
    }
}

/// What happens to the clocks in a turn.
fn jump(shared: &Shared) {
    let mut sim = shared.sim();
    let often = sim.habits.time;
    if sim.strikes("wall time jumps by a day", often) {
        let way = if sim.dice.chance(50) { 1 } else { -1 };
        sim.clock.shift_wall(way * 86_400_000);
    }
    if sim.strikes("the machine sleeps", often / 2) {
        let slept = Duration::from_secs(sim.dice.range(60, 1_800) as u64);
        sim.leg.suspended += slept;
        let (clock, after) = (sim.clock.clone(), Duration::from_millis(sim.dice.range(0, 4_000) as u64));
        // A wait that is over for all it knows, while it was the machine that slept.
        sim.explains("desktop_lost");
        sim.explains("target_lost");
        sim.clock.at(sim.clock.now() + after, move || clock.time().advance(slept));
    }
}

/// A dialect that makes something of what it cannot read.
struct Guessing(Box<dyn Dialect>);

impl Dialect for Guessing {
    fn info(&self) -> DialectInfo {
        self.0.info()
    }

    fn encode(&self, prompt: &Prompt) -> ModelRequest {
        self.0.encode(prompt)
    }

    fn decode(&self, reply: &ModelReply, picture: &PictureGeometry) -> Result<Decoded, Rejection> {
        self.0.decode(reply, picture).or_else(|_| {
            let at = Some(At { point: FramePx::new(5, 5), frame: picture.frame });
            let click = Action::Click { at, button: Button::Left, count: 1, modifiers: Modifiers::NONE };
            Ok(Decoded::one(Intent::Act(click)))
        })
    }
}
