//! Tasks: what there is to do in a world, whether it was done, and how it can be done.
//!
//! A world sets the stage for a task from its seed ([`World::begin`]), says in plain English what is wanted, and judges by its
//! truth ([`World::verdict`]). Its oracle ([`World::oracle`]) looks at the same truth and names the next [`Hand`]; doing what it
//! says until it says [`Hand::Done`] wins, which proves that the task can be won with the tools it names. Nothing here may
//! reach a model but the objective.
//!
//! [`World::begin`]: crate::engine::World::begin
//! [`World::verdict`]: crate::engine::World::verdict
//! [`World::oracle`]: crate::engine::World::oracle

use crate::Setup;
use handsight_base::flow::action::{Action, Button, ScrollBy};
use handsight_base::key::{Chord, Modifiers};
use handsight_base::space::{FrameGeometry, ScreenPx, Size, SpaceError};
use serde::{Deserialize, Serialize};

/// A task as lists and tables show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskInfo {
    /// As the command line names it: `write-note`.
    pub name: &'static str,
    /// For help and tables; not for a model.
    pub about: &'static str,
    /// The tools it takes, besides looking and ending: of [`TOOLS`].
    pub tools: &'static [&'static str],
    /// 1, 2 or 3: that of the longest way its oracle takes on any desk ([`level`]).
    pub level: u8,
    /// How many displays the world must have at least.
    pub displays: u8,
    /// Pixels for 100 screen units: more than 100 is a sharp display.
    pub percent: u16,
    /// Shown by whoever shows what the project can do.
    pub demo: bool,
}

/// The most actions a task of level 1 and one of level 2 may take.
pub const MOST_ACTIONS: [usize; 2] = [3, 10];

/// The level of a play that took so many actions in so many windows; dialogs and menus are part of their window.
///
/// 1: at most 3 actions in one window. 2: 4 to 10 actions in one window. 3: more, or in several windows.
pub const fn level(actions: usize, windows: usize) -> u8 {
    let [few, some] = MOST_ACTIONS;
    if windows > 1 || actions > some {
        3
    } else if actions > few {
        2
    } else {
        1
    }
}

impl TaskInfo {
    /// Shown by whoever shows what the project can do.
    #[must_use]
    pub const fn in_demo(self) -> Self {
        Self { demo: true, ..self }
    }

    /// On two displays.
    #[must_use]
    pub const fn on_two(self) -> Self {
        Self { displays: 2, ..self }
    }

    /// On a display with so many pixels for 100 screen units.
    #[must_use]
    pub const fn sharp(self, percent: u16) -> Self {
        Self { percent, ..self }
    }

    /// Pixels a screen unit.
    pub fn scale(&self) -> f64 {
        f64::from(self.percent) / 100.0
    }

    /// The world it is played on: displays of this size in screen units, as many and as sharp as it wants.
    pub fn setup(&self, seed: u64, size: Size) -> Setup {
        let setup = Setup::new(seed, size).scaled(self.scale());
        if self.displays > 1 { setup.with_neighbour() } else { setup }
    }

    /// True if an agent with these tools can do it.
    pub fn needs_only(&self, tools: &[&str]) -> bool {
        self.tools.iter().all(|tool| tools.contains(tool))
    }
}

/// The tools a task may take: the words of the agent's tools where there is such a tool.
pub const TOOLS: &[&str] = &["click", "type", "scroll", "double_click", "right_click", "drag", "key"];

/// The tools of the `stateless` profile that move the hands.
pub const PLAIN_TOOLS: &[&str] = &["click", "type", "scroll"];

/// What a checker says of the world as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    pub verified: bool,
    /// What is not as it should be; of a verified task, what was checked.
    pub why: String,
}

/// Why a task cannot begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    #[error("the world `{world}` has no task {name:?}; it has: {there}")]
    NoSuchTask { world: &'static str, name: String, there: String },
    #[error(
        "the task `{name}` takes {needs} displays and this world has {has}; give it another with Setup::with_display"
    )]
    Displays { name: &'static str, needs: u8, has: usize },
}

/// One movement of the hands, as an oracle names it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hand {
    /// The left button, once.
    Click(ScreenPx),
    DoubleClick(ScreenPx),
    RightClick(ScreenPx),
    /// With the left button, from the first place to the second.
    Drag(ScreenPx, ScreenPx),
    /// Where the focus is; a line break presses Enter, a tab Tab.
    Type(String),
    Key(Chord),
    /// 120ths of a notch where the pointer is; positive is up.
    Scroll(i32),
    /// Nothing more to do.
    Done,
}

impl Hand {
    /// The tool it takes, of [`TOOLS`]; `done` for the end.
    pub const fn tool(&self) -> &'static str {
        match self {
            Self::Click(_) => "click",
            Self::DoubleClick(_) => "double_click",
            Self::RightClick(_) => "right_click",
            Self::Drag(..) => "drag",
            Self::Type(_) => "type",
            Self::Key(_) => "key",
            Self::Scroll(_) => "scroll",
            Self::Done => "done",
        }
    }

    /// The same as an action on a frame; `None` for [`Hand::Done`].
    pub fn action(&self, frame: &FrameGeometry) -> Result<Option<Action>, SpaceError> {
        let click = |at: ScreenPx, button, count| {
            let at = Some(frame.frame_from_screen(at)?);
            Ok(Some(Action::Click { at, button, count, modifiers: Modifiers::NONE }))
        };
        match self {
            Self::Click(at) => click(*at, Button::Left, 1),
            Self::DoubleClick(at) => click(*at, Button::Left, 2),
            Self::RightClick(at) => click(*at, Button::Right, 1),
            Self::Drag(from, to) => {
                let path = vec![frame.frame_from_screen(*from)?, frame.frame_from_screen(*to)?];
                Ok(Some(Action::Drag { path, button: Button::Left, modifiers: Modifiers::NONE }))
            }
            Self::Type(text) => Ok(Some(Action::typed(text.clone()))),
            Self::Key(chord) => Ok(Some(Action::Key { chord: chord.clone(), repeat: 1 })),
            Self::Scroll(units) => {
                let by = ScrollBy::Units { dx: 0, dy: *units };
                Ok(Some(Action::Scroll { at: None, by, modifiers: Modifiers::NONE }))
            }
            Self::Done => Ok(None),
        }
    }
}
