//! The pointer's shapes, drawn like everything else, with their hot spot on the place they point at.

use super::CursorShape;
use super::scene::{Layer, Shape, grown};
use handsight_base::space::{ScreenPx, ScreenRect};
use handsight_pixel::canvas::Color;

const INK: Color = Color::opaque(16, 16, 20);
const RIM: Color = Color::opaque(255, 255, 255);
/// No layer of a world has this key.
const KEY: u64 = u64::MAX;

/// How far any shape reaches from its hot spot.
const REACH: i32 = 24;

/// Where the pointer may leave ink.
pub fn reach(at: ScreenPx) -> ScreenRect {
    grown(ScreenRect::new(at.x, at.y, 1, 1), REACH)
}

/// The pointer at `at`, as a layer for the very top.
pub fn layer(shape: CursorShape, at: ScreenPx) -> Layer {
    let mut layer = Layer::new(KEY);
    let clip = reach(at);
    let place = |left: i32, top: i32, width: u32, height: u32| {
        let origin = at.offset(left, top);
        ScreenRect::new(origin.x, origin.y, width, height)
    };
    let two_headed = |layer: &mut Layer, legs: &[&[(i16, i16)]]| {
        let rect = place(-9, -9, 19, 19);
        for (width, color) in [(42, RIM), (18, INK)] {
            for leg in legs {
                layer.clipped(rect, clip, Shape::Stroke { corners: leg.to_vec(), width, color });
            }
        }
    };
    match shape {
        CursorShape::Arrow => {
            let corners = vec![(0, 0), (0, 81), (21, 64), (40, 100), (58, 92), (41, 58), (69, 58), (0, 0)];
            let rect = place(0, 0, 18, 20);
            layer.clipped(rect, clip, Shape::Stroke { corners: corners.clone(), width: 26, color: RIM });
            layer.clipped(rect, clip, Shape::Polygon { corners, color: INK });
        }
        CursorShape::Hand => {
            let corners = vec![
                (30, 0),
                (42, 0),
                (45, 38),
                (92, 50),
                (100, 62),
                (88, 100),
                (38, 100),
                (6, 62),
                (12, 54),
                (28, 64),
                (30, 0),
            ];
            let rect = place(-6, -1, 18, 21);
            layer.clipped(rect, clip, Shape::Polygon { corners: corners.clone(), color: RIM });
            layer.clipped(rect, clip, Shape::Stroke { corners, width: 16, color: INK });
        }
        CursorShape::Beam => {
            let rect = place(-4, -9, 9, 19);
            let legs: [&[(i16, i16)]; 3] = [&[(50, 5), (50, 95)], &[(15, 3), (85, 3)], &[(15, 97), (85, 97)]];
            for (width, color) in [(34, RIM), (14, INK)] {
                for leg in legs {
                    layer.clipped(rect, clip, Shape::Stroke { corners: leg.to_vec(), width, color });
                }
            }
        }
        CursorShape::ResizeHorizontal => {
            two_headed(
                &mut layer,
                &[&[(25, 28), (0, 50), (25, 72)], &[(0, 50), (100, 50)], &[(75, 28), (100, 50), (75, 72)]],
            );
        }
        CursorShape::ResizeVertical => {
            two_headed(
                &mut layer,
                &[&[(28, 25), (50, 0), (72, 25)], &[(50, 0), (50, 100)], &[(28, 75), (50, 100), (72, 75)]],
            );
        }
        CursorShape::ResizeFalling => {
            two_headed(
                &mut layer,
                &[&[(40, 12), (12, 12), (12, 40)], &[(12, 12), (88, 88)], &[(60, 88), (88, 88), (88, 60)]],
            );
        }
        CursorShape::ResizeRising => {
            two_headed(
                &mut layer,
                &[&[(60, 12), (88, 12), (88, 40)], &[(88, 12), (12, 88)], &[(40, 88), (12, 88), (12, 60)]],
            );
        }
    }
    layer
}
