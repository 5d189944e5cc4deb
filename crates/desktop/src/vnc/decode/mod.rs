//! How a server writes the pixels of a rectangle: raw, copied, Hextile, ZRLE, Tight.
//!
//! All encodings are asked for in one pixel format, that of a frame: blue, green, red and an undefined byte. JPEG inside of
//! Tight is not asked for, so no picture is ever worse than the screen. Decoders write into the screen itself, hold a row or a tile
//! beside it and nothing larger, and refuse whatever does not fit its rectangle.

mod hextile;
mod inflate;
mod tight;
mod zrle;

use super::framebuffer::Canvas;
use super::trouble::Trouble;
use super::wire::Wire;
use inflate::Inflate;
use serde::{Deserialize, Serialize};

pub(crate) use inflate::whole as inflate_whole;

/// A way to write pixels, by its number on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    Raw,
    CopyRect,
    Hextile,
    Tight,
    Zrle,
}

impl Encoding {
    /// Every encoding that is understood.
    pub const ALL: [Self; 5] = [Self::Raw, Self::CopyRect, Self::Hextile, Self::Tight, Self::Zrle];

    pub(crate) const fn number(self) -> i32 {
        match self {
            Self::Raw => 0,
            Self::CopyRect => 1,
            Self::Hextile => 5,
            Self::Tight => 7,
            Self::Zrle => 16,
        }
    }

    pub(crate) fn of(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.number() == number)
    }
}

/// The compressed streams, which go on from rectangle to rectangle.
#[derive(Default)]
pub(crate) struct Decoders {
    zrle: Inflate,
    tight: tight::Tight,
}

impl Decoders {
    /// Reads one rectangle into its place. `CopyRect` moves pixels of the screen and is not for here.
    pub(crate) fn read(
        &mut self,
        encoding: Encoding,
        wire: &mut Wire,
        canvas: &mut Canvas<'_>,
    ) -> Result<(), Trouble> {
        match encoding {
            Encoding::Raw => raw(wire, canvas),
            Encoding::Hextile => hextile::read(wire, canvas),
            Encoding::Zrle => zrle::read(&mut self.zrle, wire, canvas),
            Encoding::Tight => self.tight.read(wire, canvas),
            Encoding::CopyRect => Err(Trouble::broken("a copy where pixels belong")),
        }
    }
}

fn raw(wire: &mut Wire, canvas: &mut Canvas<'_>) -> Result<(), Trouble> {
    let (width, height) = (canvas.width, canvas.height);
    if width * 4 == canvas.stride {
        // Whole rows lie behind one another.
        return wire.read_exact(&mut canvas.pixels[..width * 4 * height]);
    }
    (0..height).try_for_each(|y| wire.read_exact(canvas.row(0, y, width)))
}

fn too_much(what: &str) -> Trouble {
    Trouble::broken(format!("{what} beyond its rectangle"))
}
