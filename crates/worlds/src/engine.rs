//! What every simulated desktop has in common: the [`World`] trait, its pictures, and the [`Desktop`] port over it.
//!
//! A world is a value: it takes input events and time, and says what it looks like as a [`scene::Scene`]. The engine turns
//! scenes into pixels ([`screen`]), batches into events ([`desktop`]) and keeps time ([`World::advance`] is the only way
//! in which time passes; nothing here sleeps or reads a machine's clock). Refused here: any knowledge of what a world is about,
//! and any way for a model to reach a world's truth.
//!
//! [`Desktop`]: handsight_base::port::desktop::Desktop

pub mod cursor;
pub mod desktop;
pub mod paint;
pub mod scene;
pub mod screen;
pub mod shapes;
pub mod text;

use crate::task::{Hand, TaskError, Verdict};
use handsight_base::flow::action::{Axis, Button, Primitive};
use handsight_base::flow::ui::UiNode;
use handsight_base::key::Key;
use handsight_base::port::desktop::{Display, Window, WindowId};
use handsight_base::space::{ScreenPx, ScreenRect};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// One event of mouse or keyboard, as a window system delivers it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// The pointer is at this place now.
    Move(ScreenPx),
    Button {
        button: Button,
        down: bool,
    },
    Key {
        key: Key,
        down: bool,
    },
    /// A character was typed: pressed and released, with what the layout needs around it.
    Char(char),
    /// 120ths of a notch; positive is up and right.
    Wheel {
        axis: Axis,
        units: i32,
    },
}

impl Input {
    /// What a primitive of the hands is in a world; `None` for a wait, which is time and no event.
    pub const fn of(primitive: Primitive) -> Option<Self> {
        Some(match primitive {
            Primitive::Move(to) => Self::Move(to),
            Primitive::Button { button, down } => Self::Button { button, down },
            Primitive::Key { key, down } => Self::Key { key, down },
            Primitive::Char(c) => Self::Char(c),
            Primitive::Wheel { axis, units } => Self::Wheel { axis, units },
            Primitive::Wait(_) => return None,
        })
    }
}

/// What the pointer looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CursorShape {
    #[default]
    Arrow,
    /// Over text.
    Beam,
    /// Over something that is pressed.
    Hand,
    ResizeHorizontal,
    ResizeVertical,
    /// From the top-left to the bottom-right corner.
    ResizeFalling,
    /// From the bottom-left to the top-right corner.
    ResizeRising,
}

/// Why a saved state cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    #[error("these bytes are no saved `{world}`: {why}")]
    Unreadable { world: &'static str, why: String },
    #[error("the saved `{world}` names the program {app:?}, which this version does not have")]
    UnknownApp { world: &'static str, app: String },
}

/// A simulated desktop: a value that takes events and time and can say what it looks like.
///
/// Everything is deterministic: the same seed, events and times give the same scenes, on every machine.
pub trait World: Send {
    /// The word for it on the command line: `desk`.
    fn name(&self) -> &'static str;

    fn seed(&self) -> u64;

    /// Every display, the primary first.
    fn displays(&self) -> &[Display];

    /// Counts up whenever the scene may have changed; the picture is drawn again only then.
    fn revision(&self) -> u64;

    /// What it looks like now, in screen units, without the pointer.
    fn scene(&self) -> scene::Scene;

    /// An event happens now.
    fn input(&mut self, input: Input);

    /// Lets go of every key and button.
    fn release_all(&mut self);

    /// Time moves on to `now`, counted from when the world began; what is due in between happens. Earlier times are ignored.
    fn advance(&mut self, now: Duration);

    /// How long a model is taken to think between a picture and its first input. Zero: time stands still.
    fn think_time(&self) -> Duration {
        Duration::ZERO
    }

    /// All top-level windows, the topmost first.
    fn windows(&self) -> Vec<Window>;

    /// What its programs tell assistive technology of what they show, the topmost first. A world whose programs keep
    /// silent says nothing.
    fn ui(&self) -> Vec<UiNode> {
        Vec::new()
    }

    /// Restores a window, brings it to the front and gives it the focus. False if there is no such window.
    fn focus(&mut self, window: WindowId) -> bool;

    /// Moves a window so that its outer rectangle is `outer`, as far as its least size allows. False if there is none.
    fn place(&mut self, window: WindowId, outer: ScreenRect) -> bool;

    /// Starts a program. `Err` says why not.
    fn launch(&mut self, argv: &[String]) -> Result<u32, String>;

    fn clipboard(&self) -> String;

    fn set_clipboard(&mut self, text: String);

    fn pointer(&self) -> ScreenPx;

    fn cursor(&self) -> CursorShape;

    /// The whole state. A world of the same kind that loads it goes on with the same pictures.
    fn save(&self) -> Vec<u8>;

    fn load(&mut self, state: &[u8]) -> Result<(), LoadError>;

    /// What is so, for checkers; never for a model.
    fn truth(&self) -> serde_json::Value;

    /// Sets the stage for a task, on a world nobody has touched yet, from the world's seed. What is wanted, in plain English.
    fn begin(&mut self, task: &str) -> Result<String, TaskError>;

    /// The same words, of the task that has begun.
    fn objective(&self) -> Option<&str>;

    /// Whether the task is done as things are now; `None` if none has begun.
    fn verdict(&self) -> Option<Verdict>;

    /// The next movement towards it, computed from the truth: never for a model.
    fn oracle(&self) -> Hand;
}

/// A world that several hold: the engine through its desktop, a checker to judge, a window host to show it.
pub type Shared<W> = Arc<Mutex<W>>;

/// A world for several holders.
pub fn share<W: World>(world: W) -> Shared<W> {
    Arc::new(Mutex::new(world))
}

/// The world, also after a holder panicked.
pub fn hold<W: World + ?Sized>(world: &Mutex<W>) -> MutexGuard<'_, W> {
    world.lock().unwrap_or_else(PoisonError::into_inner)
}
