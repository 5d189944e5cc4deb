//! How much of a pixel a shape covers: round rectangles, shadows, polygons and lines.
//!
//! Only sums, products and square roots are used, which every machine rounds alike.

use super::paint::PixelRect;

/// A shape as coverage. Rows may have a solid middle, which is filled without asking for every pixel.
pub(crate) enum Mask<'a> {
    Round { rect: PixelRect, radius: f32 },
    Shadow { rect: PixelRect, blur: f32, radius: f32 },
    Polygon { rect: PixelRect, corners: &'a [(i16, i16)] },
    Stroke { rect: PixelRect, corners: &'a [(i16, i16)], half: f32 },
}

pub(crate) fn round(rect: PixelRect, radius: f32) -> Mask<'static> {
    let most = (rect.right - rect.left).min(rect.bottom - rect.top) as f32 / 2.0;
    Mask::Round { rect, radius: radius.min(most).max(0.0) }
}

pub(crate) const fn shadow(rect: PixelRect, blur: f32, radius: f32) -> Mask<'static> {
    Mask::Shadow { rect, blur, radius }
}

pub(crate) const fn polygon(rect: PixelRect, corners: &[(i16, i16)]) -> Mask<'_> {
    Mask::Polygon { rect, corners }
}

pub(crate) const fn stroke(rect: PixelRect, corners: &[(i16, i16)], width: f32) -> Mask<'_> {
    Mask::Stroke { rect, corners, half: width / 2.0 }
}

/// Samples in each direction of a polygon's pixel.
const FINE: i32 = 4;

impl Mask<'_> {
    pub(crate) fn bounds(&self) -> PixelRect {
        match self {
            Self::Round { rect, .. } | Self::Polygon { rect, .. } => *rect,
            Self::Shadow { rect, blur, .. } => rect.grown(blur.ceil() as i32),
            Self::Stroke { rect, half, .. } => rect.grown(half.ceil() as i32 + 1),
        }
    }

    /// The columns of a row that are covered wholly, if that is known without looking.
    pub(crate) fn solid(&self, y: i32) -> (i32, i32) {
        match self {
            Self::Round { rect, radius } => {
                let inset = radius.ceil() as i32;
                if y >= rect.top + inset && y < rect.bottom - inset {
                    (rect.left, rect.right)
                } else {
                    (rect.left + inset, rect.right - inset)
                }
            }
            Self::Shadow { .. } | Self::Polygon { .. } | Self::Stroke { .. } => (i32::MAX, i32::MAX),
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
            Self::Polygon { rect, corners } => {
                let mut inside = 0;
                for step in 0..FINE * FINE {
                    let fine = |n: i32| (n as f32 + 0.5) / FINE as f32;
                    let at = (x as f32 + fine(step % FINE), y as f32 + fine(step / FINE));
                    inside += i32::from(within(*rect, corners, at));
                }
                (inside * 255 / (FINE * FINE)) as u8
            }
            Self::Stroke { rect, corners, half } => {
                let point = |c: &(i16, i16)| corner(*rect, *c);
                let near = corners
                    .windows(2)
                    .map(|leg| from_segment((cx, cy), point(&leg[0]), point(&leg[1])))
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
fn within(rect: PixelRect, corners: &[(i16, i16)], (x, y): (f32, f32)) -> bool {
    let mut inside = false;
    for (i, to) in corners.iter().enumerate() {
        let from = corners[(i + corners.len() - 1) % corners.len()];
        let ((ax, ay), (bx, by)) = (corner(rect, from), corner(rect, *to));
        if (ay > y) != (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax {
            inside = !inside;
        }
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
