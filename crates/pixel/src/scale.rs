//! Frames to the size the model gets.
//!
//! Nearest neighbour is the default: text stays crisp and every target pixel *is* a source pixel, so a point of the
//! picture names a point of the screen. Target pixel `i` of an axis shows source pixel `floor((i + 0.5) * from / to)`,
//! the one under its middle, which is what `PictureGeometry` of base assumes when it maps points back.
//!
//! This module refuses to letterbox: a picture is all screen, and [`Fit`] decides only about its size.

use crate::rgb::Rgb24;
use crate::simd::{self, Groups, Kernel};
use fast_image_resize as fir;
use fir::images::{TypedImage, TypedImageRef};
use fir::pixels::U8x4;
use handsight_base::flow::frame::PixelView;
use handsight_base::space::Size;

/// Why a picture could not be made from a frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScaleError {
    #[error("a picture of {from} cannot be scaled to {to}: both must have pixels")]
    Empty { from: Size, to: Size },
    #[error("scaling {from} to {to}: {reason}")]
    Resampler { from: Size, to: Size, reason: String },
}

/// What happens to the shape of a frame that is not shaped like the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fit {
    /// The picture has exactly the target size; the frame is stretched or squeezed.
    #[default]
    Stretch,
    /// The largest picture of the frame's shape that fits into the target.
    KeepAspect,
}

impl Fit {
    /// Size of the picture of a frame of size `from` for a target of size `to`. Never empty unless one of them is.
    pub fn size(self, from: Size, to: Size) -> Size {
        if self == Self::Stretch || from.is_empty() || to.is_empty() {
            return to;
        }
        let (fw, fh) = (u64::from(from.width), u64::from(from.height));
        let (tw, th) = (u64::from(to.width), u64::from(to.height));
        let rounded = |value: u64, of: u64| ((2 * value + of) / (2 * of)).max(1) as u32;
        if fw * th > fh * tw {
            Size::new(to.width, rounded(tw * fh, fw).min(to.height))
        } else {
            Size::new(rounded(th * fw, fh).min(to.width), to.height)
        }
    }
}

/// The source index of each of `to` targets on an axis of `from` sources: `floor((i + 0.5) * from / to)`.
pub fn nearest_map(from: u32, to: u32) -> Vec<u32> {
    (0..u64::from(to)).map(|i| ((2 * i + 1) * u64::from(from) / (2 * u64::from(to))) as u32).collect()
}

/// The two index maps of one pair of sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearestMaps {
    pub from: Size,
    pub to: Size,
    /// Source column of each target column; never falls.
    pub columns: Vec<u32>,
    /// Source row of each target row; never falls.
    pub rows: Vec<u32>,
}

impl NearestMaps {
    fn of(from: Size, to: Size) -> Self {
        Self {
            from,
            to,
            columns: nearest_map(from.width, to.width),
            rows: nearest_map(from.height, to.height),
        }
    }
}

/// Nearest-neighbour scaling from BGRX straight into the RGB rows of a PNG, with its index maps kept for the next
/// frame of the same size.
#[derive(Debug)]
pub struct NearestScaler {
    kernel: Kernel,
    maps: Option<(NearestMaps, Option<Groups>)>,
    builds: u64,
}

impl Default for NearestScaler {
    fn default() -> Self {
        Self::new()
    }
}

impl NearestScaler {
    pub fn new() -> Self {
        Self::with_kernel(Kernel::detect())
    }

    /// With a kernel of the caller's choice; a processor that lacks it gets the scalar one.
    pub fn with_kernel(kernel: Kernel) -> Self {
        Self { kernel: kernel.or_scalar(), maps: None, builds: 0 }
    }

    /// How often the index maps were built: once, and again whenever the source or target size changed.
    pub const fn builds(&self) -> u64 {
        self.builds
    }

    /// The index maps for a pair of sizes, from the cache if they are those of the last call.
    pub fn maps(&mut self, from: Size, to: Size) -> &NearestMaps {
        &self.cached(from, to).0
    }

    fn cached(&mut self, from: Size, to: Size) -> &(NearestMaps, Option<Groups>) {
        let stale = self.maps.as_ref().is_none_or(|(maps, _)| maps.from != from || maps.to != to);
        if stale {
            self.builds += 1;
        }
        let fresh = || {
            let maps = NearestMaps::of(from, to);
            let groups = match self.kernel {
                Kernel::Avx2 => Groups::of(&maps.columns, from.width),
                Kernel::Scalar => None,
            };
            (maps, groups)
        };
        if stale {
            self.maps = None;
        }
        self.maps.get_or_insert_with(fresh)
    }

    /// Scales `view` to `to` into `out`, which takes that size.
    pub fn scale(&mut self, view: PixelView<'_>, to: Size, out: &mut Rgb24) -> Result<(), ScaleError> {
        let from = view.size();
        if from.is_empty() || to.is_empty() {
            return Err(ScaleError::Empty { from, to });
        }
        let (maps, groups) = self.cached(from, to);
        out.reshape(to);
        let mut above = None;
        for (target, &source) in (0..).zip(&maps.rows) {
            if above == Some(source) {
                out.repeat_row_above(target);
            } else {
                scale_row(&maps.columns, groups.as_ref(), view.row(source), out.row_mut(target));
            }
            above = Some(source);
        }
        Ok(())
    }
}

fn scale_row(columns: &[u32], groups: Option<&Groups>, source: &[u8], out: &mut [u8]) {
    let done = groups.map_or(0, |groups| simd::swizzle_row(groups, source, out));
    for (&column, rgb) in columns[done..].iter().zip(out[done * 3..].chunks_exact_mut(3)) {
        let at = column as usize * 4;
        let bgrx = &source[at..at + 4];
        rgb.copy_from_slice(&[bgrx[2], bgrx[1], bgrx[0]]);
    }
}

/// How a smooth picture weighs the source pixels around each of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Smooth {
    /// By their nearness alone: soft.
    #[default]
    Bilinear,
    /// By a windowed sinc over three pixels each way: keeps thin strokes and edges, with faint rims beside the sharpest.
    Lanczos,
}

impl Smooth {
    const fn filter(self) -> fir::FilterType {
        match self {
            Self::Bilinear => fir::FilterType::Bilinear,
            Self::Lanczos => fir::FilterType::Lanczos3,
        }
    }
}

/// Scaling with anti-aliasing, for profiles that prefer smooth pictures to crisp ones: a pixel of the picture is made of several
/// of the screen.
#[derive(Debug, Default)]
pub struct SmoothScaler {
    resizer: fir::Resizer,
    packed: Vec<u8>,
    scaled: Vec<u8>,
}

impl SmoothScaler {
    pub fn new() -> Self {
        Self::default()
    }

    /// Scales `view` to `to` into `out`, which takes that size.
    pub fn scale(
        &mut self,
        view: PixelView<'_>,
        to: Size,
        smooth: Smooth,
        out: &mut Rgb24,
    ) -> Result<(), ScaleError> {
        let from = view.size();
        if from.is_empty() || to.is_empty() {
            return Err(ScaleError::Empty { from, to });
        }
        let failed = |reason: String| ScaleError::Resampler { from, to, reason };
        let row = from.width as usize * 4;
        let source = if view.stride() == row {
            &view.data()[..row * from.height as usize]
        } else {
            self.packed.clear();
            (0..from.height).for_each(|y| self.packed.extend_from_slice(view.row(y)));
            &self.packed[..]
        };
        self.scaled.resize(to.area() as usize * 4, 0);
        // The typed call: the untyped one compiles its filters for every pixel type, which takes minutes.
        let source = TypedImageRef::<U8x4>::from_buffer(from.width, from.height, source)
            .map_err(|e| failed(e.to_string()))?;
        let mut target = TypedImage::<U8x4>::from_buffer(to.width, to.height, &mut self.scaled)
            .map_err(|e| failed(e.to_string()))?;
        let options = fir::ResizeOptions::new()
            .resize_alg(fir::ResizeAlg::Convolution(smooth.filter()))
            .use_alpha(false);
        self.resizer.resize_typed(&source, &mut target, &options).map_err(|e| failed(e.to_string()))?;
        out.reshape(to);
        for (row, bgrx) in out.rows_mut().zip(self.scaled.chunks_exact(to.width as usize * 4)) {
            for (rgb, bgrx) in row.chunks_exact_mut(3).zip(bgrx.chunks_exact(4)) {
                rgb.copy_from_slice(&[bgrx[2], bgrx[1], bgrx[0]]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
