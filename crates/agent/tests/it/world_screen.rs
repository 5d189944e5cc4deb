//! What the model is shown of a desk, to the pixel, and where its points land: sizes, displays, scales, pointer and HUD.

use crate::rig::session;
use crate::world_rig::{
    Did, HD, OnDesk, click, difference, done, observe, picture, plain, plainly, scroll, type_text,
    unlike_nearest,
};
use handsight_agent::ending::Outcome;
use handsight_base::flow::frame::Shown;
use handsight_base::port::desktop::WindowId;
use handsight_base::space::{FrameId, ScreenPx, ScreenRect, Size};
use handsight_testkit::picture::{Patch, Picture};
use handsight_worlds::Setup;
use handsight_worlds::desk::Desk;
use handsight_worlds::engine::{World, hold};
use serde_json::{Value, json};

const fn at(x: i32, y: i32) -> ScreenPx {
    ScreenPx::new(x, y)
}

// spec: S-04 S-09 SIM
#[test]
fn any_size_up_to_4k_is_seen_and_worked_on() {
    for (width, height) in [(800, 600), (1366, 768), (1920, 1080), (3840, 2160)] {
        let size = Size::new(width, height);
        let desk = OnDesk::new(&plain(size), &["hud.enabled=false"]);
        desk.open("editor", &[]);
        let text = format!("{size}: Añ€😀\nsecond line");
        let middle = desk.middle("editor", "text");
        let ending = desk.play(&[desk.click(middle, "a"), type_text(&text, "b"), done()]);
        assert_eq!((ending.outcome, ending.turns), (Outcome::Done, 3), "{size}: {}", ending.statement);
        assert_eq!(desk.text(), text, "{size}");
        let shots = desk.shots();
        assert_eq!(shots[1].pointer, middle, "{size}");
        for shot in &shots {
            let picture = shot.picture();
            assert_eq!((picture.width, picture.height, shot.screen.size()), (1536, 864, size));
            assert_eq!(unlike_nearest(&picture, &shot.screen), None, "{size}");
        }
        let frame = &session(&desk.out())[0]["frame"];
        assert_eq!(frame["size"], json!({"width": width, "height": height}));
    }
}

// spec: S-07 SIM
#[test]
fn the_primary_display_alone_is_seen_and_addressed() {
    let setup = Setup::new(3, Size::new(1366, 768)).with_display(ScreenRect::new(-800, 100, 800, 600), 1.0);
    let desk = OnDesk::new(&plainly(&setup), &["hud.enabled=false"]);
    desk.play(&[click(0.0, 0.0, ""), click(1000.0, 1000.0, ""), done()]);
    for (_, did) in desk.tape() {
        if let Did::Look(request, frame) = did {
            assert_eq!(request.shown, Shown::Display("world-0".into()));
            assert_eq!((frame.size(), frame.geometry.origin), (Size::new(1366, 768), at(0, 0)));
        }
    }
    let shots = desk.shots();
    assert_eq!((shots[1].pointer, shots[2].pointer), (at(0, 0), at(1365, 767)));
    for shot in &shots {
        assert_eq!(unlike_nearest(&shot.picture(), &shot.screen), None);
    }
}

/// Where the pointer changes a picture, and its darkest colour's places there, from the hot spot.
fn sprite(with: &Picture, without: &Picture, hot: ScreenPx) -> (Patch, Vec<(i32, i32)>) {
    let patch = with.difference(without).unwrap();
    let places = || {
        (patch.y..patch.end().1)
            .flat_map(|y| (patch.x..patch.end().0).map(move |x| (x, y)))
            .filter(|(x, y)| with.at(*x, *y) != without.at(*x, *y))
    };
    let ink =
        places().map(|(x, y)| with.at(x, y)).min_by_key(|c| c.iter().map(|v| u32::from(*v)).sum::<u32>());
    let inked = places().filter(|(x, y)| Some(with.at(*x, *y)) == ink);
    (patch, inked.map(|(x, y)| (x as i32 - hot.x, y as i32 - hot.y)).collect())
}

// spec: S-08 SIM
#[test]
fn the_pointer_is_in_the_picture_with_its_hot_spot_where_it_points() {
    let desk = OnDesk::native(HD, &["hud.enabled=false"]);
    desk.open("editor", &[]);
    let id = hold(&desk.world).window_truths()[0].frame.id;
    assert!(hold(&desk.world).place(WindowId(id), ScreenRect::new(600, 100, 560, 400)));
    let text = desk.middle("editor", "text");
    // Two bare places of the wallpaper, and one over a text.
    desk.play(&[desk.click(at(400, 500), ""), desk.click(at(523, 611), ""), desk.click(text, ""), done()]);
    let shots = desk.shots();
    let mut sprites = Vec::new();
    for shot in &shots[1..] {
        let sent = shot.picture();
        assert_eq!(difference(&sent, &shot.screen), None);
        let (patch, ink) = sprite(&sent, &picture(&shot.bare), shot.pointer);
        let (x, y) = (patch.x as i32 - shot.pointer.x, patch.y as i32 - shot.pointer.y);
        assert!(patch.width <= 26 && patch.height <= 26, "{patch:?} is more than a pointer");
        assert!(ink.len() >= 12, "{ink:?}");
        sprites.push(((x, y, patch.width, patch.height), ink));
    }
    assert_eq!(
        [shots[1].pointer, shots[2].pointer, shots[3].pointer],
        [at(400, 500), at(523, 611), text],
        "the pointer is where the hands put it"
    );
    let ((x, y, ..), arrow) = &sprites[0];
    assert_eq!(&sprites[1].1, arrow, "the same arrow at another place");
    assert!(
        (-2..=0).contains(x) && (-2..=0).contains(y),
        "an arrow points from its top-left: {:?}",
        sprites[0].0
    );
    assert!(arrow.iter().all(|(x, y)| (0..=20).contains(x) && (0..=21).contains(y)), "{arrow:?}");
    let ((x, y, width, height), beam) = &sprites[2];
    assert_ne!(beam, arrow, "over a text it is another");
    assert!(
        (x + *width as i32 / 2).abs() <= 1 && (y + *height as i32 / 2).abs() <= 1,
        "a beam lies around its hot spot: {:?}",
        sprites[2].0
    );

    // The frame is a raw buffer of four bytes a pixel; with the pointer where the model sees it, without where it does not.
    for (_, did) in desk.tape() {
        if let Did::Look(request, frame) = did {
            assert_eq!(request.cursor, request.frame != FrameId(0));
            assert_eq!(frame.cursor, request.cursor);
            assert_eq!(frame.view().stride(), 1280 * 4);
            assert_eq!(frame.view().data().len(), 1280 * 720 * 4);
        }
    }
}

fn resize(desk: &mut Desk, to: Size) {
    let mut saved: Value = serde_json::from_slice(&desk.save()).unwrap();
    saved["core"]["displays"][0]["area"]["size"] = json!({"width": to.width, "height": to.height});
    desk.load(saved.to_string().as_bytes()).unwrap();
}

// spec: S-10 SIM
#[test]
fn a_screen_that_changes_its_size_is_seen_and_hit_as_it_is_now() {
    const SIZES: [Size; 3] = [Size::new(1024, 768), Size::new(1600, 900), Size::new(1024, 768)];
    let desk = OnDesk::new(&plain(SIZES[0]), &["hud.enabled=false"]);
    // The second time in the midst of settling.
    let mut probes = 0;
    desk.meanwhile(move |request, _, desk| {
        probes += u32::from(request.frame == FrameId(0));
        if request.frame == FrameId(2) {
            resize(desk, SIZES[1]);
        } else if probes == 5 {
            probes += 1;
            resize(desk, SIZES[2]);
        }
    });
    desk.play(&[observe(""), click(1000.0, 1000.0, ""), click(1000.0, 1000.0, ""), done()]);
    let shots = desk.shots();
    for (shot, size) in shots.iter().zip(SIZES) {
        assert_eq!(shot.screen.size(), size);
        assert_eq!(unlike_nearest(&shot.picture(), &shot.screen), None, "{size}");
    }
    let presses: Vec<String> = desk.seen().into_iter().filter(|s| s.starts_with("left press")).collect();
    assert_eq!(presses, ["left press at (1599, 899)", "left press at (1023, 767)"]);
    let log = session(&desk.out());
    assert!(log[..3].iter().all(|line| line["calm"] == "settled"), "{log:?}");
}

/// The room a HUD of `rows` rows may take at its defaults: margin 10, 700 wide, 18 high, 2 between, a rim of 1.
fn hud(rows: u32) -> Patch {
    Patch::new(9, 9, 702, 2 + rows * 24)
}

fn within(inner: Patch, outer: Patch) -> bool {
    inner.x >= outer.x
        && inner.y >= outer.y
        && inner.end().0 <= outer.end().0
        && inner.end().1 <= outer.end().1
}

// spec: S-13 S-15 S-16 SIM
#[test]
fn the_first_picture_is_the_bare_screen_and_every_other_is_that_and_the_hud() {
    let desk = OnDesk::native(HD, &[]);
    desk.open("editor", &[]);
    let text = desk.middle("editor", "text");
    desk.play(&[
        desk.click(text, "Into the text."),
        type_text("abc", "Two\nparagraphs"),
        observe(""),
        done(),
    ]);
    let shots = desk.shots();
    let hud_of = |n: usize| difference(&shots[n].picture(), &shots[n].screen);
    assert_eq!(hud_of(0), None, "no HUD pixel on the first turn, and nothing else either");
    for (turn, rows) in [(1, 1), (2, 2)] {
        let patch = hud_of(turn).expect("the last reason is on the picture");
        assert!(within(patch, hud(rows)), "{patch:?} is more than {rows} rows");
        let colours: Vec<[u8; 3]> = shots[turn].picture().part(patch).colours().iter().map(|c| c.0).collect();
        assert!(colours.contains(&[255; 3]) && colours.contains(&[0; 3]), "white letters ringed by black");
    }
    assert!(!within(hud_of(2).unwrap(), hud(1)), "two paragraphs are two rows");
    assert_eq!(hud_of(3), None, "a reason lives one turn, and an empty one draws nothing");
    assert_eq!(desk.text(), "abc");
}

// spec: S-56 SIM
#[test]
fn the_hud_keeps_its_distance_from_every_edge() {
    let size = Size::new(800, 600);
    let long = vec!["A long paragraph that goes on and on. ".repeat(30); 10].join("\n");
    for (reason, margin) in [("W", 10), (long.as_str(), 10), (long.as_str(), 40)] {
        let desk = OnDesk::native(size, &[&format!("HUD_MARGIN={margin}")]);
        desk.play(&[observe(reason), done()]);
        let shot = &desk.shots()[1];
        let patch = difference(&shot.picture(), &shot.screen).unwrap();
        let edge = margin - 1;
        assert!(
            within(patch, Patch::new(edge, edge, size.width - 2 * edge, size.height - 2 * edge)),
            "{patch:?} reaches into the outer {edge} pixels"
        );
        // The outline stands in the last pixel of the margin, so the distance is kept and not more.
        assert!(patch.x <= margin + 2, "{patch:?}");
        assert_eq!(patch.height > 400, reason.len() > 1, "{patch:?}: the long one fills the screen");
    }
}

// spec: S-33 SIM
#[test]
fn the_corners_and_the_middle_are_hit_on_any_screen() {
    for (width, height, scale) in
        [(800, 600, 1.0), (1366, 768, 1.0), (3840, 2160, 1.0), (960, 540, 2.0), (1000, 600, 1.5)]
    {
        let setup = plainly(&Setup::new(3, Size::new(width, height)).scaled(scale));
        let desk = OnDesk::new(&setup, &["SETTLE_ENABLED=false"]);
        let points =
            [(0.0, 0.0), (500.0, 500.0), (1000.0, 1000.0), (1000.0, 0.0), (0.0, 1000.0), (333.3, 666.6)];
        let mut script: Vec<Value> = points.iter().map(|(x, y)| click(*x, *y, "")).collect();
        script.push(done());
        desk.play(&script);
        // The native picture has `scale` pixels a unit of the pointer.
        let unit = |v: f64, units: u32| {
            let pixels = f64::from(units) * scale;
            let pixel = (v / 1000.0 * (pixels - 1.0)).round();
            ((pixel + 0.5) / scale).floor() as i32
        };
        let wanted = points.map(|(x, y)| at(unit(x, width), unit(y, height)));
        let pointers: Vec<ScreenPx> = desk.shots()[1..].iter().map(|shot| shot.pointer).collect();
        assert_eq!(pointers, wanted, "{width}x{height} at {scale}");
        assert_eq!(
            wanted[2],
            at(width as i32 - 1, height as i32 - 1),
            "the bottom-right pixel of the screen"
        );
        let presses: Vec<String> = desk.seen().into_iter().filter(|s| s.starts_with("left press")).collect();
        assert_eq!(presses, wanted.map(|p| format!("left press at {p}")));
    }
}

/// The primary, and one to its upper left.
fn two() -> Setup {
    Setup::new(3, HD).with_display(ScreenRect::new(-1024, -200, 1024, 768), 1.0)
}

/// An editor on the second display; its text's middle.
fn editor_on_the_left(desk: &OnDesk) -> ScreenPx {
    let id = desk.open("editor", &[]);
    assert!(hold(&desk.world).place(WindowId(id), ScreenRect::new(-900, -100, 600, 400)));
    desk.middle("editor", "text")
}

// spec: S-100 SIM
#[test]
fn all_displays_are_one_picture_and_one_space() {
    let mut desk = OnDesk::new(&plainly(&two()), &["capture.display=all", "hud.enabled=false"]);
    desk.shown = Shown::AllDisplays;
    let text = editor_on_the_left(&desk);
    assert!(text.x < 0 && text.y < 568);
    let ending = desk.play(&[
        desk.click(text, ""),
        type_text("on the left", ""),
        click(0.0, 0.0, ""),
        click(1000.0, 1000.0, ""),
        done(),
    ]);
    assert_eq!(ending.outcome, Outcome::Done, "{}", ending.statement);
    assert_eq!(desk.text(), "on the left");
    let shots = desk.shots();
    assert_eq!(shots[0].screen.size(), Size::new(2304, 920), "the box around both");
    let frame = &session(&desk.out())[0]["frame"];
    assert_eq!(frame["origin"], json!({"x": -1024, "y": -200}));
    assert_eq!(
        [shots[1].pointer, shots[3].pointer, shots[4].pointer],
        [text, at(-1024, -200), at(1279, 719)]
    );
    for shot in &shots {
        assert_eq!(unlike_nearest(&shot.picture(), &shot.screen), None);
    }
}

// spec: S-100 SIM
#[test]
fn one_display_is_named_by_its_number_or_its_name() {
    for name in ["1", "world-1"] {
        let mut desk =
            OnDesk::new(&plainly(&two()), &[&format!("capture.display={name}"), "hud.enabled=false"]);
        desk.shown = Shown::Display("world-1".into());
        let text = editor_on_the_left(&desk);
        desk.play(&[
            desk.click(text, ""),
            type_text("x", ""),
            click(500.0, 500.0, ""),
            click(1000.0, 0.0, ""),
            done(),
        ]);
        assert_eq!(desk.text(), "x");
        let shots = desk.shots();
        assert_eq!(shots[0].screen.size(), Size::new(1024, 768));
        assert_eq!([shots[3].pointer, shots[4].pointer], [at(-1024 + 512, -200 + 384), at(-1, -200)]);
        assert_eq!(unlike_nearest(&shots[2].picture(), &shots[2].screen), None);
    }
    let desk = OnDesk::new(&plainly(&two()), &["capture.display=7"]);
    let ending = desk.play(&[done()]);
    assert_eq!((ending.turns, desk.seen().len()), (0, 0));
    assert!(ending.statement.contains("there is no display \"7\""), "{}", ending.statement);
}

// spec: S-33 S-100 SIM
#[test]
fn displays_of_two_scales_are_shown_as_finely_as_the_finer_one() {
    let setup = Setup::new(3, Size::new(800, 600)).with_display(ScreenRect::new(-640, 0, 640, 480), 2.0);
    let mut desk = OnDesk::new(&plainly(&setup), &["capture.display=all", "hud.enabled=false"]);
    desk.shown = Shown::AllDisplays;
    let text = editor_on_the_left(&desk);
    desk.play(&[
        desk.click(text, ""),
        type_text("fine", ""),
        click(1000.0, 0.0, ""),
        scroll(120, ""),
        done(),
    ]);
    let shots = desk.shots();
    assert_eq!(shots[0].screen.size(), Size::new(2 * (640 + 800), 2 * 600));
    assert_eq!((shots[1].pointer, shots[3].pointer), (text, at(799, 0)));
    assert_eq!(desk.text(), "fine");
    assert!(desk.seen().contains(&"wheel 120 at (799, 0)".to_owned()), "{:?}", desk.seen());
    assert_eq!(unlike_nearest(&shots[1].picture(), &shots[1].screen), None);
}
