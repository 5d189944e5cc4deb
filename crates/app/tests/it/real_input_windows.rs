//! Where a click lands while windows move and screens multiply: in the program that was meant, by that program's word.

use crate::real_input_player::{Step, click, done, observe, step, type_text};
use crate::real_input_rig::{BRISK, Rig, put, screen};
use handsight_testkit::apps::{self, Terminal};
use handsight_testkit::need::need;
use handsight_testkit::picture::Patch;
use handsight_testkit::program::Program;
use handsight_testkit::wait::PATIENCE;
use handsight_testkit::xvfb::Xvfb;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const GREEN: [u8; 3] = [24, 112, 64];
const RED: [u8; 3] = [136, 32, 40];

/// Two terminals that differ in colour and in the folder their shell is in.
struct Pair {
    green: PathBuf,
    red: PathBuf,
    _terminals: [Program; 2],
}

fn pair(rig: &Rig, green_at: (u32, u32), red_at: (u32, u32)) -> Option<Pair> {
    let (green, red) = (rig.place("green"), rig.place("red"));
    let terminal = |title, page, at, folder| Terminal { title, page, columns: 36, rows: 10, at, folder };
    let first = apps::xterm(&rig.x, &terminal("green", GREEN, green_at, &green))?;
    let second = apps::xterm(&rig.x, &terminal("red", RED, red_at, &red))?;
    Some(Pair { green, red, _terminals: [first, second] })
}

/// Names of the files in a folder.
fn files(folder: &Path) -> BTreeSet<String> {
    std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
}

fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

/// Another program moves the window while the model thinks; then the model looks again.
fn moved_meanwhile(x: &Arc<Xvfb>, title: &'static str, to: (u32, u32)) -> Step {
    let x = Arc::clone(x);
    step(move |l| {
        let window = l.window(title)?;
        put(&x, l.witness, window.id, to);
        observe("Something moved; I look again.")
    })
}

/// Looks for the colour in the picture and clicks its middle.
fn click_patch(colour: [u8; 3]) -> Step {
    step(move |l| {
        let patch = l.picture.patch(colour).filter(|p| p.width > 100 && p.height > 60)?;
        click(l.of_picture(patch.middle()), "I click the middle of the coloured window.")
    })
}

/// Types once the window has the focus; the file tells whose shell it was.
fn touch(title: &'static str, file: &'static str) -> Step {
    step(move |l| l.active(title).and_then(|_| type_text(&format!("touch {file}\n"), "I leave a file.")))
}

fn done_when_there(file: PathBuf) -> Step {
    step(move |_| if file.exists() { done("All files are there.") } else { None })
}

#[test]
fn a_click_found_in_the_picture_lands_in_the_window_wherever_it_was_moved() {
    let Some(mut rig) = Rig::new("moved-by-picture") else { return };
    let Some(pair) = pair(&rig, (700, 100), (760, 330)).filter(|_| need("xdotool", "xdotool")) else {
        return;
    };
    let steps = vec![
        click_patch(GREEN),
        touch("green", "one"),
        moved_meanwhile(&rig.x, "green", (60, 420)),
        click_patch(RED),
        touch("red", "one"),
        moved_meanwhile(&rig.x, "red", (240, 260)),
        click_patch(GREEN),
        touch("green", "two"),
        moved_meanwhile(&rig.x, "green", (840, 60)),
        click_patch(RED),
        touch("red", "two"),
        click_patch(GREEN),
        touch("green", "three"),
        done_when_there(pair.green.join("three")),
    ];
    rig.play("run", BRISK, "Leave files in both terminals", steps).ended_well(&mut rig);
    assert_eq!(files(&pair.green), names(["one", "three", "two"]));
    assert_eq!(files(&pair.red), names(["one", "two"]));
}

#[test]
fn a_click_at_where_the_server_says_the_window_is_now_lands_though_it_moved_while_the_model_thought() {
    let Some(mut rig) = Rig::new("moved-by-geometry") else { return };
    let Some(pair) = pair(&rig, (100, 380), (600, 60)).filter(|_| need("xdotool", "xdotool")) else { return };
    // The picture of this very request shows the window at its old place, where the other one will be.
    let overtaken = |title: &'static str, to: (u32, u32)| {
        let x = Arc::clone(&rig.x);
        step(move |l| {
            let old = l.window(title)?;
            put(&x, l.witness, old.id, to);
            let new = l.witness.window(old.id)?;
            click(l.inside(&new, 150, 100), "I click where the window is now.")
        })
    };
    let steps = vec![
        overtaken("green", (760, 420)),
        touch("green", "one"),
        overtaken("red", (100, 380)),
        touch("red", "one"),
        overtaken("green", (500, 40)),
        touch("green", "two"),
        done_when_there(pair.green.join("two")),
    ];
    // What such a model knows the picture does not show: a re-check would call it another window's place.
    let settings = [BRISK, &["--set", "act.recheck=false"]].concat();
    rig.play("run", &settings, "Leave files in both terminals", steps).ended_well(&mut rig);
    assert_eq!(files(&pair.green), names(["one", "two"]));
    assert_eq!(files(&pair.red), names(["one"]));
}

/// Two monitors of 960x1080 beside each other, the green terminal on the left one and the red one on the right.
fn two_monitors(name: &str) -> Option<(Rig, Pair)> {
    let rig = Rig::of_size(name, 1920, 1080)?;
    if !(need("xrandr", "x11-xserver-utils") && need("xsetroot", "x11-xserver-utils")) {
        return None;
    }
    apps::two_monitors(&rig.x, 1920, 1080);
    apps::paint_root(&rig.x, [70, 70, 90]);
    let pair = pair(&rig, (300, 500), (1300, 640))?;
    Some((rig, pair))
}

const LEFT: Patch = Patch::new(0, 0, 960, 1080);
const RIGHT: Patch = Patch::new(960, 0, 960, 1080);

/// The pointer, by an X client's account, is at the middle of the patch the model clicked, within the step of the model's
/// whole numbers (a 1000th of the side) and the picture's scale.
fn pointer_is_at(rig: &Rig, patch: Patch, picture: Patch, shows: Patch) {
    let root = |v: u32, of: u32, from: u32, size: u32| {
        f64::from(from) + f64::from(v) / f64::from(of - 1) * f64::from(size - 1)
    };
    let (x, y) = patch.middle();
    let expected =
        (root(x, picture.width, shows.x, shows.width), root(y, picture.height, shows.y, shows.height));
    let pointer = rig.witness.pointer();
    let off = (f64::from(pointer.x) - expected.0, f64::from(pointer.y) - expected.1);
    let slack = |size: u32| f64::from(size) / 2000.0 + 1.0;
    assert!(
        off.0.abs() <= slack(shows.width) && off.1.abs() <= slack(shows.height),
        "{pointer:?}, not {expected:?}"
    );
}

// spec: S-33 S-100 XVFB
#[test]
fn the_second_display_is_seen_and_clicked_alone() {
    let Some((mut rig, pair)) = two_monitors("display-1") else { return };
    let steps = vec![click_patch(RED), touch("red", "one"), done_when_there(pair.red.join("one"))];
    let args = [BRISK, &["--display", "1"]].concat();
    let played = rig.play_on(RIGHT, "run", &args, "Leave a file", steps);
    played.ended_well(&mut rig);
    let seen = played.picture(0);
    assert_eq!(seen.patch(GREEN), None, "the other monitor is in the picture");
    let clicked = played.story.calls.iter().position(|c| c.tool == "click").unwrap();
    let seen = played.picture(clicked);
    pointer_is_at(&rig, seen.patch(RED).unwrap(), seen.whole(), RIGHT);
    assert_eq!((files(&pair.red), files(&pair.green)), (names(["one"]), names([])));
}

// spec: S-07 XVFB
#[test]
fn unless_told_otherwise_the_primary_display_is_the_world() {
    let Some((mut rig, pair)) = two_monitors("display-primary") else { return };
    let steps = vec![click_patch(GREEN), touch("green", "one"), done_when_there(pair.green.join("one"))];
    let played = rig.play_on(LEFT, "run", BRISK, "Leave a file", steps);
    played.ended_well(&mut rig);
    assert_eq!(played.picture(0).patch(RED), None, "the other monitor is in the picture");
    assert_eq!((files(&pair.green), files(&pair.red)), (names(["one"]), names([])));
}

// spec: S-100 XVFB
#[test]
fn all_displays_are_one_picture_and_one_range_of_coordinates() {
    let Some((mut rig, pair)) = two_monitors("display-all") else { return };
    let steps = vec![
        click_patch(RED),
        touch("red", "one"),
        click_patch(GREEN),
        touch("green", "one"),
        done_when_there(pair.green.join("one")),
    ];
    let args = [BRISK, &["--display", "all"]].concat();
    let played = rig.play("run", &args, "Leave files", steps);
    played.ended_well(&mut rig);
    assert_eq!((files(&pair.green), files(&pair.red)), (names(["one"]), names(["one"])));
}

// spec: S-07 S-100 XVFB
#[test]
fn the_picture_of_a_display_is_that_part_of_the_screen_to_the_pixel() {
    let Some((mut rig, _pair)) = two_monitors("display-pixels") else { return };
    let whole = rig.whole();
    rig.witness.wait_until("both terminals are painted", PATIENCE, |w| {
        let seen = screen(w, whole);
        [GREEN, RED].iter().all(|c| seen.patch(*c).is_some_and(|p| p.width > 200 && p.height > 100))
    });
    for (display, shows, away) in
        [("1", RIGHT, (40, 1000)), ("0", LEFT, (1800, 40)), ("B", RIGHT, (40, 1000))]
    {
        // The pointer is on the other monitor, so that nothing lies over this one.
        rig.witness.go_to(away.0, away.1);
        let one_to_one = ["--set", "context.picture_width=960", "--set", "context.picture_height=1080"];
        let args = [BRISK, &one_to_one, &["--display", display]].concat();
        let steps = vec![step(|_| done("Seen."))];
        let played = rig.play_on(shows, &format!("run-{display}"), &args, "Look", steps);
        played.ended_well(&mut rig);
        assert_eq!(played.picture(0).difference(&screen(&rig.witness, shows)), None, "--display {display}");
    }
}
