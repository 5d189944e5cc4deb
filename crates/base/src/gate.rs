//! The gate: what alone may approve an effect on a desktop.
//!
//! Everything that changes something (input, clipboard, launch, focus, placement) needs an [`Approved`] value, and
//! only [`Gate::approve`] makes one: the constructor is private to this file, and Rust's privacy ends at the crate. An
//! approval cannot be copied, is used up by the desktop call, and is bound to the frame the model saw and to the hash of the
//! action, so that yesterday's approval opens nothing.
//!
//! A rule may leave an effect to a person: then the gate gives out what is to be asked ([`Asked`]), and takes the answer for that one action
//! on that one frame.
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
//! let approved: Approved<Action> = Gate::new(Vec::new()).approve(value, &Scene::new(&geometry, 1))?;
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
use crate::flow::decision::Consent;
use crate::key::Key;
use crate::port::desktop::{ClipboardContents, Placement, Window, WindowId};
use crate::space::{FrameGeometry, FrameId, ScreenPx, SpaceError};

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
    /// Modifiers that earlier actions pressed alone: where keys latch, they are held for the next one.
    pub held: &'a [Key],
    /// Whatever takes clicks or keys ([`crate::port::desktop::Desktop::layers`]), the topmost first; `None` where the desktop cannot tell or no rule asks ([`Gate::looks_at_windows`]).
    pub windows: Option<&'a [Window]>,
    /// Where an action without a place of its own happens, as far as it is known.
    pub pointer: Option<ScreenPx>,
    pub done: Done,
}

/// What was done so far, for budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done {
    /// Of this run and those it resumes.
    pub actions: u64,
    pub launches: u64,
    /// Actions within the last 60 s.
    pub last_minute: u64,
}

impl<'a> Scene<'a> {
    /// A moment of which no more is known than the frame.
    pub const fn new(geometry: &'a FrameGeometry, turn: u64) -> Self {
        let done = Done { actions: 0, launches: 0, last_minute: 0 };
        Self { geometry, turn, held: &[], windows: None, pointer: None, done }
    }
}

/// What a rule has against a proposal, in words the model can use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Objection {
    /// It is not done, whoever agrees.
    Refused(String),
    /// It is done if a person agrees to this very action first.
    Ask(String),
}

impl From<String> for Objection {
    fn from(why: String) -> Self {
        Self::Refused(why)
    }
}

/// One rule of a policy. A rule can only object: what no rule objects to is approved.
pub trait Rule: Send + Sync {
    /// Its name in refusals and in `policy check`.
    fn name(&self) -> &'static str;

    fn check(&self, proposal: Proposal<'_>, scene: &Scene<'_>) -> Result<(), Objection>;

    /// Whether it can judge only with [`Scene::windows`] and [`Scene::pointer`].
    fn looks_at_windows(&self) -> bool {
        false
    }
}

/// Why something was not approved.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("refused by the rule `{rule}`: {why}")]
    Rule { rule: &'static str, why: String },
    #[error("a person has to agree first: {0}")]
    Ask(Asked),
    #[error("a person had to agree first, and {}", .0.words())]
    NotAgreed(Consent),
    #[error("what a person agreed to is not what would be done now")]
    AnotherThing,
    #[error(transparent)]
    Space(#[from] SpaceError),
}

/// What a person has to agree to before one action on one frame. Only a gate makes one.
#[derive(Debug, PartialEq, Eq)]
pub struct Asked {
    hash: ActionHash,
    points: Vec<(&'static str, String)>,
}

impl Asked {
    /// The rules that ask, each with its reason.
    pub fn points(&self) -> &[(&'static str, String)] {
        &self.points
    }

    /// With what the person said. Only [`Consent::Given`] opens anything, once.
    pub fn answered(self, consent: Consent) -> Answer {
        Answer { asked: self, consent }
    }
}

impl std::fmt::Display for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let points = self.points.iter().map(|(rule, why)| format!("{why} (rule `{rule}`)"));
        f.write_str(&points.collect::<Vec<_>>().join("; "))
    }
}

/// A person's answer about one action on one frame. Not `Clone`: it counts once.
#[derive(Debug)]
#[must_use = "an answer that nobody uses agrees to nothing"]
pub struct Answer {
    asked: Asked,
    consent: Consent,
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

    /// Whether a rule needs to know the windows.
    pub fn looks_at_windows(&self) -> bool {
        self.rules.iter().any(|rule| rule.looks_at_windows())
    }

    /// Approves `effect` for the scene's frame, or says who refuses and why.
    pub fn approve<T: Effect>(&self, effect: T, scene: &Scene<'_>) -> Result<Approved<T>, Refusal> {
        let points = self.points(effect.proposal(), scene)?;
        let hash = effect.hash(scene.geometry.frame);
        if points.is_empty() {
            return Ok(Approved { value: effect, geometry: *scene.geometry, hash });
        }
        Err(Refusal::Ask(Asked { hash, points }))
    }

    /// Approves what a person was asked about. All rules are asked again, about the moment that it is now: the answer opens the same
    /// action on the same frame for the same reasons, and nothing else.
    pub fn approve_answered<T: Effect>(
        &self,
        effect: T,
        scene: &Scene<'_>,
        answer: Answer,
    ) -> Result<Approved<T>, Refusal> {
        let Answer { asked, consent } = answer;
        if consent != Consent::Given {
            return Err(Refusal::NotAgreed(consent));
        }
        let points = self.points(effect.proposal(), scene)?;
        let hash = effect.hash(scene.geometry.frame);
        if (Asked { hash: hash.clone(), points }) != asked {
            return Err(Refusal::AnotherThing);
        }
        Ok(Approved { value: effect, geometry: *scene.geometry, hash })
    }

    /// What a person has to agree to; a refusal comes before any question.
    fn points(
        &self,
        proposal: Proposal<'_>,
        scene: &Scene<'_>,
    ) -> Result<Vec<(&'static str, String)>, Refusal> {
        if let Proposal::Action(action) = proposal {
            for spot in action.spots() {
                scene.geometry.screen_from_frame(*spot)?;
            }
        }
        let mut points = Vec::new();
        for rule in &self.rules {
            match rule.check(proposal, scene) {
                Ok(()) => {}
                Err(Objection::Refused(why)) => return Err(Refusal::Rule { rule: rule.name(), why }),
                Err(Objection::Ask(why)) => points.push((rule.name(), why)),
            }
        }
        Ok(points)
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
