//! From the numbers of a model to a place of the frame, and back.
//!
//! A dialect declares in one constant what its numbers are: their space, the order of the axes, the largest number, whether
//! fractions are numbers of it, and in which size its processor shows pictures. This module refuses to move a point: NaN, a
//! fraction where there is none, and a point outside are errors with the bounds in their words. 0 is a number like any other.

use super::reject::{Fits, Misfit, kind_of};
use super::resize::Resize;
use handsight_base::flow::action::Spot;
use handsight_base::port::dialect::PointSpace;
use handsight_base::space::{
    FrameRect, Norm1, Norm1000, PictureGeometry, PicturePx, Rounding, Size, SpaceError,
};
use serde_json::Value;

/// Which axis comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Xy,
    Yx,
}

/// What a dialect's points are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Points {
    pub space: PointSpace,
    pub order: Order,
    /// Of normalized spaces.
    pub rounding: Rounding,
    /// The largest number of a normalized space: 1000, 999 or 1.
    pub top: f64,
    /// Whether 10.5 is a number of it.
    pub fractions: bool,
    /// What the model's processor makes of a picture before the model sees it, in pixel spaces.
    pub resize: Option<Resize>,
}

impl Points {
    /// Whole pixels of the picture as sent.
    pub const PIXELS: Self = Self {
        space: PointSpace::Picture,
        order: Order::Xy,
        rounding: Rounding::FloorOfCount,
        top: 0.0,
        fractions: false,
        resize: None,
    };

    /// 0 to 1000, fractions too, 1000 being the last pixel.
    pub const NORM1000: Self = Self {
        space: PointSpace::Norm1000,
        order: Order::Xy,
        rounding: Rounding::RoundToLast,
        top: 1000.0,
        fractions: true,
        resize: None,
    };

    /// 0 to 1, 1 being the last pixel.
    pub const NORM1: Self = Self { space: PointSpace::Norm1, top: 1.0, ..Self::NORM1000 };

    /// The same in the pixels that a processor makes.
    #[must_use]
    pub const fn resized(self, resize: Resize) -> Self {
        Self { resize: Some(resize), ..self }
    }

    /// The place of two numbers, in the order of the dialect's axes.
    pub(super) fn spot(&self, first: f64, second: f64, picture: &PictureGeometry) -> Fits<Spot> {
        if !self.fractions && (first.fract() != 0.0 || second.fract() != 0.0) {
            let words = format!("the point ({first}, {second}) has a fraction: give whole numbers");
            return Err(Misfit::wrong_type(words));
        }
        self.place(first, second, picture)
    }

    fn place(&self, first: f64, second: f64, picture: &PictureGeometry) -> Fits<Spot> {
        let seen = self.seen(picture)?;
        let (x, y) = self.sorted(first, second);
        let (right, bottom) = self.largest(seen.size);
        let inside = (0.0..=right).contains(&x) && (0.0..=bottom).contains(&y);
        // The last pixel goes on to its border.
        let inside = inside
            || (self.space == PointSpace::Picture
                && (0.0..right + 1.0).contains(&x)
                && (0.0..bottom + 1.0).contains(&y));
        if !inside {
            return Err(Misfit::out_of_range(format!(
                "the point ({first}, {second}) is outside: x goes from 0 to {right} and y from 0 to {bottom}{}",
                if self.order == Order::Yx { ", y first" } else { "" }
            )));
        }
        let at = match self.space {
            PointSpace::Picture => seen.frame_from_picture(PicturePx { x, y }),
            PointSpace::Norm1000 => seen.frame_from_norm1000(Norm1000 { x, y }, self.rounding),
            PointSpace::Norm1 => seen.frame_from_norm1(Norm1 { x, y }, self.rounding),
        };
        at.map_err(|e| Misfit::out_of_range(e.to_string()))
    }

    /// The middle of a box of two corners.
    pub(super) fn middle(&self, corners: [f64; 4], picture: &PictureGeometry) -> Fits<Spot> {
        let [a, b, c, d] = corners;
        // Each corner has to be a point of its own, or the middle of a box half outside would be a guess.
        self.spot(a, b, picture)?;
        self.spot(c, d, picture)?;
        self.place(f64::midpoint(a, c), f64::midpoint(b, d), picture)
    }

    /// A rectangle between two corners, whose numbers are borders: the far ones may be the picture's own.
    pub(super) fn area(&self, corners: [f64; 4], picture: &PictureGeometry) -> Fits<FrameRect> {
        let seen = self.seen(picture)?;
        let [a, b, c, d] = corners;
        let ((left, top), (right, bottom)) = (self.sorted(a, b), self.sorted(c, d));
        let (most_x, most_y) = match self.space {
            PointSpace::Picture => (f64::from(seen.size.width), f64::from(seen.size.height)),
            PointSpace::Norm1000 => (1000.0, 1000.0),
            PointSpace::Norm1 => (1.0, 1.0),
        };
        let inside = |v: f64, most: f64| (0.0..=most).contains(&v);
        if ![left, right].iter().all(|v| inside(*v, most_x))
            || ![top, bottom].iter().all(|v| inside(*v, most_y))
        {
            return Err(Misfit::out_of_range(format!(
                "the area ({a}, {b}, {c}, {d}) is outside: x goes from 0 to {most_x} and y from 0 to {most_y}"
            )));
        }
        let pane = seen.pane;
        let low = |v: f64, most: f64, n: u32| (v / most * f64::from(n)).floor() as i32;
        let high = |v: f64, most: f64, n: u32| (v / most * f64::from(n)).ceil() as i32;
        let (x0, x1) = (low(left, most_x, pane.size.width), high(right, most_x, pane.size.width));
        let (y0, y1) = (low(top, most_y, pane.size.height), high(bottom, most_y, pane.size.height));
        if left >= right || top >= bottom || x0 >= x1 || y0 >= y1 {
            return Err(Misfit::out_of_range(format!(
                "the area ({a}, {b}, {c}, {d}) is empty: give its top left corner, then its bottom right one"
            )));
        }
        let origin = pane.origin.offset(x0, y0);
        Ok(FrameRect::new(origin.x, origin.y, (x1 - x0) as u32, (y1 - y0) as u32))
    }

    /// `[first, second]`.
    pub(super) fn of_value(&self, value: &Value, picture: &PictureGeometry) -> Fits<Spot> {
        let [first, second] = numbers(value)?;
        self.spot(first, second, picture)
    }

    /// The numbers that mean a place, as the dialect writes them: first, second.
    pub fn numbers(&self, at: Spot, picture: &PictureGeometry) -> Result<(f64, f64), SpaceError> {
        let seen = self.seen(picture).unwrap_or(*picture);
        let (x, y) = match self.space {
            PointSpace::Picture => {
                let p = seen.picture_from_frame(at)?;
                (p.x, p.y)
            }
            PointSpace::Norm1000 => {
                let p = seen.norm1000_from_frame(at, self.rounding)?;
                (p.x, p.y)
            }
            PointSpace::Norm1 => {
                let p = seen.norm1_from_frame(at, self.rounding)?;
                (p.x, p.y)
            }
        };
        let written = |v: f64| if self.fractions { v } else { v.round() };
        let (right, bottom) = self.largest(seen.size);
        Ok(self.sorted(written(x).min(right), written(y).min(bottom)))
    }

    /// By how many frame pixels a place may be off once it was written in this space and read again, per axis.
    pub fn quantum(&self, picture: &PictureGeometry) -> (f64, f64) {
        let seen = self.seen(picture).unwrap_or(*picture);
        let axis = |pane: u32, size: u32| {
            let (pane, size) = (f64::from(pane), f64::from(size));
            match self.space {
                PointSpace::Picture => pane / size,
                PointSpace::Norm1000 if !self.fractions => pane / 1000.0,
                PointSpace::Norm1000 | PointSpace::Norm1 => 0.0,
            }
        };
        (axis(seen.pane.size.width, seen.size.width), axis(seen.pane.size.height, seen.size.height))
    }

    /// For a model's instructions: `whole pixels of the picture, from the top left, x first`.
    pub fn about(&self) -> String {
        let whole = if self.fractions { "" } else { "whole " };
        let space = match self.space {
            PointSpace::Picture => format!("{whole}pixels of the picture"),
            PointSpace::Norm1000 | PointSpace::Norm1 => format!("{whole}numbers from 0 to {}", self.top),
        };
        let order = if self.order == Order::Xy { "x first" } else { "y first" };
        format!("{space}, from the top left, {order}")
    }

    /// The picture as the model sees it.
    fn seen(&self, picture: &PictureGeometry) -> Fits<PictureGeometry> {
        let Some(resize) = self.resize else { return Ok(*picture) };
        let size = resize.of(picture.size).ok_or_else(|| {
            Misfit::out_of_range(format!("no point can be given on a picture of {}", picture.size))
        })?;
        Ok(PictureGeometry { size, ..*picture })
    }

    fn sorted(&self, first: f64, second: f64) -> (f64, f64) {
        match self.order {
            Order::Xy => (first, second),
            Order::Yx => (second, first),
        }
    }

    fn largest(&self, seen: Size) -> (f64, f64) {
        match self.space {
            PointSpace::Picture => {
                (f64::from(seen.width.saturating_sub(1)), f64::from(seen.height.saturating_sub(1)))
            }
            PointSpace::Norm1000 | PointSpace::Norm1 => (self.top, self.top),
        }
    }
}

/// Exactly so many numbers of a list. Texts that look like numbers are none.
pub(super) fn numbers<const N: usize>(value: &Value) -> Fits<[f64; N]> {
    let wanted = || if N == 2 { "[x, y]".to_owned() } else { format!("a list of {N} numbers") };
    let Value::Array(list) = value else {
        return Err(Misfit::wrong_type(format!("{} stands where {} belongs", kind_of(value), wanted())));
    };
    let mut numbers = [0.0; N];
    if list.len() != N {
        return Err(Misfit::wrong_type(format!(
            "a list of {} stands where {} belongs",
            list.len(),
            wanted()
        )));
    }
    for (slot, item) in numbers.iter_mut().zip(list) {
        *slot = item.as_f64().filter(|n| n.is_finite()).ok_or_else(|| {
            Misfit::wrong_type(format!("{} stands in a list where a number belongs", kind_of(item)))
        })?;
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests;
