//! Eyes on a Windows desktop; the hands are a process of their own.
//!
//! One [`WindowsDesktop`] belongs to one thread, which the engine gives it with a deadline: a call may hang with the program
//! whose window it asks about. When that passes, [`WindowsConnector`] makes a new one that shares the same hands. Every
//! coordinate is a physical pixel of the virtual screen, so the process must call [`declare_dpi_awareness`] before its first
//! window. This module refuses a session without a screen, with its remedy, and never reads the environment.

mod arrange;
mod canvas;
mod capture;
pub(crate) mod clipboard;
mod command_line;
mod cursor;
mod damage;
mod displays;
mod dpi;
mod duplication;
mod film;
mod health;
pub(crate) mod input;
mod job;
mod launch;
mod layered;
mod overlay;
mod raiser;
mod repaint;
mod session;
mod session_end;
mod system;
mod tree;
mod whereabouts;
#[expect(
    clippy::module_inception,
    reason = "the windows on the desktop; every backend has a file of this name"
)]
mod windows;

pub use capture::Method;
pub(crate) use command_line::command_line;
pub use dpi::{Awareness, declare_dpi_awareness};
pub use health::{Health, total_memory};
pub use job::Job;
pub use session_end::on_session_end;
pub use system::{Version, version};

use crate::hands::HandsConfig;
use crate::hands::share::{KeptHands, SharedHands, locked};
use crate::marks::Marks;
use ::windows::Win32::Foundation::HWND;
use capture::Camera;
use handsight_base::flow::action::{Batch, WindowQuery};
use handsight_base::flow::frame::Frame;
use handsight_base::flow::ui::{UiRequest, UiTree};
use handsight_base::gate::{Approved, Focus, Launch, Paste, Place, SetClipboard};
use handsight_base::lifts::Lifts;
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{
    Capabilities, CaptureRequest, ClipboardContents, Damage, DamageMark, Desktop, DesktopError, DesktopInfo,
    Display, Injected, Overlay, OverlayInCapture, Pulse, Window, WindowId,
};
use handsight_base::presence::Presence;
use handsight_base::space::{ScreenPx, ScreenRect};
use handsight_base::stop::Stop;
use overlay::OverlayWindow;
use std::sync::Arc;
use tree::TreeReader;

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
    /// How pictures are taken.
    pub method: Method,
    /// Whether programs are asked what they show. Not tried on enough programs of real Windows to be the default.
    pub ui_automation: bool,
}

impl WindowsConfig {
    /// No hands.
    pub fn eyes(clock: Arc<dyn Clock>) -> Self {
        let (withheld, method) = (Vec::new(), Method::Gdi);
        Self { hands: None, clock, overlay_pulses: 2, withheld, method, ui_automation: false }
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
        Ok(WindowsDesktop {
            overlay: OverlayWindow::new(self.config.overlay_pulses),
            camera: Camera::new(self.config.method)?,
            marks: Marks::new(),
            tree: TreeReader::default(),
            config: self.config.clone(),
            hands,
        })
    }
}

/// Eyes on one Windows desktop, and a share of the run's hands.
pub struct WindowsDesktop {
    config: WindowsConfig,
    camera: Camera,
    overlay: OverlayWindow,
    marks: Marks,
    /// Reads what programs say that they show.
    tree: TreeReader,
    hands: Option<SharedHands>,
}

impl WindowsDesktop {
    /// What [`WindowsDesktop::bare_grab`] calls.
    pub const BARE_GRAB: &str = "bare BitBlt";

    /// One bare `BitBlt` of the whole virtual screen, which is the least a capture can cost; for `bench`.
    pub fn bare_grab(&mut self) -> Result<(), DesktopError> {
        self.camera.bare()
    }

    /// The parts of a window's client area that other windows cover. Our own overlay covers nothing.
    pub fn covered(&mut self, id: WindowId) -> Result<Vec<ScreenRect>, DesktopError> {
        arrange::covered(id, self.ours())
    }

    /// How large things are drawn in a window: 1.5 at 144 dots per inch.
    pub fn scale_of(&mut self, id: WindowId) -> Result<f64, DesktopError> {
        Ok(dpi::scale(dpi::of_window(whereabouts::of_id(id.0)?.handle)))
    }

    /// How large a person has things drawn on each display, in the order of [`Desktop::displays`].
    pub fn scales(&mut self) -> Vec<f64> {
        displays::monitors().iter().map(|m| dpi::scale(dpi::of_display(m.handle))).collect()
    }

    /// Our overlay's window.
    fn ours(&self) -> Option<HWND> {
        self.overlay.window().map(whereabouts::handle)
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
        let input = self.hands.is_some();
        DesktopInfo {
            backend: "windows".into(),
            detail: system::version().to_string(),
            simulated: false,
            capabilities: Capabilities {
                input,
                windows: true,
                place: true,
                launch: true,
                clipboard: input,
                overlay: true,
                overlay_in_capture: true,
                annotated_in_capture: false,
                damage: self.config.method == Method::Dxgi,
                pointer: true,
                ui_tree: self.config.ui_automation,
                person: self.presence().is_some(),
            },
        }
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        displays::displays()
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        match request.overlay {
            OverlayInCapture::AsShown => {
                self.overlay.await_painted()?;
                self.camera.capture(request, self.config.clock.now())
            }
            OverlayInCapture::Hidden => {
                let hidden = self.overlay.hide()?;
                let frame = self.camera.capture(request, self.config.clock.now());
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

    fn release_all(&mut self) -> Result<(), DesktopError> {
        self.hands.as_ref().map_or(Ok(()), |hands| locked(hands).release_all())
    }

    fn windows(&mut self) -> Result<Vec<Window>, DesktopError> {
        Ok(windows::list(self.ours()))
    }

    fn layers(&mut self) -> Result<Vec<Window>, DesktopError> {
        Ok(windows::layers(self.ours()))
    }

    fn window(&mut self, id: WindowId) -> Result<Window, DesktopError> {
        windows::one(id)
    }

    fn find(&mut self, query: &WindowQuery) -> Result<Vec<Window>, DesktopError> {
        windows::find(query, self.ours())
    }

    fn focus(&mut self, focus: Approved<Focus>) -> Result<Window, DesktopError> {
        let Focus(query) = focus.into_inner();
        let window = windows::find(&query, self.ours())?.remove(0);
        // Wine tells the X server that a window was raised only if no window of Windows lies above it, not even a topmost one.
        let aside = system::is_wine() && self.overlay.step_aside()?;
        let focused = arrange::focus(window.id);
        if aside {
            self.overlay.unhide()?;
        }
        focused
    }

    fn place(&mut self, place: Approved<Place>) -> Result<Window, DesktopError> {
        let Place { window, to } = place.into_inner();
        arrange::place(window, to)
    }

    fn launch(&mut self, launch: Approved<Launch>) -> Result<u32, DesktopError> {
        let Launch(argv) = launch.into_inner();
        launch::launch(&argv, &self.config.withheld)
    }

    fn paste(&mut self, paste: Approved<Paste>, stop: &Stop) -> Result<Injected, DesktopError> {
        locked(self.hands("clipboard")?).paste(paste, stop)
    }

    fn clipboard(&mut self) -> Result<ClipboardContents, DesktopError> {
        clipboard::read()
    }

    fn set_clipboard(&mut self, contents: Approved<SetClipboard>) -> Result<(), DesktopError> {
        locked(self.hands("clipboard")?).set_clipboard(contents)
    }

    fn pointer(&mut self) -> Result<Option<ScreenPx>, DesktopError> {
        Ok(cursor::pointer())
    }

    fn damage_since(&mut self, mark: Option<DamageMark>) -> Result<Damage, DesktopError> {
        let ours = self.overlay.area();
        match self.camera.duplication() {
            Some(duplication) => damage::since(duplication, &mut self.marks, mark, ours),
            None => Err(self.unsupported("damage")),
        }
    }

    fn ui_tree(&mut self, request: &UiRequest) -> Result<UiTree, DesktopError> {
        if !self.config.ui_automation {
            return Err(self.unsupported("ui_tree"));
        }
        let windows = windows::list(self.ours());
        Ok(self.tree.read(windows, request))
    }

    fn overlay(&mut self, overlay: Option<&Overlay>) -> Result<(), DesktopError> {
        self.overlay.show(overlay)
    }

    fn pulse(&self) -> Option<Arc<dyn Pulse>> {
        self.hands.as_ref().map(|hands| locked(hands).pulse())
    }

    fn chord_stop(&self) -> Option<Stop> {
        self.hands.as_ref().map(|hands| locked(hands).chord_stop())
    }

    fn presence(&self) -> Option<Presence> {
        self.hands.as_ref().and_then(|hands| locked(hands).presence())
    }

    fn lifts(&self) -> Option<Lifts> {
        self.hands.as_ref().map(|hands| locked(hands).lifts())
    }
}

impl std::fmt::Debug for WindowsDesktop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WindowsDesktop({:?})", self.config)
    }
}
