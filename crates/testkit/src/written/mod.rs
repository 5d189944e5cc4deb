//! Replies as models write them, in every dialect: one writer each.
//!
//! A writer knows its grammar and its coordinates from the vendor's words, not from the product: it does its own arithmetic, so that
//! what it wrote and what the product reads can be held against each other. It writes one intent per reply and says `None` to what
//! its grammar has no words for.

mod functions;
mod native;
mod own;
mod spoken;

use handsight_base::flow::action::Spot;
use handsight_base::flow::intent::Intent;
use handsight_base::space::PictureGeometry;
use serde_json::Value;

/// What a model would send for an intent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Written {
    pub text: String,
    /// Name and arguments of each call, in the neutral form that the wires give them.
    pub calls: Vec<(String, Value)>,
}

impl Written {
    pub fn text(text: impl Into<String>) -> Option<Self> {
        Some(Self { text: text.into(), calls: Vec::new() })
    }

    pub fn call(name: &str, arguments: Value) -> Option<Self> {
        Some(Self { text: String::new(), calls: vec![(name.to_owned(), arguments)] })
    }
}

pub struct Writer {
    pub dialect: &'static str,
    pub write: fn(&Intent, &PictureGeometry) -> Option<Written>,
}

/// One line each, grouped by family.
pub const WRITERS: &[&[Writer]] = &[own::WRITERS, spoken::WRITERS, functions::WRITERS, native::WRITERS];

pub fn writer(dialect: &str) -> Option<&'static Writer> {
    WRITERS.iter().copied().flatten().find(|w| w.dialect == dialect)
}

/// The place as a share of the shown part, the middle of its pixel: x, y.
fn share(at: Spot, picture: &PictureGeometry) -> (f64, f64) {
    let axis = |v: i32, origin: i32, n: u32| (f64::from(v - origin) + 0.5) / f64::from(n);
    let pane = &picture.pane;
    (axis(at.point.x, pane.origin.x, pane.size.width), axis(at.point.y, pane.origin.y, pane.size.height))
}

/// The pixel of a picture of `width` by `height` that shows the place.
fn pixel(at: Spot, picture: &PictureGeometry, width: u32, height: u32) -> (u32, u32) {
    let (x, y) = share(at, picture);
    ((x * f64::from(width)) as u32, (y * f64::from(height)) as u32)
}

/// Whole numbers from 0 to 999 of which each owns an equal share.
#[expect(dead_code, reason = "for families that count so")]
fn of_1000(at: Spot, picture: &PictureGeometry) -> (u32, u32) {
    let (x, y) = share(at, picture);
    ((x * 1000.0) as u32, (y * 1000.0) as u32)
}

/// 0 to `top` from the first pixel to the last, as a fraction.
fn to_last(at: Spot, picture: &PictureGeometry, top: f64) -> (f64, f64) {
    let axis = |v: i32, origin: i32, n: u32| {
        if n <= 1 { 0.0 } else { f64::from(v - origin) / f64::from(n - 1) * top }
    };
    let pane = &picture.pane;
    (axis(at.point.x, pane.origin.x, pane.size.width), axis(at.point.y, pane.origin.y, pane.size.height))
}
