//! A desktop that exists only in memory: it shows what it is told, notes every call with its time, and fails on demand.
//!
//! It is for the engine's logic, in virtual time. It proves nothing about a real screen, and does not pretend to be one:
//! no window, no program, no reaction to input.

use handsight_base::flow::action::{Batch, Primitive};
use handsight_base::flow::frame::{Frame, Pixels, Shown};
use handsight_base::gate::Approved;
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{
    Capabilities, CaptureRequest, Desktop, DesktopError, DesktopInfo, Display, Injected, Overlay,
};
use handsight_base::presence::Presence;
use handsight_base::space::{FrameGeometry, ScreenRect, Size};
use handsight_base::stop::Stop;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One call the engine made.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// A capture: the number of the frame, 0 for a probe, and whether the pointer was asked for.
    Capture {
        frame: u64,
        cursor: bool,
    },
    Inject(Vec<Primitive>),
    /// The overlay's place, or its removal.
    Overlay(Option<ScreenRect>),
    ReleaseAll,
}

struct State {
    displays: Vec<Display>,
    pixels: Pixels,
    /// Pictures of the captures to come; the last one stays.
    coming: VecDeque<Pixels>,
    calls: Vec<(Duration, Call)>,
    capture_faults: VecDeque<DesktopError>,
    /// Of the injections to come; `None` passes.
    inject_faults: VecDeque<Option<DesktopError>>,
    /// Injections until the one that nobody survives.
    lives: Option<usize>,
    capabilities: Capabilities,
    presence: Presence,
}

/// The desktop that goes to the engine. [`Handle`] stays with the test.
pub struct FakeDesktop {
    state: Arc<Mutex<State>>,
    clock: Arc<dyn Clock>,
}

/// The test's hold on a fake desktop.
#[derive(Clone)]
pub struct Handle {
    state: Arc<Mutex<State>>,
}

impl FakeDesktop {
    /// One display of one grey, with everything a fake can do but an overlay.
    pub fn new(size: Size, clock: Arc<dyn Clock>) -> (Self, Handle) {
        let display = Display {
            name: "fake-0".into(),
            area: ScreenRect::new(0, 0, size.width, size.height),
            primary: true,
            scale: 1.0,
        };
        let state = State {
            displays: vec![display],
            pixels: Pixels::solid(size, [90, 90, 90]),
            coming: VecDeque::new(),
            calls: Vec::new(),
            capture_faults: VecDeque::new(),
            inject_faults: VecDeque::new(),
            lives: None,
            capabilities: Capabilities { input: true, person: true, ..Capabilities::default() },
            presence: Presence::new(),
        };
        let state = Arc::new(Mutex::new(state));
        (Self { state: Arc::clone(&state), clock }, Handle { state })
    }

    fn dies(&self) -> bool {
        let mut state = self.state.lock().expect("no test thread panicked while it held this");
        state.lives = state.lives.map(|n| n.saturating_sub(1));
        state.lives == Some(0)
    }

    fn note(&self, call: Call) {
        self.state
            .lock()
            .expect("no test thread panicked while it held this")
            .calls
            .push((self.clock.now(), call));
    }
}

impl Handle {
    /// Every call so far, with the time of the clock.
    pub fn calls(&self) -> Vec<(Duration, Call)> {
        self.state.lock().expect("no test thread panicked while it held this").calls.clone()
    }

    /// Every primitive that reached the desktop.
    pub fn injected(&self) -> Vec<Primitive> {
        let calls = self.calls();
        calls
            .into_iter()
            .filter_map(|(_, c)| if let Call::Inject(p) = c { Some(p) } else { None })
            .flatten()
            .collect()
    }

    pub fn clear(&self) {
        self.state.lock().expect("no test thread panicked while it held this").calls.clear();
    }

    /// What the next captures show, one each.
    pub fn show_next(&self, pixels: impl IntoIterator<Item = Pixels>) {
        self.state.lock().expect("no test thread panicked while it held this").coming.extend(pixels);
    }

    /// The next captures fail with these.
    pub fn fail_captures(&self, errors: impl IntoIterator<Item = DesktopError>) {
        self.state.lock().expect("no test thread panicked while it held this").capture_faults.extend(errors);
    }

    /// The next injections fail with these.
    pub fn fail_injections(&self, errors: impl IntoIterator<Item = DesktopError>) {
        self.state
            .lock()
            .expect("no test thread panicked while it held this")
            .inject_faults
            .extend(errors.into_iter().map(Some));
    }

    /// The injection after the next `n` fails with this.
    pub fn fail_injection_after(&self, n: usize, error: DesktopError) {
        let mut state = self.state.lock().expect("no test thread panicked while it held this");
        state.inject_faults.extend(std::iter::repeat_n(None, n).chain([Some(error)]));
    }

    /// The `n`th injection from now on panics, from 1: nobody learns whether it happened.
    pub fn die_at_injection(&self, n: usize) {
        self.state.lock().expect("no test thread panicked while it held this").lives = Some(n);
    }

    /// The person at this screen, for a test to play.
    pub fn presence(&self) -> Presence {
        self.state.lock().expect("no test thread panicked while it held this").presence.clone()
    }

    pub fn set_displays(&self, displays: Vec<Display>) {
        self.state.lock().expect("no test thread panicked while it held this").displays = displays;
    }

    /// Pretends to have an overlay that captures do or do not show. Nothing is drawn.
    pub fn set_overlay(&self, overlay: bool, in_capture: bool) {
        let mut state = self.state.lock().expect("no test thread panicked while it held this");
        state.capabilities.overlay = overlay;
        state.capabilities.overlay_in_capture = in_capture;
    }
}

impl Desktop for FakeDesktop {
    fn info(&self) -> DesktopInfo {
        DesktopInfo {
            backend: "fake".into(),
            detail: "in memory".into(),
            simulated: true,
            capabilities: self.state.lock().expect("no test thread panicked while it held this").capabilities,
        }
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        Ok(self.state.lock().expect("no test thread panicked while it held this").displays.clone())
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        self.note(Call::Capture { frame: request.frame.0, cursor: request.cursor });
        let mut state = self.state.lock().expect("no test thread panicked while it held this");
        if let Some(error) = state.capture_faults.pop_front() {
            return Err(error);
        }
        let area = match &request.shown {
            Shown::Display(name) => {
                let named = state.displays.iter().find(|d| &d.name == name).map(|d| d.area);
                named.ok_or_else(|| DesktopError::NoSuchDisplay { name: name.clone(), there: Vec::new() })?
            }
            Shown::AllDisplays => state
                .displays
                .iter()
                .map(|d| d.area)
                .reduce(|a, b| a.union(&b))
                .unwrap_or(ScreenRect::new(0, 0, 1, 1)),
            Shown::Window(_) => return Err(self.unsupported("windows")),
        };
        if let Some(next) = state.coming.pop_front() {
            state.pixels = next;
        }
        let pixels = if state.pixels.size() == area.size {
            state.pixels.clone()
        } else {
            Pixels::solid(area.size, [90, 90, 90])
        };
        Ok(Frame {
            geometry: FrameGeometry {
                frame: request.frame,
                size: area.size,
                origin: area.origin,
                scale: 1.0,
            },
            shown: request.shown.clone(),
            at: self.clock.now(),
            pixels,
            cursor: false,
            suspicion: None,
        })
    }

    fn inject(&mut self, batch: Approved<Batch>, _: &Stop) -> Result<Injected, DesktopError> {
        let primitives = batch.into_inner().primitives;
        if let Some(Some(error)) =
            self.state.lock().expect("no test thread panicked while it held this").inject_faults.pop_front()
        {
            return Err(error);
        }
        if self.presence().is_some_and(|presence| presence.is_on()) {
            return Err(DesktopError::Stopped);
        }
        if self.dies() {
            panic!("the engine dies in an injection");
        }
        let events = primitives.iter().filter(|p| !matches!(p, Primitive::Wait(_))).count() as u32;
        self.note(Call::Inject(primitives));
        Ok(Injected { events, of: events, complete: true, took: Duration::ZERO })
    }

    fn release_all(&mut self) -> Result<(), DesktopError> {
        self.note(Call::ReleaseAll);
        Ok(())
    }

    fn presence(&self) -> Option<Presence> {
        Some(self.state.lock().expect("no test thread panicked while it held this").presence.clone())
    }

    fn overlay(&mut self, overlay: Option<&Overlay>) -> Result<(), DesktopError> {
        if !self.info().capabilities.overlay {
            return Err(self.unsupported("overlay"));
        }
        self.note(Call::Overlay(overlay.map(|o| o.area)));
        Ok(())
    }
}
