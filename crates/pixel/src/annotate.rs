//! Aids for pointing, drawn on the finished picture in its own pixels: a grid with coordinates, a crosshair and an enlarged
//! view at the pointer, a banner with the picture's size, boxes and numbers.
//!
//! Each part is switched on by itself. They are drawn after scaling, so what they say is true of the picture that is sent,
//! whatever the screen's size. This module refuses to move or to scale the content: a pixel that no part covers stays as it
//! was. It draws in place, and copies nothing of the picture but what it enlarges.
//!
//! Below, first to last, the later ones on top:
//!
//! ```text
//! take what is to be enlarged -> grid -> boxes and numbers -> crosshair -> enlarged view -> banner
//! ```

mod brush;
mod crosshair;
mod grid;
mod inset;
mod label;
mod marks;

use crate::canvas::{Canvas, Color};
use crate::font::FontStack;
use crate::rgb::Rgb24;
use brush::Patch;
use handsight_base::space::{PicturePx, Rect, Size};
use inset::Inset;
use label::Label;

/// What to draw; nothing by default. All lengths are pixels of the picture.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Annotations<'a> {
    pub grid: Grid,
    /// Where the pointer is. Without it, or with one outside of the picture, there is no crosshair and no enlarged view.
    pub pointer: Option<PicturePx>,
    pub crosshair: bool,
    pub magnifier: Magnifier,
    pub banner: bool,
    pub marks: &'a [Mark],
}

/// Lines over the whole picture. A distance of 0 draws none; where both kinds fall together there is a coarse one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Grid {
    pub fine_px: u32,
    /// These carry their coordinate.
    pub coarse_px: u32,
}

/// An enlarged view of the surroundings of the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Magnifier {
    /// Side of the square that is shown, less on a picture that has no room for it; 0 draws none.
    pub side_px: u32,
    /// How many pixels wide and high each of its pixels becomes.
    pub times: u32,
}

/// A box, and the number it goes by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    /// The border is drawn inside of it.
    pub area: Rect<PicturePx>,
    pub color: Color,
    pub number: Option<u32>,
}

/// Colours for boxes that are told from each other, also by people who see few colours (after Okabe and Ito).
pub const PALETTE: [Color; 7] = [
    Color::opaque(213, 94, 0),
    Color::opaque(0, 114, 178),
    Color::opaque(0, 158, 115),
    Color::opaque(204, 121, 167),
    Color::opaque(230, 159, 0),
    Color::opaque(86, 180, 233),
    Color::opaque(240, 228, 66),
];

/// Behind what is written about the picture, and around what is shown of it twice.
const NOT_OF_THE_SCREEN: Color = Color::opaque(255, 200, 0);

/// A pixel of the picture as its column and row.
type Place = (u32, u32);

/// Draws annotations, and keeps its glyphs and its working memory from picture to picture.
#[derive(Debug)]
pub struct Annotator {
    fonts: FontStack,
    enlarged: Vec<[u8; 3]>,
}

impl Default for Annotator {
    fn default() -> Self {
        Self::new()
    }
}

impl Annotator {
    pub fn new() -> Self {
        // Bold: a model gets the picture smaller than it is sent, and thin digits are lost first.
        Self { fonts: FontStack::builtin(700), enlarged: Vec::new() }
    }

    /// Draws on the picture as it is.
    pub fn draw(&mut self, picture: &mut Rgb24, what: &Annotations<'_>) {
        let size = picture.size();
        let pointer = what.pointer.and_then(|at| place(at, size));
        let inset = pointer.and_then(|at| Inset::plan(size, at, what.magnifier, &mut self.fonts));
        let banner = what.banner.then(|| Banner::plan(size, pointer, inset.as_ref(), &mut self.fonts));
        let inset_area = inset.as_ref().map(Inset::area);
        // What is written elsewhere stays clear of these.
        let taken: Vec<Patch> = inset_area.into_iter().chain(banner.as_ref().map(Banner::area)).collect();

        if let Some(inset) = &inset {
            inset.take(picture, &mut self.enlarged);
        }
        grid::draw(picture, what.grid, &taken, &mut self.fonts);
        marks::draw(picture, what.marks, taken, &mut self.fonts);
        if let Some(at) = pointer.filter(|_| what.crosshair) {
            crosshair::draw(picture, at);
        }
        if let Some(inset) = &inset {
            inset.draw(picture, &self.enlarged);
        }
        if let Some(banner) = &banner {
            brush::lay(picture, &banner.canvas, banner.at);
        }
    }
}

/// The pixel that a point lies in, or `None` outside of the picture.
fn place(at: PicturePx, size: Size) -> Option<Place> {
    let axis = |v: f64, length: u32| (v >= 0.0 && v < f64::from(length)).then_some(v as u32);
    Some((axis(at.x, size.width)?, axis(at.y, size.height)?))
}

/// The size of the picture, in words.
struct Banner {
    canvas: Canvas,
    at: Place,
}

impl Banner {
    const LABEL: Label =
        Label { em: 15.0, ink: Color::opaque(0, 0, 0), ground: NOT_OF_THE_SCREEN, margin: (6, 3) };

    /// In the middle of what the enlarged view leaves of its edge; else of the edge away from the pointer.
    fn plan(size: Size, pointer: Option<Place>, inset: Option<&Inset>, fonts: &mut FontStack) -> Self {
        let canvas = Self::LABEL.draw(&format!("image={size}"), fonts);
        let mut free = Patch::whole(size);
        if let Some(area) = inset.map(Inset::area) {
            if area.left == 0 { free.left = area.right } else { free.right = area.left }
        }
        let Size { width, height } = canvas.area().size;
        let left = free.left + free.width().saturating_sub(width) / 2;
        let low = pointer.is_some_and(|(_, row)| row < size.height / 2);
        let top = if low { size.height.saturating_sub(height) } else { 0 };
        Self { canvas, at: (left, top) }
    }

    const fn area(&self) -> Patch {
        Patch::at(self.at, self.canvas.area().size)
    }
}

#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;
