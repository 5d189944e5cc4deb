use super::*;
use crate::random::Random;
use handsight_base::flow::frame::Pixels;
use handsight_base::space::{FrameId, FrameRect, PictureGeometry, PicturePx};
use std::sync::Arc;

fn frame(size: Size, gap: usize, seed: u64) -> Pixels {
    let stride = size.width as usize * 4 + gap;
    let memory = Arc::new(Random::new(seed).bytes(stride * size.height as usize));
    Pixels::new(memory, size, stride).expect("stride covers the row")
}

/// The definition, pixel by pixel, in floating point.
fn slow(view: PixelView<'_>, to: Size) -> Vec<u8> {
    let from = view.size();
    let axis =
        |i: u32, from: u32, to: u32| ((f64::from(i) + 0.5) * f64::from(from) / f64::from(to)).floor() as u32;
    let mut packed = Vec::new();
    for y in 0..to.height {
        for x in 0..to.width {
            let [b, g, r] = view
                .bgr(axis(x, from.width, to.width), axis(y, from.height, to.height))
                .expect("the map stays inside");
            packed.extend([r, g, b]);
        }
    }
    packed
}

fn scaled(kernel: Kernel, view: PixelView<'_>, to: Size) -> Vec<u8> {
    let mut out = Rgb24::default();
    NearestScaler::with_kernel(kernel).scale(view, to, &mut out).expect("neither size is empty");
    out.to_packed()
}

// spec: S-09 S-94 UNIT
#[test]
fn a_full_hd_frame_equals_the_slow_reference() {
    let frame = frame(Size::new(1920, 1080), 0, 1);
    assert_eq!(frame.view().data().len(), 8_294_400, "native: 8.3 MB");
    let target = Size::new(1536, 864);
    let packed = scaled(Kernel::detect(), frame.view(), target);
    assert!(packed == slow(frame.view(), target), "not the pixels of the reference");
    assert_eq!(packed.len(), 3_981_312, "three bytes a pixel, where BGRA would hold 5 308 416");
    assert!(Rgb24::new(target).bytes() <= 5_308_416);
}

// spec: S-06 S-09 UNIT
#[test]
fn vector_and_scalar_paths_equal_the_slow_reference() {
    let mut random = Random::new(6);
    for case in 0..500 {
        let from = Size::new(random.size(1, 200), random.size(1, 12));
        let to = Size::new(random.size(1, 200), random.size(1, 12));
        let frame = frame(from, random.size(0, 70) as usize, case);
        let reference = slow(frame.view(), to);
        assert!(scaled(Kernel::Scalar, frame.view(), to) == reference, "scalar, {from} to {to}");
        assert!(scaled(Kernel::Avx2, frame.view(), to) == reference, "vector, {from} to {to}");
    }
}

/// A point of the picture must lead back to the very pixel it shows.
// spec: S-09 UNIT
#[test]
fn the_map_is_the_one_picture_geometry_uses() {
    let mut random = Random::new(9);
    for _ in 0..2000 {
        let (from, to) = (random.size(1, 9000), random.size(1, 5000));
        let map = nearest_map(from, to);
        let geometry = PictureGeometry {
            frame: FrameId(1),
            pane: FrameRect::new(0, 0, from, from),
            size: Size::new(to, to),
        };
        for _ in 0..20 {
            let i = random.size(0, to - 1);
            let shown = PicturePx { x: f64::from(i) + 0.5, y: f64::from(i) };
            let point = geometry.frame_from_picture(shown).expect("inside the picture").point;
            let mapped = map[i as usize] as i32;
            assert_eq!((point.x, point.y), (mapped, mapped), "{i} of {to} from {from}");
        }
    }
}

// spec: S-06 UNIT
#[test]
fn the_vector_path_covers_the_sizes_it_is_meant_for() {
    for (from, to) in [(1920, 1536), (1366, 1536), (800, 1536), (2560, 1536), (3072, 1536)] {
        let groups = Groups::of(&nearest_map(from, to), from).expect("at most a half");
        assert_eq!(groups.covered(), to as usize, "{from} to {to}");
    }
    assert_eq!(Groups::of(&nearest_map(3840, 1536), 3840), None, "too wide a span is the scalar path's");
}

// spec: S-10 UNIT
#[test]
fn index_maps_are_rebuilt_only_when_a_size_changes() {
    let (hd, small) = (frame(Size::new(192, 108), 0, 3), frame(Size::new(80, 60), 0, 4));
    let (target, other) = (Size::new(153, 86), Size::new(100, 100));
    let mut scaler = NearestScaler::new();
    let mut out = Rgb24::default();
    let mut builds = |frame: &Pixels, to: Size| {
        scaler.scale(frame.view(), to, &mut out).expect("neither size is empty");
        assert!(out.to_packed() == slow(frame.view(), to), "wrong pixels at {to}");
        scaler.builds()
    };
    assert_eq!(builds(&hd, target), 1);
    assert_eq!(builds(&hd, target), 1);
    assert_eq!(builds(&small, target), 2, "another source size");
    assert_eq!(builds(&small, target), 2);
    assert_eq!(builds(&small, other), 3, "another target size");
    assert_eq!(builds(&hd, target), 4, "only the last pair is kept");
}

#[test]
fn empty_sizes_are_refused_by_name() {
    let frame = frame(Size::new(2, 2), 0, 1);
    let mut out = Rgb24::default();
    let error = NearestScaler::new().scale(frame.view(), Size::new(0, 5), &mut out).expect_err("no pixels");
    assert_eq!(error.to_string(), "a picture of 2x2 cannot be scaled to 0x5: both must have pixels");
    SmoothScaler::new()
        .scale(frame.view(), Size::new(5, 0), Smooth::Bilinear, &mut out)
        .expect_err("no pixels");
}

#[test]
fn smooth_scaling_keeps_flat_colour_and_ignores_the_gap_and_the_fourth_byte() {
    let size = Size::new(37, 21);
    let stride = 37 * 4 + 12;
    let mut bytes = Random::new(9).bytes(stride * 21);
    for row in bytes.chunks_exact_mut(stride) {
        for pixel in row[..37 * 4].chunks_exact_mut(4) {
            pixel[..3].copy_from_slice(&[10, 20, 30]);
        }
    }
    let view = PixelView::new(&bytes, size, stride).expect("shape fits");
    let mut out = Rgb24::default();
    for smooth in [Smooth::Bilinear, Smooth::Lanczos] {
        for to in [Size::new(20, 10), Size::new(37, 21), Size::new(50, 60)] {
            SmoothScaler::new().scale(view, to, smooth, &mut out).expect("neither size is empty");
            assert!(out.to_packed().chunks_exact(3).all(|rgb| rgb == [30, 20, 10]), "{smooth:?} at {to}");
        }
    }
}

#[test]
fn bilinear_halves_a_checkerboard_to_grey() {
    let pixel = |on: bool| if on { [255u8; 4] } else { [0; 4] };
    let bytes: Vec<u8> = (0..64 * 64).flat_map(|i| pixel((i % 64 + i / 64) % 2 == 0)).collect();
    let view = PixelView::new(&bytes, Size::new(64, 64), 256).expect("shape fits");
    let mut out = Rgb24::default();
    SmoothScaler::new()
        .scale(view, Size::new(32, 32), Smooth::Bilinear, &mut out)
        .expect("neither size is empty");
    let inner = out.rgb(16, 16).expect("inside");
    assert!(inner.iter().all(|c| (120..=136).contains(c)), "{inner:?}");
}

#[test]
fn keeping_the_aspect_fits_inside_the_target() {
    let target = Size::new(1536, 864);
    let fit = |w, h| Fit::KeepAspect.size(Size::new(w, h), target);
    assert_eq!(fit(1920, 1080), target);
    assert_eq!(fit(800, 600), Size::new(1152, 864));
    assert_eq!(fit(3840, 1080), Size::new(1536, 432));
    assert_eq!(fit(1, 100_000), Size::new(1, 864));
    assert_eq!(fit(0, 5), target);
    assert_eq!(Fit::Stretch.size(Size::new(800, 600), target), target);
}

#[test]
fn lanczos_keeps_a_thin_stroke_darker_than_bilinear_does() {
    // Black strokes of two pixels on white, made 0.8 times as large.
    let pixel = |i: usize| if i % 100 % 10 < 2 { [0u8; 4] } else { [255; 4] };
    let bytes: Vec<u8> = (0..100 * 100).flat_map(pixel).collect();
    let view = PixelView::new(&bytes, Size::new(100, 100), 400).expect("shape fits");
    let darkest = |smooth| {
        let mut out = Rgb24::default();
        SmoothScaler::new().scale(view, Size::new(80, 80), smooth, &mut out).expect("neither size is empty");
        let row = out.row(40)[30..210].to_vec();
        row.into_iter().min()
    };
    assert!(darkest(Smooth::Lanczos) < darkest(Smooth::Bilinear));
}
