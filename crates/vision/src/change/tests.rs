use super::*;
use handsight_base::flow::frame::Pixels;
use std::sync::Arc;

/// A black frame with white pixels at these places; the undefined fourth byte is `junk`.
fn frame(size: Size, white: &[FramePx], junk: u8) -> Pixels {
    let mut bytes = [0, 0, 0, junk].repeat(size.area() as usize);
    for at in white {
        let i = (at.y as usize * size.width as usize + at.x as usize) * 4;
        bytes[i..i + 3].fill(255);
    }
    Pixels::new(Arc::new(bytes), size, size.width as usize * 4).expect("four bytes a pixel")
}

fn sample(frame: &Pixels) -> Sample {
    Sample::of(frame.view(), SAMPLE)
}

const FULL_HD: Size = Size::new(1920, 1080);

// spec: S-42 UNIT
#[test]
fn every_sixteenth_pixel_of_the_reduced_look_is_compared() {
    let places: Vec<FramePx> = places(FULL_HD, SAMPLE).collect();
    assert_eq!(places.len(), 2304);
    assert_eq!(sample(&frame(FULL_HD, &[], 0)).points(), 2304);
    // Reading order: 256 is a multiple of 16, so every row has its columns 0, 16, ... 240.
    assert_eq!(places[0], FramePx::new(3, 3), "the middle of the first 7.5 x 7.5 pixels");
    assert_eq!(places[1], FramePx::new(123, 3));
    assert_eq!(places[16], FramePx::new(3, 11));
    assert_eq!(places[2303], FramePx::new(1803, 1076));
}

// spec: S-42 UNIT
#[test]
fn the_ratio_is_changed_points_over_all_points() {
    let places: Vec<FramePx> = places(FULL_HD, SAMPLE).collect();
    let still = sample(&frame(FULL_HD, &[], 0));
    for changed in [0, 1, 13, 14, 2304] {
        let moved = sample(&frame(FULL_HD, &places[..changed], 0));
        assert_eq!(moved.changed(&still, &[]), changed as f64 / 2304.0);
    }
    let mut beside: Vec<FramePx> = places.clone();
    beside.iter_mut().for_each(|at| at.x += 1);
    assert_eq!(sample(&frame(FULL_HD, &beside, 0)).changed(&still, &[]), 0.0, "only the points count");
    assert_eq!(sample(&frame(FULL_HD, &[], 77)).changed(&still, &[]), 0.0, "the fourth byte does not");
}

// spec: S-42 UNIT
#[test]
fn any_difference_in_any_channel_counts() {
    let size = Size::new(256, 144);
    let base = [100u8, 100, 100, 0].repeat(size.area() as usize);
    let look = |bytes: Vec<u8>| Sample::of(PixelView::new(&bytes, size, 1024).expect("fits"), SAMPLE);
    let still = look(base.clone());
    for channel in 0..3 {
        for value in [99, 101] {
            let mut other = base.clone();
            other[channel] = value;
            assert_eq!(look(other).changed(&still, &[]), 1.0 / 2304.0, "channel {channel} at {value}");
        }
    }
}

#[test]
fn masked_points_count_as_unchanged() {
    let places: Vec<FramePx> = places(FULL_HD, SAMPLE).collect();
    let still = sample(&frame(FULL_HD, &[], 0));
    let moved = sample(&frame(FULL_HD, &places, 0));
    let mask = FrameRect::new(0, 0, 1920, 540);
    assert_eq!(moved.changed(&still, &[mask]), 0.5);
    let hud = FrameRect::new(9, 9, 702, 200);
    let inside = places.iter().filter(|&&at| hud.contains(at)).count();
    assert!(inside > 100, "{inside}");
    assert_eq!(moved.changed(&still, &[hud, hud]), (2304 - inside) as f64 / 2304.0);
    let everything = FrameRect::new(-5, -5, 4000, 4000);
    assert_eq!(moved.changed(&still, &[everything]), 0.0);
}

#[test]
fn another_resolution_is_wholly_different_and_no_pixels_are_no_change() {
    let (a, b) = (sample(&frame(FULL_HD, &[], 0)), sample(&frame(Size::new(1280, 720), &[], 0)));
    assert_eq!(a.changed(&b, &[]), 1.0);
    let empty = sample(&frame(Size::new(0, 0), &[], 0));
    assert_eq!((empty.points(), empty.changed(&empty, &[])), (0, 0.0));
}

#[test]
fn frames_smaller_than_the_sample_work() {
    let size = Size::new(3, 2);
    let still = sample(&frame(size, &[], 0));
    let moved = sample(&frame(size, &[FramePx::new(0, 0)], 0));
    let ratio = moved.changed(&still, &[]);
    assert!((0.1..0.25).contains(&ratio), "one pixel of six: {ratio}");
}
