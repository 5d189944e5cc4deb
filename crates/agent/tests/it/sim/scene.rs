//! The world under a run, with everything that reaches it on record, and with windows and displays that come and go.

use super::state::{Control, Fate, Shared};
use handsight_base::flow::action::Button;
use handsight_base::key::Key;
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{Display, Window, WindowId, WindowState};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use handsight_base::stop::StopReason;
use handsight_testkit::simulated::die;
use handsight_worlds::Setup;
use handsight_worlds::desk::{Desk, DeskSetup};
use handsight_worlds::engine::scene::Scene;
use handsight_worlds::engine::{CursorShape, Input, LoadError, World};
use handsight_worlds::random::Random;
use handsight_worlds::task::{Hand, TaskError, Verdict};
use std::time::Duration;

/// Small, so that thousands of runs are quick.
pub(crate) const SCREEN: Size = Size::new(640, 400);

/// What became of the target window, until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absence {
    Closed(Duration),
    /// Until then or, if it can be brought back, until it gets the focus.
    Minimised {
        until: Duration,
        stuck: bool,
    },
}

pub(crate) struct Watched {
    desk: Desk,
    shared: Shared,
    displays: Vec<Display>,
    hidden: Vec<Display>,
    pub(crate) target: WindowId,
    pub(crate) absence: Option<Absence>,
    now: Duration,
    revision: u64,
}

impl Watched {
    /// A desk with a text editor on it, which may be the target.
    pub(crate) fn new(seed: u64, shared: Shared) -> Self {
        let setup = Setup::new(seed, SCREEN);
        let mut desk = Desk::new(&DeskSetup::from(&setup));
        let tasks = handsight_worlds::desk::tasks::infos();
        let tasks: Vec<_> = tasks.into_iter().filter(|task| task.displays == 1).collect();
        let task = Random::of(seed, "task").pick(&tasks).copied();
        desk.begin(task.unwrap().name).unwrap();
        desk.launch(&["editor".to_owned()]).unwrap();
        let target = desk.windows().iter().find(|w| w.focused).unwrap().id;
        let displays = setup.displays;
        Self {
            desk,
            shared,
            displays,
            hidden: Vec::new(),
            target,
            absence: None,
            now: Duration::ZERO,
            revision: 0,
        }
    }

    /// The primary display has another size from now on.
    pub(crate) fn resize(&mut self, size: Size) {
        self.revision += 1;
        if let Some(first) = self.displays.first_mut() {
            first.area.size = size;
        }
    }

    /// All displays go away, or come back.
    pub(crate) fn unplug(&mut self, unplugged: bool) {
        self.revision += 1;
        if unplugged != self.displays.is_empty() {
            std::mem::swap(&mut self.displays, &mut self.hidden);
        }
    }

    pub(crate) fn move_target(&mut self, dice: &mut Random) {
        let (left, top) = (dice.range(-60, 300), dice.range(0, 150));
        let size = Size::new(dice.range(220, 420) as u32, dice.range(160, 300) as u32);
        self.desk.place(self.target, ScreenRect { origin: ScreenPx::new(left, top), size });
    }

    /// Where a click does something: what the task wants next, or anywhere on a window or the desk.
    pub(crate) fn somewhere(&self, dice: &mut Random) -> ScreenPx {
        if let (Hand::Click(at), true) = (self.desk.oracle(), dice.chance(50)) {
            return at;
        }
        let windows = self.desk.windows();
        let inside = |area: ScreenRect, dice: &mut Random| {
            let (w, h) = (area.size.width as i32, area.size.height as i32);
            area.origin.offset(dice.range(0, w - 1), dice.range(0, h - 1))
        };
        let area = windows.get(dice.below(windows.len() + 1)).map(|w| w.outer);
        inside(area.unwrap_or(ScreenRect { origin: ScreenPx::new(0, 0), size: SCREEN }), dice)
    }

    /// The target was closed by what the model did.
    pub(crate) fn lacks_target(&self) -> bool {
        !self.desk.windows().iter().any(|w| w.id == self.target)
    }

    /// What the desk itself holds down.
    pub(crate) fn held(&self) -> (Vec<Key>, Vec<Button>) {
        let (keys, buttons) = self.desk.held();
        (keys.to_vec(), buttons.to_vec())
    }

    /// The hands' process lets go when the engine is gone.
    pub(crate) fn orphaned(&mut self) {
        self.shared.sim().down.clear();
        self.desk.release_all();
    }

    fn absent(&self) -> Option<Absence> {
        self.absence.filter(|absence| match absence {
            Absence::Closed(until) | Absence::Minimised { until, .. } => self.now < *until,
        })
    }

    /// Puts an event on record, and lets happen what is due with it.
    fn record(&mut self, input: Input) {
        let mut sim = self.shared.sim();
        if sim.stop.is_set() {
            sim.wrong(format!("{input:?} after the stop"));
        }
        if sim.disk.is_broken() {
            sim.wrong(format!("{input:?} though the journal is broken"));
        }
        sim.leg.inputs += 1;
        let injecting = sim.leg.injecting;
        match sim.injects.last_mut().filter(|_| injecting) {
            Some(inject) => inject.seen += 1,
            None => sim.wrong(format!("{input:?} belongs to no approved batch")),
        }
        sim.note(format!("input {input:?}"));
        let (what, down) = match input {
            Input::Button { button, down } => (format!("{button:?}"), down),
            Input::Key { key, down } => (format!("{key:?}"), down),
            Input::Move(_) | Input::Char(_) | Input::Wheel { .. } => return,
        };
        if down {
            sim.down.insert(what)
        } else {
            sim.down.remove(&what)
        };
    }

    fn due(&self) {
        let mut sim = self.shared.sim();
        let seen = sim.injects.last().map_or(0, |i| i.seen);
        if let Some((_, cut)) = sim.leg.cut.as_ref().filter(|(at, _)| *at == seen) {
            cut.set(StopReason::Person);
        }
        let n = sim.leg.inputs;
        match sim.fate {
            Fate::StopAtInput(at, reason) if at == n => sim.stop("a stop between two events", reason),
            Fate::DieAtInput(at) if at == n => {
                sim.happens("death between two events");
                drop(sim);
                die();
            }
            _ => {}
        }
    }
}

impl World for Watched {
    fn name(&self) -> &'static str {
        self.desk.name()
    }

    fn seed(&self) -> u64 {
        self.desk.seed()
    }

    fn displays(&self) -> &[Display] {
        &self.displays
    }

    fn revision(&self) -> u64 {
        self.desk.revision() + self.revision
    }

    fn scene(&self) -> Scene {
        self.desk.scene()
    }

    fn input(&mut self, input: Input) {
        self.record(input);
        self.desk.input(input);
        self.due();
    }

    fn release_all(&mut self) {
        {
            let mut sim = self.shared.sim();
            sim.note("release");
            let clings = sim.leg.injecting && sim.leg.clings;
            if clings || sim.control == Control::KeepsPressed {
                return;
            }
            sim.down.clear();
        }
        self.desk.release_all();
    }

    fn advance(&mut self, now: Duration) {
        self.now = now;
        self.desk.advance(now);
    }

    fn think_time(&self) -> Duration {
        // The model of these runs takes its time itself.
        Duration::ZERO
    }

    fn windows(&self) -> Vec<Window> {
        let mut windows = self.desk.windows();
        match self.absent() {
            Some(Absence::Closed(_)) => windows.retain(|w| w.id != self.target),
            Some(Absence::Minimised { .. }) => {
                windows
                    .iter_mut()
                    .filter(|w| w.id == self.target)
                    .for_each(|w| w.state = WindowState::Minimised);
            }
            None => {}
        }
        windows
    }

    fn focus(&mut self, window: WindowId) -> bool {
        if window == self.target && matches!(self.absence, Some(Absence::Minimised { stuck: false, .. })) {
            self.absence = None;
        }
        self.desk.focus(window)
    }

    fn place(&mut self, window: WindowId, outer: ScreenRect) -> bool {
        self.desk.place(window, outer)
    }

    fn launch(&mut self, argv: &[String]) -> Result<u32, String> {
        self.desk.launch(argv)
    }

    fn clipboard(&self) -> String {
        self.desk.clipboard()
    }

    fn set_clipboard(&mut self, text: String) {
        self.desk.set_clipboard(text);
    }

    fn pointer(&self) -> ScreenPx {
        self.desk.pointer()
    }

    fn cursor(&self) -> CursorShape {
        self.desk.cursor()
    }

    fn save(&self) -> Vec<u8> {
        self.desk.save()
    }

    fn load(&mut self, state: &[u8]) -> Result<(), LoadError> {
        self.desk.load(state)
    }

    fn truth(&self) -> serde_json::Value {
        self.desk.truth()
    }

    fn begin(&mut self, task: &str) -> Result<String, TaskError> {
        self.desk.begin(task)
    }

    fn objective(&self) -> Option<&str> {
        self.desk.objective()
    }

    fn verdict(&self) -> Option<Verdict> {
        self.desk.verdict()
    }

    fn oracle(&self) -> Hand {
        self.desk.oracle()
    }
}

/// What happens to windows and displays as a turn begins.
pub(crate) fn stir(shared: &Shared, world: &std::sync::Mutex<Watched>) {
    let (target, display, until, stuck, kind, size, mut dice) = {
        let mut sim = shared.sim();
        let (target, displays) = (sim.habits.target, sim.habits.displays);
        let target = sim.strikes("the target window is lost, minimised or moved", target);
        let display = sim.strikes("a display is resized or goes away", displays);
        let now = sim.clock.now();
        let lengths = [400, 1_500, 4_000, 30_000];
        let until = now + Duration::from_millis(lengths[sim.dice.below(4)]);
        let sizes = [SCREEN, Size::new(512, 384), Size::new(800, 480), Size::new(640, 401)];
        let size = sizes[sim.dice.below(sizes.len())];
        let (stuck, kind) = (sim.dice.chance(50), sim.dice.below(3));
        if target && kind < 2 {
            sim.explains("target_lost");
        }
        (target, display, until, stuck, kind, size, sim.dice.clone())
    };
    let mut world = handsight_worlds::engine::hold(world);
    if target {
        match kind {
            0 => world.absence = Some(Absence::Closed(until)),
            1 => world.absence = Some(Absence::Minimised { until, stuck }),
            _ => world.move_target(&mut dice),
        }
    }
    if display {
        let gone = kind == 0 && stuck;
        if gone {
            shared.sim().explains("desktop_lost");
        }
        world.unplug(gone);
        world.resize(size);
    }
}
