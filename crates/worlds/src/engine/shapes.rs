//! How much of a pixel a shape covers: round rectangles, shadows, polygons and lines.
//!
//! Most of a row of a shape is covered wholly, evenly or not at all, and is told as such ([`Mask::row`]), so that only edges
//! are looked at pixel by pixel. Only sums, products and square roots are used, which every machine rounds alike.

use super::paint::PixelRect;

/// A shape as coverage.
pub(crate) enum Mask {
    Round {
        rect: PixelRect,
        radius: f32,
    },
    Shadow {
        rect: PixelRect,
        blur: f32,
        radius: f32,
    },
    /// Corners in pixels.
    Polygon {
        rect: PixelRect,
        corners: Vec<(f32, f32)>,
    },
    Stroke {
        rect: PixelRect,
        corners: Vec<(f32, f32)>,
        half: f32,
    },
}

/// What is known of a row without looking: nothing is covered before `from` and from `to` on; from `even.0` to `even.1` every
/// pixel is covered by `coverage`.
pub(crate) struct MaskRow {
    pub(crate) from: i32,
    pub(crate) even: (i32, i32),
    pub(crate) to: i32,
    pub(crate) coverage: u8,
    /// Pixels of other rows with the same ends are covered alike.
    pub(crate) straight: bool,
}

pub(crate) fn round(rect: PixelRect, radius: f32) -> Mask {
    let most = (rect.right - rect.left).min(rect.bottom - rect.top) as f32 / 2.0;
    Mask::Round { rect, radius: radius.min(most).max(0.0) }
}

/// A shadow lies under what casts it, so its middle is left out.
pub(crate) const fn shadow(rect: PixelRect, blur: f32, radius: f32) -> Mask {
    Mask::Shadow { rect, blur, radius }
}

pub(crate) fn polygon(rect: PixelRect, corners: &[(i16, i16)]) -> Mask {
    Mask::Polygon { rect, corners: corners.iter().map(|c| corner(rect, *c)).collect() }
}

pub(crate) fn stroke(rect: PixelRect, corners: &[(i16, i16)], width: f32) -> Mask {
    Mask::Stroke { rect, corners: corners.iter().map(|c| corner(rect, *c)).collect(), half: width / 2.0 }
}

/// Samples in each direction of a polygon's pixel.
const FINE: i32 = 4;

impl Mask {
    pub(crate) fn bounds(&self) -> PixelRect {
        match self {
            Self::Round { rect, .. } | Self::Polygon { rect, .. } => *rect,
            Self::Shadow { rect, blur, .. } => rect.grown(blur.ceil() as i32),
            Self::Stroke { rect, half, .. } => rect.grown(half.ceil() as i32 + 1),
        }
    }

    pub(crate) fn row(&self, y: i32) -> MaskRow {
        let bounds = self.bounds();
        match self {
            Self::Round { rect, radius } => {
                // How far into the corner's quarter this row lies; the curve leaves out the rest of its radius.
                let into = |v: f32| (radius - v).max(0.0);
                let cy = y as f32 + 0.5;
                let deep = into((cy - rect.top as f32).min(rect.bottom as f32 - cy));
                let curve = |deep: f32| radius - (radius * radius - deep * deep).max(0.0).sqrt();
                let outside = (curve((deep - 1.0).max(0.0)) - 1.0).max(0.0) as i32;
                let inside =
                    if deep == 0.0 { 0 } else { (curve((deep + 1.0).min(*radius)) + 1.0).ceil() as i32 };
                let even = (rect.left + inside, rect.right - inside);
                let (from, to) = (rect.left + outside, rect.right - outside);
                MaskRow { from, even, to, coverage: 255, straight: false }
            }
            Self::Shadow { rect, blur, radius } => {
                // The middle of what casts it is hidden; its rim is not: shadows fall a little below their thing.
                let rim = (blur / 2.0 + radius).ceil() as i32;
                let hidden = y >= rect.top + rim && y < rect.bottom - rim;
                let round = radius.ceil() as i32;
                let straight = y >= rect.top + round && y < rect.bottom - round;
                let inset = if hidden { rim } else { round };
                let even = (rect.left + inset, rect.right - inset);
                let coverage = if hidden { 0 } else { self.coverage((even.0 + even.1) / 2, y) };
                MaskRow { from: bounds.left, even, to: bounds.right, coverage, straight }
            }
            Self::Polygon { .. } | Self::Stroke { .. } => MaskRow {
                from: bounds.left,
                even: (bounds.right, bounds.right),
                to: bounds.right,
                coverage: 0,
                straight: false,
            },
        }
    }

    /// 0 to 255.
    pub(crate) fn coverage(&self, x: i32, y: i32) -> u8 {
        let (cx, cy) = (x as f32 + 0.5, y as f32 + 0.5);
        match self {
            Self::Round { rect, radius } => share(0.5 - distance(*rect, *radius, cx, cy)),
            Self::Shadow { rect, blur, radius } => {
                let outside = distance(*rect, *radius, cx, cy);
                let left = 1.0 - (outside / blur).clamp(0.0, 1.0);
                share(left * left)
            }
            Self::Polygon { corners, .. } => {
                let mut inside = 0;
                for step in 0..FINE * FINE {
                    let fine = |n: i32| (n as f32 + 0.5) / FINE as f32;
                    let at = (x as f32 + fine(step % FINE), y as f32 + fine(step / FINE));
                    inside += i32::from(within(corners, at));
                }
                (inside * 255 / (FINE * FINE)) as u8
            }
            Self::Stroke { corners, half, .. } => {
                let near = corners
                    .windows(2)
                    .map(|leg| from_segment((cx, cy), leg[0], leg[1]))
                    .fold(f32::MAX, f32::min);
                share(half + 0.5 - near)
            }
        }
    }
}

fn share(v: f32) -> u8 {
    (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

/// Of a point from a round rectangle; negative inside.
fn distance(rect: PixelRect, radius: f32, x: f32, y: f32) -> f32 {
    let half = ((rect.right - rect.left) as f32 / 2.0, (rect.bottom - rect.top) as f32 / 2.0);
    let middle = (rect.left as f32 + half.0, rect.top as f32 + half.1);
    let dx = (x - middle.0).abs() - half.0 + radius;
    let dy = (y - middle.1).abs() - half.1 + radius;
    let (ox, oy) = (dx.max(0.0), dy.max(0.0));
    (ox * ox + oy * oy).sqrt() + dx.max(dy).min(0.0) - radius
}

fn corner(rect: PixelRect, (x, y): (i16, i16)) -> (f32, f32) {
    let along = |from: i32, to: i32, share: i16| from as f32 + (to - from) as f32 * f32::from(share) / 100.0;
    (along(rect.left, rect.right, x), along(rect.top, rect.bottom, y))
}

/// By the number of sides that lie to the right.
fn within(corners: &[(f32, f32)], (x, y): (f32, f32)) -> bool {
    let mut inside = false;
    let Some(mut from) = corners.last() else { return false };
    for to in corners {
        let ((ax, ay), (bx, by)) = (*from, *to);
        if (ay > y) != (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax {
            inside = !inside;
        }
        from = to;
    }
    inside
}

fn from_segment((x, y): (f32, f32), (ax, ay): (f32, f32), (bx, by): (f32, f32)) -> f32 {
    let (dx, dy) = (bx - ax, by - ay);
    let length = (dx * dx + dy * dy).max(1e-6);
    let along = (((x - ax) * dx + (y - ay) * dy) / length).clamp(0.0, 1.0);
    let (ox, oy) = (x - ax - along * dx, y - ay - along * dy);
    (ox * ox + oy * oy).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a row says without looking is what looking says.
    #[test]
    fn rows_tell_the_truth_about_their_pixels() {
        let rect = |right, bottom| PixelRect { left: 3, top: -2, right, bottom };
        let mut masks = Vec::new();
        for (right, bottom) in [(4, 60), (40, 38), (90, 11), (120, 118)] {
            for radius in [0.0, 1.0, 3.5, 8.0, 60.0] {
                masks.push(round(rect(right, bottom), radius));
                masks.push(shadow(rect(right, bottom), 7.5, radius.min(8.0)));
            }
        }
        for mask in masks {
            let bounds = mask.bounds();
            let mut straight: Option<(i32, MaskRow)> = None;
            for y in bounds.top..bounds.bottom {
                let row = mask.row(y);
                if let Some((like, other)) = &straight
                    && row.straight
                    && row.even == other.even
                {
                    let edges = (row.from..row.even.0).chain(row.even.1..row.to);
                    edges.for_each(|x| assert_eq!(mask.coverage(x, y), mask.coverage(x, *like)));
                }
                for x in bounds.left..bounds.right {
                    let real = mask.coverage(x, y);
                    let told = if x < row.from || x >= row.to {
                        0
                    } else if x >= row.even.0 && x < row.even.1 {
                        // The middle of a shadow is left out, which is no claim.
                        if row.coverage == 0 { real } else { row.coverage }
                    } else {
                        real
                    };
                    assert_eq!(told, real, "pixel ({x}, {y}) of {bounds:?}");
                }
                if row.straight {
                    straight = Some((y, row));
                }
            }
        }
    }

    #[test]
    fn a_shadow_fades_and_leaves_its_middle_out() {
        let mask = shadow(PixelRect { left: 0, top: 0, right: 100, bottom: 100 }, 10.0, 4.0);
        assert_eq!((mask.coverage(50, 1), mask.coverage(50, -10)), (255, 1));
        let fading: Vec<u8> = (-10..0).map(|y| mask.coverage(50, y)).collect();
        assert!(fading.is_sorted(), "{fading:?}");
        assert_eq!((mask.row(50).coverage, mask.row(50).even), (0, (9, 91)));
        assert_eq!(mask.row(5).coverage, 255);
    }
}
