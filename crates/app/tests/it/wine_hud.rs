//! The HUD of `handsight.exe` on a screen of Wine: what the model reads is what a person sees, a click on it goes to what lies
//! below, and what `doctor` says of the screen.
//!
//! The pictures have the size of the screen, so that every pixel can be compared. They stay in the target folder.

use crate::handsight::{Said, run};
use crate::real_input_player::{At, Step, click, clients, done, observe, step};
use crate::real_input_rig::put;
use crate::wine_rig::{Played, WineRig};
use crate::xvfb_doctor::{Rival, faults, pairs, service};
use handsight_base::flow::action::Button;
use handsight_base::space::{ScreenPx, ScreenRect};
use handsight_testkit::chat::{Rules, Server};
use handsight_testkit::conformance::Witness as _;
use handsight_testkit::need::need;
use handsight_testkit::picture::{Patch, Picture};
use handsight_testkit::program::Program;
use handsight_testkit::wait::{PATIENCE, until};
use handsight_testkit::wine::DPI;
use handsight_testkit::witness_protocol::{What, Which};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const WHITE: [u8; 3] = [255; 3];
const BLACK: [u8; 3] = [0; 3];
const POINTER: (u32, u32) = (1200, 660);
/// Where a pointer may be drawn.
const SPRITE: Patch = Patch::new(POINTER.0 - 32, POINTER.1 - 32, 64, 64);
/// Where the HUD may be drawn: ten pixels from the edge, 700 wide and its outline.
const HUD: Patch = Patch::new(9, 9, 702, 200);
/// Pictures as large as the screen.
const UNSCALED: &[&str] = &["--set", "context.picture_width=1280", "--set", "context.picture_height=720"];

const ALPHA: &str = "The first text, and the longer of the two.";
const BETA: &str = "Größe: 3 € – naïve café\nIn two lines.";

fn inside(part: Patch, whole: Patch) -> bool {
    let (p, w) = (part.end(), whole.end());
    part.x >= whole.x && part.y >= whole.y && p.0 <= w.0 && p.1 <= w.1
}

/// A fresh folder for the pictures of a test.
fn album(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wine-hud").join(name);
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Notepad with a page full of text in the HUD's corner, and a game elsewhere that has the focus: a caret would blink.
fn page(rig: &WineRig) -> [Program; 2] {
    let line = "The quick brown fox jumps over the lazy dog, and then it does so again and again. ";
    std::fs::write(rig.wine.drive_c().join("page.txt"), format!("{}\r\n", line.repeat(2)).repeat(40))
        .unwrap();
    let notepad = rig.wine.program("notepad", &["C:\\page.txt"]);
    rig.wine.await_window("page.txt");
    place(rig, "page.txt", (0, 0));
    let mine = rig.wine.program("winemine", &[]);
    rig.wine.await_window("WineMine");
    place(rig, "WineMine", (1000, 300));
    until("the game has the focus", PATIENCE, || {
        (rig.wine.await_window("WineMine")["foreground"] == true).then_some(())
    });
    rig.x.go_to(POINTER.0 as i16, POINTER.1 as i16);
    [notepad, mine]
}

fn place(rig: &WineRig, title: &str, to: (u32, u32)) {
    let find = || clients(&rig.x).into_iter().find(|w| w.mapped && w.title.contains(title)).map(|w| w.id);
    let id = until("the X window", PATIENCE, find);
    put(&rig.wine.x, &rig.x, id, to);
}

/// Waits for a compositor that has taken the screen over.
fn compositor(rig: &WineRig, program: &str, args: &[&str]) -> Option<Program> {
    if !need(program, program) {
        return None;
    }
    let started = rig.wine.x.program(program, args);
    until("the compositor took over", PATIENCE, || rig.x.selection_owner("_NET_WM_CM_S0"));
    Some(started)
}

/// While the model thinks, another program photographs the screen. Beside the pointer, which it leaves out, it gets what the
/// model got.
fn a_person_sees_what_the_model_sees(rig: &WineRig, name: &str) {
    let folder = album(name);
    let _programs = page(rig);
    let photos: Arc<Mutex<Vec<Picture>>> = Arc::default();
    let photograph = |reason: &'static str| {
        let (x, photos, folder) = (Arc::clone(&rig.wine.x), Arc::clone(&photos), folder.clone());
        step(move |_| {
            let mut photos = photos.lock().unwrap();
            let file = folder.join(format!("person{}.png", photos.len()));
            x.run("import", &["-window", "root", file.to_str().unwrap()]);
            photos.push(Picture::from_png(&std::fs::read(file).unwrap()));
            observe(reason)
        })
    };
    let steps =
        vec![photograph(ALPHA), photograph(BETA), photograph("."), photograph(ALPHA), step(|_| done("End."))];
    let played = rig.play_with(UNSCALED, "Look", steps);
    for (n, request) in played.requests.iter().enumerate() {
        std::fs::write(folder.join(format!("model{n}.png")), &request.pictures[0].png).unwrap();
    }
    played.ended_well(rig);
    let photos = photos.lock().unwrap();
    let bare = &photos[0];
    for (n, photo) in photos.iter().enumerate() {
        let sent = picture(&played, n);
        let difference = sent.difference(photo);
        assert!(
            difference.is_none_or(|d| inside(d, SPRITE)),
            "picture {n} and what a person saw differ in {difference:?}"
        );
        // The text, and nothing but the text, came to what was there.
        let text = photo.difference(bare);
        assert_eq!(n > 0, text.is_some(), "picture {n}");
        if let Some(text) = text {
            assert!(inside(text, HUD), "picture {n}: {text:?}");
            let colours = photo.part(text).colours();
            assert!([WHITE, BLACK].iter().all(|c| colours.iter().any(|found| found.0 == *c)));
        }
    }
    assert!(photos[1].difference(&photos[2]).is_some() && photos[2].difference(&photos[3]).is_some());
    // It went when the run ended.
    let whole =
        |w: &handsight_testkit::witness::Witness| Picture::from_bgrx(1280, 720, &w.pixels(0, 0, 1280, 720));
    until("the text is gone", PATIENCE, || whole(&rig.x).difference(bare).is_none().then_some(()));
}

fn picture(played: &Played, request: usize) -> Picture {
    Picture::from_png(&played.requests[request].pictures[0].png)
}

// spec: S-13 S-15 S-16 S-56 S-61 WINE
#[test]
fn a_person_sees_what_the_model_sees_without_a_compositor() {
    let Some(rig) = WineRig::new(DPI).filter(|_| need("import", "imagemagick")) else { return };
    a_person_sees_what_the_model_sees(&rig, "bare");
}

// spec: S-61 WINE
#[test]
fn a_person_sees_what_the_model_sees_with_picom() {
    let Some(rig) = WineRig::new(DPI).filter(|_| need("import", "imagemagick")) else { return };
    let picom = compositor(&rig, "picom", &["--backend", "xrender", "--config", "/dev/null"]);
    if picom.is_some() {
        a_person_sees_what_the_model_sees(&rig, "picom");
    }
}

// spec: S-61 WINE
#[test]
fn a_person_sees_what_the_model_sees_with_xcompmgr() {
    let Some(rig) = WineRig::new(DPI).filter(|_| need("import", "imagemagick")) else { return };
    let xcompmgr = compositor(&rig, "xcompmgr", &["-n"]);
    if xcompmgr.is_some() {
        a_person_sees_what_the_model_sees(&rig, "xcompmgr");
    }
}

/// A white pixel with its black outline beside it, in thousandths so fine that a click can only mean this pixel.
fn letter(picture: &Picture) -> Option<((u32, u32), At)> {
    let (right, bottom) = HUD.end();
    let all = (HUD.y..bottom).flat_map(|y| (HUD.x..right).map(move |x| (x, y)));
    let outlined = |x: u32, y: u32| picture.at(x - 1, y) == BLACK || picture.at(x + 1, y) == BLACK;
    let (x, y) = all.into_iter().find(|(x, y)| picture.at(*x, *y) == WHITE && outlined(*x, *y))?;
    let thousandth = |v: u32, size: u32| f64::from(v) / f64::from(size - 1) * 1000.0;
    Some(((x, y), At(thousandth(x, picture.width), thousandth(y, picture.height))))
}

// spec: S-58 WINE
#[test]
fn a_click_on_the_hud_goes_to_what_is_under_it() {
    let Some(rig) = WineRig::new(DPI) else { return };
    let mut under = rig.wine.win32();
    under.open(Which::Main, ScreenRect::new(0, 0, 800, 300), 7, false);
    under.focus(Which::Main);
    under.forget();
    let clicked: Arc<Mutex<Option<(u32, u32)>>> = Arc::default();
    let windows: Arc<Mutex<Vec<Value>>> = Arc::default();
    let (clicked_at, seen, wine) = (Arc::clone(&clicked), Arc::clone(&windows), Arc::clone(&rig.wine));
    let steps: Vec<Step> = vec![
        step(|_| observe("Under this text lies a window.")),
        step(move |l| {
            *seen.lock().unwrap() = wine.windows();
            let (pixel, at) = letter(l.picture)?;
            *clicked_at.lock().unwrap() = Some(pixel);
            click(at, "I clicked on a white pixel of the text.")
        }),
        step(|_| done("The window got it.")),
    ];
    let played = rig.play_with(UNSCALED, "Click on your own text", steps);
    played.ended_well(&rig);
    let (x, y) = clicked.lock().unwrap().expect("the step ran");
    let events = under.events();
    let presses: Vec<_> = events.iter().filter(|e| matches!(e.what, What::Button { .. })).collect();
    let what: Vec<What> = presses.iter().map(|e| e.what).collect();
    assert_eq!(what, [true, false].map(|down| What::Button { button: Button::Left, down }), "{events:?}");
    assert!(presses.iter().all(|e| e.window == Which::Main && e.screen == ScreenPx::new(x as i32, y as i32)));

    // Another program found the HUD on top of the window, with the styles of an overlay, and the focus where it was.
    let windows = windows.lock().unwrap();
    let of = |w: &Value, key: &str| w[key].as_u64().unwrap() as u32;
    let place = |part: &dyn Fn(&Value) -> bool| windows.iter().position(part).expect("it is listed");
    let hud = place(&|w| w["class"] == "handsight overlay");
    let main = place(&|w| w["title"] == Which::Main.title());
    assert!(hud < main, "{windows:?}");
    assert_eq!(
        (windows[hud]["visible"].clone(), windows[main]["foreground"].clone()),
        (true.into(), true.into())
    );
    // WS_EX_LAYERED, NOACTIVATE, TOPMOST, TRANSPARENT, TOOLWINDOW; WS_POPUP without WS_CAPTION or WS_THICKFRAME.
    let extended = 0x8_0000 | 0x0800_0000 | 0x8 | 0x20 | 0x80;
    assert_eq!(of(&windows[hud], "ex_style") & (extended | 0x4_0000), extended, "{:?}", windows[hud]);
    assert_eq!(of(&windows[hud], "style") & 0x80C4_0000, 0x8000_0000, "{:?}", windows[hud]);
}

fn doctor(rig: &WineRig, server: &Server, more: &[&str]) -> Said {
    let url = server.base_url();
    let args = [&["doctor", "--json", "--desktop", "windows", "--base-url", &url], more].concat();
    run(rig.wine.handsight(&args), Duration::from_secs(120))
}

// spec: S-02 S-78 WINE
#[test]
fn doctor_names_the_windows_build_and_each_fault_of_the_screen_and_the_input() {
    let Some(rig) = WineRig::new(DPI) else { return };
    let server = service(Rules::default());
    let said = doctor(&rig, &server, &[]);
    let as_it_is = faults(said.ended(0));
    // Wine is no Windows 11.
    let findings = said.json()["findings"].clone();
    let build = findings.as_array().unwrap().iter().find(|f| f["check"] == "windows_build").unwrap();
    assert!(as_it_is.contains(&("windows_build".into(), "warn".into())), "{as_it_is:?}");
    assert!(build["found"].as_str().unwrap().contains("Windows 11 (build 22000)"), "{build}");
    let more = |said: &Said| -> Vec<(String, String)> {
        faults(said).into_iter().filter(|f| !as_it_is.contains(f)).collect()
    };
    for (set, check) in [("hud.reassert_pulses=0", "overlay_pulses"), ("act.input_delay_s=0", "input_delay")]
    {
        let said = doctor(&rig, &server, &["--set", set]);
        assert_eq!(more(said.ended(0)), pairs(&[(check, "warn")]), "{set}");
    }
    let said = doctor(&rig, &server, &["--display", "9"]);
    assert_eq!(more(said.ended(5)), pairs(&[("target", "fail")]));
    // A rival that comes to the top again and again, where the HUD begins.
    let rival = Rival::start(rig.wine.x.display());
    let said = doctor(&rig, &server, &[]);
    assert_eq!(more(said.ended(0)), pairs(&[("overlay", "warn")]));
    drop(rival);
}

// spec: S-02 WINE
#[test]
fn a_run_says_at_its_start_what_this_windows_lacks() {
    let Some(rig) = WineRig::new(DPI) else { return };
    let played = rig.play_with(&[], "Look", vec![step(|_| done("End."))]);
    played.ended_well(&rig);
    played.said.told("warning: this is Windows build");
}
