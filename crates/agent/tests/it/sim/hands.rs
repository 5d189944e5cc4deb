//! What goes wrong between the engine and the world, and what it is allowed to send there.

use super::scene::{SCREEN, Watched};
use super::state::{Control, Hud, Inject, Shared, Sim, Wish, events};
use handsight_base::flow::action::{ActionHash, Batch, Primitive};
use handsight_base::flow::frame::{Frame, Pixels};
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{CaptureRequest, DesktopError, Injected, Overlay};
use handsight_base::space::{FrameGeometry, Size};
use handsight_base::stop::Stop;
use handsight_testkit::simulated::desktop::{Blow, Mishaps};
use handsight_testkit::simulated::die;
use handsight_worlds::engine::{World as _, hold};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// More calls in one leg than any run needs.
const ENDLESS: u32 = 20_000;

pub(crate) struct Hands {
    pub(crate) shared: Shared,
    pub(crate) world: Arc<Mutex<Watched>>,
    /// The target is the window, not the display.
    pub(crate) window: bool,
}

impl Hands {
    /// The engine that died at a write does nothing any more.
    fn alive(&self) {
        if self.shared.sim().disk.died() {
            die();
        }
    }

    fn shown_size(&self) -> Size {
        let world = hold(&*self.world);
        if self.window {
            let target = world.windows().into_iter().find(|w| w.id == world.target);
            return target.map_or(SCREEN, |w| w.client.size);
        }
        world.displays().first().map_or(SCREEN, |d| d.area.size)
    }
}

fn lost() -> DesktopError {
    DesktopError::Lost { why: "simulated".into() }
}

impl Mishaps for Hands {
    fn look(&mut self, what: &'static str) -> Result<(), DesktopError> {
        self.alive();
        let mut sim = self.shared.sim();
        sim.leg.calls += 1;
        assert!(sim.leg.calls < ENDLESS, "the engine asks the desktop for {what} without end");
        let now = sim.clock.now();
        if sim.leg.lost_until.is_some_and(|until| now < until) {
            return Err(lost());
        }
        let (looks, fatal) = (sim.habits.looks, sim.habits.fatal);
        if sim.strikes("the desktop is lost for a while", looks) {
            let millis = [100, 100, 900, 900, 4_000, 4_000, 8_000, 30_000][sim.dice.below(8)];
            sim.leg.lost_until = Some(now + Duration::from_millis(millis));
            if millis > 5_000 {
                sim.explains("desktop_lost");
            }
            if sim.dice.chance(30) {
                sim.clock.time().advance(Duration::from_secs(2));
                return Err(DesktopError::Deadline { call: what, after: Duration::from_secs(2) });
            }
            return Err(lost());
        }
        if what == "capture" && sim.strikes("a capture that fails", fatal) {
            sim.forces("desktop_lost");
            return Err(DesktopError::Capture { why: "simulated".into(), code: Some(11) });
        }
        Ok(())
    }

    fn frame(&mut self, request: &CaptureRequest, mut frame: Frame) -> Frame {
        let mut sim = self.shared.sim();
        let black = sim.habits.black;
        if sim.strikes("a black frame", black) {
            frame.pixels = Pixels::solid(frame.pixels.size(), [0, 0, 0]);
        }
        if request.frame != CaptureRequest::PROBE {
            sim.geometry = Some(frame.geometry);
        }
        frame
    }

    fn inject(&mut self, hash: &ActionHash, batch: &Batch) -> Blow {
        self.alive();
        let mut sim = self.shared.sim();
        check_wish(&mut sim, batch);
        let of = events(&batch.primitives);
        if sim.injects.iter().any(|i| i.hash == *hash) {
            sim.wrong(format!("{} is sent a second time", hash.0));
        }
        let (leg, turn) = (sim.leg_no, sim.turn());
        sim.note(format!("inject {} of {of}", hash.0));
        sim.injects.push(Inject { leg, turn, hash: hash.clone(), of, seen: 0, told: None });
        (sim.leg.injecting, sim.leg.clings, sim.leg.cut) = (true, false, None);
        let (input, fatal) = (sim.habits.input, sim.habits.fatal);
        if sim.strikes("input that the system refuses", fatal) {
            sim.forces("desktop_lost");
            return Blow::Refuse(DesktopError::Input { why: "simulated".into(), code: Some(5) });
        }
        if of == 0 || !sim.dice.chance(input) {
            return Blow::Pass;
        }
        let answer = sim.dice.chance(60).then(|| match sim.dice.below(3) {
            0 => DesktopError::Deadline { call: "inject", after: Duration::from_secs(10) },
            1 => DesktopError::TargetGone { window: "simulated".into() },
            _ => lost(),
        });
        match (sim.dice.below(4), answer) {
            (0, Some(answer)) => {
                sim.happens("input that never arrives");
                Blow::Refuse(answer)
            }
            (1, Some(answer)) => {
                sim.happens("input whose answer is lost");
                Blow::Spoil { stop: None, answer: Some(answer) }
            }
            (_, answer) => {
                sim.happens("a batch that is cut");
                let stop = Stop::new();
                let at = sim.dice.range(1, of as i32) as u32;
                sim.leg.cut = Some((at, stop.clone()));
                sim.leg.clings = sim.dice.chance(40);
                Blow::Spoil { stop: Some(stop), answer }
            }
        }
    }

    fn injected(&mut self, answer: &Result<Injected, DesktopError>) {
        let mut sim = self.shared.sim();
        (sim.leg.injecting, sim.leg.cut) = (false, None);
        let told = answer.as_ref().map(|i| i.complete).map_err(ToString::to_string);
        sim.note(format!("injected {told:?}"));
        let events = answer.as_ref().ok().map(|i| i.events);
        let Some(inject) = sim.injects.last_mut() else { return };
        inject.told = Some(told);
        let seen = inject.seen;
        if events.is_some_and(|events| events != seen) {
            sim.wrong(format!("the desktop reports {events:?} events and {seen} arrived"));
        }
    }

    fn focus(&mut self) -> Result<(), DesktopError> {
        self.alive();
        let mut sim = self.shared.sim();
        let target = sim.habits.target;
        if sim.strikes("a focus that is refused", target) {
            sim.explains("target_lost");
            return Err(DesktopError::Input { why: "simulated focus".into(), code: None });
        }
        Ok(())
    }

    fn release(&mut self) -> bool {
        self.alive();
        self.shared.sim().control != Control::KeepsPressed
    }

    fn overlay(&mut self, overlay: Option<&Overlay>) -> Result<(), DesktopError> {
        self.alive();
        let screen = self.shown_size();
        let mut sim = self.shared.sim();
        let (leg, turn) = (sim.leg_no, sim.turn());
        let fatal = sim.habits.fatal;
        if overlay.is_some() && sim.strikes("an overlay that cannot be shown", fatal) {
            sim.forces("desktop_lost");
            return Err(DesktopError::Overlay { why: "simulated".into(), code: None });
        }
        let shown = overlay.map(|o| (o.area.size, Arc::clone(&o.bgra)));
        sim.huds.push(Hud { leg, turn, screen, shown });
        Ok(())
    }
}

/// Whether a batch is what the newest reply asked for.
fn check_wish(sim: &mut Sim, batch: &Batch) {
    let Some(ask) = sim.asks.last().cloned() else {
        return sim.wrong("input before any reply");
    };
    if !ask.answered || ask.leg != sim.leg_no || ask.turn != sim.turn() {
        sim.wrong("input without a reply in this turn");
    }
    if sim.injects.last().is_some_and(|i| i.leg == ask.leg && i.turn == ask.turn) {
        sim.wrong("two batches for one reply");
    }
    let typed: String = batch
        .primitives
        .iter()
        .filter_map(|p| match p {
            Primitive::Char(c) => Some(*c),
            _ => None,
        })
        .collect();
    let turned: i32 = batch
        .primitives
        .iter()
        .map(|p| match p {
            Primitive::Wheel { units, .. } => *units,
            _ => 0,
        })
        .sum();
    let moved = batch.primitives.iter().find_map(|p| match p {
        Primitive::Move(to) => Some(*to),
        _ => None,
    });
    let right = match &ask.wish {
        Wish::Nothing => false,
        Wish::Anything => true,
        Wish::Type(text) => typed == text.replace('\n', ""),
        Wish::Scroll(dy) => turned == *dy,
        Wish::Click(x, y) => match (sim.geometry, moved) {
            (Some(on), Some(to)) => near(on, *x, *y, (to.x, to.y)),
            _ => false,
        },
    };
    if !right {
        let sent = &batch.primitives[..batch.primitives.len().min(6)];
        sim.wrong(format!("a reply `{}` ({:?}) became {sent:?}", ask.kind, ask.wish));
    }
}

/// Whether a point of 0 to 1000 lies where it should on the screen, to a pixel (R8).
fn near(on: FrameGeometry, x: f64, y: f64, to: (i32, i32)) -> bool {
    let along = |v: f64, origin: i32, length: u32| {
        f64::from(origin) + v.clamp(0.0, 1000.0) / 1000.0 * f64::from(length - 1) / on.scale
    };
    let (right_x, right_y) = (along(x, on.origin.x, on.size.width), along(y, on.origin.y, on.size.height));
    (right_x - f64::from(to.0)).abs() <= 1.0 && (right_y - f64::from(to.1)).abs() <= 1.0
}
