use super::*;
use crate::random::Random;
use handsight_base::port::clock::{Clock as _, RealClock};
use std::time::Duration;

fn picture(size: Size, rgb: impl Fn(u32, u32) -> [u8; 3]) -> Rgb24 {
    let packed: Vec<u8> = (0..size.height)
        .flat_map(|y| (0..size.width).map(move |x| (x, y)))
        .flat_map(|(x, y)| rgb(x, y))
        .collect();
    Rgb24::from_packed(size, &packed).expect("three bytes a pixel")
}

fn mix(x: u32, y: u32) -> u32 {
    let mut v = x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77);
    v ^= v >> 15;
    v = v.wrapping_mul(0x2C1B_3C6D);
    v ^ (v >> 12)
}

/// Grey desktop, white windows with rows of "text", a title bar.
fn desktop(size: Size) -> Rgb24 {
    picture(size, |x, y| match (x % 400, y % 300) {
        (20..380, 20..40) => [200, 205, 210],
        (30..370, 50..280) if y % 16 < 10 && mix(x / 2 % 97, y % 16 + y / 48) % 5 < 2 => [30, 30, 30],
        (20..380, 20..290) => [255, 255, 255],
        _ => [58, 110, 165],
    })
}

/// Slow waves with a little sensor noise.
fn photo(size: Size) -> Rgb24 {
    picture(size, |x, y| {
        let wave =
            |f: f32, p: f32| ((x as f32 * f + p).sin() + (y as f32 * f * 1.3 - p).cos()) * 50.0 + 120.0;
        let noise = |k: u32| (mix(x + k, y) % 7) as f32 - 3.0;
        [wave(0.011, 0.3) + noise(1), wave(0.013, 1.1) + noise(2), wave(0.017, 2.0) + noise(3)]
            .map(|v| v as u8)
    })
}

/// A 16-colour tile of noise, again and again: the content on which filters do harm.
fn pixel_art(size: Size) -> Rgb24 {
    picture(size, |x, y| {
        let colour = mix(mix(x % 64, y % 4), 9) % 16;
        [mix(colour, 1) as u8, mix(colour, 2) as u8, mix(colour, 3) as u8]
    })
}

fn noise(size: Size) -> Rgb24 {
    picture(size, |x, y| mix(x, y).to_le_bytes()[..3].try_into().expect("three of four"))
}

/// The names of a file's chunks, with every length and checksum tested.
fn chunks(png: &[u8]) -> Vec<String> {
    let mut at = 8;
    let mut names = Vec::new();
    while at < png.len() {
        let word = |i: usize| u32::from_be_bytes(png[i..i + 4].try_into().expect("four bytes"));
        let end = at + 8 + word(at) as usize;
        assert_eq!(word(end), crc32fast::hash(&png[at + 4..end]), "checksum of the chunk at {at}");
        names.push(String::from_utf8_lossy(&png[at + 4..at + 8]).into_owned());
        at = end + 4;
    }
    names
}

/// Decoded by the `png` crate as it is, without our own reader.
fn by_another_decoder(png: &[u8]) -> (png::OutputInfo, Vec<u8>) {
    let mut reader = png::Decoder::new(Cursor::new(png)).read_info().expect("a readable header");
    let mut packed = vec![0; reader.output_buffer_size().expect("a size that fits")];
    let info = reader.next_frame(&mut packed).expect("readable data");
    (info, packed)
}

fn check(picture: &Rgb24) -> Vec<u8> {
    let png = PngEncoder::new().encode(picture).expect("encodes");
    let (info, packed) = by_another_decoder(&png);
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    assert_eq!(Size::new(info.width, info.height), picture.size());
    assert!(packed == picture.to_packed(), "pixels of {} changed", picture.size());
    png
}

// spec: S-11 UNIT
#[test]
fn pictures_are_24_bit_png_with_header_data_and_end_only() {
    let size = Size::new(1536, 864);
    for picture in [desktop(size), photo(size), pixel_art(size), noise(size), Rgb24::new(size)] {
        let png = check(&picture);
        assert_eq!(chunks(&png), ["IHDR", "IDAT", "IEND"]);
        assert_eq!(png[..8], SIGNATURE);
        assert_eq!(png[24..29], [8, 2, 0, 0, 0], "8 bits, RGB, deflate, adaptive, not interlaced");
    }
}

// spec: S-89 UNIT
#[test]
fn sizes_stay_in_the_range_of_the_reference() {
    let size = Size::new(1536, 864);
    let kib = |picture: &Rgb24| check(picture).len() / 1024;
    let raw = size.area() as usize * 3 / 1024;
    assert!(kib(&desktop(size)) < 500, "{} KiB", kib(&desktop(size)));
    assert!(kib(&photo(size)) < 2048, "{} KiB", kib(&photo(size)));
    assert!(kib(&pixel_art(size)) < 200, "{} KiB", kib(&pixel_art(size)));
    assert!(kib(&noise(size)) <= raw * 101 / 100, "noise: {} KiB of {raw}", kib(&noise(size)));
    assert!(kib(&Rgb24::new(size)) < 10, "black: {} KiB", kib(&Rgb24::new(size)));
}

// spec: S-89 UNIT
#[test]
fn encoding_stays_under_100_ms() {
    let size = Size::new(1536, 864);
    let (clock, mut encoder) = (RealClock::new(), PngEncoder::new());
    for picture in [desktop(size), photo(size), pixel_art(size), noise(size)] {
        // The best of some, because other tests run beside it.
        let took = (0..9)
            .map(|_| {
                let began = clock.now();
                encoder.encode(&picture).expect("encodes");
                clock.now() - began
            })
            .min();
        assert!(took < Some(Duration::from_millis(100)), "{took:?}");
    }
}

#[test]
fn the_sample_tells_flat_from_smooth_content_band_by_band() {
    let size = Size::new(640, 400);
    let mut encoder = PngEncoder::new();
    let mut modes = |picture: &Rgb24| {
        encoder.encode(picture).expect("encodes");
        encoder.modes()
    };
    assert_eq!(modes(&desktop(size)), BandModes { flat: 3, smooth: 0 });
    assert_eq!(modes(&pixel_art(size)), BandModes { flat: 3, smooth: 0 });
    assert_eq!(modes(&photo(size)), BandModes { flat: 0, smooth: 3 });
    let (above, below) = (photo(size), desktop(size));
    let both = picture(size, |x, y| if y < 200 { &above } else { &below }.rgb(x, y).expect("inside"));
    let BandModes { flat, smooth } = modes(&both);
    assert!(flat > 0 && smooth > 0, "{flat} flat, {smooth} smooth");
}

#[test]
fn equal_pictures_give_equal_bytes_whatever_was_encoded_before() {
    let size = Size::new(700, 300);
    let mut used = PngEncoder::new();
    for other in [photo(size), pixel_art(size), desktop(Size::new(33, 500))] {
        used.encode(&other).expect("encodes");
        let again = used.encode(&desktop(size)).expect("encodes");
        assert!(again == PngEncoder::new().encode(&desktop(size)).expect("encodes"), "bytes differ");
    }
}

#[test]
fn odd_shapes_survive() {
    for (w, h) in [(1, 1), (1, 700), (2, 3), (5000, 1), (100_000, 2), (37, 4099)] {
        let size = Size::new(w, h);
        check(&desktop(size));
        check(&photo(size));
        check(&noise(size));
    }
}

#[test]
fn pictures_without_pixels_and_absurd_ones_are_refused() {
    let mut encoder = PngEncoder::new();
    let error = encoder.encode(&Rgb24::new(Size::new(0, 9))).expect_err("nothing to write");
    assert_eq!(error.to_string(), "a picture of 0x9 has no pixels: PNG cannot hold it");
}

#[test]
fn reading_gives_the_pixels_as_bgrx() {
    let size = Size::new(61, 17);
    let original = photo(size);
    let pixels = decode(&check(&original)).expect("our own file");
    assert_eq!(pixels.size(), size);
    for (x, y) in [(0, 0), (60, 16), (13, 5)] {
        let [r, g, b] = original.rgb(x, y).expect("inside");
        assert_eq!(pixels.view().bgr(x, y), Some([b, g, r]));
    }
    assert!(pixels.view().data().iter().skip(3).step_by(4).all(|&x| x == 255));
}

#[test]
fn reading_takes_foreign_pngs() {
    let foreign = |color: png::ColorType, palette: Option<&[u8]>, data: &[u8]| {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(color);
        if let Some(palette) = palette {
            encoder.set_palette(palette.to_vec());
        }
        let mut writer = encoder.write_header().expect("header");
        writer.write_image_data(data).expect("data");
        writer.finish().expect("end");
        let pixels = decode(&bytes).expect("a still PNG");
        (0..2).map(|x| pixels.view().bgr(x, 0).expect("inside")).collect::<Vec<_>>()
    };
    use png::ColorType::*;
    assert_eq!(foreign(Rgba, None, &[1, 2, 3, 0, 4, 5, 6, 255]), [[3, 2, 1], [6, 5, 4]]);
    assert_eq!(foreign(Grayscale, None, &[7, 9]), [[7; 3], [9; 3]]);
    assert_eq!(foreign(GrayscaleAlpha, None, &[7, 0, 9, 1]), [[7; 3], [9; 3]]);
    assert_eq!(foreign(Indexed, Some(&[1, 2, 3, 4, 5, 6]), &[1, 0]), [[6, 5, 4], [3, 2, 1]]);
}

#[test]
fn damaged_files_are_refused_not_believed() {
    let png = check(&desktop(Size::new(90, 60)));
    for cut in [0, 7, 20, 40, png.len() / 2] {
        decode(&png[..cut]).expect_err("cut short");
    }
    let mut flipped = png.clone();
    let middle = png.len() / 2;
    flipped[middle] ^= 0x10;
    decode(&flipped).expect_err("a byte changed");
    let mut bomb = png;
    bomb[16..24].copy_from_slice(&[0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF]);
    let checksum = crc32fast::hash(&bomb[12..29]);
    bomb[29..33].copy_from_slice(&checksum.to_be_bytes());
    decode(&bomb).expect_err("an absurd size must not be allocated");
}

#[test]
fn any_small_picture_survives() {
    let mut random = Random::new(11);
    for seed in 0..500 {
        let size = Size::new(random.size(1, 40), random.size(1, 40));
        let colours = random.size(1, 300);
        check(&picture(size, |x, y| {
            let colour = mix(mix(x ^ seed, y), seed) % colours;
            mix(colour, seed).to_le_bytes()[..3].try_into().expect("three of four")
        }));
    }
}
