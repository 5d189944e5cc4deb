//! A frame, what lies over it, and the picture the model gets of both.
//!
//! Nearest-neighbour scaling and blending commute: a picture pixel shows one frame pixel, so it is enough to blend each
//! layer at the few picture pixels that show it. The result equals blending onto a copy of the frame and scaling that
//! (S-13), without the copy. Smooth scaling looks at neighbours, so there the copy is made.

use crate::canvas::{Canvas, mix};
use crate::rgb::Rgb24;
use crate::scale::{NearestMaps, NearestScaler, ScaleError, Smooth, SmoothScaler};
use handsight_base::flow::frame::PixelView;
use handsight_base::space::{FrameRect, Size};

/// How a frame becomes smaller or larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    #[default]
    Nearest,
    Smooth(Smooth),
}

/// Why there is no picture of a frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    #[error("the pane {pane} does not lie inside the frame of {frame}")]
    Pane { pane: FrameRect, frame: Size },
    #[error(transparent)]
    Scale(#[from] ScaleError),
}

/// Makes pictures, and keeps its buffers and index maps from one to the next.
#[derive(Debug, Default)]
pub struct Exporter {
    nearest: NearestScaler,
    smooth: SmoothScaler,
    copy: Vec<u8>,
    picture: Rgb24,
}

impl Exporter {
    pub fn new() -> Self {
        Self::default()
    }

    /// The part `pane` of a frame at the size `to`, with `layers` over it, the later ones on top. Layers are in pixels
    /// of the whole frame. The picture is valid until the next call, and may be drawn on.
    pub fn export(
        &mut self,
        frame: PixelView<'_>,
        pane: FrameRect,
        to: Size,
        scaling: Scaling,
        layers: &[&Canvas],
    ) -> Result<&mut Rgb24, ExportError> {
        let outside = ExportError::Pane { pane, frame: frame.size() };
        let (Ok(x), Ok(y)) = (u32::try_from(pane.origin.x), u32::try_from(pane.origin.y)) else {
            return Err(outside);
        };
        let view = frame.crop(x, y, pane.size).ok_or(outside)?;
        match scaling {
            Scaling::Nearest => {
                self.nearest.scale(view, to, &mut self.picture)?;
                let maps = self.nearest.maps(pane.size, to);
                for layer in layers {
                    blend_scaled(layer, pane, maps, &mut self.picture);
                }
            }
            Scaling::Smooth(smooth) if layers.is_empty() => {
                self.smooth.scale(view, to, smooth, &mut self.picture)?;
            }
            Scaling::Smooth(smooth) => {
                let stride = pane.size.width as usize * 4;
                self.copy.clear();
                (0..pane.size.height).for_each(|row| self.copy.extend_from_slice(view.row(row)));
                for layer in layers {
                    let origin = layer.area().origin.offset(-pane.origin.x, -pane.origin.y);
                    layer.blend_shifted(origin, &mut self.copy, pane.size, stride);
                }
                if let Some(view) = PixelView::new(&self.copy, pane.size, stride) {
                    self.smooth.scale(view, to, smooth, &mut self.picture)?;
                }
            }
        }
        Ok(&mut self.picture)
    }

    /// How often the index maps were built (S-10).
    pub const fn map_builds(&self) -> u64 {
        self.nearest.builds()
    }
}

/// Blends a layer onto a picture that was scaled from `pane` with these maps.
fn blend_scaled(layer: &Canvas, pane: FrameRect, maps: &NearestMaps, picture: &mut Rgb24) {
    let area = layer.area();
    let range = |map: &[u32], pane: i32, from: i64, to: i64| {
        let at = |&source: &u32| i64::from(pane) + i64::from(source);
        map.partition_point(|s| at(s) < from)..map.partition_point(|s| at(s) < to)
    };
    let columns = range(&maps.columns, pane.origin.x, i64::from(area.origin.x), area.right());
    let rows = range(&maps.rows, pane.origin.y, i64::from(area.origin.y), area.bottom());
    let pixels = layer.bgra().as_chunks::<4>().0;
    for row in rows {
        // Inside the layer, because the ranges are.
        let y = (i64::from(pane.origin.y) + i64::from(maps.rows[row]) - i64::from(area.origin.y)) as usize;
        let source = &pixels[y * area.size.width as usize..][..area.size.width as usize];
        let target = &mut picture.row_mut(row as u32)[columns.start * 3..columns.end * 3];
        for (under, &column) in target.chunks_exact_mut(3).zip(&maps.columns[columns.clone()]) {
            let x = (i64::from(pane.origin.x) + i64::from(column) - i64::from(area.origin.x)) as usize;
            let [blue, green, red, alpha] = source[x];
            if alpha == 0 {
                continue;
            }
            for (under, over) in under.iter_mut().zip([red, green, blue]) {
                *under = mix(over, alpha, *under);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::Color;
    use crate::draw;
    use crate::random::Random;
    use handsight_base::flow::frame::Pixels;
    use std::sync::Arc;

    fn frame(size: Size, seed: u32) -> Pixels {
        let byte = |i: usize| ((i as u32 ^ seed).wrapping_mul(2_654_435_761) >> 17) as u8;
        let bytes: Vec<u8> = (0..size.area() as usize * 4).map(byte).collect();
        Pixels::new(Arc::new(bytes), size, size.width as usize * 4).expect("four bytes a pixel")
    }

    /// The long way: copy the frame, blend at native size, cut, scale.
    fn slow(frame: &Pixels, pane: FrameRect, to: Size, scaling: Scaling, layers: &[&Canvas]) -> Rgb24 {
        let (size, view) = (frame.size(), frame.view());
        let mut copy = view.data().to_vec();
        for layer in layers {
            layer.blend_onto(&mut copy, size, view.stride());
        }
        let view = PixelView::new(&copy, size, view.stride()).expect("same shape");
        let view = view.crop(pane.origin.x as u32, pane.origin.y as u32, pane.size).expect("pane inside");
        let mut out = Rgb24::default();
        match scaling {
            Scaling::Nearest => NearestScaler::new().scale(view, to, &mut out).expect("not empty"),
            Scaling::Smooth(smooth) => {
                SmoothScaler::new().scale(view, to, smooth, &mut out).expect("not empty");
            }
        }
        out
    }

    fn layer(area: FrameRect, seed: u8) -> Canvas {
        let mut canvas = Canvas::new(area);
        let color = Color { alpha: seed | 1, ..Color::opaque(seed, 255 - seed, seed / 2) };
        draw::frame(&mut canvas, area, 2, color);
        draw::line(&mut canvas, area.origin, area.center(), 3, Color::opaque(9, seed, 200));
        canvas
    }

    // spec: S-13 UNIT
    #[test]
    fn layers_in_the_picture_equal_layers_blended_before_scaling() {
        let mut random = Random::new(13);
        let mut exporter = Exporter::new();
        for case in 0..600 {
            let size = Size::new(random.size(20, 90), random.size(20, 60));
            let frame = frame(size, case);
            let (x, y) = (random.size(0, 10), random.size(0, 10));
            let rest = Size::new(random.size(1, size.width - x), random.size(1, size.height - y));
            let pane = FrameRect::new(x as i32, y as i32, rest.width, rest.height);
            let to = Size::new(random.size(1, 120), random.size(1, 90));
            let scaling = match case % 6 {
                0 => Scaling::Smooth(Smooth::Bilinear),
                3 => Scaling::Smooth(Smooth::Lanczos),
                _ => Scaling::Nearest,
            };
            let mut layer = || {
                let (x, y) = (random.range(-30, 80), random.range(-30, 60));
                let area = FrameRect::new(x as i32, y as i32, random.size(1, 60), random.size(1, 60));
                layer(area, random.next() as u8)
            };
            let layers = [&layer(), &layer()];
            let picture = exporter.export(frame.view(), pane, to, scaling, &layers).expect("pane inside");
            assert!(picture == &slow(&frame, pane, to, scaling, &layers), "case {case}: pixels differ");
        }
    }

    // spec: S-16 UNIT
    #[test]
    fn without_layers_the_picture_is_the_bare_screen() {
        let frame = frame(Size::new(192, 108), 5);
        let (pane, to) = (FrameRect::new(0, 0, 192, 108), Size::new(153, 86));
        let mut exporter = Exporter::new();
        let clear = Canvas::new(FrameRect::new(10, 10, 50, 50));
        let bare = slow(&frame, pane, to, Scaling::Nearest, &[]);
        for layers in [&[][..], &[&clear][..]] {
            let picture =
                exporter.export(frame.view(), pane, to, Scaling::Nearest, layers).expect("pane inside");
            assert!(picture == &bare);
        }
        assert_eq!(exporter.map_builds(), 1);
    }

    #[test]
    fn a_pane_outside_the_frame_is_refused_by_name() {
        let frame = frame(Size::new(100, 50), 1);
        let mut exporter = Exporter::new();
        for pane in [FrameRect::new(-1, 0, 5, 5), FrameRect::new(96, 0, 5, 5), FrameRect::new(0, 0, 0, 5)] {
            let error = exporter
                .export(frame.view(), pane, Size::new(9, 9), Scaling::Nearest, &[])
                .expect_err("not inside");
            assert_eq!(error.to_string(), format!("the pane {pane} does not lie inside the frame of 100x50"));
        }
    }
}
