use super::*;
use handsight_base::port::dialect::RejectionKind::{OutOfRange, WrongType};
use handsight_base::space::{At, FrameId, FramePx};
use proptest::prelude::*;
use serde_json::json;

fn picture(pane: (u32, u32), size: (u32, u32)) -> PictureGeometry {
    let pane = FrameRect::new(0, 0, pane.0, pane.1);
    PictureGeometry { frame: FrameId(1), pane, size: Size::new(size.0, size.1) }
}

fn xy(at: Fits<Spot>) -> (i32, i32) {
    let at = at.unwrap();
    (at.point.x, at.point.y)
}

const WHOLE999: Points = Points {
    space: PointSpace::Norm1000,
    order: Order::Xy,
    rounding: Rounding::FloorOfCount,
    top: 999.0,
    fractions: false,
    resize: None,
};
const QWEN: Resize = Resize::Smart { factor: 28, min_pixels: 3136, max_pixels: 12_845_056 };

#[test]
fn each_space_means_its_own_pixel() {
    let small = picture((1920, 1080), (960, 540));
    assert_eq!(xy(Points::PIXELS.spot(0.0, 0.0, &small)), (1, 1), "the middle of four pixels");
    assert_eq!(xy(Points::PIXELS.spot(959.0, 539.0, &small)), (1919, 1079));
    assert_eq!(xy(Points::NORM1000.spot(0.0, 1000.0, &small)), (0, 1079));
    assert_eq!(xy(Points::NORM1.spot(1.0, 0.5, &small)), (1919, 540));
    assert_eq!(xy(WHOLE999.spot(290.0, 999.0, &picture((100, 100), (100, 100)))), (28, 99));
    let yx = Points { order: Order::Yx, ..Points::NORM1000 };
    assert_eq!(xy(yx.spot(0.0, 1000.0, &small)), (1919, 0));
    // The model saw 1288x728 of a picture of 1280x720.
    let seen = Points::PIXELS.resized(QWEN);
    assert_eq!(xy(seen.spot(1287.0, 727.0, &picture((1280, 720), (1280, 720)))), (1279, 719));
    assert_eq!(xy(seen.spot(644.0, 364.0, &picture((1280, 720), (1280, 720)))), (640, 360));
}

#[test]
fn nothing_is_moved_inside() {
    let p = picture((1920, 1080), (1280, 720));
    for (points, first, second, kind) in [
        (Points::PIXELS, 1280.0, 0.0, OutOfRange),
        (Points::PIXELS, 0.0, 720.0, OutOfRange),
        (Points::PIXELS, -1.0, 0.0, OutOfRange),
        (Points::PIXELS, 10.5, 0.0, WrongType),
        (Points::PIXELS, f64::NAN, 0.0, WrongType),
        (Points::PIXELS, f64::INFINITY, 0.0, WrongType),
        (Points::PIXELS, 1e300, 0.0, OutOfRange),
        (Points::NORM1000, 1000.1, 0.0, OutOfRange),
        (Points::NORM1000, 0.0, f64::NAN, OutOfRange),
        (WHOLE999, 1000.0, 0.0, OutOfRange),
        (WHOLE999, 0.5, 0.0, WrongType),
        (Points::NORM1, 1.001, 0.0, OutOfRange),
    ] {
        let misfit = points.spot(first, second, &p).unwrap_err();
        assert_eq!(misfit.kind, kind, "{first} {second}: {}", misfit.words);
    }
    let words = Points::PIXELS.spot(1280.0, 3.0, &p).unwrap_err().words;
    assert_eq!(words, "the point (1280, 3) is outside: x goes from 0 to 1279 and y from 0 to 719");
}

#[test]
fn lists_are_numbers_and_nothing_else() {
    for value in [
        json!(null),
        json!("1,2"),
        json!([1]),
        json!([1, 2, 3]),
        json!(["1", 2]),
        json!([null, 2]),
        json!([[1, 2], 3]),
        json!({"x": 1, "y": 2}),
    ] {
        assert_eq!(numbers::<2>(&value).unwrap_err().kind, WrongType, "{value}");
    }
    assert_eq!(numbers(&json!([0, 2.5])), Ok([0.0, 2.5]));
}

#[test]
fn areas_go_to_the_border_and_have_an_inside() {
    let p = picture((1920, 1080), (1280, 720));
    assert_eq!(Points::PIXELS.area([0.0, 0.0, 1280.0, 720.0], &p), Ok(FrameRect::new(0, 0, 1920, 1080)));
    assert_eq!(Points::PIXELS.area([640.0, 0.0, 1280.0, 360.0], &p), Ok(FrameRect::new(960, 0, 960, 540)));
    for corners in
        [[5.0, 5.0, 5.0, 9.0], [9.0, 5.0, 5.0, 9.0], [0.0, 0.0, 1281.0, 9.0], [f64::NAN, 0.0, 1.0, 1.0]]
    {
        assert_eq!(Points::PIXELS.area(corners, &p).unwrap_err().kind, OutOfRange, "{corners:?}");
    }
    assert_eq!(
        xy(Points::PIXELS.middle([10.0, 10.0, 13.0, 20.0], &picture((100, 100), (100, 100)))),
        (11, 15)
    );
    assert!(Points::PIXELS.middle([-10.0, 10.0, 30.0, 20.0], &p).is_err());
}

proptest! {
    #[test]
    fn what_is_written_is_read_within_the_quantum(x in 0i32..1920, y in 0i32..1080) {
        for size in [(1920, 1080), (1280, 720), (1288, 728), (640, 360), (3840, 2160)] {
            let p = picture((1920, 1080), size);
            for points in [Points::PIXELS, Points::PIXELS.resized(QWEN), Points::NORM1000, Points::NORM1, WHOLE999] {
                let at = At { point: FramePx::new(x, y), frame: FrameId(1) };
                let (a, b) = points.numbers(at, &p).unwrap();
                let back = points.spot(a, b, &p).unwrap().point;
                let (qx, qy) = points.quantum(&p);
                let off = (f64::from(back.x - x).abs(), f64::from(back.y - y).abs());
                prop_assert!(off.0 <= qx.max(0.5) + 0.5 && off.1 <= qy.max(0.5) + 0.5, "{:?} {:?} {:?}", points, off, size);
            }
        }
    }
}
