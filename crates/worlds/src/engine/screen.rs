//! Pictures of a world: what changed is drawn again, everything else is kept and shared.
//!
//! A frame that somebody holds is never written into: another buffer is brought up to date instead, by drawing what changed
//! since it was shown last. The pointer is one more thing that is drawn or is not: pictures with and without it share their
//! buffers, of which no more exist than are held and one. Nothing here knows what a window is.

use super::paint::Target;
use super::scene::{Scene, grown};
use super::{CursorShape, World, cursor};
use handsight_base::flow::frame::{PixelMemory, Pixels, Shown};
use handsight_base::port::desktop::{Damage, DamageMark, Display};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use std::collections::VecDeque;
use std::sync::Arc;

/// Changes that are remembered. Who asks for older ones is told that everything changed.
const MOST_LOGGED: usize = 512;
/// Buffers of one picture: the newest, those that are still held, one to draw into.
const MOST_BUFFERS: usize = 4;
/// Pictures that are kept up to date: two displays, and both together.
const MOST_SURFACES: usize = 3;

/// The pictures of one world.
#[derive(Default)]
pub struct Screen {
    scene: Scene,
    revision: Option<u64>,
    /// Areas that changed, each with its number; numbers have no gaps.
    log: VecDeque<ScreenRect>,
    /// Number of the next change.
    next: u64,
    surfaces: Vec<Surface>,
}

/// Part of a picture that goes out.
pub struct Shot {
    pub pixels: Pixels,
    /// What it shows, in screen units.
    pub area: ScreenRect,
    pub scale: f64,
    pub cursor: bool,
}

/// A part of the screen at one scale, whatever it was asked for as.
struct Surface {
    area: ScreenRect,
    scale: f64,
    buffers: Vec<Buffer>,
}

struct Buffer {
    memory: Arc<Vec<u8>>,
    /// Changes before this number are in it.
    until: u64,
    cursor: Option<(CursorShape, ScreenPx)>,
}

/// Part of a shared picture, without a copy.
struct Crop {
    memory: Arc<Vec<u8>>,
    from: usize,
}

impl PixelMemory for Crop {
    fn bytes(&self) -> &[u8] {
        self.memory.get(self.from..).unwrap_or_default()
    }
}

impl Screen {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes note of what changed since the last look.
    pub fn look(&mut self, world: &dyn World) {
        if self.revision == Some(world.revision()) {
            return;
        }
        let scene = world.scene();
        for area in scene.damage(&self.scene) {
            self.log.push_back(area);
            self.next += 1;
        }
        while self.log.len() > MOST_LOGGED {
            self.log.pop_front();
        }
        self.scene = scene;
        self.revision = Some(world.revision());
    }

    /// Changes from number `from` on; `None` if that is too long ago.
    fn since(&self, from: u64) -> Option<impl Iterator<Item = ScreenRect> + '_> {
        let kept = self.next - self.log.len() as u64;
        let skip = from.checked_sub(kept)?;
        Some(self.log.iter().copied().skip(skip as usize))
    }

    /// What changed since `mark`; the pointer does not count.
    pub fn damage(&mut self, world: &dyn World, mark: Option<DamageMark>) -> Damage {
        self.look(world);
        let areas = match mark {
            None => Some(Vec::new()),
            Some(DamageMark(from)) => self.since(from).map(Iterator::collect),
        };
        Damage { mark: DamageMark(self.next), areas }
    }

    /// A picture of `part` (in screen units), which lies on what `shown` (a display or all) means; `None` if it does not.
    pub fn shoot(
        &mut self,
        world: &dyn World,
        shown: &Shown,
        part: Option<ScreenRect>,
        with_cursor: bool,
    ) -> Option<Shot> {
        self.look(world);
        let (area, scale) = place(world.displays(), shown)?;
        let part = part.map_or(Some(area), |part| part.intersect(&area))?;
        let pointer = (world.cursor(), world.pointer());
        let visible = with_cursor && cursor::reach(pointer.1).intersect(&part).is_some();
        let memory = self.draw(area, scale, with_cursor.then_some(pointer));
        let whole = frame_size(area, scale);
        let edge = |v: i64, origin: i32| ((v - i64::from(origin)) as f64 * scale).round() as u32;
        let (left, top) =
            (edge(part.origin.x.into(), area.origin.x), edge(part.origin.y.into(), area.origin.y));
        let size = Size::new(
            edge(part.right(), area.origin.x).min(whole.width) - left,
            edge(part.bottom(), area.origin.y).min(whole.height) - top,
        );
        let stride = whole.width as usize * 4;
        let from = top as usize * stride + left as usize * 4;
        let memory: Arc<dyn PixelMemory> = if from == 0 { memory } else { Arc::new(Crop { memory, from }) };
        Some(Shot { pixels: Pixels::new(memory, size, stride)?, area: part, scale, cursor: visible })
    }

    fn draw(
        &mut self,
        area: ScreenRect,
        scale: f64,
        pointer: Option<(CursorShape, ScreenPx)>,
    ) -> Arc<Vec<u8>> {
        let at = self.surfaces.iter().position(|s| s.area == area && s.scale == scale);
        let mut surface = match at {
            Some(at) => self.surfaces.remove(at),
            None => Surface { area, scale, buffers: Vec::new() },
        };
        let memory = self.bring_up_to_date(&mut surface, pointer);
        // The one used last is kept longest.
        self.surfaces.insert(0, surface);
        self.surfaces.truncate(MOST_SURFACES);
        memory
    }

    fn bring_up_to_date(
        &mut self,
        surface: &mut Surface,
        pointer: Option<(CursorShape, ScreenPx)>,
    ) -> Arc<Vec<u8>> {
        if let Some(ready) = surface.buffers.iter().find(|b| b.until == self.next && b.cursor == pointer) {
            return Arc::clone(&ready.memory);
        }
        let mut buffer = surface.free().unwrap_or_else(|| Buffer {
            memory: Arc::new(vec![0; frame_size(surface.area, surface.scale).area() as usize * 4]),
            // Before the first change there is nothing: all of it is to be drawn.
            until: u64::MAX,
            cursor: None,
        });
        let mut areas: Vec<ScreenRect> = match self.since(buffer.until) {
            Some(areas) if buffer.until <= self.next => areas.collect(),
            _ => vec![surface.area],
        };
        if buffer.cursor != pointer {
            areas.extend(buffer.cursor.into_iter().chain(pointer).map(|(_, at)| cursor::reach(at)));
        }
        if let Some((shape, at)) = pointer {
            self.scene.layers.push(cursor::layer(shape, at));
        }
        // Nobody else holds it: `free` saw to that, and a new one is new.
        if let Some(pixels) = Arc::get_mut(&mut buffer.memory) {
            let size = frame_size(surface.area, surface.scale);
            let mut target = Target { pixels, size, origin: surface.area.origin, scale: surface.scale };
            for area in areas {
                // At a broken scale an edge lies within a pixel that its neighbour shares.
                let area = if surface.scale.fract() == 0.0 { area } else { grown(area, 1) };
                if let Some(area) = area.intersect(&surface.area) {
                    target.paint(&self.scene, area);
                }
            }
        }
        if pointer.is_some() {
            self.scene.layers.pop();
        }
        buffer.until = self.next;
        buffer.cursor = pointer;
        let memory = Arc::clone(&buffer.memory);
        surface.buffers.push(buffer);
        if surface.buffers.len() > MOST_BUFFERS {
            surface.buffers.remove(0);
        }
        memory
    }
}

impl Surface {
    /// The newest buffer that nobody looks at.
    fn free(&mut self) -> Option<Buffer> {
        let at = self.buffers.iter().rposition(|b| Arc::strong_count(&b.memory) == 1)?;
        Some(self.buffers.remove(at))
    }
}

/// Where a display lies, or all of them, and its pixels a unit; of all the finest.
pub fn place(displays: &[Display], shown: &Shown) -> Option<(ScreenRect, f64)> {
    match shown {
        Shown::Display(name) => displays.iter().find(|d| &d.name == name).map(|d| (d.area, d.scale)),
        Shown::AllDisplays | Shown::Window(_) => {
            displays.iter().map(|d| (d.area, d.scale)).reduce(|a, b| (a.0.union(&b.0), a.1.max(b.1)))
        }
    }
}

/// Size of a picture of `area`, in its own pixels.
pub fn frame_size(area: ScreenRect, scale: f64) -> Size {
    let length = |n: u32| (f64::from(n) * scale).round() as u32;
    Size::new(length(area.size.width), length(area.size.height))
}
