//! From `world:NAME[,key=value...]` to a simulated desktop, and whoever judges what is done on it.
//!
//! The engine gets the desktop; the judge keeps a second hold on the world. Nothing of its truth goes to a model but the
//! objective of its task.

use crate::exit::Failure;
use handsight_base::space::Size;
use handsight_worlds::engine::{World, hold};
use handsight_worlds::task::TaskInfo;
use handsight_worlds::{Setup, WORLDS, WorldKind};
use std::fmt;
use std::sync::{Arc, Mutex};

/// A world that the engine and a judge hold.
pub(crate) type SharedWorld = Arc<Mutex<dyn World>>;

/// A world as the command line names it.
#[derive(Debug, Clone)]
pub(crate) struct WorldChoice {
    pub(crate) kind: &'static WorldKind,
    /// Sets the stage and judges the end; without one the world is as it is.
    pub(crate) task: Option<TaskInfo>,
    pub(crate) seed: u64,
    /// Of each display, in screen units.
    pub(crate) size: Size,
    /// Pixels a unit.
    pub(crate) scale: f64,
    pub(crate) displays: u8,
}

/// What a world is if nothing else is said.
pub(crate) const SIZE: Size = Size::new(1280, 720);
pub(crate) const SEED: u64 = 1;

const FORM: &str = "The form is world:NAME or world:NAME,task=T,seed=7,size=1920x1080,scale=1.5,displays=2; \
                    `handsight worlds` lists names and tasks.";

/// The world of this name.
pub(crate) fn find(name: &str) -> Result<&'static WorldKind, Failure> {
    handsight_worlds::find(name).ok_or_else(|| {
        let there: Vec<&str> = WORLDS.iter().map(|kind| kind.name).collect();
        Failure::usage(format!("there is no world {name:?}; there are: {}", there.join(", ")), FORM)
    })
}

/// The task of this name.
pub(crate) fn task(kind: &WorldKind, name: &str) -> Result<TaskInfo, Failure> {
    let tasks = (kind.tasks)();
    tasks.iter().find(|task| task.name == name).copied().ok_or_else(|| {
        let there: Vec<&str> = tasks.iter().map(|task| task.name).collect();
        let what = format!("the world {} has no task {name:?}; it has: {}", kind.name, there.join(", "));
        Failure::usage(what, "`handsight worlds` says what each is about.")
    })
}

/// `1280x720`, from 640x400 to 7680x4320.
pub(crate) fn size(text: &str) -> Result<Size, String> {
    let read = || {
        let (width, height) = text.split_once('x')?;
        Some(Size::new(width.parse().ok()?, height.parse().ok()?))
    };
    read()
        .filter(|s| (640..=7680).contains(&s.width) && (400..=4320).contains(&s.height))
        .ok_or_else(|| format!("{text:?} is no size from 640x400 to 7680x4320"))
}

impl WorldChoice {
    pub(crate) const fn new(kind: &'static WorldKind) -> Self {
        Self { kind, task: None, seed: SEED, size: SIZE, scale: 1.0, displays: 1 }
    }

    /// Reads what stands behind `world:`.
    pub(crate) fn read(text: &str) -> Result<Self, Failure> {
        let mut parts = text.split(',');
        let mut choice = Self::new(find(parts.next().unwrap_or_default())?);
        for part in parts {
            let bad = |why: &str| Failure::usage(format!("world:{text}: {part:?}: {why}"), FORM);
            let Some((key, value)) = part.split_once('=') else {
                return Err(bad("it is no key=value"));
            };
            match key {
                "task" => choice.task = Some(task(choice.kind, value)?),
                "seed" => choice.seed = value.parse().map_err(|_| bad("a seed is a whole number"))?,
                "size" => choice.size = size(value).map_err(|why| bad(&why))?,
                "scale" => {
                    let scale = value.parse().ok().filter(|s| (1.0..=3.0).contains(s));
                    choice.scale = scale.ok_or_else(|| bad("a scale is a number from 1 to 3"))?;
                }
                "displays" => {
                    let count = value.parse().ok().filter(|n| (1..=2).contains(n));
                    choice.displays = count.ok_or_else(|| bad("there can be 1 or 2"))?;
                }
                _ => return Err(bad("the keys are task, seed, size, scale and displays")),
            }
        }
        if let Some(task) = choice.task {
            choice.wants(task);
        }
        Ok(choice)
    }

    /// A task to be done there, with the displays it takes.
    pub(crate) fn wants(&mut self, task: TaskInfo) {
        self.task = Some(task);
        self.displays = self.displays.max(task.displays);
        self.scale = self.scale.max(task.scale());
    }

    /// The world with the stage set, and what is wanted in it.
    pub(crate) fn build(&self) -> Result<(SharedWorld, Option<String>), Failure> {
        let mut setup = Setup::new(self.seed, self.size).scaled(self.scale);
        if self.displays > 1 {
            setup = setup.with_neighbour();
        }
        let world = (self.kind.build)(&setup);
        let wanted = self.task.map(|task| hold(&*world).begin(task.name)).transpose();
        let wanted = wanted.map_err(|e| Failure::usage(e.to_string(), FORM))?;
        Ok((world, wanted))
    }
}

impl fmt::Display for WorldChoice {
    /// As `--desktop` takes it; what is not said is not written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "world:{}", self.kind.name)?;
        if let Some(task) = self.task {
            write!(f, ",task={}", task.name)?;
        }
        write!(f, ",seed={},size={}", self.seed, self.size)?;
        if (self.scale - 1.0).abs() > f64::EPSILON {
            write!(f, ",scale={}", self.scale)?;
        }
        if self.displays > 1 {
            write!(f, ",displays={}", self.displays)?;
        }
        Ok(())
    }
}

/// Says of a world whether what was wanted in it is so.
pub(crate) struct Judge {
    world: SharedWorld,
}

impl Judge {
    pub(crate) const fn new(world: SharedWorld) -> Self {
        Self { world }
    }

    /// Another hold on it, for who knows the way.
    pub(crate) fn world(&self) -> SharedWorld {
        Arc::clone(&self.world)
    }

    /// `None` without a task.
    pub(crate) fn verified(&self) -> Option<bool> {
        self.verdict().map(|(verified, _)| verified)
    }

    /// The same with the reason.
    pub(crate) fn verdict(&self) -> Option<(bool, String)> {
        hold(&*self.world).verdict().map(|verdict| (verdict.verified, verdict.why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_is_written_as_it_is_read() {
        let plain = WorldChoice::read("desk").unwrap();
        assert_eq!(plain.to_string(), "world:desk,seed=1,size=1280x720");
        let text = "desk,seed=7,size=1920x1080,scale=1.5,displays=2";
        let choice = WorldChoice::read(text).unwrap();
        assert_eq!(choice.to_string(), format!("world:{text}"));
        let (world, wanted) = choice.build().unwrap();
        let displays = hold(&*world).displays().to_vec();
        assert_eq!((displays.len(), displays[1].area.origin.x, displays[0].scale), (2, -1920, 1.5));
        let sharp = WorldChoice::read("desk,task=sharp-note").unwrap();
        assert_eq!(sharp.to_string(), "world:desk,task=sharp-note,seed=1,size=1280x720,scale=1.5");
        assert!(wanted.is_none() && Judge::new(world).verified().is_none(), "nothing was wanted");
    }

    #[test]
    fn what_cannot_be_is_named_with_the_form() {
        for (text, part) in [
            ("moon", "there is no world \"moon\"; there are: desk"),
            ("desk,task=fly", "has no task \"fly\"; it has: "),
            ("desk,seed=-1", "a seed is a whole number"),
            ("desk,size=10x10", "is no size from 640x400"),
            ("desk,scale=9", "a scale is a number from 1 to 3"),
            ("desk,displays=3", "there can be 1 or 2"),
            ("desk,dark", "it is no key=value"),
            ("desk,theme=dark", "the keys are"),
        ] {
            let failure = WorldChoice::read(text).unwrap_err();
            let (exit, _) = crate::exit::of_error(&anyhow::Error::from(failure));
            assert_eq!(exit, crate::exit::Exit::Usage, "{text}");
            let failure = WorldChoice::read(text).unwrap_err();
            assert!(failure.to_string().contains(part), "{text}: {failure}");
        }
    }
}
