//! Each part by itself on a picture of which every pixel is known.

use super::*;
use crate::random::Random;
use crate::text::{Row, TextStyle, draw_outlined};
use handsight_base::space::{FramePx, FrameRect};
use std::collections::HashSet;

const FULL_HD: Size = Size::new(1920, 1080);
const WHITE: [u8; 3] = [255; 3];

fn solid(size: Size, rgb: [u8; 3]) -> Rgb24 {
    Rgb24::from_packed(size, &rgb.repeat(size.area() as usize)).unwrap()
}

/// No two neighbours alike.
fn noise(size: Size, seed: u64) -> Rgb24 {
    Rgb24::from_packed(size, &Random::new(seed).bytes(size.area() as usize * 3)).unwrap()
}

const fn at(column: u32, row: u32) -> PicturePx {
    PicturePx { x: column as f64, y: row as f64 }
}

fn drawn(under: &Rgb24, what: &Annotations<'_>) -> Rgb24 {
    let mut picture = under.clone();
    Annotator::new().draw(&mut picture, what);
    assert_eq!(picture.size(), under.size(), "nothing is resized");
    picture
}

/// The pixels that are not as they were.
fn changed(under: &Rgb24, picture: &Rgb24) -> HashSet<Place> {
    let Size { width, height } = under.size();
    let places = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
    places.filter(|&(column, row)| under.rgb(column, row) != picture.rgb(column, row)).collect()
}

/// Left, top, right, bottom, the last two outside.
fn around(places: &HashSet<Place>) -> [u32; 4] {
    places.iter().fold([u32::MAX, u32::MAX, 0, 0], |[l, t, r, b], &(column, row)| {
        [l.min(column), t.min(row), r.max(column + 1), b.max(row + 1)]
    })
}

/// Where a drawing stands in a picture, pixel by pixel.
fn places_of(drawing: &Rgb24, picture: &Rgb24) -> Vec<Place> {
    let (small, large) = (drawing.size(), picture.size());
    let stands = |&(left, top): &Place| {
        (0..small.height).all(|row| {
            let from = left as usize * 3;
            picture.row(top + row)[from..from + small.width as usize * 3] == *drawing.row(row)
        })
    };
    let (columns, rows) = (large.width + 1 - small.width, large.height + 1 - small.height);
    (0..rows).flat_map(|top| (0..columns).map(move |left| (left, top))).filter(stands).collect()
}

const GRID: Annotations<'_> = Annotations {
    grid: Grid { fine_px: 50, coarse_px: 200 },
    pointer: None,
    crosshair: false,
    magnifier: Magnifier { side_px: 0, times: 0 },
    banner: false,
    marks: &[],
};
const LOUPE: Magnifier = Magnifier { side_px: 96, times: 4 };

fn loupe(pointer: PicturePx) -> Annotations<'static> {
    Annotations { pointer: Some(pointer), magnifier: LOUPE, ..Annotations::default() }
}

#[test]
fn nothing_is_drawn_by_default_nor_without_a_pointer_in_the_picture() {
    let under = noise(Size::new(300, 200), 1);
    assert!(drawn(&under, &Annotations::default()) == under);
    let all = |pointer| Annotations { pointer, crosshair: true, magnifier: LOUPE, ..Annotations::default() };
    let outside = [(-1.0, 5.0), (300.0, 5.0), (5.0, 200.0), (f64::NAN, 5.0), (5.0, f64::INFINITY)];
    for (x, y) in outside {
        assert!(drawn(&under, &all(Some(PicturePx { x, y }))) == under, "{x}, {y}");
    }
    assert!(drawn(&under, &all(None)) == under);
    assert!(drawn(&under, &all(Some(at(5, 5)))) != under, "the control");
}

// spec: D-07 UNIT
#[test]
fn a_fine_line_lies_at_each_multiple_of_50() {
    for ground in [WHITE, [0; 3], [128; 3]] {
        let picture = drawn(&solid(FULL_HD, ground), &GRID);
        for n in (50..1920).step_by(50) {
            assert_ne!(picture.rgb(n, 525), Some(ground), "x={n}");
            assert_eq!([picture.rgb(n - 1, 525), picture.rgb(n + 1, 525)], [Some(ground); 2], "beside x={n}");
        }
        for n in (50..1080).step_by(50) {
            assert_ne!(picture.rgb(525, n), Some(ground), "y={n}");
            assert_eq!([picture.rgb(525, n - 1), picture.rgb(525, n + 1)], [Some(ground); 2], "beside y={n}");
        }
        let lines: Vec<u32> = (0..1920).filter(|&x| picture.rgb(x, 525) != Some(ground)).collect();
        assert_eq!((lines.len(), &lines[..3]), (38, &[50, 100, 150][..]), "and nowhere else");
    }
}

// spec: D-08 UNIT
#[test]
fn each_fourth_line_stands_out_and_carries_its_coordinate() {
    let far = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>();
    for ground in [WHITE, [0; 3], [128; 3]] {
        let picture = drawn(&solid(FULL_HD, ground), &GRID);
        let [fine, coarse] = [50, 200].map(|x| picture.rgb(x, 525).unwrap());
        assert!(far(fine, coarse) > 60, "{fine:?} and {coarse:?} on {ground:?}");
        assert!(far(coarse, ground) > far(fine, ground), "{ground:?}");
        for x in (200..1920).step_by(200) {
            assert_eq!(picture.rgb(x, 525), Some(coarse), "x={x}");
        }
        assert_eq!(picture.rgb(525, 800), Some(coarse), "rows alike");
        assert_eq!(picture.rgb(250, 800), Some(coarse), "a crossing is as strong as its stronger line");
        assert_eq!(picture.rgb(250, 850), Some(fine), "and no darker than one of two alike");
    }
    // Numbers beside the edges where the lines begin: what is no line and not the ground.
    let bare = Annotations { grid: Grid { fine_px: 50, coarse_px: 0 }, ..GRID };
    let under = solid(FULL_HD, WHITE);
    let more = changed(&drawn(&under, &bare), &drawn(&under, &GRID));
    let off_lines = more.iter().filter(|(x, y)| x % 200 != 0 && y % 200 != 0);
    let labels: HashSet<(u32, u32)> =
        off_lines.map(|&(x, y)| ((x + 100) / 200 * 200, (y + 100) / 200 * 200)).collect();
    let wanted = (1..10).map(|n| (n * 200, 0)).chain((1..6).map(|n| (0, n * 200)));
    assert_eq!(labels, wanted.collect(), "one by each line, at its end");
}

#[test]
fn a_number_reads_as_its_lines_coordinate() {
    // The same line of two grids differs in nothing but its number.
    let numbered = |coarse_px, x: u32| {
        let grid = Grid { fine_px: 0, coarse_px };
        let picture = drawn(&solid(Size::new(700, 60), WHITE), &Annotations { grid, ..GRID });
        let row = |row: u32| (x - 20..x + 20).map(move |x| (x, row));
        (0..16).flat_map(row).map(|(x, row)| picture.rgb(x, row)).collect::<Vec<_>>()
    };
    assert!(numbered(300, 600) == numbered(200, 600) && numbered(300, 600) == numbered(600, 600));
    assert!(numbered(301, 602) != numbered(300, 600) && numbered(300, 300) != numbered(300, 600));
}

#[test]
fn what_lies_below_a_line_shows_through() {
    for (x, channels) in [(50, [50, 160, 255]), (200, [255, 0, 170])] {
        let [black, white] =
            [[0; 3], WHITE].map(|ground| drawn(&solid(FULL_HD, ground), &GRID).rgb(x, 525).unwrap());
        for (channel, color) in channels.into_iter().enumerate() {
            let range = white[channel].abs_diff(black[channel]);
            assert!(range >= 127, "half of {x}'s contrast is left: {range} of 255 for {color}");
        }
    }
}

// spec: D-09 UNIT
// spec: D-03 UNIT
#[test]
fn a_crosshair_points_at_the_pointer_and_leaves_it_free() {
    let under = noise(Size::new(200, 150), 9);
    for (column, row) in [(100, 75), (31, 40), (0, 0), (199, 149), (3, 100)] {
        let what = Annotations { pointer: Some(at(column, row)), crosshair: true, ..Annotations::default() };
        let picture = drawn(&under, &what);
        let red = |column: i64, row: i64| picture.rgb(u32::try_from(column).ok()?, u32::try_from(row).ok()?);
        let (x, y) = (i64::from(column), i64::from(row));
        for step in 5..25 {
            for arm in [red(x + step, y), red(x - step, y), red(x, y + step), red(x, y - step)] {
                assert!(arm.is_none_or(|rgb| rgb == [255, 0, 0]), "{arm:?} {step} from ({x}, {y})");
            }
        }
        let covered = changed(&under, &picture);
        assert!(!covered.is_empty());
        for (x, y) in covered {
            let (across, down) = (x.abs_diff(column), y.abs_diff(row));
            let (along, beside) = (across.max(down), across.min(down));
            assert!((5..25).contains(&along) && beside <= 2, "({x}, {y}) is on no arm");
        }
    }
}

/// The enlarged view of a picture, by the one place where it can be: without frame and caption.
fn view(picture: &Rgb24, [left, top, right, bottom]: [u32; 4]) -> Vec<[u8; 3]> {
    let places = (top..bottom).flat_map(|row| (left..right).map(move |column| (column, row)));
    places.map(|(column, row)| picture.rgb(column, row).unwrap()).collect()
}

// spec: D-10 UNIT
#[test]
fn the_inset_is_the_pixels_around_the_pointer_four_times_as_large() {
    let under = noise(FULL_HD, 10);
    // The pointer, the first column and row that are shown, and the corner: right, bottom.
    for (pointer, (left, top), (right, bottom)) in [
        ((500, 400), (452, 352), (true, true)),
        ((1500, 400), (1452, 352), (false, true)),
        ((500, 900), (452, 852), (true, false)),
        ((1500, 900), (1452, 852), (false, false)),
        // Moved inside at the edges of the picture.
        ((0, 0), (0, 0), (true, true)),
        ((1919, 1079), (1824, 984), (false, false)),
        ((20, 600), (0, 552), (true, false)),
    ] {
        // With a grid and a crosshair, none of which may be in it.
        let what = Annotations { grid: GRID.grid, crosshair: true, ..loupe(at(pointer.0, pointer.1)) };
        let picture = drawn(&under, &what);
        let area = around(&changed(&under, &drawn(&under, &loupe(at(pointer.0, pointer.1)))));
        assert_eq!(if right { area[2] } else { area[0] }, if right { 1920 } else { 0 }, "{pointer:?}");
        assert_eq!(if bottom { area[3] } else { area[1] }, if bottom { 1080 } else { 0 }, "{pointer:?}");
        assert_eq!(area[2] - area[0], 4 * 96 + 2 * 3, "a frame of 3 on each side");
        let [first, last] = [area[0] + 3, area[3] - 3];
        let shown = view(&picture, [first, last - 4 * 96, first + 4 * 96, last]);
        let expected: Vec<[u8; 3]> =
            (0..384 * 384).map(|n| under.rgb(left + n % 384 / 4, top + n / 384 / 4).unwrap()).collect();
        assert!(shown == expected, "{pointer:?}");
    }
}

// spec: D-10 UNIT
#[test]
fn the_inset_is_framed_and_says_what_it_shows() {
    let under = solid(FULL_HD, [90; 3]);
    let picture = drawn(&under, &loupe(at(960, 540)));
    let [left, top, right, bottom] = around(&changed(&under, &picture));
    for (column, row) in [(left, top), (right - 1, bottom - 1), (left, bottom - 1), (left + 200, top)] {
        assert_eq!(picture.rgb(column, row), Some([0; 3]), "a dark line");
    }
    for (column, row) in [(left + 1, top + 100), (left + 2, bottom - 3), (right - 2, top + 50)] {
        assert_eq!(picture.rgb(column, row), Some([255, 200, 0]), "and a light one");
    }
    let caption = bottom - top - 2 * 3 - 4 * 96;
    assert!((10..20).contains(&caption), "{caption} px high");
    let words = |pointer| {
        let picture = drawn(&under, &loupe(pointer));
        view(&picture, [left + 3, top + 3, left + 3 + 384, top + 3 + caption])
    };
    // 912 to 1007 and 492 to 587, beside the same words in a picture of their own.
    let alone = label_alone("4x: x 912-1007, y 492-587", 12.0, [[0; 3], [255, 200, 0]], (4, 2));
    assert_eq!(places_of(&alone, &picture), [(left + 3, top + 3)]);
    assert!(words(at(961, 540)) != words(at(960, 540)), "other pixels, other words");
    assert!(words(at(0, 300)) == words(at(48, 300)), "the same pixels, the same words");
}

/// A text as it looks by itself, by the drawing of text alone.
fn label_alone(text: &str, em: f32, [ink, ground]: [[u8; 3]; 2], margin: (u32, u32)) -> Rgb24 {
    let color = |[red, green, blue]: [u8; 3]| Color::opaque(red, green, blue);
    let mut fonts = FontStack::builtin(700);
    let width = fonts.width(text, em) + 2 * margin.0;
    let mut canvas = Canvas::new(FrameRect::new(0, 0, width, 60));
    let style = TextStyle { em, color: color(ink), outline: color(ground), outline_px: 1 };
    let pen = FramePx::new(margin.0 as i32, 30);
    draw_outlined(&mut canvas, &[Row { text, pen }], &style, &mut fonts);
    let mut picture = solid(Size::new(width, 60), ground);
    brush::lay(&mut picture, &canvas, (0, 0));
    // Cut to the letters and the margin above and below them.
    let inked: Vec<u32> =
        (0..60).filter(|&row| picture.row(row).chunks(3).any(|rgb| rgb != ground)).collect();
    let (top, bottom) = (inked[0] - margin.1, inked[inked.len() - 1] + 1 + margin.1);
    let rows: Vec<u8> = (top..bottom).flat_map(|row| picture.row(row).to_vec()).collect();
    Rgb24::from_packed(Size::new(width, bottom - top), &rows).unwrap()
}

#[test]
fn the_inset_never_covers_the_pointer_and_stays_inside() {
    let mut random = Random::new(11);
    for case in 0..400 {
        let size = Size::new(random.size(1, 900), random.size(1, 900));
        let under = solid(size, [120; 3]);
        let pointer = (random.size(0, size.width - 1), random.size(0, size.height - 1));
        let magnifier = Magnifier { side_px: random.size(1, 200), times: random.size(1, 6) };
        let what = Annotations { magnifier, ..loupe(at(pointer.0, pointer.1)) };
        let covered = changed(&under, &drawn(&under, &what));
        assert!(!covered.contains(&pointer), "case {case}: {size}, {pointer:?}, {magnifier:?}");
        if size.width.min(size.height) > 60 {
            assert!(!covered.is_empty(), "case {case}: {size} has room for some pixels");
        }
    }
    // From 800x600 on there is room for all of it.
    for (width, height) in [(800, 600), (600, 800), (1024, 768), (1280, 720), (3840, 2160)] {
        let under = solid(Size::new(width, height), [120; 3]);
        let [left, top, right, bottom] = around(&changed(&under, &drawn(&under, &loupe(at(9, 9)))));
        assert_eq!(right - left, 390, "{width}x{height}");
        assert!(bottom - top >= 390, "{width}x{height}");
    }
}

// spec: D-11 UNIT
#[test]
fn the_banner_is_the_pictures_size() {
    let what = Annotations { banner: true, ..Annotations::default() };
    let alone = |text: &str| label_alone(text, 15.0, [[0; 3], [255, 200, 0]], (6, 3));
    for (width, height) in [(1920, 1080), (1366, 768), (400, 300)] {
        let picture = drawn(&noise(Size::new(width, height), 3), &what);
        let text = format!("image={width}x{height}");
        assert_eq!(places_of(&alone(&text), &picture).len(), 1, "{text} stands there");
        for other in [format!("image={}x{height}", width + 1), format!("image={height}x{width}")] {
            assert_eq!(places_of(&alone(&other), &picture), [], "{other} does not");
        }
    }
    assert!(
        alone("image=1920x1080") != alone("image=1920x1088"),
        "the control: one digit is another picture"
    );
}

#[test]
fn the_banner_keeps_clear_of_pointer_and_inset() {
    let under = solid(Size::new(800, 600), [200, 220, 240]);
    for pointer in [at(100, 100), at(700, 100), at(100, 500), at(700, 500)] {
        let [inset, banner, both] = [(true, false), (false, true), (true, true)].map(|(loupe, banner)| {
            let magnifier = if loupe { LOUPE } else { Magnifier::default() };
            let what = Annotations { pointer: Some(pointer), magnifier, banner, ..Annotations::default() };
            changed(&under, &drawn(&under, &what))
        });
        let [left, top, right, bottom] = around(&banner);
        assert_eq!(pointer.y < 300.0, bottom == 600, "at the other edge");
        assert_eq!(pointer.y > 300.0, top == 0, "at the other edge");
        assert!((left..right).contains(&400), "in its middle");
        assert_eq!(both.len(), inset.len() + banner.len(), "side by side");
    }
}

// spec: D-12 UNIT
#[test]
fn pixels_that_no_part_covers_are_as_they_were() {
    let marks: Vec<Mark> = [(300, 250, 120, 40), (320, 260, 60, 20), (790, 590, 50, 50)]
        .into_iter()
        .zip(1..)
        .map(|((x, y, width, height), n)| Mark {
            area: Rect { origin: at(x, y), size: Size::new(width, height) },
            color: PALETTE[n as usize],
            number: Some(n),
        })
        .collect();
    let all =
        Annotations { crosshair: true, banner: true, grid: GRID.grid, marks: &marks, ..loupe(at(150, 130)) };
    // What is covered does not depend on what is there, so two other pictures tell where that is.
    let size = Size::new(800, 600);
    let [black, white] = [[0; 3], WHITE].map(|ground| solid(size, ground));
    let mut covered = changed(&black, &drawn(&black, &all));
    covered.extend(changed(&white, &drawn(&white, &all)));
    let inset = around(&changed(&white, &drawn(&white, &loupe(at(150, 130)))));
    let free: Vec<Place> = (0..size.height)
        .flat_map(|row| (0..size.width).map(move |column| (column, row)))
        .filter(|place| !covered.contains(place))
        .filter(|&(x, y)| !((inset[0]..inset[2]).contains(&x) && (inset[1]..inset[3]).contains(&y)))
        .collect();
    assert!(free.len() as u64 > size.area() / 2, "{} pixels are free", free.len());
    for seed in 0..3 {
        let under = noise(size, seed);
        let picture = drawn(&under, &all);
        for &(column, row) in &free {
            assert_eq!(picture.rgb(column, row), under.rgb(column, row), "({column}, {row})");
        }
        assert!(changed(&under, &picture).len() > 5000, "the control");
        assert!(drawn(&under, &all) == picture, "the same each time");
    }
}

#[test]
fn a_box_lies_inside_its_area_and_its_number_beside_it() {
    let size = Size::new(300, 200);
    let under = noise(size, 5);
    let area = Rect { origin: at(100, 80), size: Size::new(60, 40) };
    let mark = |number| Mark { area, color: PALETTE[1], number };
    let boxed = drawn(&under, &Annotations { marks: &[mark(None)], ..Annotations::default() });
    let covered = changed(&under, &boxed);
    assert_eq!(around(&covered), [100, 80, 160, 120]);
    assert_eq!(covered.len(), 60 * 40 - 56 * 36, "two pixels wide");
    assert!(covered.iter().all(|&(x, y)| boxed.rgb(x, y) == Some([0, 114, 178])));

    let numbered = |n| drawn(&under, &Annotations { marks: &[mark(Some(n))], ..Annotations::default() });
    let label = |text: &str, ink| label_alone(text, 13.0, [ink, [0, 114, 178]], (3, 2));
    let places = places_of(&label("17", WHITE), &numbered(17));
    assert_eq!(places, [(100, 80 - label("17", WHITE).size().height)], "above its corner");
    assert_eq!(places_of(&label("71", WHITE), &numbered(17)), []);
}

#[test]
fn numbers_keep_clear_of_each_other_and_of_the_edges() {
    let under = solid(Size::new(400, 300), [250; 3]);
    let mark = |x: i32, y: i32, width, height, n: u32| Mark {
        area: Rect { origin: PicturePx { x: f64::from(x), y: f64::from(y) }, size: Size::new(width, height) },
        color: PALETTE[n as usize],
        number: Some(n),
    };
    // Four at one place take four corners; the others have no room above.
    let marks = [0, 1, 2, 3].map(|n| mark(150, 100, 80, 40, n));
    let edges = [mark(0, 0, 90, 40, 4), mark(380, 280, 60, 60, 5), mark(-20, 150, 60, 30, 6)];
    let marks: Vec<Mark> = marks.into_iter().chain(edges).collect();
    let picture = drawn(&under, &Annotations { marks: &marks, ..Annotations::default() });
    for mark in &marks {
        let Color { red, green, blue, .. } = mark.color;
        let text = mark.number.unwrap().to_string();
        let found = [WHITE, [0; 3]].map(|ink| {
            places_of(&label_alone(&text, 13.0, [ink, [red, green, blue]], (3, 2)), &picture).len()
        });
        assert_eq!(found.iter().sum::<usize>(), 1, "the number {text} is whole");
    }
    let nowhere = [mark(400, 0, 9, 9, 1), mark(-9, -9, 9, 9, 1), mark(50, 50, 0, 9, 1)];
    assert!(drawn(&under, &Annotations { marks: &nowhere, ..Annotations::default() }) == under);
}

#[test]
fn absurd_settings_and_sizes_are_drawn_as_far_as_they_go() {
    let lengths = [0, 1, 2, 7, u32::MAX];
    for size in [(0, 0), (1, 1), (3, 200), (200, 3), (64, 64)].map(|(w, h)| Size::new(w, h)) {
        for n in 0..lengths.len() * lengths.len() {
            let (a, b) = (lengths[n % lengths.len()], lengths[n / lengths.len()]);
            let area = Rect { origin: PicturePx { x: f64::NAN, y: -1e300 }, size: Size::new(a, b) };
            let what = Annotations {
                grid: Grid { fine_px: a, coarse_px: b },
                pointer: Some(at(0, 0)),
                crosshair: true,
                magnifier: Magnifier { side_px: a, times: b },
                banner: true,
                marks: &[Mark { area, color: PALETTE[0], number: Some(u32::MAX) }],
            };
            drawn(&solid(size, [9; 3]), &what);
        }
    }
}
