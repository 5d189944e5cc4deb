use super::*;
use crate::random::Random;

/// A screen's worth of what encoders stumble over: flat areas, thin coloured letters, a gradient, noise.
fn screen(size: Size) -> Rgb24 {
    let noise = Random::new(5).bytes(size.area() as usize * 3);
    let packed: Vec<u8> = (0..size.area() as usize)
        .flat_map(|i| {
            let (x, y) = ((i % size.width as usize) as u32, (i / size.width as usize) as u32);
            match (x * 4 / size.width.max(1), y) {
                (0, _) => [240, 240, 240],
                (1, y) if y % 12 < 8 && (x * 7 + y).is_multiple_of(5) => [200, 20, 20],
                (1, _) => [20, 30, 120],
                (2, _) => [x as u8, y as u8, (x + y) as u8],
                _ => [noise[i * 3], noise[i * 3 + 1], noise[i * 3 + 2]],
            }
        })
        .collect();
    Rgb24::from_packed(size, &packed).expect("three bytes a pixel")
}

fn written(format: PictureFormat) -> Written {
    Written { format, quality: 90 }
}

/// The red, green and blue of what was read.
fn packed(pixels: &Pixels) -> Vec<u8> {
    let size = pixels.size();
    (0..size.height)
        .flat_map(|y| pixels.view().row(y).to_vec())
        .collect::<Vec<u8>>()
        .chunks_exact(4)
        .flat_map(|p| [p[2], p[1], p[0]])
        .collect()
}

#[test]
fn what_loses_nothing_comes_back_as_it_was_and_the_same_each_time() {
    let mut encoder = PictureEncoder::new();
    for size in [(1, 1), (3, 1), (1, 70), (97, 61), (640, 360)].map(|(w, h)| Size::new(w, h)) {
        let picture = screen(size);
        for format in [PictureFormat::Png, PictureFormat::Webp] {
            let file = encoder.encode(&picture, written(format)).expect("encodes");
            assert_eq!(PictureFormat::of(&file), Some(format));
            let read = decode(&file).expect("reads");
            assert!(read.size() == size && packed(&read) == picture.to_packed(), "{format} of {size}");
            // Another encoder, with no picture behind it.
            assert!(PictureEncoder::new().encode(&picture, written(format)).expect("encodes") == file);
        }
    }
}

#[test]
fn a_jpeg_is_near_and_nearer_with_more_quality() {
    let size = Size::new(321, 123);
    let smooth: Vec<u8> =
        (0..size.area() as u32).flat_map(|i| [(i % 321 / 2) as u8, (i / 321) as u8, 90]).collect();
    let picture = Rgb24::from_packed(size, &smooth).expect("three bytes a pixel");
    let mut encoder = PictureEncoder::new();
    let mut sizes = Vec::new();
    for (quality, worst) in [(50, 30), (90, 12), (100, 5)] {
        let file =
            encoder.encode(&picture, Written { format: PictureFormat::Jpeg, quality }).expect("encodes");
        let read = decode(&file).expect("reads");
        assert_eq!((PictureFormat::of(&file), read.size()), (Some(PictureFormat::Jpeg), size));
        let far = packed(&read).iter().zip(&smooth).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(far <= Some(worst), "{far:?} at quality {quality}");
        sizes.push(file.len());
    }
    assert!(sizes.is_sorted(), "{sizes:?}");
    // Out of range is the nearer end.
    for (out, end) in [(0, 1), (255, 100)] {
        let of = |encoder: &mut PictureEncoder, quality| {
            encoder.encode(&picture, Written { format: PictureFormat::Jpeg, quality }).expect("encodes")
        };
        assert!(of(&mut encoder, out) == of(&mut encoder, end));
    }
}

#[test]
fn a_jpeg_keeps_the_colour_of_thin_letters() {
    // Red strokes of one pixel on blue: at half the colour resolution they turn purple.
    let size = Size::new(64, 64);
    let stroke = |i: usize| (i % 64).is_multiple_of(4);
    let pixels: Vec<u8> =
        (0..64 * 64).flat_map(|i| if stroke(i) { [220, 30, 30] } else { [30, 30, 160] }).collect();
    let picture = Rgb24::from_packed(size, &pixels).expect("three bytes a pixel");
    let far = |file: &[u8]| {
        let read = packed(&decode(file).expect("reads"));
        read.iter().zip(&pixels).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or_default()
    };
    let ours = PictureEncoder::new().encode(&picture, written(PictureFormat::Jpeg)).expect("encodes");
    let mut halved = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut halved, 90);
    encoder.set_sampling_factor(SamplingFactor::R_4_2_0);
    encoder.encode(&picture.to_packed(), 64, 64, JpegColor::Rgb).expect("encodes");
    assert!(far(&ours) * 2 < far(&halved), "{} against {}", far(&ours), far(&halved));
}

#[test]
fn what_a_format_cannot_hold_is_refused_by_name() {
    let mut encoder = PictureEncoder::new();
    for format in PictureFormat::ALL {
        let told = encoder.encode(&Rgb24::new(Size::new(0, 5)), written(format)).expect_err("empty");
        assert!(told.to_string().contains("no pixels"), "{told}");
    }
    let wide = Rgb24::new(Size::new(WEBP_EDGE + 1, 1));
    let told = encoder.encode(&wide, written(PictureFormat::Webp)).expect_err("too wide");
    assert_eq!(
        told.to_string(),
        "a picture of 16384x1 cannot be written as WebP: a side may have 16383 pixels"
    );
    encoder.encode(&wide, written(PictureFormat::Jpeg)).expect("a JPEG may be that wide");
}

#[test]
fn malformed_files_are_refused_without_a_panic() {
    for none in [&b""[..], b"GIF89a"] {
        assert_eq!(decode(none).err(), Some(PictureError::Unknown));
    }
    let picture = screen(Size::new(40, 30));
    let mut encoder = PictureEncoder::new();
    let mut random = Random::new(77);
    for format in PictureFormat::ALL {
        let file = encoder.encode(&picture, written(format)).expect("encodes");
        // Cut anywhere behind its first bytes.
        for end in (12..file.len()).step_by(file.len() / 40 + 1) {
            // What has lost no more than its end may still be shown.
            if let Ok(read) = decode(&file[..end]) {
                assert_eq!(read.size(), Size::new(40, 30), "{format}");
            }
        }
        for _ in 0..300 {
            let mut broken = file.clone();
            for _ in 0..random.size(1, 8) {
                let at = 12 + random.next() as usize % (broken.len() - 12);
                broken[at] = random.next() as u8;
            }
            // Whatever comes of it, it is no panic and no endless memory.
            drop(decode(&broken));
        }
    }
}
