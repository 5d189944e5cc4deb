//! The oracle of real programs: the solution that stands in the suite, played step by step.
//!
//! Like a careful person it waits for the window that a step is about, for the focus before it types, and in the end until what was
//! wanted is so. It looks at windows only, never at the picture; a window that does not come ends it.

use super::{Mind, Wish};
use crate::check::{Held, window};
use crate::stage::Stage;
use crate::suite::ProgramsStart;
use handsight_base::flow::action::{Action, Button, ScrollBy};
use handsight_base::key::{Chord, Modifiers};
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{Desktop, Window};
use handsight_base::space::{FrameGeometry, ScreenPx};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a step may stay impossible.
const PATIENCE: Duration = Duration::from_secs(20);

/// One step of a solution.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// A part of the title of the window it is about: it must be there, and have the focus for what is typed.
    pub window: Option<String>,
    pub deed: Deed,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    Click(Place),
    DoubleClick(Place),
    RightClick(Place),
    Drag(Place, Place),
    Type(String),
    Key(Chord),
    /// 120ths of a notch where the pointer is; positive is up.
    Scroll(i32),
    /// Until the window is there.
    Await,
    /// Until no window has this part in its title.
    AwaitGone(String),
}

/// A place in the client area of a window, in screen units from its left and top edge; negative numbers count from the right and the
/// bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub dx: i32,
    pub dy: i32,
}

impl Place {
    fn on(self, window: &Window) -> ScreenPx {
        let from = |d: i32, size: u32| if d < 0 { size as i32 + d } else { d };
        let size = window.client.size;
        window.client.origin.offset(from(self.dx, size.width), from(self.dy, size.height))
    }
}

impl Step {
    /// The tool it takes; `None` if it only waits.
    pub const fn tool(&self) -> Option<&'static str> {
        match self.deed {
            Deed::Click(_) => Some("click"),
            Deed::DoubleClick(_) => Some("double_click"),
            Deed::RightClick(_) => Some("right_click"),
            Deed::Drag(..) => Some("drag"),
            Deed::Type(_) => Some("type"),
            Deed::Key(_) => Some("key"),
            Deed::Scroll(_) => Some("scroll"),
            Deed::Await | Deed::AwaitGone(_) => None,
        }
    }
}

/// The stage that a run and its judge share; gone once it was cleared.
pub type SharedStage = Arc<Mutex<Option<Stage>>>;
/// Eyes on the desktop, apart from those of the run.
pub type SharedEyes = Arc<Mutex<Box<dyn Desktop>>>;

/// Plays a solution.
pub struct Script {
    start: ProgramsStart,
    stage: SharedStage,
    eyes: SharedEyes,
    clock: Arc<dyn Clock>,
    next: usize,
    since: Option<Duration>,
}

impl Script {
    pub fn new(start: ProgramsStart, stage: SharedStage, eyes: SharedEyes, clock: Arc<dyn Clock>) -> Self {
        Self { start, stage, eyes, clock, next: 0, since: None }
    }

    /// The next deed, or why it cannot be done yet.
    fn deed(&self, frame: &FrameGeometry) -> Result<Option<Action>, String> {
        let Some(step) = self.start.solution.get(self.next) else { return self.end().map(|()| None) };
        let mut eyes = self.eyes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Deed::AwaitGone(title) = &step.deed {
            return match window(&mut **eyes, title)? {
                Some(there) => Err(format!("the window {:?} is still there", there.title)),
                None => Ok(None),
            };
        }
        let Some(title) = &step.window else { return action(step, None, frame, |t| self.text(t)) };
        let there = window(&mut **eyes, title)?.ok_or_else(|| format!("there is no window {title:?}"))?;
        let typed = matches!(step.deed, Deed::Type(_) | Deed::Key(_));
        if typed && !there.focused {
            return Err(format!("the window {title:?} has not got the focus"));
        }
        action(step, Some(&there), frame, |t| self.text(t))
    }

    fn text(&self, text: &str) -> String {
        let stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        stage.as_ref().map_or_else(|| text.to_owned(), |stage| stage.text(text))
    }

    /// Is what was wanted so?
    fn end(&self) -> Result<(), String> {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let mut eyes = self.eyes.lock().unwrap_or_else(PoisonError::into_inner);
        let stage = stage.as_mut().ok_or("the programs are gone")?;
        match crate::check::all(&self.start.checks, stage, &mut **eyes).map_err(|e| e.to_string())? {
            Held::Yes => Ok(()),
            Held::No(why) => Err(why),
        }
    }
}

fn action(
    step: &Step,
    window: Option<&Window>,
    frame: &FrameGeometry,
    text: impl Fn(&str) -> String,
) -> Result<Option<Action>, String> {
    let spot = |place: &Place| {
        let window = window.ok_or("the step names no window")?;
        frame.frame_from_screen(place.on(window)).map_err(|e| e.to_string())
    };
    let click = |place: &Place, button, count| {
        Ok(Some(Action::Click { at: Some(spot(place)?), button, count, modifiers: Modifiers::NONE }))
    };
    match &step.deed {
        Deed::Click(place) => click(place, Button::Left, 1),
        Deed::DoubleClick(place) => click(place, Button::Left, 2),
        Deed::RightClick(place) => click(place, Button::Right, 1),
        Deed::Drag(from, to) => Ok(Some(Action::Drag {
            path: vec![spot(from)?, spot(to)?],
            button: Button::Left,
            modifiers: Modifiers::NONE,
        })),
        Deed::Type(words) => Ok(Some(Action::typed(text(words)))),
        Deed::Key(chord) => Ok(Some(Action::Key { chord: chord.clone(), repeat: 1 })),
        Deed::Scroll(dy) => Ok(Some(Action::Scroll {
            at: None,
            by: ScrollBy::Units { dx: 0, dy: *dy },
            modifiers: Modifiers::NONE,
        })),
        Deed::Await | Deed::AwaitGone(_) => Ok(None),
    }
}

impl Mind for Script {
    fn wish(&mut self, frame: &FrameGeometry) -> Wish {
        let now = self.clock.now();
        let since = *self.since.get_or_insert(now);
        loop {
            match self.deed(frame) {
                Ok(done) => {
                    self.since = Some(now);
                    if self.next >= self.start.solution.len() {
                        return Wish::Done { why: "the solution is played".into() };
                    }
                    self.next += 1;
                    if let Some(action) = done {
                        return Wish::Act(action);
                    }
                }
                Err(why) if now.saturating_sub(since) > PATIENCE => {
                    return Wish::Done { why: format!("stuck before step {}: {why}", self.next + 1) };
                }
                Err(why) => return Wish::Wait { why },
            }
        }
    }
}
