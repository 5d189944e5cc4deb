//! Round trips and refusals of every conversion.

use super::*;
use crate::random::Random;

const SIZES: [(u32, u32); 10] = [
    (800, 600),
    (1366, 768),
    (1920, 1080),
    (3840, 2160),
    (1280, 720),
    (1080, 1920),
    (2560, 1440),
    (641, 481),
    (7, 5),
    (1, 1),
];
const SCALES: [f64; 5] = [1.0, 1.25, 1.5, 2.0, 3.0];
/// Room for what f64 arithmetic leaves behind; a unit is a pixel.
const EPSILON: f64 = 1e-6;

fn geometry(size: Size, origin: ScreenPx, scale: f64) -> FrameGeometry {
    FrameGeometry { frame: FrameId(7), size, origin, scale }
}

fn picture(pane: FrameRect, width: u32, height: u32) -> PictureGeometry {
    PictureGeometry { frame: FrameId(7), pane, size: Size::new(width, height) }
}

fn at(x: i32, y: i32) -> At<FramePx> {
    At { point: FramePx::new(x, y), frame: FrameId(7) }
}

/// One random arrangement: a display with a scale and an origin, a pane of its frame, the picture made of it.
struct Case {
    geometry: FrameGeometry,
    window: WindowGeometry,
    picture: PictureGeometry,
    /// A pixel inside the pane.
    pixel: At<FramePx>,
}

impl Case {
    fn random(r: &mut Random) -> Self {
        let (width, height) =
            if r.chance(50) { r.pick(&SIZES) } else { (r.range(1, 4_000) as u32, r.range(1, 4_000) as u32) };
        let size = Size::new(width, height);
        let origin = ScreenPx::new(r.range(-8_000, 8_000) as i32, r.range(-8_000, 8_000) as i32);
        let pane = if r.chance(30) {
            FrameRect::new(0, 0, width, height)
        } else {
            let (x, y) = (r.below(u64::from(width)) as u32, r.below(u64::from(height)) as u32);
            let (w, h) = (r.range(1, i64::from(width - x)), r.range(1, i64::from(height - y)));
            FrameRect::new(x as i32, y as i32, w as u32, h as u32)
        };
        let shown = match r.below(4) {
            0 => pane.size,
            1 => Size::new(1536, 864),
            // Downscaled, and at times enlarged.
            2 => Size::new((pane.size.width / 2).max(1), (pane.size.height / 3).max(1)),
            _ => Size::new(r.range(1, 2_600) as u32, r.range(1, 2_600) as u32),
        };
        let pixel = at(
            pane.origin.x + r.below(u64::from(pane.size.width)) as i32,
            pane.origin.y + r.below(u64::from(pane.size.height)) as i32,
        );
        let client = ScreenRect::new(
            r.range(-4_000, 4_000) as i32,
            r.range(-4_000, 4_000) as i32,
            r.range(1, 4_000) as u32,
            r.range(1, 4_000) as u32,
        );
        Self {
            geometry: geometry(size, origin, r.pick(&SCALES)),
            window: WindowGeometry { client },
            picture: PictureGeometry { frame: FrameId(7), pane, size: shown },
            pixel,
        }
    }

    fn frame_and_screen(&self) {
        let g = &self.geometry;
        let screen = g.screen_from_frame(self.pixel).unwrap();
        let back = g.frame_from_screen(screen).unwrap();
        for (pixel, unit, back, origin, n) in [
            (self.pixel.point.x, screen.x, back.point.x, g.origin.x, g.size.width),
            (self.pixel.point.y, screen.y, back.point.y, g.origin.y, g.size.height),
        ] {
            // The middles of the pixel and of its unit, both in screen units: half a unit apart at most.
            let (middle, unit_middle) = ((f64::from(pixel) + 0.5) / g.scale, f64::from(unit - origin) + 0.5);
            assert!((middle - unit_middle).abs() <= 0.5 + EPSILON, "{pixel} -> {unit} of {g:?}");
            // R8: one screen unit at most, there and back.
            assert!(f64::from((back - pixel).abs()) / g.scale <= 1.0, "{pixel} -> {unit} -> {back} of {g:?}");
            assert!((0..n as i32).contains(&back), "{back} of {n}");
            if g.scale == 1.0 {
                assert_eq!((unit - origin, back), (pixel, pixel));
            }
        }
        // The screen is the coarser space here (a scale is 1 or more): from it and back nothing may be lost.
        assert_eq!(g.screen_from_frame(back).unwrap(), screen, "{g:?}");
        assert!(g.screen_rect(g.whole()).contains(screen), "{screen} of {g:?}");
        assert!(g.screen_rect(Rect { origin: self.pixel.point, size: Size::new(1, 1) }).contains(screen));
    }

    fn screen_and_window(&self, r: &mut Random) {
        let size = self.window.client.size;
        let p = WindowPx::new(r.below(u64::from(size.width)) as i32, r.below(u64::from(size.height)) as i32);
        let screen = self.window.screen_from_window(p).unwrap();
        assert!(self.window.client.contains(screen));
        assert_eq!(self.window.window_from_screen(screen), p);
    }

    fn frame_and_picture(&self) {
        let g = &self.picture;
        let shown = g.picture_from_frame(self.pixel).unwrap();
        let back = g.frame_from_picture(shown).unwrap();
        assert!(g.pane.contains(back.point));
        for (pixel, shown, back, from, to) in [
            (
                self.pixel.point.x - g.pane.origin.x,
                shown.x,
                back.point.x - g.pane.origin.x,
                g.pane.size.width,
                g.size.width,
            ),
            (
                self.pixel.point.y - g.pane.origin.y,
                shown.y,
                back.point.y - g.pane.origin.y,
                g.pane.size.height,
                g.size.height,
            ),
        ] {
            // The two middles in pixels of the coarser of the two: half a pixel apart at most.
            let (n, coarser) = (f64::from(from), f64::from(from.min(to)));
            let (middle, shown_middle) = ((f64::from(pixel) + 0.5) / n, (shown + 0.5) / f64::from(to));
            assert!((middle - shown_middle).abs() * coarser <= 0.5 + EPSILON, "{pixel} -> {shown} of {g:?}");
            if to >= from {
                assert_eq!(back, pixel, "enlarged, so nothing may be lost: {g:?}");
            }
        }
        // And from the picture, the coarser one when downscaled, through the frame and back.
        if g.size.width <= g.pane.size.width && g.size.height <= g.pane.size.height {
            assert_eq!(g.picture_from_frame(back).unwrap(), shown, "{g:?}");
        }
    }

    fn norms(&self, r: &mut Random) {
        let g = &self.picture;
        for rounding in [Rounding::RoundToLast, Rounding::FloorOfCount] {
            // The pixel is the coarser space: through either norm it comes back as itself.
            let norm1 = g.norm1_from_frame(self.pixel, rounding).unwrap();
            let norm1000 = g.norm1000_from_frame(self.pixel, rounding).unwrap();
            assert_eq!(
                g.frame_from_norm1(norm1, rounding).unwrap(),
                self.pixel,
                "{norm1:?} {rounding:?} {g:?}"
            );
            assert_eq!(
                g.frame_from_norm1000(norm1000, rounding).unwrap(),
                self.pixel,
                "{norm1000:?} {rounding:?} {g:?}"
            );
            // A model's own number comes back within half a pixel.
            let whole = r.chance(50);
            let mut number = || if whole { r.range(0, 1000) as f64 } else { r.unit() * 1000.0 };
            let given = Norm1000::new(number(), number());
            let back =
                g.norm1000_from_frame(g.frame_from_norm1000(given, rounding).unwrap(), rounding).unwrap();
            for (given, back, n) in
                [(given.x, back.x, g.pane.size.width), (given.y, back.y, g.pane.size.height)]
            {
                let pixels = match rounding {
                    Rounding::RoundToLast => f64::from(n - 1),
                    Rounding::FloorOfCount => f64::from(n),
                };
                let off = (given - back).abs() / 1000.0 * pixels;
                assert!(off <= 0.5 + EPSILON, "{given} -> {back} is {off} of {n} pixels, {rounding:?}");
            }
        }
    }

    /// From a number of the model to the screen unit the hands go to, in one go.
    fn all_the_way(&self, r: &mut Random) {
        let given = Norm1000::new(r.range(0, 1000) as f64, r.range(0, 1000) as f64);
        let pixel = self.picture.frame_from_norm1000(given, Rounding::RoundToLast).unwrap();
        let screen = self.geometry.screen_from_frame(pixel).unwrap();
        let pane = self.geometry.screen_rect(self.picture.pane);
        assert!(pane.contains(screen), "{given:?} left the pane {pane} for {screen}");
    }
}

// spec: S-04 UNIT
#[test]
fn every_round_trip_stays_within_half_a_unit() {
    let mut random = Random::new(3);
    for _ in 0..120_000 {
        let case = Case::random(&mut random);
        case.frame_and_screen();
        case.screen_and_window(&mut random);
        case.frame_and_picture();
        case.norms(&mut random);
        case.all_the_way(&mut random);
    }
}

// spec: S-33 S-04 UNIT
#[test]
fn norm1000_reaches_the_corners_and_the_middle() {
    for (width, height, middle) in [
        (800, 600, (400, 300)),
        (1366, 768, (683, 384)),
        (1920, 1080, (960, 540)),
        (3840, 2160, (1920, 1080)),
    ] {
        // Sent as 1536x864: the picture's size does not enter.
        let g = picture(FrameRect::new(0, 0, width, height), 1536, 864);
        let pixel = |v| g.frame_from_norm1000(Norm1000::new(v, v), Rounding::RoundToLast).unwrap().point;
        assert_eq!(pixel(0.0), FramePx::new(0, 0));
        assert_eq!(pixel(500.0), FramePx::new(middle.0, middle.1));
        assert_eq!(pixel(1000.0), FramePx::new(width as i32 - 1, height as i32 - 1));
    }
}

#[test]
fn the_two_roundings_differ_as_their_vendors_do() {
    let g = picture(FrameRect::new(0, 0, 100, 1000), 100, 1000);
    let pixel = |v, rounding| g.frame_from_norm1000(Norm1000::new(v, v), rounding).unwrap().point;
    for (v, to_last, of_count) in [
        (0.0, (0, 0), (0, 0)),
        (999.0, (99, 998), (99, 999)),
        (1000.0, (99, 999), (99, 999)),
        (500.0, (50, 500), (50, 500)),
        (495.0, (49, 495), (49, 495)),
        // int(290 / 1000 * 100) is 28 in the vendor's Python.
        (290.0, (29, 290), (28, 290)),
        (-0.0, (0, 0), (0, 0)),
    ] {
        assert_eq!(pixel(v, Rounding::RoundToLast), FramePx::new(to_last.0, to_last.1), "{v}");
        assert_eq!(pixel(v, Rounding::FloorOfCount), FramePx::new(of_count.0, of_count.1), "{v}");
    }
    // A pane of one pixel is always that pixel.
    let g = picture(FrameRect::new(40, 50, 1, 1), 1536, 864);
    for rounding in [Rounding::RoundToLast, Rounding::FloorOfCount] {
        for v in [0.0, 0.3, 1.0] {
            assert_eq!(g.frame_from_norm1(Norm1 { x: v, y: v }, rounding).unwrap(), at(40, 50));
        }
        assert!(g.norm1_from_frame(at(40, 50), rounding).is_ok());
    }
}

#[test]
fn fractional_scales_lose_no_edge() {
    for (scale, width, units) in
        [(1.25, 5, 4), (1.5, 5, 4), (1.5, 6, 4), (2.0, 5, 3), (3.0, 7, 3), (0.5, 5, 10)]
    {
        let g = geometry(Size::new(width, width), ScreenPx::new(-4, 9), scale);
        let reached: Vec<i32> = (0..width as i32)
            .map(|v| g.screen_from_frame(at(v, v)).unwrap())
            .inspect(|p| assert_eq!(p.x + 4, p.y - 9))
            .map(|p| p.x + 4)
            .collect();
        assert_eq!(reached.first().copied(), Some(if scale < 1.0 { 1 } else { 0 }), "{scale}");
        assert!(reached.is_sorted() && *reached.last().unwrap() < units, "{scale}: {reached:?}");
        for unit in 0..units {
            let pixel = g.frame_from_screen(ScreenPx::new(unit - 4, unit + 9)).unwrap().point;
            assert!((0..width as i32).contains(&pixel.x) && pixel.x == pixel.y, "{scale}: {unit} -> {pixel}");
        }
        for unit in [-1, units] {
            let error = g.frame_from_screen(ScreenPx::new(unit - 4, 9)).unwrap_err().to_string();
            assert!(error.contains("the captured area") && error.contains("at (-4, 9)"), "{error}");
        }
        let area = g.screen_rect(g.whole());
        assert_eq!((area.origin, area.size.width), (ScreenPx::new(-4, 9), units as u32), "{scale}");
    }
}

/// The words a model gets when `result` is refused.
fn told<T: fmt::Debug>(result: Result<T, SpaceError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn what_is_no_place_is_refused_by_name() {
    let frame = geometry(Size::new(100, 80), ScreenPx::new(-50, 20), 1.0);
    let g = picture(FrameRect::new(10, 10, 50, 40), 25, 20);
    for rounding in [Rounding::RoundToLast, Rounding::FloorOfCount] {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for (x, y) in [(bad, 1.0), (1.0, bad)] {
                let why = told(g.frame_from_norm1000(Norm1000::new(x, y), rounding));
                assert!(why.contains("not a finite number") && why.contains("0 to 1000"), "{why}");
                let why = told(g.frame_from_norm1(Norm1 { x, y }, rounding));
                assert!(why.contains("not a finite number") && why.ends_with("0 to 1"), "{why}");
                let why = told(g.frame_from_picture(PicturePx { x, y }));
                assert!(
                    why.contains("not a finite number") && why.contains("pixels of the picture"),
                    "{why}"
                );
            }
        }
        for bad in [-0.001, 1000.001, 1e308, -1.0] {
            for (x, y) in [(bad, 1.0), (1.0, bad)] {
                let why = told(g.frame_from_norm1000(Norm1000::new(x, y), rounding));
                assert!(why.contains("outside the range 0 to 1000; look"), "{why}");
                assert!(why.contains(&bad.to_string()), "{why}");
            }
        }
        for bad in [-0.001, 1.001, 1000.0] {
            let why = told(g.frame_from_norm1(Norm1 { x: 0.5, y: bad }, rounding));
            assert!(why.contains("outside the range 0 to 1; look"), "{why}");
        }
    }
    for (x, y) in [(25.0, 0.0), (0.0, 20.0), (-0.5, 0.0), (0.0, -1.0)] {
        let why = told(g.frame_from_picture(PicturePx { x, y }));
        assert!(why.contains("outside the picture 25x20"), "{why}");
    }
    assert!(g.frame_from_picture(PicturePx { x: 24.999, y: 19.999 }).is_ok());
    for (x, y) in [(100, 0), (0, 80), (-1, 0), (0, -1), (i32::MAX, i32::MIN)] {
        let why = told(frame.screen_from_frame(at(x, y)));
        assert!(why.contains("outside the picture 100x80"), "{why}");
    }
    for (x, y) in [(9, 10), (60, 10), (10, 50)] {
        for why in
            [told(g.picture_from_frame(at(x, y))), told(g.norm1_from_frame(at(x, y), Rounding::RoundToLast))]
        {
            assert!(why.contains("outside the pane 50x40 at (10, 10)"), "{why}");
        }
    }
    let window = WindowGeometry { client: ScreenRect::new(-30, -20, 10, 10) };
    for (x, y) in [(10, 0), (0, 10), (-1, 0), (0, -1)] {
        let why = told(window.screen_from_window(WindowPx::new(x, y)));
        assert!(why.contains("outside the window 10x10"), "{why}");
    }
    assert_eq!(window.window_from_screen(ScreenPx::new(-31, 5)), WindowPx::new(-1, 25));
}

#[test]
fn a_point_of_another_picture_is_refused() {
    let frame = geometry(Size::new(100, 80), ScreenPx::new(0, 0), 1.0);
    let g = picture(frame.whole(), 50, 40);
    let stale = At { point: FramePx::new(1, 1), frame: FrameId(6) };
    for why in [
        told(frame.screen_from_frame(stale)),
        told(g.picture_from_frame(stale)),
        told(g.norm1000_from_frame(stale, Rounding::FloorOfCount)),
    ] {
        assert!(why.contains("picture #6") && why.contains("now picture #7"), "{why}");
    }
    // Whatever comes out of a picture is pinned to it.
    let fresh = g.frame_from_norm1000(Norm1000::new(0.0, 0.0), Rounding::RoundToLast).unwrap();
    assert_eq!(fresh.frame, FrameId(7));
    let next = FrameGeometry { frame: FrameId(8), ..frame };
    assert_eq!(
        next.screen_from_frame(fresh),
        Err(SpaceError::StaleFrame { given: FrameId(7), current: FrameId(8) })
    );
}

#[test]
fn nothing_points_at_a_probe() {
    let probe =
        FrameGeometry { frame: FrameId::PROBE, ..geometry(Size::new(9, 9), ScreenPx::new(0, 0), 1.0) };
    let at = At { point: FramePx::new(1, 1), frame: FrameId::PROBE };
    assert_eq!(probe.screen_from_frame(at), Err(SpaceError::Probe));
}

#[test]
fn what_is_empty_or_has_no_scale_maps_nothing() {
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let g = geometry(Size::new(10, 10), ScreenPx::new(0, 0), scale);
        for why in [told(g.screen_from_frame(at(1, 1))), told(g.frame_from_screen(ScreenPx::new(1, 1)))] {
            assert!(why.contains("a scale of"), "{why}");
        }
    }
    let empty = geometry(Size::default(), ScreenPx::new(0, 0), 1.0);
    assert!(
        empty.screen_from_frame(at(0, 0)).is_err() && empty.frame_from_screen(ScreenPx::new(0, 0)).is_err()
    );
    let zero = Norm1000::new(0.0, 0.0);
    let why =
        told(picture(FrameRect::new(3, 3, 0, 5), 4, 4).frame_from_norm1000(zero, Rounding::RoundToLast));
    assert!(why.contains("the pane is empty (0x5)"), "{why}");
    let why =
        told(picture(FrameRect::new(3, 3, 5, 5), 4, 0).frame_from_picture(PicturePx { x: 0.0, y: 0.0 }));
    assert!(why.contains("the picture is empty (4x0)"), "{why}");
}

// spec: S-82 UNIT
#[test]
fn clamping_moves_what_is_outside_and_says_so() {
    let g = picture(FrameRect::new(0, 0, 1920, 1080), 1536, 864);
    for (given, inside, moved) in [
        ((1500.0, 300.0), (1000.0, 300.0), true),
        ((-20.0, 1e300), (0.0, 1000.0), true),
        ((0.0, 1000.0), (0.0, 1000.0), false),
        ((12.5, 999.9), (12.5, 999.9), false),
    ] {
        let clamped = Norm1000::new(given.0, given.1).clamped().unwrap();
        assert_eq!(clamped, (Norm1000::new(inside.0, inside.1), moved));
        assert!(g.frame_from_norm1000(clamped.0, Rounding::RoundToLast).is_ok());
    }
    let (right, _) = Norm1000::new(1500.0, 0.0).clamped().unwrap();
    assert_eq!(g.frame_from_norm1000(right, Rounding::RoundToLast).unwrap().point, FramePx::new(1919, 0));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(Norm1000::new(0.0, bad).clamped(), Err(SpaceError::NotFinite { .. })));
    }
}

#[test]
fn rectangles_keep_their_head_at_the_ends_of_the_numbers() {
    let far = ScreenRect::new(i32::MAX - 1, i32::MIN, u32::MAX, u32::MAX);
    assert_eq!(far.right(), i64::from(i32::MAX) - 1 + i64::from(u32::MAX));
    assert_eq!(far.center(), ScreenPx::new(i32::MAX, -1));
    assert!(far.contains(ScreenPx::new(i32::MAX, 0)) && !far.contains(ScreenPx::new(i32::MAX - 2, 0)));
    let near = ScreenRect::new(i32::MIN, i32::MIN, 10, 10);
    assert_eq!(near.intersect(&far), None);
    assert_eq!(near.union(&far), ScreenRect::new(i32::MIN, i32::MIN, u32::MAX, u32::MAX));
    assert_eq!(ScreenPx::new(i32::MAX, i32::MIN).offset(1, -1), ScreenPx::new(i32::MAX, i32::MIN));

    let a = ScreenRect::new(-10, 0, 20, 10);
    let b = ScreenRect::new(5, -5, 20, 10);
    assert_eq!(a.intersect(&b), Some(ScreenRect::new(5, 0, 5, 5)));
    assert_eq!(a.union(&b), ScreenRect::new(-10, -5, 35, 15));
    assert_eq!(a.intersect(&ScreenRect::new(10, 0, 5, 5)), None, "sides that touch share no pixel");
    assert_eq!(a.union(&ScreenRect::new(900, 900, 0, 4)), a);
    assert_eq!(ScreenRect::new(3, 3, 0, 4).union(&a), a);
    assert_eq!((a.center(), FrameRect::new(0, 0, 1, 1).center()), (ScreenPx::new(0, 5), FramePx::new(0, 0)));
    assert_eq!(a.to_string(), "20x10 at (-10, 0)");
}

#[test]
fn a_box_of_the_screen_is_where_its_pixels_are_shown() {
    for (scale, origin) in
        [(1.0, ScreenPx::new(0, 0)), (2.0, ScreenPx::new(-100, 50)), (1.5, ScreenPx::new(7, 9))]
    {
        let frame = FrameId(4);
        let geometry = FrameGeometry { frame, size: Size::new(600, 300), origin, scale };
        let of = |x, y, w, h| geometry.frame_rect(ScreenRect::new(origin.x + x, origin.y + y, w, h));
        let seen = of(10, 20, 30, 8).unwrap();
        assert_eq!(seen.origin, FramePx::new((10.0 * scale) as i32, (20.0 * scale) as i32));
        assert_eq!(seen.size, Size::new((30.0 * scale) as u32, (8.0 * scale) as u32));
        // Each of its corners goes back into it.
        for at in
            [seen.origin, FramePx::new(seen.right() as i32 - 1, seen.bottom() as i32 - 1), seen.center()]
        {
            let back = geometry.screen_from_frame(At { point: at, frame }).unwrap();
            assert!(ScreenRect::new(origin.x + 10, origin.y + 20, 30, 8).contains(back), "{scale}: {back}");
        }
        let over = of(-50, -50, 5000, 60).unwrap();
        assert_eq!((over.origin, over.size.width), (FramePx::new(0, 0), 600));
        assert_eq!((of(-50, 0, 50, 10), of(5000, 0, 5, 5)), (None, None));

        let picture = PictureGeometry { frame, pane: geometry.whole(), size: Size::new(300, 150) };
        let drawn = picture.picture_rect(FrameRect::new(100, 40, 60, 20)).unwrap();
        assert_eq!((drawn.origin, drawn.size), (PicturePx { x: 50.0, y: 20.0 }, Size::new(30, 10)));
        let pane =
            PictureGeometry { pane: FrameRect::new(200, 100, 100, 50), size: Size::new(200, 100), ..picture };
        assert_eq!(pane.picture_rect(FrameRect::new(0, 0, 150, 90)), None);
        let cut = pane.picture_rect(FrameRect::new(150, 90, 60, 20)).unwrap();
        assert_eq!((cut.origin, cut.size), (PicturePx { x: 1.0, y: 1.0 }, Size::new(19, 19)));
    }
}
