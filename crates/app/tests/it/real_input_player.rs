//! The model of the real-input runs: it sees the picture it was sent, and what an X client of its own sees.
//!
//! Like a careful model it takes one step at a time, and looks again while what the step needs is not on the screen yet; so
//! no test here depends on how fast a program starts. It knows nothing the product keeps to itself.

use handsight_testkit::picture::{Patch, Picture};
use handsight_testkit::wait::PATIENCE;
use handsight_testkit::witness::{SeenWindow, Witness};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// A tool call as the model makes it.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) args: Value,
}

/// A point from 0 to 1000 on both axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct At(pub(crate) f64, pub(crate) f64);

pub(crate) fn observe(reason: &str) -> Option<Call> {
    Some(Call { tool: "observe", args: json!({ "reason": reason }) })
}

pub(crate) fn click(At(x, y): At, reason: &str) -> Option<Call> {
    Some(Call { tool: "click", args: json!({ "x": x, "y": y, "reason": reason }) })
}

pub(crate) fn type_text(text: &str, reason: &str) -> Option<Call> {
    Some(Call { tool: "type", args: json!({ "text": text, "reason": reason }) })
}

pub(crate) fn scroll(dy: i32, reason: &str) -> Option<Call> {
    Some(Call { tool: "scroll", args: json!({ "dy": dy, "reason": reason }) })
}

pub(crate) fn done(reason: &str) -> Option<Call> {
    Some(Call { tool: "done", args: json!({ "reason": reason }) })
}

/// The windows that the window manager lists, oldest first.
pub(crate) fn clients(witness: &Witness) -> Vec<SeenWindow> {
    ids(witness, "_NET_CLIENT_LIST").into_iter().filter_map(|id| witness.window(id)).collect()
}

pub(crate) fn ids(witness: &Witness, property: &str) -> Vec<u32> {
    let bytes = witness.property(witness.root(), property);
    bytes.chunks_exact(4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// What the model has before it when it is asked.
pub(crate) struct Look<'a> {
    pub(crate) picture: &'a Picture,
    pub(crate) witness: &'a Witness,
    /// Windows that were there when it was asked before: those that the picture shows.
    known: &'a BTreeSet<u32>,
    /// The part of the root that the picture shows, in its pixels.
    shows: Patch,
}

impl Look<'_> {
    /// The window a person would call by this title, if the picture shows it; the newest if there are several.
    pub(crate) fn window(&self, title: &str) -> Option<SeenWindow> {
        let shown = |w: &SeenWindow| w.mapped && self.known.contains(&w.id);
        clients(self.witness).into_iter().rev().find(|w| shown(w) && w.title.contains(title))
    }

    /// The same, once it has the focus.
    pub(crate) fn active(&self, title: &str) -> Option<SeenWindow> {
        let active = ids(self.witness, "_NET_ACTIVE_WINDOW");
        self.window(title).filter(|w| active == [w.id])
    }

    /// An open menu of the program that calls itself `program`.
    pub(crate) fn menu(&self, program: &str) -> Option<SeenWindow> {
        let all = self.witness.windows();
        all.into_iter().find(|w| w.mapped && w.title == program && w.width > 50)
    }

    /// A pixel of the root, as a model would say it: in whole numbers.
    pub(crate) fn of_root(&self, x: i32, y: i32) -> At {
        let thousandth = |v: i32, from: u32, size: u32| {
            (f64::from(v - from as i32) / f64::from(size - 1) * 1000.0).round()
        };
        At(thousandth(x, self.shows.x, self.shows.width), thousandth(y, self.shows.y, self.shows.height))
    }

    /// A pixel of the picture, which is all a model without an X client has.
    pub(crate) fn of_picture(&self, (x, y): (u32, u32)) -> At {
        let thousandth = |v: u32, size: u32| (f64::from(v) / f64::from(size - 1) * 1000.0).round();
        At(thousandth(x, self.picture.width), thousandth(y, self.picture.height))
    }

    /// A place in a window by its distance from the left or, if negative, the right edge; likewise from top or bottom.
    pub(crate) fn inside(&self, window: &SeenWindow, dx: i32, dy: i32) -> At {
        let from = |start: i32, size: u32, d: i32| if d < 0 { start + size as i32 + d } else { start + d };
        self.of_root(from(window.x, window.width, dx), from(window.y, window.height, dy))
    }

    /// The n-th line of text of an open menu, counted from 0, once the picture shows at least `of` lines.
    pub(crate) fn menu_item(&self, menu: &SeenWindow, n: usize, of: usize) -> Option<At> {
        let scale = |v: f64, shown: u32, picture: u32| (v * f64::from(picture) / f64::from(shown)) as u32;
        let x = |v: i32| scale(f64::from(v - self.shows.x as i32), self.shows.width, self.picture.width);
        let y = |v: i32| scale(f64::from(v - self.shows.y as i32), self.shows.height, self.picture.height);
        // The labels begin right of the room for icons; the border is left out.
        let (left, top) = (x(menu.x + 26), y(menu.y + 2));
        let (right, bottom) = (x(menu.x + 120), y(menu.y + menu.height as i32 - 2));
        let lines = self.picture.lines_of_text(Patch::new(left, top, right - left, bottom - top));
        (lines.len() >= of).then(|| self.of_picture(lines[n].middle()))
    }
}

/// One step: `None` while the screen is not ready for it.
pub(crate) type Step = Box<dyn FnMut(&Look<'_>) -> Option<Call> + Send>;

/// Makes a closure a step.
pub(crate) fn step(f: impl FnMut(&Look<'_>) -> Option<Call> + Send + 'static) -> Step {
    Box::new(f)
}

/// Opens a menu of the window with this title: `dx` pixels from the left in its menu bar.
pub(crate) fn open_menu(title: &'static str, dx: i32, reason: &'static str) -> Step {
    step(move |l| l.window(title).and_then(|w| click(l.inside(&w, dx, 12), reason)))
}

/// Clicks the n-th entry of the open menu of a program, counted from 0, once at least `of` are to be seen.
pub(crate) fn choose(program: &'static str, n: usize, of: usize, reason: &'static str) -> Step {
    step(move |l| {
        let menu = l.menu(program)?;
        click(l.menu_item(&menu, n, of)?, reason)
    })
}

/// The last step: says `what` once the file is there and holds something.
pub(crate) fn done_when(file: PathBuf, what: &'static str) -> Step {
    step(move |_| if std::fs::metadata(&file).is_ok_and(|f| f.len() > 0) { done(what) } else { None })
}

/// What the model said, beside what the server keeps of what it was sent.
#[derive(Debug, Default)]
pub(crate) struct Story {
    pub(crate) calls: Vec<Call>,
    /// The step that never became possible.
    pub(crate) stuck: Option<usize>,
}

impl std::fmt::Display for Story {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.calls.iter().enumerate().try_for_each(|(n, c)| writeln!(f, "{:3} {} {}", n + 1, c.tool, c.args))
    }
}

/// Plays the steps one after the other.
pub(crate) struct Player {
    steps: Vec<Step>,
    next: usize,
    /// Steps that were done at least once.
    farthest: usize,
    /// The last of them was a click, made once.
    clicked: bool,
    /// When the step became due.
    since: Duration,
    witness: Witness,
    known: BTreeSet<u32>,
    shows: Patch,
    story: Story,
}

impl Player {
    /// `shows` is the part of the root of `display` that the pictures will show.
    pub(crate) fn new(display: &str, shows: Patch, steps: Vec<Step>) -> Self {
        let witness = Witness::connect(display);
        Self {
            steps,
            next: 0,
            farthest: 0,
            clicked: false,
            since: Duration::ZERO,
            witness,
            known: BTreeSet::new(),
            shows,
            story: Story::default(),
        }
    }

    pub(crate) fn take_story(&mut self) -> Story {
        std::mem::take(&mut self.story)
    }

    /// The answer to a request that came at `at` of the server's clock.
    pub(crate) fn answer(&mut self, picture: &Picture, at: Duration) -> Call {
        let call = self.decide(picture, at);
        self.known = clients(&self.witness).iter().filter(|w| w.mapped).map(|w| w.id).collect();
        self.story.calls.push(call.clone());
        call
    }

    fn decide(&mut self, picture: &Picture, at: Duration) -> Call {
        let look = Look { picture, witness: &self.witness, known: &self.known, shows: self.shows };
        // A click that had no effect, on a menu that was not ready for it, is made once more, as a person would.
        if self.clicked && at - self.since > PATIENCE / 2 {
            self.clicked = false;
            self.next -= 1;
        }
        let call = self.steps.get_mut(self.next).and_then(|step| step(&look));
        if let Some(call) = call {
            self.next += 1;
            // Not for ever: the second time the step stays due from the first.
            if self.farthest < self.next {
                self.farthest = self.next;
                self.since = at;
                self.clicked = call.tool == "click";
            }
            return call;
        }
        let (tool, reason) = if self.next < self.steps.len() && at - self.since < 2 * PATIENCE {
            ("observe", format!("The screen is not ready for step {}; I look again.", self.next))
        } else {
            self.story.stuck = Some(self.next);
            ("done", format!("I am stuck at step {}.", self.next))
        };
        Call { tool, args: json!({ "reason": reason }) }
    }
}
