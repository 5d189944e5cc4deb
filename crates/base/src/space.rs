//! The spaces a point can be in, and the only conversions between them.
//!
//! A point without its space is the most common bug of this field, so there is no bare `x, y` anywhere: the space is
//! in the type. A point that came from a model is also pinned to the frame it was read from ([`At`]), because a click
//! on last turn's picture is a click on something else.
//!
//! This module refuses to guess: NaN, an infinity, a point outside its space and a point of another frame are errors
//! with words a model can use. Clamping is a decision of a profile (`stateless` clamps; see [`Norm1000::clamped`]).
//!
//! ```text
//! Norm1000 / Norm1 / PicturePx  --pane, downscaling-->  FramePx  --HiDPI, display origin-->  ScreenPx
//!                                                                 ScreenPx  --window origin-->  WindowPx
//! ```

mod rects;

use serde::{Deserialize, Serialize};
use std::fmt;

/// Names one frame the model may see, counted from 1 within a run; 0 is a probe that no point may refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FrameId(pub u64);

impl FrameId {
    /// A frame the engine took for itself. Whatever points at it is refused.
    pub const PROBE: Self = Self(0);
}

impl fmt::Display for FrameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// Width and height in the pixels of whatever space it stands beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

impl Size {
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }

    /// Number of pixels.
    pub const fn area(self) -> u64 {
        self.width as u64 * self.height as u64
    }

    pub const fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

macro_rules! pixel_space {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
        pub struct $name {
            pub x: i32,
            pub y: i32,
        }

        impl $name {
            pub const fn new(x: i32, y: i32) -> Self {
                Self { x, y }
            }

            /// The point moved by a distance within the same space; saturates instead of wrapping.
            pub const fn offset(self, dx: i32, dy: i32) -> Self {
                Self { x: self.x.saturating_add(dx), y: self.y.saturating_add(dy) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "({}, {})", self.x, self.y)
            }
        }
    };
}

pixel_space! {
    /// A unit of the input system: where the hands go. The origin is the top-left of the primary display, so other
    /// displays may have negative coordinates. On X11 and on DPI-aware Windows this is a physical pixel.
    ScreenPx
}
pixel_space! {
    /// A pixel of a captured frame, from its own top-left.
    FramePx
}
pixel_space! {
    /// A pixel from the top-left of a window's client area.
    WindowPx
}

/// A point of the picture the model was sent (a frame or a pane of it, scaled), in its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PicturePx {
    pub x: f64,
    pub y: f64,
}

/// A point as 0 to 1000 in both axes, 0,0 the top-left.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Norm1000 {
    pub x: f64,
    pub y: f64,
}

/// A point as 0 to 1 in both axes, 0,0 the top-left.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Norm1 {
    pub x: f64,
    pub y: f64,
}

impl Norm1000 {
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// The nearest point inside 0 to 1000, and whether anything had to move. Non-finite numbers stay an error.
    pub fn clamped(self) -> Result<(Self, bool), SpaceError> {
        finite("0 to 1000", self.x, self.y)?;
        let inside = Self { x: self.x.clamp(0.0, 1000.0), y: self.y.clamp(0.0, 1000.0) };
        Ok((inside, inside != self))
    }
}

/// A rectangle of a pixel space, half open: `x + width` is the first column outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rect<P> {
    pub origin: P,
    pub size: Size,
}

pub type FrameRect = Rect<FramePx>;
pub type ScreenRect = Rect<ScreenPx>;
pub type WindowRect = Rect<WindowPx>;

macro_rules! rect_of {
    ($($point:ident),*) => {$(
        impl Rect<$point> {
            pub const fn new(x: i32, y: i32, width: u32, height: u32) -> Self {
                Self { origin: $point { x, y }, size: Size { width, height } }
            }

            pub const fn is_empty(&self) -> bool {
                self.size.is_empty()
            }

            /// First column to the right, as i64 so that it cannot overflow.
            pub const fn right(&self) -> i64 {
                self.origin.x as i64 + self.size.width as i64
            }

            /// First row below, as i64 so that it cannot overflow.
            pub const fn bottom(&self) -> i64 {
                self.origin.y as i64 + self.size.height as i64
            }

            pub const fn contains(&self, p: $point) -> bool {
                p.x >= self.origin.x
                    && p.y >= self.origin.y
                    && (p.x as i64) < self.right()
                    && (p.y as i64) < self.bottom()
            }

            /// The middle pixel; of an even size the one right of and below the middle.
            pub const fn center(&self) -> $point {
                self.origin.offset((self.size.width / 2) as i32, (self.size.height / 2) as i32)
            }

            /// The part both cover, or `None` if they do not touch.
            pub fn intersect(&self, other: &Self) -> Option<Self> {
                let x = self.origin.x.max(other.origin.x);
                let y = self.origin.y.max(other.origin.y);
                let right = self.right().min(other.right());
                let bottom = self.bottom().min(other.bottom());
                let (width, height) = (right - i64::from(x), bottom - i64::from(y));
                (width > 0 && height > 0).then(|| Self::new(x, y, width as u32, height as u32))
            }

            /// The smallest rectangle around both, at most `u32::MAX` long; an empty one adds nothing.
            pub fn union(&self, other: &Self) -> Self {
                if self.is_empty() {
                    return *other;
                }
                if other.is_empty() {
                    return *self;
                }
                let x = self.origin.x.min(other.origin.x);
                let y = self.origin.y.min(other.origin.y);
                let right = self.right().max(other.right());
                let bottom = self.bottom().max(other.bottom());
                let length = |from: i32, to: i64| u32::try_from(to - i64::from(from)).unwrap_or(u32::MAX);
                Self::new(x, y, length(x, right), length(y, bottom))
            }
        }

        impl fmt::Display for Rect<$point> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{} at {}", self.size, self.origin)
            }
        }
    )*};
}
rect_of!(ScreenPx, FramePx, WindowPx);

/// A point pinned to the frame it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct At<P> {
    pub point: P,
    pub frame: FrameId,
}

/// How a vendor turns 0-1000 (or 0-1) into pixels of an axis `n` long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounding {
    /// `round(v / 1000 * (n - 1))`: 0 is the first pixel and 1000 the last (`stateless` S-33, `curator`). A half
    /// goes to the larger pixel, where Python's `round` would go to the even one.
    RoundToLast,
    /// `int(v / 1000 * n)`, the last pixel at most: each pixel owns an equal share (Gemini). In the order of
    /// the vendor's own arithmetic: 290 of 100 pixels is 28 there (0.29 * 100 is just under 29), so it is 28 here.
    FloorOfCount,
}

impl Rounding {
    fn pixel(self, fraction: f64, n: u32) -> i32 {
        let last = f64::from(n.saturating_sub(1));
        let v = match self {
            Self::RoundToLast => (fraction * last).round(),
            Self::FloorOfCount => (fraction * f64::from(n)).floor(),
        };
        v.clamp(0.0, last) as i32
    }

    /// The fraction of the axis that means the pixel: its exact inverse for `RoundToLast`, the middle of the
    /// pixel's share for `FloorOfCount`.
    fn fraction(self, pixel: i32, n: u32) -> f64 {
        match self {
            Self::RoundToLast if n <= 1 => 0.0,
            Self::RoundToLast => f64::from(pixel) / f64::from(n - 1),
            Self::FloorOfCount => (f64::from(pixel) + 0.5) / f64::from(n.max(1)),
        }
    }
}

/// Why a point was refused, in words a model can act on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SpaceError {
    #[error("coordinate ({x}, {y}) is not a finite number; give two numbers in {space}")]
    NotFinite { space: &'static str, x: f64, y: f64 },
    #[error(
        "coordinate ({x}, {y}) is outside {space} {bounds}; look at the newest picture and give a point inside it"
    )]
    OutOfRange { space: &'static str, bounds: String, x: f64, y: f64 },
    #[error("the point belongs to picture {given}, but the screen is now picture {current}; look again")]
    StaleFrame { given: FrameId, current: FrameId },
    #[error(
        "the point belongs to a probe frame, which nobody was shown; look, then give a point of that picture"
    )]
    Probe,
    #[error("what picture {frame} showed has moved or changed its size since it was captured; look again")]
    Moved { frame: FrameId },
    #[error(
        "the desktop gave picture {frame} a scale of {scale}, which maps no point; a scale is above 0 and finite"
    )]
    Scale { frame: FrameId, scale: f64 },
    #[error("the {space} is empty ({size}), so nothing in it can be addressed")]
    Empty { space: &'static str, size: Size },
}

fn finite(space: &'static str, x: f64, y: f64) -> Result<(), SpaceError> {
    if x.is_finite() && y.is_finite() { Ok(()) } else { Err(SpaceError::NotFinite { space, x, y }) }
}

/// Where a captured frame lies on the screen. Asked afresh every turn: windows move.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FrameGeometry {
    pub frame: FrameId,
    /// Size of the frame in its own pixels.
    pub size: Size,
    /// Where the frame's top-left pixel is on the screen.
    pub origin: ScreenPx,
    /// Frame pixels per screen unit: 1.0 wherever input is in physical pixels, 2.0 on a desktop that takes input in
    /// points and captures two pixels a point.
    pub scale: f64,
}

impl FrameGeometry {
    pub const fn whole(&self) -> FrameRect {
        Rect { origin: FramePx::new(0, 0), size: self.size }
    }

    fn check_frame(&self, given: FrameId) -> Result<(), SpaceError> {
        if given == FrameId::PROBE {
            return Err(SpaceError::Probe);
        }
        if given == self.frame { Ok(()) } else { Err(SpaceError::StaleFrame { given, current: self.frame }) }
    }

    fn check_scale(&self) -> Result<(), SpaceError> {
        if self.scale.is_finite() && self.scale > 0.0 {
            return Ok(());
        }
        Err(SpaceError::Scale { frame: self.frame, scale: self.scale })
    }

    /// Where the hands must go for a point of this frame.
    pub fn screen_from_frame(&self, at: At<FramePx>) -> Result<ScreenPx, SpaceError> {
        self.check_frame(at.frame)?;
        self.check_scale()?;
        let p = at.point;
        if !self.whole().contains(p) {
            return Err(out_of_range("the picture", self.size, p.x, p.y));
        }
        // The unit whose area the pixel's centre falls into.
        let unit = |v: i32| ((f64::from(v) + 0.5) / self.scale).floor() as i32;
        Ok(self.origin.offset(unit(p.x), unit(p.y)))
    }

    /// Which pixel of this frame shows the middle of a screen unit. Of a unit that the frame's edge cuts, the last
    /// pixel it has.
    pub fn frame_from_screen(&self, p: ScreenPx) -> Result<At<FramePx>, SpaceError> {
        self.check_scale()?;
        let axis = |p: i32, origin: i32, n: u32| {
            let unit = f64::from(p) - f64::from(origin);
            (unit >= 0.0 && unit * self.scale < f64::from(n))
                .then(|| ((unit + 0.5) * self.scale).floor().min(f64::from(n - 1)) as i32)
        };
        match (axis(p.x, self.origin.x, self.size.width), axis(p.y, self.origin.y, self.size.height)) {
            (Some(x), Some(y)) => Ok(At { point: FramePx::new(x, y), frame: self.frame }),
            _ => Err(out_of_range("the captured area", self.screen_rect(self.whole()), p.x, p.y)),
        }
    }

    /// The same rectangle on the screen, rounded outwards. The scale must be usable.
    pub fn screen_rect(&self, r: FrameRect) -> ScreenRect {
        let lo = |v: i32| (f64::from(v) / self.scale).floor();
        let hi = |v: i64| (v as f64 / self.scale).ceil();
        let (x, y) = (lo(r.origin.x), lo(r.origin.y));
        let size = Size::new((hi(r.right()) - x) as u32, (hi(r.bottom()) - y) as u32);
        Rect { origin: self.origin.offset(x as i32, y as i32), size }
    }
}

fn out_of_range(space: &'static str, bounds: impl fmt::Display, x: i32, y: i32) -> SpaceError {
    SpaceError::OutOfRange { space, bounds: bounds.to_string(), x: f64::from(x), y: f64::from(y) }
}

/// Where a window's client area begins on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowGeometry {
    /// The client area.
    pub client: ScreenRect,
}

impl WindowGeometry {
    pub fn screen_from_window(&self, p: WindowPx) -> Result<ScreenPx, SpaceError> {
        if p.x < 0 || p.y < 0 || p.x as u32 >= self.client.size.width || p.y as u32 >= self.client.size.height
        {
            return Err(out_of_range("the window", self.client.size, p.x, p.y));
        }
        Ok(self.client.origin.offset(p.x, p.y))
    }

    /// May lie outside the window: a neighbour's pixel has negative coordinates.
    pub const fn window_from_screen(&self, p: ScreenPx) -> WindowPx {
        WindowPx::new(p.x.saturating_sub(self.client.origin.x), p.y.saturating_sub(self.client.origin.y))
    }
}

/// How a frame became the picture the model sees: cut to a pane, then scaled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PictureGeometry {
    pub frame: FrameId,
    /// The part of the frame that is shown.
    pub pane: FrameRect,
    /// Size of the picture in its own pixels.
    pub size: Size,
}

impl PictureGeometry {
    fn usable(&self) -> Result<(), SpaceError> {
        if self.pane.size.is_empty() {
            return Err(SpaceError::Empty { space: "pane", size: self.pane.size });
        }
        if self.size.is_empty() {
            return Err(SpaceError::Empty { space: "picture", size: self.size });
        }
        Ok(())
    }

    fn at(&self, x: i32, y: i32) -> At<FramePx> {
        At { point: self.pane.origin.offset(x, y), frame: self.frame }
    }

    /// The frame pixel under the middle of a picture pixel.
    pub fn frame_from_picture(&self, p: PicturePx) -> Result<At<FramePx>, SpaceError> {
        finite("pixels of the picture", p.x, p.y)?;
        self.usable()?;
        let (w, h) = (f64::from(self.size.width), f64::from(self.size.height));
        if p.x < 0.0 || p.y < 0.0 || p.x >= w || p.y >= h {
            return Err(SpaceError::OutOfRange {
                space: "the picture",
                bounds: self.size.to_string(),
                x: p.x,
                y: p.y,
            });
        }
        let axis = |v: f64, from: u32, to: u32| {
            let v = (v.floor() + 0.5) * f64::from(to) / f64::from(from);
            v.floor().min(f64::from(to - 1)) as i32
        };
        Ok(self.at(
            axis(p.x, self.size.width, self.pane.size.width),
            axis(p.y, self.size.height, self.pane.size.height),
        ))
    }

    /// The picture pixel that shows the middle of a frame pixel.
    pub fn picture_from_frame(&self, at: At<FramePx>) -> Result<PicturePx, SpaceError> {
        let (x, y) = self.in_pane(at)?;
        let axis = |v: i32, from: u32, to: u32| {
            ((f64::from(v) + 0.5) * f64::from(to) / f64::from(from)).floor().min(f64::from(to - 1))
        };
        Ok(PicturePx {
            x: axis(x, self.pane.size.width, self.size.width),
            y: axis(y, self.pane.size.height, self.size.height),
        })
    }

    /// 0-1000 over the pane, at its native resolution: the scaled picture's size does not enter (S-33).
    pub fn frame_from_norm1000(&self, p: Norm1000, rounding: Rounding) -> Result<At<FramePx>, SpaceError> {
        self.frame_from_fraction("0 to 1000", 1000.0, p.x, p.y, rounding)
    }

    /// 0-1 over the pane, at its native resolution.
    pub fn frame_from_norm1(&self, p: Norm1, rounding: Rounding) -> Result<At<FramePx>, SpaceError> {
        self.frame_from_fraction("0 to 1", 1.0, p.x, p.y, rounding)
    }

    fn frame_from_fraction(
        &self,
        space: &'static str,
        top: f64,
        x: f64,
        y: f64,
        rounding: Rounding,
    ) -> Result<At<FramePx>, SpaceError> {
        finite(space, x, y)?;
        self.usable()?;
        if !(0.0..=top).contains(&x) || !(0.0..=top).contains(&y) {
            return Err(SpaceError::OutOfRange { space: "the range", bounds: format!("0 to {top}"), x, y });
        }
        Ok(self.at(
            rounding.pixel(x / top, self.pane.size.width),
            rounding.pixel(y / top, self.pane.size.height),
        ))
    }

    pub fn norm1000_from_frame(&self, at: At<FramePx>, rounding: Rounding) -> Result<Norm1000, SpaceError> {
        let p = self.norm1_from_frame(at, rounding)?;
        Ok(Norm1000 { x: p.x * 1000.0, y: p.y * 1000.0 })
    }

    pub fn norm1_from_frame(&self, at: At<FramePx>, rounding: Rounding) -> Result<Norm1, SpaceError> {
        let (x, y) = self.in_pane(at)?;
        Ok(Norm1 {
            x: rounding.fraction(x, self.pane.size.width),
            y: rounding.fraction(y, self.pane.size.height),
        })
    }

    fn in_pane(&self, at: At<FramePx>) -> Result<(i32, i32), SpaceError> {
        self.usable()?;
        if at.frame != self.frame {
            return Err(SpaceError::StaleFrame { given: at.frame, current: self.frame });
        }
        if !self.pane.contains(at.point) {
            return Err(out_of_range("the pane", self.pane, at.point.x, at.point.y));
        }
        Ok((at.point.x - self.pane.origin.x, at.point.y - self.pane.origin.y))
    }
}

#[cfg(test)]
mod tests;
