//! Suites: what is measured, as data.
//!
//! A suite is one TOML file. `[[world]]` takes the tasks of a simulated desktop, which bring their own stage, objective, checker and
//! oracle; `[[case]]` names real programs to start, what is wanted of them, how it is checked and how it can be done. [`SUITES`] are
//! compiled in; a person's own is read from its path. A mistake is told with file, line, key and the nearest key there is.
//!
//! A case says nothing of a profile or a model: whatever plays it gets the objective and a screen.

mod glob;
mod read;

use crate::check::Check;
use crate::control::script::Step;
use serde::Serialize;

pub use glob::Glob;
pub use read::{SuiteError, read};

/// The suites that are compiled in: name and TOML. Help, docs and tests iterate over this.
pub const SUITES: &[(&str, &str)] = &[
    ("desk", include_str!("../suites/desk.toml")),
    ("linux-apps", include_str!("../suites/linux-apps.toml")),
    ("wine-apps", include_str!("../suites/wine-apps.toml")),
];

/// The tools a case can take, as oracles and solutions use them.
pub use handsight_worlds::task::TOOLS;

/// A suite as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    pub name: String,
    pub about: String,
    /// At least one; no two have the same id.
    pub cases: Vec<Case>,
}

impl Suite {
    /// A shipped one.
    pub fn shipped(name: &str) -> Option<Result<Self, SuiteError>> {
        let (_, text) = SUITES.iter().find(|(n, _)| *n == name)?;
        Some(read(name, &format!("suite {name}"), text))
    }

    /// True if its cases are played on a desktop that is given, and not on one of their own.
    pub fn needs_desktop(&self) -> bool {
        self.cases.iter().any(|case| matches!(case.start, Start::Programs(_)))
    }
}

/// One thing to be done, and how it is told whether it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// A file name on every system: lower-case letters, digits and `-`.
    pub id: String,
    /// 1: at most 3 actions in one program. 2: 4 to 10. 3: more, or in several programs; dialogs and menus are part of theirs.
    pub level: u8,
    pub tags: Vec<String>,
    /// What it takes besides looking and ending; of [`TOOLS`].
    pub tools: Vec<String>,
    pub limits: Limits,
    pub start: Start,
}

impl Case {
    /// The tools among those it takes that are not offered.
    pub fn lacks(&self, offered: &[&str]) -> Vec<&str> {
        self.tools.iter().map(String::as_str).filter(|tool| !offered.contains(tool)).collect()
    }
}

/// How long a run of a case may go on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Limits {
    pub turns: u64,
    /// Of the person's clock.
    pub seconds: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { turns: 60, seconds: 600.0 }
    }
}

/// What a case begins with.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    World(WorldStart),
    Programs(ProgramsStart),
}

/// A task of a simulated desktop.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldStart {
    pub world: String,
    pub task: String,
    /// Of each display in screen units, as `1280x720`.
    pub size: String,
    /// Pixels a unit.
    pub scale: f64,
    pub displays: u8,
}

impl WorldStart {
    /// As `--desktop` takes it, from this seed.
    pub fn desktop(&self, seed: u64) -> String {
        let Self { world, task, size, scale, displays } = self;
        format!("world:{world},task={task},seed={seed},size={size},scale={scale},displays={displays}")
    }

    /// Which display is looked at, as `--display` takes it.
    pub const fn display(&self) -> &'static str {
        if self.displays > 1 { "all" } else { "primary" }
    }
}

/// Real programs, each started fresh. In every text `{home}` stands for the case's own home folder.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramsStart {
    /// In the model's words.
    pub objective: String,
    /// Laid into the home first: path and text.
    pub files: Vec<(String, String)>,
    /// Commands that are run to their end before the programs start, whatever they answer.
    pub before: Vec<Vec<String>>,
    /// Started in this order.
    pub programs: Vec<Program>,
    /// All of them must hold in the end. At least one.
    pub checks: Vec<Check>,
    /// What wins the case.
    pub solution: Vec<Step>,
}

/// A program that a case starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// By which checks mean it.
    pub name: String,
    /// The command and its arguments; no shell reads them.
    pub run: Vec<String>,
    /// A part of the title of the window that must be there before the run begins.
    pub window: String,
}

/// A text with the case's home in the place of `{home}`.
pub(crate) fn at_home(text: &str, home: &std::path::Path) -> String {
    text.replace("{home}", &home.display().to_string())
}
