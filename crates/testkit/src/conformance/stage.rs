//! What the checks work with: a desktop used the way the engine uses it, and a witness asked until it has seen enough.

use super::witness::{Held, Seen, What, Which, Witness};
use super::{Terms, ensure};
use crate::wait::before;
use handsight_base::flow::action::{Action, Spot, Timing};
use handsight_base::flow::frame::{Frame, Shown};
use handsight_base::gate::{Approved, Effect, Gate, Scene, Work};
use handsight_base::port::desktop::{
    CaptureRequest, Desktop, DesktopError, Display, Injected, OverlayInCapture, Pulse,
};
use handsight_base::space::{At, FrameGeometry, FrameId, FramePx, ScreenPx, ScreenRect, Size};
use handsight_base::stop::Stop;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// A desktop, its witness and the terms, with what checks have in common.
pub struct Stage<'a> {
    pub desktop: &'a mut dyn Desktop,
    pub witness: &'a mut dyn Witness,
    pub terms: &'a Terms,
    /// Of the primary display.
    pub screen: ScreenRect,
    /// The newest picture of everything, on which the hands are told places.
    pub geometry: FrameGeometry,
    frames: u64,
    turn: Option<Turn>,
    /// Where the last expectation had the pointer go; an echo of it may come late.
    been: Vec<(f64, f64)>,
    random: u64,
}

/// An event as it was asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    pub what: What,
    /// Where on the screen, in its units and parts of them; `None` if the check does not care.
    pub at: Option<(f64, f64)>,
}

impl<'a> Stage<'a> {
    pub fn new(
        desktop: &'a mut dyn Desktop,
        witness: &'a mut dyn Witness,
        terms: &'a Terms,
    ) -> Result<Self, String> {
        let primary = displays(desktop)?.swap_remove(0);
        let nowhere = FrameGeometry {
            frame: FrameId(0),
            size: Size::new(1, 1),
            origin: ScreenPx::new(0, 0),
            scale: 1.0,
        };
        let turn = desktop.pulse().map(Turn::begin);
        let screen = primary.area;
        let mut stage = Self {
            desktop,
            witness,
            terms,
            screen,
            geometry: nowhere,
            frames: 0,
            turn,
            been: Vec::new(),
            random: 0x5eed,
        };
        stage.look()?;
        Ok(stage)
    }

    /// Nothing came that the check did not look at, and nothing is down.
    pub(super) fn end(mut self) -> Result<(), String> {
        self.nothing_more()?;
        self.quiet()
    }

    /// Nothing came since the last look, and nothing comes while it still may.
    pub fn nothing_more(&mut self) -> Result<(), String> {
        let mut more = Vec::new();
        before(self.terms.late, || {
            // A window that comes or goes under a pointer at rest makes systems report the pointer again.
            let at = self.witness.pointer();
            more = self.witness.events();
            more.retain(|e| e.what != What::Move || e.screen != at);
            (!more.is_empty()).then_some(())
        });
        ensure!(more.is_empty(), "events came that nobody asked for: {more:?}");
        Ok(())
    }

    /// Waits until nothing is down.
    pub fn quiet(&mut self) -> Result<(), String> {
        let mut held = Held::default();
        let up = before(self.terms.patience, || {
            held = self.witness.held();
            held.is_nothing().then_some(())
        });
        ensure!(up.is_some(), "still down: keys {:?}, buttons {:?}", held.keys, held.buttons);
        Ok(())
    }

    pub fn displays(&mut self) -> Result<Vec<Display>, String> {
        displays(self.desktop)
    }

    /// A window of the witness over `client`, and nothing seen yet.
    pub fn open(&mut self, client: ScreenRect) {
        self.witness.open(Which::Main, client, 1, false);
        self.forget();
    }

    /// Drops what opening and moving windows brought about.
    pub fn forget(&mut self) {
        self.settle();
        self.witness.forget();
    }

    /// Lets pass what may still come.
    pub fn settle(&self) {
        before(self.terms.late, || None::<()>);
    }

    /// A rectangle of the primary display, in parts of 100 of it.
    pub fn part(&self, x: i32, y: i32, width: u32, height: u32) -> ScreenRect {
        let Size { width: w, height: h } = self.screen.size;
        let origin = self.screen.origin.offset(w as i32 * x / 100, h as i32 * y / 100);
        ScreenRect::new(origin.x, origin.y, w * width / 100, h * height / 100)
    }

    /// A picture of everything; places are meant on it from now on.
    pub fn look(&mut self) -> Result<Frame, String> {
        let frame = self.capture(Shown::AllDisplays, None, false)?;
        self.geometry = frame.geometry;
        Ok(frame)
    }

    pub fn request(&mut self, shown: Shown, region: Option<ScreenRect>, cursor: bool) -> CaptureRequest {
        self.frames += 1;
        CaptureRequest {
            frame: FrameId(self.frames),
            shown,
            region,
            cursor,
            overlay: OverlayInCapture::AsShown,
        }
    }

    pub fn capture(
        &mut self,
        shown: Shown,
        region: Option<ScreenRect>,
        cursor: bool,
    ) -> Result<Frame, String> {
        let request = self.request(shown, region, cursor);
        let frame = self.desktop.capture(&request).map_err(words)?;
        ensure!(frame.id() == request.frame, "the frame has the number {}", frame.id());
        ensure!(
            frame.size() == frame.geometry.size,
            "a frame of {} says it is one of {}",
            frame.size(),
            frame.geometry.size
        );
        Ok(frame)
    }

    /// A place of the screen on the newest picture.
    pub fn spot(&self, at: ScreenPx) -> Result<Spot, String> {
        self.geometry.frame_from_screen(at).map_err(words)
    }

    /// An approval by a gate without rules, on the newest picture.
    pub fn approve<T: Effect>(&self, effect: T) -> Result<Approved<T>, String> {
        let scene = Scene::new(&self.geometry, 1);
        Gate::new(Vec::new()).approve(effect, &scene).map_err(words)
    }

    /// Approves, expands and does an action, which must be done whole.
    pub fn act(&mut self, action: Action) -> Result<Injected, String> {
        self.act_with(action, &Timing::default())
    }

    pub fn act_with(&mut self, action: Action, timing: &Timing) -> Result<Injected, String> {
        let done = self.attempt(action, timing, &Stop::new())?.map_err(words)?;
        ensure!(done.complete && done.events == done.of, "the action was not done whole: {done:?}");
        Ok(done)
    }

    /// The same, whatever becomes of it. The outer error is that of a check which asked for something impossible.
    pub fn attempt(
        &mut self,
        action: Action,
        timing: &Timing,
        stop: &Stop,
    ) -> Result<Result<Injected, DesktopError>, String> {
        let work = self.approve(action)?.expand(&self.geometry, timing).map_err(words)?;
        Ok(match work {
            Work::Input(batch) => self.desktop.inject(batch, stop),
            Work::Paste(paste) => self.desktop.paste(paste, stop),
            other @ (Work::Launch(_) | Work::Focus(_)) => return Err(format!("{other:?} is no input")),
        })
    }

    /// From now on nobody says that the turn lives.
    pub fn let_the_turn_die(&mut self) {
        self.turn = None;
    }

    /// Waits until so many events other than moves have come, and gives all.
    pub fn seen(&mut self, besides_moves: usize) -> Vec<Seen> {
        let mut events = Vec::new();
        before(self.terms.patience, || {
            events = self.witness.events();
            (events.iter().filter(|e| e.what != What::Move).count() >= besides_moves).then_some(())
        });
        events
    }

    /// Exactly these events came in this order, and moves only to places of `path`, in its order. Gives how far the
    /// farthest was off, and forgets all.
    pub fn expect(&mut self, wanted: &[Wanted], path: &[(f64, f64)]) -> Result<f64, String> {
        let events = self.seen(wanted.len());
        self.witness.forget();
        let been = std::mem::replace(&mut self.been, path.to_vec());
        compare(&events, wanted, path, self.terms.echoes.then_some(&been))
    }

    /// SplitMix64: the same numbers in every run.
    pub fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A whole number from `from` up to and without `to`.
    pub fn between(&mut self, from: i32, to: i32) -> i32 {
        from + (self.random() % (to - from).max(1) as u64) as i32
    }
}

/// The displays, the primary first, none empty.
fn displays(desktop: &mut dyn Desktop) -> Result<Vec<Display>, String> {
    let displays = desktop.displays().map_err(words)?;
    ensure!(
        displays.first().is_some_and(|d| d.primary),
        "the first display is not the primary: {displays:?}"
    );
    ensure!(displays.iter().all(|d| !d.area.is_empty()), "an empty display: {displays:?}");
    Ok(displays)
}

/// An error in its own words.
pub(super) fn words(why: impl std::fmt::Display) -> String {
    why.to_string()
}

/// Where a pixel of a frame lies on the screen, in parts of its units: this suite's own arithmetic.
pub(super) fn place(geometry: &FrameGeometry, at: FramePx) -> (f64, f64) {
    let along = |origin: i32, pixel: i32| f64::from(origin) + f64::from(pixel) / geometry.scale;
    (along(geometry.origin.x, at.x), along(geometry.origin.y, at.y))
}

pub(super) fn exactly(at: ScreenPx) -> (f64, f64) {
    (f64::from(at.x), f64::from(at.y))
}

pub(super) fn on(geometry: &FrameGeometry, at: FramePx) -> Spot {
    At { point: at, frame: geometry.frame }
}

fn off(seen: ScreenPx, wanted: (f64, f64)) -> f64 {
    (f64::from(seen.x) - wanted.0).abs().max((f64::from(seen.y) - wanted.1).abs())
}

/// With `been`, where the pointer was before, moves back to a place it came from count as echoes.
fn compare(
    events: &[Seen],
    wanted: &[Wanted],
    path: &[(f64, f64)],
    been: Option<&[(f64, f64)]>,
) -> Result<f64, String> {
    let mut worst: f64 = 0.0;
    let (mut next, mut passed) = (wanted.iter().enumerate(), 0);
    for (nth, event) in events.iter().enumerate() {
        // What came around it tells more than the one that is wrong.
        let around = || told(&events[nth.saturating_sub(4)..events.len().min(nth + 4)]);
        if event.what == What::Move {
            // One that stays where the pointer is moves nothing.
            let there = path[passed.min(path.len())..].iter().position(|at| off(event.screen, *at) <= 1.0);
            let came_from = |been: &[(f64, f64)]| {
                let before = been.iter().chain(&path[..passed.min(path.len())]);
                before.into_iter().any(|at| off(event.screen, *at) <= 1.0)
            };
            if there.is_none() && been.is_some_and(came_from) {
                continue;
            }
            let Some(there) = there else {
                let at = event.screen;
                return Err(format!("the pointer went to {at}, where nobody sent it: {}", around()));
            };
            passed += there;
            continue;
        }
        let Some((n, wanted)) = next.next() else {
            return Err(format!("an event that nobody asked for: {event:?}, in {}", around()));
        };
        let same = event.what == wanted.what;
        ensure!(same, "event {n} is {event:?}, asked for was {wanted:?}, in {}", around());
        if let Some(at) = wanted.at {
            let off = off(event.screen, at);
            ensure!(off <= 1.0, "event {n} is {off} off, asked for was {wanted:?}, in {}", around());
            worst = worst.max(off);
        }
    }
    match next.next() {
        Some((n, missing)) => {
            Err(format!("of {} events only {n} came; missing is {missing:?}", wanted.len()))
        }
        None => Ok(worst),
    }
}

/// Events in short.
fn told(events: &[Seen]) -> String {
    let each = events.iter().map(|e| format!("{:?} {:?} at {} ({} ms)", e.window, e.what, e.screen, e.at_ms));
    each.collect::<Vec<_>>().join("; ")
}

/// The turn that lives: it says so until dropped.
#[derive(Debug)]
pub(super) struct Turn {
    end: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Turn {
    pub(super) fn begin(pulse: Arc<dyn Pulse>) -> Self {
        let (end, ended) = sync_channel(0);
        let beat = move || {
            while ended.recv_timeout(Duration::from_millis(50)) == Err(RecvTimeoutError::Timeout) {
                pulse.beat();
            }
        };
        let thread = std::thread::Builder::new().name("turn".to_owned()).spawn(beat).expect("a thread");
        Self { end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the turn ends");
        }
    }
}
