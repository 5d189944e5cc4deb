//! The gate: what alone may approve an effect on a desktop.
//!
//! Everything that changes something (input, clipboard, launch, focus, placement) needs an [`Approved`] value, and
//! only [`Gate::approve`] makes one: the constructor is private to this file, and Rust's privacy ends at the crate. An
//! approval cannot be copied, is used up by the desktop call, and is bound to the frame the model saw and to the hash of the
//! action, so that yesterday's approval opens nothing.
//!
//! This module refuses to hold policy. Rules plug in from `agent/policy/`; nothing here reads a configuration.
//!
//! An approval comes from a gate:
//!
//! ```
//! # use handsight_base::flow::action::{Action, ActionHash};
//! # use handsight_base::gate::{Approved, Gate, Scene};
//! # use handsight_base::space::{FrameGeometry, FrameId, ScreenPx, Size};
//! # let geometry =
//! #     FrameGeometry { frame: FrameId(1), size: Size::new(8, 8), origin: ScreenPx::new(0, 0), scale: 1.0 };
//! # let value = Action::Wait { millis: 5 };
//! # let hash = ActionHash(String::new());
//! let approved: Approved<Action> = Gate::new(Vec::new()).approve(value, &Scene { geometry: &geometry, turn: 1 })?;
//! # Ok::<(), handsight_base::gate::Refusal>(())
//! ```
//!
//! and from nowhere else. The same lines with a forged one do not compile, and would if the fields were public:
//!
//! ```compile_fail,E0451
//! # use handsight_base::flow::action::{Action, ActionHash};
//! # use handsight_base::gate::{Approved, Gate, Scene};
//! # use handsight_base::space::{FrameGeometry, FrameId, ScreenPx, Size};
//! # let geometry =
//! #     FrameGeometry { frame: FrameId(1), size: Size::new(8, 8), origin: ScreenPx::new(0, 0), scale: 1.0 };
//! # let value = Action::Wait { millis: 5 };
//! # let hash = ActionHash(String::new());
//! let approved: Approved<Action> = Approved { value, geometry, hash };
//! # Ok::<(), handsight_base::gate::Refusal>(())
//! ```

use crate::expand::{ExpandError, by_run_dialog, expand};
use crate::flow::action::{Action, ActionHash, Batch, Timing, WindowQuery, json};
use crate::port::desktop::{ClipboardContents, Placement, WindowId};
use crate::space::{FrameGeometry, FrameId, SpaceError};

/// Something that changes the desktop and therefore needs approval.
pub trait Effect: Sized {
    /// What the rules get to see.
    fn proposal(&self) -> Proposal<'_>;

    fn hash(&self, frame: FrameId) -> ActionHash {
        self.proposal().hash(frame)
    }
}

/// What is put before the rules.
#[derive(Debug, Clone, Copy)]
pub enum Proposal<'a> {
    Action(&'a Action),
    /// The engine's own wish (target focus, restore), not the model's.
    Focus(&'a WindowQuery),
    Place(WindowId, &'a Placement),
    Clipboard(&'a ClipboardContents),
}

impl Proposal<'_> {
    fn hash(&self, frame: FrameId) -> ActionHash {
        match self {
            Self::Action(action) => action.hash(frame),
            Self::Focus(query) => ActionHash::over(frame, |hasher| {
                hasher.update(b"focus").update(&json(query));
            }),
            Self::Place(window, to) => ActionHash::over(frame, |hasher| {
                hasher.update(b"place").update(&window.0.to_le_bytes()).update(&json(to));
            }),
            Self::Clipboard(contents) => ActionHash::over(frame, |hasher| {
                hasher.update(b"clipboard");
                for (name, bytes) in &contents.formats {
                    // Lengths keep a name and the bytes after it apart.
                    for part in [name.as_bytes(), bytes] {
                        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
                    }
                }
            }),
        }
    }
}

impl Effect for Action {
    fn proposal(&self) -> Proposal<'_> {
        Proposal::Action(self)
    }
}

/// The engine brings a window to the front and gives it the focus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Focus(pub WindowQuery);

impl Effect for Focus {
    fn proposal(&self) -> Proposal<'_> {
        Proposal::Focus(&self.0)
    }
}

/// The engine moves or resizes a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub window: WindowId,
    pub to: Placement,
}

impl Effect for Place {
    fn proposal(&self) -> Proposal<'_> {
        Proposal::Place(self.window, &self.to)
    }
}

/// The engine puts something on the clipboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetClipboard(pub ClipboardContents);

impl Effect for SetClipboard {
    fn proposal(&self) -> Proposal<'_> {
        Proposal::Clipboard(&self.0)
    }
}

/// What the gate knows of the moment.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The newest frame the model saw; a point of any other is stale.
    pub geometry: &'a FrameGeometry,
    pub turn: u64,
}

/// One rule of a policy. A rule can only refuse: what no rule refuses is approved.
pub trait Rule: Send + Sync {
    /// Its name in refusals and in `policy check`.
    fn name(&self) -> &'static str;

    /// `Err` holds the reason in words the model can use.
    fn check(&self, proposal: Proposal<'_>, scene: &Scene<'_>) -> Result<(), String>;
}

/// Why something was not approved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("refused by the rule `{rule}`: {why}")]
    Rule { rule: &'static str, why: String },
    #[error(transparent)]
    Space(#[from] SpaceError),
}

/// Approves effects, or names the rule that refuses.
pub struct Gate {
    rules: Vec<Box<dyn Rule>>,
}

impl Gate {
    /// One product file builds a gate (`agent/src/policy/mod.rs`); a tidy check holds that.
    pub fn new(rules: Vec<Box<dyn Rule>>) -> Self {
        Self { rules }
    }

    /// The names of the rules in the order they are asked.
    pub fn rules(&self) -> impl Iterator<Item = &'static str> {
        self.rules.iter().map(|r| r.name())
    }

    /// Approves `effect` for the scene's frame, or says who refuses and why.
    pub fn approve<T: Effect>(&self, effect: T, scene: &Scene<'_>) -> Result<Approved<T>, Refusal> {
        let proposal = effect.proposal();
        if let Proposal::Action(action) = proposal {
            for spot in action.spots() {
                scene.geometry.screen_from_frame(*spot)?;
            }
        }
        for rule in &self.rules {
            rule.check(proposal, scene).map_err(|why| Refusal::Rule { rule: rule.name(), why })?;
        }
        let hash = effect.hash(scene.geometry.frame);
        Ok(Approved { value: effect, geometry: *scene.geometry, hash })
    }
}

impl std::fmt::Debug for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.rules()).finish()
    }
}

/// A value the gate let through. Not `Clone`: it opens one desktop call.
#[derive(Debug)]
#[must_use = "an approval that nobody uses did nothing"]
pub struct Approved<T> {
    value: T,
    /// What it was approved on: the frame, and where on the screen that frame lay.
    geometry: FrameGeometry,
    hash: ActionHash,
}

impl<T> Approved<T> {
    pub const fn value(&self) -> &T {
        &self.value
    }

    pub const fn frame(&self) -> FrameId {
        self.geometry.frame
    }

    pub const fn hash(&self) -> &ActionHash {
        &self.hash
    }

    /// Uses the approval up. Called by the desktop that carries it out.
    pub fn into_inner(self) -> T {
        self.value
    }
}

/// An approved action in the form the desktop takes it in.
#[derive(Debug)]
pub enum Work {
    Input(Approved<Batch>),
    Paste(Approved<Paste>),
    Launch(Approved<Launch>),
    Focus(Approved<Focus>),
}

/// Text to be entered by way of the clipboard, whose contents are given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paste(pub String);

/// A program to be started without a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch(pub Vec<String>);

impl Approved<Action> {
    /// The only way from an action to something a desktop takes. Points are converted with the geometry of the frame
    /// they were approved on; another frame is refused as stale, the same frame elsewhere as moved.
    pub fn expand(self, geometry: &FrameGeometry, timing: &Timing) -> Result<Work, ExpandError> {
        let Self { value, geometry: approved_on, hash } = self;
        if approved_on.frame != geometry.frame {
            let (given, current) = (approved_on.frame, geometry.frame);
            return Err(SpaceError::StaleFrame { given, current }.into());
        }
        if approved_on != *geometry {
            return Err(SpaceError::Moved { frame: approved_on.frame }.into());
        }
        let geometry = approved_on;
        Ok(match value {
            Action::Paste { text } => Work::Paste(Approved { value: Paste(text), geometry, hash }),
            Action::Launch { argv } => match timing.run_dialog {
                Some(wait) => {
                    let value = by_run_dialog(&argv, wait, &geometry, timing)?;
                    Work::Input(Approved { value, geometry, hash })
                }
                None => Work::Launch(Approved { value: Launch(argv), geometry, hash }),
            },
            Action::FocusWindow { query } => Work::Focus(Approved { value: Focus(query), geometry, hash }),
            action @ (Action::Click { .. }
            | Action::Move { .. }
            | Action::Down { .. }
            | Action::Up { .. }
            | Action::Drag { .. }
            | Action::Scroll { .. }
            | Action::Type { .. }
            | Action::Key { .. }
            | Action::HoldKey { .. }
            | Action::Wait { .. }) => {
                Work::Input(Approved { value: expand(&action, &geometry, timing)?, geometry, hash })
            }
        })
    }
}

#[cfg(test)]
mod tests;
