//! What the engine draws on the model's picture: the same picture drawn by hand, of the screen that other eyes saw, with the
//! pointer where the world has it.

use crate::rig::session;
use crate::world_rig::{HD, OnDesk, block_on, click, difference, done, observe, picture, plain, plainly};
use handsight_agent::ending::Outcome;
use handsight_agent::episode::Episode;
use handsight_agent::seat::Seat;
use handsight_base::flow::format::PictureLimits;
use handsight_base::flow::frame::Frame;
use handsight_base::port::BoxFuture;
use handsight_base::port::clock::Clock;
use handsight_base::port::model::{Model, ModelError, ModelReply, ModelRequest};
use handsight_base::space::{
    At, FrameGeometry, FrameId, FramePx, PictureGeometry, PicturePx, ScreenPx, ScreenRect, Size,
};
use handsight_base::stop::Stop;
use handsight_desktop::replay::ReplayDesktop;
use handsight_model::Scripted;
use handsight_pixel::annotate::{Annotations, Annotator, Grid, Magnifier};
use handsight_pixel::blend::{Exporter, Scaling};
use handsight_testkit::picture::{Patch, Picture};
use handsight_worlds::Setup;
use handsight_worlds::desk::Desk;
use handsight_worlds::engine::{Input, World};
use serde_json::{Value, json};
use std::sync::Arc;

/// As large as the screen, with everything.
const ALL: [&str; 9] = [
    "hud.enabled=false",
    "context.picture_width=0",
    "context.picture_height=0",
    "context.annotate.grid_px=50",
    "context.annotate.grid_major_px=200",
    "context.annotate.cursor=true",
    "context.annotate.magnifier_px=96",
    "context.annotate.magnifier_times=4",
    "context.annotate.banner=true",
];

/// The same, drawn on a frame at a size.
fn drawn(frame: &Frame, size: Size, pointer: (i32, i32)) -> Picture {
    let mut exporter = Exporter::new();
    let whole = frame.geometry.whole();
    let rgb = exporter.export(frame.view(), whole, size, Scaling::Nearest, &[]).unwrap();
    let what = Annotations {
        grid: Grid { fine_px: 50, coarse_px: 200 },
        pointer: Some(PicturePx { x: f64::from(pointer.0), y: f64::from(pointer.1) }),
        crosshair: true,
        magnifier: Magnifier { side_px: 96, times: 4 },
        banner: true,
        marks: &[],
    };
    Annotator::new().draw(rgb, &what);
    let bgrx: Vec<u8> = rgb.to_packed().chunks(3).flat_map(|p| [p[2], p[1], p[0], 0]).collect();
    Picture::from_bgrx(size.width, size.height, &bgrx)
}

// spec: D-06 D-07 D-08 D-09 D-10 D-11 D-12 SIM
#[test]
fn the_picture_is_the_screen_as_large_as_it_is_with_what_the_profile_draws() {
    let desk = OnDesk::new(&plain(HD), &ALL);
    desk.open("editor", &[]);
    let text = desk.middle("editor", "text");
    let corner = ScreenPx::new(1270, 700);
    desk.play(&[desk.click(text, ""), desk.click(corner, ""), done()]);
    let shots = desk.shots();
    assert_eq!([shots[1].pointer, shots[2].pointer], [text, corner]);
    for (turn, shot) in shots.iter().enumerate() {
        let ScreenPx { x, y } = shot.pointer;
        let sent = shot.picture();
        assert_eq!(sent.difference(&drawn(&shot.screen, HD, (x, y))), None, "turn {turn}");
        assert!(sent.difference(&drawn(&shot.screen, HD, (x - 1, y))).is_some(), "the control");
        assert!(difference(&sent, &shot.screen).is_some(), "and something is drawn");
    }
}

// spec: D-06 D-11 D-12 SIM
#[test]
fn a_smaller_picture_is_scaled_first_and_drawn_on_then() {
    let small = Size::new(960, 540);
    let settings = [&ALL[..], &["context.picture_width=960", "context.picture_height=540"]].concat();
    let desk = OnDesk::new(&plain(HD), &settings);
    let to = ScreenPx::new(401, 299);
    desk.play(&[desk.click(to, ""), done()]);
    let shot = &desk.shots()[1];
    assert_eq!(shot.pointer, to);
    // Three quarters: the middle of pixel 401 is at 301.1, that of pixel 299 at 224.6.
    assert_eq!(shot.picture().difference(&drawn(&shot.screen, small, (301, 224))), None);
    assert!(shot.picture().difference(&drawn(&shot.screen, small, (401, 299))).is_some(), "the control");
}

// spec: D-09 SIM
#[test]
fn the_crosshair_is_at_the_pointer_whoever_put_it_there() {
    let settings = ["hud.enabled=false", "context.annotate.cursor=true"];
    let native = ["context.picture_width=0", "context.picture_height=0"];
    let desk = OnDesk::new(&plain(HD), &[settings, native].concat());
    // Before the third picture a person takes the mouse.
    desk.meanwhile(|request, _, desk| {
        if request.frame == FrameId(3) {
            desk.input(Input::Move(ScreenPx::new(900, 111)));
        }
    });
    desk.play(&[desk.click(ScreenPx::new(333, 222), ""), observe(""), observe(""), done()]);
    let shots = desk.shots();
    let pointers: Vec<ScreenPx> = shots.iter().map(|shot| shot.pointer).collect();
    let [before, clicked, moved] = [pointers[0], ScreenPx::new(333, 222), ScreenPx::new(900, 111)];
    assert_eq!(pointers, [before, clicked, moved, moved]);
    for shot in &shots {
        // The arms reach 24 pixels to each side, and nothing else is drawn.
        let ScreenPx { x, y } = shot.pointer;
        let (x, y) = (u32::try_from(x).unwrap(), u32::try_from(y).unwrap());
        assert_eq!(difference(&shot.picture(), &shot.screen), Some(Patch::new(x - 24, y - 24, 49, 49)));
        assert_eq!(shot.picture().at(x, y), picture(&shot.screen).at(x, y), "its own pixel is free");
    }
}

// spec: D-09 SIM
#[test]
fn the_crosshair_is_where_the_pointer_is_on_screens_of_any_scale_and_place() {
    let finer = plainly(&Setup::new(3, Size::new(960, 540)).scaled(2.0));
    let desk = OnDesk::new(&finer, &ALL);
    desk.play(&[desk.click(ScreenPx::new(200, 100), ""), done()]);
    let shot = &desk.shots()[1];
    assert_eq!((shot.pointer, shot.screen.size()), (ScreenPx::new(200, 100), Size::new(1920, 1080)));
    // Two pixels a unit: the unit's middle is at 401, 201.
    assert_eq!(shot.picture().difference(&drawn(&shot.screen, shot.screen.size(), (401, 201))), None);

    let two = Setup::new(3, HD).with_display(ScreenRect::new(-1024, -200, 1024, 768), 1.0);
    let mut desk = OnDesk::new(&plainly(&two), &[&ALL[..], &["capture.display=all"]].concat());
    desk.shown = handsight_base::flow::frame::Shown::AllDisplays;
    desk.play(&[desk.click(ScreenPx::new(-500, -100), ""), done()]);
    let shot = &desk.shots()[1];
    let all = Size::new(2304, 920);
    assert_eq!(shot.picture().difference(&drawn(&shot.screen, all, (524, 100))), None);
}

fn resize(desk: &mut Desk, to: Size) {
    let mut saved: Value = serde_json::from_slice(&desk.save()).unwrap();
    saved["core"]["displays"][0]["area"]["size"] = json!({"width": to.width, "height": to.height});
    desk.load(saved.to_string().as_bytes()).unwrap();
}

// spec: D-06 D-11 SIM
#[test]
fn a_screen_that_changes_its_size_between_turns_is_sent_named_and_hit_as_it_is_now() {
    const SIZES: [Size; 3] = [Size::new(1024, 768), Size::new(1600, 900), Size::new(800, 600)];
    let desk = OnDesk::new(&plain(SIZES[0]), &ALL);
    desk.meanwhile(move |request, _, desk| {
        if let FrameId(turn @ 2..=3) = request.frame {
            resize(desk, SIZES[turn as usize - 1]);
        }
    });
    desk.play(&[observe(""), click(1000.0, 1000.0, ""), click(1000.0, 1000.0, ""), done()]);
    let shots = desk.shots();
    let log = session(&desk.out());
    for ((shot, size), line) in shots.iter().zip(SIZES).zip(&log) {
        let sent = shot.picture();
        assert_eq!((sent.width, sent.height), (size.width, size.height));
        let ScreenPx { x, y } = shot.pointer;
        assert_eq!(
            sent.difference(&drawn(&shot.screen, size, (x, y))),
            None,
            "{size}, its name and its grid"
        );
        // The record of what the turn's points mean.
        let frame: FrameGeometry = serde_json::from_value(line["frame"].clone()).unwrap();
        assert_eq!((frame.size, frame.origin), (size, ScreenPx::new(0, 0)));
    }
    let presses: Vec<String> = desk.seen().into_iter().filter(|s| s.starts_with("left press")).collect();
    assert_eq!(presses, ["left press at (1599, 899)", "left press at (799, 599)"]);
}

// spec: D-06 UNIT
#[test]
fn the_record_of_a_picture_comes_back_as_it_was_and_maps_as_it_did() {
    let frame = FrameGeometry {
        frame: FrameId(4),
        size: Size::new(3840, 1080),
        origin: ScreenPx::new(-1920, -40),
        scale: 1.0,
    };
    for size in [frame.size, Size::new(1920, 540), Size::new(1001, 333)] {
        let shown = PictureGeometry { frame: frame.frame, pane: frame.whole(), size };
        let text = serde_json::to_string(&(frame, shown)).unwrap();
        let (frame_again, shown_again): (FrameGeometry, PictureGeometry) =
            serde_json::from_str(&text).unwrap();
        assert_eq!((frame_again, shown_again), (frame, shown));
        for (x, y) in [(0, 0), (1, 332), (999, 7), (1000, 332)] {
            let at = PicturePx { x: f64::from(x), y: f64::from(y) };
            let on = |frame: &FrameGeometry, shown: &PictureGeometry| {
                frame.screen_from_frame(shown.frame_from_picture(at).unwrap()).unwrap()
            };
            assert_eq!(on(&frame_again, &shown_again), on(&frame, &shown));
            // And back, by way of the record.
            let back = frame_again.frame_from_screen(on(&frame, &shown)).unwrap();
            let back: At<FramePx> = At { frame: frame.frame, ..back };
            assert_eq!(shown_again.picture_from_frame(back).unwrap(), at);
        }
    }
}

#[test]
fn nothing_is_drawn_unless_the_profile_says_so_and_the_desktop_is_not_asked() {
    let desk = OnDesk::new(&plain(HD), &[ALL[0], ALL[1], ALL[2]]);
    desk.play(&[desk.click(ScreenPx::new(50, 50), ""), done()]);
    assert!(desk.shots().iter().all(|shot| difference(&shot.picture(), &shot.screen).is_none()));
    assert_eq!(desk.pointer_asked(), 0);
    let desk = OnDesk::new(&plain(HD), &ALL);
    desk.play(&[desk.click(ScreenPx::new(50, 50), ""), done()]);
    assert_eq!(desk.pointer_asked(), 2, "the control: once a picture");
}

/// A model that reads single pixels.
struct ReadsPixels(Scripted);

impl Model for ReadsPixels {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn picture_limits(&self) -> PictureLimits {
        PictureLimits { own_pixels: true, ..self.0.picture_limits() }
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        self.0.ask(request, stop)
    }
}

#[test]
fn a_model_that_reads_pixels_gets_the_screens_own_whatever_the_profile_draws_and_the_turn_says_so() {
    let smaller = ["context.picture_width=640", "context.picture_height=360"];
    let sharp = Size::new(1920, 1080);
    for settings in [ALL.to_vec(), [&ALL[..], &smaller].concat()] {
        let desk = OnDesk::new(&plainly(&Setup::new(3, HD).scaled(1.5)), &settings);
        let script = [desk.click(ScreenPx::new(401, 299), ""), done()];
        let text: String = script.iter().map(|line| format!("{line}\n")).collect();
        let scripted = Scripted::read("test", &text, Arc::new(desk.clock.clone())).unwrap();
        desk.run(Arc::new(ReadsPixels(scripted)));
        let shots = desk.shots();
        assert_eq!((shots.len(), shots[1].pointer), (2, ScreenPx::new(401, 299)), "and points hit as before");
        for (shot, line) in shots.iter().zip(session(&desk.out())) {
            assert_eq!(difference(&shot.picture(), &shot.screen), None);
            assert_eq!((shot.picture().width, shot.picture().height), (sharp.width, sharp.height));
            let note = "the picture is the screen's own 1920x1080 with nothing drawn on it: the model reads single pixels";
            assert_eq!(line["notes"], json!([note]));
        }
    }
    // Where the profile asks for nothing else there is nothing to say.
    let desk = OnDesk::new(&plain(HD), &ALL[..3]);
    let scripted = Scripted::read("test", &done().to_string(), Arc::new(desk.clock.clone())).unwrap();
    desk.run(Arc::new(ReadsPixels(scripted)));
    assert_eq!(session(&desk.out())[0]["notes"], json!([]));
}

#[test]
fn a_recording_is_replayed_without_drawing_on_it_again() {
    let script = [click(200.0, 300.0, "a"), click(900.0, 800.0, "b"), done()];
    let settings = [&ALL[..], &["record.dump_screenshots=false"]].concat();
    let desk = OnDesk::new(&plain(HD), &settings);
    desk.play(&script);
    let recorded = desk.shots();

    let again = OnDesk::new(&plain(HD), &settings);
    let clock: Arc<dyn Clock> = Arc::new(again.clock.clone());
    let text: String = script.iter().map(|line| format!("{line}\n")).collect();
    let model = Arc::new(Scripted::read("test", &text, Arc::clone(&clock)).unwrap());
    let replay = ReplayDesktop::open(&desk.out(), Arc::clone(&clock)).unwrap();
    let first = replay.first_difference();
    let ending = block_on(async {
        let mut parts = again.parts(model);
        parts.seat = Seat::inline(Box::new(replay), clock, Stop::new());
        Episode::new(parts).unwrap().run().await
    });
    assert_eq!(ending.outcome, Outcome::Done, "{}", ending.statement);
    let replayed = again.shots();
    assert_eq!(replayed.len(), 3);
    for (then, now) in recorded.iter().zip(&replayed) {
        assert!(then.asked.picture == now.asked.picture, "byte for byte");
    }
    assert!(first.get().is_none(), "and what is done is the same");
}
