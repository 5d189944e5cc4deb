//! A desktop whose calls go wrong when a test says so, over one that works.
//!
//! Whoever implements [`Mishaps`] is asked before and told after each call. This module refuses to invent answers: what is not
//! spoilt is the inner desktop's own.

use handsight_base::flow::action::{ActionHash, Batch, WindowQuery};
use handsight_base::flow::frame::Frame;
use handsight_base::gate::{Approved, Focus};
use handsight_base::port::desktop::{
    CaptureRequest, Desktop, DesktopError, DesktopInfo, Display, Injected, Overlay, Window, WindowId,
};
use handsight_base::stop::Stop;

/// What becomes of a batch.
#[derive(Debug)]
pub enum Blow {
    /// Nothing goes wrong.
    Pass,
    /// Nothing is sent, and this is the answer.
    Refuse(DesktopError),
    /// It is carried out, as far as `stop` lets it; then this is the answer, if any, in place of the true one.
    Spoil { stop: Option<Stop>, answer: Option<DesktopError> },
}

/// What goes wrong with a desktop.
pub trait Mishaps: Send {
    /// A look by this name: `displays`, `capture`, `window`, `find`.
    fn look(&mut self, what: &'static str) -> Result<(), DesktopError>;

    /// A frame on its way to the engine.
    fn frame(&mut self, request: &CaptureRequest, frame: Frame) -> Frame;

    /// An approved batch on its way to the desktop.
    fn inject(&mut self, hash: &ActionHash, batch: &Batch) -> Blow;

    /// What the engine is told of it.
    fn injected(&mut self, answer: &Result<Injected, DesktopError>);

    fn focus(&mut self) -> Result<(), DesktopError>;

    /// False: the release is lost on its way.
    fn release(&mut self) -> bool;

    fn overlay(&mut self, overlay: Option<&Overlay>) -> Result<(), DesktopError>;
}

/// The inner desktop, with an overlay that is noted and drawn nowhere.
pub struct FaultyDesktop<D, M> {
    inner: D,
    mishaps: M,
}

impl<D: Desktop, M: Mishaps> FaultyDesktop<D, M> {
    pub const fn new(inner: D, mishaps: M) -> Self {
        Self { inner, mishaps }
    }
}

impl<D: Desktop, M: Mishaps> Desktop for FaultyDesktop<D, M> {
    fn info(&self) -> DesktopInfo {
        let mut info = self.inner.info();
        info.capabilities.overlay = true;
        info.capabilities.overlay_in_capture = false;
        info
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        self.mishaps.look("displays")?;
        self.inner.displays()
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        self.mishaps.look("capture")?;
        let frame = self.inner.capture(request)?;
        Ok(self.mishaps.frame(request, frame))
    }

    fn inject(&mut self, batch: Approved<Batch>, stop: &Stop) -> Result<Injected, DesktopError> {
        let answer = match self.mishaps.inject(batch.hash(), batch.value()) {
            Blow::Pass => self.inner.inject(batch, stop),
            Blow::Refuse(error) => Err(error),
            Blow::Spoil { stop: other, answer } => {
                let true_answer = self.inner.inject(batch, other.as_ref().unwrap_or(stop));
                answer.map_or(true_answer, Err)
            }
        };
        self.mishaps.injected(&answer);
        answer
    }

    fn release_all(&mut self) -> Result<(), DesktopError> {
        if self.mishaps.release() { self.inner.release_all() } else { Ok(()) }
    }

    fn windows(&mut self) -> Result<Vec<Window>, DesktopError> {
        self.mishaps.look("windows")?;
        self.inner.windows()
    }

    fn window(&mut self, id: WindowId) -> Result<Window, DesktopError> {
        self.mishaps.look("window")?;
        self.inner.window(id)
    }

    fn find(&mut self, query: &WindowQuery) -> Result<Vec<Window>, DesktopError> {
        self.mishaps.look("find")?;
        self.inner.find(query)
    }

    fn focus(&mut self, focus: Approved<Focus>) -> Result<Window, DesktopError> {
        self.mishaps.focus()?;
        self.inner.focus(focus)
    }

    fn overlay(&mut self, overlay: Option<&Overlay>) -> Result<(), DesktopError> {
        self.mishaps.overlay(overlay)
    }
}
