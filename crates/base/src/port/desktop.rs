//! The desktop port: eyes and hands on one screen, real or simulated.
//!
//! Calls are synchronous. A real backend sits on one named thread behind a bounded channel with a deadline a call; a
//! world is called inline. What a backend cannot do it refuses by name ([`DesktopError::Unsupported`]), never silently:
//! every optional method refuses by default. Nothing here may approve anything.

use crate::flow::action::{Batch, WindowQuery};
use crate::flow::frame::{Frame, Shown};
use crate::flow::receipt::Outcome;
use crate::flow::ui::{UiRequest, UiTree};
use crate::gate::{Approved, Focus, Launch, Paste, Place, SetClipboard};
use crate::lifts::Lifts;
use crate::presence::Presence;
use crate::space::{FrameId, ScreenPx, ScreenRect};
use crate::stop::Stop;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// A backend's own number for a window; unique while the window lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WindowId(pub u64);

/// What a backend is and what it can do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DesktopInfo {
    /// The word for it on the command line: `x11`, `replay`.
    pub backend: String,
    /// For people: display name, host, server, version.
    pub detail: String,
    /// Effects on a simulated desktop need not be synced before they happen.
    pub simulated: bool,
    pub capabilities: Capabilities,
}

/// Every capability is a value the backend declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    pub input: bool,
    pub windows: bool,
    pub place: bool,
    pub launch: bool,
    pub clipboard: bool,
    /// A real overlay window a person can see; otherwise the HUD is blended into the picture.
    pub overlay: bool,
    /// The overlay is part of what `capture` returns.
    pub overlay_in_capture: bool,
    /// What is drawn on pictures for a model is part of what `capture` returns: a recording of such pictures.
    pub annotated_in_capture: bool,
    pub damage: bool,
    pub pointer: bool,
    pub ui_tree: bool,
    /// The person's own keys and mouse are told from ours, and take the screen over ([`Desktop::presence`]).
    pub person: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Display {
    pub name: String,
    pub area: ScreenRect,
    pub primary: bool,
    /// Frame pixels per screen unit.
    pub scale: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    pub id: WindowId,
    pub title: String,
    /// Class and instance, as the system has them (`WM_CLASS` on X11).
    pub class: Vec<String>,
    pub pid: Option<u32>,
    /// The file of the program it belongs to, where the system tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Client area on the screen.
    pub client: ScreenRect,
    /// With decoration.
    pub outer: ScreenRect,
    pub state: WindowState,
    pub focused: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowState {
    Normal,
    Minimised,
    /// Exists but is not mapped, or lies on another workspace.
    Hidden,
}

/// Where to put a window: its outer or its client rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    Outer(ScreenRect),
    Client(ScreenRect),
}

/// What to capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureRequest {
    /// The number the frame gets. The engine counts the frames a model may see from 1; probe and settle frames, which no point
    /// may refer to, are [`CaptureRequest::PROBE`].
    pub frame: FrameId,
    pub shown: Shown,
    /// Only this part, in screen units; it is clipped to what is shown.
    pub region: Option<ScreenRect>,
    /// Blend the pointer in at its hot spot.
    pub cursor: bool,
    pub overlay: OverlayInCapture,
}

impl CaptureRequest {
    pub const PROBE: FrameId = FrameId(0);
}

/// What becomes of our own overlay in a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OverlayInCapture {
    /// As it stands on the screen (`stateless` always; settle and probe frames, which mask its rectangle).
    #[default]
    AsShown,
    /// Hidden, synced, waited for until its area is quiet (50 ms at most), captured, shown again.
    Hidden,
}

/// Something to show above everything else: opaque and clear pixels, click-through, never focused.
#[derive(Clone, PartialEq, Eq)]
pub struct Overlay {
    pub area: ScreenRect,
    /// Blue, green, red, alpha; `4 * width` bytes a row. Alpha is 0 or 255 where the target has no compositor.
    pub bgra: Arc<[u8]>,
}

impl std::fmt::Debug for Overlay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Overlay({})", self.area)
    }
}

/// Which parts changed since a mark. `None` in place of a list means the backend lost count: assume everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    pub mark: DamageMark,
    pub areas: Option<Vec<ScreenRect>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DamageMark(pub u64);

/// What became of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injected {
    /// Events the system took, of those the batch asked for.
    pub events: u32,
    pub of: u32,
    /// False if a stop or a loss ended it early; everything is released then.
    pub complete: bool,
    pub took: Duration,
}

/// The formats on a clipboard with their bytes, by the system's own names for them (`text/plain;charset=utf-8`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ClipboardContents {
    pub formats: Vec<(String, Vec<u8>)>,
}

/// Tells hands that the turn still runs. Sent by the runtime that drives the turn, every 100 ms while anything is down, never by
/// a helper thread: a turn that hangs must look like one.
pub trait Pulse: Send + Sync {
    /// Must not block.
    fn beat(&self);
}

/// Eyes and hands on one screen.
pub trait Desktop: Send {
    fn info(&self) -> DesktopInfo;

    /// Every display, the primary first.
    fn displays(&mut self) -> Result<Vec<Display>, DesktopError>;

    /// A picture, with its place on the screen asked afresh.
    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError>;

    /// Runs the primitives in order. On a stop it ends within 100 ms and releases what it holds.
    fn inject(&mut self, batch: Approved<Batch>, stop: &Stop) -> Result<Injected, DesktopError>;

    /// Releases everything the hands hold; at a pause, an approval, the end.
    fn release_all(&mut self) -> Result<(), DesktopError> {
        Ok(())
    }

    /// All top-level windows, the topmost first.
    fn windows(&mut self) -> Result<Vec<Window>, DesktopError> {
        Err(self.unsupported("windows"))
    }

    /// Whatever takes a click or has the focus, the topmost first: the windows, and what no person would call one (menus,
    /// notifications, what a program puts above everything). Our own overlay lets clicks through and is left out.
    fn layers(&mut self) -> Result<Vec<Window>, DesktopError> {
        self.windows()
    }

    /// One window afresh. [`DesktopError::TargetGone`] if it is closed.
    fn window(&mut self, id: WindowId) -> Result<Window, DesktopError> {
        let _ = id;
        Err(self.unsupported("windows"))
    }

    /// The windows a query means, the topmost first.
    fn find(&mut self, query: &WindowQuery) -> Result<Vec<Window>, DesktopError> {
        let _ = query;
        Err(self.unsupported("windows"))
    }

    /// Restores and focuses a window and waits until the system says so.
    fn focus(&mut self, focus: Approved<Focus>) -> Result<Window, DesktopError> {
        let _ = focus;
        Err(self.unsupported("windows"))
    }

    fn place(&mut self, place: Approved<Place>) -> Result<Window, DesktopError> {
        let _ = place;
        Err(self.unsupported("place"))
    }

    /// Starts a program without a shell and returns its process id.
    fn launch(&mut self, launch: Approved<Launch>) -> Result<u32, DesktopError> {
        let _ = launch;
        Err(self.unsupported("launch"))
    }

    /// Enters text by way of the clipboard and gives the clipboard back.
    fn paste(&mut self, paste: Approved<Paste>, stop: &Stop) -> Result<Injected, DesktopError> {
        let _ = (paste, stop);
        Err(self.unsupported("clipboard"))
    }

    fn clipboard(&mut self) -> Result<ClipboardContents, DesktopError> {
        Err(self.unsupported("clipboard"))
    }

    fn set_clipboard(&mut self, contents: Approved<SetClipboard>) -> Result<(), DesktopError> {
        let _ = contents;
        Err(self.unsupported("clipboard"))
    }

    fn pointer(&mut self) -> Result<Option<ScreenPx>, DesktopError> {
        Ok(None)
    }

    /// What changed since `mark`; without a mark, a first mark. Our own overlay's damage is left out.
    fn damage_since(&mut self, mark: Option<DamageMark>) -> Result<Damage, DesktopError> {
        let _ = mark;
        Err(self.unsupported("damage"))
    }

    /// Shows the overlay, or takes it away.
    fn overlay(&mut self, overlay: Option<&Overlay>) -> Result<(), DesktopError> {
        let _ = overlay;
        Err(self.unsupported("overlay"))
    }

    /// What programs say that they show, in the time that the request leaves: a program that does not answer is missed, and
    /// nothing waits for it.
    fn ui_tree(&mut self, request: &UiRequest) -> Result<UiTree, DesktopError> {
        let _ = request;
        Err(self.unsupported("ui_tree"))
    }

    /// How the runtime tells the hands that it is alive. `None` where nothing can stay pressed.
    fn pulse(&self) -> Option<Arc<dyn Pulse>> {
        None
    }

    /// Set by the stop chord; the engine watches it.
    fn chord_stop(&self) -> Option<Stop> {
        None
    }

    /// Says when a person uses the screen themselves. While it is on, [`Desktop::inject`] and [`Desktop::paste`] answer
    /// [`DesktopError::Stopped`], or end early. `None` where they are not watched for or cannot be told from us.
    fn presence(&self) -> Option<Presence> {
        None
    }

    /// Says when something that an action left down was released by anything but an action. `None` where nothing else does that.
    fn lifts(&self) -> Option<Lifts> {
        None
    }

    fn unsupported(&self, what: &'static str) -> DesktopError {
        DesktopError::Unsupported { what: what.into(), backend: self.info().backend }
    }
}

/// Who must act on a desktop error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DesktopFault {
    /// The model chose something that cannot be: tell it.
    TellModel,
    /// Nobody's fault yet: connect again and retry for a while.
    Retry,
    /// The target is gone: wait a while, then end with `target_lost`.
    Target,
    /// A person must look: end the run.
    Fatal,
}

/// What can go wrong with a desktop, in states of the screen rather than names of calls.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DesktopError {
    /// `what` is the name of a capability, or of the one thing that cannot be done now (`ctrl+shift+s`).
    #[error("the `{backend}` desktop cannot do `{what}`")]
    Unsupported { what: Cow<'static, str>, backend: String },
    #[error("no window matches {query}{}", hint(.candidates))]
    NoSuchWindow { query: String, candidates: Vec<String> },
    #[error("the window {window} is closed")]
    TargetGone { window: String },
    #[error("the window {window} is minimised or hidden and did not come back within {waited:?}")]
    TargetHidden { window: String, waited: Duration },
    /// Everything is released, and the rest of the batch was not sent.
    #[error(
        "the text was begun in the window {window}, which lost the focus after {typed} characters: the rest was not typed"
    )]
    FocusMoved { window: String, typed: u32, injected: Injected },
    #[error("there is no display {name:?}; there are: {}", .there.join(", "))]
    NoSuchDisplay { name: String, there: Vec<String> },
    #[error("the screen could not be captured: {why}")]
    Capture { why: String, code: Option<i64> },
    #[error("the system refused the input: {why}{}", code_text(.code))]
    Input { why: String, code: Option<i64> },
    #[error("the overlay could not be shown: {why}{}", code_text(.code))]
    Overlay { why: String, code: Option<i64> },
    #[error("the clipboard could not be used: {why}")]
    Clipboard { why: String },
    #[error("{program:?} could not be started: {why}")]
    Launch { program: String, why: String },
    #[error("the desktop gave no answer to `{call}` within {after:?}")]
    Deadline { call: &'static str, after: Duration },
    #[error("the connection to the desktop is lost: {why}")]
    Lost { why: String },
    #[error("no usable desktop: {why}. {remedy}")]
    Unusable { why: String, remedy: String },
    #[error("another handsight (process {pid}) works on this display; end it first, or use another display")]
    InUse { pid: u32 },
    #[error("stopped")]
    Stopped,
    /// A replay says so of an action that was not simply done when it was recorded: what became of it then.
    #[error("{}", recorded(.0))]
    Recorded(Outcome),
}

impl DesktopError {
    pub const fn fault(&self) -> DesktopFault {
        match self {
            Self::Unsupported { .. }
            | Self::NoSuchWindow { .. }
            | Self::NoSuchDisplay { .. }
            | Self::Launch { .. }
            | Self::Clipboard { .. }
            | Self::Recorded(_) => DesktopFault::TellModel,
            Self::Deadline { .. } | Self::Lost { .. } => DesktopFault::Retry,
            Self::TargetGone { .. } | Self::TargetHidden { .. } | Self::FocusMoved { .. } => {
                DesktopFault::Target
            }
            Self::Capture { .. }
            | Self::Input { .. }
            | Self::Overlay { .. }
            | Self::Unusable { .. }
            | Self::InUse { .. }
            | Self::Stopped => DesktopFault::Fatal,
        }
    }
}

fn hint(candidates: &[String]) -> String {
    if candidates.is_empty() {
        return "; there is no window at all".to_owned();
    }
    let shown = candidates.iter().take(8).map(|c| format!("{c:?}")).collect::<Vec<_>>().join(", ");
    format!("; there are: {shown}")
}

fn recorded(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Failed { why, .. } | Outcome::Withheld { why } | Outcome::Refused { why } => why.clone(),
        Outcome::Done { .. } | Outcome::NotExecuted | Outcome::Ambiguous => outcome.describe(),
    }
}

fn code_text(code: &Option<i64>) -> String {
    code.map(|c| format!(" (code {c})")).unwrap_or_default()
}

impl WindowQuery {
    /// For messages: `title "Untitled"`.
    pub fn describe(&self) -> String {
        match self {
            Self::Title(t) => format!("title {t:?}"),
            Self::TitlePart(t) => format!("title containing {t:?}"),
            Self::TitleRegex(t) => format!("title matching /{t}/"),
            Self::Class(c) => format!("class {c:?}"),
            Self::Pid(p) => format!("process {p}"),
            Self::Id(i) => format!("window {i:#x}"),
            Self::Active => "the active window".to_owned(),
        }
    }
}
