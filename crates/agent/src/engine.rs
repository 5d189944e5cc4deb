//! What a turn works with: the ports, the profile, and the little that lasts from one turn to the next.

use crate::ending::{Interruption, Outcome};
use crate::episode::{EpisodeError, Parts};
use crate::history::History;
use crate::hud::HudPainter;
use crate::journal::JournalSeat;
use crate::marks::{Marks, Numbers};
use crate::mask::Mask;
use crate::park::Away;
use crate::person::Person;
use crate::plan::{Plan, Recent};
use crate::policy::{self, Past};
use crate::profile::{LaunchMethod, Profile, Shows, Told};
use crate::progress::{Event, Progress};
use crate::seat::Seat;
use crate::tools::ToolSet;
use crate::turn::{Perceivers, Seen};
use handsight_base::flow::action::Timing;
use handsight_base::flow::step::Timings;
use handsight_base::gate::Gate;
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::WindowId;
use handsight_base::port::dialect::Dialect;
use handsight_base::port::model::Model;
use handsight_base::space::{FrameGeometry, ScreenPx};
use handsight_base::stop::Stop;
use handsight_pixel::annotate::Annotator;
use handsight_pixel::blend::Exporter;
use handsight_pixel::picture::PictureEncoder;
use handsight_store::Totals;
use handsight_vision::recheck::Restless;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct Engine {
    pub(crate) profile: Arc<Profile>,
    pub(crate) task: String,
    pub(crate) seat: Seat,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) dialect: Box<dyn Dialect>,
    pub(crate) tools: ToolSet,
    pub(crate) perceivers: Perceivers,
    /// The desktop's time: what waits and settling go by.
    pub(crate) clock: Arc<dyn Clock>,
    /// The person's time: what figures and limits go by.
    pub(crate) stopwatch: Arc<dyn Clock>,
    pub(crate) journal: JournalSeat,
    pub(crate) gate: Gate,
    /// What was done, for the gate.
    pub(crate) past: Past,
    pub(crate) stop: Stop,
    pub(crate) progress: Box<dyn Progress>,
    pub(crate) person: Person,
    pub(crate) hud: HudPainter,
    pub(crate) exporter: Exporter,
    pub(crate) annotator: Annotator,
    pub(crate) encoder: PictureEncoder,

    /// The turn that runs, from 1.
    pub(crate) turn: u64,
    frames: u64,
    /// What can be pointed at on the turn's frame, and what had which number so far.
    pub(crate) marks: Marks,
    pub(crate) numbers: Numbers,
    /// The newest frame the model saw.
    pub(crate) geometry: Option<FrameGeometry>,
    /// What this turn's model saw, until the turn's first effect was compared with it.
    pub(crate) seen: Option<Seen>,
    /// Where the screen moves by itself.
    pub(crate) restless: Restless,
    pub(crate) target_window: Option<WindowId>,
    /// Where the hands last put the pointer, or where the desktop says that it is.
    pub(crate) pointer: Option<ScreenPx>,
    /// What was said and done so far, in profiles that keep a conversation.
    pub(crate) history: History,
    /// What the next picture shows on the HUD.
    pub(crate) carry: String,
    /// What the engine has to tell the model, on the HUD where there is no conversation.
    pub(crate) told: Vec<String>,
    /// The newest steps, for profiles that list them.
    pub(crate) recent: Recent,
    /// Keeps pasted texts out of the record.
    pub(crate) mask: Mask,
    /// The plan that is carried out, for whoever watches.
    pub(crate) plan: Plan,
    /// Unusable replies and failed calls in a row.
    pub(crate) failures: u32,
    /// What the run ends with if such failures go on.
    pub(crate) failing: Outcome,
    /// The service that answers, when it does not.
    pub(crate) away: Away,
    /// Sums over this run and those it resumes, as the journal has them.
    pub(crate) totals: Totals,
    /// Set by `done`.
    pub(crate) ending: Option<String>,
    began: Duration,
    /// What the runs took that this one goes on from.
    earlier: Duration,

    // Of the turn that runs.
    pub(crate) turn_began: Duration,
    pub(crate) captured_unix_millis: i64,
    pub(crate) timings: Timings,
    pub(crate) notes: Vec<String>,
    pub(crate) overheads: Vec<f64>,
}

impl Engine {
    pub(crate) fn new(parts: Parts) -> Result<Self, EpisodeError> {
        let Parts {
            profile,
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
            progress,
            person,
            fonts,
        } = parts;
        let began = stopwatch.now();
        Ok(Self {
            hud: HudPainter::new(&profile.hud, fonts, Arc::clone(&person.redactor)),
            gate: policy::gate(&profile)?,
            past: Past::default(),
            recent: Recent::new(profile.context.steps as usize),
            mask: Mask::new(profile.record.mask_pasted),
            history: History::new(profile.context.history),
            journal: JournalSeat::new(journal)?,
            profile,
            task,
            seat,
            model,
            dialect,
            tools,
            perceivers: Perceivers::new(perceivers),
            clock,
            stopwatch,
            stop,
            progress,
            person,
            exporter: Exporter::new(),
            annotator: Annotator::new(),
            encoder: PictureEncoder::new(),
            turn: 0,
            frames: 0,
            marks: Marks::default(),
            numbers: Numbers::default(),
            geometry: None,
            seen: None,
            restless: Restless::default(),
            target_window: None,
            pointer: None,
            carry: String::new(),
            told: Vec::new(),
            plan: Plan::default(),
            failures: 0,
            failing: Outcome::ModelFailed,
            away: Away::default(),
            totals: Totals::default(),
            ending: None,
            began,
            earlier: Duration::ZERO,
            turn_began: began,
            captured_unix_millis: 0,
            timings: Timings::default(),
            notes: Vec::new(),
            overheads: Vec::new(),
        })
    }

    /// The turn that runs came to nothing before anything was decided, and is begun again.
    pub(crate) const fn take_back_turn(&mut self) {
        self.turn = self.turn.saturating_sub(1);
    }

    /// What ends an effect under way: a stop, the person's wish for privacy, or their own hands on the screen.
    pub(crate) fn halt(&self) -> Stop {
        self.person_wants(&[&self.stop])
    }

    pub(crate) fn begin_turn(&mut self) {
        self.turn += 1;
        self.turn_began = self.stopwatch.now();
        self.timings = Timings::default();
        self.notes.clear();
        self.tell(Event::TurnStarted { turn: self.turn });
    }

    /// The next frame's number; frames are counted on over a resume.
    pub(crate) const fn next_frame(&mut self) -> u64 {
        self.frames += 1;
        self.frames
    }

    /// Goes on where an earlier run ended.
    pub(crate) fn go_on_after(&mut self, turn: u64, carry: String, totals: Totals) {
        self.turn = turn;
        self.frames = turn;
        self.carry = carry;
        self.totals = totals;
        self.earlier = Duration::try_from_secs_f64(totals.elapsed_s).unwrap_or_default();
    }

    /// Adds a line of the engine's own to what the next picture shows.
    pub(crate) fn add_to_carry(&mut self, line: &str) {
        if !self.carry.is_empty() {
            self.carry.push('\n');
        }
        self.carry.push_str(line);
    }

    pub(crate) fn tell(&mut self, event: Event) {
        self.progress.event(&event);
    }

    /// Since a time of the stopwatch.
    pub(crate) fn millis_since(&self, began: Duration) -> f64 {
        self.stopwatch.now().saturating_sub(began).as_secs_f64() * 1e3
    }

    /// Waits, unless a stop comes first.
    pub(crate) async fn pause(&self, d: Duration) -> Result<(), Interruption> {
        if let Some(reason) = self.stop.reason() {
            return Err(Interruption::Stopped(reason));
        }
        if d.is_zero() {
            return Ok(());
        }
        tokio::select! {
            biased;
            reason = self.stop.stopped() => Err(Interruption::Stopped(reason)),
            () = self.clock.sleep(d) => Ok(()),
        }
    }

    /// What is left of the run's time; `None` without a limit.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        let limit = Duration::from_secs_f64(self.profile.limits.max_time_s?);
        Some(limit.saturating_sub(self.elapsed()))
    }

    /// What there is to say once the cost limit is reached, over this run and those it goes on from.
    pub(crate) fn spent(&self) -> Option<String> {
        let limit = self.profile.limits.max_cost_usd.filter(|limit| self.totals.cost_usd >= *limit)?;
        Some(format!("the limit of {limit} USD is reached"))
    }

    /// How long the run has taken, with those it goes on from.
    pub(crate) fn elapsed(&self) -> Duration {
        self.earlier.saturating_add(self.stopwatch.now().saturating_sub(self.began))
    }

    /// How actions are spread over time; the jitter differs from turn to turn and is the same for the same turn.
    pub(crate) fn timing(&self) -> Timing {
        let act = &self.profile.act;
        Timing {
            hold: Duration::from_millis(act.hold_ms),
            click_interval: Duration::from_millis(act.click_interval_ms),
            type_interval: Duration::from_millis(act.type_interval_ms),
            jitter: act.jitter,
            jitter_seed: self.turn,
            run_dialog: self.by_run_dialog().then(|| Duration::from_secs_f64(act.run_dialog_wait_s.min(2.0))),
            ..Timing::default()
        }
    }

    fn by_run_dialog(&self) -> bool {
        let info = &self.seat.info;
        match self.profile.act.launch_method {
            LaunchMethod::Auto => info.backend == "windows" || !info.capabilities.launch,
            LaunchMethod::Spawn => false,
            LaunchMethod::RunDialog => true,
        }
    }

    /// Tells the model something with its next picture.
    pub(crate) fn tell_model(&mut self, line: &str) {
        match self.profile.context.told {
            // In a conversation the call's own result says it.
            _ if self.history.keeps() => {}
            Told::Hud => self.add_to_carry(line),
            Told::Words => self.history.tell(line.to_owned()),
        }
    }

    /// The same of what is no call's result; it stands in the journal too.
    pub(crate) fn tell_beside(&mut self, words: &str) {
        self.notes.push(words.to_owned());
        let line = format!("[{words}]");
        if self.history.keeps() { self.history.tell(line) } else { self.tell_model(&line) }
    }

    /// What the HUD shows now.
    pub(crate) fn hud_text(&self) -> Cow<'_, str> {
        match self.profile.hud.shows {
            Shows::Reason => Cow::Borrowed(&self.carry),
            Shows::Plan => Cow::Owned(self.plan.panel(&self.task, self.turn, &self.profile)),
        }
    }

    pub(crate) fn settle_settings(&self) -> handsight_vision::settle::Settings {
        let s = &self.profile.settle;
        handsight_vision::settle::Settings {
            sample: handsight_base::space::Size::new(s.sample_w, s.sample_h),
            required_stable: s.required_stable,
            change_ratio_threshold: s.change_ratio_threshold,
            max: Duration::from_secs_f64(s.max_s),
        }
    }
}
