//! Eyes on a real X11 screen; the hands are a process of their own.
//!
//! One [`X11Desktop`] is one connection. It may hang with its server, so the engine gives it a thread and a deadline; when
//! that passes, [`X11Connector`] makes a new one that shares the same hands. This module refuses Xwayland, odd pixel formats
//! and servers without XTEST, each with its remedy, and never reads the environment.

mod arrange;
mod capture;
pub(crate) mod clipboard;
mod composed;
mod connection;
mod cursor;
mod damage;
mod displays;
pub mod host;
pub(crate) mod input;
mod launch;
mod overlay;
mod raiser;
mod repaint;
mod segment;
mod tree;
mod whereabouts;
mod windows;

use crate::hands::HandsConfig;
use crate::hands::share::{KeptHands, SharedHands, locked};
use capture::Camera;
use clipboard::Selection;
use connection::Link;
use damage::DamageLog;
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
pub use tree::Buses;
use tree::TreeReader;
use x11rb::connection::Connection as _;

/// How to work on an X11 screen.
#[derive(Clone)]
pub struct X11Config {
    /// `:99`; `None` if neither the command line nor `DISPLAY` names one.
    pub display: Option<String>,
    /// `None` for a dry run and for whoever only looks and arranges: input is then refused by name.
    pub hands: Option<HandsConfig>,
    /// Times the frames, since the run began.
    pub clock: Arc<dyn Clock>,
    /// How often each rendering of the overlay raises it, 50 ms apart (S-59).
    pub overlay_pulses: u32,
    /// Environment variables a launched program does not get: the keys of providers.
    pub withheld: Vec<String>,
    /// Where programs tell what they show.
    pub buses: Buses,
}

impl X11Config {
    /// No hands on `display`.
    pub fn eyes(display: Option<String>, clock: Arc<dyn Clock>) -> Self {
        Self { display, hands: None, clock, overlay_pulses: 2, withheld: Vec::new(), buses: Buses::default() }
    }
}

impl std::fmt::Debug for X11Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hands = if self.hands.is_some() { "with hands" } else { "eyes only" };
        write!(f, "X11Config({:?}, {hands})", self.display)
    }
}

/// Connects to one display, the first time and after a loss. The hands outlive a connection: what they hold and what they
/// press is theirs, and a second pair on the same display would be refused.
#[derive(Debug)]
pub struct X11Connector {
    config: X11Config,
    hands: KeptHands,
}

impl X11Connector {
    pub fn new(config: X11Config) -> Self {
        Self { config, hands: KeptHands::default() }
    }

    /// A fresh connection. May block as long as the server does.
    pub fn connect(&self) -> Result<X11Desktop, DesktopError> {
        let link = Link::connect(self.config.display.as_deref())?;
        let hands = match &self.config.hands {
            None => None,
            Some(_) if !link.has.xtest => {
                return Err(DesktopError::Unusable {
                    why: format!("{} lacks the XTEST extension, so it takes no input from us", link.display),
                    remedy: "Start the X server with `+extension XTEST` and without `-tst`.".into(),
                });
            }
            Some(config) => Some(self.hands.get(config)?),
        };
        Ok(X11Desktop {
            overlay: OverlayWindow::new(self.config.overlay_pulses),
            config: self.config.clone(),
            link,
            camera: Camera::default(),
            damage: None,
            selection: None,
            tree: TreeReader::default(),
            hands,
        })
    }
}

/// Eyes on one X11 screen, and a share of the run's hands.
pub struct X11Desktop {
    config: X11Config,
    link: Link,
    camera: Camera,
    overlay: OverlayWindow,
    damage: Option<DamageLog>,
    /// Reads the clipboard.
    selection: Option<Selection>,
    /// Reads what programs say that they show.
    tree: TreeReader,
    hands: Option<SharedHands>,
}

impl X11Desktop {
    /// What [`X11Desktop::bare_grab`] calls.
    pub const BARE_GRAB: &str = "bare XShmGetImage";

    /// Connects once; see [`X11Connector`] for a desktop that can be found again after a loss.
    pub fn connect(config: X11Config) -> Result<Self, DesktopError> {
        X11Connector::new(config).connect()
    }

    /// The parts of a window's client area that other windows cover. Our own overlay covers nothing.
    pub fn covered(&mut self, id: WindowId) -> Result<Vec<ScreenRect>, DesktopError> {
        arrange::covered(&self.link, id, self.overlay.window())
    }

    /// The process of ours, of this run or an earlier one, that keeps what is on the clipboard; for `doctor`.
    pub fn clipboard_keeper(&mut self) -> Result<Option<u32>, DesktopError> {
        self.link.drain()?;
        let Some(owner) = clipboard::owner_of_ours(&self.link)? else {
            return Ok(None);
        };
        match windows::one(&self.link, WindowId(owner.into())) {
            Ok(window) => Ok(window.pid),
            Err(DesktopError::TargetGone { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// One bare `XShmGetImage` of the whole root, which is the least a capture can cost; for `bench`.
    pub fn bare_grab(&mut self) -> Result<(), DesktopError> {
        let (width, height) = (self.link.screen().width_in_pixels, self.link.screen().height_in_pixels);
        self.camera.bare(&self.link, width, height)
    }

    /// The hands, or a refusal by name.
    fn hands(&self, what: &'static str) -> Result<&SharedHands, DesktopError> {
        self.hands.as_ref().ok_or_else(|| self.unsupported(what))
    }

    /// Where our overlay is, to be left out of what changed.
    fn ours(&self) -> Vec<ScreenRect> {
        self.overlay.area().into_iter().collect()
    }
}

impl Desktop for X11Desktop {
    fn info(&self) -> DesktopInfo {
        let setup = self.link.conn.setup();
        let vendor = String::from_utf8_lossy(&setup.vendor);
        let has = self.link.has;
        let input = self.hands.is_some();
        DesktopInfo {
            backend: "x11".into(),
            detail: format!("{} ({vendor}, release {})", self.link.display, setup.release_number),
            simulated: false,
            capabilities: Capabilities {
                input,
                windows: true,
                place: true,
                launch: true,
                clipboard: input,
                overlay: has.shape,
                overlay_in_capture: has.shape,
                annotated_in_capture: false,
                damage: has.damage,
                pointer: true,
                ui_tree: true,
                person: self.presence().is_some(),
            },
        }
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        self.link.drain()?;
        Ok(displays::displays(&self.link)?)
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        let (link, at) = (&self.link, || self.config.clock.now());
        match request.overlay {
            OverlayInCapture::AsShown => {
                self.overlay.await_painted(link, &mut self.damage)?;
                self.camera.capture(link, request, at())
            }
            OverlayInCapture::Hidden => {
                let hidden = self.overlay.hide(link, &mut self.damage)?;
                let frame = self.camera.capture(link, request, at());
                if hidden {
                    self.overlay.unhide(link)?;
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
        Ok(windows::list(&self.link)?)
    }

    fn layers(&mut self) -> Result<Vec<Window>, DesktopError> {
        let ours = self.overlay.window();
        Ok(windows::layers(&self.link, ours)?)
    }

    fn window(&mut self, id: WindowId) -> Result<Window, DesktopError> {
        windows::one(&self.link, id)
    }

    fn find(&mut self, query: &WindowQuery) -> Result<Vec<Window>, DesktopError> {
        windows::find(&self.link, query)
    }

    fn focus(&mut self, focus: Approved<Focus>) -> Result<Window, DesktopError> {
        let Focus(query) = focus.into_inner();
        let window = windows::find(&self.link, &query)?.remove(0);
        arrange::focus(&self.link, window.id)
    }

    fn place(&mut self, place: Approved<Place>) -> Result<Window, DesktopError> {
        let Place { window, to } = place.into_inner();
        arrange::place(&self.link, window, to)
    }

    fn launch(&mut self, launch: Approved<Launch>) -> Result<u32, DesktopError> {
        let Launch(argv) = launch.into_inner();
        launch::launch(&argv, &self.link.display, &self.config.withheld)
    }

    fn paste(&mut self, paste: Approved<Paste>, stop: &Stop) -> Result<Injected, DesktopError> {
        locked(self.hands("clipboard")?).paste(paste, stop)
    }

    fn clipboard(&mut self) -> Result<ClipboardContents, DesktopError> {
        // Kept: some programs end with an error when who asked them has left before they answer.
        let selection = match &mut self.selection {
            Some(selection) => selection,
            none => none.insert(Selection::connect(&self.link.display)?),
        };
        let silent = || DesktopError::Clipboard { why: "the program that owns it does not answer".into() };
        selection.read_all()?.ok_or_else(silent)
    }

    fn set_clipboard(&mut self, contents: Approved<SetClipboard>) -> Result<(), DesktopError> {
        locked(self.hands("clipboard")?).set_clipboard(contents)
    }

    fn pointer(&mut self) -> Result<Option<ScreenPx>, DesktopError> {
        self.link.drain()?;
        Ok(cursor::pointer(&self.link)?)
    }

    fn damage_since(&mut self, mark: Option<DamageMark>) -> Result<Damage, DesktopError> {
        if !self.link.has.damage {
            return Err(self.unsupported("damage"));
        }
        let ours = self.ours();
        let log = match &mut self.damage {
            Some(log) => log,
            none => none.insert(DamageLog::watch(&self.link)?),
        };
        Ok(log.since(&self.link, mark, &ours)?)
    }

    fn ui_tree(&mut self, request: &UiRequest) -> Result<UiTree, DesktopError> {
        self.tree.read(&self.link, &self.config.buses, self.overlay.window(), request)
    }

    fn overlay(&mut self, overlay: Option<&Overlay>) -> Result<(), DesktopError> {
        let mut ours = self.ours();
        // What others changed so far is kept apart from what we are about to change.
        if let Some(log) = &mut self.damage {
            let changed = log.fetch(&self.link, &ours)?;
            log.note(changed);
        }
        let result = self.overlay.show(&self.link, overlay);
        ours.extend(self.overlay.area());
        if let Some(log) = &mut self.damage {
            self.link.sync()?;
            let changed = log.fetch(&self.link, &ours)?;
            log.note(changed);
        }
        result
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

impl std::fmt::Debug for X11Desktop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "X11Desktop({:?})", self.link)
    }
}
