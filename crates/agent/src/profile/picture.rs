//! How large the model's picture is, and what is drawn on it so that the model can tell where things are.
//!
//! Nothing is drawn unless a profile says so in `[context.annotate]`. All lengths are pixels of the picture that is sent.

use super::{Context, ProfileError};
use handsight_base::space::{PicturePx, Size};
use handsight_pixel::annotate::{Annotations, Grid, Magnifier, Mark};
use serde::{Deserialize, Serialize};

impl Context {
    /// The size that the picture of a frame is fitted into: 0x0 in the profile is the frame's own.
    pub(crate) const fn within(&self, frame: Size) -> Size {
        if self.is_native() { frame } else { Size::new(self.picture_width, self.picture_height) }
    }

    const fn is_native(&self) -> bool {
        self.picture_width == 0 && self.picture_height == 0
    }

    pub(super) fn check_picture(&self) -> Result<(), ProfileError> {
        let sides =
            [("context.picture_width", self.picture_width), ("context.picture_height", self.picture_height)];
        for (key, value) in sides {
            if !self.is_native() && !(16..=16_384).contains(&value) {
                return Err(ProfileError::value(key, value, "16 to 16384 pixels, or 0 like the other side"));
            }
        }
        if !(1..=100).contains(&self.picture_quality) {
            return Err(ProfileError::value("context.picture_quality", self.picture_quality, "1 to 100"));
        }
        self.annotate.check()
    }
}

/// What is drawn on the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Annotate {
    /// From one line of the grid to the next; 0 draws none.
    pub grid_px: u32,
    /// From one line that stands out and carries its coordinate to the next; 0 draws none.
    pub grid_major_px: u32,
    /// A crosshair at the pointer.
    pub cursor: bool,
    /// Side of the square around the pointer that is shown enlarged in a corner; 0 shows none.
    pub magnifier_px: u32,
    /// How much it is enlarged.
    pub magnifier_times: u32,
    /// The picture's size in words: `image=1920x1080`.
    pub banner: bool,
    /// A box around each thing that `perceive.marks` finds.
    pub boxes: bool,
    /// The same with numbers, which are listed beside the picture and which tools take in place of a point.
    pub marks: bool,
}

impl Default for Annotate {
    fn default() -> Self {
        Self {
            grid_px: 0,
            grid_major_px: 0,
            cursor: false,
            magnifier_px: 0,
            magnifier_times: 4,
            banner: false,
            boxes: false,
            marks: false,
        }
    }
}

impl Annotate {
    /// True if something is drawn where the pointer is.
    pub(crate) const fn at_pointer(&self) -> bool {
        self.cursor || self.magnifier_px > 0
    }

    /// True if it has to be known what can be pointed at.
    pub(crate) const fn finds_marks(&self) -> bool {
        self.boxes || self.marks
    }

    /// The same for drawing, on a picture that shows the pointer and the marks there.
    pub(crate) fn on<'a>(&self, pointer: Option<PicturePx>, marks: &'a [Mark]) -> Annotations<'a> {
        Annotations {
            grid: Grid { fine_px: self.grid_px, coarse_px: self.grid_major_px },
            pointer,
            crosshair: self.cursor,
            magnifier: Magnifier { side_px: self.magnifier_px, times: self.magnifier_times },
            banner: self.banner,
            marks,
        }
    }

    fn check(&self) -> Result<(), ProfileError> {
        let lengths = [
            ("context.annotate.grid_px", self.grid_px),
            ("context.annotate.grid_major_px", self.grid_major_px),
            ("context.annotate.magnifier_px", self.magnifier_px),
        ];
        for (key, value) in lengths {
            if value != 0 && !(8..=16_384).contains(&value) {
                return Err(ProfileError::value(key, value, "8 to 16384 pixels, or 0 for none"));
            }
        }
        if !(1..=64).contains(&self.magnifier_times) {
            return Err(ProfileError::value(
                "context.annotate.magnifier_times",
                self.magnifier_times,
                "1 to 64",
            ));
        }
        Ok(())
    }
}
