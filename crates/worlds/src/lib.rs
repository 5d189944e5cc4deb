//! Simulated desktops with truth, drawn by our own code.
//!
//! A world is a value that takes mouse, keyboard and time and shows pictures ([`engine`]). The engine of handsight works on it
//! through the [`Desktop`](handsight_base::port::desktop::Desktop) port ([`engine::desktop::WorldDesktop`]) like on any real
//! screen; whoever judges keeps a second hold on the world and asks for its truth. The crate refuses wall time, sleeping,
//! files, environment and any way for a model to see truth.
//!
//! ```
//! use handsight_base::port::clock::VirtualClock;
//! use handsight_base::port::desktop::Desktop as _;
//! use handsight_worlds::desk::{Desk, DeskSetup};
//! use handsight_worlds::engine::{desktop::WorldDesktop, hold, share};
//!
//! let world = share(Desk::new(&DeskSetup::new(7)));
//! let mut desktop = WorldDesktop::new(world.clone(), VirtualClock::new(0));
//! assert_eq!(desktop.info().detail, "desk seed 7 1280x720");
//! assert!(hold(&world).windows().is_empty());
//! # use handsight_worlds::engine::World as _;
//! ```

pub mod desk;
pub mod engine;
pub mod random;
pub mod task;

use engine::World;
use handsight_base::port::desktop::Display;
use handsight_base::space::{ScreenRect, Size};
use std::sync::{Arc, Mutex};

/// One kind of world: a line of [`WORLDS`].
#[derive(Debug, Clone, Copy)]
pub struct WorldKind {
    /// As the command line names it: `world:desk`.
    pub name: &'static str,
    /// For help and tables.
    pub about: &'static str,
    /// Makes one from a seed on these displays.
    pub build: fn(&Setup) -> Arc<Mutex<dyn World>>,
    /// What there is to do in it.
    pub tasks: fn() -> Vec<task::TaskInfo>,
}

/// Every kind of world; help, docs and tests go through it.
pub const WORLDS: &[WorldKind] = &[WorldKind {
    name: "desk",
    about: "a small desktop: start menu, run dialog, editor, calculator, files, settings",
    build: |setup| engine::share(desk::Desk::new(&desk::DeskSetup::from(setup))),
    tasks: desk::tasks::infos,
}];

/// The kind of this name.
pub fn find(name: &str) -> Option<&'static WorldKind> {
    WORLDS.iter().find(|kind| kind.name == name)
}

/// What every world is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    pub seed: u64,
    /// The primary first.
    pub displays: Vec<Display>,
}

impl Setup {
    /// One display of this size in screen units, at one pixel a unit.
    pub fn new(seed: u64, size: Size) -> Self {
        Self { seed, displays: vec![display("world-0", ScreenRect::new(0, 0, size.width, size.height), 1.0)] }
    }

    /// Draws at `scale` pixels a unit on every display: 1 to 2.
    #[must_use]
    pub fn scaled(mut self, scale: f64) -> Self {
        self.displays.iter_mut().for_each(|d| d.scale = scale.clamp(0.5, 4.0));
        self
    }

    /// One display more of the size and scale of the first: at its right, or for an odd seed at its left, where coordinates
    /// are negative.
    #[must_use]
    pub fn with_neighbour(self) -> Self {
        let Some((area, scale)) = self.displays.first().map(|d| (d.area, d.scale)) else { return self };
        let width = area.size.width as i32;
        let beside = ScreenRect {
            origin: area.origin.offset(if self.seed % 2 == 1 { -width } else { width }, 0),
            ..area
        };
        self.with_display(beside, scale)
    }

    /// One display more; it may lie at negative coordinates.
    #[must_use]
    pub fn with_display(mut self, area: ScreenRect, scale: f64) -> Self {
        let name = format!("world-{}", self.displays.len());
        self.displays.push(Display { primary: false, ..display(&name, area, scale) });
        self
    }
}

fn display(name: &str, area: ScreenRect, scale: f64) -> Display {
    Display { name: name.to_owned(), area, primary: true, scale }
}
