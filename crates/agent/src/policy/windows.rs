//! Which windows input may go to: the pointer's by where they lie, the keyboard's by which has the focus.
//!
//! Where the desktop cannot say what windows there are, nothing passes. The windows are those of the moment before the action;
//! what an action itself opens on its way is looked at before the next one.

use crate::profile::{Policy, WindowMatch};
use crate::target::topmost;
use handsight_base::flow::action::{Action, WindowQuery};
use handsight_base::gate::{Objection, Proposal, Rule, Scene};
use handsight_base::port::desktop::Window;
use handsight_base::space::ScreenPx;

pub(super) struct Windows {
    allowed: Vec<WindowMatch>,
    denied: Vec<WindowMatch>,
}

impl Windows {
    pub(super) fn of(policy: &Policy) -> Self {
        Self { allowed: policy.windows.clone(), denied: policy.windows_denied.clone() }
    }

    fn pass(&self, window: Option<&Window>, what: &str) -> Result<(), Objection> {
        let Some(window) = window else {
            return Err(format!("{what} is in no window that can be told, and only some may be used").into());
        };
        // What others wrote may be long.
        let title: String = window.title.chars().take(80).collect();
        if self.denied.iter().any(|m| m.fits(window)) {
            return Err(format!("the window {title:?} is not to be used ({what})").into());
        }
        if self.allowed.is_empty() || self.allowed.iter().any(|m| m.fits(window)) {
            return Ok(());
        }
        Err(format!("the window {title:?} is not among those that may be used ({what})").into())
    }
}

impl Windows {
    /// Every window that is meant gets the focus, as far as this knows.
    fn brought(&self, query: &WindowQuery, windows: &[Window]) -> Result<(), Objection> {
        if matches!(query, WindowQuery::TitleRegex(_)) {
            return Err("only some windows may be used: name this one by its title".to_owned().into());
        }
        let mut meant = windows.iter().filter(|w| means(query, w));
        meant.try_for_each(|window| self.pass(Some(window), "to get the focus"))
    }
}

impl Rule for Windows {
    fn name(&self) -> &'static str {
        "windows"
    }

    fn looks_at_windows(&self) -> bool {
        !self.allowed.is_empty() || !self.denied.is_empty()
    }

    fn check(&self, proposal: Proposal<'_>, scene: &Scene<'_>) -> Result<(), Objection> {
        if !self.looks_at_windows() {
            return Ok(());
        }
        let action = match proposal {
            Proposal::Action(action) => action,
            Proposal::Focus(query) => {
                return scene.windows.map_or(Ok(()), |windows| self.brought(query, windows));
            }
            Proposal::Place(..) | Proposal::Clipboard(_) => return Ok(()),
        };
        let touched = touched(action, scene);
        if matches!(touched, Touched::Nothing) {
            return Ok(());
        }
        let Some(windows) = scene.windows else {
            let words = "only some windows may be used, and this desktop cannot say where its windows are";
            return Err(words.to_owned().into());
        };
        match touched {
            Touched::Nothing => Ok(()),
            Touched::Points(points) => {
                let only_denied = self.allowed.is_empty();
                points.into_iter().try_for_each(|at| match topmost(windows, at) {
                    // The bare desktop is no window that could be denied.
                    None if only_denied => Ok(()),
                    window => self.pass(window, &format!("the point {at}")),
                })
            }
            Touched::Somewhere => {
                Err("only some windows may be used, and it is not known where the pointer is: name a place"
                    .to_owned()
                    .into())
            }
            Touched::Focus => self.pass(windows.iter().find(|w| w.focused), "the focus"),
            Touched::Query(query) => self.brought(query, windows),
        }
    }
}

/// What an action reaches.
pub(super) enum Touched<'a> {
    Nothing,
    Points(Vec<ScreenPx>),
    /// Wherever the pointer is, which nobody knows.
    Somewhere,
    /// Whatever has the focus.
    Focus,
    Query(&'a WindowQuery),
}

pub(super) fn touched<'a>(action: &'a Action, scene: &Scene<'_>) -> Touched<'a> {
    match action {
        Action::Click { .. }
        | Action::Move { .. }
        | Action::Down { .. }
        | Action::Up { .. }
        | Action::Drag { .. }
        | Action::Scroll { .. } => {
            let spots = action.spots().iter().map(|spot| scene.geometry.screen_from_frame(*spot).ok());
            // The gate has refused what cannot be converted; here it is nowhere.
            match spots.collect::<Option<Vec<_>>>() {
                Some(points) if !points.is_empty() => Touched::Points(points),
                _ => scene.pointer.map_or(Touched::Somewhere, |at| Touched::Points(vec![at])),
            }
        }
        Action::Type { .. } | Action::Paste { .. } | Action::Key { .. } | Action::HoldKey { .. } => {
            Touched::Focus
        }
        Action::FocusWindow { query } => Touched::Query(query),
        Action::Wait { .. } | Action::Launch { .. } => Touched::Nothing,
    }
}

/// Text without case, letter by letter: the lower case of a whole text ends words with another sigma, so that more text would make
/// another word of what stands before it.
fn folded(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c }).collect()
}

/// Whether a query may mean a window; wider than any desktop reads it.
pub(super) fn means(query: &WindowQuery, window: &Window) -> bool {
    let part = |part: &str| folded(&window.title).contains(&folded(part));
    match query {
        WindowQuery::Title(title) | WindowQuery::TitlePart(title) => part(title),
        WindowQuery::TitleRegex(_) => true,
        WindowQuery::Class(class) => window.class.iter().any(|c| c.eq_ignore_ascii_case(class)),
        WindowQuery::Pid(pid) => window.pid == Some(*pid),
        WindowQuery::Id(id) => window.id.0 == *id,
        WindowQuery::Active => window.focused,
    }
}

impl WindowMatch {
    /// All that is given fits. What a desktop does not say of a window fits nothing.
    pub(super) fn fits(&self, window: &Window) -> bool {
        let title = |part: &String| folded(&window.title).contains(&folded(part));
        let class = |class: &String| window.class.iter().any(|c| folded(c) == folded(class));
        let program = |program: &String| window.program.as_ref().is_some_and(|p| same_program(program, p));
        self.title.as_ref().is_none_or(title)
            && self.class.as_ref().is_none_or(class)
            && self.program.as_ref().is_none_or(program)
    }
}

/// A name stands for the file wherever it lies, a path for itself; on Windows in any case.
fn same_program(wanted: &str, file: &str) -> bool {
    let windows = file.contains('\\');
    let whole = wanted.contains(['/', '\\']);
    let file = if whole { file } else { file.rsplit(['/', '\\']).next().unwrap_or(file) };
    if windows { file.to_lowercase() == wanted.to_lowercase() } else { file == wanted }
}
