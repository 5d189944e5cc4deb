//! What a world looks like, as a list of shapes in layers.
//!
//! A scene is data in screen units. Two scenes compared say which parts of the screen changed ([`Scene::damage`]), so no world
//! keeps dirty rectangles by hand and none can forget one. Drawing a scene is [`super::paint`]'s work.

use handsight_base::space::{ScreenPx, ScreenRect};
use handsight_pixel::canvas::Color;

/// How letters look. The size is that of the em in screen units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Font {
    pub size: u16,
    pub bold: bool,
}

impl Font {
    pub const fn regular(size: u16) -> Self {
        Self { size, bold: false }
    }

    pub const fn bold(size: u16) -> Self {
        Self { size, bold: true }
    }
}

/// Something to draw.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// The whole rectangle in one colour.
    Fill(Color),
    /// From one colour at the top to another at the bottom.
    Gradient { top: Color, bottom: Color },
    /// A rectangle with round corners, and a border of `line` tenths of a unit inside it.
    Round { radius: u16, fill: Color, border: Option<Color>, line: u16 },
    /// A soft shadow that reaches `blur` units around the rectangle.
    Shadow { blur: u16, radius: u16, color: Color },
    /// Text whose first baseline begins `baseline` units below the top-left corner.
    Text { text: String, font: Font, color: Color, baseline: i32 },
    /// A filled polygon; corners in 100ths of the rectangle's width and height.
    Polygon { corners: Vec<(i16, i16)>, color: Color },
    /// A line through corners in 100ths of the rectangle, `width` tenths of a unit wide, with round ends.
    Stroke { corners: Vec<(i16, i16)>, width: u16, color: Color },
}

/// A shape in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    pub rect: ScreenRect,
    /// Nothing is drawn outside.
    pub clip: ScreenRect,
    pub shape: Shape,
}

impl Command {
    /// Where it can leave ink.
    pub fn bounds(&self) -> Option<ScreenRect> {
        let reach = match &self.shape {
            Shape::Shadow { blur, .. } => i32::from(*blur) + 1,
            // Letters may lean out of their box by a little.
            Shape::Text { .. } | Shape::Stroke { .. } => 2,
            Shape::Fill(_) | Shape::Gradient { .. } | Shape::Round { .. } | Shape::Polygon { .. } => 0,
        };
        grown(self.rect, reach).intersect(&self.clip)
    }

    /// True if every pixel of `area` gets a colour that does not depend on what was there.
    pub(crate) fn hides(&self, area: &ScreenRect) -> bool {
        let inset = match &self.shape {
            Shape::Fill(color) if color.alpha == 255 => 0,
            Shape::Gradient { .. } => 0,
            Shape::Round { radius, fill, .. } if fill.alpha == 255 => i32::from(*radius) + 1,
            Shape::Fill(_)
            | Shape::Round { .. }
            | Shape::Shadow { .. }
            | Shape::Text { .. }
            | Shape::Polygon { .. }
            | Shape::Stroke { .. } => return false,
        };
        let inner = grown(self.rect, -inset);
        inner.intersect(&self.clip).is_some_and(|sure| sure.intersect(area) == Some(*area))
    }
}

/// A rectangle larger by `by` on every side; smaller if negative.
pub fn grown(rect: ScreenRect, by: i32) -> ScreenRect {
    let side = |n: u32| (i64::from(n) + 2 * i64::from(by)).clamp(0, i64::from(u32::MAX)) as u32;
    let origin = rect.origin.offset(-by, -by);
    ScreenRect::new(origin.x, origin.y, side(rect.size.width), side(rect.size.height))
}

/// Shapes that belong to one thing: a window, the task bar, a menu.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layer {
    /// The same for the same thing from scene to scene.
    pub key: u64,
    pub commands: Vec<Command>,
}

impl Layer {
    pub const fn new(key: u64) -> Self {
        Self { key, commands: Vec::new() }
    }

    /// A shape that is drawn only within `clip`.
    pub fn clipped(&mut self, rect: ScreenRect, clip: ScreenRect, shape: Shape) {
        self.commands.push(Command { rect, clip, shape });
    }

    fn bounds(&self) -> impl Iterator<Item = ScreenRect> + '_ {
        self.commands.iter().filter_map(Command::bounds)
    }
}

/// Layers from the bottom to the top.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scene {
    pub layers: Vec<Layer>,
}

impl Scene {
    /// The parts of the screen on which `self` looks different from `before`: never too little, sometimes a bit more.
    pub fn damage(&self, before: &Self) -> Vec<ScreenRect> {
        let mut damage = Damage::default();
        let (new, old) = (&self.layers, &before.layers);
        let (head, tail) = common(new, old, |a, b| a.key == b.key);
        for (a, b) in new[..head].iter().zip(&old[..head]) {
            damage.between(a, b);
        }
        for (a, b) in new[new.len() - tail..].iter().zip(&old[old.len() - tail..]) {
            damage.between(a, b);
        }
        let moved = new[head..new.len() - tail].iter().chain(&old[head..old.len() - tail]);
        if let Some(all) = moved.flat_map(Layer::bounds).reduce(|a, b| a.union(&b)) {
            damage.add(all);
        }
        damage.areas
    }
}

/// How many items are the same at the start and at the end; together no more than the shorter list has.
fn common<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> (usize, usize) {
    let most = a.len().min(b.len());
    let head = a.iter().zip(b).take_while(|(a, b)| same(a, b)).count();
    let tail = a.iter().rev().zip(b.iter().rev()).take(most - head).take_while(|(a, b)| same(a, b)).count();
    (head, tail)
}

/// More rectangles than this cost more than what they spare.
const MOST_AREAS: usize = 12;

#[derive(Default)]
struct Damage {
    areas: Vec<ScreenRect>,
}

impl Damage {
    fn between(&mut self, new: &Layer, old: &Layer) {
        let (new, old) = (&new.commands, &old.commands);
        if new.len() == old.len() {
            for (a, b) in new.iter().zip(old).filter(|(a, b)| a != b) {
                a.bounds().into_iter().chain(b.bounds()).for_each(|area| self.add(area));
            }
            return;
        }
        let (head, tail) = common(new, old, |a, b| a == b);
        let changed = new[head..new.len() - tail].iter().chain(&old[head..old.len() - tail]);
        for area in changed.filter_map(Command::bounds) {
            self.add(area);
        }
    }

    fn add(&mut self, area: ScreenRect) {
        let mut area = area;
        // Growing may make it touch others.
        while let Some(at) = self.areas.iter().position(|other| other.intersect(&area).is_some()) {
            area = area.union(&self.areas.swap_remove(at));
        }
        self.areas.push(area);
        if self.areas.len() > MOST_AREAS {
            let all = self.areas.drain(..).reduce(|a, b| a.union(&b));
            self.areas.extend(all);
        }
    }
}

/// A rectangle between two corners, the second left out.
pub fn between(from: ScreenPx, to: ScreenPx) -> ScreenRect {
    ScreenRect::new(from.x, from.y, (to.x - from.x).max(0) as u32, (to.y - from.y).max(0) as u32)
}
