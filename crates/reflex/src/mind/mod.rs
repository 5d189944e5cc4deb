//! From a task and a scene to the one next call.
//!
//! The task is a list of steps; the note on the screen says how many are done. Each step looks whether it is fulfilled, and
//! if not says what to do next, so that a click that went astray is simply done again. Nothing is done blindly: every
//! step needs to see what it acts on, and `done` is said only when the last step is seen fulfilled.

mod note;
mod steps;
mod task;
mod view;
mod words;

use crate::eye::Scene;
use handsight_base::space::{FramePx, Norm1000, Size};
use note::Note;
use steps::{Go, Hands};
use view::View;

/// So often the same is tried in a row.
const MOST_TRIES: usize = 9;

/// What to call, whatever the dialect.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    Observe,
    /// From 0 to 1000.
    Click(Norm1000),
    DoubleClick(Norm1000),
    RightClick(Norm1000),
    /// With the left button, from the first place to the second.
    Drag(Norm1000, Norm1000),
    Type(String),
    /// Keys held together: `ctrl+s`.
    Keys(String),
    /// In units of 120 a notch, positive up.
    Scroll(i32),
    Done,
}

/// A call and the note that goes with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub call: Call,
    pub reason: String,
}

/// Decides. The same task and scene give the same decision.
pub fn decide(task: &str, scene: &Scene) -> Decision {
    let task = task::read(task);
    let of = task.steps.len();
    if of == 0 {
        return Decision { call: Call::Done, reason: "given up: the task is not understood".to_owned() };
    }
    let scene = &scene.in_units();
    let view = View::new(scene);
    let mut note = scene.hud.as_deref().map(Note::read).unwrap_or_default();
    note.done = note.done.min(of);
    steps::keep(&task, &view, &mut note);
    let go = steps::message(&task, &view).unwrap_or_else(|| forward(&task, &view, &mut note));
    let (hands, did, words) = match go {
        Go::Done => return Decision { call: Call::Done, reason: format!("{of}/{of} all done and seen") },
        Go::Next => (Hands::Look, "next", String::new()),
        Go::Do { hands, did, words } => (hands, did, words),
    };
    note.tries = if note.did == did { note.tries + 1 } else { 1 };
    did.clone_into(&mut note.did);
    if note.tries > MOST_TRIES {
        return Decision {
            call: Call::Done,
            reason: format!("given up at step {} of {of}: {words}", note.done + 1),
        };
    }
    // On a task bar at the top the note would cover the buttons: then only what is needed.
    let at_top = view.taskbar.is_some_and(|bar| bar.origin.y <= 1 && bar.size.width > bar.size.height);
    let reason = note.write(of, (!at_top).then_some(words.as_str()));
    Decision { call: call(hands, scene.screen), reason }
}

/// The first step that is not fulfilled, and what to do for it.
fn forward(task: &task::Task, view: &View<'_>, note: &mut Note) -> Go {
    while let Some(step) = task.steps.get(note.done) {
        match steps::step(step, view, note) {
            Go::Next | Go::Done => {
                note.done += 1;
                // What was done belonged to the step before.
                note.did.clear();
            }
            go @ Go::Do { .. } => return go,
        }
    }
    Go::Done
}

fn call(hands: Hands, screen: Size) -> Call {
    match hands {
        Hands::Look => Call::Observe,
        Hands::Click(at) => Call::Click(norm(at, screen)),
        Hands::DoubleClick(at) => Call::DoubleClick(norm(at, screen)),
        Hands::RightClick(at) => Call::RightClick(norm(at, screen)),
        Hands::Drag(from, to) => Call::Drag(norm(from, screen), norm(to, screen)),
        Hands::Type(text) => Call::Type(text),
        Hands::Keys(chord) => Call::Keys(chord),
        Hands::Scroll(units) => Call::Scroll(units),
    }
}

/// So that rounding finds the same pixel again.
fn norm(at: FramePx, screen: Size) -> Norm1000 {
    let part = |v: i32, length: u32| {
        let last = f64::from(length.saturating_sub(1).max(1));
        // Whole thousandths are coarser than a pixel on large screens; hundredths are not.
        (f64::from(v).clamp(0.0, last) / last * 100_000.0).round() / 100.0
    };
    Norm1000::new(part(at.x, screen.width), part(at.y, screen.height))
}
