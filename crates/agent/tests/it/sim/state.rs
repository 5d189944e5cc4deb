//! What a simulated run knows of itself: its lots, its fate, and its own record of everything that reached the desktop.
//!
//! The record is the second channel: it is kept by the model, the desktop and the world, and asks the engine nothing.

use super::disk::Disk;
use handsight_base::flow::action::{ActionHash, Primitive};
use handsight_base::port::clock::Clock;
use handsight_base::port::model::Usage;
use handsight_base::space::{FrameGeometry, Size};
use handsight_base::stop::{Stop, StopReason};
use handsight_testkit::simulated::time::SimClock;
use handsight_worlds::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A protection that is switched off, to see that the simulation notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Control {
    None,
    /// The desktop never lets go of what is pressed.
    KeepsPressed,
    /// What nobody knows the outcome of is done again after a resume.
    Replays,
    /// Turns are told as committed before they are durable.
    EarlyAck,
    /// An unusable reply becomes a click.
    ActsOnGarbage,
    /// The engine does not hear the person.
    Deaf,
    /// A resume forgets what the model said last.
    Forgets,
}

/// How often things of a kind go wrong in this run, in percent of the occasions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Habits {
    pub(crate) garbage: u32,
    pub(crate) model_errors: u32,
    pub(crate) slow_model: u32,
    pub(crate) looks: u32,
    pub(crate) black: u32,
    pub(crate) input: u32,
    pub(crate) fatal: u32,
    pub(crate) target: u32,
    pub(crate) displays: u32,
    pub(crate) full: u32,
    pub(crate) io: u32,
    pub(crate) pictures: u32,
    pub(crate) time: u32,
    pub(crate) tampering: u32,
}

impl Habits {
    /// Some of the kinds each, so that rare meetings of two happen in some runs and none is hidden by the others.
    fn draw(dice: &mut Random) -> Self {
        let mut often = |most: i32| if dice.chance(45) { dice.range(1, most) as u32 } else { 0 };
        Self {
            garbage: often(40),
            model_errors: often(30),
            slow_model: often(40),
            looks: often(3),
            black: often(20),
            input: often(35),
            fatal: often(1),
            target: often(60),
            displays: often(30),
            full: often(12),
            io: often(3),
            pictures: often(50),
            time: often(30),
            tampering: often(90),
        }
    }
}

/// What is to cut a leg short, and at which occasion of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    None,
    StopAtEvent(u32, StopReason),
    StopAtInput(u32, StopReason),
    StopAtAsk {
        n: u32,
        reason: StopReason,
        answered: bool,
    },
    StopAtTime(Duration, StopReason),
    DieAtEvent(u32),
    DieAtInput(u32),
    DieAtTime(Duration),
    /// At the nth write of rows, before or after it is durable.
    DieOnDisk {
        n: u32,
        after: bool,
    },
}

impl Fate {
    pub(crate) fn draw(dice: &mut Random) -> Self {
        let reasons = [StopReason::Interrupt, StopReason::Terminate, StopReason::Chord, StopReason::Person];
        let reason = reasons[dice.below(4)];
        let time = Duration::from_millis(dice.range(0, 30_000) as u64);
        match dice.below(20) {
            0..=5 => Self::None,
            6 | 7 => Self::StopAtEvent(dice.range(1, 60) as u32, reason),
            8 | 9 => Self::StopAtInput(dice.range(1, 16) as u32, reason),
            10 => Self::StopAtAsk { n: dice.range(1, 6) as u32, reason, answered: dice.chance(50) },
            11 => Self::StopAtTime(time, reason),
            12 | 13 => Self::DieAtEvent(dice.range(1, 60) as u32),
            14 | 15 => Self::DieAtInput(dice.range(1, 16) as u32),
            16 => Self::DieAtTime(time),
            _ => Self::DieOnDisk { n: dice.range(1, 14) as u32, after: dice.chance(50) },
        }
    }
}

/// What a reply asks for, in the words of whoever wrote it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wish {
    /// Nothing may reach the desktop.
    Nothing,
    Click(f64, f64),
    Type(String),
    Scroll(i32),
    /// Odd, but some reading of it may act.
    Anything,
}

/// Why a turn must fail, if so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failing {
    No,
    Reply,
    Call,
    /// One or the other.
    Either,
    /// Nobody knows.
    Perhaps,
}

#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) leg: u32,
    pub(crate) turn: u64,
    pub(crate) kind: &'static str,
    pub(crate) wish: Wish,
    pub(crate) failing: Failing,
    pub(crate) done: bool,
    pub(crate) reason: Option<String>,
    pub(crate) usage: Usage,
    /// The reply left the model.
    pub(crate) answered: bool,
}

/// A batch as the desktop got it.
#[derive(Debug, Clone)]
pub(crate) struct Inject {
    pub(crate) leg: u32,
    pub(crate) turn: u64,
    pub(crate) hash: ActionHash,
    /// Events asked for, and those that reached the world.
    pub(crate) of: u32,
    pub(crate) seen: u32,
    /// What the engine was told: complete, incomplete or an error; nothing if it died meanwhile.
    pub(crate) told: Option<Result<bool, String>>,
}

/// Size and pixels of what is on the screen, if anything is.
pub(crate) type Shown = Option<(Size, Arc<[u8]>)>;

/// A HUD as it was put on the screen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hud {
    pub(crate) leg: u32,
    pub(crate) turn: u64,
    /// Of what it was drawn for.
    pub(crate) screen: Size,
    pub(crate) shown: Shown,
}

/// A turn as it was told.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told {
    pub(crate) leg: u32,
    pub(crate) turn: u64,
    pub(crate) captured: bool,
    pub(crate) committed: bool,
}

/// The leg under way: from an opening of the journal to the end or death of the engine.
#[derive(Debug, Default)]
pub(crate) struct Leg {
    pub(crate) events: u32,
    pub(crate) inputs: u32,
    pub(crate) asks: u32,
    pub(crate) calls: u32,
    pub(crate) warnings: Vec<String>,
    /// Endings that something in this leg explains, and whether one of them must come.
    pub(crate) may: BTreeSet<&'static str>,
    pub(crate) must: bool,
    pub(crate) lost_until: Option<Duration>,
    /// Where the batch under way is cut, and whom that tells.
    pub(crate) cut: Option<(u32, Stop)>,
    pub(crate) injecting: bool,
    /// The batch under way is not followed by the hands' own release.
    pub(crate) clings: bool,
    /// Time in which the machine slept.
    pub(crate) suspended: Duration,
}

pub(crate) struct Sim {
    pub(crate) control: Control,
    pub(crate) dice: Random,
    pub(crate) clock: SimClock,
    pub(crate) habits: Habits,
    pub(crate) disk: Arc<Disk>,
    pub(crate) stop: Stop,
    pub(crate) fate: Fate,
    pub(crate) leg_no: u32,
    pub(crate) leg: Leg,
    pub(crate) down: BTreeSet<String>,
    pub(crate) geometry: Option<FrameGeometry>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) injects: Vec<Inject>,
    pub(crate) huds: Vec<Hud>,
    pub(crate) told: Vec<Told>,
    /// Every step, in the order and at the time it happened.
    pub(crate) log: Vec<String>,
    pub(crate) drawn: BTreeMap<&'static str, u64>,
    /// What is against the rules.
    pub(crate) wrong: Vec<String>,
}

/// One run, held by everybody in it.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Mutex<Sim>>);

impl Shared {
    pub(crate) fn new(seed: u64, control: Control) -> Self {
        let mut dice = Random::of(seed, "sim");
        let habits = Habits::draw(&mut dice);
        let clock = SimClock::new(1_710_513_022_000);
        let sim = Sim {
            control,
            disk: Arc::new(Disk::new(seed, &habits)),
            dice,
            habits,
            clock: clock.clone(),
            stop: Stop::new(),
            fate: Fate::None,
            leg_no: 0,
            leg: Leg::default(),
            down: BTreeSet::new(),
            geometry: None,
            asks: Vec::new(),
            injects: Vec::new(),
            huds: Vec::new(),
            told: Vec::new(),
            log: Vec::new(),
            drawn: BTreeMap::new(),
            wrong: Vec::new(),
        };
        let shared = Self(Arc::new(Mutex::new(sim)));
        let watching = Arc::downgrade(&shared.0);
        clock.watch_waits(move || {
            let Some(sim) = watching.upgrade() else { return };
            let mut sim = sim.lock().unwrap_or_else(PoisonError::into_inner);
            if !sim.down.is_empty() {
                let down = format!("{:?}", sim.down);
                sim.wrong(format!("{down} is down while the engine waits"));
            }
        });
        shared
    }

    /// Held for a moment only: never while the world or the engine is called.
    pub(crate) fn sim(&self) -> MutexGuard<'_, Sim> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sim {
    pub(crate) fn note(&mut self, line: impl Into<String>) {
        let at = self.clock.now().as_millis();
        self.log.push(format!("{}/{at} {}", self.leg_no, line.into()));
    }

    /// Something is against the rules.
    pub(crate) fn wrong(&mut self, what: impl Into<String>) {
        let what = what.into();
        self.note(format!("WRONG {what}"));
        self.wrong.push(format!("leg {}: {what}", self.leg_no));
    }

    /// Draws whether something of this kind happens now, and counts it.
    pub(crate) fn strikes(&mut self, kind: &'static str, percent: u32) -> bool {
        let strikes = percent > 0 && self.dice.chance(percent);
        if strikes {
            self.happens(kind);
        }
        strikes
    }

    pub(crate) fn happens(&mut self, kind: &'static str) {
        *self.drawn.entry(kind).or_default() += 1;
        self.note(format!("* {kind}"));
    }

    /// From now on the leg may end so.
    pub(crate) fn explains(&mut self, outcome: &'static str) {
        self.leg.may.insert(outcome);
    }

    /// And it must not end as if nothing had happened.
    pub(crate) fn forces(&mut self, outcome: &'static str) {
        self.explains(outcome);
        self.leg.must = true;
    }

    pub(crate) fn stop(&mut self, kind: &'static str, reason: StopReason) {
        self.happens(kind);
        self.forces("stopped");
        self.stop.set(reason);
        if let Some((_, cut)) = &self.leg.cut {
            cut.set(reason);
        }
    }

    pub(crate) fn turn(&self) -> u64 {
        self.told.last().map_or(0, |t| t.turn)
    }
}

/// How many events a batch asks for.
pub(crate) fn events(primitives: &[Primitive]) -> u32 {
    primitives.iter().filter(|p| !matches!(p, Primitive::Wait(_))).count() as u32
}
