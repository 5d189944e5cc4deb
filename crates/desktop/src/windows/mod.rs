//! Eyes on a Windows desktop; the hands are a process of their own.
//!
//! One [`WindowsDesktop`] belongs to one thread, which the engine gives it with a deadline: a call may hang with the program
//! whose window it asks about. When that passes, [`WindowsConnector`] makes a new one that shares the same hands. Every
//! coordinate is a physical pixel of the virtual screen, so the process must call [`declare_dpi_awareness`] before its first
//! window. This module refuses a session without a screen, with its remedy, and never reads the environment.

mod canvas;
mod clipboard;
mod displays;
mod dpi;
mod input;
mod layered;
mod overlay;
mod raiser;
mod repaint;
mod system;

pub use dpi::declare_dpi_awareness;
pub use system::{Version, version};

use crate::hands::HandsConfig;
use crate::hands::share::{KeptHands, SharedHands, locked};
use handsight_base::flow::action::Batch;
use handsight_base::flow::frame::Frame;
use handsight_base::gate::Approved;
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{
    Capabilities, CaptureRequest, Desktop, DesktopError, DesktopInfo, Display, Injected, Overlay,
    OverlayInCapture,
};
use handsight_base::stop::Stop;
use overlay::OverlayWindow;
use std::sync::Arc;

/// How to work on a Windows desktop.
#[derive(Clone)]
pub struct WindowsConfig {
    /// `None` for a dry run and for whoever only looks and arranges: input is then refused by name.
    pub hands: Option<HandsConfig>,
    /// Times the frames, since the run began.
    pub clock: Arc<dyn Clock>,
    /// How often each rendering of the overlay raises it, 50 ms apart (S-59).
    pub overlay_pulses: u32,
    /// Environment variables a launched program does not get: the keys of providers.
    pub withheld: Vec<String>,
}

impl WindowsConfig {
    /// No hands.
    pub fn eyes(clock: Arc<dyn Clock>) -> Self {
        Self { hands: None, clock, overlay_pulses: 2, withheld: Vec::new() }
    }
}

impl std::fmt::Debug for WindowsConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hands = if self.hands.is_some() { "with hands" } else { "eyes only" };
        write!(f, "WindowsConfig({hands})")
    }
}

/// Opens the desktop, the first time and after a loss. The hands outlive that: what they hold and what they press is theirs,
/// and a second pair on the same desktop would be refused.
#[derive(Debug)]
pub struct WindowsConnector {
    config: WindowsConfig,
    hands: KeptHands,
}

impl WindowsConnector {
    pub fn new(config: WindowsConfig) -> Self {
        Self { config, hands: KeptHands::default() }
    }

    /// A fresh desktop for the thread that calls.
    pub fn connect(&self) -> Result<WindowsDesktop, DesktopError> {
        dpi::declare_dpi_awareness();
        let hands = self.config.hands.as_ref().map(|config| self.hands.get(config)).transpose()?;
        let overlay = OverlayWindow::new(self.config.overlay_pulses);
        Ok(WindowsDesktop { config: self.config.clone(), overlay, hands })
    }
}

/// Eyes on one Windows desktop, and a share of the run's hands.
pub struct WindowsDesktop {
    config: WindowsConfig,
    overlay: OverlayWindow,
    hands: Option<SharedHands>,
}

impl WindowsDesktop {
    /// What [`WindowsDesktop::bare_grab`] calls.
    pub const BARE_GRAB: &str = "bare BitBlt";

    /// One bare `BitBlt` of the whole virtual screen, which is the least a capture can cost; for `bench`.
    pub fn bare_grab(&mut self) -> Result<(), DesktopError> {
        Err(self.unsupported("capture"))
    }

    /// The hands, or a refusal by name.
    fn hands(&self, what: &'static str) -> Result<&SharedHands, DesktopError> {
        self.hands.as_ref().ok_or_else(|| self.unsupported(what))
    }

    /// Opens it once; see [`WindowsConnector`] for a desktop that can be found again after a loss.
    pub fn connect(config: WindowsConfig) -> Result<Self, DesktopError> {
        WindowsConnector::new(config).connect()
    }
}

impl Desktop for WindowsDesktop {
    fn info(&self) -> DesktopInfo {
        DesktopInfo {
            backend: "windows".into(),
            detail: system::version().to_string(),
            simulated: false,
            capabilities: Capabilities { overlay: true, overlay_in_capture: true, ..Capabilities::default() },
        }
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        displays::displays()
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        let _ = &self.config.clock;
        match request.overlay {
            OverlayInCapture::AsShown => {
                self.overlay.await_painted()?;
                Err(self.unsupported("capture"))
            }
            OverlayInCapture::Hidden => {
                let hidden = self.overlay.hide()?;
                let frame = Err(self.unsupported("capture"));
                if hidden {
                    self.overlay.unhide()?;
                }
                frame
            }
        }
    }

    fn inject(&mut self, batch: Approved<Batch>, stop: &Stop) -> Result<Injected, DesktopError> {
        locked(self.hands("input")?).inject(batch, stop)
    }

    fn overlay(&mut self, overlay: Option<&Overlay>) -> Result<(), DesktopError> {
        self.overlay.show(overlay)
    }
}

impl std::fmt::Debug for WindowsDesktop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WindowsDesktop({:?})", self.config)
    }
}
