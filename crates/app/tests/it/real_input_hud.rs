//! The HUD on a real screen: what the model reads, what a person sees, and who gets a click on it.
//!
//! The screen has the size of the picture, so that every pixel can be compared.

use crate::real_input_player::{At, Step, click, done, observe, step};
use crate::real_input_rig::{BRISK, Played, Rig, screen};
use handsight_testkit::apps;
use handsight_testkit::need::need;
use handsight_testkit::picture::{Patch, Picture};
use handsight_testkit::program::Program;
use handsight_testkit::wait::PATIENCE;
use handsight_testkit::witness::{What, Witness};
use std::sync::{Arc, Mutex};

const ROOM: [u8; 3] = [70, 110, 150];
const WHITE: [u8; 3] = [255; 3];
const BLACK: [u8; 3] = [0; 3];
const POINTER: (u32, u32) = (1200, 700);

/// A bare screen in one colour, the pointer far from the HUD.
fn room(name: &str) -> Option<Rig> {
    let rig = Rig::of_size(name, 1536, 864)?;
    if !need("xsetroot", "x11-xserver-utils") {
        return None;
    }
    apps::paint_root(&rig.x, ROOM);
    rig.witness.go_to(POINTER.0 as i16, POINTER.1 as i16);
    Some(rig)
}

fn inside(part: Patch, whole: Patch) -> bool {
    let (p, w) = (part.end(), whole.end());
    part.x >= whole.x && part.y >= whole.y && p.0 <= w.0 && p.1 <= w.1
}

/// Where a pointer may be drawn.
const SPRITE: Patch = Patch::new(POINTER.0 - 32, POINTER.1 - 32, 64, 64);
/// Where the HUD may be drawn: ten pixels from the edge, 700 wide and its outline.
const HUD: Patch = Patch::new(9, 9, 702, 200);

fn say(reason: &'static str) -> Step {
    step(move |_| observe(reason))
}

const ALPHA: &str = "The first text, and the longer of the two.";
const BETA: &str = "Another text.";

fn long_run(rig: &mut Rig) -> Played {
    let steps = vec![
        say(ALPHA),
        say(BETA),
        say(ALPHA),
        say("Two paragraphs:\n  this is the second."),
        step(|_| done("End.")),
    ];
    let played = rig.play("long", BRISK, "Look", steps);
    played.ended_well(rig);
    played
}

// spec: S-08 S-13 S-15 S-16 S-56 XVFB
// spec: S-15 FAKE
#[test]
fn the_text_of_a_turn_is_on_the_next_picture_and_on_no_other() {
    let Some(mut rig) = room("hud-text") else { return };
    let bare = rig.screen();
    assert_eq!(bare.colours(), [(ROOM, 1536 * 864)]);
    let played = long_run(&mut rig);
    let pictures: Vec<Picture> = (0..5).map(|n| played.picture(n)).collect();

    // The first is the bare screen and the pointer, which `GetImage` leaves out.
    let pointer = pictures[0].difference(&bare).expect("the pointer is in the picture");
    assert!(inside(pointer, SPRITE), "{pointer:?}");

    let texts: Vec<Patch> =
        pictures[1..].iter().map(|p| p.difference(&pictures[0]).expect("a text")).collect();
    for (text, picture) in texts.iter().zip(&pictures[1..]) {
        assert!(inside(*text, HUD), "{text:?}");
        let colours = picture.part(*text).colours();
        assert!(colours.iter().any(|c| c.0 == WHITE) && colours.iter().any(|c| c.0 == BLACK), "{colours:?}");
    }
    let lines: Vec<usize> = pictures[1..].iter().map(|p| p.lines_of_text(HUD).len()).collect();
    assert_eq!(lines, [1, 1, 1, 2]);
    assert!(texts[0].width > texts[1].width + 100, "{texts:?}");
    assert!(played.png(1) == played.png(3), "the same text gave two pictures");
    assert!(played.png(1) != played.png(2));
}

// spec: S-17 S-48 XVFB FAKE
#[test]
fn the_same_screen_and_text_give_the_same_request_whatever_came_before() {
    let Some(mut rig) = room("hud-same-request") else { return };
    let long = long_run(&mut rig);
    let fresh = rig.play("fresh", BRISK, "Look", vec![say(BETA), step(|_| done("End."))]);
    fresh.ended_well(&mut rig);
    let body = |played: &Played, n: usize| String::from_utf8_lossy(&played.requests[n].body).into_owned();
    assert_eq!(body(&fresh, 0), body(&long, 0), "the first requests differ");
    assert_eq!(body(&fresh, 1), body(&long, 2), "a trace of an earlier turn");
    assert_ne!(body(&fresh, 1), body(&long, 1), "the text is not in the request");
}

/// Starts a compositor and waits until it has painted: a root without a wallpaper then turns to the compositor's grey.
fn compositor(rig: &mut Rig, program: &str, args: &[&str]) -> Option<Program> {
    if !need(program, program) {
        return None;
    }
    let started = rig.x.program(program, args);
    rig.witness.wait_until("the compositor paints the screen", PATIENCE, |w| {
        w.selection_owner("_NET_WM_CM_S0").is_some() && w.pixel(5, 5) != ROOM && w.pixel(1530, 860) != ROOM
    });
    Some(started)
}

/// While the model thinks, another program photographs the screen. Beside the pointer, which it leaves out, it gets what
/// the model got.
fn a_person_sees_what_the_model_sees(rig: &mut Rig) {
    let photos: Arc<Mutex<Vec<Picture>>> = Arc::default();
    let photograph = |reason: &'static str| {
        let (x, photos) = (Arc::clone(&rig.x), Arc::clone(&photos));
        step(move |_| {
            photos.lock().unwrap().push(apps::screenshot(&x));
            observe(reason)
        })
    };
    let steps = vec![
        photograph(ALPHA),
        photograph(BETA),
        photograph("Größe: 3 € – naïve café"),
        photograph("."),
        step(|_| done("End.")),
    ];
    let played = rig.play("run", BRISK, "Look", steps);
    played.ended_well(rig);
    let photos = photos.lock().unwrap();
    assert_eq!(photos[0].colours().len(), 1);
    for (n, photo) in photos.iter().enumerate() {
        let sent = played.picture(n);
        assert_eq!(n > 0, photo.patch(WHITE).is_some(), "picture {n}");
        let difference = sent.difference(photo).expect("the pointer at least");
        assert!(inside(difference, SPRITE), "picture {n} and what a person saw differ in {difference:?}");
    }
    // It went when the run ended; a compositor takes a moment to repaint what was under it.
    let (bare, whole) = (&photos[0], rig.whole());
    rig.witness.wait_until("the text is gone", PATIENCE, |w| screen(w, whole).difference(bare).is_none());
}

// spec: S-31 S-61 XVFB
#[test]
fn a_person_sees_what_the_model_sees_without_a_compositor() {
    let Some(mut rig) = room("hud-person").filter(|_| need("import", "imagemagick")) else { return };
    a_person_sees_what_the_model_sees(&mut rig);
}

// spec: S-61 XVFB
#[test]
fn a_person_sees_what_the_model_sees_with_picom() {
    let Some(mut rig) = room("hud-picom").filter(|_| need("import", "imagemagick")) else { return };
    let Some(_picom) = compositor(&mut rig, "picom", &["--backend", "xrender", "--config", "/dev/null"])
    else {
        return;
    };
    a_person_sees_what_the_model_sees(&mut rig);
}

// spec: S-61 XVFB
#[test]
fn a_person_sees_what_the_model_sees_with_xcompmgr() {
    let Some(mut rig) = room("hud-xcompmgr").filter(|_| need("import", "imagemagick")) else { return };
    let Some(_xcompmgr) = compositor(&mut rig, "xcompmgr", &["-n"]) else { return };
    a_person_sees_what_the_model_sees(&mut rig);
}

/// Any pixel of exactly this colour, in thousandths so fine that the click can only mean this pixel.
fn pixel_of(picture: &Picture, area: Patch, colour: [u8; 3]) -> Option<((u32, u32), At)> {
    let (right, bottom) = area.end();
    let all = (area.y..bottom).flat_map(|y| (area.x..right).map(move |x| (x, y)));
    let (x, y) = all.into_iter().find(|(x, y)| picture.at(*x, *y) == colour)?;
    let thousandth = |v: u32, size: u32| f64::from(v) / f64::from(size - 1) * 1000.0;
    Some(((x, y), At(thousandth(x, picture.width), thousandth(y, picture.height))))
}

// spec: S-58 XVFB
#[test]
fn a_click_on_the_hud_goes_to_what_is_under_it() {
    let Some(mut rig) = room("hud-click") else { return };
    let under = rig.witness.open(0, 0, 800, 300);
    let clicked: Arc<Mutex<Option<(u32, u32)>>> = Arc::default();
    let clicked_at = Arc::clone(&clicked);
    let steps = vec![
        say("Under this text lies a window."),
        step(move |l| {
            let (pixel, at) = pixel_of(l.picture, HUD, WHITE)?;
            *clicked_at.lock().unwrap() = Some(pixel);
            click(at, "I clicked on a white pixel of the text.")
        }),
        step(|_| done("The window got it.")),
    ];
    let played = rig.play("run", BRISK, "Click on your own text", steps);
    played.ended_well(&mut rig);
    let (x, y) = clicked.lock().unwrap().expect("the step ran");
    let (x, y) = (x as i32, y as i32);
    let presses: Vec<_> = rig.witness.events().iter().filter(|e| e.what != What::Motion).copied().collect();
    let what: Vec<What> = presses.iter().map(|e| e.what).collect();
    assert_eq!(what, [true, false].map(|down| What::Button { button: 1, down }));
    assert_eq!((presses[0].root, presses[0].at), ((x, y), (x, y)));
    assert_eq!(rig.witness.focused(), under, "the focus moved");
}

// spec: S-58 S-59 XVFB
#[test]
fn a_window_that_comes_over_the_hud_ends_below_it() {
    let Some(mut rig) = room("hud-rival") else { return };
    let rival: Arc<Mutex<Vec<Witness>>> = Arc::default();
    let (display, kept) = (rig.x.display().to_owned(), Arc::clone(&rival));
    // The words stay the same, so that nothing but the turn itself is a reason to show them again.
    let steps = vec![
        say(ALPHA),
        say(ALPHA),
        step(move |_| {
            let mut witness = Witness::connect(&display);
            witness.open(0, 0, 800, 200);
            kept.lock().unwrap().push(witness);
            observe(ALPHA)
        }),
        step(|_| done("End.")),
    ];
    let played = rig.play("run", BRISK, "Look", steps);
    played.ended_well(&mut rig);
    let last = played.last_picture();
    let paper = last.part(HUD).colours()[0].0;
    assert_eq!(paper, [0x30, 0x60, 0x90], "the rival is not in the picture");
    assert_eq!(last.lines_of_text(HUD).len(), 1, "the rival hides the text");
    // Neither a program's window nor one that a taskbar lists.
    let windows = rig.witness.property(rig.witness.root(), "_NET_CLIENT_LIST");
    assert!(windows.is_empty(), "{windows:?}");
}
