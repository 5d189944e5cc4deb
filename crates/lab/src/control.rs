//! The controls that run beside every model: who does nothing, who does anything, and who knows the way.
//!
//! A control is a model like any other to the engine: it is asked once a turn, its calls pass the same gate and the same hands, and
//! the same checker judges it. It is not asked in a vendor's dialect but in [`Plain`], which can say every movement there is, so that
//! what a control can do does not depend on the profile under test. It sees no picture; what it knows, it has from the world's truth,
//! from the suite's solution, or from a seed.

mod plain;
pub mod script;

pub use plain::Plain;

use handsight_base::flow::action::{Action, Button, ScrollBy};
use handsight_base::key::{Chord, Modifiers};
use handsight_base::port::BoxFuture;
use handsight_base::port::desktop::{Window, WindowState};
use handsight_base::port::model::{Model, ModelError, ModelReply, ModelRequest};
use handsight_base::space::{At, FrameGeometry, FramePx};
use handsight_base::stop::Stop;
use handsight_worlds::engine::{World, hold};
use handsight_worlds::random::Random;
use std::sync::{Arc, Mutex, PoisonError};

/// What a control wants in a turn.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wish {
    Act(Action),
    /// Look again a little later.
    Wait {
        why: String,
    },
    Done {
        why: String,
    },
}

/// Whoever has a wish on a frame.
pub trait Mind: Send {
    fn wish(&mut self, frame: &FrameGeometry) -> Wish;
}

/// A mind as the engine's model.
pub struct Control<M> {
    name: String,
    mind: Mutex<M>,
}

impl<M: Mind> Control<M> {
    /// `name` is its word: `oracle`.
    pub fn new(name: &str, mind: M) -> Self {
        Self { name: format!("control/{name}"), mind: Mutex::new(mind) }
    }
}

impl<M: Mind> Model for Control<M> {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        _stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        let answer = || {
            let frame = plain::frame(request).map_err(|why| self.malformed(why))?;
            let wish = self.mind.lock().unwrap_or_else(PoisonError::into_inner).wish(&frame);
            plain::reply(&wish, request).map_err(|why| self.malformed(why))
        };
        Box::pin(std::future::ready(answer()))
    }
}

impl<M> Control<M> {
    fn malformed(&self, why: String) -> ModelError {
        ModelError::Malformed { provider: self.name.clone(), why, start: String::new() }
    }
}

/// Says at once that it is done.
#[derive(Debug, Clone, Copy)]
pub struct NoOp;

impl Mind for NoOp {
    fn wish(&mut self, _: &FrameGeometry) -> Wish {
        Wish::Done { why: "nothing to do".into() }
    }
}

/// How many actions [`Anything`] makes before it says that it is done.
pub const ACTIONS: usize = 8;

/// The windows that are shown, the topmost first, and which of them belong to the case.
pub type Around = Box<dyn FnMut() -> Vec<(Window, bool)> + Send>;

/// Does anything that the tools of the profile can do, drawn from a seed.
pub struct Anything {
    random: Random,
    tools: Vec<String>,
    done: usize,
    around: Option<Around>,
}

/// What it types.
const WORDS: &[&str] = &["yes\n", "report", "\t", "42", "note.txt\n", "\t\n", "delete", "47*86="];
/// What it presses.
const KEYS: &[&str] = &["enter", "escape", "tab", "ctrl+a", "ctrl+v", "ctrl+s", "delete", "down"];

impl Anything {
    /// The same seed on the same case does the same on frames of the same size. `tools` are words of
    /// [`TOOLS`](crate::suite::TOOLS).
    pub fn new(seed: u64, case: &str, tools: &[&str]) -> Self {
        let tools = tools.iter().map(|t| (*t).to_owned()).collect();
        Self { random: Random::of(seed, case), tools, done: 0, around: None }
    }

    /// On a desktop that is not its own it touches the windows of the case only: whatever else is there is a person's.
    #[must_use]
    pub fn within(self, around: Around) -> Self {
        Self { around: Some(around), ..self }
    }

    /// Any place it may touch; `None` if there is none.
    fn spot(&mut self, frame: &FrameGeometry) -> Option<At<FramePx>> {
        let Some(around) = &mut self.around else {
            let x = self.random.below(frame.size.width as usize) as i32;
            let y = self.random.below(frame.size.height as usize) as i32;
            return Some(At { point: FramePx::new(x, y), frame: frame.frame });
        };
        let windows = around();
        let own: Vec<&Window> = windows
            .iter()
            .filter(|(window, own)| *own && window.state == WindowState::Normal)
            .map(|(window, _)| window)
            .collect();
        let window = *self.random.pick(&own)?;
        let [dx, dy] = [window.client.size.width, window.client.size.height]
            .map(|size| self.random.below(size.max(1) as usize) as i32);
        let at = window.client.origin.offset(dx, dy);
        let mut above = windows.iter().take_while(|(other, _)| other.id != window.id);
        let covered = above.any(|(other, own)| !own && other.outer.contains(at));
        if covered { None } else { frame.frame_from_screen(at).ok() }
    }

    /// May it press keys?
    fn heard(&mut self) -> bool {
        let Some(around) = &mut self.around else { return true };
        around().iter().any(|(window, own)| *own && window.focused)
    }

    fn click(&mut self, frame: &FrameGeometry, button: Button, count: u8) -> Option<Action> {
        let at = Some(self.spot(frame)?);
        Some(Action::Click { at, button, count, modifiers: Modifiers::NONE })
    }

    fn action(&mut self, frame: &FrameGeometry) -> Option<Action> {
        let tool = self.random.pick(&self.tools).cloned()?;
        match tool.as_str() {
            "click" => self.click(frame, Button::Left, 1),
            "double_click" => self.click(frame, Button::Left, 2),
            "right_click" => self.click(frame, Button::Right, 1),
            "drag" => {
                let path = vec![self.spot(frame)?, self.spot(frame)?];
                Some(Action::Drag { path, button: Button::Left, modifiers: Modifiers::NONE })
            }
            "type" | "key" if !self.heard() => self.click(frame, Button::Left, 1),
            "type" => {
                let text = self.random.pick(WORDS).copied().unwrap_or_default().to_owned();
                Some(Action::typed(text))
            }
            "key" => {
                let chord: Chord = self.random.pick(KEYS)?.parse().ok()?;
                Some(Action::Key { chord, repeat: 1 })
            }
            "scroll" => {
                let by = ScrollBy::Units { dx: 0, dy: self.random.range(-8, 8) * 120 };
                Some(Action::Scroll { at: Some(self.spot(frame)?), by, modifiers: Modifiers::NONE })
            }
            _ => None,
        }
    }
}

impl Mind for Anything {
    fn wish(&mut self, frame: &FrameGeometry) -> Wish {
        if self.done == ACTIONS {
            return Wish::Done { why: format!("{ACTIONS} actions were made") };
        }
        self.done += 1;
        let nothing = || Wish::Wait { why: "there is nothing it may touch".into() };
        self.action(frame).map_or_else(nothing, Wish::Act)
    }
}

/// Does what the world's oracle says.
pub struct Oracle {
    world: Arc<Mutex<dyn World>>,
}

impl Oracle {
    pub fn new(world: Arc<Mutex<dyn World>>) -> Self {
        Self { world }
    }
}

impl Mind for Oracle {
    fn wish(&mut self, frame: &FrameGeometry) -> Wish {
        match hold(&*self.world).oracle().action(frame) {
            Ok(Some(action)) => Wish::Act(action),
            Ok(None) => Wish::Done { why: "the oracle has nothing more to do".into() },
            Err(why) => Wish::Done { why: format!("the oracle's next place is not on the picture: {why}") },
        }
    }
}

#[cfg(test)]
mod tests;
